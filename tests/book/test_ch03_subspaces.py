"""Subspaces: ranks and scales, exact numbers and symbols, and what is no subspace, basis or decomposition. What the
book says about them is tested in tests/sources/test_rbda_ch03.py and test_rbda_ch03_bodies.py."""

import mpmath
import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal

from rbdlib.book import ch03_subspaces as subspaces
from rbdlib.book.ch03_subspaces import dimension, dual_basis, orthogonal_complement
from rbdlib.methods import subspaces as spaces
from rbdlib.numbers.linear import solve_linear

S_2 = np.eye(6)[:, :2]


@pytest.mark.parametrize(("error", "rank", "rank_of_complement"), [
    (1e-8, 2, 1), (1e-10, 1, 1), (1e-11, 1, 1), (1e-13, 1, 2)])
def test_how_far_columns_must_differ_to_count_as_two(error, rank, rank_of_complement):
    """By 1e-9 of their length; the form of the complement is exact to 1e-12."""
    S = 1e4 * np.array([[1, 1], [1, 1 + error], [0, 0]])
    assert dimension(S) == spaces.independent_columns(S).shape[1] == rank
    assert orthogonal_complement(S).shape == (3, rank_of_complement)


def test_rank_and_orthogonality_do_not_depend_on_units():
    across, oblique = np.array([[3.0, 1], [0.1, 2], [0.7, -1]]), np.array([[1.0], [1], [1]])
    normal = np.cross(*across.T)[:, None]
    for scale in (1e-8, 1, 1e8):
        assert spaces.is_orthogonal(scale * across, scale * normal) and spaces.is_orthogonal(scale * normal, across)
        assert not spaces.is_orthogonal(scale * across, scale * oblique)
        assert not spaces.is_orthogonal(scale * across, scale * (normal + 1e-4 * oblique))

    S = np.array([[1, 0, 1], [0, 1e-7, 1e-7], [0, 2e5, 2e5]])
    for scaled in (S, 1e-12 * S, S * [1, 1e-10, 1e10]):
        assert dimension(scaled) == 2
    assert_array_equal(spaces.independent_columns(S), S[:, :2])
    assert dimension(np.column_stack([0 * S[:, :1], S])) == 2, "a column of zeros has no length to divide by"
    assert_allclose(orthogonal_complement(1e-13 * S), orthogonal_complement(S), rtol=1e-9)


def test_subspaces_of_exact_and_precise_numbers():
    fractions = sympy.Matrix([[1, 0], [2, 1], [0, 3]]) / 3
    T = orthogonal_complement(fractions)
    assert (T.T @ np.array(fractions.tolist())).tolist() == [[0, 0]]
    assert not sympy.Matrix(T).has(sympy.Float)
    assert dimension(fractions) == 2
    assert spaces.is_same_subspace(fractions, fractions @ sympy.Matrix([[1, 2], [0, 1]]))
    a, b = sympy.symbols("a b")
    E = dual_basis([[a, 0], [1, b]])
    assert sympy.simplify(sympy.Matrix(E).T * sympy.Matrix([[a, 0], [1, b]]) - sympy.eye(2)).is_zero_matrix
    assert spaces.is_orthogonal(np.array([[a], [b]]), np.array([[b], [-a]]))
    assert not spaces.is_orthogonal(np.array([[a], [b]]), np.array([[b], [a]]))
    with mpmath.workdps(40):
        x = solve_linear(np.array([[mpmath.mpf(2), 1], [1, mpmath.mpf(3)]]), [mpmath.mpf(1), mpmath.mpf(1)])
        assert abs(x[0] - mpmath.mpf(2) / 5) < mpmath.mpf(10) ** -35


def test_dual_bases_extract_coordinates_and_equations_have_one_right_side_or_several():
    rng = np.random.default_rng(3)
    D, v, f = np.split(rng.normal(size=(6, 8)), [6, 7], axis=1)
    E = dual_basis(D)
    assert_allclose(E.T @ D, np.eye(6), atol=1e-12)
    assert_allclose((D @ v).T @ (E @ f), v.T @ f, rtol=1e-10)
    assert_allclose(dual_basis(E), D, atol=1e-10)
    A, B = rng.normal(size=(5, 5)), rng.normal(size=(5, 3))
    A[0, 0] = 0
    for left, right in ((A, B), (A, B[:, 0]), (1e-20 * A, B)):
        assert_allclose(solve_linear(left, right), np.linalg.solve(left, right), rtol=1e-9)
    assert solve_linear(np.zeros((0, 0)), np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: dimension([1, 2, 3]), r"S has shape \(3,\); expected a matrix whose .* single vector write S.reshape\(-1"),
    (lambda: orthogonal_complement([1, 2, 3]), r"S has shape \(3,\)"),
    (lambda: spaces.is_subspace(np.eye(3), S_2),
     "S_1 has 3 rows; its vectors must have 6 coordinates, as the others have"),
    (lambda: spaces.intersection(S_2, np.eye(3)), "S_2 has 3 rows"),
    (lambda: spaces.is_orthogonal(S_2, np.eye(3)), "S_2 has 3 rows"),
    (lambda: spaces.is_direct_sum(), "subspaces is empty; give one matrix or more"),
    (lambda: spaces.is_direct_sum([1, 2]), r"the first subspace has shape \(2,\)"),
    (lambda: spaces.is_direct_sum(S_2, np.eye(3)), "subspace 2 has 3 rows"),
    (lambda: subspaces.decompose(np.ones(6), S_2), "2 columns have rank 2, the space has dimension 6. For a unique"),
    (lambda: subspaces.decompose(np.ones(5), np.eye(6)), r"v has shape \(5,\)"),
    (lambda: dual_basis(S_2), "D has 2 columns of rank 2; a basis has 6 independent ones"),
    (lambda: dual_basis(np.ones((2, 2))), "D has 2 columns of rank 1"),
    (lambda: solve_linear(np.ones((2, 2)), [1, 1]), "A is singular: its rank is 1, its size 2"),
    (lambda: solve_linear(np.ones((2, 3)), [1, 1]), r"A has shape \(2, 3\); expected a square"),
    (lambda: solve_linear(np.eye(2), [1, 1, 1]), r"B has shape \(3,\)"),
    (lambda: subspaces.active_force_subspace(np.ones((6, 2))), "Tᵀ S has rank 1; it must have rank 2, .* gimbal lock"),
    (lambda: subspaces.active_force_subspace(S_2, np.ones((6, 1))), r"T has shape \(6, 1\)"),
    (lambda: subspaces.active_force_subspace([[np.nan]] * 6), "S contains nan"),
    (lambda: subspaces.accelerating_force(np.ones(6), np.eye(5), S_2), r"I has shape \(5, 5\)")])
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
