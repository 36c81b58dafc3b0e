"""Single bodies in Pinocchio, MuJoCo, Drake and Modern Robotics: velocity, acceleration, inertia, angles, contact.

The numbers of the other programs decide; `rbdlib.conventions` says how to get them from rbdlib's. A program that is not
installed is skipped.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from rbdlib import Model, conventions, crba, rnea
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import I_to_mcI, mcI, motion_exp
from rbdlib.book.ch04_joints import FreeMotion, Helical, Planar, Prismatic, Revolute, Spherical
from rbdlib.book.ch04_orientation import euler_parameters, rotation_from_euler_parameters
from rbdlib.methods.inertia_parameters import to_parameters
from tests.peers.robots import numbers
from tests.sources.helpers import random_mass_properties

TOLERANCE = {"rtol": 1e-11, "atol": 1e-11}
PINOCCHIO_FRAMES = {"body": "LOCAL", "space": "WORLD", "hybrid": "LOCAL_WORLD_ALIGNED"}
GRAVITY = np.array([0.3, -0.4, -9.7])


@pytest.fixture(params=range(3), ids="seed {}".format)
def rng(request):
    return np.random.default_rng([77, request.param])


class Flying:
    """One free body with a state (q, qd, qdd): its X, v, a, and its inertia."""
    def __init__(self, rng):
        self.mass_properties = random_mass_properties(rng)
        self.I = mcI(*self.mass_properties)
        self.model = Model([0], [FreeMotion()], [np.eye(6)], [self.I], GRAVITY)
        self.q, _ = self.model.random_state(rng)
        self.v, self.a = rng.normal(size=(2, 6))
        self.X = kinematics.body_transforms(self.model, self.q)[1]
        self.R, self.p = conventions.pose_to_Rp(self.X)

    def state(self, program):
        return conventions.state_to(program, self.model, self.q, self.v, self.a)


@pytest.fixture
def flying(rng):
    return Flying(rng)


# Pinocchio

@pytest.fixture
def in_pinocchio(flying):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.gravity.linear = GRAVITY
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    model.appendBodyToJoint(joint, pin.Inertia(*flying.mass_properties), pin.SE3.Identity())
    frame = model.addFrame(pin.Frame("body", joint, pin.SE3.Identity(), pin.FrameType.BODY))
    data, state = model.createData(), flying.state("pinocchio")
    pin.forwardKinematics(model, data, *state[:3])
    pin.updateFramePlacements(model, data)
    return pin, model, data, frame, state


@pytest.mark.parametrize("frame", conventions.FRAMES)
def test_pinocchio_s_velocities_and_accelerations_in_three_frames(frame, flying, in_pinocchio):
    pin, model, data, number, _ = in_pinocchio
    theirs = getattr(pin.ReferenceFrame, PINOCCHIO_FRAMES[frame])
    V = pin.getFrameVelocity(model, data, number, theirs).vector
    A = pin.getFrameAcceleration(model, data, number, theirs).vector
    assert_allclose(conventions.velocity_to_pinocchio(flying.v, flying.X, frame), V, **TOLERANCE)
    assert_allclose(conventions.velocity_from_pinocchio(V, flying.X, frame), flying.v, **TOLERANCE)
    assert_allclose(conventions.acceleration_to_pinocchio(flying.a, flying.X, frame), A, **TOLERANCE)
    assert_allclose(conventions.acceleration_from_pinocchio(A, flying.X, frame), flying.a, **TOLERANCE)
    if frame != "space":
        A = pin.getFrameClassicalAcceleration(model, data, number, theirs).vector
        ours = conventions.acceleration_to_classical(flying.a, flying.v, flying.X, frame)
        assert_allclose(conventions.swap_halves(ours), A, **TOLERANCE)
        assert_allclose(conventions.acceleration_from_classical(ours, flying.v, flying.X, frame), flying.a, **TOLERANCE)


def test_pinocchio_s_pose_is_active_its_action_leads_to_the_base_and_its_inertia_is_ours(flying, in_pinocchio):
    pin, _, data, number, _ = in_pinocchio
    pose = data.oMf[number]
    assert_allclose(conventions.pose_to_mrn(flying.X), pose.homogeneous, **TOLERANCE)
    assert_allclose(conventions.swap_halves(conventions.adjoint_to_mrn(flying.X)), pose.action, **TOLERANCE)
    quaternion = pin.Quaternion(pose.rotation).coeffs()
    assert_allclose(abs(quaternion @ conventions.quaternion_to_xyzw(flying.q[:4])), 1, **TOLERANCE)
    theirs = pin.Inertia(*flying.mass_properties)
    assert_allclose(conventions.inertia_to_pinocchio(flying.I), theirs.matrix(), **TOLERANCE)
    assert_allclose(conventions.inertia_from_pinocchio(theirs.matrix()), flying.I, **TOLERANCE)
    assert_allclose(to_parameters(flying.I), theirs.toDynamicParameters(), **TOLERANCE)


@pytest.mark.parametrize("frame", conventions.FRAMES)
def test_pinocchio_s_derivative_of_the_jacobian_in_three_frames(frame, rng):
    pin = pytest.importorskip("pinocchio")
    chain = random_chain(rng)
    model, (q, qd) = chain_in_pinocchio(pin, chain), rng.normal(size=(2, chain.nv))
    data = model.createData()
    pin.computeJointJacobiansTimeVariation(model, data, q, qd)
    theirs = getattr(pin.ReferenceFrame, PINOCCHIO_FRAMES[frame])
    X, v = kinematics.body_transforms(chain, q), kinematics.body_velocities(chain, q, qd)
    for i in chain.bodies:
        J, J_dot = kinematics.body_jacobian(chain, q, i), kinematics.body_jacobian_dot(chain, q, qd, i)
        ours = conventions.jacobian_to_frame(J, X[i], frame)
        assert_allclose(ours[[3, 4, 5, 0, 1, 2]], pin.getJointJacobian(model, data, i, theirs), **TOLERANCE)
        ours = conventions.jacobian_dot_to_frame(J_dot, J, v[i], X[i], frame)
        rate = pin.getJointJacobianTimeVariation(model, data, i, theirs)
        assert_allclose(ours[[3, 4, 5, 0, 1, 2]], rate, **TOLERANCE)


def random_chain(rng, n=4):
    joints = [kind(tuple(rng.normal(size=3))) for kind in rng.choice([Revolute, Prismatic], n)]
    return Model(range(n), joints, [motion_exp(rng.normal(size=6)) for _ in range(n)],
                 [mcI(*random_mass_properties(rng)) for _ in range(n)], GRAVITY)


def chain_in_pinocchio(pin, chain):
    model = pin.Model()
    kinds = {Revolute: pin.JointModelRevoluteUnaligned, Prismatic: pin.JointModelPrismaticUnaligned}
    for i in chain.bodies:
        R, p = conventions.pose_to_Rp(chain.X_tree[i])
        joint = kinds[type(chain.joints[i])](np.array(chain.joints[i].direction, dtype=float))
        model.addJoint(i - 1, joint, pin.SE3(R, p), str(i))
        model.appendBodyToJoint(i, pin.Inertia(*I_to_mcI(chain.inertia[i])), pin.SE3.Identity())
    return model


# MuJoCo

@pytest.fixture
def in_mujoco(flying):
    mujoco = pytest.importorskip("mujoco")
    m, c, fullinertia = conventions.inertia_to_mujoco(flying.I)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="{numbers(GRAVITY)}"/><worldbody><body name="b"><freejoint/>'
        f'<inertial mass="{m:.17g}" pos="{numbers(c)}" fullinertia="{numbers(fullinertia)}"/>'
        f'<site name="s" pos="0.1 -0.2 0.3" euler="20 30 -40"/></body></worldbody>'
        f'<sensor><gyro site="s"/><accelerometer site="s"/></sensor></mujoco>')
    data = mujoco.MjData(model)
    state = flying.state("mujoco")
    data.qpos[:], data.qvel[:] = state.q, state.qd
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    data.qacc[:] = state.qdd
    mujoco.mj_inverse(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    return mujoco, model, data


def test_mujoco_s_cvel_and_cacc_are_about_the_centre_of_mass_of_the_tree(flying, in_mujoco):
    _, _, data = in_mujoco
    com = data.subtree_com[1]
    assert_allclose(conventions.velocity_to_mujoco(flying.v, flying.X, com), data.cvel[1], **TOLERANCE)
    assert_allclose(conventions.velocity_from_mujoco(data.cvel[1], flying.X, com), flying.v, **TOLERANCE)
    assert_allclose(conventions.acceleration_to_mujoco(flying.a, flying.X, com, GRAVITY), data.cacc[1], **TOLERANCE)
    back = conventions.acceleration_from_mujoco(data.cacc[1], flying.X, com, GRAVITY)
    assert_allclose(back, flying.a, **TOLERANCE)


def test_mujoco_s_inertial_sensor(flying, in_mujoco):
    mujoco, model, data = in_mujoco
    mujoco.mj_sensorVel(model, data)
    mujoco.mj_sensorAcc(model, data)
    E = conventions.rotation_from_mujoco_euler(np.deg2rad([20, 30, -40]))
    X_sensor = conventions.pose_from_Rp(E.T, [0.1, -0.2, 0.3])
    omega, acceleration = conventions.imu_from_acceleration(flying.a, flying.v, flying.X, X_sensor, GRAVITY)
    assert_allclose(data.sensordata, [*omega, *acceleration], **TOLERANCE)


def test_mujoco_reads_the_inertia_that_it_was_given(flying, in_mujoco):
    """It turns the moments to principal axes; turned back, they are the same."""
    mujoco, model, _ = in_mujoco
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    theirs = mcI(model.body_mass[1], model.body_ipos[1], R @ np.diag(model.body_inertia[1]) @ R.T)
    assert_allclose(theirs, flying.I, rtol=1e-9, atol=1e-9)
    assert_allclose(conventions.inertia_from_mujoco(*conventions.inertia_to_mujoco(flying.I)), flying.I, **TOLERANCE)


@pytest.mark.parametrize("sequence", ["xyz", "XYZ", "zyx", "ZXZ", "yxy"])
def test_mujoco_s_euler_angles(sequence, rng):
    mujoco, angles = pytest.importorskip("mujoco"), rng.uniform(-3, 3, size=3)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" eulerseq="{sequence}"/><worldbody><body euler="{numbers(angles)}">'
        f'<geom size="1"/></body></worldbody></mujoco>')
    E = rotation_from_euler_parameters(model.body_quat[1])
    assert_allclose(conventions.rotation_from_mujoco_euler(angles, sequence), E, **TOLERANCE)


def test_mujoco_s_contact_force_acts_on_the_second_geometry():
    """A box rests on a slope: what the floor does to it, rightly translated, carries its weight at its centre."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option cone="elliptic"/><worldbody><geom type="plane" size="5 5 1" euler="0 20 0"/>'
        '<body pos="0.034 0 0.094" euler="0 20 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>'
        "</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    mujoco.mj_forward(model, data)
    total, force = np.zeros(6), np.zeros(6)
    for k, contact in enumerate(data.contact):
        assert (contact.geom1, contact.geom2) == (0, 1)
        mujoco.mj_contactForce(model, data, k, force)
        total += conventions.contact_force_from_mujoco(force, contact.frame, contact.pos)
    weight = conventions.force_from_mbt([0, 0, 2 * 9.81, 0, 0, 0], data.xipos[1])
    assert_allclose(total, weight, atol=1e-2)


# Drake

@pytest.fixture
def in_drake(flying):
    MultibodyPlant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant
    tree = pytest.importorskip("pydrake.multibody.tree")
    m, c, G = conventions.inertia_to_drake(flying.I)
    unit = tree.UnitInertia(*np.diag(G), G[0, 1], G[0, 2], G[1, 2])
    plant = MultibodyPlant(0.0)
    body = plant.AddRigidBody("body", tree.SpatialInertia(m, c, unit))
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    plant.Finalize()
    context, state = plant.CreateDefaultContext(), flying.state("drake")
    plant.SetPositions(context, state.q)
    plant.SetVelocities(context, state.qd)
    return plant, context, body, state


def test_drake_s_velocity_acceleration_and_pose(flying, in_drake):
    """In world axes at the body's origin; the acceleration is classical, and is the v-dot of the free joint."""
    plant, context, body, state = in_drake
    pose = plant.EvalBodyPoseInWorld(context, body)
    assert_allclose(conventions.pose_to_mrn(flying.X), pose.GetAsMatrix4(), **TOLERANCE)
    V = plant.EvalBodySpatialVelocityInWorld(context, body).get_coeffs()
    assert_allclose(conventions.velocity_to_drake(flying.v, flying.X), V, **TOLERANCE)
    assert_allclose(conventions.velocity_from_drake(V, flying.X), flying.v, **TOLERANCE)
    A = plant.CalcSpatialAccelerationsFromVdot(context, state.qdd)[int(body.index())].get_coeffs()
    assert_allclose(conventions.acceleration_to_drake(flying.a, flying.v, flying.X), A, **TOLERANCE)
    assert_allclose(conventions.acceleration_from_drake(A, flying.v, flying.X), flying.a, **TOLERANCE)


def test_drake_s_spatial_inertia(flying, in_drake):
    _, _, body, _ = in_drake
    theirs = body.default_spatial_inertia()
    assert_allclose(theirs.CopyToFullMatrix6(), flying.I, **TOLERANCE)
    G = theirs.get_unit_inertia().CopyToFullMatrix3()
    assert_allclose(conventions.inertia_from_drake(theirs.get_mass(), theirs.get_com(), G), flying.I, **TOLERANCE)


def test_drake_s_planar_and_ball_joints(rng):
    """Drake's ball has roll, pitch, yaw as q and the angular velocity in the parent's axes as v."""
    MultibodyPlant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant
    tree = pytest.importorskip("pydrake.multibody.tree")
    ours = Model([0, 1], [Planar(), Spherical()], [np.eye(6)] * 2, [mcI(*random_mass_properties(rng)) for _ in "ab"])
    plant, frame = MultibodyPlant(0.0), None
    for i, kind in ((1, tree.PlanarJoint), (2, tree.BallRpyJoint)):
        m, c, G = conventions.inertia_to_drake(ours.inertia[i])
        unit = tree.UnitInertia(*np.diag(G), G[0, 1], G[0, 2], G[1, 2])
        body = plant.AddRigidBody(f"body {i}", tree.SpatialInertia(m, c, unit))
        plant.AddJoint(kind(f"joint {i}", frame or plant.world_frame(), body.body_frame()))
        frame = body.body_frame()
    plant.Finalize()
    q, qd = ours.random_state(rng)
    qdd = rng.normal(size=ours.nv)
    state = conventions.state_to("drake", ours, q, qd, qdd, rnea(ours, q, qd, qdd))
    context, forces = plant.CreateDefaultContext(), tree.MultibodyForces(plant)
    plant.SetPositions(context, state.q)
    plant.SetVelocities(context, state.qd)
    plant.CalcForceElementsContribution(context, forces)
    assert_allclose(plant.CalcInverseDynamics(context, state.qdd, forces), state.tau, rtol=1e-10, atol=1e-10)
    back = conventions.state_from("drake", ours, *state)
    assert_allclose(back.qdd, qdd, rtol=1e-10, atol=1e-10)


# Angles: three programs read URDF's rpy, and SciPy knows fixed and moving axes

def test_rpy_are_turns_about_fixed_axes(rng):
    rpy = rng.uniform(-1.5, 1.5, size=3)
    E = conventions.rotation_from_rpy(rpy)
    assert_allclose(Rotation.from_euler("xyz", rpy).as_matrix().T, E, **TOLERANCE)
    assert_allclose(conventions.rotation_to_rpy(E), rpy, **TOLERANCE)
    pin, math = pytest.importorskip("pinocchio"), pytest.importorskip("pydrake.math")
    assert_allclose(pin.rpy.rpyToMatrix(rpy).T, E, **TOLERANCE)
    assert_allclose(math.RollPitchYaw(rpy).ToRotationMatrix().matrix().T, E, **TOLERANCE)


def test_quaternions_mean_the_same_and_are_written_in_two_orders(rng):
    p = euler_parameters(rng.normal(size=3), rng.uniform(0, 3))
    R = rotation_from_euler_parameters(p).T
    xyzw = conventions.quaternion_to_xyzw(p)
    assert_allclose(Rotation.from_quat(xyzw).as_matrix(), R, **TOLERANCE)
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    theirs = np.zeros(9)
    mujoco.mju_quat2Mat(theirs, p)
    assert_allclose(theirs.reshape(3, 3), R, **TOLERANCE)
    assert_allclose(pin.Quaternion(*p).matrix(), R, **TOLERANCE)                # its constructor takes the scalar first
    assert_allclose(pin.Quaternion(*p).coeffs(), xyzw, **TOLERANCE)             # and it stores the scalar last
    assert_allclose(pytest.importorskip("pydrake.common.eigen_geometry").Quaternion(p).rotation(), R, **TOLERANCE)


# Modern Robotics

@pytest.mark.parametrize("from_screws", [False, True])
def test_modern_robotics_computes_the_same_from_translated_chains(rng, from_screws):
    """Of a chain, and of the one that model_from_screws makes of the chain's screws and of its bodies at home."""
    mr = pytest.importorskip("modern_robotics")
    chain, X_tip = random_chain(rng), motion_exp(rng.normal(size=6))
    chain = chain.replace(joints=[*chain.joints[1:4], Helical(0.3, (1, 2, -2))])
    q, qd, qdd = rng.normal(size=(3, chain.nv))
    lists = conventions.chain_to_mrn(chain, X_tip)
    M = np.linalg.multi_dot(lists.Mlist)
    if from_screws:
        at_home = kinematics.body_transforms(chain, np.zeros(chain.nv))
        inertia = [at_home[i].T @ chain.inertia[i] @ at_home[i] for i in chain.bodies]
        chain, X_tip = conventions.model_from_screws(M, lists.Slist, inertia, gravity=GRAVITY)
    X = X_tip @ kinematics.body_transforms(chain, q)[chain.N_B]
    F_tip = rng.normal(size=6)                                       # in the tip's frame, exerted by the robot
    f_ext = {chain.N_B: conventions.tip_wrench_to_f_ext(F_tip, X)}
    velocity, gravity = conventions.bias_parts(chain, q, qd)
    J, pose = X_tip @ kinematics.body_jacobian(chain, q, chain.N_B), conventions.pose_to_mrn(X)
    T, Blist = mr.FKinSpace(M, lists.Slist, q), mr.Adjoint(mr.TransInv(M)) @ lists.Slist
    pairs = [(mr.InverseDynamics(q, qd, qdd, GRAVITY, F_tip, *lists), rnea(chain, q, qd, qdd, f_ext)),
             (mr.MassMatrix(q, *lists), crba(chain, q)), (mr.VelQuadraticForces(q, qd, *lists), velocity),
             (mr.GravityForces(q, GRAVITY, *lists), gravity), (mr.FKinBody(M, Blist, q), T),
             (mr.JacobianBody(Blist, q), J), (mr.Adjoint(T), conventions.adjoint_to_mrn(X)),
             (mr.JacobianSpace(lists.Slist, q), conventions.jacobian_to_frame(J, X, "space")), (T, pose)]
    for theirs, ours in pairs:
        assert_allclose(theirs, ours, rtol=1e-9, atol=1e-9)


def test_drake_gives_bias_and_gravity_apart(flying, in_drake):
    plant, context, _, _ = in_drake
    velocity, gravity = conventions.bias_parts(flying.model, flying.q, flying.v)
    H, rest = crba(flying.model, flying.q), 0 * flying.v
    _, in_drake_s_variables = conventions.equation_to("drake", flying.model, flying.q, rest, H, gravity)
    assert_allclose(plant.CalcGravityGeneralizedForces(context), -in_drake_s_variables, **TOLERANCE)
    _, in_drake_s_variables = conventions.equation_to("drake", flying.model, flying.q, flying.v, H, velocity)
    assert_allclose(plant.CalcBiasTerm(context), in_drake_s_variables, **TOLERANCE)
