"""Times of calls that take turns, so that whatever else the machine does falls on all of them alike.

The clock is the processor time of this process, with all its threads: it stands still while other programs run, and
helpers in other threads would count in full.
"""

import os
from contextlib import contextmanager
from time import process_time

import numpy as np


class Timings:
    """What `take_turns` measured: seconds[name] holds the times of one call of that name (s), one for each round."""

    def __init__(self, seconds):
        self.seconds = seconds

    def typical(self, name):
        """The median time of a call (s)."""
        return float(np.median(self.seconds[name]))

    def best(self, name):
        """The shortest time of a call (s)."""
        return float(np.min(self.seconds[name]))

    def fastest_of(self, names):
        """The name whose median is the smallest."""
        return min(names, key=self.typical)


def take_turns(calls, rounds=25, least=4e-3):
    """Time functions of no arguments, {name: function}, in turns. Returns `Timings`.

    rounds: how often each has its turn.  least: a turn repeats the call until about this many seconds have passed, and
    takes the mean. Each function is called once beforehand, untimed.
    """
    repeats, seconds = {}, {name: [] for name in calls}
    with one_core():
        for name, call in calls.items():
            call()
            repeats[name] = max(1, int(np.ceil(least / max(_seconds(call, 1), 1e-9))))
        for turn in range(rounds):
            for name in _rotated(list(calls), turn):
                seconds[name].append(_seconds(calls[name], repeats[name]) / repeats[name])
    return Timings({name: np.array(times) for name, times in seconds.items()})


@contextmanager
def one_core():
    """Keep this process to one core, where the system allows that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _seconds(call, repeats):
    start = process_time()
    for _ in range(repeats):
        call()
    return process_time() - start


def _rotated(names, turn):
    """The names in another order in each turn, because who follows whom matters to the caches."""
    k = turn % len(names)
    return names[k:] + names[:k]
