"""The variables of whole mechanisms in Pinocchio, MuJoCo, Drake and RBDL: q, qd, qdd, tau, H, C, Jacobians.

Three things differ: the order of the joints, the order of the variables of a joint, and the axes of velocities. The
positions are rearranged; the velocities v = A qd are related by a matrix A of permutations and rotations, so that
Aᵀ = A⁻¹. Everything else follows from that and from power being the same:

    v' = A qdd + b      tau' = A tau      H' = A H Aᵀ      C' = A C - H' b      J' = J Aᵀ

with b = A-dot qd, which vanishes unless linear velocities are in world axes (MuJoCo, Drake, RBDL).
"""

from collections import namedtuple
from contextlib import contextmanager

import numpy as np

from rbdlib.book.ch04_joints import FreeMotion, Planar, RackAndPinion, Reversed, Revolute, Spherical
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch05_inverse_dynamics import bias_force
from rbdlib.conventions.frames import pose_to_Rp, rotation_from_rpy, rotation_to_rpy
from rbdlib.methods.custom_joint import Custom
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import block_diagonal, cos, matrix, sin, vector
from rbdlib.numbers.validation import OFF_UNIT, unit_euler_parameters

__all__ = [
    "PROGRAMS", "State", "bias_parts", "depth_first", "equation_from", "equation_to", "state_from", "state_to",
    "velocity_matrix",
]

XYZW = [1, 2, 3, 0]


class Layout(namedtuple("Layout", "scalar_first position_first linear_first linear_in_world angular_in_world "
                        "ball_by_angles scalars_last", defaults=(False, False))):
    """Choices of a program.

    scalar_first: of quaternions.  position_first, linear_first: in the q and the v of a free joint.
    linear_in_world, angular_in_world: the axes of the parts of a free joint's v; with linear_in_world, a planar joint
    has (x, y, angle) and its derivatives, otherwise (x, y, cos, sin) and body axes.
    ball_by_angles: a ball joint has q = (roll, pitch, yaw).  scalars_last: all scalars stand at the end of the whole q.
    """


PROGRAMS = {
    "pinocchio": Layout(False, True, True, False, False),
    "mujoco": Layout(True, True, True, True, False),
    "drake": Layout(True, False, False, True, True, ball_by_angles=True),
    "rbdl": Layout(False, True, True, True, False, scalars_last=True),
}


class State(namedtuple("State", "q qd qdd tau")):
    """Positions, velocities, accelerations and forces of the joints; None where they were not asked for."""


def depth_first(model):
    """The bodies in the order in which Pinocchio, MuJoCo and Drake number them, if siblings keep rbdlib's order.

    Each branch comes to its end before the next one begins. Pinocchio's URDF reader sorts siblings by joint name.
    """
    order, waiting = [], list(require_model(model).mu(0))[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += list(model.mu(order[-1]))[::-1]
    return order


def state_to(program, model, q, qd=None, qdd=None, tau=None, order=None, circular=()):
    """The `State` of a program from rbdlib's. program: "pinocchio", "mujoco", "drake" or "rbdl".

    order: the bodies in the program's order (default: `depth_first`; for RBDL, as they are numbered here).
    circular: the bodies whose angle Pinocchio has as (cos, sin), which are those of URDF's continuous joints.
    """
    layout, order = _arguments(program, model, qd, qdd, order, circular)
    q, b = vector(q, model.nq, "q"), 0 if qdd is None else _bias(layout, model, qd)
    position, scalars = [], []
    for i in order:
        with _at_body(i):
            position += _position_to(layout, model.joints[i], q[model.q_slice(i)], i in circular)
        scalars += [position.pop()] if _scalar_apart(layout, model.joints[i]) else []
    A = _to_program(layout, model, q, order)
    rest = (None if x is None else A @ (vector(x, model.nv, name) + (b if name == "qdd" else 0))
            for name, x in (("qd", qd), ("qdd", qdd), ("tau", tau)))
    return State(np.array(position + scalars), *rest)


def state_from(program, model, q, qd=None, qdd=None, tau=None, order=None, circular=()):
    """rbdlib's `State` from a program's; the arguments as for `state_to`."""
    layout, order = _arguments(program, model, qd, qdd, order, circular)
    ours = _positions_from(layout, model, q, order, circular)
    A = _to_program(layout, model, ours, order)
    v, a, forces = (None if x is None else A.T @ vector(x, model.nv, name)
                    for name, x in (("qd", qd), ("qdd", qdd), ("tau", tau)))
    return State(ours, v, None if a is None else a - _bias(layout, model, v), forces)


def _arguments(program, model, qd, qdd, order, circular):
    """The program's `Layout` and order of the bodies, all else checked."""
    layout, order = _layout(program), _order(program, model, order)
    if qdd is not None and qd is None:
        raise ValueError("qd is None and qdd is given; where axes move, accelerations depend on velocities. Give both.")
    if not np.iterable(circular) or isinstance(circular, str):
        raise TypeError(f"circular is {circular!r}; give a list of body numbers, such as [2].")
    for i in circular:
        if i not in model.bodies or not isinstance(model.joints[i], Revolute):
            raise ValueError(f"circular names body {i}, but only hinges have a cosine and a sine. Give body numbers "
                             f"between 1 and {model.N_B} whose joints are Revolute.")
    return layout, order


def velocity_matrix(program, model, q, order=None):
    """A (nv x nv), which takes rbdlib's velocities to the program's, v = A qd; its inverse is its transpose.

    A Jacobian J of rbdlib is J Aᵀ in the program's variables, and one of the program is J' A here.
    """
    return _to_program(_layout(program), model, vector(q, require_model(model).nq, "q"), _order(program, model, order))


def equation_to(program, model, q, qd, H, C, order=None):
    """(H', C') of the program, so that tau' = H' v-dot + C', from rbdlib's H and C at the state (q, qd)."""
    A, b = velocity_matrix(program, model, q, order), _bias(_layout(program), model, qd)
    H = matrix(H, (model.nv, model.nv), "H")
    return A @ H @ A.T, A @ (vector(C, model.nv, "C") - H @ b)


def equation_from(program, model, q, qd, H, C, order=None):
    """rbdlib's (H, C) from the program's matrix and bias force; q and qd are rbdlib's."""
    A, b = velocity_matrix(program, model, q, order), _bias(_layout(program), model, qd)
    H = A.T @ matrix(H, (model.nv, model.nv), "H") @ A
    return H, A.T @ vector(C, model.nv, "C") + H @ b


def bias_parts(model, q, qd):
    """(velocity part, gravity part) of the bias force C, which is their sum: programs give them together or apart.

    Modern Robotics has these two as VelQuadraticForces and GravityForces. Drake's CalcBiasTerm is the first, and its
    CalcGravityGeneralizedForces, a force that acts, is minus the second.
    """
    gravity = bias_force(model, q, 0 * vector(qd, require_model(model).nv, "qd"))
    return bias_force(model, q, qd) - gravity, gravity


def _layout(program):
    if not isinstance(program, str):
        raise TypeError(f"program is {program!r}; the name of a program comes first: {', '.join(map(repr, PROGRAMS))}.")
    if program not in PROGRAMS:
        raise ValueError(f"program is {program!r}; choose one of {', '.join(map(repr, PROGRAMS))}.")
    return PROGRAMS[program]


def _order(program, model, order):
    for i in require_model(model).bodies:
        joint = model.joints[i]
        if isinstance(joint, (Custom, RackAndPinion)) or (isinstance(joint, Reversed) and joint.nv > 1):
            raise ValueError(f"model has the joint {joint} at body {i}, for which other programs have no counterpart. "
                             f"Replace it by joints that they have.")
    if order is None:
        return list(model.bodies) if program == "rbdl" else depth_first(model)
    order = list(order) if np.iterable(order) else order
    if not isinstance(order, list) or sorted(order) != list(model.bodies):
        raise ValueError(f"order is {order}; it must name each of the bodies 1 to {model.N_B} once.")
    return order


@contextmanager
def _at_body(i):
    """Says in an error which body's positions it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"q has wrong positions for body {i}: {error} (Is the whole q in the order that is expected "
                         f"here?)") from None


def _scalar_apart(layout, joint):
    return layout.scalars_last and isinstance(joint, (FreeMotion, Spherical))


def _position_to(layout, joint, q, circular):
    """The program's variables of one joint, as a list; a scalar that is to stand apart comes last."""
    if circular:
        return [cos(q[0]), sin(q[0])]
    if not isinstance(joint, (FreeMotion, Spherical, Planar)):
        return list(q)
    R, p = _pose(joint, q)
    if isinstance(joint, Planar):
        return [p[0], p[1], q[0]] if layout.linear_in_world else [p[0], p[1], cos(q[0]), sin(q[0])]
    if layout.ball_by_angles and isinstance(joint, Spherical):
        return list(rotation_to_rpy(R.T))
    quaternion = unit_euler_parameters(q[:4], "q")
    quaternion = quaternion if layout.scalar_first else quaternion[XYZW]
    if isinstance(joint, Spherical):
        return list(quaternion)
    return [*p, *quaternion] if layout.position_first else [*quaternion, *p]


def _pose(joint, q):
    return pose_to_Rp(joint.transform(q))


def _positions_from(layout, model, q, order, circular):
    # how many variables a joint has in the program, one that stands apart not counted
    sizes = [len(_position_to(layout, model.joints[i], model.joints[i].neutral(), i in circular))
             - _scalar_apart(layout, model.joints[i]) for i in order]
    apart = [i for i in order if _scalar_apart(layout, model.joints[i])]
    q = vector(q, sum(sizes) + len(apart), "q")
    scalars = dict(zip(apart, q[sum(sizes):], strict=True))
    ours, start = np.empty(model.nq, q.dtype if q.dtype == object else float), 0
    for i, size in zip(order, sizes, strict=True):
        piece = [*q[start:start + size], *([scalars[i]] if i in scalars else [])]
        with _at_body(i):
            ours[model.q_slice(i)] = _position_from(layout, model.joints[i], np.array(piece), i in circular)
        start += size
    return ours


def _position_from(layout, joint, q, circular):
    if circular:
        return [_angle(*q)]
    if isinstance(joint, Planar):
        angle = q[2] if layout.linear_in_world else _angle(*q[2:])
        return _with_position(joint, [angle], np.array([*q[:2], 0]))[:3]
    if isinstance(joint, Spherical) and layout.ball_by_angles:
        return euler_parameters_from_rotation(rotation_from_rpy(q))
    if not isinstance(joint, (FreeMotion, Spherical)):
        return q
    position, quaternion = (q[:-4], q[-4:]) if layout.position_first else (q[4:], q[:4])
    p = unit_euler_parameters(quaternion if layout.scalar_first else np.roll(quaternion, 1), "the quaternion in q")
    return p if isinstance(joint, Spherical) else _with_position(joint, p, position)


def _angle(cosine, sine):
    if abs(cosine**2 + sine**2 - 1) > OFF_UNIT:
        raise ValueError(f"({cosine:.4g}, {sine:.4g}) is not the cosine and the sine of an angle.")
    return np.arctan2(sine, cosine)


def _with_position(joint, turn, position):
    """The joint's q for a turn and the position of its origin in F_p axes."""
    if joint.translation == "F_s":
        R, _ = _pose(joint, np.array([*turn, *(0 * position[:joint.nq - len(turn)])]))
        position = R.T @ position
    return [*turn, *position]


def _velocity_block(layout, joint, q):
    """The part of A that belongs to one joint, before the joints are put in the program's order."""
    if isinstance(joint, Planar):
        R = _pose(joint, q)[0][:2, :2] if layout.linear_in_world else np.eye(2)
        return np.block([[np.zeros((2, 1)), R], [np.ones((1, 1)), np.zeros((1, 2))]])
    if isinstance(joint, Spherical):
        return _pose(joint, q)[0] if layout.angular_in_world else np.eye(3)
    if not isinstance(joint, FreeMotion):
        return np.eye(joint.nv)
    R, zero = _pose(joint, q)[0], np.zeros((3, 3))
    angular = [R if layout.angular_in_world else np.eye(3), zero]
    linear = [zero, R if layout.linear_in_world else np.eye(3)]
    return np.block([linear, angular] if layout.linear_first else [angular, linear])


def _to_program(layout, model, q, order):
    """A, with its rows in the program's order."""
    A = block_diagonal([_velocity_block(layout, model.joints[i], q[model.q_slice(i)]) for i in order])
    return A[:, np.argsort([x for i in order for x in range(model.nv)[model.v_slice(i)]])]


def _bias(layout, model, qd):
    """Aᵀ A-dot qd: what the program's accelerations have more than rbdlib's, in rbdlib's order and axes."""
    qd = vector(qd, model.nv, "qd")
    b = 0 * qd
    for i in model.bodies:
        joint, s = model.joints[i], model.v_slice(i)
        if layout.linear_in_world and isinstance(joint, FreeMotion):
            b[s] = [0, 0, 0, *np.cross(qd[s][:3], qd[s][3:])]
        elif layout.linear_in_world and isinstance(joint, Planar):
            omega, v_x, v_y = qd[s]
            b[s] = [0, -omega * v_y, omega * v_x]
    return b
