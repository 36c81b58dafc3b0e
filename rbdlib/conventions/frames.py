"""Frames, orders and orientations: what all texts and programs choose, each for itself.

X is always ᵇX_0, from base to body coordinates; v, a, f, J are in body coordinates, as everywhere in rbdlib. The frames
of a 6-vector are those of `rbdlib.texts.mrn.task_space`: "body" (axes and origin of the body), "space" (axes and origin
of the base) and "hybrid" (axes of the base, origin of the body).
"""

import numpy as np

from rbdlib.book import ch02_spatial
from rbdlib.book.ch02_spatial import X_to_Er, crm, inverse_transform, plucker, rot
from rbdlib.book.ch04_orientation import rotation_from_euler_angles, rotation_from_euler_parameters
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import eye, floats, matrix, vector
from rbdlib.numbers.validation import rotation, transform, unit_euler_parameters

__all__ = [
    "FRAMES", "acceleration_from_classical", "acceleration_from_frame", "acceleration_to_classical",
    "acceleration_to_frame", "force_from_frame", "force_to_frame", "jacobian_dot_to_frame", "jacobian_from_frame",
    "jacobian_to_frame", "pose_from_Rp", "pose_from_ros", "pose_to_Rp", "pose_to_ros", "quaternion_from_xyzw",
    "quaternion_near", "quaternion_to_xyzw", "rotation_from_mujoco_euler", "rotation_from_rpy", "rotation_to_rpy",
    "swap_halves", "transform_from_urdf", "transform_to_urdf", "velocity_from_frame", "velocity_to_frame",
]

FRAMES = ("body", "space", "hybrid")
#: Cosines of the pitch below this leave roll and yaw undecided.
GIMBAL_LOCK = 1e-9


def swap_halves(x):
    """A 6-vector, or a 6 x 6 matrix, with angular and linear halves exchanged: P x, or P x P (RBDA 2.4).

    It turns angular-first coordinates into linear-first ones (Pinocchio, ROS) and back.
    """
    order = [3, 4, 5, 0, 1, 2]
    if np.ndim(x) == 2:
        return matrix(x, (6, 6), "x")[np.ix_(order, order)]
    return vector(x, 6, "x")[order]


# Poses: a transform says how coordinates change, a pose where a frame is


def pose_to_Rp(X):
    """(R, p) of the frame b that X = ᵇX_0 leads to: its axes are the columns of R, its origin is p, seen from 0.

    R = Eᵀ is what most programs call the rotation matrix of the body: it takes vectors from body to base axes.
    """
    E, r = X_to_Er(transform(X, "X"))
    return E.T, r


def pose_from_Rp(R, p):
    """The transform ᵇX_0 to the frame whose axes are the columns of R (3 x 3) and whose origin is p, seen from 0."""
    return plucker(rotation(R, "R").T, vector(p, 3, "p"))


def pose_to_ros(X):
    """(p, quaternion) of the frame that X leads to: ROS's translation and its quaternion (x, y, z, w)."""
    R, p = pose_to_Rp(X)
    return p, quaternion_to_xyzw(euler_parameters_from_rotation(R.T))


def pose_from_ros(p, quaternion):
    """The transform ᵇX_0 from a translation p and a quaternion (x, y, z, w), as in ROS's geometry_msgs/Transform."""
    return plucker(rotation_from_euler_parameters(quaternion_from_xyzw(quaternion)), vector(p, 3, "p"))


def quaternion_to_xyzw(p):
    """A quaternion with the scalar last (Pinocchio, ROS, RBDL) from Euler parameters p, scalar first."""
    p = unit_euler_parameters(p, "p")
    return p[[1, 2, 3, 0]]


def quaternion_from_xyzw(quaternion):
    """Euler parameters, scalar first, from a quaternion with the scalar last."""
    return unit_euler_parameters(vector(quaternion, 4, "quaternion")[[3, 0, 1, 2]], "quaternion, scalar first,")


def quaternion_near(p, other):
    """p or -p, which are the same orientation: the one nearer to ``other``. Numbers only; both in the same order."""
    p, other = vector(p, 4, "p"), vector(other, 4, "other")
    return -p if p @ other < 0 else p


def rotation_to_rpy(E):
    """URDF's (roll, pitch, yaw) in rad of the frame that E leads to; numbers only.

    The pitch is between -pi/2 and pi/2. At these ends only a sum of the others is decided, and the roll is given as 0.
    """
    E = floats(rotation(E, "E"), "E contains symbols; its angles can be found for numbers only.")
    cosine = np.hypot(E[1, 2], E[2, 2])
    pitch = np.arctan2(-E[0, 2], cosine)
    if cosine < GIMBAL_LOCK:
        return np.array([0, pitch, np.arctan2(-E[1, 0], E[1, 1])])
    return np.array([np.arctan2(E[1, 2], E[2, 2]), pitch, np.arctan2(E[0, 1], E[0, 0])])


def rotation_from_rpy(rpy):
    """E to a frame turned by URDF's (roll, pitch, yaw) in rad: about the fixed axes x, then y, then z.

    The same turns in the opposite order about the axes of the moving frame are the Euler angles "zyx".
    """
    return rotation_from_euler_angles(vector(rpy, 3, "rpy")[::-1], "zyx")


def rotation_from_mujoco_euler(angles, sequence="xyz"):
    """E from MJCF's attribute euler, in rad, with the sequence that <compiler eulerseq> names.

    Lower case letters are turns about axes of the moving frame, capitals about fixed axes: "XYZ" is URDF's rpy, and
    the default "xyz" is not. MJCF's angles are degrees unless its compiler's angle is "radian".
    """
    angles = vector(angles, 3, "angles")
    if not (isinstance(sequence, str) and (sequence.islower() or sequence.isupper()) and len(sequence) == 3):
        raise ValueError(f"sequence is {sequence!r}; give three letters of xyz (moving axes) or XYZ (fixed axes).")
    if sequence.isupper():
        angles, sequence = angles[::-1], sequence[::-1].lower()
    return rotation_from_euler_angles(angles, sequence)


def transform_to_urdf(X):
    """(xyz, rpy) of URDF's <origin> from the transform to the frame that it describes, such as X_tree[i]."""
    E, r = X_to_Er(transform(X, "X"))
    return r, rotation_to_rpy(E)


def transform_from_urdf(xyz=(0, 0, 0), rpy=(0, 0, 0)):
    """The transform to the frame that URDF's <origin xyz rpy> describes, such as X_tree[i]."""
    return plucker(rotation_from_rpy(rpy), vector(xyz, 3, "xyz"))


def from_body(X, frame):
    """The motion transform from body coordinates to the given frame."""
    if frame not in FRAMES:
        raise ValueError(f"frame is {frame!r}; choose 'body' (Pinocchio's LOCAL), 'space' (WORLD) or 'hybrid' "
                         f"(LOCAL_WORLD_ALIGNED).")
    X = transform(X, "X")
    if frame == "body":
        return eye(6, X)
    return inverse_transform(X) if frame == "space" else rot(X[:3, :3].T)


def velocity_to_frame(v, X, frame):
    """A velocity (6) in the frame "body", "space" or "hybrid", from v in body coordinates."""
    return from_body(X, frame) @ vector(v, 6, "v")


def velocity_from_frame(V, X, frame):
    """The velocity v in body coordinates from V in the frame "body", "space" or "hybrid"."""
    return inverse_transform(from_body(X, frame)) @ vector(V, 6, "V")


def acceleration_to_frame(a, X, frame):
    """The spatial acceleration a, in body coordinates, written in the frame "body", "space" or "hybrid".

    It stays a spatial acceleration, which is the derivative of the velocity in the frame "space" only.
    """
    return from_body(X, frame) @ vector(a, 6, "a")


def acceleration_from_frame(A, X, frame):
    """The spatial acceleration a in body coordinates from A, a spatial acceleration in one of the frames."""
    return inverse_transform(from_body(X, frame)) @ vector(A, 6, "A")


def acceleration_to_classical(a, v, X, frame="hybrid"):
    """The classical acceleration [omega'; r''] of the body's origin, in the axes of the base ("hybrid") or "body".

    In base axes it is the derivative of the hybrid velocity.
    """
    return _axes_only(X, frame) @ ch02_spatial.classical_acceleration(a, v)


def acceleration_from_classical(A, v, X, frame="hybrid"):
    """The spatial acceleration a from the classical A of the body's origin; v is in body coordinates, as a is."""
    return ch02_spatial.spatial_acceleration(inverse_transform(_axes_only(X, frame)) @ vector(A, 6, "A"), v)


def _axes_only(X, frame):
    if frame == "space":
        raise ValueError("frame is 'space'; a classical acceleration is that of the body's origin: 'hybrid' or 'body'.")
    return from_body(X, frame)


def force_to_frame(f, X, frame):
    """A force (6) in the frame "body", "space" or "hybrid", from f in body coordinates. "space" is f_ext's frame."""
    return inverse_transform(from_body(X, frame)).T @ vector(f, 6, "f")


def force_from_frame(F, X, frame):
    """The force f in body coordinates from F in the frame "body", "space" or "hybrid"."""
    return from_body(X, frame).T @ vector(F, 6, "F")


def _jacobian(J):
    return matrix(J, (6, np.shape(J)[-1] if np.ndim(J) else 0), "J")


def jacobian_to_frame(J, X, frame):
    """The Jacobian (6 x n) of the velocity in the given frame from the body Jacobian J."""
    return from_body(X, frame) @ _jacobian(J)


def jacobian_from_frame(J, X, frame):
    """The body Jacobian from the Jacobian (6 x n) of the velocity in the given frame."""
    return inverse_transform(from_body(X, frame)) @ _jacobian(J)


def jacobian_dot_to_frame(J_dot, J, v, X, frame):
    """The derivative of each element of the Jacobian in the given frame, as programs give it.

    J, J_dot, v: body Jacobian, its rate as `rbdlib.book.ch04_kinematics.body_jacobian_dot` gives it (the derivative of
    the vectors that are J's columns), and the body's velocity. The axes and the origin of the frame move, except in
    "space", and what is seen from there differs by w × J, where w is the velocity of the frame.
    """
    v, J = vector(v, 6, "v"), _jacobian(J)
    frame_velocity = {"body": v, "space": 0 * v, "hybrid": np.concatenate([0 * v[:3], v[3:]])}.get(frame)
    to_frame = from_body(X, frame)
    return to_frame @ (matrix(J_dot, J.shape, "J_dot") - crm(frame_velocity) @ J)
