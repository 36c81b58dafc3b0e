"""Why is an answer wrong? By hypothesis: it would be exactly right if ... and nothing less than exactly is claimed."""

import itertools
import operator
import warnings
from collections import namedtuple
from fractions import Fraction

import mpmath
import numpy as np

from rbdlib.loops.clusters import independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.quantities import GEOMETRIC
from rbdlib.verification.mechanics.states import DIGITS
from rbdlib.verification.reasons.case import MOST_PARTS, Case
from rbdlib.verification.reasons.components import kinds_of
from rbdlib.verification.reasons.edits import FACTORS, NEAR, SECOND, Edit, edited, source_edits
from rbdlib.verification.reasons.hypotheses import LENGTHS, MISTAKES, of_coordinates, of_rules, of_systems, quietly
from rbdlib.verification.reasons.missing import compound_factors, covers, inner_missing, likely_missing, residual
from rbdlib.verification.reasons.sentences import Finding, entry_name, together
from rbdlib.verification.trees.calculus import minus
from rbdlib.verification.trees.expression import postorder, symbols

#: An explanation by one mistake that costs less is not doubted: two mistakes are not looked for.
SURE = 2.2
#: Explanations that cost so much more than the likeliest one, or that come after so many, are not reported.
FAR, MOST_REPORTED = 1.2, 5
#: The least cost of a change of one place.
CHEAPEST = 1.0
#: Hypotheses that are tried two at a time: so many of the likeliest ones, and fewer where each takes longer.
MOST_COMBINED, MOST_COMBINED_OF_MANY_JOINTS, MANY_JOINTS = 26, 10, 4
#: Entries that a hypothesis may leave wrong, to be made right by a change of one place in each.
MOST_LEFT = 2
#: Changes that are looked at closely, for each hypothesis and entry; and hypotheses that are tried with equations.
_MOST_LOOKED_AT, _MOST_HYPOTHESES = 5, 40
#: Wrong entries for which what is missing is written as a formula.
MOST_RESIDUALS = 3


#: Why an answer is wrong: what a `report.Report` has under these names.
Diagnosis = namedtuple("Diagnosis", "explanations findings kinds residuals", defaults=((), (), (), ()))


def diagnose(decision, answer=None):
    """A `Diagnosis` of a `Decision`.

    decision: of `decide.verify_numbers`. answer: the answer itself; needed only if it is a Python function. Returns an
    empty Diagnosis for a right answer, and for one that could not be compared.
    """
    if decision.ok or not decision.entries or not decision.states or all(e.ok for e in decision.entries):
        return Diagnosis()
    with mpmath.workdps(DIGITS), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")                 # of systems that are tried out, such as one without mass
        search = (decision.vocabulary.searched_by or Search)(decision, answer if callable(answer) else None)
        case = search.case
        if not case.trees and case.function is None:
            return Diagnosis()
        if case.multipliers and len(case.ways) > 1:     # which equation is wrong depends on what the multipliers are
            others = (Search(decision, None, k) for k in range(len(case.ways)))
            search = next((other for other in others if other.by_one_change()), search)
            case = search.case
        found = search.explanations()
        kinds = tuple(quietly(kinds_of, case) or ())
        looked_at = search.readable[:MOST_RESIDUALS] if case.system.model.nv <= MANY_JOINTS else ()
        lacking = ((index, quietly(residual, case, index)) for index in looked_at)
        stated = {name for name in case.vocabulary.assumptions if name.startswith("tau")}   # which he need not have
        residuals = tuple((index, tree) for index, tree in lacking if tree is not None
                          and not stated & case.vocabulary.own_symbols(symbols(tree)))
        return Diagnosis(tuple(found), found[0] if found else search.partial(kinds), kinds, residuals)


def explains_away(hypothesis, edit):
    """True if a hypothesis and a change only take away what is wrong: a body, and then its term as well; or if the
    change is of a velocity that means something else by the hypothesis.
    """
    if hypothesis.back is not None and edit.kind in ("symbol", "velocity"):
        return True
    if hypothesis.kind == "wrong link":
        return edit.kind in ("power", "lost factor", "extra factor", "extra term")
    return edit.kind in ("extra term", "extra factor") and hypothesis.kind.endswith(("missing", "triangle")) or (
        edit.kind == "extra term" and hypothesis.of_system)


class Search:
    """The search for explanations of one case: a list of (cost, findings).

    All that is tried is one of two things: hypotheses, one or two, with which nothing is missing any more, or ways of
    changing the formula of an entry, tuples of `Edit`s, with which it has the values that are wanted.
    """

    case_of = Case                                      # the class of the case, which others may replace

    def __init__(self, decision, function=None, way=0):
        self.case, self.found = self.case_of(decision, function, way), []
        case, self.missing = self.case, self.case.missing()
        self.wrong = [index for index, ok in np.ndenumerate(case.fits(self.missing)) if not ok]
        self.readable = [index for index in self.wrong if index in case.trees and case.function is None
                         and len(postorder(case.trees[index])) < MOST_PARTS]
        self.remaining, self.of_entries = {}, {}
        self.agreed = {id(node) for index, tree in case.trees.items() if index not in self.wrong
                       for node in postorder(tree)}

    def explanations(self):
        """Tuples of findings, the likeliest first."""
        if not self.wrong:
            return []
        unexplained = np.array(self.missing[0], dtype=float)
        for h in sorted(self._hypotheses(), key=lambda h: h.cost):
            first = self._tried(h)
            if first is not None and not self._is_none(first - unexplained).all():          # it makes a difference
                self.remaining[h] = first
        if self.case.quantity.compare == "rows" and self.case.trees:
            self.found += quietly(self._of_rows) or []
        else:
            self._by_edits()
        if not self._surely() and not self.case.vocabulary.tied:       # several motions fit one equation
            self._by_hypothesis_and_edit()
            if not any(len(findings) == 2 for _, findings in self.found):
                self._by_two_hypotheses()
        best = sorted((pair for pair in self.found if pair[0] <= self.best + FAR), key=_cost)
        distinct = {tuple((f.kind, f.entry, f.sentence) for f in findings): findings for _, findings in best[::-1]}
        ranked = list(distinct.values())[::-1]
        if ranked and len(ranked[0]) == 1 and ranked[0][0].family in ("system", "rule"):    # others say the same again
            ranked[1:] = [findings for findings in ranked[1:] if all(f.family == "place" for f in findings)]
        return ranked[:MOST_REPORTED]

    def by_one_change(self):
        """True if one change of one place explains everything."""
        quietly(self._by_edits)
        return self._surely()

    def _surely(self):
        """True if one mistake alone explains everything, beyond doubt."""
        return any(len(findings) == 1 and cost < SURE for cost, findings in self.found)

    #: The cost of the likeliest explanation.
    best = property(lambda self: min((cost for cost, _ in self.found), default=np.inf))

    def partial(self, kinds):
        """Remarks where no explanation was found: on the entries that are explained, and on another one."""
        known = [f for index in self.wrong if self.of_entries.get(index) for f in self.of_entries[index][0][1]]
        other = None if self.case.quantity.compare == "rows" else next(
            (index for index in self.wrong if not self.of_entries.get(index)), None)
        return (*known, self.case.of_nothing(kinds, other))

    # One hypothesis, or two, most of which are found wrong in the first state, and in floats

    def _hypotheses(self):
        """All hypotheses about the system, and about what was done with it, a list."""
        case, quantity = self.case, self.case.quantity
        found = [] if quantity.compare == "identity" else of_systems(case.system)
        if quantity.compare in ("identity", "loops"):
            return found
        if quantity.symbol in GEOMETRIC or quantity.name.startswith(("J", "v[", "a[")):
            found = [h for h in found if h.model is None or h.kind in LENGTHS]      # centres have a place
        return [*found, *of_rules(case.system.model, quantity.whole or quantity), *of_coordinates(case)]

    def _by_two_hypotheses(self):
        many = self.case.system.model.nv >= MANY_JOINTS
        likely = [h for h, first in self.remaining.items() if not self._says_nothing(first)]
        likely = likely[: MOST_COMBINED_OF_MANY_JOINTS if many else MOST_COMBINED]
        for a, b in ((a, b) for k, a in enumerate(likely) for b in likely[:k] if a.of_system or b.of_system):
            if a.cost + b.cost + SECOND <= self.best:
                self._tried(b, a)

    def _tried(self, *hypotheses):
        """What each entry lacks in the first state under hypotheses; None where that cannot be told. Hypotheses under
        which it lacks nothing, in any state, are an explanation.
        """
        states = self.case.in_floats[: 1 + self.case.constant]
        first = quietly(lambda: np.array(self.case.missing(hypotheses, states)[0], dtype=float))
        if first is None or not np.isfinite(first).all():
            return None
        if self._is_none(first).all() and not (len(hypotheses) > 1 and self._says_nothing(first)):
            missing = quietly(self.case.missing, hypotheses)
            if missing is not None and self.case.fits(missing).all():
                self._add(hypotheses)
        return first

    def _is_none(self, difference):
        """For each entry whether a difference in the first state, in floats, is none but for rounding."""
        return np.abs(difference) <= NEAR * np.array(self.case.sizes[0], dtype=float)

    def _says_nothing(self, first):
        """True if the right values would all be zero: to that, any answer comes down when enough is taken away."""
        yours = np.array(self.case.as_compared[0], dtype=float)
        return not self.case.equations and bool(self._is_none(first + yours).all())

    def _add(self, hypotheses, cost=0.0, changes=()):
        """Adds the explanation by hypotheses, and by changes that cost something more."""
        entry = self.wrong[0] if len(self.wrong) == 1 else None
        findings = (*(Finding(h.kind, h.sentence, None, entry, "system" if h.of_system else "rule",
                              entries=tuple(self.wrong)) for h in hypotheses), *changes)
        self.found.append((sum(h.cost for h in hypotheses) + cost + SECOND * (len(findings) > 1), findings))

    def _by_hypothesis_and_edit(self):
        """A hypothesis, and a change of one place in each entry that it leaves wrong."""
        left = {}
        for h, first in self.remaining.items() if self.readable else ():
            wrong = [index for index in self.case.trees if not self._is_none(first)[index]]
            if (0 < len(wrong) <= MOST_LEFT and not self._says_nothing(first)
                    and h.cost + CHEAPEST + SECOND <= self.best):
                left[h] = wrong
        for h, likely in self._edits_under(left):
            if self.case.equations or h.cost + CHEAPEST + SECOND <= self.best:
                parts = [self._right(index, [edit for edit in edits if not explains_away(h, edit)], hypotheses=(h,))
                         for index, edits in likely.items()]
                for cost, findings in together(parts)[:1]:
                    self._add((h,), cost, findings)

    def _edits_under(self, left):
        """Pairs (hypothesis, {entry: `Edit`s with which it is right under it}). left: {hypothesis: wrong entries}.

        Equations must hold in the motion of the changed system: each is looked at in the motions of all at once.
        """
        case = self.case
        if not case.equations:
            for h, wrong in left.items():
                near = all(case.search(index).single(self.remaining[h][index], slice(0, 1)) for index in wrong)
                if near and (missing := quietly(case.missing, (h,))) is not None:
                    yield h, {index: case.search(index).single(missing[(slice(None), *index)].astype(float))[
                        :_MOST_LOOKED_AT] for index in wrong}
            return
        likely = sorted(left, key=lambda h: (len(left[h]), h.cost))[:_MOST_HYPOTHESES]
        moving = {h: quietly(lambda h=h: [case.moving(state, (h,)) for state in case.in_floats]) for h in likely}
        moving = {h: states for h, states in moving.items() if states is not None}
        states = tuple(itertools.chain(*moving.values()))
        for k, h in enumerate(moving):
            at = slice(k * len(case.states), (k + 1) * len(case.states))
            searches = {index: case.search(index, states) for index in left[h]}
            yield h, {index: [edit for edit in search.single(-search.network.whole[at], at)[:_MOST_LOOKED_AT]
                              if search.network.value_of(edit.new)[at].any()]           # else it takes a term away
                      for index, search in searches.items()}

    # Changes of one place, or of several, in each entry

    def _right(self, index, ways, most=None, hypotheses=(), targets=None):
        """Explanations (cost, findings) of an entry by those of some ways, `Edit`s or tuples of these, that make it
        right in all digits, so many at most. targets: as for `Case.with_tree`.
        """
        found = []
        for way in (way if isinstance(way, tuple) else (way,) for way in ways):
            if any(id(edit.node) in self.agreed and edit.kind != "symbol" for edit in way):
                continue                                # what a right entry needs as it is
            tree = edited(self.case.trees[index], way)
            if tree is not None and quietly(self.case.with_tree, index, tree, hypotheses, targets):
                cost = sum(edit.cost for edit in way) + SECOND * (len(way) - 1)
                found.append((cost, tuple(self.case.of_edit(edit, index) for edit in way)))
                if len(found) == most:
                    break
        return found

    def _by_edits(self):
        self.of_entries = {index: self._of_entry(index) if index in self.readable else whole_entry(self.case, index)
                           for index in self.wrong}
        self.found += together([self.of_entries[index] for index in self.wrong])

    def _of_entry(self, index):
        """Explanations of one entry: (cost, findings), by one change, by a term that is missing, or by several."""
        case, wanted = self.case, np.array(self.missing[(slice(None), *index)], dtype=float)
        search = case.search(index)
        found = self._right(index, [*search.single(wanted)[:20], *(quietly(source_edits, case, index, wanted) or ())])
        if not found:
            found = self._right(index, compound_factors(case, index, wanted))
        if not any(cost < SURE for cost, _ in found):
            found += self._right(index, covers(case, index), 3)
        if not any(len(findings) == 1 for _, findings in found):
            found += self._right(index, quietly(inner_missing, case, index, wanted) or ())
        if not any(len(findings) == 1 and cost < SURE for cost, findings in found):
            taken, put = {"extra term", "extra factor"}, {"lost factor", "missing term"}    # that explains anything
            pairs = ((pair, {edit.kind for edit in pair}) for pair in search.pairs(wanted))
            found += self._right(index, (pair for pair, kinds in pairs if not (kinds & taken and kinds & put)), 5)
        return sorted(found, key=_cost)

    def _of_rows(self):
        """Explanations of the wrong rows of a matrix: a change of one entry in each, with which the row fits."""
        case, parts, across = self.case, [], []
        for state in case.states:                       # the projections on what is orthogonal to the rows of K
            K = np.array(case.right(state), dtype=object)
            K_1 = independent_constraints(K, 0 * K[:, 0], 1e-9).K
            across.append(np.eye(K.shape[1], dtype=int) - K_1.T @ solve_linear(K_1 @ K_1.T, K_1))
        for r, rows in enumerate(np.moveaxis(np.array(case.as_compared, dtype=object), 1, 0)):
            states = [(row @ P, P, case.tolerance * (max(abs(row)) or 1)) for row, P in zip(rows, across, strict=True)]
            if all((abs(left) <= tolerance).all() for left, _, tolerance in states):
                continue
            found = []
            for j in range(rows.shape[1]):              # what added to the entry takes most away from what is left
                changes = [-left[j] / P[j, j] if P[j, j] > 1e-12 else np.nan for left, P, _ in states]
                if all((abs(left + x * P[j]) <= 1e3 * tolerance).all()
                       for x, (left, P, tolerance) in zip(changes, states, strict=True)):
                    wanted, tree = np.array(changes, dtype=float), case.trees[r, j]
                    ways = (case.search((r, j)).single(wanted)[:5], [Edit("sign", minus(tree), 1.3, tree, tree)],
                            likely_missing(case, wanted))
                    found += next(filter(None, (self._right((r, j), way, targets=rows[:, j] + changes)
                                                for way in ways)), ())
            parts.append(sorted(found, key=_cost))
        return together(parts)


_cost = operator.itemgetter(0)


def whole_entry(case, index):
    """Explanations (cost, findings) of an entry that cannot be taken apart: another sign, or factor, makes it right."""
    yours, wanted = (values[(slice(None), *index)] for values in (case.as_compared, case.missing()))
    if case.equations or not all(yours):
        return []
    place = entry_name(case, index).capitalize() if index else "Your whole answer"
    shares = {2: "half of", 0.5: "twice", 4: "a quarter of", 0.25: "four times"}
    for factor, cost in {Fraction(-1): 1.0, **FACTORS}.items():
        if max(abs((1 + wanted / yours) * factor.denominator - factor.numerator)) <= 12 * case.tolerance:
            kind, share = "sign" if factor < 0 else "factor", shares.get(float(factor), f"{1 / factor} times")
            sentence = MISTAKES["entry"][kind].format(place=place, share=share)
            return [(cost, (Finding(kind, sentence, entry=index, family="place"),))]
    return []
