"""The ledger of the five texts: its rows and the tables beside it, checked while they are read."""

import csv
import re
from collections import namedtuple

from rbdlib.io.data import PACKAGE, data_folder

#: Where the package lies: the root of the repository, or the folder of installed packages.
ROOT = PACKAGE.parent
LEDGER = data_folder("ledger")

REASONS, FINISHED = "reasons.csv", "finished.csv"


class Row(namedtuple("Row", "id section kind title statement check priority notes file")):
    """One numbered equation, table, example, algorithm or claim of a text; file is the table that lists it."""

    @property
    def text(self):
        return self.id.split("-")[0]

    @property
    def chapter(self):
        """The number of the chapter, or the letter or name of a part that has no number."""
        number = re.match(r"(\d+|A)\b", self.section)
        return number[1] if number else self.section

    @property
    def page(self):
        """The page of the site on which the row stands."""
        return page_of(self.text, self.chapter if self.text == "RBDA" else "")


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
