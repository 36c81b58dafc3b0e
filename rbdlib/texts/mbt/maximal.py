"""From generalized to Cartesian (maximal) coordinates and back: velocities and forces (MBT section 6).

Simulators that give every body six coordinates want velocities, forces and torques of bodies; a controller often works
with q, qd and joint forces. V = (v_1 .. v_m; w_1 .. w_m) stacks the velocities of the m centres of mass and then the
angular velocities, in world axes; forces (f; tau) are stacked in the same way. Pseudo-inverses follow MBT's definition,
J⁺ = (JᵀJ)⁻¹Jᵀ, and so need columns that are independent.
"""

import numpy as np

from rbdlib.book.ch02_spatial import skew
from rbdlib.book.ch06_factorisation import inverse
from rbdlib.numbers.scalars import block_diagonal, vector, zeros
from rbdlib.texts.mbt.lagrange import cartesian_state, link_jacobians, local_angular_jacobian

DEPENDENT = ("The columns of the Jacobian are dependent here, as in gimbal lock, so that it has no pseudo-inverse. "
             "Choose another position q or other joint variables.")


def stacked_jacobians(model, q, points=None):
    """J_v and J_w (3m x nv each): v = J_v qd, w = J_w qd for all bodies (MBT Eq. 60).

    points: {body: position in world coordinates} takes the velocity of that point of the body instead of its centre of
    mass, which gives MBT's J'_v (Eq. 67).
    """
    J, (x, *_) = link_jacobians(model, q), cartesian_state(model, q)
    arms = {k: vector(r, 3, f"points[{k}]") - x[k] for k, r in _by_body(model, points, "points").items()}
    J_v = [J[k][:3] - skew(arms[k]) @ J[k][3:] if k in arms else J[k][:3] for k in model.bodies]
    return np.concatenate(J_v), np.concatenate([J[k][3:] for k in model.bodies])


def connectivity_matrix(model):
    """D (3m x 3m): +1 on the diagonal, -1 at (k, parent of k), in blocks of 3 x 3 (MBT Eq. 64)."""
    D = np.eye(model.N_B)
    for k in model.bodies:
        if model.parent[k]:
            D[k - 1, model.parent[k] - 1] = -1
    return np.kron(D, np.eye(3))


def parent_rotations(model, q):
    """R (3m x 3m): the blocks on its diagonal turn parent coordinates into world coordinates (MBT Eq. 63)."""
    R = cartesian_state(model, q).R
    return block_diagonal([R[model.parent[k]] for k in model.bodies])


def local_angular_jacobians(model, q):
    """Jh_w (3m x nv): the local angular Jacobians, a block for each body and joint (MBT Eqs 63, 65)."""
    return block_diagonal([local_angular_jacobian(model, q, k) for k in model.bodies])


def cartesian_velocity(model, q, qd):
    """V = J qd (6m): the velocities of the centres of mass, then the angular velocities (MBT Eq. 60)."""
    return np.concatenate(stacked_jacobians(model, q)) @ vector(qd, model.nv, "qd")


def generalized_velocity(model, q, V):
    """qd = J⁺ V, and the residual V - J qd, which is not zero if the joints do not allow V (MBT Eq. 61).

    Returns (qd, residual). Raises ValueError where the columns of J are dependent, as in gimbal lock.
    """
    J, V = np.concatenate(stacked_jacobians(model, q)), vector(V, 6 * model.N_B, "V")
    qd = least_squares(J, V)
    return qd, V - J @ qd


def generalized_velocity_by_joint(model, q, V):
    """qd from V, joint by joint, and the residual V - J qd: m small problems for one large (MBT Eqs 62-66).

    Each joint's qd_k is found from the velocity of its body relative to the parent: of a joint that turns (Eq. 66),
    from the relative angular velocity; of one that slides, from the velocity of its origin. If the joints do not allow
    V, qd is not that of `generalized_velocity`.
    """
    state, q, V = cartesian_state(model, q), vector(q, model.nq, "q"), vector(V, 6 * model.N_B, "V")
    v, w = ([zeros(3, V), *half.reshape(-1, 3)] for half in np.split(V, 2))
    qd = zeros(model.nv, *state.R, V)
    for k in model.bodies:
        p, R = model.parent[k], state.R[k]
        turning = R.T @ (w[k] - w[p])                                                           # (65), in body axes
        sliding = R.T @ (v[k] + skew(w[k]) @ (state.o[k] - state.x[k])
                         - v[p] - skew(w[p]) @ (state.o[k] - state.x[p]))
        S = model.joints[k].motion_subspace(q[model.q_slice(k)])
        if model.joints[k].nv:
            qd[model.v_slice(k)] = least_squares(S, np.concatenate([turning, sliding]))         # (66)
    return qd, V - cartesian_velocity(model, q, qd)


def generalized_force(model, q, f=None, tau=None, joint_torques=None, points=None):
    """Q = J'_vᵀ f + J_wᵀ tau' + Jh_wᵀ th (nv), from forces and torques on the bodies (MBT Eqs 48, 67, 69).

    f: {body: force}, in world axes, at the points given (default: the centres of mass).  tau: {body: torque}, in world
    axes, without the moments of the forces f.  joint_torques: {body: torque}, in the axes of its parent, that the
    parent exerts on the body and the body, reversed, on the parent.  points: {body: point of application, in world
    coordinates}.
    """
    J_v, J_w = stacked_jacobians(model, q, points)
    Q = J_v.T @ _stacked(model, f, "f") + J_w.T @ _stacked(model, tau, "tau")                   # (67)
    return Q + local_angular_jacobians(model, q).T @ _stacked(model, joint_torques, "joint_torques")


def body_torques(model, q, joint_torques):
    """tau' = (Rᵀ D)ᵀ th: the torques on the bodies (m x 3, world axes) that joint torques amount to (MBT Eq. 68)."""
    th = _stacked(model, joint_torques, "joint_torques")
    return (connectivity_matrix(model).T @ parent_rotations(model, q) @ th).reshape(-1, 3)


def cartesian_forces(model, q, Q):
    """Forces at the centres of mass and torques with the generalized force Q: the shortest such (f; tau) (MBT Eq. 70).

    Returns f and tau, m x 3 each, in world axes; tau is about the centre of mass.
    """
    J_v, J_w = stacked_jacobians(model, q)
    return least_norm(np.concatenate([J_v, J_w]), vector(Q, model.nv, "Q")).reshape(2, -1, 3)


def forces_and_joint_torques(model, q, Q, points):
    """Forces at known points and joint torques with the generalized force Q: the shortest such (f; th) (MBT Eq. 69).

    points: {body: point in world coordinates}, the centre of mass where none is given. Returns f (m x 3, world axes)
    and th (m x 3, axes of the parent).
    """
    J_v, _ = stacked_jacobians(model, q, points)
    A = np.concatenate([J_v, local_angular_jacobians(model, q)])
    return least_norm(A, vector(Q, model.nv, "Q")).reshape(2, -1, 3)


def joint_torques(model, q, Q):
    """th_k = (Jh_kᵀ)⁺ Q_k (m x 3, axes of the parent), for joints that only turn (MBT Eq. 71).

    Raises ValueError for a joint that slides, to which a torque alone cannot give the force Q.
    """
    q, Q = vector(q, model.nq, "q"), vector(Q, model.nv, "Q")
    th = zeros((model.N_B, 3), q, Q)
    for k in (k for k in model.bodies if model.joints[k].nv):
        if np.any(model.joints[k].motion_subspace(q[model.q_slice(k)])[3:] != 0):
            raise ValueError(f"Joint {k} ({model.joints[k]}) slides; use forces_and_joint_torques, which adds forces.")
        th[k - 1] = least_norm(local_angular_jacobian(model, q, k), Q[model.v_slice(k)])
    return th


def least_squares(A, b):
    """A⁺ b = (AᵀA)⁻¹ Aᵀ b: the x for which |A x - b| is smallest. ValueError if the columns of A are dependent."""
    return inverse(A.T @ A, DEPENDENT) @ A.T @ b


def least_norm(A, b):
    """(Aᵀ)⁺ b = A (AᵀA)⁻¹ b: the shortest x with Aᵀ x = b. ValueError if the columns of A are dependent."""
    return A @ inverse(A.T @ A, DEPENDENT) @ b


def _by_body(model, given, name):
    given = given or {}
    unknown = [k for k in given if k not in model.bodies]
    if unknown:
        raise ValueError(f"{name} names body {unknown[0]!r}; this model has the bodies 1 to {model.N_B}.")
    return given


def _stacked(model, given, name):
    given = _by_body(model, given, name)
    vectors = {k: vector(x, 3, f"{name}[{k}]") for k, x in given.items()}
    return np.concatenate([zeros(0), *(vectors.get(k, zeros(3, *vectors.values())) for k in model.bodies)])
