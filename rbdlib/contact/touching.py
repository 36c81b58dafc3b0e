"""Where two shapes touch, or would if they were nearer: normal, its rate of change, signed distance (RBDA 11.6).

All is seen from the first of the two bodies, in its coordinates, as if it stood still. What the other does there is its
`Placement`. Each function returns a `Touch`; `rbdlib.contact.geometry` turns these into contacts in base coordinates.
"""


from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import unskew
from rbdlib.contact.shapes import OUTLINE
from rbdlib.contact.surfaces import Flat, facing_spots
from rbdlib.numbers.linear import cross, solve_linear
from rbdlib.numbers.pivots import first_least
from rbdlib.numbers.scalars import as_floats, eye, roots

#: Edges more nearly parallel than this (sine of the angle) have no common normal; normals that leave the range of those
#: that an edge or a vertex can have by less than this are still in it.
PARALLEL, CONE = 1e-6, 1e-6


class Placement(namedtuple("Placement", "E r v")):
    """Where the second body is, and how it moves, seen from the first: E, r as for `plucker`, v its velocity (6)."""

    @classmethod
    def of(cls, X, v):
        """From the transform X (6 x 6) from the first body's to the second's coordinates."""
        return cls(X[:3, :3], unskew(-X[:3, :3].T @ X[3:, :3]), v)

    def place(self, x):
        """The position in the first body's coordinates of the point x of the second."""
        return self.r + self.E.T @ x

    def turned(self, u):
        """A direction of the second body, or an array (n x 3) of them, in the first body's coordinates."""
        return u @ self.E

    def velocity(self, P):
        """The velocity of the point of the second body that is at P, in the first body's coordinates."""
        return self.v[3:] + cross(self.v[:3], P)


class Touch(namedtuple("Touch", "C C_rate n_hat n_hat_rate phi point inside margin", defaults=(True, np.inf))):
    """A potential contact: C (3) a point of the line of the normal, C_rate; n_hat (3) from the first body to the
    second, n_hat_rate, as seen from the first body; phi (m); point (3) on the surface; inside, margin (m).
    """


def ball_on(shape, centre, radius, placement):
    """A ball, or with radius 0 a point, of the second body at a shape of the first, known by its distance function."""
    c = placement.place(centre)
    return _meet(shape.distance(c), c, radius, placement)


def _meet(distance, c, radius, placement):
    h, n_hat, W, _ = distance
    c_rate = placement.velocity(c)
    return Touch(c, c_rate, n_hat, W @ c_rate, h - radius, c - h * n_hat)


def vertex_on(shape, x, spokes, placement, extended=False):
    """The vertex x of the second body at a shape with faces.

    spokes (n x 3): the directions of the edges that start in the vertex. A face can carry the vertex if no edge leads
    into it; of those the one with the nearest plane counts, inside its outline. Elsewhere the distance from the nearest
    part is given, and the contact said to be outside. extended: faces go on beyond their outlines, so that a vertex
    that moves on one can be followed a little way past the end.
    """
    c, spokes = placement.place(x), placement.turned(spokes)
    faces = [k for k, side in enumerate(shape.sides) if all(spokes @ side.normal >= -CONE)]
    nearest, margin = shape.distance(c), -np.inf
    inside = bool(shape.solid and nearest.h < 0)
    numbers = faces or list(range(len(shape.sides)))
    k = numbers[first_least(as_floats([abs(shape.height(k, c)) for k in numbers]))]     # in whose plane c nearly lies
    if extended:
        nearest = shape.on_face(k, c)
    if faces:
        margin, h, within = shape.margin(k, c), shape.height(k, c), OUTLINE * shape.size
        if margin >= -within and (h >= 0 or shape.contains(c)) and h >= 2 * min(nearest.h, 0) - within:
            nearest, inside = shape.on_face(k, c), True
    return _meet(nearest, c, 0, placement)._replace(inside=inside, margin=margin)


def edges_on_edges(first, i, second, j, placement):
    """Edges j of the second shape across edges i of the first (two arrays of numbers): normals at right angles to both.

    They can touch where the normal is one that both edges can have (between those of their two faces) and the feet are
    within the edges. Parallel edges touch at their ends only, which have contacts of their own. Returns `Touch`es.
    """
    (a_1, b_1), (a_2, b_2) = (shape.vertices[np.array(shape.edges)[k].T] for shape, k in ((first, i), (second, j)))
    a_2, e_1, e_2 = placement.r + placement.turned(a_2), b_1 - a_1, placement.turned(b_2 - a_2)
    l_1, l_2 = roots(_dot(e_1, e_1)), roots(_dot(e_2, e_2))
    e_1, e_2, d, radius = e_1 / l_1[:, None], e_2 / l_2[:, None], a_2 - a_1, first.radius + second.radius
    m = crosses(e_1, e_2)
    M = _dot(m, m)
    parallel = (M <= PARALLEL**2).astype(bool)
    M = np.where(parallel, 1, M)
    n_hat, possible = _edge_normals(first, i, second, j, placement, m / roots(M)[:, None], d, parallel)
    omega, shift = placement.v[:3], placement.v[3:]
    e_2_rate, a_2_rate = crosses(omega, e_2), shift + crosses(omega, a_2)
    m_rate, d_e = crosses(e_1, e_2_rate), crosses(d, e_2)
    s, u = _dot(d_e, m) / M, _dot(crosses(d, e_1), m) / M
    N_rate = _dot(crosses(a_2_rate, e_2) + crosses(d, e_2_rate), m) + _dot(d_e, m_rate)
    s_rate = (N_rate - 2 * s * _dot(m, m_rate)) / M
    turning = np.where(_dot(n_hat, m) > 0, 1, -1)[:, None] * m_rate
    n_hat_rate = (turning - _dot(turning, n_hat)[:, None] * n_hat) / roots(M)[:, None]
    margin = np.minimum(np.minimum(s, l_1 - s), np.minimum(u, l_2 - u))
    inside = possible & (margin >= -OUTLINE * np.maximum(l_1, l_2))
    gap, flat = _dot(n_hat, d), parallel[:, None]
    C = np.where(flat, a_2, a_1 + s[:, None] * e_1)
    point = np.where(flat, a_2 - gap[:, None] * n_hat, C + first.radius * n_hat)
    C_rate, n_hat_rate = np.where(flat, a_2_rate, s_rate[:, None] * e_1), np.where(flat, 0, n_hat_rate)
    margin = np.where(possible, margin, -np.inf)
    return [Touch(*each) for each in zip(C, C_rate, n_hat, n_hat_rate, gap - radius, point, map(bool, inside), margin,
                                         strict=True)]


def crosses(a, b):
    """The vector products of the rows of two arrays (n x 3)."""
    return cross(a.T, b.T).T


def _dot(a, b):
    return (a * b).sum(axis=-1)


def _edge_normals(first, i, second, j, placement, m, d, parallel):
    """The unit normals along m, in the sense from the first body to the second, and whether both edges can have them.

    Of parallel edges the normal is the direction out of the first, and they cannot have it.
    """
    normals, outwards = [], []
    for shape, k, turned, sign in ((first, i, np.asarray, 1), (second, j, placement.turned, -1)):
        if len(shape.sides):
            normals.append(sign * turned(np.array(shape.across)[k]))
            outwards.append(-normals[-1].sum(axis=1))
        elif shape.outward is not None:
            outwards.append(sign * turned(shape.outward) + 0 * m)
    if not outwards:                                                    # the nearer of two rounded bars is below
        return np.where(parallel[:, None], [0, 0, 1], np.where(_dot(m, d) >= 0, 1, -1)[:, None] * m), ~parallel
    along, against = (~parallel & np.array([*((sign * _dot(m[:, None], each)).max(axis=-1) <= CONE for each in normals),
                                            *(sign * _dot(m, each) > 0 for each in outwards)], dtype=bool).all(axis=0)
                      for sign in (1, -1))
    outward = outwards[0]
    sense = np.where(along | (~against & (_dot(m, outward) >= 0)), 1, -1)
    straight = outward / roots(_dot(outward, outward))[:, None]
    return np.where(parallel[:, None], straight, sense[:, None] * m), along | against


def edges_across(first, second, placement):
    """All edges of the second shape across all edges of the first, as a list: see `edges_on_edges`.

    The distance of two convex shapes, or their depth in one another, is the largest gap along a normal of a face or
    along one that two edges can have in common. Edges much deeper than that are not where the shapes touch.
    """
    pairs = np.indices((len(first.edges), len(second.edges))).reshape(2, -1)
    touches = edges_on_edges(first, pairs[0], second, pairs[1], placement)
    if first.radius or second.radius or not any(touch.inside and touch.phi < 0 for touch in touches):
        return touches
    ours, theirs = (first.vertices - placement.r) @ placement.E.T, placement.r + second.vertices @ placement.E
    apart = [min((xs - shape.vertices[side.loop[0]]) @ side.normal)         # of a face of one from all of the other
             for shape, xs in ((first, theirs), (second, ours)) for side in shape.sides]
    gap = max([-np.inf, *apart, *(touch.phi for touch in touches if touch.margin > -np.inf)])
    least = 2 * min(gap, 0) - OUTLINE * max(first.size, second.size)
    return [touch._replace(inside=False, margin=-np.inf) if touch.inside and touch.phi < least else touch
            for touch in touches]


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
