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
    coordinates, n, new = case.vocabulary.names.coordinates, case.system.model.nv, case.vocabulary.coordinates()
    if case.system.model.loops or len(coordinates) != n or not all(x.rate for x in coordinates):
        return []
    own = own_coordinates(case)
    if own is None:
        return []
    names = [s.name for s in new or map(case.symbol, case.vocabulary.names.q)]
    angles, found = [k for k, x in enumerate(coordinates) if x.kind == "angle"], []
    for places in [*([k] for k in angles), *([angles] if len(angles) > 1 else [])]:
        name, each = ("all angles", "each angle") if len(places) > 1 else (names[places[0]],) * 2
        for (sign, quarters), line in _TURNS.items():
            A, b = np.eye(n, dtype=int), np.zeros(n, dtype=int)
            A[places, places] = sign
            b[places if new else places[:1]] = quarters         # those behind turn along with the first
            found.append(_other(own, "other axis", f"Your answer would be right if {name} were measured from {line}.",
                                f"From which line, and in which sense, is {each} measured in your sketch?", 1.3, A, b))
        if not new and places != angles[:1] and (len(places) == 1 or len(angles) > 2):
            A = np.eye(n, dtype=int)
            for k in places:
                A[k, angles[: angles.index(k)]] = 1
            line, cost = ("one fixed direction", 1.25) if len(places) > 1 else (
                "a fixed direction instead of from the body before", 1.2)
            words = f"Your answer would be right if {name} were measured from {line}."
            question = f"From what is {each} measured: from the ground or from the body before?"
            found.append(_other(own, "absolute angle", words, question, cost, A, 0 * A[0]))
    for i, j in itertools.combinations(range(n), 2):
        A = np.eye(n, dtype=int)
        A[[i, j]] = A[[j, i]]
        found.append(_other(own, "order", f"Your answer would be right if {names[i]} and {names[j]} were exchanged.",
                            f"Which coordinate is {names[i]}, and which is {names[j]}?", 1.6, A, 0 * A[0]))
    return found


#: The sense in which an angle is measured, and from where, in quarters of a turn.
_TURNS = {(-1, 1): "the other axis, in the opposite sense", (1, 1): "an axis turned by a right angle",
          (1, -1): "an axis turned by a right angle", (1, 2): "the opposite direction",
          (-1, 0): "the same axis, but in the opposite sense", (-1, -1): "the other axis, in the opposite sense"}


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
