"""Answers of the exercises in data/exercises/more/rbda02.toml that take a computation."""

import numpy as np

from rbdlib.book import ch02_planar as planar
from rbdlib.book.ch02_spatial import crf, crm, mcI, xlt
from rbdlib.exercises.declare import Computed


def _body_in_motion(rng):
    points = rng.normal(size=(3, 3))
    spread = points @ points.T
    I_C = np.trace(spread) * np.eye(3) - spread
    return mcI(1 + rng.random(), rng.normal(size=3), I_C), rng.normal(size=6), rng.normal(size=6)


ANSWERS = {
    "2.51": Computed(lambda: xlt([0, -2, 0]) @ [3, 0, 0, 0.3, 0, 0]),
    "3.51": Computed(lambda I, v, a: I @ a + crf(v) @ I @ v, inputs=_body_in_motion, mistakes={
        "bias": lambda I, v, a: I @ a, "dual": lambda I, v, a: I @ a + crm(v) @ I @ v,
        "sign": lambda I, v, a: I @ a - crf(v) @ I @ v}),
    "4.51": Computed(lambda: planar.force_transform(planar.Xpln([1, 0], np.pi / 2)) @ [-20, 0, -10])}
