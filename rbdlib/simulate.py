"""Motion in time: the equations of motion handed to SciPy's integrators."""

from dataclasses import dataclass

import numpy as np

from rbdlib.forward import forward_dynamics
from rbdlib.scalars import as_floats, number, vector
from rbdlib.spatial import I_to_mcI, X_to_Er, bias_force, free_motion, inverse_inertia, skew
from rbdlib.validation import rigid_body_inertia


@dataclass(frozen=True)
class Trajectory:
    """A motion sampled at the times t (s, length k): positions q (k x nq) and velocities qd (k x nv)."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray


@dataclass(frozen=True)
class BodyMotion:
    """The motion of one free body at the times t (s): E (k x 3 x 3), r (k x 3) and v (k x 6).

    E takes base to body coordinates, r is the position of the body's origin in base coordinates, v is the spatial
    velocity in body coordinates.
    """

    t: np.ndarray
    E: np.ndarray
    r: np.ndarray
    v: np.ndarray


def simulate(model, q, qd, t, tau=None, f_ext=None, tolerance=1e-9):
    """The motion of a model from the state (q, qd) at the first of the times t; returns a `Trajectory`.

    t: increasing times (s). tau: joint forces, an array (nv), a function tau(t, q, qd), or None for none.
    f_ext: forces on the bodies as for `rnea`, constant in base coordinates. tolerance: of the integrator (DOP853),
    relative and absolute. Raises ValueError for bad input, RuntimeError if the integrator gives up.
    """
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    if any(as_floats(x) is None for x in (q, qd, model.gravity, *model.X_tree[1:], *model.inertia[1:])):
        raise ValueError("The model or the state contains symbols; simulate the model with numbers in their place.")
    if not callable(tau):
        tau = vector(np.zeros(model.nv) if tau is None else tau, model.nv, "tau")

    def rate(t, state):
        q, qd = model.normalise(state[: model.nq]), state[model.nq :]
        force = tau(t, q, qd) if callable(tau) else tau
        return np.concatenate([model.qdot(q, qd), forward_dynamics(model, q, qd, force, f_ext, t=t)])

    states = _integrate(rate, np.concatenate([q, qd]), t, tolerance)
    q = np.array([model.normalise(q) for q in states[:, : model.nq]])
    return Trajectory(np.array(t, dtype=float), q, states[:, model.nq :])


def simulate_rigid_body(I, v, t, X=None, gravity=(0, 0, 0), tolerance=1e-10):
    """The flight of one rigid body under gravity alone; returns a `BodyMotion` (RBDA Eq. 2.72).

    I: inertia, v: spatial velocity at the first of the times t (s), both in body coordinates. X: transform from base to
    body coordinates at that time (default: they coincide). gravity: acceleration of free fall in base coordinates.
    """
    I, v, gravity = rigid_body_inertia(I, "I"), vector(v, 6, "v"), vector(gravity, 3, "gravity")
    E, r = X_to_Er(np.eye(6) if X is None else X)
    inverse = inverse_inertia(*I_to_mcI(I))

    def rate(t, state):
        E, v = state[:9].reshape(3, 3), state[12:]
        weight = I @ free_motion(E @ gravity)
        acceleration = inverse @ (weight - bias_force(I, v))                            # (2.72)
        return np.concatenate([(-skew(v[:3]) @ E).ravel(), E.T @ v[3:], acceleration])

    states = _integrate(rate, np.concatenate([E.ravel(), r, v]), t, tolerance)
    return BodyMotion(np.array(t, dtype=float), states[:, :9].reshape(-1, 3, 3), states[:, 9:12], states[:, 12:])


def _integrate(rate, state, t, tolerance):
    from scipy.integrate import solve_ivp

    if not number(tolerance, "tolerance") > 0:
        raise ValueError(f"tolerance is {tolerance}; give a positive number, such as 1e-9.")
    t = vector(t, np.size(t), "t")
    if len(t) < 2 or (np.diff(t) <= 0).any():
        raise ValueError("t must hold at least two times, each later than the one before.")
    reached = t[0]

    def watched_rate(time, state):
        nonlocal reached
        reached = time
        return rate(time, state)

    solution = solve_ivp(watched_rate, (t[0], t[-1]), state, "DOP853", t, rtol=tolerance, atol=tolerance)
    if not solution.success:
        raise RuntimeError(f"The integration stopped at t = {reached:.4g} s: {solution.message}")
    return solution.y.T
