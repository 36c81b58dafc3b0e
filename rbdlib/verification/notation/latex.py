"""The meaning of LaTeX commands, for the grammar in `parser`."""

import re
from dataclasses import replace
from fractions import Fraction

from rbdlib.verification.notation import brackets, differentials, matrices
from rbdlib.verification.trees.names import GREEK_COMMANDS, LONGEST_NAME, function
from rbdlib.verification.trees.nodes import ONE, TWO, Number, Operation, Symbol, derivative

#: Signs for one to four time derivatives.
PRIMES = ("'", "''", "'''", "''''")
_DOTS = {"dot": 1, "ddot": 2, "dddot": 3, "ddddot": 4}
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac")
UPRIGHT = ("mathrm", "text", "textrm", "textit", "mathit", "mathsf", "mathtt", "operatorname", "textbf", "textsf",
           "rm")
#: Names whose index may be a sum: s_{1+2} is the sine of a sum.
ABBREVIATED = ("s", "c", "S", "C", "sin", "cos", "t", "theta", "phi", "q")
_FONTS = ("mathbf", "boldsymbol", "bm", "vec", "mathcal", "mathscr", "mathbb", "mathfrak", "pmb", "underline", "boxed",
          "mathnormal", "ensuremath", "overrightarrow", "smash", "mbox", "underbrace", "overbrace", "cancel")
_ACCENTS = {"hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar", "tilde": "tilde", "widetilde": "tilde"}
_FUNCTION_COMMANDS = frozenset("sin cos tan sec csc cot arcsin arccos arctan sinh cosh tanh exp ln log sgn".split())
_LETTERS = {"ell": "l", "hbar": "hbar", "imath": "i", "jmath": "j", **GREEK_COMMANDS}
#: Commands with which a factor can begin.
COMMANDS = frozenset((*_DOTS, *_FRACTIONS, *UPRIGHT, *_FONTS, *_ACCENTS, *_FUNCTION_COMMANDS, *_LETTERS, "sqrt"))
_REMEDIES = {"over": "Write \\frac{a}{b}.", "pm": "Give one of the two signs.", "int": "Carry the integral out.",
             "sum": "Write the sum out.", "approx": "Give the exact formula."}


def command(parser):
    """The tree for the command that comes next."""
    first, name = parser.at, parser.take().text
    if name in _LETTERS:
        return parser.symbol(_LETTERS[name], first)
    if name in _FUNCTION_COMMANDS:
        return brackets.applied(parser, function(name), first)
    if name in _DOTS:
        return _dotted(parser, _DOTS[name], first)
    if name in _FRACTIONS:
        if differentials.is_fraction(parser):
            parser.expect("{")
            return differentials.derivative_of(parser, first, between="}{", end="}")
        above = argument(parser)
        return parser.made("/", (above, argument(parser)), first)
    if name in UPRIGHT:
        word = upright_word(parser)
        return brackets.applied(parser, function(word), first) if function(word) else parser.symbol(word, first)
    if name == "sqrt":
        return _root(parser, first)
    if name in _FONTS:
        tree = argument(parser)
        if name in ("underbrace", "overbrace") and parser.sees("_", "^") and parser.sees("{", ahead=1):
            parser.at = parser.partner[parser.at + 1] + 1
        return tree
    if name in _ACCENTS:
        symbol = argument(parser)
        if not isinstance(symbol, Symbol):
            parser.refuse(f"\\{name} must stand above a single symbol.", first)
        return replace(symbol, name=f"{symbol.name}_{_ACCENTS[name]}"[:LONGEST_NAME], span=parser.span(first))
    remedy = _REMEDIES.get(name, "Use plain symbols, and commands such as \\frac, \\dot and \\sin.")
    return parser.refuse(f"The command \\{name[:30]} is not known here. {remedy}", first)


def _dotted(parser, dots, first):
    """What stands below dots: a symbol with them, or its time derivatives."""
    tree = argument(parser)
    if isinstance(tree, Symbol):
        return parser.with_dots(tree, dots, first)
    for _ in range(dots):
        tree = derivative(tree, "t")
    return replace(tree, span=parser.span(first))


def _root(parser, first):
    """The square root, or that of the degree in square brackets, of what comes next."""
    degree = TWO
    if parser.sees("["):
        parser.take()
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
    if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
        parser.tokens[first] = replace(token, text=token.text[1:], start=token.start + 1)
        return Number(Fraction(int(token.text[0])), span=(token.start, token.start + 1))
    if parser.latex and re.fullmatch("[A-Za-z][0-9]+", token.text) and token.kind == "word":
        parser.tokens[first] = replace(token, kind="number", text=token.text[1:], start=token.start + 1)
        return parser.symbol(token.text[0], first)
    if token.kind in ("word", "number", "command") or parser.sees("("):
        return parser.atom()
    return parser.unexpected()


def upright_word(parser):
    """The word after \\mathrm or a similar command, which is one name."""
    first = parser.at
    if not parser.sees("{"):
        if parser.next.kind != "word":
            parser.unexpected()
        return parser.take().text
    end = parser.partner[first]
    inside = parser.tokens[first + 1 : end]
    word = "".join(token.text for token in inside)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word) or any(token.spaced for token in inside[1:]):
        parser.refuse("Text between formulas is not understood. Leave it out, or give each formula a line of its own.",
                      first)
    parser.at = end + 1
    return word


def matrix(parser):
    """The matrix in the environment that comes next."""
    first, rows = parser.at, brackets.entries(parser)
    if not rows[0]:
        parser.refuse("The matrix is empty.", first)
    return parser.fitted(first, matrices.from_rows, rows, parser.span(first))


# Indices and primes


def index(parser, sums=False):
    """The text of an index, after its "_": one sign or a group of letters, digits, commas and Greek letters.

    sums: whether 1+2 and 1-2 are allowed, which become 12 and 1minus2.
    """
    first, token = parser.at, parser.take()
    if token.mark == "{":
        end = parser.partner[first]
        text = "".join(_index_part(parser, i, sums) for i in range(first + 1, end))
        parser.at = end + 1
    elif token.kind == "command" and token.text in UPRIGHT:
        text = upright_word(parser)
    else:
        text = _index_part(parser, first)
    if not text:
        parser.refuse("The index here is empty.", first)
    return text


def _index_part(parser, i, sums=False):
    token = parser.tokens[i]
    if token.kind in ("word", "number") and "/" not in token.text:
        return token.text.replace(".", "").replace("_", "")
    if token.kind == "command" and token.text in _LETTERS:
        return _LETTERS[token.text]
    if (token.kind == "command" and token.text in (*UPRIGHT, *_FONTS)) or token.mark in (",", "_", "{", "}"):
        return ""
    if sums and token.mark in ("+", "-"):
        return "minus" if token.text == "-" else ""
    return parser.refuse("An index can only have letters and numbers. Give the symbol a simpler name.", i)


def primes(parser):
    """The number of primes in a power such as ^{\\prime\\prime}, which is then taken; 0 if it is something else."""
    start = parser.at
    end = parser.partner[start] if parser.sees("{") else start
    inside = parser.tokens[start + 1 : end] if end > start else [parser.tokens[start]]
    if not inside or not all(token.mark in PRIMES for token in inside):
        return 0
    parser.at = end + 1
    return sum(len(token.text) for token in inside)
