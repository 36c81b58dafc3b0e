"""Computed answers about friction in rigid contact (notebook 32)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _lcp(H, v, N, D, phi, h, mu, *, distance=lambda phi, h: phi / h, back=-1, through=np.linalg.solve, sliding=1,
         limit=1, coefficient=lambda mu: mu, start=lambda x: x):
    """Exercise 32.5: the problem of Stewart and Trinkle in a plane."""
    n = len(phi)
    T, E = np.hstack([N, D, back * D]), np.vstack([np.eye(n), np.eye(n)])
    A = np.zeros((4 * n, 4 * n))
    A[: 3 * n, : 3 * n] = T.T @ through(H, T)
    A[n : 3 * n, 3 * n :] = sliding * E
    A[3 * n :, :n], A[3 * n :, n : 3 * n] = limit * coefficient(mu) * np.eye(n), -limit * E.T
    a = start(np.concatenate([T.T @ v, np.zeros(n)]))
    a[:n] += distance(phi, h)
    return np.column_stack([A, a])


def _touching(rng):
    """H, v, N, D, phi, h and mu of two contacts of a system with four freedoms."""
    return (positive(rng, 4), rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=(4, 2)),
            rng.uniform(0.001, 0.02, 2), 0.01, float(rng.uniform(0.2, 0.9)))


ANSWERS = {
    "32.5": Computed(_lcp, inputs=_touching, mistakes={
        "term": dict(distance=lambda phi, h: 0 * phi), "factor": dict(distance=lambda phi, h: h * phi),
        "unit": dict(distance=lambda phi, h: phi), "sign": dict(back=1), "inverse": dict(through=lambda H, T: H @ T),
        "term 2": dict(sliding=0), "sign 2": dict(limit=-1), "sign 3": dict(sliding=-1),
        "factor 2": dict(coefficient=lambda mu: 1), "term 3": dict(start=lambda x: 0 * x)})}
