"""The errata of RBDA 8.1-8.10: each by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from rbdlib.closed_loops import loop_constraints
from tests.sources.ch08_systems import four_bar
from tests.sources.helpers import close, far, turn


@pytest.mark.source("RBDA-8.22")
def test_the_k_stab_of_table_8_4_is_minus_that_of_equation_8_22():
    """An opened four-bar, released at rest: Eq. 8.21 with the k_stab of the table drives it further apart.

    The error e of the loop obeys T^T (a_s - a_p + ...) = K qdd - k, so that at rest its acceleration is K qdd - k.
    """
    system, T_stab = four_bar(np.random.default_rng(3)), 0.1
    q = system.q + np.array([1e-3, 0, 0])
    K, k, delta = loop_constraints(system.model, q, np.zeros(3))
    equation_8_22 = -delta / T_stab**2
    table_8_4 = delta / T_stab**2                       # 2 alpha T^T (v_s - v_p) + beta^2 delta, as printed there

    def opening(k_stab, dt=2e-3):
        """The change of the error in a short time in which the loop moves as Eq. 8.21 says."""
        qdd = np.linalg.lstsq(K, k + k_stab, rcond=1e-6)[0]
        return loop_constraints(system.model, q + dt * dt / 2 * qdd, dt * qdd)[2] - delta

    assert np.abs(delta).max() > 5e-4
    close(opening(equation_8_22) / 2e-6, equation_8_22, 1e-2)
    assert opening(equation_8_22) @ delta < 0 < opening(table_8_4) @ delta
    far(table_8_4, equation_8_22)
    close(loop_constraints(system.model, q, np.zeros(3), T_stab)[1], k + equation_8_22)      # what it subtracts


@pytest.mark.source("RBDA-X8.1")
def test_the_transform_of_a_cylindrical_joint_has_sines_and_cosines_in_its_lower_block():
    """The moment of a force, and the velocity at another point, by geometry: F_s turned by 0.7 and moved by 0.6."""
    theta, z = 0.7, 0.6
    E, r = turn(np.array([0.0, 0, 1]), theta).T, np.array([0, 0, z])
    c, s = np.cos(theta), np.sin(theta)
    upper = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    printed = np.array([[0, z, 0], [-z, 0, 0], [0, 0, 0]])
    corrected = np.array([[-z * s, z * c, 0], [-z * c, -z * s, 0], [0, 0, 0]])
    for v in np.eye(6):
        at_F_s = np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(v[:3], r))])
        close(np.block([[upper, np.zeros((3, 3))], [corrected, upper]]) @ v, at_F_s)
    v = np.array([1.0, 0, 0, 0, 0, 0])
    at_F_s = np.concatenate([E @ v[:3], E @ np.cross(v[:3], r)])
    far(np.block([[upper, np.zeros((3, 3))], [printed, upper]]) @ v, at_F_s)
    far(upper.T @ printed + printed.T @ upper, np.zeros((3, 3)))        # no transform between any two frames
    close(upper.T @ corrected + corrected.T @ upper, np.zeros((3, 3)))
