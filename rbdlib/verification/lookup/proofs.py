"""Which test proves which row of the ledger, read from the source markers in tests/."""

import ast
import os
import re
from collections import namedtuple

from rbdlib.verification.lookup.ledger import ROOT


class Proof(namedtuple("Proof", "file line name patterns")):
    """A test that bears a source marker. patterns: of the ids that it proves."""


def read_proofs(folder=ROOT / "tests", root=ROOT):
    """Every `Proof` in the test files of a folder. root: that of the paths by which files are named."""
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.source" in text:
            tree, file = ast.parse(text), path.relative_to(root).as_posix()
            written = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)
                       and isinstance(node.value, str) and re.fullmatch(r"[A-Z]{3,4}-[\w.-]+", node.value)]
            family = re.escape(os.path.commonprefix(written)) + r"([\w.-]+)"
            found += [proof for node in tree.body for proof in _proofs(node, file, family)]
    return found


def by_row(proofs, ids):
    """{id: [the proofs of it]} for the ids of a ledger."""
    found = {row_id: [] for row_id in ids}
    pairs = [(pattern, proof) for proof in proofs for pattern in proof.patterns]
    for pattern, proof in sorted(pairs, key=lambda pair: "(" in pair[0]):          # ids that are written out first
        for row_id in filter(re.compile(pattern).fullmatch, ids) if "(" in pattern else {pattern} & found.keys():
            if proof not in found[row_id]:
                found[row_id].append(proof)
    return found


def _proofs(node, file, family):
    """The proofs in a statement at the top of a module: a test, a class of tests, or a list of parameters of tests.

    family: the pattern of ids that are worked out elsewhere than at the marker, which begin as those do that the file
    writes out. An id that is put together at the marker is a pattern, too.
    """
    tests, before, shared = [node], "", []
    if isinstance(node, ast.ClassDef):
        tests = [inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test")]
        before, shared = f"{node.name}::", node.decorator_list
    for test in tests:
        calls = [call for part in (*shared, *getattr(test, "decorator_list", [test])) for call in ast.walk(part)
                 if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("mark.source")]
        patterns = []
        for argument in (argument for call in calls for argument in call.args):
            if isinstance(argument, ast.JoinedStr):
                patterns.append("".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"([\w-]+)"
                                        for part in argument.values))
            else:
                patterns.append(str(argument.value) if isinstance(argument, ast.Constant) else family)
        name = ast.unparse(test.targets[0]) if isinstance(test, ast.Assign) else getattr(test, "name", "")
        if patterns:
            yield Proof(file, test.lineno, before + name, tuple(patterns))
