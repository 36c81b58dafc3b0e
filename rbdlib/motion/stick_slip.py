"""Joints that stick and slip, and hard stops: exact friction and impacts, from one event to the next (RBDA 11).

Dry friction and stops are contacts of one freedom. A joint at rest is held by a force f: friction gives it any value
from -F to F, a stop any push away from it. For all joints at rest together, with lo <= f <= hi and the accelerations

    a = M f + d,   a = 0 where lo < f < hi,   a >= 0 where f = lo,   a <= 0 where f = hi.                           (1)

M holds the entries of H⁻¹ for these joints, and d is what a would be without f (RBDA Eqs 11.34 to 11.36, where the
columns of T are unit vectors). For stops alone, lo = 0 and hi = infinity, (1) is the linear complementarity problem of
contact, Eq. 11.18. Joints that move meet the friction -F sign(qd), which is constant until the next event. The events:

    STOP   a joint comes to a stop: impulses p in place of f, velocities in place of accelerations, Newton's law of
           impact (RBDA 11.7); friction, which is bounded, has no impulse
    REST   a joint that slips comes to rest: (1) says whether it sticks
    GIVE   the force that holds a joint comes to one of its bounds: (1) says which joints move

The loop that goes from one event to the next is `rbdlib.motion.phases.Phases.follow`, that of RBDA Table 11.1.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from rbdlib.book.ch06_factorisation import solve
from rbdlib.methods.joint_character import exact_joints, of_joints
from rbdlib.motion.drives import require_finite
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.phases import Phases, noise, root

STOP, REST, GIVE = range(3)
#: Forces may pass their bounds by this part of the forces that act before it counts: it may be rounding.
ROUNDING = 1e-10
#: So many exchanges are tried for each joint at rest, and so many impacts at one time for each that is hit.
MOST_EXCHANGES = 100
#: So many times a part of a step is halved in search of the moment at which a joint has begun to move.
HALVINGS = 30


def bounded_forces(M, d, lo, hi):
    """The forces f (n) that solve (1); where (n): -1 for f = lo, 1 for f = hi, 0 in between, where a = 0; and slack.

    M (n x n): symmetric and positive definite; d (n); lo <= hi (n): finite or not, and they hold up to slack, which
    may be rounding. One joint after the other goes where it should be, the one with the least number first; where there
    is but one bound, Murty has shown that this ends (Cottle, Pang & Stone, The Linear Complementarity Problem, 1992,
    section 4.2). Raises ArithmeticError where rounding errors hide the answer.

    >>> f, where, _ = bounded_forces(np.eye(2), np.array([-3.0, 1.0]), np.array([-2, -2]), np.array([2, 2]))
    >>> f.tolist(), where.tolist()                          # the first slips, backwards; the second sticks
    ([2.0, -1.0], [1, 0])
    """
    where, bounds = np.zeros(len(d), dtype=int), np.abs([lo, hi])
    slack = ROUNDING * (bounds[np.isfinite(bounds)].max(initial=0) + np.abs(d / M.diagonal()).max(initial=0))
    for _ in range(MOST_EXCHANGES * (1 + len(d))):
        f, free = np.where(where < 0, lo, np.where(where > 0, hi, 0.0)), where == 0
        f[free] = solve(M[np.ix_(free, free)], -(d + M @ f)[free])
        a = M @ f + d
        better = np.where(free, np.where(f < lo - slack, -1, np.where(f > hi + slack, 1, 0)),
                          np.where(where * a > 0, 0, where))
        wrong = np.flatnonzero(better != where)
        if not len(wrong):
            return f, where, slack
        where[wrong[0]] = better[wrong[0]]
    raise ArithmeticError("Rounding errors hide which joints stick: their motions depend on one another.")


@dataclass(frozen=True, eq=False)
class JointEvent:
    """Change of what holds the joints of a motion at the time t (s).

    kind: "impact", joints hit their stops;  "rest", they hit them so slowly that they stay;  "stick", joints that
    slipped are held;  "slip", joints that were held move;  "reversal", a joint slips back at once.  bodies: those at
    whose joints it happened.  impulse (nv, N s): of the stops.  energy_change (J): of the kinetic and potential energy.
    held: the bodies at whose joints friction or a stop holds on afterwards.
    """

    t: float
    kind: str
    bodies: tuple
    impulse: np.ndarray
    energy_change: float
    held: tuple

    def __repr__(self):
        return f"<JointEvent at t = {self.t:.6g} s: {self.kind} of bodies {self.bodies}, {self.energy_change:.3g} J>"


#: At the time t something of a kind (see above) happens at one of the exact joints, counted from 0.
Happening = namedtuple("Happening", "t kind joint")


def smooth_part(model):
    """The model without exact friction and hard stops; None where it has none."""
    return model.replace(characters={i: c.smooth for i, c in of_joints(model)}) if exact_joints(model) else None


class JointRun(Phases):
    """One run. Which joints are held, and which way the others slip, is its state between two events.

    exact: joints and characters, as from `exact_joints`; energy(q, qd, t): kinetic and potential (J); model, given: as
    for `Phases`, of the smooth part. held, slipping (n): True, and -1 or 1, of the n exact joints.
    """

    def __init__(self, exact, energy, integrator, model, *given):
        super().__init__(integrator, model, *given)
        exact = [(i, c) for i, c in exact if i not in self.motions.bodies]
        self.energy = energy
        self.bodies = np.array([i for i, _ in exact], dtype=int)
        self.q_at = np.array([model.q_slice(i).start for i, _ in exact], dtype=int)
        self.v_at = np.array([model.v_slice(i).start for i, _ in exact], dtype=int)
        self.F = np.array([c.slip_force for _, c in exact], dtype=float)
        stops = [{side: float(end) for side, end in c.stops if c.restitution is not None} for _, c in exact]
        self.lower, self.upper = (np.array([ends.get(side, side * np.inf) for ends in stops]) for side in (-1, 1))
        locked = self.upper - self.lower <= 2 * self.near
        self.e = np.where(locked, 0, np.array([c.restitution or 0 for _, c in exact], dtype=float))
        self.held, self.slipping = np.zeros(len(exact), dtype=bool), np.zeros(len(exact))
        self.lo, self.hi, self.slack = -self.F, self.F, 0.0

    def accelerations(self, t, q, qd, joints):
        """The accelerations (nv) without forces at the given exact joints, and those that 1 N at each adds (nv x n)."""
        tau, f_ext = self.tau_at(t, q, qd).copy(), self.f_ext_at(t, q, qd)
        tau[self.v_at] -= self.F * self.slipping
        tau = self.motions.driven(t, tau)
        free = self.qdd(t, q, qd, tau, f_ext)
        unit = np.eye(self.model.nv)[self.v_at[joints]]
        added = [self.qdd(t, q, qd, tau + one, f_ext) - free for one in unit]
        return free, np.array(added).reshape(len(unit), self.model.nv).T

    def holding(self, t, q, qd):
        """The accelerations (nv) while held joints stay at rest, (1) with a = 0; forces of friction and stops (nv)."""
        at, tau = self.v_at[self.held], np.zeros(self.model.nv)
        free, added = self.accelerations(t, q, qd, self.held)
        tau[self.v_at] -= self.F * self.slipping
        tau[at] = solve(added[at], -free[at])
        qdd = free + added @ tau[at]
        qdd[at] = 0
        return qdd, tau

    def acceleration(self, t, q, qd):
        """The accelerations qdd (nv)."""
        require_finite(self.model, t, q, qd)
        return self.holding(t, *self.motions.imposed(t, q, qd))[0]

    def sample(self, t, q, qd):
        """q, qd, the forces of exact friction and hard stops (nv), and where these hold a joint (nv)."""
        return q, qd, self.holding(t, q, qd)[1], np.isin(range(self.model.nv), self.v_at[self.held])

    def put_back(self, t, q, qd):
        """The state with what is prescribed in its place."""
        return self.motions.imposed(t, self.normalise(q), qd)

    def watch(self, start, end, between):
        """The first event in a step, or None."""
        state = cache(lambda t: self.put_back(t, *between(t)))
        holding = cache(lambda t: self.holding(t, *state(t))[1])
        falls: list[tuple[int, int, Callable]] = []         # kind, joint, and what falls below 0 when it happens
        for k in range(len(self.held)):
            if self.held[k]:
                falls += [(GIVE, k, lambda t, k=k: holding(t)[self.v_at[k]] - self.lo[k] + self.slack),
                          (GIVE, k, lambda t, k=k: self.hi[k] - holding(t)[self.v_at[k]] + self.slack)]
            else:
                falls += [(STOP, k, lambda t, k=k: state(t)[0][self.q_at[k]] - self.lower[k]),
                          (STOP, k, lambda t, k=k: self.upper[k] - state(t)[0][self.q_at[k]])]
            if self.slipping[k]:
                falls.append((REST, k, lambda t, k=k: self.slipping[k] * state(t)[1][self.v_at[k]]))
        for a, b in pairwise(self.looks(start, end)):
            found = [Happening(t, kind, k) for kind, k, g in falls if (t := falling(g, a, b, kind != GIVE)) is not None]
            if found:
                return min(found)
        return None

    def change(self, t, q, qd, happening):
        """What an event does, None at the start: q, qd, and whether qd has jumped. Keeps which joints are held."""
        q, qd, before = q.copy(), qd.copy(), self.energy(q, qd, t)
        old = self.held.copy(), self.slipping.copy()
        if happening is not None and happening.kind == REST:
            qd[self.v_at[happening.joint]] = 0
        impulse, hit, bounced = self.impacts(t, q, qd)
        self.settle(t, q, qd)
        self.record(t, old, impulse, hit, bounced, self.energy(q, qd, t) - before)
        self.count(t, len(self.held), "joints stick and slip without end. Give a larger tolerance.")
        return q, qd, bool(impulse.any())

    def touching(self, q, qd):
        """The exact joints at their lower and upper stops, but for those that leave them; and which run into them."""
        x, v, still = q[self.q_at], qd[self.v_at], noise(1, qd)
        lower, upper = (x - self.lower <= self.near) & (v <= still), (self.upper - x <= self.near) & (v >= -still)
        return lower, upper, (lower & (v < -still)) | (upper & (v > still))

    def impacts(self, t, q, qd):
        """Impulses at the stops that are hit, until no joint runs into one; changes qd.

        Returns the impulses (nv), which joints hit their stops, and whether one of them bounces. A joint that would
        bounce more slowly than rest_speed does not, which ends ever smaller bounces in finite time.
        """
        impulse, everything, bounced = np.zeros(self.model.nv), np.zeros(len(self.held), dtype=bool), False
        lower, upper, hit = self.touching(q, qd)
        for _ in range(MOST_EXCHANGES * (1 + len(hit))):
            if not hit.any():
                return impulse, everything, bounced
            own, v = lower | upper, qd[self.v_at]
            aim = np.where(hit & (self.e * np.abs(v) >= self.rest_speed), -self.e * v, 0)
            at = self.v_at[own]
            _, added = self.accelerations(t, q, qd, own)
            lo, hi = np.where(upper, -np.inf, 0)[own], np.where(lower, np.inf, 0)[own]
            p, where, _ = bounded_forces(added[at], (v - aim)[own], lo, hi)
            qd += added @ p
            qd[at[where == 0]] = aim[own][where == 0]
            impulse[at] += p
            everything, bounced = everything | hit, bounced or bool(aim.any())
            lower, upper, hit = self.touching(q, qd)
        raise SimulationError(f"At t = {t:.6g} s joints hit their stops without end. Give a smaller restitution.", t)

    def settle(self, t, q, qd):
        """Which joints are held from now on, and which way the others slip: (1). Puts joints at rest where they are."""
        lower, upper, _ = self.touching(q, qd)
        rest = (lower | upper | (self.F > 0)) & (np.abs(qd[self.v_at]) <= noise(1, qd))
        qd[self.v_at[rest]] = 0
        for places, stops in ((lower & rest, self.lower), (upper & rest, self.upper)):
            q[self.q_at[places]] = stops[places]
        self.lo, self.hi = np.where(upper, -np.inf, -self.F), np.where(lower, np.inf, self.F)
        self.slipping = np.where(rest | (self.F == 0), 0, np.sign(qd[self.v_at]))
        free, added = self.accelerations(t, q, qd, rest)
        at = self.v_at[rest]
        _, where, slack = bounded_forces(added[at], free[at], self.lo[rest], self.hi[rest])
        self.held, self.slack = rest.copy(), 2 * slack
        self.held[rest] = where == 0
        self.slipping[rest] = np.where(self.F[rest] > 0, -where, 0)

    def record(self, t, old, impulse, hit, bounced, energy_change):
        """Add a `JointEvent`, if anything has changed. old: held and slipping before it."""
        caught, freed = self.held & ~old[0], old[0] & ~self.held
        back = self.slipping * old[1] < 0
        kinds = {"impact": hit & bounced, "rest": hit, "stick": caught, "slip": freed, "reversal": back}
        found = next(((kind, joints) for kind, joints in kinds.items() if joints.any()), None)
        if found is not None:
            bodies, held = (tuple(self.bodies[joints].tolist()) for joints in (found[1], self.held))
            self.events.append(JointEvent(float(t), found[0], bodies, impulse, energy_change, held))

    def begin(self, t, q, qd):
        """The state at the start; ValueError where a joint is beyond its stops."""
        for i, x, lower, upper in zip(self.bodies, q[self.q_at], self.lower, self.upper, strict=True):
            if not lower - self.near <= x <= upper + self.near:
                raise ValueError(f"q0: joint {i} ({self.model.names[i]}) is at {x:.6g}, beyond its hard stops at "
                                 f"{lower:.6g} and {upper:.6g}. Move it in between.")
        return q, qd

    def met_at_start(self, t, q, qd):
        """True if a joint runs into a stop at the start."""
        return bool(self.touching(q, qd)[2].any())


def falling(g, a, b, may_dip):
    """Where g falls below 0 between the times a and b, or None. It may be 0 at a, if it rises from there.

    may_dip: whether to look, if g is positive at both, for a fall and a rise in between.
    """
    if g(b) >= 0:
        step = (b - a) / 1000
        if not may_dip or g(a) <= 0 or g(a + step) >= g(a) or g(b - step) >= g(b):
            return None
        b = root(lambda t: g(t) - g(t + step), a, b - step)
        if g(b) >= 0:
            return None
    for _ in range(HALVINGS):
        if g(a) > 0:
            return root(g, a, b)
        middle = (a + b) / 2
        a, b = (middle, b) if g(middle) > 0 else (a, middle)
    return b
