"""Numbers whose signs decide, as in contact: symbols and complex numbers have none and are refused."""

import numpy as np

from rbdlib.numbers.scalars import number


def values_or_none(array):
    """The array as floats, of real numbers of any kind; None if there are symbols or complex numbers."""
    if np.iscomplexobj(array):
        return None
    try:
        return np.array([float(getattr(x, "value", x)) for x in np.ravel(array)]).reshape(np.shape(array))
    except TypeError:
        return None


def real(x, name):
    """A scalar that is a number, whatever its kind; ValueError if it is a symbol."""
    x = number(x, name)
    if values_or_none([x]) is None:
        raise ValueError(f"{name} is {x}, whose sign is not known. Give numbers in place of symbols.")
    return x


def require_numbers(**arguments):
    """Refuse symbols and complex numbers in arguments given by their names; those that are None are left out."""
    refuse_complex(**arguments)
    for name, x in arguments.items():
        if any(getattr(entry, "free_symbols", None) for entry in np.ravel(np.array(x, dtype=object))):
            raise ValueError(f"{name} contains symbols; give numbers, because signs decide.")


def refuse_complex(**arguments):
    """Refuse complex numbers in arguments given by their names."""
    for name, x in arguments.items():
        if np.iscomplexobj(x):
            raise TypeError(f"{name} contains complex numbers, which have no sign. Give real ones.")
