"""Answers of the exercises in data/exercises/01_particle.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import mcI, rz
from rbdlib.exercises.declare import Computed


def _hinge_factors():
    from rbdlib.conventions import fdsv_transform

    return {"X": fdsv_transform(rz(np.pi / 2).T, [0.4, 0.3, 0]), "s": [1, 0, 0, 0, 0, 0]}


def _hinge_in_parent():
    factors = _hinge_factors()
    return factors["X"] @ factors["s"]


def _joint_force(s, f):
    return s[:3] @ f[3:] + s[3:] @ f[:3]


def _turning_rail():
    """The particle on the rail as a model."""
    from sympy import symbols

    from rbdlib.book.ch04_joints import Prismatic, Revolute
    from rbdlib.book.ch04_model import Model
    from rbdlib.numbers.scalars import eye, zeros

    m, g = symbols("m g", positive=True)
    return Model([0, 1], [Revolute("z"), Prismatic("x")], [eye(6), eye(6)],
                 [zeros((6, 6)), mcI(m, [0, 0, 0], zeros((3, 3)))], gravity=(0, -g, 0))


def _turntable_by_rnea():
    from sympy import symbols

    from rbdlib.book.ch05_inverse_dynamics import rnea

    return rnea(_turning_rail(), symbols("q1 q2"), symbols("qd1 qd2"), symbols("qdd1 qdd2"))


def _falling_lamp():
    """The velocity of the lamp's base while its arm bends, and that of a base that could only turn."""
    from rbdlib.book.ch06_factorisation import solve
    from rbdlib.io.model_file import load
    from rbdlib.methods.joint_space import inertia_matrix

    H = inertia_matrix(load("lamp"), [0, 1, 0, 0.5, -1.2])
    return solve(H[:3, :3], -4 * H[:3, 3]), [0, 0, -4 * H[2, 3] / H[2, 2]]


ANSWERS = {
    "1.4": Computed(_hinge_in_parent, product=_hinge_factors),
    "1.6": Computed(_joint_force, inputs=lambda rng: (rng.normal(size=6), rng.normal(size=6)), mistakes={
        "transpose": lambda s, f: s @ f, "sign": lambda s, f: s[:3] @ f[3:] - s[3:] @ f[:3],
        "entry": lambda s, f: s[:3] @ f[3:], "entry 2": lambda s, f: s[3:] @ f[:3]}),
    "1.7": Computed(_turntable_by_rnea, model=_turning_rail),
    "1.8": Computed(lambda: _falling_lamp()[0], mistakes={
        "sign": lambda: -_falling_lamp()[0], "coupling": lambda: _falling_lamp()[1]})}
