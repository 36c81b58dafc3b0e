"""Answers of the exercises in data/exercises/20_contact.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _beam(formula):
    return _formula("m g", formula)


def _feet(formula):
    return _formula("m I_C a", formula)


def _corners(formula):
    """A formula in v, k and the cosine of the angle at each of k corners."""

    def of_angle(v, k):
        from sympy import cos, pi

        return formula(v, k, cos, pi)

    return _formula("v k", of_angle)


def _ladder(formula):
    """A formula in the weight, cos theta, sin theta and sin theta_0."""

    def of_angles(m, g, theta, theta_0):
        from sympy import cos, sin

        return formula(m * g, cos(theta), sin(theta), sin(theta_0))

    return _formula("m g theta theta_0", of_angles)


def _slot(formula):
    return _formula("v R r", formula)


def _legs(rng):
    """Forces, and a ray with entries of both signs."""
    n = int(rng.integers(4, 7))
    return rng.uniform(0.5, 10, n), rng.uniform(0.2, 1, n) * [(-1) ** i for i in range(n)]


def _load_range(lam, ray):
    return [max(-x / r for x, r in zip(lam, ray, strict=True) if r > 0),
            min(-x / r for x, r in zip(lam, ray, strict=True) if r < 0)]


def _signs_ignored(lam, ray):
    most = min(x / abs(r) for x, r in zip(lam, ray, strict=True))
    return [-most, most]


def _only_upwards(lam, ray):
    return [0, _load_range(lam, ray)[1]]


def _wrong_ends(lam, ray):
    return [min(-x / r for x, r in zip(lam, ray, strict=True) if r > 0),
            max(-x / r for x, r in zip(lam, ray, strict=True) if r < 0)]


ANSWERS = {
    "20.1": Computed(_beam(lambda m, g: m * g / 4)),
    "20.2": Computed(_feet(lambda m, I_C, a: 1 / m - a**2 / I_C)),
    "20.4": Computed(_load_range, inputs=_legs, mistakes={
        "sign": _signs_ignored, "sign 2": _only_upwards, "swapped": _wrong_ends}),
    "20.5": Computed(_corners(lambda v, k, cos, pi: v * cos(pi / (2 * k)) ** k)),
    "20.6": Computed(_ladder(lambda G, c, s, s_0: 3 * G * c * (3 * s - 2 * s_0) / 4)),
    "20.8": Computed(_slot(lambda v, R, r: -2 * v**2 / (R - r))),
    "20.9": Computed(4 / 3, mistakes={"minimum": 5 / 3, "inverse": 3 / 4})}
