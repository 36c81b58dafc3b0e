"""Potential contacts between the shapes of two bodies of a model: where they touch, or would if nearer (RBDA 11.6).

A `Pair` says which shapes of which bodies may touch; it lists the same potential contacts in the same order wherever
the bodies are, so that each distance phi can be followed through a motion. Normal, its rate of change, and signed
distance, a `Touch`, are found in the coordinates of the first of the two bodies, as if it stood still; what the other
does there is its `Placement`.
"""

import contextlib
from dataclasses import dataclass, field
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
from rbdlib.contact.shapes import OUTLINE, Placement, Plane, Point, Polyhedral, Sphere, Touch
from rbdlib.contact.surfaces import Flat, ImplicitSurface, Surface, surface_on_face, surface_on_surface
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.motion import compiled
from rbdlib.motion.compiled import compiled_once
from rbdlib.motion.drives import depends_on_time
from rbdlib.numbers.linear import cross
from rbdlib.numbers.pivots import first_least
from rbdlib.numbers.scalars import as_floats, roots, zeros

#: Edges more nearly parallel than this (sine of the angle) have no common normal; normals that leave the range of those
#: that an edge or a vertex can have by less than this are still in it.
PARALLEL, CONE = 1e-6, 1e-6


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
            raise TypeError(f"{kinds[0]} and {kinds[1]} cannot be told to touch. Points and spheres go with every "
                            "shape; planes, hollow spheres and smooth surfaces with segments, faces, boxes and "
                            "polyhedra; smooth surfaces with one another and with planes.")
        object.__setattr__(self, "_plan", plan)

    def __len__(self):
        """The number of potential contacts."""
        return sum(len(names) for _, _, names in self._plan)

    @property
    def crossing(self):
        """True for potential contacts of edges across edges, of which the others decide if they count (a list)."""
        return [find.func is edges_across for find, _, names in self._plan for _ in names]

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
    if find.func is edges_across:
        i, j = np.divmod(np.array(wanted, dtype=int), len(find.args[1].edges))
        return zip(wanted, edges_on_edges(find.args[0], i, find.args[1], j, placement), strict=True)
    options = {"extended": extended} if find.func is vertex_on else {}
    return [(k, find(placement=placement, **options)) for k in wanted]


def _seen_from(X, v, p, s):
    """The `Placement` of body s seen from body p."""
    X_ps = X[s] @ inverse_of(X[p])
    return Placement.of(X_ps, inverse_of(X_ps) @ v[s] - v[p])


def _in_base(X, v, touches):
    """For each touch seen from a body n, ndot and its point in base coordinates; X: from these to the body's."""
    if not touches:
        return []
    C, C_rate, n_hat, n_hat_rate, _, points, *_ = (np.array(part) for part in zip(*touches, strict=True))
    n = np.concatenate([crosses(C, n_hat), n_hat], axis=1)
    n_ring = np.concatenate([crosses(C_rate, n_hat) + crosses(C, n_hat_rate), n_hat_rate], axis=1)
    # ndot = n-ring + v ×* n is the absolute rate
    return zip(n @ X, (n_ring + n @ crf(v).T) @ X, Placement.of(X, v).r + points @ X[:3, :3], strict=True)


def _contact(*values):
    """A `PotentialContact` of numbers, which need no check because they were worked out here; else a checked one."""
    n, ndot = values[2:4]
    if not n.dtype == ndot.dtype == float or not np.isfinite([n, ndot]).all():
        return PotentialContact(*values)
    contact = object.__new__(PotentialContact)
    contact.__dict__.update(zip(PotentialContact.__dataclass_fields__, values, strict=True))
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


def _plan(p, s):
    """How to find the potential contacts of two shapes: a tuple of (function of the placement, flipped, names)."""
    for first, second, flipped in ((p, s, False), (s, p, True)):
        if isinstance(second, Point) or (isinstance(second, Sphere) and not second.hollow):
            return _ball(first, second, flipped)
    for first, second, flipped in ((p, s, False), (s, p, True)):
        if isinstance(first, Plane | Surface | Sphere) and isinstance(second, Polyhedral):
            return _corners(first, second, flipped)
        if isinstance(first, Plane) and isinstance(second, Surface):
            return ((partial(surface_on_surface, Flat(first.point, first.normal), second), flipped, ("",)),)
    if isinstance(p, Polyhedral) and isinstance(s, Polyhedral):
        return (*_vertices(p, s, False), *_vertices(s, p, True), *_edges(p, s))
    if all(isinstance(shape, Surface | Sphere) for shape in (p, s)) and not all(isinstance(x, Sphere) for x in (p, s)):
        surfaces = [ImplicitSurface(partial(_inside_of_sphere, shape.centre, shape.radius), start=shape.centre,
                                    reach=shape.radius) if isinstance(shape, Sphere) else shape for shape in (p, s)]
        return ((partial(surface_on_surface, *surfaces), False, ("",)),)
    return ()


def _inside_of_sphere(centre, radius, x):
    return radius * radius - (x - centre) @ (x - centre)


def _corners(field, shape, flipped):
    """The vertices of a shape on a plane or a smooth surface, and that surface on its faces."""
    vertices = tuple((partial(ball_on, field, x, shape.radius), flipped, (f"vertex {i}",))
                     for i, x in enumerate(shape.vertices))
    return (*vertices, *((partial(surface_on_face, shape, k, field), not flipped, (f"face {k}",))
                         for k in range(len(shape.sides)) if isinstance(field, Surface)))


def _ball(shape, ball, flipped):
    if isinstance(shape, Polyhedral) and ball.radius == 0 and shape.radius == 0:
        return ((partial(vertex_on, shape, ball.centre, np.zeros((0, 3))), flipped, ("",)),) if shape.sides else ()
    if not hasattr(shape, "distance") or (isinstance(shape, Point) and ball.radius == 0):
        return ()
    return ((partial(ball_on, shape, ball.centre, ball.radius), flipped, ("",)),)


def _vertices(shape, other, flipped):
    """The vertices of the other shape on the faces of the first; the rounded ends of an edge on any part of it."""
    name = f"vertex {{}} of {'predecessor' if flipped else 'successor'}".format
    rounded = other.radius or shape.radius
    return tuple((partial(ball_on, shape, x, other.radius) if rounded else
                  partial(vertex_on, shape, x, other.spokes[i]), flipped, (name(i),))
                 for i, x in enumerate(other.vertices) if rounded or shape.sides)


def _edges(p, s):
    if all(len(shape.sides) == 0 and shape.outward is None and shape.radius == 0 for shape in (p, s)):
        raise ValueError("Two sharp segments can cross on either side of each other: give one of them outward=..., a "
                         "vector out of its material, or a radius.")
    names = tuple(f"edges {i}, {j}" for i in range(len(p.edges)) for j in range(len(s.edges)))
    return ((partial(edges_across, p, s), False, names),)


# Points and edges of the second body, seen from the first


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
    part is given, and the contact said to be outside. extended: faces go on beyond their outlines (`contacts_of`).
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
    """The unit normals along m, from the first body to the second, and whether both edges can have them."""
    # of parallel edges the normal is the direction out of the first, and they cannot have it
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
    """All edges of the second shape across all edges of the first, as a list: see `edges_on_edges`."""
    pairs = np.indices((len(first.edges), len(second.edges))).reshape(2, -1)
    touches = edges_on_edges(first, pairs[0], second, pairs[1], placement)
    if first.radius or second.radius or not any(touch.inside and touch.phi < 0 for touch in touches):
        return touches
    # The distance of two convex shapes, or their depth in one another, is the largest gap along a normal of a face or
    # along one that two edges can have in common. Edges much deeper than that are not where the shapes touch.
    ours, theirs = (first.vertices - placement.r) @ placement.E.T, placement.r + second.vertices @ placement.E
    apart = [min((xs - shape.vertices[side.loop[0]]) @ side.normal)         # of a face of one from all of the other
             for shape, xs in ((first, theirs), (second, ours)) for side in shape.sides]
    gap = max([-np.inf, *apart, *(touch.phi for touch in touches if touch.margin > -np.inf)])
    least = 2 * min(gap, 0) - OUTLINE * max(first.size, second.size)
    return [touch._replace(inside=False, margin=-np.inf) if touch.inside and touch.phi < least else touch
            for touch in touches]


# Motions of bodies, found once for a state; in a long run a compiled function answers


@kept_for_model
def _asked(model):
    """How often a model's bodies were asked for, the last state with its answer, and if nothing can be compiled.

    What knows the model, as a `WhenLong` would, is not kept here: neither would be forgotten.
    """
    return SimpleNamespace(times=0, state=None, answer=None, hopeless=False)


def body_motions(model, q, qd, t=0.0):
    """The transforms from the base to all bodies, and their velocities (`body_transforms`, `body_velocities`).

    They are kept for the next question about this state, and not to be written to.
    """
    if not (isinstance(q, np.ndarray) and isinstance(qd, np.ndarray) and q.dtype == qd.dtype == float):
        return body_transforms(model, q, t), body_velocities(model, q, qd, t)
    asked, state = _asked(model), (q.tobytes(), qd.tobytes(), t)
    if state == asked.state:
        return asked.answer
    asked.times, found = asked.times + 1, None
    if asked.times * model.N_B >= compiled.LONG and not asked.hopeless:
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
