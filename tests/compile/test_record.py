"""The recording scalar writes down what was done with it, and never chooses by a value that it does not know."""

import math
import operator

import numpy as np
import pytest

from rbdlib.compile.program import Argument, Assignment, Program, Recorded, Recorder, Result
from rbdlib.compile.simplify import Simplifier
from rbdlib.numbers import scalars

X, Y = 1.75, -0.6


def recorded(n=2, recorder=Recorder):
    writer = recorder(n)
    return writer, [Recorded(writer, k) for k in range(n)]


def value(writer, result, *inputs):
    """What a recorded number is for given inputs."""
    outputs = (Result("y", (), (result.operand,)),)
    program = Program((Argument("x", (len(inputs),)),), tuple(writer.assignments), outputs)
    return program.evaluate(inputs)[0]


@pytest.mark.parametrize("writer", [Recorder, Simplifier])
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_operations_with_numbers_on_either_side(operation, writer):
    for other in (3, 0.7, np.float64(0.7), np.int64(3)):
        for swapped in (False, True):
            writes, (x, _) = recorded(recorder=writer)
            result = operation(other, x) if swapped else operation(x, other)
            assert isinstance(result, Recorded)
            expected = operation(other, X) if swapped else operation(X, other)
            assert value(writes, result, X, Y) == pytest.approx(float(expected), rel=1e-15)
    writes, (x, y) = recorded(recorder=writer)
    assert value(writes, operation(x, y), X, Y) == operation(X, Y) and len(writes.assignments) == 1


@pytest.mark.parametrize(("apply", "expected"), [
    (lambda x: -x, -X), (lambda x: +x, X), (scalars.sin, math.sin(X)), (scalars.cos, math.cos(X)),
    (scalars.sqrt, math.sqrt(X)), (np.sin, math.sin(X)), (np.cos, math.cos(X)), (np.sqrt, math.sqrt(X)),
    (lambda x: x**2, X * X), (lambda x: x**5, X**5), (lambda x: x**1, X), (lambda x: x**-2, X**-2),
    (lambda x: x**2.0, X * X), (lambda x: np.float64(2) * x, 2 * X), (lambda x: np.float64(2) - x, 2 - X)])
def test_functions_signs_and_powers(apply, expected):
    writer, (x, _) = recorded()
    result = apply(np.array([x], dtype=object))[0] if isinstance(apply, np.ufunc) else apply(x)
    assert value(writer, result, X, Y) == pytest.approx(expected, rel=1e-15)


def test_arrays_work_entry_by_entry_each_operation_is_one_assignment_and_equality_asks_for_the_variable():
    writer, (x, y) = recorded()
    floats, mixed = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([x, y], dtype=object)
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        for result, numbers in ((operation(x, floats), operation(X, floats)),
                                (operation(floats, x), operation(floats, X))):
            assert result.shape == (2, 2) and result.dtype == object
            values = [value(writer, entry, X, Y) for entry in result.flat]
            assert values == pytest.approx(numbers.ravel().tolist(), rel=1e-15)
    both = [*(floats @ mixed), mixed @ mixed]
    assert [value(writer, entry, X, Y) for entry in both] == pytest.approx([*(floats @ [X, Y]), X * X + Y * Y])
    writer, (x, y) = recorded()
    _ = -(2 - x.sin() * y) / y
    assert writer.assignments == [Assignment("sin", (0,)), Assignment("*", (2, 1)), Assignment("-", (2.0, 3)),
                                  Assignment("neg", (4,)), Assignment("/", (5, 1))]
    for kind in (Recorder, Simplifier):
        writer, (x, _) = recorded(recorder=kind)
        _ = x**3
        assert [done.operation for done in writer.assignments] == ["*", "*"]
        assert x**0 == 1 and not isinstance(x**0, Recorded)
    _, (x, y) = recorded(recorder=Simplifier)
    assert repr([x * 0, x - x, x / x, (x + y) - y - x]) == "[0.0, 0.0, 1.0, 0.0]"
    assert (x * 1).operand == (x + 0).operand == x.operand
    for exponent in (0.5, 1.5, float("nan"), float("inf"), "2", None):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            recorded()[1][0] ** exponent
    writer, (x, y) = recorded()
    again = Recorded(writer, 0)
    assert x == again and not x != again and x != y and x != 0 and not x == 0.0
    assert Recorded(writer, 1) != 1.0 and Recorded(writer, 1) != 1                # variable 1 is not the number 1
    assert (np.array([x, y]) == 0).tolist() == [False, False]
    assert (x == np.array([x, y], dtype=object)).tolist() == [True, False]
    assert scalars.vector([x, 1.0, y], 3, "v").dtype == object and scalars.number(x, "x") is x
    assert scalars.as_floats([x, 1.0]) is None and not scalars.is_number(x)
    with pytest.raises(ValueError, match="shape"):
        scalars.vector([x, y], 3, "v")


@pytest.mark.parametrize("choose", [
    lambda x: x < 1, lambda x: 1 < x, lambda x: x <= 1, lambda x: x > 1, lambda x: x >= 1, bool, float, int, abs, round,
    lambda x: 1 if x else 0, lambda x: max(x, 1), lambda x: np.array([x, 2.0]).astype(float), math.sin, hash,
    lambda x: sorted([x, 1]), lambda x: [1, 2][x], lambda x: x % 2, lambda x: x // 2])
def test_an_algorithm_cannot_choose_by_an_unknown_value(choose):
    _, (x, _) = recorded()
    with pytest.raises(TypeError):
        choose(x)
    with pytest.raises(TypeError, match="known at run time only.*Use its other methods"):
        _ = x > 0


@pytest.mark.parametrize("convert", [float, math.sin, lambda x: np.array([x]).astype(float),
                                     lambda x: np.zeros(2).__setitem__(0, x)])
def test_what_cannot_become_a_float_says_what_to_do(convert):
    _, (x, _) = recorded()
    with pytest.raises(TypeError, match=r"cannot become a float\. Allocate .* rbdlib\.numbers\.scalars\.zeros\(n, q\)"):
        convert(x)
