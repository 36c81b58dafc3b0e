"""Impacts of systems: what impulses do to them, and collisions at several contacts at once (RBDA 11.7).

The collision of two bodies is in `rbdlib.contact.collisions`. The equations are exact for rigid bodies; real ones, in
which an impulse travels as a wave, may answer differently. Contacts, impulses and momenta are in base coordinates.
"""

from collections import namedtuple
from dataclasses import replace

import numpy as np

from rbdlib.book.ch02_spatial import inverse_transform
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms, kinetic_energy, momentum
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.book.ch11_contact import TOUCHING, checked_contacts, joint_space_normals, separation_velocities
from rbdlib.contact.collisions import for_each, friction_coefficient, remarks_on, restitution, warned
from rbdlib.contact.lcp import METHODS, solve_lcp
from rbdlib.contact.sets import friction_directions
from rbdlib.contact.systems import sizes_of_velocities
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers.linear import mirrored
from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.pivots import values_of
from rbdlib.numbers.scalars import matrix, vector, zeros
from rbdlib.numbers.validation import one_of, require_numbers, tolerances

#: A contact whose bodies approach by no more than this fraction of the speeds that meet there counts as at rest.
AT_REST = 1e-10
#: Forces of which so small a part (of its square) is no combination of the others repeat what these do.
REPEATED = 1e-9
#: Approach that earlier impulses leave over counts as an end of bouncing from this fraction of the speeds.
FADED = 1e-7
#: Friction is left out once it has made bodies approach so many times as fast as they did first.
RUNAWAY = 10
#: So many impulses, one after the other, are tried for each contact; what still approaches then is stopped dead.
LONGEST_SEQUENCE = 200
SLIPS = ("Friction at {} is left out: while it ends the sliding there, the bodies cannot separate as e asks. Rule "
         "'poisson', which asks for impulses and not for velocities, keeps it.")


def impulse_step(model, q, u, t=0.0, I_rot=None):
    """The step of the velocities dqd (nv) that a joint-space impulse u (nv) causes: u = H dqd (RBDA Eq. 11.57).

    Loops of the model stay closed: then dqd = G dyd and Gᵀ u = Gᵀ H G dyd. q (nq), t: as for `crba`. u may have
    several columns. I_rot: scaled inertias of rotors, as for `crba_with_rotors`. Raises ValueError if a motion
    that u causes has no inertia.
    """
    u = matrix(u, (require_model(model).nv, np.shape(u)[1]), "u") if np.ndim(u) == 2 else vector(u, model.nv, "u")
    H = crba_with_rotors(model, q, I_rot, t) if I_rot else crba(model, q, t)
    if not model.loops:
        return solve(H, u, expanded_parent(model))                                  # (11.57)
    K, k, _, tolerance = constraints_to_rank(model, q, zeros(model.nv), t=t)
    G, _ = constraint_solution(K, 0 * k, tolerance)
    return G @ solve(G.T @ H @ G, G.T @ u) if G.shape[1] else 0 * u


class BodyImpulse(namedtuple("BodyImpulse", "u dqd dv")):
    """Effect of an impulse on one body of a system: u (nv), dqd (nv), and dv (6) of that body, in base coordinates."""


def body_impulse(model, q, i, iota, t=0.0):
    """Effect of the impulse iota (6) from outside on body i: a `BodyImpulse` (RBDA Eqs 11.57 to 11.59).

    iota, like an external force, is in base coordinates. q (nq), t: as for `crba`. Errors as for `impulse_step`.
    """
    if i not in require_model(model).bodies:
        raise ValueError(f"i is {i!r}; give the number of a body, 1 to {model.N_B}.")
    J_i = inverse_transform(body_transforms(model, q, t)[i]) @ body_jacobian(model, q, i, t)
    u = J_i.T @ vector(iota, 6, "iota")                                             # (11.58)
    dqd = impulse_step(model, q, u, t)
    return BodyImpulse(u, dqd, J_i @ dqd)                                           # (11.59)


def constraint_impact(model, q, qd, K, t=0.0):
    """The step of the velocities dqd (nv) and impulses (m) where constraints K qd = 0 (m x nv) suddenly hold.

    A joint locks, a rope becomes taut, a handle is gripped: bilateral, and without rebound, so that the kinetic energy
    that is lost is that of dqd. The impulses u = Kᵀ lam leave K (qd + dqd) = 0; where rows of K repeat others, which
    constrain nothing more, their impulses are 0. Returns dqd and lam. q (nq), t, loops, errors: as for `impulse_step`.
    """
    qd = vector(qd, require_model(model).nv, "qd")
    K = matrix(K, (np.shape(K)[0] if np.ndim(K) == 2 else 1, model.nv), "K")
    A = impulse_step(model, q, K.T, t)
    lam = -generalized_inverse(K @ A, REPEATED)[0] @ (K @ qd)
    return A @ lam, lam


class Impact(namedtuple("Impact", (
        "qd dqd lam lam_t zeta zeta_plus energy_before energy_after work momentum_before momentum_after status count "
        "remarks"), defaults=((),))):
    """Effect of an impact on a system.

    qd (nv): velocities after it; dqd (nv): their step.  lam (n_c): impulses along the normals, all >= 0.  lam_t
    (n_c x 2): impulses of friction on the successors, along the tangents of `contact_frame`; 0 without friction.  zeta,
    zeta_plus (n_c): separation velocities before and after.  energy_before, energy_after: kinetic energy (J).  work:
    what the contact impulses added to it (J), their difference unless joints or walls move by themselves.
    momentum_before, momentum_after (6): of the system, in base coordinates.  status: "unique", or "non-unique" if other
    impulses have the same effect.  count: how many sets of impulses followed one another.  remarks: texts of warnings.
    """


def system_impact(model, q, qd, contacts, e=0.0, rule="newton", friction=None, method="lemke", t=0.0,
                  tolerance=TOUCHING):
    """The step of velocities of a system whose contacts take part in a collision: an `Impact` (RBDA 11.7, 11.3, 11.5).

    q (nq), qd (nv): state just before. contacts: `Contact` objects, those at rest too, since these pass impulses on;
    what is farther apart than tolerance (m) or has left the extent of its face takes no part (None: all do). e:
    coefficient of restitution, or one for each contact. What it means for several is a matter of the rule; for one
    contact all rules agree, and none lets bodies approach afterwards:
        "newton"      all at once, such that zeta_plus >= -e zeta. Contacts that are separating take no part unless all
                      e are 0; those that the impulses then make collide get impulses of their own, in a next step, by
                      the same law. After several steps (count) zeta_plus may be less than -e zeta of the whole.
        "poisson"     all at once, twice: impulses that end the approach, then e times these, and more where needed.
        "sequential"  one contact after the other, by Eq. 11.65, the fastest approach first, until none is left.
    friction: its coefficient, or one for each contact; then it ends the sliding at every contact that takes part and
    pushes, as in Eq. 11.72, whatever impulse that takes, and a `CollisionWarning` says where that leaves the cone. It
    is left out where it is 0, where it would itself part the bodies, and, with a warning, where bodies that stick could
    not separate as e asks or would approach ever faster. Contacts with friction must know their point. Without friction
    no rule adds energy. With it "newton" and "sequential" can, as Eq. 11.72 can, and another warning says so. method:
    as for `solve_lcp`. t: time (s).

    Loops stay closed. Raises ValueError where no impulses can be found, as between walls that move towards each other,
    for symbols, and for bad arguments.
    """
    one_of(METHODS, method, "method")
    one_of(RULES, rule, "rule")
    require_numbers(q=q, qd=qd, e=e, friction=friction)
    contacts, qd = checked_contacts(contacts, require_model(model)), vector(qd, model.nv, "qd")
    e = for_each(e, len(contacts), "e", restitution)
    mu = None if friction is None else for_each(friction, len(contacts), "friction", friction_coefficient)
    touching = [i for i, contact in enumerate(contacts)
                if tolerance is None or (contact.inside and contact.phi <= tolerances(tolerance)[0])]
    rough = [] if mu is None else [k for k, i in enumerate(touching) if mu[i] != 0]
    where = [f"contact {i}{f' ({contact.name})' if contact.name else ''}" for i, contact in enumerate(contacts)]
    tangents = [(contacts[touching[k]], n) for k in rough for n in friction_directions(contacts[touching[k]]).T[:2]]
    forces = [contacts[i] for i in touching] + [replace(contact, n=n) for contact, n in tangents]
    response = contact_response(model, q, qd, forces, t)
    if values_of(np.vstack([response.steps, response.zeta])) is None:
        raise ValueError("The model or contacts contain symbols; give numbers, because signs decide.")

    state = Impulses(rule, response, e[touching], rough, method)
    lam, lam_t = zeros(len(contacts), state.lam), zeros((len(contacts), 2), state.lam)
    lam[touching] = state.lam[: state.n]
    lam_t[[touching[k] for k in rough]] = state.lam[state.n :].reshape(-1, 2)
    zeta, dqd = response.zeta, response.steps @ state.lam
    work, exchanged = state.lam @ (zeta + state.zeta) / 2, np.abs(state.lam) @ (np.abs(zeta) + np.abs(state.zeta)) / 2
    remarks = warned([*state.remarks, *(SLIPS.format(where[touching[k]]) for k in sorted(state.held)),
                      *remarks_on(lam, lam_t, work, exchanged, mu, [f" at {name}" for name in where])])
    ends = (qd, qd + dqd)
    zetas = [separation_velocities(model, q, x, contacts, t) for x in ends]
    energies, momenta = ([quantity(model, q, x, t) for x in ends] for quantity in (kinetic_energy, momentum))
    return Impact(ends[1], dqd, lam, lam_t, *zetas, *energies, work, *momenta, state.status, state.count, remarks)


class Response(namedtuple("Response", "M steps zeta speeds")):
    """Effect of impulses at n_c contacts: steps (nv x n_c) of the velocities qd for impulses of 1 N s, M (n_c x n_c)
    of the separation velocities zeta (n_c, m/s), the Delassus matrix. speeds (n_c, m/s): sizes of what
    zeta is the difference of.
    """


def contact_response(model, q, qd, contacts, t=0.0, I_rot=None):
    """The `Response` of a system to impulses at contacts, just before these; I_rot: as for `impulse_step`."""
    T, zeta = joint_space_normals(model, q, contacts, t), separation_velocities(model, q, qd, contacts, t)
    steps = impulse_step(model, q, T, t, I_rot)
    return Response(mirrored(T.T @ steps), steps, zeta, sizes_of_velocities(model, q, qd, contacts, t))


class Impulses:
    """The impulses lam of an impact by one of the `RULES`, and the velocities after them, zeta = zeta_before + M lam.

    rough: the contacts with friction; other arguments as for `system_impact`. First come the n normals, then two
    tangents for each rough contact. speeds: sizes of zeta, of which a small part may be rounding; they grow with the
    impulses. slipping: contacts whose friction is left out, held among them.
    """

    def __init__(self, rule, response, e, rough=(), method="lemke"):
        self.M, self.zeta, self.method = response.M, response.zeta, method
        self.speeds, self.n = np.asarray(response.speeds, dtype=float), len(self.M) - 2 * len(rough)
        self.tangents = {i: (self.n + 2 * k, self.n + 2 * k + 1) for k, i in enumerate(rough)}
        self.lam, self.status, self.count = zeros(len(self.M), self.M, self.zeta), "unique", 0
        self.remarks, self.slipping, self.held = [], set(), set()
        RULES[rule](self, e)

    def approach(self):
        """How fast the bodies approach at each contact; below 0 where they separate, and 0 where that is rounding."""
        return [0 if abs(zeta) <= AT_REST * speed else -zeta
                for zeta, speed in zip(self.zeta[: self.n].tolist(), self.speeds.tolist(), strict=False)]

    def push(self, contacts, aim, given=None):
        """Add impulses at some contacts, such as make them separate at the speeds aim or faster; none that pulls.

        They solve 0 <= lam, 0 <= zeta + M lam - aim. given (n): impulses that are added along with them. Friction, if
        any, keeps the tangents of these contacts at rest as long as they push.
        """
        own, sticking, tried = list(contacts), self._rough(contacts), []
        start = 0 * self.lam
        start[: self.n] += 0 if given is None else given
        zeta = self.zeta + self.M @ start
        while True:
            found, friction = self._at_rest(own, sticking, zeta, aim)
            if not found.feasible:
                jammed = {i for i, force in zip(own, found.ray, strict=True) if force > 0 and i in sticking}
                self.held |= jammed or set(sticking)
                self.slipping |= self.held
                sticking = self._rough(sticking)
                continue
            lam = start.copy()
            lam[own] += found.lam
            lam[[k for i in sticking for k in self.tangents[i]]] = friction
            tried.append(sticking)
            pushing = self._rough(i for i in own if lam[i] > 0)
            pushing = [i for i in pushing if i in sticking] if pushing in tried else pushing
            if pushing == sticking:
                break
            sticking = pushing
        self.lam, self.zeta = self.lam + lam, self.zeta + self.M @ lam
        self.speeds, self.count = self.speeds + np.abs(self.M) @ np.abs(lam), self.count + 1
        self.status = "non-unique" if found.status == "non-unique" else self.status

    def _rough(self, contacts):
        return [i for i in contacts if i in self.tangents and i not in self.slipping]

    def _at_rest(self, own, sticking, zeta, aim):
        """The solution of the LCP, and impulses of friction that bring the tangents of the sticking ones to rest."""
        M_n, d, size = self.M[own][:, own], zeta[own] - aim, self.speeds[own]
        if not sticking:
            found = solve_lcp(M_n, d, self.method, size=size)
            if not found.feasible:
                raise ValueError("No impulses separate the bodies as e asks: if a joint or wall moves by itself, it "
                                 "squeezes them. Change that motion, or leave out a contact. If none does, rounding "
                                 "makes contacts contradict each other that nearly repeat or oppose others.")
            return found, 0
        tangents = [k for i in sticking for k in self.tangents[i]]
        M_nt, M_t = self.M[np.ix_(own, tangents)], self.M[np.ix_(tangents, tangents)]
        stop = generalized_inverse(M_t, REPEATED)[0]
        B = M_nt @ stop
        M = mirrored(M_n - B @ M_nt.T)
        held = [k for k in range(len(own)) if M[k, k] <= REPEATED * M_n[k, k]]
        M[held], M[:, held] = 0, 0
        found = solve_lcp(M, d - B @ zeta[tangents], self.method, REPEATED, size + np.abs(B) @ self.speeds[tangents])
        return found, -stop @ (zeta[tangents] + M_nt.T @ found.lam) if found.feasible else None


def _newton(state, e):
    everywhere, nothing = range(state.n), [0] * state.n
    for approach in _until_none_approaches(state):
        if state.count and max(approach) <= FADED * max(state.speeds[: state.n]):
            state.push(everywhere, nothing)
            return
        own = [i for i in everywhere if approach[i] >= 0 or not e.any()]
        state.push(own, [e[i] * max(approach[i], 0) for i in own])


def _poisson(state, e):
    if max(state.approach(), default=0) > 0:
        everywhere, nothing = range(state.n), [0] * state.n
        state.push(everywhere, nothing)
        state.push(everywhere, nothing, given=e * state.lam[: state.n])


def _sequential(state, e):
    for approach in _until_none_approaches(state):
        fastest = max(approach)
        i = next(i for i in range(state.n) if 0 < approach[i] >= fastest - AT_REST * state.speeds[i])
        state.push([i], [e[i] * approach[i]])


def _until_none_approaches(state):
    """How fast the bodies approach at each contact, before every set of impulses; a sequence too long is ended."""
    limit = None
    for _ in range(LONGEST_SEQUENCE * state.n):
        approach = state.approach()
        if not max(approach) > 0:
            return
        limit = RUNAWAY * max(approach) if limit is None else limit
        if max(approach) > limit and state.tangents.keys() - state.slipping:
            state.slipping |= state.tangents.keys()
            state.remarks.append(f"With friction the bodies approach ever faster. After {state.count} impulses it is "
                                 "left out at all contacts.")
        yield approach
    if (fastest := float(max(state.approach(), default=0))) > 0:
        state.push(range(state.n), [0] * state.n)
        state.remarks.append(f"After {state.count - 1} impulses bodies still approached at {fastest:.2g} m/s; a "
                             "plastic impact of all contacts ended that.")


RULES = {"newton": _newton, "poisson": _poisson, "sequential": _sequential}
