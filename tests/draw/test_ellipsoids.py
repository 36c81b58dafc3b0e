"""An ellipsoid is where its matrix takes the unit sphere, in the plane and in space, and flat where it is zero."""

import numpy as np
import pytest
import sympy
from matplotlib.patches import Polygon
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from rbdlib import draw, load
from rbdlib.methods.articulated_body_variants import handles_by_projection
from tests.draw.drawn import faces_of


def outline(ax):
    (patch,) = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    line = ax.lines[0].get_xydata()
    assert np.allclose(patch.get_xy()[: len(line)], line)
    return line


def surface(ax):
    (faces,) = [artist for artist in ax.collections if isinstance(artist, Poly3DCollection)]
    return faces_of(faces).reshape(-1, 3)


@pytest.mark.parametrize("n", [2, 3])
def test_every_point_of_an_ellipsoid_is_A_times_a_vector_of_length_1_and_the_half_axes_are_those_of_A(n):
    B, center = np.random.default_rng(2).normal(size=(n, n)), np.array([0.5, -0.2, 1])[:n]
    A, make_axes = B @ B.T + 0.3 * np.eye(n), draw.axes3d if n == 3 else draw.axes2d
    ax = make_axes()
    draw.ellipsoid(ax, A, center, scale=0.1, axes=False)
    drawn = (surface(ax), *(np.array(line.get_data_3d()).T for line in ax.lines)) if n == 3 else (outline(ax),)
    vectors = [np.linalg.solve(0.1 * A, (points - center).T).T for points in drawn]
    for u in vectors:
        assert np.allclose(np.linalg.norm(u, axis=1), 1)
    for direction in [*np.eye(n), *-np.eye(n)]:
        assert (vectors[0] @ direction).max() > 0.95
    ax = make_axes()
    draw.ellipsoid(ax, A, [1] * n, axes=True, alpha=0)
    ends = [np.array(line.get_data_3d()).T for line in ax.lines[-3:]] if n == 3 else \
        [line.get_xydata() for line in ax.lines[1:]]
    for (start, end), value in zip(ends, np.linalg.eigvalsh(A), strict=True):
        assert np.allclose((start + end) / 2, 1) and np.allclose(A @ (end - start), value * (end - start))
        assert np.isclose(np.linalg.norm(end - start), 2 * value)


def test_a_direction_without_freedom_is_flat_and_filling_color_and_label_are_as_asked_for():
    arm = load("arm_2r").replace(gravity=(0, 0, 0))
    Phi = handles_by_projection(arm, [0.3, 0.0], [0, 0], [0, 0], 2).Phi[3:, 3:]
    ax = draw.axes3d()
    draw.ellipsoid(ax, Phi)
    points = surface(ax)
    assert np.allclose(points[:, [0, 2]], 0, atol=1e-12) and np.ptp(points[:, 1]) > 0.1
    ax = draw.axes3d()
    draw.ellipsoid(ax, np.eye(3), alpha=0, color=draw.FORCE, axes=False)
    assert not ax.collections and {line.get_color() for line in ax.lines} == {draw.FORCE}
    for angle in (0, 0.3, 1.2, 2.0, 3.0):               # the label stands at the upper or right end
        long, short = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        ax = draw.axes2d()
        draw.ellipsoid(ax, 3 * np.outer(long, long) + np.outer(short, short), label="$m$")
        (text,) = ax.texts
        assert text.get_text() == "$m$" and np.allclose(text.xy, 3 * long)


@pytest.mark.parametrize(("A", "message"), [
    (np.eye(6), r"A has shape \(6, 6\), and a plane picture takes 2 x 2"),
    (np.eye(3), "plane picture takes 2 x 2.*Take a block"), ([[1, 0.5], [0, 1]], "differs from its transpose by 0.5"),
    ([[1, 0], [0, -0.5]], "negative eigenvalue -0.5"), ([[1, np.nan], [np.nan, 1]], "A contains nan"),
    (sympy.symbols("m") * sympy.eye(2), "A contains symbols")])
def test_what_has_no_ellipse_is_refused(A, message):
    with pytest.raises(ValueError, match=message):
        draw.ellipsoid(draw.axes2d(), A)
    with pytest.raises(ValueError, match="space takes 3 x 3"):
        draw.ellipsoid(draw.axes3d(), np.eye(2))
    with pytest.raises(TypeError, match="expected matplotlib axes"):
        draw.ellipsoid(np.eye(2), np.eye(2))
