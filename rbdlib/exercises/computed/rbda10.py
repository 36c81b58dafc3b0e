"""Answers of the exercises in data/exercises/more/rbda10.toml that take a computation."""

from rbdlib.exercises.declare import Computed

ANSWERS = {
    "23.51": Computed(mistakes={"inverse": (1 / 399, 1e-6 / 399), "inverse 2": (399, 1e-6 / 399)})}
