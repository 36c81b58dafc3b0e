"""The values of all parts of a formula at several points in floats, and how the whole changes with one part.

So that thousands of changes can be tried: after a change, only what lies above it is computed again.
"""

import numpy as np

from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.nodes import fold, postorder

_FUNCTIONS = {"cot": lambda x: 1 / np.tan(x), "sec": lambda x: 1 / np.cos(x), "csc": lambda x: 1 / np.sin(x)}


class Network:
    """A formula at several points.

    tree: the formula, without derivatives that are not carried out.  known: {Symbol: array of its values}.
    combine: a function of the values of the whole at the points (the last axis), which gives what is compared
    (differences, if a constant does not matter).
    """

    def __init__(self, tree, known, combine):
        self.tree, self.known, self.combine = tree, known, combine
        self.nodes = postorder(tree)
        self.values, self.parents = {}, {}
        for place, node in enumerate(self.nodes):
            self.values[id(node)] = self._value(node)
            for child in node.parts:
                self.parents.setdefault(id(child), []).append(place)
        self.place = {id(node): place for place, node in enumerate(self.nodes)}
        self.whole = combine(self.values[id(tree)])

    def value_of(self, tree):
        """The values of another formula, which may have parts of this one in it."""
        found = {}
        for node in postorder(tree, self.values):
            found[id(node)] = self._value(node, found)
        return found[id(tree)] if found else self.values[id(tree)]

    def change(self, node, values):
        """How much what is compared changes when a part has other values, or each of several rows of such."""
        changed, waiting = {id(node): values}, sorted(set(self.parents.get(id(node), ())))
        while waiting:
            place = waiting.pop(0)
            parent = self.nodes[place]
            changed[id(parent)] = self._value(parent, changed)
            waiting = sorted({*waiting, *self.parents.get(id(parent), ())})
        return self.combine(changed.get(id(self.tree), self.values[id(self.tree)])) - self.whole

    def below(self, node):
        """The places of a part and of all that it is made of, a set."""
        return {self.place[id(part)] for part in postorder(node)}

    def _value(self, node, changed=()):
        parts = [(changed if id(child) in changed else self.values)[id(child)] for child in node.parts]
        return _combined(node, parts, self.known)


def values(tree, known):
    """The values of a formula at points: known is {Symbol: array of its values}, and is not empty."""
    return fold(tree, lambda node, parts: _combined(node, parts, known))


def _combined(node, parts, known):
    match node:
        case nodes.Number() | nodes.Constant():
            value = float(node.value) if isinstance(node, nodes.Number) else np.pi
            return np.full(len(next(iter(known.values()))), value)
        case nodes.Symbol():
            return known[node]
        case nodes.Function():
            return (_FUNCTIONS.get(node.name) or getattr(np, node.name))(*parts)
        case nodes.Operation(kind="^", operands=(_, nodes.Number(value=power))) if power.denominator == 1:
            return parts[0] ** int(power)
    return nodes.ARITHMETIC[node.kind](*parts)


def replaced(tree, changes):
    """The tree with some of its parts, given as {id: tree}, replaced wherever they stand."""
    return fold(tree, lambda node, parts: changes.get(id(node)) or nodes.with_children(node, parts))


def linear_parts(tree):
    """The parts of whose values the whole is a linear function, by +, -, * and the upper side of /, the tree first."""
    found, waiting = {}, [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in found:
            continue
        found[id(node)] = node
        match node:
            case nodes.Operation(kind="+" | "*" | "neg"):
                waiting.extend(node.operands)
            case nodes.Operation(kind="/"):
                waiting.append(node.operands[0])
    return list(found.values())
