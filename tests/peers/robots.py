"""One robot of a URDF text at a random state, in rbdlib and in the programs that read the text: fixtures for tests."""

import numpy as np
import pytest

from rbdlib import bias_force, crba, rnea
from rbdlib.book import ch04_kinematics as kinematics
from rbdlib.conventions import state_to
from rbdlib.io import read_urdf
from tests.io.helpers import quietly

INERTIA = 'ixx="0.4" ixy="0.03" ixz="-0.02" iyy="0.5" iyz="0.04" izz="0.6"'
PLACES = {"torso": "0.1 0.2 0.3", "left": "0 -0.1 0.1", "leftfoot": "0.05 0 0", "right": "-0.2 0 0.1", "arm": "0 0 0.2"}
JOINTS = [("a", "revolute", "torso", "left", "1 0 0"), ("b", "prismatic", "left", "leftfoot", "0 0.6 0.8"),
          ("c", "continuous", "torso", "right", "0 0 1"), ("d", "revolute", "right", "arm", "0.6 0 0.8")]


def robot_text(joints=JOINTS, links=tuple(PLACES)):
    """A floating torso with two branches, turned and shifted frames, and inertias without symmetry."""
    text = [f'<link name="{link}"><inertial><origin xyz="{PLACES[link]}" rpy="0.3 -0.2 0.5"/><mass value="{k + 1.5}"/>'
            f"<inertia {INERTIA}/></inertial></link>" for k, link in enumerate(links)]
    text += [f'<joint name="{name}" type="{kind}"><origin xyz="0.3 {k} 0.1" rpy="{k} 0.4 -0.7"/>'
             f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
             f'<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
             for k, (name, kind, parent, child, axis) in enumerate(joints)]
    return f'<robot name="r">{"".join(text)}</robot>'


class Ours:
    """rbdlib's model of the text, at a random state."""
    def __init__(self, tmp_path, seed):
        rng, path = np.random.default_rng(seed), tmp_path / "robot.urdf"
        path.write_text(robot_text())
        self.path, self.robot = path, quietly(read_urdf, path, floating_base=True)
        self.model = self.robot.model
        self.q, self.qd = self.model.random_state(rng)
        self.qdd, self.f_ext = rng.normal(size=self.model.nv), rng.normal(size=(self.model.N_B + 1, 6))
        self.f_ext[0] = 0
        self.X = kinematics.body_transforms(self.model, self.q)
        self.tau = rnea(self.model, self.q, self.qd, self.qdd)
        self.tau_ext = rnea(self.model, self.q, self.qd, self.qdd, self.f_ext)
        self.H, self.C = crba(self.model, self.q), bias_force(self.model, self.q, self.qd)

    def state(self):
        return self.model, self.q, self.qd, self.qdd

    def body(self, i):
        return self.model.names[i]


@pytest.fixture(params=range(3), ids="seed {}".format)
def ours(request, tmp_path):
    return Ours(tmp_path, request.param)


def depth_first(model, i=0):
    """The bodies outboard of body i, each branch to its end before the next one begins."""
    return [body for child in model.mu(i) for body in (child, *depth_first(model, child))]


def numbers(values):
    return " ".join(f"{x:.17g}" for x in values)


def by_name(ours, names):
    """Our bodies in the order in which a program has the joints of these names."""
    body = {name: record.body for name, record in ours.robot.joints.items()}
    return [1, *(body[name] for name in names if name in body)]


@pytest.fixture
def pinocchio(ours):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(ours.path), pin.JointModelFreeFlyer())
    order = by_name(ours, model.names)
    circular = [i for i in order if ours.robot.joint_of(i) and ours.robot.joint_of(i).type == "continuous"]
    state = state_to("pinocchio", *ours.state(), ours.tau, order=order, circular=circular)
    return pin, model, model.createData(), order, circular, state


@pytest.fixture
def mujoco_robot(ours):
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_string(ours.path.read_text())
    spec.compiler.fusestatic = False
    torso = spec.worldbody.first_body()
    torso.add_freejoint()
    model = spec.compile()
    order = by_name(ours, [model.joint(k).name for k in range(1, model.njnt)])
    state = state_to("mujoco", *ours.state(), ours.tau, order=order)
    data = mujoco.MjData(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data.qpos[:], data.qvel[:], data.qacc[:] = state.q, state.qd, state.qdd
    mujoco.mj_forward(model, data)
    data.qacc[:] = state.qdd
    mujoco.mj_inverse(model, data)
    return mujoco, model, data, order, state


def in_drake(path):
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    pytest.importorskip("pydrake.multibody.parsing").Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant


@pytest.fixture
def drake(ours):
    plant = in_drake(ours.path)
    names = sorted(ours.robot.joints, key=lambda name: plant.GetJointByName(name).velocity_start())
    order = by_name(ours, names)
    state, context = state_to("drake", *ours.state(), ours.tau, order=order), plant.CreateDefaultContext()
    plant.SetPositions(context, state.q)
    plant.SetVelocities(context, state.qd)
    return plant, context, order, state
