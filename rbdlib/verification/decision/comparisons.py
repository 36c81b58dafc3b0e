"""Comparison of values: pairs (yours, ours) of arrays, one for each state; and the decision that comes of it.

The functions in `COMPARED` return an array of truth values, one for each entry, and notes on how the two were compared.
"""

from collections import namedtuple

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.answer_lines import BadAnswer

#: Formulas agree if they differ by less than this fraction of the largest entry.
AGREEMENT = 1e-30
#: Limits where the model's own numbers are floats, and for functions that return floats.
AGREEMENT_OF_FLOATS, AGREEMENT_OF_FUNCTIONS = 1e-9, 1e-10
#: The limit for functions in states with very different lengths or masses, in which floats lose digits.
AGREEMENT_FAR_AWAY = 1e-7


def scale_of(*arrays):
    """The largest size among all entries of arrays; 1 if all are zero, but for rounding."""
    largest = max((abs(x) for array in arrays for x in np.ravel(array)), default=0)
    return largest if largest > mpmath.mpf(10) ** (14 - mpmath.mp.dps) else 1


def exact(pairs, tolerance):
    """Every entry, to a fraction of the largest one."""
    return np.all([np.array(abs(yours - ours) <= tolerance * scale_of(ours), dtype=bool) for yours, ours in pairs],
                  axis=0), ()


def up_to_a_constant(pairs, tolerance):
    """Differences between the first two states, and between the last two, which have the same parameters each."""
    ok, shifted = True, False
    for (yours_1, ours_1), (yours_2, ours_2) in (pairs[:2], pairs[-2:]):
        shift, again = yours_1 - ours_1, yours_2 - ours_2
        ok = ok and abs(shift - again) <= tolerance * scale_of(ours_1, ours_2, ours_1 - ours_2)
        shifted = shifted or abs(shift) > tolerance * scale_of(yours_1, ours_1)
    return np.array(ok, dtype=bool), ("It differs from rbdlib's by a constant, as it may.",) if ok and shifted else ()


def rows(pairs, tolerance):
    """A matrix up to the choice of equations that its rows are. Raises ValueError if its rows are too few."""
    size, wanted = len(pairs[0][0]), len(pairs[0][1])
    in_span = np.all([_in_span(yours, ours) for yours, ours in pairs], axis=0)
    if all(rank(yours) == rank(ours) == rank(np.concatenate([yours, ours])) for yours, ours in pairs):
        ok = np.ones(pairs[0][1].shape, dtype=bool)
        same = size == wanted and exact(pairs, tolerance)[0].all()
        return ok, () if same else ("Your rows differ from rbdlib's, but they state the same constraints.",)
    if size != wanted or in_span.all():
        known = ", ".join(str(i + 1) for i in np.flatnonzero(in_span)) or "none"
        raise BadAnswer(f"Your answer has {size} {'row' if size == 1 else 'rows'} for the {wanted} constraints of the "
                        f"model. Rows that follow from these: {known}. Write a row for each, none of which follows "
                        "from the others.")
    return exact(pairs, tolerance)[0] | in_span[:, np.newaxis], ()


def independent_rows(yours, ours):
    """(how many rows state constraints that are right, and that other rows do not state already; how many have to, or
    the number of rows if that is more)."""
    return rank(yours[_in_span(yours, ours)]), max(rank(ours), len(yours))


def _in_span(yours, ours):
    """For each row whether it is a sum of multiples of the right ones."""
    return np.array([rank(np.concatenate([ours, [row]])) == rank(ours) for row in yours], dtype=bool)


def rank(A, tolerance=1e-15):
    """The rank of a matrix of numbers, which may have no entries."""
    return eliminate(A, tolerance).rank if A.size else 0


COMPARED = {"exact": exact, "constant": up_to_a_constant, "rows": rows}


# Decisions


#: One entry of an answer. index: its place, from 0; ok; yours, ours: values at the counterexample, or None.
Entry = namedtuple("Entry", "index ok yours ours", defaults=(None, None))


class Decision(namedtuple(
        "Decision", "ok quantity problem notes entries counterexample certainty independent source array equations "
        "vocabulary states right tolerance",
        defaults=("", (), (), None, "", (), "", None, (), None, (), None, AGREEMENT))):
    """The verdict on an answer, with all that led to it.

    ok; quantity: a `Quantity`; problem: a sentence if the answer could not be compared at all; notes: sentences on how
    it was understood; entries: a list of `Entry`, or one for each equation; counterexample: a `State` at which a wrong
    answer differs; certainty: the error probability in words; independent: for equations, and rows of K, that are not
    right (how many of those that hold say something new, how many are needed, or were given if these are more).
    For explanations: source, the answer's text; array (trees), equations, vocabulary, states, and right(state), the
    values compared with.
    """

    __eq__, __hash__ = object.__eq__, object.__hash__

    def noted(self, *notes):
        """The decision with further notes, each once; empty ones are left out."""
        return self._replace(notes=tuple(dict.fromkeys((*self.notes, *filter(None, notes)))))


def likeliest(decisions):
    """The first of some decisions that an answer is right; or the first of those by which most entries are; or None."""
    others = []
    for decision in filter(None, decisions):
        if decision.ok:
            return decision
        others.append(decision)
    return max(others, key=lambda d: sum(entry.ok for entry in d.entries) / max(1, len(d.entries)), default=None)
