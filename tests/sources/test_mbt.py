"""The rows of A Quick Tutorial on Multibody Dynamics, sections 1 to 4: particles and one rigid body. The independent
side is `tests.sources.linkage`: positions by 3D geometry, their derivatives by complex steps and differences, energies
by sums over particles. `test_mbt_trees` has sections 5 to 7. Where the text has slips (data/errata.csv), the printed
form is shown to fail; many are dots that it lacks over a product."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib, rnea
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import skew
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.numbers import scalars
from rbdlib.texts.mbt import lagrange, maximal
from rbdlib.texts.mbt.lagrange import link_jacobian_rates, link_jacobians, mass_matrix_and_coriolis, particle_equations
from tests.sources import helpers, linkage
from tests.sources.helpers import close, derivative, far, random_cluster, second_derivative, slope, turn
from tests.sources.linkage import X, Y, Z, figure_1, flying_link, moving, sliding_linkage, vex

SEED = 41


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def motion(request):
    return moving(request.param)


def path(q, qd, qdd):
    return lambda t: q + t * qd + t * t / 2 * qdd


def along(function, q, qd, qdd):
    """The time derivative of function(q, qd) along a path with the accelerations qdd."""
    return slope(lambda t: function(q + t * qd + t * t / 2 * qdd, qd + t * qdd))


def gradient(function, q):
    """The derivatives of a real function of q, one per row."""
    return np.array([slope(lambda s, e=e: function(q + s * e)) for e in np.eye(len(q))])


# Section 2: particles. Two masses on the rods of a double pendulum in space, whose rods swing about x, then about y

LENGTHS, MASSES, GRAVITY = (0.7, 1.3), (1.1, 0.6), np.array([0.3, -0.5, -9.5])


def masses_on_rods(q, lib=np):
    """Positions (2 x 3) of the two particles: three angles; any kind of number (lib has its sin and cos)."""
    s, c = [lib.sin(x) for x in q], [lib.cos(x) for x in q]
    first = (LENGTHS[0] * s[1], LENGTHS[0] * s[0] * c[1], -LENGTHS[0] * c[0] * c[1])
    return np.array([first, (first[0] + LENGTHS[1] * s[2], first[1], first[2] - LENGTHS[1] * c[2])])


def rates(q, qd):
    return derivative(lambda t: masses_on_rods(q + t * qd))


def column(q, j):
    """d r_i / d q_j of both particles."""
    return rates(q, np.eye(3)[j])


@pytest.mark.source("MBT-1")
def test_positions_depend_on_the_coordinates_and_not_on_time(motion):
    linkage, q, model = motion.linkage, motion.q, motion.model
    for t in (0.0, 1.7):
        X = kinematics.body_transforms(model, q, t)
        for k in model.bodies:
            E, r = spatial.X_to_Er(X[k])
            close(r + E.T @ linkage.body(k)[1], linkage.x(k, q))
    driven = Custom(1, lambda q, t: spatial.xlt([q[0] + t * t, 0, 0]))
    with pytest.raises(ValueError, match="moves by itself with time"):
        link_jacobians(model.replace(parent=[0], joints=[driven], X_tree=[np.eye(6)], inertia=[model.inertia[1]],
                                     names=["driven"]), [0.3])


@pytest.mark.source("MBT-2", "MBT-6", "MBT-15", "MBT-3")
def test_velocities_and_virtual_displacements_of_particles_are_the_jacobian_times_qd_and_dq(motion, rng):
    """r(q + eps dq) - r(q) = eps J dq + O(eps²): the remainder falls a hundredfold when eps falls tenfold."""
    linkage, q, dq = motion.linkage, motion.q, rng.normal(size=motion.n)
    for k in motion.links:
        r = linkage.particles(k, q)[1]
        J = maximal.stacked_jacobians(motion.model, q, {k: r})[0][3 * k - 3 : 3 * k]
        columns = [derivative(lambda t, e=e, k=k: linkage.particles(k, q + t * e)[1]) for e in motion.units]
        close(J, np.column_stack(columns))
        close(J @ motion.qd, derivative(lambda t, k=k: linkage.particles(k, q + t * motion.qd)[1]))
        f, delta_r = rng.normal(size=3), derivative(lambda t, k=k: linkage.particles(k, q + t * dq)[1])
        close(maximal.generalized_force(motion.model, q, f={k: f}, points={k: r}) @ dq, f @ delta_r)    # (3)
    remainders = [np.linalg.norm(linkage.particles(k, q + eps * dq)[1] - r - eps * J @ dq) for eps in (1e-2, 1e-3)]
    assert remainders[0] > 1e-7
    assert remainders[0] / remainders[1] == pytest.approx(100, rel=0.1)


@pytest.mark.source("MBT-4")
def test_the_force_of_a_string_does_no_virtual_work(rng):
    """A particle on a string: mu r'' - mu g is along the string, and gravity alone does the work of mu r''."""
    g, mu, length = np.array([0.2, -0.4, -9.6]), 1.7, 0.9

    def r(q, lib=np):
        return length * np.array([lib.sin(q[0]) * lib.cos(q[1]), lib.sin(q[1]), -lib.cos(q[0]) * lib.cos(q[1])])

    equations = particle_equations(lambda q: r(q, scalars)[None, :], [mu], 2, g)
    q, qd = rng.uniform(-1, 1, 2), rng.normal(size=2)
    H, C, gravity = equations.at(q, qd)
    qdd = np.linalg.solve(H, -C - gravity)
    acceleration = second_derivative(lambda t: r(path(q, qd, qdd)(t)))
    tension = mu * acceleration - mu * g
    close(np.cross(tension, r(q)), np.zeros(3), 1e-8)
    assert np.linalg.norm(tension) > 0.1
    for dq in np.eye(2):
        delta_r = derivative(lambda t, dq=dq: r(q + t * dq))
        close(mu * g @ delta_r, mu * acceleration @ delta_r, 1e-8)


@pytest.mark.source("MBT-5", "MBT-9", "MBT-11", "MBT-16")
def test_inertial_force_by_the_product_rule_from_the_energy_and_by_the_equations_of_the_library(rng):
    """mu r'' · dr/dq_j of each particle; their sum is H qdd + C, as derived from the positions in symbols."""
    (q, qd, qdd), mu = rng.normal(size=(3, 3)), np.array(MASSES)
    accelerations = second_derivative(lambda t: masses_on_rods(path(q, qd, qdd)(t)))
    forces = np.array([mu * (accelerations * column(q, j)).sum(axis=1) for j in range(3)])
    for j in range(3):
        product_rate = along(lambda q, qd, j=j: mu * (rates(q, qd) * column(q, j)).sum(axis=1), q, qd, qdd)
        turning = mu * (rates(q, qd) * along(lambda q, qd, j=j: column(q, j), q, qd, qdd)).sum(axis=1)
        close(forces[j], product_rate - turning, 1e-7)
    for i in range(2):
        energy = linkage.lagrange(lambda q, qd, i=i: mu[i] * (rates(q, qd)[i] ** 2).sum() / 2, q, qd, qdd)
        close(energy, forces[:, i], 1e-7)
    rods = particle_equations(lambda q: masses_on_rods(q, scalars), MASSES, 3, GRAVITY)
    H, C, gravity = rods.at(q, qd)
    close(H @ qdd + C, forces.sum(axis=1), 1e-7)
    close(gravity, -gradient(lambda q: mu @ masses_on_rods(q) @ GRAVITY, q), 1e-9)


@pytest.mark.source("MBT-7", "MBT-8")
def test_dots_cancel_and_derivatives_by_position_and_time_may_be_exchanged(rng):
    q, qd, qdd = rng.normal(size=(3, 3))
    for j, e in enumerate(np.eye(3)):
        close(slope(lambda s, e=e: rates(q, qd + s * e)), column(q, j), 1e-9)                   # (7)
        by_position = slope(lambda s, e=e: rates(q + s * e, qd))
        second = [slope(lambda s, j=j, u=u: column(q + s * u, j)) for u in np.eye(3)]
        close(by_position, np.tensordot(qd, second, 1), 1e-8)                                   # (8)
        close(by_position, along(lambda q, qd, j=j: column(q, j), q, qd, qdd), 1e-8)


@pytest.mark.source("MBT-12", "MBT-13", "MBT-14", "MBT-S1-1", "MBT-S1-2", "MBT-S2-4", "MBT-59", "MBT-A1")
def test_lagrange_expressions_of_all_particles_add_up_to_the_work_of_the_joint_forces_and_weights(motion):
    """Constraint forces drop out of the sum. Forward and inverse dynamics solve the vector equation M qdd + C = Q."""
    model, q, qd, qdd, Q = motion.model, motion.q, motion.qd, motion.qdd, motion.lagrange
    tau = Q - motion.weights
    M, C = mass_matrix_and_coriolis(model, q, qd)
    close(M @ qdd + C, Q, 1e-7)
    close(M, inertia_matrix(model, q), 1e-10)
    close(C, rnea(model.replace(gravity=(0, 0, 0)), q, qd, 0 * qdd), 1e-10)
    close(lagrange.gravity_force(model, q), motion.weights, 1e-8)
    close(rnea(model, q, qd, qdd), tau, 1e-7)
    far(tau, Q + motion.weights)                                                # gravity has the right sign
    close(lagrange.forward_dynamics(model, q, qd, tau), qdd, 1e-6)
    close(lagrange.forward_dynamics(model, q, qd, tau), forward_dynamics_of_rbdlib(model, q, qd, tau), 1e-9)


@pytest.mark.source("MBT-16", "MBT-S2-1", "MBT-10")
def test_mass_matrix_is_the_sum_over_all_particles_and_coriolis_term_is_quadratic_in_velocity(motion):
    linkage, q, qd = motion.linkage, motion.q, motion.qd
    M, C = mass_matrix_and_coriolis(motion.model, q, qd)
    total = 0
    for k in motion.links:
        J = np.stack([derivative(lambda t, e=e, k=k: linkage.particles(k, q + t * e)) for e in motion.units], -1)
        total = total + np.einsum("i,iaj,iak->jk", linkage.clusters[k - 1][0], J, J)
    close(M, total, 1e-10)
    assert np.linalg.eigvalsh(M).min() > 0
    close(qd @ M @ qd / 2, linkage.energy(q, qd), 1e-10)
    close(kinematics.kinetic_energy(motion.model, q, qd), linkage.energy(q, qd), 1e-10)
    for s in (-1.0, 0.0, 2.5):
        M_s, C_s = mass_matrix_and_coriolis(motion.model, q, s * qd)
        close(M_s, M)
        close(C_s, s * s * C, 1e-10)
    far(mass_matrix_and_coriolis(motion.model, q + 0.1, qd)[0], M)


@pytest.mark.source("MBT-17", "MBT-S2-2", "MBT-S2-3")
def test_coriolis_term_from_the_derivatives_of_the_mass_matrix(motion):
    """C = M' qd - ½ ((dM/dq) qd)ᵀ qd; column j of (dM/dq) qd is (dM/dq_j) qd, which is not column j of M'."""
    qd, linkage = motion.qd, motion.linkage

    def mass_matrix(q):
        return sum((J := linkage.J(k, q)).T @ linkage.M_c(k, q) @ J for k in motion.links)

    dM = motion.gradient(mass_matrix)
    M_dot, tensor_qd = np.tensordot(qd, dM, 1), np.column_stack([slice_j @ qd for slice_j in dM])
    M, C = mass_matrix_and_coriolis(motion.model, motion.q, qd)
    close(M_dot @ qd - tensor_qd.T @ qd / 2, C, 1e-8)
    close(M @ motion.qdd + M_dot @ qd - [qd @ slice_j @ qd / 2 for slice_j in dM], motion.lagrange, 1e-7)
    assert np.abs(M_dot @ qd - tensor_qd @ qd / 2 - C).max() > 0.1, "the transpose matters"
    assert np.linalg.norm(tensor_qd - M_dot) > 0.1
    close(tensor_qd @ qd, M_dot @ qd, 1e-9)


# Section 3: a rigid cluster of particles in motion

class Flight:
    """A cluster of particles that is carried through space; all its rates by differentiating positions."""
    def __init__(self, rng):
        self.masses, positions = random_cluster(rng)
        self.m, c, self.I_0 = helpers.mass_properties(self.masses, positions)
        self.positions, self.pose = positions - c, helpers.smooth_motion(rng)

    def r(self, t):
        R, p = self.pose(t)
        return self.positions @ R.T + p

    def r_dot(self, t):
        return derivative(self.r, t)

    def x(self, t):
        return self.masses @ self.r(t) / self.m

    def v(self, t):
        return derivative(self.x, t)

    def R(self, t):
        return self.pose(t)[0]

    def w(self, t):
        return vex(derivative(self.R, t) @ self.R(t).T)

    def arms(self, t):
        return self.r(t) - self.x(t)

    def P(self, t):
        return self.masses @ self.r_dot(t)

    def L(self, t):
        return self.masses @ np.cross(self.arms(t), self.r_dot(t))

    def I_c(self, t):
        """The sum of -mu [r'][r'] over the particles."""
        return sum(-mu * skew(arm) @ skew(arm) for mu, arm in zip(self.masses, self.arms(t), strict=True))


@pytest.fixture
def flight(rng):
    return Flight(rng)


@pytest.mark.source("MBT-18", "MBT-19", "MBT-21", "MBT-22", "MBT-26", "MBT-S3-2", "MBT-25")
def test_momentum_and_energy_of_a_cluster_are_those_of_its_inertia(flight):
    """Sums over the particles; with the velocity field; with m and I_c; and the library's spatial inertia."""
    v, w, R, arms, masses = flight.v(0), flight.w(0), flight.R(0), flight.arms(0), flight.masses
    P, L, T = flight.P(0), flight.L(0), masses @ (flight.r_dot(0) ** 2).sum(axis=1) / 2
    field, I_c = v + np.cross(w, arms), R @ flight.I_0 @ R.T
    close(flight.I_c(0), sum(mu * (arm @ arm * np.eye(3) - np.outer(arm, arm))
                             for mu, arm in zip(masses, arms, strict=True)))                    # (S3-2)
    close(flight.I_c(0), I_c)                                                                   # (21)
    for momentum, of_field, by_inertia in ((P, masses @ field, flight.m * v),                   # (18)
                                           (L, masses @ np.cross(arms, field), I_c @ w)):       # (19)
        close(momentum, of_field)
        close(momentum, by_inertia)
    close(flight.m * v @ v / 2 + w @ I_c @ w / 2, T)                                            # (26)
    W = skew(w)
    four = sum(mu / 2 * np.array([v @ v, v @ W @ r, r @ W.T @ v, r @ W.T @ W @ r])
               for mu, r in zip(masses, arms, strict=True))                                     # (25)
    close(sum(four), T)
    close(four[1:3], np.zeros(2))
    far(masses @ (flight.r(0) * flight.r_dot(0)).sum(axis=1) / 2, T)                            # as printed in (25)
    I = spatial.mcI(flight.m, np.zeros(3), I_c)
    close(spatial.transform_inertia(spatial.rot(R), spatial.mcI(flight.m, np.zeros(3), flight.I_0)), I)
    close(spatial.momentum(I, np.concatenate([w, v])), np.concatenate([L, P]))
    close(spatial.kinetic_energy(I, np.concatenate([w, v])), T)
    close(slope(flight.P), flight.m * second_derivative(flight.x), 1e-8)                        # (22)


@pytest.mark.source("MBT-20", "MBT-S3-1")
def test_skew_matrices(rng):
    a, b, c = rng.normal(size=(3, 3))
    R = helpers.random_rotation(rng)
    assert_allclose(skew([1, 2, 3]), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    close(skew(a) @ b, np.cross(a, b))
    close(skew(b) @ a, -np.cross(a, b))
    close(skew(a).T, -skew(a))
    close(-skew(a) @ skew(a), a @ a * np.eye(3) - np.outer(a, a))
    close(skew(np.cross(a, b)), skew(a) @ skew(b) - skew(b) @ skew(a))
    close(skew(R @ a), R @ skew(a) @ R.T)
    close(a @ (skew(b) @ c), -b @ np.cross(a, c))


@pytest.mark.source("MBT-23", "MBT-24")
def test_torque_and_the_equations_of_newton_and_euler(flight):
    """[m v'; I_c w' + w × I_c w] are the rates of momentum, and RBDA's force for the spatial acceleration there."""
    w, wd, I_c, I_0, torque = flight.w(0), slope(flight.w), flight.I_c(0), flight.I_0, slope(flight.L)
    R, R_dot = flight.R(0), derivative(flight.R)
    for form in (slope(lambda t: flight.I_c(t) @ flight.w(t)), I_c @ wd + slope(flight.I_c) @ w,        # (23)
                 I_c @ wd + (R_dot @ I_0 @ R.T + R @ I_0 @ R_dot.T) @ w, I_c @ wd + np.cross(w, I_c @ w)):
        close(form, torque, 1e-8)
    for printed in (I_c @ wd, I_c @ wd + R @ I_0 @ R_dot.T @ w):                                # without dots
        far(printed, torque)
    M_c = np.block([[flight.m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), I_c]])
    gyroscopic = np.concatenate([np.zeros(3), np.cross(w, I_c @ w)])
    force = M_c @ np.concatenate([second_derivative(flight.x), wd]) + gyroscopic
    close(force, np.concatenate([slope(flight.P), torque]), 1e-7)                               # (24)

    def at_centre(t):
        return flight.R(t), flight.x(t) - flight.x(0)

    a, V = helpers.acceleration(at_centre), helpers.velocity(at_centre)
    spatial_force = spatial.equation_of_motion(spatial.mcI(flight.m, np.zeros(3), I_c), V, a)
    close(np.concatenate([spatial_force[3:], spatial_force[:3]]), force, 1e-7)


# Section 4: one rigid body in generalized coordinates

@pytest.mark.source("MBT-27", "MBT-28", "MBT-30", "MBT-31", "MBT-32", "MBT-S4-1", "MBT-S3-3")
def test_jacobians_of_links_and_their_kinetic_energy_in_six_vectors_and_in_qd(motion):
    q, qd, model, linkage = motion.q, motion.qd, motion.model, motion.linkage
    J, state = link_jacobians(model, q), lagrange.cartesian_state(model, q, qd)
    J_dot, slopes = link_jacobian_rates(model, q, qd), [link_jacobian_rates(model, q, e) for e in motion.units]
    for k in motion.links:
        close(J_dot[k], sum(slopes[j][k] * qd[j] for j in range(motion.n)))                     # (S4-1)
        close(J_dot[k], motion.along(lambda q, qd, k=k: linkage.J(k, q)), 1e-8)
        R_dot = derivative(lambda t, k=k: linkage.R(k, q + t * qd))
        close(skew(state.w[k]), R_dot @ motion.R(k).T)                                # (S3-3)
        close(skew(kinematics.body_velocities(model, q, qd)[k][:3]), motion.R(k).T @ R_dot)
        T = linkage.link_energy(k, q, qd)
        M_c, V = lagrange.mass_block(model, state.R, k), np.concatenate([state.v[k], state.w[k]])
        close(J[k][:3], np.column_stack([linkage.v(k, q, e) for e in motion.units]))            # (28)
        close(J[k][3:], np.column_stack([linkage.w(k, q, e) for e in motion.units]))            # (30)
        close(V, np.concatenate([motion.v(k), motion.w(k)]))
        close(J[k] @ qd, V)                                                                     # (31)
        close(V @ M_c @ V / 2, T)                                                               # (27)
        close(qd @ J[k].T @ M_c @ J[k] @ qd / 2, T)                                             # (32)


def exponential(q):
    """The turn by |q| about q, for real and complex q."""
    angle = np.sqrt(q @ q)
    return turn(q / angle, angle)


def euler_xyz(q):
    return turn(X, q[0]) @ turn(Y, q[1]) @ turn(Z, q[2])


ORIENTATIONS = {"Euler xyz": (euler_xyz, lagrange.euler_angle_jacobian),
                "exponential map": (exponential, lagrange.exponential_map_jacobian)}


def columns_j(R, q):
    """The vectors j_j of (dR/dq_j) Rᵀ = [j_j], as columns; `vex` asserts that the matrices are skew."""
    return np.column_stack([vex(derivative(lambda t, e=e: R(q + t * e)) @ R(q).T) for e in np.eye(3)])


@pytest.mark.source("MBT-29", "MBT-30", "MBT-42")
@pytest.mark.parametrize("turns", ORIENTATIONS)
def test_angular_jacobian_from_the_derivatives_of_the_rotation_and_its_curl(turns, rng):
    (R, jacobian), (q, qd) = ORIENTATIONS[turns], rng.normal(size=(2, 3))
    J, dJ = jacobian(q), gradient(lambda q: columns_j(R, q), q)
    close(J, columns_j(R, q))
    close(skew(J @ qd), derivative(lambda t: R(q + t * qd)) @ R(q).T)
    for j in range(3):
        for k in range(3):
            z_jk = dJ[k][:, j] - dJ[j][:, k]
            close(z_jk, np.cross(J[:, k], J[:, j]), 1e-8)
            close(skew(z_jk), -skew(J[:, j]) @ skew(J[:, k]) + skew(J[:, k]) @ skew(J[:, j]), 1e-8)


class Terms:
    """The quantities of MBT 4 for link 4 of Figure 1 in motion: by the library, and by differences of the witness.
    true_J_dot, true_dJ[j], M_c_dot, dM_c[j], Q (the Lagrange expression of the link) and momentum are of the witness;
    first_two, third and fourth are terms of Eq. 36 (the fourth without its minus sign)."""
    def __init__(self, motion):
        self.motion, self.linkage, self.model = motion, motion.linkage, motion.model
        self.q, self.qd, self.qdd = motion.q, motion.qd, motion.qdd
        self.J, self.J_dot = link_jacobians(self.model, self.q)[4], link_jacobian_rates(self.model, self.q, self.qd)[4]
        self.dJ = np.array([link_jacobian_rates(self.model, self.q, e)[4] for e in motion.units])
        self.M_c = lagrange.mass_block(self.model, lagrange.cartesian_state(self.model, self.q).R, 4)
        self.V, self.I_c = self.J @ self.qd, self.M_c[3:, 3:]
        self.w = self.V[3:]
        self.true_J_dot = motion.along(lambda q, qd: self.linkage.J(4, q))
        self.true_dJ = motion.gradient(lambda q: self.linkage.J(4, q))
        self.M_c_dot = motion.along(lambda q, qd: self.linkage.M_c(4, q))
        self.dM_c = motion.gradient(lambda q: self.linkage.M_c(4, q))
        self.Q = linkage.lagrange(self.energy, self.q, self.qd, self.qdd)
        self.momentum = self.linkage.M_c(4, self.q) @ self.linkage.J(4, self.q) @ self.qd
        self.first_two = self.J.T @ self.M_c @ (self.J @ self.qdd + self.J_dot @ self.qd)
        self.third = self.J.T @ self.M_c_dot @ self.V
        self.fourth = np.array([self.V @ dM_c @ self.V / 2 for dM_c in self.dM_c])
        self.gyroscopic = self.J[3:].T @ np.cross(self.w, self.I_c @ self.w)    # j_jᵀ [w] I_c w for all j

    def energy(self, q, qd):
        return self.linkage.link_energy(4, q, qd)

    def energy_by_velocity(self, q, qd):
        """dT/dqd_j for all j, by differences (exact: T is quadratic)."""
        return np.array([(self.energy(q, qd + e) - self.energy(q, qd - e)) / 2 for e in self.motion.units])

    def fifth(self, J_dot, part=slice(0, 6)):
        """(J_dot_j - (dJ/dq_j) qd) · M_c V over the given rows, with the J_dot that is given."""
        return np.array([(J_dot[part, j] - self.dJ[j][part] @ self.qd) @ (self.M_c @ self.V)[part] for j in range(7)])

    def true_fifth(self, part=slice(0, 6)):
        """The same by the witness alone."""
        pairs = zip(self.true_J_dot[part].T, self.true_dJ, strict=True)
        return np.array([(column - slope_j[part] @ self.qd) @ self.momentum[part] for column, slope_j in pairs])


@pytest.fixture(scope="module")
def terms():
    return Terms(moving(figure_1))


@pytest.mark.source("MBT-38", "MBT-36", "MBT-37", "MBT-33", "MBT-34", "MBT-35")
def test_third_term_is_gyroscopic_and_the_fourth_minus_that(terms):
    """The five terms from the derivatives of the energy. The fourth enters Eq. 36 with a minus sign."""
    close(terms.energy_by_velocity(terms.q, terms.qd), terms.J.T @ terms.M_c @ terms.V, 1e-8)           # (33)
    rate = terms.first_two + terms.third + terms.J_dot.T @ terms.M_c @ terms.V
    close(terms.motion.along(terms.energy_by_velocity), rate, 1e-7)
    by_position = np.array([terms.qd @ dJ.T @ terms.M_c @ terms.V for dJ in terms.dJ]) + terms.fourth
    close(terms.motion.gradient(lambda q: terms.energy(q, terms.qd)), by_position, 1e-8)
    close(terms.first_two + terms.third - terms.fourth + terms.fifth(terms.J_dot), terms.Q, 1e-7)       # (36)
    close(terms.third, terms.J[3:].T @ terms.M_c_dot[3:, 3:] @ terms.w, 1e-8)                           # (37)
    close(terms.third, terms.gyroscopic, 1e-7)
    far(terms.J[3:].T @ terms.I_c @ terms.w, terms.third)                                       # as printed in (37)
    close(terms.fourth, np.array([terms.w @ dM_c[3:, 3:] @ terms.w / 2 for dM_c in terms.dM_c]), 1e-8)
    R, w = terms.linkage.R(4, terms.q), terms.w
    slopes = [derivative(lambda t, e=e: terms.linkage.R(4, terms.q + t * e)) for e in np.eye(7)]
    close(terms.fourth, np.array([w @ dR @ R.T @ terms.I_c @ w for dR in slopes]), 1e-7)
    close(terms.fourth, np.array([w @ skew(j) @ terms.I_c @ w for j in terms.J[3:].T]), 1e-7)
    close(terms.fourth, -terms.gyroscopic, 1e-7)
    wrong_sign = terms.first_two + terms.third + terms.fourth + terms.fifth(terms.J_dot)
    assert np.abs(wrong_sign - terms.Q).max() > 0.1


@pytest.mark.source("MBT-39", "MBT-40", "MBT-41", "MBT-43")
def test_linear_part_of_the_fifth_term_vanishes_and_the_angular_part_is_gyroscopic(terms):
    """With the rate of the Jacobian; as printed, with the Jacobian itself, (39), (40) and (41) fail."""
    linear, angular = slice(0, 3), slice(3, 6)
    dj = terms.true_dJ[:, 3:].transpose(2, 0, 1)                                # [j, k]: dj_j/dq_k, by the witness
    by_curl = np.einsum("jka,k,a", dj - dj.transpose(1, 0, 2), terms.qd, terms.I_c @ terms.w)
    for part, expected in ((slice(0, 6), terms.true_fifth()), (linear, np.zeros(7)), (angular, by_curl)):
        close(terms.fifth(terms.J_dot, part), expected, 1e-10 if part == linear else 1e-7)
        close(terms.true_fifth(part), expected, 1e-7)
        far(terms.fifth(terms.J, part), expected)
    close(terms.dJ, terms.true_dJ, 1e-8)
    dJ_v = terms.dJ[:, :3].transpose(2, 0, 1)
    close(dJ_v, dJ_v.transpose(1, 0, 2), 1e-10)                                 # second derivatives of x commute
    assert np.abs(dJ_v).max() > 0.1
    close(by_curl, np.array([(skew(terms.w) @ j) @ terms.I_c @ terms.w for j in terms.J[3:].T]), 1e-7)
    close(by_curl, -terms.gyroscopic, 1e-7)                                                     # (43)
    close(terms.fifth(terms.J_dot, angular), -terms.gyroscopic, 1e-10)


@pytest.mark.source("MBT-44", "MBT-45", "MBT-46", "MBT-47")
def test_simplified_lagrange_expression_and_newton_euler_equations_with_the_jacobian_put_in(terms):
    """(f; tau) are rates of momentum of the independent link 4; projected with Jᵀ they are the Lagrange expression."""
    w_tilde = np.zeros((6, 6))
    w_tilde[3:, 3:] = skew(terms.w)
    close(terms.first_two + terms.gyroscopic, terms.Q, 1e-7)                                    # (44)
    C = (terms.J.T @ terms.M_c @ terms.J_dot + terms.J.T @ w_tilde @ terms.M_c @ terms.J) @ terms.qd
    close(terms.J.T @ terms.M_c @ terms.J @ terms.qdd + C, terms.Q, 1e-7)                       # (45)
    force = terms.motion.along(lambda q, qd: terms.linkage.M_c(4, q) @ terms.linkage.J(4, q) @ qd)
    bias = np.concatenate([np.zeros(3), np.cross(terms.w, terms.I_c @ terms.w)])
    close(terms.M_c @ terms.motion.along(lambda q, qd: terms.linkage.J(4, q) @ qd) + bias, force, 1e-7)
    left = terms.M_c @ (terms.J @ terms.qdd + terms.J_dot @ terms.qd) + w_tilde @ terms.M_c @ terms.J @ terms.qd
    close(left, force, 1e-7)                                                                    # (46)
    far(terms.M_c @ terms.J @ terms.qd + bias, force)                                           # as printed
    close(terms.J[:3].T @ force[:3] + terms.J[3:].T @ force[3:], terms.Q, 1e-7)                 # (47)


@pytest.mark.source("MBT-48")
def test_acceleration_in_generalized_coordinates_is_that_of_newton_and_euler(rng):
    """qdd = M⁻¹(Q - C), Q = J_vᵀ f + J_wᵀ tau, leads to m v' = f and I_c w' + w × I_c w = tau; w' by differences."""
    masses, positions = random_cluster(rng)
    m, _, I_0 = helpers.mass_properties(masses, positions)
    model = flying_link(rng).model(gravity=(0, 0, 0))
    model = model.replace(inertia=[model.inertia[1], spatial.mcI(m, np.zeros(3), I_0)])
    q, qd = np.concatenate([rng.normal(size=3), rng.uniform(-1, 1, 3)]), rng.normal(size=6)
    f, tau = rng.normal(size=(2, 3))
    Q = maximal.generalized_force(model, q, {2: f}, {2: tau})
    qdd = lagrange.forward_dynamics(model, q, qd, Q)

    def w(t):
        at = path(q, qd, qdd)
        return vex(derivative(lambda s: euler_xyz(at(s)[3:]), t) @ euler_xyz(at(t)[3:]).T)

    I_c = euler_xyz(q[3:]) @ I_0 @ euler_xyz(q[3:]).T
    close(m * qdd[:3], f, 1e-9)
    close(I_c @ slope(w) + np.cross(w(0), I_c @ w(0)), tau, 1e-7)
