"""The drawn mechanisms are where their models are."""

import numpy as np
import pytest
from matplotlib.axes import Axes

import rbdlib
from rbdlib import draw
from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms
from tests.draw.drawn import dots, is_near


def origins(name, q):
    """The positions of the bodies' origins in the plane, and their frames' y axes, from the model."""
    frames = [X_to_Er(X) for X in body_transforms(rbdlib.load(name), np.array(q, float))]
    return np.array([r[:2] for _, r in frames]), np.array([E[1, :2] for E, _ in frames])


def test_mechanisms_are_drawn_where_their_models_have_them_and_the_particle_with_its_velocity_and_force():
    assert is_near(dots(draw.particle([2.5, 1.25])), origins("particle", [2.5, 1.25])[0][2])
    q, p = np.random.default_rng(5).uniform(-0.5, 0.5, 5), rbdlib.load("lamp").parameters
    assert all(is_near(dots(draw.lamp(q)), joint) for joint in origins("lamp", q)[0][3:])
    assert list(draw.lamp.__defaults__[1]) == [p[name] for name in ("w_base", "h_base", "l_arm", "l_head")]
    q, lengths = [0.7, -1.9], [rbdlib.load("double_pendulum").parameters[name] for name in ("l1", "l2")]
    positions, y_axes = origins("double_pendulum", q)
    masses = (*positions[1:], positions[2] - lengths[1] * y_axes[2])
    assert all(is_near(dots(draw.pendulum(q, lengths)), place) for place in masses)
    ax = draw.particle((1, 2), velocity=(1, 0.5), force=(0, -1), path=[[0, 0], [1, 2]])
    ends = [patch._path_original.vertices for patch in ax.patches if hasattr(patch, "_path_original")][-2:]
    assert np.allclose(ends, [[[1, 2], [2, 2.5]], [[1, 2], [1, 1]]])


@pytest.mark.parametrize("make", [draw.particle, draw.lamp, draw.pendulum])
def test_each_mechanism_returns_its_axes_and_draws_into_given_ones(make):
    ax = make()
    assert isinstance(ax, Axes) and ax.get_xlabel() == "x (m)" and ax.get_aspect() == 1
    given = draw.axes2d()
    assert make(ax=given) is given
    assert len(given.patches) > 0 or len(given.lines) > 0
    given.figure.canvas.draw()


@pytest.mark.parametrize(("wrong", "message"), [
    (lambda: draw.particle((1, 2, 3)), "q has shape"), (lambda: draw.lamp((0, 0, 0, 0)), "q has shape"),
    (lambda: draw.pendulum((1, 2), (1,)), "lengths has shape"), (lambda: draw.pendulum((np.nan,)), "q contains nan")])
def test_bad_input_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
