"""The errata of RBDA 8.12 and 8.13: the printed form fails in a computation, and the corrected one holds."""

import numpy as np
import pytest

from rbdlib.loop_coordinates import actuation, inverse_dynamics
from rbdlib.spatial import crf, crm, mcI
from tests.sources.helpers import close, far, mass_properties, random_cluster, slope, smooth_motion, velocity
from tests.sources.test_rbda_ch08_coordinates import Figure83, compliant, reach


@pytest.mark.source("RBDA-X8.2")
def test_an_actuator_at_joint_2_or_3_does_not_do_at_a_dead_centre():
    """Beside joint 4, joint 1 always does; joint 2 fails where cos y1 = l2/l1, joint 3 where sin y1 = 0."""
    figure = Figure83(np.random.default_rng(82))
    model, yd, ydd = figure.model(), np.array([0.7, -0.4]), np.array([1.0, 2.0])
    dead = {1: [np.arccos(figure.l2 / figure.l1), -np.arccos(figure.l2 / figure.l1)], 2: [0.0, np.pi], 0: []}
    for joint, angles in dead.items():
        for y_1 in (0.0, np.pi, *dead[1], 0.9, -2.0):
            y = np.array([y_1, 0.5])
            q, qd, qdd = compliant(figure, y, yd, ydd)
            printed, corrected = 2, 1 if y_1 in angles else 2
            G_u = figure.way(y)[0][[joint, 3]]
            assert np.linalg.matrix_rank(G_u, 1e-9) == reach(model, q, qd, [joint, 3]) == corrected
            assert actuation(model, q, [joint, 3]).rank == corrected
            if corrected != printed:
                with pytest.raises(ValueError, match="cannot give these accelerations"):
                    inverse_dynamics(model, q, qd, qdd, [joint, 3])


@pytest.mark.source("RBDA-8.64")
def test_the_bias_force_of_the_sparse_equation_has_the_cross_product_of_forces():
    """The scan has v × I v for v ×* I v: with it f = I a + v × I v would not be the rate of change of momentum."""
    rng = np.random.default_rng(864)
    cluster = random_cluster(rng)
    pose, (masses, positions) = smooth_motion(rng), cluster

    def momentum(t):
        R, p = pose(t)
        v = velocity(pose, t)
        points = positions @ R.T + p
        linear = masses[:, None] * (v[3:] + np.cross(v[:3], points))
        return np.concatenate([np.cross(points, linear).sum(axis=0), linear.sum(axis=0)])

    R, p = pose(0)
    m, c, I_C = mass_properties(masses, positions)
    I, v, a = mcI(m, p + R @ c, R @ I_C @ R.T), velocity(pose), slope(lambda t: velocity(pose, t))
    force = slope(momentum)
    close(I @ a + crf(v) @ I @ v, force, 1e-8)
    far(I @ a + crm(v) @ I @ v, force)
