"""Reference solution: fold up, turn quickly, and open again just in time."""

from functools import cache

import numpy as np
from athlete import ARMS, BODIES, FLIGHT, LEGS, athlete, take_off
from scipy.optimize import brentq

from rbdlib.book.ch02_spatial import xlt
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.motion.simulate import simulate

MODEL = athlete()
CLOSE, OPEN = (0.05, 0.35), (0.75, 1.05)


def moment_of_inertia(arms, legs):
    """That of the whole body about its centre of mass (kg m²), for these angles of arms and legs (rad)."""
    q = np.array([0, 0, 0, arms, legs])
    X = body_transforms(MODEL, q)
    to_C = xlt(centre_of_mass(MODEL, q))
    inertia = sum(X[i].T @ MODEL.inertia[i] @ X[i] for i in MODEL.bodies)
    shifted = np.linalg.inv(to_C).T @ inertia @ np.linalg.inv(to_C)
    return shifted[2, 2]


def smooth(x):
    """From 0 to 1 with its first and second derivative, all of them continuous: a polynomial of fifth degree."""
    if x <= 0 or x >= 1:
        return float(x >= 1), 0.0, 0.0
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)


def fold(t, depth):
    """How far folded, from 0 to depth and back, with rates."""
    (a, b), (c, d) = CLOSE, OPEN
    close, opening = smooth((t - a) / (b - a)), smooth((t - c) / (d - c))
    return [depth * (close[k] / (b - a) ** k - opening[k] / (d - c) ** k) for k in range(3)]


def plan_with(depth):
    """The plan that folds the legs up by depth (rad) and brings the arms down to them."""
    def plan(t):
        legs = np.array(fold(t, depth))
        return {ARMS: tuple(-1.1 * legs), LEGS: tuple(legs)}

    return plan


def fly(plan, times):
    """The flight: the trajectory with arms and legs moved as planned."""
    def follow(place):
        return lambda t: tuple([x] for x in plan(t)[place])

    q, qd = take_off()
    return simulate(MODEL, q, qd, times, prescribed={BODIES[place]: follow(place) for place in (ARMS, LEGS)},
                    method="rk4", dt=0.01, progress=False)


@cache
def depth():
    """The depth (rad) of the fold with which the trunk has turned exactly once at landing."""
    return brentq(lambda x: fly(plan_with(x), (0, FLIGHT)).q[-1, 2] - 2 * np.pi, 0.5, 2.5, xtol=1e-4)


def plan(t):
    """Angle, rate and acceleration of arms and legs at the time t: {ARMS: (q, qd, qdd), LEGS: (q, qd, qdd)}."""
    return plan_with(depth())(t)
