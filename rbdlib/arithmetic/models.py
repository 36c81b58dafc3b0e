"""A model whose quantities have types, on which the algorithms of the book run as they are (RBDA A.3-A.5)."""

from typing import Any

import numpy as np

from rbdlib.arithmetic.base import is_nothing
from rbdlib.arithmetic.factoring import compact
from rbdlib.arithmetic.inertias import rbi
from rbdlib.arithmetic.rotations import lt
from rbdlib.arithmetic.screws import scr, screws
from rbdlib.arithmetic.transforms import plx
from rbdlib.arithmetic.vectors import motions, mv
from rbdlib.book import ch04_joints as joints
from rbdlib.book.ch04_jcalc import SameVariables
from rbdlib.book.ch04_model import Model, require_model
from rbdlib.book.ch04_orientation import rotation_from_euler_parameters
from rbdlib.numbers.scalars import cos, sin, zeros


def typed(model):
    """The model with quantities of the types of this package: a `TypedModel`, with which any algorithm runs.

    The algorithms then do only those operations of 6 x 6 matrices that are not known beforehand to have no effect,
    joint transforms and X_tree stay products of axial screws where they are such, and mixing up motions and forces is
    an error. An algorithm that asks for elements, or uses plain arrays, goes on with plain arrays from there, at the
    cost of these. Results such as tau, H and qdd are arrays, as ever; vectors, transforms and inertias of bodies are
    typed, and their `array` is what they would be otherwise. Functions that go by the class of a joint, such as
    `rbdlib.methods.inverse_dynamics_variants.original_newton_euler`, need the model itself, `TypedModel.plain`. Raises
    TypeError if model is no Model.
    """
    return model if isinstance(require_model(model), TypedModel) else TypedModel(model)


class TypedModel(Model):
    """A `Model` whose X_tree, inertia, and the results of whose joints are typed; plain is the model it comes from."""

    plain: Any

    def __init__(self, plain):
        vars(self).update(
            vars(plain), plain=plain, joints=(None, *map(TypedJoint, plain.joints[1:])),
            X_tree=(None, *(compact(plain.X_tree[i], axis_of(plain.joints[i])) for i in plain.bodies)),
            inertia=(None, *(rbi.of(I[5, 5], np.array([I[2, 4], I[0, 5], I[1, 3]]), lt(I[:3, :3]))
                             for I in plain.inertia[1:])))

    def __reduce__(self):
        return TypedModel, (self.plain,)

    def _ends(self, i):
        return self.plain._ends(i)

    def replace(self, **changes):
        """A copy with some constructor arguments changed, as for a plain model; typed again."""
        return typed(self.plain.replace(**changes))

    def __eq__(self, other):
        return self.plain == other.plain if isinstance(other, TypedModel) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self):
        return str(self.plain)


def axis_of(joint):
    """0, 1 or 2 for a joint that turns about x, y or z first; 2 for all others."""
    return "xyz".index(joint.axis) if getattr(joint, "axis", None) in ("x", "y", "z") else 2


class TypedJoint(SameVariables):
    """A joint whose transform, motion subspace, velocity and acceleration are typed; joint is the one it comes from."""

    def __init__(self, joint):
        self.joint, self._screws = joint, SCREWS.get(type(joint))
        steady = (joints.Joint.motion_subspace_rate, joints.Joint.bias_acceleration)
        self._steady = (type(joint).motion_subspace_rate, type(joint).bias_acceleration) == steady

    def transform(self, q, t=0.0):
        """X_J, as axial screws where the joint turns about coordinate axes and slides along them."""
        if self._screws is not None and getattr(self.joint, "axis", "z") in ("x", "y", "z"):
            return self._screws(self.joint, q)
        X = self.joint.transform(q, t)                                  # rot(E) xlt(r), with -E r× as a block
        E, L = X[:3, :3], X[3:, :3]
        return plx.of(E, np.array([-(E[:, 2] @ L[:, 1]), -(E[:, 0] @ L[:, 2]), -(E[:, 1] @ L[:, 0])]))

    def motion_subspace(self, q, t=0.0):
        """S, as `motions`."""
        return motions.from_matrix(self.joint.motion_subspace(q, t))

    def constraint_subspace(self, q, t=0.0):
        return self.joint.constraint_subspace(q, t)

    def bias_velocity(self, q, t=0.0):
        """sigma, or zeros."""
        return _motion(self.joint.bias_velocity(q, t))

    def motion_subspace_rate(self, q, qd, t=0.0):
        return motions.from_matrix(self.joint.motion_subspace_rate(q, qd, t))

    def bias_acceleration(self, q, qd, t=0.0):
        """c_J, or zeros; that of a joint with a constant S is not computed."""
        return zeros(6, q, qd) if self._steady else _motion(self.joint.bias_acceleration(q, qd, t))

    def __str__(self):
        return str(self.joint)


def _motion(array):
    return array if is_nothing(array) else mv.of(array[:3], array[3:])


def _axial(joint, theta, d):
    return screws([_screw("xyz".index(joint.axis), theta, d)])


def _screw(k, theta, d):
    c, s = (1, 0) if type(theta) is int and theta == 0 else (cos(theta), sin(theta))
    return scr.of(k, theta, c, s, d)


def _planar(joint, q):
    turn, shifts = [_screw(2, q[0], 0)], [_screw(0, 0, q[1]), _screw(1, 0, q[2])]
    return screws(turn + shifts if joint.translation == "F_p" else shifts + turn)


def _euler(joint, q):
    turns = [_screw("xyz".index(axis), angle, 0) for axis, angle in zip(joint.sequence, q.tolist(), strict=True)]
    return screws(reversed(turns))


def _free(joint, q):
    E = rotation_from_euler_parameters(q[:4], "q[:4]")
    return plx.of(E, q[4:] if joint.translation == "F_p" else E.T @ q[4:])


SCREWS = {
    joints.Revolute: lambda joint, q: _axial(joint, q[0], 0),
    joints.Prismatic: lambda joint, q: _axial(joint, 0, q[0]),
    joints.Helical: lambda joint, q: _axial(joint, q[0], joint.pitch * q[0]),
    joints.Cylindrical: lambda joint, q: _axial(joint, q[0], q[1]),
    joints.RackAndPinion: lambda joint, q: screws([_screw(2, q[0], 0), _screw(0, 0, joint.radius * q[0])]),
    joints.Planar: _planar,
    joints.Euler: _euler,
    joints.Universal: _euler,
    joints.Spherical: lambda joint, q: plx.of(rotation_from_euler_parameters(q, "q"), np.zeros(3, int)),
    joints.FreeMotion: _free,
    joints.Fixed: lambda joint, q: screws(),
}
