"""Answers of the exercises in data/exercises/more/rbda05.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import crm, mcI, rotz, xlt
from rbdlib.exercises.declare import Computed


def _two_links(*masses):
    """An arm of two massless links of 0.5 m in a vertical plane with point masses at their ends."""
    from rbdlib.book.ch04_joints import Revolute
    from rbdlib.book.ch04_model import Model

    inertia = [mcI(m, [0.5, 0, 0], np.zeros((3, 3))) for m in masses]
    return Model([0, 1], [Revolute("z")] * 2, [xlt([0, 0, 0]), xlt([0.5, 0, 0])], inertia, gravity=(0, -9.81, 0))


def _holding(masses=(2, 1), q=(np.pi / 6, np.pi / 3)):
    def torques():
        from rbdlib.book.ch05_inverse_dynamics import bias_force

        return bias_force(_two_links(*masses), q, [0, 0])

    return torques


def _second_bias():
    from sympy import symbols

    from rbdlib.book.ch05_inverse_dynamics import bias_force
    from rbdlib.io.model_file import load

    return bias_force(load("double_pendulum", symbolic=True), symbols("q1 q2"), symbols("qd1 qd2"))[1]


def _one_step(rng):
    X = rotz(rng.normal()) @ xlt(rng.normal(size=3))
    return (X, rng.normal(size=6), np.array([0, 0, 1, 0, 0, 0.0]), *rng.normal(size=2), rng.normal(size=6))


ANSWERS = {
    "9.51": Computed(_holding(), mistakes={
        "relative": _holding(q=(np.pi / 6, np.pi / 6)), "sign": lambda: -_holding()(),
        "entry": _holding(masses=(2, 1e-12)), "gravity": lambda: _holding()() / 9.81}),
    "9.52": Computed(_second_bias),
    "9.53": Computed(
        lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd + crm(v) @ S * qd,
        inputs=_one_step,
        mistakes={
            "bias": lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd,
            "frame": lambda X, a_parent, S, qd, qdd, v: a_parent + S * qdd + crm(v) @ S * qd,
            "sign": lambda X, a_parent, S, qd, qdd, v: X @ a_parent + S * qdd - crm(v) @ S * qd})}
