"""The robot files of tests/io/data, read by Pinocchio and by MuJoCo as well.

Neither program is part of the project's environment: without them these tests are skipped, and say so. Joints are
matched by name, because each program has an order of its own.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import rnea
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er
from rbdlib.book.ch04_kinematics import body_transforms, body_velocities
from rbdlib.book.ch04_orientation import rotation_from_euler_parameters
from rbdlib.conventions import swap_halves
from rbdlib.io import read_mjcf, read_urdf, save_urdf
from rbdlib.methods.centre_of_mass import centre_of_mass
from rbdlib.methods.joint_character import rnea_with_characters
from rbdlib.methods.joint_space import inertia_matrix
from tests.io.helpers import DATA, link_poses, quietly, write, write_meshes

TOLERANCE = {"rtol": 1e-11, "atol": 1e-11}
CASES = [(name, floating, lump, seed) for name in ("arm_2r.urdf", "tree.urdf", "free_joints.urdf")
         for floating in (False, True) for lump in (False, True) for seed in (1, 2)
         if not (floating and name == "free_joints.urdf")]


class InPinocchio:
    """A URDF file in Pinocchio. P and V take our q to its q, and our velocities to its velocities."""
    def __init__(self, path, robot, floating_base):
        self.pin = pin = pytest.importorskip("pinocchio")
        root = (pin.JointModelFreeFlyer(),) if floating_base else ()
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data, self.robot, self.floats = self.model.createData(), robot, floating_base
        names = {record.body: name for name, record in robot.joints.items() if record.body is not None}
        if floating_base:
            names[1] = "root_joint"
        self.joints = [(i, self.model.joints[self.model.getJointId(names[i])])
                       for i in robot.model.bodies if robot.model.joints[i].nv]

    def position(self, q):
        result = self.pin.neutral(self.model)
        for i, joint in self.joints:
            ours = q[self.robot.model.q_slice(i)]
            if joint.nq == 7:                                        # the position, the quaternion, its scalar
                ours = [*ours[4:], *ours[1:4], ours[0]]
            elif joint.nq == 2:                                      # an angle without limits
                ours = [np.cos(ours[0]), np.sin(ours[0])]
            elif joint.nq == 4:                                      # planar
                ours = [*ours[1:], np.cos(ours[0]), np.sin(ours[0])]
            result[joint.idx_q:joint.idx_q + joint.nq] = ours
        return result

    def places(self):
        """For each of our velocity variables, the place of Pinocchio's."""
        places = np.empty(self.robot.model.nv, dtype=int)
        for i, joint in self.joints:
            order = {6: [3, 4, 5, 0, 1, 2], 3: [2, 0, 1], 1: [0]}[joint.nv]
            places[self.robot.model.v_slice(i)] = joint.idx_v + np.array(order)
        return places

    def velocity(self, ours):
        result = np.empty(self.model.nv)
        result[self.places()] = ours
        return result


@pytest.fixture(params=CASES, ids=lambda case: "{} floating {} lump {} seed {}".format(*case))
def example(request, tmp_path):
    """A robot, the same in Pinocchio, and a state (q, qd, qdd)."""
    name, floating_base, lump_fixed, seed = request.param
    path = DATA / name
    if name == "free_joints.urdf":                                   # Pinocchio's planar joint knows the x-y plane only
        path = tmp_path / name
        path.write_text((DATA / name).read_text().replace('xyz="1 2 2"', 'xyz="0 0 1"'))
    robot = quietly(read_urdf, path, floating_base=floating_base, lump_fixed=lump_fixed)
    rng = np.random.default_rng(seed)
    q, qd = robot.model.random_state(rng)
    return robot, InPinocchio(path, robot, floating_base), q, qd, rng.normal(size=robot.model.nv)


def test_pinocchio_reads_the_same_joint_forces_and_places_and_velocities_of_links(example):
    robot, peer, q, qd, qdd = example
    states = peer.position(q), peer.velocity(qd), peer.velocity(qdd)
    theirs = peer.pin.rnea(peer.model, peer.data, *states)
    assert_allclose(rnea(robot.model, q, qd, qdd), theirs[peer.places()], **TOLERANCE)
    peer.pin.forwardKinematics(peer.model, peer.data, *states[:2])
    peer.pin.updateFramePlacements(peer.model, peer.data)
    v, poses = body_velocities(robot.model, q, qd), link_poses(robot, q)
    for link, frame in robot.frames.items():
        number = peer.model.getFrameId(link, peer.pin.FrameType.BODY)
        V, pose = peer.pin.getFrameVelocity(peer.model, peer.data, number).vector, peer.data.oMf[number]
        assert_allclose(frame.X @ v[frame.body], swap_halves(V), err_msg=link, **TOLERANCE)
        assert_allclose(np.column_stack(poses[link]), pose.homogeneous[:3], err_msg=link, **TOLERANCE)


def test_pinocchio_finds_the_same_mass_and_limits(example):
    robot, peer, q, *_ = example
    if peer.floats:                                                  # what is fixed to its base, Pinocchio leaves out
        mass = sum(I[5, 5] for I in robot.model.inertia[1:])
        assert_allclose(peer.pin.centerOfMass(peer.model, peer.data, peer.position(q)), centre_of_mass(robot.model, q),
                        **TOLERANCE)
        assert_allclose(peer.pin.computeTotalMass(peer.model), mass, **TOLERANCE)
    for record in robot.joints.values():
        if record.type in ("revolute", "prismatic"):
            joint = peer.model.joints[peer.model.getJointId(record.name)]
            assert peer.model.lowerPositionLimit[joint.idx_q] == record.lower
            assert peer.model.upperPositionLimit[joint.idx_q] == record.upper
            assert peer.model.upperVelocityLimit[joint.idx_v] == record.velocity


def test_pinocchio_reads_what_was_written(example, tmp_path):
    robot, _, q, qd, qdd = example
    path = tmp_path / "written.urdf"
    save_urdf(robot, path)
    again = quietly(read_urdf, path)
    peer = InPinocchio(path, again, floating_base=False)
    assert again.model.names == robot.model.names
    theirs = peer.pin.rnea(peer.model, peer.data, peer.position(q), peer.velocity(qd), peer.velocity(qdd))
    assert_allclose(rnea(robot.model, q, qd, qdd), theirs[peer.places()], **TOLERANCE)


# MuJoCo

class InMuJoCo:
    """An MJCF file in MuJoCo at our state (q, qd, qdd).

    B takes our velocities to MuJoCo's; they differ where a free joint has its linear velocity in world axes.
    """
    def __init__(self, path, robot, q, qd, qdd):
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data, self.B = mujoco.MjData(self.model), np.zeros((robot.model.nv, robot.model.nv))
        X, velocity_product = body_transforms(robot.model, q), np.zeros(robot.model.nv)
        records = [record for record in robot.joints.values() if record.type != "weld"]
        for k, record in enumerate(records):                         # both number the joints in the order of the file
            ours, place = q[robot.model.q_slice(record.body)], self.model.jnt_qposadr[k]
            s, v = robot.model.v_slice(record.body), self.model.jnt_dofadr[k]
            if record.type == "free":
                E, _ = X_to_Er(X[record.body])
                self.data.qpos[place:place + 7] = [*ours[4:], *ours[:4]]
                self.B[v:v + 3, s.start + 3:s.stop] = E.T
                self.B[v + 3:v + 6, s.start:s.start + 3] = np.eye(3)
                velocity_product[v:v + 3] = E.T @ np.cross(qd[s][:3], qd[s][3:])
            else:
                self.data.qpos[place:place + len(ours)] = ours + (record.reference or 0)
                self.B[v:v + s.stop - s.start, s] = np.eye(s.stop - s.start)
        self.data.qvel[:], self.data.qacc[:] = self.B @ qd, self.B @ qdd + velocity_product
        mujoco.mj_inverse(self.model, self.data)


@pytest.fixture(params=[(lump, seed) for lump in (False, True) for seed in range(4)],
                ids=lambda case: "lump {} seed {}".format(*case))
def mjcf_example(request):
    lump_fixed, seed = request.param
    robot = quietly(read_mjcf, DATA / "robot.xml", lump_fixed=lump_fixed)
    rng = np.random.default_rng(seed)
    q, qd = robot.model.random_state(rng)
    qdd = rng.normal(size=robot.model.nv)
    return robot, q, qd, qdd, InMuJoCo(DATA / "robot.xml", robot, q, qd, qdd)


def from_records(robot, q, qd, qdd, least=1):
    """The forces of armatures, dampers and springs, which `rnea` ignores and MuJoCo adds.

    least: of joints with as many freedoms, or more.
    """
    tau = np.zeros(robot.model.nv)
    for record in robot.joints.values():
        if record.body is not None and robot.model.joints[record.body].nv >= least:
            s = robot.model.v_slice(record.body)
            tau[s] += (record.armature or 0) * qdd[s] + (record.damping or 0) * qd[s]
            if record.stiffness:
                tau[s] += record.stiffness * (q[robot.model.q_slice(record.body)] - record.spring_reference)
    return tau


def test_mujoco_reads_the_same_joint_forces_and_inertia_matrix(mjcf_example):
    robot, q, qd, qdd, peer = mjcf_example
    tau = rnea(robot.model, q, qd, qdd) + from_records(robot, q, qd, qdd)
    assert_allclose(tau, peer.B.T @ peer.data.qfrc_inverse, **TOLERANCE)
    smooth = {i: replace(c, friction=0) for i, c in enumerate(robot.model.characters) if c}     # MuJoCo's is off here
    tau = rnea_with_characters(robot.model.replace(characters=smooth), q, qd, qdd) + from_records(robot, q, qd, qdd, 2)
    assert smooth and np.allclose(tau, peer.B.T @ peer.data.qfrc_inverse, **TOLERANCE)
    H, zero = np.zeros((robot.model.nv, robot.model.nv)), np.zeros(robot.model.nv)
    peer.mujoco.mj_fullM(peer.model, peer.data, H)
    armature = from_records(robot, q, zero, zero + 1) - from_records(robot, q, zero, zero)
    assert_allclose(inertia_matrix(robot.model, q) + np.diag(armature), peer.B.T @ H @ peer.B, **TOLERANCE)


def test_mujoco_puts_every_body_at_the_same_place_and_finds_the_same_limits(mjcf_example):
    robot, q, _, _, peer = mjcf_example
    at_start = peer.mujoco.MjData(peer.model)
    peer.mujoco.mj_kinematics(peer.model, at_start)
    for position, data in ((q, peer.data), (robot.q0, at_start)):
        for name, (R, p) in link_poses(robot, position).items():
            if not name.startswith("body ") and ":" not in name:
                body = peer.model.body(name).id
                assert_allclose(R.ravel(), data.xmat[body], err_msg=name, **TOLERANCE)
                assert_allclose(p, data.xpos[body], err_msg=name, **TOLERANCE)
    for k, record in enumerate(record for record in robot.joints.values() if record.type != "weld"):
        assert bool(peer.model.jnt_limited[k]) == (record.lower is not None)
        if record.lower is not None:
            limits = np.array([record.lower, record.upper]) + (record.reference or 0)
            assert_allclose(limits, peer.model.jnt_range[k], **TOLERANCE)


@pytest.mark.parametrize("inertia", ["legacy", "exact", "convex", "shell"])
def test_mujoco_gives_meshes_the_same_inertia_within_the_same_bounds(tmp_path, inertia):
    mujoco = pytest.importorskip("mujoco")
    write_meshes(tmp_path)
    for compiler in ("", 'boundmass="900" boundinertia="200" balanceinertia="true"'):
        path = write(tmp_path, f'''<mujoco><compiler {compiler}/><asset><mesh name="m" file="l.obj" inertia="{inertia}"
            scale="0.5 -1 2" refpos="1 2 3" refquat="1 2 3 4"/></asset><worldbody><body name="a"><joint/><geom
            type="mesh" mesh="m" density="300" pos="1 2 3" quat="4 3 2 1"/></body></worldbody></mujoco>''', "robot.xml")
        theirs, (m, c, I_C) = mujoco.MjModel.from_xml_path(str(path)), I_to_mcI(read_mjcf(path).model.inertia[1])
        axes = rotation_from_euler_parameters(theirs.body("a").iquat).T
        assert_allclose(m, theirs.body("a").mass[0], rtol=1e-6)                 # MuJoCo's meshes are of 32 bits
        assert_allclose(c, theirs.body("a").ipos, rtol=1e-6)
        assert_allclose(I_C, axes @ np.diag(theirs.body("a").inertia) @ axes.T, rtol=1e-6, atol=1e-6 * np.trace(I_C))


def test_mujoco_reads_a_urdf_file_as_the_same_robot():
    mujoco = pytest.importorskip("mujoco")
    robot = quietly(read_urdf, DATA / "tree.urdf", lump_fixed=True)
    model = mujoco.MjModel.from_xml_path(str(DATA / "tree.urdf"))
    model.opt.gravity[:] = robot.model.gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    q, qd, qdd = rng.normal(size=(3, 4))
    places = np.array([model.joint(robot.joint_of(i).name).dofadr[0] for i in robot.model.bodies])
    data.qpos[places], data.qvel[places], data.qacc[places] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    assert_allclose(rnea(robot.model, q, qd, qdd) + from_records(robot, q, qd, qdd), data.qfrc_inverse[places],
                    **TOLERANCE)
