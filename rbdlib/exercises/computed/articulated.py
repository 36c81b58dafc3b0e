"""Computed answers about passes of articulated-body algorithms (notebooks 11 and 17)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Helical, Prismatic, RackAndPinion, Revolute, jcalc
from rbdlib.exercises.declare import Computed
from rbdlib.methods.generators import auto_tree
from rbdlib.numbers.scalars import unfilled

#: A chain, two trees at one base, a tree with branches, and a bush.
TREES = [(0, 1, 2, 3, 4), (0, 0, 1, 2, 2), (0, 1, 1, 2, 2), (0, 1, 1, 1, 3)]


def _in_motion(rng):
    """Arguments of exercise 11.9: a tree of joints of one freedom, pass 1 of some motion, and torques."""
    joints = [Revolute("y"), RackAndPinion(0.4), Prismatic("x"), Helical(0.3), Revolute("z")]
    model = auto_tree(5, seed=int(rng.integers(1000)), joints=joints, gravity=(1.0, -9.0, 3.0))
    model = model.replace(parent=TREES[rng.integers(len(TREES))])
    q, qd, tau = rng.normal(size=(3, 5))

    X, S, v, c, p = unfilled(6, 5)
    v[0] = np.zeros(6)
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


def _passes(step=_across, parent=lambda model, i: model.parent[i], order=range(5, 0, -1), back=lambda X: X.T,
            added=True, a_0=lambda a_g: -a_g, a_prime=lambda X, a, c: X @ a + c,
            qdd_of=lambda D_inv, u, U, a: D_inv @ (u - U.T @ a), moved=1):
    """A function for exercise 11.9, passes 2 and 3 of the articulated-body algorithm; one step may be another."""

    def passes_2_and_3(model, X, S, c, p, tau):
        I_A, p_A = list(model.inertia), list(p)
        felt, a, qdd = unfilled(6, 3)
        for i in order:
            I_a, p_a, *felt[i] = step(model.inertia[i], I_A[i], p_A[i], S[i], c[i], tau[i - 1])
            h = parent(model, i)
            if h != 0:
                I_A[h] = (I_A if added else model.inertia)[h] + back(X[i]) @ I_a @ back(X[i]).T
                p_A[h] = (p_A if added else p)[h] + back(X[i]) @ p_a
        a[0] = a_0(free_motion(model.gravity))
        for i in model.bodies:
            U, D_inv, u = felt[i]
            a[i] = a_prime(X[i], a[parent(model, i)], c[i])
            qdd[i] = qdd_of(D_inv, u, U, a[i])
            a[i] = a[i] + moved * S[i] @ qdd[i]
        return np.concatenate(qdd[1:])

    return passes_2_and_3


def _step(change):
    """A step across a joint of which I_a and p_a are others: change(I_A, p_A, I_a, p_a, U D⁻¹, U, u, c)."""

    def step(I, I_A, p_A, S, c, tau):
        I_a, p_a, U, D_inv, u = _across(I, I_A, p_A, S, c, tau)
        return *change(I_A, p_A, I_a, p_a, U @ D_inv, U, u, c), U, D_inv, u

    return step


def _half_known(rng):
    """Arguments of exercise 17.9: those of 11.9, but fd, and accelerations and torques where they are known."""
    model, X, S, c, p, tau = _in_motion(rng)
    fd = {1, *rng.choice([2, 3, 4, 5], size=2, replace=False).tolist()} - {int(rng.integers(1, 6))}
    free = np.array([i in fd for i in model.bodies])
    return model, X, S, c, p, fd, np.where(free, 0, rng.normal(size=5)), np.where(free, tau, 0)


def _hybrid(kind=lambda i, fd: i in fd, c_1=lambda c, S, qdd: c + S @ qdd, c_3=lambda c, S, qdd: c + S @ qdd,
            given_I_a=lambda I_A: I_A, tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I_A @ a + p_A), twice=0,
            step=_across, parent=lambda model, i: model.parent[i], order=range(5, 0, -1), back=lambda X: X.T,
            added=True, a_0=lambda a_g: -a_g):
    """A function for exercise 17.9, passes 2 and 3 of articulated-body hybrid dynamics; one step may be another."""

    def hybrid_passes(model, X, S, c, p, fd, qdd, tau):
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
            a[i] = X[i] @ a[parent(model, i)] + c[i]
            if kind(i, fd):
                U, D_inv, u = felt[i]
                qdd[i - 1 : i] = D_inv @ (u - U.T @ a[i])
                a[i] = a[i] + S[i] @ qdd[i - 1 : i]
            else:
                a[i] = a[i] - c[i] + c_3(c[i], S[i], qdd[i - 1 : i]) + twice * S[i] @ qdd[i - 1 : i]
                tau[i - 1 : i] = tau_of(model.inertia[i], I_A[i], p_A[i], p[i], S[i], a[i])
        return np.array([qdd, tau])

    return hybrid_passes


def _locked(I, I_A, p_A, S, c, tau):
    """I_a = I_A at a free joint, too."""
    I_a, p_a, U, D_inv, u = _across(I, I_A, p_A, S, c, tau)
    return I_A, p_A + I_A @ c + U @ D_inv @ u, U, D_inv, u


ANSWERS = {
    "11.9": Computed(_passes(), inputs=_in_motion, mistakes={
        "entry": _passes(_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + I_A @ c + U_D @ u))),
        "entry 2": _passes(_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_A, p_A + I_A @ c + U_D @ u))),
        "sign": _passes(_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (
            I_A + U_D @ U.T, p_A + (I_A + U_D @ U.T) @ c + U_D @ u))),
        "bias": _passes(_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + U_D @ u))),
        "bias 2": _passes(_step(lambda I_A, p_A, I_a, p_a, U_D, U, u, c: (I_a, p_A + I_a @ c))),
        "inertia": _passes(lambda I, I_A, p_A, S, c, tau: (
            *_across(I, I_A, p_A, S, c, tau)[:2], *_across(I, I, p_A, S, c, tau)[2:])),
        "transpose": _passes(back=lambda X: X), "dual": _passes(back=np.linalg.inv),
        "frame": _passes(back=lambda X: np.eye(6)), "order": _passes(order=range(1, 6)),
        "entry 3": _passes(added=False), "parent": _passes(parent=lambda model, i: i - 1),
        "gravity": _passes(a_0=lambda a_g: 0 * a_g), "sign 2": _passes(a_0=lambda a_g: a_g),
        "entry 4": _passes(a_prime=lambda X, a, c: X @ a), "frame 2": _passes(a_prime=lambda X, a, c: a + c),
        "entry 5": _passes(qdd_of=lambda D_inv, u, U, a: D_inv @ u), "entry 6": _passes(moved=0)}),
    "17.9": Computed(_hybrid(), inputs=_half_known, mistakes={
        "entry": _hybrid(c_1=lambda c, S, qdd: c, c_3=lambda c, S, qdd: c),
        "entry 2": _hybrid(c_1=lambda c, S, qdd: c), "entry 3": _hybrid(c_3=lambda c, S, qdd: c),
        "bias": _hybrid(c_1=lambda c, S, qdd: S @ qdd, c_3=lambda c, S, qdd: S @ qdd),
        "factor": _hybrid(twice=1), "swapped": _hybrid(kind=lambda i, fd: i not in fd),
        "entry 4": _hybrid(kind=lambda i, fd: True), "entry 5": _hybrid(given_I_a=lambda I_A: 0 * I_A),
        "entry 6": _hybrid(step=_locked),
        "inertia": _hybrid(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ (I @ a + p)),
        "bias 2": _hybrid(tau_of=lambda I, I_A, p_A, p, S, a: S.T @ I_A @ a),
        "sign": _hybrid(tau_of=lambda I, I_A, p_A, p, S, a: -S.T @ (I_A @ a + p_A)),
        "transpose": _hybrid(back=lambda X: X), "dual": _hybrid(back=np.linalg.inv),
        "frame": _hybrid(back=lambda X: np.eye(6)), "order": _hybrid(order=range(1, 6)),
        "entry 7": _hybrid(added=False), "parent": _hybrid(parent=lambda model, i: i - 1),
        "gravity": _hybrid(a_0=lambda a_g: 0 * a_g)}),
}
