"""Answers of the exercises in data/exercises/06_modelling.toml that take a computation."""

import numpy as np

from rbdlib.book.ch02_spatial import rotz, xlt
from rbdlib.exercises.declare import Computed


def _support(parent):
    rows = [np.zeros(len(parent))]
    for i, parent_i in enumerate(parent, start=1):
        rows.append(rows[parent_i] + np.eye(len(parent))[i - 1])
    return np.array(rows[1:])


def _parents_only(parent):
    near = np.eye(len(parent))
    for i, parent_i in enumerate(parent):
        if parent_i:
            near[i, parent_i - 1] = 1
    return near


#: How far the rod slopes down in exercise 6.3 (rad).
SLOPE = np.arcsin(0.10 / 0.26)
#: Rows of Denavit and Hartenberg for exercise 6.4: a, alpha and d of each joint.
CLASSIC = np.array([[0, -np.pi / 2, 0.66], [0.43, 0, 0.15], [-0.02, np.pi / 2, 0]])
MODIFIED = np.column_stack([np.vstack([[0, 0], CLASSIC[:2, :2]]), CLASSIC[:, 2]])


def _quarter_turn_about(u, angle=np.pi / 4):
    return [np.cos(angle), *(np.sin(angle) * np.array(u)).tolist()]


def _planet(turn=3.0, radius=0.3):
    return lambda q: rotz(turn * q) @ xlt([radius * np.cos(q), radius * np.sin(q), 0])


ANSWERS = {
    "6.2": Computed(
        _support,
        inputs=lambda rng: ([int(rng.integers(0, i)) for i in range(1, 8)],),
        mistakes={
            "transpose": lambda parent: _support(parent).T,
            "entry": lambda parent: _support(parent) - np.eye(len(parent)),
            "entry 2": _parents_only,
            "entry 3": lambda parent: _parents_only(parent) - np.eye(len(parent))}),
    "6.3": Computed((-np.pi / 2 - SLOPE, 0.24), mistakes={
        "frame": (-SLOPE, 0.24), "sign": (np.pi / 2 + SLOPE, 0.24), "sign 2": (-np.pi / 2 + SLOPE, 0.24),
        "degrees": (np.degrees(-np.pi / 2 - SLOPE), 0.24), "entry": (-np.pi / 2 - SLOPE, 0.34)}),
    "6.4": Computed(MODIFIED, mistakes={
        "entry": CLASSIC,
        "entry 2": np.vstack([[0, 0, 0], CLASSIC[:2]]),
        "entry 3": np.column_stack([np.vstack([CLASSIC[1:, :2], [0, 0]]), CLASSIC[:, 2]]),
        "degrees": MODIFIED * [1, 180 / np.pi, 1]}),
    "6.6": Computed(_quarter_turn_about([0, 0.6, 0.8]), mistakes={
        "factor": _quarter_turn_about([0, 0.6, 0.8], np.pi / 2),
        "factor 2": _quarter_turn_about([0, 3, 4]),
        "order": np.roll(_quarter_turn_about([0, 0.6, 0.8]), -1),
        "sign": [-x for x in _quarter_turn_about([0, 0.6, 0.8])]}),
    "6.8": Computed(
        _planet(),
        inputs=lambda rng: (rng.uniform(-2, 2),),
        product=lambda q: {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])},
        mistakes={
            "factor": _planet(turn=2.0), "factor 2": _planet(turn=1.0), "sign": _planet(turn=-2.0),
            "entry": _planet(turn=0.0), "frame": lambda q: rotz(3 * q) @ xlt([0.3, 0, 0]),
            "factor 3": _planet(radius=0.2)})}
