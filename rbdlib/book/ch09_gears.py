"""The dynamics of trees with gears, and of the motors that drive through them (RBDA 9.6).

A `GearedTree` is a tree and its gears; `forward_dynamics` moves it by one of four methods, three of them exact.
"""

from typing import NamedTuple

import numpy as np

from rbdlib.book.ch02_spatial import free_motion
from rbdlib.book.ch03_subspaces import dimension, solve_linear
from rbdlib.book.ch04_model import external_forces
from rbdlib.book.ch05_inverse_dynamics import bias_force, rnea
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch06_inertia_matrix import crba, sparsity_pattern
from rbdlib.book.ch09_gear_trains import Gear, GearedTree, NonlinearGear, indices, require_geared
from rbdlib.book.ch09_rotors import aba_with_rotors, first_pass, quick_model
from rbdlib.numbers.scalars import matrix, vector, zeros

__all__ = [
    "METHODS", "Cluster", "Gear", "GearedEquation", "GearedTree", "NonlinearGear", "by_G", "by_embedding",
    "by_quick_model", "by_sparse_G", "clusters", "congruence", "dynamics", "equation_of_motion", "forward_dynamics",
    "gear_forces", "inverse_dynamics", "quick_model", "state",
]

# The equation of motion in y (RBDA Eq. 9.26)
#
# geared: a `GearedTree`; y: independent positions (ny); yd, ydd: velocities and accelerations (m); tau: the forces of
# all joints (nv), those of the motors at the joints they turn; f_ext, t: as for `rnea`.


class GearedEquation(NamedTuple):
    """H_G ydd + C_G = u, with H_G = GᵀHG (m x m), C_G = Gᵀ(C + H g) (m) and u = Gᵀtau (m) (RBDA Eq. 9.26)."""

    H_G: np.ndarray
    C_G: np.ndarray
    u: np.ndarray


def equation_of_motion(geared, y, yd, tau, f_ext=None, t=0.0):
    """The equation of motion of a tree with gears (RBDA Eq. 9.26): a `GearedEquation`, with nothing left out."""
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau = vector(tau, model.nv, "tau")
    H, C = crba(model, q, t), bias_force(model, q, qd, f_ext, t)
    return GearedEquation(G.T @ H @ G, G.T @ (C + H @ g), G.T @ tau)                    # (9.26)


def state(geared, y, yd):
    """q = γ(y), qd = G yd, G and g in the state y, yd."""
    G = require_geared(geared).G(y)
    return geared.gamma(y), G @ vector(yd, geared.m, "yd"), G, geared.g(y, yd)


def congruence(geared, H, y):
    """GᵀHG (m x m), without the products whose factors are zero or one for every y (RBDA Eq. 9.27).

    H: the joint-space inertia matrix of the tree (nv x nv), symmetric, with the zeros that its branches cause.
    """
    rows, pattern = require_geared(geared).rows(y), sparsity_pattern(geared.model)
    H = matrix(H, pattern.shape, "H")
    H_G = zeros((geared.m, geared.m), H, [element for row in rows for element in row.values()])
    columns = [[(i, row[a]) for i, row in enumerate(rows) if a in row] for a in range(geared.m)]
    for a in range(geared.m):
        for b in range(a + 1):
            terms = []
            for i, G_ia in columns[a]:
                for j, G_jb in columns[b]:
                    if pattern[i, j] and (a != b or j <= i):
                        term = _times(G_ia, _times(G_jb, H[i, j]))
                        terms += [term, term] if a == b and j < i else [term]
            H_G[a, b] = H_G[b, a] = sum(terms[1:], terms[0]) if terms else 0
    return H_G


def _times(factor, x):
    return x if isinstance(factor, int) and factor == 1 else factor * x


def by_G(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m), from the equation of motion with explicit G, all products formed (RBDA Eq. 9.26)."""
    H_G, C_G, u = equation_of_motion(geared, y, yd, tau, f_ext, t)
    return solve(H_G, u - C_G)


def by_sparse_G(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m), as `by_G`, where the zeros and ones of G and the zeros of H are exploited."""
    (q, qd, _, g), model = state(geared, y, yd), geared.model
    C = rnea(model, q, qd, g, f_ext, t) - vector(tau, model.nv, "tau")                  # C + H g - tau
    force, rows = zeros(geared.m, C), geared.rows(y)
    for i, row in enumerate(rows):
        for j, element in row.items():
            force[j] = force[j] - _times(element, C[i])
    return solve(congruence(geared, crba(model, q, t), y), force)


def inverse_dynamics(geared, y, yd, ydd, actuated=None, f_ext=None, t=0.0):
    """The forces that give a geared tree the accelerations ydd (RBDA 8.12, 9.6).

    Returns u = Gᵀtau (m), the forces felt at the independent variables; or, where actuated names the joints that have
    motors, as many freedoms as there are independent ones, the forces of all joints tau (nv), zero at the others.
    Raises ValueError if these motors cannot produce every motion.
    """
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau = rnea(model, q, qd, G @ vector(ydd, geared.m, "ydd") + g, f_ext, t)
    u = G.T @ tau
    if actuated is None:
        return u
    if not np.iterable(actuated) or isinstance(actuated, str):
        raise TypeError(f"actuated is {actuated!r}; give the numbers of the joints that have motors, such as [2, 4].")
    motors = [k for i in actuated for k in indices(model.v_slice(i))]
    if len(motors) != geared.m or dimension(G[motors]) != geared.m:
        raise ValueError(f"The joints {list(actuated)} have {len(motors)} freedoms, of which the gears leave "
                         f"{dimension(G[motors])} independent; the system has {geared.m}. Choose motors that can move "
                         "each of them, and no more than that.")
    tau = zeros(model.nv, u)
    tau[motors] = solve_linear(G[motors].T, u)
    return tau


def gear_forces(geared, y, yd, ydd, tau, f_ext=None, t=0.0):
    """The forces (nv) that the gears exert on the joints: tau_c = H qdd + C - tau, of which Gᵀtau_c = 0 (RBDA 3.2).

    ydd: the accelerations that tau causes, as from `forward_dynamics`.
    """
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    qdd = G @ vector(ydd, geared.m, "ydd") + g
    return rnea(model, q, qd, qdd, f_ext, t) - vector(tau, model.nv, "tau")


# Gears embedded in the articulated-body algorithm: exact, at a cost of O(N_B)


class Cluster(NamedTuple):
    """Joints that gears connect, all with the same parent: they act as one joint with several successors.

    parent: the body they are mounted on.  joints: their numbers.  columns: of yd, those that move them.
    """

    parent: int
    joints: tuple
    columns: tuple


def clusters(geared):
    """The `Cluster` objects of a geared tree, those nearer the base first.

    Raises ValueError if a gear connects joints whose bodies have different parents.
    """
    parent, root = require_geared(geared).model.parent, list(range(geared.model.N_B + 1))
    for gear in geared.gears:
        for i in gear.sources:
            if parent[i] != parent[gear.joint]:
                raise ValueError(f"The gear between joints {i} and {gear.joint} spans the bodies {parent[i]} and "
                                 f"{parent[gear.joint]}, on which they are mounted, and can be embedded only where "
                                 "they are the same. Use method='explicit'.")
            old, new = root[gear.joint], root[i]
            root = [new if r == old else r for r in root]
    groups = [[i for i in geared.model.bodies if root[i] == r] for r in dict.fromkeys(root[1:])]
    found = [Cluster(parent[group[0]], tuple(group), tuple(
        k for i in group if i in geared.in_yd for k in indices(geared.in_yd[i]))) for group in groups]
    return sorted(found, key=lambda cluster: cluster.parent)


def by_embedding(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m) by propagation: a geared group of joints is one joint (RBDA Table 7.1 with Eq. 9.26).

    The joints of a group have the motion subspaces S_j G_j, and what their parent feels of all their bodies is summed.
    Nothing is left out: the velocity products c_j come in once, as the forces I_A c_j that p_A takes up, and therefore
    (7.48) stands without I_a c, and (7.49) with the parent's acceleration alone. Raises ValueError if a gear connects
    joints whose bodies have different parents.
    """
    (q, qd, G, g), model = state(geared, y, yd), geared.model
    tau, groups = vector(tau, model.nv, "tau"), clusters(geared)
    X_up, S, c, I_A, p_A = first_pass(model, q, qd, f_ext, t)
    ydd, a = zeros(geared.m, G, p_A[1:], tau), [None] * (model.N_B + 1)
    U, D, u = ([None] * len(groups) for _ in range(3))

    for n, (parent, joints, columns) in reversed(list(enumerate(groups))):
        columns = list(columns)
        U[n], D[n], u[n] = zeros((6, len(columns)), G), zeros((len(columns),) * 2, G), zeros(len(columns), G, p_A[1:])
        for j in joints:
            at, G_j = model.v_slice(j), G[model.v_slice(j)][:, columns]
            S[j], c[j] = S[j] @ G_j, c[j] + S[j] @ g[at]
            p_A[j] = p_A[j] + I_A[j] @ c[j]             # so that (7.48) and (7.49) need no c
            U[n] = U[n] + X_up[j].T @ I_A[j] @ S[j]                                     # (7.43)
            D[n] = D[n] + S[j].T @ I_A[j] @ S[j]                                        # (7.44)
            u[n] = u[n] + G_j.T @ tau[at] - S[j].T @ p_A[j]                             # (7.45)
            if parent != 0:
                I_A[parent] = I_A[parent] + X_up[j].T @ I_A[j] @ X_up[j]                # (7.37)
                p_A[parent] = p_A[parent] + X_up[j].T @ p_A[j]                          # (7.38)
        if parent != 0:
            I_A[parent] = I_A[parent] - U[n] @ solve(D[n], U[n].T)                      # (7.47)
            p_A[parent] = p_A[parent] + U[n] @ solve(D[n], u[n])                        # (7.48)

    a[0] = free_motion(-model.gravity)

    for n, (parent, joints, columns) in enumerate(groups):
        ydd[list(columns)] = solve(D[n], u[n] - U[n].T @ a[parent])                     # (7.49)
        for j in joints:
            a[j] = X_up[j] @ a[parent] + c[j] + S[j] @ ydd[list(columns)]               # (7.46) (7.50)

    return ydd


# The quick and dirty method


def by_quick_model(geared, y, yd, tau, f_ext=None, t=0.0):
    """The accelerations ydd (m) by the quick and dirty method, from the rotors' forces scaled by their gear ratios.

    Forces on a rotor are taken to act on the body that bears it. Errors as for `quick_model`.
    """
    model, I_rot, bodies = quick_model(geared)
    y, yd = vector(y, geared.ny, "y"), vector(yd, geared.m, "yd")
    forces, number_of = external_forces(geared.model, f_ext), {i: k for k, i in enumerate(bodies, start=1)}
    f_quick = zeros((model.N_B + 1, 6), forces)
    for i in geared.model.bodies:
        k = number_of.get(i if i in number_of else geared.model.parent[i], 0)
        f_quick[k] = f_quick[k] + forces[i]
    u = geared.G(y).T @ vector(tau, geared.model.nv, "tau")
    return aba_with_rotors(model, y, yd, u, I_rot, f_quick, t)


# All methods by name

METHODS = {"explicit": by_G, "sparse": by_sparse_G, "embedded": by_embedding, "quick": by_quick_model}


def forward_dynamics(geared, y, yd, tau, f_ext=None, method="explicit", t=0.0):
    """The accelerations ydd (m) that forces tau (nv) cause in a geared tree; qdd is G ydd + g (RBDA 9.6).

    method: "explicit" (Eq. 9.26), "sparse" (the same, without products by zero and one), "embedded" (by propagation,
    for gears between joints on the same body): all exact; "quick" (Example 9.5): leaves small effects of the rotors
    out, and all gyroscopic ones. Raises ValueError or TypeError for other methods and arguments that do not fit, and
    ValueError where a method cannot deal with the gears.
    """
    return _require_method(method)(require_geared(geared), y, yd, tau, f_ext, t)


def _require_method(method):
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method is {method!r}; choose {', '.join(map(repr, METHODS))}.")
    return METHODS[method]


def dynamics(geared, method="explicit"):
    """The function(model, q, qd, tau, f_ext, t) -> qdd with which `rbdlib.motion.simulate` moves a geared tree.

    Start from q0 = geared.gamma(y0) and qd0 = geared.G(y0) @ yd0. The model that is simulated must be geared.model.
    """
    solve_for_ydd = _require_method(method)
    require_geared(geared)

    def accelerate(model, q, qd, tau, f_ext, t):
        if model is not geared.model and model != geared.model:
            raise ValueError("model is not that of the geared tree, whose dynamics these are. Simulate geared.model, "
                             "or give the changed one its own gears: dynamics(GearedTree(model, geared.gears)).")
        y, yd = geared.independent_part(q, qd)
        return geared.G(y) @ solve_for_ydd(geared, y, yd, tau, f_ext, t) + geared.g(y, yd)

    return accelerate
