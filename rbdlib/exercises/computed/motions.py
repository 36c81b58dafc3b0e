"""Computed answers about rotations, tops, friction, rolling, walking, optimal motions (notebooks 27, 28, 32 to 35)."""

import numpy as np

from rbdlib.book import ch02_spatial as spatial, ch04_orientation as orientation
from rbdlib.book.ch02_spatial import rx, rz
from rbdlib.book.ch04_orientation import euler_parameters, rotation_from_euler_parameters
from rbdlib.exercises.computed.draws import inertia, normal, positive, rotational_inertia
from rbdlib.exercises.declare import Computed

#: Axes whose components are whole numbers over a whole number, so that half turns about them are symmetric exactly.
AXES = np.array([[2, -1, 2], [1, 4, 8], [-6, 2, 3], [-4, 4, 7], [0, 3, -4]]) / [[3], [9], [7], [9], [5]]


def _single_turn(R):
    """Angle and axis of a rotation by less than half a turn."""
    phi = rotation_log(R)
    return [np.linalg.norm(phi), *(phi / np.linalg.norm(phi))]


def rotation_log(R):
    """Exercise 27.3."""
    a = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = np.linalg.norm(a), (np.trace(R) - 1) / 2
    theta = np.arctan2(sine, cosine)
    if cosine > 0:
        return a if sine == 0 else theta / sine * a
    B = ((R + R.T) / 2 - cosine * np.eye(3)) / (1 - cosine)
    k = np.argmax(np.diag(B))
    u = B[k] / np.sqrt(B[k, k])
    if (a @ u if a.any() else u[u != 0][0]) < 0:
        u = -u
    return theta * u


def _turns(rng):
    """A turn of some size, none, a tiny one, nearly half a turn, or half a turn."""
    u, kind = AXES[rng.integers(len(AXES))], rng.integers(6)
    if kind == 0:
        return (2 * np.outer(u, u) - np.eye(3),)
    angle = (rng.uniform(0.3, 1.5), rng.uniform(1.8, 2.9), 1e-9, np.pi - 1e-12, 0.0)[kind - 1]
    K = np.cross(np.eye(3), -u)
    return (np.eye(3) + np.sin(angle) * K + 2 * np.sin(angle / 2) ** 2 * (K @ K),)


def space_jacobian(screws, q):
    """Exercise 27.8."""
    carried, columns = np.eye(6), []
    for s, q_i in zip(screws.T, q, strict=True):
        columns.append(carried @ s)
        carried = carried @ spatial.inverse_transform(spatial.motion_exp(s * q_i))
    return np.array(columns).T


def _screws_and_q(rng):
    """Two hinges, a slider and a helical joint in random places, in some order, and their positions."""
    screws = []
    for pitch in rng.permutation([0.0, 0.0, np.inf, 0.3]):
        u = AXES[rng.integers(len(AXES))]
        screws.append([0, 0, 0, *u] if np.isinf(pitch) else [*u, *(np.cross(rng.normal(size=3), u) + pitch * u)])
    return np.array(screws).T, rng.uniform(0.4, 1.5, size=4)


X_QUARTER, Z_QUARTER = rx(np.pi / 2).T, rz(np.pi / 2).T


def _spinning(rng):
    """A top that is upright, tilted, horizontal, or hangs, with a spin of either sign below or above the least one."""
    theta = [0, rng.uniform(0.2, 1.4), np.pi / 2, rng.uniform(1.7, 2.9), np.pi][rng.integers(5)]
    I_1, I_3, mgl = rng.uniform(1, 3), rng.uniform(0.5, 2), rng.uniform(1, 4)
    least = 2 * np.sqrt(mgl * I_1 * abs(np.cos(theta)) + 0.1) / I_3
    return I_1, I_3, mgl, theta, least * rng.choice([0.3, 0.8, 1.2, 2]) * rng.choice([-1, 1])


def _steady(I_1, I_3, mgl, theta, omega_3):
    """Exercise 28.6: the real roots of the quadratic."""
    c = np.cos(theta)
    if abs(c) < 1e-9:
        return np.array([1, mgl / (I_3 * omega_3), 0])
    found = np.roots([I_1 * c, -I_3 * omega_3, mgl])
    return np.array([2, *sorted(found.real, key=abs)]) if np.isreal(found).all() else np.zeros(3)


def _heavy(rng):
    """A body of any shape at its tip, at an instant of its motion.

    >>> from rbdlib import Model, forward_dynamics
    >>> from rbdlib.book.ch04_joints import Spherical
    >>> m, c, I_C, g, p, omega = _heavy(np.random.default_rng(1))
    >>> top = Model([0], [Spherical()], [np.eye(6)], [spatial.mcI(m, c, I_C)], gravity=(0, 0, -g))
    >>> np.allclose(top_rates(m, c, I_C, g, p, omega)[4:], forward_dynamics(top, p, omega, np.zeros(3)))
    True
    """
    p = euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5))
    return rng.uniform(1, 3), rng.normal(size=3), rotational_inertia(rng), 9.81, p, rng.normal(size=3)


def top_rates(m, c, I_C, g, p, omega):
    """Exercise 28.7."""
    E, C = orientation.rotation_from_euler_parameters(p), spatial.skew(c)
    I = I_C + m * C @ C.T
    n = np.cross(c, E @ [0, 0, -m * g])
    omega_rate = np.linalg.solve(I, n - np.cross(omega, I @ omega))
    return np.concatenate([orientation.euler_parameter_rates(p, omega), omega_rate])


def friction_lcp(H, v, N, D, phi, h, mu):
    """Exercise 32.5."""
    n = len(phi)
    T, E = np.hstack([N, D, -D]), np.vstack([np.eye(n), np.eye(n)])
    A = np.block([[T.T @ np.linalg.solve(H, T), np.vstack([np.zeros((n, n)), E])],
                  [mu * np.eye(n), -E.T, np.zeros((n, n))]])
    return np.column_stack([A, np.concatenate([N.T @ v + phi / h, D.T @ v, -D.T @ v, np.zeros(n)])])


RIM = np.diag([1.0, 0, 1])


def rolling_wheel(I, r, rho, g, E, v):
    """Exercise 33.4."""
    u, rim = -E[:, 2], np.array([1, 0, 1])
    u_rate = -np.cross(v[:3], u)
    w, w_rate = rim * u, rim * u_rate
    s = np.sqrt(w @ w)
    x = r * w / s + rho * u
    x_rate = r * (w_rate / s - w * (w @ w_rate) / s**3) + rho * u_rate
    K = np.hstack([-spatial.skew(x), np.eye(3)])
    f = I @ np.array([0, 0, 0, *(-g * E[:, 2])]) - spatial.crf(v) @ I @ v
    M = np.block([[I, K.T], [K, np.zeros((3, 3))]])
    a = np.linalg.solve(M, np.concatenate([f, -np.cross(v[:3], x_rate)]))
    return np.concatenate([a[:6], -a[6:]])


def _on_the_road(rng):
    """Inertia, rim, tyre, gravity, orientation and velocity of a wheel of any shape."""
    E = rotation_from_euler_parameters(euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5)))
    return inertia(rng), rng.uniform(0.2, 0.5), rng.uniform(0.02, 0.1), 9.81, E, rng.normal(size=6)


def zmp_of_masses(m, r, a, g):
    """Exercise 34.3."""
    lift = m * (g + a[:, 2])
    moments = lift @ r[:, :2] - (m * r[:, 2]) @ a[:, :2]
    return moments / lift.sum()


def _masses(rng):
    """m, r, a and g of four point masses that move about above the floor."""
    r = np.column_stack([rng.uniform(-0.5, 0.5, (4, 2)), rng.uniform(0.2, 1.5, 4)])
    return positive(rng, 4).diagonal(), r, rng.uniform(-2, 2, (4, 3)), 9.81


def defects(f, x, u, h):
    """Exercise 35.3."""
    F = f(x, u)
    return x[1:] - x[:-1] - h / 2 * (F[:-1] + F[1:])


def _plant_and_knots(rng):
    """A plant x' = A x + B u + sin(x) with three states and two inputs, six knots, and a step."""
    A, B, x, u = normal(rng, (3, 3), (2, 3), (6, 3), (6, 2))
    return lambda x, u: x @ A + u @ B + np.sin(x), x, u, rng.uniform(0.1, 0.3)


def defect_jacobian(A, B, h):
    """Exercise 35.4."""
    K, n, m = B.shape
    J, size = np.zeros(((K - 1) * n, K * (n + m))), n + m
    for k in range(K - 1):
        rows, here, there = slice(k * n, (k + 1) * n), k * size, (k + 1) * size
        J[rows, here : here + n] = -np.eye(n) - h / 2 * A[k]
        J[rows, here + n : here + size] = -h / 2 * B[k]
        J[rows, there : there + n] = np.eye(n) - h / 2 * A[k + 1]
        J[rows, there + n : there + size] = -h / 2 * B[k + 1]
    return J


ANSWERS = {
    "27.1": Computed(lambda: _single_turn(X_QUARTER @ Z_QUARTER), mistakes={
        "order": lambda: _single_turn(Z_QUARTER @ X_QUARTER),
        "inverse": lambda: _single_turn((X_QUARTER @ Z_QUARTER).T),
        "entry": lambda: [np.pi / np.sqrt(2), np.sqrt(0.5), 0, np.sqrt(0.5)],
        "factor": lambda: [2 * np.pi / 3, 1, -1, 1],
        "degrees": lambda: [120, *_single_turn(X_QUARTER @ Z_QUARTER)[1:]]}),
    "27.2": Computed(lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3), mistakes={
        "factor": lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) - np.eye(3),
        "sign": lambda: np.eye(3) - 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9,
        "factor 2": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3),
        "entry": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.cross(np.eye(3), [1, 2, 2]) / 3}),
    "27.3": Computed(rotation_log, inputs=_turns),
    "27.8": Computed(space_jacobian, inputs=_screws_and_q),
    "28.6": Computed(_steady, inputs=_spinning),
    "28.7": Computed(top_rates, inputs=_heavy),
    "32.5": Computed(friction_lcp, inputs=lambda rng: (
        positive(rng, 4), *normal(rng, 4, (4, 2), (4, 2)), rng.uniform(0.001, 0.02, 2), 0.01, rng.uniform(0.2, 0.9))),
    "33.4": Computed(rolling_wheel, inputs=_on_the_road),
    "34.3": Computed(zmp_of_masses, inputs=_masses),
    "35.3": Computed(defects, inputs=_plant_and_knots),
    "35.4": Computed(defect_jacobian, inputs=lambda rng: (*normal(rng, (4, 3, 3), (4, 3, 2)), rng.uniform(0.1, 0.3)))}
