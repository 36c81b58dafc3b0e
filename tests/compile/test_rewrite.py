"""Collecting, factoring and sharing: the same values by fewer operations than the rules of the book leave."""

import random
from fractions import Fraction

import pytest

from rbdlib import aba, crba, load, rnea
from rbdlib.arithmetic import typed
from rbdlib.compile.executer import record
from rbdlib.compile.program import Argument, Program, Result
from rbdlib.compile.rewrite import optimise, rewritten
from rbdlib.compile.simplify import simplify
from rbdlib.compile.text import from_text, to_text
from rbdlib.methods.generators import gu
from tests.compile.test_simplify import calls_of, evaluate, program_of, random_program, require_well_formed

A_B, A_C = ("*", 0, 1), ("*", 0, 2)


def test_random_programs_keep_their_values_and_get_no_longer():
    for seed in range(40):
        program = random_program(seed, operations="+-*n" if seed % 2 else "++-*", length=40)
        shorter = optimise(program)
        require_well_formed(shorter)
        assert shorter.count().total() <= simplify(program).count().total(), seed
        for x in ([3, -5, Fraction(7, 3), 11], [Fraction(1, 7), 2, -13, 0]):
            assert evaluate(shorter, x) == evaluate(rewritten(simplify(program)), x) == evaluate(program, x), seed
        assert repr(optimise(shorter)) == repr(shorter), seed
    for seed in range(30):
        program = random_program(seed, operations="+-*/nsc", constants=(0.7, -1.3, 2.0), length=30)
        shorter = optimise(program)
        require_well_formed(shorter)
        rng = random.Random(seed)
        for _ in range(3):
            x = [rng.uniform(0.5, 2) for _ in range(4)]
            assert shorter.evaluate(x) == pytest.approx(program.evaluate(x), rel=1e-9, abs=1e-9), seed


@pytest.mark.parametrize(("formulas", "operations"), [
    ([("+", A_B, A_C)], 2),                                                         # a(b + c)
    ([("-", ("-", A_B, 1), A_C)], 3),
    ([("-", ("neg", A_B), A_C)], 2),
    ([("+", ("*", ("*", 0, 1), 2), ("*", 0, 3))], 3),                               # a(bc + d)
    ([("+", ("*", 0.3, 0), ("*", 0.3, 1))], 2),                                     # constants are factors
    ([("-", ("*", 0.3, 0), ("*", 0.3, ("+", 1, 2)))], 3),
    ([("+", ("*", 0.3, 0), ("*", 0.4, 0))], 1),                                     # like terms
    ([("+", ("*", 0.3, 0), ("+", 1, 0))], 2),
    ([("-", ("+", ("+", 0, 1), 2), 1)], 1),                                         # what cancels further away
    ([("-", ("*", ("*", 1.6, 1), 0), ("*", ("*", 1.5, 0), 1))], 2),                 # the optimum of RBDA Table 10.3
    ([("+", ("+", ("-", ("*", A_B, 3), ("*", 0, ("*", 1, 3))),
                  ("-", ("*", A_C, 3), ("*", 0, ("*", 2, 3)))), ("*", 0, 4))], 1),   # what cancels once a is outside
    ([("+", ("+", 1.5, ("+", 0, 1)), 2.5)], 2),                                     # constants in a sum
    ([("-", 1.5, ("-", 2.5, 0))], 1),
    ([("*", 2.0, ("+", ("*", 0.5, 0), 1))], 2),
    ([("+", ("+", 0, 1), 2), ("+", ("+", 0, 2), 3)], 3),                            # pairs that sums have in common
    ([("-", ("+", 0, 1), 2), ("-", ("-", 3, 0), 1)], 3),
    ([("+", 0, 1), ("+", ("+", 2, 1), 0)], 2),
    ([("+", ("*", 0.3, 0), 1), ("+", ("*", 0.3, 0), ("*", 0.4, 0))], 3),            # also of what is needed elsewhere
    ([A_B, A_C, ("+", A_B, A_C), ("+", ("*", 3, 4), ("*", 3, 5))], 5),              # ab and ac are needed themselves
    ([("*", 0.3, 0), ("*", 0.3, 1), ("+", ("*", 0.3, 0), ("*", 0.3, 1)), ("+", ("*", 3, 4), ("*", 3, 5))], 5)])
def test_what_each_rewriting_saves(formulas, operations):
    program = program_of(*formulas, inputs=6)
    shorter = optimise(program)
    assert shorter.count().total() == operations < simplify(program).count().total()
    x = [1.25, -3.5, 0.7, 2.1, -0.3, 9.1]
    assert shorter.evaluate(x) == pytest.approx(program.evaluate(x), rel=1e-14)


def test_a_long_sum_is_factored_whole_names_stay_and_numbers_at_the_edge_of_the_range_are_not_multiplied_out():
    formula = 0.0
    for i in range(8):
        for j in range(8, 16):
            formula = ("+", formula, ("*", i, j))
    assert simplify(program_of(formula, inputs=16)).count() == {"m": 64, "a": 63}
    assert optimise(program_of(formula, inputs=16)).count() == {"m": 1, "a": 14}
    program = record(crba, typed(gu(5))).program
    assert optimise(program).count().total() <= 0.98 * program.count().total()
    program = from_text("# inputs: x(3)\n# outputs: y\na = x1*x2\nb = x1*x3\nc = sin(a + b)\ny = c*c\n")
    assert to_text(optimise(program)).splitlines()[2:] == ["tmp001 = x2 + x3", "c = sin(x1*tmp001)", "y = c*c"]
    for inner in (1e-200, 1e200):
        program = program_of(("*", inner, ("*", inner, 0)), ("*", ("*", inner, 1), ("*", inner, 2)))
        x = [1 / inner, 1 / inner, 1.0]
        assert optimise(program).evaluate(x) == pytest.approx(program.evaluate(x), rel=1e-15)
    program = program_of(("-", ("*", 1e-300, ("+", ("*", 1e-21, 0), 1)), ("*", 1e-300, 1)))     # 1e-321 has 3 digits
    assert optimise(program).evaluate([1.25e30, 0.0, 0.0]) == pytest.approx([1.25e-291], rel=1e-14, abs=0)
    assert optimise(program_of(("+", ("*", 1e308, 0), ("*", 1e308, 0)))).evaluate([0.5, 0, 0]) == [1e308]
    program = program_of(0, 2.5, ("-", ("+", ("+", 0, 1), 2), ("+", 0, ("+", 1, 2))), ("neg", 1))
    assert optimise(program).outputs[0].entries[:3] == (0, 2.5, 0.0)
    empty = Program((Argument("x", (0,)),), (), (Result("y", (0,), ()),))
    assert optimise(empty) == empty


@pytest.mark.parametrize("make", [lambda model: model, typed])
@pytest.mark.parametrize("function", [rnea, crba, aba])
def test_algorithms_get_shorter_and_stay_accurate(function, make):
    for model in (gu(4), load("double_pendulum")):
        program, rng = record(function, make(model)).program, random.Random(7)
        shorter = optimise(program)
        require_well_formed(shorter)
        assert shorter.count().total() <= program.count().total()
        for _ in range(3):
            x = [rng.uniform(-2, 2) for _ in range(program.input_size)]
            expected = program.evaluate(x)
            assert shorter.evaluate(x) == pytest.approx(expected, rel=0, abs=1e-12 * max(map(abs, expected)))


@pytest.mark.slow
@pytest.mark.parametrize(("term", "share"), [
    (lambda k: f"x{k % 40 + 1}*x{k // 40 % 40 + 1}", 0.9),                          # much in common
    (lambda k: f"x{k + 2}", 1.0),                                                   # nothing
    (lambda k: f"x{k // 2 + 2}*x{k + 1_200}", 0.8)], ids=["much", "nothing", "pairs"])
def test_the_work_grows_as_the_length_does_also_for_a_single_long_sum(term, share):
    calls = []
    for count in (200, 1_200):
        lines = ["t0 = x1", *(f"t{k + 1} = t{k} + {term(k)}" for k in range(count)), f"y = t{count}"]
        program, found = from_text("\n".join([f"# inputs: x({count + 1_300})", "# outputs: y", *lines])), []
        calls.append(calls_of(lambda program=program, found=found: found.append(optimise(program))))
        assert found[0].count().total() <= share * program.count().total()
    assert calls[1] < 24 * calls[0]                                 # 36 would be the square
