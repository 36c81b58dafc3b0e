"""Lagrange multipliers in wrong equations of motion: the values with which most of the equations hold.

A multiplier is an unknown, whose sign and unit are the learner's. If one of four equations with two multipliers is
wrong, the others still say what these are; or they are those of the right equations, but for their signs.
"""

import itertools

import numpy as np

from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.meaning.aliases import compact
from rbdlib.verification.meaning.answer_lines import is_multiplier
from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.mechanics.quantities import multipliers
from rbdlib.verification.reasons.screening import quietly
from rbdlib.verification.trees.expression import evaluate

#: Ways of choosing the values that are compared.
_MOST = 400


@once_for_each
def free_multipliers(case):
    """The symbols of the unknowns in the equations of a `Case`, a tuple."""
    vocabulary = case.vocabulary
    if case.quantity.compare != "equations" or not case.equations:
        return ()
    return tuple(s for s in case.used if compact(s.name) in vocabulary.unknowns or not vocabulary.knows(s)
                 or is_multiplier(s) and s.name not in vocabulary.names.parameters)


@once_for_each
def values_of_multipliers(case, state):
    """{symbol: value} in a state."""
    return dict(zip(free_multipliers(case), _values(case, _way(case), state), strict=True))


@once_for_each
def _linear(case, state):
    """The residuals without multipliers (n), and how they change with each (n x number of multipliers)."""
    free, zero = free_multipliers(case), 0 * state.q[0]
    known = case.without_multipliers(state, tuple(s for s in case.used if s not in free))

    def residuals(one):
        at = known | {s: zero + (s == one) for s in free}
        return np.array([evaluate(tree, at) for tree in case.trees.values()], dtype=object)

    rest = residuals(None)
    return rest, np.array([residuals(s) - rest for s in free], dtype=object).T


@once_for_each
def _way(case):
    """("own", places, signs) or ("rows", places, ()): that with which most equations hold."""
    state, count = case.states[0], len(free_multipliers(case))
    rest, slopes = _linear(case, state)
    ways = [("rows", rows, ()) for rows in itertools.combinations(range(len(rest)), count)]
    if case.system.model.loops:
        places = itertools.permutations(range(len(multipliers(state))), count)
        ways = [*(("own", chosen, signs) for chosen in places for signs in itertools.product((1, -1), repeat=count)),
                *ways]
    best: tuple = ("none", (), ())
    most = -1
    for way in ways[:_MOST]:
        found = quietly(_values, case, way, state)
        holding = -1 if found is None else int((abs(rest + slopes @ found) <= 1e-20 * (1 + abs(rest))).sum())
        if holding > most:
            best, most = way, holding
    return best


def _values(case, way, state):
    (kind, places, signs), (rest, slopes) = way, _linear(case, state)
    if kind == "own":
        return np.array(signs) * multipliers(state)[list(places)]
    if kind == "rows":
        return solve_linear(slopes[list(places)], -rest[list(places)])
    return np.zeros(len(free_multipliers(case)), dtype=object)
