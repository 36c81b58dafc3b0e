"""Bodies with contacts without friction, one body and systems, loops included: which press, and how all moves.

The accelerations are found from a linear complementarity problem, or by Gauss' principle (RBDA 11.1 to 11.3, 11.5).
"""

from collections import namedtuple
from typing import Any

import numpy as np

from rbdlib.book import ch02_planar as planar, ch11_contact as ch11
from rbdlib.book.ch02_spatial import crf
from rbdlib.book.ch04_kinematics import body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import ltdl, solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.book.ch11_contact import TOUCHING, contact_coefficients
from rbdlib.contact.collisions import inertia
from rbdlib.contact.lcp import METHODS, solve_lcp
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers.pivots import values_of
from rbdlib.numbers.scalars import floats, matrix, number, roots, sqrt, vector, zeros
from rbdlib.numbers.validation import one_of, real, require_numbers, tolerances, unit_force

SYMBOLS = "The model or contacts contain symbols; give numbers in their place."


class ContactDynamics(namedtuple("ContactDynamics", "qdd lam zeta_dot status states solution")):
    """The motion of a system with contacts: qdd (nv), lam (n_c, N) and zeta_dot (n_c, m/s²), in the contacts' order.

    status: "unique" or "non-unique", as lam is (qdd always is), or "infeasible": no forces keep the bodies apart, and
    the three are None.  states: of each contact, as `constraint_state` names them; only those in state "3" transmit
    force.  solution: what `solve_lcp` found for these, None if there are none.
    """


def contact_dynamics(model, q, qd, tau, contacts, f_ext=None, method="lemke", t=0.0, tolerance=TOUCHING, T_stab=None,
                     tau_loop=None):
    """Forward dynamics of a system of bodies with contacts (RBDA 11.3, Eqs 11.23 to 11.36): `ContactDynamics`.

    q (nq), qd (nv), tau (nv), f_ext, t: as for `rnea`. contacts: a sequence of `Contact`, which describe this very
    state. method: as for `solve_lcp`. tolerance: what counts as touching, one number or a pair (m, m/s), as for
    `constraint_state`; with None all contacts are in state 3, whatever phi, qd and their extent say.
    T_stab, tau_loop: as for `rbdlib.loops.dynamics.by_loop_constraints`, if the model has loops.

    Contacts that are apart, or separate, or have left the extent of their face, transmit nothing. Raises ValueError if
    bodies approach each other at a contact (state 2a), because that takes an impulse, or overlap by more than the
    tolerance; if some motion has no inertia; and for bad arguments.
    """
    one_of(METHODS, method, "method")
    require_numbers(q=q, qd=qd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    if values_of(np.array([*system.M, system.d])) is None:
        raise ValueError("The model, contacts or f_ext contain symbols, which leave the signs of d open. Give numbers, "
                         "or ask contact_equations for formulas.")
    states = _states(system.contacts, ch11.velocities_apart(system.contacts, system.v), tolerance)
    own = [i for i, state in enumerate(states) if state == "3"]
    lam: Any = zeros(len(states), system.d)
    solution: Any = None
    if own:
        sizes = sizes_of_terms(model, system, tau)
        solution = solve_lcp(system.M[np.ix_(own, own)], system.d[own], method, size=sizes[own])    # (11.34), (11.18)
        if not solution.feasible:
            return ContactDynamics(None, None, None, solution.status, states, solution)
        lam[own] = solution.lam
    qdd = system.of_tree(system.free + system.H_T @ lam)
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


# The system in independent variables (RBDA 8.12, 11.3)


class ContactSystem(namedtuple(
        "ContactSystem", "H_T free M d u H parent G g T e contacts J v a_vp sizes",
        defaults=[None, None, None, None, None, None, None, None, None, None, None])):
    """A system with contacts: H ydd = u + Gᵀ T lam in independent variables, qdd = G ydd + g.

    ydd = free + H_T lam, zeta_dot = Tᵀ qdd + e = M lam + d.  G, g: None in a tree, where qdd = ydd.  parent: λ of H.
    v, a_vp: of the bodies, in base coordinates.  J: of the bodies that contacts touch.  sizes: see `sizes_of_motion`.
    Machine code gives sizes, and none of what is not needed once they are known.
    """

    def of_tree(self, ydd):
        return ydd if self.G is None else self.G @ ydd + self.g                     # (8.42)


def contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop, I_rot=None):
    """The `ContactSystem` of contacts all taken to be in state 3; arguments: `contact_dynamics`, `impulse_step`."""
    contacts, (v, a_vp) = ch11.checked_contacts(contacts, model), ch11.motion_without_qdd(model, q, qd, t)
    tau = vector(tau, require_model(model).nv, "tau")
    H = crba_with_rotors(model, q, I_rot, t) if I_rot else crba(model, q, t)
    u, G, g, parent = tau - bias_with_loop_forces(model, q, qd, f_ext, tau_loop, t), None, None, expanded_parent(model)
    J, e = ch11.contact_jacobians(model, q, contacts, t), ch11.velocity_products(contacts, v, a_vp)
    T = ch11.normals_of_joints(model, contacts, J)
    own_T, own_e = T, e                                                             # in independent variables
    if model.loops:
        K, k, _, tolerance = constraints_to_rank(model, q, qd, T_stab, t)
        G, g = constraint_solution(K, k, tolerance)
        H, u, parent = G.T @ H @ G, G.T @ (u - H @ g), None                         # (8.46)
        own_T, own_e = G.T @ T, e + T.T @ g
    M, d, H_T, free = contact_coefficients(H, own_T, u, own_e, parent)
    return ContactSystem(H_T, free, M, d, u, H, parent, G, g, T, e, contacts, J, v, a_vp)


# Sizes, with which what rounding leaves is compared


def sizes_of_terms(model, system, tau):
    """How large the numbers are that d is the sum of (n_c), so that rounding is not taken for real."""
    H_T, u, tau, G = (np.abs(np.asarray(x, dtype=float)) for x in (
        system.H_T, system.u, tau, 1 if system.G is None else system.G.T))
    sizes = sizes_of_motion(model, system) if system.sizes is None else system.sizes
    return H_T.T @ (u + (tau if G.ndim == 0 else G @ tau)) + np.asarray(sizes, dtype=float)


def sizes_of_motion(model, system):
    """Those of the accelerations and velocities that d is the difference of, and of gravity (n_c)."""
    from_motion = sizes_of_rates(system.contacts, system.J, system.of_tree(system.free), system.a_vp)
    turning = [size_of_products(contact.ndot, (system.v[contact.predecessor], system.v[contact.successor]))
               for contact in system.contacts]
    return from_motion + turning + sqrt(model.gravity @ model.gravity)


def sizes_of_velocities(model, q, qd, contacts, t=0.0):
    """How large the velocities are, in whatever direction, that zeta (n_c) is the difference of, each joint's apart."""
    v = ch11.in_base(model, q, body_velocities(model, q, qd, t), t)
    return sizes_of_rates(contacts, ch11.contact_jacobians(model, q, contacts, t), qd, v)


def sizes_of_rates(contacts, J, rates, motions):
    """The sizes, for each contact, of J rates column by column, and of motions, added up over both bodies."""
    return np.array([sum(size_of_products(contact.n, (J[i] * rates, motions[i]))
                         for i in (contact.predecessor, contact.successor)) for contact in contacts])


def size_of_products(force, motions):
    """A number that no product of the force (6; planar 3) with a motion (6, or 6 x m), nor the sum of all, exceeds."""
    motions, k = np.column_stack(motions), len(force) // 2
    lengths = [roots((np.atleast_2d(x.T) ** 2).sum(axis=1)) for x in (force[:k], force[k:], motions[:k], motions[k:])]
    return (lengths[0] * lengths[2] + lengths[1] * lengths[3]).sum()


def _states(contacts, zeta, tolerance):
    if tolerance is None:
        return ["3"] * len(contacts)
    states = []
    for i, (contact, zeta_i) in enumerate(zip(contacts, zeta, strict=True)):
        called = f"contacts[{i}]{f' ({contact.name})' if contact.name else ''}"
        try:
            states.append(ch11.constraint_state(contact.phi, zeta_i, tolerance) if contact.inside else "1")
        except ValueError as error:
            raise ValueError(f"{called}: {error}") from error
        if states[-1] == "2a":
            raise ValueError(f"{called}: the bodies touch and approach at {-float(zeta_i):.6g} m/s, so that an impulse "
                             "changes qd first. Apply system_impact, or give a larger tolerance if this is rounding.")
    return states


# Gauss' principle of least constraint (RBDA 11.5)


def accelerations_by_qp(model, q, qd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None):
    """qdd (nv): of all accelerations that keep the bodies apart, the nearest to the free ones (RBDA Eq. 11.44).

    What is least is (qdd - free)ᵀ H (qdd - free). Arguments as for `contact_equations`, of numbers. Returns None if
    none keeps the bodies apart. The quadratic program, with lam as multipliers, is method "qp" of `solve_lcp`, which
    needs the extra `qp` (ImportError) and raises ArithmeticError if rounding errors hide the answer.
    """
    require_numbers(q=q, qd=qd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    M, d = (floats(x, SYMBOLS) for x in (system.M, system.d))
    found = solve_lcp(M, d, "qp", size=sizes_of_terms(model, system, tau))
    return system.of_tree(system.free + system.H_T @ found.lam) if found.feasible else None


def recover_lambda(model, q, qd, qdd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None, tolerance=1e-8):
    """lam (n_c) that gives the accelerations qdd (nv), such as those of `accelerations_by_qp` (RBDA 11.5).

    It solves T lam = H qdd + C - tau, as nearly as can be with lam >= 0, an LCP again, and with lam_i = 0 where the
    bodies separate; it is one of many if the normals depend on one another. Other arguments as for `contact_equations`,
    of numbers. tolerance: how large, in parts of the terms they are made of, a zeta_dot and what is left of the
    equation may be to count as zero. Raises ValueError if there is no such lam.
    """
    require_numbers(q=q, qd=qd, qdd=qdd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    qdd, T, G = vector(qdd, model.nv, "qdd"), system.T, system.G
    H, M, H_T, free, zeta_dot = (floats(x, SYMBOLS) for x in (
        system.H, system.M, system.H_T, system.free, T.T @ qdd + system.e))
    size = np.abs(T.T) @ np.abs(qdd) + sizes_of_terms(model, system, tau)
    on = np.flatnonzero(np.abs(zeta_dot) <= tolerance * size)
    added = (qdd if G is None else solve(G.T @ G, G.T @ (qdd - system.g))) - free
    lam = np.zeros(len(T.T))
    lam[on] = solve_lcp(M[np.ix_(on, on)], -H_T[:, on].T @ H @ added).lam
    left, *terms = (np.sqrt(max(x @ H @ x, 0)) for x in (H_T @ lam - added, added, free))
    if left > tolerance * max(terms):
        raise ValueError("qdd is not what these contacts make of tau: no lam >= 0 gives it. Give accelerations such as "
                         "accelerations_by_qp finds, at the same state.")
    return lam


# One body on fixed surfaces (RBDA 11.1, 11.2)


class BodyContacts(namedtuple("BodyContacts", "a f_c lam zeta_dot status")):
    """Effect of contacts on one body: its spatial acceleration a, the contact force f_c on it, lam and zeta_dot.

    lam (N) and zeta_dot (m/s²) are numbers for a single contact, arrays (n_c) for several. status: "unique" or
    "non-unique", as lam is, or "infeasible", where no lam keeps the bodies apart and the others are None.
    """


def single_contact(I, v, f, n, ndot_v=0, tolerance=TOUCHING):
    """The motion of a body that touches a fixed surface at one point (RBDA Eqs 11.1 to 11.10): `BodyContacts`.

    I (6 x 6), v, f: its inertia, velocity, and all forces on it but the contact force; n: the contact normal; ndot_v:
    the number ndot · v (m/s²). All in the same coordinates, of any place and axes; planar vectors (3, and I 3 x 3) do
    as well. Raises ValueError unless zeta = n · v is 0 to the tolerance (m/s), as it is while no impulse acts; if I is
    not positive definite; and where symbols leave the sign of d open.
    """
    I, v, f, p = _body(I, v, f)
    n, ndot_v = vector(n, len(v), "n"), number(ndot_v, "ndot_v")
    unit_force(n, "n")
    _require_rest([n @ v], tolerance)
    c = solve(I, f - p)
    M = n @ solve(I, n)                                                             # (11.8)
    d = n @ c + ndot_v                                                              # (11.9)
    zeta_dot, lam = (d, d - d) if real(d, "d") >= 0 else (d - d, -d / M)             # (11.10)
    f_c = n * lam                                                                   # (11.1)
    return BodyContacts(c + solve(I, f_c), f_c, lam, zeta_dot, "unique")            # (11.6)


def several_contacts(I, v, f, N, Ndot_v=0, method="lemke", tolerance=TOUCHING):
    """The motion of a body that touches fixed surfaces at n_c points (RBDA Eqs 11.11 to 11.22): `BodyContacts`.

    I, v, f, tolerance and errors: as for `single_contact`, which n_c = 1 repeats. N (6 x n_c): the normals, as columns.
    Ndot_v: the n_c numbers ndot_i · v, or 0 for none. method: as for `solve_lcp`.
    """
    I, v, f, p, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    _require_rest(N.T @ v, tolerance)
    M, d = body_contact_equations(I, v, f, N, Ndot_v)
    solution = solve_lcp(M, d, method, size=_sizes(I, f, p, N, Ndot_v))             # (11.18)
    if not solution.feasible:
        return BodyContacts(None, None, None, None, solution.status)
    f_c = N @ solution.lam                                                          # (11.16)
    a = solve(I, f_c + f - p)                                                       # (11.19)
    return BodyContacts(a, f_c, solution.lam, solution.zeta_dot, solution.status)


def body_contact_equations(I, v, f, N, Ndot_v=0):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d for one body (RBDA Eqs 11.20 to 11.22).

    Arguments as for `several_contacts`; N may be a single normal. Formulas are welcome.
    """
    I, _, f, p, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    return contact_coefficients(I, N, f - p, Ndot_v)[:2]                            # (11.21) (11.22)


def _sizes(I, f, p, N, Ndot_v):
    """How large the numbers are that d is the sum of (n_c), so that rounding is not taken for real."""
    terms = [values_of(x) for x in (N, solve(I, N).T, f, p, solve(I, f), solve(I, p), Ndot_v)]
    if any(term is None for term in terms):
        return None
    N, Y, f, p, *accelerations, Ndot_v = (np.abs(term) for term in terms)
    return Y @ (f + p) + [size_of_products(n, accelerations) for n in N.T] + Ndot_v     # rounding turns N a little


def _several(I, v, f, N, Ndot_v):
    I, v, f, p = _body(I, v, f)
    N = matrix(N, (len(v), np.shape(N)[1]), "N") if np.ndim(N) == 2 else vector(N, len(v), "N")[:, None]
    for i, n in enumerate(N.T):
        unit_force(n, f"N[:, {i}]")
    Ndot_v = zeros(N.shape[1], I, v, f) if np.ndim(Ndot_v) == 0 and Ndot_v == 0 else np.atleast_1d(Ndot_v)
    return I, v, f, p, N, vector(Ndot_v, N.shape[1], "Ndot_v")


def _body(I, v, f):
    """I, v, f, checked, and v ×* I v."""
    size = 3 if np.shape(v) == (3,) else 6
    I = inertia(I, size, "I")
    try:
        ltdl(I)
    except ValueError as error:
        raise ValueError("I is not positive definite, so that some force meets no inertia. Give the body a mass and, "
                         "if it is a point or a thin rod, some rotational inertia.") from error
    v = vector(v, size, "v")
    return I, v, vector(f, size, "f"), (crf if size == 6 else planar.crf)(v) @ I @ v


def _require_rest(zeta, tolerance):
    """Only bodies that stay together transmit finite forces: zeta = 0 (RBDA 11.1)."""
    limit, zeta = tolerances(tolerance)[1], values_of(zeta)
    for i, value in enumerate(() if zeta is None else zeta):
        if abs(value) > limit:
            what = "approach, which takes an impulse first" if value < 0 else "part already, and touch no more"
            raise ValueError(f"v gives contact {i} the separation velocity n · v = {value:.6g} m/s: the bodies {what}. "
                             "Give a v with n · v = 0, or a larger tolerance if this is rounding.")
