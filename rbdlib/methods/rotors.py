"""Trees without rotors, whose scaled inertias stand for them: the quick and dirty method (RBDA Example 9.5, Eq. 9.28).

q, qd, tau, f_ext, t: as for `aba`, in the tree without rotors; tau is scaled by the gear ratios. I_rot: the scaled
inertias, a dict {body: inertia} for joints of one freedom, such as {1: 0.5}. The method ignores the smaller inertial
effects of the rotors and all gyroscopic ones.
"""

import numpy as np

from rbdlib.book.ch02_spatial import free_motion
from rbdlib.book.ch04_model import joined, per_joint, require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, expanded_parent
from rbdlib.book.ch07_articulated_body import inverse_of_D
from rbdlib.book.ch09_hybrid import forward_joints, solve_H_11
from rbdlib.methods.first_pass import first_pass
from rbdlib.numbers.model_arguments import zero_where
from rbdlib.numbers.scalars import number, vector, zeros
from rbdlib.numbers.validation import not_negative


def scaled_rotor_inertia(ratio, J):
    """I_rot = ratio² J: the inertia of a rotor, J about its axis, as felt at the joint that it drives (RBDA 9.6).

    ratio: how many times faster the rotor turns.
    """
    ratio = number(ratio, "ratio")
    return ratio * ratio * number(J, "J")


def crba_with_rotors(model, q, I_rot, t=0.0):
    """H of a tree without rotors, with their scaled inertias added to its diagonal (RBDA Example 9.5)."""
    return crba(model, q, t) + np.diag(at_joints(model, _rotors(model, I_rot)))


def at_joints(model, values, *like):
    """A vector (nv) of values, {body: value}, at the joints of these, 0 elsewhere; like: numbers of its kind."""
    x = zeros(model.nv, *like, list(values.values()))
    for i, value in values.items():
        x[model.v_slice(i)] = value
    return x


def by_crba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) from H with the scaled inertias on its diagonal."""
    H, C = crba_with_rotors(model, q, I_rot, t), bias_force(model, q, qd, f_ext, t)
    return solve(H, vector(tau, model.nv, "tau") - C, expanded_parent(model))


def aba_with_rotors(model, q, qd, tau, I_rot, f_ext=None, t=0.0):
    """The accelerations qdd (nv) by Table 7.1 with the scaled rotor inertias in D_i (RBDA Eq. 9.28)."""
    (tau,), I_rot, parent = per_joint(model, tau=tau), _rotors(model, I_rot), model.parent
    X_up, S, c, I_A, p_A = first_pass(model, q, qd, f_ext, t)
    U, D, D_inv, u, a, qdd = ([None] * (model.N_B + 1) for _ in range(6))

    for i in reversed(model.bodies):
        U[i] = I_A[i] @ S[i]                                                            # (7.43)
        D[i] = S[i].T @ U[i] + I_rot.get(i, 0)                                          # (9.28)
        u[i] = tau[i] - S[i].T @ p_A[i]                                                 # (7.45)
        D_inv[i] = inverse_of_D(D[i], I_A[i], model, i, S[i])
        if parent[i] != 0:
            I_a = I_A[i] - U[i] @ D_inv[i] @ U[i].T                                     # (7.47)
            p_a = p_A[i] + I_a @ c[i] + U[i] @ D_inv[i] @ u[i]                          # (7.48)
            I_A[parent[i]] = I_A[parent[i]] + X_up[i].T @ I_a @ X_up[i]                 # (7.37)
            p_A[parent[i]] = p_A[parent[i]] + X_up[i].T @ p_a                           # (7.38)

    a[0] = free_motion(-model.gravity)

    for i in model.bodies:
        a[i] = X_up[i] @ a[parent[i]] + c[i]                                            # (7.46)
        qdd[i] = D_inv[i] @ (u[i] - U[i].T @ a[i])                                      # (7.49)
        a[i] = a[i] + S[i] @ qdd[i]                                                     # (7.50)

    return joined(qdd)


def hybrid_with_rotors(model, q, qd, qdd, tau, prescribed, I_rot, f_ext=None, t=0.0):
    """`hybrid_dynamics` with the scaled inertias on the diagonal of H (RBDA 9.1, Example 9.5); returns qdd, tau."""
    fd = forward_joints(model, prescribed)
    one = np.array([i in fd for i in model.bodies for _ in range(model.joints[i].nv)], dtype=bool)
    qdd, tau = zero_where(one, qdd, "qdd"), zero_where(~one, tau, "tau")
    H, C = crba_with_rotors(model, q, I_rot, t), bias_force(model, q, qd, f_ext, t)

    qdd_1 = solve_H_11(model, fd, H[np.ix_(one, one)], (tau - C - H @ qdd)[one])    # (9.2)
    full = zeros(model.nv, qdd, qdd_1)
    full[one], full[~one] = qdd_1, qdd[~one]
    return full, np.where(one, tau, H @ full + C)                                   # (9.1)


def _rotors(model, I_rot):
    """I_rot, checked: a dict {body: inertia} for joints of one freedom."""
    if not isinstance(I_rot, dict):
        raise TypeError(f"I_rot is {I_rot!r}; give a dict of bodies and scaled rotor inertias, such as {{1: 0.5}}.")
    for i in I_rot:
        if len(range(require_model(model).nv)[model.v_slice(i)]) != 1:
            raise ValueError(f"I_rot names joint {i}, which is a {model.joints[i]} joint; the method is for joints of "
                             "one freedom. Model its motors as bodies with gears.")
    why = "no rotor has a negative inertia. Give its inertia times the squared gear ratio (scaled_rotor_inertia)"
    return {i: not_negative(I, f"I_rot[{i}]", why) for i, I in I_rot.items()}
