"""The system model: bodies, joints and how they are connected (RBDA 4.1, 4.6, Table 4.3).

Body 0 is the fixed base; bodies 1..N_B are numbered so that a body's parent has a smaller number. Every sequence of a
`Model` is indexed by body number, as in the book, so that its place 0 belongs to the base.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdlib.book.ch04_jcalc import Joint, Reversed
from rbdlib.numbers.model_arguments import (
    ModelError,
    System,
    alike,
    forces_on_bodies,
    is_whole,
    read_only,
    system_attributes,
    warn_where_inertia_is_singular,
)
from rbdlib.numbers.scalars import number, vector
from rbdlib.numbers.validation import transform


@dataclass(frozen=True, eq=False)
class LoopJoint:
    """A joint that closes a kinematic loop (RBDA 4.1.1, Table 4.3).

    It connects body ``predecessor`` to body ``successor`` (numbers, 0 for the base). X_P and X_S (6 x 6) lead from the
    frames of those bodies to the joint's frames F_p on the predecessor and F_s on the successor.

    >>> from rbdlib import load
    >>> from rbdlib.book.ch02_spatial import xlt
    >>> from rbdlib.book.ch04_joints import Revolute
    >>> pin = LoopJoint(0, 2, Revolute("y"), xlt([1, 0, 0]), xlt([1, 0, 0]))
    >>> load("arm_2r").replace(loops=[pin]).N_L
    1
    """

    predecessor: int
    successor: int
    joint: Joint
    X_P: np.ndarray
    X_S: np.ndarray

    def __post_init__(self):
        if not isinstance(self.joint, Joint):
            raise ModelError(f"The joint of a loop is {self.joint!r}; give one such as Revolute('z').")
        for name in ("X_P", "X_S"):
            object.__setattr__(self, name, read_only(transform(getattr(self, name), name)))

    def __eq__(self, other):
        names = ("predecessor", "successor", "joint", "X_P", "X_S")
        return alike(self, other, names) if isinstance(other, LoopJoint) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Model(System):
    """A system of rigid bodies: a kinematic tree, and the joints that close its loops if it has any (RBDA Table 4.3).

    Immutable: `replace` makes a changed copy. `==` compares, `print` draws the tree.

    Parameters (the four sequences have one entry per body 1..N_B)
        parent: number of each body's parent, lambda(i), in 0..i-1 (0 is the base).
        joints: the joint that connects each body to its parent, such as Revolute("z").
        X_tree: 6 x 6 transforms X_T(i) from the parent's frame to the frame in the parent where joint i sits.
        inertia: 6 x 6 spatial inertias in body coordinates (make them with `rbdlib.book.ch02_spatial.mcI`).
        gravity: acceleration of free fall a_g (m/s²) as a 3-vector in base coordinates.
        names: one name per body.  loops: the `LoopJoint` objects that close kinematic loops, numbered N_B+1..N_J.
        parameters: the named quantities (numbers or symbols) from which the model was made, if any.
        characters: {body: `rbdlib.methods.joint_character.Character`}: damping, springs, ... of its joint, if any.

    Attributes, indexed by body number: parent, joints, X_tree, inertia, names (place 0 is the base). Further: N_B, nq,
    nv (numbers of bodies, position and velocity variables), N_L, N_J (numbers of loop joints and of all joints), bodies
    (1..N_B), gravity, loops, parameters; characters (by body number, None for a joint without).

    Raises ModelError (a ValueError) naming the body and the remedy.

    >>> import numpy as np
    >>> from rbdlib.book.ch02_spatial import mcI, xlt
    >>> from rbdlib.book.ch04_joints import Revolute
    >>> rod = mcI(1, [0.5, 0, 0], np.diag([0, 1 / 12, 1 / 12]))
    >>> print(Model([0, 1], [Revolute("y")] * 2, [np.eye(6), xlt([1, 0, 0])], [rod] * 2, names=["upper", "lower"]))
    base
    └─ 1 upper   revolute y   m = 1 kg
       └─ 2 lower   revolute y   m = 1 kg
    """

    N_B: int
    parent: tuple[int, ...]
    joints: tuple[Joint, ...]
    X_tree: tuple[np.ndarray, ...]
    inertia: tuple[np.ndarray, ...]
    gravity: np.ndarray
    names: tuple[str, ...]
    loops: tuple[LoopJoint, ...]
    parameters: Mapping[str, Any]
    characters: tuple[Any, ...]
    _q_slices: list[slice]
    _v_slices: list[slice]

    def __init__(self, parent: Iterable[int], joints: Iterable[Joint], X_tree: Iterable[Any],
                 inertia: Iterable[Any], gravity: Any = (0, 0, -9.81), names: Iterable[str] | None = None,
                 loops: Iterable[LoopJoint] = (), parameters: Mapping[str, Any] | None = None,
                 characters: Mapping[int, Any] | None = None) -> None:
        given = {"parent": parent, "joints": joints, "X_tree": X_tree, "inertia": inertia, "loops": loops}
        attributes = system_attributes(given, gravity, names, parameters, characters, (Joint, LoopJoint))
        for name, value in attributes.items():
            object.__setattr__(self, name, value)
        warn_where_inertia_is_singular(self)

    # Size and connectivity (RBDA 4.1)

    @property
    def bodies(self) -> range:
        """The numbers of the moving bodies, 1..N_B."""
        return range(1, self.N_B + 1)

    @property
    def nq(self) -> int:
        """Number of position variables."""
        return self._q_slices[-1].stop

    @property
    def nv(self) -> int:
        """Number of velocity variables: the degree of freedom."""
        return self._v_slices[-1].stop

    @property
    def N_L(self) -> int:
        """Number of loop joints, which is that of independent kinematic loops (RBDA Eq. 4.1)."""
        return len(self.loops)

    @property
    def N_J(self) -> int:
        """Number of joints, those of the tree and those that close loops."""
        return self.N_B + self.N_L

    def predecessor(self, i: int) -> int:
        """p(i): the body from which joint i leads (RBDA 4.1.4); a tree joint's parent, unless the joint is reversed."""
        return self._ends(i)[0]

    def successor(self, i: int) -> int:
        """s(i): the body to which joint i leads (RBDA 4.1.4)."""
        return self._ends(i)[1]

    def _ends(self, i):
        if not is_whole(i) or not 1 <= i <= self.N_J:
            raise ModelError(f"There is no joint {i}; this model has the joints 1 to {self.N_J}.")
        if i > self.N_B:
            loop = self.loops[i - self.N_B - 1]
            return loop.predecessor, loop.successor
        ends = self.parent[i], int(i)
        return ends[::-1] if isinstance(self.joints[i], Reversed) else ends

    def q_slice(self, i: int) -> slice:
        """Where the position variables of joint i stand in q."""
        return self._q_slices[self._body(i)]

    def v_slice(self, i: int) -> slice:
        """Where the velocity variables of joint i stand in qd, qdd and tau."""
        return self._v_slices[self._body(i)]

    def kappa(self, i: int) -> list[int]:
        """The joints on the path from body i to the base, ascending: the joints that move body i (RBDA 4.1)."""
        return path_to_base(self.parent, self._body(i))

    def mu(self, i: int) -> list[int]:
        """The children of body i (RBDA 4.1); i = 0 asks for those of the base."""
        return children(self.parent, self._body(i, first=0))

    def nu(self, i: int) -> list[int]:
        """The bodies of the subtree that starts at body i, i included (RBDA 4.1): those that joint i moves."""
        return subtree(self.parent, self._body(i, first=0))

    def _body(self, i, first=1):
        if type(i) is int and first <= i <= self.N_B:
            return i
        if not is_whole(i) or not first <= i <= self.N_B:
            raise ModelError(f"There is no body {i}; this model has the bodies 1 to {self.N_B}.")
        return int(i)

    def replace(self, **changes: Any) -> "Model":
        """A copy with some constructor arguments changed, for example ``model.replace(gravity=(0, -1.62, 0))``."""
        return Model(**self._arguments(changes))

    def qdot(self, q: Any, qd: Any) -> np.ndarray:
        """Rate of change of q (length nq) for the velocities qd (length nv)."""
        q, qd = vector(q, self.nq, "q"), vector(qd, self.nv, "qd")
        return self._by_joint(lambda i: self.joints[i].qdot(q[self.q_slice(i)], qd[self.v_slice(i)]))

    def integrate(self, q: Any, qd: Any, dt: float) -> np.ndarray:
        """The position reached from q by moving with constant velocities qd for the time dt (s)."""
        q, qd, dt = vector(q, self.nq, "q"), vector(qd, self.nv, "qd"), number(dt, "dt")
        return self._by_joint(lambda i: self.joints[i].integrate(q[self.q_slice(i)], qd[self.v_slice(i)], dt))


def path_to_base(parent, i):
    """kappa(i), ascending, for an array of parents with the base in place 0 (RBDA 4.1.4)."""
    path = []
    while i != 0:
        path.insert(0, i)
        i = parent[i]
    return path


def children(parent, i):
    """mu(i), for an array of parents with the base in place 0 (RBDA 4.1.4)."""
    return [j for j in range(1, len(parent)) if parent[j] == i]


def subtree(parent, i):
    """nu(i), for an array of parents with the base in place 0 (RBDA 4.1.4)."""
    bodies = {i}
    for j in range(i + 1, len(parent)):
        if parent[j] in bodies:
            bodies.add(j)
    return sorted(bodies)


def require_model(model):
    """The model, checked to be a `Model`; TypeError otherwise."""
    if not isinstance(model, Model):
        raise TypeError(f"model is {model!r}; give a Model, such as rbdlib.load('pendulum').")
    return model


def require_tree(model):
    """The model, checked to be a kinematic tree; ValueError if it has loops."""
    if require_model(model).loops:
        raise ValueError(f"model has {model.N_L} loop(s), which this method for trees would leave open. "
                         "Use forward_dynamics, which keeps them closed, or the tree model.replace(loops=()).")
    return model


def per_joint(model, **variables):
    """The parts of q (nq), of qd, qdd or tau (nv) that belong to each joint: a list [None, x_1, ...] for each, checked.

    The names of the arguments say which variables they are: per_joint(model, q=q, qd=qd).
    """
    require_model(model)
    q, v = (model.nq, model.q_slice), (model.nv, model.v_slice)
    sizes = {name: q if name == "q" else v for name in variables}
    whole = {name: vector(x, sizes[name][0], name) for name, x in variables.items()}
    return [[None, *(x[sizes[name][1](i)] for i in model.bodies)] for name, x in whole.items()]


def joined(x):
    """The vector of all joints whose parts are x[1], x[2], ...: the way back from `per_joint`."""
    return np.concatenate([np.zeros(0), *x[1:]])


def external_forces(model, f_ext):
    """f_ext as an array (N_B+1, 6), zero where nothing acts: the forces on the bodies in base coordinates.

    f_ext: None, an (N_B+1, 6) array, or a dict {body: 6-vector}. Raises ValueError or TypeError for anything else.
    """
    return forces_on_bodies(f_ext, model.N_B)
