"""Which bodies the joints connect: graphs, spanning trees, regular numbering, the model that results (RBDA 4.1)."""

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations
from types import MappingProxyType

import numpy as np

from rbdlib.book.ch02_spatial import inverse_transform, transform_inertia
from rbdlib.book.ch04_joints import Reversed
from rbdlib.book.ch04_model import LoopJoint, Model, ModelError, children, path_to_base, subtree
from rbdlib.numbers.scalars import eye


@dataclass(frozen=True)
class ConnectivityGraph:
    """Bodies and the joints between them, in any order and under any names: RBDA 4.1, rules 1 to 5.

    bodies: the names of the moving bodies.  joints: {name: (predecessor, successor)}, or a list of such pairs, whose
    names are then 1, 2, ...  base: the name of the one body that is fixed. Names are text or whole numbers.
    N_B, N_J: numbers of moving bodies and of joints.  N_L: that of independent loops and loop joints (RBDA Eq. 4.1).
    is_tree: whether one path only leads from any body to any other (RBDA 4.1.1).
    Raises ModelError if a name stands twice or is unknown, or if the graph is not connected.
    """

    bodies: tuple
    joints: Mapping
    base: str | int = "base"

    N_B = property(lambda self: len(self.bodies))
    N_J = property(lambda self: len(self.joints))
    N_L = property(lambda self: self.N_J - self.N_B)
    is_tree = property(lambda self: self.N_L == 0)

    def __post_init__(self):
        joints = self.joints if isinstance(self.joints, Mapping) else dict(enumerate(self.joints, start=1))
        for name, ends in joints.items():
            if isinstance(ends, str) or not np.iterable(ends) or len(list(ends)) != 2:
                raise ModelError(f"Joint {name!r} connects {ends!r}; give a pair (predecessor, successor).")
        joints = {name: tuple(ends) for name, ends in joints.items()}
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "joints", MappingProxyType(joints))
        known = (self.base, *self.bodies)
        for k, body in enumerate(known):
            if not isinstance(body, (str, int, np.integer)):
                raise ModelError(f"{'bodies contains' if k else 'base is'} {body!r}; give the name of one body.")
            if body in known[:k]:
                again = "is the base too; exactly one body is fixed" if body == self.base else "stands there twice"
                raise ModelError(f"bodies: {body!r} {again}. Give each moving body a name of its own.")
        for name, ends in joints.items():
            stranger = next((body for body in ends if body not in known), None)
            if stranger is not None:
                raise ModelError(f"Joint {name!r} connects {stranger!r}, which is neither a body nor the base.")
            if ends[0] == ends[1]:
                raise ModelError(f"Joint {name!r} connects {ends[0]!r} to itself; it needs two different bodies.")
        reached = self._parents(joints)
        lost = [body for body in self.bodies if body not in reached]
        if lost:
            raise ModelError(f"No joints lead from the base to {', '.join(map(repr, lost))}. Add the missing joint; to "
                             "one body of a system that floats, a FreeMotion() joint from the base.")

    def spanning_tree(self, loop_joints=None):
        """The names of the N_B tree joints of a spanning tree, in the order in which the joints were given.

        loop_joints: the joints to leave out. Unless they are named, a joint becomes a loop joint if it closes a loop
        with joints given before it. Raises ModelError if the joints that remain are no tree.
        """
        left_out = [] if loop_joints is None else list(loop_joints)
        for name in left_out:
            if name not in self.joints:
                raise ModelError(f"loop_joints names {name!r}; choose from {', '.join(map(repr, self.joints))}.")
        tree, closing = self._grow([name for name in self.joints if name not in left_out])
        if len(tree) < self.N_B:
            reached = self._parents(tree)
            lost = next(body for body in self.bodies if body not in reached)
            raise ModelError(f"Without the loop_joints {left_out} nothing connects {lost!r} to the base; name fewer.")
        if closing and loop_joints is not None:
            loop = self.loops(tree)[closing[0]]
            raise ModelError(f"The joints {loop} form a loop; put one of them into loop_joints.")
        return tree

    def spanning_trees(self):
        """Every spanning tree, as lists of joint names; their number grows fast with that of the loops."""
        for names in combinations(self.joints, self.N_B):
            tree, closing = self._grow(names)
            if not closing:
                yield tree

    def chords(self, tree):
        """The names of the N_L joints that are not in the tree: the loop joints (RBDA 4.1.1)."""
        return [name for name in self.joints if name not in tree]

    def loops(self, tree):
        """The independent loops as {chord: joint names}: each chord and the path in the tree between its ends."""
        paths, loops = {self.base: []}, {}
        for body, (parent, name) in self._parents(tree).items():                # parents first
            paths[body] = [name, *paths[parent]]
        for chord in self.chords(tree):
            there, back = (paths[body] for body in self.joints[chord])
            loops[chord] = [chord, *(name for name in back if name not in there),
                            *(name for name in reversed(there) if name not in back)]
        return loops

    def _grow(self, names):
        """The joints that connect parts not connected by joints before them, and the joints that close loops."""
        part, tree, closing = {body: {body} for body in (self.base, *self.bodies)}, [], []
        for name in names:
            one, other = (part[body] for body in self.joints[name])
            if one is other:
                closing.append(name)
                continue
            tree.append(name)
            one |= other
            for body in other:
                part[body] = one
        return tree, closing

    def _parents(self, names):
        """{body: (parent, joint)} for the bodies that the joints of these names connect to the base."""
        neighbours = {body: [] for body in (self.base, *self.bodies)}
        for name in names:
            p, s = self.joints[name]
            neighbours[p].append((s, name))
            neighbours[s].append((p, name))
        parents, reached = {}, [self.base]
        for body in reached:
            for neighbour, name in neighbours[body]:
                if neighbour != self.base and neighbour not in parents:
                    parents[neighbour] = body, name
                    reached.append(neighbour)
        return parents


@dataclass(frozen=True)
class Connectivity:
    """A regularly numbered system: joint i leads from body p(i) to body s(i) (RBDA 4.1.2-4.1.4).

    p, s: the predecessors and successors of joints 1..N_J; body 0 is the base, tree joint i connects body i to its
    parent, and the joints after N_B close loops.  bodies, joints: their names, with the base in place 0 of bodies and
    None in place 0 of joints; numbers unless given.  parent: lambda, indexed by body number, place 0 being None;
    parent[i] = min(p(i), s(i)) (RBDA Eq. 4.2).  N_B, N_J, N_L: as in `ConnectivityGraph`. Raises
    ModelError if the numbering is not regular.
    """

    p: tuple
    s: tuple
    bodies: tuple = ()
    joints: tuple = ()
    parent: tuple = field(init=False, repr=False, compare=False)

    N_B = property(lambda self: len(self.parent) - 1)
    N_J = property(lambda self: len(self.p))
    N_L = property(lambda self: self.N_J - self.N_B)

    def __post_init__(self):
        p, s = tuple(self.p), tuple(self.s)
        if len(p) != len(s):
            raise ModelError(f"p has {len(p)} entries, s has {len(s)}; give one of each per joint.")
        for i, ends in enumerate(zip(p, s, strict=True), start=1):
            if not all(isinstance(body, (int, np.integer)) and body >= 0 for body in ends) or ends[0] == ends[1]:
                raise ModelError(f"Joint {i} connects {ends[0]!r} and {ends[1]!r}; give the numbers of two bodies.")
        N_B = max((*p, *s), default=0)
        for i in range(1, N_B + 1):
            if i > len(p) or max(p[i - 1], s[i - 1]) != i:
                raise ModelError(f"The numbering is not regular: joint {i} does not connect body {i} to one with a "
                                 "smaller number. Let regular_numbering number the bodies and joints.")
        for name, value in (("p", p), ("s", s), ("bodies", tuple(self.bodies) or tuple(range(N_B + 1))),
                            ("joints", tuple(self.joints) or (None, *range(1, len(p) + 1))),
                            ("parent", (None, *(min(p[i], s[i]) for i in range(N_B))))):
            object.__setattr__(self, name, value)
        for name, length in (("bodies", N_B + 1), ("joints", len(p) + 1)):
            if len(getattr(self, name)) != length:
                raise ModelError(f"{name} has {len(getattr(self, name))} names; give {length}, place 0 included.")

    @classmethod
    def of(cls, model):
        """The connectivity of a `Model`."""
        joints = range(1, model.N_J + 1)
        return cls(tuple(map(model.predecessor, joints)), tuple(map(model.successor, joints)), model.names)

    def predecessor(self, i):
        """p(i): the body from which joint i leads."""
        return self.p[self._number(i, 1, self.N_J, "joint") - 1]

    def successor(self, i):
        """s(i): the body to which joint i leads."""
        return self.s[self._number(i, 1, self.N_J, "joint") - 1]

    def is_reversed(self, i):
        """True if tree joint i leads from the child to the parent: s(i) != i (RBDA 4.1.4)."""
        return self.successor(self._number(i, 1, self.N_B, "tree joint")) != i

    def kappa(self, i):
        """The joints on the path from body i to the base, ascending; none for the base itself (RBDA 4.1.4)."""
        return path_to_base(self.parent, self._number(i, 0, self.N_B, "body"))

    def mu(self, i):
        """The children of body i (RBDA 4.1.4)."""
        return children(self.parent, self._number(i, 0, self.N_B, "body"))

    def nu(self, i):
        """The bodies of the subtree that starts at body i, i included (RBDA 4.1.4)."""
        return subtree(self.parent, self._number(i, 0, self.N_B, "body"))

    def support_matrix(self):
        """epsilon (N_B x N_B): 1 where joint j supports body i, in row i - 1, column j - 1 (RBDA Eq. 4.5)."""
        bodies = range(1, self.N_B + 1)
        return np.array([[int(j in self.kappa(i)) for j in bodies] for i in bodies]).reshape(self.N_B, self.N_B)

    @staticmethod
    def _number(i, first, last, what):
        if not isinstance(i, (int, np.integer)) or not first <= i <= last:
            raise ModelError(f"There is no {what} {i!r}; the numbers go from {first} to {last}.")
        return int(i)


def regular_numbering(graph, loop_joints=None):
    """A regular numbering of a `ConnectivityGraph`, as a `Connectivity` (RBDA 4.1.2).

    loop_joints: the joints that are to close the loops; see `ConnectivityGraph.spanning_tree`. Each body gets the
    smallest number it can have, in the order in which the bodies were given; a regular numbering is left as it is.
    """
    tree = graph.spanning_tree(loop_joints)
    above, order, waiting = graph._parents(tree), {graph.base: 0}, list(graph.bodies)
    while waiting:
        body = next(body for body in waiting if above[body][0] in order)
        order[body] = len(order)
        waiting.remove(body)
    return _numbered(graph, tree, list(order)[1:], graph.chords(tree))


def regular_numberings(graph):
    """Every regular numbering of a `ConnectivityGraph`: all spanning trees, orders of bodies and of loop joints."""
    for tree in graph.spanning_trees():
        for order in _orders(graph, graph._parents(tree)):
            for chords in permutations(graph.chords(tree)):
                yield _numbered(graph, tree, order, chords)


def _orders(graph, above, order=()):
    """The orders of the bodies, begun with order, in which each comes after its parent in the tree, by backtracking."""
    if len(order) == graph.N_B:
        yield order
    for body in graph.bodies:
        if body not in order and above[body][0] in (graph.base, *order):
            yield from _orders(graph, above, (*order, body))


def _numbered(graph, tree, order, chords):
    above, bodies = graph._parents(tree), (graph.base, *order)
    joints, number = (*(above[body][1] for body in order), *chords), {body: i for i, body in enumerate(bodies)}
    p, s = (tuple(number[graph.joints[name][k]] for name in joints) for k in (0, 1))
    return Connectivity(p, s, bodies, (None, *joints))


class Assembled(namedtuple("Assembled", "model numbering frames")):
    """A model made from named parts: what `build_model` returns.

    numbering: which number each body and joint has got, a `Connectivity`. frames: for each body number, the transform
    from the coordinates in which the body was described to the model's body coordinates.
    """


def build_model(bodies, joints, base="base", gravity=(0, 0, -9.81), loop_joints=None, characters=None):
    """A `Model` from bodies and joints in any order (RBDA 4.1.2, 4.2, Table 4.3); returns an `Assembled`.

    bodies: {name: 6 x 6 inertia}, each inertia in coordinates of your choice on that body. joints: {name:
    (predecessor, successor, joint)} or {name: (predecessor, successor, joint, X_P, X_S)}, where X_P and X_S lead from
    the coordinates of the two bodies to the frames F_p and F_s of the joint (the identity unless given). loop_joints:
    as for `regular_numbering`. characters: {name of a tree joint: `Character` or None}. A tree joint that leads to its
    parent becomes a `Reversed` one, and a body's frame in the model is the one that its tree joint has on it.
    """
    identity = eye(6, *bodies.values())
    for name, parts in joints.items():
        if isinstance(parts, str) or not np.iterable(parts) or len(list(parts)) not in (3, 5):
            raise ModelError(f"Joint {name!r} is {parts!r}; give (predecessor, successor, joint), and perhaps X_P, "
                             "X_S.")
    given = {name: LoopJoint(*parts, *[identity] * (5 - len(parts))) for name, parts in joints.items()}
    graph = ConnectivityGraph(bodies, {name: (j.predecessor, j.successor) for name, j in given.items()}, base)
    numbering = regular_numbering(graph, loop_joints)
    frames, made, X_tree, inertia = [identity], [], [], []
    for i in range(1, numbering.N_B + 1):
        part = given[numbering.joints[i]]
        joint, X_parent, X_child = part.joint, part.X_P, part.X_S
        if numbering.is_reversed(i):
            joint = joint.joint if isinstance(joint, Reversed) else Reversed(joint)
            X_parent, X_child = X_child, X_parent
        made.append(joint)
        X_tree.append(X_parent @ inverse_transform(frames[numbering.parent[i]]))
        inertia.append(transform_inertia(X_child, bodies[numbering.bodies[i]]))
        frames.append(X_child)
    loops = []
    for i in range(numbering.N_B + 1, numbering.N_J + 1):
        part, p, s = given[numbering.joints[i]], numbering.predecessor(i), numbering.successor(i)
        X_P, X_S = (X @ inverse_transform(frames[body]) for X, body in ((part.X_P, p), (part.X_S, s)))
        loops.append(LoopJoint(p, s, part.joint, X_P, X_S))
    names = numbering.bodies[1:]
    named = {i: (characters or {}).get(numbering.joints[i]) for i in range(1, numbering.N_B + 1)}
    model = Model(numbering.parent[1:], made, X_tree, inertia, gravity, names, loops,
                  characters={i: character for i, character in named.items() if character is not None})
    return Assembled(model, numbering, frames)
