"""The mechanisms of the first chapters: the particle on its two rails, the jumping lamp, a pendulum."""

import numpy as np

from rbdlib.book.ch02_spatial import rz
from rbdlib.draw.shapes import angle_arc, body, box, carriage, ground, link, pin, point, rail, stroke, write
from rbdlib.draw.style import BODY, GREY, HIGHLIGHT, INERTIA, INK, axes2d, numbers


def particle(q=(3, 1), *, limits=(-0.8, 5.2, -0.7, 3), title="", ax=None):
    """A particle held by two massless sliders (FDSV Figure 2). Returns the axes.

    q: the two joint positions (m), along x and along y. limits: (x_min, x_max, y_min, y_max).
    """
    x, y = numbers(q, 2, "q")
    ax = axes2d(title, limits=limits) if ax is None else ax
    x_min, x_max, y_min, y_max = numbers(limits, 4, "limits")
    unit = (x_max - x_min) / 12
    ground(ax, ((x_min + x_max) / 2, -0.1 * unit), x_max - x_min)
    rail(ax, (x_min, 0), (x_max, 0))
    rail(ax, (x, y_min), (x, y_max), color="#B9B9B9")
    carriage(ax, (x, 0), 0, unit)
    carriage(ax, (x, y), np.pi / 2, unit)
    _dimension(ax, (0, -0.7 * unit), (x, -0.7 * unit), "$q_1$", (0, -1))
    _dimension(ax, (x + 0.85 * unit, 0), (x + 0.85 * unit, y), "$q_2$", (1, 0))
    point(ax, (0, 0), "$O$", toward=(-1, 1))
    point(ax, (x, y), color=INERTIA, size=11)
    return ax


def _dimension(ax, a, b, label, toward):
    """A thin double arrow from a to b with its label beside the middle."""
    ax.annotate("", b, a, arrowprops={"arrowstyle": "<|-|>", "color": INK, "lw": 1, "shrinkA": 0, "shrinkB": 0})
    write(ax, np.add(a, b) / 2, label, toward)


def lamp(q=(0, 0, 0, 0.5, -1.2), lengths=(0.16, 0.03, 0.35, 0.25), *, limits=(-0.6, 0.6, -0.12, 0.78), labels=True,
         title="", ax=None):
    """The jumping lamp of FDSV Figure 1, standing upright at q = 0 (the model "lamp"). Returns the axes.

    q: (x, y, theta_base, theta_1, theta_2) in m and rad. lengths: width and height of the base, length of the arm and
    of the head in m. labels: whether to draw the angles and the centre of the base.
    """
    x, y, theta_base, theta_1, theta_2 = numbers(q, 5, "q")
    width, height, arm, head = numbers(lengths, 4, "lengths")
    ax = axes2d(title, limits=limits) if ax is None else ax
    ground(ax, ((limits[0] + limits[1]) / 2, 0), limits[1] - limits[0])
    angles = np.cumsum([theta_base, theta_1, theta_2])
    upward = np.array([rz(angle)[1, :2] for angle in angles])
    foot = np.array([x, y])
    joint_1 = foot + height * upward[0]
    joint_2 = joint_1 + arm * upward[1]
    tip = joint_2 + head * upward[2]
    body(ax, box(width, height) + (0, height / 2), (theta_base, foot))
    link(ax, joint_1, joint_2, width=6)
    link(ax, joint_2, tip, width=6)
    shade = head * np.array([[-0.12, 0.55], [0.12, 0.55], [0.4, 1.05], [-0.4, 1.05]])
    body(ax, shade, (angles[2], joint_2), HIGHLIGHT, alpha=1)
    pin(ax, joint_1)
    pin(ax, joint_2)
    if labels:
        point(ax, foot, "$(x, y)$", toward=(-0.5, -1), size=4)
        _joint_angle(ax, foot, -np.pi / 2, theta_base - np.pi / 2, r"$\theta_\mathrm{base}$", 0.75 * width)
        _joint_angle(ax, joint_1, angles[0], angles[1], r"$\theta_1$", 0.3 * arm)
        _joint_angle(ax, joint_2, angles[1], angles[2], r"$\theta_2$", 0.4 * head)
    return ax


def _joint_angle(ax, corner, start, end, label, radius):
    """The angle from a dashed line, the direction in which the joint's angle would be 0, to where it is.

    start, end: in rad from the upward vertical. Nothing is drawn but the line where they agree.
    """
    zero = radius * rz(start)[1, :2]
    stroke(ax, [corner, corner + 1.4 * zero], GREY, 1, style="--", zorder=2)
    if abs(end - start) > 0.02:
        angle_arc(ax, corner, start + np.pi / 2, end + np.pi / 2, radius, label)


def pendulum(q=(0.6,), lengths=(1.0,), *, limits=None, labels=True, masses=True, title="", ax=None):
    """A chain of rods hanging from a hinge at the origin, y up (the models "pendulum", "double_pendulum").

    q: joint angles (rad), the first from the downward vertical, each other from the rod before. lengths: of the rods
    (m). masses: whether to draw a point mass at the end of each rod. Returns the axes.
    """
    q, lengths = numbers(q, np.size(q), "q"), numbers(lengths, np.size(q), "lengths")
    reach = 1.15 * lengths.sum()
    if ax is None:
        ax = axes2d(title, limits=(-1.3 * reach, 1.3 * reach, -reach, 0.5 * reach) if limits is None else limits)
    ground(ax, (0, 0), 0.5 * reach, np.pi, strokes=12)
    angles = np.cumsum(q)
    downward = np.array([-rz(angle)[1, :2] for angle in angles])
    joints = np.vstack([[0, 0], np.cumsum(lengths[:, None] * downward, axis=0)])
    for k, (a, b) in enumerate(zip(joints, joints[1:], strict=False)):
        link(ax, a, b, BODY, width=6)
        if labels:
            _joint_angle(ax, a, angles[k] - q[k] + np.pi, angles[k] + np.pi, f"$q_{{{k + 1}}}$", 0.4 * lengths[k])
    for k, P in enumerate(joints):
        if k and masses:
            point(ax, P, color=INERTIA, size=13)
        if k < len(q):
            pin(ax, P)
    return ax
