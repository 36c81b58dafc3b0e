"""Systems whose response to any forces follows from geometry, and the articulated bodies in them: for RBDA chapter 7.
The mass matrix and the accelerations come from the bodies' ways and masses, not from rbdlib; only what is said to be by
projection is."""

import functools

import numpy as np

from rbdlib import Model
from rbdlib.book import ch04_joints as joint
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods.articulated_body_variants import articulated_bodies_in_base, handles_by_projection
from rbdlib.methods.handles import Connection
from tests.sources import helpers
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.helpers import cross_matrix, force_coordinates, motion_carried, motion_coordinates, slope

#: Trees that float: body 1 is connected to the base by six freedoms and carries all others.
FLOATING = {
    "axes": ([joint.FreeMotion(), joint.Revolute("z"), joint.Prismatic((1, 2, 3)), joint.Revolute((1, 0, 1)),
              joint.Helical(0.3, "y"),
              joint.Cylindrical("x")], [0, 1, 1, 2, 4, 2]),
    "many freedoms": ([joint.FreeMotion(), joint.Spherical(), joint.Planar(), joint.Fixed(), joint.Euler("zyx"),
                       joint.Universal("xy")],
                      [0, 1, 2, 2, 1, 5]),
    "none to six": ([joint.FreeMotion("F_s"), joint.Fixed(), joint.FreeMotion(),
                     joint.Reversed(joint.Universal("xz")), joint.Prismatic("x")],
                    [0, 1, 2, 1, 4])}
FLOATING_TREES = [(name, seed) for name in FLOATING for seed in (1, 2)]


class Forced(Moving):
    """A `Moving` mechanism, and what it would do in the same state under other forces.
    M[i]: inertia of body i in the world. H: mass matrix. bias: tau - H qdd, without external forces."""
    def __init__(self, rng, joints, parent=None, speed=0.7, places=None):
        super().__init__(rng, joints, parent, speed, places)
        self.M = [None, *(world_inertia(*body, *pose) for body, pose in
                          zip(self.mechanism.bodies, self.poses[1:], strict=True))]
        self.H = sum(self.ways[i].T @ self.M[i] @ self.ways[i] for i in self.bodies)
        self.bias = self.joint_forces(external=False) - self.H @ self.qdd

    def response(self, tau, forces=0):
        """qdd, and the accelerations of the bodies (N_B+1 x 6), under joint forces tau and world forces on bodies."""
        forces = np.zeros((len(self.parent), 6)) + forces
        qdd = np.linalg.solve(self.H, tau + np.einsum("ijk,ij->k", self.ways, forces) - self.bias)
        return qdd, self.a + self.ways @ (qdd - self.qdd)

    def joint_force(self, i, external=True):
        """The force that joint i transmits to body i in the motion at hand: what its subtree needs besides the rest."""
        return sum(self.net[j] - self.weights[j] - external * self.f_ext[j] for j in self.subtree(i))

    def unforced(self):
        """The joint forces of a floating tree's motion, without those that push its root from the base."""
        tau = self.joint_forces()
        tau[:6] = 0
        return tau

    def weightless(self, a, i):
        """The acceleration of body i, in its coordinates, less that of free fall: what Table 7.1 calls a_i."""
        return self.in_body(a[i] - self.gravity, i)

    def bias_of_joint(self, i):
        """c_i, the rate of change of the world coordinates of joint i's S, found by differences, times qd."""
        model = self.model

        def axes(t):
            q = model.integrate(self.q, t * self.qd + t * t / 2 * self.qdd, 1.0)[model.q_slice(i)]
            S = joint.jcalc(model.joints[i], q, self.qd[model.v_slice(i)])[1]
            pose = self.at(t)[i]
            return np.column_stack([np.zeros((6, 0)), *(motion_carried(s, (pose[:, :3], pose[:, 3])) for s in S.T)])

        return slope(axes, h=STEP) @ self.qd[model.v_slice(i)]

    def force_in_body(self, f, i):
        """The coordinates in body i of a world force."""
        return force_coordinates(f, self.poses[i])

    def jacobian(self, i):
        """The Jacobian of body i, in its coordinates, from its ways."""
        return np.column_stack([self.in_body(way, i) for way in self.ways[i].T])

    def force_on(self, i, f):
        """World forces on the bodies (N_B+1 x 6): f on body i, and nothing else."""
        forces = np.zeros((len(self.parent), 6))
        forces[i] = f
        return forces


def near(actual, expected, tolerance=1e-8):
    """As the `near` of helpers, also for what is inverted."""
    helpers.near(actual, expected, tolerance)


def smallest_eigenvalue(A):
    """That of a matrix, which must be symmetric."""
    near(A, A.T, 1e-11)
    return np.linalg.eigvalsh((A + A.T) / 2).min()


def assembled(tree):
    """The articulated bodies of a floating tree by the algorithm under test."""
    return articulated_bodies(tree.model, tree.q, tree.qd, tree.unforced(), tree.f_ext)


def solved(moving):
    """The algorithm under test in the motion at hand: in body coordinates, and by equations in base coordinates."""
    state = moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext
    return articulated_bodies(*state), articulated_bodies_in_base(*state)


def world_inertia(m, c, I_C, R, p):
    """The inertia of a body at the pose (R, p), from the momentum of unit motions about the world's origin."""
    C = cross_matrix(p + R @ c)
    return np.block([[R @ I_C @ R.T - m * C @ C, m * C], [-m * C, m * np.eye(3)]])


@functools.cache
def floating(name, seed=1):
    joints, parent = FLOATING[name]
    return Forced(np.random.default_rng([seed, 7]), joints, parent)


@functools.cache
def forced(name):
    """A random tree of one of the sets of joints."""
    return Forced(np.random.default_rng(71), JOINT_SETS[name])


def spd(rng, n=6):
    """A random symmetric positive definite matrix."""
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.3 * np.eye(n)


def complement(S):
    """A basis (6 x 6-n), orthonormal, of what is at right angles to the columns of S (6 x n), by Gram and Schmidt."""
    basis = []
    for vector in (*S.T, *np.eye(6)):
        for _ in range(2):
            vector = vector - sum((b @ vector * b for b in basis), np.zeros(6))
        if np.linalg.norm(vector) > 0.2 or len(basis) < S.shape[1]:
            basis.append(vector / np.linalg.norm(vector))
    return np.reshape(basis[S.shape[1]:], (-1, 6)).T


def random_connection(rng, n):
    """A joint with n freedoms: T across S, and a T_a with T_aᵀ S = 1 that is not the simplest."""
    S = rng.normal(size=(6, n))
    T = complement(S) @ spd(rng, 6 - n)
    T_a = S @ np.linalg.inv(S.T @ S) + T @ rng.normal(size=(6 - n, n))
    return Connection(S, T, T_a, rng.normal(size=6), rng.normal(size=n))


def subtree_alone(moving, i, bodies=None, inertia=None):
    """The articulated body A_i as a system of its own, in weightlessness, in the motion that it has in the tree.
    bodies: those it consists of, i first (default: all of the subtree). inertia: another one for body i, in its
    coordinates. Body i becomes number 1, with six freedoms in a base that stands where it is. Returns the model, q, qd,
    tau, f_ext."""
    model, bodies = moving.model, bodies or moving.subtree(i)
    number = {j: k for k, j in enumerate(bodies, start=1)}
    v, rest = moving.in_body(moving.v[i], i), bodies[1:]
    sub = Model([0, *(number[moving.parent[j]] for j in rest)], [joint.FreeMotion(), *(model.joints[j] for j in rest)],
                [np.eye(6), *(model.X_tree[j] for j in rest)],
                [model.inertia[i] if inertia is None else inertia, *(model.inertia[j] for j in rest)], (0, 0, 0))
    parts = [np.concatenate([first, *(x[at(j)] for j in rest)]) for first, x, at in (
        ([1, 0, 0, 0, 0, 0, 0], moving.q, model.q_slice), (v, moving.qd, model.v_slice),
        (np.zeros(6), moving.joint_forces(), model.v_slice))]
    return sub, *parts, {number[j]: moving.force_in_body(moving.f_ext[j], i) for j in bodies}


def articulated_by_projection(moving, i, bodies=None, inertia=None):
    """I_A and p_A of body i in A_i, or among other bodies (see `subtree_alone`), in the world, by projection."""
    known = moving.__dict__.setdefault("_projected", {})
    key = i, None if bodies is None else tuple(bodies), None if inertia is None else inertia.tobytes()
    if key not in known:
        sub, q, qd, tau, f_ext = subtree_alone(moving, i, bodies, inertia)
        handle = handles_by_projection(sub, q, qd, tau, 1, f_ext)
        known[key] = in_world(handle.I_A, handle.p_A, moving.poses[i])
    return known[key]


def in_world(I, p, pose):
    """World coordinates of an inertia and a bias force given in those of a pose."""
    X = np.column_stack([motion_coordinates(e, pose) for e in np.eye(6)])
    return X.T @ I @ X, X.T @ p
