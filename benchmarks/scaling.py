"""Time and memory of RNEA and ABA for chains of 1 to 1000 bodies, readable and compiled."""

import tracemalloc
from math import log

import numpy as np

from benchmarks.table import Row
from benchmarks.timing import take_turns
from rbdlib import aba, rnea
from rbdlib.codegen.compile_for import compile_for
from rbdlib.generators import gu

READABLE = (1, 3, 10, 30, 100, 300, 1000)
#: A linear algorithm's time grows with the power 1 of n; above this it would not be linear.
LINEAR = 1.15


def rows(compiled_sizes, rounds):
    """Rows for each algorithm: the power of n with which time and memory grow between the two largest sizes."""
    found = []
    for function in (rnea, aba):
        found += _rows(f"readable {function.__name__}", READABLE, lambda n, f=function: _readable(f, n), rounds)
        found += _rows(f"compiled {function.__name__}", compiled_sizes, lambda n, f=function: _compiled(f, n), rounds)
    return found


def _rows(what, sizes, make, rounds):
    """One row for time and one for memory; what was measured on the way goes into the first column."""
    calls = {n: make(n) for n in sizes}
    timings = take_turns(calls, rounds)
    seconds = {n: timings.typical(n) for n in sizes}
    memory = {n: _peak(call) for n, call in calls.items()}
    return [_row(f"{what}: time", sizes, seconds, 1e6, "µs"), _row(f"{what}: memory", sizes, memory, 1e-3, "kB")]


def _row(what, sizes, values, scale, unit):
    small, large = sizes[-2:]
    power = log(values[large] / values[small]) / log(large / small)
    told = f"{what}, {unit}/body {values[sizes[0]] * scale:.3g} ... {values[large] * scale / large:.3g}"
    return Row(told, f"chains of {sizes[0]} ... {large}", f"power of n, {small} to {large}", LINEAR, power, "", 1)


def _state(n):
    rng = np.random.default_rng(n)
    return rng.uniform(-1, 1, n), rng.normal(size=n), rng.normal(size=n)


def _readable(function, n):
    model, state = gu(n), _state(n)
    return lambda: function(model, *state)


def _compiled(function, n):
    compiled, state = compile_for(function, gu(n)), _state(n)
    return lambda: compiled(*state)


def _peak(call):
    """The most memory (bytes) that was in use at once during a call, beyond what was in use before."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
