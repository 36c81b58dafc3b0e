"""Comparison of values, pairs (yours, ours) of arrays, one for each state; the decision; how sure it is.

The functions in `COMPARED` return an array of truth values, one for each entry, and notes on how the two were compared.

A formula that is analytic is right everywhere if it is right near one state. One with roots, absolute values or inverse
functions may be right on one side of a bound only, and a function of numbers may be anything: these are tried in more
states, some of them far away. Very large and very small numbers in a formula are met with more digits.
"""

import math
from collections import namedtuple

import mpmath
import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.verification.meaning.answer_lines import BadAnswer
from rbdlib.verification.trees.nodes import Function, Number, Operation, Symbol, fold, postorder

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
    """The rows of a matrix, up to the choice of equations that they are. Raises ValueError if they are too few."""
    size, wanted = len(pairs[0][0]), len(pairs[0][1])
    in_span = np.all([_in_span(yours, ours) for yours, ours in pairs], axis=0)
    if all(rank(yours) == rank(ours) == rank(np.concatenate([yours, ours])) for yours, ours in pairs):
        same = size == wanted and exact(pairs, tolerance)[0].all()
        return in_span, () if same else ("Your rows differ from rbdlib's, but they state the same constraints.",)
    if size != wanted or in_span.all():
        known = ", ".join(str(i + 1) for i in np.flatnonzero(in_span)) or "none"
        raise BadAnswer(f"Your answer has {size} {'row' if size == 1 else 'rows'} for the {wanted} constraints of the "
                        f"model. Rows that follow from these: {known}. Write a row for each, none of which follows "
                        "from the others.")
    return in_span, ()


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


#: One entry, or row of K. index: its place, from 0; ok; yours, ours: values at the counterexample, or None.
Entry = namedtuple("Entry", "index ok yours ours", defaults=(None, None))


class Decision(namedtuple(
        "Decision", "ok quantity problem notes entries counterexample certainty independent source array equations "
        "vocabulary states right tolerance",
        defaults=("", (), (), None, "", (), "", None, (), None, (), None, AGREEMENT))):
    """The verdict on an answer, with all that led to it.

    ok; quantity: a `Quantity`; problem: a sentence if the answer could not be compared at all; notes: sentences on how
    it was understood; entries: a list of `Entry`, or one for each equation or row of K; counterexample: a `State` at
    which a wrong answer differs; certainty: the error probability in words; independent: for equations, and rows of K,
    that are not right (how many of those that hold say something new, how many are needed, or were given if more).
    For explanations: source, the answer's text; array (trees), equations, vocabulary, states, and right(state), the
    values compared with.
    """

    __eq__, __hash__ = object.__eq__, object.__hash__

    def noted(self, *notes):
        """The decision with further notes, each once; empty ones are left out."""
        return self._replace(notes=tuple(dict.fromkeys((*self.notes, *filter(None, notes)))))


def likeliest(decisions, strange=lambda decision: 0):
    """The first of some decisions that an answer is right; or the first of those by which most entries are, or the one
    of these that is the least strange, by a function that gives a number; or None.
    """
    others = []
    for decision in filter(None, decisions):
        if decision.ok:
            return decision
        others.append(decision)
    shares = [sum(entry.ok for entry in d.entries) / max(1, len(d.entries)) for d in others]
    alike = [d for d, share in zip(others, shares, strict=True) if share == max(shares)]
    return min(alike, key=strange) if len(alike) > 1 else alike[0] if alike else None


# How sure it is


#: Every random number is one of at least so many, as a power of 2.
CHOICES = 50
#: Functions that are analytic wherever they have a value; the second ones soon are very large or small, or near to 1.
_WAVES, _STEEP = ("sin", "cos", "tan", "sec", "csc", "cot"), ("exp", "sinh", "cosh", "tanh")
#: Decimal places by which numbers in a formula may spread before more digits are used, and those that are used at most.
_SPREAD, _MOST_DIGITS = 8, 320


def certainty(trial, count, trees=()):
    """How likely it is that a wrong answer passes that agreed in ``count`` random states, in words.

    trial: a `decide.Trial`.  trees: its formulas, if they do not stand in its ``array``.

    An answer made of sums, products, quotients and whole powers of symbols and of sines and cosines of sums of angles
    is, with tan(q/2) for each angle, a quotient of polynomials of bounded degree D. If it is not the right one, the
    difference is zero in at most a fraction D/N of the states, where each number is drawn from N (Schwartz and
    Zippel); N is 2^50 here, and the states are independent. What the bound leaves out is a difference that is not zero
    but smaller than the tolerance.
    """
    trees, model, tolerance = trees if trial.array is None else [*trial.array.flat], trial.system.model, trial.tolerance
    digits = round(-math.log10(max(float(tolerance), 1e-300)))
    common = f"It agrees with the right result in {count} random states, to {digits} digits."
    if tolerance > 1e-20:
        return common + " That leaves a small chance that a wrong answer agrees as well."
    if not trial.is_smooth():
        return (f"{common} With roots, absolute values or inverse functions it may be wrong in a part of all states: "
                f"if in a tenth of them, that is overlooked with a probability of {0.9**count:.1g}.")
    degrees = [degree(tree) for tree in trees]
    if model.loops or not trees or None in degrees:
        return common + " A wrong answer would have to agree by chance each time."
    bound = count * (math.log10(sum(degrees) + 16 * (model.nv + 1) ** 2) - CHOICES * math.log10(2))
    return common + f" The probability that a wrong answer passes is below 1e{math.ceil(bound)}."


def is_smooth(tree):
    """True if a formula is analytic: made without roots, absolute values and inverse functions."""
    return not any(isinstance(node, Function) and node.name not in (*_WAVES, *_STEEP)
                   or isinstance(node, Operation) and node.kind == "^" and _whole(node.operands[1]) is None
                   for node in postorder(tree))


def more_digits(trees):
    """How many decimal digits more it takes to see every difference that the numbers in formulas can make.

    1 + 1e-50 differs from 1 in the fiftieth digit, and 1e50 + x - 1e50 takes so many to be x.
    """
    spread = 0.0
    for node in (node for tree in trees for node in postorder(tree)):
        match node:
            case Number() if node.value:
                size = abs(math.log10(node.value.numerator) - math.log10(node.value.denominator))
                significant = len(node.exact.replace(".", "").strip("0")) if isinstance(node.exact, str) else 0
                spread += (size if size >= 2 else 0) + (significant if significant > 12 else 0)
            case Operation(kind="^", operands=(base, exponent)):
                power = abs(_whole(exponent) or 0)
                digits = max(1, math.log10(base.value + 1)) if isinstance(base, Number) else 1
                spread += min(power, _MOST_DIGITS) * digits if power > 8 else 0
            case Function() if node.name in _STEEP:
                spread += _MOST_DIGITS
    return math.ceil(min(spread, _MOST_DIGITS)) if spread > _SPREAD else 0


def _whole(exponent):
    """The value of an exponent that is a whole number, perhaps with a sign; None if it is anything else."""
    sign = 1
    while isinstance(exponent, Operation) and exponent.kind == "neg":
        exponent, sign = exponent.operands[0], -sign
    whole = isinstance(exponent, Number) and exponent.value.denominator == 1
    return sign * int(exponent.value) if whole else None


def degree(tree):
    """An upper bound for the degree of a formula as a quotient of polynomials in tan(q/2) for angles, and in the rest.

    None if it is no such quotient, as with roots.
    """
    def rule(node, parts):
        match node:
            case Symbol():
                return 1
            case Function():
                return None if None in parts or node.name not in _WAVES else _degree_of_angle(node.arguments[0])
            case Operation(kind="^", operands=(_, exponent)):
                power = _whole(exponent)
                return None if parts[0] is None or power is None or abs(power) >= 1000 else parts[0] * abs(power)
        return None if None in parts else sum(parts)

    return fold(tree, rule)


def _degree_of_angle(angle):
    """The degree of sin(angle): twice the sum of the whole numbers by which symbols are multiplied."""
    multiples, symbols = 1, 0
    for node in postorder(angle):
        match node:
            case Symbol():
                symbols += 1
            case Number() if node.value.denominator == 1:
                multiples *= max(1, int(node.value))
            case Operation(kind="+" | "neg" | "*"):
                pass
            case _:
                return None
    return 2 * multiples * symbols if multiples < 10**6 else None
