"""Reports as HTML for a notebook: tables with ticks and crosses. What learners wrote is data and always escaped."""

import itertools
import re
from html import escape

from rbdlib.verification.notation.reading import read
from rbdlib.verification.reasons.sentences import entry_name
from rbdlib.verification.reports import report_text
from rbdlib.verification.trees.expression import to_latex

#: Blue and orange, which colour-blind readers can tell apart, and which can be read on white and on black. Only signs
#: are coloured, and ticks, crosses and words say the same.
GOOD, BAD, OPEN = "#1a7fc1", "#d9541e", "#8a7a00"
SIGNS = {"✓": GOOD, "✗": BAD, "?": OPEN}
CELL = "style='text-align:left; vertical-align:top; padding:0.2em 0.8em'"
_FIRST = CELL[:-1] + "; white-space:nowrap'"


def plain(text):
    """Text that is shown as it is: escaped for HTML, and never typeset as mathematics.

    Characters with which MathJax begins a formula are put into elements of their own, which stops it.
    """
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(str(text)))


def maths(latex):
    """A formula that is typeset; of nothing but LaTeX that rbdlib has written."""
    return f"${escape(latex)}$"


def signed(sign):
    """A sign in its colour, which a screen reader passes over, since words beside it say the same."""
    return f"<b aria-hidden='true' style='color:{SIGNS[sign[:1]]}'>{sign}</b>" if sign[:1] in SIGNS else plain(sign)


def headline(text):
    """The first line, a heading, whose sign is in colour."""
    said = f"{signed(text[:1])} {plain(text[1:].strip())}"
    return f"<div role='heading' aria-level='4' style='font-weight:bold'>{said}</div>"


def framed(parts, text):
    """The parts in a box that a screen reader can find, with a bar whose colour is that of the verdict."""
    bar = f"border-left:4px solid {SIGNS.get(text[:1], OPEN)}; padding-left:0.8em; max-width:60em"
    return f"<div class='rbdlib-report' role='group' aria-label='Verification' style='{bar}'>{''.join(parts)}</div>"


def report_html(report):
    """The HTML of a `report.Report`."""
    as_html = {
        "first": headline, "problem": paragraphs,
        "agreement": lambda pair: f"<div>{signed('✓' if pair[0] else '✗')} {plain(pair[1])}</div>",
        "heading": lambda text: f"<div style='margin-top:0.5em'><b>{plain(text)}</b></div>",
        "finding": lambda finding: _finding(finding, report),
        "residual": lambda pair: f"<div>{plain(pair[0])}{maths(to_latex(pair[1]))}</div>",
        "entries": lambda entries: _entries(report),
        "values": lambda pairs: f"<div>The values are those for {plain(', '.join(map(' = '.join, pairs)))}.</div>",
        "certainty": lambda text: f"<div><small>{plain(text)}</small></div>" if text else "",
        "notes": lambda notes: "".join(f"<div><i>Note:</i> {plain(note)}</div>" for note in notes)}
    parts = [as_html.get(sort, paragraphs)(content) for sort, content in report_text.blocks(report)]
    return framed(parts, report_text.verdict_line(report))


def paragraphs(text):
    """Sentences, and between them lines set out with spaces, in which columns count."""
    found = []
    for set_out, part in itertools.groupby(filter(str.strip, text.splitlines()), lambda line: line.startswith(" ")):
        if set_out:
            text = plain("\n".join(part))
            found.append(f"<pre style='white-space:pre; overflow-x:auto; margin:0.2em 0'>{text}</pre>")
        else:
            found += [f"<div>{plain(line)}</div>" for line in part]
    return "".join(found)


def table(heads, rows):
    """A table; each row begins with its heading. heads: text; rows: lists of HTML."""
    return _table([f"<th scope='col' {_FIRST}>{plain(text)}</th>" for text in heads], [
        [f"<th scope='row' {_FIRST}>{first}</th>", *(f"<td {CELL}>{x}</td>" for x in rest)] for first, *rest in rows])


def _table(heads, rows):
    """A table of cells in HTML. Wide tables are scrolled for themselves, so that the page is not."""
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return ("<div style='overflow-x:auto'><table style='margin:0.4em 0'>"
            f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table></div>")


def _entries(report):
    decision, rows = report.decision, []
    wrong_first = sorted(report.entries, key=lambda entry: entry.ok)
    entries = sorted(wrong_first[: 4 * report_text.MOST_ENTRIES], key=lambda entry: entry.index)
    for entry in entries:
        latex, sign = report_text.entry_formula(decision, entry, to_latex), "✓" if entry.ok else "✗"
        verdict = f"{signed(sign)} {'agrees' if entry.ok else 'differs'}"
        rows.append([plain(entry_name(decision, entry.index)), f"<span style='white-space:nowrap'>{verdict}</span>",
                     maths(latex) if latex else "(too long to show, or a function)"])
        if decision.counterexample is not None:
            rows[-1] += map(plain, report_text.shown_pair(entry.ours if entry.ok else entry.yours, entry.ours))
    values = ("Your value", "Right value") if not decision.equations else ("Left side", "Right side") if (
        decision.quantity.compare == "identity") else ("Left minus right side", "Must be")
    heads = ("Place", "Verdict", "Your formula", *(() if decision.counterexample is None else values))
    more = len(report.entries) - len(entries)
    return table(heads, rows) + (f"<div>and {more} more.</div>" if more else "")


def _finding(finding, report):
    parts = [f"→ {plain(report_text.as_written(finding.sentence, report))}"]
    if lines := report_text.pointed(report.source, finding.span):
        text, carets = lines
        start, end = carets.index("^"), len(carets)
        place = f"<b style='text-decoration:underline; text-underline-offset:0.2em'>{plain(text[start:end])}</b>"
        parts.append(f"<div><code>{plain(text[:start].lstrip())}{place}{plain(text[end:])}</code></div>")
    if pair := report_text.side_by_side(finding, report):
        parts.append(_table([f"<th scope='col' {CELL}>{text}</th>" for text in ("You have", "Right there")],
                            [[f"<td {CELL}>{_typeset(text, report.decision)}</td>" for text in pair]]))
    return f"<div>{''.join(parts)}</div>"


def _typeset(text, decision):
    """A formula that rbdlib has written as text, typeset."""
    try:
        latex = to_latex(read(text, decision.vocabulary.known_names()).trees[0])
    except (ValueError, AttributeError):
        return f"<code>{plain(text)}</code>"
    return maths(latex) if len(latex) < 3 * report_text.LONGEST_FORMULA else f"<code>{plain(text)}</code>"
