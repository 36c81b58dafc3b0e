"""Joints about an axis: how axes are written, compared, printed and refused; arguments and scalars of `jcalc`."""

import math

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.book.ch04_joints import Fixed, Prismatic, Revolute, jcalc

AXES = ["x", "y", "z", (0, 0, -1), (1, 2, 3), (-0.3, 0.2, 0.9)]
KINDS = (Revolute, Prismatic)


def unit(axis):
    axis = np.array({"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}[axis] if isinstance(axis, str) else axis, float)
    return axis / np.linalg.norm(axis)


def test_axes_become_unit_vectors_and_a_fixed_joint_moves_nothing():
    """Also one that was rounded, as files in URDF have it; the joint's transform is a rotation to the last digit."""
    rounded = [np.round(unit((1, -2, 2.3)), digits) for digits in (3, 6, 9, 12)]
    assert min(abs(np.linalg.norm(axis) - 1) for axis in rounded) > 1e-14
    for axis in (*AXES, *rounded, *(3.7 * unit(axis) for axis in AXES)):
        for kind in KINDS:
            assert_allclose(kind(axis).direction, unit(axis), atol=2e-16, err_msg=str(axis))
        joint = Revolute(axis)
        assert abs(joint.direction @ joint.direction - 1) < 5e-16
        E = jcalc(joint, 0.7, 0)[0][:3, :3]
        assert_allclose(E @ E.T, np.eye(3), atol=1e-15)
    for found, expected in zip(jcalc(Fixed(), [], []), (np.eye(6), np.zeros((6, 0)), *np.zeros((2, 6))), strict=True):
        assert_array_equal(found, expected, strict=True)
    assert (Fixed.nq, Fixed.nv, str(Fixed())) == (0, 0, "fixed")


def test_joints_about_the_same_axis_are_equal_cannot_be_changed_and_print_it():
    assert Revolute("x") == Revolute((2, 0, 0)) == Revolute(np.array([0.5, 0, 0]))
    assert Prismatic("x") != Revolute("x") != Revolute((-1, 0, 0))
    assert Revolute() == Revolute("z") and Revolute((0, 0, 2)).axis == "z"
    assert len({Revolute("x"), Revolute((1, 0, 0)), Prismatic("x"), Fixed(), Fixed()}) == 3
    for joint in (Revolute(axis) for axis in np.random.default_rng(4).normal(size=(300, 3))):
        assert Revolute(joint.axis) == joint, "giving a joint its own axis again changes no digit"

    with pytest.raises(AttributeError):
        Revolute("x").axis = "y"
    joint = Prismatic(axis := unit((1, 2, 2)))
    joint.direction[0] = axis[0] = 9
    assert_allclose(joint.direction, [1 / 3, 2 / 3, 2 / 3])
    assert (str(Revolute()), str(Prismatic((0, 3, 4)))) == ("revolute z", "prismatic (0, 0.6, 0.8)")


def test_wrong_axes_are_named():
    for axis, error, message in (
        ("w", ValueError, "axis is 'w'; choose 'x', 'y', 'z' or give a 3-vector"),
        ("xy", ValueError, "axis is 'xy'; choose"),
        ((0, 0, 0), ValueError, "axis is the zero vector; it must have a direction"),
        ((1, 2), ValueError, r"axis has shape \(2,\); expected 3 numbers"),
        ((1, math.nan, 0), ValueError, "axis contains nan at index 1"), (3, ValueError, r"axis has shape \(\)"),
        (None, TypeError, "axis contains None"), (("a", 0, 0), TypeError, "axis contains the text 'a'"),
    ):
        for kind in KINDS:
            with pytest.raises(error, match=message):
                kind(axis)


def test_one_variable_may_come_alone_or_in_an_array_and_wrong_ones_are_named():
    for kind in KINDS:
        for alone, array in zip(jcalc(kind(), 0.3, 2), jcalc(kind(), [0.3], np.array([2])), strict=True):
            assert_array_equal(alone, array)
    for q, qd, error, message in (
        ([1, 2], 0, ValueError, r"q has shape \(2,\); expected 1 numbers"),
        (0, [1, 2, 3], ValueError, r"qd has shape \(3,\); expected 1 numbers"),
        (math.inf, 0, ValueError, "q contains inf"), (0, math.nan, ValueError, "qd contains nan"),
        ("a", 0, TypeError, "q is an array of <U1, which are not numbers"),
    ):
        for kind in KINDS:
            with pytest.raises(error, match=message):
                jcalc(kind(), q, qd)
    with pytest.raises(ValueError, match=r"q has shape \(1,\); expected 0 numbers"):
        jcalc(Fixed(), [1], [])


def test_named_axes_leave_no_floats_in_formulas_and_axes_of_symbols_are_taken_as_unit_vectors():
    a, b, q = sp.symbols("a b q", real=True)
    for joint in (kind(axis) for kind in KINDS for axis in ("x", "y", "z", (a, b, 0))):
        assert not any(sp.Matrix(array).has(sp.Float) for array in jcalc(joint, q, q)[:3])
    value = {a: 0.6, b: 0.8, q: 0.3}
    for formula, expected in zip(jcalc(Revolute((a, b, 0)), q, 0)[:2], jcalc(Revolute((0.6, 0.8, 0)), 0.3, 0)[:2],
                                 strict=True):
        assert_allclose(np.array(sp.Matrix(formula).subs(value), float), expected, atol=1e-14)
