"""Answers of exercises in data/exercises that take a computation: `ANSWERS`, by the exercise's number."""

from rbdlib.exercises.computed import (
    articulated,
    contact_and_accuracy,
    energy,
    friction,
    modelling,
    rotations,
    systems,
    tops,
    trees,
    vectors,
)

_TABLES = [module.ANSWERS for module in (
    articulated, contact_and_accuracy, energy, friction, modelling, rotations, systems, tops, trees, vectors)]
ANSWERS = {id: computed for table in _TABLES for id, computed in table.items()}
if len(ANSWERS) != sum(map(len, _TABLES)):
    raise ValueError("Two modules of rbdlib.exercises.computed have answers to one exercise.")
