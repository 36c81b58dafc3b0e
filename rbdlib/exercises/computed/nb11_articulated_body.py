"""Answers of the exercises in data/exercises/11_articulated_body.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _joint(rng):
    B = rng.normal(size=(6, 6))
    S, p_A, c = rng.normal(size=(6, 1)), rng.normal(size=6), rng.normal(size=6)
    return B @ B.T + np.eye(6), p_A, S, c, rng.normal(size=1)


def _across(bias):
    """An answer to exercise 11.4, from a function of I_A, p_A, I_a, U D⁻¹, Sᵀ, c and tau."""

    def p_a(I_A, p_A, S, c, tau):
        U = I_A @ S
        U_D = U @ np.linalg.inv(S.T @ U)
        return bias(I_A, p_A, I_A - U_D @ U.T, U_D, S.T, c, tau)

    return p_a


ANSWERS = {
    "11.4": Computed(
        _across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_a @ c + U_D @ (tau - S_T @ p_A)),
        inputs=_joint,
        mistakes={
            "entry": _across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_A @ c + U_D @ (tau - S_T @ p_A)),
            "entry 2": _across(lambda I_A, p_A, I_a, U_D, S_T, c, tau:
                               p_A + I_a @ c + U_D @ (tau - S_T @ (I_A @ c + p_A))),
            "sign": _across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + I_a @ c - U_D @ (tau - S_T @ p_A)),
            "entry 3": _across(lambda I_A, p_A, I_a, U_D, S_T, c, tau: p_A + U_D @ (tau - S_T @ p_A))})}
