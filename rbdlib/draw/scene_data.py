"""Data for the viewer: the shapes of `draw.model`, recorded once in the bodies' coordinates, and their motion.

A part is a dictionary that becomes JSON: "kind" (tube, ball, block or ellipsoid), "layer" (one of `LAYERS`), "color"
and what its kind needs, in metres. Where the bodies and the forces on them are is packed into whole numbers. Sixteen
bits are enough for a picture, and a number is the same text on every computer as long as it is not half-way between two
of them. Exact halves are common among positions, so that the grid is moved aside by `ASIDE` of a step.
"""

import base64
from types import SimpleNamespace

import numpy as np

from rbdlib.contact.geometry import contacts_of
from rbdlib.contact.simulation import ContactTrajectory
from rbdlib.contact.soft_simulation import SoftTrajectory
from rbdlib.draw.posture import Posture, place
from rbdlib.draw.sketch import UNSEEN, InSpace
from rbdlib.draw.style import AXIS_X, AXIS_Y, AXIS_Z, HIGHLIGHT, MOTION, numbers
from rbdlib.motion.simulate import Trajectory
from rbdlib.numbers.orientation import euler_parameters_from_rotation

#: The layers that can be shown and hidden, and their names in the viewer.
LAYERS = {"links": "Links", "masses": "Centres of mass", "inertias": "Ellipsoids of inertia", "frames": "Body frames",
          "axes": "Joint axes", "names": "Names of bodies", "trails": "Trails", "forces": "Forces", "ground": "Ground"}

ASIDE = 0.1234
TURN_STEP = 1 / 32000
_STEPS = 30000
#: The makers of `solids`, which here say what is to be made, in the coordinates of the picture.
_SHAPES = SimpleNamespace(
    tube=lambda start, end, radius, sides=10: (
        {"kind": "tube", "points": [start, end], "radius": radius} if np.linalg.norm(end - start) >= 1e-9 else {}),
    ball=lambda center, radius: {"kind": "ball", "points": [center], "radius": radius},
    block=lambda center, E, sides: {"kind": "block", "points": [center], "turn": E, "sides": sides},
    ellipsoid=lambda center, axes: {"kind": "ellipsoid", "points": [center], "axes": axes})


class Recorded(InSpace):
    """The picture of a model in space, taken apart: `parts_of` gives what belongs to each body."""

    solid = _SHAPES

    def parts_of(self):
        """{body: list of parts}, each in the coordinates of its body, those of the base under 0."""
        model = self.pose.model
        found = {i: [] for i in (0, *model.bodies)}
        found[0] += self._taken(0, self.base)
        for i in model.bodies:
            guide = model.parent[i]
            found[guide] += self._taken(guide, self.slide, i)[:1]
            found[i] += self._taken(i, self.slide, i)[1:]                               # a pinion turns with the body
            for draw in (self.body, self.joint, self.mass, self.inertia):
                found[i] += self._taken(i, draw, i)
            found[i] += [in_body(self.pose, i, part) for part in self.axes(i)]
        for loop in model.loops:
            for i, X in ((loop.predecessor, loop.X_P), (loop.successor, loop.X_S)):
                ball = {**_SHAPES.ball(self.pose.at(i, place(X)), 2 * self.thick), "layer": "links", "color": HIGHLIGHT}
                found[i].append(in_body(self.pose, i, ball))
        return found

    def _taken(self, i, draw, *of):
        """What ``draw`` makes, in the coordinates of body i."""
        self.parts, self.clouds, self.dots = [], [], []
        draw(*of)
        layers = (("links", self.parts), ("inertias", self.clouds), ("masses", self.dots))
        return [in_body(self.pose, i, {**part, "layer": layer, "color": color})
                for layer, drawn in layers for part, color, *_ in drawn if part]

    def axes(self, i):
        """The axes of joint i, as thin bars, and its frame, as three."""
        half, thin = 0.22 * self.unit, 0.25 * self.thick
        shown = () if isinstance(self.kind(i), UNSEEN) else self.pose.axes(i)
        for P, d in shown:
            yield {**_SHAPES.tube(P - half * d, P + half * d, thin), "layer": "axes", "color": MOTION}
        for d, color in zip(self.pose.E[i], (AXIS_X, AXIS_Y, AXIS_Z), strict=True):
            end = self.pose.r[i] + 0.2 * self.unit * d
            yield {**_SHAPES.tube(self.pose.r[i], end, 0.4 * self.thick), "layer": "frames", "color": color}


def in_body(pose, i, part):
    """The part with its places and directions in the coordinates of body i, rounded for JSON."""
    E, r, local = pose.E[i], pose.r[i], dict(part)
    local["points"] = [rounded((P - r) @ E.T) for P in part["points"]]
    if "turn" in part:
        local["turn"] = rounded(part["turn"] @ E.T)
    if "axes" in part:
        # the symmetric matrix that makes the ellipsoid of the unit ball: unlike axes of equal lengths it is unique
        half_axes = np.asarray(local.pop("axes")) @ E.T
        lengths, turn = np.linalg.eigh(half_axes.T @ half_axes)
        local["stretch"] = rounded(turn * np.sqrt(np.maximum(lengths, 0)) @ turn.T)
    for name in ("sides", "radius"):
        if name in part:
            local[name] = rounded(part[name])
    return local


def rounded(x):
    """Numbers for JSON: to a hundredth of a millimetre, and never -0."""
    return (np.round(np.asarray(x, float), 5) + 0.0).tolist()


def packed(x, step):
    """The numbers x as multiples of step, in base 64: 16 bits each, the lower byte first."""
    whole = np.round(np.asarray(x, float) / step + ASIDE)
    return base64.b64encode(whole.astype("<i2").tobytes()).decode("ascii")


def step_for(extent):
    """A round step (m) of which coordinates up to extent (m) have no more than 30,000."""
    decade = 10.0 ** np.floor(np.log10(extent / _STEPS))
    return float(next(decade * k for k in (1, 2, 5, 10) if decade * k * _STEPS >= extent))


def poses(model, t, q):
    """Postures of the motion, and [position (m), quaternion (x, y, z, w)] of every body: (k, N_B, 7)."""
    postures = [Posture(model, row, t=time) for time, row in zip(t, q, strict=True)]
    out = np.zeros((len(postures), model.N_B, 7))
    for k, pose in enumerate(postures):
        for i in model.bodies:
            p0, *p = euler_parameters_from_rotation(pose.E[i])
            turn = np.array([*p, p0])
            if k and turn @ out[k - 1, i - 1, 3:] < 0:
                turn = -turn                                    # the same orientation, and nearer to the one before
            out[k, i - 1] = [*pose.r[i], *turn]
    return postures, out


def arrows_of(motion):
    """(points, vectors), each (k, n, 3), of the contact forces of a `Trajectory`, in N; None if it has no contacts."""
    if isinstance(motion, ContactTrajectory):
        rows = [[(contact.point, contact.n[3:] * f) for contact, f in zip(
            contacts_of(motion.model, motion.pairs, q, qd, t), lam, strict=True)]
            for q, qd, t, lam in zip(motion.q, motion.qd, motion.t, motion.lam, strict=True)]
    elif isinstance(motion, SoftTrajectory):
        rows = [[(p.contact.point, p.contact.n[3:] * p.f_n + p.f_t) for p in row] for row in motion.points]
    else:
        return None
    both = np.array([[(np.zeros(3), np.zeros(3)) if P is None else (P, f) for P, f in row] for row in rows], float)
    return (both[:, :, 0], both[:, :, 1]) if rows[0] else None


def checked_arrows(arrows, k):
    """{name: (points, vectors)} with arrays (k, n, 3); ValueError or TypeError naming what is wrong."""
    if not isinstance(arrows, dict):
        raise TypeError(f"arrows is {type(arrows).__name__}; expected {{name: (points, vectors)}}.")
    found = {}
    for name, pair in arrows.items():
        try:
            points, vectors = (np.asarray(part, float) for part in pair)
        except (TypeError, ValueError):
            raise ValueError(f"arrows[{name!r}] must be a pair (points, vectors) of arrays of numbers.") from None
        if points.shape != vectors.shape or points.ndim != 3 or points.shape[0] != k or points.shape[2] != 3:
            raise ValueError(f"arrows[{name!r}] has points {points.shape} and vectors {vectors.shape}; expected two "
                             f"arrays ({k}, n, 3): for each of the {k} times, n points (m) and n vectors.")
        for part in (points, vectors):
            numbers(part.ravel(), part.size, f"arrows[{name!r}]")
        found[str(name)] = points, vectors
    return found


def at_times(times, t, values):
    """values (k, ...) at the times t, interpolated to other times."""
    columns = [np.interp(times, t, column) for column in np.reshape(values, (len(t), -1)).T]
    return np.array(columns).T.reshape(len(times), *np.shape(values)[1:])


def increasing(motion):
    """(t, q, kept) of a `Trajectory` without the second sample of two at one time, as there may be at an impact."""
    if not isinstance(motion, Trajectory):
        raise TypeError(f"motion is {type(motion).__name__}; expected a Trajectory, such as simulate returns.")
    kept = np.flatnonzero(np.diff(motion.t, append=np.inf) > 0)
    return motion.t[kept], motion.q[kept], kept
