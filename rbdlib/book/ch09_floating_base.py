"""Systems whose base is a moving body: equation of motion, forward and inverse dynamics (RBDA 9.3-9.5).

Body 0 is the floating base. The algorithms need not know where it is: v_0, a_0, the gravity a_g and the external forces
are in its coordinates. `rbdlib.methods.floating_base` makes a `FloatingBase`, and brings them there. Joints in
tree.loops are left open. Momentum and Jacobians are in `rbdlib.motion.floating_momentum`.
"""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import external_forces, joined, per_joint
from rbdlib.book.ch06_factorisation import expand_parent, inverse, solve
from rbdlib.book.ch07_articulated_body import ArticulatedBodies, inverse_of_D
from rbdlib.numbers.model_arguments import require_floating
from rbdlib.numbers.negligible import sizes_by_unit
from rbdlib.numbers.scalars import eye, number, vector, zeros

# Forward dynamics by articulated bodies (RBDA 9.4)


def floating_aba(system, q, qd, v_0, tau, a_g, f_ext=None, t=0.0):
    """The accelerations a_0 of the base and qdd of the joints: the articulated-body algorithm (RBDA Table 9.4).

    system: a `FloatingBase`. q (nq), qd, tau (nv): of the joints; v_0 (6), a_g (3), f_ext: velocity of the base, the
    acceleration of free fall (`gravity_in_base`), and forces on the bodies, an (N_B+1, 6) array or a dict {body:
    6-vector} in which 0 is the base, all in floating-base coordinates; t: time (s), for joints that depend on it.
    Returns a_0 (6, a spatial acceleration in floating-base coordinates) and qdd (nv). Raises ValueError or TypeError
    for arguments of the wrong length or kind, and ValueError if something that can move has no inertia.
    """
    bodies = floating_articulated_bodies(system, q, qd, v_0, tau, a_g, f_ext, t)
    return bodies.a[0], bodies.qdd


def floating_articulated_bodies(system, q, qd, v_0, tau, a_g, f_ext=None, t=0.0):
    """The floating articulated-body algorithm with all its intermediate quantities (RBDA Table 9.4, Eq. 9.17).

    Arguments and errors as for `floating_aba`. Returns an `ArticulatedBodies`, in which 0 is the floating base and all
    accelerations contain gravity, which is added at the very end.
    """
    tree, parent, I = require_floating(system).tree, system.tree.parent, system.inertia
    q, qd, tau = per_joint(tree, q=q, qd=qd, tau=tau)
    v_0, a_g, f_ext, t = in_base(tree, v_0, a_g, f_ext, t)
    X_up, X_0, S, v, c, p, I_A, p_A, U, D, D_inv, u, I_a, p_a, a, qdd = ([None] * (tree.N_B + 1) for _ in range(16))

    X_0[0], v[0] = eye(6, *q[1:]), v_0

    for i in tree.bodies:
        X_J, S[i], v_J, c_J = jcalc(tree.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ tree.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        c[i] = c_J + crm(v[i]) @ v_J
        p[i] = crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]
        I_A[i], p_A[i] = I[i], p[i]
    p[0] = crf(v[0]) @ I[0] @ v[0] - f_ext[0]
    I_A[0], p_A[0] = I[0], p[0]

    for i in reversed(tree.bodies):
        U[i] = I_A[i] @ S[i]
        D[i] = S[i].T @ U[i]
        u[i] = tau[i] - S[i].T @ p_A[i]
        D_inv[i] = inverse_of_D(D[i], I_A[i], tree, i, S[i])
        I_a[i] = I_A[i] - U[i] @ D_inv[i] @ U[i].T
        p_a[i] = p_A[i] + I_a[i] @ c[i] + U[i] @ D_inv[i] @ u[i]
        I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]
        p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]

    a[0] = -solve_base(I_A[0], p_A[0], system)                                              # (9.17)
    for i in tree.bodies:
        a[i] = X_up[i] @ a[parent[i]] + c[i]
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[i]
    a = [a[i] + X_0[i] @ a_g for i in range(tree.N_B + 1)]

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, U, D, u, I_a, p_a, a, joined(qdd))


# The equation of motion (RBDA 9.3, 9.4)


def floating_rnea(system, q, qd, v_0, a_g, f_ext=None, t=0.0):
    """The bias forces C (nv) and p_c0 (6) of Eq. 9.13, by the floating Newton-Euler algorithm (RBDA Table 9.5, left).

    Arguments and errors as for `floating_aba`. With all accelerations zero, C are the forces of the joints and p_c0 is
    the force that the base would need.
    """
    tree, parent, I = require_floating(system).tree, system.tree.parent, system.inertia
    q, qd = per_joint(tree, q=q, qd=qd)
    v_0, a_g, f_ext, t = in_base(tree, v_0, a_g, f_ext, t)
    X_up, X_0, S, v, a_vp, f, C = ([None] * (tree.N_B + 1) for _ in range(7))

    X_0[0], v[0] = eye(6, *q[1:]), v_0
    a_vp[0] = -a_g

    for i in tree.bodies:
        X_J, S[i], v_J, c_J = jcalc(tree.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ tree.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        a_vp[i] = X_up[i] @ a_vp[parent[i]] + c_J + crm(v[i]) @ v_J
        f[i] = I[i] @ a_vp[i] + crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]
    f[0] = I[0] @ a_vp[0] + crf(v[0]) @ I[0] @ v[0] - f_ext[0]

    for i in reversed(tree.bodies):
        C[i] = S[i].T @ f[i]
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]
    p_c0 = f[0]

    return joined(C), p_c0


def floating_crba(system, q, t=0.0):
    """H (nv x nv), F (6 x nv), I_c0 (6 x 6) of Eq. 9.13, by the composite-rigid-body algorithm (RBDA Table 9.5, right).

    q (nq), t, errors: as for `floating_aba`. F and I_c0 are in floating-base coordinates: the columns of F are the
    forces on the base that go with unit accelerations of the joints, I_c0 is the inertia of all bodies as one.
    """
    tree = require_floating(system).tree
    (X_up, S), parent, at_v, I_c = joints_at(tree, q, t), tree.parent, tree.v_slice, list(system.inertia)
    H = zeros((tree.nv, tree.nv), *X_up[1:], *S[1:], *I_c)
    F = zeros((6, tree.nv), H)

    for i in reversed(tree.bodies):
        I_c[parent[i]] = I_c[parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]
        F_i = I_c[i] @ S[i]
        H[at_v(i), at_v(i)] = S[i].T @ F_i
        j = i
        while parent[j] != 0:
            F_i = X_up[j].T @ F_i
            j = parent[j]
            H[at_v(i), at_v(j)] = F_i.T @ S[j]
            H[at_v(j), at_v(i)] = H[at_v(i), at_v(j)].T
        F[:, at_v(i)] = X_up[j].T @ F_i                                                     # (9.12)

    return H, F, I_c[0]


def floating_equation(system, q, qd, v_0, a_g, f_ext=None, t=0.0):
    """The matrix [[I_c0, F], [Fᵀ, H]] (nv+6 x nv+6) and the bias force [p_c0; C] (nv+6) of Eq. 9.13.

    Arguments and errors as for `floating_aba`. matrix @ [a_0; qdd] + bias = [0; tau]; the matrix has the zeros that
    `floating_parent` tells.
    """
    (H, F, I_c0), (C, p_c0) = floating_crba(system, q, t), floating_rnea(system, q, qd, v_0, a_g, f_ext, t)
    matrix = zeros((6 + len(H), 6 + len(H)), H, F, I_c0)
    matrix[:6, :6], matrix[:6, 6:], matrix[6:, :6], matrix[6:, 6:] = I_c0, F, F.T, H
    return matrix, np.concatenate([p_c0, C])


def floating_parent(system):
    """The expanded parent array (nv + 6 numbers) of Eq. 9.13, for `rbdlib.book.ch06_factorisation` (RBDA 6.5, 9.4)."""
    tree = require_floating(system).tree
    return expand_parent([0, *(p + 1 for p in tree.parent[1:])], [6, *(joint.nv for joint in tree.joints[1:])])[0]


def floating_by_crba(system, q, qd, v_0, tau, a_g, f_ext=None, t=0.0):
    """a_0 and qdd as the solution of Eq. 9.13, whose matrix is factorised without its zeros (RBDA 9.4, 6.5).

    Arguments, results and errors as for `floating_aba`.
    """
    tau = vector(tau, require_floating(system).tree.nv, "tau")
    matrix, bias = floating_equation(system, q, qd, v_0, a_g, f_ext, t)
    solution = solve(matrix, np.concatenate([zeros(6, tau), tau]) - bias, floating_parent(system))      # (9.13)
    return solution[:6], solution[6:]


def floating_joint_space(system, q, qd, v_0, a_g, f_ext=None, t=0.0):
    """H_fl (nv x nv) and C_fl (nv) of H_fl qdd + C_fl = tau: the equation of the joints alone (RBDA Eqs 9.14-9.16).

    Arguments and errors as for `floating_aba`. H_fl has none of the zeros of H.
    """
    H, F, I_c0 = floating_crba(system, q, t)
    C, p_c0 = floating_rnea(system, q, qd, v_0, a_g, f_ext, t)
    H_fl = H - F.T @ solve_base(I_c0, F, system)                                            # (9.15)
    C_fl = C - F.T @ solve_base(I_c0, p_c0, system)                                         # (9.16)
    return H_fl, C_fl


# Inverse dynamics (RBDA 9.5)


def floating_inverse_dynamics(system, q, qd, qdd, v_0, a_g, f_ext=None, t=0.0):
    """The acceleration a_0 of the base and the joint forces tau that go with joint accelerations qdd (RBDA Table 9.6).

    qdd (nv); other arguments and errors as for `floating_aba`. Returns a_0 (6, in floating-base coordinates) and tau
    (nv). It is hybrid dynamics: of the base, the force is known, which is f_ext[0] alone.
    """
    tree, parent, I = require_floating(system).tree, system.tree.parent, system.inertia
    q, qd, qdd = per_joint(tree, q=q, qd=qd, qdd=qdd)
    v_0, a_g, f_ext, t = in_base(tree, v_0, a_g, f_ext, t)
    X_up, X_0, S, v, a_r, I_c, p_c, a_0, tau = ([None] * (tree.N_B + 1) for _ in range(9))

    X_0[0], v[0] = eye(6, *q[1:]), v_0
    a_r[0] = -a_g

    for i in tree.bodies:
        X_J, S[i], v_J, c_J = jcalc(tree.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ tree.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J
        a_r[i] = X_up[i] @ a_r[parent[i]] + c_J + crm(v[i]) @ v_J + S[i] @ qdd[i]
        I_c[i] = I[i]
        p_c[i] = I[i] @ a_r[i] + crf(v[i]) @ I[i] @ v[i] - force_transform(X_0[i]) @ f_ext[i]   # (9.23)
    I_c[0] = I[0]
    p_c[0] = I[0] @ a_r[0] + crf(v[0]) @ I[0] @ v[0] - f_ext[0]

    for i in reversed(tree.bodies):
        I_c[parent[i]] = I_c[parent[i]] + X_up[i].T @ I_c[i] @ X_up[i]
        p_c[parent[i]] = p_c[parent[i]] + X_up[i].T @ p_c[i]                                # (9.22)

    a_0[0] = -solve_base(I_c[0], p_c[0], system)                                            # (9.24)
    for i in tree.bodies:
        a_0[i] = X_up[i] @ a_0[parent[i]]
        tau[i] = S[i].T @ (I_c[i] @ a_0[i] + p_c[i])                                        # (9.25)

    return a_0[0], joined(tau)


# Arguments, and what the algorithms share


def in_base(tree, v_0, a_g, f_ext, t):
    """v_0 (6), a_g as a spatial vector (6), f_ext (N_B+1, 6) and t, checked."""
    return vector(v_0, 6, "v_0"), free_motion(vector(a_g, 3, "a_g")), external_forces(tree, f_ext), number(t, "t")


def solve_base(I, b, system):
    """I⁻¹ b for the inertia I (6 x 6) of the whole, felt at the base; ValueError if the base meets no inertia."""
    complaint = (f"The floating base ({system.name}) can move something that has no inertia, so that its acceleration "
                 "has no value. Give it, or a body that it carries, a mass, or the moment of inertia that is missing.")
    return inverse(I, complaint, sizes_by_unit(eye(6), I)) @ b
