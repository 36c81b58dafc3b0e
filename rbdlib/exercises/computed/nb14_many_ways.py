"""Answers of the exercises in data/exercises/14_many_ways.toml that take a computation."""

import math

from rbdlib.exercises.declare import Computed


def _times(x, y):
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1]


ANSWERS = {
    "14.6": Computed(_times, inputs=lambda rng: (tuple(rng.normal(size=2)), tuple(rng.normal(size=2))), mistakes={
        "entry": lambda x, y: (x[0] * y[0], x[1] * y[1]), "entry 2": lambda x, y: (x[0] * y[0], x[1] * y[0]),
        "sign": lambda x, y: (x[0] * y[0] - x[1] * y[1], x[1] * y[0] + x[0] * y[1]),
        "sign 2": lambda x, y: (x[0] * y[0], x[1] * y[0] - x[0] * y[1])}),
    "14.8": Computed(17 * math.log(10), mistakes={"factor": 34 * math.log(10), "entry": 24.5 * math.log(10)})}
