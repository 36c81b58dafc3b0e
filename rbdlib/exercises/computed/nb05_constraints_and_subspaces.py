"""Answers of the exercises in data/exercises/05_constraints_and_subspaces.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _circle(change=lambda x, y, xd, yd: (2 * x, 2 * y, -2 * (xd**2 + yd**2))):
    """K and k of the circle in symbols, or what a change of the formula makes of them."""

    def answer():
        from sympy import symbols

        return list(change(*symbols("x y xdot ydot")))

    return answer


def _turning_wire(change=lambda u, ud, m, g, w, c, s: (w**2 * u - g * s, m * (2 * w * ud + g * c))):
    """The acceleration and the force of a bead on a turning wire, with c = cos wt and s = sin wt."""

    def answer():
        from sympy import cos, sin, symbols

        m, g = symbols("m g_0", positive=True)
        u, ud, w, t = symbols("u udot omega t")
        return list(change(u, ud, m, g, w, cos(w * t), sin(w * t)))

    return answer


def _bottom(parts=(1, 2 * 0.36 / 0.5)):
    return 0.2 * 9.81 * sum(parts)


def _held_nut(factor=1.0):
    return 800 * 0.005 / (2 * np.pi) * factor


def _apparent_inverse_inertia(I, S):
    return S @ np.linalg.solve(S.T @ I @ S, S.T)


def _random_body(rng):
    from rbdlib.book.ch02_spatial import mcI

    B = rng.normal(size=(3, 3))
    I_C = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    return mcI(rng.uniform(1, 3), rng.uniform(-1, 1, size=3), I_C), rng.normal(size=(6, 3))


ANSWERS = {
    "5.1": Computed(_circle()),
    "5.2": Computed(_bottom, mistakes={
        "entry": _bottom((1,)), "entry 2": _bottom((2 * 0.36 / 0.5,)), "sign": lambda: -_bottom(),
        "factor": lambda: _bottom((1, 0.36 / 0.5)), "entry 3": lambda: _bottom((1, 2 * 0.6 / 0.5))}),
    "5.4": Computed(_turning_wire()),
    "5.5": Computed(1.4 * 28.5, mistakes={
        "entry": 0.4 * 28.5, "entry 2": 2 * 28.5, "factor": 5 / 3 * 28.5, "factor 2": 4 / 3 * 28.5}),
    "5.6": Computed(_held_nut, mistakes={
        "factor": lambda: _held_nut(2 * np.pi), "sign": lambda: _held_nut(-1), "units": lambda: _held_nut(1000),
        "factor 2": lambda: 800 / (0.005 / (2 * np.pi))}),
    "5.7": Computed(_apparent_inverse_inertia, inputs=_random_body, mistakes={
        "shape": lambda I, S: np.linalg.inv(S.T @ I @ S),
        "mistake": lambda I, S: S @ S.T @ np.linalg.inv(I) @ S @ S.T,
        "mistake 2": lambda I, S: I @ S @ np.linalg.solve(S.T @ I @ S, S.T),
        "mistake 3": lambda I, S: S @ (S.T @ I @ S) @ S.T, "mistake 4": lambda I, S: np.linalg.inv(I)})}
