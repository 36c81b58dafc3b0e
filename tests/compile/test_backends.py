"""What every backend must do, against the same programs run on Python's own floats."""

import sys
from functools import partial

import numpy as np
import pytest

from rbdlib.compile import jax_source, numba_source, numpy_source
from rbdlib.compile.c_compiler import find_compiler
from rbdlib.compile.program import Argument, Assignment, Program, Result
from tests.compile import programs
from tests.compile.programs import check_kernel, empty_outputs, random_program

MAKE = {"c": None, "numba": numba_source.make, "numpy": numpy_source.make, "jax": jax_source.make}
#: How a backend is told to work in small pieces.
PIECES = {"numba": {"length": 9}, "numpy": {"block": 32}, "jax": {"length": 13}}


@pytest.fixture(params=MAKE)
def backend(request):
    if request.param in ("numba", "jax"):
        pytest.importorskip(request.param, reason="it is an extra, and not installed here")
    if request.param == "c" and find_compiler() is None:
        pytest.skip("there is no C compiler here")
    return request.param


@pytest.fixture
def make(backend, tmp_path):
    """program -> kernel"""
    return MAKE[backend] or partial(programs.c_kernel, tmp_path)


@pytest.mark.slow
def test_random_programs_any_number_of_states_and_several_threads(backend, make):
    rng = np.random.default_rng(1)
    program = random_program(rng, length=60)
    for kernel in (make(program), *([make(program, **PIECES[backend])] if backend in PIECES else [])):
        for states in (0, 1, 2, 7, 8, 9, 16, 64, 333) if backend != "jax" else (0, 1, 7, 8):
            check_kernel(kernel, program, states, rng)
        if backend != "jax":                                    # it compiles for each number of states
            programs.check_threads(kernel, program)


@pytest.mark.slow
def test_odd_programs(backend, make):
    for program in programs.odd_programs().values():
        if backend == "numba" and program.inputs and program.outputs:
            continue                                            # it takes a second for each, and knows no names
        kernel = make(program)
        for states in (0, 1, 5, 11):
            check_kernel(kernel, program, states, np.random.default_rng(1))


@pytest.mark.slow
def test_constants_to_the_last_bit_division_by_zero_in_silence_sines_of_large_and_small_angles_and_roots(make, recwarn):
    values = programs.finite_floats()
    program = Program((Argument("x", (1,)),), tuple(Assignment("*", (0, value)) for value in values),
                      (Result("y", (len(values),), tuple(range(1, len(values) + 1))),))
    outputs = empty_outputs(program, 1)
    make(program)([np.ones((1, 1))], outputs)
    assert outputs[0].tobytes() == np.array(values).tobytes()
    for wrong in (np.nan, np.inf, -np.inf):
        for program in (Program((Argument("x", (1,)),), (Assignment("*", (0, wrong)),), (Result("y", (1,), (1,)),)),
                        Program((Argument("x", (1,)),), (), (Result("y", (1,), (wrong,)),))):
            with pytest.raises(ValueError, match=f"constant {wrong}"):
                make(program)([np.ones((1, 1))], [np.empty((1, 1))])
    assignments = Assignment("/", (0, 1)), *(Assignment(operation, (0,)) for operation in ("sin", "cos", "sqrt"))
    program = Program((Argument("x", (2,)),), assignments, (Result("y", (4,), (2, 3, 4, 5)),))
    x = np.concatenate([[1.0, 1.0, 0.0], 10.0 ** np.arange(-300, 300, 7), [0.0, np.pi, 1e22]])
    x = np.column_stack([x, np.r_[2.0, 0.0, 0.0, np.ones(len(x) - 3)]])
    outputs = empty_outputs(program, len(x))
    make(program)([x], outputs)
    assert outputs[0][:2, 0].tolist() == [0.5, np.inf] and np.isnan(outputs[0][2, 0])
    assert not recwarn.list
    np.testing.assert_allclose(outputs[0][3:], *programs.expected(program, [x[3:]], len(x) - 3), rtol=1e-15, atol=1e-16)


def test_without_its_package_jax_names_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match='pip install jax.*"numpy"'):
        jax_source.to_jax(random_program(np.random.default_rng(6)))
