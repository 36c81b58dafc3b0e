"""Random trees of hinges and sliders, computed by Pinocchio and by MuJoCo as well.

Neither program is part of the project's environment: without them these tests are skipped, and say so. Both get the
tree from the same plain data as rbdlib does, so that a mistake in rbdlib's transforms or inertias cannot hide.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import crba, forward_dynamics, kinematics, load, rnea
from rbdlib.conventions import swap_halves
from rbdlib.forward import METHODS
from rbdlib.inertia_matrix import inertia_matrix
from rbdlib.spatial import I_to_mcI, X_to_Er, force_transform
from tests.sources.helpers import random_tree

TREES = [(seed, n) for n in (1, 2, 4, 7, 12) for seed in range(5)]
TOLERANCE = {"rtol": 1e-11, "atol": 1e-11}


@pytest.fixture(params=TREES, ids=lambda tree: "seed {} bodies {}".format(*tree))
def example(request):
    """A tree, its model and a state (q, qd, qdd)."""
    seed, n = request.param
    rng = np.random.default_rng([seed, n])
    tree = random_tree(rng, n)
    return tree, tree.model(), *rng.normal(size=(3, n)), np.vstack([np.zeros(6), rng.normal(size=(n, 6))])


def depth_first(model, i=0):
    """The bodies outboard of body i, each branch to its end before the next one begins."""
    return [body for child in model.mu(i) for body in (child, *depth_first(model, child))]


# Pinocchio: linear part first; joints must be added depth-first, or its inertia matrix is silently wrong


class InPinocchio:
    """A tree as Pinocchio's model; ``order[k]`` is the place in rbdlib's vectors of Pinocchio's k-th variable."""

    def __init__(self, tree, model):
        self.pin = pin = pytest.importorskip("pinocchio")
        self.model, self.joint = pin.Model(), {0: 0}
        self.model.gravity.linear = tree.gravity
        hinge, slider = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
        for i in depth_first(model):
            R, p = tree.poses[i - 1]
            joint = (hinge if tree.kinds[i - 1] == "revolute" else slider)(tree.axes[i - 1])
            self.joint[i] = self.model.addJoint(self.joint[model.parent[i]], joint, pin.SE3(R, p), f"joint {i}")
            self.model.appendBodyToJoint(self.joint[i], pin.Inertia(*tree.bodies[i - 1]), pin.SE3.Identity())
        self.data, self.order = self.model.createData(), np.array(depth_first(model)) - 1
        assert self.model.check(self.data)

    def __call__(self, function, *states, **options):
        return getattr(self.pin, function)(self.model, self.data, *(x[self.order] for x in states), **options)

    def in_our_order(self, x):
        result = np.empty(len(self.order))
        result[self.order] = x
        return result


def test_pinocchio_gives_the_same_joint_forces(example):
    tree, model, q, qd, qdd, _ = example
    peer = InPinocchio(tree, model)
    assert_allclose(rnea(model, q, qd, qdd), peer.in_our_order(peer("rnea", q, qd, qdd)), **TOLERANCE)


def test_pinocchio_gives_the_same_joint_forces_under_external_forces(example):
    """Pinocchio takes external forces in body coordinates, with the linear part first."""
    tree, model, q, qd, qdd, f_ext = example
    peer = InPinocchio(tree, model)
    forces = peer.pin.StdVec_Force()
    forces.extend([peer.pin.Force.Zero()] * (model.N_B + 1))
    for i, X in enumerate(kinematics.body_transforms(model, q)):
        forces[peer.joint[i]] = peer.pin.Force(swap_halves(force_transform(X) @ f_ext[i]))
    order = peer.order
    theirs = peer.pin.rnea(peer.model, peer.data, q[order], qd[order], qdd[order], forces)
    assert_allclose(rnea(model, q, qd, qdd, f_ext), peer.in_our_order(theirs), **TOLERANCE)


def test_pinocchio_gives_the_same_inertia_matrix(example):
    """Only the upper triangle of Pinocchio's matrix is defined."""
    tree, model, q, *_ = example
    peer = InPinocchio(tree, model)
    H = np.triu(np.reshape(peer("crba", q), (model.nv, model.nv)))
    for function in (inertia_matrix, crba):
        ours = function(model, q)[np.ix_(peer.order, peer.order)]
        assert_allclose(np.triu(ours), H, **TOLERANCE)


@pytest.mark.parametrize(("seed", "n", "branched"), [(1, 3, True), (2, 12, True), (3, 30, True), (4, 30, False),
                                                     (5, 100, False), (6, 100, True)])
def test_pinocchio_gives_the_same_accelerations(seed, n, branched):
    """Trees, and chains whose inertia matrix is badly conditioned: no more than rounding lies between the programs."""
    rng = np.random.default_rng([seed, n])
    tree = random_tree(rng, n, None if branched else range(n))
    model, (q, qd, tau) = tree.model(), rng.normal(size=(3, n))
    peer = InPinocchio(tree, model)
    theirs = peer.in_our_order(peer("aba", q, qd, tau))
    H = crba(model, q)
    allowed = 1e-13 * np.linalg.cond(H) * np.abs(theirs).max()
    for method in set(METHODS) - {"armstrong", "aba_unit_columns"}:
        qdd = forward_dynamics(model, q, qd, tau, method=method)
        assert_allclose(qdd, theirs, rtol=0, atol=allowed, err_msg=method)


@pytest.mark.parametrize("name", ["g1", "solo12"])
def test_pinocchio_gives_the_same_accelerations_of_a_robot_that_floats(name):
    """A humanoid of 35 freedoms and a quadruped; the base's variables are Pinocchio's in another order."""
    pin, model, rng = pytest.importorskip("pinocchio"), load(name), np.random.default_rng(7)
    robot, number = pin.Model(), {0: 0}
    robot.gravity.linear = np.array(model.gravity)
    order = np.concatenate([[3, 4, 5, 0, 1, 2], *(model.v_slice(i).start + np.arange(model.joints[i].nv)
                                                  for i in depth_first(model)[1:])]).astype(int)
    for i in depth_first(model):
        parent, (E, r) = number[model.parent[i]], X_to_Er(model.X_tree[i])
        place, inertia = pin.SE3(E.T, r), pin.Inertia(*I_to_mcI(model.inertia[i]))
        if model.joints[i].nv:
            axis = getattr(model.joints[i], "direction", None)
            joint = pin.JointModelFreeFlyer() if axis is None else pin.JointModelRevoluteUnaligned(axis + 0.0)
            number[i], place = robot.addJoint(parent, joint, place, model.names[i]), pin.SE3.Identity()
        else:
            assert not model.mu(i)
            number[i] = parent
        robot.appendBodyToJoint(number[i], inertia, place)
    q, qd = model.random_state(rng)
    tau, position = rng.normal(size=model.nv), np.concatenate([q[4:7], q[1:4], q[:1], q[order[6:] + 1]])
    theirs = np.empty(model.nv)
    theirs[order] = pin.aba(robot, robot.createData(), position, qd[order], tau[order])
    allowed = 1e-14 * np.linalg.cond(crba(model, q)) * np.abs(theirs).max()
    for method in set(METHODS) - {"armstrong"}:
        qdd = forward_dynamics(model, q, qd, tau, method=method)
        assert_allclose(qdd, theirs, rtol=0, atol=allowed, err_msg=method)


def test_pinocchio_gives_the_same_body_velocities(example):
    tree, model, q, qd, *_ = example
    peer = InPinocchio(tree, model)
    peer("forwardKinematics", q, qd)
    for i, v in enumerate(kinematics.body_velocities(model, q, qd)):
        assert_allclose(v, swap_halves(peer.data.v[peer.joint[i]].vector), **TOLERANCE)


# MuJoCo: bodies are numbered depth-first, spatial velocities have the angular part first


class InMuJoCo:
    """A tree as MuJoCo's model at the state (q, qd, qdd); ``order`` as for Pinocchio."""

    def __init__(self, tree, model, q, qd, qdd):
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        self.tree, self.order = tree, np.array(depth_first(model)) - 1
        xml = (f'<mujoco><compiler angle="radian"/><option gravity="{numbers(tree.gravity)}"/>'
               f"<worldbody>{self.branches(model, 0)}</worldbody></mujoco>")
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = (x[self.order] for x in (q, qd, qdd))
        mujoco.mj_inverse(self.model, self.data)

    def branches(self, model, i):
        return "".join(self.body(j) + self.branches(model, j) + "</body>" for j in model.mu(i))

    def body(self, i):
        (R, p), (m, c, I) = self.tree.poses[i - 1], self.tree.bodies[i - 1]
        moments = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        kind = "hinge" if self.tree.kinds[i - 1] == "revolute" else "slide"
        return (f'<body name="{i}" pos="{numbers(p)}" xyaxes="{numbers([*R[:, 0], *R[:, 1]])}">'
                f'<inertial pos="{numbers(c)}" mass="{m:.17g}" fullinertia="{moments}"/>'
                f'<joint type="{kind}" axis="{numbers(self.tree.axes[i - 1])}"/>')


def numbers(values):
    return " ".join(f"{x:.17g}" for x in values)


def test_mujoco_gives_the_same_joint_forces(example):
    tree, model, q, qd, qdd, _ = example
    peer = InMuJoCo(tree, model, q, qd, qdd)
    assert_allclose(rnea(model, q, qd, qdd)[peer.order], peer.data.qfrc_inverse, **TOLERANCE)


def test_mujoco_gives_the_same_inertia_matrix(example):
    tree, model, q, qd, qdd, _ = example
    peer = InMuJoCo(tree, model, q, qd, qdd)
    H = np.zeros((model.nv, model.nv))
    peer.mujoco.mj_fullM(peer.model, peer.data, H)
    assert_allclose(inertia_matrix(model, q)[np.ix_(peer.order, peer.order)], H, **TOLERANCE)


def test_mujoco_gives_the_same_body_velocities(example):
    tree, model, q, qd, qdd, _ = example
    peer = InMuJoCo(tree, model, q, qd, qdd)
    peer.mujoco.mj_fwdVelocity(peer.model, peer.data)
    for i, v in enumerate(kinematics.body_velocities(model, q, qd)[1:], start=1):
        theirs = np.zeros(6)
        body = peer.model.body(str(i)).id
        peer.mujoco.mj_objectVelocity(peer.model, peer.data, peer.mujoco.mjtObj.mjOBJ_XBODY, body, theirs, 1)
        assert_allclose(v, theirs, **TOLERANCE)
