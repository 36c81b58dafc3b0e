"""The tree of a formula: plain frozen dataclasses, so that nothing is evaluated and nothing is rearranged unasked.

What a learner writes keeps its shape: ``m1*l1/2`` stays a product whose last factor is a quotient, and each part knows
where in the text it stands. Trees are walked without recursion, so that no formula is too deep to look at.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

#: Parts that the tree of one formula may have, shared parts counted once, and time derivatives on one symbol.
MOST_NODES, MOST_DOTS = 100_000, 4
#: Parts of trees whose order is kept.
MOST_KEPT = 2000


class TooLarge(ValueError):
    """An operation on a formula would make a formula with too many parts."""


@dataclass(frozen=True)
class Node:
    """A part of a formula. span: (start, end) in the source text, or None; it does not count in comparisons."""

    span: tuple | None = field(default=None, compare=False, repr=False, kw_only=True)
    #: The trees that it is made of, in order (the variable of a derivative is none of them).
    parts: ClassVar[Any] = ()


@dataclass(frozen=True)
class Number(Node):
    """A number that is not negative. exact: a Fraction, or the text of a decimal number as it was written."""

    exact: Fraction | str

    @cached_property
    def value(self):
        """The number as a Fraction; a decimal number means exactly what is written."""
        return Fraction(self.exact)

    @property
    def digits(self):
        """Significant digits of a decimal number as written; None for a whole number or fraction, which is exact."""
        if not isinstance(self.exact, str):
            return None
        return max(len(self.exact.lower().partition("e")[0].replace(".", "").lstrip("0")), 1)


@dataclass(frozen=True)
class Rounded(Number):
    """A decimal number as it was written, in ``exact``, that stands for another one. value: that, a Fraction."""

    value: Fraction = Fraction(0)


@dataclass(frozen=True)
class Constant(Node):
    """A number with a name of its own: only "pi"."""

    name: str


@dataclass(frozen=True)
class Unit(Constant):
    """A unit, such as kg. factor: its size in SI units, a Fraction; dimension: the exponents of (kg, m, s)."""

    factor: Fraction = Fraction(1)
    dimension: tuple = (Fraction(0),) * 3


@dataclass(frozen=True)
class Symbol(Node):
    """A symbol. name: with at most one underscore, as in "m1" or "l_c1"; dots: time derivatives written on it."""

    name: str
    dots: int = 0


@dataclass(frozen=True)
class Operation(Node):
    """kind: "+" and "*" (two operands or more), "/" and "^" (two), "neg" (one)."""

    kind: str
    operands: tuple
    parts = property(lambda self: self.operands)


@dataclass(frozen=True)
class Function(Node):
    """A function such as sin; names.FUNCTIONS lists all."""

    name: str
    arguments: tuple
    parts = property(lambda self: self.arguments)


@dataclass(frozen=True)
class Derivative(Node):
    """A derivative that is written but not carried out. by: a Symbol (then it is partial), or "t"."""

    of: Node
    by: "Symbol | str"
    parts = property(lambda self: (self.of,))


@dataclass(frozen=True)
class Matrix(Node):
    """rows: a tuple of tuples of trees; a vector is one column."""

    rows: tuple
    parts = property(lambda self: tuple(entry for row in self.rows for entry in row))
    shape = property(lambda self: (len(self.rows), len(self.rows[0])))


@dataclass(frozen=True)
class Equation(Node):
    """left = right, as written."""

    left: Node
    right: Node
    parts = property(lambda self: (self.left, self.right))


ZERO, ONE, TWO = (Number(Fraction(n)) for n in range(3))
TIME = Symbol("t")
#: The value of each kind of `Operation`, given those of its operands.
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": lambda *parts: sum(parts), "*": lambda *parts: math.prod(parts), "neg": operator.neg, "/": operator.truediv,
    "^": operator.pow}
#: For each kind of node that is made of trees, the node with others.
_WITH: dict[type, Callable] = {
    Operation: lambda node, new: replace(node, operands=tuple(new)),
    Function: lambda node, new: replace(node, arguments=tuple(new)),
    Derivative: lambda node, new: replace(node, of=new[0]),
    Matrix: lambda node, new: replace(
        node, rows=tuple(tuple(new[i : i + node.shape[1]]) for i in range(0, len(new), node.shape[1]))),
    Equation: lambda node, new: replace(node, left=new[0], right=new[1])}


def with_children(node, new):
    """The node with other children; the node itself if they are the same objects."""
    return node if all(map(operator.is_, node.parts, new)) else _WITH[type(node)](node, new)


def derivative(tree, by=TIME, times=1):
    """A derivative as written, of each entry of a matrix, by a Symbol: a symbol by time gets one more dot."""
    if isinstance(tree, Matrix):
        return with_children(tree, [derivative(entry, by, times) for entry in tree.parts])
    if not isinstance(by, Symbol):
        raise ValueError("A derivative must be taken by a symbol, such as q1, by a rate, such as qd1, or by t.")
    for _ in range(times):
        if by == TIME and isinstance(tree, Symbol) and tree.dots < MOST_DOTS:
            tree = Symbol(tree.name, tree.dots + 1, span=tree.span)
        else:
            tree = Derivative(tree, "t" if by == TIME else by)
    return tree


def postorder(tree, known=()):
    """All nodes of a tree, children before parents, each once, without those whose id is known. Raises TooLarge."""
    if not known and "_order" in tree.__dict__:             # a tree never changes: it is walked once
        return [*tree.__dict__["_order"], tree]
    found, waiting = {}, [tree]
    while waiting:
        node = waiting[-1]
        if id(node) in found or id(node) in known:
            waiting.pop()
        elif left := [part for part in node.parts if id(part) not in found and id(part) not in known]:
            waiting.extend(reversed(left))
        else:
            found[id(waiting.pop())] = node
            if len(found) > MOST_NODES:
                raise TooLarge(f"The formula has more than {MOST_NODES} parts. Collect and simplify it first.")
    order = list(found.values())
    if not known and len(order) <= MOST_KEPT:
        tree.__dict__["_order"] = order[:-1]                # without itself, which would be a circle
    return order


def fold(tree, rule):
    """The value of a tree, given rule(node, list of the values of its children). Raises TooLarge."""
    values = {}
    for node in postorder(tree):
        values[id(node)] = rule(node, [values[id(part)] for part in node.parts])
    return values[id(tree)]


def written_size(tree):
    """The number of nodes of a tree as it would be written, shared parts counted each time."""
    return fold(tree, lambda node, sizes: 1 + sum(sizes))


def symbols(tree):
    """The set of the symbols in a tree, those by which it is differentiated included."""
    if not tree.parts:
        return {tree} if isinstance(tree, Symbol) else set()
    found = (node.by if isinstance(node, Derivative) else node for node in postorder(tree))
    return {part for part in found if isinstance(part, Symbol)}


def substitute(tree, replacements):
    """The tree with symbols, or other parts, replaced.

    replacements: dict from a part to the tree that stands for it; a symbol with other dots is another symbol. Where
    a symbol by which the tree is differentiated is replaced by a symbol, that changes too; otherwise it stays.
    """
    kinds = tuple({type(part) for part in replacements})

    def rule(node, parts):
        changed = with_children(node, parts)
        if isinstance(changed, kinds):
            return replacements.get(changed, changed)
        if isinstance(node, Derivative) and isinstance(replacements.get(node.by), Symbol):
            return replace(changed, by=replacements[node.by])
        return changed

    return fold(tree, rule)


def terms(tree):
    """The summands of a formula, a tuple of trees whose sum it is, each with its place in the text.

    A difference gives a negative term, and a minus sign before a bracket goes to each term inside. Products are not
    multiplied out; `expanded` does that.
    """
    found, waiting = [], [(tree, False)]
    while waiting:
        node, negative = waiting.pop()
        match node:
            case Operation(kind="+", operands=parts):
                waiting.extend((part, negative) for part in reversed(parts))
            case Operation(kind="neg", operands=(part,)) if negative or getattr(part, "kind", "") in ("+", "neg"):
                waiting.append((part, not negative))
            case _:
                found.append(Operation("neg", (node,), span=node.span) if negative else node)
    return tuple(found)


def expanded(tree, most=200):
    """The terms once products and whole powers of sums are multiplied out, or None if there are more than ``most``.

    Each term is a tree; what stands below a division stays as it is.
    """
    def multiplied(parts):
        products = [(1, ())]
        for part in parts:
            if len(products) * len(part) > most:
                return None
            products = [(s * sign, f + factors) for s, f in products for sign, factors in part]
        return products

    def rule(node, parts):                              # pairs (sign, factors); None if there are too many
        match node:
            case _ if None in parts:
                return None
            case Operation(kind="+"):
                return sum(parts, []) if sum(map(len, parts)) <= most else None
            case Operation(kind="neg"):
                return [(-sign, factors) for sign, factors in parts[0]]
            case Operation(kind="*"):
                return multiplied(parts)
            case Operation(kind="/", operands=(_, below)):
                return [(sign, (Operation("/", (factors[0], below)),) if len(factors) == 1
                         else (*factors, Operation("/", (ONE, below)))) for sign, factors in parts[0]]
            case Operation(kind="^", operands=(_, Number(value=power))) if len(parts[0]) > 1 and power in range(2, 9):
                return multiplied([parts[0]] * int(power))
        return [(1, (node,))]

    found = fold(tree, rule)
    if found is None:
        return None
    products = [(sign, Operation("*", factors, span=tree.span) if len(factors) > 1 else factors[0])
                for sign, factors in found]
    return tuple(product if sign > 0 else Operation("neg", (product,), span=tree.span) for sign, product in products)
