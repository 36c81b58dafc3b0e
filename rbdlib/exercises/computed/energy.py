"""Computed answers about Christoffel symbols and adaptive control (notebook 29)."""

import numpy as np

from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.articulated import moving_tree
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor


def _by_slopes(H, q, qd, *, combined=lambda H_dot, B: (H_dot + B.T - B) / 2):
    """Exercise 29.2, from H-dot and the matrix B with the rows (dH/dq_i) qd."""
    dH = np.array([H(q + 1e-20j * e).imag / 1e-20 for e in np.eye(len(q))])
    return combined(np.tensordot(qd, dH, 1), dH @ qd)


def _tree_in_motion(rng):
    """H of a random tree as a function of q, and a state."""
    tree, q, qd, _ = moving_tree(rng)
    return lambda q: crba(tree, q), q, qd


def _adaptive(Y, q, qd, wanted, guess, Lambda, K, P, *, u=lambda qd, qd_d, correction: qd_d + correction,
              a=lambda qdd_d, correction: qdd_d + correction, slope=lambda s, qd, qd_d: s, damping=-1, learning=-1,
              by=lambda P: P):
    """Exercise 29.5: Slotine and Li's law."""
    q_d, qd_d, qdd_d = wanted
    qd_r = qd_d + Lambda * (q_d - q)
    Y_r = Y(q, qd, u(qd, qd_d, Lambda * (q_d - q)), a(qdd_d, Lambda * (qd_d - qd)))
    s = qd - qd_r
    return np.concatenate([Y_r @ guess + damping * K * s, learning * by(P) * (Y_r.T @ slope(s, qd, qd_d))])


def _grasp(rng):
    """Arguments of exercise 29.5, for a random tree of five joints."""
    tree, q, qd, _ = moving_tree(rng)
    rest = np.zeros(5)

    def Y(q, qd, u, a):
        by_velocities = regressor(tree, q, qd + u, rest) - regressor(tree, q, qd - u, rest)
        return regressor(tree, q, rest, a) + by_velocities / 4

    return Y, q, qd, rng.normal(size=(3, 5)), rng.normal(size=50), *rng.uniform(2, 5, size=3)


ANSWERS = {
    "29.2": Computed(_by_slopes, inputs=_tree_in_motion, mistakes={
        "factor": dict(combined=lambda H_dot, B: H_dot + B.T - B),
        "term": dict(combined=lambda H_dot, B: H_dot - B / 2),
        "transpose": dict(combined=lambda H_dot, B: (H_dot + B - B.T) / 2),
        "sign": dict(combined=lambda H_dot, B: (H_dot + B.T + B) / 2),
        "term 2": dict(combined=lambda H_dot, B: H_dot / 2),
        "term 3": dict(combined=lambda H_dot, B: (H_dot + B.T) / 2),
        "order": dict(combined=lambda H_dot, B: (B.T + B - H_dot) / 2)}),
    "29.5": Computed(_adaptive, inputs=_grasp, mistakes={
        "velocity": dict(u=lambda qd, qd_d, correction: qd), "velocity 2": dict(u=lambda qd, qd_d, correction: qd_d),
        "term": dict(a=lambda qdd_d, correction: qdd_d), "sign": dict(damping=1), "sign 2": dict(learning=1),
        "velocity 3": dict(slope=lambda s, qd, qd_d: qd - qd_d), "factor": dict(by=lambda P: 1)})}
