"""Answers of the exercises in data/exercises/26_verify_your_derivation.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _rods(formula):
    """An answer to exercise 26.2, from a function of m1, m2, l1, l2, the two speeds and cos q2."""

    def answer():
        import sympy

        m1, m2, l1, l2, q2, qd1, qd2 = sympy.symbols("m1 m2 l1 l2 q2 qd1 qd2")
        return formula(m1, m2, l1, l2, qd1, qd2, sympy.cos(q2))

    return answer


def _cart(formula):
    """An answer to exercise 26.7, from a function of the masses, l, g, the two speeds and cos theta."""

    def answer():
        import sympy

        m_cart, m_pole, l, g, q2, qd1, qd2 = sympy.symbols("m_cart m_pole l g q2 qd1 qd2")
        return formula(m_cart, m_pole, l, g, qd1, qd2, sympy.cos(q2))

    return answer


def _two_arrays(rng):
    right = rng.uniform(-3, 3, 6)
    return right + rng.normal(0, 0.2, 6), right


def _relative_error(yours, right):
    return np.abs(yours - right).max() / np.abs(right).max()


ANSWERS = {
    "26.2": Computed(_rods(lambda m1, m2, l1, l2, a, b, c: m1 * l1**2 * a**2 / 6 + m2 / 2 * (
        l1**2 * a**2 + l2**2 * (a + b) ** 2 / 3 + l1 * l2 * a * (a + b) * c))),
    "26.4": Computed(_relative_error, inputs=_two_arrays, mistakes={
        "mistake": lambda yours, right: np.abs((yours - right) / right).max(),
        "mistake 2": lambda yours, right: (yours - right).max() / right.max(),
        "mistake 3": lambda yours, right: np.abs(yours - right).max(),
        "mistake 4": lambda yours, right: np.abs(yours - right).max() / np.abs(yours).max()}),
    "26.7": Computed(_cart(lambda M, m, l, g, a, b, c: (
        (M + m) * a**2 / 2 - m * l * a * b * c / 2 + m * l**2 * b**2 / 6 - m * g * l * c / 2)))}
