"""What tests of contacts share: simple bodies, systems with contacts by geometry, contact forces by all sets."""

from itertools import combinations

import numpy as np
from scipy.linalg import null_space

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import FreeMotion, Prismatic
from rbdlib.contact import Contact
from rbdlib.contact.simulation import simulate_contacts
from tests.sources.helpers import acceleration, derivative, random_tree, random_unit, second_derivative, velocity

G = 9.81


def free_body(inertia, gravity=(0, 0, -G)):
    """A body that no joint holds."""
    return Model([0], [FreeMotion()], [np.eye(6)], [inertia], gravity)


def lift(m=2.0, g=G):
    """A body of mass m (kg) that can move up and down only."""
    return Model([0], [Prismatic("z")], [np.eye(6)], [mcI(m, [0, 0, 0], np.eye(3))], (0, 0, -g))


def block_inertia(m, sizes):
    """The inertia of a uniform block about its centre."""
    a, b, c = np.array(sizes) ** 2
    return mcI(m, [0, 0, 0], m / 12 * np.diag([b + c, a + c, a + b]))


def quaternion(R):
    """Euler parameters of the rotation matrix R (no half turn)."""
    p_0 = np.sqrt(1 + np.trace(R)) / 2
    return np.array([p_0, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * p_0))])


def at(position, R=None):
    """The q of a free body at a position; R turns its axes."""
    return np.array([*quaternion(np.eye(3) if R is None else R), *position])


def run(*arguments, **options):
    """A simulation without a progress bar."""
    return simulate_contacts(*arguments, progress=False, **options)


def kinds(motion):
    return [event.kind for event in motion.events]


def gauss(begin, end, n=12):
    """Times from just after begin to just before end, and weights with which values there sum up to an integral."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    edge = 1e-9 * (end - begin)
    inner = begin + (end - begin) * (nodes + 1) / 2
    return np.array([begin + edge, *inner, end - edge]), np.array([0, *weights, 0]) * (end - begin) / 2


def holding_sets(M, d):
    """All solutions of the LCP that have a set of contacts hold and the others not, by trying every set."""
    found = []
    for k in range(len(d) + 1):
        for held in map(list, combinations(range(len(d)), k)):
            lam = np.zeros(len(d))
            lam[held] = np.linalg.lstsq(M[np.ix_(held, held)], -d[held])[0]
            zeta_dot = M @ lam + d
            if lam.min(initial=0) > -1e-9 and zeta_dot.min(initial=0) > -1e-9 and np.abs(zeta_dot[held]).max(
                    initial=0) < 1e-9:
                found.append(lam)
    return found


def complementary(zeta_dot, lam, tolerance=1e-9):
    assert np.min(zeta_dot, initial=0) >= -tolerance
    assert np.min(lam, initial=0) >= -tolerance
    assert np.abs(np.multiply(zeta_dot, lam)).max(initial=0) <= tolerance


class Touching:
    """A random tree with contacts of a vertex P fixed in body sc and a plane fixed in body pc, by geometry.
    pairs: (pc, sc). At q all touch; qd keeps them so. phi, n, C are functions of q (n_c, n_c x 6, n_c x 3)."""
    def __init__(self, rng, n=5, pairs=((0, 3), (2, 5), (4, 1)), parent=(0, 1, 1, 3, 0)):
        self.tree, self.pairs = random_tree(rng, n, parent), list(pairs)
        self.model, self.q = self.tree.model(), rng.normal(size=n)
        self.P, self.planes, poses = rng.normal(size=(len(self.pairs), 3)), [], self.tree.world_poses(self.q)
        for (pc, sc), P in zip(self.pairs, self.P, strict=True):
            (R_p, p_p), (R_s, p_s), n_hat = poses[pc], poses[sc], random_unit(rng)
            along = np.cross(n_hat, rng.normal(size=3))
            self.planes.append((R_p.T @ (p_s + R_s @ P - p_p) + along, n_hat))
        free = null_space(self.T().T)
        self.qd, self.qdd = free @ rng.normal(size=free.shape[1]), rng.normal(size=n)
        self.any_qd, self.tau = rng.normal(size=n), 5 * rng.normal(size=n)

    def C(self, q):
        poses = self.tree.world_poses(q)
        return np.array([poses[sc][1] + poses[sc][0] @ P for (_, sc), P in zip(self.pairs, self.P, strict=True)])

    def n_hat(self, q):
        poses = self.tree.world_poses(q)
        return np.array([poses[pc][0] @ n for (pc, _), (_, n) in zip(self.pairs, self.planes, strict=True)])

    def phi(self, q):
        poses = self.tree.world_poses(q)
        feet = [poses[pc][1] + poses[pc][0] @ A for (pc, _), (A, _) in zip(self.pairs, self.planes, strict=True)]
        return np.einsum("ij,ij->i", self.n_hat(q), self.C(q) - np.array(feet))

    def n(self, q):
        return np.concatenate([np.cross(self.C(q), self.n_hat(q)), self.n_hat(q)], axis=1)

    def T(self):
        """The gradients of phi, as columns."""
        return np.array([derivative(lambda t, e=e: self.phi(self.q + t * e)) for e in np.eye(len(self.q))])

    def ndot(self, qd):
        return derivative(lambda t: self.n(self.q + t * qd))

    def contacts(self, qd):
        return [Contact(pc, sc, n, ndot) for (pc, sc), n, ndot in
                zip(self.pairs, self.n(self.q), self.ndot(qd), strict=True)]

    def path(self, qd, qdd):
        return lambda t: self.q + t * qd + t * t / 2 * qdd

    def v(self, i, qd):
        return velocity(lambda t: self.tree.world_poses(self.q + t * qd)[i]) if i else np.zeros(6)

    def a(self, i, qd, qdd):
        path = self.path(qd, qdd)
        return acceleration(lambda t: self.tree.world_poses(path(t))[i]) if i else np.zeros(6)

    def phi_rate_2(self, qd, qdd):
        path = self.path(qd, qdd)
        return second_derivative(lambda t: self.phi(path(t)))

    def H_and_C(self, qd):
        return self.tree.mass_matrix(self.q), self.tree.lagrangian_bias(self.q, qd)
