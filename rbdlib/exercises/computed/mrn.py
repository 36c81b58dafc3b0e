"""Answers of the exercises in data/exercises/more/mrn.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _arm(rng):
    A = rng.normal(size=(4, 4))
    return rng.normal(size=(3, 4)), A @ A.T + np.eye(4)


ANSWERS = {
    "13.53": Computed(lambda J, M: np.linalg.inv(J @ np.linalg.solve(M, J.T)), inputs=_arm, mistakes={
        "inverse": lambda J, M: J @ np.linalg.solve(M, J.T), "inverse 2": lambda J, M: J @ M @ J.T,
        "misconception": lambda J, M: np.linalg.pinv(J).T @ M @ np.linalg.pinv(J)}),
    "13.54": Computed((20, 2 * np.exp(-1)), mistakes={
        "factor": (10, 2 * np.exp(-1)), "entry": (20, np.exp(-1)), "square": (200, 2 * np.exp(-1))})}
