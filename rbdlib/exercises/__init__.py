r"""Exercises that check themselves: `check`, `hint`, `solution`, `progress` (and `grade`, which prints nothing).

    from rbdlib.exercises import check, hint, solution, progress
    check("2.3", [0, 0, 1, 0, -2, 0])
    check("0.8", r"m_1 l_1^2 + m_2 (l_1^2 + \ldots)")

An answer is a number, a list, an array, a SymPy expression or matrix, or a function; a formula may also be text or
LaTeX. Answers are data: text is read by a grammar and never evaluated.
"""

import functools

from rbdlib.exercises.catalogue import exercises_of, find, notebooks, words
from rbdlib.exercises.declare import Exercise, Mistake, Report
from rbdlib.exercises.grading import grade, grade_exercise
from rbdlib.exercises.memory import Progress, progress_file
from rbdlib.exercises.show import Page, bar, say, show

__all__ = ["Exercise", "Mistake", "Report", "check", "grade", "hint", "progress", "solution"]


_of_file = functools.cache(Progress)


def _progress():
    """The record of this session in the progress file of the moment."""
    return _of_file(progress_file())


def check(id, answer=None):
    """Say whether an answer is right or, if not, what is wrong with it; from the second wrong answer on with a hint.

    Parameters: ``id`` of the exercise, such as "2.3"; ``answer``, a number, list, array, SymPy expression or matrix,
    text or LaTeX where a formula is asked for, or the function itself where one is. None or ``...``, also for single
    entries, means "no answer yet".
    Returns None; `grade` returns the verdict as an object. Raises ValueError or TypeError for an unknown exercise.
    """
    exercise = find(id)
    report = grade_exercise(exercise, answer)
    name = f"Exercise {exercise.id}:"
    if report.correct:
        _progress().add(exercise.id)
        _progress().attempts.pop(exercise.id, None)
        say(f"{name} {report.message} {exercise.remark}".strip())
    elif report.kind in ("unanswered", "error"):
        say(f"{name} {report.message}")
    else:
        tried = _progress().attempts
        tried[exercise.id] = tried.get(exercise.id, 0) + 1
        say(f"{name} not yet. {report.message}")
        if tried[exercise.id] > 1:
            say(_next_hint(exercise))
    _say_notices()


def hint(id):
    """Print the next hint for an exercise; each gives away more than the one before. Raises as `check` does."""
    exercise = find(id)
    say(f"Exercise {exercise.id}. {_next_hint(exercise)}")


def solution(id):
    """Show the worked solution of an exercise, set in a notebook and printed elsewhere. Raises as `check` does."""
    exercise = find(id)
    show(Page(f"Exercise {exercise.id} · {exercise.title}", exercise.solution))


def progress(path=None):
    """Print, for each notebook, how many of its exercises are solved.

    path: the name of a path through the course, such as "weekend" (notebook 00 lists them), to see its notebooks alone.
    Raises ValueError for any other name.
    """
    named = words("paths")
    if path is not None and path not in named:
        raise ValueError(f"There is no path {path!r} through the course. There are {', '.join(named)}.")
    solved, rows = _progress().solved(), []
    for number, notebook in notebooks().items():
        if path is None or notebook.partition("_")[0] in named[path]:
            ids = [exercise.id for exercise in exercises_of(number)]
            rows.append((notebook.replace("_", " "), sum(id in solved for id in ids), len(ids)))
    rows.append((path or "all notebooks", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    width = max(len(name) for name, _, _ in rows)
    for name, done, total in rows:
        print(f"{name:<{width}}  {bar(done, total)}  {done} of {total}")
    _say_notices()


def _next_hint(exercise):
    shown = _progress().hints
    given = shown.get(exercise.id, 0)
    if given >= len(exercise.hints):
        return f'There are no more hints; solution("{exercise.id}") shows the worked solution.'
    shown[exercise.id] = given + 1
    section = f' (Read again: "{exercise.section}".)' if exercise.section and given == 0 else ""
    return f"Hint {given + 1} of {len(exercise.hints)}: {exercise.hints[given]}{section}"


def _say_notices():
    while notices := _progress().notices:
        say(notices.pop(0))
