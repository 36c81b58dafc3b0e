"""Motion from one event to the next, with steps of an integrator in between: the loop of RBDA Table 11.1."""

from functools import partial
from typing import Any

import numpy as np

from rbdlib.methods.joint_character import refuse_exact
from rbdlib.motion import drives, integrators
from rbdlib.motion.controllers import all_ours
from rbdlib.motion.drives import At, PrescribedMotions, require_finite
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import FIXED_STEP, ONE_STEP, RESTARTING, SimulationError
from rbdlib.motion.machine_code import acceleration_method
from rbdlib.numbers.progress import Progress

#: The moment of an event is sought to so many seconds, or this part of the time, in so many steps of Newton's method.
XTOL, RTOL, MOST_NEWTON_STEPS = 1e-15, 8.9e-16, 8
#: A distance below this (m) may be rounding.
ROUNDING = 1e-12
#: Speeds that may be rounding: this (m/s, rad/s), and this part of the largest one.
STILL, STILL_OF_SPEED = 1e-12, 1e-10
#: Things touch within ten times the tolerance, and no more than this (m, rad), however loose the tolerance.
NEAR = 1e-8
#: Things that would bounce more slowly than 1000 times the tolerance, and no more than this (m/s, rad/s), stay.
SLOW = 1e-4
#: So many events in a row for each thing they can happen to, no farther apart than this (s, or part of the time), are a
#: mistake.
MOST_CHANGES, AT_ONCE = 20, 1e-12


class Motion:
    """A motion of a model as arguments of `simulate` have it; those who inherit it say what the acceleration is.

    tau_at, f_ext_at: functions of t, q, qd; controller: torque, if machine code can know it; accelerate: that of
    `acceleration_method`; motions: `PrescribedMotions`.
    """

    acceleration: Any       # (t, q, qd) -> qdd
    put_back: Any = None    # (t, q, qd) -> q, qd without what errors of the integrator do to them, if they do any

    def __init__(self, model, torque, f_ext, dynamics=None, T_stab=None, motions=None, compiled=False):
        self.model, self.torque, self.f_ext, self.dynamics, self.T_stab = model, torque, f_ext, dynamics, T_stab
        self.motions = PrescribedMotions(model, {}) if motions is None else motions
        self.tau_at = drives.torque_function(model, self.motions.torque(torque))
        self.f_ext_at = drives.force_function(model, f_ext)
        self.accelerate = acceleration_method(model, dynamics, self.motions.bodies, T_stab, compiled)
        self.controller = torque if all_ours(torque) else None
        self.normalise, self.move, self.q_rate = (
            of(model) for of in (integrators.normalisation, integrators.movement, integrators.position_rate))

    def qdd(self, t, q, qd, tau, f_ext):
        """What accelerate says, refused where it is not finite."""
        with At(self.model, t, state=(q, qd)):
            qdd = self.accelerate(self.model, q, qd, tau, f_ext, t)
        if not np.isfinite(qdd).all():
            drives.explain(self.model, t, q, qd)
            drives.refuse(self.model, t, "acceleration of joint", qdd, self.model.v_slice)
        return qdd

    def rate(self, t, state):
        """The rate of change of the state [q; qd] (RBDA Eq. 3.8). The forces are taken at the normalised q.

        The rate of q is taken at the state itself: Euler parameters change in proportion to their length (RBDA Eq.
        4.13), so that their direction, which alone counts, turns as fast as it should, whatever length they have
        drifted to.
        """
        q, qd = state[: self.model.nq].copy(), state[self.model.nq :].copy()
        require_finite(self.model, t, q, qd)
        q, qd = self.motions.imposed(t, q, qd)
        return np.concatenate([self.q_rate(q, qd), self.acceleration(t, self.normalise(q), qd)])


class Phases(Motion):
    """A motion made of smooth phases. integrator: its method, dt, tolerance and longest step; given: of `Motion`."""

    # What those say who inherit it, besides the acceleration between two events
    begin: Any              # (t, q, qd) -> q, qd to start from
    met_at_start: Any       # (t, q, qd) -> whether something collides there
    watch: Any              # (start, end, function t -> q, qd) -> the first event in a step, with its time t, or None
    change: Any             # (t, q, qd, event) -> q, qd after it, and whether qd has jumped; at the start event is None
    sample: Any             # (t, q, qd) -> q, qd, and what else is kept of a sample

    def __init__(self, integrator, *given, **more):
        super().__init__(*given, **more)
        refuse_exact(self.model)
        self.method, self.dt, self.tolerance, self.max_step = integrator
        self.near, self.rest_speed = min(10 * self.tolerance, NEAR), min(1000 * self.tolerance, SLOW)
        self.closing = bool(self.model.loops) and self.T_stab is None and self.method in RESTARTING
        self.events, self.steps, self.changed, self.changes = [], 0, -np.inf, 0

    def motion(self, q, qd, samples, progress):
        """The motion from q and qd on: arrays t, q, qd, norm_defect, and tuples of what else `sample` says.

        samples: their times, and whether every step is one.
        """
        found, (times, every_step) = [], samples
        with np.errstate(over="ignore", invalid="ignore"), Progress(times[-1] - times[0], "s", progress) as bar:
            for state in self.follow(q, qd, times, every_step):
                found.append((state[0], *self.sample(*state)))
                bar.update(state[0] - times[0])
        t, q, qd, *more = zip(*found, strict=True)
        q, defects = integrators.unit_rows(self.model, np.array(q))
        return np.array(t), q, np.array(qd), defects, *more

    def count(self, t, n, problem):
        """Raise SimulationError, which tells the problem, where at one time there is a change too many for n things."""
        at_once = t - self.changed <= AT_ONCE * max(1, abs(t))
        self.changes, self.changed = self.changes + 1 if at_once else 1, t
        if self.changes > MOST_CHANGES * (1 + n):
            raise SimulationError(f"At t = {t:.6g} s {problem}", t)

    def looks(self, start, end):
        """The times in a step at which one looks for events."""
        parts = (0.25, 0.5, 0.75) if self.method not in FIXED_STEP else ()
        return [start, *(start + part * (end - start) for part in parts), end]

    def follow(self, q, qd, times, every_step):
        """Yields t, q, qd at every sample, while the steps of RBDA Table 11.1 are taken."""
        t, wanted = times[0], [] if every_step else list(times[1:])
        q, qd = self.begin(t, q, qd)
        met = self.met_at_start(t, q, qd)
        if met:
            yield t, q, qd
        q, qd, _ = self.change(t, q, qd, None)
        if every_step or not met:
            yield t, q, qd

        while t < times[-1]:
            for start, end, between in self.integrate(t, q, qd, times):                         # step 1
                happening = self.watch(start, end, between)                                     # step 2
                t = end if happening is None else happening.t                                   # step 3
                while wanted and (wanted[0] < t or (happening is None and wanted[0] == t)):
                    yield wanted[0], *self.put_back(wanted[0], *between(wanted.pop(0)))
                q, qd = self.put_back(t, *between(t))
                if every_step and t > start:                    # the start has been given
                    yield t, q, qd
                if happening is not None:
                    q, qd, jumped = self.change(t, q, qd, happening)                            # steps 4, 5, 6
                    if every_step and jumped:
                        yield t, q, qd
                    while wanted and wanted[0] == t:
                        yield wanted.pop(0), q, qd
                    break                                                                       # step 7

    def machine(self):
        """A `Machine` for the next steps of an embedded pair, and in a dict what else they need; None for none."""
        return

    def integrate(self, t, q, qd, times):
        """Yields the beginning and the end of each step, and the function of time that gives q, qd in between."""
        if self.method in PAIRS and (found := self.machine()) is not None:
            machine, more = found
            for start, end, between in machine.single_steps(t, np.concatenate([q, qd]), times[-1], self.tolerance,
                                                            self.max_step, **more):
                yield start, end, lambda t, between=between: np.split(between(t), [self.model.nq])
            return
        while self.method in FIXED_STEP and t < times[-1]:
            until = next(time for time in times if time > t)
            n, h = integrators.even_steps(t, until, self.dt)
            end = until if n == 1 else t + h

            def between(s, t=t, q=q, qd=qd):
                step = FIXED_STEP[self.method]
                return self.put_back(s, *(step(self.move, self.acceleration, t, q, qd, s - t) if s > t else (q, qd)))

            yield t, end, between
            t, (q, qd) = end, between(end)
        if self.method in FIXED_STEP:
            return
        state = np.concatenate([q, qd])
        for solver in integrators.solver_steps(self.method, self.rate, t, state, times[-1], self.tolerance,
                                               self.max_step):
            yield solver.t_old, solver.t, partial(self.interpolated, solver.dense_output(), solver.t, solver.y)
            if self.method in ONE_STEP:
                state = self.state_put_back(solver.t, solver.y)
                if (state != solver.y).any():
                    solver.y, solver.f = state, self.rate(solver.t, state)

    def state_put_back(self, t, state):
        """The state [q; qd] without what errors of the integrator do to it."""
        return np.concatenate(self.put_back(t, *self.split(state)))

    def interpolated(self, dense, end, y, t):
        return self.split(y if t == end else dense(t))

    def split(self, state):
        """q and qd of a state [q; qd] that an integrator has made."""
        return self.normalise(state[: self.model.nq]), state[self.model.nq :].copy()


def noise(reach, qd):
    """The speed (m/s, rad/s) along a direction with entries no larger than reach that may be rounding."""
    return STILL + STILL_OF_SPEED * float(reach * np.abs(qd).max(initial=0))


def root(f, a, b, rate=None):
    """Where f, which is not positive at b, ceases to be positive; a if it is not positive there.

    rate: the rate of change of f, a distance, with which Newton's method finds smooth ones in few looks.
    """
    from scipy.optimize import brentq

    if (first := f(a)) <= 0:
        return a
    if (last := f(b)) >= 0:
        return b
    t, nearest = a, np.inf
    if rate is not None:                        # start where the parabola through both ends, with the rate at a, is 0
        slope, h = rate(a), b - a
        bend = (last - first - slope * h) / h**2
        t = a + 2 * first / (np.sqrt(max(slope * slope - 4 * bend * first, 0)) - slope)
    for _ in range(MOST_NEWTON_STEPS):
        if not a < t < b:
            break
        value, falling = f(t), rate(t)
        step = value / falling if falling < 0 else np.inf
        if abs(step) <= XTOL + RTOL * abs(t) or nearest / 2 < abs(value) < ROUNDING:    # or no longer halves
            return t
        nearest = abs(value)
        a, b, t = (t, b, t - step) if value > 0 else (a, t, t - step)
    return brentq(f, a, b, xtol=XTOL, rtol=RTOL)
