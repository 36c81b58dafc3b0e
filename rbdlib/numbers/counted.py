"""Numbers that note the operations that are done with them (RBDA 5.1)."""

import numpy as np

from rbdlib.numbers.operations import APPLY, COUNTED_AS, Scalar


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
