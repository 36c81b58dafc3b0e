"""Reference solution: torques are linear in the inertial parameters, and least squares finds what they can tell."""

import numpy as np

from rbdlib import load
from rbdlib.methods.derivatives import regressor

ARM = load("ur5e")
#: Amplitudes (rad) and frequencies (Hz) of the exciting motion: for each joint three sines that do not repeat together.
_RNG = np.random.default_rng(7)
AMPLITUDE = _RNG.uniform(0.2, 0.6, size=(6, 3))
FREQUENCY = np.array([0.23, 0.47, 0.83]) * _RNG.uniform(0.8, 1.2, size=(6, 1))
PHASE = _RNG.uniform(0, 2 * np.pi, size=(6, 3))


def excitation(t):
    """q, qd, qdd (6 each) of a motion in which every parameter that can be felt is felt."""
    w = 2 * np.pi * FREQUENCY
    angle = w * t + PHASE
    q = (AMPLITUDE * np.sin(angle)).sum(1)
    return q, (AMPLITUDE * w * np.cos(angle)).sum(1), (-AMPLITUDE * w**2 * np.sin(angle)).sum(1)


def stacked(motion, times):
    """The regressors of all times on top of each other, (6 k x 60)."""
    return np.vstack([regressor(ARM, *motion(t)) for t in times])


def identifiable():
    """How many independent combinations of the 60 parameters the torques depend on: the rank of the regressor."""
    Y = stacked(excitation, np.linspace(0, 9, 60))
    return int(np.linalg.matrix_rank(Y, tol=1e-8 * np.linalg.norm(Y, 2)))


def identify(motion, times, tau):
    """The shortest vector of parameters (60) that explains the torques (k x 6) best."""
    Y = stacked(motion, times)
    return np.linalg.lstsq(Y, np.asarray(tau).ravel(), rcond=1e-8)[0]


def predict(parameters, q, qd, qdd):
    """The torques (6) that these parameters give."""
    return regressor(ARM, q, qd, qdd) @ parameters
