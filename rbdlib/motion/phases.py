"""Motion from one event to the next, with steps of an integrator in between: the loop of RBDA Table 11.1."""

from functools import partial
from typing import Any

import numpy as np

from rbdlib.motion import integrators
from rbdlib.motion.integrators import FIXED_STEP, ONE_STEP

#: The parts of a step of an adaptive integrator at which one looks for events.
LOOKS = (0.25, 0.5, 0.75, 1.0)


class Phases:
    """A motion made of smooth phases. integrator: its method, dt, tolerance and longest step."""

    # What those say who inherit it
    begin: Any              # (t, q, qd) -> q, qd to start from
    met_at_start: Any       # (t, q, qd) -> whether something collides there
    acceleration: Any       # (t, q, qd) -> qdd between two events
    rate: Any               # (t, [q; qd]) -> its rate of change between two events
    put_back: Any           # (t, q, qd) -> q, qd without what errors of the integrator do to them
    watch: Any              # (start, end, function t -> q, qd) -> the first event in a step, with its time t, or None
    change: Any             # (t, q, qd, event) -> q, qd after it, and whether qd has jumped; at the start event is None

    def __init__(self, model, integrator):
        self.model = model
        self.method, self.dt, self.tolerance, self.max_step = integrator
        self.normalise, self.move, self.q_rate = (
            of(model) for of in (integrators.normalisation, integrators.movement, integrators.position_rate))
        self.looks = LOOKS if self.method in ONE_STEP else (1.0,)

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

    def integrate(self, t, q, qd, times):
        """Yields the beginning and the end of each step, and the function of time that gives q, qd in between."""
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
                state = np.concatenate(self.put_back(solver.t, *self.split(solver.y)))
                if (state != solver.y).any():
                    solver.y, solver.f = state, self.rate(solver.t, state)

    def interpolated(self, dense, end, y, t):
        return self.split(y if t == end else dense(t))

    def split(self, state):
        """q and qd of a state [q; qd] that an integrator has made."""
        return self.normalise(state[: self.model.nq]), state[self.model.nq :].copy()
