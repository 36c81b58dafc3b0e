"""Sparse factorisation, H = LᵀL and H = LᵀDL, products with the factors, back-substitution (RBDA 6.5).

H is a symmetric positive definite n x n matrix. ``parent``, the book's λ, says where it is zero: n numbers, the k-th of
them in 0..k-1; row k of H is zero left of the diagonal but for the columns λ(k), λ(λ(k)), and so on until 0. Nothing
else is read. Without parent the matrix is full, λ(k) = k - 1; that of a model is `ch06_inertia_matrix.expanded_parent`.
"""

from rbdlib.numbers.negligible import ROUNDING, NoInertia, is_negligible
from rbdlib.numbers.scalars import eye, sqrt, zeros
from rbdlib.numbers.sparse import freedoms_of, operands, parents_of, require_inertia, right_sides, triangle_of, unknowns

# Factorisation (RBDA Table 6.3)


def ltl(H, parent=None):
    """The lower triangular factor L of H = LᵀL, with a positive diagonal (RBDA Table 6.3).

    H, parent: as above. Returns L (n x n), which has the zeros of H. Raises ValueError, naming the variable, if H is
    not positive definite or, for floats, singular to rounding; also if parent fits no tree.
    """
    H, parent, n, result = triangle_of(H, parent, "H")
    given = dict(H)

    for k in range(n, 0, -1):
        require_inertia(H[k, k], given[k, k], k, n)
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
    H, parent, n, result = triangle_of(H, parent, "H")
    given = dict(H)

    for k in range(n, 0, -1):
        require_inertia(H[k, k], given[k, k], k, n)
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


# Inverses of small matrices


def inverse(A, complaint, sizes=None, negligible=ROUNDING, body=None):
    """A⁻¹ for a symmetric positive definite A = LᵀDL of any scalars; NoInertia(complaint, body) if it has none.

    sizes, negligible: what counts as zero in floats, as for `is_negligible`. body: the number of the body concerned.
    """
    n = len(A)
    try:
        single = n == 1 and A.dtype == float and A[0, 0] > 0                # as of most joints: nothing to factorise
        L, D = (eye(1), A[0]) if single else ltdl(A)
    except ValueError:
        raise NoInertia(complaint, body) from None
    if D.dtype == float and is_negligible(D, A.diagonal(), sizes, negligible).any():
        raise NoInertia(complaint, body)
    if single:
        return 1 / A
    L_inv = eye(n, D)
    for k in range(n):
        L_inv[k] = L_inv[k] - L[k, :k] @ L_inv[:k]
    return (L_inv / D) @ L_inv.T


# Products and back-substitution (RBDA Table 6.5)


def multiply_L(L, x, parent=None, unit=False):
    """y = L x (RBDA Table 6.5), for x (n) and a lower triangular L (n x n) with the zeros that parent says.

    unit: take the diagonal of L to be 1 without reading it, as suits the L of H = LᵀDL.
    """
    L, parent, x, y = operands(L, parent, x, "L")
    for i in range(len(x) - 1, 0, -1):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = parent[i]
        while j != 0:
            y[i] = y[i] + L[i, j] * x[j]
            j = parent[j]
    return y[1:]


def multiply_Lt(L, x, parent=None, unit=False):
    """y = Lᵀx (RBDA Table 6.5); arguments as for `multiply_L`."""
    L, parent, x, y = operands(L, parent, x, "L")
    for i in range(1, len(x)):
        y[i] = x[i] if unit else L[i, i] * x[i]
        j = parent[i]
        while j != 0:
            y[j] = y[j] + L[i, j] * x[i]
            j = parent[j]
    return y[1:]


def multiply_H(H, x, parent=None):
    """y = H x (RBDA Table 6.5), from the lower triangle of H alone."""
    H, parent, x, y = operands(H, parent, x, "H")
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
    L, parent, x = unknowns(L, parent, x, unit)
    for i in range(1, len(x)):
        j = parent[i]
        while j != 0:
            x[i] = x[i] - L[i, j] * x[j]
            j = parent[j]
        x[i] = x[i] if unit else x[i] / L[i, i]
    return x[1:]


def solve_Lt(L, x, parent=None, unit=False):
    """L⁻ᵀx (RBDA Table 6.5); arguments as for `multiply_L`, and x is left as it was."""
    L, parent, x = unknowns(L, parent, x, unit)
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
    b = right_sides(b, len(D))
    if b.ndim == 1:
        return solve_L(L, solve_Lt(L, b, parent, unit=True) / D, parent, unit=True)
    X = zeros(b.shape, D, b)
    for k in range(b.shape[1]):
        X[:, k] = solve_L(L, solve_Lt(L, b[:, k], parent, unit=True) / D, parent, unit=True)
    return X


# Expanding the parent array (RBDA Table 6.4)


def expand_parent(parent, freedoms):
    """The expanded parent array λ' and the mapping array of a tree whose joints have any freedoms (RBDA Table 6.4).

    parent: λ of the tree, N_B numbers; freedoms: those of the N_B joints, n in all. Each joint becomes a chain of
    joints with one freedom, numbered as the variables of qdd. Returns two lists: λ' (n numbers) and map (N_B + 1
    numbers, from map[0] = 0): the variables of joint i are map[i-1] + 1 to map[i]. A joint without freedom, for which
    the book's listing fails, leaves no arc: what it carries hangs on the last variable between it and the base.
    """
    freedoms = freedoms_of(freedoms)
    N_B, n = len(freedoms) - 1, sum(freedoms[1:])
    parent = parents_of(parent, N_B)
    expanded = [0] * (n + 1)
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
