"""Matrices that fulfil their definition pass unchanged; others are refused with the reason."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib import validation
from rbdlib.spatial import force_transform, mcI, plucker, skew, transform_inertia, xlt
from tests.sources.helpers import random_mass_properties, random_rotation

m, t = sp.symbols("m theta", real=True)


@pytest.fixture(params=[1, 2, 3], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


def changed(matrix, place, by):
    matrix = np.array(matrix, dtype=float)
    matrix[place] += by
    return matrix


# Rotations


def test_rotations_pass_unchanged(rng):
    E = random_rotation(rng)
    assert_array_equal(validation.rotation(E, "E"), E)
    assert validation.rotation(E, "E") is not E


def test_symbolic_and_mpmath_rotations_pass():
    E = np.array([[sp.cos(t), sp.sin(t), 0], [-sp.sin(t), sp.cos(t), 0], [0, 0, 1]])
    assert_array_equal(validation.rotation(E, "E"), E)
    c, s = mpmath.cos(mpmath.mpf("0.3")), mpmath.sin(mpmath.mpf("0.3"))
    validation.rotation([[c, s, 0], [-s, c, 0], [0, 0, 1]], "E")
    with pytest.raises(ValueError, match="E is not a rotation"):
        validation.rotation([[c, s, 0], [s, c, 0], [0, 0, 1]], "E")


def test_a_matrix_that_stretches_is_no_rotation(rng):
    E = random_rotation(rng)
    for wrong in (1.001 * E, changed(E, (0, 1), 1e-3), np.zeros((3, 3)), E @ np.diag([1, 2, 0.5])):
        with pytest.raises(ValueError, match="E is not a rotation: its rows must be perpendicular unit vectors"):
            validation.rotation(wrong, "E")


def test_a_reflection_is_no_rotation(rng):
    with pytest.raises(ValueError, match=r"E is a reflection \(determinant -1\).*right-handed"):
        validation.rotation(-random_rotation(rng), "E")


def test_rounding_and_printed_digits_are_tolerated(rng):
    E = random_rotation(rng)
    validation.rotation(E.round(7), "E")
    with pytest.raises(ValueError, match="differs from the identity by"):
        validation.rotation(E.round(4), "E")


# Transforms


def test_transforms_pass_unchanged(rng):
    for r in (rng.normal(size=3), 1e4 * rng.normal(size=3)):
        X = plucker(random_rotation(rng), r)
        assert_array_equal(validation.transform(X, "X"), X)


def test_a_force_transform_is_recognized(rng):
    X = plucker(random_rotation(rng), rng.normal(size=3))
    with pytest.raises(ValueError, match=r"X is not a Plücker motion transform.*force transform X\*, give the motion"):
        validation.transform(force_transform(X), "X")


@pytest.mark.parametrize(("place", "message"), [
    ((0, 0), "The upper left block of X is not a rotation"),
    ((4, 4), "X is not a Plücker transform: its two diagonal blocks differ"),
    ((3, 0), "X is not a Plücker transform: its lower left block is not -E r×"),
    ((0, 3), "its upper right block is not zero"),
])
def test_each_block_of_a_transform_is_checked(rng, place, message):
    X = plucker(random_rotation(rng), rng.normal(size=3))
    with pytest.raises(ValueError, match=message):
        validation.transform(changed(X, place, 0.01), "X")


def test_a_transform_with_a_reflection_is_refused():
    with pytest.raises(ValueError, match="The upper left block of X is a reflection"):
        validation.transform(-np.eye(6), "X")


def test_shapes_are_checked_of_symbols_too():
    with pytest.raises(ValueError, match=r"X has shape \(3, 3\); expected a matrix of shape \(6, 6\)"):
        validation.transform(np.eye(3) * m, "X")
    with pytest.raises(ValueError, match=r"I has shape \(6, 5\)"):
        validation.rigid_body_inertia(np.full((6, 5), m), "I")


# Masses and inertias


def test_masses():
    assert validation.mass(0, "m") == 0
    assert validation.mass(m, "m") is m
    for wrong in (-1, -1e-12, sp.Rational(-1, 2), mpmath.mpf(-1)):
        with pytest.raises(ValueError, match=f"m is {wrong}.*; a mass cannot be negative"):
            validation.mass(wrong, "m")


def test_rotational_inertias_of_particles_pass(rng):
    I_C = random_mass_properties(rng)[2]
    assert_array_equal(validation.rotational_inertia(I_C, "I_C"), I_C)


@pytest.mark.parametrize("moments", [(0, 0, 0), (1, 1, 0), (1, 1, 2), (1, 2, 3), (1e-9, 1e-9, 1e-9)])
def test_points_rods_discs_and_laminae_pass(rng, moments):
    R = random_rotation(rng)
    validation.rotational_inertia(R @ np.diag(moments) @ R.T, "I_C")


@pytest.mark.parametrize(("moments", "message"), [
    ((1, 1, 2.01), r"I_C violates the triangle inequality.*\[1.0, 1.0, 2.01\].*greater than the sum of the other two"),
    ((1, 0, 0), "I_C violates the triangle inequality"),
    ((-1, 1, 1), "I_C has the negative principal moment -1; no body has"),
    ((-1e-9, 1e-9, 1e-9), "I_C has the negative principal moment -1e-09"),
])
def test_moments_that_no_body_has(rng, moments, message):
    R = random_rotation(rng)
    with pytest.raises(ValueError, match=message):
        validation.rotational_inertia(R @ np.diag(moments) @ R.T, "I_C")


def test_products_of_inertia_must_be_symmetric():
    with pytest.raises(ValueError, match="I_C is not symmetric. Check the signs and places of the products of inertia"):
        validation.rotational_inertia([[1, 0.1, 0], [-0.1, 1, 0], [0, 0, 1]], "I_C")


def test_rigid_body_inertias_pass_unchanged_wherever_the_frame_is(rng):
    I = mcI(*random_mass_properties(rng))
    for size in (0, 1, 1e3):
        moved = transform_inertia(plucker(random_rotation(rng), size * rng.normal(size=3)), I)
        assert_array_equal(validation.rigid_body_inertia(moved, "I"), moved)
    assert not validation.rigid_body_inertia(np.zeros((6, 6)), "I").any()


def test_point_masses_pass_however_far_away():
    """Their rotational inertia is a difference of equal numbers; what rounding leaves of it is no error of the user."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        mass, c = rng.uniform(0.1, 5), rng.normal(size=3) * 10 ** rng.uniform(-3, 4)
        validation.rigid_body_inertia(mcI(mass, c, np.zeros((3, 3))), "I")


def test_massless_frames_may_have_rotational_inertia_but_no_first_moment():
    validation.rigid_body_inertia(np.diag([1, 1, 1, 0, 0, 0]), "I")
    I = np.zeros((6, 6))
    I[:3, 3:] = skew([1, 2, 3])
    with pytest.raises(ValueError, match="I is not the inertia of a rigid body: its mass is 0, and so its upper right"):
        validation.rigid_body_inertia(I + I.T, "I")


@pytest.mark.parametrize(("change", "message"), [
    (lambda I: changed(I, (0, 1), 0.1), "it is not symmetric"),
    (lambda I: changed(I, (3, 3), 0.1), "its lower right block must be the mass times the identity"),
    (lambda I: changed(changed(I, (0, 3), 0.1), (3, 0), 0.1), "its upper right block must be m c×, a skew matrix"),
    (lambda I: -I, "The mass in I is -"),
    (lambda I: I - np.diag([9, 9, 9, 0, 0, 0]), "The rotational inertia in I has the negative principal moment"),
    (lambda I: I + np.diag([999, 0, 0, 0, 0, 0]), "The rotational inertia in I violates the triangle inequality"),
    (lambda I: np.linalg.inv(I), "I is not the inertia of a rigid body.*Make one with mcI"),
])
def test_each_property_of_a_rigid_body_inertia_is_checked(rng, change, message):
    with pytest.raises(ValueError, match=message):
        validation.rigid_body_inertia(change(mcI(*random_mass_properties(rng))), "I")


def test_symbolic_inertias_pass():
    I = mcI(m, [t, 0, 0], np.diag([m, m, m]))
    assert_array_equal(validation.rigid_body_inertia(I, "I"), I)
    assert_array_equal(validation.transform(xlt([t, 0, 0]), "X"), xlt([t, 0, 0]))
