"""The sentences of a report, as text and as HTML. What learners wrote is data, and in HTML always escaped."""

import contextlib
import itertools
import re
import textwrap
from html import escape

import mpmath
import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.mechanics.quantities import DEPENDS_ON, GEOMETRIC, WITHOUT_GRAVITY
from rbdlib.verification.notation.reading import read
from rbdlib.verification.reasons.components import WORDS
from rbdlib.verification.reasons.sentences import PLURAL, entry_name, listed, places, word_for
from rbdlib.verification.trees.calculus import minus, plus
from rbdlib.verification.trees.dimensions_of_model import PLAIN, dimensions_of
from rbdlib.verification.trees.expression import Number, Symbol, TooLarge, symbols, terms, to_latex, to_text
from rbdlib.verification.trees.names import GREEK_NAMES, canonical

WIDTH = 100
#: Entries, and values of a state, that are listed one by one; of larger ones the first are.
MOST_ENTRIES, MOST_VALUES = 12, 40
#: Places that are named one by one, where it is said which entries agree.
MOST_LISTED = 8
#: Explanations that are told; the others are in ``explanations``.
MOST_EXPLANATIONS = 2
#: Smaller numbers are what is left of 0 after rounding.
ZERO = 1e-28
#: Longer formulas are not shown; still shorter ones are shown within a sentence.
LONGEST_FORMULA, _MOST_FORMULA = 400, 60


def side_by_side(finding, report):
    """The learner's text in one place and the right one, a pair; None if there is none, or if it may not be shown."""
    pair = finding.found, finding.correction
    shown_at_all = report.reveal and all(pair) and pair[0] != pair[1]
    return pair if shown_at_all and max(map(len, pair)) < LONGEST_FORMULA else None


def as_written(text, report):
    """Formulas in a text as the learner writes them: l^2, unless the answer itself has l**2, and varphi for phi."""
    for variant, name in GREEK_NAMES.items():
        if variant != name and variant in report.source and not re.search(f"(?<!var){name}", report.source):
            text = re.sub(rf"\b{name}(?![A-Za-z])", variant, text)
    return text if "**" in report.source else text.replace("**", "^")


def agreement(good, bad, word="entry"):
    """Sentences on which entries agree and which do not: pairs (whether they agree, sentence)."""
    def those(indices):
        more = f" and {len(indices) - MOST_LISTED} more" if len(indices) > MOST_LISTED else ""
        return _capital(places(indices[:MOST_LISTED], word)) + more

    if not good:                                        # the first line of the report says so
        return []
    verb = "hold" if word == "equation" else "agree"
    said = f"{those(good)} {verb}{'s' if len(good) == 1 else ''}."
    if len(good) > MOST_LISTED and len(bad) <= MOST_LISTED:
        said = f"The other {len(good)} {PLURAL[word]} {verb}."
    return [(True, said), *([(False, f"{those(bad)} {'does not' if len(bad) == 1 else 'do not'}.")] if bad else [])]


def _capital(text):
    return text[:1].upper() + text[1:]


def shown(x, digits=6):
    """A number as text with so many significant digits."""
    return mpmath.nstr(mpmath.mpf(x) if abs(x) > ZERO else mpmath.mpf(0), digits).removesuffix(".0")


def shown_pair(yours, ours):
    """Two numbers as text, with as many digits as it takes to see that they differ."""
    for digits in (6, 12, 20, 35):
        pair = shown(yours, digits), shown(ours, digits)
        if pair[0] != pair[1] or yours == ours:
            break
    return pair


def state_values(state, letters=("q", "qd", "qdd", "tau")):
    """Pairs (name, value) of a `State`: the parameters, and those parts of it that are asked for."""
    return [*state.parameters.items(), *((f"{letter}{i}", x) for letter in letters
                                         for i, x in enumerate(getattr(state, letter), start=1))]


def counterexample_values(decision):
    """Pairs (name, text) of the values at the counterexample on which the quantity depends."""
    quantity, vocabulary, state = decision.quantity, decision.vocabulary, decision.counterexample
    sides = [side for *both, _ in decision.equations for side in both if side is not None]
    used = set().union(*map(symbols, sides if decision.array is None else decision.array.flat))
    named = vocabulary.own_symbols(used)
    parts = DEPENDS_ON.get(quantity.symbol, ("q", "qd", "qdd", "tau"))
    if not quantity.symbol and quantity.compare == "exact":              # of a point, or in other axes
        parts = DEPENDS_ON["a" if quantity.name.startswith("a") else "v"]
    pairs = state_values(state, parts)
    if quantity.symbol in WITHOUT_GRAVITY and used and "g" not in named:
        pairs = [pair for pair in pairs if pair[0] != "g"]
    if quantity.symbol in GEOMETRIC and used:
        dimensions = dimensions_of(vocabulary.names)
        pairs = [pair for pair in pairs if dimensions.get(pair[0], PLAIN)[0] == 0 or pair[0] in named]
    spelled = vocabulary.spellings(sorted(used, key=lambda s: (s.dots, s.name)))
    called = {own: to_text(symbol) for own, symbol in spelled.items()           # what the learner calls otherwise
              if symbol.name != canonical(own) and (
                  compact(symbol.name) == compact(own) or compact(symbol.name) not in vocabulary.names.own)}
    own = {f"{letter}{i}": Symbol(s.name, dots) for dots, letter in enumerate(("q", "qd", "qdd"))   # given defines them
           for i, s in enumerate(vocabulary.coordinates() or (), start=1)
           if s.name not in vocabulary.names.own or compact(s.name) in vocabulary.definitions}
    own |= {name: Symbol(name) for name in state.parameters if compact(name) in vocabulary.definitions}
    values = vocabulary.values(state, own.values())
    constants = sorted((definition.name, shown(float(definition.tree.value)))
                       for definition in vocabulary.definitions.values() if isinstance(definition.tree, Number))
    constants += [("t", shown(state.t))] * ("t" in named)
    return constants + [
        (to_text(own[name]), shown(values[own[name]])) if name in own else (called.get(name, name), shown(x))
        for name, x in pairs if name not in {f"tau{i + 1}" for i in vocabulary.prescribed}]


def blocks(report):
    """The contents of a report, in order, as text and as HTML: pairs (sort, content)."""
    decision = report.decision
    yield "first", verdict_line(report)
    if decision.problem:
        shown_there = "\n" in decision.problem          # a line of the answer, with a mark below
        yield "problem", decision.problem if shown_there else as_written(decision.problem, report)
    if report.verdict == "wrong":
        if len(report.entries) > 1:
            good, bad = ([entry.index for entry in report.entries if entry.ok is ok] for ok in (True, False))
            yield from (("agreement", pair) for pair in agreement(good, bad, word_for(decision))
                        if pair[0] or not _together(decision))
        yield from (("sentence", sentence) for sentence in kind_sentences(report))
    for heading, findings in reasons(report):                  # as text of wrong answers only
        yield "heading", heading
        yield from (("finding", finding) for finding in findings)
    for entry, tree in report.residuals if report.reveal and report.verdict == "wrong" else ():
        place = f" to {places([entry], word_for(decision))}" if len(report.entries) > 1 else ""
        if decision.equations:                          # it is the left less the right side that lacks it
            left, right, _ = decision.equations[entry[0] if entry else 0]
            longer = right is not None and len(terms(right)) >= len(terms(left))
            side, tree = ("right", plus(*map(minus, terms(tree)))) if longer else ("left", tree)
            place = f" to the {side} side{' of' * bool(place)}{place.removeprefix(' to')}"
        yield "residual", (f"What would have to be added{place}: ", tree)
    if report.entries and (not report.ok or len(report.entries) > 1):
        yield "entries", report.entries                         # as HTML only
    if decision.counterexample is not None:
        yield "values", counterexample_values(decision)
        if report.verdict == "wrong" and decision.quantity.compare == "constant":
            yield "constant", "A constant may be added; but the difference here is not the same in every state."
    yield "certainty", report.certainty
    yield "notes", report.notes
    if report.verdict == "wrong" and report.findings and not report.explanations and not decision.problem:
        moving = "qd" in DEPENDS_ON.get(decision.quantity.symbol, ("qd",))
        first = "set all velocities to zero, then all angles" if moving else "set all angles to zero"
        yield "advice", (f"What helps now: {first}, and see which terms are left in your answer; or hand in the "
                         "derivation line by line with verify_steps.")


def lines(report):
    """The lines of a report."""
    wrong, told = report.verdict == "wrong", list(report.notes)
    if report.ok:                                          # on a right answer together, without what need not be known
        told = list(filter(None, [" ".join(note for note in told if ", as stated" not in note)]))
    as_lines = {
        "first": lambda text: [text],
        "agreement": lambda pair: indented(f"{'✓' if pair[0] else '✗'} {pair[1]}"),
        "heading": lambda text: indented(text) if wrong else [],
        "finding": lambda finding: _finding_lines(finding, report) if wrong else [],
        "residual": lambda pair: indented(as_written(pair[0] + to_text(pair[1]), report)),
        "constant": lambda text: indented(f"({text})"), "entries": lambda _: [],
        "values": lambda pairs: _counterexample_lines(report, pairs) if wrong else [],
        "notes": lambda _: [line for note in told for line in indented(f"Note: {note}")]}
    return [line for sort, content in blocks(report) for line in as_lines.get(sort, indented)(content)]


def verdict_line(report):
    """The first line of a report."""
    title = report.decision.quantity.title
    if report.ok:
        return f"✓ Right: {title}."
    if not report.understood:
        return f"? Not understood: {title} could not be compared."
    if report.verdict in ("incomplete", "right in another convention"):
        return f"? {_capital(report.verdict)}: {title}."
    wrong, count = sum(not entry.ok for entry in report.entries), len(report.entries)
    kind = PLURAL[word_for(report.decision)]
    how_many = f"{wrong} of {count} {kind} differ{'s' if wrong == 1 else ''}" if wrong < count else (
        f"{'both' if count == 2 else f'all {count}'} {kind} differ")
    if joint := _together(report.decision):
        how_many = f"{places(joint, 'equation')} cannot hold together"
    return f"✗ Not right yet: {title}{f'; {how_many}' if wrong and count > 1 else ''}."


def _together(decision):
    """The places of equations that no values of the unknowns in them fulfil together."""
    return [entry.index for entry in decision.entries if not entry.ok and entry.yours is None and decision.equations]


def indented(text, indent="  "):
    """Paragraphs wrapped to the width of a page; lines that are set out with spaces stay as they are."""
    wrapped = textwrap.TextWrapper(WIDTH, indent, indent, break_long_words=False, break_on_hyphens=False).wrap
    return [part for line in text.splitlines()
            for part in ([indent + line] if line.startswith(" ") else wrapped(line))]


def entry_formula(decision, entry, write=to_text):
    """The learner's formula for an entry as text (or LaTeX, with ``to_latex``); "" if there is none or it is long."""
    index, array = entry.index, decision.array
    try:
        if decision.equations:
            left, right, _ = decision.equations[index[0] if index else 0]
            text = write(left) + ("" if right is None else f" = {write(right)}")
        elif array is None:
            return ""
        else:
            found = array[index] if len(index) <= array.ndim else array.ravel()[index[0]]
            text = ", ".join(map(write, np.ravel(found)))                   # of a row of K, each of its entries
    except (TooLarge, IndexError):
        return ""
    return text if len(text) <= LONGEST_FORMULA * (1 + 2 * (write is to_latex)) else ""


def _counterexample_lines(report, pairs):
    decision = report.decision
    named = [*(f"{a} = {b}" for a, b in pairs[:MOST_VALUES]), *["..."] * (len(pairs) > MOST_VALUES)]
    lines = indented(f"For example, for {', '.join(named)}:")
    joint = _together(decision)
    wrong = [entry for entry in decision.entries if not entry.ok and entry.index not in joint]
    for entry in wrong[:MOST_ENTRIES]:
        lines += indented(comparison(decision, entry), "    ")
    if joint:
        lines += indented(f"no values of the unknowns fulfil {places(joint, 'equation')}.", "    ")
    if len(wrong) > MOST_ENTRIES:
        lines.append(f"    ... and {len(wrong) - MOST_ENTRIES} more.")
    return [as_written(line, report) for line in lines]


def comparison(decision, entry):
    """The value of the learner's formula at the counterexample and the right one, in a sentence."""
    yours, ours = shown_pair(entry.yours, entry.ours)
    if decision.quantity.compare == "identity":
        return f"the left side is {yours}, the right side {ours}."
    name = f"{entry_name(decision, entry.index)}: "
    if decision.quantity.compare == "rows":
        return f"{name}times the velocities it is {yours}; it must be 0." if yours != "0" else (
            f"{name}only the last entry, for k, is not right.")
    if not decision.equations:
        return f"{name if entry.index else ''}you have {yours}; right is {ours}."
    name, formula = name if len(decision.entries) > 1 else "", entry_formula(decision, entry)
    if yours == "0":
        return f"{name}it holds for these numbers, but not for others."
    of = f"in {formula} the" if 0 < len(formula) < _MOST_FORMULA else "the"
    return f"{name}{of} left minus the right side is {yours}; it must be 0."


def kind_sentences(report):
    """Which kinds of terms agree and which do not, in sentences; wrong entries of which the same is true together."""
    alike = {}
    for entry in report.entries:
        parts = [part for part in report.kinds if part.entry == entry.index and not entry.ok]
        good, bad = (tuple(part.kind for part in parts if part.ok is ok) for ok in (True, False))
        if bad:
            alike.setdefault((good, bad), []).append(entry.index)
    for (good, bad), indices in [*alike.items()][:MOST_ENTRIES]:
        where = "" if len(report.entries) < 2 else f"In {places(indices, word_for(report.decision))}: "
        rest = f"; the {listed(good)} terms are right" if good else ""
        yield _capital(f"{where}the trouble is in the {listed(WORDS[kind] for kind in bad)}{rest}.")


def reasons(report):
    """Pairs (heading, findings) of what is said about the reason: the likeliest explanation, and others."""
    if not report.explanations:
        return [("Where to look:", report.findings)] if report.findings else []
    first, *others = report.explanations
    told = {finding.sentence for finding in first}
    heading = ("Likely reasons; together they explain exactly what differs:" if len(first) > 1 else
               "Likely reason; it explains exactly what differs:")
    more = [("Or else:", findings) for findings in others if len(findings) <= len(first)
            and told.isdisjoint(finding.sentence for finding in findings) and not _same_places(first, findings)]
    return [(heading, first), *more[: MOST_EXPLANATIONS - 1]]


def _same_places(first, findings):
    """True if all findings stand within, or around, the places of the first ones: they say the same otherwise."""
    return all(any(a.entry == b.entry and a.span and b.span and (
        a.span[0] <= b.span[0] and b.span[1] <= a.span[1] or b.span[0] <= a.span[0] and a.span[1] <= b.span[1])
        for b in first) for a in findings)


def _finding_lines(finding, report):
    below, pair = pointed(report.source, finding.span), side_by_side(finding, report)
    if pair and sum(map(len, pair)) < WIDTH:
        yours, right = (as_written(text, report) for text in pair)
        below = [*below, f"you have:    {yours}", f"right there: {right}"]
    return [*indented(f"→ {as_written(finding.sentence, report)}", "    "), *(f"      {line}" for line in below)]


def pointed(source, span):
    """The line of the source text in which a span begins, with a line of carets below it; empty if there is none."""
    if not source or span is None:
        return []
    first = source.rfind("\n", 0, span[0]) + 1
    line = source[first:].split("\n", 1)[0]
    start, end = span[0] - first, min(span[1] - first, len(line))
    if len(line) > WIDTH - 8:
        width = WIDTH - 14
        cut = max(0, min(start - 20, len(line) - width))
        more = ("..." if cut else "   ", "..." if cut + width < len(line) else "")
        line, start, end = more[0] + line[cut : cut + width] + more[1], start - cut + 3, min(end - cut, width) + 3
    return [line.replace("\t", " "), " " * start + "^" * max(1, end - start)]


# HTML for a notebook: tables with ticks and crosses


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
    parts = [as_html.get(sort, paragraphs)(content) for sort, content in blocks(report)]
    return framed(parts, verdict_line(report))


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
    entries = sorted(wrong_first[: 4 * MOST_ENTRIES], key=lambda entry: entry.index)
    for entry in entries:
        latex, sign = entry_formula(decision, entry, to_latex), "✓" if entry.ok else "✗"
        verdict = f"{signed(sign)} {'agrees' if entry.ok else 'differs'}"
        rows.append([plain(entry_name(decision, entry.index)), f"<span style='white-space:nowrap'>{verdict}</span>",
                     maths(latex) if latex else "(too long to show, or a function)"])
        if decision.counterexample is not None:
            rows[-1] += map(plain, ("", "") if entry.index in _together(decision) else shown_pair(
                entry.ours if entry.ok else entry.yours, entry.ours))
    values = {"identity": ("Left side", "Right side"), "rows": ("Times the velocities", "Must be")}.get(
        decision.quantity.compare, ("Left minus right side", "Must be") if decision.equations else (
            "Your value", "Right value"))
    heads = ("Place", "Verdict", "Your formula", *(() if decision.counterexample is None else values))
    more = len(report.entries) - len(entries)
    return table(heads, rows) + (f"<div>and {more} more.</div>" if more else "")


def _finding(finding, report):
    parts = [f"→ {plain(as_written(finding.sentence, report))}"]
    if lines := pointed(report.source, finding.span):
        text, carets = lines
        start, end = carets.index("^"), len(carets)
        place = f"<b style='text-decoration:underline; text-underline-offset:0.2em'>{plain(text[start:end])}</b>"
        parts.append(f"<div><code>{plain(text[:start].lstrip())}{place}{plain(text[end:])}</code></div>")
    if pair := side_by_side(finding, report):
        parts.append(_table([f"<th scope='col' {CELL}>{text}</th>" for text in ("You have", "Right there")],
                            [[f"<td {CELL}>{_typeset(text, report.decision)}</td>" for text in pair]]))
    return f"<div>{''.join(parts)}</div>"


def _typeset(text, decision):
    """A formula that rbdlib has written as text, typeset."""
    with contextlib.suppress(ValueError, AttributeError):
        latex = to_latex(read(text, decision.vocabulary.known_names()).trees[0])
        if len(latex) < 3 * LONGEST_FORMULA:
            return maths(latex)
    return f"<code>{plain(text)}</code>"
