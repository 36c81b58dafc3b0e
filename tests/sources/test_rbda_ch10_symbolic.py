"""Section 10.4 row by row: the symbolic executer and the symbolic simplifier. Programs are checked as texts: the
statements are run by Python itself."""

import ast
import math
import re

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

from rbdlib import aba, crba, load, rnea
from rbdlib.compile.executer import record
from rbdlib.compile.program import Argument, Assignment, Program, Recorded, Recorder, Result
from rbdlib.compile.rewrite import optimise
from rbdlib.compile.simplify import simplify
from rbdlib.compile.text import from_text, load as load_program, save, to_text
from rbdlib.methods.generators import auto_tree, gu

INERTIA, AXIS = np.diag([1.5, 1.6, 1.7]), np.array([0.0, 0.0, 1.0])
HEADER = "# inputs: v(3)\n# outputs: tau_out\n"
ASSIGNMENTS = """\
tmp001 = 1.5*v1 + 0*v2 + 0*v3
tmp002 = 0*v1 + 1.6*v2 + 0*v3
tmp003 = 0*v1 + 0*v2 + 1.7*v3
p1 = v2*tmp003 - v3*tmp002
p2 = v3*tmp001 - v1*tmp003
p3 = v1*tmp002 - v2*tmp001
tau_out = p1*0 + p2*0 + p3*1
"""
SOURCE_CODE = """\
tmp001 = 1.5*v1
tmp002 = 1.6*v2
p3 = v1*tmp002 - v2*tmp001
tau_out = p3
"""


def run(text, **inputs):
    """The values of all names after Python has run the statements of a text; inputs: arrays, or numbers."""
    names = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt}
    for name, array in inputs.items():
        names.update({name + "_".join(str(k + 1) for k in place): float(x) for place, x in np.ndenumerate(array)})
    exec(text, names)
    return names


def output(names, name, shape):
    return np.array([names[name + "_".join(str(k + 1) for k in place)] for place in np.ndindex(shape)]).reshape(shape)


def operations(text):
    """How many + - * / the statements of a text contain (a minus sign before a name is none)."""
    return sum(isinstance(node, ast.BinOp) for node in ast.walk(ast.parse(text)))


def recorded_euler_term(I, s):
    """The assignment-statement file of the example, as a program: tau_out = (v × I v)·s, as in RBDA Table 10.3."""
    recorder = Recorder(3)
    v = np.array([Recorded(recorder, k) for k in range(3)], dtype=object)
    w = I @ v
    p = np.array([v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]])
    outputs = (Result("tau_out", (), ((p @ s).operand,)),)
    return Program((Argument("v", (3,)),), tuple(recorder.assignments), outputs)


def rules_that_apply(program):
    """Assignments of a program to which one of the four rules of RBDA 10.4 still applies."""
    used = {x for _, operands in program.assignments for x in operands if isinstance(x, int)}
    used |= {x for result in program.outputs for x in result.entries}
    found = []
    for k, (operation, operands) in enumerate(program.assignments, start=program.input_size):
        neutral = {"+": [(0, 0), (1, 0)], "-": [(0, 0), (1, 0)], "*": [(0, 0), (1, 0), (0, 1), (1, 1)],
                   "/": [(0, 0), (1, 1)], "neg": []}[operation]                     # (operand, number)
        if (k not in used or all(isinstance(x, float) for x in operands)
                or any(isinstance(operands[j], float) and operands[j] == x for j, x in neutral)):
            found.append((k, operation, operands))
    return found


def zeros_and_ones(seed, length=80):
    """A program whose constants are often 0 or 1, as those of a model are."""
    rng = np.random.default_rng(seed)
    assignments = []
    for k in range(4, 4 + length):
        operands = [int(rng.integers(max(0, k - 15), k)) if rng.random() < 0.6 else float(rng.choice([0, 1, 0.5, 3]))
                    for _ in range(2)]
        operation = str(rng.choice(["+", "*", "*", "-"]))
        if operation == "-" and operands[0] == 0.0 and isinstance(operands[0], float):
            operands[0] = 2.0
        assignments.append(Assignment(operation, tuple(operands)))
    outputs = (Result("y", (3,), (length + 1, length + 2, length + 3)),)
    return Program((Argument("x", (4,)),), tuple(assignments), outputs)


@pytest.mark.source("RBDA-T10.3", "RBDA-A10.u1")
def test_the_example_is_reproduced_statement_by_statement():
    program = from_text(HEADER + ASSIGNMENTS)
    for book in (True, False):
        assert to_text(simplify(program, book_rules_only=book)) == HEADER + SOURCE_CODE
    assert operations(ASSIGNMENTS) == program.count().total() == 29
    assert program.count() == {"m": 18, "a": 11}            # 9m + 6a, 6m + 3a and 3m + 2a
    assert operations(SOURCE_CODE) == simplify(program).count().total() == 5
    recorded = to_text(recorded_euler_term(INERTIA, AXIS))              # but for the names of temporary variables
    own, names = (re.findall(r"^(\w+) =", text, re.MULTILINE) for text in (recorded, ASSIGNMENTS))
    names = dict(zip(own, names, strict=True))
    assert re.sub(r"tmp\d+", lambda name: names[name[0]], recorded) == HEADER + ASSIGNMENTS
    v = np.array([0.3, -1.1, 0.7])
    for text in (ASSIGNMENTS, SOURCE_CODE):
        assert_allclose(run(text, v=v)["tau_out"], np.cross(v, INERTIA @ v) @ AXIS, rtol=0, atol=1e-15)
    assert_allclose(from_text(HEADER + SOURCE_CODE).evaluate(v), [np.cross(v, INERTIA @ v) @ AXIS], rtol=0, atol=1e-15)


@pytest.mark.source("RBDA-S10.4-2")
def test_the_optimum_has_two_multiplications_and_the_simple_rules_find_nine_tenths_of_the_saving():
    names = {f"v{k}": sympy.Symbol(f"v{k}") for k in (1, 2, 3)}
    exec(re.sub(r"1\.(\d)", r"sympy.Rational(1\1, 10)", ASSIGNMENTS), {"sympy": sympy}, names)
    assert sympy.expand(names["tau_out"] - names["v1"] * names["v2"] / 10) == 0

    program = from_text(HEADER + ASSIGNMENTS)
    programs = program, simplify(program, book_rules_only=True), optimise(program)
    raw, simple, best = (p.count().total() for p in programs)
    assert optimise(program).count() == {"m": 2}
    assert (raw - simple, raw - best) == (24, 27)
    assert round(100 * (raw - simple) / (raw - best)) == 89 and raw / simple == 5.8
    assert_allclose(optimise(program).evaluate([3.0, 7.0, 5.0]), 0.1 * 3 * 7, rtol=1e-14)


@pytest.mark.source("RBDA-S10.4-1")
@pytest.mark.parametrize(("statements", "result"), [
    ("a = x1 + x2\nb = x1*x3\ny = b*2", "b = x1*x3\ny = b*2"),                          # never used
    ("a = x1*1\ny = a*a", "y = x1*x1"),                                                 # a copy of a variable
    ("a = 1*3\ny = a*x1", "y = 3*x1"),                                                  # a copy of a constant
    ("y = x1*0", "y = 0"), ("y = x1*1", "y = x1"), ("y = x1 + 0", "y = x1"), ("y = 0 + x1", "y = x1"),
    ("y = x1 - 0", "y = x1"), ("y = 0*x1 + x2", "y = x2"), ("y = x1/1", "y = x1"), ("y = 0/x1", "y = 0"),
    ("y = 2*3 + 4", "y = 10"), ("y = (2*3 - 4)*x1", "y = 2*x1"), ("y = sqrt(4)*x1", "y = 2*x1"),
    ("a = x1*0\nb = a + 1\nc = b*x2\nd = c - x2*0\ny = d", "y = x2"),                   # one rule after another
    ("a = x1*x2\nb = x2*x1\ny = a - b", "a = x1*x2\nb = x2*x1\ny = a - b"),             # and no more than the rules
    ("a = 2*x1\ny = 3*a", "a = 2*x1\ny = 3*a"), ("y = x1 - x1", "y = x1 - x1")])
def test_each_rule_of_the_section(statements, result):
    header = "# inputs: x(3)\n# outputs: y\n"
    assert to_text(simplify(from_text(header + statements), book_rules_only=True)) == header + result + "\n"


@pytest.mark.source("RBDA-S10.4-1", "RBDA-A10.u1")
def test_one_pass_leaves_nothing_to_which_a_rule_applies():
    for seed in range(15):
        program = zeros_and_ones(seed)
        simpler = simplify(program, book_rules_only=True)
        assert rules_that_apply(program) and not rules_that_apply(simpler), seed
        assert len(simpler.assignments) < len(program.assignments) / 2
        assert repr(simplify(simpler, book_rules_only=True)) == repr(simpler), seed
        x = np.random.default_rng(seed).normal(size=4)
        expected = output(run(to_text(program), x=x), "y", 3)
        for shorter in (simpler, simplify(program)):
            assert_allclose(output(run(to_text(shorter), x=x), "y", 3), expected, rtol=1e-12, err_msg=f"seed {seed}")


@pytest.mark.slow
@pytest.mark.source("RBDA-F10.6")
def test_the_stages_of_the_process_pass_files_to_each_other(tmp_path):
    """Algorithm and model → executer → file of assignment statements → simplifier → source code, which runs."""
    model = load("puma560")
    save(record(rnea, model, simplified=False).program, tmp_path / "assignments.txt")
    simplified = simplify(load_program(tmp_path / "assignments.txt"))
    (tmp_path / "source.py").write_text(to_text(simplified), encoding="utf-8")

    state = model.random_state(np.random.default_rng(5))
    q, qd, qdd = state[0], state[1], np.linspace(-1, 1, 6)
    texts = [(tmp_path / name).read_text(encoding="utf-8") for name in ("source.py", "assignments.txt")]
    assert_allclose(output(run(texts[0], q=q, qd=qd, qdd=qdd), "tau", 6), rnea(model, q, qd, qdd), rtol=0, atol=1e-10)
    assert operations(texts[0]) < operations(texts[1]) / 6


@pytest.mark.slow
@pytest.mark.source("RBDA-A10.u1")
@pytest.mark.parametrize(("function", "name", "given"), [(rnea, "tau", 3), (crba, "H", 1), (aba, "qdd", 3)])
def test_generated_code_of_a_robot_computes_what_the_algorithm_does(function, name, given):
    model, rng = load("puma560"), np.random.default_rng(11)
    recordings = {simplified: record(function, model, simplified=simplified).program for simplified in (True, False)}
    assert repr(simplify(recordings[False])) == repr(recordings[True])
    programs = [recordings[False], simplify(recordings[False], True), recordings[True], optimise(recordings[True])]
    costs = [program.count().total() for program in programs]
    assert costs == sorted(costs, reverse=True) and costs[1] < costs[0] / 4
    state = rng.uniform(-1, 1, (given, 6))
    expected = function(model, *state)
    inputs = dict(zip((argument.name for argument in programs[0].inputs), state, strict=True))
    for program in programs:
        assert [result.name for result in program.outputs] == [name]
        actual = output(run(to_text(program), **inputs), name, expected.shape)
        assert_allclose(actual, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.source("RBDA-S10.4-3")
def test_the_saving_depends_on_the_zeros_of_the_model():
    """The example with a full I and s saves nothing at all; planar chains save far more than tenfold."""
    rng = np.random.default_rng(2)
    full = recorded_euler_term(rng.normal(size=(3, 3)), rng.normal(size=3))
    assert full.count().total() == simplify(full, book_rules_only=True).count().total() == 29
    saved = {}
    for zeros, model in (("many", auto_tree(5)), ("some", load("ur5e")), ("few", gu(6))):
        program = record(aba, model, simplified=False).program
        saved[zeros] = program.count().total() / simplify(program, book_rules_only=True).count().total()
    assert saved["many"] > 10 > saved["some"] > 1.3 * saved["few"] > 1.3
    programs = [record(rnea, gu(n)).program for n in (2, 4, 8, 16)]            # code grows as the operations do
    sizes = [len(to_text(program)) / program.count().total() for program in programs]
    assert max(sizes) < 1.3 * min(sizes)


@pytest.mark.source("RBDA-Q10.3")
def test_parameters_that_the_model_leaves_open_become_inputs():
    open_model = load("double_pendulum", symbolic=True)
    names = sorted(str(symbol) for symbol in open_model.parameters)
    program = record(rnea, open_model, parameters=names).program
    assert [argument.name for argument in program.inputs] == ["q", "qd", "qdd", *names]
    q, qd, qdd = np.random.default_rng(4).normal(size=(3, 2))
    # two point masses on rods, by Lagrange's equations on paper
    l1, l2, m1, m2, g = 0.7, 0.4, 1.3, 2.5, 9.0
    h, k, far = m2 * l1 * l2 * np.cos(q[1]), m2 * l1 * l2 * np.sin(q[1]), m2 * g * l2 * np.sin(q.sum())
    H = np.array([[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * h, m2 * l2**2 + h], [m2 * l2**2 + h, m2 * l2**2]])
    C = [-k * (2 * qd[0] + qd[1]) * qd[1] + (m1 + m2) * g * l1 * np.sin(q[0]) + far, k * qd[0]**2 + far]
    tau = output(run(to_text(program), q=q, qd=qd, qdd=qdd, l1=l1, l2=l2, m1=m1, m2=m2, g=g), "tau", 2)
    assert_allclose(tau, H @ qdd + C, rtol=0, atol=1e-12 * np.abs(tau).max())
    # executer and simplifier may be one program, without a file between them
    for function in (rnea, aba):
        separate = simplify(from_text(to_text(record(function, load("cart_pole"), simplified=False).program)))
        together = record(function, load("cart_pole")).program
        assert together.count() == separate.count()
        x = np.random.default_rng(8).normal(size=together.input_size)
        assert_allclose(together.evaluate(x), separate.evaluate(x), rtol=1e-12)
