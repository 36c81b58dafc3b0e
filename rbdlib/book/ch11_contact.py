"""Point contacts without friction: one body, several contacts, systems of bodies, loops included (RBDA 11.1 to 11.4).

A contact pushes and never pulls: lam >= 0. Its bodies separate or stay together: zeta_dot >= 0. And it does but one of
the two: zeta_dot lam = 0 (11.4). What the bodies' inertia makes of a force is the linear relation

    zeta_dot = M lam + d                                                                        (11.7, 11.20, 11.34)

and the two together are the linear complementarity problem that `rbdlib.book.ch11_complementarity` solves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.book.ch02_spatial import inverse_transform, line_force
from rbdlib.book.ch04_kinematics import body_accelerations, body_transforms, body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent, joints_at
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces, loop_constraints
from rbdlib.book.ch08_elimination import constraint_solution, error_units, rank_tolerance
from rbdlib.book.ch11_complementarity import require_method, solve_lcp
from rbdlib.book.ch11_complementarity_arguments import (
    mirrored,
    require_numbers,
    size_of_products,
    sizes_of_rates,
    values_or_none,
)
from rbdlib.numbers.scalars import TOLERANCE, number, sqrt, vector, zeros

#: Bodies no farther apart than this (m) touch, and no faster apart than this (m/s) they stay together.
TOUCHING = 1e-6


# A contact (RBDA 11.1, 11.3)


def contact_normal(C, n_hat):
    """n = [C × n_hat; n_hat]: the unit force along the line through C (m) with the direction n_hat (RBDA 11.1).

    n_hat: the direction of the normal, out of the predecessor's surface, towards the successor; numbers are scaled to
    length 1, formulas must have it. Both in the same coordinates. Raises ValueError if n_hat is zero.
    """
    n_hat = vector(n_hat, 3, "n_hat")
    largest = np.abs(values).max() if (values := values_or_none(n_hat)) is not None else 1.0
    if largest == 0 or all(x == 0 for x in n_hat):
        raise ValueError("n_hat is zero, which is no direction. Give the direction out of the predecessor's surface.")
    if not 1e-100 < largest < 1e100:                        # whose square no float holds
        n_hat = n_hat / largest
    square = n_hat @ n_hat
    return line_force(n_hat if square == 1 or values is None else n_hat / sqrt(square), C)


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
        for name in ("predecessor", "successor"):
            i = getattr(self, name)
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or i < 0:
                raise ValueError(f"{name} is {i!r}; give the number of a body, 0 for the base.")
        if self.predecessor == self.successor:
            raise ValueError(f"predecessor and successor are both body {self.successor}; no body touches itself. Give "
                             "the two bodies that touch.")
        n = vector(self.n, 6, "n")
        ndot = zeros(6, n) if np.ndim(self.ndot) == 0 and self.ndot == 0 else self.ndot
        require_unit_force(n)
        point = None if self.point is None else vector(self.point, 3, "point")
        for name, value in (("n", n), ("ndot", vector(ndot, 6, "ndot")), ("point", point)):
            object.__setattr__(self, name, value)
            if value is not None:
                value.setflags(write=False)
        object.__setattr__(self, "phi", number(self.phi, "phi"))
        if not isinstance(self.inside, bool | np.bool_):
            raise TypeError(f"inside is {self.inside!r}; give True or False.")


def require_unit_force(n, name="n"):
    """Refuse numbers (6, or planar 3) that are no unit force along a line, such as those with the linear part first."""
    values = values_or_none(n)
    if values is None:
        return
    moment, force = values[: len(n) // 2], values[len(n) // 2 :]
    pitch = moment @ force if len(n) == 6 else 0
    if abs(np.sqrt(force @ force) - 1) > TOLERANCE or abs(pitch) > TOLERANCE * max(1, np.abs(moment).max()):
        raise ValueError(f"{name} is {values.tolist()}, which is not a unit force along a line [C × n_hat; n_hat]. "
                         "Make it with contact_normal(C, n_hat) or contact_frame(C, n_hat).")


def contact_normals(contacts):
    """N = [n_1 n_2 ...] (6 x n_c), the normals of several contacts, in base coordinates (RBDA Eq. 11.15)."""
    contacts = checked_contacts(contacts)
    return np.stack([contact.n for contact in contacts], axis=1) if contacts else zeros((6, 0))


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


class ContactDynamics(NamedTuple):
    """The motion of a system with contacts: qdd (nv), lam (n_c, N) and zeta_dot (n_c, m/s²), in the contacts' order.

    status: "unique" or "non-unique", as lam is (qdd always is), or "infeasible": no forces keep the bodies apart, and
    the three are None.  states: of each contact, as `constraint_state` names them; only those in state "3" transmit
    force.  solution: what `rbdlib.book.ch11_complementarity.solve_lcp` found for these, None if there are none.
    """

    qdd: np.ndarray | None
    lam: np.ndarray | None
    zeta_dot: np.ndarray | None
    status: str
    states: list
    solution: object


def contact_dynamics(model, q, qd, tau, contacts, f_ext=None, method="lemke", t=0.0, tolerance=TOUCHING, T_stab=None,
                     tau_loop=None):
    """Forward dynamics of a system of bodies with contacts (RBDA 11.3, Eqs 11.23 to 11.36): `ContactDynamics`.

    q (nq), qd (nv), tau (nv), f_ext, t: as for `rnea`. contacts: a sequence of `Contact`, which describe this very
    state. method: as for `rbdlib.book.ch11_complementarity.solve_lcp`. tolerance: what counts as touching, one number
    or a pair (m, m/s), as for `constraint_state`; with None all contacts are in state 3, whatever phi, qd and their
    extent say.
    T_stab, tau_loop: as for `rbdlib.book.ch08_closed_loops.forward_dynamics`, if the model has loops.

    Contacts that are apart, or separate, or have left the extent of their face, transmit nothing. Raises ValueError if
    bodies approach each other at a contact (state 2a), because that takes an impulse, or overlap by more than the
    tolerance; if some motion has no inertia; and for bad arguments.
    """
    require_method(method)
    require_numbers(q=q, qd=qd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    if values_or_none(np.array([*system.M, system.d])) is None:
        raise ValueError("The model, contacts or f_ext contain symbols, which leave the signs of d open. Give numbers, "
                         "or ask contact_equations for formulas.")
    states = _states(system.contacts, _velocities_apart(system.contacts, system.v), tolerance)
    own = [i for i, state in enumerate(states) if state == "3"]
    lam, solution = zeros(len(states), system.d), None
    if own:
        sizes = sizes_of_terms(model, system, tau)
        solution = solve_lcp(system.M[np.ix_(own, own)], system.d[own], method, size=sizes[own])    # (11.34), (11.18)
        if not solution.feasible:
            return ContactDynamics(None, None, None, solution.status, states, solution)
        lam[own] = solution.lam
    qdd = system.motion.of_tree(system.free + system.H_T @ lam)
    zeta_dot = system.T.T @ qdd + system.e                                          # (11.33)
    if own:
        zeta_dot[own] = solution.zeta_dot
    return ContactDynamics(qdd, lam, zeta_dot, solution.status if own else "unique", states, solution)


def contact_equations(model, q, qd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d for a system of bodies (RBDA Eqs 11.34 to 11.36).

    Arguments as for `contact_dynamics`; all contacts are taken to be in state 3. Formulas are welcome.
    """
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    return system.M, system.d


def joint_space_normals(model, q, contacts, t=0.0):
    """T = [t_1 t_2 ...] (nv x n_c): the contact normals in the space of the tree's joints (RBDA Eqs 11.25, 11.31).

    The joint force of contact forces lam is tau_c = T lam. If the model has loops, Gᵀ T does the same for independent
    variables, with the G of `rbdlib.book.ch08_elimination.constraint_solution`.
    """
    contacts = checked_contacts(contacts, model)
    return _normals_of_joints(model, contacts, _jacobians(model, q, contacts, t))


def _normals_of_joints(model, contacts, J):
    T = zeros((model.nv, len(contacts)), *J.values(), *(contact.n for contact in contacts))
    for i, contact in enumerate(contacts):
        pc, sc, n = contact.predecessor, contact.successor, contact.n
        T[:, i] = (J[sc].T - J[pc].T) @ n                                           # (11.25)
    return T


def separation_velocities(model, q, qd, contacts, t=0.0):
    """zeta (n_c, m/s): how fast the bodies separate at each contact (RBDA Eqs 11.27, 11.28).

    It is Tᵀ qd, and what joints that move with time add to it.
    """
    contacts = checked_contacts(contacts, model)
    return _velocities_apart(contacts, _in_base(model, q, body_velocities(model, q, qd, t), t))


def separation_accelerations(model, q, qd, qdd, contacts, t=0.0):
    """zeta_dot (n_c, m/s²) for the accelerations qdd of the tree's joints (RBDA Eqs 11.29, 11.33)."""
    contacts, qdd = checked_contacts(contacts, model), vector(qdd, model.nv, "qdd")
    return joint_space_normals(model, q, contacts, t).T @ qdd + _velocity_products(contacts, *_past(model, q, qd, t))


def _past(model, q, qd, t):
    """The velocities v of the bodies and their velocity-product accelerations a_vp, in base coordinates."""
    a_vp = body_accelerations(model, q, qd, zeros(model.nv, q, qd), t)
    return _in_base(model, q, body_velocities(model, q, qd, t), t), _in_base(model, q, a_vp, t)


def _velocity_products(contacts, v, a_vp):
    """Tdotᵀ qd (n_c): the part of zeta_dot that depends on velocities, and on time (RBDA Eq. 11.30)."""
    e = zeros(len(contacts), *v, *a_vp, *(x for contact in contacts for x in (contact.n, contact.ndot)))
    for i, contact in enumerate(contacts):
        pc, sc, n, ndot = contact.predecessor, contact.successor, contact.n, contact.ndot
        e[i] = n @ (a_vp[sc] - a_vp[pc]) + ndot @ (v[sc] - v[pc])                   # (11.30)
    return e


def _velocities_apart(contacts, v):
    zeta = zeros(len(contacts), *v, *(contact.n for contact in contacts))
    for i, contact in enumerate(contacts):
        zeta[i] = contact.n @ (v[contact.successor] - v[contact.predecessor])       # (11.27)
    return zeta


def _in_base(model, q, motions, t):
    """Motion vectors of the bodies, given in body coordinates, in base coordinates."""
    return [inverse_transform(X) @ m for X, m in zip(body_transforms(model, q, t), motions, strict=True)]


def _jacobians(model, q, contacts, t):
    """The Jacobians of the bodies that contacts touch, in base coordinates: {body: J (6 x nv)}."""
    X_0, (_, S) = body_transforms(model, q, t), joints_at(model, q, t)
    J = {i: zeros((6, model.nv), *X_0) for contact in contacts for i in (contact.predecessor, contact.successor)}
    for i in J:
        for j in model.kappa(i) if i else ():
            J[i][:, model.v_slice(j)] = inverse_transform(X_0[j]) @ S[j]
    return J


class _Motion(NamedTuple):
    """The equation of motion H ydd = u in independent variables, with qdd = G ydd + g; in a tree qdd = ydd, G is None.

    parent: λ of H.
    """

    H: np.ndarray
    u: np.ndarray
    parent: list | None
    G: np.ndarray | None
    g: np.ndarray | None

    def of_tree(self, ydd):
        return ydd if self.G is None else self.G @ ydd + self.g                     # (8.42)

    def force(self, tau):
        return tau if self.G is None else self.G.T @ tau


def _motion(model, q, qd, tau, f_ext, t, T_stab, tau_loop):
    tau, H = vector(tau, require_model(model).nv, "tau"), crba(model, q, t)
    C = bias_with_loop_forces(model, q, qd, f_ext, tau_loop, t)
    if not model.loops:
        return _Motion(H, tau - C, expanded_parent(model), None, None)
    K, k, delta = loop_constraints(model, q, qd, T_stab, t)
    G, g = constraint_solution(K, k, rank_tolerance(delta / error_units(model)))
    return _Motion(G.T @ H @ G, G.T @ (tau - C - H @ g), None, G, g)                # (8.46)


class ContactSystem(NamedTuple):
    """A system with contacts: ydd = free + H_T lam, zeta_dot = Tᵀ qdd + e = M lam + d. T is that of the tree.

    v, a_vp: of the bodies, as from `_past`.  J: of the bodies that contacts touch, as from `_jacobians`.
    """

    contacts: list
    J: dict
    v: list
    a_vp: list
    motion: _Motion
    T: np.ndarray
    e: np.ndarray
    H_T: np.ndarray
    free: np.ndarray
    M: np.ndarray
    d: np.ndarray


def contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop):
    contacts, (v, a_vp) = checked_contacts(contacts, model), _past(model, q, qd, t)
    motion = _motion(model, q, qd, tau, f_ext, t, T_stab, tau_loop)
    J, e = _jacobians(model, q, contacts, t), _velocity_products(contacts, v, a_vp)
    T = _normals_of_joints(model, contacts, J)
    T_y = motion.force(T)
    solved = solve(motion.H, np.column_stack([T_y, motion.u]), motion.parent)
    H_T, free = solved[:, :-1], solved[:, -1]
    M = T_y.T @ H_T                                                                 # (11.35)
    d = T.T @ motion.of_tree(free) + e                                              # (11.36)
    return ContactSystem(contacts, J, v, a_vp, motion, T, e, H_T, free, mirrored(M), d)


def sizes_of_terms(model, system, tau):
    """How large the numbers are that d is the sum of (n_c), so that what rounding leaves of it is not taken for real.
    """
    H_T, u, tau, G = (np.abs(np.asarray(x, dtype=float)) for x in (
        system.H_T, system.motion.u, tau, 1 if system.motion.G is None else system.motion.G.T))
    from_forces = H_T.T @ (u + (tau if G.ndim == 0 else G @ tau))
    gravity = np.sqrt(float(model.gravity @ model.gravity))
    free = system.motion.of_tree(system.free)
    from_motion = sizes_of_rates(system.contacts, system.J, free, system.a_vp)
    turning = [size_of_products(contact.ndot, (system.v[contact.predecessor], system.v[contact.successor]))
               for contact in system.contacts]
    return from_forces + from_motion + turning + gravity


def sizes_of_velocities(model, q, qd, contacts, t=0.0):
    """How large the velocities are that zeta is the difference of (m/s, n_c), for the same purpose.

    They are those of the bodies at the line of contact, whatever their direction, and of each joint's part in them.
    """
    v = _in_base(model, q, body_velocities(model, q, qd, t), t)
    return sizes_of_rates(contacts, _jacobians(model, q, contacts, t), qd, v)


# Arguments


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


def _states(contacts, zeta, tolerance):
    if tolerance is None:
        return ["3"] * len(contacts)
    states = []
    for i, (contact, zeta_i) in enumerate(zip(contacts, zeta, strict=True)):
        try:
            states.append(constraint_state(contact.phi, zeta_i, tolerance) if contact.inside else "1")
        except ValueError as error:
            raise ValueError(f"contacts[{i}]{_called(contact)}: {error}") from error
        if states[-1] == "2a":
            raise ValueError(f"contacts[{i}]{_called(contact)}: the bodies touch and approach at {-float(zeta_i):.6g} "
                             "m/s, so that an impulse changes qd first. Apply system_impact, or give a larger "
                             "tolerance if this is rounding.")
    return states


def _called(contact):
    return f" ({contact.name})" if contact.name else ""


def tolerances(tolerance):
    """The tolerances of phi (m) and of its rate (m/s), from one number for both or a pair."""
    pair = [tolerance, tolerance] if np.ndim(tolerance) == 0 else tolerance
    pair = tuple(vector(pair, 2, "tolerance"))
    if min(pair) < 0:
        raise ValueError(f"tolerance is {tolerance!r}; give numbers that are not negative, such as {TOUCHING}.")
    return pair


def real(x, name):
    """A scalar that is a number, whatever its kind; ValueError if it is a symbol."""
    x = number(x, name)
    if values_or_none([x]) is None:
        raise ValueError(f"{name} is {x}, whose sign is not known. Give numbers in place of symbols.")
    return x
