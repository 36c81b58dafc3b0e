"""Answers of exercises in data/exercises that take a computation: `ANSWERS`, by the exercise's number."""

from rbdlib.exercises.computed import contact_and_accuracy, modelling, systems, trees, vectors

ANSWERS = vectors.ANSWERS | modelling.ANSWERS | trees.ANSWERS | systems.ANSWERS | contact_and_accuracy.ANSWERS
