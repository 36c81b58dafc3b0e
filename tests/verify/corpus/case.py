"""What one module of the corpus holds: ``SYSTEM``, a mechanism and the answers that people hand in for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer.

    quantity, answer, given: what is handed to `verify`.
    mistakes: for each mistake that was planted the set of names under which a diagnosis may rightly report it; empty
    for a right answer.  The names are chosen from the mistake, before looking at what the program finds.
    missed: why the diagnosis does not name the mistakes first; empty if it must.
    """

    quantity: str
    answer: Any
    given: Any = None
    mistakes: tuple = ()
    missed: str = ""


@dataclass(frozen=True, eq=False)
class System:
    """A mechanism: its name, its source, a function that makes its `Model`, and its answers."""

    name: str
    source: str
    model: Callable
    answers: tuple


def right(quantity, answer, given=None):
    """A right answer."""
    return Answer(quantity, answer, given)


def wrong(quantity, answer, *mistakes, given=None, missed=""):
    """A wrong answer with one planted mistake or two, each written "sign" or, if several names fit, "sign|factor"."""
    return Answer(quantity, answer, given, tuple(frozenset(names.split("|")) for names in mistakes), missed)
