"""The rotors of motors, by the quick and dirty method: scaled inertias on the diagonal of H (RBDA 9.6, Example 9.5).

The exact dynamics of geared motors, and the comparison with this, are in `rbdlib.book.ch09_gears`.
"""

from typing import NamedTuple

import numpy as np

from rbdlib.book.ch02_spatial import skew, unskew
from rbdlib.book.ch04_model import Model, external_forces, require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import inverse, solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch09_gear_trains import NonlinearGear, indices, require_geared
from rbdlib.book.ch09_hybrid import pass_1, pass_3
from rbdlib.numbers.scalars import as_floats, blocks, number, vector, zeros

# The quick and dirty method (RBDA Example 9.5, Eq. 9.28)


def scaled_rotor_inertia(ratio, J):
    """I_rot = ratio² J: the inertia of a rotor, J about its axis, as felt at the joint that it drives (RBDA 9.6).

    ratio: how many times faster the rotor turns.
    """
    ratio = number(ratio, "ratio")
    return ratio * ratio * number(J, "J")


def crba_with_rotors(model, q, I_rot, t=0.0):
    """H of a tree without rotors, with their scaled inertias I_rot added to its diagonal (RBDA Example 9.5).

    I_rot: a dict {body: inertia} for joints of one freedom, such as {1: 0.5}. It ignores the smaller inertial effects
    of the rotors and all gyroscopic ones.
    """
    I_rot, H = _rotors(model, I_rot), crba(model, q, t)
    diagonal = zeros(model.nv, list(I_rot.values()))
    for i, I in I_rot.items():
        diagonal[model.v_slice(i)] = I
    return H + np.diag(diagonal)


def by_crba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) from H + diag(I_rot). q, qd, tau, f_ext, t: as for `aba`; tau is scaled like I_rot."""
    H, C = crba_with_rotors(model, q, I_rot, t), bias_force(model, q, qd, f_ext, t)
    return solve(H, vector(tau, model.nv, "tau") - C, expanded_parent(model))


def aba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) by Table 7.1 with the scaled rotor inertias in D_i (RBDA Eq. 9.28).

    Arguments as for `by_crba_with_rotors`, whose result this is, at a cost of O(N_B). The first and the third loop are
    those of Table 7.1, in the form that Table 9.3 gives them, where no motion is prescribed.
    """
    I_rot, at_v, parent = _rotors(model, I_rot), model.v_slice, model.parent
    q, qd, tau = vector(q, model.nq, "q"), vector(qd, model.nv, "qd"), vector(tau, model.nv, "tau")
    X_up, S, c, I_A, p_A = first_pass(model, q, qd, f_ext, t)
    U, D_inv, u = ([None] * (model.N_B + 1) for _ in range(3))
    qdd = zeros(model.nv, p_A[1:], I_A[1:], tau, model.gravity)

    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]                                                             # (7.43)
        D = S[i].T @ U[i] + I_rot.get(i, 0)                                              # (9.28)
        u[i] = tau[at_v(i)] - S[i].T @ p_A[i]                                            # (7.45)
        D_inv[i] = inverse(D, f"D of joint {i} ({model.names[i]}) is singular: the joint can move something that has "
                              "no inertia. Give it, or a body that it carries, a mass.")
        if parent[i] != 0:
            I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T                                     # (7.47)
            p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]                          # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a @ X_up[i]                 # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a                           # (7.38)

    pass_3(model, model.bodies, X_up, S, c, I_A, p_A, U, D_inv, u, qdd, tau)            # (7.46) (7.49) (7.50)
    return qdd


def first_pass(model, q, qd, f_ext, t):
    """The first pass of Table 7.1: lists of X_up, S, c, and of the inertia and bias force of every body alone."""
    X_up, _, S, _, c, p = pass_1(model, model.bodies, q, qd, None, external_forces(model, f_ext), number(t, "t"))
    return X_up, S, c, list(model.inertia), p


def _rotors(model, I_rot):
    """I_rot, checked: a dict {body: inertia} for joints of one freedom."""
    if not isinstance(I_rot, dict):
        raise TypeError(f"I_rot is {I_rot!r}; give a dict of bodies and scaled rotor inertias, such as {{1: 0.5}}.")
    for i in I_rot:
        if len(indices(require_model(model).v_slice(i))) != 1:
            raise ValueError(f"I_rot names joint {i}, which is a {model.joints[i]} joint; the method is for joints of "
                             "one freedom. Model its motors as bodies with gears.")
    I_rot = {i: number(I, f"I_rot[{i}]") for i, I in I_rot.items()}
    for i, I in I_rot.items():
        value = as_floats(I)
        if value is not None and value < 0:
            raise ValueError(f"I_rot[{i}] is {I}; no rotor has a negative inertia. Give the square of its gear ratio "
                             "times its inertia, as scaled_rotor_inertia does.")
    return I_rot


# A geared tree without its rotors


class QuickModel(NamedTuple):
    """A tree from which the rotors are taken away, for the quick and dirty method (RBDA Example 9.5).

    model: its q and qd are the y and yd of the geared tree.  I_rot: scaled rotor inertias, {body of model: inertia}.
    bodies: the numbers that the bodies of model have in the geared tree.
    """

    model: Model
    I_rot: dict
    bodies: tuple


def quick_model(geared, carried="inertia"):
    """The tree without the bodies that gears move, and their scaled inertias (RBDA Example 9.5): a `QuickModel`.

    carried: what stays of a rotor on the body that bears it: "inertia" (all of it, as if the rotor were locked where
    its joint variable is 0), "mass" (a particle at its centre of mass) or "nothing". Raises ValueError for nonlinear
    gears, for those with several sources, and if a geared body carries others.
    """
    model, I_rot, inertia = require_geared(geared).model, {}, list(geared.model.inertia)
    number_of = {i: k for k, i in enumerate(geared.independent, start=1)}
    for gear in geared.gears:
        j, parent = gear.joint, model.parent[gear.joint]
        if isinstance(gear, NonlinearGear) or len(gear.sources) != 1 or model.mu(j):
            raise ValueError(f"Joint {j} has a gear that is not linear or has several sources, or body {j} carries "
                             "others; the quick and dirty method is for rotors. Use method='explicit'.")
        q_j = model.joints[j].neutral()
        S, X = model.joints[j].motion_subspace(q_j), model.joints[j].transform(q_j) @ model.X_tree[j]
        i, J = number_of[gear.sources[0]], (S.T @ model.inertia[j] @ S)[0, 0]
        I_rot[i] = I_rot.get(i, 0) + scaled_rotor_inertia(gear.ratios[gear.sources[0]], J)
        if parent in number_of:
            inertia[parent] = inertia[parent] + X.T @ _carried(model.inertia[j], carried) @ X
        elif parent != 0:
            raise ValueError(f"Body {j} is geared and is mounted on body {parent}, which is geared too.")
    kept = geared.independent
    quick = Model([number_of.get(model.parent[i], 0) for i in kept], *(
        [sequence[i] for i in kept] for sequence in (model.joints, model.X_tree, inertia)), model.gravity,
        [model.names[i] for i in kept])
    return QuickModel(quick, I_rot, kept)


def _carried(I, carried):
    if carried == "inertia":
        return I
    if carried not in ("mass", "nothing"):
        raise ValueError(f"carried is {carried!r}; choose 'inertia', 'mass' or 'nothing'.")
    m, h = I[5, 5], unskew(I[:3, 3:])
    if carried == "nothing" or m == 0:
        return zeros((6, 6), I)
    C = skew(h / m)
    return blocks([[m * C @ C.T, m * C],
                   [m * C.T, m]])
