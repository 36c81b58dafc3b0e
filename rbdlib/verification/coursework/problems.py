"""Problems for coursework: TOML files that say what is derived, for which system, for how many points.

    title = "Inertia matrix of a cart with a pole"
    model = "cart_pole"                     # a model of rbdlib, or a TOML file beside this one
    quantity = "H"                          # see rbdlib.verify
    text = "Derive ..."
    given = ["theta = q2"]                  # optional: names and conventions, as for rbdlib.verify
    points = 4                              # optional: 1
    chapter = 6                             # optional
    hints = [{ after = 1, text = "..." }]   # optional: shown after so many wrong tries
    partial = false                         # optional: true; false if only the whole answer is worth points
    weights = [[2, 1], [1, 1]]              # optional: of the entries; [2, 1] of rows
    tries = 3                               # optional: later tries do not count
    penalty = 0.1                           # optional: what each wrong try costs, a share of the points

The name of the file, without .toml, is the problem's id. Twelve problems come with rbdlib, in data/problems. A folder
may hold a folder for each student instead, with the student's own problems, as `templates` makes them.
"""

import re
import reprlib
import tomllib
from collections import namedtuple
from operator import itemgetter
from pathlib import Path

import mpmath
import numpy as np

from rbdlib.book.ch04_model import ModelError
from rbdlib.io.data import data_folder
from rbdlib.verification.coursework.files import BadArgument, model_called, read_file
from rbdlib.verification.meaning.vocabulary import Vocabulary
from rbdlib.verification.mechanics.quantities import find_quantity
from rbdlib.verification.mechanics.states import DIGITS, draw

#: The folder of problems is called so for the problems that come with rbdlib.
OWN = "rbdlib"


class Problem(namedtuple("Problem", "id title model quantity text given points chapter hints partial weights tries "
                         "penalty variants", defaults=((), 1, None, (), True, (), None, None, {}))):
    """A problem, its fields as in the module's docstring. model: a name or a path; hints: pairs (number of wrong tries,
    text); tries, penalty: None where the run says it; variants: {student: Problem}, if each has another one."""

    def of(self, student):
        """The problem that this student has, which for somebody who is not on the roster is None."""
        return self.variants.get(student) if self.variants else self

    def as_dict(self):
        """The problem for the log."""
        return self._asdict() | {"variants": {student: own.as_dict() for student, own in self.variants.items()}}


def problem_folder(name=OWN):
    """The folder of problems with this path; "rbdlib" is that of the problems that come with it."""
    return data_folder("problems") if str(name) == OWN else Path(name)


def load_problems(folder=OWN):
    """The problems of a folder, a dict {id: Problem} in the order of their names. Raises `BadArgument`."""
    path = problem_folder(folder)
    problems = _problems_in(path)
    if not problems and path.is_dir():                     # then there may be a folder for each student
        for own in sorted(path.iterdir()):
            for id, problem in _problems_in(own).items():
                problems.setdefault(id, problem._replace(variants={})).variants[own.name] = problem
    if not problems:
        raise BadArgument(f"There is no problem file in {path}. Name a folder with files such as cart_pole_H.toml.")
    return problems


def _problems_in(path):
    files = sorted(file for file in path.glob("*.toml") if file.is_file()) if path.is_dir() else []
    return {file.stem: load_problem(file) for file in files if "body" not in table_in(file)}       # others are models


def table_in(path):
    """What a TOML file says, a dict. Raises `BadArgument`, a ValueError, if it is none."""
    text = read_file(path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"{path.name} is not a TOML file: {error}.") from None


def load_problem(path):
    """The `Problem` in a file. Raises `BadArgument`, a ValueError, if anything in it cannot be used."""
    path = Path(path)
    table = table_in(path)
    try:
        problem = _problem(path, table)
        model, weights = model_called(problem.model), problem.weights      # there must be such a model and quantity
        vocabulary = Vocabulary(model, problem.given)
        quantity = find_quantity(model, problem.quantity, vocabulary.how)
        if weights:
            _require(quantity.compare == "exact", "the key 'weights' is for entries. Equations may be given in any "
                                                  "order, so each of them counts the same.")
            with mpmath.workdps(DIGITS):
                shape = np.shape(quantity.value(draw(vocabulary.names.system, count=1)[0]))
            _require(np.shape(weights) in (shape, shape[:1]) and np.sum(weights) > 0,
                     f"the key 'weights' has the shape {np.shape(weights)}, but {quantity.title} has the shape {shape}."
                     " Give a number for each entry, or for each row, and not only zeros.")
    except (ValueError, TypeError, ModelError) as error:
        raise BadArgument(f"{path.name}: {error}") from None
    return problem


def _is_number(value, least=0, most=1e6):
    return type(value) in (int, float) and least <= value <= most


def _are_hints(value):
    return isinstance(value, list) and all(
        isinstance(hint, dict) and set(hint) == {"after", "text"} and isinstance(hint["text"], str)
        and isinstance(hint["after"], int) and hint["after"] >= 0 for hint in value)


def _are_weights(value):
    rows = [row if isinstance(row, list) else [row] for row in value] if isinstance(value, list) else [[None]]
    return (all(_is_number(weight) for row in rows for weight in row)
            and len({isinstance(weight, list) and len(weight) for weight in value}) < 2)


REQUIRED = ("title", "model", "quantity", "text")
#: For each key whether a value will do, and what to give in place of one that does not.
KEYS = {
    **dict.fromkeys(REQUIRED, (lambda x: isinstance(x, str) and x.strip(), "text")),
    "given": (lambda x: isinstance(x, (str, list)) and all(isinstance(line, str) for line in x),
              "text or a list of text, such as ['theta2 = q1 + q2']"),
    "points": (_is_number, "a number that is not negative"),
    "chapter": (lambda x: type(x) is int, "a whole number"),
    "hints": (_are_hints, "a list such as [{ after = 1, text = '...' }], where after is the number of wrong tries"),
    "partial": (lambda x: type(x) is bool, "true or false"),
    "weights": (_are_weights, "a list of numbers that are not negative, one for each row, such as [2, 1], or of such "
                              "lists, one number for each entry"),
    "tries": (lambda x: type(x) is int and _is_number(x, 1), "the number of tries that count, at least 1"),
    "penalty": (lambda x: _is_number(x, most=1), "the share of the points that a wrong try costs, from 0 to 1")}


def _problem(path, table):
    _require(re.fullmatch(r"[A-Za-z0-9_-]+", path.stem),
             "the id of a problem, the name of its file, is made of letters, digits, _ and -.")
    for key in (*table, *REQUIRED):
        _require(key in KEYS, f"there is no key {key!r}; the keys are {', '.join(KEYS)}.")
        holds, wanted = KEYS[key]
        said = reprlib.repr(table[key]) if key in table else "missing"
        _require(key in table and holds(table[key]), f"the key {key!r} is {said}; give {wanted}.")
    given, model = table.get("given", []), table["model"]
    return Problem(path.stem, **table | {
        "model": str((path.parent / model).resolve()) if model.endswith(".toml") else model,
        "text": table["text"].strip(), "given": (given,) if isinstance(given, str) else tuple(given),
        "hints": tuple(sorted(((hint["after"], hint["text"]) for hint in table.get("hints", ())), key=itemgetter(0))),
        "weights": tuple(tuple(row) if isinstance(row, list) else row for row in table.get("weights", ()))})


def _require(holds, message):
    if not holds:
        raise BadArgument(message)
