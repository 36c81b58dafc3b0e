"""States in floats, in which most hypotheses are found wrong before one of them is looked at in many digits."""

import dataclasses

import numpy as np

from rbdlib.loops.tolerances import kept_for_model
from rbdlib.numbers.scalars import as_floats
from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.mechanics.states import joint_of, unchecked
from rbdlib.verification.trees.network import values

#: Differences below this fraction of the largest value may be due to rounding.
NEAR = 1e-9
#: What is raised where an altered system, or a changed formula, has no value.
TROUBLE = (ValueError, ZeroDivisionError, KeyError, ArithmeticError, TypeError, IndexError)


def quietly(function, *arguments):
    """The result of a function; None where an altered system, or a changed formula, has none."""
    with np.errstate(all="ignore"):
        try:
            return function(*arguments)
        except TROUBLE:
            return None


@once_for_each
def states_in_floats(case):
    """The states of a `Case` with floats for all numbers, a list."""
    return [in_floats(state) for state in case.states]


def first_missing(case, *hypotheses):
    """The part that each entry of a `Case` lacks under hypotheses, in its first state only and in floats.

    None where that cannot be told.
    """
    found = quietly(_first_missing, case, hypotheses)
    return found if found is not None and np.isfinite(found).all() else None


def _first_missing(case, hypotheses):
    states = states_in_floats(case)[: 1 + case.constant]
    if case.equations:
        known = case.floats_at([case.moving(states[0], hypotheses)], case.used)
        return -np.array([values(tree, known)[0] for tree in case.trees.values()])
    wanted = [np.array(case.wanted(state, hypotheses), dtype=float) for state in states]
    return case.combine(wanted)[0] - np.array(case.as_compared[0], dtype=float)


def is_none(case, difference):
    """For each entry whether a difference in the first state, in floats, is none but for rounding."""
    return np.abs(difference) <= NEAR * np.array(case.sizes[0], dtype=float)


def in_floats(state):
    """The `State` with floats for all its numbers. Raises TypeError where there is no float."""
    parameters = {name: float(x) for name, x in state.parameters.items()}
    q, qd, tau = (np.array(x, dtype=float) for x in (state.q, state.qd, state.tau))
    return dataclasses.replace(state, model=model_in_floats(state.model), parameters=parameters, q=q, qd=qd, tau=tau)


def model_in_floats(model):
    """The model with floats for its numbers; nothing about it is checked."""
    return _with_arrays(model, [as_floats(array) for array in _arrays(model)], float)


def at_floats(system, parameters):
    """The model of a `states.System` with floats for its parameters {name: value}; nothing about it is checked."""
    parameters = {name: float(x) for name, x in parameters.items()}

    def number(x):
        symbols = getattr(x, "free_symbols", ())
        return float(x.subs({s: parameters[str(s)] for s in symbols}) if symbols else x)

    return _with_arrays(system.model, _arrays_at(system.model)(parameters), number)


def _arrays(model):
    return [model.gravity, *model.X_tree[1:], *model.inertia[1:], *(loop.X_P for loop in model.loops),
            *(loop.X_S for loop in model.loops)]


def _with_arrays(model, arrays, number):
    """The model with other arrays, in the order of `_arrays`; number: the function for the numbers in its joints."""
    n, (gravity, *others) = model.N_B, arrays
    ends = zip(model.loops, others[2 * n :], others[2 * n + len(model.loops) :], strict=False)
    loops = tuple(unchecked(loop, joint=joint_of(number, loop.joint), X_P=X_P, X_S=X_S) for loop, X_P, X_S in ends)
    joints = (None, *(joint_of(number, joint) for joint in model.joints[1:]))
    return unchecked(model, gravity=gravity, X_tree=(None, *others[:n]), inertia=(None, *others[n : 2 * n]),
                     joints=joints, loops=loops, parameters={})


@kept_for_model
def _arrays_at(model):
    """A function of {name: float} that gives the `_arrays` of a model with symbols; the model itself is not kept."""
    import sympy

    entries = [x for array in _arrays(model) for x in np.ravel(array).tolist()]
    symbols = sorted({s for x in entries for s in getattr(x, "free_symbols", ())}, key=str)
    function, names = sympy.lambdify(symbols, entries, "math"), [str(s) for s in symbols]
    shapes = [array.shape for array in _arrays(model)]
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])[:-1]

    def arrays(parameters):
        values = np.array(function(*(parameters[name] for name in names)), dtype=float)
        return [part.reshape(shape) for part, shape in zip(np.split(values, ends), shapes, strict=True)]

    return arrays
