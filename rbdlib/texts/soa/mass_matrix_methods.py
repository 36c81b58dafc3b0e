"""Forward dynamics through the mass matrix: explicit, O(N³), and by conjugate gradients, O(N²) (SOA 3-4).

The functions of a `Chain` work in the chain's order, tip first, like the text; those of forward dynamics at the end in
the model's. The mass matrix is that of the system at rest, whatever velocities and forces the chain has.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch06_factorisation import inverse, solve
from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.pivots import choices_of
from rbdlib.numbers.scalars import as_floats, eye, number, sqrt, vector, zeros
from rbdlib.numbers.validation import one_of
from rbdlib.texts.soa import operators
from rbdlib.texts.soa.operators import base_to_tip, composite_inertias, joint_vector, mass_matrix_times, require_chain


def mass_matrix_direct(c):
    """The mass matrix (N x N) of the chain c, each column by inverse dynamics of the whole: the direct method (SOA 3).

    Column k is the joint force for the acceleration 1 of variable k alone, at rest (Eq. 23; Walker and Orin's first).
    """
    M = zeros((require_chain(c).N, c.N), *c.M[1:-1])
    for k in range(c.N):
        beta_dot = eye(c.N, M)[k]                                                       # (23)
        M[:, k] = mass_matrix_times(c, beta_dot)                                        # (17)
    return M


def mass_matrix_by_symmetry(c):
    """The mass matrix (N x N), column k by inverse dynamics of the links outboard of joint k alone (SOA 3).

    The links inboard of joint k stand still while it alone accelerates. This gives the upper triangle (rows j <= k).
    """
    M = zeros((require_chain(c).N, c.N), *c.M[1:-1])
    for k in c.links:
        alpha, f = {k: c.H[k].T}, {}
        for j in reversed(range(1, k)):
            if c.inboard[j] in alpha:
                alpha[j] = c.phi[j].T @ alpha[c.inboard[j]]                             # (17)
        for j in reversed(alpha):
            f[j] = sum((c.phi[i] @ f[i] for i in c.outboard[j]), c.M[j] @ alpha[j])     # (17)
            M[c.at(j), c.at(k)] = c.H[j] @ f[j]
            M[c.at(k), c.at(j)] = M[c.at(j), c.at(k)].T
    return M


def mass_matrix_crb(c):
    """The mass matrix (N x N) by the composite-rigid-body algorithm (SOA Eq. 28)."""
    M, R, X = zeros((require_chain(c).N, c.N), *c.M[1:-1]), composite_inertias(c), [None] * (c.n + 1)
    for k in c.links:
        X[k] = R[k] @ c.H[k].T
        M[c.at(k), c.at(k)] = c.H[k] @ X[k]
        i = k
        for j in c.path(k)[1:]:
            X[j] = c.phi[i] @ X[i]
            M[c.at(j), c.at(k)] = c.H[j] @ X[j]
            M[c.at(k), c.at(j)] = M[c.at(j), c.at(k)].T
            i = j
    return M                                                                            # (28)


class CompositeForces(namedtuple("CompositeForces", "R y alpha f T")):
    """Results of `crb_inverse_dynamics`: lists R, y, alpha, f by link, and T (N); f(k) = R(k) alpha(k) + y(k)."""


def crb_inverse_dynamics(c, beta_dot):
    """Joint forces of the system at rest, by composite-body inertias: Lemma 3.2, f = R alpha + y (SOA Eq. 29).

    beta_dot: joint accelerations (N), in the chain's order. The recursions for y and for alpha do not need each other.
    """
    beta_dot, R = vector(beta_dot, require_chain(c).N, "beta_dot"), composite_inertias(c)
    y, f, T = [None] * (c.n + 1), [None] * (c.n + 1), [None] * (c.n + 1)
    H_beta_dot = [None, *(c.H[k].T @ beta_dot[c.at(k)] for k in c.links)]

    for k in c.links:
        y[k] = sum((c.phi[j] @ (y[j] + R[j] @ H_beta_dot[j]) for j in c.outboard[k]), 0 * H_beta_dot[k])

    alpha = base_to_tip(c, H_beta_dot)
    for k in reversed(c.links):
        f[k] = R[k] @ alpha[k] + y[k]
        T[k] = c.H[k] @ f[k]

    return CompositeForces(R, y, alpha, f, joint_vector(c, T))                          # (29)


class ConjugateGradients(namedtuple("ConjugateGradients", "beta_dot r p converged")):
    """Results of `conjugate_gradients`: beta_dot (N), and the lists of all residuals r_k and directions p_k.

    r[0] is the right-hand side and p[0] is zero, as in SOA Eq. 30.  converged: whether the last residual is negligible.
    """


#: How many times N steps conjugate gradients may take; without rounding N are enough.
STEPS = 30


def conjugate_gradients(times, T_bar, precondition=None, gamma="corrected", tolerance=0, steps=None):
    """The solution of M beta_dot = T_bar by conjugate gradients, for a symmetric positive definite M (SOA Eq. 30).

    times: function that gives M p for a vector p.  T_bar: the right-hand side (N).  precondition: function that solves
    Lambda z = r for z; left out, Lambda = 1.  gamma: "corrected", or "printed" for the formula in the text, which is
    right only if Lambda = 1.  tolerance: the largest residual, as a part of that of beta_dot = 0, at which to stop; 0
    means the rounding error of the numbers used.  steps: when to give up, 30 N if left out; what is not a number, such
    as a symbol, gets N at most. Returns `ConjugateGradients`. Raises ValueError or TypeError for arguments of the wrong
    kind, and ValueError for a singular M if it shows.
    """
    N = np.size(T_bar)
    T_bar, steps = vector(T_bar, N, "T_bar"), STEPS * N if steps is None else whole_number(steps, "steps")
    for function, name in ((times, "times"), (precondition, "precondition")):
        if not callable(function) and not (function is None and name == "precondition"):
            raise TypeError(f"{name} is {function!r}; give a function of a vector, such as lambda p: M @ p.")
    one_of(("corrected", "printed"), gamma, "gamma")
    limit = as_floats([number(tolerance, "tolerance")])
    if limit is None or not 0 <= limit[0] < 1:
        raise ValueError(f"tolerance is {tolerance!r}; give a number such as 1e-8: at least 0, below 1.")
    beta_dot, r, z, p = zeros(N, T_bar), [T_bar], [], [zeros(N, T_bar)]
    for k in range(1, steps + 1):
        if _negligible(r[k - 1], T_bar, tolerance) or (k > N and not _rounded(r[k - 1])):
            break
        z.append(r[k - 1] if precondition is None else precondition(r[k - 1]))
        gamma_k = 0
        if k > 1:
            z_z = z[-1] @ z[-1] if gamma == "printed" else z[-1] @ r[-1]
            gamma_k = z_z / (r[-2] @ r[-2] if gamma == "printed" else z[-2] @ r[-2])
        p.append(z[k - 1] + gamma_k * p[k - 1])
        M_p = times(p[k])
        if p[k] @ M_p == 0:
            raise ValueError("The mass matrix is singular: a motion meets no inertia. Give the bodies it moves a mass.")
        s = (z[k - 1] @ r[k - 1]) / (p[k] @ M_p)
        beta_dot = beta_dot + s * p[k]
        r.append(r[k - 1] - s * M_p)                                                    # (30)
    return ConjugateGradients(beta_dot, r, p, _negligible(r[-1], T_bar, tolerance))


def _rounded(x):
    """True if x is of numbers that are rounded; formulas of symbols are not."""
    return x.dtype.kind == "c" or as_floats(x) is not None or choices_of(x) is not None


def _negligible(r, T_bar, tolerance):
    if not _rounded(r):
        return all(x == 0 for x in r)
    if r.dtype.kind == "c":
        r, T_bar = abs(r), abs(T_bar)
    size, whole = sqrt(r @ r), sqrt(T_bar @ T_bar)
    return bool(size <= tolerance * whole or whole + size == whole)


def preconditioner(c):
    """The function that solves Lambda z = r for z, where Lambda = H R H* holds the diagonal blocks of the mass matrix.

    This is Fijany and Scheid's choice (SOA 4); R comes from Eq. 25. ValueError names the body if one is singular.
    """
    R, Lambda_inv = composite_inertias(c), [None] * (c.n + 1)
    for k in c.links:
        i = c.n + 1 - k
        Lambda = inverse(c.H[k] @ R[k] @ c.H[k].T, (
            "The mass matrix is singular, or not positive definite: with all joints beyond it locked, the joint of "
            f"body {i} can move something that has no inertia. Give body {i}, or one beyond it, a mass."))
        Lambda_inv[k] = (Lambda + Lambda.T) / 2         # conjugate gradients suffer from the least asymmetry

    def precondition(r):
        return joint_vector(c, [None, *(Lambda_inv[k] @ r[c.at(k)] for k in c.links)])

    return precondition


def direct(model, q, qd, tau, f_ext=None, t=0.0):
    """Accelerations qdd (nv) from joint forces tau (nv), with the mass matrix of `mass_matrix_direct` (SOA 3).

    q, qd, f_ext, t: as for `rnea`. Raises ValueError or TypeError for bad arguments and a singular mass matrix.
    """
    return _explicit(mass_matrix_direct, model, q, qd, tau, f_ext, t)


def symmetry(model, q, qd, tau, f_ext=None, t=0.0):
    """Accelerations from joint forces, with the mass matrix of `mass_matrix_by_symmetry`; arguments as for `direct`."""
    return _explicit(mass_matrix_by_symmetry, model, q, qd, tau, f_ext, t)


def crb(model, q, qd, tau, f_ext=None, t=0.0):
    """Accelerations from joint forces, with the mass matrix of `mass_matrix_crb`; arguments as for `direct`."""
    return _explicit(mass_matrix_crb, model, q, qd, tau, f_ext, t)


def conjugate_gradient(model, q, qd, tau, f_ext=None, t=0.0):
    """Accelerations from joint forces by conjugate gradients, without the mass matrix (SOA 4, Walker and Orin).

    Arguments as for `direct`. Raises ValueError if the residual does not become negligible in 30 nv steps. For symbols
    take 'crb' or 'aba': here each step multiplies the size of the formulas.
    """
    return _iterated(lambda c: None, model, q, qd, tau, f_ext, t)


def preconditioned_conjugate_gradient(model, q, qd, tau, f_ext=None, t=0.0):
    """Accelerations from joint forces by conjugate gradients with Lambda = H R H* (SOA Eq. 30 with gamma corrected).

    Arguments and errors as for `conjugate_gradient`.
    """
    return _iterated(preconditioner, model, q, qd, tau, f_ext, t)


def _explicit(mass_matrix, model, q, qd, tau, f_ext, t):
    c, T = operators.actuated(model, q, qd, tau, f_ext, t)
    T_bar = operators.bias_free(c, T)
    return solve(c.to_model(mass_matrix(c)), c.to_model(T_bar))                         # (22)


def _iterated(precondition, model, q, qd, tau, f_ext, t):
    c, T = operators.actuated(model, q, qd, tau, f_ext, t)
    T_bar = operators.bias_free(c, T)
    found = conjugate_gradients(lambda p: mass_matrix_times(c, p), T_bar, precondition(c))
    if not found.converged and _rounded(found.r[-1]):
        raise ValueError(f"Conjugate gradients did not converge in {len(found.p) - 1} steps: the mass matrix is too "
                         "ill-conditioned or singular. Choose a direct method, such as 'crb' or 'aba'.")
    return c.to_model(found.beta_dot)                                                   # (22)
