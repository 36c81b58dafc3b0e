"""Computed answers about articulated bodies, derivatives, energy, parameters, redundant arms (notebooks 11 to 31)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, Revolute, jcalc
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.exercises.computed.draws import mechanism, normal, positive, tree, unchanged
from rbdlib.exercises.declare import Computed
from rbdlib.methods.derivatives import regressor, rnea_derivatives
from rbdlib.methods.generators import auto_tree
from rbdlib.methods.inertia_parameters import from_parameters
from rbdlib.numbers.scalars import unfilled
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n.articulated import articulated_inertias, two_sweeps


def moving_tree(rng):
    """A tree of five joints of one freedom, its q and qd, and torques."""
    return mechanism(rng), *rng.normal(size=(3, 5))


def outward(model, q, qd, v_0=(0, 0, 0, 0, 0, 0), *, bias=(1, 1), X_up=np.matmul):
    """X, S, v and c of all bodies. bias: how often c_J and v × v_J count; X_up: what X is of X_J and X_T."""
    X, S, v, c = unfilled(model.N_B + 1, 4)
    v[0] = np.array(v_0)
    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X[i] = X_up(X_J, model.X_tree[i])
        v[i] = X[i] @ v[model.parent[i]] + v_J
        c[i] = bias[0] * c_J + bias[1] * crm(v[i]) @ v_J
    return X, S, v, c


def after_pass_1(model, q, qd, tau, v_0=(0, 0, 0, 0, 0, 0)):
    """Arguments of exercise 11.9: what pass 1 leaves to the others."""
    X, S, v, c = outward(model, q, qd, v_0)
    return model, X, S, c, [None, *(crf(v[i]) @ model.inertia[i] @ v[i] for i in model.bodies)], tau


def _felt(I_A, S):
    """U and D⁻¹ of a joint."""
    U = I_A @ S
    return U, np.linalg.inv(S.T @ U)


def _passes_2_and_3(model, I, X, S, c, p, fd, qdd, tau, a_0, *, order=range(5, 0, -1), back=np.transpose, added=True,
                    to_base=False, free=lambda i, fd: i in fd, less=1, whole=False, in_c=1, in_u=1,
                    given_I_a=unchanged, c_1=(1, 1), c_3=(1, 1), late=lambda I, I_A: I_A,
                    a_prime=lambda X, a, c: X @ a + c, less_a=1, moved=1,
                    tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I_A @ a + p_A)):
    """The spatial accelerations, qdd and tau where a tree has the joints fd free, and the others' qdd are given.

    a_0: the base's acceleration, from I_A and p_A of the base; to_base: whether it feels what hangs on it. less, in_c,
    in_u: how often the last term of I_a and those of p_a with c and with u count; whole: whether that with c has I_A.
    c_1, c_3: how often c and S qdd count at a joint that is not free, in passes 2 and 3; late: whose U is in pass 3.
    """
    I_A, p_A = list(I), list(p)
    qdd, tau = qdd + 0.0, tau + 0.0
    felt, a = unfilled(6, 2)
    for i in order:
        known, k = S[i] @ qdd[i - 1 : i], slice(i - 1, i)
        if free(i, fd):
            (U, D_inv), u = _felt(I_A[i], S[i]), tau[k] - S[i].T @ p_A[i]
            felt[i] = *_felt(late(I[i], I_A[i]), S[i]), u
            I_a = I_A[i] - less * U @ D_inv @ U.T
            p_a = p_A[i] + in_c * (I_A[i] if whole else I_a) @ c[i] + in_u * U @ D_inv @ u
        else:
            I_a = given_I_a(I_A[i])
            p_a = p_A[i] + I_a @ (c_1[0] * c[i] + c_1[1] * known)
        h = model.parent[i]
        if h != 0 or to_base:
            I_A[h] = (I_A if added else I)[h] + back(X[i]) @ I_a @ back(X[i]).T
            p_A[h] = (p_A if added else p)[h] + back(X[i]) @ p_a
    a[0] = a_0(I_A[0], p_A[0])
    for i in model.bodies:
        k, a_h = slice(i - 1, i), a[model.parent[i]]
        if free(i, fd):
            U, D_inv, u = felt[i]
            a[i] = a_prime(X[i], a_h, c[i])
            qdd[k] = D_inv @ (u - less_a * U.T @ a[i])
            a[i] = a[i] + moved * S[i] @ qdd[k]
        else:
            a[i] = X[i] @ a_h + c_3[0] * c[i] + c_3[1] * S[i] @ qdd[k]
            tau[k] = tau_of(I[i], I_A[i], p_A[i], p[i], S[i], a[i])
    return a, qdd, tau


def _half_known(rng):
    """Arguments of exercise 17.9: those of 11.9, but fd, and accelerations and torques where they are known."""
    model, X, S, c, p, tau = after_pass_1(*moving_tree(rng))
    fd = {1, *rng.choice([2, 3, 4, 5], size=2, replace=False).tolist()} - {int(rng.integers(1, 6))}
    free = np.array([i in fd for i in model.bodies])
    return model, X, S, c, p, fd, np.where(free, 0, rng.normal(size=5)), np.where(free, tau, 0)


def hybrid(model, X, S, c, p, fd, qdd, tau, **steps):
    """Exercise 17.9: passes 2 and 3 of articulated-body hybrid dynamics.

    >>> from rbdlib import aba
    >>> for seed in range(8):
    ...     state = moving_tree(np.random.default_rng(seed))
    ...     qdd, tau, free = aba(*state), state[-1], np.array([True, False, False, True, False])
    ...     known = *after_pass_1(*state)[:-1], {1, 4}, np.where(free, 0, qdd), np.where(free, tau, 0)
    ...     assert np.allclose(hybrid(*known), [qdd, tau])
    """
    a_0 = -free_motion(model.gravity)
    return np.array(_passes_2_and_3(model, model.inertia, X, S, c, p, fd, qdd, tau, lambda I_A, p_A: a_0, **steps)[1:])


def passes(model, X, S, c, p, tau, **steps):
    """Exercise 11.9, passes 2 and 3 of the articulated-body algorithm: all joints are free.

    >>> from rbdlib import aba
    >>> states = [moving_tree(np.random.default_rng(seed)) for seed in range(8)]
    >>> all(np.allclose(passes(*after_pass_1(*state)), aba(*state)) for state in states)
    True
    """
    return hybrid(model, X, S, c, p, {*model.bodies}, np.zeros(5), tau, **steps)[0]


def _hinges(rng):
    """Arguments of exercise 13.9: a chain of five hinges in space, at rest, and torques."""
    axes = [Revolute("y"), Revolute("z"), Revolute("x")]
    return chain(auto_tree(5, seed=int(rng.integers(1000)), joints=axes), rng.normal(size=5)), rng.normal(size=5)


def _recursion(c, T_bar, *, gain=lambda P, M: P, passed=lambda tau_bar, P: tau_bar @ P,
               inertia=lambda phi, P: phi @ P @ phi.T, force=unchanged, link=lambda k: k - 1, bias=1, out=np.transpose,
               given_back=1, own=lambda beta_dot, nu: beta_dot, last=None):
    """Exercise 13.9: the articulated-body recursion in SOA's notation.

    own: the acceleration of the joint that is added to alpha; last: the number of the link whose alpha comes first.
    """
    phi = [np.eye(6), *c.phi[1:]]
    D, G, nu, beta_dot = unfilled(c.n + 1, 4)
    P_plus, z_plus, alpha = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    for k in c.links:
        P, z = inertia(phi[link(k)], P_plus) + c.M[k], force(phi[link(k)]) @ z_plus
        D[k] = c.H[k] @ gain(P, c.M[k]) @ c.H[k].T
        G[k] = gain(P, c.M[k]) @ c.H[k].T / D[k]
        epsilon = T_bar[k - 1] - bias * c.H[k] @ z
        nu[k] = epsilon / D[k][0]
        P_plus, z_plus = passed(np.eye(6) - G[k] @ c.H[k], P), z + G[k] @ epsilon
    for k in c.links if last == 1 else reversed(c.links):
        alpha_plus = out(phi[k]) @ alpha
        beta_dot[k] = nu[k] - given_back * G[k].T @ alpha_plus
        alpha = alpha_plus + c.H[k].T @ own(beta_dot[k], nu[k])
    return np.concatenate(beta_dot[1:])


def _adrift(rng):
    """Arguments of exercise 18.10: those of 11.9 for a base that moves and has an inertia, and gravity in its axes."""
    model, q, qd, tau = moving_tree(rng)
    v_0, base = rng.normal(size=6), model.inertia[1] + np.diag([0.3, 0.2, 0.4, 1.0, 1.0, 1.0])
    X, S, c, p = after_pass_1(model, q, qd, tau, v_0)[1:5]
    p[0] = crf(v_0) @ base @ v_0
    return model, [base, *model.inertia[1:]], X, S, c, p, tau, rng.normal(size=3)


def floating(model, I, X, S, c, p, tau, a_g, *, a_0=lambda I_A, p_A: -np.linalg.solve(I_A, p_A), felt=0, gravity=1,
             to_base=True, **steps):
    """Exercise 18.10: passes 2 and 3 of Table 9.4.

    felt: the part of gravity that a_0 has in pass 3 already.  gravity: the part that it has at the end.

    >>> from rbdlib.book.ch09_floating_base import floating_aba
    >>> from rbdlib.methods.floating_base import FloatingBase
    >>> model, q, qd, tau = moving_tree(np.random.default_rng(18))
    >>> known, v_0, a_g = after_pass_1(model, q, qd, tau, np.arange(6)), np.arange(6), np.array([1, 2, 3])
    >>> known[4][0] = crf(v_0) @ model.inertia[1] @ v_0
    >>> found = floating(model, [model.inertia[1], *model.inertia[1:]], *known[1:], a_g)
    >>> np.allclose(found, np.concatenate(floating_aba(FloatingBase(model, model.inertia[1]), q, qd, v_0, tau, a_g)))
    True
    """
    a_g = free_motion(a_g)
    a, qdd, _ = _passes_2_and_3(model, I, X, S, c, p, {*model.bodies}, np.zeros(5), tau,
                                lambda I_A, p_A: a_0(I_A, p_A) + felt * a_g, to_base=to_base, **steps)
    return np.concatenate([a[0] + (gravity - felt) * a_g, qdd])


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
    return H, *normal(rng, 5, (3, 5), 3, 3, 5), K, D, rng.normal(size=5)


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0, *, bias=lambda C, J, J_bar: C, down=lambda J, J_bar: J.T,
                     mass=lambda Lambda: Lambda, projector=lambda J, J_bar: J.T @ J_bar.T):
    """Exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    W_inv_Jt = np.linalg.solve(H, J.T)
    Lambda = np.linalg.inv(J @ W_inv_Jt)
    J_bar = W_inv_Jt @ Lambda
    F = K @ e - D @ (J @ qd) - mass(Lambda) @ J_dot_qd
    return bias(C, J, J_bar) + down(J, J_bar) @ F + tau_0 - projector(J, J_bar) @ tau_0


ANSWERS = {
    "11.9": Computed(passes, inputs=lambda rng: after_pass_1(*moving_tree(rng)), mistakes={
        "inertia": dict(late=lambda I, I_A: I), "entry 4": dict(a_prime=lambda X, a, c: X @ a),
        "frame 2": dict(a_prime=lambda X, a, c: a + c)}),
    "13.9": Computed(
        lambda c, T_bar: two_sweeps(c, articulated_inertias(c), T_bar, moving=False).beta_dot, inputs=_hinges,
        steps=_recursion, mistakes={
            "entry": dict(passed=lambda tau_bar, P: P), "inertia": dict(gain=lambda P, M: M),
            "transpose": dict(inertia=lambda phi, P: phi.T @ P @ phi), "frame": dict(inertia=lambda phi, P: P),
            "entry 2": dict(link=lambda k: k), "entry 4": dict(own=lambda beta_dot, nu: nu)}),
    "17.9": Computed(hybrid, inputs=_half_known, mistakes={
        "swapped": dict(free=lambda i, fd: i not in fd), "entry 4": dict(free=lambda i, fd: True),
        "inertia": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I @ a + p)),
        "bias 2": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ I_A @ a),
        "sign": dict(tau_of=lambda I, I_A, p_A, p, S, a: -S.T @ (I_A @ a + p_A))}),
    "18.10": Computed(floating, inputs=_adrift, mistakes={
        "entry 2": dict(a_0=lambda I_A, p_A: 0 * p_A), "sign": dict(a_0=np.linalg.solve),
        "bias": dict(p=lambda p: [0 * p[0], *p[1:]]), "entry 4": dict(a_prime=lambda X, a, c: X @ a)}),
    "14.9": Computed(change_of_torques, inputs=_hinges_and_slides, steps=_row_by_row),
    "29.2": Computed(_by_slopes, inputs=_tree_in_motion),
    "29.5": Computed(_adaptive, inputs=_grasp, mistakes={"velocity": dict(u=lambda qd, qd_r: qd)}),
    "30.5": Computed(regressor, inputs=moving, steps=whole_regressor, mistakes={
        "bias": dict(crosses=lambda v: 0 * crf(v)),
        "entry 2": lambda model, q, qd, qdd: regressor(model, q, qd, qdd) + rnea(model, q, qd, qdd)[:, None],
        "order": dict(units=BY_ROWS)}),
    "31.6": Computed(
        joint_step, inputs=lambda rng: (*normal(rng, (3, 5), 3, 5), positive(rng, 5), rng.uniform(0.3, 0.6)), mistakes={
            "transpose": dict(projector=lambda G, J: J.T @ G.T), "dual": dict(towards=lambda G, J: J.T),
            "entry 4": lambda J, e, z, W, d: joint_step(J, e, 0 * z, W, d) + joint_step(J, 0 * e, z, W, 0)}),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm, mistakes={
        "entry": dict(projector=lambda J, J_bar: 0 * J.T @ J), "transpose": dict(projector=lambda J, J_bar: J_bar @ J),
        "kinematic": dict(projector=lambda J, J_bar: np.linalg.pinv(J) @ J),
        "bias 2": dict(bias=lambda C, J, J_bar: J.T @ (J_bar.T @ C)), "dual": dict(down=lambda J, J_bar: J_bar),
        "dual 2": dict(down=lambda J, J_bar: np.linalg.pinv(J))})}
