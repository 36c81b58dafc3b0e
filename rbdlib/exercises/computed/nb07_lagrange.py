"""Answers of the exercises in data/exercises/07_lagrange.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _coriolis(whole, bent):
    """A function for exercise 7.2, from the factors of the vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""

    def C(dM, qd):
        return whole * np.einsum("k,kab,b->a", qd, dM, qd) + bent * np.einsum("a,jab,b->j", qd, dM, qd)

    return C


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


def _half_turn():
    from rbdlib.texts.mbt.lagrange import exponential_map_jacobian

    return exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]


ANSWERS = {
    "7.2": Computed(_coriolis(1, -0.5), inputs=_random_slopes, mistakes={
        "transpose": _coriolis(0.5, 0), "factor": _coriolis(1, -1), "term": _coriolis(1, 0),
        "sign": _coriolis(1, 0.5), "term 2": _coriolis(0, -0.5)}),
    "7.6": Computed(_half_turn)}
