"""Spatial operator algebra, section 5, row by row: articulated bodies, and the O(N) algorithms of all the authors. What
a row says is compared with bodies placed by geometry: their mass matrix, accelerations and forces, and the inertia that
a floppy part of the mechanism shows when it is pushed. Derivatives are by differences, good to about 1e-10. Where the
text errs (data/errata.csv), the printed form is shown to fail."""

import re
from functools import cache

import numpy as np
import pytest
import sympy as sp

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.texts.soa import order_n
from rbdlib.texts.soa.operators import chain
from rbdlib.texts.soa.order_n import authors
from rbdlib.texts.soa.order_n.authors import NOTATION
from tests.sources.helpers import close, far, near
from tests.sources.soa_systems import RATES, SYSTEMS, block, diagonal, named_system, serial_system

SEED = 56


class Rest:
    """A system at rest and free of weight under joint forces T_bar, in the order of the links: all by geometry.
    beta_dot: the accelerations, by its mass matrix. alpha[k], f[k]: accelerations at O_k, and forces at O_k that joint
    k gives to all that it carries. P(k), z(k): what the part beyond joint k feels like. c, A, sweeps: by rbdlib."""
    def __init__(self, system, T_bar):
        self.system, self.T_bar, self.links, self.n = system, T_bar, system.links, system.n
        self.beta_dot = np.linalg.solve(system.mass_matrix(), T_bar)
        self.alpha = [None, *(system.ways_at(k) @ self.beta_dot for k in self.links), np.zeros(6)]
        self.f = [None, *(sum(block(system.lever(k, j)) @ system.M(j) @ self.alpha[j] for j in system.outboard(k))
                          for k in self.links)]
        self.H = [None, *(system.H_star(k).T for k in self.links)]
        self.phi = [None, *(block(system.lever(system.inboard(k), k)) for k in self.links)]
        self.c = chain(system.model, system.q)
        self.A = order_n.articulated_inertias(self.c)
        self.sweeps = order_n.two_sweeps(self.c, self.A, T_bar, moving=False)

    def at(self, k):
        return self.system.variables(k)

    def inboard(self, k):
        return self.system.inboard(k)

    def children(self, k):
        return [j for j in self.links if self.inboard(j) == k]

    def P(self, k):
        return floppy_inertia(self.system, k)

    def D(self, k):
        return self.H[k] @ self.P(k) @ self.H[k].T

    def G(self, k):
        return self.P(k) @ self.H[k].T @ np.linalg.inv(self.D(k))

    def tau_bar(self, k):
        return projection(self.P(k), self.H[k]).T

    def psi(self, k):
        return self.phi[k] @ self.tau_bar(k)

    def z(self, k):
        return self.f[k] - self.P(k) @ self.alpha[k]


@cache
def floppy_inertia(system, k):
    """The inertia at O_k of all that joint k carries with the joints beyond it free, from its response to pushes."""
    beyond = [i for j in system.outboard(k) if j != k for i in system.variables(j)]
    J = [(np.column_stack([block(system.lever(k, j)).T, system.ways_at(j)[:, beyond]]), j) for j in system.outboard(k)]
    whole = sum(J_j.T @ system.M(j) @ J_j for J_j, j in J)
    response = np.linalg.inv(whole)[:6, :6]
    return np.linalg.inv(response)


def projection(P, H, along=None):
    """The projection along Range(H*), or another space, onto Null(H P), by its eigenvectors: 0 and 1 for the two."""
    _, _, V = np.linalg.svd(H @ P)
    basis, r = np.column_stack([H.T if along is None else along, V[len(H) :].T]), len(H)
    return basis @ np.diag([0] * r + [1] * (6 - r)) @ np.linalg.inv(basis)


@pytest.fixture(params=SYSTEMS)
def system(request):
    return named_system(request.param)


@cache
def at_rest(system):
    """The system at rest under joint forces at random."""
    return Rest(system, np.random.default_rng(56).normal(size=system.model.nv))


@pytest.fixture
def rest(system):
    return at_rest(system)


# The articulated-body algorithm

@pytest.mark.source("SOA-31")
def test_the_force_is_an_inertia_times_alpha_plus_what_the_forces_beyond_do(rest, rng):
    """By geometry alone: what f - P alpha changes with is the forces of the joints that joint k carries."""
    for k in rest.links:
        near(rest.A.P[k] @ rest.alpha[k] + rest.sweeps.z[k], rest.f[k], RATES)
    for j in rest.links:
        if not rest.at(j):
            continue
        T_bar = rest.T_bar.copy()
        T_bar[rest.at(j)] += 5 * rng.uniform(1, 2, len(rest.at(j)))
        other = Rest(rest.system, T_bar)
        for k in rest.links:
            beyond = [i for i in rest.system.outboard(k) if i != k]
            if j not in beyond:
                near(other.z(k), rest.z(k), RATES)
            elif not any(len(rest.at(i)) == 6 for i in beyond if i != j and j in rest.system.outboard(i)):
                far(other.z(k), rest.z(k))              # a free joint between would let nothing through


@pytest.mark.source("SOA-32", "SOA-33", "SOA-34", "SOA-37", "SOA-46", "SOA-S5-3", "SOA-45", "SOA-S5-5", "SOA-SN-3")
def test_the_two_sweeps(rest):
    """The equation of each joint, forces and accelerations from link to link, by geometry and by the recursions. nu and
    epsilon have as many components as the joint has freedoms, and not 6 as the list of symbols says."""
    sweeps, A = rest.sweeps, rest.A
    near(sweeps.alpha[rest.n + 1], rest.alpha[rest.n + 1])
    for k in rest.links:
        T, z, H, P, D, alpha = rest.T_bar[rest.at(k)], rest.z(k), rest.H[k], rest.P(k), rest.D(k), rest.alpha[k]
        epsilon, beta_dot = T - H @ z, rest.beta_dot[rest.at(k)]
        nu, alpha_plus = np.linalg.solve(D, epsilon), rest.phi[k].T @ rest.alpha[rest.inboard(k)]
        near(H @ rest.f[k], T, RATES)                                                   # (32)
        near(H @ P @ alpha + H @ z, T, RATES)
        near(D @ beta_dot + H @ P @ alpha_plus, epsilon, RATES)
        near(nu - rest.G(k).T @ alpha_plus, beta_dot, RATES)
        assert A.G[k].shape == A.K[k].shape == (6, len(T))
        assert sweeps.epsilon[k].shape == sweeps.nu[k].shape == (rest.system.H_star(k).shape[1],)       # (SN-3)
        near(A.G[k] @ D, P @ H.T, RATES)                                                # (33)
        near(A.K[k], rest.phi[k] @ rest.G(k), RATES)
        near(H @ A.G[k], np.eye(len(T)), 1e-12)
        near(alpha_plus + H.T @ beta_dot, alpha, RATES)                                 # (34)
        near(rest.psi(k).T @ rest.alpha[rest.inboard(k)] + H.T @ nu, alpha, RATES)      # (S5-3)
        near(sum((rest.phi[j] @ rest.f[j] for j in rest.children(k)), rest.system.M(k) @ alpha), rest.f[k], RATES)
        for ours, theirs in ((sweeps.z, z), (sweeps.epsilon, epsilon), (sweeps.nu, nu), (sweeps.alpha, alpha),
                             (sweeps.alpha_plus, alpha_plus), (A.D, D)):                # (46)
            near(ours[k], theirs, RATES)
        assert all(np.linalg.eigvalsh(D) > 0)
    assert any(nu.shape != (6,) for nu in sweeps.nu[1:])
    near(sweeps.beta_dot, rest.beta_dot, RATES)
    model, q, tau = rest.system.model.replace(gravity=(0, 0, 0)), rest.system.q, rest.c.to_model(rest.T_bar)
    near(order_n.articulated_body(model, q, 0 * tau, tau), articulated_bodies(model, q, 0 * tau, tau).qdd)
    merged = authors.propagate(authors.links_at_rest(model, q, 0 * tau, tau), authors.hinge)    # (S5-5)
    for k in rest.links:
        i = rest.system.body(k)
        for ours, theirs in ((merged.inertia, A.P), (merged.force, sweeps.z), (merged.joint_inertia, A.D)):
            near(ours[i], theirs[k], 1e-12)
    near(rest.c.to_chain(merged.qdd), sweeps.beta_dot, 1e-12)


@pytest.mark.source("SOA-35", "SOA-36", "SOA-38", "SOA-S5-4")
def test_a_floppy_part_passes_on_a_projection_of_the_acceleration(system, rng):
    """Without forces beyond O_k: alpha is alpha+ and what the joint yields, which is a projection; f = P alpha."""
    for k in system.links:
        T_bar = rng.normal(size=system.model.nv)
        T_bar[[i for j in system.outboard(k) for i in system.variables(j)]] = 0
        rest = Rest(system, T_bar)
        i, P, H, tau_bar, l = rest.inboard(k), rest.P(k), rest.H[k], rest.A.tau_bar[k], system.lever(rest.inboard(k), k)
        alpha_plus = rest.alpha[i] + np.append(np.zeros(3), np.cross(rest.alpha[i][:3], l))
        near(rest.phi[k].T @ rest.alpha[i], alpha_plus, RATES)                          # (35)
        near(alpha_plus + H.T @ rest.beta_dot[rest.at(k)], rest.alpha[k], RATES)
        near(P @ rest.alpha[k], rest.f[k], RATES)                                       # (36)
        near(H @ rest.f[k], np.zeros(len(H)), RATES)
        near(tau_bar.T @ alpha_plus, rest.alpha[k], RATES)                              # (38)
        near(tau_bar.T @ H.T, np.zeros((6, len(H))), 1e-7)
        near(H @ P @ tau_bar.T, np.zeros((len(H), 6)), 1e-6)
        near(rest.A.psi[k].T @ rest.alpha[i], rest.alpha[k], RATES)                     # S5-4
        near(P @ rest.A.psi[k].T @ rest.alpha[i], rest.f[k], RATES)


@pytest.mark.source("SOA-S5-1")
def test_two_null_spaces_determine_a_projection(rng):
    for r in (1, 3, 5):
        X, Y = rng.normal(size=(2, 6, r))
        Q = np.eye(6) - Y @ np.linalg.inv(X.T @ Y) @ X.T
        close(Q, projection(np.eye(6), X.T, Y), 1e-11)
        for product in (Q @ Q - Q, X.T @ Q, Q @ Y):
            close(product, 0 * product, 1e-11)


@pytest.mark.source("SOA-39", "SOA-41", "SOA-45")
def test_the_articulated_projection_and_what_is_felt_through_a_joint(rest):
    for k in rest.links:
        H, P, G, P_plus, onto = rest.H[k], rest.P(k), rest.A.G[k], rest.A.P_plus[k], projection(rest.P(k), rest.H[k])
        tau, tau_bar = G @ H, np.eye(6) - G @ H
        for form in (rest.A.tau_bar[k].T, np.eye(6) - H.T @ np.linalg.inv(H @ P @ H.T) @ H @ P, tau_bar.T):
            near(form, onto, RATES)                                                     # (39)
        for Q in (tau, tau_bar):
            near(Q @ Q, Q, RATES)
        assert np.linalg.matrix_rank(tau, 1e-6) == len(H)
        for form in (P @ onto, onto.T @ P, onto.T @ P @ onto):
            near(form, P_plus, RATES)                                                   # (41)
        near(P_plus, P_plus.T, 1e-11)
        size = np.abs(P).max()
        assert np.linalg.eigvalsh(P_plus).min() > -1e-11 * size
        near(P_plus @ H.T / size, np.zeros((6, len(H))), RATES)


@pytest.mark.source("SOA-40", "SOA-42", "SOA-S5-2", "SOA-45")
def test_the_recursion_of_articulated_inertias(rest):
    """From the floppy inertia of each part, by pushes, to that of the next; and it is that of the other book."""
    system = rest.system
    bodies = articulated_bodies(system.model, system.q, system.qd, system.qdd)
    for k in rest.links:
        felt = [(rest.phi[j] @ rest.P(j) @ rest.tau_bar(j).T @ rest.phi[j].T, rest.psi(j) @ rest.P(j) @ rest.psi(j).T)
                for j in rest.children(k)]
        near(sum((by_phi for by_phi, _ in felt), system.M(k)), rest.P(k), RATES)        # (40)
        near(sum((by_psi for _, by_psi in felt), system.M(k)), rest.P(k), RATES)        # (42)
        near(rest.A.P[k], rest.P(k), RATES)
        near(rest.A.psi[k], rest.psi(k), RATES)
        turn = system.world_axes(system.body(k))
        near(rest.A.P[k], turn @ bodies.I_A[system.body(k)] @ turn.T)
        close(rest.A.P[k], rest.A.P[k].T, 1e-12)                                        # (S5-2)
        assert np.linalg.eigvalsh(rest.A.P[k]).min() > 0


@pytest.mark.source("SOA-43", "SOA-44")
def test_the_recursion_of_correction_forces(rest):
    """In the display before Eq. 43 alpha must be psi* alpha + H* nu; with Eq. 38, without nu, only phi z is left."""
    lost = []
    for k in rest.links:
        forms = np.zeros((4, 6))
        for j in rest.children(k):
            T, z, P, phi = rest.T_bar[rest.at(j)], rest.z(j), rest.P(j), rest.phi[j]
            passed_on, nu = rest.psi(j).T @ rest.alpha[k], np.linalg.solve(rest.D(j), T - rest.H[j] @ z)
            forms += [phi @ (rest.f[j] - P @ passed_on), phi @ (P @ (passed_on + rest.H[j].T @ nu) + z - P @ passed_on),
                      rest.psi(j) @ z + phi @ rest.G(j) @ T, phi @ (z + rest.G(j) @ (T - rest.H[j] @ z))]
            lost.append(phi @ (P @ passed_on + z - P @ passed_on) - rest.psi(j) @ z - phi @ rest.G(j) @ T)
        for form in (*forms, rest.sweeps.z[k]):
            near(form, rest.z(k), RATES)
        near(rest.sweeps.z_plus[k], rest.z(k) + rest.G(k) @ (rest.T_bar[rest.at(k)] - rest.H[k] @ rest.z(k)), RATES)
    far(np.concatenate(lost), 0)


# The same algorithm in the words of others

@pytest.mark.source("SOA-A5-1")
def test_vereshchagin_finds_the_accelerations_of_least_constraint():
    """The sum of alpha* M alpha / 2 + alpha* b - beta_dot* T is least at the accelerations of the moving system. His P
    and R are those of the two sweeps, in which f is P (alpha - a) + z."""
    system = serial_system("arm")
    model, T, units = system.model.replace(gravity=(0, 0, 0)), system.T(), np.eye(system.model.nv)

    links = [(system.M(k), system.alpha[k], system.ways_at(k), system.net_force(k)) for k in system.links]

    def cost(change):
        moved = [(M, alpha + ways @ change, f - M @ alpha) for M, alpha, ways, f in links]
        return sum(x @ M @ x / 2 + x @ b for M, x, b in moved) - (system.beta_dot + change) @ T

    slopes = np.array([(cost(e) - cost(-e)) / 2 for e in units])
    curvature = np.array([[cost(d + e) - cost(d) - cost(e) + cost(0 * e) for e in units] for d in units])
    near(np.linalg.solve(curvature, slopes), 0 * T, RATES)
    assert np.linalg.eigvalsh(curvature).min() > 0
    tau = system.joint_forces(gravity=False, external=False)
    near(order_n.vereshchagin(model, system.q, system.qd, tau), system.qdd, RATES)
    c = chain(model, system.q, system.qd)
    found = authors.propagate(authors.links_from_base(model, system.q, system.qd, tau), authors.least_cost)
    A = order_n.articulated_inertias(c)
    for k in system.links:
        near(found.inertia[system.body(k)], floppy_inertia(system, k), RATES)
        near(found.force[system.body(k)], order_n.two_sweeps(c, A, T).z[k] - A.P[k] @ c.a[k], RATES)


@pytest.mark.source("SOA-A5-1")
def test_the_principle_is_gausss_of_least_constraint_and_not_of_least_action():
    """A pendulum, m = l = g = 1, that rests at the bottom: from half a period on other paths have less action. Gauss's
    function of the acceleration is least at the true one in every state, and that is what is computed."""
    for T, least in ((3.0, True), (3.3, False), (10.0, False)):
        w, t = np.pi / T, (np.arange(4000) + 0.5) * T / 4000
        rest, other = ((rate**2 / 2 + np.cos(path)).mean() * T for path, rate in (
            (0 * t, 0 * t), (0.1 * np.sin(w * t), 0.1 * w * np.cos(w * t))))
        assert (other > rest) == least
    pendulum = Model([0], [Revolute("z")], [np.eye(6)], [mcI(1.0, [1.0, 0, 0], np.zeros((3, 3)))], (1.0, 0, 0))
    for theta in (0.0, 0.4, 2.0):
        qdd = np.linspace(-2, 2, 4001)
        constraint = (qdd + np.sin(theta)) ** 2 / 2
        near(order_n.vereshchagin(pendulum, [theta], [0.7], [0.0]), qdd[[constraint.argmin()]], 1e-3)


@pytest.fixture(params=["balls", "balls, tree"])
def armstrongs(request):
    """A chain, and a tree, of spherical joints of every kind."""
    rest = at_rest(named_system(request.param))
    return rest, authors.armstrong_recursion(rest.c, rest.T_bar)


@pytest.mark.source("SOA-47")
def test_armstrongs_linear_forms(armstrongs, rng):
    """The accelerations of the bodies and the forces in the joints, by geometry, are those linear forms."""
    rest, a = armstrongs
    for k in rest.links:
        wd, vd = rest.alpha[k][:3], rest.alpha[k][3:]
        near(a.Omega_w[k] @ vd + a.Upsilon_w[k], wd, RATES)
        near(a.Omega_F[k] @ vd + a.Upsilon_F[k], rest.f[k][3:], RATES)
        near(a.N[k], rest.f[k][:3], RATES)
        T_bar = rest.T_bar.copy()
        T_bar[[i for j in rest.links if j not in rest.system.outboard(k) for i in rest.at(j)]] += 1
        other = authors.armstrong_recursion(rest.c, T_bar)
        for name in ("Omega_w", "Omega_F", "Upsilon_w", "Upsilon_F"):
            near(getattr(other, name)[k], getattr(a, name)[k], 1e-12)
        T_bar[rest.at(k)] += 1
        far(authors.armstrong_recursion(rest.c, T_bar).Upsilon_w[k], a.Upsilon_w[k])


@pytest.mark.source("SOA-48", "SOA-49", "SOA-S5-6")
def test_armstrongs_recursion(armstrongs):
    """His quantities are parts of P and z, which pushes reveal; their recursion; the accelerations. The first of the
    two printed forms of Upsilon_F in Eq. 48 fails, and z_F is not what the scan shows, which is z_N."""
    rest, a = armstrongs
    for k in rest.links:
        P, N, z, children = rest.P(k), rest.f[k][:3], rest.z(k), rest.children(k)
        J, mp, m1 = rest.system.M(k)[:3, :3], rest.system.M(k)[:3, 3:], rest.system.M(k)[3:, 3:]
        l, through = {j: rest.phi[j][:3, 3:] for j in children}, {j: felt(rest, j) for j in children}
        Gamma, L = np.linalg.inv(P[:3, :3]), -P[:3, 3:]                                 # (S5-6)
        near(np.linalg.inv(J - sum(l[j] @ through[j][0] @ l[j] for j in children)), Gamma, RATES)       # (48)
        near(-(sum(l[j] @ through[j][0] for j in children) + mp), L, RATES)
        moments = N - sum(rest.f[j][:3] + l[j] @ through[j][1] for j in children)
        near(moments, N - z[:3], RATES)
        if children:
            far(N - moments, z[3:])                                                     # z_F of the scan
            far(L.T @ Gamma @ moments, felt(rest, k)[1])                                # (48) as printed first
        Omega_F, Upsilon_F = felt(rest, k)                                              # (49)
        near(sum(through[j][0] for j in children) + m1 - L.T @ Gamma @ L, Omega_F, RATES)
        near(sum((through[j][0] for j in children), m1), P[3:, 3:], RATES)
        near(sum((through[j][1] for j in children), np.zeros(3)), z[3:], RATES)
        near(z[3:] - L.T @ Gamma @ moments, Upsilon_F, RATES)
        for ours, theirs in ((a.Gamma, Gamma), (a.Lambda, L), (a.Omega_w, Gamma @ L), (a.Upsilon_w, Gamma @ moments),
                             (a.Omega_F, Omega_F), (a.Upsilon_F, Upsilon_F), (a.wd, rest.alpha[k][:3]),
                             (a.vd, rest.alpha[k][3:])):
            near(ours[k], theirs, RATES)
        near(N, P[:3] @ rest.alpha[k] + z[:3], RATES)
    near(a.beta_dot, rest.beta_dot, RATES)
    given = np.random.default_rng(8).normal(size=(2, 15))
    model, q = rest.system.model, rest.system.q
    near(order_n.armstrong(model, q, *given), articulated_bodies(model, q, *given).qdd)


def felt(rest, k):
    """Omega_F and Upsilon_F of F = Omega_F vd + Upsilon_F: the force at O_k when the moment there is given."""
    P, z, N = rest.P(k), rest.z(k), rest.f[k][:3]
    P11, P12, P22 = P[:3, :3], P[:3, 3:], P[3:, 3:]
    return P22 - P12.T @ np.linalg.inv(P11) @ P12, z[3:] + P12.T @ np.linalg.inv(P11) @ (N - z[:3])


@pytest.mark.source("SOA-S5-7")
def test_what_passes_through_a_joint_depends_on_its_type(rest):
    """P+ has the rank 6 - r_v: 5 for one freedom; only for spherical joints is it a linear part alone."""
    for k in rest.links:
        r, P_plus = len(rest.at(k)), rest.A.P_plus[k]
        felt_here = rest.P(k) @ rest.tau_bar(k).T
        for matrix in (P_plus, felt_here):
            assert np.linalg.matrix_rank(matrix, 1e-7 * np.abs(rest.A.P[k]).max()) == 6 - r
        if r == 1:
            far(P_plus[:3], 0 * P_plus[:3])
    spherical = at_rest(named_system("balls, tree"))
    a = authors.armstrong_recursion(spherical.c, spherical.T_bar)
    for k in spherical.links:
        whole = np.zeros((6, 6))
        whole[3:, 3:] = a.Omega_F[k]
        near(spherical.A.P_plus[k], whole, 1e-11)


@pytest.mark.source("SOA-A5-2")
def test_featherstones_algorithm_is_that_of_his_book(system):
    """Every quantity of Table 7.1, in motion, under gravity and other forces, turned to world axes."""
    model, q, qd, tau, f_ext = system.model, system.q, system.qd, system.joint_forces(), system.f_ext
    links = authors.with_spatial_accelerations(authors.links_from_base(model, q, qd, tau, f_ext))
    found = authors.propagate(links, authors.handle)
    bodies = articulated_bodies(model, q, qd, tau, f_ext)
    for i in model.bodies:
        turn = system.world_axes(i)
        near(found.inertia[i], turn @ bodies.I_A[i] @ turn.T)
        near(found.force[i], turn @ bodies.p_A[i])
        near(found.joint_inertia[i], bodies.D[i])
        near(found.acceleration[i], turn @ bodies.a[i])
    near(found.qdd, system.qdd, RATES)


@pytest.mark.source("SOA-A5-3")
def test_rodriguez_filters_and_smooths(rest):
    """Moving, the accelerations by geometry; at rest, the operator expression of the inverse is the recursion."""
    system = rest.system
    near(order_n.rodriguez(system.model, system.q, system.qd, system.joint_forces(), system.f_ext), system.qdd, RATES)
    K = below_diagonal(rest, lambda k: rest.phi[k] @ rest.G(k))
    psi = np.linalg.inv(np.eye(6 * rest.n) - below_diagonal(rest, rest.psi))
    W_inv = np.eye(len(rest.T_bar)) - system.H() @ psi @ K
    by_operators = W_inv.T @ np.linalg.inv(whole(rest, rest.D)) @ W_inv @ rest.T_bar
    near(by_operators, rest.sweeps.beta_dot, 1e-6)
    tau = rest.c.to_model(rest.T_bar)
    model = system.model.replace(gravity=(0, 0, 0))
    near(order_n.rodriguez(model, system.q, 0 * tau, tau), rest.c.to_model(by_operators), 1e-6)


def whole(rest, part):
    """diag[part(1), .., part(n)]."""
    return diagonal([part(k) for k in rest.links])


def below_diagonal(rest, part):
    """The matrix whose block in the rows of inboard(k) and the columns of link, or joint, k is part(k)."""
    columns = []
    for k in rest.links:
        block_k, i = part(k), rest.inboard(k)
        columns.append(np.zeros((6 * rest.n, block_k.shape[1])))
        if i <= rest.n:
            columns[-1][6 * i - 6 : 6 * i] = block_k
    return np.column_stack(columns)


@pytest.mark.source("SOA-A5-4", "SOA-A5-6")
def test_brandl_johanni_and_otter_and_rosenthal_with_joints_of_several_freedoms(system):
    """Hinge forces of the former. The latter divides by numbers only: a joint's pivots multiply to the det of its D."""
    model, q, qd, tau, f_ext = system.model, system.q, system.qd, system.joint_forces(), system.f_ext
    links = authors.links_from_base(model, q, qd, tau, f_ext)
    by_hinge, by_speed = (authors.propagate(links, step) for step in (authors.hinge, authors.speed_by_speed))
    near(order_n.brandl_johanni_otter(model, q, qd, tau, f_ext), system.qdd, RATES)
    near(by_speed.qdd, system.qdd, RATES)
    for k in system.links:
        i, P, H = system.body(k), floppy_inertia(system, k), system.H_star(k).T
        transmitted = by_hinge.inertia[i] @ by_hinge.acceleration[i] + by_hinge.force[i]
        near(transmitted, system.f(k, gravity=True, external=True), RATES)
        near(by_speed.inertia[i], P, RATES)
        near(by_speed.joint_inertia[i], H @ P @ H.T, RATES)


def variational(rest):
    """What Bae and Haug's algorithm finds for a system at rest: Q, Q + L, M + K_b, accelerations, by link."""
    model, tau = rest.system.model.replace(gravity=(0, 0, 0)), rest.c.to_model(rest.T_bar)
    links = authors.with_link_forces(authors.links_at_rest(model, rest.system.q, 0 * tau, tau))
    found = authors.propagate(links, authors.virtual_work)
    by_link = [None, *(rest.system.body(k) for k in rest.links)]
    return ([None, *(links.b[i] for i in by_link[1:])], [None, *(found.force[i] for i in by_link[1:])],
            [None, *(found.inertia[i] for i in by_link[1:])], found)


@pytest.mark.source("SOA-A5-5", "SOA-52")
@pytest.mark.parametrize("name", ["cylinders", "balls and planes"])
def test_bae_and_haug_need_the_forces_on_the_links(name):
    """P alpha = Q + L in full for the Q of Eq. 50; with the applied forces, as printed, along the joints only."""
    system = serial_system(name)
    rest = at_rest(system)
    Q, Q_L, M_K, found = variational(rest)
    near(system.H() @ system.phi() @ np.concatenate(Q[1:]), rest.T_bar)
    near(rest.c.to_chain(found.qdd), rest.beta_dot, RATES)
    inherited, L = np.zeros((6, 6)), np.zeros(6)
    for k in rest.links:
        near(M_K[k] - system.M(k), inherited, RATES)                                    # K_b(k)
        near(Q_L[k] - Q[k], L, RATES)
        near(rest.H[k] @ (M_K[k] @ rest.alpha[k] - Q_L[k]), np.zeros(len(rest.at(k))), RATES)
        near(M_K[k], rest.P(k), RATES)
        passed_on = sum((rest.phi[j] @ rest.f[j] for j in rest.children(k)), np.zeros(6))
        near((rest.f[k] - passed_on) + (passed_on - rest.sweeps.z[k]), rest.P(k) @ rest.alpha[k], RATES)        # (52)
        near(passed_on - rest.sweeps.z[k], (rest.P(k) - system.M(k)) @ rest.alpha[k], RATES)
        if len(rest.at(k)) < 6:
            far(rest.P(k) @ rest.alpha[k], Q_L[k])
        inherited = rest.psi(k) @ M_K[k] @ rest.phi[k].T
        L = rest.psi(k) @ Q_L[k]
    near(order_n.bae_haug(system.model, system.q, system.qd, system.joint_forces(), system.f_ext), system.qdd, RATES)


@pytest.mark.source("SOA-51", "SOA-50")
def test_the_equations_of_motion_from_virtual_work(rest, rng):
    """Only the applied forces do virtual work: constraint forces, put on the links in pairs, do none."""
    H, phi = rest.system.H(), rest.system.phi()
    Q, *_ = variational(rest)
    for k in rest.links:
        Q_k = rest.f[k] - sum((rest.phi[j] @ rest.f[j] for j in rest.children(k)), np.zeros(6))
        near((np.linalg.inv(phi) @ np.concatenate(rest.f[1:]))[6 * k - 6 : 6 * k], Q_k, RATES)  # (50)
        near(Q_k, rest.system.M(k) @ rest.alpha[k], RATES)
    Q, alpha = np.concatenate(Q[1:]), np.concatenate(rest.alpha[1:-1])
    M_alpha = np.concatenate([rest.system.M(k) @ rest.alpha[k] for k in rest.links])
    for delta_beta in rng.normal(size=(3, len(rest.T_bar))):
        delta_x = phi.T @ H.T @ delta_beta
        near(delta_x, np.concatenate([rest.system.ways_at(k) @ delta_beta for k in rest.links]), RATES)
        near(delta_x @ M_alpha, delta_x @ Q, RATES)
        near(delta_x @ M_alpha, delta_beta @ rest.T_bar, RATES)
    near(H @ phi @ Q, rest.T_bar, RATES)
    near(H @ np.concatenate(rest.f[1:]), rest.T_bar, RATES)
    near(phi.T @ H.T @ rest.beta_dot, alpha, RATES)
    if len(rest.T_bar) < 6 * rest.n:
        far(M_alpha, Q)


STEPS = {"Vereshchagin": authors.least_cost, "Featherstone": authors.handle, "Brandl et al.": authors.hinge,
         "Bae and Haug": authors.virtual_work, "Rosenthal": authors.speed_by_speed}


def meanings(author, rest):
    """What the author's symbols are in the author's own recursion, for a system at rest: functions of the body."""
    model, q, tau = rest.system.model.replace(gravity=(0, 0, 0)), rest.system.q, rest.c.to_model(rest.T_bar)
    links = authors.links_at_rest(model, q, 0 * tau, tau)
    moving = authors.links_from_base(model, q, rest.system.qd, tau)
    if author == "Bae and Haug":
        links = authors.with_link_forces(links)
    found = authors.propagate(links, STEPS[author])

    def rate(i):
        across = moving.V[i] - moving.A[i] @ moving.V[moving.parent[i]]
        return np.linalg.lstsq(moving.B[i], across, rcond=None)[0]

    def transmitted(i):
        return found.inertia[i] @ found.acceleration[i] + found.force[i]

    A, B, Q, xdd, D = (x.__getitem__ for x in (links.A, links.B, links.Q, found.acceleration, found.joint_inertia))
    P, R, M = (x.__getitem__ for x in (found.inertia, found.force, links.M))
    return {
        "Vereshchagin": {"qd_k": rate, "B_k": B, "Q_k": Q, "A_k": A, "xdd_k": xdd, "P_k": P, "R_k": R},
        "Featherstone": {"qd_k": rate, "s_k": B, "Q_k": Q, "kX_k+1": A, "a_k": xdd, "f_k": transmitted, "I_k^A": P,
                         "P_k": R},
        "Brandl et al.": {"qd(k)": rate, "phi_k": B, "lambda_k": Q, "C_k+1": A, "(alpha_k; a_k^H)": xdd,
                          "(tau_k^h; f_k^h)": transmitted, "I_k*": P, "M_k": D, "beta_k*": R},
        "Bae and Haug": {"qd_(k-1)k": rate, "B_(k-1)k2": B, "B_(k-1)k1": A, "Yd_k": xdd, "M_k": M,
                         "K_k": lambda i: P(i) - M(i), "Q(k)": lambda i: links.b[i],
                         "L(k)": lambda i: R(i) - links.b[i]},
        "Rosenthal": {"u_k": rate, "lambda_k": B, "tau_k": Q, "(N alpha^k; N a^k)": xdd, "M": P, "m_kk": D, "X(k)": R},
    }[author]


def reading(cell, names, i):
    """The value of a cell of the table for body i: a sum or a product, in which X* is the transpose, of the names."""
    values, text = [], cell.removeprefix("~").split(", see")[0]
    for name in sorted(names, key=len, reverse=True):
        if name in text:
            text = text.replace(name, f"x[{len(values)}]")
            values.append(names[name](i))
    text = re.sub(r"(?<=[\])*]) (?=[x(])", " @ ", text).replace("]*", "].T")
    return eval(text, {"x": values})


@pytest.mark.source("SOA-T1")
@pytest.mark.parametrize("author", STEPS)
def test_the_authors_names_are_names_for_the_same_things(author, rest):
    """Cell by cell: what the author's recursion has by that name is what the text's symbol means, by geometry."""
    names, column, system = meanings(author, rest), NOTATION["author"].index(author), rest.system
    here = {"beta(k)": lambda k: system.beta[rest.at(k)], "H*(k)": lambda k: rest.H[k].T,
            "T(k)": lambda k: rest.T_bar[rest.at(k)], "phi*(k+1,k)": lambda k: rest.phi[k].T,
            "alpha(k)": lambda k: rest.alpha[k], "f(k)": lambda k: rest.f[k], "P(k)": rest.P, "D(k)": rest.D,
            "z(k)": rest.z}
    for what in [what for what in NOTATION if what not in ("author", "link")]:
        cell = NOTATION[what][column]
        for k in rest.links:
            if cell and cell not in ("~Q(k), see Eq. 50", "~L(k), see Eq. 52"):
                near(reading(cell, names, system.body(k)), here[NOTATION[what][0]](k), RATES)
    read = {name for what in NOTATION for name in names if name in NOTATION[what][column]}
    assert read == set(names)
    assert NOTATION["link"] == ("n-k+1", "k", "k", "k", "k", "")    # from the base by all but the first
    assert len({len(row) for row in NOTATION.values()}) == 1 and set(STEPS) < set(NOTATION["author"])


@pytest.mark.source("SOA-T1")
def test_the_forces_of_bae_and_haug_are_akin_to_those_of_the_text(rest):
    """Q + L is f - z along the joint; neither Q is f nor L is z. Their joint inertia, as printed, lacks K."""
    names, column = meanings("Bae and Haug", rest), NOTATION["author"].index("Bae and Haug")
    ((what, author), printed), = authors.MISPRINTS.items()
    assert (what, author) == ("joint inertia", "Bae and Haug")
    cells, misses = (NOTATION["spatial force"][column], NOTATION["correction force"][column], printed), [[], [], []]
    for k in rest.links:
        Q, L, D = (reading(cell, names, rest.system.body(k)) for cell in cells)
        near(rest.H[k] @ (Q + L), rest.H[k] @ (rest.f[k] - rest.z(k)), RATES)
        for missed, found, of_the_text in zip(misses, (Q, L, D), (rest.f[k], rest.z(k), rest.D(k)), strict=True):
            missed.append(np.ravel(found - of_the_text))
        if not rest.children(k):
            near(D, rest.D(k), RATES)
    for missed in misses:
        far(np.concatenate(missed), 0)


@pytest.mark.source("SOA-Q1")
def test_the_algebra_that_the_text_leaves_out():
    """Eqs 41, 43, 49 by symbols: in the plane of one freedom, and with numbers for the blocks of spherical joints."""
    p1, p2, p3, T, l = sp.symbols("p1:4 T l")
    P, H, phi, z = sp.Matrix([[p1, p2], [p2, p3]]), sp.Matrix([[1, 0]]), sp.Matrix([[1, l], [0, 1]]), sp.Matrix(
        sp.symbols("z1:3"))
    inboard, beta_dot = sp.Matrix(sp.symbols("a1:3")), sp.Symbol("b")
    alpha = phi.T * inboard + H.T * beta_dot
    (solved,) = sp.solve((H * (P * alpha + z))[0] - T, beta_dot)
    f = (P * alpha + z).subs(beta_dot, solved)
    D = (H * P * H.T)[0]
    G = P * H.T / D
    tau_bar = sp.eye(2) - G * H
    assert sp.simplify(solved - ((T - (H * z)[0]) / D - (G.T * phi.T * inboard)[0])) == 0
    for form in (tau_bar * P, tau_bar * P * tau_bar.T):
        assert sp.simplify(form - P * tau_bar.T) == sp.zeros(2)                         # (41)
    psi = phi * tau_bar
    extra = phi * (f - P * psi.T * inboard)
    assert sp.simplify(extra - (psi * z + phi * G * T)) == sp.zeros(2, 1)               # (43)
    N, vd, wd = sp.symbols("N vd wd")
    (wd_found,) = sp.solve(p1 * wd + p2 * vd + z[0] - N, wd)
    F = sp.expand(p2 * wd_found + p3 * vd + z[1])
    assert sp.simplify(wd_found - (-p2 / p1 * vd + (N - z[0]) / p1)) == 0               # (49)
    assert sp.simplify(F - ((p3 - p2**2 / p1) * vd + z[1] + p2 / p1 * (N - z[0]))) == 0
