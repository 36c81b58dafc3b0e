"""Terms that have lost several factors at once, l/2 or l1*l2/3, or that are wrong by an unusual number."""

import numpy as np

from rbdlib.verification.reasons.edits import Edit
from rbdlib.verification.reasons.missing import product, rational, times
from rbdlib.verification.trees.expression import Function, Operation, symbols
from rbdlib.verification.trees.network import values

#: What an unusual number costs, a factor and a number, two factors; what a number and a sign besides add.
UNUSUAL, ONE_FACTOR, TWO_FACTORS, NUMBER, OPPOSITE = 2.9, 1.9, 2.0, 0.15, 0.8
#: Factors that are tried.
_MOST = 40


def compound_factors(case, index, wanted):
    """`Edit`s of one term each, by the product of two factors and a number, that change an entry by ``wanted``."""
    search, found = case.search(index), []
    groups, rows = case.compounds
    with np.errstate(all="ignore"):
        for term, share in zip(search.terms, case.shares(index), strict=True):
            now = case.combine_last(share)
            if not np.abs(now).min() > 1e-12:
                continue
            ratios = (now + wanted) / case.combine_last(share * rows)
            alike = np.flatnonzero(np.ptp(ratios, axis=1) <= 1e-8 * np.abs(ratios[:, 0]))
            for k in alike:
                number = rational(ratios[k])
                if number:
                    found.append(_edit(term, groups[k], number, wanted))
    return sorted(found, key=lambda edit: edit.cost)[:2]


def _edit(term, group, number, wanted):
    above = [tree for tree, sign in group if sign > 0]
    below = [tree for tree, sign in group if sign < 0]
    new = times(abs(number), product([term, *above]))
    new = Operation("/", (new, product(below))) if below else new
    new = new if number > 0 else Operation("neg", (new,))
    kind = "factor" if not group else "lost factor" if above else "extra factor"
    cost = UNUSUAL if not group or above and below else (ONE_FACTOR, TWO_FACTORS)[len(group) - 1]
    cost += NUMBER * (abs(number) != 1) + OPPOSITE * (number < 0)
    return Edit(kind, new, cost, wanted, term, term)


def compounds(case):
    """(groups, rows): lists of pairs (factor, 1 or -1), two at most, and their values in all states."""
    factors = list(dict.fromkeys(case.pool.factors))[:_MOST]
    known = case.floats_of({s for tree in factors for s in symbols(tree)})
    single = [(tree, sign) for tree in factors for sign in ((1,) if isinstance(tree, Function) else (1, -1))]
    row = {(tree, sign): values(tree, known) ** sign for tree, sign in single}
    groups = [[], *([x] for x in single), *([x, y] for i, x in enumerate(single) for y in single[: i + 1]
                                            if x[0] != y[0] or x[1] == y[1])]
    points = len(case.states)
    rows = np.array([np.prod([row[x] for x in group], axis=0) if group else np.ones(points) for group in groups])
    return groups, rows
