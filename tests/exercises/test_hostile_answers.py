"""Answers that nobody should trust: text, endless or huge things, odd objects. Each gets a sentence, and quickly."""

import builtins
import time
from decimal import Decimal
from fractions import Fraction
from itertools import count

import mpmath
import numpy as np
import pytest
import sympy as sp

from rbdlib.exercises import Exercise, grade_exercise

TRAP = "__import__('builtins').hacked.append(1)"
IDENTITY = {"reference": lambda x: x, "kind": "function", "inputs": lambda rng: (rng.random(),)}
q1, q2 = sp.symbols("q1 q2")


def report(answer, reference=(1.0, 2.0, 3.0), **options):
    exercise = Exercise(id="9.1", title="A test", reference=reference, solution="None.", hints=("One.", "Two."),
                        mistakes=(), **options)
    start = time.process_time()
    result = grade_exercise(exercise, answer)
    assert time.process_time() - start < 20, "an answer must be refused quickly: it takes less than two seconds"
    return result


@pytest.fixture
def hacked(monkeypatch):
    """A list that stays empty unless some text is run as Python."""
    monkeypatch.setattr(builtins, "hacked", [], raising=False)
    return builtins.hacked


@pytest.mark.parametrize("answer", [
    TRAP, TRAP.encode(), [TRAP, 2, 3], np.array([TRAP, "2", "3"]), np.array(TRAP), (1, 2, bytearray(b"3")),
    "[1, 2, 3]"])
def test_text_is_refused_and_never_run(answer, hacked):
    result = report(answer)
    assert (result.correct, result.kind) == (False, "error") and not hacked
    assert "text, and numbers are wanted here" in result.message


@pytest.mark.parametrize("make", [
    lambda: report(sp.Symbol(TRAP)), lambda: report(sp.Symbol(TRAP), reference=q1 + 1),
    lambda: report(sp.Function(TRAP)(q1), reference=q1 + 1),
    lambda: report(lambda x: TRAP, **IDENTITY), lambda: report(TRAP, **IDENTITY),
    lambda: report(TRAP, reference="b", kind="word", choices={"a": "A", "b": "B"}), lambda: report({TRAP: TRAP})])
def test_names_and_words_are_not_run_either(make, hacked):
    result = make()
    assert not result.correct and not hacked and len(result.message) < 400


@pytest.mark.parametrize(("answer", "words"), [
    (float("nan"), "NaN"), ([1, float("nan"), 3], "at entry 2 is NaN"),
    ([[1, 2], [3, float("inf")]], "in row 2, column 2 is infinite"), ([1, 2, sp.nan], "at entry 3 is NaN"),
    ([1, 2, sp.oo], "infinite"), ([1, 2, Decimal("sNaN")], "NaN"), ([1, 2, 3 + 4e-9j], "imaginary part"),
    ([1, 2, 3 + sp.I], "imaginary unit"), ([1, 2, sp.sqrt(-2)], "imaginary unit"), ([1, 2, True], "truth value"),
    pytest.param(10 ** 5000, "too large", id="an integer of 5000 digits"),
    (sp.Integer(10) ** 400, "hundreds of digits"), ({1.0, 2.0, 3.0}, "a set, which has no order"),
    (count(), "not there yet"), ((i for i in [1, 2, 3]), "not there yet"),
    (object(), "Your answer is an object, which cannot be compared"), (print, "function print itself"),
    (sp.sin, "function sin itself"), (sp.Eq(q1, 2), "equation"), (q1 < 2, "equation or inequality"),
    (sp.MatrixSymbol("A", 3, 1), "abstract matrix"), ([], "empty"), ([0] * 10 ** 6, "more than 10000 entries"),
    ([[]] * 20_000, "more than 10000 entries"),
    (np.lib.stride_tricks.as_strided(np.zeros(1), (10 ** 6, 10 ** 6), (0, 0)), "more than 10000 entries"),
    (sp.SparseMatrix(10 ** 5, 10 ** 5, {}), "more than 10000 entries"), ([[[[[1]]]]], "nested too deeply"),
    (np.ma.array([1, 2, 3], mask=[0, 1, 0]), "masked"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), "not numbers")])
def test_what_cannot_be_compared_is_named(answer, words):
    result = report(answer)
    assert not result.correct and words in result.message and len(result.message) < 400


@pytest.mark.parametrize("answer", [
    [Fraction(1), Decimal(2), np.float32(3)], [np.int8(1), np.longdouble(2), mpmath.mpf(3)], mpmath.matrix([1, 2, 3]),
    sp.Array([1, 2, 3]), sp.ImmutableMatrix([1, 2, 3]), np.array([1 + 0j, 2, 3]),
    [np.array(1.0), np.array([2.0]).item(), sp.Float(3)]])
def test_numbers_of_every_kind_are_welcome(answer):
    assert report(answer).correct


class Container(list):
    """A list whose elements come from a function."""
    def __init__(self, elements):
        self.elements = elements

    def __iter__(self):
        return self.elements()


class Silent:
    def __str__(self):
        raise ValueError


def stop(error):
    raise error


def test_objects_that_never_end_or_fight_back():
    endless = []
    endless.append(endless)
    for answer, words in ((endless, "nested too deeply"), (Container(count), "more than 10000"), (Silent(), "Silent"),
                          (Container(lambda: stop(SyntaxError("no"))), "could not be read (SyntaxError)")):
        assert words in report(answer).message


def repeated(depth, step):
    expression = q1
    for _ in range(depth):
        expression = step(expression)
    return expression


@pytest.mark.parametrize("make", [
    lambda: repeated(25, lambda x: sp.sin(x) + sp.cos(x)),     # few nodes, whose tree has 2**25 leaves
    lambda: repeated(5000, lambda x: sp.sin(x, evaluate=False)),
    pytest.param(lambda: sp.Add(*[sp.Symbol(f"x{i}") for i in range(3000)]), marks=pytest.mark.slow),
    lambda: (1 + q1 + q2) ** 500,
    lambda: sp.Mul(*[(q1 + q2 + i) for i in range(40)]), lambda: sp.Pow(q1, 10 ** 12, evaluate=False),
    lambda: sp.Mul(q1 + q2, sp.Add(2, sp.Pow(sp.Rational(1, 3), 10 ** 9, evaluate=False), evaluate=False),
                   evaluate=False),                             # it takes for ever as soon as it is multiplied out
    lambda: sp.Pow(10, sp.Pow(10, 500, evaluate=False), evaluate=False), lambda: sp.exp(sp.exp(sp.exp(sp.exp(q1 + 9)))),
    lambda: sp.Integral(sp.sin(q1 ** q1), (q1, 0, q2)), lambda: sp.Piecewise((1, q1 > 0), (2, True)),
    lambda: sp.Derivative(sp.Function("q1")(q2), q2), lambda: 1 / (sp.sin(q1) ** 2 + sp.cos(q1) ** 2 - 1)])
def test_formulas_that_would_take_for_ever_are_judged_at_once(make):
    result = report(make(), reference=q1 + q2 * sp.cos(q1))
    assert not result.correct and 20 < len(result.message) < 700


@pytest.mark.parametrize("answer", [sp.exp(q1 + 2000), sp.exp(sp.exp(sp.exp(q1 + 9))), sp.sqrt(-2 - q1**2),
                                    1 / (q1 - sp.Symbol("q1", real=True)), sp.asin(2 + q1**2)])
def test_a_formula_without_a_value_is_told_so(answer):
    result = report(answer, reference=q1 + q2)
    assert (result.kind, "cannot be evaluated" in result.message) == ("error", True), result.message


def test_a_function_that_leaves_the_program_is_caught_but_can_be_interrupted_by_hand():
    assert "SystemExit" in report(lambda x: stop(SystemExit(3)), **IDENTITY).message
    with pytest.raises(KeyboardInterrupt):
        report(lambda x: stop(KeyboardInterrupt()), **IDENTITY)


def test_an_object_equal_to_everything_is_not_right():
    class Yes(float):
        def __eq__(self, other):
            return True

        def __sub__(self, other):
            return 0.0

        __hash__ = float.__hash__

    assert not report(Yes(7), reference=3.0).correct and not report([Yes(7), Yes(7), Yes(7)]).correct
