"""Programs for the tests of the backends: random ones, and the odd ones that a printer trips over."""

import math
import subprocess
import threading
from math import prod

import numpy as np

from rbdlib.compile import c_compiler, c_source
from rbdlib.compile.c_compiler import CKernel, load_library
from rbdlib.compile.program import Argument, Assignment, Program, Result


def random_program(rng, shapes=((3,), (), (2, 2)), length=120, outputs=((5,), (), (2, 3))):
    """A program with every operation, whose values stay moderate: roots and divisors are made at least one."""
    inputs = tuple(Argument(f"x{k}", shape) for k, shape in enumerate(shapes))
    first, assignments = sum(prod(shape) for shape in shapes), []

    def emit(operation, *operands):
        assignments.append(Assignment(operation, operands))
        return first + len(assignments) - 1

    def operand():
        made = first + len(assignments)
        return int(rng.integers(made)) if made and rng.random() < 0.85 else float(rng.normal())

    while len(assignments) < length:
        kind = rng.integers(4)
        if kind == 0:
            x = emit("sin", operand())
            positive = emit("+", emit("*", x, x), 1.25)
            emit("/", operand(), emit("sqrt", positive))
        elif kind == 1:
            emit(("neg", "sin", "cos")[rng.integers(3)], operand())
        else:
            emit("sin", emit("+-*"[rng.integers(3)], operand(), operand()))
    results = tuple(Result(f"y{k}", shape, tuple(operand() for _ in range(prod(shape))))
                    for k, shape in enumerate(outputs))
    return Program(inputs, tuple(assignments), results)


def odd_programs():
    """{what is odd about it: program}."""
    x, t, H = Argument("x", (2,)), Argument("t", ()), Result("H", (0, 0), ())
    signs = (Assignment("*", (0, 1)), Assignment("+", (0, 3)), Assignment("-", (0, -2.0)), Assignment("neg", (5,)),
             Assignment("*", (6, -0.5)), Assignment("/", (-1.0, 1)))
    return {
        "outputs that are inputs, constants, the same twice, or empty": Program((x, t), signs, (
            Result("y", (2,), (1, 0)), Result("c", (3,), (0.1, -2.5e-17, 1e300)), Result("twice", (3,), (3, 3, 1)),
            H, Result("signs", (2,), (7, 8)))),                     # t is not used, nor is variable 4
        "no inputs and only constants": Program(
            (), (Assignment("sin", (0.5,)), Assignment("-", (-1.5, -0.25)), Assignment("neg", (-3.0,))),
            (Result("y", (), (0,)), Result("z", (3,), (2.0, 1, 2)))),
        "no outputs": Program((x,), (Assignment("neg", (0,)),), ()),
        "nothing that depends on the freedom it has not": Program(
            (Argument("q", (0,)), Argument("qd", (0,))), (), (Result("tau", (0,), ()), H)),
        "names that mean something": Program(
            tuple(Argument(name, ())
                  for name in ("lambda", "λ", "Math", "np", "t1", "double", "θ̇", "1st", "x y", "x_y")),
            tuple(Assignment("+", (k, k + 1)) for k in range(9)),
            tuple(Result(name, (), (k,)) for k, name in enumerate(("return", "λ", "lambda", "t2", ""), 10)),
            {12: "for", 13: "α_1", 14: "t1"})}


def expected(program, inputs, states):
    """What kernel(inputs, outputs) should give: each state by itself, in Python's own floats."""
    results = [program.evaluate([float(x) for array in inputs for x in array[k]]) for k in range(states)]
    sizes = [prod(result.shape) for result in program.outputs]
    table = np.array(results, dtype=float).reshape(states, sum(sizes))
    return np.split(table, np.cumsum(sizes)[:-1], axis=1) if sizes else []


def random_inputs(program, states, rng):
    return [rng.uniform(0.5, 2.0, size=(states, prod(argument.shape))) for argument in program.inputs]


def empty_outputs(program, states):
    """Arrays to fill, holding NaN so that an entry left out is seen."""
    return [np.full((states, prod(result.shape)), math.nan) for result in program.outputs]


def c_kernel(folder, program, *more):
    """A program compiled by C with the usual flags, and more if given, into a folder."""
    text = c_source.to_c(program, "p")
    if not more:
        return CKernel(load_library(c_compiler.compile_library(text, c_source.groups_in(text))), "p")
    path, library = folder / "p.c", folder / "p.so"
    path.write_text(text, encoding="utf-8")
    command = [*c_compiler.compiler_command(), *c_compiler.FLAGS, *more, "-shared", "-o", library, path, "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return CKernel(load_library(library.read_bytes()), "p")


def finite_floats():
    """Floats of every size and sign."""
    drawn = np.random.default_rng(5).integers(-2**63, 2**63, size=100).view(float)
    return tuple(float(x) for x in (*drawn, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, -0.0) if np.isfinite(x))


def check_kernel(kernel, program, states, rng, rtol=1e-12):
    """Run a kernel on a batch and compare each number with Python's own floats."""
    inputs, outputs = random_inputs(program, states, rng), empty_outputs(program, states)
    for array in inputs:
        array.flags.writeable = False
    kernel(inputs, outputs)
    for found, right in zip(outputs, expected(program, inputs, states), strict=True):
        np.testing.assert_allclose(found, right, rtol=rtol, atol=rtol)


def check_threads(kernel, program):
    """Run a kernel in four threads at once, with batches of any size."""
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for states in rng.integers(0, 300, size=5):
            inputs, outputs = random_inputs(program, states, rng), empty_outputs(program, states)
            kernel(inputs, outputs)
            wrong.extend(not np.allclose(found, right, rtol=1e-12, atol=1e-12)
                         for found, right in zip(outputs, expected(program, inputs, states), strict=True))

    in_four_threads(work)
    assert len(wrong) == 20 * len(program.outputs) and not any(wrong)


def in_four_threads(work):
    """Call work(seed) in four threads at once, each with a seed of its own, and wait for them."""
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
