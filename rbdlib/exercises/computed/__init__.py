"""Answers that take a computation, one module for each file of data/exercises: `ANSWERS`, by the exercise's number."""
