"""RBDA A.1 and A.2 row by row: the functions of planar and of spatial vector arithmetic.

Each function is compared with the motion, force or body it is about, built from definitions in `tests.sources.helpers`,
and with the formula that the book prints.
"""

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.linalg import expm

from rbdlib import planar, spatial
from tests.sources.helpers import (
    E_and_r,
    close,
    cluster_energy,
    cluster_inertia,
    cluster_momentum,
    cross_matrix,
    derivative,
    far,
    field,
    force_carried,
    force_coordinates,
    identical,
    lamina,
    lamina_momentum,
    lamina_properties,
    mass_properties,
    motion_carried,
    motion_coordinates,
    pair,
    planar_force_carried,
    planar_force_coordinates,
    planar_motion_carried,
    planar_motion_coordinates,
    planar_rate,
    plane,
    random_cluster,
    random_planar_frame,
    random_pose,
    random_unit,
    turn,
    turning_about_pole,
    uniform_motion,
    velocity,
)

HERE = (np.eye(3), np.zeros(3))


@pytest.fixture(params=[11, 12, 13], ids="seed {}".format)
def rng(request):
    return np.random.default_rng(request.param)


def order_of(errors, steps):
    """The exponent n with which errors shrink like steps**n."""
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


# A.1 Planar vectors


def planar_transform(theta, p):
    """ᴮX_A to the frame (theta, p), column by column from the definition of coordinates."""
    return np.column_stack([planar_motion_coordinates(e, theta, p) for e in np.eye(3)])


def xy_plane(matrix):
    """Rows and columns 3, 4 and 5 of a spatial matrix."""
    return matrix[2:5, 2:5]


@pytest.mark.source("RBDA-TA.1")
def test_functions_of_table_a_1_in_symbols():
    w, x, y, m, I_C, theta, r_x, r_y, c_x, c_y = sympy.symbols("w v_x v_y m I_C theta r_x r_y c_x c_y", real=True)
    c, s = sympy.cos(theta), sympy.sin(theta)
    X = planar.Xpln([r_x, r_y], theta)
    assert identical(X, [[1, 0, 0], [s * r_x - c * r_y, c, s], [c * r_x + s * r_y, -s, c]])
    assert identical(planar.crm([w, x, y]), [[0, 0, 0], [y, 0, -w], [-x, w, 0]])
    assert identical(planar.crf([w, x, y]), [[0, -y, x], [0, 0, -w], [0, w, 0]])
    assert identical(planar.mcI(m, [c_x, c_y], I_C),
                     [[I_C + m * (c_x**2 + c_y**2), -m * c_y, m * c_x], [-m * c_y, m, 0], [m * c_x, 0, m]])
    X_21, X_31, X_22, X_23 = X[1, 0], X[2, 0], X[1, 1], X[1, 2]
    assert identical(planar.XtoV(X, 1), [X_23, X_31, -X_21])
    assert identical(planar.XtoV(X, 2), [X_23, (X_31 + X_22 * X_31 + X_23 * X_21) / 2,
                                         (-X_21 - X_22 * X_21 + X_23 * X_31) / 2])


@pytest.mark.source("RBDA-TA.1")
def test_functions_of_table_a_1_are_parts_of_the_spatial_functions():
    w, x, y, m, I_C, theta, r_x, r_y, c_x, c_y = sympy.symbols("w v_x v_y m I_C theta r_x r_y c_x c_y", real=True)
    v = [0, 0, w, x, y, 0]
    assert identical(planar.Xpln([r_x, r_y], theta), xy_plane(spatial.rotz(theta) @ spatial.xlt([r_x, r_y, 0])))
    assert identical(planar.crm([w, x, y]), xy_plane(spatial.crm(v)))
    assert identical(planar.crf([w, x, y]), xy_plane(spatial.crf(v)))
    assert identical(planar.mcI(m, [c_x, c_y], I_C), xy_plane(spatial.mcI(m, [c_x, c_y, 0], sympy.eye(3) * I_C)))


@pytest.mark.source("RBDA-AA.1-Xpln")
def test_xpln_leads_to_the_frame_described_by_its_arguments(rng):
    theta, p = random_planar_frame(rng)
    close(planar.Xpln(pair(p), theta), planar_transform(theta, p))
    in_space = np.column_stack([motion_coordinates(e, (turn(np.array([0, 0, 1]), theta), np.array([*pair(p), 0])))
                                for e in np.eye(6)])
    close(planar.Xpln(pair(p), theta), xy_plane(in_space))
    c, s, (x, y) = np.cos(theta), np.sin(theta), pair(p)
    close(planar.Xpln(pair(p), theta),
          np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) @ np.array([[1, 0, 0], [-y, 1, 0], [x, 0, 1]]))
    assert (planar.Xpln([0, 0], 0) == np.eye(3)).all()


@pytest.mark.source("RBDA-AA.1-Xpln")
def test_planar_transforms_compose_and_invert_like_displacements(rng):
    (theta_1, p_1), (theta_2, p_2) = random_planar_frame(rng), random_planar_frame(rng)
    one, two = planar.Xpln(pair(p_1), theta_1), planar.Xpln(pair(p_2), theta_2)
    reached = p_1 + np.exp(1j * theta_1) * p_2
    close(two @ one, planar.Xpln(pair(reached), theta_1 + theta_2))
    back = -np.exp(-1j * theta_1) * p_1
    close(np.linalg.inv(one), planar.Xpln(pair(back), -theta_1))


@pytest.mark.source("RBDA-AA.1-crm")
def test_planar_crm_gives_the_rate_of_a_carried_motion(rng):
    v, m = rng.normal(size=(2, 3))
    close(planar.crm(v) @ m, planar_rate(planar_motion_carried, v, m), 1e-10)
    close(planar.crm(v), np.array([[0, 0, 0], [v[2], 0, -v[0]], [-v[1], v[0], 0]]))
    close(planar.crm(v), xy_plane(spatial.crm([0, 0, *v, 0])))


@pytest.mark.source("RBDA-AA.1-crm")
def test_planar_transform_for_a_small_displacement(rng):
    theta, x, y = rng.normal(size=3)
    steps = np.array([1e-2, 1e-3, 1e-4])
    remainders = [planar_transform(h * theta, h * complex(x, y)) - (np.eye(3) - h * planar.crm([theta, x, y]))
                  for h in steps]
    errors = [np.abs(remainder).max() for remainder in remainders]
    assert_allclose(order_of(errors, steps), 2, atol=0.05)


@pytest.mark.source("RBDA-AA.1-crf")
def test_planar_crf_gives_the_rate_of_a_carried_force(rng):
    v, f = rng.normal(size=(2, 3))
    close(planar.crf(v) @ f, planar_rate(planar_force_carried, v, f), 1e-10)
    close(planar.crf(v), np.array([[0, -v[2], v[1]], [0, 0, -v[0]], [0, v[0], 0]]))
    close(planar.crf(v), xy_plane(spatial.crf([0, 0, *v, 0])))


@pytest.mark.source("RBDA-SA.1-2", "RBDA-AA.1-crf")
def test_planar_crf_needs_no_function_of_its_own(rng):
    v = rng.normal(size=3)
    assert (planar.crf(v) == -planar.crm(v).T).all()
    close(-planar.crm(v).T, np.column_stack([planar_rate(planar_force_carried, v, e) for e in np.eye(3)]), 1e-10)


@pytest.mark.source("RBDA-SA.1-2")
def test_spatial_crf_needs_no_function_of_its_own(rng):
    v = rng.normal(size=6)
    assert (spatial.crf(v) == -spatial.crm(v).T).all()
    rates = [derivative(lambda t, e=e: force_carried(e, uniform_motion(v)(t))) for e in np.eye(6)]
    close(-spatial.crm(v).T, np.column_stack(rates))


@pytest.mark.source("RBDA-AA.1-mcI")
def test_planar_inertia_gives_momentum_and_energy(rng):
    masses, points = lamina(rng)
    v, I = rng.normal(size=3), planar.mcI(*lamina_properties(masses, points))
    close(I @ v, lamina_momentum(masses, points, v))
    close(v @ I @ v / 2, masses @ np.abs(plane(v) + 1j * v[0] * points) ** 2 / 2)
    close(I, I.T)
    assert np.linalg.eigvalsh(I).min() > 0


@pytest.mark.source("RBDA-AA.1-mcI")
def test_planar_inertia_in_another_frame(rng):
    (masses, points), (theta, p) = lamina(rng), random_planar_frame(rng)
    X = planar.Xpln(pair(p), theta)
    seen_from_B = (points - p) * np.exp(-1j * theta)
    I_A, I_B = (planar.mcI(*lamina_properties(masses, seen)) for seen in (points, seen_from_B))
    close(np.linalg.inv(X).T @ I_A @ np.linalg.inv(X), I_B)
    m, c, I_C = lamina_properties(masses, points)
    close(planar.mcI(m, c, I_C), xy_plane(spatial.mcI(m, [*c, 0], np.diag([0.5, 0.5, 1]) * I_C)))


def planar_displacement(u):
    """ᴮX_A for the frame B that A becomes in unit time with the velocity u."""
    theta, p = turning_about_pole(u)(1.0)
    return planar_transform(theta, p)


def planar_velocity(rng, angle):
    return np.array([angle, *rng.normal(size=2)])


@pytest.mark.source("RBDA-AA.1-XtoV", "RBDA-SA.1-3")
@pytest.mark.parametrize("version", [1, 2])
def test_planar_xtov_is_exact_for_a_translation(rng, version):
    p = complex(*rng.normal(size=2))
    close(planar.XtoV(planar_transform(0, p), version), [0, *pair(p)])


@pytest.mark.source("RBDA-AA.1-XtoV", "RBDA-SA.1-3")
@pytest.mark.parametrize("angle", [-1.5, -0.3, 1e-6, 0.8, 1.5, 2.5])
def test_planar_xtov_in_its_second_version_is_the_same_in_both_frames(rng, angle):
    X = planar_displacement(planar_velocity(rng, angle))
    v = planar.XtoV(X, 2)
    close(X @ v, v)
    if abs(angle) > 0.1:
        far(X @ planar.XtoV(X, 1), planar.XtoV(X, 1))


@pytest.mark.source("RBDA-AA.1-XtoV", "RBDA-SA.1-3")
@pytest.mark.parametrize("angle", [-1.5, -0.3, 1e-3, 0.8, 1.5])
def test_exact_planar_velocity_from_xtov_for_less_than_a_right_angle(rng, angle):
    u = planar_velocity(rng, angle)
    X = planar_displacement(u)
    close(planar.XtoV(X, 2) * np.arcsin(X[1, 2]) / X[1, 2], u)
    close(X, expm(-planar.crm(u)))


@pytest.mark.source("RBDA-AA.1-XtoV")
def test_exact_planar_velocity_from_xtov_fails_beyond_a_right_angle(rng):
    u = planar_velocity(rng, 1.8)
    X = planar_displacement(u)
    far(planar.XtoV(X, 2) * np.arcsin(X[1, 2]) / X[1, 2], u)


@pytest.mark.source("RBDA-AA.1-XtoV")
@pytest.mark.parametrize("version", [1, 2])
def test_order_of_the_error_of_planar_xtov(rng, version):
    angles, linear = np.array([1e-1, 1e-2, 1e-3]), rng.normal(size=2)
    velocities = [np.array([angle, *linear]) for angle in angles]
    errors = [np.abs(planar.XtoV(planar_displacement(u), version) - u).max() for u in velocities]
    assert_allclose(order_of(errors, angles), version, atol=0.05)


@pytest.mark.source("RBDA-AA.1-XtoV")
def test_planar_xtov_in_its_second_version_is_a_rotation_about_the_pole(rng):
    angle, pole = rng.uniform(-3, 3), complex(*rng.normal(size=2))
    X = planar_transform(angle, pole - np.exp(1j * angle) * pole)
    close(planar.XtoV(X, 2), np.sin(angle) * np.array([1, pole.imag, -pole.real]))


@pytest.mark.source("RBDA-SA.1-1")
def test_transforms_lead_from_the_current_frame_to_the_described_one(rng):
    theta, p = random_planar_frame(rng)
    m, f = rng.normal(size=(2, 3))
    X = planar.Xpln(pair(p), theta)
    close(X @ m, planar_motion_coordinates(m, theta, p))
    close(np.linalg.inv(X).T @ f, planar_force_coordinates(f, theta, p))
    close(planar.force_transform(X) @ f, planar_force_coordinates(f, theta, p))
    close((planar.force_transform(X) @ f) @ (X @ m), f @ m)
    close(planar.Xpln([1, 0], 0) @ [1, 0, 0], [1, 0, 1])
    close(planar.Xpln([0, 0], np.pi / 2) @ [0, 1, 0], [0, 0, -1])


@pytest.mark.source("RBDA-SA.1-1")
@pytest.mark.parametrize("make", [spatial.rotx, spatial.roty, spatial.rotz, spatial.xlt])
def test_spatial_transforms_lead_from_the_current_frame_to_the_described_one(rng, make):
    if make is spatial.xlt:
        r = rng.normal(size=3)
        X, frame = make(r), (np.eye(3), r)
    else:
        angle, axis = rng.uniform(-3, 3), np.eye(3)["xyz".index(make.__name__[-1])]
        X, frame = make(angle), (turn(axis, angle), np.zeros(3))
    m, f = rng.normal(size=(2, 6))
    close(X @ m, motion_coordinates(m, frame))
    close(np.linalg.inv(X).T @ f, force_coordinates(f, frame))
    close((spatial.force_transform(X) @ f) @ (X @ m), f @ m)


# A.2 Spatial vectors


def block_diagonal(E):
    return np.block([[E, np.zeros((3, 3))], [np.zeros((3, 3)), E]])


@pytest.mark.source("RBDA-TA.2")
def test_functions_of_table_a_2_in_symbols():
    t, x, y, z, m = sympy.symbols("t x y z m", real=True)
    v, I_C = np.array(sympy.symbols("v1:7")), np.array(sympy.symbols("I1:10")).reshape(3, 3)
    c, s = sympy.cos(t), sympy.sin(t)
    E_x, E_y = np.array([[1, 0, 0], [0, c, s], [0, -s, c]]), np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    E_z = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    for short, whole, E in zip((spatial.rx, spatial.ry, spatial.rz), (spatial.rotx, spatial.roty, spatial.rotz),
                               (E_x, E_y, E_z), strict=True):
        assert identical(short(t), E)
        assert identical(whole(t), block_diagonal(E))

    def cross(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    zero, one, C = np.zeros((3, 3), dtype=int), np.eye(3, dtype=int), cross([x, y, z])
    w, v_O = cross(v[:3]), cross(v[3:])
    assert identical(spatial.skew([x, y, z]), C)
    assert identical(spatial.xlt([x, y, z]), np.block([[one, zero], [-C, one]]))
    assert identical(spatial.crm(v), np.block([[w, zero], [v_O, w]]))
    assert identical(spatial.crf(v), np.block([[w, v_O], [zero, w]]))
    assert identical(spatial.mcI(m, [x, y, z], I_C), np.block([[I_C + m * C @ C.T, m * C], [m * C.T, m * one]]))
    X = spatial.rotx(t) @ spatial.roty(x) @ spatial.xlt([x, y, z])
    X_ = {(i, j): X[i - 1, j - 1] for i in range(1, 7) for j in range(1, 7)}
    assert identical(spatial.XtoV(X), np.array(
        [X_[2, 3] - X_[3, 2], X_[3, 1] - X_[1, 3], X_[1, 2] - X_[2, 1],
         X_[5, 3] - X_[6, 2], X_[6, 1] - X_[4, 3], X_[4, 2] - X_[5, 1]]) / 2)


@pytest.mark.source("RBDA-TA.2")
def test_cross_operator_of_table_a_2(rng):
    a, b = rng.normal(size=(2, 3))
    close(spatial.skew(a) @ b, np.cross(a, b))


AXES = [pytest.param(name, axis, marks=pytest.mark.source(f"RBDA-AA.2-{name}"))
        for name, axis in zip(("rx", "ry", "rz"), np.eye(3), strict=True)]
SPATIAL_AXES = [pytest.param(name, axis, marks=pytest.mark.source(f"RBDA-AA.2-{name}"))
                for name, axis in zip(("rotx", "roty", "rotz"), np.eye(3), strict=True)]


@pytest.mark.parametrize(("name", "axis"), AXES)
def test_rotation_gives_coordinates_in_the_turned_frame(rng, name, axis):
    theta, u = rng.uniform(-3, 3), rng.normal(size=3)
    E, R = getattr(spatial, name)(theta), turn(axis, theta)
    close(E @ u, [u @ R[:, i] for i in range(3)])
    close(E, expm(-theta * cross_matrix(axis)))
    far(E, R)
    close(E @ E.T, np.eye(3))
    close(np.linalg.det(E), 1)


@pytest.mark.parametrize(("name", "axis"), AXES)
def test_rotations_about_one_axis_add_up(rng, name, axis):
    a, b = rng.uniform(-3, 3, 2)
    E = getattr(spatial, name)
    close(E(a) @ E(b), turn(axis, a + b).T)


@pytest.mark.parametrize(("name", "axis"), SPATIAL_AXES)
def test_rotation_of_spatial_vectors_about_an_axis(rng, name, axis):
    theta, m, f = rng.uniform(-3, 3), rng.normal(size=6), rng.normal(size=6)
    X, frame = getattr(spatial, name)(theta), (turn(axis, theta), np.zeros(3))
    close(X @ m, motion_coordinates(m, frame))
    close(X @ f, force_coordinates(f, frame))
    close(X, block_diagonal(turn(axis, theta).T))


@pytest.mark.source("RBDA-AA.2-xlt")
def test_shift_of_the_origin(rng):
    a, b, v = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    close(spatial.xlt(a) @ v, [*v[:3], *field(v, a)])
    close(spatial.xlt(a), np.block([[np.eye(3), np.zeros((3, 3))], [-cross_matrix(a), np.eye(3)]]))
    close(spatial.xlt(a) @ spatial.xlt(b) @ v, [*v[:3], *field(v, a + b)])
    close(np.linalg.inv(spatial.xlt(a)), spatial.xlt(-a))


@pytest.mark.source("RBDA-AA.2-crm")
def test_crm_gives_the_rate_of_a_carried_motion(rng):
    v, m = rng.normal(size=(2, 6))
    close(spatial.crm(v) @ m, derivative(lambda t: motion_carried(m, uniform_motion(v)(t))))
    parts = [*np.cross(v[:3], m[:3]), *(np.cross(v[:3], m[3:]) + np.cross(v[3:], m[:3]))]
    close(spatial.crm(v) @ m, parts)


@pytest.mark.source("RBDA-AA.2-crm")
def test_crm_gives_the_rate_of_the_transform_to_a_moving_frame(rng):
    """dX/dt = −v× X for a frame with velocity v in its own coordinates, and (Xv)× = X v× X⁻¹"""
    pose = uniform_motion(rng.normal(size=6), random_pose(rng))

    def X(t):
        return np.column_stack([motion_coordinates(e, pose(t)) for e in np.eye(6)])

    v = motion_coordinates(velocity(pose), pose(0.0))
    close(derivative(X), -spatial.crm(v) @ X(0.0))
    close(spatial.crm(v), X(0.0) @ spatial.crm(velocity(pose)) @ np.linalg.inv(X(0.0)))


@pytest.mark.source("RBDA-AA.2-crf")
def test_crf_gives_the_rate_of_a_carried_force(rng):
    v, f = rng.normal(size=(2, 6))
    close(spatial.crf(v) @ f, derivative(lambda t: force_carried(f, uniform_motion(v)(t))))
    parts = [*(np.cross(v[:3], f[:3]) + np.cross(v[3:], f[3:])), *np.cross(v[:3], f[3:])]
    close(spatial.crf(v) @ f, parts)
    assert (spatial.crf(v) == -spatial.crm(v).T).all()


@pytest.mark.source("RBDA-AA.2-mcI")
def test_inertia_gives_momentum_and_energy(rng):
    cluster, v = random_cluster(rng), rng.normal(size=6)
    I = spatial.mcI(*mass_properties(*cluster))
    close(I @ v, cluster_momentum(*cluster, v))
    close(v @ I @ v / 2, cluster_energy(*cluster, v))
    close(I, I.T)
    assert np.linalg.eigvalsh(I).min() > 0


@pytest.mark.source("RBDA-AA.2-mcI")
def test_inertia_in_another_frame(rng):
    masses, positions = random_cluster(rng)
    (R, p) = frame = random_pose(rng)
    X = spatial.plucker(*E_and_r(HERE, frame))
    I_A = spatial.mcI(*mass_properties(masses, positions))
    close(np.linalg.inv(X).T @ I_A @ np.linalg.inv(X), cluster_inertia(masses, (positions - p) @ R))


@pytest.mark.source("RBDA-AA.2-mcI")
def test_ten_parameters_determine_an_inertia(rng):
    inertias = [spatial.mcI(*mass_properties(*random_cluster(rng))).ravel() for _ in range(30)]
    assert np.linalg.matrix_rank(inertias) == 10


def displacement(u):
    """ᴮX_A for the frame B that A becomes in unit time with the velocity u."""
    return np.column_stack([motion_coordinates(e, uniform_motion(u)(1.0)) for e in np.eye(6)])


@pytest.mark.source("RBDA-AA.2-XtoV", "RBDA-SA.2-2")
def test_spatial_xtov_is_exact_for_a_translation(rng):
    u = np.array([0, 0, 0, *rng.normal(size=3)])
    close(spatial.XtoV(displacement(u)), u)


@pytest.mark.source("RBDA-AA.2-XtoV", "RBDA-SA.2-2")
@pytest.mark.parametrize("angle", [1e-6, 0.3, 1.5, 2.5])
def test_spatial_xtov_is_the_same_in_both_frames(rng, angle):
    X = displacement(np.array([*(angle * random_unit(rng)), *rng.normal(size=3)]))
    v = spatial.XtoV(X)
    close(X @ v, v)
    close(np.linalg.inv(X) @ v, v)


@pytest.mark.source("RBDA-AA.2-XtoV")
@pytest.mark.parametrize("angle", [-2.5, 0.3, 1.5])
def test_spatial_xtov_of_a_screw_displacement(rng, angle):
    """[k sin θ; p × k sin θ + k d cos θ] for a turn by θ and a shift d along the axis k through p"""
    axis, p, d = random_unit(rng), rng.normal(size=3), rng.normal()
    R = turn(axis, angle)
    frame = R, p - R @ p + d * axis
    X = np.column_stack([motion_coordinates(e, frame) for e in np.eye(6)])
    v = spatial.XtoV(X)
    close(v, [*(np.sin(angle) * axis), *(np.sin(angle) * np.cross(p, axis) + d * np.cos(angle) * axis)])
    cross = np.block([[cross_matrix(v[:3]), np.zeros((3, 3))], [cross_matrix(v[3:]), cross_matrix(v[:3])]])
    close((np.linalg.inv(X) - X) / 2, cross)


@pytest.mark.source("RBDA-AA.2-XtoV", "RBDA-SA.2-2")
def test_spatial_xtov_converges_to_the_exact_velocity(rng):
    axis, linear, angles = random_unit(rng), rng.normal(size=3), np.array([1e-1, 1e-2, 1e-3])
    velocities = [np.array([*(angle * axis), *linear]) for angle in angles]
    errors = [np.abs(spatial.XtoV(displacement(u)) - u).max() for u in velocities]
    assert_allclose(order_of(errors, angles), 2, atol=0.05)
    close(displacement(velocities[0]), expm(-spatial.crm(velocities[0])))


@pytest.mark.source("RBDA-SA.2-2")
def test_spatial_xtov_is_in_general_no_multiple_of_the_exact_velocity(rng):
    axis, d = random_unit(rng), 0.7
    u = np.array([*axis, *(np.cross(rng.normal(size=3), axis) + d * axis)])
    v = spatial.XtoV(displacement(u))
    far(v / np.linalg.norm(v), u / np.linalg.norm(u))


@pytest.mark.source("RBDA-SA.2-1")
@pytest.mark.parametrize("axis", np.eye(3), ids=["x", "y", "z"])
def test_a_pure_rotation_transforms_motions_and_forces_alike(rng, axis):
    theta = rng.uniform(-3, 3)
    X = {"x": spatial.rotx, "y": spatial.roty, "z": spatial.rotz}["xyz"[int(np.argmax(axis))]](theta)
    X_star = np.column_stack([force_coordinates(e, (turn(axis, theta), np.zeros(3))) for e in np.eye(6)])
    close(X, X_star)
    close(np.linalg.inv(X).T, X)


@pytest.mark.source("RBDA-SA.2-1")
def test_force_transforms_are_inverse_transposes_and_shifts_are_not_alike(rng):
    r, pose = rng.normal(size=3), random_pose(rng)
    X_star = np.column_stack([force_coordinates(e, pose) for e in np.eye(6)])
    X = spatial.plucker(*E_and_r(HERE, pose))
    close(np.linalg.inv(X).T, X_star)
    close(spatial.force_transform(X), X_star)
    far(np.linalg.inv(spatial.xlt(r)).T, spatial.xlt(r))
