"""The inertia matrix, its factors and forward dynamics, against geometry, NumPy's linear algebra and one another."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, crba, load
from rbdlib.analysis.operation_counts import D_1, costs, density
from rbdlib.book import ch06_factorisation as factorisation
from rbdlib.book.ch02_spatial import rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Revolute, Spherical
from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.book.ch06_factorisation import expand_parent, ltdl, ltl, solve
from rbdlib.book.ch06_inertia_matrix import differential_inverse_dynamics, expanded_parent, sparsity_pattern
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_space import inertia_matrix, inertia_matrix_by_columns
from rbdlib.numbers import scalars
from tests.sources.ch07_systems import spd
from tests.sources.helpers import derivative
from tests.sources.joints import Mechanism

SEED = 41
EVERY_H = [inertia_matrix, inertia_matrix_by_columns, crba]
#: A joint that depends on time, and moves when its variables stand still.
DRIVEN = Custom(2, lambda q, t: rotz(q[0]) @ xlt([q[1] * q[1], scalars.sin(t), q[0] + t * q[1]]), name="driven")


# H

def test_double_pendulums_have_their_textbook_matrix_and_humble_models_none_or_one_number():
    model = load("double_pendulum", symbolic=True)
    m1, m2, l1, l2, g = (model.parameters[name] for name in ("m1", "m2", "l1", "l2", "g"))
    q = sp.symbols("q1:3", real=True)
    H = inertia_matrix(model, q)
    cross = m2 * l2**2 + m2 * l1 * l2 * sp.cos(q[1])
    expected = [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * sp.cos(q[1]), cross], [cross, m2 * l2**2]]
    difference = sp.lambdify([m1, m2, l1, l2, g, *q], sp.Matrix(H) - sp.Matrix(expected))
    for values in np.random.default_rng(44).uniform(0.5, 3, (5, 7)):
        assert_allclose(difference(*values), 0, atol=1e-11)

    fixed = Model([0, 1], [Fixed(), Fixed()], [np.eye(6)] * 2, [np.eye(6)] * 2)
    for function in EVERY_H:
        assert function(fixed, []).shape == (0, 0)
        assert function(load("pendulum"), [0.3]).shape == (1, 1)
    assert expanded_parent(fixed) == []
    assert sparsity_pattern(fixed).shape == (0, 0)
    assert differential_inverse_dynamics(fixed, [], []).shape == (0,)


def test_H_is_the_curvature_of_the_kinetic_energy_for_joints_of_every_kind_at_any_time(rng):
    """T(e_i + e_j) - T(e_i) - T(e_j) + T(0), which leaves the quadratic part of an energy that depends on time."""
    joints = [Revolute("y"), DRIVEN, Fixed(), Spherical(), DRIVEN, FreeMotion()]
    model = Mechanism(rng, joints, [0, 1, 2, 3, 3, 1]).model()
    (q, _), t, e = model.random_state(rng), 0.7, np.eye(model.nv)

    def T(qd):
        return kinetic_energy(model, q, qd, t)

    expected = [[T(e_i + e_j) - T(e_i) - T(e_j) + T(0 * e_i) for e_j in e] for e_i in e]
    for H in (*(function(model, q, t=t) for function in EVERY_H),
              np.column_stack([differential_inverse_dynamics(model, q, e_i, t) for e_i in e])):
        assert_allclose(H, expected, rtol=1e-8, atol=1e-8)
    assert np.abs(crba(model, q) - expected).max() > 1e-3


@pytest.mark.parametrize(("call", "message"), [
    *((lambda f=f: f(3), "parent is 3; give a list") for f in (D_1, costs, density)),
    (lambda: expand_parent([0], 3), "freedoms is 3; give the number")])
def test_arguments_of_another_type_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


# The factors L and D

def test_solutions_and_factors_in_exact_arithmetic_and_of_formulas():
    a, b = sp.symbols("a b", positive=True)
    H = np.array([[a + b, b], [b, b]])
    x = solve(H, [a, 0])
    assert [sp.cancel(entry) for entry in x] == [1, -1]
    hilbert = [[sp.Rational(1, i + j + 1) for j in range(5)] for i in range(5)]
    x = solve(hilbert, [sp.Integer(1), 0, 0, 0, 0])
    assert x.tolist() == [25, -300, 1050, -1400, 630]
    x = solve([[a, 1], [1, b]], [3.0, 4.0])
    assert_allclose([float(entry.subs({a: 2, b: 8})) for entry in x], [4 / 3, 1 / 3], rtol=1e-14)

    x = sp.Symbol("x", positive=True)
    L, D = ltdl([[x + 1, x], [x, x]])
    assert L.tolist() == [[1, 0], [1, 1]]
    assert [sp.simplify(d) for d in D] == [1, x]
    L = ltl([[sp.Integer(5), 2], [2, sp.Integer(4)]])
    assert L.tolist() == [[2, 0], [1, 2]]
    with mpmath.workdps(40):
        tiny = mpmath.mpf(10) ** -500
        assert ltdl([[tiny, 0], [0, tiny]])[1].tolist() == [tiny, tiny]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ltdl([[1, 2, 3], [4, 5, 6]]), r"H has shape \(2, 3\); expected a matrix of shape \(2, 2\)"),
    (lambda: ltdl([[1, math.nan], [math.nan, 1]]), r"H contains nan at index \(0, 1\)"),
    (lambda: ltdl(np.zeros((2, 2))), "H is singular: variable 2 has no inertia"),
    (lambda: ltl(np.zeros((2, 2))), "H is singular: variable 2 has no inertia"),
    (lambda: ltdl([[0.1 * 0.1, 0.1], [0.1, 1.0]]), "H is singular: variable 1 has no inertia"),
    (lambda: ltl([[0.01, 0.1], [0.1, 1.0]]), "H is singular: variable 1 has no inertia"),
    (lambda: ltl([[1, 2], [2, 1]]), "H is not positive definite: variable 1 has the inertia -3 when those after it"),
    (lambda: ltdl([[sp.Integer(1), 2], [2, 1]]), "H is not positive definite: variable 1"),
    (lambda: factorisation.solve_L([[1, 0], [1, 0]], [1, 1]), r"L is singular: L\[1, 1\], of variable 2, is 0"),
    (lambda: factorisation.solve_Lt([[0, 0], [1, 1]], [1, 1]), r"L is singular: L\[0, 0\], of variable 1, is 0"),
    (lambda: density([]), "parent is empty"), (lambda: expand_parent([0], [True]), "freedoms contains True"),
    (lambda: ltl(3), r"H has shape \(\); expected a matrix of shape \(0, 0\)"),
    (lambda: ltl(np.eye(2), 2), "parent is 2; give 2 numbers"),
    (lambda: ltl(np.eye(2), [0, 1.0]), r"parent is \[0, 1.0\]; give 2 numbers"),
    (lambda: factorisation.multiply_L(np.eye(2), [1, 2, 3]), r"x has shape \(3,\); expected 2 numbers"),
    (lambda: factorisation.solve_Lt(np.eye(3)[:2], [1, 2]), r"L has shape \(2, 3\)"),
    (lambda: factorisation.multiply_H(np.eye(2), [1, 2], [1, 1]), r"parent is \[1, 1\]; give 2 numbers"),
    (lambda: solve(np.eye(2), np.ones((3, 2))), r"b has shape \(3, 2\); expected a matrix of shape \(2, 2\)"),
    (lambda: expand_parent([0, 1], [1, 7]), "freedoms contains 7; give the number of freedoms of each joint, 0 to 6"),
    (lambda: expand_parent([0], [1, 1]), r"parent is \[0\]; give 2 numbers"),
    (lambda: costs([0, 3]), r"parent is \[0, 3\]; give 2 numbers"),
    (lambda: ltdl(np.eye(3), [0, 1]), r"parent is \[0, 1\]; give 3 numbers, the k-th of them in 0..k-1"),
    (lambda: ltdl(np.eye(2), [1, 1]), r"parent is \[1, 1\]; give 2 numbers"),
    (lambda: ltdl(np.eye(2), [0, -1]), r"parent is \[0, -1\]; give 2 numbers"),
    (lambda: solve(np.eye(2), [1, 2, 3]), r"b has shape \(3,\); expected 2 numbers")])
def test_wrong_matrices_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_matrix_and_its_right_side_are_left_alone(rng):
    H, b = spd(rng, 3), rng.normal(size=3)
    kept = H.copy(), b.copy()
    for function in (ltl, ltdl):
        function(H)
    for name in ("solve", "multiply_L", "multiply_Lt", "multiply_H", "solve_L", "solve_Lt"):
        getattr(factorisation, name)(H, b)
    assert_array_equal(H, kept[0])
    assert_array_equal(b, kept[1])


def test_matrices_of_sympy_lists_and_nothing():
    H = [[2, 1], [1, 3]]
    for given in (sp.Matrix(H), np.array(H), tuple(map(tuple, H))):
        assert_allclose(ltl(given).astype(float), ltl(H), rtol=1e-15)
    X = np.linalg.solve(H, [[1, 2, 3], [4, 5, 6]])
    for B in ([[1, 2, 3], [4, 5, 6]], sp.Matrix([[1, 2, 3], [4, 5, 6]])):
        assert_allclose(solve(H, B).astype(float), X, rtol=1e-14)
    assert_allclose(solve(H, sp.Matrix([1, 0])).astype(float), np.linalg.solve(H, [1, 0]), rtol=1e-14)
    assert ltl([]).shape == (0, 0)
    assert solve(H, np.zeros((2, 0))).shape == (2, 0)
    assert solve([], []).shape == (0,)
    assert_array_equal(factorisation.solve_L([[0, 0], [1, 0]], [1, 1], unit=True), [1, 0])


@pytest.mark.parametrize("number", [float, complex, np.longdouble, mpmath.mpf], ids=lambda kind: kind.__name__)
def test_what_rounding_leaves_of_a_singular_matrix_is_singular(number):
    """H = JᵀJ, each element with its own rounding, as an inertia matrix has; a regular one passes at 1e-9."""
    for seed in range(5):
        J = np.random.default_rng([56, seed]).normal(size=(4, 5))
        J = np.array([[number(x) / number(3) for x in row] for row in J])
        H = J.T @ J
        for factor in (ltl, ltdl):
            with pytest.raises(ValueError, match="H is singular: variable 1 has no inertia"):
                factor(H)
            H[0, 0] = H[0, 0] * (1 + number(1) / 10**9)
            assert np.all(np.isfinite(np.array(factor(H)[0], dtype=complex))), (factor, seed)
            H = J.T @ J


def test_factors_of_complex_numbers_are_analytic(rng):
    """So that H can be differentiated by a complex step through its factors."""
    A, dA = spd(rng, 4), spd(rng, 4)
    for factor in (ltl, lambda H: ltdl(H)[0], lambda H: ltdl(H)[1]):
        slope = derivative(lambda t, factor=factor: factor(A + t * dA))
        difference = (factor(A + 1e-6 * dA) - factor(A - 1e-6 * dA)) / 2e-6
        assert_allclose(slope, difference, rtol=1e-5, atol=1e-5)


def test_long_thin_chains_are_no_singular_matrices():
    """A chain of 60 bodies, whose first variable moves them all: badly conditioned, but far from singular."""
    n, b = 60, np.ones(60)
    H = np.array([[float(sum((k - i + 0.5) * (k - j + 0.5) for k in range(max(i, j), n))) for j in range(n)]
                  for i in range(n)])
    assert_allclose(H @ solve(H, b), b, rtol=1e-6)
    assert_allclose(ltl(H).T @ ltl(H), H, rtol=1e-9)
