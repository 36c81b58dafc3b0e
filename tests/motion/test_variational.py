"""The variational step: a map that can be gone back, energies without drift, the same in machine code."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import crba, load
from rbdlib.book.ch02_spatial import rotz
from rbdlib.book.ch04_joints import Revolute
from rbdlib.compile import c_compiler
from rbdlib.methods.custom_joint import Custom
from rbdlib.motion.simulate import simulate

PENDULUM = load("double_pendulum")
START = [1, 0.5], [0.3, -0.2]
needs_compiler = pytest.mark.skipif(c_compiler.find_compiler() is None, reason="needs a C compiler")


def moved(q, qd, end, dt=0.01, **options):
    return simulate(PENDULUM, q, qd, (0, end), method="stormer_verlet", dt=dt, **options)


@pytest.mark.slow
def test_its_error_is_of_order_two():
    true = simulate(PENDULUM, *START, (0, 0.2), tolerance=1e-11).q[-1]
    errors = [np.abs(moved(*START, 0.2, dt, compiled=False).q[-1] - true).max() for dt in (0.02, 0.01)]
    assert 3.9 < errors[0] / errors[1] < 4.1


def test_steps_back_lead_to_the_start_and_areas_are_kept():
    """Symmetric, and symplectic: the derivative A of (q, p) by (q, p) satisfies Aᵀ J A = J."""
    there = moved(*START, 0.1, compiled=False)
    back = moved(there.q[-1], -there.qd[-1], 0.1, compiled=False)
    assert_allclose(back.q[-1], START[0], atol=1e-12)
    assert_allclose(back.qd[-1], np.negative(START[1]), atol=1e-12)

    def step(state):
        q, p = np.split(state, 2)
        motion = moved(q, np.linalg.solve(crba(PENDULUM, q), p), 0.02, 0.02, compiled=False)
        return np.concatenate([motion.q[-1], crba(PENDULUM, motion.q[-1]) @ motion.qd[-1]])

    start = np.concatenate([START[0], crba(PENDULUM, START[0]) @ START[1]])
    A = np.column_stack([(step(start + h) - step(start - h)) / 2e-5 for h in 1e-5 * np.eye(4)])
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert_allclose(A.T @ J @ A, J, atol=1e-9)


@needs_compiler
@pytest.mark.slow
def test_the_energy_does_not_drift_and_that_of_other_steps_does():
    for method in ("stormer_verlet", "semi_implicit_euler", "rk4"):
        motion = simulate(PENDULUM, [0.5, 0.3], [0, 0], np.linspace(0, 250, 251), method=method, dt=0.01)
        error = np.abs(motion.energy - motion.energy[0])
        early, late = error[:40].max(), error[-50:].max()
        assert late < 1.2 * early < 0.01 if method == "stormer_verlet" else late > 3 * early


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"torque": lambda t, q, qd: np.sin(t) - 0.1 * qd}, {"f_ext": {2: np.ones(6)}}])
def test_machine_code_takes_the_same_steps(options):
    fast, readable = (moved(*START, 0.3, compiled=compiled, **options) for compiled in (True, False))
    assert_allclose(fast.q, readable.q, atol=1e-12)
    assert_allclose(fast.qd, readable.qd, atol=1e-12)


@pytest.mark.parametrize(("model", "options", "message"), [
    (load("four_bar"), {}, "it has loops"), (load("falling_cat"), {}, "body 1's joint, .*, is not the rate of change"),
    (PENDULUM, {"dynamics": "crba"}, "dynamics is given"), (PENDULUM.replace(joints=[Revolute(), Custom(
        1, lambda q, t: rotz(q[0] + t * t))]), {}, "time alone moves its joints"),
    (PENDULUM, {"prescribed": {1: lambda t: (0, 0, 0)}}, "motions are prescribed"),
    (PENDULUM, {"dt": None}, "its steps")])
def test_what_it_cannot_move_is_refused(model, options, message):
    options = {"dt": 0.01, **options}
    with pytest.raises(ValueError, match=message):
        simulate(model, model.neutral(), np.zeros(model.nv), (0, 1), method="stormer_verlet", **options)
