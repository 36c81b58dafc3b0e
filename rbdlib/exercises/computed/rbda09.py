"""Answers of the exercises in data/exercises/more/rbda09.toml that take a computation."""

from rbdlib.exercises.declare import Computed

ANSWERS = {
    "19.51": Computed(mistakes={"square": (0.51, 0.3 * 100 / 0.51)})}
