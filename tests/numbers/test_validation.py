"""Matrices that fulfil their definition pass unchanged; others are refused with the reason."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib.book.ch02_spatial import force_transform, mcI, plucker, skew, transform_inertia, xlt
from rbdlib.numbers import validation
from rbdlib.numbers.negligible import sizes_by_unit
from tests.sources.helpers import random_mass_properties, random_rotation

m, t = sp.symbols("m theta", real=True)


def random_transform(rng, size=1):
    return plucker(random_rotation(rng), size * rng.normal(size=3))


def changed(matrix, place, by):
    matrix = np.array(matrix, dtype=float)
    matrix[place] += by
    return matrix


# Rotations

def test_rotations_and_transforms_pass_unchanged(rng):
    E = random_rotation(rng)
    c, s = mpmath.cos(mpmath.mpf("0.3")), mpmath.sin(mpmath.mpf("0.3"))
    symbolic = np.array([[sp.cos(t), sp.sin(t), 0], [-sp.sin(t), sp.cos(t), 0], [0, 0, 1]])
    for rotation in (E, E.round(7), symbolic, np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])):
        assert_array_equal(validation.rotation(rotation, "E"), rotation)
        assert validation.rotation(rotation, "E") is not rotation
    for X in (random_transform(rng), random_transform(rng, 1e4), xlt([t, 0, 0])):
        assert_array_equal(validation.transform(X, "X"), X)


@pytest.mark.parametrize(("change", "message"), [
    *((change, "E is not a rotation: its rows must be perpendicular unit vectors") for change in (
        lambda E: 1.001 * E, lambda E: changed(E, (0, 1), 1e-3), lambda E: 0 * E,
        lambda E: E @ np.diag([1, 2, 0.5]), lambda E: E * mpmath.mpf("1.001"))),
    (lambda E: -E, r"E is a reflection \(determinant -1\).*right-handed"),
    (lambda E: E.round(4), "differs from the identity by")])
def test_other_matrices_are_no_rotations(rng, change, message):
    with pytest.raises(ValueError, match=message):
        validation.rotation(change(random_rotation(rng)), "E")


# Transforms

@pytest.mark.parametrize(("change", "message"), [
    (lambda X: changed(X, (0, 0), 0.01), "The upper left block of X is not a rotation"),
    (lambda X: changed(X, (4, 4), 0.01), "X is not a Plücker transform: its two diagonal blocks differ"),
    (lambda X: changed(X, (3, 0), 0.01), "X is not a Plücker transform: its lower left block is not -E r×"),
    (lambda X: changed(X, (0, 3), 0.01), "its upper right block is not zero"),
    (lambda X: force_transform(X), r"X is not a Plücker motion transform.*force transform X\*, give the motion"),
    (lambda X: -np.eye(6), "The upper left block of X is a reflection"),
    (lambda X: X[:3, :3] * m, r"X has shape \(3, 3\); expected a matrix of shape \(6, 6\)")])
def test_each_block_of_a_transform_is_checked(rng, change, message):
    with pytest.raises(ValueError, match=message):
        validation.transform(change(random_transform(rng)), "X")


# Masses and inertias

def test_masses_and_inertias_of_bodies_of_every_shape_pass_wherever_the_frame_is(rng):
    assert validation.mass(0, "m") == 0
    assert validation.mass(m, "m") is m
    for wrong in (-1, -1e-12, sp.Rational(-1, 2), mpmath.mpf(-1)):
        with pytest.raises(ValueError, match=f"m is {wrong}.*; a mass cannot be negative"):
            validation.mass(wrong, "m")

    I_C = random_mass_properties(rng)[2]
    assert_array_equal(validation.rotational_inertia(I_C, "I_C"), I_C)
    for moments in ((0, 0, 0), (1, 1, 0), (1, 1, 2), (1, 2, 3), (1e-9, 1e-9, 1e-9)):
        R = random_rotation(rng)
        validation.rotational_inertia(R @ np.diag(moments) @ R.T, "I_C")

    I = mcI(*random_mass_properties(rng))
    massless, symbolic = np.diag([1, 1, 1, 0, 0, 0]), mcI(m, [t, 0, 0], np.diag([m, m, m]))
    for inertia in (*(transform_inertia(random_transform(rng, size), I) for size in (0, 1, 1e3)), np.zeros((6, 6)),
                    massless, symbolic):
        assert_array_equal(validation.rigid_body_inertia(inertia, "I"), inertia)

    # Their rotational inertia is a difference of equal numbers; what rounding leaves of it is no error of the user.
    rng = np.random.default_rng(5)
    for _ in range(100):
        mass, c = rng.uniform(0.1, 5), rng.normal(size=3) * 10 ** rng.uniform(-3, 4)
        assert_array_equal(validation.rigid_body_inertia(mcI(mass, c, 0), "I"), mcI(mass, c, np.zeros((3, 3))))
    assert sizes_by_unit(np.eye(6), np.diag([1, 5, 3, -7, 2, 4])).tolist() == [5, 5, 5, 7, 7, 7]
    assert sizes_by_unit(2 * np.eye(6)[:, [0, 3]], np.eye(6)).tolist() == [4, 4]
    assert sizes_by_unit(np.eye(6), np.eye(6, dtype=object)) is None


@pytest.mark.parametrize(("central", "message"), [
    (np.diag([1, 1, 2.01]),
     r"I_C violates the triangle inequality.*\[1.0, 1.0, 2.01\].*greater than the sum of the other two.*I_zz alone"),
    (np.diag([-1e-20, 0, 3e-6]), r"its principal moments are \[0.0, 0.0, 3e-06\]"),
    (np.diag([1, 0, 0]), "I_C violates the triangle inequality"),
    (np.diag([-1, 1, 1]), "I_C has the negative principal moment -1; no body has. Give moments about"),
    (np.diag([-1e-9, 1e-9, 1e-9]), "I_C has the negative principal moment -1e-09"),
    (np.diag([2, 2, 2]) + skew([0, 0, 0.1]),
     "I_C is not symmetric. Check the signs and places of the products of inertia")])
def test_rotational_inertias_that_no_body_has(rng, central, message):
    R = random_rotation(rng)
    with pytest.raises(ValueError, match=message):
        validation.rotational_inertia(R @ central @ R.T, "I_C")


@pytest.mark.parametrize(("change", "message"), [
    (lambda I: changed(I, (0, 1), 0.1), "it is not symmetric"),
    (lambda I: changed(I, (3, 3), 0.1), "its lower right block must be the mass times the identity"),
    (lambda I: changed(changed(I, (0, 3), 0.1), (3, 0), 0.1), "its upper right block must be m c×, a skew matrix"),
    (lambda I: -I, "The mass in I is -"),
    (lambda I: I - np.diag([9, 9, 9, 0, 0, 0]), "The rotational inertia in I has the negative principal moment"),
    (lambda I: I + np.diag([999, 0, 0, 0, 0, 0]), "The rotational inertia in I violates the triangle inequality"),
    (lambda I: np.linalg.inv(I), "I is not the inertia of a rigid body.*Make one with mcI"),
    (lambda I: np.kron([[0, 1], [-1, 0]], skew([1, 2, 3])),
     "I is not the inertia of a rigid body: its mass is 0, and so its upper right"),
    (lambda I: I[:, :5] * m, r"I has shape \(6, 5\)")])
def test_each_property_of_a_rigid_body_inertia_is_checked(rng, change, message):
    with pytest.raises(ValueError, match=message):
        validation.rigid_body_inertia(change(mcI(*random_mass_properties(rng))), "I")
