"""Answers of the exercises in data/exercises/26_verify_your_derivation.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _two_arrays(rng):
    right = rng.uniform(-3, 3, 6)
    return right + rng.normal(0, 0.2, 6), right


def _relative_error(yours, right):
    return np.abs(yours - right).max() / np.abs(right).max()


ANSWERS = {
    "26.4": Computed(_relative_error, inputs=_two_arrays, mistakes={
        "mistake": lambda yours, right: np.abs((yours - right) / right).max(),
        "mistake 2": lambda yours, right: (yours - right).max() / right.max(),
        "mistake 3": lambda yours, right: np.abs(yours - right).max(),
        "mistake 4": lambda yours, right: np.abs(yours - right).max() / np.abs(yours).max()})}
