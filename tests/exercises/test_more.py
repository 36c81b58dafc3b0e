"""The additional exercises: where they belong, what they ask, and that formulas may be written in any notation."""

import functools
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from rbdlib.exercises import check, grade, progress
from rbdlib.exercises.catalogue import all_exercises, find, notebooks
from rbdlib.exercises.compare import is_formula
from rbdlib.exercises.more import FIRST, SHEETS, all_more, find_more, question, sheet
from rbdlib.exercises.more.declare import More
from tests.exercises.formulas import as_latex, as_text, trees

ROOT = Path(__file__).resolve().parents[2]
MORE = all_more()
PAPER = [exercise for exercise in MORE if exercise.kind == "value" and is_formula(exercise)]


@functools.cache
def headings(number):
    """The headings of the notebook with this number, as a set."""
    (path,) = (ROOT / "notebooks").glob(f"{notebooks()[number][2:]}.ipynb")
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    return set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def test_there_are_four_on_each_sheet_of_every_kind_and_level():
    assert len(MORE) >= 60
    assert all(len(sheet(name)) >= 4 for name in SHEETS)
    assert {exercise.kind for exercise in MORE} == {"value", "function", "word"}
    assert Counter(exercise.level for exercise in MORE).keys() == {1, 2, 3}
    assert len(PAPER) >= len(SHEETS)
    assert all(any(exercise in PAPER for exercise in sheet(name)) for name in SHEETS)


def test_they_are_numbered_on_from_51_after_their_notebook():
    ids = [exercise.id for exercise in MORE]
    assert len(set(ids)) == len(ids)
    by_notebook = {}
    for number, _, position in (id.partition(".") for id in ids):
        by_notebook.setdefault(number, []).append(int(position))
    for number, positions in by_notebook.items():
        assert number in {str(known) for known in notebooks()}
        assert sorted(positions) == list(range(FIRST, FIRST + len(positions)))
    assert all(int(exercise.id.partition(".")[2]) < FIRST for exercise in all_exercises())


@pytest.mark.parametrize("exercise", MORE, ids=lambda exercise: exercise.id)
def test_the_section_to_read_again_stands_in_the_notebook(exercise):
    number = exercise.id.partition(".")[0]
    assert exercise.section in headings(int(number) if number.isdecimal() else number)


@pytest.mark.parametrize("exercise", MORE, ids=lambda exercise: exercise.id)
def test_the_question_is_shown_and_names_what_is_asked(exercise, capsys):
    question(exercise.id)
    shown = capsys.readouterr().out
    assert shown.startswith(f"Exercise {exercise.id} · {exercise.title}")
    assert exercise.question.count("$") % 2 == 0
    assert "?" in exercise.question or re.search(r"\b(Give|Find|Write|Derive)\b", exercise.question)
    if exercise.kind == "function":
        assert re.search(r"`\w+\([\w, ]+\)`", exercise.question), "the question names the function's arguments"
    for letter, text in exercise.choices.items():
        bare = exercise.question.replace("$", "").replace(r"^{\mathrm T}", "ᵀ")
        assert f"**{letter}** {text}" in " ".join(bare.split())
    if exercise in PAPER:
        assert re.search(r"`\w+`", exercise.question), "the question names the symbols"


@pytest.mark.parametrize("exercise", PAPER, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("write", [as_text, as_latex])
def test_a_right_formula_is_accepted_as_text_and_in_latex(exercise, write):
    report = grade(exercise.id, write(trees(exercise)))
    assert report.correct, report.message


def test_a_wrong_formula_is_explained():
    report = grade("9.52", "m2*l2*(l1*qd1^2*cos(q2) + g*sin(q1 + q2))")
    assert "sine and cosine are exchanged" in report.message


def test_they_are_found_and_checked_like_the_others(capsys):
    assert find(" 9.53 ") is find_more("9.53")
    check("19.51", [1.5, 20])
    assert capsys.readouterr().out.startswith("Exercise 19.51: right.")
    check("19.51", [1.5, 0.2])
    assert "The gear makes the motor's torque 100 times as large" in " ".join(capsys.readouterr().out.split())
    progress()
    assert capsys.readouterr().out.endswith(f" 0 of {len(all_exercises())}\n")


@pytest.mark.parametrize(("id", "message"), [("9.1", "exercise '9.1'"), ("9.99", "'9.99'"), (9.51, "9.51")])
def test_what_there_is_not_is_said(id, message):
    with pytest.raises(ValueError, match=f"{re.escape(message)}.*There are 1.51, "):
        question(id)
    with pytest.raises((ValueError, TypeError), match="exercise"):
        find("9.99" if isinstance(id, str) else id)


def test_a_sheet_that_there_is_not_is_said():
    with pytest.raises(ValueError, match="no sheet 'rbda12'; there are fdsv, rbda02"):
        sheet("rbda12")


@pytest.mark.parametrize(("change", "message"), [({"question": " "}, "question is empty"), ({"level": 4}, "level is")])
def test_a_declaration_that_contradicts_itself_is_refused(change, message):
    fields = {"id": "9.77", "title": "A test", "reference": 1, "solution": "One.", "hints": (), "mistakes": (),
              "question": "What?"}
    with pytest.raises(ValueError, match=f"Exercise 9.77: {message}"):
        More(**(fields | change))
