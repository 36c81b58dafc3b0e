"""Closing the loops of a mechanism: a configuration from a guess, and how far loops are open (RBDA 8.3).

A loop is closed when the frames of its loop joint stand as the joint allows. `close_loops` finds such a configuration
for numbers; `project` brings a state that has drifted a little back to the nearest one.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, inverse_transform, motion_exp
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.book.ch08_loop_joints import loop_jcalc
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.loops.tolerances import CLOSED, error_units, largest_gap, loop_size, rank_tolerance
from rbdlib.methods.screws import motion_log
from rbdlib.numbers.pivots import first_largest
from rbdlib.numbers.scalars import floats, number, vector, zeros
from rbdlib.numbers.validation import places_in, require_tolerance

#: How far from the guess `close_loops` starts anew when it has come to a dead end (rad, and parts of the loops' size).
REACHES = (0, 0.1, 0.3, 0.3, 1, 1, 1, 2, 2, 3, 3, 3)
#: So many corrections does `project` try, until the loops are open by no more than this.
CORRECTIONS, PROJECTED = 20, 1e-12


class LoopsNotClosed(ValueError):
    """No configuration that closes the loops was found; q is the one that came nearest.

    gap: how far it leaves a loop open, the largest distance (m) or angle (rad) from where a frame F_s ought to be.
    """

    def __init__(self, message, q, gap):
        super().__init__(message)
        self.q, self.gap = q, gap


def close_loops(model, q_guess, independent=None, tolerance=CLOSED, t=0.0):
    """A configuration q (nq) near q_guess (nq) in which all loops are closed.

    independent: places in qd, from 0, of variables that keep their values; without it all may change. tolerance: the
    error that may be left at a loop joint, in rad and in parts of the loops' size (`loop_size`). The way leads along
    damped steps from the guess, and from other places around it where it ends without success; it is always the same
    for the same arguments. Of several ways to assemble the mechanism the one found is near q_guess, but need not be the
    nearest. Raises LoopsNotClosed (a ValueError) with the nearest approach if none is found: the loops may be too
    short, or the guess too far away.
    """
    q_guess, t = floats_of(vector(q_guess, require_model(model).nq, "q_guess"), "q_guess"), number(t, "t")
    held = velocity_places(model, independent, "independent")
    free = [x for x in range(model.nv) if x not in held]
    tolerance = require_tolerance(tolerance, CLOSED)
    rng = np.random.default_rng(0)
    nearest: Any = None
    for X in (*model.X_tree[1:], *(X for loop in model.loops for X in (loop.X_P, loop.X_S))):
        floats_of(X, "The model")
    units = velocity_units(model)[: model.nv]
    for reach in REACHES:
        away = np.zeros(model.nv)
        away[free] = reach * rng.uniform(-1, 1, len(free)) * units[free]
        found = downhill(model, model.integrate(model.normalise(q_guess), away, 1.0), free, tolerance, t)
        if nearest is None or found.gap < nearest.gap:
            nearest = found
        if nearest.gap <= tolerance:
            return nearest.q
    apart = nearest.open_loops
    worst = first_largest((apart / nearest.units[[0, 3]]).max(axis=1))
    turn, shift = apart[worst]
    remedy = f", or let other variables change than all but {held}" if held else ""
    raise LoopsNotClosed(
        f"No configuration was found that closes the loops. In the nearest one loop joint {model.N_B + 1 + worst} "
        f"({model.loops[worst].joint}) is open by {shift:.3g} m and {turn:.3g} rad. See whether the links are long "
        f"enough and the joints turned as they should be, give a q_guess nearer to a closed configuration{remedy}.",
        nearest.q, nearest.open_by)


class _Approach(namedtuple("_Approach", "q q_loops misses units")):
    """Positions of the tree and of the loop joints, and by how much these miss: 6 numbers each, in their units (6)."""

    gap = property(lambda self: np.abs(self.misses).max(initial=0))

    @property
    def open_loops(self):
        """For each loop the angle (rad) and the distance (m) from where its F_s ought to be (N_L x 2)."""
        shifts = [X_to_Er(motion_exp(miss * self.units))[1] for miss in self.misses]
        return np.linalg.norm([self.misses[:, :3], np.reshape(shifts, (len(shifts), 3))], axis=2).T

    open_by = property(lambda self: self.open_loops.max(initial=0))


def downhill(model, q, free, tolerance, t):
    """The nearest approach to closed loops downhill from q (Levenberg and Marquardt's method).

    The positions of the loop joints are unknowns too, of whatever type. They are fitted first, so that q moves little.
    """
    units = np.repeat([1.0, loop_size(model)], 3)
    at = _approach(model, q, [loop.joint.neutral() for loop in model.loops], t, units)
    return _descend(model, _descend(model, at, [], tolerance, t), free, tolerance, t)


def _descend(model, at, free, tolerance, t):
    nv = model.nv
    columns = [*free, *range(nv, nv + sum(loop.joint.nv for loop in model.loops))]
    units, damping, last, moved = velocity_units(model), 1e-3, False, True
    least = max(1e-13, 200 * len(columns) * np.finfo(float).eps)    # what rounding leaves of a zero pivot is smaller
    for _ in range(200):
        if last or not columns or damping > 1e6:
            break
        last = at.gap <= tolerance                              # one step more, for the digits that it gives
        if moved:                                               # after a step that leads nowhere they are the same
            J = (_slopes(model, at, t) * units)[:, columns]
            A, downwards, moved = J.T @ J, -J.T @ at.misses.ravel(), False
        step = np.zeros(len(units))
        try:
            step[columns] = solve(A + damping * max(A.max(), 1e-12) * np.eye(len(A)), downwards)
        except ValueError:
            damping = damping * 10
            continue
        step = step / max(1.0, np.abs(step).max())              # a turn by more says nothing about the way
        move = step * units
        q, q_loops, end = model.normalise(model.integrate(at.q, move[:nv], 1.0)), [], nv
        for loop, q_loop in zip(model.loops, at.q_loops, strict=True):
            part, end = move[end : end + loop.joint.nv], end + loop.joint.nv
            q_loops.append(loop.joint.normalise(loop.joint.integrate(q_loop, part, 1.0)))
        after = _approach(model, q, q_loops, t, at.units)
        if np.linalg.norm(after.misses) < np.linalg.norm(at.misses) * (1 - 1e-9):
            at, damping, moved = after, max(damping / 10, least), True
        else:
            damping = damping * 10
    return at


def _approach(model, q, q_loops, t, units):
    X_0, misses = body_transforms(model, q, t), np.zeros((model.N_L, 6))
    for l, (loop, q_loop) in enumerate(zip(model.loops, q_loops, strict=True)):
        misses[l] = _displacement(_across(loop, X_0) @ inverse_transform(loop.joint.transform(q_loop, t)))
    return _Approach(q, q_loops, misses / units, units)


def _displacement(X):
    """The motion from where F_s ought to be to where it is; after half a turn, of the two that do, the one found."""
    for axis in np.eye(6)[:3]:
        try:
            return motion_log(X)
        except ValueError:
            X = X @ motion_exp(1e-3 * axis)
    return motion_log(X)


def _slopes(model, at, t):
    """The rates of change of the misses with the velocity variables of the tree and then of the loop joints."""
    X_0 = body_transforms(model, at.q, t)
    S = [None] + [inverse_transform(X_0[i]) @ model.joints[i].motion_subspace(at.q[model.q_slice(i)], t)
                  for i in model.bodies]
    J, end = np.zeros((6 * model.N_L, model.nv + sum(loop.joint.nv for loop in model.loops))), model.nv
    for l, (loop, q_loop) in enumerate(zip(model.loops, at.q_loops, strict=True)):
        rows, X_s = slice(6 * l, 6 * l + 6), loop.X_S @ X_0[loop.successor]
        for sign, body in ((1, loop.successor), (-1, loop.predecessor)):
            for j in model.kappa(body) if body else ():
                J[rows, model.v_slice(j)] += sign * X_s @ S[j]
        J[rows, end : end + loop.joint.nv] = -loop.joint.motion_subspace(q_loop, t)
        end += loop.joint.nv
        J[rows] = J[rows] / at.units[:, None]
    return J


def velocity_units(model):
    """For each velocity variable of the tree, then of the loop joints, 1 if it is of a turn, `loop_size` if of a shift.
    """
    joints = [model.joints[i] for i in model.bodies] + [loop.joint for loop in model.loops]
    turns = [(joint.motion_subspace(joint.neutral())[:3] != 0).any(axis=0) for joint in joints]
    return np.where(np.concatenate([[], *turns]), 1.0, loop_size(model))


def _across(loop, X_0):
    """The transform from frame F_p to frame F_s of a loop joint (RBDA Eq. 8.24)."""
    return loop.X_S @ X_0[loop.successor] @ inverse_transform(loop.X_P @ X_0[loop.predecessor])


def loop_errors(model, q, qd, t=0.0):
    """delta and its rate (n_c each): how far the loops are open, and how fast they open (RBDA Eqs 8.9, 8.23).

    q (nq), qd (nv): state of the tree; t: time (s). Rows as in `rbdlib.book.ch08_closed_loops.loop_constraints`: m and
    rad, m/s and rad/s; all 0 in a state that fulfils the constraints.
    """
    X_0, v = body_transforms(model, q, t), body_velocities(model, q, qd, t)
    delta, rate = [zeros(0, *X_0)], [zeros(0, *X_0, *v)]
    for loop in model.loops:
        X = _across(loop, X_0)
        v_J = loop.X_S @ v[loop.successor] - X @ loop.X_P @ v[loop.predecessor]
        joint = loop_jcalc(loop.joint, X, v_J, t)
        delta.append(joint.delta)
        rate.append(joint.T.T @ (v_J - joint.sigma))
    return np.concatenate(delta), np.concatenate(rate)


def velocity_places(model, places, name):
    """The places in qd, from 0, as a list of different whole numbers; ValueError naming the argument otherwise."""
    return places_in(places, model.nv, name, "qd", " Those of joint i are range(model.nv)[model.v_slice(i)].")


def floats_of(array, name):
    """The array as floats; ValueError naming it if it contains symbols."""
    return floats(array, f"{name} contains symbols; loops are closed for numbers only. Put numbers in their place.")


def project(model, q, qd, t=0.0):
    """The state q (nq), qd (nv) brought back to closed loops, in position and in velocity; returns both.

    An alternative to stabilisation (RBDA 8.3): instead of forces that pull the loops together, corrections after each
    step. Both are the smallest that will do, measured by the kinetic energy that they would have as velocities: that of
    the velocity is what a blow at the loop joints would do, and so it takes energy away, never adds any. Errors delta
    of 1e-12 may be left, m and rad; lengths also in parts of the loops' size, which alone counts where rounding allows
    no more. Raises ValueError too far from closed loops, for symbols, and as `crba` and `loop_constraints` do.
    """
    q, qd = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd")
    if not model.loops:
        return q, qd
    units, before = error_units(model), np.inf
    for _ in range(CORRECTIONS):
        closer, slower, delta = correction(model, q, qd, t)
        gap, relative = largest_gap(delta), largest_gap(delta / units)
        if gap is None:
            raise ValueError("The state or the model contains symbols; it is projected for numbers only. Put numbers "
                             "in their place.")
        if max(gap, relative) <= PROJECTED or (relative <= PROJECTED and gap >= before / 2):
            return q, slower
        q, before = closer, gap
    raise ValueError(f"The loops are still open by {gap:.2g} (m, rad) after {CORRECTIONS} corrections. Find a "
                     f"closed configuration with close_loops, or project earlier, before they open so far.")


def correction(model, q, qd, t=0.0):
    """One correction of `project`: a q with loops less open, qd without slip if q is right, and the errors delta of q.
    """
    H, (K, _, delta, _) = crba(model, q, t), constraints_to_rank(model, q, zeros(model.nv, q), t=t)
    relative = delta / error_units(model)
    step = _least_motion(H, K, -delta, relative)
    slower = qd + _least_motion(H, K, -loop_errors(model, q, qd, t)[1], relative)
    return model.normalise(model.integrate(q, step, 1.0)), slower, delta


def _least_motion(H, K, k, delta):
    """The x with K x = k for which xᵀ H x is smallest."""
    G, g = constraint_solution(K, k, rank_tolerance(delta))
    return g - G @ solve(G.T @ H @ G, G.T @ H @ g)                                  # (8.46) without forces
