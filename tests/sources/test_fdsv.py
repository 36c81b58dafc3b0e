"""The rows of Forward Dynamics with Spatial Vectors, in the order of the text. The text's own layout (forces as [f;
n_O], transforms from child to parent, joints numbered from 0, world -1) is written out here from its printed blocks. It
is compared with rbdlib, with `rbdlib.conventions`, and with the geometry and the Lagrangian of `tests.sources.helpers`,
which know nothing of spatial vectors."""

import inspect
import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp

from rbdlib import Model, bias_force, conventions, forward_dynamics, load, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics, ch05_inverse_dynamics as ch05
from rbdlib.book.ch04_joints import FreeMotion, Prismatic, Revolute, jcalc
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_factorisation import solve
from rbdlib.methods.joint_space import by_inverse_dynamics, inertia_matrix
from rbdlib.motion.simulate import simulate
from tests.sources import helpers
from tests.sources.helpers import cross_matrix, derivative, motion_coordinates, random_pose, random_unit, turn, velocity

SEED = 11
ONE, NIL = np.eye(3), np.zeros((3, 3))
P = np.block([[NIL, ONE], [ONE, NIL]])
LAMP = load("lamp")
LENGTHS = [LAMP.parameters[name] for name in ("h_base", "l_arm", "l_head")]
#: Mass and moment of inertia about the centre of mass of the lamp's base, arm and head, a block and two rods.
LAMP_BODIES = [(m, m * (width**2 + length**2) / 12) for m, width, length in zip(
    (LAMP.parameters[name] for name in ("m_base", "m_arm", "m_head")), (LAMP.parameters["w_base"], 0, 0), LENGTHS,
    strict=True)]


# The text's formulas, from its printed blocks

def X_printed(R, t):
    """Eq. 38: [[R, 0], [t* R, R]]."""
    return np.block([[R, NIL], [cross_matrix(t) @ R, R]])


def cross_printed(a, b):
    """Eq. 40: [a; a_o] × [b; b_o] = [a × b; a × b_o + a_o × b]."""
    return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])


def inertia_printed(m, c, I_C):
    """Eq. 39: [[M c*ᵀ, M], [I* + c* M c*ᵀ, c* M]]."""
    M, C = m * ONE, cross_matrix(c)
    return np.block([[M @ C.T, M], [I_C + C @ M @ C.T, C @ M]])


def inverse_dynamics_printed(tree, q, qd, qdd, fx=None):
    """Eqs 13-16 for a chain of links 0..n-1 with the world as link -1; fx: forces [f; moment] in the world."""
    n = len(q)
    fx = np.zeros((n, 6)) if fx is None else fx
    s, X_down = [], []
    for kind, axis, (R, t), x in zip(tree.kinds, tree.axes, tree.poses, q, strict=True):
        revolute = kind == "revolute"
        s.append(np.concatenate([axis, 0 * axis] if revolute else [0 * axis, axis]))
        X_down.append(X_printed(R @ turn(axis, x), t) if revolute else X_printed(R, t + R @ axis * x))
    X_up = [np.linalg.inv(X) for X in X_down]
    I = [inertia_printed(*body) for body in tree.bodies]
    v, a, X_world = {-1: np.zeros(6)}, {-1: np.concatenate([np.zeros(3), -tree.gravity])}, {-1: np.eye(6)}
    f, Q = {n: np.zeros(6)}, np.zeros(n)
    for i in range(n):
        v[i] = X_up[i] @ v[i - 1] + s[i] * qd[i]
        a[i] = X_up[i] @ a[i - 1] + cross_printed(v[i], s[i] * qd[i]) + s[i] * qdd[i]
        X_world[i] = X_up[i] @ X_world[i - 1]
    for i in reversed(range(n)):
        outboard = X_down[i + 1] @ f[i + 1] if i + 1 < n else f[n]
        f[i] = outboard + I[i] @ a[i] + cross_printed(v[i], I[i] @ v[i]) - X_world[i] @ fx[i]
        Q[i] = np.concatenate([s[i][3:], s[i][:3]]) @ f[i]                                              # s^S f (41)
    f[-1] = X_down[0] @ f[0]
    return SimpleNamespace(s=s, X_down=X_down, X_up=X_up, X_world=X_world, I=I, v=v, a=a, f=f, Q=Q)


# Random chains that move, and the forces on them by geometry

def random_chain(rng, n):
    return helpers.random_tree(rng, n, range(n))


def as_f_ext(fx):
    """The array f_ext of rbdlib for the text's external forces on links 0..n-1."""
    return np.vstack([np.zeros(6), fx @ P])


def path(q, qd, qdd):
    return lambda t: q + t * qd + t * t / 2 * qdd


def rate(function, h=1e-3):
    """The derivative at t = 0 of a real function, to about 1e-10."""
    return (function(-2 * h) - 8 * function(-h) + 8 * function(h) - function(2 * h)) / (12 * h)


def world_velocity(tree, at, i, t):
    """[omega; v_O] in world coordinates of link i - 1, body i, of a tree that moves along the path ``at``."""
    return velocity(lambda t: tree.world_poses(at(t))[i], t)


def world_momentum(tree, at, i, t):
    """[moment about the world's origin; linear momentum] of body i, as sums over its mass."""
    (R, p), (m, c, I_C), v = tree.world_poses(at(t))[i], tree.bodies[i - 1], world_velocity(tree, at, i, t)
    c = p + R @ c
    linear = m * (v[3:] + np.cross(v[:3], c))
    return np.concatenate([np.cross(c, linear) + R @ I_C @ R.T @ v[:3], linear])


def world_weight(tree, q, i):
    """The weight of body i, a line force through its centre of mass, in world coordinates."""
    force = tree.bodies[i - 1][0] * tree.gravity
    return np.concatenate([np.cross(tree.centres(q)[i - 1], force), force])


# Section 1: the equation of motion

@pytest.mark.source("FDSV-1", "FDSV-6", "FDSV-7", "FDSV-8", "FDSV-9", "FDSV-10", "FDSV-11", "FDSV-12", "FDSV-S1.1-1")
def test_generalized_forces_are_inertia_times_acceleration_plus_bias(rng):
    """Q = H qdd + C, with H and C from the Lagrangian, and the library's; forward dynamics solves it for qdd. Whatever
    velocities, gravity and external forces act, they drop out of the differences, which are linear in qdd."""
    n = 5
    tree = random_chain(rng, n)
    model, given, Q, x = tree.model(), rng.normal(size=(3, n)), rng.normal(size=n), rng.normal(size=n)
    q, qd, qdd = kept = given.copy()
    H, C = tree.mass_matrix(q), tree.lagrangian_bias(q, qd)
    assert_allclose(rnea(model, *given), H @ qdd + C, rtol=1e-10, atol=1e-10)
    assert_array_equal(given, kept)
    assert_allclose(rnea(model, q, qd, np.zeros(n)), C, rtol=1e-10, atol=1e-10)
    assert_allclose(bias_force(model, q, qd), C, rtol=1e-10, atol=1e-10)
    assert_allclose(inertia_matrix(model, q), H, rtol=1e-10, atol=1e-10)
    L = np.linalg.cholesky(H)
    by_cholesky = np.linalg.solve(L.T, np.linalg.solve(L, Q - C))
    assert_allclose(forward_dynamics(model, q, qd, Q), by_cholesky, rtol=1e-9, atol=1e-9)
    assert_allclose(solve(H, Q - C), by_cholesky, rtol=1e-9, atol=1e-9)
    assert_allclose(rnea(model, q, qd, forward_dynamics(model, q, qd, Q)), Q, rtol=1e-9, atol=1e-9)
    assert_allclose(forward_dynamics(model, q, qd, rnea(model, q, qd, qdd)), qdd, rtol=1e-9, atol=1e-9)
    assert list(inspect.signature(rnea).parameters)[:4] == ["model", "q", "qd", "qdd"]                  # (7)
    for order in itertools.permutations(kept):
        assert np.allclose(rnea(model, *order), H @ qdd + C) == all(map(np.array_equal, order, kept))

    f_ext = as_f_ext(rng.normal(size=(n, 6)))                                                           # (8), (10)

    def linear_part(qdd):
        return rnea(model, q, qd, qdd, f_ext) - rnea(model, q, qd, np.zeros(n), f_ext)

    assert_allclose(linear_part(2 * x - 3 * qdd), 2 * linear_part(x) - 3 * linear_part(qdd), atol=1e-10)
    assert_allclose(linear_part(x), H @ x, rtol=1e-10, atol=1e-10)
    assert_allclose(np.column_stack([linear_part(delta_i) for delta_i in np.eye(n)]), H, rtol=1e-10, atol=1e-10)  # (11)
    assert_allclose(inertia_matrix(model, q, qd, f_ext), H, rtol=1e-10, atol=1e-10)
    assert_allclose(inertia_matrix(model.replace(gravity=(0, 0, 0)), q), H, rtol=1e-10, atol=1e-10)


@pytest.mark.source("FDSV-2", "FDSV-3")
def test_newton_euler_equations_are_the_rates_of_momentum_and_the_spatial_equation_of_motion(rng):
    """f = m x'' - m g = (m v)' - m g and tau = I omega' + omega × I omega = (I omega)', I being R I_C Rᵀ."""
    m, _, I_C = helpers.random_mass_properties(rng)
    pose, g = helpers.smooth_motion(rng), rng.normal(size=3)
    I, w, wd = pose(0)[0] @ I_C @ pose(0)[0].T, velocity(pose)[:3], rate(lambda t: velocity(pose, t)[:3])
    xd, xdd = derivative(lambda t: pose(t)[1]), helpers.second_derivative(lambda t: pose(t)[1])
    f, tau = m * xdd - m * g, I @ wd + np.cross(w, I @ w)
    v, a = np.concatenate([w, xd]), np.concatenate([wd, xdd - np.cross(w, xd) - g])
    spatial_force = spatial.equation_of_motion(spatial.mcI(m, np.zeros(3), I), v, a)
    assert_allclose(conventions.force_to_fdsv(spatial_force), np.concatenate([f, tau]), rtol=1e-12, atol=1e-12)

    # Q = [f; tau], H = diag(M, I), C = [-m g; omega × I omega] of a body with the world's axes at this moment  (3)
    body = Model([0], [FreeMotion()], [np.eye(6)], [spatial.mcI(m, NIL[0], I)], gravity=g)
    Q = rnea(body, body.neutral(), [*w, 0, 0, 0], np.concatenate([wd, xdd]))
    assert_allclose(conventions.force_to_fdsv(Q), np.concatenate([f, tau]), rtol=1e-12, atol=1e-12)
    assert_allclose(P @ inertia_matrix(body, body.neutral()) @ P, np.block([[m * ONE, NIL], [NIL, I]]), atol=1e-12)
    C = P @ bias_force(body, body.neutral(), [*w, 0, 0, 0])
    assert_allclose(C, np.concatenate([-m * g, np.cross(w, I @ w)]), rtol=1e-12, atol=1e-12)
    assert_allclose(f + m * g, rate(lambda t: m * derivative(lambda s: pose(s)[1], t)), rtol=1e-7, atol=1e-7)
    spin = rate(lambda t: pose(t)[0] @ I_C @ pose(t)[0].T @ velocity(pose, t)[:3])
    assert_allclose(tau, spin, rtol=1e-7, atol=1e-7)


def lamp_points(q, lib=np):
    """The lamp's three links in the plane, by trigonometry: (feet, centres, tips, angles), each a list of three."""
    angle, foot, feet, centres, tips, angles = 0, (q[0], q[1]), [], [], [], []
    for length, turn_by in zip(LENGTHS, q[2:], strict=True):
        angle = angle + turn_by
        along = (-lib.sin(angle), lib.cos(angle))
        feet.append(foot)
        centres.append(tuple(x + length / 2 * u for x, u in zip(foot, along, strict=True)))
        foot = tuple(x + length * u for x, u in zip(foot, along, strict=True))
        tips.append(foot)
        angles.append(angle)
    return feet, centres, tips, angles


def lamp_energy(at, t):
    """Kinetic plus potential energy of the lamp along a path: sums over its three links."""
    total = 0.0
    for k, (m, I) in enumerate(LAMP_BODIES):
        centre_rate = derivative(lambda s, k=k: np.array(lamp_points(at(s))[1][k]), t)
        spin = derivative(lambda s, k=k: np.array(lamp_points(at(s))[3][k]), t)
        weight = m * LAMP.parameters["g"]
        total += m * centre_rate @ centre_rate / 2 + I * spin**2 / 2 + weight * lamp_points(at(t))[1][k][1]
    return total


@pytest.mark.source("FDSV-4", "FDSV-F1", "FDSV-5", "FDSV-Q2")
def test_lamp_has_two_weightless_sliders_and_three_hinges_moves_its_links_by_trigonometry_and_keeps_its_energy(rng):
    """q is the base's place and angle, then the two joint angles. Q · qd = d/dt (kinetic + potential energy), and each
    Q_i alone is the work done on q_i."""
    q = rng.uniform(-3, 3, 5)
    assert LAMP.joints[1:] == (Prismatic("x"), Prismatic("y"), Revolute("z"), Revolute("z"), Revolute("z"))
    assert LAMP.parent == (None, 0, 1, 2, 3, 4)
    assert not LAMP.inertia[1].any() and not LAMP.inertia[2].any()
    assert all(LAMP.inertia[i][5, 5] > 0 for i in (3, 4, 5))
    feet, _, tips, angles = lamp_points(q)
    frames = kinematics.body_transforms(LAMP, q)[3:]
    for X, foot, tip, length, angle in zip(frames, feet, tips, LENGTHS, angles, strict=True):
        E, r = spatial.X_to_Er(X)
        assert_allclose(r, [*foot, 0], atol=1e-12)
        assert_allclose(E, turn(np.array([0, 0, 1.0]), angle).T, atol=1e-12)
        assert_allclose(r + E.T @ [0, length, 0], [*tip, 0], atol=1e-12)
    q, qd, qdd = rng.normal(size=(3, 5))
    for some in (np.ones(5), *np.eye(5)):
        power = rate(lambda t, some=some: lamp_energy(path(q, some * qd, some * qdd), t))
        assert rnea(LAMP, q, some * qd, some * qdd) @ (some * qd) == pytest.approx(power, rel=1e-8, abs=1e-8)

    start = np.random.default_rng(23).normal(size=10)
    end = solve_ivp(lambda t, state: [*state[5:], *by_inverse_dynamics(LAMP, state[:5], state[5:], np.zeros(5))],
                    (0, 0.2), start, rtol=1e-8, atol=1e-8).y[:, -1]
    energies = [lamp_energy(path(state[:5], state[5:], np.zeros(5)), 0) for state in (start, end)]
    assert energies[1] == pytest.approx(energies[0], abs=1e-6)
    assert np.abs(end - start).max() > 0.5


@pytest.mark.slow
@pytest.mark.source("FDSV-X1")
def test_lamp_inertia_and_bias_equal_a_planar_lagrangian_derivation(rng):
    """H and C are derived by SymPy from the planar energy."""
    q, qd = sp.symbols("q:5", real=True), sp.symbols("u:5", real=True)
    _, centres, _, angles = lamp_points(q, sp)
    T, V = 0, 0
    for (m, I), centre, angle in zip(LAMP_BODIES, centres, angles, strict=True):
        rates = [sum(sp.diff(x, a) * b for a, b in zip(q, qd, strict=True)) for x in (*centre, angle)]
        T += m * (rates[0] ** 2 + rates[1] ** 2) / 2 + I * rates[2] ** 2 / 2
        V += m * LAMP.parameters["g"] * centre[1]
    momentum = sp.Matrix([T]).jacobian(qd).T
    C = momentum.jacobian(q) * sp.Matrix(qd) - sp.Matrix([T - V]).jacobian(q).T
    derived = sp.lambdify([q, qd], [momentum.jacobian(qd), C[:]])
    q, qd, qdd = rng.normal(size=(3, 5))
    H, C = (np.array(part, float) for part in derived(q, qd))
    assert_allclose(inertia_matrix(LAMP, q), H, rtol=1e-10, atol=1e-12)
    assert_allclose(bias_force(LAMP, q, qd), C, rtol=1e-10, atol=1e-12)
    assert_allclose(rnea(LAMP, q, qd, qdd), H @ qdd + C, rtol=1e-10, atol=1e-12)
    assert_allclose(H[:2, :2], sum(m for m, _ in LAMP_BODIES) * np.eye(2), atol=1e-12)


@pytest.mark.source("FDSV-S1.1-2", "FDSV-A1", "FDSV-A2")
def test_forward_dynamics_by_n_plus_1_inverse_dynamics_calls_of_which_each_is_cheaper(monkeypatch):
    """And the cost of inverse dynamics grows linearly with the number of joints."""
    rng, totals, calls = np.random.default_rng(16), [], []
    for n in (2, 3, 4, 5):
        model, motion = replace(random_chain(rng, n), kinds=["revolute"] * n).model(), rng.normal(size=(3, n))
        inverse, forward = (count_operations(function, model, *motion)[0].total()
                            for function in (rnea, by_inverse_dynamics))
        assert forward > max(1, n / 2) * inverse
        totals.append(inverse)
    assert np.ptp(np.diff(totals)) == 0 and totals[-1] > totals[0]
    monkeypatch.setattr(ch05, "newton_euler", lambda *arguments: calls.append(arguments) or newton_euler(*arguments))
    tree, (q, qd, Q) = random_chain(rng, 6), rng.normal(size=(3, 6))
    expected = np.linalg.solve(tree.mass_matrix(q), Q - tree.lagrangian_bias(q, qd))
    assert_allclose(by_inverse_dynamics(tree.model(), q, qd, Q), expected, rtol=1e-9, atol=1e-9)
    assert len(calls) == 7


# Sections 2 and 3: inverse dynamics with spatial vectors

@pytest.mark.source("FDSV-13", "FDSV-14", "FDSV-15", "FDSV-SA-1")
def test_recursions_give_the_motion_of_each_frame_and_the_force_that_moves_everything_outboard_of_a_joint(rng):
    """v_i is the velocity of link i, and a_i the rate of its world velocity [omega; v_O] less gravity, in link i. The
    linear part of a_i is the acceleration of the origin less omega × v; v_i × s qd needs the parent's velocity only,
    since s × s = 0. f_i = sum over the links i..n of (rate of momentum - weight - external force), by geometry in the
    world. f_i - iX_{i+1} f_{i+1} + iX_{-1} fx_i = I a + v × I v is the net force; f_i itself is not."""
    n = 5
    tree, (q, qd, qdd), fx, total = random_chain(rng, n), rng.normal(size=(3, n)), rng.normal(size=(n, 6)), np.zeros(6)
    at, gravity = path(q, qd, qdd), np.concatenate([np.zeros(3), tree.gravity])
    printed = inverse_dynamics_printed(tree, q, qd, qdd, fx)
    motion = newton_euler(tree.model(), q, qd, qdd, as_f_ext(fx))
    for i in reversed(range(n)):
        pose = tree.world_poses(q)[i + 1]
        v = motion_coordinates(world_velocity(tree, at, i + 1, 0), pose)
        change = rate(lambda t, i=i: world_velocity(tree, at, i + 1, t))
        origin = helpers.second_derivative(lambda t, i=i: tree.world_poses(at(t))[i + 1][1]) - tree.gravity
        assert_allclose(printed.v[i], v, rtol=1e-10, atol=1e-10)
        assert_allclose(motion.v[i + 1], v, rtol=1e-10, atol=1e-10)
        assert_allclose(printed.a[i], motion_coordinates(change - gravity, pose), rtol=1e-7, atol=1e-7)
        assert_allclose(motion.a[i + 1], printed.a[i], rtol=1e-10, atol=1e-10)
        assert_allclose(motion.a[i + 1][3:], pose[0].T @ origin - np.cross(v[:3], v[3:]), rtol=1e-7, atol=1e-7)
        parents, s_qd = printed.X_up[i] @ printed.v[i - 1], printed.s[i] * qd[i]
        assert_allclose(cross_printed(printed.v[i], s_qd), cross_printed(parents, s_qd), atol=1e-12)

        net = rate(lambda t, i=i: world_momentum(tree, at, i + 1, t)) - world_weight(tree, q, i + 1)
        total = total + net - P @ fx[i]
        assert_allclose(motion.f[i + 1], helpers.force_coordinates(total, pose), rtol=1e-7, atol=1e-7)
        f = conventions.force_to_fdsv(motion.f[i + 1])
        outboard = printed.X_down[i + 1] @ conventions.force_to_fdsv(motion.f[i + 2]) if i + 1 < n else 0
        found = f - outboard + printed.X_world[i] @ fx[i]
        assert_allclose(P @ found, helpers.force_coordinates(net, pose), rtol=1e-6, atol=1e-6)
        assert np.abs(f - found).max() > 1e-2
    assert_allclose(motion.f[0], total, rtol=1e-7, atol=1e-7)


@pytest.mark.source("FDSV-S3-1")
def test_motion_is_swept_outward_and_force_inward(rng, monkeypatch):
    """What joint j does shows in the motion of links j and outboard; what link j bears shows in the forces inboard."""
    n, j, visited = 6, 3, []
    model, (q, qd, qdd) = random_chain(rng, n).model(), rng.normal(size=(3, n))
    monkeypatch.setattr(ch05, "jcalc", lambda joint, *state: visited.append(joint) or jcalc(joint, *state))
    before = newton_euler(model, q, qd, qdd)
    assert [id(joint) for joint in visited] == [id(joint) for joint in model.joints[1:]]

    def changed(first, second):
        return [not np.array_equal(x, y) for x, y in zip(first, second, strict=True)]

    push = np.eye(n)[j - 1]
    after = newton_euler(model, q, qd + push, qdd + push)
    assert changed(before.v, after.v) == changed(before.a, after.a) == [i >= j for i in range(n + 1)]
    loaded = newton_euler(model, q, qd, qdd, {j: rng.normal(size=6)})
    assert changed(before.f, loaded.f) == [i <= j for i in range(n + 1)]


@pytest.fixture(scope="module")
def particle():
    """The particle in symbols, with every intermediate vector of its inverse dynamics in the text's layout."""
    model = load("particle", symbolic=True)
    q, qd, qdd = sp.symbols("q:2", real=True), sp.symbols("u:2", real=True), sp.symbols("w:2", real=True)
    motion = newton_euler(model, q, qd, qdd)
    return SimpleNamespace(model=model, m=model.parameters["m"], g=model.parameters["g"], q=q, qd=qd, qdd=qdd,
                           motion=motion, f=[conventions.force_to_fdsv(f) for f in motion.f],
                           X_down=[conventions.transform_to_fdsv(motion.X_up[i]) for i in (1, 2)])


def same(expressions, expected):
    """Whether two arrays of formulas are equal, entry by entry, after expansion."""
    difference = sp.Matrix(np.asarray(expressions, dtype=object) - np.asarray(expected, dtype=object))
    return difference.applyfunc(sp.expand).is_zero_matrix


@pytest.mark.source("FDSV-17", "FDSV-18", "FDSV-19", "FDSV-20", "FDSV-F2", "FDSV-27", "FDSV-X2")
def test_particle_has_the_printed_transforms_inertias_and_force_recursion_from_beginning_to_end(particle):
    """-1X_0 and 0X_1 are xlt(-t) of RBDA; no frame turns, and the particle stands at (q0, q1) = (x, y). f_i = iX_{i+1}
    f_{i+1} + I_i a_i + v_i × I_i v_i - iX_{-1} fx_i, inward, in the layout [f; moment], with a force on each link. And
    H = m 1, C = (0, m g), qdd = (f_x / m, f_y / m - g), in symbols and in numbers."""
    assert particle.model.joints[1:] == (Prismatic("x"), Prismatic("y"))
    assert_array_equal(kinematics.body_jacobian(load("particle"), [0.3, -0.4], 2), np.eye(6)[:, 3:5])
    (q0, q1), m = particle.q, particle.m
    one, nil = np.eye(3, dtype=int), np.zeros((3, 3), dtype=int)
    stars = [[[0, 0, 0], [0, 0, -q0], [0, q0, 0]], [[0, 0, q1], [0, 0, 0], [-q1, 0, 0]]]
    for X, star, t in zip(particle.X_down, stars, [(q0, 0, 0), (0, q1, 0)], strict=True):
        printed = np.block([[one, nil], [np.array(star, dtype=object), one]])
        for form in (X, spatial.xlt([-x for x in t]), conventions.fdsv_transform(one, t)):
            assert same(form, printed)
    X = particle.X_down[0] @ particle.X_down[1]
    assert same(X, np.block([[one, nil], [np.array([[0, 0, q1], [0, 0, -q0], [-q1, q0, 0]]), one]]))
    assert same(spatial.X_to_Er(kinematics.body_transforms(particle.model, particle.q)[2])[1], [q0, q1, 0])
    printed = np.zeros((6, 6), dtype=object)
    printed[[0, 1, 2], [3, 4, 5]] = m
    for I, expected in zip(particle.model.inertia[1:], (0 * printed, printed), strict=True):
        assert same(conventions.inertia_to_fdsv(I), expected)
    assert same(conventions.inertia_from_fdsv(printed), spatial.mcI(m, [0, 0, 0], nil))

    model, m, g, q, qd, (X_0, X_1) = particle.model, particle.m, particle.g, particle.q, particle.qd, particle.X_down
    fx, Q = np.array(sp.symbols("f_x:12", real=True)).reshape(2, 6), sp.symbols("f_x f_y", real=True)
    motion = newton_euler(model, q, qd, particle.qdd, {i + 1: np.roll(fx[i], 3) for i in (0, 1)})
    f, outboard = [conventions.force_to_fdsv(f) for f in motion.f], np.zeros(6, dtype=int)
    for i, X_world in ((1, X_0 @ X_1), (0, X_0)):
        I, v, a = conventions.inertia_to_fdsv(model.inertia[i + 1]), motion.v[i + 1], motion.a[i + 1]
        expected = outboard + I @ a + cross_printed(v, I @ v) - conventions.spatial_transpose(X_world) @ fx[i]
        assert same(f[i + 1], expected)
        outboard = particle.X_down[i] @ expected
    assert same(f[0], outboard)
    assert same(inertia_matrix(model, q, qd), m * np.eye(2, dtype=int))
    assert same(bias_force(model, q, qd), [0, m * g])
    assert same(forward_dynamics(model, q, qd, Q), [Q[0] / m, Q[1] / m - g])
    assert_allclose(forward_dynamics(load("particle"), [3, 4], [5, 6], [7, 8]), [7 / 2, 8 / 2 - 9.8], rtol=1e-14)


@pytest.mark.source("FDSV-Q1", "FDSV-21", "FDSV-22", "FDSV-23", "FDSV-24", "FDSV-25", "FDSV-26", "FDSV-28", "FDSV-29",
                    "FDSV-30")
def test_particle_vectors_follow_from_elementary_mechanics(particle):
    """The reader's exercise: Eqs 24, 26, 28, 30 by differentiating (x(t), y(t)) and taking moments, no recursion. The
    cross term of a_i = iX_{i-1} a_{i-1} + v_i × s_i qd_i + s_i qdd_i vanishes, as nothing turns. s^S f finds Newton's
    forces, sᵀ f, as printed, none. No external force acts."""
    t, m, g, (q0, q1), (qd0, qd1), (qdd0, qdd1) = (sp.Symbol("t", real=True), particle.m, particle.g, particle.q,
                                                   particle.qd, particle.qdd)
    x, y = (sp.Function(name)(t) for name in "xy")
    at_now = [(sp.diff(x, t, 2), qdd0), (sp.diff(y, t, 2), qdd1), (sp.diff(x, t), qd0), (sp.diff(y, t), qd1), (x, q0),
              (y, q1)]
    origins = [sp.Matrix([0, 0, 0]), sp.Matrix([x, 0, 0]), sp.Matrix([x, y, 0])]
    force = m * (sp.diff(origins[2], t, 2) + sp.Matrix([0, g, 0]))
    a, v = particle.motion.a, particle.motion.v
    for i, origin in enumerate(origins):
        velocity, acceleration = sp.diff(origin, t), sp.diff(origin, t, 2) + sp.Matrix([0, g, 0])
        assert same(v[i], [0, 0, 0, *velocity.subs(at_now)])
        assert same(a[i], [0, 0, 0, *acceleration.subs(at_now)])
        assert same(particle.f[i], [*force.subs(at_now), *(origins[2] - origin).cross(force).subs(at_now)])
    newton = list(force.subs(at_now))[:2]
    assert same(particle.motion.tau, newton)
    for i in (1, 2):
        s, X_up = particle.motion.S[i][:, 0], np.array(sp.Matrix(particle.X_down[i - 1]).inv())
        assert sp.expand(conventions.spatial_transpose(s) @ particle.f[i] - newton[i - 1]) == 0
        assert sp.expand(s @ particle.f[i]) == 0
        cross = cross_printed(v[i], s * particle.qd[i - 1])
        assert same(cross, [0] * 6)
        assert same(v[i], X_up @ v[i - 1] + s * particle.qd[i - 1])
        assert same(a[i], X_up @ a[i - 1] + cross + s * particle.qdd[i - 1])
    moments = [m * (q0 * (qdd1 + g) - q1 * qdd0), -m * q1 * qdd0, 0]
    assert same(particle.f, [[m * qdd0, m * (qdd1 + g), 0, 0, 0, moment] for moment in moments])
    assert load("particle").parameters["g"] == 9.8


# Section 4: setting up a problem

@pytest.mark.source("FDSV-S4-1")
def test_the_listed_data_are_all_that_inverse_dynamics_needs_and_only_transforms_and_forces_change(rng):
    """Axes, transforms, inertias, external forces and the world's acceleration, given as in the list, determine Q. The
    data of a model stay as they were during a simulation; S and I are constants, the transforms are not."""
    tree, (q, qd, qdd), fx = random_chain(rng, 3), rng.normal(size=(3, 3)), rng.normal(size=(3, 6))
    given = inverse_dynamics_printed(tree, q, qd, qdd, fx)
    X_J = [spatial.rot(turn(axis, x).T) if kind == "revolute" else spatial.xlt(axis * x)
           for kind, axis, x in zip(tree.kinds, tree.axes, q, strict=True)]
    joints = [Revolute(s[:3]) if s[:3].any() else Prismatic(s[3:]) for s in given.s]
    X_tree = [np.linalg.inv(X_J) @ conventions.transform_from_fdsv(X) for X_J, X in zip(X_J, given.X_down, strict=True)]
    model = Model(range(3), joints, X_tree, [conventions.inertia_from_fdsv(I) for I in given.I],
                  gravity=-given.a[-1][3:])
    assert_allclose(rnea(model, q, qd, qdd, as_f_ext(fx)), given.Q, rtol=1e-10, atol=1e-10)

    kept = [np.copy(x) for x in (*model.X_tree[1:], *model.inertia[1:], model.gravity)]
    states = simulate(model, q, qd, [0, 0.1, 0.2])
    for array, copy in zip((*model.X_tree[1:], *model.inertia[1:], model.gravity), kept, strict=True):
        assert_array_equal(array, copy)
    motions = [newton_euler(model, q, qd, np.zeros(3)) for q, qd in zip(states.q, states.qd, strict=True)]
    for i in model.bodies:
        for motion in motions:
            assert_allclose(motion.S[i][:, 0], given.s[i - 1], atol=1e-15)
        assert np.abs(motions[-1].X_up[i] - motions[0].X_up[i]).max() > 1e-6


@pytest.mark.source("FDSV-31", "FDSV-33", "FDSV-S4.1-1", "FDSV-37", "FDSV-F3", "FDSV-32", "FDSV-34", "FDSV-35",
                    "FDSV-36", "FDSV-38")
def test_axes_of_rotational_and_prismatic_joints_turn_with_X_ROT_and_move_with_X_TRANS(rng):
    """[s; r × s]: its velocity field is that of turning about the line, and X_TRANS(r) [s; 0] gives it. Every point r
    of the line stands still and gives the same moment, others do not; a hinge placed at (R, r) turns about it. A slider
    has no place: [0; s] is the direction s everywhere."""
    s, (R, r), point = random_unit(rng), random_pose(rng), rng.normal(size=3)
    axis, slide = spatial.line_motion(s, r), spatial.free_motion(s)
    assert_allclose(axis, np.concatenate([s, np.cross(r, s)]), atol=1e-15)
    x, y, z = r
    assert_array_equal(spatial.skew(r), [[0, -z, y], [z, 0, -x], [-y, x, 0]])                  # (37)
    assert_allclose(spatial.skew(r) @ s, axis[3:], atol=1e-15)
    turned = derivative(lambda angle: r + turn(s, angle) @ (point - r))
    assert_allclose(spatial.point_velocity(axis, point), turned, atol=1e-13)
    assert_allclose(conventions.fdsv_transform(ONE, r) @ np.concatenate([s, NIL[0]]), axis, atol=1e-15)
    assert axis[:3] @ axis[3:] == pytest.approx(0, abs=1e-14)
    for x in rng.normal(size=3):
        assert_allclose(spatial.line_motion(s, r + x * s), axis, atol=1e-14)
        assert_allclose(spatial.point_velocity(axis, r + x * s), 0, atol=1e-14)
    beside = r + np.cross(s, point)
    assert np.abs(spatial.line_motion(s, beside) - axis).max() > 1e-3
    assert np.abs(spatial.point_velocity(axis, beside)).max() > 1e-3
    _, S, _, _ = jcalc(Revolute(R.T @ s), 0.0, 1)
    assert_allclose(spatial.inverse_transform(spatial.plucker(R.T, r)) @ S[:, 0], axis, atol=1e-14)

    assert_array_equal(slide, np.concatenate([NIL[0], s]))                                     # (32)
    for place in (r, point, NIL[0]):
        assert_array_equal(spatial.point_velocity(slide, place), s)
    assert_allclose(conventions.fdsv_transform(ONE, point) @ slide, slide, atol=1e-14)
    assert_allclose(jcalc(Prismatic(s), 0.3, 1)[1][:, 0], slide, atol=1e-15)

    R, t = random_pose(rng)
    X, X_rot, X_trans = (conventions.fdsv_transform(*pose) for pose in ((R, t), (R, NIL[0]), (ONE, t)))
    inverse = np.block([[R.T, NIL], [-R.T @ cross_matrix(t), R.T]])
    for ours, printed in (
            (X_rot, np.block([[R, NIL], [NIL, R]])), (X_rot, spatial.rot(R)), (X_trans, spatial.xlt(-t)),
            (X_trans, np.block([[ONE, NIL], [cross_matrix(t), ONE]])),
            (X_rot @ axis, np.concatenate([R @ s, np.cross(R @ r, R @ s)])),
            (X_trans @ axis, np.concatenate([s, np.cross(r + t, s)])),
            (np.linalg.inv(X_trans), conventions.fdsv_transform(ONE, -t)),
            (X, X_trans @ X_rot), (X, X_printed(R, t)), (X, spatial.plucker(R, -R.T @ t)),
            (X_rot @ X_trans, conventions.fdsv_transform(R, R @ t)), (inverse @ X, np.eye(6)),
            (conventions.spatial_transpose(X), inverse), (P @ X @ P, inverse.T),
            (P @ X @ P, spatial.force_transform(X))):
        assert_allclose(ours, printed, atol=1e-13)


@pytest.mark.source("FDSV-39", "FDSV-S4.3-1")
def test_inertia_maps_velocity_to_the_momentum_of_every_particle(rng):
    """I v = [sum of m v_k; sum of r_k × m v_k] over a cluster of particles that moves rigidly. Its lower left block is
    the parallel-axis theorem: I about an axis through the origin is that about the parallel axis through the centre of
    mass, plus m d²."""
    masses, positions = helpers.random_cluster(rng)
    v, e, (m, c, I_C) = rng.normal(size=6), random_unit(rng), helpers.mass_properties(masses, positions)
    I = conventions.inertia_to_fdsv(spatial.mcI(m, c, I_C))
    assert_allclose(I, inertia_printed(m, c, I_C), atol=1e-12)
    speeds = v[3:] + np.cross(v[:3], positions)
    momentum = np.concatenate([masses @ speeds, masses @ np.cross(positions, speeds)])
    assert_allclose(I @ v, momentum, rtol=1e-12, atol=1e-12)
    energy = masses @ (speeds**2).sum(axis=1) / 2
    assert conventions.spatial_transpose(v) @ I @ v / 2 == pytest.approx(energy, rel=1e-12)
    assert e @ I[3:, :3] @ e == pytest.approx(e @ I_C @ e + m * np.linalg.norm(c - (c @ e) * e) ** 2, rel=1e-12)
    assert e @ I[3:, :3] @ e == pytest.approx(masses @ (np.cross(e, positions) ** 2).sum(axis=1), rel=1e-12)
    R, t = random_pose(rng)
    X, moved = conventions.fdsv_transform(R, t), spatial.mcI(m, t + R @ c, R @ I_C @ R.T)
    assert_allclose(X @ I @ np.linalg.inv(X), conventions.inertia_to_fdsv(moved), atol=1e-11)


# Appendices A and B

@pytest.mark.source("FDSV-41", "FDSV-S3-2", "FDSV-40")
def test_spatial_transpose_gives_the_power_and_the_spatial_cross_product_the_rate_of_vectors_that_move_along(rng):
    """v^S f = f · v_O + n_O · omega, the power of the forces f_k at points r_k of a body with velocity v. (X m)^S (X f)
    = m^S f, A^S = P Aᵀ P, X^S = X⁻¹ and I^S = I. A hinge about z feels the torque about z, and nothing else: s = [0, 0,
    1, 0, 0, 0] picks entry 5 of [f; moment], which is entry 2 of [moment; f]."""
    forces, points = rng.normal(size=(2, 5, 3))
    v, A, transpose = rng.normal(size=6), rng.normal(size=(6, 6)), conventions.spatial_transpose
    f = np.concatenate([forces.sum(axis=0), np.cross(points, forces).sum(axis=0)])
    power = sum(force @ (v[3:] + np.cross(v[:3], point)) for force, point in zip(forces, points, strict=True))
    X, I = X_printed(*random_pose(rng)), inertia_printed(*helpers.random_mass_properties(rng))
    for found in (transpose(v) @ f, transpose(f) @ v, transpose(X @ v) @ (X @ f)):
        assert found == pytest.approx(power, rel=1e-11, abs=1e-12)
    assert_array_equal(transpose(v), np.concatenate([v[3:], v[:3]]))
    assert_array_equal(transpose(A), P @ A.T @ P)
    assert_allclose(transpose(X) @ X, np.eye(6), atol=1e-13)
    assert_allclose(transpose(I), I, atol=1e-13)
    assert_allclose(transpose(A @ v), transpose(v) @ transpose(A), atol=1e-12)
    assert transpose([0, 0, 1, 0, 0, 0]) @ f == f[5]
    model = Model([0], [Revolute("z")], [np.eye(6)], [spatial.mcI(1, [1, 2, 3], ONE)], gravity=(0, 0, 0))
    assert rnea(model, [0], [0], [0], {1: conventions.force_from_fdsv(f)})[0] == -f[5]

    pose, b = helpers.smooth_motion(rng), rng.normal(size=6)
    a = velocity(pose)

    def carried(t, first, second):
        """b in world coordinates: ``first`` is free to turn only, ``second`` gains p × first from the position p."""
        R, p = pose(t)
        return np.concatenate([R @ first, R @ second + np.cross(p, R @ first)])

    change = derivative(lambda t: carried(t, b[:3], b[3:]))
    here = carried(0, b[:3], b[3:])
    printed = np.block([[cross_matrix(a[:3]), NIL], [cross_matrix(a[3:]), cross_matrix(a[:3])]])
    assert_allclose(change, cross_printed(a, here), atol=1e-12)
    assert_allclose(spatial.crm(a) @ here, change, atol=1e-12)
    assert_allclose(spatial.crf(a) @ P @ here, P @ change, atol=1e-12)
    assert_allclose(spatial.crm(a), printed, atol=1e-15)
    assert_allclose(P @ printed @ P, -printed.T, atol=1e-15)


@pytest.mark.source("FDSV-SC-1", "FDSV-TA", "FDSV-A2", "FDSV-15", "FDSV-16", "FDSV-21", "FDSV-29")
def test_conversion_of_a_whole_computation(rng):
    """Every intermediate quantity of Eqs 13-16 on a random chain, in the text's layout and in RBDA's."""
    n = 5
    tree, (q, qd, qdd), fx = random_chain(rng, n), rng.normal(size=(3, n)), rng.normal(size=(n, 6))
    fdsv, model = inverse_dynamics_printed(tree, q, qd, qdd, fx), tree.model()
    rbda = newton_euler(model, q, qd, qdd, as_f_ext(fx))
    assert_allclose(fdsv.a[-1], rbda.a[0], atol=1e-14)
    for k in range(n):
        i = conventions.body_from_fdsv(k)
        assert conventions.body_to_fdsv(i) == k
        for ours, printed in (
                (rbda.v[i], fdsv.v[k]), (rbda.a[i], fdsv.a[k]), (rbda.f[i], conventions.force_from_fdsv(fdsv.f[k])),
                (conventions.force_to_fdsv(rbda.f[i]), fdsv.f[k]),
                (model.inertia[i], conventions.inertia_from_fdsv(fdsv.I[k])),
                (conventions.inertia_to_fdsv(model.inertia[i]), fdsv.I[k]),
                (rbda.X_up[i], conventions.transform_from_fdsv(fdsv.X_down[k])),
                (conventions.transform_to_fdsv(rbda.X_up[i]), fdsv.X_down[k])):
            assert_allclose(ours, printed, rtol=1e-12, atol=1e-11)
    assert_allclose(rbda.tau, fdsv.Q, rtol=1e-10, atol=1e-10)
    without = tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd)
    printed = inverse_dynamics_printed(tree, q, qd, qdd)
    assert_allclose(printed.Q, without, rtol=1e-10, atol=1e-10)                                 # s^S f (16)
    # a base that accelerates upward weighs every body: instead, its weight as an external force        (21)
    explicit = rnea(tree.model(gravity=(0, 0, 0)), q, qd, qdd, {i: world_weight(tree, q, i) for i in range(1, n + 1)})
    assert_allclose(rnea(model, q, qd, qdd), explicit, rtol=1e-12, atol=1e-12)
    assert np.abs([s @ printed.f[k] for k, s in enumerate(printed.s)] - without).max() > 1      # sᵀ f (29)
    for i, s, f in zip(range(n), printed.s, newton_euler(model, q, qd, qdd).f[1:], strict=True):
        found = conventions.spatial_transpose(s) @ conventions.force_to_fdsv(f)
        assert found == pytest.approx(without[i], rel=1e-10, abs=1e-10)
    # kX_j x_j = x_k for motions and (in this layout) forces, kX_j jX_i = kX_i, and kX_j undoes jX_k
    frames, poses, x = kinematics.body_transforms(model, q), tree.world_poses(q), fx[0]
    X = [[conventions.spatial_transpose(conventions.transform_to_fdsv(A)) @ conventions.transform_to_fdsv(B)
          for B in frames] for A in frames]
    for k, j, i in itertools.permutations(range(n), 3):
        assert_allclose(X[k][j] @ motion_coordinates(x, poses[j]), motion_coordinates(x, poses[k]), atol=1e-12)
        force_j, force_k = (P @ helpers.force_coordinates(P @ x, poses[frame]) for frame in (j, k))
        assert_allclose(X[k][j] @ force_j, force_k, atol=1e-12)
        assert_allclose(X[k][j] @ X[j][i], X[k][i], atol=1e-12)
        assert_allclose(X[k][j] @ X[j][k], np.eye(6), atol=1e-12)
