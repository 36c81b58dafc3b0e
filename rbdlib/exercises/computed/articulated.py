"""Computed answers about passes of articulated-body algorithms (notebooks 11, 13, 17 and 18)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, RackAndPinion, Revolute, jcalc
from rbdlib.exercises.computed.draws import chained, left_out, tree, unchanged, unit, upside_down, weightless
from rbdlib.exercises.declare import Computed
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers.scalars import unfilled
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n.articulated import articulated_inertias, two_sweeps


def moving_tree(rng):
    """A tree of joints of one freedom, its q and qd, and torques."""
    joints = [Revolute("y"), RackAndPinion(0.4), Prismatic("x"), Helical(0.3), Revolute("z")]
    parents = [(0, 1, 2, 3, 4), (0, 0, 1, 2, 2), (0, 1, 1, 2, 2), (0, 1, 1, 1, 3)]
    return tree(rng, joints, parents), *rng.normal(size=(3, 5))


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


ANSWERS = {
    "11.9": Computed(passes, inputs=lambda rng: after_pass_1(*moving_tree(rng)), mistakes={
        "entry": dict(whole=True), "entry 2": dict(less=0), "sign": dict(less=-1), "bias": dict(in_c=0),
        "bias 2": dict(in_u=0), "inertia": dict(late=lambda I, I_A: I), "transpose": dict(back=unchanged),
        "dual": dict(back=np.linalg.inv), "frame": dict(back=unit), "order": dict(order=range(1, 6)),
        "entry 3": dict(added=False), "parent": dict(model=chained), "gravity": dict(model=weightless),
        "sign 2": dict(model=upside_down), "entry 4": dict(a_prime=lambda X, a, c: X @ a),
        "frame 2": dict(a_prime=lambda X, a, c: a + c), "entry 5": dict(less_a=0), "entry 6": dict(moved=0)}),
    "13.9": Computed(
        lambda c, T_bar: two_sweeps(c, articulated_inertias(c), T_bar, moving=False).beta_dot, inputs=_hinges,
        steps=_recursion, mistakes={
            "entry": dict(passed=lambda tau_bar, P: P), "inertia": dict(gain=lambda P, M: M),
            "transpose": dict(inertia=lambda phi, P: phi.T @ P @ phi), "frame": dict(inertia=lambda phi, P: P),
            "frame 2": dict(force=unit), "entry 2": dict(link=lambda k: k), "bias": dict(bias=0), "sign": dict(bias=-1),
            "frame 3": dict(out=unit), "entry 3": dict(given_back=0), "sign 2": dict(given_back=-1),
            "entry 4": dict(own=lambda beta_dot, nu: nu), "order": dict(last=1)}),
    "17.9": Computed(hybrid, inputs=_half_known, mistakes={
        "entry": dict(c_1=(1, 0), c_3=(1, 0)), "entry 2": dict(c_1=(1, 0)), "entry 3": dict(c_3=(1, 0)),
        "bias": dict(c_1=(0, 1), c_3=(0, 1)), "factor": dict(c_3=(1, 2)),
        "swapped": dict(free=lambda i, fd: i not in fd), "entry 4": dict(free=lambda i, fd: True),
        "entry 5": dict(given_I_a=left_out), "entry 6": dict(less=0),
        "inertia": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I @ a + p)),
        "bias 2": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ I_A @ a),
        "sign": dict(tau_of=lambda I, I_A, p_A, p, S, a: -S.T @ (I_A @ a + p_A)), "transpose": dict(back=unchanged),
        "dual": dict(back=np.linalg.inv), "frame": dict(back=unit), "order": dict(order=range(1, 6)),
        "entry 7": dict(added=False), "parent": dict(model=chained), "gravity": dict(model=weightless)}),
    "18.10": Computed(floating, inputs=_adrift, mistakes={
        "entry": dict(to_base=False), "entry 2": dict(a_0=lambda I_A, p_A: 0 * p_A), "sign": dict(a_0=np.linalg.solve),
        "gravity": dict(gravity=0), "gravity 2": dict(felt=1), "gravity 3": dict(gravity=-1),
        "bias": dict(p=lambda p: [0 * p[0], *p[1:]]), "entry 3": dict(less=0), "bias 2": dict(in_c=0),
        "entry 4": dict(a_prime=lambda X, a, c: X @ a), "transpose": dict(back=unchanged),
        "dual": dict(back=np.linalg.inv), "order": dict(order=range(1, 6)), "entry 5": dict(added=False),
        "parent": dict(model=chained)})}
