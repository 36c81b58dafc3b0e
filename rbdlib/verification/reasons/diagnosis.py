"""Why is an answer wrong? By hypothesis: it would be exactly right if ... and nothing less than exactly is claimed."""

import warnings
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rbdlib.verification.decision.readings import with_model_forces
from rbdlib.verification.meaning.answer_lines import place_name
from rbdlib.verification.meaning.own_formulas import MOST_PARTS
from rbdlib.verification.mechanics.states import DIGITS
from rbdlib.verification.reasons.case import Case
from rbdlib.verification.reasons.cover import covers
from rbdlib.verification.reasons.edits import FACTORS
from rbdlib.verification.reasons.hypotheses import is_kinematic, of_systems
from rbdlib.verification.reasons.inner_missing import inner_missing
from rbdlib.verification.reasons.kinds import kinds_of
from rbdlib.verification.reasons.missing import compound_factors, residual
from rbdlib.verification.reasons.moved_equations import edits_for_values, moved_edits, wrong_rows
from rbdlib.verification.reasons.other_coordinates import of_coordinates
from rbdlib.verification.reasons.putting_together import SECOND, edited, exchange, explains_away, together
from rbdlib.verification.reasons.rules import of_rules
from rbdlib.verification.reasons.screening import first_missing, is_none, quietly
from rbdlib.verification.reasons.sentences import Finding, of_edit, of_hypothesis, of_missing, of_nothing
from rbdlib.verification.reasons.source_edits import differentiated, source_edits
from rbdlib.verification.trees.expression import Operation, postorder, to_text
from rbdlib.verification.trees.network import replaced

#: An explanation by one mistake that costs less is not doubted: two mistakes are not looked for.
SURE = 2.2
#: Explanations that cost so much more than the likeliest one are not told.
FAR = 1.2
#: What a term costs that is missing within a bracket or a definition.
MISSING_WITHIN = 1.4
#: What a change of one place costs at least.
CHEAPEST = 1.0
#: Hypotheses that are tried two at a time: so many of the likeliest ones, and fewer where each takes longer.
MOST_COMBINED, MOST_COMBINED_OF_MANY_JOINTS, MANY_JOINTS = 26, 10, 4
#: Entries that a hypothesis may leave wrong, to be made right by a change of one place in each.
MOST_LEFT = 2
#: Wrong entries for which what is missing is written as a formula, if it is no longer than so many characters.
MOST_RESIDUALS, LONGEST_RESIDUAL = 3, 80
#: Explanations that are reported at most.
MOST_REPORTED = 5


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Why an answer is wrong.

    explanations: tuples of `Finding`, the likeliest first: each of them, all its findings together, would make the
    answer exactly right.  findings: those of the first one; if there is none, where the trouble is.
    kinds: a list of `kinds.KindReport`, which kinds of terms agree.  residuals: pairs (entry, formula): what would have
    to be added to a wrong entry (to left minus right side of an equation), where that is a short formula. It gives the
    answer away.
    """

    explanations: tuple = ()
    findings: tuple = ()
    kinds: tuple = ()
    residuals: tuple = ()

    @property
    def certain(self):
        """True if an explanation was found that makes the answer exactly right."""
        return bool(self.explanations)


def diagnose(decision, answer=None):
    """A `Diagnosis` of a `Decision`.

    decision: of `decide.verify_numbers`. answer: the answer itself; needed only if it is a Python function. Returns an
    empty Diagnosis for a right answer, and for one that could not be compared.
    """
    import mpmath

    if decision.ok or not decision.entries or not decision.states or all(e.ok for e in decision.entries):
        return Diagnosis()
    with mpmath.workdps(DIGITS), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")                 # of systems that are tried out, such as one without mass
        case = Case(decision, answer if callable(answer) else None)
        if not case.trees and case.function is None:
            return Diagnosis()
        search = Search(case)
        found = search.explanations()
        other = with_model_forces(case) if search.best > SURE else None
        if other is not None:
            second = Search(Case(other))
            more = second.explanations()
            if second.best < search.best:
                case, search, found = second.case, second, more
        kinds = tuple(quietly(kinds_of, case) or ())
        findings = found[0] if found else search.partial(kinds)
        residuals = _residuals(case, search.readable)
    return Diagnosis(tuple(found), tuple(findings), kinds, residuals)


def _residuals(case, wrong):
    """The parts that the first wrong entries lack, as formulas, where they are short."""
    if case.system.model.nv > MANY_JOINTS:
        return ()
    trees = [(index, quietly(residual, case, index)) for index in wrong[:MOST_RESIDUALS]]
    return tuple((index, tree) for index, tree in trees if tree is not None and len(to_text(tree)) <= LONGEST_RESIDUAL)


def hypotheses_of(case):
    """The hypotheses that are tried: a list of `hypotheses.Hypothesis`, the likeliest first."""
    if case.quantity.compare == "identity":
        return []
    systems = of_systems(case.system)
    if case.quantity.compare == "loops":
        return systems
    systems = [h for h in systems if not is_kinematic(case.quantity) or h.is_kinematic]
    rules = of_rules(case.system.model, case.quantity.whole or case.quantity)
    return sorted([*systems, *rules, *of_coordinates(case)], key=lambda h: h.cost)


class Search:
    """The search for explanations of one case: a list of (cost, findings)."""

    def __init__(self, case):
        self.case, self.found = case, []
        self.missing = case.missing()
        self.wrong = [index for index, ok in np.ndenumerate(case.fits(self.missing)) if not ok]
        self.readable = [index for index in self.wrong if index in case.trees and case.function is None
                         and len(postorder(case.trees[index])) < MOST_PARTS]
        self.remaining, self.of_entries, self.within, self.sources = {}, {}, [], []

    def explanations(self):
        """Tuples of findings, the likeliest first."""
        if not self.wrong:
            return []
        self._by_hypothesis()
        if self.case.quantity.compare == "rows" and self.case.trees:
            self.found += quietly(self._of_rows) or []
        else:
            self._by_edits()
        if not any(len(findings) == 1 and cost < SURE for cost, findings in self.found):
            self._by_hypothesis_and_edit()
            if not any(len(findings) == 2 for _, findings in self.found):
                self._by_two_hypotheses()
        best = sorted((pair for pair in self.found if pair[0] <= self.best + FAR), key=lambda pair: pair[0])
        distinct = {tuple((f.kind, f.entry, f.sentence) for f in findings): findings for _, findings in best[::-1]}
        ranked = list(distinct.values())[::-1]
        if ranked and len(ranked[0]) == 1 and ranked[0][0].family in ("system", "rule"):    # others say the same again
            ranked = [ranked[0], *(findings for findings in ranked[1:] if all(f.family == "place" for f in findings))]
        return ranked[:MOST_REPORTED]

    @property
    def best(self):
        """The cost of the likeliest explanation."""
        return min((cost for cost, _ in self.found), default=np.inf)

    def partial(self, kinds):
        """Remarks where no explanation was found: on the entries that are explained, and on another one."""
        known = [self.of_entries[index][0][1] for index in self.wrong if self.of_entries.get(index)]
        other = next((index for index in self.wrong if not self.of_entries.get(index)), None)
        return (*(f for findings in known for f in findings), of_nothing(self.case, kinds, other))

    # One hypothesis, or two

    def _by_hypothesis(self):
        unexplained = np.array(self.missing[0], dtype=float)
        for h in hypotheses_of(self.case):
            if self.case.equations and h.target is not None and h.motion is None:
                continue
            first = first_missing(self.case, h)
            if first is not None and not is_none(self.case, first - unexplained).all():     # it makes a difference
                self.remaining[h] = first
                self._add_if_right(first, h)

    def _by_two_hypotheses(self):
        many = self.case.system.model.nv >= MANY_JOINTS
        likely = [h for h, first in self.remaining.items() if not self._says_nothing(first)]
        likely = likely[: MOST_COMBINED_OF_MANY_JOINTS if many else MOST_COMBINED]
        for a, b in ((a, b) for k, a in enumerate(likely) for b in likely[:k]):
            if self._is_too_dear(a.cost + b.cost + SECOND) or not (a.of_system or b.of_system):
                continue
            first = first_missing(self.case, a, b)
            if first is not None and not self._says_nothing(first):
                self._add_if_right(first, b, a)

    def _add_if_right(self, first, *hypotheses):
        """Adds an explanation by hypotheses if nothing is missing, neither in the first state nor in the others."""
        if is_none(self.case, first).all():
            missing = quietly(self.case.missing, hypotheses[::-1])
            if missing is not None and self.case.fits(missing).all():
                self._add(hypotheses)

    def _add(self, hypotheses, cost=0.0, findings=()):
        """Adds the explanation by hypotheses, and by changes that cost something more."""
        findings = (*(of_hypothesis(self.case, h, self.wrong) for h in hypotheses), *findings)
        self.found.append((sum(h.cost for h in hypotheses) + cost + SECOND * (len(findings) > 1), findings))

    def _says_nothing(self, first):
        """True if the right values would all be zero: to that, any answer comes down when enough is taken away."""
        yours = np.array(self.case.as_compared[0], dtype=float)
        return not self.case.equations and bool(is_none(self.case, first + yours).all())

    def _is_too_dear(self, cost):
        """True if a likelier explanation is known already."""
        return cost > self.best

    # A hypothesis, and a change of one place in each entry that it leaves wrong

    def _by_hypothesis_and_edit(self):
        left = {}
        for h, first in self.remaining.items() if self.readable else ():
            wrong = [index for index in self.case.trees if not is_none(self.case, first)[index]]
            if (0 < len(wrong) <= MOST_LEFT and not self._says_nothing(first)
                    and not self._is_too_dear(h.cost + CHEAPEST + SECOND)):
                left[h] = wrong
        candidates = moved_edits if self.case.equations else edits_for_values
        for h, edits in candidates(self.case, left, self.remaining):
            if self.case.equations or not self._is_too_dear(h.cost + CHEAPEST + SECOND):
                for cost, findings in together([self._by_change(index, edits[index], (h,)) for index in left[h]])[:1]:
                    self._add((h,), cost, findings)

    def _by_change(self, index, edits, hypotheses=(), targets=None):
        """Explanations of an entry by one change, those of some `Edit`s that make it right in all digits."""
        tree = self.case.trees[index]
        return [(edit.cost, (of_edit(self.case, edit, index),)) for edit in edits
                if not any(explains_away(h, edit) for h in hypotheses)
                and self.case.with_tree(index, edited(tree, (edit,)), hypotheses, targets)]

    def _of_rows(self):
        """Explanations of the wrong rows of a matrix: a change of one entry in each."""
        parts = []
        for r, columns in wrong_rows(self.case).items():
            found = []
            for j, changes in columns.items():
                edits = self.case.search((r, j)).single(np.array(changes, dtype=float))[:5]
                found += self._by_change((r, j), edits, (), self.case.as_compared[:, r, j] + changes)
            parts.append(sorted(found, key=lambda pair: pair[0]))
        return together(parts)

    # One place, or several, in each entry

    def _by_edits(self):
        for index in self.readable:
            self.of_entries[index] = self._of_entry(index)
        for index in (index for index in self.readable if not self.of_entries[index]):
            self.of_entries[index] = self._missing_within(index, self.within[:3])
        for index in self.readable if self.sources else ():
            self.of_entries[index] = sorted(self.of_entries[index] + self._of_shared_sources(index), key=lambda x: x[0])
        for index in (index for index in self.wrong if index not in self.readable):
            self.of_entries[index] = whole_entry(self.case, index)
        self.found += together([self.of_entries[index] for index in self.wrong])

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by several."""
        wanted = np.array(self.missing[(slice(None), *index)], dtype=float)
        search = self.case.search(index)
        found = self._by_change(index, search.single(wanted)[:20])
        if not found or differentiated(self.case, index):
            found += self._of_sources(index, wanted)
        if not found:
            found = self._by_change(index, compound_factors(self.case, index, wanted))
        if not any(cost < SURE for cost, _ in found):
            found += self._of_parts(index)
        if not any(len(findings) == 1 for _, findings in found):
            found += self._missing_within(index, quietly(inner_missing, self.case, index, wanted) or ())
        if not any(len(findings) == 1 and cost < SURE for cost, findings in found):
            found += self._of_two(index, search, wanted)
        return sorted(found, key=lambda pair: pair[0])

    def _of_sources(self, index, wanted):
        """Explanations by a change of what is differentiated, or of a definition."""
        edits = [edit for edit, tree in quietly(source_edits, self.case, index, wanted) or ()
                 if self.case.with_tree(index, tree)]
        self.sources += [(index, edit) for edit in edits[:3]]
        return [(edit.cost, (of_edit(self.case, edit, index),)) for edit in edits]

    def _of_shared_sources(self, index):
        """The explanations that were found so in other entries, where they hold in this one as well."""
        parts = {id(node) for node in postorder(self.case.trees[index])}
        return self._by_change(index, [edit for other, edit in self.sources if other != index
                                       and id(edit.node) in parts])

    def _missing_within(self, index, terms):
        """Explanations by a term (part, term) that is missing within an entry; what fits is tried in others, too."""
        found = []
        for node, term in terms:
            tree = replaced(self.case.trees[index], {id(node): Operation("+", (node, term))})
            if tree is not self.case.trees[index] and self.case.with_tree(index, tree):
                self.within.append((node, term))
                found.append((MISSING_WITHIN, (of_missing(self.case, term, index, node),)))
        return found

    def _of_parts(self, index):
        """Explanations part by part: terms that are missing, and changes of terms that are there."""
        found = []
        for cost, changes in covers(self.case, index):
            there = [edit for edit in changes if edit.node is not None]
            tree = edited(self.case.trees[index], there)
            if 0 < len(there) < len(changes) and tree is not None and not self.case.is_something(tree):
                continue                                                                # nothing of it is left
            if self.case.with_tree(index, edited(self.case.trees[index], changes)):
                found.append((cost, tuple(of_edit(self.case, edit, index) for edit in changes)))
            if len(found) == 3:
                break
        return found

    def _of_two(self, index, search, wanted):
        found, tree = [], self.case.trees[index]
        for pair in search.pairs(wanted):
            if not exchange(*pair) and self.case.with_tree(index, edited(tree, pair)):
                findings = tuple(of_edit(self.case, edit, index) for edit in pair)
                found.append((pair[0].cost + pair[1].cost + SECOND, findings))
            if len(found) == 5:
                break
        return found


# Entries that cannot be taken apart, of functions and of very long formulas: a sign or a factor of the whole


_WORDS = {Fraction(2): "half of", Fraction(1, 2): "twice", Fraction(4): "a quarter of", Fraction(1, 4): "four times"}


def whole_entry(case, index):
    """Explanations of one entry, (cost, findings): that it would be right with another sign, or another factor."""
    yours, wanted = (values[(slice(None), *index)] for values in (case.as_compared, case.missing()))
    if case.equations or not all(yours):
        return []
    ratio = (yours + wanted) / yours
    if max(abs(ratio - ratio[0])) > case.tolerance * abs(ratio[0]):
        return []
    place = f"The entry in {place_name(index)}" if index else "Your whole answer"
    if abs(ratio[0] + 1) <= case.tolerance:
        return [(1.0, (Finding("sign", f"{place} has the opposite sign. In which direction is it counted as positive?",
                               entry=index, family="place"),))]
    factor = Fraction(float(ratio[0])).limit_denominator(12)
    if factor not in FACTORS or abs(ratio[0] * factor.denominator - factor.numerator) > 12 * case.tolerance:
        return []
    said = _WORDS.get(factor, f"{1 / factor} times")
    sentence = f"{place} is {said} what it should be. Which factor was lost or counted twice?"
    return [(FACTORS[factor], (Finding("factor", sentence, entry=index, family="place"),))]
