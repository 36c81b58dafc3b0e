"""The page of misprints: what is printed, what is right, and the test that shows it."""

import csv
import textwrap

from tools.book.markup import container, fence, link, page, plain, slug, target
from tools.book.places import ROOT
from tools.book.source_pages import line_of

INTRO = """What we found wrong in print. An entry is made only if a test shows that the printed form fails and the
corrected one holds; the test stands below each entry, and {count} entries have one each. Damage of the scanned texts
we worked from is not held against the authors: [what was dismissed](#dismissed) is listed at the end."""


def errata_pages(book):
    """{path: Markdown}: an overview, and a page of entries for each text or chapter."""
    entries = _read(book.root / "data/errata.csv")
    dismissed = _read(book.root / "data/errata_dismissed.csv")
    pages, listing = {}, []
    for chapter in book.chapters:
        ids = {row.id for row in chapter.rows}
        own = [entry for entry in entries if entry["id"] in ids]
        if own:
            name = chapter.page.removeprefix("ledger/")
            pages[f"errata/{name}.md"] = page(f"Errata: {chapter.title}", *(_entry(book, entry) for entry in own))
            listing.append((name, chapter.title, own))
    pages["errata/index.md"] = _overview(book, entries, dismissed, listing)
    return pages


def _read(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _overview(book, entries, dismissed, listing):
    parts = [f"- [{title}]({name}.md): {', '.join(_entry_link(name, entry) for entry in own)}"
             for name, title, own in listing]
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *(name for name, _, _ in listing), "```"])
    reasons = [f"- {_row_link(book, entry['id'])}: {plain(entry['reason'])}" for entry in dismissed]
    return page("Errata", INTRO.format(count=len(entries)), "\n".join(parts), target("dismissed"),
                "## Dismissed", "\n".join(reasons), toctree)


def _entry_link(name, entry):
    return link(entry["id"], f"errata/{name}.html#erratum-{slug(entry['id'])}")


def _row_link(book, row_id):
    return link(row_id, f"{book.page_of[row_id]}.html#{slug(row_id)}")


def _entry(book, entry):
    """An erratum with its proof: the text of the test."""
    test = entry["evidence"].partition("[")[0]
    first, last = book.tests[test]
    file, _, name = test.partition("::")
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()[first - 1:last]
    proof = fence(textwrap.dedent("\n".join(lines)), "python")
    return "\n\n".join([
        target(f"erratum-{slug(entry['id'])}"), f"## {plain(entry['id'])}",
        container("erratum", f"Printed: {plain(entry['printed'])}", f"Correct: {plain(entry['corrected'])}"),
        f"The row: {_row_link(book, entry['id'])}. The proof, {link(name, line_of(file, first))}:", proof])
