"""Answers about a closed loop that hold for one of the ways in which it can be assembled.

A four-bar linkage with a given crank angle can be assembled in two ways; formulas with roots or inverse functions, such
as q2(q1), choose one of them.
"""

from dataclasses import replace

import numpy as np

from rbdlib.book.ch08_elimination import eliminate
from rbdlib.loops.closing import close_loops
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.verification.decision.certainty import is_smooth
from rbdlib.verification.meaning.answer_lines import symbols_in_order
from rbdlib.verification.mechanics.quantities import constraints
from rbdlib.verification.mechanics.states import in_floats
from rbdlib.verification.trees.expression import children, postorder

_ONE = ("It is right for one of the ways in which the loop can be assembled, the one that your roots or inverse "
        "functions choose; in the others it differs.")
_OWN = ("It is right for the way in which the loop is assembled near q = 0, the one that your roots or inverse "
        "functions choose; in the others it differs.")
_OTHER = ("With other signs of the roots it would be another way of assembling the loop: yours is right there, but not "
          "near q = 0, for which it was compared.")


def in_one_assembly(trial, decision):
    """A `Decision` that an answer is right in one assembly mode, if it is; otherwise that it is wrong.

    trial: a `decide.Trial`. The mode that counts is that of the model's closed position nearest to q = 0; where that
    position does not tell them apart, any mode will do. They are told apart by the sign of the determinant of the part
    of K that belongs to the coordinates that follow from the others: on the way from one mode to the other it is zero.
    """
    model = trial.system.model
    if decision.ok or not model.loops or trial.function or all(is_smooth(tree) for tree in trial.formulas()):
        return decision
    others = _dependent(trial, decision) if model.nq == model.nv else []
    if not 0 < len(others) < model.nv:
        return decision
    own = _own_sign(others, decision)
    first = own or 1
    found = _in_mode(trial, others, first)
    if found and found.ok:
        return replace(found, notes=(*found.notes, _OWN if own else _ONE))
    other = _in_mode(trial, others, -first)
    wrong = found if own and found else decision
    trial.assembly = None
    if not other or not other.ok:
        return wrong
    return replace(wrong, notes=(*wrong.notes, _OTHER)) if own else replace(other, notes=(*other.notes, _ONE))


def _in_mode(trial, others, sign):
    trial.assembly = _Mode(others, sign)
    try:
        return trial.decide()
    except ValueError:
        return None


def _dependent(trial, decision):
    """Places of the coordinates that follow from those under the roots, and in the inverse functions, of the answer."""
    def absent(trees):
        own = trial.vocabulary.own_symbols(symbols_in_order(trees))
        return [v for v, x in enumerate(trial.vocabulary.names.coordinates) if x.name not in own and x.rate not in own]

    rough = [node for tree in trial.formulas() for node in postorder(tree) if not is_smooth(node)
             and all(is_smooth(child) for child in children(node))]
    others = absent(rough)
    if decision.states and eliminate(constraints(decision.states[0])[0], 1e-12).rank == len(others):
        return others
    return absent(trial.trees)


def _own_sign(others, decision):
    """The mode, 1 or -1, of the closed position nearest to q = 0; 0 where the way from q = 0 leads to either."""
    model = decision.states[0].model
    start = model.neutral()
    if _sign(others, model, start) == 0:
        return 0
    try:
        return _sign(others, model, close_loops(in_floats(model), start, tolerance=1e-9))
    except ValueError:
        return 0


def _sign(others, model, q):
    K = constraints_to_rank(model, q, 0 * q)[0]
    K = K[[i for i, row in enumerate(K) if max(map(abs, row)) > 1e-25]][:, others]
    found = eliminate(K, 1e-6)
    if found.rank < len(others):
        return 0
    return int(np.sign(np.linalg.det(K[sorted(found.rows[: found.rank])].astype(float))))


class _Mode:
    """A function that tells whether a state belongs to an assembly mode. others: the dependent coordinates' places."""

    def __init__(self, others, sign):
        self.others, self.sign = others, sign

    def __call__(self, state):
        return _sign(self.others, state.model, state.q) == self.sign
