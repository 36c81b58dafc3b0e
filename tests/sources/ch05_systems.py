"""A mechanism of any joints in motion, by 3D geometry and differentiation in time, which tests of RBDA chapter 5 share.
World motions and forces have their reference point at the world's origin. Lists over bodies are arrays whose row 0 is
the base. Nothing here is computed by rbdlib, whose names only say what is meant."""

import numpy as np

from rbdlib.book import ch04_joints
from tests.sources.helpers import cross, motion_coordinates, slope, uniform_motion
from tests.sources.joints import Mechanism, compose, joint_pose

#: The velocity variables of joints for which they are no derivatives of positions: places in a velocity in F_s.
PLACES = {ch04_joints.Spherical: [0, 1, 2], ch04_joints.Planar: [2, 3, 4], ch04_joints.FreeMotion: [0, 1, 2, 3, 4, 5]}
STEP = 3e-3

#: Four sets of joints in which every type occurs.
JOINT_SETS = {
    "axes": [ch04_joints.Revolute("z"), ch04_joints.Prismatic((1, 2, 3)), ch04_joints.Revolute((1, 0, 1)),
             ch04_joints.Helical(0.3, "y"), ch04_joints.Cylindrical("x")],
    "balls and planes": [ch04_joints.Spherical(), ch04_joints.Planar(), ch04_joints.Fixed(), ch04_joints.FreeMotion(),
                         ch04_joints.Planar("F_s")],
    "angles": [ch04_joints.Euler("zyx"), ch04_joints.Universal("xy"), ch04_joints.RackAndPinion(0.4),
               ch04_joints.Euler("xzx"), ch04_joints.Revolute("y")],
    "reversed": [ch04_joints.Reversed(ch04_joints.Universal("xz")), ch04_joints.FreeMotion("F_s"),
                 ch04_joints.Reversed(ch04_joints.RackAndPinion(0.3)), ch04_joints.Reversed(ch04_joints.Spherical()),
                 ch04_joints.Reversed(ch04_joints.Euler("yzx"))]}


def moved_pose(joint, q, step):
    """The pose of a joint that has moved from q by its velocity variables times a small time."""
    if isinstance(joint, ch04_joints.Reversed):
        R, p = moved_pose(joint.joint, q, step)
        return R.T, -R.T @ p
    if type(joint) in PLACES:
        screw = np.zeros(6)
        screw[PLACES[type(joint)]] = step
        return compose(joint_pose(joint, q), uniform_motion(screw)(1.0))
    return joint_pose(joint, q + step)


class Moving:
    """A random tree of the given joints, whose velocity variables change as qd + t qdd.
    places: {body: pose of its joint on its parent}, where it is not to be random. parent: of each body, None for the
    base. poses: (R, p) of the bodies. v, a: their velocities and accelerations. net: the forces that produce the change
    of their momentum. weights: of the bodies. ways[i] (6 x nv): the velocity of body i for unit velocity variables.
    f_ext: forces that act on the bodies. All at t = 0, in the world."""
    def __init__(self, rng, joints, parent=None, speed=0.7, places=None):
        self.mechanism = Mechanism(rng, joints, parent)
        self.mechanism.places = [(places or {}).get(i, place) for i, place in enumerate(self.mechanism.places, start=1)]
        self.parent = [None, *self.mechanism.parent]
        self.model = self.mechanism.model()
        self.bodies = range(1, len(self.parent))
        self.q, self.qd = self.model.random_state(rng)
        self.qd, self.qdd = speed * self.qd, rng.normal(size=self.model.nv)
        self.f_ext = rng.normal(size=(len(self.parent), 6))
        self.poses = [(pose[:, :3], pose[:, 3]) for pose in self.placed(0 * self.qd)]
        self.v = self.velocities()
        self.a = slope(self.velocities, h=STEP)
        self.net = slope(self.momenta, h=STEP)
        self.weights = np.array([np.zeros(6), *(
            np.concatenate([cross(p + R @ c, m * self.mechanism.gravity), m * self.mechanism.gravity])
            for (R, p), (m, c, _) in zip(self.poses[1:], self.mechanism.bodies, strict=True))])
        self.ways = self.found_ways()

    @property
    def gravity(self):
        """The acceleration of free fall as a spatial vector."""
        return np.concatenate([np.zeros(3), self.mechanism.gravity])

    def placed(self, step):
        """The poses [R, p] of the bodies after a small step of the velocity variables (N_B+1 x 3 x 4)."""
        poses = [(np.eye(3), np.zeros(3))]
        for i, (joint, place) in enumerate(zip(self.mechanism.joints, self.mechanism.places, strict=True), start=1):
            moved = moved_pose(joint, self.q[self.model.q_slice(i)], step[self.model.v_slice(i)])
            poses.append(compose(compose(poses[self.parent[i]], place), moved))
        return np.array([np.column_stack(pose) for pose in poses])

    def found_ways(self):
        """The ways of the bodies: a body that moves carries all that is fixed to it along."""
        ways = np.zeros((len(self.parent), 6, self.model.nv))
        for i in self.bodies:
            def alone(step, i=i):
                """The pose [R, p] of body i after a small step of the variables of joint i alone."""
                start = compose(self.poses[self.parent[i]], self.mechanism.places[i - 1])
                moved = moved_pose(self.mechanism.joints[i - 1], self.q[self.model.q_slice(i)], step)
                return np.column_stack(compose(start, moved))

            columns, subtree = range(self.model.nv)[self.model.v_slice(i)], self.subtree(i)
            for column, e in zip(columns, np.eye(len(columns)), strict=True):
                rate = slope(lambda s, e=e, alone=alone: alone(s * e), h=STEP)
                ways[subtree, :, column] = fields([np.column_stack(self.poses[i])], [rate])
        return ways

    def at(self, t):
        """The poses at the time t. Differences of differences ask for the same few times again and again."""
        known, t = self.__dict__.setdefault("_known", {}), round(t, 12)
        key = t, self.q.tobytes(), self.qd.tobytes(), self.qdd.tobytes()
        if key not in known:
            known[key] = self.placed(t * self.qd + t * t / 2 * self.qdd)
            known[key].setflags(write=False)
        return known[key]

    def velocities(self, t=0.0):
        return fields(self.at(t), slope(self.at, t, STEP))

    def momenta(self, t=0.0):
        """Moment of momentum about the origin, and momentum, of each body: from m, c, I_C and the body's motion."""
        h = [np.zeros(6)]
        for pose, v, (m, c, I_C) in zip(self.at(t)[1:], self.velocities(t)[1:], self.mechanism.bodies, strict=True):
            R, centre = pose[:, :3], pose[:, 3] + pose[:, :3] @ c
            linear = m * (v[3:] + cross(v[:3], centre))
            h.append(np.concatenate([cross(centre, linear) + R @ I_C @ R.T @ v[:3], linear]))
        return np.array(h)

    def kinetic_energy(self, t=0.0):
        return sum(h @ v for h, v in zip(self.momenta(t), self.velocities(t), strict=True)) / 2

    def joint_forces(self, gravity=True, external=True):
        """tau by d'Alembert's principle: what the net forces need beyond the forces that act anyway, along all ways."""
        needed = self.net - gravity * self.weights - external * self.f_ext
        return np.einsum("ijk,ij->k", self.ways, needed)

    def way(self, i):
        """S_i in world coordinates: the columns of joint i's own freedoms (6 x nv_i)."""
        return self.ways[i][:, self.model.v_slice(i)]

    def in_body(self, motion, i):
        """The coordinates in body i of a world motion."""
        return motion_coordinates(motion, self.poses[i])

    def subtree(self, i):
        return [j for j in self.bodies if i in self.ancestors(j)]

    def ancestors(self, j):
        return {j} | (self.ancestors(self.parent[j]) if j else set())


def fields(poses, rates):
    """The world velocities [omega; v_O] of bodies with the given poses and rates of change of these."""
    poses, rates = np.asarray(poses), np.asarray(rates)
    W = rates[:, :, :3] @ poses[:, :, :3].transpose(0, 2, 1)
    omega = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
    return np.hstack([omega, rates[:, :, 3] - np.cross(omega, poses[:, :, 3])])
