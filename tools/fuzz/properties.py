"""What must agree for every mechanism: each function takes a `Case` and returns differences, 1 being the most allowed.

Differences are measured against the terms that they are made of: errors of accelerations by the forces that they cost.
"""

import numpy as np

from rbdlib import aba, bias_force, compile_for, crba, forward_dynamics, rnea
from rbdlib.book import ch08_closed_loops as closed_loops
from rbdlib.book.ch09_hybrid import hybrid_dynamics
from rbdlib.dynamics import METHODS
from rbdlib.loops import sparse_method
from rbdlib.loops.dynamics import by_loop_constraints
from rbdlib.methods.articulated_body_variants import aba_in_base
from rbdlib.methods.derivatives import rnea_derivatives

#: The most that rounding is allowed to make, as a part of the terms.
ROUNDING = 1e-10
#: For derivatives against differences.
BY_DIFFERENCES = 1e-4
#: Methods that invert the inertia of a body by itself lose the digits by which it is lighter than what it carries.
INVERTING = {"divide_and_conquer": 1e-4, "variant_1": 1e-4}


def relative(difference, *terms):
    """How large the differences (n x ...) of each state are beside the largest of its terms, in units of `ROUNDING`."""
    n = len(difference)
    size = sum(np.abs(np.asarray(x)).reshape(n, -1).max(axis=1, initial=0) for x in terms)
    worst = np.abs(difference).reshape(n, -1).max(axis=1, initial=0)
    return np.where(np.isfinite(worst), worst, np.inf) / (ROUNDING * np.where(size > 0, size, 1))


class Compiled:
    """The functions of a model, compiled when they are first asked for."""

    def __init__(self, model, backend="auto"):
        self.model, self.backend, self.made = model, backend, {}

    def __getattr__(self, name):
        function = {"rnea": rnea, "aba": aba, "crba": crba, "bias": bias_force, "derivatives": rnea_derivatives}[name]
        if name not in self.made:
            self.made[name] = compile_for(function, self.model, backend=self.backend, cache=False, progress=False)
        return self.made[name]


def moved_by(H, x):
    return np.einsum("nij,nj->ni", H, x)


def room_for(H):
    """How much more than `ROUNDING` the condition of H allows, states side by side: heavy bodies on light ones."""
    d = np.sqrt(np.einsum("nii->ni", H))
    return np.maximum(1, 1e-16 / ROUNDING * np.linalg.cond(H / (d[:, :, None] * d[:, None, :])))


def aba_undoes_rnea(case, fast):
    tau = fast.rnea(case.q, case.qd, case.qdd, f_ext=case.f_ext)
    H, found = fast.crba(case.q), fast.aba(case.q, case.qd, tau, f_ext=case.f_ext)
    bias = fast.rnea(case.q, case.qd, 0 * case.qdd, f_ext=case.f_ext)
    return relative(moved_by(H, found - case.qdd), moved_by(abs(H), abs(case.qdd)), bias, case.f_ext) / room_for(H)


def rnea_is_linear_in_accelerations(case, fast):
    H, C = fast.crba(case.q), fast.bias(case.q, case.qd)
    inertial = moved_by(H, case.qdd)
    return relative(fast.rnea(case.q, case.qd, case.qdd) - inertial - C, moved_by(abs(H), abs(case.qdd)), C)


def inertia_is_symmetric_and_positive(case, fast):
    H = fast.crba(case.q)
    energy = np.einsum("ni,nij,nj->n", case.qd, H, case.qd)
    return relative(H - H.transpose(0, 2, 1), H) + (energy < 0) * np.inf if (energy < 0).any() else relative(
        H - H.transpose(0, 2, 1), H)


def forces_turn_round(case, fast):
    """External forces enter linearly: those of a sum are the sum of those of its parts."""
    q, qd, qdd = case.q, case.qd, case.qdd
    alone, none, twice = (fast.rnea(q, qd, qdd, f_ext=k * case.f_ext) for k in (1, 0, 2))
    return relative(twice - 2 * alone + none, alone, none, case.f_ext)


def rates_of_joint_forces(case, fast):
    """The slopes of rnea by its derivatives and by differences."""
    h, model = 1e-6, case.model
    dtau_dq, dtau_dqd, H = fast.derivatives(case.q, case.qd, case.qdd)
    moved = [np.array([model.integrate(q, qd, s * h) for q, qd in zip(case.q, case.qdd, strict=True)]) for s in (1, -1)]
    ahead, behind = (fast.rnea(q, case.qd, case.qdd) for q in moved)
    at = fast.rnea(case.q, case.qd, case.qdd)
    slope = moved_by(dtau_dq, case.qdd)
    by_q = relative((ahead - behind) / (2 * h) - slope, slope, at) * ROUNDING / BY_DIFFERENCES
    ahead, behind = (fast.rnea(case.q, case.qd + s * h * case.tau, case.qdd) for s in (1, -1))
    slope = moved_by(dtau_dqd, case.tau)
    by_qd = relative((ahead - behind) / (2 * h) - slope, slope, at) * ROUNDING / BY_DIFFERENCES
    return np.maximum(np.maximum(by_q, by_qd), relative(H - fast.crba(case.q), H))


def compiled_is_readable(case, fast):
    """The compiled functions against the readable ones, state by state."""
    found = []
    for k in range(case.size):
        q, qd, qdd, f_ext = case.q[k], case.qd[k], case.qdd[k], case.f_ext[k]
        H, tau = crba(case.model, q), rnea(case.model, q, qd, qdd, f_ext)
        terms = abs(H) @ abs(qdd), tau, bias_force(case.model, q, qd), f_ext
        compiled = fast.rnea(q, qd, qdd, f_ext=f_ext), fast.crba(q), fast.aba(q, qd, tau, f_ext=f_ext)
        found.append(max(relative((compiled[0] - tau)[None], *(x[None] for x in terms)),
                         relative((compiled[1] - H)[None], H[None]),
                         relative((H @ (compiled[2] - qdd))[None], *(x[None] for x in terms)))[0])
    return np.array(found)


def methods_agree(case, fast):
    """Every method of forward dynamics by its name; those that refuse a model are passed over."""
    found = []
    for k in range(case.size):
        q, qd, tau, f_ext = case.q[k], case.qd[k], case.tau[k], case.f_ext[k]
        H, bias = crba(case.model, q), bias_force(case.model, q, qd, f_ext)
        worst = 0.0
        for name in METHODS:
            try:
                qdd = forward_dynamics(case.model, q, qd, tau, f_ext, method=name)
            except ValueError:
                continue
            terms = abs(H) @ abs(qdd) + abs(bias) + abs(tau)
            allowed = INVERTING.get(name, ROUNDING) / ROUNDING
            worst = max(worst, relative((H @ qdd + bias - tau)[None], terms[None], f_ext[None])[0] / allowed)
        found.append(worst)
    return np.array(found)


def hybrid_is_part_of_both(case, fast):
    """Some accelerations given and the other forces: all that is found fits rnea."""
    found, rng = [], np.random.default_rng(case.size)
    for k in range(case.size):
        q, qd, f_ext, model = case.q[k], case.qd[k], case.f_ext[k], case.model
        some = [int(i) for i in model.bodies if rng.random() < 0.5]
        qdd, tau = hybrid_dynamics(model, q, qd, case.qdd[k], case.tau[k], some, f_ext)
        terms = abs(crba(model, q)) @ abs(qdd) + abs(bias_force(model, q, qd, f_ext)) + abs(tau)
        found.append(relative((rnea(model, q, qd, qdd, f_ext) - tau)[None], terms[None], f_ext[None])[0])
    return np.array(found)


def in_base_coordinates(case, fast):
    found = []
    for k in range(case.size):
        q, qd, tau = case.q[k], case.qd[k], case.tau[k]
        qdd, H = aba_in_base(case.model, q, qd, tau), crba(case.model, q)
        bias = bias_force(case.model, q, qd)
        reach = max(np.abs(X[3:, :3]).max() for X in case.model.X_tree[1:]) + np.abs(q).max(initial=1)
        found.append(relative((H @ qdd + bias - tau)[None], (abs(H) @ abs(qdd) + abs(bias) + abs(tau))[None])[0]
                     / max(1, reach) ** 2)
    return np.array(found)


TREES = [aba_undoes_rnea, rnea_is_linear_in_accelerations, inertia_is_symmetric_and_positive, forces_turn_round,
         rates_of_joint_forces]
#: Of few states, since they run readable code.
FEW = [compiled_is_readable, methods_agree, hybrid_is_part_of_both, in_base_coordinates]


def loop_methods_agree(case, fast=None):
    """Each method's accelerations keep the loops closed, and what they need beyond tau is what the loops can give."""
    model, found = case.model, []
    for k in range(case.size):
        q, tau, f_ext = case.q[k], case.tau[k], case.f_ext[k]
        K, *_ = closed_loops.loop_constraints(model, q, np.zeros(model.nv))
        qd = case.qd[k] - np.linalg.pinv(K, rcond=1e-9) @ (K @ case.qd[k]) if len(K) else case.qd[k]
        K, right, _ = closed_loops.loop_constraints(model, q, qd)
        H, C = crba(model, q), bias_force(model.replace(loops=()), q, qd, f_ext)
        free = np.linalg.solve(H, tau - C)                      # without the loop: the size of all accelerations
        answers = [by_loop_constraints(model, q, qd, tau, f_ext, method=method) for method in
                   ("direct", "multipliers", "coordinates")]
        sparse = sparse_method.by_sparse_equation(model, q, qd, tau, f_ext)
        worst = 0.0
        for qdd, lam in answers:
            terms = abs(H) @ abs(qdd) + abs(C) + abs(tau) + abs(K.T) @ abs(lam)
            worst = max(worst, relative((H @ qdd + C - tau - K.T @ lam)[None], terms[None], f_ext[None])[0])
            if len(K):
                terms = abs(K) @ (abs(qdd) + abs(free)) + abs(right) + np.abs(model.gravity).max() + qd @ qd
                worst = max(worst, relative((K @ qdd - right)[None], terms[None])[0])
            terms = abs(H) @ (abs(qdd) + abs(free))
            worst = max(worst, relative((H @ (qdd - sparse.qdd))[None], terms[None], C[None])[0])
        found.append(worst)
    return np.array(found)
