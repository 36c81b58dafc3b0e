"""Answers of the exercises in data/exercises/23_accuracy.toml that take a computation."""

from math import sqrt

from rbdlib.exercises.declare import Computed


def _distance(formula):
    """An answer in the distance c, from a function of it and of a square root."""

    def answer():
        import sympy

        return formula(sympy.symbols("c", positive=True), sympy.sqrt)

    return answer


def _growth(formula):
    """An answer in the rate lam and the sizes d0 and D of a deviation, from a function of these and of SymPy."""

    def answer():
        import sympy

        return formula(*sympy.symbols("lam d0 D", positive=True), sympy)

    return answer


def _two_intervals(rng):
    """Two intervals, given as pairs; now and then one that lies above 0."""
    pairs = [sorted(rng.uniform(-3, 3, 2).tolist()) for _ in range(2)]
    up = 3.5 if rng.random() < 0.3 else 0
    return tuple(tuple(round(x + up * k, 2) for x in pair) for k, pair in enumerate(pairs))


def _product(a, b):
    corners = [x * y for x in a for y in b]
    return [min(corners), max(corners)]


def _ends_only(a, b):
    return [a[0] * b[0], a[1] * b[1]]


def _ends_sorted(a, b):
    return sorted(_ends_only(a, b))


def _all_corners(a, b):
    return [x * y for x in a for y in b]


def _forces(rng):
    """An inertia matrix with a large condition number, forces, and an error of these."""
    import numpy as np

    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.1, 1, 5]), rng.normal(size=3), 0.01 * rng.normal(size=3)


def _amplification(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(solve(H, tau)) / (norm(dtau) / norm(tau))


def _multiplied(H, tau, dtau):
    from numpy.linalg import norm

    return norm(H @ dtau) / norm(H @ tau) / (norm(dtau) / norm(tau))


def _absolute(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(dtau)


def _upside_down(H, tau, dtau):
    return 1 / _amplification(H, tau, dtau)


def _relative_only(H, tau, dtau):
    from numpy.linalg import norm, solve

    return norm(solve(H, dtau)) / norm(solve(H, tau))


def _bound(H, tau, dtau):
    from numpy.linalg import cond

    return cond(H)


ANSWERS = {
    "23.1": Computed(mistakes={"log": 10**6}),
    "23.2": Computed(_distance(lambda c, sqrt: ((2 + c**2 + sqrt((2 + c**2) ** 2 - 4)) / 2) ** 2)),
    "23.4": Computed(_product, inputs=_two_intervals, mistakes={
        "sign": _ends_only, "entry": _ends_sorted, "entry 2": _all_corners}),
    "23.6": Computed(
        mistakes={
            "factor": 50 * 40000 ** (1 / 3), "factor 2": 50 * 40000 ** (1 / 4), "inverse": 50 / sqrt(40000)}),
    "23.7": Computed(_growth(lambda lam, d0, D, s: s.log(D / d0) / lam)),
    "23.8": Computed(_amplification, inputs=_forces, mistakes={
        "inverse": _multiplied, "factor": _absolute, "inverse 2": _upside_down, "entry": _relative_only,
        "entry 2": _bound}),
    "23.9": Computed((10.0**7 / 4) ** 0.25, mistakes={
        "factor": 10 ** (7 / 4), "factor 2": sqrt(10.0**7 / 4), "inverse": 4 * 7.0**4})}
