"""Answers of the exercises in data/exercises/02_spatial_vectors.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import couple, force_transform, free_motion, line_force, line_motion, rotz, rx, xlt
from rbdlib.exercises.declare import Computed


def _unit_rotation_about_Py():
    from sympy import symbols

    return line_motion([0, 1, 0], symbols("p_x p_y p_z"))


def _screw():
    from rbdlib.methods.screws import screw_of_motion

    screw = screw_of_motion([0, 0, 2, 1, -0.4, 0.5])
    return [screw.pitch, *screw.point]


def _force_at(f, r):
    from rbdlib.book.ch02_spatial import moment_at

    return np.concatenate([moment_at(f, r), f[3:]])


def _power_of_a_wrench_on_a_twist():
    from sympy import symbols

    omega, F, h_1, h_2, d, alpha = symbols("omega F h_1 h_2 d alpha")
    z = np.array([0, 0, 1])
    u = rx(alpha).T @ z
    m = omega * (line_motion(z, 0 * z) + h_1 * free_motion(z))
    f = F * (line_force(u, [d, 0, 0]) + h_2 * couple(u))
    return m @ f


ANSWERS = {
    "2.2": Computed(_unit_rotation_about_Py),
    "2.3": Computed(lambda: line_force([10, 0, 0], [0, 0.2, 0]) + line_force([-20, 0, 0], [0, -0.2, 0])),
    "2.4": Computed(_screw),
    "2.6": Computed(
        _force_at,
        inputs=lambda rng: (rng.normal(size=6), rng.normal(size=3)),
        product=lambda f, r: {"X*": force_transform(xlt(r)), "f": f},
        mistakes={
            "dual": lambda f, r: np.concatenate([f[:3], f[3:] - np.cross(r, f[:3])]),
            "sign": lambda f, r: np.concatenate([f[:3] + np.cross(r, f[3:]), f[3:]]),
            "entry": lambda f, r: np.concatenate([np.cross(f[3:], r), f[3:]])}),
    "2.7": Computed(
        lambda: rotz(np.pi / 2) @ xlt([-2, 0, 0]),
        product=lambda: {"xlt": xlt([0, 2, 0]), "rotz": rotz(np.pi / 2)},
        mistakes={
            "frame": lambda: rotz(np.pi / 2) @ xlt([0, 2, 0]), "transpose": lambda: rotz(-np.pi / 2) @ xlt([-2, 0, 0]),
            "sign": lambda: rotz(np.pi / 2) @ xlt([2, 0, 0])}),
    "2.8": Computed(_power_of_a_wrench_on_a_twist)}
