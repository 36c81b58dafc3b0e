"""Where the exercises are found: a file for each notebook or sheet of homework, read when one of them is asked for.

Their texts and plain answers are data, `data/exercises/*.toml`; answers that take a computation stand under the same
number in `rbdlib.exercises.computed`.
"""

import difflib
import math
import re
import tomllib
from functools import cache

from rbdlib.exercises.computed import ANSWERS
from rbdlib.exercises.computed.draws import STEPS
from rbdlib.exercises.declare import Computed, Exercise, Mistake
from rbdlib.io.data import data_folder
from rbdlib.io.model_file.expressions import evaluate

#: The functions in answers; names other than theirs and pi are symbols.
_FUNCTIONS = {name: getattr(math, name) for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "cbrt", "exp", "log", "degrees")}


@cache
def read_exercises(name):
    """The exercises of the file ``data/exercises/{name}.toml``, a tuple.

    Raises ValueError, naming the exercise, where a declaration contradicts itself, and KeyError for a mistake that is
    computed nowhere.
    """
    entries = tomllib.loads((data_folder("exercises") / f"{name}.toml").read_text(encoding="utf-8"))
    return tuple(_exercise(id, entry, ANSWERS.get(id, Computed())) for id, entry in entries.items())


@cache
def words(table):
    """A table of ``data/exercises/words/feedback.toml``, such as "sheets" or "matrices", a dictionary."""
    return tomllib.loads((data_folder("exercises") / "words/feedback.toml").read_text(encoding="utf-8"))[table]


def _exercise(id, entry, computed):
    """An exercise of what the file says about it and of what is computed."""
    positive = entry.pop("positive", "")
    as_answer = (lambda value: value) if entry.get("kind") == "word" else (lambda value: formula(value, positive))
    mistakes = entry.pop("mistakes")
    named = {mistake["computed"] for mistake in mistakes if "computed" in mistake}
    if named != computed.mistakes.keys():
        raise ValueError(f"Exercise {id}: the computed mistakes are called {sorted(computed.mistakes)}, "
                         f"but in the file {sorted(named)}.")
    found = []
    for mistake in mistakes:
        name = mistake.get("computed", "")                 # "sign 2" is the second of the kind sign
        if "otherwise" in mistake:
            answer = computed.otherwise(**{name: STEPS[step] for name, step in mistake["otherwise"].items()})
        elif "instead" in mistake:
            answer = computed.instead(mistake["instead"])
        else:
            answer = computed.mistakes[name] if name else as_answer(mistake["answer"])
        kind = re.sub(r" \d+$", "", name) or mistake.get("kind", "mistake")
        found.append(Mistake(answer, _one_line(mistake["message"]), kind))
    fields = {key: _each_text(value, str if key in ("solution", "question") else _one_line, tuple)
              for key, value in entry.items()} | {"mistakes": tuple(found), "id": id}
    fields["reference"] = as_answer(entry["reference"]) if "reference" in entry else computed.reference
    extra = {"inputs": computed.inputs, "product": computed.product, "model": computed.model}
    return Exercise(**fields, **{key: value for key, value in extra.items() if value is not None})


def _one_line(text):
    return " ".join(text.split())


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

        symbols = {name: sympy.Symbol(name, positive=name in positive.split() or None) for name in names}
        return _each_text(value, lambda text: sympy.sympify(text, locals=symbols))

    return computed


def _each_text(value, change, kind=list):
    """The value with each of its texts changed, and its lists made of this kind."""
    if isinstance(value, list):
        return kind(_each_text(entry, change, kind) for entry in value)
    return change(value) if isinstance(value, str) else value


#: The sheets in reading order: name of the file in data/exercises/more and title.
SHEETS = words("sheets")


def sheet(name):
    """The tuple of exercises of a sheet. Raises ValueError for a name that is not in `SHEETS`."""
    if name not in SHEETS:
        raise ValueError(f"There is no sheet {name!r}; there are {', '.join(SHEETS)}.")
    return read_exercises(f"more/{name}")


def all_more():
    """All additional exercises, sheet by sheet."""
    return tuple(exercise for name in SHEETS for exercise in sheet(name))


def find_more(id):
    """The additional exercise with this id, or None."""
    return next((exercise for exercise in all_more() if exercise.id == id), None)


@cache
def notebooks():
    """The notebooks that have exercises, in reading order: {number (int), or letter of an appendix: name}."""
    names = sorted(path.stem for path in data_folder("exercises").glob("*.toml"))
    return {_number(name, "_"): name for name in names}


def _number(text, sign="."):
    """The number of a notebook, with which a text begins, as an int; the letter of an appendix as it is."""
    start = text.partition(sign)[0]
    return int(start) if start.isdecimal() else start


def exercises_of(number):
    """The tuple of exercises of the notebook with this number (int) or letter."""
    return read_exercises(notebooks()[number])


def all_exercises():
    """Every declared exercise, in reading order."""
    return tuple(exercise for number in notebooks() for exercise in exercises_of(number))


def find(id):
    """The exercise with this id, such as "2.3".

    Raises TypeError if id is not text, and ValueError, naming near matches, if there is no such exercise.
    """
    if not isinstance(id, str):
        example = id if isinstance(id, (int, float)) else "2.3"
        raise TypeError(f'The number of an exercise is written in quotes, as in check("{example}", answer): '
                        f"2.1 and 2.10 are the same number, but two exercises. It was a {type(id).__name__}.")
    name = id.strip()
    number = _number(name)
    same = exercises_of(number) if number in notebooks() else ()
    if found := next((exercise for exercise in same if exercise.id == name), None) or find_more(name):
        return found
    message = f"There is no exercise {name[:20]!r}."
    if same:
        raise ValueError(f"{message} This notebook has {', '.join(exercise.id for exercise in same)}.")
    known = [exercise.id for exercise in all_exercises()]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    raise ValueError(f"{message} Did you mean {' or '.join(near)}?" if near else
                     f"{message} There are {', '.join(known)}.")
