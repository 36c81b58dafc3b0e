"""Answers of the exercises in data/exercises/22_soft_contact.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _in_zeta(formula):
    """An answer in zeta, from a function of it and of SymPy."""

    def answer():
        import sympy

        return formula(sympy.symbols("zeta", positive=True), sympy)

    return answer


def _in_coefficients(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("mu_s mu_k m g k", positive=True))

    return answer


def _touches(rng):
    """p, pdot, K, D, n of a Hunt-Crossley contact: pushed, pulled, or apart."""
    return rng.choice([-0.02, -0.01, 0.01]), rng.choice([-1.5, 0.5, 4.0]), 1e5, 4e4, rng.choice([1.5, 2.0])


def _force(push):
    """A function of (p, pdot, K, D, n) that is 0 above the floor and max(0, push) below."""

    def hunt_crossley(p, pdot, K, D, n):
        return 0.0 if p > 0 else max(0.0, push(abs(p), pdot, K, D, n))

    return hunt_crossley


def _pulling(p, pdot, K, D, n):
    return 0.0 if p > 0 else K * abs(p) ** n - D * abs(p) ** n * pdot


def _without_floor(p, pdot, K, D, n):
    return max(0.0, K * abs(p) ** n - D * abs(p) ** n * pdot)


def _pushes(rng):
    """f_stick, f_n, mu: inside the cone, far outside, and with one large component."""
    angle = rng.uniform(0, 6.28)
    from numpy import array, cos, sin

    return rng.choice([3.0, 9.0, 30.0]) * array([cos(angle), sin(angle)]), 20.0, 0.5


def _friction(f_stick, f_n, mu):
    from numpy import hypot

    size = hypot(*f_stick)
    return f_stick if size <= mu * f_n else mu * f_n / size * f_stick


def _by_components(f_stick, f_n, mu):
    from numpy import clip

    return clip(f_stick, -mu * f_n, mu * f_n)


def _always_at_the_limit(f_stick, f_n, mu):
    from numpy import hypot

    return mu * f_n / hypot(*f_stick) * f_stick


def _reversed(f_stick, f_n, mu):
    return -_friction(f_stick, f_n, mu)


def _without_limit(f_stick, f_n, mu):
    return f_stick


ANSWERS = {
    "22.2": Computed(_in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.acos(zeta) / s.sqrt(1 - zeta**2))), mistakes={
        "factor": _in_zeta(lambda zeta, s: s.exp(-zeta * s.acos(zeta) / s.sqrt(1 - zeta**2))),
        "swapped": _in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.asin(zeta) / s.sqrt(1 - zeta**2))),
        "factor 2": _in_zeta(lambda zeta, s: s.exp(-2 * zeta * s.acos(zeta)))}),
    "22.4": Computed(
        _force(lambda depth, pdot, K, D, n: K * depth**n - D * depth**n * pdot),
        inputs=_touches,
        mistakes={
            "clamp": _pulling, "entry": _without_floor,
            "sign": _force(lambda depth, pdot, K, D, n: K * depth**n + D * depth**n * pdot),
            "entry 2": _force(lambda depth, pdot, K, D, n: K * depth**n - D * pdot),
            "entry 3": _force(lambda depth, pdot, K, D, n: K * depth - D * depth * pdot)}),
    "22.6": Computed(_friction, inputs=_pushes, mistakes={
        "disc": _by_components, "entry": _always_at_the_limit, "sign": _reversed, "clamp": _without_limit}),
    "22.8": Computed(_in_coefficients(lambda mu_s, mu_k, m, g, k: 2 * (mu_s - mu_k) * m * g / k))}
