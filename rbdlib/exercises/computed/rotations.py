"""Computed answers about rotations, screws and the product of exponentials (notebook 27)."""

import numpy as np

from rbdlib.book.ch02_spatial import inverse_transform, motion_exp, rx, rz
from rbdlib.exercises.computed.draws import unchanged
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


def _by_antisymmetric_part(R, angle=_angle):
    """The logarithm from the antisymmetric part alone."""
    a = _antisymmetric(R)
    return angle(R) * a / np.linalg.norm(a) if a.any() else a


def _arc_cosine(R):
    return np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))


def _by_two_formulas(R):
    """The logarithm of many textbooks: the arc cosine, and the differences divided by 2 sin theta."""
    theta = _arc_cosine(R)
    return theta / np.sin(theta) * _antisymmetric(R) if theta > 0 else np.zeros(3)


def _turns(rng):
    """A turn of some size, none, a tiny one, nearly half a turn, or half a turn."""
    u, kind = AXES[rng.integers(len(AXES))], rng.integers(6)
    if kind == 0:
        return (2 * np.outer(u, u) - np.eye(3),)
    angle = (rng.uniform(0.3, 1.5), rng.uniform(1.8, 2.9), 1e-9, np.pi - 1e-12, 0.0)[kind - 1]
    K = np.cross(np.eye(3), -u)
    return (np.eye(3) + np.sin(angle) * K + 2 * np.sin(angle / 2) ** 2 * (K @ K),)


def _jacobian(screws, q, *, step=np.matmul, matrix=unchanged):
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

ANSWERS = {
    "27.1": Computed(lambda: _single_turn(X_QUARTER @ Z_QUARTER), mistakes={
        "order": lambda: _single_turn(Z_QUARTER @ X_QUARTER),
        "inverse": lambda: _single_turn((X_QUARTER @ Z_QUARTER).T),
        "entry": lambda: [np.pi / np.sqrt(2), np.sqrt(0.5), 0, np.sqrt(0.5)],
        "factor": lambda: [2 * np.pi / 3, 1, -1, 1], "sign": dict(then=np.negative),
        "degrees": dict(then=lambda turn: [120, *turn[1:]])}),
    "27.2": Computed(lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3), mistakes={
        "factor": lambda: 2 * np.outer([1, 2, 2], [1, 2, 2]) - np.eye(3),
        "sign": lambda: np.eye(3) - 2 * np.outer([1, 2, 2], [1, 2, 2]) / 9,
        "factor 2": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.eye(3),
        "entry": lambda: np.outer([1, 2, 2], [1, 2, 2]) / 9 - np.cross(np.eye(3), [1, 2, 2]) / 3}),
    "27.3": Computed(_rotation_log, inputs=_turns, mistakes={
        "transpose": dict(R=np.transpose), "entry": _antisymmetric, "entry 2": _by_antisymmetric_part,
        "entry 3": lambda R: _by_antisymmetric_part(R, _arc_cosine), "entry 7": _by_two_formulas,
        "entry 4": lambda R: _by_antisymmetric_part(R, lambda R: np.arcsin(min(np.linalg.norm(_antisymmetric(R)), 1))),
        "entry 5": lambda R: _rotation_log(R) if _angle(R) > 1e-6 else np.zeros(3),
        "entry 6": lambda R: (_by_antisymmetric_part if _antisymmetric(R).any() else _rotation_log)(R),
        "sign": _roots_of_the_diagonal, "factor": dict(then=lambda phi: phi / (np.linalg.norm(phi) or 1)),
        "factor 2": dict(then=lambda phi: phi / 2), "degrees": dict(then=np.degrees)}),
    "27.8": Computed(_jacobian, inputs=_screws_and_q, mistakes={
        "entry": dict(step=lambda carried, A: carried), "order": dict(step=lambda carried, A: A @ carried),
        "entry 2": dict(step=lambda carried, A: A), "inverse": dict(step=lambda carried, A: carried @ np.linalg.inv(A)),
        "inverse 2": dict(step=lambda carried, A: np.linalg.inv(A) @ carried),
        "dual": dict(matrix=lambda A: np.linalg.inv(A).T), "transpose": dict(matrix=np.transpose),
        "frame": dict(matrix=lambda A: np.kron(np.eye(2), A[:3, :3])), "frame 2": _carried_by_those_beyond})}
