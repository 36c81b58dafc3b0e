"""RBDA 6.1 to 6.3 row by row: the joint-space inertia matrix, the composite-rigid-body algorithm, its physical meaning.
What is expected comes from mechanisms of every joint type in motion, by 3D geometry (`tests.sources.ch06_systems`)."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import aba, bias_force, crba, forward_dynamics, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.analysis.operation_counts import cost_of, depths
from rbdlib.book.ch02_spatial import I_to_mcI, mcI
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import body_velocities, joints_at, kinetic_energy
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_factorisation import ltdl
from rbdlib.book.ch06_inertia_matrix import differential_inverse_dynamics, expanded_parent
from rbdlib.compile.executer import record
from rbdlib.methods import joint_space
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from rbdlib.methods.joint_space import composite_inertias
from tests.sources import ch06_systems as systems
from tests.sources.ch07_systems import near
from tests.sources.helpers import close, force_carried, random_tree


@pytest.fixture(scope="module", params=systems.CASES, ids="{0[0]}".format)
def moving(request):
    return systems.system(*request.param)


def at_rest(moving, qdd):
    """The mechanism at rest, accelerating."""
    return systems.accelerated(moving, 0 * moving.qd, qdd)


def blocks(moving, H):
    """{(i, j): H_ij}: rows p_(i-1) + 1 to p_i, columns p_(j-1) + 1 to p_j, p_i the freedoms of joints 1 to i."""
    p = np.cumsum([0, *(np.linalg.matrix_rank(moving.way(i)) if moving.way(i).size else 0 for i in moving.bodies)])
    assert H.shape == (p[-1], p[-1])
    return {(i, j): H[p[i - 1] : p[i], p[j - 1] : p[j]] for i in moving.bodies for j in moving.bodies}


# 6.1 The joint-space inertia matrix

@pytest.mark.source("RBDA-6.1", "RBDA-6.2", "RBDA-6.3", "RBDA-S6.1-3", "RBDA-AS6.1-1")
def test_joint_forces_are_H_qdd_and_a_rest_that_does_not_depend_on_qdd(moving):
    """d'Alembert's tau in six motions from the same q; H knows neither velocities nor forces. The forces that make the
    mechanism move as it does give its accelerations back."""
    rng, nv, model = np.random.default_rng(61), moving.model.nv, moving.model
    H = systems.mass_matrix(moving)
    near(crba(model, moving.q), H)
    for qd in (moving.qd, rng.normal(size=nv), np.zeros(nv)):
        C = systems.accelerated(moving, qd, np.zeros(nv)).joint_forces()
        near(bias_force(model, moving.q, qd, moving.f_ext), C)
        for ours, expected in zip(joint_space.inertia_and_bias(model, moving.q, qd, moving.f_ext), (H, C), strict=True):
            near(ours, expected)
        qdd = rng.normal(size=nv)
        tau = systems.accelerated(moving, qd, qdd).joint_forces()
        near(tau, H @ qdd + C)
        near(np.linalg.solve(H, tau - C), qdd, 1e-7)
        near(rnea(model, moving.q, qd, qdd, moving.f_ext), tau)
        for way in ("inverse_dynamics", "differential_inverse_dynamics", "columns", "crba", "crba_ltl"):
            near(forward_dynamics(model, moving.q, qd, tau, moving.f_ext, way), qdd, 1e-7)
    near(at_rest(moving, moving.qdd).joint_forces(gravity=False, external=False), H @ moving.qdd)
    weightless = model.replace(gravity=(0, 0, 0))
    assert_array_equal(bias_force(weightless, moving.q, np.zeros(nv)), np.zeros(nv))


@pytest.mark.source("RBDA-S6.1-2", "RBDA-S6.1-4", "RBDA-6.9", "RBDA-6.14", "RBDA-6.18", "RBDA-6.19", "RBDA-6.20",
                    "RBDA-A6.2", "RBDA-T6.2", "RBDA-AS6.3-1")
def test_H_is_symmetric_positive_definite_and_made_of_blocks(moving):
    """The place of each block follows from the ranks of the S_i; S_iᵀ I_c S_j is what one mass of bodies would have. By
    the composite-rigid-body algorithm, by its first derivation, column by column, and by geometry alone. The three
    forms of the table, with transforms and composite inertias by geometry: in the world, in body coordinates, and by
    forces that are carried to the base."""
    model, q, I_c, S, F = moving.model, moving.q, {}, {}, {}
    H, by_steps = crba(model, q), joint_space.inertia_matrix_by_columns(model, q)
    by_geometry = systems.mass_matrix(moving)
    close(H, H.T, 1e-13)
    assert np.linalg.eigvalsh(H)[0] > 0
    near(H, by_geometry)
    near(moving.qd @ H @ moving.qd / 2, moving.kinetic_energy())
    near(np.column_stack([differential_inverse_dynamics(model, q, delta) for delta in np.eye(model.nv)]), H, 1e-11)
    near(by_steps, H, 1e-11)
    assert_array_equal(by_steps, by_steps.T)
    for i in moving.bodies:
        I_c[i], S[i], j = composite_in_body(moving, i), systems.body_axes(moving, i), i
        F[i, i] = I_c[i] @ S[i]
        while moving.parent[j] != 0:
            p = moving.parent[j]
            F[i, p] = systems.force_matrix(moving, p, j) @ F[i, j]
            j = p
            near(F[i, j], systems.force_matrix(moving, j, i) @ I_c[i] @ S[i], 1e-11)
    for matrix in (H, by_steps, np.where(np.abs(by_geometry) > 1e-8, by_geometry, 0)):
        for (i, j), H_ij in blocks(moving, matrix).items():
            common = set(model.nu(i)) & set(model.nu(j))
            if not common:
                assert i not in moving.subtree(j) and j not in moving.subtree(i)
                assert_array_equal(H_ij, np.zeros(H_ij.shape))
                continue
            i, j, H_ij = (i, j, H_ij) if i in moving.subtree(j) else (j, i, H_ij.T)
            assert common == set(moving.subtree(i))
            whole = systems.momentum_matrix(*systems.as_one_body(moving, moving.subtree(i)))
            for expected in (moving.way(i).T @ whole @ moving.way(j),
                             S[i].T @ I_c[i] @ systems.motion_matrix(moving, i, j) @ S[j],
                             (S[j].T @ systems.force_matrix(moving, j, i) @ I_c[i] @ S[i]).T, F[i, j].T @ S[j]):
                near(H_ij, expected, 1e-9)
    for j in moving.bodies:
        qdd, at = np.zeros(model.nv), model.v_slice(j)
        qdd[at] = moving.qdd[at]
        tau = at_rest(moving, qdd).joint_forces(gravity=False, external=False)
        for i in moving.bodies:
            near(tau[model.v_slice(i)], blocks(moving, H)[i, j] @ qdd[at])


def composite_in_body(moving, i):
    """The inertia of the subtree of body i as one body, in the coordinates of body i."""
    (m, c, I_C), (R, p) = systems.as_one_body(moving, moving.subtree(i)), moving.poses[i]
    return systems.momentum_matrix(m, R.T @ (c - p), R.T @ I_C @ R)


@pytest.mark.source("RBDA-6.4")
def test_differential_inverse_dynamics_is_a_difference_in_which_velocity_and_forces_cancel(moving):
    """By geometry: d'Alembert's forces with and without qdd, at two velocities, with gravity and other forces."""
    found = differential_inverse_dynamics(moving.model, moving.q, moving.qdd)
    for qd in (moving.qd, -2 * moving.qd):
        tau, tau_0 = (systems.accelerated(moving, qd, qdd).joint_forces() for qdd in (moving.qdd, 0 * qd))
        near(found, tau - tau_0)
        f_ext = np.random.default_rng(64).normal(size=moving.f_ext.shape)
        tau = [rnea(moving.model, moving.q, qd, qdd, f_ext) for qdd in (moving.qdd, 0 * qd)]
        near(found, tau[0] - tau[1], 1e-11)
    near(found, systems.mass_matrix(moving) @ moving.qdd)


@pytest.mark.source("RBDA-T6.1", "RBDA-A6.1")
def test_equations_and_listing_of_differential_inverse_dynamics(moving):
    """Table 6.1's equations, with the sum over children and transforms by geometry, and the listing."""
    a, f, tau = {0: np.zeros(6)}, {}, np.zeros(moving.model.nv)
    for i in moving.bodies:
        at, p = moving.model.v_slice(i), moving.parent[i]
        a[i] = systems.motion_matrix(moving, i, p) @ a[p] + systems.body_axes(moving, i) @ moving.qdd[at]
    for i in reversed(moving.bodies):
        children = [j for j in moving.bodies if moving.parent[j] == i]
        f[i] = systems.body_inertia(moving, i) @ a[i]
        f[i] = sum((systems.force_matrix(moving, i, j) @ f[j] for j in children), f[i])
        tau[moving.model.v_slice(i)] = systems.body_axes(moving, i).T @ f[i]
    near(tau, at_rest(moving, moving.qdd).joint_forces(gravity=False, external=False))
    near(differential_inverse_dynamics(moving.model, moving.q, moving.qdd), tau, 1e-9)


def multiplications(function, *arguments):
    return count_operations(function, *arguments)[0]["m"]


@pytest.mark.source("RBDA-Q6.1-1")
def test_n_columns_cost_more_than_the_composite_rigid_body_algorithm():
    """Multiplications, with 6 x 6 matrices multiplied out, whose congruence is dear, from n = 5 on, and ever more so.
    Those of the transforms are left out, which both take over from the calculation of C."""
    ratios = []
    for n in (2, 5, 8, 12, 20):
        model, q = auto_tree(n), np.linspace(0.1, 1, n)
        given, of_crba, of_column = (multiplications(lambda q, f=f, m=model: f(m, q), q) for f in (
            joints_at, crba, lambda m, q: differential_inverse_dynamics(m, q, np.eye(m.nv)[0])))
        ratios.append(n * (of_column - given) / (of_crba - given))
    assert ratios[1] > 1 and ratios[-1] > 2
    assert sorted(ratios) == ratios


# 6.2 The composite-rigid-body algorithm

@pytest.mark.source("RBDA-6.5", "RBDA-6.6", "RBDA-6.7", "RBDA-6.8", "RBDA-6.10", "RBDA-6.11")
def test_kinetic_energy_of_the_bodies_by_pairs_of_joints_and_by_H(moving):
    """The energy of the mechanism is that of masses moved by v_C and of moments of inertia turned by omega. It is a sum
    over pairs of joints and the bodies that both move, and H_ij one over the bodies that both support."""
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
    near(sum(of_joint[i] @ systems.inertia(moving, k) @ of_joint[j] for i, j, k in by_pair) / 2, T)

    for (i, j), H_ij in blocks(moving, H).items():
        common = set(moving.subtree(i)) & set(moving.subtree(j))
        terms = (moving.way(i).T @ systems.inertia(moving, k) @ moving.way(j) for k in common)
        near(H_ij, sum(terms, np.zeros(H_ij.shape)), 1e-9)


@pytest.mark.source("RBDA-6.15", "RBDA-6.16")
def test_composite_inertias_and_H_of_a_chain():
    n, I_c, chain = 5, {6: np.zeros((6, 6))}, systems.system("angles", tuple(range(5)))
    for i in range(n, 0, -1):
        I_c[i] = systems.inertia(chain, i) + I_c[i + 1]
        near(I_c[i], systems.momentum_matrix(*systems.as_one_body(chain, range(i, n + 1))), 1e-11)
    for H in (crba(chain.model, chain.q), systems.mass_matrix(chain)):
        for (i, j), H_ij in blocks(chain, H).items():
            near(H_ij, chain.way(i).T @ I_c[max(i, j)] @ chain.way(j), 1e-9)


@pytest.mark.source("RBDA-6.12", "RBDA-6.13", "RBDA-6.17", "RBDA-AS6.2-1", "RBDA-AS6.2-2")
def test_composite_inertias_are_those_of_the_subtrees_as_one_body(moving):
    """By mass, centre and the theorem of parallel axes; and by sums in the world. In body coordinates by the loop over
    children and by that which uses parents, with transforms by geometry."""
    by_children, by_parents = {}, {i: systems.body_inertia(moving, i) for i in moving.bodies}
    for i in reversed(moving.bodies):
        by_children[i] = systems.body_inertia(moving, i)
        for j in (j for j in moving.bodies if moving.parent[j] == i):
            by_children[i] = by_children[i] + (
                systems.force_matrix(moving, i, j) @ by_children[j] @ systems.motion_matrix(moving, j, i))
        p = moving.parent[i]
        if p != 0:
            by_parents[p] = by_parents[p] + (
                systems.force_matrix(moving, p, i) @ by_parents[i] @ systems.motion_matrix(moving, i, p))
    found = composite_inertias(moving.model, moving.q)
    for i in moving.bodies:
        for I_c in (by_children[i], by_parents[i], found[i], mcI(*I_to_mcI(found[i]))):
            near(I_c, composite_in_body(moving, i), 1e-9)
        whole = systems.momentum_matrix(*systems.as_one_body(moving, moving.subtree(i)))
        near(sum(systems.inertia(moving, j) for j in moving.subtree(i)), whole, 1e-11)


# Costs (RBDA 6.0, 6.1, 6.2)

def crba_cost(model):
    """Multiplications, the inertias being counted numbers too, so that all bodies cost the same."""
    return multiplications(lambda q, I: crba(model.replace(inertia=list(I)), q), np.linspace(0.1, 1, model.nq),
                           np.array(model.inertia[1:]))


@pytest.mark.source("RBDA-S6.2-1")
def test_the_inner_loop_runs_D_1_times_and_H_has_2_D_1_elements_off_the_diagonal(rng):
    """Costs per body, per body with a parent and per turn of the loop, found on small trees, fit all trees exactly. The
    hinges are about local z axes, so that only connectivity decides what is computed."""
    def cost(parent):
        return crba_cost(random_tree(rng, len(parent), parent).model(joints=[Revolute("z")] * len(parent)))

    body, two, three = (cost(range(n)) for n in (1, 2, 3))
    turn = three - 2 * two + body
    with_parent = two - 2 * body - turn
    assert min(body, turn, with_parent) > 0
    for parent in (systems.BINARY, range(7), systems.random_parents(rng, 9)):
        n, tree, levels = len(parent), random_tree(rng, len(parent), parent), depths(parent)
        d_1, q = sum(levels) - n, rng.normal(size=n)
        rest = n * body + with_parent * sum(p != 0 for p in parent)
        assert (cost(parent) - rest) / turn == d_1 <= n * (max(levels) - 1)
        for H in (tree.mass_matrix(q), crba(tree.model(), q)):
            elements = np.count_nonzero(np.abs(H) > 1e-12)
            assert elements == n + 2 * d_1 and (parent is not systems.BINARY or elements == 27)


def costs_of_steps(model):
    """Multiplications of the three steps: C, H, and the factorisation, whose H is given."""
    q, qd, parent = np.linspace(0.1, 1, model.nq), np.linspace(1, 2, model.nv), expanded_parent(model)
    C = multiplications(lambda q, qd: bias_force(model, q, qd), q, qd)
    return C, crba_cost(model), multiplications(lambda H: ltdl(H, parent)[0], crba(model, q))


@pytest.mark.source("RBDA-S6.0-1", "RBDA-S6.1-1")
def test_orders_of_the_three_steps():
    """C is linear in n always; H and its factors are quadratic and cubic on a chain, linear where depth is bounded."""
    on_chains = np.array([costs_of_steps(auto_tree(n)) for n in range(2, 8)])
    for step in range(3):
        assert_array_equal(np.diff(on_chains[:, step], step + 2), 0)
        assert step == 0 or np.all(np.diff(on_chains[:, step], step + 1) > 0)
    shallow = np.array([costs_of_steps(auto_tree(3 * n).replace(parent=[0] * n + [*range(1, n + 1)] * 2))
                        for n in (1, 2, 3, 4)])
    assert_array_equal(np.diff(shallow, 2, axis=0), 0)
    assert np.all(np.diff(shallow, axis=0) > 0)


@pytest.mark.slow
@pytest.mark.source("RBDA-S6.0-2")
def test_methods_of_the_inertia_matrix_keep_up_where_trees_are_small_or_shallow():
    """Operations that do not simplify away, of forward dynamics by H in units of those by articulated bodies."""
    def ratio(model):
        by_H, by_bodies = (cost_of(record(way, model).program.count()).total() for way in (joint_space.by_crba, aba))
        return by_H / by_bodies

    chains, tree = {n: ratio(gu(n)) for n in (2, 4, 7, 10)}, ratio(binary_tree(3, seed=1))
    assert chains[2] < chains[4] < chains[7] < chains[10]
    assert chains[4] < 1 < chains[10], "few bodies, and many"
    assert tree < 1 and tree < chains[7], "as many bodies, but many branches"


# 6.3 A physical interpretation

@pytest.mark.source("RBDA-S6.3-1", "RBDA-S6.3-2", "RBDA-6.21", "RBDA-6.22", "RBDA-6.23", "RBDA-6.24", "RBDA-6.25",
                    "RBDA-F6.1")
def test_a_column_of_H_holds_the_forces_that_accelerate_one_variable(moving):
    """It accelerates its subtree, whose force passes unchanged to the base, as the figure colours them. Forces through
    the joints by recursion, carried to the world, against momentum and composite bodies."""
    model, nothing = moving.model.replace(gravity=(0, 0, 0)), np.zeros(moving.model.nv)
    H = crba(model, moving.q)
    variables = [(i, alpha) for i in moving.bodies for alpha in range(model.nv)[model.v_slice(i)]]
    for (i, alpha), delta in zip(variables, np.eye(model.nv), strict=True):
        s_alpha, motion = moving.ways[i][:, alpha], at_rest(moving, delta)
        tau = motion.joint_forces(gravity=False, external=False)
        near(H[:, alpha], tau)
        f = newton_euler(model, moving.q, nothing, delta).f
        f_i = systems.momentum_matrix(*systems.as_one_body(moving, moving.subtree(i))) @ s_alpha
        near(f_i, sum(systems.inertia(moving, k) @ s_alpha for k in moving.subtree(i)))
        accelerating, loaded = set(), set()
        for j in moving.bodies:
            a_j = s_alpha if j in model.nu(i) else np.zeros(6)
            near(motion.a[j], a_j)
            near(motion.net[j], systems.inertia(moving, j) @ a_j)
            near(motion.a[j] - motion.a[moving.parent[j]], s_alpha if j == i else np.zeros(6))
            if j in moving.subtree(i):
                f_j = systems.momentum_matrix(*systems.as_one_body(moving, moving.subtree(j))) @ s_alpha
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
