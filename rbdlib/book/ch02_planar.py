"""Planar vectors: the spatial arithmetic of chapter 2 in the x-y plane, with three numbers (RBDA 2.16, Table A.1).

A planar motion vector is ``[omega, v_Ox, v_Oy]`` and a planar force vector ``[n_O, f_x, f_y]``: entries 3, 4 and 5
of the spatial ones. The functions have the names of their spatial counterparts.
"""

import numpy as np

from rbdlib.numbers.scalars import cos, matrix, number, sin, vector, zeros
from rbdlib.numbers.validation import not_negative, planar_transform

#: The places (counted from 0) of the planar coordinates among the spatial ones.
PLANAR = [2, 3, 4]


def Xpln(r, theta):
    """Transform ᴮX_A to the frame B at position r = (x, y) (m), turned by theta (rad) (RBDA Eq. 2.77, Table A.1).

    Returns the 3 x 3 motion transform. A scalar cannot be mistaken for a position, so the two arguments may also
    be given the other way round, as in the author's later software.
    """
    if np.ndim(theta):
        r, theta = theta, r
    x, y = vector(r, 2, "r")
    theta = number(theta, "theta")
    c, s = cos(theta), sin(theta)
    return np.array([[1, 0, 0],
                     [s * x - c * y, c, s],
                     [c * x + s * y, -s, c]])


def crm(v):
    """The 3 x 3 matrix v× that acts on planar motion vectors (RBDA Eq. 2.75)."""
    omega, v_x, v_y = vector(v, 3, "v")
    return np.array([[0, 0, 0],
                     [v_y, 0, -omega],
                     [-v_x, omega, 0]])


def crf(v):
    """The 3 x 3 matrix v×* that acts on planar force vectors (RBDA 2.16): -crm(v).T."""
    return -crm(v).T


def mcI(m, c, I_C):
    """Planar inertia from mass m (kg), centre of mass c = (c_x, c_y) (m) and I_C (kg m²) about it (RBDA Eq. 2.78).

    Raises ValueError if m or I_C is negative.
    """
    m, I_C, (c_x, c_y) = not_negative(m, "m"), not_negative(I_C, "I_C"), vector(c, 2, "c")
    return np.array([[I_C + m * (c_x * c_x + c_y * c_y), -m * c_y, m * c_x],
                     [-m * c_y, m, 0],
                     [m * c_x, 0, m]])


def XtoV(X, version=2):
    """A planar motion vector close to the velocity that carries frame A onto frame B in unit time (RBDA Table A.1).

    Both versions are exact for a pure translation. Version 1 is cheaper and correct to first order in the angle.
    Version 2 is correct to second order and satisfies v = X v; for turns of less than 90 degrees the exact velocity is
    v asin(X[1, 2]) / X[1, 2], where X[1, 2] = sin theta.
    """
    X = planar_transform(X, "X")
    if version == 1:
        return np.array([X[1, 2], X[2, 0], -X[1, 0]])
    if version == 2:
        return np.array([X[1, 2],
                         (X[2, 0] + X[1, 1] * X[2, 0] + X[1, 2] * X[1, 0]) / 2,
                         (-X[1, 0] - X[1, 1] * X[1, 0] + X[1, 2] * X[2, 0]) / 2])
    raise ValueError(f"version is {version!r}; choose 1 or 2.")


def inverse_transform(X):
    """ᴬX_B from ᴮX_A (RBDA Eq. 2.77 with the displacement undone)."""
    X = planar_transform(X, "X")
    E, lower = X[1:, 1:], X[1:, 0]
    inverse = zeros((3, 3), X)
    inverse[0, 0], inverse[1:, 0], inverse[1:, 1:] = 1, -E.T @ lower, E.T
    return inverse


def force_transform(X):
    """ᴮX*_A = X⁻ᵀ, the transform of planar force vectors between the same frames (RBDA 2.16)."""
    return inverse_transform(X).T


def from_spatial(quantity):
    """The planar part of a spatial 6-vector or 6 x 6 matrix: entries, or rows and columns, 3, 4 and 5 (RBDA 2.16)."""
    if np.ndim(quantity) == 2:
        return matrix(quantity, (6, 6), "quantity")[np.ix_(PLANAR, PLANAR)]
    return vector(quantity, 6, "quantity")[PLANAR]


def to_spatial(v):
    """The spatial 6-vector of a planar motion or force vector: entries 3, 4 and 5 are v (RBDA 2.16)."""
    v = vector(v, 3, "v")
    spatial = zeros(6, v)
    spatial[PLANAR] = v
    return spatial
