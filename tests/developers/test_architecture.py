"""What the page on the architecture promises."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "rbdlib"
ON_TOP = {"draw", "exercises", "verification", "io", "codegen"}
BELOW = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in
         {*ON_TOP, "__init__.py", "__main__.py"}]


def imported(source):
    """The parts of rbdlib that a module imports, wherever in it: the first name after `rbdlib.`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "rbdlib":
            yield from (alias.name for alias in node.names)
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.split(".")[1] for name in names if name.startswith("rbdlib."))


@pytest.mark.parametrize("path", BELOW, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_below_imports_what_is_on_top(path):
    assert not ON_TOP & set(imported(path.read_text(encoding="utf-8")))


def test_every_way_of_importing_is_seen():
    source = "import rbdlib.draw\nfrom rbdlib import io\ndef f():\n    from rbdlib.codegen.text import g\n"
    assert set(imported(source)) == {"draw", "io", "codegen"}
