"""Compact forms of given transforms: few turns and shifts about coordinate axes instead of a matrix (RBDA 4.3, A.4)."""

from itertools import combinations
from math import atan2, hypot

import numpy as np

from rbdlib.arithmetic.base import scaled, total
from rbdlib.arithmetic.screws import scr, screws
from rbdlib.arithmetic.transforms import plx
from rbdlib.book.ch02_spatial import X_to_Er

#: A number in a transform that differs from -1, 0 or 1 by no more than this is meant to be this number.
ROUNDING = 1e-15
#: A product of screws must give back a numeric transform to this fraction of the largest entry of its turn or shift.
ACCURACY = 1e-14
#: Shifts are measured along axes only where their directions are independent by so much (smallest singular value).
INDEPENDENT = 0.1


def compact(X, k=2):
    """The transform X (6 x 6) as a chain of axial screws if it can be made of such, otherwise as a `plx`.

    k: the axis (0, 1, 2) with which the chain should begin, that of the joint beyond it, whose turn it then joins. A
    general transform takes three screws: 30m + 18a for a vector, as against 24m + 18a for a `plx` and 12m + 6a for
    its product with the turn of the joint, and less for inertias. One in Denavit-Hartenberg form takes two. Of symbols,
    only turns about one axis are taken apart. Raises ValueError if X is no Plücker transform.
    """
    E, r = X_to_Er(X)
    if E.dtype.kind not in "iuf":
        return _by_sight(X, E, r)
    E, r = E.astype(float), r.astype(float)
    whole = np.round(E)
    snapped = np.where(np.abs(E - whole) <= ROUNDING, whole, E)
    chains = [screws(_with_shifts(_three_turns(snapped, k, i), r)) for i in ((k + 1) % 3, (k + 2) % 3)]
    sizes = [np.abs(X[rows, :3]).max() for rows in (slice(0, 3), slice(3, 6))]          # lengths have any unit
    right = [chain for chain in chains
             if (np.abs(chain.matrix - X)[:, :3] <= ACCURACY * np.repeat(sizes, 3)[:, None]).all()]
    return min(right, key=_cost) if right else plx.of(E, r)


def _by_sight(X, E, r):
    """A transform of symbols: a turn about one axis with shifts, if the entries show that it is one; else a `plx`."""
    for k in (2, 0, 1):
        i, j = (k + 1) % 3, (k + 2) % 3
        if (E[k] == np.eye(3, dtype=int)[k]).all():
            c, s = (int(x) if x in (0, 1, -1) else x for x in (E[i, i], E[i, j]))
            r_k = total([scaled(c, X[3 + i, j]), -scaled(s, X[3 + i, i])])
            turn = scr.of(k, 0 if c == 1 and s == 0 else None, c, s, r_k)
            shifts = [_turn(i, 1, 0, -X[3 + k, j]), _turn(j, 1, 0, X[3 + k, i])]
            return screws(_without_effectless([turn, *shifts]))
    return plx.of(E, r)


def _without_effectless(factors):
    """The factors that turn or shift at all."""
    return [X for X in factors if not (X.c == 1 and X.s == 0 and X.d == 0)]


def _cost(chain):
    """How many products with numbers a vector needs, then how many factors there are; the first turn is the joint's."""
    turns = sum(type(X.s) is not int for X in chain.factors[1:])
    return 4 * turns + sum(X.d != 0 for X in chain.factors), len(chain.factors)


def _turn(axis, c, s, d=0):
    """An axial screw from its cosine and sine, which are whole numbers if they are 0 or 1 but for rounding."""
    theta = 0 if (c, s) == (1, 0) else atan2(s, c)
    if min(abs(c), abs(s)) <= ROUNDING:
        c, s = int(round(c)), int(round(s))
    return scr.of(axis, theta, c, s, d)


def _three_turns(E, k, i):
    """E as turns about k, i and k (Euler angles). The last turn brings axis i across axis k of both frames."""
    j, sign = 3 - k - i, 1 if i == (k + 1) % 3 else -1
    across = hypot(E[k, i], E[k, j])
    c_3, s_3 = (E[k, j] / across, -sign * E[k, i] / across) if across > 0 else (1.0, 0.0)
    if c_3 < 0:
        c_3, s_3 = -c_3, -s_3
    last = _turn(k, c_3, s_3)
    F = E @ last.E_r[0].T
    return [_turn(k, F[i, i], -sign * F[j, i]), _turn(i, F[k, k], -sign * F[k, j]), last]


def _with_shifts(turns, r):
    """The turns with the shifts that bring the origin to r: as few as possible, pure shifts at the end if need be."""
    directions, E = [], np.eye(3)
    for turn in reversed(turns):
        directions.insert(0, E[turn.k])
        E = turn.E_r[0] @ E
    d = _fewest(np.array([*directions, *np.eye(3)]), r)
    moved = [scr.of(X.k, X.theta, X.c, X.s, shift) for X, shift in zip(turns, d, strict=False)]
    pure = [_turn(axis, 1, 0, shift) for axis, shift in zip((0, 1, 2), d[len(turns):], strict=True)]
    return _without_effectless([*moved, *pure])


def _fewest(directions, r):
    """Coefficients, as few as possible not zero, with which the sum of the directions (n x 3) is r: a list (n)."""
    d, size = [0] * len(directions), ROUNDING * np.abs(r).max()
    for n in range(4):
        for chosen in combinations(range(len(directions)), n):
            A = directions[list(chosen)].T
            if n and np.linalg.svd(A, compute_uv=False)[-1] < INDEPENDENT:
                continue
            x = np.linalg.lstsq(A, r, rcond=None)[0]
            if np.abs(A @ x - r).max(initial=0) <= (4 if n == 3 else 1) * size:
                for place, value in zip(chosen, x.tolist(), strict=True):
                    d[place] = value
                return d
    raise AssertionError("the three axes of the frame are always independent")
