"""RBDA 9.7 row by row: inertias that may be moved from body to body, what that saves, and augmented bodies. Motions,
momenta and forces come from geometry. Where bodies are exchanged for others, also for impossible ones, the motion
stays; what changes are momenta and weights, computed from m, c and I_C, whether or not some body has them."""

import copy

import numpy as np
import pytest

from rbdlib import aba, bias_force, rnea
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.dynamics import forward_dynamics
from rbdlib.methods import equivalence as eq, inertia_parameters as ip
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.derivatives import regressor
from rbdlib.methods.generators import gu
from tests.sources.ch05_systems import Moving
from tests.sources.ch06_systems import body_inertia
from tests.sources.ch07_systems import Forced, near
from tests.sources.helpers import close, cluster_inertia, cross_matrix, far, motion_carried, motion_coordinates, slope
from tests.sources.joints import joint_pose

SEED = [1, 97]
I, M, MC = 0.7, 1.3, -0.4                                           # I, m and m c_z of Table 9.7
REVOLUTE = np.array([[I, 0, 0, 0, -MC, 0], [0, I, 0, MC, 0, 0], [0, 0, 0, 0, 0, 0],
                     [0, MC, 0, M, 0, 0], [-MC, 0, 0, 0, M, 0], [0, 0, 0, 0, 0, M]])
PRISMATIC = np.zeros((6, 6))
PRISMATIC[:3, :3] = [[0.9, 0.2, -0.3], [0.2, 0.5, 0.1], [-0.3, 0.1, 0.8]]
SPHERICAL = np.diag([0, 0, 0, M, M, M])
TABLE = [(Revolute("z"), REVOLUTE), (Prismatic("z"), PRISMATIC), (Spherical(), SPHERICAL)]
KINDS = [joint for joint, _ in TABLE] + [Cylindrical(), Universal("xy"), Helical(0.3), Planar()]


def joint_matrix(joint, q):
    """X_J, from the pose of the joint: the coordinates in F_s of the unit motions of F_p."""
    return np.column_stack([motion_coordinates(e, joint_pose(joint, q)) for e in np.eye(6)])


def residuals(X_J, S, I_delta, v_1):
    """The printed conditions: what must be zero."""
    h = I_delta @ v_1
    bias = np.concatenate([np.cross(v_1[:3], h[:3]) + np.cross(v_1[3:], h[3:]), np.cross(v_1[:3], h[3:])])
    return I_delta @ S, X_J.T @ I_delta @ X_J - I_delta, S.T @ bias


def mass_properties_of(I):
    """m, c and I_C of a 6 x 6 inertia, by its definition; m may be negative but not zero."""
    m = I[5, 5]
    c = np.array([I[2, 4], I[0, 5], I[1, 3]]) / m
    return m, c, I[:3, :3] + m * cross_matrix(c) @ cross_matrix(c)


def with_bodies(moving, inertias):
    """The same motion of a `ch05_systems.Moving` with other bodies, {body: 6 x 6 inertia}."""
    other = copy.copy(moving)
    other.mechanism = copy.copy(moving.mechanism)
    other.mechanism.bodies = list(moving.mechanism.bodies)
    for i, I in inertias.items():
        other.mechanism.bodies[i - 1] = mass_properties_of(I)
    other.net = slope(other.momenta, h=3e-3)
    g = other.gravity[3:]
    other.weights = np.array([np.zeros(6), *(np.concatenate([np.cross(p + R @ c, m * g), m * g]) for (R, p), (m, c, _)
                                             in zip(other.poses[1:], other.mechanism.bodies, strict=True))])
    return other


def seen_from_parent(moving, i, I):
    """An inertia in the coordinates of the frame where joint i sits, in those of the parent, by its momenta there."""
    R, p = moving.mechanism.places[i - 1]
    inside = np.block([[R.T, np.zeros((3, 3))], [-R.T @ cross_matrix(p), R.T]])        # the coordinates of motions
    return inside.T @ I @ inside


def moved(moving, i, I_delta):
    """The same motion after I_delta (in the frames of joint i) has moved from body i to its parent."""
    parent = moving.parent[i]
    bodies = {i: body_inertia(moving, i) - I_delta}
    if parent:
        bodies[parent] = body_inertia(moving, parent) + seen_from_parent(moving, i, I_delta)
    return with_bodies(moving, bodies)


class Pair:
    """Two bodies that float and are connected by a joint, in motion; all in the joint's frames F_p and F_s."""
    def __init__(self, rng, joint):
        self.moving = pair = Forced(rng, [FreeMotion(), joint], [0, 1])
        R, p = pair.poses[1]
        R_T, p_T = pair.mechanism.places[1]
        self.joint, self.q = joint, pair.q[7:]
        self.qd, self.qdd = pair.qd[6:], pair.qdd[6:]
        self.F_p, self.F_s = (R @ R_T, p + R @ p_T), pair.poses[2]
        self.v_1, self.a_1 = (motion_coordinates(x[1], self.F_p) for x in (pair.v, pair.a))
        Z_p, Z_s = (np.column_stack([motion_carried(e, frame) for e in np.eye(6)]) for frame in (self.F_p, self.F_s))
        self.f, self.tau = Z_p.T @ (pair.net[1] + pair.net[2]), pair.way(2).T @ pair.net[2]
        self.I_1, self.I_2 = Z_p.T @ pair.M[1] @ Z_p, Z_s.T @ pair.M[2] @ Z_s

    def stays(self, I_delta, tolerance):
        """Assert that the equation of motion stays when I_delta moves to the first body."""
        state = self.joint, self.q, self.qd, self.v_1
        after = eq.two_body_equation(self.I_1 + I_delta, self.I_2 - I_delta, *state)
        for mine, expected in zip(after, eq.two_body_equation(self.I_1, self.I_2, *state), strict=True):
            close(mine, expected, tolerance)


@pytest.mark.source("RBDA-F9.3", "RBDA-9.29", "RBDA-S9.7-2")
@pytest.mark.parametrize("joint", KINDS, ids=str)
def test_two_bodies_move_under_a_force_on_the_first_and_one_at_the_joint(joint, rng):
    """The forces are those that change the momenta of the bodies, by geometry; no gravity and no other forces. The
    second body has the velocity of the first and that of the joint."""
    pair = Pair(rng, joint)
    A, C = eq.two_body_equation(pair.I_1, pair.I_2, joint, pair.q, pair.qd, pair.v_1)
    close(A @ np.concatenate([pair.a_1, pair.qdd]) + C, np.concatenate([pair.f, pair.tau]), 1e-7)
    S = pair.joint.motion_subspace(pair.q)
    close(joint_matrix(joint, pair.q) @ pair.v_1 + S @ pair.qd, motion_coordinates(pair.moving.v[2], pair.F_s), 1e-8)


@pytest.mark.source("RBDA-9.30", "RBDA-T9.7")
@pytest.mark.parametrize(("joint", "I_delta"), TABLE, ids=[str(joint) for joint, _ in TABLE])
def test_the_table_fulfils_the_conditions_and_leaves_the_equation_as_it_is(joint, I_delta, rng):
    pair, v_1 = Pair(rng, joint), rng.normal(size=6)
    X_J, S = joint_matrix(joint, pair.q), joint.motion_subspace(pair.q)
    pair.stays(I_delta, 1e-11)
    for I, fulfilled in ((I_delta, True), (REVOLUTE if I_delta is not REVOLUTE else PRISMATIC, False)):
        expected, found = residuals(X_J, S, I, v_1), eq.conditions(joint, I, pair.q, v_1)
        for residual, mine in zip(expected, found, strict=True):
            close(mine, residual)
        size = max(np.abs(residual).max() for residual in expected)
        assert size < 1e-12 if fulfilled else size > 1e-3


@pytest.mark.source("RBDA-9.30", "RBDA-Q9.3")
@pytest.mark.parametrize(("joint", "dimension"), [
    (Revolute("z"), 3), (Prismatic("z"), 6), (Spherical(), 1),
    (Helical(0.3), 1), (Cylindrical(), 1), (Planar(), 1), (FreeMotion(), 0),
    (Custom(3, lambda q, t: xlt(q), name="cartesian"), 6),
    (Custom(2, lambda q, t: xlt([q[0], q[1], 0]), name="table"), 6)], ids=str)
def test_the_conditions_leave_families_of_these_dimensions(joint, dimension):
    """The null space by singular values of the printed conditions, and what lies in it."""
    rng, rows = np.random.default_rng(9), []
    for _ in range(8):
        q, v_1 = joint.random_position(rng), rng.normal(size=6)
        X_J, S = joint.transform(q), joint.motion_subspace(q)
        parts = [residuals(X_J, S, ip.from_parameters(p), v_1) for p in np.eye(10)]
        rows.append(np.column_stack([np.concatenate([np.ravel(x) for x in part]) for part in parts]))
    conditions_matrix = np.concatenate(rows)
    sizes = np.linalg.svd(conditions_matrix, compute_uv=False)
    assert int((sizes < 1e-10 * sizes[0]).sum()) == dimension == eq.null_space(joint).shape[1]
    near(conditions_matrix @ eq.null_space(joint), np.zeros((len(conditions_matrix), dimension)), 1e-9)
    if dimension == 1 and not isinstance(joint, Spherical):
        close(eq.null_space(joint)[:, 0], [0, 0, 0, 0, 1, 0, 1, 0, 0, 0], 1e-9)


@pytest.mark.source("RBDA-S9.7-3")
def test_the_assumption_fails_for_a_universal_joint_and_a_particle_at_its_centre_still_may_move(rng):
    """range(S) is constant in F_s for all joints of the table; for a universal joint it is so in neither frame."""
    def turns(joint, frame):
        """Whether joining the S of two positions, in coordinates of F_p or F_s, adds dimensions."""
        parts = []
        for q in (joint.random_position(rng), joint.random_position(rng)):
            S = joint.motion_subspace(q)
            parts.append(S if frame == "F_s" else np.linalg.solve(joint_matrix(joint, q), S))
        return np.linalg.matrix_rank(np.hstack(parts), 1e-9) > joint.nv

    assert not any(turns(joint, "F_s") for joint, _ in TABLE)
    universal = Universal("xy")
    assert turns(universal, "F_s") and turns(universal, "F_p")
    Pair(rng, universal).stays(SPHERICAL, 1e-11)
    chain = Moving(rng, [Revolute("x"), universal, Prismatic("z")], [0, 1, 2])
    close(moved(chain, 2, SPHERICAL).joint_forces(), chain.joint_forces(), 1e-7)


@pytest.mark.source("RBDA-S9.7-4")
def test_the_entries_of_the_table_are_particles_on_the_axis_and_at_the_centre(rng):
    """Momenta of particles give the printed matrices; any I, m, m c_z is reached, with negative masses if need be."""
    (m_1, m_2), (z_1, z_2) = rng.normal(size=(2, 2))
    two = cluster_inertia(np.array([m_1, m_2]), np.array([[0, 0, z_1], [0, 0, z_2]]))
    expected = eq.table_9_7(Revolute("z")) @ [m_1 + m_2, m_1 * z_1 + m_2 * z_2, m_1 * z_1**2 + m_2 * z_2**2]
    close(two, ip.from_parameters(expected))
    heights = np.array([-1.0, 0.5, 2.0])
    masses = np.linalg.solve(np.array([heights**0, heights, heights**2]), [M, MC, I])
    close(cluster_inertia(masses, np.outer(heights, [0, 0, 1])), REVOLUTE)
    close(cluster_inertia(np.array([M]), np.zeros((1, 3))), SPHERICAL)
    pairs, arms = rng.uniform(0.5, 2, 3), np.diag([0.3, 0.7, 0.5])
    balanced, positions = [*pairs, *pairs, -2 * pairs.sum()], np.concatenate([arms, -arms, np.zeros((1, 3))])
    inertia, elsewhere = (cluster_inertia(np.array(balanced), positions + x) for x in (0, rng.normal(size=3)))
    close(elsewhere, inertia)                               # no mass, no first moment: the same everywhere
    close(inertia[3:], np.zeros((3, 6)))
    assert np.linalg.matrix_rank(eq.table_9_7(Prismatic("x"))) == 6 and np.all(eq.table_9_7(Prismatic("x"))[:4] == 0)


@pytest.mark.source("RBDA-S9.7-1", "RBDA-S9.7-5", "RBDA-S9.7-6", "RBDA-T9.7")
def test_moving_inertia_within_a_pair_leaves_the_forces_of_the_whole_tree_as_they_are(rng):
    """By geometry: all momenta of the pair change, and no joint force does; by our algorithms H, C and qdd stay. So the
    forces, linear in the parameters, do not determine them. Bodies of negative mass or inertia may result."""
    joints = [FreeMotion(), Revolute("x"), Universal("xy"), Revolute("z"), Prismatic("z"), Spherical()]
    tree = Moving(rng, joints, [0, 1, 1, 2, 3, 3])
    q, qd, qdd, tau = tree.q, tree.qd, tree.qdd, tree.joint_forces()
    Y = regressor(tree.model, q, qd, qdd)
    for i, I_delta in ((4, 0.1 * REVOLUTE), (5, 0.1 * PRISMATIC), (6, 0.1 * SPHERICAL), (5, 50 * PRISMATIC),
                       (6, 30 * SPHERICAL)):
        other = moved(tree, i, I_delta)
        far(other.net[i], tree.net[i])
        close(other.joint_forces(), tau, 1e-6)
        close(other.joint_forces(gravity=False, external=False), tree.joint_forces(gravity=False, external=False), 1e-6)

        model = eq.with_inertias(tree.model, [body_inertia(other, k) for k in tree.bodies])
        close(crba(model, q), crba(tree.model, q), 1e-10)
        close(bias_force(model, q, qd), bias_force(tree.model, q, qd), 1e-10)
        close(rnea(model, q, qd, qdd, tree.f_ext), tau, 1e-6)
        close(aba(model, q, qd, tau, tree.f_ext), qdd, 1e-6)
        assert (i in ip.impossible_bodies(model)) or I_delta.max() < 10
        change = np.zeros((6, 10))
        change[i - 1] = -ip.to_parameters(I_delta)
        far(Y @ change.ravel(), np.zeros(len(Y)))
        change[tree.parent[i] - 1] += ip.to_parameters(seen_from_parent(tree, i, I_delta))
        close(Y @ change.ravel(), np.zeros(len(Y)), 1e-8)


@pytest.mark.source("RBDA-A9.u7")
def test_the_best_match_leaves_as_many_zeros_as_the_family_has_members(rng):
    body = mcI(M, [0.1, -0.2, 0.3], [[0.9, 0.2, -0.1], [0.2, 0.8, 0.1], [-0.1, 0.1, 0.7]])
    p = ip.to_parameters(body)                                 # m, h_x, h_y, h_z, I_xx, I_xy, I_yy, ...
    hinge, slider, ball = (p - ip.to_parameters(eq.best_match(joint, body)) for joint, _ in TABLE)
    assert hinge[0] == hinge[3] == 0 and 0 in (hinge[4], hinge[6])
    close(np.abs(hinge[4] - hinge[6]), np.abs(p[4] - p[6]))
    close(hinge[[1, 2, 5, 7, 8, 9]], p[[1, 2, 5, 7, 8, 9]])
    assert np.all(slider[4:] == 0) and np.all(slider[:4] == p[:4])
    assert ball[0] == 0 and np.count_nonzero(ball) == 9
    for joint in (Cylindrical(), Universal("xy"), FreeMotion(), Planar()):
        close(eq.best_match(joint, body, eq.table_9_7), np.zeros((6, 6)))
    for joint, _ in TABLE:
        least = np.count_nonzero(p - ip.to_parameters(eq.best_match(joint, body, eq.table_9_7)))
        for _ in range(50):                         # no other member of the family leaves more zeros
            member = eq.table_9_7(joint) @ rng.normal(size=eq.table_9_7(joint).shape[1])
            assert np.count_nonzero(np.abs(p - member) > 1e-12) >= least


@pytest.mark.source("RBDA-S9.7-7")
def test_inverse_dynamics_gets_cheaper_by_about_15_percent_and_forward_dynamics_by_less():
    """Additions and multiplications on GU(n); the product of an inertia and a motion is where they are saved."""
    def product(model, v):
        body, w, v_O = model.inertia[3], v[:3], v[3:]
        m, h_x, h_y, h_z = body[5, 5], body[2, 4], body[0, 5], body[1, 3]

        def cross(b):
            return np.array([h_y * b[2] - h_z * b[1], h_z * b[0] - h_x * b[2], h_x * b[1] - h_y * b[0]])

        return body[:3, :3] @ w + cross(v_O), m * v_O - cross(w)

    full, rng = gu(12), np.random.default_rng(1)
    few = eq.simplify(full)
    assert ip.operations(product, full, np.ones(6)) == {"m": 24, "a": 18}
    assert ip.operations(product, few, np.ones(6)) == {"m": 16, "a": 10}

    q, qd, x = rng.normal(size=(3, 12))

    def saving(function, *arguments):
        before, after = (ip.operations(function, model, *arguments) for model in (full, few))
        return 1 - (after["m"] + after["a"]) / (before["m"] + before["a"])

    close(rnea(few, q, qd, x), rnea(full, q, qd, x), 1e-10)
    assert 0.12 < saving(rnea, q, qd, x) < 0.18
    assert 0 < saving(aba, q, qd, x) < saving(rnea, q, qd, x) / 2


@pytest.mark.source("RBDA-S9.7-8")
def test_algorithms_that_invert_the_inertia_of_a_body_fail_on_the_simplified_model():
    model, (q, qd, tau) = gu(5), np.random.default_rng(2).normal(size=(3, 5))
    simple, expected = eq.simplify(model), np.linalg.solve(crba(model, q), tau - bias_force(model, q, qd))
    for of, rank in ((model, 6), (simple, 5)):
        assert [np.linalg.matrix_rank(body, 1e-9) for body in of.inertia[1:]] == [rank] * 5
    close(aba(simple, q, qd, tau), expected, 1e-9)
    for method in ("variant_1", "variant_2", "divide_and_conquer"):
        close(forward_dynamics(model, q, qd, tau, method=method), expected, 1e-9)
        with pytest.raises(ValueError, match="singular"):
            forward_dynamics(simple, q, qd, tau, method=method)


@pytest.mark.source("RBDA-A9.u8")
def test_constants_of_augmented_bodies_give_the_kinetic_energy(rng):
    """Balls and hinges about common points: T = sum of w I w / 2 of augmented bodies, and a product for each pair. They
    have the mass of the subtree, or of the system."""
    joints = [Spherical(), Universal("xy"), Revolute((1, 2, 3)), Universal("zx"), Spherical()]
    tree = Moving(rng, joints, [0, 1, 1, 3, 4])
    augmented, energy = ip.augmented_bodies(tree.model), 0.0
    spin, mass = [tree.v[i][:3] for i in range(6)], [0, *(m for m, _, _ in tree.mechanism.bodies)]
    for j in tree.bodies:
        R, body, child = tree.poses[j][0], augmented[j], j
        assert ip.augmented_bodies(tree.model, "joints")[j][5, 5] == pytest.approx(sum(mass))
        assert body[5, 5] == pytest.approx(sum(mass[k] for k in tree.subtree(j)))
        energy += spin[j] @ R @ body[:3, :3] @ R.T @ spin[j] / 2
        moment = R @ np.array([body[2, 4], body[0, 5], body[1, 3]])
        while i := tree.parent[child]:
            lever = tree.poses[child][1] - tree.poses[i][1]
            energy += np.cross(spin[i], lever) @ np.cross(spin[j], moment)
            child = i
    assert energy == pytest.approx(tree.kinetic_energy(), rel=1e-7)
