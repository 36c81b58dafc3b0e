"""K, k and lambda of closed loops as texts write them: in base axes, for the points that a hinge holds together."""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_joints import Revolute, Spherical
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.numbers.linear import solve_linear
from rbdlib.verification.mechanics.basics import LITTLE, framed
from rbdlib.verification.mechanics.points import Point
from rbdlib.verification.mechanics.states import Altered


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
    rows, terms, at_rest = [], [], Altered(state, qdd=0 * state.qd)
    for number, loop in enumerate(state.model.loops):
        ends = [(body, X_to_Er(X)[1]) for body, X in ((loop.predecessor, loop.X_P), (loop.successor, loop.X_S))]
        points = [Point(body, f"end {side} of loop {number}", lambda state, r=r: r)
                  for side, (body, r) in enumerate(ends)]
        J_p, J_s = (_of_body("J", state, point) for point in points)
        a_p, a_s = (_of_body("a", at_rest, point) for point in points)
        rows.append(J_s - J_p)
        terms.append(a_p - a_s)
    K, k = np.concatenate(rows), np.concatenate(terms)
    felt = _felt(K)
    return K[felt], k[felt]


def _of_body(letter, state, point):
    if point.body:
        return framed(state, letter, point, "hybrid")[3:]
    return np.zeros((3, state.model.nv) if letter == "J" else 3, dtype=int) + 0 * state.q[0]


def forces_at_points(state):
    """The forces (in base axes) at the points held together, on the successor: those that have the effect of lam."""
    K, _ = of_points(state)
    whole, *_ = constraints_to_rank(state.model, state.q, state.qd)
    return solve_linear(K @ K.T, K @ (whole.T @ state.lam))


def others(model, key):
    """Further readings of "K", "k" and "lambda" for a model with loops, as in `Quantity.others`."""
    if key == "K":
        return tuple((lambda state, sign=sign: np.column_stack([constraints(state)[0], sign * constraints(state)[1]]),
                      "rows", f"Your last column was taken for {name}, where K qdd = k.")
                     for sign, name in ((1, "k"), (-1, "-k")))
    if not all(isinstance(loop.joint, (Revolute, Spherical)) for loop in model.loops):
        return ()
    sides = ((1, "successor minus predecessor"), (-1, "predecessor minus successor"))
    if key == "k":
        return tuple((lambda state, sign=sign: sign * of_points(state)[1], "exact",
                      f"In base axes, for the points that the hinges hold together: {words}.") for sign, words in sides)
    return tuple((lambda state, sign=sign: sign * forces_at_points(state), "exact",
                  f"In base axes, as forces on the {words.split()[0]} in the hinges that close the loops.")
                 for sign, words in sides)
