"""Smooth motion with contacts that stay as they are: the first step of RBDA Table 11.1.

The active contacts are equality constraints, T_Aᵀ qdd + e_A = 0; all others are ignored, and no LCP is solved.
"""

import contextlib
from functools import partial

import numpy as np

from rbdlib.book.ch11_contact import separation_velocities
from rbdlib.compile.c_compiler import CompilerError
from rbdlib.contact import events
from rbdlib.contact.geometry import contacts_of, require_pairs
from rbdlib.contact.impact import contact_response
from rbdlib.contact.machine_code import compiled_contacts, holding_forces
from rbdlib.contact.systems import contact_system, sizes_of_terms
from rbdlib.loops.projection import project
from rbdlib.methods.joint_character import armatures, joint_forces, refuse_exact
from rbdlib.motion.compiled import LONG
from rbdlib.motion.drives import PrescribedMotions, body_named, force_function, require_finite, torque_function
from rbdlib.motion.embedded_pairs import PAIRS
from rbdlib.motion.integrators import SimulationError
from rbdlib.motion.machine_code import Machine, quickened
from rbdlib.motion.phases import Phases
from rbdlib.motion.simulate import acceleration_method, energies_and_momentum
from rbdlib.numbers.scalars import as_floats

#: A contact is about to pull when its force is below 0 by this fraction of the forces that meet there.
PULL = 1e-8
#: Distances (m) that are not worth a correction.
CLOSE = 1e-14
#: Distances (m) that are never taken for contact while bodies move, however loose the tolerance.
NEAR = 1e-8


class SmoothMotion(Phases):
    """A model with pairs of shapes, what drives it, an integrator, and the sets of contacts current and active.

    margin (n): by how many times PULL the force of each contact may pull before that counts.  quick: the
    `CompiledContacts` that answer for the readable functions, or None.
    """

    def __init__(self, model, pairs, torque, f_ext, integrator, T_stab, compiled=None):
        if compiled not in (None, True, False):
            raise ValueError(f"compiled is {compiled!r}; choose True, False, or None for where it pays.")
        refuse_exact(model)
        super().__init__(model, integrator)
        self.pairs = require_pairs(pairs, model, "contacts")
        self.torque, self.f_ext = torque_function(model, torque), force_function(model, f_ext)
        self.driven = callable(torque) or callable(f_ext)
        self.T_stab, self.closing = T_stab, bool(model.loops) and T_stab is None
        self.free_motion = acceleration_method(model, None, T_stab=T_stab)
        if compiled is not False:
            self.free_motion = quickened(model, self.free_motion, None, T_stab)
            given = {"torque": torque, "f_ext": f_ext, "dynamics": None, "T_stab": T_stab,
                     "motions": PrescribedMotions(model, {})}
            self.flight = Machine(model, self.method, given, {
                "tau_at": self.timed(self.torque), "f_ext_at": self.timed(self.f_ext), "rate": self.rate,
                "acceleration": self.acceleration, "put_back": None})
        self.I_rot = armatures(model)
        self.drift = 10 * self.tolerance
        self.near = min(self.drift, NEAR)
        self.n, self.names = sum(len(pair) for pair in self.pairs), ()
        self.current, self.active, self.margin = (), (), np.ones(self.n)
        self.asked: float = 0
        self.hopeless = compiled is False
        self.quick = compiled_contacts(model, self.pairs) if compiled is True else None
        self.compile(only_known=True)

    def compile(self, only_known=False):
        """Let machine code answer from now on, where that can be had."""
        if self.quick is None and not self.hopeless:
            self.hopeless = not only_known
            with contextlib.suppress(CompilerError, OSError, TypeError, ValueError):
                self.quick = compiled_contacts(self.model, self.pairs, only_known)

    def look(self, t, q, qd, own=None, extended=True):
        """A `Look` at the potential contacts, or at those whose numbers own lists; extended: as for `contacts`."""
        self.asked += 1
        if self.asked * self.model.N_B >= LONG:
            self.compile()
        pull = partial(self.pull, t, q, qd)
        if self.quick is not None:
            return self.quick.look(t, q, qd, own, pull)
        contacts = self.contacts(t, q, qd, own, extended)
        return events.Look.at(t, contacts, partial(separation_velocities, self.model, q, qd, contacts, t), pull)

    def contacts(self, t, q, qd, own=None, extended=True):
        """The potential contacts, or those whose numbers own lists, which, extended, go on beyond faces' outlines.

        A step of the integrator may end past the moment at which one of them is lost.
        """
        with self.at(t):
            found = contacts_of(self.model, self.pairs, q, qd, t, own, extended)
        return found if own is None else [found[sorted(own).index(i)] for i in own]

    def energy(self, t, q, qd):
        """The kinetic and potential energy (J), those of the joints' characters included."""
        if self.quick is not None:
            return self.quick.energy(t, q, qd)
        return float(sum(energies_and_momentum(self.model, q, qd, t)[:2]))

    @contextlib.contextmanager
    def at(self, t, *more):
        """Make a SimulationError of a ValueError, or an error of further kinds, that the equations raise at time t."""
        try:
            yield
        except SimulationError:
            raise
        except (ValueError, *more) as error:
            raise SimulationError(f"At t = {t:.6g} s: {error}", t, body_named(self.model, error)) from error

    def timed(self, drive):
        """The function drive(t, q, qd), whose errors name the time."""
        def at_time(t, q, qd):
            with self.at(t):
                return drive(t, q, qd)

        return at_time

    def integrate(self, t, q, qd, times):
        """The steps, as `Phases.integrate` yields them; those of free motion in machine code."""
        if self.active or self.quick is None or self.method not in PAIRS or not self.flight.prepare():
            yield from super().integrate(t, q, qd, times)
            return
        for start, end, state in self.flight.single_steps(t, np.concatenate([q, qd]), times[-1], self.tolerance,
                                                          self.max_step):
            def between(t, state=state):
                y = state(t)
                return y[: len(q)], y[len(q) :]

            yield start, end, between

    def split(self, state):
        """q and qd. Machine code normalises by itself."""
        q, qd = state[: self.model.nq].copy(), state[self.model.nq :].copy()
        return (self.normalise(q) if self.quick is None else q), qd

    def rate(self, t, state):
        """The rate of change of [q; qd]."""
        q, qd = state[: self.model.nq].copy(), state[self.model.nq :].copy()
        require_finite(self.model, t, q, qd)
        if self.quick is not None:
            return self.asked_quickly(self.quick.rate, t, q, qd, self.active)
        return np.concatenate([self.q_rate(q, qd), self.acceleration(t, self.normalise(q), qd)])

    # Contacts as equality constraints

    def acceleration(self, t, q, qd):
        """qdd with the active contacts as equality constraints, all others ignored."""
        require_finite(self.model, t, q, qd)
        if self.active or self.quick is not None:
            system, lam = self.held(t, q, qd)
            return system.of_tree(system.free + system.H_T @ lam)
        with self.at(t):
            return self.free_motion(self.model, q, qd, self.torque(t, q, qd), self.f_ext(t, q, qd), t)

    def held(self, t, q, qd):
        """The equations of the active contacts, and their forces lam: M lam + d = 0."""
        system = self.system(t, q, qd, self.active)
        return system, holding_forces(as_floats(system.M), as_floats(system.d))

    def system(self, t, q, qd, own):
        """The `ContactSystem` of the contacts with the numbers own."""
        if self.quick is not None:
            return self.asked_quickly(self.quick.equations, t, q, qd, own)[0]
        tau, forces = self.torque(t, q, qd) + joint_forces(self.model, q, qd), self.f_ext(t, q, qd)
        with self.at(t):
            contacts = self.contacts(t, q, qd, own)
            return contact_system(self.model, q, qd, tau, contacts, forces, t, self.T_stab, None, self.I_rot)

    def response(self, t, q, qd, own):
        """The `Response` to impulses at the contacts with the numbers own."""
        if self.quick is not None:
            return self.asked_quickly(self.quick.equations, t, q, qd, own)[1]
        return contact_response(self.model, q, qd, self.contacts(t, q, qd, own), t, self.I_rot)

    def asked_quickly(self, question, t, q, qd, own):
        """The answer of machine code to a question about the contacts own."""
        moved = self.normalise(q) if self.driven else q
        with self.at(t):
            return question(t, q, qd, self.torque(t, moved, qd), self.f_ext(t, moved, qd), own)

    def pull(self, t, q, qd):
        """By how much each active contact pulls, beyond rounding (n); -1 for the others."""
        pull = -np.ones(self.n)
        if self.active:
            system, lam = self.held(t, q, qd)
            sizes = sizes_of_terms(self.model, system, self.torque(t, q, qd)) / system.M.diagonal()
            pull[list(self.active)] = -lam - PULL * self.margin[list(self.active)] * sizes
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
                with self.at(t):
                    q, qd = project(self.model, q, qd, t)
            phi = self.look(t, q, qd, held).phi
            gap = np.abs(phi).max(initial=0)
            if gap <= CLOSE or gap >= before / 2:
                break
            response = self.response(t, q, qd, held)
            q = self.normalise(self.model.integrate(q, response.steps @ stopping(response, phi), 1.0))
            before = gap
        if held and speed:
            response = self.response(t, q, qd, held)
            qd = qd + response.steps @ stopping(response, response.zeta)
        return q, qd


def stopping(response, zeta):
    """The impulses that take the separation velocities zeta away, with the least energy."""
    return holding_forces(response.M, zeta)
