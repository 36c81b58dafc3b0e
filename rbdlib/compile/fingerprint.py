"""Fingerprints: short texts that tell whether the arguments of a long computation are those of last time."""

import hashlib
import sys
import types
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from pickle import dumps

import numpy as np

from rbdlib.book.ch04_model import Model

#: Whole numbers of so many bits are the same as floats.
EXACT_BITS = 53
#: Packages of which the name says enough.
KNOWN = {"rbdlib", "numpy", "scipy", "sympy", "mpmath", *sys.stdlib_module_names}
#: What Python keeps in a class besides what its author wrote, and what only serves to show it.
NOT_WRITTEN = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__", "__repr__",
               "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__", "_abc_impl",
               "__dataclass_fields__", "__dataclass_params__"}


def fingerprint(value):
    """A text of 64 letters and digits that is the same for the same value, in every process, and no other.

    A function is taken apart into its code, its defaults, what it encloses, and the variables, functions, classes and
    attributes of modules to which it refers by name; a class into all that it and its bases define; an object into its
    class and its attributes. Not seen: the inside of this library, of Python's own, and of NumPy, SciPy, SymPy and
    mpmath, which count by their names; that of other installed packages, which count by the sizes and dates of their
    files; what is read from files or reached only by way of a text (getattr) or of a returned value; the state of
    objects that can neither be looked into nor pickled.
    """
    digest = hashlib.sha256()
    for token in _tokens(value, [], []):
        digest.update(token.encode() if isinstance(token, str) else token)
        digest.update(b"\0")
    return digest.hexdigest()


def _tokens(value, above, met):
    """Texts and bytes that describe a value.

    above: the values of which it is a part; met: the functions and classes that have been described already.
    """
    if any(value is other for other in above):
        yield "itself"
        return
    above = [*above, value]
    if isinstance(value, (types.FunctionType, type)):
        known = next((k for k, other in enumerate(met) if other is value), None)
        if known is not None:
            yield f"met {known}"
            return
        met.append(value)
    if isinstance(value, Model):
        parts = (value.parent, value.joints, value.X_tree, value.inertia, value.gravity, value.loops, value.names,
                 dict(value.parameters))
    elif isinstance(value, (int, float, np.number)) and not isinstance(value, (complex, bool)):
        large = isinstance(value, int) and value.bit_length() > EXACT_BITS
        yield f"number {value if large else float(value)!r}"
        return
    elif value is None or isinstance(value, (str, bytes, complex, bool)):
        yield repr(value)
        return
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield f"array {value.shape}"
        yield np.ascontiguousarray(value, dtype=float).tobytes()
        return
    else:
        parts = _parts(value)
    yield type(value).__qualname__
    for part in parts:
        yield "("
        yield from [part] if isinstance(part, (str, bytes)) else _tokens(part, above, met)
        yield ")"


def _parts(value):
    if isinstance(value, types.FunctionType):
        return _parts_of_function(value)
    if isinstance(value, types.CodeType):
        return (value.co_code, value.co_names, [_typed(const) for const in value.co_consts], value.co_varnames,
                value.co_cellvars, value.co_freevars, value.co_flags, value.co_exceptiontable, value.co_argcount,
                value.co_posonlyargcount, value.co_kwonlyargcount)
    if isinstance(value, type):
        return _parts_of_class(value)
    if isinstance(value, (types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
        return [_name(value)]
    return _parts_of_object(value)


def _typed(const):
    """A constant of a function with the types of the numbers in it: a tuple of whole numbers is not one of floats."""
    entries = [_typed(entry) for entry in const] if isinstance(const, tuple) else const
    return type(const).__name__, entries


def _name(value):
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or ""
    return f"{module} {getattr(value, '__qualname__', value.__name__)} {_edition(module)}"


@lru_cache(maxsize=256)
def _edition(module):
    """Mark of the edition of an installed package: the sizes and dates of its files; "" if its name tells it."""
    package = module.partition(".")[0]
    if package in KNOWN or not _is_installed(module):
        return ""
    file = Path(getattr(sys.modules.get(package), "__file__", None) or sys.modules[module].__file__)
    paths = file.parent.rglob("*") if file.stem == "__init__" else [file]
    files = sorted((path.relative_to(file.parent).as_posix(), path.stat()) for path in paths
                   if path.suffix != ".pyc" and path.is_file())
    return repr([(name, found.st_size, found.st_mtime_ns) for name, found in files])


def _is_installed(module):
    """True if a module, given by its name, is part of this library, of Python or of a package."""
    package = (module or "").partition(".")[0]
    if package in KNOWN and package != "__main__":
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(file.replace("\\", "/").split("/"))


# Functions


def _parts_of_function(function):
    if _is_installed(function.__module__):
        return [_name(function)]
    globals_, names = function.__globals__, _names(function.__code__)
    return (function.__code__, function.__defaults__, function.__kwdefaults__, _enclosed(function), vars(function),
            [_outside(globals_[name], names, []) for name in names if name in globals_])


def _names(code):
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return [*code.co_names, *(name for const in inner for name in _names(const))]


def _enclosed(function):
    found = []
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:              # the cell is still empty
            found.append(None)
    return found


def _outside(value, names, within):
    """A value to which a function refers; of a module, those of its attributes that the function names."""
    if not isinstance(value, types.ModuleType) or _is_installed(value.__name__) or value in within:
        return value
    attributes = vars(value)
    return [value.__name__, *(_outside(attributes[name], names, [*within, value])
                              for name in dict.fromkeys(names) if name in attributes)]


# Classes and objects


def _parts_of_class(kind):
    if _is_installed(kind.__module__):
        return [_name(kind)]
    written = [(name, _without_wrapping(value)) for name, value in sorted(vars(kind).items())
               if name not in NOT_WRITTEN and not isinstance(value, SLOTS)]
    return [_name(kind), kind.__bases__, written]


#: How a class refers to the places of its slots, and to what C code keeps.
SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def _without_wrapping(value):
    """The functions in a method of a class, with a name of the kind of method it is."""
    if isinstance(value, (staticmethod, classmethod)):
        return type(value).__name__, value.__func__
    if isinstance(value, property):
        return "property", value.fget, value.fset, value.fdel
    if isinstance(value, cached_property):
        return "cached_property", value.func
    return value


def _parts_of_object(value):
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if isinstance(value, types.MethodType):
        return value.__func__, value.__self__
    own = _contents(value)
    return own if type(value) in (list, tuple, dict, set, frozenset) else [type(value), own]


def _contents(value):
    if isinstance(value, (list, tuple)):
        return [*value, vars(value)] if getattr(value, "__dict__", None) else list(value)
    if isinstance(value, dict):
        return sorted(value.items(), key=lambda item: repr(item[0]))
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    attributes = {**_in_slots(value), **getattr(value, "__dict__", {})}
    if attributes or hasattr(value, "__dict__"):
        return attributes
    try:
        return dumps(value)
    except Exception as error:          # each type has its own way of refusing
        return f"{type(error).__name__}: nothing is known of what is in it"


def _in_slots(value):
    found = {}
    for kind in type(value).__mro__:
        if "__slots__" in vars(kind):
            found |= {name: getattr(value, name) for name, place in vars(kind).items()
                      if isinstance(place, types.MemberDescriptorType) and hasattr(value, name)}
    return found
