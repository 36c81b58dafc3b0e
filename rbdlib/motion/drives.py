"""Drives of a motion, checked at every call: joint forces, forces from outside, accelerations, motions (RBDA 9.1).

Users give these as arrays or functions. A function gets copies, so that nothing it does to them harms the motion, and
what it returns is refused, with its name and the time, unless it is what it should be.
"""

import contextlib
import sys

import numpy as np

from rbdlib.book.ch02_spatial import crf
from rbdlib.book.ch04_joints import Reversed, jcalc
from rbdlib.book.ch04_model import external_forces
from rbdlib.book.ch09_hybrid import forward_joints, hybrid_dynamics
from rbdlib.compile.compile_for import CompiledFunction
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_character import armatures, joint_forces
from rbdlib.methods.rotors import hybrid_with_rotors
from rbdlib.motion.integrators import SimulationError
from rbdlib.numbers.scalars import as_floats, floats, vector

#: Where in a span of time rates are looked at: no round parts of it, where motions like to have kinks.
PLACES = 0.1273, 0.4571, 0.8619
#: Over which parts of a span: shorter ones where a motion is too fast for the longer.
LENGTHS = 1e-6, 1e-8, 1e-10
NAMES = "q", "qd", "qdd"
#: The method of `hybrid_dynamics` that is taken by default.
METHOD = "articulated_body"
NOT_REAL = "contains complex numbers or symbols; give real numbers in their place."


def torque_function(model, torque):
    """The function t, q, qd -> joint forces (nv, finite floats) that the argument torque of `simulate` means."""
    if not callable(torque):
        tau = real_torque(model, torque)
        return lambda t, q, qd: tau

    def torque_at(t, q, qd):
        tau = _returned(torque(t, q.copy(), qd.copy()), model.nv, "torque", "torque(t, q, qd)", t)
        if not np.isfinite(tau).all():
            refuse(model, t, "torque at joint", tau, model.v_slice, "See to the torque function.")
        return tau

    return torque_at


def real_torque(model, torque):
    """Constant joint forces as floats, zero for None; ValueError for complex numbers and symbols."""
    tau = vector(np.zeros(model.nv) if torque is None else torque, model.nv, "torque")
    return floats(tau, f"torque {NOT_REAL}")


def force_function(model, f_ext):
    """The function t, q, qd -> forces (N_B+1 x 6, finite floats) that the argument f_ext of `simulate` means."""
    if not callable(f_ext):
        forces = real_forces(model, f_ext)
        return lambda t, q, qd: forces

    def forces_at(t, q, qd):
        given = f_ext(t, q.copy(), qd.copy())
        try:
            return real_forces(model, given)
        except (TypeError, ValueError) as error:
            raise _blamed("f_ext(t, q, qd)", t, error, body_named(model, error)) from error

    return forces_at


def real_forces(model, f_ext):
    """`external_forces` as floats; ValueError, naming the body, for complex numbers and symbols."""
    forces = external_forces(model, f_ext)
    real = as_floats(forces)
    if real is None:
        i = next((i for i, force in enumerate(forces) if as_floats(force) is None and (force != 0).any()), 0)
        raise ValueError(f"f_ext[{i}] {NOT_REAL}")
    return real


def checked_dynamics(dynamics, model):
    """A user's function (model, q, qd, tau, f_ext, t) -> qdd (nv), of which only finite floats are accepted."""
    if isinstance(dynamics, CompiledFunction):
        dynamics = _of_compiled(dynamics, model)

    def accelerate(model, q, qd, tau, f_ext, t):
        given = dynamics(model, q.copy(), qd.copy(), tau.copy(), f_ext.copy(), t)
        qdd = _returned(given, model.nv, "qdd", "dynamics(model, q, qd, tau, f_ext, t)", t)
        if not np.isfinite(qdd).all():
            explain(model, t, q, qd)
            refuse(model, t, "acceleration of joint", qdd, model.v_slice,
                   f"The function dynamics returned it: see to that function. {BLOWN_UP}")
        return qdd

    return accelerate


def _of_compiled(compiled, model):
    """The user's function that a `CompiledFunction` of (q, qd, tau) stands for; forces and time only where they count.

    Those of loops return forces at the loop joints, too, which are left out.
    """
    takes = list(compiled.signature.parameters)
    if model != compiled.model:
        raise ValueError("dynamics was compiled for another model. Compile it for this one.")
    if takes[:3] != ["q", "qd", "tau"]:
        raise ValueError(f"dynamics was compiled from {compiled.__name__}, a function of {', '.join(takes)}. Compile a "
                         "function of q, qd, tau that returns accelerations, such as aba.")
    timed = depends_on_time(model)

    def dynamics(model, q, qd, tau, f_ext, t):
        named = {name: x for name, x, counts in (("f_ext", f_ext, f_ext.any()), ("t", t, timed)) if counts}
        if missing := named.keys() - set(takes):
            raise ValueError(f"dynamics was compiled from {compiled.__name__}, which takes no {min(missing)}.")
        found = compiled(q, qd, tau, **named)
        return found[0] if isinstance(found, tuple) else found

    return dynamics


def depends_on_time(model):
    """True if a joint of the model may be a function of time."""
    joints = [*model.joints, *(loop.joint for loop in model.loops)]
    return any(isinstance(joint, (Custom, Reversed)) for joint in joints)


def _returned(given, n, name, function, t):
    """Result of a user's function, a new array of n floats, finite or not; errors name the function and the time."""
    with contextlib.suppress(TypeError, ValueError):
        array = np.asarray(given)
        if array.dtype.kind in "biufO" and array.shape == (n,):
            return array.astype(float)
    try:
        vector(given, n, name)
        error: Exception = TypeError(f"{name} {NOT_REAL}")
    except (TypeError, ValueError) as found:
        error = found
    raise _blamed(function, t, error)


def _blamed(function, t, error, body=None):
    """An error in what a user's function returned as one that names the function and the time."""
    message = f"The function {function}, called at t = {t:.6g} s: {error}"
    return TypeError(message) if isinstance(error, TypeError) else SimulationError(message, t, body)


# Where a number ceased to be finite


def require_finite(model, t, q, qd):
    """Raise SimulationError, naming the joint, unless the state is finite."""
    if not np.isfinite(q).all():
        refuse(model, t, "position of joint", q, model.q_slice)
    if not np.isfinite(qd).all():
        refuse(model, t, "velocity of joint", qd, model.v_slice)


BLOWN_UP = "Take a smaller dt or tolerance, or look for what drives the motion there."


def refuse(model, t, what, values, at, remedy=BLOWN_UP):
    """Raise SimulationError for the first joint whose values are not finite."""
    body = next(i for i in model.bodies if not np.isfinite(values[at(i)]).all())
    raise SimulationError(f"At t = {t:.6g} s the {what} {body} ({model.names[body]}) is {values[at(body)].tolist()}, "
                          f"which is not finite. {remedy}", t, body)


def body_named(model, error):
    """The number of the body at which an error arose, or None."""
    variable = getattr(error, "variable", None)
    if variable is not None:
        return next(i for i in model.bodies if variable - 1 in range(model.nv)[model.v_slice(i)])
    return getattr(error, "body", None)


class At:
    """A context in which a ValueError, or an error of other kinds, becomes a `SimulationError` with time t and body.

    state: q and qd, in which quantities that are too large are looked for first. remedy: a sentence for the reader.
    """

    def __init__(self, model, t, kinds=ValueError, state=None, remedy=""):
        self.model, self.t, self.kinds, self.state, self.remedy = model, t, kinds, state, remedy

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, self.kinds) and not isinstance(error, SimulationError):
            if self.state is not None:
                explain(self.model, self.t, *self.state)
            message = f"At t = {self.t:.6g} s: {error}{self.remedy}"
            raise SimulationError(message, self.t, body_named(self.model, error)) from error


def explain(model, t, q, qd):
    """Raise SimulationError if a quantity of a body is too large for a float; look from the base outwards."""
    v = [np.zeros(6)]
    for i in model.bodies:
        X_J, S, v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)], t)
        v.append(X_J @ model.X_tree[i] @ v[model.parent[i]] + v_J)
        found = {"transform": X_J, "motion subspace": S, "velocity": v[i], "velocity-product acceleration": c_J,
                 "bias force": crf(v[i]) @ model.inertia[i] @ v[i]}
        for name, value in found.items():
            if not np.isfinite(value).all():
                raise SimulationError(f"At t = {t:.6g} s the {name} of body {i} ({model.names[i]}) is no longer "
                                      f"finite: {np.ravel(value).tolist()}. {BLOWN_UP}", t, i)


# Motions that are given as functions of time (RBDA 9.1)


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

    def dynamics(self, q, qd, tau, f_ext, t):
        """`hybrid_dynamics`, armatures included, with the accelerations prescribed at the time t: qdd and tau (nv)."""
        self._require_tree()
        return _hybrid(self.model, q, qd, self.driven(t, tau), tau, self.bodies, f_ext, METHOD, t)

    def driven(self, t, tau):
        """tau (nv) with the accelerations that are prescribed at the time t in place of forces at their joints."""
        tau = tau.copy() if self.bodies else tau
        for i in self.bodies:
            tau[self.model.v_slice(i)] = self.at(i, t)[2]
        return tau

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
    """The qdd of `hybrid_dynamics`, joints' own forces included; tau holds accelerations at the prescribed joints."""
    return _hybrid(model, q, qd, tau, tau + joint_forces(model, q, qd), prescribed, f_ext, method, t)[0]


def _hybrid(model, q, qd, qdd, tau, prescribed, f_ext, method, t):
    """`hybrid_dynamics`; where joints of the model have armatures, `hybrid_with_rotors`, whatever the method."""
    if I_rot := armatures(model):
        return hybrid_with_rotors(model, q, qd, qdd, tau, prescribed, I_rot, f_ext, t)
    return hybrid_dynamics(model, q, qd, qdd, tau, prescribed, f_ext, method, t)


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
                raise SimulationError(f"{name}: at t = {t:.6g} s {NAMES[k]} changes by {problem[0]:.4g} per second, "
                                      f"but {NAMES[k + 1]} says {problem[1]:.4g}. Return {', '.join(NAMES[:n - 1])} "
                                      f"and {NAMES[n - 1]} of one and the same motion.", t, body)


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
