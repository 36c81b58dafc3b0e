"""Answers of the exercises in data/exercises/21_impact.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _bounces(formula):
    """A formula in the time of the first fall and e."""

    def of_time(h, g, e):
        from sympy import sqrt

        return formula(sqrt(2 * h / g), e)

    return _formula("h g e", of_time)


def _corner(formula):
    """A formula in I_C, m r² and the function cos, with the angle beta."""

    def of_angle(I_C, m, r, beta):
        from sympy import cos

        return formula(I_C, m * r**2, beta, cos)

    return _formula("I_C m r beta", of_angle)


def _wheel(rng):
    """A speed after an impact, and the numbers of some rimless wheel on some slope."""
    return (float(rng.uniform(2, 4)), float(rng.uniform(0.5, 0.95)), float(rng.uniform(20, 60)),
            float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.02, 0.15)))


def _gain(kappa, alpha, gamma):
    from math import sin

    return 4 * kappa * sin(gamma) * sin(alpha)


def _next_speed(omega, rho, kappa, alpha, gamma):
    return rho * (omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _loss_first(omega, rho, kappa, alpha, gamma):
    return (rho**2 * omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _energy_as_speed(omega, rho, kappa, alpha, gamma):
    return rho * (omega + _gain(kappa, alpha, gamma) ** 0.5)


def _level_ground(omega, rho, kappa, alpha, gamma):
    return rho * omega


def _before_the_impact(omega, rho, kappa, alpha, gamma):
    return (omega**2 + _gain(kappa, alpha, gamma)) ** 0.5


def _half_the_gain(omega, rho, kappa, alpha, gamma):
    return rho * (omega**2 + _gain(kappa, alpha, gamma) / 2) ** 0.5


def _square_of_it(omega, rho, kappa, alpha, gamma):
    return rho**2 * (omega**2 + _gain(kappa, alpha, gamma))


def _from_the_top(omega, rho, kappa, alpha, gamma):
    from math import cos

    return rho * (omega**2 + 2 * kappa * (1 - cos(alpha + gamma))) ** 0.5


def _least_slope(before_impact=False, scale=1.0):
    """The slope on which the wheel with 8 legs and k = 1/4 just passes the top at the speed that it keeps."""

    def slope():
        from math import cos, pi, sin

        from scipy.optimize import brentq

        alpha, k = pi / 8, 0.25
        rho = (k + cos(2 * alpha)) / (k + 1)
        kept = 1 if before_impact else rho**2
        return scale * brentq(lambda gamma: kept * 4 * sin(gamma) * sin(alpha) / (1 - rho**2)
                              - 2 * (1 - cos(alpha - gamma)), 1e-3, alpha)

    return slope


ANSWERS = {
    "21.2": Computed(_bounces(lambda fall, e: fall * (1 + e) / (1 - e))),
    "21.3": Computed(mistakes={"energy": (0, 0, 2 / 3, 2 / 3, 2 / 3)}),
    "21.4": Computed((1 / 6, 1 / 6, 2 / 3), mistakes={"rule": (1 / 3, 1 / 3, 1 / 3), "entry": (1 / 3, 0, 2 / 3)}),
    "21.5": Computed(_corner(lambda I_C, mr2, beta, cos: (I_C + mr2 * cos(beta)) / (I_C + mr2))),
    "21.7": Computed(_next_speed, inputs=_wheel, mistakes={
        "swapped": _loss_first, "power": _energy_as_speed, "entry": _level_ground, "entry 2": _before_the_impact,
        "power 2": _square_of_it, "entry 3": _from_the_top, "factor": _half_the_gain}),
    "21.8": Computed(_least_slope(), mistakes={
        "degrees": _least_slope(scale=57.29577951308232), "entry": _least_slope(before_impact=True)})}
