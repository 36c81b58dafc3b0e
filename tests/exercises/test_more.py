"""The additional exercises: where they belong, and what they ask."""

import functools
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from rbdlib.exercises import check, progress
from rbdlib.exercises.catalogue import all_exercises, find, notebooks
from rbdlib.exercises.more import FIRST, SHEETS, all_more, find_more, question, sheet
from rbdlib.exercises.more.declare import More
from tests.exercises.formulas import MORE as PAPER

ROOT = Path(__file__).resolve().parents[2]
MORE = all_more()


@functools.cache
def headings(number):
    """The headings of the notebook with this number, as a set."""
    (path,) = (ROOT / "notebooks").glob(f"{notebooks()[number][2:]}.ipynb")
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    return set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def test_there_are_four_on_each_sheet_of_every_kind_and_level():
    assert len(MORE) >= 60 and all(len(sheet(name)) >= 4 for name in SHEETS)
    assert {exercise.kind for exercise in MORE} == {"value", "function", "word"}
    assert Counter(exercise.level for exercise in MORE).keys() == {1, 2, 3} and len(PAPER) >= len(SHEETS)
    assert all(any(exercise in PAPER for exercise in sheet(name)) for name in SHEETS)


def test_they_are_numbered_on_from_51_after_their_notebook():
    ids = [exercise.id.split(".") for exercise in MORE]
    for number in {number for number, _ in ids}:
        positions = sorted(int(position) for other, position in ids if other == number)
        assert number in map(str, notebooks()) and positions == list(range(FIRST, FIRST + len(positions)))
    assert all(int(exercise.id.partition(".")[2]) < FIRST for exercise in all_exercises())


@pytest.mark.parametrize("exercise", MORE, ids=lambda exercise: exercise.id)
def test_the_section_to_read_again_stands_in_the_notebook(exercise):
    number = exercise.id.partition(".")[0]
    assert exercise.section in headings(int(number) if number.isdecimal() else number)


@pytest.mark.parametrize("exercise", MORE, ids=lambda exercise: exercise.id)
def test_the_question_is_shown_and_names_what_is_asked(exercise, capsys):
    question(exercise.id)
    shown = capsys.readouterr().out
    assert shown.startswith(f"Exercise {exercise.id} · {exercise.title}") and exercise.question.count("$") % 2 == 0
    assert "?" in exercise.question or re.search(r"\b(Give|Find|Write|Derive)\b", exercise.question)
    if exercise.kind == "function":
        assert re.search(r"`\w+\([\w, ]+\)`", exercise.question), "the question names the function's arguments"
    for letter, text in exercise.choices.items():
        bare = exercise.question.replace("$", "").replace(r"^{\mathrm T}", "ᵀ")
        assert f"**{letter}** {text}" in " ".join(bare.split())
    if exercise in PAPER:
        assert re.search(r"`\w+`", exercise.question), "the question names the symbols"


def test_they_are_found_and_checked_like_the_others(capsys):
    assert find(" 9.53 ") is find_more("9.53")
    check("19.51", [1.5, 20])
    assert capsys.readouterr().out.startswith("Exercise 19.51: right.")
    check("19.51", [1.5, 0.2])
    assert "The gear makes the motor's torque 100 times as large" in " ".join(capsys.readouterr().out.split())
    progress()
    assert capsys.readouterr().out.endswith(f" 0 of {len(all_exercises())}\n")


def test_what_there_is_not_is_said():
    for id, message in (("9.1", "exercise '9.1'"), ("9.99", "'9.99'"), (9.51, "9.51")):
        with pytest.raises(ValueError, match=f"{re.escape(message)}.*There are 1.51, "):
            question(id)
    for id in ("9.99", 9.51):
        with pytest.raises((ValueError, TypeError), match="exercise"):
            find(id)
    with pytest.raises(ValueError, match="no sheet 'rbda12'; there are fdsv, rbda02"):
        sheet("rbda12")


@pytest.mark.parametrize(("change", "message"), [({"question": " "}, "question is empty"), ({"level": 4}, "level is")])
def test_a_declaration_that_contradicts_itself_is_refused(change, message):
    with pytest.raises(ValueError, match=f"Exercise 9.77: {message}"):
        More(**({"id": "9.77", "title": "A test", "reference": 1, "solution": "One.", "hints": (), "mistakes": (),
                 "question": "What?"} | change))
