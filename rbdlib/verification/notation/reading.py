"""Answers of all kinds, read into trees: text, LaTeX, SymPy, numbers, lists and arrays, or a Python function.

Text is read by a grammar and never evaluated; `parser` says how what is ambiguous is decided. Every input is bounded in
length, depth and digits, so that a hostile one is refused at once.
"""

import functools
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from rbdlib.verification.notation import brackets, matrices
from rbdlib.verification.notation.parser import Parser
from rbdlib.verification.notation.sympy_reading import from_sympy, number_tree
from rbdlib.verification.notation.texts import Unreadable
from rbdlib.verification.notation.tokens import Tokens
from rbdlib.verification.notation.unit_names import quantity_tree
from rbdlib.verification.trees.names import canonical
from rbdlib.verification.trees.nodes import Equation, Matrix, Node, fold, with_children

MOST_LISTS, MOST_LINES = 3, 500


@dataclass(frozen=True)
class Answer:
    """An answer that was read.

    trees: a tree for each formula or equation; a matrix or vector given row by row is one `Matrix`, and "a = b = c" is
    two equations.  function: the Python function, if that was the answer; then there are no trees.
    source: the text in which the places of the trees are.  notes: pairs (place, sentence) on how ambiguous places were
    read.
    """

    trees: tuple
    function: Any = None
    source: str = ""
    notes: tuple = ()


def read(answer, names=None):
    """The `Answer` that a learner hands in.

    Parameters: answer, one of
      text       plain or LaTeX, of one line or several: formulas, equations, rows of a matrix
      SymPy      an expression, an equation, a matrix
      a number, a list, tuple or array of any of these (nested for a matrix), a dict {name: formula} of equations
      a function of numbers, which is kept as it is
    names, the names of symbols that exist, which tell where a run of letters is a product; None if they are not known.
    Raises `Unreadable`, a ValueError, with the place and what to do.
    """
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, str):
        return _text(answer, None if names is None else frozenset(names))
    if isinstance(answer, type):
        name = answer.__name__[:40]
        raise Unreadable(f"Your answer is {name} without its argument. Write {name}(...).")
    try:
        if isinstance(answer, dict):
            return _joined([_definition(name, formula, names) for name, formula in answer.items()])
        if isinstance(answer, (list, tuple, np.ndarray)):
            return _listed(answer, names, 0)
        if callable(answer) and not _is_sympy(answer):
            return Answer((), function=answer)
        return Answer((_single(answer, names),))
    except Unreadable:
        raise
    except ValueError as error:                            # TooLarge, DoesNotFit, what SymPy has and a formula has not
        raise Unreadable(str(error)) from None
    except RecursionError:
        raise Unreadable("Your answer is nested too deeply. Simplify it first.") from None


# Text


@functools.lru_cache(100)                                  # the report asks for the places in the same text once more
def _text(source, names):
    if not source.strip():
        raise Unreadable("Your answer is empty. Write a formula, such as m*g*l*sin(q1).")
    tokens = Tokens(source, names)
    parser, lines = Parser(tokens), []
    while True:
        while parser.next.kind == "newline" or parser.sees("⇒", ",", ";", "."):
            parser.take()
        if parser.next.kind == "stop":
            break
        if len(lines) == MOST_LINES:
            parser.refuse(f"Your answer has more than {MOST_LINES} lines. Give one quantity at a time.")
        lines.append(_line(parser))
    if not lines:
        raise Unreadable("Your answer has no formula. Write one, such as m*g*l*sin(q1).", source, 0)
    trees = _combined(parser, lines)
    for tree in trees:
        parser.refuse_lonely(tree)
    return Answer(trees, source=source, notes=(*tokens.notes, *parser.notes))


def _line(parser):
    """One line: (rows of formulas, where it begins) or (a list of equations and formulas, None)."""
    first, rows, equations = parser.at, [[]], False
    parser.takes("=")
    while parser.next.kind not in ("newline", "stop") or not rows[0]:
        sides = [parser.entry()]
        while parser.takes("="):                        # a chain a = b = c
            sides.append(parser.sum())
        equations = equations or len(sides) > 1
        rows[-1] += sides if len(sides) == 1 else [
            Equation(a, b, span=(a.span[0], b.span[1]) if a.span and b.span else None) for a, b in pairwise(sides)]
        if parser.sees(","):
            brackets.refuse_decimal_comma(parser, parser.at)
            parser.take()
        elif parser.takes(";"):
            if parser.next.kind not in ("newline", "stop"):
                rows.append([])
        elif parser.sees("⇒"):
            break
        elif parser.sees(".") and parser.tokens[parser.at + 1].kind in ("newline", "stop"):
            parser.take()
        elif parser.next.kind not in ("newline", "stop"):
            parser.unexpected()
    return ([tree for row in rows for tree in row], None) if equations else (rows, first)


def _combined(parser, lines):
    """The trees of all lines; rows of formulas become one matrix."""
    if all(first is not None for _, first in lines):
        rows = [row for line, _ in lines for row in line]
        if len(rows) > len(lines) or any(len(row) > 1 for row in rows):
            return (brackets.rows_to_matrix(parser, rows, lines[0][1]),)
        columns = [row[0].shape if isinstance(row[0], Matrix) and row[0].shape[1] == 1 else None for row in rows]
        if len(lines) > 1 and None not in columns and len({*columns}) == 1:
            return (brackets.rows_to_matrix(parser, [[row[0] for row in rows]], lines[0][1]),)
    trees = []
    for line, first in lines:
        trees += line if first is None else [
            row[0] if len(row) == 1 else brackets.rows_to_matrix(parser, [row], first) for row in line]
    return tuple(trees)


# Everything else


def _is_sympy(x):
    return any((kind.__module__ or "").partition(".")[0] == "sympy" for kind in type(x).__mro__)


def _single(x, names):
    """The tree of one object that is neither text nor a list."""
    if isinstance(x, Node):
        return x
    if _is_sympy(x):
        return from_sympy(x, frozenset(map(canonical, names or ())))
    if hasattr(x, "dimensionality") and (tree := quantity_tree(x)) is not None:
        return tree
    if isinstance(x, np.generic):
        x = x.item()
    odd = isinstance(x, (complex, bool, bytes))
    if odd or not isinstance(x, Real) and not hasattr(x, "_mpf_"):
        shown = f"{str(x)[:30]!r}" if odd else f"an object of type {type(x).__name__[:40]}"
        raise Unreadable(f"Your answer contains {shown}, which is no formula and no real number. Give text, SymPy, "
                         "numbers, or a list of these.")
    return number_tree(x)


def _listed(entries, names, depth):
    """The answer for a list: of formulas, a vector; of lists, a matrix; of equations, all of them."""
    if depth == MOST_LISTS:
        raise Unreadable("Your answer is a list of lists of lists. Give a matrix as a list of rows.")
    if isinstance(entries, np.ndarray):
        entries = entries.tolist() if entries.ndim and entries.size <= matrices.MOST_ENTRIES else [*entries.flat][:2501]
    if len(entries) > matrices.MOST_ENTRIES:
        raise Unreadable(f"Your answer is a list of more than {matrices.MOST_ENTRIES} entries.")
    answers = [_listed(x, names, depth + 1) if isinstance(x, (list, tuple, np.ndarray)) else read(x, names)
               for x in entries]
    if any(answer.function for answer in answers):
        raise Unreadable("Your answer is a list with functions in it. Give one function that returns a list.")
    joined = _joined(answers)
    if any(isinstance(tree, Equation) for tree in joined.trees) or any(len(answer.trees) > 1 for answer in answers):
        return joined
    vectors = all(isinstance(tree, Matrix) and 1 in tree.shape for tree in joined.trees)
    rows = [tree.parts if vectors else [tree] for tree in joined.trees]
    return replace(joined, trees=(matrices.from_rows(rows),))


def _definition(name, formula, names):
    names = {*(names or ()), name} if str(name).isidentifier() else names
    left, right = read(name, names), read(formula, names)
    if len(left.trees) != 1 or len(right.trees) != 1:
        raise Unreadable(f"The entry {str(name)[:30]!r} of your answer must be one name with one formula.")
    both = _joined([left, right])
    return replace(both, trees=(Equation(*both.trees),))


def _joined(answers):
    """Several answers as one, with their texts one below the other."""
    def moved(node, parts):
        new = with_children(node, parts)
        return replace(new, span=(node.span[0] + offset, node.span[1] + offset)) if node.span else new

    trees, notes, source = [], [], ""
    for answer in answers:
        offset = len(source) + 1 if source and answer.source else 0
        trees += [fold(tree, moved) for tree in answer.trees] if offset else answer.trees
        notes += [((start + offset, end + offset), note) for (start, end), note in answer.notes]
        source += ("\n" if offset else "") + answer.source
    if not trees:
        raise Unreadable("Your answer is empty. Write a formula, such as m*g*l*sin(q1).")
    return Answer(tuple(trees), source=source, notes=tuple(notes))
