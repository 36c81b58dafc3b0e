"""Any model at any position, in the plane or in space: links, joints, masses, paths and velocities.

`axes_for` makes axes of the right size and kind; the other functions take axes first and return nothing. In plane axes
they draw the plane "xy", "xz" or "yz" of the base; without one, that in which the model moves.
"""

import numpy as np

from rbdlib.book.ch04_kinematics import body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.draw.posture import Posture, bare, link_ends, reach
from rbdlib.draw.shapes import arrow, frame, stroke, write
from rbdlib.draw.sketch import UNSEEN, InPlane, InSpace, end_stops, spring
from rbdlib.draw.style import BODY, MOTION, axes2d, axes3d, is_3d, numbers
from rbdlib.numbers.scalars import vector
from rbdlib.numbers.validation import one_of


def axes_for(model, q=None, *, plane=None, tips=None, inertias=False, title="", margin=0.15, t=0.0, **options):
    """Axes that hold the model at q, a position or an array of positions (k x nq). Returns matplotlib axes.

    plane: "xy", "xz" or "yz" for a plane picture, "space" for one in space; without it a model that moves in one of
    these planes only is drawn in that plane. tips, inertias: as for `model`, if these are to be drawn. margin: room at
    the sides, as a part of the extent. t: time, or one for each position (s), for joints that depend on it. options:
    further ones of `axes2d` or `axes3d`, such as view=, fig=, at=, size=.
    """
    require_model(model)
    rows = positions(model, model.neutral() if q is None else q)
    plane = plane_of(model) if plane is None else plane
    flat = plane != "space"
    P = np.concatenate([Posture(model, row, plane if flat else "xy", time, tips).points(inertias)
                        for row, time in zip(rows, np.broadcast_to(t, len(rows)), strict=True)])
    low, high = P.min(axis=0), P.max(axis=0)
    room = margin * max(*(high - low), reach(model) / 2)
    least = max(high - low) * np.array([1.2, 0.5, 0] if flat else [0.6, 0.6, 0.5])
    room += np.maximum(least - (high - low), 0) / 2
    low, high = low - room, high + room
    if flat:
        labels = {"x": f"{plane[0]} (m)", "y": f"{plane[1]} (m)"}
        return axes2d(title, **{**labels, "limits": (low[0], high[0], low[1], high[1]), **options})
    ax = axes3d(title, **{"limits": np.column_stack([low, high]).ravel(), "size": (7, 5), **options})
    ax.set_box_aspect(high - low, zoom=0.88)
    return ax


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


def _posture(ax, model, q, plane, t=0.0, tips=None):
    return Posture(require_model(model), q, _shown(ax, model, plane), t, tips)


def _shown(ax, model, plane):
    """The plane to which the coordinates of the picture belong."""
    plane = "space" if is_3d(ax) else plane_of(model) if plane is None else plane
    return "xy" if plane == "space" else plane


def model(ax, model, q=None, *, plane=None, t=0.0, masses=True, inertias=False, frames=False, axes=False, joints=True,
          labels="", tips=None, color=BODY):
    """A model at the position q (its neutral one if left out), as links between joints.

    In space the links are bars. Plane axes show the plane "xy", "xz" or "yz" of the base; if it is left out, the one in
    which the model moves. Dots are centres of mass, larger for larger masses; a joint that closes a loop is orange, and
    dashes show a gap in it. Springs are zigzags and spirals, end stops that push back bars at the ends of a thin line.

    masses, joints: whether to draw these. inertias: draw the uniform solid ellipsoids that have the bodies' masses and
    inertias. frames: True to draw the body frames, or the length (m) of their axes, or {body: length}. axes: draw the
    joint axes. labels: "numbers" or "names" of the bodies. tips: {body: point or points (m) in its coordinates} to
    which further sticks lead, such as a hand; without it, a body that carries no other ends where a rod of its mass
    and inertia would. color: of the links. t: time (s), for joints that depend on it.
    """
    pose = _posture(ax, model, q, plane, t, tips)
    one_of(("", "numbers", "names"), labels, "labels")
    strokes = InSpace(ax, pose, color) if is_3d(ax) else InPlane(ax, pose, color)
    half = 0.22 * reach(model)
    for i in model.bodies if axes else ():
        for P, d in () if isinstance(bare(model.joints[i]), UNSEEN) else pose.axes(i):
            stroke(ax, [P - half * d, P + half * d], MOTION, 1.3, style="-.", zorder=2)
    strokes.base()
    for i in model.bodies:
        strokes.slide(i)
    for i in model.bodies:
        strokes.body(i)
        if joints:
            strokes.joint(i)
            spring(ax, pose, i)
            end_stops(ax, pose, i)
        if masses:
            strokes.mass(i)
        if inertias:
            strokes.inertia(i)
    for loop in model.loops if joints else ():
        strokes.loop(loop)
    strokes.finish()
    if not isinstance(frames, dict):                        # {body: length of its frame's axes}
        frames = dict.fromkeys(model.bodies, 0.2 * reach(model) if frames is True else frames) if frames else {}
    for i in model.bodies:
        if i in frames:
            frame(ax, (pose.E[i], pose.r[i]), str(i), frames[i])
        if labels:
            along = max((P - pose.r[i] for P in pose.ends[i]), key=np.linalg.norm, default=np.zeros(3))
            aside = (1, 0, 0) if is_3d(ax) else (-along[1], along[0], 0) if along[:2].any() else (1, 1, 0)
            write(ax, pose.r[i] + along / 2, str(i) if labels == "numbers" else model.names[i], aside)


def trail(ax, model, q, body=None, point=None, *, plane=None, color=MOTION, label="", width=1.3, t=0.0):
    """The path of a point of a body through the positions q (k x nq), in base coordinates.

    body: its number, the last one if left out. point: (m) in the body's coordinates, its far end if left out.
    t: time, or one for each position (s), for joints that depend on it.
    """
    points = path(ax, model, q, body, point, plane=plane, t=t)
    stroke(ax, points, color, width, zorder=2)
    if label:
        write(ax, points[-1], label, (1, 1), color)


def path(ax, model, q, body=None, point=None, *, plane=None, t=0.0):
    """The points that `trail` connects, in the coordinates of the axes."""
    require_model(model)
    i = model.N_B if body is None else body
    if i not in model.bodies:
        raise ValueError(f"body is {body!r}; this model has the bodies 1 to {model.N_B}.")
    P = link_ends(model)[i][-1] if point is None else numbers(point, 3, "point")
    plane, rows = _shown(ax, model, plane), positions(model, q)
    points = np.array([Posture(model, row, plane, time).at(i, P)
                       for row, time in zip(rows, np.broadcast_to(t, len(rows)), strict=True)])
    return points[:, : 3 if is_3d(ax) else 2]


def velocities(ax, model, q, qd, *, plane=None, scale=None, t=0.0):
    """The velocities of the bodies' centres of mass as arrows, of length scale (m) for 1 m/s.

    Without scale, the longest arrow takes a third of the model's reach.
    """
    pose, v, arrows = _posture(ax, model, q, plane, t), body_velocities(model, q, qd, t), []
    for i, found in ((i, pose.mass(i)) for i in model.bodies):
        if found:
            c = pose.E[i] @ (found[1] - pose.r[i])
            arrows.append((found[1], (v[i][3:] + np.cross(v[i][:3], c)) @ pose.E[i]))
    lengths = [np.linalg.norm(along[: 3 if is_3d(ax) else 2]) for _, along in arrows]
    longest = max(lengths, default=0.0)
    scale = reach(model) / (3 * longest or 1) if scale is None else scale
    for (P, along), length in zip(arrows, lengths, strict=True):
        if length > 1e-9 * longest:
            arrow(ax, P, scale * along)
