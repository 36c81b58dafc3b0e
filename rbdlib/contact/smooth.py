"""Smooth motion with contacts that stay as they are: the first step of RBDA Table 11.1.

The active contacts are equality constraints, T_Aᵀ qdd + e_A = 0; all others are ignored, and no LCP is solved. In a
long motion machine code, recorded from the readable functions for all potential contacts at once, says where they are
and what impulses and forces there do: each is one call, whatever contacts touch.
"""

from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np

from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch11_contact import separation_velocities, velocities_apart
from rbdlib.contact import events
from rbdlib.contact.geometry import contacts_of, require_pairs
from rbdlib.contact.impact import Response, contact_response
from rbdlib.contact.systems import ContactSystem, contact_system, sizes_of_motion, sizes_of_terms, sizes_of_velocities
from rbdlib.loops.closing import project
from rbdlib.methods.joint_character import armatures, joint_forces
from rbdlib.motion.compiled import WhenLong, compiled_once, known_by, state_rate
from rbdlib.motion.drives import At, require_finite
from rbdlib.motion.machine_code import Machine
from rbdlib.motion.phases import Phases
from rbdlib.motion.simulate import energies_and_momentum
from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.pivots import larger
from rbdlib.numbers.scalars import as_floats

#: A contact is about to pull when its force is below 0 by this fraction of the forces that meet there.
PULL = 1e-8
#: Distances (m) that are not worth a correction.
CLOSE = 1e-14
#: Contacts, at most, of a compiled rate of change with some of them held: what it needs grows as n³.
MOST_HELD = 16
#: Normals that are a combination of others but for this fraction are taken for one.
DEPENDENT = 1e-9


class SmoothMotion(Phases):
    """A model with pairs of shapes, what drives it, an integrator, and the sets of contacts current and active.

    margin (n): by how many times PULL the force of each contact may pull before that counts.  quick: the
    `CompiledContacts` that answer for the readable functions, or None.
    """

    def __init__(self, model, pairs, torque, f_ext, integrator, T_stab, compiled=None):
        super().__init__(integrator, model, torque, f_ext, None, T_stab, None, compiled)
        self.pairs = require_pairs(pairs, model, "contacts")
        self.tau_at, self.f_ext_at = self.timed(self.tau_at, torque), self.timed(self.f_ext_at, f_ext)
        self.driven = callable(torque) or callable(f_ext)
        self.flight = Machine(self, self.method)
        self.I_rot = armatures(model)
        self.drift = 10 * self.tolerance
        self.n, self.names = sum(len(pair) for pair in self.pairs), ()
        self.current, self.active, self.margin = (), (), np.ones(self.n)
        self.sought = WhenLong(partial(compiled_contacts, model, self.pairs), model.N_B, compiled)
        self.quick = self.sought.at_once()
        self.holding = WhenLong(self.held_flight, compiled=False if self.n > MOST_HELD else None)

    def look(self, t, q, qd, own=None, extended=True):
        """A `Look` at the potential contacts, or at those whose numbers own lists; extended: as for `contacts`."""
        pull = partial(self.pull, t, q, qd)
        if self.quick is None:
            self.quick = self.sought()
        if self.quick is not None:
            return self.quick.look(t, q, qd, own, pull)
        contacts = self.contacts(t, q, qd, own, extended)
        return events.Look.at(t, contacts, partial(separation_velocities, self.model, q, qd, contacts, t), pull)

    def contacts(self, t, q, qd, own=None, extended=True):
        """The potential contacts, or those whose numbers own lists, which, extended, go on beyond faces' outlines."""
        with At(self.model, t):                        # a step may end past the moment at which one of them is lost
            found = contacts_of(self.model, self.pairs, q, qd, t, own, extended)
        return found if own is None else [found[sorted(own).index(i)] for i in own]

    def energy(self, t, q, qd):
        """The kinetic and potential energy (J), those of the joints' characters included."""
        if self.quick is not None:
            return self.quick.energy(t, q, qd)
        return float(sum(energies_and_momentum(self.model, q, qd, t)[:2]))

    def timed(self, drive, given):
        """The function drive(t, q, qd), whose errors name the time if it asks a function of the user's."""
        def at_time(t, q, qd):
            with At(self.model, t):
                return drive(t, q, qd)

        return at_time if callable(given) else drive

    def machine(self):
        if self.quick is None or self.flight.sought.get() is None:
            return None
        if not self.active:
            return self.flight, {}
        more = {"put_back": self.state_put_back, "held": np.isin(range(self.n), self.active)}
        return (machine, more) if (machine := self.holding.get()) else None

    def held_flight(self, only_known):
        """The `Machine` of steps with contacts held."""
        return self.flight.by(compiled_once(
            held_rate, self.model, key=(self.quick.key, self.controller), only_known=only_known, alone=True,
            shapes={"held": (self.n,)}, pairs=self.pairs, torque=self.controller))

    def rate(self, t, state):
        """The rate of change of [q; qd]."""
        if self.quick is None:
            return super().rate(t, state)
        q, qd = state[: self.model.nq].copy(), state[self.model.nq :].copy()
        require_finite(self.model, t, q, qd)
        return self.asked_quickly(self.quick.rate, t, q, qd, self.active)

    # Contacts as equality constraints

    def acceleration(self, t, q, qd):
        """qdd with the active contacts as equality constraints, all others ignored."""
        require_finite(self.model, t, q, qd)
        if self.active or self.quick is not None:
            system, lam = self.held(t, q, qd)
            return system.of_tree(system.free + system.H_T @ lam)
        with At(self.model, t):
            return self.accelerate(self.model, q, qd, self.tau_at(t, q, qd), self.f_ext_at(t, q, qd), t)

    def held(self, t, q, qd):
        """The equations of the active contacts, and their forces lam: M lam + d = 0."""
        system = self.system(t, q, qd, self.active)
        return system, holding_forces(as_floats(system.M), as_floats(system.d))

    def system(self, t, q, qd, own):
        """The `ContactSystem` of the contacts with the numbers own."""
        if self.quick is not None:
            return self.asked_quickly(self.quick.system, t, q, qd, own)
        tau, forces = self.tau_at(t, q, qd) + joint_forces(self.model, q, qd), self.f_ext_at(t, q, qd)
        with At(self.model, t):
            contacts = self.contacts(t, q, qd, own)
            return contact_system(self.model, q, qd, tau, contacts, forces, t, self.T_stab, None, self.I_rot)

    def response(self, t, q, qd, own):
        """The `Response` to impulses at the contacts with the numbers own."""
        if self.quick is not None:
            return self.asked_quickly(self.quick.response, t, q, qd, own)
        return contact_response(self.model, q, qd, self.contacts(t, q, qd, own), t, self.I_rot)

    def asked_quickly(self, question, t, q, qd, own):
        """The answer of machine code to a question about the contacts own."""
        moved = self.normalise(q) if self.driven else q
        with At(self.model, t):
            return question(t, q, qd, self.tau_at(t, moved, qd), self.f_ext_at(t, moved, qd), own)

    def pull(self, t, q, qd):
        """By how much each active contact pulls, beyond rounding (n); -1 for the others."""
        pull = -np.ones(self.n)
        if self.active:
            (system, lam), own = self.held(t, q, qd), list(self.active)
            sizes = sizes_of_terms(self.model, system, self.tau_at(t, q, qd)) / system.M.diagonal()
            pull[own] = -lam - PULL * self.margin[own] * sizes
        return pull

    def put_back(self, t, q, qd, held=None, speed=True):
        """The state with active contacts touching again, and not parting, and loops closed; both but for rounding.

        The corrections are the least that will do, measured by the kinetic energy they would have, so that they take
        energy away and never add any. held: other contacts.  speed: whether the velocity is corrected too.
        """
        q, held, before = self.normalise(q), self.active if held is None else held, np.inf
        if not held and not self.closing:
            return q, qd
        for _ in range(20):
            if self.closing:
                with At(self.model, t):
                    q, qd = project(self.model, q, qd, t)
            phi = self.look(t, q, qd, held).phi
            gap = np.abs(phi).max(initial=0)
            if gap <= CLOSE or gap >= before / 2:
                break
            response = self.response(t, q, qd, held)
            q = self.normalise(self.model.integrate(q, response.steps @ holding_forces(response.M, phi), 1.0))
            before = gap
        if held and speed:
            response = self.response(t, q, qd, held)
            qd = qd + response.steps @ holding_forces(response.M, response.zeta)
        return q, qd


def holding_forces(M, d):
    """The forces lam of contacts that are held: M lam + d = 0. With velocities for d, the impulses that stop them."""
    if len(d) == 1 and M[0, 0] > 0:
        return -d / M[0, 0]
    M_inv = generalized_inverse(M, DEPENDENT)[0]
    lam = -M_inv @ d
    return lam - M_inv @ (M @ lam + d)


# The same in machine code


def flat_places(model, q, qd, u, pairs=()):
    """phi (m), zeta (m/s) and the largest number in the normal of every contact, and the energy (J), for u = [t]."""
    q, t = model.normalise(q), u[0]
    contacts = _smooth_contacts(model, q, qd, t, pairs)
    zeta, energies = separation_velocities(model, q, qd, contacts, t), energies_and_momentum(model, q, qd, t)[:2]
    reach = [reduce(larger, [*contact.n, *-contact.n]) for contact in contacts]
    return np.array([*(contact.phi for contact in contacts), *zeta, *reach, sum(energies)])


def flat_equations(model, q, qd, u, pairs=()):
    """Numbers of the `ContactSystem` and `Response` of all contacts, and the rate of q, for u = [tau; f_ext; t]."""
    moved, t, forces = model.normalise(q), u[-1], np.reshape(u[model.nv : -1], (-1, 6))
    system = _smooth_system(model, moved, qd, u[: model.nv], forces, t, pairs)
    speeds = sizes_of_velocities(model, moved, qd, system.contacts, t)
    zeta = velocities_apart(system.contacts, system.v)
    return np.concatenate([np.ravel(system.M), system.d, np.ravel(system.H_T), system.free, system.u,
                           sizes_of_motion(model, system), speeds, zeta, model.qdot(q, qd)])


def held_rate(model, q, qd, tau, f_ext, t, held, pairs=(), torque=None):
    """The rate of [q; qd] with contacts held where held (n) is 1, and none where it is 0; torque: a controller."""
    def with_contacts(model, q, qd, tau, f_ext, t):
        system = _smooth_system(model, q, qd, tau, f_ext, t, pairs)
        M = held[:, None] * system.M * held + np.diag(1 - held)
        return system.free + system.H_T @ (held * solve(M, -held * system.d))

    return state_rate(model, q, qd, tau, f_ext, t, with_contacts, torque)


def _smooth_system(model, q, qd, tau, f_ext, t, pairs):
    """The `ContactSystem` of all contacts, in the forces tau + those of the joints' characters."""
    return contact_system(model, q, qd, tau + joint_forces(model, q, qd), _smooth_contacts(model, q, qd, t, pairs),
                          f_ext, t, None, None, armatures(model))


def _smooth_contacts(model, q, qd, t, pairs):
    contacts = contacts_of(model, pairs, q, qd, t)
    if not all(contact.inside is True for contact in contacts):
        raise TypeError("The outline of a face decides if bodies touch.")
    return contacts


def compiled_contacts(model, pairs, only_known=False):
    """The `CompiledContacts` of a model with pairs, or None where they are not yet compiled and only_known is true.

    Raises TypeError where they cannot be compiled, CompilerError without a compiler.
    """
    if model.loops:
        raise TypeError("Contacts of models with loops are not compiled. Leave compiled out.")
    key = known_by(pairs)
    made = partial(compiled_once, model=model, key=(key,), only_known=only_known, pairs=pairs)
    try:
        places = made(flat_places, shapes={"u": (1,)})
    except TypeError as error:
        raise TypeError("These contacts are not compiled: the outline of a face, or another choice, decides where "
                        "bodies touch. Leave compiled out.") from error
    equations = made(flat_equations, shapes={"u": (model.nv + 6 * (model.N_B + 1) + 1,)})
    return CompiledContacts(key, sum(map(len, pairs)), model.nv, places, equations) if places and equations else None


class CompiledContacts:
    """Answers of machine code about n potential contacts of a tree with nv freedoms; key: what it was made from."""

    def __init__(self, key, n, nv, places, equations):
        self.key, self.n, self.nv, self.flat_places, self.flat_equations = key, n, nv, places, equations
        self.inside, self.margin, self.time = np.ones(n, dtype=bool), np.full(n, np.inf), np.empty(1)
        self.state: Any = None
        shapes = {"M": (n, n), "d": (n,), "H_T": (nv, n), "free": (nv,), "u": (nv,), "sizes": (n,),
                  "speeds": (n,), "zeta": (n,)}
        ends = np.cumsum([0, *map(prod, shapes.values())]).tolist()
        self.parts = {name: (slice(*ends[k : k + 2]), shape) for k, (name, shape) in enumerate(shapes.items())}
        self.q_rate = slice(ends[-1], None)

    def look(self, t, q, qd, own, find_pull):
        """The `Look` at all contacts, or at those with the numbers own."""
        found, n = self.places(t, q, qd), self.n
        phi, zeta, reach = found[:n], found[n : 2 * n], found[2 * n : -1]
        if own is not None:
            phi, zeta, reach = (each[list(own)] for each in (phi, zeta, reach))
        return events.Look(t, phi, self.inside, self.margin, reach, lambda: zeta, find_pull)

    def energy(self, t, q, qd):
        """The kinetic and potential energy (J)."""
        return float(self.places(t, q, qd)[-1])

    def places(self, t, q, qd):
        """The numbers of `flat_places`, kept for the next question about this state."""
        if (state := (t, q.tobytes(), qd.tobytes())) != self.state:
            self.time[0] = t
            self.state, self.found = state, self.flat_places(q, qd, self.time)
        return self.found

    def all_equations(self, t, q, qd, tau, f_ext):
        """The numbers of `flat_equations`."""
        u = np.empty(self.nv + f_ext.size + 1)
        u[: self.nv], u[self.nv : -1], u[-1] = tau, f_ext.ravel(), t
        return self.flat_equations(q, qd, u)

    def system(self, t, q, qd, tau, f_ext, own):
        """The `ContactSystem` of the contacts own."""
        part, own = partial(self.part, self.all_equations(t, q, qd, tau, f_ext)), list(own)
        return ContactSystem(part("H_T")[:, own], part("free"), part("M")[own][:, own], part("d")[own], part("u"),
                             sizes=part("sizes")[own])

    def response(self, t, q, qd, tau, f_ext, own):
        """The `Response` to impulses at the contacts own."""
        part, own = partial(self.part, self.all_equations(t, q, qd, tau, f_ext)), list(own)
        return Response(part("M")[own][:, own], part("H_T")[:, own], part("zeta")[own], part("speeds")[own])

    def part(self, flat, name):
        """The numbers in flat that `parts` calls by the name, in their shape."""
        place, shape = self.parts[name]
        return flat[place].reshape(shape)

    def rate(self, t, q, qd, tau, f_ext, own):
        """The rate of change of [q; qd] with the contacts own held."""
        flat, own = self.all_equations(t, q, qd, tau, f_ext), list(own)
        M, d, H_T, qdd = (self.part(flat, name) for name in ("M", "d", "H_T", "free"))
        if own:
            qdd = qdd + H_T[:, own] @ holding_forces(M[own][:, own], d[own])
        return np.concatenate([flat[self.q_rate], qdd])
