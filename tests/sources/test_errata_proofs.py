"""Each erratum of data/errata.csv by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest

from rbdlib import Model
from rbdlib.book import ch02_spatial as spatial
from rbdlib.book.ch04_joints import Prismatic
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.methods.screws import screw_of_motion
from tests.sources.helpers import close, random_rotation, random_tree, slope


@pytest.mark.source("RBDA-S2.5-2")
def test_a_free_vector_passes_the_printed_line_vector_test():
    rng = np.random.default_rng(252)
    translation = np.concatenate([np.zeros(3), rng.normal(size=3)])
    s, s_O = translation[:3], translation[3:]
    assert s @ s_O == 0
    assert np.linalg.matrix_rank(-spatial.skew(s)) < np.linalg.matrix_rank(np.column_stack([-spatial.skew(s), s_O])), \
        "OP × s = s_O would have a solution P, so the printed line would exist"
    assert screw_of_motion(translation).kind == "free"

    s = rng.normal(size=3)
    s_O = np.cross(s, rng.normal(size=3))
    P = np.cross(s, s_O) / (s @ s)
    close(np.cross(P, s), s_O)
    for t in rng.normal(size=3):
        close(spatial.point_velocity(np.concatenate([s, s_O]), P + t * s), np.zeros(3))
    close(spatial.line_motion(s, P), np.concatenate([s, s_O]))


@pytest.mark.source("RBDA-S2.5-5")
def test_plucker_basis_depends_on_orientation_and_not_on_velocity():
    rng = np.random.default_rng(255)
    E, other_E, r = random_rotation(rng), random_rotation(rng), rng.normal(size=3)
    v, other_v = rng.normal(size=(2, 6))

    def basis(t, E, v):
        """Columns d_i, in base coordinates, of a frame that moves with velocity v and has the pose (E, r) at t = 1."""
        return spatial.inverse_transform(spatial.plucker(E, r) @ spatial.motion_exp(-v) @ spatial.motion_exp(t * v))

    for orientation, moving in ((E, v), (E, other_v), (other_E, v)):
        rate = slope(lambda t, orientation=orientation, moving=moving: basis(t, orientation, moving), 1.0)
        close(rate, spatial.crm(moving) @ basis(1, orientation, v), 1e-9)
    close(basis(1, E, v), basis(1, E, other_v))
    close(spatial.X_to_Er(spatial.inverse_transform(basis(1, other_E, v)))[1], r)
    assert np.abs(basis(1, E, v) - basis(1, other_E, v)).max() > 0.1


@pytest.mark.source("RBDA-T2.1")
def test_row_4_of_table_2_1_needs_a_proper_rotation():
    rng = np.random.default_rng(214)
    a, proper = rng.normal(size=3), random_rotation(rng)
    close(spatial.skew(proper @ a), proper @ spatial.skew(a) @ proper.T)
    for improper in (-proper, proper @ np.diag([1, 1, -1])):
        close(improper @ improper.T, np.eye(3))
        assert np.abs(spatial.skew(improper @ a) - improper @ spatial.skew(a) @ improper.T).max() > 0.1
        close(spatial.skew(improper @ a), -improper @ spatial.skew(a) @ improper.T)


@pytest.mark.source("FDSV-29")
def test_plain_transpose_of_eq_29_loses_newtons_second_law():
    """FDSV 3.1: a mass m on two massless carriages that slide along x and y, with y up."""
    m, g, (q, qd, qdd) = 1.7, 9.81, np.random.default_rng(29).normal(size=(3, 2))
    inertia = [np.zeros((6, 6)), spatial.mcI(m, np.zeros(3), np.zeros((3, 3)))]
    model = Model([0, 1], [Prismatic("x"), Prismatic("y")], [np.eye(6)] * 2, inertia, gravity=(0, -g, 0))
    motion, newton = newton_euler(model, q, qd, qdd), [m * qdd[0], m * (qdd[1] + g)]
    for i, expected in zip((1, 2), newton, strict=True):
        s, f = motion.S[i][:, 0], np.roll(motion.f[i], 3)
        close(f[:3], [*newton, 0])
        close(np.roll(s, 3) @ f, expected)                      # of the spatial transpose
        assert abs(s @ f - expected) > 0.1


@pytest.mark.source("FDSV-SA-1")
def test_f_i_is_transmitted_through_the_joint_and_is_not_the_sum_of_forces():
    rng = np.random.default_rng(2)
    model = random_tree(rng, 4, range(4)).model(gravity=np.zeros(3))
    q, qd, qdd = rng.normal(size=(3, 4))

    def momenta(t):
        state = newton_euler(model, q + t * qd + t**2 / 2 * qdd, qd + t * qdd, qdd)
        return np.array([state.X_0[i].T @ model.inertia[i] @ state.v[i] for i in model.bodies])

    sum_of_forces, motion = slope(momenta), newton_euler(model, q, qd, qdd)
    f = np.array([motion.X_0[i].T @ motion.f[i] for i in model.bodies])
    close(f[:3] - f[1:], sum_of_forces[:3], 1e-7)
    close(f[3], sum_of_forces[3], 1e-7)
    assert (np.abs(f[:3] - sum_of_forces[:3]).max(axis=1) > 1).all()
