"""Smooth surfaces that touch: given by an equation f(x) = 0 or by parameters x(u, w) (RBDA 11.6).

What the equations of motion need of a surface is its position, its normal n_hat and how the normal turns from point to
point, dn_hat = K dx: a `Spot`. Nearest points are sought by Newton's method along the surface, in numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.contact.shapes import Distance, cross, store, unit
from rbdlib.numbers.dual import Dual, partials, seed, values
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.pivots import axis_across, first_least
from rbdlib.numbers.scalars import as_floats, eye, matrix, number, sqrt, vector, zeros

#: How many steps Newton's method may take, and from how many places the points that face each other are sought.
STEPS, ENOUGH = 60, 3


class Spot(NamedTuple):
    """A place on a surface: x (3); n_hat (3) out of the material; K (3 x 3), dn_hat = K dx along the surface."""

    x: np.ndarray
    n_hat: np.ndarray
    K: np.ndarray
    u: np.ndarray | None = None
    J: np.ndarray | None = None

    def tangents(self):
        """Two unit vectors (3 x 2) at right angles to the normal and to each other."""
        a = unit(cross(self.n_hat, axis_across(self.n_hat)), "tangent")
        return np.array([a, cross(self.n_hat, a)]).T


class Surface:
    """Base of smooth surfaces: each has `moved(spot, dx)`, the spot near spot.x + dx, and seeds to start from."""

    seeds: tuple
    moved: Callable
    _near: Callable

    def distance(self, c):
        """The `Distance` of c from the nearest point of the surface, whose curvature in parallel is K (1 + h K)⁻¹."""
        found = [foot for foot in (self._foot(c, start) for start in self._starts(c)) if foot is not None]
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

    def _starts(self, c):
        """Spots to start from in the search for the point that is nearest to c."""
        nearest = _first_nearest(self.seeds, [c - spot.x for spot in self.seeds]) if self.seeds else None
        return [spot for spot in (nearest, self._near(c)) if spot is not None]

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
                new = self.moved(spot, step)
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

    f: a function of x in ``+ - * /`` and rbdlib.numbers.scalars' sin, cos, sqrt; its gradient (3) and hessian (3 x 3)
    may be given too, and are found by differentiating f otherwise. start (3), reach (m): where the surface is, as the
    middle and half the extent of the part that matters. Raises ValueError where there is no surface, and where gradient
    or hessian are not those of f.
    """

    f: Callable
    gradient: Callable | None = None
    hessian: Callable | None = None
    start: ArrayLike = (0, 0, 0)
    reach: float = 1

    def __post_init__(self):
        store(self, start=vector(self.start, 3, "start"), reach=number(self.reach, "reach"))
        _require_functions(f=self.f, gradient=self.gradient or self.f, hessian=self.hessian or self.f)
        if not self.seeds:
            raise ValueError(f"f(x) = 0 has no smooth point that was found from start. {REMEDY}")
        _require_derivatives(self)

    @cached_property
    def seeds(self):
        """Spots on the surface found from a grid of 27 points about start, those that are the same left out."""
        found = []
        for signs in product((0, -1, 1), repeat=3):
            size = np.sqrt(max(1, np.dot(signs, signs)))
            spot = self._near(self.start + self.reach * np.array(signs) / size)
            if spot is not None and all((spot.x - other.x) @ (spot.x - other.x) > 1e-6 for other in found):
                found.append(spot)
        return tuple(found)

    def derivatives(self, x):
        """f (a number), its gradient (3) and its hessian (3 x 3) at x."""
        f, g, H = (self.f(x), None, None) if self.gradient and self.hessian else second_derivatives(self.f, x)
        if self.gradient:
            g = vector(self.gradient(x), 3, "gradient(x)")
        if self.hessian:
            H = matrix(self.hessian(x), (3, 3), "hessian(x)")
        return f, g, H

    def _slope(self, x):
        """f and its gradient at x."""
        if self.gradient:
            return self.f(x), vector(self.gradient(x), 3, "gradient(x)")
        f = self.f(seed(x))
        return (f.value, f.partials) if isinstance(f, Dual) else (f, zeros(3, x))

    def spot(self, x):
        """The `Spot` at x, a point of the surface; None where the gradient vanishes."""
        _, g, H = self.derivatives(x)
        square = g @ g
        if square == 0:
            return None
        length = sqrt(square)
        n_hat = g / length
        P = eye(3, x) - np.outer(n_hat, n_hat)
        return Spot(x, n_hat, P @ H @ P / length)

    def moved(self, spot, dx):
        return self._near(spot.x + dx)

    def _near(self, x):
        """The spot where the way along the gradient from x ends on the surface; None if it does not."""
        for _ in range(STEPS):
            f, g = self._slope(x)
            square = g @ g
            if square == 0:
                return None
            step = -f / square * g
            x = x + step
            if 1 + step @ step / (1 + x @ x) == 1:
                return self.spot(x)
        return None


@dataclass(frozen=True, eq=False)
class ParametricSurface(Surface):
    """The surface of the points x(u, w) (3, m); the normal, out of the material, is along dx/du × dx/dw.

    x: a function of two numbers in ``+ - * /`` and rbdlib.numbers.scalars' sin, cos, sqrt. start (2), reach: the middle
    and half the extent of the range of u and w that matters. Raises ValueError where dx/du and dx/dw are parallel.
    """

    x: Any
    start: ArrayLike = (0, 0)
    reach: float = 1

    def __post_init__(self):
        reach = [self.reach] * 2 if np.ndim(self.reach) == 0 else self.reach
        store(self, start=vector(self.start, 2, "start"), reach=vector(reach, 2, "reach"))
        _require_functions(x=self.x)
        if not self.seeds:
            raise ValueError("dx/du and dx/dw are parallel everywhere around start. Choose other parameters or start.")

    @cached_property
    def seeds(self):
        grid = [-1, -0.5, 0, 0.5, 1]
        spots = [self.spot(self.start + self.reach * np.array(place)) for place in product(grid, repeat=2)]
        return tuple(spot for spot in spots if spot is not None)

    def spot(self, u):
        """The `Spot` at the parameters u (2); None where they are singular."""
        x, J, H = second_derivatives(lambda u: self.x(*u), u)
        normal = cross(J[:, 0], J[:, 1])
        square = normal @ normal
        if square <= 1e-20 * (J[:, 0] @ J[:, 0] + J[:, 1] @ J[:, 1]) ** 2:
            return None
        n_hat, G = normal / sqrt(square), J.T @ J
        A = solve_linear(G, J.T)
        return Spot(x, n_hat, -A.T @ (n_hat @ H.reshape(3, 4)).reshape(2, 2) @ A, u, J)

    def moved(self, spot, dx):
        new = self.spot(spot.u + solve_linear(spot.J.T @ spot.J, spot.J.T @ dx))
        return None if new is None or new.n_hat @ spot.n_hat < 0 else new       # beyond a pole the normal points in

    def _near(self, x):
        return None


def second_derivatives(function, x):
    """function(x) with its first and second derivatives, (...), (..., n) and (..., n, n), by duals of duals."""
    n, twice = len(x), np.empty(len(x), dtype=object)
    twice[:] = [Dual(Dual(x_i, e_i), e_i) for x_i, e_i in zip(x, eye(n, x), strict=True)]
    result = np.asarray(function(twice), dtype=object)
    slopes = partials(result, n)
    return values(values(result))[()], values(slopes), partials(slopes, n)


def _require_functions(**functions):
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{name} is {function!r}; give a function.")


def _require_derivatives(surface):
    """Compare a gradient and a hessian that were given with differences of f along the way out of the surface."""
    if not (surface.gradient or surface.hessian):
        return
    h = 1e-5 * surface.reach
    for spot in surface.seeds[:3]:
        a, b = (surface.derivatives(spot.x + sign * h * (spot.n_hat + [0.3, 0.2, 0.1])) for sign in (1, -1))
        _, g, H = surface.derivatives(spot.x)
        e = 2 * h * (spot.n_hat + [0.3, 0.2, 0.1])
        for name, change, rate in (("gradient", a[0] - b[0], g @ e), ("hessian", a[1] - b[1], H @ e)):
            error, size = np.abs(as_floats(np.array(change - rate))).max(), np.sqrt(float(g @ g + np.sum(H * H)))
            if error > 1e-4 * size * h:
                raise ValueError(f"{name}(x) is not the derivative that differences of f show at {as_floats(spot.x)}.")


@dataclass(frozen=True, eq=False)
class Flat(Surface):
    """A plane among surfaces, so that curved ones can be put on it."""

    point: ArrayLike
    normal: ArrayLike
    seeds = ()

    def _near(self, x):
        return Spot(x - self.normal * (self.normal @ (x - self.point)), self.normal, zeros((3, 3), x))

    def moved(self, spot, dx):
        return self._near(spot.x + dx)


def _first_nearest(found, away):
    """Of what was found the one whose vector away (3) is the shortest; of several, the first."""
    return found[first_least(as_floats([d @ d for d in away]))]


# Two surfaces


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
    pairs = [(mine, spot, seen) for spot, seen in theirs for mine in first.seeds or (first._near(seen.x),)]
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
            new = first.moved(mine, T @ step[:2]), second.moved(spot, placement.E @ R @ step[2:])
            if None not in [None if one is None else 0 for one in new]:
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
