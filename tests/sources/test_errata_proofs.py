"""Each erratum of data/errata.csv by a computation in which the printed form fails and the corrected one holds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdlib import Model
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.joints import Prismatic, Revolute
from rbdlib.spatial import (
    X_to_Er,
    crm,
    inverse_transform,
    line_motion,
    mcI,
    motion_exp,
    plucker,
    point_velocity,
    rx,
    ry,
    rz,
    screw_of_motion,
    skew,
)


def random_rotation(rng):
    return rx(rng.uniform(-3, 3)) @ ry(rng.uniform(-3, 3)) @ rz(rng.uniform(-3, 3))


@pytest.mark.source("RBDA-S2.5-2")
def test_a_free_vector_passes_the_printed_line_vector_test():
    rng = np.random.default_rng(252)

    translation = np.concatenate([np.zeros(3), rng.normal(size=3)])
    s, s_O = translation[:3], translation[3:]
    assert s @ s_O == 0
    assert np.linalg.matrix_rank(-skew(s)) < np.linalg.matrix_rank(np.column_stack([-skew(s), s_O])), \
        "OP × s = s_O would have a solution P, so the printed line would exist"
    assert screw_of_motion(translation).kind == "free"

    s = rng.normal(size=3)
    s_O = np.cross(s, rng.normal(size=3))
    P = np.cross(s, s_O) / (s @ s)
    assert_allclose(np.cross(P, s), s_O, atol=1e-12)
    for t in rng.normal(size=3):
        assert_allclose(point_velocity(np.concatenate([s, s_O]), P + t * s), 0, atol=1e-12)
    assert_allclose(line_motion(s, P), np.concatenate([s, s_O]), atol=1e-12)


@pytest.mark.source("RBDA-S2.5-5")
def test_plucker_basis_depends_on_orientation_and_not_on_velocity():
    rng = np.random.default_rng(255)
    E, other_E, r = random_rotation(rng), random_rotation(rng), rng.normal(size=3)
    velocity, other_velocity = rng.normal(size=(2, 6))

    def basis(t, E, v):
        """Columns d_i, in base coordinates, of a frame that moves with velocity v and has the pose (E, r) at t = 1."""
        start = plucker(E, r) @ motion_exp(-v)
        return inverse_transform(start @ motion_exp(t * v))

    def rate(E, v, h=1e-5):
        return (basis(1 + h, E, v) - basis(1 - h, E, v)) / (2 * h)

    assert_allclose(rate(E, velocity), crm(velocity) @ basis(1, E, velocity), atol=1e-6)
    assert_allclose(rate(E, other_velocity), crm(other_velocity) @ basis(1, E, velocity), atol=1e-6)
    assert_allclose(basis(1, E, velocity), basis(1, E, other_velocity), atol=1e-12)

    assert_allclose(X_to_Er(inverse_transform(basis(1, other_E, velocity)))[1], r, atol=1e-12)
    assert_allclose(rate(other_E, velocity), crm(velocity) @ basis(1, other_E, velocity), atol=1e-6)
    assert np.abs(basis(1, E, velocity) - basis(1, other_E, velocity)).max() > 0.1


@pytest.mark.source("RBDA-T2.1")
def test_row_4_of_table_2_1_needs_a_proper_rotation():
    rng = np.random.default_rng(214)
    a, proper = rng.normal(size=3), random_rotation(rng)
    assert_allclose(skew(proper @ a), proper @ skew(a) @ proper.T, atol=1e-12)
    for improper in (-proper, proper @ np.diag([1, 1, -1])):
        assert_allclose(improper @ improper.T, np.eye(3), atol=1e-12)
        assert np.abs(skew(improper @ a) - improper @ skew(a) @ improper.T).max() > 0.1
        assert_allclose(skew(improper @ a), -improper @ skew(a) @ improper.T, atol=1e-12)


def particle(m, g):
    """FDSV 3.1: a mass m on two massless carriages that slide along x and y, with y up."""
    inertia = [np.zeros((6, 6)), mcI(m, np.zeros(3), np.zeros((3, 3)))]
    return Model([0, 1], [Prismatic("x"), Prismatic("y")], [np.eye(6)] * 2, inertia, gravity=(0, -g, 0))


@pytest.mark.source("FDSV-29")
def test_plain_transpose_of_eq_29_loses_newtons_second_law():
    rng = np.random.default_rng(29)
    m, g = 1.7, 9.81
    q, qd, qdd = rng.normal(size=(3, 2))
    motion = newton_euler(particle(m, g), q, qd, qdd)
    newton = [m * qdd[0], m * (qdd[1] + g)]
    for i, expected in zip((1, 2), newton, strict=True):
        s, f = motion.S[i][:, 0], np.roll(motion.f[i], 3)
        spatial_transpose = np.roll(s, 3)
        assert_allclose(f[:3], [*newton, 0], atol=1e-12)
        assert_allclose(spatial_transpose @ f, expected, atol=1e-12)
        assert abs(s @ f - expected) > 0.1


@pytest.mark.source("FDSV-SA-1")
def test_f_i_is_transmitted_through_the_joint_and_is_not_the_sum_of_forces():
    rng = np.random.default_rng(2)
    joints = [Revolute("z"), Revolute("x"), Prismatic("y"), Revolute("y")]
    X_tree = [plucker(random_rotation(rng), rng.normal(size=3)) for _ in joints]
    inertia = [mcI(rng.uniform(1, 2), rng.normal(size=3), np.diag([0.3, 0.4, 0.5])) for _ in joints]
    model = Model([0, 1, 2, 3], joints, X_tree, inertia, gravity=(0, 0, 0))
    q, qd, qdd = rng.normal(size=(3, 4))

    def momenta(t):
        state = newton_euler(model, q + t * qd + t**2 / 2 * qdd, qd + t * qdd, qdd)
        return np.array([state.X_0[i].T @ model.inertia[i] @ state.v[i] for i in model.bodies])

    h = 1e-5
    sum_of_forces = (momenta(h) - momenta(-h)) / (2 * h)
    motion = newton_euler(model, q, qd, qdd)
    f = np.array([motion.X_0[i].T @ motion.f[i] for i in model.bodies])
    assert_allclose(f[:3] - f[1:], sum_of_forces[:3], rtol=1e-6, atol=1e-6)
    assert_allclose(f[3], sum_of_forces[3], rtol=1e-6, atol=1e-6)
    assert (np.abs(f[:3] - sum_of_forces[:3]).max(axis=1) > 1).all()
