"""Scalars and small arrays: what lets one algorithm run on floats, SymPy symbols, mpmath numbers and recorders.

Algorithm code in rbdlib uses ``+ - * / @``, indexing, the functions `sin`, `cos`, `sqrt` below, and allocates with
`zeros`, `eye` and `blocks`, which follow the kind of numbers they are given. The functions `number`, `vector` and
`matrix` are the doors through which every argument enters: they turn it into a NumPy array, or say what is wrong.
"""

import functools
import math
import sys
from numbers import Rational

import numpy as np

#: Tolerance with which a given matrix must fulfil its definition (orthonormal, symmetric, ...).
TOLERANCE = 1e-6
#: Whole numbers up to this one stay whole, as in NumPy, so that they leave formulas exact; larger ones become floats.
LARGEST_EXACT = 10**6


def sin(x):
    """Sine of a scalar of any kind (angle in rad)."""
    return _apply("sin", x)


def cos(x):
    """Cosine of a scalar of any kind (angle in rad)."""
    return _apply("cos", x)


def sqrt(x):
    """Square root of a scalar of any kind."""
    return _apply("sqrt", x)


def roots(x):
    """The square roots of the entries of an array (n) of any kind of scalars."""
    return np.sqrt(x) if x.dtype == float else np.array([sqrt(each) for each in x])


#: Values that are whole numbers, given as such so that they leave formulas exact.
EXACT: dict = {("sin", 0): 0, ("cos", 0): 1, ("sqrt", 0): 0, ("sqrt", 1): 1}


def _apply(name, x):
    if isinstance(x, float):
        return getattr(math, name)(x)
    if isinstance(x, (int, np.integer)) and (name, x) in EXACT:
        return EXACT[name, x]
    library = _library(x)
    if library == "sympy":
        return getattr(sys.modules["sympy"], name)(x)
    if library == "mpmath":
        context = getattr(x, "context", None) or x.ctx
        return getattr(context, name)(x)
    if isinstance(x, (np.number, complex)):
        return getattr(np, name)(x)
    if isinstance(x, Rational):
        return getattr(math, name)(x)
    return getattr(x, name)()


def _library(x):
    """"sympy" or "mpmath" if x, or a class that its class is made from, comes from there; otherwise ""."""
    for kind in type(x).__mro__:
        library = (kind.__module__ or "").partition(".")[0]
        if library in ("sympy", "mpmath"):
            return library
    return ""


def is_number(x):
    """True if x has a definite numeric value, so that comparing it makes sense (a symbol has none)."""
    if isinstance(x, (int, float, complex, np.number)) or _library(x) == "mpmath":
        return True
    return getattr(x, "is_number", False) is True or isinstance(x, Rational)     # SymPy says so, and our own kinds


def rotation_series(x):
    """sin(t)/t, (1 - cos t)/t² and (t - sin t)/t³ for t² = x, a scalar of any kind.

    Numbers below 1 go by power series, to the last digit of their kind, because the divisions would lose digits.
    """
    if isinstance(x, (int, float, complex, np.number)) or _library(x) == "mpmath":
        if abs(x) < 1:
            return tuple(_power_series(x, n) for n in (1, 2, 3))
    elif x == 0:
        return 1 - x / 6, (1 - x / 12) / 2, (1 - x / 20) / 6            # x may carry its derivatives along
    t = sqrt(x)
    return sin(t) / t, (1 - cos(t)) / x, (t - sin(t)) / (x * t)


def _power_series(x, n):
    """The sum of (-x)^k / (2k + n)! over k = 0, 1, ... until a term no longer counts."""
    total, term = 0 * x, (0 * x + 1) / math.factorial(n)
    for k in range(100):
        if total + term == total:
            break
        total, term = total + term, -term * x / ((2 * k + n + 1) * (2 * k + n + 2))
    return total


# Arrays that follow the kind of numbers they are made from

#: The types of nearly all arrays. They are tried first everywhere, because to ask NumPy for the common type of a few
#: small arrays takes longer than to compute with them. What equals them but is not they goes the longer way.
FLOAT, WHOLE = np.dtype(float), np.dtype(np.int64)


def _kind(*like):
    """The NumPy type in which numbers of all the given kinds can be stored: float, complex or object."""
    for x in like:
        if type(x) is not np.ndarray or (x.dtype is not FLOAT and x.dtype is not WHOLE):
            return np.result_type(float, *(x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype for x in like))
    return FLOAT


def zeros(shape, *like):
    """An array of zeros that can hold numbers of the kinds found in ``like``.

    Arrays of symbols and other objects get the integer 0, which leaves no trace in a formula.
    """
    return np.zeros(shape, _kind(*like))


def eye(n, *like):
    """The n x n identity matrix, for numbers of the kinds found in ``like``."""
    return _identity(n, _kind(*like)).copy()


@functools.lru_cache(64)
def _identity(n, kind):
    """The identity matrix that `eye` copies, which takes a third of the time of making one."""
    return np.eye(n, dtype=kind)


def blocks(rows):
    """A matrix from 3 x 3 blocks, written as in the book.

    Parameters: a list of rows, each a list of 3 x 3 arrays or scalars; a scalar k stands for k times the identity
    matrix, so that ``blocks([[1, 0], [-skew(r), 1]])`` reads like RBDA Eq. 2.21.
    """
    matrix = np.zeros((3 * len(rows), 3 * len(rows[0])), _kind_of_blocks([block for row in rows for block in row]))
    for i, row in enumerate(rows):
        for j, block in enumerate(row):
            if type(block) is int and block == 0:
                continue
            if np.ndim(block):
                matrix[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = block
            else:
                for k in range(3):
                    matrix[3 * i + k, 3 * j + k] = block
    return matrix


def block_diagonal(parts):
    """The matrix with the given matrices along its diagonal and zeros elsewhere; n x 0 parts count with their rows."""
    whole = zeros((sum(part.shape[0] for part in parts), sum(part.shape[1] for part in parts)), *parts)
    row = column = 0
    for part in parts:
        height, width = part.shape
        whole[row : row + height, column : column + width] = part
        row, column = row + height, column + width
    return whole


def _kind_of_blocks(entries):
    kind = None
    for x in entries:
        if type(x) is np.ndarray and x.dtype is FLOAT:
            kind = FLOAT
        elif type(x) not in (int, float, np.float64):           # these have room where floats have
            return np.result_type(*(np.asarray(x).dtype for x in entries))
    return kind or np.result_type(*(np.asarray(x).dtype for x in entries))


def number(x, name):
    """The scalar x, checked: one finite number or symbol. Raises TypeError or ValueError naming the argument."""
    if isinstance(x, float) and math.isfinite(x):
        return np.float64(x)
    if type(x) is int and abs(x) <= LARGEST_EXACT:
        return np.int64(x)
    return vector([x], 1, name)[0] if np.ndim(x) == 0 else _refuse_shape(np.asarray(x), "a single number", name)


def vector(x, n, name):
    """x as a one-dimensional array of n finite numbers or symbols (a SymPy column or row matrix is welcome too).

    Raises TypeError (text, None, nested lists) or ValueError (wrong length, NaN, infinity), naming the argument.
    """
    if type(x) is np.ndarray and x.dtype is FLOAT and x.shape == (n,) and math.isfinite(sum(x.tolist())):
        return x.copy()
    array = any_array(x, name)
    if array.ndim == 2 and 1 in array.shape and _library(x) == "sympy":
        array = array.ravel()
    if array.shape != (n,):
        _refuse_shape(array, f"{n} numbers, shape ({n},)", name)
    return array


def matrix(x, shape, name):
    """x as a two-dimensional array of the given shape. Raises TypeError or ValueError, naming the argument."""
    if type(x) is np.ndarray and x.dtype is FLOAT and x.shape == shape and math.isfinite(np.vdot(x, x)):
        return x.copy()
    array = any_array(x, name)
    if array.shape != shape:
        _refuse_shape(array, f"a matrix of shape {shape}", name)
    return array


def _refuse_shape(array, expected, name):
    remedy = ""
    if array.ndim == 2 and 1 in array.shape and "numbers" in expected:
        remedy = f"; write {name}.ravel() to turn a column or row into a vector"
    raise ValueError(f"{name} has shape {array.shape}; expected {expected}{remedy}.")


def any_array(x, name):
    """x as an array of any shape of finite numbers or symbols; TypeError or ValueError naming the argument."""
    if type(x) is np.ndarray and x.dtype is FLOAT and np.isfinite(x).all():
        return x.copy()
    text = _first_text(x)
    if text is not None:
        raise TypeError(f"{name} contains the text {text!r}, which is not a number. Give numbers or symbols.")
    try:
        array = np.array(x.tolist() if _library(x) == "sympy" and hasattr(x, "tolist") else x)
    except ValueError:
        raise ValueError(f"{name} is ragged: its rows have different lengths. Give one number per entry.") from None
    if array.dtype == object and isinstance(x, (list, tuple)) and all(isinstance(e, (int, float)) for e in array.flat):
        try:
            array = array.astype(float)
        except OverflowError:
            raise ValueError(f"{name} contains a whole number of more than 308 digits, which no float can hold."
                             ) from None
    if array.dtype.kind in "iu" and array.size and np.abs(array).max() <= LARGEST_EXACT:
        return array.astype(np.int64)
    if array.dtype.kind in "biu" or array.dtype in (np.float16, np.float32):
        array = array.astype(float)
    if array.dtype.kind in "fc":
        if not np.isfinite(array).all():
            _refuse_value(array, np.isfinite(array), name)
        return array
    if array.dtype.kind != "O":
        raise TypeError(f"{name} is an array of {array.dtype}, which are not numbers. Give numbers or symbols.")
    for entry in array.flat:
        if not (hasattr(entry, "__mul__") and hasattr(entry, "__sub__")):
            raise TypeError(f"{name} contains {entry!r}, which is neither a number nor a symbol.")
    finite = np.array([_is_finite(entry) for entry in array.flat], dtype=bool).reshape(array.shape)
    if not finite.all():
        _refuse_value(array, finite, name)
    return array


def _first_text(x):
    if isinstance(x, (str, bytes)):
        return x
    entries = x if isinstance(x, (list, tuple)) else ()
    return next((text for text in map(_first_text, entries) if text is not None), None)


def _refuse_value(array, finite, name):
    where = tuple(int(i) for i in np.argwhere(~finite)[0])
    place = "" if array.size == 1 else f" at index {where[0] if len(where) == 1 else where}"
    raise ValueError(f"{name} contains {array[where]}{place}; every number must be finite. Find where it arose.")


def _is_finite(entry):
    if isinstance(entry, int):
        return abs(entry) <= sys.float_info.max
    if isinstance(entry, (float, complex, np.number)):
        return bool(np.isfinite(entry))
    if _library(entry) == "sympy":
        sympy = sys.modules["sympy"]
        return not entry.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
    if hasattr(entry, "_mpf_") or hasattr(entry, "_mpc_"):
        return bool(sys.modules["mpmath"].isfinite(entry))
    if _library(entry) == "mpmath":
        return "nan" not in str(entry) and "inf" not in str(entry)
    return True


def unfilled(length, number):
    """Some number of lists of the given length, to be filled with what belongs to each body."""
    return ([None] * length for _ in range(number))


def floats(array, otherwise):
    """The array as floats; ValueError, which says otherwise, if it contains symbols."""
    if (values := as_floats(array)) is None:
        raise ValueError(otherwise)
    return values


def as_floats(array):
    """The array as floats if every entry has a numeric value, otherwise None (it contains symbols)."""
    array = np.asarray(array)
    if array.dtype.kind in "iuf":
        return array.astype(float)
    if array.dtype.kind == "O" and all(is_number(entry) for entry in array.flat):
        try:
            return array.astype(float)
        except TypeError:
            return None
    return None
