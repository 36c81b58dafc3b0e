"""Reference solution: Table 7.1 from the equations, and the same with a batch of states in every operation."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.book.ch04_joints import jcalc


def my_aba(model, q, qd, tau):
    """Forward dynamics of a tree with joints of one variable each, in three passes (RBDA 7.3)."""
    n = model.N_B
    X, S, c, v, I_A, p_A, U, d, u, a = ([None] * (n + 1) for _ in range(10))
    qdd = np.zeros(n)
    v[0], a[0] = np.zeros(6), np.concatenate([np.zeros(3), -np.asarray(model.gravity, dtype=float)])
    for i in range(1, n + 1):
        X_J, S_i, v_J, _ = jcalc(model.joints[i], q[i - 1 : i], qd[i - 1 : i])
        X[i], S[i] = X_J @ model.X_tree[i], S_i[:, 0]
        v[i] = X[i] @ v[model.parent[i]] + v_J
        c[i] = crm(v[i]) @ v_J
        I_A[i] = model.inertia[i].copy()
        p_A[i] = crf(v[i]) @ I_A[i] @ v[i]
    for i in range(n, 0, -1):
        U[i] = I_A[i] @ S[i]
        d[i] = S[i] @ U[i]
        u[i] = tau[i - 1] - S[i] @ p_A[i]
        p = model.parent[i]
        if p:
            I_a = I_A[i] - np.outer(U[i], U[i]) / d[i]
            p_a = p_A[i] + I_a @ c[i] + U[i] * u[i] / d[i]
            I_A[p] = I_A[p] + X[i].T @ I_a @ X[i]
            p_A[p] = p_A[p] + X[i].T @ p_a
    for i in range(1, n + 1):
        a_i = X[i] @ a[model.parent[i]] + c[i]
        qdd[i - 1] = (u[i] - U[i] @ a_i) / d[i]
        a[i] = a_i + S[i] * qdd[i - 1]
    return qdd


def fast(model):
    """A function of whole batches q, qd, tau (k x n) that returns qdd (k x n): the state is a further index.

    Everything that does not depend on the state is worked out once. Revolute joints about z only.
    """
    n, X_tree, inertia = model.N_B, np.array(model.X_tree[1:]), np.array(model.inertia[1:])
    gravity = np.concatenate([np.zeros(3), -np.asarray(model.gravity, dtype=float)])

    def accelerations(q, qd, tau):
        q, qd, tau = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (q, qd, tau))
        X = _turned(q) @ X_tree
        v, c, I_A, p_A = _outward(model, X, qd, inertia)
        U, d, u = np.zeros((len(q), n, 6)), np.zeros(q.shape), np.zeros(q.shape)
        for i in range(n, 0, -1):
            U[:, i - 1], d[:, i - 1] = I_A[:, i - 1, :, 2], I_A[:, i - 1, 2, 2]
            u[:, i - 1] = tau[:, i - 1] - p_A[:, i - 1, 2]
            if model.parent[i]:
                _hand_on(model.parent[i] - 1, i - 1, X, c, I_A, p_A, U, d, u)
        return _accelerations(model, X, c, U, d, u, gravity)

    return accelerations


def _turned(q):
    """The transforms of turns about z, (k x n x 6 x 6)."""
    X, c, s = np.zeros((*q.shape, 6, 6)), np.cos(q), np.sin(q)
    for at in (0, 3):
        X[..., at, at] = X[..., at + 1, at + 1] = c
        X[..., at, at + 1], X[..., at + 1, at], X[..., at + 2, at + 2] = s, -s, 1
    return X


def _outward(model, X, qd, inertia):
    """Velocities, c, and the inertias and bias forces of the bodies alone."""
    k, n = qd.shape
    v, c, p_A = np.zeros((k, n, 6)), np.zeros((k, n, 6)), np.zeros((k, n, 6))
    I_A = np.tile(inertia, (k, 1, 1, 1))
    for i in range(1, n + 1):
        p, j = model.parent[i], i - 1
        v[:, j] = np.einsum("kab,kb->ka", X[:, j], v[:, p - 1]) if p else 0
        v[:, j, 2] += qd[:, j]
        w, l, rate = v[:, j, :3], v[:, j, 3:], qd[:, j]
        c[:, j, 0], c[:, j, 1] = w[:, 1] * rate, -w[:, 0] * rate
        c[:, j, 3], c[:, j, 4] = l[:, 1] * rate, -l[:, 0] * rate
        h = v[:, j] @ inertia[j]
        p_A[:, j, :3] = np.cross(w, h[:, :3]) + np.cross(l, h[:, 3:])
        p_A[:, j, 3:] = np.cross(w, h[:, 3:])
    return v, c, I_A, p_A


def _hand_on(p, j, X, c, I_A, p_A, U, d, u):
    """Add what body j passes on across its joint to its parent p, both counted from 0."""
    I_a = I_A[:, j] - U[:, j, :, None] * U[:, j, None, :] / d[:, j, None, None]
    p_a = p_A[:, j] + np.einsum("kab,kb->ka", I_a, c[:, j]) + U[:, j] * (u[:, j] / d[:, j])[:, None]
    I_A[:, p] += np.swapaxes(X[:, j], 1, 2) @ I_a @ X[:, j]
    p_A[:, p] += np.einsum("kab,ka->kb", X[:, j], p_a)


def _accelerations(model, X, c, U, d, u, gravity):
    qdd, a = np.zeros(d.shape), np.zeros(c.shape)
    for i in range(1, d.shape[1] + 1):
        p, j = model.parent[i], i - 1
        before = a[:, p - 1] if p else np.broadcast_to(gravity, a[:, 0].shape)
        a_j = np.einsum("kab,kb->ka", X[:, j], before) + c[:, j]
        qdd[:, j] = (u[:, j] - (U[:, j] * a_j).sum(1)) / d[:, j]
        a[:, j] = a_j
        a[:, j, 2] += qdd[:, j]
    return qdd
