"""Answers of the exercises in data/exercises/more/rbda03.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _multipliers(H, C, tau, K, k):
    return np.linalg.solve(K @ np.linalg.solve(H, K.T), k - K @ np.linalg.solve(H, tau - C))


def _constrained_system(rng):
    A, K = rng.normal(size=(4, 4)), rng.normal(size=(2, 4))
    return A @ A.T + np.eye(4), rng.normal(size=4), rng.normal(size=4), K, rng.normal(size=2)


ANSWERS = {
    "5.53": Computed(_multipliers, inputs=_constrained_system, mistakes={
        "sign": lambda H, C, tau, K, k: -_multipliers(H, C, tau, K, k),
        "sign 2": lambda H, C, tau, K, k: np.linalg.solve(K @ np.linalg.solve(H, K.T),
                                                          k - K @ np.linalg.solve(H, tau + C)),
        "entry": lambda H, C, tau, K, k: np.linalg.solve(K @ np.linalg.solve(H, K.T), k),
        "inverse": lambda H, C, tau, K, k: np.linalg.solve(K @ H @ K.T, k - K @ np.linalg.solve(H, tau - C))})}
