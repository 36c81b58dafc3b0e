"""Computed answers about direct collocation (notebook 35): defects of the trapezoidal rule and their Jacobian."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _defects(f, x, u, h, *, rule=lambda F, h: h / 2 * (F[:-1] + F[1:]),
             together=lambda change, integral: change - integral, knots=lambda x, u: (x, u),
             change=lambda x: x[1:] - x[:-1]):
    """Exercise 35.3: the defects of the trapezoidal rule."""
    return together(change(x), rule(f(*knots(x, u)), h))


def _plant_and_knots(rng):
    """A plant x' = A x + B u + sin(x) with three states and two inputs, six knots, and a step."""
    A, B = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    x, u = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    return lambda x, u: x @ A + u @ B + np.sin(x), x, u, rng.uniform(0.1, 0.3)


def _jacobian(A, B, h, *, one=1, half=0.5, sign=-1, inputs=1, second=lambda k: k + 1, later=1, order=0, turned=False):
    """Exercise 35.4: the Jacobian of the defects.

    one: the factor of the unit matrices; second: the knot whose A and B stand in the right-hand blocks; order: 1 for
    all states before all inputs; turned: whether A is transposed.
    """
    K, n, m = B.shape
    J = np.zeros((K - 1, n, K, n + m))
    A = A.swapaxes(1, 2) if turned else A
    for k in range(K - 1):
        for at, s, side in ((k, k, -1), (k + 1, second(k), 1)):
            share = sign * half * h * (later if side == 1 else 1)
            J[k, :, at, :n] = side * one * np.eye(n) + share * A[s]
            J[k, :, at, n:] = inputs * share * B[s]
    if order:
        J = np.concatenate([J[..., :n].reshape((K - 1) * n, -1), J[..., n:].reshape((K - 1) * n, -1)], axis=1)
    return J.reshape((K - 1) * n, K * (n + m))


ANSWERS = {
    "35.3": Computed(_defects, inputs=_plant_and_knots, mistakes={
        "rule": dict(rule=lambda F, h: h * F[:-1]), "rule 2": dict(rule=lambda F, h: h * F[1:]),
        "factor": dict(rule=lambda F, h: h * (F[:-1] + F[1:])),
        "factor 2": dict(rule=lambda F, h: (F[:-1] + F[1:]) / 2),
        "sign": dict(together=lambda change, integral: change + integral),
        "sign 2": dict(rule=lambda F, h: h / 2 * (F[1:] - F[:-1])),
        "knot": dict(knots=lambda x, u: (x, np.roll(u, -1, axis=0))), "knot 2": dict(change=lambda x: x[:-1]),
        "term": dict(together=lambda change, integral: integral)}),
    "35.4": Computed(
        _jacobian, inputs=lambda rng: (rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 3, 2)), rng.uniform(0.1, 0.3)),
        mistakes={
            "term": dict(one=0), "factor": dict(half=1), "sign": dict(sign=1), "sign 2": dict(later=-1),
            "inputs": dict(inputs=0), "knot": dict(second=lambda k: k), "knot 2": dict(later=0), "order": dict(order=1),
            "transpose": dict(turned=True)})}
