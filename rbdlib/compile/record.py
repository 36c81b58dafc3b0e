"""The symbolic executer: an algorithm runs on numbers that write down what is done with them (RBDA 10.4)."""

from typing import Any

import numpy as np

from rbdlib.compile.program import Assignment
from rbdlib.numbers.dual import Dual
from rbdlib.numbers.operations import Scalar


class Recorder:
    """Writes down assignments. Every method takes and gives operands: the number of a variable (int) or a float.

    choices: the `rbdlib.compile.samples.Choices` that note the choices among the numbers, or None.
    """

    def __init__(self, input_size):
        self.assignments, self.input_size = [], input_size
        self.choices: Any = None

    def emit(self, operation, *operands):
        """Note an operation and return the variable that holds its result."""
        self.assignments.append(Assignment(operation, operands))
        return self.input_size + len(self.assignments) - 1


def operand_of(x):
    """The operand of a recorded number, or the float of another one."""
    return x.operand if isinstance(x, Recorded) else float(x)


class Recorded(Scalar):
    """A number of which only its place in a list of assignments is known.

    operand: the number of a variable, or the float of a constant.
    """

    __slots__ = ("recorder", "operand")
    own, holders = "operand", (np.ndarray, Dual)

    def __init__(self, recorder, operand):
        self.recorder, self.operand = recorder, operand

    choices = property(lambda self: self.recorder.choices,
                       doc="The notes of choices among recorded numbers, for `rbdlib.numbers.pivots.choices_of`.")

    def _did(self, operation, *operands):
        result = self.recorder.emit(operation, *operands)
        return Recorded(self.recorder, result) if isinstance(result, int) else result

    _operand = staticmethod(operand_of)

    def __eq__(self, other):
        """True if both are the same variable or constant: as for symbols, formulas are not worked out to decide it.

        So q[0] == 0 is False, also in states in which q[0] will be 0; `rbdlib.compile.executer.require_agreement` looks
        at such states to see whether that matters.
        """
        if isinstance(other, np.ndarray):
            return NotImplemented
        x, y = self.operand, operand_of(other)
        return x == y and type(x) is type(y)

    def _undecided(self, other=None):
        raise TypeError("The algorithm chooses by the value of a number that is known at run time only, so that it "
                        "cannot be recorded as a list of assignments. Use its other methods, or call it directly.")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __abs__ = _undecided

    def __float__(self):
        raise TypeError("A number that is known at run time only cannot become a float. Allocate the arrays that hold "
                        "it with rbdlib.numbers.scalars.zeros(n, q), and take sin, cos and sqrt from "
                        "rbdlib.numbers.scalars, not from math.")

    def __format__(self, how):
        return repr(self)

    def __repr__(self):
        return f"Recorded({self.operand!r})"
