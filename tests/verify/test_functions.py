"""Python functions as answers: what they may return, and arguments of `verify` that make no sense."""

import numpy as np
import pytest

from rbdlib import load, verify, verify_steps

MODEL = load("double_pendulum", symbolic=True)


def gravity(q, m1, m2, l1, l2, g):
    lower = m2 * g * l2 * np.sin(q[0] + q[1])
    return np.array([(m1 + m2) * g * l1 * np.sin(q[0]) + lower, lower])


@pytest.mark.slow
def test_a_right_function_is_right_as_array_and_as_list():
    assert verify(MODEL, "g", gravity).ok
    assert verify(MODEL, "g", lambda q, m1, m2, l1, l2, g: gravity(q, m1, m2, l1, l2, g).tolist()).ok


@pytest.mark.parametrize("change, said", [
    (lambda right: right + 1j, "real numbers are wanted"),
    (lambda right: right + 0j, "real numbers are wanted"),
    (lambda right: None, "Does it end with"),
    (lambda right: [str(x) for x in right], "real numbers are wanted"),
    (lambda right: np.zeros((3000, 3000)), "far more than any quantity has"),
    (lambda right: {"g": right}, "is not an array of real numbers"),
    (lambda right: [True, False], "real numbers are wanted"),
    (lambda right: right / 0 * 0, "not finite"),
    (lambda right: exit(3), "stopped with SystemExit")])
def test_what_is_no_array_of_real_numbers_is_refused(change, said):
    with np.errstate(all="ignore"):
        report = verify(MODEL, "g", lambda q, m1, m2, l1, l2, g: change(gravity(q, m1, m2, l1, l2, g)))
    assert not report.ok and said in report.problem


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, True])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(ValueError, match="seed is"):
        verify(MODEL, "T", "0", seed=seed)
    with pytest.raises(ValueError, match="seed is"):
        verify_steps(MODEL, ["T = 0"], seed=seed)


@pytest.mark.parametrize("quantity, said", [("T == V == 0", "one =="), ("J[" + "1" * 5000 + "]", "characters")])
def test_names_of_quantities_that_cannot_be(quantity, said):
    with pytest.raises(ValueError, match=said):
        verify(MODEL, quantity, "0")


def test_a_function_is_no_line_of_a_derivation():
    with pytest.raises(TypeError, match="contains a function"):
        verify_steps(MODEL, [gravity])


@pytest.mark.parametrize("factors, kind, said", [
    ((2, 1), "factor", "twice"), ((1, 1 / 3), "factor", "1/3 times"), ((1, -1), "sign", "opposite sign")])
def test_a_wrong_factor_of_one_entry_is_named(factors, kind, said):
    report = verify(MODEL, "g", lambda q, m1, m2, l1, l2, g: np.array(factors) * gravity(q, m1, m2, l1, l2, g))
    (finding,) = report.explanations[0]
    assert finding.kind == kind and said in finding.sentence and finding.entry == (factors.index(1) ^ 1,)


@pytest.mark.slow
def test_an_entry_that_is_wrong_in_another_way_is_not_explained():
    report = verify(MODEL, "g", lambda q, m1, m2, l1, l2, g: gravity(q, m1, m2, l1, l2, g) + [0, q[0]])
    assert not report.ok and not report.explanations
