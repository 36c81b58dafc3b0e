"""Motion and force vectors made visible: velocity fields, screw axes, lines of action; inertias as ellipsoids.

As with the shapes, each function takes axes first and returns nothing.
"""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon

from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import point_velocity
from rbdlib.draw.shapes import arrow, circle, curve, line_through, point, stroke, write
from rbdlib.draw.solids import sphere
from rbdlib.draw.style import FORCE, INERTIA, INK, MOTION, in_axes, is_3d, numbers, positive
from rbdlib.methods.screws import screw_of_force, screw_of_motion
from rbdlib.numbers.pivots import across, principal_axes
from rbdlib.numbers.scalars import TOLERANCE, matrix


def _spatial(v, name, flat=False, entries=""):
    """v as a spatial vector of floats; a planar one of three is lifted into space; a flat one stays in the plane."""
    v = planar.to_spatial(numbers(v, 3, name)) if np.size(v) == 3 else numbers(v, 6, name)
    if flat and (v[[0, 1, 5]] != 0).any():
        raise ValueError(f"{name} leaves the x-y plane ({entries} must be 0). Draw it in draw.axes3d().")
    return v


def velocity_field(ax, v, extent=(-2, 2, -2, 2), *, n=9, scale=None, color=MOTION):
    """Arrows V(P) = v_O + omega × OP on a grid of points P of a moving body with z = 0 (RBDA Eq. 2.1).

    v: spatial (6) or planar (3) velocity. extent: (min, max, min, max) of the grid in m, with n points each way.
    scale: metres drawn for 1 m/s; without it the longest arrow spans one grid step. A plane picture shows the x and y
    parts of each arrow.
    """
    v, extent = _spatial(v, "v"), numbers(extent, 4, "extent")
    x, y = np.meshgrid(*(np.linspace(low, high, n) for low, high in extent.reshape(2, 2)))
    P = np.column_stack([x.ravel(), y.ravel(), np.zeros(n * n)])
    V = np.array([point_velocity(v, p) for p in P])
    fastest, step = np.linalg.norm(V, axis=1).max(), min(extent[1::2] - extent[::2]) / max(n - 1, 1)
    fitting = step / fastest if fastest else 1.0
    scale = fitting if scale is None else positive(scale, "scale", " of metres for 1 m/s")
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
    ring = radius * circle(59, 0.3, 0.3 + 1.6 * np.pi) @ [e1, e2]
    if label:
        write(ax, center, label, (1, -1), color)
    curve(ax, center + ring[:, : len(center)], color, width=1.6)


def screw_axis(ax, v, *, label="", radius=0.3, color=MOTION):
    """The axis about which a body with velocity v turns, and along which it slides (RBDA 2.5).

    v: spatial (6) or planar (3) velocity. In a plane picture the axis is a point, the instantaneous centre. A
    translation has no axis: its direction is drawn at the origin; a body at rest gets a dot there.
    """
    v = _spatial(v, "v", not is_3d(ax), "omega_x, omega_y, v_z")
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


def force_line(ax, f, *, label="", scale=1.0):
    """The line of action of a force f, and the force on it at the point nearest the origin.

    f: spatial (6) or planar (3) force. scale: metres drawn for 1 N. The couple along a wrench's axis, or a couple
    alone, is a circular arrow; a couple alone acts along no line and is drawn at the origin.
    """
    f = _spatial(f, "f", not is_3d(ax), "n_x, n_y, f_z")
    screw = screw_of_force(f)
    if screw.kind == "zero":
        point(ax, (0, 0, 0), label)
    elif screw.kind == "free":
        turn(ax, (0, 0, 0), screw.direction, color=FORCE, label=label)
    else:
        line_through(ax, screw.point, screw.direction, INK)
        arrow(ax, screw.point, scale * f[3:], FORCE)
        if label:
            aside = (-f[4], f[3], 0) if f[3:5].any() else (1, 0, 0)
            write(ax, screw.point + scale / 2 * f[3:], label, aside, FORCE)
        if screw.kind == "screw" and is_3d(ax):
            turn(ax, screw.point, np.sign(screw.pitch) * screw.direction, color=FORCE)


# Inertias and mobilities: how much of what, in which direction (RBDA 7.1)


def ellipsoid(ax, A, center=(0, 0, 0), color=INERTIA, label="", *, scale=1.0, axes=True, alpha=0.2, width=1.8):
    """The ellipse or ellipsoid that a symmetric matrix A makes of all vectors of length 1: the tips of scale A u.

    Its half axes are the eigenvectors of A, and scale times the eigenvalues is their length. For a block of an inverse
    inertia, it shows the accelerations that all forces of 1 N cause; for a block of an inertia, the forces that all
    accelerations of 1 m/s² need. A direction in which A is zero makes it flat.

    A: 2 x 2, positive semidefinite, in a plane picture; 3 x 3 in space. center: its centre (m). scale: the length in m
    of a unit of A. axes: whether to draw the half axes. alpha: opacity of the filling, 0 for none. Raises ValueError if
    A has another shape, is not symmetric, or has a negative eigenvalue.
    """
    n = 3 if is_3d(ax) else 2
    values, vectors = _principal_axes(A, n)
    center, (scale, alpha, width) = in_axes(ax, center, "center"), numbers([scale, alpha, width], 3, "the look")
    half_axes = scale * values * vectors
    if n == 3:
        if alpha:
            surface = np.moveaxis(center + sphere(24, 48) @ half_axes.T, -1, 0)
            ax.plot_surface(*surface, color=color, alpha=alpha, linewidth=0, rstride=1, cstride=1, shade=False)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            stroke(ax, center + circle(96) @ half_axes[:, [i, j]].T, color, 0.6 * width)
    else:
        outline = center + circle(96) @ half_axes.T
        ax.add_patch(Polygon(outline, facecolor=to_rgba(color, alpha), edgecolor="none", zorder=2))
        stroke(ax, outline, color, width)
    for half in half_axes.T if axes else ():
        stroke(ax, [center - half, center + half], color, 0.6 * width, style=":")
    if label:
        write(ax, center + half_axes[:, -1], label, half_axes[:, -1], color)


def _principal_axes(A, n):
    """Eigenvalues, ascending, and eigenvectors as columns, the last of which points up, or else to the right."""
    if np.shape(A) != (n, n):
        where = "a picture in space takes 3 x 3" if n == 3 else "a plane picture takes 2 x 2"
        raise ValueError(f"A has shape {np.shape(A)}, and {where}. Take a block of the matrix, such as Phi[3:, 3:].")
    A = numbers(matrix(A, (n, n), "A").ravel(), n * n, "A").reshape(n, n)
    size = np.abs(A).max()
    if np.abs(A - A.T).max() > TOLERANCE * size:
        raise ValueError(f"A differs from its transpose by {np.abs(A - A.T).max():.3g}; inertias are symmetric.")
    values, vectors = principal_axes(A)
    if values[0] < -TOLERANCE * size:
        raise ValueError(f"A has the negative eigenvalue {values[0]:.3g}; an inertia has none.")
    if tuple(np.round(vectors[::-1, -1], 9)) < (0,) * n:
        vectors[:, -1] *= -1
    return np.maximum(values, 0), vectors
