"""Linear equations by elimination, for every kind of scalar, and by singular values, for floats; Newton's steps.

On symbols the functions are right where no expression is zero in disguise.
"""

import numpy as np

from rbdlib.numbers.pivots import choices_of, pivot_place, sizes_of
from rbdlib.numbers.scalars import TOLERANCE, as_floats, matrix, vector, zeros
from rbdlib.numbers.validation import spanning

#: How many steps there may be from one place, and how short the last must be.
MOST_STEPS, SETTLED = 60, 1e-12
#: How small a gap must be to be taken without a look for a smaller one.
NEAR = 1e-3


def solve_linear(A, B):
    """The X of A X = B for A (n x n) and B (n or n x m) of any scalars, by elimination; ValueError if A is singular."""
    A = spanning(A, "A")
    n, columns = len(A), np.ndim(B) == 2
    B = matrix(B, (n, np.shape(B)[1]), "B") if columns else vector(B, n, "B")[:, None]
    if A.shape[1] != n:
        raise ValueError(f"A has shape {A.shape}; expected a square matrix, as many equations as unknowns.")
    reduced, pivots = row_echelon_form(np.hstack([A, B]), n)
    if len(pivots) < n:
        raise ValueError(f"A is singular: its rank is {len(pivots)}, its size {n}. Leave out what depends on the rest.")
    return reduced[:, n:] if columns else reduced[:, n]


def row_echelon_form(A, width=None, tolerance=1e-12):
    """The reduced row echelon form of A and its pivot columns; width: how many columns may hold pivots (all of them).

    Of numbers, those below the tolerance times the largest count as zero.
    """
    A, pivots = zeros(A.shape, A) + A, []
    width = A.shape[1] if width is None else width
    numbers = as_floats(A[:, :width]) is not None or choices_of(A[:, :width]) is not None
    smallest = tolerance * sizes_of(A[:, :width]).max(initial=0) if numbers else 0
    for j in range(width):
        row = len(pivots)
        if row == A.shape[0]:
            break
        place = pivot_place(A[row:, [j]], smallest, numbers)
        if place is None:
            continue
        best = row + place[0]
        A[[row, best]] = A[[best, row]]
        A[row] = A[row] / A[row, j]
        for i in range(A.shape[0]):
            if i != row:
                A[i] = A[i] - A[i, j] * A[row]
        pivots.append(j)
    return A, pivots


def pivot_columns(S):
    """Numbers of the columns of S that are independent of those before; to 1e-9, whatever the columns' lengths."""
    values = as_floats(S)
    if values is not None:
        lengths = np.linalg.norm(values, axis=0)
        S = values / np.where(lengths == 0, 1, lengths)
    return row_echelon_form(S, tolerance=1e-9)[1]


def shortest_solution(H, f, K, k, tolerance):
    """x and lam of H x = f + Kᵀ lam, K x = k (RBDA Eq. 3.17), the shortest of their kind; K's rank; if x is unique.

    Floats only; rows of K may depend on one another. x has a part x_0 across the directions N that K leaves free, which
    k determines, and a part along them. tolerance: singular values of K below this fraction of the largest count as
    zero. Raises ValueError if K x = k has no solution, or if f acts along directions of N without inertia.
    """
    U, s, V = np.linalg.svd(K)
    rank = int((s > tolerance * s.max(initial=0)).sum())
    U, s, across, N = U[:, :rank], s[:rank], V[:rank], V[rank:].T
    x_0 = across.T @ (U.T @ k / s)
    y, _, freedoms, _ = np.linalg.lstsq(N.T @ H @ N, N.T @ (f - H @ x_0), rcond=None)
    x = x_0 + N @ y
    lam = U @ (across @ (H @ x - f) / s)
    _require_solved(K @ x - k, k, "The constraints contradict one another: K qdd = k has no solution. Where K has "
                    "dependent rows, positions and velocities must fulfil the constraints. k is missed")
    _require_solved(N.T @ (H @ x - f), f, "H is singular and a force acts on a motion without inertia, so that no "
                    "acceleration balances it. Give what moves there a mass. The force is missed")
    return x, lam, rank, bool(freedoms == N.shape[1])


def _require_solved(error, wanted, message):
    if error.size and np.abs(error).max() > TOLERANCE * max(1, np.abs(wanted).max()):
        raise ValueError(f"{message} by {np.abs(error).max():.2g}.")


def inverse_3x3(A, name):
    """The inverse of a rotational inertia A (3 x 3), for any scalars; ValueError if it is singular."""
    adjugate = np.array([cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])]).T
    determinant = A[0] @ adjugate[:, 0]
    values = as_floats(A)
    if determinant == 0 or (values is not None and np.linalg.cond(values) > 1e12):
        raise ValueError(f"{name} is singular: some axis has no rotational inertia, so that no inverse exists.")
    return adjugate / determinant


def cross(a, b):
    """a × b of two arrays (3), or (3 x n), without the products with zeros that a matrix a× has: 6m + 3a."""
    (a1, a2, a3), (b1, b2, b3) = a, b
    return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


def mirrored(M):
    """M, symmetric but for rounding, with the upper triangle copied from the lower."""
    for i in range(len(M)):
        M[:i, i] = M[i, :i]
    return M


def settle(places, step_from, gap_at):
    """The place with the smallest gap of those at which Newton's steps come to rest; None if they do so nowhere.

    places: where to begin, in turn, until a gap is small. step_from: a function that takes a place to the next one and
    the step (an array) that led there. gap_at: a function that takes a place to the gap (a float) that is left.
    """
    found = []
    for place in places:
        for _ in range(MOST_STEPS):
            place, step = step_from(place)
            if np.abs(step).max(initial=0) < SETTLED:
                found.append((gap_at(place), len(found), place))
                break
        if found and found[-1][0] < NEAR:
            break
    return min(found)[2] if found else None
