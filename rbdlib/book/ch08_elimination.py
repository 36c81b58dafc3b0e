"""All solutions of the loop constraint K x = k, x = G y + g, by Gaussian elimination (RBDA 8.8)."""

from collections import namedtuple

import numpy as np

from rbdlib.numbers.pivots import PIVOT_TOLERANCE, pivot_place, sizes_of
from rbdlib.numbers.scalars import matrix, vector, zeros
from rbdlib.numbers.validation import places_in, require_tolerance


class Elimination(namedtuple("Elimination", "rows columns rank L U")):
    """K in the order in which elimination took its rows and columns, as a product (RBDA Eq. 8.50).

    rows, columns: lists of places in K; those of the pivots come first, and K[rows][:, columns] is [[K_11, K_12],
    [K_21, K_22]].  rank: r.  L (n_c x r): unit lower trapezoidal.  U (r x n): upper trapezoidal. L U is that matrix.
    """


def eliminate(K, tolerance=None, independent=()):
    """Gaussian elimination of K with complete pivoting (RBDA 8.8): an `Elimination`.

    tolerance: elements below this fraction of the largest count as zero (default 1e-9), which decides the rank.
    independent: columns that may hold no pivot. Numbers are compared by size; of symbols the first that is not 0 is
    taken.
    """
    K, independent = _matrix(K), list(independent)
    n_c, n = K.shape
    rows, columns = list(range(n_c)), [j for j in range(n) if j not in independent] + independent
    A, pivotal, r = zeros(K.shape, K) + K[:, columns], n - len(independent), 0
    smallest = (PIVOT_TOLERANCE if tolerance is None else tolerance) * sizes_of(K).max(initial=0)

    while (place := pivot_place(A[r:, r:pivotal], smallest)) is not None:
        i, j = r + place[0], r + place[1]
        rows[r], rows[i], columns[r], columns[j] = rows[i], rows[r], columns[j], columns[r]
        A[[r, i]] = A[[i, r]]
        A[:, [r, j]] = A[:, [j, r]]
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


def constraint_solution(K, k, tolerance=None, independent=()):
    """G (n x (n - r)) and g (n): all solutions of K x = k are x = G y + g (RBDA Eq. 8.51).

    y is a part of x, in ascending order: those variables that elimination with complete pivoting leaves, or the n - r
    whose places, from 0, `independent` lists. Which ones elimination leaves may change with K. tolerance: as for
    `eliminate`. K x = k is taken to have solutions; of equations that repeat others only one is read. Raises ValueError
    if the variables listed do not determine the others, and for bad arguments.
    """
    K, tolerance = _matrix(K), None if tolerance is None else require_tolerance(tolerance, PIVOT_TOLERANCE)
    n, independent = K.shape[1], places_in(independent, K.shape[1], "independent")
    elimination = eliminate(K, tolerance, independent)
    if len(independent) not in (0, n - elimination.rank):
        raise ValueError(f"independent is {independent}: the other variables have rank {elimination.rank} in K, and "
                         f"there are {n - len(independent)} of them. Name as many as there are freedoms, such as fix "
                         "the rest.")
    return solution_of(elimination, vector(k, len(K), "k"))[:2]


def solution_of(elimination, k):
    """G and g of `constraint_solution` from K as elimination left it, and the places in x of y (RBDA Eq. 8.51)."""
    rows, columns, r, L, U = elimination
    n = len(columns)
    B = zeros((r, n - r + 1), U, k)
    B[:, : n - r], B[:, n - r] = U[:, r:], k[rows[:r]]
    for i in range(r):                                          # L⁻¹ k_1; U holds L⁻¹ K_12 already
        B[i, n - r] = B[i, n - r] - L[i, :i] @ B[:i, n - r]
    for i in reversed(range(r)):                                # K_11⁻¹ K_12 and K_11⁻¹ k_1
        B[i] = (B[i] - U[i, i + 1 : r] @ B[i + 1 :]) / U[i, i]

    G, g, y = zeros((n, n - r), B), zeros(n, B), sorted(columns[r:])
    for j, x in enumerate(columns[r:]):
        G[x, y.index(x)] = 1
        G[columns[:r], y.index(x)] = -B[:, j]                   # (8.51)
    g[columns[:r]] = B[:, n - r]
    return G, g, y


def _matrix(K):
    if np.ndim(K) != 2:
        raise ValueError(f"K has shape {np.shape(K)}; expected a matrix, one row for each constraint.")
    return matrix(K, np.shape(K), "K")
