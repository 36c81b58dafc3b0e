"""The first pass of many algorithms, from the base outwards: how joints stand and bodies move (RBDA 5.3, 7.2)."""

from rbdlib.book.ch02_spatial import crf, crm, force_transform, inverse_transform
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, per_joint
from rbdlib.numbers.scalars import eye, number, zeros


def first_pass(model, q, qd, f_ext, t):
    """The first pass of Table 7.1: lists of X_up, S, c, and of the inertia and bias force of every body alone."""
    (q, qd), parent, I = per_joint(model, q=q, qd=qd), model.parent, model.inertia
    f_ext, t = None if f_ext is None else external_forces(model, f_ext), number(t, "t")
    X_up, X_0, S, v, c, p = ([None] * (model.N_B + 1) for _ in range(6))

    X_0[0], v[0] = eye(6, *q[1:]), zeros(6, *qd[1:])

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)                    # (7.32) (7.33)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        v[i] = X_up[i] @ v[parent[i]] + v_J                                             # (7.34)
        c[i] = c_J + crm(v[i]) @ v_J                                                    # (7.35)
        p[i] = crf(v[i]) @ I[i] @ v[i]                                                  # (7.36)
        if f_ext is not None:
            p[i] = p[i] - force_transform(X_0[i]) @ f_ext[i]                            # (7.36)

    return X_up, S, c, list(I), p


def first_pass_in_base(model, q, qd, t):
    """That pass in base coordinates, without external forces: lists of X_up, X_0, S, v, c, I and p."""
    (q, qd), parent, t = per_joint(model, q=q, qd=qd), model.parent, number(t, "t")
    X_up, X_0, S, v, c, I, p = ([None] * (model.N_B + 1) for _ in range(7))

    X_0[0], v[0] = eye(6, *q[1:]), zeros(6, *qd[1:])

    for i in model.bodies:
        X_J, S_i, v_J, c_J = jcalc(model.joints[i], q[i], qd[i], t)
        X_up[i] = X_J @ model.X_tree[i]
        X_0[i] = X_up[i] @ X_0[parent[i]]
        to_base = inverse_transform(X_0[i])
        S[i], v_J, c_J = to_base @ S_i, to_base @ v_J, to_base @ c_J                    # (7.32) (7.33)
        I[i] = X_0[i].T @ model.inertia[i] @ X_0[i]
        v[i] = v[parent[i]] + v_J                                                       # (5.7) (7.34)
        c[i] = c_J + crm(v[i]) @ v_J                                                    # (7.35)
        p[i] = crf(v[i]) @ I[i] @ v[i]                                                  # (7.36)

    return X_up, X_0, S, v, c, I, p
