"""The instructor's guide names what there is, and the generated pages show all of it, solutions folded up."""

import ast
import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from rbdlib.exercises import grade
from rbdlib.exercises.catalogue import find, notebooks, words
from rbdlib.exercises.more import SHEETS, all_more, sheet
from rbdlib.verification.coursework.problems import load_problems
from rbdlib.verification.coursework.submissions import read_submissions
from tools.teaching.pages import pages

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/teaching/guide.md").read_text(encoding="utf-8")
PAGES = pages()
#: The rows of the plan, lists of cells.
PLAN = [[cell.strip() for cell in line.strip("|").split("|")] for line in GUIDE.splitlines()
        if re.match(r"\| \d+ \|", line)]


def week_of(row):
    """The numbers of the notebooks of a row."""
    return {str(int(n)) if n.isdecimal() else n for n in re.findall(r"\d\d|A", row[2])}


def ids(text):
    """The exercises that a text names; 6.51–6.54 are four of them."""
    found = []
    for number, first, last in re.findall(r"\b(\d\d?|A)\.(\d\d?)(?:–(?:\d\d?|A)\.(\d\d?))?(?![\d.])", text):
        found += [f"{number}.{k}" for k in range(int(first), int(last or first) + 1)]
    return found


def test_the_plan_has_twelve_weeks_and_leaves_no_notebook_and_no_exercise_out():
    assert [int(row[0]) for row in PLAN] == list(range(1, 13))
    further = re.findall(r"^\| week \d+ \|[^|]*\| (\d\d) \|", GUIDE, re.MULTILINE)
    named = further + [number for row in PLAN for number in re.findall(r"\d\d|A", row[2])]
    assert sorted(named) == sorted(f"{n:02}" if isinstance(n, int) else n for n in notebooks())
    assert sorted(id for row in PLAN for id in ids(row[4])) == sorted(exercise.id for exercise in all_more())
    assert all(5 <= int(row[5]) <= 8 for row in PLAN)


def test_exercises_in_class_belong_to_notebooks_of_their_week():
    for row in PLAN:
        assert {id.partition(".")[0] for id in ids(row[3]) + ids(row[4])} <= week_of(row), row[0]
        assert all(find(id) for id in ids(row[3]))


def test_problems_commands_and_files_that_the_guide_names_are_there():
    problems = [name for row in PLAN for name in re.findall(r"`(\w+)`", row[4])]
    assert problems and set(problems) <= set(load_problems("rbdlib"))
    (example,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert {"title", "model", "quantity", "text"} <= set(tomllib.loads(example))
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"make (\w+)", GUIDE)) - {"it"} <= set(targets)
    for target in re.findall(r"\]\(([\w./]+\.md)\)", GUIDE):
        inside = f"teaching/{target}" in PAGES or (ROOT / "docs/teaching" / target).resolve().is_file()
        assert inside or target == "../conventions.md", target


def test_problems_can_be_read_without_opening_the_library():
    """The plan gives them as homework: students must find the text, the name to hand it in under, and no hint."""
    text, problems = " ".join(PAGES["teaching/problems.md"].replace("\\", "").split()), load_problems("rbdlib")
    assert len(problems) == 12
    for id, problem in problems.items():
        assert f"`{id}`, {problem.points:g} point" in text and " ".join(problem.text.split()) in text
        assert not any(hint in text for _, hint in problem.hints)


def test_the_guide_says_how_work_for_grade_is_handed_in(tmp_path):
    """Every kind of submission in the guide's table is read, and gives the student's name and the problem."""
    rows = re.findall(r"^\| `submissions/([\w./]+)` \|", GUIDE, re.MULTILINE)
    assert len(rows) == 3
    (line,) = re.findall(r"`(problem: \w+)`", GUIDE)
    for row in rows:
        file = tmp_path / row
        file.parent.mkdir(exist_ok=True)
        cell = {"cell_type": "markdown", "source": "1", "metadata": {"tags": ["furuta_T"]}}
        file.write_text({".txt": f"{line}\n1\n", ".tex": "1\n"}.get(file.suffix, json.dumps({"cells": [cell]})))
    tries, unread, students = read_submissions(tmp_path, load_problems("rbdlib"))
    assert not unread and students == ["ada", "bob", "eve"]
    assert [(attempt.student, attempt.problem) for attempt in tries] == [(name, "furuta_T") for name in students]


def test_the_settings_for_nbgrader_are_those_that_the_guide_copies():
    assert "cp teaching/nbgrader_config.py course/" in GUIDE
    names = {"get_config": lambda: SimpleNamespace(ClearSolutions=SimpleNamespace()), "c": None}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RBDLIB_PROGRESS", "")
        exec((ROOT / "teaching/nbgrader_config.py").read_text(encoding="utf-8"), names)
    stub = names["c"].ClearSolutions.code_stub["python"]
    assert not ast.parse(stub).body, "the line in place of a solution must not stop a notebook"


def test_what_students_get_wrong_names_exercises_in_every_week():
    part = GUIDE.partition("week by week")[2].partition("## How work")[0]
    weeks = re.split(r"^\d+\. ", part, flags=re.MULTILINE)[1:]
    assert len(weeks) == 12
    for number, (text, row) in enumerate(zip(weeks, PLAN, strict=True), start=1):
        named = re.findall(r"\b(?:\d\d?|A)\.\d\d?\b", text)
        assert named and all(find(id) for id in named), number
        assert {id.partition(".")[0] for id in named} <= week_of(row), number


def test_an_example_of_handing_in_is_not_the_answer():
    """The overview shows how check is called: what it hands in must be wrong."""
    shown = re.findall(r'^check\("([\d.]+)", (\[.*?\])\)', PAGES["teaching/exercises.md"], re.MULTILINE)
    assert shown and not any(grade(id, ast.literal_eval(answer)).correct for id, answer in shown)


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_shows_its_questions_and_folds_hints_and_solutions(name):
    text = PAGES[f"teaching/exercises/{name}.md"]
    open_parts = re.sub(r"^::::\{dropdown\}.*?^::::$", "", text, flags=re.MULTILINE | re.DOTALL)
    for exercise in sheet(name):
        assert f"## {exercise.id} · {exercise.title}" in open_parts
        assert exercise.question.strip().splitlines()[0].strip() in open_parts
        first = exercise.solution.strip().splitlines()[0].strip()
        assert first in text and first not in open_parts
    assert text.count("::::{dropdown}") == sum(len(exercise.hints) + 1 for exercise in sheet(name))
    for link in re.findall(r"\]\(\.\./\.\./(notebooks/\w+\.ipynb)\)", text):
        assert (ROOT / link).is_file()


def test_every_declared_mistake_is_listed_as_plain_text():
    text = PAGES["teaching/mistakes.md"]
    assert text.count("\n- **") > 800
    headings = []
    for module in notebooks().values():
        cells = json.loads((ROOT / "notebooks" / f"{module}.ipynb").read_text(encoding="utf-8"))["cells"]
        headings.append(re.search(r"^# (.*)$", "".join(cells[0]["source"]), re.MULTILINE)[1])
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
    assert not re.search(r"(?<!\\)[_`$]", text.replace("`grade`", "")), "symbols in plain text are escaped"


def test_every_project_has_its_page_with_files_and_rubric():
    for folder in (ROOT / "teaching/projects").glob("*/"):
        if (folder / "brief.md").is_file():
            text = PAGES[f"teaching/projects/{folder.name}.md"]
            assert all(part in text for part in ("`starter.py`", "Reference solution, `solution.py`", "Rubric"))
            assert f"](projects/{folder.name}.md)" in PAGES["teaching/projects.md"]


def test_overviews_lead_to_every_page():
    for path in PAGES:
        inside = path.removeprefix("teaching/").removesuffix(".md")
        if "/" in inside:
            assert inside in PAGES[f"teaching/{inside.partition('/')[0]}.md"]


def openings():
    """The first cell of each notebook, and the numbers of the notebooks that it says to read first."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        text = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
        needed = re.search(r"\*Read first:\*(.*)", text)[1].partition(";")[0]
        yield path.stem.partition("_")[0], text, set(re.findall(r"(?<!\w)\d\d(?![^\W_])", needed))


def test_no_notebook_needs_a_later_one_and_no_path_leaves_out_what_is_needed():
    """Paths also stand in notebook 00 and in the README, with the time that their notebooks take."""
    assert all(needed < number or not number.isdecimal() for number, _, before in openings() for needed in before)
    needed = {number: before for number, _, before in openings()}
    core = {number: [int(n) for n in re.findall(r"about (\d+) minutes", text)][-1] for number, text, _ in openings()}
    for name, path in words("paths").items():
        assert all(needed[number] <= set(path) for number in path), name
        row = f"| `{name}` | {', '.join(path)} | {sum(core[number] for number in path) / 60:.0f} |"
        for shown in ("notebooks/00_start_here.ipynb", "README.md"):
            assert row in (ROOT / shown).read_text(encoding="utf-8"), row
