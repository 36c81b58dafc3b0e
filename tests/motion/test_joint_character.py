"""Joints with character: closed forms, the balance of energy, files, copies and what is refused."""

import copy
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

from rbdlib import Model, ModelError, aba, compile_for, draw, forward_dynamics, load, save
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Fixed, Prismatic, Reversed, Revolute, Spherical
from rbdlib.compile.cache import fingerprint
from rbdlib.compile.link_frames import with_link_frames
from rbdlib.contact import Pair, Plane, Point
from rbdlib.contact.simulation import simulate_contacts
from rbdlib.contact.time_stepping import simulate_steps
from rbdlib.io import read_mjcf, read_urdf, save_urdf
from rbdlib.loops.closing import close_loops
from rbdlib.methods.floating_base import to_fixed_base, to_floating_base
from rbdlib.methods.joint_character import Character, aba_with_characters, armatures, joint_forces, rnea_with_characters
from rbdlib.motion.ensemble import ensemble
from rbdlib.motion.simulate import energies_and_momentum, forces_along, simulate
from tests.sources.ch11_systems import lift

WHOLE = Character(damping=0.3, friction=0.4, friction_speed=0.05, stiffness=7, rest=0.2, lower=-0.5, upper=0.6,
                  stop_stiffness=90, stop_damping=40, armature=0.8)
ARM = load("double_pendulum").replace(characters={1: WHOLE, 2: replace(WHOLE, damping=0.1, rest=-0.3)})


def slider(m=2.0, **character):
    """A mass on a horizontal rail."""
    return Model([0], [Prismatic("x")], [np.eye(6)], [mcI(m, [0, 0, 0], np.eye(3))],
                 characters={1: Character(**character)})


def test_stops_push_only_where_they_are_reached_and_forces_at_rest_are_slopes_of_the_energy():
    stop = Character(upper=0.5, stop_stiffness=100, stop_damping=50)
    assert_allclose([stop.force(0.6, qd) for qd in (0, 1, -1.9, -3)], [-10, -15, -0.5, 0], atol=1e-14)
    assert stop.force(0.4, 9) == 0 and Character(lower=0, upper=1).force(5, 1) == 0
    assert_allclose(Character(friction=2).force(0, 0.01), -2 / np.sqrt(2))
    for q in (-0.8, 0.1, 0.9):                              # at a stop, between the stops and at the other
        slope = (WHOLE.energy(q + 1e-5) - WHOLE.energy(q - 1e-5)) / 2e-5
        assert_allclose(WHOLE.force(q, 0), -slope, rtol=1e-8)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_mass_with_spring_damper_and_rotor_is_the_damped_oscillator(compiled):
    t, d, w = np.linspace(0, 4, 21), 0.6 / (2 * 2.5), np.sqrt(9 / 2.5)
    w_d = np.sqrt(w * w - d * d)
    motion = simulate(slider(damping=0.6, stiffness=9, rest=0.3, armature=0.5), [1.3], [0], t, compiled=compiled)
    q = 0.3 + np.exp(-d * t) * (np.cos(w_d * t) + d / w_d * np.sin(w_d * t))
    assert_allclose(motion.q[:, 0], q, atol=1e-8)
    assert_allclose(motion.energy[0], 9 / 2)
    assert_allclose(motion.kinetic, 2.5 / 2 * motion.qd[:, 0] ** 2)


@pytest.mark.slow
def test_friction_stops_and_dampers_take_the_energy_that_they_should():
    swung, slow = (simulate(slider(stiffness=50, friction=4, friction_speed=1e-5), [q], [0], times, method="Radau",
                            tolerance=1e-6) for q, times in ((1, np.pi / 5 * np.arange(5)), (0.07, [0, 0.5, 1])))
    assert_allclose(swung.q[:, 0], [(1 - 0.16 * n) * (-1) ** n for n in range(5)], atol=1e-4)
    assert_allclose(slow.q[:, 0], 0.07, atol=2e-5)          # k q < F: it creeps no faster than friction_speed

    bounced = simulate(slider(upper=0.5, stop_stiffness=1e4), [0], [2], [0, 1, 2], tolerance=1e-10)
    assert_allclose(bounced.qd[[0, -1], 0], [2, -2], rtol=1e-6)
    assert abs(simulate(slider(lower=-0.5, stop_stiffness=1e4, stop_damping=3e3), [0], [-2], (0, 1)).qd[-1, 0]) < 1.5

    rng = np.random.default_rng(3)
    for q in ([0.9, 1.2], [-0.8, -1.0], [0.1, 0.2]):
        qd, tau, h = rng.normal(size=2), rng.normal(size=2), 1e-5
        qdd = aba_with_characters(ARM, q, qd, tau)
        assert_allclose(rnea_with_characters(ARM, q, qd, qdd), tau, atol=1e-12)
        before, after = (sum(energies_and_momentum(ARM, q + s * qd, qd + s * qdd)[:2]) for s in (-h, h))
        lost = [c.force(x, 0) - c.force(x, v) for c, x, v in zip(ARM.characters[1:], q, qd, strict=True)]
        assert_allclose((after - before) / (2 * h), (tau - lost) @ qd, rtol=1e-7)


@pytest.mark.slow
def test_an_armature_is_a_moment_of_inertia_of_the_first_body_with_loops_too():
    times = [0, 0.1, 0.2]
    for model in (load("double_pendulum"), load("four_bar")):
        rotor = [I + (i == 0) * np.diag([0.7, 0.7, 0.7, 0, 0, 0]) for i, I in enumerate(model.inertia[1:])]
        q0 = close_loops(model, model.neutral() + 0.1) if model.loops else model.neutral() + 0.1
        heavy, geared = model.replace(inertia=rotor), model.replace(characters={1: Character(armature=0.7)})
        for compiled in (False, True):
            q, geared_q = (simulate(m, q0, np.zeros(m.nv), times, compiled=compiled).q for m in (heavy, geared))
            assert_allclose(geared_q, q, atol=1e-8)
        bare, off = (simulate(m, q0, np.zeros(m.nv), times, compiled=True, characters=False).q for m in (model, geared))
        assert abs(bare - q).max() > 1e-3
        assert_allclose(off, bare)


@pytest.mark.slow
def test_machine_code_and_ensembles_and_prescribed_motions_find_the_readable_motion():
    t, start = np.linspace(0, 0.5, 6), ([0.9, 0.3], [0.0, 1.0])
    readable = simulate(ARM, *start, t, compiled=False)
    assert_allclose(simulate(ARM, *start, t, compiled=True).q, readable.q, atol=1e-7)
    runs = ensemble(ARM, [start] * 2, t)
    assert_allclose(runs[1].q, readable.q, atol=1e-7)
    assert not np.allclose(ensemble(ARM, [start], t, characters=False)[0].q, readable.q, atol=1e-2)
    given = {1: lambda t: (0.9 + t * t, 2 * t, 2.0)}
    motion, fast = (simulate(ARM, *start, t, prescribed=given, compiled=compiled) for compiled in (False, True))
    assert_allclose(fast.q, motion.q, atol=1e-7)
    qdd, tau = forces_along(motion, given)
    assert_allclose([rnea_with_characters(ARM, *state) for state in zip(motion.q, motion.qd, qdd, strict=True)], tau,
                    atol=1e-9)
    assert_allclose(tau[:, 1], 0, atol=1e-9)


def test_joints_keep_their_character_in_the_air_and_on_the_floor():
    for height in (0.0, 5.0):
        model = Model([0, 1], [Prismatic("z"), Prismatic("x")], [np.eye(6)] * 2,
                      [np.zeros((6, 6)), mcI(2, [0, 0, 0], np.eye(3))], characters={2: Character(damping=3)})
        motion = simulate_contacts(model, [height, 0], [0, 4], [0, 0.2, 0.5], [Pair(0, Plane(), 2, Point())])
        assert_allclose(motion.qd[:, 1], 4 * np.exp(-1.5 * motion.t), rtol=1e-7)
        assert (motion.lam[-1, 0] > 0) == (height == 0)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_rotor_meets_the_floor_with_its_joint(compiled):
    """A ball of 2 kg with a rotor of 1 kg falls as 3 kg would with two thirds of the gravity, and bounces as these."""
    floor, third = [Pair(0, Plane(), 1, Point())], -9.81 * 2 / 3
    ball = lift(2.0).replace(characters={1: Character(armature=1)})
    motion = simulate_contacts(ball, [1], [0], (0, 1.0), floor, restitution=0.5, compiled=compiled)
    first = motion.events[0]
    assert_allclose([first.t, first.impulse[0], first.energy_change],
                    [np.sqrt(-2 / third), 4.5 * np.sqrt(-2 * third), -3 / 8 * 3 * -2 * third], rtol=1e-9)
    assert_allclose(motion.energy[-1], 2 * 9.81 + first.energy_change, rtol=1e-9)
    if not compiled:
        steps = simulate_steps(ball, [1], [0], 0.01, 100, floor)
        assert_allclose(steps.q[50], 1 + third * 0.01**2 * 50 * 51 / 2)
        assert_allclose([step.p_n[0] for step in steps.steps[-5:]], 2 * 9.81 * 0.01)


def test_forces_of_symbols_are_the_formula_and_the_book_ignores_characters():
    k, d, F, v, q, qd = sympy.symbols("k d F v q qd", positive=True)
    c = Character(stiffness=k, damping=d, friction=F, friction_speed=v, upper=2, stop_stiffness=90, stop_damping=3)
    (force,) = joint_forces(slider().replace(characters={1: c}), [q], [qd])
    push = sympy.Max(q - 2, 0) * (90 + 3 * qd)
    expected = -d * qd - F * qd / sympy.sqrt(qd**2 + v**2) - k * q - push
    for x in (1, 3):
        at = {q: x, k: 2, d: 3, F: 4, v: 5, qd: 6}
        assert abs(float((force - expected).subs(at))) < 1e-12
    free = ARM.replace(characters={1: c, 2: Character(armature=k, lower=v, stop_stiffness=F)})
    values = {"k": 0.8, "d": 3.0, "F": 4.0, "v": 5.0}
    numbers = replace(c, stiffness=0.8, damping=3, friction=4, friction_speed=5)
    numbers = ARM.replace(characters={1: numbers, 2: Character(armature=0.8, lower=5, stop_stiffness=4)})
    state = [2.5, 1], [1, 2], [3, 4]
    assert_allclose(compile_for(aba_with_characters, free, backend="numpy")(*state, parameters=values),
                    aba_with_characters(numbers, *state), rtol=1e-12)
    for function in (aba, forward_dynamics):
        assert_allclose(function(ARM, [1, 1], [1, 1], [0, 0]), aba(load("double_pendulum"), [1, 1], [1, 1], [0, 0]))


@pytest.mark.slow
def test_copies_keep_characters_and_springs_and_stiff_stops_are_in_the_picture():
    bare = ARM.replace(characters={})
    assert bare != ARM and bare == load("double_pendulum") and fingerprint(bare) != fingerprint(ARM)
    for same in (pickle.loads(pickle.dumps(ARM)), copy.deepcopy(ARM), ARM.replace(names=ARM.names[1:])):
        assert same == ARM and same.characters == (None, *ARM.characters[1:]) and armatures(same) == {1: 0.8, 2: 0.8}
    flying = load("satellite_arm").replace(characters={2: WHOLE})
    assert to_fixed_base(to_floating_base(flying)).characters == flying.characters
    assert with_link_frames(ARM).characters == ARM.characters

    for joint, lines in ((Prismatic("x"), 4), (Reversed(Prismatic("x")), 4), (Revolute("z"), 4), (Fixed(), 0)):
        counts = []
        for character in (None, WHOLE, replace(WHOLE, stop_stiffness=0, stop_damping=0, stiffness=0)):
            model = Model([0, 1], [joint, Revolute("z")], [np.eye(6)] * 2, [mcI(1, [1, 0, 0], np.eye(3))] * 2,
                          characters={} if character is None or joint.nv == 0 else {1: character})
            ax = draw.axes_for(model)
            draw.model(ax, model)
            counts.append(len(ax.lines))
        assert [b - a for a, b in pairwise(counts)] == [lines, -lines]


def test_files_keep_characters(tmp_path):
    for arm in (ARM, ARM.replace(characters={2: Character(friction=1, friction_speed=0, upper=1, restitution=0)})):
        save(arm, tmp_path / "arm.toml")
        assert load(tmp_path / "arm.toml") == arm
    text = '[parameters]\nk = 2\n[[body]]\nname = "b"\njoint = {type = "prismatic"}\nmass = 1\ncharacter = {}'
    for inside, key in (('{stiffness = "3*k"}', None), ("3", "write {damping"), ("{damping = -1}", "damping is -1"),
                        ("{dampng = 1}", "did you mean 'damping'"),
                        ("{restitution = 0}", "it needs lower or upper"), ('{rest = "l"}', "rest")):
        (tmp_path / "b.toml").write_text(text.replace("{}", inside))
        if key is None:
            model = load(tmp_path / "b.toml", symbolic=True)
            assert model.characters[1].stiffness == 3 * model.parameters["k"]
        else:
            with pytest.raises(ModelError, match=rf"b.toml: body 1 \(b\).*{key}"):
                load(tmp_path / "b.toml")
    joint = Character(damping=2, friction=3, lower=-1, upper=1)
    marked = load("double_pendulum").replace(gravity=(0, 0, -9.81), characters={2: joint})
    save_urdf(marked, tmp_path / "arm.urdf")
    assert read_urdf(tmp_path / "arm.urdf").model.characters == (None, None, joint)
    with pytest.raises(ModelError, match="end stops of joint .* push back"):
        save_urdf(marked.replace(characters={2: Character(lower=0, stop_stiffness=9)}), tmp_path / "arm.urdf")
    (tmp_path / "r.xml").write_text("<mujoco><worldbody><body><joint name='j' damping='-1'/><inertial pos='0 0 0' "
                                    "mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>")
    with pytest.raises(ModelError, match=r"r.xml: Joint 'j': damping is -1"):
        read_mjcf(tmp_path / "r.xml")


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Character(damping=-1), "damping is -1; give zero or a positive number"),
    (lambda: Character(friction=-1, friction_speed=0), "friction is -1; give zero or a positive number"),
    (lambda: Character(restitution=1.1, upper=0), "restitution is 1.1; give a number from 0 to 1"),
    (lambda: Character(restitution=0.5), "restitution is 0.5; it needs lower or upper"),
    (lambda: Character(restitution=0.5, lower=0, stop_damping=1), "and neither stop_stiffness nor stop_damping"),
    (lambda: Character(lower=2, upper=1), "lower is 2.* above upper"), (lambda: Character(rest="x"), "rest"),
    (lambda: Character(armature=np.nan), "armature contains nan"),
    (lambda: ARM.replace(characters={3: WHOLE}), "characters names body 3"),
    (lambda: ARM.replace(characters={1: 0.1}), r"characters\[1\] is 0.1; give a Character"),
    (lambda: ARM.replace(characters=WHOLE), "give a dict"),
    (lambda: ARM.replace(joints=[Revolute(), Spherical()]), "joint 2, which is a .*pherical.* one freedom"),
    (lambda: simulate(ARM, [0, 0], [0, 0], (0, 1), dynamics="crba"), "armatures, which only dynamics=None"),
    (lambda: simulate(slider(damping=sympy.Symbol("d")), [0], [0], (0, 1)), "symbols")])
def test_what_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
