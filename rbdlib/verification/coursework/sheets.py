"""What a teacher hands back, and keeps: a sheet for each learner, a table of totals, a summary of each problem.

    report/totals.csv        for each learner the points for each problem, their sum, and its share of all points
    report/summary.csv       for each problem how many tried, how many were right, and what was most often wrong
    report/summary.html      the same to be read
    report/sheets/ada.html   for the learner: every try, what was said about it, and hints; nothing of the solution
    report/sheets/ada.pdf    the same on paper, if the library fpdf2 is there

The gradebook of a learning platform is a CSV file from Canvas or Moodle, which reads it again with points in it:

    Canvas   Student, ID, SIS User ID, SIS Login ID, Section, ...; a row "Points Possible"
    Moodle   First name, Surname or Last name, ID number, Email address, ...
"""

import csv
import functools
import html
import io
import re
import unicodedata
from collections import Counter, namedtuple
from pathlib import Path

from rbdlib.verification.coursework.files import BadArgument, read_file, save_table, visible

#: Findings that are told about a problem, and characters of an answer that are shown on a sheet.
MOST_FINDINGS, MOST_SHOWN = 5, 3000
NO_PDF = "The sheets are there as HTML. For PDF, too, install fpdf2 and matplotlib: pip install 'rbdlib[teach]'."
_TAGS = {"title": "h1", "heading": "h2", "try": "h3", "text": "p", "code": "pre"}
_STYLE = """
body { font-family: sans-serif; line-height: 1.4; max-width: 50em; margin: 2em auto; padding: 0 1em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 4px solid #888; padding-left: 0.8em; }
table { border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: 0.2em 1em 0.2em 0; }
h2 { border-top: 1px solid #888; padding-top: 0.5em; } h2, h3 { break-after: avoid; }
"""
#: Of the PDF: font, style, size and height of a line (mm) of each sort of text.
_FONTS = {"title": ("sans", "B", 18, 10), "heading": ("sans", "B", 13, 8), "try": ("sans", "B", 10, 7),
          "text": ("sans", "", 10, 5), "code": ("mono", "", 8, 4)}


def write_report(folder, marks, unread):
    """Write all of it into a folder, which is made if it is not there.

    marks: {student: list of `Mark`}; unread: a list of `Unread`. Returns a sentence on what is missing, or "".
    """
    folder = Path(folder)
    (folder / "sheets").mkdir(parents=True, exist_ok=True)
    totals = [total_row(student, mine) for student, mine in marks.items()]
    problems = {mark.problem.id: mark.problem for mine in marks.values() for mark in mine}
    save_table(folder / "totals.csv", ("student", *problems, "total", "of", "percent"), totals)
    summary = [_summary(problem, [mark for mine in marks.values() for mark in mine if mark.problem.id == id])
               for id, problem in problems.items()]
    save_table(folder / "summary.csv", list(summary[0]) if summary else ("problem",), summary)
    _write(folder / "summary.html", page("Summary", [("title", "Summary"), *_summary_blocks(summary)]))
    for name, (student, mine) in zip(_file_names(marks), marks.items(), strict=True):
        blocks = [*_blocks(student, mine, [lost for lost in unread if lost.student == student])]
        _write(folder / "sheets" / f"{name}.html", page(student, blocks))
        if paper := _paper():
            _print(paper, student, blocks)
            paper.output(str(folder / "sheets" / f"{name}.pdf"))
    return "" if _paper() else NO_PDF


def total_row(student, marks):
    """The row of the table of totals for a learner, a dict."""
    total, of = round(sum(mark.total for mark in marks), 2), sum(mark.problem.points for mark in marks)
    return {"student": student, **{mark.problem.id: mark.total for mark in marks}, "total": total, "of": of,
            "percent": round(100 * total / of, 1) if of else 0}


def _file_names(students):
    """A name for the file of each student, of letters, digits, _, . and -, no two alike."""
    used: Counter = Counter()
    for student in students:
        name = re.sub(r"[^\w.-]", "_", student)[:80]
        used[name.lower()] += 1
        yield name if used[name.lower()] == 1 else f"{name}_{used[name.lower()]}"


def _summary(problem, marks):
    """The row of the summary for a problem, a dict; findings are counted once for each learner."""
    tried = [mark for mark in marks if mark.tries]
    told = Counter(found for mark in tried for found in dict.fromkeys(
        (finding["kind"], finding["sentence"]) for _, result in mark.tries
        for finding in (result.get("report") or {}).get("findings", ())))
    found = [f"{count} × {f'{kind}: ' if kind else ''}{sentence}"
             for (kind, sentence), count in told.most_common(MOST_FINDINGS)]
    mean = round(sum(mark.total for mark in tried) / len(tried), 2) if tried else ""
    return {"problem": problem.id, "title": problem.title, "learners": len(tried),
            "tries": sum(len(mark.tries) for mark in tried), "right": sum(mark.verdict == "right" for mark in tried),
            "mean": mean, "of": problem.points,
            **{f"finding {k + 1}": found[k] if k < len(found) else "" for k in range(MOST_FINDINGS)}}


def _summary_blocks(rows):
    for row in rows:
        yield "heading", f"{row['title']} ({row['problem']})"
        yield "text", (f"Learners who tried: {row['learners']}; tries: {row['tries']}; learners who are right: "
                       f"{row['right']}; mean of those who tried: {row['mean']} of {row['of']} points."
                       if row["tries"] else "Nobody tried.")
        yield from (("text", text) for key, text in row.items() if key.startswith("finding") and text)


def _blocks(student, marks, unread):
    total = total_row(student, marks)
    yield "title", student
    yield "text", f"{total['total']} of {total['of']} points, which is {total['percent']} %."
    yield from (("text", f"{lost.file} could not be used: {lost.message}") for lost in unread)
    for mark in marks:
        yield "heading", f"{mark.problem.title}: {mark.total} of {mark.problem.points} points"
        yield "text", " ".join(mark.problem.text.split())
        yield "text", f"{mark.verdict.capitalize()}. {mark.remarks}".strip()
        for place, ((attempt, result), points) in enumerate(zip(mark.tries, mark.points, strict=True)):
            worth = "does not count" if points is None else f"{points} points"
            best = ", counted" if place == mark.counted and len(mark.tries) > 1 else ""
            yield "try", f"Try {place + 1}, {attempt.file}: {worth}{best}"
            yield "code", attempt.text[:MOST_SHOWN].strip()
            yield "code", result.get("shown") or result["message"]
        yield from (("text", f"Hint: {hint}") for hint in mark.hints)


def page(title, blocks):
    """Blocks, pairs (sort, text), as a page of HTML; the sorts: the keys of `_TAGS`."""
    body = "\n".join(f"<{_TAGS[sort]}>{html.escape(_shown(text))}</{_TAGS[sort]}>" for sort, text in blocks)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(_shown(title))}</title>'
            f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n")


def _shown(text):
    return visible(text.replace("\t", "    "))


def _write(path, text):
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def _paper():
    """An empty document of fpdf2 with its fonts; None if a library for it is missing."""
    try:
        from fpdf import FPDF
        from matplotlib import get_data_path
    except ImportError:
        return None
    paper = FPDF(format="A4")
    paper.set_lang("en")
    for family, style, name in (("sans", "", "Sans"), ("sans", "B", "Sans-Bold"), ("mono", "", "SansMono")):
        paper.add_font(family, style, str(Path(get_data_path()) / "fonts" / "ttf" / f"DejaVu{name}.ttf"))
    paper.add_page()
    return paper


def _print(paper, title, blocks):
    paper.set_title(_shown(title))
    for sort, text in blocks:
        family, style, size, height = _FONTS[sort]
        paper.set_font(family, style, size)
        paper.multi_cell(0, height, _shown(text), align="L", new_x="LMARGIN", new_y="NEXT")
        paper.ln(height / 3)


# Gradebooks


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
