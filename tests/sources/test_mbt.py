"""The rows of A Quick Tutorial on Multibody Dynamics, sections 1 to 4: particles and one rigid body.

The independent side is `tests.sources.linkage`: positions by 3D geometry, their derivatives by complex steps and
differences, energies by sums over particles. `test_mbt_trees` has sections 5 to 7.
"""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib
from rbdlib import kinematics, lagrange, load, maximal, rnea, scalars, spatial
from rbdlib.joints import Custom, Euler
from rbdlib.lagrange import (
    lagrangian_equations,
    link_jacobian_rates,
    link_jacobians,
    mass_block,
    mass_matrix_and_coriolis,
    particle_equations,
)
from rbdlib.spatial import skew
from tests.sources.helpers import (
    acceleration,
    close,
    derivative,
    far,
    mass_properties,
    random_cluster,
    random_rotation,
    second_derivative,
    slope,
    smooth_motion,
    turn,
    velocity,
)
from tests.sources.linkage import X, Y, Z, figure_1, flying_link, sliding_linkage, vex
from tests.sources.linkage import lagrange as lagrange_expression


@pytest.fixture(params=[41, 42], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def linkage(request, rng):
    return request.param(rng)


def state(rng, n):
    return rng.normal(size=(3, n))


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


def particle_energies(q, qd):
    return np.array(MASSES) * (rates(q, qd) ** 2).sum(axis=1) / 2


def inertial_force(q, qd, qdd, j):
    """mu r'' · dr/dq_j of each particle."""
    accelerations = second_derivative(lambda t: masses_on_rods(path(q, qd, qdd)(t)))
    return np.array(MASSES) * (accelerations * column(q, j)).sum(axis=1)


@pytest.fixture(scope="module")
def rods():
    """The library's equations of motion of the two particles, derived from their positions."""
    return particle_equations(lambda q: masses_on_rods(q, scalars), MASSES, 3, GRAVITY)


@pytest.mark.source("MBT-1")
def test_positions_depend_on_the_coordinates_and_not_on_time(linkage, rng):
    q, model = rng.normal(size=linkage.n), linkage.model()
    for t in (0.0, 1.7):
        X = kinematics.body_transforms(model, q, t)
        for k in model.bodies:
            E, r = spatial.X_to_Er(X[k])
            close(r + E.T @ linkage.body(k)[1], linkage.x(k, q))
    driven = Custom(1, lambda q, t: spatial.xlt([q[0] + scalars.sin(t), 0, 0]))
    with pytest.raises(ValueError, match="moves by itself with time"):
        link_jacobians(model.replace(parent=[0], joints=[driven], X_tree=[np.eye(6)], inertia=[model.inertia[1]],
                                     names=["driven"]), [0.3])


@pytest.mark.source("MBT-2")
def test_virtual_displacement_is_linear_in_dq_up_to_second_order(linkage, rng):
    """r(q + eps dq) - r(q) = eps J dq + O(eps²): the remainder falls a hundredfold when eps falls tenfold."""
    q, dq = rng.normal(size=(2, linkage.n))
    k, i = linkage.m, 3
    r = linkage.particles(k, q)[i]
    J, _ = maximal.stacked_jacobians(linkage.model(), q, {k: r})
    J_i = J[3 * k - 3 : 3 * k]
    remainders = [np.linalg.norm(linkage.particles(k, q + eps * dq)[i] - r - eps * J_i @ dq) for eps in (1e-2, 1e-3)]
    assert remainders[0] > 1e-7
    assert remainders[0] / remainders[1] == pytest.approx(100, rel=0.1)


@pytest.mark.source("MBT-3")
def test_generalized_force_does_the_virtual_work_of_the_force(linkage, rng):
    q, dq = rng.normal(size=(2, linkage.n))
    for k in range(1, linkage.m + 1):
        r, f = linkage.particles(k, q)[0], rng.normal(size=3)
        delta_r = derivative(lambda t, k=k: linkage.particles(k, q + t * dq)[0])
        Q = maximal.generalized_force(linkage.model(), q, f={k: f}, points={k: r})
        close(Q @ dq, f @ delta_r)


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
    for dq in rng.normal(size=(3, 2)):
        delta_r = derivative(lambda t, dq=dq: r(q + t * dq))
        close(mu * g @ delta_r, mu * acceleration @ delta_r, 1e-8)


@pytest.mark.source("MBT-5")
def test_inertial_force_by_the_product_rule(rng):
    q, qd, qdd = state(rng, 3)
    mu = np.array(MASSES)
    for j in range(3):
        product_rate = along(lambda q, qd, j=j: mu * (rates(q, qd) * column(q, j)).sum(axis=1), q, qd, qdd)
        turning = mu * (rates(q, qd) * along(lambda q, qd, j=j: column(q, j), q, qd, qdd)).sum(axis=1)
        close(inertial_force(q, qd, qdd, j), product_rate - turning, 1e-7)


@pytest.mark.source("MBT-6", "MBT-15")
def test_velocity_of_a_particle_is_its_jacobian_times_qd(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    for k in range(1, linkage.m + 1):
        r = linkage.particles(k, q)[1]
        J, _ = maximal.stacked_jacobians(linkage.model(), q, {k: r})
        columns = [derivative(lambda t, e=e, k=k: linkage.particles(k, q + t * e)[1]) for e in np.eye(linkage.n)]
        close(J[3 * k - 3 : 3 * k], np.column_stack(columns))
        close(J[3 * k - 3 : 3 * k] @ qd, derivative(lambda t, k=k: linkage.particles(k, q + t * qd)[1]))


@pytest.mark.source("MBT-7")
def test_cancellation_of_dots(rng):
    q, qd = rng.normal(size=(2, 3))
    for j, e in enumerate(np.eye(3)):
        close(slope(lambda s, e=e: rates(q, qd + s * e)), column(q, j), 1e-9)


@pytest.mark.source("MBT-8")
def test_derivatives_by_position_and_by_time_may_be_exchanged(rng):
    q, qd, qdd = state(rng, 3)
    for j, e in enumerate(np.eye(3)):
        by_position = slope(lambda s, e=e: rates(q + s * e, qd))
        second = [slope(lambda s, j=j, u=u: column(q + s * u, j)) for u in np.eye(3)]
        close(by_position, np.tensordot(qd, second, 1), 1e-8)
        close(by_position, along(lambda q, qd, j=j: column(q, j), q, qd, qdd), 1e-8)


@pytest.mark.source("MBT-9", "MBT-11")
def test_inertial_force_from_the_kinetic_energy_of_a_particle(rng):
    q, qd, qdd = state(rng, 3)
    for i in range(2):
        energy = lagrange_expression(lambda q, qd, i=i: particle_energies(q, qd)[i], q, qd, qdd)
        forces = [inertial_force(q, qd, qdd, j)[i] for j in range(3)]
        close(energy, np.array(forces), 1e-7)


@pytest.mark.source("MBT-10")
def test_kinetic_energy_of_particles_is_half_the_mass_times_the_squared_speed(rng):
    """The double pendulum of the library, and two particles with the positions that trigonometry gives."""
    q, qd = rng.normal(size=(2, 2))
    model = load("double_pendulum")
    p = model.parameters

    def positions(q):
        first = p["l1"] * np.array([np.sin(q[0]), -np.cos(q[0])])
        return np.array([first, first + p["l2"] * np.array([np.sin(q[0] + q[1]), -np.cos(q[0] + q[1])])])

    speeds = derivative(lambda t: positions(q + t * qd))
    T = [mu * rd @ rd / 2 for mu, rd in zip((p["m1"], p["m2"]), speeds, strict=True)]
    close(kinematics.kinetic_energy(model, q, qd), np.array(sum(T)))


@pytest.mark.source("MBT-12", "MBT-13", "MBT-S1-2")
def test_lagrange_expressions_of_all_particles_add_up_to_the_work_of_the_joint_forces_and_weights(linkage, rng):
    """Constraint forces between the particles drop out of the sum, for every independent displacement."""
    q, qd, qdd = state(rng, linkage.n)
    model = linkage.model()
    by_particles = sum(lagrange_expression(lambda q, qd, k=k: linkage.link_energy(k, q, qd), q, qd, qdd)
                       for k in range(1, linkage.m + 1))
    weights = -gradient(linkage.potential, q)
    Q = rnea(model, q, qd, qdd) + weights
    close(by_particles, Q, 1e-7)
    close(lagrange.gravity_force(model, q), weights, 1e-8)
    assert np.abs(by_particles - (Q - 2 * weights)).max() > 0.1, "gravity has the right sign"


@pytest.mark.source("MBT-13")
def test_symbolic_lagrange_equations_equal_the_equations_by_jacobians(rng):
    model = load("double_pendulum")
    q, qd, qdd = state(rng, 2)
    H, C, gravity = lagrangian_equations(model).at(q, qd)
    M, C_by_jacobians = mass_matrix_and_coriolis(model, q, qd)
    close(H @ qdd + C + gravity, M @ qdd + C_by_jacobians - lagrange.gravity_force(model, q), 1e-10)


@pytest.mark.source("MBT-14", "MBT-S1-1", "MBT-S2-4")
def test_forward_and_inverse_dynamics_solve_the_vector_equation(linkage, rng):
    q, qd, qdd = state(rng, linkage.n)
    model = linkage.model()
    M, C = mass_matrix_and_coriolis(model, q, qd)
    Q = lagrange_expression(linkage.energy, q, qd, qdd)
    close(M @ qdd + C, Q, 1e-7)
    close(np.linalg.solve(M, Q - C), qdd, 1e-6)
    tau = Q + gradient(linkage.potential, q)
    close(tau, rnea(model, q, qd, qdd), 1e-7)
    close(lagrange.forward_dynamics(model, q, qd, tau), qdd, 1e-6)
    close(lagrange.forward_dynamics(model, q, qd, tau), forward_dynamics_of_rbdlib(model, q, qd, tau), 1e-9)


@pytest.mark.source("MBT-S2-1")
def test_mass_matrix_depends_on_position_only_and_coriolis_term_is_quadratic_in_velocity(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    model = linkage.model()
    M, C = mass_matrix_and_coriolis(model, q, qd)
    for s in (-1.0, 0.0, 2.5):
        M_s, C_s = mass_matrix_and_coriolis(model, q, s * qd)
        close(M_s, M)
        close(C_s, s * s * C, 1e-10)
    kinetic = [[linkage.energy(q, a + b) - linkage.energy(q, a) - linkage.energy(q, b) for a in np.eye(linkage.n)]
               for b in np.eye(linkage.n)]
    close(M, np.array(kinetic), 1e-10)
    far(mass_matrix_and_coriolis(model, q + 0.1, qd)[0], M)


@pytest.mark.source("MBT-16")
def test_mass_matrix_is_the_sum_of_mass_times_jacobian_squared_over_all_particles(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    model, total = linkage.model(), 0
    for k in range(1, linkage.m + 1):
        J = np.stack([derivative(lambda t, e=e, k=k: linkage.particles(k, q + t * e)) for e in np.eye(linkage.n)], -1)
        total = total + np.einsum("i,iaj,iak->jk", linkage.clusters[k - 1][0], J, J)
    M = mass_matrix_and_coriolis(model, q, qd)[0]
    close(M, total, 1e-10)
    close(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    close(np.array(qd @ M @ qd / 2), np.array(linkage.energy(q, qd)), 1e-10)
    close(np.array(kinematics.kinetic_energy(model, q, qd)), np.array(linkage.energy(q, qd)), 1e-10)


@pytest.mark.source("MBT-16")
def test_equations_of_particles_from_positions_in_symbols(rods, rng):
    q, qd, qdd = state(rng, 3)
    H, C, gravity = rods.at(q, qd)
    energy = lagrange_expression(lambda q, qd: particle_energies(q, qd).sum(), q, qd, qdd)
    close(H @ qdd + C, energy, 1e-7)
    close(gravity, -gradient(lambda q: np.array(MASSES) @ masses_on_rods(q) @ GRAVITY, q), 1e-9)


def tensor_of_mass_matrix(linkage, q, h=1e-3):
    """dM/dq_j of the independent mass matrix, indexed [j]."""
    def M(q):
        return sum(linkage.J(k, q).T @ linkage.M_c(k, q) @ linkage.J(k, q) for k in range(1, linkage.m + 1))

    return gradient(M, q)


@pytest.mark.source("MBT-17", "MBT-S2-2", "MBT-S2-3")
def test_coriolis_term_from_the_derivatives_of_the_mass_matrix(linkage, rng):
    """C = M' qd - ½ ((dM/dq) qd)ᵀ qd; column j of (dM/dq) qd is (dM/dq_j) qd, which is not column j of M'."""
    q, qd, qdd = state(rng, linkage.n)
    dM = tensor_of_mass_matrix(linkage, q)
    M_dot, tensor_qd = np.tensordot(qd, dM, 1), np.column_stack([slice_j @ qd for slice_j in dM])
    M, C = mass_matrix_and_coriolis(linkage.model(), q, qd)
    close(M_dot @ qd - tensor_qd.T @ qd / 2, C, 1e-8)
    close(M @ qdd + M_dot @ qd - [qd @ slice_j @ qd / 2 for slice_j in dM],
          lagrange_expression(linkage.energy, q, qd, qdd), 1e-7)
    assert np.abs(M_dot @ qd - tensor_qd @ qd / 2 - C).max() > 0.1, "the transpose matters"
    assert np.linalg.norm(tensor_qd - M_dot) > 0.1
    close(tensor_qd @ qd, M_dot @ qd, 1e-9)


def test_coriolis_term_of_a_symbolic_mass_matrix(rng):
    equations = lagrangian_equations(load("double_pendulum", symbolic=True))
    C = lagrange.coriolis_from_mass_matrix(equations.H, equations.q, equations.qd)
    with mpmath.workdps(30):
        values = {symbol: mpmath.mpf(rng.uniform(0.5, 2)) for symbol in C.free_symbols | equations.C.free_symbols}
        assert max(abs(x) for x in (C - equations.C).subs(values)) < 1e-25


# Section 3: a rigid cluster of particles in motion


class Flight:
    """A cluster of particles that is carried through space; all its rates by differentiating positions."""

    def __init__(self, rng):
        self.masses, positions = random_cluster(rng)
        self.m, c, self.I_0 = mass_properties(self.masses, positions)
        self.positions, self.pose = positions - c, smooth_motion(rng)

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


@pytest.mark.source("MBT-18")
def test_linear_momentum(flight):
    v, w = flight.v(0), flight.w(0)
    by_field = flight.masses @ (v + np.cross(w, flight.arms(0)))
    close(flight.P(0), by_field)
    close(flight.P(0), flight.m * v)
    I = spatial.mcI(flight.m, np.zeros(3), flight.I_c(0))
    close(spatial.momentum(I, np.concatenate([w, v]))[3:], flight.P(0))


@pytest.mark.source("MBT-19", "MBT-21")
def test_angular_momentum_about_the_centre_of_mass(flight):
    v, w = flight.v(0), flight.w(0)
    close(flight.L(0), flight.masses @ np.cross(flight.arms(0), v + np.cross(w, flight.arms(0))))
    close(flight.L(0), flight.I_c(0) @ w)
    R = flight.R(0)
    close(flight.L(0), R @ flight.I_0 @ R.T @ w)
    I = spatial.mcI(flight.m, np.zeros(3), R @ flight.I_0 @ R.T)
    close(spatial.momentum(I, np.concatenate([w, v]))[:3], flight.L(0))


@pytest.mark.source("MBT-20")
def test_skew_matrix(rng):
    a, b = rng.normal(size=(2, 3))
    assert_allclose(skew([1, 2, 3]), [[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    close(skew(a) @ b, np.cross(a, b))


@pytest.mark.source("MBT-S3-1")
def test_identities_of_skew_matrices(rng):
    a, b, c = rng.normal(size=(3, 3))
    R = random_rotation(rng)
    close(skew(a) @ b, -np.cross(b, a))
    close(skew(a).T, -skew(a))
    close(-skew(a) @ skew(a), a @ a * np.eye(3) - np.outer(a, a))
    close(skew(np.cross(a, b)), skew(a) @ skew(b) - skew(b) @ skew(a))
    close(skew(R @ a), R @ skew(a) @ R.T)
    close(a @ (skew(b) @ c), -b @ np.cross(a, c))


@pytest.mark.source("MBT-S3-2", "MBT-21")
def test_inertia_tensor_of_a_cluster(flight):
    by_dyads = sum(mu * (arm @ arm * np.eye(3) - np.outer(arm, arm))
                   for mu, arm in zip(flight.masses, flight.arms(0), strict=True))
    close(flight.I_c(0), by_dyads)
    R = flight.R(0)
    close(R @ flight.I_0 @ R.T, by_dyads)
    turned = spatial.transform_inertia(spatial.rot(R), spatial.mcI(flight.m, np.zeros(3), flight.I_0))
    close(turned[:3, :3], by_dyads)


@pytest.mark.source("MBT-S3-3")
def test_angular_velocity_from_the_rotation_matrix(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    w, v = lagrange.cartesian_state(linkage.model(), q, qd).w, kinematics.body_velocities(linkage.model(), q, qd)
    for k in range(1, linkage.m + 1):
        R = linkage.R(k, q)
        R_dot = derivative(lambda t, k=k: linkage.R(k, q + t * qd))
        close(skew(w[k]), R_dot @ R.T)
        close(skew(v[k][:3]), R.T @ R_dot)


@pytest.mark.source("MBT-22")
def test_force_is_mass_times_acceleration_of_the_centre_of_mass(flight):
    close(slope(flight.P), flight.m * second_derivative(flight.x), 1e-8)


@pytest.mark.source("MBT-23")
def test_torque_is_the_rate_of_angular_momentum(flight):
    """Every line of the derivation, with d/dt(I_c w) and d/dt(R I_0 Rᵀ) where the print has lost wide dots."""
    R, w, wd, I_c = flight.R(0), flight.w(0), slope(flight.w), flight.I_c(0)
    R_dot, torque = derivative(flight.R), slope(flight.L)
    close(torque, slope(lambda t: flight.I_c(t) @ flight.w(t)), 1e-8)
    close(torque, I_c @ wd + slope(lambda t: flight.R(t) @ flight.I_0 @ flight.R(t).T) @ w, 1e-8)
    close(torque, I_c @ wd + R_dot @ flight.I_0 @ R.T @ w + R @ flight.I_0 @ R_dot.T @ w, 1e-8)
    close(slope(flight.I_c), skew(w) @ I_c - I_c @ skew(w), 1e-8)
    close(torque, I_c @ wd + np.cross(w, I_c @ w), 1e-8)


@pytest.mark.source("MBT-24")
def test_newton_euler_equations_are_the_spatial_equation_of_motion(flight):
    """[m v'; I_c w' + w × I_c w] are the rates of momentum, and RBDA's force for the spatial acceleration there."""
    w, I_c = flight.w(0), flight.I_c(0)
    vd, wd = second_derivative(flight.x), slope(flight.w)
    M_c = np.block([[flight.m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), I_c]])
    force = M_c @ np.concatenate([vd, wd]) + np.concatenate([np.zeros(3), np.cross(w, I_c @ w)])
    close(force, np.concatenate([slope(flight.P), slope(flight.L)]), 1e-7)

    def at_centre(t):
        return flight.R(t), flight.x(t) - flight.x(0)

    a, V = acceleration(at_centre), velocity(at_centre)
    spatial_force = spatial.equation_of_motion(spatial.mcI(flight.m, np.zeros(3), I_c), V, a)
    close(np.concatenate([spatial_force[3:], spatial_force[:3]]), force, 1e-7)


# Section 4: one rigid body in generalized coordinates


@pytest.mark.source("MBT-25")
def test_expanded_kinetic_energy(flight):
    r_dot, v, w, arms = flight.r_dot(0), flight.v(0), flight.w(0), flight.arms(0)
    T = flight.masses @ (r_dot**2).sum(axis=1) / 2
    W = skew(w)
    close(np.array(T), np.array(sum(mu * (v + W @ r) @ (v + W @ r) / 2
                                    for mu, r in zip(flight.masses, arms, strict=True))))
    four = [mu / 2 * np.array([v @ v, v @ W @ r, r @ W.T @ v, r @ W.T @ W @ r])
            for mu, r in zip(flight.masses, arms, strict=True)]
    close(np.array(T), np.sum(four))
    close(np.sum(four, axis=0)[1:3], np.zeros(2))


@pytest.mark.source("MBT-26")
def test_kinetic_energy_of_a_rigid_body(flight):
    v, w = flight.v(0), flight.w(0)
    T = np.array(flight.masses @ (flight.r_dot(0) ** 2).sum(axis=1) / 2)
    close(flight.m * v @ v / 2 + w @ flight.I_c(0) @ w / 2, T)
    I = spatial.mcI(flight.m, np.zeros(3), flight.R(0) @ flight.I_0 @ flight.R(0).T)
    close(spatial.kinetic_energy(I, np.concatenate([w, v])), T)


@pytest.mark.source("MBT-27", "MBT-31", "MBT-32")
def test_kinetic_energy_in_six_vectors_and_in_qd(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    model = linkage.model()
    J, state_of_bodies = link_jacobians(model, q), lagrange.cartesian_state(model, q, qd)
    for k in range(1, linkage.m + 1):
        T = np.array(linkage.link_energy(k, q, qd))
        M_c, V = mass_block(model, state_of_bodies.R, k), np.concatenate([state_of_bodies.v[k], state_of_bodies.w[k]])
        assert J[k].shape == (6, linkage.n)
        close(V, np.concatenate([linkage.v(k, q, qd), linkage.w(k, q, qd)]))
        close(J[k] @ qd, V)
        close(V @ M_c @ V / 2, T)
        close(qd @ J[k].T @ M_c @ J[k] @ qd / 2, T)


@pytest.mark.source("MBT-28")
def test_linear_jacobian_is_the_derivative_of_the_centre_of_mass(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    J = link_jacobians(linkage.model(), q)
    for k in range(1, linkage.m + 1):
        close(J[k][:3], np.column_stack([linkage.v(k, q, e) for e in np.eye(linkage.n)]))
        close(J[k][:3] @ qd, linkage.v(k, q, qd))


def exponential(q):
    """The turn by |q| about q, for real and complex q."""
    angle = np.sqrt(q @ q)
    return turn(q / angle, angle)


def euler_xyz(q):
    return turn(X, q[0]) @ turn(Y, q[1]) @ turn(Z, q[2])


ORIENTATIONS = {"Euler xyz": (euler_xyz, lagrange.euler_angle_jacobian),
                "exponential map": (exponential, lagrange.exponential_map_jacobian)}


@pytest.fixture(params=ORIENTATIONS.values(), ids=ORIENTATIONS.keys())
def orientation(request):
    return request.param


def columns_j(R, q):
    """The vectors j_j of (dR/dq_j) Rᵀ = [j_j], as columns."""
    return np.column_stack([vex(derivative(lambda t, e=e: R(q + t * e)) @ R(q).T) for e in np.eye(3)])


@pytest.mark.source("MBT-29", "MBT-30")
def test_angular_jacobian_from_the_derivatives_of_the_rotation(orientation, rng):
    (R, jacobian), q, qd = orientation, *rng.normal(size=(2, 3))
    for e in np.eye(3):
        slope_of_R = derivative(lambda t, e=e: R(q + t * e)) @ R(q).T
        close(slope_of_R, -slope_of_R.T)
    close(jacobian(q), columns_j(R, q))
    close(skew(jacobian(q) @ qd), derivative(lambda t: R(q + t * qd)) @ R(q).T)


@pytest.mark.source("MBT-30")
def test_angular_jacobian_of_links(linkage, rng):
    q, qd, _ = state(rng, linkage.n)
    J = link_jacobians(linkage.model(), q)
    for k in range(1, linkage.m + 1):
        close(J[k][3:], np.column_stack([linkage.w(k, q, e) for e in np.eye(linkage.n)]))
        close(J[k][3:] @ qd, linkage.w(k, q, qd))


class Terms:
    """The quantities of MBT 4 for link 4 of Figure 1 at a state: by the library, and by differences of the witness."""

    def __init__(self, rng):
        self.linkage = linkage = figure_1(rng)
        self.q, self.qd, self.qdd = q, qd, qdd = state(rng, linkage.n)
        self.k, model, units = 4, linkage.model(), np.eye(linkage.n)
        self.J, self.J_dot = link_jacobians(model, q)[4], link_jacobian_rates(model, q, qd)[4]
        self.dJ = [link_jacobian_rates(model, q, e)[4] for e in units]
        self.M_c = mass_block(model, lagrange.cartesian_state(model, q).R, 4)
        self.V = self.J @ qd
        self.w, self.I_c = self.V[3:], self.M_c[3:, 3:]
        self.M_c_dot = along(lambda q, qd: linkage.M_c(4, q), q, qd, qdd)
        self.dM_c = gradient(lambda q: linkage.M_c(4, q), q)

    def energy(self, q, qd):
        return self.linkage.link_energy(4, q, qd)

    def momentum(self, q, qd):
        """dT/dqd_j for all j, by differences (exact: T is quadratic)."""
        return np.array([slope(lambda s, e=e: self.energy(q, qd + s * e), 0, 0.1) for e in np.eye(len(q))])

    @property
    def third(self):
        return self.J.T @ self.M_c_dot @ self.V

    @property
    def fourth(self):
        """Without the minus sign that it has in Eq. 36."""
        return np.array([self.V @ dM_c @ self.V / 2 for dM_c in self.dM_c])

    @property
    def fifth(self):
        return self.J_dot.T @ self.M_c @ self.V - np.array([(dJ @ self.qd) @ self.M_c @ self.V for dJ in self.dJ])

    @property
    def gyroscopic(self):
        """j_jᵀ [w] I_c w for all j."""
        return self.J[3:].T @ np.cross(self.w, self.I_c @ self.w)

    def lagrange_expression(self):
        return lagrange_expression(self.energy, self.q, self.qd, self.qdd)


@pytest.fixture
def terms(rng):
    return Terms(rng)


@pytest.mark.source("MBT-33")
def test_derivative_of_the_energy_by_velocity(terms):
    close(terms.momentum(terms.q, terms.qd), terms.J.T @ terms.M_c @ terms.V, 1e-8)


@pytest.mark.source("MBT-34")
def test_time_derivative_of_the_momentum(terms):
    by_parts = (terms.J.T @ terms.M_c @ terms.J @ terms.qdd + terms.J.T @ terms.M_c @ terms.J_dot @ terms.qd
                + terms.third + terms.J_dot.T @ terms.M_c @ terms.V)
    close(along(terms.momentum, terms.q, terms.qd, terms.qdd), by_parts, 1e-7)


@pytest.mark.source("MBT-35")
def test_derivative_of_the_energy_by_position(terms):
    by_parts = np.array([terms.qd @ dJ.T @ terms.M_c @ terms.V for dJ in terms.dJ]) + terms.fourth
    close(gradient(lambda q: terms.energy(q, terms.qd), terms.q), by_parts, 1e-8)


@pytest.mark.source("MBT-36")
def test_lagrange_expression_in_five_terms(terms):
    first = terms.J.T @ terms.M_c @ terms.J @ terms.qdd
    second = terms.J.T @ terms.M_c @ terms.J_dot @ terms.qd
    close(first + second + terms.third - terms.fourth + terms.fifth, terms.lagrange_expression(), 1e-7)


@pytest.mark.source("MBT-37")
def test_third_term_is_gyroscopic(terms):
    I_c_dot = along(lambda q, qd: terms.linkage.I_c(4, q), terms.q, terms.qd, terms.qdd)
    close(terms.third, terms.J[3:].T @ I_c_dot @ terms.w, 1e-8)
    close(terms.third, terms.gyroscopic, 1e-7)


@pytest.mark.source("MBT-38")
def test_fourth_term_is_minus_the_gyroscopic_one(terms):
    """Every expression of Eq. 38; the term enters Eq. 36 with a minus sign, so that it adds to the third."""
    dI_c = gradient(lambda q: terms.linkage.I_c(4, q), terms.q)
    close(terms.fourth, np.array([terms.w @ slice_j @ terms.w / 2 for slice_j in dI_c]), 1e-8)
    R, w = terms.linkage.R(4, terms.q), terms.w
    slopes = [derivative(lambda t, e=e: terms.linkage.R(4, terms.q + t * e)) for e in np.eye(7)]
    close(terms.fourth, np.array([w @ dR @ R.T @ terms.I_c @ w for dR in slopes]), 1e-7)
    close(terms.fourth, np.array([w @ skew(j) @ terms.I_c @ w for j in terms.J[3:].T]), 1e-7)
    close(terms.fourth, -terms.gyroscopic, 1e-7)
    first_two = terms.J.T @ terms.M_c @ (terms.J @ terms.qdd + terms.J_dot @ terms.qd)
    wrong_sign = first_two + terms.third + terms.fourth + terms.fifth
    assert np.abs(wrong_sign - terms.lagrange_expression()).max() > 0.1


@pytest.mark.source("MBT-39")
def test_fifth_term_in_components(terms):
    """J' and dJ/dq_j here from differences of the independent Jacobian; the fifth term from the library's."""
    J_dot = along(lambda q, qd: terms.linkage.J(4, q), terms.q, terms.qd, terms.qdd)
    dJ = gradient(lambda q: terms.linkage.J(4, q), terms.q)
    momenta = terms.linkage.M_c(4, terms.q) @ terms.linkage.J(4, terms.q) @ terms.qd
    components = [J_dot[:3, j] @ momenta[:3] + J_dot[3:, j] @ momenta[3:]
                  - (dJ[j][:3] @ terms.qd) @ momenta[:3] - (dJ[j][3:] @ terms.qd) @ momenta[3:] for j in range(7)]
    close(terms.fifth, np.array(components), 1e-7)


def linear_difference(terms, J_v_dot):
    return np.array([terms.M_c[0, 0] * (J_v_dot[:, j] - terms.dJ[j][:3] @ terms.qd) @ terms.V[:3] for j in range(7)])


@pytest.mark.source("MBT-40")
def test_linear_part_of_the_fifth_term_vanishes(terms):
    close(linear_difference(terms, terms.J_dot[:3]), np.zeros(7), 1e-10)
    for j in range(7):
        by_columns = sum(terms.dJ[k][:3, j] * terms.qd[k] - terms.dJ[j][:3, k] * terms.qd[k] for k in range(7))
        close(by_columns, np.zeros(3), 1e-10)
    second = gradient(lambda q: terms.linkage.J(4, q)[:3], terms.q)
    close(second, np.array(terms.dJ)[:, :3], 1e-8)
    assert np.abs(second).max() > 0.1


def z_vectors(terms):
    """z_jk = dj_j/dq_k - dj_k/dq_j as an array [j, k, :], by differences of the independent Jacobian."""
    dJ_w = gradient(lambda q: terms.linkage.J(4, q)[3:], terms.q)
    return np.array([[dJ_w[k][:, j] - dJ_w[j][:, k] for k in range(7)] for j in range(7)])


@pytest.mark.source("MBT-41")
def test_angular_part_of_the_fifth_term(terms):
    angular = np.array([(terms.J_dot[3:, j] - terms.dJ[j][3:] @ terms.qd) @ terms.I_c @ terms.w for j in range(7)])
    close(angular, np.einsum("jka,k,a", z_vectors(terms), terms.qd, terms.I_c @ terms.w), 1e-7)
    close(angular, terms.fifth, 1e-10)


@pytest.mark.source("MBT-42")
def test_curl_of_the_angular_jacobian(orientation, terms, rng):
    (R, jacobian), q = orientation, rng.normal(size=3)
    J = jacobian(q)
    dJ = gradient(lambda q: columns_j(R, q), q)
    for j in range(3):
        for k in range(3):
            z_jk = dJ[k][:, j] - dJ[j][:, k]
            close(z_jk, np.cross(J[:, k], J[:, j]), 1e-8)
            close(skew(z_jk), -skew(J[:, j]) @ skew(J[:, k]) + skew(J[:, k]) @ skew(J[:, j]), 1e-8)
    j = terms.J[3:].T
    close(z_vectors(terms), np.cross(j[None, :, :], j[:, None, :]), 1e-8)
    assert np.abs(z_vectors(terms)).max() > 0.1


@pytest.mark.source("MBT-43")
def test_angular_result_of_the_fifth_term(terms):
    by_curl = np.einsum("jka,k,a", z_vectors(terms), terms.qd, terms.I_c @ terms.w)
    close(by_curl, np.array([(skew(terms.w) @ j) @ terms.I_c @ terms.w for j in terms.J[3:].T]), 1e-7)
    close(by_curl, -terms.gyroscopic, 1e-7)


@pytest.mark.source("MBT-44", "MBT-45")
def test_simplified_lagrange_expression(terms):
    w_tilde = np.zeros((6, 6))
    w_tilde[3:, 3:] = skew(terms.w)
    rest = terms.J.T @ terms.M_c @ terms.J_dot @ terms.qd
    close(terms.J.T @ terms.M_c @ terms.J @ terms.qdd + rest + terms.gyroscopic, terms.lagrange_expression(), 1e-7)
    C = (terms.J.T @ terms.M_c @ terms.J_dot + terms.J.T @ w_tilde @ terms.M_c @ terms.J) @ terms.qd
    close(terms.J.T @ terms.M_c @ terms.J @ terms.qdd + C, terms.lagrange_expression(), 1e-7)


@pytest.mark.source("MBT-45", "MBT-48")
def test_vector_form_for_one_flying_body(rng):
    """The library's M and C of a body with six coordinates: the Lagrange expression of the sum over its particles."""
    body = flying_link(rng)
    q, qd, qdd = state(rng, 6)
    M, C = mass_matrix_and_coriolis(body.model(), q, qd)
    close(M @ qdd + C, lagrange_expression(body.energy, q, qd, qdd), 1e-7)


@pytest.mark.source("MBT-S4-1")
def test_rate_of_the_jacobian_is_the_sum_of_its_slopes(linkage, rng):
    q, qd, qdd = state(rng, linkage.n)
    model = linkage.model()
    J_dot, slopes = link_jacobian_rates(model, q, qd), [link_jacobian_rates(model, q, e) for e in np.eye(linkage.n)]
    for k in range(1, linkage.m + 1):
        close(J_dot[k], sum(slopes[j][k] * qd[j] for j in range(linkage.n)))
        close(J_dot[k], along(lambda q, qd, k=k: linkage.J(k, q), q, qd, qdd), 1e-8)
        close(np.array([s[k] for s in slopes]), gradient(lambda q, k=k: linkage.J(k, q), q), 1e-8)


@pytest.mark.source("MBT-46", "MBT-47")
def test_newton_euler_equations_with_the_jacobian_put_in(terms):
    """(f; tau) are rates of momentum of the independent link 4; projected with Jᵀ they are the Lagrange expression."""
    linkage, q, qd, qdd = terms.linkage, terms.q, terms.qd, terms.qdd

    def momentum(q, qd):
        return linkage.M_c(4, q) @ linkage.J(4, q) @ qd

    force = along(momentum, q, qd, qdd)
    bias = np.concatenate([np.zeros(3), np.cross(terms.w, terms.I_c @ terms.w)])
    close(terms.M_c @ along(lambda q, qd: linkage.J(4, q) @ qd, q, qd, qdd) + bias, force, 1e-7)
    w_tilde = np.zeros((6, 6))
    w_tilde[3:, 3:] = skew(terms.w)
    left = terms.M_c @ terms.J @ qdd + terms.M_c @ terms.J_dot @ qd + w_tilde @ terms.M_c @ terms.J @ qd
    close(left, force, 1e-7)
    close(terms.J[:3].T @ force[:3] + terms.J[3:].T @ force[3:], terms.lagrange_expression(), 1e-7)


def orienting_joint(turns):
    """The library's joint with one of the ORIENTATIONS; that of the exponential map is made for the occasion."""
    if turns == "Euler xyz":
        return Euler("xyz")

    def S(q, t):
        return np.concatenate([lagrange.exponential_map(q).T @ lagrange.exponential_map_jacobian(q), np.zeros((3, 3))])

    return Custom(3, lambda q, t: spatial.rot(lagrange.exponential_map(q).T), S, name=turns)


@pytest.mark.source("MBT-48")
@pytest.mark.parametrize("turns", ORIENTATIONS)
def test_acceleration_in_generalized_coordinates_is_that_of_newton_and_euler(turns, rng):
    """qdd = M⁻¹(Q - C), Q = J_vᵀ f + J_wᵀ tau, leads to m v' = f and I_c w' + w × I_c w = tau; w' by differences."""
    masses, positions = random_cluster(rng)
    m, _, I_0 = mass_properties(masses, positions)
    body = flying_link(rng)
    model = body.model(joints=[body.model().joints[1], orienting_joint(turns)], gravity=(0, 0, 0),
                       inertia=[body.model().inertia[1], spatial.mcI(m, np.zeros(3), I_0)])
    q, qd = np.concatenate([rng.normal(size=3), rng.uniform(-1, 1, 3)]), rng.normal(size=6)
    f, tau = rng.normal(size=(2, 3))
    Q = maximal.generalized_force(model, q, {2: f}, {2: tau})
    qdd = lagrange.forward_dynamics(model, q, qd, Q)
    R = ORIENTATIONS[turns][0]

    def w(t):
        at = path(q, qd, qdd)
        return vex(derivative(lambda s: R(at(s)[3:]), t) @ R(at(t)[3:]).T)

    I_c = R(q[3:]) @ I_0 @ R(q[3:]).T
    close(m * qdd[:3], f, 1e-9)
    close(I_c @ slope(w) + np.cross(w(0), I_c @ w(0)), tau, 1e-7)
