"""Models with symbols: which there are, and the model with other numbers in their place (RBDA 10.4)."""

import operator
from dataclasses import fields, is_dataclass, replace
from functools import reduce

import numpy as np

from rbdlib.book.ch04_model import Model
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.numbers import scalars


def free_symbols(model):
    """The names of the SymPy symbols in the numbers of a model, a floating base or a geared tree, sorted."""
    found = set()

    def note(x):
        found.update(str(symbol) for symbol in getattr(x, "free_symbols", ()))
        return x

    with_numbers(model, note)
    return sorted(found)


def with_parameters(model, values):
    """The model with numbers for its SymPy symbols, values: {name: number of any kind}; as it is if it has none."""
    if free_symbols(model):
        return with_numbers(model, lambda x: from_sympy(x, values) if hasattr(x, "free_symbols") else x)
    return model


def with_numbers(x, number, array=None, changed=replace):
    """A model, or a part of one, with other numbers; what has been checked before is not checked again.

    number, array: functions that convert a number and an array, entry by entry if it can hold symbols and no function
    is given; changed(part, **changes): a joint, or a loop joint, with other fields.
    """
    if isinstance(x, np.ndarray):
        if array is not None or x.dtype != object:
            return array(x) if array is not None else x
        entries = [number(entry) for entry in x.ravel()]
        if all(isinstance(entry, int | float) for entry in entries):
            return np.array(entries, dtype=float).reshape(x.shape)
        return np.array([*entries, None], dtype=object)[:-1].reshape(x.shape)
    if isinstance(x, tuple):
        parts = tuple(with_numbers(part, number, array, changed) for part in x)
        return x if all(map(operator.is_, parts, x)) else parts
    kind = next((kind for kind in PARTS if isinstance(x, kind)), None)
    if kind is None and not is_dataclass(x):
        return number(x)
    given = {name: vars(x)[name] for name in PARTS[kind]} if kind else {
        field.name: getattr(x, field.name) for field in fields(x)}
    changes = {name: with_numbers(value, number, array, changed) for name, value in given.items()}
    if kind is None:
        changes = {name: value for name, value in changes.items() if value is not given[name]}
        return changed(x, **changes) if changes else x
    copy = object.__new__(type(x))
    vars(copy).update(vars(x) | changes)
    return copy


#: The attributes of models that hold numbers.
PARTS = {Model: ("joints", "X_tree", "inertia", "gravity", "loops", "characters"), FloatingBase: ("tree", "I_0"),
         GearedTree: ("model",)}


def from_sympy(x, values):
    """A SymPy formula with values for its symbols: {name: number of any kind}."""
    if x.is_Number or x.is_NumberSymbol:
        return float(x)
    if x.is_Symbol:
        if x.name not in values:
            raise ValueError(f"The model contains the symbol {x.name}; name it in parameters, or load the model with "
                             "numbers.")
        return values[x.name]
    parts = [from_sympy(part, values) for part in x.args]
    if x.is_Add or x.is_Mul:
        return reduce(operator.add if x.is_Add else operator.mul, parts)
    if x.is_Pow and x.exp.is_Integer:
        return parts[0] ** int(x.exp)
    if x.is_Pow and 2 * x.exp in (1, -1):
        root = scalars.sqrt(parts[0])
        return root if x.exp > 0 else 1 / root
    if type(x).__name__ in ("sin", "cos"):
        return getattr(scalars, type(x).__name__)(parts[0])
    raise TypeError(f"The model contains the formula {x}; only + - * / sqrt sin cos and whole powers can be recorded.")
