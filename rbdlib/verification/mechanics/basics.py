"""Values at a state on which the other quantities build: the inertia matrix, the motion of bodies and points, loops.

Loops have K, k and lambda as rbdlib writes them, and as texts do: in base axes, for the points that a hinge holds.
"""

import functools
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import X_to_Er, classical_acceleration, crm, inverse_transform, rot, xlt
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.methods.joint_character import armatures
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.scalars import zeros
from rbdlib.verification.mechanics.states import Altered


class Quantity(namedtuple("Quantity", "name title symbol value compare rule circular others whole part",
                          defaults=("exact", "", (), (), None, ()))):
    """One quantity of a system.

    name: as it was asked for.  title: in words.  symbol: how it is written on a line of its own ("H", "tau").
    value: the function of a `State` that gives the right values, an array of mpmath numbers.
    compare: "exact"; "constant", up to a constant; "rows", a matrix up to the choice of equations; "equations";
    "loops", functions that are zero where the loops are closed; "identity".
    rule: how it changes with the coordinates, see `quantities.in_coordinates`, or "".
    circular: letters of own symbols that the answer may not contain, because they are what is asked.
    others: further (value, compare, note) that an answer may be compared with, each with a note that says what it is.
    whole, part: the `Quantity` of which this is one entry, and the place of that entry; None and () for most.
    """


@dataclass(frozen=True)
class Point:
    """A point of body i. name: in words, "" for the origin.  at: function of a state, its place in body coordinates.

    Of one model, points of the same body and name are the same.
    """

    body: int
    name: str
    at: Any = field(compare=False)


#: Smaller numbers are what is left of 0 after rounding.
LITTLE = 1e-25
#: The parts of a state on which J, Jdot, v and a of a body depend.
_PARTS = {"J": ("q",), "Jdot": ("q", "qd"), "v": ("q", "qd"), "a": ("q", "qd", "qdd")}


def once_for_each(function):
    """A function of an object, or a method, whose results are kept in the object for each value of other arguments."""
    @functools.wraps(function)
    def kept(owner, *keys):
        results = owner.__dict__.setdefault("_kept", {})
        if (function, *keys) not in results:
            results[function, *keys] = function(owner, *keys)
        return results[function, *keys]

    return kept


def kept_with_state(*parts):
    """Of a function of a state and further keys, one whose values are kept with the state, and handed out as copies.

    parts: those on which the values depend, of "q", "qd", "qdd", or a dict from the first key to them; where a state is
    `Altered` in other parts, the values are those of the state that it was made of.
    """
    def decorated(function):
        kept = once_for_each(function)

        @functools.wraps(function)
        def value(state, *keys):
            needed = parts[0][keys[0]] if isinstance(parts[0], dict) else parts
            while isinstance(state, Altered) and state.__dict__.keys().isdisjoint(("model", *needed)):
                state = state.before
            return kept(state, *keys).copy()

        return value

    return decorated


@kept_with_state("q")
def transforms(state):
    """The transforms from base coordinates to those of each body, a list."""
    return kinematics.body_transforms(state.model, state.q)


@kept_with_state("q")
def inertia(state):
    """H (nv x nv), with the joints' armatures."""
    I_rot = armatures(state.model)
    return crba_with_rotors(state.model, state.q, I_rot) if I_rot else crba(state.model, state.q)


def inverse(A):
    """The inverse of a matrix of mpmath numbers."""
    return solve_linear(A, np.eye(len(A), dtype=object) + 0 * A)


@kept_with_state(_PARTS)
def motion(state, letter, i):
    """J, Jdot, v or a of body i in its own coordinates (6 rows, the angular part first)."""
    model, q, qd = state.model, state.q, state.qd
    return {"J": lambda: kinematics.body_jacobian(model, q, i),
            "Jdot": lambda: kinematics.body_jacobian_dot(model, q, qd, i),
            "v": lambda: kinematics.body_velocities(model, q, qd)[i],
            "a": lambda: kinematics.body_accelerations(model, q, qd, state.qdd)[i]}[letter]()


@kept_with_state(_PARTS)
def framed(state, letter, point, frame):
    """J, Jdot, v or a of a point, in the frame "body", "base" or "hybrid".

    Base coordinates are at the base's origin; hybrid ones have base axes, at the point. The hybrid acceleration is the
    classical one of the point.
    """
    M, X = motion(state, letter, point.body), transforms(state)[point.body]
    if frame == "base":
        return inverse_transform(X) @ M
    to_point = xlt(point.at(state))
    M = to_point @ M
    if frame == "body":
        return M
    if letter == "a":
        M = classical_acceleration(M, to_point @ motion(state, "v", point.body))
    elif letter == "Jdot":                              # seen from the moving point
        v = to_point @ motion(state, "v", point.body)
        M = M - crm(np.concatenate([0 * v[:3], v[3:]])) @ to_point @ motion(state, "J", point.body)
    return rot(X[:3, :3].T) @ M


def constraints(state):
    """K (n_c x nv) and k (n_c), without the rows that are zero whatever the state (a planar loop in space has some)."""
    K, k, *_ = constraints_to_rank(state.model, state.q, state.qd)
    return K[felt(K)], k[felt(K)]


def felt(K):
    """For each row of a matrix whether anything in it is not zero."""
    return (abs(K) > LITTLE).any(axis=1)


def multipliers(state):
    """lam, for the rows that `constraints` keeps."""
    return state.lam[felt(constraints_to_rank(state.model, state.q, state.qd)[0])]


def of_points(state):
    """K and k in base axes: position on the successor minus that on the predecessor, for the points held together."""
    at_rest, loops = Altered(state, qdd=0 * state.qd), state.model.loops

    def end(number, side, body, X):
        """J and a of the point of a body where a loop ends, X away from its origin, as columns side by side."""
        if not body:
            return zeros((3, state.model.nv + 1), state.q)
        point = Point(body, f"end {side} of loop {number}", lambda state: X_to_Er(X)[1])
        return np.column_stack([framed(at_rest, letter, point, "hybrid")[3:] for letter in "Ja"])

    both = np.concatenate([end(i, 1, loop.successor, loop.X_S) - end(i, 0, loop.predecessor, loop.X_P)
                           for i, loop in enumerate(loops)])
    K, k = both[:, :-1], -both[:, -1]
    return K[felt(K)], k[felt(K)]


def forces_at_points(state):
    """The forces (in base axes) at the points held together, on the successor: those that have the effect of lam."""
    K, _ = of_points(state)
    whole, *_ = constraints_to_rank(state.model, state.q, state.qd)
    return solve_linear(K @ K.T, K @ (whole.T @ state.lam))
