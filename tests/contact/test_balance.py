"""Balance on feet: the zero-moment point, the capture point, and contact forces of least effort."""

import numpy as np
import pytest
from scipy.optimize import linprog

from rbdlib.contact import Contact, contact_normal, contact_wrenches
from rbdlib.contact.balance import capture_point, least_forces, zero_moment_point
from tests.sources.helpers import close, random_unit

UP = np.array([0, 0, 1.0])
FEET = [Contact(0, 1, contact_normal(P, UP), point=P)
        for P in ([0.2, 0.15, 0], [0.2, -0.15, 0], [-0.2, 0.15, 0], [-0.2, -0.15, 0])]


def weight_at(c, f=(0, 0, -25)):
    return np.append(np.cross(c, f), f)


@pytest.mark.parametrize("seed", range(3))
def test_the_zero_moment_point_is_the_centre_of_pressure_and_no_level_moment_is_left_there(seed):
    rng, ground = np.random.default_rng([seed, 34]), 0.3
    places = np.column_stack([rng.uniform(-1, 1, (5, 2)), np.full(5, ground)])
    forces = np.column_stack([rng.uniform(-1, 1, (5, 2)), rng.uniform(0.1, 2, 5)])
    n, f = np.cross(places, forces).sum(axis=0), forces.sum(axis=0)
    p = zero_moment_point([*n, *f], ground)
    close(p, forces[:, 2] @ places / f[2], 1e-12)
    close((n - np.cross(p, f))[:2], [0, 0], 1e-12)


def test_from_the_capture_point_a_pendulum_comes_to_rest():
    """x'' = omega² (x - p) has the integral x'² - omega² (x - p)²; it must vanish, with x on its way to p."""
    rng = np.random.default_rng(134)
    for c, v in zip(rng.uniform(0.5, 1, (4, 3)), rng.normal(size=(4, 3)), strict=True):
        p, omega = capture_point(c, v, g=9.0, ground=0.2), np.sqrt(9.0 / (c[2] - 0.2))
        close(v[:2], -omega * (c - p)[:2], 1e-12)
        assert p[2] == 0.2


@pytest.mark.parametrize("seed", range(4))
def test_least_forces_balance_the_load_within_the_pyramids_with_no_better_ones_near(seed):
    """f is the least of a convex set exactly if f · (g - f) >= 0 for every g of the set: here, corners of it."""
    rng, sides = np.random.default_rng([seed, 234]), 4 + 2 * (seed % 2)
    feet = [Contact(0, 1, contact_normal(P, n), point=P)
            for P, n in zip([c.point + 0.05 * random_unit(rng) for c in FEET],
                            [UP + 0.1 * random_unit(rng) for _ in FEET], strict=True)]
    load = weight_at([*rng.uniform(-0.1, 0.1, 2), 0.3], [*rng.uniform(1.5, 3, 2), -25])
    f = least_forces(feet, 0.3, load, sides)
    W, edges = contact_wrenches(feet, 0.3, sides), contact_wrenches(feet, 0.3, sides)[3:]
    close(sum(np.append(np.cross(c.point, f_k), f_k) for c, f_k in zip(feet, f, strict=True)), -load, 1e-9)
    for c, f_k in zip(feet, f, strict=True):
        assert np.linalg.norm(np.cross(c.n[3:], f_k)) <= 0.3 * (c.n[3:] @ f_k) + 1e-9
    for _ in range(6):
        a = linprog(rng.normal(size=W.shape[1]) + 1.5, A_eq=W, b_eq=-load).x
        g = (edges * a).reshape(3, 4, sides).sum(axis=2).T
        assert (f * (g - f)).sum() >= -1e-6 * (f * f).sum()


def test_least_forces_are_those_of_equal_springs_until_one_would_pull_and_none_where_nothing_holds():
    def loads(c, **more):
        return least_forces(FEET, load=weight_at(c), **{"mu": 0.5, **more})

    close(loads([0.05, 0.03, 0.3])[:, 2], 6.25 * np.array([1.45, 1.05, 0.95, 0.55]), 1e-9)
    close(loads([0.1, 0.1, 0.3], mu=0), [[0, 0, 175 / 12], [0, 0, 25 / 6], [0, 0, 6.25], [0, 0, 0]], 1e-9)
    assert loads([0.21, 0, 0.3]) is None and least_forces(FEET, 0.1, weight_at([0, 0, 0.3], [4, 0, -25])) is None
    assert least_forces(FEET[:1], 0.5, weight_at([0.2, 0.1, 0])) is None and not least_forces(FEET, 0.5, [0] * 6).any()
    close(least_forces(FEET[:1], 0.5, weight_at([0.2, 0.15, 2])), [[0, 0, 25]], 1e-9)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: zero_moment_point([0, 0, 0, 1, 0, -2]), "without pressure"),
    (lambda: capture_point([0, 0, 1], [0, 0, 0], ground=1), "above the ground"),
    (lambda: least_forces([Contact(0, 1, contact_normal([0, 0, 0], UP))], 0.5, np.ones(6)), "does not know its point"),
    (lambda: least_forces(FEET, -1, np.ones(6)), "negative"), (lambda: least_forces(FEET, 1, [1]), "load")])
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
