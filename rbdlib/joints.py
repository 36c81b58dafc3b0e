"""Joints: how a successor body can move relative to its predecessor (RBDA 4.4, Table 4.1).

Each joint class says how many variables it has and what `jcalc` returns for them. Frame F_p sits on the predecessor,
F_s on the successor; they coincide when the joint variables are zero. S, v_J and c_J are in F_s coordinates.
"""

from dataclasses import dataclass

import numpy as np

from rbdlib.scalars import as_floats, blocks, cos, eye, sin, vector, zeros
from rbdlib.spatial import dyad, rotx, roty, rotz, skew, xlt


def jcalc(joint, q, qd):
    """Joint transform, motion subspace, joint velocity and velocity-product acceleration (RBDA 4.4).

    q, qd: the joint's own variables, arrays of length joint.nq and joint.nv (a number will do for one variable).
    Returns X_J (6 x 6, from F_p to F_s), S (6 x nv), v_J = S qd (6) and c_J = S-ring qd (6), in F_s coordinates.
    """
    q = vector(np.atleast_1d(q), joint.nq, "q")
    qd = vector(np.atleast_1d(qd), joint.nv, "qd")
    X_J, S = joint.transform(q), joint.motion_subspace(q)
    return X_J, S, S @ qd if joint.nv else zeros(6, q, qd), zeros(6, q, qd)


@dataclass(frozen=True)
class _OneAxisJoint:
    """A joint with one variable and an axis that stands still in both bodies: "x", "y", "z" or a 3-vector."""

    axis: str | tuple = "z"
    nq = nv = 1

    def __post_init__(self):
        object.__setattr__(self, "axis", _named_axis(self.axis))

    @property
    def direction(self):
        """Unit 3-vector along the axis, in F_p and F_s coordinates alike."""
        return np.array([int(self.axis == name) for name in "xyz"] if isinstance(self.axis, str) else self.axis)

    def __str__(self):
        axis = self.axis if isinstance(self.axis, str) else "(" + ", ".join(f"{x:.4g}" for x in self.axis) + ")"
        return f"{type(self).__name__.lower()} {axis}"


class Revolute(_OneAxisJoint):
    """A hinge: q is the angle (rad) about the axis through the origins of F_p and F_s (RBDA Table 4.1)."""

    def transform(self, q):
        """X_J (6 x 6) for the angle q[0]."""
        if isinstance(self.axis, str):
            return {"x": rotx, "y": roty, "z": rotz}[self.axis](q[0])
        a, s, c = self.direction, sin(q[0]), cos(q[0])
        E = c * eye(3, q) - s * skew(a) + (1 - c) * dyad(a, a)
        return blocks([[E, 0],
                       [0, E]])

    def motion_subspace(self, q):
        """S (6 x 1), a unit rotation about the axis."""
        S = zeros((6, 1), q)
        S[:3, 0] = self.direction
        return S


class Prismatic(_OneAxisJoint):
    """A slider: q is the displacement (m) along the axis (RBDA Table 4.1)."""

    def transform(self, q):
        """X_J (6 x 6) for the displacement q[0]."""
        return xlt(q[0] * self.direction)

    def motion_subspace(self, q):
        """S (6 x 1), a unit translation along the axis."""
        S = zeros((6, 1), q)
        S[3:, 0] = self.direction
        return S


@dataclass(frozen=True)
class Fixed:
    """A joint without freedom: the two bodies move as one (RBDA 3.5, n_f = 0)."""

    nq = nv = 0

    def transform(self, q):
        """X_J (6 x 6), the identity."""
        return eye(6, q)

    def motion_subspace(self, q):
        """S (6 x 0)."""
        return zeros((6, 0), q)

    def __str__(self):
        return "fixed"


def _named_axis(axis):
    """The axis as "x", "y", "z" or a tuple of three numbers making a unit vector."""
    if isinstance(axis, str):
        if axis in ("x", "y", "z"):
            return axis
        raise ValueError(f"axis is {axis!r}; choose 'x', 'y', 'z' or give a 3-vector.")
    a = vector(axis, 3, "axis")
    values = as_floats(a)
    if values is not None:
        length = np.linalg.norm(values)
        if length == 0:
            raise ValueError("axis is the zero vector; it must have a direction.")
        a = values if abs(length - 1) < 1e-15 else values / length     # normalizing twice could change the last digit
        for name, unit in zip("xyz", np.eye(3), strict=True):
            if np.array_equal(a, unit):
                return name
    return tuple(a.tolist())
