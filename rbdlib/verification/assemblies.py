"""Answers about a closed loop that hold for one of the ways in which it can be assembled.

A four-bar linkage with a given crank angle can be assembled in two ways; formulas with roots or inverse functions, such
as q2(q1), choose one of them.
"""

from dataclasses import replace

import numpy as np

from rbdlib.constraint_solution import eliminate
from rbdlib.verification.answer_lines import symbols_in_order
from rbdlib.verification.certainty import is_smooth
from rbdlib.verification.quantities import constraints

_NOTE = ("It is right for one of the ways in which the loop can be assembled, the one that your roots or inverse "
         "functions choose; in the others it differs.")


def in_one_assembly(trial, decision):
    """A `Decision` that an answer is right in one assembly mode, if it is; otherwise the decision handed in.

    trial: a `decide.Trial`. The modes are told apart by the sign of the determinant of the part of K that belongs to
    the coordinates which the answer leaves out: on the way from one mode to the other it is zero.
    """
    model = trial.system.model
    if decision.ok or not model.loops or trial.function or all(is_smooth(tree) for tree in trial.formulas()):
        return decision
    own = trial.vocabulary.own_symbols(symbols_in_order(trial.trees))
    others = [v for v, x in enumerate(trial.vocabulary.names.coordinates) if x.name not in own and x.rate not in own]
    if model.nq != model.nv or not 0 < len(others) < model.nv:
        return decision
    for sign in (1, -1):
        trial.assembly = _Mode(others, sign)
        try:
            found = trial.decide()
        except ValueError:
            continue
        if found.ok:
            return replace(found, notes=(*found.notes, _NOTE))
    trial.assembly = None
    return decision


class _Mode:
    """A function that tells whether a state belongs to an assembly mode. others: the dependent coordinates' places."""

    def __init__(self, others, sign):
        self.others, self.sign = others, sign

    def __call__(self, state):
        K = constraints(state)[0][:, self.others]
        found = eliminate(K, 1e-12)
        if found.rank < len(self.others):
            return False
        rows = sorted(found.rows[: found.rank])
        return float(np.linalg.det(K[rows].astype(float))) * self.sign > 0
