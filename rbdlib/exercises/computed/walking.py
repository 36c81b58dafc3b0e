"""Computed answers about walking (notebook 34)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _zmp(m, r, a, g, *, gravity=1, upward=1, lean=1, centre=False, weight=False, alike=False, weighed=True):
    """Exercise 34.3: where the floor is pushed, without a moment along it."""
    m = np.ones(len(m)) if alike else np.asarray(m)
    lift = m * (gravity * g + upward * a[:, 2])
    height = r[:, 2] - (m @ r[:, 2] / m.sum() if centre else 0)
    moments = lift @ r[:, :2] - lean * (m * height) @ a[:, :2]
    return moments / (m.sum() * g if weight else lift.sum() if weighed else 1)


def _swapped(m, r, a, g):
    """A wrong answer to 34.3: the moment about x divided for p_x, and that about y for p_y."""
    x, y = _zmp(m, r, a, g)
    return np.array([-y, x])


def _masses(rng):
    """m, r, a and g of four point masses that move about above the floor."""
    r = np.column_stack([rng.uniform(-0.5, 0.5, (4, 2)), rng.uniform(0.2, 1.5, 4)])
    return positive(rng, 4).diagonal(), r, rng.uniform(-2, 2, (4, 3)), 9.81


ANSWERS = {
    "34.3": Computed(_zmp, inputs=_masses, mistakes={
        "term": dict(gravity=0), "term 2": dict(upward=0), "term 3": dict(lean=0), "sign": dict(lean=-1),
        "sign 2": dict(gravity=-1), "point": dict(centre=True), "divisor": dict(weight=True), "mass": dict(alike=True),
        "divisor 2": dict(weighed=False), "axes": _swapped})}
