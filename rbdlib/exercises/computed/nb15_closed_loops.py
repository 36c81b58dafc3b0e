"""Answers of the exercises in data/exercises/15_closed_loops.toml that take a computation."""

from math import exp

from rbdlib.exercises.declare import Computed


def _rates(formula):
    """An answer in the lengths a, c and the bars' angles, from a function of these and of sin."""

    def answer():
        from sympy import sin, symbols

        return formula(*symbols("a c", positive=True), *symbols("th1 th2 th3"), sin)

    return answer


def _lengths(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("a b", positive=True))

    return answer


def _loop(rng):
    """An inertia matrix, a constraint matrix with two rows, and a gap."""
    import numpy as np

    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.2, 1, 3]), rng.normal(size=(2, 3)), rng.normal(size=2)


def _correction(H, K, delta):
    from numpy.linalg import solve

    return -solve(H, K.T @ solve(K @ solve(H, K.T), delta))


def _wrong_way(H, K, delta):
    return -_correction(H, K, delta)


def _unweighted(H, K, delta):
    from numpy.linalg import pinv

    return -pinv(K) @ delta


def _weighted_by_H(H, K, delta):
    from numpy.linalg import solve

    return -H @ K.T @ solve(K @ H @ K.T, delta)


def _as_force(H, K, delta):
    from numpy.linalg import solve

    return -K.T @ solve(K @ solve(H, K.T), delta)


ANSWERS = {
    "15.2": Computed(_rates(lambda a, c, th1, th2, th3, sin: a * sin(th2 - th1) / (c * sin(th2 - th3)))),
    "15.5": Computed(4 * exp(-3), mistakes={
        "entry": exp(-3), "factor": 3 * exp(-3), "units": 400 * exp(-3), "entry 2": 1 - 4 * exp(-3),
        "units 2": 1.3 * exp(-0.3)}),
    "15.7": Computed(_correction, inputs=_loop, mistakes={
        "sign": _wrong_way, "factor": _unweighted, "inverse": _weighted_by_H, "dual": _as_force}),
    "15.8": Computed(_lengths(lambda a, b: -(b - a) / (b + a)))}
