"""Motions that are given as functions of time, for simulations and floating bases (RBDA 9.1, 9.5)."""

import sys

import numpy as np

from rbdlib.book.ch09_hybrid import forward_joints, hybrid_dynamics, require_hybrid_method
from rbdlib.methods.joint_character import joint_forces
from rbdlib.motion.integrators import SimulationError
from rbdlib.numbers.scalars import as_floats, vector

#: Where in a span of time rates are looked at: no round parts of it, where motions like to have kinks.
PLACES = 0.1273, 0.4571, 0.8619
#: Over which parts of a span: shorter ones where a motion is too fast for the longer.
LENGTHS = 1e-6, 1e-8, 1e-10
NAMES = "q", "qd", "qdd"
#: The method of `hybrid_dynamics` that is taken by default.
METHOD = "articulated_body"


class PrescribedMotions:
    """The motions of joints as functions of time, for `rbdlib.motion.simulate.simulate`.

    motions: {body: function}, where function(t) returns the joint's q, qd and qdd at the time t (s): arrays (nq, nv, nv
    of that joint), or three numbers if it has one variable. bodies: the body numbers, sorted.
    Raises ValueError, SimulationError (a ValueError) or TypeError, naming the body, for what is no such function.
    """

    def __init__(self, model, motions):
        if not isinstance(motions, dict):
            raise TypeError(f"prescribed is {motions!r}; give a dict {{body: function(t) -> (q, qd, qdd)}}.")
        forward_joints(model, list(motions))
        for body, function in motions.items():
            if not callable(function):
                raise TypeError(f"prescribed[{body}] is {function!r}; give a function of t that returns q, qd, qdd.")
        self.model, self.motions, self.bodies = model, motions, sorted(motions)
        if self.bodies:
            self._require_tree()

    def _require_tree(self):
        if self.model.loops:
            raise ValueError(f"prescribed motions need a tree, but the model has {self.model.N_L} loop(s). Replace the "
                             "joint by a Custom joint without variables that depends on t, or cut the loops with "
                             "model.replace(loops=()).")

    def at(self, body, t):
        """q, qd and qdd of the joint of one body at the time t, checked."""
        joint = self.model.joints[body]
        where = f"prescribed[{body}], called at t = {t:.6g} s"
        q, qd, qdd = functions_of_time(self.motions[body], t, (joint.nq, joint.nv, joint.nv), where,
                                       "q, qd and qdd of the joint", body)
        if not joint.has_euler_parameters:
            return q, qd, qdd
        try:
            joint.transform(q, t)                       # refuses Euler parameters that are far from a unit vector
        except ValueError as error:
            raise SimulationError(f"{where}: {error}", t, body) from error
        return joint.normalise(q), qd, qdd

    def imposed(self, t, q, qd):
        """q (nq) and qd (nv) with the parts of the prescribed joints replaced by what they are at the time t."""
        if self.bodies:
            q, qd = q.copy(), qd.copy()
        for i in self.bodies:
            q[self.model.q_slice(i)], qd[self.model.v_slice(i)], _ = self.at(i, t)
        return q, qd

    def start(self, t, q0, qd0):
        """The arguments q0, qd0 of `simulate`, not yet checked, with what is prescribed for the time t."""
        given, model = [(i, *self.at(i, t)) for i in self.bodies], self.model
        return (_with_parts(q0, model.nq, [(model.q_slice(i), q) for i, q, _, _ in given]),
                _with_parts(qd0, model.nv, [(model.v_slice(i), qd) for i, _, qd, _ in given]))

    def torque(self, torque):
        """The argument torque of `simulate`, not yet checked, with zero at the prescribed joints."""
        zero = [(self.model.v_slice(i), [0.0] * self.model.joints[i].nv) for i in self.bodies]
        if callable(torque):
            return lambda t, q, qd: _with_parts(torque(t, q, qd), self.model.nv, zero)
        return _with_parts(torque, self.model.nv, zero)

    def dynamics(self, q, qd, tau, f_ext, t, method=METHOD):
        """`hybrid_dynamics` with the accelerations that are prescribed at the time t: qdd and tau (nv)."""
        self._require_tree()
        qdd = np.full(self.model.nv, np.nan)
        for place, values in self.accelerations(t):
            qdd[place] = values
        return hybrid_dynamics(self.model, q, qd, qdd, tau, self.bodies, f_ext, method, t)

    def accelerations(self, t):
        """The accelerations that are prescribed at the time t, [(places in qdd, values)]."""
        return [(self.model.v_slice(i), self.at(i, t)[2]) for i in self.bodies]

    def accelerations_by(self, method=None):
        """The function (model, q, qd, tau, f_ext, t) -> qdd by one of the methods of `hybrid_dynamics`."""
        method = METHOD if method is None else method
        require_hybrid_method(method, "With prescribed motions dynamics")
        return lambda model, q, qd, tau, f_ext, t: self.dynamics(q, qd, tau, f_ext, t, method)[0]

    def require_state(self, t, q, qd):
        """Raise ValueError unless q (nq) and qd (nv) are what is prescribed at the time t."""
        for name, mine, its in zip(("q", "qd"), self.imposed(t, q, qd), (q, qd), strict=True):
            if np.abs(mine - its).max(initial=0) > 1e-9 * np.abs(mine).max(initial=1):
                raise ValueError(f"At t = {t:.6g} s {name} is not what prescribed says. Give the functions with which "
                                 "the motion was simulated.")

    def require_motion(self, start, end):
        """Raise SimulationError if qd is not the rate of q, or qdd not that of qd, at places between two times."""
        for i in self.bodies:
            joint = self.model.joints[i]
            require_rates(lambda t, i=i: self.at(i, t), lambda q, u, joint=joint: joint.integrate(q, u, 1.0),
                          start, end, f"prescribed[{i}]", i)


def hybrid_accelerations(model, q, qd, tau, f_ext=None, t=0.0, prescribed=(), method=METHOD):
    """The qdd of `hybrid_dynamics`, where tau holds accelerations instead of forces at the prescribed joints, and the
    joints' own forces add to it.
    """
    return hybrid_dynamics(model, q, qd, tau, tau + joint_forces(model, q, qd), prescribed, f_ext, method, t)[0]


def functions_of_time(function, t, sizes, where, wanted, body=None, least=3):
    """Result of function(t), a float array for each of sizes, or for the first of them, but for the least number.

    The errors say where, and what is wanted.
    """
    given, values = function(float(t)), []
    if (isinstance(given, (str, dict)) or not np.iterable(given)
            or not least <= len(given := list(given)) <= len(sizes)):
        raise SimulationError(f"{where}, returned {given!r}; it must return {wanted}.", t, body)
    for x, n, name in zip(given, sizes, NAMES, strict=False):
        try:
            values.append(as_floats(vector(np.atleast_1d(x), n, f"{where}: {name}")))
        except ValueError as error:
            raise SimulationError(str(error), t, body) from error
        if values[-1] is None:
            raise TypeError(f"{where}: {name} contains complex numbers or symbols; give real numbers.")
    return values


def require_rates(motion, move, start, end, name, body=None):
    """Raise SimulationError unless, of what motion(t) returns, each is the rate of the one before it.

    motion(t): q and qd, or q, qd and qdd. move(q, u): where the constant velocity u leads from q in unit time. They are
    compared at places between start and end, over spans that become shorter as long as rounding leaves enough of them.
    """
    for t in (start + place * (end - start) for place in PLACES):
        shortest = 400 * sys.float_info.epsilon * abs(t)
        spans = sorted({max(length * (end - start), shortest) for length in LENGTHS}, reverse=True)
        n = len(motion(t))
        for k in range(n - 1):
            problem = None
            for h in spans:
                found, meant, missed, rounding = _change(motion, move, t, h, k)
                if problem is not None and max(found, meant) <= 100 * rounding:
                    break
                problem = (found / h, meant / h) if missed > 1e-3 * max(found, meant) + rounding else None
                if problem is None:
                    break
            if problem is not None:
                raise SimulationError(
                    f"{name}: at t = {t:.6g} s {NAMES[k]} changes by {problem[0]:.4g} per second, but {NAMES[k + 1]} "
                    f"says {problem[1]:.4g}. Return {', '.join(NAMES[:n - 1])} and {NAMES[n - 1]} of one and the same "
                    "motion.", t, body)


def _change(motion, move, t, h, k):
    """By how much one of the quantities changes, by how much its rate says, the difference, and what rounding makes."""
    h = (t + h) - t                                     # the step that is taken, where t is rounded
    now, then = motion(t), motion(t + h)
    x, y, step = now[k], then[k], h / 2 * (now[k + 1] + then[k + 1])
    expected = move(x, step) if k == 0 else x + step
    rate = np.abs([now[k + 1], then[k + 1]]).max(initial=0)
    rounding = 1e-14 * np.abs(x).max(initial=1) + 4 * sys.float_info.epsilon * abs(t) * rate
    return (*(np.abs(change).max(initial=0) for change in (y - x, expected - x, y - expected)), rounding)


def _with_parts(x, n, parts):
    """x with other values in some places, parts = [(slice, values)]; x as it is if it is no sequence of n entries."""
    if not parts or not np.iterable(x) or isinstance(x, (str, bytes, dict)) or getattr(x, "ndim", 1) != 1:
        return x
    x = list(x)
    if len(x) == n:
        for place, values in parts:
            x[place] = values
    return x
