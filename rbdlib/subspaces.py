"""Subspaces of motion and force, and the equations of motion of constrained systems (RBDA chapter 3)."""

import numpy as np

from rbdlib.scalars import as_floats, eye, matrix, zeros


def orthogonal_complement(S):
    """A basis T (n x (n - r)) of the vectors that S, of rank r, gives no power: Tᵀ S = 0 (RBDA 3.2, Table 3.1).

    S spans a subspace of motions and T one of forces, or the other way round. The basis has the form of Table 4.1:
    where a coordinate is free, T has a unit column.
    """
    S = matrix(S, np.shape(S), "S") if np.ndim(S) == 2 else matrix(S, (6, "nv"), "S")
    A, pivots = _row_echelon_form(S.T)
    n = S.shape[0]
    free = [j for j in range(n) if j not in pivots]
    T = zeros((n, len(free)), S)
    for column, j in enumerate(free):
        T[:, column] = eye(n, S)[j]
        for row, pivot in enumerate(pivots):
            T[pivot, column] = 0 - A[row, j]
    return T


def _row_echelon_form(A):
    """The reduced row echelon form of A and its pivot columns; entries below 1e-12 of the largest count as zero."""
    A, pivots = zeros(A.shape, A) + A, []
    values = as_floats(A)
    smallest = 0 if values is None or not A.size else 1e-12 * np.abs(values).max()
    for j in range(A.shape[1]):
        row = len(pivots)
        if row == A.shape[0]:
            break
        candidates = range(row, A.shape[0])
        best = next((i for i in candidates if A[i, j] != 0), row) if values is None else \
            max(candidates, key=lambda i, j=j: abs(A[i, j]))
        if A[best, j] == 0 or (values is not None and abs(A[best, j]) <= smallest):
            continue
        A[[row, best]] = A[[best, row]]
        A[row] = A[row] / A[row, j]
        for i in range(A.shape[0]):
            if i != row:
                A[i] = A[i] - A[i, j] * A[row]
        pivots.append(j)
    return A, pivots
