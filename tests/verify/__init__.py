"""Tests of verification; their larger tables stand in tables.toml."""

import functools
import tomllib
from pathlib import Path
from unittest.mock import patch

from rbdlib.verification.coursework import workers
from rbdlib.verification.coursework.files import model_called
from rbdlib.verification.coursework.workers import looked_at

TABLES = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
MODELS = functools.cache(model_called)


def verify(problem, answer):
    """The report on an answer to a problem of a course."""
    return looked_at(MODELS(problem.model), problem.quantity, answer, problem.given)


def in_this_process(tasks, count=1):
    """The results of tasks, as `workers.results_of` gives them, without processes and limits."""
    for task in tasks:
        with patch.object(workers, "limit"), patch.object(workers, "_write") as written:
            workers.work(MODELS(task["model"]), task | {"time": 600})
        yield workers.result_of(task, 0, [call.args[1] for call in written.call_args_list], "")
