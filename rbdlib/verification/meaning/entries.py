"""Entries of a matrix by letters of the author's own: B_{11} = ..., B_{12} = B_{21} = ..., or B = [b11, b12; ...]."""

import re
from dataclasses import replace

from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.trees.nodes import Equation, Matrix, Symbol, substitute, symbols

_ENTRY = re.compile(r"([A-Za-z])(\d)(\d)")


def with_usual_letter(trees, quantity, shape, vocabulary):
    """The trees of an answer about a matrix such as H, in which this has the letter by which it is known.

    A name that is set equal to a matrix of the right shape is the whole; otherwise names with two numbers, all places
    of the matrix or those on and above or below its diagonal, are its entries.
    """
    if quantity.symbol != "H" or shape is None or len(shape) != 2 or shape[0] < 2:
        return trees
    wholes = [tree for tree in trees if isinstance(tree, Matrix) or (
        isinstance(tree, Equation) and isinstance(tree.right, Matrix) and tree.right.shape == shape)]
    if wholes:
        return [_named(tree, quantity.symbol, vocabulary) if tree is wholes[0] and len(wholes) == 1 else tree
                for tree in trees]
    lefts = [side for tree in trees if isinstance(tree, Equation) for side in (tree.left, tree.right)
             if isinstance(side, Symbol) and not side.dots and side.name not in vocabulary.names.own]
    letter = _letter_of_all(lefts, shape[0])
    if letter is None or letter == quantity.symbol:
        return trees
    used = {symbol for tree in trees for symbol in symbols(tree)}
    names = {symbol: Symbol(quantity.symbol + "".join(match.groups()[1:])) for symbol in used
             if (match := _ENTRY.fullmatch(compact(symbol.name))) and match[1] == letter and not symbol.dots}
    return [substitute(tree, names) for tree in trees]


def _named(tree, letter, vocabulary):
    own = isinstance(tree, Equation) and isinstance(tree.left, Symbol) and len(compact(tree.left.name)) == 1
    return replace(tree, left=Symbol(letter)) if own and not vocabulary.knows(tree.left) else tree


def _letter_of_all(lefts, n):
    """The letter with which all places of a symmetric matrix are named, or None."""
    places = {}
    for symbol in lefts:
        match = _ENTRY.fullmatch(compact(symbol.name))
        if match:
            places.setdefault(match[1], set()).add((int(match[2]), int(match[3])))
    wanted = {(i, j) for i in range(1, n + 1) for j in range(i, n + 1)}
    for letter, found in places.items():
        if {(min(place), max(place)) for place in found} >= wanted and max(map(max, found)) <= n:
            return letter
    return None
