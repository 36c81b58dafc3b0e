"""Parts of a model in the viewer: the shapes of `draw.model`, recorded once in the bodies' coordinates.

A part is a dictionary that becomes JSON: "kind" (tube, ball, block or ellipsoid), "layer" (one of `LAYERS`), "color"
and what its kind needs, in metres.
"""

import numpy as np

from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Helical, Planar, Prismatic
from rbdlib.draw.posture import bare, place
from rbdlib.draw.sketch import InSpace
from rbdlib.draw.style import AXIS_X, AXIS_Y, AXIS_Z, BODY, GREY, HIGHLIGHT, MOTION

#: What can be shown and hidden, and what the viewer calls it.
LAYERS = {"links": "Links", "masses": "Centres of mass", "inertias": "Ellipsoids of inertia", "frames": "Body frames",
          "axes": "Joint axes", "names": "Names of bodies", "trails": "Trails", "forces": "Forces", "ground": "Ground"}


class _Shapes:
    """The makers of `solids`, which here say what is to be made, in the coordinates of the picture."""

    @staticmethod
    def tube(start, end, radius, sides=10):
        if np.linalg.norm(end - start) < 1e-9:
            return {}
        return {"kind": "tube", "points": [start, end], "radius": radius}

    @staticmethod
    def ball(center, radius):
        return {"kind": "ball", "points": [center], "radius": radius}

    @staticmethod
    def block(center, E, sides):
        return {"kind": "block", "points": [center], "turn": E, "sides": sides}

    @staticmethod
    def ellipsoid(center, axes):
        return {"kind": "ellipsoid", "points": [center], "axes": axes}


class Recorded(InSpace):
    """The picture of a model in space, taken apart: `parts_of` gives what belongs to each body."""

    solid = _Shapes

    def __init__(self, pose, color=BODY, travel=None):
        super().__init__(None, pose, color)
        self.travel = travel or {}

    def slide(self, i):
        """The guide of a joint that slides, as long as the motion needs; a rack and a pinion as they are."""
        if not isinstance(self.kind(i), (Prismatic, Cylindrical, Helical)):
            super().slide(i)
            return
        low, high = self.travel.get(i, (0.0, 0.0))
        P, d = self.pose.places[i], self.direction(i)
        ends = [P + (end + sign * 3 * self.thick) * d for end, sign in ((min(0, low), -1), (max(0, high), 1))]
        self.parts.append((self.solid.tube(*ends, 0.6 * self.thick), GREY))

    def parts_of(self):
        """{body: list of parts}, each in the coordinates of its body, those of the base under 0."""
        model = self.pose.model
        found = {i: [] for i in (0, *model.bodies)}
        found[0] += self._taken(self.base, 0)
        for i in model.bodies:
            guide = model.parent[i]
            found[guide] += self._taken(lambda i=i: self.slide(i), guide)[:1]
            found[i] += self._taken(lambda i=i: self.slide(i), i)[1:]                   # a pinion turns with the body
            for draw in (self.body, self.joint, self.mass, self.inertia):
                found[i] += self._taken(lambda i=i, draw=draw: draw(i), i)
            found[i] += [in_body(self.pose, i, part) for part in self.axes(i)]
        for loop in model.loops:
            for i, X in ((loop.predecessor, loop.X_P), (loop.successor, loop.X_S)):
                ball = {**_Shapes.ball(self.pose.at(i, place(X)), 2 * self.thick), "layer": "links", "color": HIGHLIGHT}
                found[i].append(in_body(self.pose, i, ball))
        return found

    def _taken(self, draw, i):
        self.parts, self.clouds, self.dots = [], [], []
        draw()
        layers = (("links", self.parts), ("inertias", self.clouds), ("masses", self.dots))
        return [in_body(self.pose, i, {**part, "layer": layer, "color": color})
                for layer, drawn in layers for part, color, *_ in drawn if part]

    def axes(self, i):
        """The axes of joint i, as thin bars, and its frame, as three."""
        half, thin = 0.22 * self.unit, 0.25 * self.thick
        shown = () if isinstance(bare(self.pose.model.joints[i]), (FreeMotion, Planar)) else self.pose.axes(i)
        for P, d in shown:
            yield {**_Shapes.tube(P - half * d, P + half * d, thin), "layer": "axes", "color": MOTION}
        for d, color in zip(self.pose.E[i], (AXIS_X, AXIS_Y, AXIS_Z), strict=True):
            end = self.pose.r[i] + 0.2 * self.unit * d
            yield {**_Shapes.tube(self.pose.r[i], end, 0.4 * self.thick), "layer": "frames", "color": color}


def in_body(pose, i, part):
    """The part with its places and directions in the coordinates of body i, rounded for JSON."""
    E, r, local = pose.E[i], pose.r[i], dict(part)
    local["points"] = [rounded((P - r) @ E.T) for P in part["points"]]
    if "turn" in part:
        local["turn"] = rounded(part["turn"] @ E.T)
    if "axes" in part:
        local["stretch"] = rounded(_stretch(np.asarray(local.pop("axes")) @ E.T))
    for name in ("sides", "radius"):
        if name in part:
            local[name] = rounded(part[name])
    return local


def _stretch(half_axes):
    """The symmetric matrix that makes the ellipsoid of the unit ball: unlike axes of equal lengths it is unique."""
    lengths, turn = np.linalg.eigh(half_axes.T @ half_axes)
    return turn * np.sqrt(np.maximum(lengths, 0)) @ turn.T


def rounded(x):
    """Numbers for JSON: to a hundredth of a millimetre, and never -0."""
    return (np.round(np.asarray(x, float), 5) + 0.0).tolist()
