"""Motion with soft contacts: when bodies touch and part, and what their surfaces do meanwhile (RBDA 11.8).

Between two such moments every law is smooth in the state, so that an adaptive integrator goes fast. Each moment is
looked for within the step that passes it, and the integrator starts afresh (`Phases.follow`).
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from rbdlib.compile.singular_states import can_be_singular
from rbdlib.contact.geometry import Pair
from rbdlib.contact.soft import Patches, forces_at, patches_at_rest, rates_at, soft_points
from rbdlib.loops.closing import project
from rbdlib.motion import integrators
from rbdlib.motion.compiled import WhenLong, acceleration, compiled_once, known_by
from rbdlib.motion.drives import require_finite
from rbdlib.motion.integrators import ADAPTIVE
from rbdlib.motion.machine_code import Machine, recordable
from rbdlib.motion.phases import Phases, root
from rbdlib.motion.simulate import Trajectory, start_state
from rbdlib.numbers.validation import one_of


class SoftEvent(namedtuple("SoftEvent", "t point name touched")):
    """At the time t (s) the point with this number (in the order of the contacts) and name touched, or let go."""


@dataclass(frozen=True, eq=False)
class SoftTrajectory(Trajectory):
    """A `Trajectory` with what happened at the n points of its soft contacts, at each of its k samples.

    patches: a `Patches` for each sample.  touching (k x n, booleans).  events: a tuple of `SoftEvent`.  steps:
    how many steps the integrator took.
    Worked out when asked for: points, a list of `SoftPoint` for each sample, from which come p, z, f_n (k x n), f_t,
    slip, x (k x n x 3, base coordinates), and stored (k): the energy (J) in the springs of all patches.
    """

    contacts: tuple
    patches: tuple
    touching: np.ndarray
    events: tuple
    steps: int

    @cached_property
    def points(self):
        return [soft_points(self.model, q, qd, patches, self.contacts, t, touching) for t, q, qd, patches, touching in
                zip(self.t, self.q, self.qd, self.patches, self.touching, strict=True)]

    @staticmethod
    def _of_points(name, *shape):
        """The property that collects what all points have under a name."""
        def collected(motion):
            values = [[getattr(point, name) for point in row] for row in motion.points]
            return np.array(values, dtype=float).reshape(len(motion.t), -1, *shape)

        return property(collected)

    p, z, f_n = _of_points("p"), _of_points("z"), _of_points("f_n")
    x, f_t, slip = _of_points("x", 3), _of_points("f_t", 3), _of_points("slip", 3)
    stored = property(lambda self: np.array([sum(point.stored for point in row) for row in self.points], dtype=float))


def simulate_soft(model, q0, qd0, t_span, contacts, torque=None, f_ext=None, method="DOP853", tolerance=1e-9,
                  patches=None, closed_form=True, max_step=np.inf, dynamics=None, T_stab=None, progress=None,
                  compiled=None):
    """The motion of a model with soft contacts from the state q0 (nq), qd0 (nv); returns a `SoftTrajectory`.

    contacts: a list of `SoftContact`. model, t_span, torque, f_ext, tolerance, dynamics, T_stab, progress, compiled:
    as for `rbdlib.motion.simulate.simulate`. method: "RK45", "DOP853", "Radau", "LSODA" or "BDF"; for strong damping
    or very light bodies take Radau or LSODA. patches: the state of the surfaces at the start; by default they are at
    rest, pressed in where bodies overlap. max_step (s): longer steps might miss a short contact, such as one with a
    thin obstacle. closed_form: how a patch returns once the contact is lost: by its known motion (RBDA 11.8), or
    integrated with the rest, which is not compiled. Both say the same. Loops are closed again after each step unless
    T_stab is given.
    Raises ValueError or TypeError for bad arguments; SimulationError where the motion cannot be followed further.
    """
    samples = integrators.sample_times(t_span)
    integrators.require_method(one_of(ADAPTIVE, method, "method"), None, tolerance, max_step)
    if not np.iterable(contacts):
        raise TypeError(f"contacts is {contacts!r}; give a list of SoftContact.")
    q, qd = start_state(model, q0, qd0, samples[0][0])
    run = _SoftRun(model, tuple(contacts), torque, f_ext, (dynamics, T_stab), (method, None, tolerance, max_step),
                   patches, closed_form, compiled)
    t, q, qd, defects, histories, touching = run.motion(q, qd, samples, progress)
    return SoftTrajectory(t, q, qd, model, defects, run.contacts, histories, np.array(touching), tuple(run.events),
                          run.steps)


# The functions that are compiled. All points are taken to touch, and those that do not are multiplied by 0.


def soft_rate(model, q, w, tau, f_ext, t, touching, n=0, contacts=(), dynamics=None, torque=None):
    """The rate of [q; w] for w = [qd; z; x], where touching (n) is 1 or 0; torque: a controller that adds to tau."""
    qd, z, x = np.split(w, [model.nv, model.nv + 2 * n])
    moved = model.normalise(q)
    points = [point._replace(f_n=on * point.f_n, f_t=on * point.f_t, zdot=on * point.zdot, xdot=on * point.xdot)
              for on, point in zip(touching, all_touching(model, moved, qd, z, x, t, contacts), strict=True)]
    rates, forces = rates_at(points), f_ext + forces_at(model, points)
    qdd = acceleration(model, moved, qd, tau, forces, t, dynamics, torque)
    return np.concatenate([model.qdot(q, qd), qdd, np.ravel(rates.z), np.ravel(rates.x)])


def flat_margins(model, q, qd, u, n=0, contacts=()):
    """p (m) and the force (N) that would keep up the contact, of every point, for u = [z; x; t]: 2n numbers."""
    z, x, t = np.split(u, [2 * n, 5 * n])
    points = all_touching(model, model.normalise(q), qd, z, x, t[0], contacts)
    return np.array([*(point.p for point in points), *(point.f_n for point in points)])


def all_touching(model, q, qd, z, x, t, contacts):
    """The `SoftPoint`s of contacts all of which are made; TypeError where the outline of a face decides on one."""
    patches = Patches(np.reshape(z, (-1, 2)), np.reshape(x, (-1, 3)))
    points = soft_points(model, q, qd, patches, contacts, t, [True] * len(patches.z), pulling=True)
    if not all(point.contact.inside is True for point in points):
        raise TypeError("The outline of a face decides if bodies touch.")
    return points


class _SoftRun(Phases):
    """One run. w is [qd; z; x] in a row; touching says which laws hold now, and is not part of the state [q; w].

    given: the `Patches` at the start, or None.  soft: the `SoftContact` of each point.  lost: for each patch the time,
    z and x at which its contact was lost.  parting: points whose contact was lost since they were last free.  quick:
    compiled functions of `flat_margins` and `soft_rate`, and a `Machine` that takes steps by the latter; or None.
    """

    def __init__(self, model, contacts, torque, f_ext, dynamics, integrator, patches, closed_form, compiled):
        super().__init__(integrator, model, torque, f_ext, *dynamics, compiled=compiled)
        self.contacts, self.given, self.closed_form = contacts, patches, closed_form
        self.driven = callable(f_ext) or (callable(torque) and not self.controller)
        self.source = recordable(model, *dynamics)
        self.quick: Any = None
        self.sought = WhenLong(self.compiled, model.N_B, compiled if closed_form or compiled else False)
        self.parting = set()

    met_at_start = staticmethod(lambda t, q, w: False)              # what is soft does not collide

    # The state

    def begin(self, t, q, qd):
        """The state at the start, and which contacts there are."""
        given = patches_at_rest(self.model, q, self.contacts, t) if self.given is None else self.given
        z, x = (np.array(part, dtype=float) for part in given)
        if self.closing:
            q, qd = project(self.model, q, qd, t)
        self.n, self.lost = len(z), [(t, own, shift) for own, shift in zip(z, x, strict=True)]
        self.soft = [soft for soft in self.contacts for _ in soft.pair.contacts(self.model, q, qd, t)]
        points = soft_points(self.model, q, qd, Patches(z, x), self.contacts, t, pulling=True)
        self.touching = np.array([point.touching and point.f_n >= 0 for point in points], dtype=bool)
        self.names = [point.contact.name or soft.name for soft, point in zip(self.soft, points, strict=True)]
        self.quick = self.sought.at_once()
        return q, np.concatenate([qd, z.ravel(), x.ravel()])

    def parts(self, t, w):
        """qd and the patches; those that nothing touches by their known motion if that was asked for."""
        qd, z, x = np.split(w.copy(), [self.model.nv, self.model.nv + 2 * self.n])
        patches = Patches(z.reshape(-1, 2), x.reshape(-1, 3))
        for i in np.flatnonzero(~self.touching) if self.closed_form else ():
            t_0, z_0, x_0 = self.lost[i]
            m = len(self.soft[i].K)
            patches.z[i, :m], patches.x[i] = self.soft[i].relaxed(z_0[:m], x_0, t - t_0)
        return qd, patches

    def points(self, t, q, w):
        qd, patches = self.parts(t, w)
        return soft_points(self.model, q, qd, patches, self.contacts, t, self.touching, pulling=True)

    def sample(self, t, q, w):
        """q, qd, the patches, and which are touched."""
        qd, patches = self.parts(t, w)
        following = [i for i in np.flatnonzero(self.touching) if self.soft[i].follows]
        if following and self.quick is not None:
            patches.z[following, 0] = self.places_and_forces(t, q, w)[0][following]
        elif following:
            patches.z[following, 0] = [point.p for i, point in enumerate(self.points(t, q, w)) if i in following]
        return q, qd, patches, self.touching.copy()

    def machine(self):
        if self.quick is None:
            return None
        more = {"put_back": self.state_put_back} if self.closing else {}
        return self.quick[2], {"touching": self.touching, **more}

    def rate(self, t, state):
        if self.quick is None:
            self.quick = self.sought()
        q, qd, _ = np.split(state, [self.model.nq, self.model.nq + self.model.nv])
        require_finite(self.model, t, q, qd)
        moved = self.normalise(q) if self.quick is None or self.driven else q
        tau = np.zeros(self.model.nv) if self.quick and self.controller else self.tau_at(t, moved, qd)
        forces = self.f_ext_at(t, moved, qd)
        if self.quick is not None:
            return self.quick[1](q, state[self.model.nq :], tau, forces, t, 1.0 * self.touching)
        rates = Patches(np.zeros((self.n, 2)), np.zeros((self.n, 3)))
        if self.touching.any() or not self.closed_form:                 # else no surface does or needs anything
            points = self.points(t, moved, state[self.model.nq :])
            forces, rates = forces + forces_at(self.model, points), rates_at(points)
        qdd = self.accelerate(self.model, moved, qd, tau, forces, t)
        if self.closed_form:
            rates.z[~self.touching], rates.x[~self.touching] = 0, 0
        return np.concatenate([self.q_rate(q, qd), np.asarray(qdd, dtype=float), rates.z.ravel(), rates.x.ravel()])

    def put_back(self, t, q, w):
        """The state with Euler parameters of unit length and loops closed."""
        q = self.normalise(q)
        if self.closing:
            q, qd = project(self.model, q, w[: self.model.nv], t)
            w = np.concatenate([qd, w[self.model.nv :]])
        return q, w

    def compiled(self, only_known):
        """What `quick` is; TypeError where it cannot be recorded."""
        if (self.source is None or can_be_singular(self.model) or not self.closed_form
                or not all(isinstance(soft.pair, Pair) for soft in self.contacts)):
            raise TypeError("compiled is True, but closed_form is False, contacts or dynamics are functions of your "
                            "own, or the model may be singular. Leave compiled out.")
        key = known_by(self.contacts), self.n, self.controller, *self.source[1:]
        made = partial(compiled_once, model=self.model, key=key, only_known=only_known, alone=True, n=self.n,
                       contacts=self.contacts)
        look = made(flat_margins, shapes={"u": (5 * self.n + 1,)})
        rate = made(soft_rate, shapes={"w": (self.model.nv + 5 * self.n,), "touching": (self.n,)},
                    dynamics=self.source[0], torque=self.controller)
        return (look, rate, Machine(self, self.method).by(rate)) if look and rate else None

    def places_and_forces(self, t, q, w):
        """p (m) and the force (N) that would keep up the contact, of every point (n each)."""
        qd, z_x = np.split(w, [self.model.nv])
        return np.split(self.quick[0](q, qd, np.concatenate([z_x, [t]])), 2)

    # Moments at which bodies touch or part

    def margins(self, t, q, w):
        """How far (m) each point is from changing: the gap where it is free, the force over K where it touches."""
        if self.quick is not None:
            (p, f_n), z = self.places_and_forces(t, q, w), self.parts(t, w)[1].z.sum(axis=1)
            return np.where(self.touching, f_n / [soft.K[0] for soft in self.soft], p - z)
        found = np.empty(self.n)
        for i, (soft, point) in enumerate(zip(self.soft, self.points(t, q, w), strict=True)):
            if not point.contact.inside:
                found[i] = -1.0 if point.touching else 1.0
            elif not point.touching:
                found[i] = point.p - point.z
            else:
                found[i] = np.copysign(point.p, point.f_n) if soft.model == "hunt_crossley" else point.f_n / soft.K[0]
        return found

    def watch(self, start, end, between):
        """The `SoftEvent` of the first point whose contact changes in a step, or None."""
        self.steps += 1
        margins = cache(lambda t: self.margins(t, *between(t)))
        least, error = -max(1e-3 * self.tolerance, 1e-14), 10 * self.tolerance
        for t_0, t_1 in pairwise(self.looks(start, end)):
            # the gap of a contact just lost begins at 0 with no speed, so that errors may close it
            limits = [-error if i in self.parting and margins(t_0)[i] <= error else least for i in range(self.n)]
            changes = [(root(lambda t, i=i: margins(t)[i], t_0, t_1), int(i))
                       for i in np.flatnonzero(margins(t_1) < limits)]
            if changes:
                t, i = min(changes)
                return SoftEvent(t, i, self.names[i], not self.touching[i])
        return None

    def change(self, t, q, w, happening):
        """The state after a contact was made or lost, which does not jump; happening: None at the start."""
        if happening is None:
            return q, w, False
        i, (qd, patches) = happening.point, self.parts(t, w)
        if self.touching[i]:
            if self.soft[i].follows:
                patches.z[i, 0] = self.points(t, q, w)[i].p         # z = p up to the moment of loss
            self.lost[i] = (t, patches.z[i].copy(), patches.x[i].copy())
        (self.parting.discard if happening.touched else self.parting.add)(i)
        self.touching[i] = happening.touched
        self.events.append(happening)
        self.count(t, self.n, f"contact {happening.name!r} is made and lost without end. Check the shapes that touch "
                   "there, and K_n and D_n.")
        return q, np.concatenate([qd, patches.z.ravel(), patches.x.ravel()]), False
