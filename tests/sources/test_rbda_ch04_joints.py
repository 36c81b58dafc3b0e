"""RBDA 4.4 to 4.6 row by row: joint models, polarity reversal, orientation, the complete system model."""

import inspect
import pickle

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib import Model, aba, bias_force, forward_dynamics, load, rnea, save
from rbdlib.book import ch04_joints as ch04, ch04_orientation as orientation
from rbdlib.book.ch02_spatial import X_to_Er, mcI, plucker, rot, rotz, rx, ry, rz, xlt
from rbdlib.book.ch04_joints import Cylindrical, Euler, Helical, Planar, RackAndPinion, Revolute, jcalc
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.methods.custom_joint import Custom
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.motion.simulate import simulate
from rbdlib.numbers.validation import EULER_SEQUENCES
from tests.sources import helpers
from tests.sources.ch03_systems import runge_kutta
from tests.sources.helpers import close, cross_matrix, far, identical, random_pose, random_unit, slope, turn
from tests.sources.joints import JOINTS, UNITS, Mechanism, joint_pose, joint_velocity, motion_of

each_joint = pytest.mark.parametrize("joint", JOINTS, ids=str)


def state(joint, rng):
    return joint.random_position(rng), rng.normal(size=joint.nv)


@pytest.mark.source("RBDA-S4.4-2")
def test_the_axis_of_a_joint_has_the_same_coordinates_in_both_frames(rng):
    for joint in (Revolute(), ch04.Prismatic(), Helical(0.4), Cylindrical(), Revolute((1, 2, 3)),
                  Helical(0.2, (1, 0, 1))):
        q, qd = state(joint, rng)
        in_p = motion_of(lambda t, joint=joint, q=q, qd=qd: joint_pose(joint, q + t * qd))
        close(joint.motion_subspace(q) @ qd, in_p, 1e-10)
        close(joint.transform(q) @ joint.motion_subspace(q), joint.motion_subspace(q))
    for joint in (Planar(), RackAndPinion(0.3)):
        q = state(joint, rng)[0] + 0.5
        far(joint.transform(q) @ joint.motion_subspace(q), joint.motion_subspace(q))


def printed_4_12(p):
    """RBDA Eq. 4.12 as printed."""
    p0, p1, p2, p3 = p
    return 2 * np.array([[p0**2 + p1**2 - 1 / 2, p1 * p2 + p0 * p3, p1 * p3 - p0 * p2],
                         [p1 * p2 - p0 * p3, p0**2 + p2**2 - 1 / 2, p2 * p3 + p0 * p1],
                         [p1 * p3 + p0 * p2, p2 * p3 - p0 * p1, p0**2 + p3**2 - 1 / 2]])


def columns(*names):
    """Columns e1..e6 of the 6 x 6 identity, by number."""
    return np.eye(6)[:, [name - 1 for name in names]]


def planar_r(q):
    c, s = np.cos(q[0]), np.sin(q[0])
    return [c * q[1] - s * q[2], s * q[1] + c * q[2], 0]


H = 0.3
TABLE_4_1 = [
    ("a", Revolute(), lambda q: rz(q[0]), lambda q: [0, 0, 0], columns(3), columns(1, 2, 4, 5, 6)),
    ("b", ch04.Prismatic(), lambda q: np.eye(3), lambda q: [0, 0, q[0]], columns(6), columns(1, 2, 3, 4, 5)),
    ("c", Helical(H), lambda q: rz(q[0]), lambda q: [0, 0, H * q[0]], np.array([[0, 0, 1, 0, 0, H]]).T,
     np.column_stack([columns(1, 2, 4, 5), [0, 0, -H, 0, 0, 1]])),
    ("d", Cylindrical(), lambda q: rz(q[0]), lambda q: [0, 0, q[1]], columns(3, 6), columns(1, 2, 4, 5)),
    ("e", Planar("F_s"), lambda q: rz(q[0]), planar_r, columns(3, 4, 5), columns(1, 2, 6)),
    ("f", ch04.Spherical(), printed_4_12, lambda q: [0, 0, 0], columns(1, 2, 3), columns(4, 5, 6)),
    ("g", ch04.FreeMotion("F_s"), lambda q: printed_4_12(q[:4]), lambda q: np.linalg.solve(printed_4_12(q[:4]), q[4:]),
     np.eye(6), np.zeros((6, 0)))]


@pytest.mark.source("RBDA-T4.1", "RBDA-F4.9")
@pytest.mark.parametrize(("joint", "E", "r", "S", "T"), [
    pytest.param(*row, id=str(row[0]), marks=pytest.mark.source(f"RBDA-T4.1{letter}")) for letter, *row in TABLE_4_1])
def test_a_row_of_the_table_of_joint_models(joint, E, r, S, T, rng):
    """That X_J, S, T and v_J of every joint belong to its motion is proved in tests/book/test_ch04_joint_library.py."""
    q, alpha = state(joint, rng)
    X_J, S_J, v_J, c_J = jcalc(joint, q, alpha)
    close(X_J, rot(E(q)) @ xlt(r(q)))
    assert_allclose(S_J, S, atol=1e-15)
    assert_allclose(joint.constraint_subspace(q), T, atol=1e-15)
    close(v_J, S @ alpha)
    assert_array_equal(c_J, np.zeros(6), "S is constant")


@pytest.mark.source("RBDA-S4.4-3", "RBDA-T4.1a", "RBDA-T4.1c")
def test_parameters_belong_to_the_single_joint(rng):
    pitches = (0.1, -0.4)
    model = Model([0, 1], [Helical(h) for h in pitches], [np.eye(6)] * 2, [mcI(1, [0, 0, 0], np.eye(3))] * 2)
    q, qd = rng.normal(size=(2, 2))
    for i, h in enumerate(pitches, start=1):
        close(jcalc(model.joints[i], q[i - 1], qd[i - 1])[2], np.array([0, 0, 1, 0, 0, h]) * qd[i - 1])
    close(body_transforms(model, q)[2], rotz(q.sum()) @ xlt([0, 0, pitches @ q]))
    for one, other in zip(jcalc(Helical(0), 0.7, 1.2), jcalc(Revolute(), 0.7, 1.2), strict=True):
        assert_array_equal(one, other, "with pitch 0 it is a revolute one")


@pytest.mark.source("RBDA-X4.5")
def test_translations_in_F_p_with_velocities_in_F_s(rng):
    """The relation of the two sets of variables, and the rates that belong to the constant S."""
    q, alpha = rng.normal(size=(2, 3))
    c, s = np.cos(q[0]), np.sin(q[0])
    to_F_p = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    for mine, other in zip(joint_pose(Planar("F_p"), to_F_p @ q), joint_pose(Planar("F_s"), q), strict=True):
        close(mine, other)
    close(Planar("F_p").transform(to_F_p @ q), Planar("F_s").transform(q))
    close(Planar("F_p").qdot(to_F_p @ q, alpha), to_F_p @ alpha)
    close(joint_velocity(Planar("F_p"), to_F_p @ q, to_F_p @ alpha), columns(3, 4, 5) @ alpha, 1e-9)


@pytest.mark.source("RBDA-S4.4-5")
def test_spinning_far_away_changes_the_translations_in_F_s_fast(rng):
    for distance in (10, 1000):
        angle, w = rng.normal(size=2)
        q, alpha = np.array([angle, 0.6 * distance, -0.8 * distance]), np.array([w, 0, 0])
        close(joint_velocity(Planar("F_s"), q, Planar("F_s").qdot(q, alpha)), np.array([0, 0, w, 0, 0, 0]), 1e-6)
        assert np.linalg.norm(Planar("F_s").qdot(q, alpha)[1:]) == pytest.approx(distance * abs(w))
        assert_array_equal(Planar("F_p").qdot(q, alpha)[1:], [0, 0])


@pytest.mark.source("RBDA-X4.6")
def test_the_rack_and_pinion_of_the_example():
    q, qd, r = sp.symbols("q qd r", real=True)
    c, s = sp.cos(q), sp.sin(q)
    X_J, S, v_J, c_J = jcalc(RackAndPinion(r), q, qd)
    p, omega, E = np.array([r * q, 0, 0]), np.array([0, 0, qd]), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    assert identical(X_J, np.block([[E, 0 * E], [-E @ cross_matrix(p), E]]))
    in_p = np.array([*omega, *(cross_matrix(p) @ omega + [r * qd, 0, 0])])
    assert identical(in_p, [0, 0, qd, r * qd, -r * q * qd, 0])
    assert identical(v_J, [0, 0, qd, r * c * qd, -r * s * qd, 0])
    assert identical(X_J @ in_p, v_J)
    assert identical(S[:, 0], [0, 0, 1, r * c, -r * s, 0])
    assert identical(c_J, [0, 0, 0, -r * s * qd**2, -r * c * qd**2, 0])
    assert identical(c_J, np.array(sp.Matrix(S).diff(q)).ravel() * qd**2)
    for one, other in zip(jcalc(RackAndPinion(0), 0.4, 1.7), jcalc(Revolute(), 0.4, 1.7), strict=True):
        assert_allclose(one, other, atol=1e-15)


@pytest.mark.source("RBDA-X4.6", "RBDA-F4.10")
def test_the_pinion_rolls_without_slip(rng):
    """The point at the rack stands still, each point of the rim draws a cycloid, and the way is as long as the arc."""
    r, (angle, rate) = 0.3, rng.normal(size=2)
    rack = RackAndPinion(r)
    E, centre = X_to_Er(rack.transform([angle]))
    v_J = jcalc(rack, angle, rate)[2]
    contact = E @ (np.array([centre[0], r, 0]) - centre)
    close(v_J[3:] + np.cross(v_J[:3], contact), np.zeros(3))
    far(v_J[3:] + np.cross(v_J[:3], -contact), np.zeros(3))
    close(centre + E.T @ [0, r, 0], np.array([r * (angle - np.sin(angle)), r * np.cos(angle), 0]))
    turned = X_to_Er(rack.transform([angle + 2 * np.pi]))
    close(turned[0], E)
    close(turned[1] - centre, 2 * np.pi * r * UNITS["x"])


@pytest.mark.source("RBDA-T4.2")
@each_joint
def test_what_jcalc_returns_for_a_joint_of_opposite_polarity(joint, rng):
    q, qd = state(joint, rng)
    back, (X, S, v_J, c_J) = ch04.Reversed(joint), jcalc(joint, q, qd)
    T, pXs = joint.constraint_subspace(q), np.linalg.inv(X)
    X_back, S_back, v_back, c_back = jcalc(back, q, qd)
    close(X_back, pXs)
    assert_allclose(S_back, -pXs @ S, atol=1e-11)
    close(v_back, -pXs @ v_J, 1e-11)
    close(c_back, -pXs @ c_J, 1e-11)
    T_back = back.constraint_subspace(q)
    assert_allclose(T_back, -np.linalg.inv(pXs).T @ T, atol=1e-11)
    assert_array_equal(back.qdot(q, qd), joint.qdot(q, qd))

    def old_predecessor(t):
        """The pose of the old predecessor, which is the new successor, seen from the old successor."""
        R, p = joint_pose(joint, q + t * joint.qdot(q, qd))
        return R.T, -R.T @ p

    close(v_back, helpers.motion_coordinates(motion_of(old_predecessor), old_predecessor(0)), 1e-8)
    close(c_back, slope(lambda t: jcalc(back, joint.integrate(q, qd, t), qd)[2]), 1e-7)
    assert_allclose(T_back.T @ S_back, np.zeros((6 - joint.nv, joint.nv)), atol=1e-12)
    f = rng.normal(size=6)
    assert_allclose(S_back.T @ (-np.linalg.inv(pXs).T @ f), S.T @ f, atol=1e-11)


@pytest.mark.source("RBDA-A4.7")
def test_a_rack_and_pinion_mounted_the_wrong_way_round(rng):
    """The pinion is the parent: the same tree with a joint made by hand from the inverse of the transform."""
    r = 0.3
    by_hand = Custom(1, lambda q, t: xlt([-r * q[0], 0, 0]) @ rotz(-q[0]))
    tree = Mechanism(rng, [Revolute("x"), RackAndPinion(r), Revolute("y")], [0, 1, 2]).model()
    models = [tree.replace(joints=[tree.joints[1], joint, tree.joints[3]]) for joint in
              (ch04.Reversed(RackAndPinion(r)), by_hand)]
    q, qd, qdd = rng.normal(size=(3, 3))
    close(*(rnea(model, q, qd, qdd) for model in models), 1e-10)
    close(*(inertia_matrix(model, q) for model in models), 1e-10)
    close(*(forward_dynamics(model, q, qd, qdd) for model in models), 1e-9)
    far(rnea(models[0], q, qd, qdd), rnea(tree, q, qd, qdd))
    assert models[0].successor(2) == 1 and tree.successor(2) == 2


def axes_of_turning(sequence, angles):
    """The axes of the successive turns in F_p coordinates, as columns."""
    R, axes = np.eye(3), []
    for letter, angle in zip(sequence, angles, strict=True):
        axes.append(R @ UNITS[letter])
        R = R @ turn(UNITS[letter], angle)
    return np.column_stack(axes)


@pytest.mark.source("RBDA-S4.5-1", "RBDA-S4.5-3")
@pytest.mark.parametrize("sequence", EULER_SEQUENCES)
def test_euler_angles_are_singular_where_the_first_and_third_axes_align(sequence, rng):
    """T stays the same while S varies, at the singularities too; in the narrow sense two of the turns are about z."""
    q, joint = rng.normal(size=3), Euler(sequence)
    close(orientation.rotation_from_euler_angles(q, sequence), joint_pose(joint, q)[0].T)
    assert (sequence in ("zxz", "zyz")) == (sequence[0] == sequence[2] == "z")
    far(joint.motion_subspace(q), joint.motion_subspace(q + 0.3))
    repeated = sequence[0] == sequence[2]
    expected = abs(np.sin(q[1])) if repeated else abs(np.cos(q[1]))
    for det in (np.linalg.det(joint.motion_subspace(q)[:3]), np.linalg.det(axes_of_turning(sequence, q))):
        assert abs(det) == pytest.approx(expected, abs=1e-12)
    for angle in (0, np.pi) if repeated else (np.pi / 2, -np.pi / 2):
        q[1] = angle
        axes = axes_of_turning(sequence, q)
        assert_allclose(np.abs(axes[:, 0] @ axes[:, 2]), 1, atol=1e-12)
        assert np.linalg.matrix_rank(joint.motion_subspace(q), tol=1e-12) == 2
        conditions = []
        for step in (1e-2, 1e-4, 1e-6):
            q[1] = angle + step
            S = joint.motion_subspace(q)[:3]
            conditions.append(np.linalg.cond(S))
            rates = np.linalg.solve(S, S[:, 0] - np.sign(axes[:, 0] @ axes[:, 2]) * S[:, 2])
            assert np.linalg.norm(S @ rates) < 2 * step, "a slow turn ..."
            assert np.abs(rates[[0, 2]]).min() > 0.9, "... that changes the first and third angles fast"
            assert_array_equal(joint.constraint_subspace(q), columns(4, 5, 6))
            assert_array_equal(joint.motion_subspace(q)[3:], np.zeros((3, 3)))
        assert conditions[0] < conditions[1] < conditions[2] and conditions[2] > 1e5


def printed_4_8(q):
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    return np.array([[-s2, 0, 1], [c2 * s3, c3, 0], [c2 * c3, -s3, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.source("RBDA-4.7", "RBDA-4.8", "RBDA-4.9", "RBDA-S4.5-2")
def test_yaw_pitch_and_roll(rng):
    """E, S, whose columns are the axes of the three turns, its apparent derivative, and c_J."""
    q, qd = rng.normal(size=(2, 3))
    (c1, c2, c3), (s1, s2, s3), (u1, u2, u3) = np.cos(q), np.sin(q), qd
    E = np.array([[c1 * c2, s1 * c2, -s2],
                  [c1 * s2 * s3 - s1 * c3, s1 * s2 * s3 + c1 * c3, c2 * s3],
                  [c1 * s2 * c3 + s1 * s3, s1 * s2 * c3 - c1 * s3, c2 * c3]])
    R, _ = joint_pose(Euler(), q)
    for same in (R.T, rx(q[2]) @ ry(q[1]) @ rz(q[0]), orientation.rotation_from_euler_angles(q)):
        close(same, E)
    X_J, S, v_J, c_J = jcalc(Euler(), q, qd)
    close(X_J, rot(E))

    assert_allclose(S, printed_4_8(q), atol=1e-15)
    close(S @ qd, joint_velocity(Euler(), q, qd), 1e-9)
    close(S[:3], E @ axes_of_turning("zyx", q))

    S_ring = np.array([[-c2 * u2, 0, 0],
                       [-s2 * s3 * u2 + c2 * c3 * u3, -s3 * u3, 0],
                       [-s2 * c3 * u2 - c2 * s3 * u3, -c3 * u3, 0],
                       [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    close(S_ring, slope(lambda t: printed_4_8(q + t * qd)), 1e-9)
    close(Euler().motion_subspace_rate(q, qd), S_ring)
    for found in (c_J, S_ring @ qd):
        close(found, [-c2 * u1 * u2,
                      -s2 * s3 * u1 * u2 + c2 * c3 * u1 * u3 - s3 * u2 * u3,
                      -s2 * c3 * u1 * u2 - c2 * s3 * u1 * u3 - c3 * u2 * u3, 0, 0, 0])


@pytest.mark.slow
@pytest.mark.source("RBDA-Q4.5-1")
def test_equation_4_8_derived_in_symbols():
    """omega × = -E' Eᵀ with E' = sum of dE/dq_i q_i', and S = d omega / d q'."""
    q, qd = sp.symbols("q1:4", real=True), sp.symbols("qd1:4", real=True)
    E = sp.rot_ccw_axis1(q[2]).T * sp.rot_ccw_axis2(q[1]).T * sp.rot_ccw_axis3(q[0]).T
    W = -sum((E.diff(x) * u for x, u in zip(q, qd, strict=True)), sp.zeros(3)) * E.T
    S = sp.Matrix([W[2, 1], W[0, 2], W[1, 0]]).jacobian(qd)
    c2, c3, s2, s3 = sp.cos(q[1]), sp.cos(q[2]), sp.sin(q[1]), sp.sin(q[2])
    printed = sp.Matrix([[-s2, 0, 1], [c2 * s3, c3, 0], [c2 * c3, -s3, 0]])
    ours = sp.Matrix(Euler().motion_subspace(np.array(q))[:3])
    assert sp.simplify(S - printed).is_zero_matrix and sp.simplify(ours - printed).is_zero_matrix


@pytest.mark.source("RBDA-4.10", "RBDA-4.11", "RBDA-4.12", "RBDA-4.13")
def test_euler_parameters_of_an_axis_and_an_angle_their_rotation_matrix_and_their_rates(rng):
    u, theta, omega = random_unit(rng), rng.uniform(-6, 6), rng.normal(size=3)
    p = np.array([np.cos(theta / 2), *(np.sin(theta / 2) * u)])
    close(orientation.euler_parameters(u, theta), p)
    assert p @ p == pytest.approx(1, abs=1e-15)
    E = printed_4_12(p)
    for same in (turn(u, theta).T, orientation.rotation_from_euler_parameters(p), printed_4_12(-p)):
        close(E, same)
    close(orientation.rotation_from_euler_parameters(orientation.euler_parameters(UNITS["z"], theta)), rz(theta))

    printed = kinematics_4_13(np.array([*p, *omega]))[:4]
    close(orientation.euler_parameter_rates(p, omega), printed)
    assert abs(p @ printed) < 1e-15, "they keep the norm"
    close(slope(lambda t: printed_4_12(p + t * printed)), -cross_matrix(omega) @ E, 1e-9)
    close(joint_velocity(ch04.Spherical(), p, printed), np.array([*omega, 0, 0, 0]), 1e-9)


def kinematics_4_13(x):
    p, omega = x[:4], x[4:]
    p0, p1, p2, p3 = p
    rates = np.array([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]]) @ omega / 2
    moments = np.array([1.0, 2.0, 3.0])
    return np.concatenate([rates, -np.cross(omega, moments * omega) / moments])


@pytest.mark.source("RBDA-S4.5-4")
def test_euler_parameters_drift_unless_they_are_renormalised():
    """And pass where Euler angles break down: in a pitch through 90 degrees with a little roll and yaw."""
    ball = ch04.Spherical()
    assert (ball.nq, ball.nv) == (4, 3)
    assert_array_equal(ball.neutral(), [1, 0, 0, 0])
    close(printed_4_12(ball.neutral()), np.eye(3))
    start = np.array([1.0, 0, 0, 0, 2.0, 0.1, 3.0])
    mended = runge_kutta(kinematics_4_13, start, 0.05, 200, lambda x: np.array([*ball.normalise(x[:4]), *x[4:]]))
    adrift = runge_kutta(kinematics_4_13, start, 0.05, 200)[::50]
    assert np.abs(np.linalg.norm(mended[:, :4], axis=1) - 1).max() < 1e-15
    for errors in (np.abs(np.linalg.norm(adrift[:, :4], axis=1) - 1),
                   [np.abs(E @ E.T - np.eye(3)).max() for E in (printed_4_12(x[:4]) for x in adrift)]):
        assert errors[1] < errors[2] < errors[4] and errors[4] > 5e-8
    E = printed_4_12(mended[-1, :4])
    close(E @ E.T, np.eye(3), 1e-14)
    body = Model([0], [ball], [np.eye(6)], [mcI(1, [0, 0, 0], np.diag([1, 2, 2.9]))], gravity=(0, 0, 0))
    path = simulate(body, ball.neutral(), np.array([2.0, 0.1, 3.0]), np.linspace(0, 1, 5))
    assert np.abs(np.linalg.norm(path.q, axis=1) - 1).max() < 1e-15

    omega = np.array([1e-3, 1.0, 1e-3])
    E = turn(omega / np.linalg.norm(omega), 2 * np.linalg.norm(omega)).T
    p = runge_kutta(lambda p: kinematics_4_13(np.array([*p, *omega]))[:4], start[:4], 0.01, 200, ball.normalise)[-1]
    angles = runge_kutta(lambda q: np.linalg.solve(printed_4_8(q)[:3], omega), np.zeros(3), 0.01, 200)
    close(printed_4_12(p), E, 1e-9)
    assert np.abs(angles[:, 1]).max() > 1.5, "they went through the singularity"
    error = np.abs(orientation.rotation_from_euler_angles(angles[-1]) - E).max()
    assert error > 1e4 * np.abs(printed_4_12(p) - E).max()


@pytest.mark.source("RBDA-Q4.4-1")
def test_free_motion_with_positions_in_F_p_and_velocities_in_F_s(rng):
    joint = ch04.FreeMotion("F_p")
    q, v = state(joint, rng)
    E = printed_4_12(q[:4])
    rates = np.array([*kinematics_4_13(np.array([*q[:4], *v[:3]]))[:4], *(E.T @ v[3:])])
    close(joint.qdot(q, v), rates)
    close(joint_velocity(joint, q, rates), v, 1e-9)


@pytest.mark.source("RBDA-T4.3")
def test_a_model_holds_the_data_of_the_table(rng, tmp_path):
    mechanism = Mechanism(rng, [Revolute("x"), ch04.Prismatic("y"), Revolute((1, 2, 2))], [0, 1, 1])
    tree = mechanism.model()
    loop = LoopJoint(2, 3, Cylindrical(), *(plucker(R.T, p) for R, p in (random_pose(rng), random_pose(rng))))
    model = tree.replace(loops=[loop])
    assert list(inspect.signature(Model).parameters)[:4] == ["parent", "joints", "X_tree", "inertia"]
    assert (model.N_B, model.parent[1:], model.joints[1:]) == (3, (0, 1, 1), tuple(mechanism.joints))
    assert (model.N_L, model.predecessor(4), model.successor(4), model.loops[0].joint) == (1, 2, 3, Cylindrical())
    assert_array_equal([model.loops[0].X_P, model.loops[0].X_S], [loop.X_P, loop.X_S])
    q, qd, qdd = rng.normal(size=(3, 3))
    for i, (R, p) in enumerate(mechanism.places, start=1):
        close(model.X_tree[i], plucker(R.T, p))
        close(model.inertia[i], mcI(*mechanism.bodies[i - 1]))
        heavier = model.replace(inertia=[I * (1 + (k == i)) for k, I in enumerate(model.inertia[1:], start=1)])
        far(rnea(heavier, q, qd, qdd), rnea(model, q, qd, qdd))
    save(tree, tmp_path / "tree.toml")
    for copy in (load(tmp_path / "tree.toml"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(rnea(copy, q, qd, qdd), rnea(model, q, qd, qdd))
        assert_array_equal(aba(copy.replace(loops=()), q, qd, qdd), aba(tree, q, qd, qdd))
    assert copy == model != tree


@pytest.mark.source("RBDA-S4.6-1")
def test_the_variables_of_joints_stand_one_after_the_other(rng):
    joints = [JOINTS[k] for k in rng.permutation(len(JOINTS))]
    model = Mechanism(rng, joints).model()
    for at, sizes, total in ((model.q_slice, [joint.nq for joint in joints], model.nq),
                            (model.v_slice, [joint.nv for joint in joints], model.nv)):
        places = [list(range(total))[at(i)] for i in model.bodies]
        assert [len(part) for part in places] == sizes
        assert [k for part in places for k in part] == list(range(total)), "no gaps, nothing twice"
    assert bias_force(model, *model.random_state(rng)).shape == (model.nv,)
