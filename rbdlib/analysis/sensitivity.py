"""How much a mechanism makes of small errors in the forces: the sensitivity problem (RBDA 10.2)."""

from collections import namedtuple
from contextlib import suppress

import numpy as np

from rbdlib.book.ch02_spatial import crm, skew
from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.loops.closing import close_loops
from rbdlib.loops.clusters import constraints_to_rank, independent_constraints, loop_clusters
from rbdlib.loops.coordinates import OPEN_LOOP
from rbdlib.loops.tolerances import error_units
from rbdlib.numbers.intervals import Interval
from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.pivots import principal_axes
from rbdlib.numbers.scalars import as_floats, number, rotation_series, vector

#: Larger condition numbers are not told apart: they say no more than that H is singular.
BEYOND = 1e16
#: How many times the rounding error of floats a result must exceed to say anything.
NOISE = 64 * np.finfo(float).eps


class Sensitivity(namedtuple("Sensitivity", "model q t H sizes inertias forces motions")):
    """How accelerations at q answer to forces: along some directions much more than along others (RBDA 10.2).

    H (nv x nv): the joint-space inertia at q (nq) and t.  sizes (nv): the units in which forces are measured, 1 without
    scaling; accelerations are measured in 1/sizes.  inertias (n, ascending): the eigenvalues of H in these units; n is
    nv, or less where loops constrain.  forces (nv x n), motions (nv x n): forces of unit length along its eigenvectors,
    and the accelerations of unit length along them; forces[:, k] causes the acceleration motions[:, k] / inertias[k].
    """

    @property
    def condition_number(self):
        """The largest inertia divided by the smallest: by how much relative errors of forces can grow, at worst.

        That is so in a system without loops; with loops, of those forces that do not act against them. Where nearly all
        of the forces tau are resisted by the loops, errors of the rest can be any number of times as large.
        """
        smallest, largest = self.inertias[[0, -1]]
        return float(largest / smallest) if smallest > 0 else float("inf")

    worst_force = property(lambda self: self.forces[:, 0], doc="""
        The error of the forces (nv, of unit length) that disturbs the accelerations most, by 1 / inertias[0].""")
    worst_acceleration = property(lambda self: self.motions[:, 0], doc="""
        The direction (nv, of unit length) in which it disturbs them: along it the system is lightest.""")
    hardest_force = property(lambda self: self.forces[:, -1], doc="""
        The force (nv, of unit length) that accelerates the system least, so that errors show most beside it.""")
    mixes_units = property(lambda self: len(set(_is_angle(self.model, self.q, self.t))) > 1, doc="""
        True if some variables are lengths and others angles, so that without scaling the unit of length counts.""")

    def acceleration(self, tau):
        """The accelerations (nv) that the joint forces tau (nv) add, H⁻¹ tau in a system without loops.

        Raises ValueError where H is singular: forces along a motion without inertia cause no definite acceleration.
        """
        tau = real_vector(tau, len(self.sizes), "tau")
        if self.inertias[0] <= 4 * np.finfo(float).eps * self.inertias[-1]:
            raise ValueError(f"H is singular at q: the smallest of its inertias is {self.inertias[0]:.2g}, the largest "
                             f"{self.inertias[-1]:.2g}. Give the bodies that move along worst_acceleration a mass.")
        return self.motions @ (self.motions.T @ tau / self.inertias)

    def amplification(self, tau, dtau, entries=False):
        """By how much the relative error of the accelerations exceeds that of the forces, if tau is off by dtau (nv).

        tau (nv): the forces that accelerate the system: those of the joints at rest without gravity, else tau - C. What
        is compared are lengths, in the units of `sizes`. entries=True compares the largest of the errors of single
        accelerations, each relative to its own, with the largest of those of single forces, as the book does. Raises
        ValueError where that means to divide by zero, or by what is zero but for rounding, and where H is singular.
        """
        tau, dtau = (real_vector(x, len(self.sizes), name) for x, name in ((tau, "tau"), (dtau, "dtau")))
        qdd, dqdd = self.acceleration(tau), self.acceleration(dtau)
        most = np.abs(self.motions) @ (np.abs(self.motions).T @ np.abs(tau) / self.inertias)
        known = np.abs(qdd) > NOISE * most                      # what is more than rounding errors
        if not np.any(dtau) or not np.any(known) or (entries and not (tau.all() and known.all())):
            where = " in every entry" if entries else ""
            raise ValueError(f"dtau must not be zero, nor tau and the acceleration that it causes{where}: an error has "
                             "no size relative to zero.")
        if entries:
            return float(np.abs(dqdd / qdd).max() / np.abs(dtau / tau).max())
        error = np.linalg.norm(dqdd * self.sizes) / np.linalg.norm(qdd * self.sizes)
        return float(error / (np.linalg.norm(dtau / self.sizes) / np.linalg.norm(tau / self.sizes)))

    def worst_amplification(self, tau):
        """The largest `amplification` that an error of tau can have; at most the condition number, without loops.

        Raises ValueError as `amplification` does.
        """
        return self.amplification(tau, self.worst_force)

    def __repr__(self):
        unscaled = self.mixes_units and (self.sizes == 1).all()
        unit = "; the unit of length counts, see scaling" if unscaled else ""
        return (f"<Sensitivity of {self.model!r}: condition number {self.condition_number:.4g}, inertias from "
                f"{self.inertias[0]:.4g} to {self.inertias[-1]:.4g}{unit}>")


def sensitivity(model, q, t=0.0, scaling=None):
    """How sensitive a system is to errors of its forces at q: a `Sensitivity` (RBDA 10.2).

    q: positions (nq); t: time (s), for joints that depend on it. Velocities do not matter. In a system with loops,
    which must be closed at q, the accelerations are those that the loops allow. scaling: None compares N m with N, and
    rad with m, as numbers, which means something only if all variables are angles, or all are lengths. "diagonal"
    measures force k in units of sqrt(H_kk) and acceleration k in units of 1/sqrt(H_kk), after which the unit of length
    does not matter; or give the forces (nv, positive) that count as 1. Raises ValueError if nothing can move or loops
    are open, and ValueError or TypeError for symbols, intervals and bad arguments.
    """
    q, t = vector(q, require_model(model).nq, "q"), number(t, "t")
    exact = crba(model, q, t)
    H = None if any(isinstance(x, Interval) for x in (*q, *exact.flat)) else as_floats(exact)
    if H is None:
        raise ValueError("The model or q contains symbols or complex numbers, or intervals; a condition number needs "
                         "real numbers.")
    sizes = _sizes(H, scaling)
    G = _motions_that_loops_allow(model, q, t, sizes)
    if G.shape[1] == 0:
        raise ValueError("model has no freedom, so that no force accelerates it. Give it a joint that can move.")
    inertias, z = principal_axes(G.T @ (H / np.outer(sizes, sizes)) @ G, G)
    return Sensitivity(model, q, t, H, sizes, inertias, z * sizes[:, None], z / sizes[:, None])


def real_vector(x, n, name):
    """x as n floats; ValueError or TypeError names the argument."""
    floats = as_floats(vector(x, n, name))
    if floats is None:
        raise TypeError(f"{name} contains symbols or complex numbers; give real numbers.")
    return floats


def _sizes(H, scaling):
    if scaling is None:
        return np.ones(len(H))
    if isinstance(scaling, str) and scaling != "diagonal":
        raise ValueError(f"scaling is {scaling!r}; choose None, 'diagonal' or {len(H)} positive numbers.")
    if not isinstance(scaling, str):
        sizes = real_vector(scaling, len(H), "scaling")
        if (sizes <= 0).any():
            raise ValueError(f"scaling is {scaling}; every force that counts as 1 must be positive.")
        return sizes
    without = np.flatnonzero(H.diagonal() <= 0)
    if without.size:
        raise ValueError(f"scaling is 'diagonal', but variable {without[0]} has no inertia to scale with. Give the "
                         "bodies that it moves a mass.")
    return np.sqrt(H.diagonal())


def _motions_that_loops_allow(model, q, t, sizes):
    """An orthonormal basis (nv x n) of the accelerations, in their units, that keep loops at rest closed."""
    if not model.loops:
        return np.eye(model.nv)
    K, k, delta, tolerance = (as_floats(x) for x in constraints_to_rank(model, q, np.zeros(model.nv), t=t))
    gaps = np.abs(delta / error_units(model))
    if gaps.max(initial=0) > OPEN_LOOP:
        raise ValueError(f"q leaves a loop open by {gaps.max():.2g} (rad, or parts of its size). Close it first, with "
                         "rbdlib.loops.closing.close_loops(model, q).")
    K = independent_constraints(K, k, float(tolerance), loop_clusters(model)).K
    return np.linalg.svd(K / sizes)[2][len(K):].T


def _is_angle(model, q, t):
    """Which of the velocity variables (nv) turn a body, and so are rates of angles."""
    S = (model.joints[i].motion_subspace(q[model.q_slice(i)], t) for i in model.bodies)
    return np.concatenate([np.zeros(0, dtype=bool), *((S_i[:3] != 0).any(axis=0) for S_i in S)])


class SensitivityOver(namedtuple("SensitivityOver", "q condition_numbers worst")):
    """Condition numbers (k) at configurations q (k x nq) of a system, and the worst `Sensitivity` that was found."""

    def __repr__(self):
        return (f"<SensitivityOver {len(self.q)} configurations: condition numbers from "
                f"{self.condition_numbers.min():.4g} to {self.condition_numbers.max():.4g}, half below "
                f"{np.median(self.condition_numbers):.4g}; the worst found {self.worst.condition_number:.4g}>")


def sensitivity_over(model, configurations=200, refine=None):
    """The condition numbers of a system over many configurations: a `SensitivityOver` (RBDA 10.2).

    configurations: how many to draw at random (`Model.random_state`), or the configurations themselves (k x nq). Loops
    are closed first (`rbdlib.loops.closing.close_loops`); draws from which that fails are left out. refine (True
    or False): climb from the worst of them to the top of the hill that it stands on, by changes of angles (default:
    unless there are loops, which do not allow it). There may be higher hills. The climb costs some hundred
    configurations more: 0.2 s
    for 10 links, 2 s for 30. The draws are the same every time.
    """
    if not (refine is None or isinstance(refine, bool | np.bool_)):
        raise ValueError(f"refine is {refine!r}; choose True or False, or leave it out.")
    loops = require_model(model).loops
    refine = not loops if refine is None else refine
    if refine and loops:
        raise ValueError("refine is True, but angles cannot be changed one by one in a model with loops; leave it out, "
                         "and give more configurations instead.")
    q = _configurations(model, configurations)
    numbers = np.array([sensitivity(model, row).condition_number for row in q])
    worst = sensitivity(model, q[int(numbers.argmax())])
    return SensitivityOver(np.array(q, dtype=float), numbers, _refined(worst) if refine else worst)


def _configurations(model, configurations):
    """The list of those given, or of those drawn in which the loops can be closed."""
    if getattr(configurations, "ndim", 1) == 0 or not hasattr(configurations, "__iter__"):
        q, rng = [], np.random.default_rng(0)
        for _ in range(whole_number(configurations, "configurations", 1)):
            drawn = model.random_state(rng)[0]
            with suppress(ValueError):                      # the loops cannot be closed
                q.append(close_loops(model, drawn) if model.loops else drawn)
        if not q:
            raise ValueError(f"configurations is {configurations}, but in none of those drawn could the loops be "
                             "closed. Draw more, or give configurations (k x nq) in which they are.")
        return q
    rows = list(configurations)
    if rows and np.ndim(rows[0]) == 0:
        raise ValueError(f"configurations has no rows; give one row of {model.nq} numbers for each, a matrix of shape "
                         f"(k, {model.nq}), or how many to draw.")
    if not rows:
        raise ValueError("configurations is empty; give at least one, or how many to draw.")
    return [vector(row, model.nq, f"configurations[{k}]") for k, row in enumerate(rows)]


def _refined(worst):
    """The sensitivity at a local maximum of the condition number, over the angles."""
    from scipy.optimize import minimize

    model, angles = worst.model, np.flatnonzero(_is_angle(worst.model, worst.q, worst.t))

    def moved(x):
        u = np.zeros(model.nv)
        u[angles] = x
        return sensitivity(model, model.integrate(worst.q, u, 1.0)), u

    def depth(x):
        here, u = moved(x)
        if here.condition_number >= BEYOND:
            return -np.log(BEYOND), np.zeros(len(angles))
        slope = _turned_back(model, u, condition_slope(here))
        return -np.log(here.condition_number), -slope[angles]

    if len(angles) == 0:
        return worst
    found = minimize(depth, np.zeros(len(angles)), jac=True, method="BFGS")
    return max(worst, moved(found.x)[0], key=lambda result: result.condition_number)


def condition_slope(here):
    """The derivatives (nv) of the logarithm of the condition number of a `Sensitivity` along the tangents of q.

    That of an inertia zᵀ H z, where z has unit length, is zᵀ H' z, because the inertia is stationary in z. For systems
    without loops, and sizes that do not depend on q.
    """
    ends = here.motions[:, [0, -1]]
    lightest, heaviest = (inertia_slopes(here.model, here.q, here.t, ends) / here.inertias[[0, -1]]).T
    return heaviest - lightest


def inertia_slopes(model, q, t, M):
    """The derivatives (nv x k) of mᵀ H m, for each column m of M (nv x k), along the nv tangents of q.

    mᵀ H m is twice the kinetic energy when m is the velocity, which stays. As joint i moves along s, a column of S, the
    velocity that comes from its parent changes by -s × in coordinates of body i, and so does that of all it carries.
    """
    X_up, S = joints_at(model, q, t)
    v, h, slopes = [np.zeros((6, M.shape[1]))], [None], np.zeros(M.shape)
    for i in model.bodies:
        v.append(X_up[i] @ v[model.parent[i]] + S[i] @ M[model.v_slice(i)])
        h.append(model.inertia[i] @ v[i])

    for i in reversed(model.bodies):
        joint, q_i, p, k = model.joints[i], q[model.q_slice(i)], model.parent[i], model.v_slice(i)
        by_time = joint.motion_subspace_rate(q_i, np.zeros(joint.nv), t)
        for j, e in enumerate(np.eye(joint.nv)):
            change = (joint.motion_subspace_rate(q_i, e, t) - by_time) @ M[k] - crm(S[i][:, j]) @ X_up[i] @ v[p]
            slopes[k.start + j] = 2 * (h[i] * change).sum(axis=0)
        if p:
            h[p] = h[p] + X_up[i].T @ h[i]
    return slopes


def _turned_back(model, u, slope):
    """The slope (nv) by the numbers u, with which `Model.integrate` moves in unit time, from that where it ends."""
    slope = slope.copy()                        # the same but for balls, whose final angular velocity is J du
    for i in model.bodies:
        if model.joints[i].nq == model.joints[i].nv + 1:                        # by Euler parameters
            k = model.v_slice(i)
            k = slice(k.start, k.start + 3)
            turn = skew(u[k])
            _, a, b = rotation_series(u[k] @ u[k])
            slope[k] = (np.eye(3) - a * turn + b * (turn @ turn)).T @ slope[k]
    return slope
