"""Answers of the exercises in data/exercises/more/rbda11.toml that take a computation."""

from rbdlib.exercises.declare import Computed

ANSWERS = {
    "22.51": Computed((2 * 9.81 / 20000) ** (2 / 3), mistakes={
        "factor": 2 * 9.81 / 20000, "inverse": (2 * 9.81 / 20000) ** 1.5, "gravity": (2 / 20000) ** (2 / 3)})}
