"""Momentum, energy and Jacobians of systems whose base floats, and how they turn by moving their joints (RBDA 9.5).

Vectors are in floating-base coordinates, as in `rbdlib.book.ch09_floating_base`, where a docstring says nothing else.
"""

import numpy as np

from rbdlib.book.ch02_spatial import force_transform, inverse_transform
from rbdlib.book.ch04_joints import FreeMotion
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms, body_velocities
from rbdlib.book.ch09_floating_base import floating_crba, solve_base
from rbdlib.methods.floating_base import base_transform, base_variables
from rbdlib.motion.drives import functions_of_time, require_rates
from rbdlib.motion.integrators import adaptive_steps, require_method, sample_times
from rbdlib.numbers.model_arguments import require_floating
from rbdlib.numbers.scalars import vector, zeros


def floating_momentum(system, q, qd, v_0, t=0.0):
    """The spatial momentum [h_O, h] of all bodies in floating-base coordinates (RBDA Example 9.3).

    It is I_c0 v_0 + F qd (if no joint depends on time). Without external forces it is constant in the reference frame,
    X.T @ h; gravity adds to it as to that of a single body.
    """
    X_0, v = _velocities(system, q, qd, v_0, t)
    return sum(X_0[i].T @ system.inertia[i] @ v[i] for i in range(len(v)))


def floating_kinetic_energy(system, q, qd, v_0, t=0.0):
    """Kinetic energy (J) of all bodies, the floating base included (RBDA Example 9.3)."""
    _, v = _velocities(system, q, qd, v_0, t)
    return sum(v[i] @ system.inertia[i] @ v[i] for i in range(len(v))) / 2


def base_velocity(system, q, qd, h=None, t=0.0):
    """The velocity v_0 (6) with which the system has the momentum h: I_c0 v_0 + F qd = h (RBDA Example 9.3).

    h: [h_O, h] in floating-base coordinates, zero by default. This is what nothing but the joints can change: a cat
    that has been dropped at rest, a satellite that turns by moving its arm.
    """
    tree = require_floating(system).tree
    h = zeros(6, q) if h is None else vector(h, 6, "h")
    _, _, I_c0 = floating_crba(system, q, t)
    return solve_base(I_c0, h - floating_momentum(system, q, vector(qd, tree.nv, "qd"), zeros(6, q), t), system)


def floating_jacobian(system, q, i, t=0.0):
    """J_i^fl (6 x nv), in floating-base coordinates: v_i = J_i^fl qd while the momentum is zero (RBDA Example 9.4).

    i: the number of a body, 0 for the base. It also gives the jump of v_i when forces between the bodies make the rates
    jump by delta: J_i^fl delta. X_0[i] @ J is in the coordinates of body i. Raises ValueError if there is no body i.
    """
    tree = require_floating(system).tree
    tree.nu(i)                                          # refuses what is no body, 0.0 too
    _, F, I_c0 = floating_crba(system, q, t)
    J = inverse_transform(body_transforms(tree, q, t)[i]) @ body_jacobian(tree, q, i, t) if i != 0 else 0 * F
    return J - solve_base(I_c0, F, system)


def float_along(system, shape, times, base=(1, 0, 0, 0, 0, 0, 0), h=None, tolerance=1e-10):
    """How the base moves while the joints move as prescribed and the momentum stays as it is (RBDA Example 9.3).

    shape: a function of time (s) that returns q and qd, or q, qd and qdd.  times: increasing, for the samples.  base:
    where it starts, (p0..p3, x, y, z) or X.  h: the momentum [h_O, h] in reference coordinates, zero by default.
    tolerance: of each step of integration. Returns an array (k x 7), a row (p0..p3, x, y, z) for each time; the Euler
    parameters have unit length, and are scaled back to it after every step. Gravity lets everything fall together: what
    is returned is relative to free fall. Raises ValueError or TypeError for bad arguments; SimulationError (a
    ValueError) if shape returns no q and qd, or if they are not one motion.
    """
    tree, joint = require_floating(system).tree, FreeMotion()
    times, _ = sample_times(times, "times")
    require_method("DOP853", None, tolerance)
    start = base_variables(base_transform(base))
    h = zeros(6) if h is None else vector(h, 6, "h")
    if not callable(shape):
        raise TypeError(f"shape is {shape!r}; give a function of t that returns q and qd.")

    def posture(t):
        return functions_of_time(shape, t, (tree.nq, tree.nv, tree.nv), f"shape, called at t = {t:.6g} s",
                                 "q and qd of all joints, and qdd if you like", least=2)[:2]

    require_rates(posture, lambda q, u: tree.integrate(q, u, 1.0), times[0], times[-1], "shape")

    def rate(t, base):
        X = base_transform(joint.normalise(base))
        return joint.qdot(base, base_velocity(system, *posture(t), force_transform(X) @ h, t))

    def repair(t, base, rate):
        length = np.linalg.norm(base[:4])               # the rate of Euler parameters is in proportion to it
        return joint.normalise(base), np.concatenate([rate[:4] / length, rate[4:]])

    run = adaptive_steps("DOP853", rate, start, times, tolerance, repair=repair)
    return np.array([joint.normalise(base) for _, base in run])


def _velocities(system, q, qd, v_0, t):
    """X_0[i], from floating-base to body coordinates, and the velocities v[i], for all bodies and the base."""
    tree = require_floating(system).tree
    X_0, v_0 = body_transforms(tree, q, t), vector(v_0, 6, "v_0")
    return X_0, [X @ v_0 + v for X, v in zip(X_0, body_velocities(tree, q, qd, t), strict=True)]
