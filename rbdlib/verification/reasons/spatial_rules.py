"""Other rules for spatial quantities: the inverse, X* for X, another frame, classical for spatial acceleration."""

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import X_to_Er, classical_acceleration, force_transform, inverse_transform, plucker, rot
from rbdlib.verification.mechanics.basics import motion
from rbdlib.verification.mechanics.bodies import alternatives, parse
from rbdlib.verification.mechanics.points import find_point
from rbdlib.verification.reasons.hypotheses import Hypothesis, recursion, simple

_FRAME = "Between which two frames does it go, and in which direction?"
_TURN = "Does the rotation matrix turn the vector or the axes?"
_TRANSPOSE = "This is the transpose of what is asked for."
_INVERSE = "This is the inverse of what is asked for: it goes in the opposite direction."
_SWAPPED = "The angular and the linear part are exchanged: here the angular part comes first."
_ORDER = "In which order does your text write spatial vectors?"
_TURNED = "Your rotation is transposed; the rest fits."
_OFFSET = "The vector between the two origins has the opposite sign in your answer."
_ENDS = "From which origin to which does the vector point?"
_SWAP = [3, 4, 5, 0, 1, 2]


def of_spatial(model, quantity):
    """The hypotheses about another rule for a spatial `Quantity`, or a vector of a body; none for others."""
    parsed = parse(quantity.name)
    letter = parsed[0] if parsed else quantity.symbol
    yield from (simple(*row) for letters, *row in _RULES if letter in letters)
    if parsed and letter in ("J", "Jdot", "v", "a"):
        i = find_point(model, parsed[1]).body
        yield from (simple(*row) for row in _of_body(i) if letter != "Jdot")
        yield from (simple(*row) for row in _of_acceleration(i) if letter == quantity.symbol == "a")
        for value, words, remedy in alternatives(model, quantity.name):
            question = (f"If that is what you mean, ask for '{remedy}'; if not: in which frame, and about which point, "
                        "is the vector asked for?")
            yield Hypothesis("other frame", f"What you have is right as {words}.", question, 1.15,
                             target=_of_same_shape(value))


def _displaced(A, R, p):
    """A homogeneous matrix like A, with other parts."""
    new = A.copy()
    new[:3, :3], new[:3, 3] = R, p
    return new


#: (letters of the quantities, kind, words, question, cost, the values from the right ones and the state)
_RULES = (
    (("X",), "transpose", _TRANSPOSE, _FRAME, 1.1, lambda X, s: X.T),
    (("R", "A"), "transpose", _TRANSPOSE, _FRAME, 0.95, lambda R, s: R.T),
    (("X",), "inverse", _INVERSE, _FRAME, 0.95, lambda X, s: inverse_transform(X)),
    (("A",), "inverse", _INVERSE, _FRAME, 0.95,
     lambda A, s: _displaced(A, A[:3, :3].T, -A[:3, :3].T @ A[:3, 3])),
    (("X",), "force transform", "This is X*, which transforms force vectors.",
     "Does X take motion vectors or force vectors?", 1.0, lambda X, s: force_transform(X)),
    (("X",), "swapped", _SWAPPED, _ORDER, 1.0, lambda X, s: X[_SWAP][:, _SWAP]),
    (("X",), "rotation transposed", _TURNED, _TURN, 1.2, lambda X, s: plucker(X[:3, :3].T, X_to_Er(X)[1])),
    (("A",), "rotation transposed", _TURNED, _TURN, 1.2, lambda A, s: _displaced(A, A[:3, :3].T, A[:3, 3])),
    (("X",), "opposite offset", _OFFSET, _ENDS, 1.2, lambda X, s: plucker(X[:3, :3], -X_to_Er(X)[1])),
    (("A",), "opposite offset", _OFFSET, _ENDS, 1.2, lambda A, s: _displaced(A, A[:3, :3], -A[:3, 3])),
    (("J", "S"), "transpose", _TRANSPOSE, "What stands in a column?", 1.2, lambda J, s: J.T),
    (("J", "Jdot", "v", "a", "S", "momentum"), "swapped", _SWAPPED, _ORDER, 1.0,
     lambda x, s: x[_SWAP] if len(x) == 6 else x),
)


def _of_body(i):
    """Rows like those of `_RULES`, without letters, of the vectors of body i."""
    def X(state):
        return kinematics.body_transforms(state.model, state.q)[i]

    def turned_twice(x, state):
        E, _ = X_to_Er(X(state))
        return rot(E.T @ E.T) @ x

    return (
        ("base coordinates", "This is right in the coordinates of the base; asked for are those of the body.",
         "In which frame do you write the vector?", 1.1, lambda x, s: inverse_transform(X(s)) @ x),
        ("rotation transposed", "This would be right if the rotation between base and body were transposed.", _TURN,
         1.2, turned_twice),
    )


def _of_acceleration(i):
    return (
        ("classical acceleration", "This is the classical acceleration, and the spatial one is asked for.",
         "Is it the acceleration of a point that moves with the body, or the rate of the spatial velocity?", 1.0,
         lambda a, s: classical_acceleration(motion("a", s, i), motion("v", s, i))),
        ("v x S qd missing", "The terms v x S qd are missing in your accelerations.",
         "What does the axis of a joint do while the body moves that carries it?", 1.0,
         lambda a, s: recursion(s, turning=0)[0][i]),
        ("c_J missing", "The terms c_J of the joints are missing in your accelerations.",
         "Does the motion subspace of the joint change while it moves?", 1.1, lambda a, s: recursion(s, own=0)[0][i]),
    )


def _of_same_shape(value):
    def target(case, state):
        found = np.array(value(state), dtype=object)
        if found.shape != np.shape(case.whole(state)):
            raise ValueError("This has another shape.")
        return found

    return target
