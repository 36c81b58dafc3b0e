"""Other rules for spatial quantities: the inverse, X* for X, another frame, classical for spatial acceleration."""

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import X_to_Er, classical_acceleration, inverse_transform
from rbdlib.verification.mechanics.bodies import alternatives, parse
from rbdlib.verification.mechanics.points import find_point
from rbdlib.verification.reasons.hypotheses import Hypothesis, recursion, simple

_FRAME = "Between which two frames does it go, and in which direction?"
_TURN = "Does the rotation matrix turn the vector or the axes?"
_SWAP = [3, 4, 5, 0, 1, 2]


def of_spatial(model, quantity):
    """The hypotheses about another rule for a spatial `Quantity`, or a vector of a body; none for others."""
    parsed = parse(quantity.name)
    letter = parsed[0] if parsed else quantity.symbol
    if letter in ("X", "R", "A"):
        yield from _of_transforms(letter)
    elif letter in ("J", "Jdot", "v", "a", "S", "momentum"):
        yield from _of_vectors(letter)
        if letter != "momentum" and parsed:
            yield from _of_bodies(model, quantity, letter, parsed)


def _of_transforms(letter):
    yield simple("transpose", "This is the transpose of what is asked for.", _FRAME, 1.1 if letter == "X" else 0.95,
                 lambda X, state: X.T)
    if letter == "R":
        return
    inverse = inverse_transform if letter == "X" else _inverse_displacement
    yield simple("inverse", "This is the inverse of what is asked for: it goes in the opposite direction.", _FRAME,
                 0.95, lambda X, state: inverse(X))
    if letter == "X":
        yield simple("force transform", "This is X*, which transforms force vectors.",
                     "Does X take motion vectors or force vectors?", 1.0, lambda X, state: inverse_transform(X).T)
        yield simple("swapped", "The angular and the linear part are exchanged: here the angular part comes first.",
                     "In which order does your text write spatial vectors?", 1.0,
                     lambda X, state: X[_SWAP][:, _SWAP])
    turned, moved = (_rotation_transposed, _opposite_offset) if letter == "X" else (_turned_back, _moved_back)
    yield simple("rotation transposed", "Your rotation is transposed; the rest fits.", _TURN, 1.2, turned)
    yield simple("opposite offset", "The vector between the two origins has the opposite sign in your answer.",
                 "From which origin to which does the vector point?", 1.2, moved)


def _of_vectors(letter):
    if letter in ("J", "S"):
        yield simple("transpose", "This is the transpose of what is asked for.", "What stands in a column?", 1.2,
                     lambda J, state: J.T)
    yield simple("swapped", "The angular and the linear part are exchanged: here the angular part comes first.",
                 "In which order does your text write spatial vectors?", 1.0,
                 lambda x, state: x[_SWAP] if len(x) == 6 else x)


def _of_bodies(model, quantity, letter, parsed):
    i = find_point(model, parsed[1]).body
    if letter in ("J", "v", "a"):
        yield simple("base coordinates", "This is right in the coordinates of the base; asked for are those of the "
                     "body.", "In which frame do you write the vector?", 1.1, lambda x, state: _in_base(x, state, i))
        yield simple("rotation transposed",
                     "This would be right if the rotation between base and body were transposed.", _TURN, 1.2,
                     lambda x, state: _turned(x, state, i))
    if letter == "a" and quantity.symbol == "a":
        yield from _of_accelerations(i)
    for value, words, remedy in alternatives(model, quantity.name):
        question = (f"If that is what you mean, ask for '{remedy}'; if not: in which frame, and about which point, is "
                    "the vector asked for?")
        yield Hypothesis("other frame", f"What you have is right as {words}.", question, 1.15,
                         target=_of_same_shape(value))


def _of_same_shape(value):
    def target(case, state):
        found = np.array(value(state), dtype=object)
        if found.shape != np.shape(case.whole(state)):
            raise ValueError("This has another shape.")
        return found

    return target


def _in_base(x, state, i):
    return inverse_transform(kinematics.body_transforms(state.model, state.q)[i]) @ x


def _turned(x, state, i):
    E = X_to_Er(kinematics.body_transforms(state.model, state.q)[i])[0]
    back = E.T @ E.T
    return np.concatenate([back @ x[:3], back @ x[3:]])


def _inverse_displacement(A):
    new = A.copy()
    new[:3, :3] = A[:3, :3].T
    new[:3, 3] = -A[:3, :3].T @ A[:3, 3]
    return new


def _turned_back(A, state):
    new = A.copy()
    new[:3, :3] = A[:3, :3].T
    return new


def _moved_back(A, state):
    new = A.copy()
    new[:3, 3] = -A[:3, 3]
    return new


def _rotation_transposed(X, state):
    E, B = X[:3, :3], X[3:, :3]
    new = X.copy()
    new[:3, :3], new[3:, 3:], new[3:, :3] = E.T, E.T, E.T @ E.T @ B
    return new


def _opposite_offset(X, state):
    new = X.copy()
    new[3:, :3] = -X[3:, :3]
    return new


def _of_accelerations(i):
    def of(kind, words, question, cost, rule):
        return Hypothesis(kind, words, question, cost, target=lambda case, state: rule(state))

    def classical(state):
        return classical_acceleration(kinematics.body_accelerations(state.model, state.q, state.qd, state.qdd)[i],
                                      kinematics.body_velocities(state.model, state.q, state.qd)[i])

    yield of("classical acceleration", "This is the classical acceleration, and the spatial one is asked for.",
             "Is it the acceleration of a point that moves with the body, or the rate of the spatial velocity?", 1.0,
             classical)
    yield of("v x S qd missing", "The terms v x S qd are missing in your accelerations.",
             "What does the axis of a joint do while the body moves that carries it?", 1.0,
             lambda state: recursion(state, turning=0)[0][i])
    yield of("c_J missing", "The terms c_J of the joints are missing in your accelerations.",
             "Does the motion subspace of the joint change while it moves?", 1.1,
             lambda state: recursion(state, own=0)[0][i])
