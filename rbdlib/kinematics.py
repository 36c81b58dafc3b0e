"""Positions, velocities and accelerations of the bodies; energy and momentum of the system (RBDA 2.7, 2.11, 4.2).

Lists are indexed by body number, with the base in place 0. Vectors are in body coordinates unless a docstring says
otherwise.
"""

from rbdlib.joints import jcalc
from rbdlib.scalars import eye, vector, zeros
from rbdlib.spatial import crm, inverse_transform


def body_transforms(model, q):
    """The transforms ⁱX_0 from base coordinates to the coordinates of body i, as a list (RBDA 4.2)."""
    X_up, _ = _joints_at(model, q)
    X = [eye(6, q)]
    for i in model.bodies:
        X.append(X_up[i] @ X[model.parent[i]])
    return X


def body_velocities(model, q, qd):
    """The spatial velocities of the bodies, as a list of 6-vectors (RBDA Eqs 2.16, 5.14)."""
    X_up, S = _joints_at(model, q)
    qd = vector(qd, model.nv, "qd")
    v = [zeros(6, q, qd)]
    for i in model.bodies:
        v.append(X_up[i] @ v[model.parent[i]] + S[i] @ qd[model.v_slice(i)])                    # (2.16)
    return v


def body_accelerations(model, q, qd, qdd):
    """The spatial accelerations of the bodies, without gravity, as a list of 6-vectors (RBDA Eqs 2.55, 5.15)."""
    X_up, S = _joints_at(model, q)
    qd, qdd, v = vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd"), body_velocities(model, q, qd)
    a = [zeros(6, q, qd, qdd)]
    for i in model.bodies:
        v_J = S[i] @ qd[model.v_slice(i)]
        a.append(X_up[i] @ a[model.parent[i]] + S[i] @ qdd[model.v_slice(i)] + crm(v[i]) @ v_J)  # (2.55)
    return a


def body_jacobian(model, q, i):
    """The body Jacobian J_i (6 x nv): the velocity of body i, in its own coordinates, is J_i qd (RBDA Eq. 2.18)."""
    X, (_, S) = body_transforms(model, q), _joints_at(model, q)
    J = zeros((6, model.nv), *X)
    for j in model.kappa(i):
        J[:, model.v_slice(j)] = X[i] @ inverse_transform(X[j]) @ S[j]
    return J


def kinetic_energy(model, q, qd):
    """Kinetic energy (J) of the system (RBDA Eq. 2.67)."""
    v = body_velocities(model, q, qd)
    return sum(v[i] @ model.inertia[i] @ v[i] for i in model.bodies) / 2


def potential_energy(model, q):
    """Potential energy (J) in the model's gravity, zero when the centre of mass is at the base's origin."""
    mass, moment = _mass_and_first_moment(model, q)
    return -(model.gravity @ moment)


def momentum(model, q, qd):
    """Spatial momentum [h_O, h] of the system in base coordinates (RBDA Eqs 2.60, 2.61)."""
    X, v = body_transforms(model, q), body_velocities(model, q, qd)
    return sum((X[i].T @ model.inertia[i] @ v[i] for i in model.bodies), zeros(6, v[0]))


def centre_of_mass(model, q):
    """Position (m) of the system's centre of mass in base coordinates. ZeroDivisionError if nothing has mass."""
    mass, moment = _mass_and_first_moment(model, q)
    if mass == 0:
        raise ZeroDivisionError("The model has no mass, and so no centre of mass.")
    return moment / mass


def _mass_and_first_moment(model, q):
    X = body_transforms(model, q)
    I = sum((X[i].T @ model.inertia[i] @ X[i] for i in model.bodies), zeros((6, 6), *model.inertia[1:]))
    return I[5, 5], I[[2, 0, 1], [4, 5, 3]]


def _joints_at(model, q):
    """The transforms X_up[i] from parent to body i, and the motion subspaces S[i], at the position q."""
    q = vector(q, model.nq, "q")
    X_up, S = [None], [None]
    for i in model.bodies:
        X_J, S_i, _, _ = jcalc(model.joints[i], q[model.q_slice(i)], zeros(model.joints[i].nv))
        X_up.append(X_J @ model.X_tree[i])
        S.append(S_i)
    return X_up, S
