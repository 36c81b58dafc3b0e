"""The meaning of brackets, for the grammar in `parser`: groups, matrices, arguments of functions, q1(t), M(q), q[0]."""

import re
from dataclasses import replace
from difflib import get_close_matches
from math import isqrt

from rbdlib.verification.notation import matrices
from rbdlib.verification.notation.texts import CLOSING
from rbdlib.verification.trees.names import COORDINATES, FUNCTIONS, GREEK_NAMES, canonical, function, spelled
from rbdlib.verification.trees.nodes import ZERO, Matrix, Number, Symbol, derivative

#: Small letters that are written as functions of the coordinates, as in g(q); capital letters are all.
_SMALL_HEADS = ("g", "h", "c", "n", "b", "k")


def bracket(parser):
    """A matrix between \\begin and \\end; a formula in brackets, or a matrix if commas or brackets are inside."""
    first, opening = parser.at, parser.next.mark
    inside = parser.tokens[first + 1]
    frame = inside.kind == "begin" and parser.partner[first + 1] + 1 == parser.partner[first]
    rows = entries(parser)
    if opening == "begin":
        if not rows[0]:
            parser.refuse("The matrix is empty.", first)
        return parser.fitted(first, matrices.from_rows, rows, parser.span(first))
    if len(rows) == 1 and len(rows[0]) == 1 and (opening != "[" or frame or not isinstance(rows[0][0], Matrix)):
        return rows[0][0]
    return rows_to_matrix(parser, rows, first)


def entries(parser):
    """The entries between the next bracket, or beginning of a matrix, and its partner: rows, each a tuple of trees."""
    first, end, outside, opening = parser.at, parser.partner[parser.at], parser.bars, parser.take()
    is_matrix, parser.bars, rows = opening.kind == "begin", 0, [[]]
    symmetric = is_matrix and any(token.text.startswith("sym") for token in parser.tokens[first:end])
    while parser.at < end or not is_matrix:
        rows[-1].append(parser.entry(may_be_empty=symmetric))
        if parser.sees("&" if is_matrix else ","):
            if opening.text == "(":
                refuse_decimal_comma(parser, parser.at)
            parser.take()
            if parser.at == end:
                break
        elif parser.takes("\\\\" if is_matrix else ";"):
            if parser.at < end or not is_matrix:
                rows.append([])
        else:
            break
    if parser.at != end:
        parser.unexpected()
    parser.take()
    parser.bars = outside
    return [tuple(row) for row in rows]


def refuse_decimal_comma(parser, comma):
    """Refuses a comma, the token of some index, between two numbers without space."""
    before, sign, after = parser.tokens[max(comma - 1, 0)], parser.tokens[comma], parser.tokens[comma + 1]
    if before.kind == after.kind == "number" and not after.spaced and not sign.spaced:
        parser.refuse("Is this a decimal comma? Write numbers with a point, as in 1.5; between entries put a space "
                      "after the comma.", comma)


def rows_to_matrix(parser, rows, first):
    """Rows of trees as a `Matrix`: one row of scalars is a vector (a column); columns inside are its rows."""
    if len(rows) == 1:
        rows = [[x for (x,) in entry.rows] if isinstance(entry, Matrix) and entry.shape[1] == 1 else [entry]
                for entry in rows[0]]
    return parser.fitted(first, matrices.from_rows, rows, parser.span(first))


def diagonal(parser, first):
    """The matrix with the formulas in the next bracket, or in a list in it, on its diagonal, as diag(a, b, c) is."""
    row = [part for rows in entries(parser) for x in rows for part in (x.parts if isinstance(x, Matrix) else [x])]
    row = row[: isqrt(matrices.MOST_ENTRIES) + 1]
    return parser.fitted(first, matrices.from_rows, [[x if i == j else ZERO for j in range(len(row))]
                                                     for i, x in enumerate(row)], parser.span(first))


# Functions and their arguments


def applied(parser, name, first):
    """A function whose name was taken, with its power and its argument."""
    power = parser.exponent() if parser.takes("^") else None
    if power == matrices.MINUS_ONE:
        if name not in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
            parser.refuse(f"{name}^-1 is not understood. Write 1/{name}(...).", first)
        parser.note(first, f"{name}^-1 was read as the inverse function a{name}; the quotient is 1/{name}(...)")
        name, power = f"a{name}", None
    if parser.sees("(", "[") or (parser.sees("{") and parser.latex):
        rows = entries(parser)
        if len(rows) > 1:
            parser.refuse(f"The function {name} has several rows as its argument.", first)
        arguments = rows[0]
    elif parser.next.kind == "stop" or parser.sees("*", "/", ")", ",", "=", "]", "}"):
        parser.refuse(f"The function {name} has no argument here. Write {name}(...).")
    else:
        arguments = (_bare_argument(parser, first),)
    tree = parser.function(name, arguments, first)
    return tree if power is None else parser.made("^", (tree, power), first)


def _bare_argument(parser, first):
    """The argument of a function without brackets: a sign, a number, one factor, and the time after it."""
    name, start = parser.tokens[first], parser.at
    negative = parser.takes_minus()
    tree = parser.factor()
    together = parser.source[name.start] != "\\" and parser.tokens[start].start == name.end
    if together and isinstance(tree, Symbol) and parser.sees("(") and not parser.next.spaced:
        word = parser.source[name.start : parser.next.start]
        parser.refuse(f"The function {word[:30]} is not known. Write brackets around the argument of a function.",
                      first)
    parts = [tree]
    if isinstance(tree, Number) and parser.starts_factor() and not _is_function(parser):
        parts.append(parser.factor())
    if isinstance(parts[-1], Symbol) and parser.next.kind == "word" and parser.next.text == "t":
        parts.append(parser.factor())
    if len(parts) > 1:
        tree = parser.made("*", parts, start)
    if parser.sees("/") or (parser.starts_factor() and not _is_function(parser) and not parser.sees("(")) or (
            parser.tokens[parser.at - 1].kind == "number" and parser.sees("^", ahead=-2)):
        parser.note(first, "A function without brackets takes one factor, with its power; what follows multiplies or "
                         "divides the function")
    return parser.made("neg", (tree,), start) if negative else tree


def _is_function(parser):
    """True if the name of a function comes next."""
    return parser.next.kind == "word" and function(parser.next.text) is not None


# Brackets right after a name


def with_bracket(parser, symbol, first):
    """The symbol with the bracket after it if this belongs to it: q1(t), M(q), q(1), q[0]; None if it is a factor."""
    if not parser.sees("(", "[") or symbol.name == "t":
        return None
    if symbol.dots and parser.tokens[parser.at - 1].mark == "'" and re.fullmatch(r"[A-Z](_\w+)?", symbol.name):
        if _are_coordinates(_inside(parser)) and [token.text for token in _inside(parser)] != ["t"]:
            return derivative(replace(symbol, dots=0), bracket(parser), symbol.dots)                    # V'(x)
    if [token.text for token in _inside(parser)] != ["t"]:                  # [t] is written by Mathematica
        place = _place(parser, symbol)
        if place is not None:
            symbol = replace(symbol, name=place)
        elif _is_notation(parser, symbol):
            if parser.tokens[parser.partner[parser.at] + 1].text not in ("=", "&"):
                parser.note(first, f"{symbol.name} with its arguments in brackets was read as one symbol, not as a "
                                 "product")
        else:
            return None
    parser.at = parser.partner[parser.at] + 1
    return symbol


def _inside(parser):
    return parser.tokens[parser.at + 1 : parser.partner[parser.at]]


def _place(parser, symbol):
    """The name with a number for q(1), as in Matlab, q[0], h[1] or H[1,2]; None if none stands there or is meant."""
    numbers = "".join(token.text for token in _inside(parser)).split(",")
    if len(numbers) > 2 or not all(re.fullmatch(r"\d", x) for x in numbers) or symbol.name[-1:].isdigit():
        return None
    square, letters = parser.sees("["), "q" if symbol.name in COORDINATES else symbol.name
    known = {f"{letters}{n}" for n in range(1, 10)} & parser.names
    if not square and not known:
        return None
    if square and known and not parser.from_zero and not parser.from_one:
        parser.refuse(f"It is not clear whether {symbol.name}[{numbers[0]}] counts from 0 or from 1. Write "
                      f"{symbol.name}1, {symbol.name}2, ... for the first, the second, ...")
    place = "".join(str(int(x) + (square and parser.from_zero)) for x in numbers)
    return canonical(symbol.name + place) if not known or letters + place in known else None


def counted(tokens):
    """(True if numbers in square brackets count from 0, as in Python; True if they count from 1)."""
    places = re.findall(r"(?<![A-Za-z])([A-Za-z]+)\[(\d)(,\d)?\]", tokens.source.replace(" ", ""))
    last = ((f"{letters}{k}", f"{letters}{int(k) + 1}") for letters, k, _ in places)
    return any(k == "0" for _, k, _ in places), any(other for *_, other in places) or any(
        name in tokens.names and after not in tokens.names for name, after in last)


def _is_notation(parser, symbol):
    """True if the bracket only says on what a matrix or function depends: M(q), C(q, \\dot q), T(theta, theta')."""
    inside = _inside(parser)
    several = any(token.text == "," for token in inside)
    known = several and symbol.name in parser.matrices
    if not parser.sees("(") or symbol.dots or not (known or _are_coordinates(inside)):
        return False
    head = symbol.name.partition("_")[0].rstrip("0123456789")
    defined = parser.tokens[parser.partner[parser.at] + 1].text == "=" or symbol.name in parser.matrices
    if len(head) == 1 and head.isupper():
        return several or defined or symbol.name not in parser.names
    if [token.text for token in inside if token.kind == "word"] == ["q"] and "q2" in parser.names:
        return True                                     # q is a vector there
    return defined or (several and (head in _SMALL_HEADS or head in GREEK_NAMES))


def _are_coordinates(inside, between=","):
    """True if tokens are nothing but coordinates and their first rates, with commas or other signs between them."""
    text = "".join(" " * token.spaced + token.text for token in inside if token.text != "dot")
    for part in re.split(between, re.sub("[{}']", "", text)):
        name, dots = spelled(part.strip())
        letters = name.partition("_")[0].rstrip("0123456789")
        if not name.isidentifier() or dots > 1 or letters not in (
                *COORDINATES, "t", "alpha", "beta", "gamma", "varphi", "vartheta"):
            return False
    return True


def check(parser, word, first):
    """A name before a bracket is a factor, unless it looks like a function."""
    near = get_close_matches(word, FUNCTIONS, 1, 0.7) if len(word) > 2 else []
    if near:
        parser.refuse(f"The function {word} is not known. Did you mean {near[0]}? For a product write {word}*(...).",
                      first)
    inside = _inside(parser)
    commas = [parser.at + 1 + i for i, token in enumerate(inside) if token.mark == ","]
    if commas:
        refuse_decimal_comma(parser, commas[0])
        parser.refuse(f"The function {word[:30]} is not known. Known are {', '.join(FUNCTIONS)}.", first)
    if len(inside) == 1:
        parser.note(first, f"{word}({inside[0].text}) was read as a product; {word} is no function that is known")


def is_sine(parser):
    """True if s or c comes next as the sine or cosine: s(q1 + q2), and in LaTeX c\\theta_1."""
    word, following = parser.next.text, parser.tokens[parser.at + 1]
    if word not in ("s", "c", "S", "C") or not parser.names or word in parser.names or word in parser.defined:
        return False
    if parser.latex and following.kind == "word":
        return following.text in ("theta", "phi", "psi", "alpha", "beta") and parser.tokens[parser.at + 2].text != "'"
    inside = parser.tokens[parser.at + 2 : parser.partner.get(parser.at + 1, 0)]
    return following.mark == "(" and all(token.text != "'" for token in inside) and _are_coordinates(inside, "[-+]")


def definitions(tokens):
    """(names of matrices, names that stand alone before an equals sign) of an answer.

    The first are those that it sets equal to something with a matrix; q and theta where they can only be vectors.
    """
    opening = {end: start for start, end in tokens.partner.items()}
    found, of_matrices, defined = tokens.found, set(), set()
    for i, token in enumerate(found):
        if token.mark != "=":
            continue
        j = (opening.get(i - 1, i) if found[i - 1].text == ")" else i) - 1
        while j >= 0 and found[j].text == "}":
            j -= 1
        index, k = "", j - 1 - (j > 0 and found[j - 1].text == "{")
        if k > 0 and found[k].text == "_":                      # r_1 and r_{12} in LaTeX
            index, j = f"_{found[j].text}", k - 1
        if j >= 0 and found[j].kind == "word":
            name = canonical(found[j].text + index)
            defined.add(name)
            i += 1
            while found[i].mark not in ("begin", "[", "=", "newline", "stop") and not _is_list(tokens, i):
                i += 1
            if found[i].mark in ("begin", "[", "("):
                of_matrices.add(name)
    if "q2" in tokens.names and any(token.mark in ("begin", "[") for token in found):
        of_matrices |= {"q", "theta", "Theta"} - tokens.names
    return of_matrices, defined


def _is_list(tokens, i):
    """True if a vector in round brackets begins at a token: (x, y), but not f(x, y)."""
    found = tokens.found
    if found[i].mark != "(" or found[i - 1].kind == "word":
        return False
    k = i + 1
    while k < tokens.partner[i]:
        if found[k].mark == ",":
            return True
        k = tokens.partner.get(k, k) + 1 if found[k].mark in CLOSING else k + 1
    return False
