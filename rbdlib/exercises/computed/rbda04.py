"""Answers of the exercises in data/exercises/more/rbda04.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, rotz, xlt
from rbdlib.exercises.declare import Computed


def _rates(p, omega):
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2


def _orientation_and_rate(rng):
    p = rng.normal(size=4)
    return p / np.linalg.norm(p), rng.normal(size=3)


ANSWERS = {
    "6.52": Computed(X_to_Er(xlt([0.3, 0, 0]) @ rotz(np.pi / 3) @ xlt([0.5, 0, 0]) @ rotz(np.pi / 6))[1], mistakes={
        "relative": (0.5 * np.cos(np.pi / 6) + 0.15, 0.25 + 0.3 * np.sin(np.pi / 3), 0),
        "transpose": (0.5 * np.cos(np.pi / 6), -0.55, 0)}),
    "6.54": Computed(_rates, inputs=_orientation_and_rate, mistakes={
        "frame": lambda p, omega: np.concatenate([[-p[1:] @ omega], p[0] * omega - np.cross(p[1:], omega)]) / 2,
        "factor": lambda p, omega: 2 * _rates(p, omega),
        "sign": lambda p, omega: np.concatenate([[p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2})}
