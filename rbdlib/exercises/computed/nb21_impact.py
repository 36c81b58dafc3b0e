"""Answers of the exercises in data/exercises/21_impact.toml that take a computation."""

from math import cos, degrees, pi, sin

from rbdlib.exercises.declare import Computed


def _wheel(rng):
    """A speed after an impact, and the numbers of some rimless wheel on some slope."""
    return (float(rng.uniform(2, 4)), float(rng.uniform(0.5, 0.95)), float(rng.uniform(20, 60)),
            float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.02, 0.15)))


def _next_speed(formula):
    """A function for exercise 21.7, from one of the speed omega, of rho, and of what omega² gains on the slope."""
    return lambda omega, rho, kappa, alpha, gamma: formula(omega, rho, 4 * kappa * sin(gamma) * sin(alpha))


def _from_the_top(omega, rho, kappa, alpha, gamma):
    return rho * (omega**2 + 2 * kappa * (1 - cos(alpha + gamma))) ** 0.5


def _least_slope(before_impact=False):
    """The slope on which the wheel with 8 legs and k = 1/4 just passes the top at the speed that it keeps."""
    from scipy.optimize import brentq

    alpha, k = pi / 8, 0.25
    rho = (k + cos(2 * alpha)) / (k + 1)
    kept = 1 if before_impact else rho**2
    return brentq(lambda gamma: kept * 4 * sin(gamma) * sin(alpha) / (1 - rho**2) - 2 * (1 - cos(alpha - gamma)),
                  1e-3, alpha)


ANSWERS = {
    "21.7": Computed(_next_speed(lambda omega, rho, gain: rho * (omega**2 + gain) ** 0.5), inputs=_wheel, mistakes={
        "swapped": _next_speed(lambda omega, rho, gain: (rho**2 * omega**2 + gain) ** 0.5),
        "power": _next_speed(lambda omega, rho, gain: rho * (omega + gain**0.5)),
        "entry": _next_speed(lambda omega, rho, gain: rho * omega),
        "entry 2": _next_speed(lambda omega, rho, gain: (omega**2 + gain) ** 0.5),
        "power 2": _next_speed(lambda omega, rho, gain: rho**2 * (omega**2 + gain)),
        "entry 3": _from_the_top,
        "factor": _next_speed(lambda omega, rho, gain: rho * (omega**2 + gain / 2) ** 0.5)}),
    "21.8": Computed(_least_slope, mistakes={
        "degrees": lambda: degrees(_least_slope()), "entry": lambda: _least_slope(before_impact=True)})}
