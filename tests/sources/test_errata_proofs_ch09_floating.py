"""The errata of RBDA 9.3-9.5: each by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI, plucker
from rbdlib.book.ch04_joints import FreeMotion, Revolute
from rbdlib.book.ch09_floating_base import floating_crba, floating_equation, floating_joint_space
from rbdlib.methods.floating_base import to_floating_base
from tests.sources.helpers import random_mass_properties, random_pose


@pytest.mark.source("RBDA-S9.3-8")
def test_the_dense_matrix_is_smaller_than_the_whole_equation_and_not_than_h():
    """Stars of hinged arms on a floating base: H_fl has the size of H, and outgrows the larger matrix of Eq. 9.13."""
    for n in (5, 14, 15, 24):
        rng = np.random.default_rng(n)
        places = [plucker(R.T, p) for R, p in (random_pose(rng) for _ in range(n))]
        bodies = [mcI(*random_mass_properties(rng)) for _ in range(n + 1)]
        joints = [FreeMotion(), *[Revolute("z")] * n]
        system = to_floating_base(Model([0, *[1] * n], joints, [np.eye(6), *places], bodies))
        q, qd, v_0 = rng.normal(size=n), rng.normal(size=n), rng.normal(size=6)
        H, _, _ = floating_crba(system, q)
        H_fl, _ = floating_joint_space(system, q, qd, v_0, (0, 0, 0))
        matrix, _ = floating_equation(system, q, qd, v_0, (0, 0, 0))
        nonzeros, large, all_of_H = (int((np.abs(A) > 1e-12).sum()) for A in (H_fl, matrix, H))
        assert nonzeros > all_of_H
        assert not H_fl.size < H.size                                       # as printed: despite being smaller than H
        assert H_fl.size < matrix.size                                      # as corrected
        assert (nonzeros > large) == (n >= 15)
