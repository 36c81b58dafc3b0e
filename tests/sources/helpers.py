"""Data and definitions that the ledger tests share, written without rbdlib: the independent side of a test. A pose is a
pair (R, p): the columns of R are a frame's axes, p is its origin, both in world coordinates. World vectors have their
reference point at the world's origin. Functions of time are differentiated with a complex step, so they must be written
with NumPy functions that accept complex numbers."""

import cmath
from dataclasses import dataclass

import numpy as np
import sympy

STEP = 1e-30
IDENTITY = np.eye(3)


# Random data

def random_rotation(rng):
    """A rotation matrix (det +1) drawn evenly, from a random unit quaternion."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def random_pose(rng):
    """A random pose (R, p)."""
    return random_rotation(rng), rng.normal(size=3)


def random_unit(rng):
    """A random unit 3-vector."""
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def random_cluster(rng, n=6):
    """Masses (n) and positions (n x 3) of n particles that are not all in one plane."""
    return rng.uniform(0.5, 2, n), rng.normal(size=(n, 3))


# Rigid bodies as clusters of particles

def mass_properties(masses, positions):
    """(m, c, I_C) of a cluster of particles, from the definitions: sums over the particles."""
    m = masses.sum()
    c = masses @ positions / m
    I_C = sum(mass * (d @ d * np.eye(3) - np.outer(d, d)) for mass, d in zip(masses, positions - c, strict=True))
    return m, c, I_C


def random_mass_properties(rng):
    """(m, c, I_C) of some body that can exist."""
    return mass_properties(*random_cluster(rng))


# Coordinates of spatial vectors, from the definitions

def cross_matrix(a):
    """The matrix of b -> a × b, one column for each unit vector b."""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross(a, b):
    """a × b of two 3-vectors, ten times as fast as NumPy's."""
    return cross_matrix(a) @ b


def motion_coordinates(v, pose):
    """Plücker coordinates in a frame of the world motion [omega; v_O]: omega and the velocity field at its origin."""
    (R, p), omega, v_O = pose, v[:3], v[3:]
    return np.concatenate([R.T @ omega, R.T @ (v_O + cross(omega, p))])


def force_coordinates(f, pose):
    """Plücker coordinates in a frame of the world force [n_O; f]: the moment about its origin and the linear force."""
    (R, p), n_O, force = pose, f[:3], f[3:]
    return np.concatenate([R.T @ (n_O - cross(p, force)), R.T @ force])


def E_and_r(pose_A, pose_B):
    """The book's E (A to B coordinates) and r (B's origin in A coordinates) of two poses."""
    (R_A, p_A), (R_B, p_B) = pose_A, pose_B
    return R_B.T @ R_A, R_A.T @ (p_B - p_A)


def twist_matrix(v):
    """The 4 x 4 matrix whose exponential is the displacement of homogeneous points by [omega; v_O] in unit time."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = cross_matrix(v[:3]), v[3:]
    return matrix


# Motion in time

def derivative(function, t=0.0):
    """The derivative at t of an analytic function of one real number, to machine precision (complex step)."""
    return np.imag(function(t + 1j * STEP)) / STEP


def second_derivative(function, t=0.0, h=1e-3):
    """The second derivative at t, to about 1e-9: a five-point formula over complex steps."""
    return (derivative(function, t - 2 * h) - 8 * derivative(function, t - h)
            + 8 * derivative(function, t + h) - derivative(function, t + 2 * h)) / (12 * h)


def turn(axis, angle):
    """The matrix that turns vectors by an angle about a unit axis (Rodrigues' formula); accepts a complex angle."""
    K = cross_matrix(axis)
    return IDENTITY + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def smooth_motion(rng):
    """A random motion t -> pose (R, p) of a rigid body that turns about three axes while it flies."""
    axes, angles, paths = [random_unit(rng) for _ in range(3)], rng.normal(size=(3, 3)), rng.normal(size=(3, 3))

    def pose(t):
        powers = np.array([1, t, t * t])
        R = np.linalg.multi_dot([turn(axis, angle) for axis, angle in zip(axes, angles @ powers, strict=True)])
        return R, paths @ powers

    return pose


def velocity(pose, t=0.0):
    """The world velocity [omega; v_O] of a moving pose: omega × = R' Rᵀ, v_O = p' - omega × p."""
    R, p = pose(t)
    W = derivative(lambda t: pose(t)[0], t) @ R.T
    omega = np.array([W[2, 1], W[0, 2], W[1, 0]])
    return np.concatenate([omega, derivative(lambda t: pose(t)[1], t) - cross(omega, p)])


# Kinematic trees, by 3D geometry in world coordinates

@dataclass(frozen=True)
class Tree:
    """The data of a kinematic tree, one entry per body.
    parent: number of the parent. kinds: "revolute" or "prismatic". axes: unit 3-vectors. poses: (R, p) of the joint
    frame in the parent. bodies: (m, c, I_C). gravity: acceleration of free fall, in world coordinates."""
    parent: list
    kinds: list
    axes: list
    poses: list
    bodies: list
    gravity: np.ndarray

    def model(self, **changes):
        """The same tree as a Model of rbdlib."""
        from rbdlib import Model
        from rbdlib.book.ch02_spatial import mcI, plucker
        from rbdlib.book.ch04_joints import Prismatic, Revolute

        joints = [{"revolute": Revolute, "prismatic": Prismatic}[kind](axis)
                  for kind, axis in zip(self.kinds, self.axes, strict=True)]
        arguments = {"parent": self.parent, "joints": joints, "X_tree": [plucker(R.T, p) for R, p in self.poses],
                     "inertia": [mcI(*body) for body in self.bodies], "gravity": self.gravity}
        return Model(**{**arguments, **changes})

    def world_poses(self, q):
        """The poses of the bodies at q, as a list with the base in place 0; accepts complex q."""
        poses = [(np.eye(3), np.zeros(3))]
        for parent, kind, axis, (R_T, p_T), x in zip(self.parent, self.kinds, self.axes, self.poses, q, strict=True):
            R, p = poses[parent]
            R, p = R @ R_T, p + R @ p_T
            poses.append((R @ turn(axis, x), p) if kind == "revolute" else (R, p + R @ axis * x))
        return poses

    def moves(self, j, i):
        """Whether joint j moves body i."""
        while i > j:
            i = self.parent[i - 1]
        return i == j

    def centres(self, q):
        """The centres of mass of the bodies in world coordinates; accepts complex q."""
        return [p + R @ c for (R, p), (_, c, _) in zip(self.world_poses(q)[1:], self.bodies, strict=True)]

    def mass_matrix(self, q):
        """H = sum over the bodies of m Jvᵀ Jv + Jwᵀ I Jw, by levers about the joint axes; accepts complex q."""
        poses, centres, n = self.world_poses(q), self.centres(q), len(self.parent)
        axes = [R @ axis for (R, _), axis in zip(poses[1:], self.axes, strict=True)]
        H = np.zeros((n, n), dtype=np.asarray(q).dtype)
        for i, (m, _, I_C) in enumerate(self.bodies, start=1):
            J_v, J_w = np.zeros((2, 3, n), dtype=H.dtype)
            for j in (j for j in range(1, n + 1) if self.moves(j, i)):
                if self.kinds[j - 1] == "revolute":
                    J_w[:, j - 1] = axes[j - 1]
                    J_v[:, j - 1] = cross(axes[j - 1], centres[i - 1] - poses[j][1])
                else:
                    J_v[:, j - 1] = axes[j - 1]
            R = poses[i][0]
            H = H + m * J_v.T @ J_v + J_w.T @ R @ I_C @ R.T @ J_w
        return H

    def lagrangian_bias(self, q, qd):
        """C of Lagrange's equations: d/dt(H) qd - d/dq(qdᵀ H qd / 2) + d/dq(potential energy)."""
        weights = np.array([m for m, _, _ in self.bodies])
        H_rate = derivative(lambda t: self.mass_matrix(q + t * qd))
        slopes = [derivative(lambda t, e=e: qd @ self.mass_matrix(q + t * e) @ qd / 2
                             + weights @ self.centres(q + t * e) @ self.gravity) for e in np.eye(len(q))]
        return H_rate @ qd - np.array(slopes)


def random_tree(rng, n, parent=None):
    """A random tree of n bodies with revolute and prismatic joints about random axes (parent: their parents)."""
    parent = [int(rng.integers(0, i)) for i in range(1, n + 1)] if parent is None else list(parent)
    return Tree(parent, [str(kind) for kind in rng.choice(["revolute", "revolute", "prismatic"], n)],
                [random_unit(rng) for _ in parent], [random_pose(rng) for _ in parent],
                [random_mass_properties(rng) for _ in parent], rng.normal(size=3))


def slope(function, t=0.0, h=1e-2):
    """The derivative at t of a smooth real function that takes no complex numbers, to about 1e-11: seven points."""
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    return sum(weight * (function(t + k * h) - function(t - k * h)) for k, weight in weights) / h


def acceleration(pose, t=0.0):
    """The world spatial acceleration of a moving pose: the derivative of its velocity [omega; v_O] at the fixed O."""
    return slope(lambda t: velocity(pose, t), t)


def uniform_motion(v, start=None):
    """The motion t -> pose of a body that keeps the constant world velocity v = [omega; v_O], about its screw axis."""
    (R, p), omega, v_O = start or (np.eye(3), np.zeros(3)), v[:3], v[3:]
    rate = np.sqrt(omega @ omega)
    if rate == 0:
        return lambda t: (R, p + t * v_O)
    axis, foot, slip = omega / rate, cross(omega, v_O) / rate**2, (omega @ v_O) / rate**2 * omega
    return lambda t: (turn(axis, rate * t) @ R, foot + turn(axis, rate * t) @ (p - foot) + t * slip)


# Vectors and particles that a moving body carries along

def motion_carried(m, pose):
    """World coordinates of the motion that has the coordinates m in a frame: the inverse of `motion_coordinates`."""
    (R, p), m = pose, np.asarray(m)
    turning = R @ m[:3]
    return np.concatenate([turning, R @ m[3:] - cross(turning, p)])


def force_carried(f, pose):
    """World coordinates of the force that has the coordinates f in a frame: the inverse of `force_coordinates`."""
    (R, p), f = pose, np.asarray(f)
    resultant = R @ f[3:]
    return np.concatenate([R @ f[:3] + cross(p, resultant), resultant])


def points_carried(positions, pose):
    """World positions (n x 3) of points with the given positions in a frame."""
    R, p = pose
    return positions @ R.T + p


def field(v, positions):
    """The velocities (n x 3) of body-fixed points when the body has the velocity v: v_O + omega × P."""
    return v[3:] + np.cross(v[:3], positions)


def cluster_momentum(masses, positions, v):
    """[moment of momentum about the origin; linear momentum] of a rigid cluster, summed over its particles."""
    momenta = masses[:, None] * field(v, positions)
    return np.concatenate([np.cross(positions, momenta).sum(axis=0), momenta.sum(axis=0)])


def cluster_energy(masses, positions, v):
    """Kinetic energy of a rigid cluster, summed over its particles."""
    return masses @ (field(v, positions) ** 2).sum(axis=1) / 2


def cluster_inertia(masses, positions):
    """The 6 x 6 matrix that maps velocity to momentum: a column for each unit motion of the cluster."""
    return np.column_stack([cluster_momentum(masses, positions, v) for v in np.eye(6)])


# The plane: a point or vector is a complex number, so that multiplying by i turns it by a right angle. A planar pose is
# a pair (theta, p); a body with the velocity [omega, v_x, v_y] has the velocity v + i omega P at the point P.

def plane(vector):
    """The two linear coordinates of a planar vector as a complex number."""
    return complex(vector[1], vector[2])


def planar_vector(angular, linear):
    return np.array([angular, linear.real, linear.imag])


def planar_motion_coordinates(m, theta, p):
    """Coordinates in the frame (theta, p) of a world motion: the field at the frame's origin, in its axes."""
    return planar_vector(m[0], cmath.exp(-1j * theta) * (plane(m) + 1j * m[0] * p))


def planar_force_coordinates(f, theta, p):
    """Coordinates in the frame (theta, p) of a world force: its moment about the frame's origin."""
    return planar_vector(f[0] - (p.conjugate() * plane(f)).imag, cmath.exp(-1j * theta) * plane(f))


def planar_motion_carried(m, theta, p):
    moved = cmath.exp(1j * theta) * plane(m)
    return planar_vector(m[0], moved - 1j * m[0] * p)


def planar_force_carried(f, theta, p):
    moved = cmath.exp(1j * theta) * plane(f)
    return planar_vector(f[0] + (p.conjugate() * moved).imag, moved)


def turning_about_pole(v):
    """The motion t -> (theta, p) from the world's frame with the constant velocity v, about the pole where V(P) = 0."""
    pole = 1j * plane(v) / v[0]
    return lambda t: (v[0] * t, pole - cmath.exp(1j * v[0] * t) * pole)


def random_planar_frame(rng):
    return rng.uniform(-3, 3), complex(*rng.normal(size=2))


def planar_rate(carried, v, vector):
    return slope(lambda t: carried(vector, *turning_about_pole(v)(t)))


def pair(z):
    return np.array([z.real, z.imag])


def lamina(rng, n=5):
    """Masses and positions (complex) of particles in the plane."""
    return rng.uniform(0.5, 2, n), rng.normal(size=n) + 1j * rng.normal(size=n)


def lamina_momentum(masses, points, v):
    momenta = masses * (plane(v) + 1j * v[0] * points)
    return planar_vector((points.conjugate() * momenta).imag.sum(), momenta.sum())


def lamina_properties(masses, points):
    c = (masses @ points) / masses.sum()
    return masses.sum(), pair(c), masses @ np.abs(points - c) ** 2


# Comparisons

def close(actual, expected, tolerance=1e-12):
    """Assert that two arrays agree to the tolerance, times the largest number expected if that is above 1."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1, np.abs(expected).max()))


def near(actual, expected, tolerance=1e-9):
    """As `close`, for what is compared with numerical derivatives; empty arrays, of fixed joints, are welcome."""
    assert np.shape(actual) == np.shape(expected)
    if np.size(expected):
        close(actual, expected, tolerance)


def far(actual, expected):
    """Assert that the difference is no rounding error: it is greater than any tolerance the tests allow."""
    assert np.abs(actual - expected).max() > 1e-3


def identical(actual, expected):
    """Whether two arrays of SymPy expressions are equal for all values of their symbols."""
    differences = np.ravel(np.asarray(actual) - np.asarray(expected))
    return all(sympy.expand(difference).is_zero for difference in differences)
