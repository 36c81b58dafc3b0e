"""Functions and their arguments, with and without brackets, for the grammar in `parser`."""

from rbdlib.verification.notation import brackets
from rbdlib.verification.notation.matrices import MINUS_ONE
from rbdlib.verification.trees.names import function
from rbdlib.verification.trees.nodes import Number, Symbol


def applied(parser, name, first):
    """A function whose name was taken, with its power and its argument."""
    power = None
    if parser.sees("^"):
        parser.take()
        power = parser.exponent()
    if power == MINUS_ONE:
        if name not in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
            parser.refuse(f"{name}^-1 is not understood. Write 1/{name}(...).", first)
        parser.note(first, f"{name}^-1 was read as the inverse function a{name}; the quotient is 1/{name}(...)")
        name, power = f"a{name}", None
    tree = parser.function(name, _arguments(parser, name, first), first)
    return tree if power is None else parser.made("^", (tree, power), first)


def _arguments(parser, name, first):
    if parser.sees("(", "[") or (parser.sees("{") and parser.latex):
        rows = brackets.entries(parser)
        if len(rows) > 1:
            parser.refuse(f"The function {name} has several rows as its argument.", first)
        return rows[0]
    if parser.next.kind == "stop" or parser.sees("*", "/", ")", ",", "=", "]", "}"):
        parser.refuse(f"The function {name} has no argument here. Write {name}(...).")
    return (_bare_argument(parser, first),)


def _bare_argument(parser, first):
    """The argument of a function without brackets: a sign, a number, one factor, and the time after it."""
    name, start = parser.tokens[first], parser.at
    negative = parser.takes_minus()
    tree = parser.factor()
    together = name.kind == "word" and parser.tokens[start].start == name.end and parser.tokens[start].text.isascii()
    if together and isinstance(tree, Symbol) and parser.sees("(") and not parser.next.spaced:
        word = parser.source[name.start : parser.next.start]
        parser.refuse(f"The function {word[:30]} is not known. Write brackets around the argument of a function.",
                      first)
    parts = [tree]
    if isinstance(tree, Number) and parser.starts_factor() and not is_function(parser):
        parts.append(parser.factor())
    if isinstance(parts[-1], Symbol) and parser.next.kind == "word" and parser.next.text == "t":
        parts.append(parser.factor())
    if len(parts) > 1:
        tree = parser.made("*", parts, start)
    if parser.sees("/") or (parser.starts_factor() and not is_function(parser) and not parser.sees("(")) or (
            parser.tokens[parser.at - 1].kind == "number" and parser.sees("^", ahead=-2)):
        parser.note(first, "a function without brackets takes one factor, with its power; what follows multiplies or "
                         "divides the function")
    return parser.made("neg", (tree,), start) if negative else tree


def is_function(parser):
    """True if the name of a function comes next."""
    return parser.next.kind in ("word", "command") and function(parser.next.text) is not None
