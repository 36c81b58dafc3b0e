"""RBDA A.1 and A.2 row by row: the functions of planar and of spatial vector arithmetic. Each function is compared with
the motion, force or frame it is about, built from definitions in `tests.sources.helpers`, and with the formula that the
book prints. What the planar and spatial functions crm, crf, mcI, Xpln and xlt do is proved where the book derives it,
in `test_rbda_ch02_vectors.py` and `test_rbda_ch02_dynamics.py`."""

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.linalg import expm

from rbdlib.book import ch02_planar as planar, ch02_spatial as spatial
from tests.sources import helpers
from tests.sources.helpers import close, cross_matrix, far, force_coordinates, identical, pair, random_unit, turn

SEED = 11
ANGLES = (-1.5, -0.3, 1e-3, 0.8, 1.5, 2.5)


def planar_transform(theta, p):
    """ᴮX_A to the frame (theta, p), column by column from the definition of coordinates."""
    return np.column_stack([helpers.planar_motion_coordinates(e, theta, p) for e in np.eye(3)])


def planar_displacement(u):
    """ᴮX_A for the frame B that A becomes in unit time with the velocity u."""
    return planar_transform(*helpers.turning_about_pole(u)(1.0))


def displacement(u):
    """ᴮX_A for the frame B that A becomes in unit time with the velocity u."""
    return transforms(helpers.uniform_motion(u)(1.0))[0]


def transforms(frame):
    """ᴮX_A and ᴮX*_A to a frame, column by column from the definition of coordinates."""
    return tuple(np.column_stack([coordinates(e, frame) for e in np.eye(6)])
                 for coordinates in (helpers.motion_coordinates, force_coordinates))


def assert_order_of_error(XtoV, displaced, turning, linear, order):
    """The error of XtoV shrinks like this power of the angle."""
    angles = np.array([1e-1, 1e-2, 1e-3])
    velocities = [np.array([*(angle * turning), *linear]) for angle in angles]
    errors = [np.abs(XtoV(displaced(u)) - u).max() for u in velocities]
    assert_allclose(np.polyfit(np.log(angles), np.log(errors), 1)[0], order, atol=0.05)


# A.1 Planar vectors

@pytest.mark.source("RBDA-TA.1")
def test_functions_of_table_a_1_in_symbols():
    """As printed, and as rows and columns 3, 4 and 5 of the spatial functions."""
    w, x, y, m, I_C, theta, r_x, r_y, c_x, c_y = sympy.symbols("w v_x v_y m I_C theta r_x r_y c_x c_y", real=True)
    c, s, v = sympy.cos(theta), sympy.sin(theta), [0, 0, w, x, y, 0]
    for function, printed, in_space in (
        (planar.Xpln([r_x, r_y], theta), [[1, 0, 0], [s * r_x - c * r_y, c, s], [c * r_x + s * r_y, -s, c]],
         spatial.rotz(theta) @ spatial.xlt([r_x, r_y, 0])),
        (planar.crm([w, x, y]), [[0, 0, 0], [y, 0, -w], [-x, w, 0]], spatial.crm(v)),
        (planar.crf([w, x, y]), [[0, -y, x], [0, 0, -w], [0, w, 0]], spatial.crf(v)),
        (planar.mcI(m, [c_x, c_y], I_C),
         [[I_C + m * (c_x**2 + c_y**2), -m * c_y, m * c_x], [-m * c_y, m, 0], [m * c_x, 0, m]],
         spatial.mcI(m, [c_x, c_y, 0], sympy.eye(3) * I_C)),
    ):
        assert identical(function, printed)
        assert identical(function, in_space[2:5, 2:5])
    X = planar.Xpln([r_x, r_y], theta)
    X_21, X_31, X_22, X_23 = X[1, 0], X[2, 0], X[1, 1], X[1, 2]
    assert identical(planar.XtoV(X, 1), [X_23, X_31, -X_21])
    assert identical(planar.XtoV(X, 2), [X_23, (X_31 + X_22 * X_31 + X_23 * X_21) / 2,
                                         (-X_21 - X_22 * X_21 + X_23 * X_31) / 2])


@pytest.mark.source("RBDA-AA.1-XtoV", "RBDA-SA.1-3")
def test_planar_xtov_gives_the_exact_velocity_for_a_translation_and_for_less_than_a_right_angle(rng):
    """Its second version is the same in both frames."""
    p = complex(*rng.normal(size=2))
    for version in (1, 2):
        close(planar.XtoV(planar_transform(0, p), version), [0, *pair(p)])
    for angle in ANGLES:
        u = np.array([angle, *rng.normal(size=2)])
        X = planar_displacement(u)
        v = planar.XtoV(X, 2)
        close(X, expm(-planar.crm(u)))
        close(X @ v, v)
        if abs(angle) > 0.1:
            far(X @ planar.XtoV(X, 1), planar.XtoV(X, 1))
        if abs(angle) < np.pi / 2:
            close(v * np.arcsin(X[1, 2]) / X[1, 2], u)
        else:
            far(v * np.arcsin(X[1, 2]) / X[1, 2], u)


@pytest.mark.source("RBDA-AA.1-XtoV")
def test_order_of_the_error_of_planar_xtov_and_its_second_version_as_a_rotation_about_the_pole(rng):
    for version in (1, 2):
        assert_order_of_error(lambda X, version=version: planar.XtoV(X, version), planar_displacement, np.ones(1),
                              rng.normal(size=2), version)
    angle, pole = rng.uniform(-3, 3), complex(*rng.normal(size=2))
    X = planar_transform(angle, pole - np.exp(1j * angle) * pole)
    close(planar.XtoV(X, 2), np.sin(angle) * np.array([1, pole.imag, -pole.real]))


# A.2 Spatial vectors

def block_diagonal(E):
    return np.kron(np.eye(2, dtype=int), E)


@pytest.mark.source("RBDA-TA.2", "RBDA-T2.2")
def test_functions_of_table_a_2_in_symbols():
    t, x, y, z, m = sympy.symbols("t x y z m", real=True)
    v, I_C = np.array(sympy.symbols("v1:7")), np.array(sympy.symbols("I1:10")).reshape(3, 3)
    c, s = sympy.cos(t), sympy.sin(t)
    for name, E in (("x", [[1, 0, 0], [0, c, s], [0, -s, c]]), ("y", [[c, 0, -s], [0, 1, 0], [s, 0, c]]),
                    ("z", [[c, s, 0], [-s, c, 0], [0, 0, 1]])):
        assert identical(getattr(spatial, f"r{name}")(t), E)
        for X in (getattr(spatial, f"rot{name}")(t), spatial.rot(np.array(E))):
            assert identical(X, block_diagonal(np.array(E)))

    zero, one, C = np.zeros((3, 3), dtype=int), np.eye(3, dtype=int), cross_matrix([x, y, z])
    w, v_O = cross_matrix(v[:3]), cross_matrix(v[3:])
    assert identical(spatial.skew([x, y, z]), C)
    assert identical(C @ v[:3], np.cross([x, y, z], v[:3]))
    assert identical(spatial.xlt([x, y, z]), np.block([[one, zero], [-C, one]]))
    assert identical(spatial.crm(v), np.block([[w, zero], [v_O, w]]))
    assert identical(spatial.crf(v), np.block([[w, v_O], [zero, w]]))
    assert identical(spatial.mcI(m, [x, y, z], I_C), np.block([[I_C + m * C @ C.T, m * C], [m * C.T, m * one]]))
    X = spatial.rotx(t) @ spatial.roty(x) @ spatial.xlt([x, y, z])
    X_ = {(i, j): X[i - 1, j - 1] for i in range(1, 7) for j in range(1, 7)}
    assert identical(spatial.XtoV(X), np.array(
        [X_[2, 3] - X_[3, 2], X_[3, 1] - X_[1, 3], X_[1, 2] - X_[2, 1],
         X_[5, 3] - X_[6, 2], X_[6, 1] - X_[4, 3], X_[4, 2] - X_[5, 1]]) / 2)


@pytest.mark.source("RBDA-T2.2", "RBDA-SA.1-1", "RBDA-SA.2-1")
@pytest.mark.parametrize(("name", "axis"), [
    pytest.param(name, axis, marks=pytest.mark.source(f"RBDA-AA.2-r{name}", f"RBDA-AA.2-rot{name}"))
    for name, axis in zip("xyz", np.eye(3), strict=True)])
def test_rotations_lead_to_the_turned_frame_and_transform_motions_and_forces_alike(rng, name, axis):
    theta, more = rng.uniform(-3, 3, 2)
    rotation, R, u = getattr(spatial, f"r{name}"), turn(axis, theta), rng.normal(size=3)
    E, X = rotation(theta), getattr(spatial, f"rot{name}")(theta)
    close(E @ u, [u @ R[:, i] for i in range(3)])
    close(E, expm(-theta * cross_matrix(axis)))
    far(E, R)
    close(E @ E.T, np.eye(3))
    close(np.linalg.det(E), 1)
    close(E @ rotation(more), turn(axis, theta + more).T)

    of_motions, of_forces = transforms((R, np.zeros(3)))
    for expected in (of_motions, of_forces, block_diagonal(R.T), np.linalg.inv(X).T):
        close(X, expected)


@pytest.mark.source("RBDA-AA.2-XtoV", "RBDA-SA.2-2")
def test_spatial_xtov_of_a_screw_displacement_is_the_same_in_both_frames_and_exact_for_a_translation(rng):
    """[k sin θ; p × k sin θ + k d cos θ] for a turn by θ and a shift d along the axis k through p"""
    u = np.array([0, 0, 0, *rng.normal(size=3)])
    close(spatial.XtoV(displacement(u)), u)
    for angle in ANGLES:
        axis, p, d = random_unit(rng), rng.normal(size=3), rng.normal()
        R = turn(axis, angle)
        X, _ = transforms((R, p - R @ p + d * axis))
        v = spatial.XtoV(X)
        close(v, [*(np.sin(angle) * axis), *(np.sin(angle) * np.cross(p, axis) + d * np.cos(angle) * axis)])
        close((np.linalg.inv(X) - X) / 2, spatial.crm(v))
        close(X @ v, v)
        close(np.linalg.inv(X) @ v, v)


@pytest.mark.source("RBDA-AA.2-XtoV", "RBDA-SA.2-2")
def test_spatial_xtov_converges_to_the_exact_velocity_but_is_in_general_no_multiple_of_it(rng):
    axis, linear = random_unit(rng), rng.normal(size=3)
    assert_order_of_error(spatial.XtoV, displacement, axis, linear, 2)
    u = np.array([*axis, *(np.cross(linear, axis) + 0.7 * axis)])
    close(displacement(u), expm(-spatial.crm(u)))
    v = spatial.XtoV(displacement(u))
    far(v / np.linalg.norm(v), u / np.linalg.norm(u))
