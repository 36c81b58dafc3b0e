"""The meaning of a bracket right after a name, for the grammar in `parser`: q1(t), M(q), q(1), q[0], or a product."""

from dataclasses import replace
from difflib import get_close_matches

from rbdlib.verification.notation import brackets
from rbdlib.verification.trees.names import COORDINATES, FUNCTIONS, GREEK_COMMANDS, GREEK_NAMES, canonical, spelled

#: Small letters that are written as functions of the coordinates, as in g(q); capital letters are all.
_SMALL_HEADS = ("g", "h", "c", "n", "b", "k")
_FONTS = frozenset("mathbf boldsymbol bm vec pmb mathrm underline dot".split())


def comes_next(parser, symbol):
    """True if a bracket after a symbol belongs to it, and is no factor."""
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
    """True if "(t)" comes next, as in q1(t), or "[t]", as Mathematica writes it."""
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
    """True if the bracket only says on what a matrix or function depends: M(q), C(q, \\dot q), T(theta, theta')."""
    inside = _inside(parser)
    if not parser.sees("(") or symbol.dots or not _are_coordinates(inside):
        return False
    several = any(token.text == "," for token in inside)
    head = symbol.name.partition("_")[0].rstrip("0123456789")
    if len(head) == 1 and head.isupper():
        return several or symbol.name not in parser.names
    if [token.text for token in inside if token.kind == "word"] == ["q"] and "q2" in parser.names:
        return True                                     # q is a vector there
    defined = parser.tokens[parser.partner[parser.at] + 1].text == "="
    return defined or (several and (head in _SMALL_HEADS or head in GREEK_NAMES))


def _are_coordinates(inside):
    """True if tokens are nothing but coordinates and their first rates, with commas between them."""
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
        elif token.mark not in ("_", "{", "}", ",", "'"):
            return False
    return names == 1 + sum(token.text == "," for token in inside)


def check(parser, word, first):
    """A name before a bracket is a factor, unless it looks like a function."""
    near = get_close_matches(word, FUNCTIONS, 1, 0.7) if len(word) > 2 else []
    if near:
        parser.refuse(f"The function {word} is not known. Did you mean {near[0]}? For a product write {word}*(...).",
                      first)
    inside = _inside(parser)
    commas = [parser.at + 1 + i for i, token in enumerate(inside) if token.mark == ","]
    if commas:
        brackets.refuse_decimal_comma(parser, commas[0])
        parser.refuse(f"The function {word[:30]} is not known. Known are {', '.join(FUNCTIONS)}.", first)
    if len(inside) == 1:
        parser.note(first, f"{word}({inside[0].text}) was read as a product; {word} is no function that is known")


def is_sine(parser):
    """True if s or c comes next as the sine or cosine: s(q1 + q2), and in LaTeX c\\theta_1."""
    word, following = parser.next.text, parser.tokens[parser.at + 1]
    if word not in ("s", "c", "S", "C") or not parser.names or word in parser.names or word in parser.defined:
        return False
    if parser.latex and following.kind == "command":
        return GREEK_COMMANDS.get(following.text) in ("theta", "phi", "psi", "alpha", "beta")
    if following.mark != "(":
        return False
    inside = [token for token in parser.tokens[parser.at + 2 : parser.partner[parser.at + 1]] if token.text not in "+-"]
    words = [token for token in inside if token.kind in ("word", "command")]
    signs = parser.partner[parser.at + 1] - parser.at - 2 - len(inside)
    if len(words) != 1 + signs or any(token.text in ",'*/^" for token in inside):
        return False
    return all(_are_coordinates([token]) for token in words)


def definitions(tokens):
    """(names of matrices, names that stand alone before an equals sign) of an answer.

    The first are those that it sets equal to something with a matrix; q and theta where they can only be vectors.
    """
    opening = {end: start for start, end in tokens.partner.items()}
    found, matrices, defined = tokens.found, set(), set()
    for i, token in enumerate(found):
        if token.mark != "=":
            continue
        j = (opening.get(i - 1, i) if found[i - 1].text == ")" else i) - 1
        while j >= 0 and found[j].text == "}":
            j -= 1
        if j >= 0 and found[j].kind in ("word", "command"):
            name = canonical(GREEK_COMMANDS.get(found[j].text, found[j].text))
            defined.add(name)
            i += 1
            while found[i].mark not in ("begin", "[", "=", "newline", "stop"):
                i += 1
            if found[i].mark in ("begin", "["):
                matrices.add(name)
    if "q2" in tokens.names and any(token.mark in ("begin", "[") for token in found):
        matrices |= {"q", "theta", "Theta"} - tokens.names
    return matrices, defined
