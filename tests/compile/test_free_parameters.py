"""Symbols in a model stay free when a function is compiled for it, and are given as numbers at run time."""

import numpy as np
import pytest
import sympy

from rbdlib import Model, aba, load, rnea
from rbdlib.book.ch02_spatial import mcI
from rbdlib.book.ch04_joints import Revolute
from rbdlib.compile.compile_for import compile_for
from rbdlib.compile.parameters import with_numbers, with_parameters
from tests.compile.batches import states
from tests.sources.helpers import close

SEED = 7
ONES = dict.fromkeys(("g", "l1", "l2", "m1", "m2"), 1)


@pytest.mark.slow
def test_parameters_change_at_run_time():
    symbolic, rng = load("double_pendulum", symbolic=True), np.random.default_rng(SEED)
    fast, (q, qd, tau) = compile_for(aba, symbolic), states(load("double_pendulum"), (4,), rng)
    assert fast.parameters == ("g", "l1", "l2", "m1", "m2")
    values = {name: rng.uniform(0.5, 2, size=4) for name in fast.parameters}
    values["g"] = 9.81
    batch = fast(q, qd, tau, parameters=values)
    for k in range(4):
        numbers = {name: np.broadcast_to(x, 4)[k] for name, x in values.items()}
        close(batch[k], np.array(aba(with_parameters(symbolic, numbers), q[k], qd[k], tau[k]), dtype=float), 1e-10)
        close(fast(q[k], qd[k], tau[k], parameters=numbers), batch[k])
    sweep = fast(q[0], qd[0], tau[0], parameters={**values, "m1": np.linspace(1, 2, 12).reshape(3, 4)})
    assert sweep.shape == (3, 4, 2)


def test_wrong_names_of_parameters_and_those_of_arguments_are_refused():
    for parameters, symbolic, error, text in (
            (["m1"], False, ValueError, "the model's symbols are: none.*symbolic=True"),
            ("m1", False, TypeError, "give a list of names"), (3, False, TypeError, "give a list of names"),
            (["g", "l1", "g"], True, ValueError, "names 'g' more than once")):
        with pytest.raises(error, match=text):
            compile_for(aba, load("double_pendulum", symbolic=symbolic), parameters=parameters)
    for name in ("q", "qdd", "f_ext", "t"):
        with pytest.raises(ValueError, match=f"symbol {name} has the name of an argument of rnea.*such as {name}_0"):
            compile_for(rnea, one_link(name))
    with pytest.raises(ValueError, match="argument called parameters"):
        compile_for(lambda model, parameters: parameters, load("pendulum"), shapes={"parameters": ()})


@pytest.mark.parametrize(("given", "error", "text"), [
    (None, ValueError, "lacks 'g'"), ({"m1": 1.0}, ValueError, "lacks 'g'"), ("m1", TypeError, "give a dict"),
    (ONES | {"x": 1}, ValueError, "names 'x'; the free parameters are: g, l1"),
    (ONES | {"g": np.nan}, ValueError, "g contains nan"),
    (ONES | {"g": "much"}, TypeError, "g contains the text 'much'")])
def test_wrong_parameters(given, error, text):
    with pytest.raises(error, match=text):
        compile_for(aba, load("double_pendulum", symbolic=True))([0, 0], [0, 0], [0, 0], parameters=given)
    with pytest.raises(ValueError, match="names 'm1'; the free parameters are: none"):
        compile_for(aba, load("double_pendulum"))([0, 0], [0, 0], [0, 0], parameters={"m1": 1})


def one_link(symbol):
    inertia = mcI(sympy.Symbol(symbol), [0.5, 0, 0], np.zeros((3, 3)))
    return Model([0], [Revolute("z")], [np.eye(6)], [inertia], gravity=(0, -9.81, 0))


@pytest.mark.parametrize("name", ["lambda", "tau", "\u03b1_\u03b2", "x[0]", "parameters", "*/", "vec"])
def test_parameters_of_any_name_and_by_their_symbols(name):
    for backend in ("auto", "numpy"):
        fast = compile_for(rnea, one_link(name), backend=backend)
        for key in (name, sympy.Symbol(name)):
            close(fast([0.3], [0.1], [0.2], parameters={key: 2.0}), [2 * (0.25 * 0.2 + 0.5 * 9.81 * np.cos(0.3))])


def test_arrays_that_can_hold_no_symbols_stay_the_same_objects():
    floats, symbols = np.ones(3), np.array([sympy.Symbol("m"), 2], dtype=object)
    assert with_numbers(floats, lambda x: 5.0) is floats
    assert with_numbers(symbols, lambda x: 5.0).tolist() == [5, 5]
