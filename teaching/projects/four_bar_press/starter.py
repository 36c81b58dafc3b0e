"""A four-bar press: your file. Replace every `raise NotImplementedError`; brief.md says what is asked for."""

from rbdlib import load

PRESS = load("four_bar")
CRANK, COUPLER, ROCKER = 0, 1, 2


def positions(angles):
    """The configurations q (k x 3) at these crank angles (rad), all on the branch with the pin above (see brief.md)."""
    raise NotImplementedError


def ratio(q):
    """How fast the rocker turns for a unit rate of the crank, a number."""
    raise NotImplementedError


def crank_torque(q, load_torque):
    """The torque (N m) at the crank that balances a load (N m) on the rocker, weights left out."""
    raise NotImplementedError


def dead_points():
    """The crank angles (rad) at which the rocker stands still."""
    raise NotImplementedError


def pin_force(q, load_torque):
    """The size (N) of the force in the pin between coupler and rocker at rest, weights included."""
    raise NotImplementedError
