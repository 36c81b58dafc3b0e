"""Where the joints are: positions, velocities in base coordinates, Denavit-Hartenberg parameters (RBDA 4.2, 4.3)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import inverse_transform, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Helical, Prismatic, Revolute, jcalc
from rbdlib.book.ch04_model import ModelError
from rbdlib.numbers.scalars import as_floats, eye, number, vector, zeros
from rbdlib.numbers.validation import one_of, rotation

#: The joints that have an axis, by the names that a row of Denavit-Hartenberg parameters uses, with that row's pitch.
DH_JOINTS = {"revolute": lambda pitch: Revolute(), "prismatic": lambda pitch: Prismatic(),
             "cylindrical": lambda pitch: Cylindrical(), "helical": Helical}
DH_FORMS = ("modified", "classic")


def sum_joint_velocities(parent, v_J):
    """Velocities of the bodies from those across the joints, all in one coordinate system (RBDA Example 4.1).

    parent: the parents of bodies 1..N_B, each smaller than its child. v_J: the velocities (6) across joints 1..N_B,
    from parent to child. Returns a list indexed by body number, with the base in place 0.
    """
    if len(parent) != len(v_J):
        raise ValueError(f"parent has {len(parent)} entries, v_J has {len(v_J)}; give one of each per body.")
    v = [zeros(6, *v_J)]
    for i, (parent_i, v_Ji) in enumerate(zip(parent, v_J, strict=True), start=1):
        if not 0 <= parent_i < i:
            raise ModelError(f"The parent of body {i} is {parent_i}; number the bodies so that parents come first.")
        v.append(v[parent_i] + vector(v_Ji, 6, f"v_J[{i - 1}]"))
    return v


def positions_and_velocities(model, q, qd, t=0.0):
    """The transforms ⁱX_0 and the velocities ⁰v_i in base coordinates of all bodies, as two lists (RBDA Example 4.4).

    q: positions (nq); qd: velocities (nv); t: time (s). The lists are indexed by body number; place 0 is the base.
    """
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    X_0, v_0 = [eye(6, q)], [zeros(6, q, qd)]
    for i in model.bodies:
        X_J, _, v_J, _ = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)], t)
        X_up = X_J @ model.X_tree[i]
        X_0.append(X_up @ X_0[model.parent[i]])
        v_0.append(v_0[model.parent[i]] + inverse_transform(X_0[i]) @ v_J)
    return X_0, v_0


class DHRow(namedtuple("DHRow", "a alpha d theta joint pitch", defaults=(0.0, 0.0, 0.0, 0.0, "revolute", 0.0))):
    """The Denavit-Hartenberg parameters of one joint: a, d (m), alpha, theta (rad) (RBDA 4.3).

    Of a revolute joint's theta, of a prismatic joint's d and of a cylindrical joint's both, the row holds the value
    at q = 0. joint: one of `DH_JOINTS`. pitch (m/rad): of a helical joint, whose displacement is d + pitch * theta.
    """


class DHChain(namedtuple("DHChain", "parent joints X_tree X_link X_end")):
    """Parts of a `Model` of a chain with Denavit-Hartenberg parameters; make one with `dh_chain`.

    parent, joints, X_tree: the first three arguments of `Model`. X_link: for each body, the transform from the model's
    body frame to the frame that the chosen form attaches to that link, in which published inertias are given (the
    identity for the modified form). X_end: from the last body's frame to the end-effector frame.
    """


def dh_transform(a, alpha, d, theta, form="modified"):
    """The transform ⁱX_{i-1} between successive Denavit-Hartenberg frames.

    form "modified" (RBDA 4.3, after Craig): frame i sits on axis i; rotz(theta) xlt([a, 0, d]) rotx(alpha), where a
    and alpha lead from z_{i-1} to z_i along x_{i-1}. form "classic" (Denavit and Hartenberg): frame i sits on axis
    i+1; rotx(alpha) xlt([a, 0, d]) rotz(theta), where a and alpha lead from z_{i-1} to z_i along x_i.
    """
    one_of(DH_FORMS, form, "form")
    along_x, along_z = _screws(a, alpha, d, theta)
    return along_z @ along_x if form == "modified" else along_x @ along_z


def dh_chain(rows, form="modified", base=(0.0, 0.0), end=None):
    """An unbranched chain from Denavit-Hartenberg parameters, as a `DHChain` (RBDA 4.3).

    rows: one `DHRow` per joint, or tuples of its fields (a, alpha, d, theta, joint, pitch). form: as in `dh_transform`.
    base: (theta_0, d_0), which turn and shift the base frame about its z axis to the frame that the first row starts
    from. end: (a, alpha, d, theta) from the last link's frame to the end-effector frame. At q = 0 the frames stand as
    the rows say. Raises ValueError or TypeError naming the row.
    """
    one_of(DH_FORMS, form, "form")
    rows = [_row(i, row) for i, row in enumerate(rows, start=1)]
    theta_0, d_0 = vector(base, 2, "base")
    X_before = _screws(0, 0, d_0, theta_0)[1]
    X_tree, X_link = [], []
    for a, alpha, d, theta, _, pitch in rows:
        along_x, along_z = _screws(a, alpha, d + pitch * theta, theta)
        if form == "modified":
            X_tree.append(along_z @ along_x @ X_before)
            X_link.append(eye(6, along_x))
        else:
            X_tree.append(along_z @ X_before)
            X_link.append(along_x)
        X_before = X_link[-1]
    X_end = X_before if end is None else dh_transform(*vector(end, 4, "end"), form) @ X_before
    return DHChain(list(range(len(rows))), [DH_JOINTS[row.joint](row.pitch) for row in rows], X_tree, X_link, X_end)


def dh_parameters(axes, joints=None, end=None):
    """Modified Denavit-Hartenberg parameters of joint axes given as lines: returns (base, rows, end) (RBDA 4.3).

    axes: for each joint a pair (direction, point) of 3-vectors in base coordinates. joints: a name of `DH_JOINTS` for
    each ("revolute" by default; the rows of helical joints come with pitch 0). end: the end-effector frame as a pair
    (E, r), base to end-effector coordinates and position in base coordinates; without it the last frame is put where
    d = theta = 0, and the end that is returned is None. The results are arguments of `dh_chain`; at q = 0 that chain
    stands where the lines are. Numbers only. Where axes are parallel, x_i is chosen to start where x_{i-1} ends; where
    they intersect, it has the direction of z_i × z_{i+1}; where they coincide, that of x_{i-1}.
    """
    lines = []
    for i, axis in enumerate(axes, start=1):
        try:
            direction, point = axis
        except (TypeError, ValueError):
            raise ValueError(f"Axis {i} is {axis!r}; give a pair (direction, point).") from None
        z, point = as_floats(vector(direction, 3, f"direction of axis {i}")), vector(point, 3, f"point of axis {i}")
        if z is None or as_floats(point) is None:
            raise ValueError(f"Axis {i} contains symbols; the common perpendiculars are found for numbers only.")
        if not np.any(z):
            raise ValueError(f"The direction of axis {i} is the zero vector; an axis must have a direction.")
        lines.append((z / np.linalg.norm(z), point))
    names = ["revolute"] * len(lines) if joints is None else list(joints)
    if len(names) != len(lines):
        raise ValueError(f"joints has {len(names)} names, axes has {len(lines)} lines; give one of each per joint.")
    if end is not None:
        E, r = as_floats(rotation(end[0], "E of end")), vector(end[1], 3, "r of end")
        lines.append((E[2], r))
    x, z, origin, frames = np.eye(3)[0], np.eye(3)[2], np.zeros(3), []
    for z_next, point in lines:
        frame, (x, z, origin) = _place(x, z, origin, z_next, point)
        frames.append(frame)
    turns = [(theta, d) for theta, d, _, _ in frames] + [(0.0, 0.0)]
    if end is not None:
        turns[-1] = _angle(x, E[0], z), float((r - origin) @ z)
    links = [(a, alpha, d, theta) for (_, _, a, alpha), (theta, d) in zip(frames, turns[1:], strict=True)]
    end = links.pop() if end is not None else None
    return turns[0], [_row(i, (*link, name)) for i, (link, name) in enumerate(zip(links, names, strict=True), 1)], end


def _place(x, z, origin, z_next, point):
    """(theta_i, d_i, a_{i+1}, alpha_{i+1}) from axis z_i, met by x_{i-1} at origin, and the next x, z, origin."""
    normal, gap = np.cross(z, z_next), point - origin
    if np.linalg.norm(normal) > 1e-9:
        normal = normal / np.linalg.norm(normal)
        d = float(np.cross(gap, z_next) @ normal / (np.cross(z, z_next) @ normal))
        a = float(gap @ normal)
        x_i = -normal if a < -1e-12 else normal
    else:
        across, d = gap - (gap @ z) * z, 0.0
        a = float(np.linalg.norm(across))
        x_i = across / a if a > 1e-9 else x
    theta = _angle(x, x_i, z)
    alpha = _angle(z, z_next, x_i)
    return (theta, d, abs(a), alpha), (x_i, z_next, origin + d * z + abs(a) * x_i)


def _angle(start, finish, axis):
    return float(np.arctan2(np.cross(start, finish) @ axis, start @ finish))


def _screws(a, alpha, d, theta):
    """The transform along and about x, by a and alpha, and the one along and about z, by d and theta."""
    return xlt([a, 0, 0]) @ rotx(alpha), rotz(theta) @ xlt([0, 0, d])


def _row(i, row):
    if isinstance(row, str) or not np.iterable(row) or not 4 <= len(tuple(row)) <= 6:
        raise ValueError(f"Row {i} is {row!r}; give (a, alpha, d, theta) and, if you like, the joint and its pitch.")
    row = DHRow(*row)
    one_of(DH_JOINTS, row.joint, f"The joint of row {i}")
    values = {name: number(getattr(row, name), f"{name} of row {i}") for name in ("a", "alpha", "d", "theta", "pitch")}
    if row.joint != "helical" and values["pitch"] != 0:
        raise ValueError(f"Row {i} has a pitch, but its joint is {row.joint}; only a helical joint has a pitch.")
    return row._replace(**values)
