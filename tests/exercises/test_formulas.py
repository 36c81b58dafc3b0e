"""Every notebook's exercises on paper go through `rbdlib.verification`: text and LaTeX are read, mistakes are named."""


import pytest

from rbdlib.exercises import grade
from rbdlib.exercises.catalogue import notebooks
from tests.exercises.formulas import EXERCISES, as_latex, as_text, notebook, trees, wrong_signs

PAPER = {notebook(exercise): [e for e in EXERCISES if notebook(e) == notebook(exercise)] for exercise in EXERCISES}


def named(report):
    """The kinds of what the first explanation names."""
    return {finding.kind for finding in report.verified.explanations[0]} if report.verified.explanations else set()


def test_every_notebook_asks_for_a_formula():
    assert set(PAPER) == {str(number) for number in notebooks()}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("write", [as_text, as_latex])
def test_a_right_formula_is_accepted_as_text_and_in_latex(exercise, write):
    report = grade(exercise.id, write(trees(exercise)))
    assert report.correct, report.message
    assert report.verified.ok


@pytest.mark.parametrize("number", PAPER)
def test_a_wrong_sign_is_named_in_every_notebook(number):
    """One by one, the signs in each formula are changed; those that are declared mistakes have sentences of their own.
    """
    seen = 0
    for exercise in PAPER[number]:
        messages = {mistake.message for mistake in exercise.mistakes}
        for array in wrong_signs(trees(exercise))[:6]:
            report = grade(exercise.id, as_text(array))
            assert not report.correct
            if report.message in messages:
                continue
            if report.kind == "error":
                assert "no real value" in report.message        # a root of something negative, whatever the numbers
                continue
            seen += 1
            assert named(report) & {"sign", "opposite sign", "gravity sign", "gravity reversed"}, (
                exercise.id, as_text(array), report.message)
            assert "sign" in report.message or "gravity" in report.message
    assert seen
