"""RBDA 2.9 to 2.17 row by row: cross products, differentiation, acceleration, momentum, inertia, the plane. World
motions and forces are built from their definitions in `tests.sources.helpers`: velocity fields, moments, paths of
particles. What rbdlib returns is one side of each equation, or the operator in it, and never both sides."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

from rbdlib.arithmetic import fv, mv
from rbdlib.book import ch02_planar as planar, ch02_spatial as ch02, ch02_spatial as spatial
from rbdlib.book.ch02_spatial import crf, crm, dyad, force_transform, mcI, plucker, skew, xlt
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_kinematics import body_accelerations, body_jacobian
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from tests.sources import helpers
from tests.sources.helpers import close, cluster_inertia, derivative, far, mass_properties, motion_coordinates, velocity

SEED = 2
HERE = (np.eye(3), np.zeros(3))
ZERO, ONE = np.zeros((3, 3)), np.eye(3)


def columns(function, n=6):
    """The matrix of a linear function, column by column."""
    return np.column_stack([function(e) for e in np.eye(n)])


def transforms(pose):
    """The matrices ᴮX_O and ᴮX*_O of a frame, column by column from the definition of coordinates."""
    return columns(lambda e: motion_coordinates(e, pose)), columns(lambda e: helpers.force_coordinates(e, pose))


def rate_when_carried(carried, v, vector):
    """Rate of change of a world vector that is fixed in a body of velocity v."""
    return derivative(lambda t: carried(vector, helpers.uniform_motion(v)(t)))


def assert_table_holds(table):
    """Both sides of each formula of {formula: (left, right)} agree, and are not zero."""
    for formula, (left, right) in table.items():
        assert np.abs(left).max() > 1e-3, formula
        assert_allclose(left, right, rtol=0, atol=1e-12 * max(1, np.abs(right).max()), err_msg=formula)


# 2.9 Spatial cross products

MOTION_TABLE = """
    0      d_Oz  -d_Oy   0      d_z   -d_y
   -d_Oz   0      d_Ox  -d_z    0      d_x
    d_Oy  -d_Ox   0      d_y   -d_x    0
    0      d_z   -d_y    0      0      0
   -d_z    0      d_x    0      0      0
    d_y   -d_x    0      0      0      0
"""
FORCE_TABLE = """
    0      e_z   -e_y    0      e_Oz  -e_Oy
   -e_z    0      e_x   -e_Oz   0      e_Ox
    e_y   -e_x    0      e_Oy  -e_Ox   0
    0      0      0      0      e_z   -e_y
    0      0      0     -e_z    0      e_x
    0      0      0      e_y   -e_x    0
"""


def read_table(text, names):
    """The table as an array: entry [i, j] holds the coordinates of row × column."""
    vectors = {"0": np.zeros(6)}
    for name, e in zip(names, np.eye(6), strict=True):
        vectors[name], vectors[f"-{name}"] = e, -e
    return np.array([[vectors[word] for word in line.split()] for line in text.strip().splitlines()])


@pytest.mark.source("RBDA-2.29", "RBDA-2.30", "RBDA-S2.9-3")
def test_rates_of_a_motion_and_a_force_fixed_in_a_moving_body_and_of_their_power(rng):
    m, f, pose, t = rng.normal(size=6), rng.normal(size=6), helpers.smooth_motion(rng), rng.uniform(-1, 1)
    v, m_O, f_O = velocity(pose, t), helpers.motion_carried(m, pose(t)), helpers.force_carried(f, pose(t))
    close(derivative(lambda t: helpers.motion_carried(m, pose(t)), t), crm(v) @ m_O)
    close(derivative(lambda t: helpers.force_carried(f, pose(t)), t), crf(v) @ f_O)
    close(derivative(lambda t: helpers.motion_carried(m, pose(t)) @ helpers.force_carried(f, pose(t)), t), 0)
    close((crm(v) @ m_O) @ f_O + m_O @ (crf(v) @ f_O), 0)
    far((crm(v) @ m_O) @ f_O, 0)


@pytest.mark.source("RBDA-F2.5", "RBDA-Q2.9-1", "RBDA-S2.9-2")
def test_figure_2_5_lists_how_basis_vectors_move():
    """Exactly, too: the entries follow from the transforms of moving frames."""
    motions = read_table(MOTION_TABLE, ["d_Ox", "d_Oy", "d_Oz", "d_x", "d_y", "d_z"])
    forces = read_table(FORCE_TABLE, ["e_x", "e_y", "e_z", "e_Ox", "e_Oy", "e_Oz"])
    t = sympy.Symbol("t", real=True)
    moved = [spatial.rotx(t), spatial.roty(t), spatial.rotz(t), xlt([t, 0, 0]), xlt([0, t, 0]), xlt([0, 0, t])]
    rate = np.vectorize(lambda entry: sympy.diff(entry, t).subs(t, 0))
    for d, X, d_times, d_times_star in zip(np.eye(6), moved, motions, forces, strict=True):
        close(columns(lambda e, d=d: rate_when_carried(helpers.motion_carried, d, e)), d_times.T)
        close(columns(lambda e, d=d: rate_when_carried(helpers.force_carried, d, e)), d_times_star.T)
        close(crm(d), d_times.T)
        close(crf(d), d_times_star.T)
        assert helpers.identical(rate(spatial.inverse_transform(X)), d_times.T)
        assert helpers.identical(rate(X.T), d_times_star.T)


@pytest.mark.source("RBDA-2.31", "RBDA-2.32", "RBDA-2.33", "RBDA-2.34", "RBDA-AA.2-crm", "RBDA-AA.2-crf", "RBDA-SA.1-2")
def test_matrices_and_three_dimensional_parts_of_the_cross_products(rng):
    (omega, v_O), (a, b) = rng.normal(size=(2, 2, 3))
    v, W, V = np.concatenate([omega, v_O]), helpers.cross_matrix(omega), helpers.cross_matrix(v_O)
    for carried, operator, printed, typed, parts in (
        (helpers.motion_carried, crm(v), [[W, ZERO], [V, W]], mv(a, b),
         [np.cross(omega, a), np.cross(omega, b) + np.cross(v_O, a)]),
        (helpers.force_carried, crf(v), [[W, V], [ZERO, W]], fv(a, b),
         [np.cross(omega, a) + np.cross(v_O, b), np.cross(omega, b)]),
    ):
        by_definition = columns(lambda e, carried=carried: rate_when_carried(carried, v, e))
        close(np.block(printed), by_definition)
        close(operator, by_definition)
        close(np.concatenate(parts), by_definition @ typed.array)
        close(mv(omega, v_O).cross(typed).array, np.concatenate(parts))
    close(crm(v) @ v, np.zeros(6))
    assert (crf(v) == -crm(v).T).all()
    far(crm(v).T, crf(v))


def table_2_3(crm, crf, u, v, f, k, X, X_star):
    """Both sides of each formula, for motions u and v, a force f, a scalar k and a transform of motions and forces."""
    return {
        "v×* = −(v×)ᵀ": (crf(v), -crm(v).T),
        "(kv)× = k(v×)": (crm(k * v), k * crm(v)),
        "(kv)×* = k(v×*)": (crf(k * v), k * crf(v)),
        "(u+v)× = u× + v×": (crm(u + v), crm(u) + crm(v)),
        "(u+v)×* = u×* + v×*": (crf(u + v), crf(u) + crf(v)),
        "(Xv)× = X v× X⁻¹": (crm(X @ v), X @ crm(v) @ X_star.T),
        "(Xv)×* = X* v×* (X*)⁻¹": (crf(X @ v), X_star @ crf(v) @ X.T),
        "u×v = −v×u": (crm(u) @ v, -crm(v) @ u),
        "(u×v)ᵀ = −vᵀ(u×*)": ((crm(u) @ v).T, -v.T @ crf(u)),
        "(u×*f)ᵀ = −fᵀ(u×)": ((crf(u) @ f).T, -f.T @ crm(u)),
        "(u×v)× = u× v× − v× u×": (crm(crm(u) @ v), crm(u) @ crm(v) - crm(v) @ crm(u)),
        "(u×v)×* = u×* v×* − v×* u×*": (crf(crm(u) @ v), crf(u) @ crf(v) - crf(v) @ crf(u))}


@pytest.mark.source("RBDA-T2.3")
def test_properties_of_the_cross_operators(rng):
    X, X_star = transforms(helpers.random_pose(rng))
    assert_table_holds(table_2_3(crm, crf, *rng.normal(size=(3, 6)), rng.normal(), X, X_star))
    v, no_transform = rng.normal(size=6), rng.normal(size=(6, 6))
    far(crm(no_transform @ v), no_transform @ crm(v) @ np.linalg.inv(no_transform))


# 2.10 Differentiation

def polynomial(rng, shape, degree=3):
    """Coefficients c_0..c_degree, of the given shape each; the value at x is the sum of c_k x**k."""
    return rng.integers(-4, 5, size=(degree + 1, *shape)).astype(float)


def value(coefficients, x):
    return sum(c * x**k for k, c in enumerate(coefficients))


def exact_derivative(coefficients, x):
    return sum(k * c * x ** (k - 1) for k, c in enumerate(coefficients) if k)


@pytest.mark.source("RBDA-S2.10-1", "RBDA-2.35")
def test_derivatives_are_limits_of_quotients_taken_by_component_and_vectors_of_the_same_kind(rng):
    p, x, pose = polynomial(rng, (6,)), rng.uniform(-1, 1), helpers.random_pose(rng)
    rate, X = exact_derivative(p, x), plucker(*helpers.E_and_r(HERE, pose))
    close([derivative(lambda x, i=i: value(p[:, i], x), x) for i in range(6)], rate)
    close(derivative(lambda x: motion_coordinates(value(p, x), pose), x), X @ rate)
    close(derivative(lambda x: helpers.force_coordinates(value(p, x), pose), x), force_transform(X) @ rate)
    for kind in (mv, fv):
        quotient = 1 / 2e-3 * (kind(*np.split(value(p, x + 1e-3), 2)) - kind(*np.split(value(p, x - 1e-3), 2)))
        assert type(quotient) is kind
        close(quotient.array, rate, 1e-4)

    for shape in ((), (3,), (6,), (6, 6)):
        p, x = polynomial(rng, shape), rng.uniform(-1, 1)
        errors = [np.abs((value(p, x + dx) - value(p, x)) / dx - exact_derivative(p, x)).max()
                  for dx in (1e-3, 1e-4, 1e-5)]
        assert errors[0] < 0.1
        assert_allclose(np.divide(errors[1:], errors[:-1]), 0.1, rtol=0.02)


@pytest.mark.source("RBDA-T2.4")
def test_differentiation_formulas():
    """For vectors u and v, a scalar k and a matrix L."""
    rng, x = np.random.default_rng(24), sympy.Symbol("x")
    u, v, k, L = (value(polynomial(rng, shape, 2).astype(int), x) for shape in ((6,), (6,), (), (6, 6)))

    def D(y):
        return np.vectorize(lambda entry: sympy.diff(entry, x), otypes=[object])(y)[()]

    for formula, (left, right) in {
        "(u·v)' = u'·v + u·v'": (D(u @ v), D(u) @ v + u @ D(v)),
        "(u×v)' in 3D": (D(skew(u[:3]) @ v[3:]), skew(D(u[:3])) @ v[3:] + skew(u[:3]) @ D(v[3:])),
        "(u×v)'": (D(crm(u) @ v), crm(D(u)) @ v + crm(u) @ D(v)),
        "(u×*v)'": (D(crf(u) @ v), crf(D(u)) @ v + crf(u) @ D(v)),
        "(u v·)'": (D(dyad(u, v)), dyad(D(u), v) + dyad(u, D(v))),
        "(k v)'": (D(k * v), D(k) * v + k * D(v)),
        "(L v)'": (D(L @ v), D(L) @ v + L @ D(v)),
        "(u·)'": (D(u[None, :]), D(u)[None, :]), "(u×)' in 3D": (D(skew(u[:3])), skew(D(u[:3]))),
        "(u×)'": (D(crm(u)), crm(D(u))), "(u×*)'": (D(crf(u)), crf(D(u))),
    }.items():
        assert not helpers.identical(left, 0 * right), formula
        assert helpers.identical(left, right), formula


@pytest.mark.source("RBDA-2.36", "RBDA-2.37", "RBDA-2.41", "RBDA-2.42", "RBDA-2.43", "RBDA-2.44")
@pytest.mark.parametrize(("coordinates", "carried", "cross"), [
    (motion_coordinates, helpers.motion_carried, crm), (helpers.force_coordinates, helpers.force_carried, crf)],
    ids=["motion", "force"])
def test_true_rate_is_apparent_rate_plus_what_the_observer_adds(rng, coordinates, carried, cross):
    """ᴬ(dm/dt) = d(ᴬm)/dt + ᴬv_A × ᴬm, and ṁ = m̊ + v_A × m with its three terms expressed in a third frame"""
    p, frame, t = polynomial(rng, (6,)) / 2, helpers.smooth_motion(rng), rng.uniform(-1, 1)
    m, dot, v_A, A = value(p, t), exact_derivative(p, t), velocity(frame, t), frame(t)
    ring = derivative(lambda t: coordinates(value(p, t), frame(t)), t)
    close(coordinates(dot, A), ring + cross(motion_coordinates(v_A, A)) @ coordinates(m, A))
    far(coordinates(dot, A), ring)
    third = helpers.random_pose(rng)
    apparent = coordinates(carried(ring, A), third)
    close(coordinates(dot, third), apparent + cross(motion_coordinates(v_A, third)) @ coordinates(m, third))


@pytest.mark.source("RBDA-S2.9-1", "RBDA-2.38")
def test_rates_of_euclidean_vectors_that_rotate_and_in_rotating_coordinates(rng):
    """dr/dt = ω × r of an r that turns with the frame, and ᴬ(du/dt) = d(ᴬu)/dt + ᴬω_A × ᴬu of any u"""
    p, frame, t, r = polynomial(rng, (3,)), helpers.smooth_motion(rng), rng.uniform(-1, 1), rng.normal(size=3)
    R, omega = frame(t)[0], velocity(frame, t)[:3]
    turning = derivative(lambda t: frame(t)[0] @ r, t)
    close(turning, np.cross(omega, R @ r))
    close(turning, skew(omega) @ R @ r)
    ring = derivative(lambda t: frame(t)[0].T @ value(p, t), t)
    close(R.T @ exact_derivative(p, t), ring + skew(R.T @ omega) @ R.T @ value(p, t))


class Chain:
    """Five bodies in a row, whose poses come from joint angles and displacements without spatial arithmetic.
    The joint variables are quadratic in time; without t, quantities are those at t = 0, in world coordinates."""
    bodies = range(1, 6)

    def __init__(self, rng):
        kinds = ["revolute", "prismatic", "revolute", "revolute", "revolute"]
        self.tree = replace(helpers.random_tree(rng, 5, range(5)), kinds=kinds, gravity=np.zeros(3))
        self.model = self.tree.model()
        self.q, self.qd, self.qdd = rng.normal(size=(3, 5))
        self.units = [np.kron([kind == "revolute", kind == "prismatic"], axis)
                      for kind, axis in zip(kinds, self.tree.axes, strict=True)]

    def q_at(self, t):
        return self.q + t * self.qd + t**2 / 2 * self.qdd

    def qd_at(self, t):
        return self.qd + t * self.qdd

    def pose(self, i):
        """The motion t -> pose of body i."""
        return lambda t: self.tree.world_poses(self.q_at(t))[i]

    def s(self, i, t=0.0):
        """The axis of joint i."""
        return helpers.motion_carried(self.units[i - 1], self.pose(i)(t))

    def s_dot(self, i):
        return derivative(lambda t: self.s(i, t))

    def v(self, i, t=0.0):
        return velocity(self.pose(i), t)

    def a(self, i):
        return helpers.acceleration(self.pose(i))

    def J(self, i, t=0.0):
        """The Jacobian of body i by rbdlib."""
        in_body = body_jacobian(self.model, self.q_at(t), i)
        return np.column_stack([helpers.motion_carried(column, self.pose(i)(t)) for column in in_body.T])


@pytest.fixture
def chain(rng):
    return Chain(rng)


def body_at_O(pose, t=0.0):
    """The path of the body-fixed point that is at the origin O at the time t."""
    R, p = pose(t)
    at_O = -R.T @ p
    return lambda t: pose(t)[1] + pose(t)[0] @ at_O


@pytest.mark.source("RBDA-2.39", "RBDA-2.46", "RBDA-S2.10-2")
def test_accelerations_are_rates_of_the_velocity_at_a_fixed_origin(chain):
    """Those of rbdlib are given in body coordinates: ᴬv̇ = ᴬ(dv/dt)"""
    a = body_accelerations(chain.model, chain.q, chain.qd, chain.qdd)
    motion = newton_euler(chain.model, chain.q, chain.qd, chain.qdd)
    for i in chain.bodies:
        pose = chain.pose(i)
        omega_dot = helpers.slope(lambda t, pose=pose: velocity(pose, t)[:3])
        flow_rate = helpers.slope(lambda t, pose=pose: derivative(body_at_O(pose, t), t))
        for a_i in (a[i], motion.a[i]):
            close(helpers.motion_carried(a_i, pose(0.0)), np.concatenate([omega_dot, flow_rate]), 1e-9)


@pytest.mark.source("RBDA-2.40", "RBDA-S2.10-2")
def test_ringed_vector_is_the_rate_of_its_coordinates_and_seldom_the_true_one(rng, chain):
    """ᴬv̊ = d(ᴬv)/dt is zero for what moves with A, S-ring of jcalc for an axis, and true for the own velocity only."""
    m, frame = rng.normal(size=6), helpers.smooth_motion(rng)
    close(derivative(lambda t: motion_coordinates(helpers.motion_carried(m, frame(t)), frame(t))), np.zeros(6))
    far(derivative(lambda t: helpers.motion_carried(m, frame(t))), np.zeros(6))
    for i in chain.bodies:
        R_seat, p_seat = chain.tree.poses[i - 1]

        def axis_in_successor(t, i=i, R_seat=R_seat, p_seat=p_seat):
            R, p = chain.pose(i - 1)(t)
            seat = R @ R_seat, p + R @ p_seat
            return motion_coordinates(helpers.motion_carried(chain.units[i - 1], seat), chain.pose(i)(t))

        _, S, _, c_J = jcalc(chain.model.joints[i], chain.q[i - 1], chain.qd[i - 1])
        close(S[:, 0], axis_in_successor(0.0))
        close(c_J, derivative(axis_in_successor) * chain.qd[i - 1])

    i, pose = 3, chain.pose(3)
    for vector, compare in ((lambda t: chain.v(i, t), lambda one, other: close(one, other, 1e-9)),
                            (lambda t: chain.s(i, t), far), (lambda t: chain.s(i, t) * chain.qd_at(t)[i - 1], far)):
        compare(helpers.slope(lambda t, vector=vector: motion_coordinates(vector(t), pose(t))),
                motion_coordinates(helpers.slope(vector), pose(0.0)))


@pytest.mark.source("RBDA-2.45", "RBDA-X2.4")
def test_rate_of_a_transform_between_moving_frames(rng):
    """Step by step, by the rate of a motion in the coordinates of both frames; and of the transform of forces."""
    A, B, t, p = helpers.smooth_motion(rng), helpers.smooth_motion(rng), rng.uniform(-1, 1), polynomial(rng, (6,))

    def X(t):
        E, r = helpers.E_and_r(A(t), B(t))
        return np.block([[E, ZERO], [-E @ helpers.cross_matrix(r), E]])

    X_t, X_dot = X(t), derivative(X, t)
    v_A, v_B = (motion_coordinates(velocity(frame, t), frame(t)) for frame in (A, B))
    close(X_dot, crm(X_t @ v_A - v_B) @ X_t)
    far(X_dot, crm(v_B - X_t @ v_A) @ X_t)
    close(derivative(lambda t: np.linalg.inv(X(t)).T, t), crf(X_t @ v_A - v_B) @ force_transform(X_t))

    m, m_ring = value(p, t), exact_derivative(p, t)
    B_m_ring = derivative(lambda t: X(t) @ value(p, t), t)
    close(B_m_ring, X_dot @ m + X_t @ m_ring)
    close(B_m_ring, X_t @ (m_ring + crm(v_A) @ m) - crm(v_B) @ X_t @ m)
    close(X_dot @ m, (X_t @ crm(v_A) - crm(v_B) @ X_t) @ m)


# 2.11 Acceleration

@pytest.mark.source("RBDA-F2.6")
def test_a_uniformly_rotating_body_has_no_spatial_acceleration_but_its_points_accelerate_towards_the_axis(rng):
    omega, point, P = rng.normal(size=(3, 3))
    rate = np.linalg.norm(omega)

    def pose(t):
        R = helpers.turn(omega / rate, rate * t)
        return R, point - R @ point

    for t in (-1.3, 0.0, 2.0):
        close(velocity(pose, t), np.concatenate([omega, -np.cross(omega, point)]))
        close(helpers.acceleration(pose, t), np.zeros(6), 1e-10)
    centripetal = np.cross(omega, np.cross(omega, P - point))
    close(helpers.second_derivative(lambda t: helpers.points_carried(P, pose(t))), centripetal, 1e-8)
    v_P = motion_coordinates(velocity(pose), (np.eye(3), P))
    close(ch02.classical_acceleration(np.zeros(6), v_P), np.concatenate([np.zeros(3), centripetal]))
    assert np.linalg.norm(centripetal) > 0.05


@pytest.mark.source("RBDA-2.47", "RBDA-2.48", "RBDA-2.49", "RBDA-2.50", "RBDA-F2.7", "RBDA-Q2.11-1")
def test_spatial_and_classical_acceleration_by_the_path_of_a_particle(rng):
    """The classical one is the apparent rate of the velocity in a frame that follows the particle, without turning."""
    pose = helpers.smooth_motion(rng)
    r, v, a = body_at_O(pose), velocity(pose), helpers.acceleration(pose)
    omega, r_dot, r_ddot = v[:3], derivative(r), helpers.second_derivative(r)
    close(r_ddot - np.cross(omega, r_dot), a[3:], 1e-8)
    errors = [np.linalg.norm(velocity(pose, dt)[3:] - (derivative(r, dt) - np.cross(omega, dt * r_dot)))
              for dt in (1e-3, 5e-4)]                           # the body-fixed point has moved away from O by dt r'
    assert errors[0] > 1e-8
    assert_allclose(errors[0] / errors[1], 4, rtol=0.02)

    classical = np.concatenate([a[:3], r_ddot])
    close(helpers.slope(lambda t: motion_coordinates(velocity(pose, t), (np.eye(3), r(t)))), classical, 1e-8)
    close(ch02.classical_acceleration(a, v), classical, 1e-8)
    close(spatial.spatial_acceleration(classical, v), a, 1e-8)
    moving = crm(np.concatenate([np.zeros(3), r_dot]))
    close(a, classical + moving @ v, 1e-8)
    close(spatial.spatial_acceleration(classical, v), classical + moving @ v)
    close(ch02.classical_acceleration(a, v), a - moving @ v)


@pytest.mark.source("RBDA-S2.11-1")
def test_spatial_acceleration_transforms_like_a_velocity_and_classical_does_not(rng):
    pose, still = helpers.smooth_motion(rng), helpers.random_pose(rng)
    X = plucker(*helpers.E_and_r(HERE, still))
    v, a = velocity(pose), helpers.acceleration(pose)
    close(X @ a, helpers.slope(lambda t: motion_coordinates(velocity(pose, t), still)), 1e-9)
    R, p = pose(0)
    r_ddot = helpers.second_derivative(lambda t: helpers.points_carried(R.T @ (still[1] - p), pose(t)))
    at_Q = np.concatenate([still[0].T @ a[:3], still[0].T @ r_ddot])
    close(ch02.classical_acceleration(X @ a, X @ v), at_Q, 1e-8)
    far(X @ ch02.classical_acceleration(a, v), at_Q)


@pytest.mark.source("RBDA-2.51", "RBDA-2.52", "RBDA-2.53", "RBDA-2.54", "RBDA-S2.7-6", "RBDA-2.55", "RBDA-2.56",
                    "RBDA-2.57", "RBDA-X2.5")
def test_accelerations_across_the_joints_of_a_chain_and_of_its_bodies_by_recursion_by_sums_and_the_jacobian(chain):
    """A joint's axis moves with either of the bodies that it joins."""
    library = body_accelerations(chain.model, chain.q, chain.qd, chain.qdd)
    in_world = [helpers.motion_carried(library[i], chain.pose(i)(0.0)) for i in range(6)]
    close(in_world[5] - in_world[2], helpers.slope(lambda t: chain.v(5, t) - chain.v(2, t)), 1e-9)
    qd, qdd, s, recursion = [0, *chain.qd], [0, *chain.qdd], [None, *map(chain.s, chain.bodies)], np.zeros(6)
    for i in chain.bodies:
        expected, joints, s_dot = chain.a(i), range(1, i + 1), chain.s_dot(i)
        across = expected - chain.a(i - 1)
        close(in_world[i] - in_world[i - 1], across, 1e-9)
        close(derivative(lambda t, i=i: chain.s(i, t) * chain.qd_at(t)[i - 1]), across, 1e-9)
        close(s[i] * qdd[i] + s_dot * qd[i], across, 1e-9)
        close(crm(chain.v(i)) @ s[i], s_dot)
        close(crm(chain.v(i - 1)) @ s[i], s_dot)
        close(crm(s[i]) @ s[i], np.zeros(6))

        recursion = recursion + s[i] * qdd[i] + crm(chain.v(i)) @ s[i] * qd[i]
        single = sum(s[j] * qdd[j] + crm(chain.v(j)) @ s[j] * qd[j] for j in joints)
        double = sum(s[j] * qdd[j] for j in joints) + sum(
            crm(s[k]) @ s[j] * qd[j] * qd[k] for j in joints for k in range(1, j))
        J_dot = np.column_stack([chain.s_dot(j) if j <= i else np.zeros(6) for j in chain.bodies])
        close(helpers.slope(lambda t, i=i: chain.J(i, t)), J_dot, 1e-9)
        for a in (in_world[i], recursion, single, double, chain.J(i) @ chain.qdd + J_dot @ chain.qd):
            close(a, expected, 1e-9)


# 2.12 Momentum

@pytest.fixture
def cluster(rng):
    """Masses and positions of the particles of a rigid body."""
    return helpers.random_cluster(rng)


@pytest.fixture
def v(rng):
    return rng.normal(size=6)


@pytest.mark.source("RBDA-F2.8", "RBDA-2.58", "RBDA-2.59", "RBDA-2.60", "RBDA-S2.12-1")
def test_momentum_is_a_linear_and_an_intrinsic_angular_part_transforms_as_a_force_and_gives_the_energy(cluster, v, rng):
    """Linear and intrinsic angular momentum are sums over the particles, as is the momentum at the origin."""
    (masses, positions), (m, c, I_C) = cluster, mass_properties(*cluster)
    momenta, v_C = masses[:, None] * helpers.field(v, positions), helpers.field(v, c)
    h, h_C = momenta.sum(axis=0), np.cross(positions - c, momenta).sum(axis=0)
    h_O = helpers.cluster_momentum(*cluster, v)
    close(h, m * v_C)
    close(h_C, I_C @ v[:3])
    close(spatial.momentum(mcI(m, np.zeros(3), I_C), np.concatenate([v[:3], v_C])), np.concatenate([h_C, h]))
    close(h_C + np.cross(c, h), h_O[:3])
    close(np.concatenate([I_C @ v[:3] + np.cross(c, m * v_C), m * v_C]), h_O)
    close(spatial.momentum(mcI(m, c, I_C), v), h_O)
    for shift in (xlt(c).T, np.block([[ONE, helpers.cross_matrix(c)], [ZERO, ONE]])):
        close(shift @ np.concatenate([h_C, h]), h_O)

    (masses, positions), (R, p) = cluster, helpers.random_pose(rng)
    seen, v_B, X = (masses, (positions - p) @ R), motion_coordinates(v, (R, p)), plucker(*helpers.E_and_r(HERE, (R, p)))
    h_A, h_B = helpers.cluster_momentum(*cluster, v), helpers.cluster_momentum(*seen, v_B)
    close(force_transform(X) @ h_A, h_B)
    far(X @ h_A, h_B)
    for body, velocity_of_body in ((cluster, v), (seen, v_B)):
        h = spatial.momentum(mcI(*mass_properties(*body)), velocity_of_body)
        close(h @ velocity_of_body / 2, helpers.cluster_energy(*cluster, v))


# 2.13 Inertia

@pytest.mark.source("RBDA-2.61", "RBDA-2.62", "RBDA-2.63", "RBDA-S2.13-1", "RBDA-AA.2-mcI")
def test_inertia_maps_velocity_to_momentum_at_the_centre_of_mass_and_elsewhere(cluster, v):
    (masses, positions), (m, c, I_C) = cluster, mass_properties(*cluster)
    C, at_O, at_C = helpers.cross_matrix(c), cluster_inertia(*cluster), cluster_inertia(masses, positions - c)
    close(mcI(m, c, I_C) @ v, helpers.cluster_momentum(*cluster, v))
    central = np.block([[I_C, ZERO], [ZERO, m * ONE]])
    for form in (central, mcI(m, np.zeros(3), I_C)):
        close(form, at_C)
    as_product = np.block([[ONE, C], [ZERO, ONE]]) @ central @ np.block([[ONE, ZERO], [C.T, ONE]])
    for form in (np.block([[I_C + m * C @ C.T, m * C], [m * C.T, m * ONE]]), as_product, mcI(m, c, I_C),
                 xlt(c).T @ mcI(m, np.zeros(3), I_C) @ xlt(c)):
        close(form, at_O)

    about_O = columns(lambda e: masses @ np.cross(positions, np.cross(e, positions)), 3)
    close(mcI(m, c, I_C)[:3, :3], about_O)
    close(I_C + m * (c @ c * ONE - np.outer(c, c)), about_O)
    for I in (I_C, mcI(m, np.zeros(3), I_C), mcI(m, c, I_C), mcI(m, 10 * c, I_C)):
        close(I, I.T)
        assert np.linalg.eigvalsh(I).min() > 0


@pytest.mark.source("RBDA-2.64", "RBDA-S2.13-5", "RBDA-S2.13-2")
def test_inertia_is_a_sum_of_six_dyads_of_forces_fixed_in_the_body_each_symmetric_as_parallel_forces_give(rng, cluster):
    masses, positions = cluster
    g = np.linalg.cholesky(cluster_inertia(masses, positions)).T
    assert len(g) == 6
    close(sum(dyad(g_i, g_i) for g_i in g), mcI(*mass_properties(masses, positions)))
    pose = helpers.smooth_motion(rng)
    for t in (-0.5, 1.2):
        carried = [helpers.force_carried(g_i, pose(t)) for g_i in g]
        moved = helpers.points_carried(positions, pose(t))
        close(sum(dyad(g_i, g_i) for g_i in carried), cluster_inertia(masses, moved))

    (R, p) = frame = helpers.random_pose(rng)
    X_star, in_B = force_transform(plucker(*helpers.E_and_r(HERE, frame))), cluster_inertia(masses, (positions - p) @ R)
    close(X_star @ g.T, np.column_stack([helpers.force_coordinates(g_i, frame) for g_i in g]))
    close(sum(dyad(X_star @ g_i, X_star @ g_i) for g_i in g), in_B)
    close(sum(X_star @ dyad(g_i, g_i) @ X_star.T for g_i in g), in_B)
    close(X_star.T, np.linalg.inv(transforms(frame)[0]))

    f, g, m = rng.normal(size=(3, 6))
    frame = helpers.random_pose(rng)
    (X, X_star), f_B, g_B = transforms(frame), helpers.force_coordinates(f, frame), helpers.force_coordinates(g, frame)
    close(dyad(f, g) @ m, f * (g @ m))
    close(spatial.transform_inertia(X, dyad(f, g)), np.outer(f_B, g_B))
    close(X_star @ dyad(f, g) @ np.linalg.inv(X), np.outer(f_B, g_B))
    far(dyad(f, g), dyad(f, g).T)
    for scale in (1, -0.7, 3):
        close(dyad(f, scale * f), dyad(f, scale * f).T)


@pytest.mark.source("RBDA-2.66", "RBDA-2.67", "RBDA-AA.2-mcI", "RBDA-2.65")
def test_inertia_and_kinetic_energy_in_another_frame_and_the_rate_of_a_moving_inertia(rng, cluster, v):
    (masses, positions), (m, c, I_C), (R, p) = cluster, mass_properties(*cluster), helpers.random_pose(rng)
    X, T = plucker(*helpers.E_and_r(HERE, (R, p))), helpers.cluster_energy(*cluster, v)
    I_A, I_B = mcI(m, c, I_C), cluster_inertia(masses, (positions - p) @ R)
    close(force_transform(X) @ I_A @ spatial.inverse_transform(X), I_B)
    close(spatial.transform_inertia(X, I_A), I_B)
    close(mcI(m, R.T @ (c - p), R.T @ I_C @ R), I_B)
    close(X.T @ I_B @ X, I_A)

    omega, v_C = v[:3], helpers.field(v, c)
    for energy in (spatial.kinetic_energy(I_A, v), v @ I_A @ v / 2, m * v_C @ v_C / 2 + omega @ I_C @ omega / 2,
                   spatial.kinetic_energy(spatial.transform_inertia(X, I_A), X @ v)):
        close(energy, T)

    (masses, positions), pose, t = cluster, helpers.smooth_motion(rng), rng.uniform(-1, 1)
    rate = derivative(lambda t: cluster_inertia(masses, helpers.points_carried(positions, pose(t))), t)
    I, v = cluster_inertia(masses, helpers.points_carried(positions, pose(t))), velocity(pose, t)
    close(crf(v) @ I - I @ crm(v), rate)
    close(spatial.inertia_rate(I, v), rate)


#: Of a mapping from one space to another (M: motions, F: forces): its kind, and the matrices left and right of it.
TABLE_2_5 = {
    ("M", "M"): ("similarity", lambda X, X_star: (X, np.linalg.inv(X))),
    ("F", "F"): ("similarity", lambda X, X_star: (X_star, np.linalg.inv(X_star))),
    ("M", "F"): ("congruence", lambda X, X_star: (X_star, np.linalg.inv(X))),
    ("F", "M"): ("congruence", lambda X, X_star: (X, np.linalg.inv(X_star)))}


@pytest.mark.source("RBDA-T2.5")
@pytest.mark.parametrize(("source", "target"), TABLE_2_5)
def test_transforms_of_dyadics(rng, cluster, v, source, target):
    """A dyadic is its action, or a dyad of a vector of the target space and one of the dual of the source space."""
    (R, p) = frame = helpers.random_pose(rng)
    L, (x, a, b), (kind, sides) = rng.normal(size=(6, 6)), rng.normal(size=(3, 6)), TABLE_2_5[source, target]
    coordinates, dual = {"M": motion_coordinates, "F": helpers.force_coordinates}, {"M": "F", "F": "M"}
    X, v_B = plucker(*helpers.E_and_r(HERE, frame)), motion_coordinates(v, frame)
    left, right = sides(X, force_transform(X))
    close(left @ L @ right @ coordinates[source](x, frame), coordinates[target](L @ x, frame), 1e-10)
    close(left @ dyad(a, b) @ right, dyad(coordinates[target](a, frame), coordinates[dual[source]](b, frame)), 1e-10)
    I, I_B = cluster_inertia(*cluster), cluster_inertia(cluster[0], (cluster[1] - p) @ R)
    example, example_B = {"MM": (crm(v), crm(v_B)), "FF": (crf(v), crf(v_B)), "MF": (I, I_B),
                          "FM": (np.linalg.inv(I), np.linalg.inv(I_B))}[source + target]
    close(left @ example @ right, example_B, 1e-10)

    symmetric, deficient = L @ L.T, L[:, :4] @ rng.normal(size=(4, 6))
    moved = left @ symmetric @ right
    assert np.linalg.matrix_rank(left @ deficient @ right) == 4
    eigenvalues, moved_eigenvalues = (np.sort(np.linalg.eigvals(matrix).real) for matrix in (symmetric, moved))
    if kind == "similarity":
        close(moved_eigenvalues, eigenvalues, 1e-9)
        far(moved, moved.T)
        moved = xlt([0, 0, 3]) @ np.diag([1, 1, 1, 4, 4, 4]) @ xlt([0, 0, -3])
        assert np.linalg.eigvalsh((moved + moved.T) / 2).min() < 0      # definiteness is not preserved
    else:
        close(moved, moved.T)
        assert np.linalg.eigvalsh(moved).min() > 0
        assert (np.linalg.eigvalsh(left @ np.diag([1, 1, 1, -1, -1, -1]) @ right) < 0).sum() == 3
        far(moved_eigenvalues, eigenvalues)


def dimension(matrices):
    """Dimension of the space that the matrices span."""
    return np.linalg.matrix_rank(np.array([matrix.ravel() for matrix in matrices]))


@pytest.mark.source("RBDA-S2.13-4", "RBDA-S1.2-1", "RBDA-S2.7-7", "RBDA-S2.13-3", "RBDA-AA.2-mcI")
def test_inertia_of_a_body_is_the_sum_of_those_of_its_parts_and_has_ten_parameters_a_general_one_twenty_one(rng):
    """The sum replaces three formulas: for the mass, the centre of mass and the rotational inertia."""
    parts = [helpers.random_cluster(rng, n) for n in (3, 5, 8)]
    bodies, whole = [mass_properties(*part) for part in parts], map(np.concatenate, zip(*parts, strict=True))
    total, m = sum(mcI(*body) for body in bodies), sum(m for m, _, _ in bodies)
    close(total, mcI(*mass_properties(*whole)))
    c = sum(m_i * c_i for m_i, c_i, _ in bodies) / m
    D = [helpers.cross_matrix(c_i - c) for _, c_i, _ in bodies]
    I_C = sum(I_i + m_i * D_i @ D_i.T for (m_i, _, I_i), D_i in zip(bodies, D, strict=True))
    for found, expected in zip(spatial.I_to_mcI(total), (m, c, I_C), strict=True):
        close(found, expected)

    clusters = [helpers.random_cluster(rng) for _ in range(40)]
    parameters, inertias = [], [mcI(*mass_properties(*cluster)) for cluster in clusters]
    for m, c, I_C in (mass_properties(*cluster) for cluster in clusters):
        C = helpers.cross_matrix(c)
        parameters.append([m, *(m * c), *(I_C + m * C @ C.T)[np.tril_indices(3)]])
    assert dimension([cluster_inertia(*cluster) for cluster in clusters]) == 10
    assert dimension(inertias) == 10
    assert dimension([root @ root.T for root in rng.normal(size=(40, 6, 6))]) == 21
    entries = np.array(inertias).reshape(40, 36)
    linear_map = np.linalg.lstsq(np.array(parameters), entries)[0]
    assert np.linalg.matrix_rank(linear_map) == 10
    close(np.array(parameters) @ linear_map, entries, 1e-10)


# 2.14 The equation of motion

def force_on(cluster, pose, gravity=(0, 0, 0)):
    """The spatial force that a motion takes beside gravity: the sum of r × m (r'' - g) and m (r'' - g)."""
    masses, positions = cluster
    r = helpers.points_carried(positions, pose(0.0))
    r_ddot = helpers.second_derivative(lambda t: helpers.points_carried(positions, pose(t)))
    forces = masses[:, None] * (r_ddot - np.array(gravity))
    return np.concatenate([np.cross(r, forces).sum(axis=0), forces.sum(axis=0)])


@pytest.mark.source("RBDA-2.68", "RBDA-2.69", "RBDA-2.72", "RBDA-S2.14-1", "RBDA-1.5", "RBDA-S2.7-7", "RBDA-X2.6",
                    "RBDA-2.70", "RBDA-2.71", "RBDA-1.4")
def test_equation_of_motion_of_a_rigid_body_and_the_three_dimensional_ones_from_it(rng, cluster):
    """Force is the rate of momentum; what gravity adds may be moved into the bias force; and the equation inverted."""
    (masses, positions), pose, g = cluster, helpers.smooth_motion(rng), rng.normal(size=3)

    def now(t=0.0):
        return masses, helpers.points_carried(positions, pose(t))

    v, a, f = velocity(pose), helpers.acceleration(pose), force_on(cluster, pose)
    close(helpers.slope(lambda t: helpers.cluster_momentum(*now(t), velocity(pose, t))), f, 1e-8)

    I, bias = mcI(*mass_properties(*now())), ch02.bias_force(cluster_inertia(*now()), v)
    for force in (I @ a + (crf(v) @ I - I @ crm(v)) @ v, I @ a + crf(v) @ I @ v, spatial.equation_of_motion(I, v, a),
                  I @ a + bias):
        close(force, f, 1e-8)
    far(I @ a, f)
    close(I @ a + bias - I @ np.concatenate([np.zeros(3), g]), force_on(cluster, pose, g), 1e-8)
    close(spatial.inverse_inertia(*mass_properties(*now())) @ (f - bias), a, 1e-8)

    motion, centred = helpers.smooth_motion(rng), (masses, positions - mass_properties(*cluster)[1])

    def pose(t):
        R, p = motion(t)
        return R, p - motion(0.0)[1]

    m, _, I_C = mass_properties(masses, helpers.points_carried(centred[1], pose(0.0)))
    v, f, c_ddot = velocity(pose), force_on(centred, pose), helpers.second_derivative(lambda t: pose(t)[1])
    omega, v_C, omega_dot = v[:3], v[3:], helpers.slope(lambda t: velocity(pose, t)[:3])
    close(m * c_ddot, f[3:], 1e-8)
    close(I_C @ omega_dot + np.cross(omega, I_C @ omega), f[:3], 1e-8)
    far(I_C @ omega_dot, f[:3])

    I, a = mcI(m, np.zeros(3), I_C), np.concatenate([omega_dot, c_ddot - np.cross(omega, v_C)])
    close(spatial.equation_of_motion(I, v, a), f, 1e-8)
    close(I @ a, np.concatenate([I_C @ omega_dot, m * c_ddot - m * np.cross(omega, v_C)]))
    bias = np.concatenate([np.cross(omega, I_C @ omega) + m * np.cross(v_C, v_C), m * np.cross(omega, v_C)])
    close(ch02.bias_force(I, v), bias)
    close(I @ a + bias, np.concatenate([I_C @ omega_dot + np.cross(omega, I_C @ omega), m * c_ddot]))


# 2.15 Inverse inertia

def constrained_inverse(I, S):
    """The inverse inertia of a body that may only move in the range of S."""
    return S @ np.linalg.inv(S.T @ I @ S) @ S.T


@pytest.mark.source("RBDA-2.72", "RBDA-S2.15-2")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_acceleration_from_force_for_a_body_at_the_end_of_n_joints(rng, cluster, n):
    """The force is any with the Sᵀ f that d'Alembert asks for: the sum of m r'' · dr/dq over the particles."""
    (masses, positions), tree, (q, qd, qdd) = cluster, helpers.random_tree(rng, n, range(n)), rng.normal(size=(3, n))

    def pose(t, step=0):
        return tree.world_poses(q + t * qd + t**2 / 2 * qdd + step)[n]

    def S_at(t):
        return columns(lambda e: velocity(lambda x: pose(t, x * e)), n)

    m_r_ddot = masses[:, None] * helpers.second_derivative(lambda t: helpers.points_carried(positions, pose(t)))
    slopes = [derivative(lambda x, e=e: helpers.points_carried(positions, pose(0.0, x * e))) for e in np.eye(n)]
    I, v = cluster_inertia(masses, helpers.points_carried(positions, pose(0.0))), velocity(pose)
    S, S_dot_qd = S_at(0.0), helpers.slope(S_at) @ qd
    Phi = constrained_inverse(I, S)
    b = S_dot_qd - Phi @ (I @ S_dot_qd + ch02.bias_force(I, v))
    x = rng.normal(size=6)
    constraint_force = x - S @ np.linalg.solve(S.T @ S, S.T @ x)
    f = S @ np.linalg.solve(S.T @ S, [np.sum(m_r_ddot * r_q) for r_q in slopes]) + constraint_force
    close(Phi @ f + b, helpers.acceleration(pose), 1e-7)
    assert np.linalg.matrix_rank(Phi, 1e-9) == n
    assert np.linalg.cond(Phi) > 1e12


@pytest.mark.source("RBDA-S2.15-1")
@pytest.mark.parametrize("n", range(7))
def test_inverse_inertia_of_a_body_with_n_freedoms(rng, cluster, n):
    """From rest a force gives the acceleration in range(S) nearest to that of the free body (Gauss), in any frame."""
    (masses, positions), S, f, (R, p) = cluster, rng.normal(size=(6, n)), rng.normal(size=6), helpers.random_pose(rng)
    I = cluster_inertia(*cluster)
    Phi, root = constrained_inverse(I, S), np.linalg.cholesky(I).T
    tolerance = 1e-9 * np.abs(Phi).max(initial=0)
    nearest = np.linalg.lstsq(root @ S, root @ np.linalg.solve(I, f))[0] if n else np.zeros(0)
    close(Phi @ f, S @ nearest, 1e-8)
    close(Phi, Phi.T)
    assert np.linalg.matrix_rank(Phi, tolerance) == np.linalg.matrix_rank(np.hstack([Phi, S]), tolerance) == n
    if n == 6:
        close(Phi, spatial.inverse_inertia(*mass_properties(*cluster)), 1e-8)

    S_B, X = transforms((R, p))[0] @ S, plucker(*helpers.E_and_r(HERE, (R, p)))
    close(X @ Phi @ X.T, constrained_inverse(cluster_inertia(masses, (positions - p) @ R), S_B), 1e-8)


@pytest.mark.source("RBDA-2.73", "RBDA-2.74", "RBDA-Q2.15-1")
def test_inverse_inertias_as_printed_and_as_a_product_of_shifts(cluster):
    (masses, positions), (m, c, I_C) = cluster, mass_properties(*cluster)
    J, C = np.linalg.inv(I_C), helpers.cross_matrix(c)
    central = np.block([[J, ZERO], [ZERO, ONE / m]])
    close(central @ cluster_inertia(masses, positions - c), np.eye(6))
    close(spatial.inverse_inertia(m, np.zeros(3), I_C), central)
    general = np.block([[J, J @ C.T], [C @ J, ONE / m + C @ J @ C.T]])
    close(general @ cluster_inertia(*cluster), np.eye(6))
    for form in (spatial.inverse_inertia(m, c, I_C), xlt(-c) @ central @ xlt(-c).T,
                 np.block([[ONE, ZERO], [C, ONE]]) @ central @ np.block([[ONE, C.T], [ZERO, ONE]])):
        close(form, general)


# 2.16 Planar vectors

SPATIAL_ROWS = np.ix_([2, 3, 4], [2, 3, 4])
OUT_OF_PLANE = np.ix_([0, 1, 5], [2, 3, 4])


@pytest.mark.source("RBDA-2.75", "RBDA-2.76", "RBDA-S2.16-2", "RBDA-S2.16-3", "RBDA-AA.1-crm", "RBDA-AA.1-crf",
                    "RBDA-SA.1-2", "RBDA-S2.16-1")
def test_planar_vectors_are_three_coordinates_of_spatial_ones_and_so_are_cross_operators_and_products(rng):
    omega, v_x, v_y = v = rng.normal(size=3)
    turning, m_x, m_y = m = rng.normal(size=3)
    by_definition = columns(lambda e: helpers.planar_rate(helpers.planar_motion_carried, v, e), 3)
    product = np.array([0, v_y * turning - omega * m_y, omega * m_x - v_x * turning])
    close(product, helpers.planar_rate(helpers.planar_motion_carried, v, m), 1e-10)
    close(np.array([[0, 0, 0], [v_y, 0, -omega], [-v_x, omega, 0]]), by_definition, 1e-10)
    close(planar.crm(v) @ m, product)
    close(planar.to_spatial(product), crm(planar.to_spatial(v)) @ planar.to_spatial(m))

    on_forces = columns(lambda e: helpers.planar_rate(helpers.planar_force_carried, v, e), 3)
    for six, three, expected in ((crm(planar.to_spatial(v)), planar.crm(v), by_definition),
                                 (crf(planar.to_spatial(v)), planar.crf(v), on_forces)):
        for actual in (three, six[SPATIAL_ROWS], planar.from_spatial(six)):
            close(actual, expected, 1e-10)
        close(six[OUT_OF_PLANE], ZERO)
    assert (planar.crf(v) == -planar.crm(v).T).all()

    v, f = rng.normal(size=(2, 3))
    v6, f6 = np.array([0, 0, v[0], v[1], v[2], 0]), np.array([0, 0, f[0], f[1], f[2], 0])
    assert (planar.from_spatial(v6) == v).all() and (planar.from_spatial(f6) == f).all()
    assert (planar.to_spatial(v) == v6).all() and (planar.to_spatial(f) == f6).all()
    P = complex(*rng.normal(size=2))
    close(helpers.field(v6, np.array([P.real, P.imag, 0])), [*helpers.pair(helpers.plane(v) + 1j * v[0] * P), 0])
    about_P = helpers.planar_force_coordinates(f, 0, P)[0]
    power = (helpers.plane(f).conjugate() * (helpers.plane(v) + 1j * v[0] * P)).real + about_P * v[0]
    close(v @ f, power)
    close(v6 @ f6, power)


@pytest.mark.source("RBDA-2.77", "RBDA-S2.16-2", "RBDA-S2.16-3", "RBDA-AA.1-Xpln", "RBDA-SA.1-1")
def test_planar_coordinate_transforms_and_table_2_3_in_the_plane(rng):
    theta, p = helpers.random_planar_frame(rng)
    X, X_star = (columns(lambda e, function=function: function(e, theta, p), 3)
                 for function in (helpers.planar_motion_coordinates, helpers.planar_force_coordinates))
    m, f = rng.normal(size=(2, 3))
    c, s, x, y = np.cos(theta), np.sin(theta), p.real, p.imag
    for form in (np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) @ np.array([[1, 0, 0], [-y, 1, 0], [x, 0, 1]]),
                 np.array([[1, 0, 0], [s * x - c * y, c, s], [c * x + s * y, -s, c]]),
                 planar.Xpln([x, y], theta), planar.Xpln(theta, [x, y])):
        close(form, X)
    for form in (np.linalg.inv(X).T, planar.force_transform(planar.Xpln([x, y], theta))):
        close(form, X_star)
    close(planar.inverse_transform(X) @ X, np.eye(3))
    close((X @ m) @ (X_star @ f), m @ f)

    X6 = plucker(helpers.turn(np.array([0, 0, 1]), theta).T, np.array([x, y, 0]))
    close(spatial.rotz(theta) @ xlt([x, y, 0]), X6)
    for three, six in ((X, X6), (X_star, force_transform(X6))):
        close(planar.from_spatial(six), three)
        close(six[SPATIAL_ROWS], three)
        close(six[OUT_OF_PLANE], ZERO)
    assert_table_holds(table_2_3(planar.crm, planar.crf, *rng.normal(size=(3, 3)), rng.normal(), X, X_star))


@pytest.mark.source("RBDA-2.78", "RBDA-S2.16-2", "RBDA-AA.1-mcI")
def test_planar_inertia(rng, cluster):
    masses, points = helpers.lamina(rng)
    (m, (c_x, c_y), I_C), v = helpers.lamina_properties(masses, points), rng.normal(size=3)
    by_definition = columns(lambda e: helpers.lamina_momentum(masses, points, e), 3)
    as_printed = np.array([[I_C + m * (c_x**2 + c_y**2), -m * c_y, m * c_x], [-m * c_y, m, 0], [m * c_x, 0, m]])
    for I in (as_printed, planar.mcI(m, [c_x, c_y], I_C),
              mcI(m, [c_x, c_y, 0], np.diag([0.6 * I_C, 0.7 * I_C, I_C]))[SPATIAL_ROWS]):
        close(I, by_definition)
    close(as_printed[0, 0], masses @ np.abs(points) ** 2)
    close(v @ planar.mcI(m, [c_x, c_y], I_C) @ v / 2, masses @ np.abs(helpers.plane(v) + 1j * v[0] * points) ** 2 / 2)
    close(by_definition, by_definition.T)
    assert np.linalg.eigvalsh(by_definition).min() > 0
    assert dimension([planar.mcI(*helpers.lamina_properties(*helpers.lamina(rng))) for _ in range(20)]) == 4

    masses, positions = cluster
    in_plane = columns(lambda e: helpers.lamina_momentum(masses, positions[:, 0] + 1j * positions[:, 1], e), 3)
    flat, solid = (mcI(*mass_properties(masses, points)) for points in (positions * [1, 1, 0], positions))
    for I in (flat, solid):
        close(planar.from_spatial(I), in_plane)
    close(flat[OUT_OF_PLANE], ZERO)
    far(solid[OUT_OF_PLANE], ZERO)


# 2.17 Relation to Lie algebras

@pytest.mark.source("RBDA-S2.17-1")
def test_cross_operators_and_transforms_are_those_of_se3_and_se2(rng):
    """u × v is the commutator, (u ×* f) · v = −f · [u, v], and T hat(v) T⁻¹ = hat(X⁻¹ v) for the pose T behind X."""
    u, v, f = rng.normal(size=(3, 6))
    bracket = helpers.twist_matrix(u) @ helpers.twist_matrix(v) - helpers.twist_matrix(v) @ helpers.twist_matrix(u)
    close(helpers.twist_matrix(crm(u) @ v), bracket)
    close((crf(u) @ f) @ v, -f @ np.array([bracket[2, 1], bracket[0, 2], bracket[1, 0], *bracket[:3, 3]]))
    R, p = helpers.random_pose(rng)
    T = np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    v_A = spatial.inverse_transform(plucker(R.T, p)) @ v
    close(T @ helpers.twist_matrix(v) @ np.linalg.inv(T), helpers.twist_matrix(v_A))

    def hat(v):
        return np.array([[0, -v[0], v[1]], [v[0], 0, v[2]], [0, 0, 0]])

    (u, v), (theta, p) = rng.normal(size=(2, 3)), helpers.random_planar_frame(rng)
    close(hat(planar.crm(u) @ v), hat(u) @ hat(v) - hat(v) @ hat(u))
    c, s = np.cos(theta), np.sin(theta)
    T, X = np.array([[c, -s, p.real], [s, c, p.imag], [0, 0, 1]]), planar.Xpln(helpers.pair(p), theta)
    close(T @ hat(v) @ np.linalg.inv(T), hat(planar.inverse_transform(X) @ v))
