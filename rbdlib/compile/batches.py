"""Arguments of compiled functions: whatever holds numbers becomes one float64 array, of one state or many."""

import sys
from contextlib import suppress
from math import prod

import numpy as np

from rbdlib.numbers.scalars import as_floats, matrix


def as_batch(x, shape, name):
    """x as a float64 array (..., *shape) of finite numbers; not copied if it is one already.

    Raises TypeError (text, symbols, complex numbers) or ValueError (wrong shape, NaN, infinity), naming the argument.
    """
    array = x if type(x) is np.ndarray and x.dtype == np.float64 and np.isfinite(x).all() else _floats(x, name)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape):] != shape:
        one = f"shape {shape}" if shape else "a single number"
        many = "(" + ", ".join(["...", *map(str, shape)]) + ")" if shape else "an array of any shape"
        column = len(shape) == 1 and array.shape == (*shape, 1)
        remedy = f"; write {name}.ravel() to turn a column into a vector" if column else ""
        raise ValueError(f"{name} has shape {array.shape}; expected {one}, or {many} for a batch of states{remedy}.")
    return array


def _floats(x, name):
    shape = ()
    with suppress(ValueError):                              # ragged, which the door below says
        shape = np.shape(x)
    found = matrix(x, shape, name)
    array = as_floats(found)
    if array is None and found.dtype == object:
        with suppress(TypeError, ValueError):               # Python's fractions and decimal numbers, for example
            array = found.astype(float)
    if array is None:
        what = "complex numbers" if found.dtype.kind == "c" else "symbols"
        raise TypeError(f"{name} contains {what}; a compiled function takes floats. Call the function that was "
                        "compiled, which takes all kinds of numbers.")
    return array


def forces_of_bodies(f_ext, N_B, name):
    """f_ext as an array (..., N_B+1, 6) or what can become one: a dict {body: (..., 6)} is written out."""
    if not isinstance(f_ext, dict):
        return f_ext
    for body in f_ext:
        if not isinstance(body, (int, np.integer)) or isinstance(body, bool) or not 0 <= body <= N_B:
            raise ValueError(f"{name} names body {body!r}; this model has the bodies 1 to {N_B}.")
    forces = {body: as_batch(f, (6,), f"{name}[{body}]") for body, f in f_ext.items()}
    batch = batch_shape({f"{name}[{body}]": f.shape[:-1] for body, f in forces.items()})
    array = np.zeros((*batch, N_B + 1, 6))
    for body, f in forces.items():
        array[..., body, :] = f
    return array


def batch_shape(shapes):
    """The common shape of batches, {name of the argument: shape of its batch}. Raises ValueError if there is none."""
    if all(shape == () for shape in shapes.values()):
        return ()
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"The batches do not fit together: {given}. Each must have the same shape as the others, or "
                         "one that broadcasts to it.") from None


def flattened(array, shape, batch, shared):
    """The array as C-contiguous (B, size), one state after the other; if shared, (1, size) where it is one for all."""
    size = prod(shape)
    if shared and array.size == size:
        return np.ascontiguousarray(array).reshape(1, size)
    if array.shape != (*batch, *shape):
        array = np.broadcast_to(array, (*batch, *shape))
    return np.ascontiguousarray(array).reshape(prod(batch), size)


class Rooms:
    """Memory for results. That of a large result is used again once nobody holds the result or a view of it any more:
    to get so much memory from the system anew takes longer than to compute what it is for.
    """

    #: The sizes in bytes for which this is done, of each array, until there is a result of another size.
    LEAST, MOST = 2**17, 2**28

    def __init__(self):
        self.kept = {}

    def take(self, key, shape):
        """An array of the shape that nobody else has. key: what for."""
        array = self.kept.pop(key, None)
        if array is None or array.shape != shape or sys.getrefcount(array) != HELD_ONCE:
            array = np.empty(shape)
        if HELD_ONCE is not None and self.LEAST <= array.nbytes <= self.MOST:
            self.kept[key] = array
        return array


def _held_once():
    """Reference count of an object that one variable holds; None where Python does not count so."""
    if not hasattr(sys, "getrefcount") or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    array = np.empty(0)
    return sys.getrefcount(array)


HELD_ONCE = _held_once()
