"""The ledger, the code, the tests and the notebooks, joined by the ids of the rows."""

import ast
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from rbdlib.texts.lookup.ledger import by_row, page_of, read_proofs
from rbdlib.texts.lookup.references import References, sections_of
from tests.sources import ledger
from tools.book.package_index import read_package, walk
from tools.book.places import NOTEBOOKS, ROOT
from tools.book.tests_index import all_tests

OUTCOMES = ("checked", "text", "reasoned", "failed", "open")


@dataclass(frozen=True)
class Chapter:
    """A page of the ledger: a chapter of RBDA, or a whole text."""

    text: str
    number: str
    rows: tuple

    @property
    def page(self):
        return page_of(self.text, self.number)

    @property
    def title(self):
        if not self.number:
            return self.text
        if self.number == "A":
            return f"{self.text} appendix A"
        return f"{self.text} {self.number.lower() if self.number.isalpha() else 'chapter ' + self.number}"


class Book:
    """Everything that the generated pages say, read once from the repository."""

    def __init__(self, root=ROOT, notebooks=NOTEBOOKS):
        self.root = root
        self.rows = ledger.read_ledger()
        self.reasons = ledger.read_reasons()
        self.references = References(list(self.rows), sections_of(self.rows.values()))
        self.modules = read_package(self.references)
        self.proofs = by_row(read_proofs(), self.rows)
        self.tests = all_tests()
        self.notebooks = {path.stem: json.loads(path.read_text(encoding="utf-8"))
                          for path in sorted(notebooks.glob("*.ipynb"))}

    @cached_property
    def code(self):
        """{id: [(item, line), ...]} of the functions whose code or docstring carries an id.

        The file that carries most of the row's chapter comes first: it is the one that follows the text.
        """
        found = {row_id: [] for row_id in self.rows}
        for item in walk(self.modules):
            for row_id, line in item.ids.items():
                found[row_id].append((item, line))
        home = {row.id: (row.text, row.chapter) for row in self.rows.values()}
        share = Counter((home[row_id], item.file) for row_id, places in found.items() for item, _ in places)
        for row_id, places in found.items():
            places.sort(key=lambda place, chapter=home[row_id]: -share[chapter, place[0].file])
        return found

    @cached_property
    def shown(self):
        """{id: [name of a notebook, ...]}, where "(RBDA 2.24)" stands in the text of the notebook."""
        found = {row_id: [] for row_id in self.rows}
        for name, notebook in self.notebooks.items():
            for row_id in self.rows_of_notebook(notebook):
                found[row_id].append(name)
        return found

    def rows_of_notebook(self, notebook):
        """The ids that the text cells of a notebook name, in their order."""
        text = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        return list(dict.fromkeys(row_id for mention in self.references.prose(text, self.chapters_of(notebook))
                                  for row_id in mention.ids))

    @staticmethod
    def own_names(notebook):
        """The names that the code of a notebook defines: in its text they mean these, not those of the package."""
        names = set()
        for cell in notebook["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and not source.lstrip().startswith("%"):
                tree = ast.parse(source)
                names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
                names |= {node.id for node in ast.walk(tree)
                          if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        return sorted(names)

    def chapters_of(self, notebook):
        """The chapters of RBDA whose equations a notebook names: a bare "(7.43)" in it belongs to one of them."""
        text = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        ids = {row_id for mention in self.references.prose(text) for row_id in mention.ids}
        return sorted({self.rows[row_id].chapter for row_id in ids if self.rows[row_id].text == "RBDA"})

    def title_of(self, name):
        """The heading of a notebook."""
        for cell in self.notebooks[name]["cells"]:
            for line in "".join(cell["source"]).splitlines():
                if cell["cell_type"] == "markdown" and line.startswith("# "):
                    return line[2:].strip()
        raise ValueError(f"notebook {name} has no heading; begin its first cell with '# '.")

    @cached_property
    def outcomes(self):
        """{id: outcome}: of the last full run of the tests if it is newer than they are, else by their markers."""
        run = self.run or {}
        return {row_id: self._outcome(row_id, run.get(row_id)) for row_id in self.rows}

    def _outcome(self, row_id, in_run):
        if in_run:
            return "failed" if in_run == "skipped" else in_run
        if self.proofs[row_id]:
            return "checked"
        return "reasoned" if row_id in self.reasons else "open"

    @cached_property
    def run(self):
        """The coverage report of the last full run, or None if there is none or the tests have changed since."""
        if not ledger.COVERAGE.exists():
            return None
        written = ledger.COVERAGE.stat().st_mtime
        newer = [path for path in [*ledger.TESTS.rglob("*.py"), *ledger.LEDGER.glob("*.csv")]
                 if path.stat().st_mtime > written]
        return None if newer else ledger.read_coverage()

    @cached_property
    def chapters(self):
        """The pages of the ledger, in the order of the texts and their chapters."""
        parts = {}
        for row in self.rows.values():
            parts.setdefault((row.text, row.chapter if row.text == "RBDA" else ""), []).append(row)
        texts = list(ledger.TEXTS)
        order = sorted(parts, key=lambda part: (texts.index(part[0]), not part[1].isdigit(), part[1].zfill(3)))
        return [Chapter(*part, tuple(parts[part])) for part in order]

    @cached_property
    def page_of(self):
        """{id: the page of the ledger on which it stands}."""
        return {row.id: chapter.page for chapter in self.chapters for row in chapter.rows}
