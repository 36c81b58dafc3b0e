"""RBDA 5.3 and 5.4 row by row: the recursive Newton-Euler algorithm, in body and base coordinates and by 3D vectors.

The motion of mechanisms of every joint type, and the forces that it takes, come from `tests.sources.ch05_systems`.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdlib import Model, rnea
from rbdlib.inverse_dynamics import explain, gravity_compensation, gravity_force, newton_euler
from rbdlib.inverse_dynamics_variants import correspondence, newton_euler_in_base, original_newton_euler, to_spatial
from rbdlib.joints import Custom, Euler, Prismatic, Revolute, Spherical, jcalc
from rbdlib.scalars import sin
from rbdlib.spatial import crf, crm, force_transform, mcI, plucker, xlt
from rbdlib.subspaces import active_force_subspace
from tests.sources.ch05_systems import JOINT_SETS, STEP, Moving
from tests.sources.helpers import (
    Tree,
    close,
    derivative,
    far,
    force_coordinates,
    motion_carried,
    motion_coordinates,
    random_mass_properties,
    random_pose,
    random_tree,
    slope,
)


@pytest.fixture(scope="module", params=JOINT_SETS)
def moving(request):
    return Moving(np.random.default_rng([1, 5]), JOINT_SETS[request.param])


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def near(actual, expected):
    """As `close`, for what is compared with numerical derivatives; a fixed joint's arrays may be empty."""
    assert np.shape(actual) == np.shape(expected)
    if np.size(expected):
        close(actual, expected, 1e-9)


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
    return np.column_stack([np.zeros((6, 0)), *(motion_carried(column, pose) for column in S.T)])


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
        near(motion_carried(v_J, moving.poses[i]), across)
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


@pytest.mark.source("RBDA-F5.1", "RBDA-S5.3-2", "RBDA-5.10", "RBDA-5.20")
def test_forces_on_each_body_balance(moving):
    """What parent, children, the outside and the weight do to a body changes its momentum; f_i carries all beyond."""
    base, body = base_frame(moving, moving.f_ext), body_frame(moving, moving.f_ext)
    for i in moving.bodies:
        children = [j for j in moving.bodies if moving.parent[j] == i]
        near(base.f[i] + moving.f_ext[i] + moving.weights[i] - sum(base.f[j] for j in children), moving.net[i])
        beyond = sum(moving.net[k] - moving.weights[k] - moving.f_ext[k] for k in moving.subtree(i))
        near(base.f[i], beyond)
        near(body.f[i], force_coordinates(beyond, moving.poses[i]))


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


def listing(model, q, qd, qdd, f_ext=None, sums="lambda", late=False):
    """Table 5.1 step by step, tau and all f_i, with the choices that the text leaves.

    sums: whether f_i gathers the forces of its children (mu) or is handed on to its parent (lambda).  late: whether
    Eq. 5.9 is evaluated in the second loop. Without f_ext the transforms X_0 are not computed at all.
    """
    parent, X, X_0, v, a, f_B, f, S = model.parent, {}, {0: np.eye(6)}, {}, {}, {}, {}, {}
    v[0], a[0] = np.zeros(6), np.array([0, 0, 0, *-model.gravity])

    def force(i):
        f_B[i] = model.inertia[i] @ a[i] + crf(v[i]) @ model.inertia[i] @ v[i]
        f[i] = f_B[i] if f_ext is None else f_B[i] - force_transform(X_0[i]) @ f_ext[i]

    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)])
        X[i] = X_J @ model.X_tree[i]
        if f_ext is not None:
            X_0[i] = X[i] @ X_0[parent[i]]
        v[i] = X[i] @ v[parent[i]] + v_J
        a[i] = X[i] @ a[parent[i]] + S[i] @ qdd[model.v_slice(i)] + c_J + crm(v[i]) @ v_J
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


@pytest.mark.source("RBDA-T5.1", "RBDA-A5.1", "RBDA-S5.0-1", "RBDA-S5.3-9", "RBDA-AS5.3-1", "RBDA-AS5.3-2")
def test_every_form_of_the_algorithm_gives_the_forces_that_dalembert_asks_for(moving):
    """Without external forces no transform from the base is needed."""
    state = moving.model, moving.q, moving.qd, moving.qdd
    needed = moving.joint_forces()
    near(rnea(*state, moving.f_ext), needed)
    near(rnea(*state), moving.joint_forces(external=False))
    near(base_frame(moving, moving.f_ext).tau, needed)
    near(listing(*state, None)[0], moving.joint_forces(external=False))
    assert_array_equal(rnea(*state), rnea(*state, 0 * moving.f_ext))
    far(rnea(*state, moving.f_ext), rnea(*state))
    for sums in ("mu", "lambda"):
        tau, f = listing(*state, moving.f_ext, sums)
        near(tau, needed)
        for i in moving.bodies:
            beyond = sum(moving.net[k] - moving.weights[k] - moving.f_ext[k] for k in moving.subtree(i))
            near(f[i], force_coordinates(beyond, moving.poses[i]))


@pytest.mark.source("RBDA-S5.0-1", "RBDA-A5.1")
def test_joint_forces_solve_lagranges_equations(rng):
    tree = random_tree(rng, 6)
    q, qd, qdd = rng.normal(size=(3, 6))
    close(rnea(tree.model(), q, qd, qdd), tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd), 1e-11)


@pytest.mark.source("RBDA-S5.3-1", "RBDA-S5.3-4")
def test_the_three_steps_one_after_the_other(moving):
    """Motions outward; then forces on each body alone, or one by one in the inward pass; then forces across joints."""
    motion, model = body_frame(moving), moving.model
    needed = moving.joint_forces(external=False)
    f_B = {i: model.inertia[i] @ motion.a[i] + crf(motion.v[i]) @ model.inertia[i] @ motion.v[i] for i in model.bodies}
    across = {i: sum((motion.X_0[k] @ np.linalg.inv(motion.X_0[i])).T @ f_B[k] for k in moving.subtree(i))
              for i in model.bodies}
    near(np.concatenate([motion.S[i].T @ across[i] for i in model.bodies]), needed)
    near(listing(model, moving.q, moving.qd, moving.qdd, late=True)[0], needed)
    near(listing(model, moving.q, moving.qd, moving.qdd, moving.f_ext, late=True)[0], moving.joint_forces())


@pytest.mark.source("RBDA-S5.3-7")
def test_body_coordinates_are_those_of_the_same_vectors(moving):
    body, base = body_frame(moving, moving.f_ext), base_frame(moving, moving.f_ext)
    near(body.tau, base.tau)
    for i in moving.bodies:
        pose = moving.poses[i]
        near(carried(body.S[i], pose), base.S[i])
        for ours, common in ((body.v, base.v), (body.a, base.a)):
            near(ours[i], motion_coordinates(common[i], pose))
        near(body.f[i], force_coordinates(base.f[i], pose))
    near(body.f[0], base.f[0])


@pytest.mark.source("RBDA-S5.3-8")
def test_velocity_variables_need_not_be_derivatives_of_positions(rng):
    """A ball described by Euler parameters and by yaw, pitch, roll in the same motion: tau of one gives the other's."""
    place, body, angles, rates, accelerations = random_pose(rng), random_mass_properties(rng), *rng.normal(size=(3, 3))
    X_tree, inertia = plucker(place[0].T, place[1]), mcI(*body)
    by_angles = Model([0], [Euler("zyx")], [X_tree], [inertia])
    by_parameters = Model([0], [Spherical()], [X_tree], [inertia])

    def omega(t):
        _, S, v_J, _ = jcalc(Euler("zyx"), angles + t * rates + t * t / 2 * accelerations, rates + t * accelerations)
        return v_J[:3]

    z, y, x = angles / 2
    p = np.array([1.0, 0, 0, 0])
    for axis, half in ((3, z), (2, y), (1, x)):
        turn = np.zeros(4)
        turn[0], turn[axis] = np.cos(half), np.sin(half)
        p = np.concatenate([[p[0] * turn[0] - p[1:] @ turn[1:]],
                            p[0] * turn[1:] + turn[0] * p[1:] + np.cross(p[1:], turn[1:])])
    S = jcalc(Euler("zyx"), angles, rates)[1][:3]
    tau = rnea(by_angles, angles, rates, accelerations)
    near(rnea(by_parameters, p, omega(0), slope(omega)), np.linalg.solve(S.T, tau))


@pytest.mark.source("RBDA-S5.3-8")
def test_a_joint_that_depends_on_time_is_one_that_is_driven(rng):
    """A slider whose rail shakes needs the force of a slider whose own variable takes that part too."""
    shaken = Custom(1, lambda q, t: xlt([0, 0, q[0] + 0.3 * sin(2 * t)]))
    joints = [Revolute("x"), shaken, Revolute("y")]
    X_tree = [plucker(R.T, p) for R, p in (random_pose(rng) for _ in range(3))]
    inertia = [mcI(*random_mass_properties(rng)) for _ in range(3)]
    driven = Model([0, 1, 2], joints, X_tree, inertia)
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


@pytest.mark.source("RBDA-5.12", "RBDA-5.13")
def test_gravity_compensation_holds_the_weights(moving):
    held = -np.einsum("ijk,ij->k", moving.ways, moving.weights)
    near(gravity_compensation(moving.model, moving.q), held)
    near(gravity_force(moving.model, moving.q), -held)
    near(rnea(moving.model, moving.q, 0 * moving.qd, 0 * moving.qd), held)


@pytest.mark.source("RBDA-5.12", "RBDA-5.13", "RBDA-S5.3-6")
def test_parts_of_tau_are_what_zeroing_inputs_leaves(rng):
    """Gravity: the slope of the potential energy. Velocities: a quadratic form. All: the total, by Lagrange."""
    tree = random_tree(rng, 6)
    model, (q, qd, qdd), f_ext = tree.model(), rng.normal(size=(3, 6)), rng.normal(size=(7, 6))
    zero, weightless = np.zeros(6), model.replace(gravity=(0, 0, 0))
    masses = np.array([m for m, _, _ in tree.bodies])
    rise = [-derivative(lambda t, e=e: masses @ tree.centres(q + t * e) @ tree.gravity) for e in np.eye(6)]
    velocity_terms = tree.lagrangian_bias(q, qd) - rise
    parts = explain(model, q, qd, qdd, f_ext)
    for gravity in (rnea(model, q, zero, zero), gravity_compensation(model, q), parts.gravity):
        close(gravity, rise, 1e-11)
    for coriolis in (rnea(weightless, q, qd, zero), parts.coriolis):
        close(coriolis, velocity_terms, 1e-11)
    close(rnea(weightless, q, 2 * qd, zero), 4 * velocity_terms, 1e-11)
    for inertial in (rnea(weightless, q, zero, qdd), parts.inertial):
        close(inertial, tree.mass_matrix(q) @ qdd, 1e-11)
    close(parts.external, rnea(weightless, q, zero, zero, f_ext), 1e-11)
    close(parts.inertial + parts.coriolis + parts.gravity + parts.external, rnea(model, q, qd, qdd, f_ext), 1e-11)
    far(parts.gravity, 0 * q)


@pytest.mark.source("RBDA-S5.3-6")
def test_parts_of_tau_for_every_joint(moving):
    parts = explain(moving.model, moving.q, moving.qd, moving.qdd, moving.f_ext)
    near(parts.gravity, moving.joint_forces(external=False) - moving.joint_forces(gravity=False, external=False))
    near(parts.external, moving.joint_forces() - moving.joint_forces(external=False))
    near(parts.inertial + parts.coriolis, moving.joint_forces(gravity=False, external=False))
    near(parts.coriolis, rnea(moving.model.replace(gravity=(0, 0, 0)), moving.q, moving.qd, 0 * moving.qd))
    assert_array_equal(parts.total, rnea(moving.model, moving.q, moving.qd, moving.qdd, moving.f_ext))


def velocity_forces(model, q, qd):
    """Table 5.1 without the terms that vanish for a_g = qdd = f_ext = 0."""
    X, v, a, f, S = {}, {0: np.zeros(6)}, {0: np.zeros(6)}, {}, {}
    for i in model.bodies:
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)])
        X[i] = X_J @ model.X_tree[i]
        v[i] = X[i] @ v[model.parent[i]] + v_J
        a[i] = X[i] @ a[model.parent[i]] + c_J + crm(v[i]) @ v_J
        f[i] = model.inertia[i] @ a[i] + crf(v[i]) @ model.inertia[i] @ v[i]
    tau = np.zeros(model.nv)
    for i in reversed(model.bodies):
        tau[model.v_slice(i)] = S[i].T @ f[i]
        if model.parent[i]:
            f[model.parent[i]] = f[model.parent[i]] + X[i].T @ f[i]
    return tau


@pytest.mark.source("RBDA-Q5.3-1")
def test_velocity_forces_alone(rng):
    """They are Lagrange's, and their power is half of what a changing inertia would take: qd·C = qd·H' qd / 2."""
    tree = random_tree(rng, 6)
    q, qd = rng.normal(size=(2, 6))
    C = velocity_forces(tree.model(), q, qd)
    close(C, rnea(tree.model(gravity=(0, 0, 0)), q, qd, 0 * q))
    H_rate = derivative(lambda t: tree.mass_matrix(q + t * qd))
    close(qd @ C, qd @ H_rate @ qd / 2, 1e-11)
    moving = Moving(rng, JOINT_SETS["angles"])
    moving.qdd = 0 * moving.qdd
    still = slope(moving.momenta, h=STEP)
    near(velocity_forces(moving.model, moving.q, moving.qd), np.einsum("ijk,ij->k", moving.ways, still))


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


@pytest.mark.source("RBDA-S5.3-5")
def test_bearing_load_of_a_swinging_pendulum_is_the_tension_of_its_rod():
    """m (g cos q + l qd²) along the rod, and m (g sin q + l qdd) across it, as for a particle on a circle."""
    m, l, g = 1.3, 0.7, 9.81
    model = Model([0], [Revolute("z")], [np.eye(6)], [mcI(m, [0, -l, 0], np.zeros((3, 3)))], gravity=(0, -g, 0))
    for q, qd, qdd in np.random.default_rng(5).normal(size=(4, 3)):
        load = newton_euler(model, [q], [qd], [qdd]).f[1]
        close(load, [0, 0, m * l * (l * qdd + g * np.sin(q)), m * (g * np.sin(q) + l * qdd),
                     m * (g * np.cos(q) + l * qd**2), 0])


# 5.4 The original version


def chain(rng, kinds, axes=None, parent=None):
    n = len(kinds)
    tree = random_tree(rng, n, range(n) if parent is None else parent)
    return Tree(tree.parent, kinds, axes or [np.array([0, 0, 1.0])] * n, tree.poses, tree.bodies, tree.gravity)


def lagrange(tree, q, qd, qdd):
    return tree.mass_matrix(q) @ qdd + tree.lagrangian_bias(q, qd)


@pytest.mark.source("RBDA-T5.2", "RBDA-A5.2")
def test_the_original_version_on_a_chain_of_six_hinges(rng):
    """Its tau is Lagrange's; its vectors are those of the paths, and make the spatial vectors as the table says."""
    tree = chain(rng, ["revolute"] * 6)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 6))
    original, spatial = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    close(original.tau, lagrange(tree, q, qd, qdd), 1e-11)
    close(original.tau, spatial.tau)
    made = to_spatial(original)
    for i in model.bodies:
        I = model.inertia[i]
        f_B = I @ spatial.a[i] + crf(spatial.v[i]) @ I @ spatial.v[i]
        for ours, theirs in ((made.X_up[i], spatial.X_up[i]), (made.I[i], I), (made.S[i], spatial.S[i]),
                             (made.v[i], spatial.v[i]), (made.a[i], spatial.a[i]), (made.f_B[i], f_B),
                             (made.f[i], spatial.f[i])):
            close(ours, theirs)
    assert correspondence(model, q, qd, qdd).difference < 1e-11


def world_paths(tree, q, qd, qdd, i):
    """Pose of body i of a tree as a function of time."""
    return lambda t: tree.world_poses(q + t * qd + t * t / 2 * qdd)[i]


@pytest.mark.source("RBDA-A5.2", "RBDA-S5.4-1")
def test_only_linear_acceleration_and_net_moment_differ_between_the_versions(rng):
    """Original: vd is the acceleration of the body's origin, N the moment about the centre of mass. Both by geometry.

    The spatial acceleration is the rate of v in a frame that stands still; the classical one in a frame that keeps its
    axes and moves with the origin.
    """
    tree = chain(rng, ["revolute"] * 5)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 5))
    original, spatial = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    for i in model.bodies:
        path = world_paths(tree, q, qd, qdd, i)
        R, p = path(0.0)
        m, c, I_C = tree.bodies[i - 1]

        def motion(t, path=path):
            W = derivative(lambda t: path(t)[0], t) @ path(t)[0].T
            return np.array([W[2, 1], W[0, 2], W[1, 0]]), derivative(lambda t: path(t)[1], t), path(t)[1]

        def seen_from(origin, R=R, motion=motion):
            def coordinates(t):
                omega, p_dot, at = motion(t)
                return np.concatenate([R.T @ omega, R.T @ (p_dot + np.cross(omega, origin(t) - at))])
            return slope(coordinates, h=STEP)

        lift = np.concatenate([np.zeros(3), R.T @ tree.gravity])
        standing, moving_along = seen_from(lambda t, p=p: p), seen_from(lambda t, path=path: path(t)[1])
        omega, _, _ = motion(0.0)
        spin = slope(lambda t, R=path, I=I_C, motion=motion: R(t)[0] @ I @ R(t)[0].T @ motion(t)[0], h=STEP)
        net = slope(lambda t, path=path, m=m, c=c: m * derivative(lambda t: path(t)[1] + path(t)[0] @ c, t), h=STEP)
        close(spatial.a[i] + lift, standing, 1e-8)
        close(np.concatenate([original.wd[i], original.vd[i]]) + lift, moving_along, 1e-8)
        close(original.N[i], R.T @ spin, 1e-8)
        close(original.F[i], R.T @ (net - m * tree.gravity), 1e-8)
        v = np.concatenate([R.T @ omega, R.T @ motion(0.0)[1]])
        close(spatial.v[i], v)
        close(np.concatenate([original.w[i], original.v[i]]), v)
        close(original.vd[i], spatial.a[i][3:] + np.cross(v[:3], v[3:]), 1e-11)
        close(np.concatenate([original.n[i], original.f[i]]), spatial.f[i], 1e-11)
        about_origin = (model.inertia[i] @ spatial.a[i] + crf(v) @ model.inertia[i] @ v)[:3]
        close(original.N[i] + np.cross(c, original.F[i]), about_origin, 1e-11)
        far(original.N[i], about_origin)
        if i > 1:
            far(original.vd[i], spatial.a[i][3:])


@pytest.mark.source("RBDA-S5.4-2")
def test_linear_velocity_is_used_by_nothing_else(rng):
    tree = chain(rng, ["revolute"] * 6)
    model, state = tree.model(), rng.normal(size=(3, 6))
    with_it, without = original_newton_euler(model, *state), original_newton_euler(model, *state, linear_velocity=False)
    assert without.v[1:] == [None] * 6
    far(with_it.v[6], np.zeros(3))
    for name in ("w", "wd", "vd", "F", "N", "f", "n"):
        for ours, theirs in zip(getattr(with_it, name)[1:], getattr(without, name)[1:], strict=True):
            assert_array_equal(ours, theirs)
    assert_array_equal(with_it.tau, without.tau)


@pytest.mark.source("RBDA-Q5.4-1", "RBDA-S5.4-4")
def test_the_original_version_has_other_formulas_for_sliders(rng):
    """With them a chain R P R P P R is right; with the formulas for hinges its vectors would be wrong."""
    kinds = ["revolute", "prismatic", "revolute", "prismatic", "prismatic", "revolute"]
    tree = chain(rng, kinds)
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 6))
    original, spatial = original_newton_euler(model, q, qd, qdd), newton_euler(model, q, qd, qdd)
    close(original.tau, lagrange(tree, q, qd, qdd), 1e-11)
    assert correspondence(model, q, qd, qdd).difference < 1e-11
    for i, kind in enumerate(kinds, start=1):
        as_hinge = {"w": original.E[i] @ original.w[i - 1] + original.z[i] * qd[i - 1], "tau": original.n[i][2]}
        as_slider = {"w": original.E[i] @ original.w[i - 1], "tau": original.f[i][2]}
        right, wrong = (as_hinge, as_slider) if kind == "revolute" else (as_slider, as_hinge)
        close(right["w"], spatial.v[i][:3])
        close(right["tau"], spatial.tau[i - 1], 1e-11)
        far(wrong["w"], spatial.v[i][:3])
        far(np.array(wrong["tau"]), spatial.tau[i - 1])


@pytest.mark.source("RBDA-Q5.4-2")
def test_the_original_version_on_branched_trees(rng):
    axes = [axis / np.linalg.norm(axis) for axis in rng.normal(size=(7, 3))]
    tree = chain(rng, ["revolute", "revolute", "prismatic", "revolute", "prismatic", "revolute", "revolute"], axes,
                 [0, 1, 1, 2, 2, 3, 0])
    model, (q, qd, qdd) = tree.model(), rng.normal(size=(3, 7))
    close(original_newton_euler(model, q, qd, qdd).tau, lagrange(tree, q, qd, qdd), 1e-11)
    assert correspondence(model, q, qd, qdd).difference < 1e-11
