"""What holds for every declared exercise: its solution is right, and its mistakes are wrong in the intended way."""

import pytest

from rbdlib.exercises import check, grade, hint, solution
from rbdlib.exercises.catalogue import all_exercises, exercises_of, notebooks
from rbdlib.exercises.compare import computed
from rbdlib.exercises.more import all_more
from rbdlib.exercises.show import Page

EXERCISES = (*all_exercises(), *all_more())


def handed_in(exercise, declared):
    """What a learner who gives the declared answer would type."""
    if exercise.kind == "word":
        return declared if isinstance(declared, str) else declared[0]
    return declared if exercise.kind == "function" else computed(declared)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_the_reference_solution_is_right_and_each_declared_mistake_gets_its_own_message(exercise):
    report = grade(exercise.id, handed_in(exercise, exercise.reference))
    assert (report.correct, report.kind) == (True, "right"), report.message
    for mistake in exercise.mistakes:
        report = grade(exercise.id, handed_in(exercise, mistake.answer))
        assert (report.correct, report.message, report.kind) == (False, mistake.message, mistake.kind)


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


@pytest.mark.slow
@pytest.mark.parametrize("empty", [None, ...])
def test_no_answer_yet_is_one_quiet_line(empty, capsys):
    for exercise in EXERCISES:
        check(exercise.id, empty)
        assert capsys.readouterr().out == f"Exercise {exercise.id}: no answer yet.\n"


@pytest.mark.slow
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
