"""Operation counts of the readable algorithms, as they stand and after simplification (RBDA 10.3, 10.4)."""

from collections import Counter, namedtuple

import numpy as np

from rbdlib import arithmetic
from rbdlib.analysis.complexity import count_operations
from rbdlib.analysis.operation_counts import best_rows, cost_of, crba_cost_on_tree, solve_cost
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import Model, require_model
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.compile import link_frames
from rbdlib.compile.cheapest import on_types
from rbdlib.compile.executer import input_names, record, shape_of
from rbdlib.compile.parameters import free_symbols, with_parameters
from rbdlib.compile.rewrite import optimise
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.numbers.counted import counted
from rbdlib.numbers.tables import text_table

#: From where the numbers are drawn with which an algorithm runs while it is counted; the counts do not depend on them.
SEED = 1


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
    function = on_types(function) if typed and not isinstance(model, arithmetic.TypedModel) else function
    if simplified:
        return optimise(record(function, model, given, parameters, fixed).program).count()
    operations, rng = Counter(), np.random.default_rng(SEED)
    q = model.random_state(rng)[0] if isinstance(model, Model) else None
    arguments = {}
    for name in input_names(function, given, fixed):
        values = q if name == "q" and q is not None else rng.normal(size=shape_of(name, model, {}))
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

    rnea, crba, aba: the algorithms of those names. solve: factorising H and solving for qdd. n³: all but aba.
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
