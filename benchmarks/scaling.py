"""Time and memory of RNEA and ABA for chains of 1 to 1000 bodies, readable and compiled."""

import os
import tracemalloc
from math import log

import numpy as np

from benchmarks.table import Row
from benchmarks.timing import take_turns
from rbdlib.compile.compile_for import compile_for
from rbdlib.methods.generators import gu

SIZES = (1, 10, 100, 1000)
#: What is linear grows with the power 1 of n, what is quadratic with 2; this much is granted to caches that overflow.
LINEAR = 1.15
#: Compiled functions get this many states at once, so that it is not the call that is timed.
STATES = 1024


def rows(function, compiled_sizes, rounds):
    """Rows for an algorithm: the power of n with which its needs grow between the two largest sizes."""
    return _readable(function, SIZES, rounds) + _compiled(function, compiled_sizes, rounds)


def _readable(function, sizes, rounds):
    """Time and memory of a call with one state."""
    calls = {n: _call(function, gu(n), _state(n)) for n in sizes}
    timings = take_turns(calls, rounds)
    what = f"readable {function.__name__}"
    return [_row(f"{what}: µs per body", sizes, [timings.typical(n) * 1e6 for n in sizes]),
            _row(f"{what}: bytes per body", sizes, [_peak(calls[n]) for n in sizes])]


def _compiled(function, sizes, rounds):
    """Time for one state of a batch, time of compiling, and the size of the program."""
    compiled, seconds = {}, []
    for n in sizes:
        start = sum(os.times()[:4])                         # with the C compiler's time
        compiled[n] = compile_for(function, gu(n), cache=False)
        seconds.append(sum(os.times()[:4]) - start)
    timings = take_turns({n: _call(compiled[n], _state(n, (STATES,))) for n in sizes}, rounds)
    what = f"compiled {function.__name__}"
    return [_row(f"{what}: µs per body", sizes, [timings.typical(n) * 1e6 / STATES for n in sizes]),
            _row(f"{what}: lines of program per body", sizes, [len(compiled[n].program.assignments) for n in sizes]),
            _row(f"{what}: s of compiling per body", sizes, seconds)]


def _row(what, sizes, values):
    """What a body costs in the smallest and the largest chain, and the power of n at the end."""
    small, large = sizes[-2:]
    power = log(values[-1] / values[-2]) / log(large / small)
    return Row(f"{what}: {values[0] / sizes[0]:.3g} ... {values[-1] / large:.3g}", f"chains of {sizes[0]} ... {large}",
               f"power of n, {small} to {large}", LINEAR, power, "", 1)


def _state(n, batch=()):
    rng = np.random.default_rng(n)
    return rng.uniform(-1, 1, (*batch, n)), *rng.normal(size=(2, *batch, n))


def _call(function, *arguments):
    *first, state = arguments
    return lambda: function(*first, *state)


def _peak(call):
    """The most memory (bytes) that was in use at once during a call, beyond what was in use before."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
