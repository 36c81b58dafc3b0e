"""Which test proves which row of the ledger, read from the source markers in tests/."""

import ast
import os
import re
from collections import namedtuple
from functools import cache


class Proof(namedtuple("Proof", "file line name patterns")):
    """A test that bears a source marker. patterns: of the ids that it proves."""


def proofs_of(tree, file):
    """Every `Proof` in the syntax tree of a test file.

    Ids that the file works out itself are all that begin as those do that it writes out.
    """
    @cache
    def family():
        written = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)
                   and isinstance(node.value, str) and re.fullmatch(r"[A-Z]{3,4}-[\w.-]+", node.value)]
        return re.escape(os.path.commonprefix(written)) + r"([\w.-]+)"

    return [proof for node in tree.body for proof in _proofs(node, file, family)]


def by_row(proofs, ids):
    """{id: [the proofs of it]} for the ids of a ledger."""
    exact, shared = {row_id: [] for row_id in ids}, []
    for proof in proofs:
        for pattern in proof.patterns:
            if pattern in exact:
                exact[pattern].append(proof)
            elif "(" in pattern:
                shared.append((re.compile(pattern), proof))
    for pattern, proof in shared:
        for row_id in ids:
            if pattern.fullmatch(row_id) and proof not in exact[row_id]:
                exact[row_id].append(proof)
    return exact


def _proofs(node, file, family):
    """The proofs in a statement at the top of a module: a test, a class of tests, or a list of parameters of tests."""
    tests, before, shared = [node], "", []
    if isinstance(node, ast.ClassDef):
        tests = [inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test")]
        before, shared = f"{node.name}::", node.decorator_list
    for test in tests:
        name = ast.unparse(test.targets[0]) if isinstance(test, ast.Assign) else getattr(test, "name", "")
        if patterns := _markers([*shared, *getattr(test, "decorator_list", [test])], family):
            yield Proof(file, test.lineno, before + name, tuple(patterns))


def _markers(nodes, family):
    """The ids in the source markers anywhere below some nodes; an id that is put together at run time is a pattern.

    family(): the pattern of ids that are not written at the marker.
    """
    found = []
    calls = [call for node in nodes for call in ast.walk(node) if isinstance(call, ast.Call)]
    for argument in (argument for call in calls if ast.unparse(call.func).endswith("mark.source")
                     for argument in call.args):
        if isinstance(argument, ast.JoinedStr):
            found.append("".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"([\w-]+)"
                                 for part in argument.values))
        else:
            found.append(str(argument.value) if isinstance(argument, ast.Constant) else family())
    return found
