"""What holds for every declared exercise: its solution is right, and its mistakes are wrong in the intended way.

For the additional ones also where they belong, and what they ask.
"""

import functools
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from rbdlib.exercises import check, grade, hint, progress, solution
from rbdlib.exercises.catalogue import all_exercises, exercises_of, find, notebooks
from rbdlib.exercises.compare import computed, is_formula
from rbdlib.exercises.computed import ANSWERS
from rbdlib.exercises.declare import Exercise
from rbdlib.exercises.more import FIRST, SHEETS, all_more, find_more, question, sheet
from rbdlib.exercises.show import Page

EXERCISES = (*all_exercises(), *all_more())
#: Exercises with answers that take long to work out.
LONG = {"0.7", "1.9", "11.9", "12.9", "14.9", "21.10", "30.5", "33.6"}


def handed_in(exercise, declared):
    """What a learner who gives the declared answer would type."""
    if exercise.kind == "word":
        return declared if isinstance(declared, str) else declared[0]
    return declared if exercise.kind == "function" else computed(declared)


@pytest.mark.parametrize("exercise", [pytest.param(exercise, marks=[pytest.mark.slow] * (exercise.id in LONG))
                                      for exercise in EXERCISES], ids=lambda exercise: exercise.id)
def test_the_reference_solution_is_right_and_each_declared_mistake_gets_its_own_message(exercise):
    report = grade(exercise.id, handed_in(exercise, exercise.reference))
    assert (report.correct, report.kind) == (True, "right"), report.message
    for mistake in exercise.mistakes:
        report = grade(exercise.id, handed_in(exercise, mistake.answer))
        assert (report.correct, report.message, report.kind) == (False, mistake.message, mistake.kind)
    if exercise.kind == "function":
        report = grade(exercise.id, lambda *given: 1 / 0)               # the arguments of the call are in the message
        assert report.kind == "error" and "ZeroDivisionError" in report.message


def test_the_declarations_are_complete():
    for exercise in EXERCISES:
        assert exercise.title and exercise.section, "the title and the section to read again are shown to the learner"
        assert len(exercise.mistakes) >= 2, exercise.id
        assert len(set(exercise.hints)) == len(exercise.hints) >= 2 and all(exercise.hints), exercise.id
        assert exercise.solution.strip().endswith(".") and exercise.solution.count("$") % 2 == 0, exercise.id
        for mistake in exercise.mistakes:
            assert mistake.message[-1] in ".?!", f"not a full sentence in {exercise.id}: {mistake.message}"
            assert mistake.kind not in ("right", "unanswered", "error"), exercise.id


def test_every_wrong_choice_is_answered_by_a_sentence_of_its_own():
    for exercise in (exercise for exercise in EXERCISES if exercise.choices):
        right = {exercise.reference} if isinstance(exercise.reference, str) else set(exercise.reference)
        assert set(exercise.choices) - right == {mistake.answer for mistake in exercise.mistakes}, exercise.id


@pytest.mark.parametrize("empty", [None, ...])
def test_no_answer_yet_is_one_quiet_line(empty, capsys):
    for exercise in EXERCISES:
        check(exercise.id, empty)
        assert capsys.readouterr().out == f"Exercise {exercise.id}: no answer yet.\n"


def test_hints_and_solution_are_shown(capsys):
    for exercise in EXERCISES:
        for number in range(1, len(exercise.hints) + 1):
            hint(exercise.id)
            assert f"Hint {number} of {len(exercise.hints)}" in capsys.readouterr().out, exercise.id
        hint(exercise.id)
        assert "no more hints" in capsys.readouterr().out, exercise.id
        solution(exercise.id)
        page = Page(f"Exercise {exercise.id} · {exercise.title}", exercise.solution)
        assert capsys.readouterr().out.rstrip() == repr(page)


def test_ids_follow_the_notebook_and_run_on_to_five_at_least():
    assert 0 in notebooks()
    for number in notebooks():
        ids = [exercise.id for exercise in exercises_of(number)]
        assert ids == [f"{number}.{position}" for position in range(1, len(ids) + 1)] and len(ids) >= 5


ROOT = Path(__file__).resolve().parents[2]
MORE = all_more()
PAPER = [exercise for exercise in MORE if exercise.kind == "value" and is_formula(exercise)]


@functools.cache
def headings(number):
    """The headings of the notebook with this number, as a set."""
    (path,) = (ROOT / "notebooks").glob(f"{notebooks()[number]}.ipynb")
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
def test_the_question_names_what_is_asked_and_the_section_to_read_again_stands_in_the_notebook(exercise, capsys):
    number = exercise.id.partition(".")[0]
    assert exercise.section in headings(int(number) if number.isdecimal() else number)
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


@pytest.mark.parametrize(("change", "message"), [({"question": " "}, "question is empty"), ({"level": 4}, "level is"),
                                                 ({"kind": "riddle"}, "kind is 'riddle'; expected one of")])
def test_a_declaration_that_contradicts_itself_is_refused(change, message):
    with pytest.raises(ValueError, match=f"Exercise 9.77: {message}"):
        Exercise(**({"id": "9.77", "title": "A test", "reference": 1, "solution": "One.", "hints": (), "mistakes": (),
                     "question": "What?"} | change))


def test_every_computed_answer_belongs_to_an_exercise_and_is_right_as_a_learner_would_write_it():
    assert {exercise.id for exercise in EXERCISES} >= ANSWERS.keys()
    assert all(grade(id, answers.answer).correct for id, answers in ANSWERS.items() if answers.answer)
