"""RBDA 6.1 to 6.3 row by row: the joint-space inertia matrix, the composite-rigid-body algorithm, its physical meaning.

What is expected comes from mechanisms of every joint type in motion, by 3D geometry (`tests.sources.ch06_systems`).
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import bias_force, rnea
from rbdlib.articulated_body import aba
from rbdlib.complexity import count_operations
from rbdlib.factorisation import ltdl
from rbdlib.generators import auto_tree, binary_tree, gu
from rbdlib.inertia_matrix import (
    by_columns,
    by_crba,
    by_crba_ltl,
    by_differential_inverse_dynamics,
    by_inverse_dynamics,
    composite_inertias,
    crba,
    differential_inverse_dynamics,
    expanded_parent,
    inertia_matrix_by_columns,
    joints_at,
)
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Revolute
from rbdlib.kinematics import body_velocities, kinetic_energy
from rbdlib.spatial import I_to_mcI
from tests.sources.ch06_systems import (
    BINARY,
    CASES,
    accelerated,
    as_one_body,
    body_axes,
    body_inertia,
    force_matrix,
    inertia,
    mass_matrix,
    momentum_matrix,
    motion_matrix,
    operations_that_matter,
    system,
)
from tests.sources.ch07_systems import near
from tests.sources.helpers import close, force_carried, random_tree

EVERY_WAY = [by_inverse_dynamics, by_differential_inverse_dynamics, by_columns, by_crba, by_crba_ltl]


@pytest.fixture(scope="module", params=CASES, ids="{0[0]}".format)
def moving(request):
    return system(*request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def blocks(moving, H):
    """{(i, j): H_ij}: rows p_(i-1) + 1 to p_i, columns p_(j-1) + 1 to p_j, p_i the freedoms of joints 1 to i."""
    p = np.cumsum([0, *(np.linalg.matrix_rank(moving.way(i)) if moving.way(i).size else 0 for i in moving.bodies)])
    assert H.shape == (p[-1], p[-1])
    return {(i, j): H[p[i - 1] : p[i], p[j - 1] : p[j]] for i in moving.bodies for j in moving.bodies}


def agree_blockwise(moving, H, expected):
    """Compare each H_ij with expected(i, j) for j that supports i, with its transpose, or with zero."""
    for (i, j), H_ij in blocks(moving, H).items():
        if j in moving.ancestors(i):
            near(H_ij, expected(i, j), 1e-9)
        elif i in moving.ancestors(j):
            near(H_ij, expected(j, i).T, 1e-9)
        else:
            assert_array_equal(H_ij, np.zeros(H_ij.shape))


def at_rest(moving, qdd):
    """The mechanism at rest, accelerating."""
    return accelerated(moving, 0 * moving.qd, qdd)


def joint_forces_at_rest(moving, qdd):
    """What the joints supply if the system is at rest and nothing acts but they."""
    return at_rest(moving, qdd).joint_forces(gravity=False, external=False)


def each_variable(moving):
    """The number of each variable, its joint, s_alpha in the world and the mechanism at rest with qdd = delta_alpha."""
    for i in moving.bodies:
        for k, alpha in enumerate(range(moving.model.nv)[moving.model.v_slice(i)]):
            yield alpha, i, moving.way(i)[:, k], at_rest(moving, np.eye(moving.model.nv)[alpha])


# 6.1 The joint-space inertia matrix


@pytest.mark.source("RBDA-6.1", "RBDA-6.2", "RBDA-6.3", "RBDA-S6.1-3", "RBDA-AS6.1-1")
def test_joint_forces_are_H_qdd_and_a_rest_that_does_not_depend_on_qdd(moving):
    """d'Alembert's tau in six motions from the same q; H knows neither velocities nor forces.

    The forces that make the mechanism move as it does give its accelerations back.
    """
    rng, nv, model = np.random.default_rng(61), moving.model.nv, moving.model
    H = mass_matrix(moving)
    near(crba(model, moving.q), H)
    for qd in (moving.qd, rng.normal(size=nv), np.zeros(nv)):
        C = accelerated(moving, qd, np.zeros(nv)).joint_forces()
        near(bias_force(model, moving.q, qd, moving.f_ext), C)
        qdd = rng.normal(size=nv)
        tau = accelerated(moving, qd, qdd).joint_forces()
        near(tau, H @ qdd + C)
        near(np.linalg.solve(H, tau - C), qdd, 1e-7)
        near(rnea(model, moving.q, qd, qdd, moving.f_ext), tau)
        for forward_dynamics in EVERY_WAY:
            near(forward_dynamics(model, moving.q, qd, tau, moving.f_ext), qdd, 1e-7)
    near(joint_forces_at_rest(moving, moving.qdd), H @ moving.qdd)
    weightless = model.replace(gravity=(0, 0, 0))
    assert_array_equal(bias_force(weightless, moving.q, np.zeros(nv)), np.zeros(nv))


@pytest.mark.source("RBDA-S6.1-2", "RBDA-S6.1-4", "RBDA-6.14", "RBDA-A6.2", "RBDA-T6.2", "RBDA-AS6.3-1")
def test_H_is_symmetric_positive_definite_and_made_of_blocks(moving):
    """The place of each block follows from the ranks of the S_i; S_iᵀ I_c S_j is what one mass of bodies would have.

    By the composite-rigid-body algorithm, by its first derivation, column by column, and by geometry alone.
    """
    model, q = moving.model, moving.q
    H, by_steps = crba(model, q), inertia_matrix_by_columns(model, q)
    close(H, H.T, 1e-13)
    assert np.linalg.eigvalsh(H)[0] > 0
    near(H, mass_matrix(moving))
    near(moving.qd @ H @ moving.qd / 2, moving.kinetic_energy())
    near(np.column_stack([differential_inverse_dynamics(model, q, delta) for delta in np.eye(model.nv)]), H, 1e-11)
    near(by_steps, H, 1e-11)
    assert_array_equal(by_steps, by_steps.T)

    def expected(i, j):
        return moving.way(i).T @ momentum_matrix(*as_one_body(moving, moving.subtree(i))) @ moving.way(j)

    for matrix in (H, by_steps, blockwise_zeros(moving)):
        agree_blockwise(moving, matrix, expected)
    for j in moving.bodies:
        qdd = np.zeros(moving.model.nv)
        qdd[moving.model.v_slice(j)] = moving.qdd[moving.model.v_slice(j)]
        tau = joint_forces_at_rest(moving, qdd)
        for i in moving.bodies:
            H_ij = blocks(moving, H)[i, j]
            near(tau[moving.model.v_slice(i)], H_ij @ qdd[moving.model.v_slice(j)])


@pytest.mark.source("RBDA-6.4")
def test_differential_inverse_dynamics_is_a_difference_in_which_velocity_and_forces_cancel(moving):
    """By geometry: d'Alembert's forces with and without qdd, at two velocities, with gravity and other forces."""
    found = differential_inverse_dynamics(moving.model, moving.q, moving.qdd)
    for qd in (moving.qd, -2 * moving.qd):
        change = accelerated(moving, qd, moving.qdd).joint_forces() - accelerated(moving, qd, 0 * qd).joint_forces()
        near(found, change)
        f_ext = np.random.default_rng(64).normal(size=moving.f_ext.shape)
        tau = [rnea(moving.model, moving.q, qd, qdd, f_ext) for qdd in (moving.qdd, 0 * qd)]
        near(found, tau[0] - tau[1], 1e-11)
    near(found, mass_matrix(moving) @ moving.qdd)


@pytest.mark.source("RBDA-T6.1", "RBDA-A6.1")
def test_equations_and_listing_of_differential_inverse_dynamics(moving):
    """Table 6.1's equations, with the sum over children and transforms by geometry, and the listing."""
    a, f, tau = {0: np.zeros(6)}, {}, np.zeros(moving.model.nv)
    for i in moving.bodies:
        at, p = moving.model.v_slice(i), moving.parent[i]
        a[i] = motion_matrix(moving, i, p) @ a[p] + body_axes(moving, i) @ moving.qdd[at]
    for i in reversed(moving.bodies):
        children = [j for j in moving.bodies if moving.parent[j] == i]
        f[i] = body_inertia(moving, i) @ a[i] + sum((force_matrix(moving, i, j) @ f[j] for j in children), np.zeros(6))
        tau[moving.model.v_slice(i)] = body_axes(moving, i).T @ f[i]
    near(tau, joint_forces_at_rest(moving, moving.qdd))
    near(differential_inverse_dynamics(moving.model, moving.q, moving.qdd), tau, 1e-9)


def multiplications(function, *arguments):
    return count_operations(function, *arguments)[0]["m"]


@pytest.mark.source("RBDA-Q6.1-1")
def test_n_columns_cost_more_than_the_composite_rigid_body_algorithm():
    """Multiplications, with 6 x 6 matrices multiplied out, whose congruence is dear, from n = 5 on, and ever more so.

    Those of the transforms are left out, which both take over from the calculation of C.
    """
    ratios = []
    for n in (2, 5, 8, 12, 20):
        model, q = auto_tree(n), np.linspace(0.1, 1, n)
        given, of_column, of_crba = (multiplications(lambda q, f=f, m=model: f(m, q), q) for f in (
            joints_at, lambda model, q: differential_inverse_dynamics(model, q, np.eye(model.nv)[0]), crba))
        ratios.append(n * (of_column - given) / (of_crba - given))
    assert ratios[1] > 1 and ratios[-1] > 2
    assert sorted(ratios) == ratios


# 6.2 The composite-rigid-body algorithm


@pytest.mark.source("RBDA-6.5", "RBDA-6.6", "RBDA-6.7", "RBDA-6.8", "RBDA-6.10", "RBDA-6.11")
def test_kinetic_energy_of_the_bodies_by_pairs_of_joints_and_by_H(moving):
    """The energy of the mechanism is that of masses moved by v_C and of moments of inertia turned by omega.

    It is a sum over pairs of joints and the bodies that both move, and H_ij one over the bodies that both support.
    """
    T, bodies, model = 0.0, moving.bodies, moving.model
    of_joint = {i: moving.way(i) @ moving.qd[model.v_slice(i)] for i in bodies}
    for k in bodies:
        v = sum((of_joint[i] for i in moving.ancestors(k) - {0}), np.zeros(6))
        near(v, moving.v[k])
        m, c, I_C = moving.mechanism.bodies[k - 1]
        R, p = moving.poses[k]
        omega, v_C = R.T @ v[:3], v[3:] + np.cross(v[:3], p + R @ c)
        T += (m * v_C @ v_C + omega @ I_C @ omega) / 2
    v, H = body_velocities(model, moving.q, moving.qd), crba(model, moving.q)
    near(sum(v[k] @ model.inertia[k] @ v[k] for k in bodies) / 2, T)
    near(kinetic_energy(model, moving.q, moving.qd), T)
    near(moving.qd @ H @ moving.qd / 2, T)

    moved_by = {i: {k for k in bodies if np.any(np.abs(moving.ways[k][:, model.v_slice(i)]) > 1e-6)}
                if moving.way(i).size else set(moving.subtree(i)) for i in bodies}
    by_body = [(i, j, k) for k in bodies for i in model.kappa(k) for j in model.kappa(k)]
    by_pair = [(i, j, k) for i in bodies for j in bodies for k in moved_by[i] & moved_by[j]]
    assert sorted(by_body) == sorted(by_pair)
    near(sum(of_joint[i] @ inertia(moving, k) @ of_joint[j] for i, j, k in by_pair) / 2, T)

    for (i, j), H_ij in blocks(moving, H).items():
        common = set(moving.subtree(i)) & set(moving.subtree(j))
        terms = (moving.way(i).T @ inertia(moving, k) @ moving.way(j) for k in common)
        near(H_ij, sum(terms, np.zeros(H_ij.shape)), 1e-9)


@pytest.mark.source("RBDA-6.9")
def test_two_subtrees_are_one_inside_the_other_or_apart(rng):
    for _ in range(5):
        model = random_tree(rng, 8).model()
        for i in model.bodies:
            for j in model.bodies:
                common = set(model.nu(i)) & set(model.nu(j))
                assert common == {k for k in model.bodies if {i, j} <= set(model.kappa(k))}
                assert common == set(model.nu(i) if i in model.nu(j) else model.nu(j) if j in model.nu(i) else [])


@pytest.mark.source("RBDA-6.15", "RBDA-6.16")
def test_composite_inertias_and_H_of_a_chain():
    n, I_c, chain = 5, {6: np.zeros((6, 6))}, system("angles", tuple(range(5)))
    for i in range(n, 0, -1):
        I_c[i] = inertia(chain, i) + I_c[i + 1]
        near(I_c[i], momentum_matrix(*as_one_body(chain, range(i, n + 1))), 1e-11)
    for H in (crba(chain.model, chain.q), mass_matrix(chain)):
        for (i, j), H_ij in blocks(chain, H).items():
            near(H_ij, chain.way(i).T @ I_c[max(i, j)] @ chain.way(j), 1e-9)


@pytest.mark.source("RBDA-6.12", "RBDA-6.13", "RBDA-6.17", "RBDA-AS6.2-1", "RBDA-AS6.2-2")
def test_composite_inertias_are_those_of_the_subtrees_as_one_body(moving):
    """By mass, centre and the theorem of parallel axes; and by sums in the world.

    In body coordinates by the loop over children and by that which uses parents, with transforms by geometry.
    """
    by_children, by_parents = {}, {i: body_inertia(moving, i) for i in moving.bodies}
    for i in reversed(moving.bodies):
        by_children[i] = body_inertia(moving, i)
        for j in (j for j in moving.bodies if moving.parent[j] == i):
            by_children[i] = by_children[i] + force_matrix(moving, i, j) @ by_children[j] @ motion_matrix(moving, j, i)
        p = moving.parent[i]
        if p != 0:
            by_parents[p] = by_parents[p] + force_matrix(moving, p, i) @ by_parents[i] @ motion_matrix(moving, i, p)
    found = composite_inertias(moving.model, moving.q)
    for i in moving.bodies:
        m, c, I_C = as_one_body(moving, moving.subtree(i))
        R, p = moving.poses[i]
        of_body = m, R.T @ (c - p), R.T @ I_C @ R
        for I_c in (by_children[i], by_parents[i], found[i]):
            near(I_c, momentum_matrix(*of_body), 1e-9)
        near(sum(inertia(moving, j) for j in moving.subtree(i)), momentum_matrix(m, c, I_C), 1e-11)
        for actual, expected in zip(I_to_mcI(found[i]), of_body, strict=True):
            near(actual, expected, 1e-9)


@pytest.mark.source("RBDA-6.18", "RBDA-6.19", "RBDA-6.20", "RBDA-T6.2")
def test_H_in_body_coordinates_and_by_forces_carried_to_the_base(moving):
    """The three forms of the table, with transforms and composite inertias by geometry, and the listing's H."""
    I_c, S = {}, {i: body_axes(moving, i) for i in moving.bodies}
    for i in moving.bodies:
        m, c, I_C = as_one_body(moving, moving.subtree(i))
        R, p = moving.poses[i]
        I_c[i] = momentum_matrix(m, R.T @ (c - p), R.T @ I_C @ R)
    F = {}
    for i in moving.bodies:
        F[i, i], j = I_c[i] @ S[i], i
        while moving.parent[j] != 0:
            p = moving.parent[j]
            F[i, p] = force_matrix(moving, p, j) @ F[i, j]
            j = p
            near(F[i, j], force_matrix(moving, j, i) @ I_c[i] @ S[i], 1e-11)
    for H in (crba(moving.model, moving.q), blockwise_zeros(moving)):
        agree_blockwise(moving, H, lambda i, j: S[i].T @ I_c[i] @ motion_matrix(moving, i, j) @ S[j])
        agree_blockwise(moving, H, lambda i, j: (S[j].T @ force_matrix(moving, j, i) @ I_c[i] @ S[i]).T)
        agree_blockwise(moving, H, lambda i, j: F[i, j].T @ S[j])


def blockwise_zeros(moving):
    """The mass matrix by geometry; what is zero in it but for numerical differentiation is set to zero."""
    H = mass_matrix(moving)
    return np.where(np.abs(H) > 1e-8, H, 0)


# Costs (RBDA 6.0, 6.1, 6.2)


def d_1(model):
    return sum(len(model.kappa(i)) - 1 for i in model.bodies)


def crba_cost(model):
    """Multiplications, the inertias being counted numbers too, so that all bodies cost the same."""
    return multiplications(lambda q, I: crba(model.replace(inertia=list(I)), q), np.linspace(0.1, 1, model.nq),
                           np.array(model.inertia[1:]))


def hinged(rng, parent):
    """A tree with hinges about local z axes, so that only its connectivity decides what is computed."""
    n = len(parent)
    return random_tree(rng, n, parent).model(joints=[Revolute("z")] * n)


@pytest.mark.source("RBDA-S6.2-1")
def test_the_inner_loop_runs_D_1_times_and_H_has_2_D_1_elements_off_the_diagonal(rng):
    """Costs per body, per body with a parent and per turn of the loop, found on small trees, fit all trees exactly."""
    body, two, three = (crba_cost(hinged(rng, range(n))) for n in (1, 2, 3))
    turn = three - 2 * two + body
    with_parent = two - 2 * body - turn
    assert min(body, turn, with_parent) > 0
    for parent in (BINARY, range(7), [int(rng.integers(0, i)) for i in range(1, 10)]):
        n, tree = len(parent), random_tree(rng, len(parent), parent)
        model, q = tree.model(joints=[Revolute("z")] * n), rng.normal(size=n)
        depth = max(len(model.kappa(i)) for i in model.bodies)
        rest = n * body + with_parent * sum(p != 0 for p in parent)
        assert (crba_cost(model) - rest) / turn == d_1(model) <= n * (depth - 1)
        for H in (tree.mass_matrix(q), crba(tree.model(), q)):
            elements = np.count_nonzero(np.abs(H) > 1e-12)
            assert elements == n + 2 * d_1(model) and (parent is not BINARY or elements == 27)


def costs_of_steps(model):
    """Multiplications of the three steps: C, H, and the factorisation, whose H is given."""
    q, qd, parent = np.linspace(0.1, 1, model.nq), np.linspace(1, 2, model.nv), expanded_parent(model)
    C = multiplications(lambda q, qd: bias_force(model, q, qd), q, qd)
    return C, crba_cost(model), multiplications(lambda H: ltdl(H, parent)[0], crba(model, q))


@pytest.mark.source("RBDA-S6.0-1", "RBDA-S6.1-1")
def test_orders_of_the_three_steps():
    """C is linear in n always; H and its factors are quadratic and cubic on a chain, linear where depth is bounded."""
    sizes = range(2, 8)
    on_chains = np.array([costs_of_steps(auto_tree(n)) for n in sizes])
    assert_array_equal(np.diff(on_chains[:, 0], 2), 0)
    assert_array_equal(np.diff(on_chains[:, 1], 3), 0)
    assert_array_equal(np.diff(on_chains[:, 2], 4), 0)
    assert np.all(np.diff(on_chains[:, 1], 2) > 0) and np.all(np.diff(on_chains[:, 2], 3) > 0)
    shallow = np.array([costs_of_steps(auto_tree(3 * n).replace(parent=[max(i - 2 * n, 0) if i > 2 * n else
                        max(i - n, 0) for i in range(1, 3 * n + 1)])) for n in (1, 2, 3, 4)])
    assert_array_equal(np.diff(shallow, 2, axis=0), 0)
    assert np.all(np.diff(shallow, axis=0) > 0)


@pytest.mark.slow
@pytest.mark.source("RBDA-S6.0-1")
def test_costs_on_binary_trees_grow_as_n_log_n_and_n_log_squared():
    """Per body, H costs in the end 42 multiplications more for each level: 36 to carry a force on, 6 to use it.

    The factors cost half the square of the number of levels, whose second difference is 1.
    """
    depths = np.arange(2, 7)
    n, steps = 2.0**depths - 1, np.array([costs_of_steps(binary_tree(int(d))) for d in depths])
    of_H, of_factors = np.diff(steps[:, 1:] / n[:, None], axis=0).T
    assert np.all(np.diff(of_H) < 0) and 42 < of_H[-1] < 1.15 * 42
    close(np.diff(of_factors)[-2:], np.ones(2), 0.2)


@pytest.mark.slow
@pytest.mark.source("RBDA-S6.0-2")
def test_methods_of_the_inertia_matrix_keep_up_where_trees_are_small_or_shallow():
    """Operations of forward dynamics by H in units of those by articulated bodies.

    The transforms, which the calculations of C and H share in the book, are counted once.
    """
    def ratio(model):
        given = np.linspace(0.1, 1, model.nq), np.linspace(1, 2, model.nv), np.linspace(-1, 1, model.nv)
        by_H, by_bodies = (operations_that_matter(way, model, *given) for way in (by_crba, aba))
        return (by_H - operations_that_matter(joints_at, model, given[0])) / by_bodies

    chains = {n: ratio(gu(n)) for n in (2, 3, 4, 8, 15, 20)}
    assert all(chains[n] < 1.1 for n in (2, 3, 4, 8)), "few bodies"
    assert chains[4] < chains[8] < chains[15] < chains[20]
    assert chains[20] > 1.3, "many bodies"
    assert ratio(binary_tree(4, seed=1)) < 1.1 < chains[15], "as many bodies, but many branches"


# 6.3 A physical interpretation


@pytest.mark.source("RBDA-S6.3-1", "RBDA-S6.3-2", "RBDA-6.21", "RBDA-6.22", "RBDA-6.23", "RBDA-6.24", "RBDA-6.25",
                    "RBDA-F6.1")
def test_a_column_of_H_holds_the_forces_that_accelerate_one_variable(moving):
    """It accelerates its subtree, whose force passes unchanged to the base, as the figure colours them.

    Forces through the joints by recursion, carried to the world, against momentum and composite bodies.
    """
    model, nothing = moving.model.replace(gravity=(0, 0, 0)), np.zeros(moving.model.nv)
    H = crba(model, moving.q)
    for alpha, i, s_alpha, motion in each_variable(moving):
        tau = motion.joint_forces(gravity=False, external=False)
        near(H[:, alpha], tau)
        f = newton_euler(model, moving.q, nothing, np.eye(model.nv)[alpha]).f
        f_i = momentum_matrix(*as_one_body(moving, moving.subtree(i))) @ s_alpha
        near(f_i, sum(inertia(moving, k) @ s_alpha for k in moving.subtree(i)))
        accelerating, loaded = set(), set()
        for j in moving.bodies:
            a_j = s_alpha if j in model.nu(i) else np.zeros(6)
            near(motion.a[j], a_j)
            near(motion.net[j], inertia(moving, j) @ a_j)
            near(motion.a[j] - motion.a[moving.parent[j]], s_alpha if j == i else np.zeros(6))
            if j in moving.subtree(i):
                f_j = momentum_matrix(*as_one_body(moving, moving.subtree(j))) @ s_alpha
            else:
                f_j = f_i if j in moving.ancestors(i) else np.zeros(6)
            transmitted = sum(motion.net[k] for k in moving.subtree(j))
            near(transmitted, f_j)
            near(force_carried(f[j], moving.poses[j]), f_j)
            near(tau[model.v_slice(j)], moving.way(j).T @ f_j)
            accelerating |= {j} if np.abs(motion.a[j]).max() > 1e-6 else set()
            loaded |= {j} if np.abs(transmitted - f_i).max() < 1e-6 * np.abs(f_i).max() else set()
        assert accelerating == set(moving.subtree(i)) == set(model.nu(i))
        assert set(model.kappa(i)) <= loaded
