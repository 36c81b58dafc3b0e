"""Choices of a recorded algorithm: made by the numbers of a sample state, and checked at run time (RBDA 10.4, 8.8).

A straight-line program has no branches. Where an algorithm chooses by size what to divide by, the choice is made once,
for a sample state. A pivot that is not the largest any more still gives the right result, as long as it is not small.
What has to be true for this is recorded too, as quantities that must not be negative, and the program's results are NaN
where one of them is: never numbers that are wrong.
"""

import operator
from functools import reduce

import numpy as np

from rbdlib.compile.program import APPLY
from rbdlib.compile.record import Recorded
from rbdlib.compile.samples import SampleError

#: A pivot serves while it is at least this fraction of the length of all elements that it was chosen from.
SHARE = 1e-3
#: What was found to be other than zero must remain so many times larger than what counts as zero.
MARGIN = 1e4


class Choices:
    """The values of recorded numbers at a sample state, and what was relied on because of them.

    recorder: the `rbdlib.compile.record.Recorder`; sample: a function that gives the numbers of all inputs.
    """

    def __init__(self, recorder, sample):
        self.recorder, self.sample = recorder, sample
        self.known, self.not_negative = None, []

    def values(self, array):
        """The array with every recorded number replaced by its value at the sample state."""
        if self.known is None:
            self.known = [float(x) for x in self.sample()]
        for operation, operands in self.recorder.assignments[len(self.known) - self.recorder.input_size:]:
            self.known.append(APPLY[operation](*(self.known[x] if isinstance(x, int) else x for x in operands)))

        def value(x):
            x = _plain(x)
            if not isinstance(x, Recorded):
                return float(x)
            return self.known[x.operand] if isinstance(x.operand, int) else x.operand

        return np.vectorize(value, otypes=[float])(array)

    def note_pivot(self, A, place, smallest):
        """Rely on the pivot at a place of A to be far from zero, or, if place is None, on all of A to be zero."""
        if place is None:
            self.note_below(A.ravel(), smallest)
            return
        pivot, least = _plain(A[place]), MARGIN * smallest
        self._note(pivot * pivot - (SHARE * SHARE * _sum_of_squares(A.ravel()) + least * least))

    def note_below(self, x, bound):
        """Rely on the vector x to be no longer than the bound."""
        bound = _plain(bound)
        self._note(bound * bound - _sum_of_squares(x))

    def _note(self, quantity):
        if self.values(quantity) < 0:
            raise SampleError("The sample state, by which the recorded algorithm chooses its pivots, is too near a "
                              "singular configuration, or does not fulfil the loop constraints. Give another one, "
                              "sample={'q': ..., 'qd': ...}.")
        if isinstance(quantity, Recorded):
            self.not_negative.append(quantity)

    def where_they_hold(self):
        """A recorded number that is 1 where all that was relied on is true, and NaN elsewhere; 1 if nothing was."""
        return one_where(self.not_negative) if self.not_negative else 1.0

    def where_near(self, x, value, bound):
        """The recorded number x where it is no farther than the bound from a value, and NaN elsewhere."""
        off = _plain(x) - value
        return x * one_where([bound * bound - off * off])


def one_where(not_negative):
    """A recorded number that is 1 where none of these numbers, one at least, is negative, and NaN elsewhere.

    The square root of a negative number is NaN, and so is every sum of which it is a term. That sum over itself,
    written so that no rule of algebra sees it, is 1.
    """
    total = reduce(operator.add, [quantity.sqrt() for quantity in not_negative]) + 1.0
    return (total * total).sqrt() / total


def _plain(x):
    """The number that a `rbdlib.numbers.dual.Dual` holds."""
    while hasattr(x, "value"):
        x = x.value
    return x


def _sum_of_squares(vector):
    elements = map(_plain, vector.tolist())
    return sum((x * x for x in elements if not (isinstance(x, (int, float)) and x == 0)), 0.0)
