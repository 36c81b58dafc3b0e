"""Names of the learner's own in an answer: p = m*l, L = T - V in dL/dq1, M = [...] beside M qdd = tau."""

import itertools
from collections import namedtuple
from dataclasses import replace
from fractions import Fraction

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.notation import matrices
from rbdlib.verification.trees import expression
from rbdlib.verification.trees.calculus import differentiate
from rbdlib.verification.trees.expression import Derivative, Equation, Function, Matrix, Number, Operation, Symbol
from rbdlib.verification.trees.nodes import ONE, ZERO, derivative, fold, postorder, substitute, symbols, with_children


class Definition(namedtuple("Definition", "name tree by")):
    """A name and what it stands for. Names in ``tree`` are the model's if ``by`` is "given", else the learner's."""


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
    """(symbol, exponent) of a tree that is a symbol without dots to the power of a number, or None."""
    match tree:
        case Operation(kind="^", operands=(Symbol(dots=0), Number())):
            return tree.operands
    return None


def root(tree, exponent):
    """The root of a tree, as a tree. exponent: a Number."""
    return Operation("^", (tree, Operation("/", (ONE, exponent))))


def solved(residual, unknown):
    """The tree for an unknown Symbol that makes a residual zero, or None: it must be linear in it or in one power."""
    powers = {node for node in postorder(residual) if (found := as_power(node)) and found[0] == unknown}
    exponent, inner = ONE, unknown
    if len(powers) == 1:
        (power,) = powers
        exponent, inner = power.operands[1], Symbol(f"{unknown.name}_power")
        residual = substitute(residual, {power: inner})
    slope = differentiate(residual, inner)
    if {unknown, inner} & symbols(slope) or (inner != unknown and unknown in symbols(residual)):
        return None
    tree = Operation("neg", (Operation("/", (substitute(residual, {inner: ZERO}), slope)),))
    return tree if exponent == ONE else root(tree, exponent)


# Derivatives of names

_ENERGIES = ("L", "T", "V", "U", "K", "E", "P", "W")


def put_into_derivatives(trees, vocabulary):
    """The trees with the names that are differentiated, such as L in dL/dq1, replaced by what the answer says they are.

    Raises ValueError where the answer does not say it.
    """
    known = {tree.left: tree.right for tree in trees if isinstance(tree, Equation) and isinstance(tree.left, Symbol)
             and not tree.left.dots and not isinstance(tree.right, Matrix)}
    used = set()

    def rule(node, parts):
        changed = with_children(node, parts)
        if not isinstance(changed, Derivative):
            return changed
        of = changed.of
        for _ in range(8):                              # names, and the names in what they stand for
            names = symbols(of) & set(known)
            used.update(names)
            of = substitute(of, {name: known[name] for name in names}) if names else of
        if isinstance(of, Symbol) and changed.by not in ("t", of) and not (
                vocabulary.knows(of) and of.name not in _ENERGIES):
            raise ValueError(f"Your answer has a derivative of {of.name}, but does not say what {of.name} is. Add "
                             f"a line '{of.name} = ...'.")
        return with_children(changed, [of])

    made = [fold(tree, rule) for tree in trees if not _is_heading(tree, trees, known)]
    energies = {name for name in used if name.name in _ENERGIES}
    return [tree for tree in made if not (isinstance(tree, Equation) and tree.left in energies)]


def _is_heading(tree, trees, known):
    """True if an equation only says of which rule others are the result: d/dt dL/dq1' - ... = a = 0, or Lagrange's."""
    others = [other for other in trees if isinstance(other, Equation) and other is not tree]
    if not isinstance(tree, Equation) or not others:
        return False
    if any(tree.right == other.left for other in others):
        return any(isinstance(node, Derivative) and isinstance(node.of, Symbol) and node.of.name in _ENERGIES
                   and node.of not in known for node in postorder(tree.left))
    return _is_lagrange(tree, known) and not all(_is_lagrange(other, known) for other in others)


def _is_lagrange(tree, known):
    """True for Lagrange's equation of energies L, or T and V, that nobody has said: it is so whatever they are."""
    by = []

    def rule(node, parts):                               # 7, 3 and 2 for the derivatives: what comes of them is 4 or 6
        match node:
            case Derivative(of=Derivative(of=Symbol() as energy, by=Symbol(dots=1) as x), by="t"):
                value = 7
            case Derivative(of=Symbol() as energy, by=Symbol(dots=0) as x):
                value = 3 if energy.name in "LT" else 2
            case _:
                return with_children(node, parts)
        if energy.name not in "LTVU" or energy in known:
            return with_children(node, parts)
        by.append(x.name)
        return Number(Fraction(value))

    sides = [fold(side, rule) for side in tree.parts]
    rest = set().union(*map(symbols, sides))
    if len({*by}) != 1 or any(s.dots for s in rest) or any(
            isinstance(node, (Derivative, Matrix)) for side in sides for node in postorder(side)):
        return False
    left, right = (expression.evaluate(side, dict.fromkeys(rest, 0)) for side in sides)
    return abs(left - right) == {2: 4, 3: 6}.get(len(by))


# Names of whole vectors and matrices

#: Names for all coordinates together, and for all joint forces.
_COORDINATES = ("q", "theta", "Theta", "vartheta")
_FORCES = ("tau", "u", "Q")


def written_out(trees, vocabulary):
    """The trees of an answer with names of vectors and matrices replaced by these, so that only scalars have names.

    A name that the answer sets equal to a matrix is that matrix wherever else it stands; q and tau are the columns of
    all coordinates and joint forces if they name no single one. Definitions that were used go. Raises
    `matrices.DoesNotFit`, a ValueError.
    """
    columns = _numbered(trees, vocabulary)
    named = [tree for tree in trees if isinstance(tree, Equation) and isinstance(tree.left, Symbol)
             and isinstance(tree.right, Matrix) and tree.left not in columns]
    elsewhere = {name for tree in trees if tree not in named for symbol in symbols(tree)
                 for name in (symbol, replace(symbol, dots=0))}
    used, matrix_of = [tree for tree in named if tree.left in elsewhere], {}
    if any(isinstance(node, Matrix) for tree in trees for node in postorder(tree)):
        matrix_of = {symbol: column for symbol in set().union(*map(symbols, trees))
                     if (column := _column(symbol, vocabulary))}
    matrix_of |= {tree.left: tree.right for tree in used} | columns
    for tree in trees:                                  # h = C q' + G, where C and G are such matrices
        if _names_something_used(tree, trees, vocabulary) and symbols(tree.right) & (matrix_of.keys() - {tree.left}):
            matrix = with_matrices(tree.right, matrix_of)
            if isinstance(matrix, Matrix):
                matrix_of[tree.left] = matrix
                used.append(tree)
    for name in {name for tree in trees for name in symbols(tree)} - matrix_of.keys():     # r', where r = [x, y]
        if matrix := matrix_of.get(replace(name, dots=0)):
            matrix_of[name] = derivative(matrix, times=name.dots)
    return [part for tree in trees if tree not in used for part in _filled(tree, matrix_of, vocabulary)]


def _numbered(trees, vocabulary):
    """{z, z': columns of z_1, ..., z_n} of a state z, whose entries given defines: z' = [...], and z' = A z + B u."""
    matrix_names, columns = {tree.left for tree in trees if isinstance(getattr(tree, "right", None), Matrix)}, {}
    for tree in trees:
        if not isinstance(tree, Equation) or not isinstance(tree.left, Symbol):
            continue
        name = tree.left.name
        count = next(n for n in itertools.count() if compact(f"{name}{n + 1}") not in vocabulary.definitions)
        vector = symbols(tree.right) & matrix_names or any(isinstance(node, Matrix) for node in postorder(tree.right))
        if tree.left.dots == 1 and count > 1 and vector and compact(name) not in vocabulary.definitions:
            columns |= {Symbol(name, dots): Matrix(tuple((Symbol(f"{name}_{n}", dots),) for n in range(1, count + 1)))
                        for dots in (0, 1)}
    return columns


def _names_something_used(tree, trees, vocabulary):
    """True if an equation says what a name is that the model has not and that other equations use."""
    return (isinstance(tree, Equation) and isinstance(tree.left, Symbol) and not vocabulary.knows(tree.left)
            and any(replace(name, dots=0) == tree.left for other in trees if other is not tree
                    for name in symbols(other)))


def _filled(tree, matrix_of, vocabulary):
    """A tree with matrices for names, a list: entry by entry if a column of names is set equal to one of formulas."""
    vectors = {name: matrix_of[name] for name in symbols(tree) & set(matrix_of)}
    if all(name.name in vocabulary.names.own for name in vectors):          # g is a vector only beside others
        vectors = {}
    waits = any(isinstance(node, Operation) and any(isinstance(part, Matrix) for part in node.operands)
                for node in postorder(tree))
    tree = with_matrices(tree, vectors) if vectors or waits else tree
    if not isinstance(tree, Equation) or not isinstance(tree.left, Matrix):
        return [tree]
    (left, right), n = tree.parts, vocabulary.names.model.nv
    if left.shape == (n, 1) and n > 1 and right in [*map(Symbol, _FORCES)]:     # whatever the name is elsewhere
        right = _forces(n)
    if getattr(right, "shape", None) == left.shape and all(isinstance(name, Symbol) for name in left.parts):
        return [Equation(a, b, span=b.span) for a, b in zip(left.parts, right.parts, strict=True)]
    return [replace(tree, right=right)]


def _forces(n):
    return Matrix(tuple((Symbol(f"tau{i}"),) for i in range(1, n + 1)))


def _column(symbol, vocabulary):
    """The column of symbols for which a name stands that is no single coordinate or force; None if it is none."""
    names = vocabulary.names
    if len(names.q) < 2 or vocabulary.knows(symbol) or compact(symbol.name) in vocabulary.definitions:
        return None
    parts = vocabulary.coordinates() or [Symbol(names.called.get(name, name)) for name in names.q]
    numbered = [compact(part.name) for part in parts] == [f"{symbol.name}{n}" for n in range(1, len(parts) + 1)]
    if symbol.name in _COORDINATES or numbered:
        return Matrix(tuple((replace(part, dots=symbol.dots),) for part in parts))
    return _forces(names.model.nv) if symbol.name in _FORCES and not symbol.dots else None


def with_matrices(tree, replacements):
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
            case Function():
                return matrices.function(node.name, parts, node.span)
            case Matrix() if any(isinstance(part, Matrix) for part in parts):
                return node                             # g = [m*g*l, ...]: the number g inside of the vector g
        return with_children(node, parts)

    return fold(tree, rule)
