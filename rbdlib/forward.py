"""Forward dynamics: the accelerations that given forces cause, by every method of the texts (RBDA 6, 7, SOA, FDSV 2).

The methods themselves are in the modules named after their chapters; here they can be called by name.
"""

from rbdlib import inertia_matrix
from rbdlib.scalars import vector


def by_inverse_dynamics(model, q, qd, tau, f_ext=None, t=0.0):
    """H and C from nv + 1 calls of inverse dynamics (FDSV section 2)."""
    tau = vector(tau, model.nv, "tau")
    H, C = inertia_matrix.inertia_and_bias(model, q, qd, f_ext, t)
    return inertia_matrix.solve(H, tau - C)                             # (FDSV 6)


METHODS = {
    "inverse_dynamics": by_inverse_dynamics,
}


def forward_dynamics(model, q, qd, tau, f_ext=None, method="inverse_dynamics", t=0.0):
    """The accelerations qdd (nv) that the joint forces tau cause: the solution of H qdd = tau - C (RBDA 6.2, FDSV 6).

    q, qd, f_ext, t: as for `rnea`; tau: joint forces (nv). method: a name in `METHODS`. Raises ValueError for another
    method, or if H is singular.
    """
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; choose {', '.join(map(repr, METHODS))}.")
    return METHODS[method](model, q, qd, tau, f_ext, t)
