"""Answers of the exercises in data/exercises/more/soa.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _blocks_below(rng):
    """A strictly lower block triangular matrix with blocks beside the diagonal only, as E_phi for three links."""
    E = np.zeros((6, 6))
    for k in range(2):
        E[2 * k + 2 : 2 * k + 4, 2 * k : 2 * k + 2] = rng.normal(size=(2, 2))
    return (E,)


ANSWERS = {
    "12.54": Computed(lambda E: np.linalg.inv(np.eye(len(E)) - E), inputs=_blocks_below, mistakes={
        "entry": lambda E: np.eye(len(E)) + E, "sign": lambda E: np.linalg.inv(np.eye(len(E)) + E),
        "inverse": lambda E: np.eye(len(E)) - E})}
