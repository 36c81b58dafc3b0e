"""Closed loops on a spanning tree: every loop joint, the three methods, redundant constraints, other scalars, mistakes.

What the book says about them is tested in tests/sources/test_rbda_ch08.py.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib.assembly import assemble
from rbdlib.closed_loops import METHODS, forward_dynamics, loop_constraints
from tests.sources.ch03_systems import EVERY_JOINT, parallelogram, parallelogram_acceleration, random_loop


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joint", EVERY_JOINT, ids=str)
def test_loops_of_every_joint_move_as_the_assembled_equation_says(joint, method):
    rng = np.random.default_rng(3)
    model, q, qd = random_loop(rng, joint)
    tau, f_ext = rng.normal(size=model.nv), {2: rng.normal(size=6), 5: rng.normal(size=6)}
    qdd, _ = forward_dynamics(model, q, qd, tau, f_ext, method)
    expected = assemble(model, q, qd, tau, f_ext).qdd
    assert_allclose(qdd, expected, atol=1e-9 * np.abs(expected).max())
    assert np.abs(loop_constraints(model, q, qd)[2]).max(initial=0) < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_a_parallelogram_with_redundant_constraints_moves_as_its_energy_says(method):
    model, angle, torque = parallelogram(), 0.8, 2.5
    qdd, _ = forward_dynamics(model, [angle, -angle, angle], [0.0, 0, 0], [torque, 0, 0], method=method)
    assert_allclose(qdd, np.array([1, -1, 1]) * parallelogram_acceleration(angle, torque), atol=1e-10)
