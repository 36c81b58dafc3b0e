"""Answers of the exercises in data/exercises/07_lagrange.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed

WEIGHT = 0.2 * 9.81


def _rates(dM, qd):
    """The two vectors of MBT Eq. 17: M' qd, and ((dM/dq) qd)ᵀ qd."""
    dM, qd = np.asarray(dM), np.asarray(qd)
    return np.einsum("k,kab,b->a", qd, dM, qd), np.einsum("a,jab,b->j", qd, dM, qd)


def _coriolis(whole, bent):
    """A function for exercise 7.2, from the factors of the two vectors."""

    def C(dM, qd):
        of_M_dot, of_dM = _rates(dM, qd)
        return whole * of_M_dot + bent * of_dM

    return C


def _random_slopes(rng):
    slopes = rng.normal(size=(3, 3, 3))
    return slopes + slopes.transpose(0, 2, 1), rng.normal(size=3)


def _polar(centrifugal, coriolis):
    """An answer to exercise 7.3, from the factors of m r omega² and m r r' omega."""

    def answer():
        from sympy import symbols

        m, q1, qd1, qd2 = symbols("m q1 qd1 qd2")
        return [centrifugal * m * q1 * qd2**2, coriolis * m * q1 * qd1 * qd2]

    return answer


def _ladder(numerator, denominator, wave="sin"):
    """An answer to exercise 7.5: a fraction times g/l and the sine or cosine of q."""

    def answer():
        import sympy

        q, l, g = sympy.symbols("q l g")
        return sympy.Rational(numerator, denominator) * g / l * getattr(sympy, wave)(q)

    return answer


def _half_turn():
    from rbdlib.texts.mbt.lagrange import exponential_map_jacobian

    return exponential_map_jacobian([0, 0, np.pi]) @ [1, 0, 0]


ANSWERS = {
    "7.1": Computed(3 - WEIGHT * 0.5, mistakes={
        "factor": (3 - WEIGHT * 0.5) / np.sqrt(1.25), "slope": 3 - WEIGHT, "sign": 3 + WEIGHT * 0.5}),
    "7.2": Computed(_coriolis(1, -0.5), inputs=_random_slopes, mistakes={
        "transpose": _coriolis(0.5, 0), "factor": _coriolis(1, -1), "term": _coriolis(1, 0),
        "sign": _coriolis(1, 0.5), "term 2": _coriolis(0, -0.5)}),
    "7.3": Computed(_polar(-1, 2)),
    "7.5": Computed(_ladder(3, 2)),
    "7.6": Computed(_half_turn, mistakes={
        "frame": (0, -2 / np.pi, 0), "small angle": lambda: [1 - np.pi**2 / 6, np.pi / 2, 0]}),
    "7.7": Computed(mistakes={"lever": (-10 * np.sqrt(0.41), -4)})}
