"""Exact friction and hard stops: closed forms, Coulomb's law at every sample, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from rbdlib import Model, load
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.contact import Pair, Plane, Point, simulate_contacts
from rbdlib.contact.lcp import lemke
from rbdlib.methods.geared_trees import Gear, GearedTree
from rbdlib.methods.joint_character import Character, aba_with_characters
from rbdlib.motion.ensemble import ensemble
from rbdlib.motion.simulate import simulate
from rbdlib.motion.stick_slip import bounded_forces, falling
from rbdlib.motion.until import simulate_until

LOOP, ARM = load("five_bar"), load("double_pendulum")


def sliders(masses, characters, axis="x"):
    """Masses in a row, each on a rail of the one before it."""
    n = len(masses)
    return Model(range(n), [Prismatic(axis)] * n, [np.eye(6)] * n, [mcI(m, [0, 0, 0], np.eye(3)) for m in masses],
                 characters={i: c for i, c in enumerate(characters, start=1) if c is not None})


def dry(F, **others):
    return Character(friction=F, friction_speed=0, **others)


def times_of(motion, kind):
    return [event.t for event in motion.events if event.kind == kind]


SPRUNG = sliders([2], [dry(4, stiffness=50)])                   # 4 N, 50 N/m: each half period takes 0.16 m of swing
HALF = np.pi * np.sqrt(2 / 50)
BALL = sliders([2], [Character(lower=0, restitution=0.5)], "z")
BOX = sliders([2], [Character(lower=-1, upper=1, restitution=0.6)])


@pytest.mark.parametrize("options", [{"compiled": False}, {"compiled": True}, pytest.param(
    {"method": "rk4", "dt": 0.01, "compiled": True}, marks=pytest.mark.slow)])
def test_a_sprung_block_loses_its_swing_and_sticks_in_the_dead_zone_for_good(options):
    motion = simulate(SPRUNG, [1.0], [0], (0, 8 * HALF), **options)
    assert_allclose(times_of(motion, "reversal"), HALF * np.arange(1, 6), rtol=1e-6)
    assert_allclose(times_of(motion, "stick"), [6 * HALF], rtol=1e-6)
    turns = motion.q[np.isin(motion.t, [event.t for event in motion.events]), 0]
    assert_allclose(turns, [(1 - 0.16 * n) * (-1) ** n for n in range(1, 7)], atol=1e-6)
    assert_allclose([motion.q[-1, 0], motion.holding[-1, 0]], [0.04, 2], atol=1e-4)
    slips = abs(motion.qd) > 1e-6
    assert_allclose(motion.holding[slips], -4 * np.sign(motion.qd[slips]))
    assert motion.held[motion.t > 6.1 * HALF].all() and np.diff(motion.energy).max() < 1e-9


@pytest.mark.parametrize("compiled", [False, True])
def test_a_belt_carries_a_block_until_its_spring_tears_it_off(compiled):
    """Once it has slipped it swings about F/k, and touches the speed of the belt once in a period without sticking."""
    F, k, v, w = 3.0, 20.0, 0.4, np.sqrt(10)
    motion = simulate(sliders([1, 2], [None, dry(F)]), [0, 0], [v, 0], (0, 4), compiled=compiled,
                      f_ext=lambda t, q, qd: {2: [0, 0, 0, -k * q.sum(), 0, 0]},
                      prescribed={1: lambda t: (v * t, v, 0.0)})
    torn = F / k / v
    assert_allclose(times_of(motion, "slip")[0], torn, rtol=1e-8)
    block = np.where(motion.t < torn, v * motion.t, F / k + v / w * np.sin(w * (motion.t - torn)))
    assert_allclose(motion.q.sum(axis=1), block, atol=1e-7)


@pytest.mark.slow
def test_two_joints_stick_while_one_slips():
    model = sliders([1, 2, 3], [dry(10), dry(8), dry(4)])
    motion = simulate(model, [0] * 3, [0] * 3, (0, 1), torque=lambda t, q, qd: np.array([0, 0, 6 * t]))
    stuck, slip = motion.events
    assert (stuck.bodies, slip.bodies, slip.held) == ((1, 2, 3), (3,), (1, 2))
    assert_allclose(slip.t, 2 / 3)
    assert_allclose(motion.q[-1], [0, 0, (1 / 3) ** 3 / 3], atol=1e-9)
    assert_allclose(motion.holding[-1], [2, 2, -4])

    motion = simulate(model, [0] * 3, [1, -1, 1], (0, 2))       # the second hangs back, is caught, and all come to rest
    assert [event.bodies for event in motion.events] == [(2,), (1,), (3,)] and np.diff(motion.energy).max() <= 0
    assert_allclose(times_of(motion, "stick"), [1 / 24, 1 / 6, 3 / 4])


def test_a_pendulum_between_stops_bounces_at_the_times_of_the_integral():
    lower, upper, v, e = -0.5, 0.8, 6.0, 0.8
    pendulum = Model([0], [Revolute("y")], [np.eye(6)], [mcI(1, [0, 0, -1], np.zeros((3, 3)))],
                     characters={1: Character(lower=lower, upper=upper, restitution=e)})
    motion = simulate(pendulum, [0], [v], (0, 0.8), tolerance=1e-11)
    energy, start, spans = v * v / 2, 0.0, []
    for end in (upper, lower, upper):
        spans.append(abs(quad(lambda q, E=energy: 1 / np.sqrt(2 * (E - 9.81 * (1 - np.cos(q)))), start, end)[0]))
        level = 9.81 * (1 - np.cos(end))
        energy, start = level + e * e * (energy - level), end
    assert_allclose(times_of(motion, "impact")[:3], np.cumsum(spans), rtol=1e-8)
    assert motion.q.min() >= lower - 1e-9 and motion.q.max() <= upper + 1e-9
    for side in (-1, 1):                                    # what is at a stop without speed does not hit it
        assert [event.kind for event in simulate(BOX, [side], [0], (0, 0.1)).events] == ["stick"]


@pytest.mark.slow
def test_bounces_that_accumulate_end_and_a_stop_that_is_grazed_is_found():
    fall = np.sqrt(2 / 9.81)
    motion = simulate(BALL, [1], [0], (0, 2))
    *bounces, last = motion.events
    assert {event.kind for event in bounces} == {"impact"} and last.kind == "rest"
    assert_allclose([event.t for event in bounces[:4]], fall * (3 - 4 * 0.5 ** np.arange(1, 5)), rtol=1e-9)
    assert_allclose(last.t, 3 * fall, rtol=1e-5)
    assert_allclose([motion.q[-1, 0], motion.qd[-1, 0], motion.holding[-1, 0]], [0, 0, 2 * 9.81], atol=1e-12)
    lifted = simulate(BALL, [0], [0], (0, 1), torque=lambda t, q, qd: np.array([40 * t]))
    assert_allclose(times_of(lifted, "slip"), 2 * 9.81 / 40)    # a stop does not pull

    depth = 1e-5
    spring = sliders([1], [Character(stiffness=1, upper=1 - depth, restitution=1)])
    assert_allclose(times_of(simulate(spring, [0], [1], (0, 3)), "impact"), [np.arcsin(1 - depth)], rtol=1e-6)
    assert not simulate(spring, [0], [1 - 1.1 * depth], (0, 3)).events


def test_of_two_joints_that_run_into_stops_within_one_step_each_does_so_in_its_time():
    model = Model([0, 0], [Prismatic("x")] * 2, [np.eye(6)] * 2, [mcI(1, [0, 0, 0], np.eye(3))] * 2,
                  characters={i: Character(upper=1, restitution=1) for i in (1, 2)})
    motion = simulate(model, [0, 0], [1, 1.02], (0, 1.2))
    assert [event.bodies for event in motion.events] == [(2,), (1,)]
    assert_allclose([event.t for event in motion.events], [1 / 1.02, 1])
    assert_allclose(motion.q[-1], [0.8, 2 - 1.2 * 1.02])


def test_a_blow_on_one_joint_tears_another_loose_as_friction_has_no_impulse():
    motion = simulate(sliders([1, 2], [Character(upper=1, restitution=0.25), dry(6)]), [0, 0], [2, 0], (0, 2))
    _, blow, again, *_ = motion.events
    assert_allclose([blow.t, blow.impulse[0], blow.energy_change], [0.5, -2.5, -1.875])     # of one mass alone
    assert_allclose(again.t, 0.5 + 1 / 6)                       # the other drags it along with 6 N
    speeds = motion.qd[np.isin(motion.t, [blow.t, again.t])]
    assert_allclose(speeds, [[2, 0], [-0.5, 2.5], [0.5, 1], [-0.125, 1.625]], atol=1e-9)


class Carried(Prismatic):
    """A slider whose rail sets off along its own axis with 1 m/s²."""

    def transform(self, q, t=0.0):
        return super().transform(q + t * t / 2)

    def bias_velocity(self, q, t=0.0):
        return t * self._slide

    def bias_acceleration(self, q, qd, t=0.0):
        return 1 * self._slide


def test_a_blow_takes_the_energy_that_the_speed_of_its_time_gives():
    model = sliders([1], [Character(upper=1, restitution=0.5)]).replace(joints=[Carried("x")])
    blow = simulate(model, [0], [2], (0, 0.8)).events[0]            # it flies with 2 m/s, at first at x = 0
    assert_allclose([blow.t, blow.impulse[0]], [2 - np.sqrt(2), -1.5 * np.sqrt(2)])
    assert_allclose(blow.energy_change, ((2 - 1.5 * np.sqrt(2)) ** 2 - 2**2) / 2)


@pytest.mark.slow
def test_a_stop_on_both_sides_locks_a_joint_and_what_is_prescribed_heeds_nothing():
    model = load("double_pendulum").replace(characters={1: Character(lower=0.3, upper=0.3, restitution=1)})
    motion = simulate(model, [0.3, 0.2], [1, 0], (0, 1))
    assert motion.held[-1].tolist() == [True, False] and (motion.q[:, 0] == 0.3).all()
    given = {1: lambda t: (0.3 + t * t, 2 * t, 2.0)}
    assert_allclose(*(simulate(m, [0.3, 0.2], [0, 0], [0, 0.5, 1], prescribed=given, compiled=fast).q
                      for m, fast in ((model, True), (model.replace(characters={}), False))), atol=1e-7)


@pytest.mark.slow
def test_an_arm_obeys_coulomb_and_its_stops_at_every_sample_in_machine_code_too():
    n, F = 4, np.random.default_rng(5).uniform(0.2, 1.5, 4)
    characters = {i + 1: dry(F[i], lower=-0.7, upper=0.8, restitution=0.6, armature=0.1, damping=0.1) for i in range(n)}
    arm = Model(range(n), [Revolute(axis) for axis in "yxyx"], [xlt([0, 0, -0.5])] * n,
                [mcI(1, [0.1, 0, -0.3], 0.1 * np.eye(3))] * n, characters=characters)
    slow, fast = (simulate(arm, [0.3] * n, [3, -2, 2, -3], (0, 2), tolerance=1e-8, compiled=compiled)
                  for compiled in (False, True))
    assert [(e.kind, e.bodies) for e in slow.events] == [(e.kind, e.bodies) for e in fast.events]
    assert_allclose(fast.q[-1], slow.q[-1], atol=1e-6)
    assert {"impact", "stick", "slip", "reversal"} <= {event.kind for event in slow.events}
    assert np.diff(slow.energy).max() < 1e-7 and abs(slow.q - 0.05).max() < 0.75 + 1e-7
    free, moving = abs(slow.q - 0.05) < 0.75 - 1e-7, abs(slow.qd) > 1e-9
    assert (abs(slow.holding) <= F * (1 + 1e-9))[free].all() and not slow.qd[slow.held].any()
    assert_allclose(slow.holding[free & moving], (-F * np.sign(slow.qd))[free & moving])


def test_bounded_forces_are_those_of_a_linear_complementarity_problem():
    """With p = f - lo >= 0 and, for each upper bound, the slack hi - f >= 0 and the part of a below 0."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        n = rng.integers(1, 6)
        Y, d, lo, hi = rng.normal(size=(n, n)), 3 * rng.normal(size=n), -rng.uniform(0, 2, n), rng.uniform(0, 2, n)
        M, hi[0] = Y @ Y.T + 0.1 * np.eye(n), np.inf
        f, where, _ = bounded_forces(M, d, lo, hi)
        E, a = np.eye(n)[:, 1:], np.concatenate([M @ lo + d, (hi - lo)[1:]])
        A, z = np.block([[M, E], [-E.T, np.zeros((n - 1, n - 1))]]), np.zeros(len(a))
        basis, _ = lemke(A, a, 1e-12)
        z[basis] = np.linalg.solve(A[np.ix_(basis, basis)], -a[basis])
        assert_allclose(f, lo + z[:n], atol=1e-9)
        assert (where * (M @ f + d) <= 1e-9).all()


@pytest.mark.parametrize(("g", "may_dip", "when"), [
    (lambda t: 0.3 - t, False, 0.3), (lambda t: t * (0.3 - t), False, 0.3), (lambda t: -t, False, 0.0),
    (lambda t: (t - 0.3) ** 2 - 1e-4, True, 0.29), (lambda t: (t - 0.3) ** 2 - 1e-4, False, None),
    (lambda t: (t - 0.3) ** 2 + 1e-4, True, None), (lambda t: 1 + t, True, None), (lambda t: 2 - t, True, None),
    (lambda t: t * (t - 0.3) * (t - 0.6), True, None), (lambda t: t, True, None), (lambda t: 1 - t, True, None)])
def test_a_fall_below_zero_is_found_within_the_step_and_a_dip_where_there_may_be_one(g, may_dip, when):
    def within(t):
        assert 0 <= t <= 1
        return g(t)

    assert falling(within, 0, 1, may_dip) == (when if when is None else pytest.approx(when, abs=1e-9))


@pytest.mark.slow
def test_a_motion_until_an_event_of_the_users_passes_impacts_and_ensembles_stick():
    turned, back = (simulate_until(BOX, [0], [3], times, event) for times, event in (
        ((0, 3), lambda t, q, qd: qd[0]), ([0, 0.5, 1.3, 3], lambda t, q, qd: q[0] + 0.5)))
    assert_allclose([turned.t[-1], turned.qd[-1, 0], len(turned.events)], [1 / 3, -1.8, 1])
    assert_allclose([back.t[-1], back.holding.shape[0]], [1 / 3 + 1.5 / 1.8, len(back)])
    assert_allclose(ensemble(SPRUNG, [([1.0], [0.0])], (0, 8 * HALF))[0].q[-1], 0.04, atol=1e-6)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: simulate(BOX, [1.1], [0], (0, 1)), "joint 1 .* at 1.1, beyond its hard stops at -1 and 1"),
    (lambda: simulate(BOX, [0], [0], (0, 1), method="LSODA"), "start anew after each event: 'euler'"),
    (lambda: simulate(LOOP.replace(characters={1: dry(1)}), LOOP.neutral(), np.zeros(LOOP.nv), (0, 1)),
     "trees without loops and gears"),
    (lambda: simulate(GearedTree(ARM.replace(characters={1: dry(1)}), Gear(2, {1: 2})), [0], [0], (0, 1)), "and gears"),
    (lambda: simulate(BOX, [0], [0], (0, 1), compiled=True, dynamics=lambda *state: np.zeros(1)), "of your own"),
    (lambda: simulate_contacts(BALL, [1], [0], (0, 1), [Pair(0, Plane(), 1, Point())]), "Joint 1 .* simulate alone"),
    (lambda: aba_with_characters(SPRUNG, [1], [0], [0]), "Joint 1 .* give a friction_speed"),
    (lambda: simulate(BOX, [0], [3], [0, 0.1, 1], torque=lambda t, q, qd: [0 if t < 0.1 else np.inf]), "At t = 0.1"),
    (lambda: simulate(BOX, [1], [3], (0, 1)), "At t = 0 s joints hit .* without end. Give a smaller restitution"),
    (lambda: simulate(BOX, [0], [3], (0, 1)), "At t = 0 s joints stick .* without end. Give a larger tolerance")])
def test_what_is_refused(make, message, monkeypatch):
    if "without end" in message:
        most = "stick_slip.MOST_EXCHANGES" if "hit" in message else "phases.MOST_CHANGES"
        monkeypatch.setattr(f"rbdlib.motion.{most}", 0)
    with pytest.raises((ValueError, TypeError), match=message):
        make()
