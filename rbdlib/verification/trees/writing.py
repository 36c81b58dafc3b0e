"""Formulas as text and as LaTeX, so that `reading.read` makes the same tree of them."""

import re
from typing import Any

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.names import GREEK_NAMES, function
from rbdlib.verification.trees.nodes import Derivative, Function, Number, Operation, Symbol

# How strongly a written formula holds together
_EQUATION, _SUM, _PRODUCT, _QUOTIENT, _POWER, _ATOM = range(6)
_FUNCTIONS = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln"} | {
    name: "\\" + name for name in "sin cos tan sec csc cot sinh cosh tanh exp".split()}
_DOTS = ("", r"\dot", r"\ddot", r"\dddot", r"\ddddot")


def to_text(tree):
    """A formula as text in the notation of Python, with a prime for each time derivative: "m1*l1**2*theta1''".

    The rates of q1, q2, ... are written qd1 and qdd1, as everywhere in this library. Raises `TooLarge`.
    """
    return _write(tree, _TEXT)


def shortened(tree):
    """The beginning of a formula as text, for messages."""
    text = to_text(tree)
    return text if len(text) <= 60 else text[:57] + "..."


def to_latex(tree):
    """A formula as LaTeX, without dollar signs. Raises `TooLarge`."""
    return _write(tree, _LATEX)


def _write(tree, style):
    if nodes.written_size(tree) > nodes.MOST_NODES:
        raise nodes.TooLarge(f"The formula has more than {nodes.MOST_NODES} parts when it is written out.")
    return nodes.fold(tree, lambda node, parts: _part(node, parts, style))[0]


def _part(node, parts, style):
    """(text, how strongly it holds together) of a node, given those of its children."""
    texts = [text for text, _ in parts]
    match node:
        case Number(exact=str() as decimal):
            return decimal, _ATOM
        case Number(value=value) if value.denominator == 1:
            return (str(value) if value >= 0 else f"({value})"), _ATOM
        case Number(value=value):
            return style["fraction"].format(value.numerator, value.denominator), _ATOM
        case nodes.Constant():
            return style["unit" if isinstance(node, nodes.Unit) else "constant"].format(node.name), _ATOM
        case Symbol():
            return style["symbol"](node), _ATOM
        case Function():
            return style["function"](node.name, ", ".join(texts))
        case Derivative():
            by = style["rate"] if node.by == "t" else style["slope"].format(style["symbol"](node.by))
            return by + style["brackets"].format(texts[0]), _POWER
        case nodes.Matrix(shape=(n, m)):
            return style["matrix"]([texts[i : i + m] for i in range(0, n * m, m)]), _ATOM
        case nodes.Equation():
            return f"{texts[0]} = {texts[1]}", _EQUATION
        case Operation(kind="neg"):
            return "-" + _held(parts[0], _PRODUCT, style), _SUM
        case Operation(kind="+", operands=operands):
            kinds = [getattr(operand, "kind", "") for operand in operands]
            text = _held(parts[0], _ATOM if kinds[0] == "+" else _SUM, style)
            for kind, part in zip(kinds[1:], parts[1:], strict=True):
                text += " - " + part[0][1:] if kind == "neg" else " + " + _held(part, _PRODUCT, style)
            return text, _SUM
    return style[node.kind](node, parts)


def _held(part, strength, style):
    text, own = part
    return text if own >= strength else style["brackets"].format(text)


def _symbol_text(symbol):
    own_rate = re.fullmatch("q([0-9]+)", symbol.name) if symbol.dots in (1, 2) else None
    return f"q{symbol.dots * 'd'}{own_rate[1]}" if own_rate else symbol.name + symbol.dots * "'"


def _matrix_text(rows):
    inside = ", ".join("[" + ", ".join(row) + "]" for row in rows)
    return f"Matrix([{inside}])" if len(rows) == len(rows[0]) == 1 else f"[{inside}]"


def _quotient_text(node, parts):
    derivative_like = all(isinstance(part, Symbol) and part.name.startswith("d") for part in node.operands)
    below = f"({parts[1][0]})" if derivative_like else _held(parts[1], _POWER, _TEXT)
    return f"{_held(parts[0], _QUOTIENT, _TEXT)}/{below}", _QUOTIENT


_TEXT: dict[str, Any] = {
    "brackets": "({})", "fraction": "({}/{})", "unit": "{}", "constant": "{}", "symbol": _symbol_text, "rate": "d/dt",
    "slope": "d/d{}", "function": lambda name, inside: (f"{name}({inside})", _ATOM), "matrix": _matrix_text,
    "*": lambda node, parts: ("*".join(_held(part, _QUOTIENT, _TEXT) for part in parts), _PRODUCT),
    "/": _quotient_text,
    "^": lambda node, parts: ("**".join(_held(part, _ATOM, _TEXT) for part in parts), _POWER)}


# LaTeX


def _product_latex(node, parts):
    """Factors side by side, with a dot where they would be read as something else."""
    text, before = "", None
    for operand, part in zip(node.operands, parts, strict=True):
        factor = _held(part, _QUOTIENT, _LATEX)
        if before is not None:
            apart = (factor[0] in "0123456789" or factor.startswith(r"\left(") or before == Symbol("d")
                     or isinstance(before, Derivative)
                     or (isinstance(operand, Number) and not isinstance(operand.exact, str)))
            text += r" \cdot " if apart else " "
        text, before = text + factor, operand
    return text, _PRODUCT


def _power_latex(node, parts):
    base, exponent = node.operands
    if isinstance(base, Function) and base.name in _FUNCTIONS and isinstance(exponent, Number) and base.name != "exp":
        _, opening, argument = parts[0][0].partition(r"\left(")
        return f"{_FUNCTIONS[base.name]}^{{{parts[1][0]}}}{opening}{argument}", _POWER
    return f"{_held(parts[0], _ATOM, _LATEX)}^{{{parts[1][0]}}}", _POWER


def _function_latex(name, inside):
    if name in ("sqrt", "abs"):
        return (rf"\sqrt{{{inside}}}" if name == "sqrt" else rf"\left|{inside}\right|"), _ATOM
    return _FUNCTIONS.get(name, rf"\operatorname{{{name}}}") + rf"\left({inside}\right)", _POWER


def _symbol_latex(symbol):
    base, _, index = symbol.name.partition("_")
    match = re.fullmatch(r"([A-Za-z]+)([0-9]+)", base)
    letters = match[1] if match else base
    if function(letters) or letters == "pi":
        base, index = symbol.name, ""
    elif match and not index:
        base, index = match.groups()
    letter = base if len(base) == 1 else "\\" + base if base in GREEK_NAMES else rf"\mathrm{{{base}}}"
    if symbol.dots:
        letter = f"{_DOTS[symbol.dots]}{{{letter}}}"
    return f"{letter}_{{{index}}}" if index else letter


_LATEX: dict[str, Any] = {
    "brackets": r"\left({}\right)", "fraction": r"\frac{{{}}}{{{}}}", "unit": r"\mathrm{{{}}}", "constant": r"\{}",
    "symbol": _symbol_latex, "rate": r"\frac{\mathrm{d}}{\mathrm{d} t} ", "slope": r"\frac{{\partial}}{{\partial {}}}",
    "function": _function_latex,
    "matrix": lambda rows: r"\begin{bmatrix} " + r" \\ ".join(map(" & ".join, rows)) + r" \end{bmatrix}",
    "*": _product_latex, "/": lambda node, parts: (rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", _QUOTIENT),
    "^": _power_latex}
