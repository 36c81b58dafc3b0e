"""Where the bodies are, how they move, and what energy and momentum they have: against geometry and definitions."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, ModelError, load
from rbdlib import kinematics as kin
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import (
    Euler,
    FreeMotion,
    Helical,
    Planar,
    RackAndPinion,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdlib.spatial import X_to_Er, inverse_transform, mcI, motion_exp
from tests.sources.helpers import derivative, motion_coordinates, random_mass_properties, random_tree, velocity

PARENT = [0, 1, 1, 2, 4, 0]


@pytest.fixture(params=[51, 52, 53], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


@pytest.fixture
def moving(rng):
    """A branched tree, its model, and q, qd, qdd."""
    tree = random_tree(rng, len(PARENT), PARENT)
    return tree, tree.model(), *rng.normal(size=(3, len(PARENT)))


def world_velocity(tree, at, i, t=0.0):
    return velocity(lambda t: tree.world_poses(at(t))[i], t)


def path(q, qd, qdd=0.0):
    return lambda t: q + t * qd + t * t / 2 * qdd


def particles(tree, q, qd, i):
    """Body i as six particles with its mass properties: their masses, positions and velocities in the world."""
    m, c, I_C = tree.bodies[i - 1]
    moments, axes = np.linalg.eigh(I_C)
    arms = np.sqrt(3 * np.clip(moments.sum() / 2 - moments, 0, None) / m)
    places = np.vstack([c + arms[k] * sign * axes[:, k] for k in range(3) for sign in (1, -1)])
    R, p = tree.world_poses(q)[i]
    v = world_velocity(tree, path(q, qd), i)
    positions = places @ R.T + p
    return np.full(6, m / 6), positions, v[3:] + np.cross(v[:3], positions)


# Motion


def test_transforms_lead_to_the_bodies(moving):
    tree, model, q, *_ = moving
    X = kin.body_transforms(model, q)
    assert len(X) == model.N_B + 1
    for X_i, (R, p) in zip(X, tree.world_poses(q), strict=True):
        E, r = X_to_Er(X_i)
        assert_allclose(E, R.T, atol=1e-13)
        assert_allclose(r, p, atol=1e-13)


def test_velocities_are_the_rates_of_the_poses(moving):
    tree, model, q, qd, _ = moving
    v = kin.body_velocities(model, q, qd)
    assert_array_equal(v[0], np.zeros(6))
    for i in model.bodies:
        expected = motion_coordinates(world_velocity(tree, path(q, qd), i), tree.world_poses(q)[i])
        assert_allclose(v[i], expected, rtol=1e-12, atol=1e-12)


def test_accelerations_are_the_rates_of_the_velocities_without_gravity(moving):
    tree, model, q, qd, qdd = moving
    a, h = kin.body_accelerations(model, q, qd, qdd), 1e-3
    assert_array_equal(a[0], np.zeros(6))
    for i in model.bodies:
        v = [world_velocity(tree, path(q, qd, qdd), i, k * h) for k in (-2, -1, 1, 2)]
        rate = (v[0] - 8 * v[1] + 8 * v[2] - v[3]) / (12 * h)
        assert_allclose(a[i], motion_coordinates(rate, tree.world_poses(q)[i]), rtol=1e-7, atol=1e-7)
    without = newton_euler(model.replace(gravity=(0, 0, 0)), q, qd, qdd)
    assert_allclose(a[1:], without.a[1:], atol=1e-11)


def test_jacobian_maps_joint_rates_to_the_velocity_of_the_body(moving):
    tree, model, q, qd, _ = moving
    for i in model.bodies:
        J = kin.body_jacobian(model, q, i)
        assert J.shape == (6, model.nv)
        for j, unit in enumerate(np.eye(model.nv), start=1):
            expected = motion_coordinates(world_velocity(tree, path(q, unit), i), tree.world_poses(q)[i])
            assert_allclose(J[:, j - 1], expected, atol=1e-12)
            assert tree.moves(j, i) or not J[:, j - 1].any()
        assert_allclose(J @ qd, kin.body_velocities(model, q, qd)[i], atol=1e-12)


# Energy and momentum, by sums over particles


def test_the_particles_stand_for_the_body(moving):
    """The check on the checker: six particles have the mass, centre and rotational inertia of the body."""
    tree, _, q, qd, _ = moving
    for i, (m, _, I_C) in enumerate(tree.bodies, start=1):
        masses, positions, _ = particles(tree, q, qd, i)
        centre, R = tree.centres(q)[i - 1], tree.world_poses(q)[i][0]
        arms = positions - centre
        inertia = sum(k * (d @ d * np.eye(3) - np.outer(d, d)) for k, d in zip(masses, arms, strict=True))
        assert masses.sum() == pytest.approx(m)
        assert_allclose(masses @ positions / m, centre, atol=1e-12)
        assert_allclose(inertia, R @ I_C @ R.T, atol=1e-11)


def test_kinetic_energy_is_the_sum_over_the_particles(moving):
    tree, model, q, qd, _ = moving
    total = 0
    for i in model.bodies:
        masses, _, speeds = particles(tree, q, qd, i)
        total += masses @ (speeds**2).sum(axis=1) / 2
    assert kin.kinetic_energy(model, q, qd) == pytest.approx(total, rel=1e-11)


def test_potential_energy_is_weight_times_height(moving):
    tree, model, q, qd, _ = moving
    total = -sum(m * tree.gravity @ c for (m, _, _), c in zip(tree.bodies, tree.centres(q), strict=True))
    assert kin.potential_energy(model, q) == pytest.approx(total, rel=1e-11)
    assert kin.potential_energy(model.replace(gravity=(0, 0, 0)), q) == 0
    assert kin.potential_energy(load("particle"), [3, 5]) == pytest.approx(2 * 9.8 * 5)


def test_momentum_is_the_sum_over_the_particles(moving):
    tree, model, q, qd, _ = moving
    linear, angular = np.zeros((2, 3))
    for i in model.bodies:
        masses, positions, speeds = particles(tree, q, qd, i)
        linear = linear + masses @ speeds
        angular = angular + masses @ np.cross(positions, speeds)
    assert_allclose(kin.momentum(model, q, qd), [*angular, *linear], rtol=1e-11, atol=1e-11)


def test_centre_of_mass_is_the_weighted_mean(moving):
    tree, model, q, qd, _ = moving
    masses = np.array([m for m, _, _ in tree.bodies])
    mean = masses @ np.array(tree.centres(q)) / masses.sum()
    assert_allclose(kin.centre_of_mass(model, q), mean, rtol=1e-12, atol=1e-12)
    rate = derivative(lambda t: masses @ np.array(tree.centres(q + t * qd)) / masses.sum())
    assert_allclose(kin.momentum(model, q, qd)[3:], masses.sum() * rate, rtol=1e-11, atol=1e-11)


def test_nothing_with_mass_has_no_centre():
    with pytest.raises(ZeroDivisionError, match="The model has no mass, and so no centre of mass"):
        kin.centre_of_mass(Model([], [], [], []), [])


def test_a_mechanism_without_bodies_has_no_energy_and_no_momentum():
    empty = Model([], [], [], [])
    assert kin.kinetic_energy(empty, [], []) == 0
    assert kin.potential_energy(empty, []) == 0
    assert_array_equal(kin.momentum(empty, [], []), np.zeros(6))
    assert_array_equal(kin.body_transforms(empty, []), [np.eye(6)])


# Scalars and arguments


FUNCTIONS = [
    (lambda model, q, qd: kin.body_transforms(model, q)[2]),
    (lambda model, q, qd: kin.body_velocities(model, q, qd)[2]),
    (lambda model, q, qd: kin.body_accelerations(model, q, qd, qd)[2]),
    (lambda model, q, qd: kin.body_jacobian(model, q, 2)),
    (lambda model, q, qd: kin.kinetic_energy(model, q, qd)),
    (lambda model, q, qd: kin.potential_energy(model, q)),
    (lambda model, q, qd: kin.momentum(model, q, qd)),
    (lambda model, q, qd: kin.centre_of_mass(model, q)),
]
NAMES = ["transforms", "velocities", "accelerations", "jacobian", "kinetic", "potential", "momentum", "centre"]


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_symbols_mpmath_and_complex_numbers_give_what_floats_give(rng, function):
    model = random_tree(rng, 2, [0, 1]).model()
    q, qd = rng.normal(size=(2, 2))
    names = sp.symbols("q:2", real=True), sp.symbols("u:2", real=True)
    values = dict(zip(sum(names, ()), [*q, *qd], strict=True))
    expected = function(model, q, qd)
    formulas = [float(sp.sympify(f).subs(values)) for f in np.ravel(function(model, *names))]
    assert_allclose(formulas, np.ravel(expected), rtol=1e-11, atol=1e-11)
    with mpmath.workdps(30):
        precise = function(model, [mpmath.mpf(x) for x in q], [mpmath.mpf(x) for x in qd])
        assert_allclose(np.array(precise, float), expected, rtol=1e-11, atol=1e-11)
    assert_allclose(function(model, q + 0j, qd + 0j), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_symbolic_models_take_numbers_and_symbols(function):
    model, numbers = load("double_pendulum", symbolic=True), load("double_pendulum")
    values = {model.parameters[name]: value for name, value in numbers.parameters.items()}
    q, qd = [0.3, -0.5], [1.5, 0.7]
    formulas = [float(sp.sympify(f).subs(values)) for f in np.ravel(function(model, q, qd))]
    assert_allclose(formulas, np.ravel(function(numbers, q, qd)), rtol=1e-12, atol=1e-12)


def test_energies_of_the_double_pendulum_are_formulas_without_floats():
    model = load("double_pendulum", symbolic=True)
    q, qd = sp.symbols("q1:3", real=True), sp.symbols("u1:3", real=True)
    for formula in (kin.kinetic_energy(model, q, qd), kin.potential_energy(model, q), *kin.momentum(model, q, qd)):
        assert not sp.sympify(formula).has(sp.Float)


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_inputs_are_left_alone(moving, function):
    _, model, q, qd, _ = moving
    kept = q.copy(), qd.copy()
    result = np.asarray(function(model, q, qd))
    if result.ndim:
        result[...] = 0
    assert_array_equal(q, kept[0])
    assert_array_equal(qd, kept[1])


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
@pytest.mark.parametrize(("q", "error", "message"), [
    ([1, 2, 3], ValueError, r"q has shape \(3,\); expected 2 numbers"),
    ([1, math.nan], ValueError, "q contains nan at index 1"),
    (["a", 1], TypeError, "q contains the text 'a'"),
    (None, TypeError, "q contains None"),
])
def test_wrong_positions_are_named(function, q, error, message):
    with pytest.raises(error, match=message):
        function(load("double_pendulum"), q, [0, 0])


@pytest.mark.parametrize("function", [FUNCTIONS[k] for k in (1, 2, 4, 6)], ids=[NAMES[k] for k in (1, 2, 4, 6)])
@pytest.mark.parametrize(("qd", "error", "message"), [
    ([1], ValueError, r"qd has shape \(1,\); expected 2 numbers"),
    ([1, math.inf], ValueError, "qd contains inf at index 1"),
    ("a", TypeError, "qd contains the text 'a'"),
])
def test_wrong_velocities_are_named(function, qd, error, message):
    with pytest.raises(error, match=message):
        function(load("double_pendulum"), [0, 0], qd)


@pytest.mark.parametrize("i", [0, 3, -1, 1.5, "lower", True])
def test_jacobians_of_bodies_that_do_not_exist_are_refused(i):
    with pytest.raises(ModelError, match="There is no body .*; this model has the bodies 1 to 2"):
        kin.body_jacobian(load("double_pendulum"), [0, 0], i)


def test_wrong_accelerations_are_named():
    with pytest.raises(ValueError, match=r"qdd has shape \(3,\); expected 2 numbers"):
        kin.body_accelerations(load("double_pendulum"), [0, 0], [0, 0], [1, 2, 3])


# The derivative of the body Jacobian (RBDA Eq. 2.57)


@pytest.mark.source("RBDA-2.57")
@pytest.mark.parametrize("i", range(1, 9))
def test_the_derivative_of_a_body_jacobian_is_that_of_its_columns_in_base_coordinates(i):
    """On a tree of joints whose S changes or whose q is no integral of qd; and a_i = J_i qdd + J_i-dot qd."""
    rng = np.random.default_rng(257)
    joints = [FreeMotion(), Euler("xyz"), Spherical(), Planar(), Reversed(Universal()), RackAndPinion(0.3),
              Helical(0.2), Revolute((1, 2, 0))]
    model = Model([0, 1, 1, 2, 3, 3, 5, 4], joints, [motion_exp(rng.normal(size=6)) for _ in joints],
                  [mcI(*random_mass_properties(rng)) for _ in joints])
    (q, qd), qdd, h = model.random_state(rng), rng.normal(size=model.nv), 1e-5

    def in_base(step):
        moved = model.integrate(q, qd, step)
        return inverse_transform(kin.body_transforms(model, moved)[i]) @ kin.body_jacobian(model, moved, i)

    J_dot = kin.body_jacobian_dot(model, q, qd, i)
    rate = (8 * (in_base(h) - in_base(-h)) - (in_base(2 * h) - in_base(-2 * h))) / (12 * h)
    assert_allclose(J_dot, kin.body_transforms(model, q)[i] @ rate, atol=1e-7)
    a_i = kin.body_accelerations(model, q, qd, qdd)[i]
    assert_allclose(kin.body_jacobian(model, q, i) @ qdd + J_dot @ qd, a_i, rtol=1e-10, atol=1e-10)
