"""The table of symbols: symbol of the book, name in rbdlib, meaning, frame, units."""

import csv
import re
from pathlib import Path

from tools.book.markup import page
from tools.book.places import DOCS

TABLE = Path(__file__).with_name("symbols.csv")
INTRO = """The list of symbols of *Rigid Body Dynamics Algorithms*, in its order, with the names that the code has for
them, and for each quantity the coordinates it is given in and its units. "Body" means coordinates fixed in the body
that the quantity belongs to. A spatial motion vector has the units of an angular velocity or acceleration in its first
three places and of a linear one in the last three; a spatial force has N m and then N.

[How names are made](glossary.md) tells how to read the second column; the [glossary](terms.md) explains words."""


def read_symbols(path=TABLE):
    """{id: (frame, units)} of the table beside this module."""
    with path.open(newline="", encoding="utf-8") as stream:
        return {row["id"]: (row["frame"], row["units"]) for row in csv.DictReader(stream)}


def glossary_rows(text):
    """The rows of docs/glossary.md: id, symbol, meaning, names; all of them Markdown."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if re.match(r"\| [A-Z]{3,4}-", line)]
    return [tuple(cell.strip() for cell in row) for row in rows]


def symbols_page(glossary=DOCS / "glossary.md"):
    """The page; ValueError where the two tables do not list the same symbols."""
    rows, more = glossary_rows(glossary.read_text(encoding="utf-8")), read_symbols()
    missing = {row[0] for row in rows} ^ more.keys()
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))}: in one of docs/glossary.md and {TABLE.name} only; add the row "
                         "to the other one too.")
    lines = [f"| {' | '.join((symbol, names, meaning, *more[row_id]))} |" for row_id, symbol, meaning, names in rows]
    head = ["| Symbol | In rbdlib | Meaning | Frame | Units |", "|---|---|---|---|---|"]
    return page("Symbols", INTRO, "{.symbols}\n" + "\n".join([*head, *lines]))
