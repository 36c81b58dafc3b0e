"""The sentences of a report: used for its text, and in part for its HTML."""

import re
import textwrap

import mpmath
import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.trees.dimensions_of_model import PLAIN, dimensions_of
from rbdlib.verification.trees.expression import Symbol, TooLarge, symbols, to_latex, to_text

WIDTH = 100
#: Entries, and values of a state, that are listed one by one; of larger ones the first are.
MOST_ENTRIES, MOST_VALUES = 12, 40
#: Places that are named one by one, where it is said which entries agree.
MOST_LISTED = 8
_PLURAL = {"entry": "entries", "equation": "equations"}
#: Explanations that are told; the others are in ``explanations``.
MOST_EXPLANATIONS = 2
#: Smaller numbers are what is left of 0 after rounding.
ZERO = 1e-28
#: Kinds of terms in words.
EXPLAINED = {"inertial": "inertial terms (those with accelerations)", "gravity": "gravity terms",
             "damping": "damping terms (odd in the velocities)", "gravity and spring": "gravity and spring terms",
             "centrifugal": "centrifugal terms (those with the square of one velocity)",
             "Coriolis": "Coriolis terms (those with a product of two velocities)", "kinetic": "kinetic energy",
             "potential": "potential energy", "applied force": "applied forces"}
#: Longer formulas are not shown; still shorter ones are shown within a sentence.
MOST_FORMULA = 60
LONGEST_FORMULA = 400
#: Parts of a state on which a quantity depends; all others depend on q, qd, qdd and tau.
_BY_Q, _BY_QD, _BY_QDD = ("q",), ("q", "qd"), ("q", "qd", "qdd")
DEPENDS_ON = {
    **dict.fromkeys(("H", "g", "V", "com", "X", "S", "J", "phi", "K", "R", "A", "I", "Ic", "IA", "position", "det H",
                     "H inverse", "Lambda"), _BY_Q),
    **dict.fromkeys(("C", "bias", "T", "L", "E", "p", "impulse", "momentum", "v", "Jdot", "k", "velocity", "omega",
                     "h", "Hdot", "Christoffel C", "dT/dq", "dL/dq", "linear momentum", "angular momentum",
                     "dV/dt"), _BY_QD),
    **dict.fromkeys(("tau", "a", "acceleration", "alpha", "d/dt dL/dqd"), _BY_QDD)}
#: Quantities in which there is no gravity.
WITHOUT_GRAVITY = ("H", "C", "T", "p", "com", "X", "S", "J", "Jdot", "v", "a", "phi", "K", "k", "momentum", "impulse",
                   "R", "A", "I", "Ic", "position", "det H", "H inverse", "velocity", "omega", "h", "Hdot",
                   "Christoffel C", "dT/dq", "linear momentum", "angular momentum", "alpha")
#: Quantities that depend on no mass.
GEOMETRIC = ("X", "S", "J", "Jdot", "v", "a", "phi", "phidot", "phiddot", "K", "k", "R", "A", "position", "velocity",
             "acceleration", "omega", "alpha")


# Formulas


def side_by_side(finding, report):
    """The learner's text in one place and the right one, a pair; None if there is none, or if it may not be shown."""
    pair = getattr(finding, "found", ""), getattr(finding, "correction", "")
    shown_at_all = report.reveal and all(pair) and pair[0] != pair[1]
    return pair if shown_at_all and max(map(len, pair)) < LONGEST_FORMULA else None


def as_written(text, report):
    """Formulas in a text with powers as the learner writes them: l^2, unless the answer itself has l**2."""
    return text if "**" in report.source else text.replace("**", "^")


def residuals(report):
    """Pairs (place, formula) of what is to be added to wrong entries, if that may be shown."""
    return [(entry, tree) for entry, tree in report.residuals if len(to_text(tree)) < WIDTH] if report.reveal else []


# Lists of entries in words


def listed(names):
    """Names as a phrase: "1, 2 and 3"."""
    names = list(map(str, names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def places(indices, word="entry"):
    """Entries in words: "entries 1 and 3", "row 1, columns 2 and 3; row 2, column 1".

    indices: tuples, from 0. word: "entry" or "equation".
    """
    indices = sorted(indices)
    if len(indices[0]) == 2:
        rows = {}
        for i, j in indices:
            rows.setdefault(i, []).append(j + 1)
        return "; ".join(f"row {i + 1}, column{'s' if len(columns) > 1 else ''} {listed(columns)}"
                         for i, columns in rows.items())
    if not indices[0]:
        return "your formula"
    return f"{_PLURAL[word] if len(indices) > 1 else word} {listed(i + 1 for i, in indices)}"


def agreement(good, bad, word="entry", verbs=("agrees", "agree")):
    """Sentences on which entries agree and which do not: pairs (whether they agree, sentence)."""
    def those(indices):
        more = f" and {len(indices) - MOST_LISTED} more" if len(indices) > MOST_LISTED else ""
        return _capital(places(indices[:MOST_LISTED], word)) + more

    if not good:                                        # the first line of the report says so
        return []
    said = [(True, f"{those(good)} {verbs[len(good) > 1]}.")]
    if len(good) > MOST_LISTED and len(bad) <= MOST_LISTED:
        said = [(True, f"The other {len(good)} {_PLURAL[word]} {verbs[1]}.")]
    return said + ([(False, f"{those(bad)} {'does not' if len(bad) == 1 else 'do not'}.")] if bad else [])


def _capital(text):
    return text[:1].upper() + text[1:]


# Values


def shown(x, digits=6):
    """A number as text with so many significant digits."""
    text = mpmath.nstr(mpmath.mpf(x) if abs(x) > ZERO else mpmath.mpf(0), digits)
    return text.removesuffix(".0")


def shown_pair(yours, ours):
    """Two numbers as text, with as many digits as it takes to see that they differ."""
    if yours == ours:
        return shown(yours), shown(ours)
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


def _used(decision):
    """The symbols of the answer, a set."""
    trees = [*([] if decision.array is None else decision.array.flat), *(side for left, right, _ in decision.equations
                                                                        for side in (left, right))]
    return {x for tree in trees if tree is not None for x in symbols(tree)}


def _called(decision):
    """{own name: how the learner writes it}, for names that have a name of the learner's."""
    names = {}
    for symbol in sorted(_used(decision), key=lambda s: (s.dots, s.name)):
        own, dots = decision.vocabulary.meaning(symbol)
        own = getattr(getattr(own, "tree", None), "name", own)              # M, taken for m_cart
        if isinstance(own, str) and compact(symbol.name) not in {compact(own), *decision.vocabulary.names.own}:
            names.setdefault(decision.vocabulary.rated(own, dots)[0], to_text(symbol))
    for own, name in [*names.items()]:
        if re.fullmatch(r"q\d+", own) and "'" not in name:
            names = {f"qd{own[1:]}": f"{name}'", f"qdd{own[1:]}": f"{name}''"} | names
    return names


def counterexample_values(decision):
    """Pairs (name, text) of the values at the counterexample on which the quantity depends."""
    quantity, used = decision.quantity, _used(decision)
    named = decision.vocabulary.own_symbols(used)
    parts = DEPENDS_ON.get(quantity.symbol, ("q", "qd", "qdd", "tau"))
    if not quantity.symbol and quantity.compare == "exact":              # of a point, or in other axes
        parts = _BY_QDD if quantity.name.startswith("a") else _BY_QD
    pairs = state_values(decision.counterexample, parts)
    if quantity.symbol in WITHOUT_GRAVITY and used and "g" not in named:
        pairs = [pair for pair in pairs if pair[0] != "g"]
    if quantity.symbol in GEOMETRIC and used:
        dimensions = dimensions_of(decision.vocabulary.names)
        pairs = [pair for pair in pairs if dimensions.get(pair[0], PLAIN)[0] == 0 or pair[0] in named]
    called, own = _called(decision), _own_values(decision)
    return [(name, shown(x, 6)) for name, x in (own.get(name, (called.get(name, name), x)) for name, x in pairs)]


def _own_values(decision):
    """{name of the model: (name, value) of what the learner has in its place} at the counterexample, for coordinates
    that given defines.
    """
    names, found = decision.vocabulary.names, {}
    new = decision.vocabulary.coordinates() or []
    for dots, letter in enumerate(("q", "qd", "qdd")):
        wanted = [Symbol(s.name, dots) for s in new]
        values = decision.vocabulary.values(decision.counterexample, wanted)
        found |= {f"{letter}{i}": (to_text(s), values[s]) for i, s in enumerate(wanted, start=1)
                  if s.name not in names.own or compact(s.name) in decision.vocabulary.definitions}
    return found


# Text


def blocks(report):
    """The contents of a report, in order, as text and as HTML: pairs (sort, content)."""
    decision = report.decision
    yield "first", verdict_line(report)
    if decision.problem or not report.understood:
        yield "problem", decision.problem or "Nothing was compared."
    if report.verdict == "wrong":
        yield from (("agreement", pair) for pair in agreement_sentences(report))
        yield from (("sentence", sentence) for sentence in kind_sentences(report))
    for heading, findings in reasons(report):                  # as text of wrong answers only
        yield "heading", heading
        yield from (("finding", finding) for finding in findings)
    if report.verdict == "wrong":
        for entry, tree in residuals(report):
            place = f" to {places([tuple(entry)], _word(decision))}" if len(report.entries) > 1 else ""
            yield "residual", (f"What would have to be added{place}: ", tree)
    yield "values", None
    yield "notes", None
    if found := _advice(report):
        yield "advice", found


def lines(report):
    """The lines of a report."""
    wrong, told = report.verdict == "wrong", list(report.notes)
    if report.ok:                                          # on a right answer together, without what need not be known
        told = [note for note in [" ".join(note for note in told if "as given states" not in note)] if note]
    as_lines = {
        "first": lambda text: [text],
        "agreement": lambda pair: indented(f"{'✓' if pair[0] else '✗'} {pair[1]}"),
        "heading": lambda text: indented(text) if wrong else [],
        "finding": lambda finding: _finding_lines(finding, report) if wrong else [],
        "residual": lambda pair: indented(as_written(pair[0] + to_text(pair[1]), report)),
        "values": lambda _: (_counterexample_lines(report) if wrong and report.counterexample is not None else [])
        + indented(report.certainty),
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
    if count == 1 or not wrong:
        return f"✗ Not right yet: {title}."
    kind = "equations" if report.decision.equations else "entries"
    if wrong == count:
        return f"✗ Not right yet: {title}; {'both' if count == 2 else f'all {count}'} {kind} differ."
    return f"✗ Not right yet: {title}; {wrong} of {count} {kind} differ{'s' if wrong == 1 else ''}."


def agreement_sentences(report):
    """Pairs (whether they agree, sentence) on which entries agree and which do not."""
    if len(report.entries) < 2:
        return []
    good, bad = ([entry.index for entry in report.entries if entry.ok is ok] for ok in (True, False))
    return agreement(good, bad, *(("equation", ("holds", "hold")) if report.decision.equations else ()))


def _advice(report):
    """Advice where no explanation was found."""
    if report.ok or report.explanations or not report.understood or report.decision.problem or not report.findings:
        return ""
    moving = "qd" in DEPENDS_ON.get(report.decision.quantity.symbol, _BY_QD)
    first = "set all velocities to zero, then all angles" if moving else "set all angles to zero"
    return (f"What helps now: {first}, and see which terms are left in your answer; or hand in the derivation line by "
            "line with verify_steps.")


def _word(decision):
    return "equation" if decision.equations and decision.quantity.compare != "identity" else "entry"


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
    """The name of an entry in the report: "row 1, column 2", "equation 2", "your formula"."""
    return places([entry.index], _word(decision))


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


def _counterexample_lines(report):
    decision = report.decision
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
    return [as_written(line, report) for line in lines]


def comparison(decision, entry):
    """The value of the learner's formula at the counterexample and the right one, in a sentence."""
    yours, ours = shown_pair(entry.yours, entry.ours)
    if decision.quantity.compare == "identity":
        return f"the left side is {yours}, the right side {ours}."
    if decision.equations:
        formula = entry_formula(decision, entry)
        name = f"{entry_name(decision, entry)}: " if len(decision.entries) > 1 else ""
        of = f"in {formula} the" if formula and len(formula) < MOST_FORMULA else "the"
        if yours == "0":
            return f"{name}it holds for these numbers, but not for others."
        return f"{name}{of} left minus the right side is {yours}; it must be 0."
    return f"{f'{entry_name(decision, entry)}: ' if entry.index else ''}you have {yours}; right is {ours}."


def kind_sentences(report):
    """Which kinds of terms agree and which do not, in sentences; wrong entries of which the same is true together."""
    alike = {}
    for entry in report.entries:
        parts = [part for part in report.kinds if part.entry == entry.index and not entry.ok]
        good, bad = (tuple(part.kind for part in parts if part.ok is ok) for ok in (True, False))
        if bad:
            alike.setdefault((good, bad), []).append(entry.index)
    sentences = []
    for (good, bad), indices in alike.items():
        where = "" if len(report.entries) < 2 else f"In {places(indices, _word(report.decision))}: "
        off = f"the trouble is in the {listed(EXPLAINED.get(kind, kind) for kind in bad)}"
        rest = f"; the {listed(good)} terms are right" if good else ""
        sentences.append(_capital(f"{where}{off}{rest}."))
    return sentences[:MOST_ENTRIES]


def reasons(report):
    """Pairs (heading, findings) of what is said about the reason: the likeliest explanation, and others."""
    if not report.explanations:
        return [("Where to look:", report.findings)] if report.findings else []
    first = report.explanations[0]
    found = [("Likely reasons; together they explain exactly what differs:" if len(first) > 1 else
              "Likely reason; it explains exactly what differs:", first)]
    told = {finding.sentence for finding in first}
    for findings in report.explanations[1:]:
        if len(found) < MOST_EXPLANATIONS and len(findings) <= len(first) and not any(
                finding.sentence in told for finding in findings):
            found.append(("Or else:", findings))
    return found


def _finding_lines(finding, report):
    lines = [*indented("→ " + as_written(finding.sentence, report), "    "), *(
        "      " + line for line in pointed(report.source, finding.span))]
    pair = side_by_side(finding, report)
    if pair and sum(map(len, pair)) < WIDTH:
        lines += [f"      {label} {as_written(text, report)}"
                  for label, text in zip(("you have:   ", "right there:"), pair, strict=True)]
    return lines


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
