"""Where the exercises are found: a file for each notebook, read when one of its exercises is asked for."""

import difflib
import functools

from rbdlib.exercises.files import read_exercises
from rbdlib.exercises.more import find_more
from rbdlib.io.data import data_folder


@functools.cache
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
