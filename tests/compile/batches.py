"""Batches of states, and an example, for the tests of compiled functions."""

import numpy as np

from rbdlib import load, rnea
from rbdlib.compile.compile_for import compile_for
from tests.sources.helpers import close

STATE = [0.3, -0.4], [1.0, 2.0], [-1.0, 0.5]


def works(backend="auto", function=rnea, **options):
    """A function compiled for a double pendulum, once it has given the right result."""
    model = load("double_pendulum")
    fast = compile_for(function, model, backend=backend, **options)
    close(fast(*STATE), function(model, *STATE))
    return fast


def states(model, shape, rng):
    """Random q, qd and a third array, as batches of the given shape."""
    drawn = [model.random_state(rng) for _ in range(int(np.prod(shape)))]
    q, qd = (np.array([state[k] for state in drawn]).reshape(*shape, n) for k, n in ((0, model.nq), (1, model.nv)))
    return q, qd, rng.normal(size=(*shape, model.nv))
