"""RBDA 7.1 to 7.3 row by row: what an articulated body is, how its inertia is found by projection and assembly, and the
articulated-body algorithm. Motions, forces and mass matrices come from geometry, in `tests.sources.ch07_systems`."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib import Model, aba, bias_force, crba, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch04_joints
from rbdlib.book.ch02_spatial import crf, crm, mcI, plucker, rotx, rotz, xlt
from rbdlib.book.ch04_joints import Euler, Fixed, FreeMotion, Planar, Prismatic, Revolute, Spherical, Universal
from rbdlib.book.ch04_kinematics import body_jacobian, body_jacobian_dot, body_transforms
from rbdlib.book.ch06_factorisation import solve
from rbdlib.book.ch07_articulated_body import articulated_bodies
from rbdlib.methods.articulated_body_variants import aba_in_base, aba_unit_columns, handles_by_projection, propagate
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.generators import gu
from rbdlib.methods.handles import by_variant_1, by_variant_2
from rbdlib.numbers import scalars
from rbdlib.numbers.scalars import zeros
from tests.sources import ch07_systems as systems, helpers
from tests.sources.ch05_systems import JOINT_SETS, STEP
from tests.sources.ch07_systems import FLOATING, Forced, assembled, floating, forced, near, smallest_eigenvalue
from tests.sources.helpers import close, far, random_mass_properties, random_pose, slope
from tests.sources.joints import HERE


@pytest.fixture(params=FLOATING)
def tree(request):
    """A tree that floats, with body 1 for its root."""
    return floating(request.param)


@pytest.fixture(scope="module")
def arm():
    """A chain of four freedoms on the fixed base."""
    joints = [Revolute("z"), Prismatic((1, 2, 3)), Revolute("x"), Revolute((1, 0, 1))]
    return Forced(np.random.default_rng([1, 70]), joints, [0, 1, 2, 3])


@pytest.fixture
def pair(rng):
    """A floating body with another one on a hinge."""
    return Forced(rng, [FreeMotion(), Revolute("z")], [0, 1])


@pytest.fixture(params=JOINT_SETS)
def moving(request):
    return forced(request.param)


def projected(tree, bodies, gravity=True):
    model = tree.model if gravity else tree.model.replace(gravity=(0, 0, 0))
    return handles_by_projection(model, tree.q, tree.qd, tree.unforced(), bodies, tree.f_ext)


# 7.1 Articulated-body inertia

@pytest.mark.source("RBDA-7.1")
def test_a_rigid_body_is_accelerated_by_the_force_that_its_bias_leaves(rng):
    """Its momentum, summed over particles, changes as f = I a + p says, and a 6-DoF joint's forces cause that a."""
    body = Forced(rng, [FreeMotion()])
    force, a, v = (x[1] for x in (body.net, body.a, body.v))
    near(body.M[1] @ a + crf(v) @ body.M[1] @ v, force)
    I, v_B, f_B, a_B = body.model.inertia[1], body.in_body(v, 1), body.force_in_body(force, 1), body.in_body(a, 1)
    near(np.linalg.solve(I, f_B - crf(v_B) @ I @ v_B), a_B)
    weightless_model = body.model.replace(gravity=(0, 0, 0))
    near(articulated_bodies(weightless_model, body.q, body.qd, f_B).a[1], a_B)
    near(rnea(weightless_model, body.q, body.qd, body.qdd), f_B)


@pytest.mark.source("RBDA-7.2", "RBDA-7.11", "RBDA-S7.2-1", "RBDA-7.12", "RBDA-7.13")
def test_projection_and_assembly_give_one_inertia_and_bias_force_of_the_handle_under_any_force(tree, rng):
    """The tree's response to a force on its root, by geometry, fits the projected and the assembled I_A and p_A."""
    by_h, weightless, by_parts = projected(tree, 1), projected(tree, 1, gravity=False), assembled(tree)
    for f in rng.normal(size=(3, 6)):
        _, a = tree.response(tree.unforced(), tree.f_ext + tree.force_on(1, f))
        f = tree.force_in_body(f, 1)
        near(by_h.I_A @ tree.in_body(a[1], 1) + by_h.p_A, f)
        near(by_parts.I_A[1] @ tree.weightless(a, 1) + by_parts.p_A[1], f)
    assert smallest_eigenvalue(by_h.I_A) > 1e-3
    near(weightless.I_A, by_parts.I_A[1], 1e-10)
    near(weightless.p_A, by_parts.p_A[1], 1e-10)
    near(by_h.I_A, np.linalg.inv(tree.jacobian(1) @ np.linalg.solve(tree.H, tree.jacobian(1).T)))
    near(by_h.p_A, by_parts.p_A[1] - by_parts.I_A[1] @ tree.in_body(tree.gravity, 1), 1e-10)


@pytest.mark.source("RBDA-F7.1")
def test_a_second_body_alters_the_response_of_the_first(pair):
    """One body by itself answers a force by a = I⁻¹ (f - p), with another one on a hinge by a = I_A⁻¹ (f - p_A)."""
    A = articulated_bodies(pair.model, pair.q, pair.qd, pair.unforced())
    for angle in (0.3, 2.0):
        f = np.array([0, 0, 0, np.cos(angle), np.sin(angle), 0])
        f_B = pair.force_in_body(f, 1)
        with_other = pair.weightless(pair.response(pair.unforced(), pair.force_on(1, f))[1], 1)
        alone = pair.a[1] + np.linalg.solve(pair.M[1], f + pair.weights[1] - pair.net[1])
        near(np.linalg.solve(A.I_A[1], f_B - A.p_A[1]), with_other)
        near(np.linalg.solve(pair.model.inertia[1], f_B - A.p[1]), pair.in_body(alone - pair.gravity, 1))
        far(with_other, pair.in_body(alone - pair.gravity, 1))


@pytest.mark.source("RBDA-S7.1-1")
def test_articulated_body_inertias_are_symmetric_positive_and_transform_as_inertias(tree, rng):
    A, pose, f = assembled(tree), random_pose(rng), rng.normal(size=6)
    for i in tree.bodies:
        assert smallest_eigenvalue(A.I_A[i]) > 1e-3
    X = plucker(pose[0].T, pose[1])
    to_forces = np.linalg.inv(X).T
    I_B, p_B = to_forces @ A.I_A[1] @ np.linalg.inv(X), to_forces @ A.p_A[1]

    (R, p), (R_1, p_1) = pose, tree.poses[1]
    placed = R_1 @ R, p_1 + R_1 @ p
    _, a = tree.response(tree.unforced(), tree.f_ext + tree.force_on(1, f))
    near(I_B @ helpers.motion_coordinates(a[1] - tree.gravity, placed) + p_B, helpers.force_coordinates(f, placed))

    m = tree.model
    X_tree = [X_T @ np.linalg.inv(X) if m.parent[i] == 1 else X_T for i, X_T in enumerate(m.X_tree[1:], start=1)]
    moved = m.replace(X_tree=X_tree, inertia=[to_forces @ m.inertia[1] @ np.linalg.inv(X), *m.inertia[2:]])
    near(articulated_bodies(moved, tree.q, 0 * tree.qd, tree.unforced()).I_A[1], I_B, 1e-12)


@pytest.mark.source("RBDA-S7.1-2")
def test_articulated_body_inertias_depend_on_positions_alone_and_are_for_accelerations_alone(tree, rng):
    A = assembled(tree)
    other = articulated_bodies(tree.model.replace(gravity=(1, 2, 3)), tree.q, rng.normal(size=tree.model.nv),
                               rng.normal(size=tree.model.nv), rng.normal(size=tree.f_ext.shape))
    q, _ = tree.model.random_state(rng)
    moved = articulated_bodies(tree.model, q, tree.qd, tree.unforced(), tree.f_ext)
    for i in tree.bodies:
        assert_array_equal(A.I_A[i], other.I_A[i])
        far(A.p_A[i], other.p_A[i])
    far(moved.I_A[1], A.I_A[1])

    v = tree.in_body(tree.v[1], 1)
    far(v @ A.I_A[1] @ v / 2, tree.kinetic_energy())
    far(A.I_A[1] @ v, tree.force_in_body(tree.momenta().sum(axis=0), 1))
    added = A.I_A[1] - tree.model.inertia[1]
    assert np.trace(added[3:, 3:]) < np.trace(sum(tree.M[2:])[3:, 3:]), "what gives way weighs less than it does"


@pytest.mark.source("RBDA-S7.1-4")
def test_an_articulated_body_inertia_has_21_parameters_and_a_planar_one_6(rng):
    families = {"spatial": [], "rigid": [], "planar": [], "lamina": []}
    for _ in range(24):
        bodies = [random_mass_properties(rng) for _ in range(2)]
        flat = [mcI(m, [*c[:2], 0], I_C[2, 2] * np.eye(3)) for m, c, I_C in bodies]
        for kind, alone, joints, place, I, rows in (
            ("spatial", "rigid", [FreeMotion(), Revolute((1, 2, 2))], plucker(*random_pose(rng)),
             [mcI(*body) for body in bodies], slice(0, 6)),
            ("planar", "lamina", [Planar(), Revolute("z")], xlt([*rng.normal(size=2), 0]), flat, slice(2, 5)),
        ):
            pair = Model([0, 1], joints, [np.eye(6), place], I)
            q, qd = pair.random_state(rng)
            families[kind].append(articulated_bodies(pair, q, qd, 0 * qd).I_A[1][rows, rows])
            families[alone].append(I[0][rows, rows])
    ranks = {kind: np.linalg.matrix_rank(np.array(family).reshape(24, -1)) for kind, family in families.items()}
    assert ranks == {"spatial": 21, "rigid": 10, "planar": 6, "lamina": 4}


@pytest.mark.source("RBDA-S7.1-5")
def test_the_apparent_mass_depends_on_direction_and_has_no_centre(pair, rng):
    """By geometry: the accelerations that unit forces through a point cause; the best point still lets some turn it."""
    tau, Phi = pair.unforced(), projected(pair, 1).Phi
    rest = pair.response(tau)[1][1]
    for f in np.eye(6):
        answer = pair.in_body(pair.response(tau, pair.force_on(1, f))[1][1] - rest, 1)
        near(Phi @ pair.force_in_body(f, 1), answer)

    def turning_by_forces_through_the_best_point(Phi):
        columns = [(Phi @ xlt(r).T)[:3, 3:].ravel() for r in (np.zeros(3), *np.eye(3))]
        A, b = np.column_stack(columns[1:]) - columns[0][:, None], -columns[0]
        r = np.linalg.lstsq(A, b, rcond=None)[0]
        return r, np.linalg.norm(A @ r - b)

    assert turning_by_forces_through_the_best_point(Phi)[1] > 1e-3
    masses = [u @ u / (u @ Phi[3:, 3:] @ u) for u in rng.normal(size=(20, 3))]
    assert max(masses) > 1.1 * min(masses)

    m, c, _ = pair.mechanism.bodies[0]
    rigid = np.linalg.inv(pair.model.inertia[1])
    point, left = turning_by_forces_through_the_best_point(rigid)
    assert left < 1e-10
    near(point, c)
    close(1 / np.diag(xlt(point) @ rigid @ xlt(point).T)[3:], [m] * 3)


@pytest.mark.source("RBDA-S7.1-6", "RBDA-F7.2")
def test_gluing_two_handles_together_adds_their_inertias_and_bias_forces(rng):
    """Two trees with handles that move as one; the whole is projected as one system, and with a fixed joint."""
    I, X = [mcI(*random_mass_properties(rng)) for _ in range(6)], [plucker(*random_pose(rng)) for _ in range(4)]
    joints, none, one = [Revolute("z"), Spherical(), Prismatic("y"), Revolute((1, 1, 0))], (0, 0, 0), np.eye(6)
    first = Model([0, 1, 2], [FreeMotion(), *joints[:2]], [one, *X[:2]], I[:3], none)
    second = Model([0, 1, 1], [FreeMotion(), *joints[2:]], [one, *X[2:]], I[3:], none)
    glued = Model([0, 1, 2, 1, 1], [FreeMotion(), *joints], [one, *X], [I[0] + I[3], *I[1:3], *I[4:]], none)
    by_joint = Model([0, 1, 2, 1, 4, 4], [FreeMotion(), *joints[:2], Fixed(), *joints[2:]], [one, *X[:2], one, *X[2:]],
                     I, none)
    q, qd = glued.random_state(rng)
    tau = rng.normal(size=glued.nv)
    tau[:6] = 0
    q_2, of_2 = [*range(7), 12, 13], [*range(6), 10, 11]
    trees = (first, q[:12], qd[:10], tau[:10]), (second, q[q_2], qd[of_2], tau[of_2])
    parts, whole = [handles_by_projection(*tree, 1) for tree in trees], handles_by_projection(glued, q, qd, tau, 1)
    near(whole.I_A, parts[0].I_A + parts[1].I_A, 1e-10)
    near(whole.p_A, parts[0].p_A + parts[1].p_A, 1e-10)
    A = [articulated_bodies(*tree) for tree in trees]
    for model in (glued, by_joint):
        together = articulated_bodies(model, q, qd, tau)
        near(together.I_A[1], A[0].I_A[1] + A[1].I_A[1], 1e-12)
        near(together.p_A[1], A[0].p_A[1] + A[1].p_A[1], 1e-11)
        near(together.I_A[1], whole.I_A, 1e-10)


@pytest.mark.source("RBDA-7.3", "RBDA-S7.1-7")
def test_the_inverse_form_holds_for_handles_of_few_freedoms_too(tree, arm, rng):
    """Its inertia is the inverse where there is one, positive semidefinite, and transforms as motions do."""
    by_h, A = projected(tree, 1, gravity=False), assembled(tree)
    near(by_h.Phi @ A.I_A[1], np.eye(6), 1e-10)
    near(by_h.b, -np.linalg.solve(A.I_A[1], A.p_A[1]), 1e-9)

    tau = arm.joint_forces()
    for i in (2, 3, 4):
        tip = handles_by_projection(arm.model, arm.q, arm.qd, tau, i, arm.f_ext)
        assert smallest_eigenvalue(tip.Phi) > -1e-12
        assert np.linalg.matrix_rank(tip.Phi, 1e-9) == i
        f = rng.normal(size=6)
        _, a = arm.response(tau, arm.f_ext + arm.force_on(i, f))
        near(tip.Phi @ arm.force_in_body(f, i) + tip.b, arm.in_body(a[i], i))
    with pytest.raises(ValueError, match=r"^The handles \(4,\) do not have 6 independent freedoms, .* Use Phi and b"):
        tip.I_A  # noqa: B018

    pose = random_pose(rng)
    X = plucker(pose[0].T, pose[1])
    placed = arm.poses[4][0] @ pose[0], arm.poses[4][1] + arm.poses[4][0] @ pose[1]
    near(X @ tip.Phi @ X.T @ helpers.force_coordinates(f, placed) + X @ tip.b, helpers.motion_coordinates(a[4], placed))


@pytest.mark.source("RBDA-7.4", "RBDA-7.8", "RBDA-7.9", "RBDA-7.10", "RBDA-S7.2.1-2")
def test_projection_of_the_equation_of_motion_onto_one_handle_or_several(moving, rng):
    """Random forces on all handles; and a force on one of them alone, which the other feels through Phi_ij."""
    tau = moving.joint_forces()
    _, before = moving.response(tau, moving.f_ext)
    for handles in (*([i] for i in moving.bodies), [5, 2, 4]):
        J = np.concatenate([moving.jacobian(i) for i in handles])
        at = handles_by_projection(moving.model, moving.q, moving.qd, tau, handles, moving.f_ext)
        near(at.J, J)
        near(at.Phi, J @ np.linalg.solve(moving.H, J.T))
        near(at.Phi, at.Phi.T, 1e-10)
        near(at.b, np.concatenate([moving.in_body(before[i], i) for i in handles]))
        forces = np.zeros_like(moving.f_ext)
        forces[handles] = rng.normal(size=(len(handles), 6))
        _, a = moving.response(tau, moving.f_ext + forces)
        f = np.concatenate([moving.force_in_body(forces[i], i) for i in handles])
        near(at.Phi @ f + at.b, np.concatenate([moving.in_body(a[i], i) for i in handles]))

    _, a = moving.response(tau, moving.f_ext + moving.force_on(4, forces[4]))
    near(at.Phi[6:12, 12:] @ f[12:], moving.in_body(a[2] - before[2], 2))


@pytest.mark.source("RBDA-S7.1-8")
def test_the_rank_of_several_handles_is_the_number_of_their_freedoms(pair, rng):
    chain = Forced(rng, [FreeMotion(), Revolute("z"), Spherical(), Universal("xy")], [0, 1, 2, 3])
    for system, handles, freedoms in ((pair, [1, 2], 7), (chain, [1, 1], 6), (chain, [1, 4], 12)):
        J = np.concatenate([system.jacobian(i) for i in handles])
        at = handles_by_projection(system.model, system.q, system.qd, system.unforced(), handles, system.f_ext)
        assert smallest_eigenvalue(at.Phi) > -1e-10
        assert np.linalg.matrix_rank(at.Phi, 1e-7) == np.linalg.matrix_rank(J, 1e-7) == freedoms

    forces = np.zeros_like(chain.f_ext)
    forces[handles] = rng.normal(size=(2, 6))
    _, a = chain.response(chain.unforced(), chain.f_ext + forces)
    a = np.concatenate([chain.in_body(a[i], i) for i in handles])
    near(at.I_A @ a + at.p_A, np.concatenate([chain.force_in_body(forces[i], i) for i in handles]), 1e-6)


@pytest.mark.source("RBDA-X7.1", "RBDA-F7.3")
def test_the_box_with_a_cylinder_in_its_slot():
    """Exact, with symbols: the cylinder follows the box along x and z, and turns with it about y and z, but no more."""
    m1, m2, I1, I2 = sp.symbols("m1 m2 I1 I2", positive=True)
    box, cylinder = (np.diag([I, I, I, m, m, m]) for m, I in ((m1, I1), (m2, I2)))
    expected = np.diag([I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2])
    slot = Custom(2, lambda q, t: rotx(q[0]) @ xlt([0 * q[1], q[1], 0 * q[1]]), name="slot")
    model = Model([0, 1], [FreeMotion(), slot], [np.eye(6, dtype=int)] * 2, [box, cylinder], (0, 0, 0))
    in_two = Model([0, 1, 2], [FreeMotion(), Prismatic("y"), Revolute("x")], [np.eye(6, dtype=int)] * 3,
                   [box, np.zeros((6, 6), dtype=int), cylinder], (0, 0, 0))
    q, S = [1, *[0] * 8], np.eye(6, dtype=int)[:, [0, 4]]
    assert_array_equal(slot.motion_subspace(np.zeros(2)), S)
    for I_A in (box + propagate(cylinder, zeros(6), S, zeros(6), zeros(2))[0],
                *(articulated_bodies(m, q, zeros(8), zeros(8)).I_A[1] for m in (model, in_two))):
        assert (sp.Matrix(I_A - expected).applyfunc(sp.simplify)).is_zero_matrix

    a, follows = sp.symbols("a follows")
    for k, mass in enumerate((m1 + m2, m1, m1 + m2), start=3):
        newton = sp.solve([m1 * a + m2 * follows - 1, follows if k == 4 else follows - a], [a, follows])
        assert sp.simplify(newton[a] - 1 / mass) == 0
        qdd = articulated_bodies(model, q, zeros(8), np.eye(8, dtype=int)[k]).qdd
        assert sp.simplify(qdd[k] - newton[a]) == 0
        assert not qdd[:3].any(), "the origin is a centre of apparent mass"


# 7.2.1 The projection method

@pytest.mark.source("RBDA-7.5", "RBDA-7.6", "RBDA-7.7")
def test_the_generalized_equation_of_motion_has_the_handle_force_on_its_right(moving):
    """The motion at hand, by geometry, when the force f on body 4 is one of those that cause it."""
    model, J, f = moving.model, moving.jacobian(4), moving.f_ext[4]
    others, tau_act = moving.f_ext - moving.force_on(4, f), moving.joint_forces()
    f_B = moving.force_in_body(f, 4)
    C = bias_force(model, moving.q, moving.qd, others) - tau_act
    near(crba(model, moving.q) @ moving.qdd + C, J.T @ f_B)
    near(rnea(model, moving.q, moving.qd, moving.qdd, others), tau_act + J.T @ f_B)
    assert (J.T @ f_B) @ moving.qd == pytest.approx(f @ moving.v[4], abs=1e-8)
    for i in moving.bodies:
        J, J_dot = body_jacobian(model, moving.q, i), body_jacobian_dot(model, moving.q, moving.qd, i)
        near(J, moving.jacobian(i))
        near(J @ moving.qdd + J_dot @ moving.qd, moving.in_body(moving.a[i], i))


@pytest.mark.source("RBDA-S7.2.1-1")
def test_projection_does_not_depend_on_the_generalized_coordinates(moving, rng):
    """Ball joints by Euler parameters and by Euler angles; and any matrix A with qd = A yd."""
    J, H, A = moving.jacobian(5), moving.H, rng.normal(size=moving.H.shape)
    Phi = handles_by_projection(moving.model, moving.q, moving.qd, moving.joint_forces(), 5).Phi
    near(J @ A @ np.linalg.solve(A.T @ H @ A, A.T @ J.T), Phi)

    ball, angles = Spherical(), Euler("zyx")
    X, I = [plucker(*random_pose(rng)) for _ in range(3)], [mcI(*random_mass_properties(rng)) for _ in range(3)]
    parameters, rates, tau = ball.random_position(rng), *rng.normal(size=(2, 3))
    E = ball.transform(parameters)[:3, :3]
    q = np.array([np.arctan2(E[0, 1], E[0, 0]), -np.arcsin(E[0, 2]), np.arctan2(E[1, 2], E[2, 2])])
    S = angles.motion_subspace(q)[:3]
    systems = [Model([0, 1, 2], [Revolute("y"), joint, Revolute("x")], X, I) for joint in (angles, ball)]
    states = [(np.array([0.3, *angle, -0.4]), np.array([0.5, *rate, -1]), np.array([0.2, *torque, 0.7])) for
              angle, rate, torque in ((q, rates, S.T @ tau), (parameters, S @ rates, tau))]
    by_angles, by_parameters = (
        handles_by_projection(m, *state, [3, 2]) for m, state in zip(systems, states, strict=True))
    far(by_angles.J, by_parameters.J)
    near(by_angles.Phi, by_parameters.Phi, 1e-10)
    near(by_angles.b, by_parameters.b, 1e-10)


@pytest.mark.source("RBDA-7.14")
def test_rank_range_and_null_space_of_the_inverse_inertia(arm):
    """J from the ways of the bodies: a chain of four freedoms, and one of five of which two are the same."""
    joints = [Revolute("x"), Prismatic("y"), Revolute("z"), Revolute("z"), Revolute("x")]
    doubled = Forced(np.random.default_rng(14), joints, range(5), places={4: HERE})
    for chain, n in ((arm, 4), (doubled, 5)):
        J = chain.jacobian(n)
        Phi = handles_by_projection(chain.model, chain.q, chain.qd, chain.joint_forces(), n).Phi
        assert np.linalg.matrix_rank(J, 1e-7) == np.linalg.matrix_rank(Phi, 1e-7) == 4
        null = np.linalg.svd(J.T)[2][4:].T
        assert np.abs(Phi @ null).max() < 1e-8 * np.abs(Phi).max(), "what J transposed does not feel moves nothing"
        left = Phi - J @ np.linalg.lstsq(J, Phi, rcond=1e-7)[0]
        assert np.abs(left).max() < 1e-8 * np.abs(Phi).max(), "every answer is a motion that the joints allow"


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
