"""What a teacher hands back, and keeps: a sheet for each learner, a table of totals, a summary of each problem.

    report/totals.csv        for each learner the points for each problem, their sum, and its share of all points
    report/summary.csv       for each problem how many tried, how many were right, and what was most often wrong
    report/summary.html      the same to be read
    report/sheets/ada.html   for the learner: every try, what was said about it, and hints; nothing of the solution
    report/sheets/ada.pdf    the same on paper, if the library fpdf2 is there
"""

import html
import re
from collections import Counter
from pathlib import Path

from rbdlib.verification.coursework.files import save_table, visible

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
