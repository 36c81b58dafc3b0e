"""The house: which room may use which, no circles of imports, chapters in order, and the picture of all this."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tools.architecture_picture import FLOORS, ROWS, TARGET

PACKAGE = Path(__file__).resolve().parents[2] / "rbdlib"
FACE = {"__init__", "__main__"}


def module_name(path):
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(source):
    """The modules of rbdlib that a text imports, wherever in it, "__init__" for the package itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {whole if (whole := f"{node.module}.{alias.name}").removeprefix("rbdlib.") in MODULES
                      else node.module for alias in node.names}
    found = {name for name in found if name.partition(".")[0] == "rbdlib"}
    return {name.removeprefix("rbdlib").removeprefix(".") or "__init__" for name in found}


@cache
def uses(module):
    return imported(MODULES[module].read_text(encoding="utf-8")) - {module}


def room(module):
    first = module.partition(".")[0]
    return "face" if first in FACE else first


def floor(room):
    return next(k for k, rooms in enumerate(FLOORS) if room in rooms)


def circles():
    """Sets of modules each of which leads to each other one of its set."""
    reached = {}
    for start in MODULES:
        found, new = set(), {start}
        while new:
            new = set().union(*map(uses, new)) - found
            found |= new
        reached[start] = found
    both = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in MODULES if a in reached[a]}
    return [set(circle) for circle in both if len(circle) > 1]


def test_every_way_of_importing_is_seen_and_each_room_is_on_a_floor():
    source = ("import rbdlib.draw\nfrom rbdlib import io, aba\ndef f():\n    from rbdlib.compile.text import g\n"
              "from rbdlib.book import ch02_spatial as spatial\nimport numpy\n")
    assert imported(source) == {"draw", "io", "__init__", "compile.text", "book.ch02_spatial"}
    names = [path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(names) <= 20, sorted(names)
    assert {room(module) for module in MODULES} == set().union(*FLOORS)


@pytest.mark.slow
def test_a_room_uses_rooms_below_it_only():
    up = {(room(module), room(other)) for module in MODULES for other in uses(module)
          if room(module) != room(other) and floor(room(other)) >= floor(room(module))}
    assert not up


@pytest.mark.slow
def test_there_are_no_circles_of_imports():
    assert not circles()


def chapter(module):
    found = re.match(r"book\.ch(\d\d)_", module)
    return int(found[1]) if found else 0


def test_a_chapter_uses_no_later_one():
    for module in MODULES:
        if own := chapter(module):
            assert {chapter(other) for other in uses(module)} <= set(range(own + 1)), module


# The picture

def test_the_picture_names_every_room_and_is_drawn_from_what_its_program_says():
    words = {word for _, *boxes in ROWS for title, _ in boxes for word in re.findall(r"[a-z]+", title)}
    assert set().union(*FLOORS) - {"face"} <= words
    drawn = set(re.findall(r"<!-- (.*) -->", TARGET.read_text(encoding="utf-8")))
    assert drawn == {line for _, *boxes in ROWS for title, lines in boxes for line in (title, *lines.split("\n"))}
