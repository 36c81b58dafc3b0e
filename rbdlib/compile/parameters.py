"""Models with symbols: which there are, and the model with other numbers in their place (RBDA 10.4)."""

import operator
from dataclasses import fields, is_dataclass, replace
from math import prod

import numpy as np

from rbdlib.book.ch04_model import Model
from rbdlib.methods.floating_base import FloatingBase
from rbdlib.methods.geared_trees import GearedTree
from rbdlib.numbers import scalars


def free_symbols(model):
    """The names of the SymPy symbols in the numbers of a model, a floating base or a geared tree, sorted."""
    if not isinstance(model, Model | FloatingBase | GearedTree):
        return []
    found = set()

    def note(x):
        found.update(str(symbol) for symbol in getattr(x, "free_symbols", ()))
        return x

    _converted(model, note)
    return sorted(found)


def with_parameters(model, values):
    """The model with numbers for its SymPy symbols, values: {name: number of any kind}; as it is if it has none."""
    if not free_symbols(model):
        return model
    return _converted(model, lambda x: from_sympy(x, values) if hasattr(x, "free_symbols") else x)


def _converted(x, convert):
    """A model, or a part of one, with every number converted; what has been checked before is not checked again."""
    if isinstance(x, np.ndarray):
        if x.dtype != object:
            return x
        entries = [convert(entry) for entry in x.ravel()]
        if all(isinstance(entry, int | float) for entry in entries):
            return np.array(entries, dtype=float).reshape(x.shape)
        return np.array([*entries, None], dtype=object)[:-1].reshape(x.shape)
    if isinstance(x, tuple):
        parts = tuple(_converted(part, convert) for part in x)
        return x if all(map(operator.is_, parts, x)) else parts
    if isinstance(x, Model):
        parts = "joints", "X_tree", "inertia", "gravity", "loops", "characters"
    elif isinstance(x, FloatingBase):
        parts = "tree", "I_0"
    elif isinstance(x, GearedTree):
        parts = ("model",)
    elif is_dataclass(x):                                                               # a joint, or its character
        changes = {field.name: _converted(getattr(x, field.name), convert) for field in fields(x)}
        changes = {name: value for name, value in changes.items() if value is not getattr(x, name)}
        return replace(x, **changes) if changes else x
    else:
        return convert(x)
    copy = object.__new__(type(x))
    for name, value in vars(x).items():
        object.__setattr__(copy, name, _converted(value, convert) if name in parts else value)
    return copy


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
    if x.is_Add:
        return sum(parts[1:], parts[0])
    if x.is_Mul:
        return prod(parts[1:], start=parts[0])
    if x.is_Pow and x.exp.is_Integer:
        return parts[0] ** int(x.exp)
    if x.is_Pow and 2 * x.exp in (1, -1):
        root = scalars.sqrt(parts[0])
        return root if x.exp > 0 else 1 / root
    if type(x).__name__ in ("sin", "cos"):
        return getattr(scalars, type(x).__name__)(parts[0])
    raise TypeError(f"The model contains the formula {x}; only + - * / sqrt sin cos and whole powers can be recorded.")
