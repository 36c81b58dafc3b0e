"""Mechanisms with loops, computed by Pinocchio and by MuJoCo as well.

Pinocchio gets random trees of hinges and sliders with welds and ball joints that close loops, from the same plain data
as rbdlib; their bodies are numbered depth-first, as it needs. MuJoCo gets the mechanisms of `data/models`, whose loops
its constraint "connect" closes: a point of one body stays on a point of another. Without the programs these tests are
skipped.
"""

from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag, null_space, orth

from rbdlib import crba, load
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, mcI, plucker
from rbdlib.book.ch04_joints import Fixed, FreeMotion, Spherical
from rbdlib.book.ch04_model import LoopJoint
from rbdlib.book.ch08_closed_loops import bias_with_loop_forces, loop_constraints
from rbdlib.loops.closing import close_loops
from rbdlib.loops.dynamics import METHODS, by_loop_constraints
from rbdlib.loops.sparse_method import by_sparse_equation as sparse_dynamics
from tests.peers.robots import depth_first, numbers
from tests.peers.test_joint_types import steps
from tests.sources.helpers import random_pose, random_tree
from tests.sources.joints import joint_pose

#: How many variables a loop must have that it can move.
LONG_ENOUGH = {Fixed: 8, Spherical: 5}
PLANAR = ["crank_slider", "five_bar", "four_bar", "parallelogram", "scissor_lift"]


def same_rows(A, B, tolerance=1e-9):
    """Whether two matrices have the same row space: that of each is met by the projector of the other."""
    P, Q = (space @ space.T for space in (orth(A.T, tolerance), orth(B.T, tolerance)))
    assert_allclose(P, Q, atol=tolerance)


class Linkage:
    """A random tree with loops in Pinocchio and in rbdlib, in a state in which they are closed."""
    def __init__(self, seed, joints, n=16):
        self.pin = pin = pytest.importorskip("pinocchio")
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, n, depth_first_parents(rng, n))
        bare, self.robot = tree.model(), pin.Model()
        assert depth_first(bare) == list(bare.bodies)
        self.robot.gravity.linear = tree.gravity
        makers = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
        for i in bare.bodies:
            joint, place = makers[tree.kinds[i - 1]](tree.axes[i - 1]), pin.SE3(*tree.poses[i - 1])
            self.robot.addJoint(bare.parent[i], joint, place, f"joint {i}")
            self.robot.appendBodyToJoint(i, pin.Inertia(*tree.bodies[i - 1]), pin.SE3.Identity())
        self.data = self.robot.createData()
        self.q, qd, self.tau = rng.normal(size=(3, n))
        pin.framesForwardKinematics(self.robot, self.data, self.q)
        loops, self.constraints, self.parts = [], pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for joint in joints:
            p, s = random_ends(rng, bare, LONG_ENOUGH[type(joint)])
            kind = pin.ContactType.CONTACT_6D if isinstance(joint, Fixed) else pin.ContactType.CONTACT_3D
            place_p, world = pin.SE3(*random_pose(rng)), self.data.oMi
            turn = np.eye(3) if isinstance(joint, Fixed) else random_pose(rng)[0]
            place_s = world[s].actInv(world[p]) * place_p * pin.SE3(turn, np.zeros(3))
            self.constraints.append(pin.RigidConstraintModel(kind, self.robot, p, place_p, s, place_s, pin.LOCAL))
            loops.append(LoopJoint(p, s, joint, *(plucker(place.rotation.T, place.translation)
                                                  for place in (place_p, place_s))))
        self.model = bare.replace(loops=loops)
        pin.computeJointJacobians(self.robot, self.data, self.q)
        for constraint in self.constraints:
            self.parts.append(constraint.createData())
            constraint.calc(self.robot, self.data, self.parts[-1])
        self.J = pin.getConstraintsJacobian(self.robot, self.data, self.constraints, self.parts)
        self.qd = (free := null_space(self.J)) @ free.T @ qd


def depth_first_parents(rng, n):
    """The parents of a random tree whose bodies are numbered along one branch to its end before the next begins.

    The first branch has enough bodies for any loop.
    """
    parents, path = [], [0]
    for i in range(1, n + 1):
        if i > max(LONG_ENOUGH.values()):
            path = path[: max(1, len(path) - int(rng.choice([0, 0, 1, 3, 5])))]
        parents.append(path[-1])
        path.append(i)
    return parents


def random_ends(rng, model, length):
    """Two bodies, of which the first may be the base, with at least so many joints between them."""
    kappa = [set(), *(set(model.kappa(i)) for i in model.bodies)]
    ends = [(p, s) for s in model.bodies for p in range(s) if len(kappa[p] ^ kappa[s]) >= length]
    return ends[rng.integers(len(ends))]


LOOPS = [[Fixed()], [Spherical()], [Spherical(), Fixed()], [Spherical()] * 3]


@pytest.fixture(params=[(seed, joints) for joints in LOOPS for seed in range(4)],
                ids=lambda case: f"seed {case[0]} " + " ".join(map(str, case[1])))
def linkage(request):
    return Linkage(*request.param)


def test_pinocchio_gives_the_same_constraints(linkage):
    K, _, delta = loop_constraints(linkage.model, linkage.q, linkage.qd)
    assert np.abs(delta).max() < 1e-12 and np.abs(K @ linkage.qd).max() < 1e-11
    same_rows(K, linkage.J)


def test_pinocchio_gives_the_same_accelerations_and_loop_forces(linkage):
    """The forces are what the loops add to the joint forces of the tree, by Pinocchio's equation of its motion."""
    pin, model, state = linkage.pin, linkage.model, (linkage.q, linkage.qd)
    of_loops = linkage.constraints, linkage.parts
    pin.initConstraintDynamics(linkage.robot, linkage.data, *of_loops)
    theirs = np.array(pin.constraintDynamics(linkage.robot, linkage.data, *state, linkage.tau, *of_loops,
                                             pin.ProximalSettings(1e-14, 1e-10, 200)))
    forces = pin.rnea(linkage.robot, linkage.data, *state, theirs) - linkage.tau
    K, allowed = loop_constraints(model, *state)[0], 1e-8 * np.abs(theirs).max()
    for method in METHODS:
        qdd, lam = by_loop_constraints(model, *state, linkage.tau, method=method)
        assert_allclose(qdd, theirs, atol=allowed, err_msg=method)
        assert_allclose(K.T @ lam, forces, atol=1e-7 * np.abs(forces).max(), err_msg=method)
    assert_allclose(sparse_dynamics(model, *state, linkage.tau).qdd, theirs, atol=allowed)
    rows = orth(K.T)
    assert_allclose(rows @ (rows.T @ forces), forces, atol=1e-8 * np.abs(forces).max())


class InMuJoCo:
    """A mechanism of `data/models` in MuJoCo; A leads from our velocities to MuJoCo's."""
    def __init__(self, name, seed):
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        rng, self.ours = np.random.default_rng(seed), load(name)
        rods = [I + mcI(0, [0, 0, 0], 1e-3 * np.eye(3)) for I in self.ours.inertia[1:]]     # MuJoCo wants no thin ones
        self.ours = model = self.ours.replace(inertia=rods)
        q, self.qd = model.neutral(), rng.normal(size=model.nv)
        self.q = close_loops(model, model.integrate(q, 0.3 * rng.normal(size=model.nv), 1.0))
        ends = [f'<connect site1="p{l}" site2="s{l}"/>' for l in range(model.N_L)]
        self.parts = {i: self.joint(i) for i in model.bodies}
        xml = (f'<mujoco><compiler angle="radian"/><option jacobian="dense" gravity="{numbers(model.gravity)}"/>'
               f"<worldbody>{self.sites(0)}{self.branches(0)}</worldbody><equality>{''.join(ends)}</equality></mujoco>")
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        bodies = depth_first(model)
        self.data.qpos[:] = np.concatenate([self.parts[i][1] for i in bodies])
        order = np.concatenate([np.arange(model.nv)[model.v_slice(i)] for i in bodies])
        self.A = block_diag(*(self.parts[i][2] for i in bodies)) @ np.eye(model.nv)[order]
        self.data.qvel[:] = self.A @ self.qd
        mujoco.mj_forward(self.model, self.data)

    def joint(self, i):
        """The joint of body i in MuJoCo's words, its positions, and its part of A."""
        joint, q = self.ours.joints[i], self.q[self.ours.q_slice(i)]
        if isinstance(joint, FreeMotion):
            R, _ = joint_pose(joint, q)
            A = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
            return "<freejoint/>", np.concatenate([q[4:], q[:4]]), A
        kinds, values = steps(joint, q)
        names = {"turn": "hinge", "slide": "slide"}
        text = "".join(f'<joint type="{names[kind]}" axis="{numbers(axis)}"/>' for kind, axis in kinds)
        return text, values, np.eye(joint.nv)

    def branches(self, i):
        return "".join(self.body(j) + self.branches(j) + "</body>" for j in self.ours.mu(i))

    def body(self, i):
        (E, r), (m, c, I) = X_to_Er(self.ours.X_tree[i]), I_to_mcI(self.ours.inertia[i])
        moments = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        return (f'<body name={quoteattr(self.ours.names[i])} pos="{numbers(r)}" xyaxes="{numbers([*E[0], *E[1]])}">'
                f'<inertial pos="{numbers(c)}" mass="{m:.17g}" fullinertia="{moments}"/>{self.parts[i][0]}'
                + self.sites(i))

    def sites(self, i):
        """The points of body i at which loops are closed."""
        return "".join(f'<site name="{end}{l}" pos="{numbers(X_to_Er(X)[1])}"/>'
                       for l, loop in enumerate(self.ours.loops)
                       for end, body, X in (("p", loop.predecessor, loop.X_P), ("s", loop.successor, loop.X_S))
                       if body == i)


@pytest.fixture(params=[(name, seed) for name in [*PLANAR, "stewart_platform"] for seed in range(3)],
                ids="{0[0]} seed {0[1]}".format)
def mechanism(request):
    return InMuJoCo(*request.param)


def test_mujoco_gives_the_same_constraints_of_the_models(mechanism):
    """Of planar loops MuJoCo has no row for the axes of the hinges, and the third row of each point is zero."""
    n = mechanism.data.nefc
    J = mechanism.data.efc_J.reshape(-1, mechanism.ours.nv)[:n] @ mechanism.A
    assert n == 3 * mechanism.ours.N_L
    same_rows(loop_constraints(mechanism.ours, mechanism.q, mechanism.qd)[0], J, 1e-7)


def test_mujoco_gives_the_same_equation_of_the_tree(mechanism):
    model, M = mechanism.ours, np.zeros((mechanism.ours.nv,) * 2)
    mechanism.mujoco.mj_fullM(mechanism.model, mechanism.data, M)
    H, A = crba(model, mechanism.q), mechanism.A
    assert_allclose(A.T @ M @ A, H, atol=1e-10 * np.abs(H).max())
    if not isinstance(model.joints[1], FreeMotion):                 # whose A changes with time
        C = bias_with_loop_forces(model, mechanism.q, mechanism.qd)
        assert_allclose(A.T @ mechanism.data.qfrc_bias, C, atol=1e-9 * np.abs(C).max())
