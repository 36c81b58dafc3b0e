"""Zero but for rounding: the rule for all matrices that are inverted, and inverses of singular ones."""

import numpy as np

from rbdlib.numbers.scalars import as_floats, zeros

#: A pivot is nothing but what rounding left over if it is no more than this fraction of numbers of the same unit.
ROUNDING = 1e-14
#: A D that is smaller than this, compared with I_A, is compared with the bodies that the joint carries, too.
SUSPICIOUS = 1e-8


class NoInertia(ValueError):
    """A matrix of a mechanism that has no inverse, because something moves that has no inertia.

    Attributes: ``body``, the number of the body, or None; ``variable``, the number (from 1) of the row of H, or None.
    """

    def __init__(self, message, body=None, variable=None):
        super().__init__(message)
        self.body, self.variable = body, variable


def generalized_inverse(A, negligible, sizes=None):
    """The inverse of those rows and columns of a symmetric, positive semidefinite A that are independent.

    Returns it with zeros in the other rows and columns, and the list of these. Row k is one of them if what the rows
    before it leave of A_kk counts as zero: negligible, sizes: as for `is_negligible`. If A x = b has a solution at all,
    A_inv b is one.
    """
    B, left_out, given = zeros(A.shape, A) + A, [], as_floats(A.diagonal())
    sizes = np.zeros(len(A)) if sizes is None else sizes
    for k in range(len(A)):
        pivot, row, column = B[k, k], B[k], B[:, k]
        value = None if given is None else pivot if B.dtype == float else as_floats(pivot)
        if pivot == 0 or (value is not None and is_negligible(value, given[k], sizes[k], negligible)):
            left_out.append(k)
            continue
        B = B - np.outer(column, row / pivot)
        B[k], B[:, k], B[k, k] = row / pivot, -column / pivot, 1 / pivot
    B[left_out], B[:, left_out] = 0, 0
    return B, left_out


def is_negligible(pivots, given, sizes=None, negligible=ROUNDING):
    """True where pivots are zero but for rounding: the one rule for all matrices that are inverted.

    They are if no more than the fraction negligible is left of the diagonal entries given, or no more than `ROUNDING`
    of sizes, by default not known. All are numbers (or arrays of them) of the same units, so that the answer does not
    depend on whether one counts in metres or millimetres.
    """
    left = pivots <= negligible * given
    return left if sizes is None else left | (pivots <= ROUNDING * sizes)


def sizes_by_unit(S, M):
    """The size that the diagonal of Sᵀ M S might be, for `is_negligible`: an array (n), or None if not all are floats.

    S (6h x n) holds spatial vectors, M (6h x 6h) inertias or inverse inertias. In place of the diagonal of M stand the
    largest of its entries that have the same unit: those of the rotations and those of the translations.
    """
    if np.result_type(float, S.dtype, M.dtype) != np.dtype(float):
        return None
    S, M = np.asarray(S), np.asarray(M)
    turning, sliding = np.abs(M.diagonal()).reshape(-1, 2, 3).max(axis=(0, 2), initial=0)
    return np.array(([turning] * 3 + [sliding] * 3) * (len(M) // 6)) @ S**2


def sizes_of_D(D, I_A, S, model, i):
    """The sizes with which the pivots of D = Sᵀ I_A S of joint i are compared, for `is_negligible`.

    A D that looks small may be left over from the bodies that i carries.
    """
    if D.dtype != float or S is None:
        return np.abs(np.asarray(I_A)).max() if D.dtype == float else None
    known = sizes_by_unit(S, I_A)
    if known is None or model is None or not (D.diagonal() <= SUSPICIOUS * np.abs(np.asarray(I_A)).max()).any():
        return known
    carried = (sizes_by_unit(S, model.inertia[j]) for j in model.nu(i))
    return np.max([known, *(size for size in carried if size is not None)], axis=0)
