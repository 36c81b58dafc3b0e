"""Motion up to an event of the user's own, such as the heel strike of a walker."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from rbdlib.methods.geared_trees import GearedTree
from rbdlib.methods.gears import independent_part
from rbdlib.motion.phases import root
from rbdlib.motion.simulate import JointTrajectory, simulate

#: Rounding may leave so much of an event's largest value where a motion starts at the event.
ZERO = 1e-9


def simulate_until(model, q0, qd0, t_span, event, **options):
    """The motion until event(t, q, qd) falls from a positive number to 0: a `Trajectory` that ends there.

    event: a function of time (s) and of all joint variables q (nq) and qd (nv) that returns a number. A fall between
    two samples is found; a dip that starts and ends between two is not, so that t_span needs enough of them, or two
    times for samples at every step. Without a fall the motion lasts until the end of t_span, to which it is followed
    in any case. Where event is 0 at the start, as after the last strike, it must first become positive; less there than
    `ZERO` times its largest value counts as 0.
    model, q0, qd0, t_span, options: as for `rbdlib.motion.simulate.simulate`. Raises TypeError for an event that is no
    function, ValueError where it returns something else than a finite number, and what `simulate` raises.

    >>> from rbdlib import load
    >>> def upright(t, q, qd):
    ...     return q[0]
    >>> swing = simulate_until(load("pendulum"), [0.1], [0], (0, 2), upright)      # a quarter of its period
    >>> bool(abs(swing.q[-1, 0]) < 1e-10)
    True
    """
    if not callable(event):
        raise TypeError(f"event is {event!r}; give a function event(t, q, qd) that returns a number.")

    def value(t, q, qd):
        x = event(t, q.copy(), qd.copy())
        if np.ndim(x) != 0 or np.asarray(x).dtype.kind not in "fiu" or not np.isfinite(x):
            raise ValueError(f"event returned {x!r} at t = {t:.6g} s; it must return one finite number.")
        return float(x)

    motion = simulate(model, q0, qd0, t_span, **options)
    values = [value(*state) for state in zip(motion.t, motion.q, motion.qd, strict=True)]
    values[0] = 0.0 if abs(values[0]) <= ZERO * max(map(abs, values)) else values[0]
    k = next((k for k, pair in enumerate(zip(values, values[1:], strict=False)) if pair[0] > 0 >= pair[1]), None)
    if k is None:
        return motion
    q, qd = motion.q[k], motion.qd[k]
    q, qd = independent_part(model, q, qd) if isinstance(model, GearedTree) else (q, qd)
    options |= {"compiled": False, "progress": False}

    def state_at(t):
        """A trajectory, and the number of its sample at the time t."""
        if t in (motion.t[k], motion.t[k + 1]):
            return motion, k + 1 if t == motion.t[k + 1] else k
        return simulate(model, q, qd, (motion.t[k], t), **options), -1

    def value_at(t):
        short, j = state_at(t)
        return value(t, short.q[j], short.qd[j])

    t = root(value_at, *motion.t[[k, k + 1]])       # these are one time where there is an impact in between
    short, j = state_at(t)
    sampled = [each.name for each in fields(motion) if isinstance(getattr(motion, each.name), np.ndarray)]
    cut: dict[str, Any] = {name: np.concatenate([getattr(motion, name)[: k + 1], getattr(short, name)[j:][:1]])
                           for name in sampled}
    if isinstance(motion, JointTrajectory):
        cut["events"] = tuple(happened for happened in motion.events if happened.t <= t)
    return replace(motion, **cut)
