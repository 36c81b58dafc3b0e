"""Controllers for simulations: joint forces as functions torque(t, q, qd) that can be added (RBDA 5.3, MRN 1).

They can be sent to other processes, which a function written inside another function cannot.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rbdlib.book import ch05_inverse_dynamics as inverse_dynamics
from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, motion_exp
from rbdlib.book.ch04_joints import Joint
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import as_floats, vector


def difference(model, q, q_d, t=0.0, bodies=None):
    """The constant velocity (nv) that takes the configuration q to q_d in unit time: the inverse of `Model.integrate`.

    It is q_d - q where q is the integral of qd; a body that turns freely goes the shortest way round. q, q_d: (nq),
    numbers. t: time (s), for joints that depend on it. bodies: those whose joints are to move, all by default.
    """
    q, q_d = vector(q, require_model(model).nq, "q"), vector(q_d, model.nq, "q_d")
    return np.concatenate([np.zeros(0), *(
        _joint_difference(model.joints[i], q[model.q_slice(i)], q_d[model.q_slice(i)], t)
        if bodies is None or i in bodies else np.zeros(model.joints[i].nv) for i in model.bodies)])


class Controller:
    """Joint forces (nv) as a function torque(t, q, qd); the sum of two controllers, or functions, is one too."""

    def __call__(self, t, q, qd):
        raise NotImplementedError("A controller gives the joint forces by __call__(t, q, qd).")

    def __add__(self, other):
        return Sum(self, other) if callable(other) else NotImplemented

    def __radd__(self, other):
        return Sum(other, self) if callable(other) else NotImplemented


@dataclass(frozen=True, eq=False)
class Sum(Controller):
    """Two controllers at once."""

    first: Callable
    second: Callable

    def __call__(self, t, q, qd):
        first, second = np.asarray(self.first(t, q, qd)), np.asarray(self.second(t, q, qd))
        if first.shape != second.shape:
            raise ValueError(f"Two controllers that are added give joint forces of different shapes, {first.shape} and "
                             f"{second.shape}. Each must give a force for every velocity variable.")
        return first + second


@dataclass(frozen=True, eq=False)
class Law(Controller):
    """One of the laws of this module with what it was given: law(t, q, qd, *given)."""

    law: Callable
    given: tuple

    def __call__(self, t, q, qd):
        return self.law(t, q, qd, *self.given)

    def __repr__(self):
        names = list(inspect.signature(self.law).parameters)[3:]
        given = ", ".join(f"{name}={value!r}" for name, value in zip(names, self.given, strict=True))
        return f"{self.law.__name__.lstrip('_')}({given})"


def all_ours(torque):
    """True for a controller of this module and for sums of these, which can be compiled."""
    return all_ours(torque.first) and all_ours(torque.second) if type(torque) is Sum else type(torque) is Law


def pd(model, q_d, Kp, Kd, qd_d=None):
    """Springs and dampers towards q_d: torque = Kp (q_d - q) + Kd (qd_d - qd), the first difference by `difference`.

    q_d: the wanted positions (nq), or a function of t that returns them; qd_d: likewise the wanted velocities (nv),
    zero by default. Kp, Kd: stiffness and damping, each a number, one per velocity variable, or a matrix (nv x nv).
    """
    nv = require_model(model).nv
    return Law(_pd, (model, _wanted(q_d, model.nq, "q_d"), _gain(Kp, nv, "Kp"), _gain(Kd, nv, "Kd"),
                     None if qd_d is None else _wanted(qd_d, nv, "qd_d")))


def _pd(t, q, qd, model, q_d, Kp, Kd, qd_d):
    nq, nv = model.nq, model.nv
    held = np.any(np.broadcast_to(Kp, (nv, nv)) != 0, axis=0)
    bodies = [i for i in model.bodies if held[model.v_slice(i)].any()]
    error = difference(model, q, _at(q_d, t, nq, "q_d"), t, bodies)
    rate_error = (0 if qd_d is None else _at(qd_d, t, nv, "qd_d")) - vector(qd, nv, "qd")
    return _times(Kp, error) + _times(Kd, rate_error)


def gravity_compensation(model):
    """The joint forces that carry the weight in the configuration at hand, so that nothing falls (RBDA 5.3)."""
    return Law(_weight, (require_model(model),))


def _weight(t, q, qd, model):
    return inverse_dynamics.generalized_gravity(model, q, t)


def computed_torque(model, q_d, qd_d, qdd_d, Kp, Kd):
    """Inverse dynamics of the wanted motion, corrected by the errors (RBDA 5): torque = rnea(model, q, qd, a) with

    a = qdd_d + Kd (qd_d - qd) + Kp (q_d - q). If model is the truth, and q the integral of qd, each error e then
    obeys e'' + Kd e' + Kp e = 0. q_d, qd_d, qdd_d: arrays or functions of t; gains as for `pd`. Forces from outside
    are left to the errors.
    """
    nv = require_model(model).nv
    return Law(_computed_torque, (model, _wanted(q_d, model.nq, "q_d"), _wanted(qd_d, nv, "qd_d"),
                                  _wanted(qdd_d, nv, "qdd_d"), _gain(Kp, nv, "Kp"), _gain(Kd, nv, "Kd")))


def _computed_torque(t, q, qd, model, q_d, qd_d, qdd_d, Kp, Kd):
    error = difference(model, q, _at(q_d, t, model.nq, "q_d"), t)
    rate_error = _at(qd_d, t, model.nv, "qd_d") - vector(qd, model.nv, "qd")
    qdd = _at(qdd_d, t, model.nv, "qdd_d") + _times(Kd, rate_error) + _times(Kp, error)
    return inverse_dynamics.rnea(model, q, qd, qdd, t=t)


def _joint_difference(joint, q, q_d, t):
    while hasattr(joint, "joint"):                                  # a reversed or a typed joint
        joint = joint.joint
    if type(joint).integrate is Joint.integrate:
        return q_d - q
    if any(as_floats(x) is None for x in (q, q_d)):
        raise ValueError("q or q_d contains symbols; the shortest way of a turn can be found for numbers only.")
    E, r = X_to_Er(joint.transform(q_d, t) @ inverse_transform(joint.transform(q, t)))
    p = euler_parameters_from_rotation(E)
    sine = np.sqrt(p[1:] @ p[1:])
    turn = p[1:] * 2 * np.arctan2(sine, p[0]) / sine if sine > 0 else p[1:]
    moves = [X_to_Er(motion_exp([*turn, *direction]))[1] for direction in np.eye(3)]
    u = np.concatenate([turn, np.linalg.solve(np.transpose(moves), r)])
    return joint.motion_subspace(q, t).T @ u


def _wanted(value, n, name):
    return value if callable(value) else vector(value, n, name)


def _at(wanted, t, n, name):
    """The wanted values at the time t, those of a function checked: n numbers, never one for all."""
    return vector(wanted(t), n, f"{name}({t:.6g})") if callable(wanted) else wanted


def _gain(K, nv, name):
    array = as_floats(K)
    if array is None or array.shape not in ((), (nv,), (nv, nv)) or not np.isfinite(array).all():
        raise ValueError(f"{name} is {K!r}; give a number, {nv} numbers, or a matrix of shape ({nv}, {nv}).")
    return array


def _times(K, x):
    return K @ x if K.ndim == 2 else K * x
