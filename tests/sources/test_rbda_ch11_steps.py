"""Section 11.5, interpolating an integration time step: Euler's and Heun's method (RBDA Eqs 11.45-11.51)."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from scipy.linalg import expm

from rbdlib.analysis.accuracy import convergence_order
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Spherical
from rbdlib.methods.generators import auto_tree
from rbdlib.motion.integrators import BETWEEN, FIXED_STEP

#: ẏ = A y + b t with y = [q; qd]: a forced and damped spring, of which everything is known in closed form.
A, b = np.array([[0, 1], [-2.0, -0.3]]), np.array([0, 0.7])
METHODS = [("euler", 1), ("heun", 2)]
START = np.array([0.35, 0.82]), -0.71, 0.48         # y, t, h


def f(y, t):
    return A @ y + b * t


def acceleration(t, q, qd):
    return A[1, :1] @ q[None, :] + A[1, 1:] @ qd[None, :] + b[1:] * t


def stepped(method, y, t, h):
    """A step of the library's integrator, as the vector y."""
    return np.concatenate(FIXED_STEP[method](lambda q, u: q + u, acceleration, t, y[:1], y[1:], h))


def within(method, y, t, h):
    """The library's function of delta, as the vector y."""
    states = BETWEEN[method](lambda q, u: q + u, acceleration, t, y[:1], y[1:], h)
    return lambda delta: np.concatenate(states(delta))


def exact(y, t, h):
    """y(t + h): the particular solution c + d t and a matrix exponential of what starts from y."""
    d = np.linalg.solve(A, -b)
    c = np.linalg.solve(A, d)
    return expm(A * h) @ (y - c - d * t) + c + d * (t + h)


def polynomials(method, y_0, t_0, h):
    """p(t), one polynomial for each entry of y: a constant k, or a line through k_1 at t_0 and k_2 at t_0 + 2/3 h."""
    k_1 = f(y_0, t_0)
    if method == "euler":
        return [Polynomial([k]) for k in k_1]
    k_2 = f(y_0 + 2 / 3 * h * k_1, t_0 + 2 / 3 * h)
    return [Polynomial.fit([t_0, t_0 + 2 / 3 * h], pair, 1) for pair in zip(k_1, k_2, strict=True)]


@pytest.mark.source("RBDA-11.45", "RBDA-11.46", "RBDA-11.47", "RBDA-11.48", "RBDA-11.49", "RBDA-11.50", "RBDA-11.51")
def test_a_step_integrates_a_polynomial_and_can_be_cut_short_anywhere():
    y_0, t_0, h = START
    k_1 = f(y_0, t_0)
    k_2 = f(y_0 + 2 / 3 * h * k_1, t_0 + 2 / 3 * h)
    assert_allclose(stepped("euler", *START), y_0 + h * k_1, rtol=1e-14)                            # (11.47)
    assert_allclose(stepped("heun", *START), y_0 + h * (k_1 / 4 + 3 / 4 * k_2), rtol=1e-14)         # (11.50)
    for delta in (0, 0.2, 0.4, 2 / 3, 0.9, 1):
        t = t_0 + delta * h
        euler, heun = (within(method, *START)(delta) for method in ("euler", "heun"))
        assert_allclose(euler, y_0 + (t - t_0) * k_1, rtol=1e-13)                                   # (11.48)
        assert_allclose(euler, y_0 + h * k_1 * delta, rtol=1e-14)                                   # (11.49)
        printed = y_0 + h * ((delta - 3 / 4 * delta**2) * k_1 + 3 / 4 * delta**2 * k_2)
        assert_allclose(heun, printed, rtol=1e-13)                                                  # (11.51)
        for method, now in (("euler", euler), ("heun", heun)):
            p, y = polynomials(method, *START), within(method, *START)
            assert_allclose(now, y_0 + [p_k.integ(lbnd=t_0)(t) for p_k in p], rtol=1e-13)   # (11.45), (11.46)
            slope = (y(delta + 1e-4) - y(delta - 1e-4)) / (2e-4 * h)
            assert_allclose(slope, [p_k(t) for p_k in p], rtol=1e-8)                                # ẏ = p


@pytest.mark.source("RBDA-S11.5-8", "RBDA-11.47", "RBDA-11.50")
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_the_degree_of_p_is_one_less_than_the_order_of_errors_within_a_step(method, order):
    y_0, t_0, _ = START
    assert max(p_k.trim(1e-9).degree() for p_k in polynomials(method, y_0, t_0, 0.1)) == order - 1
    for deltas in (np.linspace(0, 1, 11), (1,)):                        # on the way, and at the end of the step
        errors = [max(np.abs(within(method, y_0, t_0, h)(delta) - exact(y_0, t_0, delta * h)).max()
                      for delta in deltas) for h in (0.02, 0.01)]
        assert errors[0] / errors[1] == pytest.approx(2 ** (order + 1), rel=0.1)


@pytest.mark.slow
@pytest.mark.source("RBDA-S11.5-8")
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_orders_on_curved_spaces(method, order):
    model = auto_tree(3, seed=5, joints=[FreeMotion(), Spherical(), Cylindrical()])
    q, qd = model.random_state(np.random.default_rng(1))
    steps = (10, 20, 40)
    assert convergence_order(method, model, q, qd, 0.1, steps, local=True).order == pytest.approx(order + 1, abs=0.1)
    assert convergence_order(method, model, q, qd, 0.1, steps).order == pytest.approx(order, abs=0.1)
    arguments = lambda q, u: model.integrate(q, u, 1.0), lambda t, q, qd: -qd, 0.0, q, qd, 0.1
    y = BETWEEN[method](*arguments)
    for part, whole in zip(y(1), FIXED_STEP[method](*arguments), strict=True):
        assert_allclose(part, whole, rtol=1e-12)
    assert_allclose(np.linalg.norm(y(0.37)[0][:4]), 1, rtol=1e-14)                      # still a unit quaternion
