"""Computed answers about Christoffel symbols and adaptive control (notebook 29)."""

import numpy as np

from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.articulated import moving_tree
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor


def _by_slopes(combined):
    """A function for exercise 29.2, from H-dot and the matrix B with the rows (dH/dq_i) qd."""

    def coriolis_matrix(H, q, qd):
        dH = np.array([H(q + 1e-20j * e).imag / 1e-20 for e in np.eye(len(q))])
        return combined(np.tensordot(qd, dH, 1), dH @ qd)

    return coriolis_matrix


def _tree_in_motion(rng):
    """H of a random tree as a function of q, and a state."""
    tree, q, qd, _ = moving_tree(rng)
    return lambda q: crba(tree, q), q, qd


def _adaptive(u=lambda qd, qd_d, correction: qd_d + correction, a=lambda qdd_d, correction: qdd_d + correction,
              slope=lambda s, qd, qd_d: s, damping=-1, learning=-1, by=lambda P: P):
    """A function for exercise 29.5, Slotine and Li's law, of which one step may be another."""

    def adaptive(Y, q, qd, wanted, guess, Lambda, K, P):
        q_d, qd_d, qdd_d = wanted
        qd_r = qd_d + Lambda * (q_d - q)
        Y_r = Y(q, qd, u(qd, qd_d, Lambda * (q_d - q)), a(qdd_d, Lambda * (qd_d - qd)))
        s = qd - qd_r
        return np.concatenate([Y_r @ guess + damping * K * s, learning * by(P) * (Y_r.T @ slope(s, qd, qd_d))])

    return adaptive


def _grasp(rng):
    """Arguments of exercise 29.5, for a random tree of five joints."""
    tree, q, qd, _ = moving_tree(rng)
    rest = np.zeros(5)

    def Y(q, qd, u, a):
        by_velocities = regressor(tree, q, qd + u, rest) - regressor(tree, q, qd - u, rest)
        return regressor(tree, q, rest, a) + by_velocities / 4

    return Y, q, qd, rng.normal(size=(3, 5)), rng.normal(size=50), *rng.uniform(2, 5, size=3)


ANSWERS = {
    "29.2": Computed(_by_slopes(lambda H_dot, B: (H_dot + B.T - B) / 2), inputs=_tree_in_motion, mistakes={
        "factor": _by_slopes(lambda H_dot, B: H_dot + B.T - B), "term": _by_slopes(lambda H_dot, B: H_dot - B / 2),
        "transpose": _by_slopes(lambda H_dot, B: (H_dot + B - B.T) / 2),
        "sign": _by_slopes(lambda H_dot, B: (H_dot + B.T + B) / 2),
        "term 2": _by_slopes(lambda H_dot, B: H_dot / 2), "term 3": _by_slopes(lambda H_dot, B: (H_dot + B.T) / 2),
        "order": _by_slopes(lambda H_dot, B: (B.T + B - H_dot) / 2)}),
    "29.5": Computed(_adaptive(), inputs=_grasp, mistakes={
        "velocity": _adaptive(u=lambda qd, qd_d, correction: qd),
        "velocity 2": _adaptive(u=lambda qd, qd_d, correction: qd_d),
        "term": _adaptive(a=lambda qdd_d, correction: qdd_d),
        "sign": _adaptive(damping=1), "sign 2": _adaptive(learning=1),
        "velocity 3": _adaptive(slope=lambda s, qd, qd_d: qd - qd_d), "factor": _adaptive(by=lambda P: 1)})}
