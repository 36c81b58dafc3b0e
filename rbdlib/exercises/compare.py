"""Comparing an answer with the reference: both become a stack of arrays, one for each sample.

Numbers make a stack of one sample. Formulas are evaluated at seeded random values of their symbols, and functions are
called with seeded random arguments; each value or call is one sample. Every diagnosis then works on stacks of floats.
"""

import copy
import inspect
import zlib
from dataclasses import dataclass

import numpy as np

from rbdlib.exercises.answers import Reading, is_sympy, read, short
from rbdlib.exercises.declare import Problem
from rbdlib.exercises.formulas import Points, Survey, Undefined

_SAMPLES = 5
_TRIES = 60


@dataclass(frozen=True)
class Tolerance:
    """How near is near: ``relative`` to each entry, and ``zero`` times the largest entry where the reference is 0."""

    relative: float
    zero: float

    def near(self, answer, reference):
        """Entry by entry, whether two stacks (K, ...) of the same shape agree."""
        scale = np.abs(reference).max(axis=tuple(range(1, reference.ndim)), keepdims=True)
        scale = np.where(scale == 0, 1.0, scale)
        is_zero = np.abs(reference) <= 1e-12 * scale
        allowed = np.where(is_zero, self.zero * scale, self.relative * np.abs(reference) + 1e-12 * scale)
        return np.abs(answer - reference) <= allowed

    def same(self, answer, reference):
        """Whether two stacks have the same shape and agree in every entry."""
        return answer.shape == reference.shape and bool(self.near(answer, reference).all())


def tolerance_of(exercise, symbolic):
    """The tolerance for an exercise.

    Numbers may be worked out by hand: a relative error of 1e-3 is accepted, so four significant digits are enough and
    9.8 is not taken for 9.81. Whole numbers, and a reference that is one whole number, are compared to 1e-6. What a
    function returns is compared to 1e-6, formulas (evaluated to 30 digits) to 1e-9. The exercise's ``rtol`` overrides
    each.
    """
    relative, zero = 1e-3, 1e-6
    if symbolic:
        relative, zero = 1e-9, 1e-12
    elif exercise.kind == "function":
        relative, zero = 1e-6, 1e-9
    elif exercise.quantity == "whole numbers" or isinstance(computed(exercise.reference), int):
        relative = 1e-6
    return Tolerance(relative if exercise.rtol is None else exercise.rtol, zero)


class ValueSetting:
    """An exercise whose reference is a value: numbers, or formulas to be evaluated at ``points``.

    Attributes: ``reference`` (K, ...), ``reading`` of the reference, ``tolerance``, ``symbolic``.
    """

    def __init__(self, exercise):
        self.exercise = exercise
        self.reading = _sound(exercise, read, computed(exercise.reference))
        self.symbols = _sound(exercise, lambda reading: Survey(*reading.entries), self.reading).symbols
        self.symbolic = bool(self.symbols) or bool(exercise.symbols)
        self.tolerance = tolerance_of(exercise, self.symbolic)
        self._points, self._keys = None, [0]
        if self.symbolic:
            self._keys = self._usable()
        self.reference = self.stack(self.reading)

    @property
    def points(self):
        """The random values of symbols (`Points`), made when first needed because that imports mpmath."""
        if self._points is None:
            positive = [name for name, symbol in self.symbols.items() if symbol.is_positive]
            self._points = Points(self.exercise.id, positive)
        return self._points

    def _usable(self):
        keys = []
        for k in range(_TRIES):
            try:
                self.evaluate(self.reading, [k])
            except Undefined:
                continue
            keys.append(k)
            if len(keys) == _SAMPLES:
                return keys
        raise ValueError(f"Exercise {self.exercise.id}: the reference has no real value at random values of its "
                         "symbols. Declare the symbols that must be positive as symbols(..., positive=True).")

    def evaluate(self, reading, keys):
        """The values of a reading's entries at the points ``keys``, as a stack (K, ...). May raise `Undefined`."""
        values = [[self.points.value(entry, k) if not isinstance(entry, float) else entry for entry in reading.entries]
                  for k in keys]
        return np.array(values, dtype=float).reshape(len(keys), *reading.shape)

    def stack(self, candidate):
        """The candidate answer as a stack (K, ...). Raises `Problem` if it cannot be one."""
        reading = candidate if isinstance(candidate, Reading) else read(candidate)
        if reading.symbolic:
            Survey(*reading.entries)
        try:
            return _as_column(self.evaluate(reading, self._keys))
        except Undefined:
            raise Problem("error", "Your expression has no finite real value at ordinary values of its symbols. Look "
                                   "for a division by zero or a root of a negative number.") from None

    def values(self, expression):
        """The values (K,) of one expression at the same points."""
        return self.evaluate(Reading((), (expression,)), self._keys)

    def products(self):
        """The exercise's ``product``, a list of one dictionary of name to array for each sample."""
        factors = {name: read(value) for name, value in self.exercise.product().items()}
        stacks = {name: self.evaluate(reading, self._keys) for name, reading in factors.items()}
        return [{name: stack[k] for name, stack in stacks.items()} for k in range(len(self._keys))]

    def where(self, k):
        """The k-th sample in words: the values of the symbols."""
        if not self.symbols:
            return ""
        values = (f"{name} = {self.points.number(name, self._keys[k]):.3g}" for name in sorted(self.symbols)[:6])
        return "At " + ", ".join(values)


class FunctionSetting:
    """An exercise whose answer is a function: it is called with copies of seeded random arguments."""

    symbolic = False

    def __init__(self, exercise):
        self.exercise = exercise
        self.tolerance = tolerance_of(exercise, False)
        rng = np.random.default_rng(zlib.crc32(exercise.id.encode()))
        self.inputs = [tuple(exercise.inputs(rng)) for _ in range(exercise.samples)]
        self.names = tuple(inspect.signature(exercise.reference).parameters)
        self.reference = _sound(exercise, self.stack, exercise.reference)

    def stack(self, function):
        """What the function returns for every sample, as a stack (K, ...). Raises `Problem` if that is not possible."""
        self._check(function)
        results = []
        for k in range(len(self.inputs)):
            try:
                result = function(*copy.deepcopy(self.inputs[k]))
            except NotImplementedError:
                raise Problem("unanswered", "no answer yet.") from None
            except (Exception, SystemExit) as error:
                raise Problem("error", f"Your function stopped, for {self.call(k)}, with this error: "
                                       f"{type(error).__name__}: {short(error, 200)}") from None
            results.append(self._array(function, result, k))
            if results[-1].shape != results[0].shape:
                raise Problem("shape", f"Your function returns shape {results[0].shape} for {self.call(0)}, "
                                       f"but shape {results[-1].shape} for {self.call(k)}.")
        return _as_column(np.array(results))

    def _answers(self, function, k):
        try:
            read(function(*copy.deepcopy(self.inputs[k])))
        except (Exception, SystemExit):
            return False
        return True

    def _array(self, function, result, k):
        try:
            reading = read(result)
        except Problem as problem:
            if problem.kind == "unanswered":
                if not any(self._answers(function, other) for other in range(len(self.inputs)) if other != k):
                    raise
                raise Problem("error", f"Your function returns nothing for {self.call(k)}. Is a return missing there?"
                              ) from None
            raise Problem(problem.kind, f"For {self.call(k)}, what your function returns cannot be used. "
                                        + problem.message.replace("Your answer", "The returned value")) from None
        if not reading.symbolic:
            return np.array(reading.entries).reshape(reading.shape)
        survey = Survey(*reading.entries)
        if survey.symbols:
            raise Problem("error", f"Your function returns the symbol {short(min(survey.symbols))}; it is called with "
                                   "numbers and must return numbers.")
        try:
            return np.array([self.points.value(entry, 0) for entry in reading.entries]).reshape(reading.shape)
        except Undefined:
            raise Problem("error", f"For {self.call(k)}, your function returns no finite real value.") from None

    @property
    def points(self):
        """Points for formulas without symbols, such as a returned ``sqrt(2)``."""
        return Points(self.exercise.id)

    def _check(self, function):
        if not callable(function) or is_sympy(function):
            call = f'check("{self.exercise.id}", f)'
            raise Problem("error", f"A function is wanted here. Hand in the function itself, {call}, not what it "
                                   "returns.")
        try:
            inspect.signature(function).bind(*self.inputs[0])
        except TypeError:
            raise Problem("error", f"Your function must take {len(self.names)} argument"
                                   f"{'s' * (len(self.names) != 1)}: ({', '.join(self.names)}).") from None
        except ValueError:
            return

    def call(self, k):
        """The k-th call in words, such as ``f(q=[0.1, 0.2])``."""
        shown = (f"{name}={_shown(value)}" for name, value in zip(self.names, self.inputs[k], strict=True))
        return f"f({', '.join(shown)})"

    def products(self):
        """The exercise's ``product`` for every sample, a list of dictionaries of name to array."""
        products = (self.exercise.product(*copy.deepcopy(given)) for given in self.inputs)
        return [{name: np.array(value, dtype=float) for name, value in factors.items()} for factors in products]

    def where(self, k):
        """The k-th sample in words: the call."""
        return f"For {self.call(k)}"


def _sound(exercise, step, reference):
    """A step taken with the reference itself: if it fails, the fault is the declaration's, not the learner's."""
    try:
        return step(reference)
    except Problem as problem:
        raise ValueError(f"The reference of exercise {exercise.id} cannot be used: {problem.message}") from None


def computed(declared):
    """The declared value, or what the function declared in its place returns."""
    return declared() if inspect.isroutine(declared) else declared


def settled(answer, reference):
    """The answer's stack, with the harmless differences of shape removed: 5 for [5], and the other way about."""
    if answer.shape[1:] in ((), (1,)) and reference.shape[1:] in ((), (1,)):
        return answer.reshape(reference.shape)
    return answer


def _as_column(stack):
    """A stack whose samples are n×1 columns becomes one of vectors; [x] stays a vector of one entry."""
    return stack[:, :, 0] if stack.ndim == 3 and stack.shape[2] == 1 else stack


def _shown(value):
    try:
        return short(np.round(np.asarray(value, dtype=float), 4).tolist())
    except (TypeError, ValueError):
        return short(type(value).__name__, 30)
