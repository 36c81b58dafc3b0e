"""Controllers: where they lead the mechanism, and what they must balance."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, load, rnea
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import FreeMotion, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.motion.controllers import computed_torque, difference, gravity_compensation, pd
from rbdlib.motion.simulate import simulate
from tests.sources.helpers import random_mass_properties, random_tree, turn
from tests.sources.joints import JOINTS, joint_pose

STATE = np.zeros(2), np.zeros(2)
CURVED = [Spherical(), Planar(), Planar("F_s"), FreeMotion(), FreeMotion("F_s")]


def one_body(joint, rng, **changes):
    return Model([0], [joint], [np.eye(6)], [mcI(*random_mass_properties(rng))], **changes)


@pytest.mark.parametrize("joint", [*JOINTS, *map(Reversed, CURVED)], ids=str)
def test_moving_by_the_difference_leads_there(joint):
    rng = np.random.default_rng(71)
    model = one_body(joint, rng, gravity=(0, 0, 0))
    for _ in range(5):
        q, q_d = model.random_state(rng)[0], model.random_state(rng)[0]
        reached = model.integrate(q, difference(model, q, q_d), 1.0)
        assert_allclose(body_transforms(model, reached)[1], body_transforms(model, q_d)[1], atol=1e-12)
    assert_allclose(difference(model, q, q), 0, atol=1e-15)


def test_the_difference_of_two_orientations_is_the_axis_times_the_angle_of_the_turn_between_them():
    model = one_body(Spherical(), np.random.default_rng(1))
    axis, q = np.array([2, -1, 2]) / 3, np.array([0.5, 0.5, -0.5, 0.5])
    for angle in (1e-9, 0.3, 3.0, np.pi, 3.5, 6.0):
        R, _ = joint_pose(Spherical(), q)
        q_d = model.integrate(q, angle * axis, 1.0)
        assert_allclose(joint_pose(Spherical(), q_d)[0], R @ turn(axis, angle), atol=1e-12)
        shortest = angle if angle <= np.pi else angle - 2 * np.pi
        found = difference(model, q, q_d)
        sign = np.sign(found @ axis) if angle == np.pi else 1
        assert_allclose(found, sign * shortest * axis, atol=1e-14 + 1e-7 * (angle == np.pi))
        assert_allclose(difference(model, q, -q_d), found, atol=1e-12)


def test_pd_makes_a_slider_a_damped_oscillator_and_gravity_compensation_keeps_every_pose_and_a_speed():
    """x'' + 2 d x' + w² x = 0 from x = 1 at rest: the textbook's solution, also about a moving target."""
    slider = Model([0], [Prismatic("z")], [np.eye(6)], [mcI(2, [0, 0, 0], np.eye(3))])
    compensation = gravity_compensation(slider)
    t, d, w = np.linspace(0, 3, 13), 0.4, 2.0
    assert_allclose(simulate(slider, [0], [3], t, compensation).q[:, 0], 3 * t, atol=1e-9)
    fast = np.sqrt(w * w - d * d)
    exact = np.exp(-d * t) * (np.cos(fast * t) + d / fast * np.sin(fast * t))
    gains = {"Kp": 2 * w * w, "Kd": [2 * 2 * d]}
    assert_allclose(simulate(slider, [1], [0], t, pd(slider, [0], **gains) + compensation).q[:, 0], exact, atol=1e-7)
    moving = pd(slider, lambda t: [0.5 * t], qd_d=[0.5], **gains) + compensation
    assert_allclose(simulate(slider, [1], [0.5], t, moving).q[:, 0], exact + 0.5 * t, atol=1e-7)
    hinge = one_body(Revolute("z"), np.random.default_rng(1))                   # counts its turns, as a spring does
    assert_allclose(pd(hinge, [7.0], 2, 0)(0.0, np.array([0.0]), np.array([0.0])), [14.0])
    arm, q, K = load("double_pendulum"), np.array([0.3, -0.5]), np.array([[5.0, 2], [-1, 3]])
    assert_allclose(pd(arm, [1, 2], K, K.T)(0.0, q, np.array([4.0, 7])), K @ [0.7, 2.5] - K.T @ [4, 7])
    rng = np.random.default_rng(72)
    model, q = random_tree(rng, 4, [0, 1, 1, 2]).model(), rng.normal(size=4)
    still = simulate(model, q, np.zeros(4), (0, 0.5), gravity_compensation(model))
    assert_allclose(still.q, np.tile(q, (len(still), 1)), atol=1e-9)


@pytest.mark.slow
def test_pd_brings_a_free_body_to_its_place_and_errors_under_computed_torque_are_damped_oscillators():
    rng = np.random.default_rng(73)
    model = one_body(FreeMotion(), rng, gravity=(0, 0, 0))
    q, q_d = model.random_state(rng)[0], model.random_state(rng)[0]
    end = simulate(model, q, np.zeros(model.nv), (0, 20), pd(model, q_d, 20 * np.eye(model.nv), 20), tolerance=1e-4)
    assert_allclose(body_transforms(model, end.q[-1])[1], body_transforms(model, q_d)[1], atol=1e-2)
    assert np.abs(body_transforms(model, q)[1] - body_transforms(model, q_d)[1]).max() > 0.1

    rng = np.random.default_rng(74)
    arm, (middle, reach) = random_tree(rng, 3, [0, 1, 1]).model(), rng.normal(size=(2, 3))
    wanted = (lambda t: middle + reach * np.sin(t), lambda t: reach * np.cos(t), lambda t: -reach * np.sin(t))
    law = computed_torque(arm, *wanted, Kp=9, Kd=np.array([6.0, 6, 6]))
    t, error = np.linspace(0, 2, 9), rng.normal(size=3)
    motion = simulate(arm, middle + error, reach, t, law)
    exact = np.outer(np.exp(-3 * t) * (1 + 3 * t), error)                       # critically damped, from rest
    assert_allclose(motion.q - [wanted[0](x) for x in t], exact, atol=1e-6)


@pytest.mark.slow
def test_pd_sags_under_the_weight_and_with_gravity_compensation_does_not():
    arm, target = load("double_pendulum"), np.array([0.7, -0.4])
    law = pd(arm, target, 60, 20)
    sagging = simulate(arm, [0, 0], [0, 0], (0, 4), law, tolerance=1e-5).q[-1]
    assert_allclose(60 * (target - sagging), rnea(arm, sagging, [0, 0], [0, 0]), atol=0.02)
    assert np.abs(sagging - target).max() > 0.01
    own = (lambda t, q, qd: rnea(arm, q, 0 * qd, 0 * qd)) + law
    assert_allclose(simulate(arm, [0, 0], [0, 0], (0, 4), own, tolerance=1e-5).q[-1], target, atol=1e-3)
    state = 0.3, np.array([0.2, 0.5]), np.array([1.0, -2])
    for both in (law + gravity_compensation(arm), gravity_compensation(arm) + law):
        assert_allclose(both(*state), own(*state), rtol=1e-12)
    law = law + gravity_compensation(arm) + computed_torque(arm, [1, 0], [0, 0], [0, 0], 1, 1)
    assert_allclose(pickle.loads(pickle.dumps(law))(*state), law(*state), rtol=0, atol=0)
    assert repr(pd(arm, target, 60, 20)).endswith("q_d=array([ 0.7, -0.4]), Kp=array(60.), Kd=array(20.), qd_d=None)")


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda m: pd(m, [1, 2], [1, 2, 3], 1), ValueError, r"Kp is \[1, 2, 3\]; give a number, 2 numbers, or a matrix"),
    (lambda m: pd(m, [1, 2], 1, np.eye(3)), ValueError, "Kd is"),
    (lambda m: pd(m, [1, 2], "stiff", 1), ValueError, "Kp is 'stiff'"),
    (lambda m: pd(m, [1, 2], np.nan, 1), ValueError, "Kp is nan"),
    (lambda m: pd(m, lambda t: [1], 1, 1)(0.5, *STATE), ValueError, r"q_d\(0.5\) has shape \(1,\); expected 2 numbers"),
    (lambda m: pd(m, [1, 2], 1, 1, lambda t: 5.0)(0.5, *STATE), ValueError, r"qd_d\(0.5\) has shape \(\); expected 2"),
    (lambda m: pd(m, [1, 2], 1, 1, lambda t: [1, 2, 3])(0.5, *STATE), ValueError, r"qd_d\(0.5\) has shape \(3,\)"),
    (lambda m: pd(m, [1, 2], 1, 1)(0.5, [1, 2], 3), ValueError, r"qd has shape \(\)"),
    (lambda m: computed_torque(m, [1, 2], [0, 0], lambda t: 2.0, 1, 1)(0.5, *STATE), ValueError, r"qdd_d\(0.5\) has"),
    (lambda m: computed_torque(m, [1, 2], lambda t: [2.0], [0, 0], 1, 1)(0.5, *STATE), ValueError, r"qd_d\(0.5\) has"),
    (lambda m: (pd(m, [1, 2], 1, 1) + (lambda t, q, qd: [1.0]))(0.5, *STATE), ValueError,
     r"different shapes, \(2,\) and \(1,\). Each must give a force for every velocity"),
    (lambda m: ((lambda t, q, qd: 1.0) + pd(m, [1, 2], 1, 1))(0.5, *STATE), ValueError, r"shapes, \(\) and \(2,\)"),
    (lambda m: pd(m, [1, 2], 1, 1) + 3, TypeError, "unsupported operand")])
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(load("double_pendulum"))
