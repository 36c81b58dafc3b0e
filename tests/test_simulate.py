"""Simulated motion: exact solutions, conserved energy and momentum, and refusals."""

import math

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ellipj, ellipk

from rbdlib import Model, load, rnea
from rbdlib.joints import Prismatic
from rbdlib.kinematics import kinetic_energy, momentum, potential_energy
from rbdlib.simulate import BodyMotion, Trajectory, simulate, simulate_rigid_body
from rbdlib.spatial import mcI, plucker, rz
from tests.sources.helpers import random_mass_properties, random_pose, random_tree

TIMES = np.linspace(0, 1, 6)


@pytest.fixture(params=[61, 62], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


# Mechanisms


def test_a_throw_is_the_exact_parabola():
    motion = simulate(load("particle"), [1, 2], [3, 4], TIMES)
    assert isinstance(motion, Trajectory)
    assert_array_equal(motion.t, TIMES)
    assert_allclose(motion.q, np.transpose([1 + 3 * TIMES, 2 + 4 * TIMES - 9.8 * TIMES**2 / 2]), atol=1e-9)
    assert_allclose(motion.qd, np.transpose([3 + 0 * TIMES, 4 - 9.8 * TIMES]), atol=1e-9)


def test_a_large_swing_of_the_pendulum_is_the_elliptic_function():
    """q = 2 asin(k sn(K + w t)), w² = 3 g / (2 l) for a rod, started at rest from the angle 2 asin(k)."""
    l, g, start = 0.8, 9.81, 2.5
    t, w, k = np.linspace(0, 3, 16), math.sqrt(3 * g / (2 * l)), math.sin(start / 2)
    exact = 2 * np.arcsin(k * ellipj(ellipk(k**2) + w * t, k**2)[0])
    motion = simulate(load("pendulum"), [start], [0], t)
    assert_allclose(motion.q[:, 0], exact, atol=1e-6)
    assert exact.min() < -2


def test_energy_of_an_untouched_tree_is_conserved(rng):
    model = random_tree(rng, 4, [0, 1, 1, 2]).model()
    motion = simulate(model, *rng.normal(size=(2, 4)), TIMES)
    kinetic = np.array([kinetic_energy(model, q, qd) for q, qd in zip(motion.q, motion.qd, strict=True)])
    potential = np.array([potential_energy(model, q) for q in motion.q])
    assert_allclose(kinetic + potential, kinetic[0] + potential[0], atol=1e-6)
    assert np.ptp(kinetic) > 0.1


def test_energy_grows_by_the_work_of_the_joint_forces(rng):
    model = random_tree(rng, 2, [0, 1]).model()

    def tau(t, q, qd):
        return [math.sin(3 * t), -0.5 * qd[1]]

    t = np.linspace(0, 0.5, 51)
    motion = simulate(model, *rng.normal(size=(2, 2)), t, tau)
    states = list(zip(t, motion.q, motion.qd, strict=True))
    power = np.array([np.dot(tau(*state), state[2]) for state in states])
    energy = [kinetic_energy(model, q, qd) + potential_energy(model, q) for _, q, qd in (states[0], states[-1])]
    work = (t[1] - t[0]) / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    assert energy[1] - energy[0] == pytest.approx(work, abs=1e-5)


def test_momentum_of_a_tree_that_floats_in_the_plane_is_conserved():
    """The lamp's base is free to move in the plane, so that forces between the links change nothing but the links."""
    lamp = load("lamp").replace(gravity=(0, 0, 0))
    rng = np.random.default_rng(63)
    motion = simulate(lamp, *rng.normal(size=(2, 5)), TIMES, torque=lambda t, q, qd: [0, 0, 0, 0.02, 0.01 * math.cos(t)])
    momenta = np.array([momentum(lamp, q, qd)[[2, 3, 4]] for q, qd in zip(motion.q, motion.qd, strict=True)])
    assert_allclose(momenta, np.tile(momenta[0], (len(TIMES), 1)), atol=1e-7)
    assert np.abs(momenta[0]).min() > 1e-3
    assert np.ptp(motion.qd[:, 4]) > 0.1


def test_external_forces_and_constant_joint_forces_accelerate(rng):
    """A particle of 2 kg under 6 N along x from outside and 4 N along y from its slider."""
    motion = simulate(load("particle"), [0, 0], [0, 0], TIMES, [0, 4], {2: [0, 0, 0, 6, 0, 0]})
    assert_allclose(motion.q, np.transpose([3 * TIMES**2 / 2, (2 - 9.8) * TIMES**2 / 2]), atol=1e-9)


def test_forces_of_inverse_dynamics_lead_along_the_intended_path(rng):
    model = random_tree(rng, 3, [0, 1, 1]).model()
    start, amplitude = rng.normal(size=(2, 3))

    def tau(t, q, qd):
        return rnea(model, start + amplitude * math.sin(t), amplitude * math.cos(t), -amplitude * math.sin(t))

    t = np.linspace(0, 0.5, 3)
    motion = simulate(model, start, amplitude, t, tau)
    assert_allclose(motion.q, start + np.outer(np.sin(t), amplitude), atol=1e-5)


def test_times_need_not_start_at_zero_nor_be_even():
    t = np.array([2, 2.1, 2.7])
    shifted = simulate(load("pendulum"), [1], [0], t)
    assert_array_equal(shifted.t, t)
    assert_allclose(shifted.q, simulate(load("pendulum"), [1], [0], t - 2).q, atol=1e-7)
    assert_allclose(shifted.q[0], [1])


def test_a_smaller_tolerance_is_nearer_the_truth():
    exact = simulate(load("double_pendulum"), [2, 1], [0, 0], [0, 2], tolerance=1e-12).q[-1]
    errors = [np.abs(simulate(load("double_pendulum"), [2, 1], [0, 0], [0, 2], tolerance=x).q[-1] - exact).max()
              for x in (1e-3, 1e-6, 1e-9)]
    assert errors[0] > errors[1] > errors[2]


def test_inputs_are_left_alone(rng):
    q, qd, t = np.array([1.0]), np.array([0.5]), np.array([0.0, 0.1])
    motion = simulate(load("pendulum"), q, qd, t)
    motion.t[:], motion.q[:] = 9, 9
    assert (q, qd) == ([1.0], [0.5])
    assert_array_equal(t, [0, 0.1])


# A free rigid body


def flight(rng, **options):
    m, c, I_C = random_mass_properties(rng)
    R, p = random_pose(rng)
    v = rng.normal(size=6)
    motion = simulate_rigid_body(mcI(m, c, I_C), v, TIMES, X=plucker(R.T, p), **options)
    return (m, c, I_C), (R, p), v, motion


def test_the_centre_of_mass_of_a_free_body_flies_along_the_parabola(rng):
    gravity = np.array([1, -2, -9.81])
    (_, c, _), (R, p), v, motion = flight(rng, gravity=gravity)
    start, speed = p + R @ c, R @ (v[3:] + np.cross(v[:3], c))
    centres = motion.r + np.array([E.T @ c for E in motion.E])
    assert isinstance(motion, BodyMotion)
    assert_allclose(centres, start + np.outer(TIMES, speed) + np.outer(TIMES**2 / 2, gravity), atol=1e-8)


def test_angular_momentum_of_a_free_body_stands_still_in_space(rng):
    (_, c, I_C), _, _, motion = flight(rng, gravity=(0, 0, -9.81))
    spin = np.array([E.T @ I_C @ v[:3] for E, v in zip(motion.E, motion.v, strict=True)])
    assert_allclose(spin, np.tile(spin[0], (len(TIMES), 1)), atol=1e-8)
    energy = [v[:3] @ I_C @ v[:3] for v in motion.v]
    assert_allclose(energy, energy[0], atol=1e-8)
    assert np.ptp(motion.v[:, :3], axis=0).max() > 1e-3


def test_orientation_stays_a_rotation_and_turns_with_the_velocity(rng):
    _, _, _, motion = flight(rng)
    for E in motion.E:
        assert_allclose(E @ E.T, np.eye(3), atol=1e-8)
        assert np.linalg.det(E) > 0
    body = mcI(1, [0, 0, 0], np.diag([1, 1, 2]))
    spinning = simulate_rigid_body(body, [0, 0, 3, 0, 0, 0], TIMES)
    assert_allclose(spinning.E, [rz(3 * t) for t in TIMES], atol=1e-8)


def test_a_free_top_precesses_at_the_rate_of_the_book():
    """A symmetric body: omega_x + i omega_y turns at the rate omega_z (I_z - I_x) / I_x in the body."""
    body = mcI(1, [0, 0, 0], np.diag([2, 2, 3]))
    motion = simulate_rigid_body(body, [0.4, 0, 5, 0, 0, 0], TIMES)
    rate = 5 * (3 - 2) / 2
    assert_allclose(motion.v[:, 0], 0.4 * np.cos(rate * TIMES), atol=1e-8)
    assert_allclose(motion.v[:, 1], 0.4 * np.sin(rate * TIMES), atol=1e-8)


def test_the_middle_axis_is_unstable_and_the_others_are_not():
    body = mcI(1, [0, 0, 0], np.diag([1, 2, 2.9]))
    t = np.linspace(0, 10, 60)
    for axis, tumbles in ((0, False), (1, True), (2, False)):
        v = np.full(6, 1e-3)
        v[axis], v[3:] = 5, 0
        spin = simulate_rigid_body(body, v, t).v[:, axis]
        assert (spin.min() < 0) == tumbles


# Refusals


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"q0": [1, 2]}, ValueError, r"q0 has shape \(2,\); expected 1 numbers"),
    ({"qd0": [math.nan]}, ValueError, "qd0 contains nan"),
    ({"q0": ["a"]}, TypeError, "q0 contains the text 'a'"),
    ({"t_span": [0]}, ValueError, "t_span must hold at least two times, each later than the one before"),
    ({"t_span": []}, ValueError, "t_span must hold at least two times"),
    ({"t_span": [0, 1, 1]}, ValueError, "t_span must hold at least two times, each later"),
    ({"t_span": [1, 0]}, ValueError, "t_span must hold at least two times, each later"),
    ({"t_span": [0, math.inf]}, ValueError, "t_span contains inf at index 1"),
    ({"t_span": 5}, ValueError, r"t_span has shape \(\)"),
    ({"t_span": None}, TypeError, "t_span contains None"),
    ({"t_span": [[0, 1]]}, ValueError, r"t_span has shape \(1, 2\)"),
    ({"torque": [1, 2]}, ValueError, r"torque has shape \(2,\); expected 1 numbers"),
    ({"torque": lambda t, q, qd: [1, 2]}, ValueError, r"torque has shape \(2,\); expected 1 numbers"),
    ({"torque": lambda t, q, qd: [math.nan]}, ValueError, r"At t = 0 s the torque at joint 1 \(rod\) is \[nan\], which is not finite"),
    ({"torque": "gravity"}, TypeError, "torque contains the text 'gravity'"),
    ({"f_ext": {3: np.zeros(6)}}, ValueError, "f_ext names body 3"),
    ({"tolerance": 0}, ValueError, "tolerance is 0; give a positive number"),
    ({"tolerance": -1e-6}, ValueError, "tolerance is -1e-06; give a positive number"),
    ({"tolerance": math.nan}, ValueError, "tolerance contains nan"),
    ({"q0": [sp.Symbol("q")]}, ValueError, "The model or the state contains symbols; simulate the model with numbers"),
    ({"model": load("pendulum", symbolic=True)}, ValueError, "The model or the state contains symbols"),
])
def test_wrong_arguments_are_named(changes, error, message):
    arguments = {"model": load("pendulum"), "q0": [1], "qd0": [0], "t_span": [0, 0.1]}
    with pytest.raises(error, match=message):
        simulate(**{**arguments, **changes})


def test_a_motion_without_end_is_refused_where_it_stops():
    """q'' = 2 q³ from q = q' = 1 is q = 1 / (1 - t), which ends at t = 1."""
    slider = Model([0], [Prismatic("x")], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    with pytest.raises(RuntimeError, match="The integration stopped at t = 1 s: Required step size"):
        simulate(slider, [1], [1], [0, 5], torque=lambda t, q, qd: 2 * q**3)


@pytest.mark.parametrize(("changes", "message"), [
    ({"I": np.zeros((6, 6))}, "I has mass 0"),
    ({"I": mcI(1, [0, 0, 0], np.zeros((3, 3)))}, "I_C is singular: some axis has no rotational inertia"),
    ({"I": np.eye(5)}, r"I has shape \(5, 5\); expected a matrix of shape \(6, 6\)"),
    ({"I": -np.eye(6)}, "The mass in I is -1"),
    ({"v": [0, 0, 1]}, r"v has shape \(3,\); expected 6 numbers"),
    ({"v": [0, 0, math.inf, 0, 0, 0]}, "v contains inf at index 2"),
    ({"t": [0]}, "t must hold at least two times"),
    ({"X": 2 * np.eye(6)}, "The upper left block of X is not a rotation"),
    ({"gravity": 9.81}, r"gravity has shape \(\)"),
    ({"tolerance": -1}, "tolerance is -1; give a positive number"),
])
def test_wrong_arguments_of_a_flight_are_named(changes, message):
    arguments = {"I": np.eye(6), "v": np.zeros(6), "t": [0, 0.1]}
    with pytest.raises(ValueError, match=message):
        simulate_rigid_body(**{**arguments, **changes})
