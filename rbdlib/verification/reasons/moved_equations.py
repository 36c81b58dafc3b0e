"""Changes of one place that make an entry right for another system: in values, in equations, in rows of a matrix."""

import numpy as np

from rbdlib.loops.clusters import independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.reasons.edits import Search
from rbdlib.verification.reasons.screening import quietly, states_in_floats
from rbdlib.verification.trees.expression import symbols
from rbdlib.verification.trees.network import Network

#: Changes that are looked at closely, for each hypothesis and entry; and hypotheses that are tried with equations.
_MOST, _MOST_HYPOTHESES = 5, 40


def edits_for_values(case, left, first):
    """Pairs (hypothesis, {entry: `Edit`s that give its values}); left: {hypothesis: entries that it leaves wrong}.

    first: {hypothesis: what is missing in the first state, in floats}.
    """
    for h, wrong in left.items():
        if all(case.search(index).may_give(float(first[h][index])) for index in wrong):
            missing = quietly(case.missing, (h,))
            if missing is not None:
                wanted = missing.astype(float)
                yield h, {index: case.search(index).single(wanted[(slice(None), *index)])[:_MOST] for index in wrong}


def moved_edits(case, left, first):
    """The same for equations of motion: `Edit`s with which they hold in the motion of the changed system.

    The changes are tried for all hypotheses at once: an equation is looked at in the motions of all these systems.
    """
    likely = sorted(left, key=lambda h: (len(left[h]), h.cost))[:_MOST_HYPOTHESES]
    states = {h: quietly(lambda h=h: [case.moving(state, (h,)) for state in states_in_floats(case)]) for h in likely}
    chosen = [h for h in likely if states[h] is not None]
    searches = {}
    for index in {index for h in chosen for index in left[h]}:
        tree = case.trees[index]
        known = case.floats_at([x for h in chosen for x in states[h]], {*symbols(tree), *case.pool.symbols()})
        searches[index] = Search(Network(tree, known, lambda values: values), case.pool)
    for k, h in enumerate(chosen):
        at = slice(k * len(case.states), (k + 1) * len(case.states))
        yield h, {index: searches[index].single(-searches[index].network.whole[at], at)[:_MOST] for index in left[h]}


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
