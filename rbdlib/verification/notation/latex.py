"""The meaning of LaTeX commands, for the grammar in `parser`."""

import re
from dataclasses import replace
from fractions import Fraction

from rbdlib.verification.notation import brackets, differentials
from rbdlib.verification.notation.tokens import UPRIGHT
from rbdlib.verification.trees.names import LONGEST_NAME, function
from rbdlib.verification.trees.nodes import ONE, TWO, Number, Operation, Symbol, derivative

_DOTS = {"dot": 1, "ddot": 2, "dddot": 3, "ddddot": 4}
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac")
#: Names whose index may be a sum: s_{1+2} is the sine of a sum.
ABBREVIATED = ("s", "c", "S", "C", "sin", "cos", "t", "theta", "phi", "q")
_ACCENTS = {"hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar", "tilde": "tilde", "widetilde": "tilde"}
_REMEDIES = {"over": "Write \\frac{a}{b}.", "pm": "Give one of the two signs.", "int": "Carry the integral out.",
             "sum": "Write the sum out.", "approx": "Give the exact formula."}


def command(parser):
    """The tree for the command that comes next."""
    first, name = parser.at, parser.take().text
    if name in _DOTS:
        tree, dots = argument(parser), _DOTS[name]
        if isinstance(tree, Symbol):
            return parser.with_dots(tree, dots, first)
        return replace(derivative(tree, times=dots), span=parser.span(first))
    if name in _FRACTIONS:
        if parser.sees("{") and differentials.comes_next(parser, parser.at + 1, "}{"):
            parser.expect("{")
            return differentials.derivative_of(parser, first, between="}{", end="}")
        above = argument(parser)
        return parser.made("/", (above, argument(parser)), first)
    if name == "sqrt":
        return _root(parser, first)
    if name in ("underbrace", "overbrace"):
        tree = argument(parser)
        if parser.sees("_", "^") and parser.sees("{", ahead=1):
            parser.at = parser.partner[parser.at + 1] + 1
        return tree
    if name in _ACCENTS:
        symbol = argument(parser)
        if not isinstance(symbol, Symbol):
            parser.refuse(f"\\{name} must stand above a single symbol.", first)
        return replace(symbol, name=f"{symbol.name}_{_ACCENTS[name]}"[:LONGEST_NAME], span=parser.span(first))
    if re.fullmatch(UPRIGHT, name):
        parser.refuse("Text between formulas is not understood. Leave it out, or give each formula a line of its own.",
                      parser.at)
    remedy = _REMEDIES.get(name, "Use plain symbols, and commands such as \\frac, \\dot and \\sin.")
    return parser.refuse(f"The command \\{name[:30]} is not known here. {remedy}", first)


def _root(parser, first):
    """The square root, or that of the degree in square brackets, of what comes next."""
    degree = TWO
    if parser.takes("["):
        degree = parser.sum()
        parser.expect("]")
    tree = argument(parser)
    if degree == TWO:
        return parser.function("sqrt", (tree,), first)
    return parser.made("^", (tree, Operation("/", (ONE, degree))), first)


def argument(parser):
    """The argument of a command: a group in braces, or the next single sign, as in \\frac12."""
    token, first = parser.next, parser.at
    if parser.sees("{"):
        return brackets.bracket(parser)
    if re.fullmatch("[0-9A-Za-z][0-9]+", token.text) and token.kind in ("number", "word"):
        sign, number = token.text[0], token.text[1:]
        parser.tokens[first] = replace(token, kind="number", text=number, start=token.start + 1)
        return parser.symbol(sign, first) if sign.isalpha() else Number(
            Fraction(int(sign)), span=(token.start, token.start + 1))
    if token.kind in ("word", "number", "command") or parser.sees("("):
        return parser.atom()
    return parser.unexpected()


def index(parser, sums=False):
    """The text of an index, after its "_": one sign or a group of letters, digits, commas and Greek letters.

    sums: whether 1+2 and 1-2 are allowed, which become 12 and 1minus2.
    """
    while parser.next.kind == "command" and re.fullmatch(UPRIGHT, parser.next.text):
        parser.take()
    first, text = parser.at, ""
    end = parser.partner[first] if parser.sees("{") else first
    for i, token in enumerate(parser.tokens[first : end + 1], first):
        if function(token.text) and parser.source.startswith(f"\\{token.text}", token.start):
            parser.refuse(f"The index is missing before \\{token.text}. Write it, as in l_1, or leave the _ out.", i)
        if token.kind in ("word", "number") and "/" not in token.text:
            text += token.text.replace(".", "").replace("_", "")
        elif sums and end > first and token.mark in ("+", "-"):
            text += "minus" * (token.mark == "-")
        elif token.mark not in (",", "_", "{", "}") and not re.fullmatch(UPRIGHT, token.text):
            parser.refuse("An index can only have letters and numbers. Give the symbol a simpler name.", i)
    if not text:
        parser.refuse("The index here is empty.", first)
    parser.at = end + 1
    return text
