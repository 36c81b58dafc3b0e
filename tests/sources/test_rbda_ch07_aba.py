"""RBDA 7.2.2 and 7.3 row by row: articulated bodies assembled joint by joint, and the articulated-body algorithm. The
motions, forces and mass matrices of the systems come from geometry, in `tests.sources.ch07_systems`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import Model, aba, bias_force, crba, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch04_joints
from rbdlib.book.ch02_spatial import crf, crm, mcI, plucker, rotz, xlt
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods.articulated_body_variants import aba_in_base, aba_unit_columns, propagate
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.generators import gu
from rbdlib.methods.handles import by_variant_1, by_variant_2
from rbdlib.numbers import scalars
from tests.sources import ch07_systems as systems
from tests.sources.ch05_systems import JOINT_SETS, STEP
from tests.sources.helpers import close, far, random_mass_properties, random_pose, slope


@pytest.fixture(scope="module", params=systems.FLOATING)
def tree(request):
    """A tree that floats, with body 1 for its root."""
    return systems.floating(request.param)


@pytest.fixture(params=JOINT_SETS)
def moving(request):
    return systems.forced(request.param)


def near_both(ours, expected):
    systems.near(ours[0], expected[0])
    systems.near(ours[1], expected[1])


# 7.2.2 The assembly method

class Assembly:
    """A floating tree seen as two: A_2 is the subtree of body i, A_1 the rest with handle 1; in world coordinates.
    I_1, p_1, I_2, p_2, I, p: inertias and bias forces of the parts and of the whole, by projection. a_1, a_2: the
    handles' accelerations less free fall. f, f_J: the forces on B_1 from outside, and on B_2 from B_1. S, c, tau, qdd:
    of the joint. Motion and forces are geometry."""
    def __init__(self, tree, i):
        rest = [j for j in tree.bodies if j not in tree.subtree(i)]
        self.I_1, self.p_1 = systems.articulated_by_projection(tree, 1, rest)
        self.I_2, self.p_2 = systems.articulated_by_projection(tree, i)
        self.I, self.p = systems.articulated_by_projection(tree, 1)
        self.a_1, self.a_2 = (tree.a[j] - tree.gravity for j in (1, i))
        self.f, self.f_J = tree.joint_force(1), tree.joint_force(i)
        self.S, self.c, at = tree.way(i), tree.bias_of_joint(i), tree.model.v_slice(i)
        self.tau, self.qdd = tree.joint_forces()[at], tree.qdd[at]


@pytest.mark.source("RBDA-7.15", "RBDA-7.16", "RBDA-7.17", "RBDA-7.18", "RBDA-7.19", "RBDA-7.20", "RBDA-S7.2.2-1",
                    "RBDA-S7.2.2-2", "RBDA-S7.2.2-3", "RBDA-S7.2.2-4", "RBDA-F7.4")
def test_the_assembly_of_a_tree_from_two_parts(tree):
    """What acts on B_1 as handle of A_1 is f less the joint's force, which acts on B_2, and the sum is f again. c is
    the full derivative of S times qd, here by differences in the world. The formulae give the joint's acceleration from
    that of B_1, and inertia and bias force of the whole from those of the parts."""
    for A in (Assembly(tree, i) for i in tree.model.mu(1)):
        I_1, p_1, I_2, p_2, S, c, tau = A.I_1, A.p_1, A.I_2, A.p_2, A.S, A.c, A.tau
        systems.near(I_1 @ A.a_1 + p_1, A.f - A.f_J)
        systems.near(I_2 @ A.a_2 + p_2, A.f_J)
        systems.near(A.I @ A.a_1 + A.p, A.f)
        far(I_1 @ A.a_1 + p_1, A.f)
        systems.near(A.a_2 - A.a_1, S @ A.qdd + c)
        systems.near(S.T @ A.f_J, tau)

        D = S.T @ I_2 @ S
        assert np.all(np.linalg.eigvalsh(D) > 1e-3)
        systems.near(np.linalg.solve(D, tau - S.T @ (I_2 @ (A.a_1 + c) + p_2)), A.qdd)
        systems.near(I_1 + I_2 - I_2 @ S @ np.linalg.solve(D, S.T @ I_2), A.I)
        systems.near(p_1 + p_2 + I_2 @ c + I_2 @ S @ np.linalg.solve(D, tau - S.T @ (I_2 @ c + p_2)), A.p)


@pytest.mark.source("RBDA-7.21", "RBDA-7.22", "RBDA-7.23", "RBDA-7.24", "RBDA-7.25", "RBDA-7.36", "RBDA-7.37",
                    "RBDA-7.38", "RBDA-7.39", "RBDA-7.40", "RBDA-S7.1-3", "RBDA-S7.3-2", "RBDA-S7.3-5")
def test_inertia_and_bias_force_from_those_of_the_children(moving):
    """I_A and p_A of every body, by projection of its subtree, from those of its children across their joints. Nothing
    crosses joints on the base; leaves are rigid; what a body passes on contains what its children did. The equations
    (B) sum over mu(i), the listing (A) adds to lambda(i). The joint's force, by geometry, follows from the acceleration
    of either body."""
    tau, model = moving.joint_forces(), moving.model
    A, B = systems.solved(moving)
    by_h = {i: systems.articulated_by_projection(moving, i) for i in moving.bodies}
    assert [i for i in model.bodies if A.I_a[i] is None] == [i for i in model.bodies if A.p_a[i] is None] == model.mu(0)
    for i in moving.bodies:
        I = moving.M[i]
        p = moving.net[i] - moving.f_ext[i] - I @ moving.a[i]
        systems.near(crf(moving.v[i]) @ I @ moving.v[i] - moving.f_ext[i], p)
        systems.near(B.p[i], p)
        systems.near(A.p[i], moving.force_in_body(p, i))
        for j in model.mu(i):
            (I_A, p_A), S, c, tau_j = by_h[j], moving.way(j), moving.bias_of_joint(j), tau[model.v_slice(j)]
            D = S.T @ I_A @ S
            assert D.size == 0 or systems.smallest_eigenvalue(D) > 1e-3
            I_a = I_A - I_A @ S @ np.linalg.solve(D, S.T @ I_A)
            p_a = p_A + I_a @ c + I_A @ S @ np.linalg.solve(D, tau_j - S.T @ p_A)
            near_both(propagate(I_A, p_A, S, c, tau_j), (I_a, p_a))
            near_both(systems.in_world(A.I_a[j], A.p_a[j], moving.poses[j]), (I_a, p_a))
            I, p = I + I_a, p + p_a
        near_both((I, p), by_h[i])
        near_both((I, p), systems.in_world(A.I_A[i], A.p_A[i], moving.poses[i]))
        near_both((I, p), (B.I_A[i], B.p_A[i]))
        assert_array_equal(model.inertia[i], moving.mechanism.model().inertia[i])
        if not model.mu(i):
            assert_array_equal(A.I_A[i], model.inertia[i])
            assert_array_equal(A.p_A[i], A.p[i])

        f = moving.force_in_body(moving.joint_force(i), i)
        I_a, p_a = propagate(A.I_A[i], A.p_A[i], A.S[i], A.c[i], tau[model.v_slice(i)])
        systems.near(A.I_A[i] @ moving.weightless(moving.a, i) + A.p_A[i], f)
        systems.near(I_a @ moving.in_body(moving.a[moving.parent[i]] - moving.gravity, i) + p_a, f)


@pytest.mark.source("RBDA-S7.2.2-5")
def test_propagated_quantities_belong_to_a_massless_handle(tree, rng):
    """A handle of any inertia before the joint, by projection: taken off again, whatever it was, it leaves these."""
    A, tau = systems.assembled(tree), tree.unforced()
    for j in tree.model.mu(1):
        expected = propagate(*systems.in_world(A.I_A[j], A.p_A[j], tree.poses[j]), tree.way(j), tree.bias_of_joint(j),
                             tau[tree.model.v_slice(j)])
        for inertia in (mcI(*random_mass_properties(rng)), mcI(3, [1, 2, 3], np.eye(3))):
            I_A, p_A = systems.articulated_by_projection(tree, 1, [1, *tree.subtree(j)], inertia)
            I, _ = systems.in_world(inertia, np.zeros(6), tree.poses[1])
            near_both((I_A - I, p_A - (crf(tree.v[1]) @ I @ tree.v[1] - tree.f_ext[1])), expected)


@pytest.mark.source("RBDA-S7.2.2-6")
def test_rows_and_columns_of_what_is_propagated_are_zero(rng):
    X, I = [plucker(*random_pose(rng)) for _ in range(3)], [mcI(*random_mass_properties(rng)) for _ in range(3)]
    for joint, rows in ((ch04_joints.Revolute("z"), [2]), (ch04_joints.Prismatic("z"), [5]), (ch04_joints.Planar(),
                                                                                              [2, 3, 4])):
        model = Model([0, 1, 2], [ch04_joints.Revolute("x"), joint, ch04_joints.Revolute("y")], X, I)
        q, qd = model.random_state(rng)
        A = articulated_bodies(model, q, qd, 0 * qd)
        I_a, size = A.I_a[2], np.abs(A.I_A[2]).max()
        systems.near(I_a @ A.S[2] / size, np.zeros(A.S[2].shape), 1e-12)
        assert systems.smallest_eigenvalue(I_a) > -1e-12 * size
        close(I_a[rows], np.zeros((len(rows), 6)))
        close(I_a[:, rows], np.zeros((6, len(rows))))
        others = [k for k in range(6) if k not in rows]
        assert np.linalg.matrix_rank(I_a[others][:, others], 1e-9) == len(others)


@pytest.mark.source("RBDA-S7.2.2-7")
def test_in_a_floating_tree_every_handle_has_six_freedoms_and_every_joint_one_assembly(moving):
    """Each subtree by itself floats: a force on its root in any direction accelerates it, by its H and Jacobian."""
    model = moving.model
    A = articulated_bodies(model, moving.q, moving.qd, moving.joint_forces())
    assert all(np.linalg.matrix_rank(systems.articulated_by_projection(moving, i)[0], 1e-9) == 6 for i in moving.bodies)
    assert sum(I_a is not None for I_a in A.I_a) == model.N_B - len(model.mu(0))


# 7.3 The articulated-body algorithm

@pytest.mark.source("RBDA-F7.5", "RBDA-7.26", "RBDA-7.27", "RBDA-7.28", "RBDA-7.29", "RBDA-7.30", "RBDA-7.31",
                    "RBDA-7.41", "RBDA-7.42")
def test_joint_and_body_accelerations_from_those_of_the_parent(moving):
    """Each body's subtree by projection; a_lambda(i), qdd_i and a_i are geometry, with gravity as -a_g of the base.
    Body 1 is one of those that the base carries."""
    A, B = systems.solved(moving)
    tau, true = moving.joint_forces(), moving.a
    systems.near(A.qdd, moving.qdd)
    systems.near(B.qdd, moving.qdd)
    systems.near(A.a[0], -moving.gravity)
    for i in moving.bodies:
        (I_A, p_A), S, c, at = (systems.articulated_by_projection(moving, i), moving.way(i), moving.bias_of_joint(i),
                                moving.model.v_slice(i))
        before = true[moving.parent[i]] - moving.gravity
        qdd = np.linalg.solve(S.T @ I_A @ S, tau[at] - S.T @ I_A @ (before + c) - S.T @ p_A)
        systems.near(qdd, moving.qdd[at])
        systems.near(I_A @ (true[i] - moving.gravity) + p_A, moving.joint_force(i))
        systems.near(S.T @ moving.joint_force(i), tau[at])
        systems.near(before + c + S @ qdd, true[i] - moving.gravity)
        systems.near(B.a[i], true[i] - moving.gravity)
        systems.near(A.a[i], moving.weightless(true, i))


@pytest.mark.source("RBDA-7.32", "RBDA-7.33", "RBDA-7.34", "RBDA-7.35")
def test_velocities_and_velocity_product_accelerations(moving):
    """Velocities by geometry, of which neighbours differ by S qd, and those of the first pass. c_J by differences of S
    in body coordinates, and c by geometry: what a_i has beyond a_lambda(i) and S qdd."""
    A, B = systems.solved(moving)
    model = moving.model
    systems.near(B.v[0], np.zeros(6))
    for i in moving.bodies:
        joint, q, qd = model.joints[i], moving.q[model.q_slice(i)], moving.qd[model.v_slice(i)]
        parent = moving.parent[i]
        v_J = moving.v[i] - moving.v[parent]
        systems.near(B.S[i] @ qd, v_J)
        systems.near(B.v[parent] + B.S[i] @ qd, moving.v[i])
        systems.near(B.v[i], moving.v[i])
        systems.near(A.v[i], moving.in_body(moving.v[i], i))

        S_ring = slope(lambda t, j=joint, q=q, qd=qd: j.motion_subspace(j.integrate(q, qd, t)), h=STEP)
        c = moving.in_body(crm(moving.v[i]) @ v_J, i) + S_ring @ qd
        systems.near(ch04_joints.jcalc(joint, q, qd)[3], S_ring @ qd)
        beyond = moving.a[i] - moving.a[parent] - moving.way(i) @ moving.qdd[model.v_slice(i)]
        systems.near(moving.in_body(beyond, i), c)
        systems.near(crm(moving.v[parent]) @ v_J, crm(moving.v[i]) @ v_J)
        systems.near(A.c[i], c)
        systems.near(moving.in_body(B.c[i], i), c)


@pytest.mark.source("RBDA-7.43", "RBDA-7.44", "RBDA-7.45", "RBDA-7.46", "RBDA-7.47", "RBDA-7.48", "RBDA-7.49",
                    "RBDA-7.50")
def test_common_subexpressions(moving):
    """They are made from projected articulated bodies and geometry, and give what the equations without them give."""
    A, _ = systems.solved(moving)
    for i in moving.bodies:
        (I_A, p_A), S_0, c, at = (systems.articulated_by_projection(moving, i), moving.way(i), moving.bias_of_joint(i),
                                  moving.model.v_slice(i))
        U_0, tau, S, U = I_A @ S_0, moving.joint_forces()[at], np.zeros((6, 0)), np.zeros((6, 0))
        if S_0.size:
            S = np.column_stack([moving.in_body(s, i) for s in S_0.T])
            U = np.column_stack([moving.force_in_body(f, i) for f in U_0.T])
            assert systems.smallest_eigenvalue(A.D[i]) > 0
        systems.near(A.U[i], U)
        systems.near(A.D[i], S_0.T @ U_0)
        systems.near(A.u[i], tau - S_0.T @ p_A)
        a_prime = moving.weightless(moving.a, i) - S @ moving.qdd[at]
        systems.near(A.X_up[i] @ A.a[moving.parent[i]] + A.c[i], a_prime)
        systems.near(np.linalg.solve(A.D[i], A.u[i] - A.U[i].T @ a_prime), moving.qdd[at])
        systems.near(a_prime + S @ moving.qdd[at], A.a[i])
        I_a, p_a = propagate(I_A, p_A, S_0, c, tau)
        systems.near(I_A - U_0 @ np.linalg.solve(A.D[i], U_0.T), I_a)
        systems.near(p_A + I_a @ c + U_0 @ np.linalg.solve(A.D[i], A.u[i]), p_a)
        if moving.parent[i] != 0:
            near_both(systems.in_world(A.I_a[i], A.p_a[i], moving.poses[i]), (I_a, p_a))


@pytest.mark.source("RBDA-T7.1", "RBDA-A7.1", "RBDA-S7.3-4")
def test_the_algorithm_finds_the_motion_that_the_forces_cause(moving, rng):
    """Motions by geometry whose forces are known by d'Alembert's principle; and any forces, by the mass matrix. The
    velocity variables of balls, planes and free joints are no derivatives: qdd is their rate."""
    state, tau = (moving.model, moving.q, moving.qd), rng.normal(size=moving.model.nv)
    for function in (aba, aba_in_base):
        systems.near(function(*state, moving.joint_forces(), moving.f_ext), moving.qdd)
        systems.near(function(*state, tau, moving.f_ext), moving.response(tau, moving.f_ext)[0], 1e-7)
        close(rnea(*state, function(*state, tau, moving.f_ext), moving.f_ext), tau, 1e-10)
        for none in (None, {}, 0 * moving.f_ext):
            close(function(*state, tau, none), moving.response(tau)[0], 1e-7)


@pytest.mark.source("RBDA-S7.3-4")
def test_joints_that_depend_on_time():
    """A pendulum whose hinge is carried along x as sin(2 t), and one whose arm stretches: Newton's law by hand."""
    l, m, g, t, q, qd, tau, sin = 0.7, 1.3, 9.81, 0.4, 0.6, -0.8, 0.2, scalars.sin
    driven = Custom(0, lambda q, t: xlt([sin(2 * t), 0 * t, 0 * t]), name="driven")
    point, bob = (mcI(m, [0, y, 0], np.zeros((3, 3))) for y in (-l, 0))
    carried = Model([0, 1], [driven, ch04_joints.Revolute("z")], [np.eye(6)] * 2, [mcI(1, [0, 0, 0], np.eye(3)),
                                                                                   point], (0, -g, 0))
    arm = Custom(1, lambda q, t: xlt([0 * t, -l - sin(t), 0 * t]) @ rotz(q[0]), name="arm")
    length = l + np.sin(t)
    for model, expected in (
        (carried, (tau - m * l * (g * np.sin(q) - 4 * np.sin(2 * t) * np.cos(q))) / (m * l**2)),
        (Model([0], [arm], [np.eye(6)], [bob], (0, -g, 0)),
         (tau / m - 2 * length * np.cos(t) * qd - g * length * np.sin(q)) / length**2),
    ):
        for method in (aba, aba_in_base):
            close(method(model, [q], [qd], [tau], t=t), [expected])
            far(method(model, [q], [qd], [tau], t=0), np.array([expected]))


@pytest.mark.source("RBDA-S7.0-1", "RBDA-S7.3-1")
def test_the_cost_of_propagation_is_affine_in_the_number_of_bodies_and_that_of_inertia_matrices_is_not(rng):
    def by_inertia_matrix(model, q, qd, tau):
        return solve(crba(model, q), tau - bias_force(model, q, qd))

    def second_differences(function):
        return np.diff([sum(count_operations(function, gu(n), *rng.normal(size=(3, n)))[0].values())
                        for n in range(3, 8)], 2)

    factorising = second_differences(by_inertia_matrix)
    assert np.diff(factorising).all() and not np.diff(factorising, 2).any(), "a polynomial of degree three"
    for function in (aba, aba_in_base, aba_unit_columns, by_variant_1, by_variant_2):
        assert not second_differences(function).any()


@pytest.mark.source("RBDA-S7.3-3")
def test_gravity_as_acceleration_of_the_base_or_as_forces_on_the_bodies(moving):
    """The weights by geometry, in base coordinates; the fictitious acceleration is cheaper."""
    model, state = moving.model, (moving.q, moving.qd, moving.joint_forces())
    falling = model.replace(gravity=(0, 0, 0))
    by_weights = aba(falling, *state, moving.f_ext + moving.weights)
    systems.near(by_weights, moving.qdd)
    close(aba(model, *state, moving.f_ext), by_weights, 1e-11)
    far(aba(falling, *state, moving.f_ext), moving.qdd)

    def weights(q):
        return {i: X.T @ model.inertia[i] @ X @ moving.gravity for i, X in enumerate(body_transforms(model, q)) if i}

    by_force, _ = count_operations(lambda *given: aba(falling, *given, weights(given[0])), *state)
    by_base, _ = count_operations(lambda *given: aba(model, *given), *state)
    assert by_base["m"] + by_base["a"] < by_force["m"] + by_force["a"]


@pytest.mark.source("RBDA-Q7.3-1")
def test_unit_columns_save_multiplications(rng):
    """The same accelerations, by the mass matrix from geometry, for fewer products."""
    moving = systems.Forced(rng, [ch04_joints.FreeMotion(), ch04_joints.Revolute("z"), ch04_joints.Prismatic("y"),
                          ch04_joints.Cylindrical("x"), ch04_joints.Spherical(), ch04_joints.Fixed(),
                          ch04_joints.Planar(), ch04_joints.Revolute("x")])
    state = moving.model, moving.q, moving.qd, moving.joint_forces()
    systems.near(aba_unit_columns(*state, moving.f_ext), moving.qdd)
    close(aba_unit_columns(*state, moving.f_ext), aba(*state, moving.f_ext), 1e-11)
    counts = [count_operations(f, *state)[0] for f in (aba_unit_columns, aba)]
    assert counts[0]["m"] < 0.85 * counts[1]["m"]
    assert counts[0]["a"] < 0.85 * counts[1]["a"]
    with pytest.raises(ValueError, match=r"^The columns of S of joint 1 \(body 1, helical z\) are not unit vectors. "):
        aba_unit_columns(gu(1).replace(joints=[ch04_joints.Helical(0.3)]), *np.zeros((3, 1)))
