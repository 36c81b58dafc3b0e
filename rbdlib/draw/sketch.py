"""The parts of a model's picture: a kinematic sketch in the plane, shaded bars and drums in space; springs, stops."""

from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Helical, Planar, Prismatic, RackAndPinion, Revolute
from rbdlib.draw import solids as solid
from rbdlib.draw.posture import Posture, bare, place, reach
from rbdlib.draw.shapes import body, carriage, circle, ground, link, pin, point, rail, stroke
from rbdlib.draw.style import GREY, HIGHLIGHT, INERTIA, INK
from rbdlib.numbers.pivots import across, principal_axes

_SLIDING = (Prismatic, Cylindrical, Helical)
_TURNING = (Revolute, Cylindrical, Helical)
UNSEEN = (Planar, FreeMotion)
_JOINT = "#8DB9D6"


class _Sketch:
    """One picture of a model: what the plane and space have in common."""

    dot: Any            # (place, size from 0 to 1) of a centre of mass
    cloud: Any          # an ellipsoid of inertia, as `Posture.mass` gives it

    def __init__(self, ax, pose, color):
        self.ax, self.pose, self.color = ax, pose, color
        self.unit = reach(pose.model)
        self.heaviest = max((pose.mass(i)[0] for i in pose.model.bodies if pose.mass(i)), default=1.0)

    def sticks(self, i):
        start = self.pose.r[i]
        return [(start, end) for end in self.pose.ends[i] if np.linalg.norm(end - start) > 1e-6 * self.unit]

    def lone(self, i):
        """True if body i has no sticks and carries nothing, so that its outline has to stand for it."""
        return not self.sticks(i) and not self.pose.model.mu(i)

    def mass(self, i):
        """A dot at the centre of mass, whose volume is as the mass unless it is very small."""
        if found := self.pose.mass(i):
            self.dot(found[1], max((found[0] / self.heaviest) ** (1 / 3), 0.35))

    def inertia(self, i):
        """The ellipsoid of inertia, unless it is a point."""
        found = self.pose.mass(i)
        if found and found[2].any():
            self.cloud(found)

    def direction(self, i):
        """The direction of the axis of joint i in the picture."""
        return self.kind(i).direction @ self.pose.E[i]

    def kind(self, i):
        return bare(self.pose.model.joints[i])

    def supports(self, without, upward):
        """Where joints other than those of the kinds ``without`` are fixed to the base: (place, side, up).

        side: -1 if what the base carries hangs from it in the neutral position, otherwise 1.  upward: the coordinate
        of the picture that is up where there is no gravity.
        """
        pose, hung = self.pose, Posture(self.pose.model, None)
        g = np.asarray(pose.model.gravity, float)
        up = -g / np.linalg.norm(g) if g.any() else pose.view[upward]
        for i in pose.model.mu(0):
            if not isinstance(self.kind(i), without):
                carried = [hung.mass(j)[1] @ up for j in pose.model.nu(i) if hung.mass(j)]
                hangs = carried and np.mean(carried) < hung.places[i] @ up - 0.2 * self.unit
                yield pose.places[i], -1 if hangs else 1, pose.view @ up

    def loop_ends(self, loop):
        """Where a loop joint is on its predecessor and its successor; dashes show a gap in the loop, if there is one.
        """
        ends = ((loop.predecessor, loop.X_P), (loop.successor, loop.X_S))
        here, there = (self.pose.at(i, place(X)) for i, X in ends)
        if np.linalg.norm(here - there) > 1e-6 * self.unit:
            stroke(self.ax, [here, there], HIGHLIGHT, 1.5, style="--")
        return here, there

    def finish(self):
        pass


class InPlane(_Sketch):
    """Links as bars of constant width, joints as the symbols of a kinematic sketch."""

    def base(self):
        for P, side, up in self.supports((*_SLIDING, *UNSEEN, RackAndPinion), 1):
            up = up[:2] if np.linalg.norm(up[:2]) > 1e-9 else (0, 1)
            angle = np.arctan2(-up[0], up[1]) + (np.pi if side < 0 else 0)
            ground(self.ax, P, 0.3 * self.unit, angle, strokes=8)

    def slide(self, i):
        """The guide of a joint that slides or rolls in this plane: across the picture if it is fixed to the base."""
        pose, radius = self.pose, self.pose.pinion(i)
        if isinstance(self.kind(i), _SLIDING):
            P, d = pose.places[i][:2], self.direction(i)[:2]
        elif radius:
            across, up, _ = pose.guide(i)
            P, d = (pose.places[i] - radius * up)[:2], across[:2]
            body(self.ax, radius * circle(), (pose.E[i], pose.r[i]), self.color)
        else:
            return
        if np.linalg.norm(d) < 1e-6:
            return
        d = d / np.linalg.norm(d)
        if pose.model.parent[i] == 0:
            self.ax.axline(P, P + d, color=GREY, lw=3, zorder=1.5)
            return
        along = [0, (pose.r[i][:2] - P) @ d]
        rail(self.ax, P + (min(along) - 0.12 * self.unit) * d, P + (max(along) + 0.12 * self.unit) * d)

    def body(self, i):
        for start, end in self.sticks(i):
            link(self.ax, start, end, self.color, width=6)
        found = self.pose.mass(i)
        if self.lone(i) and found and not isinstance(self.kind(i), (Prismatic, RackAndPinion)):
            self.outline(found, self.color, 0.9)

    def outline(self, found, color, alpha):
        """The outline of an ellipsoid as it is seen from the front."""
        _, center, half = found
        values, vectors = principal_axes((half.T @ half)[:2, :2])
        radii = np.sqrt(np.maximum(values, (0.012 * self.unit) ** 2))
        body(self.ax, center[:2] + circle() * radii @ vectors.T, None, color, alpha=alpha)

    def joint(self, i):
        kind, P = self.kind(i), self.pose.r[i]
        if isinstance(kind, Prismatic):
            d = self.direction(i)
            if np.linalg.norm(d[:2]) > 1e-6:
                carriage(self.ax, P[:2], np.arctan2(d[1], d[0]), 0.14 * self.unit)
        elif not isinstance(kind, UNSEEN) and kind.nv:
            pin(self.ax, P)

    def dot(self, center, weight):
        point(self.ax, center, color=INERTIA, size=9 * weight)

    def cloud(self, found):
        self.outline(found, INERTIA, 0.25)

    def loop(self, loop):
        for P in self.loop_ends(loop):
            point(self.ax, P, color=HIGHLIGHT, size=9)
            pin(self.ax, P, size=6)


class InSpace(_Sketch):
    """Links as bars, joints as drums along their axes; all solids are sorted by depth together.

    travel: {joint that slides: (least, largest) position (m) that its guide must reach}; those of now, unless given.
    """

    solid: Any = solid          # what makes the shapes; `scene_data` records them for a viewer instead

    def __init__(self, ax, pose, color, travel=None):
        super().__init__(ax, pose, color)
        self.parts, self.dots, self.clouds, self.thick = [], [], [], 0.022 * self.unit
        self.travel = travel or {}

    def base(self):
        for P, side, up in self.supports(UNSEEN, 2):
            E = np.array([*across(up), up])
            slab = (7 * self.thick, 7 * self.thick, 0.8 * self.thick)
            self.parts.append((self.solid.block(P - 3 * side * self.thick * up, E, slab), GREY))

    def slide(self, i):
        pose, radius, thick = self.pose, self.pose.pinion(i), self.thick
        if radius:
            across, up, axis = pose.guide(i)
            start, end = (pose.places[i] - (radius + 0.6 * thick) * up + sign * self.unit * across for sign in (-1, 1))
            ends = [pose.r[i] + sign * thick * axis for sign in (-0.5, 0.5)]
            self.parts.append((self.solid.tube(start, end, 0.6 * thick), GREY))
            self.parts.append((self.solid.tube(*ends, radius, 32), _JOINT))
        elif isinstance(self.kind(i), _SLIDING):
            d = self.direction(i)
            P, along = pose.places[i], (pose.r[i] - pose.places[i]) @ d
            low, high = self.travel.get(i, (along, along))
            ends = [P + (min(0, low) - 3 * thick) * d, P + (max(0, high) + 3 * thick) * d]
            self.parts.append((self.solid.tube(*ends, 0.6 * thick), GREY))

    def body(self, i):
        for start, end in self.sticks(i):
            along = (end - start) / np.linalg.norm(end - start)
            carried = [j for j in self.pose.model.mu(i) if np.allclose(self.pose.places[j], end)]
            hidden = max((self.inside(j, along) for j in carried), default=0.0)
            bar = self.solid.tube(start + self.inside(i, along) * along, end - hidden * along, self.thick)
            self.parts.append((bar, self.color))
        found = self.pose.mass(i)
        if self.lone(i) and found and found[2].any() and not isinstance(self.kind(i), Prismatic):
            self.parts.append((self.solid.ellipsoid(*found[1:]), self.color))

    def inside(self, i, along):
        """How much of a bar in the direction ``along`` from joint i is hidden in the drum of that joint."""
        if not isinstance(self.kind(i), _TURNING):
            return 0.0
        return 2.6 * self.thick if abs(self.direction(i) @ along) > 0.85 else 1.4 * self.thick

    def joint(self, i):
        kind, P, thick = self.kind(i), self.pose.r[i], self.thick
        if isinstance(kind, _TURNING):
            d = self.direction(i)
            self.parts.append((self.solid.tube(P - 2.6 * thick * d, P + 2.6 * thick * d, 1.7 * thick, 16), _JOINT))
        elif isinstance(kind, Prismatic):
            a, b = across(self.direction(i))
            E = np.array([a, b, self.direction(i)])
            self.parts.append((self.solid.block(P, E, (3.4 * thick, 3.4 * thick, 5.2 * thick)), _JOINT))
        elif not isinstance(kind, UNSEEN) and kind.nv:
            self.parts.append((self.solid.ball(P, 2 * thick), _JOINT))

    def dot(self, center, weight):
        self.dots.append((self.solid.ball(center, 1.9 * self.thick * weight), INERTIA))

    def cloud(self, found):
        self.clouds.append((self.solid.ellipsoid(*found[1:]), INERTIA, 0.18))

    def loop(self, loop):
        self.parts += [(self.solid.ball(P, 2 * self.thick), HIGHLIGHT) for P in self.loop_ends(loop)]

    def finish(self):
        """Draw what was gathered: first the bodies, then what is to be seen through them."""
        for parts in (self.parts, self.clouds, self.dots):
            self.solid.solids(self.ax, parts)


# A joint's character. Arguments: axes, in the plane or in space; the `Posture` of a model; the number of a body.

#: Sizes as parts of the model's reach: half of the width of a spring, the length of a sliding joint's spring at rest,
#: the radius at which a turning joint's stops are, half of the length of their bars.
WIDTH, LENGTH, RADIUS, BAR = 0.045, 0.4, 0.3, 0.06
COILS = 6


def spring(ax, pose, i):
    """The spring of joint i, if it has one: a zigzag along a joint that slides, a spiral about one that turns."""
    character, unit = pose.model.characters[i], reach(pose.model)
    if character is None or character.stiffness == 0:
        return
    q, rest = pose.q[pose.model.q_slice(i)][0], character.rest
    if isinstance(bare(pose.model.joints[i]), (Revolute, Helical)):
        a, b = _plane(pose, i)
        s = np.linspace(0, 1, 121)
        angle, radius = s * (COILS / 2 * np.pi + q - rest), unit * WIDTH * (0.5 + 2 * s)
        points = pose.r[i] + np.outer(radius * np.cos(angle), a) + np.outer(radius * np.sin(angle), b)
    else:
        d, side = _slide(pose, i)
        start, end = _frame_at(pose, i, rest)[1] - unit * LENGTH * d, pose.r[i]
        s = np.array([0, 0.1, *np.linspace(0.1, 0.9, 2 * COILS + 1)[:-1] + 0.4 / COILS / 2, 0.9, 1])
        sway = np.array([0, 0, *(unit * WIDTH * (-1) ** np.arange(2 * COILS)), 0, 0])
        points = start + np.outer(s, end - start) + np.outer(sway, side)
    stroke(ax, points, INK, 1.3, solid_joinstyle="round")


def end_stops(ax, pose, i):
    """The end stops of joint i that push back, as bars, and a thin line for the way between them."""
    character, unit = pose.model.characters[i], reach(pose.model)
    stops = [end for _, end in character.stops] if character is not None else []
    if not stops:
        return
    if isinstance(bare(pose.model.joints[i]), (Revolute, Helical)):
        def at(x):
            return _frame_at(pose, i, x)[0].T @ along

        along = pose.E[i] @ _plane(pose, i)[0]
        bars = [(pose.r[i], at(x), RADIUS) for x in stops]
        way = [pose.r[i] + unit * RADIUS * at(x) for x in np.linspace(stops[0], stops[-1], 73)]
    else:
        side = _slide(pose, i)[1]
        way = [_frame_at(pose, i, x)[1] for x in stops]
        bars = [(P, side, 0) for P in way]
    for P, direction, middle in bars:
        stroke(ax, P + unit * np.outer([middle - BAR, middle + BAR], direction), INK, 3.5)
    if len(stops) == 2:
        stroke(ax, way, GREY, 1, solid_joinstyle="round")


def _frame_at(pose, i, x):
    """E (rows: the axes) and r of body i, in the picture, where its joint would be at the position x."""
    E, r = (np.asarray(part, float) for part in X_to_Er(pose.model.joints[i].transform([x], pose.t)))
    return E @ pose.guide(i), pose.places[i] + r @ pose.guide(i)


def _plane(pose, i):
    """Two unit vectors across the axis of the turning joint i, the first along the body's first stick, if it can be."""
    axis = bare(pose.model.joints[i]).direction @ pose.E[i]
    for end in pose.ends[i]:
        a = end - pose.r[i] - (end - pose.r[i]) @ axis * axis
        if np.linalg.norm(a) > 1e-6 * reach(pose.model):
            a = a / np.linalg.norm(a)
            return a, np.cross(axis, a)
    return across(axis)


def _slide(pose, i):
    """The direction in which the origin of body i moves with its joint, and one across it that can be seen."""
    q = pose.q[pose.model.q_slice(i)][0]
    d = _frame_at(pose, i, q + 1)[1] - _frame_at(pose, i, q)[1]
    length = np.linalg.norm(d)
    d = d / length if length else np.array([1.0, 0, 0])
    side = np.array([-d[1], d[0], 0])
    return d, side / np.linalg.norm(side) if side.any() else across(d)[0]

