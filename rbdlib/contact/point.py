"""Point contacts without friction: one body, several contacts, systems of bodies, loops included (RBDA 11.1 to 11.4).

A contact pushes and never pulls: lam >= 0. Its bodies separate or stay together: zeta_dot >= 0. And it does but one of
the two: zeta_dot lam = 0 (11.4). What the bodies' inertia makes of a force is the linear relation

    zeta_dot = M lam + d                                                                        (11.7, 11.20, 11.34)

and the two together are the linear complementarity problem that `rbdlib.contact.lcp` solves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rbdlib import planar
from rbdlib.closed_loops import bias_with_loop_forces, loop_constraints
from rbdlib.constraint_solution import constraint_solution
from rbdlib.contact.lcp import solve_lcp
from rbdlib.factorisation import ltdl, solve_L, solve_Lt
from rbdlib.inertia_matrix import crba, expanded_parent
from rbdlib.kinematics import body_accelerations, body_jacobian, body_transforms, body_velocities
from rbdlib.loop_closing import rank_tolerance
from rbdlib.model import require_model
from rbdlib.scalars import TOLERANCE, as_floats, eye, matrix, number, sqrt, vector, zeros
from rbdlib.spatial import crf, inverse_transform, line_force

#: Bodies no farther apart than this (m) touch, and no faster apart than this (m/s) they stay together.
TOUCHING = 1e-6


# A contact (RBDA 11.1, 11.3)


def contact_normal(C, n_hat):
    """n = [C × n_hat; n_hat]: the unit force along the line through C (m) with the direction n_hat (RBDA 11.1).

    n_hat: the direction of the normal, out of the predecessor's surface, towards the successor; numbers are scaled to
    length 1, formulas must have it. Both in the same coordinates. Raises ValueError if n_hat is zero.
    """
    n_hat = vector(n_hat, 3, "n_hat")
    square = n_hat @ n_hat
    if square == 0:
        raise ValueError("n_hat is zero, which is no direction. Give the direction out of the predecessor's surface.")
    return line_force(n_hat if square == 1 or as_floats(n_hat) is None else n_hat / sqrt(square), C)


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
    n: np.ndarray
    ndot: np.ndarray = 0
    phi: float = 0.0
    name: str = ""
    point: np.ndarray | None = None
    inside: bool = True

    def __post_init__(self):
        for name in ("predecessor", "successor"):
            i = getattr(self, name)
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or i < 0:
                raise ValueError(f"{name} is {i!r}; give the number of a body, 0 for the base.")
        if self.predecessor == self.successor:
            raise ValueError(f"predecessor and successor are both body {self.successor}; no body touches itself. Give "
                             "the two bodies that touch.")
        n, ndot = vector(self.n, 6, "n"), zeros(6) if np.ndim(self.ndot) == 0 and self.ndot == 0 else self.ndot
        _require_unit_force(n)
        point = None if self.point is None else vector(self.point, 3, "point")
        for name, value in (("n", n), ("ndot", vector(ndot, 6, "ndot")), ("point", point)):
            object.__setattr__(self, name, value)
            if value is not None:
                value.setflags(write=False)
        object.__setattr__(self, "phi", number(self.phi, "phi"))


def _require_unit_force(n):
    """Refuse numbers that are no unit force along a line, such as a vector with its linear part first."""
    values = as_floats(n)
    if values is None:
        return
    moment, force = values[:3], values[3:]
    size = np.sqrt(force @ force)
    if abs(size - 1) > TOLERANCE or abs(moment @ force) > TOLERANCE * max(1, np.abs(moment).max()):
        raise ValueError(f"n is {values.tolist()}, which is not a unit force along a line [C × n_hat; n_hat]. Make it "
                         "with contact_normal(C, n_hat).")


def contact_normals(contacts):
    """N = [n_1 n_2 ...] (6 x n_c), the normals of several contacts, in base coordinates (RBDA Eq. 11.15)."""
    contacts = _contacts(contacts)
    return np.stack([contact.n for contact in contacts], axis=1) if contacts else zeros((6, 0))


def constraint_state(phi, phidot, tolerance=TOUCHING):
    """The state of the constraint phi >= 0, "1", "2a", "2b" or "3" (RBDA 11.4, Figure 11.4).

    "1": apart.  "2a": touching and approaching, a collision.  "2b": touching and separating.  "3": in contact. phi (m)
    and its rate phidot (m/s) are numbers. tolerance: how much counts as zero, one number for both or a pair. Raises
    ValueError for an overlap, phi < -tolerance, which is none of these.
    """
    (phi_0, phidot_0), phi, phidot = _tolerances(tolerance), _real(phi, "phi"), _real(phidot, "phidot")
    if phi < -phi_0:
        raise ValueError(f"phi is {float(phi):.6g}: the bodies overlap by more than the tolerance, {phi_0:.3g}. Move "
                         "them apart, or give a larger tolerance, (m, m/s), if so much overlap is allowed.")
    if phi > phi_0:
        return "1"
    return "2a" if phidot < -phidot_0 else "2b" if phidot > phidot_0 else "3"


# One body on a fixed surface (RBDA 11.1, 11.2)


class BodyContacts(NamedTuple):
    """What contacts do to one body: its spatial acceleration a, the contact force f_c on it, lam and zeta_dot.

    lam (N) and zeta_dot (m/s²) are numbers for a single contact, arrays (n_c) for several. status: "unique" or
    "non-unique", as lam is, or "infeasible", where no lam keeps the bodies apart and the others are None.
    """

    a: np.ndarray | None
    f_c: np.ndarray | None
    lam: object
    zeta_dot: object
    status: str


def single_contact(I, v, f, n, ndot_v=0, tolerance=TOUCHING):
    """The motion of a body that touches a fixed surface at one point (RBDA Eqs 11.1 to 11.10): `BodyContacts`.

    I (6 x 6), v, f: its inertia, velocity, and all forces on it but the contact force; n: the contact normal; ndot_v:
    the number ndot · v (m/s²). All in the same coordinates, of any place and axes; planar vectors (3, and I 3 x 3) do
    as well. Raises ValueError unless zeta = n · v is 0 to the tolerance (m/s), as it is while no impulse acts; if I is
    not positive definite; and where symbols leave the sign of d open.
    """
    I, v, f = _body(I, v, f)
    n, ndot_v = vector(n, len(v), "n"), number(ndot_v, "ndot_v")
    _require_rest([n @ v], tolerance)
    c = _solve(I, f - _crf(v) @ I @ v)
    M = n @ _solve(I, n)                                                            # (11.8)
    d = n @ c + ndot_v                                                              # (11.9)
    if _real(d, "d") >= 0:
        zeta_dot, lam = d, 0 * d                                                    # (11.10)
    else:
        zeta_dot, lam = 0 * d, -d / M
    f_c = n * lam                                                                   # (11.1)
    return BodyContacts(c + _solve(I, f_c), f_c, lam, zeta_dot, "unique")           # (11.6)


def several_contacts(I, v, f, N, Ndot_v=0, method="lemke", tolerance=TOUCHING):
    """The motion of a body that touches fixed surfaces at n_c points (RBDA Eqs 11.11 to 11.22): `BodyContacts`.

    I, v, f, tolerance and errors: as for `single_contact`, which n_c = 1 repeats. N (6 x n_c): the normals, as columns.
    Ndot_v: the n_c numbers ndot_i · v, or 0 for none. method: as for `rbdlib.contact.lcp.solve_lcp`.
    """
    I, v, f, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    _require_rest(N.T @ v, tolerance)
    M, d = body_contact_equations(I, v, f, N, Ndot_v)
    solution = solve_lcp(M, d, method)                                              # (11.18)
    if not solution.feasible:
        return BodyContacts(None, None, None, None, solution.status)
    f_c = N @ solution.lam                                                          # (11.16)
    a = _solve(I, f_c + f - _crf(v) @ I @ v)                                        # (11.19)
    return BodyContacts(a, f_c, solution.lam, solution.zeta_dot, solution.status)


def body_contact_equations(I, v, f, N, Ndot_v=0):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d for one body (RBDA Eqs 11.20 to 11.22).

    Arguments as for `several_contacts`; N may be a single normal. Formulas are welcome.
    """
    I, v, f, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    c, Y = _solve(I, f - _crf(v) @ I @ v), _solve(I, N)
    M = _mirrored(N.T @ Y)                                                          # (11.21)
    return M, N.T @ c + Ndot_v                                                      # (11.22)


def _several(I, v, f, N, Ndot_v):
    I, v, f = _body(I, v, f)
    if np.ndim(N) != 2:
        N = vector(N, len(v), "N")[:, None]
    N = matrix(N, (len(v), np.shape(N)[1]), "N")
    Ndot_v = zeros(N.shape[1]) if _is_plain_zero(Ndot_v) else np.atleast_1d(Ndot_v)
    return I, v, f, N, vector(Ndot_v, N.shape[1], "Ndot_v")


def _body(I, v, f):
    size = 3 if np.shape(v) == (3,) else 6
    I, v, f = matrix(I, (size, size), "I"), vector(v, size, "v"), vector(f, size, "f")
    values = _values(I)
    if values is not None and np.abs(values - values.T).max() > TOLERANCE * np.abs(values).max():
        raise ValueError("I is not symmetric. Give an inertia, such as mcI(m, c, I_C).")
    return I, v, f


def _solve(I, b):
    try:
        return solve(I, b)
    except ValueError as error:
        raise ValueError("I is not positive definite, so that some force meets no inertia. Give the body a mass and, "
                         "if it is a point or a thin rod, some rotational inertia.") from error


def _crf(v):
    return crf(v) if len(v) == 6 else planar.crf(v)


def _require_rest(zeta, tolerance):
    """Only bodies that stay together transmit finite forces: zeta = 0 (RBDA 11.1)."""
    limit = _tolerances(tolerance)[1]
    for i, value in enumerate(_values(zeta) if _values(zeta) is not None else ()):
        if abs(value) > limit:
            what = "approach, which takes an impulse first" if value < 0 else "part already, and touch no more"
            raise ValueError(f"v gives contact {i} the separation velocity n · v = {value:.6g} m/s: the bodies {what}. "
                             "Give a v with n · v = 0, or a larger tolerance if this is rounding.")


# Systems of bodies (RBDA 11.3)


class ContactDynamics(NamedTuple):
    """The motion of a system with contacts: qdd (nv), lam (n_c, N) and zeta_dot (n_c, m/s²), in the contacts' order.

    status: "unique" or "non-unique", as lam is (qdd always is), or "infeasible": no forces keep the bodies apart, and
    the three are None.  states: of each contact, as `constraint_state` names them; only those in state "3" transmit
    force.  solution: what `rbdlib.contact.lcp.solve_lcp` found for these, None if there are none.
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
    state. method: as for `rbdlib.contact.lcp.solve_lcp`. tolerance: what counts as touching, one number or a pair (m,
    m/s), as for `constraint_state`; with None all contacts are in state 3, whatever phi, qd and their extent say.
    T_stab, tau_loop: as for `rbdlib.closed_loops.forward_dynamics`, if the model has loops.

    Contacts that are apart, or separate, or have left the extent of their face, transmit nothing. Raises ValueError if
    bodies approach each other at a contact (state 2a), because that takes an impulse, or overlap by more than the
    tolerance; if some motion has no inertia; and for bad arguments.
    """
    system = _system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    states = _states(_contacts(contacts, model), system.zeta, tolerance)
    own = [i for i, state in enumerate(states) if state == "3"]
    lam, solution = zeros(len(states), system.d), None
    if own:
        solution = solve_lcp(system.M[np.ix_(own, own)], system.d[own], method)     # (11.34), (11.18)
        if not solution.feasible:
            return ContactDynamics(None, None, None, solution.status, states, solution)
        lam[own] = solution.lam
    qdd = system.accelerations(lam)
    zeta_dot = system.T.T @ qdd + system.e                                          # (11.33)
    if own:
        zeta_dot[own] = solution.zeta_dot
    return ContactDynamics(qdd, lam, zeta_dot, solution.status if own else "unique", states, solution)


def contact_equations(model, q, qd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d for a system of bodies (RBDA Eqs 11.34 to 11.36).

    Arguments as for `contact_dynamics`; all contacts are taken to be in state 3. Formulas are welcome.
    """
    system = _system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    return system.M, system.d


def joint_space_normals(model, q, contacts, t=0.0):
    """T = [t_1 t_2 ...] (nv x n_c): the contact normals in the space of the tree's joints (RBDA Eqs 11.25, 11.31).

    The joint force of contact forces lam is tau_c = T lam. If the model has loops, Gᵀ T does the same for independent
    variables, with the G of `rbdlib.constraint_solution.constraint_solution`.
    """
    contacts = _contacts(contacts, model)
    J = _jacobians(model, q, contacts, t)
    T = zeros((model.nv, len(contacts)), *J.values(), *(contact.n for contact in contacts))
    for i, contact in enumerate(contacts):
        pc, sc, n = contact.predecessor, contact.successor, contact.n
        T[:, i] = (J[sc].T - J[pc].T) @ n                                           # (11.25)
    return T


def separation_velocities(model, q, qd, contacts, t=0.0):
    """zeta (n_c, m/s): how fast the bodies separate at each contact (RBDA Eqs 11.27, 11.28).

    It is Tᵀ qd, and what joints that move with time add to it.
    """
    contacts = _contacts(contacts, model)
    return _velocities_apart(contacts, _in_base(model, q, body_velocities(model, q, qd, t), t))


def separation_accelerations(model, q, qd, qdd, contacts, t=0.0):
    """zeta_dot (n_c, m/s²) for the accelerations qdd of the tree's joints (RBDA Eqs 11.29, 11.33)."""
    contacts, qdd = _contacts(contacts, model), vector(qdd, model.nv, "qdd")
    return joint_space_normals(model, q, contacts, t).T @ qdd + _velocity_products(model, q, qd, contacts, t)


def _velocity_products(model, q, qd, contacts, t):
    """Tdotᵀ qd (n_c): the part of zeta_dot that depends on velocities, and on time (RBDA Eq. 11.30)."""
    v = _in_base(model, q, body_velocities(model, q, qd, t), t)
    a_vp = _in_base(model, q, body_accelerations(model, q, qd, zeros(model.nv, q, qd), t), t)
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


class _System(NamedTuple):
    """A system with contacts in independent variables y, with qdd = G ydd + g (G None in a tree, where qdd = ydd).

    H ydd = u + Tᵧ lam, where Tᵧ = Gᵀ T; zeta_dot = Tᵀ qdd + e = M lam + d. T is that of the tree; r_tree = tau - C.
    """

    H: np.ndarray
    u: np.ndarray
    parent: list | None
    G: np.ndarray | None
    g: np.ndarray
    T: np.ndarray
    zeta: np.ndarray
    e: np.ndarray
    H_T: np.ndarray
    c: np.ndarray
    M: np.ndarray
    d: np.ndarray

    def accelerations(self, lam):
        """qdd for contact forces lam: H⁻¹ (T lam + tau - C)."""
        ydd = self.c + self.H_T @ lam
        return ydd if self.G is None else self.G @ ydd + self.g


def _system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop):
    contacts = _contacts(contacts, model)
    H, u, parent, G, g = _independent_motion(model, q, qd, tau, f_ext, t, T_stab, tau_loop)
    T, e = joint_space_normals(model, q, contacts, t), _velocity_products(model, q, qd, contacts, t)
    own = T if G is None else G.T @ T
    solved = solve(H, np.column_stack([own, u]), parent)
    H_T, c = solved[:, :-1], solved[:, -1]
    M = _mirrored(own.T @ H_T)                                                      # (11.35)
    d = own.T @ c + e + T.T @ g                                                     # (11.36)
    return _System(H, u, parent, G, g, T, separation_velocities(model, q, qd, contacts, t), e, H_T, c, M, d)


def _independent_motion(model, q, qd, tau, f_ext, t, T_stab, tau_loop):
    """H ydd = u, the λ of H, and qdd = G ydd + g: all accelerations that loops allow (RBDA 8.5)."""
    tau, H = vector(tau, require_model(model).nv, "tau"), crba(model, q, t)
    f = tau - bias_with_loop_forces(model, q, qd, f_ext, tau_loop, t)
    if not model.loops:
        return H, f, expanded_parent(model), None, zeros(model.nv)
    K, k, delta = loop_constraints(model, q, qd, T_stab, t)
    G, g = constraint_solution(K, k, rank_tolerance(delta))
    return G.T @ H @ G, G.T @ (f - H @ g), None, G, g                               # (8.46)


def _mirrored(M):
    """M, symmetric but for rounding, with the upper triangle copied from the lower."""
    for i in range(len(M)):
        M[:i, i] = M[i, :i]
    return M
