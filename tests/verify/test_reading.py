"""What learners write is read as what they mean: texts and LaTeX over a dozen systems, with values found otherwise."""

import math
import re
import tomllib
import zlib
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from rbdlib.verification.notation.reading import Unreadable, read
from rbdlib.verification.notation.sympy_reading import from_sympy
from rbdlib.verification.trees import expression as expr
from rbdlib.verification.trees.expression import Function, Number, Operation, Symbol, evaluate, symbols, to_text
from tests.verify import TABLES

TEXTS = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
ALL = {**TEXTS["plain"], **TEXTS["latex"]}
COORDINATES, CONSTANTS = ({name: name for name in TEXTS[f"same_{kind}"].split()} | TEXTS[kind]
                          for kind in ("coordinates", "constants"))
FUNCTIONS = {name: getattr(math, name) for name in "sin cos tan sqrt exp log asin atan atan2 pi cosh".split()}


def number(name, dots):
    """A value for each symbol, positive, the same in both calculations."""
    return 0.5 + zlib.crc32(f"{name}|{dots}".encode()) % 10_000 / 10_000


def expected(formula):
    names = {py: number(name, 0) for py, name in (COORDINATES | CONSTANTS).items()}
    names |= {"d" * n + py: number(name, n) for py, name in COORDINATES.items() for n in (1, 2)}
    names |= {"th_": number("th", 0), "xdd_": number("xdd", 0)}
    return eval(formula, {"__builtins__": {}, "abs": abs, **FUNCTIONS}, names)          # ours: from texts.toml


def value(tree):
    return evaluate(tree, {symbol: mpmath.mpf(number(symbol.name, symbol.dots)) for symbol in symbols(tree)})


@pytest.mark.parametrize("text", ALL)
def test_a_text_has_the_value_that_is_meant(text):
    (tree,) = read(text).trees
    assert float(value(tree)) == pytest.approx(expected(ALL[text]), rel=1e-13)


@pytest.mark.parametrize("text", ALL)
def test_text_and_latex_of_a_tree_are_read_as_the_same_tree_and_so_is_what_stands_at_the_place_of_a_part(text):
    (tree,) = read(text).trees
    if not re.search(r"[½²³¹]|sin\^|l\^2_1|sqrt\[|^\(", text):      # a power between a function and its argument, ...
        assert all(read(text[slice(*node.span)]).trees == (node,) for node in expr.postorder(tree))
    assert read(to_text(tree)).trees == (tree,)
    (back,) = read(expr.to_latex(tree)).trees
    assert symbols(back) == symbols(tree) and abs(value(back) - value(tree)) <= 1e-13 * abs(value(tree))


def test_known_names_tell_a_product_from_a_name():
    mgl = Operation("*", (Symbol("m"), Symbol("g"), Symbol("l")))
    assert read("mgl", names="mgl").trees == (mgl,)
    assert read("mgl").trees == read("mgl", names=["m", "g", "l", "mgl"]).trees == (Symbol("mgl"),)
    for text, names, written in (
            ("mglsin(q1)", "m g l", "m*g*l*sin(q1)"), ("a/bc", "a b c", "a/(b*c)"), ("m1gl1", "m1 g l1", "m1*g*l1"),
            ("m_1gl_1", "m1 g l1", "m1*g*l1"), ("mg" * 20, "m g", "*".join("mg" * 20)),
            ("qd1*qdd2", "q1 qd1 qdd2", "qd1*qdd2"), ("d/dt(d x')", "d x", "d/dt(d*x')")):
        assert to_text(read(text, names=names.split()).trees[0]) == written


@pytest.mark.parametrize(("text", "said"), {
    "a/2b": "one denominator", "sin a b": "one factor", "sin a^2": "one factor", "f(x)": "product", "x^1/2": "power",
    "sin^-1 x": "inverse", "g/lsin(x)": "directly after the stroke", r"\alpha x^12": "exponent was read as 12"}.items())
def test_a_note_says_how_an_ambiguous_text_was_read(text, said):
    notes = read(text).notes
    assert any(said in sentence for _, sentence in notes), notes
    assert not read("m*l**2*qdd1 + m*g*l*sin(q1)/2").notes


@pytest.mark.parametrize(("text", "lines"), TABLES["lines"])
def test_lines_and_chains_become_equations(text, lines):
    assert [to_text(tree) for tree in read(text).trees] == lines


@pytest.mark.parametrize("text", TABLES["matrices"])
def test_matrices_are_read_in_every_notation(text):
    (tree,) = read(text).trees
    assert tree.shape == (2, 2)
    a, b, c, d = (number(name, 0) for name in "abcd")
    assert values_in(tree) == pytest.approx([a, b, c, d + 1], rel=1e-15)


def values_in(matrix):
    return [float(value(entry)) for row in matrix.rows for entry in row]


def test_factors_of_matrices_vectors_places_and_digits_are_read_as_written():
    (tree,) = read("m [[1, 2], [3, 4]] [a, b]").trees
    m, a, b = (number(name, 0) for name in "mab")
    assert tree.shape == (2, 1) and values_in(tree) == pytest.approx([m * (a + 2 * b), m * (3 * a + 4 * b)])
    for given in ("[a, b]", "a, b", "a; b", ["a", "b"], ("a", "b"), sympy.Matrix(sympy.symbols("a b"))):
        assert read(given).trees == (expr.Matrix(((Symbol("a"),), (Symbol("b"),))),)
    assert read("a\nb").trees == (Symbol("a"), Symbol("b"))
    for source in ("T = 1/2 m v^2 + m1*g*cos(q1)", r"\frac12 m \dot{x}^2 + M g", ["a + b", "c*sin(x)"]):
        answer = read(source)
        for tree in answer.trees:
            for node in expr.postorder(tree):
                if isinstance(node, Symbol) and node.dots == 0:
                    assert answer.source[slice(*node.span)] == node.name
    answer = read("V = m1*g*l1 - m2*g*cos(q1)")
    second = answer.trees[0].right.operands[1]
    assert answer.source[slice(*second.span)] == "- m2*g*cos(q1)"
    assert [read(text).trees[0].digits for text in ("9.81", "0.0050", "3", "1.5e3", "10e-3")] == [3, 2, None, 2, 2]


def test_sympy_and_numbers_and_lists_are_read():
    q, t, m, l = sympy.Function("q1"), *sympy.symbols("t m l")
    tree = read(m * l**2 * q(t).diff(t, 2) / 2 - sympy.sqrt(2) * sympy.sin(q(t))).trees[0]
    assert symbols(tree) == {Symbol("m"), Symbol("l"), Symbol("q1", 2), Symbol("q1")}
    assert read(sympy.Eq(m, l)).trees == (expr.Equation(Symbol("m"), Symbol("l")),)
    assert read(sympy.Symbol(r"\dot{\theta}_1")).trees == (Symbol("theta1", 1),)
    assert read(sympy.Symbol("qd1")).trees == (Symbol("q1", 1),)
    assert read(3).trees == (Number(Fraction(3)),) and read(0.1).trees == (Number("0.1"),)
    assert [read(x).trees[0].value for x in (np.float64(2.5), mpmath.mpf(1) / 4)] == [Fraction(5, 2), Fraction(1, 4)]
    assert read(-2).trees == (Operation("neg", (Number(Fraction(2)),)),)
    assert read(np.eye(2)).trees[0].shape == read([["a", m], [1, "b*c"]]).trees[0].shape == (2, 2)
    wanted = read("T = a\nV = b").trees
    assert read(["T = a", "V = b"]).trees == read({"T": "a", "V": sympy.Symbol("b")}).trees == wanted
    assert read(math.sin).function is math.sin and read(math.sin).trees == ()
    assert [to_text(read(x).trees[0]) for x in (sympy.E, sympy.Pow(sympy.E, m, evaluate=False), Symbol("a"))] == [
        "exp(1)", "exp(m)", "a"]
    assert read([1] * 2500).trees[0].shape == (2500, 1)
    assert read(m * dynamicsymbols("x").diff()).trees == (Operation("*", (Symbol("m"), Symbol("x", 1))),)


def test_sympy_keeps_its_value_when_read_and_functions_are_called_by_all_their_names():
    rng = np.random.default_rng(8)
    a, b, x = sympy.symbols("a b x")
    for _ in range(40):
        n = [int(k) for k in rng.integers(-3, 4, 4)]
        expression = (n[0] * a**n[1] * sympy.sin(b * x) ** 2 / 3 - b**n[2] / (a + x) + sympy.sqrt(x) * n[3]
                      + sympy.exp(-x) * sympy.Rational(3, 7) + sympy.pi * 0.25)
        tree = from_sympy(expression)
        wanted = expression.subs({s: number(s.name, 0) for s in (a, b, x)})
        assert float(value(tree)) == pytest.approx(float(wanted), rel=1e-13)
    for text in ("sin(x)", "Sin(x)", "SIN(x)", "sen(x)", r"\sin x", r"\mathrm{sin}(x)", "np.sin(x)", "sympy.sin(x)"):
        assert read(text).trees == (Function("sin", (Symbol("x"),)),)
    with pytest.raises(ValueError, match="is a derivative of an order that cannot be looked at"):
        t, n = sympy.Symbol("t"), sympy.Symbol("n", integer=True)
        from_sympy(sympy.Derivative(sympy.Function("q1")(t), (t, n)))


@pytest.mark.parametrize("nothing", ["", "  \n ", "$$", "# only a comment", [], "..."])
def test_an_empty_answer_is_named_so(nothing):
    with pytest.raises(Unreadable, match="empty|no formula"):
        read(nothing)
