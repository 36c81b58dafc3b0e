"""Tests of otter-grader for the exercises of the notebooks: python -m rbdlib.exercises.otter FOLDER [--only 01 02].

The test of exercise 9.4, exercise_9_4.py, looks at the name answer_9_4 in the learner's notebook. It passes if `grade`
says that this answer is right, and shows the sentence for the learner if not.
"""

import argparse
from pathlib import Path

from rbdlib.exercises.catalogue import exercises_of, notebooks

#: Points by the kind of exercise.
POINTS = {"word": 1, "value": 2, "function": 3}
_CODE = """>>> from rbdlib.exercises import grade
>>> report = grade("{id}", globals().get("{answer}"))
>>> print("right" if report.correct else report.message)
right
"""


def write_otter_tests(folder, only=()):
    """Write a file for each exercise into a folder, which is made if it is not there; returns how many.

    only: numbers of notebooks, as text such as "01" or "A"; all of them if empty. Raises ValueError for others.
    """
    known = {f"{number:02}" if isinstance(number, int) else number: number for number in notebooks()}
    if unknown := sorted(set(only) - set(known)):
        raise ValueError(f"only has {', '.join(unknown)}; the notebooks are {', '.join(known)}.")
    exercises = [exercise for number in only or known for exercise in exercises_of(known[number])]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for exercise in exercises:
        name = exercise.id.replace(".", "_")
        case = {"code": _CODE.format(id=exercise.id, answer=f"answer_{name}"), "hidden": False, "locked": False}
        test = {"name": f"exercise_{name}", "points": POINTS[exercise.kind],
                "suites": [{"type": "doctest", "scored": True, "setup": "", "teardown": "", "cases": [case]}]}
        (Path(folder) / f"exercise_{name}.py").write_text(f"OK_FORMAT = True\n\ntest = {test!r}\n", encoding="utf-8")
    return len(exercises)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m rbdlib.exercises.otter", description=__doc__)
    parser.add_argument("folder", help="where the tests are written, such as tests")
    parser.add_argument("--only", nargs="+", default=(), metavar="NUMBER", help="notebooks, such as 01 02 (all)")
    options = parser.parse_args()
    try:
        print(f"{write_otter_tests(options.folder, options.only)} tests are in {options.folder}.")
    except ValueError as error:
        parser.error(str(error))
