"""A decision about an answer, entry by entry."""

from dataclasses import dataclass, replace
from typing import Any

from rbdlib.verification.decision.comparisons import AGREEMENT


@dataclass(frozen=True)
class Entry:
    """One entry of an answer. index: its place, from 0.  ok.  yours, ours: values at the counterexample, or None."""

    index: tuple
    ok: bool
    yours: Any = None
    ours: Any = None


@dataclass(frozen=True, eq=False)
class Decision:
    """The verdict on an answer, with all that led to it.

    ok; quantity: a `Quantity`; problem: a sentence if the answer could not be compared at all; notes: sentences on how
    it was understood; entries: a list of `Entry`, or one for each equation; counterexample: a `State` at which a wrong
    answer differs; certainty: the error probability in words; independent: for equations, and rows of K, that are not
    right (how many of those that hold say something new, how many are needed, or were given if these are more).
    For explanations: source, the answer's text; array (trees), equations, vocabulary, states, and right(state), the
    values compared with.
    """

    ok: bool
    quantity: Any
    problem: str = ""
    notes: tuple = ()
    entries: tuple = ()
    counterexample: Any = None
    certainty: str = ""
    independent: tuple = ()
    source: str = ""
    array: Any = None
    equations: tuple = ()
    vocabulary: Any = None
    states: tuple = ()
    right: Any = None
    tolerance: float = AGREEMENT

    def noted(self, *notes):
        """The decision with further notes, each once; empty ones are left out."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *filter(None, notes)))))


def likeliest(decisions):
    """The first of some decisions that an answer is right; or the first of those by which most entries are; or None."""
    others = []
    for decision in filter(None, decisions):
        if decision.ok:
            return decision
        others.append(decision)
    return max(others, key=lambda d: sum(entry.ok for entry in d.entries) / max(1, len(d.entries)), default=None)
