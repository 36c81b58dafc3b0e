"""Answers of the exercises in data/exercises/20_contact.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _legs(rng):
    """Forces, and a ray with entries of both signs."""
    n = int(rng.integers(4, 7))
    return rng.uniform(0.5, 10, n), rng.uniform(0.2, 1, n) * [(-1) ** i for i in range(n)]


def _load_range(lam, ray):
    return [max((-lam / ray)[ray > 0]), min((-lam / ray)[ray < 0])]


ANSWERS = {
    "20.4": Computed(_load_range, inputs=_legs, mistakes={
        "sign": lambda lam, ray: np.array([-1, 1]) * min(lam / abs(ray)),
        "sign 2": lambda lam, ray: [0, _load_range(lam, ray)[1]],
        "swapped": lambda lam, ray: [min((-lam / ray)[ray > 0]), max((-lam / ray)[ray < 0])]})}
