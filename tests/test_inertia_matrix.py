"""The inertia matrix, its factors and forward dynamics, against geometry, NumPy's linear algebra and one another."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, bias_force, forward_dynamics, load, rnea
from rbdlib.inertia_matrix import inertia_and_bias, inertia_matrix, ltdl, solve
from rbdlib.joints import Revolute
from rbdlib.kinematics import kinetic_energy
from tests.sources.helpers import derivative, random_tree

BRANCHED = [0, 1, 1, 2, 2, 3, 0]


@pytest.fixture(params=[41, 42, 43], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


def positive_definite(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.1 * np.eye(n)


# H and C


def test_inertia_matrix_is_that_of_the_geometry(rng):
    tree = random_tree(rng, 7, BRANCHED)
    q = rng.normal(size=7)
    H = inertia_matrix(tree.model(), q)
    assert_allclose(H, tree.mass_matrix(q), rtol=1e-10, atol=1e-11)
    assert_allclose(H, H.T, atol=1e-11)


def test_inertia_matrix_is_zero_between_separate_branches(rng):
    """H_ij = 0 unless one of the bodies i, j supports the other (RBDA 6.4)."""
    model = random_tree(rng, 7, BRANCHED).model()
    H = inertia_matrix(model, rng.normal(size=7))
    for i in model.bodies:
        for j in model.bodies:
            if i not in model.kappa(j) and j not in model.kappa(i):
                assert abs(H[i - 1, j - 1]) < 1e-12


def test_kinetic_energy_is_a_quadratic_form_in_the_inertia_matrix(rng):
    model = random_tree(rng, 5).model()
    q, qd = rng.normal(size=(2, 5))
    assert qd @ inertia_matrix(model, q) @ qd / 2 == pytest.approx(kinetic_energy(model, q, qd), rel=1e-12)


def test_velocity_and_forces_cancel_out_of_the_inertia_matrix(rng):
    model = random_tree(rng, 5).model()
    q, qd = rng.normal(size=(2, 5))
    f_ext = {3: rng.normal(size=6)}
    assert_allclose(inertia_matrix(model, q, qd, f_ext), inertia_matrix(model, q), atol=1e-11)


def test_inertia_and_bias_are_those_of_the_equation_of_motion(rng):
    tree = random_tree(rng, 5)
    q, qd, qdd = rng.normal(size=(3, 5))
    f_ext = {2: rng.normal(size=6), 5: rng.normal(size=6)}
    H, C = inertia_and_bias(tree.model(), q, qd, f_ext)
    assert_allclose(H @ qdd + C, rnea(tree.model(), q, qd, qdd, f_ext), rtol=1e-10, atol=1e-10)
    assert_allclose(C, bias_force(tree.model(), q, qd, f_ext), rtol=1e-12)


def test_double_pendulum_has_its_textbook_inertia_matrix():
    model = load("double_pendulum", symbolic=True)
    m1, m2, l1, l2, g = (model.parameters[name] for name in ("m1", "m2", "l1", "l2", "g"))
    q = sp.symbols("q1:3", real=True)
    H = inertia_matrix(model, q)
    cross = m2 * l2**2 + m2 * l1 * l2 * sp.cos(q[1])
    expected = [[(m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * sp.cos(q[1]), cross], [cross, m2 * l2**2]]
    difference = sp.lambdify([m1, m2, l1, l2, g, *q], sp.Matrix(H) - sp.Matrix(expected))
    for values in np.random.default_rng(44).uniform(0.5, 3, (5, 7)):
        assert_allclose(difference(*values), 0, atol=1e-11)


# Forward dynamics


@pytest.mark.parametrize("parent", [[0], [0, 1, 2, 3], BRANCHED], ids=str)
def test_accelerations_are_those_of_the_lagrangian(rng, parent):
    n = len(parent)
    tree = random_tree(rng, n, parent)
    q, qd, tau = rng.normal(size=(3, n))
    expected = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
    assert_allclose(forward_dynamics(tree.model(), q, qd, tau), expected, rtol=1e-8, atol=1e-8)


def test_forward_dynamics_undoes_inverse_dynamics_under_external_forces(rng):
    model = random_tree(rng, 6).model()
    q, qd, qdd = rng.normal(size=(3, 6))
    f_ext = np.vstack([np.zeros(6), rng.normal(size=(6, 6))])
    assert_allclose(forward_dynamics(model, q, qd, rnea(model, q, qd, qdd, f_ext), f_ext), qdd, rtol=1e-8, atol=1e-8)


def test_a_free_fall_of_sliders():
    particle = load("particle")
    assert_allclose(forward_dynamics(particle, [1, 2], [3, 4], [0, 0]), [0, -9.8], atol=1e-14)
    assert_allclose(forward_dynamics(particle, [1, 2], [3, 4], [2, 0], {2: [0, 0, 0, 4, 0, 0]}), [3, -9.8], atol=1e-14)


def test_symbols_mpmath_and_complex_numbers_give_what_floats_give(rng):
    tree = random_tree(rng, 2)
    model = tree.model()
    given = rng.normal(size=(3, 2))
    names = [sp.symbols(f"{name}:2", real=True) for name in ("q", "u", "t")]
    values = dict(zip(sum(names, ()), given.ravel(), strict=True))
    expected = forward_dynamics(model, *given)
    formulas = forward_dynamics(model, *names)
    assert_allclose([float(f.subs(values)) for f in formulas], expected, rtol=1e-9, atol=1e-9)
    with mpmath.workdps(30):
        precise = forward_dynamics(model, *([mpmath.mpf(x) for x in row] for row in given))
        assert_allclose(precise.astype(float), expected, rtol=1e-9, atol=1e-9)
    along = rng.normal(size=(3, 2))
    h = 1e-6
    later, earlier = (forward_dynamics(model, *(given + x * along)) for x in (h, -h))
    difference = (later - earlier) / (2 * h)
    slope = derivative(lambda t: forward_dynamics(model, *(given + t * along)))
    assert_allclose(slope, difference, rtol=1e-5, atol=1e-5)


def test_inputs_are_left_alone(rng):
    model = random_tree(rng, 3).model()
    given = rng.normal(size=(3, 3))
    H, kept = positive_definite(rng, 3), given.copy()
    copy = H.copy()
    forward_dynamics(model, *given)
    inertia_matrix(model, given[0], given[1])
    ltdl(H)
    solve(H, given[0])
    assert_array_equal(given, kept)
    assert_array_equal(H, copy)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda m: forward_dynamics(m, [0], [0], [0], method="aba!"), ValueError, "method is 'aba!'; choose 'inverse_"),
    (lambda m: forward_dynamics(m, [0], [0], [1, 2]), ValueError, r"tau has shape \(2,\); expected 1 numbers"),
    (lambda m: forward_dynamics(m, [0], [0], [math.nan]), ValueError, "tau contains nan at index 0|tau contains nan;"),
    (lambda m: forward_dynamics(m, [0, 1], [0], [0]), ValueError, r"q has shape \(2,\)"),
    (lambda m: forward_dynamics(m, [0], ["a"], [0]), TypeError, "qd contains the text 'a'"),
    (lambda m: forward_dynamics(m, [0], [0], [0], {4: np.zeros(6)}), ValueError, "f_ext names body 4"),
    (lambda m: inertia_matrix(m, [math.inf]), ValueError, "q contains inf"),
    (lambda m: inertia_matrix(m, [0], [0, 0]), ValueError, r"qd has shape \(2,\)"),
])
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(load("pendulum"))


def test_a_singular_inertia_matrix_is_refused_with_the_remedy():
    with pytest.warns(UserWarning, match="moves nothing that has mass"):
        weightless = Model([0], [Revolute()], [np.eye(6)], [np.zeros((6, 6))])
    with pytest.raises(ValueError, match="H is singular: variable 1 has no inertia. Give the bodies it moves a mass"):
        forward_dynamics(weightless, [0], [0], [1])


# The factors L and D


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_factors_multiply_to_the_matrix(rng, n):
    """H = Lᵀ D L with a unit lower triangular L and positive D."""
    H = positive_definite(rng, n)
    L, D = ltdl(H)
    assert_allclose(L.T @ np.diag(D) @ L, H, rtol=1e-10, atol=1e-12)
    assert_array_equal(L, np.tril(L))
    assert_array_equal(L.diagonal(), np.ones(n))
    assert (D > 0).all()


def test_factors_in_a_tree_skip_the_zeros_and_keep_them(rng):
    """With the parents given, L has a number only where one variable supports the other (RBDA Table 6.3)."""
    model = random_tree(rng, 7, BRANCHED).model()
    H = inertia_matrix(model, rng.normal(size=7))
    L, D = ltdl(H, BRANCHED)
    assert_allclose(L.T @ np.diag(D) @ L, H, rtol=1e-9, atol=1e-10)
    for k in model.bodies:
        for i in model.bodies:
            if i != k and i not in model.kappa(k):
                assert abs(L[k - 1, i - 1]) < 1e-12
    full, D_full = ltdl(H)
    assert_allclose(full, L, atol=1e-9)
    assert_allclose(D_full, D, rtol=1e-9)


def test_solution_of_a_linear_system(rng):
    for n in (1, 3, 8):
        H, b = positive_definite(rng, n), rng.normal(size=n)
        assert_allclose(solve(H, b), np.linalg.solve(H, b), rtol=1e-8, atol=1e-8)


def test_solution_in_exact_arithmetic():
    a, b = sp.symbols("a b", positive=True)
    H = np.array([[a + b, b], [b, b]])
    x = solve(H, [a, 0])
    assert [sp.cancel(entry) for entry in x] == [1, -1]
    hilbert = [[sp.Rational(1, i + j + 1) for j in range(5)] for i in range(5)]
    x = solve(hilbert, [sp.Integer(1), 0, 0, 0, 0])
    assert x.tolist() == [25, -300, 1050, -1400, 630]
    x = solve([[a, 1], [1, b]], [3.0, 4.0])
    assert_allclose([float(entry.subs({a: 2, b: 8})) for entry in x], [4 / 3, 1 / 3], rtol=1e-14)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ltdl([[1, 2, 3], [4, 5, 6]]), r"H has shape \(2, 3\); expected a matrix of shape \(2, 2\)"),
    (lambda: ltdl([[1, math.nan], [math.nan, 1]]), r"H contains nan at index \(0, 1\)"),
    (lambda: ltdl(np.zeros((2, 2))), "H is singular: variable 2 has no inertia"),
    (lambda: ltdl(np.ones((2, 2))), "H is singular: variable 1 has no inertia"),
    (lambda: ltdl(np.eye(3), [0, 1]), r"parent is \[0, 1\]; give 3 numbers, the k-th of them in 0..k-1"),
    (lambda: ltdl(np.eye(3), [0, 2, 1]), r"parent is \[0, 2, 1\]; give 3 numbers"),
    (lambda: ltdl(np.eye(2), [1, 1]), r"parent is \[1, 1\]; give 2 numbers"),
    (lambda: ltdl(np.eye(2), [0, -1]), r"parent is \[0, -1\]; give 2 numbers"),
    (lambda: solve(np.eye(2), [1, 2, 3]), r"b has shape \(3,\); expected 2 numbers"),
])
def test_wrong_matrices_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
