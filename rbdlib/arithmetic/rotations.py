"""Efficient products with rotation matrices: the tricks of RBDA A.5.

A symmetric matrix is stored as its lower triangle lt(A), six numbers in the order 11, 21, 22, 31, 32, 33. About a
coordinate axis k turn the coordinates i and j, which follow it in the cyclic order x, y, z.
"""

import numpy as np

from rbdlib.numbers.linear import cross

#: The rows and columns of the entries of a lower triangle.
ROWS, COLUMNS = (0, 1, 1, 2, 2, 2), (0, 0, 1, 0, 1, 2)
PLACE = ((0, 1, 3), (1, 2, 4), (3, 4, 5))


def lt(A):
    """The lower triangle of a 3 x 3 matrix, of which nothing above the diagonal is read."""
    return A[ROWS, COLUMNS]


def full(triangle):
    """The symmetric 3 x 3 matrix with a lower triangle; equal entries are one and the same number."""
    return triangle[np.array(PLACE)]


def rotation_product(*factors):
    """The product of n + 1 rotations, its third column by a cross product: (18m + 12a) n + 6m + 3a (RBDA A.5)."""
    *others, last = factors
    columns = last[:, :2]
    for F in reversed(others):
        columns = F @ columns
    return np.column_stack([columns, cross(columns[:, 0], columns[:, 1])])


def rotate_general(E, A, trace=True):
    """E A Eᵀ for a rotation E: 40m + 39a (RBDA A.5). trace=False finds Z11 by its definition: 42m + 37a."""
    L, v = _split(A[2, 2], A)
    Y = E @ L
    Z = np.empty((3, 3), object)
    for i in range(3):
        for j in range(3):
            if (i, j) != (0, 0) or not trace:
                Z[i, j] = Y[i, 0] * E[j, 0] + Y[i, 1] * E[j, 1]
    if trace:
        Z[0, 0] = L[0, 0] + L[1, 1] - Z[1, 1] - Z[2, 2]
    a, b, c = (E[:, :2] @ v[:2]).tolist()
    d = A[2, 2]
    return np.array([[Z[0, 0] + d, Z[0, 1] - c, Z[0, 2] + b],
                     [Z[1, 0] + c, Z[1, 1] + d, Z[1, 2] - a],
                     [Z[2, 0] - b, Z[2, 1] + a, Z[2, 2] + d]])


def rotate_symmetric(E, triangle):
    """lt(E A Eᵀ) for a rotation E and a symmetric A, from lt(A): 28m + 29a (RBDA A.5)."""
    A = full(triangle)
    L, v = _split(A[2, 2], A)
    Y = E[1:] @ L
    Z21, Z22 = (Y[0, 0] * E[j, 0] + Y[0, 1] * E[j, 1] for j in (0, 1))
    Z31, Z32, Z33 = (Y[1, 0] * E[j, 0] + Y[1, 1] * E[j, 1] for j in (0, 1, 2))
    Z11 = L[0, 0] + L[1, 1] - Z22 - Z33
    a, b, c = (E[:, :2] @ v[:2]).tolist()
    d = A[2, 2]
    return np.array([Z11 + d, Z21 + c, Z22 + d, Z31 - b, Z32 + a, Z33 + d])


def _split(d, A):
    """L (its first two columns) and v of A = L + d 1 + v×, where L and v have zeros in column and place 3."""
    L = np.array([[A[0, 0] - d, A[0, 1]],
                  [A[1, 0], A[1, 1] - d],
                  [A[2, 0] + A[0, 2], A[2, 1] + A[1, 2]]])
    return L, np.array([-A[1, 2], A[0, 2], 0])


def turn_vector(k, c, s, x):
    """The 3-vector x in coordinates turned about axis k, c and s being the angle's cosine and sine: 4m + 2a."""
    i, j = (k + 1) % 3, (k + 2) % 3
    y = x.tolist()
    y[i], y[j] = c * x[i] + s * x[j], c * x[j] - s * x[i]
    return np.array(y)


def turn_general(k, c, s, cs, s2, A):
    """E A Eᵀ for a turn E about axis k: 12m + 12a, with cs = c s and s2 = s² given (RBDA A.5)."""
    i, j = (k + 1) % 3, (k + 2) % 3
    B = [row.tolist() for row in A]
    trace, skew = A[i, j] + A[j, i], A[j, j] - A[i, i]
    alpha, beta = cs * trace + s2 * skew, cs * skew - s2 * trace
    B[i][i], B[i][j], B[j][i], B[j][j] = A[i, i] + alpha, A[i, j] + beta, A[j, i] + beta, A[j, j] - alpha
    B[i][k], B[j][k] = c * A[i, k] + s * A[j, k], c * A[j, k] - s * A[i, k]
    B[k][i], B[k][j] = c * A[k, i] + s * A[k, j], c * A[k, j] - s * A[k, i]
    return np.array(B)


def turn_symmetric(k, c, s, cs, s2, twice_cs, one_less, triangle):
    """lt(E A Eᵀ) for a turn E about axis k, symmetric A: 8m + 7a, with c s, s², 2 c s and 1 - 2 s² given (RBDA A.5)."""
    i, j = (k + 1) % 3, (k + 2) % 3
    ii, jj, ij, ki, kj = PLACE[i][i], PLACE[j][j], PLACE[i][j], PLACE[k][i], PLACE[k][j]
    A, B = triangle, triangle.tolist()
    skew = A[jj] - A[ii]
    alpha, beta = twice_cs * A[ij] + s2 * skew, cs * skew + one_less * A[ij]
    B[ii], B[jj], B[ij] = A[ii] + alpha, A[jj] - alpha, beta
    B[ki], B[kj] = c * A[ki] + s * A[kj], c * A[kj] - s * A[ki]
    return np.array(B)
