"""Motion with rigid contacts: closed forms, energy that adds up, and how contacts end (RBDA Table 11.1)."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ellipk

from rbdlib import LoopJoint, Model
from rbdlib.book.ch02_spatial import mcI, roty, rotz, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Planar, Prismatic, Revolute, Spherical, Universal
from rbdlib.contact import Box, Face, Pair, Plane, Point, Sphere, separation_velocities
from rbdlib.contact.simulation import ContactTrajectory, _Run, noise
from rbdlib.contact.smooth import CompiledContacts, flat_equations, flat_places, held_rate
from rbdlib.contact.systems import sizes_of_terms
from rbdlib.loops.closing import project
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import Character
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.simulate import Trajectory
from tests.contact.test_geometry import separation, world
from tests.sources.ch11_systems import G, at, block_inertia, free_body, kinds, lift, run
from tests.sources.helpers import close, random_rotation

FLOOR = Plane()
BALL, BRICK = lift(1.5), free_body(block_inertia(2.0, (0.4, 0.3, 0.2)))
BALLS, BRICKS = [Pair(0, FLOOR, 1, Sphere(0.1), "ball")], [Pair(0, FLOOR, 1, Box((0.4, 0.3, 0.2)))]


def adds_up(motion, tolerance=1e-7):
    """Energy changes at events only, by what they say, and never grows; no force of an impulse pulls."""
    close(motion.energy[0] + sum(event.energy_change for event in motion.events), motion.energy[-1], tolerance)
    for event in motion.events:
        assert event.energy_change <= 1e-9 and motion.events.count(event) == len({event}), event
        assert event.kind == "rest" or event.impulse.min() >= 0, event
        assert event.impulse.any() or not event.dqd.any(), event


@pytest.mark.slow
def test_a_ball_bounces_as_the_closed_form_says_and_comes_to_rest_in_finite_time():
    h, e = 0.9, 0.5
    motion = run(BALL, [1.0], [0.0], (0, 1.5), contacts=BALLS, restitution=e, rest_speed=1e-5)
    assert isinstance(motion, ContactTrajectory) and isinstance(motion, Trajectory)
    *bounces, rest = motion.events
    fall, speed, powers = math.sqrt(2 * h / G), math.sqrt(2 * G * h), e ** np.arange(len(bounces))
    close([event.t for event in bounces], fall * (1 + 2 * (np.cumsum(powers) - 1)), 1e-8)
    close([event.impulse[0] for event in bounces], 1.5 * (1 + e) * speed * powers, 1e-7)
    close([event.energy_change for event in bounces], -1.5 / 2 * (1 - e * e) * speed**2 * powers**2, 1e-7)
    close(rest.t, fall * (1 + e) / (1 - e), 3e-5)
    assert len(bounces) == math.ceil(math.log(1e-5 / speed) / math.log(e)) - 1
    assert kinds(motion) == ["collision"] * len(bounces) + ["rest"]
    assert rest.names == ("ball",) and rest.current == (0,)
    close(rest.dqd, rest.impulse / 1.5, 1e-12)
    adds_up(motion)
    assert motion.phi.min() > -1e-9
    close(motion.lam[motion.t > rest.t], 1.5 * G, 1e-9)
    close(motion.q[-1], 0.1, 1e-12)


def test_pairs_have_restitutions_of_their_own_and_speeds_that_may_be_rounding_are_rest():
    model = Model([0, 0], [Prismatic("z")] * 2, [np.eye(6), xlt([1, 0, 0])], [mcI(1, [0, 0, 0], np.eye(3))] * 2)
    pairs = [Pair(0, FLOOR, 1, Point()), Pair(0, FLOOR, 2, Point(), restitution=0.25)]
    (event,) = run(model, [1, 1], [0, 0], (0, 0.5), contacts=pairs, restitution=[0.5, 1.0]).events
    close(event.dqd, math.sqrt(2 * G) * np.array([1.5, 1.25]), 1e-7)
    assert event.contacts == (0, 1)
    assert noise(2.0, np.zeros(3)) == noise(0.0, np.ones(3)) == noise(2.0, np.zeros(0)) < 1e-8 < noise(2.0, [0, -1e5])
    for v, after in ((2.0, 2.0), (-2.0, 1.0), (-5e-7, 0.0), (5e-7, 0.0)):
        motion = run(BALL, [0.1 + 1e-9], [v], [0, 0.01, 0.02], contacts=BALLS, restitution=0.5)
        close(motion.qd[1:, 0], (after - G * motion.t[1:]) * bool(after), 1e-9)
        close(motion.q[0], 0.1, 1e-14)
        assert motion.qd[0, 0] == (0 if after == 0 else v)      # what is slower than rest_speed has not met anything
        if after == 0:
            assert kinds(motion) == ["rest"] and motion.events[0].impulse == pytest.approx(-1.5 * v)


@pytest.mark.parametrize("method, dt, tolerance", [("rk4", 0.02, 1e-9), ("euler", 4e-3, 2e-2), ("RK45", None, 1e-6),
                                                   ("Radau", None, 1e-6), ("semi_implicit_euler", 4e-3, 2e-2)])
def test_every_method_that_can_start_anew_finds_the_same_bounces(method, dt, tolerance):
    motion = run(BALL, [1.0], [0.0], (0, 0.6), contacts=BALLS, restitution=0.7, method=method, dt=dt)
    fall = math.sqrt(2 * 0.9 / G)
    later = 0.6 - fall
    close([event.t for event in motion.events], [fall], tolerance)
    close(motion.q[-1], 0.1 + 0.7 * G * fall * later - G / 2 * later**2, tolerance)


@pytest.mark.parametrize("height, e", [(0.5e-3, 0), (0.015, 0), (0.1, 0.5)])
def test_bodies_that_are_apart_stay_apart_and_bounce_however_loose_the_tolerance(height, e):
    pair, end = Pair(0, FLOOR, 1, Sphere(0.1)), 0.3 if e else 0.1
    motion = run(BALL, [0.1 + height], [0.0], (0, end), contacts=[pair], restitution=e, tolerance=1e-3)
    assert motion.q[0, 0] == 0.1 + height and kinds(motion)[0] == "collision"
    close(motion.events[0].t, math.sqrt(2 * height / G), 1e-4)
    assert motion.events[0].names == ("bodies 0, 1",)
    if e:
        speed = math.sqrt(2 * G * height)
        assert motion.events[0].dqd[0] == pytest.approx((1 + e) * speed, rel=1e-3)
        assert motion.qd[-1, 0] > -e * speed


def test_a_short_dip_is_found_and_a_box_meets_the_floor_with_four_corners_at_once():
    """The bob passes the lowest point in a small part of a step; a floor there, 10 µm up, is not missed."""
    pendulum = Model([0], [Revolute("y")], [np.eye(6)], [mcI(1, [0, 0, -1], np.zeros((3, 3)))], gravity=(0, 0, -1e-3))
    for gap in (1e-5, -1e-5):
        motion = run(pendulum, [0.5], [-1.0], (0, 1.0), tolerance=1e-6,
                     contacts=[Pair(0, Plane([0, 0, -1 + gap]), 1, Point([0, 0, -1]))], restitution=1.0)
        assert len(motion.events) == (1 if gap > 0 else 0)
        assert motion.phi.min() > -1e-9

    motion = run(BRICK, [1, 0, 0, 0, 0, 0, 0.6], [0, 0, 0, 0.3, 0.2, 0], (0, 0.6), contacts=BRICKS, restitution=0.2)
    assert kinds(motion) == ["collision"] * (len(motion.events) - 1) + ["rest"] and len(motion.events) > 5
    for k, event in enumerate(motion.events[:-1]):
        assert event.names == ("vertex 0", "vertex 2", "vertex 4", "vertex 6")
        close(event.impulse.sum(), 2 * 1.2 * math.sqrt(2 * G * 0.5) * 0.2**k, 1e-7)
    close(motion.lam[-1].sum(), 2 * G, 1e-9)
    close(motion.q[-1], [1, 0, 0, 0, 0.18, 0.12, 0.1], 1e-9)
    assert motion.current[-1] == (0, 2, 4, 6) and len(motion.active[-1]) == 3
    adds_up(motion)


@pytest.mark.parametrize("rule", ["newton", "poisson", "sequential"])
def test_a_tumbling_box_loses_energy_at_impacts_only_and_never_sinks_in(rule):
    motion = run(BRICK, at([0, 0, 0.3], random_rotation(np.random.default_rng(7))), [0.5, -1, 2, 0.1, 0, 0], (0, 0.4),
                 contacts=BRICKS, restitution=0.4, impact_rule=rule, rest_speed=1e-3)
    adds_up(motion)
    assert len(motion.events) >= 3 and motion.phi.min() > -1e-8
    between = [i for i in range(len(motion) - 1) if motion.t[i] < motion.t[i + 1]]
    assert np.abs(np.diff(motion.energy)[between]).max() < 1e-7


@pytest.mark.slow
def test_a_tall_box_rocks_to_rest_in_finite_time_without_bouncing():
    """Frictionless and plastic: each time a corner comes down the speed at the other is (I/m - a²)/(I/m + a²) of it."""
    m, a, h, lean = 1.0, 0.1, 0.5, 0.005
    radius = (a * a + h * h) / 3                                        # I/m
    ratio = (radius - a * a) / (radius + a * a)
    model = Model([0], [Planar()], [roty(0)], [mcI(m, [0, 0, 0], m * radius * np.eye(3))], gravity=(0, -G, 0))
    pairs = [Pair(0, Plane([0, 0, 0], [0, 1, 0]), 1, Point([x, -h, 0])) for x in (-a, a)]
    motion = run(model, [lean, 0, h * math.cos(lean) + a * math.sin(lean)], np.zeros(3), (0, 2.5), contacts=pairs,
                 rest_speed=3e-4, tolerance=1e-8)
    *impacts, rest = motion.events
    losses = np.array([event.energy_change for event in impacts])
    assert len(impacts) >= 7 and rest.kind == "rest"
    assert {event.kind for event in impacts} == {"gain"} and all(event.lost for event in impacts[:5])
    close(losses[1:6] / losses[:5], np.full(5, ratio**2), 5e-3)
    close(motion.q[-1, [0, 2]], [0, h], 1e-9)
    close(motion.lam[-1], [m * G / 2] * 2, 1e-6)
    adds_up(motion)


def test_two_boxes_thrown_at_each_other_never_get_into_each_other():
    """An edge that is deep in the other body at the end of a step does not hide the corner that met it first."""
    sizes = (0.4, 0.3, 0.5), (0.5, 0.5, 0.5)
    model = Model([0, 0], [FreeMotion()] * 2, [np.eye(6)] * 2, [block_inertia(1, sizes[0]), block_inertia(2, sizes[1])],
                  gravity=(0, 0, 0))
    pair = Pair(1, Box(sizes[0]), 2, Box(sizes[1]))
    q = [-0.49397787494037915, -0.8157855169621357, -0.1529870789894313, 0.258988036492981, -0.8, 0.11360465324896428,
         0, 0.340739159861668, 0.7439569242138124, 0.1241315906554506, -0.5612631005619699, 0.8, -0.09582652054360888,
         0]
    qd = [0.10970639932180819, -0.5526473205362324, -0.7847803553442784, 0.8190403012315839, 0.5054780064474089,
          -0.2714129141297996, 1.6000190889991115, 0.2028824405086084, -1.7321348424395848, -0.3391501602978235,
          -0.5671857474572752, 0.7505181521131206]
    motion = run(model, q, qd, (0, 0.6), contacts=[pair], restitution=0.7, tolerance=1e-7)
    close(motion.events[0].t, 0.533608, 1e-5)
    adds_up(motion, 1e-5)
    close(motion.momentum[-1], motion.momentum[0], 1e-5)
    for q in motion.q:
        A, B = world(1, q, pair.shape_p.vertices), world(2, q, pair.shape_s.vertices)
        assert separation(pair.shape_p, pair.shape_s, A, B, q)[0] > -1e-6


@pytest.mark.slow
def test_a_turned_block_slides_off_a_table():
    """Corners, which stand on the face, hand over to edges across its rim, one after the other, until it falls."""
    table, yaw = Pair(0, Box((1, 1, 0.5), xlt([0, 0, -0.25])), 1, Box((0.2, 0.2, 0.1))), 0.4
    model = free_body(block_inertia(1, (0.2, 0.2, 0.1)))
    motion = run(model, [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2), 0.42, 0, 0.05],
                 [0, 0, 0, math.cos(yaw), -math.sin(yaw), 0], [0, 0.1, 0.24], contacts=[table], tolerance=1e-6)
    assert motion.current[-1] == () and motion.q[-1, 6] < 0.05
    adds_up(motion, 1e-5)


@pytest.mark.slow
def test_a_ball_that_slides_in_a_bowl_is_a_pendulum():
    model, L, start = free_body(mcI(1, [0, 0, 0], 0.004 * np.eye(3))), 0.9, 0.7
    quarter, s, c = ellipk(math.sin(start / 2) ** 2) * math.sqrt(L / G), math.sin(start), math.cos(start)
    motion = run(model, [1, 0, 0, 0, L * s, 0, -L * c], np.zeros(6), [0, quarter, 2 * quarter],
                 contacts=[Pair(0, Sphere(1.0, hollow=True), 1, Sphere(0.1))])
    close(motion.q[:, 4:], [[L * s, 0, -L * c], [0, 0, -L], [-L * s, 0, -L * c]], 1e-7)
    close(motion.lam[:, 0], [G * c, G * (3 - 2 * c), G * c], 1e-6)
    assert not motion.events and np.abs(motion.phi).max() < 1e-12


BOB = mcI(1, [0, 0, -1], 0.02 * np.eye(3))


@pytest.mark.parametrize("joints, inertias", [([Spherical()], [BOB]), ([Euler("xyz")], [BOB]),
                                              ([Universal(), Fixed()], [np.zeros((6, 6)), BOB])])
def test_bobs_on_joints_of_any_kind_meet_a_wall(joints, inertias):
    model, e = Model(range(len(joints)), joints, [np.eye(6)] * len(joints), inertias), 0.6
    wall = Pair(0, Plane([0.5, 0, 0], [-1, 0, 0]), model.N_B, Sphere(0.1, [0, 0, -1]), "wall")
    qd = np.array([0.3, -2.5, 0.2])[: model.nv]
    motion = run(model, model.neutral(), qd, (0, 0.5), contacts=[wall], restitution=e)
    first = motion.events[0]
    assert first.kind == "collision" and first.impulse[0] > 0 and motion.phi.min() > -1e-9
    adds_up(motion)
    k = int(np.argmax(motion.t == first.t))
    before, after = (separation_velocities(model, q, qd, wall.contacts(model, q, qd), first.t)[0]
                     for q, qd in zip(motion.q[k : k + 2], motion.qd[k : k + 2], strict=True))
    close(after, -e * before, 1e-9)
    assert before < -0.1


def test_a_linkage_that_hits_a_wall_stays_closed_and_rests_where_the_wall_is():
    """Two cranks of length 1 that carry a coupler of length 2: it only translates, on a circle."""
    start, e, crank, coupler = 0.8, 0.6, mcI(1, [0, -0.5, 0], np.eye(3) / 12), mcI(2, [1, 0, 0], np.eye(3))
    model = Model([0, 1, 0], [Revolute("z")] * 3, [np.eye(6), xlt([0, -1, 0]), xlt([2, 0, 0])], [crank, coupler, crank],
                  (0, -G, 0), loops=[LoopJoint(2, 3, Revolute("z"), xlt([2, 0, 0]), xlt([0, -1, 0]))])
    q, qd = project(model, [start, -start, start], np.zeros(3))
    wall = Pair(0, Plane([2 + math.sin(-0.3), 0, 0], [1, 0, 0]), 2, Point([2, 0, 0]), "wall")
    motion = run(model, q, qd, (0, 0.9), contacts=[wall], restitution=e)
    first = next(event for event in motion.events if event.kind == "collision")
    # energy: the inertia about q is 2/3 + 2 (each crank 1/4 + 1/12), the weight 3 at height -cos q
    square = 2 * 3 * G * (math.cos(0.3) - math.cos(start)) / (2 / 3 + 2)
    close(first.energy_change, -(1 - e * e) * (2 / 3 + 2) / 2 * square, 1e-7)
    close(first.dqd[0], (1 + e) * math.sqrt(square), 1e-7)
    assert motion.residual.max() < 1e-9 and motion.phi.min() > -1e-9
    adds_up(motion)


def test_contacts_end_by_a_pull_and_at_a_rim_and_hand_over_to_others():
    lifted = run(BALL, [0.1], [0], (0, 0.6), contacts=BALLS, torque=lambda t, q, qd: np.array([30 * t]))
    (event,) = lifted.events
    assert (event.kind, event.lost, event.contacts) == ("dynamic loss", (0,), (0,)) and not lifted.current[-1]
    close([event.t, lifted.q[-1, 0]], [1.5 * G / 30, 0.1 + 30 / 1.5 * (0.6 - event.t) ** 3 / 6], 1e-7)
    slides, sledge = [Prismatic("x"), Prismatic("z")], block_inertia(1, (1, 1, 1))
    table = [Pair(0, Plane((0, 0, -9)), 2, Point()), Pair(0, Box((1, 1, 0.2)), 2, Point(), "tip")]
    slid = run(Model([0, 1], slides, [np.eye(6)] * 2, [sledge] * 2), [0, 0.1], [1, 0], (0, 0.6), contacts=table)
    (event,) = slid.events
    assert (event.kind, event.names, event.lost, event.current) == ("geometric loss", ("tip",), (1,), ())
    close([event.t, *slid.q[-1]], [0.5, 0.6, 0.1 - G / 200], 1e-8)
    (event,) = run(BRICK, [1, 0, 0, 0, 0, 0, 0.1], np.zeros(6), (0, 0.1), contacts=BRICKS, tolerance=1e-6,
                   torque=lambda t, q, qd: np.array([0, 3 * t, 0, 0, 0, 0])).events
    assert (event.kind, event.current, event.lost) == ("active set", (0, 2, 4, 6), ())
    assert {*event.active} == {0, 2, 4, 6} - {*event.contacts}
    legs = np.array([[1, 1, 1, 1, 0], [1, 1, -1, -1, 0], [1, -1, -1, 1, 0], [0, 0, 0, 0, 1]])
    for active, i, now in (((0, 1, 2), 1, (0, 2, 3)), ((1, 2, 3), 2, (0, 1, 3)), ((0, 1, 2), 0, None),
                           ((0, 4), 4, None), ((0, 1, 2), 5, None), ((0, 1, 5), 1, None)):
        assert _Run.relieve(SimpleNamespace(active=active), i, range(5), legs.T @ legs) == now


def test_the_functions_that_are_compiled_say_what_the_readable_ones_say():
    turn = Custom(1, lambda q, t: rotz(q[0]) @ xlt([0.1 * t * t, 0.1, 0]))
    model = Model([0, 1], [FreeMotion(), turn], [np.eye(6)] * 2, [block_inertia(1, (1, 2, 3))] * 2,
                  characters={2: Character(0.1, stiffness=2, armature=0.3)})
    pairs = [Pair(0, FLOOR, i, Sphere(r, np.eye(3)[k])) for k, (i, r) in enumerate(((1, 0.3), (2, 0.1), (2, 0.2)))]
    one = _Run((0.3, "newton", None), model, pairs, lambda t, q, qd: qd + q[6] * t, {1: np.ones(6)},
               ("DOP853", None, 1e-9, np.inf), None, False)
    one.current, one.active, own, t, (q, qd) = (0, 2), (0, 2), [0, 2], 0.7, model.random_state(np.random.default_rng(3))
    long, tau, forces = np.concatenate([1.01 * q[:4], q[4:], qd]), one.tau_at(t, q, qd), one.f_ext_at(t, q, qd)

    def answers():
        looks, system = (one.look(t, q, qd), one.look(t, q, qd, [2, 0])), one.system(t, q, qd, own)
        return [*(x for look in looks for x in (look.phi, look.zeta, look.reach)), one.pull(t, q, qd),
                one.rate(t, long), sizes_of_terms(model, system, tau), *one.response(t, q, qd, own),
                one.energy(t, q, qd), *(getattr(system, name) for name in ("M", "d", "H_T", "free", "u"))]

    expected, places, equations = answers(), *(partial(f, model, pairs=pairs) for f in (flat_places, flat_equations))
    one.quick = CompiledContacts("", 3, model.nv, places, equations)
    for found, readable in zip(answers(), expected, strict=True):
        close(found, readable, 1e-9)
    close(held_rate(model, long[:8], qd, tau, forces, t, np.array([1, 0, 1]), pairs), one.rate(t, long), 1e-9)


WALL, SPRUNG = Pair(0, Plane([0.3, 0, 0], [-1, 0, 0]), 1, Sphere(0.1, [0, 0, -1])), {1: Character(0.1, stiffness=2)}


@pytest.mark.slow
@pytest.mark.parametrize("model, q, qd, options", [
    (BRICK, at([0, 0, 0.3], roty(0.4)[:3, :3]), [0.5, -1, 2, 0.1, 0, 0], {"contacts": BRICKS, "restitution": 0.4,
     "torque": lambda t, q, qd: np.array([0.1 * t, 0, 0, q[5], 0, 0])}),
    (BRICK, [1, 0, 0, 0, 0, 0, 0.4], [0, 0, 0, 0.3, 0.2, 0], {"contacts": BRICKS, "restitution": 0.2}),
    (Model([0], [Revolute("y")], [np.eye(6)], [mcI(1, [0, 0, -1], np.eye(3))], characters=SPRUNG), [0.0], [-1],
     {"contacts": [WALL], "restitution": 0.5, "impact_rule": "poisson"})])
def test_machine_code_finds_the_same_events(model, q, qd, options):
    fast, slow = (run(model, q, qd, (0, 0.4), compiled=compiled, **options) for compiled in (True, False))
    assert [(e.kind, e.contacts, e.current, e.active) for e in fast.events] == [
        (e.kind, e.contacts, e.current, e.active) for e in slow.events] and slow.events
    for name in ("t", "q", "qd", "phi"):
        close(getattr(fast, name), getattr(slow, name), 1e-7)
    for name in ("t", "dqd", "energy_change"):      # not impulses: on four corners they are not unique
        # each bounce at e = 0.2 makes what rounding did to the one before five times as large
        close([getattr(e, name) for e in fast.events], [getattr(e, name) for e in slow.events], 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_what_stops_a_motion_is_named_with_its_time_and_no_step_is_longer_than_asked(compiled):
    for torque, message in ((lambda t, q, qd: [math.sqrt(0.2 - t)], r"At t = 0\.2\d* s: math domain"),
                            (lambda t, q, qd: 30 + qd**2, r"stopped at t = 0\.5066 s")):
        with pytest.raises(SimulationError, match=message):
            run(BALL, [1.0], [1.0], (0, 3), contacts=BALLS, torque=torque, compiled=compiled)
    assert run(BALL, [1.0], [0.0], (0, 0.1), contacts=BALLS, max_step=0.01, compiled=compiled).steps >= 10


def test_contacts_that_jam_are_named_with_the_time():
    """Example 11.1: a disc between two arcs that close in on it moves on although nothing can hold it."""
    model = Model([0, 1], [Prismatic("x"), Prismatic("y")], [np.eye(6)] * 2,
                  [mcI(1, [0, 0, 0], np.eye(3))] * 2, gravity=(0, 0, 0))
    arcs = [Pair(0, Sphere(1.5, [0, y, 0], hollow=True), 2, Sphere(0.5), name) for y, name in ((-1, "up"), (1, "down"))]
    with pytest.raises(SimulationError, match=r"At t = 0 s the contacts 0 \(up\), 1 \(down\) jam") as caught:
        run(model, [0, 0], [0.7, 0], (0, 1), contacts=arcs)
    assert caught.value.t == 0
    motion = run(model, [0, 0], [0, 0], (0, 1), contacts=arcs)
    close(motion.q[-1], [0, 0])


@pytest.mark.parametrize("options, kind, message", [
    ({"q": [0.05]}, ValueError, "overlap by 0.05 m at contact 0"),
    ({"torque": lambda t, q, qd: [1 / 0]}, ZeroDivisionError, "division by zero"),
    ({"method": "LSODA"}, ValueError, "method is 'LSODA'"), ({"restitution": 1.5}, ValueError, "restitution"),
    ({"restitution": [0.5, 0.5]}, ValueError, "restitution"),
    ({"impact_rule": "hertz"}, ValueError, "impact_rule is 'hertz'"),
    ({"rest_speed": -1}, ValueError, "rest_speed is -1"), ({"max_step": 0}, ValueError, "max_step is 0"),
    ({"contacts": [Sphere(0.1)]}, TypeError, "contacts contains Sphere.*give a list of Pair"),
    ({"contacts": Pair(0, FLOOR, 1, Sphere(0.1))}, TypeError, "contacts is Pair.*give a list of Pair"),
    ({"contacts": [Pair(0, FLOOR, 2, Sphere(0.1))]}, ValueError, r"contacts\[0\] names body 2"),
    ({"compiled": "c"}, ValueError, "compiled is 'c'"),
    ({"model": BALL.replace(loops=[LoopJoint(0, 1, Prismatic("z"), np.eye(6), np.eye(6))]), "compiled": True},
     TypeError, "with loops"),
    ({"contacts": [Pair(0, Box((1, 1, 1)), 1, Point())], "compiled": True}, TypeError, "outline of a face"),
    ({"contacts": [Pair(0, Face([[1, 0, 0], [2, 0, 0], [2, 1, 0]]), 1, Point())], "compiled": True}, TypeError,
     "outline of a face")])
def test_mistakes_are_named(options, kind, message):
    options = {"model": BALL, "q": [1.0], "contacts": [Pair(0, FLOOR, 1, Sphere(0.1))]} | options
    with pytest.raises(kind, match=message) as caught:
        run(options.pop("model"), options.pop("q"), [0.0], (0, 1), **options)
    assert not isinstance(caught.value, SimulationError)


def test_a_state_that_is_not_finite_is_laid_at_its_joint_in_the_middle_of_a_step_too():
    with pytest.raises(SimulationError, match=r"At t = 0.05 s the velocity of joint 1 \(body 1\) is \[inf\]"):
        run(lift(1e-3), [1], [0], (0, 1), [Pair(0, Plane(), 1, Sphere(0.1))], method="rk4", dt=0.1,
            torque=lambda t, q, qd: np.array([1e306]), compiled=False)
