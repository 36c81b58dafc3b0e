"""Reference solution: energy pumping brings the pole up, and linear feedback keeps it there."""

import numpy as np
from scipy.linalg import solve_continuous_are

from rbdlib import load
from rbdlib.book.ch04_kinematics import kinetic_energy
from rbdlib.book.ch09_hybrid import hybrid_dynamics
from rbdlib.methods.centre_of_mass import potential_energy
from rbdlib.methods.derivatives import linearise
from rbdlib.motion.simulate import simulate

MODEL = load("cart_pole")
LIMIT = 20.0
UPRIGHT = np.zeros(2)
PUMP, STAY, SLOW = 8.0, 4.0, 2.0


def surplus(q, qd):
    """The pole's energy about its hinge beyond that of standing upright (J): zero on the way to the top."""
    rates = np.array([0.0, qd[1]])
    return (kinetic_energy(MODEL, q, rates) + potential_energy(MODEL, q)) - potential_energy(MODEL, UPRIGHT)


def gains():
    """The row K (4) of F = -K [q, qd], from the Riccati equation of the linearised system."""
    A, B = linearise(MODEL, UPRIGHT, np.zeros(2), np.zeros(2))
    B = B[:, :1]
    P = solve_continuous_are(A, B, np.diag([10.0, 100.0, 1.0, 10.0]), np.array([[1.0]]))
    return (B.T @ P)[0]


K = gains()


def force_for(q, qd, acceleration):
    """The force (N) that gives the cart this acceleration, whatever the pole does: hybrid dynamics (RBDA 9.1)."""
    _, tau = hybrid_dynamics(MODEL, q, qd, [acceleration, 0.0], [0.0, 0.0], [1])
    return tau[0]


def force(t, q, qd):
    """The force on the cart (N), at most LIMIT in size."""
    angle = (q[1] + np.pi) % (2 * np.pi) - np.pi
    if abs(angle) < 0.35 and abs(qd[1]) < 3:
        wanted = -K @ [q[0], angle, qd[0], qd[1]]
    else:
        pump = -PUMP * surplus(q, qd) * qd[1] * np.cos(q[1])
        wanted = force_for(q, qd, pump - STAY * q[0] - SLOW * qd[0])
    return float(np.clip(wanted, -LIMIT, LIMIT))


def run(t_end=8.0):
    """The trajectory from hanging, a little off, with the force switched on."""
    times = np.linspace(0, t_end, 401)
    return simulate(MODEL, [0, np.pi - 0.05], [0, 0], times, torque=lambda t, q, qd: [force(t, q, qd), 0.0],
                    method="rk4", dt=0.01, progress=False)


if __name__ == "__main__":
    motion = run()
    for t, q in zip(motion.t[::25], motion.q[::25], strict=True):
        print(f"t = {t:4.1f} s   cart {q[0]:6.2f} m   pole {np.degrees(q[1]):8.1f}°")
