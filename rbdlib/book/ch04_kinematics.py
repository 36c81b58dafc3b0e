"""Positions, velocities and accelerations of the bodies; energy and momentum of the system (RBDA 2.7, 2.11, 4.2).

Lists are indexed by body number, with the base in place 0. Vectors are in body coordinates unless a docstring says
otherwise. The time t (s) matters only for joints that depend on it.
"""

from rbdlib.book.ch02_spatial import crm, inverse_transform
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.scalars import eye, number, vector, zeros


def body_transforms(model, q, t=0.0):
    """The transforms ⁱX_0 from base coordinates to the coordinates of body i, as a list (RBDA 4.2).

    >>> from rbdlib import load
    >>> len(body_transforms(load("double_pendulum"), [0, 0]))
    3
    """
    X_up, *_ = _joints_at(model, q, None, t)
    X = [eye(6, q)]
    for i in model.bodies:
        X.append(X_up[i] @ X[model.parent[i]])
    return X


def body_velocities(model, q, qd, t=0.0):
    """The spatial velocities of the bodies, as a list of 6-vectors (RBDA Eqs 2.16, 5.14)."""
    X_up, _, v_J, _ = _joints_at(model, q, qd, t)
    v = [zeros(6, q, qd)]
    for i in model.bodies:
        v.append(X_up[i] @ v[model.parent[i]] + v_J[i])                                         # (5.18)
    return v


def body_accelerations(model, q, qd, qdd, t=0.0):
    """The spatial accelerations of the bodies, without gravity, as a list of 6-vectors (RBDA Eqs 2.55, 5.15)."""
    X_up, S, v_J, c_J = _joints_at(model, q, qd, t)
    v, qdd = body_velocities(model, q, qd, t), vector(qdd, model.nv, "qdd")
    a = [zeros(6, q, qd, qdd)]
    for i in model.bodies:
        a_J = S[i] @ qdd[model.v_slice(i)] + c_J[i] + crm(v[i]) @ v_J[i]
        a.append(X_up[i] @ a[model.parent[i]] + a_J)                                            # (5.19)
    return a


def body_jacobian(model, q, i, t=0.0):
    """The body Jacobian J_i (6 x nv): the velocity of body i, in its own coordinates, is J_i qd (RBDA Eq. 2.18)."""
    X, (_, S, *_) = body_transforms(model, q, t), _joints_at(model, q, None, t)
    J = zeros((6, model.nv), *X)
    for j in model.kappa(i):
        J[:, model.v_slice(j)] = X[i] @ inverse_transform(X[j]) @ S[j]
    return J


def body_jacobian_dot(model, q, qd, i, t=0.0):
    """The rate of change of the body Jacobian, so that a_i = J_i qdd + J_i-dot qd (6 x nv) (RBDA Eq. 2.57).

    The dot is the true derivative, in the coordinates of body i, as of a spatial acceleration.
    """
    X, v, (_, S, *_) = body_transforms(model, q, t), body_velocities(model, q, qd, t), _joints_at(model, q, None, t)
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    J_dot = zeros((6, model.nv), *X, qd)
    for j in model.kappa(i):
        S_ring = model.joints[j].motion_subspace_rate(q[model.q_slice(j)], qd[model.v_slice(j)], t)
        J_dot[:, model.v_slice(j)] = X[i] @ inverse_transform(X[j]) @ (S_ring + crm(v[j]) @ S[j])
    return J_dot


def kinetic_energy(model, q, qd, t=0.0):
    """Kinetic energy (J) of the system (RBDA Eq. 2.67)."""
    v = body_velocities(model, q, qd, t)
    return sum(v[i] @ model.inertia[i] @ v[i] for i in model.bodies) / 2


def potential_energy(model, q, t=0.0):
    """Potential energy (J) in the model's gravity, zero when the centre of mass is at the base's origin."""
    mass, moment = _mass_and_first_moment(model, q, t)
    return -(model.gravity @ moment)


def momentum(model, q, qd, t=0.0):
    """Spatial momentum [h_O, h] of the system in base coordinates (RBDA Eqs 2.60, 2.61)."""
    X, v = body_transforms(model, q, t), body_velocities(model, q, qd, t)
    return sum((X[i].T @ model.inertia[i] @ v[i] for i in model.bodies), zeros(6, v[0]))


def total_mass(model):
    """Mass (kg) of all bodies."""
    return sum(I[5, 5] for I in require_model(model).inertia[1:])


def centre_of_mass(model, q, t=0.0):
    """Position (m) of the system's centre of mass in base coordinates. ZeroDivisionError if nothing has mass."""
    mass, moment = _mass_and_first_moment(model, q, t)
    if mass == 0:
        raise ZeroDivisionError("The model has no mass, and so no centre of mass.")
    return moment / mass


def centre_of_mass_velocity(model, q, qd, t=0.0):
    """Velocity (m/s) of the system's centre of mass in base coordinates, h/m with the h of `momentum`."""
    mass, h = total_mass(model), momentum(model, q, qd, t)[3:]
    if mass == 0:
        raise ZeroDivisionError("The model has no mass, and so no centre of mass.")
    return h / mass


def _mass_and_first_moment(model, q, t):
    X = body_transforms(model, q, t)
    I = sum((X[i].T @ model.inertia[i] @ X[i] for i in model.bodies), zeros((6, 6), *model.inertia[1:]))
    return I[5, 5], I[[2, 0, 1], [4, 5, 3]]


def _joints_at(model, q, qd=None, t=0.0):
    """Lists of X_up[i] (from the parent to body i), S[i], v_J[i] and c_J[i] in the state (q, qd)."""
    q, t = vector(q, require_model(model).nq, "q"), number(t, "t")
    qd = zeros(model.nv, q) if qd is None else vector(qd, model.nv, "qd")
    lists = X_up, S, v_J, c_J = [None], [None], [None], [None]
    for i in model.bodies:
        X_J, *rest = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)], t)
        for values, value in zip(lists, (X_J @ model.X_tree[i], *rest), strict=True):
            values.append(value)
    return X_up, S, v_J, c_J
