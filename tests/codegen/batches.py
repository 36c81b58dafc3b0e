"""Batches of states for the tests of compiled functions."""

import numpy as np


def states(model, shape, rng):
    """Random q, qd and a third array, as batches of the given shape."""
    drawn = [model.random_state(rng) for _ in range(int(np.prod(shape)))]
    q, qd = (np.array([state[k] for state in drawn]).reshape(*shape, n) for k, n in ((0, model.nq), (1, model.nv)))
    return q, qd, rng.normal(size=(*shape, model.nv))
