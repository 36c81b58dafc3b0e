"""Which of the right equations a learner's equation of motion is meant to be, and by which factor it is multiplied.

A wrong equation can only be held against a right one if both are known: the right one is a row of H qdd + C + g = tau,
a row solved for an acceleration, or the sum or difference of two rows; the factor is found where a term of the two
agrees.
"""

import itertools

import numpy as np

from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.screening import in_floats

_NEAR = 1e-9
#: A line must agree with a right one in so many terms at least (accelerations, forces, gravity, velocities).
_LEAST = 1


class Line:
    """One equation of a `Case`, and the right equation that it is held against.

    row: the weights of the right equations, a pair (kind, array).  unit: the term in which both agree.
    """

    def __init__(self, case, index, row, unit):
        self.case, self.index, self.row, self.unit = case, index, row, unit

    def missing(self, states):
        """The part that left minus right side lacks, in states in floats, whatever their motion."""
        at = [x for state in states for x in (state, *_isolating(state, self.unit))]
        yours = _of_answer(self.case, self.index, at).reshape(len(states), -1)
        ours = np.array([_of_row(self.case, self.row, x) for x in at]).reshape(len(states), -1)
        factor = _isolated(yours) / _isolated(ours)
        return factor * ours[:, 0] - yours[:, 0]


def _isolated(rows):
    return rows[:, 1] - (rows[:, 2] if rows.shape[1] > 2 else 0)


def lines_of(case, index, most=3):
    """The likeliest `Line`s for an equation of a `Case`, the one that agrees in most terms first."""
    state = in_floats(case.states[0])
    units = _units(state)
    points = [x for unit in units for x in (*_isolating(state, unit), None)]
    at = [x for x in points if x is not None]
    yours = _terms(_of_answer(case, index, at), points)
    found = []
    for place, row in enumerate(_rows(case.system.model.nv)):
        ours = _terms(np.array([_of_row(case, row, x) for x in at]), points)
        found += _ranked(units, yours, ours, (place != index[0], place), row)
    found.sort(key=lambda entry: entry[0])
    return [Line(case, index, row, unit) for _, row, unit in found[:most]]


def _ranked(units, yours, ours, place, row):
    """(rank, row, unit) for the one factor that makes most terms of a row agree; empty if none does."""
    best = None
    for k, unit in enumerate(units):
        if abs(yours[k]) < 1e-12 or abs(ours[k]) < 1e-12:
            continue
        factor = yours[k] / ours[k]
        agree = np.abs(yours - factor * ours) <= _NEAR * (np.abs(yours) + np.abs(factor * ours))
        felt = (np.abs(yours) > 1e-12) | (np.abs(ours) > 1e-12)
        rank = (int((felt & ~agree).sum()), *place, k)
        if best is None or rank < best[0]:
            best = rank, row, unit
    return [] if best is None else [best]


def _rows(n):
    """(kind, weights) of the right equations: each of them, those solved for one acceleration, sums, differences."""
    units = np.eye(n)
    yield from (("force", row) for row in units)
    yield from (("acceleration", row) for row in units)
    for i, j in itertools.combinations(range(n) if n <= 4 else (), 2):
        yield from (("force", units[i] + sign * units[j]) for sign in (1, -1))


def _units(state):
    n = len(state.qd)
    pairs = [("velocity", i, j) for i in range(n) for j in range(i, n)] if n <= 4 else []
    return [*(("force", i) for i in range(n) if state.tau[i]), *(("acceleration", i) for i in range(n)), ("gravity",),
            *pairs]


def _isolating(state, unit):
    """The states whose difference has one term only: with and without it."""
    zero = 0 * state.qd
    rest = Altered(state, qd=zero, qdd=zero, tau=zero)
    one = np.eye(len(zero))
    match unit[0]:
        case "gravity":
            return (rest,)
        case "force":
            return Altered(rest, tau=one[unit[1]]), rest
        case "acceleration":
            return Altered(rest, qdd=one[unit[1]]), rest
    i, j = unit[1:]
    if i == j:
        return Altered(rest, qd=one[i]), rest
    return Altered(rest, qd=one[i] + one[j]), Altered(rest, qd=one[i] - one[j])


def _terms(values, points):
    """The differences of the values between the marks None in the list of points."""
    found, left = [], list(values)
    run = []
    for point in points:
        if point is None:
            found.append(run[0] - (run[1] if len(run) > 1 else 0))
            run = []
        else:
            run.append(left.pop(0))
    return np.array(found)


def _of_answer(case, index, states):
    return case.floats(case.trees[index], states)


def _of_row(case, row, state):
    """The value of a right equation, H qdd + C + g - tau = 0 or solved for accelerations, in the learner's coordinates.
    """
    kind, weights = row
    residual = rnea(state.model, state.q, state.qd, state.qdd) - state.tau
    M = case.responses.M
    if kind == "acceleration":
        return weights @ (M @ solve_linear(crba(state.model, state.q), residual))
    return weights @ (np.linalg.inv(M).T @ residual)
