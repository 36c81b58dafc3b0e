"""Answers of the exercises in data/exercises/14_many_ways.toml that take a computation."""

import math

from rbdlib.exercises.declare import Computed


def _growth(formula):
    """An answer to exercise 14.7, from a function of I_0, k, d and SymPy's square root."""

    def answer():
        from sympy import sqrt, symbols

        return formula(*symbols("I_0 k d", positive=True), sqrt)

    return answer


def _pairs(rng):
    return tuple(rng.normal(size=2)), tuple(rng.normal(size=2))


def _times(x, y):
    return x[0] * y[0], x[1] * y[0] + x[0] * y[1]


def _entry_by_entry(x, y):
    return x[0] * y[0], x[1] * y[1]


def _first_only(x, y):
    return x[0] * y[0], x[1] * y[0]


def _like_complex(x, y):
    return x[0] * y[0] - x[1] * y[1], x[1] * y[0] + x[0] * y[1]


def _like_a_quotient(x, y):
    return x[0] * y[0], x[1] * y[0] - x[0] * y[1]


ANSWERS = {
    "14.1": Computed(mistakes={"factor": -25 / 3, "factor 2": -50 / 3}),
    "14.3": Computed(mistakes={"factor": 4e8 / 3, "factor 2": 1 / 3}),
    "14.6": Computed(_times, inputs=_pairs, mistakes={
        "entry": _entry_by_entry, "entry 2": _first_only, "sign": _like_complex, "sign 2": _like_a_quotient}),
    "14.7": Computed(_growth(lambda I_0, k, d, sqrt: (-d + sqrt(d**2 + 4 * I_0 * k)) / (2 * I_0))),
    "14.8": Computed(17 * math.log(10), mistakes={"factor": 34 * math.log(10), "entry": 24.5 * math.log(10)})}
