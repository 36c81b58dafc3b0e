"""The errata of A Quick Tutorial on Multibody Dynamics, each by a computation in which the printed form fails.

What the equations must give comes from `tests.sources.linkage`: world positions of a moving tree and their derivatives.
Several slips are dots that the text lacks over a product; whether the authors' page has them cannot be told from it.
"""

import numpy as np
import pytest

from rbdlib import lagrange, maximal
from rbdlib.lagrange import link_jacobian_rates, link_jacobians, recursive_inverse_dynamics
from rbdlib.spatial import skew
from tests.sources.helpers import (
    close,
    cross_matrix,
    derivative,
    mass_properties,
    random_cluster,
    second_derivative,
    slope,
    smooth_motion,
)
from tests.sources.linkage import figure_1, sliding_linkage, vex


def wrong(actual, expected):
    """Assert that a printed form misses by far more than any rounding error."""
    assert np.abs(actual - expected).max() > 0.05


@pytest.fixture(params=[71, 72], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


class Link4:
    """Link 4 of Figure 1 on a path: Jacobians of the library, rates of the independent linkage by differences."""

    def __init__(self, rng):
        self.tree = tree = figure_1(rng)
        self.q, self.qd, self.qdd = q, qd, qdd = rng.normal(size=(3, 7))
        self.at = lambda t: q + t * qd + t * t / 2 * qdd
        self.rate = lambda t: qd + t * qdd
        self.model = tree.model()
        self.J, self.J_dot = link_jacobians(self.model, q)[4], link_jacobian_rates(self.model, q, qd)[4]
        self.slopes = [link_jacobian_rates(self.model, q, e)[4] for e in np.eye(7)]
        self.M_c, self.I_c, self.w = tree.M_c(4, q), tree.I_c(4, q), tree.w(4, q, qd)
        self.V = np.concatenate([tree.v(4, q, qd), self.w])

    def fifth(self, part):
        """(J'_j - (dJ/dq_j) qd) · M_c V over the given rows, with J' from differences of the independent Jacobian."""
        J_dot = slope(lambda t: self.tree.J(4, self.at(t)))
        slopes = [slope(lambda t, e=e: self.tree.J(4, self.q + t * e)) for e in np.eye(7)]
        momentum = (self.M_c @ self.V)[part]
        return np.array([(J_dot[part, j] - slopes[j][part] @ self.qd) @ momentum for j in range(7)])

    def fifth_without_dot(self, part):
        momentum = (self.M_c @ self.V)[part]
        return np.array([(self.J[part, j] - self.slopes[j][part] @ self.qd) @ momentum for j in range(7)])

    def fifth_with_dot(self, part):
        momentum = (self.M_c @ self.V)[part]
        return np.array([(self.J_dot[part, j] - self.slopes[j][part] @ self.qd) @ momentum for j in range(7)])


@pytest.fixture
def link(rng):
    return Link4(rng)


@pytest.mark.source("MBT-23")
def test_torque_needs_the_derivative_of_whole_products(rng):
    masses, positions = random_cluster(rng)
    _, c, I_0 = mass_properties(masses, positions)
    pose = smooth_motion(rng)

    def R(t):
        return pose(t)[0]

    def w(t):
        return vex(derivative(R, t) @ R(t).T)

    def L(t):
        arms = (positions - c) @ R(t).T
        return masses @ np.cross(arms, np.cross(w(t), arms))

    I_c, torque, wd = R(0) @ I_0 @ R(0).T, slope(L), slope(w)
    wrong(I_c @ wd, torque)
    wrong(I_c @ wd + R(0) @ I_0 @ derivative(R).T @ w(0), torque)
    close(slope(lambda t: R(t) @ I_0 @ R(t).T @ w(t)), torque, 1e-8)
    close(I_c @ wd + slope(lambda t: R(t) @ I_0 @ R(t).T) @ w(0), torque, 1e-8)


@pytest.mark.source("MBT-25")
def test_kinetic_energy_takes_two_velocities_and_no_position(rng):
    masses, positions = random_cluster(rng)
    pose = smooth_motion(rng)

    def r(t):
        return positions @ pose(t)[0].T + pose(t)[1]

    m, c, I_0 = mass_properties(masses, positions)
    R, r_dot = pose(0)[0], derivative(r)
    w, v = vex(derivative(lambda t: pose(t)[0]) @ R.T), derivative(lambda t: pose(t)[0] @ c + pose(t)[1])
    T = np.array(m * v @ v / 2 + w @ R @ I_0 @ R.T @ w / 2)
    wrong(masses @ (r(0) * r_dot).sum(axis=1) / 2, T)
    close(masses @ (r_dot * r_dot).sum(axis=1) / 2, T)


@pytest.mark.source("MBT-37")
def test_third_term_has_the_rate_of_the_inertia_tensor(link):
    expected = link.J.T @ slope(lambda t: link.tree.M_c(4, link.at(t))) @ link.V
    R, I_0 = link.tree.R(4, link.q), link.tree.body(4)[2]
    wrong(link.J[3:].T @ R @ I_0 @ R.T @ link.w, expected)
    rate = slope(lambda t: link.tree.R(4, link.at(t)) @ I_0 @ link.tree.R(4, link.at(t)).T)
    close(link.J[3:].T @ rate @ link.w, expected, 1e-8)
    close(link.J[3:].T @ skew(link.w) @ link.I_c @ link.w, expected, 1e-8)


@pytest.mark.source("MBT-39")
def test_fifth_term_has_the_rate_of_the_jacobian(link):
    wrong(link.fifth_without_dot(slice(0, 6)), link.fifth(slice(0, 6)))
    close(link.fifth_with_dot(slice(0, 6)), link.fifth(slice(0, 6)), 1e-7)


@pytest.mark.source("MBT-40")
def test_linear_part_of_the_fifth_term_vanishes_only_with_the_rate_of_the_jacobian(link):
    close(link.fifth(slice(0, 3)), np.zeros(7), 1e-7)
    wrong(link.fifth_without_dot(slice(0, 3)), np.zeros(7))
    close(link.fifth_with_dot(slice(0, 3)), np.zeros(7), 1e-10)


@pytest.mark.source("MBT-41")
def test_angular_part_of_the_fifth_term_has_the_rate_of_the_jacobian(link):
    columns = link.J[3:].T
    by_curl = np.array([sum(np.cross(columns[k], columns[j]) * link.qd[k] for k in range(7)) @ link.I_c @ link.w
                        for j in range(7)])
    close(link.fifth(slice(3, 6)), by_curl, 1e-7)
    wrong(link.fifth_without_dot(slice(3, 6)), by_curl)
    close(link.fifth_with_dot(slice(3, 6)), by_curl, 1e-10)


@pytest.mark.source("MBT-46")
def test_newton_euler_equations_take_the_rate_of_j_qd(link):
    def momentum(t):
        return link.tree.M_c(4, link.at(t)) @ link.tree.J(4, link.at(t)) @ link.rate(t)

    force = slope(momentum)
    gyroscopic = np.concatenate([np.zeros(3), np.cross(link.w, link.I_c @ link.w)])
    wrong(link.M_c @ link.J @ link.qd + gyroscopic, force)
    close(link.M_c @ (link.J @ link.qdd + link.J_dot @ link.qd) + gyroscopic, force, 1e-7)


@pytest.mark.source("MBT-49", "MBT-77")
def test_angular_velocity_takes_the_rate_of_the_whole_product(link):
    tree, R_p = link.tree, link.tree.R(2, link.q)
    R_k, R_k_dot = tree.local(4, link.q)[0], slope(lambda t: tree.local(4, link.at(t))[0])
    expected = cross_matrix(lagrange.cartesian_state(link.model, link.q, link.qd).w[4])
    wrong(R_p @ R_k_dot @ (R_p @ R_k).T, expected)
    whole = slope(lambda t: tree.R(2, link.at(t)) @ tree.local(4, link.at(t))[0])
    close(whole @ (R_p @ R_k).T, expected, 1e-8)


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
def test_left_inverses_of_the_angular_jacobian_agree_on_reachable_velocities_only(link, rng):
    tree, q = link.tree, link.q
    J_w = np.column_stack([np.concatenate([tree.w(k, q, e) for k in range(1, 5)]) for e in np.eye(7)])
    Jh_w = maximal.local_angular_jacobians(link.model, q)
    printed = np.linalg.pinv(Jh_w) @ maximal.parent_rotations(link.model, q).T @ maximal.connectivity_matrix(link.model)
    close(printed @ J_w, np.eye(7), 1e-10)
    close(np.linalg.pinv(J_w) @ J_w, np.eye(7), 1e-10)
    wrong(printed, np.linalg.pinv(J_w))
    w = rng.normal(size=12)
    wrong(printed @ w, np.linalg.pinv(J_w) @ w)


@pytest.mark.source("MBT-S6.1-4")
def test_consistent_angular_velocities_do_not_make_linear_velocities_consistent(link, rng):
    w = np.concatenate([link.tree.w(k, link.q, link.qd) for k in range(1, 5)])
    J_v = np.concatenate([J[:3] for J in link_jacobians(link.model, link.q)[1:]])
    v = rng.normal(size=12)
    qd, residual = maximal.generalized_velocity_by_joint(link.model, link.q, np.concatenate([v, w]))
    from_angles = np.linalg.pinv(np.concatenate([J[3:] for J in link_jacobians(link.model, link.q)[1:]])) @ w
    close(from_angles, link.qd, 1e-9)
    wrong(J_v @ from_angles, v)
    close(residual[12:], np.zeros(12), 1e-9)
    close(qd, link.qd, 1e-9)
    reachable = np.concatenate([link.tree.v(k, link.q, link.qd) for k in range(1, 5)])
    close(J_v @ from_angles, reachable, 1e-9)


@pytest.mark.source("MBT-S6.1-5")
def test_translations_of_a_root_are_not_the_velocity_of_its_centre_of_mass(rng):
    linkage = sliding_linkage(rng)
    q, qd = rng.normal(size=(2, linkage.n))
    links = range(1, linkage.m + 1)
    V = np.concatenate([*(linkage.v(k, q, qd) for k in links), *(linkage.w(k, q, qd) for k in links)])
    wrong(linkage.v(2, q, qd), qd[:3])
    lever = linkage.R(2, q) @ linkage.body(2)[1]
    close(linkage.v(2, q, qd) - np.cross(linkage.w(2, q, qd), lever), qd[:3], 1e-10)
    close(maximal.generalized_velocity_by_joint(linkage.model(), q, V)[0], qd, 1e-9)


@pytest.mark.source("MBT-67")
def test_forces_need_the_jacobian_of_their_points_of_application(link, rng):
    tree, q, (f, tau) = link.tree, link.q, rng.normal(size=(2, 4, 3))
    points = {k: tree.particles(k, q)[0] for k in range(1, 5)}
    J = link_jacobians(link.model, q)
    printed = sum(J[k][:3].T @ f[k - 1] + J[k][3:].T @ tau[k - 1] for k in points)
    power = np.array([sum(f[k - 1] @ derivative(lambda t, e=e, k=k: tree.particles(k, q + t * e)[0])
                          + tau[k - 1] @ tree.w(k, q, e) for k in points) for e in np.eye(7)])
    wrong(printed, power)
    close(maximal.generalized_force(link.model, q, dict(enumerate(f, 1)), dict(enumerate(tau, 1)), points=points),
          power, 1e-11)


@pytest.mark.source("MBT-70")
def test_forces_at_the_centres_of_mass_need_the_jacobian_of_the_centres_of_mass(link, rng):
    tree, q, Q = link.tree, link.q, rng.normal(size=7)
    points = {k: tree.particles(k, q)[0] for k in range(1, 5)}

    def work(f, tau):
        """The generalized force of forces at the centres of mass."""
        return sum(tree.J(k, q).T @ np.concatenate([f[k - 1], tau[k - 1]]) for k in range(1, 5))

    J_v_at_points, J_w = maximal.stacked_jacobians(link.model, q, points)
    printed = np.linalg.pinv(np.concatenate([J_v_at_points, J_w]).T) @ Q
    wrong(work(*printed.reshape(2, 4, 3)), Q)
    close(work(*maximal.cartesian_forces(link.model, q, Q)), Q, 1e-10)


class Local:
    """What the recursion of section 7 is made of, for link 4 of Figure 1 and its parent, link 2, by differences."""

    def __init__(self, link):
        tree, at = link.tree, link.at
        R_p, R = tree.R(2, link.q), tree.R(4, link.q)

        def w(k, t):
            return tree.w(k, at(t), link.rate(t))

        def wh(t):
            return tree.R(2, at(t)).T @ (w(4, t) - w(2, t))

        self.R_k, self.c = tree.local(4, link.q)[0], tree.body(4)[1]
        self.arm = tree.d[3] - tree.body(2)[1]
        self.w_p, self.w, self.wh, self.wh_dot = R_p.T @ w(2, 0), R.T @ w(4, 0), wh(0), slope(wh)
        self.wd_p, self.wd = (X.T @ slope(lambda t, k=k: w(k, t)) for X, k in ((R_p, 2), (R, 4)))
        self.vd_p, self.vd = (X.T @ second_derivative(lambda t, k=k: tree.x(k, at(t))) for X, k in ((R_p, 2), (R, 4)))


@pytest.mark.source("MBT-79")
def test_centripetal_acceleration_has_two_angular_velocities(link):
    x = Local(link)
    by_parent = x.R_k.T @ (x.vd_p + np.cross(x.wd_p, x.arm) + np.cross(x.w_p, np.cross(x.w_p, x.arm)))
    wrong(by_parent + np.cross(x.wd, np.cross(x.w, x.c)) + np.cross(x.wd, x.c), x.vd)
    close(by_parent + np.cross(x.w, np.cross(x.w, x.c)) + np.cross(x.wd, x.c), x.vd, 1e-7)


@pytest.mark.source("MBT-80")
def test_angular_acceleration_has_the_relative_velocity_and_its_rate(link):
    x = Local(link)
    wrong(x.R_k.T @ (x.wd_p + x.wh_dot + np.cross(x.w_p, x.wh_dot)), x.wd)
    wrong(x.R_k.T @ (x.wd_p + x.wd + np.cross(x.w_p, x.wd)), x.wd)
    close(x.R_k.T @ (x.wd_p + x.wh_dot + np.cross(x.w_p, x.wh)), x.wd, 1e-8)


@pytest.mark.source("MBT-81")
def test_angular_velocity_of_the_root_is_not_made_of_an_acceleration(link):
    tree, R = link.tree, link.tree.R(1, link.q)
    w = R.T @ tree.w(1, link.q, link.qd)
    wh_dot = slope(lambda t: tree.w(1, link.at(t), link.rate(t)))
    wrong(R.T @ wh_dot, w)
    close(R.T @ lagrange.local_angular_jacobian(link.model, link.q, 1) @ link.qd[:2], w)
    close(recursive_inverse_dynamics(link.model, link.q, link.qd, link.qdd).w[1], w)


@pytest.mark.source("MBT-S7.3-1")
def test_the_root_receives_a_force_from_the_world(link):
    """The sum of m (x'' - g) over the links, and the rate of their moments: with f_0 = tau_0 = 0 neither is borne."""
    tree, g = link.tree, link.tree.gravity
    passes = recursive_inverse_dynamics(link.model, link.q, link.qd, link.qdd)

    def angular_momentum(t):
        q, rates = link.at(t), derivative(lambda s: link.at(t + s))
        return sum(masses @ np.cross(tree.particles(k, q) - tree.d[0],
                                     derivative(lambda s, k=k: tree.particles(k, q + s * rates)))
                   for k, (masses, _) in enumerate(tree.clusters, 1))

    linear = sum(tree.body(k)[0] * (second_derivative(lambda t, k=k: tree.x(k, link.at(t))) - g) for k in range(1, 5))
    angular = slope(angular_momentum) - sum(tree.body(k)[0] * np.cross(tree.x(k, link.q) - tree.d[0], g)
                                            for k in range(1, 5))
    wrong(np.zeros(3), linear)
    wrong(np.zeros(3), angular)
    close(tree.R(1, link.q) @ passes.f[1], linear, 1e-7)
    close(tree.R(1, link.q) @ passes.tau[1], angular, 1e-7)


@pytest.mark.source("MBT-S7.3-2")
def test_the_fictitious_force_has_the_sign_of_the_weight(link):
    """Q of the recursion with gravity, against the Lagrangian work of applied forces -m g and of +m g."""
    tree, q = link.tree, link.q
    Q = recursive_inverse_dynamics(link.model, q, link.qd, link.qdd).Q
    without = recursive_inverse_dynamics(link.model.replace(gravity=(0, 0, 0)), q, link.qd, link.qdd).Q
    applied = sum(tree.body(k)[0] * tree.J(k, q)[:3].T @ tree.gravity for k in range(1, 5))
    wrong(without + applied, Q)
    close(without - applied, Q, 1e-10)
