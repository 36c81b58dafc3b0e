"""Loop-closing joints: how far they are open, what they resist, how they push, whatever their type (RBDA 8.3, 8.6).

A loop joint has no position variables in q: where its two frames stand follows from the bodies that it connects. All is
found from X = X_s X_p⁻¹, the transform from its frame F_p on the predecessor to its frame F_s on the successor, and is
in F_s coordinates.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, force_transform, inverse_transform, rot, skew
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_joints import (
    Cylindrical,
    Euler,
    Fixed,
    FreeMotion,
    Helical,
    Joint,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdlib.numbers.linear import settle, solve_linear
from rbdlib.numbers.orientation import euler_angles_from_rotation, euler_parameters_from_rotation
from rbdlib.numbers.pivots import first_largest, values_of
from rbdlib.numbers.scalars import as_floats, eye, number, sqrt, vector, zeros
from rbdlib.numbers.validation import transform


class LoopJointState(namedtuple("LoopJointState", "delta T sigma c_J")):
    """One loop joint in F_s coordinates; n_c = 6 - nv.

    delta (n_c): position error Tᵀ d.  T (6 x n_c): constraint force subspace.  sigma (6): velocity that the joint has
    by itself, if it depends on time.  c_J (6): S-ring qd + sigma-ring; what lies along the joint's freedoms is left out
    where they do not change.
    """


def loop_jcalc(joint, X, v_J=None, t=0.0):
    """The error, the constraint forces and the acceleration terms of a loop joint from its transform (RBDA Eq. 8.23).

    X (6 x 6): transform from F_p to F_s; v_J (6): velocity of F_s relative to F_p in F_s coordinates, zero if left out;
    t: time (s). Returns a `LoopJointState`. T is that of the joint (Table 4.1), except that its columns are orthonormal
    where the axis is not x, y or z, and of unit length where S depends on the position. For the joints of Table 8.1,
    and planar, Euler and free joints, all is explicit; for others the position that comes nearest to X is sought, which
    takes numbers: ValueError for symbols.
    """
    if not isinstance(joint, Joint):
        raise TypeError(f"joint is {joint!r}; give a joint such as Revolute('z').")
    X, t = transform(X, "X"), number(t, "t")
    v_J = zeros(6, X) if v_J is None else vector(v_J, 6, "v_J")
    if isinstance(joint, Reversed):
        X_inverse = inverse_transform(X)
        state = loop_jcalc(joint.joint, X_inverse, -X_inverse @ v_J, t)
        return LoopJointState(state.delta, -force_transform(X) @ state.T, -X @ state.sigma, -X @ state.c_J)
    if type(joint) in POSITION_ERROR:
        T, d = _by_table(joint, X)
        return LoopJointState(T.T @ d, T, zeros(6, X), zeros(6, X))                     # (8.27)
    q, d = nearest_position(joint, X, t)
    S, sigma, T = joint.motion_subspace(q, t), joint.bias_velocity(q, t), joint.constraint_subspace(q, t)
    if not isinstance(joint, Helical):
        T = T / np.array([sqrt(column @ column) for column in T.T])
    try:
        qd = solve_linear(S.T @ S, S.T @ (v_J - sigma)) if joint.nv else zeros(0, X)
    except ValueError:
        raise ValueError(f"The loop joint {joint} is in a singular position, where its velocity variables do not "
                         "describe all its motions. Choose another q or another kind of joint.") from None
    return LoopJointState(T.T @ d, T, sigma, joint.bias_acceleration(q, qd, t))


def active_forces(joint, X, t=0.0):
    """T_a (6 x nv), with T_aᵀ S = 1: the forces along which motors at the joint push (RBDA Eq. 3.34, Table 8.3).

    X, t: as for `loop_jcalc`. Raises ValueError in a singular position of the joint.
    """
    constant = type(joint) in POSITION_ERROR and not isinstance(joint, Euler)
    q = joint.neutral() if constant else nearest_position(joint, X, t)[0]
    return active_force_subspace(joint.motion_subspace(q, t)) if joint.nv else zeros((6, 0), X)


# Table 8.1

#: d (6) from the elements of X, counted from 1, for a joint with the axis z; 0 stands along its freedoms. The table
#: prints δ, which leaves these out. What it has no column for is found as its columns are (Example 8.1).
POSITION_ERROR = {
    Fixed: lambda X: [(X[2, 3] - X[3, 2]) / 2, (X[3, 1] - X[1, 3]) / 2, (X[1, 2] - X[2, 1]) / 2,
                      (X[5, 3] - X[6, 2]) / 2, (X[6, 1] - X[4, 3]) / 2, (X[4, 2] - X[5, 1]) / 2],
    Revolute: lambda X: [X[2, 3], -X[1, 3], 0, X[5, 3], -X[4, 3], X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2]],
    Prismatic: lambda X: [(X[2, 3] - X[3, 2]) / 2, (X[3, 1] - X[1, 3]) / 2, (X[1, 2] - X[2, 1]) / 2,
                          X[5, 3], -X[4, 3], 0],
    Cylindrical: lambda X: [X[2, 3], -X[1, 3], 0, X[5, 3], -X[4, 3], 0],
    Spherical: lambda X: [0, 0, 0, X[5, 1] * X[3, 1] + X[5, 2] * X[3, 2] + X[5, 3] * X[3, 3],
                          X[6, 1] * X[1, 1] + X[6, 2] * X[1, 2] + X[6, 3] * X[1, 3],
                          X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2] + X[4, 3] * X[2, 3]],
    Planar: lambda X: [X[2, 3], -X[1, 3], 0, 0, 0, -(X[1, 2] * X[4, 1] + X[2, 2] * X[5, 1] + X[3, 2] * X[6, 1])],
    FreeMotion: lambda X: [0] * 6,
}
POSITION_ERROR[Euler] = POSITION_ERROR[Spherical]


def _by_table(joint, X):
    """T and d of a joint in `POSITION_ERROR`, turned from the axis z to that of the joint."""
    axis, T = getattr(joint, "axis", "z"), joint.constraint_subspace(joint.neutral())
    E = eye(3) if axis == "z" else _axes_about(joint.direction)
    turned, d = rot(E) @ X @ rot(E).T, zeros(6, X)
    d[:] = POSITION_ERROR[type(joint)]({(i + 1, j + 1): turned[i, j] for i in range(6) for j in range(6)})
    if not isinstance(axis, str):
        T = rot(E).T @ type(joint)("z").constraint_subspace(joint.neutral())
    return T, rot(E).T @ d


def _axes_about(a):
    """A rotation E to axes whose z is the unit vector a; for the axes x and y a cyclic change of names."""
    sizes = as_floats(a)
    least = 1 if sizes is None else (first_largest(np.abs(sizes)) + 1) % 3
    x = eye(3, a)[least] - a[least] * a
    x = x / sqrt(x @ x)
    return np.array([x, skew(a) @ x, a])


# Other joints: X = X_err X_J (RBDA Eq. 8.25)


def nearest_position(joint, X, t=0.0):
    """The variables q (nq) at which the joint's transform comes nearest to X, and the error d (6) that is left.

    X = X_err X_J(q), and Sᵀ d = 0; for numbers only. Of several positions the joint's rule takes one: an Euler joint
    has its second angle between -90 and 90 degrees, or between 0 and 180 where the first and third axes have the same
    name; a screw or rack counts whole turns by the way that it has moved along; of a joint without a formula it is the
    one that Newton's steps reach from the neutral position, and else from places drawn in a fixed order. Raises
    ValueError for symbols, and where no position comes near.
    """
    if isinstance(joint, Reversed):
        q = nearest_position(joint.joint, inverse_transform(X), t)[0]
    else:
        at, now = values_of(X), values_of([t])
        if at is None or now is None or values_of(joint.transform(joint.neutral(), t)) is None:
            raise ValueError(f"The loop joint {joint} can be solved for numbers only. Give numbers instead of symbols, "
                             "or close the loop with a joint of RBDA Table 8.1.")
        q = settle(_places(joint, at), lambda q: _step(joint, at, q, now[0], damping=1e-12, farthest=0.5),
                   lambda q: np.abs(at @ inverse_transform(joint.transform(q, now[0])) - eye(6)).max())
        if q is None:
            raise ValueError(f"The loop joint {joint} is open so far that no position of it is the nearest. Close the "
                             "loop first, such as with close_loops.")
        for _ in range(2 * (X.dtype == object)):        # Newton's steps double the digits: now they are those of X
            q = _step(joint, X, q, t)[0]
    return q, _small_displacement(X @ inverse_transform(joint.transform(q, t)))


def _places(joint, X):
    """Where the search for a position begins: where the joint's own formula says, or else in several places."""
    if type(joint) in POSITION:
        yield joint.normalise(np.array(POSITION[type(joint)](joint, *X_to_Er(X)), dtype=float))
        return
    rng = np.random.default_rng(0)
    yield joint.neutral()
    for reach in (1, 1, 1, 1, 3, 3, 6, 6):
        yield joint.normalise(reach * joint.random_position(rng))


def _angle(E, a):
    """The angle (rad) of the turn about the unit vector a that comes nearest to E."""
    return np.arctan2(a @ [E[1, 2] - E[2, 1], E[2, 0] - E[0, 2], E[0, 1] - E[1, 0]], np.trace(E) - a @ E @ a)


def _of_origin(joint, E, r):
    return r if joint.translation == "F_p" else E @ r


#: The position variables of a joint from its E and r, exact where the joint allows them.
POSITION = {
    Fixed: lambda joint, E, r: [],
    Revolute: lambda joint, E, r: [_angle(E, joint.direction)],
    Prismatic: lambda joint, E, r: [joint.direction @ r],
    Cylindrical: lambda joint, E, r: [_angle(E, joint.direction), joint.direction @ r],
    Helical: lambda joint, E, r: [joint.direction @ r / joint.pitch if joint.pitch else _angle(E, joint.direction)],
    RackAndPinion: lambda joint, E, r: [r[0] / joint.radius if joint.radius else _angle(E, np.array([0, 0, 1]))],
    Planar: lambda joint, E, r: [_angle(E, np.array([0, 0, 1])), *_of_origin(joint, E, r)[:2]],
    Spherical: lambda joint, E, r: euler_parameters_from_rotation(E),
    FreeMotion: lambda joint, E, r: [*euler_parameters_from_rotation(E), *_of_origin(joint, E, r)],
    Euler: lambda joint, E, r: euler_angles_from_rotation(E, joint.sequence),
    Universal: lambda joint, E, r: euler_angles_from_rotation(E, joint.sequence),
}


def _step(joint, X, q, t, damping=0, farthest=None):
    """One of Newton's steps towards X, damped and no farther than so many rad: the new position, and the step."""
    if not joint.nv:
        return q, zeros(0)
    S, d = joint.motion_subspace(q, t), _small_displacement(X @ inverse_transform(joint.transform(q, t)))
    step = solve_linear(S.T @ S + damping * eye(joint.nv, S), S.T @ d)
    turn = S[:3] @ step
    if farthest and turn @ turn > farthest**2:
        step = step * farthest / sqrt(turn @ turn)
    return joint.normalise(joint.integrate(q, step, 1)), step


def _small_displacement(X):
    """d, of which 1 - d× is nearly X (RBDA Eq. 8.26)."""
    B = X[3:, :3] @ X[:3, :3].T
    return np.array([X[1, 2] - X[2, 1], X[2, 0] - X[0, 2], X[0, 1] - X[1, 0],
                     B[1, 2] - B[2, 1], B[2, 0] - B[0, 2], B[0, 1] - B[1, 0]]) / 2
