"""Rounding errors measured and enclosed, by running an algorithm on numbers of other kinds (RBDA 10.1).

The algorithms of rbdlib run as they are printed on numbers that are rounded to fewer or more digits, or that know their
own bounds. The numbers given are taken to be exact: what is measured is what the calculation adds to them.
"""

from collections import namedtuple
from copy import copy
from dataclasses import is_dataclass
from functools import cache
from math import ceil, inf, isfinite, log2, log10

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.compile.parameters import with_numbers
from rbdlib.numbers.intervals import Interval, interval_around, real_number

#: Kinds of numbers by name, and their binary digits.
PRECISIONS = {"single": 24, "double": 53}
#: By how many binary digits a reference must exceed what is compared with it, so that its own errors do not show.
MARGIN = 10

# Numbers of another kind


def in_precision(x, precision):
    """A copy of x, a `Model`, an array, a dict of arrays or a float, with its numbers rounded to a precision.

    precision: "double" gives floats; "single", or a number of binary digits, mpmath numbers which are rounded after
    each operation to 24, or so many, digits (exponents have no limit). Whole numbers that stand alone, such as that of
    a body, and all that is no number stay as they are; so do constants within the functions of a Custom joint. Raises
    ValueError for an unknown precision, NaN and infinity, and TypeError for symbols and complex numbers.
    """
    convert, kind = _rounding(precision)

    def finite(x):
        converted = convert(x)
        if not abs(converted) < inf:
            raise ValueError(f"x contains {x}; every number must be finite. Find where it arose.")
        return converted

    converted = _converted(x, finite, kind)
    return kind(converted) if kind is not object and isinstance(x, float | np.floating) else converted


def _rounding(precision):
    """The function that rounds one number, and the kind of array that holds the results."""
    if precision == "double":
        return float, float
    bits = PRECISIONS.get(precision, precision) if isinstance(precision, str) else precision
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or bits < 20:
        raise ValueError(f"precision is {precision!r}; choose {', '.join(map(repr, PRECISIONS))} or a number of binary "
                         "digits, at least 20.")
    return _mpmath_rounding(int(bits)), object


@cache
def _mpmath_rounding(bits):
    """The function that rounds to so many binary digits; made once, which takes as long as hundreds of operations."""
    import mpmath

    context = mpmath.mp.clone()
    context.prec = bits

    def rounded(x):
        x = +context.convert(x)
        if not hasattr(x, "_mpf_"):
            raise TypeError(f"{x} is no real number.")
        return x

    return rounded


def _converted(x, convert, kind):
    def number(x):
        """x converted; a zero is exact in every precision, and stays the whole number, which leaves sums alone."""
        if isinstance(x, Interval):
            return x
        try:
            return 0 if x == 0 else convert(x)
        except (TypeError, AttributeError):
            raise TypeError(f"x contains {x!r}; give real numbers, without symbols, texts or gaps.") from None

    def array(x):
        entries = np.array(x)
        if entries.dtype.kind == "c":
            raise TypeError("x contains complex numbers; give real ones, such as the real and imaginary parts.")
        if entries.dtype.kind not in "iufO":
            return x
        return np.array([*map(number, entries.ravel().tolist()), 0], dtype=kind)[:-1].reshape(entries.shape)

    def alone(x):
        return x if x is None or isinstance(x, bool | int | str) or callable(x) else number(x)

    def changed(part, **changes):
        made = copy(part)                               # which is not checked again: rounding may move it out of true
        for name, value in changes.items():
            object.__setattr__(made, name, value)
        return made

    if isinstance(x, dict):
        return {key: _converted(value, convert, kind) for key, value in x.items()}
    return array(x) if isinstance(x, np.ndarray | list | tuple) else with_numbers(x, alone, array, changed)


# Rounding errors (RBDA 10.1)


class RoundingErrors(namedtuple("RoundingErrors", "value exact errors precision")):
    """Errors of a calculation in one precision, found by comparison with many more digits.

    value, exact: both results as floats, errors: the distances of their entries (taken before they become floats); all
    of one shape. precision: that of value.
    """

    @property
    def relative(self):
        """The largest error, as a part of the largest entry of the result."""
        largest, size = np.max(self.errors, initial=0), np.max(np.abs(self.exact), initial=0)
        return float(largest / size) if size else float(largest and np.inf)

    @property
    def digits(self):
        """How many decimal digits of the largest entry are right; at most as many as the precision has."""
        return full_digits(self.precision) - self.lost_digits

    lost_digits = property(lambda self: lost_digits(self.relative, self.precision),
                           doc="How many of the decimal digits of the precision have been lost.")

    def __repr__(self):
        return (f"<RoundingErrors in {self.precision} precision: relative error {self.relative:.2g}, {self.digits:.1f} "
                f"of {full_digits(self.precision):.1f} digits right>")


def rounding_errors(function, model, *arguments, precision="double", digits=None, **options):
    """The rounding errors of function(model, *arguments, **options), an algorithm of rbdlib: `RoundingErrors`.

    The same code runs twice, in the given precision (see `in_precision`) and with so many decimal digits (twice as many
    as the precision has, but at least 50, if left out). Both runs start from the same numbers, those given as the
    precision rounds them. Of a function that returns several arrays the entries are put one after another. Numbers with
    many digits are slow: some 5 ms for each body of `aba`. Raises ValueError for digits that are hardly more than the
    precision has.
    """
    require_model(model)
    to_given, to_exact = _rounding(precision), _rounding(_reference(digits, PRECISIONS.get(precision, precision)))
    given = [_converted(x, *to_given) for x in (model, *arguments)]
    given_options = {name: _converted(x, *to_given) for name, x in options.items()}
    exact_options = {name: _converted(x, *to_exact) for name, x in given_options.items()}

    value, shape = _entries(function(*given, **given_options))
    exact, _ = _entries(function(*(_converted(x, *to_exact) for x in given), **exact_options))
    errors = [float(abs(to_exact[0](x) - y)) for x, y in zip(value, exact, strict=True)]
    return RoundingErrors(*(np.array(part, dtype=float).reshape(shape) for part in (value, exact, errors)), precision)


def _reference(digits, bits):
    """The precision of the run with more digits than these bits."""
    if digits is None:
        return max(ceil(50 * log2(10)), 2 * bits)
    if not isinstance(digits, int | float | np.number) or isinstance(digits, bool | complex) or not isfinite(digits):
        raise ValueError(f"digits is {digits!r}; give a number of decimal digits, or nothing.")
    reference = ceil(digits * log2(10))
    if reference < bits + MARGIN:
        raise ValueError(f"digits is {digits!r}, but the precision has {bits * log10(2):.1f} decimal digits itself; "
                         f"give {ceil((bits + MARGIN) * log10(2))} or more, or leave digits out.")
    return reference


def _entries(result):
    """The numbers of a result, and the shape it has if it is one array."""
    if result is None:
        return [], (0,)
    if isinstance(result, list | tuple):
        entries = [x for part in result for x in _entries(part)[0]]
        return entries, (len(entries),)
    if is_dataclass(result):
        raise TypeError(f"function returns a {type(result).__name__}; give one that returns arrays, such as "
                        "lambda *arguments: function(*arguments).qdd.")
    return list(np.asarray(result).ravel()), np.shape(result)


def full_digits(precision):
    """How many decimal digits numbers of a precision have: 15.95 in double precision."""
    _rounding(precision)
    return PRECISIONS.get(precision, precision) * log10(2)


def lost_digits(relative_error, precision="double"):
    """How many decimal digits a calculation lost whose result has this relative error (RBDA 10.1).

    0 if the error is no larger than that of rounding the exact result, 2^-53 in double precision; all if it is 1.
    """
    full = full_digits(precision)
    if not relative_error >= 0:
        raise ValueError(f"relative_error is {relative_error}; give the size of the error, 0 or more.")
    return 0.0 if relative_error == 0 else min(full, max(0.0, full + log10(relative_error)))


class Enclosure(namedtuple("Enclosure", "lower upper")):
    """Bounds between which a result is certain to lie: arrays of floats of one shape."""

    width = property(lambda self: self.upper - self.lower, doc="How far the bounds are apart.")

    @property
    def digits(self):
        """How many decimal digits of the largest entry the bounds leave no doubt about."""
        size, width = np.abs(self.lower / 2 + self.upper / 2).max(initial=0), self.width.max(initial=0)
        if width == 0 or not isfinite(width) or size <= width:
            return 0.0 if width else inf
        return log10(size / width)

    def contains(self, x):
        """True if all entries of x, which has the shape of the bounds, lie within them."""
        if np.shape(x) != self.lower.shape:
            raise ValueError(f"x has shape {np.shape(x)}, the bounds {self.lower.shape}; give one number for each.")
        x = np.asarray(x)
        return bool((self.lower <= x).all() and (x <= self.upper).all())


def enclosures(function, model, *arguments, relative=0.0, bits=53, **options):
    """Bounds for the exact result of function(model, *arguments, **options), by interval arithmetic: an `Enclosure`.

    relative: how uncertain each number of the model and the arguments is, as a part of itself; 0 if they are exact, and
    then the bounds tell what rounding can do at worst. Entries that are an `Interval` say it for themselves. bits: the
    number of binary digits used. Bounds grow much faster than errors do, because intervals do not know that an
    uncertain number is the same wherever it occurs; of long chains nothing may remain known. The rank of loop
    constraints is that at the midpoints. Raises `rbdlib.numbers.intervals.Undecided`, an ArithmeticError, where the
    calculation would have to divide by a number that may be 0, or to choose between ways that the bounds leave open.
    """
    require_model(model)
    if not 0 <= real_number(relative, "relative") < 1:
        raise ValueError(f"relative is {relative}; give how uncertain the numbers are, from 0 to less than 1.")
    spread = Interval(-relative, relative, bits=bits)

    def convert(x):
        exact = interval_around(x, "An argument", bits)
        return exact + exact * spread if relative else exact

    options = {name: _converted(x, convert, object) for name, x in options.items()}
    entries, shape = _entries(function(*(_converted(x, convert, object) for x in (model, *arguments)), **options))
    entries = [x if isinstance(x, Interval) else Interval(x) for x in entries]
    return Enclosure(*(np.array(bound).reshape(shape) for bound in ([x.low for x in entries],
                                                                    [x.high for x in entries])))
