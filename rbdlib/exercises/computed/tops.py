"""Computed answers about tops and gyroscopes (notebook 28): attitudes, rates and torques of a body that turns."""

import numpy as np

from rbdlib.book.ch02_spatial import skew
from rbdlib.book.ch04_orientation import euler_parameter_rates, euler_parameters, rotation_from_euler_parameters
from rbdlib.exercises.computed.draws import rotational_inertia
from rbdlib.exercises.declare import Computed


def _spinning(rng):
    """A top that is upright, tilted, horizontal, or hangs, with a spin of either sign below or above the least one."""
    theta = [0, rng.uniform(0.2, 1.4), np.pi / 2, rng.uniform(1.7, 2.9), np.pi][rng.integers(5)]
    I_1, I_3, mgl = rng.uniform(1, 3), rng.uniform(0.5, 2), rng.uniform(1, 4)
    least = 2 * np.sqrt(mgl * I_1 * abs(np.cos(theta)) + 0.1) / I_3
    return I_1, I_3, mgl, theta, least * rng.choice([0.3, 0.8, 1.2, 2]) * rng.choice([-1, 1])


def _steady(I_1, I_3, mgl, theta, omega_3, *,
            coefficients=lambda I_1, I_3, mgl, cosine, spin: (I_1 * cosine, -I_3 * spin, mgl), cosine=np.cos,
            level=1e-9, order=abs, exists=lambda roots: np.isreal(roots).all(), above=-1, roots=np.roots):
    """Exercise 28.6: the real roots of the quadratic."""
    c = cosine(theta)
    a, b, d = coefficients(I_1, I_3, mgl, c, omega_3)
    if abs(c) < level:
        return np.array([1, -d / b, 0])
    found = roots([a, b, d])
    return np.array([2, *sorted(found.real, key=order)]) if exists(found) and c > above - 1e-9 else np.zeros(3)


def _for_fast_spin(coefficients):
    """The two rates of a top that spins very fast."""
    a, b, d = coefficients
    return np.array([-d / b, -b / a])


def _by_formula(coefficients):
    """The roots in the order of the formula, the one with the minus first."""
    a, b, d = coefficients
    root = np.emath.sqrt(b * b - 4 * a * d)
    return np.array([-b - root, -b + root]) / (2 * a)


def _heavy(rng):
    """A body of any shape at its tip, at an instant of its motion."""
    p = euler_parameters(rng.normal(size=3), rng.uniform(0.5, 2.5))
    return rng.uniform(1, 3), rng.normal(size=3), rotational_inertia(rng), 9.81, p, rng.normal(size=3)


def _rates(m, c, I_C, g, p, omega, *, about_tip=lambda m, c, I_C: I_C + m * skew(c) @ skew(c).T,
           gyroscopic=lambda I, I_C, w: skew(w) @ I @ w, sign=-1, weight=lambda E, m, g: E @ [0, 0, -m * g],
           moment=lambda c, f: skew(c) @ f, turning=lambda E, p, w: euler_parameter_rates(p, w)):
    """Exercise 28.7: the rates of a heavy top.

    >>> from rbdlib import Model, forward_dynamics
    >>> from rbdlib.book.ch02_spatial import mcI
    >>> from rbdlib.book.ch04_joints import Spherical
    >>> m, c, I_C, g, p, omega = _heavy(np.random.default_rng(1))
    >>> top = Model([0], [Spherical()], [np.eye(6)], [mcI(m, c, I_C)], gravity=(0, 0, -g))
    >>> np.allclose(_rates(m, c, I_C, g, p, omega)[4:], forward_dynamics(top, p, omega, np.zeros(3)))
    True
    """
    E, I = rotation_from_euler_parameters(p), about_tip(m, c, I_C)
    n = moment(c, weight(E, m, g))
    return np.concatenate([turning(E, p, omega),
                           np.linalg.solve(I, n + sign * gyroscopic(I, I_C, omega))])


ANSWERS = {
    "28.6": Computed(_steady, inputs=_spinning, mistakes={
        "degenerate": dict(level=0),
        "entry": dict(coefficients=lambda I_1, I_3, mgl, c, spin: ((I_1 - I_3) * c, -I_3 * spin, mgl)),
        "frame": dict(cosine=np.sin), "order": dict(order=float), "order 2": dict(order=lambda x: -abs(x)),
        "order 3": dict(roots=_by_formula, order=lambda x: 0),
        "sign": dict(coefficients=lambda I_1, I_3, mgl, c, spin: (I_1 * c, -I_3 * spin, -mgl)),
        "sign 2": dict(coefficients=lambda I_1, I_3, mgl, c, spin: (I_1 * c, I_3 * spin, mgl)),
        "entry 2": dict(above=0), "entry 3": dict(exists=lambda roots: True), "factor": dict(roots=_for_fast_spin),
        "entry 4": dict(coefficients=lambda I_1, I_3, mgl, c, spin: (I_1, -I_3 * spin, mgl))}),
    "28.7": Computed(_rates, inputs=_heavy, mistakes={
        "sign": dict(sign=1), "entry": dict(sign=0), "inertia": dict(about_tip=lambda m, c, I_C: I_C),
        "sign 2": dict(about_tip=lambda m, c, I_C: I_C - m * skew(c) @ skew(c).T),
        "inertia 2": dict(gyroscopic=lambda I, I_C, w: skew(w) @ I_C @ w), "gravity": dict(moment=lambda c, f: 0 * f),
        "frame": dict(weight=lambda E, m, g: np.array([0, 0, -m * g])),
        "transpose": dict(weight=lambda E, m, g: E.T @ [0, 0, -m * g]),
        "sign 3": dict(moment=lambda c, f: -skew(c) @ f),
        "frame 2": dict(turning=lambda E, p, w: euler_parameter_rates(p, E.T @ w)),
        "frame 3": dict(turning=lambda E, p, w: -euler_parameter_rates(p * [1, -1, -1, -1], w) * [1, -1, -1, -1]),
        "factor": dict(turning=lambda E, p, w: 2 * euler_parameter_rates(p, w))})}
