"""Drives of a motion, checked at every call: joint forces, forces from outside, accelerations of the user's own.

Users give these as arrays or functions. A function gets copies, so that nothing it does to them harms the motion, and
what it returns is refused, with its name and the time, unless it is what it should be.
"""

import numpy as np

from rbdlib.book.ch02_spatial import crf
from rbdlib.book.ch04_joints import Reversed, jcalc
from rbdlib.book.ch04_model import external_forces
from rbdlib.compile.compile_for import CompiledFunction
from rbdlib.methods.custom_joint import Custom
from rbdlib.motion.integrators import SimulationError
from rbdlib.numbers.scalars import as_floats, vector

NOT_REAL = "contains complex numbers or symbols; give real numbers in their place."


def torque_function(model, torque):
    """The function t, q, qd -> joint forces (nv, finite floats) that the argument torque of `simulate` means."""
    if callable(torque):
        def torque_at(t, q, qd):
            tau = _returned(torque(t, q.copy(), qd.copy()), model.nv, "torque", "torque(t, q, qd)", t)
            if not np.isfinite(tau).all():
                refuse(model, t, "torque at joint", tau, model.v_slice, "See to the torque function.")
            return tau

        return torque_at
    tau = real_torque(model, torque)
    return lambda t, q, qd: tau


def real_torque(model, torque):
    """Constant joint forces as floats, zero for None; ValueError for complex numbers and symbols."""
    tau = as_floats(vector(np.zeros(model.nv) if torque is None else torque, model.nv, "torque"))
    if tau is None:
        raise ValueError(f"torque {NOT_REAL}")
    return tau


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
            message = f"The function f_ext(t, q, qd), called at t = {t:.6g} s: {error}"
            if isinstance(error, TypeError):
                raise TypeError(message) from error
            raise SimulationError(message, t, body_named(model, error)) from error

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
    if model is not compiled.model and model != compiled.model:
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
    try:
        array = np.asarray(given)
        values = array.astype(float) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        values = None
    if values is not None and values.shape == (n,):
        return values
    try:
        vector(given, n, name)
        error: Exception = TypeError(f"{name} {NOT_REAL}")
    except (TypeError, ValueError) as found:
        error = found
    message = f"The function {function}, called at t = {t:.6g} s: {error}"
    raise TypeError(message) if isinstance(error, TypeError) else SimulationError(message, t)


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
