"""Subspaces compared: contained, equal, orthogonal, their intersection, direct sums (RBDA 3.3, Table 3.1).

A subspace is given by a matrix whose columns span it, as in `rbdlib.book.ch03_subspaces`.
"""

import numpy as np

from rbdlib.book.ch03_subspaces import dimension, orthogonal_complement
from rbdlib.numbers.linear import pivot_columns
from rbdlib.numbers.scalars import TOLERANCE, as_floats
from rbdlib.numbers.validation import side_by_side, spanning


def independent_columns(S):
    """Those columns of S that are not combinations of earlier ones: a basis of the same subspace (RBDA 3.3)."""
    S = spanning(S, "S")
    return S[:, pivot_columns(S)]


def is_subspace(S_1, S_2):
    """True if the subspace S_1 lies in S_2, both of one space: joining S_1 to S_2 adds no dimension (RBDA 3.3)."""
    S_2 = spanning(S_2, "S_2")
    S_1 = spanning(S_1, "S_1", len(S_2))
    return dimension(np.hstack([S_2, S_1])) == dimension(S_2)


def is_same_subspace(S_1, S_2):
    """True if the columns of S_1 and of S_2 span one and the same subspace (RBDA 3.3)."""
    return is_subspace(S_1, S_2) and is_subspace(S_2, S_1)


def intersection(S_1, S_2):
    """A basis (n x r) of the vectors that lie in S_1 and in S_2: what both complements give no power (RBDA 3.3)."""
    S_1 = spanning(S_1, "S_1")
    S_2 = spanning(S_2, "S_2", len(S_1))
    return orthogonal_complement(np.hstack([orthogonal_complement(S_1), orthogonal_complement(S_2)]))


def is_orthogonal(S_1, S_2):
    """True if no vector of S_1 (motions, say) gives power with any of S_2 (forces): S_1ᵀ S_2 = 0 (RBDA Table 3.1).

    The two belong to dual spaces: within M⁶ or within F⁶ orthogonality has no meaning.
    """
    S_1 = spanning(S_1, "S_1")
    S_2 = spanning(S_2, "S_2", len(S_1))
    numbers = as_floats(S_1), as_floats(S_2)
    if any(values is None for values in numbers):
        return all(power == 0 for power in (S_1.T @ S_2).ravel())
    size = np.linalg.norm(numbers[0], axis=0)[:, None] * np.linalg.norm(numbers[1], axis=0)
    return bool((np.abs(numbers[0].T @ numbers[1]) <= TOLERANCE * size).all())


def is_direct_sum(*subspaces):
    """True if every vector is a sum of one vector from each subspace in just one way (RBDA Eqs 3.24, 3.25)."""
    S = side_by_side(subspaces)
    return S.shape[1] == len(S) == dimension(S)
