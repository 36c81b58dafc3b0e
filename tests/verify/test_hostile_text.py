"""Hostile and careless texts are refused with a place and a remedy, at once and in little memory; none gets through."""

import random
import time
import tracemalloc

import mpmath
import numpy as np
import pytest
import sympy
from sympy.physics import units

from rbdlib.verification.notation.reading import Unreadable, read
from rbdlib.verification.notation.sympy_reading import from_sympy
from rbdlib.verification.trees import expression as expr
from rbdlib.verification.trees.expression import Symbol, evaluate, symbols, to_latex, to_text
from tests.verify import TABLES

LARGE = {
    "nested brackets": "(" * 5000 + "x" + ")" * 5000, "nested fractions": r"\frac{" * 20_000,
    "primes": "x" + "'" * 100_000, "indices": "x" + "_1" * 50_000, "nested indices": "x_{" * 30_000,
    "bars": "|" * 50_000, "powers": "2" + "^2" * 30_000, "tower": "m^" * 3000 + "m",
    "exponent": "1e999999999999", "too long": "x" * 300_000, "long environment": r"\begin{" + "a" * 100_000 + "}",
    "signs": "-" * 100_000 + "x", "strokes": "a/" * 60_000 + "a",
    "some strokes": "a/" * 2000 + "a", "some brackets": "(" * 45 + "x" + ")" * 45, "commas": "," * 100_000,
    "dollars": "$" * 100_001, "lines": "a\n" * 10_000, "matrices": r"\begin{matrix}" * 10_000,
    "many entries": "[" + ",".join(["a"] * 5000) + "]", "matrix product": "*".join(["[[a,b],[c,d]]"] * 1000),
    "spacing commands": r"\label{" * 25_000, "gaps": r"a=b \quad " * 16_000, "words between": "a = b where " * 10_000,
    "names of matrices": "".join(f"A{i} = [a, b]\n" for i in range(2_000)), "empty groups": "{}^" * 60_000,
    "indices in front": r"\theta = {}" + "^{2}_{3}" * 20_000,
    "equations in arrays": r"\begin{array}{l} a = b \end{array}" * 2_000,
    "inverse": "[" + ",".join("[" + ",".join(["a"] * 40) + "]" for _ in range(40)) + "]^-1",
    "subscripts of sines": "s_{" + "1+" * 60_000 + "2}", "units": "2 kg " * 20_000,
    "arguments": "M(" + "q," * 60_000 + "q)"}
#: Those that take longest to be refused.
LONGEST = ("units", "bars", "gaps", "names of matrices", "strokes", "words between", "lines", "empty groups", "signs",
           "arguments", "subscripts of sines", "indices in front", "spacing commands", "nested indices",
           "nested fractions")
ODD = {
    "x + \u202eb": "U\\+202E, right-to-left override", "a\u200bb": "U\\+200B, zero width space",
    "a\u00adb": "U\\+00AD, soft hyphen", "x\x00": "invisible character here .U\\+0000", "\ud800": "U\\+D800",
    "m*\u0430": "cyrillic small letter a", "\u03bfmega": "greek small letter omicron", "１ + x": "fullwidth digit one",
    "٣x": "arabic-indic digit three", "x + 😀": "has no meaning here", "z\u0336": "has no meaning here",
    "x° y": "radians"}
CARELESS = dict(TABLES["careless"])


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONGEST)) for name in LARGE])
def test_large_texts_are_refused_within_a_second(name):
    started = time.process_time()
    with pytest.raises(Unreadable) as refused:
        read(LARGE[name])
    assert time.process_time() - started < 10, "it takes less than a second"
    assert len(str(refused.value)) < 600


@pytest.mark.slow
@pytest.mark.parametrize("name", ["powers", pytest.param("strokes", marks=pytest.mark.long)])
def test_large_texts_take_little_memory(name):
    tracemalloc.start()
    with pytest.raises(Unreadable):
        read(LARGE[name])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize("text", ODD)
def test_characters_that_deceive_are_named(text):
    with pytest.raises(Unreadable, match=ODD[text]) as refused:
        read(text)
    assert str(refused.value).split("\n")[1].isprintable() and "^" in str(refused.value)


@pytest.mark.parametrize("text", CARELESS)
def test_slips_are_refused_with_place_and_remedy(text):
    with pytest.raises(Unreadable, match=CARELESS[text]) as refused:
        read(text)
    assert refused.value.position is not None and 0 <= refused.value.position <= len(text)
    assert "cannot be read at" in str(refused.value) and str(refused.value).endswith((".", "?"))


def test_the_mark_stands_under_the_place_and_values_without_end_are_undefined_at_once():
    for text, where in (("T = a\nV = m*g + )", "line 2, column 11"), ("a + " * 500 + ") + " + "b + " * 500, "")):
        with pytest.raises(Unreadable) as refused:
            read(text)
        place, line, mark, _ = str(refused.value).split("\n")
        assert where in place and line[mark.index("^")] == ")" and len(line) < 90

    started = time.process_time()
    for text in ("9^9^9^9^9", "exp(exp(exp(exp(9))))", "1e300*1e300", "1/(x-x)", "sqrt(-x)", "log(-x)", "asin(2)",
                 "(-x)^(1/2)", "tan(pi/2)*0 + 1/0", "0^(-1)", "9^(9^40)"):
        with pytest.raises(expr.Undefined):
            evaluate(read(text).trees[0], {Symbol("x"): mpmath.mpf(2)})
    assert time.process_time() - started < 5, "they take less than half a second together"


def test_nothing_random_ends_otherwise_than_read_or_refused():
    rng = random.Random(8)
    signs = [*"abxq12()[]{}^_'*/+-=,;|& \n.$\\θ²√∂₁", r"\frac", r"\dot", r"\sin", r"\theta", "d/dt", "\\\\", "sin",
             "sqrt(", r"\begin{matrix}", r"\end{matrix}", r"\mathrm{d}", "dL/dq1", r"\left", "e^", "Derivative(",
             "Matrix(", "^T"]
    read_at_all = 0
    for _ in range(2000):
        text = "".join(rng.choice(signs) for _ in range(rng.randint(1, 15)))
        try:
            trees = read(text).trees
        except Unreadable:
            continue
        read_at_all += 1
        for tree in trees:
            assert read(to_text(tree)).trees == (tree,), text
            assert symbols(read(to_latex(tree)).trees[0]) == symbols(tree), text
    assert read_at_all > 50


@pytest.mark.slow
def test_a_large_honest_answer_is_read_in_time():
    text = " + ".join(f"m{i % 6 + 1}*l{i % 5 + 1}**2*sin(q{i % 6 + 1} - q1)*qd2*qdd{i % 3 + 1}" for i in range(2500))
    started = time.process_time()
    (tree,) = read(text).trees
    assert len(tree.operands) == 2500 and time.process_time() - started < 20, "it takes less than two seconds"


@pytest.mark.parametrize("given", [
    None, True, 1j, b"x", {1, 2}, object(), float("nan"), float("inf"), [[[["a"]]]], [[], []], ["a", None], 10**400,
    sympy.I * 2, sympy.oo, sympy.Eq(1, 1), sympy.Symbol("x") < 2, sympy.Function("f")(1), sympy.Symbol("x+y"),
    [np.sin, "a"], {"a": ["b", "c = d"]}, [["a", "b"], ["c"]], float, sympy.zeros(0, 0), [1] * 2501, units.volt * 2])
def test_what_is_no_answer_is_refused(given):
    with pytest.raises(Unreadable):
        read(given)


def test_expressions_that_share_parts_stay_small():
    x = sympy.Symbol("x")
    tower = x
    for _ in range(22):
        tower = sympy.sin(tower) + sympy.cos(tower)
    tree = from_sympy(tower)
    assert expr.written_size(tree) > 2**22 and abs(evaluate(tree, {Symbol("x"): 0.5})) < 2
    with pytest.raises(expr.TooLarge):
        to_text(tree)
    with pytest.raises(Unreadable, match="nested"):
        for _ in range(40):
            tower = sympy.sin(tower)
        read(tower)


@pytest.mark.parametrize("make", [lambda: sympy.zeros(300, 300),
                                  lambda: sympy.SparseMatrix(10_000, 10_000, {(0, 0): 1}),
                                  lambda: sympy.Add(*sympy.symbols("a:20000"), evaluate=False)])
def test_large_sympy_objects_are_refused_at_once(make):
    large, started = make(), time.process_time()
    with pytest.raises(Unreadable, match="more than"):
        read(large)
    assert time.process_time() - started < 5, "it takes less than half a second"
