"""Comparing an answer with the reference: both become a stack of arrays, one for each sample.

Numbers make a stack of one sample. Functions are called with seeded random arguments, and formulas (in `verified`) are
evaluated at random values of their symbols; each call or value is one sample. Every diagnosis then works on stacks of
floats.
"""

import copy
import functools
import inspect
import zlib
from collections import namedtuple

import numpy as np

from rbdlib.exercises.answers import Reading, is_sympy, read, short
from rbdlib.exercises.declare import Problem, Report


class Tolerance(namedtuple("Tolerance", "relative zero")):
    """How near is near: ``relative`` to each entry, and ``zero`` times the largest entry where the reference is 0."""

    def near(self, answer, reference):
        """True, entry by entry, where two stacks (K, ...) of the same shape agree."""
        scale = np.abs(reference).max(axis=tuple(range(1, reference.ndim)), keepdims=True)
        scale = np.where(scale == 0, 1.0, scale)
        is_zero = np.abs(reference) <= 1e-12 * scale
        allowed = np.where(is_zero, self.zero * scale, self.relative * np.abs(reference) + 1e-12 * scale)
        return np.abs(answer - reference) <= allowed

    def same(self, answer, reference):
        """True if two stacks have the same shape and agree in every entry."""
        return answer.shape == reference.shape and bool(self.near(answer, reference).all())


def tolerance_of(exercise, symbolic):
    """The tolerance for an exercise.

    Numbers may be worked out by hand: a relative error of 1e-3 is accepted, so four significant digits are enough and
    9.8 is not taken for 9.81. Whole numbers, and a reference that is one whole number, are compared to 1e-6. What a
    function returns is compared to 1e-6, formulas (evaluated to 30 digits) to 1e-9. The exercise's ``rtol`` overrides
    each.
    """
    if symbolic:
        relative, zero = 1e-9, 1e-12
    elif exercise.kind == "function":
        relative, zero = 1e-6, 1e-9
    else:
        whole = exercise.quantity == "whole numbers" or isinstance(computed(exercise.reference), int)
        relative, zero = 1e-6 if whole else 1e-3, 1e-6
    return Tolerance(relative if exercise.rtol is None else exercise.rtol, zero)


class ValueSetting:
    """An exercise whose reference is made of numbers.

    Attributes: ``reference`` (1, ...), ``tolerance``.
    """

    def __init__(self, exercise):
        self.exercise, self.tolerance = exercise, tolerance_of(exercise, False)
        self.reference = _sound(exercise, self.stack, computed(exercise.reference))

    def stack(self, candidate):
        """The candidate answer, which has no symbols, as a stack (1, ...). Raises `Problem` if it cannot be one."""
        reading = candidate if isinstance(candidate, Reading) else read(candidate)
        return as_column(np.array(reading.entries).reshape(1, *reading.shape))

    def products(self):
        """The exercise's ``product``, a list of one dictionary of name to array."""
        return [{name: read(value).array() for name, value in self.exercise.product().items()}]

    def where(self, k):
        """Nothing: an example of plain numbers would give the answer away."""
        return ""


def is_formula(exercise):
    """True if the answer to a value exercise is a formula or an array of formulas."""
    return bool(exercise.model or exercise.symbols or _sound(exercise, read, computed(exercise.reference)).formulas)


class FunctionSetting:
    """An exercise whose answer is a function: it is called with copies of seeded random arguments.

    ``wrong`` takes a declared mistake to its stack (None if it has none), which is kept for the next wrong answer.
    """

    def __init__(self, exercise):
        self.exercise = exercise
        self.tolerance = tolerance_of(exercise, False)
        rng = np.random.default_rng(zlib.crc32(exercise.id.encode()))
        self.inputs = [tuple(exercise.inputs(rng)) for _ in range(exercise.samples)]
        # further arguments of the reference are none of the learner's
        self.names = list(inspect.signature(exercise.reference).parameters)[: len(self.inputs[0])]
        self.reference = _sound(exercise, self.stack, exercise.reference)
        self.wrong = functools.cache(lambda mistake: _stack_or_none(self, mistake.answer))

    def stack(self, function):
        """Results of the function for all samples, a stack (K, ...). Raises `Problem` if that is not possible."""
        self._check(function)
        results = [self._array(function, k) for k in range(len(self.inputs))]
        if all(result is None for result in results):
            raise Problem("unanswered", "no answer yet.")
        for k, result in enumerate(results):
            if result is None:
                raise Problem("error", f"Your function returns nothing for {self.call(k)}. Is a return missing there?")
            if result.shape != results[0].shape:
                raise Problem("shape", f"Your function returns shape {results[0].shape} for {self.call(0)}, "
                                       f"but shape {result.shape} for {self.call(k)}.")
        return as_column(np.array(results))

    def _array(self, function, k):
        """What the function returns for the k-th sample; None if that is nothing yet."""
        try:
            result = function(*copy.deepcopy(self.inputs[k]))
        except NotImplementedError:
            raise Problem("unanswered", "no answer yet.") from None
        except (Exception, SystemExit) as error:
            raise Problem("error", f"Your function stopped, for {self.call(k)}, with this error: "
                                   f"{type(error).__name__}: {short(error, 200)}") from None
        try:
            reading = read(result)
        except Problem as problem:
            if problem.kind == "unanswered":
                return None
            raise Problem(problem.kind, f"For {self.call(k)}, what your function returns cannot be used. "
                                        + problem.message.replace("Your answer", "The returned value")) from None
        if reading.formulas:
            from rbdlib.verification.trees.expression import symbols

            name = min(symbol.name for formula in reading.formulas for symbol in symbols(formula))
            raise Problem("error", f"Your function returns the symbol {name}; it is called with numbers "
                                   "and must return numbers.")
        return reading.array()

    def _check(self, function):
        if not callable(function) or is_sympy(function):
            raise Problem("error", "A function is wanted here. Hand in the function itself, "
                                   f'check("{self.exercise.id}", f), not what it returns.')
        try:
            inspect.signature(function).bind(*self.inputs[0])
        except TypeError:
            raise Problem("error", f"Your function must take {len(self.names)} argument"
                                   f"{'s' * (len(self.names) != 1)}: ({', '.join(self.names)}).") from None
        except ValueError:                                      # a function of C without a signature
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


#: The settings of the last exercises: a learner tries an exercise more than once.
function_setting = functools.lru_cache(8)(FunctionSetting)


def _sound(exercise, step, reference):
    """A step taken with the reference itself: if it fails, the fault is the declaration's, not the learner's."""
    try:
        return step(reference)
    except Problem as problem:
        raise ValueError(f"The reference of exercise {exercise.id} cannot be used: {problem.message}") from None


def computed(declared):
    """The declared value, or what the function declared in its place returns, which nobody changes."""
    return _returned(declared) if inspect.isroutine(declared) else declared


#: Kept, because every answer is compared with it, and a derivation in symbols takes long.
_returned = functools.lru_cache(1024)(lambda declared: declared())


def declared(exercise, setting, stack):
    """The report of the declared mistake that gives this very answer, or None."""
    for mistake in exercise.mistakes:
        wrong = (setting.wrong(mistake) if exercise.kind == "function"
                 else _stack_or_none(setting, computed(mistake.answer)))
        if wrong is not None and setting.tolerance.same(stack, settled(wrong, setting.reference)):
            return Report(mistake.kind, mistake.message)
    return None


def _stack_or_none(setting, answer):
    try:
        return setting.stack(answer)
    except (Problem, ValueError):
        return None


def settled(answer, reference):
    """The answer's stack, with the harmless differences of shape removed: 5 for [5], and the other way about."""
    if answer.shape[1:] in ((), (1,)) and reference.shape[1:] in ((), (1,)):
        return answer.reshape(reference.shape)
    return answer


def as_column(stack):
    """A stack whose samples are n×1 columns becomes one of vectors; [x] stays a vector of one entry."""
    return stack[:, :, 0] if stack.ndim == 3 and stack.shape[2] == 1 else stack


def _shown(value):
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biu":                       # counts and indices are shown as they are
            array = np.round(array.astype(float), 4)
        return short(array.tolist())
    except (TypeError, ValueError):
        return short(type(value).__name__, 30)
