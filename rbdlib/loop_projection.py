"""A state that has drifted from closed loops put right, as an alternative to stabilisation (RBDA 8.3)."""

import numpy as np

from rbdlib.closed_loops import loop_constraints
from rbdlib.constraint_solution import constraint_solution, rank_tolerance
from rbdlib.factorisation import solve
from rbdlib.inertia_matrix import crba
from rbdlib.loop_closing import loop_errors
from rbdlib.model import require_model
from rbdlib.scalars import vector, zeros


def project(model, q, qd, t=0.0, tolerance=1e-12):
    """The state q (nq), qd (nv) brought back to closed loops, in position and in velocity; returns both.

    An alternative to stabilisation (RBDA 8.3): instead of forces that pull the loops together, corrections after each
    step. Both are the smallest that will do, measured by the kinetic energy that they would have as velocities: that
    of the velocity is what a blow at the loop joints would do, and so it takes energy away, never adds any. tolerance:
    the largest error delta left (m, rad). Raises ValueError if the state is too far from closed loops, and as `crba`
    and `loop_constraints` do.
    """
    q, qd = vector(q, require_model(model).nq, "q"), vector(qd, model.nv, "qd")
    if not model.loops:
        return q, qd
    H, rest, moved = crba(model, q, t), zeros(model.nv, q), 0.0
    for _ in range(20):
        K, _, delta = loop_constraints(model, q, rest, t=t)
        if np.abs(delta).max(initial=0) <= tolerance:
            break
        step = _least_motion(H, K, -delta, delta)
        q, moved = model.normalise(model.integrate(q, step, 1.0)), moved + np.abs(step).max()
    else:
        raise ValueError(f"The loops are still open by {np.abs(delta).max():.2g} (m, rad) after 20 corrections. Find a "
                         f"closed configuration with assemble, or project earlier, before they open so far.")
    H = crba(model, q, t) if moved > 1e-6 else H
    return q, qd + _least_motion(H, K, -loop_errors(model, q, qd, t)[1], delta)


def _least_motion(H, K, k, delta):
    """The x with K x = k for which xᵀ H x is smallest."""
    G, g = constraint_solution(K, k, rank_tolerance(delta))
    return g - G @ solve(G.T @ H @ G, G.T @ H @ g)                                  # (8.46) without forces
