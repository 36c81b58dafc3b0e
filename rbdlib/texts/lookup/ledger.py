"""The ledger of the five texts: its rows and the tables beside it, checked; and which tests prove them."""

import ast
import csv
import os
import re
from collections import namedtuple

from rbdlib.io.data import PACKAGE, data_folder

#: Where the package lies: the root of the repository, or the folder of installed packages.
ROOT = PACKAGE.parent
LEDGER = data_folder("ledger")

REASONS, FINISHED = "reasons.csv", "finished.csv"


class Row(namedtuple("Row", "id section kind title statement check priority notes file")):
    """One numbered equation, table, example, algorithm or claim of a text; file is the table that lists it."""

    text = property(lambda self: self.id.split("-")[0])

    @property
    def chapter(self):
        """The number of the chapter, or the letter or name of a part that has no number."""
        number = re.match(r"(\d+|A)\b", self.section)
        return number[1] if number else self.section

    page = property(lambda self: page_of(self.text, self.chapter if self.text == "RBDA" else ""), doc="On the site.")


def page_of(text, chapter):
    """The page of the ledger on the site for a chapter of RBDA, or for a whole text (chapter "")."""
    number = f"-{int(chapter):02}" if chapter.isdigit() else f"-{chapter.lower()}" * bool(chapter)
    return f"ledger/{text.lower()}{number}"


def slug(text):
    """The name of a place in a page: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


COLUMNS = Row._fields[:-1]


def read_table(path, columns):
    """The rows of a CSV file as dictionaries; ValueError unless it has these columns and every row fills them.

    Only the column "notes" may be empty.
    """
    with path.open(newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != tuple(columns):
            raise ValueError(f"{path.name} has the columns {reader.fieldnames}; expected {list(columns)}")
        table = list(reader)
    for number, row in enumerate(table, start=1):
        if None in row or None in row.values():
            raise ValueError(f"{path.name}, row {number} ({row[columns[0]]}): it does not have {len(columns)} fields; "
                             "put a field that holds a comma between double quotes")
        for column in columns:
            if row[column] != row[column].strip() or (not row[column] and column != "notes"):
                raise ValueError(f"{path.name}, row {number} ({row[columns[0]]}): {column} is empty or has spaces "
                                 "around it")
    return table


def read_ledger(folder=LEDGER):
    """Every row of the ledger, by id; ValueError when an id stands there twice."""
    rows = {}
    for path in sorted(folder.glob("*.csv")):
        if path.name in (REASONS, FINISHED):
            continue
        for record in read_table(path, COLUMNS):
            row = Row(**record, file=path.name)
            if row.id in rows:
                raise ValueError(f"{row.id} stands in {rows[row.id].file} and again in {path.name}; "
                                 "give one of them another id")
            rows[row.id] = row
    return rows


# Proofs, read from the source markers in tests/


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
