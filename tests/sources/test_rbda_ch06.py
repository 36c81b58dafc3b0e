"""RBDA 6 row by row: the joint-space inertia matrix, the composite-rigid-body algorithm, its physical meaning; zeros
that branches put into H, factorisation that keeps them, what each step costs. What is expected comes from mechanisms of
every joint type in motion, by 3D geometry (`tests.sources.ch06_systems`); factors are compared with NumPy's."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import aba, bias_force, crba, forward_dynamics, rnea
from rbdlib.analysis import operation_counts
from rbdlib.analysis.counting import count_operations
from rbdlib.analysis.operation_counts import D_1, D_2, cost_of, depths
from rbdlib.book import ch06_factorisation as factorisation
from rbdlib.book.ch02_spatial import I_to_mcI, mcI
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_kinematics import body_velocities, joints_at, kinetic_energy
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_factorisation import ltdl, ltl, multiply_L, multiply_Lt, solve, solve_L, solve_Lt
from rbdlib.book.ch06_inertia_matrix import differential_inverse_dynamics, expanded_parent, sparsity_pattern
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.compile.executer import record
from rbdlib.methods import joint_space
from rbdlib.methods.generators import auto_tree, binary_tree, gu
from rbdlib.methods.joint_space import composite_inertias
from tests.sources import ch06_systems as systems
from tests.sources.ch07_systems import near
from tests.sources.helpers import close, far, force_carried, random_tree


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


#: The same tree as BINARY, branch after branch instead of level by level, and its bodies' old numbers.
DEPTH_FIRST, OLD_NUMBERS = [0, 1, 2, 2, 1, 5, 5], [1, 2, 4, 5, 3, 6, 7]


@pytest.fixture(params=["binary", "random", "chain", "star", "joints of many freedoms"])
def branched(request, rng):
    """The parents of variables, and a mass matrix with the zeros that belong to them, by geometry."""
    if request.param == "joints of many freedoms":
        joints = systems.system("reversed", (0, 1, 2, 2, 4))
        return [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 11, 12, 13, 14], systems.mass_matrix(joints)
    parent = {"binary": systems.BINARY, "random": systems.random_parents(rng, 8), "chain": list(range(6)),
              "star": [0] * 5}
    return parent[request.param], matrix_of(rng, parent[request.param])


def matrix_of(rng, parent):
    """A mass matrix with the zeros of a tree, by geometry."""
    tree = random_tree(rng, len(parent), parent)
    return tree.mass_matrix(rng.normal(size=len(parent)))


def nonzero(H):
    return np.abs(H) > 1e-12


def counted(function, *arguments):
    return count_operations(function, *arguments)[0]


def reordered_cholesky(H):
    """The L of H = LᵀL, which is the transposed Cholesky factor of the matrix counted from its other end."""
    return np.linalg.cholesky(H[::-1, ::-1]).T[::-1, ::-1]


def with_garbage(H, parent):
    """H with large numbers above the diagonal, and below it where the tree has zeros."""
    return np.where(np.tril(systems.related(parent)), H, 1e30)


# 6.4 Branch-induced sparsity

@pytest.mark.source("RBDA-S6.4-1", "RBDA-S6.4-2", "RBDA-F6.2", "RBDA-Q6.4-1")
def test_H_is_zero_between_branches_and_nowhere_else(rng):
    """Two children of the base make two blocks, when their bodies are numbered one branch after the other. Another
    numbering permutes H."""
    trees = {"star": [0] * 5, "chain": [0, 1, 2, 3, 4], "tree": [0, 1, 1, 3, 3], "level": systems.BINARY,
             "branch": DEPTH_FIRST, "two branches": [0, 0, 1, 2, 2, 3], "random": systems.random_parents(rng, 9)}
    patterns = {}
    for name, parent in trees.items():
        tree, q = random_tree(rng, len(parent), parent), rng.normal(size=len(parent))
        H, model = tree.mass_matrix(q), tree.model()
        assert np.linalg.eigvalsh(H)[0] > 0
        for pattern in (nonzero(H), crba(model, q) != 0, sparsity_pattern(model)):
            assert_array_equal(pattern, systems.related(parent))
        patterns[name] = pattern
    assert_array_equal(patterns["star"], np.eye(5))
    assert_array_equal(patterns["chain"], np.ones((5, 5)))
    assert_array_equal(patterns["tree"], [[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 1, 1, 1], [1, 0, 1, 1, 0],
                                          [1, 0, 1, 0, 1]])
    assert patterns["two branches"][:3, 3:].any()
    one_after_the_other = patterns["two branches"][np.ix_([0, 2, 5, 1, 3, 4], [0, 2, 5, 1, 3, 4])]
    assert one_after_the_other[:3, :3].all() and not one_after_the_other[:3, 3:].any()

    tree, order, q = random_tree(rng, 7, systems.BINARY), np.array(OLD_NUMBERS) - 1, rng.normal(size=7)
    assert_array_equal(patterns["branch"], patterns["level"][np.ix_(order, order)])
    assert np.any(patterns["branch"] != patterns["level"])
    parts = {name: [getattr(tree, name)[k] for k in order] for name in ("kinds", "axes", "poses", "bodies")}
    H = crba(dataclasses.replace(tree, parent=DEPTH_FIRST, **parts).model(), q[order])
    for before in (tree.mass_matrix(q), crba(tree.model(), q)):
        close(H, before[np.ix_(order, order)], 1e-11)
        far(H, before)


@pytest.mark.source("RBDA-S6.4-3")
def test_density_and_the_rule_of_thumb():
    """The part of H that is not zero; costs go roughly with it and with its square, roughly meaning a factor of 1.5."""
    rng, n = np.random.default_rng(643), 15
    entries = np.count_nonzero(nonzero(matrix_of(rng, systems.BINARY)))
    assert operation_counts.density(systems.BINARY) == entries / 49 == 27 / 49
    assert operation_counts.density([0, 1, 2]) == 1
    dense = counted(lambda H: ltdl(H)[0], matrix_of(rng, range(n)))
    for _ in range(5):
        parent = [int(rng.integers(max(0, k - 4), k)) for k in range(1, n + 1)]
        H = matrix_of(rng, parent)
        rho = np.count_nonzero(nonzero(H)) / n**2
        assert operation_counts.density(parent) == pytest.approx(rho)
        of_H = np.count_nonzero(nonzero(np.tril(H, -1))) / ((n * n - n) / 2)
        assert 1 / 1.5 < of_H / rho < 1.5
        of_factors = counted(lambda H, parent=parent: ltdl(H, parent)[0], H)["m"] / dense["m"]
        assert 1 / 1.5 < of_factors / rho**2 < 1.5


@pytest.mark.source("RBDA-S6.4-5")
def test_branches_make_every_step_cheaper(rng):
    chain = list(range(9))
    dense = counted(lambda H: ltdl(H)[0], matrix_of(rng, chain))
    for _ in range(10):
        parent = systems.random_parents(rng, 9)
        sparse = counted(lambda H, parent=parent: ltdl(H, parent)[0], matrix_of(rng, parent))
        assert (sparse["m"] < dense["m"]) == (sparse["d"] < dense["d"]) == (parent != chain)

    def of_crba(parent):
        model = random_tree(np.random.default_rng(645), 7, parent).model()
        return counted(lambda q: crba(model, q), np.linspace(0.1, 1, 7))["m"]

    assert of_crba([0] * 7) < of_crba(systems.BINARY) < of_crba([0, 1, 2, 2, 3, 4, 5]) < of_crba(range(7))


# 6.5 Sparse factorisation

@pytest.mark.source("RBDA-T6.3", "RBDA-A6.3a", "RBDA-A6.3b", "RBDA-6.26", "RBDA-6.27", "RBDA-F6.3", "RBDA-S6.4-4",
                    "RBDA-S6.5-1", "RBDA-S6.5-3")
def test_factors_multiply_to_H_at_the_cost_of_the_listings_and_fill_nothing_in(branched):
    """They are those of Cholesky in reverse order, and the usual Cholesky factor fills in what they keep empty. They
    depend only on the lower triangle of H, and there only on what the tree does not make zero."""
    parent, H = branched
    n, d = len(parent), [len(systems.ancestors(parent, k)) for k in range(1, len(parent) + 1)]
    D1, D2 = sum(x - 1 for x in d), sum(x * (x - 1) // 2 for x in d)
    assert (depths(parent), D_1(parent), D_2(parent)) == (d, D1, D2)
    pattern, garbage = np.tril(systems.related(parent)), with_garbage(H, parent)
    assert np.count_nonzero(pattern) == n + D1
    root, (unit, D), L = ltl(H, parent), ltdl(H, parent), reordered_cholesky(H)
    close(root.T @ root, H, 1e-9)
    close(unit.T @ np.diag(D) @ unit, H, 1e-9)
    close(root, L, 1e-9)
    close(unit, L / np.diag(L)[:, None], 1e-9)
    close(D, np.diag(L) ** 2, 1e-9)
    assert_array_equal(np.diag(unit), np.ones(n))
    for factor in (ltl(H), L):
        assert np.abs(factor[~pattern]).max(initial=0) < 1e-9
    for given, expected in zip((ltl(garbage, parent), *ltdl(garbage, parent)), (root, unit, D), strict=True):
        assert_array_equal(given, expected)
        assert given.ndim == 1 or not given[~pattern].any()
    assert counted(lambda H: ltl(H, parent), H) == Counter(sqrt=n, d=D1, m=D2, a=D2)
    assert counted(lambda H: ltdl(H, parent)[0], H) == Counter(d=D1, m=D2, a=D2)
    if parent == list(range(n)):
        assert_array_equal(root, ltl(H))
        assert_array_equal(unit, ltdl(H)[0])
    if parent == systems.BINARY:
        assert (D1, D2, np.count_nonzero(nonzero(H)), np.count_nonzero(nonzero(root))) == (10, 14, 27, 17)
        assert np.count_nonzero(nonzero(np.linalg.cholesky(H))) == 28


@pytest.mark.source("RBDA-F6.4")
def test_first_steps_of_the_factorisation_of_the_book(rng):
    """Two calculations in area 2 and three in area 3 for each of k = 7, 6, 5, and what is done there. Step k is what
    the factorisation of the first k rows takes beyond that of the first k - 1."""
    H = matrix_of(rng, systems.BINARY)
    factor = {"ltl": lambda H: ltl(H, systems.BINARY[: len(H)]), "ltdl": lambda H: ltdl(H, systems.BINARY[: len(H)])[0]}
    for name, root in (("ltl", Counter(sqrt=1)), ("ltdl", Counter())):
        upto = [Counter(), *(counted(factor[name], H[:k, :k]) for k in range(1, 8))]
        for k, (area_2, area_3) in enumerate([(0, 0)] + [(1, 1)] * 2 + [(2, 3)] * 4, start=1):
            assert upto[k] - upto[k - 1] == root + Counter(d=area_2, m=area_3, a=area_3), (name, k)

    L, (unit, D), after = ltl(H, systems.BINARY), ltdl(H, systems.BINARY), H.copy()
    for k in (6, 5, 4):
        row = after[k, :k] / np.sqrt(after[k, k])
        close(L[k, : k + 1], np.array([*row, np.sqrt(after[k, k])]))
        close(unit[k, :k], after[k, :k] / after[k, k])
        close(D[k], after[k, k])
        after[:k, :k] -= np.outer(row, row)
        close(L[:k, :k], reordered_cholesky(after[:k, :k]), 1e-11)


# Expanding the parent array

@pytest.mark.source("RBDA-T6.4", "RBDA-A6.4", "RBDA-S6.5-4")
def test_arcs_of_the_expanded_graph_are_the_variables(rng):
    """The chains that replace the joints, found by walking through the tree, not through arrays."""
    expanded, map = factorisation.expand_parent([0, 1, 1, 2, 2, 3], [1, 3, 1, 1, 1, 1])
    assert (expanded, map) == ([0, 1, 2, 3, 1, 4, 4, 5], [0, 1, 4, 5, 6, 7, 8])
    for n in [7] * 10:
        parent, freedoms = systems.random_parents(rng, n), [int(k) for k in rng.integers(0, 4, n)]
        expanded, map = factorisation.expand_parent(parent, freedoms)
        first = np.cumsum([1, *freedoms])
        variables = {i: list(range(first[i - 1], first[i])) for i in range(1, n + 1)}
        for i in range(1, n + 1):
            assert list(range(map[i - 1] + 1, map[i] + 1)) == variables[i]
            path = sorted(v for j in systems.ancestors(parent, i) for v in variables[j])
            assert [expanded[v - 1] for v in path] == [0, *path][: len(path)]
        assert factorisation.expand_parent(parent, [1] * n)[0] == parent


@pytest.mark.source("RBDA-A6.4", "RBDA-S6.5-4", "RBDA-S6.4-1")
def test_H_of_any_joints_has_the_zeros_of_the_expanded_array_and_factors_with_it(moving):
    expanded, H = expanded_parent(moving.model), systems.mass_matrix(moving)
    assert len(expanded) == moving.model.nv
    pattern = systems.related(expanded)
    assert_array_equal(pattern, sparsity_pattern(moving.model))
    assert np.abs(H[~pattern]).max(initial=0) < 1e-9
    assert np.all(crba(moving.model, moving.q)[~pattern] == 0)
    L, D = ltdl(H, expanded)
    close(L.T @ np.diag(D) @ L, H, 1e-9)
    with pytest.raises(ValueError, match=f"give {moving.model.nv} numbers"):
        ltdl(H, moving.model.parent[1:])


# Products and back-substitution

@pytest.mark.source("RBDA-T6.5", "RBDA-A6.5a", "RBDA-A6.5b", "RBDA-A6.5c", "RBDA-A6.5d", "RBDA-A6.5e", "RBDA-S6.5-2",
                    "RBDA-S6.5-5", "RBDA-Q6.5-1")
def test_products_and_substitutions(branched, rng):
    """By NumPy; and with garbage where the walks from each variable to the base do not lead. The unit variants do the
    same with a factor that has ones on its diagonal, whatever stands there. H = LᵀL is not the Cholesky factorisation
    LLᵀ: L⁻¹ before L⁻ᵀ solves another equation."""
    parent, H = branched
    L, x = np.where(np.tril(systems.related(parent)), reordered_cholesky(H), 0), rng.normal(size=len(parent))
    one, below, n = L / np.diag(L)[:, None], D_1(parent), len(parent)
    inv = np.linalg.inv
    for function, product in ((multiply_L, lambda L: L @ x), (multiply_Lt, lambda L: L.T @ x),
                              (solve_L, lambda L: inv(L) @ x), (solve_Lt, lambda L: inv(L.T) @ x)):
        close(function(L, x), product(L), 1e-9)
        close(function(L, x, parent), product(L), 1e-9)
        assert_array_equal(function(with_garbage(L, parent), x, parent), function(L, x, parent))

        close(function(one, x, parent), product(one), 1e-9)
        assert_array_equal(function(one + np.diag(x), x, parent, unit=True), function(one, x, parent))
        operations = counted(lambda L, x, f=function: f(L, x, parent, unit=True), one, x)
        assert operations == Counter(m=below, a=below)
        assert counted(lambda L, x, f=function: f(L, x, parent), one, x) - operations == Counter(
            {"m" if function in (multiply_L, multiply_Lt) else "d": n})
    close(factorisation.multiply_H(H, x, parent), H @ x, 1e-9)
    close(factorisation.multiply_H(with_garbage(H, parent), x, parent), H @ x, 1e-9)

    several, root, (unit, D), expected = rng.normal(size=(n, 3)), ltl(H, parent), ltdl(H, parent), np.linalg.solve(H, x)
    close(solve_L(root, solve_Lt(root, x, parent), parent), expected, 1e-8)
    close(solve_L(unit, solve_Lt(unit, x, parent, unit=True) / D, parent, unit=True), expected, 1e-8)
    close(solve(H, x, parent), expected, 1e-8)
    close(solve(H, several, parent), np.linalg.solve(H, several), 1e-8)
    if below:
        far(solve_Lt(root, solve_L(root, x, parent), parent), expected)


# Costs

def measured(parent, H, x):
    """Table 6.6, counted."""
    L, (unit, D) = ltl(H, parent), ltdl(H, parent)
    table = {row: {"LTL": counted(lambda L, x, f=f: f(L, x, parent), L, x),
                   "LTDL": counted(lambda L, x, f=f: f(L, x, parent, unit=True), unit, x)} for row, f in (
                       ("L x", multiply_L), ("Lᵀ x", multiply_Lt), ("L⁻¹ x", solve_L), ("L⁻ᵀ x", solve_Lt))}
    return table | {
        "factorisation": {"LTL": counted(lambda H: ltl(H, parent), H),
                          "LTDL": counted(lambda H: ltdl(H, parent)[0], H)},
        "back-substitution": {
            "LTL": counted(lambda L, x: solve_L(L, solve_Lt(L, x, parent), parent), L, x),
            "LTDL": counted(lambda L, D, x: solve_L(L, solve_Lt(L, x, parent, True) / D, parent, True), unit, D, x)},
        "H x": {way: counted(lambda H, x: factorisation.multiply_H(H, x, parent), H, x) for way in ("LTL", "LTDL")}}


@pytest.mark.source("RBDA-T6.6")
def test_costs_are_those_of_the_table(rng):
    for n in (1, 2, 5, 9):
        parent = systems.random_parents(rng, n)
        H = matrix_of(rng, parent)
        d = [len(systems.ancestors(parent, k)) for k in range(1, n + 1)]
        D1, D2 = sum(d) - n, sum(x * (x - 1) // 2 for x in d)
        once, twice, per_pair = Counter(m=D1, a=D1), Counter(m=2 * D1, a=2 * D1), Counter(m=D2, a=D2)
        table = {
            "factorisation": (Counter(sqrt=n, d=D1) + per_pair, Counter(d=D1) + per_pair),
            "back-substitution": (Counter(d=2 * n) + twice, Counter(d=n) + twice),
            "L x": (Counter(m=n) + once, once), "Lᵀ x": (Counter(m=n) + once, once),
            "L⁻¹ x": (Counter(d=n) + once, once), "L⁻ᵀ x": (Counter(d=n) + once, once),
            "H x": (Counter(m=n) + twice, Counter(m=n) + twice)}
        table = {row: {"LTL": entries[0], "LTDL": entries[1]} for row, entries in table.items()}
        assert measured(parent, H, rng.normal(size=n)) == table
        assert operation_counts.costs(parent) == table


def textbook_cholesky(H):
    """A = LLᵀ, row by row, as every textbook has it."""
    n = len(H)
    L = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            rest = H[i, j]
            for k in range(j):
                rest = rest - L[i, k] * L[j, k]
            L[i, j] = rest.sqrt() if i == j else rest / L[j, j]
    return L


@pytest.mark.source("RBDA-6.28", "RBDA-6.29")
def test_costs_are_those_of_cholesky_without_branches_and_bounded_by_the_depth(rng):
    for n, D1, D2 in ((1, 0, 0), (2, 1, 1), (5, 10, 20), (9, 36, 120)):
        chain, H = range(n), matrix_of(rng, range(n))
        assert D_1(chain) == (n * n - n) // 2 == D1
        assert D_2(chain) == (n**3 - n) // 6 == D2
        assert counted(lambda H, chain=chain: ltl(H, chain), H) == counted(textbook_cholesky, H) == Counter(
            sqrt=n, d=D1, m=D2, a=D2)
        for parent in (systems.random_parents(rng, n) for _ in range(20)):
            d = max(len(systems.ancestors(parent, k)) for k in range(1, n + 1))
            operations = counted(lambda H, parent=parent: ltdl(H, parent)[0], H)
            assert D_1(parent) == operations["d"] <= min(D1, n * (d - 1))
            assert D_2(parent) == operations["m"] <= min(D2, n * d * (d - 1) / 2)
            assert (D_1(parent) < D1) == (D_2(parent) < D2) == (parent != list(chain))
    for d in (2, 3):
        combs = [[0 if k % d == 0 else k for k in range(d * m)] for m in (2, 4, 8)]
        assert np.ptp([D_2(comb) / len(comb) for comb in combs]) == 0, "for a fixed depth the cost is linear in n"


# 6.6 Connections between methods

def equations_of_the_bodies(moving):
    """The matrix of all equations at rest, for the unknowns a, f of each body and qdd, in body coordinates.
    They are I a = f - (the forces on to the children), a = (a of the parent) + S qdd, and Sᵀf = tau."""
    n, nv = len(moving.bodies), moving.model.nv
    A = np.zeros((12 * n + nv, 12 * n + nv))
    for i in moving.bodies:
        a, f, at = slice(6 * i - 6, 6 * i), slice(6 * (n + i) - 6, 6 * (n + i)), moving.model.v_slice(i)
        qdd = slice(12 * n + at.start, 12 * n + at.stop)
        p = moving.parent[i]
        A[a, a], A[a, f] = systems.body_inertia(moving, i), -np.eye(6)
        A[f, a], A[f, qdd], A[qdd, f] = np.eye(6), -systems.body_axes(moving, i), systems.body_axes(moving, i).T
        if p != 0:
            A[6 * p - 6 : 6 * p, f] = systems.force_matrix(moving, p, i)
            A[f, 6 * p - 6 : 6 * p] = -systems.motion_matrix(moving, i, p)
    return A


def eliminated(A, kept):
    """What Gaussian elimination leaves of a matrix for the unknowns and equations that are kept."""
    rest = [k for k in range(len(A)) if k not in kept]
    return A[np.ix_(kept, kept)] - A[np.ix_(kept, rest)] @ np.linalg.solve(A[np.ix_(rest, rest)], A[np.ix_(rest, kept)])


@pytest.mark.source("RBDA-S6.6-1")
@pytest.mark.parametrize("name", ["axes", "angles"])
def test_one_elimination_of_the_bodies_equations_leaves_H_and_another_articulated_bodies(name):
    """From the tips inward, each body's a keeps an articulated-body inertia: what is felt of it and the free joints."""
    moving = systems.system(name, (0, 1, 1, 3, 3))
    A, n, nv, H = equations_of_the_bodies(moving), len(moving.bodies), moving.model.nv, systems.mass_matrix(moving)
    close(eliminated(A, list(range(12 * n, 12 * n + nv))), H, 1e-9)
    found = articulated_bodies(moving.model, moving.q, 0 * moving.qd, moving.qdd)
    for i in moving.bodies:
        subtree, beyond, at = moving.subtree(i), moving.subtree(i)[1:], moving.model.v_slice
        chosen = [*range(6 * i - 6, 6 * i), *(k for j in beyond for k in (
            *range(6 * j - 6, 6 * j), *range(6 * (n + j) - 6, 6 * (n + j)), *range(12 * n, 12 * n + nv)[at(j)]))]
        I_A = eliminated(A[np.ix_(chosen, chosen)], list(range(6)))
        columns, to_world = [k for j in beyond for k in range(nv)[at(j)]], systems.motion_matrix(moving, i, 0)
        F = sum(systems.inertia(moving, k) @ moving.ways[k][:, columns] for k in subtree)
        felt = sum(systems.inertia(moving, k) for k in subtree) - F @ np.linalg.solve(H[np.ix_(columns, columns)], F.T)
        close(to_world.T @ I_A @ to_world, felt, 1e-8)
        close(found.I_A[i], I_A, 1e-8)
