"""Computed answers about walking (notebook 34)."""

import numpy as np

from rbdlib.exercises.computed.draws import positive
from rbdlib.exercises.declare import Computed


def _zmp(gravity=1, upward=1, lean=1, centre=False, weight=False, alike=False, weighed=True):
    """A function for exercise 34.3, of which one step may be another."""

    def zmp_of_masses(m, r, a, g):
        m = np.ones(len(m)) if alike else np.asarray(m)
        lift = m * (gravity * g + upward * a[:, 2])
        height = r[:, 2] - (m @ r[:, 2] / m.sum() if centre else 0)
        moments = lift @ r[:, :2] - lean * (m * height) @ a[:, :2]
        return moments / (m.sum() * g if weight else lift.sum() if weighed else 1)

    return zmp_of_masses


def _swapped(m, r, a, g):
    """A wrong answer to 34.3: the moment about x divided for p_x, and that about y for p_y."""
    x, y = _zmp()(m, r, a, g)
    return np.array([-y, x])


def _masses(rng):
    """m, r, a and g of four point masses that move about above the floor."""
    r = np.column_stack([rng.uniform(-0.5, 0.5, (4, 2)), rng.uniform(0.2, 1.5, 4)])
    return positive(rng, 4).diagonal(), r, rng.uniform(-2, 2, (4, 3)), 9.81


ANSWERS = {"34.3": Computed(_zmp(), inputs=_masses, mistakes={
    "term": _zmp(gravity=0), "term 2": _zmp(upward=0), "term 3": _zmp(lean=0), "sign": _zmp(lean=-1),
    "sign 2": _zmp(gravity=-1), "point": _zmp(centre=True), "divisor": _zmp(weight=True), "mass": _zmp(alike=True),
    "divisor 2": _zmp(weighed=False), "axes": _swapped})}
