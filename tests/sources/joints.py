"""Joints of every type, and mechanisms made of them, by 3D geometry: the independent side of tests about joints. A pose
is a pair (R, p) as in `tests.sources.helpers`. The functions accept complex variables, except for joints with Euler
parameters."""

import numpy as np

from rbdlib import Model
from rbdlib.book import ch04_joints
from rbdlib.book.ch02_spatial import mcI, plucker
from rbdlib.numbers.validation import EULER_SEQUENCES
from tests.sources.helpers import cross, motion_coordinates, random_mass_properties, random_pose, slope, turn

HERE = (np.eye(3), np.zeros(3))
UNITS = dict(zip("xyz", np.eye(3), strict=True))
AXES = ["x", "y", "z", (1, 2, 3)]

#: One joint of each type and option of the library.
JOINTS = [
    *(kind(axis) for kind in (ch04_joints.Revolute, ch04_joints.Prismatic, ch04_joints.Cylindrical) for axis in AXES),
    *(ch04_joints.Helical(0.3, axis) for axis in AXES), ch04_joints.Helical(-0.2),
    ch04_joints.RackAndPinion(0.3), ch04_joints.Fixed(),
    ch04_joints.Planar(), ch04_joints.Planar("F_s"), ch04_joints.Spherical(), ch04_joints.FreeMotion(),
    ch04_joints.FreeMotion("F_s"), *(ch04_joints.Universal(pair) for pair in ("xy", "zx")),
    *(ch04_joints.Euler(sequence) for sequence in EULER_SEQUENCES)]


def joint_pose(joint, q):
    """Where F_s stands in F_p, (R, p), from the words that describe the joint."""
    kind, z = type(joint), UNITS["z"]
    if kind in (ch04_joints.Revolute, ch04_joints.Prismatic, ch04_joints.Cylindrical, ch04_joints.Helical):
        axis = np.array(UNITS.get(joint.axis, joint.axis), dtype=float)
        axis = axis / np.linalg.norm(axis)
        angle, shift = {ch04_joints.Revolute: lambda q: (q, 0), ch04_joints.Prismatic: lambda q: (0, q),
                        ch04_joints.Cylindrical: lambda q, d: (q, d),
                        ch04_joints.Helical: lambda q: (q, joint.pitch * q)}[kind](*q)
        return turn(axis, angle), shift * axis
    if kind is ch04_joints.Fixed:
        return HERE
    if kind is ch04_joints.RackAndPinion:
        return turn(z, q[0]), joint.radius * q[0] * UNITS["x"]
    if kind in (ch04_joints.Euler, ch04_joints.Universal):
        R = np.eye(3)
        for letter, angle in zip(joint.sequence, q, strict=True):
            R = R @ turn(UNITS[letter], angle)
        return R, np.zeros(3)
    R = turn(z, q[0]) if kind is ch04_joints.Planar else turned_by(q[:4])
    shift = {ch04_joints.Planar: lambda q: np.array([*q[1:], 0]), ch04_joints.Spherical: lambda q: np.zeros(3),
             ch04_joints.FreeMotion: lambda q: q[4:]}[kind](q)
    return R, R @ shift if getattr(joint, "translation", "F_p") == "F_s" else shift


def turned_by(p):
    """The rotation of Euler parameters p, from what they mean: cos(angle/2), and sin(angle/2) times the axis."""
    length = np.linalg.norm(p[1:])
    return turn(p[1:] / length, 2 * np.arctan2(length, p[0])) if length else np.eye(3)


def compose(outer, inner):
    """The pose in the world of what has the pose ``inner`` in a frame with the pose ``outer``."""
    (R, p), (R_in, p_in) = outer, inner
    return R @ R_in, p + R @ p_in


def motion_of(pose, t=0.0):
    """The world velocity [omega; v_O] of a moving pose by real differences, to about 1e-10; see `helpers.velocity`."""
    R, p = pose(t)
    W = slope(lambda t: pose(t)[0], t) @ R.T
    omega = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
    return np.concatenate([omega, slope(lambda t: pose(t)[1], t) - cross(omega, p)])


def joint_velocity(joint, q, qdot):
    """The velocity of F_s relative to F_p, in F_s coordinates, when the position variables change at the rates qdot."""
    return motion_coordinates(motion_of(lambda t: joint_pose(joint, q + t * qdot)), joint_pose(joint, q))


class Mechanism:
    """A random tree of the given joints: its poses by geometry, and the same tree as a Model of rbdlib."""
    def __init__(self, rng, joints, parent=None, gravity=None):
        self.joints = list(joints)
        n = len(self.joints)
        self.parent = [int(rng.integers(0, i)) for i in range(1, n + 1)] if parent is None else list(parent)
        self.places = [random_pose(rng) for _ in self.joints]
        self.bodies = [random_mass_properties(rng) for _ in self.joints]
        self.gravity = rng.normal(size=3) if gravity is None else gravity

    def model(self):
        return Model(self.parent, self.joints, [plucker(R.T, p) for R, p in self.places],
                     [mcI(*body) for body in self.bodies], self.gravity)

    def world_poses(self, q):
        """The poses of the bodies at q, the base in place 0."""
        poses, start = [HERE], 0
        for parent, joint, place in zip(self.parent, self.joints, self.places, strict=True):
            poses.append(compose(compose(poses[parent], place), joint_pose(joint, q[start : start + joint.nq])))
            start += joint.nq
        return poses
