"""RBDA 7.2.2 and 7.3 row by row: articulated bodies assembled joint by joint, and the articulated-body algorithm.

The motions, forces and mass matrices of the systems come from geometry, in `tests.sources.ch07_systems`.
"""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.articulated_body import articulated_bodies, by_projection, propagate
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Planar, Prismatic, Revolute
from rbdlib.spatial import crf, mcI, plucker
from tests.sources.ch05_systems import JOINT_SETS
from tests.sources.ch07_systems import (
    FLOATING_TREES,
    Forced,
    articulated_by_projection,
    assembled,
    floating,
    in_world,
    near,
    smallest_eigenvalue,
    subtree_alone,
)
from tests.sources.helpers import close, far, random_mass_properties, random_pose


@pytest.fixture(scope="module", params=FLOATING_TREES, ids="{0[0]}, seed {0[1]}".format)
def tree(request):
    """A tree that floats, with body 1 for its root."""
    return floating(*request.param)


@pytest.fixture(scope="module", params=list(JOINT_SETS))
def moving(request):
    return Forced(np.random.default_rng(71), JOINT_SETS[request.param])


@pytest.fixture(params=[1, 2, 3], ids="seed {}".format)
def rng(request):
    return np.random.default_rng(request.param)


# 7.2.2 The assembly method


class Assembly:
    """A floating tree seen as two: A_2 is the subtree of body i, A_1 the rest with handle 1; in world coordinates.

    I_1, p_1, I_2, p_2, I, p: inertias and bias forces of the parts and of the whole, by projection.  a_1, a_2: the
    handles' accelerations less free fall.  f, f_J: the forces on B_1 from outside, and on B_2 from B_1.  S, c, tau,
    qdd: of the joint. Motion and forces are geometry.
    """

    def __init__(self, tree, i):
        rest = [j for j in tree.bodies if j not in tree.subtree(i)]
        self.I_1, self.p_1 = articulated_by_projection(tree, 1, rest)
        self.I_2, self.p_2 = articulated_by_projection(tree, i)
        self.I, self.p = articulated_by_projection(tree, 1)
        self.a_1, self.a_2 = (tree.a[j] - tree.gravity for j in (1, i))
        self.f, self.f_J = tree.joint_force(1), tree.joint_force(i)
        self.S, self.c, at = tree.way(i), tree.bias_of_joint(i), tree.model.v_slice(i)
        self.tau, self.qdd = tree.joint_forces()[at], tree.qdd[at]


@pytest.fixture(scope="module")
def assemblies(tree):
    return [Assembly(tree, i) for i in tree.model.mu(1)]


@pytest.mark.source("RBDA-7.15", "RBDA-7.16", "RBDA-7.17", "RBDA-S7.2.2-1", "RBDA-F7.4")
def test_the_handle_equations_before_and_after_assembly(assemblies):
    """What acts on B_1 as handle of A_1 is f less the joint's force, which acts on B_2, and the sum is f again."""
    for A in assemblies:
        f_1, f_2 = A.f - A.f_J, A.f_J
        near(A.I_1 @ A.a_1 + A.p_1, f_1)
        near(A.I_2 @ A.a_2 + A.p_2, f_2)
        near(A.I @ A.a_1 + A.p, A.f)
        far(A.I_1 @ A.a_1 + A.p_1, A.f)


@pytest.mark.source("RBDA-S7.2.2-1")
def test_the_joint_force_acts_on_the_child(tree):
    """The net force on a body is that of its own joint less those of its children's, by inverse dynamics too."""
    forces = newton_euler(tree.model, tree.q, tree.qd, tree.qdd, tree.f_ext).f
    for i in tree.bodies:
        passed_on = sum(tree.joint_force(j) for j in tree.model.mu(i))
        near(tree.joint_force(i) - passed_on, tree.net[i] - tree.weights[i] - tree.f_ext[i])
        near(forces[i], tree.force_in_body(tree.joint_force(i), i))


@pytest.mark.source("RBDA-S7.2.2-2")
def test_the_joint_constrains_accelerations_and_forces(assemblies):
    """c is the full derivative of S times qd, here by differences in the world."""
    for A in assemblies:
        near(A.a_2 - A.a_1, A.S @ A.qdd + A.c)
        near(A.S.T @ A.f_J, A.tau)


@pytest.mark.source("RBDA-7.18", "RBDA-S7.2.2-3", "RBDA-S7.2.2-4", "RBDA-7.19", "RBDA-7.20")
def test_assembly_formulae(assemblies):
    """The joint's acceleration from that of B_1, and inertia and bias force of the whole from those of the parts."""
    for A in assemblies:
        I_1, p_1, I_2, p_2, S, c, tau = A.I_1, A.p_1, A.I_2, A.p_2, A.S, A.c, A.tau
        D = S.T @ I_2 @ S
        assert np.all(np.linalg.eigvalsh(D) > 1e-3)
        near(np.linalg.solve(D, tau - S.T @ (I_2 @ (A.a_1 + c) + p_2)), A.qdd)
        near(S.T @ (I_2 @ A.a_2 + p_2), tau)
        f = I_1 @ A.a_1 + I_2 @ (A.a_1 + c + S @ np.linalg.solve(D, tau - S.T @ (I_2 @ (A.a_1 + c) + p_2))) + p_1 + p_2
        near(f, A.f)
        near(I_1 + I_2 - I_2 @ S @ np.linalg.solve(D, S.T @ I_2), A.I)
        near(p_1 + p_2 + I_2 @ c + I_2 @ S @ np.linalg.solve(D, tau - S.T @ (I_2 @ c + p_2)), A.p)


@pytest.mark.source("RBDA-7.18", "RBDA-7.19", "RBDA-7.20", "RBDA-7.24", "RBDA-S7.2.2-3")
@pytest.mark.parametrize("n", range(7))
def test_assembly_formulae_solve_the_five_equations(n):
    """Random inertias and joints of 0 to 6 freedoms: Eqs 7.51-7.55 as one linear system for f, f_1, f_2, a_2, qdd."""
    rng = np.random.default_rng([7, n])
    I_1, I_2 = (B @ B.T + np.eye(6) for B in rng.normal(size=(2, 6, 6)))
    p_1, p_2, c, a_1 = rng.normal(size=(4, 6))
    S, tau = np.linalg.qr(rng.normal(size=(6, 6)))[0][:, :n], rng.normal(size=n)
    one, none, narrow = np.eye(6), np.zeros((6, 6)), np.zeros((6, n))
    matrix = np.block([[one, -one, -one, none, narrow], [none, one, none, none, narrow],
                       [none, none, one, -I_2, narrow], [none, none, none, one, -S],
                       [narrow.T, narrow.T, S.T, narrow.T, np.zeros((n, n))]])
    right = np.concatenate([np.zeros(6), I_1 @ a_1 + p_1, p_2, a_1 + c, tau])
    f, _, f_2, a_2, qdd = np.split(np.linalg.solve(matrix, right), [6, 12, 18, 24])

    D = S.T @ I_2 @ S
    assert np.all(np.linalg.eigvalsh(D) > 0)
    near(np.linalg.solve(D, tau - S.T @ (I_2 @ (a_1 + c) + p_2)), qdd, 1e-12)
    I_a, p_a = propagate(I_2, p_2, S, c, tau)
    near((I_1 + I_a) @ a_1 + p_1 + p_a, f, 1e-12)
    near(I_a @ a_1 + p_a, f_2, 1e-12)
    near(p_a, p_2 + I_2 @ c + I_2 @ S @ np.linalg.solve(D, tau - S.T @ (I_2 @ c + p_2)), 1e-12)
    assert np.linalg.matrix_rank(I_a, 1e-9) == 6 - n
    assert smallest_eigenvalue(I_a) > -1e-12
    if n > 1:
        with pytest.raises(ValueError, match=r"^Sᵀ I_A S is singular"):
            propagate(I_2, p_2, S[:, [0, *range(n - 1)]], c, tau)


@pytest.mark.source("RBDA-7.21", "RBDA-7.22", "RBDA-7.23", "RBDA-7.24", "RBDA-7.37", "RBDA-7.38", "RBDA-7.39",
                    "RBDA-7.40")
def test_inertia_and_bias_force_from_those_of_the_children(moving):
    """I_A and p_A of every body, by projection of its subtree, from those of its children across their joints."""
    tau = moving.joint_forces()
    A = articulated_bodies(moving.model, moving.q, moving.qd, tau, moving.f_ext)
    by_h = {i: articulated_by_projection(moving, i) for i in moving.bodies}
    for i in moving.bodies:
        I = moving.M[i]
        p = moving.net[i] - moving.f_ext[i] - I @ moving.a[i]
        for j in moving.model.mu(i):
            (I_A, p_A), S, c, tau_j = by_h[j], moving.way(j), moving.bias_of_joint(j), tau[moving.model.v_slice(j)]
            D = S.T @ I_A @ S
            I_a = I_A - I_A @ S @ np.linalg.solve(D, S.T @ I_A)
            p_a = p_A + I_a @ c + I_A @ S @ np.linalg.solve(D, tau_j - S.T @ p_A)
            near_both(propagate(I_A, p_A, S, c, tau_j), (I_a, p_a))
            near_both(in_world(A.I_a[j], A.p_a[j], moving.poses[j]), (I_a, p_a))
            I, p = I + I_a, p + p_a
        near_both((I, p), by_h[i])
        near_both((I, p), in_world(A.I_A[i], A.p_A[i], moving.poses[i]))


def near_both(ours, expected):
    near(ours[0], expected[0])
    near(ours[1], expected[1])


@pytest.mark.source("RBDA-7.25")
def test_the_joint_force_from_the_acceleration_of_either_body(moving):
    """The joints' forces by geometry, those of joints on the base included."""
    tau = moving.joint_forces()
    A = articulated_bodies(moving.model, moving.q, moving.qd, tau, moving.f_ext)
    for j in moving.bodies:
        f = moving.force_in_body(moving.joint_force(j), j)
        I_a, p_a = propagate(A.I_A[j], A.p_A[j], A.S[j], A.c[j], tau[moving.model.v_slice(j)])
        near(A.I_A[j] @ moving.weightless(moving.a, j) + A.p_A[j], f)
        near(I_a @ moving.in_body(moving.a[moving.parent[j]] - moving.gravity, j) + p_a, f)


@pytest.mark.source("RBDA-S7.2.2-5")
def test_propagated_quantities_belong_to_a_massless_handle(tree, rng):
    """A handle of any inertia before the joint, by projection: taken off again, whatever it was, it leaves these."""
    A, tau = assembled(tree), tree.unforced()
    for j in tree.model.mu(1):
        expected = propagate(*in_world(A.I_A[j], A.p_A[j], tree.poses[j]), tree.way(j), tree.bias_of_joint(j),
                             tau[tree.model.v_slice(j)])
        for inertia in (mcI(*random_mass_properties(rng)), mcI(3, [1, 2, 3], np.eye(3))):
            I_A, p_A = articulated_by_projection(tree, 1, [1, *tree.subtree(j)], inertia)
            I, _ = in_world(inertia, np.zeros(6), tree.poses[1])
            near_both((I_A - I, p_A - (crf(tree.v[1]) @ I @ tree.v[1] - tree.f_ext[1])), expected)


@pytest.mark.source("RBDA-S7.2.2-6")
def test_what_is_propagated_meets_no_inertia_along_the_joint(moving):
    A = articulated_bodies(moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext)
    for j in (j for j in moving.bodies if moving.parent[j] != 0):
        size = np.abs(A.I_A[j]).max()
        near(A.I_a[j] @ A.S[j] / size, np.zeros(A.S[j].shape), 1e-12)
        assert np.linalg.matrix_rank(A.I_a[j], 1e-9 * size) == 6 - A.S[j].shape[1]
        assert smallest_eigenvalue(A.I_a[j]) > -1e-12 * size


@pytest.mark.source("RBDA-S7.2.2-6")
@pytest.mark.parametrize(("joint", "rows"), [
    (Revolute("z"), [2]), (Prismatic("z"), [5]), (Planar(), [2, 3, 4])], ids=str)
def test_rows_and_columns_of_what_is_propagated_are_zero(joint, rows, rng):
    X, I = [plucker(*random_pose(rng)) for _ in range(3)], [mcI(*random_mass_properties(rng)) for _ in range(3)]
    model = Model([0, 1, 2], [Revolute("x"), joint, Revolute("y")], X, I)
    q, qd = model.random_state(rng)
    I_a = articulated_bodies(model, q, qd, 0 * qd).I_a[2]
    close(I_a[rows], np.zeros((len(rows), 6)))
    close(I_a[:, rows], np.zeros((6, len(rows))))
    others = [k for k in range(6) if k not in rows]
    assert np.linalg.matrix_rank(I_a[others][:, others], 1e-9) == len(others)


@pytest.mark.source("RBDA-S7.2.2-7")
def test_in_a_floating_tree_every_handle_has_six_freedoms_and_every_joint_one_assembly(moving):
    """Each subtree by itself floats: a force on its root in any direction accelerates it, by its H and Jacobian."""
    model = moving.model
    A = articulated_bodies(model, moving.q, moving.qd, moving.joint_forces())
    for i in moving.bodies:
        sub, q, qd, tau, f_ext = subtree_alone(moving, i)
        assert np.linalg.matrix_rank(by_projection(sub, q, qd, tau, 1, f_ext).Phi, 1e-9) == 6
    assert sum(I_a is not None for I_a in A.I_a) == model.N_B - len(model.mu(0))


@pytest.mark.source("RBDA-F7.5")
def test_body_i_is_the_handle_of_its_subtree_without_joint_i(rng):
    """I_A of body i changes with the inertia of body j if j is in nu(i), and with joint j if that is not i itself."""
    joints = [Revolute("z"), Revolute("x"), Prismatic("y"), Revolute((1, 1, 0)), Revolute("x")]
    chain = Forced(rng, joints, [0, 1, 1, 3, 3])
    model, q = chain.model, chain.q
    I_A = articulated_bodies(model, q, chain.qd, 0 * q).I_A
    for j in model.bodies:
        heavier = [2 * I if k == j else I for k, I in enumerate(model.inertia[1:], start=1)]
        by_body = articulated_bodies(model.replace(inertia=heavier), q, chain.qd, 0 * q).I_A
        by_joint = articulated_bodies(model, q + np.eye(5)[j - 1], chain.qd, 0 * q).I_A
        assert [i for i in model.bodies if not np.array_equal(by_body[i], I_A[i])] == sorted(chain.ancestors(j) - {0})
        assert [i for i in model.bodies if not np.allclose(by_joint[i], I_A[i], rtol=0, atol=1e-9)] == (
            sorted(chain.ancestors(j) - {0, j}))


@pytest.mark.source("RBDA-F7.5", "RBDA-7.26", "RBDA-7.27", "RBDA-7.28", "RBDA-7.29")
def test_the_first_joint_from_the_acceleration_of_the_base(moving):
    """Body 1 with its own subtree alone, projected; motion and forces by geometry."""
    I_A, p_A = articulated_by_projection(moving, 1)
    at, S, c = moving.model.v_slice(1), moving.way(1), moving.bias_of_joint(1)
    a_0, a_1 = -moving.gravity, moving.a[1] - moving.gravity
    f_1, tau_1 = moving.joint_force(1), moving.joint_forces()[at]
    qdd = np.linalg.solve(S.T @ I_A @ S, tau_1 - S.T @ I_A @ (a_0 + c) - S.T @ p_A)
    near(I_A @ a_1 + p_A, f_1)
    near(S.T @ f_1, tau_1)
    near(a_0 + c + S @ qdd, a_1)
    near(qdd, moving.qdd[at])
    near(articulated_bodies(moving.model, moving.q, moving.qd, moving.joint_forces(), moving.f_ext).qdd[at], qdd)
