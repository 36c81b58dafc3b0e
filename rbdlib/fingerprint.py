"""Fingerprints: short texts that tell whether the arguments of a long computation are those of last time."""

import hashlib
import types
from dataclasses import fields, is_dataclass
from functools import partial
from pickle import dumps

import numpy as np

from rbdlib.model import Model

#: Whole numbers of so many bits are the same as floats.
EXACT_BITS = 53


def fingerprint(value):
    """A text of 64 letters and digits that is the same for the same value, in every process, and no other.

    A function is taken apart into its code, its defaults, what it encloses, and the variables and functions of its own
    module to which it refers; what belongs to other modules counts by its name only.
    """
    digest = hashlib.sha256()
    for token in _tokens(value, []):
        digest.update(token.encode() if isinstance(token, str) else token)
        digest.update(b"\0")
    return digest.hexdigest()


def _tokens(value, above):
    """Texts and bytes that describe a value; above: the values of which it is a part."""
    if any(value is other for other in above):
        yield "itself"
        return
    above = [*above, value]
    if isinstance(value, Model):
        parts = (value.parent, value.joints, value.X_tree, value.inertia, value.gravity, value.loops)
    elif isinstance(value, (int, float, np.number)) and not isinstance(value, complex):
        large = isinstance(value, int) and value.bit_length() > EXACT_BITS
        yield f"number {value if large else float(value)!r}"
        return
    elif value is None or isinstance(value, (str, bytes, complex)):
        yield repr(value)
        return
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield f"array {value.shape}"
        yield np.ascontiguousarray(value, dtype=float).tobytes()
        return
    elif isinstance(value, types.FunctionType):
        parts = _parts_of_function(value)
    elif isinstance(value, types.CodeType):
        parts = (value.co_code, value.co_names, value.co_consts)
    elif isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType, np.ufunc)):
        parts = [f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', value.__name__)}"]
    else:
        parts = _parts_of_object(value)
    yield type(value).__qualname__
    for part in parts:
        yield "("
        yield from [part] if isinstance(part, (str, bytes)) else _tokens(part, above)
        yield ")"


def _parts_of_function(function):
    if _is_known(function):
        return [f"{function.__module__} {function.__qualname__}"]
    names = function.__globals__
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    return (function.__code__, function.__defaults__, function.__kwdefaults__, enclosed,
            [_outside(names[name], function) for name in _names(function.__code__) if name in names])


def _names(code):
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return [*code.co_names, *(name for const in inner for name in _names(const))]


def _outside(value, function):
    """A value to which a function refers, or the name of a function that belongs to another module."""
    if isinstance(value, types.FunctionType) and value.__module__ != function.__module__:
        return f"{value.__module__} {value.__qualname__}"
    return value


def _is_known(value):
    """Whether it is part of this library, where a name says all."""
    return (value.__module__ or "").partition(".")[0] == "rbdlib"


def _parts_of_object(value):
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        return sorted(value.items(), key=repr)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if isinstance(value, types.MethodType):
        return value.__func__, value.__self__
    if is_dataclass(value):
        own = [getattr(value, field.name) for field in fields(value)]
    elif hasattr(value, "__dict__"):
        own = vars(value)
    else:
        return [dumps(value)]
    code = next((vars(kind)["__call__"] for kind in type(value).__mro__ if "__call__" in vars(kind)), None)
    return [str(type(value).__module__), own, code if isinstance(code, types.FunctionType) else None]
