"""Answers of the exercises in data/exercises/10_joint_space_inertia.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _arm(formula):
    """An answer to exercise 10.3, from a function of sympy and its symbols."""

    def answer():
        import sympy

        return formula(*sympy.symbols("m3 l1 l2 l3"), *(sympy.cos(q) for q in sympy.sympify(("q3", "q2 + q3"))))

    return answer


def _in_d(formula):
    """An answer to exercise 10.8, from a function of d."""

    def answer():
        from sympy import symbols

        return formula(symbols("d"))

    return answer


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


def _solve_Lt(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        j = parent[i]
        while j != 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = parent[j]
    return x


def _solve_L(parent, L, b):
    x = b.copy()
    for i in range(1, len(x)):
        for j in _ancestors(parent, i):
            x[i] = x[i] - L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
    return x


def _from_the_root(parent, L, b):
    x = b.copy()
    for i in range(1, len(x)):
        x[i] = x[i] / L[i, i]
        for j in _ancestors(parent, i):
            x[j] = x[j] - L[i, j] * x[i]
    return x


def _parents_only(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        x[parent[i]] = x[parent[i]] - L[i, parent[i]] * x[i]
    x[0] = 0
    return x


def _parents_and_base(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] / L[i, i]
        x[parent[i]] = x[parent[i]] - L[i, parent[i]] * x[i]
    return x


def _without_dividing(parent, L, b):
    x = b.copy()
    for i in range(len(x) - 1, 0, -1):
        for j in _ancestors(parent, i):
            x[j] = x[j] - L[i, j] * x[i]
    return x


def _all_of_L(parent, L, b):
    return np.linalg.solve(L.T, b)


def _every_row(parent, L, b):
    return np.concatenate([[0], np.linalg.solve(np.tril(L)[1:, 1:].T, b[1:])])


ANSWERS = {
    "10.3": Computed(_arm(lambda m, l1, l2, l3, c3, c23: m * l3 * (l3 / 3 + (l2 * c3 + l1 * c23) / 2))),
    "10.6": Computed(_solve_Lt, inputs=_triangular, mistakes={
        "transpose": _solve_L, "order": _from_the_root, "entry": _parents_only, "entry 2": _parents_and_base,
        "factor": _without_dividing, "entry 3": _every_row, "entry 4": _all_of_L}),
    "10.8": Computed(_in_d(lambda d: (d - 2) * 2**d + 2))}
