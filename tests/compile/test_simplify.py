"""The symbolic simplifier: the same values by fewer operations, whatever the program."""

import cProfile
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from rbdlib.compile.program import Argument, Assignment, Program, Recorder, Result
from rbdlib.compile.simplify import Simplifier, simplify, without_unused

DYADIC = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0)                    # exact in floats, and their reciprocals too


def random_program(seed, length=60, operations="+-*", constants=DYADIC, inputs=4, near=12):
    """A program of random operations on the last few variables and random constants, with three outputs and a number.
    operations: "+", "-", "*", "/" (by an input or 2), "n" (a change of sign), "s" (a sine) and "c" (a cosine)."""
    rng = np.random.default_rng(seed)
    names = {"n": "neg", "s": "sin", "c": "cos"}
    assignments = []
    for k in range(inputs, inputs + length):
        operation = str(rng.choice(list(operations)))
        share = 1.0 if operation in names else 0.75                     # of variables among the operands
        operands = [int(rng.integers(max(0, k - near), k)) if rng.random() < share else float(rng.choice(constants))
                    for _ in range(1 if operation in names else 2)]
        if operation == "/":
            operands[1] = int(rng.integers(inputs)) if isinstance(operands[1], int) else 2.0    # never zero
        assignments.append(Assignment(names.get(operation, operation), tuple(operands)))
    outputs = Result("y", (3,), tuple(range(inputs + length - 3, inputs + length))), Result("z", (), (-0.5,))
    return Program((Argument("x", (inputs,)),), tuple(assignments), outputs)


def evaluate(program, inputs, number=Fraction):
    """The outputs by an interpreter of its own: numbers become those of the given kind, such as exact fractions."""
    values = [number(x) for x in inputs]
    apply = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
             "neg": lambda x: -x, "sin": mpmath.sin, "cos": mpmath.cos, "sqrt": mpmath.sqrt}
    for operation, operands in program.assignments:
        values.append(apply[operation](*(values[x] if isinstance(x, int) else number(x) for x in operands)))
    return [values[x] if isinstance(x, int) else number(x) for result in program.outputs for x in result.entries]


def require_well_formed(program):
    """Every operand is computed before it is used, and everything computed is used."""
    first, used = program.input_size, {x for result in program.outputs for x in result.entries if isinstance(x, int)}
    for k, done in enumerate(program.assignments):
        assert all(isinstance(x, float) or 0 <= x < first + k for x in done.operands)
        used.update(x for x in done.operands if isinstance(x, int))
    assert used >= set(range(first, first + len(program.assignments)))
    assert all(first <= x < first + len(program.assignments) for x in program.names)


def program_of(*outputs, inputs=3):
    """A program from nested tuples such as ("+", 0, ("*", 1, 2.0)), written down without any simplification."""
    recorder = Recorder(inputs)

    def operand(x):
        return recorder.emit(x[0], *map(operand, x[1:])) if isinstance(x, tuple) else x

    entries = tuple(map(operand, outputs))
    return Program((Argument("x", (inputs,)),), tuple(recorder.assignments), (Result("y", (len(outputs),), entries),))


def test_random_programs_keep_their_exact_values_and_get_no_longer_recorded_by_a_simplifier_or_not():
    for seed in range(40):
        program = random_program(seed, operations="+-*n")
        for book in (False, True):
            simpler = simplify(program, book_rules_only=book)
            require_well_formed(simpler)
            assert simpler.count().total() <= program.count().total(), seed
            for x in ([3, -5, Fraction(7, 3), 11], [Fraction(1, 7), 2, -13, 0]):
                assert evaluate(simpler, x) == evaluate(program, x), seed
            assert repr(simplify(simpler, book_rules_only=book)) == repr(simpler), seed
    program = random_program(5)
    recorder, now = Simplifier(program.input_size), list(range(program.input_size))
    for operation, operands in program.assignments:
        now.append(recorder.emit(operation, *(now[x] if isinstance(x, int) else x for x in operands)))
    outputs = tuple(Result(name, shape, tuple(now[x] if isinstance(x, int) else x for x in entries))
                    for name, shape, entries in program.outputs)
    recorded = without_unused(Program(program.inputs, tuple(recorder.assignments), outputs))
    assert repr(recorded) == repr(simplify(program))


def test_formulas_with_divisions_and_angles_keep_their_values():
    with mpmath.workdps(40):
        x = [mpmath.mpf(k) / 7 for k in (3, 5, -9, 13)]
        for seed in range(40):
            program = random_program(seed, length=25, operations="+-*/nsc", constants=(-1.5, 0.7, 1.0, 2.0))
            simpler = simplify(program)
            require_well_formed(simpler)
            assert simpler.count().total() <= program.count().total(), seed
            assert repr(simplify(simpler)) == repr(simpler), seed
            for a, b in zip(evaluate(simpler, x, mpmath.mpf), evaluate(program, x, mpmath.mpf), strict=True):
                assert abs(a - b) <= 1e-12 * (1 + abs(b)), seed


@pytest.mark.parametrize(("of_the_book", "formulas"), [
    (True, [(("+", 0, 0.0), 0), (("+", 0.0, 0), 0), (("-", 0, 0.0), 0), (("*", 0, 1.0), 0), (("*", 1.0, 0), 0),
            (("*", 0, 0.0), 0.0), (("/", 0, 1.0), 0), (("/", 0.0, 0), 0.0), (("sin", 0.0), 0.0), (("cos", -0.0), 1.0),
            (("+", 1.5, 2.0), 3.5), (("sqrt", 2.25), 1.5)]),
    (False, [(("-", 0, 0), 0.0), (("/", 0, 0), 1.0), (("neg", ("neg", 0)), 0), (("-", ("+", 0, 1), 1), 0),
             (("-", ("+", 0, 1), 0), 1), (("+", ("-", 0, 1), 1), 0), (("+", 1, ("-", 0, 1)), 0),
             (("-", 0, ("-", 0, 1)), 1), (("*", ("/", 0, 1), 1), 0), (("/", ("*", 0, 1), 1), 0),
             (("/", 1.0, ("/", 1.0, 0)), 0), (("*", -1.0, ("neg", 0)), 0), (("neg", ("-", 0, ("+", 0, 1))), 1),
             (("neg", ("-", ("-", 0, 1), 0)), 1)])])
def test_the_rules_of_the_book_are_applied_with_and_without_the_others_and_what_cancels_vanishes(of_the_book, formulas):
    for formula, result in formulas:
        simpler, by_the_book = (simplify(program_of(formula), book_rules_only=book) for book in (False, True))
        assert simpler.assignments == () and repr(simpler.outputs[0].entries) == repr((result,)), formula
        assert repr(by_the_book) == repr(simpler) if of_the_book else by_the_book.assignments != (), formula


@pytest.mark.parametrize(("formulas", "operations"), [
    ([("+", 0, 1), ("+", 1, 0)], ["+"]),                                            # equal operations
    ([("-", 0, 1), ("-", 1, 0)], ["-", "neg"]),
    ([("+", 0, ("neg", 1))], ["-"]),                                                # signs
    ([("*", ("neg", 0), ("neg", 1))], ["*"]),
    ([("cos", ("neg", 0)), ("cos", 0)], ["cos"]),
    ([("-", 1, ("sin", ("neg", 0)))], ["sin", "+"]), ([("/", ("neg", 0), ("neg", 1))], ["/"]),
    ([("+", -2.0, 0)], ["-"]), ([("-", 0, -2.0)], ["+"]),
    ([("*", 2.0, ("*", 3.0, 0))], ["*"]), ([("/", ("*", 3.0, 0), 2.0)], ["*"]),     # constants meet
    ([("/", 1.0, 0), ("/", 1, 0)], ["/", "*"]),                                     # one division
])
def test_what_each_further_rule_saves(formulas, operations):
    assert [done.operation for done in simplify(program_of(*formulas)).assignments] == operations
    book = simplify(program_of(*formulas), book_rules_only=True)
    assert len(book.assignments) > len(operations) or [done.operation for done in book.assignments] != operations


def test_unused_assignments_go_names_stay_and_divisions_by_a_constant_become_multiplications():
    program = program_of(("+", 0, 1), ("*", ("sin", 0), 2))
    kept = Program(program.inputs, program.assignments, (Result("y", (), program.outputs[0].entries[:1]),),
                   {3: "sum", 4: "gone"})
    assert [done.operation for done in without_unused(kept).assignments] == ["+"]
    assert without_unused(kept).names == simplify(kept).names == {3: "sum"}
    program = program_of(("*", ("*", 1.0, 0), ("+", 1, 2)))
    named = Program(program.inputs, program.assignments, program.outputs, {3: "copy", 4: "sum", 5: "product"})
    assert simplify(named).names == {3: "sum", 4: "product"}
    simpler = simplify(program_of(("*", 2.0, 1), ("*", 2, 1), ("+", 1.0, 0), ("+", 1, 0), ("/", 0, 2), ("/", 0, 2.0)))
    assert simpler.evaluate([3.0, 5.0, 7.0]) == [10.0, 35.0, 4.0, 8.0, 3.0 / 7.0, 1.5]
    simpler = simplify(program_of(("*", 0, -0.0), ("neg", ("*", 0, 0.0)), -0.0))
    assert repr(simpler.outputs[0].entries) == "(0.0, 0.0, 0.0)"
    assert simplify(program_of(("/", 0, 3.0))).assignments == (Assignment("*", (1 / 3, 0)),)
    for extreme in (5e-324, 1.7e308):
        assert simplify(program_of(("/", 0, extreme))).assignments == (Assignment("/", (0, extreme)),)
    tiny = program_of(("*", 1e-200, ("*", 1e-200, 0)))
    assert simplify(tiny).evaluate([1e300, 0.0, 0.0]) == [1e-100]


@pytest.mark.parametrize(("error", "message", "formulas"), [
    (ValueError, "must be finite", [("+", 0, np.nan), ("*", np.inf, 0), ("*", 1e200, ("*", 1e200, 2.0)),
                                    ("sqrt", -1.0), ("-", np.inf, np.inf), ("/", 1.0, np.inf)]),
    (ZeroDivisionError, "constant that is zero", [("/", 0, 0.0), ("/", 1.0, -0.0), ("/", 0, ("*", 0.0, 1))])])
def test_divisors_that_are_zero_and_constants_that_are_not_finite_are_refused(error, message, formulas):
    for formula in formulas:
        for book in (False, True):
            with pytest.raises(error, match=message):
                simplify(program_of(formula), book_rules_only=book)
    with pytest.raises(ZeroDivisionError, match="constant that is zero"):
        simplify(program_of(("/", 1.0, ("-", 0, 0))))


def test_the_work_grows_as_the_length_does():
    calls = []
    for length in (400, 1_600):
        program = random_program(1, length, operations="+-*n", constants=(0.5, 0.7, 3.0), near=200)
        calls.append(calls_of(lambda program=program: simplify(program)))
    assert calls[1] < 6 * calls[0]


def calls_of(function):
    """How many calls of functions Python makes: work, counted independently of what else the machine does."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats())
