"""RBDA 2.9 to 2.17 row by row: cross products, differentiation, acceleration, momentum, inertia, the plane.

World motions and forces are built from their definitions in `tests.sources.helpers`: velocity fields, moments, paths of
particles. What rbdlib returns is one side of each equation, or the operator in it, and never both sides.
"""

from itertools import product

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.linalg import expm

from rbdlib import Model, planar
from rbdlib.arithmetic import fv, mv
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Prismatic, Revolute, jcalc
from rbdlib.kinematics import body_accelerations, body_jacobian
from rbdlib.simulate import simulate_rigid_body
from rbdlib.spatial import (
    bias_force,
    classical_acceleration,
    crf,
    crm,
    dyad,
    equation_of_motion,
    force_transform,
    inertia_rate,
    inverse_inertia,
    inverse_transform,
    kinetic_energy,
    mcI,
    momentum,
    plucker,
    rotx,
    roty,
    rotz,
    skew,
    spatial_acceleration,
    transform_inertia,
    xlt,
)
from tests.sources.helpers import (
    E_and_r,
    acceleration,
    close,
    cluster_energy,
    cluster_inertia,
    cluster_momentum,
    cross_matrix,
    derivative,
    far,
    field,
    force_carried,
    force_coordinates,
    identical,
    lamina,
    lamina_momentum,
    lamina_properties,
    mass_properties,
    motion_carried,
    motion_coordinates,
    pair,
    planar_force_carried,
    planar_force_coordinates,
    planar_motion_carried,
    planar_motion_coordinates,
    planar_rate,
    plane,
    points_carried,
    random_cluster,
    random_planar_frame,
    random_pose,
    second_derivative,
    slope,
    smooth_motion,
    turn,
    twist_matrix,
    uniform_motion,
    velocity,
)

HERE = (np.eye(3), np.zeros(3))


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def transforms(pose):
    """The matrices ᴮX_O and ᴮX*_O of a frame, column by column from the definition of coordinates."""
    return (np.column_stack([motion_coordinates(e, pose) for e in np.eye(6)]),
            np.column_stack([force_coordinates(e, pose) for e in np.eye(6)]))


# 2.9 Spatial cross products

MOTION_NAMES = ["d_Ox", "d_Oy", "d_Oz", "d_x", "d_y", "d_z"]
FORCE_NAMES = ["e_x", "e_y", "e_z", "e_Ox", "e_Oy", "e_Oz"]
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


MOTION_PRODUCTS, FORCE_PRODUCTS = read_table(MOTION_TABLE, MOTION_NAMES), read_table(FORCE_TABLE, FORCE_NAMES)
PAIRS = list(product(range(6), range(6)))


def rate_when_carried(carried, v, vector):
    """Rate of change of a world vector that is fixed in a body of velocity v."""
    return derivative(lambda t: carried(vector, uniform_motion(v)(t)))


@pytest.mark.source("RBDA-S2.9-1")
def test_rate_of_a_rotating_euclidean_vector(rng):
    omega, r = rng.normal(size=(2, 3))
    rate = np.linalg.norm(omega)
    change = derivative(lambda t: turn(omega / rate, rate * t) @ r)
    close(change, np.cross(omega, r))
    close(change, skew(omega) @ r)


@pytest.mark.source("RBDA-2.29")
def test_rate_of_a_motion_vector_fixed_in_a_moving_body(rng):
    m, v, start = rng.normal(size=6), rng.normal(size=6), random_pose(rng)
    moving = derivative(lambda t: motion_carried(m, uniform_motion(v, start)(t)))
    close(moving, crm(v) @ motion_carried(m, start))


@pytest.mark.source("RBDA-2.30")
def test_rate_of_a_force_vector_fixed_in_a_moving_body(rng):
    f, v, start = rng.normal(size=6), rng.normal(size=6), random_pose(rng)
    moving = derivative(lambda t: force_carried(f, uniform_motion(v, start)(t)))
    close(moving, crf(v) @ force_carried(f, start))


@pytest.mark.source("RBDA-2.29", "RBDA-2.30")
def test_the_velocity_may_change_while_the_vectors_are_carried(rng):
    m, f, pose, t = rng.normal(size=6), rng.normal(size=6), smooth_motion(rng), rng.uniform(-1, 1)
    v = velocity(pose, t)
    close(derivative(lambda t: motion_carried(m, pose(t)), t), crm(v) @ motion_carried(m, pose(t)))
    close(derivative(lambda t: force_carried(f, pose(t)), t), crf(v) @ force_carried(f, pose(t)))


@pytest.mark.source("RBDA-S2.9-3")
def test_power_of_a_motion_and_a_force_fixed_in_one_body_is_constant(rng):
    m, f, pose = rng.normal(size=6), rng.normal(size=6), smooth_motion(rng)
    v, m_O, f_O = velocity(pose), motion_carried(m, pose(0)), force_carried(f, pose(0))
    close(derivative(lambda t: motion_carried(m, pose(t)) @ force_carried(f, pose(t))), 0)
    close((crm(v) @ m_O) @ f_O + m_O @ (crf(v) @ f_O), 0)
    far((crm(v) @ m_O) @ f_O, 0)


@pytest.mark.source("RBDA-S2.9-3")
def test_the_cross_operators_are_to_each_other_as_the_transforms_they_generate(rng):
    v = rng.normal(size=6)
    X, X_star = transforms(uniform_motion(v)(1.0))
    close(expm(-crm(v)), X)
    close(expm(-crf(v)), X_star)
    close(X_star, np.linalg.inv(X).T)


@pytest.mark.source("RBDA-F2.5", "RBDA-Q2.9-1")
@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_figure_2_5_lists_how_basis_vectors_move(i, j):
    d_i, e_j = np.eye(6)[i], np.eye(6)[j]
    close(rate_when_carried(motion_carried, d_i, e_j), MOTION_PRODUCTS[i, j])
    close(rate_when_carried(force_carried, d_i, e_j), FORCE_PRODUCTS[i, j])
    close(crm(d_i) @ e_j, MOTION_PRODUCTS[i, j])
    close(crf(d_i) @ e_j, FORCE_PRODUCTS[i, j])


@pytest.mark.source("RBDA-Q2.9-1")
def test_the_entries_of_figure_2_5_follow_exactly_from_the_transforms_of_moving_frames():
    t = sympy.Symbol("t", real=True)
    moved = [rotx(t), roty(t), rotz(t), xlt([t, 0, 0]), xlt([0, t, 0]), xlt([0, 0, t])]
    rate = np.vectorize(lambda entry: sympy.diff(entry, t).subs(t, 0))
    for i, X in enumerate(moved):
        assert identical(rate(inverse_transform(X)), MOTION_PRODUCTS[i].T)
        assert identical(rate(X.T), FORCE_PRODUCTS[i].T)


@pytest.mark.source("RBDA-S2.9-2")
def test_the_two_derived_entries_of_figure_2_5_as_limits():
    d_Ox, d_Oy, d_Oz, d_x, _, d_z = np.eye(6)
    for dt in 10.0 ** -np.arange(1, 7):
        turned, shifted = uniform_motion(d_Ox)(dt), uniform_motion(d_x)(dt)
        close(motion_carried(d_Ox, turned), d_Ox)
        assert np.abs(motion_carried(d_Oy, turned) - (d_Oy + dt * d_Oz)).max() <= dt**2 / 2 + 1e-15
        close(motion_carried(d_Ox, shifted), d_Ox)
        close(motion_carried(d_Oy, shifted), d_Oy + dt * d_z)
    close(crm(d_Ox) @ d_Ox, np.zeros(6))
    close(crm(d_Ox) @ d_Oy, d_Oz)
    close(crm(d_x) @ d_Ox, np.zeros(6))
    close(crm(d_x) @ d_Oy, d_z)


@pytest.mark.source("RBDA-2.31")
def test_matrix_of_the_motion_cross_operator(rng):
    v = rng.normal(size=6)
    by_definition = np.column_stack([rate_when_carried(motion_carried, v, e) for e in np.eye(6)])
    as_printed = np.block([[cross_matrix(v[:3]), np.zeros((3, 3))], [cross_matrix(v[3:]), cross_matrix(v[:3])]])
    close(as_printed, by_definition)
    close(crm(v), by_definition)


@pytest.mark.source("RBDA-2.32")
def test_matrix_of_the_force_cross_operator(rng):
    v = rng.normal(size=6)
    by_definition = np.column_stack([rate_when_carried(force_carried, v, e) for e in np.eye(6)])
    as_printed = np.block([[cross_matrix(v[:3]), cross_matrix(v[3:])], [np.zeros((3, 3)), cross_matrix(v[:3])]])
    close(as_printed, by_definition)
    close(crf(v), by_definition)
    close(-crm(v).T, by_definition)
    far(crm(v).T, by_definition)


@pytest.mark.source("RBDA-2.33")
def test_motion_cross_product_in_three_dimensional_parts(rng):
    (omega, v_O), (m, m_O) = rng.normal(size=(2, 2, 3))
    v, whole = np.concatenate([omega, v_O]), np.concatenate([m, m_O])
    parts = np.concatenate([np.cross(omega, m), np.cross(omega, m_O) + np.cross(v_O, m)])
    close(parts, rate_when_carried(motion_carried, v, whole))
    close(crm(v) @ whole, parts)
    close(mv(omega, v_O).cross(mv(m, m_O)).array, parts)
    close(crm(v) @ v, np.zeros(6))


@pytest.mark.source("RBDA-2.34")
def test_force_cross_product_in_three_dimensional_parts(rng):
    (omega, v_O), (f_O, f) = rng.normal(size=(2, 2, 3))
    v, whole = np.concatenate([omega, v_O]), np.concatenate([f_O, f])
    parts = np.concatenate([np.cross(omega, f_O) + np.cross(v_O, f), np.cross(omega, f)])
    close(parts, rate_when_carried(force_carried, v, whole))
    close(crf(v) @ whole, parts)
    close(mv(omega, v_O).cross(fv(f_O, f)).array, parts)


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
        "(u×v)×* = u×* v×* − v×* u×*": (crf(crm(u) @ v), crf(u) @ crf(v) - crf(v) @ crf(u)),
    }


FORMULAS_2_3 = list(table_2_3(crm, crf, *np.ones((3, 6)), 1, np.eye(6), np.eye(6)))


@pytest.mark.source("RBDA-T2.3")
@pytest.mark.parametrize("formula", FORMULAS_2_3)
def test_property_of_the_cross_operators(formula, rng):
    left, right = table_2_3(crm, crf, *rng.normal(size=(3, 6)), rng.normal(), *transforms(random_pose(rng)))[formula]
    far(left, 0 * left)
    close(left, right)


@pytest.mark.source("RBDA-T2.3")
def test_row_4_of_table_2_3_needs_a_genuine_transform(rng):
    v, X = rng.normal(size=6), rng.normal(size=(6, 6))
    far(crm(X @ v), X @ crm(v) @ np.linalg.inv(X))


# 2.10 Differentiation


def polynomial(rng, shape, degree=3):
    """Coefficients c_0..c_degree, of the given shape each; the value at x is the sum of c_k x**k."""
    return rng.integers(-4, 5, size=(degree + 1, *shape)).astype(float)


def value(coefficients, x):
    return sum(c * x**k for k, c in enumerate(coefficients))


def exact_derivative(coefficients, x):
    return sum(k * c * x ** (k - 1) for k, c in enumerate(coefficients) if k)


@pytest.mark.source("RBDA-2.35")
@pytest.mark.parametrize("shape", [(), (3,), (6,), (6, 6)], ids=["scalar", "3-vector", "6-vector", "matrix"])
def test_derivative_as_the_limit_of_difference_quotients(shape, rng):
    p, x = polynomial(rng, shape), rng.uniform(-1, 1)
    errors = [np.abs((value(p, x + dx) - value(p, x)) / dx - exact_derivative(p, x)).max() for dx in (1e-3, 1e-4, 1e-5)]
    assert errors[0] < 0.1
    assert_allclose(np.divide(errors[1:], errors[:-1]), 0.1, rtol=0.02)


@pytest.mark.source("RBDA-S2.10-1")
def test_derivative_of_coordinates_is_taken_component_by_component(rng):
    p, x = polynomial(rng, (6,)), rng.uniform(-1, 1)
    components = [derivative(lambda x, i=i: value(p[:, i], x), x) for i in range(6)]
    close(components, exact_derivative(p, x))
    s = sympy.Symbol("s")
    vector = sympy.Matrix(value(p.astype(int), s))
    assert list(vector.diff(s)) == [sympy.diff(component, s) for component in vector]


@pytest.mark.source("RBDA-S2.10-1")
def test_derivative_of_a_motion_is_a_motion_and_of_a_force_a_force(rng):
    p, x, pose = polynomial(rng, (6,)), rng.uniform(-1, 1), random_pose(rng)
    rate = exact_derivative(p, x)
    close(derivative(lambda x: motion_coordinates(value(p, x), pose), x), plucker(*E_and_r(HERE, pose)) @ rate)
    close(derivative(lambda x: force_coordinates(value(p, x), pose), x),
          force_transform(plucker(*E_and_r(HERE, pose))) @ rate)
    for kind in (mv, fv):
        quotient = 1 / 2e-3 * (kind(*np.split(value(p, x + 1e-3), 2)) - kind(*np.split(value(p, x - 1e-3), 2)))
        assert type(quotient) is kind
        close(quotient.array, rate, 1e-4)


TABLE_2_4 = {
    "(u·v)' = u'·v + u·v'": lambda D, u, v, k, L: (D(u @ v), D(u) @ v + u @ D(v)),
    "(u×v)' in 3D": lambda D, u, v, k, L: (D(skew(u[:3]) @ v[3:]), skew(D(u[:3])) @ v[3:] + skew(u[:3]) @ D(v[3:])),
    "(u×v)'": lambda D, u, v, k, L: (D(crm(u) @ v), crm(D(u)) @ v + crm(u) @ D(v)),
    "(u×*v)'": lambda D, u, v, k, L: (D(crf(u) @ v), crf(D(u)) @ v + crf(u) @ D(v)),
    "(u v·)'": lambda D, u, v, k, L: (D(dyad(u, v)), dyad(D(u), v) + dyad(u, D(v))),
    "(k v)'": lambda D, u, v, k, L: (D(k * v), D(k) * v + k * D(v)),
    "(L v)'": lambda D, u, v, k, L: (D(L @ v), D(L) @ v + L @ D(v)),
    "(u·)'": lambda D, u, v, k, L: (D(u[None, :]), D(u)[None, :]),
    "(u×)' in 3D": lambda D, u, v, k, L: (D(skew(u[:3])), skew(D(u[:3]))),
    "(u×)'": lambda D, u, v, k, L: (D(crm(u)), crm(D(u))),
    "(u×*)'": lambda D, u, v, k, L: (D(crf(u)), crf(D(u))),
}


@pytest.mark.source("RBDA-T2.4")
@pytest.mark.parametrize("formula", TABLE_2_4)
def test_differentiation_formula(formula):
    rng, x = np.random.default_rng(24), sympy.Symbol("x")
    u, v, k, L = (value(polynomial(rng, shape, 2).astype(int), x) for shape in ((6,), (6,), (), (6, 6)))
    differentiate = np.vectorize(lambda entry: sympy.diff(entry, x), otypes=[object])
    left, right = TABLE_2_4[formula](lambda y: differentiate(y)[()], u, v, k, L)
    assert not identical(left, 0 * right)
    assert identical(left, right)


def changing_vector(rng):
    """A world vector that changes with time, as a function that accepts a complex time."""
    p = polynomial(rng, (6,)) / 2
    return lambda t: value(p, t)


@pytest.mark.source("RBDA-2.36", "RBDA-2.41")
def test_rate_of_a_motion_vector_in_moving_coordinates(rng):
    """ᴬ(dm/dt) = d(ᴬm)/dt + ᴬv_A × ᴬm"""
    m, frame, t = changing_vector(rng), smooth_motion(rng), rng.uniform(-1, 1)
    dot = motion_coordinates(derivative(m, t), frame(t))
    ring = derivative(lambda t: motion_coordinates(m(t), frame(t)), t)
    v_A = motion_coordinates(velocity(frame, t), frame(t))
    close(dot, ring + crm(v_A) @ motion_coordinates(m(t), frame(t)))
    far(dot, ring)


@pytest.mark.source("RBDA-2.37", "RBDA-2.42")
def test_rate_of_a_force_vector_in_moving_coordinates(rng):
    """ᴬ(df/dt) = d(ᴬf)/dt + ᴬv_A ×* ᴬf"""
    f, frame, t = changing_vector(rng), smooth_motion(rng), rng.uniform(-1, 1)
    dot = force_coordinates(derivative(f, t), frame(t))
    ring = derivative(lambda t: force_coordinates(f(t), frame(t)), t)
    v_A = motion_coordinates(velocity(frame, t), frame(t))
    close(dot, ring + crf(v_A) @ force_coordinates(f(t), frame(t)))
    far(dot, ring)


@pytest.mark.source("RBDA-2.38")
def test_rate_of_a_euclidean_vector_in_rotating_coordinates(rng):
    """ᴬ(du/dt) = d(ᴬu)/dt + ᴬω_A × ᴬu"""
    p, frame, t = polynomial(rng, (3,)), smooth_motion(rng), rng.uniform(-1, 1)
    E, omega = frame(t)[0].T, velocity(frame, t)[:3]
    ring = derivative(lambda t: frame(t)[0].T @ value(p, t), t)
    close(E @ exact_derivative(p, t), ring + skew(E @ omega) @ E @ value(p, t))


@pytest.mark.parametrize(
    ("coordinates", "carried", "cross"),
    [pytest.param(motion_coordinates, motion_carried, crm, marks=pytest.mark.source("RBDA-2.43")),
     pytest.param(force_coordinates, force_carried, crf, marks=pytest.mark.source("RBDA-2.44"))],
    ids=["motion", "force"])
def test_true_rate_is_apparent_rate_plus_what_the_observer_adds_in_any_frame(coordinates, carried, cross, rng):
    """ṁ = m̊ + v_A × m, where the three terms are expressed in a third frame"""
    m, observer, t, third = changing_vector(rng), smooth_motion(rng), rng.uniform(-1, 1), random_pose(rng)
    seen = derivative(lambda t: coordinates(m(t), observer(t)), t)
    true, now = coordinates(derivative(m, t), third), coordinates(m(t), third)
    apparent = coordinates(carried(seen, observer(t)), third)
    v_A = motion_coordinates(velocity(observer, t), third)
    close(true, apparent + cross(v_A) @ now)
    far(true, apparent)


class Chain:
    """Five bodies in a row, whose poses come from joint angles and displacements without spatial arithmetic.

    Joint i turns or slides along an axis fixed in bodies i-1 and i. The joint variables are quadratic in time.
    """

    joints = ("turn", "slide", "turn", "turn", "turn")

    def __init__(self, rng):
        self.axes = [a / np.linalg.norm(a) for a in rng.normal(size=(5, 3))]
        self.seats = [random_pose(rng) for _ in self.joints]
        self.q, self.qd, self.qdd = rng.normal(size=(3, 5))

    @property
    def bodies(self):
        return range(1, 6)

    def q_at(self, t):
        return self.q + t * self.qd + t**2 / 2 * self.qdd

    def qd_at(self, t):
        return self.qd + t * self.qdd

    def seat(self, i):
        """The motion t -> pose of the frame in body i-1 where joint i sits."""
        return lambda t: compose(self.pose(i - 1)(t), self.seats[i - 1])

    def pose(self, i):
        """The motion t -> pose of body i."""
        if i == 0:
            return lambda t: HERE
        axis, turns = self.axes[i - 1], self.joints[i - 1] == "turn"

        def pose(t):
            q = self.q_at(t)[i - 1]
            return compose(self.seat(i)(t), (turn(axis, q), np.zeros(3)) if turns else (np.eye(3), axis * q))

        return pose

    def unit(self, i):
        """Coordinates of the axis of joint i in body i: a unit turn or a unit slide."""
        axis, nothing = self.axes[i - 1], np.zeros(3)
        return np.concatenate([axis, nothing] if self.joints[i - 1] == "turn" else [nothing, axis])

    def s(self, i, t=0.0):
        """The axis of joint i in world coordinates."""
        return motion_carried(self.unit(i), self.pose(i)(t))

    def s_dot(self, i):
        return derivative(lambda t: self.s(i, t))

    def v(self, i, t=0.0):
        return velocity(self.pose(i), t)

    def a(self, i):
        return acceleration(self.pose(i))

    def model(self):
        makers = {"turn": Revolute, "slide": Prismatic}
        joints = [makers[kind](tuple(axis)) for kind, axis in zip(self.joints, self.axes, strict=True)]
        X_tree = [plucker(*E_and_r(HERE, seat)) for seat in self.seats]
        return Model(range(5), joints, X_tree, [mcI(1, [0, 0, 0], np.eye(3))] * 5, gravity=(0, 0, 0))

    def to_world(self, vectors):
        """World coordinates of motion vectors listed by body and given in body coordinates."""
        return [motion_carried(vectors[i], self.pose(i)(0.0)) for i in range(6)]


def compose(outer, inner):
    """The pose of a frame whose pose is `inner` in a frame that has the pose `outer`."""
    (R, p), (Q, s) = outer, inner
    return R @ Q, p + R @ s


@pytest.fixture
def chain(rng):
    return Chain(rng)


@pytest.mark.source("RBDA-2.39")
def test_dotted_coordinates_are_the_coordinates_of_the_true_rate(chain):
    """ᴬv̇ = ᴬ(dv/dt): what the library calls the acceleration of a body, in body coordinates"""
    a = body_accelerations(chain.model(), chain.q, chain.qd, chain.qdd)
    for i in chain.bodies:
        close(a[i], motion_coordinates(chain.a(i), chain.pose(i)(0.0)), 1e-9)


@pytest.mark.source("RBDA-2.40")
def test_ringed_vector_is_the_rate_of_its_coordinates(rng):
    """ᴬv̊ = d(ᴬv)/dt is zero for what moves with A, whatever the true rate"""
    m, frame = rng.normal(size=6), smooth_motion(rng)
    close(derivative(lambda t: motion_coordinates(motion_carried(m, frame(t)), frame(t))), np.zeros(6))
    far(derivative(lambda t: motion_carried(m, frame(t))), np.zeros(6))


@pytest.mark.source("RBDA-2.40")
@pytest.mark.parametrize("i", [1, 2, 3, 4, 5])
def test_ring_of_a_joint_axis_is_what_jcalc_returns(chain, i):
    """The axis is followed as a line of the predecessor; its coordinates in the successor change at the rate S-ring"""
    def axis_in_successor(t):
        return motion_coordinates(motion_carried(chain.unit(i), chain.seat(i)(t)), chain.pose(i)(t))

    _, S, _, c_J = jcalc(chain.model().joints[i], chain.q[i - 1], chain.qd[i - 1])
    close(S[:, 0], axis_in_successor(0.0))
    close(c_J, derivative(axis_in_successor) * chain.qd[i - 1])


@pytest.mark.source("RBDA-S2.10-2")
def test_accelerations_in_stationary_coordinates_that_coincide_with_moving_ones(chain):
    a = newton_euler(chain.model(), chain.q, chain.qd, chain.qdd).a
    for i in chain.bodies:
        close(motion_carried(a[i], chain.pose(i)(0.0)), chain.a(i), 1e-9)


@pytest.mark.source("RBDA-S2.10-2")
def test_only_the_own_velocity_of_a_body_may_be_differentiated_in_body_coordinates(chain):
    i, pose = 3, chain.pose(3)

    def both_rates(vector):
        return slope(lambda t: motion_coordinates(vector(t), pose(t))), motion_coordinates(slope(vector), pose(0.0))

    componentwise, true = both_rates(lambda t: chain.v(i, t))
    close(componentwise, true, 1e-9)
    for vector in (lambda t: chain.s(i, t), lambda t: chain.s(i, t) * chain.qd_at(t)[i - 1]):
        componentwise, true = both_rates(vector)
        far(componentwise, true)


@pytest.fixture
def two_frames(rng):
    """Two frames that move differently, the transform between them as a function of time, and their velocities now."""
    A, B, t = smooth_motion(rng), smooth_motion(rng), rng.uniform(-1, 1)

    def X(t):
        E, r = E_and_r(A(t), B(t))
        return np.block([[E, np.zeros((3, 3))], [-E @ cross_matrix(r), E]])

    return X, t, motion_coordinates(velocity(A, t), A(t)), motion_coordinates(velocity(B, t), B(t))


@pytest.mark.source("RBDA-2.45")
def test_rate_of_a_transform_between_moving_frames(two_frames):
    X, t, v_A, v_B = two_frames
    rate = derivative(X, t)
    close(rate, crm(X(t) @ v_A - v_B) @ X(t))
    far(rate, crm(v_B - X(t) @ v_A) @ X(t))


@pytest.mark.source("RBDA-2.45")
def test_rate_of_a_force_transform_between_moving_frames(two_frames):
    X, t, v_A, v_B = two_frames
    rate = derivative(lambda t: np.linalg.inv(X(t)).T, t)
    close(rate, crf(X(t) @ v_A - v_B) @ force_transform(X(t)))


@pytest.mark.source("RBDA-X2.4")
def test_steps_towards_the_rate_of_a_transform(rng, two_frames):
    X, t, v_A, v_B = two_frames
    p = polynomial(rng, (6,))
    m, m_ring = value(p, t), exact_derivative(p, t)
    B_m_ring = derivative(lambda t: X(t) @ value(p, t), t)
    close(B_m_ring, derivative(X, t) @ m + X(t) @ m_ring)
    m_dot = m_ring + crm(v_A) @ m
    B_m_dot = X(t) @ m_dot
    close(B_m_ring, B_m_dot - crm(v_B) @ X(t) @ m)
    close(derivative(X, t) @ m, (X(t) @ crm(v_A) - crm(v_B) @ X(t)) @ m)


# 2.11 Acceleration


def body_at_O(pose, t=0.0):
    """The path of the body-fixed point that is at the origin O at the time t."""
    R, p = pose(t)
    at_O = -R.T @ p
    return lambda t: pose(t)[1] + pose(t)[0] @ at_O


@pytest.mark.source("RBDA-2.46")
def test_spatial_acceleration_is_the_rate_of_the_velocity_at_a_fixed_origin(chain):
    model = chain.model()
    a = newton_euler(model, chain.q, chain.qd, chain.qdd).a
    for i in chain.bodies:
        pose = chain.pose(i)

        def angular(t, pose=pose):
            return velocity(pose, t)[:3]

        def flow_through_O(t, pose=pose):
            return derivative(body_at_O(pose, t), t)

        close(motion_carried(a[i], pose(0.0)), np.concatenate([slope(angular), slope(flow_through_O)]), 1e-9)


@pytest.fixture
def uniformly_rotating(rng):
    """A body that turns at a constant rate about a line off the origin, and that line's point and direction."""
    omega, point = rng.normal(size=(2, 3))
    rate = np.linalg.norm(omega)

    def pose(t):
        R = turn(omega / rate, rate * t)
        return R, point - R @ point

    return pose, omega, point


@pytest.mark.source("RBDA-F2.6")
def test_a_uniformly_rotating_body_has_no_spatial_acceleration(uniformly_rotating):
    pose, omega, point = uniformly_rotating
    for t in (-1.3, 0.0, 2.0):
        close(velocity(pose, t), np.concatenate([omega, -np.cross(omega, point)]))
        close(acceleration(pose, t), np.zeros(6), 1e-10)


@pytest.mark.source("RBDA-F2.6")
def test_points_of_a_uniformly_rotating_body_accelerate_towards_the_axis(rng, uniformly_rotating):
    pose, omega, point = uniformly_rotating
    P = rng.normal(size=3)
    centripetal = np.cross(omega, np.cross(omega, P - point))
    close(second_derivative(lambda t: points_carried(P, pose(t))), centripetal, 1e-8)
    v_P = motion_coordinates(velocity(pose), (np.eye(3), P))
    close(classical_acceleration(np.zeros(6), v_P), np.concatenate([np.zeros(3), centripetal]))
    assert np.linalg.norm(centripetal) > 0.05


@pytest.mark.source("RBDA-F2.7")
def test_error_of_the_velocity_at_O_after_a_short_time_is_of_second_order(rng):
    """v_O(t+δt) = r'(t+δt) − ω × δt r'(t): the body-fixed point has moved away from O by δt r'(t)"""
    pose = smooth_motion(rng)
    r, omega = body_at_O(pose), velocity(pose)[:3]

    def error(dt):
        return np.linalg.norm(velocity(pose, dt)[3:] - (derivative(r, dt) - np.cross(omega, dt * derivative(r))))

    assert error(1e-3) > 1e-8
    assert_allclose(error(1e-3) / error(5e-4), 4, rtol=0.02)


@pytest.mark.source("RBDA-2.47")
def test_flow_acceleration_from_the_path_of_a_particle(rng):
    pose = smooth_motion(rng)
    r, omega = body_at_O(pose), velocity(pose)[:3]
    r_dot, v_O_dot = derivative(r), acceleration(pose)[3:]
    close(second_derivative(r) - np.cross(omega, r_dot), v_O_dot, 1e-8)
    close(spatial_acceleration(np.concatenate([omega, second_derivative(r)]), velocity(pose))[3:], v_O_dot, 1e-8)
    for dt in (1e-4, 1e-5):
        quotient = (derivative(r, dt) - r_dot - np.cross(omega, dt * r_dot)) / dt
        close(quotient, v_O_dot, 100 * dt)


@pytest.mark.source("RBDA-2.48")
def test_spatial_acceleration_from_the_acceleration_of_a_particle(rng):
    pose = smooth_motion(rng)
    r, v, a = body_at_O(pose), velocity(pose), acceleration(pose)
    r_ddot = second_derivative(r)
    close(np.concatenate([a[:3], r_ddot - np.cross(v[:3], derivative(r))]), a, 1e-8)
    close(spatial_acceleration(np.concatenate([a[:3], r_ddot]), v), a, 1e-8)


@pytest.mark.source("RBDA-2.49")
def test_classical_acceleration_is_the_apparent_rate_in_a_frame_that_follows_the_particle(rng):
    pose = smooth_motion(rng)
    r, v, a = body_at_O(pose), velocity(pose), acceleration(pose)
    classical = np.concatenate([a[:3], second_derivative(r)])
    close(slope(lambda t: motion_coordinates(velocity(pose, t), (np.eye(3), r(t)))), classical, 1e-8)
    close(classical_acceleration(a, v), classical, 1e-8)


@pytest.mark.source("RBDA-2.50")
def test_spatial_and_classical_acceleration_differ_by_a_cross_product(rng):
    pose = smooth_motion(rng)
    r, v, a = body_at_O(pose), velocity(pose), acceleration(pose)
    classical = np.concatenate([a[:3], second_derivative(r)])
    r_dot = np.concatenate([np.zeros(3), derivative(r)])
    close(a, classical + crm(r_dot) @ v, 1e-8)
    close(spatial_acceleration(classical, v), classical + crm(r_dot) @ v)
    close(classical_acceleration(a, v), a - crm(r_dot) @ v)


@pytest.mark.source("RBDA-Q2.11-1")
def test_the_two_forms_of_spatial_acceleration_are_identical_in_symbols():
    w, dw, dr, ddr = (np.array(sympy.symbols(f"{name}_x:z")) for name in ("w", "dw", "dr", "ddr"))
    v = np.concatenate([w, dr])
    from_2_48 = np.concatenate([dw, ddr - np.cross(w, dr)])
    from_2_50 = np.concatenate([dw, ddr]) + crm(np.concatenate([0 * dr, dr])) @ v
    assert identical(from_2_48, from_2_50)
    assert identical(spatial_acceleration(np.concatenate([dw, ddr]), v), from_2_48)


@pytest.mark.source("RBDA-S2.11-1")
def test_spatial_acceleration_transforms_like_a_velocity_and_classical_does_not(rng):
    pose, still = smooth_motion(rng), random_pose(rng)
    X = plucker(*E_and_r(HERE, still))
    v, a = velocity(pose), acceleration(pose)
    close(X @ a, slope(lambda t: motion_coordinates(velocity(pose, t), still)), 1e-9)
    R, p = pose(0)
    particle = R.T @ (still[1] - p)
    r_ddot = second_derivative(lambda t: points_carried(particle, pose(t)))
    at_Q = np.concatenate([still[0].T @ a[:3], still[0].T @ r_ddot])
    close(classical_acceleration(X @ a, X @ v), at_Q, 1e-8)
    far(X @ classical_acceleration(a, v), at_Q)


@pytest.mark.source("RBDA-2.51")
def test_relative_acceleration_is_the_difference_of_accelerations(chain):
    model = chain.model()
    a = chain.to_world(body_accelerations(model, chain.q, chain.qd, chain.qdd))
    relative = slope(lambda t: chain.v(5, t) - chain.v(2, t))
    close(a[5] - a[2], relative, 1e-9)


@pytest.fixture
def accelerations(chain):
    """Accelerations of the bodies in world coordinates by differentiation of their poses, from the base on."""
    return [np.zeros(6), *(chain.a(i) for i in chain.bodies)]


@pytest.mark.source("RBDA-2.52")
def test_acceleration_across_a_joint_is_the_difference_of_two_body_accelerations(chain, accelerations):
    for i in chain.bodies:
        across = derivative(lambda t, i=i: chain.s(i, t) * chain.qd_at(t)[i - 1])
        close(across, accelerations[i] - accelerations[i - 1], 1e-9)


@pytest.mark.source("RBDA-2.53")
def test_acceleration_across_a_joint_of_one_freedom(chain, accelerations):
    for i in chain.bodies:
        terms = chain.s(i) * chain.qdd[i - 1] + chain.s_dot(i) * chain.qd[i - 1]
        close(terms, accelerations[i] - accelerations[i - 1], 1e-9)


@pytest.mark.source("RBDA-2.54")
def test_a_joint_axis_moves_with_either_of_the_bodies_it_joins(chain):
    for i in chain.bodies:
        close(crm(chain.v(i)) @ chain.s(i), chain.s_dot(i))
        close(crm(chain.v(i - 1)) @ chain.s(i), chain.s_dot(i))
        close(crm(chain.s(i)) @ chain.s(i), np.zeros(6))


@pytest.mark.source("RBDA-2.55")
def test_accelerations_of_a_chain_by_recursion(chain, accelerations):
    library = chain.to_world(body_accelerations(chain.model(), chain.q, chain.qd, chain.qdd))
    a = np.zeros(6)
    for i in chain.bodies:
        a = a + chain.s(i) * chain.qdd[i - 1] + crm(chain.v(i)) @ chain.s(i) * chain.qd[i - 1]
        close(a, accelerations[i], 1e-9)
        close(library[i], accelerations[i], 1e-9)


def double_sum(chain, i):
    s = [None, *(chain.s(j) for j in chain.bodies)]
    return (sum(s[j] * chain.qdd[j - 1] for j in range(1, i + 1))
            + sum(crm(s[k]) @ s[j] * chain.qd[j - 1] * chain.qd[k - 1] for j in range(1, i + 1) for k in range(1, j)))


@pytest.mark.source("RBDA-2.56")
def test_acceleration_of_a_body_as_a_sum_over_pairs_of_joints(chain, accelerations):
    for i in chain.bodies:
        single = sum(chain.s(j) * chain.qdd[j - 1] + crm(chain.v(j)) @ chain.s(j) * chain.qd[j - 1]
                     for j in range(1, i + 1))
        close(single, accelerations[i], 1e-9)
        close(double_sum(chain, i), accelerations[i], 1e-9)


def world_jacobian(chain, i, t=0.0):
    J = body_jacobian(chain.model(), chain.q_at(t), i)
    return np.column_stack([motion_carried(column, chain.pose(i)(t)) for column in J.T])


@pytest.mark.source("RBDA-2.57")
@pytest.mark.parametrize("i", [1, 3, 5])
def test_acceleration_of_a_body_from_its_jacobian(chain, accelerations, i):
    J_dot = np.column_stack([chain.s_dot(j) if j <= i else np.zeros(6) for j in chain.bodies])
    close(slope(lambda t: world_jacobian(chain, i, t)), J_dot, 1e-9)
    close(world_jacobian(chain, i) @ chain.qdd + J_dot @ chain.qd, accelerations[i], 1e-9)


@pytest.mark.source("RBDA-X2.5")
def test_recursion_sum_and_jacobian_give_the_same_accelerations(chain):
    recursion = chain.to_world(body_accelerations(chain.model(), chain.q, chain.qd, chain.qdd))
    for i in chain.bodies:
        J_dot = np.column_stack([crm(chain.v(j)) @ chain.s(j) if j <= i else np.zeros(6) for j in chain.bodies])
        close(recursion[i], double_sum(chain, i))
        close(recursion[i], world_jacobian(chain, i) @ chain.qdd + J_dot @ chain.qd)
        close(recursion[i], slope(lambda t, i=i: world_jacobian(chain, i, t) @ chain.qd_at(t)), 1e-9)


# 2.12 Momentum


@pytest.fixture
def cluster(rng):
    """Masses and positions of the particles of a rigid body."""
    return random_cluster(rng)


@pytest.fixture
def v(rng):
    return rng.normal(size=6)


def about_centre(cluster, v):
    """Linear momentum, intrinsic angular momentum and velocity of the centre of mass: sums over particles."""
    masses, positions = cluster
    m, c, _ = mass_properties(masses, positions)
    momenta = masses[:, None] * field(v, positions)
    return momenta.sum(axis=0), np.cross(positions - c, momenta).sum(axis=0), momenta.sum(axis=0) / m


@pytest.mark.source("RBDA-F2.8")
def test_momentum_is_a_linear_and_an_intrinsic_angular_part(cluster, v):
    m, c, I_C = mass_properties(*cluster)
    h, h_C, _ = about_centre(cluster, v)
    close(h, m * field(v, c))
    close(h_C, I_C @ v[:3])
    close(momentum(mcI(m, c, I_C), v), np.concatenate([h_C + np.cross(c, h), h]))


@pytest.mark.source("RBDA-2.58")
def test_moment_of_momentum_about_another_point(cluster, v):
    h, h_C, _ = about_centre(cluster, v)
    _, c, _ = mass_properties(*cluster)
    close(h_C + np.cross(c, h), cluster_momentum(*cluster, v)[:3])
    close(xlt(c).T @ np.concatenate([h_C, h]), cluster_momentum(*cluster, v))


@pytest.mark.source("RBDA-2.59")
def test_spatial_momentum_at_the_centre_of_mass(cluster, v):
    masses, positions = cluster
    m, c, I_C = mass_properties(masses, positions)
    h, h_C, v_C = about_centre((masses, positions - c), v)
    close(np.concatenate([h_C, h]), np.concatenate([I_C @ v[:3], m * v_C]))
    close(momentum(mcI(m, np.zeros(3), I_C), np.concatenate([v[:3], v_C])), np.concatenate([h_C, h]))


@pytest.mark.source("RBDA-2.60")
def test_spatial_momentum_at_a_general_origin(cluster, v):
    m, c, I_C = mass_properties(*cluster)
    h_O, v_C = cluster_momentum(*cluster, v), field(v, c)
    close(np.concatenate([I_C @ v[:3] + np.cross(c, m * v_C), m * v_C]), h_O)
    shift = np.block([[np.eye(3), cross_matrix(c)], [np.zeros((3, 3)), np.eye(3)]])
    close(shift @ np.concatenate([I_C @ v[:3], m * v_C]), h_O)
    close(xlt(c).T @ np.concatenate([I_C @ v[:3], m * v_C]), h_O)


def moved_to(pose, cluster, v):
    """The same cluster and velocity in the coordinates of a frame, particle by particle."""
    (R, p), (masses, positions) = pose, cluster
    return masses, (positions - p) @ R, motion_coordinates(v, pose)


@pytest.mark.source("RBDA-S2.12-1")
def test_momentum_transforms_as_a_force(rng, cluster, v):
    frame = random_pose(rng)
    X = plucker(*E_and_r(HERE, frame))
    h_A, h_B = cluster_momentum(*cluster, v), cluster_momentum(*moved_to(frame, cluster, v))
    close(force_transform(X) @ h_A, h_B)
    far(X @ h_A, h_B)


@pytest.mark.source("RBDA-S2.12-1")
def test_kinetic_energy_is_half_the_power_of_momentum_on_velocity(rng, cluster, v):
    T, frame = cluster_energy(*cluster, v), random_pose(rng)
    close(momentum(mcI(*mass_properties(*cluster)), v) @ v / 2, T)
    masses, positions, v_B = moved_to(frame, cluster, v)
    close(momentum(mcI(*mass_properties(masses, positions)), v_B) @ v_B / 2, T)


# 2.13 Inertia


@pytest.mark.source("RBDA-2.61")
def test_inertia_maps_velocity_to_momentum(cluster, v):
    close(mcI(*mass_properties(*cluster)) @ v, cluster_momentum(*cluster, v))
    close(momentum(mcI(*mass_properties(*cluster)), v), cluster_momentum(*cluster, v))


@pytest.mark.source("RBDA-2.62")
def test_inertia_at_the_centre_of_mass(cluster):
    masses, positions = cluster
    m, c, I_C = mass_properties(masses, positions)
    as_printed = np.block([[I_C, np.zeros((3, 3))], [np.zeros((3, 3)), m * np.eye(3)]])
    close(as_printed, cluster_inertia(masses, positions - c))
    close(mcI(m, np.zeros(3), I_C), as_printed)


@pytest.mark.source("RBDA-2.63")
def test_inertia_at_a_general_origin(cluster):
    m, c, I_C = mass_properties(*cluster)
    C, one, zero = cross_matrix(c), np.eye(3), np.zeros((3, 3))
    as_printed = np.block([[I_C + m * C @ C.T, m * C], [m * C.T, m * one]])
    as_product = (np.block([[one, C], [zero, one]]) @ np.block([[I_C, zero], [zero, m * one]])
                  @ np.block([[one, zero], [C.T, one]]))
    close(as_printed, cluster_inertia(*cluster))
    close(as_product, cluster_inertia(*cluster))
    close(mcI(m, c, I_C), cluster_inertia(*cluster))
    close(xlt(c).T @ mcI(m, np.zeros(3), I_C) @ xlt(c), cluster_inertia(*cluster))


@pytest.mark.source("RBDA-S2.13-1")
def test_parallel_axes(cluster):
    masses, positions = cluster
    m, c, I_C = mass_properties(masses, positions)
    about_O = np.column_stack([masses @ np.cross(positions, np.cross(e, positions)) for e in np.eye(3)])
    close(mcI(m, c, I_C)[:3, :3], about_O)
    close(I_C + m * (c @ c * np.eye(3) - np.outer(c, c)), about_O)


@pytest.mark.source("RBDA-S2.13-1")
def test_inertia_is_symmetric_and_positive_definite(cluster):
    m, c, I_C = mass_properties(*cluster)
    assert np.linalg.eigvalsh(I_C).min() > 0
    for I in (mcI(m, np.zeros(3), I_C), mcI(m, c, I_C), mcI(m, 10 * c, I_C)):
        close(I, I.T)
        assert np.linalg.eigvalsh(I).min() > 0


@pytest.mark.source("RBDA-S2.13-2")
def test_dyad_of_two_forces(rng):
    f, g, m = rng.normal(size=(3, 6))
    frame = random_pose(rng)
    (X, X_star), (f_B, g_B) = transforms(frame), (force_coordinates(vector, frame) for vector in (f, g))
    close(dyad(f, g) @ m, f * (g @ m))
    close(transform_inertia(X, dyad(f, g)), np.outer(f_B, g_B))
    close(X_star @ dyad(f, g) @ np.linalg.inv(X), np.outer(f_B, g_B))


@pytest.mark.source("RBDA-S2.13-2")
def test_dyad_of_two_forces_is_symmetric_only_if_they_are_parallel(rng):
    f, g = rng.normal(size=(2, 6))
    far(dyad(f, g), dyad(f, g).T)
    for scale in (1, -0.7, 3):
        close(dyad(f, scale * f), dyad(f, scale * f).T)


@pytest.mark.source("RBDA-2.64")
def test_inertia_is_a_sum_of_six_dyads_of_forces_fixed_in_the_body(rng, cluster):
    masses, positions = cluster
    g = np.linalg.cholesky(cluster_inertia(masses, positions)).T
    assert len(g) == 6
    close(sum(dyad(g_i, g_i) for g_i in g), mcI(*mass_properties(masses, positions)))
    pose = smooth_motion(rng)
    for t in (-0.5, 1.2):
        carried = [force_carried(g_i, pose(t)) for g_i in g]
        close(sum(dyad(g_i, g_i) for g_i in carried), cluster_inertia(masses, points_carried(positions, pose(t))))


@pytest.mark.source("RBDA-S2.13-5")
def test_dyads_of_an_inertia_in_two_frames(rng, cluster):
    masses, positions = cluster
    (R, p) = frame = random_pose(rng)
    g_A = np.linalg.cholesky(cluster_inertia(masses, positions)).T
    X_star = force_transform(plucker(*E_and_r(HERE, frame)))
    in_B = cluster_inertia(masses, (positions - p) @ R)
    for g in g_A:
        close(X_star @ g, force_coordinates(g, frame))
    close(sum(dyad(X_star @ g, X_star @ g) for g in g_A), in_B)
    close(sum(X_star @ dyad(g, g) @ X_star.T for g in g_A), in_B)
    close(X_star.T, np.linalg.inv(transforms(frame)[0]))


@pytest.mark.source("RBDA-2.65")
def test_rate_of_the_inertia_of_a_moving_body(rng, cluster):
    (masses, positions), pose, t = cluster, smooth_motion(rng), rng.uniform(-1, 1)
    rate = derivative(lambda t: cluster_inertia(masses, points_carried(positions, pose(t))), t)
    I, v = cluster_inertia(masses, points_carried(positions, pose(t))), velocity(pose, t)
    close(crf(v) @ I - I @ crm(v), rate)
    close(inertia_rate(I, v), rate)


@pytest.mark.source("RBDA-2.66")
def test_inertia_in_another_frame(rng, cluster):
    masses, positions = cluster
    (R, p) = frame = random_pose(rng)
    X = plucker(*E_and_r(HERE, frame))
    I_A, I_B = cluster_inertia(masses, positions), cluster_inertia(masses, (positions - p) @ R)
    m, c, I_C = mass_properties(masses, positions)
    close(force_transform(X) @ I_A @ inverse_transform(X), I_B)
    close(transform_inertia(X, I_A), I_B)
    close(mcI(m, R.T @ (c - p), R.T @ I_C @ R), I_B)
    close(X.T @ I_B @ X, I_A)


SPACES = {"M": 0, "F": 1}
TABLE_2_5 = [
    ("M", "M", "similarity", lambda X, X_star: (X, np.linalg.inv(X))),
    ("F", "F", "similarity", lambda X, X_star: (X_star, np.linalg.inv(X_star))),
    ("M", "F", "congruence", lambda X, X_star: (X_star, np.linalg.inv(X))),
    ("F", "M", "congruence", lambda X, X_star: (X, np.linalg.inv(X_star))),
]
mapping = pytest.mark.parametrize(("source", "target", "kind", "sides"), TABLE_2_5, ids=["M-M", "F-F", "M-F", "F-M"])


@pytest.mark.source("RBDA-T2.5")
@mapping
def test_transform_of_a_dyadic_is_that_of_its_action(rng, source, target, kind, sides):
    frame, L, x = random_pose(rng), rng.normal(size=(6, 6)), rng.normal(size=6)
    coordinates = {"M": motion_coordinates, "F": force_coordinates}
    X = plucker(*E_and_r(HERE, frame))
    left, right = sides(X, force_transform(X))
    close(left @ L @ right @ coordinates[source](x, frame), coordinates[target](L @ x, frame), 1e-10)


@pytest.mark.source("RBDA-T2.5")
@mapping
def test_dyad_that_maps_one_space_to_another(rng, source, target, kind, sides):
    """The first vector of the dyad lies in the target space, the second in the dual of the source space."""
    frame, (a, b) = random_pose(rng), rng.normal(size=(2, 6))
    coordinates, dual = {"M": motion_coordinates, "F": force_coordinates}, {"M": "F", "F": "M"}
    left, right = sides(*transforms(frame))
    close(left @ dyad(a, b) @ right, dyad(coordinates[target](a, frame), coordinates[dual[source]](b, frame)), 1e-10)


@pytest.mark.source("RBDA-T2.5")
def test_examples_of_dyadics_in_table_2_5(rng, cluster, v):
    frame, (masses, positions) = random_pose(rng), cluster
    (R, p), v_B, (X, X_star) = frame, motion_coordinates(v, frame), transforms(frame)
    (M_M, F_F, M_F, F_M) = [sides(X, X_star) for *_, sides in TABLE_2_5]
    I, I_B = cluster_inertia(masses, positions), cluster_inertia(masses, (positions - p) @ R)
    close(M_M[0] @ crm(v) @ M_M[1], crm(v_B))
    close(F_F[0] @ crf(v) @ F_F[1], crf(v_B))
    close(M_F[0] @ I @ M_F[1], I_B)
    close(F_M[0] @ np.linalg.inv(I) @ F_M[1], np.linalg.inv(I_B), 1e-10)


@pytest.mark.source("RBDA-T2.5")
@mapping
def test_what_a_transform_preserves(rng, source, target, kind, sides):
    left, right = sides(*transforms(random_pose(rng)))
    root = rng.normal(size=(6, 6))
    symmetric, deficient = root @ root.T, root[:, :4] @ rng.normal(size=(4, 6))
    moved = left @ symmetric @ right
    assert np.linalg.matrix_rank(left @ deficient @ right) == 4
    eigenvalues, moved_eigenvalues = (np.sort_complex(np.linalg.eigvals(L)) for L in (symmetric, moved))
    if kind == "similarity":
        close(moved_eigenvalues, eigenvalues, 1e-9)
        far(moved, moved.T)
    else:
        close(moved, moved.T)
        assert np.linalg.eigvalsh(moved).min() > 0
        indefinite = left @ np.diag([1, 1, 1, -1, -1, -1]) @ right
        assert (np.linalg.eigvalsh(indefinite) < 0).sum() == 3
        far(moved_eigenvalues, eigenvalues)


@pytest.mark.source("RBDA-T2.5")
def test_similarity_does_not_preserve_definiteness():
    X = xlt([0, 0, 3])
    moved = X @ np.diag([1, 1, 1, 4, 4, 4]) @ np.linalg.inv(X)
    assert np.linalg.eigvalsh((moved + moved.T) / 2).min() < 0


def dimension(matrices):
    """Dimension of the space that the matrices span."""
    return np.linalg.matrix_rank(np.array([matrix.ravel() for matrix in matrices]))


@pytest.mark.source("RBDA-S2.13-3")
def test_a_rigid_body_inertia_has_ten_parameters_and_a_general_one_twenty_one(rng):
    clusters = [random_cluster(rng) for _ in range(40)]
    roots = rng.normal(size=(40, 6, 6))
    assert dimension([cluster_inertia(*cluster) for cluster in clusters]) == 10
    assert dimension([mcI(*mass_properties(*cluster)) for cluster in clusters]) == 10
    assert dimension([root @ root.T for root in roots]) == 21


@pytest.mark.source("RBDA-S2.13-3")
def test_the_ten_parameters_are_mass_first_moment_and_rotational_inertia(rng):
    def inertia(parameters):
        m, mc, I_O = parameters[0], parameters[1:4], np.zeros((3, 3))
        I_O[np.tril_indices(3)] = parameters[4:]
        I_O = I_O + np.tril(I_O, -1).T
        C = cross_matrix(mc / m)
        return mcI(m, mc / m, I_O - m * C @ C.T)

    m, c, I_C = mass_properties(*random_cluster(rng))
    C = cross_matrix(c)
    theta = np.array([m, *(m * c), *(I_C + m * C @ C.T)[np.tril_indices(3)]])
    close(inertia(theta), mcI(m, c, I_C))
    columns = [slope(lambda t, e=e: inertia(theta + t * e), h=1e-3) for e in np.eye(10)]
    assert dimension(np.round(columns, 8)) == 10


@pytest.mark.source("RBDA-S2.13-4")
def test_inertia_of_a_body_made_of_parts_is_the_sum_of_theirs(rng):
    parts = [random_cluster(rng, n) for n in (3, 5, 8)]
    whole = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    close(sum(mcI(*mass_properties(*part)) for part in parts), mcI(*mass_properties(*whole)))


@pytest.mark.source("RBDA-2.67")
def test_kinetic_energy_of_a_rigid_body(rng, cluster, v):
    m, c, I_C = mass_properties(*cluster)
    T, (omega, v_C) = cluster_energy(*cluster, v), (v[:3], field(v, c))
    close(kinetic_energy(mcI(m, c, I_C), v), T)
    close(v @ mcI(m, c, I_C) @ v / 2, T)
    close(m * v_C @ v_C / 2 + omega @ I_C @ omega / 2, T)
    X = plucker(*E_and_r(HERE, random_pose(rng)))
    close(kinetic_energy(transform_inertia(X, mcI(m, c, I_C)), X @ v), T)


# 2.14 The equation of motion


def force_on(cluster, pose):
    """The spatial force that a motion takes: the sum of r × m r'' and m r'' over the particles."""
    masses, positions = cluster
    now = points_carried(positions, pose(0.0))
    forces = masses[:, None] * second_derivative(lambda t: points_carried(positions, pose(t)))
    return np.concatenate([np.cross(now, forces).sum(axis=0), forces.sum(axis=0)])


@pytest.fixture
def moving(rng, cluster):
    """A moving body at one instant, in world coordinates: its inertia, velocity, acceleration and the net force."""
    (masses, positions), pose = cluster, smooth_motion(rng)
    I = cluster_inertia(masses, points_carried(positions, pose(0.0)))
    return I, velocity(pose), acceleration(pose), force_on(cluster, pose)


@pytest.mark.source("RBDA-2.68")
def test_force_is_the_rate_of_momentum(rng, cluster):
    (masses, positions), pose = cluster, smooth_motion(rng)
    rate = slope(lambda t: cluster_momentum(masses, points_carried(positions, pose(t)), velocity(pose, t)))
    close(rate, force_on(cluster, pose), 1e-8)


@pytest.mark.source("RBDA-2.68")
def test_equation_of_motion_of_a_rigid_body(moving):
    I, v, a, f = moving
    close(I @ a + (crf(v) @ I - I @ crm(v)) @ v, f, 1e-8)
    close(I @ a + crf(v) @ I @ v, f, 1e-8)
    close(equation_of_motion(I, v, a), f, 1e-8)
    far(I @ a, f)


@pytest.mark.source("RBDA-2.68")
def test_a_free_body_keeps_its_momentum_and_energy(cluster, v):
    I = mcI(*mass_properties(*cluster))
    motion = simulate_rigid_body(I, v, np.linspace(0, 3, 7))
    for E, r, v_t in zip(motion.E, motion.r, motion.v, strict=True):
        close(force_carried(I @ v_t, (E.T, r)), I @ v, 1e-8)
        close(v_t @ I @ v_t, v @ I @ v, 1e-8)
    far(motion.v[-1], v)


@pytest.mark.source("RBDA-2.69")
def test_bias_is_the_force_that_gives_no_acceleration(cluster, v):
    masses, positions = cluster
    p = derivative(lambda t: cluster_momentum(masses, points_carried(positions, uniform_motion(v)(t)), v))
    I = mcI(*mass_properties(masses, positions))
    close(bias_force(I, v), p)
    close(crf(v) @ I @ v, p)


@pytest.mark.source("RBDA-2.69")
def test_equation_of_motion_with_a_bias_force(moving):
    I, v, a, f = moving
    close(I @ a + bias_force(I, v), f, 1e-8)


@pytest.mark.source("RBDA-S2.14-1")
def test_gravity_may_be_moved_into_the_bias_force(rng, cluster):
    """f_u = I a + (v ×* I v − I [0; g]), where f_u is the net force without the weights of the particles."""
    (masses, positions), pose, g = cluster, smooth_motion(rng), rng.normal(size=3)
    now, weights = points_carried(positions, pose(0.0)), masses[:, None] * g
    f_u = force_on(cluster, pose) - np.concatenate([np.cross(now, weights).sum(axis=0), weights.sum(axis=0)])
    I, v = mcI(*mass_properties(masses, now)), velocity(pose)
    close(I @ acceleration(pose) + bias_force(I, v) - I @ np.concatenate([np.zeros(3), g]), f_u, 1e-8)


@pytest.mark.source("RBDA-S2.14-1")
def test_a_body_at_rest_falls_with_the_acceleration_of_gravity(rng, cluster):
    g, t = rng.normal(size=3), np.array([0, 0.5, 1.5])
    fall = simulate_rigid_body(mcI(*mass_properties(*cluster)), np.zeros(6), t, gravity=g)
    close(fall.r, t[:, None] ** 2 / 2 * g, 1e-8)
    close(fall.E, np.array([np.eye(3)] * 3), 1e-9)


@pytest.fixture
def at_centre(rng):
    """A moving body whose centre of mass is at the world's origin now, and the quantities of 3D dynamics."""
    masses, positions = random_cluster(rng)
    positions = positions - mass_properties(masses, positions)[1]
    motion = smooth_motion(rng)
    start = motion(0.0)[1]

    def pose(t):
        R, p = motion(t)
        return R, p - start

    m, _, I_C = mass_properties(masses, points_carried(positions, pose(0.0)))
    c_ddot = second_derivative(lambda t: pose(t)[1])
    return m, I_C, velocity(pose), slope(lambda t: velocity(pose, t)[:3]), c_ddot, force_on((masses, positions), pose)


@pytest.mark.source("RBDA-X2.6")
def test_three_dimensional_equations_from_the_spatial_one(at_centre):
    m, I_C, v, omega_dot, c_ddot, f = at_centre
    omega, v_C = v[:3], v[3:]
    zero = np.zeros((3, 3))
    I = np.block([[I_C, zero], [zero, m * np.eye(3)]])
    a = np.concatenate([omega_dot, c_ddot - np.cross(omega, v_C)])
    close(equation_of_motion(mcI(m, np.zeros(3), I_C), v, a), f, 1e-8)
    close(I @ a, np.concatenate([I_C @ omega_dot, m * c_ddot - m * np.cross(omega, v_C)]))
    bias = np.concatenate([np.cross(omega, I_C @ omega) + m * np.cross(v_C, v_C), m * np.cross(omega, v_C)])
    close(bias_force(mcI(m, np.zeros(3), I_C), v), bias)
    close(I @ a + bias, np.concatenate([I_C @ omega_dot + np.cross(omega, I_C @ omega), m * c_ddot]))


@pytest.mark.source("RBDA-X2.6", "RBDA-2.70", "RBDA-2.71")
def test_newton_and_euler_follow_exactly_from_the_spatial_equation_of_motion():
    m, xx, yy, zz, xy, xz, yz = sympy.symbols("m I_xx I_yy I_zz I_xy I_xz I_yz")
    I_C = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    w, dw, v_C, c_ddot = (np.array(sympy.symbols(f"{name}_x:z")) for name in ("w", "dw", "v", "c"))
    a = np.concatenate([dw, c_ddot - np.cross(w, v_C)])
    f = equation_of_motion(mcI(m, [0, 0, 0], I_C), np.concatenate([w, v_C]), a)
    assert identical(f[3:], m * c_ddot)
    assert identical(f[:3], I_C @ dw + np.cross(w, I_C @ w))


@pytest.mark.source("RBDA-2.70")
def test_newtons_equation(at_centre):
    m, _, _, _, c_ddot, f = at_centre
    close(m * c_ddot, f[3:], 1e-8)


@pytest.mark.source("RBDA-2.71")
def test_eulers_equation(at_centre):
    _, I_C, v, omega_dot, _, f = at_centre
    close(I_C @ omega_dot + np.cross(v[:3], I_C @ v[:3]), f[:3], 1e-8)
    far(I_C @ omega_dot, f[:3])


# 2.15 Inverse inertia


@pytest.mark.source("RBDA-2.72")
def test_acceleration_from_force_for_a_free_body(moving):
    I, v, a, f = moving
    m, c = I[5, 5], np.array([I[2, 4], I[0, 5], I[1, 3]]) / I[5, 5]
    C = cross_matrix(c)
    Phi = inverse_inertia(m, c, I[:3, :3] - m * C @ C.T)
    close(Phi @ f - Phi @ bias_force(I, v), a, 1e-8)


class Gimbal:
    """A body on joints that stop some of its motions: a turn about a world axis, then about axes fixed in the body."""

    def __init__(self, rng, cluster, n):
        self.cluster, self.n = cluster, n
        self.axes = [axis / np.linalg.norm(axis) for axis in rng.normal(size=(n, 3))]
        self.pivots = rng.normal(size=(n, 3))
        self.q, self.qd, self.qdd = rng.normal(size=(3, n))

    def pose_at(self, q):
        pose = HERE
        for axis, pivot, angle in zip(self.axes, self.pivots, q, strict=True):
            R = turn(axis, angle)
            pose = compose(pose, (R, pivot - R @ pivot))
        return pose

    def pose(self, t):
        return self.pose_at(self.q + t * self.qd + t**2 / 2 * self.qdd)

    def S(self, t=0.0):
        """The motions that the joints allow, in world coordinates, from the poses alone."""
        q = self.q + t * self.qd + t**2 / 2 * self.qdd
        return np.column_stack([velocity(lambda x, e=e: self.pose_at(q + x * e)) for e in np.eye(self.n)])

    def generalized_forces(self):
        """The sum of m r'' · dr/dq over the particles (d'Alembert): what Sᵀ f must be for any applied force f."""
        masses, positions = self.cluster
        forces = masses[:, None] * second_derivative(lambda t: points_carried(positions, self.pose(t)))
        return np.array([np.sum(forces * derivative(
            lambda x, e=e: points_carried(positions, self.pose_at(self.q + x * e)))) for e in np.eye(self.n)])


@pytest.mark.source("RBDA-2.72", "RBDA-S2.15-2")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_acceleration_from_force_for_a_constrained_body(rng, cluster, n):
    body = Gimbal(rng, cluster, n)
    masses, positions = cluster
    I, v = cluster_inertia(masses, points_carried(positions, body.pose(0.0))), velocity(body.pose)
    S, S_dot_qd = body.S(), slope(body.S) @ body.qd
    Phi = S @ np.linalg.inv(S.T @ I @ S) @ S.T
    b = S_dot_qd - Phi @ (I @ S_dot_qd + bias_force(I, v))
    constraint_force = np.linalg.svd(S.T)[2][n:].T @ rng.normal(size=6 - n)
    f = np.linalg.lstsq(S.T, body.generalized_forces())[0] + constraint_force
    close(Phi @ f + b, acceleration(body.pose), 1e-7)
    assert np.linalg.matrix_rank(Phi, 1e-9) == n
    assert np.linalg.cond(Phi) > 1e12


@pytest.mark.source("RBDA-S2.15-1")
@pytest.mark.parametrize("n", range(7))
def test_inverse_inertia_of_a_body_with_n_freedoms(rng, cluster, n):
    """From rest a force gives the acceleration in range(S) nearest to that of the free body (Gauss)."""
    I, S, f = cluster_inertia(*cluster), rng.normal(size=(6, n)), rng.normal(size=6)
    Phi = S @ np.linalg.inv(S.T @ I @ S) @ S.T
    root = np.linalg.cholesky(I).T
    nearest = np.linalg.lstsq(root @ S, root @ np.linalg.solve(I, f))[0] if n else np.zeros(0)
    close(Phi @ f, S @ nearest, 1e-8)
    close(Phi, Phi.T)
    assert np.linalg.matrix_rank(Phi, 1e-9 * np.abs(Phi).max(initial=0)) == n
    assert np.linalg.matrix_rank(np.hstack([Phi, S]), 1e-9 * np.abs(Phi).max(initial=0)) == n
    if n == 6:
        close(Phi, inverse_inertia(*mass_properties(*cluster)), 1e-8)


@pytest.mark.source("RBDA-S2.15-1")
@pytest.mark.parametrize("n", range(7))
def test_inverse_inertia_in_another_frame(rng, cluster, n):
    (masses, positions), S = cluster, rng.normal(size=(6, n))
    (R, p) = frame = random_pose(rng)
    S_B = np.array([motion_coordinates(s, frame) for s in S.T]).reshape(n, 6).T
    I_A, I_B = cluster_inertia(masses, positions), cluster_inertia(masses, (positions - p) @ R)
    Phi_A, Phi_B = (S @ np.linalg.inv(S.T @ I @ S) @ S.T for S, I in ((S, I_A), (S_B, I_B)))
    X = plucker(*E_and_r(HERE, frame))
    close(X @ Phi_A @ X.T, Phi_B, 1e-8)


@pytest.mark.source("RBDA-2.73")
def test_inverse_inertia_at_the_centre_of_mass(cluster):
    masses, positions = cluster
    m, c, I_C = mass_properties(masses, positions)
    zero = np.zeros((3, 3))
    as_printed = np.block([[np.linalg.inv(I_C), zero], [zero, np.eye(3) / m]])
    close(as_printed @ cluster_inertia(masses, positions - c), np.eye(6))
    close(inverse_inertia(m, np.zeros(3), I_C), as_printed)


@pytest.mark.source("RBDA-2.74")
def test_inverse_inertia_at_a_general_origin(cluster):
    m, c, I_C = mass_properties(*cluster)
    J, C = np.linalg.inv(I_C), cross_matrix(c)
    as_printed = np.block([[J, J @ C.T], [C @ J, np.eye(3) / m + C @ J @ C.T]])
    close(as_printed @ cluster_inertia(*cluster), np.eye(6))
    close(inverse_inertia(m, c, I_C), as_printed)


@pytest.mark.source("RBDA-Q2.15-1")
def test_inverse_inertias_are_inverse_in_symbols():
    m, x, y, z, a, b, d, k = sympy.symbols("m x y z a b d k", positive=True)
    I_C = np.array([[a, k, 0], [k, b, 0], [0, 0, d]])
    for c in ([0, 0, 0], [x, y, z]):
        product = inverse_inertia(m, c, I_C) @ mcI(m, c, I_C)
        assert all(sympy.cancel(sympy.together(entry)) == 0 for entry in (product - np.eye(6, dtype=int)).flat)


@pytest.mark.source("RBDA-Q2.15-1")
def test_inverse_inertia_as_a_product_of_shifts(cluster):
    m, c, I_C = mass_properties(*cluster)
    one, zero, C = np.eye(3), np.zeros((3, 3)), cross_matrix(c)
    factors = (np.block([[one, zero], [C, one]]) @ inverse_inertia(m, np.zeros(3), I_C)
               @ np.block([[one, C.T], [zero, one]]))
    close(factors @ cluster_inertia(*cluster), np.eye(6))
    close(xlt(-c) @ inverse_inertia(m, np.zeros(3), I_C) @ xlt(-c).T, factors)


# 2.16 Planar vectors

SPATIAL_ROWS = np.ix_([2, 3, 4], [2, 3, 4])
OUT_OF_PLANE = np.ix_([0, 1, 5], [2, 3, 4])


@pytest.mark.source("RBDA-S2.16-1")
def test_planar_vectors_are_three_coordinates_of_spatial_ones(rng):
    v, f = rng.normal(size=(2, 3))
    v6, f6 = np.array([0, 0, v[0], v[1], v[2], 0]), np.array([0, 0, f[0], f[1], f[2], 0])
    assert (planar.from_spatial(v6) == v).all() and (planar.from_spatial(f6) == f).all()
    assert (planar.to_spatial(v) == v6).all() and (planar.to_spatial(f) == f6).all()
    P = complex(*rng.normal(size=2))
    close(field(v6, np.array([P.real, P.imag, 0])), [*pair(plane(v) + 1j * v[0] * P), 0])
    force_at_P = plane(f)
    about_P = planar_force_coordinates(f, 0, P)[0]
    power = (force_at_P.conjugate() * (plane(v) + 1j * v[0] * P)).real + about_P * v[0]
    close(v @ f, power)
    close(v6 @ f6, power)


@pytest.mark.source("RBDA-S2.16-2")
def test_planar_quantities_are_submatrices_of_spatial_ones(rng):
    v = rng.normal(size=3)
    v6, (theta, p) = planar.to_spatial(v), random_planar_frame(rng)
    X6 = plucker(turn(np.array([0, 0, 1]), theta).T, np.array([p.real, p.imag, 0]))
    columns = np.eye(3)
    pairs = [(np.column_stack([planar_rate(planar_motion_carried, v, e) for e in columns]), crm(v6)),
             (np.column_stack([planar_rate(planar_force_carried, v, e) for e in columns]), crf(v6)),
             (np.column_stack([planar_motion_coordinates(e, theta, p) for e in columns]), X6),
             (np.column_stack([planar_force_coordinates(e, theta, p) for e in columns]), force_transform(X6))]
    for three, six in pairs:
        close(six[SPATIAL_ROWS], three, 1e-10)
        close(planar.from_spatial(six), three, 1e-10)
        close(six[OUT_OF_PLANE], np.zeros((3, 3)))


@pytest.mark.source("RBDA-S2.16-2")
def test_rows_of_the_expanded_cross_operator():
    w_x, w_y, w_z, v_x, v_y, v_z = v = np.array(sympy.symbols("w_x:z v_x:z"))
    rows = [[0, -w_z, w_y, 0, 0, 0], [w_z, 0, -w_x, 0, 0, 0], [-w_y, w_x, 0, 0, 0, 0],
            [0, -v_z, v_y, 0, -w_z, w_y], [v_z, 0, -v_x, w_z, 0, -w_x], [-v_y, v_x, 0, -w_y, w_x, 0]]
    assert identical(crm(v), np.array(rows))


@pytest.mark.source("RBDA-S2.16-2")
def test_planar_inertia_is_a_submatrix_whatever_happens_out_of_the_plane(rng, cluster):
    masses, positions = cluster
    flat = positions * [1, 1, 0]
    in_plane = np.column_stack([lamina_momentum(masses, positions[:, 0] + 1j * positions[:, 1], e) for e in np.eye(3)])
    for points in (flat, positions):
        close(planar.from_spatial(mcI(*mass_properties(masses, points))), in_plane)
    close(mcI(*mass_properties(masses, flat))[OUT_OF_PLANE], np.zeros((3, 3)))
    far(mcI(*mass_properties(masses, positions))[OUT_OF_PLANE], np.zeros((3, 3)))


@pytest.mark.source("RBDA-2.75")
def test_planar_cross_operator(rng):
    omega, v_x, v_y = v = rng.normal(size=3)
    by_definition = np.column_stack([planar_rate(planar_motion_carried, v, e) for e in np.eye(3)])
    as_printed = np.array([[0, 0, 0], [v_y, 0, -omega], [-v_x, omega, 0]])
    close(as_printed, by_definition, 1e-10)
    close(planar.crm(v), as_printed)
    close(planar.crm(v), crm(planar.to_spatial(v))[SPATIAL_ROWS])


@pytest.mark.source("RBDA-2.76")
def test_planar_cross_product(rng):
    omega, v_x, v_y = v = rng.normal(size=3)
    turning, m_x, m_y = m = rng.normal(size=3)
    as_printed = np.array([0, v_y * turning - omega * m_y, omega * m_x - v_x * turning])
    close(as_printed, planar_rate(planar_motion_carried, v, m), 1e-10)
    close(planar.crm(v) @ m, as_printed)
    close(planar.to_spatial(as_printed), crm(planar.to_spatial(v)) @ planar.to_spatial(m))


@pytest.mark.source("RBDA-2.77")
def test_planar_coordinate_transform(rng):
    theta, p = random_planar_frame(rng)
    c, s, x, y = np.cos(theta), np.sin(theta), p.real, p.imag
    by_definition = np.column_stack([planar_motion_coordinates(e, theta, p) for e in np.eye(3)])
    as_product = np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) @ np.array([[1, 0, 0], [-y, 1, 0], [x, 0, 1]])
    as_printed = np.array([[1, 0, 0], [s * x - c * y, c, s], [c * x + s * y, -s, c]])
    close(as_product, by_definition)
    close(as_printed, by_definition)
    close(planar.Xpln([x, y], theta), by_definition)
    close(planar.Xpln(theta, [x, y]), by_definition)
    close((rotz(theta) @ xlt([x, y, 0]))[SPATIAL_ROWS], by_definition)


@pytest.mark.source("RBDA-S2.16-3")
def test_planar_force_operators_are_dual_to_the_motion_operators(rng):
    v = rng.normal(size=3)
    crossed = np.column_stack([planar_rate(planar_force_carried, v, e) for e in np.eye(3)])
    close(planar.crf(v), crossed, 1e-10)
    close(-planar.crm(v).T, crossed, 1e-10)


@pytest.mark.source("RBDA-S2.16-3")
def test_planar_force_transform_is_the_inverse_transpose(rng):
    theta, p = random_planar_frame(rng)
    X, (m, f) = planar.Xpln(pair(p), theta), rng.normal(size=(2, 3))
    X_star = np.column_stack([planar_force_coordinates(e, theta, p) for e in np.eye(3)])
    close(np.linalg.inv(X).T, X_star)
    close(planar.force_transform(X), X_star)
    close(planar.inverse_transform(X) @ X, np.eye(3))
    close((X @ m) @ (X_star @ f), m @ f)


@pytest.mark.source("RBDA-S2.16-3")
@pytest.mark.parametrize("formula", FORMULAS_2_3)
def test_table_2_3_holds_in_the_plane(formula, rng):
    frame = random_planar_frame(rng)
    X, X_star = (np.column_stack([coordinates(e, *frame) for e in np.eye(3)])
                 for coordinates in (planar_motion_coordinates, planar_force_coordinates))
    left, right = table_2_3(planar.crm, planar.crf, *rng.normal(size=(3, 3)), rng.normal(), X, X_star)[formula]
    far(left, 0 * left)
    close(left, right)


@pytest.mark.source("RBDA-2.78")
def test_planar_inertia(rng):
    masses, points = lamina(rng)
    m, (c_x, c_y), I_C = lamina_properties(masses, points)
    by_definition = np.column_stack([lamina_momentum(masses, points, e) for e in np.eye(3)])
    I_O = masses @ np.abs(points) ** 2
    as_printed = np.array([[I_C + m * (c_x**2 + c_y**2), -m * c_y, m * c_x], [-m * c_y, m, 0], [m * c_x, 0, m]])
    close(as_printed, by_definition)
    close(as_printed[0, 0], I_O)
    close(planar.mcI(m, [c_x, c_y], I_C), by_definition)
    spatial = mcI(m, [c_x, c_y, 0], np.diag([0.6 * I_C, 0.7 * I_C, I_C]))
    close(spatial[SPATIAL_ROWS], by_definition)


@pytest.mark.source("RBDA-2.78")
def test_planar_inertia_has_four_parameters(rng):
    assert dimension([planar.mcI(*lamina_properties(*lamina(rng))) for _ in range(20)]) == 4


# 2.17 Relation to Lie algebras


@pytest.mark.source("RBDA-S2.17-1")
def test_motion_cross_product_is_the_commutator_of_se3(rng):
    u, v = rng.normal(size=(2, 6))
    commutator = twist_matrix(u) @ twist_matrix(v) - twist_matrix(v) @ twist_matrix(u)
    close(twist_matrix(crm(u) @ v), commutator)


@pytest.mark.source("RBDA-S2.17-1")
def test_plucker_transforms_are_the_adjoints_of_displacements(rng):
    """T hat(v) T⁻¹ = hat(X⁻¹ v) for the pose T of the frame to which X leads"""
    (R, p), v = random_pose(rng), rng.normal(size=6)
    T = np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    close(T @ twist_matrix(v) @ np.linalg.inv(T), twist_matrix(inverse_transform(plucker(R.T, p)) @ v))


@pytest.mark.source("RBDA-S2.17-1")
def test_force_cross_product_is_the_coadjoint_action(rng):
    """(u ×* f) · v = −f · [u, v], with the commutator taken in se(3)"""
    u, v, f = rng.normal(size=(3, 6))
    bracket = twist_matrix(u) @ twist_matrix(v) - twist_matrix(v) @ twist_matrix(u)
    uv = np.array([bracket[2, 1], bracket[0, 2], bracket[1, 0], *bracket[:3, 3]])
    close((crf(u) @ f) @ v, -f @ uv)


def planar_twist_matrix(v):
    return np.array([[0, -v[0], v[1]], [v[0], 0, v[2]], [0, 0, 0]])


@pytest.mark.source("RBDA-S2.17-1")
def test_planar_vectors_belong_to_se2(rng):
    u, v = rng.normal(size=(2, 3))
    commutator = planar_twist_matrix(u) @ planar_twist_matrix(v) - planar_twist_matrix(v) @ planar_twist_matrix(u)
    close(planar_twist_matrix(planar.crm(u) @ v), commutator)
    theta, p = random_planar_frame(rng)
    c, s = np.cos(theta), np.sin(theta)
    T = np.array([[c, -s, p.real], [s, c, p.imag], [0, 0, 1]])
    X = planar.Xpln(pair(p), theta)
    close(T @ planar_twist_matrix(v) @ np.linalg.inv(T), planar_twist_matrix(planar.inverse_transform(X) @ v))
