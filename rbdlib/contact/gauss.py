"""The accelerations of a system with contacts by Gauss' principle of least constraint (RBDA 11.5, Eq. 11.44)."""

import numpy as np

from rbdlib.book.ch06_factorisation import ltl, multiply_L, solve, solve_L, solve_Lt
from rbdlib.contact.lcp import shortest, solve_lcp
from rbdlib.contact.systems import contact_system, sizes_of_terms
from rbdlib.numbers.scalars import vector
from rbdlib.numbers.signs import require_numbers, values_or_none

#: How far the constraints may be from fulfilled, in parts of the largest of them.
TOLERANCE = 1e-11


def accelerations_by_qp(model, q, qd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None):
    """qdd (nv): of all accelerations that keep the bodies apart, the nearest to the free ones (RBDA Eq. 11.44).

    What is least is (qdd - free)ᵀ H (qdd - free). Arguments as for `contact_equations`, of numbers. Returns None if no
    acceleration keeps the bodies apart. With H = LᵀL and x = L (qdd - free) this is to find the shortest x with
    (L⁻ᵀ T)ᵀ x + d >= 0, which the library daqp does. Raises ImportError without it (extra `qp`), and ArithmeticError if
    rounding errors hide the answer.
    """
    require_numbers(q=q, qd=qd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    L, Y = _in_units_of_energy(system)
    x = _shortest(Y, _floats(system.d, "d"), sizes_of_terms(model, system, tau))
    return None if x is None else system.motion.of_tree(system.free + solve_L(L, x, system.motion.parent))


def recover_lambda(model, q, qd, qdd, tau, contacts, f_ext=None, t=0.0, T_stab=None, tau_loop=None, tolerance=1e-8):
    """lam (n_c) that gives the accelerations qdd (nv), such as those of `accelerations_by_qp` (RBDA 11.5).

    It solves T lam = H qdd + C - tau, as nearly as can be with lam >= 0, an LCP again, and with lam_i = 0 where the
    bodies separate; it is one of many if the normals depend on one another. Other arguments as for `contact_equations`,
    of numbers. tolerance: how large, in parts of the terms they are made of, a zeta_dot and what is left of the
    equation may be to count as zero. Raises ValueError if there is no such lam.
    """
    require_numbers(q=q, qd=qd, qdd=qdd, tau=tau)
    system = contact_system(model, q, qd, tau, contacts, f_ext, t, T_stab, tau_loop)
    motion, qdd, T, e = system.motion, vector(qdd, model.nv, "qdd"), system.T, system.e
    zeta_dot, size = T.T @ qdd + e, np.abs(T.T) @ np.abs(qdd) + sizes_of_terms(model, system, tau)
    on = [i for i in range(len(e)) if abs(zeta_dot[i]) <= tolerance * size[i]]
    L, Y = _in_units_of_energy(system)
    free = _floats(multiply_L(L, system.free, motion.parent), "qdd")
    x = _floats(multiply_L(L, _of_y(motion, qdd), motion.parent), "qdd") - free
    lam = np.zeros(len(e))
    lam[on] = solve_lcp(Y[:, on].T @ Y[:, on], -Y[:, on].T @ x).lam
    if np.abs(Y @ lam - x).max(initial=0) > tolerance * max(np.abs(x).max(initial=0), np.abs(free).max(initial=0)):
        raise ValueError("qdd is not what these contacts make of tau: no lam >= 0 gives it. Give accelerations such as "
                         "accelerations_by_qp finds, at the same state.")
    return lam


def _of_y(motion, qdd):
    """ydd, of which qdd = G ydd + g."""
    G = motion.G
    return qdd if G is None else solve(G.T @ G, G.T @ (qdd - motion.g))


def _in_units_of_energy(system):
    """L of H = LᵀL, and Y = L⁻ᵀ T in independent variables, as floats: M = YᵀY."""
    L, parent = ltl(system.motion.H, system.motion.parent), system.motion.parent
    columns = [solve_Lt(L, column, parent) for column in system.motion.force(system.T).T]
    return L, _floats(np.array(columns).reshape(len(columns), len(L)).T, "T")


def _shortest(Y, d, sizes):
    """The shortest x with Yᵀ x + d >= 0, in units in which the normals have length 1; None if there is none.

    sizes (n_c): of what d is the sum of. Where the library finds no x, the LCP of M = YᵀY and d tells whether it is so.
    """
    lengths = np.sqrt((Y**2).sum(axis=0))
    moved = lengths > 0
    if (d[~moved] < -TOLERANCE * sizes[~moved]).any():
        return None
    size = (np.maximum(np.abs(d), sizes)[moved] / lengths[moved]).max(initial=0) or 1
    x, _ = shortest(Y[:, moved] / lengths[moved], d[moved] / (size * lengths[moved]), TOLERANCE)
    if x is not None:
        return size * x
    found = solve_lcp(Y.T @ Y, d, size=sizes)
    return Y @ found.lam if found.feasible else None


def _floats(array, name):
    values = values_or_none(array)
    if values is None:
        raise ValueError(f"{name} contains symbols; give numbers in their place.")
    return values
