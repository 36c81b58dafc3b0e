"""RBDA 3.5 to 3.7 row by row: joint constraints, one constrained rigid body, the assembly of multibody systems."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import null_space

from rbdlib import Model, ModelError, forward_dynamics, rnea
from rbdlib.book import ch03_constraints as constraints
from rbdlib.book.ch02_spatial import force_transform, inverse_transform, mcI, plucker
from rbdlib.book.ch03_subspaces import active_force_subspace, dimension, orthogonal_complement
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Reversed, Revolute
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.methods.joint_space import inertia_and_bias, inertia_matrix
from rbdlib.methods.subspaces import is_direct_sum
from rbdlib.methods.whole_system import incidence_matrix, multibody_system, solve_system
from tests.sources import ch03_systems as systems, helpers

#: The names of the joints: the one that depends on time is derived when a test first asks for it.
NAMES = [*map(str, systems.EVERY_JOINT), "shaken"]


@pytest.fixture(params=range(len(NAMES)), ids=NAMES)
def joint(request):
    return systems.EVERY_JOINT[request.param] if request.param < len(systems.EVERY_JOINT) else systems.shaken_joint()


@pytest.mark.source("RBDA-S3.5-2")
def test_matrices_with_a_zero_dimension_go_through_every_algorithm():
    assert_array_equal(np.zeros((6, 0)) @ np.zeros((0, 3)), np.zeros((6, 3)))
    rng = np.random.default_rng(352)
    S = Fixed().motion_subspace(np.zeros(0))
    assert S.shape == (6, 0) and (S @ np.zeros(0)).shape == (6,)
    assert orthogonal_complement(S).shape == (6, 6) and active_force_subspace(S).shape == (6, 0)

    pose, (lone, tip) = helpers.random_pose(rng), [helpers.random_mass_properties(rng) for _ in range(2)]
    X, state = plucker(pose[0].T, pose[1]), ([0.4], [1.2])
    welded = Model([0, 1], [Revolute("x"), Fixed()], [np.eye(6), X], [mcI(*lone), mcI(*tip)])
    lumped = Model([0], [Revolute("x")], [np.eye(6)], [mcI(*lone) + X.T @ mcI(*tip) @ X])
    for solve in (forward_dynamics, rnea, lambda *given: solve_system(*given).qdd):
        helpers.close(solve(welded, *state, [0.7]), solve(lumped, *state, [0.7]), 1e-10)
    helpers.close(inertia_matrix(welded, [0.4]), inertia_matrix(lumped, [0.4]), 1e-10)
    immobile = solve_system(Model([0], [Fixed()], [X], [mcI(*tip)]), [], [], [])
    helpers.close(immobile.a, np.zeros((2, 6)), 1e-10)
    m, c, _ = tip
    place = pose[1] + pose[0] @ c
    helpers.close(immobile.f_J[1], m * 9.81 * np.array([place[1], -place[0], 0, 0, 0, 1]), 1e-9)


@pytest.mark.source("RBDA-S3.5-3", "RBDA-3.37")
def test_joint_forces_come_in_pairs_and_accelerate_the_bodies():
    """They are the forces that the recursion transmits."""
    rng = np.random.default_rng(353)
    model = systems.every_joint_once(rng)
    q, qd = model.random_state(rng)
    tau = rng.normal(size=model.nv)
    motion = solve_system(model, q, qd, tau)
    recursion = newton_euler(model, q, qd, motion.qdd)
    on_bodies = np.zeros((model.N_B + 1, 6))
    for i, joint in enumerate(motion.system.joints[1:], start=1):
        on_bodies[model.successor(i)] += motion.f_J[i]
        on_bodies[model.predecessor(i)] -= motion.f_J[i]
        assert joint.T.shape[1] + joint.T_a.shape[1] == 6 and is_direct_sum(joint.T, joint.T_a)
        helpers.close(motion.f_J[i], (1 if model.successor(i) == i else -1) * recursion.X_0[i].T @ recursion.f[i], 1e-9)
        assert_allclose(joint.S.T @ motion.f_J[i], tau[model.v_slice(i)], atol=1e-8)
    helpers.close(on_bodies[1:].ravel(), motion.system.I @ motion.a[1:].ravel() + motion.system.p, 1e-9)
    helpers.close(on_bodies.sum(axis=0), np.zeros(6), 1e-9)


@pytest.mark.source("RBDA-S3.5-1", "RBDA-3.34", "RBDA-3.35", "RBDA-3.37")
def test_freedoms_add_up_to_six_and_joint_force_splits_into_active_and_constraint_force(joint):
    rng = np.random.default_rng(334)
    q, n_f = joint.random_position(rng), joint.nv
    S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
    assert (dimension(S), dimension(T)) == (n_f, 6 - n_f)
    model, tau = systems.random_model(rng, [joint]), rng.normal(size=n_f)
    motion = solve_system(model, q, rng.normal(size=n_f), tau)
    assert motion.rank == 6 - n_f
    world = motion.system.joints[1].S
    assert_allclose(world.T @ motion.f_c[1], 0, atol=1e-9)
    assert_allclose(world.T @ motion.f_J[1], tau, atol=1e-9)

    least = active_force_subspace(S)
    if n_f:
        helpers.close(least, S @ np.linalg.inv(S.T @ S))
    for T_a in (least, least + T @ rng.normal(size=(6 - n_f, n_f))):
        if n_f:
            helpers.close(T_a.T @ S, np.eye(n_f))
            helpers.close(active_force_subspace(S, T_a @ rng.normal(size=(n_f, n_f))), T_a, 1e-10)
        f_J = rng.normal(size=6)
        parts = np.linalg.solve(np.hstack([T_a, T]), f_J)
        helpers.close(T_a @ parts[:n_f] + T @ parts[n_f:], f_J, 1e-10)
        assert_allclose(parts[:n_f], S.T @ f_J, atol=1e-10)


@pytest.mark.source("RBDA-3.40", "RBDA-3.44", "RBDA-Q3.5-1")
def test_joint_acceleration_and_its_constraint_in_a_moving_system(joint):
    """The constraint follows from S-ring and the bias, and also when that on the velocity is differentiated."""
    rng, now = np.random.default_rng(340), 0.4
    model = systems.random_model(rng, [FreeMotion(), joint], parent=[0, 1])
    (q, qd), qdd = model.random_state(rng), rng.normal(size=joint.nv)
    part = model.v_slice(2)

    def at(t):
        """T and sigma in the body's coordinates, the transform to these, and v_J in the world's."""
        moved = model.integrate(q, qd, t - now)
        q_J, X = moved[model.q_slice(2)], systems.transforms(model, moved, t)[2]
        sigma = joint.bias_velocity(q_J, t)
        v_J = joint.motion_subspace(q_J, t) @ (qd[part] + (t - now) * qdd) + sigma
        return joint.constraint_subspace(q_J, t), sigma, X, inverse_transform(X) @ v_J

    j = multibody_system(model, q, qd, t=now).joints[2]
    sign = 1 if j.s == 2 else -1
    T, _, X, v_J = at(now)
    helpers.close(j.v_J, sign * v_J, 1e-11)
    helpers.close(j.S @ qdd + j.bias, sign * helpers.slope(lambda t: at(t)[3], now, h=3e-3), 1e-7)

    motion = solve_system(model, q, qd, rng.normal(size=model.nv), t=now)
    a_J = sign * (motion.a[j.s] - motion.a[j.p])
    assert_allclose(j.T.T @ (sign * a_J - j.bias), 0, atol=1e-9)
    T_rate = helpers.slope(lambda t: at(t)[0].T @ at(t)[2], now, h=3e-3)
    right_rate = helpers.slope(lambda t: at(t)[0].T @ at(t)[1], now, h=3e-3)
    assert_allclose(T.T @ X @ a_J, right_rate - T_rate @ v_J, atol=1e-7 * max(1, np.abs(T_rate @ v_J).max(initial=0)))


@pytest.mark.source("RBDA-X3.2", "RBDA-F3.3", "RBDA-3.34", "RBDA-3.35")
def test_a_gear_pushes_the_bearing_and_not_the_motion():
    rng = np.random.default_rng(3502)
    S = np.eye(6)[:, [2]]
    T = orthogonal_complement(S)
    assert_array_equal(T, np.eye(6)[:, [0, 1, 3, 4, 5]])
    with pytest.raises(ValueError, match="rank 0; it must have rank 1"):
        active_force_subspace(S, T[:, 4:])
    I, p = helpers.cluster_inertia(*helpers.random_cluster(rng)), rng.normal(size=6)
    results = []
    for r in (0.2, 0.5):
        push = np.array([0, 3.0, 0])
        f = np.concatenate([np.cross([-r, 0, 0], push), push])
        assert_allclose(f, [0, 0, -3 * r, 0, 3, 0], atol=1e-15)
        T_a = active_force_subspace(S, f[:, None])
        assert_allclose(T_a[:, 0], [0, 0, 1, 0, -1 / r, 0], atol=1e-14)
        a, lam, f_c = constraints.constrained_body_implicit(I, p, T_a[:, 0] * 0.8, T, 0 * T, np.zeros(6))
        results.append((a, T_a[:, 0] * 0.8 + f_c, lam))
    (a, f_J, lam), (other_a, other_f_J, other_lam) = results
    helpers.close(a, other_a, 1e-10)
    helpers.close(f_J, other_f_J, 1e-10)
    assert_allclose(lam - other_lam, [0, 0, 0, 0.8 / 0.2 - 0.8 / 0.5, 0], atol=1e-9)


on_chains = pytest.mark.parametrize("n_f", range(7))


@pytest.mark.source("RBDA-A3.6-1", "RBDA-3.45", "RBDA-3.46", "RBDA-3.47", "RBDA-3.48", "RBDA-3.49", "RBDA-3.50",
                    "RBDA-3.51", "RBDA-3.52", "RBDA-S3.6-1", "RBDA-F3.4")
@on_chains
def test_method_1_moves_the_body_as_lagranges_equations_do(n_f):
    """The joint accelerations are unique; with a dependent column in S they are not, and are refused."""
    body = systems.body_on_chain(n_f)
    I, p, f, S, S_dot, qd = body.I, body.p, body.f, body.S, body.S_dot, body.qd
    found = constraints.constrained_body_explicit(I, p, f, S, S_dot, qd)
    assert S.shape == (6, n_f) and dimension(orthogonal_complement(S)) == 6 - n_f
    assert_allclose(found.qdd, body.qdd, rtol=1e-8, atol=1e-8)
    helpers.close(found.a, body.a, 1e-8)
    helpers.close(S @ body.qdd + S_dot @ qd, body.a, 1e-8)
    assert_allclose(S.T @ found.f_c, 0, atol=1e-9)
    helpers.close(found.f_c, I @ body.a + p - f, 1e-7)
    assert_allclose(S.T @ f, S.T @ (I @ body.a + p), atol=1e-7)
    if n_f:
        helpers.close(S @ qd, helpers.velocity(body.pose))
        helpers.close(found.a, helpers.derivative(lambda t: body.subspace(t) @ (qd + t * body.qdd)), 1e-8)
        helpers.close(f + found.f_c, systems.net_force(body.body, body.pose, body.tree.gravity), 1e-7)
        M = body.tree.mass_matrix(body.q)
        helpers.close(S.T @ I @ S, M, 1e-10)
        assert np.linalg.eigvalsh(M).min() > 1e-3
        assert_allclose(M @ found.qdd, S.T @ (f - I @ S_dot @ qd - p), atol=1e-9)
        dependent = np.hstack([S, S[:, :1]])
        with pytest.raises(ValueError, match="A is singular: its rank is"):
            constraints.constrained_body_explicit(I, p, f, dependent, 0 * dependent, np.zeros(n_f + 1))


@pytest.mark.source("RBDA-3.53", "RBDA-3.54", "RBDA-3.55", "RBDA-S3.6-2", "RBDA-A3.6-1")
@on_chains
def test_apparent_inverse_inertia_maps_force_to_acceleration(n_f):
    body = systems.body_on_chain(n_f)
    rng = np.random.default_rng(3600 + n_f)

    def solve(f):
        return constraints.constrained_body_explicit(body.I, body.p, f, body.S, body.S_dot, body.qd)

    def a(f):
        """By Lagrange's equations."""
        if not n_f:
            return np.zeros(6)
        H, C = body.tree.mass_matrix(body.q), body.tree.lagrangian_bias(body.q, body.qd)
        return body.S @ np.linalg.solve(H, body.S.T @ f - C) + body.S_dot @ body.qd

    Phi, b = solve(body.f).Phi, solve(body.f).b
    helpers.close(Phi, np.column_stack([a(unit) - a(np.zeros(6)) for unit in np.eye(6)]), 1e-8)
    helpers.close(b, a(np.zeros(6)), 1e-8)
    f = rng.normal(size=6)
    helpers.close(Phi @ f + b, a(f), 1e-8)
    helpers.close(Phi, Phi.T, 1e-11)
    eigenvalues = np.linalg.eigvalsh(Phi)
    assert (eigenvalues > 1e-9).sum() == n_f and eigenvalues.min() > -1e-10
    T = null_space(body.S.T)
    assert_allclose(Phi @ T, 0, atol=1e-9)
    assert_allclose(T.T @ Phi, 0, atol=1e-9)
    X = plucker(helpers.random_rotation(rng), rng.normal(size=3))
    to_force = force_transform(X)
    moved = constraints.constrained_body_explicit(to_force @ body.I @ inverse_transform(X), to_force @ body.p,
                                                  to_force @ body.f, X @ body.S, X @ body.S_dot, body.qd)
    helpers.close(moved.Phi, X @ Phi @ X.T, 1e-9)
    if n_f == 6:
        helpers.close(Phi, np.linalg.inv(body.I), 1e-8)


def smooth_complement(body):
    """T(t): a basis of the complement of S(t) that changes smoothly, and its derivative at t = 0."""
    basis = null_space(body.S.T)

    def T(t):
        S = body.subspace(t)
        return basis - S @ np.linalg.solve(S.T @ S, S.T @ basis)

    return basis, helpers.derivative(T) if body.n_f else 0 * basis


@pytest.mark.source("RBDA-A3.6-2", "RBDA-3.56", "RBDA-3.57", "RBDA-3.58", "RBDA-3.59", "RBDA-3.60", "RBDA-S3.6-3")
@on_chains
def test_method_2_moves_the_body_as_lagranges_equations_do(n_f):
    body = systems.body_on_chain(n_f)
    T, T_dot = smooth_complement(body)
    assert_allclose(T.T @ body.v, 0, atol=1e-11)
    a, lam, f_c = constraints.constrained_body_implicit(body.I, body.p, body.f, T, T_dot, body.v)
    helpers.close(a, body.a, 1e-7)
    assert_allclose(T.T @ body.a + T_dot.T @ body.v, 0, atol=1e-7)
    assert_allclose(body.S.T @ f_c, 0, atol=1e-9)
    helpers.close(f_c, body.I @ body.a + body.p - body.f, 1e-6)
    helpers.close(body.f + T @ lam, body.I @ a + body.p, 1e-8)

    M, right = constraints.implicit_system(body.I, body.p, body.f, T.T, -T_dot.T @ body.v)
    helpers.close(np.block([[body.I, T], [T.T, np.zeros((6 - n_f, 6 - n_f))]]), M)
    helpers.close(np.linalg.solve(M, right), np.concatenate([a, -lam]), 1e-7)
    eigenvalues = np.linalg.eigvalsh(M)
    assert ((eigenvalues > 1e-9).sum(), (eigenvalues < -1e-9).sum()) == (6, 6 - n_f)
    helpers.close(M, M.T)


@pytest.mark.source("RBDA-A3.6-3", "RBDA-3.61", "RBDA-3.62", "RBDA-3.63", "RBDA-3.64", "RBDA-S3.6-4", "RBDA-S3.6-5")
@on_chains
def test_method_3_is_the_equation_of_motion_of_the_chain(n_f):
    body = systems.body_on_chain(n_f)
    tau, given = body.S.T @ body.f, (body.S, body.S_dot, body.qd)
    qdd, H, C = constraints.constrained_body_coordinates(body.I, body.p, tau, *given)
    if not n_f:
        assert qdd.shape == (0,) and H.shape == (0, 0)
        return
    helpers.close(H, body.tree.mass_matrix(body.q), 1e-10)
    helpers.close(C, body.tree.lagrangian_bias(body.q, body.qd), 1e-9)
    helpers.close(qdd, body.qdd, 1e-8)
    helpers.close(H @ body.qdd + C, tau, 1e-7)
    powers = [body.f @ helpers.velocity(lambda t, e=e: body.tree.world_poses(body.q + t * e)[n_f]) for e in np.eye(n_f)]
    helpers.close(powers, tau, 1e-11)
    assert_allclose(body.qd @ H @ body.qd / 2, body.v @ body.I @ body.v / 2, rtol=1e-10)
    helpers.close(constraints.constrained_body_coordinates(body.I, body.p, C, *given)[0], np.zeros(n_f), 1e-8)


@pytest.mark.source("RBDA-S3.6-6")
def test_many_forces_on_a_body_have_the_same_generalized_force():
    rng = np.random.default_rng(366)
    body = systems.body_on_chain(3)
    f = body.f + null_space(body.S.T) @ rng.normal(size=3)
    helpers.far(f, body.f)
    helpers.close(body.S.T @ f, body.S.T @ body.f, 1e-11)
    given = body.S, body.S_dot, body.qd
    one, other = (constraints.constrained_body_explicit(body.I, body.p, force, *given) for force in (body.f, f))
    helpers.close(one.a, other.a, 1e-10)
    helpers.far(one.f_c, other.f_c)
    helpers.close(body.f + one.f_c, f + other.f_c, 1e-9)
    helpers.close(constraints.constrained_body_coordinates(body.I, body.p, body.S.T @ f, *given)[0], body.qdd, 1e-8)


@pytest.mark.source("RBDA-S3.7-1", "RBDA-3.69", "RBDA-S3.7-4", "RBDA-3.67", "RBDA-3.68", "RBDA-3.70", "RBDA-S3.7-3",
                    "RBDA-S3.7-5")
def test_the_incidence_matrix_gives_joint_motions_from_body_motions_and_body_forces_from_joint_forces():
    rng = np.random.default_rng(371)
    for _ in range(3):
        model = systems.random_model(rng, [systems.EVERY_JOINT[k] for k in rng.integers(len(NAMES) - 1, size=6)])
        chords = [tuple(rng.choice(7, 2, replace=False).tolist()) for _ in range(3)]
        model = model.replace(loops=[LoopJoint(*pair, Revolute(), np.eye(6), np.eye(6)) for pair in chords])
        pairs = [(model.parent[i], i)[:: -1 if isinstance(model.joints[i], Reversed) else 1] for i in model.bodies]
        pairs += chords
        assert pairs == [(model.predecessor(j), model.successor(j)) for j in range(1, model.N_J + 1)]
        P = incidence_matrix(model)
        assert P.shape == (6 * model.N_B, 6 * model.N_J)
        v, f_J = rng.normal(size=(model.N_B + 1, 6)), rng.normal(size=(model.N_J, 6))
        v[0] = 0
        relative, on_bodies = np.array([v[s] - v[p] for p, s in pairs]), np.zeros((model.N_B + 1, 6))
        for j, (p, s) in enumerate(pairs):
            on_bodies[s] += f_J[j]
            on_bodies[p] -= f_J[j]
            for i in model.bodies:
                assert_array_equal(P[6 * i - 6 : 6 * i, 6 * j : 6 * j + 6], (int(i == s) - int(i == p)) * np.eye(6))
        helpers.close(P.T @ v[1:].ravel(), relative.ravel())
        helpers.close(P @ f_J.ravel(), on_bodies[1:].ravel())
        assert_allclose((P @ f_J.ravel()) @ v[1:].ravel(), (f_J * relative).sum(), rtol=1e-12)
        assert np.linalg.matrix_rank(incidence_matrix(model.replace(loops=()))) == 6 * model.N_B
    for wrong in ((0, 7), (-1, 2), (9, 0)):
        with pytest.raises(ModelError):
            model.replace(loops=[LoopJoint(*wrong, Revolute(), np.eye(6), np.eye(6))])

    tree, q, qd, _, qdd, _, v, a = lagrangian_case(rng)
    system = multibody_system(tree.model(), q, qd)
    helpers.close(system.P.T @ v, np.concatenate([joint.v_J for joint in system.joints[1:]]), 1e-11)
    expected = np.concatenate([joint.S @ qdd[[k]] + joint.bias for k, joint in enumerate(system.joints[1:])])
    helpers.close(system.P.T @ a, expected, 1e-8)


def lagrangian_case(rng, n=4):
    """A tree in motion under joint forces, its accelerations by Lagrange's equations, and the bodies' motions."""
    tree = helpers.random_tree(rng, n)
    q, qd, tau = rng.normal(size=(3, n))
    qdd = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
    poses = [lambda t, i=i: tree.world_poses(q + t * qd + t * t / 2 * qdd)[i] for i in range(1, n + 1)]
    v, a = (np.concatenate([rate(pose) for pose in poses]) for rate in (helpers.velocity, helpers.acceleration))
    return tree, q, qd, tau, qdd, poses, v, a


@pytest.mark.source("RBDA-A3.7-1", "RBDA-S3.7-2", "RBDA-3.65", "RBDA-3.66", "RBDA-S3.7-7", "RBDA-3.73", "RBDA-S3.7-8",
                    "RBDA-3.74")
def test_assembled_equation_holds_for_a_tree_that_obeys_lagranges_equations():
    tree, q, qd, tau, qdd, poses, v, a = lagrangian_case(np.random.default_rng(374))
    motion = solve_system(tree.model(), q, qd, tau)
    system = motion.system
    helpers.close(motion.qdd, qdd, 1e-8)
    helpers.close(system.v, v, 1e-11)
    helpers.close(motion.a[1:].ravel(), a, 1e-7)

    f = np.ravel([systems.net_force(body, pose, tree.gravity) for body, pose in zip(tree.bodies, poses, strict=True)])
    helpers.close(system.I @ a + system.p, f, 1e-6)
    assert_array_equal(system.I[np.kron(np.eye(4), np.ones((6, 6))) == 0], 0)

    joint_forces = system.T_a @ tau + system.T @ motion.lam
    helpers.close(system.P @ joint_forces, f, 1e-6)
    helpers.close(motion.f_J[1:].ravel(), joint_forces, 1e-10)
    helpers.close([joint.S[:, 0] @ f_J for joint, f_J in zip(system.joints[1:], motion.f_J[1:], strict=True)], tau,
                  1e-9)
    assert (motion.rank, motion.redundant, motion.unique) == (20, 0, True)

    M, right = system.equation(tau)
    assert M.shape == (44, 44) and np.linalg.matrix_rank(M) == 44
    helpers.close(M, np.block([[system.I, system.P @ system.T], [system.T.T @ system.P.T, np.zeros((20, 20))]]))
    helpers.close(right[:24], system.P @ system.T_a @ tau - system.p)
    helpers.close(np.linalg.solve(M, right), np.concatenate([motion.a[1:].ravel(), -motion.lam]), 1e-8)
    helpers.close(scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(M), right)[:24], motion.a[1:].ravel(), 1e-8)


@pytest.mark.source("RBDA-S3.7-6", "RBDA-S3.7-9", "RBDA-3.71", "RBDA-3.72")
def test_constraints_on_the_accelerations_of_a_tree_in_motion():
    """With them the assembled equation is a constrained equation of motion."""
    tree, q, qd, tau, _, poses, v, a = lagrangian_case(np.random.default_rng(376))
    motion = solve_system(tree.model(), q, qd, tau)
    system = motion.system

    def T(t):
        """Smooth bases of the complements of the joints' axes in world coordinates, as one block-diagonal matrix."""
        bases = np.zeros((24, 20), dtype=complex)
        for j, (axis, kind) in enumerate(zip(tree.axes, tree.kinds, strict=True)):
            R, p = poses[j](t)
            direction, T_j = R @ axis, system.joints[j + 1].T
            S = [*direction, *np.cross(p, direction)] if kind == "revolute" else [0, 0, 0, *direction]
            S = np.array(S)[:, None]
            bases[6 * j : 6 * j + 6, 5 * j : 5 * j + 5] = T_j - S @ (S.T @ T_j) / (S.T @ S)
        return bases

    T_dot = helpers.derivative(T)
    helpers.close(T(0).real, system.T, 1e-10)
    v_J, a_J = system.P.T @ v, system.P.T @ a
    assert_allclose(system.T.T @ v_J, 0, atol=1e-10)
    assert_allclose(system.T.T @ a_J + T_dot.T @ v_J, 0, atol=1e-6)
    helpers.far(T_dot.T @ v_J, 0)
    helpers.close(system.T.T @ system.bias, -T_dot.T @ v_J, 1e-8)
    solved = motion.a[1:].ravel()
    assert_allclose(system.T.T @ system.P.T @ solved + T_dot.T @ v_J, 0, atol=1e-7)

    PT = system.P @ system.T
    f = system.P @ system.T_a @ tau
    result = constraints.apply_implicit_constraint(system.I, system.p, f, PT.T, -T_dot.T @ v_J)
    for found, expected in ((result.qdd, solved), (result.lam, motion.lam), (result.tau_c, PT @ motion.lam)):
        helpers.close(found, expected, 1e-7)
    assert result.rank == motion.rank


@pytest.mark.source("RBDA-A3.7-1", "RBDA-3.74")
def test_a_planar_loop_in_space_has_redundant_constraints_and_one_motion():
    model = systems.parallelogram()
    angle, rate, torque = 0.6, 1.1, 0.3
    q, qd, tau = [angle, -angle, angle], [rate, -rate, rate], [torque, 0, 0]
    motion = solve_system(model, q, qd, tau)
    M, right = motion.system.equation([*tau, 0])
    assert M.shape == (38, 38) and np.linalg.matrix_rank(M) == 35
    assert (motion.rank, motion.redundant, motion.unique) == (17, 3, True)
    helpers.close(motion.qdd, systems.parallelogram_acceleration(angle, torque) * np.array([1, -1, 1]), 1e-10)
    smallest = np.linalg.lstsq(M, right, rcond=None)[0]
    helpers.close(smallest[:18], motion.a[1:].ravel(), 1e-9)
    helpers.close(-smallest[18:], motion.lam, 1e-7)
    other = motion.lam + null_space(motion.system.P @ motion.system.T) @ [1, 2, 3]
    net = motion.system.P @ (motion.system.T_a @ [*tau, 0] + motion.system.T @ other)
    helpers.close(net, motion.system.I @ motion.a[1:].ravel() + motion.system.p, 1e-9)


@pytest.mark.source("RBDA-S3.0-1", "RBDA-A3.7-1", "RBDA-3.74")
@pytest.mark.parametrize("joint", systems.EVERY_JOINT, ids=str)
def test_loops_closed_by_every_joint_stay_closed_and_leave_free_motions_alone(joint):
    """Whatever the forces, from whichever end the loop joint is seen, and by the tree's equation under K qdd = k."""
    rng = np.random.default_rng(375)
    tree_joints = [Revolute("x"), Prismatic("y"), Revolute((1, 2, 0)), FreeMotion(), Revolute("y")]
    model, q, qd, q_J, J = systems.closed_loop(rng, joint, tree_joints)
    loop, tree = model.loops[0], model.replace(loops=())
    backwards = model.replace(loops=[LoopJoint(loop.successor, loop.predecessor, Reversed(joint), loop.X_S, loop.X_P)])
    K, k = joint.constraint_subspace(q_J).T @ J, loop_bias(model, joint, q, qd, q_J, J)
    H, C = inertia_and_bias(tree, q, qd)
    for tau in rng.normal(size=(2, model.nv)):
        motion = solve_system(model, q, qd, tau)
        assert motion.loop_gaps.max() < 1e-9 and motion.loop_slips.max() < 1e-8
        assert motion.redundant == 0 and motion.unique
        system = motion.system
        assert_allclose(system.T.T @ (system.P.T @ motion.a[1:].ravel() - system.bias), 0, atol=1e-8)
        size = max(1, np.abs(motion.qdd).max())
        assert_allclose(motion.qdd, constraints.apply_implicit_constraint(H, C, tau, K, k).qdd, atol=1e-6 * size)
        tau_c = H @ motion.qdd + C - tau
        assert_allclose(tau_c - systems.along_rows(K) @ tau_c, 0, atol=1e-6 * max(1, np.abs(tau_c).max()))
        if joint.nv < 6:
            helpers.far(forward_dynamics(tree, q, qd, tau), motion.qdd)
    other = solve_system(backwards, q, qd, tau)
    assert_allclose(motion.qdd, other.qdd, atol=1e-8 * size)
    assert_allclose(motion.f_J[-1], -other.f_J[-1], atol=1e-7 * max(1, np.abs(motion.f_J[-1]).max()))


def loop_bias(model, joint, q, qd, q_J, J):
    """k of the loop joint on the velocities of the tree: minus the rate of Tᵀ(v_s - v_p) while qd is constant."""
    S = joint.motion_subspace(q_J)
    qd_J = np.linalg.solve(S.T @ S, S.T @ J @ qd)

    def residual(t):
        T = joint.constraint_subspace(joint.integrate(q_J, qd_J, t))
        return T.T @ systems.relative_velocity(model, model.integrate(q, qd, t), qd)

    return -helpers.slope(residual)


@pytest.mark.source("RBDA-S3.7-10")
def test_the_matrix_is_sparse_and_accelerations_alone_let_errors_grow():
    tree = helpers.random_tree(np.random.default_rng(3710), 16, parent=range(16))
    M, _ = multibody_system(tree.model(), np.zeros(16), np.zeros(16)).equation(np.zeros(16))
    assert M.shape == (176, 176) and (M != 0).mean() < 0.1

    def swing(stabilization, steps=240, h=0.04, l=0.8):
        """The errors of the length of a pendulum in Cartesian coordinates, by a Runge-Kutta method."""
        def rate(x):
            q, qd = x[:2], x[2:]
            phi, phi_rate = q @ q - l * l, 2 * q @ qd
            k = -2 * qd @ qd - 2 * stabilization * phi_rate - stabilization**2 * phi
            found = constraints.apply_implicit_constraint(np.eye(2), [0, 9.81], [0, 0], [2 * q], [k])
            return np.concatenate([qd, found.qdd])

        return np.abs(np.linalg.norm(systems.runge_kutta(rate, np.array([l, 0, 0, 0]), h, steps)[:, :2], axis=1) - l)

    free, held = swing(0), swing(10)
    assert max(free[-50:]) > 5 * max(free[:50]) and max(free[-50:]) > 1e-4
    assert max(held[-50:]) < max(free[-50:]) / 10
