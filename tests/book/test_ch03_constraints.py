"""Constraints and the assembly of whole systems: other scalars, hard cases, mistakes and what they hear."""

import warnings

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, forward_dynamics
from rbdlib.book import ch03_constraints as ch03
from rbdlib.book.ch02_spatial import inverse_transform, mcI, rotx, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Helical, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.methods.constraint_derivatives import explicit_constraint, implicit_constraint
from rbdlib.methods.joint_space import inertia_and_bias
from rbdlib.methods.whole_system import solve_system, state_derivative
from rbdlib.numbers.scalars import block_diagonal
from tests.sources.ch03_systems import parallelogram, random_model, shaken_joint
from tests.sources.helpers import derivative, second_derivative

ROD = mcI(1.3, [0.35, 0, 0], np.diag([0.001, 0.05, 0.05]))


def test_assembly_of_joints_that_depend_on_time():
    rng = np.random.default_rng(7)
    model = random_model(rng, [Revolute("y"), shaken_joint(), Spherical(), shaken_joint()])
    q, qd = model.random_state(rng)
    tau, f_ext = rng.normal(size=model.nv), {2: rng.normal(size=6), 4: rng.normal(size=6)}
    for t in (0.0, 0.9):
        expected = forward_dynamics(model, q, qd, tau, f_ext, t=t)
        assert_allclose(solve_system(model, q, qd, tau, f_ext, t=t).qdd, expected, atol=1e-9)
        rate = state_derivative(model, [*q, *qd], tau, f_ext, t=t)
        assert_allclose(rate, [*model.qdot(q, qd), *expected], atol=1e-9)


@pytest.mark.parametrize("error", [0, 1e-9, 1e-8])
def test_a_loop_that_moves_only_thanks_to_its_measures(error):
    """Bennett's linkage, four hinges that could not move, were lengths and angles not matched."""
    lengths, twists = [0.5, 0.5 * np.sin(1.3) / np.sin(0.6)] * 2, [0.6, 1.3] * 2
    links = [rotx(twist) @ xlt([length, 0, 0]) for length, twist in zip(lengths, twists, strict=True)]
    model = Model([0, 1, 2], [Revolute()] * 3, [np.eye(6), *links[:2]],
                  [mcI(1, [0.2, 0.1, 0.3], np.diag([0.2, 0.3, 0.4]))] * 3,
                  loops=[LoopJoint(0, 3, Revolute(), inverse_transform(links[3]), links[2])])

    def path(y):
        return np.array([y, 2 * np.arctan(np.sin(0.95) / np.sin(0.35) / np.tan(y / 2)), -y])

    y, yd, tau = 1.0, 0.8, np.array([0.3, -0.2, 0.1])
    q, G, g = path(y), derivative(path, y), second_derivative(path, y)
    H, C = inertia_and_bias(model.replace(loops=()), q, G * yd)
    expected = ch03.apply_explicit_constraint(H, C, tau, G[:, None], g * yd**2)
    motion = solve_system(model, q + error * np.array([1, -1, 1]), G * yd, tau)
    assert (motion.rank, motion.redundant, motion.unique) == (17, 3, True)
    assert_allclose(motion.qdd, expected.qdd, atol=1e-6)


def test_loops_turn_several_times_and_motion_without_inertia_is_reported_or_refused():
    screw = Helical(0.2, "z")
    X_S = screw.transform(np.array([9.0]))
    model = Model([0], [FreeMotion()], [np.eye(6)], [ROD], loops=[LoopJoint(0, 1, screw, np.eye(6), X_S)])
    motion = solve_system(model, model.neutral(), np.zeros(6), np.zeros(6))
    assert motion.loop_gaps[0] < 1e-9 and motion.rank == 5
    turning = 1.3 * 9.81 * 0.2 / (0.05 + 1.3 * 0.35**2 + 1.3 * 0.2**2)
    assert_allclose(motion.qdd, [0, 0, -turning, 0, 0, -0.2 * turning], atol=1e-9)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Model([0, 1], [Revolute()] * 2, [np.eye(6)] * 2, [ROD, np.zeros((6, 6))], gravity=(0, 0, 0))
    motion = solve_system(model, [0, 0], [0, 0], [1, 0])
    assert not motion.unique
    assert_allclose(motion.qdd[0], 1 / ROD[2, 2], rtol=1e-12)
    with pytest.raises(ValueError, match="H is singular and a force acts on a motion without inertia"):
        solve_system(model, [0, 0], [0, 0], [1, 1])


def test_an_open_loop_is_announced_and_an_impossible_state_of_a_rigid_one_refused():
    model = parallelogram()
    with pytest.warns(UserWarning, match="Loop joint 4 does not hold in this state: its two frames miss"):
        solve_system(model, [0.6, -0.6, 0.7], [0, 0, 0], [0, 0, 0])
    with pytest.warns(UserWarning, match="their velocities by 0.7"):
        motion = solve_system(model, [0.6, -0.6, 0.6], [0, 0, 1], [0, 0, 0])
    assert motion.loop_gaps[0] < 1e-12 and abs(motion.loop_slips[0] - 0.7) < 1e-9
    welded = Model([0, 1], [Revolute()] * 2, [np.eye(6), xlt([1, 0, 0])], [ROD] * 2,
                   loops=[LoopJoint(0, 2, Fixed(), xlt([1.7, 0, 0]), xlt([0.7, 0, 0]))])
    assert_allclose(solve_system(welded, [0, 0], [0, 0], [0.2, 0.3]).qdd, 0, atol=1e-12)
    with pytest.warns(UserWarning, match="Loop joint 3"), pytest.raises(ValueError, match="contradict one another"):
        solve_system(welded, [0, 0], [1, 1], [0, 0])


def test_systems_without_bodies_or_freedoms():
    empty = Model([], [], [], [])
    assert solve_system(empty, [], [], []).qdd.shape == state_derivative(empty, [], []).shape == (0,)
    free = Model([0], [FreeMotion()], [np.eye(6)], [ROD])
    motion = solve_system(free, free.neutral(), np.zeros(6), np.zeros(6))
    assert_allclose(motion.qdd, [0, 0, 0, 0, 0, -9.81], atol=1e-12)
    assert (motion.rank, len(motion.lam)) == (0, 0)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda m: solve_system(m, [sympy.Symbol("q"), 0], [0, 0], [0, 0]), ValueError, "q contains symbols"),
    (lambda m: solve_system(m, [0, 0], [0, 0], [0, sympy.Symbol("u")]), ValueError, "solved for numbers only"),
    (lambda m: state_derivative(m, [0, 0, 0], [0, 0]), ValueError, r"x has shape \(3,\)"),
    (lambda m: solve_system(Model([0], [Euler("zyx")], [np.eye(6)], [ROD]), [0.1, np.pi / 2, 0.2], *np.zeros((2, 3))),
     ValueError, "q puts joint 1, euler zyx, into a singular position"),
    (lambda m: solve_system(m.replace(loops=[LoopJoint(0, 2, Fixed(), xlt([sympy.Symbol("l"), 0, 0]), np.eye(6))]),
                            *np.zeros((3, 2))), ValueError, "X_P of loop 3 contains symbols")])
def test_assembly_names_the_wrong_argument(call, error, message):
    with pytest.raises(error, match=message):
        call(Model([0, 1], [Revolute(), Prismatic("x")], [np.eye(6)] * 2, [ROD] * 2))


def test_a_pendulum_in_symbols_by_both_kinds_of_constraint():
    x, y, xd, yd, angle, rate = sympy.symbols("x y xd yd angle rate", real=True)
    l, m, g = sympy.symbols("l m g", positive=True)
    H, C = np.array([[m, 0], [0, m]]), np.array([0, m * g])
    moved, g_t = explicit_constraint([x * y**2], [x], [xd], y)
    assert moved.tolist() == [[y**2]] and sympy.expand(g_t[0] - 4 * y * xd - 2 * x) == 0, "y is the time"
    G, bias = explicit_constraint([l * sympy.sin(angle), -l * sympy.cos(angle)], [angle], [rate])
    swung = ch03.apply_explicit_constraint(H, C, [0, 0], G, bias)
    assert sympy.simplify(swung.ydd[0] + g / l * sympy.sin(angle)) == 0
    assert sympy.simplify(swung.H_G[0, 0] - m * l**2) == 0

    K, k = implicit_constraint([x**2 + y**2 - l**2], [x, y], [xd, yd])
    assert K.tolist() == [[2 * x, 2 * y]]
    at = {x: l * sympy.sin(angle), y: -l * sympy.cos(angle), xd: l * rate * sympy.cos(angle),
          yd: l * rate * sympy.sin(angle)}
    for one, other in zip(ch03.apply_implicit_constraint(H, C, [0, 0], K, k).qdd, swung.qdd, strict=True):
        assert sympy.simplify(one.subs(at, simultaneous=True) - other) == 0


def test_nothing_given_is_changed_and_block_diagonal_counts_empty_blocks():
    given = np.eye(3), np.ones(3), np.ones(3), np.array([[1, 2, 3.0]]), np.ones(1)
    kept = [array.copy() for array in given]
    ch03.apply_implicit_constraint(*given)
    ch03.collect(given[:3], given[:3]).H[:] = 0
    for array, copy in zip(given, kept, strict=True):
        assert_array_equal(array, copy)
    whole = block_diagonal([np.ones((2, 1)), np.zeros((3, 0)), 2 * np.ones((1, 2))])
    assert whole.shape == (6, 3)
    assert_array_equal(np.argwhere(whole), [[0, 0], [1, 0], [5, 1], [5, 2]])


STILL, ALONG = np.zeros(6), np.eye(6)[:, :2]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ch03.apply_implicit_constraint(np.eye(2), [0, 0], [1, 1], [[1, 0, 0]], [0]), r"K has shape \(1, 3\)"),
    (lambda: ch03.apply_implicit_constraint(np.eye(3), [0, 0], [1, 1], [[1, 0]], [0]), r"H has shape \(3, 3\)"),
    (lambda: ch03.apply_implicit_constraint(np.eye(2), [0, 0], [1], [[1, 0]], [0]), r"tau has shape \(1,\)"),
    (lambda: ch03.apply_implicit_constraint(np.eye(2), [0, 0], [1, 1], [[1, 0], [1, 0]], [0, 1]),
     r"The constraints contradict one another: K qdd = k has no solution\. .* k is missed by 0\.5\."),
    (lambda: ch03.apply_implicit_constraint(np.diag([1, 0]), [0, 2], [1, 1], np.zeros((0, 2)), []),
     r"H is singular and a force acts on a motion without inertia, .* Give .* a mass\. The force is missed by 1\."),
    (lambda: ch03.apply_explicit_constraint(np.eye(2), [0, 0], [1, 1], [1, 0], [0, 0]), r"G has shape \(2,\)"),
    (lambda: ch03.apply_explicit_constraint(np.eye(2), [0, 0], [1, 1], np.ones((3, 2)), [0, 0]), "G has 3 rows"),
    (lambda: ch03.apply_explicit_constraint(np.eye(2), [0, 0], [1, 1], np.ones((2, 2)), [0, 0]), "singular"),
    (lambda: ch03.apply_explicit_constraint(np.eye(2), [0, 0], [1, 1], np.ones((2, 1)), [0]), r"g has shape \(1,\)"),
    (lambda: ch03.constrained_body_explicit(ROD, STILL, STILL, ALONG, ALONG, [1]), r"qd has shape \(1,\)"),
    (lambda: ch03.constrained_body_explicit(ROD, STILL, np.zeros(5), ALONG, ALONG, [1, 1]), r"f has shape \(5,\)"),
    (lambda: ch03.constrained_body_explicit(ROD, STILL, STILL, np.ones((6, 2)), ALONG, [1, 1]), "singular"),
    (lambda: ch03.constrained_body_implicit(ROD, STILL, STILL, np.eye(5), np.eye(5), STILL), "T has 5 rows"),
    (lambda: ch03.constrained_body_implicit(ROD, STILL, STILL, ALONG, np.eye(6), STILL), r"T_dot has shape \(6, 6\)"),
    (lambda: ch03.constrained_body_coordinates(ROD, STILL, [1], ALONG, ALONG, [1, 1]), r"tau has shape \(1,\)"),
    (lambda: implicit_constraint([sympy.Symbol("q")], [sympy.Symbol("q")], []), r"qd has shape \(0,\)"),
    (lambda: ch03.collect((np.eye(2), [0, 0], [1, 1, 1])), r"tau has shape \(3,\)")])
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_dependent_columns_of_T_make_only_the_multipliers_indeterminate():
    rng = np.random.default_rng(5)
    T, T_dot, v, f = rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), np.zeros(6), rng.normal(size=6)
    once = ch03.constrained_body_implicit(ROD + np.eye(6), np.zeros(6), f, T, T_dot, v)
    twice = ch03.constrained_body_implicit(ROD + np.eye(6), np.zeros(6), f, np.tile(T, 2), np.tile(T_dot, 2), v)
    assert_allclose(once[0], twice[0], atol=1e-12)
    assert_allclose(once[2], twice[2], atol=1e-12)
    assert_allclose(twice[1], np.tile(once[1], 2) / 2, atol=1e-12)
