"""Hybrid dynamics: forces known at some joints, accelerations at the others (RBDA 9.1, 9.2).

The joints whose motion is prescribed are the book's inverse-dynamics joints; all others, whose forces are known, are
its forward-dynamics joints, the set fd. A joint belongs to the one or to the other with all its variables; to prescribe
one of several, as the turn of a cylindrical joint, make the joint of two, with a massless body between them. Motions
that are prescribed as functions of time are in `rbdlib.motion.drives`.
"""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import external_forces, joined, per_joint, require_model, require_tree
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import expand_parent, solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics
from rbdlib.book.ch07_articulated_body import ArticulatedBodies, inverse_of_D
from rbdlib.numbers.model_arguments import body_numbers, zero_where
from rbdlib.numbers.negligible import NoInertia
from rbdlib.numbers.scalars import eye, number, zeros
from rbdlib.numbers.validation import one_of


def hybrid_dynamics(model, q, qd, qdd, tau, prescribed, f_ext=None, method="articulated_body", t=0.0):
    """The unknown accelerations and forces, where either is known at each joint (RBDA 9.1, 9.2); returns qdd, tau.

    q: positions (nq); qd: velocities (nv); qdd: accelerations (nv), known at the joints of the bodies in prescribed;
    tau: joint forces (nv), N or N m, known at all others. prescribed: body numbers, a list or one number. What qdd and
    tau hold elsewhere is not looked at: it may be NaN or None, and None will do for an argument of which nothing is
    known. f_ext: forces on the bodies in base coordinates, an (N_B+1, 6) array or a dict {body: 6-vector}; t: time
    (s), for joints that depend on it. method: one of the names in `METHODS`.

    Returns new arrays qdd (nv) and tau (nv), complete. With prescribed=[] this is forward dynamics, with all bodies in
    it inverse dynamics. What moves with prescribed joints only needs no inertia. Raises ValueError or TypeError for
    arguments of the wrong length or kind, and ValueError for a model with loops, or if a joint that is free moves
    nothing that has inertia.
    """
    one_of(METHODS, method, "method")
    return METHODS[method](model, q, qd, qdd, tau, prescribed, f_ext, t)


# Which joints are which (RBDA 9.1)


def forward_joints(model, prescribed):
    """fd, the forward-dynamics joints: a list of all joints but those of the bodies in prescribed, ascending."""
    return sorted(set(require_model(model).bodies) - body_numbers(prescribed, model.N_B))


def permutation(model, prescribed):
    """Q (nv x nv), which puts the variables of the forward-dynamics joints first: Q qdd = [qdd_1; qdd_2] (RBDA 9.1)."""
    one = _variables(model, forward_joints(model, prescribed))
    return np.eye(model.nv, dtype=int)[[*np.flatnonzero(one), *np.flatnonzero(~one)]]


def supported(parent, fd):
    """nu(fd), the set of the bodies that at least one forward-dynamics joint moves (RBDA 9.1, Eq. 9.5).

    parent: lambda of the tree, N_B numbers; fd: joint numbers. It depends on nothing else, so that it can be kept.
    """
    parent = [None, *parent]
    nu_fd = set(fd)                                                     # (9.5)
    for i in range(1, len(parent)):
        if parent[i] in nu_fd:
            nu_fd = nu_fd | {i}
    return nu_fd


def modified_parent(parent, fd):
    """lambda' and map of the tree in which each prescribed joint has merged the bodies it connects (RBDA Fig. 9.1).

    parent: lambda of the tree, N_B numbers; fd: joint numbers. Returns two lists: lambda', one number per joint in fd,
    and map, N_B + 1 numbers from map[0] = 0, the new number of each body.
    """
    parent, map, modified = [None, *parent], [0], [None]
    j = 0
    for i in range(1, len(parent)):
        if i in fd:
            j = j + 1
            map.append(j)
            modified.append(map[parent[i]])
        else:
            map.append(map[parent[i]])
    return modified[1:], map


# By the inertia matrix (RBDA 9.1); arguments, results and errors of the methods are those of `hybrid_dynamics`


def by_inertia_matrix(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics in four steps, with H_11 alone and its branch-induced sparsity (RBDA 9.1, Table 9.1, Fig. 9.1).

    On a tree of depth d the cost is O(n d²) for the n variables of the forward-dynamics joints, O(n³) on a chain, and
    O(N_B) for the rest.
    """
    fd, one, qdd, tau = _known(model, qdd, tau, prescribed)

    C_prime = rnea(model, q, qd, qdd, f_ext, t)                                 # 1. (9.3), as qdd is zero at fd

    H_11 = modified_crba(model, q, prescribed, t)[np.ix_(one, one)]             # 2.

    parent, _ = modified_parent(model.parent[1:], fd)
    parent, _ = expand_parent(parent, [model.joints[i].nv for i in fd])
    qdd_1 = solve_H_11(model, fd, H_11, tau[one] - C_prime[one], parent)        # 3. (9.2)

    Qt_qdd_1 = zeros(model.nv, qdd_1)
    Qt_qdd_1[one] = qdd_1
    forces = C_prime + differential_inverse_dynamics(model, q, Qt_qdd_1, t)     # 4.

    return np.where(one, Qt_qdd_1, qdd), np.where(one, tau, forces)


def modified_crba(model, q, prescribed, t=0.0):
    """The modified composite-rigid-body algorithm: H_11 and no more of the joint-space inertia (RBDA Table 9.1).

    q, t: as for `rbdlib.crba`; prescribed: as for `hybrid_dynamics`. Returns a matrix (nv x nv) in which H_11 stands
    where it stands in H, and zero in the rows and columns of the prescribed joints.
    """
    fd = forward_joints(model, prescribed)
    nu_fd = supported(model.parent[1:], fd)
    X_up, S = joints_at(model, q, t)
    parent, at_v = model.parent, model.v_slice
    H = zeros((model.nv, model.nv), *X_up[1:], *S[1:], *model.inertia[1:])
    I_c = [None] * (model.N_B + 1)

    for i in nu_fd:
        I_c[i] = model.inertia[i]

    for i in reversed(model.bodies):
        if parent[i] in nu_fd:
            I_c[parent[i]] = I_c[parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]
        if i in fd:
            F = I_c[i] @ S[i]
            H[at_v(i), at_v(i)] = S[i].T @ F
            j = i
            while parent[j] in nu_fd:
                F = X_up[j].T @ F
                j = parent[j]
                if j in fd:
                    H[at_v(i), at_v(j)] = F.T @ S[j]
                    H[at_v(j), at_v(i)] = H[at_v(i), at_v(j)].T

    return H


def by_permutation(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics with the whole of H, permuted into four blocks, by the equations of the text (RBDA 9.1)."""
    fd, one, qdd, tau = _known(model, qdd, tau, prescribed)
    Q, n_1 = permutation(model, prescribed), one.sum()
    H, C = Q @ crba(model, q, t) @ Q.T, Q @ bias_force(model, q, qd, f_ext, t)          # (9.1)

    H_11, H_12, H_21, H_22 = H[:n_1, :n_1], H[:n_1, n_1:], H[n_1:, :n_1], H[n_1:, n_1:]
    C_1, C_2 = C[:n_1], C[n_1:]
    tau_1, qdd_2 = (Q @ tau)[:n_1], (Q @ qdd)[n_1:]

    qdd_1 = solve_H_11(model, fd, H_11, tau_1 - H_12 @ qdd_2 - C_1)     # (9.4), upper row
    tau_2 = H_21 @ qdd_1 + H_22 @ qdd_2 + C_2                           # (9.4), lower row

    return Q.T @ np.concatenate([qdd_1, qdd_2]), Q.T @ np.concatenate([tau_1, tau_2])


def solve_H_11(model, fd, H_11, b, parent=None):
    """The solution x of H_11 x = b; ValueError with the joint, instead of its row in H_11, if there is none."""
    try:
        return solve(H_11, b, parent)
    except NoInertia as error:
        i = [i for i in fd for _ in range(model.joints[i].nv)][error.variable - 1]
        raise NoInertia(
            f"H_11 is singular: joint {i} ({model.names[i]}) can move something that has no inertia, so that its "
            f"acceleration has no value. Give body {i}, or one beyond it, a mass.", i) from error


# By articulated bodies (RBDA 9.2)


def by_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """Hybrid dynamics by the articulated-body algorithm, at a cost of O(N_B) (RBDA Tables 9.2, 9.3)."""
    bodies, tau = hybrid_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext, t)
    return bodies.qdd, tau


def hybrid_articulated_bodies(model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0):
    """The articulated-body hybrid-dynamics algorithm with all its intermediate quantities (RBDA Tables 9.2, 9.3).

    Returns an `ArticulatedBodies` and tau (nv), complete. At prescribed joints its c contains S qdd too, and its U, D
    and u are None.
    """
    fd, _, qdd, tau = _known(model, qdd, tau, prescribed)
    q, qd, qdd, tau = per_joint(model, q=q, qd=qd, qdd=qdd, tau=tau)
    f_ext, t = None if f_ext is None else external_forces(model, f_ext), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, v, c, p, I_A, p_A, U, D, D_inv, u, I_a, p_a, a = ([None] * (model.N_B + 1) for _ in range(15))

    X_0[0], v[0] = eye(6, *q[1:]), zeros(6, *qd[1:])

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        if i in fd:
            c[i] = c_J + crm(v[i]) @ v_J
        else:
            c[i] = c_J + crm(v[i]) @ v_J + S[i] @ qdd[i]
        p[i] = crf(v[i]) @ I[i] @ v[i]
        if f_ext is not None:
            p[i] = p[i] - force_transform(X_0[i]) @ f_ext[i]
        I_A[i], p_A[i] = I[i], p[i]

    for i in reversed(model.bodies):
        if i in fd:
            U[i] = I_A[i] @ S[i]
            D[i] = S[i].T @ U[i]
            u[i] = tau[i] - S[i].T @ p_A[i]
            D_inv[i] = inverse_of_D(D[i], I_A[i], model, i, S[i])
            if parent[i] != 0:
                I_a[i] = I_A[i] - U[i] @ D_inv[i] @ U[i].T
                p_a[i] = p_A[i] + I_a[i] @ c[i] + U[i] @ D_inv[i] @ u[i]
                I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]
                p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]
        else:
            if parent[i] != 0:
                I_a[i] = I_A[i]                                         # (9.9)
                p_a[i] = p_A[i] + I_a[i] @ c[i]                         # (9.10)
                I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]
                p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]

    a[0] = free_motion(-model.gravity)

    for i in model.bodies:
        if i in fd:
            a[i] = X_up[i] @ a[parent[i]] + c[i]
            qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
            a[i] = a[i] + S[i] @ qdd[i]                                 # (9.8)
        else:
            a[i] = X_up[i] @ a[parent[i]] + c[i]                        # (9.8)
            tau[i] = S[i].T @ (I_A[i] @ a[i] + p_A[i])                  # (9.6)

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, U, D, u, I_a, p_a, a, joined(qdd)), joined(tau)


#: The functions (model, q, qd, qdd, tau, prescribed, f_ext=None, t=0.0) -> qdd, tau, by name.
METHODS = {"articulated_body": by_articulated_bodies, "inertia_matrix": by_inertia_matrix,
           "permutation": by_permutation}


def _variables(model, fd):
    """True for the variables of the forward-dynamics joints, False for the others: an array (nv)."""
    return np.array([i in fd for i in model.bodies for _ in range(model.joints[i].nv)], dtype=bool)


def _known(model, qdd, tau, prescribed):
    """fd, its variables, and qdd and tau (nv), checked where they are known and zero where they are not."""
    fd = forward_joints(require_tree(model), prescribed)
    one = _variables(model, fd)
    return fd, one, zero_where(one, qdd, "qdd"), zero_where(~one, tau, "tau")
