"""Inertias and mobilities as ellipses and ellipsoids: how much of what, in which direction (RBDA 7.1)."""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon

from rbdlib.draw.shapes import write
from rbdlib.draw.style import INERTIA, in_axes, is_3d, numbers
from rbdlib.numbers.pivots import principal_axes
from rbdlib.numbers.scalars import TOLERANCE, matrix


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
    (_in_space if n == 3 else _in_the_plane)(ax, half_axes, center, color, alpha, width)
    if axes:
        for half in half_axes.T:
            ax.plot(*np.array([center - half, center + half]).T, color=color, lw=0.6 * width, ls=":", zorder=4)
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


def _in_the_plane(ax, half_axes, center, color, alpha, width):
    outline = center + _circle() @ half_axes.T
    ax.add_patch(Polygon(outline, facecolor=to_rgba(color, alpha), edgecolor="none", zorder=2))
    ax.plot(*outline.T, color=color, lw=width, zorder=4)


def _in_space(ax, half_axes, center, color, alpha, width):
    if alpha:
        u, height = _circle(48), np.linspace(-np.pi / 2, np.pi / 2, 25)
        sphere = np.stack([np.outer(np.cos(height), u[:, 0]), np.outer(np.cos(height), u[:, 1]),
                           np.outer(np.sin(height), np.ones(len(u)))])
        surface = center[:, None, None] + np.tensordot(half_axes, sphere, 1)
        ax.plot_surface(*surface, color=color, alpha=alpha, linewidth=0, rstride=1, cstride=1, shade=False)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        ax.plot(*(center + _circle() @ half_axes[:, [i, j]].T).T, color=color, lw=0.6 * width, zorder=4)


def _circle(n=96):
    t = np.linspace(0, 2 * np.pi, n + 1)
    return np.column_stack([np.cos(t), np.sin(t)])
