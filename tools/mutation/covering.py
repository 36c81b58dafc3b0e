"""Which test files cover a module: those that import it, the one that mirrors it first."""

import ast
import re
from functools import cache

from tools.mutation.mutants import PACKAGE, ROOT

TESTS = ROOT / "tests"
#: Tests of other things: other programs, browsers, the suite itself; here a module is covered by its mirror alone.
ELSEWHERE = {"peers", "browser", "lite", "developers", "teaching", "site"}
#: Quick tests of what is refused in many modules: they come next to the mirror.
GENERAL = {"tests.test_refusals"}


def module_name(path):
    """The dotted name of a file, relative to the repository."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules():
    """{dotted name: path} of rbdlib and its tests."""
    return {module_name(path.relative_to(ROOT)): path for folder in (PACKAGE, TESTS)
            for path in sorted(folder.rglob("*.py"))}


@cache
def imports(name):
    """The modules, by dotted names, that a module imports, also for names that rbdlib itself hands on.

    A test may import by words in a text, such as "book.ch04_model": these count, too.
    """
    found = set()
    for node in ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules() else handed_on(node.module).get(alias.name, node.module))
        elif name.startswith("tests.") and isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {f"rbdlib.{word.removeprefix('rbdlib.')}" for word in node.value.split() if "." in word}
    return found & modules().keys()


@cache
def handed_on(name):
    """{name: module} of what a package's `__init__` imports for others."""
    if name not in modules() or modules()[name].name != "__init__.py":
        return {}
    tree, found = ast.parse(modules()[name].read_text(encoding="utf-8")), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rbdlib"):
            found |= {alias.asname or alias.name: node.module for alias in node.names}
        if isinstance(node, ast.Dict):
            found |= {key.value: value.value for key, value in zip(node.keys, node.values, strict=True)
                      if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
                      and str(value.value).startswith("rbdlib.")}
    return found


@cache
def reach(test):
    """{module of rbdlib: how many imports away it is from a test file}; imports of tests' own helpers are free."""
    distances, front, steps = {}, {test}, 0
    while front:
        helpers, front = front, set()
        while helpers:
            nearer = {name for module in helpers for name in imports(module)} - distances.keys()
            helpers = {name for name in nearer if name.startswith("tests.")}
            distances |= dict.fromkeys(helpers, steps)
            front |= nearer - helpers
        distances |= dict.fromkeys(front, steps)
        steps += 1
        if steps > 4:
            break
    return distances


@cache
def test_files():
    return [name for name, path in modules().items() if path.name.startswith("test_")]


@cache
def words(name):
    return re.findall(r"[A-Za-z_]\w*", modules()[name].read_text(encoding="utf-8"))


@cache
def defined(name):
    """The names of a module, its own and those of its functions and classes."""
    tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return found | {name.rsplit(".", 1)[-1]}


def share(test, name):
    """How many of a test's words are names of a module."""
    return sum(word in defined(name) for word in words(test)) / len(words(test))


def elsewhere(test):
    return test.split(".")[1] in ELSEWHERE


def covering(path):
    """The test files (paths) that cover a file of rbdlib: its mirror, general ones, and those that import it.

    The nearest come first, and of those equally near the ones that speak of it most. What nobody imports by its name,
    such as exercises, is covered by the tests of its folder.
    """
    name = module_name(path)
    mirror = {f"test_{part}" for part in name.split(".")[1:]}
    rows = []
    for test in test_files():
        away = reach(test).get(name)
        if away is not None:
            mirrored = test.rsplit(".", 1)[-1] in mirror
            if elsewhere(test) and not mirrored:
                continue
            folder = len(name.split(".")) > 2 and test.split(".")[1] == name.split(".")[1]
            rows.append((not mirrored, test not in GENERAL, away, not folder, -share(test, name), test))
    own = [(0, test) for test in test_files() if not rows and test.split(".")[1] == name.split(".")[1]]
    return [modules()[test] for *_, test in sorted(rows or own)]
