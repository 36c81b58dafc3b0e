"""Decimal numbers in an answer that are rounded ones: 0.333 for 1/3, 0.1667 for 1/6, or 0.166 with digits cut off."""

from dataclasses import replace

import numpy as np

from rbdlib.verification.decision.certainty import certainty
from rbdlib.verification.decision.comparisons import scale_of
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.trees.expression import Number, Symbol, Undefined, evaluate, postorder
from rbdlib.verification.trees.network import replaced

#: Decimals of at least so many digits, zeros at both ends left out, may be rounded ones.
ROUNDED_DIGITS = 2
#: Decimal numbers of an answer that may be rounded, at most.
MOST_DECIMALS = 40
#: What a decimal number may be off, in units of its last digit: rounded, or cut off (0.166 for 1/6).
BELOW, ABOVE = -0.51, 0.99
#: So many more states than decimal numbers are looked at, at least.
FEWEST = 6
#: Newton's steps, and the fraction of the largest entry that counts as nothing after them.
_STEPS, _EXACTLY = 4, 1e-12
_NOTE = "Your answer has rounded numbers in it; it agrees as far as their digits go."


def with_decimals(trial, states):
    """The `Decision` about an answer that is right but for the rounding of its numbers; None if it is not.

    Numbers are looked for that, rounded or cut off, are those in the answer, and with which it is exactly right. trial:
    a `decide.Trial` whose formulas stand in ``array``; states: function of a number, which gives so many states.
    """
    nodes = {id(node): node for tree in trial.array.flat for node in postorder(tree)}
    decimals = [node for node in nodes.values() if isinstance(node, Number) and last_digit(node)]
    if not 0 < len(decimals) <= MOST_DECIMALS:
        return None
    states, answer = states(FEWEST + len(decimals)), _Answer(trial, decimals)
    for reading in trial.readings():
        if reading.compare in ("exact", "constant") and answer.fits(states, reading):
            return _decision(trial, reading, states, min(node.digits for node in decimals))
    return None


class _Answer:
    """The formulas of an answer, with symbols in place of the decimal numbers."""

    def __init__(self, trial, decimals):
        self.trial, self.decimals = trial, decimals
        self.symbols = {id(node): Symbol(f"decimal {k}") for k, node in enumerate(decimals)}
        self.trees = [replaced(tree, self.symbols) for tree in trial.array.flat]
        self.plain = {self.symbols[id(node)]: evaluate(node, {}) for node in decimals}
        self.used = [symbol for symbol in symbols_in_order(self.trees) if symbol not in self.plain]

    def fits(self, states, reading):
        """True if there are numbers within the rounding of those written that make the answer right."""
        try:
            return self._fits(states, reading)
        except Undefined:                               # Newton's steps led to where the formulas have no value
            return False

    def _fits(self, states, reading):
        ours = [np.array(reading.right(state), dtype=object) for state in states]
        units = np.array([last_digit(node) for node in self.decimals], dtype=object)
        shifts, scale = 0 * units, scale_of(*ours)
        for _ in range(_STEPS):
            now = self._missing(states, ours, reading, shifts)
            if now is None:
                return False
            columns = []
            for unit in np.eye(len(units), dtype=object):
                columns.append((now - self._missing(states, ours, reading, shifts + unit * units)).astype(float))
            found, *_ = np.linalg.lstsq(np.array(columns).T, now.astype(float), rcond=1e-12)
            shifts = shifts + found * units
        left = self._missing(states, ours, reading, shifts)
        within = all(BELOW <= x / unit <= ABOVE for x, unit in zip(shifts, units, strict=True))
        return within and bool(max(abs(left)) < _EXACTLY * scale)

    def _missing(self, states, ours, reading, shifts):
        """The part that the answer lacks with shifted numbers, all entries in one vector; None if shapes do not fit."""
        found = []
        for state, right in zip(states, ours, strict=True):
            known = self.trial.vocabulary.values(state, self.used) | dict(zip(self.plain, [
                x + shift for x, shift in zip(self.plain.values(), shifts, strict=True)], strict=True))
            values = np.array([*(evaluate(tree, known) for tree in self.trees), None], dtype=object)[:-1]
            yours, _ = self.trial.comparable(values.reshape(self.trial.array.shape), right, reading, state)
            if yours is None:
                return None
            found.append((right - yours).ravel() if right.shape else np.array([right - yours], dtype=object))
        if reading.compare == "constant":
            found = [found[0] - found[1], *(_pairwise(found, states))]
        return np.concatenate(found)


def _pairwise(found, states):
    """Differences among states with the same parameters."""
    pairs = [(i, j) for i in range(1, len(states)) for j in range(i) if states[i].parameters == states[j].parameters]
    return [found[i] - found[j] for i, j in pairs]


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
