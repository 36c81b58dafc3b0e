"""Lines in which learners say what a name of theirs stands for."""

from fractions import Fraction

from rbdlib.verification.aliases import compact
from rbdlib.verification.nodes import Matrix, Number, Operation, Symbol, symbols


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
    return None if compact(left.name) in own else (left.name, right)


def as_power(tree):
    """(symbol, exponent) of a tree that is a symbol to the power of a number, or None."""
    if isinstance(tree, Operation) and tree.kind == "^" and isinstance(tree.operands[0], Symbol) and isinstance(
            tree.operands[1], Number):
        return tree.operands
    return None


def root(tree, exponent):
    """The root of a tree, as a tree. exponent: a Number."""
    return Operation("^", (tree, Operation("/", (Number(Fraction(1)), exponent))))
