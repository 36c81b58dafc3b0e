"""Computed answers about derivatives, energy, parameters and redundant arms (notebooks 14 and 29 to 31)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute, jcalc
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.articulated import moving_tree
from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor, rnea_derivatives
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.inertia_parameters import from_parameters
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


#: A chain, two trees at one base, and two trees with branches.
TREES = [(0, 1, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 1, 3)]
UNIT = tuple(from_parameters(e) for e in np.eye(10))
#: The six moments in the order xx, xy, xz, yy, yz, zz.
BY_ROWS = tuple(UNIT[k] for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9))


def moving(rng):
    """Arguments of exercise 30.5: a tree of four joints of one freedom, q, qd and qdd."""
    joints = [Revolute("y"), Prismatic("x"), Helical(0.3), Revolute("z")]
    model = auto_tree(4, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    return model.replace(parent=TREES[rng.integers(len(TREES))]), *rng.normal(size=(3, 4))


def whole_regressor(model, q, qd, qdd, *, parent=lambda model, i: model.parent[i], a_0=lambda a_g: -a_g,
                    back=lambda X: X.T, steps=4, bias=lambda c_J, v, v_J: c_J + crm(v) @ v_J,
                    net=lambda E, v, a: E @ a + crf(v) @ E @ v, units=UNIT):
    """Exercise 30.5: the regressor of a tree."""
    X, S, v, a = [None], [None], [np.zeros(6)], [a_0(free_motion(model.gravity))]
    Y = np.zeros((4, 40))
    for i in model.bodies:
        h = parent(model, i)
        X_J, S_i, v_J, c_J = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X.append(X_J @ model.X_tree[i])
        S.append(S_i[:, 0])
        v.append(X[i] @ v[h] + v_J)
        a.append(X[i] @ a[h] + S[i] * qdd[i - 1] + bias(c_J, v[i], v_J))
        F, j = np.column_stack([net(E, v[i], a[i]) for E in units]), i
        for _ in range(steps):
            if j == 0:
                break
            Y[j - 1, 10 * (i - 1) : 10 * i] = S[j] @ F
            F, j = back(X[j]) @ F, parent(model, j)
    return Y


def _added(model, q, qd, qdd):
    """Each unit is added to the model's own inertias, whose torques are not taken away again."""
    return regressor(model, q, qd, qdd) + rnea(model, q, qd, qdd)[:, None]


def _five_joints(rng):
    """Arguments of exercise 31.6: an arm of five joints whose tip has three coordinates."""
    return rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=5), positive(rng, 5), rng.uniform(0.3, 0.6)


def _damped(J, W, square):
    W_inv_Jt = np.linalg.solve(W, J.T)
    return W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + square * np.eye(len(J)))


def joint_step(J, e, z, W, d, *, inverse=lambda J, W, d: _damped(J, W, d**2),
               combine=lambda G, J, e, z: G @ e + z - G @ (J @ z)):
    """Exercise 31.6: a damped step of inverse kinematics, with a second task in the null space."""
    return combine(inverse(J, W, d), J, e, z)


def _pushed_arm(rng):
    """Arguments of exercise 31.8: H, C, J, J-dot qd, e, qd, K, D and tau_0 of an arm as in 31.6."""
    H, K, D = (positive(rng, n) for n in (5, 3, 3))
    return (H, rng.normal(size=5), rng.normal(size=(3, 5)), *rng.normal(size=(2, 3)), rng.normal(size=5), K, D,
            rng.normal(size=5))


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0, *, bias=lambda C, J, J_bar: C, down=lambda J, J_bar: J.T,
                     spring=lambda K, e: K @ e, damper=-1, velocity=lambda Lambda, J_dot_qd: -Lambda @ J_dot_qd,
                     weight=lambda H: H, project=lambda J, J_bar, tau_0: tau_0 - J.T @ (J_bar.T @ tau_0)):
    """Exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    W_inv_Jt = np.linalg.solve(weight(H), J.T)
    Lambda = np.linalg.inv(J @ W_inv_Jt)
    J_bar = W_inv_Jt @ Lambda
    F = spring(K, e) + damper * D @ (J @ qd) + velocity(Lambda, J_dot_qd)
    return bias(C, J, J_bar) + down(J, J_bar) @ F + project(J, J_bar, tau_0)


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
        "entry 4": dict(handed=0), "transpose": dict(back=lambda X: X), "order": dict(whole=0)}),
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
        "velocity 3": dict(slope=lambda s, qd, qd_d: qd - qd_d), "factor": dict(by=lambda P: 1)}),
    "30.5": Computed(regressor, inputs=moving, steps=whole_regressor, mistakes={
        "gravity": dict(a_0=lambda a_g: 0 * a_g), "sign": dict(a_0=lambda a_g: a_g),
        "bias": dict(net=lambda E, v, a: E @ a), "bias 2": dict(bias=lambda c_J, v, v_J: c_J),
        "dual": dict(net=lambda E, v, a: E @ a + crm(v) @ E @ v), "entry": dict(steps=1), "entry 2": _added,
        "frame": dict(back=lambda X: np.eye(6)), "transpose": dict(back=lambda X: X),
        "dual 2": dict(back=np.linalg.inv), "parent": dict(parent=lambda model, i: i - 1),
        "order": dict(units=BY_ROWS)}),
    "31.6": Computed(joint_step, inputs=_five_joints, mistakes={
        "entry": dict(combine=lambda G, J, e, z: G @ e + z), "entry 2": dict(combine=lambda G, J, e, z: G @ e),
        "transpose": dict(combine=lambda G, J, e, z: G @ e + z - J.T @ (G.T @ z)),
        "sign": dict(combine=lambda G, J, e, z: G @ e + z + G @ (J @ z)),
        "sign 2": dict(combine=lambda G, J, e, z: -G @ e + z - G @ (J @ z)),
        "dual": dict(combine=lambda G, J, e, z: J.T @ e + z - G @ (J @ z)),
        "square": dict(inverse=lambda J, W, d: _damped(J, W, d)),
        "entry 3": dict(inverse=lambda J, W, d: _damped(J, W, 0)),
        "weight": dict(inverse=lambda J, W, d: _damped(J, np.eye(len(W)), d**2)),
        "inverse": dict(inverse=lambda J, W, d: _damped(J, np.linalg.inv(W), d**2)),
        "entry 4": lambda J, e, z, W, d: _damped(J, W, d**2) @ e + z - _damped(J, W, 0) @ (J @ z)}),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm, mistakes={
        "entry": dict(project=lambda J, J_bar, tau_0: tau_0), "entry 2": dict(project=lambda J, J_bar, tau_0: 0),
        "transpose": dict(project=lambda J, J_bar, tau_0: tau_0 - J_bar @ (J @ tau_0)),
        "kinematic": dict(project=lambda J, J_bar, tau_0: tau_0 - np.linalg.pinv(J) @ (J @ tau_0)),
        "weight": dict(weight=lambda H: np.eye(len(H))), "inverse": dict(weight=np.linalg.inv),
        "bias": dict(bias=lambda C, J, J_bar: 0), "bias 2": dict(bias=lambda C, J, J_bar: J.T @ (J_bar.T @ C)),
        "term": dict(velocity=lambda Lambda, J_dot_qd: 0),
        "sign": dict(velocity=lambda Lambda, J_dot_qd: Lambda @ J_dot_qd),
        "inertia": dict(velocity=lambda Lambda, J_dot_qd: -J_dot_qd), "sign 2": dict(damper=1),
        "sign 3": dict(spring=lambda K, e: -K @ e), "entry 3": dict(damper=0),
        "dual": dict(down=lambda J, J_bar: J_bar), "dual 2": dict(down=lambda J, J_bar: np.linalg.pinv(J))})}
