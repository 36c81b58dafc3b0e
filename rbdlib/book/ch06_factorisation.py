"""Sparse factorisation, H = LᵀL and H = LᵀDL, products with the factors, back-substitution (RBDA 6.5).

H is a symmetric positive definite n x n matrix. ``parent``, the book's λ, says where it is zero: n numbers, the k-th of
them in 0..k-1, counted from 1 as in the book; row k of H is zero left of the diagonal but for the columns λ(k),
λ(λ(k)), and so on until 0. What stands elsewhere is taken to be zero and not read, and nothing above the diagonal is
read. Without parent the matrix is full, λ(k) = k - 1. `rbdlib.book.ch06_inertia_matrix.expanded_parent` gives the λ of
a model.
"""

import sys

import numpy as np

from rbdlib.numbers.errors import NoInertia
from rbdlib.numbers.model_arguments import is_whole
from rbdlib.numbers.negligible import ROUNDING, is_negligible
from rbdlib.numbers.scalars import as_floats, eye, matrix, sqrt, vector, zeros

#: A pivot is zero if it is no more than so many units of rounding error, for each row, of the entry it is left of.
UNITS_OF_ROUNDING = 64

# Factorisation (RBDA Table 6.3)


def ltl(H, parent=None):
    """The lower triangular factor L of H = LᵀL, with a positive diagonal (RBDA Table 6.3).

    H, parent: as above. Returns L (n x n), which has the zeros of H. Raises ValueError, naming the variable, if H is
    not positive definite or, for floats, singular to rounding; also if parent fits no tree.
    """
    H, parent, n, result = _lower_triangle(H, parent, "H")
    given = dict(H)

    for k in range(n, 0, -1):
        _require_inertia(H[k, k], given[k, k], k, n)
        H[k, k] = sqrt(H[k, k])
        i = parent[k]
        while i != 0:
            H[k, i] = H[k, i] / H[k, k]
            i = parent[i]
        i = parent[k]
        while i != 0:
            j = i
            while j != 0:
                H[i, j] = H[i, j] - H[k, i] * H[k, j]
                j = parent[j]
            i = parent[i]

    for k, i in H:
        result[k - 1, i - 1] = H[k, i]
    return result


def ltdl(H, parent=None):
    """The factors L (unit lower triangular, n x n) and D (a vector, n) of H = LᵀDL (RBDA Table 6.3).

    H, parent, errors: as for `ltl`. The book's listing leaves D on the diagonal of L; here the two are taken apart.
    """
    H, parent, n, result = _lower_triangle(H, parent, "H")
    given = dict(H)

    for k in range(n, 0, -1):
        _require_inertia(H[k, k], given[k, k], k, n)
        i = parent[k]
        while i != 0:
            a = H[k, i] / H[k, k]
            j = i
            while j != 0:
                H[i, j] = H[i, j] - a * H[k, j]
                j = parent[j]
            H[k, i] = a
            i = parent[i]

    D = zeros(n, result)
    for k, i in H:
        result[k - 1, i - 1] = H[k, i] if k != i else 1
    for k in range(n):
        D[k] = H[k + 1, k + 1]
    return result, D


def _require_inertia(pivot, given, k, n):
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
        return np.finfo(x).eps
    return getattr(getattr(x, "context", None), "eps", 0)


# Inverses of small matrices


def inverse(A, complaint, sizes=None, negligible=ROUNDING, body=None):
    """A⁻¹ for a symmetric positive definite A = LᵀDL of any scalars; NoInertia(complaint, body) if it has none.

    sizes, negligible: what counts as zero in floats, as for `is_negligible`. body: the number of the body concerned.
    """
    n = len(A)
    try:
        L, D = ltdl(A)
    except ValueError:
        raise NoInertia(complaint, body) from None
    if D.dtype == float and is_negligible(D, A.diagonal(), sizes, negligible).any():
        raise NoInertia(complaint, body)
    L_inv = eye(n, D)
    for k in range(n):
        L_inv[k] = L_inv[k] - L[k, :k] @ L_inv[:k]
    return (L_inv / D) @ L_inv.T


# Products and back-substitution (RBDA Table 6.5)


def multiply_L(L, x, parent=None, unit=False):
    """y = L x (RBDA Table 6.5), for x (n) and a lower triangular L (n x n) with the zeros that parent says.

    unit: take the diagonal of L to be 1 without reading it, as suits the L of H = LᵀDL.
    """
    L, parent, x, y = _operands(L, parent, x, "L")
    for i in range(len(x) - 1, 0, -1):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = parent[i]
        while j != 0:
            y[i] = y[i] + L[i, j] * x[j]
            j = parent[j]
    return y[1:]


def multiply_Lt(L, x, parent=None, unit=False):
    """y = Lᵀx (RBDA Table 6.5); arguments as for `multiply_L`."""
    L, parent, x, y = _operands(L, parent, x, "L")
    for i in range(1, len(x)):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = parent[i]
        while j != 0:
            y[j] = y[j] + L[i, j] * x[i]
            j = parent[j]
    return y[1:]


def multiply_H(H, x, parent=None):
    """y = H x (RBDA Table 6.5), from the lower triangle of H alone."""
    H, parent, x, y = _operands(H, parent, x, "H")
    for i in range(1, len(x)):
        y[i] = H[i, i] * x[i]
    for i in range(len(x) - 1, 0, -1):
        j = parent[i]
        while j != 0:
            y[i] = y[i] + H[i, j] * x[j]
            y[j] = y[j] + H[i, j] * x[i]
            j = parent[j]
    return y[1:]


def solve_L(L, x, parent=None, unit=False):
    """L⁻¹x (RBDA Table 6.5); arguments as for `multiply_L`, and x is left as it was."""
    L, parent, _, x = _operands(L, parent, x, "L", copied=True)
    _require_diagonal(L, len(x) - 1, unit)
    for i in range(1, len(x)):
        j = parent[i]
        while j != 0:
            x[i] = x[i] - L[i, j] * x[j]
            j = parent[j]
        x[i] = x[i] if unit else x[i] / L[i, i]
    return x[1:]


def solve_Lt(L, x, parent=None, unit=False):
    """L⁻ᵀx (RBDA Table 6.5); arguments as for `multiply_L`, and x is left as it was."""
    L, parent, _, x = _operands(L, parent, x, "L", copied=True)
    _require_diagonal(L, len(x) - 1, unit)
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i] if unit else x[i] / L[i, i]
        j = parent[i]
        while j != 0:
            x[j] = x[j] - L[i, j] * x[i]
            j = parent[j]
    return x[1:]


def solve(H, b, parent=None):
    """The solution x of H x = b, for any scalars, as x = L⁻¹ D⁻¹ L⁻ᵀ b with H = LᵀDL (RBDA 6.5).

    b: n numbers, or a matrix (n x m) of m right-hand sides. H, parent, errors: as for `ltl`.
    """
    L, D = ltdl(H, parent)
    b = _right_hand_sides(b, len(D))
    if b.ndim == 1:
        return solve_L(L, solve_Lt(L, b, parent, unit=True) / D, parent, unit=True)
    X = zeros(b.shape, D, b)
    for k in range(b.shape[1]):
        X[:, k] = solve_L(L, solve_Lt(L, b[:, k], parent, unit=True) / D, parent, unit=True)
    return X


def _right_hand_sides(b, n):
    """b as an array (n) or (n x m); a SymPy column counts as a vector."""
    rows = b if isinstance(b, list | tuple) else ()
    shape = (n, len(rows[0])) if rows and isinstance(rows[0], list | tuple | np.ndarray) else getattr(b, "shape", ())
    if len(shape) == 2 and (isinstance(b, np.ndarray | list | tuple) or shape[1] != 1):
        return matrix(b, (n, shape[1]), "b")
    return vector(b, n, "b")


# Expanding the parent array (RBDA Table 6.4)


def expand_parent(parent, freedoms):
    """The expanded parent array λ' and the mapping array of a tree whose joints have any freedoms (RBDA Table 6.4).

    parent: λ of the tree, N_B numbers; freedoms: those of the N_B joints, n in all. Each joint becomes a chain of
    joints with one freedom, numbered as the variables of qdd. Returns two lists: λ' (n numbers) and map (N_B + 1
    numbers, from map[0] = 0): the variables of joint i are map[i-1] + 1 to map[i]. A joint without freedom, for which
    the book's listing fails, leaves no arc: what it carries hangs on the last variable between it and the base.
    """
    if not np.iterable(freedoms):
        raise TypeError(f"freedoms is {freedoms!r}; give the number of freedoms of each joint, a list of numbers 0..6.")
    freedoms = [None, *(_freedom(n_i) for n_i in freedoms)]
    N_B, n = len(freedoms) - 1, sum(freedoms[1:])
    parent = parents_of(parent, N_B)
    expanded = [None] * (n + 1)
    for i in range(1, n + 1):
        expanded[i] = i - 1
    map = [0]
    for i in range(1, N_B + 1):
        map.append(map[i - 1] + freedoms[i])
    last = [0]
    for i in range(1, N_B + 1):
        if freedoms[i] != 0:
            expanded[map[i - 1] + 1] = last[parent[i]]
        last.append(map[i] if freedoms[i] != 0 else last[parent[i]])
    return expanded[1:], map


def _freedom(n_i):
    if not is_whole(n_i) or not 0 <= n_i <= 6:
        raise ValueError(f"freedoms contains {n_i!r}; give the number of freedoms of each joint, 0 to 6.")
    return int(n_i)


# Arguments, counted from 1 as in the book


def _lower_triangle(H, parent, name):
    """The elements of H that λ lets be other than zero, {(i, j): H_ij}, λ, n, and zeros for a matrix of the kind."""
    H = H.tolist() if hasattr(H, "tolist") and not isinstance(H, np.ndarray) else H
    n = len(H) if np.iterable(H) else 0
    H = zeros((0, 0)) if isinstance(H, list | tuple) and n == 0 else matrix(H, (n, n), name)
    parent = parents_of(parent, n)
    rows, elements = H.tolist(), {}
    for i in range(1, n + 1):
        j = i
        while j != 0:
            elements[i, j] = rows[i - 1][j - 1]
            j = parent[j]
    return elements, parent, n, zeros((n, n), H)


def _operands(L, parent, x, name, copied=False):
    """L as by `_lower_triangle`, λ, x and an array for the result, the vectors with a place 0 that is not used."""
    L, parent, n, like = _lower_triangle(L, parent, name)
    x = vector(x, n, "x")
    y = zeros(n + 1, like, x)
    if copied:
        y[1:] = x
    return L, parent, [None, *x.tolist()], y


def _require_diagonal(L, n, unit):
    """Refuse to divide by a zero on the diagonal of L, unless that is not read."""
    k = next((k for k in range(1, n + 1) if L[k, k] == 0), None)
    if k is not None and not unit:
        raise ValueError(f"L is singular: L[{k - 1}, {k - 1}], of variable {k}, is 0. Give a factor of a positive "
                         "definite matrix, or unit=True if the diagonal is meant to be 1.")


def size_of(parent):
    """The n of the matrix that a parent array is about; TypeError if it is no array."""
    if not np.iterable(parent):
        raise TypeError(f"parent is {parent!r}; give a list: the predecessor of each variable, 0 for none.")
    return len(parent)


def parents_of(parent, n):
    """λ with a place 0 that is not used; that of a full matrix if none is given."""
    parent = range(n) if parent is None else parent
    before = [None, *(parent if np.iterable(parent) else ())]
    if len(before) != n + 1 or not all(is_whole(before[k]) and 0 <= before[k] < k
                                       for k in range(1, n + 1)):
        raise ValueError(f"parent is {parent!r}; give {n} numbers, the k-th of them in 0..k-1 (0 for no predecessor).")
    return before
