"""Answers with names for whole vectors and matrices: M(q) qdd + C(q, qd) qd + g(q) = tau, with M = [...] beside it."""

from dataclasses import replace

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.notation import matrices
from rbdlib.verification.trees import nodes
from rbdlib.verification.trees.nodes import Equation, Matrix, Operation, Symbol, children, fold, postorder, symbols

#: Names for all coordinates together, and for all joint forces.
_COORDINATES = ("q", "theta", "Theta", "vartheta")
_FORCES = ("tau", "u", "Q")


def written_out(trees, vocabulary):
    """The trees of an answer with names of vectors and matrices replaced by these, so that only scalars have names.

    A name that the answer sets equal to a matrix is that matrix wherever else it stands; q and tau are the columns of
    all coordinates and joint forces if they name no single one. Definitions that were used go. Raises
    `matrices.DoesNotFit`, a ValueError.
    """
    elsewhere = set().union(*(symbols(tree) for tree in trees if not _names_a_matrix(tree)))

    def is_used(tree):
        return _names_a_matrix(tree) and tree.left in elsewhere

    matrix_of = _columns(trees, vocabulary) | {tree.left: tree.right for tree in filter(is_used, trees)}
    return [part for tree in trees if not is_used(tree) for part in _entries(_filled(tree, matrix_of, vocabulary))]


def _names_a_matrix(tree):
    return isinstance(tree, Equation) and isinstance(tree.left, Symbol) and isinstance(tree.right, Matrix)


def _filled(tree, matrix_of, vocabulary):
    """A tree with matrices for their names; g, which is a number, too, only beside other names of that kind."""
    vectors = {name: matrix_of[name] for name in symbols(tree) & set(matrix_of)}
    if all(name.name in vocabulary.names.own for name in vectors):
        vectors = {}
    if vectors or _waits(tree):
        tree = _replaced(tree, vectors)
    return _with_all_forces(tree, vocabulary.names.model.nv)


def _entries(tree):
    """The equations of the entries where a column of names is set equal to one of formulas; else the tree alone."""
    if not (isinstance(tree, Equation) and isinstance(tree.left, Matrix) and isinstance(tree.right, Matrix)):
        return [tree]
    names = children(tree.left)
    if tree.left.shape != tree.right.shape or not all(isinstance(name, Symbol) for name in names):
        return [tree]
    return [Equation(a, b, span=b.span) for a, b in zip(names, children(tree.right), strict=True)]


def _waits(tree):
    """True if matrices in a tree are still to be combined."""
    return any(isinstance(node, Operation) and any(isinstance(part, Matrix) for part in node.operands)
               for node in postorder(tree))


def _columns(trees, vocabulary):
    """{name: column} for all coordinates or forces, if the answer has matrices."""
    if not any(isinstance(node, Matrix) for tree in trees for node in postorder(tree)):
        return {}
    used = set().union(*map(symbols, trees))
    return {symbol: column for symbol in used if (column := _column(symbol, vocabulary))}


def _with_all_forces(tree, n):
    """An equation of a column and tau, in which tau stands for all joint forces whatever it is elsewhere."""
    if isinstance(tree, Equation) and isinstance(tree.left, Matrix) and tree.left.shape == (n, 1) and n > 1 and (
            isinstance(tree.right, Symbol) and tree.right.name in _FORCES and not tree.right.dots):
        return replace(tree, right=_forces(n))
    return tree


def _forces(n):
    return Matrix(tuple((Symbol(f"tau{i}"),) for i in range(1, n + 1)))


def _column(symbol, vocabulary):
    """The column of symbols for which a name stands that is no single coordinate or force; None if it is none."""
    names = vocabulary.names
    if len(names.q) < 2 or vocabulary.knows(symbol) or compact(symbol.name) in vocabulary.definitions:
        return None
    if symbol.name in _COORDINATES:
        parts = vocabulary.coordinates() or [Symbol(name) for name in names.q]
        return Matrix(tuple((replace(part, dots=symbol.dots),) for part in parts))
    if symbol.name in _FORCES and not symbol.dots:
        return _forces(names.model.nv)
    return None


def _replaced(tree, replacements):
    """The tree with symbols replaced by matrices, and what is made of them carried out."""
    def rule(node, parts):
        match node:
            case Symbol():
                return replacements.get(node, node)
            case Operation(kind="^") if parts[1] == Symbol("T") and isinstance(parts[0], Matrix):
                return matrices.transposed(parts[0])
            case Operation():
                made = matrices.operation(node.kind, parts, node.span)
                single = isinstance(made, Matrix) and made.shape == (1, 1)
                return made.rows[0][0] if single else made
            case nodes.Function():
                return matrices.function(node.name, parts, node.span)
            case Matrix() if any(isinstance(part, Matrix) for part in parts):
                return node                             # g = [m*g*l, ...]: the number g inside of the vector g
        return nodes.with_children(node, parts)

    return fold(tree, rule)
