"""The meaning of LaTeX commands, and of derivatives in any notation, for the grammar in `parser`."""

import re
from dataclasses import replace
from fractions import Fraction

from rbdlib.verification.notation import brackets
from rbdlib.verification.notation.tokens import PROSE_REFUSED, UPRIGHT
from rbdlib.verification.trees.names import GREEK_NAMES, LONGEST_NAME, function
from rbdlib.verification.trees.nodes import MOST_DOTS, ONE, TWO, Matrix, Number, Operation, Symbol, derivative

_DOTS = ("dot", "ddot", "dddot", "ddddot")
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
        tree, dots = argument(parser), 1 + _DOTS.index(name)
        if isinstance(tree, Symbol):
            return parser.with_dots(tree, dots, first)
        return replace(derivative(tree, times=dots), span=parser.span(first))
    if name in _FRACTIONS:
        if parser.sees("{") and derivative_comes_next(parser, parser.at + 1, "}{"):
            parser.expect("{")
            return derivative_of(parser, first, between="}{", end="}")
        above = argument(parser)
        return parser.made("/", (above, argument(parser)), first)
    if name in ("pdv", "dv", "odv"):                        # of the package physics: \\pdv{L}{x}, or \\dv{t} x
        by = argument(parser)
        of, by = (by, argument(parser)) if parser.sees("{") else (parser.product(), by)
        return replace(derivative(of, by), span=parser.span(first))
    if name == "sqrt":                                      # or the root of the degree in square brackets
        degree = TWO
        if parser.takes("["):
            degree = parser.sum()
            parser.expect("]")
        tree = argument(parser)
        if degree == TWO:
            return parser.function("sqrt", (tree,), first)
        return parser.made("^", (tree, Operation("/", (ONE, degree))), first)
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
        parser.refuse(PROSE_REFUSED)
    remedy = _REMEDIES.get(name, "Use plain symbols, and commands such as \\frac, \\dot and \\sin.")
    return parser.refuse(f"The command \\{name[:30]} is not known here. {remedy}", first)


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
        if (token.kind in ("word", "number") and "/" not in token.text) or token.text in ("max", "min"):
            text += token.text.replace(".", "").replace("_", "")
        elif sums and end > first and token.mark in ("+", "-"):
            text += "minus" * (token.mark == "-")
        elif token.mark not in (",", "_", "{", "}") and not re.fullmatch(UPRIGHT, token.text):
            parser.refuse("An index can only have letters and numbers. Give the symbol a simpler name.", i)
    if not text:
        parser.refuse("The index here is empty.", first)
    parser.at = end + 1
    return text


# Derivatives: d/dt (...), dL/dq1', \frac{d}{dt}


def derivative_comes_next(parser, first, between):
    """True if a derivative such as d/dt, dL/dq1', d^2x/dt^2 or ∂L/∂q begins at a token.

    between: the signs between what is above and what is below, "/" or, within \\frac, "}{".
    """
    if not _is_differential(parser, first):
        return False
    stroke = _end_of_above(parser, first)
    below = stroke + len(between)
    signs = [token.mark for token in parser.tokens[stroke:below]]
    return signs == [*between] and _is_differential(parser, below, below=True)


def _is_differential(parser, i, below=False):
    """True if the i-th token is ∂, or the d of dt: a lone d, or in text a word that begins with it."""
    token = parser.tokens[i]
    if token.kind != "word" or token.text[0] != "d" or (token.text in parser.names and token.text != "d"):
        return token.mark == "∂"
    if token.text != "d":
        return not parser.latex and token.text[1].isalpha() and token.text not in GREEK_NAMES
    following = parser.tokens[i + 1]
    close = following.mark in ("word", "command", "{") and (parser.latex or not following.spaced)
    return close or (not below and following.mark in ("/", "^", "(", "}"))


def _end_of_above(parser, i):
    """The index of the token after "d", "d^2", "dL", "dq1'" or "d(...)", the i-th token being the d."""
    tokens, lone, last = parser.tokens, parser.tokens[i].text in ("d", "∂"), len(parser.tokens) - 1
    i += 1
    if lone:
        if tokens[i].mark == "^":
            i = min(parser.partner.get(i + 1, i + 1) + 1, last)
        while tokens[i].kind == "command":
            i += 1
        if tokens[i].mark not in ("word", "(", "{"):
            return i
        i = parser.partner.get(i, i) + 1
    while i < last and tokens[i].kind == "sign":                            # indices and primes
        if tokens[i].text == "'":
            i += 1
        elif tokens[i].text == "_":
            i = parser.partner[i + 1] + 1 if tokens[i + 1].mark == "{" else i + 2
        elif tokens[i].text == "(" and tokens[i + 1].text == "t" and parser.partner[i] == i + 2:
            i += 3
        else:
            break
    return min(i, last)


def derivative_of(parser, first, between=("/",), end=()):
    """The derivative that comes next: "d^2 above", some signs, "dt below", some signs, and what it is applied to."""
    _take_differential(parser)
    order = _order(parser)
    of = None if parser.sees("/", "}") else parser.factor()
    for sign in between:
        parser.expect(sign)
    by = []
    while len(by) < order and _is_differential(parser, parser.at, below=True):
        place = parser.at
        _take_differential(parser)
        start = parser.at
        symbol = brackets.bracket(parser) if parser.sees("(", "{") else parser.atom()
        if not isinstance(symbol, Symbol):
            parser.refuse("A derivative must be taken by a symbol.", place)
        symbol = parser.marked(symbol, start)
        by += _order(parser) * [symbol]
    for sign in end:
        parser.expect(sign)
    if len(by) != order:
        parser.refuse("The order of this derivative above and below the stroke is not the same.", first)
    if of is None:
        of = parser.factor() if parser.sees("(", "[") else parser.product()
    for variable in reversed(by):
        of = derivative(of, variable)
    return replace(of, span=parser.span(first))


def _take_differential(parser):
    """Takes the d of dt; the rest of the word is left to be read."""
    token = parser.next
    if token.kind == "word" and len(token.text) > 1:
        parser.tokens[parser.at] = replace(token, text=token.text[1:], start=token.start + 1, spaced=False)
    else:
        parser.take()


def _order(parser):
    if not parser.takes("^"):
        return 1
    braces = parser.takes("{")
    place, token = parser.at, parser.take()
    if token.kind != "number" or token.text not in [str(n) for n in range(1, MOST_DOTS + 1)]:
        parser.refuse(f"The order of a derivative must be 1 to {MOST_DOTS}.", place)
    if braces:
        parser.expect("}")
    return int(token.text)


def of_sympy(parser):
    """Derivative(q1(t), (t, 2)) and diff(x(t), t), as SymPy prints them."""
    first = parser.at
    parser.take()
    rows = brackets.entries(parser)
    if len(rows) != 1 or len(rows[0]) < 2:
        parser.refuse("A derivative needs what is differentiated and by what, as in Derivative(q1(t), t).", first)
    of, *rest = rows[0]
    variables = [part for tree in rest for part in (tree.parts if isinstance(tree, Matrix) else [tree])]
    if len(variables) == 1 and isinstance(variables[0], Number):                # Matlab's diff(theta, 2)
        variables.insert(0, Symbol("t"))
    while variables:
        variable = variables.pop(0)
        count = variables.pop(0).value if variables and isinstance(variables[0], Number) else 1
        if not isinstance(variable, Symbol) or count not in range(1, MOST_DOTS + 1):
            parser.refuse("A derivative must be taken by a symbol, such as t.", first)
        of = derivative(of, variable, int(count))
    return replace(of, span=parser.span(first))
