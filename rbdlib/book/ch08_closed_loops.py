"""Closed-loop systems by loop constraints on a spanning tree: forward dynamics (RBDA 8.1 to 8.7).

The tree of a `Model` is cut free from the joints that close its loops. What these do to it is a constraint
K qdd = k + k_stab on its motion and forces Kᵀ lam + tau_a:

    [H Kᵀ] [qdd ]   [tau - C + tau_a]
    [K 0 ] [-lam] = [k + k_stab     ]                                                                     (8.36)
"""

from typing import NamedTuple

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch03_subspaces import solve_linear
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, require_model
from rbdlib.book.ch06_factorisation import ltl, multiply_H, solve, solve_L, solve_Lt
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent, sparsity_pattern
from rbdlib.book.ch08_elimination import (
    error_units,
    independent_constraints,
    join,
    loop_clusters,
    rank_tolerance,
    require_tolerance,
    shortest_multipliers,
    solution_by_clusters,
)
from rbdlib.book.ch08_loop_joints import active_forces, loop_jcalc, values_of
from rbdlib.numbers.scalars import eye, number, vector, zeros

#: Elements of K below this, in the units of their row, are rounding errors.
ROUNDED = 1e-13


def forward_dynamics(model, q, qd, tau, f_ext=None, method="direct", T_stab=None, t=0.0, tau_loop=None, tolerance=None,
                     frame=0):
    """Accelerations qdd (nv) and loop constraint forces lam (n_c) of a system with loops (RBDA 8.5).

    q (nq), qd (nv), tau (nv): of the tree's joints; q and qd should fulfil the loop constraints. f_ext, t: as for
    `rnea`. method: "direct" solves Eq. 8.36 as it stands; "multipliers" finds lam first, with H = LᵀL; "coordinates"
    finds first the accelerations G ydd + g that the loops allow. T_stab, frame: as for `loop_constraints`. tau_loop: as
    for `bias_with_loop_forces`. tolerance: as for `independent_constraints`; by default that of `rank_tolerance`, more
    if loops are open.

    Constraints that repeat others (planar loops in space) change nothing: qdd is unique, and of all lam that go with it
    the shortest is returned, whatever the method. Which do repeat others, pivots of K decide; near singular
    configurations `rbdlib.methods.whole_system.solve_system`, which looks at its singular values, may find another
    rank. If the constraints contradict one another by rounding or because loops are open, K qdd = k is met
    as nearly as can be. "multipliers" loses digits where the loops hold a motion that has much less inertia than others
    (half of them if masses differ by 1e9); the other two do not. Raises ValueError where a motion that the loops allow
    has no inertia, for "multipliers" where any motion has none, and for bad arguments.
    """
    require_model(model)
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method is {method!r}; choose {', '.join(map(repr, METHODS))}.")
    tolerance = None if tolerance is None else require_tolerance(tolerance, 1e-9)
    tree = spanning_tree(model, q, qd, f_ext, tau_loop, t)
    tau, H = vector(tau, model.nv, "tau"), crba(model, q, t)
    K, k, delta = loop_equations(model, tree, T_stab, t, frame)
    K = _without_rounding_errors(model, K)
    clusters = loop_clusters(model)
    tolerance = rank_tolerance(delta / error_units(model)) if tolerance is None else tolerance
    independent = independent_constraints(K, k, tolerance, clusters)
    try:
        qdd, lam_1 = METHODS[method](model, H, tau - tree.C, independent)
    except ValueError as error:
        raise ValueError(SINGULAR[method == "multipliers"]) from error
    return qdd, shortest_multipliers(independent, lam_1)


# The three methods (RBDA 8.5). f stands for tau - C + tau_a, k for k + k_stab; K and k are those of `Independent`.


def _direct(model, H, f, independent):
    K, k, n, s = independent.K, independent.k, len(H), _scale(H, independent.K)
    M = zeros((n + len(K), n + len(K)), H, K)
    M[:n, :n], M[:n, n:], M[n:, :n] = H, s * K.T, s * K
    solution = solve_linear(M, np.concatenate([f, s * k]))                          # (8.36)
    return solution[:n], -s * solution[n:]


def _scale(H, K):
    """A factor for K that makes it about as large as H, so that pivots can be compared; 1 for symbols."""
    sizes = [values_of(A) for A in (H, K)]
    if any(size is None or not np.any(size) for size in sizes):
        return 1
    return float(np.abs(sizes[0]).max() / np.abs(sizes[1]).max())


def _multipliers(model, H, f, independent):
    """The six steps of 8.5, with the zeros of K: loop forces are felt by the joints that move the ends of the loops."""
    K, k, parent, supports = independent.K, independent.k, expanded_parent(model), _supports(model, independent)
    L = ltl(H, parent)                                                              # step 1
    Y, z = zeros(K.T.shape, L, K), solve_Lt(L, f, parent)
    A = zeros((len(K), len(K)), Y)
    for i in range(len(K)):
        own = supports[i]
        Y[own, i] = solve_Lt(L[np.ix_(own, own)], K[i, own], _cut_out(parent, own))     # step 3
        for j in range(i + 1):
            both = [x for x in supports[j] if x in own]
            A[i, j] = A[j, i] = Y[both, i] @ Y[both, j]                             # (8.38)
    b = k - np.array([Y[own, i] @ z[own] for i, own in enumerate(supports)])            # (8.39)
    lam = solve(A, b)                                                               # (8.40)
    return solve_L(L, solve_Lt(L, f + K.T @ lam, parent), parent), lam              # (8.34)


def _supports(model, independent):
    """For each row of K_1 the variables that feel its force: those of joints that move an end of a loop of its cluster.
    """
    supports = []
    for cluster in independent.clusters:
        loops = [model.loops[l - 1] for l in cluster.loops]
        joints = {j for loop in loops for i in (loop.predecessor, loop.successor) if i for j in model.kappa(i)}
        supports += [[x for j in sorted(joints) for x in range(model.nv)[model.v_slice(j)]]] * len(cluster.rows)
    return supports


def _cut_out(parent, variables):
    """The expanded parent array of some variables and no others; with a variable, all its predecessors are among them.
    """
    number_of = {0: 0, **{x + 1: number for number, x in enumerate(variables, start=1)}}
    return [number_of[parent[x]] for x in variables]


def _coordinates(model, H, f, independent):
    """Eq. 8.46, block by block: in Gᵀ H G the variables in no loop cost nothing, and clusters on separate branches too.
    """
    K, k = independent.K, independent.k
    blocks, coupled = solution_by_clusters(K, k, independent.clusters, 0), sparsity_pattern(model)
    G, g = join(blocks, zeros(0, K, k))
    H_G = zeros((G.shape[1], G.shape[1]), H, G)
    for place, i in enumerate(blocks):
        for j in blocks[: place + 1]:
            if coupled[np.ix_(i.variables, j.variables)].any():
                part = _times(i.G, _times(j.G, H[np.ix_(j.variables, i.variables)]).T)
                H_G[np.ix_(i.y, j.y)], H_G[np.ix_(j.y, i.y)] = part, part.T
    f_g = f - (multiply_H(H, g, expanded_parent(model)) if K.shape[0] else 0)
    u = zeros(G.shape[1], f_g, G)
    for block in blocks:
        u[block.y] = _times(block.G, f_g[block.variables])
    ydd = solve(H_G, u)                                                             # (8.46)
    qdd = G @ ydd + g                                                               # (8.42)
    return qdd, solve(K @ K.T, K @ (multiply_H(H, qdd, expanded_parent(model)) - f))


def _times(G, A):
    """Gᵀ A for a block G, where None stands for the unit matrix."""
    return A if G is None else G.T @ A


SINGULAR = {
    False: "The loops allow a motion that has no inertia, so that there is no answer. Give the bodies it moves a mass.",
    True: "Method 'multipliers' needs an inertia for every motion of the tree, also for those that the loops prevent. "
          "Give the bodies without mass one, or use method 'direct' or 'coordinates'.",
}
METHODS = {"direct": _direct, "multipliers": _multipliers, "coordinates": _coordinates}


# What the loop joints do to the tree (RBDA 8.6, 8.7)


class Tree(NamedTuple):
    """What Table 8.3 computes, in lists indexed by body number; and C' = C - tau_a (nv), under the name C."""

    X_up: list
    X_0: list
    S: list
    v: list
    a_vp: list
    C: np.ndarray


def bias_with_loop_forces(model, q, qd, f_ext=None, tau_loop=None, t=0.0):
    """C' = C - tau_a (nv): the bias force, less the forces that motors at loop joints exert (RBDA Table 8.3).

    tau_loop: the active forces of loop joints, a dict {k: tau_k} with k the number of the joint, N_B+1 to N_J, and
    tau_k as many numbers as joint k has freedoms; joints left out are passive. Other arguments as for `rnea`.
    """
    return spanning_tree(model, q, qd, f_ext, tau_loop, t).C


def spanning_tree(model, q, qd, f_ext, tau_loop, t):
    """Table 8.3; f_0, which the printed table guards against, is kept and not used."""
    q, qd = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd")
    f_ext, tau_loop, t = external_forces(model, f_ext), motor_forces(model, tau_loop), number(t, "t")
    parent, I, at_q, at_v = model.parent, model.inertia, model.q_slice, model.v_slice
    X_up, X_0, S, v, a_vp, f = ([None] * (model.N_B + 1) for _ in range(6))
    C = zeros(model.nv, q, qd, f_ext, model.gravity, *tau_loop.values(), *model.X_tree[1:], *I[1:])

    X_0[0], v[0], f[0] = eye(6, q), zeros(6, qd), zeros(6, C)
    a_vp[0] = free_motion(-model.gravity)
    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[at_q(i)], qd[at_v(i)], t)
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
        C[at_v(i)] = S[i].T @ f[i]
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]
    return Tree(X_up, X_0, S, v, a_vp, C)


def motor_forces(model, tau_loop):
    """The argument tau_loop, checked: {k: vector of the forces along the freedoms of loop joint k}."""
    if tau_loop is None:
        return {}
    if not isinstance(tau_loop, dict):
        raise TypeError(f"tau_loop is {tau_loop!r}; give a dict {{k: tau_k}}, with k the number of a loop joint.")
    for k in tau_loop:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not model.N_B < k <= model.N_J:
            raise ValueError(f"tau_loop names joint {k!r}; the loop joints of this model are "
                             f"{list(range(model.N_B + 1, model.N_J + 1))}. Forces of tree joints belong in tau.")
    return {k: vector(np.atleast_1d(tau_k), model.loops[k - model.N_B - 1].joint.nv, f"tau_loop[{k}]")
            for k, tau_k in tau_loop.items()}


def inverse_of(X):
    """X⁻¹ of a transform that was calculated here: `inverse_transform` without its checks (RBDA Eq. 2.26)."""
    X_inverse = zeros((6, 6), X)
    X_inverse[:3, :3], X_inverse[3:, :3], X_inverse[3:, 3:] = X[:3, :3].T, X[3:, :3].T, X[3:, 3:].T
    return X_inverse


def loop_constraints(model, q, qd, T_stab=None, t=0.0, frame=0):
    """K (n_c x nv), k (n_c) and delta (n_c) of the constraints K qdd = k that close the loops (RBDA Table 8.4).

    q (nq), qd (nv): state of the tree's joints. Each loop joint gives 6 - nv rows, in the order of model.loops: forces
    along T, which is in the coordinates of its frame F_s on the successor. delta: how far it is open along these, m
    and rad, 0 in a closed loop. T_stab: time constant (s) with which errors of position and velocity die away; k then
    contains k_stab (8.22) with alpha = beta = 1/T_stab. Without it errors stay and grow. t: time (s); a loop joint
    that depends on time makes the loop move. frame: the body in whose coordinates the vectors are compared; it changes
    nothing but rounding errors, which grow with the distance of loops from that body's frame, so that a mechanism that
    travels is best served by its floating base (8.7). Raises ValueError or TypeError for bad arguments.
    """
    tree = spanning_tree(model, q, qd, None, None, t)
    K, k, delta = loop_equations(model, tree, T_stab, t, frame)
    return _without_rounding_errors(model, K), k, delta


def loop_equations(model, tree, T_stab, t, frame=0):
    """Table 8.4, with sigma and c_J of joints that depend on time or whose S depends on the position (3.40)."""
    X_0, S, v, a_vp = _transforms_from(model, tree, frame), tree.S, tree.v, tree.a_vp
    to_base = [inverse_of(X) for X in X_0]
    alpha = 0 if T_stab is None else 1 / time_constant(T_stab)
    parent, at_v, sizes = model.parent, model.v_slice, [6 - loop.joint.nv for loop in model.loops]
    like = (tree.C, *X_0, [alpha, t], *(array for loop in model.loops for array in (
        loop.X_P, loop.X_S, loop.joint.transform(loop.joint.neutral(), t))))
    K, k, delta = (zeros(shape, *like) for shape in ((sum(sizes), model.nv), sum(sizes), sum(sizes)))

    for loop, size, end in zip(model.loops, sizes, np.cumsum(sizes), strict=True):
        l, i, j = slice(end - size, end), loop.predecessor, loop.successor
        v_p, v_s = to_base[i] @ v[i], to_base[j] @ v[j]
        a_p, a_s = to_base[i] @ a_vp[i], to_base[j] @ a_vp[j]
        T, c_J, delta[l], k_stab = loop_terms(loop, X_0[i], X_0[j], v_p, v_s, alpha, t)
        k[l] = -T.T @ (a_s - a_p + crm(v_s) @ v_p - c_J) - k_stab                  # (8.47)
        while i != j:
            if i > j:
                K[l, at_v(i)] = -T.T @ to_base[i] @ S[i]                           # (8.20)
                i = parent[i]
            else:
                K[l, at_v(j)] = T.T @ to_base[j] @ S[j]
                j = parent[j]

    return K, k, delta


def _without_rounding_errors(model, K):
    """K with zeros where a loop constrains nothing: what rounding leaves there would count as a constraint.

    Elements are compared with 1, or the loop's size where they are lengths; numbers other than floats stay as they are.
    """
    return np.where(abs(K) < ROUNDED * error_units(model)[:, None], 0.0, K) if K.dtype == float else K


def loop_terms(loop, X_p, X_s, v_p, v_s, alpha, t):
    """T, c_J, delta and k_stab, with beta = alpha, of a loop joint in the coordinates from which X_p and X_s lead.

    X_p, X_s: transforms to predecessor and successor; v_p, v_s: their velocities.
    """
    X = loop.X_S @ X_s
    joint, beta = loop_jcalc(loop.joint, X @ inverse_of(loop.X_P @ X_p), X @ (v_s - v_p), t), alpha
    T, sigma, c_J = X.T @ joint.T, inverse_of(X) @ joint.sigma, inverse_of(X) @ joint.c_J
    k_stab = 2 * alpha * T.T @ (v_s - v_p - sigma) + beta**2 * joint.delta         # (8.22)
    return T, c_J, joint.delta, k_stab


def _transforms_from(model, tree, frame):
    """The transforms from the coordinates of body ``frame`` to those of the bodies, without a detour over the base."""
    if isinstance(frame, bool) or not isinstance(frame, int | np.integer) or not 0 <= frame <= model.N_B:
        raise ValueError(f"frame is {frame!r}; give the number of a body, 0 to {model.N_B}.")
    if frame == 0:
        return tree.X_0
    X, i = {frame: eye(6, tree.X_0[0])}, frame
    while i != 0:
        X[model.parent[i]] = inverse_of(tree.X_up[i]) @ X[i]
        i = model.parent[i]
    for i in model.bodies:
        if i not in X:
            X[i] = tree.X_up[i] @ X[model.parent[i]]
    return [X[i] for i in range(model.N_B + 1)]


def loop_forces(model, q, lam, t=0.0, tau_loop=None):
    """The forces f_k that the loop joints transmit to their successors, an array (N_L x 6), in base coordinates.

    They are T_k lam_k (RBDA Eq. 8.30) plus, if the joint is active, T_a tau_k; on the predecessors act the opposite
    forces. q (nq): positions; lam (n_c): as from `forward_dynamics`; t, tau_loop: as there.
    """
    tree, tau_loop = spanning_tree(model, q, zeros(model.nv), None, None, t), motor_forces(model, tau_loop)
    lam, end = vector(lam, sum(6 - loop.joint.nv for loop in model.loops), "lam"), 0
    f = zeros((model.N_L, 6), lam, *tree.X_0, *tau_loop.values())
    for l, loop in enumerate(model.loops):
        X_s = loop.X_S @ tree.X_0[loop.successor]
        X = X_s @ inverse_of(loop.X_P @ tree.X_0[loop.predecessor])
        own, end = slice(end, end + 6 - loop.joint.nv), end + 6 - loop.joint.nv
        f[l] = X_s.T @ (loop_jcalc(loop.joint, X, t=t).T @ lam[own])
        if model.N_B + l + 1 in tau_loop:
            f[l] = f[l] + X_s.T @ (active_forces(loop.joint, X, t) @ tau_loop[model.N_B + l + 1])
    return f


def time_constant(T_stab):
    """The argument T_stab, checked: a number above 0, or a symbol."""
    if isinstance(T_stab, bool | np.bool_):
        raise TypeError(f"T_stab is {T_stab}; give a time constant in s, such as 0.1, or None.")
    T_stab = number(T_stab, "T_stab")
    value = values_of([T_stab])
    if value is not None and value[0] <= 0:
        raise ValueError(f"T_stab is {T_stab}; give a time constant in s above 0, such as 0.1, or None.")
    return T_stab
