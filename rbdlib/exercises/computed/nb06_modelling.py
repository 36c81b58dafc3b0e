"""Answers of the exercises in data/exercises/06_modelling.toml that take a computation."""

import numpy as np

from rbdlib.exercises.declare import Computed


def _support(parent):
    rows = [np.zeros(len(parent))]
    for i, parent_i in enumerate(parent, start=1):
        rows.append(rows[parent_i] + np.eye(len(parent))[i - 1])
    return np.array(rows[1:])


def _wrong_support(change):
    """A wrong function for exercise 6.2: the right matrix and the list of parents, changed."""
    return lambda parent: change(_support(parent), parent)


def _parents_only(epsilon, parent):
    near = np.eye(len(parent))
    for i, parent_i in enumerate(parent):
        if parent_i:
            near[i, parent_i - 1] = 1
    return near


def _random_tree(rng):
    return ([int(rng.integers(0, i)) for i in range(1, 8)],)


def _crank_at_right_angle(rod=lambda slope: -np.pi / 2 - slope, piston=0.24):
    return lambda: [rod(np.arcsin(0.10 / 0.26)), piston]


def _classic_rows():
    return np.array([[0, -np.pi / 2, 0.66], [0.43, 0, 0.15], [-0.02, np.pi / 2, 0]])


def _modified_rows():
    rows = _classic_rows()
    return np.column_stack([np.vstack([[0, 0], rows[:2, :2]]), rows[:, 2]])


def _rows_with(change):
    def answer():
        return change(_modified_rows(), _classic_rows())

    return answer


def _everything_down(modified, classic):
    return np.vstack([[0, 0, 0], classic[:2]])


def _up(modified, classic):
    return np.column_stack([np.vstack([classic[1:, :2], [0, 0]]), classic[:, 2]])


def _in_degrees(modified, classic):
    return modified * [1, 180 / np.pi, 1]


def _planar_bias(entries):
    """A vector of six with the linear part (x, y) that the function makes of q2, q3, qd1, qd2, qd3."""

    def answer():
        from sympy import symbols

        x, y = entries(*symbols("q2 q3 qd1 qd2 qd3"))
        return [0, 0, 0, x, y, 0]

    return answer


def _quarter_turn_about(u, half=True, scalar_first=True):
    angle = np.pi / 4 if half else np.pi / 2
    s = (np.sin(angle) * np.array(u)).tolist()
    return [np.cos(angle), *s] if scalar_first else [*s, np.cos(angle)]


def _planet(turn=3.0, radius=0.3):
    def X_J(q):
        from rbdlib.book.ch02_spatial import rotz, xlt

        return rotz(turn * q) @ xlt([radius * np.cos(q), radius * np.sin(q), 0])

    return X_J


def _planet_in_turned_axes(q):
    from rbdlib.book.ch02_spatial import rotz, xlt

    return rotz(3 * q) @ xlt([0.3, 0, 0])


def _planet_factors(q):
    from rbdlib.book.ch02_spatial import rotz, xlt

    return {"rotz(3 q)": rotz(3 * q), "xlt(r)": xlt([0.3 * np.cos(q), 0.3 * np.sin(q), 0])}


ANSWERS = {
    "6.2": Computed(_support, inputs=_random_tree, mistakes={
        "transpose": _wrong_support(lambda epsilon, parent: epsilon.T),
        "entry": _wrong_support(lambda epsilon, parent: epsilon - np.eye(len(parent))),
        "entry 2": _wrong_support(_parents_only),
        "entry 3": _wrong_support(lambda epsilon, parent: _parents_only(epsilon, parent) - np.eye(len(parent)))}),
    "6.3": Computed(_crank_at_right_angle(), mistakes={
        "frame": _crank_at_right_angle(lambda slope: -slope),
        "sign": _crank_at_right_angle(lambda slope: np.pi / 2 + slope),
        "sign 2": _crank_at_right_angle(lambda slope: -np.pi / 2 + slope),
        "degrees": _crank_at_right_angle(lambda slope: np.degrees(-np.pi / 2 - slope)),
        "entry": _crank_at_right_angle(piston=0.34)}),
    "6.4": Computed(_modified_rows, mistakes={
        "entry": _rows_with(lambda modified, classic: classic), "entry 2": _rows_with(_everything_down),
        "entry 3": _rows_with(_up), "degrees": _rows_with(_in_degrees)}),
    "6.5": Computed(_planar_bias(lambda q2, q3, qd1, qd2, qd3: (-qd1 * qd3, qd1 * qd2))),
    "6.6": Computed(lambda: _quarter_turn_about([0, 0.6, 0.8]), mistakes={
        "factor": lambda: _quarter_turn_about([0, 0.6, 0.8], half=False),
        "factor 2": lambda: _quarter_turn_about([0, 3, 4]),
        "order": lambda: _quarter_turn_about([0, 0.6, 0.8], scalar_first=False),
        "sign": lambda: [-x for x in _quarter_turn_about([0, 0.6, 0.8])]}),
    "6.8": Computed(_planet(), inputs=lambda rng: (rng.uniform(-2, 2),), product=_planet_factors, mistakes={
        "factor": _planet(turn=2.0), "factor 2": _planet(turn=1.0), "sign": _planet(turn=-2.0),
        "entry": _planet(turn=0.0), "frame": _planet_in_turned_axes, "factor 3": _planet(radius=0.2)})}
