"""What the page "Which convention?" says of the programs and no other test shows: contacts, orders, defaults, names."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from rbdlib import Model, conventions
from rbdlib.book.ch02_spatial import line_force, mcI
from rbdlib.book.ch04_joints import FreeMotion
from rbdlib.io import read_urdf
from tests.io.helpers import quietly
from tests.peers.robots import in_drake, robot_text

SEED = 4
TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
BALL = ('<robot name="{0}"><link name="{0}"><inertial><mass value="2"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
        '<collision><origin xyz="{1}"/><geometry>{2}</geometry></collision></link></robot>')


@pytest.fixture
def robot(tmp_path):
    """Ours, from a URDF file whose root is fixed, and its path."""
    path = tmp_path / "robot.urdf"
    path.write_text(robot_text())
    return quietly(read_urdf, path), path


# Contact

def test_drake_s_contact_force_acts_on_body_b():
    """A ball on the floor: the force of 2 kg times 9.81 upward is felt by the ball, whichever body it is."""
    pytest.importorskip("pydrake.multibody.plant")
    from pydrake.math import RigidTransform
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.001)
    for name, place, shape in (("ball", "0 0 0", '<sphere radius="0.1"/>'), ("floor", "0 0 -1", '<box size="2 2 2"/>')):
        Parser(plant).AddModelsFromString(BALL.format(name, place, shape), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("floor"))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, plant.GetBodyByName("ball"), RigidTransform([0.3, 0.2, 0.1]))
    simulator.AdvanceTo(1.0)
    info = plant.get_contact_results_output_port().Eval(context).point_pair_contact_info(0)
    on_ball = 1 if plant.get_body(info.bodyB_index()).name() == "ball" else -1
    force = on_ball * line_force(info.contact_force(), info.contact_point())
    assert_allclose(force, line_force([0, 0, 2 * 9.81], [0.3, 0.2, 0]), atol=1e-2)


@pytest.mark.parametrize("frame", ["LOCAL", "LOCAL_WORLD_ALIGNED"])
def test_pinocchio_s_contact_force_acts_on_the_body(frame):
    """A body that is held at its centre of mass feels its weight, upward, in the axes of the contact or the base."""
    pin = pytest.importorskip("pinocchio")
    model, turned = pin.Model(), pin.utils.rotate("x", 0.3)
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    model.appendBodyToJoint(joint, pin.Inertia(3.0, np.array([0.1, 0.2, 0.3]), np.eye(3)), pin.SE3.Identity())
    place = pin.SE3(turned, model.inertias[joint].lever)
    contact = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, joint, place, getattr(pin, frame))
    contacts, results = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    contacts.append(contact)
    results.append(contact.createData())
    data, q = model.createData(), np.array([0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7])
    pin.initConstraintDynamics(model, data, contacts, results)
    pin.constraintDynamics(model, data, q, np.zeros(6), np.zeros(6), contacts, results)
    R = data.oMi[joint].rotation @ turned if frame == "LOCAL" else np.eye(3)
    assert_allclose(R @ results[0].contact_force.linear, [0, 0, 3 * 9.81], **TOLERANCE)


# Orders

def test_drake_sorts_joints_that_were_added_out_of_order():
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    tree = pytest.importorskip("pydrake.multibody.tree")
    inertia = tree.SpatialInertia(1.0, np.zeros(3), tree.UnitInertia(1, 1, 1))
    bodies = [plant.AddRigidBody(f"body {i}", inertia) for i in range(4)]
    parents = [plant.world_body(), plant.world_body(), bodies[0], bodies[1]]
    joints = [plant.AddJoint(tree.RevoluteJoint(f"joint {i}", parent.body_frame(), body.body_frame(), [0, 0, 1]))
              for i, (parent, body) in enumerate(zip(parents, bodies, strict=True))]
    plant.Finalize()
    assert [joint.velocity_start() for joint in joints] == [0, 2, 1, 3]


def test_pinocchio_s_inertia_matrix_needs_joints_in_depth_first_order(rng):
    """Breadth-first, the model fails its own check, and the matrix contradicts the inverse dynamics."""
    pin = pytest.importorskip("pinocchio")
    for parents, right in (([0, 1, 2, 1, 4], True), ([0, 1, 1, 2, 3], False)):
        model = pin.Model()
        for i, parent in enumerate(parents, start=1):
            model.addJoint(parent, pin.JointModelRX(), pin.SE3.Random(), f"joint {i}")
            model.appendBodyToJoint(i, pin.Inertia.Random(), pin.SE3.Identity())
        data, q, zero = model.createData(), rng.normal(size=5), np.zeros(5)
        assert model.check(data) is right
        columns = [pin.rnea(model, data, q, zero, e) - pin.rnea(model, data, q, zero, zero) for e in np.eye(5)]
        H = np.triu(pin.crba(model, data, q))
        assert np.allclose(H, np.triu(np.array(columns))) is right


# Angles

def test_scipy_s_capitals_are_mujoco_s_small_letters_and_pinocchio_s_spherical_zyx_begins_with_the_yaw(rng):
    angles = rng.normal(size=3)
    for theirs, scipys in (("xyz", "XYZ"), ("XYZ", "xyz")):
        E = conventions.rotation_from_mujoco_euler(angles, theirs)
        assert_allclose(Rotation.from_euler(scipys, angles).as_matrix().T, E, **TOLERANCE)
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "ball")
    data = model.createData()
    pin.forwardKinematics(model, data, angles)
    assert_allclose(data.oMi[1].rotation.T, conventions.rotation_from_rpy(angles[::-1]), **TOLERANCE)


# Defaults

def test_mujoco_reads_degrees_from_its_own_files_and_radians_from_urdf(robot):
    mujoco = pytest.importorskip("mujoco")
    own = ('<mujoco>{}<worldbody><body><joint range="-90 90" limited="true"/><geom size="1"/></body></worldbody>'
           "</mujoco>")
    assert_allclose(mujoco.MjModel.from_xml_string(own.format("")).jnt_range[0], [-np.pi / 2, np.pi / 2])
    radians = mujoco.MjModel.from_xml_string(own.format('<compiler angle="radian"/>'))
    assert_allclose(radians.jnt_range[0], [-90, 90])
    assert_allclose(mujoco.MjModel.from_xml_path(str(robot[1])).joint("a").range, [-9, 9])


def test_gravity_is_the_same_where_nobody_says_otherwise_and_the_root_of_a_urdf_file_floats_in_drake_only(robot):
    """The other programs fix it to the world."""
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    (ours, path), own = robot, mujoco.MjModel.from_xml_string("<mujoco/>")
    for gravity in (ours.model.gravity, own.opt.gravity, pin.Model().gravity.linear):
        assert_allclose(gravity, [0, 0, -9.81])
    assert ours.model.nv == pin.buildModelFromUrdf(str(path)).nv == mujoco.MjModel.from_xml_path(str(path)).nv == 4
    plant = in_drake(path)
    assert_allclose(plant.gravity_field().gravity_vector(), ours.model.gravity)
    assert plant.num_velocities() == 6 + 4 and plant.GetBodyByName("torso").is_floating_base_body()


@pytest.mark.parametrize(("written", "axis"), [("", [1, 0, 0]), ('<axis xyz="1.5 0 2"/>', [0.6, 0, 0.8])])
def test_axes_that_are_not_given_are_x_and_those_not_of_unit_length_are_made_so(written, axis, tmp_path):
    """In a URDF file, for each program that reads it; in a file of MuJoCo's own, z."""
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    path = tmp_path / "robot.urdf"
    path.write_text(robot_text().replace('<axis xyz="0.6 0 0.8"/>', written))
    robot = quietly(read_urdf, path)
    assert_allclose(robot.model.joints[robot.joints["d"].body].direction, axis)
    assert_allclose(mujoco.MjModel.from_xml_path(str(path)).joint("d").axis, axis)
    model = pin.buildModelFromUrdf(str(path))
    model.joints[model.getJointId("d")].calc(joint := model.joints[model.getJointId("d")].createData(),
                                             np.zeros(model.nq), np.zeros(model.nv))
    assert_allclose(np.ravel(joint.S)[3:], axis)
    own = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    assert_allclose(mujoco.MjModel.from_xml_string(own).jnt_axis[0], [0, 0, 1])
    assert_allclose(in_drake(path).GetJointByName("d").revolute_axis(), axis)


def test_what_becomes_of_a_joint_that_mimics_another(tmp_path):
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    path = tmp_path / "robot.urdf"
    path.write_text(robot_text().replace('<axis xyz="0.6 0 0.8"/>',
                                         '<axis xyz="0 0 1"/><mimic joint="a" multiplier="-3" offset="0.25"/>'))
    assert quietly(read_urdf, path).joints["d"].mimic.multiplier == -3
    assert quietly(read_urdf, path).model.nq == 4
    model = mujoco.MjModel.from_xml_path(str(path))
    assert (model.nq, model.neq) == (4, 1)
    assert_allclose(model.eq_data[0, :3], [0.25, -3, 0])
    assert pin.buildModelFromUrdf(str(path)).nv == 4
    assert pin.buildModelFromUrdf(str(path), mimic=True).nv == 3
    plant = in_drake(path)
    assert (plant.num_velocities(), plant.num_constraints()) == (6 + 4, 1)


def test_steps_in_time(rng):
    """MuJoCo moves with the new velocities, Modern Robotics with the old ones; Pinocchio's integrate is ours."""
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>')
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert model.opt.timestep == 0.002
    assert_allclose(data.qpos[2], -9.81 * 0.002**2)
    q, qd = pytest.importorskip("modern_robotics").EulerStep(np.array([1.0]), np.array([2.0]), np.array([3.0]), 0.1)
    assert_allclose([*q, *qd], [1.2, 2.3])
    free = Model([0], [FreeMotion()], [np.eye(6)], [mcI(1, [0, 0, 0], np.eye(3))])
    q, qd = free.random_state(rng)
    before, after = (conventions.state_to("pinocchio", free, x, qd) for x in (q, free.integrate(q, qd, 0.5)))
    flyer = pin.Model()
    flyer.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    assert_allclose(pin.integrate(flyer, before.q, 0.5 * before.qd), after.q, **TOLERANCE)
    systems = pytest.importorskip("pydrake.systems.analysis")
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    plant.Finalize()
    integrator = systems.Simulator(plant).get_integrator()
    assert type(integrator).__name__ == "RungeKutta3Integrator"
    assert integrator.get_target_accuracy() == 1e-4
