"""Computed answers about friction in rigid contact (notebook 32)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _lcp(distance=lambda phi, h: phi / h, back=-1, through=np.linalg.solve, sliding=1, limit=1,
         coefficient=lambda mu: mu, start=lambda x: x):
    """A function for exercise 32.5, the problem of Stewart and Trinkle in a plane, of which one step may be another."""

    def friction_lcp(H, v, N, D, phi, h, mu):
        n = len(phi)
        T, E = np.hstack([N, D, back * D]), np.vstack([np.eye(n), np.eye(n)])
        A = np.zeros((4 * n, 4 * n))
        A[: 3 * n, : 3 * n] = T.T @ through(H, T)
        A[n : 3 * n, 3 * n :] = sliding * E
        A[3 * n :, :n], A[3 * n :, n : 3 * n] = limit * coefficient(mu) * np.eye(n), -limit * E.T
        a = start(np.concatenate([T.T @ v, np.zeros(n)]))
        a[:n] += distance(phi, h)
        return np.column_stack([A, a])

    return friction_lcp


def _touching(rng):
    """H, v, N, D, phi, h and mu of two contacts of a system with four freedoms."""
    return (positive(rng, 4), rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=(4, 2)),
            rng.uniform(0.001, 0.02, 2), 0.01, float(rng.uniform(0.2, 0.9)))


ANSWERS = {"32.5": Computed(_lcp(), inputs=_touching, mistakes={
    "term": _lcp(distance=lambda phi, h: 0 * phi), "factor": _lcp(distance=lambda phi, h: h * phi),
    "unit": _lcp(distance=lambda phi, h: phi), "sign": _lcp(back=1), "inverse": _lcp(through=lambda H, T: H @ T),
    "term 2": _lcp(sliding=0), "sign 2": _lcp(limit=-1), "sign 3": _lcp(sliding=-1),
    "factor 2": _lcp(coefficient=lambda mu: 1), "term 3": _lcp(start=lambda x: 0 * x)})}
