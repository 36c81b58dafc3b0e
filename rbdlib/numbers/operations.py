"""Operations of algorithms by their signs, and the base of numbers that do more with them than compute (RBDA 10.4)."""

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
    def method(self, other):
        if isinstance(other, self.holders) or (y := self._operand(other)) is NotImplemented:
            return NotImplemented                           # an array then asks again for each of its entries
        return self._did(operation, getattr(self, self.own), y)

    def reflected(self, other):
        if isinstance(other, self.holders) or (y := self._operand(other)) is NotImplemented:
            return NotImplemented
        return self._did(operation, y, getattr(self, self.own))

    return method, reflected


class Scalar:
    """A number that knows, by ``_did(operation, *operands)``, what an operation of `APPLY` gives.

    It computes with the attribute named by ``own``, and with ``_operand(x)`` in place of a number x of its own or any
    other kind; NotImplemented if there is nothing. ``holders``, such as arrays, compute with it part by part.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    own: ClassVar[str] = "value"
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

    def __neg__(self):
        return self._did("neg", getattr(self, self.own))

    def sin(self):
        return self._did("sin", getattr(self, self.own))

    def cos(self):
        return self._did("cos", getattr(self, self.own))

    def sqrt(self):
        return self._did("sqrt", getattr(self, self.own))
