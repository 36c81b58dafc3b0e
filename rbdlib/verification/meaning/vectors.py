"""Answers with names for whole vectors and matrices: M(q) qdd + C(q, qd) qd + g(q) = tau, with M = [...] beside it."""

from dataclasses import replace

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.notation import matrices
from rbdlib.verification.trees.nodes import (
    Equation,
    Function,
    Matrix,
    Operation,
    Symbol,
    children,
    postorder,
    symbols,
    with_children,
)

#: Names for all coordinates together, and for all joint forces.
_COORDINATES = ("q", "theta", "Theta", "vartheta")
_FORCES = ("tau", "u", "Q")


def written_out(trees, vocabulary):
    """The trees of an answer with names of vectors and matrices replaced by these, so that only scalars have names.

    A name that the answer sets equal to a matrix is that matrix wherever else it stands; q and tau are the columns of
    all coordinates and joint forces if they name no single one. Definitions that were used go. Raises
    `matrices.DoesNotFit`, a ValueError.
    """
    trees = list(trees)
    matrix_of = {tree.left: tree.right for tree in trees if _names_a_matrix(tree)}
    used = {name for name in matrix_of for tree in trees if not _names_a_matrix(tree) and name in symbols(tree)}
    matrix_of = {name: matrix_of[name] for name in used}
    columns = _columns(trees, vocabulary)
    left = [tree for tree in trees if not (_names_a_matrix(tree) and tree.left in used)]
    return [part for tree in left for part in _entries(_filled(tree, matrix_of, columns, vocabulary))]


def _names_a_matrix(tree):
    return isinstance(tree, Equation) and isinstance(tree.left, Symbol) and isinstance(tree.right, Matrix)


def _filled(tree, matrix_of, columns, vocabulary):
    """A tree with matrices for their names; g, which is a number, too, only beside other names of that kind."""
    found = symbols(tree)
    vectors = {name: matrix for name, matrix in {**columns, **matrix_of}.items() if name in found}
    numbers = {name for name in vectors if name.name in vocabulary.names.own}
    if set(vectors) == numbers:
        vectors = {}
    if vectors or _waits(tree):
        tree = _replaced(tree, vectors)
    return _with_all_forces(tree, vocabulary.names.model.nv)


def _entries(tree):
    """The equations of the entries where a column of names is set equal to one of formulas; else the tree alone."""
    if not (isinstance(tree, Equation) and isinstance(tree.left, Matrix) and isinstance(tree.right, Matrix)):
        return [tree]
    left, right = ([x for row in side.rows for x in row] for side in (tree.left, tree.right))
    if tree.left.shape != tree.right.shape or not all(isinstance(x, Symbol) for x in left):
        return [tree]
    return [Equation(a, b, span=b.span) for a, b in zip(left, right, strict=True)]


def _waits(tree):
    """True if matrices in a tree are still to be combined."""
    return any(isinstance(node, Operation) and any(isinstance(part, Matrix) for part in node.operands)
               for node in postorder(tree))


def _columns(trees, vocabulary):
    """{name: column} for all coordinates or forces, if the answer has matrices."""
    if not any(isinstance(node, Matrix) for tree in trees for node in postorder(tree)):
        return {}
    used = {symbol for tree in trees for symbol in symbols(tree)}
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
    new = {}
    for node in postorder(tree):
        parts = [new[id(child)] for child in children(node)]
        match node:
            case Symbol():
                new[id(node)] = replacements.get(node, node)
            case Operation(kind="^") if parts[1] == Symbol("T") and isinstance(parts[0], Matrix):
                new[id(node)] = matrices.transposed(parts[0])
            case Operation():
                made = matrices.operation(node.kind, parts, node.span)
                single = isinstance(made, Matrix) and made.shape == (1, 1)
                new[id(node)] = made.rows[0][0] if single else made
            case Function():
                new[id(node)] = matrices.function(node.name, parts, node.span)
            case Matrix() if any(isinstance(part, Matrix) for part in parts):
                new[id(node)] = node                # g = [m*g*l, ...]: the number g inside of the vector g
            case Matrix():
                rows = [parts[i : i + node.shape[1]] for i in range(0, len(parts), node.shape[1])]
                new[id(node)] = matrices.from_rows(rows, node.span)
            case _:
                new[id(node)] = with_children(node, parts)
    return new[id(tree)]
