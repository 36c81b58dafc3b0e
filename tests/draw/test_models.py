"""Models are drawn where kinematics has them, in the plane and in space."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

import rbdlib
from rbdlib import Model, draw
from rbdlib.book import ch04_joints, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import X_to_Er, mcI, rotx, rotz, xlt
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.draw.posture import Posture, ellipsoid_of_inertia, far_end
from rbdlib.draw.sketch import InPlane, InSpace, end_stops, spring
from rbdlib.methods.joint_character import Character
from tests.draw.drawn import arrows, dots, is_near, solids
from tests.sources.helpers import random_rotation

NAMES = sorted(path.stem for path in Path(rbdlib.__file__).parents[1].glob("data/models/*.toml"))
#: Models that differ in how they are drawn; the others are for `make test-long`.
SHOWN = {"arm_3r", "cart_pole", "four_bar", "lamp", "satellite_arm", "spherical_pendulum", "double_pendulum"}


def places(model, q):
    """Positions of the bodies' origins and centres of mass in base coordinates, from the definitions."""
    frames = [X_to_Er(X) for X in kinematics.body_transforms(model, q)]
    centres = [None if not I[5, 5] else frames[i][1] + frames[i][0].T @ (I[[2, 0, 1], [4, 5, 3]] / I[5, 5])
               for i, I in enumerate(model.inertia) if i]
    return np.array([r for _, r in frames]), centres


@pytest.fixture
def arm():
    """A spatial arm of three links, each joint about another axis, and a position."""
    links = [mcI(2, [0.05, 0, 0.2], np.diag([0.04, 0.05, 0.03])), mcI(1, [0.3, 0, 0], np.diag([0.01, 0.04, 0.04])),
             mcI(0.5, [0.2, 0.05, 0], np.diag([0.01, 0.02, 0.02]))]
    return Model([0, 1, 2], [ch04_joints.Revolute("z"), ch04_joints.Revolute("y"), ch04_joints.Revolute("x")],
                 [xlt([0.1, 0, 0]), xlt([0, 0, 0.4]), rotz(0.5) @ xlt([0.6, 0, 0])], links), np.array([0.4, -0.7, 0.9])


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name not in SHOWN)) for name in NAMES])
def test_every_model_of_the_course_can_be_drawn(name):
    model = rbdlib.load(name)
    q, _ = model.random_state(np.random.default_rng(1))
    ax = draw.axes_for(model, q, inertias=True)
    draw.model(ax, model, q, inertias=True, axes=True, frames=True, labels="names")
    ax.figure.canvas.draw()
    origins, centres = places(model, q)
    found = np.array([*origins[1:], *(c for c in centres if c is not None)])
    if ax.name == "3d":
        limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
        assert (found >= limits[:, 0]).all() and (found <= limits[:, 1]).all()


def test_a_straight_arm_has_room_across_it():
    ax = draw.axes_for(rbdlib.load("double_pendulum"), plane="space")
    extents = np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    assert extents.min() > 0.45 * extents.max()


@pytest.mark.parametrize(("name", "seen"), [("double_pendulum", [0, 1]), ("cart_pole", None), ("arm_3r", [0, 1])])
def test_in_the_plane_joints_and_masses_are_where_kinematics_has_them(name, seen):
    model = rbdlib.load(name)
    q, _ = model.random_state(np.random.default_rng(2))
    ax = draw.axes_for(model, q)
    assert ax.name != "3d"
    across = ["xyz".index(label[0]) for label in (ax.get_xlabel(), ax.get_ylabel())]
    assert seen in (None, across)
    draw.model(ax, model, q)
    origins, centres = places(model, q)
    hinges = [origins[i] for i in model.bodies if isinstance(model.joints[i], ch04_joints.Revolute)]
    for P in (*hinges, *(c for c in centres if c is not None)):
        assert is_near(dots(ax), P[across])
    for axis, plane, offset in (("z", "xy", [1, 0, 0]), ("y", "xz", [1, 0, 0]), ("x", "yz", [0, 1, 0])):
        model = Model([0, 1], [ch04_joints.Revolute(axis)] * 2, [np.eye(6), xlt(offset)],
                      [mcI(1, offset, np.eye(3))] * 2)
        ax = draw.axes_for(model, [0.3, 0.4])
        assert (ax.get_xlabel(), ax.get_ylabel()) == (f"{plane[0]} (m)", f"{plane[1]} (m)")
        draw.model(ax, model, [0.3, 0.4])
        assert is_near(dots(ax), places(model, [0.3, 0.4])[0][2][["xyz".index(letter) for letter in plane]])


def test_in_space_bars_and_balls_are_drawn_and_axes_hold_every_position_of_a_motion(arm):
    links = [mcI(1, [1, 0, 0], np.eye(3))] * 2
    turned = Model([0, 1], [ch04_joints.Revolute("z")] * 2, [np.eye(6), rotx(0.2) @ xlt([1, 0, 0])], links)
    lifted = Model([0, 1], [ch04_joints.Revolute("z"), ch04_joints.Prismatic("z")], [np.eye(6)] * 2, links)
    for model in (turned, lifted, rbdlib.load("spherical_pendulum")):
        assert draw.axes_for(model).name == "3d"
    assert draw.axes_for(lifted, plane="xy").name != "3d"
    model, q = arm
    ax = draw.axes_for(model, q)
    draw.model(ax, model, q, joints=False, tips={3: [0.4, 0.1, 0]})
    bodies, balls = solids(ax)
    origins, centres = places(model, q)
    E, r = X_to_Er(kinematics.body_transforms(model, q)[3])
    chain = [*origins[1:], r + E.T @ [0.4, 0.1, 0]]
    for a, b in pairwise(chain):
        for t in (0.3, 0.5, 0.7):
            assert np.linalg.norm(bodies.reshape(-1, 3) - a - t * (b - a), axis=1).min() < 0.1, "no bar passes here"
    balls = [ball.reshape(-1, 3) for ball in np.split(balls, 3)]
    for ball, centre in zip(balls, centres, strict=True):
        assert np.allclose(ball.max(axis=0) + ball.min(axis=0), 2 * centre, atol=1e-9)
    sizes = np.array([np.ptp(ball[:, 2]) for ball in balls])
    assert np.allclose((sizes / sizes[0]) ** 3, [1, 0.5, 0.25])
    model = rbdlib.load("double_pendulum")
    q = np.random.default_rng(8).uniform(-3, 3, (20, 2))
    ax = draw.axes_for(model, q)
    limits = np.array([ax.get_xlim(), ax.get_ylim()])
    centres = np.array([P[:2] for row in q for P in places(model, row)[1]])
    assert (limits[:, 0] < centres).all() and (centres < limits[:, 1]).all()
    line = draw.axes_for(model, [0, 0])
    sides = np.ptp([line.get_xlim(), line.get_ylim()], axis=1)
    assert min(sides) > 0.4 * max(sides), "also where all links are in one line"
    draw.model(ax, model, masses=False, joints=False)
    assert not len(dots(ax))


def test_the_ellipsoid_of_inertia_has_the_inertia_and_a_rod_ends_where_it_ends_and_a_point_mass_where_it_is():
    rng = np.random.default_rng(4)
    half, m, turn = rng.uniform(0.1, 1, 3), 2.5, random_rotation(rng)
    I_C = turn @ np.diag(m / 5 * (half @ half - half**2)) @ turn.T
    axes = ellipsoid_of_inertia(m, I_C)
    assert np.allclose(np.sort(np.linalg.norm(axes, axis=1)), np.sort(half))
    second_moment = m / 5 * axes.T @ axes
    assert np.allclose(np.trace(second_moment) * np.eye(3) - second_moment, I_C)
    for d, length in ((np.array([0, -1, 0]), 0.8), (np.array([0.6, 0, 0.8]), 0.9)):
        rod = mcI(m, length / 2 * d, m * length**2 / 12 * (np.eye(3) - np.outer(d, d)))
        for inertia, end in ((rod, length * d), (mcI(m, length * d, np.zeros((3, 3))), length * d),
                             (mcI(m, 0.1 * d, 5 * np.eye(3)), 0.2 * d)):
            assert np.allclose(far_end(inertia), end)
    assert not far_end(np.zeros((6, 6))).any()


def test_a_loop_that_is_not_closed_shows_its_gap():
    bar, X = mcI(1, [0.5, 0, 0], np.diag([0, 1, 1]) / 12), [xlt([x, 0, 0]) for x in range(3)]
    model = Model([0, 1, 0], [ch04_joints.Revolute("z")] * 3, X, [bar] * 3, gravity=(0, -9.81, 0),
                  loops=[LoopJoint(2, 3, ch04_joints.Revolute("z"), X[2], X[1])])
    for q2, more in product((-1.0, -0.8), ({}, {"plane": "space"})):
        q = np.array([1.0, q2, 1.0])
        ax = draw.axes_for(model, q, **more)
        assert not len(ax.lines)
        draw.model(ax, model, q)
        dashes = [line for line in ax.lines if line.get_linestyle() == "--" and line.get_color() == draw.HIGHLIGHT]
        assert bool(dashes) == (q2 == -0.8)


def test_what_carries_a_hinge_without_weight_lies_below_it_in_the_plane_and_in_space():
    hinge = Model([0], [ch04_joints.Revolute("z")], [xlt([0.3, 0, 0])], [mcI(1, [0, 0, 0], np.eye(3))], (0, 0, 0))
    flat, solid = (kind(axes(), Posture(hinge, None), "k") for kind, axes in (
        (InPlane, draw.axes2d), (InSpace, draw.axes3d)))
    flat.base()
    solid.base()
    for points in (np.concatenate(flat.ax.collections[0].get_segments()), np.concatenate(solid.parts[0][0])):
        assert abs(points[:, 0].mean() - 0.3) < 0.01 and points[:, -1].min() < -0.01 and points[:, -1].max() < 1e-9


def test_frames_axes_trails_and_velocities_are_drawn_where_the_model_has_them(arm):
    model, q = arm
    ax = draw.axes_for(model, q)
    draw.model(ax, model, q, frames={2: 0.3}, axes=True)
    frames = [X_to_Er(X) for X in kinematics.body_transforms(model, q)]
    E, r = frames[2]
    assert np.allclose([vector for _, vector in arrows(ax)], 0.3 * E)
    assert np.allclose([start for start, _ in arrows(ax)], r)
    lines = [np.array(line.get_data_3d()).T for line in ax.lines if line.get_linestyle() == "-."]
    for joint, (E, r), (a, b) in zip(model.joints[1:], frames[1:], lines, strict=True):
        assert np.allclose((a + b) / 2, r) and np.allclose(np.cross(b - a, E.T @ joint.direction), 0)
    rows, P = np.random.default_rng(6).uniform(-1, 1, (5, 3)), np.array([0.1, -0.2, 0.3])
    ax = draw.axes_for(model, rows)
    draw.trail(ax, model, rows, 2, P)
    for row, place in zip(rows, np.array(ax.lines[-1].get_data_3d()).T, strict=True):
        E, r = X_to_Er(kinematics.body_transforms(model, row)[2])
        assert np.allclose(place, r + E.T @ P)
    qd, h = np.array([1.0, -2, 0.5]), 1e-6
    ax = draw.axes_for(model, q)
    draw.velocities(ax, model, q, qd, scale=0.25)
    before, now, after = (np.array(places(model, q + step * qd)[1]) for step in (-h, 0, h))
    starts, vectors = zip(*arrows(ax), strict=True)
    assert np.allclose(starts, now) and np.allclose(vectors, 0.25 * (after - before) / (2 * h), atol=1e-7)
    ax = draw.axes_for(model, q)
    with np.errstate(all="raise"):
        draw.velocities(ax, model, q, [0, 0, 0])
    assert not arrows(ax)


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda ax, m: draw.model(ax, "arm"), TypeError, "model is 'arm'; give a Model"),
    (lambda ax, m: draw.model(None, m), TypeError, "ax is None.*axes2d"),
    (lambda ax, m: draw.model(ax, m, [1, 2, 3]), ValueError, "q has shape"),
    (lambda ax, m: draw.model(ax, m, [np.nan, 0]), ValueError, "q contains nan"),
    (lambda ax, m: draw.model(ax, m, plane="zz"), ValueError, "plane is 'zz'; choose 'xy'"),
    (lambda ax, m: draw.model(ax, m, labels="all"), ValueError, "labels is 'all'"),
    (lambda ax, m: draw.model(ax, m, tips={5: [0, 0, 0]}), ValueError, "tips names body 5"),
    (lambda ax, m: draw.trail(ax, m, [[0, 0]], 7), ValueError, "body is 7; this model has the bodies 1 to 2"),
    (lambda ax, m: draw.axes_for(m, np.zeros((2, 3))), ValueError, r"q has shape \(2, 3\); expected \(2,\)"),
    (lambda ax, m: draw.axes_for(m, plane="up"), ValueError, "plane is 'up'"),
    (lambda ax, m: draw.particle((1, 2, 3)), ValueError, "q has shape"),
    (lambda ax, m: draw.lamp((0, 0, 0, 0)), ValueError, "q has shape"),
    (lambda ax, m: draw.pendulum((1, 2), (1,)), ValueError, "lengths has shape"),
    (lambda ax, m: draw.pendulum((np.nan,)), ValueError, "q contains nan"),
    (lambda ax, m: draw.model(ax, rbdlib.load("pendulum", symbolic=True)), ValueError,
     "contains symbols, and a picture needs numbers.*symbolic=True")])
def test_bad_input_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(draw.axes2d(), rbdlib.load("double_pendulum"))


def test_a_spring_and_stops_of_a_hinge_lie_across_its_axis_wherever_its_body_ends():
    inertia, character = mcI(1, [0, 0, 0], np.eye(3)), Character(stiffness=3, lower=-1, upper=1, stop_stiffness=9)
    model = Model([0, 1], [ch04_joints.Revolute((1, 2, 2)), ch04_joints.Revolute()],
                  [np.eye(6), xlt([0.3, 0.1, 0.4])], [inertia] * 2, characters={1: character})
    ax, pose = draw.axes3d(), Posture(model, [0.4, 0])
    for drawn in (spring, end_stops):
        drawn(ax, pose, 1)
    axis = np.array([1, 2, 2]) / 3 @ pose.view.T
    assert len(ax.lines) == 4
    assert all(np.abs(axis @ np.array(line.get_data_3d())).max() < 1e-12 for line in ax.lines)


def origins(name, q):
    """The positions of the bodies' origins in the plane, and their frames' y axes, from the model."""
    frames = [X_to_Er(X) for X in body_transforms(rbdlib.load(name), np.array(q, float))]
    return np.array([r[:2] for _, r in frames]), np.array([E[1, :2] for E, _ in frames])


def test_mechanisms_are_drawn_where_their_models_have_them():
    assert is_near(dots(draw.particle([2.5, 1.25])), origins("particle", [2.5, 1.25])[0][2])
    q, p = np.random.default_rng(5).uniform(-0.5, 0.5, 5), rbdlib.load("lamp").parameters
    assert all(is_near(dots(draw.lamp(q)), joint) for joint in origins("lamp", q)[0][3:])
    assert list(draw.lamp.__defaults__[1]) == [p[name] for name in ("w_base", "h_base", "l_arm", "l_head")]
    q, lengths = [0.7, -1.9], [rbdlib.load("double_pendulum").parameters[name] for name in ("l1", "l2")]
    positions, y_axes = origins("double_pendulum", q)
    masses = (*positions[1:], positions[2] - lengths[1] * y_axes[2])
    assert all(is_near(dots(draw.pendulum(q, lengths)), place) for place in masses)


@pytest.mark.parametrize("make", [draw.particle, draw.lamp, draw.pendulum])
def test_each_mechanism_returns_its_axes_and_draws_into_given_ones(make):
    ax = make()
    assert isinstance(ax, Axes) and ax.get_xlabel() == "x (m)" and ax.get_aspect() == 1
    given = draw.axes2d()
    assert make(ax=given) is given
    assert len(given.patches) > 0 or len(given.lines) > 0
    given.figure.canvas.draw()
