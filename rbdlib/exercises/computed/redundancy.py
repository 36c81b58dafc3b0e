"""Computed answers about redundant arms: a step of inverse kinematics and an impedance (notebook 31)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _five_joints(rng):
    """Arguments of exercise 31.6: an arm of five joints whose tip has three coordinates."""
    return rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=5), positive(rng, 5), rng.uniform(0.3, 0.6)


def joint_step(J, e, z, W, d):
    """Of exercise 31.6: a damped step of inverse kinematics, with a second task in the null space."""
    W_inv_Jt = np.linalg.solve(W, J.T)
    G = W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + d**2 * np.eye(len(J)))
    return G @ e + z - G @ (J @ z)


def _step(inverse=lambda J, W, d: _damped(J, W, d**2), combine=lambda G, J, e, z: G @ e + z - G @ (J @ z)):
    """`joint_step` with another inverse of J, or with another use of it."""
    return lambda J, e, z, W, d: combine(inverse(J, W, d), J, e, z)


def _damped(J, W, square):
    W_inv_Jt = np.linalg.solve(W, J.T)
    return W_inv_Jt @ np.linalg.inv(J @ W_inv_Jt + square * np.eye(len(J)))


def _pushed_arm(rng):
    """Arguments of exercise 31.8: H, C, J, J-dot qd, e, qd, K, D and tau_0 of an arm as in 31.6."""
    H, K, D = (positive(rng, n) for n in (5, 3, 3))
    return (H, rng.normal(size=5), rng.normal(size=(3, 5)), *rng.normal(size=(2, 3)), rng.normal(size=5), K, D,
            rng.normal(size=5))


def impedance_torque(H, C, J, J_dot_qd, e, qd, K, D, tau_0):
    """Of exercise 31.8: a spring K and a damper D at the tip, and tau_0 where the tip does not feel it."""
    H_inv_Jt = np.linalg.solve(H, J.T)
    Lambda = np.linalg.inv(J @ H_inv_Jt)
    J_bar = H_inv_Jt @ Lambda
    F = K @ e - D @ (J @ qd) - Lambda @ J_dot_qd
    return C + J.T @ F + tau_0 - J.T @ (J_bar.T @ tau_0)


def _law(bias=lambda C, J, J_bar: C, down=lambda J, J_bar: J.T, spring=lambda K, e: K @ e, damper=-1,
         velocity=lambda Lambda, J_dot_qd: -Lambda @ J_dot_qd, weight=lambda H: H,
         project=lambda J, J_bar, tau_0: tau_0 - J.T @ (J_bar.T @ tau_0)):
    """`impedance_torque` with one part of it changed."""

    def law(H, C, J, J_dot_qd, e, qd, K, D, tau_0):
        W_inv_Jt = np.linalg.solve(weight(H), J.T)
        Lambda = np.linalg.inv(J @ W_inv_Jt)
        J_bar = W_inv_Jt @ Lambda
        F = spring(K, e) + damper * D @ (J @ qd) + velocity(Lambda, J_dot_qd)
        return bias(C, J, J_bar) + down(J, J_bar) @ F + project(J, J_bar, tau_0)

    return law


ANSWERS = {
    "31.6": Computed(joint_step, inputs=_five_joints, mistakes={
        "entry": _step(combine=lambda G, J, e, z: G @ e + z),
        "entry 2": _step(combine=lambda G, J, e, z: G @ e),
        "transpose": _step(combine=lambda G, J, e, z: G @ e + z - J.T @ (G.T @ z)),
        "sign": _step(combine=lambda G, J, e, z: G @ e + z + G @ (J @ z)),
        "sign 2": _step(combine=lambda G, J, e, z: -G @ e + z - G @ (J @ z)),
        "dual": _step(combine=lambda G, J, e, z: J.T @ e + z - G @ (J @ z)),
        "square": _step(lambda J, W, d: _damped(J, W, d)),
        "entry 3": _step(lambda J, W, d: _damped(J, W, 0)),
        "weight": _step(lambda J, W, d: _damped(J, np.eye(len(W)), d**2)),
        "inverse": _step(lambda J, W, d: _damped(J, np.linalg.inv(W), d**2)),
        "entry 4": lambda J, e, z, W, d: _damped(J, W, d**2) @ e + z - _damped(J, W, 0) @ (J @ z)}),
    "31.8": Computed(impedance_torque, inputs=_pushed_arm, mistakes={
        "entry": _law(project=lambda J, J_bar, tau_0: tau_0),
        "entry 2": _law(project=lambda J, J_bar, tau_0: 0),
        "transpose": _law(project=lambda J, J_bar, tau_0: tau_0 - J_bar @ (J @ tau_0)),
        "kinematic": _law(project=lambda J, J_bar, tau_0: tau_0 - np.linalg.pinv(J) @ (J @ tau_0)),
        "weight": _law(weight=lambda H: np.eye(len(H))),
        "inverse": _law(weight=np.linalg.inv),
        "bias": _law(bias=lambda C, J, J_bar: 0),
        "bias 2": _law(bias=lambda C, J, J_bar: J.T @ (J_bar.T @ C)),
        "term": _law(velocity=lambda Lambda, J_dot_qd: 0),
        "sign": _law(velocity=lambda Lambda, J_dot_qd: Lambda @ J_dot_qd),
        "inertia": _law(velocity=lambda Lambda, J_dot_qd: -J_dot_qd),
        "sign 2": _law(damper=1), "sign 3": _law(spring=lambda K, e: -K @ e),
        "entry 3": _law(damper=0),
        "dual": _law(down=lambda J, J_bar: J_bar), "dual 2": _law(down=lambda J, J_bar: np.linalg.pinv(J))}),
}
