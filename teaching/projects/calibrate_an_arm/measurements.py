"""The laboratory: an arm whose inertias nobody knows, and noisy measurements of its motion.

The true arm is a UR5e whose inertial parameters were changed by up to a third. Do not look into it: `measure` is all
that you would have in a laboratory.
"""

import numpy as np

from rbdlib import load, rnea
from rbdlib.book.ch02_spatial import I_to_mcI, mcI

#: The noise of the torque sensors, a standard deviation, in N m.
NOISE = 0.05
_SECRET = 20261


def _true_arm():
    rng, book = np.random.default_rng(_SECRET), load("ur5e")
    changed = []
    for I in book.inertia[1:]:
        m, c, I_C = I_to_mcI(I)
        changed.append(mcI(m * rng.uniform(0.7, 1.3), c * rng.uniform(0.8, 1.2, 3), I_C * rng.uniform(0.7, 1.3)))
    return book.replace(inertia=changed)


def measure(motion, times, seed=0, noise=NOISE):
    """The joint torques (k x 6) while the arm moves as motion(t) -> q, qd, qdd says, at the given times."""
    arm, rng = _true_arm(), np.random.default_rng(seed)
    exact = np.array([rnea(arm, *motion(t)) for t in times])
    return exact + noise * rng.normal(size=exact.shape)
