"""Axial screws: turns about a coordinate axis together with shifts along it, and chains of them (RBDA A.4).

They cost from a third to 40 % of general transforms (RBDA Table A.5), and a chain of three of them can do what a
general transform does. The factors of a chain stay apart; neighbours about the same axis are merged.
"""

import numpy as np

from rbdlib.arithmetic.base import scaled, total
from rbdlib.arithmetic.inertias import abi, rbi
from rbdlib.arithmetic.rotations import PLACE, turn_general, turn_symmetric, turn_vector
from rbdlib.arithmetic.transforms import General, Transform, plx
from rbdlib.arithmetic.vectors import fv, mv
from rbdlib.numbers.scalars import cos, number, sin

#: A longer chain is multiplied out when it is used.
LONGEST = 6


class Screwlike(Transform):
    """Base of single axial screws and chains of them: they are multiplied without being multiplied out."""

    __slots__ = ()

    def without_first(self):
        """The chain of all factors but the first, which is applied last."""
        return screws(self.factors[1:])

    def inv_apply(self, x):
        return self.inv().apply(x)

    def times(self, other):
        """The product with another transform, which is applied first."""
        if isinstance(other, plx):
            E, r = other.E_r
            for factor in reversed(self.factors):
                E, r = _before(factor, E, r)
            return plx.of(E, r)
        if isinstance(other, Screwlike):
            chain, more = self.factors, other.factors
            if chain and more and chain[-1].k == more[0].k:             # neighbours about the same axis become one
                chain, more = (*chain[:-1], _merged(chain[-1], more[0])), more[1:]
            chain = (*chain, *more)
            if len(chain) <= LONGEST:
                return screws(chain)
        return path.of(self, other)


class scr(Screwlike):
    """The axial screw about axis k = 0, 1, 2 (x, y, z) with the angle theta (rad) and the shift d (m) (RBDA A.4).

    c, s: the angle's cosine and sine; theta is None where only these are known. What rotating a matrix needs besides,
    s², c s, 2 c s and 1 - 2 s², is worked out once, when it is first needed, at 2m + 3a. _forward: the screw of which
    this is the inverse, if it was made so.
    """

    __slots__ = ("k", "theta", "c", "s", "d", "_forward", "_products")
    parts = ("k", "theta", "c", "s", "d")

    dtype = property(lambda self: np.result_type(*(np.asarray(x).dtype for x in (self.c, self.s, self.d))))

    @property
    def products(self):
        """(c s, s², 2 c s, 1 - 2 s²)."""
        if self._products is None:
            if self._forward is None:
                cs, s2 = self.c * self.s, self.s * self.s
                found = cs, s2, cs + cs, 1 - (s2 + s2)
            else:
                cs, s2, twice_cs, one_less = self._forward.products
                found = -cs, s2, -twice_cs, one_less
            object.__setattr__(self, "_products", found)
        return self._products

    factors = property(lambda self: (self,), doc="The screw itself, as the one factor of a chain.")

    def inv(self):
        """The inverse, which is the screw of -theta and -d."""
        return scr.of(self.k, None if self.theta is None else -self.theta, self.c, -self.s, -self.d, self)

    @property
    def E_r(self):
        """The rotation E (3 x 3) and the position r (3)."""
        i, j = (self.k + 1) % 3, (self.k + 2) % 3
        E, r = np.eye(3, dtype=int).tolist(), [0, 0, 0]
        E[i][i], E[i][j], E[j][i], E[j][j], r[self.k] = self.c, self.s, -self.s, self.c, self.d
        return np.array(E), np.array(r)

    def motion(self, v):
        return mv.of(self.turned(v.w), self.turned(self._shifted(v.v, v.w)))

    def force(self, f):
        return fv.of(self.turned(self._shifted(f.n, f.f)), self.turned(f.f))

    def turned(self, x):
        """The 3-vector x in turned coordinates: 4m + 2a."""
        return turn_vector(self.k, self.c, self.s, x)

    def _shifted(self, x, y):
        """x - r × y."""
        i, j, x, y = (self.k + 1) % 3, (self.k + 2) % 3, x.tolist(), y.tolist()
        x[i], x[j] = x[i] + y[j] * self.d, x[j] - y[i] * self.d
        return np.array(x)

    def rigid(self, I):
        """X* I X⁻¹: 16m + 15a (RBDA A.4)."""
        k, d = self.k, self.d
        i, j, y, Z = (k + 1) % 3, (k + 2) % 3, I.h.tolist(), I.lt_I.tolist()
        y[k] = y[k] - I.m * d
        w = (I.h[k] + y[k]) * d
        for place, change in (((i, i), -w), ((j, j), -w), ((k, i), y[i] * d), ((k, j), y[j] * d)):
            Z[PLACE[place[0]][place[1]]] = Z[PLACE[place[0]][place[1]]] + change
        return rbi.of(I.m, self.turned(np.array(y)), turn_symmetric(k, self.c, self.s, *self.products, np.array(Z)))

    def articulated(self, I):
        """X* I^A X⁻¹: 38m + 40a; it turns first and shifts then, which makes the most of zeros (RBDA A.4)."""
        k, c, s, d, (cs, s2, *_) = self.k, self.c, self.s, self.d, self.products
        i, j = (k + 1) % 3, (k + 2) % 3
        M = turn_symmetric(k, c, s, *self.products, I.lt_M)
        H = turn_general(k, c, s, cs, s2, I.H)
        Z = turn_symmetric(k, c, s, *self.products, I.lt_I).tolist()

        Y, r_M = H.copy().astype(object), _shift_times(k, d, M)
        Y[i], Y[j] = H[i] - r_M[i], H[j] - r_M[j]
        for (a, b), change in (((i, i), (H[i, j] + Y[i, j]) * d), ((j, j), -(H[j, i] + Y[j, i]) * d),
                               ((i, j), (Y[j, j] - H[i, i]) * d), ((k, i), H[k, j] * d), ((k, j), -H[k, i] * d)):
            Z[PLACE[a][b]] = Z[PLACE[a][b]] + change
        return abi.of(M, np.array(Y.tolist()), np.array(Z))


def _shift_times(k, d, triangle):
    """The rows i and j of r× M for r = d along axis k, from lt(M): 5m; {i: row, j: row}."""
    i, j = (k + 1) % 3, (k + 2) % 3
    shared, rows = d * triangle[PLACE[i][j]], {i: [0, 0, 0], j: [0, 0, 0]}
    rows[i][i], rows[i][j], rows[i][k] = -shared, -(d * triangle[PLACE[j][j]]), -(d * triangle[PLACE[j][k]])
    rows[j][i], rows[j][j], rows[j][k] = d * triangle[PLACE[i][i]], shared, d * triangle[PLACE[i][k]]
    return {row: np.array(entries) for row, entries in rows.items()}


def _scr(k, theta, d):
    theta, d = number(theta, "theta"), number(d, "d")
    return scr.of(k, theta, cos(theta), sin(theta), d)


def scrx(theta, d):
    """The axial screw about x: turn by theta (rad), shift by d (m) along x (RBDA A.4)."""
    return _scr(0, theta, d)


def scry(theta, d):
    """The axial screw about y: turn by theta (rad), shift by d (m) along y (RBDA A.4)."""
    return _scr(1, theta, d)


def scrz(theta, d):
    """The axial screw about z: turn by theta (rad), shift by d (m) along z (RBDA A.4)."""
    return _scr(2, theta, d)


class screws(Screwlike):
    """A product of axial screws, kept as such: X = factors[0] factors[1] ..., of which the last is applied first."""

    __slots__ = ("factors", "_E_r")
    parts = ("factors",)

    def __init__(self, factors=()):
        self._fill(tuple(factors))

    dtype = property(lambda self: np.result_type(int, *(factor.dtype for factor in self.factors)))

    numbers = property(lambda self: np.array([x for factor in self.factors for x in (factor.theta, factor.d)]),
                       doc="Theta and d of each factor.")

    def inv(self):
        """The inverse: the inverses of the factors in reverse order."""
        return screws(factor.inv() for factor in reversed(self.factors))

    @property
    def E_r(self):
        """The rotation E (3 x 3) and the position r (3), worked out once."""
        if self._E_r is None:
            E, r = np.eye(3, dtype=int), np.zeros(3, int)
            for factor in reversed(self.factors):
                E, r = _before(factor, E, r)
            object.__setattr__(self, "_E_r", (E, r))
        return self._E_r

    def _each(self, x):
        for factor in reversed(self.factors):
            x = factor.apply(x)
        return x

    motion = force = rigid = articulated = _each


def _before(X, E, r):
    """E and r of the product X times the transform that has E and r, for an axial screw X: 15m + 9a."""
    i, j = (X.k + 1) % 3, (X.k + 2) % 3
    rows = [row.tolist() for row in E]
    rows[i], rows[j] = (X.c * E[i] + X.s * E[j]).tolist(), (X.c * E[j] - X.s * E[i]).tolist()
    return np.array(rows), r + E[X.k] * X.d


def _merged(X, Y):
    """The product of two screws about the same axis: its angle and shift are the sums of theirs."""
    d = total([X.d, Y.d])
    for one, other in ((X, Y), (Y, X)):
        if type(one.s) is int:                                          # no turn, or turns by right angles
            c = total([scaled(one.c, other.c), -scaled(one.s, other.s)])
            s = total([scaled(one.s, other.c), scaled(one.c, other.s)])
            theta = other.theta if one.c == 1 else _sum_of_angles(X, Y)
            return scr.of(X.k, theta, c, s, d)
    theta = _sum_of_angles(X, Y)
    if theta is None:
        return scr.of(X.k, None, X.c * Y.c - X.s * Y.s, X.s * Y.c + X.c * Y.s, d)
    return scr.of(X.k, theta, cos(theta), sin(theta), d)


def _sum_of_angles(X, Y):
    return None if X.theta is None or Y.theta is None else X.theta + Y.theta


class path(General):
    """A product of transforms along a tree, multiplied out when it is first used."""

    __slots__ = ("left", "right", "_E_r")
    parts = ("left", "right")

    dtype = property(lambda self: self.left.dtype, doc="The NumPy type of the nearest factor.")

    @property
    def E_r(self):
        """The rotation E (3 x 3) and the position r (3), worked out once for each product on the way."""
        waiting, X = [], self
        while isinstance(X, path) and X._E_r is None:
            waiting.append(X)
            X = X.right
        E_r = X._E_r if isinstance(X, path) else X.E_r
        for product in reversed(waiting):
            E_r = product.left.times(plx.of(*E_r)).E_r
            object.__setattr__(product, "_E_r", E_r)
        return E_r

    E = property(lambda self: self.E_r[0], doc="The rotation (3 x 3).")
    r = property(lambda self: self.E_r[1], doc="The position (3).")
