"""Answers of the exercises in data/exercises/19_gears_and_equivalence.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _ratio(formula):
    return _formula("tau w I_a J", formula)


def _rotor(formula):
    return _formula("rho J", formula)


def _rods(formula):
    return _formula("m l", formula)


def _parameters(rng):
    """The ten parameters of some body, of ordinary size."""
    return (rng.uniform(0.5, 2, size=10),)


def _simplified(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx - I_yy, I_xy, 0, I_xz, I_yz, I_zz]


def _alone(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx, I_xy, 0, I_xz, I_yz, I_zz]


def _spinning(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [0, h_x, h_y, 0, I_xx, I_xy, I_yy - I_xx, I_xz, I_yz, 0]


def _what_is_moved(p):
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = p
    return [m, 0, 0, h_z, I_yy, 0, I_yy, 0, 0, 0]


def _mass_only(p):
    return [0, *p[1:]]


ANSWERS = {
    "19.1": Computed(mistakes={"inverse": 2e-5 / 150**2}),
    "19.2": Computed(_ratio(lambda tau, w, I_a, J: w / tau + (w**2 / tau**2 + I_a / J) ** 0.5), mistakes={
        "entry": _ratio(lambda tau, w, I_a, J: (I_a / J) ** 0.5),
        "sign": _ratio(lambda tau, w, I_a, J: -w / tau + (w**2 / tau**2 + I_a / J) ** 0.5)}),
    "19.4": Computed(_rotor(lambda rho, J: [[rho**2 * J, rho**2 * J], [rho**2 * J, rho**2 * J]])),
    "19.7": Computed(_simplified, inputs=_parameters, mistakes={
        "entry": _alone, "swapped": _spinning, "inverse": _what_is_moved, "entry 2": _mass_only}),
    "19.8": Computed(_rods(lambda m, l: (5 * m * l / 2, 7 * m * l**2 / 3)))}
