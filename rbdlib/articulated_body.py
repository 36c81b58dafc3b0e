"""Forward dynamics by propagation: articulated-body inertias and the articulated-body algorithm (RBDA 7.1-7.3)."""

from typing import NamedTuple

import numpy as np

from rbdlib.inertia_matrix import ltdl
from rbdlib.joints import jcalc
from rbdlib.model import external_forces, require_model
from rbdlib.scalars import eye, number, vector, zeros
from rbdlib.spatial import crf, crm, force_transform, free_motion

#: A joint whose D is smaller than this, compared with I_A, meets no inertia but what rounding left over.
ROUNDING = 1e-14


class ArticulatedBodies(NamedTuple):
    """Every quantity of an articulated-body computation, in lists indexed by body number (0 is the base).

    X_up[i]: transform from the parent to body i.  X_0[i]: transform from the base to body i.  S[i]: motion subspace.
    v[i], c[i], p[i]: velocity, velocity-product acceleration and bias force of body i alone.  I_A[i], p_A[i]: inertia
    and bias force of the articulated body whose handle is body i, which consists of the bodies nu(i).  U[i], D[i],
    u[i]: I_A S, Sᵀ I_A S and tau - Sᵀ p_A.  I_a[i], p_a[i]: what body i's parent feels of I_A and p_A through joint i
    (None where the parent is the base).  a[i]: acceleration (a[0] = -a_g carries gravity). All in body coordinates.
    qdd: the joint accelerations.
    """

    X_up: list
    X_0: list
    S: list
    v: list
    c: list
    p: list
    I_A: list
    p_A: list
    U: list
    D: list
    u: list
    I_a: list
    p_a: list
    a: list
    qdd: object


def aba(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations qdd that the forces tau cause: the articulated-body algorithm (RBDA Table 7.1).

    q: positions (nq); qd: velocities (nv); tau: joint forces (nv), N or N m; f_ext: forces on the bodies in base
    coordinates, an (N_B+1, 6) array or a dict {body: 6-vector}; t: time (s), for joints that depend on it. Returns qdd
    (nv). The cost is O(N_B). Raises ValueError or TypeError for arguments of the wrong length or kind, and ValueError
    if a joint moves nothing that has inertia.
    """
    return articulated_bodies(model, q, qd, tau, f_ext, t).qdd


def articulated_bodies(model, q, qd, tau, f_ext=None, t=0.0):
    """The articulated-body algorithm with all its intermediate quantities (RBDA Table 7.1, Eqs 7.32-7.50).

    Arguments and errors as for `aba`; returns an `ArticulatedBodies`.
    """
    require_model(model)
    q, qd, tau = vector(q, model.nq, "q"), vector(qd, model.nv, "qd"), vector(tau, model.nv, "tau")
    f_ext, t = external_forces(model, f_ext), number(t, "t")
    parent, I, at_q, at_v = model.parent, model.inertia, model.q_slice, model.v_slice
    X_up, X_0, S, v, c, p, I_A, p_A, U, D, D_inv, u, I_a, p_a, a = ([None] * (model.N_B + 1) for _ in range(15))
    qdd = zeros(model.nv, q, qd, tau, f_ext, model.gravity, *model.X_tree[1:], *I[1:])

    X_0[0], v[0] = eye(6, q), zeros(6, qd)

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[at_q(i)], qd[at_v(i)], t)         # (7.32) (7.33)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J                                             # (7.34)
        c[i] = c_J + crm(v[i]) @ v_J                                                     # (7.35)
        p[i] = crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]              # (7.36)
        I_A[i], p_A[i] = I[i], p[i]

    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]                                                             # (7.43)
        D[i] = S[i].T @ U[i]                                                             # (7.44)
        u[i] = tau[at_v(i)] - S[i].T @ p_A[i]                                            # (7.45)
        D_inv[i] = _inverse(D[i], model, i, I_A[i])
        if parent[i] != 0:
            I_a[i] = I_A[i] - U[i] @ D_inv[i] @ U[i].T                                   # (7.47)
            p_a[i] = p_A[i] + I_a[i] @ c[i] + U[i] @ D_inv[i] @ u[i]                     # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]               # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]                         # (7.38)

    a[0] = free_motion(-model.gravity)

    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + c[i]                                             # (7.46)
        qdd[at_v(i)] = D_inv[i] @ (u[i] - U[i].T @ a[i])                                 # (7.49)
        a[i] = a[i] + S[i] @ qdd[at_v(i)]                                                # (7.50)

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, U, D, u, I_a, p_a, a, qdd)


def _inverse(D, model, i, I_A):
    """D⁻¹ for the D of joint i, through D = Lᵀ Δ L. ValueError where the joint moves nothing that has inertia."""
    n = len(D)
    try:
        L, diagonal = ltdl(D)
        if diagonal.dtype == float and any(diagonal <= ROUNDING * np.abs(I_A).max()):
            raise ValueError
    except ValueError:
        raise ValueError(
            f"D of joint {i} ({model.names[i]}) is singular: the joint can move something that has no inertia, so that "
            f"its acceleration has no value. Give body {i}, or one beyond it, a mass.") from None
    L_inv = eye(n, D)
    for k in range(n):
        L_inv[k] = L_inv[k] - L[k, :k] @ L_inv[:k]
    return (L_inv / diagonal) @ L_inv.T
