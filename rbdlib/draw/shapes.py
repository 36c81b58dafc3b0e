"""Arrows, frames, bodies and joints: the strokes of every picture, in the plane and in space.

Each function takes axes first, and returns nothing, so that a notebook cell may end with it. In a plane picture the
first two coordinates are drawn; positions may then be given as 2-vectors or as 3-vectors.
"""

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.proj3d import proj_transform

from rbdlib.book.ch02_spatial import X_to_Er, rotation, rz
from rbdlib.draw.style import AXIS_X, AXIS_Y, AXIS_Z, BODY, GREY, INK, MOTION, in_axes, is_3d, numbers, spoken
from rbdlib.numbers.validation import planar_transform

__all__ = [
    "angle_arc", "arrow", "body", "box", "carriage", "cuboid", "curve", "ellipse", "frame", "ground", "line_through",
    "link", "pin", "point", "rail", "rod", "write",
]
HALO = [withStroke(linewidth=3, foreground="white")]


class _ArrowInSpace(FancyArrowPatch):
    """An arrow along points in space, with a head that stays the same size from wherever one looks."""

    def __init__(self, points, **look):
        super().__init__(path=Path(points[:, :2]), **look)
        self.points = points

    def do_3d_projection(self, renderer=None):
        ax: Any = self.axes
        x, y, depth = proj_transform(*self.points.T, ax.get_proj())
        self._path_original = Path(np.column_stack([x, y]))
        return min(depth)


def arrow(ax, start, vector, color=MOTION, label="", *, width=2):
    """An arrow from the point start (m) along vector, in the units of the axes; a zero vector becomes a dot.

    Scale the vector yourself if it is not a length: ``draw.arrow(ax, P, 0.1 * f, draw.FORCE, "f")`` draws 10 N as 1 m.
    """
    start, vector = in_axes(ax, start, "start"), in_axes(ax, vector, "vector")
    tip = start + vector
    if not vector.any():
        point(ax, start, label, color)
        return
    if label:
        write(ax, tip, label, vector, color)
    curve(ax, np.array([start, tip]), color, width=width)


def curve(ax, points, color=MOTION, *, width=2, style="-|>"):
    """An arrow along a row of points, shape (n, 2) or (n, 3)."""
    look = {"arrowstyle": style, "mutation_scale": 7 * width, "lw": width, "color": color, "zorder": 4,
            "shrinkA": 0, "shrinkB": 0, "joinstyle": "miter", "capstyle": "butt"}
    if is_3d(ax):
        ax.add_artist(_ArrowInSpace(np.asarray(points, float), **look))
        return
    ax.add_patch(FancyArrowPatch(path=Path(points), **look))
    ax.update_datalim(points)
    ax.autoscale_view()


def stroke(ax, points, color, width, *, style="-", zorder=4, **look):
    """A line through points (m), shape (n, 3), or (n, 2) in a plane picture."""
    ax.plot(*np.transpose(points)[: 3 if is_3d(ax) else 2], color=color, lw=width, ls=style, zorder=zorder, **look)


def point(ax, P, label="", color=INK, *, size=6, toward=(1, 1)):
    """A dot at the point P (m); the label stands off in the direction ``toward``."""
    P = in_axes(ax, P, "P")
    ax.plot(*P[:, None], "o", color=color, markersize=size, zorder=5)
    if label:
        write(ax, P, label, toward, INK)


def line_through(ax, point, direction, color=GREY, label="", *, style="--"):
    """The line through a point (m) along a direction, as far as the axes reach; where they do not, a piece of it."""
    P, d = in_axes(ax, point, "point"), in_axes(ax, direction, "direction")
    if not d.any():
        raise ValueError("direction is zero in this picture; give the line a direction that can be seen in it.")
    look = {"color": color, "lw": 1.3, "ls": style, "zorder": 2}
    if is_3d(ax):
        box = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.sort((box - P[:, None]) / d[:, None], axis=1)[d != 0]
        enter, leave = t[:, 0].max(), t[:, 1].min()
        ends = np.array([P + enter * d, P + leave * d] if enter < leave else [P, P + d])
        ax.plot(*ends.T, **look)
    else:
        ax.axline(P, P + d, **look)
    if label:
        P, toward = (ends[1], d) if is_3d(ax) else (P, (-d[1], d[0]))
        write(ax, P, label, toward, color)


def write(ax, P, text, toward=(0, 1), color=INK):
    """Text beside the point P (m), standing off in the direction ``toward``."""
    P, toward = in_axes(ax, P, "P"), in_axes(ax, toward, "toward")
    away = toward / (np.linalg.norm(toward) or 1)
    look = {"color": color, "path_effects": HALO, "ha": "center", "va": "center", "zorder": 6}
    if is_3d(ax):
        size = np.linalg.norm(np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1))
        ax.text(*(P + 0.035 * size * away), text, **look)
        return
    reach = 8 + 3 * min(len(spoken(text)), 12) * abs(away[0])
    ax.annotate(text, P, xytext=reach * away, textcoords="offset points", **look)


def pose(X):
    """(E, r) of a placement: None, a Plücker or planar transform ᴮX_A, or the pair (E, r) itself.

    The rows of E are B's axes in A coordinates and r is B's origin (m) in A coordinates.
    """
    if X is None:
        return np.eye(3), np.zeros(3)
    if isinstance(X, tuple) and len(X) == 2:
        E, r = X
        E = rz(float(E)) if np.ndim(E) == 0 else rotation(E, "E")
        r = [*r, 0] if np.size(r) == 2 else r
    elif np.shape(X) == (3, 3):
        X = planar_transform(X, "X")
        E, r = np.eye(3), np.zeros(3)
        E[:2, :2] = X[1:, 1:]
        r[:2] = [[0, 1], [-1, 0]] @ (E[:2, :2].T @ X[1:, 0])
    else:
        E, r = X_to_Er(X)
    return numbers(np.ravel(E), 9, "E").reshape(3, 3), numbers(r, 3, "r")


def frame(ax, X=None, label="", length=1.0, *, names="xyz"):
    """The coordinate frame B of a transform ᴮX_A, drawn in A coordinates: its axes are the rows of E, its origin is r.

    X: 6 x 6 Plücker or 3 x 3 planar transform, a pair (E, r), a pair (angle, r), or None for the frame A itself.
    label: the frame's name, written behind the axis names. An axis that points out of the plane is left out.
    """
    E, r = pose(X)
    for axis, name, color in zip(E, names, (AXIS_X, AXIS_Y, AXIS_Z), strict=True):
        if np.linalg.norm(in_axes(ax, axis, "axis")) > 1e-9:
            text = f"${name}_{{{label}}}$" if label else f"${name}$"
            arrow(ax, r, length * axis, color, text)
    point(ax, r, color=INK, size=4)


def box(width, height):
    """The outline of a rectangle (m) about its centre, for `body`: shape (4, 2)."""
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, height / 2)


def ellipse(width, height):
    """The outline of an ellipse (m) about its centre, for `body`: shape (72, 2)."""
    return circle(72)[:-1] * (width / 2, height / 2)


def circle(n=72, start=0.0, end=2 * np.pi):
    """Points of the circle of radius 1 about the origin, from one angle (rad) to another: shape (n + 1, 2).

    The last point of a whole circle is the first, to the last digit: by that Matplotlib tells if an outline is closed.
    """
    t = np.linspace(start, end, n + 1)
    if end - start == 2 * np.pi:
        t[-1] = start
    return np.column_stack([np.cos(t), np.sin(t)])


def rod(length, thickness):
    """The outline of a rod (m) with round ends that reaches from the origin along x, for `body`: shape (n, 2)."""
    cap = thickness / 2 * circle(23, -np.pi / 2, np.pi / 2)
    return np.vstack([cap + [length, 0], -cap])


def cuboid(a, b, c):
    """The six faces of a cuboid with sides a, b, c (m) about its centre, for `body` in space: shape (6, 4, 3)."""
    square = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    faces = [sign * np.roll(square, k, axis=1) for k in range(3) for sign in (1, -1)]
    return np.array(faces) * (a / 2, b / 2, c / 2)


def body(ax, outline, X=None, color=BODY, label="", *, edge=INK, alpha=0.9):
    """A body: an outline in its own coordinates, put where the transform X = ᴮX_A says (see `frame`).

    outline: points (n, 2) or (n, 3) from `box`, `ellipse`, `rod` or your own, in m; in space also faces (k, n, 3).
    """
    E, r = pose(X)
    outline = np.asarray(outline, float)
    if outline.ndim not in (2, 3) or outline.shape[-1] not in (2, 3) or not np.isfinite(outline).all():
        raise ValueError(f"outline has shape {outline.shape}; expected finite points (n, 2) or (n, 3), or (k, n, 3).")
    corners = r + outline @ E[: outline.shape[-1]]
    if label:
        write(ax, r, label, (0, 0))
    if is_3d(ax):
        faces = corners if corners.ndim == 3 else corners[None]
        ax.add_collection3d(Poly3DCollection(faces, facecolor=color, edgecolor=edge, lw=1, alpha=alpha))
        return
    if corners.ndim == 3:
        raise ValueError("outline has faces, which need axes in space. Use draw.axes3d(), or points (n, 2) alone.")
    ax.add_patch(Polygon(corners[:, :2], facecolor=color, edgecolor=edge, lw=1.5, alpha=alpha, zorder=3))
    ax.autoscale_view()


def link(ax, a, b, color=BODY, label="", *, width=9):
    """A link from the point a to the point b (m), as a bar of the given width in points."""
    a, b = in_axes(ax, a, "a"), in_axes(ax, b, "b")
    outline = [withStroke(linewidth=width + 3, foreground=INK)]
    ax.plot(*np.array([a, b]).T, color=color, lw=width, solid_capstyle="round", path_effects=outline, zorder=3)
    if label:
        write(ax, (a + b) / 2, label, [a[1] - b[1], b[0] - a[0], *0 * a[2:]])


def pin(ax, P, *, size=9):
    """A revolute joint seen along its axis: a white disc at the point P (m)."""
    ax.plot(*in_axes(ax, P, "P")[:, None], "o", mfc="white", mec=INK, mew=1.8, ms=size, zorder=5)


def rail(ax, a, b, *, color=GREY):
    """The guide of a prismatic joint from the point a to the point b (m)."""
    stroke(ax, [in_axes(ax, a, "a"), in_axes(ax, b, "b")], color, 4, zorder=2, solid_capstyle="butt")


def carriage(ax, P, angle=0.0, size=0.3, color="white", label=""):
    """Carriage on a `rail`: a block at the point P (m), turned by angle (rad)."""
    body(ax, box(size, 0.6 * size), (angle, in_axes(ax, P, "P")), color, label, alpha=1)


def ground(ax, P=(0, 0), width=1.0, angle=0.0, *, strokes=36, color=GREY):
    """The fixed base: a hatched line of the given width (m) centred at P; at angle 0 (rad) the hatching is below.

    Plane pictures only.
    """
    _plane_only(ax, "ground")
    P, turn = in_axes(ax, P, "P"), rz(numbers([angle], 1, "angle")[0])[:2, :2]
    ends, step = np.linspace(-width / 2, width / 2, strokes + 1)[1:], width / strokes
    hatches = np.array([[[x, 0], [x - step, -step]] for x in ends])
    line = np.array([[-width / 2, 0], [width / 2, 0]])
    hatching = LineCollection([*(hatches @ turn + P), line @ turn + P], colors=color,
                              linewidths=[1.0] * strokes + [2.0], zorder=2)
    ax.add_collection(hatching)
    ax.autoscale_view()


def _plane_only(ax, name):
    if is_3d(ax):
        raise ValueError(f"ax is in space, and {name} draws in the plane. Use axes from draw.axes2d().")


def angle_arc(ax, center, start, end, radius=0.3, label="", color=INK):
    """An arc with an arrow head from the angle start to the angle end (rad, anticlockwise from x) about center (m).

    Plane pictures only.
    """
    _plane_only(ax, "angle_arc")
    center = in_axes(ax, center, "center")
    start, end = numbers([start, end], 2, "the angles")
    if label:
        (out,) = circle(0, (start + end) / 2)
        write(ax, center + radius * out, label, out, color)
    curve(ax, center + radius * circle(39, start, end), color, width=1.3)
