"""Answers of the exercises in data/exercises/23_accuracy.toml that take a computation."""

from math import sqrt

import numpy as np
from numpy import linalg

from rbdlib.exercises.declare import Computed


def _two_intervals(rng):
    """Two intervals, given as pairs; now and then one that lies above 0."""
    pairs = [sorted(rng.uniform(-3, 3, 2).tolist()) for _ in range(2)]
    up = 3.5 if rng.random() < 0.3 else 0
    return tuple(tuple(round(x + up * k, 2) for x in pair) for k, pair in enumerate(pairs))


def _product(a, b):
    corners = [x * y for x in a for y in b]
    return [min(corners), max(corners)]


def _forces(rng):
    """An inertia matrix with a large condition number, forces, and an error of these."""
    A = rng.normal(size=(3, 3))
    return A @ A.T + np.diag([0.1, 1, 5]), rng.normal(size=3), 0.01 * rng.normal(size=3)


def _amplification(H, tau, dtau):
    relative = linalg.norm(dtau) / linalg.norm(tau)
    return linalg.norm(linalg.solve(H, dtau)) / linalg.norm(linalg.solve(H, tau)) / relative


ANSWERS = {
    "23.4": Computed(_product, inputs=_two_intervals, mistakes={
        "sign": lambda a, b: [a[0] * b[0], a[1] * b[1]], "entry": lambda a, b: sorted([a[0] * b[0], a[1] * b[1]]),
        "entry 2": lambda a, b: [x * y for x in a for y in b]}),
    "23.6": Computed(mistakes={
        "factor": 50 * 40000 ** (1 / 3), "factor 2": 50 * 40000 ** (1 / 4), "inverse": 50 / sqrt(40000)}),
    "23.8": Computed(_amplification, inputs=_forces, mistakes={
        "inverse": lambda H, tau, dtau: (
            linalg.norm(H @ dtau) / linalg.norm(H @ tau) / (linalg.norm(dtau) / linalg.norm(tau))),
        "factor": lambda H, tau, dtau: linalg.norm(linalg.solve(H, dtau)) / linalg.norm(dtau),
        "inverse 2": lambda H, tau, dtau: 1 / _amplification(H, tau, dtau),
        "entry": lambda H, tau, dtau: linalg.norm(linalg.solve(H, dtau)) / linalg.norm(linalg.solve(H, tau)),
        "entry 2": lambda H, tau, dtau: linalg.cond(H)}),
    "23.9": Computed((10.0**7 / 4) ** 0.25, mistakes={
        "factor": 10 ** (7 / 4), "factor 2": sqrt(10.0**7 / 4), "inverse": 4 * 7.0**4})}
