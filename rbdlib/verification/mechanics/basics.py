"""Values at a state on which the other quantities build: the inertia matrix, the motion of bodies and points, loops.

Loops have K, k and lambda as rbdlib writes them, and as texts do: in base axes, for the points that a hinge holds.
"""

import functools

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import X_to_Er, classical_acceleration, crm, inverse_transform, rot, xlt
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.methods.joint_character import armatures
from rbdlib.methods.rotors import crba_with_rotors
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.points import Point
from rbdlib.verification.mechanics.states import Altered

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


def unaltered(state, *parts):
    """The state of which a state was made, where it differs from that in none of these parts, nor in its model."""
    while isinstance(state, Altered) and not state.differs_in("model", *parts):
        state = state.before
    return state


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
            return kept(unaltered(state, *needed), *keys).copy()

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


# Closed loops


def constraints(state):
    """K (n_c x nv) and k (n_c), without the rows that are zero whatever the state (a planar loop in space has some)."""
    K, k, *_ = constraints_to_rank(state.model, state.q, state.qd)
    felt = _felt(K)
    return K[felt], k[felt]


def _felt(K):
    return (abs(K) > LITTLE).any(axis=1)


def multipliers(state):
    """lam, for the rows that `constraints` keeps."""
    K, *_ = constraints_to_rank(state.model, state.q, state.qd)
    return state.lam[_felt(K)]


def of_points(state):
    """K and k in base axes: position on the successor minus that on the predecessor, for the points held together."""
    at_rest, rows, terms = Altered(state, qdd=0 * state.qd), [], []
    for number, loop in enumerate(state.model.loops):
        J_p, a_p = _of_end(at_rest, loop.predecessor, loop.X_P, f"end 0 of loop {number}")
        J_s, a_s = _of_end(at_rest, loop.successor, loop.X_S, f"end 1 of loop {number}")
        rows.append(J_s - J_p)
        terms.append(a_p - a_s)
    K, k = np.concatenate(rows), np.concatenate(terms)
    felt = _felt(K)
    return K[felt], k[felt]


def _of_end(state, body, X, name):
    """J and a of the point of a body where a loop ends, X away from its origin, in base axes."""
    if not body:
        return np.zeros((3, state.model.nv), dtype=int) + 0 * state.q[0], np.zeros(3, dtype=int) + 0 * state.q[0]
    point = Point(body, name, lambda state: X_to_Er(X)[1])
    return [framed(state, letter, point, "hybrid")[3:] for letter in "Ja"]


def forces_at_points(state):
    """The forces (in base axes) at the points held together, on the successor: those that have the effect of lam."""
    K, _ = of_points(state)
    whole, *_ = constraints_to_rank(state.model, state.q, state.qd)
    return solve_linear(K @ K.T, K @ (whole.T @ state.lam))
