"""Numbers that note the operations that are done with them (RBDA 5.1)."""

from math import prod

import numpy as np

from rbdlib.numbers import scalars


class Counted:
    """A number that notes in ``operations``, a Counter, which floating-point operations are done with it (RBDA 5.1).

    "m": multiplications, "a": additions and subtractions, "d": divisions, "sqrt", "sin", "cos". Changes of sign and
    comparisons are free, and so is all that does not involve a counted number.
    """

    def __init__(self, value, operations):
        self.value, self.operations = value, operations

    def _did(self, kind, value):
        self.operations[kind] += 1
        return Counted(value, self.operations)

    def _with(self, kind, operation, other):
        if isinstance(other, np.ndarray):
            return NotImplemented               # NumPy then asks again for each entry
        return self._did(kind, operation(self.value, value_of(other)))

    def __add__(self, other):
        return self._with("a", lambda x, y: x + y, other)

    def __sub__(self, other):
        return self._with("a", lambda x, y: x - y, other)

    def __rsub__(self, other):
        return self._with("a", lambda x, y: y - x, other)

    def __mul__(self, other):
        return self._with("m", lambda x, y: x * y, other)

    def __truediv__(self, other):
        return self._with("d", lambda x, y: x / y, other)

    def __rtruediv__(self, other):
        return self._with("d", lambda x, y: y / x, other)

    def __pow__(self, exponent):
        """A power with a whole exponent, by multiplications, and a division if it is negative."""
        if exponent != int(exponent):
            raise TypeError(f"exponent is {exponent!r}; only whole powers can be counted (and sqrt).")
        if exponent <= 0:
            return 1.0 if exponent == 0 else 1 / self ** -exponent
        return prod([self] * (int(exponent) - 1), start=self)

    def __neg__(self):
        return Counted(-self.value, self.operations)

    def sin(self):
        return self._did("sin", scalars.sin(self.value))

    def cos(self):
        return self._did("cos", scalars.cos(self.value))

    def sqrt(self):
        return self._did("sqrt", scalars.sqrt(self.value))

    def __eq__(self, other):
        return NotImplemented if isinstance(other, np.ndarray) else self.value == value_of(other)

    def __repr__(self):
        return f"Counted({self.value!r})"

    def _undecided(self, other=None):
        raise TypeError("The function chooses by the value of a number that is counted, so that what it costs depends "
                        "on this value. Count its branches one by one, or fix the argument, such as q=...")

    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = __abs__ = _undecided

    __radd__, __rmul__, __hash__ = __add__, __mul__, None  # type: ignore[assignment]


def value_of(x):
    return x.value if isinstance(x, Counted) else x


def counted(numbers, operations, kind=Counted):
    """The numbers as `Counted`, in an array of the same shape; a single one as it is."""
    numbers = np.asarray(numbers)
    entries = [kind(x, operations) for x in numbers.ravel().tolist()]
    return np.array([*entries, None], dtype=object)[:-1].reshape(numbers.shape)[()]
