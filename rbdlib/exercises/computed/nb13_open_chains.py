"""Answers of the exercises in data/exercises/13_open_chains.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _inverse_dynamics(rng):
    """Inverse dynamics of some arm in a fixed posture, and its number of joints."""
    n = 3
    A, weight, C = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=(n, n, n))
    M = A @ A.T + n * np.eye(n)

    def ID(thd, thdd, gravity):
        thd, thdd = np.asarray(thd, float), np.asarray(thdd, float)
        return M @ thdd + C @ thd @ thd + (weight if gravity else 0)

    return ID, n


def _columns(thd, thdd, gravity=False):
    """A way to form a matrix from n calls of ID: how many times e_k the velocity and the acceleration are."""
    return lambda ID, n: np.column_stack([ID(thd * e, thdd * e, gravity) for e in np.eye(n)])


def _task_inputs(rng):
    A = rng.normal(size=(3, 3))
    return rng.normal(size=(3, 3)) + 2 * np.eye(3), A @ A.T + np.eye(3), rng.normal(size=3), rng.normal(size=3)


def _torques(J, Lambda, eta, V_dot):
    return J.T @ (Lambda @ V_dot + eta)


ANSWERS = {
    "13.1": Computed(_columns(0, 1), inputs=_inverse_dynamics, mistakes={
        "entry": _columns(0, 1, gravity=True), "swapped": _columns(1, 0), "entry 2": _columns(1, 1)}),
    "13.8": Computed(_torques, inputs=_task_inputs, mistakes={
        "entry": lambda J, Lambda, eta, V_dot: J.T @ (Lambda @ V_dot),
        "dual": lambda J, Lambda, eta, V_dot: np.linalg.solve(J, Lambda @ V_dot + eta),
        "transpose": lambda J, Lambda, eta, V_dot: J @ (Lambda @ V_dot + eta),
        "dual 2": lambda J, Lambda, eta, V_dot: J.T @ (Lambda @ V_dot) + eta})}
