"""Spatial vectors: motion, force, transforms, cross products, inertia (RBDA chapter 2 and Table A.2).

Plücker coordinates with the angular part first: a motion vector is ``[omega, v_O]``, a force vector ``[n_O, f]``.
A transform ``X`` is always the book's ᴮX_A: it takes the coordinates of a motion vector from frame A to frame B.
Every function accepts floats, SymPy symbols and mpmath numbers, and returns a new NumPy array.
"""

from functools import singledispatch

import numpy as np

from rbdlib.numbers.linear import inverse_3x3
from rbdlib.numbers.scalars import blocks, cos, eye, matrix, number, rotation_series, sin, vector
from rbdlib.numbers.validation import mass, rigid_body_inertia, rotation, rotational_inertia, transform

# Rotations, translations and general transforms (RBDA 2.8, Tables 2.2 and A.2)


def skew(a):
    """The matrix a× of the 3D cross product, so that ``skew(a) @ b`` is a × b (RBDA Eq. 2.23, FDSV Eq. 37)."""
    x, y, z = vector(a, 3, "a").tolist()
    return np.array([[0, -z, y],
                     [z, 0, -x],
                     [-y, x, 0]])


def unskew(A):
    """The 3-vector a of a matrix A = a×, the inverse of `skew`; of floats, it averages the two triangles of A."""
    A = matrix(A, (3, 3), "A")
    if A.dtype == object:
        return np.array([A[2, 1], A[0, 2], A[1, 0]])
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2


def cross(a, b):
    """a × b for 3-vectors of any scalars (RBDA Eq. 2.23)."""
    return skew(a) @ b


def rx(theta):
    """3 x 3 coordinate transform to a frame turned by theta (rad) about the x axis (RBDA Table 2.2).

    It is the transpose of the matrix that turns a vector by theta about x.
    """
    theta = number(theta, "theta")
    c, s = cos(theta), sin(theta)
    return np.array([[1, 0, 0],
                     [0, c, s],
                     [0, -s, c]])


def ry(theta):
    """3 x 3 coordinate transform to a frame turned by theta (rad) about the y axis (RBDA Table 2.2)."""
    theta = number(theta, "theta")
    c, s = cos(theta), sin(theta)
    return np.array([[c, 0, -s],
                     [0, 1, 0],
                     [s, 0, c]])


def rz(theta):
    """3 x 3 coordinate transform to a frame turned by theta (rad) about the z axis (RBDA Table 2.2)."""
    theta = number(theta, "theta")
    c, s = cos(theta), sin(theta)
    return np.array([[c, s, 0],
                     [-s, c, 0],
                     [0, 0, 1]])


def rot(E):
    """Plücker transform to a frame with the same origin and axes given by E (RBDA Eq. 2.19).

    E is the 3 x 3 matrix that takes A coordinates to B coordinates: its rows are B's axes in A coordinates.
    Raises ValueError if E is not a rotation.
    """
    E = rotation(E, "E")
    return blocks([[E, 0],
                   [0, E]])


def xlt(r):
    """Plücker transform to a frame with parallel axes whose origin is at r, in A coordinates (RBDA Eq. 2.21)."""
    r = vector(r, 3, "r")
    return blocks([[1, 0],
                   [-skew(r), 1]])


def rotx(theta):
    """Plücker transform to a frame turned by theta (rad) about the common x axis (RBDA Table 2.2)."""
    E = rx(theta)
    return blocks([[E, 0],
                   [0, E]])


def roty(theta):
    """Plücker transform to a frame turned by theta (rad) about the common y axis (RBDA Table 2.2)."""
    E = ry(theta)
    return blocks([[E, 0],
                   [0, E]])


def rotz(theta):
    """Plücker transform to a frame turned by theta (rad) about the common z axis (RBDA Table 2.2)."""
    E = rz(theta)
    return blocks([[E, 0],
                   [0, E]])


def plucker(E, r):
    """The general transform ᴮX_A = rot(E) xlt(r) (RBDA Eq. 2.24).

    E takes A coordinates to B coordinates; r is the position of B's origin in A coordinates.
    """
    E, r = rotation(E, "E"), vector(r, 3, "r")
    return blocks([[E, 0],
                   [-E @ skew(r), E]])


def X_to_Er(X):
    """The rotation E and the position r of a Plücker transform, the inverse of `plucker`: returns (E, r)."""
    X = transform(X, "X")
    E = X[:3, :3]
    return E.copy(), unskew(-E.T @ X[3:, :3])


@singledispatch
def inverse_transform(X):
    """ᴬX_B from ᴮX_A, by transposing blocks and not by solving equations (RBDA Eq. 2.26)."""
    E, r = X_to_Er(X)
    return blocks([[E.T, 0],
                   [skew(r) @ E.T, E.T]])


@singledispatch
def force_transform(X):
    """ᴮX*_A from ᴮX_A: the transform of force vectors between the same frames, X* = X⁻ᵀ (RBDA Eqs 2.13, 2.25)."""
    E, r = X_to_Er(X)
    return blocks([[E, -E @ skew(r)],
                   [0, E]])


def homogeneous(X):
    """The 4 x 4 matrix ᴮT_A that takes the homogeneous coordinates of points from A to B (RBDA Eq. 2.28)."""
    E, r = X_to_Er(X)
    T = eye(4, E)
    T[:3, :3] = E
    T[:3, 3] = -E @ r
    return T


# Cross products (RBDA 2.9)


@singledispatch
def crm(v):
    """The 6 x 6 matrix v× that acts on motion vectors: [[omega×, 0], [v_O×, omega×]] (RBDA Eq. 2.31)."""
    a, b, c, x, y, z = vector(v, 6, "v").tolist()
    return np.array([[0, -c, b,   0, 0, 0],
                     [c, 0, -a,   0, 0, 0],
                     [-b, a, 0,   0, 0, 0],

                     [0, -z, y,   0, -c, b],
                     [z, 0, -x,   c, 0, -a],
                     [-y, x, 0,   -b, a, 0]])


@singledispatch
def crf(v):
    """The 6 x 6 matrix v×* that acts on force vectors: [[omega×, v_O×], [0, omega×]] = -crm(v).T (RBDA Eq. 2.32)."""
    a, b, c, x, y, z = vector(v, 6, "v").tolist()
    return np.array([[0, -c, b,   0, -z, y],
                     [c, 0, -a,   z, 0, -x],
                     [-b, a, 0,   -y, x, 0],

                     [0, 0, 0,    0, -c, b],
                     [0, 0, 0,    c, 0, -a],
                     [0, 0, 0,    -b, a, 0]])


# From a transform to a velocity, and a transform from a velocity (RBDA Table A.2, sections 2.7 and 8.3)


def XtoV(X):
    """A motion vector close to the velocity that carries frame A onto frame B in unit time (RBDA Table A.2).

    Exact for a pure translation, correct to second order in the angle, and unchanged by X and its inverse. It serves
    as a measure of position error. The exact velocity is `rbdlib.methods.screws.motion_log`.
    """
    X = transform(X, "X")
    return np.array([X[1, 2] - X[2, 1], X[2, 0] - X[0, 2], X[0, 1] - X[1, 0],
                     X[4, 2] - X[5, 1], X[5, 0] - X[3, 2], X[3, 1] - X[4, 0]]) / 2


def motion_exp(v):
    """Transform ᴮX_A to the frame B that A becomes after moving for unit time with the constant velocity v.

    It is the matrix exponential of -v×, in closed form. v is in A coordinates (RBDA 2.7, scaling rule; 2.17).
    Symbols: a nonzero rotation is assumed unless omega is exactly zero.
    """
    v = vector(v, 6, "v")
    w, v_O, squared_angle = skew(v[:3]), v[3:], v[:3] @ v[:3]
    if squared_angle == 0:
        return xlt(v_O)
    s1, s2, s3 = rotation_series(squared_angle)
    E = eye(3, v) - s1 * w + s2 * w @ w
    r = v_O + s2 * w @ v_O + s3 * w @ w @ v_O
    return blocks([[E, 0],
                   [-E @ skew(r), E]])


# Velocity and force as fields; lines and couples (RBDA 2.2-2.5)


def point_velocity(v, P):
    """Velocity (m/s) of the body-fixed point at P when the body has spatial velocity v (RBDA Eqs 2.1, 2.5).

    v and the position P (m) are in the same coordinates; V(P) = v_O + omega × OP.
    """
    v, P = vector(v, 6, "v"), vector(P, 3, "P")
    return v[3:] + skew(v[:3]) @ P


def moment_at(f, P):
    """Moment (N m) about the point P of the spatial force f: n_P = n_O + f × OP (RBDA Eq. 2.6)."""
    f, P = vector(f, 6, "f"), vector(P, 3, "P")
    return f[:3] + skew(f[3:]) @ P


def line_motion(direction, point):
    """The motion vector [s; r × s]: a rotation about the line through ``point`` (RBDA 2.5, FDSV Eq. 31)."""
    s, r = vector(direction, 3, "direction"), vector(point, 3, "point")
    return np.concatenate([s, skew(r) @ s])


def free_motion(direction):
    """The motion vector [0; s]: a translation (RBDA 2.5, FDSV Eq. 32)."""
    s = vector(direction, 3, "direction")
    return np.concatenate([0 * s, s])


def line_force(force, point):
    """The force vector [r × f; f]: a linear force (N) whose line of action passes through ``point`` (RBDA 2.5)."""
    f, r = vector(force, 3, "force"), vector(point, 3, "point")
    return np.concatenate([skew(r) @ f, f])


def couple(moment):
    """The force vector [n; 0]: a couple (N m), which acts along no particular line (RBDA 2.5)."""
    n = vector(moment, 3, "moment")
    return np.concatenate([n, 0 * n])


def dyad(a, b):
    """The dyad a b·, as the matrix a bᵀ, which maps c to a (b · c) (RBDA 2.1). Any two vectors."""
    a, b = vector(a, np.size(a), "a"), vector(b, np.size(b), "b")
    return a[:, None] * b[None, :]


# Acceleration (RBDA 2.11)


def spatial_acceleration(a_classical, v):
    """Spatial acceleration [omega'; r'' - omega × r'] from the classical [omega'; r''] (RBDA Eqs 2.48, 2.50).

    r is the position of the body-fixed point at the origin; v = [omega; r'] is the spatial velocity there.
    """
    a_classical, v = vector(a_classical, 6, "a_classical"), vector(v, 6, "v")
    return a_classical - np.concatenate([0 * v[:3], skew(v[:3]) @ v[3:]])


def classical_acceleration(a, v):
    """Classical acceleration [omega'; r''] of the body-fixed point at the origin (RBDA Eqs 2.49, 2.50).

    >>> classical_acceleration([0, 0, 0, 0, 0, 0], [0, 0, 2, 3, 0, 0])
    array([0, 0, 0, 0, 6, 0])
    """
    a, v = vector(a, 6, "a"), vector(v, 6, "v")
    return a + np.concatenate([0 * v[:3], skew(v[:3]) @ v[3:]])


# Momentum, inertia and the equation of motion of one rigid body (RBDA 2.12-2.15)


def mcI(m, c, I_C):
    """Spatial inertia from mass m (kg), centre of mass c (m) and rotational inertia I_C (kg m²) (RBDA Eq. 2.63).

    I_C (3 x 3, or a number if it is the same about all axes) is about the centre of mass. Raises ValueError if no
    physical body has these parameters: m must not be negative, I_C must be symmetric, without negative principal
    moments, each at most the sum of the other two.
    """
    m, c, I_C = mass(m, "m"), vector(c, 3, "c"), rotational_inertia(I_C, "I_C")
    C = skew(c)
    return blocks([[I_C + m * C @ C.T, m * C],
                   [m * C.T, m]])


def I_to_mcI(I):
    """Mass, centre of mass and rotational inertia about it, the inverse of `mcI`: returns (m, c, I_C).

    Raises ValueError if I is not the inertia of a rigid body with mass.
    """
    I = rigid_body_inertia(I, "I")
    m = I[5, 5]
    if m == 0:
        raise ValueError("I has mass 0, so that it has no centre of mass.")
    C = I[:3, 3:] / m
    return m, unskew(C), I[:3, :3] - m * C @ C.T


def transform_inertia(X, I):
    """Inertia in B coordinates from inertia in A coordinates: X* I X⁻¹ with X = ᴮX_A (RBDA Eq. 2.66)."""
    I = matrix(I, (6, 6), "I")
    X_star = force_transform(X)
    return X_star @ I @ X_star.T


def inertia_rate(I, v):
    """Rate of change of the inertia of a body that moves with velocity v: v×* I - I v× (RBDA Eq. 2.65)."""
    I, v = matrix(I, (6, 6), "I"), vector(v, 6, "v")
    return crf(v) @ I - I @ crm(v)


def momentum(I, v):
    """Spatial momentum h = I v, a force vector [h_O; m v_C] (RBDA Eqs 2.60, 2.61)."""
    I, v = matrix(I, (6, 6), "I"), vector(v, 6, "v")
    return I @ v


def kinetic_energy(I, v):
    """Kinetic energy (J) of a rigid body, ½ v·I v (RBDA Eq. 2.67)."""
    I, v = matrix(I, (6, 6), "I"), vector(v, 6, "v")
    return v @ I @ v / 2


def bias_force(I, v):
    """The force p = v×* I v that keeps the spatial acceleration of a moving body at zero (RBDA Eq. 2.69)."""
    I, v = matrix(I, (6, 6), "I"), vector(v, 6, "v")
    return crf(v) @ I @ v


def equation_of_motion(I, v, a):
    """The net force f = I a + v×* I v on a rigid body with velocity v and spatial acceleration a (RBDA Eq. 2.68)."""
    I, v, a = matrix(I, (6, 6), "I"), vector(v, 6, "v"), vector(a, 6, "a")
    return I @ a + crf(v) @ I @ v


def inverse_inertia(m, c, I_C):
    """The inverse of mcI(m, c, I_C), which maps force to acceleration (RBDA Eq. 2.74).

    Raises ValueError where there is no inverse: a massless body, or one (a point, a thin rod) that some couple turns
    without resistance.
    """
    m, c, I_C = mass(m, "m"), vector(c, 3, "c"), rotational_inertia(I_C, "I_C")
    if m == 0:
        raise ValueError("m is 0; the inertia of a massless body has no inverse. Give it a mass.")
    J, C = inverse_3x3(I_C, "I_C"), skew(c)
    return blocks([[J, J @ C.T],
                   [C @ J, eye(3, m) / m + C @ J @ C.T]])
