"""Equations of motion that are right for another system, but for one place."""

import numpy as np

from rbdlib.loops.clusters import independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.reasons.edits import Search
from rbdlib.verification.reasons.putting_together import SECOND, edited, explains_away, together
from rbdlib.verification.reasons.screening import NEAR, TROUBLE, states_in_floats
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
        return [search.case.moving(state, (h,)) for state in states_in_floats(search.case)]
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


# Rows of a matrix


def wrong_rows(case):
    """{row: {column: change of that entry in each state, with which the row fits}}, for the rows that do not fit."""
    rows = np.array(case.as_compared, dtype=object)
    projections = [_across(np.array(case.right(state), dtype=object)) for state in case.states]
    found = {}
    for r in range(rows.shape[1]):
        left = [row[r] @ P for row, P in zip(rows, projections, strict=True)]
        sizes = [max(abs(x) for x in row[r]) or 1 for row in rows]
        if all((abs(x) <= case.tolerance * size).all() for x, size in zip(left, sizes, strict=True)):
            continue
        found[r] = {}
        for j in range(rows.shape[2]):
            changes = [_change(x, P, j, case.tolerance * size)
                       for x, P, size in zip(left, projections, sizes, strict=True)]
            if all(change is not None for change in changes):
                found[r][j] = np.array(changes, dtype=object)
    return found


def _across(K):
    """The projection on what is orthogonal to the rows of K."""
    K_1 = independent_constraints(K, 0 * K[:, 0], 1e-9).K
    return np.eye(K.shape[1], dtype=int) - K_1.T @ solve_linear(K_1 @ K_1.T, K_1)


def _change(left, P, j, tolerance):
    k = max(range(len(P)), key=lambda i: abs(P[j, i]))
    if abs(P[j, k]) < 1e-12:
        return None
    change = -left[k] / P[j, k]
    return change if (abs(left + change * P[j]) <= tolerance * 1e3).all() else None


def of_rows(search):
    """Explanations (cost, findings) of the wrong rows of a matrix: a change of one entry in each."""
    case, parts = search.case, []
    for r, columns in wrong_rows(case).items():
        found = []
        for j, changes in columns.items():
            for edit in case.search((r, j)).single(np.array(changes, dtype=float))[:5]:
                if search.changes_by((r, j), edit, changes):
                    found.append((edit.cost, (search.finding(edit, (r, j)),)))
        parts.append(sorted(found, key=lambda pair: pair[0]))
    if not parts or not all(parts):
        return []
    return parts[0] if len(parts) == 1 else [together(parts)]
