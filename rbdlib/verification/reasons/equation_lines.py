"""Which of the right equations a learner's equation of motion is meant to be, and by which factor it is multiplied.

A wrong equation can only be held against a right one if both are known: the right one is a row of H qdd + C + g = tau,
a row solved for an acceleration, or the sum or difference of two rows; the factor is found where a term of the two
agrees.
"""

import functools
import itertools

import numpy as np

from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.other_coordinates import own_coordinates
from rbdlib.verification.reasons.screening import states_in_floats

_NEAR = 1e-9


def lines_of(case, index, most=3):
    """The parts that an equation lacks if it is held against the likeliest of the right ones: functions of states.

    The first is that of the right equation with which it agrees in most terms. The states are in floats, and may have
    any motion.
    """
    first = states_in_floats(case)[:1]
    units, found = _units(first[0]), []
    yours = functools.partial(case.floats, case.trees[index])
    your_terms = np.array([_term(yours, first, unit)[0] for unit in units])
    for place, row in enumerate(_rows(case.system.model.nv)):
        ours = functools.partial(_of_row, case, row)
        our_terms = np.array([_term(ours, first, unit)[0] for unit in units])
        felt = (np.abs(your_terms) > 1e-12) | (np.abs(our_terms) > 1e-12)
        ranks = []
        for k in np.flatnonzero((np.abs(your_terms) > 1e-12) & (np.abs(our_terms) > 1e-12)):
            scaled = your_terms[k] / our_terms[k] * our_terms
            agree = np.abs(your_terms - scaled) <= _NEAR * (np.abs(your_terms) + np.abs(scaled))
            ranks.append((int((felt & ~agree).sum()), k))
        if ranks:
            off, k = min(ranks)
            found.append(((off, place != index[0], place), functools.partial(_missing, yours, ours, units[k])))
    return [missing for _, missing in sorted(found, key=lambda pair: pair[0])[:most]]


def _missing(yours, ours, unit, states):
    """The part that an equation lacks in states, the right one being multiplied so that one term agrees."""
    return _term(yours, states, unit) / _term(ours, states, unit) * ours(states) - yours(states)


def _rows(n):
    """(kind, weights) of the right equations: each of them, those solved for one acceleration, sums, differences."""
    units = np.eye(n)
    yield from (("force", row) for row in units)
    yield from (("acceleration", row) for row in units)
    for i, j in itertools.combinations(range(n) if n <= 4 else (), 2):
        yield from (("force", units[i] + sign * units[j]) for sign in (1, -1))


def _units(state):
    """The terms that are compared, as lists of (1 or -1, how the state at rest changes): their sum has one term only.
    """
    one, rest = np.eye(len(state.qd)), (-1, {})
    n = range(len(one))
    pairs = [[(1, {"qd": one[i]}), rest] if i == j else [(1, {"qd": one[i] + one[j]}), (-1, {"qd": one[i] - one[j]})]
             for i in n for j in n[i:]] if len(n) <= 4 else []
    return [*([(1, {"tau": one[i]}), rest] for i in n if state.tau[i]), *([(1, {"qdd": one[i]}), rest] for i in n),
            [(1, {})], *pairs]                                                  # gravity is all that is left at rest


def _term(values, states, unit):
    """The size of one term of a function of states, in each of them."""
    zero = 0 * states[0].qd
    return sum(sign * values([Altered(state, **{"qd": zero, "qdd": zero, "tau": zero, **parts}) for state in states])
               for sign, parts in unit)


def _of_row(case, row, states):
    """The values of a right equation, H qdd + C + g - tau = 0 or solved for accelerations, in the learner's
    coordinates.
    """
    (kind, weights), (M, _) = row, own_coordinates(case)
    residuals = [rnea(state.model, state.q, state.qd, state.qdd) - state.tau for state in states]
    if kind == "acceleration":
        residuals = [solve_linear(crba(state.model, state.q), residual)
                     for state, residual in zip(states, residuals, strict=True)]
    return np.array(residuals) @ (M.T @ weights if kind == "acceleration" else np.linalg.inv(M) @ weights)
