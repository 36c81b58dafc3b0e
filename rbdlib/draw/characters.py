"""What a joint's character looks like: the spring as a zigzag or a spiral, end stops as bars where they stop the body.

Arguments: axes, in the plane or in space; the `Posture` of a model; the number of a body.
"""

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er
from rbdlib.book.ch04_joints import Helical, Revolute
from rbdlib.draw.posture import bare, reach
from rbdlib.draw.style import GREY, INK, is_3d
from rbdlib.numbers.pivots import across

#: Sizes as parts of the model's reach: half of the width of a spring, the length of a sliding joint's spring at rest,
#: the radius at which a turning joint's stops are, half of the length of their bars.
WIDTH, LENGTH, RADIUS, BAR = 0.045, 0.4, 0.3, 0.06
COILS = 6


def spring(ax, pose, i):
    """The spring of joint i, if it has one: a zigzag along a joint that slides, a spiral about one that turns."""
    character, unit = pose.model.characters[i], reach(pose.model)
    if character is None or character.stiffness == 0:
        return
    q, rest = pose.q[pose.model.q_slice(i)][0], character.rest
    if _turns(pose, i):
        a, b = _plane(pose, i)
        s = np.linspace(0, 1, 121)
        angle, radius = s * (COILS / 2 * np.pi + q - rest), unit * WIDTH * (0.5 + 2 * s)
        points = pose.r[i] + np.outer(radius * np.cos(angle), a) + np.outer(radius * np.sin(angle), b)
    else:
        d, side = _slide(pose, i)
        start, end = _frame_at(pose, i, rest)[1] - unit * LENGTH * d, pose.r[i]
        s = np.array([0, 0.1, *np.linspace(0.1, 0.9, 2 * COILS + 1)[:-1] + 0.4 / COILS / 2, 0.9, 1])
        sway = np.array([0, 0, *(unit * WIDTH * (-1) ** np.arange(2 * COILS)), 0, 0])
        points = start + np.outer(s, end - start) + np.outer(sway, side)
    _line(ax, points, INK, 1.3)


def end_stops(ax, pose, i):
    """The end stops of joint i that push back, as bars, and a thin line for the way between them."""
    character, unit = pose.model.characters[i], reach(pose.model)
    stops = [end for _, end in character.stops] if character is not None else []
    if not stops:
        return
    if _turns(pose, i):
        def at(x):
            return _frame_at(pose, i, x)[0].T @ along

        along = pose.E[i] @ _plane(pose, i)[0]
        bars = [(pose.r[i], at(x), RADIUS) for x in stops]
        way = [pose.r[i] + unit * RADIUS * at(x) for x in np.linspace(stops[0], stops[-1], 73)]
    else:
        side = _slide(pose, i)[1]
        way = [_frame_at(pose, i, x)[1] for x in stops]
        bars = [(P, side, 0) for P in way]
    for P, direction, middle in bars:
        _line(ax, P + unit * np.outer([middle - BAR, middle + BAR], direction), INK, 3.5)
    if len(stops) == 2:
        _line(ax, np.array(way), GREY, 1)


def _turns(pose, i):
    return isinstance(bare(pose.model.joints[i]), (Revolute, Helical))


def _frame_at(pose, i, x):
    """E (rows: the axes) and r of body i, in the picture, where its joint would be at the position x."""
    E, r = (np.asarray(part, float) for part in X_to_Er(pose.model.joints[i].transform([x], pose.t)))
    return E @ pose.guide(i), pose.places[i] + r @ pose.guide(i)


def _plane(pose, i):
    """Two unit vectors across the axis of the turning joint i, the first along the body's first stick, if it can be."""
    axis = bare(pose.model.joints[i]).direction @ pose.E[i]
    for end in pose.ends[i]:
        a = end - pose.r[i] - (end - pose.r[i]) @ axis * axis
        if np.linalg.norm(a) > 1e-6 * reach(pose.model):
            a = a / np.linalg.norm(a)
            return a, np.cross(axis, a)
    return across(axis)


def _slide(pose, i):
    """The direction in which the origin of body i moves with its joint, and one across it that can be seen."""
    q = pose.q[pose.model.q_slice(i)][0]
    d = _frame_at(pose, i, q + 1)[1] - _frame_at(pose, i, q)[1]
    length = np.linalg.norm(d)
    d = d / length if length else np.array([1.0, 0, 0])
    side = np.array([-d[1], d[0], 0])
    return d, side / np.linalg.norm(side) if side.any() else across(d)[0]


def _line(ax, points, color, width):
    ax.plot(*points.T[: 3 if is_3d(ax) else 2], color=color, lw=width, zorder=4, solid_joinstyle="round")
