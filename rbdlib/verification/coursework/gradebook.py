"""The gradebook of a learning platform: a CSV file from Canvas or Moodle, which reads it again with points in it.

    Canvas   Student, ID, SIS User ID, SIS Login ID, Section, ...; a row "Points Possible"
    Moodle   First name, Surname or Last name, ID number, Email address, ...
"""

import csv
import functools
import io
import re
import unicodedata
from collections import namedtuple

from rbdlib.verification.coursework.files import BadArgument, read_file

#: The columns by which a learner is found, those of Canvas and of Moodle, the surest first; a tuple is a name in parts.
_KEYS = ("ID", "SIS Login ID", "SIS User ID", "Student", "Email address", "ID number", ("First name", "Surname"),
         ("First name", "Last name"))


class Gradebook(namedtuple("Gradebook", "header rows delimiter")):
    """A gradebook. header: the names of its columns; rows: lists of text; delimiter: what stands between columns."""

    def filled(self, column, totals):
        """(the gradebook with points in a column, the learners who have no row of their own, a list).

        column: its name; one with the platform's number after it, "Homework 1 (4711)", is the same, and one that is not
        there is added. totals: {student: row of the table of totals}.
        """
        same = re.compile(re.escape(column) + r"( \(\d+\))?")
        header = self.header if any(map(same.fullmatch, self.header)) else [*self.header, column]
        place = next(k for k, name in enumerate(header) if same.fullmatch(name))
        rows = [row + [""] * (len(header) - len(row)) for row in self.rows]
        found: dict = {student: self.row_of(student) for student in totals}
        fits = list(found.values())
        alone = {student: k for student, k in found.items() if k is not None and fits.count(k) == 1}
        for student, k in alone.items():
            rows[k][place] = str(totals[student]["total"])
        for row in rows:
            if totals and row[0].strip() == "Points Possible":
                row[place] = str(next(iter(totals.values()))["of"])
        return self._replace(header=header, rows=rows), [student for student in totals if student not in alone]

    def row_of(self, student):
        """The place of the row of a learner, whose name is that of what was handed in; None without a row, or with
        several.

        A name is a login, an e-mail address or what stands before its @, a number, a full name; or a name with the
        number that the platform puts after it, which in Canvas is the ID.
        """
        name, _, number = student.rpartition("_")
        named = {_plain(student), _plain(student.partition("@")[0])} | ({_plain(name)} if number.isdecimal() else set())
        for key in _KEYS:
            wanted = named | {number} if key == "ID" and number.isdecimal() else named
            if rows := [k for k, called in enumerate(self._called[key]) if wanted & called]:
                return rows[0] if len(rows) == 1 else None
        return None

    @functools.cached_property
    def _called(self):
        """What the learners are called in the columns of each of the `_KEYS`: {key: a list of sets of text}."""
        def names(row, key):
            parts = [row.get(part, "") for part in ((key,) if isinstance(key, str) else key)]
            parts = parts[0].split(",") if key == "Student" else parts        # "Lovelace, Ada"
            login = [parts[0].partition("@")[0]] if len(parts) == 1 else []
            return {_plain(name) for name in (" ".join(parts), " ".join(reversed(parts)), *login)} - {""}

        rows = [dict(zip(self.header, row, strict=False)) for row in self.rows]
        return {key: [names(row, key) for row in rows] for key in _KEYS}

    def save(self, path):
        """Write the CSV file, with all columns as they were."""
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=self.delimiter).writerows([self.header, *self.rows])


def read_gradebook(path):
    """The `Gradebook` in a file. Raises `BadArgument`, a ValueError, if it is that of neither platform."""
    text = read_file(path)
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row] or [[]]
    if {"Student", "ID"} <= set(header) or "Email address" in header:
        return Gradebook(header, rows, delimiter)
    raise BadArgument(f"{path} is no gradebook. The first line of one from Canvas has Student and ID, of one from "
                      "Moodle Email address.")


def _plain(text):
    """Letters and digits alone, without accents and capitals."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", text).casefold())
