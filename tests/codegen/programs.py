"""Programs for the tests of the backends: random ones, and the odd ones that a printer trips over."""

import math
import threading
from math import prod

import numpy as np

from rbdlib import aba, crba, rnea
from rbdlib.codegen.executer import record
from rbdlib.codegen.program import Argument, Assignment, Program, Result

BINARY, UNARY = ("+", "-", "*"), ("neg", "sin", "cos")


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
            emit(UNARY[rng.integers(3)], operand())
        else:
            emit("sin", emit(BINARY[rng.integers(3)], operand(), operand()))
    results = tuple(Result(f"y{k}", shape, tuple(operand() for _ in range(prod(shape))))
                    for k, shape in enumerate(outputs))
    return Program(inputs, tuple(assignments), results)


def odd_programs():
    """{what is odd about it: program}."""
    x, y = Argument("x", (2,)), Result("y", (2,), (1, 0))
    return {
        "outputs that are inputs": Program((x,), (), (y,)),
        "outputs that are constants": Program((x,), (), (Result("y", (3,), (0.1, -2.5e-17, 1e300)),)),
        "an output twice": Program((x,), (Assignment("*", (0, 1)),), (Result("y", (3,), (2, 2, 1)),)),
        "no inputs": Program((), (Assignment("sin", (0.5,)),), (Result("y", (), (0,)), Result("z", (1,), (2.0,)))),
        "no outputs": Program((x,), (Assignment("neg", (0,)),), ()),
        "nothing that depends on the freedom it has not": Program(
            (Argument("q", (0,)), Argument("qd", (0,))), (), (Result("tau", (0,), ()), Result("H", (0, 0), ()))),
        "nothing used": Program((x, Argument("t", ())), (Assignment("+", (0, 2)),), (Result("y", (1,), (2,)),)),
        "only constants": Program((x,), (Assignment("-", (-1.5, -0.25)), Assignment("neg", (-3.0,))),
                                  (Result("y", (3,), (0, 2, 3)),)),
        "signs in a row": Program(
            (x,), (Assignment("-", (0, -2.0)), Assignment("neg", (2,)), Assignment("*", (3, -0.5)),
                   Assignment("/", (-1.0, 1))), (Result("y", (2,), (4, 5)),)),
        "names that mean something": Program(
            tuple(Argument(name, ())
                  for name in ("lambda", "λ", "Math", "np", "t1", "double", "θ̇", "1st", "x y", "x_y")),
            tuple(Assignment("+", (k, k + 1)) for k in range(9)),
            tuple(Result(name, (), (k,)) for k, name in enumerate(("return", "λ", "lambda", "t2", ""), 10)),
            {12: "for", 13: "α_1", 14: "t1"}),
    }


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


def check_kernel(make, program, states, rng, rtol=1e-12):
    """Run a backend on a program and compare each number with Python's own floats."""
    inputs, outputs = random_inputs(program, states, rng), empty_outputs(program, states)
    for array in inputs:
        array.flags.writeable = False
    make(program)(inputs, outputs)
    for found, right in zip(outputs, expected(program, inputs, states), strict=True):
        np.testing.assert_allclose(found, right, rtol=rtol, atol=rtol)


def check_threads(kernel, program):
    """Run a kernel in four threads at once, with batches of any size."""
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for states in rng.integers(0, 300, size=10):
            inputs, outputs = random_inputs(program, states, rng), empty_outputs(program, states)
            kernel(inputs, outputs)
            wrong.extend(not np.allclose(found, right, rtol=1e-12, atol=1e-12)
                         for found, right in zip(outputs, expected(program, inputs, states), strict=True))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 40 * len(program.outputs) and not any(wrong)


def check_division_by_zero(make):
    """It gives infinity or NaN, in silence."""
    program = Program((Argument("x", (2,)),), (Assignment("/", (0, 1)),), (Result("y", (1,), (2,)),))
    outputs = empty_outputs(program, 3)
    make(program)([np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 0.0]])], outputs)
    assert outputs[0][0, 0] == 0.5 and outputs[0][1, 0] == math.inf and math.isnan(outputs[0][2, 0])


def check_algorithms(make, model, rng):
    """Run three algorithms on a model by a backend and compare them with themselves."""
    states = [model.random_state(rng) for _ in range(9)]
    q, qd = (np.array(part) for part in zip(*states, strict=True))
    u = rng.normal(size=qd.shape)
    for function, arguments in ((rnea, (q, qd, u)), (crba, (q,)), (aba, (q, qd, u))):
        program = record(function, model).program
        outputs = empty_outputs(program, len(states))
        make(program)(list(arguments), outputs)
        right = np.array([function(model, *state) for state in zip(*arguments, strict=True)])
        np.testing.assert_allclose(outputs[0], right.reshape(len(states), -1), rtol=1e-9, atol=1e-9)
