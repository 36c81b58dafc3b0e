"""What a bracket directly after a name means, for the grammar in `parser`: q1(t), M(q), q(1), q[0], or a product."""

from dataclasses import replace
from difflib import get_close_matches

from rbdlib.verification import brackets
from rbdlib.verification.names import COORDINATES, FUNCTIONS, GREEK_COMMANDS, canonical, spelled

#: Small letters that are written as functions of the coordinates, as in g(q); capital letters are all.
_SMALL_HEADS = ("g", "h", "c", "n", "b", "k", "phi")
_FONTS = frozenset("mathbf boldsymbol bm vec pmb mathrm underline dot".split())


def comes_next(parser, symbol):
    """Whether a bracket after a symbol belongs to it, and is no factor."""
    if not parser.sees("(", "[") or symbol.name == "t":
        return False
    return _is_time(parser) or _place(parser, symbol) is not None or _is_notation(parser, symbol)


def applied(parser, symbol, first):
    """The symbol with the bracket after it, of which `comes_next` is true."""
    place, time = _place(parser, symbol), _is_time(parser)
    end = parser.partner[parser.at] + 1
    if place is not None and not time:
        symbol = replace(symbol, name=place)
    elif not time:
        parser.note(first, f"{symbol.name} with its arguments in brackets was read as one symbol, not as a product")
    parser.at = end
    return symbol


def _inside(parser):
    return parser.tokens[parser.at + 1 : parser.partner[parser.at]]


def _is_time(parser):
    """Whether "(t)" comes next, as in q1(t), or "[t]", as Mathematica writes it."""
    inside = _inside(parser)
    return len(inside) == 1 and inside[0].text == "t"


def _place(parser, symbol):
    """The name with a number for q(1), as in Matlab, or q[0]; None if no number stands there or none is meant."""
    inside = _inside(parser)
    if len(inside) != 1 or inside[0].kind != "number" or not inside[0].text.isdigit() or symbol.name[-1:].isdigit():
        return None
    number, square = int(inside[0].text), parser.sees("[")
    letters = "q" if symbol.name in COORDINATES else symbol.name
    known = {f"{letters}{n}" for n in range(1, 10)} & parser.names
    if not known:
        return None
    if square and parser.from_zero:
        number += 1
    elif square and not (f"{letters}{number}" in known and f"{letters}{number + 1}" not in known):
        parser.refuse(f"It is not clear whether {symbol.name}[{number}] counts from 0 or from 1. Write {symbol.name}1, "
                      f"{symbol.name}2, ... for the first, the second, ...")
    return canonical(f"{symbol.name}{number}") if f"{letters}{number}" in known else None


def _is_notation(parser, symbol):
    """Whether the bracket only says on what a matrix or function depends: M(q), C(q, \\dot q), T(theta, theta')."""
    inside = _inside(parser)
    if not parser.sees("(") or symbol.dots or not _are_coordinates(inside):
        return False
    several = any(token.text == "," for token in inside)
    head = symbol.name.partition("_")[0].rstrip("0123456789")
    if len(head) == 1 and head.isupper():
        return several or symbol.name not in parser.names
    defined = parser.tokens[parser.partner[parser.at] + 1].text == "="
    bare = [token.text for token in inside if token.kind == "word"] == ["q"]
    return head in _SMALL_HEADS and (several or defined or (bare and "q2" in parser.names))


def _are_coordinates(inside):
    """Whether tokens are nothing but coordinates and their first rates, with commas between them."""
    names = 0
    for i, token in enumerate(inside):
        if token.kind == "word" or (token.kind == "command" and token.text in GREEK_COMMANDS):
            name, dots = spelled(GREEK_COMMANDS.get(token.text, token.text))
            if name.partition("_")[0].rstrip("0123456789") not in (*COORDINATES, "t") or dots > 1:
                return False
            names += 1
        elif token.kind == "number":
            if i == 0 or inside[i - 1].text not in ("_", "{"):
                return False
        elif token.kind == "command" and token.text in _FONTS:
            continue
        elif token.kind != "sign" or token.text not in ("_", "{", "}", ",", "'"):
            return False
    return names == 1 + sum(token.text == "," for token in inside)


def check(parser, word, first):
    """A name before a bracket is a factor, unless it looks like a function."""
    near = get_close_matches(word, FUNCTIONS, 1, 0.7) if len(word) > 2 else []
    if near:
        parser.refuse(f"The function {word} is not known. Did you mean {near[0]}? For a product write {word}*(...).",
                      parser.tokens[first].start)
    inside = _inside(parser)
    for i, token in enumerate(inside):
        if token.kind != "sign" or token.text != ",":
            continue
        brackets.refuse_decimal_comma(parser, parser.at + 1 + i)
        parser.refuse(f"The function {word[:30]} is not known. Known are {', '.join(FUNCTIONS)}.",
                      parser.tokens[first].start)
    if len(inside) == 1:
        parser.note(first, f"{word}({inside[0].text}) was read as a product; {word} is no function that is known")
