"""Derivatives of the dynamics, centroidal momentum and the regressor, computed by Pinocchio as well.

Its derivatives along its tangents become rbdlib's by the matrix A of `test_joint_types` on either side, where A is
constant. They are compared for joints whose S is constant only: Pinocchio 4.1 differentiates no S, so that for cross
joints and Euler angles its derivatives and its Coriolis matrix are not those of its own forces. There, and for reversed
joints, those forces are differentiated numerically instead. Without Pinocchio this module is skipped.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib.book.ch04_joints import Euler, FreeMotion, Planar, Reversed, Spherical
from rbdlib.book.ch05_inverse_dynamics import generalized_gravity
from rbdlib.methods import derivatives
from tests.sources.helpers import slope
from tests.sources.joints import Mechanism

pytest.importorskip("pinocchio", reason="`make test-peers` compares with Pinocchio")
from tests.peers.test_joint_types import HELICAL, SHARED, InPinocchio, depth_first

TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}
EVERY = SHARED + HELICAL
#: Joints whose S is constant; a Universal is an Euler too.
STEADY = [joint for joint in EVERY if not isinstance(getattr(joint, "joint", joint), Euler)
          and not (isinstance(joint, Reversed) and isinstance(joint.joint, Spherical | FreeMotion | Planar))]
GROUPS = 4


def trees(joints):
    """Every joint stands in one of the random trees with the same seed."""
    for seed in range(3):
        rng = np.random.default_rng([seed, 59])
        for k, group in enumerate(np.array_split(rng.permutation(len(joints)), GROUPS)):
            yield pytest.param(([joints[j] for j in group], seed), id=f"tree {seed}.{k}")


def twice(joints):
    yield from (pytest.param(([joint, joint], 7), id=f"{joint} twice") for joint in joints)


def made(joints, seed):
    rng = np.random.default_rng(seed)
    mechanism = Mechanism(rng, joints)
    model = mechanism.model()
    q, qd = model.random_state(rng)
    return InPinocchio(mechanism, q, qd, rng.normal(size=model.nv))


@pytest.fixture(params=[*trees(STEADY), *twice(STEADY)])
def peer(request):
    return made(*request.param)


@pytest.fixture(params=[*trees(EVERY), *twice(EVERY)])
def any_peer(request):
    return made(*request.param)


def test_slopes_of_their_joint_forces(any_peer):
    """Differences of Pinocchio's inverse dynamics, under external forces, along rbdlib's tangents and velocities."""
    peer, (q, qd, n) = any_peer, (any_peer.q, any_peer.qd, any_peer.model.nv)
    rng = np.random.default_rng(2)
    f_ext, e = rng.normal(size=(peer.model.N_B + 1, 6)), rng.normal(size=n)
    dtau_dq, dtau_dqd, _ = derivatives.rnea_derivatives(peer.model, q, qd, peer.qdd, f_ext)

    def tau(q, qd):
        return InPinocchio(peer.mechanism, q, qd, peer.qdd).tau(f_ext)

    by_q = slope(lambda s: tau(peer.model.integrate(q, e, s), qd), h=1e-3)
    by_qd = slope(lambda s: tau(q, qd + s * e), h=1e-3)
    assert_allclose(dtau_dq @ e, by_q, rtol=1e-8, atol=1e-8 * max(1, np.abs(by_q).max()))
    assert_allclose(dtau_dqd @ e, by_qd, rtol=1e-8, atol=1e-8 * max(1, np.abs(by_qd).max()))


def test_derivatives_of_inverse_dynamics_and_coriolis_matrix(peer):
    theirs = peer.pin.computeRNEADerivatives(peer.robot, peer.data, *peer.states())
    ours = derivatives.rnea_derivatives(peer.model, peer.q, peer.qd, peer.qdd)
    for mine, other in zip(ours[:2], theirs[:2], strict=True):
        assert_allclose(mine, peer.A.T @ other @ peer.A, **TOLERANCE)
    assert_allclose(ours[2], peer.inertia_matrix(), **TOLERANCE)
    C = peer.pin.computeCoriolisMatrix(peer.robot, peer.data, *peer.states()[:2])
    assert_allclose(derivatives.coriolis_matrix(peer.model, peer.q, peer.qd), peer.A.T @ C @ peer.A, **TOLERANCE)


def test_derivatives_of_forward_dynamics(peer):
    """Our qdd are A⁻¹ theirs, and their forces are A⁻ᵀ ours."""
    position, velocity, _ = peer.states()
    tau = np.linalg.solve(peer.A.T, peer.qdd)
    dqdd_dq, dqdd_dqd, inverse = peer.pin.computeABADerivatives(peer.robot, peer.data, position, velocity, tau)
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    A_inv = np.linalg.inv(peer.A)
    ours = derivatives.aba_derivatives(peer.model, peer.q, peer.qd, peer.qdd)
    for mine, other in zip(ours, (A_inv @ dqdd_dq @ peer.A, A_inv @ dqdd_dqd @ peer.A, A_inv @ inverse @ A_inv.T),
                           strict=True):
        assert_allclose(mine, other, rtol=1e-8, atol=1e-8 * max(1, np.abs(other).max()))


def test_centroidal_momentum_matrix(any_peer):
    peer = any_peer
    theirs = peer.pin.ccrba(peer.robot, peer.data, *peer.states()[:2])
    ours = derivatives.centroidal_momentum_matrix(peer.model, peer.q)
    assert_allclose(ours, np.roll(theirs, 3, axis=0) @ peer.A, **TOLERANCE)


def test_their_joint_forces_contain_the_coriolis_forces(any_peer):
    peer = any_peer
    bias = InPinocchio(peer.mechanism, peer.q, peer.qd, 0 * peer.qdd).tau(np.zeros((peer.model.N_B + 1, 6)))
    C = derivatives.coriolis_matrix(peer.model, peer.q, peer.qd)
    assert_allclose(C @ peer.qd + generalized_gravity(peer.model, peer.q), bias, **TOLERANCE)


def test_regressor(any_peer):
    peer = any_peer
    theirs = peer.A.T @ peer.pin.computeJointTorqueRegressor(peer.robot, peer.data, *peer.states())
    ours = derivatives.regressor(peer.model, peer.q, peer.qd, peer.qdd)
    for k, i in enumerate(depth_first(peer.model)):
        assert_allclose(ours[:, 10 * (i - 1) : 10 * i], theirs[:, 10 * k : 10 * (k + 1)], **TOLERANCE)
        assert_allclose(derivatives.parameters(peer.model)[10 * (i - 1) : 10 * i],
                        peer.robot.inertias[peer.number[i]].toDynamicParameters(), **TOLERANCE)
