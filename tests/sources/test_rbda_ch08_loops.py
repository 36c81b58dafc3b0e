"""RBDA 8.8 to 8.10 row by row: G and g by elimination, loop clusters, mobility and overconstraint."""

import numpy as np
import pytest
from scipy.linalg import block_diag, null_space

from rbdlib import Model
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import inverse_transform, mcI, rotx, roty, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Planar, Revolute, Spherical
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_elimination import constraint_solution, eliminate
from rbdlib.loops.clusters import join, loop_clusters, solution_by_clusters
from rbdlib.loops.coordinates import dependence
from rbdlib.loops.dynamics import METHODS, by_loop_constraints
from rbdlib.loops.mobility import mobility
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.scalars import zeros
from tests.sources.ch03_systems import random_model, transforms
from tests.sources.ch08_systems import Looped, figure_8_2, figure_8_3, four_bar, limbs, one_constraint
from tests.sources.helpers import close, random_mass_properties

SEED = [1, 88]
SHAPES = {"few": (3, 7, 3), "few, dependent": (4, 7, 2), "many, dependent": (9, 5, 3), "all fixed": (4, 4, 4),
          "more than all": (7, 4, 4), "none": (3, 4, 0)}


@pytest.fixture(params=list(SHAPES))
def equation(request, rng):
    """K (m x n) of rank r and a k for which K x = k has solutions."""
    m, n, r = SHAPES[request.param]
    K = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    return K, K @ rng.normal(size=n), r


def projector(A):
    """Onto the space that the columns of A span."""
    return A @ np.linalg.pinv(A)


# G and g (8.5, 8.8)

@pytest.mark.source("RBDA-8.42", "RBDA-8.43", "RBDA-8.44", "RBDA-8.48", "RBDA-8.49", "RBDA-8.51", "RBDA-A8.8",
                    "RBDA-S8.5-3", "RBDA-S8.9-1", "RBDA-8.50", "RBDA-S8.8-1")
def test_G_and_g_describe_all_solutions(equation, rng):
    """And they follow from the permuted blocks of K; dependent rows are known by their combinations of the others."""
    K, k, r = equation
    n, m = K.shape[1], K.shape[1] - r
    G, g = constraint_solution(K, k)
    assert G.shape == (n, m) and (m == 0 or np.linalg.matrix_rank(G) == m)
    assert np.count_nonzero(G == 0) >= m * (m - 1)
    assert np.abs(K @ G).max(initial=0) < 1e-9
    close(K @ g, k, 1e-9)
    close(projector(G), projector(null_space(K, rcond=1e-9)), 1e-9)
    y = rng.normal(size=m)
    close(K @ (G @ y + g), k, 1e-8)
    x = np.linalg.pinv(K, rcond=1e-9) @ k
    if r == n:
        close(g, x, 1e-9)
    units = [i for i in range(n) if np.count_nonzero(G[i]) == 1 and G[i].max() == 1 and g[i] == 0]
    assert len(units) >= m                          # y is a part of x
    places = [next(i for i in units if G[i, j] == 1) for j in range(m)]
    close(G @ x[places] + g, x, 1e-8)               # and determines the rest
    assert places == sorted(places)
    C = null_space(K, rcond=1e-9) @ rng.normal(size=(m, m))                 # other C and d: their y for the same x
    close(C @ np.linalg.pinv(C) @ (G @ y + g - x) + x, G @ y + g, 1e-7)

    rows, columns, rank, L, U = elimination = eliminate(K)
    assert rank == r and sorted(rows) == list(range(len(K))) and sorted(columns) == list(range(K.shape[1]))
    Q_1, Q_2 = np.eye(len(K))[:, rows], np.eye(K.shape[1])[columns]
    blocks = K[rows][:, columns]
    close(Q_1 @ blocks @ Q_2, K, 0)
    close(L @ U, blocks, 1e-9)
    K_11, K_12, K_21, K_22 = blocks[:r, :r], blocks[:r, r:], blocks[r:, :r], blocks[r:, r:]
    if r == 0:
        return
    close(np.triu(U[:, :r]), U[:, :r])
    close(L[:r] @ U[:, :r], K_11, 1e-9)
    if r < len(K):
        Y = K_21 @ np.linalg.inv(K_11)
        close(dependence(elimination)[rows[r:]], Y, 1e-8)
        close(k[rows[r:]], Y @ k[rows[:r]], 1e-8)
    if r < K.shape[1]:
        close(np.linalg.solve(L[:r], K_12), U[:, r:], 1e-8)
        np.testing.assert_allclose(K_22, K_21 @ np.linalg.solve(K_11, K_12), atol=1e-8)
        stacked = Q_2.T @ np.vstack([-np.linalg.inv(K_11) @ K_12, np.eye(K.shape[1] - r)])
        close(G, stacked[:, np.argsort(columns[r:])], 1e-8)
    close(g, Q_2.T @ np.concatenate([np.linalg.inv(K_11) @ k[rows[:r]], np.zeros(K.shape[1] - r)]), 1e-8)


@pytest.mark.source("RBDA-A8.8")
def test_the_reader_may_choose_the_independent_variables(rng):
    K = rng.normal(size=(3, 7))
    K[:, 4] = 0                                     # a joint in no loop is independent of necessity
    k = rng.normal(size=3)
    G, g = constraint_solution(K, k, independent=(1, 4, 5, 6))
    close(G[[1, 4, 5, 6]], np.eye(4), 0)
    close(g[[1, 4, 5, 6]], np.zeros(4), 0)
    close(K @ G, np.zeros((3, 4)), 1e-10)
    close(K @ g, k, 1e-10)
    for wrong in ((1, 5, 6), (0, 1, 5, 6), (0, 1, 2, 3)):
        with pytest.raises(ValueError, match="independent is"):
            constraint_solution(K, k, independent=wrong)


@pytest.mark.source("RBDA-8.45", "RBDA-8.46", "RBDA-A8.5c", "RBDA-8.42")
def test_the_reduced_equation_of_motion(rng):
    """G and g of the null space found otherwise give the same motion, and Gᵀ H G is positive definite."""
    for system in (limbs(rng, (3, 5, Revolute()), (7, 0, Spherical())), figure_8_3(rng), four_bar(rng)):
        tau = rng.normal(size=system.model.nv)
        f = tau - system.C
        qdd, _ = by_loop_constraints(system.model, system.q, system.qd, tau, system.f_ext, "coordinates")
        for G, g in ((null_space(system.K, rcond=1e-8), np.linalg.pinv(system.K, rcond=1e-8) @ system.k),
                     constraint_solution(system.K, system.k, 1e-8)):
            H_G = G.T @ system.H @ G
            assert np.linalg.eigvalsh(H_G).min() > 0
            ydd = np.linalg.solve(H_G, G.T @ (f - system.H @ g))
            close(G.T @ system.H @ qdd, G.T @ f, 1e-8)
            close(G @ ydd + g, qdd, 1e-7)


# Sparsity (8.9)

def closed_by(model, q, ends):
    """The model with loop joints (p, s, joint) that are closed at q."""
    X, loops, X_P = transforms(model, q), [], xlt([0.3, -0.2, 0])
    for p, s, joint in ends:
        X_J = joint.transform(joint.neutral())
        loops.append(LoopJoint(p, s, joint, X_P, X_J @ X_P @ X[p] @ inverse_transform(X[s])))
    return model.replace(loops=loops)


@pytest.fixture(scope="module")
def figure_8_1():
    """Twenty hinges and four loops as in Figure 8.1, with a loop joint of one constraint for the fourth."""
    parent = [0, 1, 2, 3, 2, 4, 5, 2, 8, 9, 10, 9, 1, 13, 14, 13, 16, 14, 18, 19]
    rng = np.random.default_rng(81)
    places = [xlt([*rng.uniform(0.5, 1.5, 2), 0]) for _ in parent]
    model = Model(parent, [Revolute()] * 20, places, [mcI(*random_mass_properties(rng)) for _ in parent])
    q = rng.uniform(-1, 1, 20)
    ends = [(4, 5, Revolute()), (6, 7, Revolute()), (11, 12, Revolute()), (18, 20, one_constraint())]
    return closed_by(model, q, ends), q


@pytest.mark.source("RBDA-F8.1", "RBDA-S8.9-2")
@pytest.mark.slow
def test_the_clusters_of_figure_8_1(figure_8_1):
    model, q = figure_8_1
    clusters = loop_clusters(model)
    assert [(c.loops, c.joints) for c in clusters] == [([1, 2], [3, 4, 5, 6, 7]), ([3], [10, 11, 12]), ([4], [19, 20])]
    K, k, _ = loop_constraints(model, q, np.zeros(20))
    assert K.shape == (16, 20)
    for c in clusters:
        rest = np.ones(K.shape, dtype=bool)
        rest[:, [j - 1 for j in c.joints]] = False
        assert not K[c.rows][rest[c.rows]].any() and np.abs(K[np.ix_(c.rows, c.variables)]).max() > 0.1
    blocks = solution_by_clusters(K, k, clusters)
    assert [block.G.shape for block in blocks[:-1]] == [(5, 1), (3, 1), (2, 1)] and len(blocks[-1].variables) == 10
    G, g = join(blocks, K)
    assert np.linalg.matrix_rank(K) == 7 and G.shape == (20, 13) and np.linalg.matrix_rank(G) == 13
    close(K @ G, np.zeros((16, 13)), 1e-9)
    close(K @ g, k, 1e-9)
    sets = [[1, 2], [3, 4, 5, 6, 7], [8, 9], [10, 11, 12], [13, 14, 15, 16, 17, 18], [19, 20]]
    parts = [G[[j - 1 for j in joints]] for joints in sets]
    parts = [part[:, np.any(part != 0, axis=0)] for part in parts]
    assert np.array_equal(block_diag(*parts), G)
    for gap in (0, 2, 4):
        assert np.array_equal(parts[gap], np.eye(len(sets[gap])))


@pytest.mark.slow
@pytest.mark.source("RBDA-S8.9-3", "RBDA-S8.9-2")
def test_working_by_blocks_changes_nothing_and_costs_less(figure_8_1, rng):
    """The operations of elimination are counted; so are those of Gᵀ H G and K H⁻¹ Kᵀ, and of forward dynamics."""
    model, q = figure_8_1
    model = model.replace(loops=model.loops[:3])            # those whose joints can run on counted numbers
    K = loop_constraints(model, q, np.zeros(20))[0]
    k = K @ rng.normal(size=20)
    clusters = loop_clusters(model)
    blockwise, (G, g) = count_operations(lambda K, k: join(solution_by_clusters(K, k, clusters), K), K, k)
    dense, (G_dense, g_dense) = count_operations(constraint_solution, K, k)
    close(K @ G, 0 * K @ G, 1e-9)
    close(projector(G), projector(G_dense), 1e-9)
    close(K @ g, K @ g_dense, 1e-9)
    assert blockwise["m"] * 5 < dense["m"]
    H = crba(model, q)
    blocks = {"G": [(block.variables, block.y, np.eye(len(block.y)) if block.G is None else block.G)
                    for block in solution_by_clusters(K, k, clusters)],
              "K": [(c.variables, c.rows, K[np.ix_(c.rows, c.variables)].T) for c in clusters]}
    for A, W, parts in ((G, H, blocks["G"]), (K.T, np.linalg.inv(H), blocks["K"])):
        def by_blocks(W, parts=parts, shape=A.shape):
            found = zeros((shape[1], shape[1]), W)
            for x, own, A_i in parts:
                for y, other, A_j in parts:
                    found[np.ix_(own, other)] = A_i.T @ W[np.ix_(x, y)] @ A_j
            return found

        (cheap, found), (dear, expected) = (count_operations(f, W) for f in (by_blocks, lambda W, A=A: A.T @ W @ A))
        close(found, expected, 1e-9)
        assert cheap["m"] * 1.5 < dear["m"]
    tau, qd = rng.normal(size=20), G @ rng.normal(size=G.shape[1])
    costs = {}
    for method in METHODS:
        costs[method], (qdd, _) = count_operations(
            lambda q, qd, method=method: by_loop_constraints(model, q, qd, tau, method=method, tolerance=1e-9), q, qd)
        close(qdd, by_loop_constraints(model, q, qd, tau, tolerance=1e-9)[0], 1e-6)
    assert costs["multipliers"]["m"] + 3000 < costs["direct"]["m"]
    assert costs["coordinates"]["m"] + 3000 < costs["direct"]["m"]


# Mobility (8.10)

@pytest.mark.source("RBDA-8.52", "RBDA-8.54", "RBDA-8.55", "RBDA-S8.10-4")
@pytest.mark.parametrize("kind, n, free", [(four_bar, 3, 1), (figure_8_3, 4, 2)])
def test_the_mobility_of_planar_loops(kind, n, free, rng):
    """The motions that are left are those that keep the loop closed, by geometry. In space three constraints repeat
    others; in the plane two matter, and each loop takes three freedoms."""
    system = kind(rng)
    report = mobility(system.model, system.q)
    r = np.linalg.matrix_rank(system.K, 1e-8)
    assert (report.n, report.n_c, report.r, report.mobility) == (n, 5, r, free) and r == 2
    assert report.overconstrained and not report.properly_constrained and report.redundant == 3
    assert free == report.n_tot - 6 * 1 + (5 - r) and report.dependent_loops == (1,)
    in_plane = np.array([row for row in system.K if np.abs(row).max() > 1e-9])
    assert np.linalg.matrix_rank(in_plane, 1e-8) == r and report.n_tot - 3 == n - r == free
    A = system.K @ np.linalg.solve(system.H, system.K.T)
    assert null_space(A, rcond=1e-9).shape[1] == 3          # so many constraint forces are indeterminate
    assert report.expected == n - 5 != report.mobility      # where constraints repeat others, (8.53) does not hold
    moved = system.model.integrate(system.q, null_space(system.K, rcond=1e-8)[:, 0], 1e-4)
    assert np.abs(loop_constraints(system.model, moved, system.qd)[2]).max() < 1e-7


@pytest.mark.source("RBDA-8.53", "RBDA-8.52")
def test_the_mobility_of_properly_constrained_loops_in_space(rng):
    """Seven hinges in general position, and the linkage RSSR, whose coupler can spin: 7 - 6 and 8 - 6."""
    seven = Looped(rng, [Revolute(axis) for axis in ((1, 2, 3), (2, -1, 1), "x", (0, 1, 2), (3, 1, -1), "y")],
                   [0, 1, 2, 3, 4, 5], [(0, 6, Revolute())])
    rssr = Looped(rng, [Revolute(), Spherical(), Revolute((1, 1, 0))], [0, 1, 0], [(2, 3, Spherical())])
    for system, n_tot, free in ((seven, 7, 1), (rssr, 8, 2)):
        report = mobility(system.model, system.q)
        assert report.properly_constrained and report.n_tot == n_tot and report.dependent_loops == ()
        assert report.mobility == report.expected == n_tot - 6 == free
        assert system.model.nv - np.linalg.matrix_rank(system.K, 1e-8) == free


@pytest.mark.source("RBDA-S8.10-1")
def test_counting_freedoms_is_counting_constraints(rng):
    for _ in range(5):
        kinds = [[Revolute(), Spherical(), Planar(), Cylindrical()][k] for k in rng.integers(0, 4, 9)]
        model, joints = random_model(rng, kinds[:6]), kinds[6:]
        q, _ = model.random_state(rng)
        model = closed_by(model, q, [(int(rng.integers(0, 3)), int(rng.integers(3, 7)), joint) for joint in joints])
        report = mobility(model, q)
        assert report.n_tot == sum(joint.nv for joint in [*model.joints[1:], *joints])
        assert report.n_tot - 6 * 3 == report.expected == report.n - report.n_c
        K = loop_constraints(model, q, np.zeros(model.nv))[0]
        assert report.properly_constrained == (np.linalg.matrix_rank(K, 1e-9) == len(K))


@pytest.mark.source("RBDA-S8.10-2", "RBDA-F8.2")
def test_variable_mobility():
    """Figure 8.2 (a): two arms, two links and a slider. Where the links lie on the arms, the arms move alone."""
    rng = np.random.default_rng(82)
    apart = figure_8_2(rng, (0.6, -0.6), 2 * np.cos(0.6))
    between, together = (figure_8_2(rng, arms, 0.0) for arms in ((np.pi / 2, -np.pi / 2), (0.3, -0.9)))
    for system, r, free in ((apart, 4, 1), (between, 2, 3), (together, 3, 2)):
        report = mobility(system.model, system.q)
        assert (report.n, report.n_c, report.r, report.mobility) == (5, 10, r, free)
        assert np.linalg.matrix_rank(system.K, 1e-8) == r
    other = figure_8_2(rng, (1.3, 0.2), 0.0)                # the arms turn at will
    assert np.abs(loop_constraints(together.model, other.q, other.qd)[2]).max() < 1e-12
    assert mobility(together.model.replace(loops=()), together.q).mobility == 5
    path = [mobility(apart.model, figure_8_2(rng, (x, -x), 2 * np.cos(x)).q) for x in (1.2, 1.4, 1.5, 1.56)]
    pivots = [report.smallest_pivot for report in path]
    assert pivots == sorted(pivots)[::-1] and pivots[-1] < 0.05         # which tells that a singular place is near
    assert [report.mobility for report in path] == [1, 1, 1, 1]


@pytest.mark.source("RBDA-F8.2", "RBDA-S8.10-3")
def test_configuration_ambiguity(rng):
    """Figure 8.2 (b): one crank angle, two ways to close the loop; following the motion keeps to one of them."""
    one, other = four_bar(rng, 0.7, 1), four_bar(rng, 0.7, -1)
    for system in (one, other):
        assert np.abs(loop_constraints(one.model, system.q, system.qd)[2]).max() < 1e-12
        assert mobility(one.model, system.q).mobility == 1
    assert one.q[0] == other.q[0] and np.abs(one.q - other.q).max() > 0.5

    def way(q):
        return constraint_solution(loop_constraints(one.model, q, 0 * q)[0], np.zeros(5), independent=(0,))[0][:, 0]

    for branch, q in ((1, one.q), (-1, other.q)):
        for _ in range(50):                                 # the crank turns by 0.5 rad; q of the tree is the state
            q = q + 0.01 * way(q + 0.005 * way(q))
        close(q, four_bar(rng, 1.2, branch).q, 1e-4)


@pytest.mark.source("RBDA-S8.10-5", "RBDA-S8.5-1")
def test_a_loop_joint_with_two_constraints_removes_the_redundancy(rng):
    """A ball in a cylinder whose axis is normal to the plane: it may tilt, turn, and slide along z of F_p."""
    hinge = four_bar(np.random.default_rng(5))
    seam = hinge.model.loops[0]
    ball = Custom(4, lambda q, t: rotz(q[2]) @ roty(q[1]) @ rotx(q[0]) @ xlt([0, 0, q[3]]), name="ball in cylinder")
    model = hinge.model.replace(loops=[LoopJoint(2, 3, ball, seam.X_P, seam.X_S)])
    report = mobility(model, hinge.q)
    assert (report.n_c, report.r, report.mobility, report.overconstrained) == (2, 2, 1, False)
    tau, (K, _, delta) = rng.normal(size=3), loop_constraints(model, hinge.q, hinge.qd)
    assert K.shape == (2, 3) and np.abs(delta).max() < 1e-9
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, hinge.q, hinge.qd, tau, hinge.f_ext, method)
        close(qdd, hinge.solved(tau)[0], 1e-8)
