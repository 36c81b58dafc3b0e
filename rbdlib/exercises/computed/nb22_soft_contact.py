"""Answers of the exercises in data/exercises/22_soft_contact.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _touches(rng):
    """p, pdot, K, D, n of a Hunt-Crossley contact: pushed, pulled, or apart."""
    return rng.choice([-0.02, -0.01, 0.01]), rng.choice([-1.5, 0.5, 4.0]), 1e5, 4e4, rng.choice([1.5, 2.0])


def _force(push):
    """A function of (p, pdot, K, D, n) that is 0 above the floor and max(0, push) below."""
    return lambda p, pdot, K, D, n: 0.0 if p > 0 else max(0.0, push(abs(p), pdot, K, D, n))


def _hunt_crossley(depth, pdot, K, D, n):
    return K * depth**n - D * depth**n * pdot


def _pushes(rng):
    """f_stick, f_n, mu: inside the cone, far outside, and with one large component."""
    angle = rng.uniform(0, 6.28)
    return rng.choice([3.0, 9.0, 30.0]) * np.array([np.cos(angle), np.sin(angle)]), 20.0, 0.5


def _friction(f_stick, f_n, mu):
    return min(1, mu * f_n / np.hypot(*f_stick)) * f_stick


ANSWERS = {
    "22.4": Computed(_force(_hunt_crossley), inputs=_touches, mistakes={
        "clamp": lambda p, pdot, K, D, n: 0.0 if p > 0 else _hunt_crossley(abs(p), pdot, K, D, n),
        "entry": lambda p, pdot, K, D, n: max(0.0, _hunt_crossley(abs(p), pdot, K, D, n)),
        "sign": _force(lambda depth, pdot, K, D, n: _hunt_crossley(depth, -pdot, K, D, n)),
        "entry 2": _force(lambda depth, pdot, K, D, n: K * depth**n - D * pdot),
        "entry 3": _force(lambda depth, pdot, K, D, n: K * depth - D * depth * pdot)}),
    "22.6": Computed(_friction, inputs=_pushes, mistakes={
        "disc": lambda f_stick, f_n, mu: np.clip(f_stick, -mu * f_n, mu * f_n),
        "entry": lambda f_stick, f_n, mu: mu * f_n / np.hypot(*f_stick) * f_stick,
        "sign": lambda f_stick, f_n, mu: -_friction(f_stick, f_n, mu),
        "clamp": lambda f_stick, f_n, mu: f_stick})}
