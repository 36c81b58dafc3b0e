"""Angles stated in words: "theta2 from the downward vertical" is q1 + q2 for a double pendulum.

The link's direction is that from its joint to its centre of mass, or to the next joint if that is no direction. The
angle is positive in the sense of the joint.
"""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.mechanics.states import DIGITS, draw

_NEAR = 1e-9


class Refused(ValueError):
    """A phrase that is understood but cannot be used here; the message says why."""


def as_formula(names, place, way, line):
    """The formula in the model's own symbols of an angle stated in words, as text.

    names: the `aliases.Names` of the model; place: of the coordinate of the link's joint, from 0; way: "down", "up" or
    None; line: "vertical" or "horizontal". Raises `Refused` where no such angle exists.
    """
    down, (at, X, axes, axis) = downwards(names), _posture(names, place)
    link = _link(at, X, names.coordinates[place].body)
    if abs(axis @ down) > _NEAR or abs(axis @ link) > _NEAR:
        raise Refused("the joint does not turn in a vertical plane. Write a formula, such as 'theta2 = q1 + q2'.")
    total = _sum({name: other for name, other in axes.items() if not _parallel(other, down)}, axis)
    start = _start(line, way, down, axis, link)
    quarters = 4 * np.arctan2(axis @ np.cross(start, link), start @ link) / np.pi
    whole = round(quarters)
    if abs(quarters - whole) > _NEAR:
        raise Refused("the link has no plain direction where the joints are at 0. Write a formula.")
    return total + (f" {'-' if whole < 0 else '+'} {abs(whole)}*pi/4" if whole else "")


def absolute(names, place):
    """The formula, as text, of the angle of a link in a plane: the sum of the joints' angles from the base to it.

    Arguments as for `as_formula`. Raises `Refused` where the joints do not turn about one direction.
    """
    *_, axes, axis = _posture(names, place)
    return _sum(axes, axis)


def turns_left(names, place):
    """True if a joint's angle grows counterclockwise, seen as one draws it: x to the right, y or z up, or from above.

    Raises `Refused` where this cannot be said.
    """
    *_, axis = _posture(names, place)
    largest = int(np.argmax(abs(axis)))
    if abs(abs(axis[largest]) - 1) > _NEAR or largest == 0:
        raise Refused("clockwise has no meaning about its axis. Write a formula, such as 'theta = -q1'.")
    return bool((axis[largest] > 0) == (largest == 2))


def downwards(names):
    """The direction of gravity, a unit vector. Raises `Refused` where there is none."""
    gravity = as_floats(_in_numbers(names).gravity)
    if not np.any(gravity):
        raise Refused("the model has no gravity, and so no up and down.")
    return gravity / np.linalg.norm(gravity)


def _in_numbers(names):
    """The model with some numbers for its parameters."""
    import mpmath

    with mpmath.workdps(DIGITS):
        return draw(names.system, 0, 1)[0].model


def _posture(names, place):
    """The model in numbers; its body transforms in the neutral position; {name: axis}, in base coordinates, of the
    joints that turn, from the base to the one of a coordinate; and the axis of that one."""
    coordinate, at = names.coordinates[place], _in_numbers(names)
    if coordinate.kind != "angle":
        raise Refused(f"{coordinate.name} is no angle.")
    X, axes = [as_floats(X_i) for X_i in body_transforms(at, at.neutral())], {}
    for c in names.coordinates:
        if c.kind == "angle" and c.body in at.kappa(coordinate.body):
            turn = at.joints[c.body].motion_subspace(at.joints[c.body].neutral())[:3, 0]
            axes[c.name] = X[c.body][:3, :3].T @ as_floats(turn)
    return at, X, axes, axes[coordinate.name]


def _link(model, X, i):
    """The unit vector along link i in base coordinates."""
    _, c, _ = I_to_mcI(as_floats(model.inertia[i]))
    for along in (c, *(X_to_Er(as_floats(model.X_tree[j]))[1] for j in model.mu(i))):
        if np.linalg.norm(along) > 1e-6:
            return X[i][:3, :3].T @ along / np.linalg.norm(along)
    raise Refused(f"body {i} has its centre of mass at its joint, and so no direction.")


def _start(line, way, down, axis, link):
    """The direction from which the angle is measured; the vertical upwards if the link stands upright, or else down."""
    if not line.lower().startswith("vertical"):
        return np.cross(axis, down)
    up = way.lower().startswith("up") if way else link @ down < -0.5
    return -down if up else down


def _sum(axes, axis):
    """The angles of joints that turn about one direction, with signs, as text."""
    if not all(_parallel(other, axis) for other in axes.values()):
        raise Refused("the joints before it have other axes. Write a formula, such as 'theta2 = q1 + q2'.")
    return " ".join(("+ " if other @ axis > 0 else "- ") + name for name, other in axes.items()).removeprefix("+ ")


def _parallel(first, second):
    return abs(abs(first @ second) - 1) < _NEAR
