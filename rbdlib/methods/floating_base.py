"""Floating bases and models with a fixed base: from one to the other, states included, and dynamics (RBDA 9.3, 9.4).

A base is at X, the transform ⁰X_ref from the reference frame to floating-base coordinates, or at the seven numbers
(p0..p3, x, y, z): Euler parameters and the position of the base's origin in the reference frame. The latter keep to
their definition however long a motion is integrated.
"""

from dataclasses import dataclass

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, force_transform, free_motion
from rbdlib.book.ch04_joints import FreeMotion, jcalc
from rbdlib.book.ch04_model import LoopJoint, Model, ModelError, external_forces, require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch09_floating_base import floating_aba
from rbdlib.numbers.model_arguments import alike, read_only, require_floating
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import number, vector, zeros
from rbdlib.numbers.validation import rigid_body_inertia, transform, unit_euler_parameters

#: The name of a base that has been given none.
UNNAMED = "floating base"


@dataclass(frozen=True, eq=False)
class FloatingBase:
    """A system whose base floats (RBDA 9.3): a `Model`, the tree, whose body 0 is a moving body with the inertia I_0.

    I_0 (6 x 6) is in floating-base coordinates, which are those of the tree's body 0; tree.gravity is in reference
    coordinates, which coincide with them at X = 1. name: that of the base, which no body of the tree may have. Raises
    ValueError or TypeError for a base that is none.
    """

    tree: Model
    I_0: np.ndarray
    name: str = UNNAMED

    def __post_init__(self):
        require_model(self.tree)
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"name is {self.name!r}; give the floating base a name, such as 'hull'.")
        if self.name in (*self.tree.names, *shifted_names(self.tree, 1)):
            raise ModelError(f"name: {self.name!r} is taken by a body of the tree, or will be when the floating base "
                             "is counted as body 1; give the base a name of its own.")
        object.__setattr__(self, "I_0", read_only(rigid_body_inertia(self.I_0, "I_0")))

    #: The inertias of all bodies, with that of the floating base in place 0.
    inertia = property(lambda self: (self.I_0, *self.tree.inertia[1:]))

    def __eq__(self, other):
        return alike(self, other, ("tree", "name", "I_0")) if isinstance(other, FloatingBase) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def base_transform(base):
    """X (6 x 6), from reference to floating-base coordinates, for a base at (p0..p3, x, y, z), or at X itself."""
    if np.ndim(base) == 2:
        return transform(base, "base")
    base = vector(base, 7, "base")
    unit_euler_parameters(base[:4], "base[:4]")
    return FreeMotion().transform(base)


def gravity_in_base(system, base):
    """The acceleration a_g of free fall (3) in floating-base coordinates, which turns with the base (RBDA 9.4).

    base: its place, X or (p0..p3, x, y, z).
    """
    tree = require_floating(system).tree
    return (base_transform(base) @ free_motion(tree.gravity))[3:]                           # ⁰X_ref ^ref a_g


def to_fixed_base(system):
    """The equivalent fixed-base `Model`: body 0 becomes body 1, on a joint of free motion (RBDA 9.3).

    Names that say no more than a number change with it: "body 1" becomes "body 2", "floating base" becomes "body 1".
    """
    tree = require_floating(system).tree
    return Model(parent=[0, *(p + 1 for p in tree.parent[1:])], joints=[FreeMotion(), *tree.joints[1:]],
                 X_tree=[np.eye(6), *tree.X_tree[1:]], inertia=system.inertia, gravity=tree.gravity,
                 names=["body 1" if system.name == UNNAMED else system.name, *shifted_names(tree, 1)],
                 loops=renumbered(tree.loops, 1), parameters=tree.parameters,
                 characters={i + 1: c for i, c in enumerate(tree.characters) if c is not None})


def renumbered(loops, k):
    """The loop joints with k added to the numbers of their bodies."""
    return [LoopJoint(loop.predecessor + k, loop.successor + k, loop.joint, loop.X_P, loop.X_S) for loop in loops]


def shifted_names(model, k):
    """The names of the bodies 1, 2, ... with k added to those that are but numbers, unless two would become one."""
    names = [f"body {i + k}" if name == f"body {i}" else name for i, name in enumerate(model.names[1:], start=1)]
    return names if len(set(names)) == len(names) else list(model.names[1:])


def to_floating_base(model):
    """The `FloatingBase` of a model whose body 1 has six freedoms and carries all others: the way back (RBDA 9.3).

    Joint 1 and its X_tree are given up; what they say is in the state (`to_floating_state`). Names as for
    `to_fixed_base`. Raises ValueError for another model.
    """
    _require_root(model)
    touching = [k for k, loop in enumerate(model.loops, start=model.N_B + 1) if 0 in (loop.predecessor, loop.successor)]
    if touching:
        raise ValueError(f"Loop joint {touching[0]} ties the system to the fixed base, so that it does not float. Take "
                         "it out with model.replace(loops=...).")
    tree = Model([p - 1 for p in model.parent[2:]], model.joints[2:], model.X_tree[2:], model.inertia[2:],
                 model.gravity, shifted_names(model, -1)[1:], renumbered(model.loops, -1), model.parameters,
                 {i - 1: c for i, c in enumerate(model.characters) if c is not None})
    return FloatingBase(tree, model.inertia[1], UNNAMED if model.names[1] == "body 1" else model.names[1])


def _require_root(model):
    """A model, checked to have one child of the base, with six freedoms."""
    roots = require_model(model).mu(0)
    if len(roots) != 1:
        raise ValueError(f"The base carries {len(roots)} bodies, {roots}; a floating system has one, which carries all "
                         "others. Make a model of each part that floats.")
    if model.joints[1].nv != 6:
        raise ValueError(f"Body 1 ({model.names[1]}) is on the joint {model.joints[1]}, which has {model.joints[1].nv} "
                         "freedoms; a floating base has six. Use FreeMotion().")


def to_fixed_state(system, base, v_0, q, qd):
    """The state q, qd of `to_fixed_base(system)` for a base at X, or at (p0..p3, x, y, z), with the velocity v_0."""
    tree = require_floating(system).tree
    X = base_transform(base)
    base = base_variables(X) if np.ndim(base) == 2 else vector(base, 7, "base")
    v_0, q, qd = vector(v_0, 6, "v_0"), vector(q, tree.nq, "q"), vector(qd, tree.nv, "qd")
    none = zeros(0)                                     # makes floats of integers
    return np.concatenate([none, base, q]), np.concatenate([none, v_0, qd])


def to_floating_state(model, q, qd, t=0.0):
    """X, v_0, q, qd of `to_floating_base(model)` for a state q, qd of the model, whatever its six-freedom joint 1."""
    _require_root(model)
    q, qd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd")
    n_q = model.joints[1].nq
    X_J, _, v_0, _ = jcalc(model.joints[1], q[:n_q], qd[:6], number(t, "t"))
    return X_J @ model.X_tree[1], v_0, q[n_q:], qd[6:]


def base_variables(X):
    """The variables (p0..p3, x, y, z) of a base at X, with p0 >= 0; numbers only. The inverse of `base_transform`."""
    E, r = X_to_Er(X)
    return np.concatenate([euler_parameters_from_rotation(E), r])


def by_floating_aba(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics of a fixed-base model whose root has six freedoms, by Table 9.4; arguments and qdd as for `aba`.

    `rbdlib.motion.simulate.simulate` takes it as ``dynamics``.
    """
    system, (X, v_0, q_, qd_) = to_floating_base(model), to_floating_state(model, q, qd, t)
    joint, tau = model.joints[1], vector(tau, model.nv, "tau")
    q_1, qd_1, tau_1 = vector(q, model.nq, "q")[: joint.nq], vector(qd, model.nv, "qd")[:6], tau[:6]
    S_1, c_1 = map(np.asarray, jcalc(joint, q_1, qd_1, t)[1::2])
    f = external_forces(model, f_ext)[1:] @ force_transform(X).T
    f = [f[0] + S_1 @ solve(S_1.T @ S_1, tau_1), *f[1:]]                # f_1 and the external force act alike
    a_0, qdd = floating_aba(system, q_, qd_, v_0, tau[6:], gravity_in_base(system, X), f, t)
    return np.concatenate([solve(S_1.T @ S_1, S_1.T @ (a_0 - c_1)), qdd])
