"""Student and solution versions of a notebook, with the metadata of nbgrader (https://nbgrader.readthedocs.io).

An exercise's cell, ``check("1.1", [None, None])``, becomes two: a *solution cell*, in which the learner writes, and an
*autograder cell*, locked, which asserts that the answer is right and carries the points. Exercises on paper get a third
one, a Markdown cell for the derivation, which the teacher marks. Everything else stays as it is.

In the solution version the answer stands between ``### BEGIN SOLUTION`` and ``### END SOLUTION``, below the learner's
empty place for it. nbgrader's own ``generate_assignment`` removes what is between these lines, and the student version
is left: a solution notebook may serve as the source of an assignment.
"""

import ast
import contextlib
import copy
import io
import os
import tempfile
import textwrap
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from rbdlib.exercises import check
from rbdlib.exercises.catalogue import find
from rbdlib.exercises.compare import is_formula
from rbdlib.exercises.otter import POINTS
from tools.teaching.answers import answer_code

#: Points of a derivation on paper, marked by hand.
PAPER_POINTS = 2
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_PLACE_FOR_DERIVATION = "*Your derivation for exercise {id}: the steps that led to your formula, or a scan of them.*"


@dataclass(frozen=True)
class Found:
    """An exercise's cell: the exercise, the lines before the call of check, the answer as it is written, its name."""

    exercise: object
    before: str
    answer: str
    name: str

    @property
    def label(self):
        """The id in a form that nbgrader accepts in a grade_id."""
        return self.exercise.id.replace(".", "-")


def exercise_in(cell):
    """The `Found` exercise that a code cell leaves open; None if there is none, or if its answer is there already."""
    if cell.cell_type != "code" or "check(" not in cell.source:
        return None
    tree = ast.parse(cell.source)
    last = tree.body[-1]
    call = last.value if isinstance(last, ast.Expr) else None
    if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "check" and len(call.args) == 2):
        return None
    id, answer = call.args
    if not _open(answer, tree.body[:-1]):
        return None
    before = "\n".join(cell.source.splitlines()[: last.lineno - 1]).rstrip()
    exercise = find(id.value)
    named = isinstance(answer, ast.Name)
    name = answer.id if named else "answer_" + exercise.id.replace(".", "_")
    return Found(exercise, before, ast.get_source_segment(cell.source, answer), name)


def _open(answer, statements):
    """Whether an answer still contains a place to fill in: None, an empty text, or a function that does nothing yet."""
    if isinstance(answer, ast.Constant):
        return answer.value in (None, "", ...)
    if isinstance(answer, (ast.List, ast.Tuple)):
        return any(_open(item, statements) for item in answer.elts)
    if isinstance(answer, ast.BinOp):
        return _open(answer.left, statements)
    if isinstance(answer, ast.Name):
        return any(_is_placeholder(statement, answer.id) for statement in statements)
    return False


def _is_placeholder(statement, name):
    if isinstance(statement, ast.FunctionDef) and statement.name == name:
        last = statement.body[-1]
        value = last.value if isinstance(last, (ast.Return, ast.Expr)) else None
        return isinstance(last, ast.Raise) or isinstance(value, ast.Constant) and value.value in (None, ...)
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return any(getattr(target, "id", "") == name for target in targets) and _open(statement.value, ())


def student_version(notebook):
    """A copy with empty places for the answers and without any output. notebook: a NotebookNode, version 4."""
    return _version(notebook, _student_cells, keep_outputs=False)


def solution_version(notebook):
    """A copy in which every exercise is solved; its worked solution is shown below the answer."""
    return _version(notebook, _solution_cells, keep_outputs=True)


def _version(notebook, cells_of, keep_outputs):
    made = copy.deepcopy(notebook)
    made.cells = []
    for cell in notebook.cells:
        found = exercise_in(cell)
        made.cells += cells_of(cell, found) if found else [copy.deepcopy(cell)]
    made.metadata = NotebookNode({key: made.metadata[key] for key in ("kernelspec", "language_info")
                                  if key in made.metadata})
    number = 0
    for cell in made.cells:
        if cell.cell_type == "code":
            number += 1
            if not keep_outputs or "progress()" in cell.source:
                cell.outputs = []
            cell.execution_count = number if keep_outputs else None
    return made


def _student_cells(cell, found):
    place, ask = _asked(found)
    derivation = _derivation(cell, found, _PLACE_FOR_DERIVATION.format(id=found.exercise.id))
    return [_answer_cell(cell, found, place + ask), *derivation, _test_cell(cell, found)]


def _asked(found):
    """The learner's cell in two parts: the empty place for the answer, and the call that checks it."""
    ask = f'check("{found.exercise.id}", {found.name})'
    if found.answer == found.name:
        last = ast.parse(found.before).body[-1]
        return found.before, ("\n\n\n" if isinstance(last, ast.FunctionDef) else "\n") + ask
    place = f"{found.name} = {found.answer}"
    return f"{found.before}\n{place}" if found.before else place, "\n" + ask


def _solution_cells(cell, found):
    exercise = found.exercise
    place, ask = _asked(found)
    answer = answer_code(exercise, found.name) + "\n\n" * (exercise.kind == "function")
    solved = [BEGIN, "from rbdlib.exercises import solution\n", answer, f'solution("{exercise.id}")', END]
    made = _answer_cell(cell, found, "\n".join([place, *solved]) + ask)
    made.outputs = _outputs_of_solution(exercise, made.source)
    text = f"**Exercise {exercise.id}, worked out.**\n\n{_worked(exercise)}"
    return [made, *_derivation(cell, found, text), _test_cell(cell, found)]


def _worked(exercise):
    return textwrap.dedent(exercise.solution).strip()


def _outputs_of_solution(exercise, source):
    """What the cell shows when it is run: the worked solution set as Markdown, and the verdict."""
    names = _Anything()
    code = source.partition(BEGIN)[2].partition('solution("')[0]
    exec(compile(code, f"<exercise {exercise.id}>", "exec"), names)
    answer = next(reversed(names.made.values()))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), _progress_elsewhere():
        check(exercise.id, answer)
    page = f"**Exercise {exercise.id} · {exercise.title}**\n\n{_worked(exercise)}"
    data = {"text/markdown": page, "text/plain": page.replace("**", "")}
    return [new_output("display_data", data=data), new_output("stream", text=printed.getvalue())]


class _Anything(dict):
    """The names of a notebook: NumPy, and the functions for frames that its first cells import."""

    def __init__(self):
        import numpy as np

        from rbdlib.book import ch02_spatial as spatial

        super().__init__(vars(spatial) | {"np": np})
        self.made = {}

    def __setitem__(self, name, value):
        self.made[name] = value
        super().__setitem__(name, value)


@contextlib.contextmanager
def _progress_elsewhere():
    """What is solved here is not remembered as solved by whoever runs this."""
    before = os.environ.get("RBDLIB_PROGRESS")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RBDLIB_PROGRESS"] = os.path.join(folder, "progress.json")
        try:
            yield
        finally:
            os.environ.pop("RBDLIB_PROGRESS")
            if before is not None:
                os.environ["RBDLIB_PROGRESS"] = before


def _answer_cell(cell, found, source):
    made = new_code_cell(source, id=cell.id, metadata=_nbgrader("answer", found, solution=True))
    made.metadata.update({key: value for key, value in cell.metadata.items() if key == "tags"})
    return made


def _derivation(cell, found, text):
    exercise = found.exercise
    if exercise.kind != "value" or not is_formula(exercise):
        return []
    metadata = _nbgrader("derivation", found, solution=True, grade=True, points=PAPER_POINTS)
    return [new_markdown_cell(text, id=_id(cell, "derivation"), metadata=metadata)]


def _test_cell(cell, found):
    """The cell that carries the points. It stops with an error as long as the answer is not right, because that is what
    nbgrader looks for; its tag lets "Run All Cells" go on to the next cell all the same.

    nbgrader takes a warning for an error, and a right function may cause one: np.where(x < 1, np.arccos(x), 0) does.
    """
    id, lines = found.exercise.id, ["from rbdlib.exercises import grade", ""]
    if found.exercise.kind == "function":
        lines = ["import warnings", "", *lines, 'with warnings.catch_warnings(action="ignore"):',
                 f'    report = grade("{id}", {found.name})']
    else:
        lines.append(f'report = grade("{id}", {found.name})')
    lines.append(f'assert report.correct, "Exercise {id}: " + report.message')
    metadata = _nbgrader("test", found, grade=True, locked=True, points=POINTS[found.exercise.kind])
    metadata["tags"] = ["raises-exception"]
    return new_code_cell("\n".join(lines), id=_id(cell, "test"), metadata=metadata)


def _id(cell, suffix):
    """The id of a cell beside another: letters, digits, - and _, at most 64 of them."""
    return f"{cell.id[: 63 - len(suffix)]}-{suffix}"


def _nbgrader(kind, found, grade=False, solution=False, locked=False, points=None):
    """Metadata of nbgrader's schema, version 3."""
    data = {"grade": grade, "solution": solution, "locked": locked, "task": False, "schema_version": 3,
            "grade_id": f"{kind}-{found.label}", "cell_type": "markdown" if kind == "derivation" else "code"}
    return {"nbgrader": data | ({"points": points} if grade else {})}
