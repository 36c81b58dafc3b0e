"""The recursive Newton-Euler algorithm in other coordinates: those of the base, and 3D vectors (RBDA 5.3, 5.4).

These are here to be compared; `rbdlib.book.ch05_inverse_dynamics` is what to use.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, crf, cross, free_motion, skew
from rbdlib.book.ch04_joints import Prismatic, Revolute
from rbdlib.book.ch04_model import external_forces
from rbdlib.book.ch05_inverse_dynamics import NewtonEuler, newton_euler
from rbdlib.methods.first_pass import first_pass_in_base
from rbdlib.methods.inertia_parameters import mass_properties
from rbdlib.numbers.scalars import as_floats, blocks, unfilled, vector, zeros
from rbdlib.numbers.tables import text_table


def newton_euler_in_base(model, q, qd, qdd, f_ext=None, t=0.0):
    """The recursive Newton-Euler algorithm in base coordinates (RBDA Table 5.1, basic equations; Eqs 5.7-5.11).

    Arguments as for `rbdlib.rnea`. Returns a `NewtonEuler` whose S, v, a and f are in base coordinates.
    """
    X_up, X_0, S, v, c, I, p = first_pass_in_base(model, q, qd, t)
    qdd, f_ext, at_v = vector(qdd, model.nv, "qdd"), external_forces(model, f_ext), model.v_slice
    a, f_B, f = ([None] * (model.N_B + 1) for _ in range(3))
    tau = zeros(model.nv, qdd, f_ext, model.gravity, *X_0, *v, *I[1:])

    a[0] = free_motion(-model.gravity)
    for i in model.bodies:
        a[i] = a[model.parent[i]] + S[i] @ qdd[at_v(i)] + c[i]                          # (5.8)
        f_B[i] = I[i] @ a[i] + p[i]                                                     # (5.9)

    for i in reversed(model.bodies):
        f[i] = f_B[i] - f_ext[i] + sum(f[j] for j in model.mu(i))                       # (5.10)
        tau[at_v(i)] = S[i].T @ f[i]                                                     # (5.11)
    f[0] = sum((f[j] for j in model.mu(0)), zeros(6, tau))

    return NewtonEuler(X_up, X_0, S, v, a, f, tau)


class OriginalNewtonEuler(namedtuple("OriginalNewtonEuler", "E r w wd v vd F N f n m c I_cm z turns tau")):
    """The 3D vectors of RBDA Table 5.2, in lists indexed by body number, in body coordinates.

    E[i] (3 x 3), r[i]: rotation from parent to body coordinates, and position of body i's origin in the parent's.
    w[i], wd[i]: angular velocity and acceleration.  v[i], vd[i]: velocity and classical acceleration of the origin (v
    is None if it was left out).  F[i], N[i]: net force on body i, net moment about its centre of mass.  f[i], n[i]:
    force and moment transmitted through joint i.  m, c, I_cm: mass, centre of mass, rotational inertia about it.
    z[i]: the joint's axis.  turns[i]: whether it is revolute and not prismatic.  tau: the joint forces.
    """


def original_newton_euler(model, q, qd, qdd, linear_velocity=True):
    """Joint forces by the original recursive Newton-Euler algorithm (RBDA Table 5.2); an `OriginalNewtonEuler`.

    For trees of revolute and prismatic joints without external forces; ValueError for other joints. The table is for
    unbranched chains of revolute joints; i - 1 is replaced by lambda(i) here, and the child i + 1 by all of mu(i).
    linear_velocity: whether to compute v[i], on which nothing else depends.
    """
    q, qd, qdd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd")
    E, r, w, wd, v, vd, F, N, f, n, m, c, I_cm, z, turns = unfilled(model.N_B + 1, 15)
    tau = zeros(model.nv, q, qd, qdd, model.gravity, *model.X_tree[1:], *model.inertia[1:])

    w[0], wd[0], v[0], vd[0] = (*(zeros(3, qd) for _ in range(3)), -model.gravity)

    for i in model.bodies:
        if not isinstance(model.joints[i], Revolute | Prismatic):
            raise ValueError(f"Joint {i} is a {model.joints[i]} joint; the original algorithm (RBDA 5.4) has formulas "
                             "for revolute and prismatic joints only. Use rnea, whose formulas are the same for every "
                             "joint.")
        h, turns[i] = model.parent[i], isinstance(model.joints[i], Revolute)
        qd_i, qdd_i = qd[i - 1], qdd[i - 1]
        E[i], r[i] = X_to_Er(model.joints[i].transform(q[i - 1 : i]) @ model.X_tree[i])
        z[i], (m[i], c[i], I_cm[i]) = model.joints[i].direction, mass_properties(model.inertia[i])
        w[i] = E[i] @ w[h] + (z[i] * qd_i if turns[i] else 0)
        if linear_velocity:
            v[i] = E[i] @ (v[h] + cross(w[h], r[i])) + (0 if turns[i] else z[i] * qd_i)
        wd[i] = E[i] @ wd[h] + (z[i] * qdd_i + cross(E[i] @ w[h], z[i] * qd_i) if turns[i] else 0)
        vd[i] = E[i] @ (vd[h] + cross(wd[h], r[i]) + cross(w[h], cross(w[h], r[i]))) + (
            0 if turns[i] else z[i] * qdd_i + 2 * cross(w[i], z[i] * qd_i))
        F[i] = m[i] * (vd[i] + cross(wd[i], c[i]) + cross(w[i], cross(w[i], c[i])))
        N[i] = I_cm[i] @ wd[i] + cross(w[i], I_cm[i] @ w[i])

    for i in reversed(model.bodies):
        from_child = [(r[j], E[j].T @ f[j], E[j].T @ n[j]) for j in model.mu(i)]
        f[i] = F[i] + sum(f_j for _, f_j, _ in from_child)
        n[i] = N[i] + cross(c[i], F[i]) + sum(n_j + cross(r_j, f_j) for r_j, f_j, n_j in from_child)
        tau[i - 1] = z[i] @ (n[i] if turns[i] else f[i])

    return OriginalNewtonEuler(E, r, w, wd, v, vd, F, N, f, n, m, c, I_cm, z, turns, tau)


class Spatial(namedtuple("Spatial", "X_up I S v a f_B f")):
    """Spatial vectors of the 3D vectors of Table 5.2, in lists indexed by body number, in body coordinates.

    X_up: transforms from the parent.  I: inertias.  S: motion subspaces.  v, a: velocities and accelerations.  f_B: net
    forces on the bodies.  f: forces transmitted through the joints.
    """


def to_spatial(original):
    """The spatial vectors that an `OriginalNewtonEuler` with linear velocities amounts to (RBDA Table 5.2): `Spatial`.

    The classical acceleration becomes the spatial one by - w × v; the moment N about the centre of mass becomes that
    about the origin by c × F. All else is only written in another way.
    """
    if original.v[-1] is None:
        raise ValueError("original has no linear velocities, which the correspondence needs (RBDA Table 5.2). Call "
                         "original_newton_euler without linear_velocity=False.")
    o, lists = original, Spatial(*([None] for _ in Spatial._fields))
    for i in range(1, len(o.v)):
        m_c = o.m[i] * skew(o.c[i])
        lists.X_up.append(blocks([[o.E[i], 0], [-o.E[i] @ skew(o.r[i]), o.E[i]]]))
        lists.I.append(blocks([[o.I_cm[i] - m_c @ skew(o.c[i]), m_c], [-m_c, o.m[i]]]))
        lists.S.append((np.concatenate([o.z[i], 0 * o.z[i]]) if o.turns[i] else free_motion(o.z[i]))[:, None])
        lists.v.append(np.concatenate([o.w[i], o.v[i]]))
        lists.a.append(np.concatenate([o.wd[i], o.vd[i] - cross(o.w[i], o.v[i])]))
        lists.f_B.append(np.concatenate([o.N[i] + cross(o.c[i], o.F[i]), o.F[i]]))
        lists.f.append(np.concatenate([o.n[i], o.f[i]]))
    return lists


class Correspondence(namedtuple("Correspondence", "rows original spatial")):
    """The vectors of Table 5.2 beside those of Table 5.1; prints as a table of values.

    rows: tuples (body, expression in 3D vectors, its value, the part of a spatial vector, its value).
    original, spatial: what the two algorithms returned, an `OriginalNewtonEuler` and a `NewtonEuler`.
    """

    #: The largest difference between two values that should be the same; numbers only.
    difference = property(lambda self: max((np.abs(ours - theirs).max() for _, _, ours, _, theirs in self.rows),
                                           default=0.0))

    def __repr__(self):
        numbers = [values for row in self.rows if (values := as_floats(row[2])) is not None]
        noise = 1e-13 * max((np.abs(values).max() for values in numbers), default=0)

        def text(value):
            values = as_floats(value)
            entries = value if values is None else [f"{x:.4g}" if abs(x) > noise else "0" for x in values]
            return "(" + ", ".join(map(str, entries)) + ")"

        return text_table(("body", "3D vectors (Table 5.2)", "value", "spatial (Table 5.1)", "value"),
                          [(str(i), name, text(ours), part, text(theirs)) for i, name, ours, part, theirs in self.rows])


def correspondence(model, q, qd, qdd):
    """The original and the spatial recursive Newton-Euler algorithm, value by value: a `Correspondence` (Table 5.2).

    Arguments and restrictions as for `original_newton_euler`.
    """
    original, motion = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    ours, rows = to_spatial(original), []
    for i in model.bodies:
        I, v, a = model.inertia[i], motion.v[i], motion.a[i]
        pairs = [("ω", "v", "v", ours.v, v), ("dω/dt", "dv/dt - ω × v", "a", ours.a, a),
                 ("N + c × F", "F", "f_B", ours.f_B, I @ a + crf(v) @ I @ v), ("n", "f", "f", ours.f, motion.f[i])]
        for angular, linear, name, vectors, theirs in pairs:
            rows += [(i, angular, vectors[i][:3], f"{name}, angular", theirs[:3]),
                     (i, linear, vectors[i][3:], f"{name}, linear", theirs[3:])]
    return Correspondence(tuple(rows), original, motion)
