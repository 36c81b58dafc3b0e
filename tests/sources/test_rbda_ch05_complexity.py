"""RBDA 5.1 and 5.2 row by row: operations counted, recurrence relations and the closed forms that they replaced."""

import functools
import itertools
from collections import Counter
from math import cos, factorial, sin

import numpy as np
import pytest

from rbdlib import Model, rnea
from rbdlib.analysis import counting
from rbdlib.analysis.counting import count_operations, joint_axes
from rbdlib.arithmetic import fv, mv, scrx, scrz
from rbdlib.book.ch02_spatial import X_to_Er, mcI
from rbdlib.book.ch04_joints import Cylindrical, Euler, FreeMotion, Planar, RackAndPinion, Revolute, Spherical
from rbdlib.book.ch06_factorisation import ltdl
from rbdlib.methods.geometry import dh_chain
from rbdlib.methods.inverse_dynamics_variants import original_newton_euler
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.numbers.linear import cross
from rbdlib.numbers.operations import Counted
from tests.sources.helpers import acceleration, close, derivative, far, random_mass_properties, random_tree, velocity
from tests.sources.joints import Mechanism


def cost(function, *arguments):
    """Multiplications and additions of one call."""
    operations, _ = count_operations(function, *arguments)
    return np.array([operations["m"], operations["a"]])


def cost_on_chain(algorithm, n, states=3):
    """The cost for an unbranched chain of n hinges about local z axes."""
    model = random_tree(np.random.default_rng(51), n, range(n)).model(joints=[Revolute("z")] * n)
    return cost(lambda *state: algorithm(model, *state), *np.random.default_rng(n).normal(size=(states, n)))


def differences(counts, order):
    """The finite differences of the given order: zero where the counts are a polynomial of a lower degree."""
    return np.diff(counts, n=order, axis=0)


# 5.1 Algorithm complexity

@pytest.mark.source("RBDA-S5.1-1")
def test_floating_point_operations_are_counted_and_nothing_else(rng):
    A, B, x = rng.normal(size=(3, 4)), rng.normal(size=(4, 5)), rng.normal(size=4)
    operations, (product, places) = count_operations(lambda A, B: (A @ B, np.arange(3)), A, B)
    assert operations == {"m": 3 * 4 * 5, "a": 3 * 3 * 5}
    assert (product.dtype, places.dtype) == (float, int)
    close(product, A @ B)

    def some_of_each(x):
        places = [k for k in range(len(x)) if 2 * k + 1 < 6]
        return (x[places[0]] - 2) / x[1] + 1 / x[2] - x[1].sin() * x[0].cos() + (-x[3] * x[3] * -1).sqrt()

    operations, result = count_operations(some_of_each, x)
    assert operations == {"a": 4, "d": 2, "m": 3, "sin": 1, "cos": 1, "sqrt": 1}
    close(result, (x[0] - 2) / x[1] + 1 / x[2] - sin(x[1]) * cos(x[0]) + abs(x[3]))
    noted = Counter()
    assert Counted(2.0, noted) == 2.0
    assert noted == {}


def invert(A):
    """Gauss-Jordan elimination in place, without exchanging rows."""
    A, n = A.copy(), len(A)
    for k in range(n):
        pivot = 1 / A[k, k]
        for i in range(n):
            if i != k:
                factor = A[i, k] * pivot
                for j in range(n):
                    if j != k:
                        A[i, j] = A[i, j] - factor * A[k, j]
                A[i, k] = -factor
        for j in range(n):
            A[k, j] = pivot if j == k else A[k, j] * pivot
    return A


@pytest.mark.source("RBDA-S5.1-3")
def test_complexity_depends_on_what_is_called_the_size(rng):
    """Inverting takes n³ - n multiplications: a slope of 3 against the dimension n, 1.5 against the n² elements."""
    sizes, counts = np.array([2, 8, 16, 24]), []
    for n in sizes:
        A = rng.normal(size=(n, n)) + n * np.eye(n)
        operations, inverse = count_operations(invert, A)
        close(inverse @ A, np.eye(n), 1e-11)
        counts.append(operations["m"])
    assert counts == list(sizes**3 - sizes)
    for size, slope in ((sizes, 3), (sizes**2, 1.5)):
        assert abs(np.diff(np.log(counts[-2:])) / np.diff(np.log(size[-2:])) - slope) < 0.02


@pytest.mark.source("RBDA-S5.1-2", "RBDA-S5.0-2")
@pytest.mark.parametrize(("power", "count"), [
    (1, lambda n: cost_on_chain(rnea, n)), (1, lambda n: cost_on_chain(original_newton_euler, n)),
    (2, lambda n: cost_on_chain(inertia_matrix, n, states=1)), (3, lambda n: cost(ltdl, np.eye(n) + 1)),
    pytest.param(4, lambda n: cost_on_chain(counting.closed_form_inverse_dynamics, n), marks=pytest.mark.slow),
], ids=["recursive Newton-Euler", "the original version", "inertia matrix by columns", "factorization", "Eq. 5.6"])
def test_costs_grow_as_powers_of_n(power, count):
    """The count is a polynomial of exactly this degree, and so lies between two multiples of n to that power."""
    sizes = np.arange(2, power + 5)
    counts = np.array([count(int(n)) for n in sizes])
    assert not differences(counts, power + 1).any()
    leading = differences(counts, power)[0] / factorial(power)
    assert (leading > 0).all()
    polynomial = np.polynomial.polynomial.polyfit(sizes, counts, power)
    for n, difference in ((1e3, 0.1), (1e5, 1e-3)):
        ratio = np.polynomial.polynomial.polyval(n, polynomial) / n**power
        assert (np.abs(ratio / leading - 1) < difference).all()


@pytest.mark.source("RBDA-5.1")
def test_bodies_and_freedoms_are_equivalent_measures_of_size(rng):
    """N_B <= n <= 6 N_B, so that the cost of RNEA is proportional to either, within a factor that has a bound."""
    kinds, costs = [Revolute("x"), Cylindrical("z"), Planar(), Spherical(), Euler("zyx"), FreeMotion()], []
    for N_B in (3, 6, 12):
        for joints in ([kinds[k] for k in rng.integers(0, len(kinds), N_B)], [Revolute("z")] * N_B,
                       [FreeMotion()] * N_B):
            model = Mechanism(rng, joints).model()
            n = sum(np.linalg.matrix_rank(joint.motion_subspace(joint.random_position(rng))) for joint in joints)
            assert N_B <= n <= 6 * N_B
            assert all(N_B**p <= n**p <= 6**p * N_B**p for p in (1, 2, 3, 4))
            q, qd = model.random_state(rng)
            costs.append(cost(lambda *state, model=model: rnea(model, *state), q, qd, qd).sum() / np.array([n, N_B]))
    assert (np.max(costs, axis=0) < 12 * np.min(costs, axis=0)).all()


# 5.2 Recurrence relations

@pytest.mark.source("RBDA-S5.2-1")
def test_recurrences_define_fibonacci_numbers():
    fibonacci, golden = [0, 1], (1 + 5**0.5) / 2
    while len(fibonacci) < 30:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert fibonacci[:8] == [0, 1, 1, 2, 3, 5, 8, 13]
    assert fibonacci == [round((golden**i - (1 - golden) ** i) / 5**0.5) for i in range(30)]


@pytest.mark.source("RBDA-5.2", "RBDA-5.3", "RBDA-5.4", "RBDA-5.5", "RBDA-S5.2-1")
def test_velocities_and_accelerations_by_recurrence_and_in_closed_form(rng):
    """Both are those of the bodies, found by differentiating their poses."""
    tree, (q, qd, qdd) = random_tree(rng, 6, range(6)), rng.normal(size=(3, 6))
    s = [None]                                                  # in world coordinates, by geometry
    for (R, p), kind, axis in zip(tree.world_poses(q)[1:], tree.kinds, tree.axes, strict=True):
        u = R @ axis
        s.append(np.array([*u, *np.cross(p, u)] if kind == "revolute" else [0, 0, 0, *u]))
    velocities = counting.velocities_by_recurrence(s, qd), counting.velocities_in_closed_form(s, qd)
    by_recurrence = counting.accelerations_by_recurrence(s, qd, qdd)
    accelerations = by_recurrence, counting.accelerations_in_closed_form(s, qd, qdd)
    for i in range(1, 7):
        def pose(t, i=i):
            return tree.world_poses(q + t * qd + t * t / 2 * qdd)[i]

        close(joint_axes(tree.model(), q)[i], s[i])
        for v, a in zip(velocities, accelerations, strict=True):
            close(v[i], velocity(pose))
            close(a[i], acceleration(pose), 1e-9)
    assert all(np.array_equal(base, np.zeros(6)) for base, *_ in (*velocities, *accelerations))
    far(counting.accelerations_by_recurrence(s, 0 * qd, qdd)[6], by_recurrence[6])


class Noted:
    """A sum of products s_j qd_j that notes which products and sums are formed."""
    __array_ufunc__ = None

    def __init__(self, terms, notes):
        self.terms, self.notes = terms, notes

    def __mul__(self, number):
        self.notes["product", *self.terms] += 1
        return Noted(self.terms, self.notes)

    def __add__(self, other):
        terms = self.terms + (other.terms if isinstance(other, Noted) else ())
        self.notes["sum", *terms] += 1
        return Noted(terms, self.notes)

    __radd__ = __add__


@pytest.mark.source("RBDA-S5.2-2")
def test_cost_of_velocities_and_what_the_closed_form_repeats(rng):
    """m and a: six multiplications, and six additions. One step costs m + a, v_i by Eq. 5.3 i m + (i - 1) a."""
    m, a = np.array([6, 0]), np.array([0, 6])
    for n in range(1, 11):
        s, qd = [None, *rng.normal(size=(n, 6))], rng.normal(size=n)
        assert (cost(counting.velocities_by_recurrence, s, qd) == n * (m + a)).all()
        closed = sum(i * m + (i - 1) * a for i in range(1, n + 1))
        assert (cost(counting.velocities_in_closed_form, s, qd) == closed).all()
        assert (closed == (n * (n + 1) * m + n * (n - 1) * a) // 2).all()
        repeated, once = Counter(), Counter()
        counting.velocities_in_closed_form([None, *(Noted((j,), repeated) for j in range(1, n + 1))], qd)
        counting.velocities_by_recurrence([None, *(Noted((j,), once) for j in range(1, n + 1))], qd)
        assert [repeated["product", j] for j in range(1, n + 1)] == list(range(n, 0, -1))
        assert repeated["sum", 1, 2] == n - 1
        assert [once["product", j] for j in range(1, n + 1)] == [1] * n


@pytest.mark.source("RBDA-S5.2-3")
def test_cost_of_accelerations(rng):
    """Beside 6 multiplications for s qdd and for s qd, each cross product takes as many as its 6 x 6 matrix does. Eq.
    5.4 takes n products, Eq. 5.5 (n³ - n) / 6: 10, 84, 680, 5456 for 4, 8, 16, 32 bodies."""
    assert [(n**3 - n) // 6 for n in (4, 8, 16, 32)] == [10, 84, 680, 5456]
    for n in (4, 8):
        s, state = [None, *rng.normal(size=(n, 6))], rng.normal(size=(2, n))
        assert cost(counting.accelerations_by_recurrence, s, *state)[0] == n * (6 + 6 + 36)
        expected = 6 * n * (n + 1) // 2 + (6 + 6 + 36) * (n**3 - n) // 6
        assert cost(counting.accelerations_in_closed_form, s, *state)[0] == expected


# 5.2 The equation of motion in closed form

@pytest.mark.source("RBDA-5.6")
def test_closed_form_equation_of_motion(rng):
    """H, the Christoffel symbols and the slope of the potential energy, from geometry, are its coefficients. With the
    qdd_i that the scanned text has in the first sum, the equation fails."""
    tree = random_tree(rng, 7)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 7))
    H, C, g = counting.closed_form_coefficients(model, q)
    masses = np.array([m for m, _, _ in tree.bodies])
    close(H, tree.mass_matrix(q), 1e-11)
    close(g, [-derivative(lambda t, e=e: masses @ tree.centres(q + t * e) @ tree.gravity) for e in np.eye(7)], 1e-11)
    dH = np.array([derivative(lambda t, e=e: tree.mass_matrix(q + t * e)) for e in np.eye(7)])
    close(C + C.transpose(0, 2, 1), dH.transpose(1, 2, 0) + dH.transpose(1, 0, 2) - dH, 1e-11)

    lagrange = tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd)
    close(H @ qdd + C @ qd @ qd + g, lagrange, 1e-11)
    far(H.sum(axis=1) * qdd + C @ qd @ qd + g, lagrange)
    close(counting.closed_form_inverse_dynamics(model, q, qd, qdd), lagrange, 1e-11)
    close(rnea(model, q, qd, qdd), lagrange, 1e-11)


@pytest.mark.parametrize("joint", [Cylindrical("z"), RackAndPinion(0.3), FreeMotion()], ids=str)
def test_closed_forms_refuse_joints_without_one_steady_axis(joint):
    model = Model([0], [joint], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    with pytest.raises(ValueError, match="^Joint 1 is a .* joint; the closed forms .* are for joints that have one"):
        joint_axes(model, joint.neutral())


# What good implementations cost: a chain of hinges with Denavit-Hartenberg parameters, turned and shifted axis by axis

class DHChain:
    """n hinges with modified Denavit-Hartenberg parameters a, alpha, d, and the bodies' inertias, in motion."""
    def __init__(self, rng, n):
        self.a, self.alpha, self.d, *self.state = rng.normal(size=(6, n))
        self.bodies, self.gravity, self.n = [random_mass_properties(rng) for _ in range(n)], rng.normal(size=3), n
        chain = dh_chain(zip(self.a, self.alpha, self.d, np.zeros(n), strict=True))
        model = Model(*chain[:3], [mcI(*body) for body in self.bodies], self.gravity)
        self.r = [X_to_Er(X)[1] for X in chain.X_tree]
        self.tau = rnea(model, *self.state)

    def links(self, q):
        """The transforms from each body to the next: a screw about x and then one about z."""
        return [scrz(theta, d) @ scrx(alpha, a)
                for theta, d, alpha, a in zip(q, self.d, self.alpha, self.a, strict=True)]

    def cost(self, version):
        """The multiplications and additions that a version of inverse dynamics takes; its result is checked."""
        operations, tau = count_operations(lambda *state: version(self, *state), *self.state)
        close(tau, self.tau, 1e-10)
        return operations["m"] + operations["a"]


def spatial_version(dh, q, qd, qdd):
    """Table 5.1 with each transform as two screws and each inertia as m, h and the inertia about the origin."""
    v, a, X, f = mv(np.zeros(3), np.zeros(3)), mv(np.zeros(3), -dh.gravity), dh.links(q), []
    for X_i, rate, change, (m, c, I_C) in zip(X, qd, qdd, dh.bodies, strict=True):
        h, I = m * c, mcI(m, c, I_C)[:3, :3]
        v, a = X_i.apply(v), X_i.apply(a)
        v.w[2] += rate
        a.w[:] += [v.w[1] * rate, -v.w[0] * rate, change]
        a.v[:2] += [v.v[1] * rate, -v.v[0] * rate]
        lift = a.v + cross(v.w, v.v)
        f.append(fv(I @ a.w + cross(v.w, I @ v.w) + cross(h, lift),
                    m * lift + cross(a.w, h) + cross(v.w, cross(v.w, h))))
    for i in reversed(range(1, dh.n)):
        f[i - 1] = f[i - 1] + X[i].inv_apply(f[i])
    return np.array([f_i.n[2] for f_i in f])


def original_version(dh, q, qd, qdd, linear_velocity=False):
    """Table 5.2 with each rotation as two turns about axes."""
    w, v, wd, vd, f, n, X = np.zeros(3), np.zeros(3), np.zeros(3), -dh.gravity, [], [], dh.links(q)
    for X_i, r, rate, change, (m, c, I_C) in zip(X, dh.r, qd, qdd, dh.bodies, strict=True):
        vd = turned(X_i, vd + cross(wd, r) + cross(w, cross(w, r)))
        if linear_velocity:
            v = turned(X_i, v + cross(w, r))
        w, wd = turned(X_i, w), turned(X_i, wd)
        wd += [w[1] * rate, -w[0] * rate, change]
        w[2] += rate
        f.append(m * (vd + cross(wd, c) + cross(w, cross(w, c))))
        n.append(I_C @ wd + cross(w, I_C @ w) + cross(c, f[-1]))
    for i in reversed(range(1, dh.n)):
        force, moment = turned(X[i].inv(), f[i]), turned(X[i].inv(), n[i])
        f[i - 1], n[i - 1] = f[i - 1] + force, n[i - 1] + moment + cross(dh.r[i], force)
    return np.array([n_i[2] for n_i in n])


def turned(X, x):
    """The 3-vector x in the coordinates to which a chain of two screws leads."""
    last, first = X.factors
    return last.turned(first.turned(x))


@pytest.mark.source("RBDA-S5.4-3")
def test_the_original_version_is_cheaper_by_a_few_percent(rng):
    """Both written with the same care; it is the linear velocity left out that makes the difference."""
    dh = DHChain(rng, 6)
    original = dh.cost(original_version)
    assert original < dh.cost(spatial_version) < 1.1 * original
    assert dh.cost(functools.partial(original_version, linear_velocity=True)) > dh.cost(spatial_version)


def uicker_kahn(dh, q, qd, qdd):
    """tau by Lagrange's equations with 4 x 4 matrices, term by term: traces of derivatives of the bodies' poses.
    A: pose of each body in its predecessor. J: pseudo-inertias, sums of m x xᵀ with x = (x, y, z, 1)."""
    c, s, c_x, s_x = np.cos(q), np.sin(q), np.cos(dh.alpha), np.sin(dh.alpha)
    A = [np.array([[c[i], -s[i], 0, dh.r[i][0]], [s[i] * c_x[i], c[i] * c_x[i], -s_x[i], dh.r[i][1]],
                   [s[i] * s_x[i], c[i] * s_x[i], c_x[i], dh.r[i][2]], [0, 0, 0, 1]]) for i in range(dh.n)]
    J = [m * np.outer([*centre, 1], [*centre, 1]) + np.pad(np.trace(I_C) / 2 * np.eye(3) - I_C, (0, 1))
         for m, centre, I_C in dh.bodies]
    quarter = np.pad([[0, -1], [1, 0]], (0, 2))                 # what differentiates a turn about z
    slopes = [[A_k, A_k @ quarter, A_k @ quarter @ quarter] for A_k in A]

    @functools.cache
    def pose(j, *joints):
        """The pose of body j in the base, differentiated by the variables of the given joints."""
        return functools.reduce(np.matmul, [slopes[k][joints.count(k)] for k in range(j + 1)])

    tau = np.zeros(dh.n, dtype=object)
    for i, j in itertools.combinations_with_replacement(range(dh.n), 2):
        tau[i] += sum(np.trace(pose(j, i) @ J[j] @ pose(j, k).T) * qdd[k] for k in range(j + 1))
        tau[i] += sum(np.trace(pose(j, i) @ J[j] @ pose(j, k, l).T) * qd[k] * qd[l]
                      for k in range(j + 1) for l in range(j + 1))
        tau[i] -= np.array([*dh.gravity, 0]) @ (pose(j, i) @ J[j][:, 3])
    return tau


@pytest.mark.slow
@pytest.mark.source("RBDA-S5.2-4")
def test_the_first_recursive_algorithm_was_a_hundred_times_faster(rng):
    """For six joints the products of 4 x 4 matrices of Uicker and Kahn take some hundred times as many operations.
    Their number is a polynomial of degree four in n, that of the recursive algorithm one of degree one."""
    chains = [DHChain(rng, n) for n in range(2, 8)]
    slow, fast = ([dh.cost(version) for dh in chains] for version in (uicker_kahn, original_version))
    assert not differences(slow, 5).any()
    assert differences(slow, 4).any()
    assert not differences(fast, 2).any()
    assert 50 < slow[4] / fast[4] < 200
