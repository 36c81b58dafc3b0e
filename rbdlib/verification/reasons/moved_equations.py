"""Equations of motion that are right for another system, but for one place."""

import numpy as np

from rbdlib.verification.reasons.edits import Search
from rbdlib.verification.reasons.putting_together import SECOND, edited, explains_away, together
from rbdlib.verification.reasons.screening import NEAR, TROUBLE
from rbdlib.verification.reasons.sentences import of_edit, of_hypothesis
from rbdlib.verification.trees.expression import evaluate, symbols
from rbdlib.verification.trees.network import Network

#: Hypotheses that are tried together with a change of the formulas, and equations that may be changed.
_MOST_HYPOTHESES, _MOST_LEFT = 40, 2


def combined_with_edits(search):
    """Explanations (cost, findings) of the equations of a `diagnosis.Search`: a hypothesis and a change in one place.

    The changes are tried for all hypotheses at once: an equation is looked at in the motions of all these systems.
    """
    case, left = search.case, {}
    for h, first in list(search.remaining.items()):
        wrong = [index for index in case.trees if not search.screen.near(first)[index]]
        if search.is_too_dear(h.cost + 1.0 + SECOND):
            continue
        if 0 < len(wrong) <= _MOST_LEFT and (h.target is None or h.motion is not None):
            left[h] = wrong
    chosen = sorted(left, key=lambda h: (len(left[h]), h.cost))[:_MOST_HYPOTHESES]
    states = {h: moved for h in chosen if (moved := _moved(search, h)) is not None}
    found, wide = [], {}
    for index in {index for h in states for index in left[h]}:
        wide[index] = _wide_search(case, index, [x for moved in states.values() for x in moved])
    for k, h in enumerate(states):
        at = slice(k * len(case.states), (k + 1) * len(case.states))
        parts = [_edits(case, h, index, wide[index], at) for index in left[h]]
        if all(parts):
            cost, findings = parts[0][0] if len(parts) == 1 else together(parts)
            found.append((h.cost + cost + SECOND, (of_hypothesis(case, h, search.wrong), *findings)))
    return found


def _moved(search, h):
    """The states in floats, moving as the hypothesis has it."""
    try:
        return [search.case.moving(state, (h,)) for state in search.screen.all_states]
    except TROUBLE:
        return None


def _wide_search(case, index, states):
    tree = case.trees[index]
    wanted = tuple({*symbols(tree), *case.pool.symbols()})
    rows = [case.known(state, wanted) for state in states]
    known = {s: np.array([float(row[s]) for row in rows]) for s in wanted}
    with np.errstate(all="ignore"):
        return Search(Network(tree, known, lambda values: values), case.pool)


def _edits(case, h, index, wide, at):
    """(cost, findings) of the changes that make an equation hold in the motion of a hypothesis."""
    wanted = -wide.network.whole[at]
    near = (np.abs(wide.changes[:, at] - wanted) <= NEAR * wide.sizes[at].max()).all(axis=1)
    found = []
    for edit in [wide.edits[i] for i in np.flatnonzero(near)][:5]:
        if not explains_away(h, edit) and _holds(case, h, index, edited(case.trees[index], (edit,))):
            found.append((edit.cost, (of_edit(case, edit, index),)))
    return found


def _holds(case, h, index, tree):
    wanted = tuple(symbols(tree))
    try:
        for k, state in enumerate(case.states):
            value = evaluate(tree, case.known(case.moving(state, (h,)), wanted))
            if abs(value) > case.tolerance * case.sizes[(k, *index)]:
                return False
    except TROUBLE:
        return False
    return case.says_something(tree)
