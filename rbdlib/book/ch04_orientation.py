"""Orientation in three dimensions: Euler parameters and Euler angles (RBDA 4.5).

Euler parameters are p = (p0, p1, p2, p3), a unit vector with the scalar p0 = cos(angle/2) first. E is the coordinate
transform from the frame turned from to the frame turned to. `rbdlib.numbers.orientation` leads from E back to them.
"""

import numpy as np

from rbdlib.book.ch02_spatial import cross, rx, ry, rz
from rbdlib.numbers.scalars import cos, eye, number, sin, sqrt, vector
from rbdlib.numbers.validation import turning_sequence, unit_euler_parameters

TURN = {"x": rx, "y": ry, "z": rz}


def euler_parameters(axis, angle):
    """The Euler parameters of a turn by the angle (rad) about the axis (a 3-vector of any length) (RBDA Eq. 4.10)."""
    u, theta = vector(axis, 3, "axis"), number(angle, "angle")
    length = sqrt(u @ u)
    if length == 0:
        raise ValueError("axis is the zero vector; it must have a direction.")
    return np.array([cos(theta / 2), *(sin(theta / 2) * u / length)])


def rotation_from_euler_parameters(p, name="p"):
    """E (3 x 3) from Euler parameters (RBDA Eq. 4.12). Raises ValueError unless p is nearly a unit vector."""
    p0, p1, p2, p3 = p = unit_euler_parameters(p, name)
    return 2 * np.array([[p0 * p0 + p1 * p1, p1 * p2 + p0 * p3, p1 * p3 - p0 * p2],
                         [p1 * p2 - p0 * p3, p0 * p0 + p2 * p2, p2 * p3 + p0 * p1],
                         [p1 * p3 + p0 * p2, p2 * p3 - p0 * p1, p0 * p0 + p3 * p3]]) - eye(3, p)


def euler_parameter_rates(p, omega):
    """The rates of change of p for the angular velocity omega (rad/s) in the turned frame's axes (RBDA Eq. 4.13)."""
    p0, p1, p2, p3 = vector(p, 4, "p")
    return np.array([[-p1, -p2, -p3],
                     [p0, -p3, p2],
                     [p3, p0, -p1],
                     [-p2, p1, p0]]) @ vector(omega, 3, "omega") / 2


def turned_euler_parameters(p, turn):
    """Euler parameters after a further turn about an axis fixed in the turned frame, given as angle times unit axis."""
    p, turn = vector(p, 4, "p"), vector(turn, 3, "turn")
    angle = sqrt(turn @ turn)
    if angle == 0:
        return p
    s = sin(angle / 2) / angle * turn
    product = p * cos(angle / 2) + np.array([-(p[1:] @ s), *(p[0] * s + cross(p[1:], s))])
    return product / sqrt(product @ product)


def rotation_from_euler_angles(angles, sequence="zyx"):
    """E (3 x 3) after turns by angles[0], angles[1], ... (rad) about successive axes of the moving frame (RBDA 4.5).

    sequence: the axes in the order of turning; "zyx" is yaw, pitch, roll (RBDA Eq. 4.7). Two or three letters.
    """
    axes = turning_sequence(sequence)
    E = eye(3, angles)
    for axis, angle in zip(axes, vector(angles, len(axes), "angles"), strict=True):
        E = TURN[axis](angle) @ E
    return E


def turning_axes(angles, sequence="zyx"):
    """The axes of the successive turns as columns (3 x n), in the axes of the frame turned to (RBDA Eq. 4.8)."""
    axes = turning_sequence(sequence)
    angles = vector(angles, len(axes), "angles")
    columns, E = [], eye(3, angles)
    for axis, angle in zip(reversed(axes), reversed(angles), strict=True):
        columns.insert(0, E[:, "xyz".index(axis)])
        E = E @ TURN[axis](angle)
    return np.array(columns).T
