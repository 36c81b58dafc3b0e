"""The variational step's questions to a mechanism: its momentum's rate of change, and what keeps its momentum.

Both are spoken of as velocities, H⁻¹ times the momentum, so that a state remains q and qd.
"""

import numpy as np

from rbdlib.book.ch04_joints import Joint
from rbdlib.book.ch04_kinematics import body_velocities
from rbdlib.book.ch04_model import require_model
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods.derivatives import coriolis_matrix


def momentum_rate(model, q, qd, tau, f_ext=None, t=0.0):
    """H⁻¹ (∂L/∂q + tau), nv numbers: H⁻¹ times the rate of change of the momentum H qd, H qdd + (dH/dt) qd.

    Arguments as for `rbdlib.aba`; qd is the rate of change of q, and the time t makes no difference.
    """
    C = coriolis_matrix(model, q, qd)
    return aba(model, q, qd, tau, f_ext) + solve(crba(model, q), (C + C.T) @ qd)     # dH/dt = C + Cᵀ


def carried(model, q, u, x):
    """The velocity (nv) that has, in the configuration x (nq), the momentum that u (nv) has in q (nq)."""
    return solve(crba(model, x), crba(model, q) @ u)


def require_variational(model, method, dynamics, prescribed):
    """Raise ValueError unless variational steps can be taken: by a tree whose qd is the rate of change of q."""
    q, _ = require_model(model).random_state(np.random.default_rng(0))
    moves = any(np.any(v != 0) for v in body_velocities(model, q, np.zeros(model.nv), t=0.3))
    why = ("it has loops" if model.loops else "time alone moves its joints" if moves else
           "dynamics is given" if dynamics is not None else "motions are prescribed" if prescribed else next(
               (f"the qd of body {i}'s joint, {model.joints[i]}, is not the rate of change of its q"
                for i in model.bodies if type(model.joints[i]).qdot is not Joint.qdot), None))
    if why is not None:
        raise ValueError(f"method is {method!r}, but {why}. Choose another method, such as 'rk4'.")
