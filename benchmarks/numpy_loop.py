"""RNEA on a batch of states as a good NumPy user would write it by hand: a loop over bodies, vectorised over states.

Two such programs, for arms of hinges about z: with a 6 x 6 matrix for each body and state, and with 3-vectors whose
components are arrays over the states. The benchmark compares with the faster one.
"""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er


def by_matrices(model):
    """A function (q, qd, qdd) -> tau, all (B, n), with 6 x 6 transforms that `matmul` applies."""
    n, gravity = model.N_B, np.append(np.zeros(3), -np.asarray(model.gravity))
    X_tree, I = np.array(model.X_tree[1:]), np.array(model.inertia[1:])

    def rnea(q, qd, qdd):
        B = len(q)
        X, f = np.empty((n, B, 6, 6)), np.empty((n, B, 6))
        v, a = np.zeros((B, 6)), np.broadcast_to(gravity, (B, 6))
        c, s = np.cos(q), np.sin(q)
        for i in range(n):
            X[i] = _turns(c[:, i], s[:, i]) @ X_tree[i]
            v = (X[i] @ v[:, :, None])[:, :, 0]
            v[:, 2] += qd[:, i]
            a = (X[i] @ a[:, :, None])[:, :, 0]
            a[:, 2] += qdd[:, i]
            a[:, 0] += v[:, 1] * qd[:, i]
            a[:, 1] -= v[:, 0] * qd[:, i]
            a[:, 3] += v[:, 4] * qd[:, i]
            a[:, 4] -= v[:, 3] * qd[:, i]
            p = v @ I[i]
            f[i] = a @ I[i]
            f[i, :, :3] += np.cross(v[:, :3], p[:, :3]) + np.cross(v[:, 3:], p[:, 3:])
            f[i, :, 3:] += np.cross(v[:, :3], p[:, 3:])
        tau = np.empty((B, n))
        for i in reversed(range(n)):
            tau[:, i] = f[i, :, 2]
            if i:
                f[i - 1] += (f[i][:, None, :] @ X[i])[:, 0, :]
        return tau

    return rnea


def _turns(c, s):
    """The 6 x 6 matrices of turns about z, (B, 6, 6), from the cosines and sines of the angles."""
    X = np.zeros((len(c), 6, 6))
    X[:, 0, 0] = X[:, 1, 1] = X[:, 3, 3] = X[:, 4, 4] = c
    X[:, 0, 1] = X[:, 3, 4] = s
    X[:, 1, 0] = X[:, 4, 3] = -s
    X[:, 2, 2] = X[:, 5, 5] = 1
    return X


def by_components(model):
    """A function (q, qd, qdd) -> tau, all (B, n), with arrays (3, B) of vectors and two turns for each joint."""
    n, gravity = model.N_B, -np.asarray(model.gravity)
    places = [X_to_Er(X) for X in model.X_tree[1:]]
    bodies = [I_to_mcI(I) for I in model.inertia[1:]]
    bodies = [(m, m * np.asarray(c), I[:3, :3]) for (m, c, _), I in zip(bodies, model.inertia[1:], strict=True)]

    def rnea(q, qd, qdd):
        B, q, qd, qdd = len(q), np.ascontiguousarray(q.T), np.ascontiguousarray(qd.T), np.ascontiguousarray(qdd.T)
        c, s = np.cos(q), np.sin(q)
        w, dw, a = np.zeros((3, B)), np.zeros((3, B)), np.repeat(gravity[:, None], B, axis=1)
        forces = []
        for i in range(n):
            (E, r), (m, h, I) = places[i], bodies[i]
            a = _turned(E @ (a + _cross_constant(dw, r) + _cross(w, _cross_constant(w, r))), c[i], s[i])
            w, dw = _turned(E @ w, c[i], s[i]), _turned(E @ dw, c[i], s[i])
            w[2] += qd[i]
            dw[0] += w[1] * qd[i]
            dw[1] -= w[0] * qd[i]
            dw[2] += qdd[i]
            force = m * a + _cross_constant(dw, h) + _cross(w, _cross_constant(w, h))
            forces.append((force, I @ dw + _cross(w, I @ w) - _cross_constant(a, h)))
        tau = np.empty((n, B))
        f, moment = np.zeros((3, B)), np.zeros((3, B))
        for i in reversed(range(n)):
            f, moment = f + forces[i][0], moment + forces[i][1]
            tau[i] = moment[2]
            (E, r) = places[i]
            f, moment = E.T @ _turned(f, c[i], -s[i]), E.T @ _turned(moment, c[i], -s[i])
            moment = moment - _cross_constant(f, r)
        return tau.T

    return rnea


def _turned(x, c, s):
    """Vectors (3, B) in coordinates turned about z."""
    return np.stack([c * x[0] + s * x[1], c * x[1] - s * x[0], x[2]])


def _cross(x, y):
    """x × y of vectors (3, B)."""
    return np.stack([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])


def _cross_constant(x, r):
    """x × r for vectors x (3, B) and one vector r, as a matrix product."""
    return np.array([[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]]) @ x
