"""Joints with an axis, from the hinge to the rack and pinion; and the fixed joint (RBDA Table 4.1, Example 4.6)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbdlib.book.ch02_spatial import dyad, rotx, roty, rotz, skew, xlt
from rbdlib.book.ch04_joints.base import Joint, columns
from rbdlib.numbers.scalars import as_floats, blocks, cos, eye, number, sin, sqrt, vector


@dataclass(frozen=True)
class _AxisJoint(Joint):
    """A joint with an axis that stands still in both bodies: "x", "y", "z" or a 3-vector.

    A vector of numbers may have any length; one of symbols must be a unit vector.
    """

    axis: str | tuple | list | np.ndarray = "z"

    def __post_init__(self):
        object.__setattr__(self, "axis", _named_axis(self.axis))

    @property
    def direction(self):
        """Unit 3-vector along the axis, in F_p and F_s coordinates alike."""
        return np.array([int(self.axis == name) for name in "xyz"] if isinstance(self.axis, str) else self.axis)

    @cached_property
    def _turn(self):
        """The motion vector (6) of a turn about the axis."""
        return np.array([*self.direction.tolist(), 0, 0, 0])

    @cached_property
    def _slide(self):
        """The motion vector (6) of a slide along the axis."""
        return np.array([0, 0, 0, *self.direction.tolist()])

    def _turned(self, angle):
        """Plücker transform to a frame turned by the angle (rad) about the axis."""
        if isinstance(self.axis, str):
            return {"x": rotx, "y": roty, "z": rotz}[self.axis](angle)
        a, s, c = self.direction, sin(angle), cos(angle)
        E = c * eye(3, [angle]) - s * skew(a) + (1 - c) * dyad(a, a)
        return blocks([[E, 0],
                       [0, E]])

    def __str__(self):
        values = None if isinstance(self.axis, str) else as_floats(self.axis)
        axis = self.axis if values is None else "(" + ", ".join(f"{x:.4g}" for x in values) + ")"
        return f"{type(self).__name__.lower()} {axis}"


class Revolute(_AxisJoint):
    """A hinge: q is the angle (rad) about the axis through the common origin (RBDA Table 4.1)."""

    nq = nv = 1

    def transform(self, q, t=0.0):
        return self._turned(q[0])

    def motion_subspace(self, q, t=0.0):
        return columns(q, self._turn)


class Prismatic(_AxisJoint):
    """A slider: q is the displacement (m) along the axis (RBDA Table 4.1)."""

    nq = nv = 1

    def transform(self, q, t=0.0):
        return xlt(q[0] * self.direction)

    def motion_subspace(self, q, t=0.0):
        return columns(q, self._slide)


@dataclass(frozen=True)
class Helical(_AxisJoint):
    """A screw: q is the angle (rad); the displacement along the axis is pitch (m/rad) times q (RBDA Table 4.1)."""

    pitch: float = 0.0
    nq = nv = 1

    def __init__(self, pitch, axis: str | tuple | list | np.ndarray = "z"):
        object.__setattr__(self, "pitch", number(pitch, "pitch"))
        object.__setattr__(self, "axis", _named_axis(axis))

    def transform(self, q, t=0.0):
        return self._turned(q[0]) @ xlt(self.pitch * q[0] * self.direction)

    def motion_subspace(self, q, t=0.0):
        return columns([*q, self.pitch], [*self.direction.tolist(), *(self.pitch * self.direction).tolist()])


class Cylindrical(_AxisJoint):
    """A shaft that turns and slides: q = (angle, displacement along the axis) (RBDA Table 4.1)."""

    nq = nv = 2

    def transform(self, q, t=0.0):
        return self._turned(q[0]) @ xlt(q[1] * self.direction)

    def motion_subspace(self, q, t=0.0):
        return columns(q, self._turn, self._slide)


@dataclass(frozen=True)
class RackAndPinion(Joint):
    """A pinion (the successor) that rolls on a rack along x: q is its angle (rad) about z (RBDA Example 4.6).

    radius (m): the centre moves by radius times q along x of F_p. Radius 0 gives a revolute joint.
    """

    radius: float
    nq = nv = 1

    def __post_init__(self):
        object.__setattr__(self, "radius", number(self.radius, "radius"))

    def transform(self, q, t=0.0):
        return rotz(q[0]) @ xlt([self.radius * q[0], 0, 0])

    def motion_subspace(self, q, t=0.0):
        r, s, c = self.radius, sin(q[0]), cos(q[0])
        return columns([*q, r], [0, 0, 1, r * c, -r * s, 0])

    def motion_subspace_rate(self, q, qd, t=0.0):
        r, s, c = self.radius, sin(q[0]), cos(q[0])
        return columns([*q, *qd, r], [0, 0, 0, -r * s * qd[0], -r * c * qd[0], 0])

    def __str__(self):
        return f"rack and pinion, radius {self.radius}"


@dataclass(frozen=True)
class Fixed(Joint):
    """A joint without freedom: the two bodies move as one (RBDA 3.5, n_f = 0)."""


def _named_axis(axis):
    """The axis as "x", "y", "z" or a tuple of three numbers making a unit vector."""
    if isinstance(axis, str):
        if axis in ("x", "y", "z"):
            return axis
        raise ValueError(f"axis is {axis!r}; choose 'x', 'y', 'z' or give a 3-vector.")
    a = vector(axis, 3, "axis")
    values = as_floats(a)
    if values is not None:
        length = sqrt(a @ a)
        if length == 0:
            raise ValueError("axis is the zero vector; it must have a direction.")
        a = a if abs(length - 1) < 1e-15 else a / length     # normalizing twice could change the last digit
        for name, unit in zip("xyz", np.eye(3), strict=True):
            if np.array_equal(a, unit):
                return name
    return tuple(a.tolist())
