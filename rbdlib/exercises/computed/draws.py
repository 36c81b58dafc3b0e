"""Random bodies, mechanisms and matrices, with which functions of learners are called; what wrong answers make of them.
"""

import numpy as np

from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Helical, Prismatic, RackAndPinion, Revolute
from rbdlib.methods.generators import auto_tree


def normal(rng, *shapes):
    """Normally distributed numbers in arrays of these shapes, of which a number is the length of a vector; a list."""
    return [rng.normal(size=shape) for shape in shapes]


def positive(rng, n, more=None):
    """A symmetric positive definite matrix (n x n): A Aᵀ for a random A, plus ``more``, by default the unit matrix."""
    A = rng.normal(size=(n, n))
    return A @ A.T + (np.eye(n) if more is None else more)


def rotational_inertia(rng):
    """The rotational inertia (3 x 3) of some body about its centre of mass."""
    second_moments = positive(rng, 3, 0)
    return np.trace(second_moments) * np.eye(3) - second_moments


def inertia(rng):
    """A rigid-body inertia about an origin that is not the centre of mass."""
    return mcI(rng.uniform(1, 5), rng.normal(size=3), rotational_inertia(rng))


def tree(rng, joints, parents):
    """A random model whose bodies have one of the given lists of parents, and these joints in turn."""
    model = auto_tree(len(parents[0]), seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    return model.replace(parent=rng.choice(parents).tolist())


def mechanism(rng):
    """A chain, a bush or another tree of five bodies, general but for this: each joint has a single freedom."""
    joints = [Revolute("y"), RackAndPinion(0.4), Prismatic("x"), Helical(0.3), RackAndPinion(0.2)]
    return tree(rng, joints, [(0, 1, 2, 3, 4), (0, 0, 1, 1, 3), (0, 1, 1, 2, 1), (0, 0, 2, 1, 4)])


def symbols(names, **assumptions):
    """SymPy's, imported when they are needed."""
    import sympy

    return sympy.symbols(names, **assumptions)


# What wrong answers take for what they are given


def left_out(x):
    """Nothing, in the form of x."""
    return 0 * x


def unit(matrix):
    """The unit matrix in place of another."""
    return np.eye(len(matrix))


def chained(model):
    """The model as if the body before each were its parent."""
    return model.replace(parent=range(model.N_B))


def weightless(model):
    """The model without gravity."""
    return model.replace(gravity=(0, 0, 0))


def upside_down(model):
    """The model with the gravity reversed."""
    return model.replace(gravity=-np.asarray(model.gravity))


#: The functions that the files of exercises name, where a wrong answer takes something else for an argument.
STEPS = {step.__name__: step for step in (
    left_out, unit, chained, weightless, upside_down, np.negative, np.transpose, np.reciprocal, np.sqrt, np.square,
    np.degrees, np.ones_like)} | {
    "inverse": np.linalg.inv, "doubled": lambda x: 2 * x, "halved": lambda x: x / 2, "one": lambda x: 1}
