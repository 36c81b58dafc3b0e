"""Cost of algorithms: counted operations; recurrence relations and the closed forms they replaced (RBDA 5.1, 5.2).

The closed forms are here to be counted. `rbdlib.book.ch05_inverse_dynamics` gives the same forces at a cost of O(n).
"""

from collections import Counter
from functools import reduce
from operator import add

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.methods.inverse_dynamics_variants import newton_euler_in_base
from rbdlib.numbers.counted import counted, value_of
from rbdlib.numbers.scalars import vector, zeros


def count_operations(function, *arguments):
    """Call the function with counted numbers in its arguments: returns its operations, a Counter, and its result.

    arguments: arrays (or numbers), whose entries become `Counted`; anything else, such as a model, is passed on as it
    is. The result holds ordinary numbers again, if it is an array or a list, tuple or named tuple of arrays.
    """
    operations = Counter()
    result = function(*(_counted(argument, operations) for argument in arguments))
    return operations, _uncounted(result)


def _counted(argument, operations):
    if not isinstance(argument, int | float | np.ndarray | list | tuple):
        return argument
    if isinstance(argument, list) and any(entry is None for entry in argument):
        return [_counted(entry, operations) for entry in argument]
    return counted(np.array(argument, dtype=float), operations)


def _uncounted(result):
    if isinstance(result, np.ndarray) and result.dtype == object:
        return np.array([value_of(x) for x in result.ravel()], dtype=float).reshape(result.shape)
    if isinstance(result, list | tuple):
        parts = [_uncounted(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return value_of(result)


# Recurrence relations, and the closed forms that they replaced (RBDA 5.2)


def joint_axes(model, q):
    """The axes s_i in base coordinates, a list of 6-vectors indexed by body number (RBDA 5.2; place 0 is empty).

    For joints of one freedom whose S is constant in the body, so that ds_i/dt = v_i × s_i; ValueError for others.
    """
    motion = newton_euler_in_base(model, q, zeros(model.nv, q), zeros(model.nv, q))
    for i in model.bodies:
        joint, q_1 = model.joints[i], model.joints[i].neutral() + 1
        if joint.nv != 1 or any(np.any(x != 0) for x in (
                joint.bias_velocity(q_1), joint.bias_acceleration(q_1, np.ones(1)))):
            raise ValueError(f"Joint {i} is a {model.joints[i]} joint; the closed forms (RBDA 5.2) are for joints that "
                             "have one freedom and an axis that stands still in the body, such as hinges and sliders.")
    return [None, *(motion.S[i][:, 0] for i in model.bodies)]


def velocities_by_recurrence(s, qd):
    """The velocities of the bodies of a chain with axes s_i and rates qd_i (RBDA Eq. 5.2): n steps of equal cost.

    s: list of n+1 6-vectors in common coordinates, place 0 empty, as from `joint_axes`; qd: (n). Returns such a list.
    """
    v = [zeros(6, qd)]
    for i in range(1, len(s)):
        v.append(v[i - 1] + s[i] * qd[i - 1])                                           # (5.2)
    return v


def velocities_in_closed_form(s, qd):
    """Velocities by Eq. 5.3, each from the beginning: O(n²). Arguments as for `velocities_by_recurrence`."""
    return [zeros(6, qd)] + [reduce(add, [s[j] * qd[j - 1] for j in range(1, i + 1)]) for i in range(1, len(s))]


def accelerations_by_recurrence(s, qd, qdd):
    """The accelerations of the bodies of a chain (RBDA Eq. 5.4), from rest of the base: O(n). qdd: (n)."""
    v, a = zeros(6, qd), [zeros(6, qd, qdd)]
    for i in range(1, len(s)):
        v_J = s[i] * qd[i - 1]
        v = v + v_J                                                                     # (5.2)
        a.append(a[i - 1] + s[i] * qdd[i - 1] + crm(v) @ v_J)                           # (5.4)
    return a


def accelerations_in_closed_form(s, qd, qdd):
    """Accelerations by Eq. 5.5, a double sum for each body: O(n³)."""
    a = [zeros(6, qd, qdd)]
    for i in range(1, len(s)):
        products = [crm(s[k] * qd[k - 1]) @ (s[j] * qd[j - 1]) for j in range(1, i + 1) for k in range(1, j)]
        a.append(reduce(add, [*(s[j] * qdd[j - 1] for j in range(1, i + 1)), *products]))      # (5.5)
    return a


def closed_form_coefficients(model, q):
    """H (n x n), C (n x n x n) and g (n) of the closed-form equation of motion (RBDA Eq. 5.6), each by its own sum.

    C[i, j, k] multiplies qd_j qd_k; C[i, j, k] + C[i, k, j] is twice the Christoffel symbol. Joints as for
    `joint_axes`. The cost is O(n⁴): n³ coefficients, each a sum over the bodies that all three joints move.
    """
    s, X_0, n, I = joint_axes(model, q), newton_euler_in_base(model, q, *zeros((2, model.nv), q)).X_0, model.nv, [None]
    I += [X_0[m].T @ model.inertia[m] @ X_0[m] for m in model.bodies]
    H, C, g = (zeros(shape, *s[1:], *I[1:], model.gravity) for shape in ((n, n), (n, n, n), n))
    a_g = free_motion(model.gravity)

    def moved_by(*joints):
        return set(model.bodies).intersection(*(model.nu(j) for j in joints))

    for i in model.bodies:
        g[i - 1] = -sum(s[i] @ (I[m] @ a_g) for m in moved_by(i))
        for j in model.bodies:
            H[i - 1, j - 1] = sum(s[i] @ (I[m] @ s[j]) for m in moved_by(i, j))
            for k in model.bodies:
                inboard = k in model.kappa(j) and k != j
                C[i - 1, j - 1, k - 1] = sum(
                    s[i] @ ((I[m] @ (crm(s[k]) @ s[j]) if inboard else 0) + crf(s[j]) @ (I[m] @ s[k]))
                    for m in moved_by(i, j, k))
    return H, C, g


def closed_form_inverse_dynamics(model, q, qd, qdd):
    """Joint forces by evaluating the closed-form equation of motion (RBDA Eq. 5.6, with qdd_j in the first sum): O(n⁴).

    Joints as for `joint_axes`.
    """
    qd, qdd = vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd")
    H, C, g = closed_form_coefficients(model, q)
    n, tau = range(model.nv), zeros(model.nv, g, qd, qdd)
    for i in n:
        tau[i] = sum(H[i, j] * qdd[j] for j in n) + sum(C[i, j, k] * qd[j] * qd[k] for j in n for k in n) + g[i]
    return tau
