"""The tests in tests/, by file and name."""

import ast

from tools.book.places import ROOT


def all_tests(folder=ROOT / "tests", root=ROOT):
    """{file::name: (line, last line)} of every test function, marked or not; errata name tests that bear no marker."""
    found = {}
    for path in sorted(folder.rglob("test_*.py")):
        file = path.relative_to(root).as_posix()
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node in (*body, *(inner for each in body if isinstance(each, ast.ClassDef) for inner in each.body)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                found[f"{file}::{node.name}"] = (first, node.end_lineno)
    return found
