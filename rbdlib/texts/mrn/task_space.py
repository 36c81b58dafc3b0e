"""Open chains and the task space: forward dynamics with a wrench at the tip, dynamics in the tip's motion (MRN).

The tip is a frame fixed in any body of a chain or tree. A `Task` says which one, and in which coordinates its twist
V = (omega, v) and the wrenches F = (moment, force) on it are written; V, J, Lambda, eta and F then all belong to those
coordinates. The text's Delta and n are Lambda and eta here, its M and h are RBDA's H and C. Two wrenches must be told
apart: F_tip is exerted BY the tip on its surroundings, F acts ON the tip, as the torques tau = Jᵀ F would; F = -F_tip.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import crm
from rbdlib.book.ch04_kinematics import body_jacobian, body_transforms
from rbdlib.book.ch04_model import require_model, require_tree
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, differential_inverse_dynamics
from rbdlib.conventions.frames import FRAMES, from_body
from rbdlib.conventions.texts import pose_to_mrn
from rbdlib.methods.joint_character import armatures
from rbdlib.methods.rotors import at_joints
from rbdlib.numbers.linear import solve_linear
from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.pivots import principal_axes
from rbdlib.numbers.scalars import as_floats, eye, matrix, number, vector, zeros
from rbdlib.numbers.validation import one_of, transform

#: J is refused if its condition number is larger, with the angular and the linear rows each in a unit of their own: 10
#: of 16 digits are left then. Lambda is made of two inverses of J, and its condition number, which M can make still
#: larger, may be the square: 4 digits of its smallest values are left.
LARGEST_CONDITION = 1e6
#: Angular or linear rows that are so much smaller than the others are rounding errors, not a matter of units.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Task:
    """A tip, and the coordinates of its motion that matter (MRN 2).

    tip: number of the body that carries the tip frame (default: the last body).
    X_tip (6 x 6): transform from that body's frame to the tip frame (default: they are one).
    frame: "body": the axes and the origin of the tip frame; "space": those of the base, so that v is the velocity of
    the tip's body where it passes the base's origin, not that of the tip; "hybrid": the axes of the base and the origin
    of the tip frame, so that v is the tip's velocity, and the linear part of V-dot its classical acceleration.
    rows: which of the six coordinates (0, 1, 2 angular, 3, 4, 5 linear) make up the task, in that order (default: all).
    A planar arm that positions its tip has Task(frame="hybrid", rows=(3, 4)).
    damping: what to do where J cannot be inverted. None: refuse, with a ValueError. A number d > 0: use instead of J⁻¹
    the damped inverse M⁻¹ Jᵀ Lambda with Lambda = (J M⁻¹ Jᵀ + d² 1)⁻¹, which gives the rates with the smallest
    |J thd - V|² + d² thdᵀ M thd. It exists everywhere, and no direction seems heavier than 1/d². The price: along a
    direction of inertia L the share d² L / (1 + d² L) of a wanted twist is missed, near to singularities and far away.
    Jᵀ eta then holds only part of the weight: a controller should give Jᵀ Lambda (V-dot - J-dot thd) + h.
    armatures: whether M counts the rotors that the model's joints have as part of their characters.
    """

    tip: int | None = None
    X_tip: np.ndarray | None = None
    frame: str = "body"
    rows: tuple = (0, 1, 2, 3, 4, 5)
    damping: float | None = None
    armatures: bool = False

    def __post_init__(self):
        X_tip = np.eye(6, dtype=int) if self.X_tip is None else transform(self.X_tip, "X_tip")
        X_tip.flags.writeable = False
        object.__setattr__(self, "X_tip", X_tip)
        rows = self.rows
        if not np.iterable(rows) or isinstance(rows, str):
            raise TypeError(f"rows is {rows!r}; give some of the numbers 0 to 5, such as rows=(3, 4, 5).")
        rows = tuple(rows)
        whole = all(k in range(6) and not isinstance(k, bool | np.bool_) for k in rows)
        if not rows or len(set(rows)) < len(rows) or not whole:
            raise ValueError(f"rows is {rows}; give one or more different numbers from 0 to 5, such as rows=(3, 4, 5).")
        object.__setattr__(self, "rows", tuple(int(k) for k in rows))
        one_of(FRAMES, self.frame, "frame")
        if self.damping is not None and not number(self.damping, "damping") > 0:
            raise ValueError(f"damping is {self.damping!r}; give a positive number, or None to refuse singularities.")


#: The default task: the whole motion of the last body, in that body's frame.
TIP = Task()


# Forward dynamics of open chains (MRN 1). th, thd, thdd of the text are q, qd, qdd here.


def forward_dynamics(model, q, qd, tau, F_tip=None, task=TIP, f_ext=None, t=0.0):
    """Joint accelerations qdd (nv) under the joint forces tau and a wrench at the tip (MRN-1, MRN-2, MRN-A1).

    q: positions (nq); qd: velocities (nv); tau: joint forces (nv). F_tip: the wrench (moment, force) that the tip
    exerts on its surroundings, in the coordinates of the task, a number for each of its rows (default: none).
    f_ext: further forces, on the bodies, as for `rnea`; t: time (s), for joints that depend on it. Raises ValueError or
    TypeError for arguments of the wrong length or kind, and ValueError if M is singular or the model has loops.
    """
    n = require_tree(model).nv
    tau = vector(tau, n, "tau")
    F_tip = zeros(len(_task(task).rows)) if F_tip is None else vector(F_tip, len(_task(task).rows), "F_tip")
    h = bias_force(model, q, qd, f_ext, t)

    M = zeros((n, n), h)
    for i in range(n):
        e_i = eye(n, h)[i]
        M[:, i] = differential_inverse_dynamics(model, q, e_i, t)               # thd = 0, g = 0, F_tip = 0

    M = _with_rotors(M, model, task)                                            # as it is, unless the task counts them

    J = jacobian(model, q, task, t)
    return solve(M, tau - h - J.T @ F_tip)                                      # (MRN-1)


def state_rate(model, q, qd, tau, F_tip=None, task=TIP, f_ext=None, t=0.0):
    """The rates of change of q1 = q (nq) and q2 = qd (nv): equations of first order, for any integrator (MRN-3).

    Arguments and errors as for `forward_dynamics`.
    """
    q1_dot = model.qdot(q, qd)                                                  # q2, where q is the integral of qd
    q2_dot = forward_dynamics(model, q, qd, tau, F_tip, task, f_ext, t)         # (MRN-3)
    return q1_dot, q2_dot


def euler_step(model, q, qd, tau, F_tip, dt, task=TIP, t=0.0):
    """Euler's step from (q, qd) at the time t to (q, qd) at t + dt, which it returns (MRN-4, MRN-5, MRN-6).

    tau, F_tip: as for `forward_dynamics`, at the time t. Where a joint's q is not the integral of its qd, q moves with
    the constant velocity qd.
    """
    qdd = forward_dynamics(model, q, qd, tau, F_tip, task, t=t)                 # (MRN-4)
    return model.integrate(q, qd, dt), qd + qdd * number(dt, "dt")              # (MRN-5), (MRN-6)


class Samples(namedtuple("Samples", "t q qd")):
    """A motion at the times t (k, in s): positions q (k x nq) and velocities qd (k x nv)."""


def euler_integrate(model, q0, qd0, tau, F_tip, t_f, N, task=TIP):
    """The motion from (q0, qd0) at t = 0 to the time t_f (s) in N of Euler's steps: N + 1 samples (MRN-A2).

    tau, F_tip: functions of the time t, or constant arrays, or None for none. Returns `Samples`: t (N + 1), q and qd, a
    row for each time. `rbdlib.motion.simulate` has better integrators.
    """
    N = whole_number(N, "N", 1)
    if not number(t_f, "t_f") > 0:
        raise ValueError(f"t_f is {t_f!r}; give the time in s at which the motion ends, above 0.")
    t, dt, none = np.linspace(0, t_f, N + 1), t_f / N, np.zeros(require_tree(model).nv)
    q, qd = [vector(q0, model.nq, "q0")], [vector(qd0, model.nv, "qd0")]
    for k in range(N):
        tau_k, F_k = (x(t[k]) if callable(x) else x for x in (tau, F_tip))
        step = euler_step(model, q[k], qd[k], none if tau_k is None else tau_k, F_k, dt, task, t[k])
        q.append(step[0])
        qd.append(step[1])
    return Samples(t, np.array(q), np.array(qd))


# The tip: where it is and how it moves (MRN 2). t: time (s), for joints that depend on it.


def tip_transform(model, q, task=TIP, t=0.0):
    """The transform (6 x 6) from base coordinates to the tip frame."""
    tip = _body(model, task)
    return task.X_tip @ body_transforms(model, q, t)[tip]


def tip_pose(model, q, task=TIP, t=0.0):
    """The 4 x 4 pose T_sb of the tip frame, seen from the base: its axes and its origin."""
    return pose_to_mrn(tip_transform(model, q, task, t))


def twist(model, q, qd, task=TIP, t=0.0):
    """V = (omega, v), the rows of the task of the tip's twist (MRN-8)."""
    return _moving_tip(model, q, qd, task, t)[2][list(task.rows)]


def twist_rate(model, q, qd, qdd, task=TIP, t=0.0):
    """V-dot, the derivative of the numbers in `twist`; J-dot thd for qdd = 0 (MRN-9)."""
    tip, Y, V, W = _moving_tip(model, q, qd, task, t)
    return (Y @ kinematics.body_accelerations(model, q, qd, qdd, t)[tip] - crm(W) @ V)[list(task.rows)]


def jacobian(model, q, task=TIP, t=0.0):
    """J, a row for each of the task's and nv columns, with V = J thd (MRN-8)."""
    tip, Y = _tip(model, q, task, t)
    return (Y @ body_jacobian(model, q, tip, t))[list(task.rows)]


def jacobian_dot(model, q, qd, task=TIP, t=0.0):
    """J-dot, the derivative of the numbers in `jacobian` while q moves with qd: V-dot = J-dot thd + J thdd (MRN-9)."""
    tip, Y, _, W = _moving_tip(model, q, qd, task, t)
    J_dot = Y @ kinematics.body_jacobian_dot(model, q, qd, tip, t) - crm(W) @ Y @ body_jacobian(model, q, tip, t)
    return J_dot[list(task.rows)]


def _body(model, task):
    """The number of the tip's body, checked."""
    tip = require_model(model).N_B if _task(task).tip is None else task.tip
    model.kappa(tip)                                            # ModelError if there is no such body
    return tip


def _task(task):
    if not isinstance(task, Task):
        raise TypeError(f"task is {task!r}; give a Task, such as Task(tip=2, frame='space').")
    return task


def _tip(model, q, task, t):
    """The tip's body, and Y, the transform from it to the frame in which the task is written."""
    return _body(model, task), from_body(tip_transform(model, q, task, t), task.frame) @ task.X_tip


def _moving_tip(model, q, qd, task, t):
    """The tip's body and Y, and in the frame of the task the twist V of the tip and W, that of the frame itself."""
    tip, Y = _tip(model, q, task, t)
    V = Y @ kinematics.body_velocities(model, q, qd, t)[tip]
    turning, moving = {"body": (1, 1), "space": (0, 0), "hybrid": (0, 1)}[task.frame]
    return tip, Y, V, np.concatenate([turning * V[:3], moving * V[3:]])


def jacobian_inverse(model, q, task=TIP, t=0.0):
    """J⁻¹ (nv x rows), or what stands for it where J is not square or the task is damped (MRN-10).

    Where the arm has more freedoms than the task has rows, it is the dynamically consistent inverse M⁻¹ Jᵀ Lambda: of
    all rates with the wanted twist it gives those of least kinetic energy, and its transpose turns torques into the
    wrench that would accelerate the tip alike. For a damped task see `Task`. Raises ValueError, naming the condition
    number and the lost direction, where the inverse does not exist or would be garbage.
    """
    return _inverses(jacobian(model, q, task, t), _mass_matrix(model, q, task, t), task)[0]


def _with_rotors(M, model, task):
    """M, with the armatures of the joints on its diagonal where the task counts them."""
    return M + np.diag(at_joints(model, armatures(model) if _task(task).armatures else {}, M))


def _mass_matrix(model, q, task, t):
    return _with_rotors(crba(model, q, t), model, task)


def joint_rates(model, q, V, task=TIP, t=0.0):
    """thd = J⁻¹ V (nv): the joint rates that give the tip the twist V (MRN-10). Errors as for `jacobian_inverse`."""
    V = vector(V, len(_task(task).rows), "V")
    V_0 = twist(model, q, zeros(require_model(model).nv, q), task, t)          # zero, unless joints depend on time
    return jacobian_inverse(model, q, task, t) @ (V - V_0)                      # (MRN-10)


def joint_accelerations(model, q, V, V_dot, task=TIP, t=0.0):
    """thdd = J⁻¹ V-dot - J⁻¹ J-dot J⁻¹ V (nv) (MRN-11). Errors as for `jacobian_inverse`."""
    V_dot, J_inverse = vector(V_dot, len(_task(task).rows), "V_dot"), jacobian_inverse(model, q, task, t)
    J_dot_thd = twist_rate(model, q, joint_rates(model, q, V, task, t), zeros(model.nv, q), task, t)
    return J_inverse @ V_dot - J_inverse @ J_dot_thd                            # (MRN-11)


def joint_torques(model, q, V, V_dot, task=TIP, f_ext=None, t=0.0):
    """tau (nv) that moves the tip with the twist V and its rate V-dot (MRN-12). Errors as for `jacobian_inverse`."""
    thd, thdd = joint_rates(model, q, V, task, t), joint_accelerations(model, q, V, V_dot, task, t)
    return _mass_matrix(model, q, task, t) @ thdd + bias_force(model, q, thd, f_ext, t)     # (MRN-12)


def torques_from_wrench(model, q, F, task=TIP, t=0.0):
    """tau = Jᵀ F (nv): the joint forces equivalent to a wrench F on the tip; they hold it against F_tip = F (MRN 2)."""
    return jacobian(model, q, task, t).T @ vector(F, len(_task(task).rows), "F")


def wrench_from_torques(model, q, tau, task=TIP, t=0.0):
    """F = J⁻ᵀ tau: the wrench on the tip equivalent to joint forces tau (MRN-13). Errors as for `jacobian_inverse`."""
    return jacobian_inverse(model, q, task, t).T @ vector(tau, require_model(model).nv, "tau")


class TaskDynamics(namedtuple("TaskDynamics", "Lambda eta V J J_inverse J_dot_thd M h")):
    """F = Lambda V-dot + eta at one state, with what it is made of.

    Lambda, eta: task-space inertia and bias.  V: twist of the tip.  J: its Jacobian.  J_inverse: as `jacobian_inverse`.
    J_dot_thd: the part of V-dot that is not due to thdd.  M, h: of tau = M thdd + h.
    """

    def wrench(self, V_dot):
        """F = Lambda V-dot + eta (MRN-13)."""
        return self.Lambda @ vector(V_dot, len(self.V), "V_dot") + self.eta

    def null_space(self):
        """N = 1 - Jᵀ J⁻ᵀ (nv x nv): joint forces N tau move a redundant arm without accelerating its tip."""
        return eye(len(self.M), self.J) - self.J.T @ self.J_inverse.T


def task_dynamics(model, q, qd, task=TIP, f_ext=None, t=0.0):
    """The equation of motion F = Lambda V-dot + eta of the tip, F = J⁻ᵀ tau, as a `TaskDynamics` (MRN-13 to MRN-15).

    q, qd: state (the text's J⁻¹ V is qd, which an arm of more freedoms than the task's rows has some choice in).
    f_ext, t: as for `rnea`; f_ext adds to h. Errors as for `jacobian_inverse`, and for a model with loops.
    """
    M, h = _mass_matrix(require_tree(model), q, task, t), bias_force(model, q, qd, f_ext, t)
    J, V = jacobian(model, q, task, t), twist(model, q, qd, task, t)
    J_dot_thd = twist_rate(model, q, qd, zeros(model.nv, q, qd), task, t)
    J_inverse, Lambda = _dynamic_inverses(J, M, task)
    eta = J_inverse.T @ h - Lambda @ J_dot_thd                                  # (MRN-15)
    return TaskDynamics(Lambda, eta, V, J, J_inverse, J_dot_thd, M, h)


def task_inertia(model, q, task=TIP, t=0.0):
    """Lambda (rows x rows): J⁻ᵀ M J⁻¹, or (J M⁻¹ Jᵀ)⁻¹ where J is not square (MRN-14). Errors: `jacobian_inverse`."""
    return _dynamic_inverses(jacobian(model, q, task, t), _mass_matrix(require_tree(model), q, task, t), task)[1]


def task_bias(model, q, V, task=TIP, f_ext=None, t=0.0):
    """eta, the wrench that gives the tip the twist V and no V-dot (MRN-15). Errors as for `jacobian_inverse`."""
    return task_dynamics(model, q, joint_rates(model, q, V, task, t), task, f_ext, t).eta


def _inverses(J, M, task):
    """The inverse of J (see `jacobian_inverse`) and Lambda (MRN-10, MRN-14)."""
    m, n = J.shape
    if task.damping is None:
        require_regular(J, task)
        if m == n:
            J_inverse = _solved(solve_linear, J, task)                          # J⁻¹
            return J_inverse, J_inverse.T @ M @ J_inverse                       # (MRN-14)
    M_inverse_Jt = solve(M, matrix(J.T, (n, m), "Jᵀ"))
    A = J @ M_inverse_Jt
    if task.damping is not None:
        A = A + task.damping**2 * eye(m, J)
    require_definite(A, "J M⁻¹ Jᵀ", J, task)
    Lambda = _solved(solve, A, task)                                            # (J M⁻¹ Jᵀ)⁻¹
    J_inverse = M_inverse_Jt @ Lambda
    if task.damping is None and as_floats(J) is not None:
        J_inverse = J_inverse + J_inverse @ (eye(m, J) - J @ J_inverse)         # the digits that Lambda has lost
    return J_inverse, Lambda


def _dynamic_inverses(J, M, task):
    """`_inverses`, where Lambda has lost no more digits than J⁻¹; a singular M may have a singular Lambda."""
    J_inverse, Lambda = _inverses(J, M, task)
    values = as_floats(M)
    if values is not None and np.linalg.matrix_rank(values) == len(values):
        require_definite(Lambda, "Lambda", J, task)
    return J_inverse, Lambda


def _solved(solve, A, task):
    """A⁻¹; where A, of symbols, turns out to be singular, ValueError in the words of the task."""
    try:
        return solve(A, eye(len(A), A))
    except ValueError as error:
        raise ValueError(f"The task is singular in this configuration: rows {task.rows} in the {task.frame} frame "
                         f"cannot all be chosen. {remedy(A, task)}") from error


# Where a task has no solution worth having: what is refused, and why

def require_regular(J, task):
    """Refuse a J (rows x nv) that is too nearly singular to be inverted; symbols are believed."""
    m, n = J.shape
    values = as_floats(J)
    if m > n:
        raise ValueError(f"The task has {m} rows and the model only {n} freedoms, so that J, {m} x {n}, has no inverse."
                         f" {remedy(J, task)}")
    condition = 1 if values is None else np.linalg.cond(_in_own_units(values, task.rows))
    if condition > LARGEST_CONDITION:
        _, directions = principal_axes(values @ values.T)
        lost, s = directions[:, 0], np.linalg.svd(values, compute_uv=False)
        hardly = "cannot" if s[-1] <= n * np.finfo(float).eps * s[0] else "can hardly"
        raise ValueError(f"The task is singular in this configuration, or nearly so: the joints {hardly} move the tip "
                         f"along {(np.round(lost, 3) + 0.0).tolist()} (rows {task.rows} in the {task.frame} frame); "
                         f"the condition number of J is {condition:.2g}, the limit {LARGEST_CONDITION:.0g}. Move the "
                         f"arm away from it. {remedy(J, task)}")


def require_definite(A, name, J, task):
    """Refuse a task-space inertia, or its inverse, whose smallest values would be lost among the rounding errors."""
    values = as_floats(A)
    if values is None:
        return
    condition = np.linalg.cond(_in_own_units(_in_own_units(values, task.rows).T, task.rows))
    if condition > LARGEST_CONDITION**2:
        raise ValueError(f"The task is singular in this configuration, or nearly so: along some directions the tip is "
                         f"so much heavier than along others that the condition number of {name} is {condition:.2g}, "
                         f"the limit {LARGEST_CONDITION**2:.0g}. Move the arm away from it. {remedy(J, task)}")


def remedy(J, task):
    """The end of a refusal: which rows are possible, if they are fewer, and damping."""
    values, possible = as_floats(J), []
    for k in sorted(range(len(J)), key=lambda k: task.rows[k] < 3) if values is not None else ():
        some = [*possible, k]
        part = _in_own_units(values, task.rows)[some]
        if len(some) <= values.shape[1] and np.linalg.cond(part) <= LARGEST_CONDITION:
            possible.append(k)
    rows = tuple(sorted(task.rows[k] for k in possible)) if len(possible) < len(task.rows) else ()
    return (f"Take fewer rows{f', such as rows={rows}' if rows else ''}, or accept an approximation with "
            f"Task(..., damping=d), d = 0.1 for example.")


def _in_own_units(A, rows):
    """A with its angular and its linear rows divided by their sizes, so that no unit of length matters."""
    angular = np.array(rows) < 3
    sizes = [np.linalg.norm(A[part]) for part in (angular, ~angular)]
    units = [size if size > NOTHING * max(sizes) else 1.0 for size in sizes]
    return A / np.where(angular, *units)[:, None]
