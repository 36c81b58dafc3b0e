"""What the project's checks demand, by plane geometry and statics, without the library's loop algorithms."""

from functools import cache

import numpy as np

A, B, C, GROUND, DENSITY, G = 0.15, 0.45, 0.35, 0.4, 2.0, 9.81
ANGLES = np.linspace(0.1, 6.2, 13)


def _points(angle):
    """The end of the crank, the pin between coupler and rocker (above the line between), and the rocker's hinge."""
    P, O = A * np.array([np.cos(angle), np.sin(angle)]), np.array([GROUND, 0.0])
    d = np.linalg.norm(P - O)
    along = (P - O) / d
    x = (d**2 + C**2 - B**2) / (2 * d)
    y = np.sqrt(C**2 - x**2)
    return P, O + x * along + y * np.array([along[1], -along[0]]), O


def _cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


@cache
def _samples(work):
    """The crank angles with the configurations that belong to them."""
    return tuple(zip(ANGLES, np.array(work.positions(ANGLES)), strict=True))


def loops_are_closed(work):
    for angle, q in _samples(work):
        _, pin, O = _points(angle)
        assert abs(q[0] - angle) < 1e-9, "positions(angles)[k][0] is not the k-th crank angle."
        coupler = _points(angle)[0] + B * np.array([np.cos(q[0] + q[1]), np.sin(q[0] + q[1])])
        rocker = O + C * np.array([np.cos(q[2]), np.sin(q[2])])
        gap = np.linalg.norm(coupler - rocker)
        assert gap < 1e-8, (f"At a crank angle of {angle:.2f} the loop is open by {gap:.2g} m. (q[1] is relative to "
                            "the crank, q[2] is counted from the x axis.)")
        assert np.allclose(rocker, pin, atol=1e-7), f"At {angle:.2f} this is the other branch, the press turned over."


def ratio_is_the_slope(work):
    angles = ANGLES[1::5]
    found = np.array(work.positions(np.concatenate([[x - 1e-5, x, x + 1e-5] for x in angles])))
    for angle, (before, at, after) in zip(angles, found.reshape(-1, 3, 3), strict=True):
        slope = (after[2] - before[2]) / 2e-5
        assert abs(work.ratio(at) - slope) < 1e-6, f"At {angle:.2f} the rocker turns {slope:.4f} as fast as the crank."


def power_is_kept(work):
    for _, q in _samples(work):
        power = work.crank_torque(q, 50.0) + 50.0 * work.ratio(q)
        assert abs(power) < 1e-8, "At unit rate of the crank the two powers must cancel."


def dead_points_are_found(work):
    def angle(reach):
        return np.arccos((GROUND**2 + reach**2 - C**2) / (2 * GROUND * reach))

    expected = [angle(B + A), np.pi + angle(B - A)]
    found = np.sort(np.mod(work.dead_points(), 2 * np.pi))
    assert np.shape(found) == (2,), f"There are two dead points in a turn, not {len(found)}."
    assert np.allclose(found, expected, atol=1e-6), "At a dead point crank and coupler lie in one line."


def pin_force_balances(work):
    for angle, q in _samples(work):
        P, pin, O = _points(angle)
        weights = np.array([0, -DENSITY * B * G]), np.array([0, -DENSITY * C * G])
        arms = pin - P, pin - O
        matrix = np.array([[-arms[0][1], arms[0][0]], [arms[1][1], -arms[1][0]]])       # force on the coupler
        right = [-_cross(arms[0] / 2, weights[0]), -_cross(arms[1] / 2, weights[1]) - 50.0]
        expected = np.linalg.norm(np.linalg.solve(matrix, right))
        got = work.pin_force(q, 50.0)
        assert abs(got - expected) < 1e-5 * expected, f"At {angle:.2f} the pin carries {expected:.2f} N, not {got:.2f}."


CHECKS = (
    (4, "the loop is closed at every crank angle, always on the same branch", loops_are_closed),
    (4, "the ratio is the slope of the rocker's angle", ratio_is_the_slope),
    (2, "what the crank puts in, the load takes out", power_is_kept),
    (4, "the two dead points", dead_points_are_found),
    (4, "the force in the pin, by statics", pin_force_balances),
)
