"""Answers of the exercises in data/exercises/more/rbda06.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _arm_entry():
    from sympy import symbols

    from rbdlib.book.ch06_inertia_matrix import crba
    from rbdlib.io.model_file import load

    return crba(load("furuta_pendulum", symbolic=True), symbols("q1 q2"))[0, 0]


def _by_polarisation(T, n):
    e = np.eye(n)
    return np.array([[T(e[i] + e[j]) - T(e[i]) - T(e[j]) for j in range(n)] for i in range(n)])


def _energy(rng):
    A = rng.normal(size=(3, 3))
    H = A @ A.T + np.eye(3)
    return (lambda qd: np.asarray(qd) @ H @ np.asarray(qd) / 2), 3


ANSWERS = {
    "10.52": Computed(_arm_entry),
    "10.54": Computed(_by_polarisation, inputs=_energy, mistakes={
        "coupling": lambda T, n: np.diag([2 * T(e) for e in np.eye(n)]),
        "factor": lambda T, n: _by_polarisation(T, n) / 2,
        "entry": lambda T, n: np.array([[T(a + b) for b in np.eye(n)] for a in np.eye(n)])})}
