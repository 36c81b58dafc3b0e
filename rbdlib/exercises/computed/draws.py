"""Random bodies, mechanisms and matrices, with which functions of learners are called, and symbols."""

import numpy as np

from rbdlib.book.ch04_joints import Helical, Prismatic, RackAndPinion, Revolute
from rbdlib.methods.generators import auto_tree


def positive(rng, n, more=None):
    """A symmetric positive definite matrix (n x n): A Aᵀ for a random A, plus ``more``, by default the unit matrix."""
    A = rng.normal(size=(n, n))
    return A @ A.T + (np.eye(n) if more is None else more)


def rotational_inertia(rng):
    """The rotational inertia (3 x 3) of some body about its centre of mass."""
    second_moments = positive(rng, 3, 0)
    return np.trace(second_moments) * np.eye(3) - second_moments


def mechanism(rng):
    """A chain, a bush or another tree of five bodies, general but for this: each joint has a single freedom."""
    joints = [Revolute("y"), RackAndPinion(0.4), Prismatic("x"), Helical(0.3), RackAndPinion(0.2)]
    parent = rng.choice([(0, 1, 2, 3, 4), (0, 0, 1, 1, 3), (0, 1, 1, 2, 1), (0, 0, 2, 1, 4)]).tolist()
    model = auto_tree(5, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    return model.replace(parent=parent)


def symbols(names, **assumptions):
    """SymPy's, imported when they are needed."""
    import sympy

    return sympy.symbols(names, **assumptions)
