"""MBT's articulated systems by 3D geometry, without rbdlib: the independent side of its ledger tests. A joint either
turns its link about successive axes or slides it along axes. Positions are analytic functions of q, for complex
steps."""

from functools import cache, cached_property

import numpy as np

from tests.sources import helpers


def vex(W):
    """The vector a of a skew matrix [a]; asserts that the matrix is skew."""
    assert np.abs(W + W.T).max() < 1e-9
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


class Linkage:
    """A tree of links as MBT describes it; the lists have one entry per link, numbered from 1 in `parent`.
    turns[k]: axes of the successive turns of a joint that turns, in the axes of the frame turned so far; None for one
    that slides. slides[k]: directions in which a joint slides, as columns; None for one that turns. d[k]: position of
    the joint in the parent's frame (at q = 0). clusters[k]: (masses, positions) of the link's particles in its
    frame."""
    def __init__(self, parent, turns, slides, d, clusters, gravity):
        self.parent, self.turns, self.slides, self.d, self.clusters = parent, turns, slides, d, clusters
        self.gravity, self.m = gravity, len(parent)
        self.dof = [np.shape(s)[1] if t is None else len(t) for t, s in zip(turns, slides, strict=True)]
        self.n = sum(self.dof)
        self.bodies = [None, *(helpers.mass_properties(*cluster) for cluster in clusters)]

    def own(self, k):
        """Where the variables of link k stand in q."""
        start = sum(self.dof[: k - 1])
        return slice(start, start + self.dof[k - 1])

    def body(self, k):
        """(m, c, I_0) of a link, by sums over its particles."""
        return self.bodies[k]

    def model(self, **changes):
        """The same tree as a Model of rbdlib."""
        from rbdlib import Model
        from rbdlib.book.ch02_spatial import mcI, xlt

        joints = [joint_of_rbdlib(*axes) for axes in zip(self.turns, self.slides, strict=True)]
        inertia = [mcI(*self.body(k)) for k in range(1, self.m + 1)]
        arguments = {"parent": self.parent, "joints": joints, "X_tree": [xlt(d) for d in self.d], "inertia": inertia,
                     "gravity": self.gravity}
        return Model(**{**arguments, **changes})

    # Positions; q may be complex

    def local(self, k, q):
        """(R_k, d_k): from link k to parent coordinates, and the position of its joint there."""
        own = q[self.own(k)]
        if self.turns[k - 1] is None:
            return np.eye(3), self.d[k - 1] + self.slides[k - 1] @ own
        R = np.eye(3)
        for axis, angle in zip(self.turns[k - 1], own, strict=True):
            R = R @ helpers.turn(axis, angle)
        return R, self.d[k - 1]

    def pose(self, k, q):
        """(R_k^0, origin) of link k; the world is link 0."""
        if k == 0:
            return np.eye(3), np.zeros(3)
        (R, p), (R_k, d_k) = self.pose(self.parent[k - 1], q), self.local(k, q)
        return R @ R_k, p + R @ d_k

    def R(self, k, q):
        return self.pose(k, q)[0]

    def x(self, k, q):
        """The centre of mass of link k in world coordinates."""
        R, p = self.pose(k, q)
        return p + R @ self.body(k)[1]

    def particles(self, k, q):
        """World positions of the particles of link k, one row each."""
        return helpers.points_carried(self.clusters[k - 1][1], self.pose(k, q))

    def v(self, k, q, qd):
        return helpers.derivative(lambda t: self.x(k, q + t * qd))

    def w(self, k, q, qd):
        return vex(helpers.derivative(lambda t: self.R(k, q + t * qd)) @ self.R(k, q).T)

    def J(self, k, q):
        """(J_v; J_w) of link k, one column for each unit velocity; zero for joints that are not on its path."""
        J, R = np.zeros((6, self.n)), self.R(k, q)

        def centre(q):
            R, p = self.pose(k, q)
            return np.column_stack([R, p + R @ self.body(k)[1]])

        for i in self.path(k):
            e = np.eye(self.n)[i]
            rates = helpers.derivative(lambda t, e=e: centre(q + t * e))
            J[:, i] = *rates[:, 3], *vex(rates[:, :3] @ R.T)
        return J

    def path(self, k):
        """The places in q of the variables that move link k."""
        own = self.own(k)
        return [*(self.path(self.parent[k - 1]) if self.parent[k - 1] else ()), *range(own.start, own.stop)]

    def I_c(self, k, q):
        R = self.R(k, q)
        return R @ self.body(k)[2] @ R.T

    def M_c(self, k, q):
        M_c = np.zeros((6, 6))
        M_c[:3, :3], M_c[3:, 3:] = self.body(k)[0] * np.eye(3), self.I_c(k, q)
        return M_c

    def link_energy(self, k, q, qd):
        velocities = helpers.derivative(lambda t: self.particles(k, q + t * qd))
        return self.clusters[k - 1][0] @ (velocities**2).sum(axis=1) / 2

    def energy(self, q, qd):
        return sum(self.link_energy(k, q, qd) for k in range(1, self.m + 1))

    def potential(self, q):
        return -sum(masses @ self.particles(k, q) @ self.gravity for k, (masses, _) in enumerate(self.clusters, 1))


def lagrange(energy, q, qd, qdd):
    """d/dt(dT/dqd) - dT/dq for T = energy(q, qd), by differences (to about 1e-8)."""
    units = np.eye(len(q))

    def momentum(t):
        at, rate = q + t * qd + t * t / 2 * qdd, qd + t * qdd
        return np.array([energy(at, rate + e) - energy(at, rate - e) for e in units]) / 2       # exact: T is quadratic

    return helpers.slope(momentum) - np.array([helpers.slope(lambda s, e=e: energy(q + s * e, qd)) for e in units])


def joint_of_rbdlib(turns, slides):
    """The joint of rbdlib with these axes (MBT's order of turning is that of rbdlib's letters)."""
    from rbdlib.book.ch02_spatial import xlt
    from rbdlib.book.ch04_joints import Euler, Prismatic, Revolute, Universal
    from rbdlib.methods.custom_joint import Custom

    if turns is None:
        if slides.shape[1] == 1:
            return Prismatic(slides[:, 0])
        S = np.concatenate([0 * slides, slides])
        return Custom(slides.shape[1], lambda q, t: xlt(slides @ q), lambda q, t: S, lambda q, qd, t: np.zeros(6),
                      lambda q, t: np.zeros(6), name="slides")
    if len(turns) == 1:
        return Revolute(turns[0])
    return {2: Universal, 3: Euler}[len(turns)]("".join("xyz"[int(np.argmax(axis))] for axis in turns))


X, Y, Z = np.eye(3)


def figure_1(rng):
    """MBT's Figure 1: four links, parents 0, 1, 2, 2, with 2, 3, 1, 1 angles; the sizes are random."""
    turns = [[X, Y], [X, Y, Z], [helpers.random_unit(rng)], [helpers.random_unit(rng)]]
    return Linkage([0, 1, 2, 2], turns, [None] * 4, list(rng.normal(size=(4, 3))),
                   [helpers.random_cluster(rng) for _ in turns], rng.normal(size=3))


def sliding_linkage(rng):
    """A root that slides in three directions, a link that turns on it, one that slides on that, and two branches."""
    turns = [None, [X, Y, Z], None, [helpers.random_unit(rng)], None]
    slides = [np.eye(3), None, helpers.random_unit(rng)[:, None], None, np.column_stack([X, Y])]
    d = [np.zeros(3), np.zeros(3), *rng.normal(size=(3, 3))]
    return Linkage([0, 1, 2, 3, 2], turns, slides, d, [helpers.random_cluster(rng) for _ in turns], rng.normal(size=3))


def flying_link(rng, turns=(X, Y, Z)):
    """One body with six coordinates: it slides in three directions and turns on the slider, of next to no mass."""
    masses, positions = helpers.random_cluster(rng)
    feather = (np.full(2, 1e-300), np.array([[1.0, 0, 0], [-1, 0, 0]]))
    return Linkage([0, 1], [None, list(turns)], [np.eye(3), None], [np.zeros(3), np.zeros(3)],
                   [feather, (masses, positions)], rng.normal(size=3))


class Motion:
    """A linkage on the path q + t qd + t² qdd / 2, its model, and what differences say of it at t = 0 and of link k."""
    def __init__(self, rng, make):
        self.rng, self.linkage = rng, make(rng)
        self.model, self.n = self.linkage.model(), self.linkage.n
        self.q, self.qd, self.qdd = rng.normal(size=(3, self.n))
        self.links, self.units = range(1, self.linkage.m + 1), np.eye(self.n)
        self.turning = [k for k in self.links if self.linkage.slides[k - 1] is None]
        self.sliding = [k for k in self.links if k not in self.turning]

    def at(self, t):
        return self.q + t * self.qd + t * t / 2 * self.qdd

    def rate(self, t):
        return self.qd + t * self.qdd

    def along(self, function):
        """The derivative of function(q, qd) along the path."""
        return helpers.slope(lambda t: function(self.at(t), self.rate(t)))

    def gradient(self, function):
        """The derivatives of a function of q, one per row."""
        return np.array([helpers.slope(lambda s, e=e: function(self.q + s * e)) for e in self.units])

    @cached_property
    def lagrange(self):
        """d/dt(dT/dqd) - dT/dq of the whole."""
        return lagrange(self.linkage.energy, self.q, self.qd, self.qdd)

    @cached_property
    def weights(self):
        """The generalized force of the weights."""
        return -self.gradient(self.linkage.potential)

    def parent(self, k):
        return self.linkage.parent[k - 1]

    def R(self, k, t=0.0):
        return self.linkage.R(k, self.at(t))

    def R_k(self, k, t=0.0):
        return self.linkage.local(k, self.at(t))[0]

    def d(self, k, t=0.0):
        return self.linkage.local(k, self.at(t))[1]

    def c(self, k):
        return self.linkage.body(k)[1] if k else np.zeros(3)

    def x(self, k, t=0.0):
        return self.linkage.x(k, self.at(t)) if k else np.zeros(3)

    def v(self, k, t=0.0):
        return self.linkage.v(k, self.at(t), self.rate(t)) if k else np.zeros(3)

    def w(self, k, t=0.0):
        return self.linkage.w(k, self.at(t), self.rate(t)) if k else np.zeros(3)

    def wh(self, k, t=0.0):
        """Angular velocity relative to the parent, in the parent's axes."""
        return self.R(self.parent(k), t).T @ (self.w(k, t) - self.w(self.parent(k), t))

    def local(self, k, vector):
        return self.R(k).T @ vector

    def vd(self, k):
        """Acceleration of the centre of mass, in the axes of link k."""
        return self.local(k, helpers.second_derivative(lambda t: self.x(k, t))) if k else np.zeros(3)

    def wd(self, k):
        return self.local(k, helpers.slope(lambda t: self.w(k, t))) if k else np.zeros(3)

    @cached_property
    def momentum_rate(self):
        """The forces (force; moment about the world's origin) that gravity lacks to move all links as they move."""
        def momentum(t):
            q, total = self.at(t), np.zeros(6)
            for k, (masses, _) in enumerate(self.linkage.clusters, 1):
                p = masses[:, None] * helpers.derivative(lambda s, k=k: self.linkage.particles(k, q + s * self.rate(t)))
                total = total + np.concatenate([p.sum(axis=0), np.cross(self.linkage.particles(k, q), p).sum(axis=0)])
            return total

        weights = sum(self.linkage.body(k)[0] * np.concatenate([self.linkage.gravity, np.cross(
            self.x(k), self.linkage.gravity)]) for k in self.links)
        return helpers.slope(momentum) - weights


@cache
def moving(make, seed=41):
    """A `Motion` of a linkage of one of the kinds above, which nobody changes."""
    return Motion(np.random.default_rng(seed), make)
