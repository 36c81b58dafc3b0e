"""A slider still works when the cells below it have run: what its function looks up has not got another meaning."""

import ast
import dis
from pathlib import Path
from types import CodeType

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


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
