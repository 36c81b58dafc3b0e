"""Statements that a learner makes beforehand, read into equations: "theta2 = q1 + q2; M = m_cart; order: q2, q1"."""

import re
from dataclasses import dataclass, field

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.phrases import Refused, in_words
from rbdlib.verification.meaning.units import read_unit
from rbdlib.verification.notation.reading import Unreadable, read
from rbdlib.verification.trees.expression import Equation, Matrix, Symbol, children, symbols, to_text
from rbdlib.verification.trees.names import spelled

_ORDER = re.compile(r"(?:order|coordinates?)\s*(?:[:=]|are)([\w\s,{}\\]+?)(?=[;\n]|$)")
_IN_UNITS = re.compile(r"([^\s,;=]+)\s+(?:is\s+|measured\s+|given\s+)*in\s+([\w\s*/^().-]+)")
_UNKNOWN = re.compile(r"(?:unknowns?|multipliers?)\s*(?:[:=]|are|is)([\w\s,{}\\]+?)(?=[;\n]|$)")
_PRESCRIBED = re.compile(r"([\w\s,{}\\]+?)\s+(?:is|are)\s+(?:prescribed|driven)")
_NAME_ONLY = re.compile(r"\\?[A-Za-z]\w*(?:_?\{\w+\}|_\w+)?")
#: A name on the left of an equation is one name, whatever letters it has.
_LEFT = re.compile(r"(?:^|[;\n,=])\s*([A-Za-z]\w*)\s*(?==(?!=))")
_BETWEEN = re.compile(r"[;\n]|,(?![^(\[{]*[)\]}])")


class BadGiven(ValueError):
    """A statement in ``given`` that cannot be used; the message says why and what to write instead."""


@dataclass
class Stated:
    """Statements as read: equations, pairs (left, right) of trees; order, the places of the coordinates, or None.

    unknowns: names of constraint forces.  prescribed: `Symbol`s of coordinates.  units: {name: dimension}.
    own: the names that exist, those of given besides.
    """

    own: set
    equations: list = field(default_factory=list)
    order: list | None = None
    unknowns: list = field(default_factory=list)
    prescribed: list = field(default_factory=list)
    order_names: list = field(default_factory=list)
    units: dict = field(default_factory=dict)


def read_given(given, names):
    """`Stated`, from what a `Vocabulary` is given. names: the `Names` of the model. Raises `BadGiven`, a ValueError."""
    stated = Stated(set(names.own))
    _read(given, names, stated)
    if stated.order:
        parts, stated.order_names = stated.order, [compact(part) for part in stated.order]
        found = [own for part in parts if (own := _own_coordinate(str(part), names, stated)) in names.q]
        if sorted(found) != sorted(names.q):
            raise BadGiven(f"given states the order {', '.join(map(str, parts))}; name every coordinate once: "
                           f"{', '.join(names.q)}.")
        stated.order = [names.q.index(own) for own in found]
    return stated


def _read(given, names, stated):
    if isinstance(given, dict):
        for name, formula in given.items():
            if str(name) == "units":
                stated.units.update({str(key): _dimension(key, unit) for key, unit in formula.items()})
            else:
                stated.own |= {str(name)} if str(name).isidentifier() and not spelled(str(name))[1] else set()
                left = _read_formulas(str(name), stated)[0]
                if not isinstance(left, Symbol) or left.dots:
                    raise BadGiven(f"given has the key {str(name)!r}, which is no name. Write {{'theta2': 'q1 + q2'}}.")
                stated.equations.append((left, _read_formulas(formula, stated)[0]))
    elif isinstance(given, (list, tuple)):
        for part in given:
            _read(part, names, stated)
    elif isinstance(given, str):
        _read_text(given, names, stated)
    elif given is not None:
        for tree in _read_formulas(given, stated):
            stated.equations += _two_sides(tree, names, stated)


def _read_text(given, names, stated):
    listed = {}
    for pattern in (_UNKNOWN, _ORDER):                  # statements that list names are taken out of the text
        match = pattern.search(given)
        listed[pattern] = re.findall(r"[^\s,]+", match[1]) if match else []
        given = given[: match.start()] + given[match.end() :] if match else given
    stated.own |= {name for name in _LEFT.findall(given) if not spelled(name)[1]}
    stated.unknowns += [read(part).trees[0].name for part in listed[_UNKNOWN]]
    stated.order = listed[_ORDER] or stated.order
    for part in _parts(given):
        match = _IN_UNITS.fullmatch(part)
        if match and match[2] not in ("degrees", "radians"):
            stated.units[match[1]] = _dimension(*match.groups())
            continue
        if match := _PRESCRIBED.fullmatch(part):
            stated.prescribed += [read(name).trees[0] for name in re.findall(r"[^\s,]+", match[1]) if name != "and"]
            continue
        try:
            found = in_words(part, names)
        except Refused as error:
            raise BadGiven(f"given says '{part}', but {error}") from None
        if found is None:
            for tree in _read_formulas(part, stated):
                stated.equations += _two_sides(tree, names, stated)
        else:
            stated.equations += [(_read_formulas(name, stated)[0], _read_formulas(formula, stated)[0])
                                 for name, formula in found]


def _dimension(name, unit):
    """The dimension of a unit, given as text, or as a unit of SymPy or pint."""
    try:
        return read_unit(unit)[0]
    except ValueError as error:
        raise BadGiven(f"given states a unit for {name}: {error}") from None


def _parts(given):
    """The statements of a text; "theta1, theta2 from the vertical" is one."""
    parts, waiting = [], []
    for part in map(str.strip, _BETWEEN.split(given)):
        if _NAME_ONLY.fullmatch(part):
            waiting.append(part)
        elif part:
            parts.append(", ".join([*waiting, part]))
            waiting = []
    return [*parts, *waiting]


def _read_formulas(formula, stated):
    if callable(formula) and not hasattr(formula, "free_symbols"):
        raise BadGiven("given contains a function. State formulas: 'theta2 = q1 + q2'.")
    try:
        return read(formula, stated.own).trees
    except Unreadable as error:
        raise BadGiven(str(error).replace("Your answer", "given")) from None


def _two_sides(tree, names, stated):
    """The equations, pairs of trees, that an equation states; q = (theta, x) states the order of the coordinates."""
    if not isinstance(tree, Equation):
        raise BadGiven(f"given contains '{to_text(tree)[:60]}', which is not an equation. Write one: 'theta2 = q1 + "
                       "q2'.")
    left, right, entries = tree.left, tree.right, children(tree.right)
    if not isinstance(right, Matrix):
        return [(left, right)]
    if isinstance(left, Matrix) and left.shape == right.shape:
        return list(zip(children(left), entries, strict=True))
    if not isinstance(left, Symbol) or not all(isinstance(x, Symbol) for x in entries):
        raise BadGiven("given sets something equal to a list. Only the order of the coordinates is stated so: 'q = "
                       "(theta, x)'.")
    if len(entries) == len(names.q):
        stated.order = [x.name for x in entries]
    return []


def _own_coordinate(part, names, stated):
    """The model's coordinate that a name in an order means; given may say it ("theta = q2"). "" if it is none."""
    for left, right in stated.equations:
        if isinstance(left, Symbol) and compact(left.name) == compact(part):
            own = [s.name for s in symbols(right) if s.name in names.q]
            if len(own) == 1:
                return own[0]
    return (names.find(compact(part)) or ("",))[0]
