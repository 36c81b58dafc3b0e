"""Compiled functions take numbers and arrays of every kind, and say what is wrong with the others."""

import sys
import sysconfig
from decimal import Decimal
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy

from rbdlib import load, rnea
from rbdlib.compile.compile_for import compile_for
from rbdlib.compile.kernels import Rooms, forces_of_bodies
from tests.compile.batches import states
from tests.sources.helpers import close

SEED = 7


LAYOUTS = {
    "a list": lambda x: x.tolist(), "a tuple of arrays": tuple, "column order": np.asfortranarray,
    "every other entry": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "every other state": lambda x: np.repeat(x, 2, axis=0)[::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1], "read only": lambda x: np.broadcast_to(x, x.shape),
    "big endian": lambda x: x.astype(">f8"),
    "not aligned": lambda x: np.ndarray(x.shape, buffer=bytearray(1) + bytearray(x.tobytes()), offset=1),
    "objects": lambda x: x.astype(object),
    **{kind.__name__: np.vectorize(kind, otypes=[object]) for kind in (Fraction, Decimal, sympy.Float, mpmath.mpf)},
    "rational numbers": np.vectorize(sympy.Rational, otypes=[object]),
    "a subclass": lambda x: x.view(np.matrix) if x.ndim == 2 else x,
    "memory of a file": lambda x: memoryview(np.ascontiguousarray(x))}


@cache
def example():
    """A model, inverse dynamics compiled for it, and some states with their forces."""
    model = load("arm_3r")
    arguments = states(model, (19,), np.random.default_rng(SEED))
    right = np.array([rnea(model, *one) for one in zip(*arguments, strict=True)])
    return model, compile_for(rnea, model), arguments, right


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_arrays_of_every_layout_and_numbers_of_every_library(layout):
    _, fast, arguments, right = example()
    for count in (1, 19):
        close(fast(*(layout(x[:count]) for x in arguments)), right[:count])
    given = [layout(x[:2]) for x in arguments]
    if not isinstance(given[0], (memoryview, np.matrix)):
        close(fast(*(x[1] for x in given)), right[1])


@pytest.mark.parametrize("kind", [np.float32, np.float16, int, np.int8, np.uint64, bool])
def test_numbers_of_every_type(kind):
    model, fast, *_ = example()
    q = np.random.default_rng(SEED).integers(0, 2, (5, 3)).astype(kind)
    for one in (q[0], q):
        tau = fast(one, one, one)
        assert tau.dtype == np.float64
        close(np.atleast_2d(tau)[0], rnea(model, *[q[0].astype(float)] * 3), 1e-6)


@pytest.mark.parametrize(("q", "qd", "qdd"), [
    ((), (5,), ()), ((5,), (), (5,)), ((4, 1), (3,), ()), ((2, 1, 3), (1, 2, 1), (3,)), ((1,), (1,), (17,)),
    ((0,), (), (1,)), ((9, 1), (1, 9), (1, 1))])
def test_batches_are_broadcast_together(q, qd, qdd):
    (model, fast, *_), rng = example(), np.random.default_rng(SEED)
    arguments = [states(model, shape, rng)[k] for k, shape in enumerate((q, qd, qdd))]
    tau = fast(*arguments)
    whole = np.broadcast_arrays(*arguments)
    assert tau.shape == whole[0].shape
    for state in np.ndindex(tau.shape[:-1]):
        close(tau[state], rnea(model, *(x[state] for x in whole)))


def test_forces_of_some_bodies_are_those_of_all():
    first, third = np.arange(12.0).reshape(2, 6), np.ones(6)
    close(forces_of_bodies({1: first, 3: third}, 3), [[0 * third, x, 0 * third, third] for x in first], 0)


def test_results_are_new_arrays_and_arguments_stay_as_they_are():
    (model, fast, *_), rng = example(), np.random.default_rng(SEED)
    for shape in ((), (3,), (6000,)):                              # so many that their room is kept
        arguments = states(model, shape, rng)
        copies = [x.copy() for x in arguments]
        first = fast(*arguments)
        kept = first.copy()
        second = fast(arguments[0], arguments[1], arguments[2] + 1)
        part = second[..., :1]
        del second
        third = fast(arguments[0], arguments[1], arguments[2] - 1)
        assert (first == kept).all() and not np.shares_memory(first, third) and not np.shares_memory(part, third)
        assert first.flags.writeable and first.flags.c_contiguous
        assert all((x == copy).all() for x, copy in zip(arguments, copies, strict=True))


@pytest.mark.skipif(sys.implementation.name != "cpython" or bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
                    reason="this Python does not count who holds an array")
def test_room_is_used_again_for_a_result_of_that_shape_once_nobody_holds_the_last():
    rooms = Rooms()
    place = rooms.take("tau", (200, 300)).ctypes.data
    second = rooms.take("tau", (200, 300))
    assert rooms.kept["tau"] is second and second.ctypes.data == place != rooms.take("tau", (200, 300)).ctypes.data
    assert rooms.take("tau", (300, 200)).shape == (300, 200)
    assert rooms.take("small", (2,)).shape == (2,) and "small" not in rooms.kept


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(("wrong", "error", "text"), [
    (lambda q: q * np.nan, ValueError, "qd contains nan at index"),
    (lambda q: np.where(np.arange(3) == 2, np.inf, q), ValueError, r"qd contains inf at index \(?(0, )?2"),
    (lambda q: q[..., :2], ValueError,
     r"qd has shape .*2,?\); expected shape \(3,\), or \(\.\.\., 3\) for a batch of states\.$"),
    (lambda q: q[..., None], ValueError, r"qd has shape .*3, 1\); expected"),
    (lambda q: 1.0, ValueError, r"qd has shape \(\); expected"), (lambda q: None, TypeError, "qd contains None"),
    (lambda q: "fast", TypeError, "qd contains the text 'fast'"),
    (lambda q: q + 1j, TypeError, "qd contains complex numbers; a compiled function takes floats"),
    (lambda q: np.full(3, sympy.Symbol("x")), TypeError, "qd contains symbols"),
    (lambda q: [[1.0], [1.0, 2.0]], ValueError, "qd is ragged"),
    (lambda q: np.array(["1"] * 3), TypeError, "qd is an array of")])
def test_wrong_arguments_are_named(wrong, error, text, batch):
    _, fast, arguments, _ = example()
    q, qd, qdd = (x[:2] if batch else x[0] for x in arguments)
    with pytest.raises(error, match=text):
        fast(q, wrong(qd), qdd)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda fast, q: fast(q, q), TypeError, r"rnea\(q, qd, qdd, f_ext=None, t=0.0\): missing .*'qdd'"),
    (lambda fast, q: fast(q, q, q, speed=1), TypeError, "unexpected keyword argument 'speed'"),
    (lambda fast, q: fast(q, q, q, None, 0.0, 1), TypeError, "too many positional arguments"),
    (lambda fast, q: fast(np.zeros((2, 3)), np.zeros((4, 3)), q), ValueError,
     r"batches do not fit together: q \(2,\), qd \(4,\), qdd \(\)"),
    (lambda fast, q: fast(q, q, q, np.zeros((3, 6))), ValueError,
     r"f_ext has shape \(3, 6\); expected shape \(4, 6\)"),
    (lambda fast, q: fast(q, q, q, {9: np.zeros(6)}), ValueError,
     "f_ext names body 9; this model has the bodies 1 to 3"),
    (lambda fast, q: fast(q, q, q, {2: np.zeros(5)}), ValueError, r"f_ext\[2\] has shape \(5,\)"),
    *((lambda fast, q, function=function, way=way: compile_for(function, fast.model, backend="numpy")(q, way=way),
       TypeError, "way decides how <lambda> works, so it is settled beforehand")
      for function, way in ((lambda model, q, way="a": q, 3), (lambda model, q, way=None: q, True))),
    (lambda fast, q: compile_for(rnea, fast.model, backend="fortran"), ValueError,
     "backend is 'fortran'; choose 'auto', 'c', 'numba', 'numpy', 'jax'"),
    (lambda fast, q: compile_for("rnea", fast.model), TypeError, "function is 'rnea'; give a function"),
    (lambda fast, q: compile_for(rnea, fast.model, method="crba"), ValueError, "rnea has no argument 'method'"),
    (lambda fast, q: compile_for(rnea, "panda"), TypeError, "model is 'panda'; give a Model")])
def test_wrong_calls_and_compilations_say_what_is_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call(example()[1], np.zeros(3))
