"""Answers of the exercises in data/exercises/00_start_here.toml that take a computation."""

from rbdlib.book.ch02_spatial import xlt
from rbdlib.exercises.declare import Computed


def _entry_of_H(row, column):
    """The entry of H as the library computes it from the model file."""

    def entry():
        from sympy import simplify, symbols

        from rbdlib.io.model_file import load
        from rbdlib.methods.joint_space import inertia_matrix

        return simplify(inertia_matrix(load("double_pendulum", symbolic=True), symbols("q1 q2"))[row, column])

    return entry


ANSWERS = {
    "0.3": Computed(lambda: xlt([0, 2, 0]) @ [0, 0, 1, 0, 0, 0],
                    product=lambda: {"X": xlt([0, 2, 0]), "v": [0, 0, 1, 0, 0, 0]}),
    "0.7": Computed(_entry_of_H(0, 1)),
    "0.8": Computed(_entry_of_H(0, 0))}
