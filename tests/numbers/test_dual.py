"""Dual numbers, against symbolic derivatives, and algorithms of the library that run on them."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.book.ch02_spatial import motion_exp, rz
from rbdlib.book.ch04_joints import FreeMotion, Planar, Spherical
from rbdlib.book.ch04_orientation import rotation_from_euler_angles
from rbdlib.numbers import dual
from rbdlib.numbers.dual import Dual, jacobian, partials, seed, values
from rbdlib.numbers.scalars import cos, sin, sqrt
from tests.sources.helpers import slope

x, y = sp.symbols("x y", real=True)
#: Functions of two numbers in which every operation occurs, on either side of a dual number.
FORMULAS = [
    lambda x, y: x + y, lambda x, y: 3 + x - 5 + y, lambda x, y: x - y, lambda x, y: 2 - x, lambda x, y: -x,
    lambda x, y: x * y, lambda x, y: 3 * x * 0.5, lambda x, y: x / y, lambda x, y: 2 / x, lambda x, y: x / 4,
    lambda x, y: x**3, lambda x, y: (x * y) ** 0.5, lambda x, y: y**-2, lambda x, y: y**0,
    lambda x, y: sin(x * y), lambda x, y: cos(x / y), lambda x, y: sqrt(x * x + y),
    lambda x, y: sin(x) * cos(y) / sqrt(1 + x * x) - x * (y - 2) / (3 - y)]


@pytest.mark.parametrize("formula", FORMULAS)
def test_derivatives_are_those_of_calculus_for_floats_symbols_and_mpmath_numbers(formula):
    point, slopes = {x: 0.7, y: 1.9}, [sp.diff(formula(x, y), symbol) for symbol in (x, y)]
    result, expected = formula(*seed(list(point.values()))), [float(slope_.subs(point)) for slope_ in slopes]
    assert result.value == pytest.approx(float(sp.sympify(formula(x, y)).subs(point)), rel=1e-14)
    assert_allclose(result.partials, expected, rtol=1e-13, atol=1e-15)
    for found, slope_ in zip(partials(formula(*seed([x, y])), 2), slopes, strict=True):
        assert abs(sp.lambdify((x, y), found - slope_)(0.3, 1.2)) < 1e-13
    with mpmath.workdps(40):
        a, b = mpmath.mpf(1) / 3, mpmath.mpf(6) / 5
        for found, order in zip(partials(formula(*seed([a, b])), 2), ((1, 0), (0, 1)), strict=True):
            assert abs(found - mpmath.diff(formula, (a, b), order)) < 1e-15


def test_duals_mix_with_constants_and_arrays_of_any_kind_and_zero_times_a_dual_is_a_plain_zero():
    z = seed([2.0])[0]
    for five in (5, 5.0, np.float64(5), np.int64(5), mpmath.mpf(5), sp.Integer(5), 5 + 0j):
        for result, value, slope_ in ((z + five, 7, 1), (five + z, 7, 1), (z - five, -3, 1), (five - z, 3, -1),
                                      (z * five, 10, 5), (five * z, 10, 5), (z / five, 0.4, 0.2),
                                      (five / z, 2.5, -1.25)):
            assert_allclose([complex(result.value), complex(result.partials[0])], [value, slope_])

    rng = np.random.default_rng(5)
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    for function, slopes in ((lambda b: A @ b, A), (lambda b: b @ A, A.T), (lambda b: b @ A @ b, (A + A.T) @ b)):
        assert_allclose(jacobian(function, b), slopes, rtol=1e-13)
    for function, slopes in ((lambda b: A - b[0], -np.ones((3, 3))), (lambda b: b[0] - A, np.ones((3, 3))),
                             (lambda b: A / b[0], -A / b[0] ** 2), (lambda b: b[0] / A, 1 / A)):
        assert_allclose(jacobian(function, b)[..., 0], slopes, rtol=1e-14)

    # So that the zeros of transforms cost nothing.
    z = seed([2.0])[0]
    assert not isinstance(0 * z, Dual) and not isinstance(z * 0.0, Dual)
    assert isinstance(z * seed([0.0])[0], Dual)
    assert ((+z).value, (+z).partials.tolist()) == (2, [1])


def test_powers_have_the_slopes_of_calculus_and_duals_compare_by_value():
    for exponent in (0, 0.0, np.int64(0), sp.Integer(0)):
        for value in (0.0, 2.5, -1.0, x):
            power = seed([value, 3.0])[0] ** exponent
            assert (power.value, power.partials.tolist()) == (1, [0, 0]), (value, exponent)
    zero = seed([0.0])[0]
    assert [(zero**n).partials.tolist() for n in (1, 2, 1.0, 3)] == [[1], [0], [1], [0]]

    z, w = seed([2.0, 2.0])
    assert z == w and z == 2 and 2 == z and z != 3
    assert_array_equal(np.array([z, w]) == np.array([2, 3]), [True, False])
    assert repr(seed([2.0])[0]) == "Dual(2.0, array([1.]))"


def test_directions_choose_what_is_differentiated_values_are_what_was_seeded_and_left_alone():
    def function(v):
        return np.array([v[0] * v[1], sin(v[0])])

    directions, point = np.array([[1.0, 2, 0], [0, 1, -1]]), np.array([0.4, 1.1])
    assert_allclose(jacobian(function, point, directions), jacobian(function, point) @ directions)
    assert_array_equal(jacobian(lambda v: np.array([1.0, v[1]]), point, directions), [[0, 0, 0], [0, 1, -1]])
    assert jacobian(lambda v: v[0] * v[1], point).shape == (2,)
    assert jacobian(lambda v: 3.0, point).tolist() == [0, 0]

    point = np.array([[0.4, 1.1], [2.0, 3.0]])
    duals = np.array([seed(row) for row in point])
    assert_array_equal(values(duals), point)
    assert values(duals).dtype == float
    assert values(2 * duals[0, 0]) == 0.8
    assert_array_equal(partials(point, 3), np.zeros((2, 2, 3)))

    point, directions = np.array([1.0, 2.0]), np.eye(2)
    (seed(point, directions)[0] * 3 + 1).partials[0] = 7
    assert_array_equal(point, [1, 2])
    assert_array_equal(directions, np.eye(2))
    assert dual.seed([]).shape == (0,)


def test_rotations_differentiate_themselves():
    angles = np.array([0.3, -0.8, 1.7])
    slopes = jacobian(rotation_from_euler_angles, angles)
    for k, e in enumerate(np.eye(3)):
        assert_allclose(slopes[..., k], slope(lambda s, e=e: rotation_from_euler_angles(angles + s * e)), atol=1e-11)
    quarter = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
    assert_allclose(jacobian(lambda a: rz(a[0]), [0.3])[..., 0], quarter @ rz(0.3), atol=1e-15)


@pytest.mark.parametrize("joint", [Spherical(), Planar("F_s"), FreeMotion()], ids=str)
def test_a_step_of_a_joint_differentiates_itself(joint):
    rng = np.random.default_rng(8)
    q, qd = joint.random_position(rng), rng.normal(size=joint.nv)
    slopes = jacobian(lambda qd: joint.integrate(q, qd, 0.4), qd)
    for k, e in enumerate(np.eye(joint.nv)):
        assert_allclose(slopes[:, k], slope(lambda s, e=e: joint.integrate(q, qd + s * e, 0.4)), atol=1e-10)
    along = rng.normal(size=6)
    through = jacobian(lambda s: motion_exp(s[0] * along), [0.7])[..., 0]
    assert_allclose(through, slope(lambda s: motion_exp((0.7 + s) * along)), atol=1e-10)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: seed([1.0, 2.0], np.eye(3)), ValueError, r"directions has shape \(3, 3\); expected a matrix of shape"),
    (lambda: seed([[1.0]]), ValueError, r"x has shape \(1, 1\)"),
    (lambda: seed([np.nan]), ValueError, "x contains nan"), (lambda: seed("ab"), TypeError, "x contains the text"),
    (lambda: seed(seed([1.0])), TypeError, "x contains duals already.*Give numbers"),
    (lambda: seed([1.0])[0] ** seed([1.0])[0], TypeError, "unsupported operand"),
    (lambda: float(seed([1.0])[0]), TypeError, "float"),
    (lambda: sqrt(seed([0.0])[0]), ZeroDivisionError, "square root has no derivative at 0"),
    (lambda: sqrt(seed([np.int64(0)])[0]), ZeroDivisionError, "square root has no derivative at 0"),
    (lambda: sqrt(seed([sp.Integer(0)])[0]), ZeroDivisionError, "square root has no derivative at 0")])
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
