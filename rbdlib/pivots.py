"""Choices by the size of numbers: which element of a matrix an algorithm divides by (RBDA 8.8).

Numbers are compared by size. Symbols have none, so that the first that is not 0 is taken. Recorded numbers, which stand
for those of many states (RBDA 10.4), have the sizes of a sample state; what was chosen there is noted, and where
another state would not allow it, the recorded program gives NaN instead of numbers that are wrong.
"""

import numpy as np

from rbdlib.scalars import as_floats


def pivot_place(A, smallest=0.0, by_size=None):
    """The place (row, column) of the element of a matrix A by which to divide; None if there is none.

    It is the largest, if it is larger than ``smallest``; of symbols the first that is not 0. by_size: whether elements
    have sizes (True), or are taken for symbols (False); found out if left out.
    """
    sizes = sizes_of(A, by_size)
    place = np.unravel_index(np.argmax(sizes), sizes.shape) if sizes.size else None
    if place is None or not sizes[place] > smallest:
        place = None
    choices = choices_of(A)
    if choices is not None:
        choices.note_pivot(A, place, smallest)
    return place


def sizes_of(A, by_size=None):
    """How large the elements of an array are, as floats; of symbols, 1 for those that are not 0. by_size: as above."""
    if A.dtype == float and by_size is not False:
        return np.abs(A)
    choices = choices_of(A)
    if choices is not None:
        return np.abs(choices.values(A))
    values = None if by_size is False else values_of(A)
    if values is not None:
        return np.abs(values)
    return np.array([float(x != 0) for x in A.flat]).reshape(A.shape)


def keep_below(x, bound):
    """Note of recorded numbers x that the algorithm relies on them to be no longer, as a vector, than the bound.

    Of other numbers nothing is noted: the algorithm itself sees how large they are.
    """
    choices = choices_of(np.asarray(x))
    if choices is not None:
        choices.note_below(np.ravel(x), bound)


def where_near(x, value, bound):
    """The number x; of a recorded one, NaN in states in which it is farther than the bound from a value.

    Of other numbers the algorithm itself sees how large they are.
    """
    choices = choices_of(np.asarray(x))
    return x if choices is None else choices.where_near(x, value, bound)


def choices_of(A):
    """What notes choices among the recorded numbers of an array; None if there are none."""
    if A.dtype != object:
        return None
    return next((found for x in A.flat if (found := getattr(getattr(_value(x), "recorder", None), "choices", None))),
                None)


def values_of(array):
    """The array as floats, also of recorders that hold their number as ``value``; None if it contains symbols."""
    array = np.asarray(array)
    if array.dtype == object:
        values = [getattr(x, "value", x) for x in array.ravel()] + [0]
        array = np.array(values, dtype=object)[:-1].reshape(array.shape)
    return as_floats(array)


def _value(x):
    """The number that a `rbdlib.dual.Dual` or a counting number holds, however deep."""
    while hasattr(x, "value"):
        x = x.value
    return x
