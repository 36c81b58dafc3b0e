"""Interval arithmetic: numbers that know two bounds between which the truth lies (RBDA 10.1).

The algorithms of rbdlib run on them as they run on floats. Every operation rounds outwards, so that the exact result is
within the bounds whatever rounding did. mpmath does the arithmetic.
"""

import math
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from rbdlib.numbers.operations import APPLY, Scalar
from rbdlib.numbers.scalars import number


class Undecided(ArithmeticError):
    """The next step depends on a number of which only wide bounds are known; the message says which."""


def _quotient(x, y):
    if 0 in y:
        raise Undecided(f"A number was to be divided by {_interval(y)!r}, which may be 0, so that no bounds can be "
                        "given. Take smaller uncertainties or more digits.")
    return x / y


def _root(x):
    if not x >= 0:
        raise Undecided(f"{_interval(x)!r} may be negative, so that its square root may not exist. Take smaller "
                        "uncertainties or more digits.")
    return x.ctx.sqrt(x)


#: The operations that mpmath's intervals do otherwise than other numbers.
OWN: dict[str, Callable] = {"/": _quotient, "sqrt": _root, "sin": lambda x: x.ctx.sin(x), "cos": lambda x: x.ctx.cos(x)}


def _comparison(sign, compare):
    """A comparison of two of mpmath's intervals, which says None where it is true of some pairs of numbers only."""
    def compared(self, other):
        if isinstance(other, np.ndarray) or (other := self._operand(other)) is NotImplemented:
            return NotImplemented
        found = compare(self._value, other)
        if found is None:
            raise Undecided(f"Whether {self!r} {sign} {_interval(other)!r} cannot be told from the bounds. Take "
                            "smaller uncertainties or more digits.")
        return found

    return compared


def _equal(x, y):
    """True if both are one and the same number, False if they have none in common (mpmath compares the bounds)."""
    return False if x < y or x > y else True if x == y and x.delta == 0 else None


class Interval(Scalar):
    """All numbers from low to high, with so many binary digits (53: those of a float) in what is calculated.

    A single number stands for itself alone. ``+ - * /`` and the functions of `rbdlib.numbers.scalars` return intervals
    that hold every possible result; bounds widen because each use of a number is taken for independent of the others.
    Comparisons return True or False where all pairs agree, and raise `Undecided` where they do not, as does division by
    an interval that holds 0. float(x) is the midpoint, by which arguments are checked and pivots chosen.

    low, high: any real numbers, also fractions and those of mpmath or SymPy; what so many digits cannot hold is rounded
    outwards. Raises ValueError if high < low, a bound is not finite or bits is no whole number from 1 on, and TypeError
    for what is no real number.
    """

    __slots__ = ("_value",)
    is_number = True

    def __init__(self, low: Any, high: Any = None, bits: int = 53) -> None:
        context, low = _context(bits), real_number(low, "low")
        high = low if high is None else real_number(high, "high")
        if high < low:
            raise ValueError(f"low is {low}, high is {high}; give the lower bound first.")
        (low, _), (_, high) = (_enclosed(context, bound)._mpi_ for bound in (low, high))
        self._value = context.make_mpf((low, high))

    def __reduce__(self):
        return _restored, (self._value._mpi_, self._value.ctx.prec)

    low = property(lambda self: _to_float(self._value._mpi_[0], -math.inf),
                   doc="The lower bound, a float (rounded down where the interval has more digits than a float).")

    high = property(lambda self: _to_float(self._value._mpi_[1], math.inf),
                    doc="The upper bound, a float (rounded up).")

    width = property(lambda self: _to_float(self._value.delta._mpi_[1], math.inf),
                     doc="The distance of the bounds, a float (rounded up).")

    @property
    def midpoint(self):
        """A finite float half way between the bounds."""
        low, high = max(self.low, -sys.float_info.max), min(self.high, sys.float_info.max)
        return min(max(low / 2 + high / 2, low), high)

    def __float__(self):
        return self.midpoint

    def __contains__(self, x):
        return self.low <= x <= self.high

    def __repr__(self):
        return f"Interval({self.low!r}, {self.high!r})"

    def _sympy_(self):
        from sympy import SympifyError

        raise SympifyError(self)                # or SymPy would go on with the midpoint

    def _did(self, operation, *values):
        return _interval(OWN.get(operation, APPLY[operation])(*values))

    def _operand(self, x):
        if isinstance(x, Interval):
            return x._value
        x = _plain(x)
        return NotImplemented if x is None else _enclosed(self._value.ctx, x)

    def __abs__(self):
        return _interval(abs(self._value))

    __eq__ = _comparison("==", _equal)
    __lt__ = _comparison("<", operator.lt)
    __le__ = _comparison("<=", operator.le)
    __gt__ = _comparison(">", operator.gt)
    __ge__ = _comparison(">=", operator.ge)


def _interval(value):
    interval = object.__new__(Interval)
    interval._value = value
    return interval


def _restored(bounds, bits):
    return _interval(_context(bits).make_mpf(bounds))


def interval_around(x, name, bits):
    """The narrowest `Interval` of so many binary digits around one real number; `name` is for messages."""
    return _interval(_enclosed(_context(bits), real_number(x, name)))


def real_number(x, name):
    """x as an int, float, Fraction or mpmath number of the same value; TypeError or ValueError if it is none."""
    checked = None if isinstance(x, Interval) else number(x, name)
    exact = _plain(x if isinstance(x, int | np.integer) else checked)
    if exact is None:
        raise TypeError(f"{name} is {x!r}; give one real number: an int, a float, a Fraction, or one of mpmath.")
    return exact


def _plain(x):
    """A real number of any kind as an int, float, Fraction or mpmath number of the same value; None if it is none."""
    if isinstance(x, np.generic):
        x = x.item()                                    # np.longdouble stays what it is
    if isinstance(x, int | float):
        return x
    if isinstance(x, np.floating):
        return Fraction(*x.as_integer_ratio()) if np.isfinite(x) else float(x)
    if hasattr(x, "_mpf_"):
        from mpmath import mp

        return mp.make_mpf(x._mpf_)
    return Fraction(int(x.numerator), int(x.denominator)) if isinstance(x, Rational) else None


def _enclosed(context, x):
    """The bounds of one plain number."""
    if isinstance(x, Fraction):
        return context.mpf(x.numerator) / context.mpf(x.denominator)
    return context.mpf(x)


def _to_float(bound, side):
    """The float next to an mpmath number on the side of -inf or inf, or the same number if a float can hold it."""
    from mpmath import mp

    exact = mp.make_mpf(bound)
    nearest = float(exact)                              # off by one at most, in either direction; may be infinite
    wrong = nearest > exact if side < 0 else nearest < exact
    return math.nextafter(nearest, side) if wrong else nearest


_contexts = {}


def _context(bits):
    """mpmath's interval arithmetic with so many binary digits."""
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or bits < 1:
        raise ValueError(f"bits is {bits!r}; give the number of binary digits, a whole number from 1 on.")
    if bits not in _contexts:
        from mpmath import iv

        context = type(iv)()
        context.prec = int(bits)
        _contexts[int(bits)] = context
    return _contexts[bits]
