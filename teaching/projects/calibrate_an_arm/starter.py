"""Calibrate an arm: your file. Replace every `raise NotImplementedError`; brief.md says what is asked for."""

from rbdlib import load

ARM = load("ur5e")


def excitation(t):
    """q, qd, qdd (6 each) at the time t (s) of a motion in which every parameter that can be felt is felt."""
    raise NotImplementedError


def identifiable():
    """How many independent combinations of the 60 inertial parameters the torques depend on, a whole number."""
    raise NotImplementedError


def identify(motion, times, tau):
    """Parameters (60) that explain the torques (k x 6) measured at these times of motion(t) -> q, qd, qdd."""
    raise NotImplementedError


def predict(parameters, q, qd, qdd):
    """The torques (6) that these parameters give."""
    raise NotImplementedError
