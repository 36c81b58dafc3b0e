"""Any model at any position, in the plane or in space: links, joints, masses, paths, velocities and forces.

`axes_for` makes axes of the right size and kind; the other functions take axes first and return nothing. In plane axes
they draw the plane "xy", "xz" or "yz" of the base.
"""

import numpy as np

from rbdlib.draw import solids as solid
from rbdlib.draw.fields import turn
from rbdlib.draw.posture import Posture, bare, link_ends, looking_at, place, reach
from rbdlib.draw.shapes import arrow, body, carriage, frame, ground, link, pin, point, rail, write
from rbdlib.draw.style import AXIS_Z, BODY, FORCE, GREY, HIGHLIGHT, INERTIA, MOTION, axes2d, axes3d, is_3d, numbers
from rbdlib.joints import Cylindrical, FreeMotion, Helical, Planar, Prismatic, RackAndPinion, Revolute
from rbdlib.kinematics import body_velocities
from rbdlib.model import Model, external_forces
from rbdlib.scalars import vector

_SLIDING = (Prismatic, Cylindrical, Helical)
_TURNING = (Revolute, Cylindrical, Helical)


def axes_for(model, q=None, *, plane=None, tips=None, title="", margin=0.15, **options):
    """Axes that hold the model at q, a position or an array of positions (k x nq). Returns matplotlib axes.

    plane: "xy", "xz" or "yz" for a plane picture, "space" for one in space; without it a model that moves in one of
    these planes only is drawn in that plane. tips: as for `model`. margin: room left at the sides, as a part of the
    extent. options: further ones of `axes2d` or `axes3d`, such as ``view=``, ``fig=``, ``at=``.
    """
    _require_model(model)
    rows = positions(model, model.neutral() if q is None else q)
    plane = plane_of(model) if plane is None else plane
    flat = plane != "space"
    P = np.concatenate([Posture(model, row, plane if flat else "xy", tips=tips).points() for row in rows])
    low, high = P.min(axis=0), P.max(axis=0)
    room = margin * max(*(high - low), reach(model) / 2)
    least = 0.5 * max(high - low)
    grow = room + np.maximum(least - (high - low), 0) / 2
    low, high = low - grow, high + grow
    if flat:
        labels = {"x": f"{plane[0]} (m)", "y": f"{plane[1]} (m)"}
        return axes2d(title, **{**labels, "limits": (low[0], high[0], low[1], high[1]), **options})
    return axes3d(title, **{"limits": np.column_stack([low, high]).ravel(), **options})


def plane_of(model):
    """The plane "xy", "xz" or "yz" in which all of the model moves, whatever q is, or "space"."""
    rng = np.random.default_rng(0)
    positions = [model.random_state(rng)[0] for _ in range(3)]
    for plane in ("xy", "xz", "yz"):
        first, *others = (Posture(model, q, plane) for q in positions)
        turned = [(A.T @ B)[2, 2] for other in others for A, B in zip(first.E, other.E, strict=True)]
        lifted = [other.points()[:, 2] - first.points()[:, 2] for other in others]
        if np.allclose(turned, 1) and np.allclose(lifted, 0):
            return plane
    return "space"


def positions(model, q):
    """q as an array of positions (k x nq); a single one becomes the only row."""
    rows = np.atleast_2d(np.asarray(q))
    if rows.ndim != 2 or rows.shape[1] != model.nq:
        raise ValueError(f"q has shape {np.shape(q)}; expected ({model.nq},), or (k, {model.nq}) for k positions.")
    return [vector(row, model.nq, f"q[{k}]") for k, row in enumerate(rows)]


def _require_model(model):
    if not isinstance(model, Model):
        raise TypeError(f"model is {type(model).__name__}; expected a Model, such as rbdlib.load('double_pendulum').")


def _posture(ax, model, q, plane, t=0.0, tips=None):
    _require_model(model)
    looking_at(plane)
    return Posture(model, q, "xy" if is_3d(ax) else plane, t, tips)


def model(ax, model, q=None, *, plane="xy", t=0.0, masses=True, inertias=False, frames=0.0, axes=False, joints=True,
          labels="", tips=None, color=BODY):
    """A model at the position q (its neutral one if left out), as links between joints.

    In space the links are bars; in plane axes they are what is seen of the model in the given plane of the base. Dots
    are centres of mass, larger for larger masses; a joint that closes a loop is orange, and dashes show a gap in it.
    masses, joints: whether to draw these. inertias: draw the uniform solid ellipsoids that have the bodies' masses and
    inertias. frames: length (m) of the axes of the body frames, 0 for none. axes: draw the joint axes. labels:
    "numbers" or "names" of the bodies. tips: {body: point or points (m) in its coordinates} to which further sticks
    lead, such as a hand; a body without children otherwise ends where a rod of its mass and inertia would. color: of
    the links. t: time (s), for joints that depend on it.
    """
    pose = _posture(ax, model, q, plane, t, tips)
    if labels not in ("", "numbers", "names"):
        raise ValueError(f"labels is {labels!r}; choose 'numbers', 'names' or ''.")
    strokes = _InSpace(ax, pose, color) if is_3d(ax) else _InPlane(ax, pose, color)
    if axes:
        _draw_axes(ax, pose)
    strokes.base()
    for i in model.bodies:
        strokes.slide(i)
    for i in model.bodies:
        strokes.body(i)
        if joints:
            strokes.joint(i)
        if masses:
            strokes.mass(i)
        if inertias:
            strokes.inertia(i)
    for loop in model.loops if joints else ():
        strokes.loop(loop)
    strokes.finish()
    for i in model.bodies:
        if frames:
            frame(ax, (pose.E[i], pose.r[i]), str(i), frames)
        if labels:
            _label(ax, pose, i, str(i) if labels == "numbers" else model.names[i])


def _draw_axes(ax, pose):
    half = 0.22 * reach(pose.model)
    for i in pose.model.bodies:
        for P, d in () if isinstance(bare(pose.model.joints[i]), (FreeMotion, Planar)) else pose.axes(i):
            ends = np.array([P - half * d, P + half * d])
            ax.plot(*ends.T[: 3 if is_3d(ax) else 2], color=MOTION, lw=1.3, ls="-.", zorder=2)


def _label(ax, pose, i, text):
    start, ends = pose.r[i], pose.ends[i]
    end = max(ends, key=lambda P: np.linalg.norm(P - start), default=start)
    along = end - start
    aside = (-along[1], along[0], 0) if along[:2].any() else (1, 1, 0)
    write(ax, (start + end) / 2, text, (1, 0, 0) if is_3d(ax) else aside)


class _Strokes:
    """One picture of a model: what the plane and space have in common."""

    def __init__(self, ax, pose, color):
        self.ax, self.pose, self.color = ax, pose, color
        self.unit = reach(pose.model)
        self.heaviest = max((pose.mass(i)[0] for i in pose.model.bodies if pose.mass(i)), default=1.0)

    def sticks(self, i):
        start = self.pose.r[i]
        return [(start, end) for end in self.pose.ends[i] if np.linalg.norm(end - start) > 1e-6 * self.unit]

    def weight(self, i):
        """Diameter of the dot at the centre of mass, in (0, 1]: its volume is as the mass."""
        return max((self.pose.mass(i)[0] / self.heaviest) ** (1 / 3), 0.35)

    def direction(self, i):
        """The direction of the axis of joint i in the picture."""
        return bare(self.pose.model.joints[i]).direction @ self.pose.E[i]

    def kind(self, i):
        return bare(self.pose.model.joints[i])

    def finish(self):
        pass


class _InPlane(_Strokes):
    """Links as bars of constant width, joints as the symbols of a kinematic sketch."""

    def base(self):
        pose = self.pose
        hung = Posture(pose.model, None, tips=None)
        up = -pose.view @ np.asarray(pose.model.gravity, float)
        up = up[:2] / np.linalg.norm(up[:2]) if np.linalg.norm(up[:2]) > 1e-9 else np.array([0.0, 1.0])
        for i in pose.model.mu(0):
            if isinstance(self.kind(i), (*_SLIDING, Planar, FreeMotion)):
                continue
            moved = [hung.mass(j)[1] for j in pose.model.nu(i) if hung.mass(j)]
            below = moved and (np.mean(moved, axis=0) - hung.places[i]) @ pose.view.T[:, :2] @ up < -1e-9
            angle = np.arctan2(-up[0], up[1]) + (np.pi if below else 0)
            ground(self.ax, pose.places[i], 0.3 * self.unit, angle, strokes=8)

    def slide(self, i):
        """The rail of a joint that slides in this plane: across the picture if it is fixed to the base."""
        if not isinstance(self.kind(i), _SLIDING):
            return
        pose, d = self.pose, self.direction(i)[:2]
        if np.linalg.norm(d) < 1e-6:
            return
        P, d = pose.places[i][:2], d / np.linalg.norm(d)
        if pose.model.parent[i] == 0:
            self.ax.axline(P, P + d, color=GREY, lw=3, zorder=1.5)
            return
        along = [0, (pose.r[i][:2] - P) @ d]
        rail(self.ax, P + (min(along) - 0.12 * self.unit) * d, P + (max(along) + 0.12 * self.unit) * d)

    def body(self, i):
        sticks = self.sticks(i)
        for start, end in sticks:
            link(self.ax, start, end, self.color, width=6)
        found = self.pose.mass(i)
        if not sticks and found and not isinstance(self.kind(i), (Prismatic, RackAndPinion)):
            self.outline(found, self.color, 0.9)
        if isinstance(self.kind(i), RackAndPinion):
            t = np.linspace(0, 2 * np.pi, 73)
            body(self.ax, float(self.kind(i).radius) * np.column_stack([np.cos(t), np.sin(t), 0 * t]),
                 (self.pose.E[i], self.pose.r[i]), self.color)

    def outline(self, found, color, alpha):
        """The outline of an ellipsoid as it is seen from the front."""
        _, center, half = found
        values, vectors = np.linalg.eigh((half.T @ half)[:2, :2])
        radii = np.sqrt(np.maximum(values, (0.012 * self.unit) ** 2))
        t = np.linspace(0, 2 * np.pi, 73)
        points = center[:2] + np.column_stack([np.cos(t), np.sin(t)]) * radii @ vectors.T
        body(self.ax, points, None, color, alpha=alpha)

    def joint(self, i):
        kind, P = self.kind(i), self.pose.r[i]
        if isinstance(kind, Prismatic):
            d = self.direction(i)
            if np.linalg.norm(d[:2]) > 1e-6:
                carriage(self.ax, P[:2], np.arctan2(d[1], d[0]), 0.14 * self.unit)
        elif not isinstance(kind, (Planar, FreeMotion)) and kind.nv:
            pin(self.ax, P)

    def mass(self, i):
        found = self.pose.mass(i)
        if found:
            point(self.ax, found[1], color=INERTIA, size=9 * self.weight(i))

    def inertia(self, i):
        found = self.pose.mass(i)
        if found and found[2].any():
            self.outline(found, INERTIA, 0.25)

    def loop(self, loop):
        here, there = _loop_ends(self.pose, loop)
        if np.linalg.norm(here - there) > 1e-6 * self.unit:
            self.ax.plot(*np.array([here, there]).T[:2], color=HIGHLIGHT, lw=1.5, ls="--", zorder=4)
        for P in (here, there):
            point(self.ax, P, color=HIGHLIGHT, size=9)
            pin(self.ax, P, size=6)


class _InSpace(_Strokes):
    """Links as bars, joints as drums along their axes; all solids are sorted by depth together."""

    def __init__(self, ax, pose, color):
        super().__init__(ax, pose, color)
        self.parts, self.thick = [], 0.022 * self.unit

    def base(self):
        pose, thick = self.pose, self.thick
        for i in pose.model.mu(0):
            if not isinstance(self.kind(i), (Planar, FreeMotion)):
                self.parts.append((solid.block(pose.places[i] - [0, 0, 1.2 * thick], np.eye(3),
                                               (9 * thick, 9 * thick, 0.8 * thick)), GREY))

    def slide(self, i):
        if isinstance(self.kind(i), _SLIDING):
            pose, d = self.pose, self.direction(i)
            P, along = pose.places[i], (pose.r[i] - pose.places[i]) @ d
            ends = [P + (end - 3 * self.thick) * d for end in (min(0, along), max(0, along) + 6 * self.thick)]
            self.parts.append((solid.tube(*ends, 0.6 * self.thick), GREY))

    def body(self, i):
        sticks = self.sticks(i)
        self.parts += [(solid.tube(start, end, self.thick), self.color) for start, end in sticks]
        found = self.pose.mass(i)
        if not sticks and found and found[2].any() and not isinstance(self.kind(i), Prismatic):
            self.parts.append((solid.ellipsoid(*found[1:]), self.color))

    def joint(self, i):
        kind, P, thick = self.kind(i), self.pose.r[i], self.thick
        if isinstance(kind, _TURNING):
            d = self.direction(i)
            self.parts.append((solid.tube(P - 2.6 * thick * d, P + 2.6 * thick * d, 1.7 * thick, 16), AXIS_Z))
        elif isinstance(kind, Prismatic):
            a, b = solid.across(self.direction(i))
            E = np.array([a, b, self.direction(i)])
            self.parts.append((solid.block(P, E, (3.4 * thick, 3.4 * thick, 5.2 * thick)), AXIS_Z))
        elif not isinstance(kind, (Planar, FreeMotion)) and kind.nv:
            self.parts.append((solid.ball(P, 2 * thick), AXIS_Z))

    def mass(self, i):
        found = self.pose.mass(i)
        if found:
            self.parts.append((solid.ball(found[1], 2.2 * self.thick * self.weight(i)), INERTIA))

    def inertia(self, i):
        found = self.pose.mass(i)
        if found and found[2].any():
            self.parts.append((solid.ellipsoid(*found[1:]), INERTIA, 0.18))

    def loop(self, loop):
        here, there = _loop_ends(self.pose, loop)
        if np.linalg.norm(here - there) > 1e-6 * self.unit:
            self.ax.plot(*np.array([here, there]).T, color=HIGHLIGHT, lw=1.5, ls="--", zorder=4)
        self.parts += [(solid.ball(P, 2 * self.thick), HIGHLIGHT) for P in (here, there)]

    def finish(self):
        solid.solids(self.ax, self.parts)


def _loop_ends(pose, loop):
    """Where a loop joint is on its predecessor and on its successor; the two agree where the loop is closed."""
    ends = ((loop.predecessor, loop.X_P), (loop.successor, loop.X_S))
    return [pose.at(i, np.asarray(place(X), float)) for i, X in ends]


def trail(ax, model, q, body=None, point=None, *, plane="xy", color=MOTION, label="", width=1.3):
    """The path of a point of a body through the positions q (k x nq), in base coordinates.

    body: its number, the last one if left out. point: (m) in the body's coordinates, its far end if left out.
    """
    _require_model(model)
    i = model.N_B if body is None else body
    if i not in model.bodies:
        raise ValueError(f"body is {body!r}; this model has the bodies 1 to {model.N_B}.")
    P = link_ends(model)[i][-1] if point is None else numbers(point, 3, "point")
    path = np.array([_posture(ax, model, row, plane).at(i, P) for row in positions(model, q)])
    ax.plot(*path.T[: 3 if is_3d(ax) else 2], color=color, lw=width, zorder=2)
    if label:
        write(ax, path[-1], label, (1, 1), color)


def velocities(ax, model, q, qd, *, plane="xy", scale=None, color=MOTION):
    """The velocities of the bodies' centres of mass as arrows, of length scale (m) for 1 m/s; see `forces`."""
    pose, v = _posture(ax, model, q, plane), body_velocities(model, q, qd)
    arrows = []
    for i in model.bodies:
        found = pose.mass(i)
        if found:
            c = pose.E[i] @ (found[1] - pose.r[i])
            arrows.append((found[1], (v[i][3:] + np.cross(v[i][:3], c)) @ pose.E[i]))
    _draw_arrows(ax, arrows, scale, reach(model), color)


def forces(ax, model, q, f, *, at="line", coordinates="base", plane="xy", scale=None, color=FORCE):
    """Spatial forces on the bodies as arrows, with a circular arrow for what moment they have there.

    f: as f_ext of `rnea`: an (N_B+1, 6) array, a list, or {body: 6-vector}. coordinates: "base", or "body" for forces
    in the coordinates of the body on which they act, such as the f of `rnea_trace`. at: "line" draws each where its
    line of action passes nearest to the body's frame, "joint" at the origin of that frame. scale: metres drawn for 1 N
    (without it, the longest arrow takes a third of the model's reach).
    """
    for name, value, choice in (("at", at, ("line", "joint")), ("coordinates", coordinates, ("base", "body"))):
        if value not in choice:
            raise ValueError(f"{name} is {value!r}; choose {choice[0]!r} or {choice[1]!r}.")
    pose, arrows, moments = _posture(ax, model, q, plane), [], []
    for i, force in enumerate(external_forces(model, f)):
        n, push = (part @ pose.E[i] if coordinates == "body" else pose.view @ part for part in np.split(force, 2))
        if coordinates == "base":
            n = n - np.cross(pose.r[i], push)
        P = pose.r[i]
        if at == "line" and push.any():
            P = P + np.cross(push, n) / (push @ push)
            n = (n @ push) / (push @ push) * push
        arrows.append((P, push))
        moments.append((P, n))
    _draw_arrows(ax, arrows, scale, reach(model), color)
    _draw_moments(ax, moments, 0.08 * reach(model), color)


def _draw_arrows(ax, arrows, scale, size, color):
    seen = slice(0, 3 if is_3d(ax) else 2)
    longest = max((np.linalg.norm(along[seen]) for _, along in arrows), default=0.0)
    if scale is None:
        scale = size / (3 * longest) if longest else 1.0
    for P, along in arrows:
        if np.linalg.norm(along[seen]) > 1e-9 * (longest or 1):
            arrow(ax, P, scale * along, color)


def _draw_moments(ax, moments, radius, color):
    """Circular arrows for the moments that can be seen; in the plane those about the line of sight."""
    largest = max((np.linalg.norm(n) for _, n in moments), default=0.0)
    for P, n in moments:
        axis = n if is_3d(ax) else n * (0, 0, 1)
        if np.linalg.norm(axis) > 1e-6 * (largest or 1):
            turn(ax, P, axis, radius, color)
