"""How sure it is that an answer that agreed at random states is right."""

import math

from rbdlib.verification.expression import Function, Number, Operation, Symbol, children, postorder

#: Every random number is one of at least so many, as a power of 2.
CHOICES = 50


def certainty(trees, nv, count, tolerance, loops):
    """How likely it is that a wrong answer passes, in words.

    trees: the formulas of the answer, or an empty list for a function. nv: velocity variables of the model. count: the
    number of random states. tolerance: the relative difference that was allowed. loops: whether the model has any.

    An answer made of sums, products, quotients and whole powers of symbols and of sines and cosines of sums of angles
    is, with tan(q/2) for each angle, a quotient of polynomials of bounded degree D. If it is not the right one, the
    difference is zero in at most a fraction D/N of the states, where each number is drawn from N (Schwartz and
    Zippel); N is 2^50 here, and the states are independent. What the bound leaves out is a difference that is not zero
    but smaller than the tolerance.
    """
    common = f"It agrees with the right result in {count} random states, to {round(-math.log10(tolerance))} digits."
    if tolerance > 1e-20:
        return common + " That leaves a small chance that a wrong answer agrees as well."
    degrees = [degree(tree) for tree in trees]
    if loops or not trees or None in degrees:
        return common + " A wrong answer would have to agree by chance each time."
    bound = count * (math.log10(sum(degrees) + 16 * (nv + 1) ** 2) - CHOICES * math.log10(2))
    return common + f" The probability that a wrong answer passes is below 1e{math.ceil(bound)}."


def degree(tree):
    """An upper bound for the degree of a formula as a quotient of polynomials in tan(q/2) for angles, and in the rest.

    None if it is no such quotient, as with roots.
    """
    degrees = {}
    for node in postorder(tree):
        parts = [degrees[id(child)] for child in children(node)]
        degrees[id(node)] = None if None in parts else _degree(node, parts)
    return degrees[id(tree)]


def _degree(node, parts):
    match node:
        case Symbol():
            return 1
        case Function(name="sin" | "cos" | "tan" | "sec" | "csc" | "cot"):
            return _degree_of_angle(node.arguments[0])
        case Function():
            return None
        case Operation(kind="^"):
            exponent = node.operands[1]
            whole = isinstance(exponent, Number) and exponent.value.denominator == 1
            return parts[0] * int(exponent.value) if whole and exponent.value < 1000 else None
    return sum(parts)


def _degree_of_angle(angle):
    """The degree of sin(angle): twice the sum of the whole numbers by which symbols are multiplied."""
    multiples, symbols = 1, 0
    for node in postorder(angle):
        match node:
            case Symbol():
                symbols += 1
            case Number():
                if node.value.denominator != 1:
                    return None
                multiples *= max(1, int(node.value))
            case Operation(kind="+" | "neg" | "*"):
                pass
            case _:
                return None
    return 2 * multiples * symbols if multiples < 10**6 else None
