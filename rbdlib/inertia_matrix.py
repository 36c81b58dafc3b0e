"""The joint-space equation of motion tau = H qdd + C, and its solution for the accelerations (RBDA 6, FDSV 2)."""

from rbdlib.inverse_dynamics import bias_force, rnea
from rbdlib.model import require_model
from rbdlib.scalars import eye, matrix, number, vector, zeros


def crba(model, q, t=0.0):
    """The joint-space inertia matrix H by the composite-rigid-body algorithm (RBDA Table 6.2, Eqs 6.17, 6.19, 6.20).

    q: positions (nq); t: time (s), for joints that depend on it. Returns H (nv x nv), symmetric, with exact zeros
    between bodies on different branches. Raises ValueError or TypeError for arguments of the wrong length or kind.
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


def inertia_matrix(model, q, qd=None, f_ext=None):
    """The joint-space inertia matrix H (nv x nv), column by column from inverse dynamics (FDSV Eqs 9-11).

    H depends on q alone; qd and f_ext (as for `rnea`) may be given to see that they cancel.
    """
    return inertia_and_bias(model, q, zeros(model.nv, q) if qd is None else qd, f_ext)[0]


def inertia_and_bias(model, q, qd, f_ext=None, t=0.0):
    """H (nv x nv) and C (nv) of tau = H qdd + C, from nv + 1 calls of inverse dynamics (FDSV Eqs 9-11)."""
    C = bias_force(model, q, qd, f_ext, t)                              # (FDSV 9)

    H = zeros((model.nv, model.nv), C)
    for i in range(model.nv):
        delta_i = eye(model.nv, C)[i]
        H[:, i] = rnea(model, q, qd, delta_i, f_ext, t) - C             # (FDSV 11)
    return H, C


def ltdl(H, parent=None):
    """The factors L (unit lower triangular) and D (a vector) of a symmetric H = Lᵀ D L (RBDA 6.5, Table 6.3).

    parent[k], for k = 0..n-1 counted from 1 with 0 for none, says which variable precedes k in the tree; entries of H
    outside the tree's pattern are not visited. Without it H is treated as full. Raises ValueError if H is singular.
    """
    n = len(H)
    L = zeros((n, n), H) + matrix(H, (n, n), "H")
    before = [None, *(range(n) if parent is None else parent)]
    if len(before) != n + 1 or not all(0 <= before[k] < k for k in range(1, n + 1)):
        raise ValueError(f"parent is {parent!r}; give {n} numbers, the k-th of them in 0..k-1 (0 for no predecessor).")
    for k in range(n, 0, -1):
        if L[k - 1, k - 1] == 0:
            raise ValueError(f"H is singular: variable {k} has no inertia. Give the bodies it moves a mass.")
        i = before[k]
        while i != 0:
            a = L[k - 1, i - 1] / L[k - 1, k - 1]
            j = i
            while j != 0:
                L[i - 1, j - 1] = L[i - 1, j - 1] - a * L[k - 1, j - 1]
                j = before[j]
            L[k - 1, i - 1] = a
            i = before[i]
    D = L.diagonal().copy()
    for k in range(n):
        L[k, k], L[k, k + 1 :] = 1, 0
    return L, D


def solve(H, b):
    """The solution x of H x = b for a symmetric positive definite H, by H = Lᵀ D L, for any scalars (RBDA 6.5)."""
    L, D = ltdl(H)
    n = len(D)
    x = vector(b, n, "b") + zeros(n, D)
    for i in reversed(range(n)):
        x[i] = x[i] - L[i + 1 :, i] @ x[i + 1 :]                        # L⁻ᵀ b
    x = x / D
    for i in range(n):
        x[i] = x[i] - L[i, :i] @ x[:i]                                  # L⁻¹ D⁻¹ L⁻ᵀ b
    return x
