"""The errata of A Quick Tutorial on Multibody Dynamics, each by a computation in which the printed form fails.

What the equations must give comes from `tests.sources.linkage`: world positions of a moving tree and their derivatives.
Several slips are dots that the text lacks over a product; whether the authors' page has them cannot be told from it.
"""

import numpy as np
import pytest

from rbdlib import lagrange, maximal
from rbdlib.lagrange import link_jacobians, recursive_inverse_dynamics
from rbdlib.spatial import mcI, momentum
from tests.sources.helpers import close, cross_matrix, derivative, slope
from tests.sources.linkage import figure_1, moving, sliding_linkage, vex
from tests.sources.test_mbt import Flight, the_terms

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)


def wrong(actual, expected):
    """Assert that a printed form misses by far more than any rounding error."""
    assert np.abs(actual - expected).max() > 0.05


@pytest.fixture
def rng():
    return np.random.default_rng(71)


@pytest.fixture
def flight(rng):
    return Flight(rng)


@pytest.fixture
def tree():
    return moving(figure_1)


@pytest.fixture
def terms():
    """Link 4 of Figure 1: its Jacobians by the library, and their rates by differences of the linkage's."""
    return the_terms()


@pytest.mark.source("MBT-23")
def test_torque_needs_the_derivative_of_whole_products(flight):
    R, I_0, w, wd = flight.R(0), flight.I_0, flight.w(0), slope(flight.w)
    I_c, torque = R @ I_0 @ R.T, slope(flight.L)
    wrong(I_c @ wd, torque)
    wrong(I_c @ wd + R @ I_0 @ derivative(flight.R).T @ w, torque)
    close(slope(lambda t: flight.I_c(t) @ flight.w(t)), torque, 1e-8)
    close(I_c @ wd + slope(lambda t: flight.R(t) @ I_0 @ flight.R(t).T) @ w, torque, 1e-8)
    close(I_c @ wd + (derivative(flight.R) @ I_0 @ R.T + R @ I_0 @ derivative(flight.R).T) @ w, torque, 1e-8)
    close(I_c @ wd + np.cross(w, I_c @ w), torque, 1e-8)

    def by_the_library(t):
        inertia = mcI(flight.m, np.zeros(3), flight.R(t) @ I_0 @ flight.R(t).T)
        return momentum(inertia, np.concatenate([flight.w(t), flight.v(t)]))[:3]

    close(slope(by_the_library), torque, 1e-8)


@pytest.mark.source("MBT-25")
def test_kinetic_energy_takes_two_velocities_and_no_position(flight):
    r, r_dot, R, v, w = flight.r(0), flight.r_dot(0), flight.R(0), flight.v(0), flight.w(0)
    T = flight.m * v @ v / 2 + w @ R @ flight.I_0 @ R.T @ w / 2
    wrong(flight.masses @ (r * r_dot).sum(axis=1) / 2, T)
    close(flight.masses @ (r_dot * r_dot).sum(axis=1) / 2, T)


@pytest.mark.source("MBT-37")
def test_third_term_has_the_rate_of_the_inertia_tensor(terms):
    expected, J_w = terms.J.T @ terms.M_c_dot @ terms.V, terms.J[3:]
    wrong(J_w.T @ terms.I_c @ terms.w, expected)
    close(J_w.T @ terms.M_c_dot[3:, 3:] @ terms.w, expected, 1e-8)
    close(terms.gyroscopic, expected, 1e-8)


@pytest.mark.source("MBT-39")
def test_fifth_term_has_the_rate_of_the_jacobian(terms):
    wrong(terms.fifth(terms.J), terms.true_fifth())
    close(terms.fifth(terms.J_dot), terms.true_fifth(), 1e-7)


@pytest.mark.source("MBT-40")
def test_linear_part_of_the_fifth_term_vanishes_only_with_the_rate_of_the_jacobian(terms):
    close(terms.true_fifth(LINEAR), np.zeros(7), 1e-7)
    wrong(terms.fifth(terms.J, LINEAR), np.zeros(7))
    close(terms.fifth(terms.J_dot, LINEAR), np.zeros(7), 1e-10)


@pytest.mark.source("MBT-41")
def test_angular_part_of_the_fifth_term_has_the_rate_of_the_jacobian(terms):
    columns = terms.J[3:].T
    by_curl = np.array([sum(np.cross(columns[k], columns[j]) * terms.qd[k] for k in range(7)) @ terms.I_c @ terms.w
                        for j in range(7)])
    close(terms.true_fifth(ANGULAR), by_curl, 1e-7)
    wrong(terms.fifth(terms.J, ANGULAR), by_curl)
    close(terms.fifth(terms.J_dot, ANGULAR), by_curl, 1e-10)


@pytest.mark.source("MBT-46")
def test_newton_euler_equations_take_the_rate_of_j_qd(terms):
    force = terms.motion.along(lambda q, qd: terms.linkage.M_c(4, q) @ terms.linkage.J(4, q) @ qd)
    gyroscopic = np.concatenate([np.zeros(3), np.cross(terms.w, terms.I_c @ terms.w)])
    wrong(terms.M_c @ terms.J @ terms.qd + gyroscopic, force)
    close(terms.M_c @ (terms.J @ terms.qdd + terms.J_dot @ terms.qd) + gyroscopic, force, 1e-7)


@pytest.mark.source("MBT-49", "MBT-77")
def test_angular_velocity_takes_the_rate_of_the_whole_product(tree):
    R_p, R_k, R_k_dot = tree.R(2), tree.R_k(4), slope(lambda t: tree.R_k(4, t))
    expected = cross_matrix(lagrange.cartesian_state(tree.model, tree.q, tree.qd).w[4])
    wrong(R_p @ R_k_dot @ (R_p @ R_k).T, expected)
    close(slope(lambda t: tree.R(2, t) @ tree.R_k(4, t)) @ (R_p @ R_k).T, expected, 1e-8)


@pytest.mark.source("MBT-S5.2-2")
def test_the_jacobian_of_a_quaternion_has_a_simple_form(rng):
    """Its twelve entries are, up to sign, twice the four components: no simpler form could be asked for."""
    a, b = rng.normal(size=(2, 4))

    def p(t):
        raw = a + t * b
        return raw / np.sqrt(raw @ raw)

    def R(t):
        x = p(t)[1:]
        return (2 * p(t)[0] ** 2 - 1) * np.eye(3) + 2 * np.outer(x, x) + 2 * p(t)[0] * cross_matrix(x)

    Jh = lagrange.quaternion_jacobian(p(0))
    close(Jh @ derivative(p), vex(derivative(R) @ R(0).T))
    assert np.isin(np.abs(Jh), np.abs(2 * p(0))).all()


@pytest.mark.source("MBT-66")
def test_left_inverses_of_the_angular_jacobian_agree_on_reachable_velocities_only(tree, rng):
    J_w = np.concatenate([tree.linkage.J(k, tree.q)[3:] for k in tree.links])
    Jh_w = maximal.local_angular_jacobians(tree.model, tree.q)
    printed = (np.linalg.pinv(Jh_w) @ maximal.parent_rotations(tree.model, tree.q).T
               @ maximal.connectivity_matrix(tree.model))
    close(printed @ J_w, np.eye(7), 1e-10)
    wrong(printed, np.linalg.pinv(J_w))
    w = rng.normal(size=12)
    wrong(printed @ w, np.linalg.pinv(J_w) @ w)


@pytest.mark.source("MBT-S6.1-4")
def test_consistent_angular_velocities_do_not_make_linear_velocities_consistent(tree, rng):
    w, v = np.concatenate([tree.w(k) for k in tree.links]), rng.normal(size=12)
    J = link_jacobians(tree.model, tree.q)[1:]
    J_v, J_w = np.concatenate([J_k[:3] for J_k in J]), np.concatenate([J_k[3:] for J_k in J])
    qd, residual = maximal.generalized_velocity_by_joint(tree.model, tree.q, np.concatenate([v, w]))
    from_angles = np.linalg.pinv(J_w) @ w
    close(from_angles, tree.qd, 1e-9)
    wrong(J_v @ from_angles, v)
    close(J_v @ from_angles, np.concatenate([tree.v(k) for k in tree.links]), 1e-9)
    close(residual[12:], np.zeros(12), 1e-9)
    close(qd, tree.qd, 1e-9)


@pytest.mark.source("MBT-S6.1-5")
def test_translations_of_a_root_are_not_the_velocity_of_its_centre_of_mass():
    slides = moving(sliding_linkage)
    V = np.concatenate([*map(slides.v, slides.links), *map(slides.w, slides.links)])
    wrong(slides.v(2), slides.qd[:3])
    close(slides.v(2) - np.cross(slides.w(2), slides.R(2) @ slides.c(2)), slides.qd[:3], 1e-10)
    close(maximal.generalized_velocity_by_joint(slides.model, slides.q, V)[0], slides.qd, 1e-9)


@pytest.mark.source("MBT-67")
def test_forces_need_the_jacobian_of_their_points_of_application(tree, rng):
    q, linkage, (f, tau) = tree.q, tree.linkage, rng.normal(size=(2, 4, 3))
    points = {k: linkage.particles(k, q)[0] for k in tree.links}
    J = link_jacobians(tree.model, q)
    printed = sum(J[k][:3].T @ f[k - 1] + J[k][3:].T @ tau[k - 1] for k in points)
    power = np.array([sum(f[k - 1] @ derivative(lambda t, e=e, k=k: linkage.particles(k, q + t * e)[0])
                          + tau[k - 1] @ linkage.w(k, q, e) for k in points) for e in tree.units])
    wrong(printed, power)
    close(maximal.generalized_force(tree.model, q, dict(enumerate(f, 1)), dict(enumerate(tau, 1)), points=points),
          power, 1e-11)


@pytest.mark.source("MBT-70")
def test_forces_at_the_centres_of_mass_need_the_jacobian_of_the_centres_of_mass(tree, rng):
    q, Q = tree.q, rng.normal(size=7)
    points = {k: tree.linkage.particles(k, q)[0] for k in tree.links}

    def work(f, tau):
        """The generalized force of forces at the centres of mass."""
        return sum(tree.linkage.J(k, q).T @ np.concatenate([f[k - 1], tau[k - 1]]) for k in tree.links)

    printed = np.linalg.pinv(np.concatenate(maximal.stacked_jacobians(tree.model, q, points)).T) @ Q
    wrong(work(*printed.reshape(2, 4, 3)), Q)
    close(work(*maximal.cartesian_forces(tree.model, q, Q)), Q, 1e-10)


class Local:
    """What the recursion of section 7 is made of, for link 4 of Figure 1 and its parent, link 2, by differences."""

    def __init__(self, tree):
        self.R_k, self.c, self.arm = tree.R_k(4), tree.c(4), tree.d(4) - tree.c(2)
        self.w_p, self.w = tree.local(2, tree.w(2)), tree.local(4, tree.w(4))
        self.wh, self.wh_dot = tree.wh(4), slope(lambda t: tree.wh(4, t))
        self.wd_p, self.wd, self.vd_p, self.vd = tree.wd(2), tree.wd(4), tree.vd(2), tree.vd(4)


@pytest.mark.source("MBT-79")
def test_centripetal_acceleration_has_two_angular_velocities(tree):
    x, passes = Local(tree), recursive_inverse_dynamics(tree.model, tree.q, tree.qd, tree.qdd)
    by_parent = x.R_k.T @ (x.vd_p + np.cross(x.wd_p, x.arm) + np.cross(x.w_p, np.cross(x.w_p, x.arm)))
    wrong(by_parent + np.cross(x.wd, np.cross(x.w, x.c)) + np.cross(x.wd, x.c), x.vd)
    close(by_parent + np.cross(x.w, np.cross(x.w, x.c)) + np.cross(x.wd, x.c), x.vd, 1e-7)
    close(passes.a[4] + tree.R(4).T @ tree.linkage.gravity, x.vd, 1e-7)


@pytest.mark.source("MBT-80")
def test_angular_acceleration_has_the_relative_velocity_and_its_rate(tree):
    x, passes = Local(tree), recursive_inverse_dynamics(tree.model, tree.q, tree.qd, tree.qdd)
    wrong(x.R_k.T @ (x.wd_p + x.wh_dot + np.cross(x.w_p, x.wh_dot)), x.wd)
    wrong(x.R_k.T @ (x.wd_p + x.wd + np.cross(x.w_p, x.wd)), x.wd)
    close(x.R_k.T @ (x.wd_p + x.wh_dot + np.cross(x.w_p, x.wh)), x.wd, 1e-8)
    close(passes.wd[4], x.wd, 1e-8)


@pytest.mark.source("MBT-81")
def test_angular_velocity_of_the_root_is_not_made_of_an_acceleration(tree):
    R, w = tree.R(1), tree.local(1, tree.w(1))
    wrong(R.T @ slope(lambda t: tree.w(1, t)), w)
    close(R.T @ lagrange.local_angular_jacobian(tree.model, tree.q, 1) @ tree.qd[:2], w)
    close(recursive_inverse_dynamics(tree.model, tree.q, tree.qd, tree.qdd).w[1], w)


@pytest.mark.source("MBT-S7.3-1")
def test_the_root_receives_a_force_from_the_world(tree):
    """The rate of all momenta less the weights, about the root's joint: with f_0 = tau_0 = 0 neither is borne."""
    passes = recursive_inverse_dynamics(tree.model, tree.q, tree.qd, tree.qdd)
    force, moment = tree.momentum_rate[:3], tree.momentum_rate[3:] - np.cross(tree.d(1), tree.momentum_rate[:3])
    wrong(np.zeros(3), force)
    wrong(np.zeros(3), moment)
    close(tree.R(1) @ passes.f[1], force, 1e-7)
    close(tree.R(1) @ passes.tau[1], moment, 1e-7)


@pytest.mark.source("MBT-S7.3-2")
def test_the_fictitious_force_has_the_sign_of_the_weight(tree):
    """Q of the recursion with gravity, against the Lagrangian work of applied forces -m g and of +m g."""
    Q = recursive_inverse_dynamics(tree.model, tree.q, tree.qd, tree.qdd).Q
    wrong(tree.lagrange + tree.weights, Q)
    close(tree.lagrange - tree.weights, Q, 1e-7)
