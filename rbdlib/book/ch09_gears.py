"""Gears: the equation of motion of a tree with them (RBDA 9.6).

The gears leave free the independent ones, y, of the joint variables q = γ(y): `rbdlib.methods.geared_trees` makes such
trees. Further methods are in `rbdlib.methods.gears`, and scaled inertias in place of motors in `rbdlib.methods.rotors`.

geared: a `GearedTree`; y: independent positions (ny); yd: velocities (m); tau: the forces of all joints (nv), those of
the motors at the joints they turn; f_ext, t: as for `rnea`.
"""

from collections import namedtuple

from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.numbers.model_arguments import require_geared
from rbdlib.numbers.scalars import vector


class GearedEquation(namedtuple("GearedEquation", "H_G C_G u")):
    """H_G ydd + C_G = u, with H_G = GᵀHG (m x m), C_G = Gᵀ(C + H g) (m) and u = Gᵀtau (m) (RBDA Eq. 9.26)."""


def equation_of_motion(geared, y, yd, tau, f_ext=None, t=0.0):
    """The equation of motion of a tree with gears (RBDA Eq. 9.26): a `GearedEquation`, with nothing left out."""
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau = vector(tau, model.nv, "tau")
    H, C = crba(model, q, t), bias_force(model, q, qd, f_ext, t)
    return GearedEquation(G.T @ H @ G, G.T @ (C + H @ g), G.T @ tau)                    # (9.26)


def state(geared, y, yd):
    """q = γ(y), qd = G yd, G and g in the state y, yd."""
    G = require_geared(geared).G(y)
    return geared.gamma(y), G @ vector(yd, geared.m, "yd"), G, geared.g(y, yd)


def by_G(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m), from the equation of motion with explicit G, all products formed (RBDA Eq. 9.26)."""
    H_G, C_G, u = equation_of_motion(geared, y, yd, tau, f_ext, t)
    return solve(H_G, u - C_G)
