"""RBDA chapter 1: the two calculations, the equation of motion, units and notation. What 1.2 says about spatial vectors
is proved where the book derives it, in `test_rbda_ch02_dynamics.py`, and about types in
`test_rbda_appendix_a_arithmetic.py`."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

import rbdlib
from rbdlib import bias_force, forward_dynamics, rnea
from rbdlib.book.ch02_spatial import force_transform, plucker, rx, ry, rz, skew
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch09_hybrid import hybrid_dynamics
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.numbers.scalars import blocks
from tests.sources.helpers import close, cross_matrix, derivative, random_tree, velocity

BRANCHED = [0, 0, 1, 2, 2, 0, 6, 6, 8]
FLOATING = [0, 1, 2, 3, 4, 5, 6, 6]

# 1.1 Dynamics algorithms

def floating_tree(rng):
    """A body that floats on three massless sliders and three massless hinges, with two arms."""
    tree = random_tree(rng, 8, FLOATING)
    nothing, still = (0.0, np.zeros(3), np.zeros((3, 3))), (np.eye(3), np.zeros(3))
    return replace(tree, kinds=3 * ["prismatic"] + 5 * ["revolute"], axes=[*np.eye(3), *np.eye(3), *tree.axes[6:]],
                   poses=6 * [still] + tree.poses[6:], bodies=5 * [nothing] + tree.bodies[5:])


@pytest.mark.source("RBDA-1.1", "RBDA-1.2", "RBDA-1.3", "RBDA-S1.1-1", "RBDA-S1.1-2")
@pytest.mark.parametrize("parent", [[0], [0, 0], list(range(20)), BRANCHED, FLOATING], ids=str)
def test_one_piece_of_code_solves_lagranges_equations_of_every_tree_forwards_backwards_and_in_part(parent):
    """ID is τ = H q̈ + C, FD is q̈ = H⁻¹ (τ − C); H is positive definite and independent of the velocity."""
    rng = np.random.default_rng(5)
    tree = floating_tree(rng) if parent == FLOATING else random_tree(rng, len(parent), parent)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, len(parent)))
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    tau = H @ qdd + C
    for found in (inertia_matrix(model, q), inertia_matrix(model, q, -3 * qd)):
        close(found, H, 1e-9)
        assert np.linalg.eigvalsh(found).min() > 0
    close(bias_force(model, q, qd), C, 1e-9)
    close(rnea(model, q, qd, qdd), tau, 1e-9)
    close(forward_dynamics(model, q, qd, tau), qdd, 1e-8)
    for prescribed in ([], list(model.bodies)[::2], list(model.bodies)):
        given = np.isin(model.bodies, prescribed)
        found = hybrid_dynamics(model, q, qd, np.where(given, qdd, np.nan), np.where(given, np.nan, tau), prescribed)
        close(found[0], qdd, 1e-8)
        close(found[1], tau, 1e-8)
    f_ext = rng.normal(size=(model.N_B + 1, 6))
    close(forward_dynamics(model, q, qd, rnea(model, q, qd, qdd, f_ext), f_ext), qdd, 1e-8)


@pytest.mark.source("RBDA-1.1")
def test_bias_force_holds_gravity_and_every_other_force_that_is_not_in_tau():
    rng = np.random.default_rng(4)
    tree, (q, qd), f_ext = random_tree(rng, 4), rng.normal(size=(2, 4)), {3: rng.normal(size=6)}
    model, weights, rest = tree.model(), np.zeros(4), np.zeros(4)
    for k, e in enumerate(np.eye(4)):
        weights[k] = sum(m * derivative(lambda t, e=e, i=i: tree.centres(q + t * e)[i]) @ tree.gravity
                         for i, (m, _, _) in enumerate(tree.bodies))
        rest[k] = velocity(lambda t, e=e: tree.world_poses(q + t * e)[3]) @ f_ext[3]
    close(bias_force(model, q, np.zeros(4)), -weights, 1e-10)
    close(bias_force(model, q, qd) - bias_force(model, q, qd, f_ext), rest, 1e-10)


@pytest.mark.source("RBDA-1.2", "RBDA-1.3")
def test_arguments_stand_in_the_order_of_the_book():
    for function, arguments in ((forward_dynamics, ["model", "q", "qd", "tau"]), (rnea, ["model", "q", "qd", "qdd"])):
        parameters = list(inspect.signature(function).parameters.values())
        assert [parameter.name for parameter in parameters[:4]] == arguments
        assert all(parameter.default is not inspect.Parameter.empty for parameter in parameters[4:])


@pytest.mark.source("RBDA-S1.1-2")
def test_a_model_refuses_what_is_no_kinematic_tree():
    tree = random_tree(np.random.default_rng(0), 3, [0, 1, 2])
    for circle in ([2, 1, 2], [0, 3, 2], [0, 2, 1]):
        with pytest.raises(rbdlib.ModelError, match="parent of body"):
            tree.model(parent=circle)
    with pytest.raises(rbdlib.ModelError, match="loops"):
        tree.model(loops=["a joint between bodies 1 and 3"])


# 1.3 Units and notation

@pytest.mark.source("RBDA-S1.3-1")
def test_equations_hold_in_any_consistent_system_of_units():
    """With lengths times L, masses times M and times times T, moments grow by M L²/T² and forces by M L/T²."""
    rng = np.random.default_rng(1)
    (L, M, T), tree, (q, qd, qdd) = rng.uniform(0.2, 5, 3), random_tree(rng, 6), rng.normal(size=(3, 6))
    f_ext = rng.normal(size=(7, 6))
    scaled = replace(tree, poses=[(R, L * p) for R, p in tree.poses], gravity=L / T**2 * tree.gravity,
                     bodies=[(M * m, L * c, M * L**2 * I_C) for m, c, I_C in tree.bodies])
    length = np.where(np.array(tree.kinds) == "revolute", 1, L)
    assert 0 < sum(length == 1) < 6
    force = M * L**2 / T**2 * np.array([1, 1, 1, 1 / L, 1 / L, 1 / L])
    tau = rnea(tree.model(), q, qd, qdd, f_ext)
    scaled_tau = rnea(scaled.model(), length * q, length / T * qd, length / T**2 * qdd, force * f_ext)
    close(scaled_tau, M * L**2 / T**2 / length * tau, 1e-10)
    scaled_qdd = forward_dynamics(scaled.model(), length * q, length / T * qd, scaled_tau, force * f_ext)
    close(scaled_qdd, length / T**2 * qdd, 1e-8)


@pytest.mark.source("RBDA-S1.3-1")
@pytest.mark.parametrize("turn_frame", [rx, ry, rz])
def test_angles_are_in_radians(turn_frame):
    """A turn by a small angle θ moves a point at distance r by r θ; a full turn is 2π."""
    close(turn_frame(2 * np.pi), np.eye(3), 1e-15)
    close(turn_frame(np.pi / 2) @ turn_frame(np.pi / 2), turn_frame(np.pi), 1e-15)
    point = np.where(np.diag(turn_frame(np.pi)) > 0, 0, [0.3, 0.4, 0.5])
    close(np.linalg.norm(turn_frame(1e-4) @ point - point), 1e-4 * np.linalg.norm(point), 1e-12)


@pytest.mark.source("RBDA-S1.3-2")
def test_the_notation_of_the_book_is_that_of_the_library():
    """0 and 1 are matrices, a× for an operator, λ(i) for a place in an array in which 0 is the base, X⁻ᵀ is X*."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3))
    printed = np.block([[np.eye(3), np.zeros((3, 3))], [cross_matrix(a), 2 * np.eye(3)]])
    assert (blocks([[1, 0], [skew(a), 2]]) == printed).all()
    close(skew(a) @ b, np.cross(a, b), 1e-15)
    tree, q = random_tree(rng, 9, BRANCHED), rng.normal(size=9)
    model = tree.model()
    assert [model.parent[i] for i in model.bodies] == BRANCHED
    assert list(model.bodies) == list(range(1, 10))
    X = body_transforms(model, q)
    assert (X[0] == np.eye(6)).all()
    for X_i, (R, p) in zip(X, tree.world_poses(q), strict=True):
        close(X_i, plucker(R.T, p))
        for star in (np.linalg.inv(X_i).T, np.linalg.inv(X_i.T)):
            close(force_transform(X_i), star)
