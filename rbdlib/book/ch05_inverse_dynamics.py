"""Inverse dynamics: the forces that produce a given motion (RBDA chapter 5, FDSV section 3).

Other ways to the same forces, which the book compares with this one, are in `rbdlib.methods.inverse_dynamics_variants`.
"""

from collections import namedtuple

from rbdlib.book.ch02_spatial import crf, crm, force_transform, free_motion
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, joined, per_joint, require_model
from rbdlib.numbers.scalars import eye, number, zeros


class NewtonEuler(namedtuple("NewtonEuler", "X_up X_0 S v a f tau")):
    """Every vector of a recursive Newton-Euler computation, in lists indexed by body number (0 is the base).

    X_up[i]: transform from the parent to body i.  X_0[i]: transform from the base to body i.  S[i]: motion subspace.
    v[i], a[i]: velocity and acceleration (a[0] = -a_g carries gravity).  f[i]: force transmitted through joint i from
    the parent to body i; f[0] is what the base must supply. All in body coordinates. tau: the joint forces.
    """


def rnea(model, q, qd, qdd, f_ext=None, t=0.0):
    """Joint forces tau that give the accelerations qdd: the recursive Newton-Euler algorithm (RBDA Table 5.1).

    q: positions (nq); qd, qdd: velocities and accelerations (nv); f_ext: forces on the bodies in base coordinates, an
    (N_B+1, 6) array or a dict {body: 6-vector}; t: time (s), for joints that depend on it. Returns tau (nv), N or N m.
    Raises ValueError or TypeError for arguments of the wrong length or kind.

    >>> from rbdlib import load
    >>> rnea(load("double_pendulum"), [0, 0], [0, 0], [1, 0])
    array([5., 2.])
    """
    return newton_euler(model, q, qd, qdd, f_ext, t).tau


def bias_force(model, q, qd, f_ext=None, t=0.0):
    """The joint forces C that give zero acceleration: Coriolis, centrifugal, gravity (RBDA 6.2, FDSV Eq. 9).

    >>> from rbdlib import load
    >>> bias_force(load("double_pendulum"), [1.5708, 0], [0, 0]).round(2)
    array([29.43,  9.81])
    """
    return rnea(model, q, qd, zeros(require_model(model).nv, q), f_ext, t)


def newton_euler(model, q, qd, qdd, f_ext=None, t=0.0):
    """The recursive Newton-Euler algorithm with all its intermediate vectors (RBDA Table 5.1, FDSV Eqs 13-16).

    Arguments as for `rnea`; returns a `NewtonEuler`. It goes one step further than the table: the forces that the
    children of the base receive from it are summed into f[0].
    """
    q, qd, qdd = per_joint(model, q=q, qd=qd, qdd=qdd)
    f_ext, t = None if f_ext is None else external_forces(model, f_ext), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, v, a, f, tau = ([None] * (model.N_B + 1) for _ in range(7))

    X_0[0], v[0], a[0], f[0] = eye(6), zeros(6), free_motion(-model.gravity), zeros(6)

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J                                             # (5.18)
        a[i] = X_up[i] @ a[parent[i]] + S[i] @ qdd[i] + c_J + crm(v[i]) @ v_J           # (5.19)
        f[i] = I[i] @ a[i] + crf(v[i]) @ I[i] @ v[i]
        if f_ext is not None:
            f[i] = f[i] - force_transform(X_0[i]) @ f_ext[i]

    for i in reversed(model.bodies):
        tau[i] = S[i].T @ f[i]                                                          # (5.11)
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]                                  # (5.20)

    return NewtonEuler(X_up, X_0, S, v, a, f, joined(tau))


# Gravity alone (RBDA 5.3)


def generalized_gravity(model, q, t=0.0):
    """The joint forces (nv) that hold the system at rest against its weight (RBDA Eqs 5.12, 5.13).

    They are what `rnea` gives for qd = qdd = 0, but nothing that is zero then is computed; they are also the slope of
    the potential energy. q: positions (nq); t: time (s), for joints that depend on it.
    """
    (q,), t = per_joint(model, q=q), number(t, "t")
    parent, I = model.parent, model.inertia
    X_up, X_0, S, f, tau = ([None] * (model.N_B + 1) for _ in range(5))

    X_0[0], f[0], a_g = eye(6), zeros(6), free_motion(model.gravity)

    for i in model.bodies:
        joint = model.joints[i]
        X_up[i], S[i] = joint.transform(q[i], t) @ model.X_tree[i], joint.motion_subspace(q[i], t)
        X_0[i] = X_up[i] @ X_0[parent[i]]
        f[i] = -I[i] @ (X_0[i] @ a_g)

    for i in reversed(model.bodies):
        tau[i] = S[i].T @ f[i]                                                          # (5.13)
        f[parent[i]] = f[parent[i]] + X_up[i].T @ f[i]                                  # (5.12)

    return joined(tau)
