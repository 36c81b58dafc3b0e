"""The joint-space equation of motion tau = H qdd + C, and its solution for the accelerations (RBDA 6, FDSV 2).

How H is factorised (RBDA 6.5) is in `rbdlib.book.ch06_factorisation`.
"""

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import expand_parent, ltdl, ltl, solve, solve_L, solve_Lt
from rbdlib.numbers.scalars import eye, number, vector, zeros

# The joint-space inertia matrix (RBDA 6.2)


def crba(model, q, t=0.0):
    """The joint-space inertia matrix H by the composite-rigid-body algorithm (RBDA Table 6.2, Eqs 6.17, 6.19, 6.20).

    q: positions (nq); t: time (s), for joints that depend on it. Returns H (nv x nv), symmetric (the block of a joint
    with several freedoms to rounding), with exact zeros between bodies on different branches. Joints in model.loops are
    left open. Raises ValueError or TypeError for arguments of the wrong length or kind.
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


def joints_at(model, q, t=0.0):
    """The lists X_up[i] (from the parent to body i) and S[i] at q, indexed by body number; place 0 is empty."""
    q, t = vector(q, require_model(model).nq, "q"), number(t, "t")
    X_up, S = [None] * (model.N_B + 1), [None] * (model.N_B + 1)
    for i in model.bodies:
        joint, q_i = model.joints[i], q[model.q_slice(i)]
        X_up[i], S[i] = joint.transform(q_i, t) @ model.X_tree[i], joint.motion_subspace(q_i, t)
    return X_up, S


def composite_inertias(model, q, t=0.0):
    """The composite-rigid-body inertias I_c[i] (6 x 6): body i and all it carries, as one rigid body (RBDA Eq. 6.17).

    q, t: as for `crba`. Returns a list indexed by body number, in body coordinates; place 0 is empty.
    """
    X_up, _ = joints_at(model, q, t)
    I_c = [None, *(I.copy() for I in model.inertia[1:])]
    for i in reversed(model.bodies):
        if model.parent[i] != 0:
            I_c[model.parent[i]] = I_c[model.parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]      # (6.17)
    return I_c


# Column by column (RBDA 6.1, 6.3, FDSV 2)


def differential_inverse_dynamics(model, q, qdd, t=0.0):
    """The change of joint forces that goes with accelerations qdd: H qdd, without H (RBDA Table 6.1, Eq. 6.4).

    It is inverse dynamics without velocities, gravity and other forces, which cancel. q, t: as for `crba`; qdd:
    accelerations (nv). Returns tau (nv). Raises ValueError or TypeError for arguments of the wrong length or kind.
    """
    X_up, S = joints_at(model, q, t)
    qdd = vector(qdd, model.nv, "qdd")
    parent, I, at_v = model.parent, model.inertia, model.v_slice
    tau = zeros(model.nv, qdd, *X_up[1:], *S[1:], *I[1:])
    a, f = [None] * (model.N_B + 1), [None] * (model.N_B + 1)

    a[0] = zeros(6, tau)
    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + S[i] @ qdd[at_v(i)]
        f[i] = I[i] @ a[i]

    for i in reversed(model.bodies):
        tau[at_v(i)] = S[i].T @ f[i]
        if parent[i] != 0:
            f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]

    return tau


def inertia_matrix_by_columns(model, q, t=0.0):
    """H by the steps in which the algorithm was found: a force for each variable, felt by its supports (RBDA 6.3).

    When variable alpha of joint i alone accelerates, what joint i carries moves as one rigid body with s_alpha, and the
    force that this takes passes unchanged through every joint between i and the base. Arguments as for `crba`.
    """
    (X_up, S), I_c, at_v = joints_at(model, q, t), composite_inertias(model, q, t), model.v_slice
    H = zeros((model.nv, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])

    for i in model.bodies:
        for alpha, s_alpha in zip(range(model.nv)[at_v(i)], S[i].T, strict=True):
            f = I_c[i] @ s_alpha                                        # (6.24)
            for j in reversed(model.kappa(i)):
                H[at_v(j), alpha] = S[j].T @ f                          # (6.25)
                H[alpha, at_v(j)] = H[at_v(j), alpha]
                f = X_up[j].T @ f

    return H


def inertia_matrix(model, q, qd=None, f_ext=None, t=0.0):
    """The joint-space inertia matrix H (nv x nv), column by column from inverse dynamics (FDSV Eqs 9-11).

    H depends on q (and t) alone; qd and f_ext (as for `rnea`) may be given to see that they cancel. They do so to
    rounding: what velocities and forces add to H and take away again costs it digits, the more the faster the motion.
    """
    qd = zeros(require_model(model).nv, q) if qd is None else qd
    return inertia_and_bias(model, q, qd, f_ext, t)[0]


def inertia_and_bias(model, q, qd, f_ext=None, t=0.0):
    """H (nv x nv) and C (nv) of tau = H qdd + C, from nv + 1 calls of inverse dynamics (FDSV Eqs 9-11).

    As Eq. 11 says, C is in each column of H first and then subtracted: where it is 10^k times as large, as in fast
    motion, H loses k digits. `crba` loses none.
    """
    C = bias_force(model, q, qd, f_ext, t)                              # (FDSV 9)

    H = zeros((model.nv, model.nv), C)
    for i in range(model.nv):
        delta_i = eye(model.nv, C)[i]
        H[:, i] = rnea(model, q, qd, delta_i, f_ext, t) - C             # (FDSV 11)
    return H, C


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


# Forward dynamics (RBDA 6.1): 1. calculate C, 2. calculate H, 3. solve H qdd = tau - C
#
# q, qd, f_ext, t: as for `rnea`; tau: joint forces (nv). Each returns qdd (nv), and raises ValueError where H is
# singular and ValueError or TypeError for arguments of the wrong length or kind.


def by_inverse_dynamics(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H and C from nv + 1 calls of inverse dynamics, and no zeros assumed (FDSV section 2).

    The faster the motion, the fewer digits are right, as `inertia_and_bias` explains; `by_crba` loses none to it.
    """
    tau = vector(tau, require_model(model).nv, "tau")
    H, C = inertia_and_bias(model, q, qd, f_ext, t)
    return solve(H, tau - C)                                            # (FDSV 6)


def by_differential_inverse_dynamics(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H from nv calls of differential inverse dynamics (RBDA 6.1)."""
    tau = vector(tau, require_model(model).nv, "tau")
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    H = zeros((model.nv, model.nv), C)
    for alpha in range(model.nv):
        delta_alpha = eye(model.nv, C)[alpha]
        H[:, alpha] = differential_inverse_dynamics(model, q, delta_alpha, t)
    return solve(H, tau - C, expanded_parent(model))


def by_columns(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics with H from the forces of single variables (RBDA 6.3)."""
    tau = vector(tau, require_model(model).nv, "tau")
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    return solve(inertia_matrix_by_columns(model, q, t), tau - C, expanded_parent(model))


def by_crba(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics by the composite-rigid-body algorithm and H = LᵀDL (RBDA 6.2, 6.5)."""
    tau, parent = vector(tau, require_model(model).nv, "tau"), expanded_parent(model)
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    L, D = ltdl(crba(model, q, t), parent)
    x = solve_Lt(L, tau - C, parent, unit=True) / D
    return solve_L(L, x, parent, unit=True)                             # L⁻¹ D⁻¹ L⁻ᵀ (tau - C)


def by_crba_ltl(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics by the composite-rigid-body algorithm and H = LᵀL (RBDA 6.2, 6.5)."""
    tau, parent = vector(tau, require_model(model).nv, "tau"), expanded_parent(model)
    C = bias_force(model, q, qd, f_ext, t)                              # (6.2)
    L = ltl(crba(model, q, t), parent)
    return solve_L(L, solve_Lt(L, tau - C, parent), parent)             # L⁻¹ L⁻ᵀ (tau - C)
