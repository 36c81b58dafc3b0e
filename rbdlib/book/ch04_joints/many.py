"""Joints with several freedoms: planar, spherical, Euler angles, universal, free motion (RBDA 4.5, Table 4.1)."""

from dataclasses import dataclass

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, motion_exp, rot, rotz, rz, skew, xlt
from rbdlib.book.ch04_joints.base import Joint, columns
from rbdlib.book.ch04_orientation import (
    euler_parameter_rates,
    rotation_from_euler_angles,
    rotation_from_euler_parameters,
    turned_euler_parameters,
    turning_axes,
    turning_sequence,
)
from rbdlib.numbers.scalars import as_floats, eye, sqrt, zeros


@dataclass(frozen=True)
class Planar(Joint):
    """Free motion in the x-y plane: q = (angle, x, y), qd = (omega, v_x, v_y) in F_s axes (RBDA Table 4.1, Ex. 4.5).

    qd is the planar velocity of the successor, so that S is constant; it is not the derivative of q (`qdot` is).
    translation "F_p" (default): x, y are the position of F_s's origin in F_p axes.  "F_s": in F_s axes (Table 4.1).
    """

    translation: str = "F_p"
    nq = nv = 3

    def __post_init__(self):
        _require_translation(self.translation)

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

    def neutral(self):
        return np.array([1.0, 0, 0, 0])

    def normalise(self, q):
        return q / sqrt(q @ q)

    def random_position(self, rng):
        p = rng.normal(size=4)
        return p / np.linalg.norm(p)


@dataclass(frozen=True)
class FreeMotion(Joint):
    """No constraint at all: q = (p0..p3, x, y, z), qd = the spatial velocity in F_s coordinates (RBDA Table 4.1).

    p0..p3: Euler parameters. translation "F_p" (default): x, y, z are the position of F_s's origin in F_p axes.
    "F_s": in F_s axes, as in Table 4.1. Either way qd is not the derivative of q (see `qdot`).
    """

    translation: str = "F_p"
    nq, nv = 7, 6

    def __post_init__(self):
        _require_translation(self.translation)

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

    def neutral(self):
        return np.array([1.0, 0, 0, 0, 0, 0, 0])

    def normalise(self, q):
        return np.concatenate([q[:4] / sqrt(q[:4] @ q[:4]), q[4:]])

    def random_position(self, rng):
        return np.concatenate([Spherical().random_position(rng), rng.normal(size=3)])

    def __str__(self):
        return "free motion"


@dataclass(frozen=True)
class Euler(Joint):
    """A ball and socket described by turns about successive axes of the moving frame (RBDA 4.5, Eqs 4.7-4.9).

    q: the angles (rad) in the order of turning; qd: their rates. sequence: one of the `EULER_SEQUENCES`; "zyx" is
    yaw, pitch, roll. Singular where the first and third axes align.
    """

    sequence: str = "zyx"
    letters = 3

    def __post_init__(self):
        if len(turning_sequence(self.sequence)) != self.letters:
            raise ValueError(f"sequence is {self.sequence!r}; {type(self).__name__} needs {self.letters} axes.")

    @property
    def nq(self):
        return self.letters

    nv = nq

    def transform(self, q, t=0.0):
        return rot(rotation_from_euler_angles(q, self.sequence))

    def motion_subspace(self, q, t=0.0):
        return columns(q, *([*axis, 0, 0, 0] for axis in turning_axes(q, self.sequence).T))

    def constraint_subspace(self, q, t=0.0):
        return eye(6, q)[:, 3:] if self.letters == 3 else super().constraint_subspace(q, t)

    def motion_subspace_rate(self, q, qd, t=0.0):
        axes = turning_axes(q, self.sequence).T
        S_ring = zeros((6, self.nv), q, qd)
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
    letters = 2


def _require_translation(translation):
    if translation not in ("F_p", "F_s"):
        raise ValueError(f"translation is {translation!r}; choose 'F_p' (the default) or 'F_s' (RBDA Table 4.1).")
