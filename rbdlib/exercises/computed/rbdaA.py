"""Answers of the exercises in data/exercises/more/rbdaA.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import rx, rz
from rbdlib.exercises.declare import Computed

ANSWERS = {
    "A.51": Computed(
        lambda E, r, v: np.concatenate([E @ v[:3], E @ (v[3:] - np.cross(r, v[:3]))]),
        inputs=lambda rng: (rx(rng.normal()) @ rz(rng.normal()), rng.normal(size=3), rng.normal(size=6)),
        mistakes={
            "sign": lambda E, r, v: np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(r, v[:3]))]),
            "order": lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:] - np.cross(r, E @ v[:3])]),
            "transpose": lambda E, r, v: np.concatenate([E.T @ v[:3], E.T @ (v[3:] - np.cross(r, v[:3]))]),
            "entry": lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:]])})}
