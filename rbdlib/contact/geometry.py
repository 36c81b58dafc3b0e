"""Potential contacts between the shapes of two bodies of a model, and sets of contacts (RBDA 11.6).

A `Pair` says which shapes of which bodies may touch; it lists the same potential contacts in the same order wherever
the bodies are, so that each distance phi can be followed through a motion.
"""

import contextlib
from dataclasses import dataclass, field, fields
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import crf
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch08_closed_loops import inverse_of
from rbdlib.book.ch11_contact import Contact
from rbdlib.compile.c_compiler import CompilerError
from rbdlib.contact import touching
from rbdlib.contact.shapes import Plane, Point, Polyhedral, Sphere
from rbdlib.contact.surfaces import Flat, ImplicitSurface, Surface
from rbdlib.contact.touching import crosses
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.motion.compiled import LONG, compiled_once
from rbdlib.motion.drives import depends_on_time
from rbdlib.numbers.scalars import zeros


@dataclass(frozen=True, eq=False)
class PotentialContact(Contact):
    """A `Contact` with a place on the shapes: point (3) on the line of the normal, in base coordinates.

    inside: False where a vertex is beyond the outline of the face that it would stand on, or two edges pass beyond each
    other's ends: a geometric loss, whatever phi is.  margin (m): how far it is from that, < 0 beyond; inf if it cannot.
    """

    margin: float = np.inf


@dataclass(frozen=True, eq=False)
class Pair:
    """Two bodies that may touch: predecessor and successor (numbers, 0 for the base) and a shape of each (RBDA 11.6).

    Contact normals point from predecessor to successor. name: for messages and tables. restitution, friction: of this
    pair, where it is not that of the whole system. Which shapes go together: points and balls with every shape; planes,
    hollow spheres and smooth surfaces with one another and with vertices; what has faces with one another, vertices on
    faces and edges across edges; smooth surfaces on faces, but not on edges. Raises TypeError for shapes that cannot
    meet, ValueError for bodies that cannot.
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
            kinds = [f"A {type(shape).__name__}" if hasattr(shape, "__dataclass_fields__") else repr(shape)
                     for shape in (self.shape_p, self.shape_s)]
            raise TypeError(f"{kinds[0]} and {kinds[1]} cannot be told to touch. {REMEDY}")
        object.__setattr__(self, "_plan", plan)

    def __len__(self):
        """The number of potential contacts."""
        return sum(len(names) for _, _, names in self._plan)

    @property
    def crossing(self):
        """True for potential contacts of edges across edges, of which the others decide if they count (a list)."""
        return [find.func is touching.edges_across for find, _, names in self._plan for _ in names]

    def contacts(self, model, q, qd=None, t=0.0):
        """The potential contacts in the state q (nq), qd (nv, zero if left out): a list of `PotentialContact`.

        t: time (s), for joints that depend on it. phi is the signed distance; n, ndot, point are in base coordinates.
        Raises ValueError or TypeError for bad arguments and for bodies that the model does not have.
        """
        return contacts_of(model, [self], q, qd, t)

    def _contacts(self, X, v, own=None, extended=True):
        p, s, contacts, first = self.predecessor, self.successor, {}, 0
        seen = ([], [])                                             # from the predecessor, and from the successor
        placements = [_seen_from(X, v, *ends) if any(flipped == k for _, flipped, _ in self._plan) else None
                      for k, ends in enumerate(((p, s), (s, p)))]
        for find, flipped, names in self._plan:
            seen[flipped].extend((first + k, names[k], touch) for k, touch in
                                 _touches(find, placements[flipped], len(names), first, own, extended))
            first += len(names)
        for i, sign, touches in ((p, 1, seen[0]), (s, -1, seen[1])):
            in_base = _in_base(X[i], v[i], [touch for *_, touch in touches])
            for (k, name, touch), (n, ndot, P) in zip(touches, in_base, strict=True):
                name = f"{self.name} {name}".strip() or f"bodies {p}, {s}"
                contacts[k] = _contact(p, s, sign * n, sign * ndot, touch.phi, name, P, touch.inside, touch.margin)
        return [contacts[k] for k in sorted(contacts)]


def _touches(find, placement, n, first, own, extended):
    """The touches that a part of a plan finds, or those with numbers, counted from first, in own: k, `Touch`."""
    if own is None:
        found = find(placement=placement)
        return enumerate(found if isinstance(found, list) else [found])
    wanted = [k for k in range(n) if first + k in own]
    if find.func is touching.edges_across:
        i, j = np.divmod(np.array(wanted, dtype=int), len(find.args[1].edges))
        return zip(wanted, touching.edges_on_edges(find.args[0], i, find.args[1], j, placement), strict=True)
    options = {"extended": extended} if find.func is touching.vertex_on else {}
    return [(k, find(placement=placement, **options)) for k in wanted]


def _seen_from(X, v, p, s):
    """The `Placement` of body s seen from body p."""
    X_ps = X[s] @ inverse_of(X[p])
    return touching.Placement.of(X_ps, inverse_of(X_ps) @ v[s] - v[p])


def _in_base(X, v, touches):
    """For each touch seen from a body n, ndot and its point in base coordinates; X: from these to the body's.

    ndot = n-ring + v ×* n is the absolute rate.
    """
    if not touches:
        return []
    C, C_rate, n_hat, n_hat_rate, _, points, *_ = (np.array(part) for part in zip(*touches, strict=True))
    n = np.concatenate([crosses(C, n_hat), n_hat], axis=1)
    n_ring = np.concatenate([crosses(C_rate, n_hat) + crosses(C, n_hat_rate), n_hat_rate], axis=1)
    places = touching.Placement.of(X, v).r + points @ X[:3, :3]
    return zip(n @ X, (n_ring + n @ crf(v).T) @ X, places, strict=True)


#: The fields of a `PotentialContact`.
FIELDS = [each.name for each in fields(PotentialContact)]


def _contact(*values):
    """A `PotentialContact` of numbers, which need no check because they were worked out here; else a checked one."""
    n, ndot = values[2:4]
    if not n.dtype == ndot.dtype == float or not (np.isfinite(n).all() and np.isfinite(ndot).all()):
        return PotentialContact(*values)
    contact = object.__new__(PotentialContact)
    contact.__dict__.update(zip(FIELDS, values, strict=True))
    for name in ("n", "ndot", "point"):
        vars(contact)[name].setflags(write=False)
    return contact


def contacts_of(model, pairs, q, qd=None, t=0.0, own=None, extended=True):
    """The potential contacts of all pairs, one after the other, with the bodies' motion found but once (a list).

    own: the numbers of those wanted, by default all. With extended these see the plane of a face beyond its outline
    too, and not the nearest thing, so that a vertex can be followed past the end. The rest is as for `Pair.contacts`.
    """
    X, v = body_motions(require_model(model), q, zeros(model.nv) if qd is None else qd, t)
    contacts, first = [], 0
    for pair in require_pairs(pairs, model):
        wanted = None if own is None else {i - first for i in own if 0 <= i - first < len(pair)}
        if wanted is None or wanted:
            contacts += pair._contacts(X, v, wanted, extended)
        first += len(pair)
    return contacts


def require_pairs(pairs, model, name="pairs"):
    """The pairs as a tuple; TypeError for what is no `Pair`, ValueError for bodies that the model does not have."""
    if not np.iterable(pairs):
        raise TypeError(f"{name} is {pairs!r}; give a list of Pair(predecessor, shape, successor, shape).")
    pairs = tuple(pairs)
    for k, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise TypeError(f"{name} contains {pair!r}; give a list of Pair(predecessor, shape, successor, shape).")
        if (i := max(pair.predecessor, pair.successor)) > model.N_B:
            raise ValueError(f"{name}[{k}] names body {i}; this model has the bodies 0 (the base) to {model.N_B}.")
    return pairs


REMEDY = ("Points and spheres go with every shape; planes, hollow spheres and smooth surfaces with segments, faces, "
          "boxes and polyhedra; smooth surfaces with one another and with planes.")


def _plan(p, s):
    """How to find the potential contacts of two shapes: a tuple of (function of the placement, flipped, names)."""
    for first, second, flipped in ((p, s, False), (s, p, True)):
        if isinstance(second, Point) or (isinstance(second, Sphere) and not second.hollow):
            return _ball(first, second, flipped)
    for first, second, flipped in ((p, s, False), (s, p, True)):
        if isinstance(first, Plane | Surface | Sphere) and isinstance(second, Polyhedral):
            return _corners(first, second, flipped)
        if isinstance(first, Plane) and isinstance(second, Surface):
            return ((partial(touching.surface_on_surface, Flat(first.point, first.normal), second), flipped, ("",)),)
    if isinstance(p, Polyhedral) and isinstance(s, Polyhedral):
        return (*_vertices(p, s, False), *_vertices(s, p, True), *_edges(p, s))
    if all(isinstance(shape, Surface | Sphere) for shape in (p, s)) and not all(isinstance(x, Sphere) for x in (p, s)):
        surfaces = [ImplicitSurface(partial(_inside_of_sphere, shape.centre, shape.radius), start=shape.centre,
                                    reach=shape.radius) if isinstance(shape, Sphere) else shape for shape in (p, s)]
        return ((partial(touching.surface_on_surface, *surfaces), False, ("",)),)
    return ()


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
    rounded = other.radius or shape.radius
    return tuple((partial(touching.ball_on, shape, x, other.radius) if rounded else
                  partial(touching.vertex_on, shape, x, other.spokes[i]), flipped, (name(i),))
                 for i, x in enumerate(other.vertices) if rounded or shape.sides)


def _edges(p, s):
    if all(len(shape.sides) == 0 and shape.outward is None and shape.radius == 0 for shape in (p, s)):
        raise ValueError("Two sharp segments can cross on either side of each other: give one of them outward=..., a "
                         "vector out of its material, or a radius.")
    names = tuple(f"edges {i}, {j}" for i in range(len(p.edges)) for j in range(len(s.edges)))
    return ((partial(touching.edges_across, p, s), False, names),)


# Motions of bodies, found once for a state; in a long run a compiled function answers


@kept_for_model
def _asked(model):
    """How often a model's bodies were asked for, the last state with its answer, and if nothing can be compiled."""
    return SimpleNamespace(times=0, state=None, answer=None, hopeless=False)


def body_motions(model, q, qd, t=0.0):
    """The transforms from the base to all bodies, and their velocities (`body_transforms`, `body_velocities`)."""
    if not (isinstance(q, np.ndarray) and isinstance(qd, np.ndarray) and q.dtype == qd.dtype == float):
        return body_transforms(model, q, t), body_velocities(model, q, qd, t)
    asked, state = _asked(model), (q.tobytes(), qd.tobytes(), t)
    if state == asked.state:
        return asked.answer
    asked.times, found = asked.times + 1, None
    if asked.times * model.N_B >= LONG and not asked.hopeless:
        with contextlib.suppress(CompilerError, OSError, TypeError):
            timed = {"t": t} if depends_on_time(model) else {}
            found = tuple(map(list, compiled_once(transforms_and_velocities, model)(q, qd, **timed)))
        asked.hopeless = found is None
    asked.answer = found or (body_transforms(model, q, t), body_velocities(model, q, qd, t))
    asked.state = state
    return asked.answer


def transforms_and_velocities(model, q, qd, t=0.0):
    """The answer of `body_motions` as arrays, (N_B+1) x 6 x 6 and (N_B+1) x 6."""
    return np.array(body_transforms(model, q, t)), np.array(body_velocities(model, q, qd, t))
