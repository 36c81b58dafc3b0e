"""Answers as people write them, right ones and wrong ones, system by system: see `case` for their form.

The TOML files hold further systems: a model as a model file has it, with ``positive``, the names of its parameters,
and ``parent`` left out where a body hangs on the base; ``given``, which every answer has that states nothing itself;
``right``, lists [quantity, answer, given]; ``wrong``, lists [number of a right one, old, new, names under which the
mistake may be reported, those of a second mistake]: old is replaced by new; or [quantity, answer, given, names].
Instead of the model there may be ``library``, the name of one of ours.
"""

import functools
import importlib
import pkgutil
import tomllib
from pathlib import Path

from rbdlib.io.model_file import _build
from tests.verify.corpus import case


def systems():
    """Every `case.System` of the corpus, in the order of the names of modules and files."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "case")
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(__file__).parent.glob("*.toml"))]
    return [*(importlib.import_module(f"{__name__}.{name}").SYSTEM for name in names),
            *(_system(**table) for file in files for table in file["system"])]


def _system(name, source, right, wrong, given="", library="", **mechanism):
    answers = [case.right(quantity, answer, *own or [given]) for quantity, answer, *own in right]
    for first, *row in wrong:
        if isinstance(first, str):
            answer, own, *mistakes = row
            answers.append(case.wrong(first, answer, *mistakes, given=own))
            continue
        at, (old, new, *mistakes) = answers[first - 1], row
        assert old in at.answer, (name, first, old)
        answers.append(case.wrong(at.quantity, at.answer.replace(old, new, 1), *mistakes, given=at.given))
    make = case.library(library) if library else functools.partial(_model, **mechanism)
    return case.System(name, source, make, tuple(answers))


def _model(positive, gravity, body):
    values = {parameter: {"value": 1.0, "positive": True} for parameter in positive.split()}
    bodies = [{"parent": "base", **table} for table in body]
    return _build({"gravity": gravity, "parameters": values, "body": bodies}, symbolic=True)
