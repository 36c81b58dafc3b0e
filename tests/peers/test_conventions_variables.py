"""The variables of a robot in Pinocchio, MuJoCo and Drake, as `rbdlib.conventions` translates them.

One URDF text goes to all of them; where a free joint is missing in it, each program adds its own. A program that is not
installed is skipped.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import conventions
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI
from rbdlib.io import read_urdf
from tests.io.helpers import quietly
from tests.peers.robots import in_drake, robot_text

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}

# Pinocchio


def test_pinocchio_computes_the_same_in_its_variables(ours, pinocchio):
    pin, model, data, order, circular, state = pinocchio
    assert model.nq == ours.model.nq + 1
    assert_allclose(pin.rnea(model, data, state.q, state.qd, state.qdd), state.tau, **TOLERANCE)
    H, C = conventions.equation_to("pinocchio", ours.model, ours.q, ours.qd, ours.H, ours.C, order)
    assert_allclose(np.triu(pin.crba(model, data, state.q)), np.triu(H), **TOLERANCE)
    assert_allclose(pin.nonLinearEffects(model, data, state.q, state.qd), C, **TOLERANCE)
    back = conventions.state_from("pinocchio", ours.model, *state, order=order, circular=circular)
    assert_same_state(ours, back)


def test_pinocchio_takes_external_forces_and_jacobians_in_body_coordinates(ours, pinocchio):
    pin, model, data, order, _, state = pinocchio
    forces = pin.StdVec_Force()
    in_bodies = (conventions.f_ext_to_pinocchio(ours.f_ext[i], ours.X[i]) for i in order)
    forces.extend([pin.Force.Zero(), *map(pin.Force, in_bodies)])
    tau = pin.rnea(model, data, state.q, state.qd, state.qdd, forces)
    A = conventions.velocity_matrix("pinocchio", ours.model, ours.q, order)
    assert_allclose(A.T @ tau, ours.tau_ext, **TOLERANCE)
    for joint, i in enumerate(order, start=1):
        J = pin.computeJointJacobian(model, data, state.q, joint)
        ours_there = kinematics.body_jacobian(ours.model, ours.q, i) @ A.T
        assert_allclose(J, ours_there[[3, 4, 5, 0, 1, 2]], **TOLERANCE)


def assert_same_state(ours, back):
    """The same state, but for whole turns of the angle that was given by its cosine and sine."""
    for x, y in zip(kinematics.body_transforms(ours.model, back.q), ours.X, strict=True):
        assert_allclose(x, y, **TOLERANCE)
    assert_allclose(back.qd, ours.qd, **TOLERANCE)
    assert_allclose(back.qdd, ours.qdd, **TOLERANCE)
    assert_allclose(back.tau, ours.tau, **TOLERANCE)


# MuJoCo

def test_mujoco_computes_the_same_in_its_variables(ours, mujoco_robot):
    mujoco, model, data, order, state = mujoco_robot
    assert_allclose(data.qfrc_inverse, state.tau, **TOLERANCE)
    H = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, H)
    ours_there = conventions.equation_to("mujoco", ours.model, ours.q, ours.qd, ours.H, ours.C, order)
    assert_allclose(H, ours_there[0], **TOLERANCE)
    assert_allclose(data.qfrc_bias, ours_there[1], **TOLERANCE)
    back = conventions.equation_from("mujoco", ours.model, ours.q, ours.qd, H, data.qfrc_bias, order)
    assert_allclose(back[0], ours.H, **TOLERANCE)
    assert_allclose(back[1], ours.C, **TOLERANCE)
    assert_same_state(ours, conventions.state_from("mujoco", ours.model, *state, order=order))


def test_mujoco_has_our_frames_and_takes_forces_at_centres_of_mass_and_jacobians_in_two_parts(ours, mujoco_robot):
    mujoco, model, data, order, _ = mujoco_robot
    force = np.zeros(model.nv)
    for i in order:
        b, (R, p) = model.body(ours.body(i)).id, conventions.pose_to_Rp(ours.X[i])
        assert_allclose(data.xmat[b].reshape(3, 3), R, **TOLERANCE)
        assert_allclose(data.xpos[b], p, **TOLERANCE)
        assert_allclose(data.xipos[b], p + R @ I_to_mcI(ours.model.inertia[i])[1], **TOLERANCE)
        F = data.xfrc_applied[b] = conventions.f_ext_to_mujoco(ours.f_ext[i], data.xipos[b])
        mujoco.mj_applyFT(model, data, F[:3], F[3:], data.xipos[b], b, force)
    A = conventions.velocity_matrix("mujoco", ours.model, ours.q, order)
    assert_allclose(A.T @ (data.qfrc_inverse - force), ours.tau_ext, **TOLERANCE)
    mujoco.mj_forward(model, data)
    assert_allclose(data.qfrc_smooth, data.qfrc_passive - data.qfrc_bias + force, **TOLERANCE)
    for i in order:
        linear, angular = np.zeros((2, 3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, model.body(ours.body(i)).id)
        J = conventions.jacobian_to_frame(kinematics.body_jacobian(ours.model, ours.q, i), ours.X[i], "hybrid") @ A.T
        assert_allclose(np.vstack([angular, linear]), J, **TOLERANCE)


# Drake

def test_drake_computes_the_same_in_its_variables(ours, drake):
    plant, context, order, state = drake
    multibody = pytest.importorskip("pydrake.multibody.tree")
    forces = multibody.MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    assert_allclose(plant.CalcInverseDynamics(context, state.qdd, forces), state.tau, **TOLERANCE)
    H, C = conventions.equation_to("drake", ours.model, ours.q, ours.qd, ours.H, ours.C, order)
    assert_allclose(plant.CalcMassMatrix(context), H, **TOLERANCE)
    bias = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
    assert_allclose(bias, C, **TOLERANCE)
    assert_same_state(ours, conventions.state_from("drake", ours.model, *state, order=order))


def test_drake_takes_external_forces_in_world_axes_and_jacobians_in_any(ours, drake):
    plant, context, order, state = drake
    tree, math = pytest.importorskip("pydrake.multibody.tree"), pytest.importorskip("pydrake.multibody.math")
    forces = tree.MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    A = conventions.velocity_matrix("drake", ours.model, ours.q, order)
    for i in order:
        body, world = plant.GetBodyByName(ours.body(i)), plant.world_frame()
        body.AddInForceInWorld(context, math.SpatialForce(conventions.f_ext_to_drake(ours.f_ext[i], ours.X[i])), forces)
        J = plant.CalcJacobianSpatialVelocity(context, tree.JacobianWrtVariable.kV, body.body_frame(), np.zeros(3),
                                              world, world)
        expected = conventions.jacobian_to_frame(kinematics.body_jacobian(ours.model, ours.q, i), ours.X[i], "hybrid")
        assert_allclose(J, expected @ A.T, **TOLERANCE)
    assert_allclose(A.T @ plant.CalcInverseDynamics(context, state.qdd, forces), ours.tau_ext, **TOLERANCE)


# The order of joints

def test_each_program_numbers_depth_first_and_pinocchio_sorts_siblings(tmp_path):
    """Of two branches z-y and b-a, written one link at a time, which comes first? All go each branch to its end."""
    joints = [("z", "revolute", "torso", "left", "1 0 0"), ("b", "revolute", "torso", "right", "1 0 0"),
              ("y", "revolute", "left", "leftfoot", "1 0 0"), ("a", "revolute", "right", "arm", "1 0 0")]
    path = tmp_path / "robot.urdf"
    path.write_text(robot_text(joints))
    robot = quietly(read_urdf, path)
    ours = [robot.joint_of(i).name for i in conventions.depth_first(robot.model)]
    assert ours == ["z", "y", "b", "a"]
    pin, mujoco = pytest.importorskip("pinocchio"), pytest.importorskip("mujoco")
    assert list(pin.buildModelFromUrdf(str(path)).names)[1:] == ["b", "a", "z", "y"]
    model = mujoco.MjModel.from_xml_path(str(path))
    assert [model.joint(k).name for k in range(model.njnt)] == ours
    plant = in_drake(path)
    assert sorted(ours, key=lambda name: plant.GetJointByName(name).velocity_start()) == ours
