"""Answers of the exercises in data/exercises/A_spatial_arithmetic.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import I_to_mcI, mcI
from rbdlib.exercises.declare import Computed


def _random_inertia(rng):
    """A rigid-body inertia about an origin that is not its centre of mass."""
    A = rng.normal(size=(3, 3))
    second_moments = A @ A.T
    I_C = np.trace(second_moments) * np.eye(3) - second_moments
    return (mcI(round(rng.uniform(1, 5), 2), rng.normal(size=3), I_C),)


def _mass_and_moment(I):
    return np.array([I[5, 5], I[2, 4], I[0, 5], I[1, 3]])


def _triangle(A):
    return A[np.tril_indices(3)]


ANSWERS = {
    "A.2": Computed(lambda I: [*_mass_and_moment(I), *_triangle(I[:3, :3])], inputs=_random_inertia, mistakes={
        "factor": lambda I: [*_mass_and_moment(I) / [1, *[I[5, 5]] * 3], *_triangle(I[:3, :3])],
        "sign": lambda I: [*_mass_and_moment(I) * [1, -1, -1, -1], *_triangle(I[:3, :3])],
        "swapped": lambda I: [*_mass_and_moment(I), *I[:3, :3][np.triu_indices(3)]],
        "frame": lambda I: [*_mass_and_moment(I), *_triangle(I_to_mcI(I)[2])]})}
