"""Velocity fields, screw axes, lines of action and ellipsoids show what rbdlib.book.ch02_spatial computes."""

import numpy as np
import pytest
import sympy
from matplotlib.patches import Polygon
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from rbdlib import draw, load
from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import couple, crm, line_force, line_motion, moment_at, point_velocity
from rbdlib.methods.articulated_body_variants import handles_by_projection
from tests.draw.drawn import faces_of


def grid_of(quiver):
    return np.column_stack([quiver.X, quiver.Y]), np.column_stack([quiver.U, quiver.V])


def test_the_arrows_of_a_field_are_point_velocities_of_which_the_longest_spans_one_step_of_the_grid():
    v = np.random.default_rng(3).uniform(-1, 1, 6)
    ax = draw.axes2d()
    draw.velocity_field(ax, v, (-1, 2, -2, 1), n=4)
    P, V = grid_of(ax.collections[-1])
    assert len(P) == 16 and np.allclose([P.min(axis=0), P.max(axis=0)], [[-1, -2], [2, 1]])
    for p, arrow in zip(P, V, strict=True):
        assert np.allclose(arrow, point_velocity(v, [*p, 0])[:2])
    v, (one, other) = np.array([0.7, -0.2, 0.4]), (draw.axes2d(), draw.axes2d())
    draw.velocity_field(one, v)
    draw.velocity_field(other, planar.to_spatial(v))
    assert np.array_equal(grid_of(one.collections[-1])[1], grid_of(other.collections[-1])[1])
    for v, longest in (([0, 0, 3, 1, 0, 0], 1), (np.zeros(6), 0)):
        ax = draw.axes2d()
        draw.velocity_field(ax, v, (-2, 2, -2, 2), n=5)
        quiver = ax.collections[-1]
        assert np.isclose(np.linalg.norm(grid_of(quiver)[1], axis=1).max(), longest * quiver.scale)


def test_in_space_the_field_lies_in_the_plane_through_the_origin():
    v = np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6])
    ax = draw.axes3d()
    draw.velocity_field(ax, v, (-1, 1, -1, 1), n=3, scale=0.5)
    for end, start in np.array(ax.collections[-1]._segments3d)[:9]:
        assert start[2] == 0 and np.allclose(end - start, 0.5 * point_velocity(v, start))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_turn_has_the_sense_of_its_axis(sign):
    axis = sign * np.array([0.2, -0.3, 0.9])
    for ax, normal in ((draw.axes2d(), sign * np.array([0, 0, 1])), (draw.axes3d(), axis)):
        draw.turn(ax, (0, 0, 0), axis)
        curve = next(artist for artist in ax.get_children() if hasattr(artist, "_path_original"))
        ring = getattr(curve, "points", None)
        if ring is None:
            ring = np.column_stack([curve._path_original.vertices, np.zeros(60)])
        assert (np.cross(ring[:-1], ring[1:]) @ normal > 0).all()


def test_a_turn_is_about_z_if_nothing_else_is_said():
    ax = draw.axes3d()
    draw.turn(ax, (0, 0, 0.5))
    ring = next(artist.points for artist in ax.get_children() if hasattr(artist, "_path_original"))
    assert np.allclose(ring[:, 2], 0.5) and np.ptp(ring[:, 0]) > 0.5


def test_points_on_a_line_of_action_have_no_moment_across_and_those_on_a_screw_axis_no_velocity_across():
    f = line_force([2, 1, 0], [0, 1.5, 0])
    ax = draw.axes2d()
    draw.force_line(ax, f, scale=0.5)
    start, end = ax.patches[-1]._path_original.vertices
    assert np.allclose(end - start, 0.5 * f[3:5]) and np.allclose(moment_at(f, [*start, 0]), 0)
    assert np.isclose(start @ f[3:5], 0)
    f = np.array([0.2, 0.5, -0.4, 0.1, 0.3, 0.9])
    ax = draw.axes3d()
    draw.force_line(ax, f)
    for P in np.array(ax.lines[0].get_data_3d()).T:
        assert np.allclose(np.cross(moment_at(f, P), f[3:]), 0)
    for f in (couple([0, 0, 2]), np.zeros(6)):                                  # they are drawn at the origin
        ax = draw.axes2d()
        draw.force_line(ax, f, label="$n$")
        assert not ax.get_lines() or np.allclose(ax.lines[-1].get_xydata(), 0)
    v = np.array([0.1, 0.3, 1.0, 0.5, -0.4, 0.2])
    ax = draw.axes3d()
    draw.screw_axis(ax, v)
    for P in np.array(ax.lines[-1].get_data_3d()).T:
        assert np.allclose(np.cross(point_velocity(v, P), v[:3]), 0)
    v = planar.to_spatial([0.8, 0.4, -0.8])
    ax = draw.axes2d()
    draw.screw_axis(ax, v)
    ((x, y),) = ax.lines[-1].get_xydata()
    assert np.allclose(point_velocity(v, [x, y, 0]), 0)
    ax = draw.axes2d()
    draw.screw_axis(ax, [0, 0, 0, 3, 4, 0], label="$v$")
    (arrow,) = ax.patches
    draw.screw_axis(ax, np.zeros(6))
    assert np.array_equal(ax.lines[-1].get_xydata(), [[0, 0]])
    assert np.allclose(arrow._path_original.vertices, [[0, 0], [0.6, 0.8]])


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda ax: draw.screw_axis(ax, line_motion([1, 0, 0], [0, 0, 0])), "v leaves the x-y plane.*axes3d"),
    (lambda ax: draw.force_line(ax, [0, 0, 0, 0, 0, 1]), "f leaves the x-y plane.*axes3d"),
    (lambda ax: draw.velocity_field(ax, np.ones(6), scale=0), "scale is 0"),
    (lambda ax: draw.velocity_field(ax, np.ones(5)), "v has shape"),
    (lambda ax: draw.velocity_field(ax, crm(np.ones(6))), "v has shape")])
def test_bad_input_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(draw.axes2d())


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
