"""Articulated bodies in base coordinates, with unit columns, and by projection (RBDA 7.2, 7.3)."""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import free_motion
from rbdlib.book.ch04_kinematics import body_accelerations, body_jacobian
from rbdlib.book.ch04_model import external_forces, require_model, require_tree
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import inverse
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import ArticulatedBodies, inverse_of_D
from rbdlib.methods.first_pass import first_pass, first_pass_in_base
from rbdlib.numbers.negligible import sizes_by_unit
from rbdlib.numbers.scalars import matrix, unfilled, vector, zeros
from rbdlib.numbers.validation import spanning

#: Handles of whose Phi a pivot is smaller than this, compared with the diagonal entry it is left of, cannot move so.
IMMOBILE = 1e-10


def aba_in_base(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations by Eqs 7.32-7.42 in base coordinates. Arguments, result and errors as for `aba`."""
    return articulated_bodies_in_base(model, q, qd, tau, f_ext, t).qdd


def articulated_bodies_in_base(model, q, qd, tau, f_ext=None, t=0.0):
    """The equations of the articulated-body algorithm as the text derives them (RBDA Eqs 7.32-7.42).

    Nothing is factored out, and each body sums over its children. Arguments and errors as for `aba`; returns an
    `ArticulatedBodies` in base coordinates, whose U, D and u are None.
    """
    X_up, X_0, S, v, c, I, p = first_pass_in_base(require_tree(model), q, qd, t)
    tau, at_v, parent, mu = vector(tau, model.nv, "tau"), model.v_slice, model.parent, model.mu
    if f_ext is not None:
        forces = external_forces(model, f_ext)
        p = [None, *(p[i] - forces[i] for i in model.bodies)]                           # (7.36)
    I_A, p_A, I_a, p_a, a = ([None] * (model.N_B + 1) for _ in range(5))

    for i in reversed(model.bodies):
        I_A[i] = I[i] + sum(I_a[j] for j in mu(i))                                      # (7.37)
        p_A[i] = p[i] + sum(p_a[j] for j in mu(i))                                      # (7.38)
        if parent[i] != 0:
            I_a[i], p_a[i] = propagate(I_A[i], p_A[i], S[i], c[i], tau[at_v(i)], model, i)

    qdd = zeros(model.nv, tau, model.gravity, *X_up[1:], *S[1:], *c[1:], *p[1:])

    a[0] = free_motion(-model.gravity)
    for i in model.bodies:
        a_c = a[parent[i]] + c[i]
        D_inv = inverse_of_D(S[i].T @ I_A[i] @ S[i], I_A[i], model, i, S[i])
        qdd[at_v(i)] = D_inv @ (tau[at_v(i)] - S[i].T @ I_A[i] @ a_c - S[i].T @ p_A[i])   # (7.41)
        a[i] = a_c + S[i] @ qdd[at_v(i)]                                                # (7.42)

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, None, None, None, I_a, p_a, a, qdd)


def aba_unit_columns(model, q, qd, tau, f_ext=None, t=0.0):
    """The articulated-body algorithm where the columns of every S are unit vectors e_k (RBDA Table 7.1, section 7.2.2).

    Then S picks entries, rows and columns, which costs nothing, and because I_a S = 0 the rows and columns k of I_a are
    zero: what is multiplied are the others, r. The k of p_a are tau. Arguments, result and errors as for `aba`;
    ValueError also for a joint that does not move along its own coordinate axes, such as Revolute((1, 2, 3)).
    """
    X_up, S, c, I_A, p_A = first_pass(require_tree(model), q, qd, f_ext, t)
    parent, at_v, tau = model.parent, model.v_slice, vector(tau, model.nv, "tau")
    k, r, U, D_inv, u, a = unfilled(model.N_B + 1, 6)
    for i in model.bodies:
        k[i] = [int(np.argmax(column != 0)) for column in S[i].T]
        r[i] = [row for row in range(6) if row not in k[i]]
        if not np.array_equal(S[i], np.eye(6)[:, k[i]]):
            raise ValueError(f"The columns of S of joint {i} ({model.names[i]}, {model.joints[i]}) are not unit "
                             "vectors. Use aba, which takes any joint, or turn the body's frame so that the joint "
                             "moves along axes.")

    qdd = zeros(model.nv, tau, model.gravity, *X_up[1:], *c[1:], *p_A[1:])
    a[0] = zeros(6, qdd) + free_motion(-model.gravity)

    for i in reversed(model.bodies):
        U[i], u[i] = I_A[i][:, k[i]], tau[at_v(i)] - p_A[i][k[i]]                        # (7.43) (7.45)
        D_inv[i] = inverse_of_D(U[i][k[i]], I_A[i], model, i, np.eye(6)[:, k[i]])       # (7.44)
        if parent[i] != 0:
            U_D, U_r, X_r = U[i][r[i]] @ D_inv[i], U[i][r[i]], X_up[i][r[i]]
            I_a = I_A[i][r[i]][:, r[i]] - U_D @ U_r.T                                    # (7.47)
            p_a = zeros(6, qdd)
            p_a[k[i]], p_a[r[i]] = tau[at_v(i)], p_A[i][r[i]] + I_a @ c[i][r[i]] + U_D @ u[i]   # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_r.T @ I_a @ X_r                          # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a                            # (7.38)

    for i in model.bodies:
        a[i] = np.asarray(X_up[i] @ a[parent[i]] + c[i])                                 # (7.46)
        qdd[at_v(i)] = D_inv[i] @ (u[i] - U[i].T @ a[i])                                 # (7.49)
        a[i][k[i]] = a[i][k[i]] + qdd[at_v(i)]                                           # (7.50)

    return qdd


class Handles(namedtuple("Handles", "bodies J Phi b")):
    """How h handles of a system respond to forces on them: a = Phi f + b (RBDA Eqs 7.3, 7.4).

    a, f: their accelerations and the forces on them, stacked (6h), each in the coordinates of its body.  Phi (6h x 6h):
    inverse inertia; its 6 x 6 blocks are the Phi_i and, off the diagonal, Phi_ij.  b (6h): bias acceleration.  J (6h x
    nv): the handles' Jacobians.  bodies: their numbers.
    """

    @property
    def I_A(self):
        """The inertia I_A (6h x 6h) of f = I_A a + p_A (RBDA Eq. 7.12); ValueError if the handles lack freedom."""
        n = len(self.Phi)
        return inverse(self.Phi, (
            f"The handles {self.bodies} do not have {n} independent freedoms, so that no I_A and p_A exist: there are "
            "forces on them that cause no acceleration. Use Phi and b, which always exist."),
            sizes_by_unit(np.eye(n), self.Phi), IMMOBILE)

    @property
    def p_A(self):
        """The bias force p_A (6h) of f = I_A a + p_A (RBDA Eq. 7.13); ValueError if the handles lack freedom."""
        return -self.I_A @ self.b                                                       # (7.13)


def handles_by_projection(model, q, qd, tau, handles, f_ext=None, t=0.0):
    """How one or more bodies of a system respond to forces on them, by projection (RBDA Eqs 7.5-7.14); a `Handles`.

    handles: the number of a body, or a list of numbers. q, qd, tau, f_ext, t: as for `aba`; tau, f_ext and gravity are
    all the forces but those on the handles. Joints in model.loops are left open. The accelerations are true
    ones, in which gravity shows; those of `aba` start from a[0] = -a_g, so that its p_A contains no weight. Raises
    ValueError for bodies that do not exist, or if the joint-space inertia H is singular.
    """
    require_model(model)
    bodies = tuple(handles) if np.iterable(handles) else (handles,)
    if not bodies:
        raise ValueError("handles is empty; give the number of a body, or several.")
    tau = vector(tau, model.nv, "tau")
    H, C = crba(model, q, t), bias_force(model, q, qd, f_ext, t) - tau                  # (7.5)
    J = np.concatenate([body_jacobian(model, q, i, t) for i in bodies])
    a = body_accelerations(model, q, qd, zeros(model.nv, H), t)
    J_dot_qd = np.concatenate([a[i] for i in bodies])
    H_inv = inverse(H, (
        "The joint-space inertia H is singular, so that the forces determine no accelerations. Give every joint "
        "something to move that has a mass."))

    Phi = J @ H_inv @ J.T                                                               # (7.9)
    b = J_dot_qd - J @ H_inv @ C                                                        # (7.10)
    return Handles(bodies, J, Phi, b)


def propagate(I_A, p_A, S, c, tau, model=None, i=None):
    """The inertia I_a and bias force p_a with which an articulated body is felt through a joint (RBDA Eqs 7.23, 7.24).

    I_A (6 x 6), p_A (6): of the handle beyond the joint, six freedoms in all.  S (6 x n): the joint's motion subspace.
    c (6): the part of its acceleration that is not S qdd.  tau (n): its force. All in the same coordinates. Raises
    ValueError, naming joint i of the model if given, if Sᵀ I_A S is singular.
    """
    I_A, S = matrix(I_A, (6, 6), "I_A"), spanning(S, "S", 6)
    p_A, c, tau = vector(p_A, 6, "p_A"), vector(c, 6, "c"), vector(tau, S.shape[1], "tau")
    D_inv = inverse_of_D(S.T @ I_A @ S, I_A, model, i, S)
    I_a = I_A - I_A @ S @ D_inv @ S.T @ I_A                                             # (7.39)
    return I_a, p_A + I_a @ c + I_A @ S @ D_inv @ (tau - S.T @ p_A)                     # (7.40)
