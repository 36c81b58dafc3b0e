"""Compiled functions kept on disk, found again by what they were made from, of which a fingerprint is taken.

An entry is a file of JSON whose name is the key: a hash of everything that decides about its contents. Its first line
is a checksum. Entries are put in place at once, so that nobody ever sees half of one, and whatever is damaged, cut off
or foreign is made anew. Nothing in an entry is ever unpickled or executed as Python.
"""

import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from rbdlib import numbers
from rbdlib.book.ch04_model import Model

#: Entries of another layout are never found, because it is part of the key.
LAYOUT = 3
#: So many entries are kept.
MOST = 300
#: The names of unfinished things begin so, and after how many seconds they are taken for left behind.
UNFINISHED, ABANDONED = ".new-", 86400.0
#: The remedy wherever nothing can be kept.
NAME_ONE = "Name a folder of your own in the environment variable RBDLIB_CACHE"
PACKAGE = Path(__file__).resolve().parents[1]
#: Parts of this library on which no algorithm depends.
APART = ("draw", "exercises", "io", "verification", "verify")


def cache_folder():
    """Where compiled functions are kept: RBDLIB_CACHE, or the user's cache folder; RuntimeError where there is none."""
    named = os.environ.get("RBDLIB_CACHE", "").strip()
    if named:
        return Path(named).expanduser()
    said, usual = {"win32": ("LOCALAPPDATA", "AppData/Local"), "darwin": ("", "Library/Caches")}.get(
        sys.platform, ("XDG_CACHE_HOME", ".cache"))
    return Path(os.environ.get(said) or Path.home() / usual) / "rbdlib"


def cache_key(*parts):
    """The key (64 letters and digits) of something made from the parts by the present text of this library."""
    return _hash(f"{LAYOUT} {library_text()} {fingerprint(parts)}".encode())


@lru_cache(maxsize=1)
def library_text():
    """A hash of the source of this library's algorithms: who edits one gets it compiled anew."""
    return _hash(b"\0".join(part for path in _sources()
                            for part in (path.relative_to(PACKAGE).as_posix().encode(), path.read_bytes())))


def _sources():
    """The files of this library on which compiled functions depend."""
    found = sorted(path for pattern in ("*.py", "*.c") for path in PACKAGE.rglob(pattern))
    return [path for path in found if path.relative_to(PACKAGE).parts[0] not in APART]


def edited():
    """A file of this library that is newer than what runs, so that its text says nothing about that; or None."""
    changed = {path: max((found := path.stat()).st_mtime, found.st_ctime) for path in _sources()}
    return next((path for path, time in changed.items() if time > numbers.IMPORTED), None)


def fetch(key, make, use=True):
    """The entry with this key, the folder of the cache or None, and whether the entry had to be made.

    make: a function that returns the entry, a dict that JSON can hold; what it raises is passed on. use: False for an
    entry that is made anew and not kept. Where nothing can be kept, a warning says so, once.
    """
    folder = _usable_folder() if use else None
    if folder is not None and (entry := sound_entry(folder / key, key)) is not None:
        with suppress(OSError):
            os.utime(folder / key)                          # it was used now
        return entry, folder, False
    entry = make()
    if folder is not None:
        try:
            _keep(key, entry, folder)
        except OSError as error:
            _warn(folder, error, f"Make room there. {NAME_ONE}")
    return entry, folder, True


def sound_entry(path, key):
    """The entry in a file if it is as it was written, else None."""
    try:
        seal, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return json.loads(text) if seal.decode("latin-1") == _hash(key.encode() + text) else None


def _keep(key, entry, folder):
    """Write an entry, all at once, and tidy up: of the entries, those go that were not used for longest."""
    text = json.dumps(entry).encode()
    number, new = tempfile.mkstemp(prefix=UNFINISHED, dir=folder)
    try:
        with open(number, "wb") as file:
            file.write(_hash(key.encode() + text).encode() + b"\n" + text)
        if (folder / key).is_dir():
            discard(folder / key)
        os.replace(new, folder / key)
    finally:
        discard(Path(new))
    entries, recently = [], time.time() - ABANDONED
    for path in folder.iterdir():
        with suppress(OSError):                             # another process removes it, too
            changed = path.stat().st_mtime
            if re.fullmatch("[0-9a-f]{64}", path.name):
                entries.append((changed, path))
            elif path.name.startswith(UNFINISHED) and changed < recently:
                discard(path)
    for _, path in sorted(entries)[:-MOST]:
        discard(path)


def discard(path):
    """Remove a file or folder, as far as it can be removed."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _hash(data):
    return hashlib.sha256(data).hexdigest()


def _usable_folder():
    """The folder of the cache, made if need be, or None if nothing can be kept there safely."""
    folder, remedy = "a folder of yours", NAME_ONE
    try:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason, found = None, folder.stat()
        if hasattr(os, "getuid") and found.st_uid not in (os.getuid(), 0):
            reason = "it belongs to another user"
        elif hasattr(os, "getuid") and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            reason = f"others than you may write to it (chmod go-w {folder} changes that)"
        elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            reason = "it cannot be written to"
        elif (file := edited()) is not None:
            reason, remedy = f"{file} was changed after rbdlib had been imported", "Restart Python"
    except (OSError, RuntimeError) as error:
        reason = str(error)
    if reason is None:
        return folder
    _warn(folder, reason, remedy)
    return None


def _warn(folder, reason, remedy):
    warn_once(f"Compiled functions are not kept in {folder}: {str(reason).removesuffix('.')}. {remedy}; until then "
              "they are compiled anew in every session.")


def warn(message):
    """A warning that points to the line outside of this library from which it came."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


warn_once = lru_cache(maxsize=64)(warn)


# Fingerprints

#: Whole numbers of so many bits are the same as floats.
EXACT_BITS = 53
#: Packages of which the name says enough.
KNOWN = {"rbdlib", "numpy", "scipy", "sympy", "mpmath", *sys.stdlib_module_names}
#: Attributes that Python keeps in a class besides those its author wrote, or that only serve to show it.
NOT_WRITTEN = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__", "__repr__",
               "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__", "_abc_impl",
               "__dataclass_fields__", "__dataclass_params__", "__slotnames__"}
#: What a cell of a closure equals if nothing has been put into it yet.
EMPTY = types.CellType()
#: The attributes that say all about a value of these types.
ATTRIBUTES = {
    Model: ("parent", "joints", "X_tree", "inertia", "gravity", "loops", "names", "parameters", "characters"),
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
    return _hash(b"\0".join(token.encode() if isinstance(token, str) else token for token in _tokens(value, [], [])))


def _tokens(value, above, met):
    """Texts and bytes that describe a part of the values above it; met: functions and classes described already."""
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
        constants = value.co_consts if kind is types.CodeType else ()       # as text, 1 is not 1.0
        return [*(getattr(value, name) for name in ATTRIBUTES[kind]),
                *(x if isinstance(x, types.CodeType | frozenset) else repr(x) for x in constants)]
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | np.ufunc) or (
            isinstance(value, types.FunctionType | type) and _is_installed(value.__module__)):
        return [_name(value)]
    if isinstance(value, types.FunctionType):
        names = _names(value.__code__)
        used = [_outside(value.__globals__[name], names, []) for name in names if name in value.__globals__]
        enclosed = [None if cell == EMPTY else cell.cell_contents for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, enclosed, vars(value), used]
    if isinstance(value, type):
        written = [(name, part) for name, part in sorted(vars(value).items()) if name not in NOT_WRITTEN]
        return [_name(value), value.__bases__, written]
    if isinstance(value, dict | types.MappingProxyType):
        return [type(value), sorted(value.items(), key=lambda item: repr(item[0]))]
    if isinstance(value, set | frozenset):
        return [type(value), sorted(value, key=repr)]
    if type(value) in (list, tuple):
        return value
    if is_dataclass(value):
        return [type(value), [getattr(value, field.name) for field in fields(value)]]
    try:
        reduced = value.__reduce_ex__(4)                    # as it would be pickled
    except Exception as error:                              # each type has its own way of refusing
        reduced = [f"{type(error).__name__}: it cannot be pickled", getattr(value, "__dict__", None)]
    parts = [reduced] if isinstance(reduced, str) else [list(x) if isinstance(x, Iterator) else x for x in reduced]
    return [type(value), *parts]


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


def _outside(value, names, within):
    """A value to which a function refers; of a module, those of its attributes that the function names."""
    if not isinstance(value, types.ModuleType) or _is_installed(value.__name__) or value in within:
        return value
    attributes = vars(value)
    return [value.__name__, *(_outside(attributes[name], names, [*within, value])
                              for name in dict.fromkeys(names) if name in attributes)]
