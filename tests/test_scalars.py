"""Scalars of every kind, allocation that follows them, and the doors through which arguments enter."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_array_equal

from rbdlib import planar, scalars, spatial
from rbdlib.scalars import as_floats, blocks, eye, is_number, matrix, number, vector, zeros

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
@pytest.mark.parametrize("kind", [float, np.float64, np.float32, Fraction, sp.Rational, mpmath.mpf, complex,
                                  np.complex128], ids=lambda kind: kind.__name__)
def test_functions_have_the_same_value_for_every_kind_of_number(name, kind):
    value = getattr(scalars, name)(kind(0.625))
    assert complex(value) == pytest.approx(getattr(math, name)(0.625), rel=1e-6)


@pytest.mark.parametrize("name", ["sin", "cos", "sqrt"])
def test_functions_of_whole_numbers(name):
    for one in (1, np.int64(1), True):
        assert getattr(scalars, name)(one) == getattr(math, name)(1)


@pytest.mark.parametrize("name", ["sin", "cos", "sqrt"])
def test_functions_keep_symbols_exact(name):
    assert getattr(scalars, name)(x) == getattr(sp, name)(x)
    assert getattr(scalars, name)(sp.Integer(2)) == getattr(sp, name)(2)


def test_functions_keep_the_precision_of_mpmath():
    with mpmath.workdps(50):
        for name in ("sin", "cos", "sqrt"):
            third = mpmath.mpf(1) / 3
            assert getattr(scalars, name)(third) == getattr(mpmath, name)(third)


def test_functions_keep_complex_numbers_and_intervals_of_mpmath():
    assert scalars.sin(mpmath.mpc(1, 2)) == mpmath.sin(mpmath.mpc(1, 2))
    interval = scalars.sqrt(mpmath.iv.mpf([2, 3]))
    assert interval.a <= mpmath.sqrt(2)
    assert mpmath.sqrt(3) <= interval.b


def test_functions_of_a_foreign_scalar_are_its_own():
    assert scalars.sin(Recorder()) == "the sine of a recorder"


def test_sine_carries_a_complex_step():
    assert scalars.sin(0.3 + 1e-30j).imag / 1e-30 == pytest.approx(math.cos(0.3), rel=1e-14)


@pytest.mark.parametrize(("value", "definite"), [
    (1, True), (1.5, True), (1j, True), (np.float32(1), True), (sp.Rational(1, 3), True), (sp.pi, True),
    (mpmath.mpf(2), True), (x, False), (2 * x, False), (Recorder(), False), ("1", False),
])
def test_what_has_a_definite_value(value, definite):
    assert is_number(value) is definite


# Allocation


@pytest.mark.parametrize(("like", "dtype"), [
    ([], float), ([1], float), ([np.float32(1)], float), ([1j], complex), ([x], object), ([1.0, np.array([x])], object),
    ([mpmath.mpf(1)], object), ([np.array([1j]), 2], complex),
])
def test_new_arrays_can_hold_what_they_are_made_for(like, dtype):
    for array in (zeros((2, 3), *like), eye(3, *like)):
        assert array.dtype == dtype
        assert_array_equal(array, np.zeros((2, 3)) if array.shape == (2, 3) else np.eye(3))


def test_zero_leaves_no_trace_in_a_formula():
    assert (zeros(1, x) + x)[0] is x
    assert str((eye(2, x) @ np.array([x, 2 * x]))[1]) == "2*x"


def test_blocks_reads_like_a_printed_matrix():
    A, B = np.arange(9).reshape(3, 3), np.full((3, 3), 7)
    expected = np.block([[A, 2 * np.eye(3)], [np.zeros((3, 3)), B]])
    assert_array_equal(blocks([[A, 2], [0, B]]), expected)
    assert_array_equal(blocks([[1, B]]), np.hstack([np.eye(3), B]))
    assert blocks([[x, 0], [0, A]])[0, 0] is x
    assert blocks([[1j, 0], [0, A]]).dtype == complex


# Doors


def test_doors_return_new_arrays():
    given = np.arange(3.0)
    entered = vector(given, 3, "r")
    entered[0] = 9
    assert_array_equal(given, [0, 1, 2])
    given = np.eye(3)
    matrix(given, (3, 3), "E")[0, 0] = 9
    assert given[0, 0] == 1


@pytest.mark.parametrize("given", [
    [1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), np.array([1, 2, 3], dtype=np.float32), np.array([1, 2, 3], dtype="u1"),
    [Fraction(1), 2, 3], [1, np.float64(2), 3.0], range(1, 4),
])
def test_vector_takes_any_sequence_of_numbers(given):
    entered = vector(given, 3, "r")
    assert entered.shape == (3,)
    assert_array_equal(entered.astype(float), [1, 2, 3])


def test_whole_numbers_leave_formulas_exact():
    assert vector([1, 2], 2, "r").dtype == np.int64
    assert (spatial.xlt([0, 1, 0]) @ np.array([0, 0, x, 0, 0, 0])).tolist() == [0, 0, x, -x, 0, 0]
    assert str(spatial.line_motion([1, 0, 0], [0, x, 0])[5]) == "-x"
    assert str(planar.Xpln([x, 0], 0)[2, 0]) == "x"
    assert not sp.Matrix(spatial.plucker(sp.eye(3), [1, -2, 3])).atoms(sp.Float)


def test_large_whole_numbers_become_floats():
    assert vector([10**6 + 1, 0], 2, "r").dtype == float
    assert spatial.mcI(1, [10**10, 0, 0], np.eye(3))[1, 1] == pytest.approx(1e20)
    large = vector([10**20, 0, 1], 3, "r")
    assert large.dtype == float
    assert large[0] == 1e20
    with pytest.raises(ValueError, match="r contains a whole number of more than 308 digits"):
        vector([10**400, 0, 0], 3, "r")
    with pytest.raises(ValueError, match="must be finite"):
        vector(np.array([10**400, x]), 2, "r")


def test_sympy_matrices_enter_as_vectors_and_matrices():
    assert vector(sp.Matrix([x, 1, 2]), 3, "r").tolist() == [x, 1, 2]
    assert vector(sp.Matrix([[x, 1, 2]]), 3, "r").tolist() == [x, 1, 2]
    assert matrix(sp.eye(3) * x, (3, 3), "E")[2, 2] is x
    assert matrix(sp.ImmutableMatrix([[1, x]]), (1, 2), "E").tolist() == [[1, x]]


def test_number_is_a_scalar():
    assert number(2, "m") == 2
    assert number(x, "m") is x
    assert number(np.array(2.5), "m") == 2.5
    assert number(mpmath.mpf("0.1"), "m") == mpmath.mpf("0.1")
    for wrong in ([1], [1, 2], np.ones((1, 1))):
        with pytest.raises(ValueError, match=r"m has shape .*; expected a single number"):
            number(wrong, "m")


@pytest.mark.parametrize(("given", "error", "message"), [
    ([1, 2], ValueError, r"r has shape \(2,\); expected 3 numbers, shape \(3,\)"),
    (5, ValueError, r"r has shape \(\); expected 3 numbers"),
    ([[1, 2, 3]], ValueError, r"r has shape \(1, 3\).*write r.ravel\(\) to turn a column or row into a vector"),
    (np.ones((3, 1)), ValueError, r"write r.ravel\(\)"),
    (np.ones((3, 3)), ValueError, r"r has shape \(3, 3\); expected 3 numbers, shape \(3,\)\.$"),
    ([1, [2, 3], 4], ValueError, "r is ragged: its rows have different lengths"),
    ([1, math.nan, 3], ValueError, "r contains nan at index 1; every number must be finite"),
    ([1, 2, -math.inf], ValueError, "r contains -inf at index 2"),
    ([1, 2, complex(0, math.inf)], ValueError, "r contains .*inf.* at index 2"),
    ([x, sp.nan, 3], ValueError, "r contains nan at index 1"),
    ([x, sp.zoo, 3], ValueError, "r contains zoo at index 1"),
    ([x, sp.oo + x, 3], ValueError, "r contains .*oo.* at index 1"),
    ([x, 2, math.inf], ValueError, "r contains inf at index 2"),
    ([mpmath.mpf("nan"), 2, 3], ValueError, "r contains nan at index 0"),
    ([mpmath.mpf("-inf"), 2, 3], ValueError, "r contains -inf at index 0"),
    ("abc", TypeError, "r contains the text 'abc'"),
    (["1", 2, 3], TypeError, "r contains the text '1'"),
    ([1, ["2"], 3], TypeError, "r contains the text '2'"),
    (b"abc", TypeError, "r contains the text b'abc'"),
    (np.array(["a", "b", "c"]), TypeError, "r is an array of <U1, which are not numbers"),
    (np.array(["a", x, 1], dtype=object), TypeError, "r contains 'a', which is neither a number nor a symbol"),
    (None, TypeError, "r contains None"),
    ([1, None, 3], TypeError, "r contains None"),
    ({1, 2, 3}, TypeError, "r contains {1, 2, 3}"),
    ([{}, 1, 2], TypeError, "r contains {}"),
    (np.array(["2020-01-01"] * 3, dtype="M8[D]"), TypeError, "not numbers"),
])
def test_vector_says_what_is_wrong(given, error, message):
    with pytest.raises(error, match=message):
        vector(given, 3, "r")


@pytest.mark.parametrize(("given", "error", "message"), [
    ([1, 2, 3], ValueError, r"E has shape \(3,\); expected a matrix of shape \(3, 3\)\.$"),
    (np.ones((1, 3)), ValueError, r"E has shape \(1, 3\); expected a matrix of shape \(3, 3\)\.$"),
    ([[1, 0, 0], [0, 1, 0], [0, 0, math.nan]], ValueError, r"E contains nan at index \(2, 2\)"),
    ([[1, 0], [0, 1, 0], [0, 0, 1]], ValueError, "E is ragged"),
    ("E", TypeError, "E contains the text 'E'"),
])
def test_matrix_says_what_is_wrong(given, error, message):
    with pytest.raises(error, match=message):
        matrix(given, (3, 3), "E")


@pytest.mark.parametrize(("given", "message"), [
    (math.nan, "m contains nan; every number must be finite"), (sp.oo, "m contains oo;"),
    (np.array(math.inf), "m contains inf;"),
])
def test_number_refuses_what_is_not_finite(given, message):
    with pytest.raises(ValueError, match=message):
        number(given, "m")


@pytest.mark.filterwarnings("error")
def test_floats_whose_sum_overflows_are_finite_all_the_same():
    huge = np.full((6, 6), 1e308)
    assert_array_equal(matrix(huge, (6, 6), "X"), huge)
    assert_array_equal(vector(huge[0], 6, "v"), huge[0])
    assert number(1e308, "m") == 1e308


@pytest.mark.parametrize("bad", [[math.inf, -math.inf], [math.nan, 1], [1e308, math.inf]])
def test_what_is_not_finite_is_refused_in_arrays_of_floats_too(bad):
    with pytest.raises(ValueError, match="v contains (-?inf|nan) at index"):
        vector(np.array(bad), 2, "v")
    with pytest.raises(ValueError, match="E contains (-?inf|nan) at index"):
        matrix(np.array([bad, bad]), (2, 2), "E")


def test_arrays_of_floats_come_through_the_doors_as_copies():
    given, square = np.array([1.0, 2]), np.eye(3)
    vector(given, 2, "v")[0], matrix(square, (3, 3), "E")[0, 0] = 5, 5
    assert given.tolist() == [1, 2] and square[0, 0] == 1


# Definite values


@pytest.mark.parametrize(("array", "values"), [
    ([1, 2], [1, 2]), (np.array([1.5, 2]), [1.5, 2]), (np.array([sp.Rational(1, 4), sp.pi]), [0.25, math.pi]),
    (np.array([mpmath.mpf("0.5"), 1]), [0.5, 1]), (np.array([x, 1]), None), (np.array([1j, 1]), None),
    (np.array([sp.I, 1]), None), (np.array([Recorder(), 1]), None),
])
def test_floats_are_had_where_every_entry_has_a_real_value(array, values):
    floats = as_floats(array)
    assert floats is None if values is None else floats == pytest.approx(values)


def test_functions_of_time_are_symbols_too():
    angle = sp.Function("q")(sp.Symbol("t"))
    assert spatial.rz(angle)[0, 0] == sp.cos(angle)
    assert spatial.xlt([angle, 0, 0])[4, 2] == angle


def test_transforms_of_symbols_come_back_without_floats():
    X = spatial.plucker(sp.eye(3), sp.Matrix([1, x, 3]))
    assert not sp.Matrix(spatial.inverse_transform(X)).atoms(sp.Float)
    assert spatial.X_to_Er(X)[1].tolist() == [1, x, 3]
