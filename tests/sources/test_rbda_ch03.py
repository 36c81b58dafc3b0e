"""RBDA 3.1 to 3.4 row by row: equations of motion, constraints applied to them, subspaces, kinds of constraints."""

from itertools import combinations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.linalg import block_diag, null_space
from scipy.spatial import ConvexHull

from rbdlib import Model, bias_force, forward_dynamics, rnea
from rbdlib.book import ch03_constraints as constrained, ch03_subspaces as subspaces
from rbdlib.book.ch02_spatial import force_transform, mcI, plucker, rotz, xlt
from rbdlib.book.ch03_constraints import apply_explicit_constraint, apply_implicit_constraint
from rbdlib.book.ch03_subspaces import orthogonal_complement
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.methods import subspaces as spaces
from rbdlib.methods.constraint_derivatives import explicit_constraint, implicit_constraint
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_space import inertia_and_bias, inertia_matrix
from rbdlib.methods.whole_system import multibody_system, solve_system, state_derivative
from tests.sources import helpers
from tests.sources.ch03_systems import random_constraint
from tests.sources.helpers import close, derivative, far, random_tree, slope, velocity
from tests.sources.joints import joint_pose, turned_by

NOTHING = (0.0, np.zeros(3), np.zeros((3, 3)))


@pytest.mark.source("RBDA-3.1", "RBDA-3.2", "RBDA-3.3", "RBDA-3.4", "RBDA-3.13", "RBDA-S4.0-1", "RBDA-S3.1-1")
def test_forward_and_inverse_dynamics_solve_lagranges_equations_and_forces_are_dual_to_velocities():
    rng = np.random.default_rng(31)
    tree = random_tree(rng, 6)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 6))
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    tau = H @ qdd + C
    close(rnea(model, q, qd, qdd), tau, 1e-10)
    close(bias_force(model, q, qd), C, 1e-10)
    close(inertia_matrix(model, q), H, 1e-10)
    assert_allclose(qd @ inertia_matrix(model, q) @ qd / 2, kinetic_energy_of_bodies(tree, q, qd), rtol=1e-11)
    for solve in (forward_dynamics, lambda *state: solve_system(*state).qdd):
        for force, expected in ((tau, qdd), (C, np.zeros(6)), (qdd, np.linalg.solve(H, qdd - C))):
            close(solve(model, q, qd, force), expected, 1e-9)

    weights = np.array([m for m, _, _ in tree.bodies])

    def energy(t):
        position, rate = q + t * qd + t * t / 2 * qdd, qd + t * qdd
        return rate @ tree.mass_matrix(position) @ rate / 2 - weights @ tree.centres(position) @ tree.gravity

    assert_allclose(derivative(energy), tau @ qd, rtol=1e-9)

    A, step = rng.normal(size=(6, 6)), np.eye(6)
    y, yd = np.linalg.solve(A, q), np.linalg.solve(A, qd)
    H, C = inertia_and_bias(model, q, qd)
    H_y = np.array([[kinetic_energy_of_bodies(tree, q, A @ (a + b)) - kinetic_energy_of_bodies(tree, q, A @ a)
                     - kinetic_energy_of_bodies(tree, q, A @ b) for b in step] for a in step])
    close(A.T @ H @ A, H_y, 1e-10)
    slopes = [derivative(lambda t, e=e: (A @ yd) @ tree.mass_matrix(A @ (y + t * e)) @ (A @ yd) / 2
                         + weights @ tree.centres(A @ (y + t * e)) @ tree.gravity) for e in step]
    close(A.T @ C, derivative(lambda t: A.T @ tree.mass_matrix(A @ (y + t * yd)) @ A) @ yd - slopes, 1e-9)
    close(A @ np.linalg.solve(H_y, A.T @ tau - A.T @ C), qdd, 1e-8)
    assert_allclose((A.T @ tau) @ yd, tau @ qd, rtol=1e-12)


def kinetic_energy_of_bodies(tree, q, qd):
    """Sum over the bodies of m c'²/2 + omega·I omega/2, from the motion of their poses."""
    energy = 0
    for i, (m, c, I_C) in enumerate(tree.bodies, start=1):
        def pose(t, i=i):
            return tree.world_poses(q + t * qd)[i]

        speed, omega = derivative(lambda t, c=c, p=pose: p(t)[1] + p(t)[0] @ c), pose(0)[0].T @ velocity(pose)[:3]
        energy += m * speed @ speed / 2 + omega @ I_C @ omega / 2
    return energy


@pytest.mark.source("RBDA-3.6", "RBDA-3.7", "RBDA-3.5", "RBDA-3.8", "RBDA-3.9")
def test_velocities_that_are_no_derivatives_have_an_equation_of_motion_and_give_position_rates_by_a_matrix():
    rng = np.random.default_rng(36)
    poses, bodies = ([draw(rng) for _ in range(2)] for draw in (helpers.random_pose, helpers.random_mass_properties))
    nowhere = (np.eye(3), np.zeros(3))
    hinges = helpers.Tree([0, 1, 2, 3], ["revolute"] * 4, [*np.eye(3)[::-1], np.array([0.6, 0, 0.8])],
                          [poses[0], nowhere, nowhere, poses[1]], [NOTHING, NOTHING, *bodies], rng.normal(size=3))
    model = Model([0, 1], [Spherical(), Revolute((0.6, 0, 0.8))], [plucker(R.T, p) for R, p in poses],
                  [mcI(*body) for body in bodies], gravity=hinges.gravity)
    assert (model.nq, model.nv) == (5, 4)
    (q, alpha), beta = model.random_state(rng), rng.normal(size=4)
    Q = np.column_stack([model.qdot(q, unit) for unit in np.eye(4)])
    assert Q.shape == (5, 4)
    close(model.qdot(q, 2 * alpha - 3 * beta), 2 * Q @ alpha - 3 * Q @ beta)
    close(q[:4] @ Q[:4, :3], np.zeros(3))
    W = turned_by(q[:4]).T @ slope(lambda t: turned_by(q[:4] + t * (Q @ alpha)[:4]))
    close(W, helpers.cross_matrix(alpha[:3]), 1e-10)
    close(Q[4], [0, 0, 0, 1])
    close(random_tree(rng, 3).model().qdot(np.ones(3), beta[:3]), beta[:3])

    angles, rates, tau = 0.5 * rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)

    def velocities(angles, rates):
        W = hinges.world_poses(angles)[3][0].T @ derivative(lambda t: hinges.world_poses(angles + t * rates)[3][0])
        return np.array([W[2, 1], W[0, 2], W[1, 0], rates[3]])

    B = np.column_stack([velocities(angles, unit) for unit in np.eye(4)])
    H, C = hinges.mass_matrix(angles), hinges.lagrangian_bias(angles, rates)
    accelerations = np.linalg.solve(H, B.T @ tau - C)
    alpha_rate = slope(lambda t: velocities(
        angles + t * rates + t * t / 2 * accelerations, rates + t * accelerations), h=1e-3)

    R = hinges.poses[0][0].T @ hinges.world_poses(angles)[3][0]
    w = np.sqrt(1 + np.trace(R)) / 2
    turned = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    q, qd = np.array([w, *turned, angles[3]]), velocities(angles, rates)
    for found in (forward_dynamics(model, q, qd, tau), solve_system(model, q, qd, tau).qdd):
        close(found, alpha_rate, 1e-8)
    close(state_derivative(model, np.concatenate([q, qd]), tau), [*model.qdot(q, qd), *alpha_rate], 1e-8)
    H_alpha, C_alpha = inertia_and_bias(model, q, qd)
    close(B.T @ H_alpha @ B, H, 1e-10)
    close(rnea(model, q, qd, alpha_rate), H_alpha @ alpha_rate + C_alpha, 1e-10)
    close(H_alpha @ alpha_rate + C_alpha, tau, 1e-7)


@pytest.mark.source("RBDA-S3.1-2", "RBDA-S3.2-7", "RBDA-3.22", "RBDA-3.23")
def test_dependent_coordinates_need_a_constraint_equation_beside_the_equation_of_motion():
    """Those of a crank and a rod whose end slides along the x axis; they have an inertia, an energy and a power."""
    rng, crank, rod = np.random.default_rng(312), 0.5, 1.2
    tree = helpers.Tree([0, 1], ["revolute"] * 2, [np.array([0, 0, 1.0])] * 2,
                        [(np.eye(3), np.zeros(3)), (np.eye(3), np.array([crank, 0, 0]))],
                        [helpers.random_mass_properties(rng) for _ in range(2)], np.array([0, -9.81, 0]))
    slider = Custom(2, lambda q, t: rotz(q[1]) @ xlt([q[0], 0, 0]), name="slider")
    model = tree.model(loops=[LoopJoint(0, 2, slider, np.eye(6), xlt([rod, 0, 0]))])

    def gamma(y):
        return np.array([y, -np.arcsin(crank / rod * np.sin(y)) - y])

    def phi(q):
        return crank * np.sin(q[0]) + rod * np.sin(q[0] + q[1])

    y, yd, tau = 0.7, 1.3, rng.normal(size=2)
    q, G = gamma(y), derivative(gamma, y)
    qd, g = G * yd, helpers.second_derivative(gamma, y) * yd**2
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    ydd = G @ (tau - C - H @ g) / (G @ H @ G)

    K = np.array([derivative(lambda t, e=e: phi(q + t * e)) for e in np.eye(2)])
    dependent = apply_implicit_constraint(H, C, tau, [K], [-helpers.second_derivative(lambda t: phi(q + t * qd))])
    close(dependent.qdd, G * ydd + g, 1e-8)
    close(solve_system(model, q, qd, tau).qdd, G * ydd + g, 1e-8)
    far(np.linalg.solve(H, tau - C), dependent.qdd)

    independent = apply_explicit_constraint(*inertia_and_bias(tree.model(), q, qd), tau, G[:, None], g)
    close(independent.ydd, [ydd], 1e-8)
    assert_allclose(independent.H_G[0, 0] * yd**2 / 2, kinetic_energy_of_bodies(tree, q, qd), rtol=1e-11)
    assert_allclose(independent.u[0] * yd, tau @ qd, rtol=1e-12)


@pytest.mark.source("RBDA-3.10", "RBDA-A3.2-4", "RBDA-S3.2-1")
def test_collected_subsystems_move_as_they_would_alone():
    """Such as free bodies, each of which has its inertia as inertia matrix."""
    rng = np.random.default_rng(310)
    parts = [(s.H, s.C, s.tau) for s in (random_constraint(rng, n, 1) for n in (2, 6, 3))]
    H, C, tau = constrained.collect(*parts)
    close(H, block_diag(*(part[0] for part in parts)))
    alone = [np.linalg.solve(H_i, tau_i - C_i) for H_i, C_i, tau_i in parts]
    close(np.linalg.solve(H, tau - C), np.concatenate(alone), 1e-11)

    masses, positions = helpers.random_cluster(rng)
    m, c, I_C = helpers.mass_properties(masses, positions)
    free = Model([0], [FreeMotion()], [np.eye(6)], [mcI(m, c, I_C)], gravity=rng.normal(size=3))
    (q, v), I = free.random_state(rng), helpers.cluster_inertia(masses, positions)
    H, C = inertia_and_bias(free, q, v)
    close(H, I, 1e-11)
    h, weight = I @ v, m * joint_pose(FreeMotion(), q)[0].T @ free.gravity
    gyroscopic = np.array([*(np.cross(v[:3], h[:3]) + np.cross(v[3:], h[3:])), *np.cross(v[:3], h[3:])])
    close(C, gyroscopic - np.array([*np.cross(c, weight), *weight]), 1e-10)


@pytest.mark.source("RBDA-3.11", "RBDA-3.12")
def test_implicit_and_explicit_forms_describe_the_same_constraint():
    """That of a point that hangs on a string of length l in space, by its place and by two angles."""
    l, (a, b), y_rates = 0.8, sympy.symbols("a b"), sympy.symbols("ad bd")
    q, q_rates = sympy.symbols("x y z"), sympy.symbols("xd yd zd")
    gamma = [l * sympy.sin(a) * sympy.cos(b), l * sympy.sin(a) * sympy.sin(b), -l * sympy.cos(a)]
    implicit = implicit_constraint([q[0] ** 2 + q[1] ** 2 + q[2] ** 2 - l**2], q, q_rates)
    explicit = explicit_constraint(gamma, (a, b), y_rates)
    place = sympy.lambdify([(a, b)], gamma)
    rng = np.random.default_rng(3112)
    for y, yd, ydd in rng.normal(size=(3, 3, 2)):
        def path(t, y=y, yd=yd, ydd=ydd):
            return np.array(place(y + t * yd + t * t / 2 * ydd))

        position, rate, second = path(0), derivative(path), helpers.second_derivative(path)
        K, k = (np.array(sympy.lambdify([q, q_rates], part.tolist())(position, rate), float) for part in implicit)
        G, g = (np.array(sympy.lambdify([(a, b), y_rates], part.tolist())(y, yd), float) for part in explicit)
        assert_allclose(position @ position, l**2, atol=1e-14)
        for found, expected in ((K @ rate, [0]), (G @ yd, rate), (K @ G, np.zeros((1, 2))), (K @ g, k)):
            close(found, expected)
        close(K @ second, k, 1e-8)
        close(G @ ydd + g, second, 1e-8)
        assert abs(k[0]) > 1e-3


@pytest.mark.source("RBDA-A3.2-1", "RBDA-3.14", "RBDA-3.15", "RBDA-3.17", "RBDA-S3.2-3")
def test_repeated_constraints_leave_the_motion_determined_and_the_multipliers_not():
    rng = np.random.default_rng(317)
    s = random_constraint(rng)
    result = apply_implicit_constraint(s.H, s.C, s.tau, s.K, s.k)
    close(s.H @ result.qdd + s.C, s.tau + s.K.T @ result.lam, 1e-10)
    close(result.tau_c, s.K.T @ result.lam, 1e-10)
    close(s.K @ result.qdd, s.k, 1e-10)
    free = np.linalg.solve(s.H, s.tau - s.C)
    close(result.lam, np.linalg.solve(s.K @ np.linalg.solve(s.H, s.K.T), s.k - s.K @ free), 1e-9)

    B = np.vstack([np.eye(3), rng.normal(size=(2, 3))])
    K, k = B @ s.K, B @ s.k
    repeated = apply_implicit_constraint(s.H, s.C, s.tau, K, k)
    assert (result.rank, result.unique) == (repeated.rank, repeated.unique) == (3, True)
    close(repeated.qdd, result.qdd, 1e-9)
    close(repeated.tau_c, result.tau_c, 1e-9)
    with pytest.raises(ValueError, match="contradict one another"):
        apply_implicit_constraint(s.H, s.C, s.tau, K, k + [0, 0, 0, 0, 1])

    M, right = constrained.implicit_system(s.H, s.C, s.tau, K, k)
    smaller, _ = constrained.implicit_system(s.H, s.C, s.tau, s.K, s.k)
    assert np.linalg.matrix_rank(M) == np.linalg.matrix_rank(smaller) == 9
    z = null_space(M)
    assert M.shape == (11, 11) and z.shape == (11, 2)
    close(z[:6], np.zeros((6, 2)), 1e-12)
    close(K.T @ z[6:], np.zeros((6, 2)), 1e-10)
    close(np.linalg.lstsq(M, right, rcond=None)[0], [*repeated.qdd, *-repeated.lam], 1e-8)
    close(s.H @ result.qdd + s.C, s.tau + K.T @ (repeated.lam + z[6:, 0]), 1e-9)


@pytest.mark.source("RBDA-S3.2-2", "RBDA-3.16", "RBDA-Q3.2-1", "RBDA-S3.3-1")
def test_constraint_forces_give_no_power_along_any_motion_that_is_allowed():
    """They are all in the complement of the allowed motions (Jourdain), whatever matrices span the two subspaces."""
    rng = np.random.default_rng(322)
    for n_c in (1, 3, 5):
        s = random_constraint(rng, 6, n_c)
        A, B = rng.normal(size=(n_c, n_c)), rng.normal(size=(6 - n_c, 6 - n_c))
        allowed = null_space(s.K)
        powerless = null_space(allowed.T)
        assert powerless.shape == (6, n_c)
        assert spaces.is_same_subspace(s.G, allowed) and spaces.is_same_subspace(null_space(A @ s.K), s.G @ B)
        for basis in (s.K.T, orthogonal_complement(s.G), null_space(s.G.T)):
            assert spaces.is_same_subspace(powerless, basis)
        assert not spaces.is_same_subspace(powerless, rng.normal(size=(6, n_c)))
        first = apply_implicit_constraint(s.H, s.C, s.tau, s.K, s.k)
        for motion in (first, apply_implicit_constraint(s.H, s.C, s.tau, A @ s.K, A @ s.k),
                       apply_explicit_constraint(s.H, s.C, s.tau, s.G, s.g),
                       apply_explicit_constraint(s.H, s.C, s.tau, s.G @ B, s.g)):
            close(motion.qdd, first.qdd, 1e-8)
            close(allowed.T @ motion.tau_c, np.zeros(6 - n_c), 1e-8)
            assert spaces.is_subspace(motion.tau_c[:, None], powerless)
            assert abs((s.K.T @ rng.normal(size=n_c)) @ motion.tau_c) > 1e-2, "along other motions there is power"


@pytest.mark.source("RBDA-A3.2-2", "RBDA-3.18", "RBDA-3.19", "RBDA-3.20", "RBDA-3.21", "RBDA-S3.2-4", "RBDA-S3.2-5",
                    "RBDA-S3.2-6", "RBDA-S3.2-7")
def test_explicit_constraints_give_the_motion_that_implicit_ones_give():
    """From the whole system of equations, and from each step of its elimination."""
    rng = np.random.default_rng(318)
    for n_c in (0, 2, 4):
        s = random_constraint(rng, 6, n_c)
        n, m = s.G.shape
        implicit = apply_implicit_constraint(s.H, s.C, s.tau, s.K, s.k)
        explicit = apply_explicit_constraint(s.H, s.C, s.tau, s.G, s.g)
        ydd = np.linalg.lstsq(s.G, implicit.qdd - s.g, rcond=None)[0]
        for found, expected in ((explicit.qdd, implicit.qdd), (explicit.tau_c, implicit.tau_c), (explicit.ydd, ydd)):
            close(found, expected, 1e-8)
        H_G = s.G.T @ s.H @ s.G
        close(explicit.H_G, H_G, 1e-10)
        assert np.linalg.eigvalsh(explicit.H_G).min() > 0
        close(H_G @ ydd, s.G.T @ (s.tau - s.C - s.H @ s.g), 1e-8)
        close(explicit.H_G @ ydd + explicit.C_G, explicit.u, 1e-8)

        M, right = constrained.explicit_system(s.H, s.C, s.tau, s.G, s.g)
        close(np.linalg.solve(M, right), [*implicit.qdd, *implicit.tau_c, *ydd], 1e-8)
        H_inverse, zero = np.linalg.inv(s.H), np.zeros
        M[n : 2 * n] += H_inverse @ M[:n]
        right[n : 2 * n] += H_inverse @ right[:n]
        close(M, np.block([[s.H, -np.eye(n), zero((n, m))], [zero((n, n)), -H_inverse, s.G],
                           [zero((m, n)), s.G.T, zero((m, m))]]), 1e-11)
        close(right, np.concatenate([s.tau - s.C, H_inverse @ (s.tau - s.C) - s.g, zero(m)]), 1e-11)

        R, right = constrained.reduced_explicit_system(s.H, s.C, s.tau, s.G, s.g)
        close(R, np.block([[H_inverse, s.G], [s.G.T, zero((m, m))]]), 1e-11)
        close(np.linalg.solve(R, right), [*-implicit.tau_c, *ydd], 1e-8)
        R[n:] -= s.G.T @ s.H @ R[:n]
        right[n:] -= s.G.T @ s.H @ right[:n]
        close(R, np.block([[H_inverse, s.G], [zero((m, n)), -H_G]]), 1e-10)
        close(right[n:], -s.G.T @ (s.tau - s.C - s.H @ s.g), 1e-10)
        close(R @ [*-implicit.tau_c, *ydd], right, 1e-8)


class Chain:
    """Bodies in a row, from number `first`: an equation of motion (H, C, force); the last accelerates by J qdd + b."""
    def __init__(self, H, C, J, first=0):
        self.equation, self.J, self.b, self.first = (H, C, np.zeros(len(C))), J, np.zeros(6), first

    def join(self, other, joint, tau):
        """Add a chain of free bodies behind this one: a_first of the other is a_last + S qdd + bias."""
        (H, C, force), n = constrained.collect(self.equation, other.equation), self.J.shape[1]
        rest, n_f = other.J.shape[1] - 6, joint.S.shape[1]
        active = joint.T_a @ tau
        force = force + np.concatenate([-self.J.T @ active, active, np.zeros(rest)])
        G = np.block([[np.eye(n), np.zeros((n, n_f + rest))], [self.J, joint.S, np.zeros((6, rest))],
                      [np.zeros((rest, n + n_f)), np.eye(rest)]])
        g = np.concatenate([np.zeros(n), self.b + joint.bias, np.zeros(rest)])
        joined = apply_explicit_constraint(H, C, force, G, g)
        self.equation, self.qdd = (joined.H_G, joined.C_G, joined.u), joined.ydd
        self.J, self.b = other.J @ G[n:], other.J @ g[n:] + other.b
        return self


@pytest.mark.source("RBDA-A3.2-3")
@pytest.mark.parametrize("n", [2, 8])
def test_four_procedures_build_equations_with_the_same_motion(n):
    rng = np.random.default_rng(3230 + n)
    tree = random_tree(rng, n, parent=range(n))
    model = tree.model()
    q, qd, tau = rng.normal(size=(3, n))
    system, forces = multibody_system(model, q, qd), [None, *tau.reshape(n, 1)]

    def bodies():
        parts = [slice(6 * i, 6 * i + 6) for i in range(n)]
        return [Chain(system.I[part, part], system.p[part], np.eye(6), i) for i, part in enumerate(parts, start=1)]

    def one_by_one(chain, *others):
        for other in others:
            chain.join(other, system.joints[other.first], forces[other.first])
        return chain

    def by_pairs(chains):
        while len(chains) > 1:
            chains = [one_by_one(*pair) for pair in zip(chains[::2], chains[1::2], strict=True)]
        return chains[0]

    def base():
        return Chain(np.zeros((0, 0)), np.zeros(0), np.zeros((6, 0)))

    lagrange = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
    for qdd in (solve_system(model, q, qd, tau).qdd, forward_dynamics(model, q, qd, tau),
                one_by_one(base(), *bodies()).qdd, one_by_one(base(), by_pairs(bodies())).qdd):
        close(qdd, lagrange, 1e-8)


@pytest.mark.source("RBDA-3.24", "RBDA-3.25", "RBDA-3.26", "RBDA-3.27", "RBDA-S3.3-2", "RBDA-S3.3-4", "RBDA-S3.3-3")
def test_dimensions_bases_and_direct_sums_of_subspaces_and_how_many_numbers_one_takes():
    """A vector has one decomposition into parts then."""
    rng = np.random.default_rng(324)
    S_1, S_2, larger = (rng.normal(size=(6, m)) for m in (2, 4, 5))
    assert spaces.is_direct_sum(S_1, S_2) and spaces.intersection(S_1, S_2).shape[1] == 0
    assert abs(np.linalg.det(np.hstack([S_1, S_2]))) > 1e-3
    touching = np.hstack([S_2[:, :3], S_1 @ [[1], [2]]])
    assert not spaces.is_direct_sum(S_1, touching)
    assert spaces.is_same_subspace(spaces.intersection(S_1, touching), S_1 @ [[1], [2]])
    assert not spaces.is_direct_sum(S_1, S_2[:, :3]), "too few dimensions: not every v is a sum"
    assert not spaces.is_direct_sum(S_1, larger), "too many: the sum is not unique"
    assert subspaces.dimension(spaces.intersection(S_1, larger)) == 1
    assert spaces.is_direct_sum(np.eye(6), np.zeros((6, 0)))

    parts = S_2[:, :1], S_2[:, 1:], S_1
    known = [S @ rng.normal(size=S.shape[1]) for S in parts]
    for found, part in zip(subspaces.decompose(sum(known), *parts), known, strict=True):
        close(found, part, 1e-10)
    with pytest.raises(ValueError, match="5 columns have rank 5, the space has dimension 6"):
        subspaces.decompose(sum(known), *parts[1:])

    rng = np.random.default_rng(332)
    for m in range(7):
        S = rng.normal(size=(6, m))
        Y = S @ rng.normal(size=(m, m + 2))
        assert subspaces.dimension(Y) == subspaces.dimension(S) == m == np.linalg.matrix_rank(Y)
        basis = spaces.independent_columns(Y)
        assert basis.shape == (6, m) and spaces.is_same_subspace(basis, S)
        assert spaces.is_subspace(S, np.eye(6)) and spaces.is_same_subspace(S, np.eye(6)) == (m == 6)
        assert spaces.is_subspace(S[:, :-1], S)
        assert spaces.is_subspace(np.zeros((6, 1)), S) and spaces.is_same_subspace(np.zeros((6, 3)), S) == (m == 0)
        if 0 < m < 6:
            assert not spaces.is_subspace(rng.normal(size=(6, 1)), S) and not spaces.is_subspace(S, S[:, :-1])
        A = rng.normal(size=(m, m))
        assert spaces.is_same_subspace(S, S @ A)
        A[:, -1:] = A[:, :1]
        assert spaces.is_same_subspace(S, S @ A) == (m < 2)

    def projector(S):
        return (S @ np.linalg.solve(S.T @ S, S.T)).ravel()

    for n, m in ((6, 1), (6, 3), (6, 6), (5, 2), (3, 2)):
        S = np.random.default_rng(333).normal(size=(n, m))
        units = np.eye(n * m).reshape(n * m, n, m)
        jacobian = np.array([derivative(lambda t, S=S, unit=unit: projector(S + t * unit)) for unit in units])
        assert np.linalg.matrix_rank(jacobian, tol=1e-8) == m * (n - m) == n * m - m**2, (n, m)


@pytest.mark.source("RBDA-T3.1", "RBDA-S3.3-5")
def test_orthogonal_subsets_and_subspaces_follow_table_3_1_and_complements_transform_as_forces_do():
    rng = np.random.default_rng(3100)
    Y_1 = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 4))
    complement = null_space(Y_1.T)
    Y_2 = complement @ rng.normal(size=(4, 3))
    assert complement.shape == (6, 4) and spaces.is_same_subspace(complement, orthogonal_complement(Y_1))
    assert spaces.is_orthogonal(Y_1, Y_2) and spaces.is_orthogonal(Y_2, Y_1)                                      # (1)
    assert spaces.is_orthogonal(Y_1 @ rng.normal(size=(4, 5)), Y_2)                                        # (2)
    assert spaces.is_orthogonal(Y_1[:, 1:3], Y_2)                                                          # (3)
    assert spaces.is_subspace(Y_1, orthogonal_complement(Y_2))                                             # (4)
    assert not spaces.is_subspace(orthogonal_complement(Y_2), Y_1)
    assert spaces.is_same_subspace(complement, orthogonal_complement(spaces.independent_columns(Y_1)))  # (5)
    assert spaces.is_same_subspace(orthogonal_complement(orthogonal_complement(Y_1)), Y_1)                 # (6)
    assert not spaces.is_orthogonal(Y_1, rng.normal(size=(6, 3)))

    for m in range(7):
        S = rng.normal(size=(6, m))
        assert subspaces.dimension(S) + subspaces.dimension(orthogonal_complement(S)) == 6                    # (7)
        assert spaces.is_direct_sum(S, orthogonal_complement(S))                                           # (11)
    S_1 = rng.normal(size=(6, 3))
    powerless = null_space(S_1.T) @ rng.normal(size=(3, 3))
    for S_2 in (rng.normal(size=(6, 3)), powerless, np.hstack([powerless[:, :1], rng.normal(size=(6, 2))])):
        products = S_1.T @ S_2
        regular = np.linalg.matrix_rank(products, tol=1e-9) == 3
        assert spaces.is_orthogonal(S_1, S_2) == bool(np.abs(products).max() < 1e-12)                      # (8)
        assert spaces.is_direct_sum(S_1, orthogonal_complement(S_2)) == regular                            # (9)
        assert spaces.is_direct_sum(orthogonal_complement(S_1), S_2) == regular                            # (10)

    hinge, turned = np.eye(6)[:, [2]], plucker(helpers.random_rotation(rng), np.zeros(3))
    assert spaces.is_orthogonal(turned @ hinge, turned @ orthogonal_complement(hinge)), "a turn does not reveal it"
    for X in (plucker(helpers.random_rotation(rng), rng.normal(size=3)), xlt([1, 2, 0])):
        for S in (hinge, rng.normal(size=(6, 2))):
            N = orthogonal_complement(S)
            assert spaces.is_same_subspace(orthogonal_complement(X @ S), force_transform(X) @ N)
            assert spaces.is_orthogonal(X @ S, force_transform(X) @ N) and not spaces.is_orthogonal(X @ S, X @ N)


@pytest.mark.source("RBDA-X3.1", "RBDA-3.28", "RBDA-Q3.3-1")
def test_force_on_a_constrained_body_splits_into_accelerating_and_balanced_parts():
    rng = np.random.default_rng(328)
    I = helpers.cluster_inertia(*helpers.random_cluster(rng))
    for m in (1, 3, 6):
        S, f = rng.normal(size=(6, m)), rng.normal(size=6)
        T = null_space(S.T)
        f_a = subspaces.accelerating_force(f, I, S)
        close(f_a, I @ S @ np.linalg.solve(np.hstack([I @ S, T]), f)[:m], 1e-9)
        close(S.T @ (f - f_a), np.zeros(m), 1e-10)
        assert spaces.is_direct_sum(I @ S, T) and spaces.is_subspace(np.linalg.solve(I, f_a)[:, None], S)
        close(subspaces.accelerating_force(f, I, S @ rng.normal(size=(m, m))), f_a, 1e-9)
        P = np.column_stack([subspaces.accelerating_force(unit, I, S) for unit in np.eye(6)])
        close(P @ P, P, 1e-9)
        if m < 6:
            far(P, P.T)
        a, _, f_c = constrained.constrained_body_implicit(I, np.zeros(6), f, T, 0 * T, np.zeros(6))
        close(f_c, f_a - f, 1e-9)
        close(I @ a, f_a, 1e-9)


X, Y, ANGLE, TIME = sympy.symbols("x y angle t")
RATES = sympy.symbols("xd yd angled")
VARIABLES = (X, Y, ANGLE)


def vanishes(expression):
    """Whether an expression is zero, at two places that are nothing special."""
    return all(abs(sympy.N(expression.subs(dict(zip((*VARIABLES, TIME), place, strict=True))))) < 1e-12
               for place in ((0.37, -1.21, 0.83, 0.59), (-0.71, 0.47, 2.13, 1.37)))


def integrable(form, variables):
    """Whether a Pfaffian form a·dq vanishes on a family of surfaces: a ∧ da = 0, for every three variables."""
    rotation = sympy.Matrix(len(form), len(form), lambda i, j: form[j].diff(variables[i]) - form[i].diff(variables[j]))
    return all(vanishes(form[i] * rotation[j, k] + form[j] * rotation[k, i] + form[k] * rotation[i, j])
               for i in range(len(form)) for j in range(i) for k in range(j))


def classify(rate):
    """The class of the constraint rate = 0, where rate = phi_0 + sum phi_i qd_i with coefficients of q and t."""
    form = [rate.diff(qd) for qd in RATES]
    drift = sympy.expand(rate - sum(a * qd for a, qd in zip(form, RATES, strict=True)))
    assert not any(part.has(qd) for part in (*form, drift) for qd in RATES)
    if not integrable([*form, drift], [*VARIABLES, TIME]):
        return "nonholonomic"
    return "scleronomic" if (vanishes(drift) and not any(a.has(TIME) for a in form)) else "rheonomic"


KNIFE_EDGE = RATES[0] * sympy.sin(ANGLE) - RATES[1] * sympy.cos(ANGLE)


def rate_of(phi):
    return sum(phi.diff(q) * qd for q, qd in zip(VARIABLES, RATES, strict=True)) + phi.diff(TIME)


@pytest.mark.source("RBDA-3.29", "RBDA-S3.4-1", "RBDA-3.30", "RBDA-F3.1", "RBDA-S3.4-2")
def test_constraints_fall_into_classes_nonholonomic_ones_linear_in_the_velocities_and_holonomic_ones_a_derivative():
    """A skate reaches more positions than it has velocities."""
    form = [KNIFE_EDGE.diff(qd) for qd in RATES]
    assert sympy.expand(KNIFE_EDGE - sum(a * qd for a, qd in zip(form, RATES, strict=True))) == 0
    phi = X * sympy.sin(ANGLE) + Y**2
    assert integrable([phi.diff(q) for q in VARIABLES], VARIABLES) and not integrable(form, VARIABLES)

    forward, along_circle, turn_ = [sympy.cos(ANGLE), sympy.sin(ANGLE), 0], [-Y, X, 0], [0, 0, 1]
    assert sympy.simplify(sympy.Matrix([form]) * sympy.Matrix([forward, turn_]).T).is_zero_matrix
    for motion, reached in ((forward, 3), (along_circle, 2)):
        assert sympy.Matrix([motion, turn_]).rank() == 2
        assert sympy.Matrix([motion, turn_, list(bracket(motion, turn_, VARIABLES))]).rank() == reached

    q, qd, t_0 = sympy.symbols("x y"), sympy.symbols("xd yd"), 0.4
    phi = (q[0] - sympy.sin(3 * TIME)) ** 2 + q[1] ** 3 * sympy.cos(TIME)
    rng = np.random.default_rng(330)
    start, rate, second = rng.normal(size=(3, 2))

    def along(t):
        x, y = start + (t - t_0) * rate + (t - t_0) ** 2 / 2 * second
        return (x - np.sin(3 * t)) ** 2 + y**3 * np.cos(t)

    values = {**dict(zip(q, start, strict=True)), **dict(zip(qd, rate, strict=True)), TIME: t_0}
    K, k = (np.array(sympy.Matrix(part).subs(values), float) for part in implicit_constraint([phi], q, qd, TIME))
    assert_allclose(K @ rate + float(phi.diff(TIME).subs(values)), derivative(along, t_0), rtol=1e-12)
    assert_allclose(K @ second - k.ravel(), helpers.second_derivative(along, t_0), rtol=1e-7)
    assert integrable([phi.diff(x) for x in (*q, TIME)], [*q, TIME])

    pivot, circle = sympy.sin(3 * TIME), X**2 + Y**2 - 1
    shifted = circle.subs(X, X - pivot)
    for expected, rates in {
        "scleronomic": (rate_of(circle), rate_of(X * sympy.cos(ANGLE) + Y), rate_of(circle) * (2 + X)),
        "rheonomic": (rate_of(shifted), rate_of(ANGLE - pivot)),
        "nonholonomic": (KNIFE_EDGE, KNIFE_EDGE - sympy.cos(TIME)),
    }.items():
        for rate in rates:
            assert classify(rate) == expected, rate
    assert circle.diff(TIME) == 0 != shifted.diff(TIME)


def bracket(f, g, variables):
    return sympy.Matrix(g).jacobian(variables) * sympy.Matrix(f) - sympy.Matrix(f).jacobian(variables) * sympy.Matrix(g)


def prescribed(axis_motion):
    """A slider along x whose displacement is a given function of time: no freedom, but a bias velocity."""
    displacement, rate, second = axis_motion

    def along(value):
        return np.array([0, 0, 0, value, 0, 0])

    return Custom(0, lambda q, t: xlt([displacement(t), 0, 0]), S=lambda q, t: np.zeros((6, 0)),
                  sigma=lambda q, t: along(rate(t)), c_J=lambda q, qd, t: along(second(t)), name="driven")


@pytest.mark.source("RBDA-S3.4-2", "RBDA-S3.4-3", "RBDA-F3.2")
def test_a_freedom_prescribed_in_time_is_none_and_acts_like_a_known_acceleration():
    rng = np.random.default_rng(342)
    tree = random_tree(rng, 3, parent=[0, 1, 2])
    kinds, axes = ["revolute", "prismatic", "revolute"], [tree.axes[0], np.array([1.0, 0, 0]), tree.axes[2]]
    tree = helpers.Tree(tree.parent, kinds, axes, tree.poses, tree.bodies, tree.gravity)
    t = 0.7
    shake = (lambda t: 0.3 * np.sin(2 * t), lambda t: 0.6 * np.cos(2 * t), lambda t: -1.2 * np.sin(2 * t))
    model = tree.model()
    driven = model.replace(joints=[model.joints[1], prescribed(shake), model.joints[3]])
    free, tau = np.array([0, 2]), rng.normal(size=2)
    q, qd = rng.normal(size=(2, 3))
    q[1], qd[1] = shake[0](t), shake[1](t)
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    expected = np.linalg.solve(H[np.ix_(free, free)], tau - C[free] - H[free, 1] * shake[2](t))
    motion = solve_system(driven, q[free], qd[free], tau, t=t)
    close(motion.qdd, expected, 1e-9)
    driving = H[1, 1] * shake[2](t) + H[1, free] @ expected + C[1]
    assert_allclose(np.linalg.inv(motion.system.X_0[2])[:, 3] @ motion.f_J[2], driving, rtol=1e-9)

    half_driven = Custom(1, lambda q, t: rotz(q[0]) @ xlt([0, 0, t**2]))
    for joint, freedoms in ((Cylindrical(), 2), (Prismatic(), 1), (half_driven, 1),
                            (prescribed((np.sin, np.cos, lambda t: -np.sin(t))), 0)):
        q = joint.random_position(np.random.default_rng(343))
        S, T = joint.motion_subspace(q, 0.3), joint.constraint_subspace(q, 0.3)
        assert S.shape == (6, subspaces.dimension(S)) and T.shape == (6, subspaces.dimension(T))
        assert spaces.is_orthogonal(S, T) and (S.shape[1], T.shape[1]) == (freedoms, 6 - freedoms), joint
    close(half_driven.bias_velocity(np.array([0.2]), 0.3), [0, 0, 0, 0, 0, 0.6])
    close(Cylindrical().motion_subspace(np.zeros(2)), np.eye(6)[:, [2, 5]])
    close(Prismatic().motion_subspace(np.zeros(1)), np.eye(6)[:, [5]])


@pytest.mark.source("RBDA-S3.4-4", "RBDA-F3.2")
def test_string_around_three_discs():
    rng = np.random.default_rng(344)
    r, centres = 0.4, 3 * rng.normal(size=(3, 2))

    def lengths(q):
        c = q.reshape(3, 2)
        return sum(np.sqrt(((c[i] - c[i - 1]) ** 2).sum()) for i in range(3))

    angles = np.linspace(0, 2 * np.pi, 4001)[:-1]
    rims = (centres[:, None] + r * np.stack([np.cos(angles), np.sin(angles)], axis=1)).reshape(-1, 2)
    hull = rims[ConvexHull(rims).vertices]
    perimeter = np.linalg.norm(hull - np.roll(hull, 1, axis=0), axis=1).sum()
    assert_allclose(lengths(centres.ravel()) + 2 * np.pi * r, perimeter, rtol=1e-6)

    q = centres.ravel()
    K = np.array([[derivative(lambda t, e=e: lengths(q + t * e)) for e in np.eye(6)]])
    assert (np.abs(K.reshape(3, 2)).max(axis=1) > 0.1).all(), "all three bodies take part"
    qd = null_space(K) @ rng.normal(size=5)
    k = [-helpers.second_derivative(lambda t: lengths(q + t * qd))]
    motion = apply_implicit_constraint(np.diag([1, 1, 2, 2, 3, 3.0]), np.zeros(6), rng.normal(size=6), K, k)
    assert abs(helpers.second_derivative(lambda t: lengths(q + t * qd + t * t / 2 * motion.qdd))) < 1e-7
    close(motion.tau_c.reshape(3, 2).sum(axis=0), np.zeros(2), 1e-10)


@pytest.mark.source("RBDA-S3.4-5", "RBDA-F3.2")
def test_rolling_sphere_has_three_velocities_and_five_positions():
    r = 0.3
    R = sympy.Matrix(3, 3, sympy.symbols("r:9"))
    variables = [*R, *sympy.symbols("px py")]

    def rolling(axis):
        omega = sympy.Matrix(axis)
        turning = [omega.cross(R[:, j])[i] for i in range(3) for j in range(3)]
        return [*turning, *omega.cross(sympy.Matrix([0, 0, r]))[:2]]

    fields = [rolling(axis) for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    once = [list(bracket(f, g, variables)) for f, g in combinations(fields, 2)]
    twice = [list(bracket(f, g, variables)) for f in fields for g in once]
    at = dict(zip(R, helpers.random_rotation(np.random.default_rng(345)).ravel(), strict=True))

    def rank(vectors):
        return np.linalg.matrix_rank(np.array(sympy.Matrix(vectors).subs(at), float), tol=1e-9)

    assert rank(fields) == 3
    assert rank([*fields, *once, *twice]) == 5

    contact = np.hstack([np.cross([0, 0, -r], np.eye(3)), np.eye(3)])
    assert_allclose(contact @ [1, 0, 0, 0, -r, 0], 0, atol=1e-15)
    assert 6 - subspaces.dimension(contact.T) == 3, "no slip: the velocity of the touching point vanishes"
    assert 6 - subspaces.dimension(contact[2:].T) == 5, "free to slide: only its normal part vanishes"


@pytest.mark.source("RBDA-S3.4-6", "RBDA-F3.1")
def test_the_sign_of_the_multiplier_says_whether_contact_would_last():
    radius, m, g = 0.6, 1.2, 9.81

    def normal_force(height):
        """Of a bead that has slid, without friction, from the top of a ball down to radius * height."""
        y = radius * height
        x, speed = np.sqrt(radius**2 - y**2), np.sqrt(2 * g * (radius - y))
        velocity = speed * np.array([y, -x]) / radius
        K, k = [[x / radius, y / radius]], [-(velocity @ velocity) / radius]
        return apply_implicit_constraint(m * np.eye(2), [0, m * g], [0, 0], K, k).lam[0]

    for height in (0.99, 0.8, 0.5, 0.2):
        assert_allclose(normal_force(height), m * g * (3 * height - 2), rtol=1e-10)
    assert normal_force(0.70) > 0 > normal_force(0.63) and abs(normal_force(2 / 3)) < 1e-10
