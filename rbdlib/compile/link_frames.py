"""A model made cheap to compute with: link frames of Denavit and Hartenberg, inertias moved towards the base.

How joints move and push does not depend on how the frames of the bodies are placed, nor on inertia that no joint can
feel. Zeros in the model are what a simplifier lives on (RBDA 10.4), so that they are made here: the transform to one
child of each body becomes a product of two axial screws (RBDA 4.3, 10.3.1), and three of the ten inertial parameters of
a link with a hinge disappear (RBDA 9.7).
"""

from collections import namedtuple
from dataclasses import replace
from math import atan2, hypot

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, force_transform, inverse_transform, plucker, rot, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Revolute
from rbdlib.methods.equivalence import simplify, table_9_7, with_inertias
from rbdlib.numbers.pivots import axis_across
from rbdlib.numbers.scalars import as_floats

#: The joints that turn about or slide along an axis that stands still in both bodies.
AXIAL = (Revolute, Prismatic, Helical, Cylindrical)
#: Axes closer to parallel than this (the sine of the angle between them) have no common normal that would serve.
NEARLY_PARALLEL = 1e-3
#: A number so small, compared with those that it is the sum of, is rounding error of zero.
ROUNDING = 1e-15
#: The parts of a transform: rotz(theta) xlt(d z) rotx(alpha) xlt(a x) rotz(phi) xlt(e z) (RBDA 4.3, A.4).
AxialScrews = namedtuple("AxialScrews", "theta d alpha a phi e")


def in_joint_space(model):
    """A model with the same joint-space equation of motion in which many more numbers are zero.

    Its bodies have other frames and inertias, which no real bodies may have, and loops are left out. A model that
    contains symbols is returned as it is.
    """
    joints = [joint for joint in model.joints[1:] if isinstance(joint, AXIAL)]
    arrays = (model.gravity, *model.X_tree[1:], *model.inertia[1:], *(joint.direction for joint in joints))
    if any(as_floats(array) is None for array in arrays):
        return model
    return simplify(with_link_frames(model), table_9_7)


def with_link_frames(model):
    """The model with the z axes of body frames along the joint axes and x axes along common normals (RBDA 4.3).

    It holds for the way from each body to the child that carries most. Bodies whose joints have no axis keep their
    frames. Loops are left out.
    """
    B = [np.eye(6)]                                     # from the old frame of each body to the new one
    for i in model.bodies:
        B.append(_new_frame(model, i, B[model.parent[i]]))

    def moved(i, I):
        """The inertia, each element cleaned beside the terms of its sum and the diagonal elements that it couples."""
        X = force_transform(B[i])
        turned = X @ I @ X.T
        on_diagonal = np.sqrt(np.abs(np.diag(turned)))
        return _cleaned(turned, np.maximum(np.abs(X) @ np.abs(I) @ np.abs(X).T, np.outer(on_diagonal, on_diagonal)))

    joints = [replace(joint, axis="z") if isinstance(joint, AXIAL) else joint for joint in model.joints[1:]]
    physical = getattr(model, "physical", model)
    X_tree = [_product(B[i], model.X_tree[i], inverse_transform(B[model.parent[i]])) for i in model.bodies]
    framed = physical.replace(joints=joints, X_tree=X_tree, loops=(),
                              inertia=[moved(i, physical.inertia[i]) for i in model.bodies])
    return framed if physical is model else with_inertias(framed, [moved(i, model.inertia[i]) for i in model.bodies])


def _new_frame(model, i, B_parent):
    """The transform from the old to the new frame of body i; B_parent: that of its parent."""
    if not isinstance(model.joints[i], AXIAL):
        return np.eye(6)
    to_axis = _to_axis(model.joints[i])
    carried = [j for j in model.mu(i) if isinstance(model.joints[j], AXIAL)]
    if carried:
        j = max(carried, key=lambda j: len(model.nu(j)))
        screws = axial_screws(_to_axis(model.joints[j]) @ model.X_tree[j] @ inverse_transform(to_axis))
        return to_axis if screws is None else _screw_z(screws.phi, screws.e) @ to_axis
    screws = axial_screws(to_axis @ model.X_tree[i] @ inverse_transform(B_parent))
    return to_axis if screws is None else inverse_transform(_screw_z(screws.theta, screws.d)) @ to_axis


def axial_screws(X):
    """The transform X as a product of three screws along z, x and z: an `AxialScrews`; None near parallel axes.

    Where the axes are parallel, phi turns x towards the other axis, and e is zero.
    """
    E, r = X_to_Er(X)
    sine = hypot(E[0, 2], E[1, 2])
    if sine > NEARLY_PARALLEL:
        alpha, phi, theta = atan2(sine, E[2, 2]), atan2(E[2, 0], -E[2, 1]), atan2(E[0, 2], E[1, 2])
        a, y, z = rotz(phi)[:3, :3] @ r
        d = -y / sine
        a, d, e = (float(x) for x in _cleaned([a, d, z - E[2, 2] * d], np.abs(r).max()))
        return AxialScrews(theta, d, alpha, a, phi, e)
    if sine > ROUNDING:
        return None
    a = hypot(r[0], r[1])
    phi, alpha = atan2(r[1], r[0]) if a > ROUNDING * abs(r[2]) else 0.0, 0.0 if E[2, 2] > 0 else np.pi
    rest = E @ rotz(phi)[:3, :3].T @ rotx(alpha)[:3, :3].T
    return AxialScrews(atan2(rest[0, 1], rest[0, 0]), E[2, 2] * r[2], alpha, a, phi, 0.0)


def _screw_z(angle, shift):
    return _cleaned(rotz(angle), 1) @ xlt([0, 0, shift])


def _to_axis(joint):
    """A rotation to axes of which z is the axis of the joint."""
    z = np.array(joint.direction, dtype=float)
    x = np.cross(z, axis_across(z))
    x = x / np.linalg.norm(x)
    return rot(np.array([x, np.cross(z, x), z]))


def _product(*transforms):
    """The product of transforms. Its turn is cleaned as such, and its shift beside theirs: lengths have any unit."""
    E, r = X_to_Er(np.linalg.multi_dot(transforms))
    shifts = sum(np.abs(X[3:, :3]).max() for X in transforms)
    return plucker(_cleaned(E, 1), _cleaned(r, shifts))


def _cleaned(numbers, sizes):
    """The numbers without the rounding errors of zeros; sizes: of what they are made of, in the same units."""
    return np.where(np.abs(numbers) <= ROUNDING * sizes, 0.0, numbers)
