"""The tree of a formula: plain frozen dataclasses, so that nothing is evaluated and nothing is rearranged unasked.

What a learner writes keeps its shape: ``m1*l1/2`` stays a product whose last factor is a quotient, and each part knows
where in the text it stands. Trees are walked without recursion, so that no formula is too deep to look at.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

#: Parts that the tree of one formula may have at most, shared parts counted once.
MOST_NODES = 100_000
#: Time derivatives that may be written on one symbol.
MOST_DOTS = 4


class TooLarge(ValueError):
    """An operation on a formula would make a formula with too many parts."""


@dataclass(frozen=True)
class Node:
    """A part of a formula. span: (start, end) in the source text, or None; it does not count in comparisons."""

    span: tuple | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """A number that is not negative. exact: a Fraction, or the text of a decimal number as it was written."""

    exact: Fraction | str

    @property
    def value(self):
        """The number as a Fraction; a decimal number means exactly what is written."""
        return Fraction(self.exact)

    @property
    def digits(self):
        """Significant digits of a decimal number as written; None for a whole number or fraction, which is exact."""
        if not isinstance(self.exact, str):
            return None
        mantissa = self.exact.lower().partition("e")[0].replace(".", "").lstrip("0")
        return max(len(mantissa), 1)


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


@dataclass(frozen=True)
class Function(Node):
    """A function such as sin; names.FUNCTIONS lists all."""

    name: str
    arguments: tuple


@dataclass(frozen=True)
class Derivative(Node):
    """A derivative that is written but not carried out. by: a Symbol (then it is partial), or "t"."""

    of: Node
    by: "Symbol | str"


@dataclass(frozen=True)
class Matrix(Node):
    """rows: a tuple of tuples of trees; a vector is one column."""

    rows: tuple

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])


@dataclass(frozen=True)
class Equation(Node):
    """left = right, as written."""

    left: Node
    right: Node


ZERO, ONE, TWO = (Number(Fraction(n)) for n in range(3))


def children(node):
    """The trees that a node is made of, in order (the variable of a derivative is none of them)."""
    match node:
        case Operation():
            return node.operands
        case Function():
            return node.arguments
        case Derivative():
            return (node.of,)
        case Matrix():
            return tuple(entry for row in node.rows for entry in row)
        case Equation():
            return node.left, node.right
    return ()


def with_children(node, new):
    """The node with other children; the node itself if they are the same objects."""
    if all(a is b for a, b in zip(children(node), new, strict=True)):
        return node
    match node:
        case Operation():
            return replace(node, operands=tuple(new))
        case Function():
            return replace(node, arguments=tuple(new))
        case Derivative():
            return replace(node, of=new[0])
        case Matrix():
            width = node.shape[1]
            return replace(node, rows=tuple(tuple(new[i : i + width]) for i in range(0, len(new), width)))
        case Equation():
            return replace(node, left=new[0], right=new[1])
    return node


def postorder(tree):
    """All nodes of a tree, children before parents, each object once. Raises TooLarge."""
    found, waiting = {}, [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if id(node) in found:
            continue
        if ready:
            found[id(node)] = node
            if len(found) > MOST_NODES:
                raise TooLarge(f"The formula has more than {MOST_NODES} parts. Collect and simplify it first.")
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(children(node)))
    return list(found.values())


def written_size(tree):
    """The number of nodes of a tree as it would be written, shared parts counted each time."""
    sizes = {}
    for node in postorder(tree):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in children(node))
    return sizes[id(tree)]


def symbols(tree):
    """The set of the symbols in a tree, those by which it is differentiated included."""
    nodes = postorder(tree)
    by = {node.by for node in nodes if isinstance(node, Derivative) and isinstance(node.by, Symbol)}
    return by | {node for node in nodes if isinstance(node, Symbol)}


def substitute(tree, replacements):
    """The tree with symbols replaced.

    replacements: dict from Symbol to the tree that stands for it; a symbol with other dots is another symbol. Where
    a symbol by which the tree is differentiated is replaced by a symbol, that changes too; otherwise it stays.
    """
    new = {}
    for node in postorder(tree):
        if isinstance(node, Symbol):
            new[id(node)] = replacements.get(node, node)
            continue
        changed = with_children(node, [new[id(child)] for child in children(node)])
        if isinstance(node, Derivative) and isinstance(replacements.get(node.by), Symbol):
            changed = replace(changed, by=replacements[node.by])
        new[id(node)] = changed
    return new[id(tree)]


def terms(tree):
    """The summands of a formula, a tuple of trees whose sum it is, each with its place in the text.

    A difference gives a negative term, and a minus sign before a bracket goes to each term inside. Products are not
    multiplied out; `expanded` does that.
    """
    found, waiting = [], [(tree, False)]
    while waiting:
        node, negative = waiting.pop()
        if isinstance(node, Operation) and node.kind == "+":
            waiting.extend((part, negative) for part in reversed(node.operands))
        elif isinstance(node, Operation) and node.kind == "neg" and (negative or _is_sum(node.operands[0])):
            waiting.append((node.operands[0], not negative))
        else:
            found.append(Operation("neg", (node,), span=node.span) if negative else node)
    return tuple(found)


def _is_sum(node):
    return isinstance(node, Operation) and node.kind in ("+", "neg")


def expanded(tree, most=200):
    """The terms once products and whole powers of sums are multiplied out, or None if there are more than ``most``.

    Each term is a tree; what stands below a division stays as it is.
    """
    lists = {}
    for node in postorder(tree):
        parts = _expanded_node(node, [lists[id(child)] for child in children(node)], most)
        if parts is None:
            return None
        lists[id(node)] = parts
    return tuple(_term(sign, factors, tree.span) for sign, factors in lists[id(tree)])


def _expanded_node(node, parts, most):
    """The terms of a node as pairs (sign, factors), given those of its children."""
    if not isinstance(node, Operation):
        return [(1, (node,))]
    count = sum(map(len, parts))
    if node.kind == "+":
        return [term for part in parts for term in part] if count <= most else None
    if node.kind == "neg":
        return [(-sign, factors) for sign, factors in parts[0]]
    if node.kind == "*":
        return _multiplied(parts, most)
    if node.kind == "/":
        below = (Operation("/", (ONE, node.operands[1])),)
        return [(sign, _over(factors, node.operands[1]) or factors + below) for sign, factors in parts[0]]
    power = node.operands[1].value if isinstance(node.operands[1], Number) else 0
    if len(parts[0]) > 1 and power in range(2, 9):
        return _multiplied([parts[0]] * int(power), most)
    return [(1, (node,))]


def _multiplied(parts, most):
    products = [(1, ())]
    for part in parts:
        if len(products) * len(part) > most:
            return None
        products = [(s * sign, f + factors) for s, f in products for sign, factors in part]
    return products


def _over(factors, below):
    return (Operation("/", (factors[0], below)),) if len(factors) == 1 else None


def _term(sign, factors, span):
    product = Operation("*", factors, span=span) if len(factors) > 1 else factors[0]
    return product if sign > 0 else Operation("neg", (product,), span=span)
