"""Answers as people write them, right ones and wrong ones, system by system: see `case` for their form."""

import importlib
import pkgutil


def systems():
    """Every `case.System` of the corpus, in the order of the modules' names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "case")
    return [importlib.import_module(f"{__name__}.{name}").SYSTEM for name in names]
