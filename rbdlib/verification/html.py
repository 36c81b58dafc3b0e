"""Reports as HTML for a notebook: tables with ticks and crosses. What learners wrote is data and always escaped."""

from html import escape

from rbdlib.verification.expression import to_latex
from rbdlib.verification.report import (
    MOST_ENTRIES,
    counterexample_values,
    entry_formula,
    entry_name,
    kind_sentences,
    pointed,
    reasons,
    shown_pair,
    verdict_line,
)

#: Blue and orange, which colour-blind readers can tell apart; ticks and crosses say the same.
GOOD, BAD = "#0072b2", "#b34700"
_CELL = "style='text-align:left; vertical-align:top; padding:0.2em 0.8em'"
#: Characters with which MathJax begins a formula; each is put into an element of its own, which stops it.
_MATHS = ("$", "\\")


def plain(text):
    """Text that is shown as it is: escaped for HTML, and never typeset as mathematics."""
    escaped = escape(str(text), quote=True)
    for character in _MATHS:
        escaped = escaped.replace(character, f"<span>{character}</span>")
    return escaped


def mark(ok, words=("agrees", "differs")):
    """A tick or a cross with a word beside it."""
    colour, sign, word = (GOOD, "✓", words[0]) if ok else (BAD, "✗", words[1])
    return f"<span style='color:{colour}; white-space:nowrap'><b>{sign}</b> {word}</span>"


def report_html(report):
    """The HTML of a `report.Report`."""
    decision = report.decision
    parts = [_headline(report)]
    if decision.problem:
        parts.append(preformatted(decision.problem))
    if report.entries and (not report.ok or len(report.entries) > 1):
        parts.append(_entries(report))
    if decision.counterexample is not None:
        values = ", ".join(f"{plain(name)} = {plain(x)}" for name, x in counterexample_values(decision))
        parts.append(f"<div>The values are those for {values}.</div>")
    if decision.counterexample is not None and decision.quantity.compare == "constant":
        parts.append("<div>A constant may be added; but the difference here is not the same in every state.</div>")
    parts += [f"<div>{plain(sentence)}</div>" for sentence in kind_sentences(report)]
    for heading, findings in reasons(report):
        parts.append(f"<div><b>{plain(heading)}</b></div>")
        parts += [_finding(finding, report.source) for finding in findings]
    parts += [f"<div><i>Note:</i> {plain(note)}</div>" for note in report.notes]
    if report.certainty:
        parts.append(f"<div><small>{plain(report.certainty)}</small></div>")
    return f"<div class='rbdlib-report'>{''.join(parts)}</div>"


def _headline(report):
    if report.verdict == "not understood":
        text = f"✗ Not understood: {report.decision.quantity.title} could not be compared."
    else:
        text = verdict_line(report)
    return f"<div style='color:{GOOD if report.ok else BAD}'><b>{plain(text)}</b></div>"


def preformatted(text):
    """Text whose line breaks and columns count."""
    return f"<pre style='white-space:pre-wrap'>{plain(text)}</pre>"


def _entries(report):
    decision = report.decision
    wrong = [entry for entry in report.entries if not entry.ok]
    entries = sorted((wrong + [entry for entry in report.entries if entry.ok])[: 4 * MOST_ENTRIES],
                     key=lambda entry: entry.index)
    rows = "".join(_row(decision, entry) for entry in entries)
    more = len(report.entries) - len(entries)
    rest = f"<div>and {more} more.</div>" if more else ""
    equations = decision.equations and decision.quantity.compare != "identity"
    heads = ("", "Verdict", "Your formula") + (
        () if decision.yours is None else ("Left minus right side", "Must be") if equations
        else ("Left side", "Right side") if decision.equations else ("Your value", "Right value"))
    head = "".join(f"<th {_CELL}>{text}</th>" for text in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def _row(decision, entry):
    latex = entry_formula(decision, entry, to_latex)
    formula = f"${escape(latex)}$" if latex else "(too long to show, or a function)"
    cells = [plain(entry_name(decision, entry)), mark(entry.ok), formula]
    if decision.yours is not None:
        cells += [plain(text) for text in shown_pair(entry.yours, entry.ours)]
    return f"<tr>{''.join(f'<td {_CELL}>{cell}</td>' for cell in cells)}</tr>"


def _finding(finding, source):
    lines = pointed(source, finding.span)
    place = preformatted("\n".join(lines)) if lines else ""
    return f"<div><b>→</b> {plain(finding.sentence)}{place}</div>"
