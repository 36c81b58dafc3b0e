"""Floating bases and models with a fixed base: from one to the other, states included, and dynamics (RBDA 9.3, 9.4).

A base is at X, or at the seven numbers (p0..p3, x, y, z), as in `rbdlib.book.ch09_floating_base`. The latter keep to
their definition however long a motion is integrated.
"""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, force_transform
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import Model, external_forces, require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch09_floating_base import (
    UNNAMED,
    FloatingBase,
    base_transform,
    floating_aba,
    floating_by_crba,
    gravity_in_base,
    renumbered,
    require_floating,
    shifted_names,
)
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import number, vector, zeros


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
                 model.gravity, shifted_names(model, -1)[1:], renumbered(model.loops, -1), model.parameters)
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


# The algorithms for the equivalent fixed-base model, with the arguments of `rbdlib.forward_dynamics`


def by_floating_aba(model, q, qd, tau, f_ext=None, t=0.0):
    """Forward dynamics of a fixed-base model whose root has six freedoms, by Table 9.4; arguments and qdd as for `aba`.

    `rbdlib.motion.simulate.simulate` takes it as ``dynamics``.
    """
    return _as_fixed_base(floating_aba, model, q, qd, tau, f_ext, t)


def by_floating_crba(model, q, qd, tau, f_ext=None, t=0.0):
    """As `by_floating_aba`, by Table 9.5 and Eq. 9.13."""
    return _as_fixed_base(floating_by_crba, model, q, qd, tau, f_ext, t)


def _as_fixed_base(algorithm, model, q, qd, tau, f_ext, t):
    system, (X, v_0, q_, qd_) = to_floating_base(model), to_floating_state(model, q, qd, t)
    joint, tau = model.joints[1], vector(tau, model.nv, "tau")
    q_1, qd_1, tau_1 = vector(q, model.nq, "q")[: joint.nq], vector(qd, model.nv, "qd")[:6], tau[:6]
    S_1, c_1 = map(np.asarray, jcalc(joint, q_1, qd_1, t)[1::2])
    f = external_forces(model, f_ext)[1:] @ force_transform(X).T
    f = [f[0] + S_1 @ solve(S_1.T @ S_1, tau_1), *f[1:]]                # f_1 and the external force act alike
    a_0, qdd = algorithm(system, q_, qd_, v_0, tau[6:], gravity_in_base(system, X), f, t)
    return np.concatenate([solve(S_1.T @ S_1, S_1.T @ (a_0 - c_1)), qdd])
