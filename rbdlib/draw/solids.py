"""Solid shapes in space, shaded and sorted by depth together: what stick models are built from.

Each maker returns faces, shape (k, 4, 3), for `solids`, which draws any number of them as one.
"""

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from rbdlib.draw.shapes import circle, cuboid
from rbdlib.numbers.pivots import across

_LIGHT = np.array([0.35, -0.55, 0.76])


class _Solids(Poly3DCollection):
    """Faces that stand behind all arrows, so that what is drawn on a body is not hidden by it."""

    def do_3d_projection(self):
        super().do_3d_projection()
        return np.inf


def solids(ax, parts):
    """Draw parts, a list of (faces, colour) or (faces, colour, alpha), shaded and sorted by depth together.

    Each part must be convex: its faces are lit by how they are turned away from its middle.
    """
    parts = [(*part, 1.0)[:3] for part in parts if len(part[0])]
    if not parts:
        return
    colors = np.concatenate([_lit(*part) for part in parts])
    edges = np.where(colors[:, 3:] < 1, 0, 1) * colors
    ax.add_collection3d(_Solids(np.concatenate([part[0] for part in parts]), facecolors=colors, edgecolors=edges,
                                lw=0.4), autolim=False)


def _lit(faces, color, alpha):
    """One colour (red, green, blue, alpha) per face, darker where it is turned away from the light."""
    normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    outward = np.sign(((faces.mean(axis=1) - faces.mean(axis=(0, 1))) * normals).sum(axis=1))
    bright = 0.78 + 0.27 * outward * (normals @ _LIGHT)
    return np.column_stack([np.clip(np.outer(bright, to_rgb(color)), 0, 1), np.full(len(faces), alpha)])


def tube(start, end, radius, sides=10):
    """A round bar from start to end (m), cut into short pieces so that depth sorting works, with flat ends."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = np.linalg.norm(end - start)
    if length < 1e-12:
        return np.zeros((0, 4, 3))
    a, b = across((end - start) / length)
    ring = radius * circle(sides) @ [a, b]
    pieces = int(np.clip(np.ceil(length / (5 * radius)), 1, 12))
    rings = start + np.linspace(0, 1, pieces + 1)[:, None, None] * (end - start) + ring
    middles = np.broadcast_to(np.array([start, end])[:, None], (2, *ring[:-1].shape))
    caps = np.stack([rings[[0, -1], :-1], rings[[0, -1], 1:], middles, middles], axis=2)    # wedges about the centre
    return np.concatenate([_between(rings), *caps])


def ellipsoid(center, axes, rows=7, columns=14):
    """The ellipsoid about center whose three half-axes (m) are the rows of ``axes``."""
    return _between(center + sphere(rows, columns) @ np.asarray(axes, float))


def sphere(rows, columns):
    """Points of the sphere of radius 1 about the origin, in rows from pole to pole: (rows + 1, columns + 1, 3)."""
    polar = np.linspace(0, np.pi, rows + 1)[:, None, None]
    around = np.insert(circle(columns), 2, 0, axis=1)
    return np.sin(polar) * around + np.cos(polar) * [0, 0, 1]


def ball(center, radius):
    """A ball about center (m)."""
    return ellipsoid(center, radius * np.eye(3), 6, 10)


def block(center, E, sides):
    """A cuboid about center with edges ``sides`` (m) along the rows of E."""
    return center + cuboid(*sides) @ E


def _between(rings):
    """The four-cornered faces of a grid of points (m, n, 3)."""
    return np.stack([rings[:-1, :-1], rings[1:, :-1], rings[1:, 1:], rings[:-1, 1:]], axis=2).reshape(-1, 4, 3)
