"""Closed-loop systems by loop constraints on a spanning tree (RBDA 8.1 to 8.7).

The tree of a `Model` is cut free from the joints that close its loops. What these do to it is a constraint
K qdd = k + k_stab on its motion and forces Kᵀ lam + tau_a:

    [H Kᵀ] [qdd ]   [tau - C + tau_a]
    [K 0 ] [-lam] = [k + k_stab     ]                                                                     (8.36)

`rbdlib.loops.dynamics` solves this for any loops, whether or not their constraints repeat one another.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, joined, per_joint
from rbdlib.book.ch06_factorisation import ltl, solve, solve_L, solve_Lt
from rbdlib.book.ch08_loop_joints import active_forces, loop_jcalc
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.model_arguments import motor_forces
from rbdlib.numbers.scalars import eye, number, zeros
from rbdlib.numbers.validation import time_constant

# The three methods (RBDA 8.5). f stands for tau - C + tau_a, k for k + k_stab. The rows of K are independent: those
# that repeat others have been pruned.


def by_composite_equation(H, K, f, k):
    """Method 1 solves Eq. 8.36 as it stands: qdd (n) and lam (r).

    H (n x n), K (r x n), f (n), k (r): of any scalars. Raises ValueError where the matrix is singular.
    """
    n = len(H)
    M = zeros((n + len(K), n + len(K)), H, K)
    M[:n, :n], M[:n, n:], M[n:, :n] = H, K.T, K
    solution = solve_linear(M, np.concatenate([f, k]))                              # (8.36)
    return solution[:n], -solution[n:]


def by_multipliers(H, K, f, k, parent=None):
    """Method 2 finds lam (r) first, and from it qdd (n), with the zeros that branches leave in H.

    parent: the expanded parent array; other arguments as for `by_composite_equation`. Raises ValueError where H or
    K H⁻¹ Kᵀ is not positive definite.
    """
    L = ltl(H, parent)                                                              # step 1
    Y, z = zeros(K.T.shape, L, K), solve_Lt(L, f, parent)
    for i in range(len(K)):
        Y[:, i] = solve_Lt(L, K[i], parent)                                         # step 3
    A, b = Y.T @ Y, k - Y.T @ z                                                     # (8.38), (8.39)
    lam = solve(A, b)                                                               # (8.40)
    return solve_L(L, solve_Lt(L, f + K.T @ lam, parent), parent), lam              # (8.34)


def by_projection(H, G, f, g):
    """Method 3 finds first the accelerations ydd (n - r) that the loops leave free, and from them qdd (n).

    G (n x (n - r)), g (n): all solutions of the constraint, qdd = G ydd + g. Returns qdd, ydd. Raises ValueError where
    Gᵀ H G is not positive definite.
    """
    ydd = solve(G.T @ H @ G, G.T @ (f - H @ g))                                     # (8.46)
    return G @ ydd + g, ydd                                                         # (8.42)


# Effect of the loop joints on the tree (RBDA 8.6, 8.7)


class Tree(namedtuple("Tree", "X_up X_0 S v a_vp C")):
    """The results of Table 8.3, in lists indexed by body number; and C' = C - tau_a (nv), under the name C.

    X_up[i]: from parent to body coordinates.  X_0[i]: from base coordinates.  S, v, a_vp: in body coordinates.
    """


def bias_with_loop_forces(model, q, qd, f_ext=None, tau_loop=None, t=0.0):
    """C' = C - tau_a (nv): the bias force, less the forces that motors at loop joints exert (RBDA Table 8.3).

    tau_loop: the active forces of loop joints, a dict {k: tau_k} with k the number of the joint, N_B+1 to N_J, and
    tau_k as many numbers as joint k has freedoms; joints left out are passive. Other arguments as for `rnea`.
    """
    return spanning_tree(model, q, qd, f_ext, tau_loop, t).C


def spanning_tree(model, q, qd, f_ext=None, tau_loop=None, t=0.0):
    """Table 8.3 as a `Tree`; arguments as for `bias_with_loop_forces`. f_0 is kept and not used."""
    q, qd = per_joint(model, q=q, qd=qd)
    f_ext, tau_loop, t = external_forces(model, f_ext), motor_forces(model, tau_loop), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, v, a_vp, f, C = ([None] * (model.N_B + 1) for _ in range(7))

    X_0[0], v[0], a_vp[0], f[0] = eye(6, *q[1:]), zeros(6, *qd[1:]), free_motion(-model.gravity), zeros(6)
    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        a_vp[i] = X_up[i] @ a_vp[parent[i]] + c_J + crm(v[i]) @ v_J
        f[i] = I[i] @ a_vp[i] + crf(v[i]) @ I[i] @ v[i] - inverse_of(X_0[i]).T @ f_ext[i]

    for k, tau_k in tau_loop.items():
        loop = model.loops[k - model.N_B - 1]
        p, s = loop.predecessor, loop.successor
        T_a = active_forces(loop.joint, loop.X_S @ X_0[s] @ inverse_of(loop.X_P @ X_0[p]), t)
        f_a = loop.X_S.T @ T_a @ tau_k
        f[s] = f[s] - f_a
        f[p] = f[p] + inverse_of(X_0[p]).T @ X_0[s].T @ f_a

    for i in reversed(model.bodies):
        C[i] = S[i].T @ f[i]
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]
    return Tree(X_up, X_0, S, v, a_vp, joined(C))


def loop_constraints(model, q, qd, T_stab=None, t=0.0, tree=None):
    """K (n_c x nv), k (n_c) and delta (n_c) of the constraints K qdd = k that close the loops (RBDA Table 8.4).

    q (nq), qd (nv): state of the tree's joints. Each loop joint gives 6 - nv rows, in the order of model.loops: forces
    along T, which is in the coordinates of its frame F_s on the successor. delta: how far it is open along these, m
    and rad, 0 in a closed loop. T_stab: time constant (s) with which errors of position and velocity die away; k then
    contains k_stab (8.22) with alpha = beta = 1/T_stab. Without it errors stay and grow. t: time (s); a loop joint
    that depends on time makes the loop move. tree: Table 8.3's results in this state, if they are at hand. sigma and
    c_J, which the printed table takes to be 0, are those of joints that depend on time or whose S depends on the
    position (3.40). Raises ValueError or TypeError for bad arguments.
    """
    _, X_0, S, v, a_vp, _ = spanning_tree(model, q, qd, t=t) if tree is None else tree
    from_body, parent, at_v = [inverse_of(X) for X in X_0], model.parent, model.v_slice
    alpha = beta = 0 if T_stab is None else 1 / time_constant(T_stab)
    K, k, delta = ([zeros(shape)] + [None] * model.N_L for shape in ((0, model.nv), 0, 0))

    for l, loop in enumerate(model.loops, start=1):
        i, j = p, s = loop.predecessor, loop.successor
        X_p, X_s = loop.X_P @ X_0[p], loop.X_S @ X_0[s]
        v_p, v_s = from_body[p] @ v[p], from_body[s] @ v[s]
        a_p, a_s = from_body[p] @ a_vp[p], from_body[s] @ a_vp[s]
        X, v_J = X_s @ inverse_of(X_p), X_s @ (v_s - v_p)                           # (8.24)
        delta[l], T, sigma, c_J = loop_jcalc(loop.joint, X, v_J, t)                 # (8.23)
        T, sigma, c_J = X_s.T @ T, inverse_of(X_s) @ sigma, inverse_of(X_s) @ c_J
        k_stab = 2 * alpha * T.T @ (v_s - v_p - sigma) + beta**2 * delta[l]         # (8.22)
        k[l] = -T.T @ (a_s - a_p + crm(v_s) @ v_p - c_J) - k_stab                   # (8.47)
        K[l] = zeros((len(delta[l]), model.nv), T, *S[1:])
        while i != j:
            if i > j:
                K[l][:, at_v(i)] = -T.T @ from_body[i] @ S[i]                       # (8.20)
                i = parent[i]
            else:
                K[l][:, at_v(j)] = T.T @ from_body[j] @ S[j]
                j = parent[j]

    return np.concatenate(K), np.concatenate(k), np.concatenate(delta)


def inverse_of(X):
    """X⁻¹ of a transform that was calculated here: `inverse_transform` without its checks (RBDA Eq. 2.26)."""
    X_inverse = zeros((6, 6), X)
    X_inverse[:3, :3], X_inverse[3:, :3], X_inverse[3:, 3:] = X[:3, :3].T, X[3:, :3].T, X[3:, 3:].T
    return X_inverse
