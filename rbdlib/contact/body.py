"""Point contacts of one rigid body on fixed surfaces, without friction (RBDA 11.1, 11.2)."""

from collections import namedtuple

import numpy as np

from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import crf
from rbdlib.book.ch06_factorisation import ltdl, solve
from rbdlib.book.ch11_contact import TOUCHING, contact_coefficients
from rbdlib.contact.collisions import inertia
from rbdlib.contact.lcp import METHODS, solve_lcp
from rbdlib.contact.systems import size_of_products
from rbdlib.numbers.scalars import matrix, number, vector, zeros
from rbdlib.numbers.validation import one_of, real, tolerances, unit_force, values_or_none


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
    I, v, f = _body(I, v, f)
    n, ndot_v = vector(n, len(v), "n"), number(ndot_v, "ndot_v")
    unit_force(n, "n")
    _require_rest([n @ v], tolerance)
    c = solve(I, f - _crf(v) @ I @ v)
    M = n @ solve(I, n)                                                             # (11.8)
    d = n @ c + ndot_v                                                              # (11.9)
    if real(d, "d") >= 0:
        zeta_dot, lam = d, d - d                                                    # (11.10)
    else:
        zeta_dot, lam = d - d, -d / M
    f_c = n * lam                                                                   # (11.1)
    return BodyContacts(c + solve(I, f_c), f_c, lam, zeta_dot, "unique")            # (11.6)


def several_contacts(I, v, f, N, Ndot_v=0, method="lemke", tolerance=TOUCHING):
    """The motion of a body that touches fixed surfaces at n_c points (RBDA Eqs 11.11 to 11.22): `BodyContacts`.

    I, v, f, tolerance and errors: as for `single_contact`, which n_c = 1 repeats. N (6 x n_c): the normals, as columns.
    Ndot_v: the n_c numbers ndot_i · v, or 0 for none. method: as for `solve_lcp`.
    """
    I, v, f, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    one_of(METHODS, method, "method")
    _require_rest(N.T @ v, tolerance)
    M, d = body_contact_equations(I, v, f, N, Ndot_v)
    solution = solve_lcp(M, d, method, size=_sizes(I, v, f, N, Ndot_v))             # (11.18)
    if not solution.feasible:
        return BodyContacts(None, None, None, None, solution.status)
    f_c = N @ solution.lam                                                          # (11.16)
    a = solve(I, f_c + f - _crf(v) @ I @ v)                                         # (11.19)
    return BodyContacts(a, f_c, solution.lam, solution.zeta_dot, solution.status)


def body_contact_equations(I, v, f, N, Ndot_v=0):
    """M (n_c x n_c) and d (n_c) of zeta_dot = M lam + d for one body (RBDA Eqs 11.20 to 11.22).

    Arguments as for `several_contacts`; N may be a single normal. Formulas are welcome.
    """
    I, v, f, N, Ndot_v = _several(I, v, f, N, Ndot_v)
    M, d, *_ = contact_coefficients(I, N, f - _crf(v) @ I @ v, Ndot_v)              # (11.21) (11.22)
    return M, d


def _sizes(I, v, f, N, Ndot_v):
    """How large the numbers are that d is the sum of (n_c), so that rounding is not taken for real."""
    p = _crf(v) @ I @ v
    terms = [values_or_none(x) for x in (N, solve(I, N).T, f, p, solve(I, f), solve(I, p), Ndot_v)]
    if any(term is None for term in terms):
        return None
    N, Y, f, p, *accelerations, Ndot_v = (np.abs(term) for term in terms)
    return Y @ (f + p) + [size_of_products(n, accelerations) for n in N.T] + Ndot_v     # rounding turns N a little


def _several(I, v, f, N, Ndot_v):
    I, v, f = _body(I, v, f)
    if np.ndim(N) != 2:
        N = vector(N, len(v), "N")[:, None]
    N = matrix(N, (len(v), np.shape(N)[1]), "N")
    for i, n in enumerate(N.T):
        unit_force(n, f"N[:, {i}]")
    Ndot_v = zeros(N.shape[1], I, v, f) if np.ndim(Ndot_v) == 0 and Ndot_v == 0 else np.atleast_1d(Ndot_v)
    return I, v, f, N, vector(Ndot_v, N.shape[1], "Ndot_v")


def _body(I, v, f):
    size = 3 if np.shape(v) == (3,) else 6
    I = inertia(I, size, "I")
    try:
        ltdl(I)
    except ValueError as error:
        raise ValueError("I is not positive definite, so that some force meets no inertia. Give the body a mass and, "
                         "if it is a point or a thin rod, some rotational inertia.") from error
    return I, vector(v, size, "v"), vector(f, size, "f")


def _crf(v):
    return crf(v) if len(v) == 6 else planar.crf(v)


def _require_rest(zeta, tolerance):
    """Only bodies that stay together transmit finite forces: zeta = 0 (RBDA 11.1)."""
    limit = tolerances(tolerance)[1]
    for i, value in enumerate(values_or_none(zeta) if values_or_none(zeta) is not None else ()):
        if abs(value) > limit:
            what = "approach, which takes an impulse first" if value < 0 else "part already, and touch no more"
            raise ValueError(f"v gives contact {i} the separation velocity n · v = {value:.6g} m/s: the bodies {what}. "
                             "Give a v with n · v = 0, or a larger tolerance if this is rounding.")
