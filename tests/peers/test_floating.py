"""Floating bases, hybrid dynamics and a redundant arm, computed by Pinocchio as well, on models of `data/models`.

Pinocchio gets the model from numbers alone: positions, axes, masses. Its free joint has the linear part first and the
scalar of the quaternion last. Without Pinocchio this module is skipped.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import crba, forward_dynamics, load, rnea
from rbdlib.book import ch09_floating_base as floating_base
from rbdlib.book.ch02_spatial import I_to_mcI, X_to_Er, force_transform, xlt
from rbdlib.book.ch04_joints import FreeMotion
from rbdlib.book.ch04_kinematics import body_transforms
from rbdlib.book.ch09_hybrid import METHODS, hybrid_dynamics
from rbdlib.contact.balance import zero_moment_point
from rbdlib.dynamics import METHODS as FORWARD
from rbdlib.methods import floating_base as moved
from rbdlib.methods.centre_of_mass import total_mass
from rbdlib.methods.derivatives import centroidal_momentum_matrix
from rbdlib.motion.floating_momentum import base_velocity, floating_jacobian, floating_kinetic_energy, floating_momentum
from rbdlib.texts.mrn import task_space
from tests.peers.robots import depth_first

pin = pytest.importorskip("pinocchio", reason="`make test-peers` compares with Pinocchio")

SWAP = np.roll(np.eye(6), 3, axis=0)


class InPinocchio:
    """A floating model, or an arm, in Pinocchio, in a random state with random forces on all bodies.

    order[k]: the place in rbdlib's qd of Pinocchio's k-th variable.
    """
    def __init__(self, name, seed):
        rng, self.model = np.random.default_rng(seed), load(name)
        model, self.robot, self.place = self.model, pin.Model(), {0: (0, pin.SE3.Identity())}
        self.robot.gravity.linear = np.array(model.gravity)
        order = []
        for i in depth_first(model):
            (parent, shift), (E, r) = self.place[model.parent[i]], X_to_Er(model.X_tree[i])
            place, joint = shift * pin.SE3(E.T, r), model.joints[i]
            variables = np.arange(model.nv)[model.v_slice(i)]
            if joint.nv:
                free = isinstance(joint, FreeMotion)
                kind = pin.JointModelFreeFlyer() if free else pin.JointModelRevoluteUnaligned(joint.direction + 0.0)
                self.place[i] = self.robot.addJoint(parent, kind, place, model.names[i]), pin.SE3.Identity()
                order.extend(np.roll(variables, 3) if free else variables)
            else:
                self.place[i] = parent, place
            self.robot.appendBodyToJoint(self.place[i][0], pin.Inertia(*I_to_mcI(model.inertia[i])), self.place[i][1])
        assert sorted(order) == list(range(model.nv))
        self.order, self.data = np.array(order), self.robot.createData()
        self.q, self.qd = model.random_state(rng)
        self.tau, self.f_ext = rng.normal(size=model.nv), np.vstack([np.zeros(6), rng.normal(size=(model.N_B, 6))])
        self.position = self.q[self.order]
        if model.v_slice(1) == slice(0, 6):
            self.position = np.concatenate([self.q[4:7], self.q[1:4], self.q[:1], self.q[self.order[6:] + 1]])
            self.system = moved.to_floating_base(model)
            self.state = X, *_ = moved.to_floating_state(model, self.q, self.qd)
            self.gravity = moved.gravity_in_base(self.system, X)

    def __call__(self, function, *arguments):
        return getattr(pin, function)(self.robot, self.data, self.position, *arguments)

    def theirs(self, x):
        return x[self.order]

    def ours(self, x):
        return x[np.argsort(self.order)]

    def forces(self):
        """f_ext for Pinocchio: in the coordinates of its joints."""
        total = [np.zeros(6) for _ in range(self.robot.njoints)]
        for i, X in enumerate(body_transforms(self.model, self.q)[1:], start=1):
            k, place = self.place[i]
            total[k] += place.act(pin.Force(SWAP @ force_transform(X) @ self.f_ext[i])).vector
        return pin.StdVec_Force([pin.Force(f) for f in total])

    def accelerations(self):
        return self.ours(self("aba", self.theirs(self.qd), self.theirs(self.tau), self.forces()))

    def matrix(self):
        """H of all variables, in our order; of Pinocchio's only the upper triangle is defined."""
        upper, back = np.triu(self("crba")), np.argsort(self.order)
        return (upper + np.triu(upper, 1).T)[np.ix_(back, back)]

    def forces_at_base(self):
        """f_ext in floating-base coordinates, the force of joint 1 among that on the base."""
        f = self.f_ext[1:] @ force_transform(self.state[0]).T
        f[0] += self.tau[:6]
        return f


@pytest.fixture(params=[(name, seed) for name in ("satellite_arm", "jumping_lamp", "solo12") for seed in range(3)],
                ids="{0[0]} seed {0[1]}".format)
def peer(request):
    return InPinocchio(*request.param)


def close(found, expected, digits=10):
    expected = np.asarray(expected)
    assert_allclose(found, expected, rtol=0, atol=10.0**-digits * max(1, np.abs(expected).max(initial=0)))


def test_pinocchio_gives_the_same_accelerations(peer):
    close(moved.by_floating_aba(peer.model, peer.q, peer.qd, peer.tau, peer.f_ext), peer.accelerations())


@pytest.mark.parametrize("name", ["g1", "solo12"])
def test_pinocchio_gives_the_same_accelerations_of_a_whole_robot_by_every_method(name):
    """A humanoid of 35 freedoms and a quadruped."""
    peer = InPinocchio(name, 7)
    theirs = peer.accelerations()
    allowed = 1e-14 * np.linalg.cond(crba(peer.model, peer.q)) * np.abs(theirs).max()
    for method in set(FORWARD) - {"armstrong"}:
        qdd = forward_dynamics(peer.model, peer.q, peer.qd, peer.tau, peer.f_ext, method)
        assert_allclose(qdd, theirs, rtol=0, atol=allowed, err_msg=method)


@pytest.mark.parametrize("name", ["g1", "solo12"])
def test_pinocchio_gives_the_same_zero_moment_point_of_a_motion(name):
    """From the rate of its centroidal momentum; ours from the first six numbers of inverse dynamics, at the trunk."""
    peer = InPinocchio(name, 8)
    tau = rnea(peer.model, peer.q, peer.qd, peer.tau)                       # peer.tau: any accelerations
    rate = peer("computeCentroidalMomentumTimeVariation", peer.theirs(peer.qd), peer.theirs(peer.tau))
    f = rate.linear - total_mass(peer.model) * np.array(peer.model.gravity)
    wrench = body_transforms(peer.model, peer.q)[1].T @ tau[:6]
    close(wrench, [*rate.angular + np.cross(peer.data.com[0], f), *f])
    close(centroidal_momentum_matrix(peer.model, peer.q) @ peer.qd, np.roll(peer.data.hg.vector, 3))
    lean = np.cross(np.cross(peer.data.com[0], f) + rate.angular, [0, 0, 1])
    close(zero_moment_point(wrench), [*-lean[:2] / f[2], 0])


def test_pinocchio_gives_the_same_forces_and_acceleration_of_the_base(peer):
    """The joint forces that make the accelerations, and what the base does meanwhile (RBDA Table 9.6)."""
    qdd, (_, v_0, q, qd) = peer.accelerations(), peer.state
    f_ext = peer.forces_at_base()
    a_0, tau = floating_base.floating_inverse_dynamics(peer.system, q, qd, qdd[6:], v_0, peer.gravity, f_ext)
    close(a_0, qdd[:6])
    close(tau, peer.tau[6:])


def test_pinocchio_gives_the_same_equation_of_motion(peer):
    """The matrix and the bias force of Eq. 9.13, and what is left when the base is eliminated by NumPy."""
    _, v_0, q, qd = peer.state
    matrix, bias = floating_base.floating_equation(peer.system, q, qd, v_0, peer.gravity)
    H, C = peer.matrix(), peer.ours(peer("nonLinearEffects", peer.theirs(peer.qd)))
    close(matrix, H)
    close(bias, C)
    H_fl, C_fl = floating_base.floating_joint_space(peer.system, q, qd, v_0, peer.gravity)
    taken = np.linalg.solve(H[:6, :6], np.column_stack([H[:6, 6:], C[:6]]))
    close(H_fl, H[6:, 6:] - H[6:, :6] @ taken[:, :-1])
    close(C_fl, C[6:] - H[6:, :6] @ taken[:, -1])


def test_pinocchio_gives_the_same_momentum_and_energy(peer):
    """About its centre of mass, in the axes of the reference frame."""
    X, v_0, q, qd = peer.state
    h = X.T @ floating_momentum(peer.system, q, qd, v_0)
    theirs = peer("computeCentroidalMomentum", peer.theirs(peer.qd))
    close(h, [*theirs.angular + np.cross(peer.data.com[0], theirs.linear), *theirs.linear])
    close(floating_kinetic_energy(peer.system, q, qd, v_0), peer("computeKineticEnergy", peer.theirs(peer.qd)))


def test_without_momentum_the_base_moves_as_pinocchio_says(peer):
    """v_0 and, from it, every body's velocity are what makes Pinocchio's momentum vanish."""
    _, _, q, qd = peer.state
    A = peer("computeCentroidalMap")[:, np.argsort(peer.order)]
    v_0 = -np.linalg.solve(A[:, :6], A[:, 6:] @ qd)
    close(base_velocity(peer.system, q, qd), v_0)
    still = np.concatenate([v_0, qd])
    assert np.abs(peer("computeCentroidalMomentum", peer.theirs(still)).vector).max() < 1e-10
    peer("forwardKinematics", peer.theirs(still))
    E, r = X_to_Er(peer.state[0])
    base = pin.SE3(E.T, r)
    for i, (k, _) in list(peer.place.items())[1:]:
        v = SWAP @ base.actInv(peer.data.oMi[k].act(peer.data.v[k])).vector
        close(floating_jacobian(peer.system, q, i - 1) @ qd, v)


@pytest.mark.parametrize("method", list(METHODS))
def test_hybrid_dynamics_finds_what_pinocchio_does_not_need_to_be_told(method, peer):
    """Pinocchio's accelerations at some joints, and the forces at the others: the missing halves come back."""
    model, qdd, rng = peer.model, peer.accelerations(), np.random.default_rng(9)
    for prescribed in ([1], [2], [i for i in model.bodies if rng.random() < 0.5]):
        known, forces = qdd.copy(), peer.tau.copy()
        for i in model.bodies:
            (forces if i in prescribed else known)[model.v_slice(i)] = np.nan
        found = hybrid_dynamics(model, peer.q, peer.qd, known, forces, prescribed, peer.f_ext, method)
        close(found[0], qdd, 9)
        close(found[1], peer.tau, 9)


def test_pinocchio_gives_the_panda_the_same_task_space():
    """J, Lambda and the projector N at the flange, in axes of the base."""
    peer, P = InPinocchio("panda", 31), np.array([0, 0, 0.107])
    flange = peer.robot.addFrame(pin.Frame("flange", 7, 0, pin.SE3(np.eye(3), P), pin.FrameType.OP_FRAME))
    peer.data = peer.robot.createData()
    J = SWAP @ peer("computeFrameJacobian", flange, pin.LOCAL_WORLD_ALIGNED)
    H_inv_Jt = np.linalg.solve(peer.matrix(), J.T)
    Lambda = np.linalg.inv(J @ H_inv_Jt)
    seen = task_space.task_dynamics(peer.model, peer.q, peer.qd, task_space.Task(X_tip=xlt(P), frame="hybrid"))
    close(seen.J, J)
    close(seen.Lambda, Lambda)
    close(seen.null_space(), np.eye(7) - J.T @ Lambda @ H_inv_Jt.T)
