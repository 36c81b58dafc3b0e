"""The constraint K qdd = k by elimination: which rows are independent, and all its solutions G ydd + g (RBDA 8.8).

K (n_c x n) may have any rank r. Nothing here knows about mechanisms.
"""

from typing import NamedTuple

import numpy as np

from rbdlib.loop_joints import values_of
from rbdlib.scalars import matrix, vector, zeros

#: Pivots below this fraction of the largest element of K count as zero.
PIVOT_TOLERANCE = 1e-9


class Elimination(NamedTuple):
    """K in the order in which elimination took its rows and columns, as a product (RBDA Eq. 8.50).

    rows, columns: lists of places in K; those of the pivots come first, and K[rows][:, columns] is [[K_11, K_12],
    [K_21, K_22]].  rank: r.  L (n_c x r): unit lower trapezoidal.  U (r x n): upper trapezoidal. L U is that matrix.
    """

    rows: list
    columns: list
    rank: int
    L: np.ndarray
    U: np.ndarray


def eliminate(K, tolerance=None, independent=()):
    """Gaussian elimination of K with complete pivoting (RBDA 8.8): an `Elimination`.

    tolerance: elements below this fraction of the largest count as zero (default `PIVOT_TOLERANCE`). independent:
    columns that may hold no pivot. Numbers are compared by size; of symbols the first that is not 0 is taken.
    """
    K = matrix(K, np.shape(K), "K")
    n_c, n = K.shape
    rows, columns = list(range(n_c)), [j for j in range(n) if j not in independent] + list(independent)
    A, pivotal, r = zeros(K.shape, K) + K[:, columns], n - len(independent), 0
    smallest = (PIVOT_TOLERANCE if tolerance is None else tolerance) * _sizes(K).max(initial=0)

    while r < min(n_c, pivotal):
        sizes = _sizes(A[r:, r:pivotal])
        i, j = np.unravel_index(np.argmax(sizes), sizes.shape)
        if sizes[i, j] <= smallest:
            break
        _swap(rows, r, r + i)
        _swap(columns, r, r + j)
        A[[r, r + i]] = A[[r + i, r]]
        A[:, [r, r + j]] = A[:, [r + j, r]]
        for i in range(r + 1, n_c):
            A[i, r] = A[i, r] / A[r, r]
            A[i, r + 1 :] = A[i, r + 1 :] - A[i, r] * A[r, r + 1 :]
        r = r + 1

    L, U = zeros((n_c, r), K), zeros((r, n), K)
    for i in range(n_c):
        L[i, : min(i, r)] = A[i, : min(i, r)]
        if i < r:
            L[i, i], U[i, i:] = 1, A[i, i:]
    return Elimination(rows, columns, r, L, U)


def _sizes(A):
    """How large the elements are; where there are symbols, 1 for those that are not 0."""
    values = values_of(A)
    return np.abs(values) if values is not None else np.array([[float(x != 0) for x in row] for row in A])


def _swap(places, i, j):
    places[i], places[j] = places[j], places[i]


def dependence(elimination):
    """B (n_c x r), of which K = B K_1 where K_1 are the independent rows, in the order in which they were taken.

    Below its unit rows it holds the book's Y: K_21 = Y K_11, K_22 = Y K_12 (RBDA 8.8).
    """
    rows, _, r, L, _ = elimination
    B = zeros((len(rows), r), L)
    # B L_1 = L, for the upper r rows L_1 of L
    for place, row in enumerate(rows):
        for j in reversed(range(r)):
            B[row, j] = L[place, j] - B[row, j + 1 :] @ L[j + 1 : r, j]
    return B


def constraint_solution(K, k, tolerance=None, independent=()):
    """G (n x (n - r)) and g (n): all solutions of K x = k are x = G y + g (RBDA Eq. 8.51).

    y is a part of x, in ascending order: those variables that elimination with complete pivoting leaves, or the n - r
    whose places, from 0, `independent` lists. Which ones elimination leaves may change with K. tolerance: as for
    `eliminate`. K x = k is taken to have solutions; of equations that repeat others only one is read. Raises ValueError
    if the variables listed do not determine the others.
    """
    K = matrix(K, np.shape(K), "K")
    k, n = vector(k, len(K), "k"), K.shape[1]
    elimination = eliminate(K, tolerance, independent)
    rows, columns, r, L, U = elimination
    if len(independent) not in (0, n - r):
        raise ValueError(f"independent is {list(independent)}: the other variables have rank {r} in K, and there are "
                         f"{n - len(independent)} of them. Name as many as there are freedoms, such as fix the rest.")
    B = zeros((r, n - r + 1), U, k)
    B[:, : n - r], B[:, n - r] = U[:, r:], k[rows[:r]]
    for i in range(r):                                          # L⁻¹ k_1; U holds L⁻¹ K_12 already
        B[i, n - r] = B[i, n - r] - L[i, :i] @ B[:i, n - r]
    for i in reversed(range(r)):                                # K_11⁻¹ K_12 and K_11⁻¹ k_1
        B[i] = (B[i] - U[i, i + 1 : r] @ B[i + 1 :]) / U[i, i]

    G, g = zeros((n, n - r), B), zeros(n, B)
    order = sorted(range(n - r), key=lambda y: columns[r + y])
    for place, y in enumerate(order):
        G[columns[r + y], place] = 1
        G[columns[:r], place] = -B[:, y]                        # (8.51)
    g[columns[:r]] = B[:, n - r]
    return G, g
