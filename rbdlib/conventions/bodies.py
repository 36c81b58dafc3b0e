"""Bodies in the words of programs and file formats: velocity, acceleration, force, inertia, contact, momentum.

X is ᵇX_0; v and a are in body coordinates, as everywhere in rbdlib; external forces are in base coordinates, as f_ext
is. What each program chooses stands in the docstrings, and was measured: see tests/peers/test_conventions_bodies.py.
"""

from collections import namedtuple

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, force_transform, line_force, mcI, skew, xlt
from rbdlib.conventions import frames
from rbdlib.conventions.frames import rotation_from_rpy, swap_halves
from rbdlib.conventions.texts import force_from_mbt, force_to_mbt
from rbdlib.numbers import validation
from rbdlib.numbers.scalars import matrix, number, vector
from rbdlib.numbers.validation import rotation, transform

__all__ = [
    "Inertial", "acceleration_from_drake", "acceleration_from_mujoco", "acceleration_from_pinocchio",
    "acceleration_to_drake", "acceleration_to_mujoco", "acceleration_to_pinocchio", "contact_force_from_mujoco",
    "f_ext_from_drake", "f_ext_from_mujoco", "f_ext_from_pinocchio", "f_ext_to_drake", "f_ext_to_mujoco",
    "f_ext_to_pinocchio", "force_from_mujoco", "force_to_mujoco", "imu_from_acceleration", "inertia_from_drake",
    "inertia_from_mujoco", "inertia_from_pinocchio", "inertia_from_urdf", "inertia_to_drake", "inertia_to_mujoco",
    "inertia_to_pinocchio", "inertia_to_urdf", "momentum_from_drake", "momentum_from_mujoco",
    "momentum_from_pinocchio", "momentum_to_drake", "momentum_to_mujoco", "momentum_to_pinocchio",
    "velocity_from_drake", "velocity_from_mujoco", "velocity_from_pinocchio", "velocity_to_drake",
    "velocity_to_mujoco", "velocity_to_pinocchio",
]

# Pinocchio: everything has the linear part first


def velocity_to_pinocchio(v, X, frame="body"):
    """Pinocchio's velocity, linear part first; "body" is its LOCAL, "space" WORLD, "hybrid" LOCAL_WORLD_ALIGNED."""
    return swap_halves(frames.velocity_to_frame(v, X, frame))


def velocity_from_pinocchio(V, X, frame="body"):
    """The spatial velocity in body coordinates from Pinocchio's."""
    return frames.velocity_from_frame(swap_halves(vector(V, 6, "V")), X, frame)


def acceleration_to_pinocchio(a, X, frame="body"):
    """Pinocchio's spatial acceleration (getFrameAcceleration, data.a); the frames as for `velocity_to_pinocchio`."""
    return swap_halves(frames.acceleration_to_frame(a, X, frame))


def acceleration_from_pinocchio(A, X, frame="body"):
    """The spatial acceleration in body coordinates from Pinocchio's."""
    return frames.acceleration_from_frame(swap_halves(vector(A, 6, "A")), X, frame)


def f_ext_to_pinocchio(f, X):
    """The external force that Pinocchio's rnea and aba take, (force; moment) in body coordinates, from f_ext[i]."""
    return swap_halves(force_transform(X) @ vector(f, 6, "f"))


def f_ext_from_pinocchio(F, X):
    """f_ext[i], in base coordinates, from Pinocchio's external force on the body."""
    return frames.force_to_frame(swap_halves(vector(F, 6, "F")), X, "space")


def inertia_to_pinocchio(I):
    """Pinocchio's Inertia.matrix(): the spatial inertia with the linear part first.

    Its constructor takes the (m, c, I_C) of `rbdlib.book.ch02_spatial.I_to_mcI`, and its ten dynamic parameters stand
    in the order of `rbdlib.methods.inertia_parameters.to_parameters`.
    """
    return swap_halves(matrix(I, (6, 6), "I"))


def inertia_from_pinocchio(I):
    """The spatial inertia from Pinocchio's Inertia.matrix()."""
    return inertia_to_pinocchio(I)


# MuJoCo: 6-vectors have the angular part first, except xfrc_applied


def velocity_to_mujoco(v, X, com):
    """MuJoCo's cvel: world axes, angular part first, reference point at com.

    com is data.subtree_com of the root of the body's tree, the centre of mass of all that moves with it.
    """
    return xlt(vector(com, 3, "com")) @ frames.velocity_to_frame(v, X, "space")


def velocity_from_mujoco(V, X, com):
    """The spatial velocity in body coordinates from MuJoCo's cvel."""
    return frames.velocity_from_frame(xlt(-vector(com, 3, "com")) @ vector(V, 6, "V"), X, "space")


def acceleration_to_mujoco(a, X, com, gravity=(0, 0, -9.81)):
    """MuJoCo's cacc: as cvel, a spatial acceleration, with a_0 = -a_g in it as in RBDA 5.3."""
    A = frames.acceleration_to_frame(a, X, "space") - np.concatenate([np.zeros(3), vector(gravity, 3, "gravity")])
    return xlt(vector(com, 3, "com")) @ A


def acceleration_from_mujoco(A, X, com, gravity=(0, 0, -9.81)):
    """The spatial acceleration in body coordinates, without gravity, from MuJoCo's cacc."""
    A = xlt(-vector(com, 3, "com")) @ vector(A, 6, "A")
    return frames.acceleration_from_frame(A + np.concatenate([np.zeros(3), vector(gravity, 3, "gravity")]), X, "space")


def f_ext_to_mujoco(f, c):
    """MuJoCo's xfrc_applied, (force; moment about the centre of mass c) in world axes, from f_ext[i].

    c (data.xipos) is in base coordinates.
    """
    return force_to_mbt(f, c)


def f_ext_from_mujoco(F, c):
    """f_ext[i] from MuJoCo's xfrc_applied of a body whose centre of mass is at c, in base coordinates."""
    return force_from_mbt(F, c)


def contact_force_from_mujoco(force, frame, pos):
    """The spatial force on the body of geom2, in base coordinates, from MuJoCo's mj_contactForce.

    force (6): its (force; moment) along the axes of the contact, the normal first. frame (3 x 3, or its 9 numbers):
    contact.frame, whose rows are those axes. pos: contact.pos. The body of geom1 feels the opposite.
    """
    force, pos = vector(force, 6, "force"), vector(pos, 3, "pos")
    frame = np.reshape(frame, (3, 3)) if np.size(frame) == 9 else frame
    R = rotation(frame, "frame").T
    return line_force(R @ force[:3], pos) + np.concatenate([R @ force[3:], np.zeros(3)])


def force_to_mujoco(f, X, com):
    """MuJoCo's cfrc_int and cfrc_ext: [moment about com; force] in world axes, from the force f in body coordinates.

    cfrc_int is the force that the parent exerts on the body, f[i] of `rbdlib.book.ch05_inverse_dynamics.newton_euler`;
    cfrc_ext that of contacts and of xfrc_applied. com is the point of `velocity_to_mujoco`.
    """
    return xlt(-vector(com, 3, "com")).T @ frames.force_to_frame(f, X, "space")


def force_from_mujoco(F, X, com):
    """The force on a body, in body coordinates, from MuJoCo's cfrc_int or cfrc_ext."""
    return frames.force_from_frame(xlt(vector(com, 3, "com")).T @ vector(F, 6, "F"), X, "space")


def inertia_to_mujoco(I):
    """(mass, pos, fullinertia) of MJCF's <inertial>: Ixx Iyy Izz Ixy Ixz Iyz are about the centre of mass."""
    m, c, I_C = I_to_mcI(I)
    return m, c, I_C[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def inertia_from_mujoco(mass, pos, fullinertia):
    """The spatial inertia from MJCF's <inertial mass pos fullinertia>."""
    xx, yy, zz, xy, xz, yz = vector(fullinertia, 6, "fullinertia")
    return mcI(mass, pos, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# Drake: world axes, origin of the body, angular part first; accelerations are classical


def velocity_to_drake(v, X):
    """Drake's V_WB_W: [omega; velocity of the body's origin] in world axes."""
    return frames.velocity_to_frame(v, X, "hybrid")


def velocity_from_drake(V, X):
    """The spatial velocity in body coordinates from Drake's V_WB_W."""
    return frames.velocity_from_frame(V, X, "hybrid")


def acceleration_to_drake(a, v, X):
    """Drake's A_WB_W: [omega'; classical acceleration of the body's origin] in world axes, without gravity."""
    return frames.acceleration_to_classical(a, v, X, "hybrid")


def acceleration_from_drake(A, v, X):
    """The spatial acceleration in body coordinates from Drake's A_WB_W; v is the velocity in body coordinates."""
    return frames.acceleration_from_classical(A, v, X, "hybrid")


def f_ext_to_drake(f, X):
    """Drake's F_Bo_W: [moment about the body's origin; force] in world axes, from f_ext[i]."""
    return frames.force_to_frame(force_transform(X) @ vector(f, 6, "f"), X, "hybrid")


def f_ext_from_drake(F, X):
    """f_ext[i] from Drake's spatial force on the body, in world axes at the body's origin."""
    return frames.force_to_frame(frames.force_from_frame(F, X, "hybrid"), X, "space")


def inertia_to_drake(I):
    """(mass, p, G) of Drake's SpatialInertia: G (3 x 3) is the inertia about the body's origin, divided by the mass."""
    m, c, I_C = I_to_mcI(I)
    return m, c, I_C / m + skew(c) @ skew(c).T


def inertia_from_drake(mass, p, G):
    """The spatial inertia from Drake's mass, centre of mass p and unit inertia G about the body's origin."""
    m, p, G = number(mass, "mass"), vector(p, 3, "p"), matrix(G, (3, 3), "G")
    return mcI(m, p, m * (G - skew(p) @ skew(p).T))


# ROS and URDF


def imu_from_acceleration(a, v, X, X_sensor=None, gravity=(0, 0, -9.81)):
    """(angular velocity, linear acceleration) that an inertial sensor reads, in its own axes, as ROS's Imu has them.

    An accelerometer feels the classical acceleration of its place minus gravity: +9.81 upward when nothing moves.
    X_sensor: transform from the body to the sensor's frame (default: the body's own); X leads from base to body.
    """
    X = transform(X, "X")
    X_sensor = np.eye(6) if X_sensor is None else transform(X_sensor, "X_sensor")
    v, a, E = X_sensor @ vector(v, 6, "v"), X_sensor @ vector(a, 6, "a"), (X_sensor @ X)[:3, :3]
    return v[:3], a[3:] + skew(v[:3]) @ v[3:] - E @ vector(gravity, 3, "gravity")


class Inertial(namedtuple("Inertial", "mass xyz rpy ixx ixy ixz iyy iyz izz")):
    """URDF's <inertial>: the origin (xyz, rpy) is at the centre of mass, and the moments are about its axes.

    ixy, ixz, iyz are elements of the matrix of inertia, as everywhere in rbdlib. Many drawing programs give the
    integrals of xy, xz and yz over the mass, which have the opposite sign.
    """


def inertia_to_urdf(I):
    """URDF's `Inertial` with rpy = 0 from the spatial inertia in the link's frame."""
    m, c, I_C = I_to_mcI(I)
    return Inertial(m, c, np.zeros(3), *I_C[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])


def inertia_from_urdf(mass, xyz, rpy, ixx, ixy, ixz, iyy, iyz, izz):
    """The spatial inertia in the link's frame from the numbers of URDF's <inertial>."""
    E = rotation_from_rpy(rpy)
    xx, xy, xz, yy, yz, zz = vector([ixx, ixy, ixz, iyy, iyz, izz], 6, "[ixx, ixy, ixz, iyy, iyz, izz]")
    return mcI(mass, vector(xyz, 3, "xyz"), E.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ E)


# The momentum of a whole mechanism; h is in base coordinates, about the base's origin, as `kinematics.momentum` is


def momentum_to_pinocchio(h, com):
    """Pinocchio's data.hg: (momentum; angular momentum about the centre of mass com), in base axes."""
    return force_to_mbt(vector(h, 6, "h"), vector(com, 3, "com"))


def momentum_from_pinocchio(H, com):
    """The spatial momentum [h_O, h] in base coordinates from Pinocchio's data.hg and data.com[0]."""
    return force_from_mbt(vector(H, 6, "H"), vector(com, 3, "com"))


def momentum_to_mujoco(h, com, mass):
    """MuJoCo's (subtree_linvel, subtree_angmom) of a tree: velocity and angular momentum of its centre of mass com."""
    h, mass = momentum_to_pinocchio(h, com), _require_mass(mass)
    return h[:3] / mass, h[3:]


def momentum_from_mujoco(linvel, angmom, com, mass):
    """The spatial momentum [h_O, h] in base coordinates from MuJoCo's subtree_linvel, subtree_angmom, subtree_com."""
    linear = _require_mass(mass) * vector(linvel, 3, "linvel")
    return momentum_from_pinocchio(np.concatenate([linear, vector(angmom, 3, "angmom")]), com)


def momentum_to_drake(h, point=(0, 0, 0)):
    """Drake's CalcSpatialMomentumInWorldAboutPoint: [angular momentum about the point; momentum], in world axes."""
    return swap_halves(force_to_mbt(vector(h, 6, "h"), vector(point, 3, "point")))


def momentum_from_drake(L, point=(0, 0, 0)):
    """The spatial momentum [h_O, h] in base coordinates from Drake's, which is about the point."""
    return force_from_mbt(swap_halves(vector(L, 6, "L")), vector(point, 3, "point"))


def _require_mass(mass):
    mass = validation.mass(mass, "mass")
    if mass == 0:
        raise ValueError("mass is 0; give the mass of the whole tree, which moves with the velocity of its centre.")
    return mass
