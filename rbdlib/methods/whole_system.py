"""The equation of motion of a whole multibody system, tree or with loops, in one piece (RBDA 3.7).

Every body, joint and constraint stands in one large equation (3.74), which is then solved: slow, and independent of the
recursive algorithms, for which it is the witness. All vectors are in base coordinates; numbers only.
"""

import warnings
from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, crf, crm, free_motion, inverse_transform, transform_inertia, unskew
from rbdlib.book.ch03_constraints import apply_implicit_constraint, implicit_system
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_joints import Reversed, jcalc
from rbdlib.book.ch04_model import external_forces
from rbdlib.book.ch08_loop_joints import nearest_position
from rbdlib.numbers.scalars import block_diagonal, floats, vector


class JointMotion(namedtuple("JointMotion", "p s S T T_a v_J bias gap slip", defaults=(0.0, 0.0))):
    """One joint in base coordinates: its freedoms, the forces it can transmit, and how it moves.

    p, s: numbers of predecessor and successor body.  S (6 x n_f): motion subspace.  T (6 x n_c): constraint force
    subspace.  T_a (6 x n_f): active force subspace, T_aᵀ S = 1.  v_J (6): joint velocity.  bias (6): a_J - S qdd, the
    acceleration c_J + v_s × v_J (RBDA Eq. 3.40).  gap: by what distance (m) or angle (rad), the larger, the poses of
    the two bodies miss what the joint allows.  slip: so for velocities (m/s, rad/s), of loop joints.
    """


class System(namedtuple("System", "X_0 joints I p v P T T_a bias")):
    """The matrices of RBDA 3.7; N bodies, N_J joints, n_c constraints, n_f joint freedoms.

    X_0: transforms from the base to the bodies, place 0 for the base.  joints: a `JointMotion` for each joint, place 0
    empty.  I (6N x 6N), p, v (6N): inertia, bias force, velocity of the bodies (3.65).  P (6N x 6N_J): incidence matrix
    (3.69).  T (6N_J x n_c), T_a (6N_J x n_f): block-diagonal (3.71, 3.73).  bias (6N_J): the joints' biases.
    """

    def equation(self, tau):
        """Matrix and right side of Eq. 3.74, whose unknowns are a (6N) and -lam (n_c), for joint forces tau (n_f)."""
        return implicit_system(*self.as_constrained(tau))

    def as_constrained(self, tau):
        """H, C, tau, K, k for `rbdlib.book.ch03_constraints.apply_implicit_constraint`: Eq. 3.74 read as Eq. 3.17.

        The lower right side is that of Eq. 3.44, which holds for time-dependent joints too; where there are none it is
        the printed -T_dotᵀ Pᵀ v.
        """
        tau = vector(tau, self.T_a.shape[1], "tau")
        return self.I, self.p, self.P @ self.T_a @ tau, self.T.T @ self.P.T, self.T.T @ self.bias


class Motion(namedtuple("Motion", "qdd v a f_J f_c lam rank redundant unique loop_gaps loop_slips system")):
    """Results of `solve_system`. Arrays of vectors have a row for each body or joint, row 0 for the base or no joint.

    qdd (nv): joint accelerations.  v, a (N_B+1 x 6): spatial velocities and accelerations of the bodies, gravity not
    included.  f_J (N_J+1 x 6): forces transmitted from predecessor to successor.  f_c (N_J+1 x 6): their parts due to
    the constraints.  lam (n_c): Lagrange multipliers.  rank: number of independent constraints.  redundant: n_c - rank,
    how many constraints repeat others; if it is not 0, lam, f_J and f_c are the shortest of many possible, qdd and a
    the only possible.  unique: whether qdd and a are; if not, something massless moves, and they are the shortest too.
    loop_gaps, loop_slips (N_L): as in `JointMotion`. system: all matrices.
    """


def solve_system(model, q, qd, tau, f_ext=None, t=0.0, tolerance=None):
    """Forward dynamics of any system by the six steps of RBDA 3.7 (Eqs 3.65-3.74); returns a `Motion`.

    The function that puts a mechanism together, with its loops closed, is `rbdlib.loops.closing.close_loops`.

    q (nq), qd (nv): positions and velocities of the tree's joints, which should fulfil the constraints of the loop
    joints if there are any; tau (nv): joint forces, none at loop joints. f_ext, t: as for `rnea`. tolerance: singular
    values of the constraint matrix below this fraction of the largest count as zero; by default 1e-9, or more if loops
    are open by small errors, because constraints that repeat others in a closed loop do so only nearly in one that is
    not. In between, near singular configurations, it may find another rank than
    `rbdlib.loops.dynamics.by_loop_constraints`, which looks at the pivots of K alone. Warns about loops that are open.
    Raises ValueError for bad arguments, symbols, a joint in a singular position, constraints that contradict one
    another, and forces on motions that have no inertia.
    """
    tau = _numbers(vector(tau, model.nv, "tau"), "tau")
    system = multibody_system(model, q, qd, f_ext, t)
    for k, joint in enumerate(system.joints[model.N_B + 1 :], start=model.N_B + 1):
        if joint.gap > 1e-6 or joint.slip > 1e-6:
            warnings.warn(
                f"Loop joint {k} does not hold in this state: its two frames miss one another by {joint.gap:.2g}, "
                f"their velocities by {joint.slip:.2g}. Choose q and qd so that the loop is closed.", stacklevel=2)
    tau_all = np.concatenate([tau, np.zeros(system.T_a.shape[1] - model.nv)])
    loops = system.joints[model.N_B + 1 :]
    if tolerance is None:
        tolerance = min(1e-5, max([1e-9, *(100 * max(joint.gap, joint.slip) for joint in loops)]))
    a, lam, _, rank, unique = apply_implicit_constraint(*system.as_constrained(tau_all), tolerance)

    a_J = _rows(system.P.T @ a)                                                         # (3.68)
    f_c = _rows(system.T @ lam)
    f_J = _rows(system.T_a @ tau_all) + f_c                                             # (3.73)
    qdd = np.zeros(model.nv)
    for i in model.bodies:
        joint = system.joints[i]
        qdd[model.v_slice(i)] = joint.T_a.T @ (a_J[i] - joint.bias)                     # (3.40), (3.35)
    return Motion(qdd, _rows(system.v), _rows(a), f_J, f_c, lam, rank, len(lam) - rank, unique,
                  np.array([joint.gap for joint in loops]), np.array([joint.slip for joint in loops]), system)


def state_derivative(model, x, tau, f_ext=None, t=0.0):
    """The rate of change [qdot; qdd] of the state x = [q; qd] (nq + nv) of any system (RBDA Eqs 3.8, 3.9).

    tau, f_ext, t: as for `solve_system`, which finds qdd.
    """
    x = vector(x, model.nq + model.nv, "x")
    q, qd = x[: model.nq], x[model.nq :]
    return np.concatenate([model.qdot(q, qd), solve_system(model, q, qd, tau, f_ext, t).qdd])


def multibody_system(model, q, qd, f_ext=None, t=0.0):
    """All matrices of RBDA 3.7 for a model in the state (q, qd); arguments as for `solve_system`: a `System`."""
    q, qd = _numbers(vector(q, model.nq, "q"), "q"), _numbers(vector(qd, model.nv, "qd"), "qd")
    f_ext, gravity = _numbers(external_forces(model, f_ext), "f_ext"), _numbers(model.gravity, "The model's gravity")
    X_0 = [np.eye(6)]
    joints: list = [None]
    for i in model.bodies:
        joint, q_i, qd_i = model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)]
        F_p = _numbers(model.X_tree[i], f"X_tree of body {i}") @ X_0[model.parent[i]]
        X_0.append(_numbers(joint.transform(q_i, t), f"joint {i}") @ F_p)
        F_s = X_0[i]
        if isinstance(joint, Reversed):
            joint, F_s = joint.joint, F_p
        joints.append(_joint_in_base(joint, f"joint {i}", F_s, model.predecessor(i), model.successor(i), q_i, qd_i, t))
    v = [np.zeros(6)] + [sum(joints[j].v_J if joints[j].s == j else -joints[j].v_J for j in model.kappa(i))
                         for i in model.bodies]
    for k, (loop, (F_s, q_k, qd_k, gap, slip)) in enumerate(
            zip(model.loops, loop_openings(model, X_0, v, t), strict=True), start=model.N_B + 1):
        p, s = loop.predecessor, loop.successor
        joint = _joint_in_base(loop.joint, f"loop joint {k}", F_s, p, s, q_k, qd_k, t)
        joints.append(joint._replace(v_J=v[s] - v[p], gap=gap, slip=slip))
    joints[1:] = [joint._replace(bias=joint.bias + crm(v[joint.s]) @ joint.v_J) for joint in joints[1:]]        # (3.40)

    I = [transform_inertia(inverse_transform(X_0[i]), _numbers(model.inertia[i], f"inertia of body {i}"))
         for i in model.bodies]
    p = [crf(v_i) @ I_i @ v_i - I_i @ free_motion(gravity) - f_i
         for I_i, v_i, f_i in zip(I, v[1:], f_ext[1:], strict=True)]
    T, T_a = (block_diagonal([getattr(joint, name) for joint in joints[1:]]) for name in ("T", "T_a"))
    bias = np.ravel([joint.bias for joint in joints[1:]])
    return System(X_0, joints, block_diagonal(I), np.ravel(p), np.ravel(v[1:]), incidence_matrix(model), T, T_a, bias)


def incidence_matrix(model):
    """P (6N_B x 6N_J): the block of body i and joint j is 1 if i = s(j), -1 if i = p(j), else 0 (RBDA Eq. 3.69).

    Pᵀ takes velocities from bodies to joints (3.67), P forces from joints to bodies (3.70).
    """
    P = np.zeros((model.N_B + 1, model.N_J + 1))
    for j in range(1, model.N_J + 1):
        P[model.successor(j), j] += 1
        P[model.predecessor(j), j] -= 1
    return np.kron(P[1:, 1:], np.eye(6))


def _joint_in_base(joint, name, F_s, p, s, q, qd, t):
    """A joint in base coordinates; F_s: transform from the base to the joint's frame on its successor body."""
    _, S, v_J, c_J = (_numbers(array, name) for array in jcalc(joint, q, qd, t))
    T = _numbers(joint.constraint_subspace(q, t), name)
    try:
        T_a = active_force_subspace(S)
    except ValueError:
        raise ValueError(f"q puts {name}, {joint}, into a singular position, where its velocity variables do not "
                         f"describe all its motions. Choose another q or another kind of joint.") from None
    to_base = inverse_transform(F_s)
    return JointMotion(p, s, to_base @ S, F_s.T @ T, F_s.T @ T_a, to_base @ v_J, to_base @ c_J)


class LoopOpening(namedtuple("LoopOpening", "F_s q qd gap slip")):
    """How far a loop joint is open: gap and slip of `JointMotion`, from its nearest position q and velocity qd.

    F_s: transform from the base to its frame on the successor.
    """


def loop_openings(model, X_0, v, t=0.0):
    """A `LoopOpening` for each loop, one by one. X_0, v: lists over the bodies, transforms from the base to them, and
    their velocities in base coordinates.
    """
    for k, loop in enumerate(model.loops, start=model.N_B + 1):
        p, s = loop.predecessor, loop.successor
        F_p, F_s = _numbers(loop.X_P, f"X_P of loop {k}") @ X_0[p], _numbers(loop.X_S, f"X_S of loop {k}") @ X_0[s]
        X = F_s @ inverse_transform(F_p)
        q = nearest_position(loop.joint, X, t)[0]
        E, r = X_to_Er(X @ inverse_transform(loop.joint.transform(q, t)))
        angle = np.arctan2(np.linalg.norm(unskew(E)), (np.trace(E) - 1) / 2)
        v_J = F_s @ (v[s] - v[p])
        free = v_J - loop.joint.bias_velocity(q, t)
        S = _numbers(loop.joint.motion_subspace(q, t), f"loop joint {k}")
        qd = np.linalg.lstsq(S, free, rcond=None)[0]
        slip = np.linalg.norm(np.reshape(S @ qd - free, (2, 3)), axis=1).max()
        yield LoopOpening(F_s, q, qd, max(angle, np.linalg.norm(r)), slip)


def _rows(stacked):
    """A stacked vector as an array with one 6-vector per row, and zeros in row 0."""
    return np.vstack([np.zeros(6), stacked.reshape(-1, 6)])


def _numbers(array, name):
    return floats(array, f"{name} contains symbols; the assembled equation is solved for numbers only.")
