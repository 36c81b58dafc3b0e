"""Operation counts of the readable algorithms, as they stand and after simplification (RBDA 5.1, 10.3, 10.4).

Beside the recurrence relations are the closed forms that they replaced (RBDA 5.2), here to be counted.
"""

from collections import Counter, namedtuple
from functools import reduce
from operator import add

import numpy as np

from rbdlib import arithmetic
from rbdlib.analysis.operation_counts import best_rows, cost_of, crba_cost_on_tree, solve_cost
from rbdlib.book.ch02_spatial import crf, crm, free_motion
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import Model, require_model
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.compile import link_frames
from rbdlib.compile.cheapest import on_types
from rbdlib.compile.executer import inputs_of, record
from rbdlib.compile.parameters import free_symbols, with_parameters
from rbdlib.compile.rewrite import optimise
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.inverse_dynamics_variants import newton_euler_in_base
from rbdlib.numbers.operations import counted, value_of
from rbdlib.numbers.scalars import vector, zeros
from rbdlib.numbers.tables import text_table

#: From where the numbers are drawn with which an algorithm runs while it is counted; the counts do not depend on them.
SEED = 1


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


def count(function, model, simplified=False, typed=False, given=(), parameters=None, **fixed):
    """How many operations function(model, q, ...) takes: a Counter of "m", "a", "d", "sqrt", "sin", "cos" (RBDA 10.3).

    function: such as `rbdlib.rnea`, whose first argument is the model and whose arguments without a default value are
    unknown until it runs. given: names of arguments with a default that are unknown too, such as "f_ext". parameters:
    names of the model's SymPy symbols, which are unknown as well; all that it has, if None. fixed: values of further
    arguments. Multiplications ("m") and divisions ("d") are told apart; the book adds them up. Changes of sign are
    free, and so is what is known beforehand, because it depends on the model alone.

    simplified: count what is left once the function has been recorded on this model and simplified (RBDA 10.4, and
    `rbdlib.compile.rewrite.optimise`); otherwise every operation with an unknown number counts, even one with a
    constant 0 or 1. typed: with the compact arithmetic of RBDA A.3 to A.5 in place of 6 x 6 matrices. Raises TypeError
    for other things than functions and models, and where the function chooses by the value of an unknown number;
    ValueError for names that it does not know, and for symbols of the model that are no parameters.

    >>> from rbdlib import load, rnea
    >>> sorted(count(rnea, load("simple_pendulum"), simplified=True).items())
    [('a', 1), ('m', 1), ('sin', 1)]
    """
    if not callable(function):
        raise TypeError(f"function is {function!r}; give a function whose first argument is the model, such as rnea.")
    if not isinstance(model, Model | FloatingBase | GearedTree):
        raise TypeError(f"model is {model!r}; give a Model, such as rbdlib.load('pendulum').")
    given = _names(given, "given")
    parameters = free_symbols(model) if parameters is None else _names(parameters, "parameters")
    function = on_types(function) if typed else function
    if simplified:
        return optimise(record(function, model, given, parameters, fixed).program).count()
    operations, rng = Counter(), np.random.default_rng(SEED)
    q = model.random_state(rng)[0] if isinstance(model, Model) else None
    arguments = {}
    for name, shape in inputs_of(function, model, given, (), fixed):
        values = q if name == "q" and q is not None else rng.normal(size=shape)
        arguments[name] = counted(values, operations)
    numbers = {name: counted(rng.uniform(0.5, 1.5), operations) for name in parameters}
    function(with_parameters(model, numbers), **arguments, **fixed)
    return operations


def _names(names, argument):
    if isinstance(names, str):
        raise TypeError(f"{argument} is the text {names!r}; give a list of names, such as [{names!r}].")
    return tuple(map(str, names))


# Beside the published figures (RBDA Table 10.1, Eq. 10.12, Figures 10.4, 10.5)


class Compared(namedtuple("Compared", "published counted")):
    """Cost of an algorithm by the best published formula, and after simplification here, as `Cost`."""


class Comparison(namedtuple("Comparison", "algorithms")):
    """The algorithms of Table 10.1 on one model: {name: `Compared`}; prints as a table.

    rnea, crba, aba: as named. solve: factorising H and solving for qdd. n³: forward dynamics by rnea, crba and solve.
    """

    def __repr__(self):
        rows = [(name, str(published), str(counted), f"{counted.total() / published.total():.2f}")
                for name, (published, counted) in self.algorithms.items()]
        return text_table(("algorithm", "best published", "counted here", "ratio of the totals"), rows)


def compare(model, in_joint_space=False):
    """Cost of the algorithms of Table 10.1 on a tree of hinges, published and counted: a `Comparison` (RBDA 10.3).

    model: with two bodies or more and revolute joints only, such as `rbdlib.methods.generators.gu(7)`. CRBA and solve
    are published for trees (RBDA Eq. 10.12, Table 6.6), RNEA and ABA for chains of as many bodies. What is counted is
    simplified and uses the compact arithmetic of RBDA A.3 to A.5. in_joint_space: count on the model of
    `rbdlib.compile.link_frames.in_joint_space`, with link frames after Denavit and Hartenberg and inertias moved
    towards the base. Raises ValueError for other joints.
    """
    if any(not isinstance(joint, Revolute) for joint in require_model(model).joints[1:]) or model.N_B < 2:
        raise ValueError("model must have two bodies or more, and revolute joints only: for these formulas are known.")
    parent, n, best = list(model.parent[1:]), model.N_B, best_rows()
    model = link_frames.in_joint_space(model) if in_joint_space else model
    on_types = arithmetic.typed(model)
    counted = {function.__name__: cost_of(count(function, on_types, simplified=True))
               for function in (rnea, crba, aba)}
    H, b = crba(model, model.neutral()), np.ones(n)
    counted["solve"] = cost_of(count_operations(lambda H, b: solve(H, b, parent), H, b)[0])
    published = {"rnea": best["rnea"].cost(n), "crba": crba_cost_on_tree(parent), "solve": solve_cost(parent),
                 "aba": best["aba"].cost(n)}
    for costs in (published, counted):
        costs["n³"] = costs["rnea"] + costs["crba"] + costs["solve"]
    return Comparison({name: Compared(published[name], counted[name]) for name in published})


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
