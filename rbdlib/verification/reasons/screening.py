"""States in floats, in which most hypotheses are found wrong before one of them is looked at in many digits."""

import dataclasses

import numpy as np

from rbdlib.loops.tolerances import kept_for_model
from rbdlib.verification.mechanics.states import entries_of, joint_of, unchecked

#: The errors where an altered system, or a changed formula, has no value.
TROUBLE = (ValueError, ZeroDivisionError, KeyError, ArithmeticError, TypeError, IndexError)


def quietly(function, *arguments):
    """The result of a function; None where an altered system, or a changed formula, has none."""
    with np.errstate(all="ignore"):
        try:
            return function(*arguments)
        except TROUBLE:
            return None


def in_floats(state):
    """The `State` with floats for all its numbers; its model is not checked. Raises TypeError where there is none."""
    return dataclasses.replace(
        state, model=_with(state.model, float), parameters={name: float(x) for name, x in state.parameters.items()},
        **{part: np.array(getattr(state, part), dtype=float) for part in ("q", "qd", "tau")})


def at_floats(system, parameters):
    """The model of a `states.System` with floats for its parameters {name: value}; nothing about it is checked."""
    names, formulas, function, values = _compiled(system.model)
    values = values | dict(zip(formulas, function(*(float(parameters[name]) for name in names)), strict=True))
    return _with(system.model, values.__getitem__)


def _with(model, number):
    """The model with other numbers, each of them made by a function."""
    def numbers(array):
        return np.array([number(x) for x in np.ravel(array).tolist()], dtype=float).reshape(np.shape(array))

    loops = tuple(unchecked(loop, joint=joint_of(number, loop.joint), X_P=numbers(loop.X_P), X_S=numbers(loop.X_S))
                  for loop in model.loops)
    return unchecked(model, gravity=numbers(model.gravity), X_tree=(None, *map(numbers, model.X_tree[1:])),
                     inertia=(None, *map(numbers, model.inertia[1:])), loops=loops, parameters={},
                     joints=(None, *(joint_of(number, joint) for joint in model.joints[1:])))


@kept_for_model
def _compiled(model):
    """(names of the symbols, formulas that stand in a model, function that gives their values, {number: float})."""
    import sympy

    entries = dict.fromkeys(entries_of(model))
    formulas = [x for x in entries if getattr(x, "free_symbols", ())]
    symbols = sorted({s for x in formulas for s in x.free_symbols}, key=str)
    return ([str(s) for s in symbols], formulas, sympy.lambdify(symbols, formulas, "math"),
            {x: float(x) for x in entries if x not in formulas})
