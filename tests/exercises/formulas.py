"""The exercises that ask for a formula, and their right answers as a learner may write them."""

import functools

import numpy as np

from rbdlib.exercises.catalogue import all_exercises
from rbdlib.exercises.compare import computed, is_formula
from rbdlib.exercises.more import all_more
from rbdlib.verification.plain.formulas import Reference
from rbdlib.verification.trees import expression as expr
from rbdlib.verification.trees.expression import Operation, postorder, symbols, to_latex, to_text

#: Every exercise with a formula for an answer, in reading order, and every additional one.
EXERCISES, MORE = (tuple(e for e in found if e.kind == "value" and is_formula(e))
                   for found in (all_exercises(), all_more()))


def notebook(exercise):
    """The number of the notebook of an exercise, as text."""
    return exercise.id.partition(".")[0]


@functools.cache
def trees(exercise):
    """The formulas of the right answer, an array."""
    return Reference(computed(exercise.reference)).entries


def as_text(array):
    """Formulas as a learner writes them on paper: alone, a list in brackets, or rows with semicolons between."""
    rows = [[to_text(x) for x in row] for row in (array if array.ndim == 2 else array.reshape(1, -1))]
    return rows[0][0] if not array.ndim else f"[{'; '.join(', '.join(row) for row in rows)}]"


def as_latex(array):
    """Formulas in LaTeX: alone, or a matrix."""
    if not array.ndim:
        return f"${to_latex(array.item())}$"
    rows = array if array.ndim == 2 else array.reshape(-1, 1)
    body = r" \\ ".join(" & ".join(map(to_latex, row)) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def wrong_signs(array):
    """The formulas with one sign changed, of an entry or of a summand of a sum in it: a list of arrays."""
    found = []
    for place in np.ndindex(array.shape):
        tree = array[place]
        changed = [_negative(tree)] if symbols(tree) else []
        for node in postorder(tree):
            for k, part in enumerate(node.operands if isinstance(node, Operation) and node.kind == "+" else ()):
                parts = (*node.operands[:k], _negative(part), *node.operands[k + 1 :])
                changed.append(_replaced(tree, node, Operation("+", parts)))
        for new in changed:
            found.append(array.copy())
            found[-1][place] = new
    return found


def _negative(tree):
    return tree.operands[0] if isinstance(tree, Operation) and tree.kind == "neg" else Operation("neg", (tree,))


def _replaced(tree, old, new):
    made = {}
    for node in postorder(tree):
        made[id(node)] = new if node is old else expr.with_children(node, [made[id(x)] for x in expr.children(node)])
    return made[id(tree)]
