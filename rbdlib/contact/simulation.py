"""Motion of systems with rigid contacts, from one change of contact to the next: RBDA Table 11.1.

The steps of the table, in the loop `rbdlib.motion.phases.Phases.follow`:

    1  integrate, the active contacts being equality constraints: `rbdlib.contact.smooth`, without any LCP
    2  look for a gain, a geometric loss or a negative force: `rbdlib.contact.events`
    3  find the moment of the first of them, and go back to it
    4  after a gain: impulses, and the sets of those contacts that touch
    5  after a geometric loss: that contact leaves the sets
    6  after a negative force, as after the others: an LCP says which contacts are current, and which active
    7  go on with 1

current: the set of contacts whose bodies touch and go on touching.  active: contacts whose normals are a basis of those
of the current ones, among them all that press (RBDA 11.5).
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.book.ch11_contact import TOUCHING, joint_space_normals
from rbdlib.contact import events
from rbdlib.contact.collisions import for_each, restitution, warned
from rbdlib.contact.geometry import contacts_of
from rbdlib.contact.impact import RULES, Impulses
from rbdlib.contact.lcp import solve_lcp
from rbdlib.contact.smooth import DEPENDENT, SmoothMotion, holding_forces
from rbdlib.contact.systems import sizes_of_terms
from rbdlib.motion import integrators
from rbdlib.motion.drives import At
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.phases import noise
from rbdlib.motion.simulate import Trajectory, start_state
from rbdlib.numbers.scalars import number, vector
from rbdlib.numbers.validation import one_of


class Event(namedtuple("Event", "t kind contacts names lost impulse dqd energy_before energy_after current active")):
    """Change of the contacts of a motion at the time t (s).

    kind: "collision", bodies that did not touch meet;  "gain", one more contact of bodies that touch already;  "rest",
    bodies that would bounce off more slowly than rest_speed stay, or contacts that would part so slowly are stopped,
    which takes a small impulse that pulls;  "geometric loss", a contact has left its face or edge;  "dynamic loss", the
    bodies part by themselves;  "active set", the force of a contact has come to 0 and others carry on, no contact is
    lost (RBDA 11.5). What happens at the very end of the motion may be left out.
    contacts, names: those to which it happened, by their numbers among all potential contacts.  lost: contacts that
    ended, for whatever reason.  impulse (n_c, N s): along the normals.  dqd (nv): the step of the velocities.
    energy_before, energy_after: kinetic and potential (J).  current, active: the sets of contacts afterwards.
    """

    __eq__, __hash__ = object.__eq__, object.__hash__           # its arrays are not asked
    energy_change = property(lambda self: self.energy_after - self.energy_before)

    def __repr__(self):
        what = ", ".join(name or str(i) for i, name in zip(self.contacts, self.names, strict=True))
        return f"<Event at t = {self.t:.6g} s: {self.kind} of {what}, energy change {self.energy_change:.3g} J>"


@dataclass(frozen=True, eq=False)
class ContactTrajectory(Trajectory):
    """A `Trajectory` with what its n potential contacts did, at each of its k samples.

    At an impact there may be two samples at one time, before and after it.  pairs: as given.  names (n).  lam (k x n,
    N): how hard they press.  current, active (k): the sets of contacts.  events: a tuple of `Event`; what they change
    of the energy is all that contacts take from it.  steps, solutions: how many steps were taken and LCPs solved.
    """

    pairs: tuple
    names: tuple
    lam: np.ndarray
    current: tuple
    active: tuple
    events: tuple
    steps: int
    solutions: int

    @cached_property
    def phi(self):
        """The signed distances (k x n, m)."""
        states = zip(self.q, self.qd, self.t, strict=True)
        return np.array([[float(contact.phi) for contact in contacts_of(self.model, self.pairs, *state)]
                         for state in states])


def simulate_contacts(model, q0, qd0, t_span, contacts, torque=None, f_ext=None, method="DOP853", dt=None,
                      tolerance=1e-9, restitution=0.0, impact_rule="newton", rest_speed=None, T_stab=None,
                      progress=None, max_step=np.inf, compiled=None):
    """The motion of rigid bodies that may touch, without friction: a `ContactTrajectory` (RBDA Table 11.1).

    contacts: a list of `rbdlib.contact.Pair`, shapes that may touch. Events of the answer say when bodies met and
    parted, and what that did to the energy. restitution: its coefficient, or one for each pair; a pair's own goes
    before. impact_rule: "newton", "poisson" or "sequential", as for `rbdlib.contact.impact.system_impact`. rest_speed:
    bodies that part more slowly than this (m/s) after an impact stay together, which ends the infinitely many ever
    smaller bounces of a ball in finite time; by default 1000 times the tolerance, 1e-6, but no more than 1e-4.
    max_step (s): longer steps may miss a short contact. Joints' characters count. compiled: whether machine code, made
    from the same equations, says where contacts are and what forces and impulses there do, and steps where none holds,
    twenty-five times as fast: True insists, False does not want it, None asks it from where the run has shown that it
    is long, or at once if it has been made in this session. It knows trees, and shapes without the outlines of faces.
    q0, qd0, t_span, torque, f_ext, method, dt, tolerance, T_stab, progress: as for `rbdlib.motion.simulate.simulate`;
    LSODA and BDF cannot start anew after an impact. Raises ValueError or TypeError for bad arguments; SimulationError
    where the motion cannot be followed further, as where contacts jam and no forces hold the bodies off (Example 11.1).
    """
    samples = integrators.sample_times(t_span)
    integrators.require_method(method, dt, tolerance, max_step, ("contacts", "impact"))
    q, qd = start_state(model, q0, qd0, samples[0][0])
    run = _Run((restitution, impact_rule, rest_speed), model, contacts, torque, f_ext,
               (method, dt, tolerance, max_step), T_stab, compiled)
    t, q, qd, defects, lam, current, active = run.motion(q, qd, samples, progress)
    return ContactTrajectory(t, q, qd, model, defects, run.pairs, run.names, np.array(lam).reshape(len(t), -1), current,
                             active, tuple(run.events), run.steps, run.solutions)


class _Run(SmoothMotion):
    """The procedure of Table 11.1, with the sets current and active as its state between two events.

    impacts: restitution, rule and rest_speed, as `simulate_contacts` has them. The rest is a record: events, and counts
    of steps and of LCPs solved.
    """

    def __init__(self, impacts, *arguments):
        super().__init__(*arguments)
        self.solutions = 0
        self.crossing = [crossing for pair in self.pairs for crossing in pair.crossing]
        self.bodies = [(pair.predecessor, pair.successor) for pair in self.pairs for _ in range(len(pair))]
        e, self.rule, rest_speed = impacts
        one_of(RULES, self.rule, "impact_rule")
        given = [e] * len(self.pairs) if np.ndim(e) == 0 else vector(e, len(self.pairs), "restitution")
        e = for_each([e if pair.restitution is None else pair.restitution
                      for e, pair in zip(given, self.pairs, strict=True)], len(self.pairs), "restitution", restitution)
        self.e = np.array([float(e_k) for e_k, pair in zip(e, self.pairs, strict=True) for _ in range(len(pair))])
        self.rest_speed = self.rest_speed if rest_speed is None else number(rest_speed, "rest_speed")
        if self.rest_speed < 0:
            raise ValueError(f"rest_speed is {rest_speed}; give a speed in m/s that is not negative.")

    # The procedure, in the loop `Phases.follow`

    def met_at_start(self, t, q, qd):
        """True if bodies that touch at the start approach."""
        return bool(self.approaching(self.look(t, q, qd), qd, None, self.rest_speed))

    def change(self, t, q, qd, happening):
        """Steps 4 to 6 of Table 11.1: impulses, lost contacts, new sets; returns q, qd and whether qd has jumped."""
        kind, i = (events.GAIN, None) if happening is None else (happening.kind, happening.contact)     # None: at start
        before, qd_before, old = self.energy(t, q, qd), qd, (self.current, self.active)
        impulse, met, rests = np.zeros(self.n), (), False
        if kind == events.GAIN:                                                                 # step 4
            qd, impulse, met, rests = self.impacts(t, q, qd, i, happening is None)
        self.current, self.active = self.new_sets(t, q, qd, kind, i)                            # steps 4, 5, 6
        if kind == events.NEGATIVE_FORCE:           # one that ought to be lost, but for rounding, may pull more
            self.margin[i] = 10 * self.margin[i] if i in self.active else 1

        after = self.energy(t, q, qd)
        if (changed := self.happened(kind, i, met, rests, old, impulse)) is not None:
            self.add(t, changed, impulse, qd - qd_before, before, after)
        q, qd, settled = self.settle(t, q, qd, after)
        self.count(t, self.n, "contacts change without end. Check the shapes that touch there, or give a larger "
                   "rest_speed or tolerance.")
        return q, qd, bool(impulse.any() or settled)

    def sample(self, t, q, qd):
        """q, qd, how hard the contacts press (n), and their sets current and active."""
        lam = np.zeros(self.n)
        if self.active:
            lam[list(self.active)] = self.held(t, q, qd)[1]
        return q, qd, lam, self.current, self.active

    def settle(self, t, q, qd, energy):
        """Bodies in current contacts put at rest on one another; returns q, qd and the contacts that this stopped."""
        if not (self.current or self.closing):
            return q, qd, ()
        seen = self.look(t, q, qd, self.current)
        settled = tuple(i for i, reach, zeta_i in zip(self.current, seen.reach, seen.zeta, strict=True)
                        if abs(zeta_i) > noise(reach, qd))
        q_rest, qd_rest = self.put_back(t, q, qd)
        if settled:
            impulse, response = np.zeros(self.n), self.response(t, q_rest, qd, self.active)
            impulse[list(self.active)] = holding_forces(response.M, response.zeta)
            self.add(t, ("rest", settled, ()), impulse, qd_rest - qd, energy, self.energy(t, q_rest, qd_rest))
        return q_rest, qd_rest, settled

    def begin(self, t, q, qd):
        """The state at the start, with bodies that touch but for rounding put where they touch."""
        q, qd = self.put_back(t, q, qd, (), False)
        contacts = self.contacts(t, q, qd)
        self.names = tuple(contact.name for contact in contacts)
        for i, contact in enumerate(contacts):
            if contact.inside and contact.phi < -TOUCHING:
                raise ValueError(f"q0: the bodies overlap by {-float(contact.phi):.3g} m at contact {self.called(i)}. "
                                 "Move them apart.")
        touching = [i for i, contact in enumerate(contacts) if contact.inside and abs(contact.phi) <= TOUCHING]
        found = eliminate(joint_space_normals(self.model, q, [contacts[i] for i in touching], t).T)
        return self.put_back(t, q, qd, [touching[k] for k in found.rows[: found.rank]], False)

    def watch(self, start, end, between):
        """The first event in a step, and when: the second and third steps of Table 11.1."""
        self.steps, seen = self.steps + 1, {}

        def look(t, i=None):
            if i is None or self.quick is not None or t in seen:
                if t not in seen:
                    seen[t] = self.look(t, *between(t))
                return seen[t]
            if (t, i) not in seen:
                q, qd = between(t)
                seen[t, i] = self.look(t, q, qd, (i,), i in self.current).numbered(i)
            crosses = self.crossing[i] and seen[t, i].inside[i] and seen[t, i].phi[i] < 0
            return look(t) if crosses else seen[t, i]               # then only the others tell whether it counts

        return events.earliest(look, self.looks(start, end), self.current, self.active, self.near, self.drift)

    # Steps 4 to 6: what follows from an event

    def touching(self, seen, met=None):
        """Contacts that touch. One just found to have met is inside, though rounding may say that it is not yet."""
        gaps = np.abs(seen.phi)
        touch = seen.inside & (gaps <= 2 * self.near)
        if met is not None:
            touch[met] |= gaps[met] <= self.drift
        return touch.nonzero()[0].tolist()

    def approaching(self, seen, qd, met, least=0):
        """The contacts at which bodies touch and approach, faster than least (m/s)."""
        return tuple(i for i in self.touching(seen, met) if seen.zeta[i] < -max(least, noise(seen.reach[i], qd)))

    def impacts(self, t, q, qd, gained, at_start):
        """The velocity after impulses of all contacts that touch, these (n), contacts that met, and if they rest."""
        seen, impulse = self.look(t, q, qd), np.zeros(self.n)
        own, met = self.touching(seen, gained), self.approaching(seen, qd, gained, self.rest_speed if at_start else 0)
        if gained is not None and gained not in own:
            raise SimulationError(f"At t = {t:.6g} s the bodies of contact {self.called(gained)} overlap where they "
                                  "have not touched before. Give them shapes that meet there too, or a smaller "
                                  "max_step.", t)
        if not met:
            return qd, impulse, met, False
        response = self.response(t, q, qd, own)
        e, slow = self.e[own], self.e[own] * np.abs(response.zeta) < self.rest_speed        # slow ones do not bounce
        others = not all(slow[own.index(i)] for i in met)           # then what is at rest may yet be hit
        e[[not (others and i not in met) for i in own] & slow] = 0
        with At(self.model, t, (ValueError, ArithmeticError)):
            found = Impulses(self.rule, response, e)
        warned(found.remarks, 7)
        impulse[own] = found.lam
        return qd + response.steps @ found.lam, impulse, met, not others and all(self.e[i] > 0 for i in met)

    def new_sets(self, t, q, qd, kind, at):
        """The current and the active contacts, after something of a kind at one, by the LCP of those that touch."""
        seen, gained = self.look(t, q, qd), at if kind == events.GAIN else None
        own = [i for i in self.touching(seen, gained) if seen.zeta[i] <= self.rest_speed]
        if kind == events.GEOMETRIC_LOSS:                                                       # step 5
            own = [i for i in own if i != at]
        if kind != events.GAIN:                         # those about to collide do not touch yet
            own = [i for i in own if i in self.current or seen.zeta[i] >= -noise(seen.reach[i], qd)]
        if not own:
            return (), ()
        system = self.system(t, q, qd, own)
        with At(self.model, t, (ValueError, ArithmeticError)):
            found = solve_lcp(system.M, system.d, size=sizes_of_terms(self.model, system, self.tau_at(t, q, qd)))
        self.solutions += 1
        if not found.feasible:
            jammed = ", ".join(self.called(own[k]) for k in np.flatnonzero(found.ray))
            raise SimulationError(f"At t = {t:.6g} s the contacts {jammed} jam: no forces keep the bodies from moving "
                                  "into each other (RBDA Example 11.1). Something moves by itself there, or has no "
                                  "inertia in that direction.", t)
        current = tuple(own[k] for k in np.flatnonzero(found.zeta_dot == 0))
        active = tuple(own[k] for k in found.basis)
        if kind == events.NEGATIVE_FORCE and t != self.changed:
            places = [own.index(i) for i in current]
            active = self.relieve(at, current, system.M[np.ix_(places, places)]) or active
        return current, active

    def relieve(self, i, current, M):
        """The active set in which one other current contact relieves contact i, whose force has come to 0, or None.

        At that instant there are two bases that press, and rounding alone would choose between them. The others stay:
        if n_i = a n_j + ..., then the force a lam_i of contact j grows where lam_i would pull on and a is negative.
        Of several contacts that could do so it is the first. M: of the current contacts.
        """
        if i not in current or not set(self.active) <= set(current):
            return None
        others, column = [k for k in self.active if k != i], M[:, current.index(i)]
        for j in (k for k in current if k not in self.active):
            basis = [current.index(k) for k in (*others, j)]
            a = np.linalg.lstsq(M[:, basis], column)[0]
            if a[-1] < -DEPENDENT and np.allclose(M[:, basis] @ a, column, rtol=0, atol=DEPENDENT * np.abs(M).max()):
                return tuple(sorted((*others, j)))
        return None

    # The record

    def happened(self, kind, i, met, rests, old, impulse):
        """The kind of an event at contact i, its contacts and those lost; None if neither sets nor speeds changed."""
        lost, gained = tuple(k for k in old[0] if k not in self.current), set(self.current) - set(old[0])
        if kind == events.GAIN:
            if not (met or i is not None) or not (impulse.any() or gained):
                return None
            contacts = met or (i,)
            touched = {self.bodies[k] for k in old[0]}
            known = all(self.bodies[k] in touched for k in contacts)
            return "rest" if rests else "gain" if known else "collision", contacts, lost
        if kind == events.GEOMETRIC_LOSS:
            return "geometric loss", lost, lost
        if (self.current, self.active) == old:
            return None
        return ("dynamic loss", lost, lost) if lost else ("active set", (i,), ())

    def add(self, t, what, impulse, dqd, before, after):
        kind, contacts, lost = what
        self.events.append(Event(float(t), kind, contacts, tuple(self.names[i] for i in contacts), lost, impulse, dqd,
                                 before, after, self.current, self.active))

    def called(self, i):
        return f"{i} ({self.names[i]})" if self.names[i] else f"{i}"
