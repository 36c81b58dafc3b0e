"""What the page on the architecture promises, and what its picture shows."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tools.architecture_picture import BLUE, GREEN, ROWS, TARGET

PACKAGE = Path(__file__).resolve().parents[2] / "rbdlib"
ON_TOP = {"draw", "exercises", "verification", "io", "codegen"}
BELOW = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in
         {*ON_TOP, "__init__.py", "__main__.py"}]
MODULES = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
#: Imports from later chapters, all of them that there are: {module: what it imports}.
LATER = {
    "assembly": {"joints", "model", "loop_joints"},                     # puts the bodies of a model together (3.7)
    # What moves, moves by it:
    "simulate": {"model", "kinematics", "closed_loops", "loop_projection", "prescribed_motions", "contact"},
    "subspaces": {"pivots"}, "orientation": {"pivots"},                 # the choice of a pivot, printed in 8.8
}


@cache
def imported(source):
    """The parts of rbdlib that a module imports, wherever in it: the first name after `rbdlib.`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "rbdlib":
            found |= {alias.name for alias in node.names}
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name.split(".")[1] for name in names if name.startswith("rbdlib.")}
    return found


@pytest.mark.slow
def test_nothing_below_imports_what_is_on_top():
    for path in BELOW:
        assert not ON_TOP & imported(path.read_text(encoding="utf-8")), path


def test_every_way_of_importing_is_seen():
    source = "import rbdlib.draw\nfrom rbdlib import io\ndef f():\n    from rbdlib.codegen.text import g\n"
    assert imported(source) == {"draw", "io", "codegen"}


# Chapters


def chapter(sentence):
    """The last chapter of RBDA that the first sentence of a module names, 99 for an appendix; None without one."""
    named = re.search(r"RBDA (?:chapter )?([^)]*)", re.sub(r"Tables? A\.\d", "", sentence))
    found = re.findall(r"\b(A|\d+)(?:\.\d+)?", re.sub(r"(MRN|FDSV|MBT|SOA).*", "", named[1])) if named else []
    return max((99 if part == "A" else int(part) for part in found), default=None)


@cache
def parts(module):
    """The texts of the files of a module or package."""
    folder = PACKAGE / module
    return [path.read_text(encoding="utf-8") for path in
            ([PACKAGE / f"{module}.py"] if not folder.is_dir() else sorted(folder.rglob("*.py")))]


@cache
def chapter_of(module):
    text = PACKAGE / module / "__init__.py" if (PACKAGE / module).is_dir() else PACKAGE / f"{module}.py"
    return chapter((ast.get_docstring(ast.parse(text.read_text(encoding="utf-8"))) or "").partition("\n")[0])


@cache
def uses(module):
    return {name for text in parts(module) for name in imported(text) if name in MODULES} - {module}


def test_a_module_imports_from_earlier_chapters_only():
    for module in sorted(MODULES - ON_TOP - {"__init__", "__main__"}):
        own = chapter_of(module)
        later = {name for name in uses(module) if own and (chapter_of(name) or 0) > own}
        assert later == LATER.get(module, set()), f"{module} is of chapter {own}; see docs/developers/architecture.md"


def test_chapters_are_read():
    assert chapter("Joints (RBDA 4.4-4.5, Tables 4.1 and 4.2).") == 4
    assert chapter("Motion in time (RBDA 3.1, MRN 1.1).") == 3 and chapter("Nothing.") is None
    assert chapter("Vectors (RBDA 2 and Table A.2).") == 2 and chapter("Arithmetic (RBDA 1.2, A.3-A.5).") == 99
    assert {chapter_of("inverse_dynamics"), chapter_of("articulated_body"), chapter_of("contact")} == {5, 7, 11}


# The picture


def named(colour):
    """The modules that the boxes of a colour name, a set for each row from the top."""
    return [set(re.findall(r"\b[a-z][a-z_]{2,}\b", " ".join(box[1] if colour == BLUE else box[0] for box in boxes)))
            for found, *boxes in ROWS if found == colour]


def all_uses(modules):
    found, new = set(), set(modules)
    while new:
        found |= new
        new = set().union(*map(uses, new)) - found
    return found


def test_the_picture_names_modules_that_exist_and_no_layer_uses_one_above_it():
    algorithms, model, vectors = named(BLUE)
    assert algorithms | model | vectors <= MODULES and {*set().union(*named(GREEN)), "io"} == ON_TOP
    assert not all_uses(vectors) & (algorithms | model)
    assert not all_uses(model) & algorithms
    assert all_uses(algorithms) > vectors | {"model", "joints"}
    assert not all_uses(algorithms) & ON_TOP


def test_the_picture_is_drawn_from_what_its_program_says():
    drawn = set(re.findall(r"<!-- (.*) -->", TARGET.read_text(encoding="utf-8")))
    assert drawn == {line for _, *boxes in ROWS for title, lines in boxes for line in (title, *lines.split("\n"))}
