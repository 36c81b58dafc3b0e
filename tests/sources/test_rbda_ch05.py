"""RBDA 5.3 and 5.4 row by row: the recursive Newton-Euler algorithm, in body and base coordinates and by 3D vectors.

The motion of mechanisms of every joint type, and the forces that it takes, come from `tests.sources.ch05_systems`.
"""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import crba, rnea
from rbdlib.book.ch02_spatial import crf, crm, force_transform, xlt
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_joints import Euler, Prismatic, Revolute, Spherical, jcalc
from rbdlib.book.ch05_inverse_dynamics import generalized_gravity, newton_euler
from rbdlib.methods import inverse_dynamics_variants as variants
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.force_parts import explain
from rbdlib.methods.inverse_dynamics_variants import correspondence, newton_euler_in_base, original_newton_euler
from rbdlib.numbers.orientation import euler_parameters_from_rotation
from rbdlib.numbers.scalars import sin
from tests.sources import helpers
from tests.sources.ch03_systems import net_force
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.ch06_systems import mass_matrix
from tests.sources.helpers import close, far, force_coordinates, motion_coordinates, near, random_tree, slope, velocity
from tests.sources.joints import Mechanism


@pytest.fixture(scope="module", params=JOINT_SETS)
def moving(request):
    return Moving(np.random.default_rng([1, 5]), JOINT_SETS[request.param])


def body_frame(moving, f_ext=None):
    return newton_euler(moving.model, moving.q, moving.qd, moving.qdd, f_ext)


def base_frame(moving, f_ext=None):
    return newton_euler_in_base(moving.model, moving.q, moving.qd, moving.qdd, f_ext)


def joint_at(moving, i, t=0.0):
    """S_i, v_J and c_J as jcalc gives them, after the joint's variables have moved on for the time t."""
    model, step = moving.model, t * moving.qd + t * t / 2 * moving.qdd
    joint, q, qd = model.joints[i], moving.q[model.q_slice(i)], moving.qd[model.v_slice(i)]
    q = joint.integrate(q, step[model.v_slice(i)], 1.0)
    return jcalc(joint, q, qd)[1:]


def carried(S, pose):
    """World coordinates of the columns of a matrix of motion vectors (6 x n)."""
    return np.column_stack([np.zeros((6, 0)), *(helpers.motion_carried(column, pose) for column in S.T)])


# 5.3 Velocities and accelerations

@pytest.mark.source("RBDA-5.8")
def test_acceleration_is_the_parents_plus_two_terms_of_the_joint(moving):
    """S-dot is the rate of change of the joint's axes in the world, found by differences."""
    model = moving.model
    motion = newton_euler_in_base(model.replace(gravity=(0, 0, 0)), moving.q, moving.qd, moving.qdd)
    for i in moving.bodies:
        def axes(t, i=i):
            pose = moving.at(t)[i]
            return carried(joint_at(moving, i, t)[0], (pose[:, :3], pose[:, 3]))

        qd, qdd = moving.qd[model.v_slice(i)], moving.qdd[model.v_slice(i)]
        from_joint = axes(0) @ qdd + slope(axes, h=STEP) @ qd
        near(moving.a[moving.parent[i]] + from_joint, moving.a[i])
        near(motion.a[i], moving.a[i])


@pytest.mark.source("RBDA-5.7", "RBDA-5.14", "RBDA-5.16", "RBDA-5.18")
def test_velocity_is_the_parents_plus_the_joints(moving):
    """The bodies' velocities by geometry differ by what jcalc calls v_J = S qd, in the world and in the body."""
    motion, in_base = body_frame(moving), base_frame(moving)
    assert_array_equal(in_base.v[0], np.zeros(6))
    for i in moving.bodies:
        S, v_J, _ = joint_at(moving, i)
        across = moving.v[i] - moving.v[moving.parent[i]]
        near(carried(S, moving.poses[i]), moving.way(i))
        near(moving.way(i) @ moving.qd[moving.model.v_slice(i)], across)
        near(helpers.motion_carried(v_J, moving.poses[i]), across)
        near(in_base.v[i], moving.v[i])
        inherited = moving.in_body(moving.v[moving.parent[i]], i)
        near(motion.X_up[i] @ motion.v[moving.parent[i]], inherited)
        near(inherited + S @ moving.qd[moving.model.v_slice(i)], moving.in_body(moving.v[i], i))
        near(inherited + v_J, moving.in_body(moving.v[i], i))
        near(motion.v[i], moving.in_body(moving.v[i], i))


@pytest.mark.source("RBDA-5.15", "RBDA-5.17", "RBDA-5.19")
def test_acceleration_in_body_coordinates(moving):
    """S-ring, the rate of change of S in body coordinates, is found by differences; a_0 = -a_g lifts every body."""
    model, motion = moving.model, body_frame(moving)
    near(motion.a[0], -moving.gravity)
    for i in moving.bodies:
        qd, qdd = moving.qd[model.v_slice(i)], moving.qdd[model.v_slice(i)]
        S, v_J, c_J = joint_at(moving, i)
        S_ring = slope(lambda t, i=i: joint_at(moving, i, t)[0], h=STEP)
        v, lifted = moving.in_body(moving.v[i], i), moving.in_body(moving.a[i] - moving.gravity, i)
        inherited = moving.in_body(moving.a[moving.parent[i]] - moving.gravity, i)
        near(S_ring @ qd, c_J)
        near(inherited + S @ qdd + S_ring @ qd + crm(v) @ S @ qd, lifted)
        near(inherited + S @ qdd + c_J + crm(v) @ v_J, lifted)
        near(motion.a[i], lifted)


# 5.3 Forces

@pytest.mark.source("RBDA-5.9")
def test_net_force_on_a_body_changes_its_momentum(moving):
    for i in moving.bodies:
        I, v, a = moving.model.inertia[i], moving.in_body(moving.v[i], i), moving.in_body(moving.a[i], i)
        near(I @ a + crf(v) @ I @ v, force_coordinates(moving.net[i], moving.poses[i]))


@pytest.mark.source("RBDA-F5.1", "RBDA-S5.3-2", "RBDA-S5.3-7", "RBDA-5.10", "RBDA-5.20")
def test_forces_on_each_body_balance(moving):
    """What parent, children, the outside and the weight do to a body changes its momentum; f_i carries all beyond.

    The vectors in base coordinates and in those of the bodies are the same.
    """
    base, body = base_frame(moving, moving.f_ext), body_frame(moving, moving.f_ext)
    near(body.tau, base.tau)
    for i in moving.bodies:
        children, pose = [j for j in moving.bodies if moving.parent[j] == i], moving.poses[i]
        near(base.f[i] + moving.f_ext[i] + moving.weights[i] - sum(base.f[j] for j in children), moving.net[i])
        near(base.f[i], beyond(moving, i))
        near(body.f[i], force_coordinates(beyond(moving, i), pose))
        near(carried(body.S[i], pose), base.S[i])
        for ours, common in ((body.v, base.v), (body.a, base.a)):
            near(ours[i], motion_coordinates(common[i], pose))
    near(body.f[0], base.f[0])
    near(base.f[0], sum((moving.net - moving.weights - moving.f_ext)[1:]))


def beyond(moving, i):
    """The force through joint i: what its subtree needs for its motion beyond weights and external forces."""
    return sum(moving.net[k] - moving.weights[k] - moving.f_ext[k] for k in moving.subtree(i))


@pytest.mark.source("RBDA-5.11")
def test_power_of_the_joints_is_what_the_energy_gains_from_them(moving):
    power = slope(moving.kinetic_energy, h=STEP) - np.sum((moving.f_ext + moving.weights) * moving.v)
    for motion in (body_frame(moving, moving.f_ext), base_frame(moving, moving.f_ext)):
        near(motion.tau @ moving.qd, power)
        for i in moving.bodies:
            near(motion.S[i].T @ motion.f[i], motion.tau[moving.model.v_slice(i)])
    along = [moving.way(i).T @ base_frame(moving, moving.f_ext).f[i] for i in moving.bodies]
    near(np.concatenate(along), moving.joint_forces())


# 5.3 The algorithm

def listing(model, q, qd, qdd=None, f_ext=None, sums="lambda", late=False):
    """Table 5.1 step by step, tau and all f_i, with the choices that the text leaves.

    sums: whether f_i gathers the forces of its children (mu) or is handed on to its parent (lambda).  late: whether
    Eq. 5.9 is evaluated in the second loop. Without f_ext the transforms X_0 are not computed at all; without qdd there
    is no gravity either.
    """
    parent, X, X_0, v, a, f_B, f, S = model.parent, {}, {0: np.eye(6)}, {}, {}, {}, {}, {}
    v[0], a[0] = np.zeros(6), np.zeros(6) if qdd is None else np.array([0, 0, 0, *-model.gravity])

    def force(i):
        f_B[i] = model.inertia[i] @ a[i] + crf(v[i]) @ model.inertia[i] @ v[i]
        f[i] = f_B[i] if f_ext is None else f_B[i] - force_transform(X_0[i]) @ f_ext[i]

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)])
        X[i] = X_J @ model.X_tree[i]
        if f_ext is not None:
            X_0[i] = X[i] @ X_0[parent[i]]
        v[i] = X[i] @ v[parent[i]] + v_J
        a[i] = X[i] @ a[parent[i]] + c_J + crm(v[i]) @ v_J
        if qdd is not None:
            a[i] = a[i] + S[i] @ qdd[model.v_slice(i)]
        if not late:
            force(i)
    tau = np.zeros(model.nv)
    for i in reversed(model.bodies):
        if late:
            outer = f.pop(i, np.zeros(6))
            force(i)
            f[i] = f[i] + outer
        if sums == "mu":
            for j in model.mu(i):
                f[i] = f[i] + X[j].T @ f[j]
        tau[model.v_slice(i)] = S[i].T @ f[i]
        if sums == "lambda" and parent[i] != 0:
            f[parent[i]] = f.get(parent[i], np.zeros(6)) + X[i].T @ f[i]
    return tau, f


@pytest.mark.source("RBDA-T5.1", "RBDA-A5.1", "RBDA-S5.0-1", "RBDA-S5.3-1", "RBDA-S5.3-4", "RBDA-S5.3-9",
                    "RBDA-AS5.3-1", "RBDA-AS5.3-2")
def test_every_form_of_the_algorithm_gives_the_forces_that_dalembert_asks_for(moving):
    """Without external forces no transform from the base is needed.

    The three steps may be taken one after the other, or forces on each body one by one in the inward pass.
    """
    model, state = moving.model, (moving.model, moving.q, moving.qd, moving.qdd)
    needed, without = moving.joint_forces(), moving.joint_forces(external=False)
    near(rnea(*state, moving.f_ext), needed)
    near(rnea(*state), without)
    near(base_frame(moving, moving.f_ext).tau, needed)
    assert_array_equal(rnea(*state), rnea(*state, 0 * moving.f_ext))
    far(rnea(*state, moving.f_ext), rnea(*state))
    for sums, late in (("mu", False), ("lambda", False), ("lambda", True)):
        tau, f = listing(*state, moving.f_ext, sums, late)
        near(tau, needed)
        near(listing(*state, None, sums, late)[0], without)
        for i in moving.bodies:
            near(f[i], force_coordinates(beyond(moving, i), moving.poses[i]))

    motion = body_frame(moving)
    f_B = {i: model.inertia[i] @ motion.a[i] + crf(motion.v[i]) @ model.inertia[i] @ motion.v[i] for i in model.bodies}
    across = {i: sum((motion.X_0[k] @ np.linalg.inv(motion.X_0[i])).T @ f_B[k] for k in moving.subtree(i))
              for i in model.bodies}
    near(np.concatenate([motion.S[i].T @ across[i] for i in model.bodies]), without)


@pytest.mark.source("RBDA-S5.3-8")
def test_velocity_variables_need_not_be_derivatives_of_positions(rng):
    """A ball described by Euler parameters and by yaw, pitch, roll in the same motion: tau of one gives the other's."""
    by_angles, (angles, rates, accelerations) = Mechanism(rng, [Euler("zyx")]).model(), rng.normal(size=(3, 3))
    by_parameters = by_angles.replace(joints=[Spherical()])

    def omega(t):
        _, _, v_J, _ = jcalc(Euler("zyx"), angles + t * rates + t * t / 2 * accelerations, rates + t * accelerations)
        return v_J[:3]

    X, S, _, _ = jcalc(Euler("zyx"), angles, rates)
    p = euler_parameters_from_rotation(X[:3, :3])
    tau = rnea(by_angles, angles, rates, accelerations)
    near(rnea(by_parameters, p, omega(0), slope(omega)), np.linalg.solve(S[:3].T, tau))


@pytest.mark.source("RBDA-S5.3-8")
def test_a_joint_that_depends_on_time_is_one_that_is_driven(rng):
    """A slider whose rail shakes needs the force of a slider whose own variable takes that part too."""
    shaken = Custom(1, lambda q, t: xlt([0, 0, q[0] + 0.3 * sin(2 * t)]))
    driven = Mechanism(rng, [Revolute("x"), shaken, Revolute("y")], range(3)).model()
    plain = driven.replace(joints=[Revolute("x"), Prismatic("z"), Revolute("y")])
    (q, qd, qdd), t = rng.normal(size=(3, 3)), 0.7
    extra = [0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t)]
    own = [x + [0, more, 0] for x, more in zip((q, qd, qdd), extra, strict=True)]
    close(rnea(driven, q, qd, qdd, t=t), rnea(plain, *own), 1e-11)
    close(newton_euler_in_base(driven, q, qd, qdd, t=t).tau, rnea(plain, *own), 1e-11)
    far(rnea(driven, q, qd, qdd, t=0.0), rnea(plain, *own))


# 5.3 Gravity, and the parts of tau

@pytest.mark.source("RBDA-S5.3-3")
def test_gravity_as_an_acceleration_of_the_base(moving):
    """It equals forces I_i a_g on the bodies, and offsets a_i by -a_g and the net forces by -I_i a_g."""
    weightless = moving.model.replace(gravity=(0, 0, 0))
    by_forces = newton_euler(weightless, moving.q, moving.qd, moving.qdd, moving.weights + moving.f_ext)
    lifted = body_frame(moving, moving.f_ext)
    near(lifted.tau, by_forces.tau)
    for i in moving.bodies:
        I, pose = moving.model.inertia[i], moving.poses[i]
        a_g = motion_coordinates(moving.gravity, pose)
        near(I @ a_g, force_coordinates(moving.weights[i], pose))
        near(lifted.a[i], moving.in_body(moving.a[i], i) - a_g)
        net = I @ lifted.a[i] + crf(lifted.v[i]) @ I @ lifted.v[i]
        near(net, force_coordinates(moving.net[i] - moving.weights[i], pose))


@pytest.mark.source("RBDA-5.12", "RBDA-5.13", "RBDA-S5.3-6")
def test_parts_of_tau_are_what_zeroing_inputs_leaves(moving):
    """Gravity: what holds the weights. Inertia: the mass matrix by geometry. Velocities: the rest, a quadratic form."""
    model, q, qd, qdd, zero = moving.model, moving.q, moving.qd, moving.qdd, 0 * moving.qd
    weightless, parts = model.replace(gravity=(0, 0, 0)), explain(moving.model, q, qd, qdd, moving.f_ext)
    held, moved = -np.einsum("ijk,ij->k", moving.ways, moving.weights), mass_matrix(moving) @ qdd
    coriolis = moving.joint_forces(gravity=False, external=False) - moved
    for gravity in (rnea(model, q, zero, zero), generalized_gravity(model, q), parts.gravity):
        near(gravity, held)
    for velocity_terms in (rnea(weightless, q, qd, zero), rnea(weightless, q, 2 * qd, zero) / 4, parts.coriolis):
        near(velocity_terms, coriolis)
    for inertial in (rnea(weightless, q, zero, qdd), parts.inertial):
        near(inertial, moved)
    near(parts.external, moving.joint_forces() - moving.joint_forces(external=False))
    near(parts.inertial + parts.coriolis + parts.gravity + parts.external, moving.joint_forces())
    assert_array_equal(parts.total, rnea(model, q, qd, qdd, moving.f_ext))


@pytest.mark.source("RBDA-Q5.3-1")
def test_velocity_forces_alone(moving):
    """The algorithm without the terms that vanish for a_g = qdd = f_ext = 0 gives those of geometry.

    Their power is half of what a changing inertia takes: qd·C = qd·H' qd / 2.
    """
    model, q, qd = moving.model, moving.q, moving.qd
    C, _ = listing(model, q, qd)
    near(C, moving.joint_forces(gravity=False, external=False) - mass_matrix(moving) @ moving.qdd)
    close(C, rnea(model.replace(gravity=(0, 0, 0)), q, qd, 0 * qd))
    near(qd @ C, slope(lambda t: qd @ crba(model, model.integrate(q, qd, t)) @ qd, h=STEP) / 2)


@pytest.mark.source("RBDA-S5.3-5")
def test_bearing_load_is_what_the_joint_transmits_beside_its_own_force(moving):
    motion = body_frame(moving, moving.f_ext)
    for i in moving.bodies:
        joint, q = moving.model.joints[i], moving.q[moving.model.q_slice(i)]
        S, T = motion.S[i], joint.constraint_subspace(q)
        T_a = active_force_subspace(S)
        near(T_a.T @ S, np.eye(joint.nv))
        near(T.T @ S, np.zeros((6 - joint.nv, joint.nv)))
        parts = np.linalg.solve(np.hstack([T_a, T]), motion.f[i])
        near(parts[: joint.nv], motion.tau[moving.model.v_slice(i)])
        near(S.T @ (T @ parts[joint.nv :]), np.zeros(joint.nv))
        near(parts[: joint.nv], moving.joint_forces()[moving.model.v_slice(i)])


# 5.4 The original version

def chain(rng, kinds, parent):
    """A random tree whose joints have the given kinds, a letter for each."""
    names = {"R": "revolute", "P": "prismatic"}
    return dataclasses.replace(random_tree(rng, len(kinds), parent), kinds=[names[kind] for kind in kinds])


@pytest.mark.source("RBDA-S5.0-1", "RBDA-T5.2", "RBDA-A5.2", "RBDA-Q5.4-1", "RBDA-S5.4-4", "RBDA-Q5.4-2")
@pytest.mark.parametrize(("kinds", "parent"), [("RRRRRR", range(6)), ("RPRPPR", range(6)),
                                               ("RRPRPRR", [0, 1, 1, 2, 2, 3, 0])])
def test_the_original_version_on_chains_of_hinges_and_sliders_and_on_trees(rng, kinds, parent):
    """Its tau is Lagrange's; its vectors make the spatial vectors as the table says.

    With the formulas for hinges the vectors of sliders would be wrong, and the other way round.
    """
    tree = chain(rng, kinds, parent)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, len(kinds)))
    original, spatial = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    close(original.tau, tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd), 1e-11)
    close(original.tau, spatial.tau, 1e-11)
    assert correspondence(model, q, qd, qdd).difference < 1e-11
    made = variants.to_spatial(original)
    for i in model.bodies:
        I = model.inertia[i]
        f_B = I @ spatial.a[i] + crf(spatial.v[i]) @ I @ spatial.v[i]
        for ours, theirs in ((made.X_up[i], spatial.X_up[i]), (made.I[i], I), (made.S[i], spatial.S[i]),
                             (made.v[i], spatial.v[i]), (made.a[i], spatial.a[i]), (made.f_B[i], f_B),
                             (made.f[i], spatial.f[i])):
            close(ours, theirs)
        inherited = original.E[i] @ original.w[parent[i - 1]]
        as_hinge = inherited + original.z[i] * qd[i - 1], original.n[i] @ original.z[i]
        as_slider = inherited, original.f[i] @ original.z[i]
        right, wrong = (as_hinge, as_slider) if kinds[i - 1] == "R" else (as_slider, as_hinge)
        close(right[0], spatial.v[i][:3])
        close(right[1], spatial.tau[i - 1], 1e-11)
        far(wrong[0], spatial.v[i][:3])
        far(np.array(wrong[1]), spatial.tau[i - 1])


@pytest.mark.source("RBDA-A5.2", "RBDA-S5.4-1")
def test_only_linear_acceleration_and_net_moment_differ_between_the_versions(rng):
    """Original: vd is the acceleration of the body's origin, N the moment about the centre of mass. All by geometry.

    The spatial acceleration is the rate of v in a frame that stands still; the classical one in a frame that keeps its
    axes and moves with the origin.
    """
    tree = chain(rng, "RRRRR", range(5))
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 5))
    original, spatial = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    for i in model.bodies:
        def pose(t, i=i):
            return tree.world_poses(q + t * qd + t * t / 2 * qdd)[i]

        def v(t, origin, pose=pose):
            """The velocity in a frame with the given origin and the axes that the body has now."""
            return motion_coordinates(velocity(pose, t), (pose(0)[0], origin))

        (R, p), (_, c, _) = pose(0), tree.bodies[i - 1]
        lift = np.concatenate([np.zeros(3), R.T @ tree.gravity])
        net = net_force(tree.bodies[i - 1], pose, tree.gravity)
        close(spatial.v[i], v(0, p))
        close(spatial.a[i] + lift, slope(lambda t, v=v, p=p: v(t, p), h=STEP), 1e-8)
        classical = np.concatenate([original.wd[i], original.vd[i]])
        close(classical + lift, slope(lambda t, v=v, pose=pose: v(t, pose(t)[1]), h=STEP), 1e-8)
        close(np.concatenate([original.N[i], original.F[i]]), force_coordinates(net, (R, p + R @ c)), 1e-8)
        far(original.N[i], force_coordinates(net, (R, p))[:3])
        if i > 1:
            far(original.vd[i], spatial.a[i][3:])


@pytest.mark.source("RBDA-S5.4-2")
def test_linear_velocity_is_used_by_nothing_else(rng):
    tree = chain(rng, "RRRRRR", range(6))
    model, state = tree.model(), rng.normal(size=(3, 6))
    with_it, without = original_newton_euler(model, *state), original_newton_euler(model, *state, linear_velocity=False)
    assert without.v[1:] == [None] * 6
    far(with_it.v[6], np.zeros(3))
    for name in ("w", "wd", "vd", "F", "N", "f", "n"):
        for ours, theirs in zip(getattr(with_it, name)[1:], getattr(without, name)[1:], strict=True):
            assert_array_equal(ours, theirs)
    assert_array_equal(with_it.tau, without.tau)
