"""Answers of the exercises in data/exercises/03_motion_and_force.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _carried_hinge():
    from rbdlib.book.ch02_spatial import crm, free_motion, line_motion

    return crm(free_motion([0, 2, 0])) @ line_motion([0, 0, 1], [1, 0, 0])


def _carried_hinge_factors():
    from rbdlib.book.ch02_spatial import crm, free_motion, line_motion

    return {"v×": crm(free_motion([0, 2, 0])), "m": line_motion([0, 0, 1], [1, 0, 0])}


def _force_rate(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n) + np.cross(v_O, force), np.cross(omega, force)])


def _rate_as_of_a_motion(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n), np.cross(omega, force) + np.cross(v_O, n)])


def _rate_of_turning_only(v, f):
    return np.concatenate([np.cross(v[:3], f[:3]), np.cross(v[:3], f[3:])])


def _rate_with_reversed_lever(v, f):
    omega, v_O, n, force = v[:3], v[3:], f[:3], f[3:]
    return np.concatenate([np.cross(omega, n) - np.cross(v_O, force), np.cross(omega, force)])


def _polar(radial, tangential):
    """An answer to exercise 3.5, from the texts' coefficients of (r'', omega² r) and (omega' r, omega r')."""

    def answer():
        from sympy import symbols

        r, rd, rdd, omega, omegad = symbols("r rd rdd omega omegad")
        return [radial[0] * rdd + radial[1] * omega**2 * r, tangential[0] * omegad * r + tangential[1] * omega * rd, 0]

    return answer


def _rod_at_its_end():
    from rbdlib.book.ch02_spatial import mcI

    return mcI(3, [1, 0, 0], np.diag([0, 1, 1]))


def _wrong_rod(upper_left, c):
    def answer():
        from rbdlib.book.ch02_spatial import skew

        return np.block([[np.diag(upper_left), 3 * skew(c)], [-3 * skew(c), 3 * np.eye(3)]])

    return answer


def _shaft():
    from rbdlib.book.ch02_spatial import mcI

    return np.array([0, 0, 50, 0, 0, 0]), mcI(4, [0.02, 0, 0.1], np.diag([0.03, 0.03, 0.02]))


def _shaft_force():
    from rbdlib.book.ch02_spatial import bias_force

    v, I = _shaft()
    return bias_force(I, v)


def _shaft_force_factors():
    from rbdlib.book.ch02_spatial import crf

    v, I = _shaft()
    return {"v×*": crf(v), "I": I, "v": v}


def _squared_rate(formula):
    """An answer to exercise 3.8, from a function of (I_1, I_2, I_3)."""

    def answer():
        from sympy import symbols

        I_1, I_2, I_3, Omega = symbols("I_1 I_2 I_3 Omega")
        return Omega**2 * formula(I_1, I_2, I_3)

    return answer


ANSWERS = {
    "3.1": Computed(_carried_hinge, product=_carried_hinge_factors),
    "3.2": Computed(_force_rate, inputs=lambda rng: (rng.normal(size=6), rng.normal(size=6)), mistakes={
        "dual": _rate_as_of_a_motion, "entry": _rate_of_turning_only, "sign": _rate_with_reversed_lever}),
    "3.5": Computed(_polar((1, -1), (1, 2))),
    "3.6": Computed(_rod_at_its_end, mistakes={
        "frame": _wrong_rod((0, 1, 1), (1, 0, 0)), "transpose": _wrong_rod((0, 4, 4), (-1, 0, 0)),
        "frame 2": _wrong_rod((0, 4, 4), (0, 0, 0)), "sign": _wrong_rod((0, -2, -2), (1, 0, 0)),
        "factor": _wrong_rod((0, 13, 13), (2, 0, 0))}),
    "3.7": Computed(_shaft_force, product=_shaft_force_factors),
    "3.8": Computed(_squared_rate(lambda a, b, c: (b - a) * (c - b) / (a * c)))}
