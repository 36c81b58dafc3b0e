"""Why is an answer wrong? By hypothesis: it would be exactly right if ... and nothing less than exactly is claimed."""

from dataclasses import dataclass, replace

import numpy as np

from rbdlib.verification.case import MOST_PARTS, Case
from rbdlib.verification.expression import postorder
from rbdlib.verification.hypotheses import of_coordinates, of_systems
from rbdlib.verification.kinds import kinds_of
from rbdlib.verification.network import replaced
from rbdlib.verification.rules import of_rules
from rbdlib.verification.screening import TROUBLE, Screen
from rbdlib.verification.sentences import Finding, of_edit, of_hypothesis, of_missing, of_nothing
from rbdlib.verification.states import DIGITS

#: What a second mistake adds to the cost of an explanation.
SECOND = 0.6
#: Hypotheses that are tried two at a time: so many of the likeliest ones, and fewer where each takes longer.
MOST_COMBINED, MOST_COMBINED_OF_MANY_JOINTS, MANY_JOINTS = 26, 10, 4
#: Entries that a hypothesis may leave wrong, to be made right by a change of one place in each.
MOST_LEFT = 2
#: Explanations that are reported at most.
MOST_REPORTED = 5


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Why an answer is wrong.

    explanations: tuples of `Finding`, the likeliest first: each of them, all its findings together, would make the
    answer exactly right.  findings: those of the first one; if there is none, where the trouble is.
    kinds: a list of `kinds.KindReport`, which kinds of terms agree.
    """

    explanations: tuple = ()
    findings: tuple = ()
    kinds: tuple = ()

    @property
    def certain(self):
        """Whether an explanation was found that makes the answer exactly right."""
        return bool(self.explanations)


def diagnose(decision, answer=None):
    """A `Diagnosis` of a `Decision`.

    decision: of `decide.verify_numbers`. answer: the answer itself; needed only if it is a Python function. Returns an
    empty Diagnosis for a right answer, and for one that could not be compared.
    """
    import mpmath

    if decision.ok or not decision.entries or not decision.states or all(e.ok for e in decision.entries):
        return Diagnosis()
    with mpmath.workdps(DIGITS):
        case = Case(decision, answer if callable(answer) else None)
        if not case.trees and case.function is None:
            return Diagnosis()
        found = _Search(case).explanations()
        kinds = tuple(_quietly(kinds_of, case) or ())
        findings = found[0] if found else (of_nothing(case, kinds),)
    return Diagnosis(tuple(found), tuple(findings), kinds)


def _quietly(function, *arguments):
    """The result of a function; None where the altered system, or the changed formula, has none."""
    try:
        return function(*arguments)
    except TROUBLE:
        return None


class _Search:
    """The search for explanations of one case: a list of (cost, findings)."""

    def __init__(self, case):
        self.case, self.found = case, []
        self.missing = case.missing()
        self.missing_in_floats = np.array(self.missing[0], dtype=float)
        self.screen = Screen(case)
        self.first_states = case.states[: 2 if case.constant else 1]
        self.wrong = [index for index, ok in np.ndenumerate(case.fits(self.missing)) if not ok]
        readable = [index for index in self.wrong if index in case.trees]
        sizes = [len(postorder(case.trees[index])) for index in readable]
        self.editable = bool(readable) and max(sizes) < MOST_PARTS and case.function is None
        whole = case.quantity.compare not in ("identity", "loops")
        self.hypotheses = [*of_systems(case.system), *of_rules(case.system.model, case.quantity)] if whole else []
        self.hypotheses.sort(key=lambda h: h.cost)
        self.remaining = {}

    def explanations(self):
        """Tuples of findings, the likeliest first."""
        if not self.wrong:
            return []
        self._by_hypothesis()
        if self.case.trees:
            self._by_coordinates()
        if self.editable:
            self._by_edits(self.case)
        if not any(len(findings) == 1 for _, findings in self.found):
            self._by_two()
        best = sorted(self.found, key=lambda pair: pair[0])
        distinct = {tuple((f.kind, f.entry, f.sentence) for f in findings): findings for _, findings in best[::-1]}
        return list(distinct.values())[::-1][:MOST_REPORTED]

    # One hypothesis

    def _by_hypothesis(self):
        for h in self.hypotheses:
            if self.case.equations and h.target is not None and h.motion is None:
                continue
            first = self.screen.missing(h)
            if first is None or self.screen.near(first - self.missing_in_floats).all():     # it makes no difference
                continue
            self.remaining[h] = first
            if self.screen.near(first).all() and _quietly(self._fit, h):
                self.found.append((h.cost, (of_hypothesis(self.case, h, self.wrong),)))

    def _says_nothing(self, first):
        """Whether the right values would all be zero: to that, any answer comes down when enough is taken away."""
        return not self.case.equations and bool(self.screen.near(first + self.screen.yours[0]).all())

    def _near(self, difference):
        return np.array(abs(difference) <= self.case.tolerance * self.case.sizes[0], dtype=bool)

    def _fit(self, *hypotheses):
        return self.case.fits(self.case.missing(hypotheses)).all()

    # Other coordinates

    def _by_coordinates(self):
        if self.case.quantity.compare in ("identity", "loops") or self.case.vocabulary.coordinates():
            return
        for kind, words, question, cost, given in of_coordinates(self.case.vocabulary.names):
            other = _quietly(Case, self.case.decision, None, given)
            first = _quietly(other.missing, (), self.first_states) if other else None
            if first is None or np.shape(first[0]) != np.shape(self.missing[0]) or not self._near(first[0]).all():
                continue
            missing = _quietly(other.missing)
            if missing is not None and self.case.fits(missing).all():
                self.found.append((cost, (Finding(kind, f"{words} {question}", family="system"),)))

    # One place, or two, in each entry

    def _by_edits(self, case):
        parts = [self._of_entry(index) for index in self.wrong]
        if not all(parts):
            return
        if len(parts) == 1:
            self.found += parts[0]
            return
        self.found.append(_together(parts))

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by two changes."""
        wanted = np.array(self.missing[(slice(None), *index)], dtype=float)
        search = self.case.search(index)
        found = [(edit.cost, (self._finding(edit, index),)) for edit in search.single(wanted)[:20]
                 if self._confirmed(index, edit)]
        missing = None if found else _quietly(of_missing, self.case, index)
        if missing:
            found.append((1.2, (missing,)))
        if not found:
            found = self._of_two(index, search, wanted)
        return sorted(found, key=lambda pair: pair[0])

    def _of_two(self, index, search, wanted):
        found = []
        for first, second in search.pairs(wanted):
            if self._confirmed(index, first, second):
                findings = self._finding(first, index), self._finding(second, index)
                found.append((first.cost + second.cost + SECOND, findings))
            if len(found) == 5:
                break
        return found

    def _confirmed(self, index, *edits):
        tree = _edited(self.case.trees[index], edits)
        return self.case.with_tree(index, tree)

    def _finding(self, edit, index):
        return of_edit(self.case, edit, index)

    # Two mistakes of which one at least is about the system or the rule

    def _by_two(self):
        if self.editable and not self.case.equations:
            self._by_hypothesis_and_edit()
        if not any(len(findings) == 2 for _, findings in self.found):
            self._by_two_hypotheses()

    def _by_hypothesis_and_edit(self):
        case = self.case
        for h, first in self.remaining.items():
            left = [index for index in case.trees if not self.screen.near(first)[index]]
            if self._says_nothing(first) or not 0 < len(left) <= MOST_LEFT:
                continue
            if not all(case.search(index).may_give(float(first[index])) for index in left):
                continue
            missing = _quietly(case.missing, (h,))
            parts = [self._edits_for(index, missing, h) for index in left] if missing is not None else [None]
            if all(parts):
                cost, findings = parts[0][0] if len(parts) == 1 else _together(parts)
                self.found.append((h.cost + cost + SECOND, (of_hypothesis(case, h, self.wrong), *findings)))

    def _edits_for(self, index, missing, h):
        wanted = missing[(slice(None), *index)]
        found = []
        for edit in self.case.search(index).single(np.array(wanted, dtype=float))[:5]:
            tree = _edited(self.case.trees[index], (edit,))
            values = _quietly(self.case._values_of, tree, [self.case._known(k) for k in range(len(self.case.states))])
            if values is None:
                continue
            target = wanted + self.case.as_compared[(slice(None), *index)]
            sizes = self.case.sizes[(slice(None), *(0,) * len(index))]
            if np.array(abs(values - target) <= self.case.tolerance * sizes, dtype=bool).all():
                found.append((edit.cost, (self._finding(edit, index),)))
        return found

    def _by_two_hypotheses(self):
        many = self.case.system.model.nv >= MANY_JOINTS
        likely = [h for h, first in self.remaining.items() if not self._says_nothing(first)]
        likely = likely[: MOST_COMBINED_OF_MANY_JOINTS if many else MOST_COMBINED]
        for i, a in enumerate(likely):
            for b in likely[:i]:
                if not (a.of_system or b.of_system) or a.kind == b.kind and a.model and b.model and a.words == b.words:
                    continue
                first = self.screen.missing(a, b)
                if first is None or not self.screen.near(first).all() or self._says_nothing(first):
                    continue
                if _quietly(self._fit, a, b):
                    findings = of_hypothesis(self.case, b, self.wrong), of_hypothesis(self.case, a, self.wrong)
                    self.found.append((a.cost + b.cost + SECOND, findings))


def _edited(tree, edits):
    """The formula with one change, or with two, of which one may stand within the other."""
    if len(edits) == 1:
        return replaced(tree, {id(edits[0].node): edits[0].new})
    outer, inner = edits
    if any(part is outer.node for part in postorder(inner.node)):
        outer, inner = inner, outer
    new = replaced(outer.new, {id(inner.node): inner.new})
    return replaced(tree, {id(outer.node): new, id(inner.node): inner.new})


def _together(parts):
    """One explanation of several entries, each with its own (cost, findings) lists: equal mistakes count once."""
    common = set.intersection(*({_what(findings) for _, findings in part} for part in parts))
    if common:
        key = min(common, key=lambda words: min(cost for cost, f in parts[0] if _what(f) == words))
        chosen = [next(pair for pair in part if _what(pair[1]) == key) for part in parts]
        cost, findings = chosen[0]
        entries = tuple(pair[1][0].entry for pair in chosen)
        return cost + 0.1 * (len(parts) - 1), tuple(replace(f, entries=entries) for f in findings)
    cost = sum(part[0][0] for part in parts) + SECOND * (len(parts) - 1)
    return cost, tuple(f for part in parts for f in part[0][1])


def _what(findings):
    return tuple((f.kind, f.found, f.correction) for f in findings)

