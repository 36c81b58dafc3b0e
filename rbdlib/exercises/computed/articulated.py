"""Computed answers about articulated bodies, derivatives, energy, parameters, redundant arms (notebooks 11 to 31)."""

import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_joints as joints, ch04_kinematics as kinematics
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.draws import mechanism, normal, positive, tree
from rbdlib.exercises.declare import Computed
from rbdlib.methods import inertia_parameters as parameters
from rbdlib.methods.derivatives import regressor, rnea_derivatives
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers.scalars import unfilled
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n.articulated import articulated_inertias, two_sweeps


def moving_tree(rng):
    """A tree of five joints of one freedom, its q and qd, and torques."""
    return mechanism(rng), *rng.normal(size=(3, 5))


def after_pass_1(model, q, qd, tau, v_0=(0, 0, 0, 0, 0, 0)):
    """Arguments of exercise 11.9: what pass 1 leaves to the others."""
    v, X, S, c, p = unfilled(model.N_B + 1, 5)
    v[0] = np.array(v_0)
    for i in model.bodies:
        X_J, S[i], v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[model.parent[i]] + v_J
        c[i] = c_J + spatial.crm(v[i]) @ v_J
        p[i] = spatial.crf(v[i]) @ model.inertia[i] @ v[i]
    return model, X, S, c, p, tau


def passes_2_and_3(model, X, S, c, p, tau):
    """Exercise 11.9."""
    I_A, p_A = list(model.inertia), list(p)
    U, D_inv, u = ([None] * (model.N_B + 1) for _ in range(3))
    a, qdd = np.zeros((model.N_B + 1, 6)), np.zeros((model.N_B + 1, 1))
    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]
        D_inv[i] = np.linalg.inv(S[i].T @ U[i])
        u[i] = tau[i - 1] - S[i].T @ p_A[i]
        I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
        p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        h, up = model.parent[i], X[i].T
        if h != 0:
            I_A[h] = I_A[h] + up @ I_a @ up.T
            p_A[h] = p_A[h] + up @ p_a
    a[0] = spatial.free_motion(-model.gravity)
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    return np.concatenate(qdd[1:])


def _half_known(rng):
    """Arguments of exercise 17.9: those of 11.9, but fd, and accelerations and torques where they are known.

    >>> from rbdlib.book.ch07_articulated_body import aba
    >>> for seed in range(8):
    ...     state = moving_tree(np.random.default_rng(seed))
    ...     qdd, tau, free = aba(*state), state[-1], np.array([True, False, False, True, False])
    ...     known = *after_pass_1(*state)[:-1], {1, 4}, np.where(free, 0, qdd), np.where(free, tau, 0)
    ...     assert np.allclose(hybrid_passes(*known), [qdd, tau])
    ...     assert np.allclose(passes_2_and_3(*after_pass_1(*state)), qdd)
    """
    model, X, S, c, p, tau = after_pass_1(*moving_tree(rng))
    fd = {1, *rng.choice([2, 3, 4, 5], size=2, replace=False).tolist()} - {int(rng.integers(1, 6))}
    free = np.array([i in fd for i in model.bodies])
    return model, X, S, c, p, fd, np.where(free, 0, rng.normal(size=5)), np.where(free, tau, 0)


def hybrid_passes(model, X, S, c, p, fd, qdd, tau):
    """Exercise 17.9."""
    I_A, p_A = list(model.inertia), list(p)
    U, D_inv, u, a = ([None] * (model.N_B + 1) for _ in range(4))
    for i in reversed(model.bodies):
        if i in fd:
            U[i] = I_A[i] @ S[i]
            D_inv[i] = np.linalg.inv(S[i].T @ U[i])
            u[i] = tau[i - 1] - S[i].T @ p_A[i]
            I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
            p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        else:
            I_a = I_A[i]
            p_a = p_A[i] + I_a @ (c[i] + S[i] @ qdd[i - 1 : i])
        h, up = model.parent[i], X[i].T
        if h != 0:
            I_A[h] = I_A[h] + up @ I_a @ up.T
            p_A[h] = p_A[h] + up @ p_a
    a[0], qdd, tau = spatial.free_motion(-model.gravity), qdd.copy(), tau.copy()
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        if i in fd:
            qdd[i - 1 : i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i - 1 : i]
        if i not in fd:
            tau[i - 1 : i] = S[i].T @ (I_A[i] @ a[i] + p_A[i])
    return np.array([qdd, tau])


def _hinges(rng):
    """Arguments of exercise 13.9: a chain of five hinges in space, at rest, and torques."""
    axes = [Revolute("y"), Revolute("z"), Revolute("x")]
    return chain(auto_tree(5, seed=int(rng.integers(1000)), joints=axes), rng.normal(size=5)), rng.normal(size=5)


def accelerations(c, T_bar):
    """Exercise 13.9."""
    phi = [np.eye(6), *c.phi[1:]]
    D, G, epsilon = ([None] * (c.n + 1) for _ in range(3))
    P_plus, z_plus, alpha, beta_dot = np.zeros((6, 6)), np.zeros(6), np.zeros(6), np.zeros((c.n + 1, 1))
    for k in c.links:
        P = phi[k - 1] @ P_plus @ phi[k - 1].T + c.M[k]
        z = phi[k - 1] @ z_plus
        D[k] = c.H[k] @ P @ c.H[k].T
        G[k] = P @ c.H[k].T / D[k]
        P_plus = (np.eye(6) - G[k] @ c.H[k]) @ P
        epsilon[k] = T_bar[k - 1] - c.H[k] @ z
        z_plus = z + G[k] @ epsilon[k]
    for k in reversed(c.links):
        alpha_plus = phi[k].T @ alpha
        beta_dot[k] = epsilon[k] / D[k][0] - G[k].T @ alpha_plus
        alpha = alpha_plus + c.H[k].T @ beta_dot[k]
    return np.concatenate(beta_dot[1:])


def _adrift(rng):
    """Arguments of exercise 18.10: those of 11.9 for a base that moves and has an inertia, and gravity in its axes.

    >>> from rbdlib.book.ch09_floating_base import floating_aba
    >>> from rbdlib.methods.floating_base import FloatingBase
    >>> model, q, qd, tau = moving_tree(np.random.default_rng(18))
    >>> known, v_0, a_g = after_pass_1(model, q, qd, tau, np.arange(6)), np.arange(6), np.array([1, 2, 3])
    >>> known[4][0] = spatial.crf(v_0) @ model.inertia[1] @ v_0
    >>> found = floating_passes(model, [model.inertia[1], *model.inertia[1:]], *known[1:], a_g)
    >>> np.allclose(found, np.concatenate(floating_aba(FloatingBase(model, model.inertia[1]), q, qd, v_0, tau, a_g)))
    True
    """
    model, q, qd, tau = moving_tree(rng)
    v_0, base = rng.normal(size=6), model.inertia[1] + np.diag([0.3, 0.2, 0.4, 1.0, 1.0, 1.0])
    X, S, c, p = after_pass_1(model, q, qd, tau, v_0)[1:5]
    p[0] = spatial.crf(v_0) @ base @ v_0
    return model, [base, *model.inertia[1:]], X, S, c, p, tau, rng.normal(size=3)


def floating_passes(model, I, X, S, c, p, tau, a_g):
    """Exercise 18.10."""
    I_A, p_A = list(I), list(p)
    U, D_inv, u = ([None] * (model.N_B + 1) for _ in range(3))
    a, qdd = np.zeros((model.N_B + 1, 6)), np.zeros((model.N_B + 1, 1))
    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]
        D_inv[i] = np.linalg.inv(S[i].T @ U[i])
        u[i] = tau[i - 1] - S[i].T @ p_A[i]
        I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T
        p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]
        h, up = model.parent[i], X[i].T
        I_A[h] = I_A[h] + up @ I_a @ up.T
        p_A[h] = p_A[h] + up @ p_a
    a[0] = -np.linalg.solve(I_A[0], p_A[0])
    for i in model.bodies:
        a[i] = X[i] @ a[model.parent[i]] + c[i]
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    return np.concatenate([a[0] + [0, 0, 0, *a_g], *qdd[1:]])


def _hinges_and_slides(rng):
    """Arguments of exercise 14.9: a tree of five hinges and slides, its q, qd and qdd, and changes of q and qd."""
    joints = [Revolute("y"), Prismatic("x"), Revolute("z"), Revolute("x")]
    return tree(rng, joints, [(0, 1, 2, 3, 4), (0, 1, 1, 2, 4), (0, 0, 1, 2, 2)]), *rng.normal(size=(5, 5))


def _by_derivatives(model, q, qd, qdd, dq, dqd):
    """The reference of exercise 14.9: the library's derivatives, along dq and dqd."""
    by_q, by_qd, _ = rnea_derivatives(model, q, qd, qdd)
    return by_q @ dq + by_qd @ dqd


def change_of_torques(model, q, qd, qdd, dq, dqd):
    """Exercise 14.9."""
    crm, crf = spatial.crm, spatial.crf
    X, S = kinematics.joints_at(model, q)
    v, a, dv, da, f, df = np.zeros((6, model.N_B + 1, 6))
    a[0] = spatial.free_motion(-model.gravity)
    for i in model.bodies:
        h, k, s, I = model.parent[i], i - 1, S[i][:, 0], model.inertia[i]
        turn = dq[k] * crm(s) @ X[i]
        v[i] = X[i] @ v[h] + s * qd[k]
        dv[i] = X[i] @ dv[h] - turn @ v[h] + s * dqd[k]
        a[i] = X[i] @ a[h] + s * qdd[k] + crm(v[i]) @ s * qd[k]
        da[i] = X[i] @ da[h] - turn @ a[h] + crm(dv[i]) @ s * qd[k] + crm(v[i]) @ s * dqd[k]
        f[i] = I @ a[i] + crf(v[i]) @ I @ v[i]
        df[i] = I @ da[i] + crf(dv[i]) @ I @ v[i] + crf(v[i]) @ I @ dv[i]
    dtau = np.zeros(model.N_B)
    for i in reversed(model.bodies):
        h, s = model.parent[i], S[i][:, 0]
        dtau[i - 1] = s @ df[i]
        if h != 0:
            f[h], df[h] = f[h] + X[i].T @ f[i], df[h] + X[i].T @ (df[i] + dq[i - 1] * crf(s) @ f[i])
    return dtau


def coriolis_matrix(H, q, qd):
    """Exercise 29.2."""
    dH = np.array([H(q + 1e-20j * e).imag / 1e-20 for e in np.eye(len(q))])
    H_dot, B = np.tensordot(qd, dH, 1), dH @ qd
    return (H_dot + B.T - B) / 2


def _tree_in_motion(rng):
    """H of a random tree as a function of q, and a state."""
    model, q, qd, _ = moving_tree(rng)
    return lambda q: crba(model, q), q, qd


def adaptive(Y, q, qd, wanted, guess, Lambda, K, P):
    """Exercise 29.5."""
    q_d, qd_d, qdd_d = wanted
    qd_r, qdd_r = qd_d + Lambda * (q_d - q), qdd_d + Lambda * (qd_d - qd)
    s, Y_r = qd - qd_r, Y(q, qd, qd_r, qdd_r)
    return np.concatenate([Y_r @ guess - K * s, -P * Y_r.T @ s])


def _grasp(rng):
    """Arguments of exercise 29.5, for a random tree of five joints."""
    model, q, qd, _ = moving_tree(rng)
    rest = np.zeros(5)

    def Y(q, qd, u, a):
        by_velocities = regressor(model, q, qd + u, rest) - regressor(model, q, qd - u, rest)
        return regressor(model, q, rest, a) + by_velocities / 4

    return Y, q, qd, rng.normal(size=(3, 5)), rng.normal(size=50), *rng.uniform(2, 5, size=3)


def moving(rng):
    """Arguments of exercise 30.5: a tree of four joints of one freedom, q, qd and qdd."""
    joints = [Revolute("y"), Prismatic("x"), Helical(0.3), Revolute("z")]
    return tree(rng, joints, [(0, 1, 2, 3), (0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 1, 3)]), *rng.normal(size=(3, 4))


def tree_regressor(model, q, qd, qdd):
    """Exercise 30.5."""
    X, (S, v, a) = np.zeros((model.N_B + 1, 6, 6)), np.zeros((3, model.N_B + 1, 6))
    a[0] = -spatial.free_motion(model.gravity)
    units = list(map(parameters.from_parameters, np.eye(10)))
    Y = np.zeros((model.N_B, 10 * model.N_B))
    for i in model.bodies:
        h = model.parent[i]
        X_J, S_i, v_J, c_J = joints.jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X[i], S[i] = X_J @ model.X_tree[i], S_i[:, 0]
        v[i] = X[i] @ v[h] + v_J
        a[i] = X[i] @ a[h] + S[i] * qdd[i - 1] + c_J + spatial.crm(v[i]) @ v_J
        F = np.column_stack([E @ a[i] + spatial.crf(v[i]) @ E @ v[i] for E in units])
        j = i
        while j != 0:
            Y[j - 1, 10 * (i - 1) : 10 * i] = S[j] @ F
            F, j = X[j].T @ F, model.parent[j]
    return Y


def joint_step(J, e, z, W, d):
    """Exercise 31.6: a damped step of inverse kinematics, with a second task in the null space."""
    W_inv_Jt = np.linalg.solve(W, J.T)
    G = W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + d**2 * np.eye(len(J)))
    return G @ e + z - G @ J @ z


def _pushed_arm(rng):
    """Arguments of exercise 31.8: H, C, J, J-dot qd, e, qd, K, D and tau_0 of an arm as in 31.6."""
    H, K, D = (positive(rng, n) for n in (5, 3, 3))
    return H, *normal(rng, 5, (3, 5), 3, 3, 5), K, D, rng.normal(size=5)


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0):
    """Exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    W_inv_Jt = np.linalg.solve(H, J.T)
    Lambda = np.linalg.inv(J @ W_inv_Jt)
    J_bar = W_inv_Jt @ Lambda
    F = K @ e - D @ (J @ qd) - Lambda @ J_dot_qd
    return C + J.T @ F + tau_0 - J.T @ J_bar.T @ tau_0


ANSWERS = {
    "11.9": Computed(passes_2_and_3, inputs=lambda rng: after_pass_1(*moving_tree(rng))),
    "13.9": Computed(
        lambda c, T_bar: two_sweeps(c, articulated_inertias(c), T_bar, moving=False).beta_dot, inputs=_hinges,
        answer=accelerations),
    "17.9": Computed(hybrid_passes, inputs=_half_known),
    "18.10": Computed(floating_passes, inputs=_adrift),
    "14.9": Computed(_by_derivatives, inputs=_hinges_and_slides, answer=change_of_torques),
    "29.2": Computed(coriolis_matrix, inputs=_tree_in_motion),
    "29.5": Computed(adaptive, inputs=_grasp),
    "30.5": Computed(regressor, inputs=moving, answer=tree_regressor, mistakes={
        "entry 2": lambda model, q, qd, qdd: regressor(model, q, qd, qdd) + rnea(model, q, qd, qdd)[:, None]}),
    "31.6": Computed(
        joint_step, inputs=lambda rng: (*normal(rng, (3, 5), 3, 5), positive(rng, 5), rng.uniform(0.3, 0.6))),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm)}
