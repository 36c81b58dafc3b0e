"""Subspaces of motion and force: complements, decompositions, dual bases (RBDA 3.3, 3.5).

A subspace is given by a matrix whose columns span it; n x 0 is the subspace that holds the zero vector alone. Which
matrix is taken does not matter: S and S A describe the same subspace for every invertible A. Everything here works on
numbers and, where no expression is zero in disguise, on symbols. `rbdlib.methods.subspaces` compares subspaces.
"""

import numpy as np

from rbdlib.numbers.linear import pivot_columns, row_echelon_form, solve_linear
from rbdlib.numbers.scalars import eye, matrix, vector, zeros
from rbdlib.numbers.validation import side_by_side, spanning


def orthogonal_complement(S):
    """A basis T (n x (n - r)) of the vectors that S, of rank r, gives no power: Tᵀ S = 0 (RBDA 3.2, Table 3.1).

    S spans a subspace of motions and T one of forces, or the other way round. The basis has the form of Table 4.1:
    where a coordinate is free, T has a unit column.
    """
    S = matrix(S, np.shape(S), "S") if np.ndim(S) == 2 else matrix(S, (6, "nv"), "S")
    A, pivots = row_echelon_form(S.T)
    n = len(S)
    free = [j for j in range(n) if j not in pivots]
    T = zeros((n, len(free)), S)
    for column, j in enumerate(free):
        T[:, column] = eye(n, S)[j]
        for row, pivot in enumerate(pivots):
            T[pivot, column] = 0 - A[row, j]
    return T


def dimension(S):
    """The dimension of the subspace that the columns of S span: their number if they are independent (RBDA 3.3)."""
    return len(pivot_columns(spanning(S, "S")))


def decompose(v, *subspaces):
    """The parts of v in subspaces that together make up the whole space: a list of vectors with the sum v.

    RBDA Eqs 3.26 and 3.27. The columns of each matrix must be independent. Raises ValueError if the decomposition is
    not unique or does not exist for every v.
    """
    S = side_by_side(subspaces)
    v = vector(v, len(S), "v")
    if not S.shape[1] == len(S) == dimension(S):
        raise ValueError(f"subspaces: their {S.shape[1]} columns have rank {dimension(S)}, the space has dimension "
                         f"{len(S)}. For a unique decomposition the columns must be independent and as many as the "
                         "dimension.")
    alpha = solve_linear(S, v)                                                          # (3.27)
    ends = np.cumsum([0, *(np.shape(S_i)[1] for S_i in subspaces)])
    return [S[:, a:b] @ alpha[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]


def dual_basis(D):
    """The basis E (n x n) of the dual space that is reciprocal to the basis D: Eᵀ D = 1 (RBDA 2.1, 3.1, 3.5).

    With v = D v_ and f = E f_, the scalar product is f·v = f_ᵀ v_. Raises ValueError if D is not a basis.
    """
    D = spanning(D, "D")
    n = len(D)
    if D.shape[1] != n or dimension(D) != n:
        raise ValueError(f"D has {D.shape[1]} columns of rank {dimension(D)}; a basis has {n} independent ones.")
    return solve_linear(D.T, eye(n, D))


def active_force_subspace(S, T=None):
    """A matrix T_a (6 x n_f) with T_aᵀ S = 1, along which a joint's motor pushes (RBDA Eqs 3.34, 3.35).

    S (6 x n_f): motion subspace, its columns independent. T (6 x n_f) may give the directions in which the motor acts,
    up to scale; without it they are those of S itself. Two choices differ by constraint forces only, so that they
    cause the same motion. Raises ValueError if some motion of S gets no power from T.
    """
    S = spanning(S, "S")
    T = S if T is None else matrix(T, S.shape, "T")
    power = T.T @ S
    if dimension(power) != S.shape[1]:
        raise ValueError(f"S and T: Tᵀ S has rank {dimension(power)}; it must have rank {S.shape[1]}, so that the "
                         "motor can move the joint every way it goes. In a singular position (an Euler joint's gimbal "
                         "lock) no T has that rank.")
    return T @ solve_linear(power, eye(len(power), S)).T


def accelerating_force(f, I, S):
    """The part of the force f that accelerates a body of inertia I constrained to S (RBDA Eq. 3.28, Example 3.1).

    f_a = I S (Sᵀ I S)⁻¹ Sᵀ f; the rest of f is balanced by the constraint. It does not depend on the basis S.
    """
    S = spanning(S, "S")
    f, I = vector(f, len(S), "f"), matrix(I, (len(S), len(S)), "I")
    return I @ S @ solve_linear(S.T @ I @ S, S.T @ f)                                   # (3.28)
