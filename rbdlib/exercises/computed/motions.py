"""Computed answers about rotations, tops, friction, rolling, walking, optimal motions (notebooks 27, 28, 32 to 35)."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, inverse_transform, motion_exp, rx, rz, skew
from rbdlib.book.ch04_orientation import euler_parameter_rates, euler_parameters, rotation_from_euler_parameters
from rbdlib.exercises.computed.draws import inertia, normal, positive, rotational_inertia, unchanged
from rbdlib.exercises.declare import Computed
from rbdlib.numbers.orientation import euler_parameters_from_rotation

#: Axes whose components are whole numbers over a whole number, so that half turns about them are symmetric exactly.
AXES = np.array([[2, -1, 2], [1, 4, 8], [-6, 2, 3], [-4, 4, 7], [0, 3, -4]]) / [[3], [9], [7], [9], [5]]


def _single_turn(R):
    """Angle and axis of a rotation by less than half a turn."""
    phi = _rotation_log(R)
    return [np.linalg.norm(phi), *(phi / np.linalg.norm(phi))]


def _antisymmetric(R):
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


def _angle(R):
    return np.arctan2(np.linalg.norm(_antisymmetric(R)), (np.trace(R) - 1) / 2)


def _rotation_log(R):
    """The rotation vector, in whose direction the antisymmetric part points, however small it is."""
    a, p = _antisymmetric(R), euler_parameters_from_rotation(R.T)[1:]
    return _angle(R) * (np.sign(a @ p) or 1) * p / np.linalg.norm(p) if p.any() else a


def _roots_of_the_diagonal(R):
    """The logarithm with an axis beyond 90 degrees whose components are all positive."""
    u = np.sqrt(np.maximum(np.diag(R) + 1, 0) / 2)
    return _rotation_log(R) if np.trace(R) > 1 else _angle(R) * u / np.linalg.norm(u)


def _by_antisymmetric_part(R, angle=np.arctan2):
    """The logarithm from the antisymmetric part alone. angle: what it is of its sine and cosine."""
    a = _antisymmetric(R)
    sine = np.linalg.norm(a)
    return angle(sine, (np.trace(R) - 1) / 2) * a / sine if a.any() else a


def _by_two_formulas(R):
    """The logarithm of many textbooks: the arc cosine, and the differences divided by 2 sin theta."""
    theta = np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))
    return theta / np.sin(theta) * _antisymmetric(R) if theta > 0 else np.zeros(3)


def _turns(rng):
    """A turn of some size, none, a tiny one, nearly half a turn, or half a turn."""
    u, kind = AXES[rng.integers(len(AXES))], rng.integers(6)
    if kind == 0:
        return (2 * np.outer(u, u) - np.eye(3),)
    angle = (rng.uniform(0.3, 1.5), rng.uniform(1.8, 2.9), 1e-9, np.pi - 1e-12, 0.0)[kind - 1]
    K = np.cross(np.eye(3), -u)
    return (np.eye(3) + np.sin(angle) * K + 2 * np.sin(angle / 2) ** 2 * (K @ K),)


def _space_jacobian(screws, q, *, step=np.matmul, matrix=unchanged):
    """The space Jacobian, with the motion transform of each joint and how they are put together left open."""
    carried, columns = np.eye(6), []
    for s, q_i in zip(screws.T, q, strict=True):
        columns.append(matrix(carried) @ s)
        carried = step(carried, inverse_transform(motion_exp(q_i * s)))
    return np.array(columns).T


def _carried_by_those_beyond(screws, q):
    """Each screw as seen from the last body, displaced by the joints after its own."""
    X, columns = np.eye(6), []
    for s, q_i in zip(screws.T[::-1], q[::-1], strict=True):
        columns.insert(0, X @ s)
        X = X @ motion_exp(q_i * s)
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


def _steady(I_1, I_3, mgl, theta, omega_3, *, leading=lambda I_1, I_3, cosine: I_1 * cosine, level=1e-9, order=abs,
            exists=lambda roots: np.isreal(roots).all(), above=-1, roots=np.roots):
    """Exercise 28.6: the real roots of the quadratic."""
    c = np.cos(theta)
    a, b, d = leading(I_1, I_3, c), -I_3 * omega_3, mgl
    if abs(c) < level:
        return np.array([1, -d / b, 0])
    found = roots([a, b, d])
    return np.array([2, *sorted(found.real, key=order)]) if exists(found) and c > above - 1e-9 else np.zeros(3)


def _for_fast_spin(coefficients):
    """The two rates of a top that spins very fast."""
    a, b, d = coefficients
    return np.array([-d / b, -b / a])


def _by_formula(coefficients):
    """The roots in the order of the formula, the one with the minus first."""
    a, b, d = coefficients
    root = np.emath.sqrt(b * b - 4 * a * d)
    return np.array([-b - root, -b + root]) / (2 * a)


def _heavy(rng):
    """A body of any shape at its tip, at an instant of its motion."""
    p = euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5))
    return rng.uniform(1, 3), rng.normal(size=3), rotational_inertia(rng), 9.81, p, rng.normal(size=3)


def _rates(m, c, I_C, g, p, omega, *, steiner=1, spun=lambda I, I_C: I, sign=-1, down=unchanged,
           turning=lambda E, p, w: euler_parameter_rates(p, w)):
    """Exercise 28.7: the rates of a heavy top.

    >>> from rbdlib import Model, forward_dynamics
    >>> from rbdlib.book.ch02_spatial import mcI
    >>> from rbdlib.book.ch04_joints import Spherical
    >>> m, c, I_C, g, p, omega = _heavy(np.random.default_rng(1))
    >>> top = Model([0], [Spherical()], [np.eye(6)], [mcI(m, c, I_C)], gravity=(0, 0, -g))
    >>> np.allclose(_rates(m, c, I_C, g, p, omega)[4:], forward_dynamics(top, p, omega, np.zeros(3)))
    True
    """
    E, I = rotation_from_euler_parameters(p), I_C + steiner * m * skew(c) @ skew(c).T
    n = skew(c) @ down(E) @ [0, 0, -m * g]
    spin = sign * skew(omega) @ spun(I, I_C) @ omega
    return np.concatenate([turning(E, p, omega), np.linalg.solve(I, n + spin)])


def _lcp(H, v, N, D, phi, h, mu, *, back=-1, sliding=1, limit=1):
    """Exercise 32.5: the problem of Stewart and Trinkle in a plane."""
    n = len(phi)
    T, E = np.hstack([N, D, back * D]), np.vstack([np.eye(n), np.eye(n)])
    A = np.zeros((4 * n, 4 * n))
    A[: 3 * n, : 3 * n] = T.T @ np.linalg.solve(H, T)
    A[n : 3 * n, 3 * n :] = sliding * E
    A[3 * n :, :n], A[3 * n :, n : 3 * n] = limit * mu * np.eye(n), -limit * E.T
    a = np.concatenate([T.T @ v, np.zeros(n)])
    a[:n] += phi / h
    return np.column_stack([A, a])


RIM = np.diag([1.0, 0, 1])


def _wheel(I, r, rho, g, E, v, *, row=-1, k=-1, travel=1, length=1, bias=1, up=lambda E: E[:, 2], force=-1):
    """Exercise 33.4: a wheel with a tyre that rolls."""
    u = -E[:, 2]
    u_rate = -skew(v[:3]) @ u
    w, w_rate = RIM @ u, RIM @ u_rate
    s = np.sqrt(w @ w)
    x = r * w / s + rho * u
    x_rate = r * (w_rate / s - length * w * (w @ w_rate) / s**3) + travel * rho * u_rate
    M = np.zeros((9, 9))
    M[:6, :6], M[6:, :6] = I, np.hstack([row * skew(x), np.eye(3)])
    M[:6, 6:] = M[6:, :6].T
    f = I @ [0, 0, 0, *(-g * up(E))] - bias * crf(v) @ I @ v
    a = np.linalg.solve(M, np.concatenate([f, k * skew(v[:3]) @ x_rate]))
    return np.concatenate([a[:6], force * a[6:]])


def _on_the_road(rng):
    """Inertia, rim, tyre, gravity, orientation and velocity of a wheel of any shape."""
    E = rotation_from_euler_parameters(euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5)))
    return inertia(rng), rng.uniform(0.2, 0.5), rng.uniform(0.02, 0.1), 9.81, E, rng.normal(size=6)


def _zmp(m, r, a, g, *, centre=False, weight=False, weighed=True):
    """Exercise 34.3: where the floor is pushed, without a moment along it."""
    lift = m * (g + a[:, 2])
    height = r[:, 2] - (m @ r[:, 2] / m.sum() if centre else 0)
    moments = lift @ r[:, :2] - (m * height) @ a[:, :2]
    return moments / (m.sum() * g if weight else lift.sum() if weighed else 1)


def _masses(rng):
    """m, r, a and g of four point masses that move about above the floor."""
    r = np.column_stack([rng.uniform(-0.5, 0.5, (4, 2)), rng.uniform(0.2, 1.5, 4)])
    return positive(rng, 4).diagonal(), r, rng.uniform(-2, 2, (4, 3)), 9.81


def _defects(f, x, u, h, *, weights=(0.5, 0.5), sign=-1, change=lambda x: x[1:] - x[:-1]):
    """Exercise 35.3: the defects of the trapezoidal rule. weights: of what f is at the beginning and the end."""
    F = f(x, u)
    return change(x) + sign * h * (weights[0] * F[:-1] + weights[1] * F[1:])


def _plant_and_knots(rng):
    """A plant x' = A x + B u + sin(x) with three states and two inputs, six knots, and a step."""
    A, B, x, u = normal(rng, (3, 3), (2, 3), (6, 3), (6, 2))
    return lambda x, u: x @ A + u @ B + np.sin(x), x, u, rng.uniform(0.1, 0.3)


def _jacobian(A, B, h, *, one=1, second=lambda k: k + 1, later=1, order=0):
    """Exercise 35.4: the Jacobian of the defects.

    one: the factor of the unit matrices; second: the knot whose A and B stand in the right-hand blocks; order: 1 for
    all states before all inputs.
    """
    K, n, m = B.shape
    J = np.zeros((K - 1, n, K, n + m))
    for k in range(K - 1):
        for at, s, side, share in ((k, k, -1, -h / 2), (k + 1, second(k), 1, -later * h / 2)):
            J[k, :, at, :n] = side * one * np.eye(n) + share * A[s]
            J[k, :, at, n:] = share * B[s]
    if order:
        J = np.concatenate([J[..., :n].reshape((K - 1) * n, -1), J[..., n:].reshape((K - 1) * n, -1)], axis=1)
    return J.reshape((K - 1) * n, K * (n + m))


ANSWERS = {
    "27.1": Computed(lambda: _single_turn(X_QUARTER @ Z_QUARTER), mistakes={
        "order": lambda: _single_turn(Z_QUARTER @ X_QUARTER),
        "inverse": lambda: _single_turn((X_QUARTER @ Z_QUARTER).T),
        "entry": lambda: [np.pi / np.sqrt(2), np.sqrt(0.5), 0, np.sqrt(0.5)],
        "factor": lambda: [2 * np.pi / 3, 1, -1, 1], "degrees": dict(then=lambda turn: [120, *turn[1:]])}),
    "27.2": Computed(lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3), mistakes={
        "factor": lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) - np.eye(3),
        "sign": lambda: np.eye(3) - 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9,
        "factor 2": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3),
        "entry": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.cross(np.eye(3), [1, 2, 2]) / 3}),
    "27.3": Computed(_rotation_log, inputs=_turns, mistakes={
        "entry": _antisymmetric, "entry 2": _by_antisymmetric_part,
        "entry 3": lambda R: _by_antisymmetric_part(R, lambda sine, cosine: np.arccos(np.clip(cosine, -1, 1))),
        "entry 7": _by_two_formulas,
        "entry 4": lambda R: _by_antisymmetric_part(R, lambda sine, cosine: np.arcsin(np.clip(sine, -1, 1))),
        "entry 5": lambda R: _rotation_log(R) if _angle(R) > 1e-6 else np.zeros(3),
        "entry 6": lambda R: (_by_antisymmetric_part if _antisymmetric(R).any() else _rotation_log)(R),
        "sign": _roots_of_the_diagonal, "factor": dict(then=lambda phi: phi / (np.linalg.norm(phi) or 1))}),
    "27.8": Computed(_space_jacobian, inputs=_screws_and_q, mistakes={
        "entry": dict(step=lambda carried, A: carried), "order": dict(step=lambda carried, A: A @ carried),
        "entry 2": dict(step=lambda carried, A: A), "inverse": dict(step=lambda carried, A: carried @ np.linalg.inv(A)),
        "inverse 2": dict(step=lambda carried, A: np.linalg.inv(A) @ carried),
        "dual": dict(matrix=lambda A: np.linalg.inv(A).T),
        "frame": dict(matrix=lambda A: np.kron(np.eye(2), A[:3, :3])), "frame 2": _carried_by_those_beyond}),
    "28.6": Computed(_steady, inputs=_spinning, mistakes={
        "entry": dict(leading=lambda I_1, I_3, cosine: (I_1 - I_3) * cosine),
        "frame": dict(theta=lambda theta: np.pi / 2 - theta), "order": dict(order=float),
        "order 2": dict(order=lambda x: -abs(x)), "order 3": dict(roots=_by_formula, order=lambda x: 0),
        "entry 3": dict(exists=lambda roots: True), "factor": dict(roots=_for_fast_spin),
        "entry 4": dict(leading=lambda I_1, I_3, cosine: I_1)}),
    "28.7": Computed(_rates, inputs=_heavy, mistakes={
        "inertia 2": dict(spun=lambda I, I_C: I_C),
        "frame 2": dict(turning=lambda E, p, w: euler_parameter_rates(p, E.T @ w)),
        "frame 3": dict(turning=lambda E, p, w: -euler_parameter_rates(p * [1, -1, -1, -1], w) * [1, -1, -1, -1]),
        "factor": dict(turning=lambda E, p, w: 2 * euler_parameter_rates(p, w))}),
    "32.5": Computed(_lcp, inputs=lambda rng: (
        positive(rng, 4), *normal(rng, 4, (4, 2), (4, 2)), rng.uniform(0.001, 0.02, 2), 0.01, rng.uniform(0.2, 0.9))),
    "33.4": Computed(_wheel, inputs=_on_the_road, mistakes={"frame": dict(up=lambda E: np.eye(3)[2])}),
    "34.3": Computed(_zmp, inputs=_masses, mistakes={
        "term 2": dict(a=lambda a: a * [1, 1, 0]), "term 3": dict(a=lambda a: a * [0, 0, 1]),
        "sign": dict(a=lambda a: a * [-1, -1, 1]), "axes": dict(then=lambda p: p[::-1] * [-1, 1])}),
    "35.3": Computed(_defects, inputs=_plant_and_knots, mistakes={
        "knot": dict(u=lambda u: np.roll(u, -1, axis=0)), "knot 2": dict(change=lambda x: x[:-1]),
        "term": dict(sign=1, change=lambda x: 0)}),
    "35.4": Computed(
        _jacobian, inputs=lambda rng: (*normal(rng, (4, 3, 3), (4, 3, 2)), rng.uniform(0.1, 0.3)), mistakes={
            "knot": dict(second=lambda k: k), "transpose": dict(A=lambda A: A.swapaxes(1, 2))})}
