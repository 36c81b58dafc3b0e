"""The errata of the notes on open chains (MRN), each by a computation in which the printed form fails. The arm, its
motion and its Lagrange equations are those of `tests.sources.test_mrn`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.integrate import solve_ivp

from rbdlib import rnea
from rbdlib.texts.mrn.task_space import euler_integrate, state_rate, task_bias, task_inertia
from tests.sources.helpers import close, far
from tests.sources.test_mrn import Arm


@pytest.fixture(scope="module")
def arm():
    return Arm(np.random.default_rng(81))


@pytest.mark.source("MRN-S1-2")
def test_the_calls_for_the_mass_matrix_are_no_alternative_to_the_call_for_the_bias(arm):
    """What the n calls return knows nothing of thd and g, on which h depends; accelerations need both."""
    weightless, rest = arm.tree.model(gravity=np.zeros(3)), np.zeros(6)
    M, heavy, moving = (np.column_stack([rnea(model, arm.q, qd, e_i) for e_i in np.eye(6)]) for model, qd in (
        (weightless, rest), (arm.model, rest), (weightless, arm.qd)))
    close(M, arm.M, 1e-10)
    far(heavy, arm.M)
    far(moving, arm.M)
    h = rnea(arm.model, arm.q, arm.qd, rest)
    far(rnea(arm.model, arm.q, 2 * arm.qd, rest), h)
    expected = arm.accelerations(arm.q, arm.qd, arm.tau)
    far(np.linalg.solve(M, arm.tau), expected)
    close(np.linalg.solve(M, arm.tau - h), expected, 1e-8)


@pytest.mark.source("MRN-3")
def test_the_printed_equation_alone_does_not_determine_the_motion(arm):
    """A motion whose q1 stands still fulfils thdd = ForwardDynamics(q1, q2, ...); with q1' = q2 it does not."""
    def corrected(t, state):
        return np.concatenate(state_rate(arm.model, state[:6], state[6:], arm.tau, arm.F, arm.task("body")))

    def newton(t, state):
        q, qd = state[:6], state[6:]
        return np.concatenate([qd, arm.accelerations(q, qd, arm.tau, arm.J("body", q).T @ arm.F)])

    start = np.concatenate([arm.q, arm.qd])
    false, true, exact = (solve_ivp(rate, (0, 0.02), start, rtol=1e-8, atol=1e-9).y[:, -1] for rate in (
        lambda *given: np.concatenate([np.zeros(6), corrected(*given)[6:]]), corrected, newton))
    far(false[:6], exact[:6])
    close(true, exact, 1e-6)
    assert_array_equal(state_rate(arm.model, arm.q, arm.qd, arm.tau)[0], arm.qd)


@pytest.mark.source("MRN-A2")
def test_the_velocity_among_the_inputs_is_that_at_the_start(arm):
    """The path is q + t qd + t²/2 qdd. From its velocity at another time, the listing misses it."""
    t_f = 0.05
    first, other = (euler_integrate(arm.model, arm.q, thd, lambda t: rnea(
        arm.model, arm.at(t), arm.qd + t * arm.qdd, arm.qdd), None, t_f, 10) for thd in (
            arm.qd, arm.qd + t_f * arm.qdd))
    far(other.q[-1], first.q[-1])
    assert np.abs(first.q[-1] - arm.at(t_f)).max() < np.abs(other.q[-1] - arm.at(t_f)).max() / 2
    assert_array_equal(first.qd[0], arm.qd)


@pytest.mark.source("MRN-13")
@pytest.mark.parametrize("frame", ["body", "space"])
def test_task_space_dynamics_have_a_bias_and_the_wrench_is_that_of_the_torques(arm, frame):
    """F = Lambda V' without a bias, or with F = tau, misses by far; F = J⁻ᵀ tau = Lambda V' + eta holds."""
    tau, J = arm.M @ arm.qdd + arm.h, arm.J(frame)
    F = np.linalg.solve(J.T, tau)
    Lambda, V_dot = task_inertia(arm.model, arm.q, arm.task(frame)), arm.V_dot(frame)
    eta = task_bias(arm.model, arm.q, arm.V(frame), arm.task(frame))
    far(Lambda @ V_dot, F)
    far(Lambda @ V_dot + eta, tau)
    close(Lambda @ V_dot + eta, F, 1e-7)
