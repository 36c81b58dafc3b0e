"""Computed answers about derivatives of inverse dynamics (notebook 14)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import rnea_derivatives
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers.scalars import unfilled


def _hinges_and_slides(rng):
    """Arguments of exercise 14.9: a tree of five hinges and slides, its q, qd and qdd, and changes of q and qd."""
    joints = [Revolute("y"), Prismatic("x"), Revolute("z"), Revolute("x")]
    model = auto_tree(5, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    parent = rng.choice([(0, 1, 2, 3, 4), (0, 1, 1, 2, 4), (0, 0, 1, 2, 2)]).tolist()
    return model.replace(parent=parent), *rng.normal(size=(5, 5))


def change_of_torques(model, q, qd, qdd, dq, dqd):
    """The reference of exercise 14.9: the library's derivatives, along dq and dqd."""
    by_q, by_qd, _ = rnea_derivatives(model, q, qd, qdd)
    return by_q @ dq + by_qd @ dqd


def _row_by_row(model, q, qd, qdd, dq, dqd, *, turn_v=1, turn_a=1, turn_f=1, crosses=crf,
                dc=lambda s, dv, v, qd, dqd: crm(dv) @ s * qd + crm(v) @ s * dqd,
                dp=lambda I, v, dv: crf(dv) @ I @ v + crf(v) @ I @ dv, dI_a=1, a_0=lambda a_g: -a_g, dqd_in_v=1,
                parent=lambda model, i: model.parent[i], back=lambda X: X.T, handed=1, whole=1):
    """Exercise 14.9: every row of RNEA, differentiated.

    turn_v, turn_a, turn_f: how often X counts as changing where v, a and f pass; handed: whether changes of forces are
    handed on to the parent; whole: whether f has its children's share when it is turned.
    """
    X, S = joints_at(model, q)
    v, a, dv, da, f, df, own = unfilled(model.N_B + 1, 7)
    v[0], a[0], dv[0], da[0] = np.zeros(6), a_0(free_motion(model.gravity)), np.zeros(6), np.zeros(6)
    for i in model.bodies:
        h, k, s, I = parent(model, i), i - 1, S[i][:, 0], model.inertia[i]
        turn = dq[k] * crm(s) @ X[i]
        v[i] = X[i] @ v[h] + s * qd[k]
        dv[i] = X[i] @ dv[h] - turn_v * turn @ v[h] + dqd_in_v * s * dqd[k]
        a[i] = X[i] @ a[h] + s * qdd[k] + crm(v[i]) @ s * qd[k]
        da[i] = X[i] @ da[h] - turn_a * turn @ a[h] + dc(s, dv[i], v[i], qd[k], dqd[k])
        own[i] = f[i] = I @ a[i] + crf(v[i]) @ I @ v[i]
        df[i] = dI_a * I @ da[i] + dp(I, v[i], dv[i])
    dtau = np.zeros(model.N_B)
    for i in reversed(model.bodies):
        h, s = parent(model, i), S[i][:, 0]
        dtau[i - 1] = s @ df[i]
        if h != 0:
            turned = turn_f * dq[i - 1] * crosses(s) @ (f[i] if whole else own[i])
            f[h], df[h] = f[h] + X[i].T @ f[i], df[h] + handed * back(X[i]) @ (df[i] + turned)
    return dtau


ANSWERS = {
    "14.9": Computed(change_of_torques, inputs=_hinges_and_slides, steps=_row_by_row, mistakes={
        "frame": dict(turn_v=0, turn_a=0, turn_f=0), "frame 2": dict(turn_v=0, turn_a=0), "frame 3": dict(turn_a=0),
        "frame 4": dict(turn_v=0), "frame 5": dict(turn_f=0), "sign": dict(turn_v=-1, turn_a=-1),
        "sign 2": dict(turn_f=-1), "cross": dict(crosses=crm), "bias": dict(dc=lambda s, dv, v, qd, dqd: 0 * s),
        "bias 2": dict(dc=lambda s, dv, v, qd, dqd: crm(v) @ s * dqd),
        "velocity": dict(dc=lambda s, dv, v, qd, dqd: crm(dv) @ s * qd), "velocity 2": dict(dqd_in_v=0),
        "entry": dict(dp=lambda I, v, dv: 0 * v), "entry 2": dict(dp=lambda I, v, dv: crf(v) @ I @ dv),
        "entry 3": dict(dp=lambda I, v, dv: crf(dv) @ I @ v), "inertia": dict(dI_a=0),
        "gravity": dict(a_0=lambda a_g: 0 * a_g), "parent": dict(parent=lambda model, i: i - 1),
        "entry 4": dict(handed=0), "transpose": dict(back=lambda X: X), "order": dict(whole=0)})}
