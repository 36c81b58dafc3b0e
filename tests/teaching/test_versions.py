"""Student and solution versions of the notebooks: what nbgrader needs, what is removed, and what is right."""

import ast
import contextlib
import copy
import functools
import re
import warnings
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from rbdlib.exercises import Exercise
from tools.teaching.__main__ import main
from tools.teaching.answers import NoAnswer, answer_code
from tools.teaching.versions import BEGIN, END, _Anything, exercise_in, solution_version, student_version

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: The documented keys of nbgrader's metadata, schema version 3, and their types.
SCHEMA = {"grade": bool, "solution": bool, "locked": bool, "task": bool, "grade_id": str, "schema_version": int,
          "cell_type": str}


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


@functools.cache
def versions(path):
    return student_version(read(path)), solution_version(read(path))


def graded(notebook, kind=""):
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith(kind)
            and "nbgrader" in cell.metadata]


#: Every other notebook; the rest are for `make test-long`.
@pytest.fixture(params=[pytest.param(path, marks=[pytest.mark.long] * (k % 2)) for k, path in enumerate(NOTEBOOKS)],
                ids=lambda path: path.stem)
def path(request):
    return request.param


def test_the_metadata_keeps_to_the_schema_of_nbgrader(path):
    for notebook in versions(path):
        nbformat.validate(notebook)
        cells = graded(notebook)
        for cell in cells:
            data = cell.metadata.nbgrader
            assert {key: type(value) for key, value in data.items() if key != "points"} == SCHEMA
            assert (data.schema_version, data.cell_type) == (3, cell.cell_type)
            assert re.fullmatch(r"[A-Za-z0-9_-]+", data.grade_id) and ("points" in data) == data.grade
            assert cell.cell_type == "code" or (data.grade and data.solution)
            assert data.solution != data.locked
        ids = [cell.metadata.nbgrader.grade_id for cell in cells]
        assert len(set(ids)) == len(ids)


def test_nbgrader_itself_accepts_them_all_and_removes_the_solutions():
    formats = pytest.importorskip("nbgrader.nbgraderformat", reason="pip install nbgrader lets it check this itself")
    from nbgrader.preprocessors import ClearSolutions

    for path in NOTEBOOKS:
        for notebook in versions(path):
            formats.MetadataValidator().validate_nb(notebook)
        cleared, _ = ClearSolutions().preprocess(copy.deepcopy(versions(path)[1]), {})
        assert not any(BEGIN in cell.source or "solution(" in cell.source for cell in graded(cleared, "answer"))


def test_both_versions_ask_the_same_and_are_tested_by_the_same_cells(path):
    """An autograder replaces the locked cells of what is handed in by those of the source: they must be the same."""
    student, solution = versions(path)
    assert [cell.id for cell in student.cells] == [cell.id for cell in solution.cells]
    for asked, solved in zip(student.cells, solution.cells, strict=True):
        assert asked.metadata.get("nbgrader") == solved.metadata.get("nbgrader")
        if not asked.metadata.get("nbgrader", {}).get("solution"):
            assert asked.source == solved.source
    for asked, solved in zip(graded(student, "answer"), graded(solution, "answer"), strict=True):
        left = re.sub(f"\n{BEGIN}.*{END}", "", solved.source, flags=re.DOTALL)
        assert left == asked.source, "what nbgrader leaves of a solution is the student version"
        assert solved.source.count(BEGIN) == solved.source.count(END) == 1
    original = [cell.source for cell in read(path).cells if not exercise_in(cell)]
    assert [cell.source for cell in student.cells if "nbgrader" not in cell.metadata] == original
    assert len(graded(student, "test")) == len(read(path).cells) - len(original) >= 5


def test_every_answer_of_the_solution_version_passes_its_test_cell(path):
    _, solution = versions(path)
    for answer, test in zip(graded(solution, "answer"), graded(solution, "test"), strict=True):
        names = _Anything()
        exec(answer.source.partition(BEGIN)[2].partition('solution("')[0], names)
        exec(test.source, names)
        assert answer.outputs[0].data["text/markdown"].startswith("**Exercise ")
        assert re.match(r"Exercise \S+: right\.", answer.outputs[1].text)


def test_a_right_function_that_causes_a_warning_is_right():
    """nbgrader gives no points to a cell that has written anything to stderr, and so do warnings."""
    (path,) = (path for path in NOTEBOOKS if path.stem.startswith("08"))
    (test,) = graded(versions(path)[0], "test-8-7")

    def tilt(rate, l, g):
        x = 1.5 * g / (l * rate**2)
        return np.where(x < 1, np.arccos(x), 0.0)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tilt(0.1, 1.0, 9.81)
        assert caught, "otherwise this test is about nothing"
        caught.clear()
        exec(test.source, {"tilt": tilt})
        assert not caught


def test_the_student_version_fails_every_test_cell_shows_no_output_and_can_be_run(path):
    """Locked test cells stop with an error, for nbgrader; they bear the tag that lets the others be run."""
    for notebook in versions(path):
        assert all(cell.metadata.tags == ["raises-exception"] for cell in graded(notebook, "test"))
    student, _ = versions(path)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in student.cells)
    for answer, test in zip(graded(student, "answer"), graded(student, "test"), strict=True):
        names = _Anything()
        *statements, call = ast.parse(answer.source).body
        assert call.value.func.id == "check", "check says it in a sentence and raises nothing"
        for statement in statements:
            with contextlib.suppress(NameError):                # what earlier cells of the notebook define
                exec(ast.unparse(statement), names)
        with pytest.raises(AssertionError, match="no answer yet"):
            exec(test.source, names)


def test_no_answer_is_left_anywhere_in_the_student_version(path):
    """Neither in texts nor in metadata; what the notebook itself says about an answer is there for all to read."""
    student, solution = versions(path)
    original = "\n".join(cell.source for cell in read(path).cells)
    for cell in graded(solution, "answer"):
        answer = cell.source.partition("import solution\n")[2].partition('\nsolution("')[0].strip()
        value = answer.partition(" = ")[2] if "\n" not in answer else answer
        if len(value) > 12 and value not in original:
            assert value not in "\n".join(other.source for other in student.cells), value
    for cell in student.cells:
        assert set(cell.metadata) <= {"nbgrader", "tags", "rbdlib", "cellView", "jupyter"} and "attachments" not in cell
        assert BEGIN not in cell.source and ", worked out.**" not in cell.source


def test_answers_that_are_there_already_are_no_exercise():
    for source in ('check("0.2", 5)', 'answer = 3\ncheck("0.2", answer)', "check", 'print(check("0.2", None))'):
        assert exercise_in(new_code_cell(source)) is None
    assert exercise_in(new_code_cell('check("0.2", None)')).name == "answer_0_2"
    assert exercise_in(new_code_cell('x = ...\ncheck("0.2", x)')).name == "x"


def test_what_a_learner_solves_is_not_marked_as_solved_by_making_the_versions(tmp_path, monkeypatch):
    monkeypatch.setenv("RBDLIB_PROGRESS", str(tmp_path / "progress.json"))
    solution_version(new_notebook(cells=[new_code_cell('check("0.2", None)')]))
    assert not list(tmp_path.iterdir())


def test_the_command_writes_both(tmp_path, capsys):
    assert main(["--only", "01", "--out", str(tmp_path)]) == 0
    assert "1 notebooks with 9 exercises" in capsys.readouterr().out
    assert [str(file.relative_to(tmp_path)) for file in sorted(tmp_path.rglob("*.ipynb"))] == [
        "solution/01_particle.ipynb", "student/01_particle.ipynb"]
    assert main(["--only", "77", "--out", str(tmp_path)]) == 2
    assert "--only 77: there is no such notebook" in capsys.readouterr().err


def test_a_function_that_cannot_be_shown_is_named():
    hidden = 3
    exercise = Exercise(id="9.77", title="A test", reference=lambda x: hidden * x, solution="None.", mistakes=(),
                        hints=(), kind="function", inputs=lambda rng: (1.0,))
    with pytest.raises(NoAnswer, match="exercise 9.77 .* rbdlib/exercises/computed"):
        answer_code(exercise, "f")
