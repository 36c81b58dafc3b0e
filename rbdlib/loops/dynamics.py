"""Forward dynamics of any system with loops, whether or not its constraints repeat one another (RBDA 8.5, 8.7)."""

import numpy as np

from rbdlib.book import ch08_closed_loops
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch08_closed_loops import by_composite_equation, by_multipliers, by_projection, inverse_of
from rbdlib.book.ch08_loop_joints import active_forces, loop_jcalc
from rbdlib.loops import clusters
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers.model_arguments import motor_forces
from rbdlib.numbers.pivots import values_of
from rbdlib.numbers.scalars import eye, vector, zeros
from rbdlib.numbers.validation import one_of


def by_loop_constraints(model, q, qd, tau, f_ext=None, method="direct", T_stab=None, t=0.0, tau_loop=None,
                        tolerance=None, frame=0, I_rot=None):
    """Accelerations qdd (nv) and loop constraint forces lam (n_c) of a system with loops (RBDA 8.5).

    q (nq), qd (nv), tau (nv): of the tree's joints; q and qd should fulfil the loop constraints. f_ext, t: as for
    `rnea`. method: "direct" solves Eq. 8.36 as it stands; "multipliers" finds lam first, with H = LᵀL; "coordinates"
    finds first the accelerations G ydd + g that the loops allow. T_stab: as for `loop_constraints`. tau_loop: as for
    `bias_with_loop_forces`. I_rot: scaled inertias of rotors in the tree's joints, as for
    `crba_with_rotors`. tolerance: as for `independent_constraints`; by default that of `rank_tolerance`, more if loops
    are open. frame: as for `seen_from`.

    Constraints that repeat others (planar loops in space) change nothing: qdd is unique, and of all lam that go with it
    the shortest is returned, whatever the method. Which do repeat others, pivots of K decide; near singular
    configurations `rbdlib.methods.whole_system.solve_system`, which looks at its singular values, may find another
    rank. If the constraints contradict one another by rounding or because loops are open, K qdd = k is met
    as nearly as can be. "multipliers" loses digits where the loops hold a motion that has much less inertia than others
    (half of them if masses differ by 1e9); the other two do not. Raises ValueError where a motion that the loops allow
    has no inertia, for "multipliers" where any motion has none, and for bad arguments.
    """
    require_model(model)
    one_of(METHODS, method, "method")
    tree = ch08_closed_loops.spanning_tree(model, q, qd, f_ext, tau_loop, t)
    f = vector(tau, model.nv, "tau") - tree.C
    H = crba_with_rotors(model, q, I_rot, t) if I_rot else crba(model, q, t)
    K, k, _, tolerance = clusters.constraints_to_rank(model, q, qd, T_stab, t, seen_from(model, tree, frame), tolerance)
    independent = clusters.independent_constraints(K, k, tolerance, clusters.loop_clusters(model))
    try:
        qdd, lam_1 = METHODS[method](model, H, f, independent)
    except ValueError as error:
        raise ValueError(SINGULAR[method == "multipliers"]) from error
    return qdd, clusters.shortest_multipliers(independent, lam_1)


def _direct(model, H, f, independent):
    K, k, s = independent.K, independent.k, 1.0
    sizes = [values_of(A) for A in (H, K)]
    if all(size is not None and np.any(size) for size in sizes):        # then make K about as large as H
        s = float(np.abs(sizes[0]).max() / np.abs(sizes[1]).max())
    qdd, lam = by_composite_equation(H, s * K, f, s * k)
    return qdd, s * lam


def _coordinates(model, H, f, independent):
    K, k = independent.K, independent.k
    G, g = clusters.join(clusters.solution_by_clusters(K, k, independent.clusters, 0), zeros(0, K, k))
    qdd, _ = by_projection(H, G, f, g)
    return qdd, solve(K @ K.T, K @ (H @ qdd - f))                                   # (8.34)


SINGULAR = {
    False: "The loops allow a motion that has no inertia, so that there is no answer. Give the bodies it moves a mass.",
    True: "Method 'multipliers' needs an inertia for every motion of the tree, also for those that the loops prevent. "
          "Give the bodies without mass one, or use method 'direct' or 'coordinates'.",
}
METHODS = {
    "direct": _direct,
    "multipliers": lambda model, H, f, independent: by_multipliers(H, independent.K, f, independent.k,
                                                                   expanded_parent(model)),
    "coordinates": _coordinates,
}


def seen_from(model, tree, frame):
    """Table 8.3's `Tree` with X_0 from the coordinates of the body ``frame`` instead of the base (RBDA 8.7).

    Nothing changes but rounding errors, which grow with the distance of loops from the frame in which vectors are
    compared, so that a mechanism that travels is best served by its floating base. For `loop_constraints`.
    """
    if isinstance(frame, bool) or not isinstance(frame, int | np.integer) or not 0 <= frame <= model.N_B:
        raise ValueError(f"frame is {frame!r}; give the number of a body, 0 to {model.N_B}.")
    if frame == 0:
        return tree
    X, i = {frame: eye(6, tree.X_0[0])}, frame
    while i != 0:                                               # not over the base, which may be far
        X[model.parent[i]] = inverse_of(tree.X_up[i]) @ X[i]
        i = model.parent[i]
    for i in model.bodies:
        if i not in X:
            X[i] = tree.X_up[i] @ X[model.parent[i]]
    return tree._replace(X_0=[X[i] for i in range(model.N_B + 1)])


def loop_forces(model, q, lam, t=0.0, tau_loop=None):
    """The forces f_k that the loop joints transmit to their successors, an array (N_L x 6), in base coordinates.

    They are T_k lam_k (RBDA Eq. 8.30) plus, if the joint is active, T_a tau_k; on the predecessors act the opposite
    forces. q (nq): positions; lam (n_c): as from `rbdlib.loops.dynamics.by_loop_constraints`; t, tau_loop: as there.
    """
    X_0 = ch08_closed_loops.spanning_tree(model, q, zeros(model.nv), t=t).X_0
    tau_loop = motor_forces(model, tau_loop)
    lam, end, f = vector(lam, sum(6 - loop.joint.nv for loop in model.loops), "lam"), 0, [zeros((0, 6))]
    for k, loop in enumerate(model.loops, start=model.N_B + 1):
        X_s = loop.X_S @ X_0[loop.successor]
        X = X_s @ inverse_of(loop.X_P @ X_0[loop.predecessor])
        start, end = end, end + 6 - loop.joint.nv
        f_k = loop_jcalc(loop.joint, X, t=t).T @ lam[start:end]                     # (8.30)
        if k in tau_loop:
            f_k = f_k + active_forces(loop.joint, X, t) @ tau_loop[k]
        f.append([X_s.T @ f_k])
    return np.concatenate(f)
