"""Formulas, tables and code: the text is plain and repeatable, the typesetting has the same content."""

import ast
import inspect
import re

import numpy as np
import pytest

import rbdlib.book.ch02_planar
import rbdlib.book.ch02_spatial
from rbdlib import draw
from rbdlib.book.ch02_spatial import rotz, xlt

sympy = pytest.importorskip("sympy")
mpmath = pytest.importorskip("mpmath")

Q1, QD1, THETA = sympy.symbols("q1 qd1 theta")


def test_a_spatial_vector_has_a_rule_between_its_halves_and_a_matrix_shows_its_blocks():
    shown = draw.formula(v_1=np.array([0, 0, 0, QD1, 0, 0.0]))
    rows = ["  0", "  0", "  0", "---", "qd1", "  0", "  0"]
    assert repr(shown).removeprefix("v_1 = ").splitlines() == ["[  0]", *(f"      [{row}]" for row in rows[1:])]
    assert shown._repr_latex_() == (
        r"$\displaystyle v_{1} = \left[\begin{array}{c}0 \\ 0 \\ 0 \\ \hline \dot{q}_{1} \\ 0 \\ 0\end{array}\right]$")
    shown = draw.formula(X=rotz(THETA) @ xlt([0, Q1, 0]))
    lines = repr(shown).splitlines()
    assert len(lines) == 7 and len({len(line) for line in lines}) == 1
    assert all(line.count("|") == 1 for line in lines if "-----" not in line)
    assert r"\begin{array}{ccc|ccc}" in shown._repr_latex_() and shown._repr_latex_().count(r"\hline") == 1


@pytest.mark.parametrize("value", [np.zeros((3, 3)), np.zeros(3), np.zeros((6, 2)), 1.0])
def test_rules_are_for_spatial_quantities(value):
    assert r"|" not in draw.formula(A=value)._repr_latex_()
    assert (r"\hline" in draw.formula(A=value)._repr_latex_()) == (np.shape(value)[:1] == (6,))
    joints = draw.formula(H=np.eye(6), q=np.arange(6), spatial=False)
    assert not re.search(r"hline|\||---", repr(joints) + joints._repr_latex_())
    assert repr(joints).splitlines()[0] == "H = [1  0  0  0  0  0]"
    assert r"\begin{array}{cccccc}" in joints._repr_latex_()


@pytest.mark.parametrize(("value", "text", "latex"), [
    (1.0, "1", "1"), (-0.0, "0", "0"), (3e-17, "0", "0"), (7, "7", "7"), (9.80665, "9.807", "9.807"),
    (2.5e-7, "2.5e-07", r"2.5 \times 10^{-7}"), (mpmath.mpf("0.25"), "0.25", "0.25"),
    (sympy.Float("1.23456789"), "1.235", "1.235"), (sympy.Float("0.3333333333") * Q1, "0.3333*q1", "0.3333 q_{1}"),
    (sympy.sin(THETA), "sin(theta)", r"\sin{\left(\theta \right)}")])
def test_numbers_are_rounded_and_rounding_noise_is_zero(value, text, latex):
    assert repr(draw.formula(value)) == text
    assert draw.formula(value)._repr_latex_() == rf"$\displaystyle {latex}$"
    assert repr(draw.formula(np.array([1e6, 1e-8]))) == "[1e+06]\n[    0]", "noise is judged beside the largest entry"
    assert repr(draw.formula(np.array([1.0, 1e-8]))) == "[    1]\n[1e-08]"


def test_names_become_symbols_several_values_stand_side_by_side_and_a_table_is_aligned_and_rounded():
    for name, latex in (("tau", r"\tau"), ("qdd", r"\ddot{q}"), ("qd_1", r"\dot{q}_{1}"), ("q2", "q_{2}"),
                        ("I_C", "I_{C}"), ("v_J2", "v_{J2}"), ("mass", r"\mathrm{mass}"),
                        ("{}^{2}X_{1}", "{}^{2}X_{1}")):
        assert draw.formula(**{name: 1})._repr_latex_() == rf"$\displaystyle {latex} = 1$"
    shown = draw.formula(a=sympy.Matrix([[1, THETA]]), b=2)
    assert repr(shown) == "a = [1  theta]\nb = 2" and r" \qquad b = 2$" in shown._repr_latex_()
    shown = draw.table([["x", 1.23456, 2], ["<y>", 1e-17, 10]], ["axis", "r (m)", "n"])
    assert repr(shown) == "axis  r (m)   n\n----  -----  --\n   x  1.235   2\n <y>      0  10"
    assert shown._repr_html_().count("<tr>") == 3
    assert "<td>&lt;y&gt;</td><td>0</td><td>10</td>" in shown._repr_html_()


def test_the_code_shown_is_the_code_that_runs_without_docstrings_highlighted_and_with_its_place():
    modules = rbdlib.book.ch02_spatial, rbdlib.book.ch02_planar
    for function in (function for module in modules for function in vars(module).values()):
        if inspect.isfunction(function) and function.__module__ in {module.__name__ for module in modules}:
            shown = repr(draw.show_code(function))
            (tree,) = ast.parse(inspect.getsource(function)).body
            if ast.get_docstring(tree) is not None:
                tree.body = tree.body[1:]
            assert ast.unparse(ast.parse(shown)) == ast.unparse(tree) and '"""' not in shown, function

    class Example:
        """Gone."""

        def first(self):
            """Gone."""

            return "kept"  # kept

        def only_text(self):
            """Kept, for without it there is no body."""

    shown = repr(draw.show_code(Example))
    assert "Gone" not in shown
    assert shown.startswith("class Example:\n    def first(self):\n        return \"kept\"  # kept\n")
    assert shown.endswith('"""Kept, for without it there is no body."""')
    markdown = draw.show_code(rbdlib.book.ch02_spatial.rx, rbdlib.book.ch02_spatial.ry)._repr_markdown_()
    assert re.match(r"`rbdlib\.book\.ch02_spatial`\n```python\ndef rx\(theta\):", markdown)
    assert "\n\n\ndef ry(theta):" in markdown and markdown.endswith("\n```")


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: draw.formula(), ValueError, "nothing to show"),
    (lambda: draw.formula(A=np.zeros((2, 2, 2))), ValueError, r"A has shape \(2, 2, 2\)"),
    (lambda: draw.table([[1, 2]], ["a"]), ValueError, "Row 1 has 2 entries, but the header has 1"),
    (lambda: draw.show_code(), TypeError, "nothing to show"),
    (lambda: draw.show_code(len), TypeError, "no Python source"),
    (lambda: draw.show_code("rnea"), TypeError, "'rnea' has no Python source")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()
