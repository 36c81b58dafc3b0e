"""How bodies accelerate, and what energy and momentum they have: by geometry and definitions; scalars, mistakes."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, ModelError, load
from rbdlib.book import ch04_joints as joint, ch04_kinematics as kin
from rbdlib.book.ch02_spatial import inverse_transform
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy, total_mass
from tests.sources import helpers
from tests.sources.ch03_systems import random_model


@pytest.fixture
def moving():
    """A branched tree, its model, and q, qd, qdd."""
    rng = np.random.default_rng(51)
    tree = helpers.random_tree(rng, 6, [0, 1, 1, 2, 4, 0])
    return tree, tree.model(), *rng.normal(size=(3, 6))


def world_velocity(tree, i, q, qd, qdd=0.0, t=0.0):
    return helpers.velocity(lambda t: tree.world_poses(q + t * qd + t * t / 2 * qdd)[i], t)


@pytest.mark.source("RBDA-2.57")
def test_the_derivative_of_a_body_jacobian_is_that_of_its_columns_in_base_coordinates():
    """On a tree of joints whose S changes or whose q is no integral of qd; and a_i = J_i qdd + J_i-dot qd."""
    rng = np.random.default_rng(257)
    joints = [joint.FreeMotion(), joint.Euler("xyz"), joint.Spherical(), joint.Planar(),
              joint.Reversed(joint.Universal()), joint.RackAndPinion(0.3),
              joint.Helical(0.2), joint.Revolute((1, 2, 0))]
    model = random_model(rng, joints, parent=[0, 1, 1, 2, 3, 3, 5, 4])
    (q, qd), qdd = model.random_state(rng), rng.normal(size=model.nv)
    a = kin.body_accelerations(model, q, qd, qdd)

    def in_base(step):
        moved = model.integrate(q, qd, step)
        X = kin.body_transforms(model, moved)
        return np.array([inverse_transform(X[i]) @ kin.body_jacobian(model, moved, i) for i in model.bodies])

    X, rates = kin.body_transforms(model, q), helpers.slope(in_base)
    for i in model.bodies:
        J_dot = kin.body_jacobian_dot(model, q, qd, i)
        assert_allclose(J_dot, X[i] @ rates[i - 1], atol=1e-7, err_msg=f"body {i}")
        assert_allclose(kin.body_jacobian(model, q, i) @ qdd + J_dot @ qd, a[i], rtol=1e-10, atol=1e-10)


def test_energy_and_momentum_are_sums_over_particles(moving):
    """With all bodies replaced by clusters of particles."""
    tree, _, q, qd, _ = moving
    rng = np.random.default_rng(52)
    clusters = [helpers.random_cluster(rng) for _ in tree.bodies]
    model = replace(tree, bodies=[helpers.mass_properties(*cluster) for cluster in clusters]).model()
    energy, total = 0, np.zeros(6)
    for i, (masses, positions) in enumerate(clusters, start=1):
        points, v = helpers.points_carried(positions, tree.world_poses(q)[i]), world_velocity(tree, i, q, qd)
        energy = energy + helpers.cluster_energy(masses, points, v)
        total = total + helpers.cluster_momentum(masses, points, v)
    assert kin.kinetic_energy(model, q, qd) == pytest.approx(energy, rel=1e-11)
    assert_allclose(kin.momentum(model, q, qd), total, rtol=1e-11, atol=1e-11)


def test_potential_energy_and_centre_of_mass_are_sums_over_the_weights(moving):
    tree, model, q, *_ = moving
    total = -sum(m * tree.gravity @ c for (m, _, _), c in zip(tree.bodies, tree.centres(q), strict=True))
    assert potential_energy(model, q) == pytest.approx(total, rel=1e-11)
    assert potential_energy(model.replace(gravity=(0, 0, 0)), q) == 0
    assert potential_energy(load("particle"), [3, 5]) == pytest.approx(2 * 9.8 * 5)

    tree, model, q, qd, _ = moving
    masses = np.array([m for m, _, _ in tree.bodies])
    mean = masses @ np.array(tree.centres(q)) / masses.sum()
    assert_allclose(centre_of_mass(model, q), mean, rtol=1e-12, atol=1e-12)
    rate = helpers.derivative(lambda t: masses @ np.array(tree.centres(q + t * qd)) / masses.sum())
    assert_allclose(kin.momentum(model, q, qd)[3:], masses.sum() * rate, rtol=1e-11, atol=1e-11)
    assert total_mass(model) == pytest.approx(masses.sum(), rel=1e-14)


def test_a_mechanism_without_bodies_has_no_energy_no_momentum_and_no_centre():
    empty = Model([], [], [], [])
    assert kin.kinetic_energy(empty, [], []) == potential_energy(empty, []) == 0
    assert_array_equal(kin.momentum(empty, [], []), np.zeros(6))
    assert_array_equal(kin.body_transforms(empty, []), [np.eye(6)])
    with pytest.raises(ZeroDivisionError, match="The model has no mass, and so no centre of mass"):
        centre_of_mass(empty, [])


#: Of the state.
FUNCTIONS = {
    "velocities": lambda model, q, qd: kin.body_velocities(model, q, qd)[2],
    "accelerations": lambda model, q, qd: kin.body_accelerations(model, q, qd, qd)[2],
    "jacobian rate": lambda model, q, qd: kin.body_jacobian_dot(model, q, qd, 2),
    "kinetic": kin.kinetic_energy, "momentum": kin.momentum,
    "transforms": lambda model, q, qd: kin.body_transforms(model, q)[2],
    "jacobian": lambda model, q, qd: kin.body_jacobian(model, q, 2),
    "potential": lambda model, q, _: potential_energy(model, q), "centre": lambda model, q, _: centre_of_mass(model, q)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_symbols_give_what_floats_give(name):
    """A model, and a state, of symbols give formulas without floats, whose values are those of the numbers."""
    model, symbolic, function = load("double_pendulum"), load("double_pendulum", symbolic=True), FUNCTIONS[name]
    q, qd = np.random.default_rng(53).normal(size=(2, 2))
    expected = np.ravel(function(model, q, qd))
    names = sp.symbols("q:2", real=True), sp.symbols("u:2", real=True)
    parameters = [symbolic.parameters[key] for key in model.parameters]
    formulas = np.ravel(function(symbolic, *names)).tolist()
    assert not any(sp.sympify(formula).has(sp.Float) for formula in formulas)
    values = sp.lambdify([*names, parameters], formulas)(q, qd, list(model.parameters.values()))
    assert_allclose(values, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("i", [0, 3, -1, 1.5, "lower", True])
def test_jacobians_of_bodies_that_do_not_exist_are_refused(i):
    model = load("double_pendulum")
    for jacobian, *qd in ((kin.body_jacobian,), (kin.body_jacobian_dot, [0, 0])):
        with pytest.raises(ModelError, match="There is no body .*; this model has the bodies 1 to 2"):
            jacobian(model, [0, 0], *qd, i)
