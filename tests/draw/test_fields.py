"""Velocity fields, screw axes and lines of action show what rbdlib.book.ch02_spatial computes."""

import numpy as np
import pytest

from rbdlib import draw
from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import couple, crm, line_force, line_motion, moment_at, point_velocity


def grid_of(quiver):
    return np.column_stack([quiver.X, quiver.Y]), np.column_stack([quiver.U, quiver.V])


def test_the_arrows_of_a_field_are_point_velocities_of_which_the_longest_spans_one_step_of_the_grid():
    v = np.random.default_rng(3).uniform(-1, 1, 6)
    ax = draw.axes2d()
    draw.velocity_field(ax, v, (-1, 2, -2, 1), n=4, height=0.3)
    P, V = grid_of(ax.collections[-1])
    assert len(P) == 16 and np.allclose([P.min(axis=0), P.max(axis=0)], [[-1, -2], [2, 1]])
    for p, arrow in zip(P, V, strict=True):
        assert np.allclose(arrow, point_velocity(v, [*p, 0.3])[:2])
    v, (one, other) = np.array([0.7, -0.2, 0.4]), (draw.axes2d(), draw.axes2d())
    draw.velocity_field(one, v)
    draw.velocity_field(other, planar.to_spatial(v))
    assert np.array_equal(grid_of(one.collections[-1])[1], grid_of(other.collections[-1])[1])
    for v, longest in (([0, 0, 3, 1, 0, 0], 1), (np.zeros(6), 0)):
        ax = draw.axes2d()
        draw.velocity_field(ax, v, (-2, 2, -2, 2), n=5)
        quiver = ax.collections[-1]
        assert np.isclose(np.linalg.norm(grid_of(quiver)[1], axis=1).max(), longest * quiver.scale)


@pytest.mark.parametrize(("plane", "fixed"), [("xy", 2), ("yz", 0), ("zx", 1)])
def test_in_space_the_field_lies_in_the_plane_asked_for(plane, fixed):
    v = np.array([0.3, -0.2, 0.5, 0.1, 0.4, -0.6])
    ax = draw.axes3d()
    draw.velocity_field(ax, v, (-1, 1, -1, 1), plane=plane, height=0.25, n=3, scale=0.5)
    shafts = np.array(ax.collections[-1]._segments3d)[:9]
    assert np.allclose(shafts[:, 1, fixed], 0.25)
    for end, start in shafts:
        assert np.allclose(end - start, 0.5 * point_velocity(v, start))


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
    assert np.allclose(arrow._path_original.vertices, [[0, 0], [0.6, 0.8]])


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda ax: draw.screw_axis(ax, line_motion([1, 0, 0], [0, 0, 0])), "v leaves the x-y plane.*axes3d"),
    (lambda ax: draw.force_line(ax, [0, 0, 0, 0, 0, 1]), "f leaves the x-y plane.*axes3d"),
    (lambda ax: draw.velocity_field(ax, np.ones(6), plane="yz"), "plane is 'yz'"),
    (lambda ax: draw.velocity_field(ax, np.ones(6), scale=0), "scale is 0"),
    (lambda ax: draw.velocity_field(ax, np.ones(5)), "v has shape"),
    (lambda ax: draw.velocity_field(ax, crm(np.ones(6))), "v has shape")])
def test_bad_input_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(draw.axes2d())
