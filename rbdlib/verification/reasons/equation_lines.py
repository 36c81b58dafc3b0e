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
    state = states_in_floats(case)[0]
    units, found = _units(state), []
    yours = functools.partial(_of_answer, case, index)
    your_terms = np.array([_term(yours, state, unit) for unit in units])
    for place, row in enumerate(_rows(case.system.model.nv)):
        ours = functools.partial(_of_row, case, row)
        our_terms = np.array([_term(ours, state, unit) for unit in units])
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
    """The part that an equation lacks in states, held against the right one that is multiplied so that one term agrees."""
    return np.array([_term(yours, state, unit) / _term(ours, state, unit) * ours(state) - yours(state)
                     for state in states])


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


def _term(value, state, unit):
    """The size of one term of a value, a function of states."""
    zero = 0 * state.qd
    rest = Altered(state, qd=zero, qdd=zero, tau=zero)
    return sum(sign * value(Altered(rest, **parts)) for sign, parts in unit)


def _of_answer(case, index, state):
    return case.floats(case.trees[index], [state])[0]


def _of_row(case, row, state):
    """The value of a right equation, H qdd + C + g - tau = 0 or solved for accelerations, in the learner's coordinates.
    """
    kind, weights = row
    residual = rnea(state.model, state.q, state.qd, state.qdd) - state.tau
    M, _ = own_coordinates(case)
    if kind == "acceleration":
        return weights @ (M @ solve_linear(crba(state.model, state.q), residual))
    return weights @ (np.linalg.inv(M).T @ residual)
