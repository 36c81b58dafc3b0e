"""Smooth surfaces that touch, given by an equation f(x) = 0 (RBDA 11.6).

What the equations of motion need of a surface is its position, its normal n_hat and how the normal turns from point to
point, dn_hat = K dx: a `Spot`. Nearest points are sought by Newton's method along the surface, in numbers.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.contact.shapes import OUTLINE, Distance, Touch, store, unit
from rbdlib.numbers.dual import Dual, partials, seed, values
from rbdlib.numbers.linear import cross, solve_linear
from rbdlib.numbers.pivots import axis_across, first_least
from rbdlib.numbers.scalars import as_floats, eye, number, sqrt, vector, zeros

#: How many steps Newton's method may take, and from how many places the points that face each other are sought.
STEPS, ENOUGH = 60, 3


class Spot(namedtuple("Spot", "x n_hat K")):
    """A place on a surface: x (3); n_hat (3) out of the material; K (3 x 3), dn_hat = K dx along the surface."""

    def tangents(self):
        """Two unit vectors (3 x 2) at right angles to the normal and to each other."""
        a = unit(cross(self.n_hat, axis_across(self.n_hat)), "tangent")
        return np.array([a, cross(self.n_hat, a)]).T


class Surface:
    """Base of smooth surfaces: each has `near(x)`, a spot near a point, or None, and seeds to start from."""

    seeds: tuple
    near: Callable

    def distance(self, c):
        """The `Distance` of c from the nearest point of the surface, whose curvature in parallel is K (1 + h K)⁻¹."""
        nearest = [_first_nearest(self.seeds, [c - spot.x for spot in self.seeds])] if self.seeds else []
        starts = [spot for spot in (*nearest, self.near(c)) if spot is not None]
        found = [foot for foot in (self._foot(c, start) for start in starts) if foot is not None]
        if not found:
            raise ValueError(f"No point of the surface nearest to {as_floats(c)} was found. {REMEDY}")
        spot = _first_nearest(found, [c - spot.x for spot in found])
        h, T = spot.n_hat @ (c - spot.x), spot.tangents()
        K = T.T @ spot.K @ T
        try:
            W = T @ solve_linear(eye(2, K) + h * K, K) @ T.T
        except ValueError:
            W = zeros((3, 3), c)                        # in a centre of curvature, where the normal is undetermined
        return Distance(h, spot.n_hat, W)

    def _foot(self, c, spot):
        """The spot with the smallest |c - x|: its second derivatives along the surface are 1 + h K. None if lost."""
        for _ in range(STEPS):
            d, T = c - spot.x, spot.tangents()
            slope, K = T.T @ d, T.T @ spot.K @ T
            curvature = eye(2, K) + (spot.n_hat @ d) * K
            (a, b), (_, e) = curvature
            if not (a > 0 and a * e > b * b):
                curvature = eye(2, K) * (1 + abs(a) + abs(b) + abs(e))
            step, square = T @ solve_linear(curvature, slope), d @ d
            small = 1 + step @ step / (1 + square) == 1
            for _ in range(30):
                new = self.near(spot.x + step)
                if small or (new is not None and (c - new.x) @ (c - new.x) < square):
                    break
                step = step / 2
            else:
                return spot if slope @ slope <= 1e-14 * (1 + square) else None     # rounding lets it come no nearer
            spot = new or spot
            if small:
                return spot
        return None


REMEDY = ("Give start, a place near the part of the surface that matters, and reach, about how far that part extends; "
          "and see that the surface is smooth there.")


@dataclass(frozen=True, eq=False)
class ImplicitSurface(Surface):
    """The surface f(x) = 0 of the material where f(x) < 0; x (3) in m.

    f: a function of x in ``+ - * /`` and rbdlib.numbers.scalars' sin, cos, sqrt, which is differentiated. start (3),
    reach (m): the middle and half the extent of the part that matters. Raises ValueError where there is no surface.
    """

    f: Callable
    start: ArrayLike = (0, 0, 0)
    reach: float = 1

    def __post_init__(self):
        store(self, start=vector(self.start, 3, "start"), reach=number(self.reach, "reach"))
        if not callable(self.f):
            raise TypeError(f"f is {self.f!r}; give a function.")
        if not self.seeds:
            raise ValueError(f"f(x) = 0 has no smooth point that was found from start. {REMEDY}")

    @cached_property
    def seeds(self):
        """Spots on the surface found from a grid of 27 points about start, those that are the same left out."""
        found = []
        for signs in product((0, -1, 1), repeat=3):
            size = np.sqrt(max(1, np.dot(signs, signs)))
            spot = self.near(self.start + self.reach * np.array(signs) / size)
            if spot is not None and all((spot.x - other.x) @ (spot.x - other.x) > 1e-6 for other in found):
                found.append(spot)
        return tuple(found)

    def spot(self, x):
        """The `Spot` at x, a point of the surface; None where the gradient vanishes."""
        _, g, H = second_derivatives(self.f, x)
        square = g @ g
        if square == 0:
            return None
        length = sqrt(square)
        n_hat = g / length
        P = eye(3, x) - np.outer(n_hat, n_hat)
        return Spot(x, n_hat, P @ H @ P / length)

    def near(self, x):
        """The spot where the way along the gradient from x ends on the surface; None if it does not."""
        for _ in range(STEPS):
            f = self.f(seed(x))
            f, g = (f.value, f.partials) if isinstance(f, Dual) else (f, zeros(3, x))
            square = g @ g
            if square == 0:
                return None
            step = -f / square * g
            x = x + step
            if 1 + step @ step / (1 + x @ x) == 1:
                return self.spot(x)
        return None


def second_derivatives(function, x):
    """function(x) with its first and second derivatives, (...), (..., n) and (..., n, n), by duals of duals."""
    n, twice = len(x), np.empty(len(x), dtype=object)
    twice[:] = [Dual(Dual(x_i, e_i), e_i) for x_i, e_i in zip(x, eye(n, x), strict=True)]
    result = np.asarray(function(twice), dtype=object)
    slopes = partials(result, n)
    return values(values(result))[()], values(slopes), partials(slopes, n)


@dataclass(frozen=True, eq=False)
class Flat(Surface):
    """A plane among surfaces, so that curved ones can be put on it."""

    point: ArrayLike
    normal: ArrayLike
    seeds = ()

    def near(self, x):
        return Spot(x - self.normal * (self.normal @ (x - self.point)), self.normal, zeros((3, 3), x))


def _first_nearest(found, away):
    """Of what was found the one whose vector away (3) is the shortest; of several, the first."""
    return found[first_least(as_floats([d @ d for d in away]))]


def facing_spots(first, second, placement):
    """The spots of two surfaces at which each is nearest to the other: on one normal, facing each other.

    The spot on the second is in the first body's coordinates. Where surfaces overlap these are the deepest points. Of
    several such pairs it is the one with the least distance. Raises ValueError where none are found.
    """
    found = [_faced(first, second, placement, *start) for start in _starts(first, second, placement)[:ENOUGH]]
    found = [pair for pair in found if pair is not None]
    if not found:
        raise ValueError(f"No points in which two surfaces face each other were found. {REMEDY}")
    return _first_nearest(found, [spot.x - mine.x for mine, spot in found])


def _starts(first, second, placement):
    """Pairs of spots, the most promising first: those of seeds that face each other best."""
    theirs = [(spot, _seen(spot, placement)) for spot in second.seeds]
    pairs = [(mine, spot, seen) for spot, seen in theirs for mine in first.seeds or (first.near(seen.x),)]
    pairs = [(mine, spot, seen) for mine, spot, seen in pairs if mine is not None and mine.n_hat @ seen.n_hat < 0]

    def promise(pair):
        mine, _, seen = pair
        d = seen.x - mine.x
        across = d - (d @ mine.n_hat) * mine.n_hat
        return across @ across + (d @ d) * (1 + mine.n_hat @ seen.n_hat) + 0.1 * d @ d

    promises = as_floats([promise(pair) for pair in pairs])
    order = np.argsort(np.round(promises / promises.max(initial=1e-300), 9), kind="stable")
    return [pairs[k][:2] for k in order]


def _seen(spot, placement):
    E = placement.E
    return Spot(placement.place(spot.x), placement.turned(spot.n_hat), E.T @ spot.K @ E)


def _faced(first, second, placement, mine, spot):
    """Newton's method for T·(x_2 - x_1) = 0 and T·n_2 = 0, with steps halved until the error falls; None if lost."""
    seen = _seen(spot, placement)
    error = _error(mine, seen)
    for _ in range(STEPS):
        T, R, d = mine.tangents(), seen.tangents(), seen.x - mine.x
        K_1, K_2, Q, I = T.T @ mine.K @ T, R.T @ seen.K @ R, T.T @ R, eye(2, d)
        A = zeros((4, 4), d, K_1, K_2)
        A[:2, :2], A[:2, 2:] = -I - (mine.n_hat @ d) * K_1, Q
        A[2:, :2], A[2:, 2:] = -(mine.n_hat @ seen.n_hat) * K_1, Q @ K_2
        try:
            step = solve_linear(A, -np.concatenate([T.T @ d, T.T @ seen.n_hat]))
        except ValueError:
            return None
        small = 1 + step @ step / (1 + d @ d) == 1
        for _ in range(20):
            new = first.near(mine.x + T @ step[:2]), second.near(spot.x + placement.E @ R @ step[2:])
            if all(one is not None for one in new):
                new_error = _error(new[0], _seen(new[1], placement))
                if small or new_error < error:
                    break
            step = step / 2
        else:
            return (mine, seen) if error < 1e-14 else None
        (mine, spot), error = new, new_error
        seen = _seen(spot, placement)
        if small:
            return (mine, seen) if mine.n_hat @ seen.n_hat < 0 else None
    return None


def _error(mine, seen):
    d, T = seen.x - mine.x, mine.tangents()
    along, turn = T.T @ d, T.T @ seen.n_hat
    back = max(0, 1 + mine.n_hat @ seen.n_hat)
    return along @ along + turn @ turn + back * back


def surface_on_surface(first, second, placement):
    """Two smooth surfaces where they are nearest to each other, or deepest in one another.

    The feet are x_1 and x_2 = x_1 + phi n_hat, and n_2 = -n_hat. Seen from the first body, with V the velocity of the
    second at x_2 and omega its angular velocity, x_1-dot = T a and x_2-dot = V + T b, so that in the tangent plane

        b - a + V = phi K_1 a,          K_1 a + K_2 b = omega × n_hat

    Raises ValueError where they touch along a line, which two points of contact describe better.
    """
    mine, seen = facing_spots(first, second, placement)
    n_hat, T = mine.n_hat, mine.tangents()
    K_1, K_2, phi = T.T @ mine.K @ T, T.T @ seen.K @ T, n_hat @ (seen.x - mine.x)
    V, turning = T.T @ placement.velocity(seen.x), T.T @ cross(placement.v[:3], n_hat)
    try:
        a = solve_linear(K_1 + K_2 @ (eye(2, K_1) + phi * K_1), turning + K_2 @ V)
    except ValueError:
        raise ValueError("Two surfaces are straight in the same direction, so that they touch along a line or not at "
                         "all points alike. Describe the contact by vertices, as of a Segment.") from None
    return Touch(mine.x, T @ a, n_hat, T @ K_1 @ a, phi, mine.x)


def surface_on_face(shape, k, surface, placement):
    """A smooth surface of the second body on face k of a shape of the first, inside the outline of the face."""
    side = shape.sides[k]
    touch = surface_on_surface(Flat(shape.vertices[side.loop[0]], side.normal), surface, placement)
    margin = shape.margin(k, touch.C)
    return touch._replace(inside=margin >= -OUTLINE * shape.size, margin=margin)
