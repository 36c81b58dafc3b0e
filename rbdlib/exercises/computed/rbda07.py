"""Answers of the exercises in data/exercises/more/rbda07.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _handed_on(I_A, S):
    U = I_A @ S
    return I_A - U @ np.linalg.solve(S.T @ U, U.T)


def _body_and_joint(rng):
    A = rng.normal(size=(6, 6))
    return A @ A.T + np.eye(6), rng.normal(size=(6, 2))


ANSWERS = {
    "11.53": Computed(_handed_on, inputs=_body_and_joint, mistakes={
        "misconception": lambda I_A, S: I_A,
        "entry": lambda I_A, S: (I_A @ S) @ np.linalg.solve(S.T @ I_A @ S, (I_A @ S).T),
        "sign": lambda I_A, S: I_A + (I_A @ S) @ np.linalg.solve(S.T @ I_A @ S, (I_A @ S).T),
        "inverse": lambda I_A, S: I_A - (I_A @ S) @ (S.T @ I_A @ S) @ (I_A @ S).T})}
