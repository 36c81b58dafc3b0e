"""The Numba backend, against the same program run on Python's own floats."""

import subprocess
import sys
import time

import numpy as np
import pytest

import rbdlib
from rbdlib.codegen.executer import record
from rbdlib.codegen.numba_source import make
from rbdlib.codegen.program import Argument, Assignment, Program, Result
from tests.codegen.programs import (
    check_algorithms,
    check_division_by_zero,
    check_kernel,
    check_threads,
    empty_outputs,
    expected,
    odd_programs,
    random_program,
)

ODD = odd_programs()


@pytest.fixture(scope="module", autouse=True)
def numba():
    return pytest.importorskip("numba", reason="Numba, the extra `fast`, is not installed here")


@pytest.mark.parametrize("length", [9, 1000])
def test_random_programs_and_any_number_of_states(length):
    rng = np.random.default_rng(length)
    program = random_program(rng)
    kernel = make(program, length)
    for states in (0, 1, 2, 7, 8, 9, 64, 333):
        check_kernel(lambda _: kernel, program, states, rng)


@pytest.mark.parametrize("program", ODD.values(), ids=ODD)
def test_odd_programs(program):
    kernel = make(program)
    for states in (0, 1, 5, 11):
        check_kernel(lambda _, kernel=kernel: kernel, program, states, np.random.default_rng(1))


def test_several_threads_at_once():
    program = random_program(np.random.default_rng(2))
    check_threads(make(program), program)


def test_constants_are_kept_to_the_last_bit_and_must_be_finite():
    rng = np.random.default_rng(5)
    values = tuple(float(x) for x in rng.integers(0, 2**63, size=100).view(float) if np.isfinite(x))
    program = Program((Argument("x", (1,)),), tuple(Assignment("*", (0, value)) for value in values),
                      (Result("y", (len(values),), tuple(range(1, len(values) + 1))),))
    outputs = empty_outputs(program, 1)
    make(program)([np.ones((1, 1))], outputs)
    assert outputs[0].tobytes() == np.array(values).tobytes()
    with pytest.raises(ValueError, match="constant inf"):
        make(Program((), (Assignment("sin", (float("inf"),)),), (Result("y", (), (0,)),)))


def test_division_by_zero_gives_infinity():
    check_division_by_zero(make)


def test_sines_of_large_and_small_angles():
    assignments = tuple(Assignment(operation, (0,)) for operation in ("sin", "cos", "sqrt"))
    program = Program((Argument("x", ()),), assignments, (Result("y", (3,), (1, 2, 3)),))
    x = np.concatenate([10.0 ** np.arange(-300, 300, 7), [0.0, np.pi, 1e22]])
    outputs = empty_outputs(program, len(x))
    make(program)([x[:, None]], outputs)
    np.testing.assert_allclose(outputs[0], expected(program, [x[:, None]], len(x))[0], rtol=1e-15, atol=1e-16)


def test_algorithms_on_a_model():
    check_algorithms(make, rbdlib.load("satellite_arm"), np.random.default_rng(3))


def test_forward_dynamics_of_a_seven_axis_arm_compiles_within_ten_seconds():
    make(odd_programs()["an output twice"])
    program = record(rbdlib.aba, rbdlib.load("panda")).program
    start = time.process_time()
    make(program)
    assert time.process_time() - start < 10


def test_without_numba_the_error_names_the_remedy():
    code = ("import sys\nsys.modules['numba'] = sys.modules['llvmlite'] = None\n"
            "from rbdlib.codegen.numba_source import make\nfrom rbdlib.codegen.program import Program\n"
            "try:\n    make(Program((), (), ()))\nexcept ImportError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "rbdlib[fast]" in done.stdout and 'backend="numpy"' in done.stdout, done.stderr
