"""Answers of the exercises in data/exercises/more/rbda02.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.exercises.declare import Computed


def _bolt():
    from rbdlib.book.ch02_spatial import xlt

    return xlt([0, -2, 0]) @ [3, 0, 0, 0.3, 0, 0]


def _rate_of_momentum(I, v, a):
    return I @ a + crf(v) @ I @ v


def _body_in_motion(rng):
    from rbdlib.book.ch02_spatial import mcI

    points = rng.normal(size=(3, 3))
    spread = points @ points.T
    I_C = np.trace(spread) * np.eye(3) - spread
    return mcI(1 + rng.random(), rng.normal(size=3), I_C), rng.normal(size=6), rng.normal(size=6)


def _force_in_the_turned_frame():
    from rbdlib.book.ch02_planar import Xpln, force_transform

    return force_transform(Xpln([1, 0], np.pi / 2)) @ [-20, 0, -10]


ANSWERS = {
    "2.51": Computed(_bolt),
    "3.51": Computed(_rate_of_momentum, inputs=_body_in_motion, mistakes={
        "bias": lambda I, v, a: I @ a, "dual": lambda I, v, a: I @ a + crm(v) @ I @ v,
        "sign": lambda I, v, a: I @ a - crf(v) @ I @ v}),
    "4.51": Computed(_force_in_the_turned_frame)}
