"""Equations of motion under constraint: of any system (RBDA 3.2) and of one rigid body (RBDA 3.6)."""

from collections import namedtuple

import numpy as np

from rbdlib.numbers.linear import shortest_solution, solve_linear
from rbdlib.numbers.scalars import as_floats, block_diagonal, eye, matrix, vector, zeros
from rbdlib.numbers.validation import spanning

# Two operations on equations of motion: collect subsystems, apply constraints (RBDA 3.2)


class Equation(namedtuple("Equation", "H C tau")):
    """An equation of motion H qdd + C = tau: H (n x n), C (n), tau (n) (RBDA Eq. 3.13)."""


class Implicit(namedtuple("Implicit", "qdd lam tau_c rank unique")):
    """The result of `apply_implicit_constraint`.

    qdd: accelerations (n).  lam: Lagrange multipliers (n_c).  tau_c = Kᵀ lam: constraint force (n).  rank: number of
    independent constraints.  unique: True if qdd is the only solution; otherwise it is the shortest one.
    """


class Explicit(namedtuple("Explicit", "ydd qdd tau_c H_G C_G u")):
    """The result of `apply_explicit_constraint`.

    ydd: independent accelerations (m).  qdd: all accelerations (n).  tau_c: constraint force (n).  H_G, C_G, u: the
    equation of motion H_G ydd + C_G = u of the constrained system (RBDA Eq. 3.21).
    """


def collect(*subsystems):
    """One equation of motion for several systems that do not touch (RBDA Eq. 3.10): an `Equation`.

    Each subsystem is a triple (H_i, C_i, tau_i); a rigid body enters as its (I_i, p_i, f_i).
    """
    checked = [_equation(*subsystem) for subsystem in subsystems]
    return Equation(block_diagonal([H for H, _, _ in checked]),
                    np.concatenate([C for _, C, _ in checked]), np.concatenate([tau for _, _, tau in checked]))


def implicit_system(H, C, tau, K, k):
    """Matrix and right side of [H Kᵀ; K 0] [qdd; -lam] = [tau - C; k] (RBDA Eq. 3.17). Mind the sign of lam."""
    H, C, tau = _equation(H, C, tau)
    K, k = _constraint(K, k, len(H))
    M = np.block([[H, K.T],
                  [K, zeros((len(K), len(K)), H)]])
    return M, np.concatenate([tau - C, k])


def explicit_system(H, C, tau, G, g):
    """Matrix and right side of [H -1 0; -1 0 G; 0 Gᵀ 0] [qdd; tau_c; ydd] = [tau - C; -g; 0] (RBDA Eq. 3.18)."""
    H, C, tau = _equation(H, C, tau)
    G, g = _freedoms(G, g, len(H))
    n, m = G.shape
    M = np.block([[H, -eye(n, H), zeros((n, m), H)],
                  [-eye(n, H), zeros((n, n), H), G],
                  [zeros((m, n), H), G.T, zeros((m, m), H)]])
    return M, np.concatenate([tau - C, -g, zeros(m, H)])


def reduced_explicit_system(H, C, tau, G, g):
    """Matrix and right side of [H⁻¹ G; Gᵀ 0] [-tau_c; ydd] = [H⁻¹(tau - C) - g; 0] (RBDA Eq. 3.19, corrected).

    The book prints +tau_c among the unknowns; eliminating qdd from Eq. 3.18 gives -tau_c, as here.
    """
    H, C, tau = _equation(H, C, tau)
    G, g = _freedoms(G, g, len(H))
    n, m = G.shape
    M = np.block([[solve_linear(H, eye(n, H)), G],
                  [G.T, zeros((m, m), H)]])
    return M, np.concatenate([solve_linear(H, tau - C) - g, zeros(m, H)])


def apply_implicit_constraint(H, C, tau, K, k, tolerance=1e-9):
    """The motion of H qdd + C = tau + tau_c under the constraint K qdd = k (RBDA Eqs 3.14, 3.15, 3.17).

    H: symmetric, positive definite at least for the motions that K allows (n x n); C, tau: (n); K: (n_c x n); k: (n_c).
    Rows of K may depend on one another: qdd is then still unique, and of the many lam the shortest is returned.
    tolerance: singular values of K below this fraction of the largest count as zero. Returns an `Implicit`.
    With symbols every row of K must be independent. Raises ValueError if the constraints contradict one another, or if
    a motion without inertia is pushed.
    """
    H, C, tau = _equation(H, C, tau)
    K, k = _constraint(K, k, len(H))
    numbers = [as_floats(array) for array in (H, tau - C, K, k)]
    if all(array is not None for array in numbers):
        qdd, lam, rank, unique = shortest_solution(*numbers, tolerance)
    else:
        solution = solve_linear(*implicit_system(H, C, tau, K, k))
        qdd, lam, rank, unique = solution[: len(H)], -solution[len(H) :], len(K), True
    return Implicit(qdd, lam, K.T @ lam, rank, unique)


def apply_explicit_constraint(H, C, tau, G, g):
    """The motion of H qdd + C = tau + tau_c whose accelerations are qdd = G ydd + g (RBDA Eqs 3.16, 3.20, 3.21).

    H: (n x n); C, tau, g: (n); G: (n x m), of full column rank. Numbers or symbols. Returns an `Explicit`. Raises
    ValueError if Gᵀ H G is singular.
    """
    H, C, tau = _equation(H, C, tau)
    G, g = _freedoms(G, g, len(H))
    H_G = G.T @ H @ G
    C_G = G.T @ (C + H @ g)
    u = G.T @ tau
    ydd = solve_linear(H_G, u - C_G)                                                    # (3.21)
    qdd = G @ ydd + g                                                                   # (3.11)
    tau_c = H @ qdd + C - tau                                                           # (3.14)
    return Explicit(ydd, qdd, tau_c, H_G, C_G, u)


def _equation(H, C, tau):
    C = vector(C, np.size(C), "C")
    return Equation(matrix(H, (len(C), len(C)), "H"), C, vector(tau, len(C), "tau"))


def _constraint(K, k, n):
    k = vector(k, np.size(k), "k")
    return matrix(K, (len(k), n), "K"), k


def _freedoms(G, g, n):
    return spanning(G, "G", n), vector(g, n, "g")


# One rigid body on a joint that leads from the fixed base (RBDA 3.6)


class ConstrainedBody(namedtuple("ConstrainedBody", "qdd a f_c Phi b")):
    """The motion of a constrained body by Method 1: a = Phi f + b (RBDA Eq. 3.53).

    qdd: joint accelerations (n_f).  a: spatial acceleration (6).  f_c: constraint force (6).  Phi: apparent inverse
    inertia (6 x 6).  b: bias acceleration (6).
    """


def constrained_body_explicit(I, p, f, S, S_dot, qd):
    """Method 1: the motion of a body whose velocity is v = S qd (RBDA Eqs 3.47-3.55): a `ConstrainedBody`.

    I: inertia (6 x 6); p = v ×* I v - f_g: bias force (6); f: applied force (6); S, S_dot: motion subspace and its rate
    of change (6 x n_f; v × S for a joint axis that the body carries along); qd: joint velocities (n_f).
    Columns of S must be independent; ValueError otherwise.
    """
    I, p, f, S, Sdqd = _body_on_joint(I, p, f, S, S_dot, qd)
    M = S.T @ I @ S
    qdd = solve_linear(M, S.T @ (f - I @ Sdqd - p))                                     # (3.51)
    a = S @ qdd + Sdqd                                                                  # (3.49)
    Phi = S @ solve_linear(M, S.T)                                                      # (3.54)
    b = Sdqd - Phi @ (I @ Sdqd + p)                                                     # (3.55)
    f_c = I @ a + p - f                                                                 # (3.45)
    return ConstrainedBody(qdd, a, f_c, Phi, b)


def constrained_body_implicit(I, p, f, T, T_dot, v):
    """Method 2: the motion of a body whose velocity v obeys Tᵀ v = 0 (RBDA Eqs 3.56-3.60).

    I, p, f: as for `constrained_body_explicit`; T, T_dot: constraint force subspace and its rate of change (6 x n_c;
    v ×* T where the body carries it along); v: velocity (6). Returns a (6), lam (n_c) and f_c = T lam (6). Dependent
    columns of T are allowed: they make lam, but not a, indeterminate.
    """
    T, v = spanning(T, "T", 6), vector(v, 6, "v")
    T_dot = matrix(T_dot, T.shape, "T_dot")
    a, lam, f_c, _, _ = apply_implicit_constraint(I, p, f, T.T, -T_dot.T @ v)           # (3.60)
    return a, lam, f_c


def constrained_body_coordinates(I, p, tau, S, S_dot, qd):
    """Method 3: the equation of motion H qdd + C = tau of a body whose velocity is v = S qd (RBDA Eqs 3.61-3.64).

    I, p, S, S_dot, qd: as for `constrained_body_explicit`; tau: generalized force (n_f), Sᵀ f for a spatial force f.
    Returns qdd (n_f), H (n_f x n_f) and C (n_f).
    """
    I, p, _, S, Sdqd = _body_on_joint(I, p, np.zeros(6), S, S_dot, qd)
    tau = vector(tau, S.shape[1], "tau")
    H = S.T @ I @ S                                                                     # (3.63)
    C = S.T @ (I @ Sdqd + p)                                                            # (3.64)
    return solve_linear(H, tau - C), H, C                                               # (3.62)


def _body_on_joint(I, p, f, S, S_dot, qd):
    S = spanning(S, "S", 6)
    S_dot, qd = matrix(S_dot, S.shape, "S_dot"), vector(qd, S.shape[1], "qd")
    return matrix(I, (6, 6), "I"), vector(p, 6, "p"), vector(f, 6, "f"), S, S_dot @ qd
