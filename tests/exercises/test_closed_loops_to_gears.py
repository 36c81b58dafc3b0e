"""Answers to the exercises of notebooks 15 to 19 that were once judged wrongly, or answered with a misleading word."""

import numpy as np
import pytest
import sympy

from rbdlib.exercises import grade
from rbdlib.exercises.catalogue import find


def halves(motion, t, delay):
    return (np.array(motion(t)) + np.array(motion(t - delay))) / 2


@pytest.mark.parametrize(("at_first", "later"), [
    (lambda motion, delay, t: np.array([99.0, 0, 0]), None), (None, lambda motion, delay, t: np.array([99.0, 0, 0])),
    (lambda motion, delay, t: np.array(motion(t)) / 2, None), (lambda motion, delay, t: np.array(motion(t)), None)])
def test_the_shaped_motion_is_tried_before_and_after_its_second_half_begins(at_first, later):
    """Absurd at first, absurd afterwards, at a stand at zero, not shaped at first."""
    def right(motion, delay, t):
        return halves(motion, t, delay)

    assert grade("17.4", right).correct
    assert not grade("17.4", lambda motion, delay, t: ((later if t >= delay else at_first) or right)(
        motion, delay, t)).correct


def test_the_motion_to_be_shaped_starts_with_a_jump_of_its_acceleration_alone():
    motion, *_ = find("17.4").inputs(np.random.default_rng(0))
    before, after = np.array(motion(-1e-9)), np.array(motion(0.0))
    assert np.allclose(before[:2], after[:2], atol=1e-6) and before[2] == 0 and after[2] != 0


@pytest.mark.parametrize(("id", "answer", "words"), [
    ("17.6", [0, 1, 2, 2, 2], "with body 1"), ("17.6", [0, 2, 4, 2, 2], "1 of 5 entries is right"),
    ("19.5", 4, "is too large"), ("19.6", 18, "is too small."), ("16.6", 24, "is too large."),
    ("15.4", [4, 5, -1, 3, 2], "r (entry 4) and redundant (entry 5) are exchanged"), ("15.5", 19.9, "fraction"),
    ("15.5", 20, "fraction")])
def test_what_an_answer_is_told(id, answer, words):
    report = grade(id, answer)
    assert not report.correct and words in report.message
    assert not any(misleading in report.message for misleading in ("twice", "times", "in size"))


def test_a_cat_in_the_right_posture_has_still_made_its_whole_turn():
    A, B, gamma = sympy.symbols("A B gamma", positive=True)
    plane = -2 * sympy.pi * A * sympy.cos(gamma) / (A * sympy.cos(gamma) ** 2 + B * sympy.sin(gamma) ** 2)
    assert grade("18.7", 2 * sympy.pi + plane).correct
    report = grade("18.7", plane)
    assert not report.correct and "full turn less" in report.message
