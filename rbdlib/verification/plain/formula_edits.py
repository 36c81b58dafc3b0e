"""Mistakes at one place of a plain formula, besides what `edits` tries in formulas of mechanics."""

from fractions import Fraction

import numpy as np

from rbdlib.verification.reasons.edits import Edit, Pool, Search
from rbdlib.verification.reasons.hypotheses import classes
from rbdlib.verification.trees.expression import Constant, Function, Number, Operation, Symbol, postorder
from rbdlib.verification.trees.network import linear_parts
from rbdlib.verification.trees.nodes import ONE, TWO, ZERO

#: Up to so many symbols, each may have been taken for each other one.
_FEW = 8
_ROOT_OF_TWO = Function("sqrt", (TWO,))
#: Factors that get lost besides whole numbers.
_IRRATIONAL = (_ROOT_OF_TWO, Operation("/", (ONE, _ROOT_OF_TWO)), Constant("pi"), Operation("/", (ONE, Constant("pi"))))
#: Functions that are taken for one another.
_MISTAKEN = {"sin": ("cos", "tan"), "cos": ("sin", "tan"), "tan": ("sin", "cos"), "asin": ("acos", "atan"),
             "acos": ("asin", "atan"), "atan": ("asin", "acos"), "sinh": ("cosh", "sin"), "cosh": ("sinh", "cos")}


def pool_of_formula(names, trees):
    """The `Pool` of what may stand in a formula. names: its `Symbol`s. trees: the right formulas and the answer's."""
    arguments = [node.arguments[0] for tree in trees for node in postorder(tree)
                 if isinstance(node, Function) and node.name in ("sin", "cos")]
    inside = [part for tree in arguments for part in postorder(tree) if isinstance(part, Symbol)]
    angles = list(dict.fromkeys([*arguments, *inside]))
    plain = [symbol for symbol in names if symbol not in angles]
    by_name = {symbol.name: symbol for symbol in names}
    alike = [tuple(by_name[name] for name in members) for members in classes(by_name).values()]
    kinds = [kind for kind in alike if len(kind) > 1]
    waves = [Function(name, (angle,)) for angle in angles for name in ("sin", "cos")]
    masses = tuple(symbol for kind in kinds for symbol in kind if symbol in plain)
    return Pool((*kinds, *([tuple(names)] if len(names) <= _FEW else [])), tuple(angles), (*names, *waves),
                tuple(plain), masses, {})


class FormulaSearch(Search):
    """All changes of one formula: those of `edits`, and those within roots, powers, denominators and functions."""

    def __init__(self, network, pool):
        super().__init__(network, pool)
        found = [*self.edits, *_more(network)]
        self.edits = sorted(found, key=lambda edit: edit.cost)
        self.changes = np.array([edit.change for edit in self.edits])


def _more(network):
    """The further `Edit`s that change the formula's value."""
    linear = {id(part) for part in linear_parts(network.tree)}
    for node in reversed(network.nodes):
        for kind, part, new, cost in _changes(node, id(node) in linear):
            change = network.change(part, network.value_of(new))
            if np.isfinite(change).all() and change.any():
                yield Edit(kind=kind, node=part, new=new, cost=cost, change=change, term=node)


def _changes(node, linear):
    """(kind, part, what replaces it, cost): changes of a node, or of a summand of it."""
    match node:
        case Operation(kind="+"):
            for part in node.operands:
                yield from () if linear else _of_summand(part)
                yield from (("factor", part, Operation("*", (factor, part)), 1.45) for factor in _IRRATIONAL)
            yield "power", node, Function("sqrt", (node,)), 1.35
        case Operation(kind="/"):
            yield "inverted", node, Operation("/", node.operands[::-1], span=node.span), 1.25
            yield "power", node, Function("sqrt", (node,)), 1.35
        case Function(name="sqrt"):
            yield "power", node, node.arguments[0], 1.25
        case Function() if node.name in _MISTAKEN:
            for name in _MISTAKEN[node.name]:
                yield "function", node, Function(name, node.arguments, span=node.span), 1.05 + 0.1 * (name == "tan")
        case Operation(kind="^"):
            yield "power", node, node.operands[0], 1.3
            yield "power", node, Operation("^", (node.operands[0], Operation("*", (TWO, node.operands[1])))), 1.35
            yield "power", node, Operation("^", (node.operands[0], Operation("neg", (node.operands[1],)))), 1.35
    for part in node.operands if isinstance(node, Operation) else ():
        if isinstance(part, Number) and part.value.denominator == 1:
            yield from (("number", part, Number(part.value + step), 1.4) for step in (1, -1) if part.value + step >= 0)


def _of_summand(part):
    bare = part.operands[0] if isinstance(part, Operation) and part.kind == "neg" else None
    yield "sign", part, bare or Operation("neg", (part,), span=part.span), 1.0
    yield "extra term", part, ZERO, 1.2
    for factor in (TWO, Operation("/", (ONE, TWO)), Number(Fraction(4)), Operation("/", (ONE, Number(Fraction(4))))):
        yield "factor", part, Operation("*", (factor, part)), 1.1
