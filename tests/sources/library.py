"""Whether a test runs code of rbdlib at all, or proves its rows of the text alone: by NumPy, SymPy and fractions."""

import inspect
from types import CodeType, ModuleType


def uses_library(item):
    """Whether a test (a pytest item) can reach rbdlib: by itself, its fixtures, its parameters or its helpers."""
    fixtures = getattr(item, "_fixtureinfo", None)
    functions = [definitions[-1].func for definitions in fixtures.name2fixturedefs.values()] if fixtures else []
    given = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    return any(_reaches(x, set()) for x in (item.function, *functions, *given))


def _reaches(x, seen):
    """Whether a value is of rbdlib, or a function or class of the tests that leads there by the names it uses."""
    if id(x) in seen:
        return False
    seen.add(id(x))
    if isinstance(x, list | tuple | set):
        return any(_reaches(part, seen) for part in x)
    if isinstance(x, dict):
        return any(_reaches(part, seen) for part in x.values())
    name = x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) or type(x).__module__
    if str(name).partition(".")[0] == "rbdlib" or type(x).__module__.partition(".")[0] == "rbdlib":
        return True
    x = inspect.unwrap(x) if callable(x) and not isinstance(x, type) else x
    if isinstance(x, type) and str(name).partition(".")[0] in ("tests", "teaching"):
        return any(_reaches(part, seen) for kind in x.__mro__ for part in vars(kind).values()
                   if str(kind.__module__).partition(".")[0] in ("tests", "teaching"))
    code = getattr(x, "__code__", None)
    if isinstance(code, CodeType) and str(name).partition(".")[0] in ("tests", "teaching"):
        used = [x.__globals__[name] for name in _names(code) if name in x.__globals__]
        closed = [cell.cell_contents for cell in x.__closure__ or ()]
        return any(_reaches(part, seen) for part in (*used, *closed, *(x.__defaults__ or ())))
    for part in (getattr(x, "fget", None), getattr(x, "func", None), getattr(x, "__func__", None)):
        if part is not None and _reaches(part, seen):
            return True
    if not isinstance(x, type | ModuleType) and type(x).__module__.partition(".")[0] in ("tests", "teaching"):
        return _reaches(type(x), seen)
    return False


def _names(code):
    """The names that a function uses, those within it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
