"""Computed answers about loops, hybrid dynamics, floating bases and gears (notebooks 15 to 19, sheet RBDA 8)."""

import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch05_inverse_dynamics as dynamics
from rbdlib.book.ch04_joints import Revolute
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


def loop_equations(parent, S, qd, p, s, T):
    """Exercise 15.9."""
    n = len(parent)
    v, a, K = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((T.shape[1], n))
    for i in range(1, n):
        v[i] = v[parent[i]] + S[i] * qd[i]
        a[i] = a[parent[i]] + spatial.crm(v[i]) @ S[i] * qd[i]
    i, j = p, s
    while i != j:
        if i > j:
            K[:, i], i = -T.T @ S[i], parent[i]
        else:
            K[:, j], j = T.T @ S[j], parent[j]
    k = -T.T @ (a[s] - a[p] + spatial.crm(v[s]) @ v[p])
    return np.column_stack([K[:, 1:], k])


def _explicit(K, independent):
    """G of the independent variables."""
    n = K.shape[1]
    dependent = [j for j in range(n) if j not in independent]
    G = np.zeros((n, len(independent)))
    G[independent] = np.eye(len(independent))
    G[dependent] = -np.linalg.solve(K[:, dependent], K[:, independent])
    return G


def _repeating(rng):
    """Three equations for five unknowns and a fourth that repeats them, in any order: K and k."""
    K_k = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], rng.uniform(-1, 1, 3)]) @ rng.normal(size=(3, 6))
    K_k = rng.permutation(K_k)
    return K_k[:, :5], K_k[:, 5]


def eliminated(K, k):
    """Exercise 16.9."""
    A, rows, columns = np.column_stack([K, k]), [], []
    while True:
        left = abs(A[:, :-1])
        left[rows], left[:, columns] = 0, 0
        i, j = np.unravel_index(left.argmax(), left.shape)
        if left[i, j] < 1e-9:
            break
        A[i] = A[i] / A[i, j]
        others = [other for other in range(len(A)) if other != i]
        A[others] = A[others] - np.outer(A[others, j], A[i])
        rows, columns = [*rows, i], [*columns, j]
    free = [j for j in range(K.shape[1]) if j not in columns]
    G, g = np.zeros((K.shape[1], len(free))), np.zeros(K.shape[1])
    G[free], G[columns], g[columns] = np.eye(len(free)), -A[rows][:, free], A[rows, -1]
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


def shaped_at(motion, delay, t):
    """Exercise 17.4."""
    return (np.array(motion(t)) + np.array(motion(t - delay))) / 2


def _matrix_inputs(rng):
    H = positive(rng, 5, 5 * np.eye(5))
    two = sorted(rng.choice(5, 2, replace=False).tolist())
    one = [k for k in range(5) if k not in two]
    return H, rng.normal(size=5), one, two, rng.normal(size=3), rng.normal(size=2)


def by_blocks(H, C, one, two, tau_1, qdd_2):
    """Exercise 17.5."""
    H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
    qdd_1 = np.linalg.solve(H_11, tau_1 - C[one] - H_12 @ qdd_2)
    tau_2 = H_21 @ qdd_1 + H_22 @ qdd_2 + C[two]
    return np.concatenate([qdd_1, tau_2])


def _equation(rng):
    """The coefficients of RBDA Eq. 9.13 for some system with three joints, and tau."""
    M = positive(rng, 9, 3 * np.eye(9))
    return M[:6, :6], M[:6, 6:], M[6:, 6:], rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)


def joint_space(I_c0, F, H, C, p_c0, tau):
    """Exercise 18.3."""
    return np.linalg.solve(H - F.T @ np.linalg.solve(I_c0, F), tau - C + F.T @ np.linalg.solve(I_c0, p_c0))


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


def motor_torques(model, gears, y, yd, ydd):
    """Exercise 19.9."""
    joints = [i for i in model.bodies if i not in gears]
    motion, torque = np.zeros((3, model.N_B)), {}
    motion[:, np.array(joints) - 1] = y, yd, ydd
    for r, (i, ratio) in gears.items():
        motion[:, r - 1] = ratio * motion[:, i - 1]
    tau = dynamics.rnea(model, *motion)
    for r, (i, ratio) in gears.items():
        torque[i] = (tau[i - 1] + ratio * tau[r - 1]) / ratio
    return np.array([torque[i] for i in joints])


def _actuator_forces(G, places, tau_ID):
    return np.linalg.solve(G[places].T, G.T @ tau_ID)


def _hull_velocity(I_c0, F, qd, h):
    return np.linalg.solve(I_c0, h - F @ qd)


ANSWERS = {
    "15.7": Computed(_correction,
        inputs=lambda rng: (positive(rng, 3, np.diag([0.2, 1, 3])), *normal(rng, (2, 3), 2))),
    "15.9": Computed(loop_equations, inputs=_wired_tree),
    "16.4": Computed(_actuator_forces, inputs=lambda rng: (rng.normal(size=(5, 2)), [1, 3], rng.normal(size=5))),
    "16.9": Computed(eliminated, inputs=_repeating),
    "16.51": Computed(_explicit, inputs=lambda rng: (rng.normal(size=(2, 4)), [0, 2])),
    "17.4": Computed(shaped_at, inputs=_motion_inputs),
    "17.5": Computed(by_blocks, inputs=_matrix_inputs),
    "18.3": Computed(joint_space, inputs=_equation),
    "18.6": Computed(_hull_velocity, inputs=_tumbling),
    "19.7": Computed(_simplified, inputs=lambda rng: (rng.uniform(0.5, 2, size=10),)),
    "19.9": Computed(motor_torques, inputs=_geared)}
