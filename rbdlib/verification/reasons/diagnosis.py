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
from rbdlib.verification.reasons.cover import Missing, completed, covers
from rbdlib.verification.reasons.edits import FACTORS
from rbdlib.verification.reasons.hypotheses import is_kinematic, of_systems
from rbdlib.verification.reasons.inner_missing import inner_missing
from rbdlib.verification.reasons.kinds import kinds_of
from rbdlib.verification.reasons.missing import compound_factors, residual
from rbdlib.verification.reasons.moved_equations import combined_with_edits, of_rows
from rbdlib.verification.reasons.other_coordinates import of_coordinates
from rbdlib.verification.reasons.putting_together import SECOND, edited, exchange, explains_away, together
from rbdlib.verification.reasons.rules import of_rules
from rbdlib.verification.reasons.screening import Screen, quietly
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


def diagnose(decision, answer=None, case=None):
    """A `Diagnosis` of a `Decision`.

    decision: of `decide.verify_numbers`. answer: the answer itself; needed only if it is a Python function. case: a
    `case.Case`, if it is not to be made here. Returns an empty Diagnosis for a right answer, and for one that could not
    be compared.
    """
    import mpmath

    if decision.ok or not decision.entries or not decision.states or all(e.ok for e in decision.entries):
        return Diagnosis()
    with mpmath.workdps(DIGITS), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")                 # of systems that are tried out, such as one without mass
        case = case or Case(decision, answer if callable(answer) else None)
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
    quantity = getattr(case.quantity, "whole", None) or case.quantity
    systems = [h for h in systems if not is_kinematic(case.quantity) or h.is_kinematic]
    return sorted([*systems, *of_rules(case.system.model, quantity), *of_coordinates(case)], key=lambda h: h.cost)


class Search:
    """The search for explanations of one case: a list of (cost, findings)."""

    def __init__(self, case):
        self.case, self.found = case, []
        self.missing = case.missing()
        self.missing_in_floats = np.array(self.missing[0], dtype=float)
        self.screen = Screen(case)
        self.wrong = [index for index, ok in np.ndenumerate(case.fits(self.missing)) if not ok]
        self.readable = [index for index in self.wrong if index in case.trees and case.function is None
                         and len(postorder(case.trees[index])) < MOST_PARTS]
        self.hypotheses = hypotheses_of(case)
        self.remaining, self.of_entries, self.within, self.sources = {}, {}, [], []

    def explanations(self):
        """Tuples of findings, the likeliest first."""
        if not self.wrong:
            return []
        self._by_hypothesis()
        if self.case.quantity.compare == "rows" and self.case.trees:
            self.found += quietly(of_rows, self) or []
        else:
            self._by_edits()
        if not any(len(findings) == 1 and cost < SURE for cost, findings in self.found):
            self._by_two()
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

    # One hypothesis

    def _by_hypothesis(self):
        for h in self.hypotheses:
            if self.case.equations and h.target is not None and h.motion is None:
                continue
            first = self.screen.missing(h)
            if first is None or self.screen.near(first - self.missing_in_floats).all():     # it makes no difference
                continue
            self.remaining[h] = first
            if self.screen.near(first).all() and quietly(self._fit, h):
                self.found.append((h.cost, (of_hypothesis(self.case, h, self.wrong),)))

    def _says_nothing(self, first):
        """True if the right values would all be zero: to that, any answer comes down when enough is taken away."""
        return not self.case.equations and bool(self.screen.near(first + self.screen.yours[0]).all())

    def _near(self, difference):
        return np.array(abs(difference) <= self.case.tolerance * self.case.sizes[0], dtype=bool)

    def _fit(self, *hypotheses):
        return self.case.fits(self.case.missing(hypotheses)).all()

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
        parts = [self.of_entries.get(index) for index in self.wrong]
        if not all(parts):
            return
        if len(parts) == 1:
            self.found += parts[0]
            return
        self.found.append(together(parts))

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by several."""
        wanted = np.array(self.missing[(slice(None), *index)], dtype=float)
        search = self.case.search(index)
        found = [(edit.cost, (self.finding(edit, index),)) for edit in search.single(wanted)[:20]
                 if self._confirmed(index, edit)]
        if not found or differentiated(self.case, index):
            found += self._of_sources(index, wanted)
        if not found:
            found = [(edit.cost, (self.finding(edit, index),)) for edit in compound_factors(self.case, index, wanted)
                     if self._confirmed(index, edit)]
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
        return [(edit.cost, (self.finding(edit, index),)) for edit in edits]

    def _of_shared_sources(self, index):
        """The explanations that were found so in other entries, where they hold in this one as well."""
        tree = self.case.trees[index]
        changed = [(edit, replaced(tree, {id(edit.node): edit.new})) for other, edit in self.sources if other != index]
        return [(edit.cost, (self.finding(edit, index),)) for edit, new in changed
                if new is not tree and self.case.with_tree(index, new)]

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
            edits = [x for x in changes if not isinstance(x, Missing)]
            missing = [x for x in changes if isinstance(x, Missing)]
            tree = edited(self.case.trees[index], edits)
            nothing_left = tree is not None and edits and missing and not self.case.is_something(tree)
            if tree is None or nothing_left:
                continue
            if self.case.with_tree(index, completed(tree, missing)):
                findings = (*(self.finding(x, index) for x in edits),
                            *(of_missing(self.case, x.tree, index) for x in missing))
                found.append((cost, findings))
            if len(found) == 3:
                break
        return found

    def _of_two(self, index, search, wanted):
        found = []
        for first, second in search.pairs(wanted):
            if not exchange(first, second) and self._confirmed(index, first, second):
                findings = self.finding(first, index), self.finding(second, index)
                found.append((first.cost + second.cost + SECOND, findings))
            if len(found) == 5:
                break
        return found

    def _confirmed(self, index, *edits):
        return self.case.with_tree(index, edited(self.case.trees[index], edits))

    def finding(self, edit, index):
        return of_edit(self.case, edit, index)

    # Two mistakes of which one at least is about the system or the rule

    def _by_two(self):
        if self.readable and not self.case.equations:
            self._by_hypothesis_and_edit()
        elif self.readable:
            self.found += combined_with_edits(self)
        if not any(len(findings) == 2 for _, findings in self.found):
            self._by_two_hypotheses()

    def _by_hypothesis_and_edit(self):
        case = self.case
        for h, first in self.remaining.items():
            if self.is_too_dear(h.cost + CHEAPEST + SECOND):
                continue
            left = [index for index in case.trees if not self.screen.near(first)[index]]
            if self._says_nothing(first) or not 0 < len(left) <= MOST_LEFT:
                continue
            if not all(case.search(index).may_give(float(first[index])) for index in left):
                continue
            missing = quietly(case.missing, (h,))
            parts = [self._edits_for(index, missing, h) for index in left] if missing is not None else [None]
            if all(parts):
                cost, findings = parts[0][0] if len(parts) == 1 else together(parts)
                self.found.append((h.cost + cost + SECOND, (of_hypothesis(case, h, self.wrong), *findings)))

    def _edits_for(self, index, missing, h):
        wanted = missing[(slice(None), *index)]
        found = []
        for edit in self.case.search(index).single(np.array(wanted, dtype=float))[:5]:
            if explains_away(h, edit):
                continue
            if self.changes_by(index, edit, wanted):
                found.append((edit.cost, (self.finding(edit, index),)))
        return found

    def is_too_dear(self, cost):
        """True if a likelier explanation is known already."""
        return any(cost > known for known, _ in self.found)

    def changes_by(self, index, edit, wanted):
        """True if a change of an entry changes its values by what is wanted, in all digits."""
        case, tree = self.case, edited(self.case.trees[index], (edit,))
        values = quietly(case.values_of, tree)
        if values is None:
            return False
        sizes = case.sizes[(slice(None), *(0,) * len(index))]
        off = values - wanted - case.as_compared[(slice(None), *index)]
        return bool(np.array(abs(off) <= case.tolerance * sizes, dtype=bool).all())

    def _by_two_hypotheses(self):
        many = self.case.system.model.nv >= MANY_JOINTS
        likely = [h for h, first in self.remaining.items() if not self._says_nothing(first)]
        likely = likely[: MOST_COMBINED_OF_MANY_JOINTS if many else MOST_COMBINED]
        for i, a in enumerate(likely):
            for b in likely[:i]:
                if self.is_too_dear(a.cost + b.cost + SECOND):
                    continue
                if not (a.of_system or b.of_system) or a.kind == b.kind and a.model and b.model and a.words == b.words:
                    continue
                first = self.screen.missing(a, b)
                if first is None or not self.screen.near(first).all() or self._says_nothing(first):
                    continue
                if quietly(self._fit, a, b):
                    findings = of_hypothesis(self.case, b, self.wrong), of_hypothesis(self.case, a, self.wrong)
                    self.found.append((a.cost + b.cost + SECOND, findings))


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
