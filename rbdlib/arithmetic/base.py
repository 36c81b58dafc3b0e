"""Base of all types of the spatial arithmetic: they are made of parts, cannot be changed, add up, and scale."""

from itertools import zip_longest
from operator import add, matmul, sub
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdlib.numbers.scalars import number

OPERATIONS = {"+": add, "-": sub, "@": matmul}


def _methods(sign):
    """The methods for an operation with what has no type, on the right and on the left."""
    return lambda self, other: self.mixed(sign, other), lambda self, other: self.mixed(sign, other, left=True)


class Quantity:
    """Stand-in for a vector or a matrix, which `array` is.

    Together with plain arrays, which have no type, it makes plain arrays; its elements are those of `array`. So any
    algorithm runs on typed quantities, at the cost of dense arithmetic where it uses elements.
    """

    __slots__ = ()
    matrix: Any
    if TYPE_CHECKING:
        def __getattr__(self, name) -> Any:
            """The slots, whose names are texts."""

    __array_ufunc__ = None  # so that an array next to one of us asks us what to do

    array = property(lambda self: self.matrix, doc="Value as a plain array.")

    shape = property(lambda self: self.array.shape, doc="The shape of `array`.")
    dtype = property(lambda self: self.array.dtype, doc="The NumPy type of the numbers that this is made of.")

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        return self.array[key]

    def copy(self):
        """The quantity itself, which cannot be changed."""
        return self

    def __neg__(self):
        return -self.array

    __add__, __radd__ = _methods("+")
    __sub__, __rsub__ = _methods("-")
    __matmul__, __rmatmul__ = _methods("@")

    def mixed(self, sign, other, left=False):
        """The operation with a plain array, as a plain array; TypeError for all that it has no meaning with."""
        if not isinstance(other, np.ndarray):
            self.refuse(sign, other, left)
        pair = (other, self.array) if left else (self.array, other)
        fits = pair[0].shape[-1:] == pair[1].shape[:1] if sign == "@" else pair[0].shape == pair[1].shape
        return OPERATIONS[sign](*pair) if fits else self.refuse(sign, other, left)

    def refuse(self, sign, other, left=False):
        """Raise the TypeError for an operation with another quantity that has no meaning."""
        names = [f"array of shape {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__ for x in (self, other)]
        pair = f" {sign} ".join(reversed(names) if left else names)
        raise TypeError(f"{pair} has no meaning for spatial vectors. Check which is a motion and which a force.")


class Typed(Quantity):
    """A quantity that consists of the arrays named in ``parts``; the functions of its type make new ones by `of`.

    Slots beyond the parts hold what is known, or worked out later; they are None unless given. Two are equal if they
    are of the same type and have equal parts.
    """

    __slots__ = ()
    parts: tuple = ()

    @classmethod
    def of(cls, *values):
        """One made of parts that need no check, because they come from others of our types."""
        self = object.__new__(cls)
        self._fill(*values)
        return self

    def _fill(self, *values):
        for name, value in zip_longest(type(self).__slots__, values):
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError(f"A {type(self).__name__} cannot be changed; make a new one.")

    def __delattr__(self, name):
        raise AttributeError(f"A {type(self).__name__} cannot be changed; its {name} cannot be deleted.")

    def __reduce__(self):
        return type(self).of, self._parts()

    def __repr__(self):
        values = ((name, getattr(self, name)) for name in self.parts)
        named = (f"{name}={part.tolist() if isinstance(part, np.ndarray) else part!r}" for name, part in values)
        return f"{type(self).__name__}({', '.join(named)})"

    def _parts(self):
        return tuple(getattr(self, name) for name in self.parts)

    dtype = property(lambda self: np.result_type(*(np.asarray(part).dtype for part in self._parts())),
                     doc="The NumPy type of the numbers that this is made of.")

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        pairs = zip_longest(self._parts(), other._parts())
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]

    numbers = property(lambda self: np.concatenate([np.ravel(part) for part in self._parts()]),
                       doc="All numbers that are stored, in one array (RBDA Table A.3).")


class Linear(Typed):
    """Those that form vector spaces: sums with the same type, differences, multiples (RBDA Table A.4)."""

    __slots__ = ()

    def __add__(self, other):
        return self._by_parts(add, other, super().__add__)

    def __radd__(self, other):
        return self if is_nothing(other) else super().__radd__(other)

    def __sub__(self, other):
        return self._by_parts(sub, other, super().__sub__)

    def __rsub__(self, other):
        return -self if is_nothing(other) else super().__rsub__(other)

    def __neg__(self):
        return self.of(*(-part for part in self._parts()))

    def _by_parts(self, operation, other, otherwise):
        if is_nothing(other):
            return self
        if type(other) is not type(self):
            return otherwise(other)
        return self.of(*map(operation, self._parts(), other._parts()))

    def __mul__(self, scalar):
        alpha = self._factor("*", scalar)
        return self.of(*(alpha * part for part in self._parts()))

    def __rmul__(self, scalar):
        return self * scalar

    def __truediv__(self, scalar):
        alpha = self._factor("/", scalar)
        return self.of(*(part / alpha for part in self._parts()))

    def _factor(self, sign, scalar):
        if isinstance(scalar, Quantity) or np.ndim(scalar) != 0:
            self.refuse(sign, scalar)
        return number(scalar, "scalar")


def is_nothing(x):
    """True if x is 0 or an array of zeros, which may be added to anything; not if a value happens to be 0."""
    if isinstance(x, np.ndarray):
        return all(type(entry) in (int, float) and entry == 0 for entry in x.ravel().tolist())
    return type(x) is int and x == 0


def scaled(factor, x):
    """factor times x, where a factor that is exactly 0, 1 or -1 costs nothing."""
    if type(factor) is int and factor in (0, 1, -1):
        return 0 if factor == 0 else x if factor == 1 else -x
    return factor * x


def total(terms):
    """The sum of the terms that are not exactly 0."""
    terms = [x for x in terms if not (type(x) is int and x == 0)]
    return sum(terms[1:], terms[0]) if terms else 0
