"""The values of all parts of a formula at several points in floats, and how the whole changes with one part.

So that thousands of changes can be tried: after a change, only what lies above it is computed again.
"""

import functools
import operator

import numpy as np

from rbdlib.verification.trees.expression import (
    Constant,
    Function,
    Number,
    Operation,
    Symbol,
    children,
    postorder,
    with_children,
)

_FUNCTIONS = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
              "atanh": np.arctanh, "atan2": np.arctan2, "cot": lambda x: 1 / np.tan(x), "sec": lambda x: 1 / np.cos(x),
              "csc": lambda x: 1 / np.sin(x)}


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
            self.values[id(node)] = self._value(node, self.values)
            for child in children(node):
                self.parents.setdefault(id(child), []).append(place)
        self.place = {id(node): place for place, node in enumerate(self.nodes)}
        self.whole = combine(self.values[id(tree)])

    def value_of(self, tree):
        """The values of another formula, which may have parts of this one in it."""
        found = {}
        for node in _new_nodes(tree, self.values):
            found[id(node)] = self._value(node, self.values, found)
        return found[id(tree)] if found else self.values[id(tree)]

    def change(self, node, values):
        """How much what is compared changes when a part has other values, or each of several rows of such."""
        changed, waiting = {id(node): values}, sorted(set(self.parents.get(id(node), ())))
        while waiting:
            place = waiting.pop(0)
            parent = self.nodes[place]
            changed[id(parent)] = self._value(parent, self.values, changed)
            waiting = sorted({*waiting, *self.parents.get(id(parent), ())})
        return self.combine(changed.get(id(self.tree), self.values[id(self.tree)])) - self.whole

    def below(self, node):
        """The places of a part and of all that it is made of, a set."""
        return {self.place[id(part)] for part in postorder(node)}

    def _value(self, node, values, changed=None):
        parts = [values[id(child)] if changed is None or id(child) not in changed else changed[id(child)]
                 for child in children(node)]
        return _combined(node, parts, self.known)


def values(tree, known):
    """The values of a formula at points: known is {Symbol: array of its values}, and is not empty."""
    found = {}
    for node in postorder(tree):
        found[id(node)] = _combined(node, [found[id(child)] for child in children(node)], known)
    return found[id(tree)]


def _combined(node, parts, known):
    match node:
        case Number():
            return np.full(_points(known), float(node.value))
        case Constant():
            return np.full(_points(known), np.pi)
        case Symbol():
            return known[node]
        case Function():
            return _FUNCTIONS.get(node.name, getattr(np, node.name, None))(*parts)
    match node.kind:
        case "+":
            return sum(parts)
        case "*":
            return functools.reduce(operator.mul, parts)
        case "neg":
            return -parts[0]
        case "/":
            return parts[0] / parts[1]
    exponent = node.operands[1]
    whole = isinstance(exponent, Number) and exponent.value.denominator == 1
    return parts[0] ** (int(exponent.value) if whole else parts[1])


def _points(known):
    return len(next(iter(known.values())))


def _new_nodes(tree, known):
    """The nodes of a tree that are not among the known ones, children first."""
    found, waiting = {}, [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if id(node) in known or id(node) in found:
            continue
        if ready:
            found[id(node)] = node
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in children(node))
    return found.values()


def replaced(tree, changes):
    """The tree with some of its parts, given as {id: tree}, replaced wherever they stand."""
    new = {}
    for node in postorder(tree):
        new[id(node)] = changes[id(node)] if id(node) in changes else with_children(
            node, [new[id(child)] for child in children(node)])
    return new[id(tree)]


def linear_parts(tree):
    """The parts of whose values the whole is a linear function, by +, -, * and the upper side of /, the tree first."""
    found, waiting = {}, [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in found:
            continue
        found[id(node)] = node
        if isinstance(node, Operation) and node.kind in ("+", "*", "neg"):
            waiting.extend(node.operands)
        elif isinstance(node, Operation) and node.kind == "/":
            waiting.append(node.operands[0])
    return list(found.values())
