"""Forces across joints, momentum, rates of Jacobians, motors: what Pinocchio, MuJoCo and Drake say of a whole robot.

The robot is that of tests/peers/robots.py: a floating torso with two branches. A program that is not installed is
skipped.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model, conventions, rnea
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, force_transform, mcI, motion_exp
from rbdlib.book.ch04_joints import Planar, Spherical
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.methods.derivatives import centroidal_momentum_matrix
from tests.peers.robots import JOINTS, in_drake, numbers, robot_text
from tests.sources.helpers import random_mass_properties

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
GRAVITY = np.array([0, 0, -9.81])


@pytest.fixture
def moving(ours):
    """What our inverse dynamics has on its way: v, a (without gravity) and the forces f across the joints."""
    steps = newton_euler(ours.model, ours.q, ours.qd, ours.qdd)
    return steps.v, kinematics.body_accelerations(ours.model, ours.q, ours.qd, ours.qdd), steps.f


def with_gravity(ours, a, i):
    return a[i] - conventions.velocity_from_frame([0, 0, 0, *GRAVITY], ours.X[i], "space")


# Pinocchio

def test_which_functions_of_pinocchio_leave_forces_and_accelerations_behind(ours, moving, pinocchio):
    """data.f is the force of the parent on the body. rnea does not write data.a, aba writes it with gravity taken out
    along the wrong axes; a_gf is right in both."""
    pin, model, data, order, _, state = pinocchio
    pin.rnea(model, data, *state[:3])
    for joint, i in enumerate(order, start=1):
        assert_allclose(data.f[joint].vector, conventions.swap_halves(moving[2][i]), **TOLERANCE)
        assert_allclose(data.a[joint].vector, 0)
        theirs = conventions.acceleration_from_pinocchio(data.a_gf[joint].vector, ours.X[i])
        assert_allclose(theirs, with_gravity(ours, moving[1], i), **TOLERANCE)
    data = model.createData()
    pin.aba(model, data, state.q, state.qd, state.tau)
    for joint, i in enumerate(order, start=1):
        theirs = conventions.acceleration_from_pinocchio(data.a_gf[joint].vector, ours.X[i])
        assert_allclose(theirs, with_gravity(ours, moving[1], i), rtol=1e-7, atol=1e-7)
        assert_allclose(data.a[joint].linear, data.a_gf[joint].linear + GRAVITY, **TOLERANCE)
    pin.forwardKinematics(model, data, *state[:3])
    for joint, i in enumerate(order, start=1):
        theirs = conventions.acceleration_from_pinocchio(data.a[joint].vector, ours.X[i])
        assert_allclose(theirs, moving[1][i], **TOLERANCE)


def test_pinocchio_s_momentum_and_its_matrix(ours, pinocchio):
    pin, model, data, order, _, state = pinocchio
    theirs = pin.computeCentroidalMomentum(model, data, *state[:2]).vector
    h = kinematics.momentum(ours.model, ours.q, ours.qd)
    assert_allclose(conventions.momentum_to_pinocchio(h, data.com[0]), theirs, **TOLERANCE)
    assert_allclose(conventions.momentum_from_pinocchio(theirs, data.com[0]), h, **TOLERANCE)
    A = conventions.velocity_matrix("pinocchio", ours.model, ours.q, order)
    matrix = centroidal_momentum_matrix(ours.model, ours.q) @ A.T
    assert_allclose(pin.computeCentroidalMap(model, data, state.q), matrix[[3, 4, 5, 0, 1, 2]], **TOLERANCE)


def test_pinocchio_s_bias_in_two_parts_and_its_whole_inertia_matrix(ours, pinocchio):
    pin, model, data, order, _, state = pinocchio
    A = conventions.velocity_matrix("pinocchio", ours.model, ours.q, order)
    velocity, gravity = conventions.bias_parts(ours.model, ours.q, ours.qd)
    assert_allclose(pin.computeGeneralizedGravity(model, data, state.q), A @ gravity, **TOLERANCE)
    assert_allclose(pin.computeCoriolisMatrix(model, data, *state[:2]) @ state.qd, A @ velocity, **TOLERANCE)
    assert_allclose(pin.crba(model, data, state.q), A @ ours.H @ A.T, **TOLERANCE)


# MuJoCo

def test_mujoco_s_forces_and_accelerations_with_a_moment_about_the_whole_tree(ours, moving, mujoco_robot):
    """And velocities; cfrc_int is the force of the parent on the body, gravity of all that hangs on it included."""
    mujoco, model, data, order, _ = mujoco_robot
    mujoco.mj_rnePostConstraint(model, data)
    com = data.subtree_com[1]
    for i in order:
        body = model.body(ours.body(i)).id
        theirs = data.cfrc_int[body]
        assert_allclose(conventions.force_to_mujoco(moving[2][i], ours.X[i], com), theirs, rtol=1e-9, atol=1e-9)
        back = conventions.force_from_mujoco(theirs, ours.X[i], com)
        assert_allclose(back, moving[2][i], rtol=1e-9, atol=1e-9)
        assert_allclose(conventions.velocity_to_mujoco(moving[0][i], ours.X[i], com), data.cvel[body], **TOLERANCE)
        assert_allclose(conventions.acceleration_to_mujoco(moving[1][i], ours.X[i], com), data.cacc[body], **TOLERANCE)


def test_mujoco_s_object_velocity_and_acceleration(ours, moving, mujoco_robot):
    """At the origin, in base or body axes; the acceleration is classical, and contains minus gravity."""
    mujoco, model, data, order, _ = mujoco_robot
    mujoco.mj_rnePostConstraint(model, data)
    v, a, _ = moving
    for i in order:
        for local, frame in ((1, "body"), (0, "hybrid")):
            velocity, acceleration = np.zeros((2, 6))
            of = (model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body(ours.body(i)).id)
            mujoco.mj_objectVelocity(*of, velocity, local)
            mujoco.mj_objectAcceleration(*of, acceleration, local)
            assert_allclose(conventions.velocity_to_frame(v[i], ours.X[i], frame), velocity, **TOLERANCE)
            axes = conventions.pose_to_Rp(ours.X[i])[0].T if local else np.eye(3)
            classical = conventions.acceleration_to_classical(a[i], v[i], ours.X[i], frame)
            assert_allclose(classical - [0, 0, 0, *(axes @ GRAVITY)], acceleration, **TOLERANCE)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, of[3], velocity, 0)
        linear, _ = np.zeros((2, 3, model.nv))
        mujoco.mj_jacBodyCom(model, data, linear, None, of[3])
        assert_allclose(velocity[3:], linear @ data.qvel, **TOLERANCE)


def test_mujoco_s_external_forces_on_bodies(ours, mujoco_robot):
    """xfrc_applied at the body's centre of mass comes back in cfrc_ext at that of the tree."""
    mujoco, model, data, order, _ = mujoco_robot
    for i in order:
        body = model.body(ours.body(i)).id
        data.xfrc_applied[body] = conventions.f_ext_to_mujoco(ours.f_ext[i], data.xipos[body])
    mujoco.mj_rnePostConstraint(model, data)
    for i in order:
        f = conventions.force_from_frame(ours.f_ext[i], ours.X[i], "space")
        theirs = data.cfrc_ext[model.body(ours.body(i)).id]
        assert_allclose(conventions.force_to_mujoco(f, ours.X[i], data.subtree_com[1]), theirs, rtol=1e-9, atol=1e-9)


def test_mujoco_s_momentum_is_a_velocity_and_a_moment_and_its_cinert_is_about_the_same_point(ours, mujoco_robot):
    """The centre of mass of the tree."""
    mujoco, model, data, order, _ = mujoco_robot
    mujoco.mj_subtreeVel(model, data)
    h, bodies = kinematics.momentum(ours.model, ours.q, ours.qd), {i: I_to_mcI(ours.model.inertia[i]) for i in order}
    theirs, com = (data.subtree_linvel[1], data.subtree_angmom[1]), data.subtree_com[1]
    mass = sum(m for m, _, _ in bodies.values())
    assert_allclose(np.array(conventions.momentum_to_mujoco(h, com, mass)), theirs, **TOLERANCE)
    assert_allclose(conventions.momentum_from_mujoco(*theirs, com, mass), h, **TOLERANCE)
    for i, (m, c, I_C) in bodies.items():
        R, p = conventions.pose_to_Rp(ours.X[i])
        offset = p + R @ c - com
        about = R @ I_C @ R.T + m * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        expected = [*about[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], *(m * offset), m]
        assert_allclose(data.cinert[model.body(ours.body(i)).id], expected, **TOLERANCE)


def test_mujoco_s_force_sensor_has_what_the_parent_exerts_on_the_body(ours, moving, mujoco_robot):
    """In the axes and at the place of its site."""
    mujoco, _, data, _, state = mujoco_robot
    spec = mujoco.MjSpec.from_string(ours.path.read_text())
    spec.compiler.fusestatic = False
    spec.worldbody.first_body().add_freejoint()
    spec.body("left").add_site(name="s", pos=[0.1, -0.2, 0.3], quat=[0.5, 0.1, -0.5, 0.7])
    for kind in ("FORCE", "TORQUE"):
        spec.add_sensor(type=getattr(mujoco.mjtSensor, f"mjSENS_{kind}"), objtype=mujoco.mjtObj.mjOBJ_SITE, objname="s")
    model = spec.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state.q, state.qd
    data.qfrc_applied[:] = state.tau + data.qfrc_passive
    mujoco.mj_forward(model, data)
    assert_allclose(data.qacc, state.qdd, rtol=1e-7, atol=1e-7)
    i = ours.model.names.index("left")
    X_site = conventions.pose_from_Rp(data.site_xmat[0].reshape(3, 3), data.site_xpos[0])
    f = force_transform(X_site) @ conventions.force_to_frame(moving[2][i], ours.X[i], "space")
    assert_allclose(data.sensordata, [*f[3:], *f[:3]], rtol=1e-7, atol=1e-7)


# Drake

def test_drake_s_momentum_about_a_point(ours, drake):
    plant, context, *_ = drake
    point = np.array([0.3, -1.1, 0.7])
    h = kinematics.momentum(ours.model, ours.q, ours.qd)
    theirs = plant.CalcSpatialMomentumInWorldAboutPoint(context, point).get_coeffs()
    assert_allclose(conventions.momentum_to_drake(h, point), theirs, **TOLERANCE)
    assert_allclose(conventions.momentum_from_drake(theirs, point), h, **TOLERANCE)


def test_drake_s_reaction_force_acts_on_the_child_at_its_joint(ours):
    """In free motion under gravity: Drake finds the accelerations; the frame of the joint is that of the link here."""
    plant = in_drake(ours.path)
    order = [ours.robot.joints[name].body for name in
             sorted(ours.robot.joints, key=lambda name: plant.GetJointByName(name).velocity_start())]
    state, context = conventions.state_to("drake", *ours.state()[:3], order=[1, *order]), plant.CreateDefaultContext()
    plant.SetPositions(context, state.q)
    plant.SetVelocities(context, state.qd)
    for port in range(plant.num_input_ports()):
        if "actuation" in plant.get_input_port(port).get_name():
            plant.get_input_port(port).FixValue(context, np.zeros(plant.get_input_port(port).size()))
    forces = plant.get_reaction_forces_output_port().Eval(context)
    steps = newton_euler(ours.model, ours.q, ours.qd, np.linalg.solve(ours.H, -ours.C))
    for name, record in ours.robot.joints.items():
        theirs = forces[int(plant.GetJointByName(name).index())].get_coeffs()
        assert_allclose(theirs, steps.f[record.body], rtol=1e-8, atol=1e-8)


# Planar and ball joints (Drake's are in test_conventions_bodies.py)

@pytest.fixture(params=range(3), ids="seed {}".format)
def planar_and_ball(request):
    """A model with a random state and the forces that belong to it."""
    rng = np.random.default_rng([8, request.param])
    model = Model([0, 1], [Planar(), Spherical()], [motion_exp(rng.normal(size=6)) for _ in "ab"],
                  [mcI(*random_mass_properties(rng)) for _ in "ab"], GRAVITY)
    q, qd = model.random_state(rng)
    qdd = rng.normal(size=model.nv)
    return model, q, qd, qdd, rnea(model, q, qd, qdd)


def test_pinocchio_s_planar_and_ball_joints(planar_and_ball):
    pin, ours = pytest.importorskip("pinocchio"), planar_and_ball[0]
    model = pin.Model()
    for i, joint in ((1, pin.JointModelPlanar()), (2, pin.JointModelSpherical())):
        model.addJoint(i - 1, joint, pin.SE3(*conventions.pose_to_Rp(ours.X_tree[i])), str(i))
        model.appendBodyToJoint(i, pin.Inertia(*I_to_mcI(ours.inertia[i])), pin.SE3.Identity())
    state = conventions.state_to("pinocchio", *planar_and_ball)
    assert_allclose(pin.rnea(model, model.createData(), *state[:3]), state.tau, **TOLERANCE)
    back = conventions.state_from("pinocchio", ours, *state)
    assert_allclose(kinematics.body_transforms(ours, back.q), kinematics.body_transforms(ours, planar_and_ball[1]),
                    **TOLERANCE)


def test_mujoco_s_two_slides_with_a_hinge_and_ball_joints(planar_and_ball):
    mujoco, ours = pytest.importorskip("mujoco"), planar_and_ball[0]
    joints = ('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>',
              '<joint type="ball"/>')
    text = ""
    for i in (2, 1):
        p, xyzw = conventions.pose_to_ros(ours.X_tree[i])
        m, c, six = conventions.inertia_to_mujoco(ours.inertia[i])
        text = (f'<body pos="{numbers(p)}" quat="{numbers(conventions.quaternion_from_xyzw(xyzw))}">{joints[i - 1]}'
                f'<inertial mass="{m:.17g}" pos="{numbers(c)}" fullinertia="{numbers(six)}"/>{text}</body>')
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    data, state = mujoco.MjData(model), conventions.state_to("mujoco", *planar_and_ball)
    data.qpos[:], data.qvel[:], data.qacc[:] = state.q, state.qd, state.qdd
    mujoco.mj_inverse(model, data)
    assert_allclose(data.qfrc_inverse, state.tau, rtol=1e-9, atol=1e-9)


# The rate of the Jacobian, as three programs have it, and motors

def rates_of_jacobians(ours, program, order):
    """Our J-dot qd in the hybrid frame, less what the program's own variables take of it."""
    A = conventions.velocity_matrix(program, ours.model, ours.q, order)
    zero = 0 * ours.qdd
    b = conventions.state_to(program, ours.model, ours.q, ours.qd, zero, order=order).qdd
    v = kinematics.body_velocities(ours.model, ours.q, ours.qd)
    for i in order:
        J = kinematics.body_jacobian(ours.model, ours.q, i)
        J_dot = kinematics.body_jacobian_dot(ours.model, ours.q, ours.qd, i)
        rate = conventions.jacobian_dot_to_frame(J_dot, J, v[i], ours.X[i], "hybrid") @ ours.qd
        yield i, rate - conventions.jacobian_to_frame(J, ours.X[i], "hybrid") @ A.T @ b


def test_pinocchio_s_rate_of_the_jacobian_times_v(ours, pinocchio):
    pin, model, data, order, _, state = pinocchio
    pin.computeJointJacobiansTimeVariation(model, data, *state[:2])
    for i, expected in rates_of_jacobians(ours, "pinocchio", order):
        rate = pin.getJointJacobianTimeVariation(model, data, order.index(i) + 1, pin.LOCAL_WORLD_ALIGNED) @ state.qd
        assert_allclose(conventions.swap_halves(rate), expected, **TOLERANCE)


def test_mujoco_s_rate_of_the_jacobian_times_qvel(ours, mujoco_robot):
    mujoco, model, data, order, _ = mujoco_robot
    for i, expected in rates_of_jacobians(ours, "mujoco", order):
        linear, angular = np.zeros((2, 3, model.nv))
        body = model.body(ours.body(i)).id
        mujoco.mj_jacDot(model, data, linear, angular, data.xpos[body], body)
        assert_allclose(np.vstack([angular, linear]) @ data.qvel, expected, **TOLERANCE)


def test_drake_s_bias_acceleration(ours, drake):
    plant, context, order, _ = drake
    kV, world = pytest.importorskip("pydrake.multibody.tree").JacobianWrtVariable.kV, plant.world_frame()
    for i, expected in rates_of_jacobians(ours, "drake", order):
        frame = plant.GetBodyByName(ours.body(i)).body_frame()
        theirs = plant.CalcBiasSpatialAcceleration(context, kV, frame, np.zeros(3), world, world).get_coeffs()
        assert_allclose(theirs, expected, **TOLERANCE)


def test_the_inertia_of_motors_stands_on_the_diagonal(tmp_path):
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    path = tmp_path / "robot.urdf"
    path.write_text(robot_text(JOINTS[:2], ("torso", "left", "leftfoot")))
    q, added = np.array([0.4, -0.3]), np.diag([0.37, 0])
    model = pin.buildModelFromUrdf(str(path))
    before = pin.crba(model, model.createData(), q)
    model.armature = np.diag(added)
    assert_allclose(pin.crba(model, model.createData(), q) - before, added, atol=1e-12)
    model = mujoco.MjModel.from_xml_path(str(path))
    data, H = mujoco.MjData(model), np.zeros((2, 2, 2))
    for k, armature in enumerate((0, 0.37)):
        model.dof_armature[0] = armature
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, H[k])
    assert_allclose(H[1] - H[0], added, atol=1e-12)


def test_drake_s_gear_ratio_changes_the_inertia_and_mujoco_s_gear_the_torque():
    MultibodyPlant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant
    tree, mujoco = pytest.importorskip("pydrake.multibody.tree"), pytest.importorskip("mujoco")
    plant = MultibodyPlant(0.0)
    body = plant.AddRigidBody("body", tree.SpatialInertia(1.0, np.zeros(3), tree.UnitInertia(2, 2, 2)))
    joint = plant.AddJoint(tree.RevoluteJoint("joint", plant.world_frame(), body.body_frame(), [0, 0, 1]))
    motor = plant.AddJointActuator("motor", joint)
    motor.set_default_gear_ratio(7)
    motor.set_default_rotor_inertia(0.1)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.get_actuation_input_port().FixValue(context, [3.0])
    assert_allclose(plant.CalcMassMatrix(context), [[2 + 0.1 * 7**2]])
    assert_allclose(plant.EvalTimeDerivatives(context).CopyToVector(), [0, 3 / (2 + 0.1 * 7**2)])
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<actuator><motor joint="j" gear="7"/></actuator></mujoco>')
    data = mujoco.MjData(model)
    data.qpos[:], data.ctrl[:] = 0.3, 2
    mujoco.mj_forward(model, data)
    assert_allclose([data.qfrc_actuator[0], data.actuator_length[0]], [14, 2.1])
