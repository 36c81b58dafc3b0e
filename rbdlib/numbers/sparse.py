"""The arguments of sparse factorisation (RBDA 6.5), checked; indices count from 1, as in the book.

λ, the parent array, says where a matrix (n x n) is zero: n numbers, the k-th of them in 0..k-1, 0 for no predecessor.
"""

import sys
from typing import Any

import numpy as np

from rbdlib.numbers.model_arguments import is_whole
from rbdlib.numbers.negligible import NoInertia
from rbdlib.numbers.scalars import any_array, as_floats, matrix, vector, zeros

#: A pivot is zero if it is no more than so many units of rounding error, for each row, of the entry it is left of.
UNITS_OF_ROUNDING = 64


def require_inertia(pivot, given, k, n):
    """Refuse what no inertia matrix has on its diagonal; floats that are zero but for rounding are zero."""
    epsilon = _epsilon(pivot) if _epsilon(given) else 0
    if abs(pivot) <= UNITS_OF_ROUNDING * n * epsilon * abs(given) if epsilon else pivot == 0:
        raise NoInertia(f"H is singular: variable {k} has no inertia. Give the bodies it moves a mass.", variable=k)
    value = as_floats([pivot])
    if value is not None and value[0] < 0:
        raise NoInertia(f"H is not positive definite: variable {k} has the inertia {value[0]:.4g} when those after it "
                        "are free. Check the masses and the moments of inertia of the bodies it moves.", variable=k)


def _epsilon(x):
    """The rounding error of numbers such as x, in parts of them; 0 for what is exact, a formula, or a recorder."""
    if isinstance(x, float | complex):
        return sys.float_info.epsilon
    if isinstance(x, np.inexact):
        kind: Any = x.dtype
        return np.finfo(kind).eps
    return getattr(getattr(x, "context", None), "eps", 0)


def right_sides(b, n):
    """b as an array (n) or (n x m); a SymPy column counts as a vector."""
    array = any_array(b, "b")
    if array.ndim == 2 and (array.shape[1] != 1 or isinstance(b, np.ndarray | list | tuple)):
        return matrix(array, (n, array.shape[1]), "b")
    return vector(b, n, "b")


def freedoms_of(freedoms):
    """The numbers of freedoms of the joints, with a place 0 that is not used."""
    if not np.iterable(freedoms):
        raise TypeError(f"freedoms is {freedoms!r}; give the number of freedoms of each joint, a list of numbers 0..6.")
    freedoms = list(freedoms)
    for n_i in freedoms:
        if not is_whole(n_i) or not 0 <= n_i <= 6:
            raise ValueError(f"freedoms contains {n_i!r}; give the number of freedoms of each joint, 0 to 6.")
    return [None, *map(int, freedoms)]


def triangle_of(H, parent, name):
    """The elements of H that λ lets be other than zero, {(i, j): H_ij}, λ, n, and zeros for a matrix of the kind."""
    H = H.tolist() if hasattr(H, "tolist") and not isinstance(H, np.ndarray) else H
    n = len(list(H)) if np.iterable(H) else 0
    H = zeros((0, 0)) if isinstance(H, list | tuple) and n == 0 else matrix(H, (n, n), name)
    parent = parents_of(parent, n)
    rows, elements = H.tolist(), {}
    for i in range(1, n + 1):
        j = i
        while j != 0:
            elements[i, j] = rows[i - 1][j - 1]
            j = parent[j]
    return elements, parent, n, zeros((n, n), H)


def operands(L, parent, x, name):
    """L as by `triangle_of`, λ, x and an array for the result, the vectors with a place 0 that is not used."""
    L, parent, n, like = triangle_of(L, parent, name)
    x = vector(x, n, "x")
    return L, parent, [None, *x.tolist()], zeros(n + 1, like, x)


def unknowns(L, parent, x, unit):
    """L, λ and a copy of x as by `operands`; ValueError for a zero on the diagonal of L, unless that is not read."""
    L, parent, given, x = operands(L, parent, x, "L")
    x[1:] = given[1:]
    k = next((k for k in range(1, len(x)) if L[k, k] == 0), None)
    if k is not None and not unit:
        raise ValueError(f"L is singular: L[{k - 1}, {k - 1}], of variable {k}, is 0. Give a factor of a positive "
                         "definite matrix, or unit=True if the diagonal is meant to be 1.")
    return L, parent, x


def parents_of(parent, n):
    """λ with a place 0 that is not used; that of a full matrix if none is given."""
    parent = range(n) if parent is None else parent
    before = [None, *(parent if np.iterable(parent) else ())]
    if len(before) != n + 1 or not all(is_whole(before[k]) and 0 <= before[k] < k for k in range(1, n + 1)):
        raise ValueError(f"parent is {parent!r}; give {n} numbers, the k-th of them in 0..k-1 (0 for no predecessor).")
    return before
