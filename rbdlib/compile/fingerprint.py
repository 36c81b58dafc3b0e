"""Fingerprints: short texts that tell whether the arguments of a long computation are those of last time."""

import hashlib
import sys
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from rbdlib.book.ch04_model import Model

#: Whole numbers of so many bits are the same as floats.
EXACT_BITS = 53
#: Packages of which the name says enough.
KNOWN = {"rbdlib", "numpy", "scipy", "sympy", "mpmath", *sys.stdlib_module_names}
#: What Python keeps in a class besides what its author wrote, and what only serves to show it.
NOT_WRITTEN = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__", "__repr__",
               "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__", "_abc_impl",
               "__dataclass_fields__", "__dataclass_params__", "__slotnames__"}
#: The attributes that say all about a value of these types.
ATTRIBUTES = {
    Model: ("parent", "joints", "X_tree", "inertia", "gravity", "loops", "names", "parameters",
            "characters"),
    types.CodeType: ("co_code", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_flags",
                     "co_exceptiontable", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount"),
    types.MethodType: ("__func__", "__self__"), partial: ("func", "args", "keywords"), staticmethod: ("__func__",),
    classmethod: ("__func__",), property: ("fget", "fset", "fdel")}


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
    elif isinstance(value, types.FunctionType | type) and any(value is other for other in met):
        yield f"met {next(k for k, other in enumerate(met) if other is value)}"
    elif value is None or isinstance(value, str | bytes | complex | bool):
        yield repr(value)
    elif isinstance(value, int | float | np.number):
        large = isinstance(value, int) and value.bit_length() > EXACT_BITS
        yield f"number {value if large else float(value)!r}"
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield f"array {value.shape}"
        yield np.ascontiguousarray(value, dtype=float).tobytes()
    else:
        if isinstance(value, types.FunctionType | type):
            met.append(value)
        yield type(value).__qualname__
        for part in _parts(value):
            yield "("
            yield from _tokens(part, [*above, value], met)
            yield ")"


def _parts(value):
    """A list of the values of which one is made."""
    kind = next((kind for kind in ATTRIBUTES if isinstance(value, kind)), None)
    if kind is not None:
        constants = [_typed(x) for x in value.co_consts] if kind is types.CodeType else []
        return [*(getattr(value, name) for name in ATTRIBUTES[kind]), *constants]
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        return [_name(value)]
    if isinstance(value, types.FunctionType | type) and _is_installed(value.__module__):
        return [_name(value)]
    if isinstance(value, types.FunctionType):
        names = _names(value.__code__)
        used = [_outside(value.__globals__[name], names, []) for name in names if name in value.__globals__]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, _enclosed(value), vars(value), used]
    if isinstance(value, type):
        written = [(name, part) for name, part in sorted(vars(value).items()) if name not in NOT_WRITTEN
                   and not isinstance(part, types.MemberDescriptorType | types.GetSetDescriptorType)]     # slots
        return [_name(value), value.__bases__, written]
    if isinstance(value, dict | types.MappingProxyType):
        return [type(value), sorted(value.items(), key=lambda item: repr(item[0]))]
    if isinstance(value, set | frozenset):
        return [type(value), sorted(value, key=repr)]
    if type(value) in (list, tuple):
        return value
    if isinstance(value, list | tuple):
        return [type(value), list(value), getattr(value, "__dict__", None)]
    if is_dataclass(value):
        return [type(value), [getattr(value, field.name) for field in fields(value)]]
    try:
        reduced = value.__reduce_ex__(4)                    # as it would be pickled
    except Exception as error:                              # each type has its own way of refusing
        reduced = [f"{type(error).__name__}: it cannot be pickled", getattr(value, "__dict__", None)]
    parts = [reduced] if isinstance(reduced, str) else [list(x) if isinstance(x, Iterator) else x for x in reduced]
    return [type(value), *parts]


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
    file = Path(getattr(sys.modules.get(package), "__file__", None) or str(sys.modules[module].__file__))
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
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


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
