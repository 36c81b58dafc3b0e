"""The linear complementarity problem of contact dynamics, by pivoting and by a quadratic program (RBDA 11.2, 11.5).

For a symmetric, positive semidefinite M (n x n) and a d (n) find lam and zeta_dot with

    zeta_dot = M lam + d,   zeta_dot >= 0,   lam >= 0,   zeta_dotᵀ lam = 0.                               (11.18, 11.42)

lam: how hard the contacts press; zeta_dot: how fast they begin to part. M = TᵀH⁻¹T, with a column of T for every
contact. The book leaves the method to others: `_lemke` and `_dantzig` follow Cottle, Pang & Stone, The Linear
Complementarity Problem (1992), sections 4.4 and 4.3; `_qp` hands the equivalent quadratic program (11.43) to a library.
"""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

import numpy as np

from rbdlib.factorisation import generalized_inverse
from rbdlib.scalars import TOLERANCE, eye, matrix, vector, zeros

#: Power of the rounding error below which a number counts as zero, in units of what it was calculated from.
DIGITS_TRUSTED = 0.7


@dataclass(frozen=True, eq=False)
class LCPSolution:
    """What `solve_lcp` found.

    lam, zeta_dot (n): the solution, None if there is none.  status: "unique", "non-unique" or "infeasible".
    basis: numbers (from 0) of contacts that hold, as many as lam needs; their normals are independent, and all others
    have lam = 0.  ray (n), None if unique: forces in balance, ray >= 0 where lam = 0, and M ray = 0. With any multiple
    of it added lam remains a solution as long as it is not negative; if there is no solution, dᵀ ray < 0 proves it.
    """

    lam: np.ndarray | None
    zeta_dot: np.ndarray | None
    status: str
    basis: tuple
    ray: np.ndarray | None

    @property
    def feasible(self):
        """Whether there is a solution."""
        return self.status != "infeasible"

    @property
    def certificate(self):
        """The ray that proves that there is no solution; None if there is one."""
        return None if self.feasible else self.ray

    @property
    def text(self):
        """What the status means, in words."""
        if self.status == "unique":
            return "There is one solution."
        contacts = ", ".join(str(i) for i in range(len(self.ray)) if self.ray[i] != 0)
        if self.feasible:
            return ("There are infinitely many solutions, all with the same motion: the forces ray, at the contacts "
                    f"{contacts}, are in balance and may be added to lam.")
        return (f"There is no solution: the forces ray at the contacts {contacts} are in balance, so no force changes "
                "rayᵀ zeta_dot, which is negative. These contacts are jammed against each other (RBDA Example 11.1).")


def solve_lcp(M, d, method="lemke", tolerance=None, size=None):
    """Solve zeta_dot = M lam + d, zeta_dot >= 0, lam >= 0, zeta_dotᵀ lam = 0 (RBDA Eqs 11.18, 11.42): `LCPSolution`.

    M (n x n): symmetric and positive semidefinite; d (n). Fractions are calculated with exactly, mpmath numbers with
    their own precision, all others as floats. Of many solutions lam is a basic one: the normals of the contacts that
    press are independent.
    method: "lemke", "dantzig" (principal pivoting), or "qp", which needs the library daqp and floats.
    tolerance: what counts as zero, as a fraction of M_ii, or of the largest d of those contacts that affect each other;
    by default 1e-11 for floats and 0 for fractions. The units in which one measures the contacts make no difference.
    size (a number, or n): how large the numbers are from which d was summed up, if rounding may be all that is left.
    Raises ValueError if M is not symmetric and positive semidefinite, TypeError for symbols, ImportError without daqp,
    and ArithmeticError if rounding errors hide the answer.
    """
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; give one of {', '.join(map(repr, METHODS))}.")
    M, d = _arguments(M, d)
    tolerance = _tolerance(tolerance, d)
    M, d, lam_unit, zeta_unit = _scaled(M, d, tolerance, size)
    basis, ray = METHODS[method](M, d, tolerance)
    if ray is not None:
        return LCPSolution(None, None, "infeasible", (), _largest_is_1(ray * lam_unit))
    lam, zeta_dot = _values(M, d, basis, tolerance)
    ray = _balanced_forces(M, lam, zeta_dot, tolerance)
    status = "unique" if ray is None else "non-unique"
    ray = None if ray is None else _largest_is_1(ray * lam_unit)
    return LCPSolution(lam * lam_unit, zeta_dot * zeta_unit, status, tuple(basis), ray)


# Principal pivoting


def _dantzig(M, d, tolerance):
    """The principal pivoting method of Dantzig and Cottle: contacts that would be violated are mended one by one.

    Returns the basis, a list, and None, or None and a ray. A, y: of every contact the one variable of (zeta_dot, lam)
    that is not 0 is y_i, and A says how y changes with the other ones. Contacts in the basis have y = lam.
    """
    A, y, held, given_up = M.copy(), d.copy(), np.full(len(d), False), np.full(len(d), False)
    while True:
        bound = tolerance * (1 + max(y[held], default=0))
        r = next((i for i in range(len(d)) if y[i] < -bound and not given_up[i]), None)
        if r is None:
            return [int(i) for i in np.flatnonzero(held)], None
        ray = _drive(r, A, y, held, tolerance)
        if ray is None:
            continue
        if y[r] < -tolerance * (1 + max(ray)):
            return None, ray
        given_up[r] = True


def _drive(r, A, y, held, tolerance):
    """Let lam_r grow until zeta_dot_r = 0; contacts join and leave the basis on the way. Changes A, y and held.

    Returns a ray if zeta_dot_r stays below 0 however large lam_r becomes; ties are decided by the least number.
    """
    lam_r, intact = zeros(1, y)[0], y >= -tolerance
    for _ in range(_most_pivots(y)):
        rate = A[:, r].copy()
        blocks = [i for i in range(len(y)) if intact[i] and rate[i] < -tolerance and (held[i] or A[i, i] > tolerance)]
        steps = [max(y[i], 0) / -rate[i] for i in blocks]
        if A[r, r] > tolerance:
            blocks, steps = [r, *blocks], [-y[r] / A[r, r], *steps]
        if not blocks:
            ray = np.where(held & (rate > 0), rate, 0 * rate)
            ray[r] = 1 + 0 * rate[r]
            return ray
        step = min(steps)
        i = blocks[steps.index(step)]
        y[:] = y + rate * step
        y[intact & (y < 0)] = 0
        lam_r, y[i] = lam_r + step, 0
        _exchange(A, i)
        held[i] = not held[i]
        if i == r:
            y[r] = lam_r
            return None
    raise ArithmeticError(UNDECIDED)


def _exchange(A, i):
    """Principal pivot: zeta_dot_i and lam_i change places in y = A x."""
    p, row, column = A[i, i], A[i].copy(), A[:, i].copy()
    A[:] = A - np.outer(column, row / p)
    A[i], A[:, i] = -row / p, column / p
    A[i, i] = 1 / p


# Lemke's method


def _lemke(M, d, tolerance):
    """Lemke's complementary pivoting: w = M z + z_0 + d with z_0 driven to 0; returns as `_dantzig` does.

    w, z: zeta_dot and lam; columns of the tableau W: w, z, z_0, and the values of the variables in ``basic``.
    """
    n = len(d)
    if n == 0 or min(d) >= -tolerance:
        return [], None
    W, basic = zeros((n, 2 * n + 2), M, d), list(range(n))
    W[:, :n], W[:, n : 2 * n], W[:, 2 * n], W[:, -1] = eye(n, M), -M, -1, d
    W = W + 0 * d[0]
    entering, row = 2 * n, _lexicographic_minimum(W, np.ones(n, dtype=int), range(n), tolerance)
    for _ in range(_most_pivots(d)):
        _pivot(W, row, entering)
        leaving, basic[row] = basic[row], entering
        if leaving == 2 * n:
            return sorted(j - n for j in basic if j >= n), None
        entering = (leaving + n) % (2 * n)
        column, z_0 = W[:, entering], basic.index(2 * n)
        rows = [i for i in range(n) if column[i] > tolerance]
        if W[z_0, -1] <= tolerance and abs(column[z_0]) > tolerance:
            row = z_0
        elif rows:
            row = _lexicographic_minimum(W, column, rows, tolerance, z_0)
        else:
            ray = zeros(n, W)
            for i, j in [*enumerate(basic), (None, entering)]:
                if n <= j < 2 * n:
                    ray[j - n] = 1 + 0 * d[0] if i is None else max(-column[i], 0)
            # z_0 that rounding alone keeps above 0 proves nothing
            return (None, ray) if d @ ray < -tolerance * (1 + max(ray)) else _dantzig(M, d, tolerance)
    raise ArithmeticError(UNDECIDED)


def _lexicographic_minimum(W, column, rows, tolerance, preferred=None):
    """The row whose value, and then whose entries in the columns of w, divided by column, are least; no ties remain."""
    rows = list(rows)
    for k in (-1, *range(len(W))):
        ratios = [W[i, k] / column[i] for i in rows]
        least = min(ratios)
        rows = [i for i, ratio in zip(rows, ratios, strict=True) if ratio <= least + tolerance * abs(least)]
        if preferred in rows:
            return preferred
        if len(rows) == 1:
            break
    return rows[0]


def _pivot(W, row, column):
    W[row] = W[row] / W[row, column]
    factors = W[:, column].copy()
    factors[row] = 0
    W[:] = W - np.outer(factors, W[row])


# Quadratic program


def _qp(M, d, tolerance):
    """Minimise ½ xᵀx subject to Yᵀx + d >= 0, with M = YᵀY, by the library daqp; returns as `_dantzig` does.

    That is (11.43) seen from its multipliers lam, with x = Y lam, and has no answer exactly if the LCP has none.
    """
    try:
        import daqp
    except ImportError:
        raise ImportError("Method 'qp' needs the library daqp. Install the extra: pip install 'rbdlib[qp]'.") from None
    if M.dtype != float:
        raise TypeError("Method 'qp' calculates with floats, and M or d holds other numbers. Use 'lemke' or 'dantzig'.")
    B, D = _factor(M, tolerance)
    Y, moved = (B * np.sqrt(D)).T, M.diagonal() > 0
    blocked = np.flatnonzero(~moved & (d < -tolerance))
    if len(blocked):
        return None, eye(len(d))[blocked[0]]
    if not moved.any():
        return [], None
    Yt, r = np.ascontiguousarray(Y.T[moved]), len(Y)
    upper = np.full(len(Yt), np.inf)
    _, _, flag, info = daqp.solve(np.eye(r), np.zeros(r), Yt, upper, -d[moved], primal_tol=tolerance)
    if flag == 1:
        return [int(i) for i in np.flatnonzero(moved)[np.abs(info["lam"]) > 0]], None
    if flag != -1:
        raise ArithmeticError(f"daqp ended with the flag {flag}. {UNDECIDED}")
    from scipy.optimize import nnls
    ray, _ = nnls(np.vstack([Y, d]), np.append(np.zeros(r), -1.0))
    return None, ray


METHODS = {"lemke": _lemke, "dantzig": _dantzig, "qp": _qp}
UNDECIDED = ("Rounding errors hide the answer: M has contacts that are dependent but for its last digits. Leave out "
             "contacts that repeat others, use another method, or give M and d as mpmath numbers or fractions.")


def _most_pivots(y):
    return 200 + 50 * len(y)


# From a basis to the solution


def _values(M, d, basis, tolerance):
    """lam and zeta_dot of a basis: M lam = -d in its rows, by one solution and one correction of it."""
    lam, M_inv = zeros(len(d), M, d), generalized_inverse(M[np.ix_(basis, basis)], tolerance / 100)[0]
    for _ in range(2):
        lam[basis] = lam[basis] - M_inv @ (M @ lam + d)[basis]
    zeta_dot = M @ lam + d
    bound = tolerance * (1 + max(abs(lam), default=0))
    if min([*lam, *zeta_dot, *-abs(zeta_dot[basis])], default=0) < -bound:
        raise ArithmeticError(UNDECIDED)
    zeta_dot[basis] = 0
    lam[lam < tolerance / 1000] = 0
    zeta_dot[abs(zeta_dot) <= bound] = 0
    return lam, zeta_dot


def _balanced_forces(M, lam, zeta_dot, tolerance):
    """A direction in which lam can change while zeta_dot does not, None if there is none.

    Contacts with zeta_dot = lam = 0 may only press (x >= 0), those that press already may do as they need to. What they
    leave of M is S, and there is an x with S x = 0 exactly if the LCP of S and -1 has no solution.
    """
    pressed, free = np.flatnonzero(lam > 0), np.flatnonzero((zeta_dot == 0) & (lam == 0))
    M_inv, coupling = generalized_inverse(M[np.ix_(pressed, pressed)], tolerance / 100)[0], M[np.ix_(pressed, free)]
    S, d = M[np.ix_(free, free)] - coupling.T @ M_inv @ coupling, zeros(len(free), M) - 1
    _, x = _dantzig(S, d, tolerance)
    if x is None:
        return None
    ray = zeros(len(lam), M)
    ray[free], ray[pressed] = x, -M_inv @ (coupling @ x)
    return ray


def _largest_is_1(ray):
    return ray / max(abs(ray))


# Arguments and units


def _arguments(M, d):
    """M and d checked, both as floats, as mpmath numbers, or as fractions."""
    n = np.size(d)
    d = vector(d, n, "d")
    M = matrix(M, (n, n), "M") if n else zeros((0, 0))
    numbers = [*M.flat, *d.flat]
    if object in (M.dtype, d.dtype) and all(isinstance(x, Rational) for x in numbers):
        convert = _fraction
    else:
        try:
            [float(x) for x in numbers]
        except TypeError:
            raise TypeError("M or d contains symbols or complex numbers, which cannot be compared. Give numbers: "
                            "floats, fractions or mpmath numbers.") from None
        convert = next((x.context.convert for x in numbers if hasattr(x, "context")), float)
    kind = float if convert is float else object
    return (np.array([convert(x) for x in array.flat], dtype=kind).reshape(array.shape) for array in (M, d))


def _fraction(x):
    return Fraction(int(x.numerator), int(x.denominator))


def _tolerance(tolerance, d):
    if tolerance is None:
        x = d[0] if len(d) else 0.0
        return 0 if isinstance(x, Fraction) else getattr(getattr(x, "context", sys.float_info), "eps",
                                                         sys.float_info.epsilon) ** DIGITS_TRUSTED
    value = vector([tolerance], 1, "tolerance")[0]
    if not 0 <= value < 1:
        raise ValueError(f"tolerance is {tolerance}; give a number from 0 to below 1, such as 1e-10.")
    return value


def _scaled(M, d, tolerance, size):
    """M, d, and the units of lam and zeta_dot (n each), with about 1 on the diagonal of M and d up to about 1.

    Contacts that do not interact get units that have nothing to do with each other. All units are powers of 2, so that
    no digit changes. Fractions need none.
    """
    n = len(d)
    size = np.zeros(n) if size is None else abs(vector(np.broadcast_to(size, n), n, "size").astype(float))
    if n == 0 or isinstance(d[0], Fraction):
        _require_symmetry(M)
        _factor(M, tolerance)
        return M, d, eye(n, M).diagonal(), eye(n, M).diagonal()
    diagonal, size = M.diagonal().astype(float), np.maximum(abs(d).astype(float), size)
    largest = max(abs(diagonal))
    movable = abs(diagonal) > float(tolerance) ** 2 * largest
    s = np.array([-round(math.frexp(M_ii)[1] / 2) for M_ii in np.where(movable, diagonal, largest)])
    M = _times_powers(M, s[:, None] + s)
    _require_symmetry(M)
    _factor(M, tolerance)
    # a contact that nothing can move has no unit of its own
    size = np.where(movable, np.ldexp(size, s), np.ldexp(max(size), s))
    clusters = _clusters(movable & movable[:, None] & (abs(M) > tolerance / 10**4))
    g = np.frexp([max(size[clusters == k]) for k in clusters])[1]
    M = np.where((clusters == clusters[:, None]) & movable, M + M.T, 0 * M) / 2
    return M, _times_powers(d, s - g), np.ldexp(1.0, s + g), np.ldexp(1.0, g - s)


def _clusters(interact):
    """The least number of a contact with which each contact interacts, directly or through others (n)."""
    n = len(interact)
    interact, clusters = interact.astype(bool) | np.eye(n, dtype=bool), np.arange(n)
    while ((least := np.where(interact, clusters, n).min(axis=1)) != clusters).any():
        clusters = least
    return clusters


def _times_powers(A, exponents):
    """A times 2 to the exponents, entry by entry."""
    if A.dtype == float:
        return np.ldexp(A, exponents)
    return A * np.ldexp(1.0, exponents)


def _require_symmetry(M):
    if max(abs(M - M.T).flat, default=0) > TOLERANCE:
        raise ValueError("M is not symmetric. Give TᵀH⁻¹T, with a column of T for every contact (RBDA Eq. 11.33).")


def _factor(M, tolerance):
    """B (n x r) and D (r) with M = B D Bᵀ; refuses an M that is not positive semidefinite."""
    rest, B, D = M.copy(), [], []
    while len(D) < len(M) and rest[k := int(np.argmax(rest.diagonal())), k] > tolerance:
        B.append(rest[:, k] / rest[k, k])
        D.append(rest[k, k])
        rest = rest - np.outer(B[-1], rest[k])
    if max(abs(rest).flat, default=0) > (TOLERANCE if tolerance else 0):
        raise ValueError("M is not positive semidefinite: some forces would pull contacts towards them. Give TᵀH⁻¹T, "
                         "with a positive definite H and a column of T for every contact (RBDA Eq. 11.33).")
    return np.array(B).reshape(len(D), len(M)).T, np.array(D)
