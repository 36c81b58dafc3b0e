"""Positions, velocities and accelerations of the bodies; energy and momentum of the system (RBDA 2.7, 2.11, 4.2).

Lists are indexed by body number, with the base in place 0. Vectors are in body coordinates unless a docstring says
otherwise. The time t (s) matters only for joints that depend on it. `rbdlib.methods.centre_of_mass` goes on from here.
"""

from rbdlib.book.ch02_spatial import crm, inverse_transform
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import per_joint, require_model
from rbdlib.numbers.scalars import eye, number, vector, zeros


def joints_at(model, q, t=0.0):
    """The lists X_up[i] (from the parent to body i) and S[i] at q, indexed by body number; place 0 is empty."""
    q, t = vector(q, require_model(model).nq, "q"), number(t, "t")
    X_up, S = [None] * (model.N_B + 1), [None] * (model.N_B + 1)
    for i in model.bodies:
        joint, q_i = model.joints[i], q[model.q_slice(i)]
        X_up[i], S[i] = joint.transform(q_i, t) @ model.X_tree[i], joint.motion_subspace(q_i, t)
    return X_up, S


def body_transforms(model, q, t=0.0):
    """The transforms ⁱX_0 from base coordinates to the coordinates of body i, as a list (RBDA 4.2).

    >>> from rbdlib import load
    >>> len(body_transforms(load("double_pendulum"), [0, 0]))
    3
    """
    (X_up, _), X = joints_at(model, q, t), [eye(6, q)]
    for i in model.bodies:
        X.append(X_up[i] @ X[model.parent[i]])
    return X


def body_velocities(model, q, qd, t=0.0):
    """The spatial velocities of the bodies, as a list of 6-vectors (RBDA Eqs 2.16, 5.14)."""
    (q, qd), t = per_joint(model, q=q, qd=qd), number(t, "t")
    v = [zeros(6, *q[1:], *qd[1:])]
    for i in model.bodies:
        X_J, _, v_J, _ = jcalc(model.joints[i], q[i], qd[i], t)
        v.append(X_J @ model.X_tree[i] @ v[model.parent[i]] + v_J)                              # (5.18)
    return v


def body_accelerations(model, q, qd, qdd, t=0.0):
    """The spatial accelerations of the bodies, without gravity, as a list of 6-vectors (RBDA Eqs 2.55, 5.15)."""
    v, t = body_velocities(model, q, qd, t), number(t, "t")
    q, qd, qdd = per_joint(model, q=q, qd=qd, qdd=qdd)
    a = [zeros(6, v[0], *qdd[1:])]
    for i in model.bodies:
        X_J, S, v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)
        a_J = S @ qdd[i] + c_J + crm(v[i]) @ v_J
        a.append(X_J @ model.X_tree[i] @ a[model.parent[i]] + a_J)                              # (5.19)
    return a


def body_jacobian(model, q, i, t=0.0):
    """The body Jacobian J_i (6 x nv): the velocity of body i, in its own coordinates, is J_i qd (RBDA Eq. 2.18)."""
    X, (_, S) = body_transforms(model, q, t), joints_at(model, q, t)
    J = zeros((6, model.nv), *X)
    for j in model.kappa(i):
        J[:, model.v_slice(j)] = X[i] @ inverse_transform(X[j]) @ S[j]
    return J


def body_jacobian_dot(model, q, qd, i, t=0.0):
    """The rate of change of the body Jacobian, so that a_i = J_i qdd + J_i-dot qd (6 x nv) (RBDA Eq. 2.57).

    The dot is the true derivative, in the coordinates of body i, as of a spatial acceleration.
    """
    X, v, (_, S) = body_transforms(model, q, t), body_velocities(model, q, qd, t), joints_at(model, q, t)
    q, qd = per_joint(model, q=q, qd=qd)
    J_dot = zeros((6, model.nv), *X, *qd[1:])
    for j in model.kappa(i):
        S_ring = model.joints[j].motion_subspace_rate(q[j], qd[j], t)
        J_dot[:, model.v_slice(j)] = X[i] @ inverse_transform(X[j]) @ (S_ring + crm(v[j]) @ S[j])
    return J_dot


def kinetic_energy(model, q, qd, t=0.0):
    """Kinetic energy (J) of the system (RBDA Eq. 2.67)."""
    v = body_velocities(model, q, qd, t)
    return sum(v[i] @ model.inertia[i] @ v[i] for i in model.bodies) / 2


def momentum(model, q, qd, t=0.0):
    """Spatial momentum [h_O, h] of the system in base coordinates (RBDA Eqs 2.60, 2.61)."""
    X, v = body_transforms(model, q, t), body_velocities(model, q, qd, t)
    return sum((X[i].T @ model.inertia[i] @ v[i] for i in model.bodies), zeros(6, v[0]))
