"""Additional exercises for homework: four to a sheet, a sheet for each chapter of the texts, checked like all others.

They are numbered from 51 on after the notebook to which they belong: "9.53" is the third one for notebook 09. `check`,
`hint` and `solution` of `rbdlib.exercises` know them; `question` shows what is asked. They are not counted by
`progress`, which is about the notebooks.
"""

from rbdlib.exercises.declare import More
from rbdlib.exercises.files import read_exercises, words
from rbdlib.exercises.show import Page, show

#: The first number of an additional exercise; smaller ones stand in the notebooks.
FIRST = 51
#: The sheets in reading order: name of the file in data/exercises/more and title.
SHEETS = words("sheets")


def sheet(name):
    """The tuple of exercises of a sheet. Raises ValueError for a name that is not in `SHEETS`."""
    if name not in SHEETS:
        raise ValueError(f"There is no sheet {name!r}; there are {', '.join(SHEETS)}.")
    return read_exercises(f"more/{name}", More)


def all_more():
    """All additional exercises, sheet by sheet."""
    return tuple(exercise for name in SHEETS for exercise in sheet(name))


def find_more(id):
    """The additional exercise with this id, or None. Nothing is imported for an id below `FIRST`."""
    number = id.partition(".")[2]
    if not number.isdecimal() or int(number) < FIRST:
        return None
    return next((exercise for exercise in all_more() if exercise.id == id), None)


def question(id):
    """Show what an additional exercise asks. Raises ValueError if there is none with this id."""
    exercise = find_more(id) if isinstance(id, str) else None
    if exercise is None:
        known = ", ".join(exercise.id for exercise in all_more())
        raise ValueError(f"There is no additional exercise {id!r}. There are {known}. The questions of the others "
                         "stand in the notebooks.")
    show(Page(f"Exercise {exercise.id} · {exercise.title}", exercise.question))
