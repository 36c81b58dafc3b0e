"""What the linear complementarity problem is given: kinds of numbers, units, and what counts as zero (RBDA 11.5)."""

import math
import sys
from fractions import Fraction
from numbers import Rational

import numpy as np

from rbdlib.numbers.pivots import first_largest
from rbdlib.numbers.scalars import TOLERANCE, eye, matrix, number, vector, zeros

#: Power of the rounding error below which a number counts as zero, in units of what it was calculated from.
DIGITS_TRUSTED = 0.7


def arguments(M, d):
    """M and d checked, both as floats, as mpmath numbers, or as fractions."""
    n = np.size(d)
    d = vector(d, n, "d")
    M = matrix(M, (n, n), "M") if n else zeros((0, 0))
    numbers = [*M.ravel().tolist(), *d.tolist()]
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


def zero_tolerance(tolerance, d):
    """The tolerance given, or a default that suits the numbers, and never less than their rounding errors."""
    x = d[0] if len(d) else 0.0
    if tolerance is not None and not 0 <= number(tolerance, "tolerance") < 1:
        raise ValueError(f"tolerance is {tolerance}; give a number from 0 to below 1, such as 1e-10.")
    if isinstance(x, Fraction):
        return Fraction(tolerance or 0)
    epsilon = getattr(getattr(x, "context", sys.float_info), "eps", sys.float_info.epsilon)
    return epsilon**DIGITS_TRUSTED if tolerance is None else max(tolerance, 100 * epsilon)


def scaled(M, d, tolerance, size):
    """M, d, and the units of lam and zeta_dot (n each), with about 1 on the diagonal of M and d up to about 1.

    Contacts that do not interact get units that have nothing to do with each other. All units are powers of 2, so that
    no digit changes. Fractions need none.
    """
    n = len(d)
    size = np.zeros(n) if size is None else vector(size if np.ndim(size) else [size] * n, n, "size").astype(float)
    if min(size, default=0) < 0:
        raise ValueError(f"size contains {min(size):.6g}; give numbers that are not negative.")
    if n == 0 or isinstance(d[0], Fraction):
        _require_semidefinite(M, tolerance)
        return M, d, eye(n, M).diagonal(), eye(n, M).diagonal()
    diagonal, size = M.diagonal().astype(float), np.maximum(abs(d).astype(float), size)
    # a contact that nothing can move, but for rounding of what moves those that it affects
    affected = np.where(M != 0, abs(diagonal), 0).max(axis=1)
    movable = abs(diagonal) > float(tolerance) ** 2 * affected
    s = np.array([-round(math.frexp(M_ii)[1] / 2) for M_ii in np.where(movable, diagonal, max(abs(diagonal)))])
    M = _times_powers(M, s[:, None] + s)
    _require_semidefinite(M, tolerance)
    # it has no unit of its own
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


def _require_semidefinite(M, tolerance):
    from_contacts = "Give TᵀH⁻¹T, with H positive definite and a column of T for every contact (RBDA Eq. 11.35)."
    negligible = TOLERANCE if tolerance else 0
    if max(abs(M - M.T).flat, default=0) > negligible:
        raise ValueError(f"M is not symmetric. {from_contacts}")
    if max(abs(factor(M, tolerance)[3]).flat, default=0) > negligible:
        raise ValueError(f"M is not positive semidefinite: some forces would draw bodies together. {from_contacts}")


def factor(M, tolerance):
    """B (n x r) and D (r) with M = B D Bᵀ, r independent rows, and what is left of M."""
    rest, B, D, rows = M.copy(), [], [], []
    while len(D) < len(M) and rest[k := first_largest(rest.diagonal()), k] > tolerance:
        B.append(rest[:, k] / rest[k, k])
        D.append(rest[k, k])
        rows.append(k)
        rest = rest - np.outer(B[-1], rest[k])
    return np.array(B).reshape(len(D), len(M)).T, np.array(D), rows, rest


def mirrored(M):
    """M, symmetric but for rounding, with the upper triangle copied from the lower."""
    for i in range(len(M)):
        M[:i, i] = M[i, :i]
    return M


def values_or_none(array):
    """The array as floats, of real numbers of any kind; None if there are symbols or complex numbers."""
    if np.iscomplexobj(array):
        return None
    try:
        return np.array([float(getattr(x, "value", x)) for x in np.ravel(array)]).reshape(np.shape(array))
    except TypeError:
        return None


def require_numbers(**arguments):
    """Refuse symbols and complex numbers, because signs decide; arguments that are None are left out."""
    refuse_complex(**arguments)
    for name, x in arguments.items():
        if any(getattr(entry, "free_symbols", None) for entry in np.ravel(np.array(x, dtype=object))):
            raise ValueError(f"{name} contains symbols; give numbers, because signs decide.")


def refuse_complex(**arguments):
    for name, x in arguments.items():
        if np.iscomplexobj(x):
            raise TypeError(f"{name} contains complex numbers, which have no sign. Give real ones.")


# How large the numbers are that d is the sum of


def sizes_of_rates(contacts, J, rates, motions):
    """The sizes, for each contact, of J rates column by column, and of motions, added up over both bodies."""
    return np.array([sum(size_of_products(contact.n, (J[i] * rates, motions[i]))
                         for i in (contact.predecessor, contact.successor)) for contact in contacts])


def size_of_products(force, motions):
    """A number that no product of the force (6) with one of the motions (6, or 6 x m) exceeds, nor do all together."""
    motions = np.column_stack(motions)
    lengths = [np.sqrt((np.asarray(x, dtype=float) ** 2).sum(axis=0)) for x in (
        force[:3], force[3:], motions[:3], motions[3:])]
    return float((lengths[0] * lengths[2] + lengths[1] * lengths[3]).sum())
