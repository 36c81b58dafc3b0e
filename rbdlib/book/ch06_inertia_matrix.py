"""The joint-space inertia matrix H of tau = H qdd + C, and its zeros (RBDA 6.1 to 6.4)."""

import numpy as np

from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import joined, per_joint, require_model
from rbdlib.book.ch06_factorisation import expand_parent
from rbdlib.numbers.scalars import zeros

# The joint-space inertia matrix (RBDA 6.2)


def crba(model, q, t=0.0):
    """The joint-space inertia matrix H by the composite-rigid-body algorithm (RBDA Table 6.2, Eqs 6.17, 6.19, 6.20).

    q: positions (nq); t: time (s), for joints that depend on it. Returns H (nv x nv), symmetric (the block of a joint
    with several freedoms to rounding), with exact zeros between bodies on different branches. Joints in model.loops are
    left open. Raises ValueError or TypeError for arguments of the wrong length or kind.

    >>> from rbdlib import load
    >>> crba(load("double_pendulum"), [0, 0])
    array([[5., 2.],
           [2., 1.]])
    """
    X_up, S = joints_at(model, q, t)
    parent, at_v = model.parent, model.v_slice
    H = zeros((model.nv, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])
    I_c = list(model.inertia)

    for i in reversed(model.bodies):
        if parent[i] != 0:
            I_c[parent[i]] = I_c[parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]      # (6.17)
        F = I_c[i] @ S[i]
        H[at_v(i), at_v(i)] = S[i].T @ F
        j = i
        while parent[j] != 0:
            F = X_up[j].T @ F                                                   # (6.19)
            j = parent[j]
            H[at_v(i), at_v(j)] = F.T @ S[j]                                    # (6.20)
            H[at_v(j), at_v(i)] = H[at_v(i), at_v(j)].T

    return H


# H qdd without H (RBDA 6.1)


def differential_inverse_dynamics(model, q, qdd, t=0.0):
    """The change of joint forces that goes with accelerations qdd: H qdd, without H (RBDA Table 6.1, Eq. 6.4).

    It is inverse dynamics without velocities, gravity and other forces, which cancel. q, t: as for `crba`; qdd:
    accelerations (nv). Returns tau (nv). Raises ValueError or TypeError for arguments of the wrong length or kind.
    """
    (X_up, S), (qdd,) = joints_at(model, q, t), per_joint(model, qdd=qdd)
    parent, I = model.parent, model.inertia
    a, f, tau = ([None] * (model.N_B + 1) for _ in range(3))

    a[0] = zeros(6, *X_up[1:], *S[1:], *I[1:], *qdd[1:])
    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + S[i] @ qdd[i]
        f[i] = I[i] @ a[i]

    for i in reversed(model.bodies):
        tau[i] = S[i].T @ f[i]
        if parent[i] != 0:
            f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]

    return joined(tau)


# Branch-induced sparsity (RBDA 6.4, 6.5)


def sparsity_pattern(model):
    """Where H may differ from zero, from the connectivity alone: an array of bool (nv x nv) (RBDA 6.4).

    H_ij is zero for all q unless one of the joints i, j supports the other.
    """
    pattern = np.zeros((require_model(model).nv, model.nv), dtype=bool)
    for i in model.bodies:
        for j in model.kappa(i):
            pattern[model.v_slice(i), model.v_slice(j)] = pattern[model.v_slice(j), model.v_slice(i)] = True
    return pattern


def expanded_parent(model):
    """The expanded parent array of a model, a list of nv numbers (RBDA 6.5): the ``parent`` of `ch06_factorisation`.

    Each variable's predecessor on the way to the base, counted from 1, with 0 for none (Table 6.4).
    """
    require_model(model)
    return expand_parent(model.parent[1:], [joint.nv for joint in model.joints[1:]])[0]
