"""RBDA chapter 1: the two calculations, the equation of motion, why spatial vectors, units and notation."""

import inspect
from operator import add, sub

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdlib
from rbdlib import bias_force, forward_dynamics, rnea
from rbdlib.arithmetic import fv, mv, rbi
from rbdlib.inertia_matrix import inertia_matrix
from rbdlib.kinematics import body_transforms
from rbdlib.scalars import blocks
from rbdlib.spatial import I_to_mcI, crf, equation_of_motion, force_transform, mcI, plucker, rx, ry, rz, skew
from tests.sources.helpers import (
    Tree,
    cross_matrix,
    derivative,
    mass_properties,
    random_cluster,
    random_mass_properties,
    random_pose,
    random_tree,
    second_derivative,
    smooth_motion,
    velocity,
)

SEEDS = [1, 2, 3]

CHAIN = [0, 1, 2, 3, 4, 5]
BRANCHED = [0, 1, 1, 0, 4, 4, 6]


def state_of(tree, rng):
    """A random state and random accelerations or forces: four arrays q, qd, qdd, tau."""
    return rng.normal(size=(4, len(tree.parent)))


# 1.1 Dynamics algorithms


@pytest.mark.source("RBDA-S1.1-1")
@pytest.mark.parametrize("parent", [[0], CHAIN, BRANCHED], ids=str)
def test_forward_and_inverse_dynamics_undo_each_other(parent):
    rng = np.random.default_rng(len(parent))
    tree = random_tree(rng, len(parent), parent)
    model, (q, qd, qdd, tau) = tree.model(), state_of(tree, rng)
    f_ext = rng.normal(size=(model.N_B + 1, 6))
    assert_allclose(rnea(model, q, qd, forward_dynamics(model, q, qd, tau, f_ext), f_ext), tau, rtol=1e-8, atol=1e-8)
    assert_allclose(forward_dynamics(model, q, qd, rnea(model, q, qd, qdd, f_ext), f_ext), qdd, rtol=1e-8, atol=1e-8)


def hybrid_dynamics(tree, q, qd, force_driven, tau_known, qdd_known):
    """(qdd, tau) of a tree whose force_driven joints have known forces and whose other joints known accelerations.

    Solved from Lagrange's equations, without rbdlib.
    """
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    qdd = qdd_known.copy()
    rest = tau_known - C - H[:, ~force_driven] @ qdd_known[~force_driven]
    qdd[force_driven] = np.linalg.solve(H[np.ix_(force_driven, force_driven)], rest[force_driven])
    return qdd, np.where(force_driven, tau_known, H @ qdd + C)


@pytest.mark.source("RBDA-S1.1-1")
@pytest.mark.parametrize("driven", ["none", "all", "some"])
def test_hybrid_dynamics_lies_between_forward_and_inverse_dynamics(driven):
    """With every joint driven by a force it is forward dynamics, with none it is inverse dynamics."""
    rng = np.random.default_rng(11)
    tree = random_tree(rng, 7, BRANCHED)
    model, (q, qd, qdd_known, tau_known) = tree.model(), state_of(tree, rng)
    force_driven = {"none": np.zeros(7, bool), "all": np.ones(7, bool), "some": np.arange(7) % 2 == 1}[driven]
    qdd, tau = hybrid_dynamics(tree, q, qd, force_driven, tau_known, qdd_known)
    assert_allclose(qdd[~force_driven], qdd_known[~force_driven])
    assert_allclose(tau[force_driven], tau_known[force_driven])
    assert_allclose(rnea(model, q, qd, qdd), tau, rtol=1e-8, atol=1e-8)
    assert_allclose(forward_dynamics(model, q, qd, tau), qdd, rtol=1e-8, atol=1e-8)


@pytest.mark.source("RBDA-1.1")
@pytest.mark.parametrize("seed", SEEDS)
def test_equation_of_motion_is_that_of_lagrange(seed):
    """τ = H q̈ + C, with H from the kinetic energy and C from Lagrange's equations."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 5)
    model, (q, qd, qdd, _) = tree.model(), state_of(tree, rng)
    assert_allclose(inertia_matrix(model, q), tree.mass_matrix(q), rtol=1e-9, atol=1e-9)
    assert_allclose(bias_force(model, q, qd), tree.lagrangian_bias(q, qd), rtol=1e-9, atol=1e-9)
    assert_allclose(rnea(model, q, qd, qdd), tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd),
                    rtol=1e-9, atol=1e-9)


@pytest.mark.source("RBDA-1.1")
@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_matrix_is_positive_definite_and_independent_of_velocity(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 6)
    model, (q, qd, _, _) = tree.model(), state_of(tree, rng)
    H = inertia_matrix(model, q)
    assert_allclose(H, H.T, atol=1e-10)
    assert np.linalg.eigvalsh(H).min() > 0
    for other_qd in (qd, -3 * qd):
        assert_allclose(inertia_matrix(model, q, other_qd), H, rtol=1e-9, atol=1e-9)
    assert np.abs(bias_force(model, q, qd) - bias_force(model, q, 2 * qd)).max() > 0.1, "C depends on the velocity"


@pytest.mark.source("RBDA-1.1")
def test_bias_force_holds_gravity_and_every_other_force_that_is_not_in_tau():
    rng = np.random.default_rng(4)
    tree = random_tree(rng, 4)
    model, (q, qd, _, _) = tree.model(), state_of(tree, rng)
    f_ext = {3: rng.normal(size=6)}
    v, rest = np.zeros(4), np.zeros(4)
    for k, e in enumerate(np.eye(4)):
        v[k] = sum(m * derivative(lambda t, e=e, i=i: tree.centres(q + t * e)[i]) @ tree.gravity
                   for i, (m, _, _) in enumerate(tree.bodies))
        rest[k] = velocity(lambda t, e=e: tree.world_poses(q + t * e)[3]) @ f_ext[3]
    assert_allclose(bias_force(model, q, np.zeros(4)), -v, atol=1e-10)
    assert_allclose(bias_force(model, q, qd) - bias_force(model, q, qd, f_ext), rest, atol=1e-10)


@pytest.mark.source("RBDA-1.2")
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_is_the_solution_of_the_equation_of_motion(seed):
    """q̈ = FD(model, q, q̇, τ) = H⁻¹ (τ − C)."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 6)
    q, qd, _, tau = state_of(tree, rng)
    expected = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
    assert_allclose(forward_dynamics(tree.model(), q, qd, tau), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.source("RBDA-1.3")
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_gives_the_force_that_lagrange_asks_for(seed):
    """τ = ID(model, q, q̇, q̈) = H q̈ + C."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 6)
    q, qd, qdd, _ = state_of(tree, rng)
    expected = tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd)
    assert_allclose(rnea(tree.model(), q, qd, qdd), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("function", "arguments"), [
    pytest.param(forward_dynamics, ["model", "q", "qd", "tau"], marks=pytest.mark.source("RBDA-1.2")),
    pytest.param(rnea, ["model", "q", "qd", "qdd"], marks=pytest.mark.source("RBDA-1.3")),
])
def test_arguments_stand_in_the_order_of_the_book(function, arguments):
    parameters = list(inspect.signature(function).parameters.values())
    assert [parameter.name for parameter in parameters[:4]] == arguments
    assert all(parameter.default is not inspect.Parameter.empty for parameter in parameters[4:])


@pytest.mark.source("RBDA-S1.1-2")
@pytest.mark.parametrize("parent", [[0], [0, 0], list(range(20)), [0, 0, 1, 2, 2, 0, 6, 6, 8], "floating"], ids=str)
def test_one_piece_of_code_serves_every_kinematic_tree(parent):
    """The same rnea and forward_dynamics agree with Lagrange's equations on bodies, chains and branched trees."""
    rng = np.random.default_rng(5)
    if parent == "floating":
        tree = floating_tree(rng)
    else:
        tree = random_tree(rng, len(parent), parent)
    model, (q, qd, qdd, _) = tree.model(), state_of(tree, rng)
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    assert_allclose(rnea(model, q, qd, qdd), H @ qdd + C, rtol=1e-8, atol=1e-8)
    assert_allclose(forward_dynamics(model, q, qd, H @ qdd + C), qdd, rtol=1e-7, atol=1e-7)


def floating_tree(rng):
    """A body that floats on three massless sliders and three massless hinges, with two arms."""
    tree = random_tree(rng, 8, [0, 1, 2, 3, 4, 5, 6, 6])
    nothing, still = (0.0, np.zeros(3), np.zeros((3, 3))), (np.eye(3), np.zeros(3))
    return Tree(tree.parent, 3 * ["prismatic"] + 5 * ["revolute"], [*np.eye(3), *np.eye(3), *tree.axes[6:]],
                6 * [still] + tree.poses[6:], 5 * [nothing] + tree.bodies[5:], tree.gravity)


def reduce_to_cycles(edges):
    """What is left of an undirected graph when loose ends are cut off until none is left: its loops, if any."""
    edges = list(edges)
    while True:
        ends = [end for edge in edges for end in edge]
        kept = [edge for edge in edges if all(ends.count(end) > 1 for end in edge)]
        if kept == edges:
            return edges
        edges = kept


def is_connected(nodes, edges):
    reached, border = {0}, [0]
    while border:
        node = border.pop()
        new = {end for edge in edges if node in edge for end in edge} - reached
        reached, border = reached | new, border + list(new)
    return reached == set(nodes)


@pytest.mark.source("RBDA-S1.1-2")
@pytest.mark.parametrize("seed", range(10))
def test_a_kinematic_tree_has_as_many_joints_as_bodies_and_every_further_joint_closes_a_loop(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    model = random_tree(rng, n).model()
    joints = [(model.parent[i], i) for i in model.bodies]
    assert len(joints) == model.N_B
    assert is_connected(range(n + 1), joints)
    assert not reduce_to_cycles(joints)
    further = tuple(int(k) for k in rng.choice(n + 1, 2, replace=False))
    assert reduce_to_cycles([*joints, further])
    assert not is_connected(range(n + 1), joints[:-1])


@pytest.mark.source("RBDA-S1.1-2")
def test_a_model_refuses_what_is_no_kinematic_tree():
    tree = random_tree(np.random.default_rng(0), 3, [0, 1, 2])
    for circle in ([2, 1, 2], [0, 3, 2], [0, 2, 1]):
        with pytest.raises(rbdlib.ModelError, match="parent of body"):
            tree.model(parent=circle)
    with pytest.raises(rbdlib.ModelError, match="loops"):
        tree.model(loops=["a joint between bodies 1 and 3"])


# 1.2 Spatial vectors


def equations_of_a_cluster(masses, offsets, omega, omega_rate, a_C):
    """Force, and moment about the centre of mass, that give particles of a rigid body their accelerations."""
    a = [a_C + np.cross(omega_rate, d) + np.cross(omega, np.cross(omega, d)) for d in offsets]
    forces = masses[:, None] * a
    return forces.sum(axis=0), np.cross(offsets, forces).sum(axis=0)


@pytest.mark.source("RBDA-1.4")
@pytest.mark.parametrize("seed", SEEDS)
def test_newton_and_euler_describe_a_rigid_cluster_of_particles(seed):
    """f = m a_C and n_C = I ω̇ + ω × I ω."""
    rng = np.random.default_rng(seed)
    masses, positions = random_cluster(rng)
    m, c, I = mass_properties(masses, positions)
    omega, omega_rate, a_C = rng.normal(size=(3, 3))
    f, n_C = equations_of_a_cluster(masses, positions - c, omega, omega_rate, a_C)
    assert_allclose(m * a_C, f, atol=1e-12)
    assert_allclose(I @ omega_rate + np.cross(omega, I @ omega), n_C, atol=1e-12)


@pytest.mark.source("RBDA-1.4")
@pytest.mark.parametrize("seed", SEEDS)
def test_spatial_equation_at_the_centre_of_mass_is_newtons_and_eulers(seed):
    """[n_C; f] = I a + v ×* I v with a = [ω̇; a_C − ω × v_C]."""
    rng = np.random.default_rng(seed)
    m, _, I_C = random_mass_properties(rng)
    omega, omega_rate, v_C, a_C = rng.normal(size=(4, 3))
    v, a = np.concatenate([omega, v_C]), np.concatenate([omega_rate, a_C - np.cross(omega, v_C)])
    n_C = I_C @ omega_rate + np.cross(omega, I_C @ omega)
    assert_allclose(equation_of_motion(mcI(m, np.zeros(3), I_C), v, a), [*n_C, *(m * a_C)], atol=1e-12)


@pytest.mark.source("RBDA-1.5")
@pytest.mark.parametrize("seed", SEEDS)
def test_net_force_is_the_rate_of_change_of_the_momentum_of_the_particles(seed):
    """f = I a + v ×* I v, compared with the sum of [x × m ẍ; m ẍ] over a flying rigid cluster."""
    rng = np.random.default_rng(seed)
    masses, positions = random_cluster(rng)
    pose = smooth_motion(rng)

    def particles(t):
        R, p = pose(t)
        return p + positions @ R.T

    x, acceleration = np.real(particles(0)), second_derivative(particles)
    forces = masses[:, None] * acceleration
    net = np.concatenate([np.cross(x, forces).sum(axis=0), forces.sum(axis=0)])

    v, h = velocity(pose), 1e-4
    a = (velocity(pose, h) - velocity(pose, -h)) / (2 * h)
    I = mcI(*mass_properties(masses, x))
    assert_allclose(equation_of_motion(I, v, a), net, rtol=1e-6, atol=1e-6)
    assert_allclose(I @ a + crf(v) @ I @ v, net, rtol=1e-6, atol=1e-6)


@pytest.mark.source("RBDA-1.5")
@pytest.mark.parametrize("seed", SEEDS)
def test_net_force_is_the_rate_of_change_of_spatial_momentum(seed):
    """f = d/dt (I v), with the inertia of the moving body in a frame that stands still."""
    rng = np.random.default_rng(seed)
    masses, positions = random_cluster(rng)
    pose, h = smooth_motion(rng), 1e-4

    def inertia(t):
        R, p = pose(t)
        return mcI(*mass_properties(masses, p + positions @ R.T))

    rate = (inertia(h) @ velocity(pose, h) - inertia(-h) @ velocity(pose, -h)) / (2 * h)
    a = (velocity(pose, h) - velocity(pose, -h)) / (2 * h)
    assert_allclose(equation_of_motion(inertia(0), velocity(pose), a), rate, rtol=1e-6, atol=1e-6)


@pytest.mark.source("RBDA-S1.2-1")
@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_of_two_bodies_made_one_is_the_sum(seed):
    """I_new = I_1 + I_2 replaces the three formulas for the mass, the centre of mass and the rotational inertia."""
    rng = np.random.default_rng(seed)
    (m1, c1, I1), (m2, c2, I2) = random_mass_properties(rng), random_mass_properties(rng)
    m = m1 + m2
    c = (m1 * c1 + m2 * c2) / m
    D1, D2 = cross_matrix(c1 - c), cross_matrix(c2 - c)
    I_C = I1 + I2 + m1 * D1 @ D1.T + m2 * D2 @ D2.T
    total = mcI(m1, c1, I1) + mcI(m2, c2, I2)
    assert_allclose(total, mcI(m, c, I_C), atol=1e-12)
    for found, expected in zip(I_to_mcI(total), (m, c, I_C), strict=True):
        assert_allclose(found, expected, atol=1e-12)


@pytest.mark.source("RBDA-S1.2-1")
@pytest.mark.parametrize("seed", SEEDS)
def test_inertia_of_two_clusters_of_particles_is_that_of_their_union(seed):
    rng = np.random.default_rng(seed)
    (masses1, x1), (masses2, x2) = random_cluster(rng), random_cluster(rng, 4)
    union = mass_properties(np.concatenate([masses1, masses2]), np.concatenate([x1, x2]))
    total = mcI(*mass_properties(masses1, x1)) + mcI(*mass_properties(masses2, x2))
    assert_allclose(total, mcI(*union), atol=1e-12)


@pytest.mark.source("RBDA-S1.2-3")
@pytest.mark.parametrize("seed", SEEDS)
def test_equation_of_motion_can_be_written_as_it_is_read(seed):
    """f = I*a + v.cross(I*v): the type of the operand picks × or ×*."""
    rng = np.random.default_rng(seed)
    body = random_mass_properties(rng)
    I, v, a = rbi.from_mcI(*body), mv(*rng.normal(size=(2, 3))), mv(*rng.normal(size=(2, 3)))
    f = I * a + v.cross(I * v)
    assert type(I * v) is fv
    assert type(v.cross(a)) is mv
    assert type(f) is fv
    m, c, I_C = body
    C = cross_matrix(c)
    matrix = np.block([[I_C + m * C @ C.T, m * C], [m * C.T, m * np.eye(3)]])
    w, v_O = cross_matrix(v.w), cross_matrix(v.v)
    v_cross_star = np.block([[w, v_O], [np.zeros((3, 3)), w]])
    assert_allclose(f.array, matrix @ a.array + v_cross_star @ matrix @ v.array, atol=1e-12)
    v_cross = np.block([[w, np.zeros((3, 3))], [v_O, w]])
    assert_allclose(v.cross(a).array, v_cross @ a.array, atol=1e-12)


@pytest.mark.source("RBDA-S1.2-3")
def test_typed_arithmetic_refuses_what_has_no_meaning():
    rng = np.random.default_rng(3)
    m, f = mv(*rng.normal(size=(2, 3))), fv(*rng.normal(size=(2, 3)))
    I = rbi.from_mcI(*random_mass_properties(rng))
    meaningless = [lambda: f.cross(f), lambda: f.cross(m), lambda: f.dot(f), lambda: m.dot(m), lambda: I * f,
                   lambda: add(m, f), lambda: sub(f, m), lambda: add(I, m)]
    for attempt in meaningless:
        with pytest.raises(TypeError, match="no meaning"):
            attempt()


# 1.3 Units and notation


@pytest.mark.source("RBDA-S1.3-1")
@pytest.mark.parametrize("seed", SEEDS)
def test_equations_hold_in_any_consistent_system_of_units(seed):
    """With lengths times L, masses times M and times times T, moments grow by M L²/T² and forces by M L/T²."""
    rng = np.random.default_rng(seed)
    L, M, T = rng.uniform(0.2, 5, 3)
    tree = random_tree(rng, 6)
    q, qd, qdd, _ = state_of(tree, rng)
    f_ext = rng.normal(size=(7, 6))
    scaled = Tree(tree.parent, tree.kinds, tree.axes, [(R, L * p) for R, p in tree.poses],
                  [(M * m, L * c, M * L**2 * I_C) for m, c, I_C in tree.bodies], L / T**2 * tree.gravity)
    length = np.where(np.array(tree.kinds) == "revolute", 1, L)
    force = M * L**2 / T**2 * np.array([1, 1, 1, 1 / L, 1 / L, 1 / L])
    tau = rnea(tree.model(), q, qd, qdd, f_ext)
    scaled_tau = rnea(scaled.model(), length * q, length / T * qd, length / T**2 * qdd, force * f_ext)
    assert_allclose(scaled_tau, M * L**2 / T**2 / length * tau, rtol=1e-10, atol=1e-10)
    scaled_qdd = forward_dynamics(scaled.model(), length * q, length / T * qd, scaled_tau, force * f_ext)
    assert_allclose(scaled_qdd, length / T**2 * qdd, rtol=1e-8, atol=1e-8)


@pytest.mark.source("RBDA-S1.3-1")
@pytest.mark.parametrize("turn_frame", [rx, ry, rz])
def test_angles_are_in_radians(turn_frame):
    """A turn by a small angle θ moves a point at distance r by r θ; a full turn is 2π."""
    assert_allclose(turn_frame(2 * np.pi), np.eye(3), atol=1e-15)
    assert_allclose(turn_frame(np.pi / 2) @ turn_frame(np.pi / 2), turn_frame(np.pi), atol=1e-15)
    axis = np.diag(turn_frame(np.pi)) > 0
    point = np.where(axis, 0, [0.3, 0.4, 0.5])
    theta = 1e-4
    moved = np.linalg.norm(turn_frame(theta) @ point - point)
    assert_allclose(moved, theta * np.linalg.norm(point), rtol=1e-8)


@pytest.mark.source("RBDA-S1.3-2")
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_and_transpose_may_be_exchanged(seed):
    """A⁻ᵀ = (A⁻¹)ᵀ = (Aᵀ)⁻¹; X* is written X⁻ᵀ in this sense."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6)) + 6 * np.eye(6)
    assert_allclose(np.linalg.inv(A).T, np.linalg.inv(A.T), atol=1e-12)
    R, p = random_pose(rng)
    X = plucker(R.T, p)
    assert_allclose(force_transform(X), np.linalg.inv(X).T, atol=1e-12)
    assert_allclose(force_transform(X), np.linalg.inv(X.T), atol=1e-12)


@pytest.mark.source("RBDA-S1.3-2")
def test_the_notation_of_the_book_is_that_of_the_library():
    """0 and 1 stand for matrices, a× for an operator, λ(i) for a place in an array in which 0 is the base."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3))
    assert_allclose(blocks([[1, 0], [skew(a), 2]]),
                    np.block([[np.eye(3), np.zeros((3, 3))], [cross_matrix(a), 2 * np.eye(3)]]), atol=0)
    assert_allclose(skew(a) @ b, np.cross(a, b), atol=1e-15)
    tree = random_tree(rng, 7, BRANCHED)
    model, q = tree.model(), rng.normal(size=7)
    assert [model.parent[i] for i in model.bodies] == BRANCHED
    assert list(model.bodies) == [1, 2, 3, 4, 5, 6, 7]
    X = body_transforms(model, q)
    assert_allclose(X[0], np.eye(6), atol=0)
    for i, (R, p) in enumerate(tree.world_poses(q)):
        assert_allclose(X[i], plucker(R.T, p), atol=1e-12)
