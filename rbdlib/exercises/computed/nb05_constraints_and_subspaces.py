"""Answers of the exercises in data/exercises/05_constraints_and_subspaces.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import mcI
from rbdlib.exercises.declare import Computed


def _apparent_inverse_inertia(I, S):
    return S @ np.linalg.solve(S.T @ I @ S, S.T)


def _random_body(rng):
    B = rng.normal(size=(3, 3))
    I_C = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    return mcI(rng.uniform(1, 3), rng.uniform(-1, 1, size=3), I_C), rng.normal(size=(6, 3))


ANSWERS = {
    "5.7": Computed(_apparent_inverse_inertia, inputs=_random_body, mistakes={
        "shape": lambda I, S: np.linalg.inv(S.T @ I @ S),
        "mistake": lambda I, S: S @ S.T @ np.linalg.inv(I) @ S @ S.T,
        "mistake 2": lambda I, S: I @ S @ np.linalg.solve(S.T @ I @ S, S.T),
        "mistake 3": lambda I, S: S @ (S.T @ I @ S) @ S.T, "mistake 4": lambda I, S: np.linalg.inv(I)})}
