"""Angles stated in words: "theta2 from the downward vertical" is q1 + q2 for a double pendulum.

The link's direction is that from its joint to its centre of mass, or to the next joint if that is no direction. The
angle is positive in the sense of the joint.
"""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.mechanics.states import DIGITS, draw, system_of

_NEAR = 1e-9


def as_formula(model, coordinates, place, way, line):
    """The formula in the model's own symbols of an angle stated in words, as text.

    model: a `Model`; coordinates: from `aliases.coordinates_of`; place: of the coordinate of the link's joint, from 0;
    way: "down", "up" or None; line: "vertical" or "horizontal". Raises ValueError where no such angle exists.
    """
    import mpmath

    if coordinates[place].kind != "angle":
        raise ValueError(f"{coordinates[place].name} is no angle.")
    with mpmath.workdps(DIGITS):
        at = draw(system_of(model), 0, 1)[0].model
    i, gravity = coordinates[place].body, as_floats(at.gravity)
    if not np.any(gravity):
        raise ValueError("the model has no gravity, and so no vertical.")
    down = gravity / np.linalg.norm(gravity)
    X = [as_floats(X_i) for X_i in body_transforms(at, at.neutral())]
    axes = {c.name: _axis(at, X, c.body) for c in coordinates if c.kind == "angle" and c.body in at.kappa(i)}
    axis, link = axes[coordinates[place].name], _link(at, X, i)
    if abs(axis @ down) > _NEAR or abs(axis @ link) > _NEAR:
        raise ValueError("the joint does not turn in a vertical plane. Write a formula, such as 'theta2 = q1 + q2'.")
    start = _start(line, way, down, axis, link)
    offset = np.arctan2(axis @ np.cross(start, link), start @ link) / np.pi
    return _sum(axes, axis, down) + _turns(offset)


def absolute(model, coordinates, place):
    """The formula, as text, of the angle of a link in a plane: the sum of the joints' angles from the base to it.

    Arguments as for `as_formula`. Raises ValueError where the joints do not turn about one direction.
    """
    if coordinates[place].kind != "angle":
        raise ValueError(f"{coordinates[place].name} is no angle.")
    axes = _axes(model, coordinates, place)
    axis = axes[coordinates[place].name]
    if any(abs(abs(other @ axis) - 1) > _NEAR for other in axes.values()):
        raise ValueError("the joints before it have other axes. Write a formula, such as 'theta2 = q1 + q2'.")
    return " ".join(("+ " if other @ axis > 0 else "- ") + name for name, other in axes.items()).removeprefix("+ ")


def turns_left(model, coordinates, place):
    """True if a joint's angle grows counterclockwise, seen as one draws it: x to the right, y or z up, or from above.

    Raises ValueError where this cannot be said.
    """
    if coordinates[place].kind != "angle":
        raise ValueError(f"{coordinates[place].name} is no angle.")
    axis = _axes(model, coordinates, place)[coordinates[place].name]
    largest = int(np.argmax(abs(axis)))
    if abs(abs(axis[largest]) - 1) > _NEAR or largest == 0:
        raise ValueError("clockwise has no meaning about its axis. Write a formula, such as 'theta = -q1'.")
    return bool((axis[largest] > 0) == (largest == 2))


def _axes(model, coordinates, place):
    """{name: axis} of the joints that turn, from the base to the one of a coordinate, in base coordinates."""
    import mpmath

    with mpmath.workdps(DIGITS):
        at = draw(system_of(model), 0, 1)[0].model
    X = [as_floats(X_i) for X_i in body_transforms(at, at.neutral())]
    return {c.name: _axis(at, X, c.body) for c in coordinates
            if c.kind == "angle" and c.body in at.kappa(coordinates[place].body)}


def _axis(model, X, i):
    """The axis of joint i in base coordinates, in the neutral position."""
    turn = np.array([float(x) for x in model.joints[i].motion_subspace(model.joints[i].neutral())[:3, 0]])
    return X[i][:3, :3].T @ turn


def _link(model, X, i):
    """The unit vector along link i in base coordinates."""
    _, c, _ = I_to_mcI(as_floats(model.inertia[i]))
    for along in (c, *(X_to_Er(as_floats(model.X_tree[j]))[1] for j in model.mu(i))):
        if np.linalg.norm(along) > 1e-6:
            return X[i][:3, :3].T @ along / np.linalg.norm(along)
    raise ValueError(f"body {i} has its centre of mass at its joint, and so no direction.")


def _start(line, way, down, axis, link):
    """The direction from which the angle is measured; the vertical upwards if the link stands upright, or else down."""
    if not line.lower().startswith("vertical"):
        return np.cross(axis, down)
    if way is None:
        return -down if link @ down < -0.5 else down
    return -down if way.lower().startswith("up") else down


def _sum(axes, axis, down):
    """The angles of the joints from the base to the link, with signs; turns about the vertical do not count."""
    terms = []
    for name, other in axes.items():
        if abs(abs(other @ axis) - 1) < _NEAR:
            terms.append(("+ " if other @ axis > 0 else "- ") + name)
        elif abs(abs(other @ down) - 1) > _NEAR:
            raise ValueError("the joints before it have other axes. Write a formula, such as 'theta2 = q1 + q2'.")
    return " ".join(terms).removeprefix("+ ")


def _turns(offset):
    quarters = round(4 * offset)
    if abs(4 * offset - quarters) > _NEAR:
        raise ValueError("the link has no plain direction where the joints are at 0. Write a formula.")
    return f" {'-' if quarters < 0 else '+'} {abs(quarters)}*pi/4" if quarters else ""
