"""Formulas as a learner wrote them, what can be done with them, and their values: see `nodes` for the tree itself.

    tree = read("m1*l1**2*q1''").trees[0]
    evaluate(tree, {Symbol("m1"): 2, Symbol("l1"): 1, Symbol("q1", 2): 3})      # 6.0
"""

from mpmath import mp

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.calculus import carried_out, differentiate, time_derivative
from rbdlib.verification.trees.nodes import (
    Derivative,
    Equation,
    Function,
    Matrix,
    Number,
    Operation,
    Symbol,
    TooLarge,
    children,
    expanded,
    postorder,
    substitute,
    symbols,
    terms,
    with_children,
    written_size,
)
from rbdlib.verification.trees.writing import shortened, to_latex, to_text

__all__ = [
    "Derivative", "Equation", "Function", "Matrix", "Number", "Operation", "Symbol", "TooLarge", "Undefined",
    "children", "differentiate", "evaluate", "expanded", "postorder", "substitute", "symbols", "terms",
    "time_derivative", "to_latex", "to_text", "with_children", "written_size"]

#: The size of a value, in bits before the binary point, above which it has no meaning here: about 1e300.
LARGEST = 1000


class Undefined(ValueError):
    """A formula has no finite real value at the given numbers. ``node`` is the smallest part that has none."""

    def __init__(self, message, node):
        super().__init__(message)
        self.node = node


def evaluate(tree, values):
    """The value of a formula at numbers.

    Parameters: the tree; values, a dict from Symbol to a number. Derivatives in the tree are carried out first: by
    time, a symbol varies if its next rate is among the values.
    Returns: an mpmath number, in the digits of mpmath.mp; a list of rows of them for a Matrix.
    Raises `Undefined` if there is no finite real value, KeyError for a symbol without value, TypeError for an Equation,
    TooLarge if derivatives in it cannot be carried out.
    """
    if isinstance(tree, nodes.Equation):
        raise TypeError("An equation has no value. Evaluate its left and its right side.")
    def value(node, parts):                             # in which nothing is infinite or imaginary
        if type(node) is nodes.Matrix:
            width = node.shape[1]
            return [parts[i : i + width] for i in range(0, len(parts), width)]
        try:
            result = mp.mpmathify(_combined(node, parts, values))
        except (ArithmeticError, ValueError, TypeError):
            raise Undefined(f"{shortened(node)} has no value. {_remedy(node)}", node) from None
        if isinstance(result, mp.mpc):
            if result.imag != 0:
                raise Undefined(f"{shortened(node)} has no real value. Look for the root of a negative number.", node)
            result = result.real
        _, mantissa, exponent, bits = result._mpf_
        infinite = not mantissa and exponent            # so mpmath keeps infinity, and what is no number
        if infinite or (mantissa and exponent + bits > LARGEST):
            raise Undefined(f"{shortened(node)} is infinite or too large. {_remedy(node)}", node)
        return result

    return nodes.fold(carried_out(tree, lambda symbol: Symbol(symbol.name, symbol.dots + 1) in values), value)


def _remedy(node):
    name = getattr(node, "kind", None) or getattr(node, "name", None)
    if name in ("^", "exp"):
        return "Look at the exponent."
    return "Look for a division by zero." if name in ("/", "log", "tan", "cot", "sec", "csc") else "Look at its parts."


def _combined(node, parts, values):
    match node:                                            # the most frequent kinds first
        case Symbol():
            if node not in values:
                raise KeyError(f"There is no value for the symbol {node.name + node.dots * chr(39)}.")
            return values[node]
        case Function():
            return getattr(mp, "fabs" if node.name == "abs" else node.name)(*parts)
        case Operation(kind="+"):
            return mp.fsum(parts)
        case Operation(kind="*"):
            return mp.fprod(parts)
        case Operation():
            return nodes.ARITHMETIC[node.kind](*parts)
        case Number(value=size) | nodes.Unit(factor=size):
            return mp.mpf(size.numerator) / size.denominator
    return +mp.pi
