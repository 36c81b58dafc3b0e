"""What a learner states beforehand, read into equations: "theta2 = q1 + q2; M = m_cart; order: q2, q1"."""

import re
from dataclasses import dataclass, field

from rbdlib.verification.directions import PHRASE, as_formula
from rbdlib.verification.expression import Equation, Symbol, to_text
from rbdlib.verification.reading import read

_ORDER = re.compile(r"order\s*[:=]([\w\s,{}\\]+?)(?=[;\n]|$)")
_BETWEEN = re.compile(r"[;\n]|,(?![^(\[{]*[)\]}])")


class BadGiven(ValueError):
    """What is stated in ``given`` cannot be used; the message says why and what to write instead."""


@dataclass
class Stated:
    """What was read: equations, pairs (left, right) of trees; order, the places of the coordinates, or None."""

    equations: list = field(default_factory=list)
    order: list | None = None


def read_given(given, names):
    """`Stated`, from what a `Vocabulary` is given. names: the `Names` of the model. Raises `BadGiven`, a ValueError."""
    stated = Stated()
    _read(given, names, stated)
    return stated


def _read(given, names, stated):
    if given is None:
        return
    if isinstance(given, dict):
        for name, formula in given.items():
            if str(name) == "order":
                parts = formula if isinstance(formula, (list, tuple)) else re.split(r"[\s,]+", str(formula).strip())
                stated.order = _places(parts, names)
            else:
                stated.equations.append(_pair(name, formula, names))
    elif isinstance(given, (list, tuple)):
        for part in given:
            _read(part, names, stated)
    elif isinstance(given, str):
        _read_text(given, names, stated)
    else:
        stated.equations += [_two_sides(tree) for tree in read(given, names.own).trees]


def _read_text(given, names, stated):
    match = _ORDER.search(given)
    if match:
        stated.order = _places([part for part in re.split(r"[\s,]+", match[1].strip()) if part], names)
        given = given[: match.start()] + given[match.end() :]
    for part in map(str.strip, _BETWEEN.split(given)):
        if PHRASE.fullmatch(part):
            stated.equations.append(_in_words(part, names))
        elif part:
            stated.equations += [_two_sides(tree) for tree in read(part, names.own).trees]


def _pair(name, formula, names):
    left = read(str(name)).trees[0]
    if not isinstance(left, Symbol) or left.dots:
        raise BadGiven(f"given has the key {str(name)!r}, which is no name. Write {{'theta2': 'q1 + q2'}}.")
    return left, read(formula, names.own).trees[0]


def _two_sides(tree):
    if not isinstance(tree, Equation):
        raise BadGiven(f"given contains '{to_text(tree)[:60]}', which is not an equation. Write one: 'theta2 = q1 + "
                       "q2'.")
    return tree.left, tree.right


def _in_words(part, names):
    """The equation for "theta2 from the vertical"."""
    match = PHRASE.fullmatch(part)
    name = read(match["name"], names.own).trees[0]
    found = names.find(getattr(name, "name", ""))
    if not found or found[0] not in names.q:
        raise BadGiven(f"given says '{part}', but {match['name']} is no coordinate of this model: name one of "
                       f"{', '.join(names.q)} or an alias of it, such as theta1.")
    try:
        formula = as_formula(names.model, names.coordinates, names.q.index(found[0]), match["way"], match["line"])
    except ValueError as error:
        raise BadGiven(f"given says '{part}', but {error}") from None
    return name, read(formula, names.own).trees[0]


def _places(parts, names):
    found = [names.find(str(part)) for part in parts]
    places = [names.q.index(own[0]) for own in found if own and own[0] in names.q]
    if sorted(places) != list(range(len(names.q))):
        raise BadGiven(f"given states the order {', '.join(map(str, parts))}; name every coordinate once: "
                       f"{', '.join(names.q)}.")
    return places
