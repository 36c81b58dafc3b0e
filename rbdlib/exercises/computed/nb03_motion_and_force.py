"""Answers of the exercises in data/exercises/03_motion_and_force.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import bias_force, crf, crm, free_motion, line_motion, mcI, skew
from rbdlib.exercises.declare import Computed


def _force_rate(v, f):
    return np.concatenate([np.cross(v[:3], f[:3]) + np.cross(v[3:], f[3:]), np.cross(v[:3], f[3:])])


def _wrong_rod(upper_left, c):
    return lambda: np.block([[np.diag(upper_left), 3 * skew(c)], [-3 * skew(c), 3 * np.eye(3)]])


#: The velocity and the inertia of the shaft in exercise 3.7.
V, I = np.array([0, 0, 50, 0, 0, 0]), mcI(4, [0.02, 0, 0.1], np.diag([0.03, 0.03, 0.02]))

ANSWERS = {
    "3.1": Computed(lambda: crm(free_motion([0, 2, 0])) @ line_motion([0, 0, 1], [1, 0, 0]),
                    product=lambda: {"v×": crm(free_motion([0, 2, 0])), "m": line_motion([0, 0, 1], [1, 0, 0])}),
    "3.2": Computed(_force_rate, inputs=lambda rng: (rng.normal(size=6), rng.normal(size=6)), mistakes={
        "dual": lambda v, f: np.concatenate([np.cross(v[:3], f[:3]), np.cross(v[:3], f[3:]) + np.cross(v[3:], f[:3])]),
        "entry": lambda v, f: _force_rate([*v[:3], 0, 0, 0], f),
        "sign": lambda v, f: _force_rate([*v[:3], *-v[3:]], f)}),
    "3.6": Computed(lambda: mcI(3, [1, 0, 0], np.diag([0, 1, 1])), mistakes={
        "frame": _wrong_rod((0, 1, 1), (1, 0, 0)), "transpose": _wrong_rod((0, 4, 4), (-1, 0, 0)),
        "frame 2": _wrong_rod((0, 4, 4), (0, 0, 0)), "sign": _wrong_rod((0, -2, -2), (1, 0, 0)),
        "factor": _wrong_rod((0, 13, 13), (2, 0, 0))}),
    "3.7": Computed(bias_force(I, V), product=lambda: {"v×*": crf(V), "I": I, "v": V})}
