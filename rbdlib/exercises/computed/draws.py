"""Random bodies and matrices, with which functions of learners are called, and symbols."""

import numpy as np


def positive(rng, n, more=None):
    """A symmetric positive definite matrix (n x n): A Aᵀ for a random A, plus ``more``, by default the unit matrix."""
    A = rng.normal(size=(n, n))
    return A @ A.T + (np.eye(n) if more is None else more)


def rotational_inertia(rng):
    """The rotational inertia (3 x 3) of some body about its centre of mass."""
    second_moments = positive(rng, 3, 0)
    return np.trace(second_moments) * np.eye(3) - second_moments


def symbols(names, **assumptions):
    """SymPy's, imported when they are needed."""
    import sympy

    return sympy.symbols(names, **assumptions)
