"""Answers of the exercises in data/exercises/16_closed_loops_by_coordinates.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _mechanism(rng):
    """G of a mechanism with two freedoms, the places of two motors that control both, and tau_ID."""
    return rng.normal(size=(5, 2)), [1, 3], rng.normal(size=5)


def _actuator_forces(G, places, tau_ID):
    return np.linalg.solve(G[places].T, G.T @ tau_ID)


ANSWERS = {
    "16.4": Computed(_actuator_forces, inputs=_mechanism, mistakes={
        "entry": lambda G, places, tau_ID: tau_ID[places],
        "transpose": lambda G, places, tau_ID: np.linalg.solve(G[places], G.T @ tau_ID),
        "entry 2": lambda G, places, tau_ID: G.T @ tau_ID})}
