"""The exercises that ask for a formula, and their right answers as a learner may write them."""

import functools

import numpy as np

from rbdlib.exercises.catalogue import all_exercises
from rbdlib.exercises.compare import computed, is_formula
from rbdlib.verification.plain.formulas import Reference
from rbdlib.verification.trees.expression import (
    Operation,
    children,
    postorder,
    symbols,
    to_latex,
    to_text,
    with_children,
)

#: Every exercise with a formula for an answer, in reading order.
EXERCISES = tuple(e for e in all_exercises() if e.kind == "value" and is_formula(e))


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
        if symbols(tree):
            changed = array.copy()
            changed[place] = tree.operands[0] if _is_negative(tree) else Operation("neg", (tree,))
            found.append(changed)
        for node in postorder(tree):
            for k, part in enumerate(node.operands if isinstance(node, Operation) and node.kind == "+" else ()):
                new = part.operands[0] if _is_negative(part) else Operation("neg", (part,))
                parts = (*node.operands[:k], new, *node.operands[k + 1 :])
                changed = array.copy()
                changed[place] = _replaced(tree, node, Operation("+", parts))
                found.append(changed)
    return found


def _is_negative(tree):
    return isinstance(tree, Operation) and tree.kind == "neg"


def _replaced(tree, old, new):
    made = {}
    for node in postorder(tree):
        made[id(node)] = new if node is old else with_children(node, [made[id(x)] for x in children(node)])
    return made[id(tree)]
