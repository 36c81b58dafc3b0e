"""Systems with loops in motion, by 3D geometry and differentiation, which tests of RBDA chapter 8 share. As in
`tests.sources.ch05_systems`, world vectors have their reference point at the world's origin. K, k, H and C come from
the poses of the bodies alone, T from the words of Table 4.1; nothing is computed by rbdlib."""

from functools import cache

import numpy as np

from rbdlib.book.ch02_spatial import plucker, rotx, roty, rotz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Fixed, FreeMotion, Prismatic, Revolute, Spherical, Universal
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.methods.custom_joint import Custom
from tests.sources.ch05_systems import STEP, Moving, fields
from tests.sources.ch07_systems import world_inertia
from tests.sources.helpers import force_carried, random_pose, slope
from tests.sources.joints import Mechanism, compose, joint_pose

#: The places of the forces with which joints with the axis z resist, in the order of Table 4.1.
RESISTS = {Revolute: [0, 1, 3, 4, 5], Prismatic: [0, 1, 2, 3, 4], Cylindrical: [0, 1, 3, 4], Spherical: [3, 4, 5],
           Fixed: [0, 1, 2, 3, 4, 5]}
FIVE = [Fixed(), Revolute(), Prismatic("z"), Cylindrical(), Spherical()]
LIMBS = [FreeMotion(), Spherical(), Revolute((1, 2, 3)), FreeMotion(), Universal(), Prismatic("y"), FreeMotion()]
PARENTS = [0, 1, 2, 0, 4, 3, 2]


def undone(outer, inner):
    """The pose of ``inner`` in the frame ``outer``, both given in the world."""
    (R, p), (R_in, p_in) = outer, inner
    return R.T @ R_in, R.T @ (p_in - p)


def as_pose(array):
    return array[:, :3], array[:, 3]


class Looped(Moving):
    """A tree of joints with loops that are closed, moving as qd and qdd say; qd fulfils the constraints.
    loops: (p, s, joint, place_P, place_S), places being poses of F_p on p and of F_s on s, or (p, s, joint), which are
    placed at random such that the loop is closed. K, k: of the constraint on qdd; T: the world forces of each loop. H,
    C: of the tree, f_ext and gravity included."""
    def __init__(self, rng, joints, parent, loops, places=None, q=None, gravity=None):
        self.mechanism = Mechanism(rng, joints, parent, gravity)
        self.mechanism.places = self.mechanism.places if places is None else places
        self.parent, self.model = [None, *parent], self.mechanism.model()
        self.bodies = range(1, len(self.parent))
        self.q = self.model.random_state(rng)[0] if q is None else np.array(q, dtype=float)
        self.qd = self.qdd = nothing = np.zeros(self.model.nv)
        self.poses = [as_pose(pose) for pose in self.placed(nothing)]
        self.loops = [loop if len(loop) == 5 else self.closed(rng, *loop) for loop in loops]
        self.model = self.model.replace(loops=[LoopJoint(p, s, joint, plucker(P[0].T, P[1]), plucker(S[0].T, S[1]))
                                               for p, s, joint, P, S in self.loops])
        self.ways = np.stack([fields(self.placed(nothing), slope(lambda x, e=e: self.placed(x * e), h=STEP))
                              for e in np.eye(self.model.nv)], axis=2)
        self.T = [self.forces(l) for l in range(len(self.loops))]
        self.K = np.vstack([T.T @ self.J_L(l) for l, T in enumerate(self.T)])
        qd, self.qdd = rng.normal(size=(2, self.model.nv))
        self.qd = qd - np.linalg.lstsq(self.K, self.K @ qd, rcond=1e-8)[0]
        self.f_ext = rng.normal(size=(len(self.parent), 6))
        self.weights = np.array([np.zeros(6), *(
            np.concatenate([np.cross(p + R @ c, m * self.mechanism.gravity), m * self.mechanism.gravity])
            for (R, p), (m, c, _) in zip(self.poses[1:], self.mechanism.bodies, strict=True))])
        self.moved()

    def closed(self, rng, p, s, joint):
        place_P = random_pose(rng)
        F_s = compose(compose(self.poses[p], place_P), joint_pose(joint, joint.random_position(rng)))
        return p, s, joint, place_P, undone(self.poses[s], F_s)

    def moved(self):
        """Everything that depends on the velocities; call it after changing qd or qdd."""
        self.v = self.velocities()
        self.a, self.net = slope(self.velocities, h=STEP), slope(self.momenta, h=STEP)
        self.H = sum(self.ways[i].T @ self.inertia(i) @ self.ways[i] for i in self.bodies)
        self.C = self.joint_forces() - self.H @ self.qdd
        self.k = np.concatenate([self.k_of(l) for l in range(len(self.loops))])

    def k_of(self, l):
        p, s, *_ = self.loops[l]
        past, changes = self.a[s] - self.a[p], self.T_dot(l).T @ (self.v[s] - self.v[p])
        return self.by_loop(self.K)[l] @ self.qdd - self.T[l].T @ past - changes

    def inertia(self, i):
        """I_i in the world."""
        return world_inertia(*self.mechanism.bodies[i - 1], *self.poses[i])

    def by_loop(self, rows):
        """The parts of an array, such as K, k or lam, that belong to each loop."""
        return np.split(rows, np.cumsum([T.shape[1] for T in self.T])[:-1])

    def F_s(self, l, t=0.0):
        """The pose of the frame of loop joint l on its successor, in the world."""
        return compose(as_pose(self.at(t)[self.loops[l][1]]), self.loops[l][4])

    def F_p(self, l, t=0.0):
        return compose(as_pose(self.at(t)[self.loops[l][0]]), self.loops[l][3])

    def forces(self, l, t=0.0):
        """T of loop l in the world: unit forces in F_s, carried there."""
        return np.column_stack([force_carried(np.eye(6)[i], self.F_s(l, t)) for i in RESISTS[type(self.loops[l][2])]])

    def T_dot(self, l):
        return slope(lambda t: self.forces(l, t), h=STEP)

    def J_L(self, l):
        """The loop Jacobian in the world: how fast the successor moves past the predecessor for unit velocities."""
        p, s, *_ = self.loops[l]
        return self.ways[s] - self.ways[p]

    def composite(self):
        """The matrix of Eq. 8.36."""
        return np.block([[self.H, self.K.T], [self.K, np.zeros((len(self.K),) * 2)]])

    def solved(self, tau):
        """qdd and the shortest lam of the composite equation, by NumPy's least squares."""
        n = self.model.nv
        x = np.linalg.lstsq(self.composite(), np.concatenate([tau - self.C, self.k]), rcond=1e-9)[0]
        return x[:n], -x[n:]


def limbs(rng, *loops):
    """A tree with many freedoms and the given loops (p, s, joint)."""
    return Looped(rng, LIMBS, PARENTS, loops)


def here(x=0.0, y=0.0, angle=0.0):
    """A place in the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([x, y, 0.0])


def four_bar(rng, theta=0.7, branch=1, loop_joint=None, sizes=(1.0, 2.0, 1.5, 2.2)):
    """Crank, coupler, rocker and ground, in the x-y plane; the branch, 1 or -1, tells two ways to close it apart."""
    a, b, c, ground = sizes
    elbow = a * np.exp(1j * theta)
    d = ground - elbow
    x = (abs(d) ** 2 + b * b - c * c) / (2 * abs(d))
    tip = elbow + d / abs(d) * (x + branch * 1j * np.sqrt(b * b - x * x))
    q = [theta, np.angle((tip - elbow) / elbow), np.angle(tip - ground)]
    return Looped(rng, [Revolute()] * 3, [0, 1, 0], [(2, 3, loop_joint or Revolute(), here(b), here(c))],
                  [here(), here(a), here(ground)], q)


def figure_8_3(rng, y=(0.8, 0.5), l1=1.3, l2=0.8):
    """The mechanism of Figure 8.3: a two-link arm (bodies 1, 4) whose first link a linear actuator (2, 3) moves."""
    joint_5 = l2 * np.exp(1j * y[0])
    stroke = joint_5 - l1
    along = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])       # its z axis lies along x: joint 3 slides along z
    q = [y[0], np.angle(stroke), abs(stroke), y[1]]
    return Looped(rng, [Revolute(), Revolute(), Prismatic("z"), Revolute()], [0, 0, 2, 1],
                  [(3, 1, Revolute(), (along.T, np.zeros(3)), here(l2))],
                  [here(), here(l1), (along, np.zeros(3)), here(1.1)], q)


def figure_8_2(rng, arms, slide, L=1.0):
    """Two arms from O, two links from their ends to a slider P on a line through O: Figure 8.2 (a). arms: the two
    angles (rad) of the arms; slide: where P is."""
    elbows = [L * np.exp(1j * angle) for angle in arms]
    links = [np.angle((slide - elbow) / elbow) for elbow in elbows]
    return Looped(rng, [Revolute(), Revolute(), Revolute(), Revolute(), Prismatic("x")], [0, 0, 1, 2, 0],
                  [(3, 5, Revolute(), here(L), here()), (4, 5, Revolute(), here(L), here())],
                  [here(), here(), here(L), here(L), here()], [*arms, *links, slide])


@cache
def one_constraint():
    """A joint that keeps its successor's origin at the height x = 0 of its predecessor, and resists nothing else."""
    return Custom(5, lambda q, t: rotz(q[2]) @ roty(q[1]) @ rotx(q[0]) @ xlt([0, q[3], q[4]]), name="on a plane")
