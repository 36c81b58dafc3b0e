"""Reference solution: one crank angle decides everything; power decides the torques, and the loop the forces."""

import numpy as np

from rbdlib import load
from rbdlib.book.ch08_closed_loops import loop_constraints
from rbdlib.loops.closing import close_loops
from rbdlib.loops.coordinates import inverse_dynamics, solve_closure
from rbdlib.loops.dynamics import by_loop_constraints

PRESS = load("four_bar")
CRANK, COUPLER, ROCKER = 0, 1, 2
#: Closed, with the crank level and the coupler above. From here a branch is followed; a guess may end on another one.
START = close_loops(PRESS, [0.0, 0.9, 1.5], independent=[CRANK])


def positions(angles):
    """The configurations q (k x 3) at these crank angles (rad), all on the branch with the coupler above."""
    q, found = START, []
    for angle in angles:
        q = solve_closure(PRESS, [CRANK], [angle], q)
        found.append(q)
    return np.array(found)


def ratio(q):
    """How fast the rocker turns for a unit rate of the crank."""
    K, _, _ = loop_constraints(PRESS, q, np.zeros(3))
    rates = -np.linalg.lstsq(K[:, [COUPLER, ROCKER]], K[:, CRANK], rcond=None)[0]
    return rates[1]


def crank_torque(q, load_torque):
    """The torque (N m) at the crank that balances a load on the rocker, weights left out: no power is lost."""
    return -ratio(q) * load_torque


def dead_points(count=90):
    """The crank angles (rad, 0 to 2 pi) at which the rocker stands still, from the changes of sign of its rate."""
    from scipy.optimize import brentq

    angles = np.linspace(0, 2 * np.pi, count + 1)
    q = positions(angles)
    rates = np.array([ratio(x) for x in q])

    def rate(angle, start):
        return ratio(solve_closure(PRESS, [CRANK], [angle], start))

    return np.array([brentq(rate, angles[k], angles[k + 1], args=(q[k],), xtol=1e-10)
                     for k in range(count) if rates[k] * rates[k + 1] < 0])


def pin_force(q, load_torque):
    """The size (N) of the force in the pin between coupler and rocker at rest, with a load (N m) on the rocker.

    Weights count here. The crank holds the press; nothing else drives it.
    """
    tau = inverse_dynamics(PRESS, q, np.zeros(3), np.zeros(3), actuated=[CRANK])
    tau = tau + [crank_torque(q, load_torque), 0, load_torque]
    _, lam = by_loop_constraints(PRESS, q, np.zeros(3), tau)
    return float(np.linalg.norm(lam[2:]))
