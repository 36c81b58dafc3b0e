"""The joints of Table 4.1, of Example 4.6 and by Euler angles (RBDA 4.4, 4.5): X_J, S, and how q follows from qd.

`rbdlib.book.ch04_jcalc` says what the methods of a joint return; Table 4.1 gives X_J as rot(E) xlt(r).
A joint made of the reader's own functions is a `rbdlib.methods.custom_joint.Custom`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, dyad, motion_exp, rot, rotx, roty, rotz, rz, skew, xlt
from rbdlib.book.ch04_jcalc import Joint, Reversed, jcalc
from rbdlib.book.ch04_orientation import (
    euler_parameter_rates,
    rotation_from_euler_angles,
    rotation_from_euler_parameters,
    turned_euler_parameters,
    turning_axes,
)
from rbdlib.numbers.scalars import as_floats, blocks, cos, eye, number, sin, zeros
from rbdlib.numbers.validation import translation_axes, turning_sequence, unit_axis

__all__ = ["Cylindrical", "Euler", "Fixed", "FreeMotion", "Helical", "Joint", "Planar", "Prismatic", "RackAndPinion",
           "Reversed", "Revolute", "Spherical", "Universal", "jcalc"]


def columns(like, *given):
    """A matrix with the given columns that holds numbers of the kinds found in ``like`` too."""
    S = zeros((6, len(given)), like, *given)
    for j, column in enumerate(given):
        S[:, j] = column
    return S


# Joints with an axis (RBDA Table 4.1)


@dataclass(frozen=True)
class _AxisJoint(Joint):
    """A joint with an axis that stands still in both bodies: "x", "y", "z" or a 3-vector.

    A vector of numbers may have any length; one of symbols must be a unit vector.
    """

    axis: str | tuple | list | np.ndarray = "z"

    def __post_init__(self):
        object.__setattr__(self, "axis", unit_axis(self.axis))

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
        object.__setattr__(self, "axis", unit_axis(axis))

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


# Joints with several freedoms (RBDA Table 4.1, 4.5)


@dataclass(frozen=True)
class Planar(Joint):
    """Free motion in the x-y plane: q = (angle, x, y), qd = (omega, v_x, v_y) in F_s axes (RBDA Table 4.1, Ex. 4.5).

    qd is the planar velocity of the successor, so that S is constant; it is not the derivative of q (`qdot` is).
    translation "F_p" (default): x, y are the position of F_s's origin in F_p axes.  "F_s": in F_s axes (Table 4.1).
    """

    translation: str = "F_p"
    nq = nv = 3

    def __post_init__(self):
        translation_axes(self.translation)

    def transform(self, q, t=0.0):
        X, r = rotz(q[0]), xlt([q[1], q[2], 0])
        return X @ r if self.translation == "F_p" else r @ X

    def motion_subspace(self, q, t=0.0):
        return eye(6, q)[:, 2:5]

    def qdot(self, q, qd):
        omega, v = qd[0], qd[1:]
        if self.translation == "F_p":
            return np.array([omega, *(rz(q[0]).T[:2, :2] @ v)])
        return np.array([omega, v[0] + omega * q[2], v[1] - omega * q[1]])

    def integrate(self, q, qd, dt):
        _, r = X_to_Er(motion_exp(dt * np.array([0, 0, *qd, 0])) @ self.transform(q))
        angle = q[0] + dt * qd[0]
        return np.array([angle, *(r if self.translation == "F_p" else rz(angle) @ r)[:2]])


@dataclass(frozen=True)
class Spherical(Joint):
    """A ball and socket: q = Euler parameters (p0..p3), p0 the scalar; qd = omega in F_s axes (RBDA 4.5, Table 4.1)."""

    nq, nv = 4, 3

    def transform(self, q, t=0.0):
        return rot(rotation_from_euler_parameters(q, "q"))

    def motion_subspace(self, q, t=0.0):
        return eye(6, q)[:, :3]

    def qdot(self, q, qd):
        return euler_parameter_rates(q, qd)

    def integrate(self, q, qd, dt):
        return turned_euler_parameters(q, dt * qd)


@dataclass(frozen=True)
class FreeMotion(Joint):
    """No constraint at all: q = (p0..p3, x, y, z), qd = the spatial velocity in F_s coordinates (RBDA Table 4.1).

    p0..p3: Euler parameters. translation "F_p" (default): x, y, z are the position of F_s's origin in F_p axes.
    "F_s": in F_s axes, as in Table 4.1. Either way qd is not the derivative of q (see `qdot`).
    """

    translation: str = "F_p"
    nq, nv = 7, 6

    def __post_init__(self):
        translation_axes(self.translation)

    def transform(self, q, t=0.0):
        X, r = rot(rotation_from_euler_parameters(q[:4], "q[:4]")), xlt(q[4:])
        return X @ r if self.translation == "F_p" else r @ X

    def motion_subspace(self, q, t=0.0):
        return eye(6, q)

    def qdot(self, q, qd):
        omega, v = qd[:3], qd[3:]
        if self.translation == "F_p":
            unit = q if as_floats(q) is None else self.normalise(q)     # an integrator may have left the unit sphere
            rd = rotation_from_euler_parameters(unit[:4]).T @ v
        else:
            rd = v - skew(omega) @ q[4:]
        return np.concatenate([euler_parameter_rates(q[:4], omega), rd])

    def integrate(self, q, qd, dt):
        p = turned_euler_parameters(q[:4], dt * qd[:3])
        _, r = X_to_Er(motion_exp(dt * qd) @ self.transform(q))
        return np.concatenate([p, r if self.translation == "F_p" else rotation_from_euler_parameters(p) @ r])

    def __str__(self):
        return "free motion"


@dataclass(frozen=True)
class Euler(Joint):
    """A ball and socket described by turns about successive axes of the moving frame (RBDA 4.5, Eqs 4.7-4.9).

    q: the angles (rad) in the order of turning; qd: their rates. sequence: three of x, y, z, no two consecutive ones
    alike; "zyx" is yaw, pitch, roll. Singular where the first and third axes align.
    """

    sequence: str = "zyx"
    nq = nv = 3

    def __post_init__(self):
        if len(turning_sequence(self.sequence)) != self.nv:
            raise ValueError(f"sequence is {self.sequence!r}; {type(self).__name__} needs {self.nv} axes.")

    def transform(self, q, t=0.0):
        return rot(rotation_from_euler_angles(q, self.sequence))

    def motion_subspace(self, q, t=0.0):
        return columns(q, *([*axis, 0, 0, 0] for axis in turning_axes(q, self.sequence).T))         # (4.8)

    def constraint_subspace(self, q, t=0.0):
        return eye(6, q)[:, 3:] if self.nv == 3 else super().constraint_subspace(q, t)

    def motion_subspace_rate(self, q, qd, t=0.0):
        axes = turning_axes(q, self.sequence).T
        S_ring = zeros((6, self.nv), q, qd)                                                         # (4.9)
        for k, earlier in enumerate(axes):
            for m in range(k + 1, len(axes)):
                S_ring[:3, k] = S_ring[:3, k] - qd[m] * (skew(axes[m]) @ earlier)
        return S_ring

    def __str__(self):
        return f"{type(self).__name__.lower()} {self.sequence}"


@dataclass(frozen=True)
class Universal(Euler):
    """A cross joint: a turn about x of F_p, then a turn about y of the turned frame (or another pair of axes)."""

    sequence: str = "xy"
    nq = nv = 2
