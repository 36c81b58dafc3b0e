"""The errata of RBDA chapter 8: each by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.book.ch04_joints import Cylindrical
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.book.ch08_loop_joints import loop_jcalc
from rbdlib.loops.coordinates import actuation, inverse_dynamics
from tests.sources.ch08_systems import four_bar
from tests.sources.helpers import close, cluster_inertia, far, random_cluster, slope, smooth_motion, velocity
from tests.sources.test_rbda_ch08_coordinates import Figure83, compliant, reach


@pytest.mark.source("RBDA-8.22")
def test_the_k_stab_of_table_8_4_is_minus_that_of_equation_8_22():
    """An opened four-bar, released at rest: Eq. 8.21 with the k_stab of the table drives it further apart. The error e
    of the loop obeys T^T (a_s - a_p + ...) = K qdd - k, so that at rest its acceleration is K qdd - k."""
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
    """The moment of a force, and the velocity at another point, by geometry: F_s turned by 0.7 and moved by 0.6. The
    position error that follows, of F_s displaced by d, is the printed one."""
    theta, z, zero = 0.7, 0.6, np.zeros((3, 3))
    c, s, r = np.cos(theta), np.sin(theta), np.array([0, 0, z])
    upper = E = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    printed = np.array([[0, z, 0], [-z, 0, 0], [0, 0, 0]])
    corrected = np.array([[-z * s, z * c, 0], [-z * c, -z * s, 0], [0, 0, 0]])
    X_printed, X_J = (np.block([[upper, zero], [lower, upper]]) for lower in (printed, corrected))
    at_F_s = np.column_stack([np.concatenate([E @ v[:3], E @ (v[3:] + np.cross(v[:3], r))]) for v in np.eye(6)])
    close(X_J, at_F_s)
    far(X_printed, at_F_s)
    far(upper.T @ printed + printed.T @ upper, zero)            # no transform between any two frames
    close(upper.T @ corrected + corrected.T @ upper, zero)
    d1, d2, d4, d5 = d = 1e-5 * np.array([1, -2, 3, 1.5])
    X = (np.eye(6) - crm(np.array([d1, d2, 0, d4, d5, 0]))) @ X_J
    close([X[1, 2], -X[0, 2], X[4, 2], -X[3, 2]], d, 1e-15)
    close(loop_jcalc(Cylindrical(), X).delta, d, 1e-15)


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
    (masses, positions), pose = random_cluster(rng), smooth_motion(rng)

    def inertia(t):
        R, p = pose(t)
        return cluster_inertia(masses, positions @ R.T + p)

    I, v, a = inertia(0), velocity(pose), slope(lambda t: velocity(pose, t))
    force = slope(lambda t: inertia(t) @ velocity(pose, t))
    close(I @ a + crf(v) @ I @ v, force, 1e-8)
    far(I @ a + crm(v) @ I @ v, force)
