"""Simulated motion: exact solutions, orders of the integrators, conserved energy and momentum, and refusals."""

import math
import pickle
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ellipj, ellipk

from rbdlib import LoopJoint, Model, aba, compile_for, forward_dynamics, load, rnea
from rbdlib.book.ch02_spatial import mcI, plucker, rotz, rz, xlt
from rbdlib.book.ch04_joints import FreeMotion, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.contact import Pair, Plane, SoftContact, Sphere, simulate_contacts, simulate_soft
from rbdlib.loops import dynamics as loop_dynamics
from rbdlib.loops.closing import close_loops, project
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character
from rbdlib.methods.whole_system import solve_system
from rbdlib.motion.integrators import ADAPTIVE, SimulationError
from rbdlib.motion.simulate import BodyMotion, Trajectory, simulate, simulate_rigid_body
from rbdlib.numbers.progress import Progress
from tests.sources.ch03_systems import parallelogram
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.helpers import random_mass_properties, random_pose, random_tree
from tests.sources.joints import Mechanism, joint_pose

SEED = 61
TIMES = np.linspace(0, 1, 6)
#: A point mass of 1 kg on a massless rod of 1 m, hanging at q = 0, and its textbook acceleration.
POINT_PENDULUM = Model([0], [Revolute("y")], [np.eye(6)], [mcI(1, [0, 0, -1], np.zeros((3, 3)))])
#: The four-bar linkage in a state in which its loop is closed.
FOUR_BAR = (load("four_bar"), *project(load("four_bar"), close_loops(load("four_bar"), [0.7, 0, 1.3]), [3.0, 0, 0]))
SLIDER = Model([0], [Prismatic("x")], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))], gravity=(0, 0, 0))


def test_a_throw_is_the_exact_parabola():
    """A particle of 2 kg; with 6 N along x from outside and 4 N along y from its slider; with 6 t N; with a brake."""
    particle = load("particle")
    motion = simulate(particle, [1, 2], [3, 4], TIMES)
    assert isinstance(motion, Trajectory)
    assert_array_equal(motion.t, TIMES)
    assert_allclose(motion.q, np.transpose([1 + 3 * TIMES, 2 + 4 * TIMES - 9.8 * TIMES**2 / 2]), atol=1e-9)
    assert_allclose(motion.qd, np.transpose([3 + 0 * TIMES, 4 - 9.8 * TIMES]), atol=1e-9)
    pushed = simulate(particle, [0, 0], [0, 0], TIMES, [0, 4], {2: [0, 0, 0, 6, 0, 0]})
    assert_allclose(pushed.q, np.transpose([3 * TIMES**2 / 2, (2 - 9.8) * TIMES**2 / 2]), atol=1e-9)
    pushed = simulate(particle, [0, 0], [0, 0], TIMES, f_ext=lambda t, q, qd: {2: [0, 0, 0, 6 * t, 0, 0]})
    assert_allclose(pushed.q[:, 0], TIMES**3 / 2, atol=1e-9)
    braked = simulate(particle, [0, 0], [3, 0], TIMES, f_ext=lambda t, q, qd: {2: [0, 0, 0, -2 * qd[0], 0, 0]})
    assert_allclose(braked.qd[:, 0], 3 * np.exp(-TIMES), atol=1e-8)


def clocked(model, start):
    """A model whose joints, in loops too, began to move with the time at -start, and forces that did so."""
    def turn(x):
        return Custom(1, X_J=lambda q, t: rotz(q[0] + x * (t + start) ** 2) @ xlt([0.05 * (t + start), 0, 0]))

    joints = [turn(0.5), Reversed(turn(0.3)), *model.joints[3:]]
    loops = [replace(loop, joint=turn(0.4)) for loop in model.loops]
    return model.replace(joints=joints, loops=loops), {
        "torque": lambda t, q, qd: (t + start) * q, "f_ext": lambda t, q, qd: {2: [0, 0, t + start, 1, qd[0], 0]}}


def swing(start):
    return {1: lambda t: (np.sin(t + start), np.cos(t + start), -np.sin(t + start))}


TABLE = Pair(0, Plane([0, -0.5, 0], [0, -1, 0]), 2, Sphere(0.1, [1, 0, 0]))
BOUNCING, PRESSED = {"contacts": [TABLE], "restitution": 0.5}, {"contacts": [SoftContact(TABLE, 1e3, 9, 1e3, 9, 0.3)]}
RUBBING = {1: Character(friction=0.1, friction_speed=0), 2: Character(armature=0.2, upper=0.25, restitution=0.5)}


@pytest.mark.parametrize(("name", "run", "options"), [
    *(("double_pendulum", simulate, options) for options in (
        {}, {"method": "rk4", "dt": 0.05}, {"method": "BDF"}, {"prescribed": swing}, {"rubbing": RUBBING})),
    *(("four_bar", simulate, options) for options in ({}, {"T_stab": 0.1}, {"method": "heun", "dt": 0.05})),
    ("double_pendulum", simulate_contacts, BOUNCING), ("double_pendulum", simulate_soft, PRESSED)])
def test_a_motion_begins_at_the_time_at_which_it_is_said_to(name, run, options):
    """Where all that depends on the time has begun T earlier, the same happens from the time 0 on."""
    T, found, state = 0.8, [], (np.array([0.2, 0.1]), np.array([1, 2]))
    for start, t in ((0, T), (T, 0)):
        (model, drives), given = clocked(load(name), start), {"tolerance": 1e-7, **options}
        model = model.replace(characters=given.pop("rubbing", {}))
        given |= {"prescribed": swing(start)} if "prescribed" in given else {}
        if model.loops and start == 0:
            state = project(model, close_loops(model, np.array([0.7, 0, 1.3]), t=t), [1.0, 0, 0], t)
        found.append(run(model, *state, np.linspace(t, t + 0.2, 3), **drives, **given))
    late, soon = found
    for part in ("q", "qd", "kinetic", "potential", "momentum", "loop_gaps", "loop_slips"):
        assert_allclose(getattr(late, part), getattr(soon, part), rtol=1e-9, atol=1e-8, err_msg=part)
    happened = [[event.t for event in getattr(motion, "events", ())] for motion in found]
    assert_allclose(happened[0], T + np.array(happened[1]))
    assert bool(happened[0]) == hasattr(late, "events")


# Integrators

def large_swing(t):
    """The exact angle of the pendulum of a rod of 0.8 m, released at 2.5 rad."""
    l, g, start = 0.8, 9.81, 2.5
    w, k = math.sqrt(3 * g / (2 * l)), math.sin(start / 2)
    return 2 * np.arcsin(k * ellipj(ellipk(k**2) + w * np.asarray(t), k**2)[0])


@pytest.mark.parametrize(("name", "method", "ratio"), [
    *((name, "rk4", 16) for name in JOINT_SETS), ("balls and planes", "heun", 4), ("balls and planes", "euler", 2),
    ("balls and planes", "semi_implicit_euler", 2)])
def test_order_of_the_integrators_with_joints_of_every_type(name, method, ratio):
    rng = np.random.default_rng(64)
    model = Mechanism(rng, JOINT_SETS[name]).model()
    q, qd = model.random_state(rng)
    steps, times = ((0.04, 0.02), [0, 0.08, 0.16]) if method == "rk4" else ((0.002, 0.001), [0, 0.05, 0.1])
    runs = [simulate(model, q, qd / 2, times, method="DOP853", tolerance=1e-11),
            *(simulate(model, q, qd / 2, times, method=method, dt=dt) for dt in steps)]
    exact, *poses = (np.array(body_transforms(model, run.q[-1])) for run in runs)
    errors = [np.abs(pose - exact).max() for pose in poses]
    assert 0.75 * ratio < errors[0] / errors[1] < 1.3 * ratio
    assert errors[0] < (1e-3 if ratio > 2 else 0.1)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_each_of_scipys_integrators_follows_the_large_swing(method):
    t = np.linspace(0, 0.6, 4)
    motion = simulate(load("pendulum"), [2.5], [0], t, method=method, tolerance=1e-6)
    assert_allclose(motion.q[:, 0], large_swing(t), atol=2e-4)
    assert_array_equal(motion.t, t)
    steps = simulate(load("pendulum"), [2.5], [0], (0, 0.6), method=method, tolerance=1e-6)
    assert (steps.t[0], steps.t[-1]) == (0, 0.6)
    assert len(steps) > 3
    assert_allclose(steps.q[:, 0], large_swing(steps.t), atol=2e-4)


def test_steps_of_fixed_length_use_the_velocity_of_their_formula_and_divide_the_time_evenly():
    """x'' = 20 t³ gives x = t⁵ with an error of order 4; times need not start at zero nor be even."""
    model, q, qd, tau, dt = load("double_pendulum"), np.array([0.3, 1.0]), np.array([2.0, -1]), [0.5, 0.1], 1e-2
    qdd = forward_dynamics(model, q, qd, tau)
    for method, used in (("euler", qd), ("semi_implicit_euler", qd + dt * qdd)):
        one = simulate(model, q, qd, (0, dt), tau, method=method, dt=dt)
        assert_allclose(one.q, [q, q + dt * used], rtol=1e-12)
        assert_allclose(one.qd, [qd, qd + dt * qdd], rtol=1e-12)
    ends = [simulate(SLIDER, [0], [0], [0, 0.4, 1], lambda t, q, qd: [20 * t**3], method="rk4", dt=dt).q[-1, 0]
            for dt in (0.2, 0.1)]
    assert (ends[0] - 1) / (ends[1] - 1) == pytest.approx(16, rel=0.01)

    fall = load("particle")
    assert_allclose(simulate(fall, [0, 0], [0, 0], (0, 1), method="euler", dt=0.3).t, [0, 0.25, 0.5, 0.75, 1])
    ten = simulate(fall, [0, 0], [0, 0], (0, 1), method="euler", dt=0.1)
    assert_allclose(ten.t, np.linspace(0, 1, 11), atol=1e-15)                  # N steps make N + 1 samples
    assert (ten.t[0], ten.t[-1]) == (0, 1)
    sparse = simulate(fall, [0, 0], [0, 0], [2, 2.1, 3], method="semi_implicit_euler", dt=0.05)
    assert_array_equal(sparse.t, [2, 2.1, 3])
    assert_allclose(sparse.q[:, 1], [0, -9.8 * 0.05**2 * 3, -9.8 * 0.05**2 * 20 * 21 / 2], rtol=1e-12)
    t, q, qd = np.array([2, 2.1, 2.7]), np.array([1.0]), np.array([0.5])
    shifted = simulate(load("pendulum"), q, qd, t)
    shifted.t[:], shifted.q[:], shifted.qd[:] = 9, 9, 9
    assert_array_equal(np.concatenate([t, q, qd]), [2, 2.1, 2.7, 1, 0.5])


def test_a_long_simulation_keeps_the_energy_that_its_integrator_promises():
    """20 s, about nine swings: semi-implicit Euler's error in energy does not grow, that of Runge-Kutta is small."""
    error = {}
    for method, dt in (("semi_implicit_euler", 0.01), ("rk4", 0.05), ("euler", 0.01)):
        energy = simulate(POINT_PENDULUM, [1], [0], np.linspace(0, 20, 401), method=method, dt=dt,
                          dynamics=lambda model, q, *_: -9.81 * np.sin(q)).energy
        error[method] = np.abs(energy - energy[0])
    first, last = np.array_split(error["semi_implicit_euler"], 2)
    assert 0.01 < last.max() < 1.1 * first.max() < 0.2
    assert error["rk4"].max() < 1e-3
    assert error["euler"].max() > 5


# What a trajectory knows

def test_energies_and_momentum_of_a_trajectory_are_those_of_its_bodies(rng):
    tree, t = random_tree(rng, 3, [0, 1, 1]), np.linspace(0, 0.5, 51)

    def tau(t, q, qd):
        return [math.sin(3 * t), -0.5 * qd[1], 0]

    free, driven = (simulate(tree.model(), *rng.normal(size=(2, 3)), *given) for given in (((0, 0.3),), (t, tau)))
    for motion in (free, driven):
        kinetic = [qd @ tree.mass_matrix(q) @ qd / 2 for q, qd in zip(motion.q, motion.qd, strict=True)]
        potential = [-sum(m * tree.gravity @ c for (m, _, _), c in zip(tree.bodies, tree.centres(q), strict=True))
                     for q in motion.q]
        assert_allclose(motion.kinetic, kinetic, rtol=1e-9)
        assert_allclose(motion.potential, potential, rtol=1e-9, atol=1e-12)
    assert_allclose(free.energy, free.energy[0], atol=1e-6)
    assert len(free) == len(free.t) > 2
    assert_array_equal(free.residual, 0)
    power = np.array([np.dot(tau(*state), state[2]) for state in zip(t, driven.q, driven.qd, strict=True)])
    work = (t[1] - t[0]) / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    assert driven.energy[-1] - driven.energy[0] == pytest.approx(work, abs=1e-5)

    m, c, I_C = random_mass_properties(rng)
    model = Model([0], [FreeMotion()], [np.eye(6)], [mcI(m, c, I_C)])
    motion = simulate(model, *model.random_state(rng), (0, 0.5))
    for q, v, h in zip(motion.q, motion.qd, motion.momentum, strict=True):
        R, p = joint_pose(FreeMotion(), q)
        linear = m * R @ (v[3:] + np.cross(v[:3], c))
        assert_allclose(h, np.concatenate([np.cross(p + R @ c, linear) + R @ I_C @ v[:3], linear]), atol=1e-9)
    assert repr(motion) == f"<Trajectory of <Model of 1 bodies, nq=7, nv=6>: {len(motion)} samples, t = 0 to 0.5 s>"


def test_a_free_floating_mechanism_keeps_its_momentum_and_under_gravity_gains_by_its_weight(rng):
    """About the fixed origin: forces in the joints change nothing, weight changes what it must."""
    mechanism = Mechanism(rng, [FreeMotion(), Spherical(), Revolute("x"), Prismatic("y")], [0, 1, 2, 1])
    model = mechanism.model().replace(gravity=(0, 0, 0))
    q, qd = model.random_state(rng)
    push = np.concatenate([np.zeros(6), rng.normal(size=model.nv - 6)])
    floating = simulate(model, q, qd, TIMES, push, tolerance=1e-10)
    assert_allclose(floating.momentum, np.tile(floating.momentum[0], (len(TIMES), 1)), atol=1e-7)
    assert np.ptp(floating.kinetic) > 0.1

    g, mass = np.array([1.0, -2, 3]), sum(m for m, _, _ in mechanism.bodies)
    falling = simulate(model.replace(gravity=g), q, qd, TIMES, push, tolerance=1e-10)
    assert_allclose(falling.momentum[:, 3:], falling.momentum[0, 3:] + np.outer(TIMES, mass * g), atol=1e-6)


def test_the_norm_that_euler_parameters_lost_is_reported_and_repaired(rng):
    model, defects = Model([0], [Spherical()], [np.eye(6)], [mcI(*random_mass_properties(rng))]), []
    state = model.random_state(rng)
    for tolerance in (1e-2, 1e-5, 1e-9):
        motion = simulate(model, *state, (0, 3), method="RK45", tolerance=tolerance)
        assert_allclose(np.linalg.norm(motion.q, axis=1), 1, atol=1e-14)
        assert_array_equal(motion.residual, motion.norm_defect)
        defects.append(motion.norm_defect.max())
    assert 1e-1 > defects[0] > 10 * defects[1] > 100 * defects[2]


@pytest.mark.parametrize("joint", [FreeMotion(), Reversed(Spherical())], ids=str)
def test_a_ball_that_spins_for_long_has_turned_by_omega_times_t(joint):
    """Euler parameters whose length drifts must not turn more slowly for that: the angle is 200 rad."""
    ball = Model([0], [joint], [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([1, 1.5, 2]))], gravity=(0, 0, 0))
    end = simulate(ball, joint.neutral(), np.eye(joint.nv)[2] * 5, [0, 20, 40],
                   dynamics=lambda *state: np.zeros(joint.nv))              # about a principal axis
    sense = -1 if isinstance(joint, Reversed) else 1
    assert_allclose(body_transforms(ball, end.q[-1])[1][:3, :3], rz(sense * 200), atol=4e-7)
    assert end.norm_defect.max() < 1e-7


# Loops

def held_by_a_loop(l=0.8):
    """The pendulum of a rod as a body that moves freely in the plane, and a hinge to the base that closes a loop.
    q is the angle and the position of the rod's centre."""
    rod = mcI(1.3, [0, 0, 0], np.diag([1, 1, 1.3 * l * l / 12]))
    loop = LoopJoint(0, 1, Revolute("z"), np.eye(6), xlt([0, l / 2, 0]))
    return Model([0], [Planar()], [np.eye(6)], [rod], gravity=(0, -9.81, 0), loops=[loop])


@pytest.mark.slow
def test_bodies_on_loop_joints_swing_as_on_tree_joints():
    t, start = np.linspace(0, 1, 6), [2.5, 0.4 * math.sin(2.5), -0.4 * math.cos(2.5)]
    motion = simulate(held_by_a_loop(), start, [0, 0, 0], t, tolerance=1e-8)
    assert_allclose(motion.q[:, 0], large_swing(t), atol=1e-5)
    assert_allclose(motion.energy, motion.energy[0], atol=1e-5)
    assert motion.loop_gaps.shape == motion.loop_slips.shape == (6, 1)
    assert motion.residual.max() < 1e-11
    by_earlier_steps = simulate(held_by_a_loop(), start, [0, 0, 0], t, method="LSODA", tolerance=1e-7)
    assert 1e-12 < by_earlier_steps.residual.max() < 1e-3                        # left alone by default


def test_the_gap_of_a_loop_is_the_distance_by_which_its_hinge_has_come_apart():
    """The rod's centre rides on two slides, so that Euler's straight steps leave the circle."""
    loop = LoopJoint(0, 3, Revolute("z"), np.eye(6), xlt([0, 0.4, 0]))
    slides = Model([0, 1, 2], [Prismatic("x"), Prismatic("y"), Revolute("z")], [np.eye(6)] * 3,
                   [np.zeros((6, 6)), np.zeros((6, 6)), held_by_a_loop().inertia[1]], (0, -9.81, 0), loops=[loop])
    start = [0.4 * math.sin(2.5), -0.4 * math.cos(2.5), 2.5]
    coarse = simulate(slides, start, [0, 0, 0], [0, 0.5, 1], method="euler", dt=0.02, project=False)
    x, y, angle = coarse.q.T
    distance = np.hypot(x - 0.4 * np.sin(angle), y + 0.4 * np.cos(angle))
    assert distance[2] > distance[1] > 1e-3
    assert (0.7 * distance - 1e-12 < coarse.loop_gaps[:, 0]).all()
    assert (coarse.loop_gaps[:, 0] < distance + 1e-12).all()
    assert_array_equal(coarse.residual, coarse.loop_gaps[:, 0])
    assert coarse.loop_slips[2, 0] > 1e-3


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_a_step_that_leads_where_there_is_no_acceleration_is_tried_again_shorter(method):
    """A wall that repels ever more strongly: a trial step that ends behind it is no reason to give up."""
    refused = []

    def wall(model, q, qd, tau, f_ext, t):
        if q[0] >= 1:
            refused.append(t)
            raise ValueError("behind the wall")
        return np.array([-1e-6 / (1 - q[0]) ** 2])

    motion = simulate(SLIDER, [0], [3.0], (0, 1), dynamics=wall, method=method, progress=False)
    assert refused and motion.qd[-1, 0] < -2.9
    assert_allclose(motion.qd[:, 0] ** 2 / 2 + 1e-6 / (1 - motion.q[:, 0]), 4.5 + 1e-6, atol=1e-4)


@pytest.mark.parametrize("options", [
    {"method": "rk4", "dt": 0.02}, {"method": "RK45", "tolerance": 1e-4}, {"method": "Radau", "tolerance": 1e-4}],
    ids=lambda options: options["method"])
def test_loops_stay_closed_unless_they_are_left_alone(options):
    """The state is put back after each step; forces close the loop as well as the steps let them; alone it opens."""
    given = (*FOUR_BAR, [0, 0.1, 0.2])
    back = simulate(*given, **options)
    assert back.residual.max() < 1e-12 and back.loop_slips.max() < 1e-12
    assert_allclose(back.energy, back.energy[0], atol=2e-3)
    if options["method"] != "Radau":                # too exact for so short a time
        pulled, alone = (simulate(*given, **options, **kept) for kept in ({"T_stab": 0.05}, {"project": False}))
        assert 1e-12 < pulled.residual[-1] < alone.residual[-1] / 2
    if options["method"] == "rk4":
        assert simulate(*given, **options, T_stab=0.05, project=True).residual.max() < 1e-12


@pytest.mark.slow
def test_radau_goes_on_from_where_the_state_was_put_back_to():
    """It starts each step from where its last one was going, and would find no way back from there."""
    motion = simulate(*FOUR_BAR, [0, 0.2, 0.4], method="Radau", tolerance=1e-4, T_stab=0.05, project=True)
    assert_allclose(motion.q, simulate(*FOUR_BAR, [0, 0.2, 0.4], tolerance=1e-8).q, atol=2e-4)


def test_every_method_of_closed_loops_moves_a_mechanism_as_the_assembled_equation_does():
    given = (*FOUR_BAR, [0, 0.05], [1.0, 0, 0])

    def assembled(*state):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return solve_system(*state).qdd

    expected = simulate(*given, dynamics=assembled, project=False, tolerance=1e-8)
    for name in loop_dynamics.METHODS:
        assert_allclose(simulate(*given, dynamics=name, tolerance=1e-8).q, expected.q, atol=1e-6, err_msg=name)


def test_a_mechanism_passes_its_flat_position():
    """All bars of a parallelogram in one line: there it could turn over to the other branch, and does not."""
    motion = simulate(parallelogram(), [0.5, -0.5, 0.5], [-4, 4, -4], [0, 0.1, 0.2, 0.3], tolerance=1e-7)
    assert motion.q[-1, 0] < -0.3
    assert_allclose(motion.q, motion.q[:, :1] * [1, -1, 1], atol=1e-6)
    assert_allclose(motion.energy, motion.energy[0], atol=1e-5)


@pytest.mark.slow
def test_what_a_function_of_the_user_does_to_its_arguments_stays_there():
    def greedy(t, q, qd):
        q[:], qd[:] = 99, 99
        return [0, 0]

    def greedy_dynamics(model, q, qd, tau, f_ext, t):
        qdd = forward_dynamics(model, q, qd, tau, f_ext, t=t)
        q[:], qd[:], tau[:], f_ext[:] = 0, 0, 5, 5
        return qdd

    given = (load("double_pendulum"), [1, 2], [3, 4], TIMES)
    for options in ({"compiled": False}, {"compiled": False, "method": "rk4", "dt": 0.05}):
        untouched = simulate(*given, **options)
        for motion in (simulate(*given, greedy, **options), simulate(*given, dynamics=greedy_dynamics, **options)):
            assert_array_equal(motion.q, untouched.q)
            assert_array_equal(motion.qd, untouched.qd)
    named = simulate(*given, [0.1, 0.2], dynamics="inverse_dynamics")
    assert_allclose(named.q, simulate(*given, [0.1, 0.2]).q, atol=1e-7)


def test_compiled_functions_that_do_not_fit_are_refused():
    for function, model, message in ((aba, load("double_pendulum"), "compiled for another model"),
                                     (rnea, load("pendulum"), "compiled from rnea, a function of q, qd, qdd")):
        with pytest.raises(ValueError, match=message):
            simulate(load("pendulum"), [0.1], [0], (0, 1), dynamics=compile_for(function, model, backend="numpy"))
    given = load("pendulum"), [0.1], [0], TIMES
    own = simulate(*given, dynamics=compile_for(aba, load("pendulum"), "numpy"), f_ext={1: np.ones(6)})
    assert_allclose(own.q, simulate(*given, f_ext={1: np.ones(6)}).q, rtol=1e-9)
    with pytest.raises(SimulationError, match="compiled from plain, which takes no f_ext"):
        def plain(model, q, qd, tau):
            return aba(model, q, qd, tau)
        one = load("pendulum")
        simulate(one, [0.1], [0], (0, 1), f_ext={1: [1, 0, 0, 0, 0, 0]}, dynamics=compile_for(plain, one, "numpy"))


def test_exact_numbers_are_numbers_wherever_they_are_given():
    half, model, times = sp.Rational(1, 2), load("double_pendulum"), (0, 0.1)
    plain = simulate(model, [0.5, 1], [0, 0.5], times, [0.5, 0.5], {1: [0.5] * 6})
    given = simulate(model, [half, 1], [0, half], times, lambda *state: [half, half], lambda *state: {1: [half] * 6})
    for motion in (simulate(model, [half, 1], [0, half], times, [half, half], {1: [half] * 6}), given):
        assert_allclose(motion.q, plain.q, rtol=1e-12)
    steady = simulate(model, [0.5, 1], [0, 0.5], TIMES, dynamics=lambda *state: [half, 2 * half])
    assert_allclose(steady.qd, np.outer(TIMES, [0.5, 1]) + [0, 0.5], rtol=1e-12)


@pytest.mark.slow
def test_a_quick_run_is_silent_and_a_long_one_shows_its_progress_on_stderr(capsys, monkeypatch):
    given = (load("pendulum"), [1], [0], TIMES)
    monkeypatch.setattr(Progress, "DELAY", 60)                      # a busy computer may take seconds
    simulate(*given)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(Progress, "DELAY", -1)
    simulate(*given, progress=False)
    assert capsys.readouterr() == ("", "") and Progress(1, "s", False).bar is None      # tqdm's lock is left alone
    for shown in (None, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda shown=shown: shown is None)        # a file wants no bar
        simulate(*given, progress=shown)
        out, err = capsys.readouterr()
        assert out == "" and "100%" in err and "1/1 s" in err and err.endswith("\n")
    simulate(*given)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(SimulationError):
        simulate(*given, lambda t, q, qd: [math.nan if t > 0.5 else 0], progress=True)
    assert capsys.readouterr().err.endswith("\n")
    # in a notebook a bar waits longer and is on stdout, since stderr looks like a mistake
    monkeypatch.undo()
    for stream in (None, type("Tee", (), {"write": lambda self, text: None})()):    # which may not know if it is a file
        monkeypatch.setattr(sys, "stderr", stream)
        assert Progress(1, "s").bar is None
    monkeypatch.setattr(sys, "stderr", type("OutStream", (), {"__module__": "ipykernel.iostream"})())
    assert Progress(1, "s").bar.delay > 4 * Progress.DELAY
    with Progress(1, "s", show=True) as progress:
        progress.update(1)
    assert "100%" in capsys.readouterr().out


def test_the_centre_of_a_free_body_flies_along_the_parabola_and_its_spin_stands_still_in_space(rng):
    gravity, (m, c, I_C), (R, p) = np.array([1, -2, -9.81]), random_mass_properties(rng), random_pose(rng)
    v = rng.normal(size=6)
    motion = simulate_rigid_body(mcI(m, c, I_C), v, TIMES, X=plucker(R.T, p), gravity=gravity)
    start, speed = p + R @ c, R @ (v[3:] + np.cross(v[:3], c))
    centres = motion.r + np.array([E.T @ c for E in motion.E])
    assert isinstance(motion, BodyMotion)
    assert_allclose(centres, start + np.outer(TIMES, speed) + np.outer(TIMES**2 / 2, gravity), atol=1e-8)
    spin = np.array([E.T @ I_C @ v[:3] for E, v in zip(motion.E, motion.v, strict=True)])
    assert_allclose(spin, np.tile(R @ I_C @ v[:3], (len(TIMES), 1)), atol=1e-8)
    energy = [v[:3] @ I_C @ v[:3] for v in motion.v]
    assert_allclose(energy, energy[0], atol=1e-8)
    assert np.ptp(motion.v[:, :3], axis=0).max() > 1e-3
    for E in motion.E:
        assert_allclose(E @ E.T, np.eye(3), atol=1e-8)
    spinning = simulate_rigid_body(mcI(1, [0, 0, 0], np.diag([1, 1, 2])), [0, 0, 3, 0, 0, 0], TIMES)
    assert_allclose(spinning.E, [rz(3 * t) for t in TIMES], atol=1e-8)


# Refusals

@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"q0": [1, 2]}, ValueError, r"q0 has shape \(2,\); expected 1 numbers"),
    ({"qd0": [math.nan]}, ValueError, "qd0 contains nan"), ({"q0": ["a"]}, TypeError, "q0 contains the text 'a'"),
    ({"t_span": [0]}, ValueError, "t_span must hold at least two times, each later than the one before"),
    ({"t_span": [0, 1, 1]}, ValueError, "t_span must hold at least two times, each later"),
    ({"t_span": [0, math.inf]}, ValueError, "t_span contains inf at index 1"),
    ({"t_span": 5}, ValueError, r"t_span is 5, a single time; give a start and an end, such as \(0, 5\)"),
    ({"t_span": None}, TypeError, "t_span contains None"),
    ({"t_span": [[0, 1]]}, ValueError, r"t_span has shape \(1, 2\)"),
    ({"torque": [1, 2]}, ValueError, r"torque has shape \(2,\); expected 1 numbers"),
    ({"torque": lambda t, q, qd: [1, 2]}, ValueError, r"torque has shape \(2,\); expected 1 numbers"),
    ({"torque": lambda t, q, qd: [math.nan]}, ValueError, r"At t = 0 s the torque at joint 1 \(rod\) is \[nan\]"),
    ({"torque": "gravity"}, TypeError, "torque contains the text 'gravity'"),
    ({"f_ext": {3: np.zeros(6)}}, ValueError, "f_ext names body 3"),
    ({"tolerance": 0}, ValueError, "tolerance is 0; give a positive number"),
    ({"tolerance": math.nan}, ValueError, "tolerance contains nan"),
    ({"q0": [sp.Symbol("q")]}, ValueError, "The model or the state contains complex numbers or symbols; simulate"),
    ({"model": load("pendulum", symbolic=True)}, ValueError, "The model or the state contains complex numbers or"),
    ({"model": "pendulum"}, TypeError, "model is 'pendulum'; give a Model"),
    ({"method": "rk5"}, ValueError,
     "method is 'rk5'; choose 'euler', 'semi_implicit_euler', 'heun', 'rk4', 'stormer_verlet', 'RK45'"),
    ({"method": "rk4"}, ValueError, "dt is None; method 'rk4' needs the length of its steps"),
    ({"method": "euler", "dt": 0}, ValueError, "dt is 0; method 'euler' needs the length of its steps"),
    ({"method": "euler", "dt": math.nan}, ValueError, "dt contains nan"),
    ({"dt": 0.1}, ValueError, "dt is 0.1, but 'DOP853' chooses its steps by the tolerance; leave dt out"),
    ({"dynamics": "magic"}, ValueError, "dynamics is 'magic'; choose .*'inverse_dynamics'"),
    ({"progress": "yes"}, ValueError, "progress is 'yes'; choose True, False, or None"),
    ({"torque": lambda t, q, qd: None}, TypeError, r"torque\(t, q, qd\), called at t = 0 s: torque contains None"),
    ({"torque": lambda t, q, qd: [sp.Symbol("u")]}, TypeError, r"t = 0 s: torque contains complex numbers or symbols"),
    ({"torque": [1j]}, ValueError, "torque contains complex numbers or symbols; give real numbers"),
    ({"f_ext": {1: [0, 0, 0, 1j, 0, 0]}}, ValueError, r"f_ext\[1\] contains complex numbers or symbols; give real"),
    ({"f_ext": lambda t, q, qd: {1: [1j] * 6}}, ValueError, r"called at t = 0 s: f_ext\[1\] contains complex"),
    ({"dynamics": ["aba"]}, ValueError, r"dynamics is \['aba'\]; choose .* or give a function"),
    ({"dynamics": lambda *given: 3.0}, ValueError, r"dynamics\(model, q, .*, t\), called at .*: qdd has shape \(\)"),
    ({"dynamics": lambda *given: [1, 2]}, ValueError, r"dynamics\(.*\), called at t = 0 s: qdd has shape \(2,\)"),
    ({"dynamics": lambda *given: None}, TypeError, r"dynamics\(.*\), called at t = 0 s: qdd contains None"),
    ({"dynamics": lambda *given: [1j]}, TypeError, r"dynamics\(.*\), called at t = 0 s: qdd contains complex numbers"),
    ({"f_ext": lambda t, q, qd: {7: np.zeros(6)}}, ValueError, r"f_ext\(t, q, qd\), called .*: f_ext names body 7"),
    ({"model": Model([0], [Spherical()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))]), "q0": [0] * 4, "qd0": [0] * 3},
     ValueError, "is not a unit vector"),
    ({"f_ext": lambda t, q, qd: 3}, TypeError, r"f_ext\(t, q, qd\), called at t = 0 s: f_ext is 3"),
    *(({"model": held_by_a_loop(), "q0": [0, 0, -0.4], "qd0": [0, 0, 0], **changes}, ValueError, message)
      for changes, message in (                                             # a loop is never ignored
        ({"q0": [0, 0.1, -0.4]}, r"Loop joint 2 is open at the start: its two frames miss one another by 0.1"),
        ({"qd0": [0, 0, 1]}, r"Loop joint 2 is open at the start: .* their velocities by 1\. Choose q0 and qd0"),
        ({"dynamics": "inverse_dynamics"}, "dynamics is 'inverse_dynamics', which knows nothing of the model's 1 loop"),
        ({"T_stab": -1}, r"^T_stab is -1; give a time constant in s above 0"),
        ({"project": "yes"}, "project is 'yes'; choose True, False, or None"),
        ({"project": True, "method": "BDF"},
         "project is True, but 'BDF' builds on earlier steps, .* T_stab=0.1 instead"))),
    *(({"I": np.eye(6), "v": np.zeros(6), "t": [0, 0.1], **changes}, ValueError, message) for changes, message in (
        ({"I": np.zeros((6, 6))}, "I has mass 0"), ({"I": -np.eye(6)}, "The mass in I is -1"),
        ({"I": mcI(1, [0, 0, 0], np.zeros((3, 3)))}, "I_C is singular: some axis has no rotational inertia"),
        ({"I": np.eye(5)}, r"I has shape \(5, 5\); expected a matrix of shape \(6, 6\)"),
        ({"v": [0, 0, 1]}, r"v has shape \(3,\); expected 6 numbers"),
        ({"v": [0, 0, math.inf, 0, 0, 0]}, "v contains inf at index 2"), ({"t": [0]}, "t must hold at least two times"),
        ({"X": 2 * np.eye(6)}, "The upper left block of X is not a rotation"),
        ({"gravity": 9.81}, r"gravity has shape \(\)"), ({"tolerance": -1}, "tolerance is -1; give a positive n")))])
def test_wrong_arguments_are_named(changes, error, message):
    with pytest.raises(error, match=message):
        if "I" in changes:
            simulate_rigid_body(**changes)
        else:
            simulate(**{"model": load("pendulum"), "q0": [1], "qd0": [0], "t_span": [0, 0.1], **changes})


def ends(model, q, qd, tau, f_ext, t):
    if q[0] >= 0.5:
        raise ValueError("the track ends")
    return np.zeros(2)


#: x'' = x⁹ leaps to infinity in a few steps: of body 2 alone, body 1 does nothing.
BLOWN_UP = {
    "model": Model([0, 0], [Prismatic("x")] * 2, [np.eye(6)] * 2, [mcI(1, [0, 0, 0], np.eye(3))] * 2, (0, 0, 0)),
    "q0": [1, 2], "qd0": [0, 1], "t_span": (0, 9), "torque": lambda t, q, qd: [0, min(q[1]**9, 1e300)], "dt": 0.3,
    "dynamics": lambda model, q, qd, tau, f_ext, t: tau * 1e10}
with pytest.warns(UserWarning, match="moves nothing that has mass"):
    WEIGHTLESS = Model([0], [Revolute("z")], [np.eye(6)], [np.zeros((6, 6))])


@pytest.mark.parametrize(("changes", "message", "t", "body"), [
    ({"f_ext": lambda t, q, qd: {2: [0, 0, 0, math.inf if t > 0.25 else 1, 0, 0]}, "method": "euler", "dt": 0.1},
     r"f_ext\(t, q, qd\), .* t = 0.3 s: f_ext\[2\] contains inf", 0.3, 2),
    ({"qd0": [0, 1e200]}, r"t = 0 s the bias force of body 2 \(lower\) is no", 0, 2),
    ({"dynamics": lambda *given: np.array([math.inf, 0])}, r"the acceleration of joint 1 .* is \[inf\]", 0, 1),
    ({"dynamics": lambda model, q, qd, tau, f_ext, t: [0, math.nan if t > 0.25 else 0], "method": "euler", "dt": 0.1},
     r"joint 2 \(lower\) is \[nan\].*function dynamics returned", 0.3, 2),
    ({"q0": [0, 0], "qd0": [1.0, 0], "dynamics": ends}, "the track ends", 0.5, None),      # however short the step
    # q'' = 2 q³ from q = q' = 1 is q = 1 / (1 - t), which ends at t = 1
    ({"model": POINT_PENDULUM, "q0": [1], "qd0": [1], "t_span": (0, 5), "dynamics": lambda model, q, *_: 2 * q**3,
      "tolerance": 1e-4}, "The integration stopped at t = 1 s: Required step size", (0.999, 1.001), None),
    *(({"torque": lambda t, q, qd: [0, math.sqrt(-1) if t < 0 else (math.nan if t > 0.25 else 0)], **options},
       r"the torque at joint 2 \(lower\) is \[nan\], which", (0.25, 1), 2)
      for options in ({"method": "euler", "dt": 0.1}, {"method": "rk4", "dt": 0.1}, {})),
    *(({**BLOWN_UP, "method": method}, r"joint 2 \(body 2\) is \[(inf|nan)", (0, 9), 2)
      for method in ("euler", "semi_implicit_euler", "rk4")),
    ({"model": WEIGHTLESS, "q0": [1], "qd0": [0], "t_span": (2, 3)}, "At t = 2 s: .*no inertia", 2, 1)])
def test_what_stops_a_motion_is_told_with_the_time_and_the_body(changes, message, t, body):
    arguments = {"model": load("double_pendulum"), "q0": [1, 0], "qd0": [0, 0], "t_span": (0, 1)}
    with pytest.raises(SimulationError, match=message) as caught:
        simulate(**{**arguments, **changes})
    error = caught.value
    assert error.body == body
    assert t[0] < error.t <= t[1] if isinstance(t, tuple) else error.t == pytest.approx(t, abs=1e-6)
    assert f"t = {error.t:.6g} s" in str(error) and isinstance(error, ValueError) and isinstance(error, RuntimeError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.t, again.body) == (str(error), error.t, body)
