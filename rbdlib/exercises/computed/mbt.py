"""Answers of the exercises in data/exercises/more/mbt.toml that take a computation."""

from math import acos, asin, degrees, sqrt

from rbdlib.exercises.declare import Computed

COSINE = 9.81 / (0.2 * 100)

ANSWERS = {
    "7.52": Computed((sqrt(9.81 / 0.2), acos(COSINE)), mistakes={
        "square": (9.81 / 0.2, acos(COSINE)), "degrees": (sqrt(9.81 / 0.2), degrees(acos(COSINE))),
        "argument": (sqrt(9.81 / 0.2), asin(COSINE))})}
