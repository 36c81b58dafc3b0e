"""Lines in which learners say what a name of theirs stands for."""

from dataclasses import dataclass
from typing import Any

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.trees.calculus import differentiate
from rbdlib.verification.trees.nodes import (
    ONE,
    ZERO,
    Derivative,
    Equation,
    Matrix,
    Number,
    Operation,
    Symbol,
    fold,
    postorder,
    substitute,
    symbols,
    with_children,
)


@dataclass(frozen=True)
class Definition:
    """A name and what it stands for. Names in ``tree`` are the model's if ``by`` is "given", else the learner's."""

    name: str
    tree: Any
    by: str


def as_definition(left, right, vocabulary):
    """(name, formula) if left = right says what a name of the learner's own stands for, else None.

    A name is the learner's own unless the model has it as it stands; what is only an alias, such as F for tau, gives
    way. w^2 = ... defines w, which is positive.
    """
    power = as_power(left)
    if power:
        left, right = power[0], root(right, power[1])
    if not isinstance(left, Symbol) or left.dots or isinstance(right, Matrix) or left in symbols(right):
        return None
    own = {compact(name) for name in vocabulary.names.own}
    own |= {name for name, definition in vocabulary.definitions.items() if definition.by == "given"}
    return None if compact(left.name) in own else (left.name, right)


def as_power(tree):
    """(symbol, exponent) of a tree that is a symbol to the power of a number, or None."""
    if isinstance(tree, Operation) and tree.kind == "^" and isinstance(tree.operands[0], Symbol) and isinstance(
            tree.operands[1], Number):
        return tree.operands
    return None


def root(tree, exponent):
    """The root of a tree, as a tree. exponent: a Number."""
    return Operation("^", (tree, Operation("/", (ONE, exponent))))


def solved(residual, unknown):
    """The tree for an unknown Symbol that makes a residual zero, or None: it must be linear in it or in one power."""
    powers = {node for node in postorder(residual) if isinstance(node, Operation) and node.kind == "^"
              and node.operands[0] == unknown and isinstance(node.operands[1], Number)}
    exponent, inner = None, unknown
    if len(powers) == 1:
        (power,) = powers
        exponent, inner = power.operands[1], Symbol(f"{unknown.name}_power")
        residual = substitute(residual, {power: inner})
    slope = differentiate(residual, inner)
    if {unknown, inner} & symbols(slope) or (exponent is not None and unknown in symbols(residual)):
        return None
    rest = substitute(residual, {inner: ZERO})
    tree = Operation("neg", (Operation("/", (rest, slope)),))
    return tree if exponent is None else root(tree, exponent)


def put_into_derivatives(trees, vocabulary):
    """The trees with the names that are differentiated, such as L in dL/dq1, replaced by what the answer says they are.

    Raises ValueError where the answer does not say it.
    """
    known = {tree.left: tree.right for tree in trees if isinstance(tree, Equation) and isinstance(tree.left, Symbol)
             and not tree.left.dots and not isinstance(tree.right, Matrix)}
    used = set()
    trees = [tree for tree in trees if not _is_heading(tree, trees, known)]
    made = [_with_derivatives_of(tree, known, vocabulary, used) for tree in trees]
    energies = {name for name in used if name.name in _ENERGIES}
    return [tree for tree in made if not (isinstance(tree, Equation) and tree.left in energies)]


_ENERGIES = ("L", "T", "V", "U", "K", "E", "P", "W")


def _is_heading(tree, trees, known):
    """True if an equation only says of which rule the next one in a chain is the result: d/dt dL/dq1' - ... = a = 0."""
    if not isinstance(tree, Equation) or not any(tree.right == other.left for other in trees
                                                 if isinstance(other, Equation) and other is not tree):
        return False
    return any(isinstance(node, Derivative) and isinstance(node.of, Symbol) and node.of.name in _ENERGIES
               and node.of not in known for node in postorder(tree.left))


def _with_derivatives_of(tree, known, vocabulary, used):
    def rule(node, parts):
        changed = with_children(node, parts)
        if not isinstance(changed, Derivative):
            return changed
        of = _explained(changed.of, known, used)
        if isinstance(of, Symbol) and changed.by not in ("t", of) and not (
                vocabulary.knows(of) and of.name not in _ENERGIES):
            raise ValueError(f"Your answer has a derivative of {of.name}, but does not say what {of.name} is. Add "
                             f"a line '{of.name} = ...'.")
        return with_children(changed, [of])

    return fold(tree, rule)


def _explained(tree, known, used):
    """A tree with names replaced by what they stand for, and the names in that."""
    for _ in range(8):
        names = symbols(tree) & set(known)
        if not names:
            break
        used |= names
        tree = substitute(tree, {name: known[name] for name in names})
    return tree
