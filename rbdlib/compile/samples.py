"""A sample state, by which a recorded algorithm chooses and at which its program is compared (RBDA 10.4, 8.8).

A straight-line program has no branches. Where an algorithm chooses by size what to divide by, the choice is made once,
for a sample state. A pivot that is not the largest any more still gives the right result, as long as it is not small.
What has to be true for this is recorded too, as quantities that must not be negative, and the program's results are NaN
where one of them is: never numbers that are wrong.
"""

import operator
from functools import reduce
from typing import Any

import numpy as np

from rbdlib.book.ch04_joints import FreeMotion
from rbdlib.book.ch04_model import Model
from rbdlib.book.ch08_elimination import eliminate
from rbdlib.compile.parameters import with_parameters
from rbdlib.compile.program import Recorded
from rbdlib.loops.closing import close_loops, project
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.gears import independent_part
from rbdlib.numbers import pivots
from rbdlib.numbers.operations import APPLY

#: A pivot serves while it is at least this fraction of the length of all elements that it was chosen from.
SHARE = 1e-3
#: A number that is relied on to be other than zero must remain so many times larger than what counts as zero.
MARGIN = 1e4
#: How often the parameters of a model that are not given are made up, until its loops can be closed.
ATTEMPTS = 20
#: How far from the neutral position (rad, m) loops are closed to see how many of their constraints are independent.
REACHES, ENOUGH = (0.3, 0.5, 1.0, 2.0, 3.0), 2
#: The inputs that must suit the model and one another; numbers for all others are drawn at random.
STATE = {"q", "qd", "qdd", "tau", "base", "T_stab", "y", "yd"}
#: Inputs whose samples make sense, so that a function which cannot deal with them cannot be recorded.
KNOWN = STATE | {"f_ext", "t", "ydd", "v_0", "a_g"}


class SampleError(TypeError):
    """The sample state does not serve, or none was found; the text says what to give."""


class Sample:
    """Numbers for all inputs of a program: those given, and for the others a random state in which loops are closed.

    model, fixed: as for `record`; inputs: those of the program, the last of which are the parameters; given: {name:
    numbers} or None. Nothing is computed before it is asked for.
    """

    def __init__(self, model, inputs, parameters, fixed, given):
        self.model, self.inputs, self.fixed = model, inputs, fixed
        self.parameters, self.given = list(parameters), _checked(given, dict(inputs))
        self.made: Any = None

    def values(self):
        """{name: array} for all inputs."""
        last = 0 if set(self.parameters) <= set(self.given) else ATTEMPTS - 1
        for attempt in range(last + 1 if self.made is None else 0):
            rng = np.random.default_rng(attempt)
            self.made = {name: rng.uniform(0.5, 1.5) for name in self.parameters} | self.given
            try:
                self.made |= self._state(rng, {name for name, _ in self.inputs} - set(self.made))
                break
            except ValueError as error:
                self.made = None
                if attempt == last:
                    raise SampleError(f"No sample state was found in which all loops are closed: {error} Give one, "
                                      "sample={...}, with a number for each parameter of the model.") from error
        rng = np.random.default_rng(ATTEMPTS)
        for name, shape in self.inputs:
            self.made.setdefault(name, rng.normal(size=shape))
        return self.made

    def special(self):
        """Changes of the sample, {name: array} each, to where x == 0 may be true: inputs of zeros, and a neutral q."""
        zero = {name: np.zeros(shape) for name, shape in self.inputs if name not in self.parameters}
        special, tree = [*({name: x} for name, x in zero.items()), zero], tree_of(self.model)
        if "q" in zero and isinstance(tree, Model) and np.any(tree.neutral() != 0):
            special.append(zero | {"q": tree.neutral()})
        return special

    def entries(self, changes=None):
        """The numbers of all inputs in order, a list. changes: {name: array} of numbers other than the sample's."""
        values = self.values() | (changes or {})
        return [x for name, _ in self.inputs for x in np.ravel(values[name]).tolist()]

    def numbers(self):
        """The model with the numbers of the sample in place of its parameters."""
        values = self.values() if self.made is None else self.made
        return with_parameters(self.model, {name: float(values[name]) for name in self.parameters})

    def result(self, function, changes=None):
        """Result of the function itself; None if it fails for numbers not known to make sense, as after any changes."""
        values = self.values() | (changes or {})
        arguments = {name: np.array(values[name])[()] for name, _ in self.inputs if name not in self.parameters}
        try:
            return function(self.numbers(), **arguments, **self.fixed)
        except (ValueError, ArithmeticError):
            if not changes and set(values) - set(self.given) <= KNOWN:
                raise
            return None

    def _state(self, rng, missing):
        """Those of the known inputs that are missing, in keeping with one another and with loops."""
        if not missing & STATE:
            return {}
        model = self.numbers()
        tree = tree_of(model)
        q, qd = tree.random_state(rng)
        state = {"q": q, "qd": qd, "qdd": rng.normal(size=tree.nv), "tau": rng.normal(size=tree.nv),
                 "base": FreeMotion().random_position(rng), "T_stab": 0.1,
                 "t": rng.normal() if "t" in missing else self.fixed.get("t", 0.0)}
        if isinstance(model, GearedTree):
            state["y"], state["yd"] = independent_part(model, q, qd)
        elif getattr(model, "loops", ()) and missing & {"q", "qd", "qdd"}:
            known = state | self.made
            t, qd = float(known["t"]), known["qd"]
            q = known["q"] if "q" in self.made else closed_posture(model, rng, t)
            if "qd" not in self.made:
                q, qd = project(model, q, qd, t)
            qdd, _ = by_loop_constraints(model, q, qd, known["tau"], t=t)
            state |= {"q": q, "qd": qd, "qdd": qdd}
        return {name: x for name, x in state.items() if name in missing}


def _checked(given, shapes):
    """A given sample as {name: array}; shapes: those of the inputs. ValueError, TypeError for what does not fit."""
    if not hasattr(given or {}, "items"):
        raise TypeError(f"sample is {given!r}; give {{name: numbers}}, such as sample={{'q': q, 'qd': qd}}.")
    arrays = {}
    for name, x in (given or {}).items():
        if name not in shapes:
            raise ValueError(f"sample names {name!r}, which is no input; those are {', '.join(shapes)}.")
        try:
            array = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"sample[{name!r}] is {x!r}; give numbers, shape {shapes[name]}.") from None
        if array.shape not in ((), shapes[name]) or not np.isfinite(array).all():
            raise ValueError(f"sample[{name!r}] is {x!r}; give finite numbers, shape {shapes[name]}.")
        arrays[name] = np.broadcast_to(array, shapes[name])
    return arrays


def tree_of(model):
    """The tree of a floating base or of a geared tree; the model itself if it is neither."""
    return getattr(model, "tree", getattr(model, "model", model))


def closed_posture(model, rng, t=0.0):
    """A configuration with closed loops in which as many constraints are independent as anywhere near the neutral one.

    Elsewhere a mechanism may have branches on which it is folded up and has freedoms that it has not got in use.
    """
    found, reasons = [], []
    for reach in REACHES:
        if len(found) == ENOUGH:
            break
        away = reach * rng.uniform(-1, 1, model.nv)
        try:
            q = close_loops(model, model.integrate(model.neutral(), away, 1.0), t=t)
        except ValueError as error:
            reasons.append(error)
            continue
        K, *_ = constraints_to_rank(model, q, np.zeros(model.nv), t=t)
        found.append((eliminate(K).rank, -reach, q))
    if not found:
        raise reasons[-1]
    return max(found)[2]


class Choices:
    """The values of recorded numbers at a sample state, and what was relied on because of them.

    recorder: the `rbdlib.compile.program.Recorder`; sample: a function that gives the numbers of all inputs.
    """

    def __init__(self, recorder, sample):
        self.recorder, self.sample = recorder, sample
        self.known: Any = None
        self.not_negative: list = []

    def values(self, array):
        """The array with every recorded number replaced by its value at the sample state."""
        if self.known is None:
            self.known = [float(x) for x in self.sample()]
        for operation, operands in self.recorder.assignments[len(self.known) - self.recorder.input_size:]:
            self.known.append(APPLY[operation](*(self.known[x] if isinstance(x, int) else x for x in operands)))

        def value(x):
            x = pivots.innermost(x)
            if not isinstance(x, Recorded):
                return float(x)
            return self.known[x.operand] if isinstance(x.operand, int) else x.operand

        return np.vectorize(value, otypes=[float])(array)

    def note_pivot(self, A, place, smallest):
        """Rely on the pivot at a place of A to be far from zero, or, if place is None, on all of A to be zero."""
        if place is None:
            self.note_below(A.ravel(), smallest)
            return
        pivot, least = pivots.innermost(A[place]), MARGIN * smallest
        self._note(pivot * pivot - (SHARE * SHARE * _sum_of_squares(A.ravel()) + least * least))

    def note_below(self, x, bound):
        """Rely on the vector x to be no longer than the bound."""
        bound = pivots.innermost(bound)
        self._note(bound * bound - _sum_of_squares(x))

    def _note(self, quantity):
        if self.values(quantity) < 0:
            raise SampleError("The sample state, by which the recorded algorithm chooses its pivots, is too near a "
                              "singular configuration, or does not fulfil the loop constraints. Give another one, "
                              "sample={'q': ..., 'qd': ...}.")
        if isinstance(quantity, Recorded):
            self.not_negative.append(quantity)

    def where_near(self, x, value, bound):
        """The recorded number x where it is no farther than the bound from a value, and NaN elsewhere."""
        off = pivots.innermost(x) - value
        return x * one_where([bound * bound - off * off])


def one_where(not_negative):
    """A recorded number that is 1 where none of these numbers, one at least, is negative, and NaN elsewhere.

    The square root of a negative number is NaN, and so is every sum of which it is a term. That sum over itself,
    written so that no rule of algebra sees it, is 1.
    """
    total = reduce(operator.add, [quantity.sqrt() for quantity in not_negative]) + 1.0
    return (total * total).sqrt() / total


def _sum_of_squares(vector):
    return sum((x * x for x in map(pivots.innermost, vector.tolist())), 0.0)
