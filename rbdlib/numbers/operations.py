"""Operations of algorithms by their signs, and numbers that do more with them than compute (RBDA 5.1, 10.4)."""

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from rbdlib.numbers import scalars

#: How operations are counted: multiplications and divisions apart, changes of sign free.
COUNTED_AS = {"+": "a", "-": "a", "*": "m", "/": "d", "sin": "sin", "cos": "cos", "sqrt": "sqrt"}

APPLY: dict[str, Callable] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "neg": operator.neg,
    "sin": scalars.sin, "cos": scalars.cos, "sqrt": scalars.sqrt}


def _methods(operation):
    """The methods for an operation with another number on the right, and on the left."""
    def method(self, other, left=False):
        if isinstance(other, self.holders) or (y := self._operand(other)) is NotImplemented:
            return NotImplemented                           # an array then asks again for each of its entries
        x = self._operand(self)
        return self._did(operation, *((y, x) if left else (x, y)))

    return method, lambda self, other: method(self, other, left=True)


def _function(operation):
    """The method for an operation of one number."""
    return lambda self: self._did(operation, self._operand(self))


class Scalar:
    """A number that knows, by ``_did(operation, *operands)``, what an operation of `APPLY` gives.

    It computes with ``_operand(x)`` in place of a number x of its own or any other kind; NotImplemented if there is
    nothing. ``holders``, such as arrays, compute with it part by part.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    holders: ClassVar[tuple] = (np.ndarray,)
    _operand: Any
    _did: Any

    __add__, __radd__ = _methods("+")
    __sub__, __rsub__ = _methods("-")
    __mul__, __rmul__ = _methods("*")
    __truediv__, __rtruediv__ = _methods("/")

    def __pow__(self, exponent):
        """A power with a whole exponent, by multiplications, and a division if it is negative."""
        if exponent != int(exponent):
            raise TypeError(f"exponent is {exponent!r}; of this number there are only whole powers (and sqrt).")
        if exponent <= 0:
            return 1 if exponent == 0 else 1 / self ** -exponent
        result = self
        for _ in range(int(exponent) - 1):
            result = self * result
        return result

    def __pos__(self):
        return self

    __neg__, sin, cos, sqrt = map(_function, ("neg", "sin", "cos", "sqrt"))


# Numbers that count

def value_of(x):
    return x.value if isinstance(x, Counted) else x


class Counted(Scalar):
    """A number that notes in ``operations``, a Counter, which floating-point operations are done with it (RBDA 5.1).

    "m": multiplications, "a": additions and subtractions, "d": divisions, "sqrt", "sin", "cos". Changes of sign and
    comparisons are free, and so is all that does not involve a counted number.
    """

    __slots__ = ("operations", "value")

    def __init__(self, value, operations):
        self.value, self.operations = value, operations

    def _did(self, operation, *values):
        if operation != "neg":
            self.operations[COUNTED_AS[operation]] += 1
        return type(self)(APPLY[operation](*values), self.operations)

    _operand = staticmethod(value_of)

    def __eq__(self, other):
        return NotImplemented if isinstance(other, np.ndarray) else self.value == value_of(other)

    def __repr__(self):
        return f"Counted({self.value!r})"

    def _undecided(self, other=None):
        raise TypeError("The function chooses by the value of a number that is counted, so that what it costs depends "
                        "on this value. Count its branches one by one, or fix the argument, such as q=...")

    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = __abs__ = _undecided


def counted(numbers, operations, kind=Counted):
    """The numbers as `Counted`, in an array of the same shape; a single one as it is."""
    numbers = np.asarray(numbers)
    entries = [kind(x, operations) for x in numbers.ravel().tolist()]
    return np.array([*entries, None], dtype=object)[:-1].reshape(numbers.shape)[()]
