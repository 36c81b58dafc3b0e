"""What the learner gets back: the verdict first, then what agrees and what does not, with numbers, and why.

    report = verify(model, "H", "[[...], [...]]")
    report.ok                   True or False
    print(report)               sentences;  in a notebook a table
    report.to_json()            the same for programs
"""

import json
import textwrap
from dataclasses import dataclass, replace

import numpy as np

from rbdlib.verification.answer_lines import place_name
from rbdlib.verification.expression import TooLarge, to_latex, to_text

WIDTH = 100
#: Entries, and values of a state, that are listed one by one; of larger ones the first are.
MOST_ENTRIES, MOST_VALUES = 12, 40
#: Explanations that are told; the others are in ``explanations``.
MOST_EXPLANATIONS = 2
#: Longer formulas are not shown.
LONGEST_FORMULA = 400
#: Parts of a state on which a quantity depends; all others depend on q, qd, qdd and tau.
_BY_Q, _BY_QD, _BY_QDD = ("q",), ("q", "qd"), ("q", "qd", "qdd")
DEPENDS_ON = {**dict.fromkeys(("H", "g", "V", "com", "X", "S", "J", "phi", "K"), _BY_Q),
              **dict.fromkeys(("C", "bias", "T", "L", "E", "p", "impulse", "momentum", "v", "Jdot", "k"), _BY_QD),
              **dict.fromkeys(("tau", "a"), _BY_QDD)}


@dataclass(frozen=True, eq=False)
class Report:
    """The result of a verification.

    decision: a `decide.Decision`.  findings: why the answer is wrong, a tuple; each finding has a ``sentence``, and a
    ``span`` in the answer's text (or None), a ``kind`` and an ``entry``.  source: the answer's text, if it was text.
    seed: what the random states were drawn from.  explanations: tuples of findings, the likeliest first; each of them
    would make the answer exactly right; empty if none was found, and then the findings say only where the trouble is.
    kinds: which kinds of terms agree, a tuple of `kinds.KindReport`.
    """

    decision: object
    findings: tuple = ()
    source: str = ""
    seed: int = 0
    explanations: tuple = ()
    kinds: tuple = ()

    @property
    def ok(self):
        """Whether the answer is right."""
        return self.decision.ok

    @property
    def understood(self):
        """Whether the answer could be read and compared."""
        return self.ok or bool(self.decision.entries)

    @property
    def verdict(self):
        """"right", "wrong" or "not understood"."""
        return "right" if self.ok else "wrong" if self.understood else "not understood"

    @property
    def entries(self):
        """The verdict on each entry, a tuple of `decide.Entry`; for equations, on each equation."""
        return self.decision.entries

    @property
    def problem(self):
        """Why the answer could not be compared, or what it leaves open; "" if there is nothing to say."""
        return self.decision.problem

    @property
    def counterexample(self):
        """A `states.State` at which a wrong answer differs, or None."""
        return self.decision.counterexample

    @property
    def notes(self):
        """Sentences on how the answer was understood."""
        return self.decision.notes

    @property
    def certainty(self):
        """How sure the decision is, in words."""
        if self.ok or not self.understood:
            return self.decision.certainty
        return "This is certain: at the values above your answer and the right result differ." if (
            self.decision.yours is not None) else ""

    def __str__(self):
        return "\n".join(_lines(self))

    __repr__ = __str__

    def _repr_html_(self):
        from rbdlib.verification.html import report_html

        return report_html(self)

    def to_dict(self):
        """The report as plain dicts, lists, text and numbers."""
        decision, state = self.decision, self.decision.counterexample
        return {
            "ok": bool(self.ok), "verdict": self.verdict, "quantity": decision.quantity.name,
            "problem": decision.problem, "notes": list(self.notes), "certainty": self.certainty, "seed": self.seed,
            "entries": [{"index": [int(i) for i in entry.index], "ok": bool(entry.ok), "yours": _float(entry.yours),
                         "ours": _float(entry.ours)} for entry in self.entries],
            "counterexample": {name: _float(x) for name, x in state_values(state)} if state else None,
            "findings": [finding_dict(finding) for finding in self.findings],
            "explanations": [[finding_dict(finding) for finding in found] for found in self.explanations],
            "kinds": [{"entry": _whole(part.entry), "kind": part.kind, "ok": bool(part.ok), "yours": _float(part.yours),
                       "ours": _float(part.ours)} for part in self.kinds],
        }

    def to_json(self, **options):
        """The report as JSON text. options: those of json.dumps, such as indent=2."""
        return json.dumps(self.to_dict(), ensure_ascii=False, **options)


def report(model, quantity, answer=None, given=None, seed=0, explain=True):
    """The `Report` on an answer; arguments and errors as for `rbdlib.verification.verify`. explain: whether to search
    for the reason if it is wrong."""
    from rbdlib.verification.decide import verify_numbers

    decision = verify_numbers(model, quantity, answer, given, seed)
    found = Report(decision, (), source_of(answer, decision), seed)
    return explained(found, answer) if explain else found


def explained(report, answer=None):
    """A report with the reason why the answer is wrong, as far as it is found. answer: needed if it is a function."""
    from rbdlib.verification.diagnosis import diagnose

    if report.ok or not report.understood:
        return report
    try:
        found = diagnose(report.decision, answer)
    except Exception as error:                         # the verdict stands, whatever becomes of the explanation
        note = (f"The search for the reason failed ({type(error).__name__}). The verdict does not depend on it; please "
                "tell the authors.")
        return replace(report, decision=replace(report.decision, notes=(*report.notes, note)))
    return replace(report, findings=tuple(found.findings), explanations=tuple(found.explanations),
                   kinds=tuple(found.kinds))


def source_of(answer, decision):
    """The text in which the spans of the answer's trees are; "" if it was no text or cannot be read."""
    from rbdlib.verification.reading import read

    if answer is None or (decision.problem and not decision.entries):
        return ""
    try:
        return read(answer, decision.vocabulary.known_names()).source
    except ValueError:
        return ""


def finding_dict(finding):
    """A finding as a dict for JSON."""
    entry = getattr(finding, "entry", None)
    return {"sentence": finding.sentence, "kind": getattr(finding, "kind", ""), "span": _whole(finding.span),
            "entry": _whole(entry)}


def _whole(place):
    return None if place is None else [int(i) for i in np.ravel(place)]


def _float(x):
    return None if x is None else float(x)


# Values


def shown(x, digits=6):
    """A number as text with so many significant digits."""
    import mpmath

    text = mpmath.nstr(mpmath.mpf(x), digits)
    return text.removesuffix(".0")


def shown_pair(yours, ours):
    """Two numbers as text, with as many digits as it takes to see that they differ."""
    for digits in (6, 12, 20, 35):
        pair = shown(yours, digits), shown(ours, digits)
        if pair[0] != pair[1]:
            return pair
    return pair


def state_values(state, letters=("q", "qd", "qdd", "tau")):
    """Pairs (name, value) of a `State`: the parameters, and those parts of it that are asked for."""
    pairs = list(state.parameters.items())
    for letter in letters:
        pairs += [(f"{letter}{i}", x) for i, x in enumerate(getattr(state, letter), start=1)]
    return pairs


def counterexample_values(decision):
    """Pairs (name, text) of the values at the counterexample on which the quantity depends."""
    pairs = state_values(decision.counterexample, DEPENDS_ON.get(decision.quantity.symbol, ("q", "qd", "qdd", "tau")))
    return [(name, shown(x, 6)) for name, x in pairs]


# Text


def _lines(report):
    decision = report.decision
    if report.verdict == "not understood":
        return [f"✗ Not understood: {decision.quantity.title} could not be compared.",
                *indented(decision.problem or "Nothing was compared."), *_notes(report)]
    lines = [verdict_line(report)]
    if decision.problem:
        lines += indented(decision.problem)
    if not report.ok:
        lines += _entry_lines(report)
        if decision.counterexample is not None:
            lines += _counterexample_lines(decision)
        lines += [line for sentence in kind_sentences(report) for line in indented(sentence)]
        for heading, findings in reasons(report):
            lines += indented(heading)
            lines += [line for finding in findings for line in _finding_lines(finding, report.source)]
    return [*lines, *_notes(report), *indented(report.certainty)]


def verdict_line(report):
    """The first line of a report."""
    title = report.decision.quantity.title
    if report.ok:
        return f"✓ Right: {title}."
    wrong, count = sum(not entry.ok for entry in report.entries), len(report.entries)
    if count == 1 or not wrong:
        return f"✗ Not right yet: {title}."
    kind = "equations" if report.decision.equations else "entries"
    return f"✗ Not right yet: {title}; {wrong} of {count} {kind} differ{'s' if wrong == 1 else ''}."


def _notes(report):
    return [line for note in report.notes for line in indented("Note: " + note)]


def indented(text, indent="  "):
    """Paragraphs wrapped to the width of a page; lines that are set out with spaces stay as they are."""
    lines = []
    for line in text.splitlines():
        if line.startswith(" "):
            lines.append(indent + line)
        elif line:
            lines += textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent,
                                   break_long_words=False, break_on_hyphens=False)
    return lines


def entry_name(decision, entry):
    """What an entry is called in the report: "row 1, column 2", "equation 2", "your formula"."""
    if decision.equations and decision.quantity.compare != "identity":
        return f"equation {entry.index[0] + 1}"
    return place_name(entry.index) if entry.index else "your formula"


def entry_formula(decision, entry, write=to_text):
    """The learner's formula for an entry as text (or LaTeX, with ``to_latex``); "" if there is none or it is long."""
    try:
        if decision.equations:
            left, right, _ = decision.equations[entry.index[0] if entry.index else 0]
            text = write(left) + ("" if right is None else f" = {write(right)}")
        elif decision.array is not None:
            text = write(decision.array[entry.index] if entry.index in np.ndindex(decision.array.shape)
                         else decision.array.ravel()[entry.index[0]])
        else:
            return ""
    except (TooLarge, IndexError):
        return ""
    return text if len(text) <= LONGEST_FORMULA * (1 + 2 * (write is to_latex)) else ""


def _entry_lines(report):
    decision = report.decision
    if len(report.entries) < 2:
        return []
    lines = []
    good = [entry_name(decision, entry) for entry in report.entries if entry.ok]
    if good:
        more = f" and {len(good) - MOST_ENTRIES} more" if len(good) > MOST_ENTRIES else ""
        verb = {"equations": "holds" if len(good) == 1 else "hold"}.get(decision.quantity.compare, None)
        verb = verb or ("agrees" if len(good) == 1 else "agree")
        lines += indented(f"✓ {'; '.join(good[:MOST_ENTRIES])}{more} {verb}.")
    bad = [entry_name(decision, entry) for entry in report.entries if not entry.ok]
    more = f" and {len(bad) - MOST_ENTRIES} more" if len(bad) > MOST_ENTRIES else ""
    return lines + (indented(f"✗ {'; '.join(bad[:MOST_ENTRIES])}{more} {'does' if len(bad) == 1 else 'do'} not.")
                    if bad else [])


def _counterexample_lines(decision):
    pairs = counterexample_values(decision)
    more = ", ..." if len(pairs) > MOST_VALUES else ""
    lines = indented("For example, for " + ", ".join(f"{a} = {b}" for a, b in pairs[:MOST_VALUES]) + more + ":")
    wrong = [entry for entry in decision.entries if not entry.ok]
    for entry in wrong[:MOST_ENTRIES]:
        lines += indented(comparison(decision, entry), "    ")
    if len(wrong) > MOST_ENTRIES:
        lines.append(f"    ... and {len(wrong) - MOST_ENTRIES} more.")
    if decision.quantity.compare == "constant":
        lines += indented("(A constant may be added; but the difference here is not the same in every state.)")
    return lines


def comparison(decision, entry):
    """What the learner's formula gives at the counterexample, and what is right, in a sentence."""
    yours, ours = shown_pair(entry.yours, entry.ours)
    if decision.quantity.compare == "identity":
        return f"the left side is {yours}, the right side {ours}."
    if decision.equations:
        formula = entry_formula(decision, entry)
        return (f"{entry_name(decision, entry)}{f' ({formula})' if formula and len(formula) < WIDTH else ''}: left "
                f"minus right side is {yours}, and must be 0.")
    return f"{entry_name(decision, entry)}: you have {yours}, and {ours} is right."


def kind_sentences(report):
    """For each wrong entry, which kinds of terms agree and which do not, in a sentence."""
    sentences = []
    for entry in report.entries:
        parts = [part for part in report.kinds if part.entry == entry.index and not entry.ok]
        good, bad = ([part.kind for part in parts if part.ok is ok] for ok in (True, False))
        if good and bad:
            sentences.append(f"{entry_name(report.decision, entry)}: {', '.join(good)} terms agree; "
                             f"{', '.join(bad)} terms do not.")
    return sentences[:MOST_ENTRIES]


def reasons(report):
    """Pairs (heading, findings) of what is said about the reason: the likeliest explanation, and others."""
    if not report.explanations:
        return [("Where to look:", report.findings)] if report.findings else []
    found = []
    for i, findings in enumerate(report.explanations[:MOST_EXPLANATIONS]):
        several = f"these {len(findings)} things together" if len(findings) > 1 else "this"
        found.append((f"Your answer would be exactly right but for {several}:" if i == 0 else "Or, but for "
                      f"{several}:", findings))
    return found


def _finding_lines(finding, source):
    return [*indented("→ " + finding.sentence, "    "), *("      " + line for line in pointed(source, finding.span))]


def pointed(source, span):
    """The line of the source text in which a span begins, with a line of carets below it; empty if there is none."""
    if not source or span is None:
        return []
    start, end = span
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    line = source[first : last if last >= 0 else len(source)]
    end = min(end - first, len(line))
    start -= first
    if len(line) > WIDTH - 8:
        width = WIDTH - 14
        cut = max(0, min(start - 20, len(line) - width))
        more = ("..." if cut else "   ", "..." if cut + width < len(line) else "")
        line, start, end = more[0] + line[cut : cut + width] + more[1], start - cut + 3, min(end - cut, width) + 3
    return [line.replace("\t", " "), " " * start + "^" * max(1, end - start)]
