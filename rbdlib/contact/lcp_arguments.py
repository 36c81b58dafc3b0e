"""Arguments of the linear complementarity problem: kinds of numbers, units, and what counts as zero (RBDA 11.5)."""

import math
import sys
from fractions import Fraction
from numbers import Rational

import numpy as np

from rbdlib.numbers.pivots import factor
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


def sizes_given(size, n):
    """The sizes of n numbers as floats, from none, one or n of them."""
    size = np.zeros(n) if size is None else vector(size if np.ndim(size) else [size] * n, n, "size").astype(float)
    if min(size, default=0) < 0:
        raise ValueError(f"size contains {min(size):.6g}; give numbers that are not negative.")
    return size


def scaled(M, d, tolerance, size):
    """M, d, and the units of lam and zeta_dot (n each), with about 1 on the diagonal of M and d up to about 1.

    Contacts that do not interact get units that have nothing to do with each other. All units are powers of 2, so that
    no digit changes. Fractions need none.
    """
    n = len(d)
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
