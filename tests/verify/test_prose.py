"""Words around formulas: what is left of a text when they are blank, and which lines say nothing."""

import pytest

from rbdlib.verification.derivations.lines import formula_of, lines_of
from rbdlib.verification.notation.prose import is_prose, without_words
from tests.verify import TABLES

NAMES = frozenset("m l g theta L".split())


@pytest.mark.parametrize("text, left", TABLES["prose"])
def test_of_a_text_formulas_are_left(text, left):
    made = without_words(text, NAMES)
    assert " ".join(made.split()) == left and len(made) == len(text)


@pytest.mark.parametrize("line, says_nothing", [
    ("Hence", True), ("# Solution", True), ("Lagrange gives", True), ("In matrix form", True), ("Energies:", True),
    ("Let $a$ be the acceleration of $m_1$", True), ("A force $-ma$ acts on it", True),
    ("It turns by $\\theta_1,\\theta_2$", True),
    ("The energy is $m g l$", False), ("so that x = 1", False), ("m l theta", False), ("foo(", False), ("theta", False),
    ("mgl", False), ("the energy is $m$", True), ("$m l$", False)])
def test_lines_that_say_nothing(line, says_nothing):
    assert is_prose(line) == says_nothing


@pytest.mark.parametrize("text, lines", [
    ("## A pendulum\nT = 1\n```\nQ.E.D.", ["T = 1"]), ("| a | formula |\n|---|---|\nT = 1", ["T = 1"]),
    ("<=> T = 1", ["T = 1"]), ("T = 1  // done", ["T = 1"]), ("\\section*{A}\n\\item $T = 1$", ["$T = 1$"]),
    ("**Energy** T = 2**3", ["Energy T = 2**3"]), ("Step 3. T = 1", ["T = 1"]), ("(ii) T = 1", ["T = 1"]),
    ("T = 1 +\n\nHence\n2", ["T = 1 + 2"]), ("T = 1\n-V = 2", ["T = 1", "-V = 2"]), ("T = 1\nV", ["T = 1", "V"]),
    ("For small angles:\nT = 1", ["For small angles: T = 1"])])
def test_marks_of_markdown_and_latex_go(text, lines):
    assert lines_of(text) == lines


@pytest.mark.parametrize("text, formula, near", [
    ("x ≈ 1", "x = 1", True), ("for small angles x = 1", "x = 1", True), ("x = 1", "x = 1", False),
    ("\\delta x = 1", "\\dot{x} = 1", False), ("2\\delta\\dot x = 1", "2\\delta\\dot x = 1", False)])
def test_near_equalities_and_variations(text, formula, near):
    made, said = formula_of(text, NAMES)
    assert (made.strip(), said) == (formula, near)
