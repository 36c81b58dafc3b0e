"""Runs in machine code: the motions of the readable functions, errors of the user's functions, and interrupts."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose

from rbdlib import aba, compile_for, load
from rbdlib.book.ch02_spatial import mcI, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Helical, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import kinetic_energy, momentum
from rbdlib.book.ch04_model import Model
from rbdlib.compile import c_compiler
from rbdlib.loops.closing import close_loops
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.motion import compiled as runs, machine_code
from rbdlib.motion.controllers import computed_torque, gravity_compensation, pd
from rbdlib.motion.embedded_pairs import PAIRS, pair_errors, pair_step
from rbdlib.motion.integrators import FIXED_STEP, SimulationError
from rbdlib.motion.simulate import Trajectory, simulate
from rbdlib.numbers.progress import Progress

pytestmark = pytest.mark.skipif(c_compiler.find_compiler() is None, reason="needs a C compiler")
TIMES = np.linspace(0, 0.5, 6)
PENDULUM, LIFT = load("double_pendulum"), Custom(0, X_J=lambda q, t: xlt([0, 0, t * t]))
DRIVES = {
    "none": {}, "constant": {"torque": [0.1, -0.2]}, "forces": {"f_ext": {2: [0, 0, 0.3, 0.1, 0, 0]}},
    "Python's": {"torque": lambda t, q, qd: -0.1 * qd,
                 "f_ext": lambda t, q, qd: {2: [0, 0, np.sin(3 * t), 0, 0.1, -qd[0]]}},
    "another method": {"dynamics": "crba"},
    "controllers": {"torque": pd(PENDULUM, [0.1, 0], 5, [1, 2]) + gravity_compensation(PENDULUM)},
    "a wanted motion": {"torque": computed_torque(
        PENDULUM, lambda t: np.array([np.sin(t), t]), lambda t: np.array([np.cos(t), 1]),
        lambda t: np.array([-np.sin(t), 0]), 20, 8)}}


def difference(model, q, qd, times=TIMES, **options):
    fast, readable = (simulate(model, q, qd, times, compiled=compiled, **options) for compiled in (True, False))
    return max(np.abs(getattr(fast, x) - getattr(readable, x)).max() for x in ("q", "qd", "norm_defect"))


@pytest.mark.parametrize("drive", DRIVES)
def test_motions_with_all_kinds_of_forces_are_the_readable_ones(drive):
    assert difference(PENDULUM, [0.3, 0.5], [0.2, -1], **DRIVES[drive]) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize(("method", "options"), [*((name, {"dt": 0.02}) for name in FIXED_STEP), ("RK45", {}),
                                                 ("DOP853", {})])
def test_every_method_takes_the_same_steps(method, options):
    model = load("falling_cat")
    q, qd = model.random_state(np.random.default_rng(2))
    assert difference(model, q, 0.3 * qd, method=method, **options) < 1e-11
    fast, readable = (simulate(model, q, 0.3 * qd, (0, 0.3), method=method, compiled=compiled, **options)
                      for compiled in (True, False))
    assert len(fast) == len(readable) and fast.t[-1] == readable.t[-1] == 0.3
    assert np.abs(fast.norm_defect - readable.norm_defect).max() < 1e-9


@pytest.mark.parametrize("method", ["Radau", "LSODA", "BDF"])
def test_integrators_of_scipy_are_given_compiled_rates(method):
    assert difference(PENDULUM, [0.3, 0.5], [0, 0], method=method, tolerance=1e-8) < 1e-6


@pytest.mark.slow
def test_joints_of_all_kinds_and_functions_of_time():
    rng = np.random.default_rng(5)
    joints = [Revolute("x"), LIFT, Reversed(Helical(0.1)), Spherical(), Prismatic("y")]
    X = [rotx(0.3) @ xlt([0.1 * k, 0.2, 0]) @ rotz(k) for k in range(5)]
    inertia = [mcI(1 + k, rng.normal(size=3) / 9, 0.1 * np.eye(3)) for k in range(5)]
    model = Model([0, 1, 1, 3, 2], joints, X, inertia, gravity=[0, -3, -9])
    q, qd = model.random_state(rng)
    assert difference(model, q, qd, tolerance=1e-3) < 1e-9


@pytest.mark.parametrize("method", ["explicit", "sparse", "quick"])
def test_gears_turn_their_joints(method):
    tree = GearedTree(PENDULUM, [Gear(2, {1: -3})])
    assert difference(tree, [0.3], [0.2], dynamics=method) < 1e-11


@pytest.mark.parametrize(("options", "torque"), [
    ({}, None), ({"method": "rk4", "dt": 0.02}, [np.nan, 0.2]), ({}, pd(PENDULUM, [0.1, 0], 5, [1, 2])),
    ({"method": "Radau", "tolerance": 1e-7}, pd(PENDULUM, [0.1, 0], 5, [1, 2]))])
def test_joints_move_as_prescribed(options, torque):
    def swing(t):
        return np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)

    near = 1e-9 if "tolerance" not in options else options["tolerance"] / 10             # Radau iterates
    assert difference(PENDULUM, [0, 1], [0, 0], prescribed={1: swing}, torque=torque, **options) < near


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [
    ("four_bar", {}), ("four_bar", {"method": "rk4", "dt": 0.02}), ("crank_slider", {"T_stab": 0.1})])
def test_loops_stay_closed(name, options):
    model = load(name)
    q, qd = close_loops(model, model.neutral()), np.zeros(model.nv)
    assert difference(model, q, qd, TIMES / 4, **options) < 1e-9
    if not options:
        assert difference(model, q, qd, TIMES / 4, dynamics=compile_for(by_loop_constraints, model)) < 1e-9
    motion = simulate(model, q, qd, (0, 0.5), compiled=True, **options)
    assert motion.loop_gaps.max() < (1e-11 if "T_stab" not in options else 1e-7)


@pytest.mark.slow
def test_the_squeezing_mechanism_ends_where_the_test_set_says():
    """A motor turns K1; a spring of 4530 N/m pulls a point of K3 to C. Start and end are printed in the test set."""
    def forces(t, q, qd):
        arm = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]]) @ [0.02, -0.018]
        stretch = arm + [-0.03635 - 0.014, 0.03273 - 0.072]
        pull = -4530 * (1 - 0.07785 / np.hypot(*stretch)) * stretch
        return np.array([0.033, 0, arm[0] * pull[1] - arm[1] * pull[0], 0, 0, 0, 0])

    q = [-0.06171389001427650, 0, 0.4552798191630704, 0.4873649795438425, 0.2226683901658859, 1.230547444549821,
         -0.2226683901658859]
    motion = simulate(load(Path(__file__).with_name("squeezer.toml")), q, np.zeros(7), (0, 0.03), forces, compiled=True)
    assert np.abs(motion.q[-1] - [15.81077119629904, -15.75637105984298, 0.04082224013073101, 0.5244099658805304,
                                  -0.5347301163226948, 1.048080741042263, 0.5347301163226948]).max() < 3e-8


@pytest.mark.slow
def test_what_a_compiled_program_cannot_see_is_answered_by_the_readable_function():
    """At rest the step of Euler parameters divides 0 by 0; a chain without mass has singular H where it is straight."""
    model = load("satellite_arm")
    q, qd = model.neutral(), np.zeros(model.nv)
    assert difference(model, q, qd, method="euler", dt=0.05) < 1e-12
    massless = PENDULUM.replace(inertia=[np.zeros((6, 6)), PENDULUM.inertia[2]])
    with pytest.raises(SimulationError, match="singular"):
        simulate(massless, [0.3, 0], [0, 0], (0, 1), compiled=True)
    assert difference(massless, [0.3, 1.5], [0, 0], TIMES / 10) < 1e-9


@pytest.mark.parametrize("method", PAIRS)
def test_the_pairs_step_as_scipys_integrators(method):
    """With its interpolation, at any place within the step."""
    def rate(t, y):
        return np.array([y[1], -np.sin(y[0]) + 0.1 * t])

    pair, start = PAIRS[method], np.array([1.0, 0.3])
    solver = getattr(scipy.integrate, method)(rate, 0.2, start, 10.0, rtol=1e-6, atol=1e-6)
    solver.step()
    h, between = solver.step_size, solver.dense_output()
    y, k = pair_step(pair, rate, 0.2, start, rate(0.2, start), h)
    assert np.abs(y - solver.y).max() < 1e-15 and np.abs(k[-1] - solver.f).max() < 1e-15
    coefficients = pair.interpolation(pair, rate, 0.2, start, y, k, h)
    for x in (0, 0.3, 0.8, 1):
        assert np.abs(pair.between(start, coefficients, h, x) - between(0.2 + x * h)).max() < 1e-15
    squares = [float(((e / 1e-6) ** 2).sum()) for e in pair_errors(pair, k, h)]
    expected = solver._estimate_error_norm(np.array(k), h, np.full(2, 1e-6))
    assert pair.norm(squares, 2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_a_long_run_goes_on_in_machine_code_and_a_short_one_does_not(monkeypatch):
    model = load("cart_pole").replace(gravity=[0, -9.7, 0])              # compiled by nobody before
    calls = []
    made = machine_code.Machine.run
    monkeypatch.setattr(machine_code.Machine, "run", lambda self, *given: calls.append(self.rest) or made(self, *given))
    start = [0, 0.5], [0, 0]
    simulate(model, *start, (0, 0.1))
    assert not calls
    for method, options in (("DOP853", {}), ("rk4", {"dt": 0.002})):
        del calls[:]
        for times in ((0, 10), np.linspace(0, 10, 7)):
            mixed = simulate(model, *start, times, method=method, compiled=None, **options)
            whole = simulate(model, *start, times, method=method, compiled=True, **options)
            assert mixed.t[-1] == whole.t[-1] == 10 and len(mixed) == len(whole)
            assert np.abs(mixed.q - whole.q).max() < 1e-5 and np.abs(mixed.t - whole.t).max() < 1e-5
        assert 0 < calls[0].t < 10 and [rest.t for rest in calls[1:]] == [0, 0, 0], "what is compiled is used at once"


def test_functions_of_the_users_are_called_once_for_each_evaluation():
    times = []

    def torque(t, q, qd):
        times.append(t)
        return -qd

    counts = []
    for compiled in (True, False):
        del times[:]
        simulate(PENDULUM, [0.3, 0.5], [0, 0], (0, 1), torque=torque, compiled=compiled)
        counts.append(len(times))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("torque", "error", "message"), [
    (lambda t, q, qd: [1.0], SimulationError, "torque has shape"),
    (lambda t, q, qd: [0, np.nan if t > 0.2 else 0], SimulationError, "torque at joint 2"),
    (lambda t, q, qd: 1 / 0, ZeroDivisionError, "division"), (lambda t, q, qd: ["a", 1j], TypeError, "torque")])
def test_errors_of_a_torque_function_are_those_of_the_readable_run(torque, error, message, compiled):
    with pytest.raises(error, match=message):
        simulate(PENDULUM, [0.3, 0.5], [0, 0], (0, 1), torque=torque, compiled=compiled)


@pytest.mark.slow
def test_a_motion_that_blows_up_is_refused_and_what_compile_for_has_compiled_is_welcome():
    with pytest.raises(SimulationError, match="finite") as caught:
        simulate(PENDULUM, [0.3, 0.5], [0, 0], (0, 50), torque=pd(PENDULUM, [0, 0], -1e3, -1e3), compiled=True,
                 method="euler", dt=0.1)
    assert caught.value.t > 0 and caught.value.body in (1, 2)

    assert difference(PENDULUM, [0.3, 0], [0, 0], dynamics=compile_for(aba, PENDULUM)) < 1e-11


@pytest.mark.slow
def test_without_a_compiler_nothing_changes(monkeypatch):
    monkeypatch.setenv("CC", "")
    monkeypatch.setattr(c_compiler, "USUAL", ())
    model = PENDULUM.replace(gravity=[0, -9.6, 0])
    assert len(simulate(model, [0.3, 0.5], [0, 0], (0, 10), tolerance=1e-6)) > 10
    with pytest.raises(c_compiler.CompilerError, match="Install GCC or Clang"):
        simulate(model, [0.3, 0.5], [0, 0], (0, 1), compiled=True)


def test_a_long_run_can_be_interrupted(monkeypatch):
    looks = []

    def interrupted(self, done):
        looks.append(done)
        if len(looks) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(PENDULUM, [1, 2], [0, 0], (0, 1e6), tolerance=1e-12, compiled=True)
    assert 0 < looks[-1] < 1e5 and sorted(looks) == looks


def test_energy_momentum_and_open_loops_of_many_samples_are_those_of_each(monkeypatch):
    monkeypatch.setattr("rbdlib.motion.simulate.compile_for", partial(compile_for, backend="numpy"))
    loop, h = load("figure_8_3"), np.linspace(0, 0.1, 3)
    lifted = PENDULUM.replace(joints=[LIFT, Revolute()])
    for model, q, qd in ((lifted, [0.5], [1]), (loop, close_loops(loop, np.ones(4)), np.ones(4))):
        few = Trajectory(h, q + h[:, None], qd + 0 * h[:, None], model, 0 * h)
        for k, state in enumerate(zip(few.q, few.qd, few.t, strict=True)):
            assert_allclose(few.kinetic[k], kinetic_energy(model, *state), rtol=1e-12)
            assert_allclose(few.potential[k], potential_energy(model, *state[::2]), rtol=1e-12)
            assert_allclose(few.momentum[k], momentum(model, *state), rtol=1e-12)
        with monkeypatch.context() as patch:
            patch.setattr("rbdlib.motion.simulate.MANY", 1)
            many = replace(few)
            for name in ("kinetic", "potential", "momentum", "loop_gaps", "loop_slips"):
                assert_allclose(getattr(many, name), getattr(few, name), rtol=1e-12, atol=1e-14)
    assert few.loop_gaps.max() > 1e-3 < few.loop_slips.max()


def test_what_cannot_be_compiled_and_too_little_memory_are_said(monkeypatch):
    for options, words in (({"dynamics": aba, "compiled": True}, "dynamics is a function of your own"),
                           ({"compiled": "yes"}, "compiled is 'yes'")):
        with pytest.raises((TypeError, ValueError), match=words):
            simulate(PENDULUM, [0, 0], [0, 0], (0, 1), **options)
    monkeypatch.setattr(runs, "library", lambda fixed: SimpleNamespace(begin=lambda *given: runs.NO_MEMORY))
    with pytest.raises(MemoryError, match="not enough memory"):
        simulate(PENDULUM, [0, 0], [0, 0], (0, 1), compiled=True)
