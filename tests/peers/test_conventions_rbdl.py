"""RBDL's own answers, from its compiled source: what `rbdlib.conventions` and its page say of RBDL."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, bias_force, conventions, crba, rnea
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, mcI, motion_exp, xlt
from rbdlib.book.ch04_joints import Euler, FreeMotion, Planar, Prismatic, Revolute, Spherical
from rbdlib.methods.centre_of_mass import centre_of_mass
from tests.peers.rbdl_library import Missing, Rbdl
from tests.sources.helpers import random_mass_properties

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
GRAVITY = np.array([0.3, -0.4, -9.7])


class Case:
    """A tree with every kind of joint in a random state, ours and RBDL's."""
    def __init__(self, seed):
        rng = np.random.default_rng([5, seed])
        joints = [FreeMotion(), Revolute((0.6, 0, 0.8)), Spherical(), Planar(), Prismatic((0.8, 0, -0.6)), Spherical(),
                  Euler("zyx")]
        self.model = Model([0, 1, 2, 1, 4, 5, 3], joints, [motion_exp(rng.normal(size=6)) for _ in joints],
                           [mcI(*random_mass_properties(rng)) for _ in joints], GRAVITY)
        try:
            self.rbdl = Rbdl(self.model, GRAVITY)
        except Missing as reason:
            pytest.skip(str(reason))
        self.q, self.qd = self.model.random_state(rng)
        self.qdd, self.point = rng.normal(size=self.model.nv), rng.normal(size=3)
        self.f_ext = {i: rng.normal(size=6) for i in self.model.bodies}
        self.X = kinematics.body_transforms(self.model, self.q)
        self.v = kinematics.body_velocities(self.model, self.q, self.qd)
        self.a = kinematics.body_accelerations(self.model, self.q, self.qd, self.qdd)
        self.state = conventions.state_to("rbdl", self.model, self.q, self.qd, self.qdd,
                                          rnea(self.model, self.q, self.qd, self.qdd))


@pytest.fixture(params=range(2), ids="seed {}".format)
def case(request):
    return Case(request.param)


def test_rbdl_computes_the_same_in_its_variables(case):
    """External forces are as ours; gravity points along -y unless one says otherwise."""
    model, rbdl, state = case.model, case.rbdl, case.state
    assert (rbdl.nq, rbdl.nv) == (model.nq, model.nv)
    assert_allclose(Rbdl(model).gravity(), [0, -9.81, 0])
    assert_allclose(rbdl.gravity(), GRAVITY)
    assert_allclose(rbdl.inverse_dynamics(*state[:3]), state.tau, **TOLERANCE)
    tau = rnea(model, case.q, case.qd, case.qdd, case.f_ext)
    tau = conventions.state_to("rbdl", model, case.q, tau=tau).tau
    assert_allclose(rbdl.inverse_dynamics(*state[:3], case.f_ext), tau, **TOLERANCE)
    H, C = crba(model, case.q), bias_force(model, case.q, case.qd)
    H, C = conventions.equation_to("rbdl", model, case.q, case.qd, H, C)
    assert_allclose(rbdl.inertia_matrix(state.q), H, **TOLERANCE)
    assert_allclose(rbdl.nonlinear_effects(*state[:2]), C, **TOLERANCE)
    back = conventions.state_from("rbdl", model, *state)
    assert_allclose(kinematics.body_transforms(model, back.q), case.X, **TOLERANCE)
    assert_allclose(back.qdd, case.qdd, **TOLERANCE)


def test_rbdl_s_poses_and_point_velocities_accelerations_and_jacobians(case):
    """Orientations lead to body coordinates. The others are in base axes at the point, which is given in body
    coordinates; accelerations are classical, without gravity."""
    A = conventions.velocity_matrix("rbdl", case.model, case.q)
    q, qd, qdd, _ = case.state
    for i in case.model.bodies:
        R, p = conventions.pose_to_Rp(case.X[i])
        theirs = case.rbdl.orientation_and_position(q, i)
        assert_allclose(theirs[0], R.T, **TOLERANCE)
        assert_allclose(theirs[1], p, **TOLERANCE)
        to_point = xlt(case.point)
        X, v, a = to_point @ case.X[i], to_point @ case.v[i], to_point @ case.a[i]
        velocity = case.rbdl.point_velocity(q, qd, i, case.point)
        assert_allclose(velocity, conventions.velocity_to_frame(v, X, "hybrid"), **TOLERANCE)
        acceleration = case.rbdl.point_acceleration(q, qd, qdd, i, case.point)
        assert_allclose(acceleration, conventions.acceleration_to_classical(a, v, X), **TOLERANCE)
        J = kinematics.body_jacobian(case.model, case.q, i) @ A.T
        at_point, in_body = case.rbdl.jacobians(q, i, case.point)
        assert_allclose(at_point, conventions.jacobian_to_frame(to_point @ J, X, "hybrid"), **TOLERANCE)
        assert_allclose(in_body, J, **TOLERANCE)


def test_rbdl_s_momentum_is_about_the_centre_of_mass(case):
    _, com, velocity, angular = case.rbdl.momentum(*case.state[:2])
    mass = sum(I_to_mcI(case.model.inertia[i])[0] for i in case.model.bodies)
    h = conventions.force_to_mbt(kinematics.momentum(case.model, case.q, case.qd), com)
    assert_allclose(com, centre_of_mass(case.model, case.q), **TOLERANCE)
    assert_allclose([*(mass * velocity), *angular], h, **TOLERANCE)
