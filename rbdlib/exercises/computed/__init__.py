"""Answers of exercises in data/exercises that take a computation: `ANSWERS`, by the exercise's number.

Where a learner writes a function, the function here is as a learner would write it, and wrong answers are made from its
text (see `Computed`). One that uses nothing but modules, and is no lambda, is what `tools.teaching` shows to teachers.
"""

from importlib import import_module
from pkgutil import iter_modules

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
_TABLES = [module.ANSWERS for module in _MODULES if hasattr(module, "ANSWERS")]
ANSWERS = {id: computed for table in _TABLES for id, computed in table.items()}
if len(ANSWERS) != sum(map(len, _TABLES)):
    raise ValueError("Two modules of rbdlib.exercises.computed have answers to one exercise.")
