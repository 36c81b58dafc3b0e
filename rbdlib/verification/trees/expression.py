"""Formulas as a learner wrote them, and what can be done with them: see `nodes` for the tree itself.

    tree = read("m1*l1**2*q1''").trees[0]
    evaluate(tree, {Symbol("m1"): 2, Symbol("l1"): 1, Symbol("q1", 2): 3})      # 6.0
"""

from rbdlib.verification.trees.calculus import carried_out, differentiate, time_derivative
from rbdlib.verification.trees.evaluation import Undefined, evaluate
from rbdlib.verification.trees.nodes import (
    Constant,
    Derivative,
    Equation,
    Function,
    Matrix,
    Node,
    Number,
    Operation,
    Symbol,
    TooLarge,
    children,
    expanded,
    postorder,
    substitute,
    symbols,
    terms,
    with_children,
    written_size,
)
from rbdlib.verification.trees.writing import to_latex, to_text

__all__ = [
    "Constant", "Derivative", "Equation", "Function", "Matrix", "Node", "Number", "Operation", "Symbol", "TooLarge",
    "Undefined", "carried_out", "children", "differentiate", "evaluate", "expanded", "postorder",
    "substitute", "symbols", "terms", "time_derivative", "to_latex", "to_text", "with_children", "written_size",
]
