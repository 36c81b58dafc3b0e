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


def is_sine(parser):
    """True if s or c comes next as the sine or cosine: s(q1 + q2), and in LaTeX c\\theta_1."""
    word, following = parser.next.text, parser.tokens[parser.at + 1]
    if word not in ("s", "c", "S", "C") or not parser.names or word in parser.names or word in parser.defined:
        return False
    if parser.latex and following.kind == "command":
        return GREEK_COMMANDS.get(following.text) in ("theta", "phi", "psi", "alpha", "beta")
    if following.kind != "sign" or following.text != "(":
        return False
    inside = [token for token in parser.tokens[parser.at + 2 : parser.partner[parser.at + 1]] if token.text not in "+-"]
    words = [token for token in inside if token.kind in ("word", "command")]
    signs = parser.partner[parser.at + 1] - parser.at - 2 - len(inside)
    if len(words) != 1 + signs or any(token.text in ",'*/^" for token in inside):
        return False
    return all(_are_coordinates([token]) for token in words)


def names_of_matrices(tokens):
    """The names that an answer sets equal to something with a matrix; q and theta where they can only be vectors."""
    found = {name for name, i in _left_sides(tokens) if _has_matrix(tokens.found, i + 1)}
    vectors = {"q", "theta", "Theta"} - tokens.names if "q2" in tokens.names and _any_matrix(tokens.found) else set()
    return found | vectors


def defined_names(tokens):
    """The names that stand alone before an equals sign."""
    return {name for name, _ in _left_sides(tokens)}


def _left_sides(tokens):
    """Pairs (name, place of the equals sign) of the names, with or without arguments, before equals signs."""
    opening, found = {end: start for start, end in tokens.partner.items()}, []
    for i, token in enumerate(tokens.found):
        if token.kind != "sign" or token.text != "=":
            continue
        j = (opening.get(i - 1, i) if tokens.found[i - 1].text == ")" else i) - 1
        while j >= 0 and tokens.found[j].text == "}":
            j -= 1
        if j >= 0 and tokens.found[j].kind in ("word", "command"):
            text = tokens.found[j].text
            found.append((canonical(GREEK_COMMANDS.get(text, text)), i))
    return found


def _has_matrix(tokens, i):
    """True if a matrix stands between the i-th token and the end of the line."""
    while i < len(tokens) and tokens[i].kind not in ("newline", "stop"):
        if tokens[i].kind == "begin" or tokens[i].text == "[":
            return True
        if tokens[i].text == "=":
            return False
        i += 1
    return False


def _any_matrix(tokens):
    return any(token.kind == "begin" or token.text == "[" for token in tokens)
