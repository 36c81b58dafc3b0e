"""Dimensions: what may be added to what, from the model's own symbols and from units that are stated."""

from contextlib import suppress
from fractions import Fraction
from functools import reduce

import numpy as np

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.definitions import Definition
from rbdlib.verification.notation.reading import read
from rbdlib.verification.notation.unit_names import of_pint, of_quantity, plain_unit, unit_of_tree
from rbdlib.verification.trees.calculus import minus, times
from rbdlib.verification.trees.dimensions_of_model import ENERGY, PLAIN, TIME, combined, dimensions_of, in_words
from rbdlib.verification.trees.expression import (
    Function,
    Number,
    Operation,
    Symbol,
    evaluate,
    shortened,
    symbols,
    to_text,
)
from rbdlib.verification.trees.nodes import Constant, Unit, fold, postorder

_ANY = "any"                                            # the dimension of zero
_UNKNOWN = (None, _ANY)


def check_units(array, quantity, vocabulary):
    """Refuses an answer, an array of formulas, with units in it that do not fit its `Quantity`. Raises ValueError."""
    for place, tree in np.ndenumerate(array[:, 0] if array.shape[1:] == (1,) else array):
        if tree is None or not any(isinstance(node, Unit) for node in postorder(tree)):
            continue
        checker = _Checker(vocabulary)
        yours, ours = checker.dimension(tree), _of_entry(quantity, quantity.part or place, vocabulary)
        if checker.found:
            raise ValueError(f"The units in your answer do not fit. {checker.found[0]}")
        if yours not in _UNKNOWN and ours is not None and yours != ours:
            raise ValueError(f"The units in your answer do not fit: {shortened(tree)} is in {in_words(yours)}, but "
                             f"{quantity.title} is in {in_words(ours)}.")


def _of_entry(quantity, place, vocabulary):
    """The dimension of an entry of a quantity, or None if it is not known."""
    own, (i, j), symbol = dimensions_of(vocabulary.names), (*place, 0, 0)[:2], quantity.symbol
    if vocabulary.coordinates():
        return None
    if symbol in ("T", "V", "L", "E"):
        return ENERGY
    if symbol == "H":
        return combined(own[f"tau{i + 1}"], own[f"qdd{j + 1}"], -1)
    letter = "tau" if symbol in ("tau", "g", "tau_g", "C", "bias") else symbol
    return own.get(f"{letter}{i + 1}") if letter in ("tau", "qdd") and len(place) < 2 else None


def dimension_of(tree, vocabulary):
    """The dimension of a tree, if it is known."""
    return _Checker(vocabulary).dimension(tree)


class _Checker:
    """found: sentences on what is added, set equal or put into a function although its dimensions do not fit."""

    def __init__(self, vocabulary):
        self.vocabulary, self.own, self.found = vocabulary, dimensions_of(vocabulary.names), []

    def dimension(self, tree, by="answer", active=()):
        """The dimension of a tree; None if it is not known, "any" for zero."""
        return fold(tree, lambda node, parts: self._of(node, parts, by, active))

    def _of(self, node, parts, by, active):
        match node:
            case Number():
                return _ANY if node.value == 0 else PLAIN
            case Constant():
                return getattr(node, "dimension", PLAIN)
            case Symbol():
                return self._of_symbol(node, by, active)
            case Function(name="sqrt" | "abs"):
                known = parts[0] not in _UNKNOWN
                return combined(PLAIN, parts[0], 1 if node.name == "abs" else Fraction(1, 2)) if known else None
            case Function():
                if node.name == "atan2":
                    self._same(node.arguments, parts)
                elif parts[0] not in (PLAIN, *_UNKNOWN) and node.name != "sign":
                    self.found.append(f"The argument of {node.name} must be a plain number, but "
                                      f"{shortened(node.arguments[0])} has the dimension {in_words(parts[0])}.")
                return PLAIN
            case Operation(kind="+"):
                return self._same(node.operands, parts)
            case Operation() if set(parts) & {*_UNKNOWN}:
                return _ANY if _ANY in parts and node.kind != "^" else None
            case Operation(kind="^", operands=(_, exponent)):
                if symbols(exponent):
                    return PLAIN if parts == [PLAIN, PLAIN] else None
                return combined(PLAIN, parts[0], Fraction(float(evaluate(exponent, {}))).limit_denominator(100))
            case Operation():
                return reduce(lambda first, part: combined(first, part, -1 if node.kind == "/" else 1), parts)
        return None

    def _same(self, operands, parts):
        """The common dimension of parts that are added or compared; the first that does not fit is noted."""
        known = [(operand, part) for operand, part in zip(operands, parts, strict=True) if part not in _UNKNOWN]
        if not known:
            return None if None in parts else _ANY
        first, dimension = known[0]
        for operand, part in known:
            if part != dimension:
                self.found.append(f"The dimensions do not fit: {shortened(first)} ({in_words(dimension)}) is added to "
                                  f"{shortened(operand)} ({in_words(part)}).")
                return None
        return dimension

    def _of_symbol(self, symbol, by, active):
        key = compact(symbol.name)
        if key in self.vocabulary.units and by == "answer":
            return combined(self.vocabulary.units[key], TIME, -symbol.dots)
        meaning, dots = self.vocabulary.meaning(symbol, (), by, active)
        found = self.own.get(meaning)
        if isinstance(meaning, Definition):
            before = len(self.found)
            found = self.dimension(meaning.tree, meaning.by, (*active, compact(meaning.name)))
            if meaning.by != "answer":
                del self.found[before:]                     # what given states is not the answer's fault
            if meaning.by == "given" and not symbols(meaning.tree):
                return None
        return found if found in _UNKNOWN else combined(found, TIME, -dots)


def read_unit(unit):
    """(dimension, factor to SI) of a unit: text such as "kg m^2" or "N*m/rad", or an object of SymPy or pint.

    The dimension is the exponents of (kg, m, s). Raises ValueError.
    """
    if isinstance(unit, str):
        found, like = unit_of_tree(read(plain_unit(unit)).trees[0]), "unit that is known here"
    else:
        found, like = of_quantity(unit) or of_pint(unit), "unit of mechanics"
    if found is None:
        raise ValueError(f"{str(unit)[:40]!r} is no {like}; write one such as 'kg', 'm', 'kg m^2' or 'N m'.")
    return found


def in_si(left, right, names, existing):
    """The right side of left = right, or the number that it is in SI units: 0.5 for l = 50 cm; m2 = 2 m is twice the
    mass m. names: the `Names` of the model; existing: all names there are.
    """
    match right:
        case Operation(kind="neg", operands=(size,)):
            return minus(in_si(left, size, names, existing))
        case Operation(kind="*", operands=(Number() as size, *rest)) if isinstance(left, Symbol):
            with suppress(ValueError):
                dimension, factor = read_unit(to_text(times(*rest)))
                own, used = names.find(left.name)[0], {s.name for s in symbols(right)}
                known = dimensions_of(names).get(own)
                if known == dimension or (known is None and own in names.parameters and not used <= existing):
                    value = size.value * factor
                    return Number(value if value.denominator == 1 else f"{float(value):.15g}")
    return right
