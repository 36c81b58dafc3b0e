"""Smooth motion with contacts that stay as they are: the first step of RBDA Table 11.1.

The active contacts are equality constraints, T_Aᵀ qdd + e_A = 0; all others are ignored, and no LCP is solved.
"""

import numpy as np

from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.book.ch11_contact import joint_space_normals, separation_velocities
from rbdlib.contact import events
from rbdlib.contact.geometry import Pair, contacts_of
from rbdlib.contact.impact import impulse_step
from rbdlib.contact.systems import contact_system, sizes_of_terms
from rbdlib.loops.projection import project
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.joint_character import armatures, joint_forces
from rbdlib.motion.drives import body_named, force_function, require_finite, torque_function
from rbdlib.motion.integrators import FIXED_STEP, ONE_STEP, SimulationError, movement, normalisation, position_rate
from rbdlib.motion.machine_code import quickened
from rbdlib.motion.simulate import acceleration_method
from rbdlib.numbers.linear import mirrored
from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.scalars import as_floats

#: A contact is about to pull when its force is below 0 by this fraction of the forces that meet there.
PULL = 1e-8
#: Normals that are a combination of others but for this fraction are taken for one.
DEPENDENT = 1e-9
#: Integrators that shorten a step in which a rate of change is NaN.
SHORTENED = ("RK45", "DOP853")
#: Distances (m) that are not worth a correction.
CLOSE = 1e-14
#: Distances (m) that are never taken for contact while bodies move, however loose the tolerance.
NEAR = 1e-8


class SmoothMotion:
    """A model with pairs of shapes, what drives it, an integrator, and the sets of contacts current and active."""

    def __init__(self, model, pairs, forces, integrator, T_stab):
        self.model, self.pairs = model, _checked(model, pairs)
        if armatures(model):
            raise ValueError("The model's joints have armatures, which contacts and impacts do not respect. Give them "
                             "as rotors with gears, or leave them out with model.replace(characters=...).")
        self.torque, self.f_ext = torque_function(model, forces[0]), force_function(model, forces[1])
        self.method, self.dt, self.tolerance, self.max_step = integrator
        self.T_stab, self.closing = T_stab, bool(model.loops) and T_stab is None
        self.free_motion = quickened(model, acceleration_method(model, None, T_stab=T_stab), None, T_stab)
        self.normalise, self.move, self.q_rate = normalisation(model), movement(model), position_rate(model)
        self.drift = 10 * self.tolerance
        self.near = min(self.drift, NEAR)
        self.n, self.names = sum(len(pair) for pair in self.pairs), ()
        self.current, self.active, self.margin = (), (), np.ones(self.n)
        self.looks = events.LOOKS if self.method in ONE_STEP else (1.0,)
        self.trying, self.error = False, None

    def contacts(self, t, q, qd, own=None, extended=True):
        """The potential contacts, or those whose numbers own lists, which, extended, go on beyond faces' outlines.

        A step of the integrator may end past the moment at which one of them is lost.
        """
        try:
            found = contacts_of(self.model, self.pairs, q, qd, t, own, extended)
        except ValueError as error:
            raise self.failed(t, error) from error
        return found if own is None else [found[sorted(own).index(i)] for i in own]

    def energy(self, t, q, qd):
        return float(kinetic_energy(self.model, q, qd, t) + potential_energy(self.model, q, t))

    # Steps of the integrator

    def integrate(self, t, q, qd, times):
        """Yields the beginning and the end of each step, and the function of time that gives q, qd in between."""
        if self.method in FIXED_STEP:
            step = FIXED_STEP[self.method]
            while t < times[-1]:
                until = next(time for time in times if time > t)
                n = max(1, int(np.ceil((until - t) / self.dt * (1 - 1e-9))))
                end = until if n == 1 else t + (until - t) / n

                def between(s, t=t, q=q, qd=qd):
                    moved = step(self.move, self.acceleration, t, q, qd, s - t) if s > t else (q, qd)
                    return self.put_back(s, *moved)

                yield t, end, between
                t, (q, qd) = end, between(end)
            return
        import scipy.integrate

        options = {"rtol": self.tolerance, "atol": self.tolerance, "max_step": self.max_step}
        solver = getattr(scipy.integrate, self.method)(self.rate, t, np.concatenate([q, qd]), times[-1], **options)
        while solver.status == "running":
            self.trying, self.error = self.method in SHORTENED, None
            message = solver.step()
            self.trying = False
            if solver.status == "failed":
                raise self.error or SimulationError(f"The integration stopped at t = {solver.t:.6g} s: {message}",
                                                    solver.t)
            yield solver.t_old, solver.t, self.interpolant(solver)
            state = np.concatenate(self.put_back(solver.t, *self.split(solver.y)))
            solver.y, solver.f = state, self.rate(solver.t, state)

    def interpolant(self, solver):
        dense, t, y = solver.dense_output(), solver.t, solver.y
        return lambda s: self.split(y if s == t else dense(s))

    def split(self, state):
        return self.normalise(state[: self.model.nq]), state[self.model.nq :].copy()

    def rate(self, t, state):
        """The rate of change of [q; qd]; NaN where there is none and the integrator can try a shorter step."""
        q, qd = state[: self.model.nq].copy(), state[self.model.nq :].copy()
        try:
            require_finite(self.model, t, q, qd)
            return np.concatenate([self.q_rate(q, qd), self.acceleration(t, self.normalise(q), qd)])
        except SimulationError as error:
            if not self.trying:
                raise
            self.error = error if np.isfinite(state).all() else self.error
            return np.full(len(state), np.nan)

    # Contacts as equality constraints

    def acceleration(self, t, q, qd):
        """qdd with the active contacts as equality constraints, all others ignored."""
        require_finite(self.model, t, q, qd)
        if self.active:
            system, lam = self.held(t, q, qd)
            return system.motion.of_tree(system.free + system.H_T @ lam)
        try:
            return self.free_motion(self.model, q, qd, self.torque(t, q, qd), self.f_ext(t, q, qd), t)
        except ValueError as error:
            raise self.failed(t, error) from error

    def held(self, t, q, qd):
        """The equations of the active contacts, and their forces lam: M lam + d = 0."""
        system = self.system(t, q, qd, self.contacts(t, q, qd, self.active))
        M, d = as_floats(system.M), as_floats(system.d)
        M_inv = generalized_inverse(M, DEPENDENT)[0]
        lam = -M_inv @ d
        return system, lam - M_inv @ (M @ lam + d)

    def system(self, t, q, qd, contacts):
        tau, forces = self.torque(t, q, qd) + joint_forces(self.model, q, qd), self.f_ext(t, q, qd)
        try:
            return contact_system(self.model, q, qd, tau, contacts, forces, t, self.T_stab, None)
        except ValueError as error:
            raise self.failed(t, error) from error

    def failed(self, t, error):
        if isinstance(error, SimulationError):
            return error
        return SimulationError(f"At t = {t:.6g} s: {error}", t, body_named(self.model, error))

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
        held, before = self.active if held is None else held, np.inf
        for _ in range(20):
            if self.closing:
                q, qd = self.closed(t, q, qd)
            contacts = self.contacts(t, q, qd, held)
            phi = as_floats(np.array([contact.phi for contact in contacts]))
            gap = np.abs(phi).max(initial=0)
            if gap <= CLOSE or gap >= before / 2:
                break
            q, before = self.normalise(self.model.integrate(q, -self.least(t, q, contacts, phi), 1.0)), gap
        if held and speed:
            qd = qd - self.least(t, q, contacts, separation_velocities(self.model, q, qd, contacts, t))
        return q, qd

    def least(self, t, q, contacts, zeta):
        """The step of velocity that changes the separation velocities of contacts by zeta, with the least energy."""
        steps, lam = self.steps_of(t, q, contacts, zeta)
        return steps @ lam

    def steps_of(self, t, q, contacts, zeta):
        """The steps of velocity of unit impulses, as columns, and the impulses that change the velocities by zeta."""
        T = joint_space_normals(self.model, q, contacts, t)
        steps = impulse_step(self.model, q, T, t)
        return steps, generalized_inverse(mirrored(T.T @ steps), DEPENDENT)[0] @ zeta

    def closed(self, t, q, qd):
        try:
            return project(self.model, q, qd, t)
        except ValueError as error:
            raise self.failed(t, error) from error


def require_positive_time(max_step):
    """Refuse a longest step (s) that is no positive number; it may be inf."""
    if not isinstance(max_step, int | float | np.number) or not max_step > 0:
        raise ValueError(f"max_step is {max_step!r}; give a positive time in s.")


def _checked(model, pairs):
    pairs = tuple(pairs) if np.iterable(pairs) else pairs
    if not isinstance(pairs, tuple) or not all(isinstance(pair, Pair) for pair in pairs):
        raise TypeError(f"contacts is {pairs!r}; give a list of Pair(predecessor, shape, successor, shape).")
    for k, pair in enumerate(pairs):
        if (i := max(pair.predecessor, pair.successor)) > model.N_B:
            raise ValueError(f"contacts[{k}] names body {i}; this model has the bodies 0 (the base) to {model.N_B}.")
    return pairs
