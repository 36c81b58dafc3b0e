"""Equations in the learner's coordinates may mean his forces or the model's: both are tried where they are wrong."""

from dataclasses import replace

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.trees.expression import symbols

#: How a note of `equations` says that tau are the forces in the learner's coordinates.
OWN_FORCES = "belong to your coordinates"


def has_own_forces(decision):
    """True if a `Decision` took tau for the forces in the learner's coordinates."""
    return any(OWN_FORCES in note for note in decision.notes)


def own_forces(vocabulary, new, state, forces):
    """Forces (nv) of the model's coordinates in the learner's, y with yd = A qd: A^-T forces. new: the symbols y."""
    A, _ = vocabulary.jacobian(new, state)
    return solve_linear(A, np.eye(len(A), dtype=object) + 0 * A).T @ forces


def with_model_forces(case):
    """The `Decision` of a `Case` with tau taken for the model's forces; None if that makes no difference."""
    decision = case.decision
    if not case.equations or case.quantity.compare != "equations" or not has_own_forces(decision):
        return None
    present = case.vocabulary.own_symbols({s for tree in case.trees.values() for s in symbols(tree)})
    states = []
    for state in decision.states:
        tau = state.tau.copy()
        for i in range(len(tau)):
            tau[i] = tau[i] if f"tau{i + 1}" in present else 0 * tau[i]
        states.append(state.with_forces(tau))
    notes = tuple(note for note in decision.notes if OWN_FORCES not in note)
    return replace(decision, states=tuple(states), notes=notes)
