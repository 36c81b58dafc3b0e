"""Answers of the exercises in data/exercises/08_pendulums.toml that take a computation."""

import math

from rbdlib.exercises.declare import Computed


def _rate_by_linearising():
    """sigma² from the equations of motion of the model file, linearised about upright."""
    from sympy import Matrix, factor, symbols

    from rbdlib.io.model_file import load
    from rbdlib.methods.symbolic import equations_of_motion

    H, _, gravity = equations_of_motion(load("cart_pole", symbolic=True))
    q = symbols("q1 q2", real=True)
    upright = dict.fromkeys(q, 0)
    A = -H.subs(upright).LUsolve(Matrix(gravity).jacobian(q).subs(upright))
    return factor(A[1, 1])


def _tilt(rate, l, g):
    return math.acos(min(1.0, 3 * g / (2 * l * rate**2)))


def _arms(rng):
    l, g = rng.uniform(0.2, 0.5), rng.uniform(5, 12)
    return rng.uniform(0.5, 3) * math.sqrt(1.5 * g / l), l, g


def _first_equation():
    """The four terms from the library's own H, C and gravity, carried over to the angles with the vertical."""
    from sympy import Matrix, cos, expand, sin, symbols

    from rbdlib.io.model_file import load
    from rbdlib.methods.symbolic import equations_of_motion

    th, thd, thdd = (symbols(f"{name}1 {name}2") for name in ("th", "thd", "thdd"))
    N = Matrix([[1, 0], [-1, 1]])
    relative = dict(zip(symbols("q1 q2 qd1 qd2", real=True), [*(N * Matrix(th)), *(N * Matrix(thd))], strict=True))
    H, C, gravity = (part.subs(relative) for part in equations_of_motion(load("double_pendulum", symbolic=True)))
    H, C, gravity = N.T * H * N, N.T * C, N.T * gravity
    apart, bend = symbols("c_apart s_apart")
    short = {cos(th[0] - th[1]): apart, cos(th[1] - th[0]): apart, sin(th[0] - th[1]): bend, sin(th[1] - th[0]): -bend}
    long = {apart: cos(th[0] - th[1]), bend: sin(th[0] - th[1])}
    terms = (H[0, 0] * thdd[0], H[0, 1] * thdd[1], C[0], gravity[0])
    return [expand(term.subs(short)).subs(long) for term in terms]


ANSWERS = {
    "8.5": Computed(math.log(1e11) / 1.4, mistakes={
        "factor": 11 / 1.4, "factor 2": math.log(1e12) / 1.4, "inverse": math.log(1e11) * 1.4,
        "factor 3": math.log(1e11), "factor 4": math.log(1e13) / 1.4}),
    "8.6": Computed(_rate_by_linearising),
    "8.7": Computed(_tilt, inputs=_arms, mistakes={
        "model": lambda rate, l, g: _tilt(rate, l, 2 / 3 * g),
        "factor": lambda rate, l, g: _tilt(rate, l, 2 * g),
        "angle": lambda rate, l, g: math.asin(min(1.0, 3 * g / (2 * l * rate**2))),
        "special case": lambda rate, l, g: 0.0}),
    "8.8": Computed(_first_equation)}
