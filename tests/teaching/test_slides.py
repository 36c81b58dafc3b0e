"""A deck shows the pictures, formulas, programs and stops of a notebook and no exercise; a board plan what is core."""

import nbformat

from tests.teaching.test_pages import ROOT
from tools.teaching.slides import board, deck, parts


def test_a_deck_and_a_board_plan_show_what_a_lecture_needs():
    notebook = nbformat.read(ROOT / "notebooks/09_inverse_dynamics.ipynb", as_version=4)
    kinds = [kind for kind, _ in parts(notebook)]
    slides, sheet = deck(notebook), board(notebook)
    saved = sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
    assert kinds.count("picture") == slides.count("<img ") == saved and kinds.count("title") == 1
    assert slides.count('class="fragment"') == kinds.count("stop") >= 2
    assert "def newton_euler_by_hand" in slides and "(RBDA 5.18)" in slides and "check(" not in slides
    assert "(RBDA 5.9)" in sheet and "<img" not in sheet and "Recurrence relations" in slides
    assert "Recurrence relations" not in sheet, "a further section"
    assert not [word for word in ("https://", "http://", "Exercise") if word in slides + sheet]
