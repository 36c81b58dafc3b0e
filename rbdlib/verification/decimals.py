"""Decimal numbers in an answer that are rounded ones: 0.333 for 1/3, 0.1667 for 1/6, or 0.166 with digits cut off."""

from dataclasses import replace

import numpy as np

from rbdlib.verification.answer_lines import symbols_in_order
from rbdlib.verification.certainty import certainty
from rbdlib.verification.comparisons import rounded
from rbdlib.verification.expression import Number, Symbol, evaluate, postorder
from rbdlib.verification.network import replaced

#: Decimals of at least so many digits, zeros at both ends left out, may be rounded ones.
ROUNDED_DIGITS = 3
#: Decimal numbers of an answer that may be rounded, at most.
MOST_DECIMALS = 40
_NOTE = "Your answer has rounded numbers in it; it agrees as far as their digits go."


def with_decimals(trial, states):
    """The `Decision` about an answer that is right but for the rounding of its numbers; None if it is not.

    trial: a `decide.Trial` whose formulas stand in ``array``; states: a list of its states.
    """
    nodes = {id(node): node for tree in trial.array.flat for node in postorder(tree)}
    decimals = [node for node in nodes.values() if isinstance(node, Number) and last_digit(node)]
    if not 0 < len(decimals) <= MOST_DECIMALS:
        return None
    answer = _Answer(trial, decimals)
    for reading in trial.readings():
        pairs, changes = [], []
        for state in states if reading.compare != "rows" else ():
            ours = np.array(reading.right(state), dtype=object)
            yours = answer.values(state, ours, reading)
            if yours is None:
                break
            pairs.append((yours, ours))
            changes.append([answer.values(state, ours, reading, node) - yours for node in decimals])
        if len(pairs) == len(states) and rounded(pairs, changes, reading.compare == "constant").all():
            return _decision(trial, reading, states, min(node.digits for node in decimals))
    return None


class _Answer:
    """The formulas of an answer, with symbols in place of the decimal numbers."""

    def __init__(self, trial, decimals):
        self.trial = trial
        self.symbols = {id(node): Symbol(f"decimal {k}") for k, node in enumerate(decimals)}
        self.trees = [replaced(tree, self.symbols) for tree in trial.array.flat]
        self.plain = {self.symbols[id(node)]: evaluate(node, {}) for node in decimals}
        self.used = [symbol for symbol in symbols_in_order(self.trees) if symbol not in self.plain]

    def values(self, state, ours, reading, raised=None):
        """The values in a state, one of the decimal numbers being a unit in its last digit larger; None if unfit."""
        known = self.trial.vocabulary.values(state, self.used) | self.plain
        if raised is not None:
            known[self.symbols[id(raised)]] += last_digit(raised)
        values = np.array([*(evaluate(tree, known) for tree in self.trees), None], dtype=object)[:-1]
        return self.trial.comparable(values.reshape(self.trial.array.shape), ours, reading, state)[0]


def _decision(trial, reading, states, digits):
    before, trial.tolerance = trial.tolerance, 10.0 ** (1 - digits)
    decision = trial.by(reading, states)
    trial.tolerance = before
    notes = dict.fromkeys((*decision.notes, *trial.notes, _NOTE))
    return replace(decision, ok=True, entries=tuple(replace(entry, ok=True) for entry in decision.entries),
                   tolerance=before, notes=tuple(notes),
                   certainty=certainty([], 0, len(states), 10.0 ** (1 - digits), False))


def last_digit(number):
    """The unit in the last digit of a decimal number that may be a rounded one, an mpmath number; otherwise None."""
    import mpmath

    if not isinstance(number.exact, str):
        return None
    mantissa, _, power = number.exact.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len((whole + fraction).strip("0")) < ROUNDED_DIGITS:
        return None
    return mpmath.mpf(10) ** (int(power or 0) - len(fraction))
