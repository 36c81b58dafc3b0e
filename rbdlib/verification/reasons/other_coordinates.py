"""Hypotheses about the coordinates: an angle from the other axis, or from the ground, two coordinates exchanged.

If what should be y is A y + b for the learner, his formulas are right in another position than he says, and his forces
and inertias are those in other coordinates.
"""

import itertools

import numpy as np

from rbdlib.verification.meaning.own_formulas import once_for_each
from rbdlib.verification.mechanics.states import Altered
from rbdlib.verification.reasons.hypotheses import Hypothesis, pi_for


def of_coordinates(case):
    """Hypotheses about the learner's coordinates, a list; empty where no coordinates can be exchanged for others."""
    coordinates, n = case.vocabulary.names.coordinates, case.system.model.nv
    if case.system.model.loops or len(coordinates) != n or not all(x.rate for x in coordinates):
        return []
    own = own_coordinates(case)
    if own is None:
        return []
    names = [s.name for s in case.vocabulary.coordinates() or map(case.symbol, case.vocabulary.names.q)]
    angles = [k for k, x in enumerate(coordinates) if x.kind == "angle"]
    found = []
    for k in angles:
        found += [_turned(case, own, (k,), sign, quarters, f"{names[k]} were measured", names[k])
                  for sign, quarters in _TURNS]
    if len(angles) > 1:
        found += [_turned(case, own, angles, sign, quarters, "all angles were measured", "each angle")
                  for sign, quarters in _TURNS]
    found += _absolute(case, own, angles, names)
    for a, b in itertools.combinations(range(n), 2):
        A = np.eye(n, dtype=int)
        A[[a, b]] = A[[b, a]]
        found.append(_other(own, "order", f"Your answer would be right if {names[a]} and {names[b]} were exchanged.",
                            f"Which coordinate is {names[a]}, and which is {names[b]}?", 1.6, A, 0 * A[0]))
    return found


#: The sense in which an angle is measured, and from where, in quarters of a turn.
_TURNS = {(-1, 1): "the other axis, in the opposite sense", (1, 1): "an axis turned by a right angle",
          (1, -1): "an axis turned by a right angle", (1, 2): "the opposite direction",
          (-1, 0): "the same axis, but in the opposite sense", (-1, -1): "the other axis, in the opposite sense"}


def _turned(case, own, places, sign, quarters, words, name):
    n = case.system.model.nv
    A, b = np.eye(n, dtype=int), np.zeros(n, dtype=int)
    for k in places:
        A[k, k] = sign
    relative = case.vocabulary.coordinates() is None            # then those behind turn along with the first
    b[list(places[:1] if relative else places)] = quarters
    return _other(own, "other axis", f"Your answer would be right if {words} from {_TURNS[sign, quarters]}.",
                  f"From which line, and in which sense, is {name} measured in your sketch?", 1.3, A, b)


def _absolute(case, own, angles, names):
    """Angles from a fixed direction in place of angles from the body before; one of them, or all."""
    n, found = case.system.model.nv, []
    if case.vocabulary.coordinates():
        return found
    zero = np.zeros(n, dtype=int)
    for k in angles[1:]:
        A = np.eye(n, dtype=int)
        A[k, angles[: angles.index(k)]] = 1
        question = f"From what is {names[k]} measured: from the ground or from the body before?"
        found.append(_other(own, "absolute angle", f"Your answer would be right if {names[k]} were measured from a "
                            "fixed direction instead of from the body before.", question, 1.2, A, zero))
    if len(angles) > 2:
        A = np.eye(n, dtype=int)
        A[np.ix_(angles, angles)] = np.tril(np.ones((len(angles), len(angles)), dtype=int))
        found.append(_other(own, "absolute angle", "Your answer would be right if all angles were measured from one "
                            "fixed direction.",
                            "From what is each angle measured: from the ground or from the body before?",
                            1.25, A, zero))
    return found


def _other(own, kind, words, question, cost, A, b):
    """The hypothesis that what should be y is A y + b for the learner. A, b: whole numbers, b in quarters of a turn.

    own: (M, c) of the learner's coordinates y = M q + c, as whole numbers likewise.
    """
    M, c = own
    A_inverse, M_inverse = _inverse(A), _inverse(M)
    rates, back = M_inverse @ A_inverse @ M, M_inverse @ A @ M

    def state(at):
        quarter = pi_for(at) / 2
        q = M_inverse @ (A_inverse @ (M @ at.q + (c - b) * quarter) - c * quarter)
        return Altered(at, q=q, qd=rates @ at.qd, qdd=rates @ at.qdd, tau=back.T @ at.tau)

    return Hypothesis(kind, words, question, cost, state=state, back=back, into=A)


def _inverse(whole):
    return np.rint(np.linalg.inv(whole)).astype(int)


@once_for_each
def own_coordinates(case):
    """(M, c) of the learner's coordinates y = M q + c, whole numbers, c in quarters of a turn; None if there are none.
    """
    new, state, n = case.vocabulary.coordinates(), case.states[0], case.system.model.nv
    if new is None:
        return np.eye(n, dtype=int), np.zeros(n, dtype=int)
    M = np.array(case.vocabulary.jacobian(new, state)[0], dtype=float)
    values = case.vocabulary.values(state, new)
    c = (np.array([float(values[s]) for s in new]) - M @ np.array(state.q, dtype=float)) / (np.pi / 2)
    if max(abs(x - np.rint(x)).max() for x in (M, c)) > 1e-9 or abs(abs(np.linalg.det(M)) - 1) > 1e-9:
        return None
    return np.rint(M).astype(int), np.rint(c).astype(int)
