"""To SymPy, and the names and numbers of formulas as SymPy writes them."""

import re
from dataclasses import replace

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.nodes import Derivative, Matrix, Symbol


def derivative(tree, by):
    """A derivative as written, of each entry of a matrix: a symbol by time gets one more dot, everything else becomes
    a `Derivative`."""
    if isinstance(tree, Matrix):
        return replace(tree, rows=tuple(tuple(derivative(entry, by) for entry in row) for row in tree.rows))
    if by == "t" and isinstance(tree, Symbol) and tree.dots < nodes.MOST_DOTS:
        return Symbol(tree.name, tree.dots + 1, span=tree.span)
    if by != "t" and not isinstance(by, Symbol):
        raise ValueError("A derivative must be taken by a symbol, such as q1, by a rate, such as qd1, or by t.")
    return Derivative(tree, by)


def decimal(text):
    """The text of a decimal number without the zeros at its end that carry no information."""
    mantissa, e, exponent = text.lower().partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0")
        mantissa = mantissa + "0" if mantissa.endswith(".") else mantissa
    else:
        mantissa += ".0"
    return mantissa + e + exponent


def to_sympy(tree, symbols=None):
    """A formula as a SymPy expression (Matrix and Equation as Matrix and Eq).

    symbols: dict from Symbol to the SymPy expression that stands for it; any other symbol becomes a plain one whose
    name is written as in `to_text`, with "_dot" for each rate of a name other than q1, q2, ...
    """
    import sympy

    return nodes.fold(tree, lambda node, parts: _to_sympy(node, parts, symbols or {}, sympy))


def _to_sympy(node, parts, symbols, sympy):
    match node:
        case nodes.Number():
            return sympy.Float(node.exact) if isinstance(node.exact, str) else sympy.Rational(node.exact)
        case nodes.Constant():
            return sympy.pi
        case Symbol():
            return symbols[node] if node in symbols else sympy.Symbol(symbol_name(node))
        case nodes.Function():
            return getattr(sympy, "Abs" if node.name == "abs" else node.name)(*parts)
        case Derivative():
            by = Symbol("t") if node.by == "t" else node.by
            return sympy.Derivative(parts[0], symbols.get(by, sympy.Symbol(symbol_name(by))))
        case Matrix():
            return sympy.Matrix(*node.shape, parts)
        case nodes.Equation():
            return sympy.Eq(*parts, evaluate=False)
    return {**nodes.ARITHMETIC, "+": sympy.Add, "*": sympy.Mul}[node.kind](*parts)


def symbol_name(symbol):
    """A Symbol as one plain word that `names.spelled` understands: qd1, theta1_ddot, x."""
    match = re.fullmatch(r"q([0-9]+)", symbol.name)
    if match and symbol.dots in (1, 2):
        return f"q{symbol.dots * 'd'}{match[1]}"
    return f"{symbol.name}_{(symbol.dots - 1) * 'd'}dot" if symbol.dots else symbol.name
