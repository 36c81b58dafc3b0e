"""Pages of the site for teachers: additional exercises, problems to derive and templates of such, likely mistakes, and
the projects.

`pages` returns them as MyST Markdown; the site's own tools write them. Hints and solutions are folded up.
"""

import json
import re
import textwrap
from pathlib import Path

from rbdlib.exercises.catalogue import exercises_of, notebooks
from rbdlib.exercises.more import FIRST, SHEETS, sheet
from rbdlib.verification.coursework.problems import OWN, load_problems
from rbdlib.verification.coursework.templates import CONVENTIONS, load_templates

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = ROOT / "teaching/projects"
LEVELS = {1: "to begin with", 2: "takes a while", 3: "to think about"}
KINDS = {"value": "numbers", "function": "a function", "word": "a letter"}


def pages():
    """{path below docs/: Markdown} of all generated pages for teachers."""
    made = {"teaching/exercises.md": _overview(), "teaching/mistakes.md": _mistakes(),
            "teaching/problems.md": _problems(), "teaching/templates.md": _templates(),
            "teaching/projects.md": _projects_overview()}
    made |= {f"teaching/exercises/{name}.md": sheet_page(name) for name in SHEETS}
    return made | {f"teaching/projects/{folder.name}.md": project_page(folder) for folder in _projects()}


def _projects():
    return sorted(path.parent for path in PROJECTS.glob("*/brief.md"))


def _toctree(entries):
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```"])


def _folded(title, body):
    """A part that opens when its title is clicked."""
    return f"::::{{dropdown}} {title}\n{body}\n::::"


def _text(declared):
    return textwrap.dedent(declared).strip()


def _number(exercise):
    """The number (int) or letter of the notebook to which an exercise belongs."""
    number = exercise.id.partition(".")[0]
    return int(number) if number.isdecimal() else number


def _notebook_link(number, up):
    name = notebooks()[number]
    return f"[notebook {name.partition('_')[0]}]({up}notebooks/{name}.ipynb)"


def _heading(module):
    """The heading of the notebook to which a module of exercises belongs."""
    text = (ROOT / "notebooks" / f"{module}.ipynb").read_text(encoding="utf-8")
    first = "".join(json.loads(text)["cells"][0]["source"])
    return first.partition("\n")[0].removeprefix("# ").strip()


def _overview():
    rows = [f"| [{title}](exercises/{name}.md) | {', '.join(exercise.id for exercise in sheet(name))} |"
            for name, title in SHEETS.items()]
    count = sum(len(sheet(name)) for name in SHEETS)
    lines = [
        "# More exercises", "",
        f"{count} exercises for homework, beyond those in the notebooks; each is checked as they are. They are "
        f"numbered from {FIRST} on after the notebook to which they belong: 9.53 is the third one for notebook 09. "
        "`question` shows what is asked.", "",
        "```python", "from rbdlib.exercises import check, hint, solution",
        "from rbdlib.exercises.more import question", "", 'question("19.51")',
        'check("19.51", [0.6, 0.5])   # your numbers', "```", "",
        "| sheet | exercises |", "|---|---|", *rows, "",
        "A formula may be handed in as text, in LaTeX or as SymPy, in any form, but without a name and an equals sign "
        "in front of it; several formulas are a list of them. Where a function is asked for, hand in the function "
        "itself. Numbers are written without quotes: `8/7`, not `\"8/7\"`.", "",
        _toctree([f"exercises/{name}" for name in SHEETS]), ""]
    return "\n".join(lines)


def sheet_page(name):
    """The page of one sheet: questions, with hints and worked solutions folded up."""
    return "\n\n".join([f"# {SHEETS[name]}", *(_exercise(exercise) for exercise in sheet(name))]) + "\n"


def _exercise(exercise):
    kind = "a formula" if "*On paper.*" in exercise.question else KINDS[exercise.kind]
    about = (f"Asked for: {kind}; {LEVELS[exercise.level]}. Read again: *{exercise.section}* in "
             f"{_notebook_link(_number(exercise), '../../')}.")
    hints = [_folded(f"Hint {k} to {exercise.id}", _escaped(text)) for k, text in enumerate(exercise.hints, start=1)]
    solution = _folded(f"Solution of {exercise.id}", _text(exercise.solution))
    return "\n\n".join([f"## {exercise.id} · {exercise.title}", _text(exercise.question), about, *hints, solution])


def _problems():
    """The problems that come with the library, as they are given to students."""
    parts = ["# Problems to derive",
             "Twelve problems for `python -m rbdlib grade` come with the library. Each asks for a formula in the "
             "symbols of its text, handed in as text or in LaTeX and in any arrangement. The first line of the file is "
             "`problem:` and the problem's name. Hints are given after wrong tries."]
    for id, problem in sorted(load_problems(OWN).items(), key=lambda item: (item[1].chapter or 0, item[0])):
        about = (f"`{id}`, {problem.points:g} points. RBDA chapter {problem.chapter}; model `{problem.model}`, "
                 f"quantity `{problem.quantity}`.")
        parts += [f"## {problem.title}", about, _escaped(_text(problem.text))]
    return "\n\n".join(parts) + "\n"


def _templates():
    """One example of each template, without its answer."""
    found = load_templates()
    parts = ["# Problems that differ from student to student",
             f"{len(found)} templates from which `python -m rbdlib problems` makes a problem of their own for every "
             "student. Of each one example is shown here; yours depend on your seed.", *map(_escaped, CONVENTIONS)]
    for id, template in sorted(found.items(), key=lambda item: (_place(item[1].source), item[1].difficulty, item[0])):
        about = (f"`{id}`, {template.points:g} points. {template.source}; {LEVELS[template.difficulty]}; "
                 f"{template.variants} variants.")
        example, _ = template.problem("example", "example")
        parts += [f"## {template.title}", about, _escaped(_text(example["text"]))]
    return "\n\n".join(parts) + "\n"


def _place(source):
    """Where "RBDA 11" stands in the order of the texts: after "RBDA 9", before "MBT"."""
    book, _, chapter = source.partition(" ")
    return book != "RBDA", book, int(chapter or 0)


def _mistakes():
    parts = ["# Likely mistakes",
             "What learners get wrong, notebook by notebook, and what they are then told. The answers themselves are "
             "not shown. The word in front is what the report of `grade` calls it."]
    for number, module in notebooks().items():
        lines = [line for exercise in exercises_of(number) for line in _mistakes_of(exercise)]
        parts.append(f"## {_heading(module)}\n\n" + _folded(f"{len(lines)} mistakes", "\n".join(lines)))
    return "\n\n".join(parts) + "\n"


def _mistakes_of(exercise):
    return [f"- **{exercise.id} {exercise.title}** ({mistake.kind}): {_escaped(mistake.message)}"
            for mistake in exercise.mistakes]


def _escaped(text):
    """Plain text as Markdown: stars, underscores and the like are meant as they are."""
    return re.sub(r"([\\*_`$\[\]<>|{}^~])", r"\\\1", text)


def _projects_overview():
    text = (PROJECTS / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\((\w+)/brief\.md\)", r"](projects/\1.md)", text)
    return text + "\n" + _toctree([f"projects/{folder.name}" for folder in _projects()]) + "\n"


def project_page(folder):
    """The page of a project: its brief, with files and rubric folded up."""
    parts = [(folder / "brief.md").read_text(encoding="utf-8").strip(), "## Files"]
    for path in sorted(folder.glob("*.py"), key=lambda path: (path.name == "solution.py", path.name)):
        title = "Reference solution, `solution.py`" if path.name == "solution.py" else f"`{path.name}`"
        code = path.read_text(encoding="utf-8").strip()
        parts.append(_folded(title, f"```python\n{code}\n```"))
    rubric = (folder / "rubric.md").read_text(encoding="utf-8").partition("\n")[2].strip()
    parts.append(_folded("Rubric", rubric))
    return "\n\n".join(parts) + "\n"
