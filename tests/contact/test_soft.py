"""Soft contact: bodies with shapes on soft ground, against statics, closed forms and conservation laws."""

import math
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from rbdlib import LoopJoint, Model, contact
from rbdlib.book.ch02_spatial import mcI, rotz
from rbdlib.book.ch04_joints import FreeMotion, Planar, Prismatic, Revolute
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch11_contact import Contact, contact_normal
from rbdlib.compile.c_compiler import find_compiler
from rbdlib.contact import Patches, SoftContact, soft_contact, soft_forces
from rbdlib.contact.geometry import Pair
from rbdlib.contact.shapes import Face, Plane, Point, Polyhedron, Sphere
from rbdlib.contact.soft import friction_force, in_series, normal_force, patch_velocity, patches_at_rest, sticking_force
from rbdlib.contact.soft_simulation import SoftTrajectory, _SoftRun, flat_margins, simulate_soft, soft_rate
from rbdlib.methods.custom_joint import Custom
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.simulate import simulate
from tests.sources.ch11_systems import G, at, block_inertia, free_body, lift
from tests.sources.helpers import close, far, random_rotation, turn

FLOOR = Plane([0, 0, 0], [0, 0, 1])
PAIR = Pair(0, FLOOR, 1, Point())


@pytest.mark.slow
def test_a_tumbling_body_comes_to_rest_and_loses_energy_all_the_way():
    """Kinetic, potential and stored energy never grow; at the end three corners carry the weight."""
    rng, m = np.random.default_rng(1), 1.5
    corners = Polyhedron([[0.2, 0, -0.05], [-0.1, 0.17, -0.05], [-0.1, -0.17, -0.05], [0, 0, 0.1]])
    model = free_body(block_inertia(m, (0.3, 0.2, 0.1)))
    soft = [SoftContact(Pair(0, FLOOR, 1, corners), 2e3, 60.0, 1e3, 30.0, 0.5)]
    motion = simulate_soft(model, at([0, 0, 0.15], random_rotation(rng)), [*rng.normal(size=3), 0.3, 0.2, 0],
                           (0, 0.55), soft, method="RK45", tolerance=1e-4)
    total = motion.energy + motion.stored
    assert np.diff(total).max() < 1e-4
    assert total[0] - total[-1] > 0.5
    assert len(motion.events) >= 4 and motion.touching[-1].sum() >= 3
    assert motion.f_n[-1].sum() == pytest.approx(m * G, rel=0.15)
    assert (motion.f_n >= 0).all() and (motion.z <= 1e-12).all()
    assert (np.linalg.norm(motion.f_t, axis=2) <= 0.5 * motion.f_n + 1e-9).all()


@pytest.mark.slow
def test_a_ball_that_is_thrown_slides_until_it_rolls_at_five_sevenths_of_its_speed():
    """From the angular momentum about any point of the floor; sliding lasts 2 v / (7 mu g)."""
    m, R, v, mu, K = 2.0, 0.1, 0.7, 0.3, 1e5
    model = free_body(mcI(m, [0, 0, 0], 0.4 * m * R * R * np.eye(3)))
    soft = [SoftContact(Pair(0, FLOOR, 1, Sphere(R)), K, 600.0, K, 600.0, mu)]
    ends = 2 * v / (7 * mu * G)
    motion = simulate_soft(model, at([0, 0, R - m * G / K]), [0, 0, 0, v, 0, 0], np.linspace(0, 1.6 * ends, 21), soft,
                           method="LSODA", tolerance=1e-6)
    speed = np.array([np.linalg.norm(model.qdot(q, qd)[4:6]) for q, qd in zip(motion.q, motion.qd, strict=True)])
    expected = np.maximum(v - mu * G * motion.t, 5 / 7 * v)
    assert np.abs(speed - expected).max() < 0.01
    assert speed[-1] == pytest.approx(5 / 7 * v, rel=2e-3)
    assert np.abs(motion.qd[-1, :3]).max() == pytest.approx(speed[-1] / R, rel=2e-3)
    slip = np.linalg.norm(motion.slip[:, 0], axis=1)
    assert slip[5] > 0.2 and slip[-1] < 1e-3


def test_a_carousel_turns_the_patch_even_about_the_normal_itself():
    """The same relative state, all of it turned with the predecessor: the force is turned too."""
    model = Model([0, 0], [Revolute("z"), FreeMotion()], [np.eye(6)] * 2, [block_inertia(5.0, (1, 1, 1))] * 2)
    soft = [SoftContact(Pair(1, FLOOR, 2, Point()), 1e3, 10.0, 2e3, 10.0, 10.0)]
    patches = Patches(np.array([[-0.01, 0]]), np.array([[0.001, 0.002, 0]]))
    by_time = model.replace(joints=[Custom(0, lambda q, t: rotz(1.3 * t)), FreeMotion()])
    for angle in (0.0, 0.7, 2.0):
        R, place = turn([0, 0, 1], angle), np.array([0.3, 0.1, -0.01])
        qd = [1.3, 0, 0, 1.3, *np.cross([0, 0, 1.3], place)]
        f_ext, rates = soft_forces(model, [angle, *at(R @ place, R)], qd, patches, soft)
        close(f_ext[2][3:], R @ np.array([-2.0, -4.0, 10.0]), 1e-9)
        close(rates.x, np.zeros((1, 3)), 1e-9)
        sliding = np.add(qd, [0, 0, 0, 0, 0.2, -0.1, 0])                                            # and sticking
        close(soft_forces(model, [angle, *at(R @ place, R)], sliding, patches, soft)[1].x, [[0.2, -0.1, 0]], 1e-9)
        close(soft_forces(model, [angle, *at(R @ place, R)], sliding, patches, soft, touching=[False])[1].x,
              -200 * patches.x, 1e-9)
        close(soft_forces(by_time, at(R @ place, R), qd[1:], patches, soft, t=angle / 1.3)[0], f_ext, 1e-9)


def test_a_patch_stays_in_the_tangent_plane_while_the_normal_turns():
    """A ball in a hollow one that flies, too: x · n = 0 goes on to hold, for x that changes and turns with the bowl."""
    model, rng = Model([0, 0], [FreeMotion()] * 2, [np.eye(6)] * 2, [np.eye(6)] * 2), np.random.default_rng(4)
    q, qd = model.random_state(rng)
    soft = [SoftContact(Pair(1, Sphere(5, hollow=True), 2, Sphere(0.1)), 9.0, 2.0, 5.0, 3.0, 0.5)]
    patches = Patches(np.zeros((1, 2)), rng.normal(size=(1, 3)))
    (point,) = contact.soft_points(model, q, qd, patches, soft, touching=[True])
    E, n, ndot = body_transforms(model, q)[1][:3, :3], point.contact.n[3:], point.contact.ndot[3:]
    close([n @ point.x, n @ E.T @ (point.xdot + np.cross(qd[:3], E @ point.x)) + ndot @ point.x], [0, 0])
    assert np.abs(ndot @ point.x) > 0.01


#: A point over a plate of 2 m x 2 m, and another one that moves past it.
BESIDE = [SoftContact(Pair(0, Face([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]), 1, Point([x, 0, 0])), 1e3, 20.0)
          for x in (0, 2)]


def test_a_point_beyond_the_outline_of_a_face_bears_nothing_while_another_one_does():
    two, one = (simulate_soft(lift(), [0.15], [0], [0, 0.2, 0.3], soft, tolerance=1e-6, compiled=False)
                for soft in (BESIDE, BESIDE[:1]))
    close(two.q, one.q, 1e-6)
    assert two.touching.tolist() == [[False, False], [True, False], [True, False]] and (two.f_n[1:, 0] > 0).all()
    close(two.z, np.minimum(one.q, 0) * [1, 0], 1e-6)


def bouncing(**options):
    """A ball of 0.5 kg that falls 0.1 m and bounces once until 0.28 s."""
    soft = [SoftContact(Pair(0, FLOOR, 1, Sphere(0.1)), 1e3, 0.6 * math.sqrt(500))]
    options = {"t_span": [0, 0.15, 0.28], "contacts": soft, **options}
    return simulate_soft(lift(0.5), [0.2], [0], progress=False, **options)


@pytest.mark.slow
def test_a_contact_that_is_lost_is_not_made_again_by_the_errors_of_a_method():
    """A contact is lost with no speed of parting, so that errors may close the gap again; all methods agree."""
    expected = bouncing(tolerance=1e-9)
    for method, closed_form in (("LSODA", False), ("BDF", True), ("Radau", True), ("RK45", False)):
        motion = bouncing(tolerance=1e-6, method=method, closed_form=closed_form)
        assert [event.touched for event in motion.events] == [True, False], method
        close(motion.q, expected.q, 1e-4)
        close(motion.z, expected.z, 1e-4)


@pytest.mark.slow
def test_samples_at_every_step_and_at_given_times_are_of_the_same_motion():
    every, some = bouncing(t_span=(0, 0.28)), bouncing()
    assert isinstance(some, SoftTrajectory) and len(some) == 3 and len(every) > 10
    ball = [SoftContact(Pair(0, FLOOR, 1, Sphere(0.2, [0.1, 0, 0])), 3e3, 20.0, K_t=2e3, D_t=10.0, mu=0.4)]
    turning = simulate_soft(free_body(block_inertia(1.0, (0.3, 0.2, 0.1))), at([0, 0, 0.5]), [20, 30, 10, 0, 0, 0],
                            (0, 1), ball, method="RK45", tolerance=1e-2)
    assert (np.diff(turning.t) > 0).all() and turning.events[0].touched
    assert some.t.tolist() == [0, 0.15, 0.28]
    close(every.q[-1], some.q[-1], 1e-8)
    assert set(np.round([event.t for event in every.events], 9)) <= set(np.round(every.t, 9))
    assert some.p.shape == (3, 1) and some.f_t.shape == (3, 1, 3)
    assert bouncing(t_span=(0, 0.1), max_step=0.005).steps >= 20 > bouncing(t_span=(0, 0.1)).steps


@pytest.mark.slow
def test_flights_without_contact_and_touching_without_load_change_nothing():
    rng = np.random.default_rng(3)
    model, times = free_body(block_inertia(1.0, (0.3, 0.2, 0.1))), [0, 0.1, 0.2]
    soft = [SoftContact(Pair(0, FLOOR, 1, Sphere(0.1)), 1e3, 1.0)]
    q, qd, torque = at([0, 0, 5.0], random_rotation(rng)), rng.normal(size=6), [0.01, 0.02, 0, 0.1, 0, 0]
    for f_ext in ({1: [0, 0.1, 0, 1.0, 0, 2.0]}, lambda t, q, qd: {1: [0, 0, 0, t, 0, 1]}):
        found = simulate_soft(model, q, qd, times, soft, torque, f_ext, tolerance=1e-7)
        expected = simulate(model, q, qd, times, torque, f_ext, tolerance=1e-7, progress=False)
        close(np.hstack([found.q, found.qd]), np.hstack([expected.q, expected.qd]), 1e-7)
    assert not found.events and not found.touching.any()

    for v in (0, 1e-3, 1.0):
        motion = simulate_soft(lift(2.0, 0), [0], [v], (0, 1), [SoftContact(PAIR, 3e3, 20.0)])
        assert motion.q[-1, 0] == pytest.approx(v, rel=1e-6, abs=0) and motion.f_n.max() == 0
        assert v or not motion.events


@pytest.mark.slow
def test_loops_and_joints_of_several_freedoms_meet_soft_ground():
    """A body on a rail made of a loop falls as one on a rail; a planar joint slides as the box does."""
    m, times = 2.0, [0, 0.12, 0.2]
    loop = Model([0], [Planar()], [np.eye(6)], [mcI(m, [0, 0, 0], np.eye(3))], gravity=(G, 0, 0),
                 loops=[LoopJoint(0, 1, Prismatic("x"), np.eye(6), np.eye(6))])
    wall = [SoftContact(Pair(0, Plane([0, 0, 0], [-1, 0, 0]), 1, Point()), 3e3, 20.0)]
    expected = simulate_soft(lift(m), [0.05], [0], times, [SoftContact(PAIR, 3e3, 20.0)], tolerance=1e-7)
    found = simulate_soft(loop, [0, -0.05, 0], [0, 0, 0], times, wall, tolerance=1e-7)
    close(-found.q[:, 1], expected.q[:, 0], 1e-6)
    assert found.residual.max() < 1e-9 and len(found.events) == len(expected.events) > 1
    stabilised = simulate_soft(loop, [0, -0.05, 0], [0, 0, 0], times, wall, T_stab=0.1, tolerance=1e-6)
    close(stabilised.q, found.q, 1e-5)
    for options, angle in (({}, 0), ({"T_stab": 0.1}, 1e-6), ({"method": "LSODA"}, 1e-6)):
        assert simulate_soft(loop, [1e-6, -0.05, 0], [0, 0, 0], times[:2], wall, **options).q[0, 0].round(12) == angle


@pytest.mark.slow
def test_a_thin_wall_can_be_missed_only_where_steps_are_long():
    """Within a step contacts are looked at four times; max_step makes sure."""
    window = SimpleNamespace(contacts=lambda model, q, qd, t=0.0: [
        Contact(0, 1, contact_normal([0, 0, 0], [0, 0, 1]), 0, q[0], "window", [0, 0, 0], bool(0.5 < t < 0.52))])
    motion = simulate_soft(lift(1.0, 0), [-0.1], [0], [0, 0.52, 0.521, 0.6], [SoftContact(window, 1e3, 1.0)],
                           max_step=0.01, patches=Patches(np.zeros((1, 2)), np.zeros((1, 3))))
    assert [event.touched for event in motion.events] == [True, False]
    assert [event.t for event in motion.events] == pytest.approx([0.5, 0.52], abs=1e-9)
    assert motion.qd[-1, 0] > 1
    assert motion.z[2, 0] == pytest.approx(motion.q[1, 0] * math.exp(-1), abs=1e-9)     # it had been pressed in to p


#: The origin of body 1 over the plane z = 0; at which point it touches is not said.
FOOT = SimpleNamespace(contacts=lambda model, q, qd, t=0.0: [Contact(0, 1, [0, 0, 0, 0, 0, 1], 0, q[0], "nowhere")])


def test_the_laws_work_with_fractions_and_with_fifty_digits():
    f_n, f_t, zdot, xdot = soft_contact(*map(Fraction, (-1, -2, 3, 0, 1, 10, 2, 5, 1, 1)))
    assert (f_n, f_t, zdot, xdot) == (14, -8, -2, 3)
    assert normal_force(Fraction(0), 1, -1, 10, 2) == 0 == normal_force(0.0, 1, -1, 10, 2)          # above the patch
    with mpmath.workdps(50):
        numbers = [mpmath.mpf(x) / 7 for x in (-1, -2, 3, 0, 1, 10, 2, 5, 1, 1)]
        f_n, f_t, zdot, xdot = soft_contact(*numbers)
        assert abs(numbers[5] * numbers[0] + numbers[6] * zdot + f_n) < 1e-45
        z = np.array([[mpmath.mpf(-1) / 7, mpmath.mpf(0)]])
        f_ext, rates = soft_forces(lift(2.0), [z[0, 0]], [mpmath.mpf(-1) / 3], Patches(z, np.zeros((1, 3))),
                                   [SoftContact(FOOT, 3, 2)])
        assert abs(f_ext[1][5] - mpmath.mpf(3) / 7 - mpmath.mpf(2) / 3) < mpmath.mpf(10) ** -45


def test_friction_is_allowed_within_its_cone_and_a_pair_may_have_its_own():
    rng, mu = np.random.default_rng(1108), 0.7
    C, n = rng.normal(size=3), rng.normal(size=3)
    rim = contact.friction_cone(C, n, mu, height=2.0, sides=12) - C
    n = n / np.linalg.norm(n)
    close(rim @ n, np.full(12, 2.0))
    close(np.linalg.norm(rim - 2 * n, axis=1), np.full(12, 1.4))
    close(rim.mean(axis=0), 2 * n)
    for f in rim:
        f_n, f_t = f @ n, f - (f @ n) * n
        close(friction_force(f_t, f_n, mu * (1 + 1e-9)), f_t)
        far(friction_force(f_t, f_n, mu * 0.9), f_t)
    rough = Pair(0, FLOOR, 1, Point(), friction=0.4)
    assert SoftContact(rough, 10.0, 1.0, 10.0, 1.0).mu == 0.4
    assert SoftContact(rough, 10.0, 1.0, mu=0).mu == 0 == SoftContact(PAIR, 10.0, 1.0).mu


LAWS = ({}, {"K_n": (5, 3), "D_n": (2, 1)}, {"model": "viscoelastic", "K_series": 7}, {"model": "hunt_crossley"})


def soft_at(place, **law):
    law = {"K_n": 5, "D_n": 2, "K_t": 4, "D_t": 3, "mu": 0.1, **law}
    return SoftContact(Pair(0, FLOOR, 1, Sphere(0.2, place)), **law)


@pytest.mark.parametrize(("law", "push"), [*zip(LAWS, (1.5, 0.3 * 15 / 8, 0.3 * 35 / 12, 5 * 0.3**1.5), strict=True)])
def test_power_goes_into_springs_and_dampers_and_a_patch_that_is_let_go_moves_as_it_is_known_to(law, push):
    """The rate of the stored energy, by differences, is -f_n pdot less what the dampers take."""
    soft, p, pdot, x, h = soft_at([0, 0, 0], **law), np.array(-0.3), -0.7, np.ones(3), 1e-5
    rest = soft.pressed(p)
    close([soft.normal(p, 0.0, rest, True)[0], sum(soft.normal(p, 0.0, rest, True)[1])], [push, 0])
    z = rest + (0 if soft.follows else 0.02 * np.array([1, -1])[: len(rest)])
    f_n, zdot = soft.normal(p, pdot, z, True)

    def stored(s):
        return soft.energy(z + s * zdot, x, soft.normal(p + s * pdot, pdot, z + s * zdot, True)[0])

    close((stored(h) - stored(-h)) / (2 * h), -f_n * pdot - soft.elements(z)[1] @ zdot**2, 1e-8)
    close((soft.energy(z, x + h * x, f_n) - soft.energy(z, x - h * x, f_n)) / (2 * h), 3 * 4, 1e-8)
    before, (z, x), after = (soft.relaxed(z, x, 0.1 + s) for s in (-h, 0, h))
    close((after[0] - before[0]) / (2 * h), soft.normal(0.0, 0.0, z, False)[1], 1e-8)
    close((after[1] - before[1]) / (2 * h), -4 * x / 3, 1e-8)


def test_the_functions_that_are_compiled_say_what_the_readable_ones_say():
    model, rng, t = free_body(block_inertia(1.0, (0.3, 0.2, 0.1))), np.random.default_rng(5), 0.3
    soft = [soft_at([k, 0, 0], mu=1 - k / 3, **law) for k, law in enumerate((*LAWS[:3], {}))]
    run = _SoftRun(model, soft, lambda t, q, qd: t * qd, {1: np.ones(6)}, (None, None), ("DOP853", None, 1e-9, np.inf),
                   Patches(-rng.random((4, 2)) * [[1, 0], [1, 1], [1, 0], [1, 0]],
                           rng.normal(size=(4, 3)) / 9), True, False)
    q, w = run.begin(t, at([0, 0, -0.1], random_rotation(rng)), 9 * rng.normal(size=6))
    state, run.touching = np.concatenate([1.01 * q[:4], q[4:], w]), np.array([True, True, True, False])
    assert min(point.f_n for point in run.points(t, q, w)[:3]) < 0 and run.names == ["bodies 0, 1"] * 4
    assert all(point.f_n >= 0 or not point.f_t.any() for point in run.points(t, q, w))       # what pulls does not rub
    readable, options = (run.rate(t, state), run.margins(t, q, w)), {"n": 4, "contacts": soft}
    run.quick = partial(flat_margins, model, **options), partial(soft_rate, model, dynamics=run.source[0], **options)
    for found, expected in zip((run.rate(t, state), run.margins(t, q, w)), readable, strict=True):
        close(found, expected, 1e-9)


@pytest.mark.parametrize("wrong, message", [
    ({"pair": 3}, "pair is 3"), ({"K_n": 0}, "K_n is 0"), ({"K_n": -1.0}, "K_n"), ({"D_n": -1}, "D_n is -1"),
    ({"K_n": (1, 0), "D_n": (1, 1)}, "K_n is 0"),
    ({"K_n": (1, 2)}, "K_n has 2 and D_n has 1"), ({"model": "hertz"}, "model is 'hertz'"), ({"mu": -0.1}, "mu"),
    ({"mu": 0.5}, "K_t is 0.0; it must be positive where mu"), ({"mu": 0.5, "K_t": 10.0}, "D_t is 0.0"),
    ({"K_series": 5.0}, "K_series is 5.0"), ({"model": "viscoelastic"}, "K_series is None"), ({"K_t": np.nan}, "K_t"),
    ({"model": "hunt_crossley", "exponent": 0.5}, "exponent is 0.5"), ({"K_n": [], "D_n": []}, "K_n has 0"),
    ({"K_n": (1.0, 2.0), "D_n": (1.0, 0)}, "D_n is 0"), ({"K_n": [1] * 3, "D_n": [1] * 3}, "K_n has 3 and D_"),
    ({"model": "hunt_crossley", "K_n": (1, 2), "D_n": (1, 2)}, "two soft surfaces"), ({"K_n": "stiff"}, "K_n")])
def test_wrong_contacts_are_refused_by_name(wrong, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SoftContact(**{"pair": PAIR, "K_n": 10.0, "D_n": 1.0, **wrong})


def test_wrong_arguments_are_refused_by_name():
    model = lift(2.0)
    soft, none = [SoftContact(PAIR, 10.0, 1.0)], Patches(np.zeros((0, 2)), np.zeros((0, 3)))
    for wrong, message in (({"method": "rk4"}, "method is 'rk4'"), ({"max_step": 0}, "max_step"),
                           ({"max_step": "x"}, "max_step is 'x'"), ({"contacts": soft[0]}, "contacts is SoftContact"),
                           ({"contacts": [PAIR]}, "contacts holds"), ({"patches": none}, "patches has the shapes"),
                           ({"tolerance": -1}, "tolerance"), ({"t_span": 1.0}, "t_span"),
                           ({"contacts": BESIDE, "compiled": True}, "outline of a face")):
        with pytest.raises((ValueError, TypeError), match=message):
            bouncing(**wrong)
    for call in (lambda: normal_force(np.nan, 0, 0, 1, 1), lambda: normal_force(0, 0, 0, "stiff", 1),
                 lambda: sticking_force([0, np.inf], [0, 0], 1, 1), lambda: patch_velocity(0, 1, 1, 0),
                 lambda: in_series(1, 1, 2, 3), lambda: in_series(1, 0, 2, 0),
                 lambda: contact.soft_restitution(0, 1, 1), lambda: friction_force(1.0, -2, 0.5),
                 lambda: contact.friction_cone([0, 0, 0], [0, 0, 0], 1), lambda: friction_force([1.0, 0], 2, -0.5),
                 lambda: contact.friction_cone([0, 0, 0], [0, 0, 1], -1),
                 lambda: soft_contact(0, 0, [1, 0], 0, [0, 0, 0], 1, 1, 1, 1, 1),
                 lambda: soft_contact(0, 0, 1.0, 0, [0, 0], 1, 1, 1, 1, 1),
                 lambda: simulate_soft(model, [0, 1], [0], (0, 1), soft)):
        with pytest.raises((ValueError, TypeError)):
            call()

    rough = [SoftContact(FOOT, 10.0, 1.0, 10.0, 1.0, 0.5)]
    with pytest.raises(ValueError, match="'nowhere' has no point"):
        contact.soft_points(model, [0], [0], Patches(np.zeros((1, 2)), np.zeros((1, 3))), rough)
    with pytest.raises(SimulationError, match="position of joint 1|velocity of joint 1"):
        simulate_soft(model, [0.1], [1e308], (0, 1e9), soft)


@pytest.mark.parametrize("K, D", [(1e3, 10.0), ((3e4, 1e5), (30.0, 1.0)), ((1e5, 3e4), (1.0, 30.0))])
def test_what_is_pressed_in_and_at_rest_touches_whatever_rounding_does(K, D):
    model, total = lift(2.0), 1 / np.sum(1 / np.atleast_1d(K))
    soft = [SoftContact(Pair(0, FLOOR, 1, Sphere(0.1)), K, D)]
    for depth in np.linspace(1e-6, 1e-3, 50):
        patches = patches_at_rest(model, [0.1 - depth], soft)
        force, _ = soft_forces(model, [0.1 - depth], [0.0], patches, soft)
        assert force[1, 5] == pytest.approx(total * depth, rel=1e-6)


@pytest.mark.slow
@pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize(("law", "drives"), [
    ({}, {}), ({"K_n": (5e3, 3e3), "D_n": (20, 10)}, {}), ({"model": "viscoelastic", "K_series": 8e3}, {}),
    ({}, {"torque": lambda t, q, qd: -0.1 * qd, "f_ext": lambda t, q, qd: {1: [0, 0, 0, np.sin(9 * t), q[4], qd[0]]}})])
def test_machine_code_moves_bodies_as_readable_steps_do_and_is_taken_once_it_is_known(law, drives, monkeypatch):
    ball = free_body(block_inertia(1, (0.2, 0.3, 0.4)))
    soft = [SoftContact(Pair(0, FLOOR, 1, Sphere(0.2)),
                        **{"K_n": 5e3, "D_n": 20, "K_t": 4e3, "D_t": 15, "mu": 0.5, **law})]
    start = [1, 0, 0, 0, 0, 0, 0.21], [2, 1, 3, 0.5, 0, -2], [0, 0.05, 0.1], soft
    readable, first = (simulate_soft(ball, *start, tolerance=1e-6, compiled=compiled, **drives)
                       for compiled in (False, True))
    monkeypatch.setattr(contact.soft_simulation, "forces_at", None)                     # known, and so not asked again
    monkeypatch.setattr(contact.soft_simulation._SoftRun, "rate", None)                 # steps do not ask Python
    np.testing.assert_array_equal(simulate_soft(ball, *start, tolerance=1e-6, **drives).q, first.q)
    assert len(readable.events) == len(first.events) > 1
    for name in ("q", "qd", "z", "x", "f_n", "f_t", "stored", "touching"):
        expected = getattr(readable, name)
        close(getattr(first, name), expected, 1e-6 * max(1, np.abs(expected).max()))
    with pytest.raises(TypeError, match="^compiled is True, but closed_form is False"):
        simulate_soft(ball, *start, compiled=True, closed_form=False)
