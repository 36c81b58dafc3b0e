"""The places of a row of the ledger: lines of code, tests, cells of notebooks."""

import ast
import html
import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from rbdlib.verification.lookup import ledger, proofs
from rbdlib.verification.lookup.code_index import items_of
from rbdlib.verification.lookup.references import TEXTS, References, sections_of

#: Places of a kind that are shown.
MOST = 3
#: Rooms in the order in which a reader looks for a function; the others come last.
ROOMS = ("book", "methods", "loops", "dynamics.py", "motion", "contact", "texts", "arithmetic", "io", "conventions",
         "analysis", "compile", "draw")
#: A table or figure that is named without its text, or as "RBDA's", but in a heading.
BARE = re.compile(rf"(?<!{' )(?<!'.join(TEXTS)} )(?<!# )(?:RBDA's )?\b((?:Table|Figure|Example) \d+\.\d)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """A place in a file. about: the name of a function, "::test_name" of a test, the cell and heading of a notebook."""

    file: str
    line: int
    about: str

    def __str__(self):
        if self.about.startswith("::"):
            return self.file + self.about
        return f"{self.file}{f':{self.line}' * bool(self.line)}  {self.about}".rstrip()

    def link(self):
        """The place as a link (HTML), relative to the current folder."""
        path = os.path.relpath(ledger.ROOT / self.file).replace(os.sep, "/")
        return f'<a href="{html.escape(path)}{f"#L{self.line}" * bool(self.line)}">{html.escape(str(self))}</a>'


@cache
def rows():
    """The rows of the ledger by id; none where the ledger is not installed."""
    return ledger.read_ledger() if ledger.LEDGER.is_dir() else {}


@cache
def references():
    return References(list(rows()), sections_of(rows().values()))


# Code


def room(file):
    """The place of a file's room in `ROOMS`."""
    name = file.split("/")[1]
    return ROOMS.index(name) if name in ROOMS else len(ROOMS)


@cache
def files():
    """{file: text} of the public modules, those of the book first; not of this package, which only speaks of others."""
    here, found = "rbdlib/verification/lookup/", {}
    for path in ledger.PACKAGE.rglob("*.py"):
        file = path.relative_to(ledger.ROOT).as_posix()
        if not re.search(r"/_(?!_init__)", file) and not file.startswith(here):
            found[file] = path.read_text(encoding="utf-8")
    return {file: found[file] for file in sorted(found, key=lambda file: (room(file), file))}


@cache
def items(file):
    """The functions, classes and constants of a module, and the members of its classes."""
    name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return [inner for item in items_of(files()[file], name, file, references()) for inner in (item, *item.members)]


def code_of(row):
    """Pairs (place, item): lines that carry the number of a row, functions whose docstrings name it; the best first."""
    own = f"/ch{row.chapter.zfill(2)}_" if row.text == "RBDA" else f"/{row.text.lower()}"
    number = row.id.partition("-")[2]
    number = "Table " + number[1:] if number[0] == "T" else number

    def rank(item):                                        # the chapter's own file, the room, a line of code
        in_doc = item.ids[row.id] == item.line and number not in item.doc.partition("\n")[0]
        return own not in item.file, room(item.file), in_doc, item.file, item.line

    found = sorted((item for file in files() for item in items(file) if row.id in item.ids), key=rank)
    return [(Place(item.file, item.ids[row.id], item.short), item) for item in found]


# Tests


@cache
def _marked():
    """{file: text} of the tests that bear source markers."""
    paths = sorted((ledger.ROOT / "tests").rglob("test_*.py"))
    texts = {path.relative_to(ledger.ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {file: text for file, text in texts.items() if "mark.source" in text}


@cache
def _proofs(file):
    return proofs.proofs_of(ast.parse(_marked()[file]), file)


def tests_of(row_id):
    """The tests whose source markers name a row: those of tests/sources first, and those of few rows."""
    written = [file for file, text in _marked().items() if f'"{row_id}"' in text]
    made_up = [file for file, text in _marked().items() if re.search(r'mark\.source\([^")]', text)]
    for named in (written, made_up):
        if found := [proof for file in named for proof in proofs.by_row(_proofs(file), [row_id])[row_id]]:
            found.sort(key=lambda proof: ("tests/sources" not in proof.file, len(proof.patterns)))
            return [Place(proof.file, proof.line, f"{'::' * ('test' in proof.name)}{proof.name}") for proof in found]
    return []


# Notebooks


@cache
def _cells():
    """{id, or (text, section): {(notebook, number of the cell, heading): whether a displayed formula ends with it}}."""
    found = {}
    for path in sorted((ledger.ROOT / "notebooks").glob("*.ipynb")):
        cells = [("".join(cell["source"]), cell["cell_type"] == "markdown")
                 for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        whole = "\n\n".join(text for text, is_text in cells if is_text)
        ids = {row_id for mention in references().prose(whole) for row_id in mention.ids}
        chapters = sorted({rows()[row_id].chapter for row_id in ids if rows()[row_id].text == "RBDA"})
        heading = ""
        for number, (text, is_text) in enumerate(cells, start=1):
            text = BARE.sub(r"RBDA \1", text)
            for mention in references().prose(text, chapters) if is_text else ():
                above = [heading, *HEADING.findall(text[:mention.start])][-1]
                shown = text[:mention.start].endswith("\\text{(")
                for name in mention.ids or (mention.section,):
                    places = found.setdefault(name, {})
                    cell = (f"notebooks/{path.name}", number, above)
                    places[cell] = places.get(cell, False) or shown
            if is_text:
                heading = [heading, *HEADING.findall(text)][-1]
    return found


def notebooks_of(row_id, functions=()):
    """The cells that derive a row, one of each notebook, the best first.

    Of an equation these are the cells that name it, best at the end of a displayed formula. For a table, and where no
    cell names the row, those count too that name the section or most rows of the functions that name the row (`Item`s).
    """
    cells, row = _cells(), rows()[row_id]
    score = Counter({cell: 3 + 10 * shown for cell, shown in cells.get(row_id, {}).items()})
    if not score or row.kind in ("table", "algorithm"):
        others = {other for item in functions for other in item.ids}
        score.update(cell for other in others for cell in cells.get(other, ()))
        score.update(cells.get((row.text, row.section), ()))
    kin = Counter(cell[0] for other in rows().values() if (other.text, other.section) == (row.text, row.section)
                  for cell in cells.get(other.id, ()))
    best = {}
    for cell in sorted(score, key=lambda cell: (-score[cell], -kin[cell[0]], cell)):
        best.setdefault(cell[0], Place(cell[0], 0, f"cell {cell[1]}: {cell[2]}"))
    return list(best.values())
