"""Answers as people write them, right ones and wrong ones, system by system: see `case` for their form.

The TOML files hold further systems: a model as a model file has it, with ``positive``, the names of its parameters,
and ``parent`` left out where a body hangs on the base; ``given``, which every answer has that states nothing itself;
``right``, lists [quantity, answer, given], the answer empty where an identity is claimed; ``wrong``, lists [number of a
right one, old, new, names under which the mistake may be reported, those of a second mistake]: old is replaced by new;
or [number of a right one, pairs [old, new], names]; or [quantity, answer, given, names]. A last table {missed = why} is
the case's `missed`. Instead of the model there may be ``library``, the name of one of ours.
"""

import functools
import importlib
import pkgutil
import tomllib
from pathlib import Path

from rbdlib.io.model_file import _build
from tests.verify.corpus import case


def systems():
    """Every `case.System` of the corpus: those of modules and of textbooks/ by name, then those of the other files."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.name != "case"]
    modules = [importlib.import_module(f"{__name__}.{name}").SYSTEM for name in names]
    return [*sorted([*modules, *_files("textbooks/*.toml")], key=lambda system: system.name), *_files("*.toml")]


def _files(pattern):
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(__file__).parent.glob(pattern))]
    return [_system(**table) for file in files for table in file["system"]]


def _system(name, source, right, wrong, given="", library="", **mechanism):
    answers = [case.right(quantity, answer or None, *own or [given]) for quantity, answer, *own in right]
    for first, *row in wrong:
        options = row.pop() if isinstance(row[-1], dict) else {}
        if isinstance(first, str):
            answer, own, *mistakes = row
            answers.append(case.wrong(first, answer or None, *mistakes, given=own, **options))
            continue
        at, (old, *rest) = answers[first - 1], row
        pairs, mistakes = (old, rest) if isinstance(old, list) else ([(old, rest[0])], rest[1:])
        answer = at.answer
        for old, new in pairs:
            assert old in answer, (name, first, old)
            answer = answer.replace(old, new, 1)
        answers.append(case.wrong(at.quantity, answer, *mistakes, given=at.given, **options))
    make = case.library(library) if library else functools.partial(_model, **mechanism)
    return case.System(name, source, make, tuple(answers))


def _model(positive, gravity, body):
    values = {parameter: {"value": 1.0, "positive": True} for parameter in positive.split()}
    bodies = [{"parent": "base", **table} for table in body]
    return _build({"gravity": gravity, "parameters": values, "body": bodies}, symbolic=True)
