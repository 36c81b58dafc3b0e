"""Forward dynamics by propagation: articulated-body inertias and the articulated-body algorithm (RBDA 7.1-7.3)."""

from collections import namedtuple

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, joined, per_joint, require_tree
from rbdlib.book.ch06_factorisation import inverse
from rbdlib.numbers.negligible import sizes_of_D
from rbdlib.numbers.scalars import eye, number, zeros

# The articulated-body algorithm (RBDA 7.3)


class ArticulatedBodies(namedtuple("ArticulatedBodies", "X_up X_0 S v c p I_A p_A U D u I_a p_a a qdd")):
    """Every quantity of an articulated-body computation, in lists indexed by body number (0 is the base).

    X_up[i]: transform from the parent to body i.  X_0[i]: transform from the base to body i.  S[i]: motion subspace.
    v[i], c[i], p[i]: velocity, velocity-product acceleration and bias force of body i alone.  I_A[i], p_A[i]: inertia
    and bias force of the articulated body whose handle is body i, which consists of the bodies nu(i).  U[i], D[i],
    u[i]: I_A S, Sᵀ I_A S and tau - Sᵀ p_A.  I_a[i], p_a[i]: what body i's parent feels of I_A and p_A through joint i
    (None where the parent is the base).  a[i]: acceleration (a[0] = -a_g carries gravity). All in body coordinates,
    where the function does not say otherwise.  qdd: the joint accelerations. Where nothing is added, arrays are shared:
    the I_A of a body without children is the model's own inertia, which cannot be written to. Copy before changing.
    """


def aba(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations qdd that the forces tau cause: the articulated-body algorithm (RBDA Table 7.1).

    q: positions (nq); qd: velocities (nv); tau: joint forces (nv), N or N m; f_ext: forces on the bodies in base
    coordinates, an (N_B+1, 6) array or a dict {body: 6-vector}; t: time (s), for joints that depend on it. Returns qdd
    (nv). The cost is O(N_B). What depends on the model alone is computed in the model's numbers: for more digits than
    floats have, give them to the model as well as to the state. Raises ValueError or TypeError for arguments of the
    wrong length or kind, and ValueError if the model has loops or if a joint moves nothing that has inertia.

    >>> from rbdlib import load
    >>> aba(load("double_pendulum"), [0, 0], [0, 0], [5, 2])
    array([1., 0.])
    """
    return articulated_bodies(require_tree(model), q, qd, tau, f_ext, t).qdd


def articulated_bodies(model, q, qd, tau, f_ext=None, t=0.0):
    """The articulated-body algorithm with all its intermediate quantities (RBDA Table 7.1, Eqs 7.32-7.50).

    Arguments and errors as for `aba`, but joints in model.loops are left open; returns an `ArticulatedBodies`.
    """
    q, qd, tau = per_joint(model, q=q, qd=qd, tau=tau)
    f_ext, t = None if f_ext is None else external_forces(model, f_ext), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, v, c, p, I_A, p_A, U, D, D_inv, u, I_a, p_a, a, qdd = ([None] * (model.N_B + 1) for _ in range(16))

    X_0[0], v[0], a[0] = eye(6), zeros(6), free_motion(-model.gravity)

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)                    # (7.32) (7.33)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J                                             # (7.34)
        c[i] = c_J + crm(v[i]) @ v_J                                                    # (7.35)
        p[i] = crf(v[i]) @ I[i] @ v[i]                                                  # (7.36)
        if f_ext is not None:
            p[i] = p[i] - force_transform(X_0[i]) @ f_ext[i]                            # (7.36)
        I_A[i], p_A[i] = I[i], p[i]

    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]                                                            # (7.43)
        D[i] = S[i].T @ U[i]                                                            # (7.44)
        u[i] = tau[i] - S[i].T @ p_A[i]                                                 # (7.45)
        D_inv[i] = inverse_of_D(D[i], I_A[i], model, i, S[i])
        if parent[i] != 0:
            I_a[i] = I_A[i] - U[i] @ D_inv[i] @ U[i].T                                  # (7.47)
            p_a[i] = p_A[i] + I_a[i] @ c[i] + U[i] @ D_inv[i] @ u[i]                    # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a[i] @ X_up[i]              # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a[i]                        # (7.38)

    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + c[i]                                            # (7.46)
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])                                      # (7.49)
        a[i] = a[i] + S[i] @ qdd[i]                                                     # (7.50)

    return ArticulatedBodies(X_up, X_0, S, v, c, p, I_A, p_A, U, D, u, I_a, p_a, a, joined(qdd))


def inverse_of_D(D, I_A, model=None, i=None, S=None):
    """D⁻¹ for D = Sᵀ I_A S of joint i. ValueError where the joint moves something that has no inertia.

    Without S it cannot be seen which entries of I_A have the units of those of D, and the largest of all counts.
    """
    joint = f"D of joint {i} ({model.names[i]})" if model else "Sᵀ I_A S"
    beyond = f"body {i}, or one beyond it," if model else "the body beyond it"
    return inverse(D, (
        f"{joint} is singular: the joint can move something that has no inertia, so that its acceleration has no "
        f"value. Give {beyond} a mass."), sizes_of_D(D, I_A, S, model, i), body=i)
