"""A state that has drifted from closed loops put right, as an alternative to stabilisation (RBDA 8.3)."""

import numpy as np

from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch08_elimination import constraint_solution
from rbdlib.loops.closing import loop_errors
from rbdlib.loops.clusters import constraints_to_rank
from rbdlib.loops.tolerances import error_units, largest_gap, rank_tolerance
from rbdlib.numbers.scalars import vector, zeros
from rbdlib.numbers.validation import require_tolerance

#: So many corrections are tried.
CORRECTIONS = 20


def project(model, q, qd, t=0.0, tolerance=1e-12):
    """The state q (nq), qd (nv) brought back to closed loops, in position and in velocity; returns both.

    An alternative to stabilisation (RBDA 8.3): instead of forces that pull the loops together, corrections after each
    step. Both are the smallest that will do, measured by the kinetic energy that they would have as velocities: that
    of the velocity is what a blow at the loop joints would do, and so it takes energy away, never adds any. tolerance:
    the largest error delta left, m and rad; lengths also in parts of the loops' size, which alone counts where rounding
    allows no more. Raises ValueError if the state is too far from closed loops, for symbols, and as `crba` and
    `loop_constraints` do.
    """
    tolerance = require_tolerance(tolerance, 1e-12)
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
        if max(gap, relative) <= tolerance or (relative <= tolerance and gap >= before / 2):
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
