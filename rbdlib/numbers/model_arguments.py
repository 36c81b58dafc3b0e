"""The arguments of a model and of the functions of a model, checked; a warning where no inertia resists a joint."""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from rbdlib.numbers.scalars import as_floats, vector, zeros
from rbdlib.numbers.validation import rigid_body_inertia, transform


class ModelError(ValueError):
    """A description of a mechanism that no mechanism fits; the message says what to change."""


def is_whole(i):
    """True for a whole number, of Python or NumPy, that is not a truth value."""
    return isinstance(i, (int, np.integer)) and not isinstance(i, bool)


def whole_number(x, name, least=0):
    """x as an int; ValueError naming the argument if it is no whole number, or less than the least."""
    if not is_whole(x) or x < least:
        raise ValueError(f"{name} is {x!r}; give a whole number, {least} or more.")
    return int(x)


def read_only(array):
    """The array, whose elements can no longer be changed."""
    array.flags.writeable = False
    return array


def alike(a, b, names):
    """True if the attributes of a and b with the given names, numbers, arrays or tuples of these, are equal."""
    return all(_equal(getattr(a, name), getattr(b, name)) for name in names)


def _equal(x, y):
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(_equal, x, y))
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y


def system_attributes(given, gravity, names, parameters, characters, joint_kinds):
    """The attributes of a `Model`, checked, by name; lists over the bodies get a place 0 for the base.

    given: parent, joints, X_tree, inertia and loops by name; joint_kinds: the classes of joints and of loop joints.
    Raises ModelError naming the body and the remedy.
    """
    for name, sequence in given.items():
        if not np.iterable(sequence) or isinstance(sequence, str):
            raise ModelError(f"{name} is {sequence!r}; give a sequence with one entry per body (or loop).")
    if not isinstance(parameters or {}, Mapping):
        raise ModelError(f"parameters is {parameters!r}; give a dict of names and values.")
    parent, joints, X_tree, inertia, loops = map(list, given.values())
    N_B = len(parent)
    names = [f"body {i}" for i in range(1, N_B + 1)] if names is None else [str(name) for name in names]
    for name, listed in (("joints", joints), ("X_tree", X_tree), ("inertia", inertia), ("names", names)):
        if len(listed) != N_B:
            raise ModelError(f"{name} has {len(listed)} entries, parent has {N_B}; give one entry per body.")
    twice = next((name for k, name in enumerate(names) if name in ("base", *names[:k])), None)
    if twice is not None:
        raise ModelError(f"names: {twice!r} is taken; give every body a name of its own, other than 'base'.")
    Joint, LoopJoint = joint_kinds
    _check_tree(parent, joints, Joint)
    return {
        "N_B": N_B,
        "parent": (None, *map(int, parent)),
        "joints": (None, *joints),
        "X_tree": (None, *(_frozen(transform, X, f"X_tree of body {i}") for i, X in enumerate(X_tree, start=1))),
        "inertia": (None, *(_frozen(rigid_body_inertia, I, f"inertia of body {i}") for i, I in enumerate(inertia, 1))),
        "gravity": _frozen(lambda g, name: vector(g, 3, name), gravity, "gravity"),
        "names": ("base", *names),
        "loops": tuple(_loop(k, loop, N_B, LoopJoint) for k, loop in enumerate(loops, start=1)),
        "parameters": MappingProxyType(dict(parameters or {})),
        "characters": _characters({} if characters is None else characters, joints),
        "_q_slices": slices_of([joint.nq for joint in joints]),
        "_v_slices": slices_of([joint.nv for joint in joints]),
    }


def _check_tree(parent, joints, kind):
    for i, (p, joint) in enumerate(zip(parent, joints, strict=True), start=1):
        if not is_whole(p):
            raise ModelError(f"The parent of body {i} is {p!r}; give the whole number of a body, 0 for the base.")
        if not 0 <= p < i:
            raise ModelError(f"The parent of body {i} is {p}; give each body a larger number than its parent has.")
        if not isinstance(joint, kind):
            raise ModelError(f"The joint of body {i} is {joint!r}; give one such as Revolute('z') or Prismatic('x').")


def _characters(characters, joints):
    """One `rbdlib.methods.joint_character.Character` or None for the base and each body."""
    if not isinstance(characters, Mapping):
        raise ModelError(f"characters is {characters!r}; give a dict {{body: Character}}, such as "
                         "{1: Character(damping=0.1)}.")
    for i, character in characters.items():
        if not is_whole(i) or not 1 <= i <= len(joints):
            raise ModelError(f"characters names body {i!r}; this model has the bodies 1 to {len(joints)}.")
        if not hasattr(character, "armature"):
            raise ModelError(f"characters[{i}] is {character!r}; give a Character, such as Character(damping=0.1).")
        if joints[i - 1].nv != 1:
            raise ModelError(f"characters names joint {i}, which is a {joints[i - 1]} joint; only joints of one "
                             "freedom have a character. Make it of several of these, or give its forces as a torque.")
    return tuple(characters.get(i) for i in range(len(joints) + 1))


def _loop(k, loop, N_B, kind):
    if not isinstance(loop, kind):
        raise ModelError(f"Entry {k} of loops is {loop!r}; give a LoopJoint.")
    for body in (loop.predecessor, loop.successor):
        if not is_whole(body) or not 0 <= body <= N_B:
            raise ModelError(f"Loop joint {k} names body {body!r}; this model has the bodies 0 (the base) to {N_B}.")
    if loop.predecessor == loop.successor:
        raise ModelError(f"Loop joint {k} connects body {loop.predecessor} to itself; it needs two different bodies.")
    return loop


def _frozen(check, array, name):
    try:
        return read_only(check(array, name))
    except (ValueError, TypeError) as error:
        raise ModelError(str(error)) from None


def slices_of(sizes):
    """Where parts of the given sizes stand, one after another: a list of slices, with an empty one in place 0."""
    ends = np.cumsum([0, *sizes]).tolist()
    return (slice(0, 0), *(slice(start, stop) for start, stop in zip(ends, ends[1:], strict=False)))


def _made(kind, arguments):
    return kind(**arguments)


class System:
    """The side of a `Model` that is not in the book: it cannot be changed, is compared, copied, printed; its states."""

    def __setattr__(self, name, value):
        raise AttributeError(f"A Model cannot be changed; use model.replace({name}=...) to make a changed copy.")

    def __delattr__(self, name):
        raise AttributeError(f"A Model cannot be changed; its {name} cannot be deleted.")

    def __reduce__(self: Any):
        """The second model of copy and pickle is made by the constructor, so that it is immutable too."""
        return _made, (type(self), self._arguments({}))

    def __eq__(self, other):
        names = ("parent", "joints", "names", "parameters", "loops", "gravity", "X_tree", "inertia", "characters")
        return alike(self, other, names) if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def neutral(self: Any) -> np.ndarray:
        """The position q (array of length nq) at which every joint's two frames coincide."""
        return self._by_joint(lambda i: self.joints[i].neutral())

    def random_state(self: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """A state (q, qd) drawn with the NumPy generator rng: angles and displacements in (-pi, pi), rates normal."""
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng is {rng!r}; give a generator such as numpy.random.default_rng(1).")
        return self._by_joint(lambda i: self.joints[i].random_position(rng)), rng.normal(size=self.nv)

    def normalise(self: Any, q: Any) -> np.ndarray:
        """q with every set of Euler parameters scaled to unit length, as must be done now and then (RBDA 4.5)."""
        q = vector(q, self.nq, "q")
        return self._by_joint(lambda i: self.joints[i].normalise(q[self.q_slice(i)]))

    def _by_joint(self: Any, part):
        return np.concatenate([part(i) for i in self.bodies]) if self.N_B else np.zeros(0)

    def _arguments(self: Any, changes):
        """The arguments of the constructor, with some of them changed."""
        sequences = ("parent", "joints", "X_tree", "inertia", "names")
        given: dict[str, Any] = {name: list(getattr(self, name))[1:] for name in sequences}
        given.update(gravity=self.gravity, loops=self.loops, parameters=dict(self.parameters), characters={
            i: character for i, character in enumerate(self.characters) if character is not None})
        unknown = set(changes) - set(given)
        if unknown:
            raise TypeError(f"replace has no argument {sorted(unknown)[0]!r}; choose from {', '.join(given)}.")
        return {**given, **changes}

    def __str__(self: Any):
        def end(i):
            return f"{i} {self.names[i]}" if i else "base"

        loops = (f"loop {k}: {end(loop.predecessor)} - {end(loop.successor)}   {loop.joint}"
                 for k, loop in enumerate(self.loops, start=self.N_B + 1))
        return "\n".join(["base", *_branches(self), *loops])

    def __repr__(self: Any):
        return f"<Model of {self.N_B} bodies, nq={self.nq}, nv={self.nv}>"


def _branches(model):
    to_do = [(j, "") for j in reversed(model.mu(0))]
    while to_do:
        j, indent = to_do.pop()
        last = j == model.mu(model.parent[j])[-1]
        m = model.inertia[j][5, 5]
        mass = "(massless)" if m == 0 else f"m = {m:.4g} kg" if as_floats(m) is not None else f"m = {m}"
        yield f"{indent}{'└─' if last else '├─'} {j} {model.names[j]}   {model.joints[j]}   {mass}"
        to_do.extend((k, indent + ("   " if last else "│  ")) for k in reversed(model.mu(j)))


def forces_on_bodies(f_ext, N_B):
    """f_ext as an array (N_B+1, 6), checked; see `rbdlib.book.ch04_model.external_forces`."""
    if f_ext is None:
        return np.zeros((N_B + 1, 6))
    if not isinstance(f_ext, dict):
        if not np.iterable(f_ext):
            raise TypeError(f"f_ext is {f_ext!r}; give an ({N_B + 1}, 6) array or a dict {{body: 6-vector}}.")
        f_ext = dict(enumerate(f_ext))
        if len(f_ext) != N_B + 1:
            raise ValueError(f"f_ext has {len(f_ext)} rows; expected {N_B + 1}, one for the base and each body.")
    unknown = [body for body in f_ext if not is_whole(body) or not 0 <= body <= N_B]
    if unknown:
        raise ValueError(f"f_ext names body {unknown[0]!r}; this model has the bodies 1 to {N_B}.")
    forces = {}
    for i, f in f_ext.items():
        try:
            forces[i] = vector(f, 6, f"f_ext[{i}]")
        except ValueError as error:
            error.body = i  # type: ignore[attr-defined]
            raise
    array = zeros((N_B + 1, 6), *forces.values())
    for i, f in forces.items():
        array[i] = f
    return array


def warn_where_inertia_is_singular(model):
    """Warn of a joint whose motion no inertia resists, so that H is singular (RBDA 7.2)."""
    if all(np.any(I != 0) for I in model.inertia[1:]):
        return
    weightless = (i for i in model.bodies if model.joints[i].nv and not any(
        np.any(model.inertia[j] != 0) for j in model.nu(i)))
    i, what = next(weightless, None), "moves nothing that has mass"
    if i is None and all(as_floats(array) is not None for array in (*model.X_tree[1:], *model.inertia[1:])):
        i, what = _joint_without_inertia(model), "can move something that has no inertia"
    if i is not None:
        warnings.warn(
            f"Joint {i} ({model.names[i]}) {what}, so that the joint-space inertia H is singular and forward dynamics "
            f"has no answer. Give body {i} or one beyond it a mass.",
            stacklevel=4,
        )


def _joint_without_inertia(model):
    """A joint whose motion meets no inertia when the joints beyond it are free to give way, or None (RBDA 7.2)."""
    q, _ = model.random_state(np.random.default_rng(0))
    I_A = [np.zeros((6, 6)), *(as_floats(I) for I in model.inertia[1:])]
    smallest = 1e-10 * max(np.abs(I).max() for I in I_A)
    for i in reversed(model.bodies):
        joint, q_i = model.joints[i], q[model.q_slice(i)]
        X, S = as_floats(joint.transform(q_i) @ model.X_tree[i]), as_floats(joint.motion_subspace(q_i))
        U = I_A[i] @ S
        D = S.T @ U
        if np.linalg.matrix_rank(D, smallest) < joint.nv:
            return i
        I_A[model.parent[i]] += X.T @ (I_A[i] - U @ np.linalg.solve(D, U.T)) @ X
    return None


def body_numbers(prescribed, N_B):
    """The argument prescribed, a list of body numbers or one number, checked: a set."""
    given = [prescribed] if isinstance(prescribed, (int, np.integer)) else prescribed
    if not np.iterable(given) or isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise TypeError(f"prescribed is {prescribed!r}; give a list of body numbers, such as [1, 3], or [].")
    for i in given:
        if not is_whole(i) or not 1 <= i <= N_B:
            raise ValueError(f"prescribed names body {i!r}; this model has the bodies 1 to {N_B}. Give numbers.")
    return {int(i) for i in given}


def two_bodies(predecessor, successor):
    """Refuse what are not the numbers of two different bodies, 0 for the base."""
    for name, i in (("predecessor", predecessor), ("successor", successor)):
        if not is_whole(i) or i < 0:
            raise ValueError(f"{name} is {i!r}; give the number of a body, 0 for the base.")
    if predecessor == successor:
        raise ValueError(f"predecessor and successor are both body {successor}; no body touches itself. Give the two "
                         "bodies that touch.")


def zero_where(unknown, x, name):
    """x as a vector, with zeros for what stands where the array of bool says that it is unknown."""
    if x is None and unknown.all():
        return zeros(len(unknown))
    if np.iterable(x) and not isinstance(x, (str, bytes)) and len(x := list(x)) == len(unknown):
        x = [0 if zero else entry for zero, entry in zip(unknown, x, strict=True)]
    return vector(x, len(unknown), name)


def motor_forces(model, tau_loop):
    """The argument tau_loop, checked: {k: vector of the forces along the freedoms of loop joint k}."""
    tau_loop = {} if tau_loop is None else tau_loop
    if not isinstance(tau_loop, dict):
        raise TypeError(f"tau_loop is {tau_loop!r}; give a dict {{k: tau_k}}, with k the number of a loop joint.")
    for k in tau_loop:
        if not is_whole(k) or not model.N_B < k <= model.N_J:
            raise ValueError(f"tau_loop names joint {k!r}; the loop joints of this model are "
                             f"{list(range(model.N_B + 1, model.N_J + 1))}. Forces of tree joints belong in tau.")
    return {k: vector(np.atleast_1d(tau_k), model.loops[k - model.N_B - 1].joint.nv, f"tau_loop[{k}]")
            for k, tau_k in tau_loop.items()}


def require_geared(geared):
    """The argument, checked to be a `rbdlib.methods.geared_trees.GearedTree`; TypeError otherwise."""
    if not hasattr(geared, "gamma"):
        raise TypeError(f"geared is {geared!r}; give a GearedTree(model, [Gear(2, {{1: 100}}), ...]).")
    return geared


def require_floating(system):
    """The system, checked to be a `rbdlib.methods.floating_base.FloatingBase`; TypeError otherwise."""
    if not hasattr(system, "I_0"):
        raise TypeError(f"system is {system!r}; give a FloatingBase, such as to_floating_base(model) makes of a Model "
                        "whose body 1 moves freely.")
    return system
