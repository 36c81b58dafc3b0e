"""Answers of the exercises in data/exercises/15_closed_loops.toml that take a computation."""

from math import exp

import numpy as np

from rbdlib.exercises.declare import Computed


def _loop(rng):
    """An inertia matrix, a constraint matrix with two rows, and a gap."""
    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.2, 1, 3]), rng.normal(size=(2, 3)), rng.normal(size=2)


def _correction(H, K, delta):
    return -np.linalg.solve(H, K.T @ np.linalg.solve(K @ np.linalg.solve(H, K.T), delta))


ANSWERS = {
    "15.5": Computed(4 * exp(-3), mistakes={
        "entry": exp(-3), "factor": 3 * exp(-3), "units": 400 * exp(-3), "entry 2": 1 - 4 * exp(-3),
        "units 2": 1.3 * exp(-0.3)}),
    "15.7": Computed(_correction, inputs=_loop, mistakes={
        "sign": lambda H, K, delta: -_correction(H, K, delta), "factor": lambda H, K, delta: -np.linalg.pinv(K) @ delta,
        "inverse": lambda H, K, delta: -H @ K.T @ np.linalg.solve(K @ H @ K.T, delta),
        "dual": lambda H, K, delta: -K.T @ np.linalg.solve(K @ np.linalg.solve(H, K.T), delta)})}
