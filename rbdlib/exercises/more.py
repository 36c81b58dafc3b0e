"""Additional exercises for homework: four to a sheet, a sheet for each chapter of the texts, checked like all others.

They are numbered from 51 on after the notebook to which they belong: "9.53" is the third one for notebook 09. `check`,
`hint` and `solution` of `rbdlib.exercises` know them; `question` shows what is asked. They are not counted by
`progress`, which is about the notebooks.
"""

from rbdlib.exercises.catalogue import SHEETS, all_more, find_more, sheet
from rbdlib.exercises.declare import FIRST
from rbdlib.exercises.show import Page, show

__all__ = ["FIRST", "SHEETS", "all_more", "find_more", "question", "sheet"]


def question(id):
    """Show what an additional exercise asks. Raises ValueError if there is none with this id."""
    exercise = find_more(id) if isinstance(id, str) else None
    if exercise is None:
        known = ", ".join(exercise.id for exercise in all_more())
        raise ValueError(f"There is no additional exercise {id!r}. There are {known}. The questions of the others "
                         "stand in the notebooks.")
    show(Page(f"Exercise {exercise.id} · {exercise.title}", exercise.question))
