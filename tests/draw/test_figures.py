"""The drawn mechanisms are where their models are."""

import numpy as np
import pytest
from matplotlib.axes import Axes

import rbdlib
from rbdlib import draw
from rbdlib.kinematics import body_transforms
from rbdlib.spatial import X_to_Er


def origins(name, q):
    """The positions of the bodies' origins in the plane, and their frames' y axes, from the model."""
    frames = [X_to_Er(X) for X in body_transforms(rbdlib.load(name), np.array(q, float))]
    return np.array([r[:2] for _, r in frames]), np.array([E[1, :2] for E, _ in frames])


def dots(ax):
    """The positions of all pins and points."""
    return [tuple(np.round(line.get_xydata()[0], 9)) for line in ax.lines if line.get_marker() == "o"]


def test_the_particle_is_drawn_where_its_model_has_it():
    q = [2.5, 1.25]
    positions, _ = origins("particle", q)
    ax = draw.particle(q)
    assert tuple(positions[2]) in dots(ax)


def test_the_particle_carries_its_velocity_and_its_force():
    ax = draw.particle((1, 2), velocity=(1, 0.5), force=(0, -1), path=[[0, 0], [1, 2]])
    ends = [patch._path_original.vertices for patch in ax.patches if hasattr(patch, "_path_original")][-2:]
    assert np.allclose(ends, [[[1, 2], [2, 2.5]], [[1, 2], [1, 1]]])


@pytest.mark.parametrize("seed", [5, 6])
def test_the_joints_of_the_lamp_are_drawn_where_its_model_has_them(seed):
    q = np.random.default_rng(seed).uniform(-0.5, 0.5, 5)
    positions, _ = origins("lamp", q)
    drawn = np.array(dots(draw.lamp(q)))
    for joint in positions[3:]:
        assert np.abs(drawn - joint).sum(axis=1).min() < 1e-8


def test_the_lamp_has_the_dimensions_of_its_model():
    p = rbdlib.load("lamp").parameters
    expected = [p[name] for name in ("w_base", "h_base", "l_arm", "l_head")]
    assert list(draw.lamp.__defaults__[1]) == expected


def test_the_masses_of_the_double_pendulum_are_drawn_where_its_model_has_them():
    q = [0.7, -1.9]
    model = rbdlib.load("double_pendulum")
    positions, y_axes = origins("double_pendulum", q)
    drawn = dots(draw.pendulum(q, (model.parameters["l1"], model.parameters["l2"])))
    tip = positions[2] - model.parameters["l2"] * y_axes[2]
    for place in (*positions[1:], tip):
        assert np.abs(np.array(drawn) - place).sum(axis=1).min() < 1e-8


@pytest.mark.parametrize("make", [draw.particle, draw.lamp, draw.pendulum])
def test_each_mechanism_returns_its_axes_and_draws_into_given_ones(make):
    ax = make()
    assert isinstance(ax, Axes) and ax.get_xlabel() == "x (m)" and ax.get_aspect() == 1
    given = draw.axes2d()
    assert make(ax=given) is given
    assert len(given.patches) > 0 or len(given.lines) > 0
    given.figure.canvas.draw()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: draw.particle((1, 2, 3)), "q has shape"),
        (lambda: draw.lamp((0, 0, 0, 0)), "q has shape"),
        (lambda: draw.pendulum((1, 2), (1,)), "lengths has shape"),
        (lambda: draw.pendulum((np.nan,)), "q contains nan"),
    ],
)
def test_bad_input_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
