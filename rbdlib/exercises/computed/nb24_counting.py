"""Answers of the exercises in data/exercises/24_counting.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _parents(rng):
    """The parents of a tree, of up to ten bodies and with two of them on the base at least."""
    n = int(rng.integers(4, 11))
    return ([0, *(int(rng.integers(0, i)) for i in range(2, n)), 0],)


def _depths(parent):
    depth = [0]
    for p in parent:
        depth.append(depth[p] + 1)
    return depth[1:]


ANSWERS = {
    "24.3": Computed(lambda parent: sum(_depths(parent)) - len(parent), inputs=_parents, mistakes={
        "entry": lambda parent: sum(_depths(parent)), "entry 2": lambda parent: sum(p != 0 for p in parent),
        "entry 3": lambda parent: len(parent) * (len(parent) - 1) // 2,
        "factor": lambda parent: 2 * (sum(_depths(parent)) - len(parent))})}
