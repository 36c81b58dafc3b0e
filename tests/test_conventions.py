"""Translations between the texts, to other programs and formats: they come back, obey the laws that define them, and
whole computations are done in another text's own formulas. What programs answer is in tests/peers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, bias_force, conventions, crba, load, rnea
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch04_joints import FreeMotion, Helical, Planar, Prismatic, Reversed, Revolute, Spherical, Universal
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from tests.sources.helpers import random_mass_properties, random_rotation

SEED = 31


def random_chain(rng, n=4, gravity=(0, 0, 0)):
    kinds = [Revolute, Prismatic, lambda axis: Helical(0.3, axis)]
    joints = [kinds[rng.integers(3)](tuple(rng.normal(size=3))) for _ in range(n)]
    X_tree = [spatial.motion_exp(rng.normal(size=6)) for _ in range(n)]
    return Model(range(n), joints, X_tree, [spatial.mcI(*random_mass_properties(rng)) for _ in range(n)], gravity)


@pytest.fixture
def moving_chain(rng):
    """A chain without gravity with q, qd, qdd and, in base coordinates, v, a, I of every body."""
    model = random_chain(rng)
    q, qd, qdd = rng.normal(size=(3, model.nv))
    steps = newton_euler(model, q, qd, qdd)
    to_base = [spatial.inverse_transform(X) for X in steps.X_0]
    v = [X @ v for X, v in zip(to_base, steps.v, strict=True)]
    a = [X @ a for X, a in zip(to_base, steps.a, strict=True)]
    I = [None, *(spatial.transform_inertia(to_base[i], model.inertia[i]) for i in model.bodies)]
    return model, q, qd, qdd, steps, v, a, I


def test_translations_of_accelerations_numbers_and_halves_come_back(rng):
    (v, a), c, X, model = rng.normal(size=(2, 6)), rng.normal(size=3), rng.normal(size=(6, 6)), random_chain(rng)
    V, A = conventions.velocity_to_mbt(v, c), conventions.acceleration_to_mbt(a, v, c)
    np.testing.assert_allclose(conventions.acceleration_from_mbt(A, V, c), a, atol=1e-12)
    for same in (conventions.swap_halves, conventions.spatial_transpose):
        np.testing.assert_allclose(same(same(X)), X, atol=1e-12)
    public = [(name, getattr(conventions, name)) for name in conventions.__all__]
    assert all(thing.__name__ == name for name, thing in public if callable(thing))            # as help() says
    assert [conventions.body_from_fdsv(conventions.body_to_fdsv(i)) for i in (0, 3)] == [0, 3]
    assert [conventions.link_from_soa(conventions.link_to_soa(i, 4), 4) for i in range(1, 5)] == [1, 2, 3, 4]
    T = conventions.joint_vector_to_soa(model, np.arange(model.nv))
    assert conventions.joint_vector_from_soa(model, T).tolist() == [*range(model.nv)]


def test_linear_first_coordinates_obey_the_same_rules(rng):
    """Transforms, cross products and scalar products computed on swapped vectors are the swapped results (RBDA 2.4)."""
    v, m, f = rng.normal(size=(3, 6))
    X, swap = spatial.motion_exp(rng.normal(size=6)), conventions.swap_halves
    np.testing.assert_allclose(swap(X) @ swap(m), swap(X @ m), atol=1e-12)
    np.testing.assert_allclose(swap(spatial.crm(v)) @ swap(m), swap(spatial.crm(v) @ m), atol=1e-12)
    assert swap(m) @ swap(f) == pytest.approx(m @ f)
    assert swap([1, 2, 3, 4, 5, 6]).tolist() == [4, 5, 6, 1, 2, 3]


def test_mbt_newton_euler_of_every_body(moving_chain):
    """MBT's V has the rate of the centre of mass; its Eq. 24 gives the net force on each body, in world axes."""
    model, q, qd, *_, v, a, I = moving_chain

    def centre(q, i):
        E, r = spatial.X_to_Er(kinematics.body_transforms(model, q)[i])
        return r + E.T @ spatial.I_to_mcI(model.inertia[i])[1]

    for i in model.bodies:
        M_c, c = conventions.inertia_to_mbt(I[i])
        V, A = conventions.velocity_to_mbt(v[i], c), conventions.acceleration_to_mbt(a[i], v[i], c)
        F = M_c @ A + np.concatenate([np.zeros(3), np.cross(V[3:], M_c[3:, 3:] @ V[3:])])
        expected = spatial.equation_of_motion(I[i], v[i], a[i])
        np.testing.assert_allclose(conventions.force_from_mbt(F, c), expected, rtol=1e-9, atol=1e-9)
        assert V @ M_c @ V / 2 == pytest.approx(v[i] @ I[i] @ v[i] / 2)
        rate = (centre(q + 1e-6 * qd, i) - centre(q - 1e-6 * qd, i)) / 2e-6
        np.testing.assert_allclose(c, centre(q, i), atol=1e-12)
        np.testing.assert_allclose(V[:3], rate, atol=1e-7)


def test_soa_recursion_gives_the_same_joint_forces(moving_chain):
    """SOA's recursive Newton-Euler algorithm (SOA 13-17), tip to base, in world axes, with classical accelerations."""
    model, q, qd, qdd, steps, v, a, I = moving_chain
    n, V, alpha, H, h = model.N_B, {}, {}, {}, 1e-4

    def origins(t):
        transforms = kinematics.body_transforms(model, q + t * qd + t * t / 2 * qdd)
        return np.array([spatial.X_to_Er(X)[1] for X in transforms])

    origin, second_differences = origins(0), (origins(h) - 2 * origins(0) + origins(-h)) / h**2
    for i in range(n + 1):
        k, X = conventions.link_to_soa(i, n), spatial.xlt(origin[i])
        V[k], alpha[k] = X @ v[i], conventions.acceleration_to_soa(X @ a[i], X @ v[i])
        H[k] = (X @ spatial.inverse_transform(steps.X_0[i]) @ steps.S[i]).T if i else None
        np.testing.assert_allclose(alpha[k][3:], second_differences[i], atol=1e-5)
    f, T = np.zeros(6), []
    for k in range(1, n + 1):
        i = conventions.link_to_soa(k, n)
        m, p, J_C = spatial.I_to_mcI(spatial.transform_inertia(spatial.xlt(origin[i]), I[i]))
        M, omega = spatial.mcI(m, p, J_C), V[k][:3]
        b = np.concatenate([np.cross(omega, M[:3, :3] @ omega), m * np.cross(omega, np.cross(omega, p))])  # (SOA 16)
        l = origin[i + 1] - origin[i] if k > 1 else np.zeros(3)
        f = spatial.xlt(l).T @ f + M @ alpha[k] + b                                                      # (SOA 15)
        T.extend(H[k] @ f)
    np.testing.assert_allclose(conventions.joint_vector_from_soa(model, T), steps.tau, rtol=1e-9, atol=1e-9)


def test_mrn_tip_wrench_enters_with_the_opposite_sign_and_its_pose_carries_points(rng):
    """tau = M qdd + h + J^T F_tip (MRN Eq. 1): what the robot exerts on its surroundings costs torque."""
    model = random_chain(rng, gravity=(0, 0, -9.81))
    q, qd, qdd = rng.normal(size=(3, model.nv))
    F_tip, tip, p = rng.normal(size=6), model.N_B, rng.normal(size=3)
    X = kinematics.body_transforms(model, q)[tip]
    tau = rnea(model, q, qd, qdd, {tip: conventions.tip_wrench_to_f_ext(F_tip, X)})
    J = kinematics.body_jacobian(model, q, tip)
    np.testing.assert_allclose(tau, rnea(model, q, qd, qdd) + J.T @ F_tip, rtol=1e-10, atol=1e-10)
    (E, r), T = spatial.X_to_Er(X), conventions.pose_to_mrn(X)
    np.testing.assert_allclose(T @ [*p, 1], [*(E.T @ p + r), 1], atol=1e-12)
    np.testing.assert_allclose(T @ spatial.homogeneous(X), np.eye(4), atol=1e-12)


def test_a_tree_made_again_from_its_screws_moves_alike_and_needs_the_same_forces(rng):
    model = random_chain(rng, gravity=(1, 2, 3)).replace(parent=[0, 1, 1, 2])
    X = kinematics.body_transforms(model, np.zeros(4))
    screws, bodies = np.zeros((6, 4)), [X[i].T @ model.inertia[i] @ X[i] for i in model.bodies]
    for i in model.bodies:
        screws[:, i - 1] = spatial.inverse_transform(X[i]) @ model.joints[i].motion_subspace([0])[:, 0]
    again, X_tip = conventions.model_from_screws(conventions.pose_to_mrn(X[4]), screws, bodies, [0, 1, 1, 2], (1, 2, 3))
    q, qd, qdd = rng.normal(size=(3, 4))
    np.testing.assert_allclose(rnea(again, q, qd, qdd), rnea(model, q, qd, qdd), rtol=1e-9, atol=1e-9)
    X_again, X = (kinematics.body_transforms(one, q)[4] for one in (again, model))
    np.testing.assert_allclose(X_tip @ X_again, X, atol=1e-12)


TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
FRAMES = conventions.FRAMES
PENDULUM, ZERO, ONE = load("double_pendulum"), np.zeros(6), np.eye(6)


@pytest.fixture
def moving(rng):
    """A body's transform, velocity and acceleration."""
    return spatial.motion_exp(rng.normal(size=6)), *rng.normal(size=(2, 6))


def mixed_tree(rng, translation="F_p"):
    """Every joint whose variables differ between programs, and two that are the same in all; bodies 2 and 5 branch."""
    joints = [FreeMotion(translation), Spherical(), Revolute("x"), Planar(translation), FreeMotion(translation),
              Universal("xy")]
    return Model([0, 1, 2, 1, 1, 5], joints, [spatial.motion_exp(rng.normal(size=6)) for _ in joints],
                 [spatial.mcI(*random_mass_properties(rng)) for _ in joints])


# Six-vectors

@pytest.mark.parametrize("frame", FRAMES)
def test_power_is_the_same_in_every_frame(frame, rng, moving):
    X, v, f = moving
    com = rng.normal(size=3)                             # cvel and cfrc_int of MuJoCo have the same point and axes
    assert conventions.velocity_to_mujoco(v, X, com) @ conventions.force_to_mujoco(f, X, com) == pytest.approx(v @ f)
    V, F = conventions.velocity_to_frame(v, X, frame), conventions.force_to_frame(f, X, frame)
    assert V @ F == pytest.approx(v @ f)
    assert_allclose(conventions.velocity_from_frame(V, X, frame), v, **TOLERANCE)
    assert_allclose(conventions.force_from_frame(F, X, frame), f, **TOLERANCE)
    A = conventions.acceleration_to_frame(v, X, frame)
    assert_allclose(conventions.acceleration_from_frame(A, X, frame), v, **TOLERANCE)
    J = rng.normal(size=(6, 3))
    back = conventions.jacobian_from_frame(conventions.jacobian_to_frame(J, X, frame), X, frame)
    assert_allclose(back, J, **TOLERANCE)


def test_the_frames_differ_as_their_definitions_say(moving):
    """Hybrid: the velocity of the body's origin. Space: that of the body-fixed point at the base's origin."""
    X, v, _ = moving
    R, p = conventions.pose_to_Rp(X)
    omega, velocity = R @ v[:3], R @ v[3:]
    assert_allclose(conventions.velocity_to_frame(v, X, "hybrid"), [*omega, *velocity], **TOLERANCE)
    at_base = velocity + np.cross(omega, -p)
    assert_allclose(conventions.velocity_to_frame(v, X, "space"), [*omega, *at_base], **TOLERANCE)
    assert_allclose(conventions.velocity_to_frame(v, X, "body"), v, **TOLERANCE)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_rate_of_a_jacobian_is_the_derivative_of_its_elements(frame, rng):
    model = load("puma560")
    q, qd = rng.normal(size=(2, model.nv))
    i, h = model.N_B, 1e-6

    def jacobian(q):
        J, X = kinematics.body_jacobian(model, q, i), kinematics.body_transforms(model, q)[i]
        return conventions.jacobian_to_frame(J, X, frame)

    found = conventions.jacobian_dot_to_frame(
        kinematics.body_jacobian_dot(model, q, qd, i), kinematics.body_jacobian(model, q, i),
        kinematics.body_velocities(model, q, qd)[i], kinematics.body_transforms(model, q)[i], frame)
    assert_allclose(found, (jacobian(q + h * qd) - jacobian(q - h * qd)) / (2 * h), atol=1e-7)


def test_translations_of_bodies_come_back(rng, moving):
    X, v, a = moving
    c, f, I = rng.normal(size=3), rng.normal(size=6), spatial.mcI(*random_mass_properties(rng))
    for name, given, *more in [
            ("velocity pinocchio", v, X, "space"), ("acceleration pinocchio", a, X, "hybrid"),
            ("f_ext pinocchio", f, X), ("inertia pinocchio", I), ("velocity mujoco", v, X, c),
            ("acceleration mujoco", a, X, c), ("f_ext mujoco", f, c), ("velocity drake", v, X),
            ("acceleration drake", a, v, X), ("acceleration classical", a, v, X, "body"), ("f_ext drake", f, X),
            ("adjoint mrn", X), ("force mujoco", f, X, c), ("momentum pinocchio", f, c), ("momentum drake", f, c),
            ("inertia mujoco", I), ("inertia drake", I), ("inertia urdf", I), ("pose Rp", X), ("pose ros", X),
            ("transform urdf", X), ("force fdsv", f), ("inertia fdsv", I), ("transform fdsv", X),
            ("velocity mbt", v, c), ("force mbt", f, c), ("inertia mbt", I), ("acceleration soa", a, v),
            ("pose mrn", X), ("tip_wrench f_ext", f, X)]:
        to, back = (getattr(conventions, name.replace(" ", way)) for way in ("_to_", "_from_"))
        there = to(given, *more)
        parts = there if isinstance(there, tuple) else (there,)
        assert_allclose(back(*parts, *more), given, err_msg=name, **TOLERANCE)


def test_angular_momentum_is_about_the_centre_and_urdf_s_moments_about_the_axes_of_the_inertial_frame(rng):
    velocity, com, mass = rng.normal(size=3), rng.normal(size=3), 2.5
    h = spatial.line_force(mass * velocity, com)
    assert_allclose(conventions.momentum_to_pinocchio(h, com), [*(mass * velocity), 0, 0, 0], **TOLERANCE)
    assert_allclose([conventions.momentum_to_drake(h), conventions.momentum_from_drake(h)], [h, h], **TOLERANCE)
    linvel, angmom = conventions.momentum_to_mujoco(h, com, mass)
    assert_allclose(linvel, velocity, **TOLERANCE)
    assert_allclose(angmom, 0, atol=1e-12)
    assert_allclose(conventions.momentum_from_mujoco(linvel, angmom, com, mass), h, **TOLERANCE)

    # A link whose inertial frame is turned: the energy of a turn about any axis, from the definition.
    m, c, I_C = random_mass_properties(rng)
    rpy, omega = rng.normal(size=(2, 3))
    R = conventions.rotation_from_rpy(rpy).T
    I = conventions.inertia_from_urdf(m, c, rpy, *(R.T @ I_C @ R)[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])
    speed = np.cross(omega, c)
    energy = omega @ I_C @ omega / 2 + m * speed @ speed / 2
    assert spatial.kinetic_energy(I, [*omega, 0, 0, 0]) == pytest.approx(energy)


def test_sensors_feel_the_support_and_contact_forces_act_along_the_axes_of_the_contact(rng):
    X, zero = spatial.rot(spatial.rx(0.3)), np.zeros(6)
    omega, acceleration = conventions.imu_from_acceleration(zero, zero, X)
    assert_allclose(omega, 0, atol=1e-15)
    assert_allclose(X[:3, :3].T @ acceleration, [0, 0, 9.81], **TOLERANCE)
    assert_allclose(conventions.acceleration_to_mujoco(zero, X, [1, 2, 3]), [0, 0, 0, 0, 0, 9.81], **TOLERANCE)
    assert_allclose(conventions.acceleration_from_mujoco([0, 0, 0, 0, 0, 9.81], X, [1, 2, 3]), zero, **TOLERANCE)
    falling = conventions.acceleration_from_classical([0, 0, 0, 0, 0, -9.81], zero, X)
    assert_allclose(conventions.imu_from_acceleration(falling, zero, X)[1], 0, atol=1e-12)

    axes, force, pos = random_rotation(rng), rng.normal(size=6), rng.normal(size=3)
    f, moment = (sum(x * axis for x, axis in zip(half, axes, strict=True)) for half in (force[:3], force[3:]))
    found = conventions.contact_force_from_mujoco(force, axes.ravel(), pos)
    assert_allclose(found, [*(np.cross(pos, f) + moment), *f], **TOLERANCE)


# Angles and quaternions

def test_angles_of_mujoco_and_signs_and_places_of_quaternions_are_those_of_the_programs(rng):
    """A turn of x by 90 degrees, then of z: fixed z is the base's, moving z has become the base's -y."""
    angles = np.pi / 2 * np.array([1, 0, 1])
    fixed, moving = (conventions.rotation_from_mujoco_euler(angles, sequence).T for sequence in ("XYZ", "xyz"))
    assert_allclose(fixed @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    assert_allclose(moving @ [1, 0, 0], [0, 0, 1], atol=1e-15)
    assert_allclose(fixed, conventions.rotation_from_rpy(angles).T, atol=1e-15)
    for pitch in (np.pi / 2, -np.pi / 2):                # at the ends of the pitch, too
        E = conventions.rotation_from_rpy([0.4, pitch, -1.1])
        rpy = conventions.rotation_to_rpy(E)
        assert rpy[0] == 0
        assert_allclose(conventions.rotation_from_rpy(rpy), E, **TOLERANCE)

    p = rng.normal(size=4)
    p /= np.linalg.norm(p)
    for sign in (1, -1):
        assert_allclose(conventions.quaternion_near(sign * p, p), p)
    assert_allclose(conventions.quaternion_from_xyzw(conventions.quaternion_to_xyzw(p)), p)
    assert conventions.quaternion_to_xyzw([0.8, 0.6, 0, 0]).tolist() == [0.6, 0, 0, 0.8]

    # As in the example of RBDL's documentation: TX, spherical, TY, spherical.
    joints = [Prismatic("x"), Spherical(), Prismatic("y"), Spherical()]
    model = Model(range(4), joints, [np.eye(6)] * 4, [spatial.mcI(1, [0, 0, 0], np.eye(3))] * 4)
    q = [7, 0.5, -0.5, 0.5, 0.5, 8, 0.1, 0.7, -0.1, 0.7]
    assert_allclose(conventions.state_to("rbdl", model, q).q, [7, -0.5, 0.5, 0.5, 8, 0.7, -0.1, 0.7, 0.5, 0.1])
    state = conventions.state_to("pinocchio", PENDULUM, [0.3, -2], circular=[2])
    assert_allclose(state.q, [0.3, np.cos(2), -np.sin(2)])
    assert_allclose(conventions.state_from("pinocchio", PENDULUM, state.q, circular=[2]).q, [0.3, -2])


# Whole mechanisms

@pytest.mark.parametrize("translation", ["F_p", "F_s"])
@pytest.mark.parametrize("program", conventions.PROGRAMS)
def test_states_come_back_and_keep_power_and_the_equation_of_motion(program, translation, rng):
    model = mixed_tree(rng, translation)
    order = [1, 5, 6, 4, 2, 3]
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)
    H, C, tau = crba(model, q), bias_force(model, q, qd), rnea(model, q, qd, qdd)
    state = conventions.state_to(program, model, q, qd, qdd, tau, order)
    assert state.tau @ state.qd == pytest.approx(tau @ qd)
    H_there, C_there = conventions.equation_to(program, model, q, qd, H, C, order)
    assert_allclose(H_there @ state.qdd + C_there, state.tau, **TOLERANCE)
    back = conventions.equation_from(program, model, q, qd, H_there, C_there, order)
    assert_allclose(back[0], H, **TOLERANCE)
    assert_allclose(back[1], C, **TOLERANCE)
    back = conventions.state_from(program, model, *state, order)
    assert_allclose(kinematics.body_transforms(model, back.q), kinematics.body_transforms(model, q), **TOLERANCE)
    for ours, theirs in zip((qd, qdd, tau), back[1:], strict=True):
        assert_allclose(theirs, ours, **TOLERANCE)


@pytest.mark.parametrize("program", conventions.PROGRAMS)
def test_accelerations_of_a_program_are_the_derivatives_of_its_velocities(program, rng):
    model, h = mixed_tree(rng), 1e-5
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)

    def velocities(t):
        return conventions.state_to(program, model, model.integrate(q, qd + t / 2 * qdd, t), qd + t * qdd).qd

    expected = (velocities(h) - velocities(-h)) / (2 * h)
    assert_allclose(conventions.state_to(program, model, q, qd, qdd).qdd, expected, atol=1e-7)


def test_the_variables_of_a_free_body_stand_where_each_program_has_them():
    """Turned by 90 degrees about z, at (1, 2, 3), turning at 4 and moving along its own x axis at 5."""
    model = Model([0], [FreeMotion()], [np.eye(6)], [spatial.mcI(1, [0, 0, 0], np.eye(3))])
    h = np.sqrt(0.5)
    q, qd = [h, 0, 0, h, 1, 2, 3], [0, 0, 4, 5, 0, 0]
    expected = {"pinocchio": ([1, 2, 3, 0, 0, h, h], [5, 0, 0, 0, 0, 4]),
                "mujoco": ([1, 2, 3, h, 0, 0, h], [0, 5, 0, 0, 0, 4]),
                "drake": ([h, 0, 0, h, 1, 2, 3], [0, 0, 4, 0, 5, 0]),
                "rbdl": ([1, 2, 3, 0, 0, h, h], [0, 5, 0, 0, 0, 4])}
    assert set(expected) == set(conventions.PROGRAMS)
    for program, (position, velocity) in expected.items():
        state = conventions.state_to(program, model, q, qd)
        assert_allclose(state.q, position, atol=1e-12, err_msg=program)
        assert_allclose(state.qd, velocity, atol=1e-12, err_msg=program)
        assert state.qdd is None and state.tau is None


def test_a_long_chain_and_a_model_without_bodies_have_states_too():
    chain = Model(range(1200), [Revolute("z")] * 1200, [np.eye(6)] * 1200, [np.eye(6)] * 1200)
    assert conventions.depth_first(chain) == list(range(1, 1201))
    empty = Model([], [], [], [])
    for program in ("pinocchio", "mujoco", "drake", "rbdl"):
        there = conventions.state_to(program, empty, [], [], [], [])
        back = conventions.state_from(program, empty, *there)
        assert [np.shape(x) for x in (*there, *back)] == [(0,)] * 8
        assert conventions.velocity_matrix(program, empty, []).shape == (0, 0)


def test_the_bias_force_in_two_parts_is_quadratic_in_the_velocities_and_gravity(rng):
    model = load("puma560")
    q, qd = rng.normal(size=(2, model.nv))
    velocity, gravity = conventions.bias_parts(model, q, qd)
    assert_allclose(velocity + gravity, bias_force(model, q, qd), **TOLERANCE)
    assert_allclose(conventions.bias_parts(model, q, 3 * qd)[0], 9 * velocity, **TOLERANCE)
    weightless = model.replace(gravity=(0, 0, 0))
    assert_allclose(conventions.bias_parts(weightless, q, qd)[1], 0, atol=1e-12)


# Errors

@pytest.mark.parametrize(("call", "message"), [
    (lambda: conventions.fdsv_transform(2 * np.eye(3), [0, 0, 0]), "R is not a rotation"),
    (lambda: conventions.link_to_soa(9, 4), "i is 9"), (lambda: conventions.pose_from_mrn(np.eye(3)), "T has shape"),
    (lambda: conventions.model_from_screws(np.eye(4), 2 * ONE), "screw of joint 1 is .* must have length 1"),
    (lambda: conventions.model_from_screws(np.eye(4), 2 * ONE[:, 3:]), "screw of joint 1 is .* must have length 1"),
    (lambda: conventions.model_from_screws(np.eye(4), 0.5 * ONE + np.eye(6, k=-3)), "screw of joint 1 is"),
    (lambda: conventions.model_from_screws(np.eye(4), ONE[:, 3:], parent=[0, 2, 1]), "parent of body 2 is 2"),
    (lambda: conventions.velocity_to_frame(ZERO, ONE, "world"), "frame is 'world'"),
    (lambda: conventions.acceleration_to_classical(ZERO, ZERO, ONE, "space"), "frame is 'space'"),
    (lambda: conventions.state_to("gazebo", PENDULUM, [0, 0]), "program is 'gazebo'; choose"),
    (lambda: conventions.state_to("drake", PENDULUM, [0, 0], order=[1, 1]), r"order is \[1, 1\]"),
    (lambda: conventions.state_to("drake", PENDULUM, [0, 0], qdd=[0, 0]), "qd is None and qdd"),
    (lambda: conventions.rotation_from_mujoco_euler([0, 0, 0], "xYz"), "sequence is 'xYz'.*moving axes"),
    (lambda: conventions.rotation_from_mujoco_euler([0, 0], "xy"), "angles has shape"),
    (lambda: conventions.rotation_from_mujoco_euler([0, 0, 0], "xy"), "sequence is .xy.; give three letters"),
    (lambda: conventions.quaternion_from_xyzw([1, 2, 3, 4]), "quaternion.* is not a unit vector"),
    (lambda: conventions.jacobian_to_frame(np.zeros((3, 2)), ONE, "body"), "J has shape"),
    (lambda: conventions.chain_to_mrn(load("solo12")), "model is not a chain"),
    (lambda: conventions.chain_to_mrn(Model([0], [Spherical()], [ONE], [ONE])), "model is not a chain"),
    (lambda: conventions.velocity_to_frame(ZERO, ONE, "LOCAL"), r"'body' \(Pinocchio's LOCAL\)"),
    (lambda: conventions.velocity_to_mujoco(ZERO, ONE, ONE), "com has shape"),
    (lambda: conventions.f_ext_to_mujoco(ZERO, ONE), "c has shape"),
    (lambda: conventions.contact_force_from_mujoco(ZERO, np.zeros(8), np.zeros(3)), r"frame has shape \(8,\)"),
    (lambda: conventions.momentum_to_mujoco(ZERO, np.zeros(3), 0), "mass is 0"),
    (lambda: conventions.state_to("drake", PENDULUM, [0, 0], order=5), "order is 5"),
    (lambda: conventions.state_to("pinocchio", PENDULUM, [0, 0], circular=[7]), "names body 7"),
    (lambda: conventions.state_to("pinocchio", load("cart_pole"), [0, 0], circular=[1]), "body 1, but only hinges"),
    (lambda: conventions.state_from("pinocchio", PENDULUM, [0, 2, 2], circular=[2]), r"body 2: \(2, 2\) is not the"),
    (lambda: conventions.state_from("pinocchio", load("satellite_arm"), np.ones(10)), "wrong positions for body 1"),
    (lambda: conventions.state_to("mujoco", Model([0], [Reversed(Spherical())], [ONE], [ONE]), [1, 0, 0, 0]),
     "at body 1, for which other programs have no counterpart")])
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("call", "message"), [
    (lambda: conventions.state_to(PENDULUM, "drake", [0, 0]), "program is <Model.* comes first"),
    (lambda: conventions.state_to("pinocchio", PENDULUM, [0, 0], circular=2), "circular is 2; give"),
    (lambda: conventions.inertia_from_urdf(1, [0, 0, 0], [0, 0, 0], "1", 0, 0, 1, 0, 1), r"\[ixx, ixy, .* text '1'"),
    (lambda: conventions.chain_to_mrn("solo12"), "model is"),
    (lambda: conventions.link_to_soa(1.5, 4), "cannot be interpreted as an integer")])
def test_arguments_of_the_wrong_kind_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_the_poses_of_a_chain_lead_from_one_centre_of_mass_to_the_next():
    chain = load("ur5e")
    X, T = kinematics.body_transforms(chain, np.zeros(chain.nq)), np.eye(4)
    for i, step in zip(chain.bodies, conventions.chain_to_mrn(chain).Mlist, strict=False):
        T, (E, r) = T @ step, spatial.X_to_Er(X[i])
        assert_allclose(T[:3, :3], E.T, **TOLERANCE)
        assert_allclose(T[:3, 3], r + E.T @ spatial.I_to_mcI(chain.inertia[i])[1], **TOLERANCE)
    assert_allclose(conventions.transform_from_urdf(), np.eye(6), atol=0)
    assert conventions.model_from_screws(T, ONE, [ONE] * 6)[0].gravity.tolist() == [0, 0, -9.81]
