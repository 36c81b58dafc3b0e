"""Positions of loop joints, found wherever they stand: half turns, whole turns, singular positions, open loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, forward_dynamics as tree_dynamics
from rbdlib.book.ch02_spatial import X_to_Er, mcI, motion_exp, rotz, xlt
from rbdlib.book.ch04_joints import Euler, Helical, RackAndPinion, Reversed, Revolute, Spherical, Universal
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch08_loop_joints import POSITION, active_forces, loop_jcalc, nearest_position
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.linear import settle
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import sin
from tests.sources.ch03_systems import EVERY_JOINT


@pytest.mark.parametrize("turns", [0.1, 1, -3.2, 40])
@pytest.mark.parametrize("joint", [Helical(0.05, (1, 1, 0)), Helical(-2.0), RackAndPinion(0.3), Reversed(Helical(0.2))],
                         ids=str)
def test_whole_turns_are_told_apart_where_they_matter(joint, turns):
    q = np.array([2 * np.pi * turns])
    X = joint.transform(q)
    assert np.abs(loop_jcalc(joint, X).delta).max() < 1e-9
    if not isinstance(joint, Reversed):
        assert_allclose(nearest_position(joint, X)[0], q)


def test_the_formulas_for_positions_undo_the_transforms():
    rng = np.random.default_rng(5)
    for joint in (joint for joint in (*EVERY_JOINT, Helical(0.0), RackAndPinion(0.0)) if type(joint) in POSITION):
        X = joint.transform(joint.normalise(0.3 * joint.random_position(rng)))
        q = np.array(POSITION[type(joint)](joint, *X_to_Er(X)), dtype=float)
        assert_allclose(joint.transform(q), X, atol=1e-14, err_msg=str(joint))


@pytest.mark.parametrize("joint", [Revolute((1, 2, 2)), Universal("xy"), Universal("zx"), Euler("xyz"), Euler("zxz"),
                                   Reversed(Universal("yz"))], ids=str)
def test_a_joint_of_hinges_is_found_wherever_it_stands(joint):
    """At half turns too, and close to them; and in open loops, where Sᵀ d = 0."""
    rng, own = np.random.default_rng(31), getattr(joint, "joint", joint)
    for n in range(100):
        q = rng.uniform(-np.pi, np.pi, joint.nq)
        if n % 2:
            q[n // 2 % joint.nq] = rng.choice([-1, 1]) * (np.pi + rng.choice([-1, 1]) * 10.0**rng.uniform(-12, -2))
        X = joint.transform(q)
        found, d = nearest_position(joint, X)
        assert_allclose(joint.transform(found), X, atol=2e-12, err_msg=str(q))
        assert_allclose(d, 0, atol=2e-12)
        X = motion_exp(1e-4 * rng.normal(size=6)) @ X
        found, d = nearest_position(joint, X)
        assert np.abs(d).max() < 1e-3
        S = own.motion_subspace(found)
        if own is joint and np.linalg.cond(S) < 100:
            assert_allclose(S.T @ d, 0, atol=1e-11, err_msg=str(q))


def test_a_universal_joint_near_a_half_turn_moves_in_a_loop_as_in_a_tree():
    """A body on the joint, and the same body on a ball that the joint as a loop joint restrains."""
    joint, qd, body = Universal("xy"), np.array([1.0, 2.0]), mcI(1.3, [0.2, 0.1, 0.3], np.diag([0.4, 0.5, 0.55]))
    held = Model([0], [Spherical()], [np.eye(6)], [body], loops=[LoopJoint(0, 1, joint, np.eye(6), np.eye(6))])
    for turn in (np.pi - 1e-9, np.pi, -np.pi + 1e-6, 3.1415926535121685, 0.4):
        q = np.array([turn, -0.67])
        S, X = joint.motion_subspace(q), joint.transform(q)
        qdd = tree_dynamics(Model([0], [joint], [np.eye(6)], [body]), q, qd, [0, 0])
        found, _ = by_loop_constraints(held, euler_parameters_from_rotation(X[:3, :3]), (S @ qd)[:3], np.zeros(3))
        assert_allclose(found, (S @ qdd + joint.bias_acceleration(q, qd))[:3], atol=1e-11)


def test_rounding_does_not_turn_the_axes_of_motors():
    """Neither of the last digits of X nor of a reversal, there and back, the directions of the motors are a matter."""
    rng = np.random.default_rng(8)
    for sequence in ("zyx", "xzx", "yz"):
        joint = (Universal if len(sequence) == 2 else Euler)(sequence)
        for _ in range(20):
            X = joint.transform(rng.uniform(-np.pi, np.pi, joint.nq))
            T_a = active_forces(joint, X)
            for like, near in ((joint, X + 1e-15 * rng.normal(size=(6, 6))), (Reversed(Reversed(joint)), X),
                               (Reversed(Reversed(joint)), X + 1e-15 * rng.normal(size=(6, 6)))):
                assert_allclose(active_forces(like, near), T_a, atol=1e-9 * np.abs(T_a).max())


def test_a_search_for_a_position_comes_to_rest_or_says_that_there_is_none():
    wave = Custom(1, lambda q, t: rotz(q[0]) @ xlt([0, 0, sin(3 * q[0])]), name="wave")
    for x in (0.0, 0.5, 1.9, -2.7, 3.1):
        X = wave.transform([x])
        found, d = nearest_position(wave, X)
        assert_allclose(wave.transform(found), X, atol=1e-11)
        assert_allclose(d, 0, atol=1e-11)
    line = Custom(1, lambda q, t: xlt([0, 0, q[0] + q[0]**3]), name="line")
    assert settle([np.array([0.0])], lambda x: (x + 1, np.ones(1)), lambda x: 0.0) is None
    assert_allclose(nearest_position(line, line.transform([1.5]))[0], [1.5], atol=1e-12)
    swivel = Custom(1, lambda q, t: rotz(t) @ xlt([q[0], 0, 0]) @ rotz(-t), name="swivel")  # whose axis turns in time
    assert_allclose(nearest_position(swivel, swivel.transform([0.4], 3), 3)[0], [0.4], atol=1e-12)
    for X_J, far, complaint in ((lambda q, t: xlt([0, 0, sin(q[0])]), 5.0, "so far that no position of it is the near"),
                                (lambda q, t: xlt([0, 0, q[0] ** 2]), 0.0, "in a singular position")):
        with pytest.raises(ValueError, match=complaint):
            loop_jcalc(Custom(1, X_J), xlt([0, 0, far]))


def test_a_loop_joint_may_stand_where_its_own_variables_are_singular():
    """An Euler joint constrains as a ball does, in gimbal lock too; but a motor there has no direction to push in."""
    joint = Euler("zyx")
    X = joint.transform([0.3, np.pi / 2, 0.2])
    for T in (loop_jcalc(joint, X).T, joint.constraint_subspace([0.3, np.pi / 2, 0.2])):
        assert_array_equal(T, np.eye(6)[:, 3:])
    with pytest.raises(ValueError, match="singular position"):
        active_forces(joint, X)
    X = Universal("xy").transform([0.3, np.pi / 2])         # regular, although tan(q2) stands in its T
    assert_allclose(np.abs(loop_jcalc(Universal("xy"), X).T).max(axis=0), 1)
    joint, q = Euler("xzx"), np.array([0.4, 0.9, -0.3])     # of which the neutral position is singular
    assert_allclose(active_forces(joint, joint.transform(q)).T @ joint.motion_subspace(q), np.eye(3), atol=1e-9)
