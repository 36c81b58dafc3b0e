"""Answers of the exercises in data/exercises/18_floating_bases.toml that take a computation."""

from math import acos, sqrt

import numpy as np

from rbdlib.exercises.declare import Computed


def _equation(rng):
    """The coefficients of RBDA Eq. 9.13 for some system with three joints, and tau."""
    B = rng.normal(size=(9, 9))
    M = B @ B.T + 3 * np.eye(9)
    return M[:6, :6], M[:6, 6:], M[6:, 6:], rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)


def _joint_space(base=-1, bias=1):
    """A function for exercise 18.3, with the factors of what the base adds to H and to the forces."""
    return lambda I_c0, F, H, C, p_c0, tau: np.linalg.solve(
        H + base * F.T @ np.linalg.solve(I_c0, F), tau - C + bias * F.T @ np.linalg.solve(I_c0, p_c0))


def _tumbling(rng):
    I_c0, F, _, _, _, qd = _equation(rng)
    return I_c0, F, qd, rng.normal(size=6)


def _hull_velocity(I_c0, F, qd, h):
    return np.linalg.solve(I_c0, h - F @ qd)


#: The half of the bend that turns the cat by pi if B = 3A.
GAMMA = acos((sqrt(7) - 1) / 2)

ANSWERS = {
    "18.3": Computed(_joint_space(), inputs=_equation, mistakes={
        "entry": _joint_space(0, 0), "entry 2": _joint_space(bias=0), "sign": _joint_space(bias=-1),
        "sign 2": _joint_space(base=1)}),
    "18.6": Computed(_hull_velocity, inputs=_tumbling, mistakes={
        "entry": lambda I_c0, F, qd, h: -np.linalg.solve(I_c0, F @ qd),
        "entry 2": lambda I_c0, F, qd, h: np.linalg.solve(I_c0, h),
        "sign": lambda I_c0, F, qd, h: np.linalg.solve(I_c0, h + F @ qd)}),
    "18.8": Computed(2 * GAMMA, mistakes={"factor": GAMMA, "entry": (7**0.5 - 1) / 2})}
