"""What is drawn is what the quantities say: frames, bodies, arrows and lines, in the plane and in space."""

import pickle

import numpy as np
import pytest
import sympy

import rbdlib
from rbdlib import draw
from rbdlib.book.ch02_planar import Xpln
from rbdlib.book.ch02_spatial import homogeneous, plucker, rx, rz
from tests.draw.drawn import arrows, solids
from tests.sources.helpers import random_rotation


def test_bodies_and_frames_are_put_where_the_transform_says_however_it_is_given():
    rng = np.random.default_rng(2)
    X = plucker(random_rotation(rng), rng.uniform(-1, 1, 3))
    ax = draw.axes3d()
    draw.body(ax, draw.cuboid(1, 2, 3), X)
    (faces,) = solids(ax)
    back = np.column_stack([faces.reshape(-1, 3), np.ones(24)]) @ homogeneous(X).T
    assert np.allclose(np.abs(back[:, :3]), [0.5, 1, 1.5]) and len(np.unique(np.round(back, 9), axis=0)) == 8
    rng = np.random.default_rng(1)
    E, r = random_rotation(rng), rng.uniform(-1, 1, 3)
    ax = draw.axes3d()
    draw.frame(ax, plucker(E, r), "B", 0.7)
    starts, vectors = zip(*arrows(ax), strict=True)
    assert np.allclose(starts, r) and np.allclose(vectors, 0.7 * E)
    theta, r = 0.4, np.array([1.0, -2.0])
    for X in (Xpln(r, theta), tuple(Xpln(r, theta)), (rz(theta), [*r, 0]), (theta, r), plucker(rz(theta), [*r, 0])):
        ax = draw.axes2d()
        draw.frame(ax, X)
        assert np.allclose(arrows(ax), [(r, [np.cos(theta), np.sin(theta)]), (r, [-np.sin(theta), np.cos(theta)])])
    ax = pickle.loads(pickle.dumps(draw.axes2d().figure)).axes[0]
    draw.frame(ax, (rx(np.pi / 2), [0, 0, 0]))
    assert len(arrows(ax)) == 2 and [text.get_text() for text in ax.texts] == ["$x$", "$z$"]


@pytest.mark.parametrize(("outline", "low", "high"), [
    (draw.box(2, 1), [-1, -0.5], [1, 0.5]), (draw.ellipse(2, 1), [-1, -0.5], [1, 0.5]),
    (draw.rod(1.5, 0.2), [-0.1, -0.1], [1.6, 0.1])])
def test_an_outline_in_the_plane_has_its_size_and_is_turned_and_moved(outline, low, high):
    assert np.allclose([outline.min(axis=0), outline.max(axis=0)], [low, high], atol=0.01)
    theta, r = 0.7, np.array([3.0, 1.0])
    ax = draw.axes2d()
    draw.body(ax, outline, Xpln(r, theta))
    assert np.allclose(ax.patches[-1].get_xy()[:-1], outline @ rz(theta)[:2, :2] + r)


def test_arrows_lines_angles_and_the_ground_are_drawn_where_they_are():
    for ax, n in ((draw.axes2d(), 2), (draw.axes3d(), 3)):
        draw.arrow(ax, [0.1, 0.2, 0.3], [0.4, -0.5, 0.6])
        assert np.allclose(arrows(ax), [([0.1, 0.2, 0.3][:n], [0.4, -0.5, 0.6][:n])])
    ax = draw.axes2d()
    draw.arrow(ax, (1, 2), (0, 0), label="$v$")
    assert not arrows(ax) and np.allclose(ax.lines[-1].get_xydata(), [[1, 2]])
    limits = np.array([-1, 1, -2, 2, 0, 3.0])
    ax = draw.axes3d(limits=limits)
    P, d = np.array([0.2, 0.3, 1.0]), np.array([0.5, -0.4, 0.8])
    draw.line_through(ax, P, d)
    for end in np.array(ax.lines[-1].get_data_3d()).T:
        assert np.allclose(np.cross(end - P, d), 0) and np.abs(np.repeat(end, 2) - limits).min() < 1e-12
        assert (end >= limits[::2] - 1e-12).all() and (end <= limits[1::2] + 1e-12).all()
    ax = draw.axes2d()
    draw.angle_arc(ax, (1, 1), 0.2, 1.4, 0.5, r"$\theta$")
    (patch,) = [patch for patch in ax.patches if hasattr(patch, "_path_original")]
    ends = patch._path_original.vertices[[0, -1]]
    assert np.allclose(ends, [[1 + 0.5 * np.cos(angle), 1 + 0.5 * np.sin(angle)] for angle in (0.2, 1.4)])
    ax = draw.axes2d()
    draw.ground(ax, (1, 2), 3)
    *hatches, line = ax.collections[-1].get_segments()
    assert np.allclose(line, [[-0.5, 2], [2.5, 2]]) and all(hatch[1, 1] < 2 for hatch in hatches)


STROKES = {
    "angle_arc": lambda ax: draw.angle_arc(ax, (0, 0), 0, 1, label="a"),
    "arrow": lambda ax: draw.arrow(ax, (0, 0), (1, 1), label="a"),
    "body": lambda ax: draw.body(ax, draw.box(1, 1), label="B"), "carriage": lambda ax: draw.carriage(ax, (0, 0), 0.1),
    "curve": lambda ax: draw.curve(ax, [[0, 0], [1, 1], [2, 1]] if ax.name != "3d" else np.eye(3)),
    "force_line": lambda ax: draw.force_line(ax, [0, 0, 1, 1, 0, 0], label="f"),
    "frame": lambda ax: draw.frame(ax, label="A"), "ground": lambda ax: draw.ground(ax),
    "line_through": lambda ax: draw.line_through(ax, (0, 0), (1, 0), label="l"),
    "link": lambda ax: draw.link(ax, (0, 0), (1, 0), label="l"),
    "model": lambda ax: draw.model(ax, rbdlib.load("pendulum"), color="white"), "pin": lambda ax: draw.pin(ax, (0, 0)),
    "point": lambda ax: draw.point(ax, (0, 0), "P"), "rail": lambda ax: draw.rail(ax, (0, 0), (1, 0)),
    "screw_axis": lambda ax: draw.screw_axis(ax, [0, 0, 1, 0, 1, 0], label="v"),
    "trail": lambda ax: draw.trail(ax, rbdlib.load("pendulum"), [[0.1], [0.2]], label="P"),
    "turn": lambda ax: draw.turn(ax, (0, 0), label="n"),
    "velocities": lambda ax: draw.velocities(ax, rbdlib.load("pendulum"), [0.1], [1]),
    "velocity_field": lambda ax: draw.velocity_field(ax, [0, 0, 1, 0, 0, 0]),
    "write": lambda ax: draw.write(ax, (0, 0), "text")}
OTHERS = {"axes2d", "axes3d", "figure", "use_style", "box", "ellipse", "rod", "cuboid", "explore", "animate", "picture",
          "slider", "formula", "table", "show_code", "lamp", "particle", "pendulum",
          "axes_for", "graph", "pattern", "sparsity", "ellipsoid", "scene", "Scene"}


@pytest.mark.parametrize("make_axes", [draw.axes2d, draw.axes3d])
def test_every_stroke_leaves_a_mark_and_returns_nothing(make_axes):
    assert {name for name in draw.__all__ if callable(getattr(draw, name))} == set(STROKES) | OTHERS, "all are tested"
    ax = make_axes()
    for name, stroke in STROKES.items():
        before = len(ax.get_children())
        if make_axes is draw.axes3d and name in ("angle_arc", "ground"):
            with pytest.raises(ValueError, match=r"in the plane.*axes2d"):
                stroke(ax)
        else:
            assert stroke(ax) is None, name
            assert len(ax.get_children()) > before, name
    ax.figure.canvas.draw()


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda ax: draw.arrow(None, (0, 0), (1, 0)), TypeError, "ax is None.*draw.axes2d"),
    (lambda ax: draw.arrow(ax, (0, 0), (1, np.nan)), ValueError, "vector contains nan"),
    (lambda ax: draw.point(ax, (1, 2, 3, 4)), ValueError, "P has shape"),
    (lambda ax: draw.point(ax, (sympy.Symbol("q"), 0)), ValueError, "P contains symbols.*Substitute"),
    (lambda ax: draw.line_through(ax, (0, 0, 0), (0, 0, 1)), ValueError, "direction is zero in this picture"),
    (lambda ax: draw.frame(ax, np.diag([1, 1, -1])), ValueError, "X is not a planar motion transform"),
    (lambda ax: draw.frame(ax, (2 * np.eye(3), [0, 0, 0])), ValueError, "E is not a rotation"),
    (lambda ax: draw.body(ax, [1, 2, 3]), ValueError, r"outline has shape \(3,\)"),
    (lambda ax: draw.body(ax, draw.cuboid(1, 1, 1)), ValueError, "outline has faces.*axes3d"),
    (lambda ax: draw.turn(ax, (0, 0), (1, 0, 0)), ValueError, "axis is zero in this picture"),
    (lambda ax: draw.axes2d(limits=(0, 1)), ValueError, "limits has shape")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(draw.axes2d())
