"""Answers of the exercises in data/exercises/04_planar_vectors.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_planar import Xpln, crf, mcI
from rbdlib.exercises.declare import Computed


def _four_parameters(I):
    m, c_x, c_y = I[1, 1], I[0, 2] / I[1, 1], -I[0, 1] / I[1, 1]
    return np.array([m, c_x, c_y, I[0, 0] - m * (c_x**2 + c_y**2)])


def _wrong_parameters(change):
    """A wrong function for exercise 4.3: the right four numbers, changed by a function of (m, c_x, c_y, I_C, I_O)."""
    return lambda I: np.array(change(*_four_parameters(I), I[0, 0]))


def _random_inertia(rng):
    return (mcI(rng.uniform(0.5, 3), rng.uniform(-1, 1, size=2), rng.uniform(0.01, 0.5)),)


def _double_period(squared=True, degrees=True):
    """The amplitude at which K(k²) = pi; squared=False gives what comes of handing k to ellipk for k²."""

    def answer():
        from mpmath import asin, ellipk, findroot, mp, mpf, pi, sqrt

        with mp.workdps(20):
            parameter = findroot(lambda m: ellipk(m) - pi, (mpf("0.9"), mpf("0.99")), solver="anderson")
            amplitude = 2 * asin(sqrt(parameter) if squared else parameter)
            return float(amplitude * 180 / pi if degrees else amplitude)

    return answer


def _bias_force():
    """v×* I v in symbols."""
    from sympy import symbols

    m, omega, v_x, v_y, c_x, c_y, I_C = symbols("m omega v_x v_y c_x c_y I_C")
    v = [omega, v_x, v_y]
    return crf(v) @ mcI(m, [c_x, c_y], I_C) @ v


ANSWERS = {
    "4.3": Computed(_four_parameters, inputs=_random_inertia, mistakes={
        "mistake": _wrong_parameters(lambda m, x, y, I_C, I_O: [m, x, y, I_O]),
        "sign": _wrong_parameters(lambda m, x, y, I_C, I_O: [m, x, -y, I_C]),
        "factor": _wrong_parameters(lambda m, x, y, I_C, I_O: [m, m * x, m * y, I_C]),
        "mistake 2": _wrong_parameters(lambda m, x, y, I_C, I_O: [m, -y, x, I_C])}),
    "4.5": Computed(lambda: Xpln([0, 0], np.pi / 2) @ [9, 2, 5] - [0, 0, 9 * 3.52 / 4.8]),
    "4.7": Computed(_double_period(), mistakes={
        "mistake": _double_period(squared=False), "degrees": _double_period(degrees=False),
        "factor": lambda: _double_period()() / 2}),
    "4.8": Computed(_bias_force, mistakes={"sign": lambda: -_bias_force()})}
