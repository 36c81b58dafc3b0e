"""How sure it is that an answer that agreed at random states is right, and what it takes to be sure.

A formula that is analytic is right everywhere if it is right near one state. One with roots, absolute values or inverse
functions may be right on one side of a bound only, and a function of numbers may be anything: these are tried in more
states, some of them far away. Very large and very small numbers in a formula are met with more digits.
"""

import math

from rbdlib.verification.trees.expression import Function, Number, Operation, Symbol, postorder
from rbdlib.verification.trees.nodes import fold

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
