"""Reading the exercises. Their texts and plain answers are data, `data/exercises/*.toml`; answers that take a
computation stand under the same number in `rbdlib.exercises.computed`."""

import math
import re
import tomllib
from functools import cache

from rbdlib.exercises.computed import ANSWERS
from rbdlib.exercises.declare import Computed, Exercise, Mistake
from rbdlib.io.data import data_folder
from rbdlib.io.model_file.expressions import evaluate

#: The functions in answers; names other than theirs and pi are symbols.
_FUNCTIONS = {name: getattr(math, name) for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "cbrt", "exp", "log", "degrees")}


@cache
def read_exercises(name, make=Exercise):
    """The exercises of the file ``data/exercises/{name}.toml``, a tuple. make: `Exercise`, or `More` for homework.

    Raises ValueError, naming the exercise, where a declaration contradicts itself, and KeyError for a mistake that is
    computed nowhere.
    """
    entries = tomllib.loads((data_folder("exercises") / f"{name}.toml").read_text(encoding="utf-8"))
    return tuple(_exercise(make, id, entry, ANSWERS.get(id, Computed())) for id, entry in entries.items())


@cache
def words(table):
    """A table of ``data/exercises/words/feedback.toml``, such as "sheets" or "matrices", a dictionary."""
    return tomllib.loads((data_folder("exercises") / "words/feedback.toml").read_text(encoding="utf-8"))[table]


def _exercise(make, id, entry, computed):
    """An exercise of what the file says about it and of what is computed."""
    positive = entry.pop("positive", "")
    as_answer = (lambda value: value) if entry.get("kind") == "word" else (lambda value: formula(value, positive))
    mistakes = entry.pop("mistakes")
    named = {mistake["computed"] for mistake in mistakes if "computed" in mistake}
    if named != computed.mistakes.keys():
        raise ValueError(f"Exercise {id}: the computed mistakes are called {sorted(computed.mistakes)}, "
                         f"but in the file {sorted(named)}.")
    fields = {key: _plain(key, value) for key, value in entry.items()}
    fields["reference"] = as_answer(entry["reference"]) if "reference" in entry else computed.reference
    found = []
    for mistake in mistakes:
        name = mistake.get("computed", "")                 # "sign 2" is the second of the kind sign
        answer = computed.mistakes[name] if name else as_answer(mistake["answer"])
        kind = re.sub(r" \d+$", "", name) or mistake.get("kind", "mistake")
        found.append(Mistake(answer, " ".join(mistake["message"].split()), kind))
    extra = {"mistakes": tuple(found), "inputs": computed.inputs, "product": computed.product,
             "model": computed.model}
    return make(id=id, **fields, **{key: value for key, value in extra.items() if value is not None})


def _plain(key, value):
    """A field as `Exercise` has it: sentences without the breaks of lines, and tuples instead of lists."""
    if isinstance(value, list):
        return tuple(_plain(key, entry) for entry in value)
    return value if key in ("solution", "question") or not isinstance(value, str) else " ".join(value.split())


def formula(value, positive=""):
    """The meaning of the texts in a value: numbers, or a function that computes SymPy expressions.

    value: text, or lists of texts and numbers. positive: names of the symbols that stand for positive numbers,
    separated by spaces. SymPy is imported only when the function is called.
    """
    names = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", str(value))) - {*_FUNCTIONS, "pi"}
    if not names:
        return _each_text(value, lambda text: evaluate(text, {}, float, "the answer", functions=_FUNCTIONS))

    def computed():
        import sympy

        symbols = {name: sympy.Symbol(name, **({"positive": True} if name in positive.split() else {}))
                   for name in names}
        return _each_text(value, lambda text: sympy.sympify(text, locals=symbols))

    return computed


def _each_text(value, change):
    """The value with each of its texts changed."""
    if isinstance(value, list):
        return [_each_text(entry, change) for entry in value]
    return change(value) if isinstance(value, str) else value
