"""Floating bases: flight, turning without angular momentum, every kind of scalar, at their limits, and refusals."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import LoopJoint, Model, ModelError, aba
from rbdlib.book import ch09_floating_base as fb
from rbdlib.book.ch02_spatial import force_transform, mcI, plucker, rotx, roty, rotz, xlt
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Prismatic, Reversed, Revolute, Spherical
from rbdlib.book.ch04_kinematics import kinetic_energy, momentum
from rbdlib.methods import floating_base
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.floating_base import FloatingBase, to_fixed_base, to_floating_base
from rbdlib.motion import floating_momentum as fm
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.scalars import sin
from tests.sources.helpers import random_pose

SEED = 61
FORWARD = [fb.floating_aba, fb.floating_by_crba]
IDENTITY = (1, 0, 0, 0, 0, 0, 0)
CUBE = mcI(1, [0, 0, 0], np.eye(3))


def satellite(gravity=(0, 0, 0), joints=None, inertia=None):
    """A box with a wheel and an arm of two links."""
    joints = [Revolute("z"), Revolute((1, 1, 0)), Revolute("y")] if joints is None else joints
    places = [xlt([0.1, 0, 0.4]), rotx(0.4) @ xlt([0, 0.5, 0]), xlt([0.7, 0, 0])]
    links = [mcI(2, [0, 0, 0.1], np.diag([0.2, 0.2, 0.3])), mcI(1, [0.4, 0, 0], np.diag([0.01, 0.1, 0.1])),
             mcI(1.5, [0.3, 0.1, 0], np.diag([0.02, 0.1, 0.1]))]
    I_0 = mcI(9, [0.1, 0.05, -0.1], np.diag([1.0, 1.4, 1.1])) if inertia is None else inertia
    return FloatingBase(Model([0, 0, 2], joints, places, links, gravity), I_0, "box")


def state(rng, system):
    """q, qd, v_0, tau."""
    q, qd = system.tree.random_state(rng)
    return q, qd, rng.normal(size=6), rng.normal(size=system.tree.nv)


# The state, and the equivalent system with a fixed base

def test_a_system_becomes_a_fixed_base_model_and_the_same_system_again():
    system = satellite((0, 1, 2))
    tied = FloatingBase(system.tree.replace(loops=[LoopJoint(1, 3, Spherical(), xlt([1, 0, 0]), np.eye(6)),
                                                      LoopJoint(0, 3, Revolute(), np.eye(6), np.eye(6))]), system.I_0)
    for given in (system, tied):
        model = to_fixed_base(given)
        assert to_floating_base(model) == given
        assert (model.N_B, model.N_L, model.nv) == (4, given.tree.N_L, 9)
        assert_array_equal(model.inertia[1], given.I_0)
    assert [(loop.predecessor, loop.successor) for loop in to_fixed_base(tied).loops] == [(2, 4), (1, 4)]
    assert to_fixed_base(system).names == ("base", "box", "body 2", "body 3", "body 4")
    assert not system.I_0.flags.writeable
    assert system != tied and system != satellite() and system != "satellite"


def test_a_single_body_floats_as_euler_says(rng):
    """No joint at all: the gyroscopic acceleration of a rigid body, by its momentum; a_0 is a spatial acceleration."""
    m, I = 3.0, np.diag([1.0, 2.0, 2.5])
    system = FloatingBase(Model([], [], [], []), mcI(m, [0, 0, 0], I))
    omega, v, a_g = rng.normal(size=(3, 3))
    for form in FORWARD:
        a_0, qdd = form(system, [], [], [*omega, *v], [], a_g)
        assert qdd.shape == (0,)
        assert_allclose(a_0[:3], np.linalg.solve(I, -np.cross(omega, I @ omega)), atol=1e-12)
        assert_allclose(a_0[3:] + np.cross(omega, v), a_g, atol=1e-12)          # classical: free fall
    a_0, tau = fb.floating_inverse_dynamics(system, [], [], [], [*omega, *v], a_g)
    assert tau.shape == (0,)
    assert_allclose(a_0[3:] + np.cross(omega, v), a_g, atol=1e-12)
    assert fm.floating_jacobian(system, [], 0).shape == (6, 0)


def test_the_place_of_the_base_as_a_transform_and_as_seven_numbers(rng):
    system, (R, p) = satellite((1, 2, 3)), random_pose(rng)
    X, (q, qd, v_0, _) = plucker(R.T, p), state(rng, system)
    variables = floating_base.base_variables(X)
    assert_allclose(floating_base.base_transform(variables), X, atol=1e-14)
    assert_allclose(np.linalg.norm(variables[:4]), 1, rtol=1e-15)
    assert_allclose(variables[4:], p, atol=1e-14)
    by_X, by_numbers = (floating_base.to_fixed_state(system, base, v_0, q, qd) for base in (X, variables))
    for mine, theirs in zip(by_X, by_numbers, strict=True):
        assert_allclose(mine, theirs, rtol=1e-15)
    for back, given in zip(floating_base.to_floating_state(to_fixed_base(system), *by_X), (X, v_0, q, qd), strict=True):
        assert_allclose(back, given, atol=1e-14)
    for base in (X, variables):
        assert_allclose(floating_base.gravity_in_base(system, base), R.T @ [1, 2, 3], rtol=1e-12)
    assert all(x.dtype == float for x in floating_base.to_fixed_state(system, IDENTITY, [0] * 6, [0] * 3, [0] * 3))
    for call in (lambda base: floating_base.to_fixed_state(system, base, v_0, q, qd), floating_base.base_transform,
                 lambda base: floating_base.gravity_in_base(system, base)):
        with pytest.raises(ValueError, match=r"^base\[:4\] = \[9.0, 0.0, 0.0, 0.0\] is not a unit vector"):
            call((9, 0, 0, 0, 1, 2, 3))
        with pytest.raises(ValueError, match=r"^base has shape \(3,\); expected 7 numbers"):
            call((1, 0, 0))


@pytest.mark.parametrize("name", ["F_s", "reversed F_s", pytest.param("angles", marks=pytest.mark.slow)])
def test_any_joint_of_six_freedoms_may_stand_under_the_base(name, rng):
    """Its frame turned and displaced, a force on it, f_ext on every body: the accelerations of Table 7.1. The angles
    have other variables than free motion, so that S varies and c_J is not zero, and move by themselves."""
    def angles(q, t):
        return rotx(q[2]) @ roty(q[1]) @ rotz(q[0]) @ xlt([q[3] + sin(3 * t), *q[4:]])

    free = FreeMotion("F_s") if "F_s" in name else FreeMotion()
    root = Custom(6, angles) if name == "angles" else Reversed(free) if "reversed" in name else free
    model, t = to_fixed_base(satellite((1, 2, 3))), 0.4
    R, p = random_pose(rng)
    model = model.replace(joints=[root, *model.joints[2:]], X_tree=[plucker(R.T, p), *model.X_tree[2:]])
    q, qd = model.random_state(rng)
    tau, f_ext = rng.normal(size=model.nv), rng.normal(size=(5, 6))
    found = floating_base.by_floating_aba(model, q, qd, tau, f_ext, t)
    assert_allclose(found, aba(model, q, qd, tau, f_ext, t), rtol=1e-8, atol=1e-8)
    X, v_0, *rest = floating_base.to_floating_state(model, q, qd, t)
    h = X.T @ fm.floating_momentum(to_floating_base(model), *rest, v_0)
    assert_allclose(h, momentum(model, q, qd, t), rtol=1e-12)
    assert_allclose(fm.floating_kinetic_energy(to_floating_base(model), *rest, v_0),
                    kinetic_energy(model, q, qd, t), rtol=1e-12)


def test_joints_that_depend_on_time(rng):
    """A drawer that moves in and out by itself: it takes part in momentum, energy and all accelerations."""
    driven = Custom(1, lambda q, t: xlt([q[0], sin(3 * t), 0]), lambda q, t: np.eye(6)[:, 3:4])
    system, t = satellite((0, 1, 2), [Revolute("z"), driven, Fixed()]), 0.7
    q, qd, v_0, tau = state(rng, system)
    model, (Q, Qd) = to_fixed_base(system), floating_base.to_fixed_state(system, IDENTITY, v_0, q, qd)
    expected = aba(model, Q, Qd, [0] * 6 + list(tau), t=t)
    a_g = system.tree.gravity
    for form in FORWARD:
        found = np.concatenate(form(system, q, qd, v_0, tau, a_g, t=t))
        assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    a_0, forces = fb.floating_inverse_dynamics(system, q, qd, expected[6:], v_0, a_g, t=t)
    assert_allclose(np.concatenate([a_0, forces]), np.concatenate([expected[:6], tau]), atol=1e-10)
    h = fm.floating_momentum(system, q, qd, v_0, t)
    assert_allclose(h, momentum(model, Q, Qd, t), rtol=1e-12)
    assert_allclose(fm.base_velocity(system, q, qd, h, t), v_0, rtol=1e-12)
    assert_allclose(fm.floating_kinetic_energy(system, q, qd, v_0, t), kinetic_energy(model, Q, Qd, t), rtol=1e-12)


@pytest.mark.slow
def test_euler_parameters_do_not_drift(rng):
    """40 turns of a symmetric top in 2,000 steps: unit length to rounding, and the angle that it should be. Simulations
    of a satellite, by whatever integrator, keep to unit length too."""
    base, v_0, joint, worst = np.array([1.0, 0, 0, 0, 1, 2, 3]), np.array([0, 0, 40 * np.pi, 0, 0, 0]), FreeMotion(), 0
    for _ in range(2_000):
        base = joint.integrate(base, v_0, 1e-3)
        worst = max(worst, abs(np.linalg.norm(base[:4]) - 1))
    assert worst < 5e-16
    assert_allclose(floating_base.base_transform(base), plucker(np.eye(3), [1, 2, 3]), atol=1e-10)
    model = to_fixed_base(satellite())
    for method, dt in (("rk4", 0.02), ("semi_implicit_euler", 0.02), ("DOP853", None)):
        run = simulate(model, *model.random_state(rng), (0, 0.4), method=method, dt=dt, progress=False)
        assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1, rtol=0, atol=5e-16)
        assert run.norm_defect.max() < (1e-9 if dt is None else 1e-15)


def wheel(I_base=3.0, I_wheel=1.0):
    """A body and a wheel about the z axis through both centres of mass."""
    tree = Model([0], [Revolute("z")], [xlt([0, 0, 1])], [mcI(1, [0, 0, 0], np.diag([0.6, 0.6, I_wheel]))])
    return FloatingBase(tree, mcI(2, [0, 0, 0], np.diag([4, 4, I_base])))


def test_a_wheel_turns_the_body_the_other_way():
    """From rest, by the ratio of the moments of inertia; the body's own turn never shows in the wheel's angle. The
    shape may be given with accelerations or without, as lists, arrays or one array of rows. With a momentum and its
    wheel still the body goes on turning about the centre of mass, z = 1/3, while it moves on."""
    t = np.linspace(0, 2, 9)
    angle, rate = lambda t: 4 * t - t * t, lambda t: 4 - 2 * t
    path = fm.float_along(wheel(), lambda t: ([angle(t)], [rate(t)]), t)
    assert_allclose(2 * np.arctan2(path[:, 3], path[:, 0]), -angle(t) / 4, atol=1e-9)
    assert_allclose(path[:, [1, 2, 4, 5, 6]], 0, atol=1e-12)
    for form in (lambda t: ([angle(t)], [rate(t)], [-2]), lambda t: np.array([[angle(t)], [rate(t)]]),
                 lambda t: np.array([[angle(t)], [rate(t)], [-2]]), lambda t: (angle(t), rate(t)),
                 lambda t: (angle(t), rate(t), -2)):
        assert_array_equal(fm.float_along(wheel(), form, t), path)
    by_itself = wheel().tree.replace(joints=[Custom(0, lambda q, t: rotz(4 * t - t * t))])
    assert_allclose(fm.float_along(FloatingBase(by_itself, wheel().I_0), lambda t: ([], []), t), path, atol=1e-12)
    path = fm.float_along(wheel(), lambda t: ([0.3], [0.0]), [0, 1, 2], h=[0, 2.0, 2.0, 6.0, 0, 0])
    assert_allclose(2 * np.arctan2(path[:, 3], path[:, 0]), [0, 0.5, 1.0], atol=1e-9)
    assert_allclose(path[:, 4:], [[0, 0, 0], [2, 0, 0], [4, 0, 0]], atol=1e-9)


def test_prescribed_joints_turn_the_base_as_their_forces_would(rng):
    """The momentum's first integral against accelerations integrated twice, with the forces of inverse dynamics."""
    system, t = satellite(), np.linspace(0, 0.4, 5)
    R, p = random_pose(rng)
    base, h = floating_base.base_variables(plucker(R.T, p)), rng.normal(size=6)

    def shape(t):
        return np.array([t, np.sin(t), t * t]), np.array([1, np.cos(t), 2 * t]), np.array([0, -np.sin(t), 2])

    path = fm.float_along(system, lambda t: shape(t)[:2], t, floating_base.base_transform(base), h, 1e-12)
    v_0 = fm.base_velocity(system, *shape(0)[:2], force_transform(floating_base.base_transform(base)) @ h)
    model = to_fixed_base(system)

    def drives(t, q, qd):
        X, v_0, *_ = floating_base.to_floating_state(model, q, qd)
        return np.concatenate([np.zeros(6), fb.floating_inverse_dynamics(system, *shape(t), v_0, np.zeros(3))[1]])

    run = simulate(model, *floating_base.to_fixed_state(system, base, v_0, *shape(0)[:2]), t, drives, tolerance=1e-10)
    assert_allclose(run.q[:, 7:], [shape(x)[0] for x in t], atol=1e-8)
    assert_allclose(run.q[:, :7] * np.sign(run.q[:, :1]), path * np.sign(path[:, :1]), atol=1e-8)
    assert_allclose(run.momentum, [h] * 5, atol=1e-8)


@pytest.mark.parametrize("L", [1e-7, 1e7])
def test_nothing_depends_on_the_unit_of_length(L, rng):
    """The same satellite in units of which a metre has L; masses, times and angles are the same: the accelerations have
    other units, and the same values."""
    system = satellite((1, 2, 3))
    q, qd, v_0, tau = state(rng, system)
    base, unit, tree = [1, 0, 0, 0, 1, 2, 3], np.array([1, 1, 1, L, L, L]), system.tree
    I_0, *inertias = (L**2 * I / np.outer(unit, unit) for I in system.inertia)
    places = [X * np.outer(unit, 1 / unit) for X in tree.X_tree[1:]]
    other = FloatingBase(Model(tree.parent[1:], tree.joints[1:], places, inertias, L * tree.gravity), I_0)
    model, (Q, Qd) = to_fixed_base(system), floating_base.to_fixed_state(system, base, v_0, q, qd)
    Q_L, Qd_L = floating_base.to_fixed_state(other, [*base[:4], *(L * np.array(base[4:]))], unit * v_0, q, qd)
    tau_L = np.concatenate([np.zeros(6), L * L * tau])
    expected = aba(model, Q, Qd, [*np.zeros(6), *tau])
    found = floating_base.by_floating_aba(to_fixed_base(other), Q_L, Qd_L, tau_L)
    assert_allclose(np.concatenate([found[:6] / unit, found[6:]]), expected, rtol=1e-9, atol=1e-9)
    assert_allclose(aba(to_fixed_base(other), Q_L, Qd_L, tau_L), found, rtol=1e-7, atol=1e-9 * max(1, L))
    H_fl, C_fl = fb.floating_joint_space(system, q, qd, v_0, (1, 2, 3))
    H_L, C_in_L = fb.floating_joint_space(other, q, qd, unit * v_0, L * np.array([1, 2, 3]))
    assert_allclose(H_L / L**2, H_fl, rtol=1e-9, atol=1e-9)
    assert_allclose(C_in_L / L**2, C_fl, rtol=1e-9, atol=1e-9)
    h = rng.normal(size=6)
    expected = fm.base_velocity(system, q, qd, h)
    assert_allclose(fm.base_velocity(other, q, qd, L * h * unit[::-1]) / unit, expected, rtol=1e-9)


def test_symbols(rng):
    """The equation of motion of a body with a wheel, in formulas; as numbers, that of floats."""
    m, J, I = sp.symbols("m J I", positive=True)
    tree = Model([0], [Revolute("z")], [xlt([0, 0, 1])], [mcI(1, [0, 0, 0], sp.diag(J, J, J))])
    system = FloatingBase(tree, mcI(m, [0, 0, 0], sp.diag(I, I, I)))
    q, qd, tau, w = sp.symbols("q qd tau w")
    H, F, I_c0 = fb.floating_crba(system, [q])
    assert sp.simplify(H[0, 0] - J) == 0 and sp.simplify(I_c0[2, 2] - I - J) == 0 and sp.simplify(F[2, 0] - J) == 0
    for form in FORWARD:
        a_0, qdd = form(system, [q], [qd], [0, 0, w, 0, 0, 0], [tau], (0, 0, 0))
        assert sp.simplify(qdd[0] - tau * (I + J) / (I * J)) == 0
        assert sp.simplify(a_0[2] + tau / I) == 0
    H_fl, C_fl = fb.floating_joint_space(system, [q], [qd], [0, 0, w, 0, 0, 0], (0, 0, 0))
    assert sp.simplify(H_fl[0, 0] - I * J / (I + J)) == 0 and sp.simplify(C_fl[0]) == 0
    assert sp.simplify(fm.base_velocity(system, [q], [qd])[2] + J * qd / (I + J)) == 0


# Arguments

def test_a_base_without_mass_may_carry_bodies_with_mass(rng):
    """Two bodies on ball joints: the base is a mere point of reference."""
    ball = mcI(1, [0.3, 0.1, 0.2], np.diag([0.2, 0.3, 0.3]))
    tree = Model([0, 0], [Prismatic("x"), Prismatic("y")], [np.eye(6), xlt([0, 0, 1])], [ball] * 2)
    system = FloatingBase(tree, np.zeros((6, 6)))
    q, qd, v_0, tau = state(rng, system)
    _, qdd = fb.floating_aba(system, q, qd, v_0, tau, (0, 0, 1))
    assert_allclose(fb.floating_inverse_dynamics(system, q, qd, qdd, v_0, (0, 0, 1))[1], tau, atol=1e-12)


@pytest.mark.filterwarnings("ignore:Joint")
def test_what_moves_no_inertia_is_named():
    """Of two hinges on one axis the inner one feels nothing but rounding: no acceleration is made of that."""
    nothing, tree, I_0 = np.zeros((6, 6)), satellite().tree, satellite().I_0
    ball, alone = Model([0], [Spherical()], [np.eye(6)], [tree.inertia[2]]), Model([], [], [], [])
    aligned = Model([0, 1], [Revolute((1, 2, 3))] * 2, [xlt([0.1, 0.2, 0.3]), np.eye(6)], [nothing, tree.inertia[2]])
    base = r"The floating base \(floating base\) can move something that has no inertia.* Give it, or a body that it"
    for carried, I, message in (
            (tree.replace(inertia=[tree.inertia[1], nothing, nothing]), I_0, r"joint 3 \(body 3\) is singular"),
            (aligned, I_0, "joint 1 .* can move something that has no inertia"), (ball, nothing, base),
            (alone, mcI(2, [0, 0, 0], np.zeros((3, 3))), ".* carries, a mass, or the moment of inertia that is mis")):
        q, qd = carried.neutral() + 0.0, np.zeros(carried.nv)
        with pytest.raises(ValueError, match=message):
            fb.floating_aba(FloatingBase(carried, I), q, qd, [0] * 6, qd + 1, (0, 0, 0))
    with pytest.raises(ValueError, match="The floating base .* Give it, or a body that it carries, a mass"):
        fb.floating_inverse_dynamics(FloatingBase(alone, nothing), [], [], [], [0] * 6, [0] * 3)


HINGED = satellite().tree


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: fb.floating_aba(HINGED, *[[0]] * 5), TypeError, "give a FloatingBase, such as to_floating_base"),
    *((lambda function=function, rest=rest: function(HINGED, *rest), TypeError, "^system is") for function, rest in (
        (fb.floating_parent, ()), (to_fixed_base, ()), (floating_base.gravity_in_base, (np.eye(6),)))),
    (lambda: to_floating_base(satellite()), TypeError, "model is"),
    (lambda: to_floating_base(HINGED.replace(parent=[0, 1, 2])), ValueError,
     r"Body 1 \(body 1\) is on the joint revolute z, which has 1 freedoms"),
    (lambda: to_floating_base(Model([0, 0], [FreeMotion()] * 2, [np.eye(6)] * 2, [CUBE] * 2)), ValueError,
     r"The base carries 2 bodies, \[1, 2\]; a floating system has one"),
    (lambda: to_floating_base(Model([], [], [], [])), ValueError, "The base carries 0 bodies"),
    (lambda: to_floating_base(to_fixed_base(satellite()).replace(
        loops=[LoopJoint(0, 4, Spherical(), np.eye(6), np.eye(6))])), ValueError,
     "Loop joint 5 ties the system to the fixed base"),
    (lambda: FloatingBase("tree", CUBE), TypeError, "model is 'tree'; give a Model"),
    (lambda: FloatingBase(HINGED, np.eye(6) + np.eye(6, k=1)), ValueError, "I_0 is not the inertia of a rigid body"),
    *((lambda i=i: fm.floating_jacobian(satellite(), [0, 0, 0], i), ModelError, f"^There is no body {i}; this model")
      for i in (4, 0.0, 1.0, True, "1", None, -1)),
    *((lambda name=name: FloatingBase(HINGED, CUBE, name), (TypeError, ModelError), "^name")
      for name in ("body 2", "body 4", "base", "", None, 3)),       # body 3 of the tree is body 4 of the model
])
def test_arguments_that_do_not_fit_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_names_that_are_but_numbers_count_with_the_bodies():
    """Bodies of the fixed-base model are called what they are; whoever has a name of his own keeps it."""
    model = Model(range(3), [FreeMotion(), Revolute(), Revolute()], [np.eye(6)] * 3, [CUBE] * 3)
    system = to_floating_base(model)
    assert (system.name, *system.tree.names[1:]) == ("floating base", "body 1", "body 2")
    assert to_fixed_base(system) == model
    named = FloatingBase(system.tree.replace(names=["arm", "body 2"]), CUBE, "hull")
    assert to_fixed_base(named).names == ("base", "hull", "arm", "body 3")
    assert to_floating_base(to_fixed_base(named)) == named
    crossed = FloatingBase(system.tree.replace(names=["body 3", "body 2"]), CUBE, "hull")
    assert to_fixed_base(crossed).names == ("base", "hull", "body 3", "body 2")


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"shape": 3.0}, TypeError, "^shape is 3.0; give a function of t that returns q and qd"),
    ({"shape": lambda t: None}, ValueError, "^shape, called at t = .* s, returned None; it must return q and qd"),
    ({"shape": lambda t: [t]}, ValueError, "^shape, called at t = .*; it must return q and qd"),
    ({"shape": lambda t: ([t, t], [1, 1])}, ValueError, r"^shape, called at t = .* s: q has shape \(2,\); expected 1"),
    ({"shape": lambda t: ([t], [np.nan])}, ValueError, "^shape, called at t = .* s: qd contains nan"),
    ({"shape": lambda t: ([t], [1j])}, TypeError, "^shape, called at t = .* s: qd contains complex numbers or symbols"),
    ({"shape": lambda t: ([2 * t], [1])}, ValueError, "^shape: at t = .* s q changes by 2 per second, but qd says 1. "
     "Return q and qd of one"),
    ({"tolerance": -1}, ValueError, "^tolerance is -1; give a positive number"),
    ({"tolerance": "x"}, TypeError, "^tolerance contains the text"),
    ({"times": 1.0}, ValueError, r"^times is 1.0, a single time; give a start and an end, such as \(0, 5\)"),
    ({"h": [0] * 3}, ValueError, r"^h has shape \(3,\)"),
    ({"system": "cat"}, TypeError, "^system is 'cat'; give a FloatingBase"),
    ({"times": [0]}, ValueError, "times must hold at least two times"),
    ({"times": [0, 1, 1]}, ValueError, "each later than the one before"),
    ({"base": [1, 0, 0]}, ValueError, r"base has shape \(3,\); expected 7 numbers"),
    ({"base": (2, 0, 0, 0, 0, 0, 0)}, ValueError, "not a unit vector"),
    ({"base": 2 * np.eye(6)}, ValueError, "is not a rotation")])
def test_paths_need_a_shape_and_times(changes, error, message):
    given = {"system": wheel(), "shape": lambda t: ([t], [1]), "times": [0, 1]}
    with pytest.raises(error, match=message):
        fm.float_along(**given | changes)
