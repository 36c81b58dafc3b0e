"""Choices by the size of numbers: which element an algorithm divides by (RBDA 8.8), which way an axis points.

Rounding must not choose, or else two computers give two answers: of numbers that are equal but for rounding the first
is taken, and a space has a basis that depends on the space alone.

Numbers are compared by size. Symbols have none, so that the first that is not 0 is taken. Recorded numbers, which stand
for those of many states (RBDA 10.4), have the sizes of a sample state; what was chosen there is noted, and where
another state would not allow it, the recorded program gives NaN instead of numbers that are wrong.
"""

import numpy as np

from rbdlib.numbers.scalars import as_floats, sqrt

#: Numbers that differ by this part of the largest are taken to be equal.
TIE = 1e-9
#: Pivots of the constraints of loops below this fraction of their largest element count as zero.
PIVOT_TOLERANCE = 1e-9


def first_largest(sizes):
    """The place of the largest of some numbers, none of them negative; of several that are equal, of the first."""
    return int(np.argmax(sizes >= np.max(sizes) * (1 - TIE)))


def first_least(sizes):
    """The place of the least of some numbers, none of them negative; of several that are equal, of the first."""
    return int(np.argmax(sizes <= np.min(sizes) + np.max(sizes) * TIE))


def larger(x, y):
    """The larger of two numbers, the second if they are equal; of symbols and recorded numbers a formula for it."""
    try:
        return x if x > y else y
    except TypeError:
        return (x + y + sqrt((x - y) * (x - y))) / 2


def axis_across(n):
    """The coordinate axis (3) that is most nearly at right angles to the vector n (3); of several, the first."""
    return np.eye(3, dtype=int)[first_least(np.abs(as_floats(n)))]


def across(n):
    """Two unit vectors a, b (3) that make a right-handed triad (a, b, n) with a unit vector n of floats."""
    a = np.cross(n, axis_across(n))
    a = a / np.sqrt(a @ a)
    return a, np.cross(n, a)


def basis(P):
    """An orthonormal basis (n x m) of the space onto which P (n x n, symmetric) projects, from that space alone.

    Each vector is the one nearest to a coordinate axis, the nearest first, that is at right angles to those before.
    """
    B, D, *_ = factor(P, TIE)
    return B * np.sqrt(D)


def factor(M, tolerance):
    """B (n x r) and D (r) with M = B D Bᵀ, r independent rows, and what is left of M (n x n, positive semidefinite).

    The largest number left on the diagonal is the next of D, until none is larger than the tolerance.
    """
    rest, B, D, rows = M.copy(), [], [], []
    while len(D) < len(M) and rest[k := first_largest(rest.diagonal()), k] > tolerance:
        B.append(rest[:, k] / rest[k, k])
        D.append(rest[k, k])
        rows.append(k)
        rest = rest - np.outer(B[-1], rest[k])
    return np.array(B).reshape(len(D), len(M)).T, np.array(D), rows, rest


def principal_axes(A, onto=None):
    """The eigenvalues, ascending, and eigenvectors, as columns, of a symmetric matrix A (n x n).

    Of eigenvectors with equal eigenvalues `basis` takes those nearest to the coordinate axes; the largest element of
    each is positive. onto (m x n): its columns, an orthonormal basis of the space that A is about; its image is given.
    """
    A = np.asarray(A, dtype=float)
    values, V = np.linalg.eigh(A)
    V = V if onto is None else onto @ V
    ends = np.flatnonzero(np.diff(values, append=np.inf) > TIE * np.abs(values).max(initial=0)) + 1
    groups = [V[:, start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return values, np.hstack([np.zeros((len(V), 0)), *(basis(group @ group.T) for group in groups)])


def pivot_place(A, smallest=0.0, by_size=None):
    """The place (row, column) of the element of a matrix A by which to divide; None if there is none.

    It is the first of the largest, if it is larger than ``smallest``; of symbols the first that is not 0. by_size:
    whether elements have sizes (True), or are taken for symbols (False); found out if left out.
    """
    sizes = sizes_of(A, by_size)
    place = np.unravel_index(first_largest(sizes), sizes.shape) if sizes.size else None
    if place is None or not sizes[place] > smallest:
        place = None
    choices = choices_of(A)
    if choices is not None:
        choices.note_pivot(A, place, smallest)
    return place


def sizes_of(A, by_size=None):
    """How large the elements of an array are, as floats; of symbols, 1 for those that are not 0. by_size: as above."""
    if A.dtype == float and by_size is not False:
        return np.abs(A)
    choices = choices_of(A)
    if choices is not None:
        return np.abs(choices.values(A))
    values = None if by_size is False else values_of(A)
    if values is not None:
        return np.abs(values)
    return np.array([float(x != 0) for x in A.flat]).reshape(A.shape)


def keep_below(x, bound):
    """Note of recorded numbers x that the algorithm relies on them to be no longer, as a vector, than the bound.

    Of other numbers nothing is noted: the algorithm itself sees how large they are.
    """
    choices = choices_of(np.asarray(x))
    if choices is not None:
        choices.note_below(np.ravel(x), bound)


def where_near(x, value, bound):
    """The number x; of a recorded one, NaN in states in which it is farther than the bound from a value."""
    choices = choices_of(np.asarray(x))
    return x if choices is None else choices.where_near(x, value, bound)


def choices_of(A):
    """The notes of choices among recorded numbers of an array, a `rbdlib.compile.samples.Choices`; None without any."""
    entries = A.flat if A.dtype == object else ()
    return next((found for x in entries if (found := getattr(innermost(x), "choices", None))), None)


def values_of(array):
    """The array as floats, also of recorders that hold their number as ``value``; None if it contains symbols."""
    array = np.asarray(array)
    if array.dtype == object:
        values = [getattr(x, "value", x) for x in array.ravel()] + [0]
        array = np.array(values, dtype=object)[:-1].reshape(array.shape)
    return as_floats(array)


def innermost(x):
    """The number that a `rbdlib.numbers.dual.Dual` or a counting number holds, however deep."""
    while hasattr(x, "value"):
        x = x.value
    return x
