"""Trees of every joint type that Pinocchio or MuJoCo has too, computed by all three programs.

The others get plain data and not rbdlib's matrices; without them the tests are skipped. Where their
variables differ from rbdlib's, a matrix A leads from one to the other: their velocities are A qd, so that their
accelerations are A qdd + bias, and rbdlib's forces are Aᵀ times theirs.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag

from rbdlib import crba, forward_dynamics, rnea
from rbdlib.book import ch04_joints as kinds, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import classical_acceleration, crm
from rbdlib.book.ch04_joints import Cylindrical, FreeMotion, Planar, Prismatic, Reversed, Revolute, Spherical, Universal
from rbdlib.conventions import swap_halves
from rbdlib.dynamics import METHODS
from rbdlib.methods.centre_of_mass import centre_of_mass, potential_energy
from rbdlib.methods.joint_space import inertia_matrix
from rbdlib.numbers.validation import EULER_SEQUENCES
from tests.peers.robots import depth_first, numbers
from tests.sources.helpers import cross_matrix, random_unit, slope
from tests.sources.joints import UNITS, Mechanism, joint_pose

OBLIQUE = (1, -2, 3)
#: Joints that both programs have, those that only Pinocchio has, those that only MuJoCo has.
SHARED = [
    Revolute("x"), Revolute(OBLIQUE), Prismatic("y"), Prismatic(OBLIQUE), Cylindrical("z"), Cylindrical(OBLIQUE),
    Planar(), Planar("F_s"), Spherical(), FreeMotion(), FreeMotion("F_s"), Universal("xy"), Universal("zx"),
    *(kinds.Euler(sequence) for sequence in EULER_SEQUENCES),
    *map(Reversed, (Revolute("y"), Prismatic(OBLIQUE), Cylindrical("x"), Spherical(), FreeMotion(), Universal("yz"),
                    kinds.Euler("xyz"), kinds.Euler("zxz")))]
HELICAL = [kinds.Helical(0.3, "x"), kinds.Helical(-0.7, OBLIQUE), Reversed(kinds.Helical(0.4, "z"))]
GROUPS = 4
TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}


# The variables of a joint in the words of the other programs

def unit(axis):
    axis = np.array(UNITS.get(axis, axis) if isinstance(axis, str) else axis, dtype=float)
    return axis / np.linalg.norm(axis)


def steps(joint, q):
    """The turns, slides and screws a joint consists of, outward from the parent: pairs (kind, axis), and their values;
    None if it is none of these."""
    kind = type(joint)
    if kind is Reversed:
        inner = steps(joint.joint, q)
        return inner and (inner[0][::-1], -inner[1][::-1])
    if kind in (kinds.Euler, Universal):
        return [("turn", UNITS[letter]) for letter in joint.sequence], q
    made_of = {Revolute: ["turn"], Prismatic: ["slide"], kinds.Helical: ["screw"], Cylindrical: ["turn", "slide"],
               kinds.Fixed: []}
    return ([(step, unit(joint.axis)) for step in made_of[kind]], q) if kind in made_of else None


def pitch(joint):
    return joint.joint.pitch if isinstance(joint, Reversed) else joint.pitch


def signs(joint):
    """A of a joint that consists of steps: the identity, or its mirror image times -1 for a reversed joint."""
    return -np.eye(joint.nv)[::-1] if isinstance(joint, Reversed) else np.eye(joint.nv)


def pose_and_velocity(joint, q):
    """The pose of a ball, planar or free joint, and the matrix from qd to its velocity (6) in body axes."""
    inner = joint.joint if isinstance(joint, Reversed) else joint
    R, p = joint_pose(inner, q)
    rows = {Spherical: [0, 1, 2], Planar: [2, 3, 4], FreeMotion: range(6)}[type(inner)]
    B = np.eye(6)[:, rows]
    if inner is joint:
        return (R, p), B
    to_parent = np.block([[R, np.zeros((3, 3))], [cross_matrix(p) @ R, R]])
    return (R.T, -R.T @ p), -to_parent @ B


def quaternion(R):
    """Euler parameters (scalar first) of a rotation matrix, by the eigenvector that they are."""
    K = np.array([[np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
                  [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
                  [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
                  [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]]])
    return np.linalg.eigh(K, UPLO="U")[1][:, -1]


class Peer:
    """A mechanism in another program, in the state (q, qd, qdd) of rbdlib's variables."""
    def __init__(self, mechanism, q, qd, qdd):
        self.mechanism, self.model = mechanism, mechanism.model()
        self.q, self.qd, self.qdd = q, qd, qdd
        self.order = depth_first(self.model)
        positions, blocks, biases = zip(*(self.translate(i) for i in self.order), strict=True)
        columns = np.concatenate([np.arange(self.model.nv)[self.model.v_slice(i)] for i in self.order])
        A = block_diag(*blocks)
        self.A = np.empty_like(A)
        self.A[:, columns] = A
        self.position, self.bias = np.concatenate(positions), np.concatenate(biases)
        self.build()

    def translate(self, i):
        """The position variables of joint i, its part of A, and of the bias."""
        joint, q, qd = self.model.joints[i], self.q[self.model.q_slice(i)], self.qd[self.model.v_slice(i)]
        made_of = steps(joint, q)
        if made_of is not None:
            return made_of[1], signs(joint), np.zeros(joint.nv)
        pose, B = pose_and_velocity(joint, q)
        return self.translate_pose(i, type(getattr(joint, "joint", joint)), pose, B, B @ qd)

    def states(self):
        return self.position, self.A @ self.qd, self.A @ self.qdd + self.bias


# Pinocchio: linear part first, body axes, quaternions with the scalar last, planar position (x, y, cos, sin)

class InPinocchio(Peer):
    joints = SHARED + HELICAL

    def translate_pose(self, i, kind, pose, B, v):
        (R, p), B = pose, np.roll(B, 3, axis=0)
        xyzw = np.roll(quaternion(R), -1)
        position = {Spherical: xyzw, Planar: [*p[:2], R[0, 0], R[1, 0]], FreeMotion: [*p, *xyzw]}[kind]
        rows = {Spherical: [3, 4, 5], Planar: [0, 1, 5], FreeMotion: range(6)}[kind]
        return np.array(position), B[rows], np.zeros(len(rows))

    def build(self):
        self.pin = pin = pytest.importorskip("pinocchio")
        self.robot, self.number = pin.Model(), {0: 0}
        self.robot.gravity.linear = self.mechanism.gravity
        for i in self.order:
            parent, place = self.number[self.model.parent[i]], pin.SE3(*self.mechanism.places[i - 1])
            joint = self.pinocchio_joint(self.model.joints[i], self.q[self.model.q_slice(i)])
            self.number[i] = self.robot.addJoint(parent, joint, place, f"joint {i}")
            self.robot.appendBodyToJoint(self.number[i], pin.Inertia(*self.mechanism.bodies[i - 1]), pin.SE3.Identity())
        self.data = self.robot.createData()
        assert self.robot.check(self.data)
        position, velocity, acceleration = self.states()
        pin.computeAllTerms(self.robot, self.data, position, velocity)
        pin.forwardKinematics(self.robot, self.data, position, velocity, acceleration)

    def pinocchio_joint(self, joint, q):
        pin, made_of = self.pin, steps(joint, q)
        if made_of is None:
            kind = type(getattr(joint, "joint", joint))
            return {Spherical: pin.JointModelSpherical, Planar: pin.JointModelPlanar,
                    FreeMotion: pin.JointModelFreeFlyer}[kind]()
        makers = {"turn": pin.JointModelRevoluteUnaligned, "slide": pin.JointModelPrismaticUnaligned,
                  "screw": lambda axis: pin.JointModelHelicalUnaligned(axis, pitch(joint))}
        if isinstance(joint, Universal):
            return pin.JointModelUniversal(*(axis for _, axis in made_of[0]))
        if joint == kinds.Euler("zyx"):
            return pin.JointModelSphericalZYX()
        parts = [makers[kind](axis) for kind, axis in made_of[0]]
        if len(parts) == 1:
            return parts[0]
        composite = pin.JointModelComposite()
        for part in parts:
            composite.addJoint(part, pin.SE3.Identity())
        return composite

    def tau(self, f_ext):
        forces = self.pin.StdVec_Force()
        forces.extend([self.pin.Force.Zero()] * (self.model.N_B + 1))
        for i in self.model.bodies:
            world_force = self.pin.Force(swap_halves(f_ext[i]))
            forces[self.number[i]] = self.data.oMi[self.number[i]].actInv(world_force)
        return self.A.T @ self.pin.rnea(self.robot, self.data, *self.states(), forces)

    def inertia_matrix(self):
        H = np.triu(np.reshape(self.data.M, (self.robot.nv, self.robot.nv)))
        return self.A.T @ (H + np.triu(H, 1).T) @ self.A

    def velocity(self, i):
        return swap_halves(self.data.v[self.number[i]].vector)

    def acceleration(self, i):
        return swap_halves(self.data.a[self.number[i]].vector)

    def classical_acceleration(self, i):
        frame = self.pin.ReferenceFrame.LOCAL
        return swap_halves(self.pin.getClassicalAcceleration(self.robot, self.data, self.number[i], frame).vector)

    def jacobian(self, i):
        J = self.pin.getJointJacobian(self.robot, self.data, self.number[i], self.pin.ReferenceFrame.LOCAL)
        return np.roll(np.reshape(J, (6, self.robot.nv)), 3, axis=0) @ self.A

    def energies(self):
        return self.data.kinetic_energy, self.data.potential_energy

    def centre_of_mass(self):
        return self.data.com[0]

    def momentum(self):
        h = self.pin.computeCentroidalMomentum(self.robot, self.data)
        return np.concatenate([h.angular + np.cross(self.data.com[0], h.linear), h.linear])


# MuJoCo: quaternions with the scalar first; a free joint's linear velocity is in world axes, and no body but a child of
# the world can have one: elsewhere three slides and a ball do the same


class InMuJoCo(Peer):
    joints = [*SHARED, kinds.Fixed(), kinds.Fixed()]

    def translate_pose(self, i, kind, pose, B, v):
        (R, p), spin = pose, np.cross(v[:3], v[3:])
        if kind is Spherical:
            return quaternion(R), B[:3], np.zeros(3)
        if kind is Planar:
            A = np.vstack([(R @ B[3:])[:2], B[2]])
            return np.array([*p[:2], np.arctan2(R[1, 0], R[0, 0])]), A, np.array([*(R @ spin)[:2], 0])
        if self.model.parent[i] == 0:
            R_T, p_T = self.mechanism.places[i - 1]
            R, p = R_T @ R, p_T + R_T @ p
        A = np.vstack([R @ B[3:], B[:3]])
        return np.concatenate([p, quaternion(R)]), A, np.concatenate([R @ spin, np.zeros(3)])

    def build(self):
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        gravity = numbers(self.mechanism.gravity)
        xml = (f'<mujoco><compiler angle="radian"/><option gravity="{gravity}"><flag energy="enable"/></option>'
               f"<worldbody>{self.branches(0)}</worldbody></mujoco>")
        self.robot = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.robot)
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = self.states()
        mujoco.mj_inverse(self.robot, self.data)
        mujoco.mj_energyPos(self.robot, self.data)
        mujoco.mj_energyVel(self.robot, self.data)
        mujoco.mj_subtreeVel(self.robot, self.data)
        mujoco.mj_rnePostConstraint(self.robot, self.data)

    def branches(self, i):
        return "".join(self.body(j) + self.branches(j) + "</body>" for j in self.model.mu(i))

    def body(self, i):
        (R, p), (m, c, I) = self.mechanism.places[i - 1], self.mechanism.bodies[i - 1]
        moments = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        return (f'<body name="{i}" pos="{numbers(p)}" xyaxes="{numbers([*R[:, 0], *R[:, 1]])}">'
                f'<inertial pos="{numbers(c)}" mass="{m:.17g}" fullinertia="{moments}"/>{self.mujoco_joints(i)}')

    def mujoco_joints(self, i):
        joint = self.model.joints[i]
        made_of = steps(joint, self.q[self.model.q_slice(i)])
        if made_of is None:
            slides, ball = [("slide", UNITS[letter]) for letter in "xyz"], '<joint type="ball"/>'
            kind = type(getattr(joint, "joint", joint))
            if kind is Spherical:
                return ball
            if kind is Planar:
                return self.mujoco_steps([*slides[:2], ("turn", UNITS["z"])])
            return "<freejoint/>" if self.model.parent[i] == 0 else self.mujoco_steps(slides) + ball
        return self.mujoco_steps(made_of[0])

    def mujoco_steps(self, made_of):
        names = {"turn": "hinge", "slide": "slide"}
        return "".join(f'<joint type="{names[kind]}" axis="{numbers(axis)}"/>' for kind, axis in made_of)

    def number(self, i):
        return self.robot.body(str(i)).id

    def axes(self, i):
        return self.data.xmat[self.number(i)].reshape(3, 3)

    def jacobian_at(self, i, point):
        """The Jacobian of body i in world axes with the given reference point, for MuJoCo's variables."""
        J = np.zeros((6, self.robot.nv))
        self.mujoco.mj_jac(self.robot, self.data, J[3:], J[:3], point, self.number(i))
        return J

    def tau(self, f_ext):
        forces = sum(self.jacobian_at(i, np.zeros(3)).T @ f_ext[i] for i in self.model.bodies)
        return self.A.T @ (self.data.qfrc_inverse - forces)

    def inertia_matrix(self):
        H = np.zeros((self.robot.nv, self.robot.nv))
        self.mujoco.mj_fullM(self.robot, self.data, H)
        return self.A.T @ H @ self.A

    def local(self, function, i):
        vector = np.zeros(6)
        function(self.robot, self.data, self.mujoco.mjtObj.mjOBJ_XBODY, self.number(i), vector, 1)
        return vector

    def velocity(self, i):
        return self.local(self.mujoco.mj_objectVelocity, i)

    def classical_acceleration(self, i):
        upward = np.concatenate([np.zeros(3), self.axes(i).T @ self.mechanism.gravity])
        return self.local(self.mujoco.mj_objectAcceleration, i) + upward

    def acceleration(self, i):
        v = self.velocity(i)
        return self.classical_acceleration(i) - np.concatenate([np.zeros(3), np.cross(v[:3], v[3:])])

    def jacobian(self, i):
        J = self.jacobian_at(i, self.data.xpos[self.number(i)])
        return block_diag(self.axes(i).T, self.axes(i).T) @ J @ self.A

    def energies(self):
        return self.data.energy[1], self.data.energy[0]

    def centre_of_mass(self):
        return self.data.subtree_com[0]

    def momentum(self):
        linear = sum(m for m, _, _ in self.mechanism.bodies) * self.data.subtree_linvel[0]
        return np.concatenate([self.data.subtree_angmom[0] + np.cross(self.data.subtree_com[0], linear), linear])


# The comparisons

def cases():
    """Every joint of a program stands in one of the random trees with the same seed, and alone."""
    for program in (InPinocchio, InMuJoCo):
        module = {InPinocchio: "pinocchio", InMuJoCo: "mujoco"}[program]
        for seed in range(3):
            rng = np.random.default_rng([seed, 53])
            for k, group in enumerate(np.array_split(rng.permutation(len(program.joints)), GROUPS)):
                chosen = [program.joints[j] for j in group]
                yield pytest.param((program, chosen, seed), id=f"{module} tree {seed}.{k}")
        yield from (pytest.param((program, [joint], 7), id=f"{module} {joint}") for joint in program.joints if joint.nv)


@pytest.fixture(params=cases())
def peer(request):
    program, joints, seed = request.param
    pytest.importorskip({InPinocchio: "pinocchio", InMuJoCo: "mujoco"}[program])
    rng = np.random.default_rng(seed)
    mechanism = Mechanism(rng, joints)
    model = mechanism.model()
    q, qd = model.random_state(rng)
    return program(mechanism, q, qd, rng.normal(size=model.nv))


def test_joint_forces_and_inertia_matrix(peer):
    f_ext = np.random.default_rng(1).normal(size=(peer.model.N_B + 1, 6))
    assert_allclose(rnea(peer.model, peer.q, peer.qd, peer.qdd), peer.tau(0 * f_ext), **TOLERANCE)
    assert_allclose(rnea(peer.model, peer.q, peer.qd, peer.qdd, f_ext), peer.tau(f_ext), **TOLERANCE)
    for function in (inertia_matrix, crba):
        assert_allclose(function(peer.model, peer.q), peer.inertia_matrix(), **TOLERANCE)


def test_accelerations(peer):
    """The other program's joint forces cause the accelerations for which it computed them, whatever the method."""
    f_ext = np.random.default_rng(2).normal(size=(peer.model.N_B + 1, 6))
    condition = np.linalg.cond(peer.inertia_matrix())
    for method in set(METHODS) - {"armstrong", "aba_unit_columns"}:
        qdd = forward_dynamics(peer.model, peer.q, peer.qd, peer.tau(f_ext), f_ext, method)
        assert_allclose(qdd, peer.qdd, rtol=0, atol=1e-12 * condition, err_msg=method)


@pytest.mark.parametrize(("seed", "n", "branched"), [(1, 3, True), (2, 12, True), (3, 30, True), (4, 30, False),
                                                     (5, 100, False), (6, 100, True)])
def test_accelerations_of_large_trees_and_of_chains_whose_inertia_matrix_is_badly_conditioned(seed, n, branched):
    """No more than rounding lies between the programs."""
    rng = np.random.default_rng([seed, n])
    joints = [kind(tuple(random_unit(rng))) for kind in rng.choice([Revolute, Revolute, Prismatic], n)]
    mechanism = Mechanism(rng, joints, None if branched else range(n))
    model, (q, qd, tau) = mechanism.model(), rng.normal(size=(3, n))
    peer = InPinocchio(mechanism, q, qd, 0 * qd)
    theirs = peer.A.T @ peer.pin.aba(peer.robot, peer.data, peer.position, peer.A @ qd, peer.A @ tau)
    allowed = 1e-13 * np.linalg.cond(crba(model, q)) * np.abs(theirs).max()
    for method in set(METHODS) - {"armstrong", "aba_unit_columns"}:
        qdd = forward_dynamics(model, q, qd, tau, method=method)
        assert_allclose(qdd, theirs, rtol=0, atol=allowed, err_msg=method)


def test_velocities_accelerations_and_jacobians(peer):
    """The derivative of the Jacobian has to explain the rest of the other program's acceleration."""
    model, q, qd, qdd = peer.model, peer.q, peer.qd, peer.qdd
    v, a = kinematics.body_velocities(model, q, qd), kinematics.body_accelerations(model, q, qd, qdd)
    for i in model.bodies:
        J, J_dot = peer.jacobian(i), kinematics.body_jacobian_dot(model, q, qd, i)
        assert_allclose(v[i], peer.velocity(i), **TOLERANCE)
        assert_allclose(a[i], peer.acceleration(i), **TOLERANCE)
        assert_allclose(classical_acceleration(a[i], v[i]), peer.classical_acceleration(i), **TOLERANCE)
        assert_allclose(kinematics.body_jacobian(model, q, i), J, **TOLERANCE)
        assert_allclose(J_dot @ qd, peer.acceleration(i) - J @ qdd, **TOLERANCE)


def test_derivatives_of_jacobians(peer):
    """The other program's Jacobians, differentiated numerically along the motion; v × J more, as vectors turn along.

    Pinocchio's getJointJacobianTimeVariation (4.1) is no witness: it differs for joints whose S changes with q.
    """
    model, qd = peer.model, peer.qd

    def jacobians(t):
        later = type(peer)(peer.mechanism, model.integrate(peer.q, qd, t), qd, peer.qdd)
        return np.array([later.jacobian(i) for i in model.bodies])

    for i, rate in zip(model.bodies, slope(jacobians, h=3e-3), strict=True):
        J_dot = kinematics.body_jacobian_dot(model, peer.q, qd, i)
        assert_allclose(J_dot, rate + crm(peer.velocity(i)) @ peer.jacobian(i), rtol=1e-9, atol=1e-9)


def test_energies_momentum_and_centre_of_mass(peer):
    model, q, qd = peer.model, peer.q, peer.qd
    kinetic, potential = peer.energies()
    assert_allclose(kinematics.kinetic_energy(model, q, qd), kinetic, **TOLERANCE)
    assert_allclose(potential_energy(model, q), potential, **TOLERANCE)
    assert_allclose(centre_of_mass(model, q), peer.centre_of_mass(), **TOLERANCE)
    assert_allclose(kinematics.momentum(model, q, qd), peer.momentum(), **TOLERANCE)
