"""RBDA 9.3-9.5 row by row: systems whose base floats. Motions, forces, inertias and what follows from them come from
geometry, in `tests.sources.ch07_systems`: body 1 of its trees is the floating base, so that body i of the floating
system is its body i + 1."""

import inspect

import numpy as np
import pytest

from rbdlib import aba, bias_force, crba, rnea
from rbdlib.book import ch09_floating_base as fb
from rbdlib.book.ch02_spatial import crf, crm, plucker
from rbdlib.book.ch04_joints import FreeMotion, jcalc
from rbdlib.book.ch04_kinematics import body_accelerations, body_jacobian, body_transforms, body_velocities
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.book.ch06_factorisation import ltdl, solve
from rbdlib.book.ch06_inertia_matrix import expanded_parent
from rbdlib.book.ch09_hybrid import hybrid_dynamics
from rbdlib.methods import floating_base
from rbdlib.methods.joint_space import composite_inertias
from rbdlib.motion.floating_momentum import base_velocity, floating_jacobian, floating_kinetic_energy, floating_momentum
from tests.sources.ch05_systems import STEP
from tests.sources.ch07_systems import FLOATING_TREES, articulated_by_projection, floating, in_world, near
from tests.sources.helpers import close, far, force_carried, motion_carried, random_pose, slope


class Afloat:
    """A tree of `floating` as a floating system, and by geometry its state, and how it moves when nothing holds it.
    X, q, qd, v_0, a_g, f, tau: the arguments of the algorithms. qdd, a (N_B+1 x 6, world): accelerations of the joints
    and, from the root on, of the bodies, from mass matrix and forces; a_0: that of the base, in its coordinates.
    accelerations: a_0 and qdd; forces: 0 and tau. needed[i]: the force (world) that body i of the tree needs besides
    those that act on it. The columns of Z are the unit motions of the base in the world."""
    def __init__(self, name, seed):
        self.moving = moving = floating(name, seed)
        self.pose = R, p = moving.poses[1]
        self.model, self.system = moving.model, floating_base.to_floating_base(moving.model)
        self.Z = np.column_stack([motion_carried(e, self.pose) for e in np.eye(6)])
        self.X, at = plucker(R.T, p), moving.model.q_slice(1).stop
        self.q, self.qd = moving.q[at:], moving.qd[6:]
        self.v_0, self.a_g = self.to_base(moving.v[1]), self.to_base(moving.gravity)[3:]
        self.state = self.system, self.q, self.qd, self.v_0
        self.fixed_state = floating_base.to_fixed_state(self.system, self.X, self.v_0, self.q, self.qd)
        self.f, self.tau = self.force_to_base(moving.f_ext[1:].T).T, moving.joint_forces()[6:]
        qdd, self.a = moving.response(moving.unforced(), moving.f_ext)
        self.qdd, self.a_0 = qdd[6:], self.to_base(self.a[1])
        self.accelerations = np.concatenate([self.a_0, self.qdd])
        self.forces = np.concatenate([np.zeros(6), self.tau])
        self.needed = [None, *(moving.net[i] + moving.M[i] @ (self.a[i] - moving.a[i]) - moving.weights[i]
                               - moving.f_ext[i] for i in moving.bodies)]

    def to_base(self, motion):
        return np.linalg.solve(self.Z, motion)

    def force_to_base(self, force):
        return self.Z.T @ force

    def inertia_to_base(self, M):
        return self.Z.T @ M @ self.Z

    def composite(self, i):
        """The inertia, in the world, of body i of the tree and all it carries."""
        return sum(self.moving.M[j] for j in self.moving.subtree(i))

    def ways(self, i):
        """The velocities (6 x nv, world) of body i of the tree for unit velocities of the floating system's joints."""
        return self.moving.ways[i][:, 6:]

    def F(self):
        """The momentum of all bodies, in the base, for unit velocities of the joints."""
        return self.force_to_base(sum(self.moving.M[i] @ self.ways(i) for i in self.moving.bodies))

    def bias(self):
        """p_0^c and C: the forces that give no acceleration."""
        m = self.moving
        return np.split(m.bias - np.einsum("ijk,ij->k", m.ways, m.f_ext), [6])

    def p(self, i):
        """p_i of Eq. 9.23 in world coordinates, with the gravity in a_i^r that a_0^r starts with."""
        v, M = self.moving.v[i], self.moving.M[i]
        return M @ (self.a[i] - self.a[1] - self.moving.gravity) + crf(v) @ M @ v - self.moving.f_ext[i]


@pytest.fixture(scope="module", params=FLOATING_TREES, ids="{0[0]}, seed {0[1]}".format)
def afloat(request):
    return Afloat(*request.param)


# 9.3 Floating bases

@pytest.mark.source("RBDA-A9.u4", "RBDA-S9.3-7")
def test_the_equivalent_system_has_one_more_body_with_six_freedoms(afloat):
    """It stands and accelerates as geometry says, with n + 6 freedoms; ⁰X_ref changes at the rate -v_0× ⁰X_ref."""
    moving, tree, (q, qd) = afloat.moving, afloat.system.tree, afloat.fixed_state
    fixed = floating_base.to_fixed_base(afloat.system)
    assert fixed.parent[1:] == (0, *(p + 1 for p in tree.parent[1:]))
    assert (fixed.N_B, fixed.N_J, fixed.nv) == (tree.N_B + 1, tree.N_J + 1, tree.nv + 6)
    assert fixed.joints[1] == FreeMotion()
    for X, (R, p) in zip(body_transforms(fixed, q)[1:], moving.poses[1:], strict=True):
        near(X, plucker(R.T, p))
    near(aba(fixed, q, qd, afloat.forces, moving.f_ext), afloat.accelerations)
    X, v_0, q, qd = floating_base.to_floating_state(moving.model, moving.q, moving.qd)
    near(X, afloat.X)
    near(v_0, afloat.v_0)
    assert (len(q) + 7, len(qd) + 6) == (moving.model.nq, moving.model.nv)
    assert np.linalg.matrix_rank(fb.floating_equation(*afloat.state, afloat.a_g)[0]) == tree.nv + 6
    near(slope(lambda t: plucker(moving.at(t)[1][:, :3].T, moving.at(t)[1][:, 3]), h=STEP), -crm(v_0) @ X)


@pytest.mark.source("RBDA-9.11", "RBDA-S9.3-2", "RBDA-S9.3-3", "RBDA-S9.3-4", "RBDA-S9.3-5")
def test_the_blocks_of_joint_1_and_of_all_others(afloat):
    """The first block row consists of inertias and forces of composite bodies; tau_1 may stand in f_ext instead."""
    moving, fixed, (q, qd) = afloat.moving, floating_base.to_fixed_base(afloat.system), afloat.fixed_state
    H, C, tau = crba(fixed, q), bias_force(fixed, q, qd, moving.f_ext), moving.joint_forces()
    near(H @ np.concatenate([moving.in_body(moving.a[1], 1), moving.qdd[6:]]) + C, tau)
    I_c1, (p_c1, C_rest) = composite_inertias(fixed, q)[1], afloat.bias()
    I = afloat.inertia_to_base(afloat.composite(1))
    near(H[:6, :6], I)
    near(I_c1, I)
    for i in fixed.bodies[1:]:
        near(H[:6, fixed.v_slice(i)], afloat.force_to_base(afloat.composite(i) @ moving.way(i)))
    near(I_c1 @ afloat.a_0 + H[:6, 6:] @ afloat.qdd + p_c1, np.zeros(6))
    near(H[6:] @ afloat.accelerations + C[6:], afloat.tau)

    near(aba(fixed, q, qd, tau, moving.f_ext)[6:], moving.qdd[6:])                          # S9.3-2
    f = afloat.f.copy()
    f[0] += tau[:6]
    a_0, qdd = fb.floating_aba(*afloat.state, tau[6:], afloat.a_g, f)
    near(a_0, moving.in_body(moving.a[1], 1))
    near(qdd, moving.qdd[6:])

    near(C[:6], p_c1)                                                                       # S9.3-3
    near(rnea(fixed, q, qd, 0 * qd, moving.f_ext)[6:], C_rest)
    frozen = np.concatenate([qd[:6], 0 * qd[6:]])           # then they move as one rigid body
    weight_and_push = sum(afloat.f) + I @ np.concatenate([np.zeros(3), afloat.a_g])
    near(bias_force(fixed, q, frozen, moving.f_ext)[:6], crf(afloat.v_0) @ I @ afloat.v_0 - weight_and_push)


@pytest.mark.source("RBDA-S9.3-1")
def test_with_s_1_the_identity_the_variables_of_joint_1_are_the_vectors_of_the_base(afloat):
    moving, (q, qd) = afloat.moving, afloat.fixed_state
    _, S, v_J, c_J = jcalc(FreeMotion(), q[:7], qd[:6])
    assert np.array_equal(S, np.eye(6)) and not c_J.any()
    near(qd[:6], moving.in_body(moving.v[1], 1))
    near(S @ moving.qdd[:6] + c_J + crm(v_J) @ v_J, moving.in_body(moving.a[1], 1))
    near(moving.joint_forces()[:6], moving.force_in_body(moving.joint_force(1), 1))
    X = body_transforms(moving.model, moving.q)
    for i in moving.bodies:             # in the coordinates of body i, S_1 is iX_1 and no longer the identity
        near(np.column_stack([moving.in_body(s, i) for s in (afloat.Z @ S).T]), X[i] @ np.linalg.inv(X[1]))

    def axes(t):                        # and it is fixed in body 1, so that its derivative is v_1 × S_1
        pose = moving.at(t)[1]
        return np.column_stack([motion_carried(e, (pose[:, :3], pose[:, 3])) for e in np.eye(6)])

    near(slope(axes, h=STEP), crm(moving.v[1]) @ axes(0.0))


@pytest.mark.source("RBDA-9.12", "RBDA-9.13", "RBDA-T9.5", "RBDA-A9.5a", "RBDA-A9.5b", "RBDA-S9.3-6",
                    "RBDA-X9.2", "RBDA-9.14", "RBDA-9.15", "RBDA-9.16")
def test_the_equation_of_motion_of_a_floating_base_with_and_without_the_acceleration_of_the_base(afloat):
    """H_fl is the inverse of the block of the whole inverse that gives qdd for tau; C_fl keeps qdd at zero."""
    inputs, n, H_1 = (*afloat.state, afloat.a_g, afloat.f), afloat.system.tree.nv, afloat.moving.H
    C, p_c0 = fb.floating_rnea(*inputs)
    H, F, I_c0 = fb.floating_crba(afloat.system, afloat.q)
    bias, I = afloat.bias(), afloat.inertia_to_base(afloat.composite(1))
    for found, expected in ((p_c0, bias[0]), (C, bias[1]), (I_c0, I), (F, afloat.F()), (H, H_1[6:, 6:])):
        near(found, expected)
    weightless, (q, qd) = floating_base.to_fixed_base(afloat.system).replace(gravity=(0, 0, 0)), afloat.fixed_state
    near(F, np.column_stack([np.zeros((6, 0)), *(rnea(weightless, q, 0 * qd, e)[:6] for e in np.eye(len(qd))[6:])]))
    matrix, force = fb.floating_equation(*inputs)
    near(matrix, np.block([[I, afloat.F()], [afloat.F().T, H_1[6:, 6:]]]))
    near(force, np.concatenate(bias))
    near(matrix @ afloat.accelerations + force, afloat.forces)
    assert np.linalg.eigvalsh(matrix).min() > 0

    H_fl, C_fl = fb.floating_joint_space(*inputs)
    subtract = np.block([[np.eye(6), np.zeros((6, n))], [-afloat.F().T @ np.linalg.inv(I), np.eye(n)]])
    near(subtract @ matrix, np.block([[I, afloat.F()], [np.zeros((n, 6)), H_fl]]))
    near(subtract @ force, np.concatenate([bias[0], C_fl]))
    near(np.linalg.inv(H_fl), np.linalg.inv(H_1)[6:, 6:])                                   # (9.15)
    near(H_fl, H_fl.T)
    assert np.linalg.eigvalsh(H_fl).min() > 0
    assert np.linalg.eigvalsh(H_1[6:, 6:] - H_fl).min() > -1e-9
    near(C_fl, H_1[6:, :6] @ np.linalg.solve(H_1[:6, :6], -bias[0]) + bias[1])              # (9.16)
    near(H_fl @ afloat.qdd + C_fl, afloat.tau)                                              # (9.14)
    near(C_fl, fb.floating_inverse_dynamics(*afloat.state[:3], 0 * afloat.qdd, *inputs[3:])[1])


# 9.4 Forward dynamics

@pytest.mark.source("RBDA-9.17", "RBDA-T9.4", "RBDA-A9.4", "RBDA-A9.5a", "RBDA-A9.5b")
def test_the_floating_algorithms_and_their_articulated_bodies(afloat):
    for algorithm in (fb.floating_aba, fb.floating_by_crba):
        a_0, qdd = algorithm(*afloat.state, afloat.tau, afloat.a_g, afloat.f)
        near(a_0, afloat.a_0)
        near(qdd, afloat.qdd)
    found = fb.floating_articulated_bodies(*afloat.state, afloat.tau, afloat.a_g, afloat.f)
    for i, pose in enumerate(afloat.moving.poses[1:], start=1):
        in_the_world = in_world(found.I_A[i - 1], found.p_A[i - 1], pose)
        for mine, theirs in zip(in_the_world, articulated_by_projection(afloat.moving, i), strict=True):
            near(mine, theirs)
    I_A, p_A = articulated_by_projection(afloat.moving, 1)
    near(I_A @ (afloat.a[1] - afloat.moving.gravity) + p_A, np.zeros(6))                # (9.17)


@pytest.mark.source("RBDA-S9.4-1", "RBDA-S9.4-2")
def test_the_algorithm_needs_not_know_where_the_base_is(afloat):
    """Elsewhere, with gravity and forces turned along, nothing changes; gravity in the base only turns with it."""
    assert list(inspect.signature(fb.floating_aba).parameters) == "system q qd v_0 tau a_g f_ext t".split()
    model, rng = floating_base.to_fixed_base(afloat.system), np.random.default_rng(1)
    for R, p in (random_pose(rng) for _ in range(3)):
        there = model.replace(gravity=R @ afloat.a_g)
        q, qd = floating_base.to_fixed_state(afloat.system, plucker(R.T, p), afloat.v_0, afloat.q, afloat.qd)
        f_ext = np.array([np.zeros(6), *(force_carried(force, (R, p)) for force in afloat.f)])
        near(aba(there, q, qd, afloat.forces, f_ext), afloat.accelerations)
        for place in (p, 7 * p):
            close(floating_base.gravity_in_base(floating_base.to_floating_base(there), plucker(R.T, place)), afloat.a_g)


@pytest.mark.source("RBDA-S9.4-3", "RBDA-S9.4-5", "RBDA-S9.5-3")
def test_gravity_adds_the_same_acceleration_to_every_body(afloat):
    """It enters by the start of a recursion and comes out in the base, to which it may be added at the end instead."""
    m, right, none = afloat.moving, afloat.forces, (0, 0, 0)
    weightless, a = m.response(m.unforced(), m.f_ext - m.weights)
    near(weightless[6:], afloat.qdd)
    with_g, without = (fb.floating_articulated_bodies(*afloat.state, afloat.tau, a_g, afloat.f)
                       for a_g in (afloat.a_g, none))
    near(with_g.qdd, without.qdd, 1e-10)
    for i in m.bodies:
        near(afloat.a[i] - a[i], m.gravity)
        near(with_g.a[i - 1], m.in_body(afloat.a[i], i))
        near(with_g.a[i - 1] - without.a[i - 1], m.in_body(m.gravity, i))
    with_g, without = (fb.floating_equation(*afloat.state, a_g, afloat.f) for a_g in (afloat.a_g, none))
    near(with_g[1] - without[1], -np.einsum("ijk,ij->k", m.ways, m.weights))
    change = np.linalg.solve(with_g[0], right - with_g[1]) - np.linalg.solve(without[0], right - without[1])
    near(change, np.concatenate([np.zeros(3), afloat.a_g, 0 * afloat.qdd]))
    a_0, tau = fb.floating_inverse_dynamics(*afloat.state[:3], afloat.qdd, afloat.v_0, none, afloat.f)
    near(tau, afloat.tau)
    near(a_0 + [0, 0, 0, *afloat.a_g], afloat.a_0)


@pytest.mark.source("RBDA-S9.4-4")
def test_the_matrix_of_the_equation_of_motion_is_factorised_without_fill_in(afloat):
    matrix, bias = fb.floating_equation(*afloat.state, afloat.a_g, afloat.f)
    parent = fb.floating_parent(afloat.system)
    assert parent[:6] == [0, 1, 2, 3, 4, 5]
    assert parent == expanded_parent(floating_base.to_fixed_base(afloat.system))
    places = np.eye(len(parent), dtype=bool)            # where variable j supports variable i, j = i included: L
    for i, j in enumerate(parent):
        places[i] |= places[j - 1] & (j > 0)
    assert not matrix[~(places | places.T)].any()
    L, D = ltdl(matrix, parent)
    assert not L[~places].any()
    near(L.T @ np.diag(D) @ L, matrix)
    near(solve(matrix, afloat.forces - bias, parent), afloat.accelerations)


@pytest.mark.source("RBDA-S9.4-6")
def test_what_the_two_algorithms_add_to_those_of_a_fixed_base(afloat):
    """A base at rest: C, H as before, whatever qdd would be; new are the force p_c0 and inertia I_c0 of the base."""
    system, tree = afloat.system, afloat.system.tree.replace(gravity=afloat.a_g)
    C, p_c0 = fb.floating_rnea(system, afloat.q, afloat.qd, np.zeros(6), afloat.a_g, afloat.f)
    fixed = newton_euler(tree, afloat.q, afloat.qd, 0 * afloat.qd, afloat.f)
    near(C, fixed.tau)
    near(rnea(tree, afloat.q, afloat.qd, afloat.qdd, afloat.f) - C, afloat.moving.H[6:, 6:] @ afloat.qdd)
    near(p_c0, fixed.f[0] - system.I_0 @ [0, 0, 0, *afloat.a_g] - afloat.f[0])
    far(fb.floating_rnea(*afloat.state, afloat.a_g, afloat.f)[1], p_c0)                # v_0 is an input
    H, _, I_c0 = fb.floating_crba(system, afloat.q)
    near(H, crba(tree, afloat.q))
    parts, X_0 = composite_inertias(tree, afloat.q), body_transforms(tree, afloat.q)
    near(I_c0, system.I_0 + sum(X_0[i].T @ parts[i] @ X_0[i] for i in tree.mu(0)))


# 9.5 Inverse dynamics

@pytest.mark.source("RBDA-S9.5-1", "RBDA-9.21", "RBDA-9.24", "RBDA-9.25", "RBDA-T9.6", "RBDA-A9.6")
def test_inverse_dynamics_is_a_hybrid_problem_whose_unknown_acceleration_is_that_of_joint_1(afloat):
    """By the steps of hybrid dynamics on the fixed-base model; then sums over subtrees, by geometry."""
    fixed, (q, qd), m = floating_base.to_fixed_base(afloat.system), afloat.fixed_state, afloat.moving
    known = np.concatenate([np.zeros(6), afloat.qdd])
    C, H = rnea(fixed, q, qd, known, m.f_ext), crba(fixed, q)
    a_0 = np.linalg.solve(H[:6, :6], 0 - C[:6])
    answers = [(a_0, C[6:] + H[6:, :6] @ a_0)]
    for method in ("inertia_matrix", "articulated_body"):
        found, forces = hybrid_dynamics(fixed, q, qd, known, np.zeros(fixed.nv), fixed.bodies[1:], m.f_ext, method)
        answers.append((found[:6], forces[6:]))
    answers.append(fb.floating_inverse_dynamics(*afloat.state[:3], afloat.qdd, afloat.v_0, afloat.a_g, afloat.f))
    for a_0, tau in answers:
        near(a_0, afloat.a_0)
        near(tau, afloat.tau)
    near(fb.floating_aba(*afloat.state, tau, afloat.a_g, afloat.f)[1], afloat.qdd, 1e-9)
    p_c = {i: sum(afloat.p(j) for j in m.subtree(i)) for i in m.bodies}                     # (9.21)
    near(-afloat.inertia_to_base(afloat.composite(1)) @ a_0, afloat.force_to_base(p_c[1]))  # (9.24)
    for i in m.bodies[1:]:                                                                  # (9.25)
        force = tau[afloat.system.tree.v_slice(i - 1)] - m.way(i).T @ p_c[i]
        near(force, m.way(i).T @ afloat.composite(i) @ motion_carried(a_0, afloat.pose))


@pytest.mark.source("RBDA-9.18", "RBDA-9.19", "RBDA-9.20", "RBDA-9.21", "RBDA-9.22", "RBDA-9.23", "RBDA-S9.5-2")
def test_the_force_on_a_body_from_its_parent_supports_its_subtree(afloat):
    """Newton-Euler's f_i is the sum of what bodies need; a_i^r belongs to a base with a velocity, not accelerated."""
    fixed, (q, qd), m = floating_base.to_fixed_base(afloat.system), afloat.fixed_state, afloat.moving
    f = newton_euler(fixed, q, qd, afloat.accelerations, m.f_ext).f
    a_r, I_c = body_accelerations(fixed, q, qd, np.concatenate([np.zeros(6), afloat.qdd])), composite_inertias(fixed, q)
    X, v, p_c = body_transforms(fixed, q), body_velocities(fixed, q, qd), [None] * (fixed.N_B + 1)
    for i in reversed(m.bodies):
        f_i, subtree = force_carried(f[i], m.poses[i]), m.subtree(i)
        near(f_i, sum(afloat.needed[j] for j in subtree))
        near(f_i, sum(m.M[j] @ (afloat.a[j] - m.gravity) + crf(m.v[j]) @ m.M[j] @ m.v[j] - m.f_ext[j] for j in subtree))
        p_sum = sum(afloat.p(j) for j in subtree)
        near(f_i, sum(m.M[j] for j in subtree) @ afloat.a[1] + p_sum)                       # (9.19)
        near(f[i], I_c[i] @ m.in_body(afloat.a[1], i) + m.force_in_body(p_sum, i))          # (9.20)
        near(motion_carried(a_r[i], m.poses[i]) + afloat.a[1], afloat.a[i])
        I, a = fixed.inertia[i], a_r[i] - X[i] @ m.gravity
        p = I @ a + crf(v[i]) @ I @ v[i] - np.linalg.inv(X[i]).T @ m.f_ext[i]               # (9.23)
        near(p, m.force_in_body(afloat.p(i), i))
        p_c[i] = p + sum((X[j] @ np.linalg.inv(X[i])).T @ p_c[j] for j in fixed.mu(i))      # (9.22)
        near(p_c[i], m.force_in_body(p_sum, i))
    near(f[1], np.zeros(6))


@pytest.mark.source("RBDA-X9.3", "RBDA-S9.5-4", "RBDA-S9.5-5", "RBDA-Q9.2")
def test_momentum_and_kinetic_energy_by_swapping_sums(afloat):
    """Each step is compared with geometry: v_i substituted, sums swapped, composite inertias, the blocks of 9.13."""
    m, system, (H, F, I_c0) = afloat.moving, afloat.system, fb.floating_crba(afloat.system, afloat.q)
    total, T, v_0, joints = sum(m.momenta()), m.kinetic_energy(), m.v[1], m.bodies[1:]
    S_qd = {j: m.way(j) @ m.qd[m.model.v_slice(j)] for j in joints}
    v = {i: v_0 + sum(S_qd[j] for j in m.ancestors(i) - {0, 1}) for i in m.bodies}
    near(sum(m.M[i] @ m.v[i] for i in m.bodies), total)
    near(sum(m.M[i] @ v[i] for i in m.bodies), total)
    near(sum(m.M[1:]) @ v_0 + sum(m.M[i] @ S_qd[j] for j in S_qd for i in m.subtree(j)), total)
    near(afloat.composite(1) @ v_0 + sum(afloat.composite(j) @ S_qd[j] for j in S_qd), total)
    near(I_c0 @ afloat.v_0 + F @ afloat.qd, afloat.force_to_base(total))
    near(floating_momentum(system, afloat.q, afloat.qd, afloat.v_0), afloat.force_to_base(total))

    near(sum(v[i] @ m.M[i] @ v[i] for i in m.bodies) / 2, T)
    both = {(j, k): sum([m.M[i] for i in m.subtree(j) if i in m.subtree(k)], np.zeros((6, 6)))
            for j in joints for k in joints}
    cross = sum(v_0 @ m.M[i] @ S_qd[j] for j in joints for i in m.subtree(j))
    near(v_0 @ sum(m.M[1:]) @ v_0 / 2 + cross + sum(S_qd[j] @ both[j, k] @ S_qd[k] for j, k in both) / 2, T)
    for (j, k), I in both.items():      # the bodies moved by both joints are those of the outer one, or none
        related = j in m.ancestors(k) or k in m.ancestors(j)
        near(I, afloat.composite(max(j, k)) if related else np.zeros((6, 6)))
        near(m.way(j).T @ I @ m.way(k), m.H[m.model.v_slice(j), m.model.v_slice(k)])
    near(afloat.v_0 @ I_c0 @ afloat.v_0 / 2 + afloat.v_0 @ F @ afloat.qd + afloat.qd @ H @ afloat.qd / 2, T)
    near(floating_kinetic_energy(system, afloat.q, afloat.qd, afloat.v_0), T)


@pytest.mark.source("RBDA-S9.5-6", "RBDA-S9.5-7", "RBDA-X9.4")
def test_the_floating_jacobian_is_the_jacobian_less_what_the_base_gives_way(afloat):
    """The base recoils so that the momentum is zero: also after impulses in the joints and between two bodies."""
    m, tree, (q, qd), (p_c0, _) = afloat.moving, afloat.system.tree, afloat.fixed_state, afloat.bias()
    still = body_accelerations(floating_base.to_fixed_base(afloat.system), q, qd, 0 * qd)
    X = body_transforms(tree, afloat.q)
    I_c0, F, momentum = afloat.inertia_to_base(afloat.composite(1)), afloat.F(), np.zeros((6, tree.nv))
    near(I_c0 @ afloat.a_0 + F @ afloat.qdd + p_c0, np.zeros(6))
    for i in m.bodies:
        J, J_fl = np.zeros((6, tree.nv)), floating_jacobian(afloat.system, afloat.q, i - 1)
        if i > 1:                                               # on a base at rest, in base coordinates
            J = np.linalg.inv(X[i - 1]) @ body_jacobian(tree, afloat.q, i - 1)
        near(J, afloat.to_base(afloat.ways(i)))
        near(J_fl, J - np.linalg.solve(I_c0, F))
        J_dot_qd = afloat.to_base(motion_carried(still[i], m.poses[i]))
        near(J @ afloat.qdd + J_dot_qd + afloat.a_0, afloat.to_base(afloat.a[i]))
        near(J_fl @ afloat.qdd + J_dot_qd - np.linalg.solve(I_c0, p_c0), afloat.to_base(afloat.a[i]))
        momentum = momentum + afloat.inertia_to_base(m.M[i]) @ J_fl
    near(momentum, 0 * momentum)
    near(base_velocity(afloat.system, afloat.q, afloat.qd), floating_jacobian(afloat.system, afloat.q, 0) @ afloat.qd)

    rng, last = np.random.default_rng(9), m.ways[m.bodies[-1]]
    between, tau = rng.normal(size=6), np.concatenate([np.zeros(6), rng.normal(size=tree.nv)])
    change = np.linalg.solve(m.H, tau + last.T @ between - m.ways[2].T @ between)
    outside = np.linalg.solve(m.H, last.T @ between)
    for i in m.bodies:
        J_fl = floating_jacobian(afloat.system, afloat.q, i - 1)
        near(J_fl @ change[6:], afloat.to_base(m.ways[i] @ change))
        far(J_fl @ outside[6:], afloat.to_base(m.ways[i] @ outside))
