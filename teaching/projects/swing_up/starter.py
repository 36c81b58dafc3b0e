"""Swing up a cart-pole: your file. Replace every `raise NotImplementedError`; brief.md says what is asked for."""

import numpy as np

from rbdlib import load

MODEL = load("cart_pole")
LIMIT = 20.0
UPRIGHT = np.zeros(2)


def surplus(q, qd):
    """The pole's energy about its hinge, as if the cart stood still, beyond that of standing upright (J)."""
    raise NotImplementedError


def gains():
    """The row K (4) of the feedback F = -K [q1, q2, qd1, qd2] near the upright position."""
    raise NotImplementedError


def force_for(q, qd, acceleration):
    """The force (N) on the cart that gives the cart this acceleration (m/s²), whatever the pole does."""
    raise NotImplementedError


def force(t, q, qd):
    """The force on the cart (N), at most LIMIT in size; q and qd are those of the model, the angle is not wrapped."""
    raise NotImplementedError


if __name__ == "__main__":
    from rbdlib.motion.simulate import simulate

    motion = simulate(MODEL, [0, np.pi - 0.05], [0, 0], np.linspace(0, 10, 401), method="rk4", dt=0.01,
                      torque=lambda t, q, qd: [force(t, q, qd), 0.0])
    for t, q in zip(motion.t[::20], motion.q[::20], strict=True):
        print(f"t = {t:4.1f} s   cart {q[0]:6.2f} m   pole {np.degrees(q[1]):8.1f}°")
