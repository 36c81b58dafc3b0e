"""Answers of the exercises in data/exercises/17_hybrid_dynamics.toml that take a computation."""

import math

from rbdlib.exercises.declare import Computed


def _motor_force(formula):
    """A formula for the force of the trolley's motor, from a function of its symbols."""

    def answer():
        from sympy import cos, sin, symbols

        M, m, l, g = symbols("M m l g", positive=True)
        theta, omega, a = symbols("theta omega a", real=True)
        return formula(M, m, l, g, sin(theta), cos(theta), omega, a)

    return answer


def _of_lengths(formula):
    def answer():
        from sympy import symbols

        return formula(*symbols("l1 l2", positive=True))

    return answer


def _motion(t):
    """Some motion that stands at 1 for t < 0 and starts with a jump: its position, velocity and acceleration."""
    if t < 0:
        return 1.0, 0.0, 0.0
    return 1 + 0.7 * t**2 + 0.5 * t**3, 1.4 * t + 1.5 * t**2, 1.4 + 3 * t


def _motion_inputs(rng):
    """A delay, and a time as likely before it as after it."""
    delay = rng.uniform(0.4, 0.9)
    return _motion, delay, delay * rng.uniform(0.1, 1.9)


def _combined(now, ago):
    def shaped_at(motion, delay, t):
        import numpy as np

        return now * np.array(motion(t)) + ago * np.array(motion(t - delay))

    return shaped_at


def _from_nowhere(motion, delay, t):
    import numpy as np

    return np.array(motion(t)) / 2 + (np.array(motion(t - delay)) / 2 if t >= delay else 0)


def _from_the_start(motion, delay, t):
    import numpy as np

    return (np.array(motion(t)) + np.array(motion(max(t - delay, 0)))) / 2


def _forestalled(motion, delay, t):
    import numpy as np

    return (np.array(motion(t)) + np.array(motion(t + delay))) / 2


def _matrix_inputs(rng):
    import numpy as np

    A = rng.normal(size=(5, 5))
    two = sorted(rng.choice(5, 2, replace=False).tolist())
    one = [k for k in range(5) if k not in two]
    return A @ A.T + 5 * np.eye(5), rng.normal(size=5), one, two, rng.normal(size=3), rng.normal(size=2)


def _blocks(coupling=1, sign=1, own=1, bias=1):
    """The two rows of RBDA 9.2, with factors by which single terms can be left out or reversed."""

    def by_blocks(H, C, one, two, tau_1, qdd_2):
        import numpy as np

        H_11, H_12, H_21, H_22 = H[np.ix_(one, one)], H[np.ix_(one, two)], H[np.ix_(two, one)], H[np.ix_(two, two)]
        qdd_1 = np.linalg.solve(H_11, tau_1 - bias * C[one] - coupling * H_12 @ qdd_2)
        tau_2 = H_21 @ qdd_1 + own * H_22 @ qdd_2 + C[two]
        return np.concatenate([qdd_1, sign * tau_2])

    return by_blocks


ANSWERS = {
    "17.1": Computed(_motor_force(
        lambda M, m, l, g, s, c, w, a: (M + m * s**2) * a - m * g * s * c - m * l * w**2 * s)),
    "17.2": Computed(-math.atan(3 / 9.81), mistakes={
        "sign": math.atan(3 / 9.81),
        "degrees": -math.degrees(math.atan(3 / 9.81)),
        "inverse": -math.atan(9.81 / 3),
        "factor": -2 * math.atan(3 / 9.81)}),
    "17.3": Computed(4 * math.pi * (2.5 / 9.81) ** 0.5, mistakes={
        "factor": 2 * math.pi * (2.5 / 9.81) ** 0.5,
        "entry": 4 * math.pi * (5 / 9.81) ** 0.5, "factor 2": 2 * (2.5 / 9.81) ** 0.5}),
    "17.4": Computed(_combined(0.5, 0.5), inputs=_motion_inputs, mistakes={
        "factor": _combined(1, 1), "sign": _forestalled, "sign 2": _combined(0.5, -0.5), "entry": _combined(1, 0),
        "entry 2": _combined(0, 1), "entry 3": _from_nowhere, "entry 4": _from_the_start}),
    "17.5": Computed(_blocks(), inputs=_matrix_inputs, mistakes={
        "entry": _blocks(coupling=0), "entry 2": _blocks(own=0), "factor": _blocks(own=2), "sign": _blocks(sign=-1),
        "entry 3": _blocks(bias=0)}),
    "17.7": Computed(lambda: 15 * 9 * ((2.5 / 2.2) ** 2 - 1) + 30 * 9.81 * 0.3, mistakes={
        "entry": lambda: 30 * 9.81 * 0.3, "entry 2": lambda: 15 * 9 * ((2.5 / 2.2) ** 2 - 1),
        "inverse": lambda: 15 * 9 * ((2.2 / 2.5) ** 2 - 1) + 30 * 9.81 * 0.3,
        "factor": lambda: 15 * 9 * (2.5 / 2.2 - 1) + 30 * 9.81 * 0.3}),
    "17.8": Computed(_of_lengths(lambda l1, l2: (l1 / l2) ** 1.5), mistakes={
        "inverse": _of_lengths(lambda l1, l2: (l2 / l1) ** 1.5),
        "entry": _of_lengths(lambda l1, l2: (l2 / l1) ** 0.5),
        "entry 2": _of_lengths(lambda l1, l2: (l1 / l2) ** 0.5),
        "inverse 2": _of_lengths(lambda l1, l2: (l1 / l2) ** 2.5)})}
