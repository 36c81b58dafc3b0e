"""Answers of exercises in data/exercises that take a computation: `ANSWERS`, by the exercise's number."""

from rbdlib.exercises.computed import articulated, contact_and_accuracy, modelling, parameters, systems, trees, vectors

_TABLES = [module.ANSWERS for module in (vectors, modelling, trees, articulated, systems, contact_and_accuracy,
                                         parameters)]
ANSWERS = {id: computed for table in _TABLES for id, computed in table.items()}
if len(ANSWERS) != sum(map(len, _TABLES)):
    raise ValueError("Two modules of rbdlib.exercises.computed have answers to one exercise.")
