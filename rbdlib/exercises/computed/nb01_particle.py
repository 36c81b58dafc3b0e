"""Answers of the exercises in data/exercises/01_particle.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _hinge_in_parent():
    factors = _hinge_factors()
    return factors["X"] @ factors["s"]


def _hinge_factors():
    from math import pi

    from rbdlib.book.ch02_spatial import rz
    from rbdlib.conventions import fdsv_transform

    return {"X": fdsv_transform(rz(pi / 2).T, [0.4, 0.3, 0]), "s": [1, 0, 0, 0, 0, 0]}


def _joint_force(s, f):
    return s[:3] @ f[3:] + s[3:] @ f[:3]


def _axis_and_force(rng):
    return rng.normal(size=6), rng.normal(size=6)


def _turntable():
    """Joint forces of a particle on a turning rail, with what a slip of the pen would change: (Q, its pieces)."""
    from sympy import cos, sin, symbols

    m, g = symbols("m g", positive=True)
    q1, q2, qd1, qd2, qdd1, qdd2 = symbols("q1 q2 qd1 qd2 qdd1 qdd2")
    return {
        "spin": m * q2**2 * qdd1,
        "coriolis": 2 * m * q2 * qd1 * qd2,
        "weight across": m * g * q2 * cos(q1),
        "stretch": m * qdd2,
        "centrifugal": -m * q2 * qd1**2,
        "weight along": m * g * sin(q1),
        "weight with sine": m * g * q2 * sin(q1),
        "weight with cosine": m * g * cos(q1),
    }


def _turning_rail():
    """The particle on the rail as a model."""
    from sympy import symbols

    from rbdlib.book.ch02_spatial import mcI
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


def _turntable_with(across, along):
    def answer():
        pieces = _turntable()
        return [sum(factor * pieces[name] for name, factor in terms.items()) for terms in (across, along)]

    return answer


_ACROSS = {"spin": 1, "coriolis": 1, "weight across": 1}
_ALONG = {"stretch": 1, "centrifugal": 1, "weight along": 1}


def _falling_lamp():
    import numpy as np

    from rbdlib.book.ch06_factorisation import solve
    from rbdlib.io.model_file import load
    from rbdlib.methods.joint_space import inertia_matrix

    H = inertia_matrix(load("lamp"), [0, 1, 0, 0.5, -1.2])
    return H, solve(H[:3, :3], -4 * H[:3, 3]), np.array([0, 0, -4 * H[2, 3] / H[2, 2]])


ANSWERS = {
    "1.3": Computed(mistakes={"bias": (1 / 7, -11 / 14), "coupling": (-1 / 3, -2.0)}),
    "1.4": Computed(_hinge_in_parent, product=_hinge_factors),
    "1.6": Computed(_joint_force, inputs=_axis_and_force, mistakes={
        "transpose": lambda s, f: s @ f, "sign": lambda s, f: s[:3] @ f[3:] - s[3:] @ f[:3],
        "entry": lambda s, f: s[:3] @ f[3:], "entry 2": lambda s, f: s[3:] @ f[:3]}),
    "1.7": Computed(_turntable_by_rnea, model=_turning_rail, mistakes={
        "factor": _turntable_with({**_ACROSS, "coriolis": 1 / 2}, _ALONG)}),
    "1.8": Computed(lambda: _falling_lamp()[1], mistakes={
        "sign": lambda: -_falling_lamp()[1], "coupling": lambda: _falling_lamp()[2]})}
