"""Computed answers about derivatives, energy, parameters and redundant arms (notebooks 14 and 29 to 31)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.articulated import moving_tree, outward
from rbdlib.exercises.computed.draws import chained, left_out, positive, tree, unchanged, unit, upside_down, weightless
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor, rnea_derivatives
from rbdlib.methods.inertia_parameters import from_parameters
from rbdlib.numbers.scalars import unfilled


def _hinges_and_slides(rng):
    """Arguments of exercise 14.9: a tree of five hinges and slides, its q, qd and qdd, and changes of q and qd."""
    joints = [Revolute("y"), Prismatic("x"), Revolute("z"), Revolute("x")]
    return tree(rng, joints, [(0, 1, 2, 3, 4), (0, 1, 1, 2, 4), (0, 0, 1, 2, 2)]), *rng.normal(size=(5, 5))


def change_of_torques(model, q, qd, qdd, dq, dqd):
    """The reference of exercise 14.9: the library's derivatives, along dq and dqd."""
    by_q, by_qd, _ = rnea_derivatives(model, q, qd, qdd)
    return by_q @ dq + by_qd @ dqd


def _row_by_row(model, q, qd, qdd, dq, dqd, *, turn_v=1, turn_a=1, turn_f=1, crosses=crf, dc=(1, 1), dp=(1, 1),
                dI_a=1, dqd_in_v=1, back=np.transpose, handed=1, whole=1):
    """Exercise 14.9: every row of RNEA, differentiated.

    turn_v, turn_a, turn_f: how often X counts as changing where v, a and f pass; dc, dp: how often the change of the
    first and of the second factor v counts in those of c and p; handed: whether changes of forces are handed on to the
    parent; whole: whether f has its children's share when it is turned.
    """
    X, S = joints_at(model, q)
    v, a, dv, da, f, df, own = unfilled(model.N_B + 1, 7)
    v[0], a[0], dv[0], da[0] = np.zeros(6), -free_motion(model.gravity), np.zeros(6), np.zeros(6)
    for i in model.bodies:
        h, k, s, I = model.parent[i], i - 1, S[i][:, 0], model.inertia[i]
        turn = dq[k] * crm(s) @ X[i]
        v[i] = X[i] @ v[h] + s * qd[k]
        dv[i] = X[i] @ dv[h] - turn_v * turn @ v[h] + dqd_in_v * s * dqd[k]
        a[i] = X[i] @ a[h] + s * qdd[k] + crm(v[i]) @ s * qd[k]
        da[i] = X[i] @ da[h] - turn_a * turn @ a[h] + dc[0] * crm(dv[i]) @ s * qd[k] + dc[1] * crm(v[i]) @ s * dqd[k]
        own[i] = f[i] = I @ a[i] + crf(v[i]) @ I @ v[i]
        df[i] = dI_a * I @ da[i] + dp[0] * crf(dv[i]) @ I @ v[i] + dp[1] * crf(v[i]) @ I @ dv[i]
    dtau = np.zeros(model.N_B)
    for i in reversed(model.bodies):
        h, s = model.parent[i], S[i][:, 0]
        dtau[i - 1] = s @ df[i]
        if h != 0:
            turned = turn_f * dq[i - 1] * crosses(s) @ (f[i] if whole else own[i])
            f[h], df[h] = f[h] + X[i].T @ f[i], df[h] + handed * back(X[i]) @ (df[i] + turned)
    return dtau


def _by_slopes(H, q, qd, *, counted=(0.5, 0.5, -0.5)):
    """Exercise 29.2, from H-dot and the matrix B with the rows (dH/dq_i) qd: H-dot, Bᵀ and B, counted so often."""
    dH = np.array([H(q + 1e-20j * e).imag / 1e-20 for e in np.eye(len(q))])
    B = dH @ qd
    return counted[0] * np.tensordot(qd, dH, 1) + counted[1] * B.T + counted[2] * B


def _tree_in_motion(rng):
    """H of a random tree as a function of q, and a state."""
    model, q, qd, _ = moving_tree(rng)
    return lambda q: crba(model, q), q, qd


def _adaptive(Y, q, qd, wanted, guess, Lambda, K, P, *, u=lambda qd, qd_r: qd_r, in_u=1, in_a=1, in_slope=1,
              damping=-1, learning=-1):
    """Exercise 29.5: Slotine and Li's law. in_u, in_a, in_slope: how often the correction counts there."""
    q_d, qd_d, qdd_d = wanted
    e, e_dot = Lambda * (q_d - q), Lambda * (qd_d - qd)
    Y_r = Y(q, qd, u(qd, qd_d + in_u * e), qdd_d + in_a * e_dot)
    return np.concatenate([Y_r @ guess + damping * K * (qd - qd_d - e),
                           learning * P * (Y_r.T @ (qd - qd_d - in_slope * e))])


def _grasp(rng):
    """Arguments of exercise 29.5, for a random tree of five joints."""
    model, q, qd, _ = moving_tree(rng)
    rest = np.zeros(5)

    def Y(q, qd, u, a):
        by_velocities = regressor(model, q, qd + u, rest) - regressor(model, q, qd - u, rest)
        return regressor(model, q, rest, a) + by_velocities / 4

    return Y, q, qd, rng.normal(size=(3, 5)), rng.normal(size=50), *rng.uniform(2, 5, size=3)


UNIT = tuple(from_parameters(e) for e in np.eye(10))
#: The six moments in the order xx, xy, xz, yy, yz, zz.
BY_ROWS = tuple(UNIT[k] for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9))


def moving(rng):
    """Arguments of exercise 30.5: a tree of four joints of one freedom, q, qd and qdd."""
    joints = [Revolute("y"), Prismatic("x"), Helical(0.3), Revolute("z")]
    return tree(rng, joints, [(0, 1, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 1, 3)]), *rng.normal(size=(3, 4))


def whole_regressor(model, q, qd, qdd, *, back=np.transpose, steps=4, bias=(1, 1), crosses=crf, units=UNIT):
    """Exercise 30.5: the regressor of a tree. bias: as in `outward`; steps: how far forces go."""
    (X, S, v, c), a, Y = outward(model, q, qd, bias=bias), [-free_motion(model.gravity)], np.zeros((4, 40))
    for i in model.bodies:
        a.append(X[i] @ a[model.parent[i]] + S[i] @ qdd[i - 1 : i] + c[i])
        F = np.column_stack([E @ a[i] + crosses(v[i]) @ E @ v[i] for E in units])
        for j in model.kappa(i)[::-1][:steps]:
            Y[j - 1, 10 * (i - 1) : 10 * i] = S[j].T @ F
            F = back(X[j]) @ F
    return Y


def joint_step(J, e, z, W, d, *, goal=1, free=1, taken=-1, towards=lambda G, J: G, projector=lambda G, J: G @ J):
    """Exercise 31.6: a damped step of inverse kinematics, with a second task in the null space."""
    W_inv_Jt = np.linalg.solve(W, J.T)
    G = W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + d**2 * np.eye(len(J)))
    return goal * towards(G, J) @ e + free * z + taken * projector(G, J) @ z


def _pushed_arm(rng):
    """Arguments of exercise 31.8: H, C, J, J-dot qd, e, qd, K, D and tau_0 of an arm as in 31.6."""
    H, K, D = (positive(rng, n) for n in (5, 3, 3))
    return (H, rng.normal(size=5), rng.normal(size=(3, 5)), *rng.normal(size=(2, 3)), rng.normal(size=5), K, D,
            rng.normal(size=5))


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0, *, bias=lambda C, J, J_bar: C, down=lambda J, J_bar: J.T,
                     mass=lambda Lambda: Lambda, projector=lambda J, J_bar: J.T @ J_bar.T):
    """Exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    W_inv_Jt = np.linalg.solve(H, J.T)
    Lambda = np.linalg.inv(J @ W_inv_Jt)
    J_bar = W_inv_Jt @ Lambda
    F = K @ e - D @ (J @ qd) - mass(Lambda) @ J_dot_qd
    return bias(C, J, J_bar) + down(J, J_bar) @ F + tau_0 - projector(J, J_bar) @ tau_0


ANSWERS = {
    "14.9": Computed(change_of_torques, inputs=_hinges_and_slides, steps=_row_by_row, mistakes={
        "frame": dict(turn_v=0, turn_a=0, turn_f=0), "frame 2": dict(turn_v=0, turn_a=0), "frame 3": dict(turn_a=0),
        "frame 4": dict(turn_v=0), "frame 5": dict(turn_f=0), "sign": dict(turn_v=-1, turn_a=-1),
        "sign 2": dict(turn_f=-1), "cross": dict(crosses=crm), "bias": dict(dc=(0, 0)), "bias 2": dict(dc=(0, 1)),
        "velocity": dict(dc=(1, 0)), "velocity 2": dict(dqd_in_v=0), "entry": dict(dp=(0, 0)),
        "entry 2": dict(dp=(0, 1)), "entry 3": dict(dp=(1, 0)), "inertia": dict(dI_a=0),
        "gravity": dict(model=weightless), "parent": dict(model=chained), "entry 4": dict(handed=0),
        "transpose": dict(back=unchanged), "order": dict(whole=0)}),
    "29.2": Computed(_by_slopes, inputs=_tree_in_motion, mistakes={
        "factor": dict(counted=(1, 1, -1)), "term": dict(counted=(1, 0, -0.5)),
        "transpose": dict(counted=(0.5, -0.5, 0.5)), "sign": dict(counted=(0.5, 0.5, 0.5)),
        "term 2": dict(counted=(0.5, 0, 0)), "term 3": dict(counted=(0.5, 0.5, 0)),
        "order": dict(counted=(-0.5, 0.5, 0.5))}),
    "29.5": Computed(_adaptive, inputs=_grasp, mistakes={
        "velocity": dict(u=lambda qd, qd_r: qd), "velocity 2": dict(in_u=0), "term": dict(in_a=0),
        "sign": dict(damping=1), "sign 2": dict(learning=1), "velocity 3": dict(in_slope=0),
        "factor": dict(P=lambda P: 1)}),
    "30.5": Computed(regressor, inputs=moving, steps=whole_regressor, mistakes={
        "gravity": dict(model=weightless), "sign": dict(model=upside_down), "bias": dict(crosses=lambda v: 0 * crf(v)),
        "bias 2": dict(bias=(1, 0)), "dual": dict(crosses=crm), "entry": dict(steps=1),
        "entry 2": lambda model, q, qd, qdd: regressor(model, q, qd, qdd) + rnea(model, q, qd, qdd)[:, None],
        "frame": dict(back=unit), "transpose": dict(back=unchanged), "dual 2": dict(back=np.linalg.inv),
        "parent": dict(model=chained), "order": dict(units=BY_ROWS)}),
    "31.6": Computed(
        joint_step, inputs=lambda rng: (
        rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=5), positive(rng, 5), rng.uniform(0.3, 0.6)),
        mistakes={
            "entry": dict(taken=0), "entry 2": dict(free=0, taken=0),
            "transpose": dict(projector=lambda G, J: J.T @ G.T), "sign": dict(taken=1), "sign 2": dict(goal=-1),
            "dual": dict(towards=lambda G, J: J.T), "square": dict(d=np.sqrt), "entry 3": dict(d=left_out),
            "inverse": dict(W=np.linalg.inv), "weight": dict(W=unit),
            "entry 4": lambda J, e, z, W, d: joint_step(J, e, 0 * z, W, d) + joint_step(J, 0 * e, z, W, 0)}),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm, mistakes={
        "entry": dict(projector=lambda J, J_bar: 0 * J.T @ J), "entry 2": dict(tau_0=left_out),
        "transpose": dict(projector=lambda J, J_bar: J_bar @ J), "weight": dict(H=unit),
        "kinematic": dict(projector=lambda J, J_bar: np.linalg.pinv(J) @ J), "inverse": dict(H=np.linalg.inv),
        "bias": dict(C=left_out), "bias 2": dict(bias=lambda C, J, J_bar: J.T @ (J_bar.T @ C)),
        "term": dict(J_dot_qd=left_out), "sign": dict(J_dot_qd=np.negative), "inertia": dict(mass=unit),
        "sign 2": dict(D=np.negative), "sign 3": dict(e=np.negative), "entry 3": dict(D=left_out),
        "dual": dict(down=lambda J, J_bar: J_bar), "dual 2": dict(down=lambda J, J_bar: np.linalg.pinv(J))})}
