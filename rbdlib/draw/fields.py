"""Motion and force vectors made visible: velocity fields, screw axes, lines of action.

As with the shapes, each function takes axes first and returns nothing.
"""

import numpy as np

from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import point_velocity
from rbdlib.draw.shapes import arrow, curve, line_through, point, write
from rbdlib.draw.style import FORCE, INK, MOTION, in_axes, is_3d, numbers
from rbdlib.methods.screws import screw_of_force, screw_of_motion
from rbdlib.numbers.pivots import across

_PLANES = {"xy": (0, 1, 2), "yz": (1, 2, 0), "zx": (2, 0, 1)}


def _spatial(v, name):
    """v as a spatial vector of floats; a planar vector of three numbers is lifted into space."""
    return planar.to_spatial(numbers(v, 3, name)) if np.size(v) == 3 else numbers(v, 6, name)


def velocity_field(ax, v, extent=(-2, 2, -2, 2), *, plane="xy", height=0.0, n=9, scale=None, color=MOTION):
    """Arrows V(P) = v_O + omega × OP on a grid of points P of a moving body (RBDA Eq. 2.1).

    v: spatial (6) or planar (3) velocity. extent: (min, max, min, max) of the grid in m, with n points each way.
    plane, height: "xy", "yz" or "zx", at that distance (m) from the origin. A plane picture shows "xy" only, and of
    each arrow its x and y parts. scale: metres drawn for 1 m/s; without it the longest arrow spans one grid step.
    """
    v, extent = _spatial(v, "v"), numbers(extent, 4, "extent")
    if plane not in _PLANES or (plane != "xy" and not is_3d(ax)):
        raise ValueError(f"plane is {plane!r}; expected 'xy', or in space also 'yz' or 'zx'.")
    if scale is not None and not numbers([scale], 1, "scale")[0] > 0:
        raise ValueError(f"scale is {scale}; expected a positive number of metres for 1 m/s.")
    i, j, k = _PLANES[plane]
    grid = np.zeros((n, n, 3))
    grid[..., i], grid[..., j] = np.meshgrid(np.linspace(*extent[:2], n), np.linspace(*extent[2:], n))
    grid[..., k] = height
    P = grid.reshape(-1, 3)
    V = np.array([point_velocity(v, p) for p in P])
    if scale is None:
        fastest = np.linalg.norm(V, axis=1).max()
        step = min(extent[1] - extent[0], extent[3] - extent[2]) / max(n - 1, 1)
        scale = step / fastest if fastest > 0 else 1.0
    if is_3d(ax):
        ax.quiver(*P.T, *(scale * V).T, color=color, lw=1.2, arrow_length_ratio=0.3)
    else:
        ax.quiver(*P[:, :2].T, *V[:, :2].T, color=color, angles="xy", scale_units="xy", scale=1 / scale,
                  width=0.0035, pivot="tail", zorder=3)


def turn(ax, center, axis=(0, 0, 1), radius=0.3, color=MOTION, label=""):
    """A circular arrow about the point center (m): the sense of a rotation or couple about an axis.

    In a plane picture only the sign of the axis' z component matters: positive is anticlockwise.
    """
    center, axis = in_axes(ax, center, "center"), numbers(axis, 3, "axis")
    if not is_3d(ax):
        axis = np.array([0, 0, axis[2]])
    if not axis.any():
        raise ValueError("axis is zero in this picture; give an axis with a component that can be seen in it.")
    e3 = axis / np.linalg.norm(axis)
    e1, e2 = across(e3)
    t = np.linspace(0.3, 0.3 + 1.6 * np.pi, 60)
    ring = radius * (np.outer(np.cos(t), e1) + np.outer(np.sin(t), e2))
    if label:
        write(ax, center, label, (1, -1), color)
    curve(ax, center + ring[:, : len(center)], color, width=1.6)


def screw_axis(ax, v, *, label="", radius=0.3, color=MOTION):
    """The axis about which a body with velocity v turns, and along which it slides (RBDA 2.5).

    v: spatial (6) or planar (3) velocity. In a plane picture the axis is a point, the instantaneous centre. A
    translation has no axis: its direction is drawn at the origin; a body at rest gets a dot there.
    """
    v = _spatial(v, "v")
    if not is_3d(ax) and (v[[0, 1, 5]] != 0).any():
        raise ValueError("v leaves the x-y plane (omega_x, omega_y, v_z must be 0). Draw it in draw.axes3d().")
    screw = screw_of_motion(v)
    if screw.point is None:
        arrow(ax, (0, 0, 0), v[3:] / (screw.magnitude or 1), color, label)
        return
    turn(ax, screw.point, screw.direction, radius, color)
    if is_3d(ax):
        line_through(ax, screw.point, screw.direction, color, label)
        arrow(ax, screw.point, 2.5 * radius * screw.direction, color)
    else:
        point(ax, screw.point, label, color)


def force_line(ax, f, *, label="", scale=1.0, radius=0.3, color=FORCE):
    """The line of action of a force f, and the force on it at the point nearest the origin.

    f: spatial (6) or planar (3) force. scale: metres drawn for 1 N. The couple along a wrench's axis, or a couple
    alone, is a circular arrow; a couple alone acts along no line and is drawn at the origin.
    """
    f = _spatial(f, "f")
    if not is_3d(ax) and (f[[0, 1, 5]] != 0).any():
        raise ValueError("f leaves the x-y plane (n_x, n_y, f_z must be 0). Draw it in draw.axes3d().")
    screw = screw_of_force(f)
    if screw.kind == "zero":
        point(ax, (0, 0, 0), label, color)
    elif screw.kind == "free":
        turn(ax, (0, 0, 0), screw.direction, radius, color, label)
    else:
        line_through(ax, screw.point, screw.direction, INK)
        arrow(ax, screw.point, scale * f[3:], color)
        if label:
            aside = (-f[4], f[3], 0) if f[3:5].any() else (1, 0, 0)
            write(ax, screw.point + scale / 2 * f[3:], label, aside, color)
        if screw.kind == "screw" and is_3d(ax):
            turn(ax, screw.point, np.sign(screw.pitch) * screw.direction, radius, color)
