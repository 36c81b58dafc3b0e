"""How motions came about, so that forces can be had from classical accelerations, which cost less (RBDA 2.11, 5.3).

Let y = a_O + omega × v_O be the classical acceleration of the origin for a spatial acceleration a and velocity v, and
Omega = omega'× + omega× omega×. For a = X a_p and v = X v_p with X = rot(E) xlt(r) one has y = E (y_p + Omega_p r): no
linear velocity is in this, so that a recorder that drops what is not used drops the linear velocities altogether.
Each class below is one thing that a motion may be known to be. All that follows from it is an identity of algebra.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from rbdlib.arithmetic.base import is_nothing
from rbdlib.numbers.linear import cross

NOTHING = np.zeros(3, int)


#: X m.
Moved = namedtuple("Moved", "X m")
#: X v_p + v_J: the velocity of a body beyond a joint.
Joined = namedtuple("Joined", "X v_p v_J")
#: v × v_J.
Product = namedtuple("Product", "v v_J")
#: X a_p + a_J, where a_p is known to be an `Acceleration`; turn and slide are the two parts of a_J.
Carried = namedtuple("Carried", "X a_p turn slide")


class Acceleration:
    """The acceleration of a body with the velocity v; carried, v_J: how it follows from its parent's, if known."""

    __slots__ = ("v", "carried", "v_J", "found")

    def __init__(self, v, carried=None, v_J=None):
        self.v, self.carried, self.v_J, self.found = v, carried, v_J, None

    def classical(self, a):
        """y, the classical acceleration of the origin, worked out once; a is the acceleration that is known so."""
        if self.found is not None:
            return self.found
        if self.carried is None:
            self.found = a.v + cross(self.v.w, self.v.v)
            return self.found
        X, a_p, turn, slide = self.carried
        Omega_p, y_p = turning(a_p.known.v.w, a_p.w), a_p.known.classical(a_p)
        first: Any = X.factors[0] if getattr(X, "factors", ()) else None
        across = [] if first is None else [i for i in range(3) if i != first.k]
        if across and is_nothing(self.v_J.w[across]) and is_nothing(turn[across]):
            # Turning about axis k leaves column k of Omega as it is, so that Omega may be this body's, needed anyway.
            _, r = X.without_first().E_r
            y = y_p + Omega_p @ r
            for factor in reversed(X.factors):
                y = factor.turned(y)
            y = y + turning(self.v.w, a.w)[:, first.k] * first.d
        else:
            E, r = X.E_r
            y = E @ (y_p + Omega_p @ r)
        y = y if is_nothing(slide) else y + slide
        if not is_nothing(self.v_J.v):
            y = y + cross(self.v.w + (self.v.w - self.v_J.w), self.v_J.v)                           # Coriolis
        self.found = y
        return y


def turning(w, w_dot):
    """Omega = omega'× + omega× omega×, the matrix that gives the accelerations in a turning body: 6m + 9a."""
    (w1, w2, w3), (d1, d2, d3) = w.tolist(), w_dot.tolist()
    w11, w22, w33, w21, w31, w32 = w1 * w1, w2 * w2, w3 * w3, w2 * w1, w3 * w1, w3 * w2
    return np.array([[-(w22 + w33), w21 - d3, w31 + d2],
                     [w21 + d3, -(w33 + w11), w32 - d1],
                     [w31 - d2, w32 + d1, -(w11 + w22)]])


def known_when_moved(X, m):
    """Knowledge about X m."""
    return Carried(X, m, NOTHING, NOTHING) if isinstance(m.known, Acceleration) else Moved(X, m)


def known_of_sum(one, two):
    """Knowledge about the sum of two motions."""
    known = one.known
    if isinstance(two.known, Product):
        v, v_J = two.known
        if isinstance(known, Carried) and isinstance(v.known, Joined):
            X, v_p, joined = v.known
            if X is known.X and v_p is known.a_p.known.v and joined is v_J:
                return Acceleration(v, known, v_J)
        return Acceleration(v)
    if isinstance(known, Carried):
        turn, slide = (mine if is_nothing(theirs) else theirs if is_nothing(mine) else mine + theirs
                       for mine, theirs in ((known.turn, two.w), (known.slide, two.v)))
        return Carried(known.X, known.a_p, turn, slide)
    return Joined(*known, two) if isinstance(known, Moved) else None
