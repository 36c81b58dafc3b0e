"""Scalars of every kind, allocation that follows them, and the doors through which arguments enter."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib.book import ch02_planar as planar, ch02_spatial as spatial
from rbdlib.numbers import scalars
from rbdlib.numbers.dual import jacobian
from rbdlib.numbers.pivots import larger, sizes_of
from rbdlib.numbers.scalars import as_floats, blocks, eye, is_number, matrix, number, vector, zeros

x = sp.Symbol("x", real=True)


class Recorder:
    """A foreign scalar that knows its own functions."""
    def __mul__(self, other):
        return self

    __sub__ = __mul__

    def sin(self):
        return "the sine of a recorder"


# Functions

@pytest.mark.parametrize("name", ["sin", "cos", "sqrt"])
def test_functions_have_the_value_and_the_kind_of_their_argument(name):
    function = getattr(scalars, name)
    for kind in (float, np.float64, np.float32, Fraction, sp.Rational, mpmath.mpf, complex, np.complex128):
        assert complex(function(kind(0.625))) == pytest.approx(getattr(math, name)(0.625), rel=1e-6), kind
    for one in (1, np.int64(1), True):
        assert function(one) == getattr(math, name)(1)
    for exact in (x, sp.Integer(2)):
        assert function(exact) == getattr(sp, name)(exact)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
        assert function(third) == getattr(mpmath, name)(third)


def test_functions_keep_foreign_scalars_new_arrays_hold_them_and_some_have_a_definite_value():
    assert scalars.sin(mpmath.mpc(1, 2)) == mpmath.sin(mpmath.mpc(1, 2))
    interval = scalars.sqrt(mpmath.iv.mpf([2, 3]))
    assert interval.a <= mpmath.sqrt(2)
    assert mpmath.sqrt(3) <= interval.b
    assert scalars.sin(Recorder()) == "the sine of a recorder"
    assert scalars.sin(0.3 + 1e-30j).imag / 1e-30 == pytest.approx(math.cos(0.3), rel=1e-14)

    for value in (1, 1.5, 1j, np.float32(1), sp.Rational(1, 3), sp.pi, mpmath.mpf(2)):
        assert is_number(value) is True, value
    for value in (x, 2 * x, Recorder(), "1"):
        assert is_number(value) is False, value

    for like, dtype in (([], float), ([1], float), ([np.float32(1)], float), ([1j], complex), ([x], object),
                        ([1.0, np.array([x])], object), ([mpmath.mpf(1)], object), ([np.array([1j]), 2], complex)):
        for array, expected in ((zeros((2, 3), *like), np.zeros((2, 3))), (eye(3, *like), np.eye(3))):
            assert array.dtype == dtype, like
            assert_array_equal(array, expected)


# Allocation

def test_zero_leaves_no_trace_in_a_formula_nor_whole_numbers_a_float():
    assert (zeros(1, x) + x)[0] is x
    assert str((eye(2, x) @ np.array([x, 2 * x]))[1]) == "2*x"
    assert vector([1, 2], 2, "r").dtype == np.int64
    assert (spatial.xlt([0, 1, 0]) @ np.array([0, 0, x, 0, 0, 0])).tolist() == [0, 0, x, -x, 0, 0]
    assert str(spatial.line_motion([1, 0, 0], [0, x, 0])[5]) == "-x"
    assert str(planar.Xpln([x, 0], 0)[2, 0]) == "x"
    X = spatial.plucker(sp.eye(3), sp.Matrix([1, x, -3]))
    for transform in (X, spatial.inverse_transform(X)):
        assert not sp.Matrix(transform).atoms(sp.Float)
    assert spatial.X_to_Er(X)[1].tolist() == [1, x, -3]
    angle = sp.Function("q")(sp.Symbol("t"))                    # a function of time is a symbol too
    assert spatial.rz(angle)[0, 0] == sp.cos(angle)
    assert spatial.xlt([angle, 0, 0])[4, 2] == angle


def test_blocks_reads_like_a_printed_matrix_and_doors_return_new_arrays():
    A, B = np.arange(9).reshape(3, 3), np.full((3, 3), 7)
    expected = np.block([[A, 2 * np.eye(3)], [np.zeros((3, 3)), B]])
    assert_array_equal(blocks([[A, 2], [0, B]]), expected)
    assert_array_equal(blocks([[1, B]]), np.hstack([np.eye(3), B]))
    assert blocks([[x, 0], [0, A]])[0, 0] is x
    assert blocks([[1j, 0], [0, A]]).dtype == complex

    for numbers, square in ((np.arange(3.0), np.eye(3)), (np.arange(3), np.eye(3, dtype=int))):
        vector(numbers, 3, "r")[0], matrix(square, (3, 3), "E")[0, 0] = 9, 9
        assert_array_equal(numbers, [0, 1, 2])
        assert square[0, 0] == 1


# Doors

def test_vectors_are_any_sequences_matrices_may_be_of_sympy_and_large_whole_numbers_become_floats():
    for given in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), np.array([1, 2, 3], dtype=np.float32),
                  np.array([1, 2, 3], dtype="u1"), [Fraction(1), 2, 3], [1, np.float64(2), 3.0], range(1, 4)):
        entered = vector(given, 3, "r")
        assert entered.shape == (3,)
        assert_array_equal(entered.astype(float), [1, 2, 3])
    for given in (sp.Matrix([x, 1, 2]), sp.Matrix([[x, 1, 2]])):
        assert vector(given, 3, "r").tolist() == [x, 1, 2]
    assert matrix(sp.eye(3) * x, (3, 3), "E")[2, 2] is x
    assert matrix(sp.ImmutableMatrix([[1, x]]), (1, 2), "E").tolist() == [[1, x]]
    for given, entered in ((2, 2), (np.array(2.5), 2.5), (mpmath.mpf("0.1"), mpmath.mpf("0.1")), (x, x),
                           (mpmath.iv.mpf([1, 2]), mpmath.iv.mpf([1, 2]))):
        assert number(given, "m") == entered

    assert vector([10**6 + 1, 0], 2, "r").dtype == float
    assert spatial.mcI(1, [10**10, 0, 0], np.eye(3))[1, 1] == pytest.approx(1e20)
    large = vector([10**20, 0, 1], 3, "r")
    assert large.dtype == float
    assert large[0] == 1e20


@pytest.mark.parametrize(("given", "error", "message"), [
    ([1, 2], ValueError, r"r has shape \(2,\); expected 3 numbers, shape \(3,\)"),
    (5, ValueError, r"r has shape \(\); expected 3 numbers"),
    ([[1, 2, 3]], ValueError, r"r has shape \(1, 3\).*write r.ravel\(\) to turn a column or row into a vector"),
    (np.ones((3, 1)), ValueError, r"write r.ravel\(\)"),
    (np.ones((3, 3)), ValueError, r"r has shape \(3, 3\); expected 3 numbers, shape \(3,\)\.$"),
    ([1, [2, 3], 4], ValueError, "r is ragged: its rows have different lengths"),
    ([1, math.nan, 3], ValueError, "r contains nan at index 1; every number must be finite"),
    ([1, 2, -math.inf], ValueError, "r contains -inf at index 2"),
    (np.array([math.inf, -math.inf, 1]), ValueError, "r contains inf at index 0"),
    (np.array([1e308, 1, math.nan]), ValueError, "r contains nan at index 2"),
    ([1, 2, complex(0, math.inf)], ValueError, "r contains .*inf.* at index 2"),
    ([x, sp.nan, 3], ValueError, "r contains nan at index 1"),
    ([x, sp.zoo, 3], ValueError, "r contains zoo at index 1"),
    ([x, sp.oo + x, 3], ValueError, "r contains .*oo.* at index 1"),
    ([x, 2, math.inf], ValueError, "r contains inf at index 2"),
    ([mpmath.mpf("nan"), 2, 3], ValueError, "r contains nan at index 0"),
    ([mpmath.mpf("-inf"), 2, 3], ValueError, "r contains -inf at index 0"),
    ([1, mpmath.iv.mpf([1, "inf"]), 3], ValueError, "r contains .*inf.* at index 1"),
    ([1, 2, mpmath.iv.mpf("nan")], ValueError, "r contains .*nan.* at index 2"),
    ([10**400, 0, 0], ValueError, "r contains a whole number of more than 308 digits"),
    (np.array([10**400, x, 0]), ValueError, "must be finite"), ("abc", TypeError, "r contains the text 'abc'"),
    (["1", 2, 3], TypeError, "r contains the text '1'"), ([1, ["2"], 3], TypeError, "r contains the text '2'"),
    (b"abc", TypeError, "r contains the text b'abc'"),
    (np.array(["a", "b", "c"]), TypeError, "r is an array of <U1, which are not numbers"),
    (np.array(["a", x, 1], dtype=object), TypeError, "r contains 'a', which is neither a number nor a symbol"),
    (None, TypeError, "r contains None"), ([1, None, 3], TypeError, "r contains None"),
    ({1, 2, 3}, TypeError, "r contains {1, 2, 3}"), ([{}, 1, 2], TypeError, "r contains {}"),
    (np.array(["2020-01-01"] * 3, dtype="M8[D]"), TypeError, "not numbers")])
def test_vector_says_what_is_wrong(given, error, message):
    with pytest.raises(error, match=message):
        vector(given, 3, "r")


@pytest.mark.parametrize(("given", "error", "message"), [
    ([1, 2, 3], ValueError, r"E has shape \(3,\); expected a matrix of shape \(3, 3\)\.$"),
    (np.ones((1, 3)), ValueError, r"E has shape \(1, 3\); expected a matrix of shape \(3, 3\)\.$"),
    ([[1, 0, 0], [0, 1, 0], [0, 0, math.nan]], ValueError, r"E contains nan at index \(2, 2\)"),
    (np.diag([1, math.inf, -math.inf]), ValueError, r"E contains inf at index \(1, 1\)"),
    ([[1, 0], [0, 1, 0], [0, 0, 1]], ValueError, "E is ragged"), ("E", TypeError, "E contains the text 'E'")])
def test_matrix_says_what_is_wrong(given, error, message):
    with pytest.raises(error, match=message):
        matrix(given, (3, 3), "E")


@pytest.mark.parametrize(("given", "message"), [
    (math.nan, "m contains nan; every number must be finite"), (sp.oo, "m contains oo;"),
    (np.array(math.inf), "m contains inf;"), ([1], r"m has shape \(1,\); expected a single number"),
    ([1, 2], r"m has shape \(2,\); expected a single"), (np.ones((1, 1)), r"m has shape \(1, 1\); expected a single")])
def test_number_says_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        number(given, "m")


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_taken_for_symbols_have_no_sizes():
    numbers = np.array([[2.0, 0.0, -3.0]])
    assert sizes_of(numbers).tolist() == [[2, 0, 3]] and sizes_of(numbers, by_size=False).tolist() == [[1, 0, 1]]


def test_floats_whose_sum_overflows_are_finite_all_the_same():
    huge = np.full((6, 6), 1e308)
    assert_array_equal(matrix(huge, (6, 6), "X"), huge)
    assert_array_equal(vector(huge[0], 6, "v"), huge[0])
    assert number(1e308, "m") == 1e308


def test_the_larger_of_two_formulas_is_larger_for_any_numbers_in_them():
    y = sp.Symbol("y", real=True)
    for a, b in ((2, 5), (5, 2), (-3, 0.5)):
        assert larger(x, y).subs({x: a, y: b}) == larger(a, b) == max(a, b)


# Definite values

def test_floats_are_had_where_every_entry_has_a_real_value():
    for array, values in (([1, 2], [1, 2]), ([1.5, 2], [1.5, 2]), ([sp.Rational(1, 4), sp.pi], [0.25, math.pi]),
                          ([mpmath.mpf("0.5"), 1], [0.5, 1])):
        assert as_floats(array) == pytest.approx(values)
        assert as_floats(np.array(array)) == pytest.approx(values)
    for array in ([x, 1], [1j, 1], [sp.I, 1], [Recorder(), 1]):
        assert as_floats(np.array(array)) is None, array


@pytest.mark.parametrize("x", [1e-6, np.float64(0.3), mpmath.mpf("0.01")])
def test_the_series_of_rotations_lose_no_digits(x):
    with mpmath.workdps(60):
        t = mpmath.sqrt(mpmath.mpf(x))
        exact = mpmath.sin(t) / t, (1 - mpmath.cos(t)) / t**2, (t - mpmath.sin(t)) / t**3
    assert all(abs(found / right - 1) < 1e-15 for found, right in zip(scalars.rotation_series(x), exact, strict=True))
    assert jacobian(lambda x: np.array(scalars.rotation_series(x[0])), [0.0]) == pytest.approx(
        -1 / np.array([[6], [24], [120]]))
