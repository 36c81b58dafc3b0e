"""What holds for every declared exercise: its solution is right, and its mistakes are wrong in the intended way."""

import pytest

from rbdlib.exercises import check, grade, hint, solution
from rbdlib.exercises.catalogue import all_exercises, exercises_of, notebooks
from rbdlib.exercises.compare import computed
from rbdlib.exercises.more import all_more
from rbdlib.exercises.show import Page

EXERCISES = (*all_exercises(), *all_more())
MISTAKES = [pytest.param(exercise, mistake, id=f"{exercise.id}-{number}")
            for exercise in EXERCISES for number, mistake in enumerate(exercise.mistakes, 1)]


def handed_in(exercise, declared):
    """What a learner who gives the declared answer would type."""
    if exercise.kind == "word":
        return declared if isinstance(declared, str) else declared[0]
    return declared if exercise.kind == "function" else computed(declared)


@pytest.fixture(params=EXERCISES, ids=lambda exercise: exercise.id)
def exercise(request):
    return request.param


def test_the_reference_solution_passes(exercise):
    report = grade(exercise.id, handed_in(exercise, exercise.reference))
    assert report.correct, report.message
    assert report.kind == "right"


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_a_declared_mistake_gets_its_own_message(exercise, mistake):
    report = grade(exercise.id, handed_in(exercise, mistake.answer))
    assert not report.correct
    assert report.message == mistake.message
    assert report.kind == mistake.kind


def test_the_declaration_is_complete(exercise):
    assert exercise.title and exercise.section, "the title and the section to read again are shown to the learner"
    assert len(exercise.mistakes) >= 2
    assert len(exercise.hints) >= 2
    assert len(set(exercise.hints)) == len(exercise.hints)
    assert exercise.solution.strip().endswith(".")
    assert exercise.solution.count("$") % 2 == 0, "a formula is not closed"
    assert all(exercise.hints)
    for mistake in exercise.mistakes:
        assert mistake.message[-1] in ".?!", f"not a full sentence: {mistake.message}"
        assert mistake.kind not in ("right", "unanswered", "error")


def test_every_wrong_choice_is_answered_by_a_sentence_of_its_own(exercise):
    if exercise.choices:
        right = {exercise.reference} if isinstance(exercise.reference, str) else set(exercise.reference)
        assert set(exercise.choices) - right == {mistake.answer for mistake in exercise.mistakes}


@pytest.mark.parametrize("empty", [None, ...])
def test_no_answer_yet_is_one_quiet_line(exercise, empty, capsys):
    check(exercise.id, empty)
    assert capsys.readouterr().out == f"Exercise {exercise.id}: no answer yet.\n"


def test_hints_and_solution_are_shown(exercise, capsys):
    for number in range(1, len(exercise.hints) + 1):
        hint(exercise.id)
        assert f"Hint {number} of {len(exercise.hints)}" in capsys.readouterr().out
    hint(exercise.id)
    assert "no more hints" in capsys.readouterr().out
    solution(exercise.id)
    page = Page(f"Exercise {exercise.id} · {exercise.title}", exercise.solution)
    assert capsys.readouterr().out.rstrip() == repr(page)


def test_ids_follow_the_notebook_and_run_on():
    for number in notebooks():
        ids = [exercise.id for exercise in exercises_of(number)]
        assert ids == [f"{number}.{position}" for position in range(1, len(ids) + 1)]


def test_every_notebook_has_at_least_five():
    assert all(len(exercises_of(number)) >= 5 for number in notebooks())
    assert 0 in notebooks()
