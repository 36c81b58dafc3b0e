"""The notebooks show what the code really does, in cells that fit the page.

`make test` runs every notebook under nbval, which compares the new outputs of each cell, as far as they are text, with
the saved ones; pictures and tracebacks it does not compare. The tests below close the gaps: every cell has been run, in
order; a cell that asks to be left out, by a tag or by a comment such as # NBVAL_IGNORE_OUTPUT, says why in its metadata
{"rbdlib": {"excluded_because": "A sentence."}}; a cell that draws asserts something; no output names a machine.
"""

import ast
import base64
import dis
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import CodeType

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NAME = re.compile(r"(\d\d|[A-Z])_[a-z0-9]+(_[a-z0-9]+)*\.ipynb")
MAY_RAISE = {"nbval-raises-exception", "raises-exception"}
EXCLUDING = {"nbval-ignore-output", "pytest-validate-ignore-output", "nbval-skip", *MAY_RAISE}
MACHINE = re.compile(r"(?<![\w.:/])/(?:home|root|Users|tmp|var|usr|opt|mnt|private|work|workspace)/[\w.]"
                     r"|[A-Za-z]:\\+Users\\|site-packages|ipykernel_\d+|\bat 0x[0-9a-fA-F]{4,}")
EMBEDDED_DATA = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=\s\\n]+")
EXERCISES_WANTED = 5
#: Metadata that fold a cell in Colab, in JupyterLab, and on the site. What only draws or checks is folded.
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
#: What other texts write for H, spatial vectors, X*, S, τ and vectors in general, and the notebooks that speak of them.
DIALECTS = {r"\bM\s*(\(q\)|\(\\theta\)|\\ddot)|\\mathcal\s*M": "07 12 13 27", r"\\(ddot|dot)\s*\\beta": "13 28",
            r"\\hat\s*\{?[afhv]\b": "00 01 04", r"\b[It]\^\*|_\{-1\}": "01", r"\bQ_i\b|\bQ\s*=": "01 07",
            r"\\mathbf\{?[A-Za-z]|\\boldsymbol|\\bm\b": ""}


def code_cells(notebook):
    """The code cells as (number, cell), numbered from 1."""
    return list(enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1))


def exclusions(cell):
    """The tags and comments that keep nbval from comparing a cell, in the spelling of the tags."""
    comments = {line.strip().lstrip("#").strip() for line in cell.source.splitlines() if line.strip().startswith("#")}
    words = {comment.lower().replace("_", "-") for comment in comments if comment.isupper()}
    return sorted(EXCLUDING & (words | set(cell.metadata.get("tags", []))))


def reason(cell):
    return cell.metadata.get("rbdlib", {}).get("excluded_because", "")


def calls(cell):
    """The calls in a cell as (name of the function, first argument if it is a constant)."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in cell.source.splitlines()]
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            yield name, node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None


def texts(output):
    """Everything textual that an output shows, embedded pictures taken out."""
    parts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    parts += [str(content) for kind, content in output.get("data", {}).items() if not kind.startswith("image/")
              or kind == "image/svg+xml"]
    return EMBEDDED_DATA.sub("", "\n".join(parts))


def pictures(cell):
    return [output for output in cell.outputs if "image/png" in output.get("data", {})]


def form_problems(notebook):
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        yield f"is not a valid notebook: {error.message}"
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        yield f"is saved for the kernel {kernel!r}; choose Python 3 (ipykernel), which is named 'python3'"


def run_problems(notebook):
    for number, cell in code_cells(notebook):
        if not cell.source.strip():
            yield f"code cell {number} is empty"
        if cell.execution_count != number:
            yield f"code cell {number} has execution count {cell.execution_count}: restart, run all cells, save"
        for output in cell.outputs:
            if output.output_type == "error" and not MAY_RAISE & set(exclusions(cell)):
                yield f"code cell {number} ended in {output.get('ename')}: {output.get('evalue')}"
            if output.get("name") == "stderr":
                yield f"code cell {number} shows a warning or another message on stderr: {output.text.strip()[:80]}"
            found = MACHINE.search(texts(output)) or str(ROOT) in texts(output)
            if found:
                place = str(ROOT) if found is True else found.group()
                yield f"code cell {number} shows '{place}', which another machine will not show"


def exclusion_problems(notebook):
    for number, cell in code_cells(notebook):
        if exclusions(cell):
            if len(reason(cell).split()) < 4 or not reason(cell).endswith("."):
                yield (f"code cell {number} is left out by {', '.join(exclusions(cell))}, and its metadata gives no "
                       f"reason: set rbdlib.excluded_because to a sentence, not {reason(cell)!r}")
        elif reason(cell):
            yield f"code cell {number} gives a reason for being left out, but it is compared: remove the reason"


def teaching_problems(notebook):
    cells = code_cells(notebook)
    made = [call for _, cell in cells for call in calls(cell)]
    exercises = {argument for name, argument in made if name in ("check", "verify")}
    if len(exercises) < EXERCISES_WANTED:
        yield f"has {len(exercises)} different check(...) or verify(...) calls, and needs {EXERCISES_WANTED} or more"
    if not any(name == "explore" for name, _ in made):
        yield "has no explore(...): one control must change a figure"
    if not any(pictures(cell) for _, cell in cells):
        yield "has no saved picture (image/png)"
    for number, cell in cells:
        if pictures(cell) and not re.search(r"\bassert", cell.source):
            yield f"code cell {number} draws a picture, which is not compared, and asserts nothing about what it shows"


def page_problems(notebook):
    for number, cell in code_cells(notebook):
        lines, widest = cell.source.splitlines(), max(map(len, cell.source.splitlines()), default=0)
        if len(lines) > 25 or widest > 90:
            yield f"code cell {number} has {len(lines)} lines of up to {widest}; a page has room for 25 of 90"
        if cell.source.startswith("# @title ") != (FOLDED.items() <= cell.metadata.items()):
            yield f"code cell {number} is folded or has a title, and needs both"


def problems(notebook):
    """What is wrong with a notebook, one sentence each; a malformed one is not looked into any further."""
    rules = (run_problems, exclusion_problems, teaching_problems, page_problems)
    return list(form_problems(notebook)) or [problem for rule in rules for problem in rule(notebook)]


def numbering_problems(names):
    """What is wrong with the file names of the notebooks, given in alphabetical order."""
    found = [f"{name}: a notebook is called NN_topic.ipynb, an appendix A_topic.ipynb" for name in names
             if not NAME.fullmatch(name)]
    begins = [match[1] for match in map(NAME.fullmatch, names) if match]
    numbers, letters = [int(x) for x in begins if x.isdecimal()], [x for x in begins if not x.isdecimal()]
    if letters != [chr(ord("A") + k) for k in range(len(letters))]:
        found.append(f"the appendices are lettered {letters}; they must run A, B ... without a gap or a repeat")
    if numbers != list(range(len(numbers))):
        found.append(f"the notebooks are numbered {numbers}; they must run 0, 1, 2 ... without a gap or a repeat")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    assert problems(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_other_texts_notation_stays_in_the_notebooks_about_them_and_sentences_begin_with_their_subject(path):
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    assert not re.findall(r"(?:^|[.!?]\s+)Who(?:ever)?\b[^.?!]*[.!]", "\n".join(cells), re.MULTILINE)
    formulas = " ".join(re.findall(r"\$\$.*?\$\$|\$[^$]+\$", "\n\n".join(cells), re.DOTALL))
    found = {pattern: re.findall(pattern, formulas) for pattern, home in DIALECTS.items() if path.name[:2] not in home}
    assert not any(found.values()), found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_operations_are_counted_in_the_notebooks_about_counting_alone(path):
    code = "\n".join(cell.source for _, cell in code_cells(nbformat.read(path, as_version=4)))
    machinery = re.findall(r"\bcount_operations\b|analysis(?:\.| import )complexity|numbers\.counted|\bflops\b", code)
    assert path.name[:2] in "24 25 A_" or not machinery, machinery


def test_saved_pictures_have_few_colours():
    """`make notebooks` saves them so, in a third of the room; the byte is PNG's colour type."""
    for path in NOTEBOOKS:
        cells = code_cells(nbformat.read(path, as_version=4))
        saved = [output.data["image/png"] for _, cell in cells for output in pictures(cell)]
        assert all(base64.b64decode(png[:48])[25] == 3 for png in saved), f"make notebooks ARGS=notebooks/{path.name}"


def test_the_notebooks_are_numbered_in_reading_order():
    assert NOTEBOOKS and numbering_problems([path.name for path in NOTEBOOKS]) == []


def test_every_cell_that_is_left_out_is_listed():
    """The list itself is printed in pytest's summary of warnings, so that no run hides it."""
    left_out = [f"{path.name}, code cell {number} ({', '.join(exclusions(cell))}): {reason(cell) or 'NO REASON'}"
                for path in NOTEBOOKS for number, cell in code_cells(nbformat.read(path, as_version=4))
                if exclusions(cell)]
    if left_out:
        warnings.warn("Not compared by nbval:\n" + "\n".join(left_out), stacklevel=1)
    assert [line for line in left_out if line.endswith("NO REASON")] == []


def notebook_with(*cells):
    """A notebook of code cells (source, printed text), run in order."""
    made = [new_code_cell(source, execution_count=number, outputs=[new_output("stream", text=text)] if text else [])
            for number, (source, text) in enumerate(cells, start=1)]
    return new_notebook(cells=made, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def good_notebook():
    """A small notebook with no problem: five exercises, a control, a picture, everything run in order."""
    exercises = [(f'check("0.{k}", None)', f"Exercise 0.{k}: no answer yet.\n") for k in range(1, 6)]
    made = notebook_with(*exercises, ("from rbdlib.draw import explore\nexplore(f, q=(0, 1, 0.1, 0.5))\nassert 1", ""))
    add_output("display_data", data={"image/png": "aGVsbG8=", "text/plain": "<Figure>"})(made)
    return made


def last(notebook):
    return notebook.cells[-1]


def add_output(kind, **parts):
    return lambda notebook: last(notebook).outputs.append(new_output(kind, **parts))


def printed(text, name="stdout"):
    return add_output("stream", text=text, name=name)


def leave_out(tag, because=None):
    more = {} if because is None else {"rbdlib": {"excluded_because": because}}
    return lambda notebook: last(notebook).metadata.update(tags=[tag], **more)


def set_source(source, cell=-1):
    return lambda notebook: notebook.cells[cell].update(source=source)


ERROR = add_output("error", ename="ValueError", evalue="no", traceback=[])
BAD = {
    "invalid": (lambda n: n.cells[1].pop("source"), "is not a valid notebook"),
    "other kernel": (lambda n: n.metadata.kernelspec.update(name="my-env"), "is saved for the kernel 'my-env'"),
    "never run": (lambda n: last(n).update(execution_count=None), "code cell 6 has execution count None"),
    "out of order": (lambda n: n.cells[1].update(execution_count=9), "code cell 2 has execution count 9"),
    "empty": (set_source("  \n"), "code cell 6 is empty"),
    "error": (ERROR, "ended in ValueError"),
    "stderr": (printed("DeprecationWarning: old", name="stderr"), "on stderr: DeprecationWarning"),
    "home folder": (printed("reading /home/ada/book/model.toml"), "shows '/home/a'"),
    "windows folder": (printed(r"reading C:\Users\Ada\book"), "shows 'C:\\Users\\'"),
    "checkout": (printed(f"saved in {ROOT}"), "which another machine will not show"),
    "address": (printed("<Model object at 0x7f3a9c1d>"), "shows 'at 0x7f3a9c1d'"),
    "path in html": (add_output("display_data", data={"text/html": "<a href='/tmp/x'>"}), "shows '/tmp/x'"),
    "tag without reason": (leave_out("nbval-ignore-output"), "is left out by nbval-ignore-output, and its metadata"),
    "one-word reason": (leave_out("nbval-skip", "slow."), "not 'slow.'"),
    "comment": (set_source("# NBVAL_SKIP\ncheck('0.1', None)", 0), "is left out by nbval-skip"),
    "stale reason": (lambda n: last(n).metadata.update(rbdlib={"excluded_because": "Clocks."}), "remove the reason"),
    "four exercises": (set_source("1 + 1", 1), "has 4 different check(...) or verify(...) calls"),
    "one exercise twice": (set_source('check("0.1", 2)', 1), "has 4 different check"),
    "title of an open cell": (set_source("# @title A picture\nassert 1"), "code cell 6 is folded or has a title"),
    "wide": (set_source("# @title " + "A" * 82), "code cell 6 has 1 lines of up to 91"),
    "no control": (set_source("assert True"), "has no explore(...)"),
    "no picture": (lambda n: last(n).outputs.clear(), "has no saved picture"),
    "picture asserts nothing": (set_source("explore(picture)"), "asserts nothing about what it shows")}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_notebook_is_caught(name):
    change, expected = BAD[name]
    notebook = good_notebook()
    change(notebook)
    assert any(expected in problem for problem in problems(notebook)), problems(notebook)


def test_a_good_notebook_harmless_texts_and_a_cell_left_out_with_a_reason_are_no_problem():
    for text in ("fine", "a/tmp/b", "1/home", "the plane x/y", "https://example.org/usr/x",
                 "https://example.org:80/home/x", "<img src='data:image/png;base64,AAA/tmp/home/usr/AAAA=='>"):
        notebook = good_notebook()
        printed(text)(notebook)
        assert problems(notebook) == [], text
    leave_out("raises-exception", "The message is the point, and its traceback names a file.")(notebook)
    ERROR(notebook)
    assert problems(notebook) == [] and exclusions(last(notebook)) == ["raises-exception"]


@pytest.mark.parametrize(("names", "expected"), [
    (["00_start_here.ipynb", "02_spatial.ipynb"], "numbered [0, 2]"),
    (["00_start_here.ipynb", "00_again.ipynb"], "numbered [0, 0]"),
    (["00_start_here.ipynb", "Untitled.ipynb"], "Untitled.ipynb: a notebook is called"),
    (["00_start_here.ipynb", "B_units.ipynb"], "lettered ['B']"),
    (["00_Start Here.ipynb"], "00_Start Here.ipynb: a notebook is called")])
def test_a_bad_numbering_is_caught(names, expected):
    assert any(expected in problem for problem in numbering_problems(names))


@pytest.mark.slow
def test_nbval_runs_with_the_settings_of_this_project(tmp_path):
    """A changed output is seen, a figure is shown, and no notebook meets the progress that another one left."""
    read = "import os, pathlib\nfile = pathlib.Path(os.environ['RBDLIB_PROGRESS'])\nprint(file.exists())"
    write = ("_ = file.write_text('solved')", "")
    for place in ("notebooks/conftest.py", "tools/notebook_kernels.py"):
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text((ROOT / place).read_text())
    first = notebook_with((read, "False\n"), write, ("from matplotlib import pyplot\n_ = pyplot.plot([1, 2])", ""))
    first.cells[-1].outputs = [new_output("display_data", {"text/plain": "<Figure size 640x480 with 1 Axes>"})]
    nbformat.write(first, tmp_path / "notebooks/00_first.ipynb")
    changed = ("x = 2\nprint(x)", "1\n"), ("print(x)", "2\n")
    nbformat.write(notebook_with((read, "False\n"), *changed), tmp_path / "notebooks/01_second.ipynb")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "--nbval",
               "--nbval-current-env", "-rA", "--color=no", "."]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    outcomes = {cell: word for word, cell in re.findall(r"^(FAILED|PASSED) \S+/(\S+::Cell \d)", report, re.M)}
    assert outcomes == {f"{name}.ipynb::Cell {k}": "FAILED" if (name, k) == ("01_second", 1) else "PASSED"
                        for name in ("00_first", "01_second") for k in range(3)}, report


# A slider still works when the cells below it have run: what its function looks up has not got another meaning.

def stored(code):
    """The names to which a cell gives a meaning."""
    return {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}


def looked_up(code):
    """The global names that a function and the functions in it look up when they are called."""
    inner = (looked_up(part) for part in code.co_consts if isinstance(part, CodeType))
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return own.union(*inner)


def explored(source):
    """The functions that a cell gives to draw.explore, by name."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    return {call.args[0].id for call in calls if getattr(call.func, "attr", "") == "explore"
            and isinstance(call.args[0], ast.Name)}


def lost_names(sources):
    """(function, name, cell) of every name that the function of a slider needs and a later cell, from 0, replaces."""
    cells = [compile(source, "cell", "exec") for source in sources]
    lost, given = [], [stored(cell) for cell in cells]
    for number in (number for number, source in enumerate(sources) if "explore" in source):
        functions = {part.co_name: part for cell in cells[:number + 1] for part in cell.co_consts
                     if isinstance(part, CodeType) and part.co_name.isidentifier()}
        for start in explored(sources[number]):
            needed, waiting = set(), [start]
            while waiting:
                name = waiting.pop()
                if name not in needed:
                    needed.add(name)
                    waiting += looked_up(functions[name]) if name in functions else ()
            lost += [(start, name, later) for later in range(number + 1, len(cells))
                     for name in sorted(needed & given[later])]
    return lost


@pytest.mark.slow
def test_no_later_cell_takes_a_name_from_a_slider_and_a_name_that_is_taken_is_found():
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        assert lost_names([cell.source for cell in cells if cell.cell_type == "code"]) == [], path.name
    slider = "def turn(angle):\n    return size() * angle\ndef size():\n    return e\ndraw.explore(turn, angle=(0, 1))"
    assert lost_names(["e = 2", slider, "e = 3"]) == [("turn", "e", 2)]
    assert lost_names(["e = 2", slider, "squares = [e for e in range(3)]\ndef f():\n    e = 4"]) == []
