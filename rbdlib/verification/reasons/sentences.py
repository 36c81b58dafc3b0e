"""Sentences to the learner about a mistake: where it is and which question leads to it, not what is right."""

from collections import Counter
from dataclasses import dataclass, replace

from rbdlib.verification.reasons.components import WORDS, depends_on
from rbdlib.verification.reasons.edits import SECOND
from rbdlib.verification.reasons.hypotheses import MISTAKES
from rbdlib.verification.reasons.pool import factored, product
from rbdlib.verification.trees.calculus import minus
from rbdlib.verification.trees.expression import Number, Symbol, postorder, shortened, symbols, terms, to_text
from rbdlib.verification.trees.network import replaced

PLURAL = {"entry": "entries", "equation": "equations", "row": "rows"}
#: Characters of a formula that are shown in a sentence.
_MOST = 80


@dataclass(frozen=True, eq=False)
class Finding:
    """One mistake.

    kind: a short name: "sign", "gravity reversed", "missing term", ..., or "unknown".  sentence: what was found, and a
    question that leads on.  span: (start, end) of the place in the learner's text, or None.  entry: the entry or line
    in which it is, from 0, or None if it is everywhere; entries: all of them, if it is in several.
    family: "system", "rule", "place", or "" if nothing fits.  found, correction: formulas, as text; the sentence does
    not give the answer away, but the correction does, so show it only to those who may see it.
    """

    kind: str
    sentence: str
    span: tuple | None = None
    entry: tuple | None = None
    family: str = ""
    found: str = ""
    correction: str = ""
    entries: tuple = ()


#: Sentences about a change of one place, by its kind; `case.Case.sentences`.
SENTENCES = MISTAKES["place"]


def of_edit(case, edit, index):
    """The `Finding` of one `edits.Edit` in one entry."""
    if edit.node is None or edit.added is not None:
        return of_missing(case, edit.new if edit.node is None else edit.added, index, edit.node)
    if edit.kind == "factor" and isinstance(edit.node, Number) and edit.term:
        around = (node for node in postorder(edit.term) if any(part is edit.node for part in node.parts))
        whole = next(around, edit.node)                 # 2*u, not the 2 alone
        edit = replace(edit, node=whole, new=replaced(whole, {id(edit.node): edit.new}))
    old, new = edit.node, edit.new
    turned = ()                                         # the right side, which was brought over with the other sign
    if case.equations and case.decision.equations[index[0] if index else 0][1] is not None:
        turned = case.trees[index].operands[1:]
    name, within = _definition_with(case, edit.node)
    if edit.kind == "symbol" and within is edit.node:   # one name for another
        name, within = "", None
    old, new, term, within = (tree and _named(case, tree, within) for tree in (old, new, edit.term, within))
    if any(edit.node is side for side in turned):
        old, new = minus(old), minus(new)
    term = minus(term) if any(edit.term is side for side in turned) else term
    part, span, beside = shortened(old, _MOST), old.span or span_of(term), within or edit.term is not edit.node and term
    term = shortened(beside, _MOST) if beside else "your formula"
    sentence = case.sentences[edit.kind]
    if edit.kind == "velocity" and _dots(case, old) == 2:
        sentence = sentence.replace("velocity", "acceleration")
    if edit.kind == "extra factor" and edit.node is edit.term:
        sentence = "{part} has a factor too many, or lacks a divisor. Compare the units of all terms."
    rest = f"In {name}: " if name else "" if len(case.trees) == 1 else f"In {entry_name(case, index)}: "
    return Finding(edit.kind, rest + sentence.format(part=part, term=term), span, index,
                   "place", to_text(old), to_text(product(*factored(new))), (index,))       # 8*x for 2*(4*x)


def _definition_with(case, node):
    """(name, formula) of the innermost definition of the answer in which a part stands; ("", None) if there is none."""
    found = [pair for pair in case.own_definitions.items() if any(part is node for part in postorder(pair[1]))]
    return min(found, key=lambda pair: len(postorder(pair[1])), default=("", None))


def _named(case, tree, within):
    """A part of the answer with the names of its own definitions in their place again, but for one in which it is."""
    own = {id(meant): Symbol(name) for name, meant in case.own_definitions.items() if meant is not within}
    return replaced(tree, own) if own else tree


def span_of(tree):
    """The place of a tree in the learner's text, or that of what is in it; None if it has none, or there is no tree."""
    spans = [node.span for node in (postorder(tree) if tree else ()) if node.span]
    return tree.span or (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def listed(names):
    """Names as a phrase: "1, 2 and 3"."""
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def places(indices, word="entry"):
    """Entries, or equations (word), at indices from 0: "entries 1 and 3", "row 1, columns 2 and 3; row 2, column 1"."""
    indices = sorted(indices)
    if not indices[0]:
        return "your formula"
    if len(indices[0]) == 1:
        return f"{PLURAL[word] if len(indices) > 1 else word} {listed(i + 1 for i, in indices)}"
    rows = {}
    for i, j in indices:
        rows.setdefault(i, []).append(j + 1)
    return "; ".join(f"row {i + 1}, column{'s' if len(columns) > 1 else ''} {listed(columns)}"
                     for i, columns in rows.items())


def word_for(answer):
    """What the entries of a `case.Case`, or of a `Decision`, are called."""
    return "equation" if answer.equations else "row" if answer.quantity.compare == "rows" else "entry"


def entry_name(answer, index):
    """An entry of a `case.Case`, or of a `Decision`, in words: "row 1, column 2", "equation 2"."""
    return places([index], word_for(answer))


def of_missing(case, tree, index, within=None):
    """The `Finding` of a term, or of a sum of terms, that is missing in an entry, or within a part of it."""
    parts = terms(tree)
    kinds = {("gravity " if Symbol("g") in symbols(part) else "", "velocity ", "inertial ")[_dots(case, part)]
             for part in parts}
    kind = kinds.pop() if len(kinds) == 1 else ""
    names = ", ".join(sorted(to_text(s) for s in symbols(tree)))
    where = entry_name(case, index) if len(case.trees) > 1 else "your answer"
    where = where if within is None else f"{shortened(within, _MOST)} ({where})"
    if not names:
        sentence = f"A constant is missing in {where}."
    elif len(parts) == 1:
        article = "An" if kind == "inertial " else "A"
        sentence = f"{article} {kind}term is missing in {where}: one that contains {names}. What else depends on these?"
    else:
        sentence = (f"{len(parts)} {kind}terms are missing in {where}, made of {names}. Which body, or which bracket, "
                    "was left out?")
    return Finding("missing term", sentence, within and within.span, index, "place", "", to_text(tree), (index,))


def _dots(case, tree):
    """2 for a tree with accelerations in it, 1 for one with velocities, 0 for neither."""
    own = case.vocabulary.own_symbols(sorted(symbols(tree), key=lambda s: (s.name, s.dots)))
    return max((n.startswith("qd") + n.startswith("qdd") for n in own), default=0)


def of_nothing(case, kinds, wrong):
    """The `Finding` that says where the trouble is in an entry (or None) that is not explained."""
    if wrong is None or wrong not in case.trees:
        return Finding("unknown", "No single mistake, and no pair of the usual ones, explains your answer.")
    tree, span, parts = case.trees[wrong], None, [report for report in kinds if report.entry == wrong]
    off, agree = ([part.kind for part in parts if part.ok is ok] for ok in (False, True))
    where = f"In {entry_name(case, wrong)} no" if len(case.trees) > 1 else "No"
    said = [f"{where} single mistake, and no pair of the usual ones, explains your answer."]
    if off:
        words = " and the ".join(WORDS[kind] for kind in off)
        said.append(f"The trouble is in the {words}{'; the rest agrees' if agree else ''}.")
        dots = {{"inertial": 2, "centrifugal": 1, "Coriolis": 1, "damping": 1, "kinetic": 1}.get(kind, 0)
                for kind in off}
        suspects = [term for term in terms(tree) if _dots(case, term) in dots]
        if len(suspects) == 1:
            span = suspects[0].span
            said.append(f"In your answer that is {shortened(suspects[0], _MOST)}.")
    own = case.vocabulary.own_symbols(tuple(symbols(tree)))
    lacking = [name for name in case.system.symbols if not case.equations and depends_on(case, wrong, name)
               and name not in own and name not in case.vocabulary.assumptions]
    if lacking:
        said.append(f"What is right there depends on {', '.join(lacking)} as well, which your formula does not have.")
    return Finding("unknown", " ".join(said), span, wrong)


def together(parts):
    """Explanations (cost, findings) of all entries, from lists of those of each; none if an entry has none.

    Of several entries it is one, in which equal mistakes count once: the same change in several entries, as in H12 and
    H21, is one finding with several ``entries``.
    """
    if len(parts) < 2 or not all(parts):
        return parts[0] or [] if len(parts) == 1 else []

    def mistake(finding):
        return finding.kind, finding.found, finding.correction

    shared = Counter(key for part in parts for key in {mistake(f) for _, findings in part for f in findings})
    cost, groups = 0.0, {}
    for part in parts:
        price, findings = min(part, key=lambda pair: pair[0] - 0.5 * sum(shared[mistake(f)] - 1 for f in pair[1]))
        new = [f for f in findings if mistake(f) not in groups]
        cost += (price * len(new) / len(findings) + (SECOND if groups and new else 0)) if new else 0.1
        for f in findings:
            groups.setdefault(mistake(f), []).append(f)
    return [(cost, tuple(same[0] if len(same) == 1 else replace(same[0], entries=tuple(f.entry for f in same))
                         for same in groups.values()))]
