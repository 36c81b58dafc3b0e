"""The errata of RBDA chapter 4: each by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import FreeMotion, Planar, RackAndPinion, Reversed, Spherical
from rbdlib.motion.simulate import simulate
from tests.sources.helpers import close, cross_matrix, far, identical, random_unit, turn
from tests.sources.joints import joint_pose, joint_velocity

PLANAR_S = np.eye(6)[:, 2:5]


@pytest.mark.source("RBDA-T4.1e")
def test_the_planar_joints_constant_S_does_not_belong_to_the_derivatives_of_its_variables(rng):
    joint, (q, alpha) = Planar("F_s"), rng.normal(size=(2, 3))
    far(joint_velocity(joint, q, alpha), PLANAR_S @ alpha)
    corrected = np.array([[1, 0, 0], [q[2], 1, 0], [-q[1], 0, 1]]) @ alpha
    close(joint_velocity(joint, q, corrected), PLANAR_S @ alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)

    S_for_rates = np.array([[0, 0, 1, -q[2], q[1], 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]).T
    close(joint_velocity(joint, q, alpha), S_for_rates @ alpha, 1e-9)


@pytest.mark.source("RBDA-T4.1e")
def test_the_printed_planar_joint_bends_the_path_of_a_free_body():
    class Printed(Planar):
        """Table 4.1 with alpha = q', as the algorithm listings take it."""

        def qdot(self, q, qd):
            return qd

        def integrate(self, q, qd, dt):
            return q + dt * qd

    bends = []
    for joint in (Printed("F_s"), Planar("F_s")):
        body = Model([0], [joint], [np.eye(6)], [mcI(2.0, [0, 0, 0], np.diag([1, 1, 1.5]))], gravity=(0, 0, 0))
        path = simulate(body, [0.1, 0.5, -0.2], [1.2, 0.4, 0.3], np.linspace(0, 2, 5))
        bends.append(np.abs(np.diff([joint_pose(Planar("F_s"), q)[1] for q in path.q], 2, axis=0)).max())
    assert bends[0] > 0.1 and bends[1] < 1e-7


@pytest.mark.source("RBDA-T4.1g")
def test_the_6_dof_joints_constant_S_does_not_belong_to_the_derivatives_of_its_translations(rng):
    joint = FreeMotion("F_s")
    q, alpha = joint.random_position(rng), rng.normal(size=6)
    omega, v = alpha[:3], alpha[3:]
    p_rate = Spherical().qdot(q[:4], omega)
    close(joint_velocity(joint, q, np.array([*p_rate, *v]))[:3], omega, 1e-9)
    error = joint_velocity(joint, q, np.array([*p_rate, *v]))[3:] - v
    close(error, np.cross(omega, q[4:]), 1e-8)
    far(error, np.zeros(3))
    corrected = np.array([*p_rate, *(v - np.cross(omega, q[4:]))])
    close(joint_velocity(joint, q, corrected), alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)


@pytest.mark.source("RBDA-X4.5")
def test_the_printed_rates_of_example_4_5_contradict_the_constant_S(rng):
    t = sp.Symbol("t")
    q1, q2, q3 = (sp.Function(f"q{i}")(t) for i in (1, 2, 3))
    c, s = sp.cos(q1), sp.sin(q1)
    in_p = sp.Matrix([[1, 0, 0], [0, c, -s], [0, s, c]]) * sp.Matrix([q1, q2, q3])
    rates = [x.diff(t) for x in (q1, q2, q3)]
    printed = sp.Matrix([[1, 0, 0], [-in_p[2], c, -s], [in_p[1], s, c]]) * sp.Matrix(rates)
    assert identical(np.array(in_p.diff(t)).ravel(), np.array(printed).ravel()), "it is the derivative of the relation"

    joint, (q, alpha) = Planar("F_p"), rng.normal(size=(2, 3))
    c, s = np.cos(q[0]), np.sin(q[0])
    printed = np.array([[1, 0, 0], [-q[2], c, -s], [q[1], s, c]]) @ alpha
    corrected = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ alpha
    far(joint_velocity(joint, q, printed), PLANAR_S @ alpha)
    close(joint_velocity(joint, q, corrected), PLANAR_S @ alpha, 1e-9)
    close(joint.qdot(q, alpha), corrected)


@pytest.mark.source("RBDA-T4.2")
def test_the_constraint_forces_of_a_reversed_joint_transform_as_forces(rng):
    joint = RackAndPinion(0.3)
    q = np.array([rng.uniform(0.3, 1)])
    S, T, X = joint.motion_subspace(q), joint.constraint_subspace(q), joint.transform(q)
    pXs = np.linalg.inv(X)
    S_back = -pXs @ S
    far((-pXs @ T).T @ S_back, np.zeros((5, 1)))
    assert_allclose((-np.linalg.inv(pXs).T @ T).T @ S_back, np.zeros((5, 1)), atol=1e-14)
    close(Reversed(joint).constraint_subspace(q), -X.T @ T)


@pytest.mark.source("RBDA-S4.5-5")
def test_euler_parameters_that_are_too_long_do_not_scale_equation_4_12(rng):
    u, theta = random_unit(rng), rng.uniform(0.5, 2.5)
    unit, scale = np.array([np.cos(theta / 2), *(np.sin(theta / 2) * u)]), 1.1
    E, p = turn(u, theta).T, scale * unit

    def symmetric(p):
        return 2 * np.outer(p[1:], p[1:]) - 2 * p[0] * cross_matrix(p[1:])

    printed = symmetric(p) + (2 * p[0] ** 2 - 1) * np.eye(3)
    homogeneous = symmetric(p) + (p[0] ** 2 - p[1:] @ p[1:]) * np.eye(3)
    close(symmetric(unit) + (2 * unit[0] ** 2 - 1) * np.eye(3), E)
    assert np.ptp(np.diag(printed @ printed.T)) > 1e-3, "the three axes are stretched by different factors"
    close(printed, scale**2 * E + (scale**2 - 1) * np.eye(3))
    close(homogeneous, scale**2 * E)
    close(homogeneous @ homogeneous.T, scale**4 * np.eye(3))
