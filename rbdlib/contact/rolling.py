"""Bodies that roll on a plane without slipping: nonholonomic constraints on velocities (RBDA 3.4, 8.2).

The point of the body that is at the contact has no velocity. This is a constraint on velocities, K qd = 0, and its rate
of change one on accelerations, K qdd = k, as those of loops are in `rbdlib.book.ch08_closed_loops`: what solves the one
solves the other. But no function of q stands behind it, apart from the height of the contact, which stays 0.
"""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rbdlib.book.ch02_spatial import X_to_Er, skew
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch08_closed_loops import by_composite_equation, inverse_of, spanning_tree
from rbdlib.contact.shapes import Plane, positive, store, unit
from rbdlib.numbers.linear import cross
from rbdlib.numbers.scalars import eye, matrix, number, sqrt, vector, zeros
from rbdlib.numbers.validation import time_constant


@dataclass(frozen=True, eq=False)
class Roller:
    """A round surface of a body: an ellipsoid, which a disc and a ball are too, with a layer of constant thickness.

    B (3 x 3, m²): symmetric; with the squares of the half-axes as its eigenvalues, one of them 0 for the rim of a disc.
    centre (3, m); thickness (m): of the layer, as of a tyre around the rim. All are in body coordinates.

    The point of the surface with the outward normal u (3, of unit length) is centre + B u / sqrt(uᵀ B u) + thickness u.
    """

    B: ArrayLike
    centre: ArrayLike = (0, 0, 0)
    thickness: float = 0

    def __post_init__(self):
        store(self, B=matrix(self.B, (3, 3), "B"), centre=vector(self.centre, 3, "centre"),
              thickness=positive(self.thickness, "thickness", "at least 0"))

    def point(self, u, u_rate):
        """The point (3) with the outward normal u (3), and the velocity (3) with which it travels in the body.

        Raises ValueError for a disc that lies flat, which touches with all of its rim.
        """
        square = u @ self.B @ u
        if square == 0:
            raise ValueError("A disc lies flat on the plane and touches it with all of its rim. Tilt it.")
        x, s = self.B @ u, sqrt(square)
        x_rate = self.B @ u_rate / s - x * (x @ u_rate) / (square * s)
        return self.centre + x / s + self.thickness * u, x_rate + self.thickness * u_rate


def ellipsoid(a, b, c, centre=(0, 0, 0)):
    """The `Roller` with half-axes a, b and c (m) along x, y and z."""
    return Roller(np.diag([positive(length, "half-axis") ** 2 for length in (a, b, c)]), centre)


def wheel(radius, axis=(0, 1, 0), centre=(0, 0, 0), tyre=0):
    """The `Roller` that is the rim of a disc, with a round tyre of this radius (m) around it.

    axis (3): at right angles to the disc; radius (m): that of the rim, to which the tyre adds.
    """
    e = unit(axis, "axis")
    return Roller(positive(radius, "radius") ** 2 * (eye(3, e) - np.outer(e, e)), centre, tyre)


class Rolling(namedtuple("Rolling", "body roller plane", defaults=[Plane()])):
    """A body that rolls on a plane of the base without slipping: its number, its `Roller`, and the plane."""


def rolling_constraints(model, q, qd, rolling, T_stab=None, t=0.0, tree=None):
    """K (3n x nv), k (3n) and delta (n) of the constraints K qdd = k of n bodies that roll.

    q (nq), qd (nv): state of the model; rolling: a list of n `Rolling`. Each gives three rows, the velocity K qd of the
    point of the body at the contact, along the axes of the base. delta: the heights of the contacts over their planes
    (m), 0 where they touch. T_stab, t, tree: as for `rbdlib.book.ch08_closed_loops.loop_constraints`. Raises ValueError
    for bodies that the model does not have, and for a disc that lies flat; TypeError for what is no `Rolling`.

    >>> from rbdlib import Model
    >>> from rbdlib.book.ch02_spatial import mcI
    >>> from rbdlib.book.ch04_joints import FreeMotion
    >>> disc = Model([0], [FreeMotion()], [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([1, 2, 1]) * 0.01)])
    >>> q, qd = [1, 0, 0, 0, 0, 0, 0.2], [0, 5, 0, 1, 0, 0]              # at 0.2 m it turns by 5 rad/s
    >>> K, k, delta = rolling_constraints(disc, q, qd, [Rolling(1, wheel(0.2))])
    >>> np.allclose(K @ qd, 0), np.allclose(delta, 0)
    (True, True)
    >>> (k.round(6) + 0).tolist()                                        # the point at the contact is thrown upwards
    [0.0, 0.0, 5.0]
    """
    model, t = require_model(model), number(t, "t")
    _, X_0, S, v, a_vp, _ = spanning_tree(model, q, qd, t=t) if tree is None else tree
    alpha = beta = 0 if T_stab is None else 1 / time_constant(T_stab)
    K, k, delta = [zeros((0, model.nv))], [zeros(0)], [zeros(0)]
    for one in rolling:
        if not isinstance(one, Rolling):
            raise TypeError(f"rolling contains {one!r}; give a list of Rolling(body, roller).")
        i, n = one.body, one.plane.normal
        if i not in model.bodies:
            raise ValueError(f"Body {i!r} is to roll; this model has the bodies 1 to {model.N_B}.")
        E, r = X_to_Er(X_0[i])
        v_i, a_i = inverse_of(X_0[i]) @ v[i], inverse_of(X_0[i]) @ a_vp[i] - a_vp[0]
        u, omega = -E @ n, v_i[:3]
        x, x_rate = one.roller.point(u, cross(u, E @ omega))                # u̇ = -ω × u, since n stands still
        P = r + E.T @ x                                                     # the contact, in base coordinates
        P_rate = v_i[3:] + cross(omega, P) + E.T @ x_rate                   # it travels, and no point of the body does
        at_P = np.hstack([-skew(P), eye(3, P)])                             # at_P v_i = v_O + ω × P
        v_P, h = at_P @ v_i, n @ (P - one.plane.point)
        K_i = zeros((3, model.nv), P, *S[1:])
        for j in model.kappa(i):
            K_i[:, model.v_slice(j)] = at_P @ inverse_of(X_0[j]) @ S[j]
        K.append(K_i)
        k.append(-at_P @ a_i - cross(omega, P_rate) - 2 * alpha * v_P - beta**2 * h * n)
        delta.append(np.array([h]))
    return np.concatenate(K), np.concatenate(k), np.concatenate(delta)


def by_rolling(model, q, qd, tau, f_ext=None, t=0.0, rolling=(), T_stab=None):
    """Accelerations qdd (nv) of a model whose bodies roll, and the contact forces lam (n x 3, N) on them (RBDA 8.36).

    rolling: a list of n `Rolling`, T_stab: as for `rolling_constraints`; other arguments as for `forward_dynamics`. lam
    is in base coordinates. The state should roll, K qd = 0: see `without_slip`. Whether the plane can exert lam, with
    its friction and without pulling, is for the caller to see. Raises ValueError as `rolling_constraints` does, for a
    model with loops, and where rows of K repeat others, as those of a cart's four wheels do.
    """
    K, k, tree = _rows(model, q, qd, f_ext, rolling, T_stab, t)
    try:
        qdd, lam = by_composite_equation(crba(model, q, t), K, vector(tau, model.nv, "tau") - tree.C, k)
    except ValueError as error:
        raise ValueError("The rolling constraints repeat one another, or leave free a motion without inertia. Let "
                         "fewer bodies roll, or give every body a mass.") from error
    return qdd, lam.reshape(-1, 3)


def rolling_dynamics(rolling, T_stab=None):
    """The accelerations of `by_rolling` as a function (model, q, qd, tau, f_ext, t): for `simulate`, as dynamics."""
    return lambda model, q, qd, tau, f_ext=None, t=0.0: by_rolling(model, q, qd, tau, f_ext, t, rolling, T_stab)[0]


def without_slip(model, q, qd, rolling, t=0.0):
    """The velocity (nv) that is left of qd (nv) when all contacts grip at once: the nearest without slip.

    Nearest is meant by the kinetic energy of the difference; what the blow of the grip takes away is that energy.
    """
    K, _, _ = _rows(model, q, qd, None, rolling, None, t)
    return vector(qd, model.nv, "qd") + by_composite_equation(crba(model, q, t), K, zeros(model.nv), -K @ qd)[0]


def _rows(model, q, qd, f_ext, rolling, T_stab, t):
    """K, k and Table 8.3's results of a model without loops."""
    if require_model(model).loops:
        raise ValueError("The model has loops. Only trees can roll: replace the loops, or use their constraints and "
                         "those of rolling_constraints together.")
    tree = spanning_tree(model, q, qd, f_ext, t=t)
    K, k, _ = rolling_constraints(model, q, qd, rolling, T_stab, t, tree)
    return K, k, tree
