"""Answers of the exercises in data/exercises/05_constraints_and_subspaces.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import mcI
from rbdlib.exercises.declare import Computed

WEIGHT = 0.2 * 9.81
HELD_NUT = 800 * 0.005 / (2 * np.pi)


def _apparent_inverse_inertia(I, S):
    return S @ np.linalg.solve(S.T @ I @ S, S.T)


def _random_body(rng):
    B = rng.normal(size=(3, 3))
    I_C = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    return mcI(rng.uniform(1, 3), rng.uniform(-1, 1, size=3), I_C), rng.normal(size=(6, 3))


ANSWERS = {
    "5.2": Computed(WEIGHT * (1 + 2 * 0.36 / 0.5), mistakes={
        "entry": WEIGHT, "entry 2": WEIGHT * 2 * 0.36 / 0.5, "sign": -WEIGHT * (1 + 2 * 0.36 / 0.5),
        "factor": WEIGHT * (1 + 0.36 / 0.5), "entry 3": WEIGHT * (1 + 2 * 0.6 / 0.5)}),
    "5.5": Computed(1.4 * 28.5, mistakes={
        "entry": 0.4 * 28.5, "entry 2": 2 * 28.5, "factor": 5 / 3 * 28.5, "factor 2": 4 / 3 * 28.5}),
    "5.6": Computed(HELD_NUT, mistakes={
        "factor": HELD_NUT * 2 * np.pi, "sign": -HELD_NUT, "units": HELD_NUT * 1000,
        "factor 2": 800 / (0.005 / (2 * np.pi))}),
    "5.7": Computed(_apparent_inverse_inertia, inputs=_random_body, mistakes={
        "shape": lambda I, S: np.linalg.inv(S.T @ I @ S),
        "mistake": lambda I, S: S @ S.T @ np.linalg.inv(I) @ S @ S.T,
        "mistake 2": lambda I, S: I @ S @ np.linalg.solve(S.T @ I @ S, S.T),
        "mistake 3": lambda I, S: S @ (S.T @ I @ S) @ S.T, "mistake 4": lambda I, S: np.linalg.inv(I)})}
