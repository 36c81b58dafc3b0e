"""Computed answers about passes of articulated-body algorithms (notebooks 11, 13, 17 and 18)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, RackAndPinion, Revolute, jcalc
from rbdlib.exercises.declare import Computed
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers.scalars import unfilled
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n.articulated import articulated_inertias, two_sweeps

#: A chain, two trees at one base, a tree with branches, and a bush.
TREES = [(0, 1, 2, 3, 4), (0, 0, 1, 2, 2), (0, 1, 1, 2, 2), (0, 1, 1, 1, 3)]


def moving_tree(rng):
    """A tree of joints of one freedom, its q and qd, and torques."""
    joints = [Revolute("y"), RackAndPinion(0.4), Prismatic("x"), Helical(0.3), Revolute("z")]
    model = auto_tree(5, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    return model.replace(parent=TREES[rng.integers(len(TREES))]), *rng.normal(size=(3, 5))


def after_pass_1(model, q, qd, tau, v_0=(0, 0, 0, 0, 0, 0)):
    """Arguments of exercise 11.9: what pass 1 leaves to the others."""
    X, S, v, c, p = unfilled(6, 5)
    v[0] = np.array(v_0)
    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i - 1], qd[i - 1])
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[model.parent[i]] + v_J
        c[i] = c_J + crm(v[i]) @ v_J
        p[i] = crf(v[i]) @ model.inertia[i] @ v[i]
    return model, X, S, c, p, tau


def _across(I, I_A, p_A, S, c, tau):
    """I_a, p_a, U, D⁻¹ and u of one joint; I is the inertia of the body alone."""
    U = I_A @ S
    D_inv, u = np.linalg.inv(S.T @ U), tau - S.T @ p_A
    I_a = I_A - U @ D_inv @ U.T
    return I_a, p_A + I_a @ c + U @ D_inv @ u, U, D_inv, u


def _step(change):
    """A step across a joint of which I_a and p_a are others: change(I_A, p_A, I_a, p_a, U D⁻¹, U, u, c)."""

    def step(I, I_A, p_A, S, c, tau):
        I_a, p_a, U, D_inv, u = _across(I, I_A, p_A, S, c, tau)
        return *change(I_A, p_A, I_a, p_a, U @ D_inv, U, u, c), U, D_inv, u

    return step


def _half_known(rng):
    """Arguments of exercise 17.9: those of 11.9, but fd, and accelerations and torques where they are known."""
    model, X, S, c, p, tau = after_pass_1(*moving_tree(rng))
    fd = {1, *rng.choice([2, 3, 4, 5], size=2, replace=False).tolist()} - {int(rng.integers(1, 6))}
    free = np.array([i in fd for i in model.bodies])
    return model, X, S, c, p, fd, np.where(free, 0, rng.normal(size=5)), np.where(free, tau, 0)


def hybrid(model, X, S, c, p, fd, qdd, tau, *, kind=lambda i, fd: i in fd, c_1=lambda c, S, qdd: c + S @ qdd,
           c_3=lambda c, S, qdd: c + S @ qdd, given_I_a=lambda I_A: I_A,
           tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I_A @ a + p_A), twice=0, step=_across,
           parent=lambda model, i: model.parent[i], order=range(5, 0, -1), back=lambda X: X.T, added=True,
           a_0=lambda a_g: -a_g, a_prime=lambda X, a, c: X @ a + c, qdd_of=lambda D_inv, u, U, a: D_inv @ (u - U.T @ a),
           moved=1):
    """Exercise 17.9: passes 2 and 3 of articulated-body hybrid dynamics.

    >>> from rbdlib import aba
    >>> for seed in range(8):
    ...     state = moving_tree(np.random.default_rng(seed))
    ...     qdd, tau, free = aba(*state), state[-1], np.array([True, False, False, True, False])
    ...     known = *after_pass_1(*state)[:-1], {1, 4}, np.where(free, 0, qdd), np.where(free, tau, 0)
    ...     assert np.allclose(hybrid(*known), [qdd, tau])
    """
    I_A, p_A = list(model.inertia), list(p)
    qdd, tau = qdd + 0.0, tau + 0.0
    felt, a = unfilled(6, 2)
    for i in order:
        if kind(i, fd):
            I_a, p_a, *felt[i] = step(model.inertia[i], I_A[i], p_A[i], S[i], c[i], tau[i - 1])
        else:
            I_a = given_I_a(I_A[i])
            p_a = p_A[i] + I_a @ c_1(c[i], S[i], qdd[i - 1 : i])
        h = parent(model, i)
        if h != 0:
            I_A[h] = (I_A if added else model.inertia)[h] + back(X[i]) @ I_a @ back(X[i]).T
            p_A[h] = (p_A if added else p)[h] + back(X[i]) @ p_a
    a[0] = a_0(free_motion(model.gravity))
    for i in model.bodies:
        h = parent(model, i)
        if kind(i, fd):
            U, D_inv, u = felt[i]
            a[i] = a_prime(X[i], a[h], c[i])
            qdd[i - 1 : i] = qdd_of(D_inv, u, U, a[i])
            a[i] = a[i] + moved * S[i] @ qdd[i - 1 : i]
        else:
            a[i] = X[i] @ a[h] + c_3(c[i], S[i], qdd[i - 1 : i]) + twice * S[i] @ qdd[i - 1 : i]
            tau[i - 1 : i] = tau_of(model.inertia[i], I_A[i], p_A[i], p[i], S[i], a[i])
    return np.array([qdd, tau])


def passes(model, X, S, c, p, tau, **steps):
    """Exercise 11.9, passes 2 and 3 of the articulated-body algorithm: all joints are free.

    >>> from rbdlib import aba
    >>> states = [moving_tree(np.random.default_rng(seed)) for seed in range(8)]
    >>> all(np.allclose(passes(*after_pass_1(*state)), aba(*state)) for state in states)
    True
    """
    return hybrid(model, X, S, c, p, {*model.bodies}, np.zeros(5), tau, **steps)[0]


def _locked(I, I_A, p_A, S, c, tau):
    """I_a = I_A at a free joint, too."""
    I_a, p_a, U, D_inv, u = _across(I, I_A, p_A, S, c, tau)
    return I_A, p_A + I_A @ c + U @ D_inv @ u, U, D_inv, u


def _hinges(rng):
    """Arguments of exercise 13.9: a chain of five hinges in space, at rest, and torques."""
    axes = [Revolute("y"), Revolute("z"), Revolute("x")]
    return chain(auto_tree(5, seed=int(rng.integers(1000)), joints=axes), rng.normal(size=5)), rng.normal(size=5)


def _recursion(c, T_bar, *, gain=lambda P, M: P, passed=lambda tau_bar, P: tau_bar @ P,
               inertia=lambda phi, P: phi @ P @ phi.T, force=lambda phi, z: phi @ z, link=lambda k: k - 1,
               left=lambda T, Hz: T - Hz, out=lambda phi, alpha: phi.T @ alpha, given_back=1,
               own=lambda beta_dot, nu: beta_dot, last=None):
    """Exercise 13.9: the articulated-body recursion in SOA's notation.

    own: the acceleration of the joint that is added to alpha; last: the number of the link whose alpha comes first.
    """
    phi = [np.eye(6), *c.phi[1:]]
    D, G, nu, beta_dot = unfilled(c.n + 1, 4)
    P_plus, z_plus, alpha = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    for k in c.links:
        P, z = inertia(phi[link(k)], P_plus) + c.M[k], force(phi[link(k)], z_plus)
        D[k] = c.H[k] @ gain(P, c.M[k]) @ c.H[k].T
        G[k] = gain(P, c.M[k]) @ c.H[k].T / D[k]
        epsilon = left(T_bar[k - 1], c.H[k] @ z)
        nu[k] = epsilon / D[k][0]
        P_plus, z_plus = passed(np.eye(6) - G[k] @ c.H[k], P), z + G[k] @ epsilon
    for k in c.links if last == 1 else reversed(c.links):
        alpha_plus = out(phi[k], alpha)
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


def floating(model, I, X, S, c, p, tau, a_g, *, step=_across, to_base=True, p_0=lambda p: p,
             a_0=lambda I_A, p_A: -np.linalg.solve(I_A, p_A), felt=0, gravity=1, a_prime=lambda X, a, c: X @ a + c,
             parent=lambda model, i: model.parent[i], order=range(5, 0, -1), back=lambda X: X.T, added=True):
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
    I_A, p_A = list(I), list(p)
    p_A[0] = p_0(p[0])
    across, a, qdd = unfilled(6, 3)
    for i in order:
        I_a, p_a, *across[i] = step(I[i], I_A[i], p_A[i], S[i], c[i], tau[i - 1])
        h = parent(model, i)
        if h != 0 or to_base:
            I_A[h] = (I_A if added else I)[h] + back(X[i]) @ I_a @ back(X[i]).T
            p_A[h] = (p_A if added else p)[h] + back(X[i]) @ p_a
    free = a_0(I_A[0], p_A[0])
    a[0] = free + felt * free_motion(a_g)
    for i in model.bodies:
        U, D_inv, u = across[i]
        a[i] = a_prime(X[i], a[parent(model, i)], c[i])
        qdd[i] = D_inv @ (u - U.T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    return np.concatenate([free + gravity * free_motion(a_g), *qdd[1:]])


ANSWERS = {
    "11.9": Computed(passes, inputs=lambda rng: after_pass_1(*moving_tree(rng)), mistakes={
        "entry": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + I_A @ c + U_D @ u))),
        "entry 2": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_A, p_A + I_A @ c + U_D @ u))),
        "sign": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (
            I_A + U_D @ U.T, p_A + (I_A + U_D @ U.T) @ c + U_D @ u))),
        "bias": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + U_D @ u))),
        "bias 2": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + I_a @ c))),
        "inertia": dict(step=lambda I, I_A, p_A, S, c, tau: (
            *_across(I, I_A, p_A, S, c, tau)[:2], *_across(I, I, p_A, S, c, tau)[2:])),
        "transpose": dict(back=lambda X: X), "dual": dict(back=np.linalg.inv), "frame": dict(back=lambda X: np.eye(6)),
        "order": dict(order=range(1, 6)), "entry 3": dict(added=False), "parent": dict(parent=lambda model, i: i - 1),
        "gravity": dict(a_0=lambda a_g: 0 * a_g), "sign 2": dict(a_0=lambda a_g: a_g),
        "entry 4": dict(a_prime=lambda X, a, c: X @ a), "frame 2": dict(a_prime=lambda X, a, c: a + c),
        "entry 5": dict(qdd_of=lambda D_inv, u, U, a: D_inv @ u), "entry 6": dict(moved=0)}),
    "13.9": Computed(
        lambda c, T_bar: two_sweeps(c, articulated_inertias(c), T_bar, moving=False).beta_dot, inputs=_hinges,
        steps=_recursion, mistakes={
            "entry": dict(passed=lambda tau_bar, P: P), "inertia": dict(gain=lambda P, M: M),
            "transpose": dict(inertia=lambda phi, P: phi.T @ P @ phi), "frame": dict(inertia=lambda phi, P: P),
            "frame 2": dict(force=lambda phi, z: z), "entry 2": dict(link=lambda k: k),
            "bias": dict(left=lambda T, Hz: T + 0 * Hz), "sign": dict(left=lambda T, Hz: T + Hz),
            "frame 3": dict(out=lambda phi, alpha: alpha), "entry 3": dict(given_back=0), "sign 2": dict(given_back=-1),
            "entry 4": dict(own=lambda beta_dot, nu: nu), "order": dict(last=1)}),
    "17.9": Computed(hybrid, inputs=_half_known, mistakes={
        "entry": dict(c_1=lambda c, S, qdd: c, c_3=lambda c, S, qdd: c), "entry 2": dict(c_1=lambda c, S, qdd: c),
        "entry 3": dict(c_3=lambda c, S, qdd: c),
        "bias": dict(c_1=lambda c, S, qdd: S @ qdd, c_3=lambda c, S, qdd: S @ qdd), "factor": dict(twice=1),
        "swapped": dict(kind=lambda i, fd: i not in fd), "entry 4": dict(kind=lambda i, fd: True),
        "entry 5": dict(given_I_a=lambda I_A: 0 * I_A), "entry 6": dict(step=_locked),
        "inertia": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I @ a + p)),
        "bias 2": dict(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ I_A @ a),
        "sign": dict(tau_of=lambda I, I_A, p_A, p, S, a: -S.T @ (I_A @ a + p_A)), "transpose": dict(back=lambda X: X),
        "dual": dict(back=np.linalg.inv), "frame": dict(back=lambda X: np.eye(6)), "order": dict(order=range(1, 6)),
        "entry 7": dict(added=False), "parent": dict(parent=lambda model, i: i - 1),
        "gravity": dict(a_0=lambda a_g: 0 * a_g)}),
    "18.10": Computed(floating, inputs=_adrift, mistakes={
        "entry": dict(to_base=False), "entry 2": dict(a_0=lambda I_A, p_A: 0 * p_A),
        "sign": dict(a_0=lambda I_A, p_A: np.linalg.solve(I_A, p_A)), "gravity": dict(gravity=0),
        "gravity 2": dict(felt=1), "gravity 3": dict(gravity=-1), "bias": dict(p_0=lambda p: 0 * p),
        "entry 3": dict(step=_locked),
        "bias 2": dict(step=_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + U_D @ u))),
        "entry 4": dict(a_prime=lambda X, a, c: X @ a), "transpose": dict(back=lambda X: X),
        "dual": dict(back=np.linalg.inv), "order": dict(order=range(1, 6)), "entry 5": dict(added=False),
        "parent": dict(parent=lambda model, i: i - 1)})}
