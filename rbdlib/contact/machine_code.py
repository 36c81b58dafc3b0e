"""Contacts of a long motion in machine code: the readable functions, recorded for all potential contacts at once.

Three questions are asked again and again while bodies move and collide: where the contacts are, what impulses at them
do, and what forces do. Each is one compiled call, whatever contacts touch.
"""

import pickle
from functools import partial, reduce
from math import prod

import numpy as np

from rbdlib.book.ch11_contact import separation_velocities, velocities_apart
from rbdlib.contact.events import Look
from rbdlib.contact.geometry import contacts_of
from rbdlib.contact.impact import Response
from rbdlib.contact.systems import ContactSystem, contact_system, sizes_of_motion, sizes_of_velocities
from rbdlib.methods.joint_character import armatures, joint_forces
from rbdlib.motion.compiled import compiled_once
from rbdlib.motion.simulate import energies_and_momentum
from rbdlib.numbers.negligible import generalized_inverse
from rbdlib.numbers.pivots import larger

#: Normals that are a combination of others but for this fraction are taken for one.
DEPENDENT = 1e-9


def flat_places(model, q, qd, u, pairs=()):
    """phi (m), zeta (m/s) and the largest number in the normal of every contact, and the energy (J), for u = [t]."""
    q, t = model.normalise(q), u[0]
    contacts = _smooth_contacts(model, q, qd, t, pairs)
    zeta, energies = separation_velocities(model, q, qd, contacts, t), energies_and_momentum(model, q, qd, t)[:2]
    reach = [reduce(larger, [*contact.n, *-contact.n]) for contact in contacts]
    return np.array([*(contact.phi for contact in contacts), *zeta, *reach, sum(energies)])


def flat_equations(model, q, qd, u, pairs=()):
    """Numbers of the `ContactSystem` and `Response` of all contacts, and the rate of q, for u = [tau; f_ext; t]."""
    moved, t, tau = model.normalise(q), u[-1], u[: model.nv]
    contacts = _smooth_contacts(model, moved, qd, t, pairs)
    tau = tau + joint_forces(model, moved, qd)
    forces = np.reshape(u[model.nv : -1], (-1, 6))
    system = contact_system(model, moved, qd, tau, contacts, forces, t, None, None, armatures(model))
    speeds, zeta = sizes_of_velocities(model, moved, qd, contacts, t), velocities_apart(contacts, system.v)
    return np.concatenate([np.ravel(system.M), system.d, np.ravel(system.H_T), system.free, system.u,
                           sizes_of_motion(model, system), speeds, zeta, model.qdot(q, qd)])


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
    try:
        key = pickle.dumps(pairs)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"Shapes made from functions of your own are not compiled ({error}). Leave compiled out."
                        ) from error
    made = partial(compiled_once, model=model, key=(key,), only_known=only_known, pairs=pairs)
    try:
        places = made(flat_places, shapes={"u": (1,)})
    except TypeError as error:
        raise TypeError("These contacts are not compiled: the outline of a face, or another choice, decides where "
                        "bodies touch. Leave compiled out.") from error
    equations = made(flat_equations, shapes={"u": (model.nv + 6 * (model.N_B + 1) + 1,)})
    return CompiledContacts(sum(map(len, pairs)), model.nv, places, equations) if places and equations else None


def holding_forces(M, d):
    """The forces lam of contacts that are held: M lam + d = 0."""
    if len(d) == 1 and M[0, 0] > 0:
        return -d / M[0, 0]
    M_inv = generalized_inverse(M, DEPENDENT)[0]
    lam = -M_inv @ d
    return lam - M_inv @ (M @ lam + d)


class CompiledContacts:
    """Answers of machine code about n potential contacts of a tree with nv freedoms."""

    def __init__(self, n, nv, places, equations):
        self.n, self.flat_places, self.flat_equations = n, places, equations
        self.inside, self.margin = np.ones(n, dtype=bool), np.full(n, np.inf)
        self.time, self.nv = np.empty(1), nv
        shapes = {"M": (n, n), "d": (n,), "H_T": (nv, n), "free": (nv,), "u": (nv,), "sizes": (n,),
                  "speeds": (n,), "zeta": (n,)}
        ends = np.cumsum([0, *map(prod, shapes.values())]).tolist()
        self.parts = {name: (slice(*ends[k : k + 2]), shape) for k, (name, shape) in enumerate(shapes.items())}
        self.q_rate = slice(ends[-1], None)

    def look(self, t, q, qd, own, find_pull):
        """The `Look` at all contacts, or at those with the numbers own."""
        self.time[0] = t
        found = self.flat_places(q, qd, self.time)[:-1].reshape(3, self.n)
        phi, zeta, reach = found if own is None else found[:, list(own)]
        seen = Look(t, phi, self.inside, self.margin, reach, None, find_pull)
        seen.zeta = zeta
        return seen

    def energy(self, t, q, qd):
        """The kinetic and potential energy (J)."""
        self.time[0] = t
        return float(self.flat_places(q, qd, self.time)[-1])

    def all_equations(self, t, q, qd, tau, f_ext):
        """The numbers of `flat_equations`."""
        u = np.empty(self.nv + f_ext.size + 1)
        u[: self.nv], u[self.nv : -1], u[-1] = tau, f_ext.ravel(), t
        return self.flat_equations(q, qd, u)

    def equations(self, t, q, qd, tau, f_ext, own):
        """The `ContactSystem` and the `Response` of the contacts own."""
        flat, own = self.all_equations(t, q, qd, tau, f_ext), list(own)
        all_of = {name: flat[part].reshape(shape) for name, (part, shape) in self.parts.items()}
        M, H_T = all_of["M"][own][:, own], all_of["H_T"][:, own]
        d, sizes, speeds, zeta = (all_of[name][own] for name in ("d", "sizes", "speeds", "zeta"))
        return ContactSystem(H_T, all_of["free"], M, d, all_of["u"], sizes=sizes), Response(M, H_T, zeta, speeds)

    def rate(self, t, q, qd, tau, f_ext, own):
        """The rate of change of [q; qd] with the contacts own held."""
        flat, own = self.all_equations(t, q, qd, tau, f_ext), list(own)
        (M, d, H_T), qdd = (flat[self.parts[name][0]] for name in ("M", "d", "H_T")), flat[self.parts["free"][0]]
        if own:
            M, H_T = M.reshape(self.n, -1)[own][:, own], H_T.reshape(-1, self.n)[:, own]
            qdd = qdd + H_T @ holding_forces(M, d[own])
        return np.concatenate([flat[self.q_rate], qdd])
