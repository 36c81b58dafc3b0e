"""Potential contacts between the shapes of two bodies of a model, and sets of contacts (RBDA 11.6).

A `Pair` says which shapes of which bodies may touch; it lists the same potential contacts in the same order wherever
the bodies are, so that each distance phi can be followed through a motion.
"""

from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import crf, inverse_transform
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch11_contact import Contact
from rbdlib.contact import touching
from rbdlib.contact.body_motions import body_motions
from rbdlib.contact.shapes import Disc, Plane, Point, Polyhedral, Sphere
from rbdlib.contact.surfaces import Flat, ImplicitSurface, Surface
from rbdlib.contact.touching import crosses
from rbdlib.numbers.scalars import zeros


@dataclass(frozen=True, eq=False)
class PotentialContact(Contact):
    """A `Contact` with a place on the shapes: point (3) on the line of the normal, in base coordinates.

    inside: False where a vertex is beyond the outline of the face that it would stand on, or two edges pass beyond each
    other's ends: a geometric loss, whatever phi is.  margin (m): how far it is from that, > 0 inside and < 0 beyond;
    inf if it cannot happen.
    """

    margin: float = np.inf


@dataclass(frozen=True, eq=False)
class Pair:
    """Two bodies that may touch: predecessor and successor (numbers, 0 for the base) and a shape of each (RBDA 11.6).

    Contact normals point from predecessor to successor. name: for messages and tables. restitution, friction: of this
    pair, where it is not that of the whole system. Which shapes go together: points and balls with every shape; planes,
    hollow spheres and smooth surfaces with one another and with vertices; what has faces with one another, vertices on
    faces and edges across edges; smooth surfaces on faces, but not on edges; discs with planes. Raises TypeError for
    shapes that cannot meet, ValueError for bodies that cannot.
    """

    predecessor: int
    shape_p: Any
    successor: int
    shape_s: Any
    name: str = ""
    restitution: float | None = None
    friction: float | None = None
    _plan: tuple = field(init=False, repr=False)

    def __post_init__(self):
        Contact(self.predecessor, self.successor, np.array([0, 0, 0, 0, 0, 1]))
        plan = _plan(self.shape_p, self.shape_s)
        if not plan:
            raise TypeError(f"{_kind(self.shape_p)} and {_kind(self.shape_s)} cannot be told to touch. {REMEDY}")
        object.__setattr__(self, "_plan", plan)

    def __len__(self):
        """The number of potential contacts."""
        return sum(len(names) for _, _, names in self._plan)

    @property
    def crossing(self):
        """For each potential contact whether it is one of edges across edges, of which the others decide if it counts.
        """
        return [find.func is touching.edges_across for find, _, names in self._plan for _ in names]

    def contacts(self, model, q, qd=None, t=0.0):
        """The potential contacts in the state q (nq), qd (nv, zero if left out): a list of `PotentialContact`.

        t: time (s), for joints that depend on it. phi is the signed distance; n, ndot, point are in base coordinates.
        Raises ValueError or TypeError for bad arguments and for bodies that the model does not have.
        """
        return contacts_of(model, [self], q, qd, t)

    def _contacts(self, X, v, own=None, extended=True):
        p, s = self.predecessor, self.successor
        views = [(_View(X[p], v[p]), _seen_from(X, v, p, s), 1)]
        if any(flipped for _, flipped, _ in self._plan):
            views.append((_View(X[s], v[s]), _seen_from(X, v, s, p), -1))
        contacts, first = [], 0
        for find, flipped, names in self._plan:
            view, placement, sign = views[flipped]
            found = list(_touches(find, placement, len(names), first, own, extended))
            bodies = f"bodies {p}, {s}"
            for (k, touch), (n, ndot, P) in zip(found, view.of([touch for _, touch in found]), strict=True):
                name = f"{self.name} {names[k]}".strip() or bodies
                contacts.append(_contact(p, s, sign * n, sign * ndot, touch.phi, name, P, touch.inside, touch.margin))
            first += len(names)
        return contacts


def _touches(find, placement, n, first, own, extended):
    """The touches that a part of a plan finds, all or those whose numbers, counted from first, are in own: k, `Touch`.
    """
    if own is None:
        found = find(placement=placement)
        return enumerate(found if isinstance(found, list) else [found])
    wanted = [k for k in range(n) if first + k in own]
    if find.func is touching.edges_across:
        i, j = np.divmod(np.array(wanted, dtype=int), len(find.args[1].edges))
        return zip(wanted, touching.edges_on_edges(find.args[0], i, find.args[1], j, placement), strict=True)
    options = {"extended": extended} if find.func is touching.vertex_on else {}
    return [(k, find(placement=placement, **options)) for k in wanted]


class _View:
    """A body from which a `Touch` was seen, and what that is in base coordinates."""

    def __init__(self, X, v):
        self.X_force, self.v_cross = X.T, crf(v)
        self.E, self.r = X[:3, :3], touching.Placement.of(X, v).r

    def of(self, touches):
        """For each touch n, ndot and its point in base coordinates; ndot = n-ring + v ×* n is the absolute rate."""
        if not touches:
            return []
        C, C_rate, n_hat, n_hat_rate, _, points, *_ = (np.array(part) for part in zip(*touches, strict=True))
        n = np.concatenate([crosses(C, n_hat), n_hat], axis=1)
        n_ring = np.concatenate([crosses(C_rate, n_hat) + crosses(C, n_hat_rate), n_hat_rate], axis=1)
        return list(zip(n @ self.X_force.T, (n_ring + n @ self.v_cross.T) @ self.X_force.T, self.r + points @ self.E,
                        strict=True))


#: The fields of a `PotentialContact`.
FIELDS = [each.name for each in fields(PotentialContact)]


def _contact(*values):
    """A `PotentialContact` of numbers, which need no check because they were worked out here; else a checked one."""
    n, ndot = values[2:4]
    if not n.dtype == ndot.dtype == float or not (np.isfinite(n).all() and np.isfinite(ndot).all()):
        return PotentialContact(*values)
    contact = object.__new__(PotentialContact)
    contact.__dict__.update(zip(FIELDS, values, strict=True))
    for array in (n, ndot, contact.point):
        array.setflags(write=False)
    return contact


def contacts_of(model, pairs, q, qd=None, t=0.0, own=None, extended=True):
    """The potential contacts of all pairs, one after the other, with the bodies' motion found but once (a list).

    own: the numbers of those wanted, by default all. With extended these see the plane of a face beyond its outline
    too, and not what is nearest, so that a vertex can be followed a little way past the end. The other arguments, and
    errors, as for `Pair.contacts`.
    """
    X, v = body_motions(require_model(model), q, zeros(model.nv) if qd is None else qd, t)
    contacts, first = [], 0
    for pair in pairs:
        if not isinstance(pair, Pair):
            raise TypeError(f"pairs contains {pair!r}; give Pair(predecessor, shape, successor, shape).")
        for i in (pair.predecessor, pair.successor):
            if i > model.N_B:
                raise ValueError(f"A pair names body {i}; this model has the bodies 0 (the base) to {model.N_B}.")
        wanted = None if own is None else {i - first for i in own if 0 <= i - first < len(pair)}
        if wanted is None or wanted:
            contacts += pair._contacts(X, v, wanted, extended)
        first += len(pair)
    return contacts


def _seen_from(X, v, p, s):
    """The `Placement` of body s seen from body p."""
    X_ps = X[s] @ inverse_transform(X[p])
    return touching.Placement.of(X_ps, inverse_transform(X_ps) @ v[s] - v[p])


# Which parts of two shapes can touch


REMEDY = ("Points and spheres go with every shape; planes, hollow spheres and smooth surfaces with segments, faces, "
          "boxes and polyhedra; smooth surfaces with one another and with planes; discs with planes.")


def _plan(p, s):
    """How to find the potential contacts of two shapes: a tuple of (function of the placement, flipped, names)."""
    if _is_ball(s):
        return _ball(p, s, False)
    if _is_ball(p):
        return _ball(s, p, True)
    for first, second, flipped in ((p, s, False), (s, p, True)):
        if isinstance(first, Plane) and isinstance(second, Disc):
            return ((partial(touching.rim_on, first, second), flipped, ("rim",)),)
        if _is_field(first) and isinstance(second, Polyhedral):
            return _corners(first, second, flipped)
        if isinstance(first, Plane) and isinstance(second, Surface):
            return ((partial(touching.surface_on_surface, Flat(first.point, first.normal), second), flipped, ("",)),)
    if isinstance(p, Surface | Sphere) and isinstance(s, Surface | Sphere) and not (_is_bowl(p) and _is_bowl(s)):
        return ((partial(touching.surface_on_surface, _as_surface(p), _as_surface(s)), False, ("",)),)
    if isinstance(p, Polyhedral) and isinstance(s, Polyhedral):
        return (*_vertices(p, s, False), *_vertices(s, p, True), *_edges(p, s))
    return ()


def _kind(shape):
    return f"A {type(shape).__name__}" if hasattr(shape, "__dataclass_fields__") else repr(shape)


def _is_ball(shape):
    return isinstance(shape, Point) or (isinstance(shape, Sphere) and not shape.hollow)


def _is_field(shape):
    """True if the shape is known by a distance function that has no outline."""
    return isinstance(shape, Plane | Surface) or _is_bowl(shape)


def _is_bowl(shape):
    return isinstance(shape, Sphere) and shape.hollow


def _as_surface(shape):
    if isinstance(shape, Surface):
        return shape
    f = partial(_inside_of_sphere, shape.centre, shape.radius)
    return ImplicitSurface(f, start=shape.centre, reach=shape.radius)


def _inside_of_sphere(centre, radius, x):
    return radius * radius - (x - centre) @ (x - centre)


def _corners(field, shape, flipped):
    """The vertices of a shape on a plane or a smooth surface, and that surface on its faces."""
    vertices = tuple((partial(touching.ball_on, field, x, shape.radius), flipped, (f"vertex {i}",))
                     for i, x in enumerate(shape.vertices))
    faces = range(len(shape.sides)) if isinstance(field, Surface) else ()
    return (*vertices, *((partial(touching.surface_on_face, shape, k, field), not flipped, (f"face {k}",))
                         for k in faces))


def _ball(shape, ball, flipped):
    if isinstance(shape, Polyhedral) and ball.radius == 0 and shape.radius == 0:
        vertex = partial(touching.vertex_on, shape, ball.centre, np.zeros((0, 3)))
        return ((vertex, flipped, ("",)),) if shape.sides else ()
    if not hasattr(shape, "distance") or (isinstance(shape, Point) and ball.radius == 0):
        return ()
    return ((partial(touching.ball_on, shape, ball.centre, ball.radius), flipped, ("",)),)


def _vertices(shape, other, flipped):
    """The vertices of the other shape on the faces of the first; the rounded ends of an edge on any part of it."""
    name = f"vertex {{}} of {'predecessor' if flipped else 'successor'}".format
    if other.radius or shape.radius:
        return tuple((partial(touching.ball_on, shape, x, other.radius), flipped, (name(i),))
                     for i, x in enumerate(other.vertices))
    return tuple((partial(touching.vertex_on, shape, x, other.spokes[i]), flipped, (name(i),))
                 for i, x in enumerate(other.vertices) if shape.sides)


def _edges(p, s):
    if all(len(shape.sides) == 0 and shape.outward is None and shape.radius == 0 for shape in (p, s)):
        raise ValueError("Two sharp segments can cross on either side of each other: give one of them outward=..., a "
                         "vector out of its material, or a radius.")
    names = tuple(f"edges {i}, {j}" for i in range(len(p.edges)) for j in range(len(s.edges)))
    return ((partial(touching.edges_across, p, s), False, names),)
