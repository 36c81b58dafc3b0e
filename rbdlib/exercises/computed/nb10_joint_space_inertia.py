"""Answers of the exercises in data/exercises/10_joint_space_inertia.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _triangular(rng):
    """A tree, a lower triangular L with its pattern and leftovers elsewhere, a vector; place 0 is not used."""
    parent = (0, 0, 1, 1, 2, 2, 3, 6)
    L = rng.uniform(2, 9, (8, 8))
    for k in range(1, 8):
        L[k, _ancestors(parent, k)] = rng.uniform(0.5, 2, len(_ancestors(parent, k)))
        L[k, k] = rng.uniform(1, 2)
    b = rng.uniform(-3, 3, 8)
    b[0] = 0
    return parent, L, b


def _ancestors(parent, k):
    return [parent[k], *_ancestors(parent, parent[k])] if parent[k] else []


def _solve_Lt(order=range(7, 0, -1), divide=True, reach=_ancestors):
    """A function for exercise 10.6, which may take another order, not divide, or reach other bodies than ancestors."""

    def solve_Lt(parent, L, b):
        x = b.copy()
        for i in order:
            x[i] = x[i] / L[i, i] if divide else x[i]
            for j in reach(parent, i):
                x[j] = x[j] - L[i, j] * x[i]
        return x

    return solve_Lt


def _solve_L(parent, L, b):
    x = b.copy()
    for i in range(1, len(x)):
        for j in _ancestors(parent, i):
            x[i] = x[i] - L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
    return x


ANSWERS = {
    "10.6": Computed(_solve_Lt(), inputs=_triangular, mistakes={
        "transpose": _solve_L,
        "order": _solve_Lt(range(1, 8)),
        "entry": _solve_Lt(reach=lambda parent, i: _ancestors(parent, i)[:1]),
        "entry 2": _solve_Lt(reach=lambda parent, i: [parent[i]]),
        "factor": _solve_Lt(divide=False),
        "entry 3": lambda parent, L, b: np.concatenate([[0], np.linalg.solve(np.tril(L)[1:, 1:].T, b[1:])]),
        "entry 4": lambda parent, L, b: np.linalg.solve(L.T, b)})}
