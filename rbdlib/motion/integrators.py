"""Steps in time: integrators of fixed step, and SciPy's adaptive ones (MRN 1.1).

The configurations of a mechanism need not form a vector space: a turn is not the sum of two turns. The integrators of
fixed step therefore never add to q. They move it along velocities, by `Model.integrate`, and so stay among the
configurations by construction; where q is the integral of qd they are the familiar formulas.
"""

import math
from collections import namedtuple

import numpy as np

from rbdlib.book.ch04_joints import Joint
from rbdlib.book.ch04_kinematics import body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.derivatives import coriolis_matrix
from rbdlib.numbers.scalars import number, vector
from rbdlib.numbers.validation import one_of


class SimulationError(RuntimeError, ValueError):
    """A motion that cannot be followed further; t (s) says from when on, body (a number, or None) where."""

    def __init__(self, message, t=None, body=None):
        super().__init__(message)
        self.t, self.body = t, body


# One step of fixed length. acceleration(t, q, qd) -> qdd; move(q, u): the configuration reached from q by moving with
# the constant velocity u for unit time. Returns q and qd at the time t + dt.


def euler(move, acceleration, t, q, qd, dt):
    """Euler's explicit step, of order 1: everything from the beginning of the step (MRN-A2)."""
    qdd = acceleration(t, q, qd)                                                        # (MRN-4)
    return move(q, dt * qd), qd + dt * qdd                                              # (MRN-5), (MRN-6)


def semi_implicit_euler(move, acceleration, t, q, qd, dt):
    """Euler's step with the new velocity for the position: of order 1 too, but kinder to the energy.

    Where H is constant and the forces have a potential, the error of the energy stays bounded; elsewhere it grows, much
    more slowly than Euler's.
    """
    qd = qd + dt * acceleration(t, q, qd)
    return move(q, dt * qd), qd


def heun(move, acceleration, t, q, qd, dt):
    """Heun's step, with the second stage at 2/3 of it, of order 2 also where q moves on a curved space (RBDA 11.5)."""
    v1, a1 = qd, acceleration(t, q, qd)                                                 # (11.50)
    q2, v2 = move(q, 2 * dt / 3 * v1), qd + 2 * dt / 3 * a1
    a2 = acceleration(t + 2 * dt / 3, q2, v2)
    return move(q, dt * (v1 / 4 + 3 * v2 / 4)), qd + dt * (a1 / 4 + 3 * a2 / 4)


def rk4(move, acceleration, t, q, qd, dt):
    """The classical Runge-Kutta step, of order 4 also where q moves on a curved space.

    There its weighted sum of four velocities is taken in two movements, whose sum it is, and the third stage starts
    from the first instead of q (the commutator-free method of Celledoni, Marthinsen and Owren). Where movements can be
    exchanged, all this is the same as the classical step.
    """
    v1, a1 = qd, acceleration(t, q, qd)
    q2, v2 = move(q, dt / 2 * v1), qd + dt / 2 * a1
    a2 = acceleration(t + dt / 2, q2, v2)
    q3, v3 = move(q, dt / 2 * v2), qd + dt / 2 * a2
    a3 = acceleration(t + dt / 2, q3, v3)
    q4, v4 = move(q2, dt * v3 - dt / 2 * v1), qd + dt * a3
    a4 = acceleration(t + dt, q4, v4)

    q_half = move(q, dt / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
    return (move(q_half, dt / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4)),
            qd + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4))


def stormer_verlet(carry, rate, t, q, qd, dt):
    """The step of Störmer and Verlet for any H(q), of order 2: half the impulse, the movement, the other half.

    rate(t, q, qd): H⁻¹ times the rate of change of the momentum H qd; carry(q, u, x): the velocity at x that has the
    momentum of u at q. Each half determines the velocity it begins with, or the position it ends in, only together with
    what depends on it; so it is repeated until nothing changes any more, which takes the fewer sweeps the shorter dt
    is. The motion is the exact one of a mechanism nearby (a discrete Lagrangian's), so the error of the energy stays
    bounded for ever (Hairer, Lubich and Wanner, Geometric Numerical Integration, VI.3).
    """
    u = qd
    for _ in range(SWEEPS):
        u = qd + dt / 2 * rate(t, q, u)
    x = q + dt * u
    for _ in range(SWEEPS):
        x = q + dt / 2 * (u + carry(q, u, x))
    v = carry(q, u, x)
    return x, v + dt / 2 * rate(t + dt, x, v)


def momentum_rate(model, q, qd, tau, f_ext=None, t=0.0):
    """H⁻¹ (∂L/∂q + tau), nv numbers: H⁻¹ times the rate of change of the momentum H qd, H qdd + (dH/dt) qd.

    Arguments as for `rbdlib.aba`; qd is the rate of change of q, and the time t makes no difference.
    """
    C = coriolis_matrix(model, q, qd)
    return aba(model, q, qd, tau, f_ext) + solve(crba(model, q), (C + C.T) @ qd)     # dH/dt = C + Cᵀ


def carried(model, q, u, x):
    """The velocity (nv) that has, in the configuration x (nq), the momentum that u (nv) has in q (nq)."""
    return solve(crba(model, x), crba(model, q) @ u)


def require_variational(model, method, dynamics, prescribed):
    """Raise ValueError unless variational steps can be taken: by a tree whose qd is the rate of change of q."""
    q, _ = require_model(model).random_state(np.random.default_rng(0))
    moves = any(np.any(v != 0) for v in body_velocities(model, q, np.zeros(model.nv), t=0.3))
    why = ("it has loops" if model.loops else "time alone moves its joints" if moves else
           "dynamics is given" if dynamics is not None else "motions are prescribed" if prescribed else next(
               (f"the qd of body {i}'s joint, {model.joints[i]}, is not the rate of change of its q"
                for i in model.bodies if type(model.joints[i]).qdot is not Joint.qdot), None))
    if why is not None:
        raise ValueError(f"method is {method!r}, but {why}. Choose another method, such as 'rk4'.")


#: So often the variational step improves what it does not know at once.
SWEEPS = 10
#: The integrators of fixed step that need no more than `acceleration` and `move`, by name.
FIXED_STEP = {"euler": euler, "semi_implicit_euler": semi_implicit_euler, "heun": heun, "rk4": rk4}
#: Those that ask for the momentum, for trees whose qd is the rate of change of q.
VARIATIONAL = {"stormer_verlet": stormer_verlet}
STEPS = (*FIXED_STEP, *VARIATIONAL)
#: SciPy's integrators that choose their steps themselves.
ADAPTIVE = ("RK45", "DOP853", "Radau", "LSODA", "BDF")
#: Those of them that keep nothing from earlier steps but the state and its rate of change, so that it may be repaired.
ONE_STEP = ("RK45", "DOP853", "Radau")
RESTARTING = (*FIXED_STEP, *ONE_STEP)


# Within a step (RBDA 11.5). The rate of change of the state is taken for a polynomial p in time, and y(t) for what that
# makes of the state by the time t. Each returns the function of delta = (t - t_0) / dt, from 0 to 1, that gives q and
# qd there, so that a step can be shortened after it has been taken; at delta = 1 it is the step of the same name.


def euler_between(move, acceleration, t, q, qd, dt):
    """The states within a step of `euler`, where p is constant (RBDA Eqs 11.46-11.49)."""
    qdd = acceleration(t, q, qd)

    def y(delta):
        return move(q, dt * delta * qd), qd + dt * delta * qdd                          # (11.49)

    return y


def heun_between(move, acceleration, t, q, qd, dt):
    """The states within a step of `heun`, where p is linear: k1 at the start and k2 at 2/3 (RBDA Eqs 11.46, 11.51)."""
    v1, a1 = qd, acceleration(t, q, qd)
    q2, v2 = move(q, 2 * dt / 3 * v1), qd + 2 * dt / 3 * a1
    a2 = acceleration(t + 2 * dt / 3, q2, v2)

    def y(delta):
        b1, b2 = delta - 3 * delta * delta / 4, 3 * delta * delta / 4
        return move(q, dt * (b1 * v1 + b2 * v2)), qd + dt * (b1 * a1 + b2 * a2)         # (11.51)

    return y


#: The states within a step, for the integrators that fit a polynomial to the rate of change.
BETWEEN = {"euler": euler_between, "heun": heun_between}


def sample_times(t_span, name="t_span"):
    """The times as floats, and whether they are but the two ends, so that every step is a sample."""
    if np.ndim(t_span) == 0:
        raise ValueError(f"{name} is {number(t_span, name)}, a single time; give a start and an end, such as (0, 5), "
                         f"or three or more times, each later than the one before.")
    times = vector(t_span, np.size(t_span), name).astype(float)
    if len(times) < 2 or (times[1:] <= times[:-1]).any():
        raise ValueError(f"{name} must hold at least two times, each later than the one before.")
    return times, len(times) == 2


def require_method(method, dt, tolerance, max_step=np.inf, events=None):
    """Raise ValueError unless the method is one of `simulate`, and dt, tolerance and the longest step max_step (s) fit.

    events: with what, and where, it has to start anew, (words, words); None if it need not.
    """
    one_of((*STEPS, *ADAPTIVE), method, "method")
    if events is not None and method not in RESTARTING:
        raise ValueError(f"method is {method!r}; with {events[0]} choose one that can start anew after each "
                         f"{events[1]}: {', '.join(map(repr, RESTARTING))}.")
    if not number(tolerance, "tolerance") > 0:
        raise ValueError(f"tolerance is {tolerance}; give a positive number, such as 1e-9.")
    if method in ADAPTIVE and dt is not None:
        raise ValueError(f"dt is {dt!r}, but {method!r} chooses its steps by the tolerance; leave dt out, or choose a "
                         f"method of fixed step: {', '.join(map(repr, STEPS))}.")
    if method in STEPS and (dt is None or not number(dt, "dt") > 0):
        raise ValueError(f"dt is {dt!r}; method {method!r} needs the length of its steps in s, such as dt=1e-3.")
    if not isinstance(max_step, int | float | np.number) or not max_step > 0:
        raise ValueError(f"max_step is {max_step!r}; give a positive time in s.")


# Runs over a span of time: they yield the time and the state at every sample


class Rest(namedtuple("Rest", "t state sample done h", defaults=(1, 0, None))):
    """Where a run stands that others may carry on: at the time t in the state [q; qd].

    sample: number of the next sample; done: how many steps of fixed length have been taken since the last one; h: the
    length of the next step, None before the first.
    """


def even_steps(start, end, dt):
    """How many steps of at most dt divide the time between start and end evenly, and their length."""
    n = max(1, int(np.ceil((end - start) / dt * (1 - 1e-9))))
    return n, (end - start) / n


def fixed_steps(step, move, acceleration, q, qd, times, dt, every_step=False, enough=None, put_back=None):
    """Steps of at most dt that divide each interval of times evenly; yields t, (q, qd).

    step: one of the functions above. Samples at the given times, or after every step. enough(rest): asked after each
    step, where a `Rest` says how far the run is; it ends there if so. put_back(t, q, qd): closes loops after each step.
    """
    yield times[0], (q, qd)
    for sample, (start, end) in enumerate(zip(times[:-1], times[1:], strict=True), start=1):
        n, h = even_steps(start, end, dt)
        for k in range(1, n + 1):
            q, qd = step(move, acceleration, start + (k - 1) * h, q, qd, h)
            t = end if k == n else start + k * h
            if put_back is not None:
                q, qd = put_back(t, q, qd)
            if k == n or every_step:
                yield t, (q, qd)
            if enough is not None and k < n and enough(Rest(t, np.concatenate([q, qd]), sample, k)):
                return


def adaptive_steps(method, rate, state, times, tolerance, every_step=False, repair=None, enough=None):
    """Steps as one of SciPy's integrators chooses them; yields t, state.

    rate(t, state): the rate of change of the state. Samples at the given times, interpolated, or after every step.
    repair(t, state, rate): the two as they should be, after each step of a method that knows no earlier ones; what is
    yielded is as the step left it. enough: as for `fixed_steps`. Errors: as for `solver_steps`.
    """
    yield times[0], state
    k = 1
    for solver in solver_steps(method, rate, times[0], state, times[-1], tolerance):
        if every_step:
            yield solver.t, solver.y
        elif times[k] <= solver.t:
            between = solver.dense_output()
            while k < len(times) and times[k] <= solver.t:
                yield times[k], between(times[k])
                k += 1
        if repair is not None and method in ONE_STEP:
            solver.y, solver.f = repair(solver.t, solver.y, solver.f)
            solver.sol = None                                   # Radau would start from where its last step was going
        if enough is not None and solver.status == "running" and enough(Rest(solver.t, solver.y, k, h=solver.h_abs)):
            return


def solver_steps(method, rate, t, state, end, tolerance, max_step=np.inf):
    """One of SciPy's integrators, yielded after each of its steps, which its user may correct.

    Where rate(t, state) raises SimulationError, RK45 and DOP853 try a shorter step. Raises SimulationError if the
    integrator gives up, that of rate if there was one.
    """
    import scipy.integrate

    rate = Patient(rate, method in ("RK45", "DOP853"))
    solver = getattr(scipy.integrate, method)(rate, t, state, end, rtol=tolerance, atol=tolerance, max_step=max_step)
    while solver.status == "running":
        rate.started, rate.error = True, None
        message = solver.step()
        if solver.status == "failed":
            raise rate.error or SimulationError(f"The integration stopped at t = {solver.t:.4g} s: {message}", solver.t)
        yield solver


class Patient:
    """A rate of change that becomes NaN where it cannot be found, on which SciPy's explicit methods shorten the step.

    error: why it could not be found, the last time that it could not for a finite state. Errors are raised at the start
    and for methods that do not know what to do with NaN (allowed=False).
    """

    def __init__(self, rate, allowed):
        self.rate, self.allowed, self.started, self.error = rate, allowed, False, None

    def __call__(self, t, state):
        if self.error is None or np.isfinite(state).all():
            try:
                return self.rate(t, state)
            except SimulationError as error:
                if not (self.allowed and self.started):
                    raise
                self.error = error
        return np.full(len(state), np.nan)


# Moving q by a joint, skipped where q is the integral of qd


def movement(model):
    """The function q, u -> configuration reached from q by moving with the velocity u for unit time."""
    return (lambda q, u: q + u) if _all_plain(model, "integrate") else lambda q, u: model.integrate(q, u, 1.0)


def position_rate(model):
    """The function q, qd -> rate of change of q."""
    return (lambda q, qd: qd) if _all_plain(model, "qdot") else model.qdot


@kept_for_model
def euler_parameters(model):
    """The parts of q that are Euler parameters: a list of slices."""
    starts = [model.q_slice(i).start for i in model.bodies if model.joints[i].has_euler_parameters]
    return [slice(start, start + 4) for start in starts]


def normalisation(model):
    """The function that returns a copy of q with its Euler parameters, if there are any, scaled to unit length."""
    def normalise(q):
        q = q.copy()
        for part in parts:
            q[part] /= math.hypot(*q[part])
        return q

    parts = euler_parameters(model)
    return normalise if parts else np.copy


def unit_rows(model, q):
    """The rows of q (k x nq) with Euler parameters of unit length, and how far each row was from that: the largest
    | |p| - 1 |, or 0 without any (k).
    """
    q, defects = q.copy(), np.zeros(len(q))
    for part in euler_parameters(model):
        length = np.sqrt((q[:, part] ** 2).sum(axis=1))
        defects = np.maximum(defects, np.abs(length - 1))
        q[:, part] /= length[:, None]
    return q, defects


def _all_plain(model, name):
    return all(getattr(type(model.joints[i]), name) is getattr(Joint, name) for i in model.bodies)
