"""Point contacts without friction: their normals, states and equations (RBDA 11.1 to 11.4).

A contact pushes and never pulls: lam >= 0. Its bodies separate or stay together: zeta_dot >= 0. And it does but one of
the two: zeta_dot lam = 0 (11.4). The bodies' inertia makes of the forces the linear relation

    zeta_dot = M lam + d                                                                        (11.7, 11.20, 11.34)

and the two together are a linear complementarity problem, which the book leaves to others: `rbdlib.contact.solve_lcp`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.book.ch02_spatial import inverse_transform, line_force
from rbdlib.book.ch04_kinematics import body_accelerations, body_transforms, body_velocities, joints_at
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.numbers.linear import mirrored
from rbdlib.numbers.model_arguments import two_bodies
from rbdlib.numbers.scalars import number, vector, zeros
from rbdlib.numbers.validation import real, tolerances, unit_direction, unit_force

#: Bodies no farther apart than this (m) touch, and no faster apart than this (m/s) they stay together.
TOUCHING = 1e-6


# A contact (RBDA 11.1, 11.3)


def contact_normal(C, n_hat):
    """n = [C × n_hat; n_hat]: the unit force along the line through C (m) with the direction n_hat (RBDA 11.1).

    n_hat: the direction of the normal, out of the predecessor's surface, towards the successor; numbers are scaled to
    length 1, formulas must have it. Both in the same coordinates. Raises ValueError if n_hat is zero.
    """
    return line_force(unit_direction(n_hat, "n_hat"), C)


@dataclass(frozen=True, eq=False)
class Contact:
    """A point where two bodies touch, or may touch (RBDA 11.3). Vectors are in base coordinates.

    predecessor, successor: body numbers pc(i) and sc(i), 0 for the base.  n: the unit force along the line of the
    contact normal, from predecessor to successor, as from `contact_normal`.  ndot: its absolute rate of change; 0 if
    left out, which is right where nothing moves.  phi: signed distance (m), > 0 apart and < 0 in overlap.  name: for
    messages and tables.  point: the position of C (m), where it is known.  inside: whether C lies within the extent of
    the face or edge that has it; where it does not, the contact is lost by geometry, whatever phi (RBDA 11.6).
    """

    predecessor: int
    successor: int
    n: ArrayLike
    ndot: ArrayLike = 0
    phi: float = 0.0
    name: str = ""
    point: ArrayLike | None = None
    inside: bool = True

    def __post_init__(self):
        two_bodies(self.predecessor, self.successor)
        if not isinstance(self.inside, bool | np.bool_):
            raise TypeError(f"inside is {self.inside!r}; give True or False.")
        n = unit_force(vector(self.n, 6, "n"), "n")
        ndot = vector(zeros(6, n) if np.ndim(self.ndot) == 0 and self.ndot == 0 else self.ndot, 6, "ndot")
        point = None if self.point is None else vector(self.point, 3, "point")
        for name, value in (("n", n), ("ndot", ndot), ("point", point)):
            object.__setattr__(self, name, value)
            if value is not None:
                value.setflags(write=False)
        object.__setattr__(self, "phi", number(self.phi, "phi"))


def contact_normals(contacts):
    """N = [n_1 n_2 ...] (6 x n_c), the normals of several contacts, in base coordinates (RBDA Eq. 11.15)."""
    contacts = checked_contacts(contacts)
    return np.stack([contact.n for contact in contacts], axis=1) if contacts else zeros((6, 0))


def checked_contacts(contacts, model=None):
    """The contacts as a list, checked, and that the model has their bodies; TypeError or ValueError otherwise."""
    if not np.iterable(contacts):
        raise TypeError(f"contacts is {contacts!r}; give a list of Contact.")
    contacts, N_B = list(contacts), None if model is None else require_model(model).N_B
    for i, contact in enumerate(contacts):
        if not isinstance(contact, Contact):
            raise TypeError(f"contacts[{i}] is {contact!r}; give a Contact(predecessor, successor, n).")
        last = max(contact.predecessor, contact.successor)
        if N_B is not None and last > N_B:
            raise ValueError(f"contacts[{i}] touches body {last}; this model has the bodies 1 to {N_B}, and 0, the "
                             "base.")
    return contacts


def constraint_state(phi, phidot, tolerance=TOUCHING):
    """The state of the constraint phi >= 0, "1", "2a", "2b" or "3" (RBDA 11.4, Figure 11.4).

    "1": apart.  "2a": touching and approaching, a collision.  "2b": touching and separating.  "3": in contact. phi (m)
    and its rate phidot (m/s) are numbers. tolerance: how much counts as zero, one number for both or a pair. Raises
    ValueError for an overlap, phi < -tolerance, which is none of these.
    """
    (phi_0, phidot_0), phi, phidot = tolerances(tolerance), real(phi, "phi"), real(phidot, "phidot")
    if phi < -phi_0:
        raise ValueError(f"phi is {float(phi):.6g}: the bodies overlap by more than the tolerance, {phi_0:.3g}. Move "
                         "them apart, or give a larger tolerance, (m, m/s), if so much overlap is allowed.")
    if phi > phi_0:
        return "1"
    return "2a" if phidot < -phidot_0 else "2b" if phidot > phidot_0 else "3"


# Systems of bodies (RBDA 11.3)
#
# q, qd, qdd: of the tree's joints; t: time (s), for joints that depend on it. contacts: a sequence of `Contact`, which
# describe this very state. Vectors are in base coordinates.


def joint_space_normals(model, q, contacts, t=0.0):
    """T = [t_1 t_2 ...] (nv x n_c): the contact normals in the space of the tree's joints (RBDA Eqs 11.25, 11.31).

    The joint force of contact forces lam is tau_c = T lam (11.32). If the model has loops, Gᵀ T does the same for
    independent variables, with the G of `rbdlib.book.ch08_elimination.constraint_solution`.
    """
    contacts = checked_contacts(contacts, model)
    return normals_of_joints(model, contacts, contact_jacobians(model, q, contacts, t))


def contact_jacobians(model, q, contacts, t=0.0):
    """The Jacobians of the bodies that contacts touch: {body: J (6 x nv)}."""
    X_0, (_, S) = body_transforms(model, q, t), joints_at(model, q, t)
    J = {i: zeros((6, model.nv), *X_0) for contact in contacts for i in (contact.predecessor, contact.successor)}
    for i in J:
        for j in model.kappa(i) if i else ():
            J[i][:, model.v_slice(j)] = inverse_transform(X_0[j]) @ S[j]
    return J


def normals_of_joints(model, contacts, J):
    """T (nv x n_c) for the Jacobians of `contact_jacobians`."""
    T = zeros((model.nv, len(contacts)), *J.values(), *(contact.n for contact in contacts))
    for i, contact in enumerate(contacts):
        pc, sc, n = contact.predecessor, contact.successor, contact.n
        T[:, i] = (J[sc].T - J[pc].T) @ n                                           # (11.25)
    return T


def separation_velocities(model, q, qd, contacts, t=0.0):
    """zeta (n_c, m/s): how fast the bodies separate at each contact (RBDA Eqs 11.27, 11.28).

    It is Tᵀ qd, and what joints that move with time add to it.
    """
    contacts, v = checked_contacts(contacts, model), in_base(model, q, body_velocities(model, q, qd, t), t)
    return velocities_apart(contacts, v)


def velocities_apart(contacts, v):
    """zeta (n_c) for the velocities v of the bodies."""
    zeta = zeros(len(contacts), *v, *(contact.n for contact in contacts))
    for i, contact in enumerate(contacts):
        zeta[i] = contact.n @ (v[contact.successor] - v[contact.predecessor])       # (11.27)
    return zeta


def separation_accelerations(model, q, qd, qdd, contacts, t=0.0):
    """zeta_dot (n_c, m/s²) for the accelerations qdd of the tree's joints (RBDA Eqs 11.29, 11.33)."""
    T, qdd = joint_space_normals(model, q, contacts, t), vector(qdd, model.nv, "qdd")
    return T.T @ qdd + velocity_products(contacts, *motion_without_qdd(model, q, qd, t))    # (11.33)


def velocity_products(contacts, v, a_vp):
    """Tdotᵀ qd (n_c): the part of zeta_dot that depends on velocities, and on time (RBDA Eq. 11.30)."""
    Tdot_qd = zeros(len(contacts), *v, *a_vp, *(x for contact in contacts for x in (contact.n, contact.ndot)))
    for i, contact in enumerate(contacts):
        pc, sc, n, ndot = contact.predecessor, contact.successor, contact.n, contact.ndot
        Tdot_qd[i] = n @ (a_vp[sc] - a_vp[pc]) + ndot @ (v[sc] - v[pc])             # (11.30)
    return Tdot_qd


def motion_without_qdd(model, q, qd, t=0.0):
    """The velocities v of the bodies and their velocity-product accelerations a_vp."""
    a_vp = body_accelerations(model, q, qd, zeros(model.nv, q, qd), t)
    return in_base(model, q, body_velocities(model, q, qd, t), t), in_base(model, q, a_vp, t)


def in_base(model, q, motions, t=0.0):
    """Motion vectors of the bodies, given in body coordinates, in base coordinates."""
    return [inverse_transform(X) @ m for X, m in zip(body_transforms(model, q, t), motions, strict=True)]


# The relation between zeta_dot and lam (RBDA 11.1 to 11.3)


def contact_coefficients(H, T, tau_C, Tdot_qd, parent=None):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d (RBDA Eqs 11.34 to 11.36), and qdd = qdd_free + H_inv_T lam.

    H (n x n), tau_C (n): of the equation of motion H qdd = tau_C + T lam, where tau_C is tau - C; T (n x n_c), Tdot_qd
    (n_c): as from `joint_space_normals` and `velocity_products`; parent: of H, as for
    `rbdlib.book.ch06_factorisation.solve`. A single body has H = I, T = N, tau_C = f - v ×* I v and Tdot_qd = Ndotᵀ v
    (Eqs 11.8, 11.9, 11.21, 11.22). Returns M, symmetric to the last digit, d, H_inv_T (n x n_c) and qdd_free (n).
    """
    solved = solve(H, np.column_stack([T, tau_C]), parent)
    H_inv_T, qdd_free = solved[:, :-1], solved[:, -1]
    M = T.T @ H_inv_T                                                               # (11.35)
    d = T.T @ qdd_free + Tdot_qd                                                    # (11.36)
    return mirrored(M), d, H_inv_T, qdd_free
