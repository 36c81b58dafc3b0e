"""Formulas as text and as LaTeX, so that `reading.read` makes the same tree of them."""

import re

from rbdlib.verification.trees.names import GREEK_NAMES, function
from rbdlib.verification.trees.nodes import (
    MOST_NODES,
    Constant,
    Derivative,
    Equation,
    Function,
    Matrix,
    Number,
    Operation,
    Symbol,
    TooLarge,
    Unit,
    children,
    postorder,
    written_size,
)

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


def to_latex(tree):
    """A formula as LaTeX, without dollar signs. Raises `TooLarge`."""
    return _write(tree, _latex)


def _write(tree, rule):
    if written_size(tree) > MOST_NODES:
        raise TooLarge(f"The formula has more than {MOST_NODES} parts when it is written out.")
    written = {}
    for node in postorder(tree):
        written[id(node)] = rule(node, [written[id(child)] for child in children(node)])
    return written[id(tree)][0]


def _text(node, parts):
    """(text, how strongly it holds together) of a node, given those of its children."""
    match node:
        case Number():
            return _number(node, "({}/{})")
        case Constant():
            return node.name, _ATOM
        case Symbol():
            return _symbol_text(node), _ATOM
        case Function():
            return f"{node.name}({', '.join(text for text, _ in parts)})", _ATOM
        case Derivative():
            by = "t" if node.by == "t" else _symbol_text(node.by)
            return f"d/d{by}({parts[0][0]})", _POWER
        case Matrix():
            text = f"[{', '.join(f'[{row}]' for row in _rows(node, parts, ', '))}]"
            return (f"Matrix({text})" if node.shape == (1, 1) else text), _ATOM
        case Equation():
            return f"{parts[0][0]} = {parts[1][0]}", _EQUATION
    match node.kind:
        case "/":
            below = f"({parts[1][0]})" if _is_like_a_derivative(node) else _held(parts[1], _POWER)
            return f"{_held(parts[0], _QUOTIENT)}/{below}", _QUOTIENT
        case "^":
            return f"{_held(parts[0], _ATOM)}**{_held(parts[1], _ATOM)}", _POWER
    return _sum_or_product(node, parts, "*", "()")


def _is_like_a_derivative(node):
    """True if a quotient of two symbols would look like a derivative."""
    return all(isinstance(part, Symbol) and part.name.startswith("d") for part in node.operands)


def _sum_or_product(node, parts, sign, brackets):
    if node.kind == "neg":
        return "-" + _held(parts[0], _PRODUCT, brackets), _SUM
    if node.kind == "*":
        return sign.join(_held(part, _QUOTIENT, brackets) for part in parts), _PRODUCT
    text = _held(parts[0], _SUM, brackets) if not _is(node.operands[0], "+") else _held(parts[0], _ATOM, brackets)
    for operand, part in zip(node.operands[1:], parts[1:], strict=True):
        if _is(operand, "neg"):
            text += " - " + part[0][1:]
        else:
            text += " + " + _held(part, _PRODUCT, brackets)
    return text, _SUM


def _is(node, kind):
    return isinstance(node, Operation) and node.kind == kind


def _held(part, strength, brackets="()"):
    text, own = part
    return text if own >= strength else f"{brackets[0]}{text}{brackets[1]}"


def _number(node, fraction):
    if isinstance(node.exact, str):
        return node.exact, _ATOM
    above, below = node.exact.numerator, node.exact.denominator
    if below == 1:
        return (str(above), _ATOM) if above >= 0 else (f"({above})", _ATOM)
    return fraction.format(above, below), _ATOM


def _symbol_text(symbol):
    match = re.fullmatch(r"q([0-9]+)", symbol.name)
    if match and symbol.dots in (1, 2):
        return f"q{symbol.dots * 'd'}{match[1]}"
    return symbol.name + symbol.dots * "'"


def _rows(node, parts, sign):
    width, texts = node.shape[1], [text for text, _ in parts]
    return [sign.join(texts[i : i + width]) for i in range(0, len(texts), width)]


# LaTeX

_BRACKETS = (r"\left(", r"\right)")


def _latex(node, parts):
    match node:
        case Number():
            return _number(node, r"\frac{{{}}}{{{}}}")
        case Unit():
            return rf"\mathrm{{{node.name}}}", _ATOM
        case Constant():
            return "\\" + node.name, _ATOM
        case Symbol():
            return _symbol_latex(node), _ATOM
        case Function():
            return _function_latex(node, parts)
        case Derivative():
            by = rf"\mathrm{{d}} t}} {_BRACKETS[0]}" if node.by == "t" else rf"\partial {_symbol_latex(node.by)}}}"
            above = r"\mathrm{d}" if node.by == "t" else r"\partial"
            return rf"\frac{{{above}}}{{{by.removesuffix(_BRACKETS[0])}\left({parts[0][0]}\right)", _POWER
        case Matrix():
            return r"\begin{bmatrix} " + r" \\ ".join(_rows(node, parts, " & ")) + r" \end{bmatrix}", _ATOM
        case Equation():
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
            apart = factor[0] in "0123456789" or factor.startswith(_BRACKETS[0]) or before == Symbol("d")
            apart = apart or (isinstance(operand, Number) and not isinstance(operand.exact, str))
            text += r" \cdot " if apart or isinstance(before, Derivative) else " "
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
