"""The athlete: a trunk with arms and straight legs, free to move in the vertical x-y plane, y up.

Joint variables: 0 and 1, where the hip is (m); 2, how far the trunk has turned (rad); 3, the arms, 0 overhead and -pi
beside the hip; 4, the legs, 0 in line with the trunk and positive when they are lifted to the front.
"""

import numpy as np

from rbdlib import Model
from rbdlib.book.ch02_spatial import mcI, xlt
from rbdlib.book.ch04_joints import Prismatic, Revolute

#: Places in q, body numbers, and how far and how fast the joints may move (rad, rad/s).
ARMS, LEGS = 3, 4
BODIES = {ARMS: 4, LEGS: 5}
RANGE = {ARMS: (-3.0, 0.1), LEGS: (-0.1, 2.6)}
FASTEST = 20.0
#: The flight lasts so long (s); the athlete takes off stretched, arms overhead, turning at OMEGA (rad/s).
FLIGHT, OMEGA = 1.1, 4.0


def _rod(mass, length, along):
    """A rod of this mass (kg) from its frame's origin to `along` times its length (m)."""
    square = mass * length**2 / 12
    return mcI(mass, [0, along * length / 2, 0], np.diag([square, 0.01 * square, square]))


def athlete():
    """The model: two massless slides, then trunk with head, arms (both) and legs (both)."""
    nothing = np.zeros((6, 6))
    return Model([0, 1, 2, 3, 3], [Prismatic("x"), Prismatic("y"), Revolute("z"), Revolute("z"), Revolute("z")],
                 [np.eye(6)] * 3 + [xlt([0, 0.55, 0]), np.eye(6)],
                 [nothing, nothing, _rod(36, 0.8, 1), _rod(8, 0.65, 1), _rod(24, 0.9, -1)],
                 gravity=(0, -9.81, 0), names=("slide_x", "slide_y", "trunk", "arms", "legs"))


def take_off():
    """q and qd at take-off: the centre of mass rises as fast as it will come down, and the body turns as one."""
    q, qd = np.zeros(5), np.zeros(5)
    qd[1], qd[2] = 9.81 * FLIGHT / 2, OMEGA
    height = (36 * 0.4 + 8 * (0.55 + 0.325) - 24 * 0.45) / 68
    qd[0] = OMEGA * height                              # so that the centre of mass has no velocity along x
    return q, qd
