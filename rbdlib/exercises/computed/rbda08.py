"""Answers of the exercises in data/exercises/more/rbda08.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _explicit(K, independent):
    n = K.shape[1]
    dependent = [j for j in range(n) if j not in independent]
    G = np.zeros((n, len(independent)))
    G[independent] = np.eye(len(independent))
    G[dependent] = -np.linalg.solve(K[:, dependent], K[:, independent])
    return G


def _wrong_sign(K, independent):
    G = -_explicit(K, independent)
    G[independent] = np.eye(len(independent))
    return G


ANSWERS = {
    "16.51": Computed(_explicit, inputs=lambda rng: (rng.normal(size=(2, 4)), [0, 2]), mistakes={
        "sign": _wrong_sign,
        "entry": lambda K, independent: np.delete(_explicit(K, independent), independent, axis=0),
        "entry 2": lambda K, independent: np.linalg.svd(K)[2][len(K):].T})}
