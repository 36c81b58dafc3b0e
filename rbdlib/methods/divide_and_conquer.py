"""Articulated bodies with several handles, and the divide-and-conquer algorithm that they allow (RBDA 7.5).

A handle is a place on a body at which a force acts from outside; a body has as many as there are joints to be connected
to it. The formulae hold in any coordinates common to the two handles of a joint.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch04_model import require_tree
from rbdlib.methods.handles import Connection, inverse_of_body, naming_joint, require_class, unconnected
from rbdlib.numbers.negligible import generalized_inverse, sizes_by_unit
from rbdlib.numbers.scalars import TOLERANCE, as_floats, block_diagonal, eye, zeros

#: A constraint of which less than this fraction is left by those before it may repeat them: rounding leaves as much.
SINGULAR = 1e-11

class TwoHandles(namedtuple("TwoHandles", "Phi_1 Phi_12 Phi_21 Phi_2 b_1 b_2")):
    """a_1 = Phi_1 f_1 + Phi_12 f_2 + b_1, a_2 = Phi_21 f_1 + Phi_2 f_2 + b_2 (RBDA Eqs 7.57-7.59).

    1 and 2 are handles, or sets of handles whose vectors are stacked; a set may be empty. The whole matrix is
    positive semidefinite, and singular where the handles cannot move independently.
    """


class JointMotion(namedtuple("JointMotion", "lam f_3 a_2 a_3 qdd")):
    """Motion and force at a joint from handle 2 to handle 3.

    lam: Lagrange multipliers of its constraints.  f_3 (6): the force T_a tau + T lam that it transmits; f_2 = -f_3.
    a_2, a_3 (6): accelerations of the handles.  qdd (n): joint accelerations. Stacked if there are several joints.
    """


def several(connections):
    """Joints that are made in one step, as one `Connection`: vectors stacked, matrices block-diagonal (RBDA 7.5).

    connections: a list of `Connection`, one at least; otherwise TypeError or ValueError.
    """
    connections = list(connections) if np.iterable(connections) else [connections]
    if not connections:
        raise ValueError("connections is empty; give one Connection at least.")
    require_class(Connection, **{f"connections[{k}]": connection for k, connection in enumerate(connections)})
    return Connection(*(block_diagonal(parts) if parts[0].ndim == 2 else np.concatenate(parts)
                        for parts in zip(*connections, strict=True)))


def join(A_12, A_34, joint, repeated=None):
    """The articulated body made of A_12 and A_34 by a joint from handle 2 to handle 3 (RBDA Eq. 7.63, Figure 7.6).

    A_12, A_34: `TwoHandles`; joint: a `Connection`, or with sets of handles `several`. Returns a `TwoHandles` with
    handles 1 and 4. Joints that close loops may repeat constraints, which makes Y singular: ValueError. With repeated,
    a number such as 1e-9, constraints of which less than this fraction of Y_kk remains once those before them hold are
    left out (their lambda is 0); accelerations do not depend on which these are, constraint forces do. Raises
    ValueError also if the constraints contradict one another, and TypeError for arguments of other classes.
    """
    A_12, A_34, Y_inv, beta = _at_the_joint(A_12, A_34, joint, repeated)
    (Phi_1, Phi_12, Phi_21, _, b_1, _), (_, Phi_34, Phi_43, Phi_4, _, b_4) = A_12, A_34
    W = joint.T @ Y_inv @ joint.T.T
    Phi_14 = Phi_12 @ W @ Phi_34                                                        # (7.63), and so are all
    return TwoHandles(Phi_1 - Phi_12 @ W @ Phi_21, Phi_14,
                      Phi_14.T, Phi_4 - Phi_43 @ W @ Phi_34,
                      b_1 - Phi_12 @ W @ beta, b_4 + Phi_43 @ W @ beta)


def joint_motion(A_12, A_34, joint, f_1, f_4, repeated=None):
    """Motion and force at the joint when the forces on the other handles are f_1 and f_4 (RBDA Eqs 7.60-7.62).

    Other arguments and errors as for `join`. Returns a `JointMotion`.
    """
    A_12, A_34, Y_inv, beta = _at_the_joint(A_12, A_34, joint, repeated)
    (_, _, Phi_21, Phi_2, _, b_2), (Phi_3, Phi_34, _, _, b_3, _) = A_12, A_34
    lam = Y_inv @ joint.T.T @ (Phi_21 @ f_1 - Phi_34 @ f_4 + beta)                      # (7.62)
    f_3 = joint.T @ lam                                                                 # (7.61)
    a_2 = Phi_21 @ f_1 - Phi_2 @ f_3 + b_2                                              # (7.57)
    a_3 = Phi_3 @ f_3 + Phi_34 @ f_4 + b_3                                              # (7.58)
    qdd = joint.T_a.T @ (a_3 - a_2 - joint.c)
    return JointMotion(lam, joint.T_a @ joint.tau + f_3, a_2, a_3, qdd)


def with_active_force(A_12, A_34, joint):
    """A_12 and A_34 with the effect of -T_a tau on handle 2 and T_a tau on handle 3 in their b_1 to b_4 (RBDA 7.5)."""
    f = joint.T_a @ joint.tau
    return (A_12._replace(b_1=A_12.b_1 - A_12.Phi_12 @ f, b_2=A_12.b_2 - A_12.Phi_2 @ f),
            A_34._replace(b_1=A_34.b_1 + A_34.Phi_1 @ f, b_2=A_34.b_2 + A_34.Phi_21 @ f))


def _at_the_joint(A_12, A_34, joint, repeated):
    require_class(TwoHandles, A_12=A_12, A_34=A_34)
    require_class(Connection, joint=joint)
    A_12, A_34 = with_active_force(A_12, A_34, joint)
    Phi = A_12.Phi_2 + A_34.Phi_1
    Y = joint.T.T @ Phi @ joint.T
    beta = joint.c - A_34.b_1 + A_12.b_2                                                # (7.62)
    Y_inv, left_out = generalized_inverse(Y, SINGULAR if repeated is None else repeated, sizes_by_unit(joint.T, Phi))
    if left_out and repeated is None:
        raise ValueError(f"Y is singular, or nearly: {len(left_out)} of the {len(Y)} constraints repeat others. To "
                         "leave them out, give repeated=1e-9.")
    wanted = joint.T.T @ beta
    missed = as_floats(Y @ Y_inv @ wanted - wanted) if left_out else None
    if missed is not None and np.abs(missed).max() > TOLERANCE * max(1, np.abs(wanted).max()):
        raise ValueError(f"The constraints contradict one another by {np.abs(missed).max():.2g}; positions and "
                         "velocities must be such that the loop is closed.")
    return A_12, A_34, Y_inv, beta


class ManyHandles(namedtuple("ManyHandles", "names Phi b")):
    """a = Phi f + b of any number of handles (RBDA Eq. 7.4), in the order of their names, which are whole numbers.

    Where joint i is to be made, handle i on body i waits for handle -i on the parent, in coordinates of body i.
    """

    def split(self, first, second):
        """Equation as a `TwoHandles`, for two sets of names."""
        i, j = (np.array([6 * self.names.index(name) + k for name in names for k in range(6)], dtype=int)
                for names in (first, second))
        return TwoHandles(*(self.Phi[np.ix_(m, n)] for m in (i, j) for n in (i, j)), *(self.b[n] for n in (i, j)))


class DivideAndConquer(namedtuple("DivideAndConquer", "levels f qdd")):
    """A computation by divide and conquer.

    levels: as from `assembly_levels`.  f[i]: force transmitted through joint i from the parent to body i, in the
    coordinates of body i (place 0 is empty).  qdd (nv): joint accelerations.
    """


def divide_and_conquer(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations by assembling the bodies two by two, in few levels (RBDA 7.5, Eqs 7.57-7.63).

    There are O(log N_B) levels for chains, and for trees without large hubs: a body with k children takes k levels at
    least, and the matrices of what it is part of are (6k x 6k), so that hubs cost O(k³). Arguments as for `rbdlib.aba`.
    Raises ValueError also for a body whose own inertia is singular, or nearly so beside others.
    """
    return divide_and_conquer_tree(model, q, qd, tau, f_ext, t).qdd


def divide_and_conquer_tree(model, q, qd, tau, f_ext=None, t=0.0):
    """The divide-and-conquer algorithm with its levels and joint forces (RBDA 7.5): a `DivideAndConquer`.

    Arguments and errors as for `divide_and_conquer`. Assemblies of one level do not wait for one another, neither on
    the way up, where joints are made, nor on the way down, where the forces f on all other handles are known.
    """
    X_up, joint, rigid, a_0 = unconnected(model, q, qd, tau, f_ext, t)
    levels, made, f = assembly_levels(model), [], [None] * (model.N_B + 1)
    A = {-j: ManyHandles([-j], zeros((6, 6), a_0), X_up[j] @ a_0) for j in model.mu(0)}         # pieces of the base
    for i in model.bodies:
        Phi, b = inverse_of_body(model, i, rigid[i])
        X = np.concatenate([eye(6, Phi), *(X_up[j] for j in model.mu(i))])
        A[i] = ManyHandles([i, *(-j for j in model.mu(i))], X @ Phi @ X.T, X @ b)
    qdd = zeros(model.nv, a_0, *(x for link in joint[1:] for x in (link.c, link.tau)), *(body.p for body in rigid[1:]))

    for r, i in (assembly for level in levels for assembly in level):
        set_1 = [name for name in A[r].names if name != -i]
        set_4 = [name for name in A[i].names if name != i]
        A_12, A_34 = A[r].split(set_1, [-i]), A[i].split([i], set_4)
        with naming_joint(model, i):
            Phi_1, Phi_14, Phi_41, Phi_4, b_1, b_4 = join(A_12, A_34, joint[i])
        A[r] = ManyHandles(set_1 + set_4, np.block([[Phi_1, Phi_14], [Phi_41, Phi_4]]), np.concatenate([b_1, b_4]))
        made.append((i, A_12, A_34, set_1, set_4))

    for i, A_12, A_34, set_1, set_4 in reversed(made):
        f_1, f_4 = (np.concatenate([zeros(0, qdd), *(f[j] if j > 0 else -f[-j] for j in names)])
                    for names in (set_1, set_4))
        _, f[i], _, _, qdd[model.v_slice(i)] = joint_motion(A_12, A_34, joint[i], f_1, f_4)

    return DivideAndConquer(levels, f, qdd)


def assembly_levels(model):
    """In which order `divide_and_conquer` makes the joints of a tree: a list of levels (RBDA 7.5).

    A level is a list of assemblies (r, i): joint i connects the part that starts with body i to the part that starts
    with body r, or with the piece of the base to which joint -r leads if r is negative. No part is in two assemblies of
    one level. A chain of N_B bodies, being N_B + 1 with its base, takes ceil(log2(N_B + 1)) levels. In a tree the ends
    of branches go first, and parts that have two handles; so no part ever has more handles than some body of the model
    had, but a body with k children takes k levels at least.
    """
    require_tree(model)
    names = {i: [i, *(-j for j in model.mu(i))] for i in model.bodies} | {-j: [-j] for j in model.mu(0)}
    part = {i: model.parent[i] or -i for i in model.bodies}
    levels, waiting = [], list(model.bodies)
    while waiting:
        level, busy = [], set()
        for most in (1, 2):
            for i in waiting:
                r = part[i]
                if not busy & {r, i} and min(len(names[r]), len(names[i])) <= most:
                    level.append((r, i))
                    busy |= {r, i}
        for r, i in level:
            part.update({-name: r for name in names[i] if name < 0})
            names[r] = [name for name in names[r] + names[i] if abs(name) != i]
        made = {i for _, i in level}
        levels.append(level)
        waiting = [i for i in waiting if i not in made]
    return levels
