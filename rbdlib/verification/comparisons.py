"""Whether values agree: pairs (yours, ours) of arrays, one for each state.

Each function returns an array of truth values, one for each entry, and notes on how the two were compared.
"""

import numpy as np

from rbdlib.constraint_solution import eliminate

#: What a decimal number may be off, in units of its last digit: rounded, or cut off (0.166 for 1/6).
BELOW, ABOVE = -0.5, 1.0
#: A margin for what is not linear in the decimal numbers.
MARGIN = 0.03


def scale_of(*arrays):
    """The largest size among all entries of arrays; 1 if all are zero."""
    return max((abs(x) for array in arrays for x in np.ravel(array)), default=0) or 1


def exact(pairs, tolerance):
    """Every entry, to a fraction of the largest one."""
    ok = np.ones(np.shape(pairs[0][1]), dtype=bool)
    for yours, ours in pairs:
        ok &= np.array(abs(yours - ours) <= tolerance * scale_of(ours), dtype=bool)
    return ok, ()


def up_to_a_constant(pairs, tolerance):
    """Differences between the first two states, and between the last two, which have the same parameters each."""
    ok, shifted = True, False
    for (yours_1, ours_1), (yours_2, ours_2) in (pairs[:2], pairs[-2:]):
        shift, again = yours_1 - ours_1, yours_2 - ours_2
        ok = ok and abs(shift - again) <= tolerance * scale_of(ours_1, ours_2, ours_1 - ours_2)
        shifted = shifted or abs(shift) > tolerance * scale_of(yours_1, ours_1)
    note = "It differs from rbdlib's by a constant, as it may." if ok and shifted else ""
    return np.array(ok, dtype=bool), (note,) if note else ()


def rows(pairs, tolerance):
    """A matrix up to the choice of equations that its rows are."""
    ok, _ = exact(pairs, tolerance) if pairs[0][0].shape == pairs[0][1].shape else (np.zeros((), dtype=bool), ())
    if ok.all():
        return ok, ()
    same = all(same_rows(yours, ours) for yours, ours in pairs)
    note = "Your rows differ from rbdlib's, but they state the same constraints."
    return ok | same, (note,) if same else ()


def same_rows(first, second):
    """Whether two matrices of numbers have rows that span the same space."""
    ranks = [eliminate(A, 1e-15).rank for A in (first, second, np.concatenate([first, second]))]
    return len(set(ranks)) == 1


COMPARED = {"exact": exact, "constant": up_to_a_constant, "rows": rows}


def rounded(pairs, changes, constant):
    """Whether each entry may be right if the decimal numbers in it are rounded ones, or cut off.

    pairs: (yours, ours) for each state. changes: for each state a list of arrays, what becomes of yours if one decimal
    number grows by a unit in its last digit. constant: whether values are compared up to a constant, as in
    `up_to_a_constant`.
    """
    if constant:
        pairs = [(a[0] - b[0], a[1] - b[1]) for a, b in (pairs[:2], pairs[-2:])]
        changes = [[x - y for x, y in zip(a, b, strict=True)] for a, b in (changes[:2], changes[-2:])]
    ok = np.ones(np.shape(pairs[0][1]), dtype=bool)
    for (yours, ours), of_state in zip(pairs, changes, strict=True):
        low = sum(np.minimum(BELOW * x, ABOVE * x) for x in of_state)
        high = sum(np.maximum(BELOW * x, ABOVE * x) for x in of_state)
        slack = MARGIN * (high - low) + 1e-25 * scale_of(ours)
        ok &= np.array((low - slack <= ours - yours) & (ours - yours <= high + slack), dtype=bool)
    return ok
