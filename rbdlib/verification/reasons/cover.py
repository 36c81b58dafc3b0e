"""The part that one entry lacks, explained part by part: this part by a wrong sign, that one by a term left out."""

from rbdlib.verification.reasons.components import parts_of
from rbdlib.verification.reasons.edits import Edit
from rbdlib.verification.reasons.missing import compound_factors, gathered, monomials, monomials_of
from rbdlib.verification.reasons.pool import parameters_of
from rbdlib.verification.trees.calculus import plus
from rbdlib.verification.trees.expression import Function, symbols

#: Parts that are put together in all ways, mistakes that are told at once, and ways that are looked at closely.
_MOST_PARTS, MOST_MISTAKES, _MOST_COVERS = 7, 3, 12
#: What a missing term costs, each further term in a missing bracket, one that is there with other sines and cosines,
#: and each further mistake.
MISSING, MORE, SIMILAR, FURTHER = 1.2, 1.0, 1.7, 0.6


def covers(case, index):
    """Explanations of an entry: (cost, `Edit`s, first those of what is there), the likeliest first; not yet confirmed.
    """
    parts = parts_of(case, index)
    if not parts or len(parts) > _MOST_PARTS:
        return []
    options = {mask: _option(case, index, [part for k, part in enumerate(parts) if mask >> k & 1])
               for mask in range(1, 2 ** len(parts))}
    options = {mask: option for mask, option in options.items() if option is not None}
    found = _put_together(options, 2 ** len(parts) - 1, MOST_MISTAKES)
    return [(cost, sorted(changes, key=lambda edit: edit.node is None)) for cost, changes in found
            if _is_sensible(changes)]


def _is_sensible(changes):
    """True if what is left out is not the most of it, and nothing is taken away to put something else in its place."""
    missing = sum(change.node is None for change in changes)
    taken_away = any(change.kind == "extra term" for change in changes)
    return not missing or not taken_away and (missing < 2 or missing == len(changes) == 2)


def _put_together(options, left, most):
    """All ways in which options make up the parts that are left, with so many options at most."""
    if not left:
        return [(0.0, [])]
    if not most:
        return []
    first, found = left & -left, []
    for mask, best in options.items():
        if mask & first and mask & left == mask:
            found += [(cost + best.cost + (FURTHER if more else 0), [best, *more])
                      for cost, more in _put_together(options, left & ~mask, most - 1)]
    return sorted(found, key=lambda pair: pair[0])[:_MOST_COVERS]


def _option(case, index, chosen):
    """The likeliest explanation of some of the parts together; None if there is none."""
    wanted = sum(part.values for part in chosen)
    found = [*case.search(index).single(wanted)[:1], *compound_factors(case, index, wanted)[:1],
             *_left_out(case, index, chosen)]
    return min(found, key=lambda option: option.cost, default=None)


def _left_out(case, index, chosen):
    """The terms of some parts, if they are one term, have a mass in common, or make one bracket: (A + B)*qd1^2."""
    together = gathered(case, chosen)
    if len(together) > 1:
        common = set.intersection(*(set(term.powers) for term in together))
        bracket = len({_moving(case, term) for term in together}) == 1 and _moving(case, together[0])[0]
        if not (bracket or common & set(case.pool.masses)) or len(together) > 4:
            return []
    tree = plus(*(term.tree for term in together))
    there, absent = monomials(case, index), monomials_of(case, tree)
    if not absent or (len(together) > 1 if there is None else there & absent):         # it is there: it is not missing
        return []
    similar = there is not None and bool({_factors(m) for m in there} & {_factors(m) for m in absent})
    cost = MISSING + MORE * (len(together) - 1) + SIMILAR * similar
    return [Edit("missing term", tree, cost, None)]


def _moving(case, term):
    """The powers of rates and accelerations in a term, and its functions: what stands beside a bracket of parameters.
    """
    parameters = {s for alike in parameters_of(case).values() for s in alike}
    return frozenset((t, k) for t, k in term.powers.items() if not symbols(t) <= parameters), term.functions


def _factors(monomial):
    """A product of powers without its functions of the position."""
    return frozenset((tree, k) for tree, k in monomial if not isinstance(tree, Function))
