"""Hybrid dynamics against geometry, on every kind of scalar, at its limits; prescribed motions in time; refusals."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, load, rnea
from rbdlib.book.ch02_spatial import mcI, rotx, xlt
from rbdlib.book.ch04_joints import Cylindrical, Fixed, Prismatic, Revolute, Spherical
from rbdlib.book.ch09_hybrid import METHODS, hybrid_dynamics
from rbdlib.methods.custom_joint import Custom
from rbdlib.motion.drives import PrescribedMotions
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.simulate import forces_along, simulate
from rbdlib.numbers import scalars

SOME = mcI(1.2, [0.3, 0.1, 0.2], np.diag([0.4, 0.5, 0.6]))


@pytest.fixture(params=list(METHODS))
def method(request):
    return request.param


def arm(n=3, inertia=None, gravity=(0, 0, -9.81)):
    """Hinges about z, each turned against the one before it."""
    return Model(range(n), [Revolute("z")] * n, [rotx(0.5) @ xlt([1, 0, 0])] * n, inertia or [SOME] * n, gravity)


def crane():
    """A trolley of 5 kg on a rail along x that carries a mass of 2 kg on a rope of 1.5 m; y is up."""
    return Model([0, 1], [Prismatic("x"), Revolute("z")], [np.eye(6)] * 2,
                 [mcI(5, [0, 0, 0], np.eye(3)), mcI(2, [0, -1.5, 0], np.zeros((3, 3)))], (0, -9.81, 0))


# At the limits; every joint is in tests/sources/test_rbda_ch09_hybrid.py

def test_joints_that_depend_on_time(method):
    """A hinge that is swung to and fro, so that H depends on time."""
    swung = Custom(0, lambda q, t: rotx(scalars.sin(3 * t)) @ xlt([scalars.sin(2 * t), 0 * t, 0 * t]), name="swung")
    model = arm().replace(joints=[Revolute("z"), swung, Revolute("z")])
    q, qd, x, y = np.random.default_rng(103).normal(size=(4, 2))
    for prescribed in ([1], [3], []):
        qdd, tau = hybrid_dynamics(model, q, qd, x, y, prescribed, method=method, t=0.4)
        assert_allclose(rnea(model, q, qd, qdd, t=0.4), tau, atol=1e-9)
        for k, body in enumerate((1, 3)):
            assert_allclose(qdd[k] if body in prescribed else tau[k], x[k] if body in prescribed else y[k], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:Joint")
def test_what_only_prescribed_joints_move_needs_no_inertia(method):
    """Forward dynamics has no answer there, and the drives carry nothing."""
    model = arm(inertia=[SOME, SOME, np.zeros((6, 6))])
    q, qd, qdd, tau = np.random.default_rng(93).normal(size=(4, 3))
    found = hybrid_dynamics(model, q, qd, qdd, tau, [3], method=method)
    assert_allclose(found[1][2], 0, atol=1e-12)
    assert_allclose(found[0][:2], aba(arm(2), q[:2], qd[:2], tau[:2]), rtol=1e-10)
    with pytest.raises(ValueError, match="singular"):
        hybrid_dynamics(model, q, qd, qdd, tau, [2], method=method)


def test_trees_without_freedom_and_symbols(method):
    rigid = Model([0, 1], [Fixed()] * 2, [np.eye(6)] * 2, [SOME] * 2)
    for model, prescribed in ((rigid, [2]), (rigid, []), (Model([], [], [], []), [])):
        qdd, tau = hybrid_dynamics(model, [], [], [], [], prescribed, method=method)
        assert qdd.shape == tau.shape == (0,)

    # A pendulum under a trolley by Newton's law, exact: l qdd_2 = -g sin q - x'' cos q; the drive moves both.
    m, M, l, g, x, a, u, w, push = sp.symbols("m M l g x a u w push")
    zero = sp.zeros(3, 3)
    model = Model([0, 1], [Prismatic("x"), Revolute("z")], [np.eye(6, dtype=int)] * 2,
                  [mcI(M, [0, 0, 0], zero), mcI(m, [0, -l, 0], zero)], (0, -g, 0))
    qdd, tau = hybrid_dynamics(model, [x, a], [u, w], [push, "?"], ["?", 0], [1], method=method)
    swing = -(g * sp.sin(a) + push * sp.cos(a)) / l
    drive = M * push + m * (push + l * (swing * sp.cos(a) - w**2 * sp.sin(a)))
    assert sp.simplify(qdd[1] - swing) == 0 and sp.simplify(tau[0] - drive) == 0 and (qdd[0], tau[1]) == (push, 0)
    assert not sp.sympify(tau[0]).atoms(sp.Float)


def test_nothing_given_is_changed_and_what_is_unknown_is_never_read(method):
    """What is known comes back as it was; bodies may come in any order, and one of them needs no list."""
    model, given, f_ext = arm(4), np.random.default_rng(92).normal(size=(4, 4)), np.ones((5, 6))
    (q, qd, qdd, tau), clean, kept = given, hybrid_dynamics(model, *given, [2, 4], f_ext, method), given.copy()
    assert_array_equal(clean[0][[1, 3]], qdd[[1, 3]])
    assert_array_equal(clean[1][[0, 2]], tau[[0, 2]])
    for junk in (np.nan, np.inf, None, "not known", sp.Symbol("x"), 1j):
        found = hybrid_dynamics(model, q, qd, [junk, qdd[1], junk, qdd[3]], [tau[0], junk, tau[2], junk], (4, 2, 4),
                                f_ext, method)
        for new, old in zip(found, clean, strict=True):
            assert new.dtype == float
            assert_array_equal(new, old)
    assert (given == kept).all() and (f_ext == 1).all()
    for one, other in ((2, [2]), (np.int64(1), {1}), (np.array([2, 1]), range(1, 3))):
        assert_array_equal(hybrid_dynamics(model, *given, one, method=method),
                           hybrid_dynamics(model, *given, other, method=method))


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"qdd": [np.nan] * 3}, ValueError, "^qdd contains nan at index 1"),
    ({"tau": [0, 0, np.inf]}, ValueError, "^tau contains inf at index 2"),
    ({"prescribed": [0]}, ValueError, "^prescribed names body 0"),
    ({"prescribed": ["body 1"]}, ValueError, "^prescribed names body 'body 1'; .* Give numbers"),
    ({"prescribed": [True]}, ValueError, "^prescribed names body True"),
    ({"prescribed": [1.0]}, ValueError, "^prescribed names body 1.0"),
    ({"prescribed": iter([1, 2])}, TypeError, "^prescribed is <list_iterator .*; give a list"),
    ({"prescribed": "2"}, TypeError, "^prescribed is '2'"),
    ({"method": ["permutation"]}, ValueError, r"^method is \['permutation'\]; choose"),
    ({"method": "aba"}, ValueError, "^method is 'aba'; choose 'articulated_body', 'inertia_matrix'")])
def test_arguments_are_checked(changes, error, message):
    given = {"model": arm(), "q": [0] * 3, "qd": [0] * 3, "qdd": [0] * 3, "tau": [0] * 3, "prescribed": [2]}
    for method in METHODS:
        with pytest.raises(error, match=message):
            hybrid_dynamics(**given | {"method": method} | changes)


@pytest.mark.filterwarnings("ignore:Joint")
def test_each_method_names_the_free_joint_that_moves_no_inertia(method):
    """By its number in the model, not by its row in H_11, before which a ball joint has three."""
    model = Model(range(4), [Prismatic("x"), Spherical(), Revolute("z"), Revolute("y")], [np.eye(6)] * 4,
                  [SOME, SOME, SOME, np.zeros((6, 6))], names=["rail", "ball", "hinge", "empty"])
    with pytest.raises(ValueError, match=r"singular: .* Give body 4, or one beyond it, a ") as found:
        hybrid_dynamics(model, model.neutral(), *np.ones((3, 6)), [1, 3], method=method)
    assert "joint 4 (empty)" in str(found.value)


# Motions that are functions of time

def sway(t):
    """A trolley that is driven to and fro."""
    return 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)


@pytest.mark.parametrize(("options", "times", "missed"), [
    ({"tolerance": 1e-11}, np.linspace(0, 2, 9), 1e-8), ({"dynamics": "inertia_matrix"}, [0, 0.15, 0.3], 1e-6),
    ({"method": "Radau"}, [0, 0.15, 0.3], 1e-6), ({"method": "rk4", "dt": 1e-2}, [0, 0.15, 0.3], 1e-6),
    *(({"method": method, "dt": 2e-3}, [0, 0.15, 0.3], 5e-3) for method in ("euler", "semi_implicit_euler"))], ids=str)
def test_a_driven_trolley_excites_its_load(options, times, missed):
    """Against the equation of the excited pendulum, integrated alone; the trolley is where it has to be, exactly."""
    motion = simulate(crane(), [99, 0.5], [99, 0], times, prescribed={1: sway}, **options)

    def swing(model, q, qd, tau, f_ext, t):
        return -(9.81 * np.sin(q) + sway(t)[2] * np.cos(q)) / 1.5

    alone = simulate(load("pendulum"), [0.5], [0], times, dynamics=swing, tolerance=1e-11)
    assert_allclose(motion.q[:, 1], alone.q[:, 0], atol=missed)
    assert_allclose(motion.qd[:, 1], alone.qd[:, 0], atol=10 * missed)
    assert_array_equal(motion.q[:, 0], [sway(t)[0] for t in times])
    assert_array_equal(motion.qd[:, 0], [sway(t)[1] for t in times])


def test_the_forces_of_the_drives_are_those_that_the_motion_takes():
    """Joints of several freedoms, one of them prescribed, with torques and forces from outside."""
    rng = np.random.default_rng(101)
    model = Model([0, 1, 2, 1], [Revolute("y"), Spherical(), Cylindrical("x"), Prismatic("z")],
                  [xlt(rng.normal(size=3)) for _ in range(4)], [SOME] * 4)
    (q, qd), times, free = model.random_state(rng), np.linspace(0, 0.5, 5), [0, 1, 2, 3, 6]
    shake = {3: lambda t: ([0.3 * np.sin(t), t**2 / 5], [0.3 * np.cos(t), 2 * t / 5], [-0.3 * np.sin(t), 2 / 5])}

    def torque(t, q, qd):
        return -0.2 * qd + np.sin(t)

    motion = simulate(model, q, 0.3 * qd, times, torque, prescribed=shake)
    qdd, tau = forces_along(motion, shake, torque)
    for k in range(5):
        assert_allclose(rnea(model, motion.q[k], motion.qd[k], qdd[k]), tau[k], atol=1e-9)
        assert_allclose(tau[k, free], torque(times[k], None, motion.qd[k])[free], rtol=1e-12)


def test_a_driven_ball_joint_turns_as_prescribed_and_its_load_is_flung_outwards():
    """A turntable with a slider on it, at constant speed: the slide grows as cosh(omega t)."""
    omega = 1.3

    def turntable(t):
        return [np.cos(omega * t / 2), 0, 0, np.sin(omega * t / 2)], [0, 0, omega], [0, 0, 0]

    model = Model([0, 1], [Spherical(), Prismatic("x")], [np.eye(6)] * 2, [SOME, mcI(2, [0, 0, 0], np.eye(3))],
                  (0, 0, -9.81))
    times = np.linspace(0, 2, 5)
    motion = simulate(model, model.neutral() + [0, 0, 0, 0, 0.1], np.zeros(4), times, prescribed={1: turntable})
    assert_allclose(motion.q[:, 4], 0.1 * np.cosh(omega * times), rtol=1e-6)
    assert_allclose(motion.q[:, :4], [turntable(t)[0] for t in times], atol=1e-15)
    drive = forces_along(motion, {1: turntable})[1][:, 2]
    assert_allclose(drive, 2 * 2 * motion.q[:, 4] * motion.qd[:, 3] * omega, rtol=1e-9, atol=1e-12)


def test_torques_may_be_chosen_by_the_prescribed_state_and_those_of_driven_joints_do_not_matter():
    seen = []

    def torque(t, q, qd):
        seen.append(np.array_equal([q[0], qd[0]], sway(t)[:2]))
        return [1e6, -qd[1]]

    given = crane(), [0, 0.5], [0, 0], [0, 0.2, 0.4]
    motion = simulate(*given, torque, prescribed={1: sway})
    other = simulate(*given, lambda t, q, qd: [0, -qd[1]], prescribed={1: sway})
    assert seen and all(seen)
    assert_array_equal(motion.q, other.q)
    assert_allclose(forces_along(simulate(*given), {})[1], 0)
    motion = simulate(*given, prescribed={1: sway, 2: sway})        # which leaves nothing to integrate
    assert_array_equal(motion.q, [[sway(t)[0]] * 2 for t in given[-1]])
    tau = forces_along(motion, {2: sway, 1: sway})[1]
    assert_allclose(tau[1], rnea(crane(), *([x] * 2 for x in sway(0.2))), rtol=1e-12)


@pytest.mark.parametrize(("call", "error", "message"), [
    *((lambda wrong=wrong: simulate(crane(), [0, 0.5], [0, 0], [0, 0.3], prescribed={1: sway}, dynamics=wrong),
       ValueError, "^With prescribed motions dynamics is .*; choose 'articulated_body'")
      for wrong in ("crba", lambda *arguments: np.zeros(2), ["articulated_body"])),
    *((lambda motion=motion: forces_along(motion, {1: sway}), TypeError,
       "(?s)^motion is .*; give the Trajectory that simulate returned") for motion in ("x", None, np.zeros((3, 2)))),
    (lambda: simulate(Model([0], [Spherical()], [np.eye(6)], [SOME]), [1, 0, 0, 0], [0, 0, 0], [0, 1],
                      prescribed={1: lambda t: ([2, 0, 0, 0], [0] * 3, [0] * 3)}), SimulationError,
     r"^prescribed\[1\], called at t = .* s: .*\[2.0, 0.0, 0.0, 0.0\] is "),
    (lambda: simulate(load("four_bar"), np.zeros(3), np.zeros(3), [0, 1], prescribed={1: sway}), ValueError,
     r"^prescribed motions need a tree, but the model has 1 loop\(s\)"),
    (lambda: PrescribedMotions(load("four_bar"), {}).dynamics(*np.zeros((3, 3)), None, 0.0), ValueError,
     r"^prescribed motions need a tree, but the model has 1 loop\(s\)"),
    *((lambda motions=motions: simulate(crane(), [0, 0], [0, 0], [0, 2], prescribed=motions), error, message)
      for motions, error, message in (
        ([1], TypeError, r"^prescribed is \[1\]; give a dict"),
        ({3: sway}, ValueError, "^prescribed names body 3; this model has the bodies 1 to 2"),
        ({1: 0.3}, TypeError, r"^prescribed\[1\] is 0.3; give a function of t"),
        ({1: lambda t: (t, 1)}, ValueError,
         r"^prescribed\[1\], called at t = 0.2546 s, returned \[0.2546, 1\]; it must "),
        ({1: lambda t: t}, ValueError, "it must return q, qd and qdd of the joint"),
        ({1: lambda t: (t, [1, 1], 0)}, ValueError, r"^prescribed\[1\], called at t = 0.2546 s: qd has shape \(2,\)"),
        ({1: lambda t: (t, 1, np.nan)}, ValueError, "qdd contains nan"),
        ({1: lambda t: (t, 1j, 0)}, TypeError, r"s: qd contains complex numbers or symbols; give real numbers"),
        ({1: lambda t: (t, 1, sp.Symbol("a"))}, TypeError, r"s: qdd contains complex numbers or symbols"),
        ({1: lambda t: (t, "fast", 0)}, TypeError, r"s: qd is an array of <U4, which are not numbers"),
        ({1: lambda t: (np.sin(3 * t), np.cos(3 * t), -9 * np.sin(3 * t))}, ValueError,
         r"^prescribed\[1\]: at t = 0.2546 s q changes by 2.167 per second, but qd says 0.7222"),
        ({1: lambda t: (t**2, 2 * t, 1)}, ValueError, "qd changes by 2 per second, but qdd says 1. Return q, qd and"),
        ({1: lambda t: (0, 1, 0)}, ValueError, "q changes by 0 per second, but qd says 1")))])
def test_what_cannot_be_prescribed_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(("frequency", "start", "span"), [
    (50, 0.0, 400.0), (2e3, 0.0, 1e4), (0.3, 1.7e9, 2.0), (50, 1.7e9, 2.0), (1, 1e8, 0.5), (5, -1e8, 60.0)])
@pytest.mark.parametrize("origin", [0.0, 1.0])
def test_motions_may_be_fast_and_long_and_start_late_and_are_checked_nevertheless(frequency, start, span, origin):
    """Seconds of the calendar are rounded to a quarter of a microsecond: no rate is found over shorter spans."""
    w = 2 * np.pi * frequency

    def check(slip):
        """A shake of which one rate is wrong by the factor slip."""
        def shake(t):
            angle = w * (t - origin * start)
            return 0.01 * np.sin(angle), slip * 0.01 * w * np.cos(angle), -0.01 * w * w * np.sin(angle)

        PrescribedMotions(crane(), {1: shake}).require_motion(start, start + span)

    check(1.0)
    for slip in (1.15, 0.85, -1.0, 0.0):
        with pytest.raises(SimulationError, match=r"^prescribed\[1\]: at t = .* q changes by .* per second, but qd "):
            check(slip)
    for motion in (lambda t: (1e3 + np.sin(40 * t), 40 * np.cos(40 * t), -1600 * np.sin(40 * t)),      # far, or a kink
                   lambda t: (np.minimum(t, 1.0), float(t < 1.0), 0.0), lambda t: (0, 0, 0),
                   lambda t: (1e-9 * t**3, 3e-9 * t**2, 6e-9 * t)):
        PrescribedMotions(crane(), {1: motion}).require_motion(0.0, 2.0)
    w = 2 * np.pi * 5e7                                 # a span of a whole period, over which nothing seems to change
    PrescribedMotions(crane(), {1: lambda t: (np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t))}
                      ).require_motion(0.0, 2.0)


@pytest.mark.parametrize("unknown", [np.nan, None, "?"])
def test_what_is_prescribed_need_not_be_given(unknown):
    """Neither at the start nor among the torques, which may be numbers or a function."""
    given, prescribed = (crane(), [0, 0.5], [0, 0], [0, 0.1, 0.2]), {1: sway}
    motion = simulate(*given, torque=[0, 0.2], prescribed=prescribed)
    for torque in ([unknown, 0.2], lambda t, q, qd: [unknown, 0.2]):
        other = simulate(crane(), [unknown, 0.5], [unknown, 0], given[-1], torque, prescribed=prescribed)
        assert_array_equal(other.q, motion.q)
        assert_array_equal(forces_along(other, prescribed, torque), forces_along(motion, prescribed, [0, 0.2]))
    known = {"model": crane(), "q0": [0, 0], "qd0": [0, 0], "t_span": [0, 1], "prescribed": prescribed}
    for name in ("q0", "qd0", "torque"):
        with pytest.raises((TypeError, ValueError), match=f"^{name} contains "):
            simulate(**known | {name: [0, unknown]})
        with pytest.raises(ValueError, match=rf"^{name} has shape \(3,\)"):
            simulate(**known | {name: [0, 0, 0]})


def test_motions_that_fail_and_joints_without_inertia_stop_a_simulation_to_which_its_forces_belong():
    def failing(t):
        return (t, 1, 0) if t < 0.45 else (t, 1, np.nan)

    message = r"^prescribed\[1\], called at t = 0.[45]\S* s: qdd contains nan"
    with pytest.raises(SimulationError, match=message) as found:
        simulate(crane(), [0, 0], [0, 0], [0, 0.5], prescribed={1: failing}, method="rk4", dt=0.02)
    assert 0.45 <= found.value.t <= 0.5 and found.value.body == 1

    motion = simulate(crane(), [0, 0.5], [0, 0], [0, 1, 2], prescribed={1: sway})
    for wrong in ({2: sway}, {1: lambda t: sway(1.01 * t)}):
        with pytest.raises(ValueError, match=r"^At t = [01] s qd? is not what prescribed says. Give the"):
            forces_along(motion, wrong)

    with pytest.warns(UserWarning, match="Joint"):
        model = Model([0, 1], [Revolute("z")] * 2, [np.eye(6), xlt([1, 0, 0])], [SOME, np.zeros((6, 6))])
    with pytest.raises(SimulationError, match="^At t = 0 s: D of joint 2"):
        simulate(model, [0, 0], [0, 0], [0, 1], prescribed={1: sway})
    motion = simulate(model, [0, 0], [0, 0], [0, 1], prescribed={2: sway})
    assert motion.q[-1, 1] == sway(1)[0]
