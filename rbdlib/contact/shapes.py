"""Shapes that touch: points, balls, planes, faces, edges, boxes (RBDA 11.6).

A shape is in the coordinates of the body it is fixed to. What a ball or a vertex meets is described by the distance
function of the shape: h(c), the distance of the point c from the surface, negative in the material; its gradient, the
unit normal n_hat out of the material; and its second derivatives W = dn_hat/dc, the curvature of the surface in
parallel, through which the shape enters the equations of motion as n_hat-dot = W c-dot.

The distance from planes and spheres is a formula, also of symbols; the others decide which part of them is nearest.
"""

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.book.ch02_spatial import X_to_Er, unskew
from rbdlib.numbers.linear import cross
from rbdlib.numbers.pivots import axis_across, first_least
from rbdlib.numbers.scalars import as_floats, eye, floats, number, sqrt, vector, zeros
from rbdlib.numbers.validation import transform

#: An outline is left when it is left by more than this, compared with the size of the shape.
OUTLINE = 1e-9


class Distance(namedtuple("Distance", "h n_hat W margin", defaults=(np.inf,))):
    """Distance of a point c from a shape, and the normal there, in the coordinates of the shape's body.

    h: signed distance (m).  n_hat (3): its gradient.  W (3 x 3): its second derivatives (1/m).  margin: how far inside
    the outline of its face the nearest point lies (m), negative where it is not on a face; inf where there is no end.
    """


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


def from_centre(d, hollow=False):
    """The `Distance` of a point at d from the centre of a sphere without size: h = |d|; with hollow h = -|d|."""
    square = d @ d
    if square == 0:                             # where every direction is as good as another: z, which does not turn
        return Distance(0 * square, zeros(3, d) + [0, 0, 1], zeros((3, 3), d))
    h = -sqrt(square) if hollow else sqrt(square)
    return Distance(h, d / h, (eye(3, d) - np.outer(d, d) / square) / h)


def unit(direction, name):
    """The direction as a unit vector; ValueError if it is zero, or a formula whose length is not known to be 1."""
    direction = vector(direction, 3, name)
    square = direction @ direction
    if square == 0:
        raise ValueError(f"{name} is zero, which is no direction. Give a vector of any other length.")
    return direction if square == 1 else direction / sqrt(square)


def positive(x, name, least="greater than 0"):
    """The number x, checked to be positive (or, with least="at least 0", not negative) if it has a value."""
    x = number(x, name)
    value = as_floats(x)
    if value is not None and (value < 0 or (value == 0 and least == "greater than 0")):
        raise ValueError(f"{name} is {x}; give a length {least}, in m.")
    return x


def store(thing, **values):
    """Give a frozen thing its checked values, arrays not to be written to."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(thing, name, value)


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the body at r (m): a vertex, a tip, a foot."""

    r: ArrayLike = (0, 0, 0)
    radius = 0
    hollow = False

    def __post_init__(self):
        store(self, r=vector(self.r, 3, "r"))

    centre = property(lambda self: self.r)

    def distance(self, c):
        return from_centre(c - self.r)


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball about centre (m); with hollow=True the material is outside, as of a bowl. In the plane: a disc, a slot."""

    radius: float
    centre: ArrayLike = (0, 0, 0)
    hollow: bool = False

    def __post_init__(self):
        store(self, radius=positive(self.radius, "radius"), centre=vector(self.centre, 3, "centre"))

    def distance(self, c):
        far = from_centre(c - self.centre, self.hollow)
        return far._replace(h=far.h + self.radius if self.hollow else far.h - self.radius)


@dataclass(frozen=True, eq=False)
class Plane:
    """The half-space below the plane through point (m); normal points out of the material and has any length."""

    point: ArrayLike = (0, 0, 0)
    normal: ArrayLike = (0, 0, 1)

    def __post_init__(self):
        store(self, point=vector(self.point, 3, "point"), normal=unit(self.normal, "normal"))

    def distance(self, c):
        return Distance(self.normal @ (c - self.point), self.normal, zeros((3, 3), c))


class Side(namedtuple("Side", "normal loop inward")):
    """A face: its unit normal, the numbers of its vertices, anticlockwise seen from outside, and of each of its sides
    the unit vector in the face that points across the side into the face."""


class Polyhedral:
    """Base of shapes with flat faces and straight edges. Every one has vertices (n x 3), sides and edges.

    sides: a list of `Side`.  edges: pairs of vertices.  across: for each edge the unit vectors that point across it
    into the material, along the faces it bounds and at right angles to it.  radius: how far all this is rounded.
    """

    vertices: Any
    sides: tuple
    solid: bool
    radius: float = 0
    outward: ArrayLike | None = None

    @cached_property
    def size(self):
        """The largest extent (m), to compare lengths with."""
        return max(float(x) for x in np.ptp(self.vertices, axis=0))

    @cached_property
    def edges(self):
        return tuple({tuple(sorted(pair)): None for side in self.sides for pair in _cycle(side.loop)})

    @cached_property
    def across(self):
        into = {edge: [] for edge in self.edges}
        for side in self.sides:
            for pair, inward in zip(_cycle(side.loop), side.inward, strict=True):
                into[tuple(sorted(pair))] += [inward] if self.solid else [inward, -side.normal]
        return [np.array(into[edge]).reshape(-1, 3) for edge in self.edges]

    @cached_property
    def spokes(self):
        """For each vertex the unit vectors along the edges that start there."""
        spokes = [[] for _ in self.vertices]
        for i, j in self.edges:
            spokes[i].append(unit(self.vertices[j] - self.vertices[i], "edge"))
            spokes[j].append(-spokes[i][-1])
        return [np.array(spoke).reshape(-1, 3) for spoke in spokes]

    def height(self, k, c):
        """The distance of c from the plane of face k."""
        return self.sides[k].normal @ (c - self.vertices[self.sides[k].loop[0]])

    def margin(self, k, c):
        """How far inside the outline of face k the foot of c lies; negative beyond it."""
        side = self.sides[k]
        return min(inward @ (c - self.vertices[i]) for inward, i in zip(side.inward, side.loop, strict=True))

    def contains(self, c):
        """True if c is in the material, or beneath the plate; a little outside is still inside."""
        return all(self.height(k, c) <= OUTLINE * self.size for k in range(len(self.sides)))

    def on_face(self, k, c):
        return Distance(self.height(k, c), self.sides[k].normal, zeros((3, 3), c), self.margin(k, c))

    def distance(self, c):
        """Of the nearest part: a face, an edge or a vertex. In a solid, of the face with the least way out."""
        heights = [self.height(k, c) for k in range(len(self.sides))]
        if self.solid and all(height <= 0 for height in heights):
            return self.on_face(first_least(-as_floats(heights)), c)
        for k, height in enumerate(heights):
            if (height > 0 or not self.solid) and self.margin(k, c) >= 0:
                return self.on_face(k, c)
        far = min((self.on_edge(*edge, c) for edge in self.edges), key=lambda far: far.h)
        return far._replace(h=far.h - self.radius)

    def on_edge(self, i, j, c):
        """The `Distance` from the nearest point of the edge between vertices i and j, which may be its end."""
        a, e = self.vertices[i], self.vertices[j] - self.vertices[i]
        s = (c - a) @ e / (e @ e)
        if not 0 < s < 1:
            return from_centre(c - self.vertices[i if s <= 0 else j])._replace(margin=-np.inf)
        far = from_centre(c - a - s * e)
        return far._replace(W=far.W - np.outer(e, e) / (e @ e) / far.h if far.h != 0 else far.W, margin=-np.inf)


def _cycle(loop):
    return zip(loop, (*loop[1:], loop[0]), strict=True)


def _side(vertices, loop, normal):
    inward = [cross(normal, unit(vertices[j] - vertices[i], "edge")) for i, j in _cycle(loop)]
    return Side(normal, tuple(int(i) for i in loop), np.array(inward))


def _vertices(vertices, least):
    vertices = [vector(v, 3, f"vertices[{i}]") for i, v in enumerate(vertices)]
    if len(vertices) < least:
        raise ValueError(f"vertices has {len(vertices)} points; give at least {least}.")
    return np.array(vertices)


@dataclass(frozen=True, eq=False)
class Segment(Polyhedral):
    """A straight edge from a to b (m), sharp, or rounded with a radius (m).

    outward: a vector that points out of the material that the edge belongs to; two sharp edges that cross need it from
    one of them to know on which side they are.
    """

    a: ArrayLike
    b: ArrayLike
    outward: ArrayLike | None = None
    radius: float = 0
    solid = False
    sides = ()
    edges = ((0, 1),)

    def __post_init__(self):
        a, b = vector(self.a, 3, "a"), vector(self.b, 3, "b")
        unit(b - a, "b - a")
        outward = None if self.outward is None else unit(self.outward, "outward")
        store(self, a=a, b=b, outward=outward, vertices=np.array([a, b]),
               radius=positive(self.radius, "radius", "at least 0"))


@dataclass(frozen=True, eq=False)
class Face(Polyhedral):
    """A flat convex plate with the given outline, material below: vertices (n x 3, m) anticlockwise seen from above."""

    vertices: ArrayLike
    solid = False

    def __post_init__(self):
        vertices = _vertices(self.vertices, 3)
        spokes = vertices - vertices[0]
        area = sum(cross(spokes[i], spokes[j]) for i, j in _cycle(range(len(vertices))))
        side = _side(vertices, range(len(vertices)), unit(area, "the area of the face"))
        store(self, vertices=vertices, sides=(side,))
        reach = self.size
        for inward, i in zip(side.inward, side.loop, strict=True):
            heights = (vertices - vertices[i]) @ np.array([inward, side.normal]).T
            if any(x < -FLAT * reach or abs(z) > FLAT * reach for x, z in heights):
                raise ValueError(f"vertices: the corners seen from the side that starts at vertices[{i}] are not those "
                                 "of a flat convex polygon. List them in order, or cut it into convex ones.")


#: How far, compared with the size of a shape, a corner may lie from where it ought to be.
FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Polyhedron(Polyhedral):
    """A convex solid: the convex hull of the vertices (n x 3, m). Those that are no corners are left out."""

    vertices: ArrayLike
    solid = True

    def __post_init__(self):
        corners, loops = _hull(floats(_vertices(self.vertices, 4), "vertices contains symbols; give numbers, because a "
                                      "hull cannot be found for symbols."))
        store(self, vertices=corners, sides=tuple(_side(corners, loop, normal) for normal, loop in loops))


def _hull(vertices):
    """The corners and the faces (normal, loop) of the convex hull, triangles in one plane joined."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices)
    except QhullError:
        raise ValueError("vertices all lie in one plane; give the corners of a solid, or use Face.") from None
    planes = []
    for equation in hull.equations:
        if not any(np.abs(equation - other).max() < FLAT * max(1, np.abs(other).max()) * 10 for other in planes):
            planes.append(equation)
    reach, faces = np.ptp(vertices, axis=0).max(), []
    for *normal, offset in planes:
        normal = np.array(normal)
        on = [i for i in hull.vertices if abs(vertices[i] @ normal + offset) < 100 * FLAT * reach]
        x = np.cross(normal, axis_across(normal))
        around = vertices[on] - vertices[on].mean(axis=0)
        angle = np.arctan2(around @ np.cross(normal, x), around @ x)
        first = angle[np.argmin(on)]                            # a loop starts with the corner that was given first
        faces.append(([on[i] for i in np.argsort((angle - first) % (2 * np.pi))], normal))
    corners = np.sort(hull.vertices)
    faces.sort(key=lambda face: face[0])
    return vertices[corners], [(normal, np.searchsorted(corners, loop).tolist()) for loop, normal in faces]


@dataclass(frozen=True, eq=False)
class Box(Polyhedral):
    """A solid box: sizes (3, m) along the axes of its own frame, which has its origin in the centre.

    X (6 x 6): the transform from body to box coordinates; without it the box's frame is the body's. The vertices are
    ordered by x, then y, then z: the first is the one where all three are least.
    """

    sizes: ArrayLike
    X: ArrayLike | None = None
    solid = True

    def __post_init__(self):
        sizes = np.array([positive(size, f"sizes[{i}]") for i, size in enumerate(vector(self.sizes, 3, "sizes"))])
        E, r = X_to_Er(eye(6, sizes) if self.X is None else transform(self.X, "X"))
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        vertices = r + signs * sizes / 2 @ E
        sides = [_side(vertices, loop, sign * E[axis]) for axis, sign, loop in BOX]
        store(self, sizes=sizes, vertices=vertices, sides=tuple(sides))


#: The faces of a box: the axis, and the direction along it, of the normal, and the corners.
BOX = (
    (0, -1, (1, 3, 2, 0)), (0, 1, (4, 6, 7, 5)), (1, -1, (4, 5, 1, 0)),
    (1, 1, (2, 3, 7, 6)), (2, -1, (2, 6, 4, 0)), (2, 1, (1, 5, 7, 3)))
