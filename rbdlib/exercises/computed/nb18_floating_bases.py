"""Answers of the exercises in data/exercises/18_floating_bases.toml that take a computation."""

from rbdlib.exercises.declare import Computed


def _formula(names, formula):
    """An answer in symbols, from a function of them."""

    def answer():
        from sympy import symbols

        return formula(*symbols(names, positive=True))

    return answer


def _in_halves(formula):
    """A formula in A, B and the cosine and sine of gamma, with 2 pi in front."""

    def of_gamma(A, B, gamma):
        from sympy import cos, pi, sin

        return 2 * pi * formula(A, B, cos(gamma), sin(gamma))

    return _formula("A B gamma", of_gamma)


def _in_wheel(formula):
    return _formula("I1 I2 alpha", formula)


def _in_step(formula):
    return _formula("omega dt", formula)


def _equation(rng):
    """The coefficients of RBDA Eq. 9.13 for some system with three joints, and tau."""
    import numpy as np

    B = rng.normal(size=(9, 9))
    M = B @ B.T + 3 * np.eye(9)
    return M[:6, :6], M[:6, 6:], M[6:, 6:], rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)


def _joint_space(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C + F.T @ solve(I_c0, p_c0))


def _base_held(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H, tau - C)


def _bias_kept(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C)


def _wrong_sign(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H - F.T @ solve(I_c0, F), tau - C - F.T @ solve(I_c0, p_c0))


def _added(I_c0, F, H, C, p_c0, tau):
    from numpy.linalg import solve

    return solve(H + F.T @ solve(I_c0, F), tau - C + F.T @ solve(I_c0, p_c0))


def _tumbling(rng):
    I_c0, F, _, _, _, qd = _equation(rng)
    return I_c0, F, qd, rng.normal(size=6)


def _hull_velocity(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h - F @ qd)


def _without_momentum(I_c0, F, qd, h):
    from numpy.linalg import solve

    return -solve(I_c0, F @ qd)


def _joints_at_rest(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h)


def _momenta_added(I_c0, F, qd, h):
    from numpy.linalg import solve

    return solve(I_c0, h + F @ qd)


def _half_turn(scale=2):
    """The bend that turns the cat by pi if B = 3A: scale times gamma."""

    def bend():
        from math import acos, sqrt

        return scale * acos((sqrt(7) - 1) / 2)

    return bend


ANSWERS = {
    "18.3": Computed(_joint_space, inputs=_equation, mistakes={
        "entry": _base_held, "entry 2": _bias_kept, "sign": _wrong_sign, "sign 2": _added}),
    "18.4": Computed(_in_wheel(lambda I1, I2, alpha: -I2 * alpha / (I1 + I2))),
    "18.6": Computed(_hull_velocity, inputs=_tumbling, mistakes={
        "entry": _without_momentum, "entry 2": _joints_at_rest, "sign": _momenta_added}),
    "18.7": Computed(_in_halves(lambda A, B, c, s: 1 - A * c / (A * c**2 + B * s**2))),
    "18.8": Computed(_half_turn(), mistakes={"factor": _half_turn(1), "entry": (7**0.5 - 1) / 2}),
    "18.9": Computed(_in_step(lambda w, dt: (1 + (w * dt / 2) ** 2) ** 0.5), mistakes={
        "factor": _in_step(lambda w, dt: (1 + (w * dt) ** 2) ** 0.5)})}
