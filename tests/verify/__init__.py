"""Tests of verification; their larger tables stand in tables.toml."""

import functools
import tomllib
from pathlib import Path

from rbdlib.verification.coursework.files import model_called
from rbdlib.verification.coursework.workers import looked_at

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
MODELS = functools.cache(model_called)


def verify(problem, answer):
    """The report on an answer to a problem of a course."""
    return looked_at(MODELS(problem.model), problem.quantity, answer, problem.given)
