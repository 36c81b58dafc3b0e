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


class Screen:
    """The part that the answer of a `Case` lacks under hypotheses, in floats, and in its first states only."""

    def __init__(self, case):
        self.case = case
        self.states = states_in_floats(case)[: 2 if case.constant else 1]
        self.yours = None if case.equations else np.array(case.as_compared[:1], dtype=float)
        self.sizes = np.array(case.sizes[0], dtype=float)

    def missing(self, *hypotheses):
        """The part that each entry lacks if the hypotheses hold; None where that cannot be told."""
        found = quietly(self._missing, hypotheses)
        return found if found is not None and np.isfinite(found).all() else None

    def _missing(self, hypotheses):
        case = self.case
        if case.equations:
            known = case.floats_at([case.moving(self.states[0], hypotheses)], case.used)
            return -np.array([values(tree, known)[0] for tree in case.trees.values()])
        wanted = [np.array(case.wanted(state, hypotheses), dtype=float) for state in self.states]
        return (case.combine(wanted)[:1] - self.yours)[0]

    def near(self, difference):
        """For each entry whether a difference is none, but for rounding."""
        return np.abs(difference) <= NEAR * self.sizes


def in_floats(state):
    """The `State` with floats for all its numbers. Raises TypeError where there is no float."""
    parameters = {name: float(x) for name, x in state.parameters.items()}
    q, qd, tau = (np.array(x, dtype=float) for x in (state.q, state.qd, state.tau))
    return dataclasses.replace(state, model=model_in_floats(state.model), parameters=parameters, q=q, qd=qd, tau=tau)


def is_in_floats(model):
    """True if the numbers of a model are floats."""
    return model.gravity.dtype == float


def model_in_floats(model):
    """The model with floats for its numbers; nothing about it is checked."""
    loops = tuple(_changed(loop, joint=joint_of(float, loop.joint), X_P=as_floats(loop.X_P), X_S=as_floats(loop.X_S))
                  for loop in model.loops)
    return unchecked(model, gravity=as_floats(model.gravity), loops=loops,
                     joints=(None, *(joint_of(float, joint) for joint in model.joints[1:])),
                     X_tree=(None, *(as_floats(X) for X in model.X_tree[1:])),
                     inertia=(None, *(as_floats(I) for I in model.inertia[1:])))


def _changed(loop, **changes):
    new = object.__new__(type(loop))
    for field in dataclasses.fields(loop):
        object.__setattr__(new, field.name, changes.get(field.name, getattr(loop, field.name)))
    return new


def at_floats(system, parameters):
    """The model of a `states.System` with floats for its parameters {name: value}; nothing about it is checked."""
    build = _builder(system.model)
    if build is None:
        return model_in_floats(system.at(parameters))
    return build({name: float(x) for name, x in parameters.items()})


@kept_for_model
def _builder(model):
    """A function of {name: float} that makes the model quickly; None if its joints have symbols in them."""
    import sympy

    joints = [*model.joints[1:], *(loop.joint for loop in model.loops)]
    numbers = [getattr(joint, field.name) for joint in joints if dataclasses.is_dataclass(joint)
               for field in dataclasses.fields(joint)]
    if any(hasattr(x, "free_symbols") for entry in numbers for x in np.ravel(np.array(entry, dtype=object))):
        return None
    arrays = [model.gravity, *model.X_tree[1:], *model.inertia[1:], *(loop.X_P for loop in model.loops),
              *(loop.X_S for loop in model.loops)]
    entries = [x for array in arrays for x in np.ravel(array).tolist()]
    symbols = sorted({s for x in entries for s in getattr(x, "free_symbols", ())}, key=str)
    function = sympy.lambdify(symbols, entries, "math")
    names, ends = [str(s) for s in symbols], np.cumsum([0, *(array.size for array in arrays)])
    # the model itself is not kept: it would never be let go
    n, m, shell, shapes = model.N_B, len(model.loops), unchecked(model), [array.shape for array in arrays]

    def build(parameters):
        values = np.array(function(*(parameters[name] for name in names)), dtype=float)
        parts = [values[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]
        ends_of_loops = zip(shell.loops, parts[1 + 2 * n :], parts[1 + 2 * n + m :], strict=False)
        return unchecked(shell, gravity=parts[0], X_tree=(None, *parts[1 : n + 1]), parameters={},
                         inertia=(None, *parts[n + 1 : 2 * n + 1]),
                         loops=tuple(_changed(loop, X_P=X_P, X_S=X_S) for loop, X_P, X_S in ends_of_loops))

    return build
