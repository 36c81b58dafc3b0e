"""Wrong rows of a matrix that may state the same constraints in any form: what one entry must be so that a row fits."""

import numpy as np

from rbdlib.loops.clusters import independent_constraints
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.reasons.putting_together import together


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
