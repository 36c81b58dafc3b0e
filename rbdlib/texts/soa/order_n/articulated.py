"""The articulated-body algorithm of the operator algebra, and the methods made of its factors (SOA 4, 5, 6).

Forward dynamics here takes q: positions (nq); qd: velocities (nv); tau: joint forces (nv); f_ext: forces on the bodies
in base coordinates, as for `rbdlib.rnea`; t: time (s). It returns qdd (nv). Lists are indexed by link, from the tip, as
in `rbdlib.texts.soa.operators`; where the text has link k+1 stands the inboard link of k, so that trees are welcome.
All raise ValueError or TypeError for bad arguments, and ValueError if a joint moves nothing with inertia.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book import ch06_factorisation as factorisation
from rbdlib.numbers.negligible import ROUNDING, sizes_by_unit
from rbdlib.numbers.scalars import eye, matrix, vector, zeros
from rbdlib.texts.soa.mass_matrix_methods import mass_matrix_crb
from rbdlib.texts.soa.operators import actuated, base_to_tip, bias_free, joint_vector, require_chain, tip_to_base


class Articulated(namedtuple("Articulated", "P D D_inv G K tau_bar P_plus psi")):
    """Results of the first recursion of the articulated-body algorithm, in lists indexed by link (SOA Eq. 45).

    P[k]: inertia about O_k of the links outboard of joint k with their joints free (6 x 6).  D[k]: its part along the
    joint (r_v x r_v).  D_inv[k]: the inverse of D[k].  G[k], K[k]: gains, 6 x r_v, at O_k and at O of the inboard link.
    tau_bar[k]: the projection that passes forces on through the free joint.  P_plus[k]: what is felt of P[k] through
    it.  psi[k]: tau_bar[k] followed by phi[k].
    """


def articulated_inertias(c):
    """The articulated-body inertias of a chain, from tip to base, and all that depends on q alone (SOA Eqs 40, 45).

    c: as from `rbdlib.texts.soa.operators.chain`. Returns `Articulated`. ValueError if a joint moves no inertia.
    """
    H, phi = require_chain(c).H, c.phi
    P, D, D_inv, G, K, tau_bar, P_plus, psi = ([None] * (c.n + 1) for _ in range(8))

    for k in c.links:
        P[k] = sum((phi[j] @ P_plus[j] @ phi[j].T for j in c.outboard[k]), c.M[k])      # (40)
        D[k] = H[k] @ P[k] @ H[k].T
        D_inv[k] = inverse(D[k], c.n + 1 - k, H[k].T, P[k])
        G[k] = P[k] @ H[k].T @ D_inv[k]                                                 # (33)
        K[k] = phi[k] @ G[k]                                                            # (33)
        tau_bar[k] = eye(6, G[k]) - G[k] @ H[k]                                         # (39)
        P_plus[k] = tau_bar[k] @ P[k]                                                   # (41)
        psi[k] = phi[k] @ tau_bar[k]                                                    # (42)

    return Articulated(P, D, D_inv, G, K, tau_bar, P_plus, psi)


class Sweeps(namedtuple("Sweeps", "z epsilon nu z_plus alpha_plus alpha beta_dot")):
    """Results of the other two recursions (SOA Eqs 46, 60): lists by link, and beta_dot (N) in the chain's order.

    z[k]: the force at O_k that the joint forces outboard of k cause.  epsilon[k]: the part of T(k) that accelerates.
    nu[k]: the acceleration of joint k if the inboard link stands still.  z_plus[k]: z[k] as it is felt through the
    joint.  alpha_plus[k], alpha[k]: accelerations at O_k on the two sides of the joint; alpha[n+1] is the base's.
    """


def two_sweeps(c, A, T, moving=True):
    """Joint forces T to accelerations: filtering from tip to base, smoothing from base to tip; `Sweeps` (SOA 46, 60).

    A: `articulated_inertias` of the chain c; T (N), in the chain's order. moving: whether velocities, gravity and
    external forces count (SOA Eq. 60); otherwise the chain is at rest and nothing but T acts on it (SOA Eq. 46).
    """
    T, H, phi, nothing = vector(T, require_chain(c).N, "T"), c.H, c.phi, zeros(6, c.beta)
    z, epsilon, nu, z_plus, alpha_plus, beta_dot = ([None] * (c.n + 1) for _ in range(6))
    alpha, bias = [None] * (c.n + 2), bias_forces(c, A) if moving else [nothing] * (c.n + 1)

    for k in c.links:
        z[k] = sum((phi[j] @ z_plus[j] for j in c.outboard[k]), bias[k])                # (44) (60)
        epsilon[k] = T[c.at(k)] - H[k] @ z[k]                                           # (32)
        nu[k] = A.D_inv[k] @ epsilon[k]                                                 # (33)
        z_plus[k] = z[k] + A.G[k] @ epsilon[k]                                          # (44)

    alpha[c.n + 1] = c.alpha_base if moving else nothing
    for k in reversed(c.links):
        alpha_plus[k] = phi[k].T @ alpha[c.inboard[k]]                                  # (35)
        beta_dot[k] = nu[k] - A.G[k].T @ alpha_plus[k]                                  # (32)
        alpha[k] = alpha_plus[k] + H[k].T @ beta_dot[k]                                 # (34)
        if moving:
            alpha[k] = alpha[k] + c.a[k]                                                # (60)

    return Sweeps(z, epsilon, nu, z_plus, alpha_plus, alpha, joint_vector(c, beta_dot))


def articulated_body(model, q, qd, tau, f_ext=None, t=0.0):
    """The articulated-body algorithm for a chain at rest, after inverse dynamics has taken C off (SOA Eqs 45, 46)."""
    c, T = actuated(model, q, qd, tau, f_ext, t)
    T_bar = bias_free(c, T)                                                             # (22)
    return c.to_model(two_sweeps(c, articulated_inertias(c), T_bar, moving=False).beta_dot)


def full_order_n(model, q, qd, tau, f_ext=None, t=0.0):
    """The full O(N) algorithm, which needs no inverse dynamics first (SOA Eqs 45, 46 with the lines of Eq. 60)."""
    c, T = actuated(model, q, qd, tau, f_ext, t)
    return c.to_model(two_sweeps(c, articulated_inertias(c), T).beta_dot)


def bias_forces(c, A):
    """P(k) a(k) + b(k), less the external force: what velocities and f_ext add to z(k), a list by link (SOA Eq. 60)."""
    return [None, *(A.P[k] @ c.a[k] + c.b[k] - c.f_ext[k] for k in require_chain(c).links)]


def rodriguez(model, q, qd, tau, f_ext=None, t=0.0):
    """Rodriguez's algorithm: a filter from tip to base, a smoother from base to tip (SOA Eqs 32, 43, 55, Lemma 6.5).

    The operator expression for beta_dot is evaluated from right to left, psi and psi* by their recursions:
    beta_dot = [1 - H psi K]* D^-1 [T - H psi (K T + b + P a)] - K* psi* a, so that z is the one-step prediction of a
    Kalman filter with the gain K and the transition psi.
    """
    c, T = actuated(model, q, qd, tau, f_ext, t)
    A = articulated_inertias(c)
    w, y, beta_dot = bias_forces(c, A), [None] * (c.n + 1), [None] * (c.n + 1)

    for k in c.links:
        w[k] = sum((A.K[j] @ T[c.at(j)] for j in c.outboard[k]), w[k])                  # K T + b + P a
    z = tip_to_base(c, w, A.psi)                                                        # (43)
    for k in c.links:
        nu = A.D_inv[k] @ (T[c.at(k)] - c.H[k] @ z[k])                                  # (32)
        y[k] = c.H[k].T @ nu + c.a[k]
        if c.inboard[k] == c.n + 1:
            y[k] = y[k] + A.psi[k].T @ c.alpha_base
        beta_dot[k] = nu
    alpha = [*base_to_tip(c, y, A.psi), c.alpha_base]                                   # psi* (H* nu + a)
    for k in c.links:
        beta_dot[k] = beta_dot[k] - A.K[k].T @ alpha[c.inboard[k]]                      # (32)

    return c.to_model(joint_vector(c, beta_dot))


def innovations(model, q, qd, tau, f_ext=None, t=0.0):
    """Two triangular systems of equations, by the innovations factors of the mass matrix: O(N²) (SOA 4, Lemma 6.2)."""
    c, T = actuated(model, q, qd, tau, f_ext, t)
    T_bar, A = bias_free(c, T), articulated_inertias(c)
    W, at = unit_triangle(c, A.K, c.phi), c.at                                          # 1 + H phi K
    y, x, beta_dot = ([None] * (c.n + 1) for _ in range(3))

    for k in c.links:                                                                   # (a) W D x = T_bar
        y[k] = T_bar[at(k)] - sum(W[at(k), at(j)] @ y[j] for j in range(1, k))
        x[k] = A.D_inv[k] @ y[k]
    for k in reversed(c.links):                                                         # (b) W* beta_dot = x
        beta_dot[k] = x[k] - sum(W[at(j), at(k)].T @ beta_dot[j] for j in range(k + 1, c.n + 1))

    return c.to_model(joint_vector(c, beta_dot))


def unit_triangle(c, K, phi):
    """1 + H phi K (N x N), unit lower triangular, column by column: the influence of K(k) on all links inboard.

    K: gains, a list of 6 x r_v by link. phi: the transformations phi(inboard(k), k); those of psi give 1 + H psi K.
    """
    W = eye(require_chain(c).N, *K[1:], *phi[1 : c.n + 1])
    for k in c.links:
        X, j = K[k], c.inboard[k]
        while j <= c.n:
            W[c.at(j), c.at(k)] = c.H[j] @ X
            X, j = phi[j] @ X, c.inboard[j]
    return W


def rosenthal_elimination(model, q, qd, tau, f_ext=None, t=0.0):
    """Gaussian elimination of the equations of motion from the tip, then back-substitution: O(N³) (SOA 4).

    The text describes Rosenthal's triangularisation in words only: the steps are like these, one freedom at a time, and
    take O(N²). How his equations save the factor N it does not say. With the pivots and multipliers from the O(N)
    recursions for D and K, which are the same numbers, the steps would be those of `innovations`, as is shown here.
    """
    c, T = actuated(model, q, qd, tau, f_ext, t)
    m, r, _ = triangularised(mass_matrix_crb(c), bias_free(c, T))
    beta_dot = zeros(c.N, m, r)
    for k in reversed(range(c.N)):
        beta_dot[k] = (r[k] - m[k, k + 1 :] @ beta_dot[k + 1 :]) / m[k, k]
    return c.to_model(beta_dot)


def triangularised(m, r):
    """The system m beta_dot = r (m: symmetric, N x N) with zeros below the diagonal: m, r and the multipliers (SOA 4).

    The pivots m_kk are joint inertias D(k), and the multipliers m_jk / m_kk, with ones on the diagonal, are 1 + H phi K
    for joints of one freedom. Raises ValueError or TypeError for arguments of the wrong shape or kind, and ValueError
    if a pivot is zero or, for floats and compared with what stood there before, zero to rounding.
    """
    N = np.size(r)
    m, r = matrix(m, (N, N), "m"), vector(r, N, "r")
    m, r, multipliers = m + zeros((N, N), r), r + zeros(N, m), eye(N, m, r)
    given = m.diagonal().copy()
    for k in range(N):
        if m[k, k] == 0 or isinstance(m[k, k], float) and abs(m[k, k]) <= ROUNDING * abs(given[k]):
            raise ValueError(f"The mass matrix is singular: freedom {k + 1}, counted from the tip, moves no inertia. "
                             "Give the bodies that it moves a mass.")
        for j in range(k + 1, N):
            multipliers[j, k] = m[j, k] / m[k, k]
            m[j] = m[j] - multipliers[j, k] * m[k]
            r[j] = r[j] - multipliers[j, k] * r[k]
    return m, r, multipliers


NO_INERTIA = ("The acceleration of the joint of body {0} has no value: the joint can move something that has no "
              "inertia, or its freedoms are not independent in this position. Give body {0}, or one beyond it, a mass, "
              "or leave the position.")


def inverse(D, body, S=None, P=None):
    """D^-1 (r x r) for the inertia D = Sᵀ P S of the joint of a body; ValueError if it is zero, or so to rounding.

    S, P: what the pivots of D are compared with; without them, the diagonal of D alone.
    """
    return factorisation.inverse(D, NO_INERTIA.format(body), None if S is None else sizes_by_unit(S, P))
