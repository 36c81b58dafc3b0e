"""Formulas as a learner wrote them, what can be done with them, and their values: see `nodes` for the tree itself.

    tree = read("m1*l1**2*q1''").trees[0]
    evaluate(tree, {Symbol("m1"): 2, Symbol("l1"): 1, Symbol("q1", 2): 3})      # 6.0
"""

import re

from mpmath import mp

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.calculus import carried_out
from rbdlib.verification.trees.names import GREEK_NAMES, beginning, function
from rbdlib.verification.trees.nodes import (
    Derivative as Derivative,
    Equation as Equation,
    Function as Function,
    Matrix as Matrix,
    Number as Number,
    Operation as Operation,
    Symbol as Symbol,
    TooLarge as TooLarge,
    expanded as expanded,
    postorder as postorder,
    substitute as substitute,
    symbols as symbols,
    terms as terms,
    with_children as with_children,
    written_size as written_size,
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
    return _Text().write(tree)


def shortened(tree, most=60):
    """The beginning of a formula as text, for messages."""
    return beginning(to_text(tree), most)


def to_latex(tree):
    """A formula as LaTeX, without dollar signs. Raises `TooLarge`."""
    return _Latex().write(tree)


class _Text:
    brackets, fraction, unit, constant, rate, slope = "({})", "({}/{})", "{}", "{}", "d/dt", "d/d{}"

    def write(self, tree):
        if nodes.written_size(tree) > nodes.MOST_NODES:
            raise nodes.TooLarge(f"The formula has more than {nodes.MOST_NODES} parts when it is written out.")
        return nodes.fold(tree, self.part)[0]

    def part(self, node, parts):
        """(text, how strongly it holds together) of a node, given those of its children."""
        texts = [text for text, _ in parts]
        match node:
            case Number(exact=str() as decimal):
                return decimal, _ATOM
            case Number(value=value) if value.denominator == 1:
                return (str(value) if value >= 0 else f"({value})"), _ATOM
            case Number(value=value):
                return self.fraction.format(value.numerator, value.denominator), _ATOM
            case nodes.Constant():
                return (self.unit if isinstance(node, nodes.Unit) else self.constant).format(node.name), _ATOM
            case Symbol():
                return self.symbol(node), _ATOM
            case Function():
                return self.function(node.name, ", ".join(texts))
            case Derivative():
                by = self.rate if node.by == "t" else self.slope.format(self.symbol(node.by))
                return by + self.brackets.format(texts[0]), _POWER
            case nodes.Matrix(shape=(n, m)):
                return self.matrix([texts[i : i + m] for i in range(0, n * m, m)]), _ATOM
            case nodes.Equation():
                return f"{texts[0]} = {texts[1]}", _EQUATION
            case Operation(kind="neg"):
                return "-" + self.held(parts[0], _PRODUCT), _SUM
            case Operation(kind="+", operands=operands):
                kinds = [getattr(operand, "kind", "") for operand in operands]
                text = self.held(parts[0], _ATOM if kinds[0] == "+" else _SUM)
                for kind, part in zip(kinds[1:], parts[1:], strict=True):
                    text += " - " + part[0][1:] if kind == "neg" else " + " + self.held(part, _PRODUCT)
                return text, _SUM
        return {"*": self.product, "/": self.quotient, "^": self.power}[node.kind](node, parts)

    def held(self, part, strength):
        text, own = part
        return text if own >= strength else self.brackets.format(text)

    def symbol(self, symbol):
        own_rate = re.fullmatch("q([0-9]+)", symbol.name) if symbol.dots in (1, 2) else None
        return f"q{symbol.dots * 'd'}{own_rate[1]}" if own_rate else symbol.name + symbol.dots * "'"

    def function(self, name, inside):
        return f"{name}({inside})", _ATOM

    def matrix(self, rows):
        inside = ", ".join("[" + ", ".join(row) + "]" for row in rows)
        return f"Matrix([{inside}])" if len(rows) == len(rows[0]) == 1 else f"[{inside}]"

    def product(self, node, parts):
        return "*".join(self.held(part, _QUOTIENT) for part in parts), _PRODUCT

    def quotient(self, node, parts):
        derivative_like = all(isinstance(part, Symbol) and part.name.startswith("d") for part in node.operands)
        below = f"({parts[1][0]})" if derivative_like else self.held(parts[1], _POWER)
        return f"{self.held(parts[0], _QUOTIENT)}/{below}", _QUOTIENT

    def power(self, node, parts):
        return "**".join(self.held(part, _ATOM) for part in parts), _POWER


class _Latex(_Text):
    brackets, fraction, unit, constant = r"\left({}\right)", r"\frac{{{}}}{{{}}}", r"\mathrm{{{}}}", r"\{}"
    rate, slope = r"\frac{\mathrm{d}}{\mathrm{d} t} ", r"\frac{{\partial}}{{\partial {}}}"

    def symbol(self, symbol):
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

    def function(self, name, inside):
        if name in ("sqrt", "abs"):
            return (rf"\sqrt{{{inside}}}" if name == "sqrt" else rf"\left|{inside}\right|"), _ATOM
        return _FUNCTIONS.get(name, rf"\operatorname{{{name}}}") + rf"\left({inside}\right)", _POWER

    def matrix(self, rows):
        return r"\begin{bmatrix} " + r" \\ ".join(map(" & ".join, rows)) + r" \end{bmatrix}"

    def product(self, node, parts):
        """Factors side by side, with a dot where they would be read as something else."""
        text, before = "", None
        for operand, part in zip(node.operands, parts, strict=True):
            factor = self.held(part, _QUOTIENT)
            if before is not None:
                apart = (factor[0] in "0123456789" or factor.startswith(r"\left(") or before == Symbol("d")
                         or isinstance(before, Derivative)
                         or (isinstance(operand, Number) and not isinstance(operand.exact, str)))
                text += r" \cdot " if apart else " "
            text, before = text + factor, operand
        return text, _PRODUCT

    def quotient(self, node, parts):
        return rf"\frac{{{parts[0][0]}}}{{{parts[1][0]}}}", _QUOTIENT

    def power(self, node, parts):
        base, exponent = node.operands
        if isinstance(base, Function) and base.name in {*_FUNCTIONS} - {"exp"} and isinstance(exponent, Number):
            _, opening, argument = parts[0][0].partition(r"\left(")
            return f"{_FUNCTIONS[base.name]}^{{{parts[1][0]}}}{opening}{argument}", _POWER
        return f"{self.held(parts[0], _ATOM)}^{{{parts[1][0]}}}", _POWER


# Values

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
