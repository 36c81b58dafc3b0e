"""Is an identity, "lhs == rhs", true in every state?"""

import functools
from typing import Any

import mpmath
import numpy as np

from rbdlib.verification.decision.decision import Entry
from rbdlib.verification.meaning.answer_lines import BadAnswer, symbols_in_order
from rbdlib.verification.mechanics.basics import once_for_each
from rbdlib.verification.mechanics.quantities import bias, gravity_forces, inertia, kinetic, potential, velocity_terms
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.trees.expression import Undefined, evaluate


def decide_identity(trial):
    """The `Decision` about "lhs == rhs", in which T, V, L, E, H11, C1, g1 may stand for the right values."""
    (tree,) = trial.trees
    trial.array = None
    left, right = map(trial.vocabulary.carried_out, (tree.left, tree.right))
    decide = functools.partial(_identity_at, trial, left, right)
    return trial.confirmed(decide([*trial.states(count=1, decimals=1, seed=trial.seed + 7), *trial.states()]), decide)


def _identity_at(trial, left, right, states):
    used, turn = symbols_in_order([left, right]), 2 * mpmath.pi
    turns = trial.system.model.loops and not trial.is_smooth()      # inverse functions give angles but for whole turns
    for state in states:
        values = known_values(state)
        rates = [s for s in used if s.dots == 1 and s.name in values and s.name not in trial.vocabulary.names.own]
        known = trial.vocabulary.values(state, tuple(s for s in used if s not in rates), values)
        known |= {s: _rate_of_change(state, s.name) for s in rates}                 # T', H11' and their like
        try:
            yours, ours = evaluate(left, known), evaluate(right, known)
        except Undefined as error:
            raise BadAnswer(f"Your identity cannot be evaluated: {error}") from None
        off = yours - ours
        off -= turn * round(off / turn) if turns else 0
        if abs(off) > trial.tolerance * max(abs(yours), abs(ours), 1):
            return trial.decision(False, states, equations=((left, right, 1),), counterexample=state,
                                  entries=(Entry((), False, yours, ours),))
    return trial.decision(True, states, equations=((left, right, 1),), entries=(Entry((), True),))


def _rate_of_change(state, name):
    """The time derivative of one of `known_values`, by a central difference so fine that its error does not count."""
    with mpmath.workdps(3 * mpmath.mp.dps):
        h = mpmath.mpf(10) ** -(mpmath.mp.dps // 3)
        after, before = (Altered(state, q=state.model.integrate(state.q, state.qd, dt),
                                 qd=state.qd + dt * state.qdd) for dt in (h, -h))
        return (known_values(after)[name] - known_values(before)[name]) / (2 * h)


@once_for_each
def known_values(state):
    """Values by name of what identities may be about, T, V, L, E, H11.., C1.., g1.., bias1..: see `KnownValues`."""
    numbers = range(1, state.model.nv + 1)
    energies = {"T": kinetic, "V": potential, "L": lambda state: np.array(kinetic(state) - potential(state)),
                "E": lambda state: np.array(kinetic(state) + potential(state))}
    found = KnownValues({name: (value, ()) for name, value in energies.items()})
    found.update({f"H{i}{j}": (inertia, (i - 1, j - 1)) for i in numbers for j in numbers})
    for letter, value in (("C", velocity_terms), ("g", gravity_forces), ("bias", bias)):
        found.update({f"{letter}{i}": (value, (i - 1,)) for i in numbers})
    found.state = state
    return found


class KnownValues(dict):
    """{name: (function of a state, place)}, giving the values in ``state``: what is not asked for is not computed."""

    state: Any = None

    def __getitem__(self, name):
        value, place = super().__getitem__(name)
        return value(self.state)[place]
