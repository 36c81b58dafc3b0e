"""The erratum of RBDA 10.2: the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from rbdlib import aba, crba, load
from tests.sources.test_rbda_ch10 import TAU_A, ZIGZAG, planar_mass_matrix


@pytest.mark.source("RBDA-S10.2-3")
def test_the_first_acceleration_of_the_robot_with_rounded_forces_is_0_6592():
    """H is that of the levers of the links; its condition number, 725, leaves 12 digits of its solution right."""
    corrected = [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705]
    printed, H = [0.6952, *corrected[1:]], planar_mass_matrix(range(6), ZIGZAG)
    qdd, model = np.linalg.solve(H, TAU_A), load("zigzag_chain")
    assert np.abs(crba(model, ZIGZAG) - H).max() < 1e-13
    assert np.abs(aba(model, ZIGZAG, np.zeros(6), TAU_A) - qdd).max() < 1e-12

    assert np.abs(qdd - corrected).max() < 5e-5                         # all six agree as printed, but for the first
    assert abs(qdd[0] - printed[0]) > 0.03
    # and the forces tell: to three figures, as good as the accelerations are known, only the corrected ones fit
    assert np.abs(H @ corrected - TAU_A).max() < 5e-3
    assert np.abs(H @ printed - TAU_A).max() > 1
