"""Joints move as their definitions say, on every kind of scalar, and say what is wrong with what they are given."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.joints import Fixed, Prismatic, Revolute, jcalc
from tests.sources.helpers import (
    E_and_r,
    derivative,
    motion_coordinates,
    random_unit,
    turn,
    velocity,
)

AXES = ["x", "y", "z", (0, 0, -1), (1, 2, 3), (-0.3, 0.2, 0.9)]
UNITS = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
BASE = (np.eye(3), np.zeros(3))


def unit(axis):
    axis = np.array(UNITS.get(axis, axis), dtype=float)
    return axis / np.linalg.norm(axis)


def pose(joint, q):
    """Where F_s stands in F_p, by geometry."""
    axis = unit(joint.axis)
    return (turn(axis, q), np.zeros(3)) if isinstance(joint, Revolute) else (np.eye(3), q * axis)


def all_joints():
    return [kind(axis) for kind in (Revolute, Prismatic) for axis in AXES]


@pytest.fixture(params=all_joints(), ids=str)
def joint(request):
    return request.param


# What jcalc returns


def test_transform_leads_to_the_displaced_frame(joint):
    for q in (0.0, 0.7, -2.5):
        E, r = E_and_r(BASE, pose(joint, q))
        X_J = jcalc(joint, q, 0)[0]
        K = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        assert_allclose(X_J, np.block([[E, np.zeros((3, 3))], [-E @ K, E]]), atol=1e-15)


def test_velocity_is_the_rate_of_the_displacement(joint):
    q, qd = 0.7, -1.3
    _, S, v_J, c_J = jcalc(joint, q, qd)
    moving = velocity(lambda t: pose(joint, q + t * qd))
    assert_allclose(v_J, motion_coordinates(moving, pose(joint, q)), atol=1e-14)
    assert_allclose(S[:, 0] * qd, v_J, atol=1e-15)
    assert_array_equal(c_J, np.zeros(6))
    assert S.shape == (6, 1)


def test_frames_coincide_at_zero(joint):
    assert_allclose(jcalc(joint, 0, 0)[0], np.eye(6), atol=1e-15)


def test_a_fixed_joint_moves_nothing():
    X_J, S, v_J, c_J = jcalc(Fixed(), [], [])
    assert_array_equal(X_J, np.eye(6))
    assert S.shape == (6, 0)
    assert_array_equal(v_J, np.zeros(6))
    assert_array_equal(c_J, np.zeros(6))
    assert (Fixed.nq, Fixed.nv) == (0, 0)


# Axes


def test_an_axis_is_made_a_unit_vector(joint):
    assert_allclose(joint.direction, unit(joint.axis), atol=1e-15)
    axis = 3.7 * unit(joint.axis)
    assert_allclose(type(joint)(axis).direction, joint.direction, atol=1e-15)


def test_joints_about_the_same_axis_are_equal_however_it_was_written():
    assert Revolute("x") == Revolute((2, 0, 0)) == Revolute(np.array([0.5, 0, 0]))
    assert Revolute("x") != Prismatic("x")
    assert Revolute("x") != Revolute((-1, 0, 0))
    assert Revolute() == Revolute("z")
    assert Revolute((0, 0, 2)).axis == "z"
    assert len({Revolute("x"), Revolute((1, 0, 0)), Prismatic("x"), Fixed(), Fixed()}) == 3


def test_giving_a_joint_its_own_axis_again_changes_no_digit():
    rng = np.random.default_rng(4)
    for _ in range(300):
        joint = Revolute(rng.normal(size=3))
        assert Revolute(joint.axis) == joint


def test_joints_cannot_be_changed():
    with pytest.raises(AttributeError):
        Revolute("x").axis = "y"
    joint = Prismatic((1, 2, 2))
    joint.direction[0] = 9
    assert_allclose(joint.direction, [1 / 3, 2 / 3, 2 / 3])


def test_joints_print_their_kind_and_axis():
    assert str(Revolute("z")) == "revolute z"
    assert str(Prismatic((0, 3, 4))) == "prismatic (0, 0.6, 0.8)"
    assert str(Fixed()) == "fixed"


@pytest.mark.parametrize(("axis", "error", "message"), [
    ("w", ValueError, "axis is 'w'; choose 'x', 'y', 'z' or give a 3-vector"),
    ("X", ValueError, "axis is 'X'; choose"),
    ("xy", ValueError, "axis is 'xy'; choose"),
    ((0, 0, 0), ValueError, "axis is the zero vector; it must have a direction"),
    ((1, 2), ValueError, r"axis has shape \(2,\); expected 3 numbers"),
    ((1, math.nan, 0), ValueError, "axis contains nan at index 1"),
    (3, ValueError, r"axis has shape \(\)"),
    (None, TypeError, "axis contains None"),
    (("a", 0, 0), TypeError, "axis contains the text 'a'"),
])
def test_wrong_axes_are_named(axis, error, message):
    for kind in (Revolute, Prismatic):
        with pytest.raises(error, match=message):
            kind(axis)


# Arguments and scalars of jcalc


@pytest.mark.parametrize(("q", "qd", "message"), [
    ([1, 2], 0, r"q has shape \(2,\); expected 1 numbers"),
    (0, [1, 2, 3], r"qd has shape \(3,\); expected 1 numbers"),
    (math.inf, 0, "q contains inf"),
    (0, math.nan, "qd contains nan"),
])
def test_wrong_variables_are_named(joint, q, qd, message):
    with pytest.raises(ValueError, match=message):
        jcalc(joint, q, qd)


def test_text_is_no_variable():
    with pytest.raises(TypeError, match="q is an array of <U1, which are not numbers"):
        jcalc(Revolute(), "a", 0)
    with pytest.raises(ValueError, match=r"q has shape \(1,\); expected 0 numbers"):
        jcalc(Fixed(), [1], [])


def test_one_variable_may_come_alone_or_in_an_array(joint):
    for alone, array in zip(jcalc(joint, 0.3, 2), jcalc(joint, [0.3], np.array([2])), strict=True):
        assert_array_equal(alone, array)


def test_symbols_mpmath_and_floats_give_the_same(joint):
    q, qd = sp.symbols("q qd", real=True)
    value, rate = 0.7, -1.3
    floats = jcalc(joint, value, rate)
    symbols = jcalc(joint, q, qd)
    numbers = jcalc(joint, mpmath.mpf(value), mpmath.mpf(rate))
    for expected, formula, precise in zip(floats, symbols, numbers, strict=True):
        values = np.array(sp.Matrix(formula).subs({q: value, qd: rate}), float)
        assert_allclose(values.reshape(expected.shape), expected, atol=1e-14)
        assert_allclose(precise.astype(float), expected, atol=1e-15)


def test_named_axes_leave_no_floats_in_formulas():
    q = sp.Symbol("q", real=True)
    for axis in "xyz":
        for kind in (Revolute, Prismatic):
            for array in jcalc(kind(axis), q, q)[:3]:
                assert not sp.Matrix(array).has(sp.Float)


def test_a_complex_step_differentiates_the_transform(joint):
    slope = derivative(lambda q: jcalc(joint, q, 0)[0], 0.4)
    h = 1e-6
    difference = (jcalc(joint, 0.4 + h, 0)[0] - jcalc(joint, 0.4 - h, 0)[0]) / (2 * h)
    assert_allclose(slope, difference, atol=1e-9)


def test_an_axis_of_symbols_is_taken_as_a_unit_vector():
    a, b, q = sp.symbols("a b q", real=True)
    X_J, S, *_ = jcalc(Revolute((a, b, 0)), q, 0)
    value = {a: 0.6, b: 0.8, q: 0.3}
    expected = jcalc(Revolute((0.6, 0.8, 0)), 0.3, 0)
    assert_allclose(np.array(sp.Matrix(X_J).subs(value), float), expected[0], atol=1e-14)
    assert_allclose(np.array(sp.Matrix(S).subs(value), float), expected[1], atol=1e-14)


def test_inputs_are_left_alone():
    rng = np.random.default_rng(6)
    axis, q = random_unit(rng), np.array([0.3])
    kept = axis.copy(), q.copy()
    joint = Revolute(axis)
    X_J, *_ = jcalc(joint, q, q)
    X_J[:] = 0
    axis[0] = 7
    assert_array_equal(q, kept[1])
    assert_allclose(joint.direction, kept[0], atol=1e-15)
