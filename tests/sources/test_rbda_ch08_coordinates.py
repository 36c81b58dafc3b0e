"""RBDA 8.11 to 8.13 row by row: loop-closure functions, inverse dynamics with loops, the sparse matrix method. The
mechanism of Figure 8.3 is described a second time by plane geometry (`Figure83`): its bodies are swarms of particles,
its motions functions of time, and forces follow from d'Alembert's principle, without joints or constraints."""

import itertools

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from rbdlib import Model, load as load_model
from rbdlib.analysis.counting import count_operations
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch06_inertia_matrix import sparsity_pattern
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.loops import coordinates as lc, sparse_method as sm
from rbdlib.loops.closing import close_loops, loop_errors, project
from rbdlib.loops.clusters import loop_clusters
from rbdlib.loops.dynamics import METHODS, by_loop_constraints
from rbdlib.methods.whole_system import solve_system
from rbdlib.numbers.scalars import cos, sin, sqrt
from tests.sources.ch03_systems import random_loop
from tests.sources.helpers import close, derivative, mass_properties, near, random_cluster, random_tree, slope

SEED = [1, 811]


def direction(angle):
    return np.array([np.cos(angle), np.sin(angle)])


class Figure83:
    """Figure 8.3 by plane geometry. A frame is (origin, direction of its x axis); both may be complex.
    B1 turns about the origin, B4 about the tip of B1; B2 turns about a point at (l1, 0), B3 slides out of it and is
    hinged to B1 at the distance l2."""
    parent = [0, 0, 2, 1]

    def __init__(self, rng, l1=1.3, l2=0.8, tip=1.1):
        self.l1, self.l2, self.tip, self.gravity = l1, l2, tip, rng.normal(size=2) * 5
        self.clusters = [random_cluster(rng) for _ in range(4)]
        self.masses = np.concatenate([masses for masses, _ in self.clusters])

    def model(self):
        X_tree = [np.eye(6), xlt([self.l1, 0, 0]), np.eye(6), xlt([self.tip, 0, 0])]
        loop = LoopJoint(3, 1, Revolute(), np.eye(6), xlt([self.l2, 0, 0]))
        return Model(self.parent, [Revolute(), Revolute(), Prismatic("x"), Revolute()], X_tree,
                     [mcI(*mass_properties(*cluster)) for cluster in self.clusters], [*self.gravity, 0], loops=[loop])

    def tree(self, q):
        """The frames of B1 to B4 when nothing holds the loop together."""
        e_1, e_2, P_2 = direction(q[0]), direction(q[1]), np.array([self.l1, 0])
        return [(0 * e_1, e_1), (P_2, e_2), (P_2 + q[2] * e_2, e_2), (self.tip * e_1, direction(q[0] + q[3]))]

    def closed(self, y):
        """The frames of B1 to B4 of the mechanism: B2 and B3 point from their pivot to the hinge on B1."""
        e_1, P_2 = direction(y[0]), np.array([self.l1, 0])
        P_5 = self.l2 * e_1
        along = P_5 - P_2
        e_2 = along / np.sqrt(along @ along)
        return [(0 * e_1, e_1), (P_2, e_2), (P_5, e_2), (self.tip * e_1, direction(y[0] + y[1]))]

    def particles(self, frames):
        """The positions of all particles, one row each."""
        return np.concatenate([P + positions[:, :1] * e + positions[:, 1:2] * np.array([-e[1], e[0]])
                               for (P, e), (_, positions) in zip(frames, self.clusters, strict=True)])

    def columns(self, frames, x):
        """The velocities of the particles for unit rates of x: (particles, 2, variables)."""
        return np.stack([derivative(lambda s, e=e: self.particles(frames(x + s * e))) for e in np.eye(len(x))], axis=2)

    def path(self, frames, x, xd, xdd):
        return lambda t: self.particles(frames(x + t * xd + t * t / 2 * xdd))

    def force(self, frames, x, xd, xdd):
        """The generalized force for the variables x that the motion takes, by d'Alembert's principle."""
        a = slope(lambda t: derivative(self.path(frames, x, xd, xdd), t))
        return np.einsum("p,pi,pij->j", self.masses, a - self.gravity, self.columns(frames, x))

    def energy(self, y, yd):
        x, v = self.particles(self.closed(y)), derivative(lambda t: self.particles(self.closed(y + t * yd)))
        return self.masses @ (v * v).sum(axis=1) / 2 - self.masses @ x @ self.gravity

    def way(self, y):
        """G, and d: how q changes with y."""
        def q(y):
            x, z = self.l2 * direction(y[0]) - np.array([self.l1, 0])
            return np.array([y[0], np.arctan(z / x), np.sqrt(x * x + z * z), y[1]])

        return np.column_stack([derivative(lambda t, e=e: q(y + t * e)) for e in np.eye(2)]), q(y)[2]

    # What the figure prints

    def gamma(self, y):
        l1, l2 = self.l1, self.l2
        theta_2 = lc.atan2(l2 * sin(y[0]), l2 * cos(y[0]) - l1)
        return [y[0], theta_2, sqrt(l1 * l1 + l2 * l2 - 2 * l1 * l2 * cos(y[0])), y[1]]

    def printed(self, y, yd):
        """d, u1 .. u4."""
        l1, l2 = self.l1, self.l2
        d = sqrt(l1 * l1 + l2 * l2 - 2 * l1 * l2 * cos(y[0]))
        u_1, u_2 = (l2 * l2 - l1 * l2 * cos(y[0])) / (d * d), l1 * l2 * sin(y[0]) / d
        u_3 = (l1 * l1 - l2 * l2) * l1 * l2 * sin(y[0]) / (d * d * d * d) * yd[0] * yd[0]
        return d, u_1, u_2, u_3, (l1 * l2 * cos(y[0]) - u_2 * u_2) / d * yd[0] * yd[0]

    def G_and_g(self, y, yd):
        _, u_1, u_2, u_3, u_4 = self.printed(y, yd)
        return np.array([[1, 0], [u_1, 0], [u_2, 0], [0, 1]]), np.array([0, u_3, u_4, 0])


def compliant(figure, y, yd, ydd):
    """q, qd and qdd of the tree for a motion of the mechanism."""
    G, g = figure.G_and_g(y, yd)
    return np.array(figure.gamma(y)), G @ yd, G @ ydd + g


def reach(model, q, qd, places):
    """The number of independent changes of qdd that forces at these places cause, by Eq. 3.74."""
    at_rest, *pushed = (solve_system(model, q, qd, tau).qdd for tau in (np.zeros(4), *np.eye(4)[list(places)]))
    return np.linalg.matrix_rank(np.array(pushed) - at_rest, 1e-9)


@pytest.fixture
def figure(rng):
    return Figure83(rng)


@pytest.fixture
def state(rng):
    """y, yd, ydd, not near a dead centre."""
    return np.array([rng.uniform(0.4, 1.2), rng.uniform(-3, 3)]), rng.normal(size=2), rng.normal(size=2)


# 8.11 Loop-closure functions

@pytest.mark.source("RBDA-8.56", "RBDA-8.57", "RBDA-8.58", "RBDA-8.59", "RBDA-8.60")
@pytest.mark.parametrize("way", ["function", "search"])
def test_the_tree_moves_as_the_closed_mechanism_does(way, figure, state):
    """q comes from the printed closure function, or from a search that starts a little off."""
    (y, yd, ydd), model = state, figure.model()

    def coordinates(y):
        if way == "function":
            return lc.by_closure_function(model, figure.gamma, y, yd)
        return lc.by_solving(model, [0, 3], y, yd, figure.gamma(np.array([y[0] - 0.15, y[1] - 0.1])))

    q, qd, G, g = coordinates(y)
    for (P, e), (P_tree, e_tree) in zip(figure.closed(y), figure.tree(q), strict=True):         # (8.56)
        close(P_tree, P)
        close(e_tree, e)
    close(G, figure.way(y)[0], 1e-11)
    close(figure.columns(figure.tree, q) @ qd, figure.columns(figure.closed, y) @ yd, 1e-11)    # (8.57)
    e = np.array([0.6, -0.8])
    close(G @ e, slope(lambda t: coordinates(y + t * e).q), 1e-8)                               # (8.58)
    close(g, slope(lambda t: figure.way(y + t * yd)[0]) @ yd, 1e-8)                             # (8.60)
    paths = figure.path(figure.tree, q, qd, G @ ydd + g), figure.path(figure.closed, y, yd, ydd)
    close(*(slope(lambda t, path=path: derivative(path, t)) for path in paths), 1e-7)           # (8.59)
    K, k, _ = loop_constraints(model, q, qd)
    close(K @ G, np.zeros((5, 2)))
    close(K @ g, k, 1e-11)


@pytest.mark.source("RBDA-F8.3")
def test_the_formulae_of_figure_8_3_follow_from_its_triangle():
    """They are the derivatives of gamma, which other tests compare with geometry."""
    y_1, yd_1 = sympy.symbols("y_1 yd_1")
    exact = Figure83(np.random.default_rng(0), *sympy.symbols("l_1 l_2", positive=True))
    _, theta_2, d, _ = exact.gamma([y_1, sympy.Symbol("y_2")])
    printed = exact.printed([y_1, 0], [yd_1, 0])
    expected = (d, theta_2.diff(y_1), d.diff(y_1), theta_2.diff(y_1, 2) * yd_1**2, d.diff(y_1, 2) * yd_1**2)
    values = {symbol: sympy.Rational(*x) for symbol, x in zip((exact.l1, exact.l2, y_1, yd_1),
                                                              ((9, 7), (4, 5), (7, 9), (-5, 3)), strict=True)}
    for formula, derived in zip(printed, expected, strict=True):
        assert abs((formula - derived).evalf(30, subs=values)) < 1e-25


@pytest.mark.source("RBDA-F8.3", "RBDA-8.64")
def test_the_mechanism_of_figure_8_3_moves_the_same_by_every_method(figure, state, rng):
    """Also by the sparse equation, although its constraints repeat one another."""
    y, yd, _ = state
    model, tau = figure.model(), rng.normal(size=4) * 5
    motion = lc.by_closure_function(model, figure.gamma, y, yd)
    ydd = lc.independent_accelerations(model, motion, tau)
    close(figure.force(figure.closed, y, yd, ydd), figure.way(y)[0].T @ tau, 1e-6)
    close(sm.by_sparse_equation(model, motion.q, motion.qd, tau).qdd, motion.G @ ydd + motion.g, 1e-6)
    for method in METHODS:
        qdd, _ = by_loop_constraints(model, motion.q, motion.qd, tau, method=method)
        close(qdd, motion.G @ ydd + motion.g, 1e-6)


@pytest.mark.source("RBDA-S8.11-1", "RBDA-S8.11-2")
def test_the_triangle_needs_d_above_zero_and_loses_its_angle_where_both_sides_coincide(rng):
    """And its explicit formulae cost a small part of the general method."""
    figure, same = Figure83(rng), Figure83(rng, l1=0.8, l2=0.8)
    model, y, yd = figure.model(), np.array([0.7, 0.3]), np.array([1.0, -2.0])
    for y_1 in np.linspace(-3, 3, 13):
        q = np.array(figure.gamma([y_1, 0.2]))
        other = np.array([q[0], q[1] + np.pi, -q[2], q[3]])
        close(np.array([P for P, _ in figure.tree(q)][:3:2]), np.array([P for P, _ in figure.tree(other)][:3:2]))
        close(loop_errors(model, other, np.zeros(4))[0], np.zeros(5))               # closed too, but with d < 0
        assert q[2] > 0
    (cluster,) = loop_clusters(model)
    assert cluster.joints == [1, 2, 3]

    assert same.way([1e-7, 0])[1] < 1e-6
    turned = [np.array(same.gamma([y_1, 0.0]))[1] for y_1 in (1e-6, -1e-6)]
    assert abs(turned[0] - turned[1]) > 3                       # no limit at y_1 = 0
    with pytest.raises(ZeroDivisionError), np.errstate(divide="raise", invalid="raise"):
        same.printed([0.0, 0.0], [1.0, 0.0])
    assert np.isfinite(figure.printed([0.0, 0.0], [1.0, 0.0])).all()

    explicit, _ = count_operations(figure.printed, y, yd)
    counted, (G, g) = count_operations(
        lambda q, qd: constraint_solution(*loop_constraints(model, q, qd)[:2], None, (0, 3)),
        *compliant(figure, y, yd, yd)[:2])
    close(G, figure.G_and_g(y, yd)[0], 1e-10)
    close(g, figure.G_and_g(y, yd)[1], 1e-10)
    assert (G[3] == [0, 1]).all() and (G[:3, 1] == 0).all()     # a 3 x 1 and a 1 x 1 block
    assert sum(counted.values()) > 10 * sum(explicit.values())


@pytest.mark.source("RBDA-A8.11")
def test_a_simulation_in_independent_variables_keeps_the_loop_closed_and_the_energy():
    figure = Figure83(np.random.default_rng(5))
    model, tau, times = figure.model(), np.zeros(4), np.linspace(0, 0.4, 3)

    def motion(x):
        return lc.by_closure_function(model, figure.gamma, x[:2], x[2:])

    def by_y(t, x):
        return [*x[2:], *lc.independent_accelerations(model, motion(x), tau)]

    def by_q(t, x):
        return [*x[4:], *by_loop_constraints(model, x[:4], x[4:], tau, T_stab=0.1)[0]]

    start = np.array([0.9, 0.4, 0.8, -1.0])
    paths = (solve_ivp(rate, (0, 0.4), x, "DOP853", times, rtol=1e-9, atol=1e-9).y.T
             for rate, x in ((by_y, start), (by_q, np.concatenate(motion(start)[:2]))))
    for row_y, row_q in zip(*paths, strict=True):
        found = motion(row_y)
        assert figure.energy(*np.split(row_y, 2)) == pytest.approx(figure.energy(*np.split(start, 2)), rel=1e-7)
        close(np.concatenate([found.q, found.qd]), row_q, 1e-6)
        assert np.abs(loop_errors(model, found.q, found.qd)).max() < 1e-12


# 8.12 Inverse dynamics

@pytest.mark.source("RBDA-8.61")
def test_tree_forces_are_those_of_the_motion_less_what_the_loop_joint_does(figure, state, rng):
    """The loop joint's forces act on B1 and, reversed, on B3, as forces at the hinge and a torque of its motor."""
    y, yd, _ = state
    model, tau, motor = figure.model(), rng.normal(size=4) * 5, 1.7
    q, qd, _ = compliant(figure, y, yd, np.zeros(2))
    qdd, lam = by_loop_constraints(model, q, qd, tau, tau_loop={5: motor})
    force = lam[2] * direction(q[0]) + lam[3] * direction(q[0] + np.pi / 2)     # T: moments about x, y, then forces
    hinge = [lambda q: figure.l2 * direction(q[0]), lambda q: figure.tree(q)[2][0]]
    J_1, J_3 = (np.column_stack([derivative(lambda t, e=e, P=P: P(q + t * e)) for e in np.eye(4)]) for P in hinge)
    turning = motor * np.array([1.0, -1, 0, 0])                 # B1 turns with q1, B3 with q2
    close(figure.force(figure.tree, q, qd, qdd) - turning - (J_1 - J_3).T @ force, tau, 1e-6)


@pytest.mark.source("RBDA-8.62", "RBDA-S8.12-1", "RBDA-X8.2")
def test_all_forces_with_the_same_G_transposed_tau_give_the_same_motion(figure, state):
    """As many are free as there are independent constraints; those at joints 3 and 4 are no generalized force for y."""
    y, yd, ydd = state
    model, (q, qd, qdd) = figure.model(), compliant(figure, y, yd, ydd)
    G, _ = figure.way(y)
    tau, free = lc.inverse_dynamics(model, q, qd, qdd), null_space(G.T).T
    close(G.T @ tau, figure.force(figure.closed, y, yd, ydd), 1e-6)
    tau_ID = figure.force(figure.tree, q, qd, qdd)
    close(G.T @ tau, G.T @ tau_ID, 1e-6)
    close(free @ tau, np.zeros(2), 1e-9)
    assert len(free) == np.linalg.matrix_rank(loop_constraints(model, q, qd)[0]) == 2
    for force in free:
        close(solve_system(model, q, qd, tau + 10 * force).qdd, qdd, 1e-9)

    _, u_1, u_2, _, _ = figure.printed(y, yd)
    at_3_and_4, at_1_and_4 = (lc.inverse_dynamics(model, q, qd, qdd, places) for places in ([2, 3], [0, 3]))
    close(at_3_and_4[2:], np.array([[1 / u_2, u_1 / u_2, 1, 0], [0, 0, 0, 1]]) @ tau_ID, 1e-6)
    assert abs(at_3_and_4[2:] @ yd - at_3_and_4 @ qd) > 1e-3
    close(at_1_and_4[[0, 3]] @ yd, at_1_and_4 @ qd, 1e-12)
    close(at_1_and_4 @ qd, at_3_and_4 @ qd, 1e-9)


PROPER, REDUNDANT = [[0, 3], [1, 3], [2, 3]], [[0, 1, 3], [0, 1, 2, 3]]
UNDER = [[3], [0, 1], [0, 2], [1, 2], [0, 1, 2]]


@pytest.mark.source("RBDA-S8.12-2", "RBDA-S8.12-3", "RBDA-8.63", "RBDA-X8.2")
@pytest.mark.parametrize("places", [*PROPER, *UNDER, *REDUNDANT], ids=str)
def test_the_three_cases_of_actuation(places, figure, state):
    y, yd, ydd = state
    model, (q, qd, qdd) = figure.model(), compliant(figure, y, yd, ydd)
    found, G_u = lc.actuation(model, q, places), figure.way(y)[0][places]
    assert found.mobility == 2 and found.rank == reach(model, q, qd, places) == np.linalg.matrix_rank(G_u, 1e-9)
    assert found.underactuated == (places in UNDER)
    assert found.redundant == (len(places) > found.rank)
    assert found.proper == (places in PROPER)
    if found.underactuated:
        with pytest.raises(ValueError, match="cannot give these accelerations"):
            lc.inverse_dynamics(model, q, qd, qdd, places)
        return
    tau = lc.inverse_dynamics(model, q, qd, qdd, places)
    close(solve_system(model, q, qd, tau).qdd, qdd, 1e-9)
    for idle in null_space(G_u.T).T:                            # other forces for the same accelerations
        other = tau.copy()
        other[places] += 3 * idle
        close(solve_system(model, q, qd, other).qdd, qdd, 1e-9)
    assert not np.delete(tau, places).any()
    if found.proper:
        close(G_u.T @ tau[places], figure.way(y)[0].T @ figure.force(figure.tree, q, qd, qdd), 1e-6)    # (8.63)
        close(tau[places], np.linalg.solve(G_u.T, figure.force(figure.closed, y, yd, ydd)), 1e-6)


# 8.13 The sparse matrix method

@pytest.mark.source("RBDA-8.64")
@pytest.mark.parametrize("joint", [Revolute((1, 2, 3)), Euler("zyx"), Reversed(Planar()), FreeMotion()], ids=str)
def test_the_sparse_equation_agrees_with_the_spanning_tree(joint):
    """In a closed loop, and in an open one that is stabilised and has a motor at its joint."""
    rng = np.random.default_rng(64)
    model, q, qd = random_loop(rng, joint)
    tau, f_ext = rng.normal(size=model.nv), {2: rng.normal(size=6), 5: rng.normal(size=6)}
    found = sm.by_sparse_equation(model, q, qd, tau, f_ext)
    expected = solve_system(model, q, qd, tau, f_ext)
    close(found.a, expected.a, 1e-9)
    close(found.qdd, expected.qdd, 1e-9)
    assert_allclose(found.lam[-1], by_loop_constraints(model, q, qd, tau, f_ext)[1], rtol=0, atol=1e-8)
    q, qd = model.integrate(q, 1e-3 * rng.normal(size=model.nv), 1.0), qd + 1e-2 * rng.normal(size=model.nv)
    tau_loop = {model.N_J: rng.normal(size=joint.nv)}
    found = sm.by_sparse_equation(model, q, qd, tau, None, 0.1, tau_loop=tau_loop)
    qdd, lam = by_loop_constraints(model, q, qd, tau, None, T_stab=0.1, tau_loop=tau_loop)
    close(found.qdd, qdd, 1e-9)
    assert_allclose(found.lam[-1], lam, rtol=0, atol=1e-9 * np.abs(lam).max(initial=1))


@pytest.mark.source("RBDA-S8.13-1", "RBDA-S8.13-2")
@pytest.mark.parametrize("joint", [Revolute((1, 2, 3)), Spherical(), Fixed()], ids=str)
def test_the_blocks_of_the_sparse_equation_follow_from_the_connectivity(joint, rng):
    """The incidence matrix has a one for the successor, minus one for the predecessor, and no more blocks than that."""
    model, q, qd = random_loop(rng, joint)
    equation = sm.block_equation(model, q, qd, rng.normal(size=model.nv))
    M, N_B = sm.sparse_matrix(equation)[0].toarray(), model.N_B
    ends = [(model.predecessor(j), model.successor(j)) for j in range(1, model.N_J + 1)]
    v = np.vstack([np.zeros(6), rng.normal(size=(N_B, 6))])
    rates = np.split(M[6 * N_B :, : 6 * N_B] @ v[1:].ravel(), np.cumsum([len(b) for b in equation.right[N_B:]])[:-1])
    for j, (p, s) in enumerate(ends):
        blocks = {row + 1: block for (row, column), block in equation.blocks.items() if column == N_B + j}
        assert set(blocks) == {p, s} - {0}
        T = blocks[s] if s else -blocks[p]
        assert all((block == {s: T, p: -T}[body]).all() for body, block in blocks.items())
        near(rates[j], T.T @ (v[s] - v[p]), 1e-12)
    diagonal = sum(row == column for row, column in equation.blocks)
    assert diagonal == N_B
    assert len(equation.blocks) - diagonal == 4 * model.N_J - 2 * sum(0 in pair for pair in ends)
    assert M.shape == (12 * N_B - model.nv + 6 - joint.nv,) * 2
    assert {(int(i), int(j)) for i, j in np.argwhere(sm.block_pattern(model))} == set(equation.blocks)


@pytest.mark.source("RBDA-S8.13-3", "RBDA-S8.13-4", "RBDA-8.64")
def test_trees_are_factorised_without_fill_in_in_a_number_of_steps_that_is_linear(rng):
    """They move as Lagrange's equations say. A sparse library orders, stores, factorises and substitutes."""
    for n, parent in ((10, range(10)), (10, None), (20, range(20)), (20, None)):
        tree = random_tree(rng, n, parent)
        q, qd, tau = rng.normal(size=(3, n))
        model = tree.model()
        equation = sm.block_equation(model, q, qd, tau)
        x, products, fill = sm.eliminate_blocks(equation, sm.elimination_order(model))
        assert fill == 0
        assert products == 2 * n - len(model.mu(0)) < eliminate_pattern(sm.block_pattern(model), range(2 * n))
        close(np.concatenate(x), np.concatenate(sm.solve_sparse(equation)), 1e-8)
        if n == 10:
            qdd = np.linalg.solve(tree.mass_matrix(q), tau - tree.lagrangian_bias(q, qd))
            close(sm.by_sparse_equation(model, q, qd, tau).qdd, qdd, 1e-8)

    equation = sm.block_equation(random_tree(rng, 30, range(30)).model(), *rng.normal(size=(3, 30)))
    M, b = sm.sparse_matrix(equation)
    factors, unordered = splu(M, permc_spec="COLAMD"), splu(M[:, ::-1], permc_spec="NATURAL")
    for x in (np.concatenate(sm.solve_sparse(equation)), factors.solve(b)):
        close(x, np.linalg.solve(M.toarray(), b), 1e-7)
    stored = factors.L.nnz + factors.U.nnz
    assert M.nnz <= stored < unordered.L.nnz + unordered.U.nnz and stored < 0.1 * M.shape[0] ** 2


def eliminate_pattern(pattern, order):
    """How many products elimination in this order takes, by the pattern alone."""
    pattern, count = pattern.copy(), 0
    for turn, p in enumerate(order):
        rest = [r for r in order[turn + 1 :] if pattern[r, p]]
        pattern[np.ix_(rest, rest)] = True
        count += len(rest) ** 2
    return count


def ladder(rungs):
    """A ladder that hangs on the base at body 1, as a model with loops, and its joints as pairs (i, j) of bodies."""
    n = 2 * rungs
    rails = [(max(b - 2, 0) if b > 2 else b - 1, b) for b in range(1, n + 1)]
    steps = [(b, b + 1) for b in range(3, n, 2)]
    model = Model([p for p, _ in rails], [Revolute()] * n, [xlt([1, 0, 0])] * n, [mcI(1, [0, 0, 0], np.eye(3))] * n,
                  loops=[LoopJoint(p, s, Revolute(), np.eye(6), np.eye(6)) for p, s in steps])
    return model, rails + steps


@pytest.mark.source("RBDA-F8.4")
def test_a_ladder_has_a_matrix_of_fixed_bandwidth():
    counts = []
    for rungs in (2, 3, 10, 20):
        model, joints = ladder(rungs)
        place = {(b,): b - 1 for b in model.bodies} | {ends: model.N_B + k for k, ends in enumerate(joints)}
        rows = [row for b in range(1, 2 * rungs, 2) for row in ((b,), (b + 1,), (b, b + 1), (b, b + 2), (b + 1, b + 3))
                if row in place]
        order = [place[row] for row in rows]
        pattern = sm.block_pattern(model)[np.ix_(order, order)]
        assert np.abs(np.subtract(*np.nonzero(pattern))).max() == 3
        assert rows[:3] == [(1,), (2,), (1, 2)] and len(rows) == len(place) - 1         # without the joint to the base
        counts.append(eliminate_pattern(pattern, range(len(rows))) / rungs)
    assert max(counts) < 5 * 9                                  # O(n): at most 3² products for each of 5 rows per rung


@pytest.mark.source("RBDA-S8.13-5")
def test_every_spanning_tree_of_a_ladder_fills_a_part_of_H_that_does_not_shrink():
    """All spanning trees of short ladders, from every root; of long ones those found by search in breadth."""
    def filled(root, edges):
        """The elements of H that are not zero, with the bodies numbered as a search in breadth finds them."""
        graph = np.zeros((n, n))
        graph[tuple(np.transpose(edges))] = 1
        found, before = breadth_first_order(graph, root, directed=False)
        if len(found) < n:
            return n * n                                    # no tree: some node is not reached
        parent = [0, *(list(found).index(before[node]) + 1 for node in found[1:])]
        body = mcI(1, [0, 0, 0], np.eye(3))
        return sparsity_pattern(Model(parent, [Revolute()] * n, [np.eye(6)] * n, [body] * n)).sum()

    for rungs in (2, 3, 5, 20):
        n = 2 * rungs
        edges = [(b, b + 1) for b in range(0, n, 2)] + [(b, b + 2) for b in range(n - 2)]
        if rungs < 5:
            trees = itertools.product(range(n), itertools.combinations(edges, n - 1))
            assert min(filled(root, chosen) for root, chosen in trees) >= n * n / 4
        else:
            assert 0.25 < min(filled(root, edges) for root in (0, rungs, n - 1)) / n**2 < 0.5
            assert sm.block_pattern(ladder(rungs)[0]).sum() < 20 * n        # while Eq. 8.64 has O(n) blocks


@pytest.mark.source("RBDA-S8.13-6")
def test_the_sparse_method_where_the_matrix_is_singular_and_where_the_loop_is_open():
    """8.64 has many solutions lam, on which a does not depend; the error of an open loop changes as 8.22 says."""
    model = load_model("four_bar")
    q, qd = project(model, close_loops(model, [0.7, 0, 1.3], independent=[0]), [2.0, 0, 0])
    equation, found = sm.block_equation(model, q, qd, [1.0, 0, 0]), sm.by_sparse_equation(model, q, qd, [1.0, 0, 0])
    M, b = sm.sparse_matrix(equation)
    M = M.toarray()
    assert np.linalg.matrix_rank(M, 1e-9) == len(M) - 3
    close(found.a[1:].ravel(), np.linalg.lstsq(M, b, rcond=1e-9)[0][:18], 1e-8)
    close(found.qdd, solve_system(model, q, qd, [1.0, 0, 0]).qdd, 1e-9)
    with pytest.raises(ValueError, match="singular"):
        sm.eliminate_blocks(equation, sm.elimination_order(model))

    q, qd = q + [0, 1e-4, 0], qd + [0, 1e-3, -2e-3]

    def error(t, qdd=0):
        return loop_errors(model, q + t * qd + t * t / 2 * qdd, qd)[0]

    delta, rate = error(0.0), slope(error)
    assert np.abs(delta).max() > 1e-5 and np.abs(rate).max() > 1e-4
    for T, expected in ((0.01, -2 / 0.01 * rate - delta / 0.01**2), (None, 0 * delta)):
        qdd = sm.by_sparse_equation(model, q, qd, np.zeros(3), None, T).qdd
        change = slope(lambda t, qdd=qdd: derivative(lambda s: error(s, qdd), t))
        assert np.abs(change - expected).max() < 0.06 * np.abs(delta).max() / 0.01**2
