"""Answers of the exercises in data/exercises/more/mbt.toml that take a computation."""

import math

from rbdlib.exercises.declare import Computed

ANSWERS = {
    "7.52": Computed(lambda: (math.sqrt(9.81 / 0.2), math.acos(9.81 / (0.2 * 100))), mistakes={
        "square": lambda: (9.81 / 0.2, math.acos(9.81 / (0.2 * 100))),
        "degrees": lambda: (math.sqrt(9.81 / 0.2), math.degrees(math.acos(9.81 / (0.2 * 100)))),
        "argument": lambda: (math.sqrt(9.81 / 0.2), math.asin(9.81 / (0.2 * 100)))}),
    "7.53": Computed(4 / 3, mistakes={"square": lambda: 4 / math.sqrt(3)})}
