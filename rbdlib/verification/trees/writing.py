"""Formulas as text and as LaTeX, so that `reading.read` makes the same tree of them."""

import re

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
    return _write(tree, _text)


def shortened(tree):
    """The beginning of a formula as text, for messages."""
    text = to_text(tree)
    return text if len(text) <= 60 else text[:57] + "..."


def to_latex(tree):
    """A formula as LaTeX, without dollar signs. Raises `TooLarge`."""
    return _write(tree, _latex)


def _write(tree, rule):
    if nodes.written_size(tree) > nodes.MOST_NODES:
        raise nodes.TooLarge(f"The formula has more than {nodes.MOST_NODES} parts when it is written out.")
    return nodes.fold(tree, rule)[0]


def _text(node, parts):
    """(text, how strongly it holds together) of a node, given those of its children."""
    match node:
        case Number():
            return _number(node, "({}/{})")
        case nodes.Constant():
            return node.name, _ATOM
        case Symbol():
            return _symbol_text(node), _ATOM
        case Function():
            return f"{node.name}({', '.join(text for text, _ in parts)})", _ATOM
        case Derivative():
            by = "t" if node.by == "t" else _symbol_text(node.by)
            return f"d/d{by}({parts[0][0]})", _POWER
        case nodes.Matrix():
            text = f"[{', '.join(f'[{row}]' for row in _rows(node, parts, ', '))}]"
            return (f"Matrix({text})" if node.shape == (1, 1) else text), _ATOM
        case nodes.Equation():
            return f"{parts[0][0]} = {parts[1][0]}", _EQUATION
    match node.kind:
        case "/":
            derivative_like = all(isinstance(part, Symbol) and part.name.startswith("d") for part in node.operands)
            below = f"({parts[1][0]})" if derivative_like else _held(parts[1], _POWER)
            return f"{_held(parts[0], _QUOTIENT)}/{below}", _QUOTIENT
        case "^":
            return f"{_held(parts[0], _ATOM)}**{_held(parts[1], _ATOM)}", _POWER
    return _sum_or_product(node, parts, "*", "()")


def _sum_or_product(node, parts, sign, brackets):
    if node.kind == "neg":
        return "-" + _held(parts[0], _PRODUCT, brackets), _SUM
    if node.kind == "*":
        return sign.join(_held(part, _QUOTIENT, brackets) for part in parts), _PRODUCT
    text = _held(parts[0], _ATOM if _is(node.operands[0], "+") else _SUM, brackets)
    for operand, part in zip(node.operands[1:], parts[1:], strict=True):
        text += " - " + part[0][1:] if _is(operand, "neg") else " + " + _held(part, _PRODUCT, brackets)
    return text, _SUM


def _is(node, kind):
    return isinstance(node, Operation) and node.kind == kind


def _held(part, strength, brackets="()"):
    text, own = part
    return text if own >= strength else f"{brackets[0]}{text}{brackets[1]}"


def _number(node, fraction):
    if isinstance(node.exact, str):
        return node.exact, _ATOM
    above, below = node.exact.as_integer_ratio()
    if below == 1:
        return (str(above) if above >= 0 else f"({above})"), _ATOM
    return fraction.format(above, below), _ATOM


def _symbol_text(symbol):
    own_rate = re.fullmatch("q([0-9]+)", symbol.name) if symbol.dots in (1, 2) else None
    return f"q{symbol.dots * 'd'}{own_rate[1]}" if own_rate else symbol.name + symbol.dots * "'"


def _rows(node, parts, sign):
    width, texts = node.shape[1], [text for text, _ in parts]
    return [sign.join(texts[i : i + width]) for i in range(0, len(texts), width)]


# LaTeX

_BRACKETS = (r"\left(", r"\right)")


def _latex(node, parts):
    match node:
        case Number():
            return _number(node, r"\frac{{{}}}{{{}}}")
        case nodes.Unit():
            return rf"\mathrm{{{node.name}}}", _ATOM
        case nodes.Constant():
            return "\\" + node.name, _ATOM
        case Symbol():
            return _symbol_latex(node), _ATOM
        case Function():
            return _function_latex(node, parts)
        case Derivative():
            fraction = (r"\frac{\mathrm{d}}{\mathrm{d} t} " if node.by == "t"
                        else rf"\frac{{\partial}}{{\partial {_symbol_latex(node.by)}}}")
            return rf"{fraction}\left({parts[0][0]}\right)", _POWER
        case nodes.Matrix():
            return r"\begin{bmatrix} " + r" \\ ".join(_rows(node, parts, " & ")) + r" \end{bmatrix}", _ATOM
        case nodes.Equation():
            return f"{parts[0][0]} = {parts[1][0]}", _EQUATION
    match node.kind:
        case "/":
            return rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", _QUOTIENT
        case "^":
            return _power_latex(node, parts), _POWER
        case "*":
            return _product_latex(node, parts), _PRODUCT
    return _sum_or_product(node, parts, " ", _BRACKETS)


def _product_latex(node, parts):
    """Factors side by side, with a dot where they would be read as something else."""
    text, before = "", None
    for operand, part in zip(node.operands, parts, strict=True):
        factor = _held(part, _QUOTIENT, _BRACKETS)
        if before is not None:
            apart = (factor[0] in "0123456789" or factor.startswith(_BRACKETS[0]) or before == Symbol("d")
                     or isinstance(before, Derivative)
                     or (isinstance(operand, Number) and not isinstance(operand.exact, str)))
            text += r" \cdot " if apart else " "
        text, before = text + factor, operand
    return text


def _power_latex(node, parts):
    base, exponent = node.operands
    plain = isinstance(base, Function) and base.name in _FUNCTIONS and isinstance(exponent, Number)
    if plain and base.name != "exp":
        return rf"{_FUNCTIONS[base.name]}^{{{parts[1][0]}}}\left({parts[0][0].partition(_BRACKETS[0])[2]}"
    return f"{_held(parts[0], _ATOM, _BRACKETS)}^{{{parts[1][0]}}}"


def _function_latex(node, parts):
    inside = ", ".join(text for text, _ in parts)
    if node.name == "sqrt":
        return rf"\sqrt{{{inside}}}", _ATOM
    if node.name == "abs":
        return rf"\left|{inside}\right|", _ATOM
    name = _FUNCTIONS.get(node.name, rf"\operatorname{{{node.name}}}")
    return rf"{name}\left({inside}\right)", _POWER


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
