"""What is missing in one entry, explained part by part: this part by a wrong sign, that one by a term left out."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rbdlib.verification.edits import NEAR, Edit
from rbdlib.verification.expression import Number, Operation, terms
from rbdlib.verification.missing import gathered, monomials

#: Parts that are put together in all ways, mistakes that are told at once, and ways that are looked at closely.
_MOST_PARTS, MOST_MISTAKES, _MOST_COVERS = 7, 3, 12
#: What a missing term costs, each further term in a missing bracket, an unusual factor, and each further mistake.
MISSING, MORE, UNUSUAL, FURTHER = 1.2, 1.0, 2.9, 0.6


@dataclass(frozen=True, eq=False)
class Missing:
    """Terms that are left out. tree: their sum.  cost: the smaller, the likelier."""

    tree: object
    cost: float


def covers(case, index):
    """Explanations of an entry: (cost, list of `Edit`s and `Missing`), the likeliest first; not yet confirmed."""
    parts = case.parts(index)
    if not parts or len(parts) > _MOST_PARTS:
        return []
    options = {mask: found for mask in range(1, 2 ** len(parts)) if (found := _options(case, index, parts, mask))}
    whole = 2 ** len(parts) - 1
    found = [pair for pair in _put_together(options, whole, MOST_MISTAKES) if _is_sensible(pair[1])]
    return sorted(found, key=lambda pair: pair[0])[:_MOST_COVERS]


def _is_sensible(changes):
    """Whether what is left out is not the most of it."""
    missing = sum(isinstance(change, Missing) for change in changes)
    return missing < 2 or missing == len(changes) == 2


def _put_together(options, left, most):
    """All ways in which options make up the parts that are left, with so many options at most."""
    if not left:
        return [(0.0, [])]
    if not most:
        return []
    first, found = left & -left, []
    for mask, (best, *_) in options.items():
        if mask & first and mask & left == mask:
            found += [(cost + best.cost + (FURTHER if more else 0) + _exchanged([best, *more]), [best, *more])
                      for cost, more in _put_together(options, left & ~mask, most - 1)]
    return sorted(found, key=lambda pair: pair[0])[:_MOST_COVERS]


def _exchanged(changes):
    """What it costs besides to take a term away and put another one in its place: any term can be explained so."""
    return 0.8 * (any(isinstance(x, Missing) for x in changes) and any(
        not isinstance(x, Missing) and x.kind == "extra term" for x in changes))


def _options(case, index, parts, mask):
    """What may explain some of the parts together, the likeliest first."""
    chosen = [part for k, part in enumerate(parts) if mask >> k & 1]
    wanted = sum(part.values for part in chosen)
    found = [*case.search(index).single(wanted)[:3], *_unusual_factors(case, index, wanted)]
    left_out = _left_out(case, index, chosen)
    return sorted([*found, *left_out], key=lambda option: option.cost)


def _unusual_factors(case, index, wanted):
    """One term of the answer is multiplied by another number than it should be."""
    search = case.search(index)
    for term in search.terms:
        share = -search.network.change(term, 0 * search.network.values[id(term)])
        if np.abs(share).min() < 1e-12:
            continue
        ratios = 1 + wanted / share
        number = Fraction(float(ratios[0])).limit_denominator(24)
        if number and abs(number) <= 24 and np.abs(ratios - float(number)).max() <= NEAR * 10:
            factor = Number(abs(number)) if number > 0 else Operation("neg", (Number(abs(number)),))
            yield Edit("factor", Operation("*", (factor, term)), UNUSUAL, wanted, term, term)


def _left_out(case, index, chosen):
    """The terms of some parts, if they are one term or have a mass, or a bracket's factor, in common."""
    terms = [case.terms(part) for part in chosen]
    if None in terms:
        return []
    flat = [term for some in terms for term in some]
    together = gathered(case, flat)
    if len(together) > 1:
        common = set.intersection(*({t for t, k in term.powers.items()} for term in together))
        if not common & set(case.pool.masses) or len(together) > 4:
            return []
    tree = together[0].tree if len(together) == 1 else Operation("+", tuple(term.tree for term in together))
    there, absent = case.monomials(index), monomials(tree)
    if absent is None or (len(together) > 1 if there is None else there & absent):     # it is there: it is not missing
        return []
    return [Missing(tree, MISSING + MORE * (len(together) - 1))]


def completed(tree, missing):
    """A formula with what was missing added to it."""
    return Operation("+", (tree, *(part for m in missing for part in terms(m.tree)))) if missing else tree
