"""Mechanisms in the notation of the spatial operator algebra, by geometry and differentiation: for the tests of SOA.
Link k is body n+1-k, and n+1 is the base. Every vector has world axes; spatial vectors of link k refer to O_k, the
origin of its body's frame. Arrays over links have a row 0 that means nothing. Nothing is computed by rbdlib but states,
and the axes of joints at other times than t = 0."""

from functools import lru_cache

import numpy as np

from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch04_joints
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.helpers import cross_matrix, mass_properties, random_cluster, slope, smooth_motion

#: The chains of the tests: sets of joints, in which every type occurs.
CHAINS = {**JOINT_SETS, "arm": [ch04_joints.Revolute((1, 2, 0)), ch04_joints.Prismatic((0, 1, 1)),
                                ch04_joints.Revolute("y"), ch04_joints.Spherical(), ch04_joints.Revolute("x")],
          "flying": [ch04_joints.FreeMotion(), ch04_joints.Revolute("z"), ch04_joints.Spherical()],
          "single": [ch04_joints.Revolute((2, 0, 1)), ch04_joints.Prismatic("x"), ch04_joints.Revolute("z"),
                     ch04_joints.Helical(0.2, "y"), ch04_joints.Revolute("x")],
          "balls": [ch04_joints.Spherical(), ch04_joints.Euler("zyx"), ch04_joints.Spherical(),
                    ch04_joints.Reversed(ch04_joints.Spherical()), ch04_joints.Spherical()],
          "cylinders": [ch04_joints.Revolute((1, 2, 0)), ch04_joints.Cylindrical("y"), ch04_joints.Prismatic("z"),
                        ch04_joints.Cylindrical((1, 0, 2)), ch04_joints.Revolute("x")]}
#: Chains with all kinds of joints between them; and chains and trees, which the text does not treat.
SERIAL = ["axes", "arm", "balls and planes", "reversed"]
SYSTEMS = ["arm", "axes, tree", "balls and planes, tree", "reversed"]
#: The tolerance for what is solved for from derivatives by differences.
RATES = 1e-7


def moved_to(motion, p):
    """A world motion [omega; v at the world's origin] with its reference point at p (or the columns of a matrix)."""
    shift = np.eye(6)
    shift[3:, :3] = -cross_matrix(p)
    return shift @ motion


def force_at(f, p):
    """A world force with its moment about p and not about the world's origin."""
    return np.concatenate([f[:3] - np.cross(p, f[3:]), f[3:]])


def block(l):
    """phi(l) from its meaning: the moment about O of a force at C is l × F more, when l leads from O to C."""
    whole = np.eye(6)
    whole[:3, 3:] = cross_matrix(l)
    return whole


def body_inertia(body, R, p_C):
    """The matrix that maps (omega; v at O) to the momentum about O of a body (m, c, I_C), with l(OC) = p_C."""
    m, _, I_C = body
    columns = []
    for unit in np.eye(6):
        linear = m * (unit[3:] + np.cross(unit[:3], p_C))
        columns.append(np.concatenate([R @ I_C @ R.T @ unit[:3] + np.cross(p_C, linear), linear]))
    return np.column_stack(columns)


class System(Moving):
    """A moving mechanism, seen from tip to base."""
    def __init__(self, rng, joints, parent=None, speed=0.7):
        super().__init__(rng, joints, parent, speed)
        self.n = len(self.bodies)
        self.links = range(1, self.n + 1)
        self.O = self.points()
        self.V = self.point_velocities()
        self.alpha = slope(self.point_velocities, h=STEP)
        self.beta, self.beta_dot = self.in_chain(self.qd), self.in_chain(self.qdd)

    def body(self, k):
        return self.n + 1 - k

    def inboard(self, k):
        return self.n + 1 - self.parent[self.body(k)]

    def outboard(self, k):
        """The links of the part that joint k carries, k itself included."""
        return sorted(self.n + 1 - i for i in self.subtree(self.body(k)))

    @property
    def order(self):
        """The model's velocity variables in the order of the links: tip first, within a joint as they were."""
        slices = [self.model.v_slice(self.body(k)) for k in self.links]
        return [i for place in slices for i in range(place.start, place.stop)]

    def in_chain(self, x):
        return x[self.order] if np.ndim(x) == 1 else x[np.ix_(self.order, self.order)]

    def variables(self, k):
        """The places of joint k's variables in the order of the links."""
        own = range(self.model.nv)[self.model.v_slice(self.body(k))]
        return [self.order.index(i) for i in own]

    def world_axes(self, i):
        """The 6 x 6 matrix that turns both halves of a vector from the coordinates of body i to world axes."""
        return np.kron(np.eye(2), self.poses[i][0])

    # Motion

    def points(self, t=0.0):
        """The points O_k."""
        poses = self.at(t)
        return np.array([np.zeros(3), *(poses[self.body(k)][:, 3] for k in range(1, len(poses) + 1))])

    def point_velocities(self, t=0.0):
        """Angular velocity of link k, and velocity of the point O_k: V(k)."""
        v, O = self.velocities(t), self.points(t)
        return np.array([np.zeros(6), *(moved_to(v[self.body(k)], O[k]) for k in range(1, len(v) + 1))])

    def lever(self, i, j, t=0.0):
        """The vector from O_i to O_j."""
        O = self.points(t) if t else self.O
        return O[j] - O[i]

    def p(self, k, t=0.0):
        """The vector from O_k to the centre of mass of link k."""
        return self.at(t)[self.body(k)][:, :3] @ self.mechanism.bodies[self.body(k) - 1][1]

    def H_star(self, k):
        """The velocity of link k, at O_k, for unit velocity variables of joint k alone (6 x r_v)."""
        return moved_to(self.way(self.body(k)), self.O[k])

    def H_star_at(self, k, t):
        """The same at another time: the axes that the joint has in its body, carried there by geometry."""
        i = self.body(k)
        joint, at_q, at_v = self.model.joints[i], self.model.q_slice(i), self.model.v_slice(i)
        step = t * self.qd + t * t / 2 * self.qdd
        S = ch04_joints.jcalc(joint, joint.integrate(self.q[at_q], step[at_v], 1.0), self.qd[at_v])[1]
        R = self.at(t)[i][:, :3]
        return np.kron(np.eye(2), R) @ S

    def ways_at(self, k):
        """The velocity of link k, at O_k, for unit velocity variables, which are in the order of the links (6 x N)."""
        return moved_to(self.ways[self.body(k)], self.O[k])[:, self.order]

    # Inertia and forces

    def M(self, k, t=0.0):
        """The spatial inertia of link k about O_k."""
        return body_inertia(self.mechanism.bodies[self.body(k) - 1], self.at(t)[self.body(k)][:, :3], self.p(k, t))

    def mass_matrix(self):
        """The matrix of the kinetic energy in the velocity variables, in the order of the links (N x N)."""
        return sum(self.ways_at(k).T @ self.M(k) @ self.ways_at(k) for k in self.links)

    def net_force(self, k):
        """The rate of change of the momentum of link k, as a force at O_k."""
        return force_at(self.net[self.body(k)], self.O[k])

    def f(self, k, gravity=False, external=False):
        """The force at O_k that joint k must give to all that it carries."""
        bodies = [self.body(j) for j in self.outboard(k)]
        world = self.net[bodies] - gravity * self.weights[bodies] - external * self.f_ext[bodies]
        return force_at(world.sum(axis=0), self.O[k])

    def T(self, gravity=False, external=False):
        """The joint forces in the order of the links."""
        return self.in_chain(self.joint_forces(gravity, external))

    def composite_inertia(self, k):
        """The inertia about O_k of what joint k carries, as one body: from momenta there."""
        total = np.zeros((6, 6))
        for i in map(self.body, self.outboard(k)):
            (R, p), body = self.poses[i], self.mechanism.bodies[i - 1]
            total += body_inertia(body, R, p + R @ body[1] - self.O[k])
        return total

    # Stacked

    def stack(self, rows):
        """[y(1); ..; y(n)] of an array over links, or of a function of the link."""
        return np.concatenate([rows(k) if callable(rows) else rows[k] for k in self.links])

    def phi(self):
        """The operator phi: block (i, j) takes forces from O_j to O_i where joint i carries link j."""
        whole = np.zeros((6 * self.n, 6 * self.n))
        for i in self.links:
            for j in self.outboard(i):
                whole[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j] = block(self.lever(i, j))
        return whole

    def H(self):
        """The operator H (N x 6n)."""
        return diagonal([self.H_star(k).T for k in self.links])


def diagonal(parts):
    """The block diagonal matrix of the parts."""
    whole = np.zeros(np.sum([part.shape for part in parts], axis=0))
    i = j = 0
    for part in parts:
        whole[i : i + part.shape[0], j : j + part.shape[1]] = part
        i, j = i + part.shape[0], j + part.shape[1]
    return whole


@lru_cache
def serial_system(name, seed=1):
    """One of the `CHAINS`, each body the parent of the next."""
    joints = CHAINS[name]
    return System(np.random.default_rng([seed, 4]), joints, range(len(joints)))


@lru_cache
def tree_system(name, seed=1):
    """The same joints in a tree with two bodies on the base at least, which branches again."""
    joints = CHAINS[name]
    return System(np.random.default_rng([seed, 8]), joints, [0, 1, 1, 0, 2][: len(joints)])


def named_system(name):
    """One of the `CHAINS`, or the tree of its joints, as in `SYSTEMS`."""
    name, *tree = name.split(", ")
    return (tree_system if tree else serial_system)(name)


def operations(function, *arguments):
    """How many operations a function takes for the given numbers."""
    return sum(count_operations(function, *arguments)[0].values())


def kalman(c):
    """The lists P, D, G, P+ of a serial chain c: Kalman's recursion over its phi, H, M, with NumPy's inverse."""
    P, D, G, P_plus = ([None] * (c.n + 1) for _ in range(4))
    inherited = np.zeros((6, 6))
    for k in c.links:
        P[k] = inherited + c.M[k]
        D[k] = c.H[k] @ P[k] @ c.H[k].T
        G[k] = P[k] @ c.H[k].T @ np.linalg.inv(D[k])
        P_plus[k] = P[k] - G[k] @ c.H[k] @ P[k]
        inherited = c.phi[k] @ P_plus[k] @ c.phi[k].T
    return P, D, G, P_plus


class Flying:
    """A rigid cluster of particles that moves anyhow: its centre C, another of its points O, and a third, Q."""
    def __init__(self, rng):
        self.masses, self.positions = random_cluster(rng)
        self.m, self.c, self.I_C = mass_properties(self.masses, self.positions)
        self.pose, self.o, self.q = smooth_motion(rng), rng.normal(size=3), rng.normal(size=3)

    def point(self, name, t=0.0):
        R, p = self.pose(t)
        return p + R @ {"C": self.c, "O": self.o, "Q": self.q}[name]

    def lever(self, start, end, t=0.0):
        return self.point(end, t) - self.point(start, t)

    def V(self, name, t=0.0):
        """(omega; velocity of the point), from differences of the pose."""
        W = slope(lambda t: self.pose(t)[0], t) @ self.pose(t)[0].T
        return np.concatenate([[W[2, 1], W[0, 2], W[1, 0]], slope(lambda t: self.point(name, t), t)])

    def alpha(self, name):
        return slope(lambda t: self.V(name, t))

    def J_C(self, t=0.0):
        R = self.pose(t)[0]
        return R @ self.I_C @ R.T

    def M(self, name, t=0.0):
        """The inertia about a point, as the matrix of the momentum there."""
        return body_inertia((self.m, None, self.I_C), self.pose(t)[0], self.lever(name, "C", t))

    def particle_rates(self, t=0.0):
        R, p = self.pose(t)
        where = p + self.positions @ R.T
        return where, slope(lambda t: self.pose(t)[1] + self.positions @ self.pose(t)[0].T, t)

    def momentum(self, about, t=0.0):
        """Moment of momentum about a given place, and momentum: sums over the particles."""
        where, rates = self.particle_rates(t)
        momenta = self.masses[:, None] * rates
        return np.concatenate([np.cross(where - about, momenta).sum(axis=0), momenta.sum(axis=0)])

    def energy(self):
        return self.masses @ (self.particle_rates()[1] ** 2).sum(axis=1) / 2

    def force(self, name):
        """The net force that the motion takes, with its moment about a point: by d'Alembert, particle by particle."""
        where = self.particle_rates()[0]
        pulls = self.masses[:, None] * slope(lambda t: self.particle_rates(t)[1])
        return np.concatenate([np.cross(where - self.point(name), pulls).sum(axis=0), pulls.sum(axis=0)])
