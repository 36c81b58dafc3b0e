"""Answers of the exercises in data/exercises/17_hybrid_dynamics.toml that take a computation."""

import math

import numpy as np

from rbdlib.exercises.declare import Computed


def _motion(t):
    """Some motion that stands at 1 for t < 0 and starts with a jump: its position, velocity and acceleration."""
    if t < 0:
        return 1.0, 0.0, 0.0
    return 1 + 0.7 * t**2 + 0.5 * t**3, 1.4 * t + 1.5 * t**2, 1.4 + 3 * t


def _motion_inputs(rng):
    """A delay, and a time as likely before it as after it."""
    delay = rng.uniform(0.4, 0.9)
    return _motion, delay, delay * rng.uniform(0.1, 1.9)


def _combined(now, ago, then=lambda t, delay: t - delay):
    """A function for exercise 17.4: the motion now and then, each times a factor."""
    return lambda motion, delay, t: now * np.array(motion(t)) + ago * np.array(motion(then(t, delay)))


def _from_nowhere(motion, delay, t):
    return np.array(motion(t)) / 2 + (np.array(motion(t - delay)) / 2 if t >= delay else 0)


def _matrix_inputs(rng):
    A = rng.normal(size=(5, 5))
    two = sorted(rng.choice(5, 2, replace=False).tolist())
    one = [k for k in range(5) if k not in two]
    return A @ A.T + 5 * np.eye(5), rng.normal(size=5), one, two, rng.normal(size=3), rng.normal(size=2)


def _blocks(coupling=1, sign=1, own=1, bias=1):
    """The two rows of RBDA 9.2, with factors by which single terms can be left out or reversed."""

    def by_blocks(H, C, one, two, tau_1, qdd_2):
        H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
        qdd_1 = np.linalg.solve(H_11, tau_1 - bias * C[one] - coupling * H_12 @ qdd_2)
        tau_2 = H_21 @ qdd_1 + own * H_22 @ qdd_2 + C[two]
        return np.concatenate([qdd_1, sign * tau_2])

    return by_blocks


ANSWERS = {
    "17.2": Computed(-math.atan(3 / 9.81), mistakes={
        "sign": math.atan(3 / 9.81),
        "degrees": -math.degrees(math.atan(3 / 9.81)),
        "inverse": -math.atan(9.81 / 3),
        "factor": -2 * math.atan(3 / 9.81)}),
    "17.4": Computed(_combined(0.5, 0.5), inputs=_motion_inputs, mistakes={
        "factor": _combined(1, 1), "sign": _combined(0.5, 0.5, lambda t, delay: t + delay),
        "sign 2": _combined(0.5, -0.5), "entry": _combined(1, 0), "entry 2": _combined(0, 1), "entry 3": _from_nowhere,
        "entry 4": _combined(0.5, 0.5, lambda t, delay: max(t - delay, 0))}),
    "17.5": Computed(_blocks(), inputs=_matrix_inputs, mistakes={
        "entry": _blocks(coupling=0), "entry 2": _blocks(own=0), "factor": _blocks(own=2), "sign": _blocks(sign=-1),
        "entry 3": _blocks(bias=0)})}
