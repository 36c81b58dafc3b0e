"""Computed answers about redundant arms: a step of inverse kinematics and an impedance (notebook 31)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _five_joints(rng):
    """Arguments of exercise 31.6: an arm of five joints whose tip has three coordinates."""
    return rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=5), positive(rng, 5), rng.uniform(0.3, 0.6)


def _damped(J, W, square):
    W_inv_Jt = np.linalg.solve(W, J.T)
    return W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + square * np.eye(len(J)))


def joint_step(J, e, z, W, d, *, inverse=lambda J, W, d: _damped(J, W, d**2),
               combine=lambda G, J, e, z: G @ e + z - G @ (J @ z)):
    """Exercise 31.6: a damped step of inverse kinematics, with a second task in the null space."""
    return combine(inverse(J, W, d), J, e, z)


def _pushed_arm(rng):
    """Arguments of exercise 31.8: H, C, J, J-dot qd, e, qd, K, D and tau_0 of an arm as in 31.6."""
    H, K, D = (positive(rng, n) for n in (5, 3, 3))
    return (H, rng.normal(size=5), rng.normal(size=(3, 5)), *rng.normal(size=(2, 3)), rng.normal(size=5), K, D,
            rng.normal(size=5))


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0, *, bias=lambda C, J, J_bar: C, down=lambda J, J_bar: J.T,
                     spring=lambda K, e: K @ e, damper=-1, velocity=lambda Lambda, J_dot_qd: -Lambda @ J_dot_qd,
                     weight=lambda H: H, project=lambda J, J_bar, tau_0: tau_0 - J.T @ (J_bar.T @ tau_0)):
    """Exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    W_inv_Jt = np.linalg.solve(weight(H), J.T)
    Lambda = np.linalg.inv(J @ W_inv_Jt)
    J_bar = W_inv_Jt @ Lambda
    F = spring(K, e) + damper * D @ (J @ qd) + velocity(Lambda, J_dot_qd)
    return bias(C, J, J_bar) + down(J, J_bar) @ F + project(J, J_bar, tau_0)


ANSWERS = {
    "31.6": Computed(joint_step, inputs=_five_joints, mistakes={
        "entry": dict(combine=lambda G, J, e, z: G @ e + z), "entry 2": dict(combine=lambda G, J, e, z: G @ e),
        "transpose": dict(combine=lambda G, J, e, z: G @ e + z - J.T @ (G.T @ z)),
        "sign": dict(combine=lambda G, J, e, z: G @ e + z + G @ (J @ z)),
        "sign 2": dict(combine=lambda G, J, e, z: -G @ e + z - G @ (J @ z)),
        "dual": dict(combine=lambda G, J, e, z: J.T @ e + z - G @ (J @ z)),
        "square": dict(inverse=lambda J, W, d: _damped(J, W, d)),
        "entry 3": dict(inverse=lambda J, W, d: _damped(J, W, 0)),
        "weight": dict(inverse=lambda J, W, d: _damped(J, np.eye(len(W)), d**2)),
        "inverse": dict(inverse=lambda J, W, d: _damped(J, np.linalg.inv(W), d**2)),
        "entry 4": lambda J, e, z, W, d: _damped(J, W, d**2) @ e + z - _damped(J, W, 0) @ (J @ z)}),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm, mistakes={
        "entry": dict(project=lambda J, J_bar, tau_0: tau_0), "entry 2": dict(project=lambda J, J_bar, tau_0: 0),
        "transpose": dict(project=lambda J, J_bar, tau_0: tau_0 - J_bar @ (J @ tau_0)),
        "kinematic": dict(project=lambda J, J_bar, tau_0: tau_0 - np.linalg.pinv(J) @ (J @ tau_0)),
        "weight": dict(weight=lambda H: np.eye(len(H))), "inverse": dict(weight=np.linalg.inv),
        "bias": dict(bias=lambda C, J, J_bar: 0), "bias 2": dict(bias=lambda C, J, J_bar: J.T @ (J_bar.T @ C)),
        "term": dict(velocity=lambda Lambda, J_dot_qd: 0),
        "sign": dict(velocity=lambda Lambda, J_dot_qd: Lambda @ J_dot_qd),
        "inertia": dict(velocity=lambda Lambda, J_dot_qd: -J_dot_qd), "sign 2": dict(damper=1),
        "sign 3": dict(spring=lambda K, e: -K @ e), "entry 3": dict(damper=0),
        "dual": dict(down=lambda J, J_bar: J_bar), "dual 2": dict(down=lambda J, J_bar: np.linalg.pinv(J))})}
