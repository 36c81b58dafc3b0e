"""Computed answers about loops, hybrid dynamics, floating bases and gears (notebooks 15 to 19, sheet RBDA 8)."""

import numpy as np

from rbdlib.book.ch02_spatial import crm
from rbdlib.book.ch04_joints import Revolute
from rbdlib.book.ch04_model import path_to_base
from rbdlib.book.ch05_inverse_dynamics import rnea
from rbdlib.exercises.computed.draws import normal, positive, tree
from rbdlib.exercises.declare import Computed


def _correction(H, K, delta):
    return -np.linalg.solve(H, K.T @ np.linalg.solve(K @ np.linalg.solve(H, K.T), delta))


def _wired_tree(rng):
    """A chain of six bodies or a tree, its axes and rates in base coordinates, and a loop joint."""
    spread = rng.choice([0, 2, 6])
    parent = [0, *(int(rng.integers(max(0, i - spread), i + 1)) for i in range(6))]
    p, s = rng.choice(7, 2, replace=False).tolist()
    return parent, rng.normal(size=(7, 6)), rng.normal(size=7), p, s, rng.normal(size=(6, 2))


def _loop_equations(parent, S, qd, p, s, T, *, to_p=-1, to_s=1, reach="apart", carried=1, product=1, sign=-1,
                    cross=crm):
    """Exercise 15.9: RBDA Table 8.4."""
    N = len(parent) - 1
    K, v, a_vp = np.zeros((T.shape[1], N + 1)), np.zeros((N + 1, 6)), np.zeros((N + 1, 6))
    for i in range(1, N + 1):
        v[i] = v[parent[i]] + S[i] * qd[i]
        a_vp[i] = a_vp[parent[i]] + carried * cross(v[i]) @ S[i] * qd[i]
    to_base = {"apart": lambda i, other: set(path_to_base(parent, i)) - set(path_to_base(parent, other)),
               "whole": lambda i, other: path_to_base(parent, i), "last": lambda i, other: [i] if i else []}[reach]
    for end, other, epsilon in ((p, s, to_p), (s, p, to_s)):
        for j in to_base(end, other):
            K[:, j] = epsilon * T.T @ S[j]
    return np.column_stack([K[:, 1:], sign * T.T @ (a_vp[s] - a_vp[p] + product * crm(v[s]) @ v[p])])


def _explicit(K, independent, *, sign=1):
    """G of the independent variables; sign=-1 takes the others with the opposite sign."""
    n = K.shape[1]
    dependent = [j for j in range(n) if j not in independent]
    G = np.zeros((n, len(independent)))
    G[independent] = np.eye(len(independent))
    G[dependent] = -sign * np.linalg.solve(K[:, dependent], K[:, independent])
    return G


def _repeating(rng):
    """Three equations for five unknowns and a fourth that repeats them, in any order: K and k."""
    K_k = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], rng.uniform(-1, 1, 3)]) @ rng.normal(size=(3, 6))
    K_k = rng.permutation(K_k)
    return K_k[:, :5], K_k[:, 5]


def _eliminated(K, k, *, sign=-1, size=abs, whole=True, by_variable=True, in_order=True):
    """Exercise 16.9: elimination with complete pivoting."""
    A, rows, columns = np.column_stack([K, k]), [], []
    while len(rows) < 3:
        left = size(A[:, :-1])
        left[rows], left[:, columns] = -np.inf, -np.inf
        if not whole:                                   # the first column that is left
            left[:, [j for j in range(5) if j != len(columns)]] = -np.inf
        i, j = np.unravel_index(left.argmax(), left.shape)
        A[i] = A[i] / A[i, j]
        others = [other for other in range(len(A)) if other != i]
        A[others] = A[others] - np.outer(A[others, j], A[i])
        rows, columns = [*rows, i], [*columns, j]
    free = [j for j in range(5) if j not in columns]
    G, places = np.zeros((5, 2)), [*columns, *free] if by_variable else range(5)
    G[places] = np.vstack([sign * A[rows][:, free], np.eye(2)])
    g = np.zeros(5)
    g[places[:3]] = A[rows, -1] if in_order else A[:3, -1]
    return np.column_stack([G, g])


def _motion(t):
    """Some motion that stands at 1 for t < 0 and starts with a jump: its position, velocity and acceleration."""
    if t < 0:
        return 1.0, 0.0, 0.0
    return 1 + 0.7 * t**2 + 0.5 * t**3, 1.4 * t + 1.5 * t**2, 1.4 + 3 * t


def _motion_inputs(rng):
    """A delay, and a time as likely before it as after it."""
    delay = rng.uniform(0.4, 0.9)
    return _motion, delay, delay * rng.uniform(0.1, 1.9)


def _combined(motion, delay, t, *, now=0.5, ago=0.5):
    """Exercise 17.4: the motion now and then, each times a factor."""
    return now * np.array(motion(t)) + ago * np.array(motion(t - delay))


def _matrix_inputs(rng):
    H = positive(rng, 5, 5 * np.eye(5))
    two = sorted(rng.choice(5, 2, replace=False).tolist())
    one = [k for k in range(5) if k not in two]
    return H, rng.normal(size=5), one, two, rng.normal(size=3), rng.normal(size=2)


def _blocks(H, C, one, two, tau_1, qdd_2, *, coupling=1, own=1, bias=1):
    """The two rows of RBDA 9.2, with factors by which single terms can be left out."""
    H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
    qdd_1 = np.linalg.solve(H_11, tau_1 - bias * C[one] - coupling * H_12 @ qdd_2)
    return np.concatenate([qdd_1, H_21 @ qdd_1 + own * H_22 @ qdd_2 + C[two]])


def _equation(rng):
    """The coefficients of RBDA Eq. 9.13 for some system with three joints, and tau."""
    M = positive(rng, 9, 3 * np.eye(9))
    return M[:6, :6], M[:6, 6:], M[6:, 6:], rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)


def _joint_space(I_c0, F, H, C, p_c0, tau, *, base=-1):
    """Exercise 18.3, with the factor of what the base adds to H."""
    added, forces = base * F.T @ np.linalg.solve(I_c0, F), F.T @ np.linalg.solve(I_c0, p_c0)
    return np.linalg.solve(H + added, tau - C + forces)


def _tumbling(rng):
    I_c0, F, _, _, _, qd = _equation(rng)
    return I_c0, F, qd, rng.normal(size=6)


def _simplified(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx - I_yy, I_xy, 0, I_xz, I_yz, I_zz]


def _geared(rng):
    """Three links in a chain, each with a rotor on its parent, in any order: the model, the gears, y, yd and ydd."""
    numbers = rng.permutation([4, 5, 6]).tolist()
    axes = [Revolute(axis) for axis in rng.permutation(list("xyz"))]
    parent, joints = [0, 1, 2, 0, 0, 0], [*axes, *axes]
    for i, r in enumerate(numbers, start=1):
        parent[r - 1], joints[r - 1] = i - 1, axes[i - 1]
    model = tree(rng, joints, [parent])
    gears = {r: (i, float(rng.choice([-1, 1]) * rng.uniform(3, 6))) for i, r in enumerate(numbers, start=1)}
    return model, dict(sorted(gears.items())), *rng.normal(size=(3, 3))


def _motor_torques(model, gears, y, yd, ydd, *, asked=lambda tau_i, tau_r, ratio: (tau_i + ratio * tau_r) / ratio,
                   spin=1, acceleration=1, turned=lambda ratio: ratio, in_order=True):
    """Exercise 19.9. asked gives a motor's torque from those of its joint and its rotor in the tree."""
    joints = [i for i in model.bodies if i not in gears]
    motion = np.zeros((3, model.N_B))
    motion[:, np.array(joints) - 1] = y, yd, ydd
    for r, (i, ratio) in gears.items():
        motion[:, r - 1] = turned(ratio) * motion[:, i - 1] * [1, spin, acceleration]
    tau = rnea(model, *motion)
    torque = {i: asked(tau[i - 1], tau[r - 1], ratio) for r, (i, ratio) in gears.items()}
    return np.array([torque[i] for i in (joints if in_order else torque)])


def _actuator_forces(G, places, tau_ID):
    return np.linalg.solve(G[places].T, G.T @ tau_ID)


def _hull_velocity(I_c0, F, qd, h):
    return np.linalg.solve(I_c0, h - F @ qd)


ANSWERS = {
    "15.7": Computed(
        _correction, inputs=lambda rng: (positive(rng, 3, np.diag([0.2, 1, 3])), *normal(rng, (2, 3), 2)),
        mistakes={"dual": lambda H, K, delta: -K.T @ np.linalg.solve(K @ np.linalg.solve(H, K.T), delta)}),
    "15.9": Computed(_loop_equations, inputs=_wired_tree),
    "16.4": Computed(
        _actuator_forces, inputs=lambda rng: (rng.normal(size=(5, 2)), [1, 3], rng.normal(size=5)), mistakes={
            "entry": lambda G, places, tau_ID: tau_ID[places],
            "transpose": lambda G, places, tau_ID: np.linalg.solve(G[places], G.T @ tau_ID),
            "entry 2": lambda G, places, tau_ID: G.T @ tau_ID}),
    "16.9": Computed(_eliminated, inputs=_repeating, mistakes={
        "factor": dict(size=lambda A: A.copy()),
        "entry 2": lambda K, k: np.column_stack([np.linalg.svd(K)[2][3:].T, np.linalg.pinv(K) @ k])}),
    "16.51": Computed(_explicit, inputs=lambda rng: (rng.normal(size=(2, 4)), [0, 2]), mistakes={
        "entry": lambda K, independent: np.delete(_explicit(K, independent), independent, axis=0),
        "entry 2": lambda K, independent: np.linalg.svd(K)[2][len(K):].T}),
    "17.4": Computed(_combined, inputs=_motion_inputs, mistakes={
        "entry 3": lambda motion, delay, t: _combined(motion, delay, t, ago=0.5 if t >= delay else 0),
        "entry 4": dict(motion=lambda motion: lambda t: motion(max(t, 0)))}),
    "17.5": Computed(_blocks, inputs=_matrix_inputs, mistakes={"sign": dict(then=lambda x: x * [1, 1, 1, -1, -1])}),
    "18.3": Computed(_joint_space, inputs=_equation),
    "18.6": Computed(_hull_velocity, inputs=_tumbling),
    "19.7": Computed(_simplified, inputs=lambda rng: (rng.uniform(0.5, 2, size=10),), mistakes={
        "entry": lambda p: [0, *p[1:3], 0, *p[4:6], 0, *p[7:]], "entry 2": lambda p: [0, *p[1:]],
        "swapped": lambda p: [0, *p[1:3], 0, *p[4:6], p[6] - p[4], *p[7:9], 0],
        "inverse": lambda p: [p[0], 0, 0, p[3], p[6], 0, p[6], 0, 0, 0]}),
    "19.9": Computed(_motor_torques, inputs=_geared, mistakes={
        "entry": dict(asked=lambda tau_i, tau_r, ratio: tau_r),
        "entry 2": dict(asked=lambda tau_i, tau_r, ratio: tau_i / ratio),
        "factor": dict(asked=lambda tau_i, tau_r, ratio: tau_i + ratio * tau_r),
        "inverse": dict(asked=lambda tau_i, tau_r, ratio: (tau_i + ratio * tau_r) * ratio),
        "factor 2": dict(asked=lambda tau_i, tau_r, ratio: (tau_i + tau_r) / ratio),
        "inverse 2": dict(turned=lambda ratio: 1 / ratio)})}
