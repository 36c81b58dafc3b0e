"""Answers of the exercises in data/exercises/more/rbdaA.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _transformed(E, r, v):
    return np.concatenate([E @ v[:3], E @ (v[3:] - np.cross(r, v[:3]))])


def _frame_and_motion(rng):
    from rbdlib.book.ch02_spatial import rx, rz

    return rx(rng.normal()) @ rz(rng.normal()), rng.normal(size=3), rng.normal(size=6)


ANSWERS = {
    "A.51": Computed(_transformed, inputs=_frame_and_motion, mistakes={
        "sign": lambda E, r, v: np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(r, v[:3]))]),
        "order": lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:] - np.cross(r, E @ v[:3])]),
        "transpose": lambda E, r, v: np.concatenate([E.T @ v[:3], E.T @ (v[3:] - np.cross(r, v[:3]))]),
        "entry": lambda E, r, v: np.concatenate([E @ v[:3], E @ v[3:]])})}
