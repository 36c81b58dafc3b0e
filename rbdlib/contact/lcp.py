"""The linear complementarity problem of contact dynamics, by pivoting and by a quadratic program (RBDA 11.2, 11.5).

For a symmetric, positive semidefinite M (n x n) and a d (n) find lam and zeta_dot with

    zeta_dot = M lam + d,   zeta_dot >= 0,   lam >= 0,   zeta_dotᵀ lam = 0.                               (11.18, 11.42)

lam: how hard the contacts press; zeta_dot: how fast they begin to part. M = TᵀH⁻¹T, with a column of T for every
contact. The book leaves the method to others: `lemke` and `_dantzig` follow Cottle, Pang & Stone, The Linear
Complementarity Problem (1992), sections 4.4 and 4.3; `_qp` hands the equivalent quadratic program (11.43) to a library.
"""

import math
import sys
from collections import namedtuple
from fractions import Fraction
from numbers import Rational

import numpy as np

from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.pivots import factor
from rbdlib.numbers.scalars import TOLERANCE, eye, matrix, number, vector, zeros
from rbdlib.numbers.validation import one_of

#: Power of the rounding error below which a number counts as zero, in units of what it was calculated from.
DIGITS_TRUSTED = 0.7
#: Two contacts of which M_12² is less than this part of M_11 M_22 do not nearly repeat, or oppose, each other.
APART = 0.99
#: So many times the size of d is more than any acceleration that contact forces would have to make.
FAR_MORE = 2


class LCPSolution(namedtuple("LCPSolution", "lam zeta_dot status basis ray")):
    """The answer of `solve_lcp`.

    lam, zeta_dot (n): the solution, None if there is none.  status: "unique", "non-unique" or "infeasible".
    basis: the active contacts, a tuple of numbers from 0. All with lam > 0 are in it, and its normals are a basis of
    those of all contacts with zeta_dot = 0 (RBDA 11.5).  ray (n), None if unique: forces in balance, M ray = 0, where
    contacts with lam = 0 may only press. With any multiple of it added lam remains a solution as long as it is not
    negative; if there is no solution, ray >= 0 and dᵀ ray < 0 prove it.
    """

    feasible = property(lambda self: self.status != "infeasible", doc="True if there is a solution.")

    @property
    def text(self):
        """The meaning of the status, in words."""
        if self.ray is None:
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
    by default 1e-11 for floats and 0 for fractions, and the least that rounding allows where more would make a jam of
    normals that are nearly opposed. The units in which one measures the contacts make no difference, as long as no M_ii
    is tolerance² of the M_jj of a contact that it affects, or less: then it counts as zero.
    size (a number, or n): how large the numbers are from which d was summed up, if rounding may be all that is left.
    Raises ValueError if M is not symmetric and positive semidefinite, TypeError for symbols, ImportError without daqp,
    and ArithmeticError if rounding errors hide the answer.
    """
    one_of(METHODS, method, "method")
    M, d = _arguments(M, d)
    given, tolerance = tolerance, zero_tolerance(tolerance, d)
    n, sized = len(d), size is not None
    size = vector(size if np.ndim(size) else [size or 0] * n, n, "size").astype(float)
    if min(size, default=0) < 0:
        raise ValueError(f"size contains {min(size):.6g}; give numbers that are not negative.")
    if n == 1 and M[0, 0] > 0 and method in OTHER_WAY:
        return _one_contact(M[0, 0], d, tolerance * max(abs(d[0]), size[0]))
    if n == 2 and M.dtype == float and method in OTHER_WAY and (found := _two_contacts(M, d, tolerance, size)):
        return found
    M, d, lam_unit, zeta_unit = _scaled(M, d, tolerance, size)
    finest = zero_tolerance(0, d)
    for least in (tolerance, finest):
        found = _solve_either_way(M, d, method, least)
        if found.feasible or given is not None or _proves(found.ray, M, d, finest, sized):
            break
    else:
        raise ArithmeticError(UNDECIDED)
    if found.feasible:
        found = found._replace(lam=found.lam * lam_unit, zeta_dot=found.zeta_dot * zeta_unit)
    if found.ray is None:
        return found
    ray = found.ray * lam_unit
    return found._replace(ray=ray / max(abs(ray)))


def _one_contact(M, d, zero):
    """The `LCPSolution` of a single contact (RBDA Eq. 11.10); zero: the largest d that counts as none."""
    lam, zeta_dot = (-d / M, 0 * d) if d[0] < -zero else (0 * d, d) if d[0] > zero else (0 * d, 0 * d)
    return LCPSolution(lam, zeta_dot, "unique", () if zeta_dot[0] else (0,), None)


def _two_contacts(M, d, tolerance, size):
    """The `LCPSolution` of two contacts that affect each other, and do not nearly repeat each other; else None.

    Of the four sets of contacts that may press one gives no force and no speed below 0.
    """
    (a, b), (b_2, c) = M.tolist()
    if not (b == b_2 and a > 0 and c > 0 and tolerance**2 < b * b / (a * c) < APART):
        return None
    r, s = math.sqrt(a), math.sqrt(c)                           # with units in which M = [1 k; k 1] and d is up to 1
    if (unit := max(*(abs(d) / [r, s]).tolist(), *(size / [r, s]).tolist())) == 0:
        return None
    k, (x, y) = b / (r * s), (d / [r * unit, s * unit]).tolist()
    for lam_1, lam_2 in ((0, 0), (-x, 0), (0, -y), ((k * y - x) / (1 - k * k), (k * x - y) / (1 - k * k))):
        bound, zeta_dot = tolerance * (1 + max(lam_1, lam_2)), (x + lam_1 + k * lam_2, y + k * lam_1 + lam_2)
        if min(lam_1, lam_2, *zeta_dot) >= -bound:
            lam = np.array([max(lam_1, 0) / r, max(lam_2, 0) / s]) * unit
            speeds = np.array([0 if abs(z) <= bound else z for z in zeta_dot]) * [r * unit, s * unit]
            return LCPSolution(lam, speeds, "unique", tuple(i for i in (0, 1) if speeds[i] == 0), None)
    return None


def _proves(ray, M, d, finest, sized):
    """True if a ray with dᵀ ray < 0 shows that there is no solution: M ray is 0, but for rounding.

    Otherwise forces lam do help, and for x with xᵀx = lamᵀ M lam it holds that (rayᵀ M ray) xᵀx >= (dᵀ ray)². That is
    ruled out where d is known to be no more than 1 and x would be far more, however much of rayᵀ M ray is rounding.
    """
    ray = ray / max(ray)
    left, short = max(ray @ M @ ray, 0), -d @ ray
    rounding = finest / 100 * sum(ray) ** 2
    if not sized:
        return left <= 25 * rounding
    return short > FAR_MORE * math.sqrt(max(left, rounding / 2))


def _solve_either_way(M, d, method, tolerance):
    try:
        return _solve(M, d, METHODS[method], tolerance)
    except ArithmeticError:
        if method not in OTHER_WAY:
            raise
        return _solve(M, d, OTHER_WAY[method], tolerance)


def _solve(M, d, find_basis, tolerance):
    """The `LCPSolution` in the units of M and d; the ray is not scaled."""
    basis, ray = find_basis(M, d, tolerance)
    if ray is not None:
        if not d @ ray < 0:
            raise ArithmeticError(UNDECIDED)
        return LCPSolution(None, None, "infeasible", (), ray)
    lam, zeta_dot = _values(M, d, basis, tolerance)
    active, ray = _freedom_of_forces(M, lam, zeta_dot, tolerance)
    return LCPSolution(lam, zeta_dot, "unique" if ray is None else "non-unique", active, ray)


# Kinds of numbers, units, and what counts as zero


def _arguments(M, d):
    """M and d checked, both as floats, as mpmath numbers, or as fractions."""
    n = np.size(d)
    d, M = vector(d, n, "d"), matrix(M, (n, n), "M") if n else zeros((0, 0))
    if M.dtype == d.dtype == float:
        return M, d
    numbers = [*M.ravel().tolist(), *d.tolist()]
    if object in (M.dtype, d.dtype) and all(isinstance(x, Rational) for x in numbers):
        def convert(x):
            return Fraction(int(x.numerator), int(x.denominator))
    else:
        try:
            [float(x) for x in numbers]
        except TypeError:
            raise TypeError("M or d contains symbols or complex numbers, which cannot be compared. Give numbers: "
                            "floats, fractions or mpmath numbers.") from None
        convert = next((x.context.convert for x in numbers if hasattr(x, "context")), float)
    kind = float if convert is float else object
    return (np.array([convert(x) for x in array.flat], dtype=kind).reshape(array.shape) for array in (M, d))


def zero_tolerance(tolerance, d):
    """The tolerance given, or a default that suits the numbers, and never less than their rounding errors."""
    x = d[0] if len(d) else 0.0
    if tolerance is not None and not 0 <= number(tolerance, "tolerance") < 1:
        raise ValueError(f"tolerance is {tolerance}; give a number from 0 to below 1, such as 1e-10.")
    if isinstance(x, Fraction):
        return Fraction(tolerance or 0)
    epsilon = getattr(getattr(x, "context", sys.float_info), "eps", sys.float_info.epsilon)
    return epsilon**DIGITS_TRUSTED if tolerance is None else max(tolerance, 100 * epsilon)


def _scaled(M, d, tolerance, size):
    """M, d, and the units of lam and zeta_dot, with about 1 on the diagonal of M and d up to about 1."""
    if len(d) == 0 or isinstance(d[0], Fraction):               # which need no units
        _require_semidefinite(M, tolerance)
        return M, d, 1, 1
    # units are powers of 2, so that no digit changes, and contacts that do not interact have units of their own
    diagonal, size = M.diagonal().astype(float), np.maximum(abs(d).astype(float), size)
    # a contact that nothing can move, but for rounding of what moves those that it affects
    affected = np.where(M != 0, abs(diagonal), 0).max(axis=1)
    movable = abs(diagonal) > float(tolerance) ** 2 * affected
    s = np.array([-round(math.frexp(M_ii)[1] / 2) for M_ii in np.where(movable, diagonal, max(abs(diagonal)))])
    M = M * np.ldexp(1.0, s)[:, None] * np.ldexp(1.0, s)
    _require_semidefinite(M, tolerance)
    # it has no unit of its own
    size = np.where(movable, np.ldexp(size, s), np.ldexp(max(size), s))
    clusters = _clusters(movable & movable[:, None] & (abs(M) > tolerance / 10**4))
    g = np.frexp([max(size[clusters == k]) for k in clusters])[1]
    M = np.where((clusters == clusters[:, None]) & movable, M + M.T, 0 * M) / 2
    lam_unit, zeta_unit = np.ldexp(1.0, s + g), np.ldexp(1.0, g - s)
    return M, d / zeta_unit, lam_unit, zeta_unit                # no float holds 1 / zeta_unit for the smallest d


def _clusters(interact):
    """The least number of a contact with which each contact interacts, directly or through others (n)."""
    n = len(interact)
    interact, clusters = interact.astype(bool) | np.eye(n, dtype=bool), np.arange(n)
    while ((least := np.where(interact, clusters, n).min(axis=1)) != clusters).any():
        clusters = least
    return clusters


def _require_semidefinite(M, tolerance):
    from_contacts = "Give TᵀH⁻¹T, with H positive definite and a column of T for every contact (RBDA Eq. 11.35)."
    negligible = TOLERANCE if tolerance else 0
    if max(abs(M - M.T).flat, default=0) > negligible:
        raise ValueError(f"M is not symmetric. {from_contacts}")
    if max(abs(factor(M, tolerance)[3]).flat, default=0) > negligible:
        raise ValueError(f"M is not positive semidefinite: some forces would draw bodies together. {from_contacts}")


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
        rate, independent = A[:, r].copy(), held | (A.diagonal() > tolerance * (1 + (A[held] ** 2).sum(axis=0)))
        blocks = [i for i in np.flatnonzero(intact & independent) if rate[i] < -tolerance]
        steps = [max(y[i], 0) / -rate[i] for i in blocks]
        if independent[r]:
            blocks, steps = [r, *blocks], [-y[r] / A[r, r], *steps]
        if not blocks:
            ray = np.where(held & (rate > tolerance), rate, 0 * rate)
            ray[r] = 1 + 0 * rate[r]
            return ray
        step = min(steps)
        i = next(i for i, s in zip(blocks, steps, strict=True) if s <= step + tolerance * abs(step))
        if independent[r] and y[r] + A[r, r] * step >= -tolerance * (1 + lam_r + step):
            i = r
        y[:] = y + rate * step
        y[intact & (y < 0)] = 0
        lam_r, y[i] = lam_r + step, 0
        p, row, column = A[i, i], A[i].copy(), A[:, i].copy()           # zeta_dot_i and lam_i change places in y = A x
        A[:] = A - np.outer(column, row / p)
        A[i], A[:, i], A[i, i] = -row / p, column / p, 1 / p
        held[i] = not held[i]
        if i == r:
            y[r] = lam_r
            return None
    raise ArithmeticError(UNDECIDED)


# Lemke's method


def lemke(M, d, tolerance):
    """Lemke's complementary pivoting: w = M z + z_0 + d with z_0 driven to 0; returns as `_dantzig` does.

    It also answers other problems than those of `solve_lcp`, such as that of friction, whose M is not symmetric but
    copositive, zᵀ M z >= 0 for z >= 0; a ray then proves nothing, and the caller checks the answer.
    w, z: zeta_dot and lam; columns of the tableau W: w, z, z_0, and the values of the variables in ``basic``.
    """
    n = len(d)
    if n == 0 or min(d) >= -tolerance:
        return [], None
    W, basic = zeros((n, 2 * n + 2), M, d), list(range(n))
    W[:, :n], W[:, n : 2 * n], W[:, 2 * n], W[:, -1] = eye(n, M), -M, -1, d
    W = W + 0 * d[0]
    entering, row = 2 * n, _lexicographic_minimum(W, [1] * n, range(n), tolerance)
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
                    ray[j - n] = 1 + 0 * d[0] if i is None else -column[i] if column[i] < -tolerance else 0
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


def _qp(M, d, tolerance):
    """(11.43) seen from its multipliers lam: the shortest x with Yᵀ x + d >= 0 is Y lam, M being YᵀY; as `_dantzig`."""
    if M.dtype != float:
        raise TypeError("Method 'qp' calculates with floats, and M or d holds other numbers. Use 'lemke' or 'dantzig'.")
    moved = np.flatnonzero(M.diagonal() > 0)
    blocked = np.flatnonzero((M.diagonal() <= 0) & (d < -tolerance))
    if len(blocked):
        return None, eye(len(d))[blocked[0]]
    try:
        import daqp
    except ImportError:
        raise ImportError("Quadratic programs need the library daqp. Install the extra: pip install 'rbdlib[qp]'."
                          ) from None
    if not len(moved):
        return [], None
    B, D, *_ = factor(M, tolerance)
    Y, r = np.ascontiguousarray((B * np.sqrt(D))[moved]), len(D)
    _, _, flag, info = daqp.solve(np.eye(r), np.zeros(r), Y, np.full(len(Y), np.inf), -d[moved], primal_tol=tolerance)
    if flag not in (1, -1):
        raise ArithmeticError(f"daqp ended with the flag {flag}. {UNDECIDED}")
    if flag == 1:
        return [int(i) for i in moved[np.asarray(info["lam"]) != 0]], None
    # there is no x exactly if the LCP has no answer; `_dantzig` knows why, and better where normals are nearly opposed
    return _dantzig(M, d, tolerance)


METHODS = {"lemke": lemke, "dantzig": _dantzig, "qp": _qp}
#: The other method, which is tried where rounding errors defeat one.
OTHER_WAY = {"lemke": _dantzig, "dantzig": lemke}
UNDECIDED = ("Rounding errors hide the answer: M has contacts that are dependent but for its last digits. Leave out "
             "contacts that repeat others, use another method, or give M and d as mpmath numbers or fractions.")


def _most_pivots(y):
    return 200 + 50 * len(y)


def _values(M, d, basis, tolerance):
    """lam and zeta_dot of a basis: M lam = -d in its rows. What rounding may have left in place of 0 becomes 0."""
    lam, M_inv = zeros(len(d), M, d), generalized_inverse(M[np.ix_(basis, basis)], tolerance / 100)[0]
    for _ in range(2):
        lam[basis] = lam[basis] - M_inv @ (M @ lam + d)[basis]
    blurred = tolerance / 1000 * (abs(M_inv) @ (abs(M) @ abs(lam) + abs(d))[basis])
    pressing = [i for i, error in zip(basis, blurred, strict=True) if lam[i] > error]
    if len(pressing) < len(basis):
        try:
            return _values(M, d, pressing, tolerance)
        except ArithmeticError:
            pass                    # small as it is, lam is not 0
    zeta_dot, bound = M @ lam + d, tolerance * (1 + max(abs(lam), default=0))
    if min([*lam, *zeta_dot, *-abs(zeta_dot[basis])], default=0) < -bound:
        raise ArithmeticError(UNDECIDED)
    zeta_dot[abs(zeta_dot) <= bound], lam[lam < 0] = 0, 0
    return lam, zeta_dot


def _freedom_of_forces(M, lam, zeta_dot, tolerance):
    """The active contacts, and a direction in which lam can change while zeta_dot does not, None if there is none.

    Contacts with zeta_dot = lam = 0 may only press (x >= 0), those that press already may do as they need to. What they
    leave of M is S, and there is an x with S x = 0 exactly if the LCP of S and -1 has no solution.
    """
    pressed, free = np.flatnonzero(lam > 0), np.flatnonzero((zeta_dot == 0) & (lam == 0))
    if not len(free):
        return tuple(map(int, pressed)), None
    M_inv = generalized_inverse(M[np.ix_(pressed, pressed)], tolerance / 100)[0]
    coupling = M[np.ix_(pressed, free)]
    S, d = M[np.ix_(free, free)] - coupling.T @ M_inv @ coupling, zeros(len(free), M) - 1
    active = tuple(sorted(int(i) for i in [*pressed, *free[factor(S, tolerance)[2]]]))
    _, x = _dantzig(S, d, tolerance)
    if x is None:
        return active, None
    ray = zeros(len(lam), M)
    ray[free], ray[pressed] = x, -M_inv @ (coupling @ x)
    blurred = tolerance / 10 * (abs(M_inv) @ (abs(coupling) @ x))
    ray[pressed[abs(ray[pressed]) <= blurred]] = 0
    return active, ray
