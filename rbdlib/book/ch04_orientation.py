"""Orientation in three dimensions: Euler parameters and Euler angles (RBDA 4.5).

Euler parameters are p = (p0, p1, p2, p3), a unit vector with the scalar p0 = cos(angle/2) first. E is the coordinate
transform from the frame turned from to the frame turned to.
"""

from itertools import pairwise

import numpy as np

from rbdlib.book.ch02_spatial import rx, ry, rz, skew
from rbdlib.numbers.pivots import first_largest, where_near
from rbdlib.numbers.scalars import as_floats, cos, eye, number, sin, sqrt, vector
from rbdlib.numbers.validation import rotation

#: Euler parameters below this are 0.
HALF_TURN = 1e-9
#: Sines below this make two axes parallel.
PARALLEL = 1e-12
#: By how much the squared length of Euler parameters may miss 1.
OFF_UNIT = 0.1
TURN = {"x": rx, "y": ry, "z": rz}
#: The twelve sequences of three turns about coordinate axes, no two consecutive ones about the same axis.
EULER_SEQUENCES = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)


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


def euler_parameters_from_rotation(E):
    """The Euler parameters of the rotation E (3 x 3); numbers only (the inverse of RBDA Eq. 4.12).

    Of p and -p, which are the same rotation, the one with p0 > 0; of a half turn, whose p0 is 0 but for rounding, the
    one whose first element that is not 0 is positive. Raises ValueError for symbols.
    """
    E = as_floats(rotation(E, "E"))
    if E is None:
        raise ValueError("E contains symbols; the signs of the Euler parameters can be decided for numbers only.")
    squares = np.array([1 + np.trace(E), *(1 + 2 * np.diag(E) - np.trace(E))]) / 4
    K = np.array([[0, E[1, 2] - E[2, 1], E[2, 0] - E[0, 2], E[0, 1] - E[1, 0]],
                  [0, 0, E[0, 1] + E[1, 0], E[0, 2] + E[2, 0]],
                  [0, 0, 0, E[1, 2] + E[2, 1]],
                  [0, 0, 0, 0]]) / 4
    products = K + K.T + np.diag(squares)
    largest = first_largest(squares)
    p = products[largest] / np.sqrt(squares[largest])
    return p / np.linalg.norm(p) * (1 if p[np.abs(p) > HALF_TURN][0] > 0 else -1)


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
    product = p * cos(angle / 2) + np.array([-(p[1:] @ s), *(p[0] * s + skew(p[1:]) @ s)])
    return product / sqrt(product @ product)


def unit_euler_parameters(p, name):
    """p scaled to unit length (RBDA Eq. 4.11); ValueError if its squared length misses 1 by more than 0.1.

    An integrator leaves the unit sphere by a little in its intermediate steps, and that does no harm. SymPy symbols are
    taken to be of unit length; numbers recorded for later (RBDA 10.4) become NaN where the ValueError would be.
    """
    p = vector(p, 4, name)
    values = as_floats(p)
    if values is not None and abs(values @ values - 1) > OFF_UNIT:
        raise ValueError(
            f"{name} = {np.round(values, 4).tolist()} is not a unit vector, as Euler parameters, scalar first, are. "
            f"Divide it by its length (model.normalise does); for no turn give (1, 0, 0, 0)."
        )
    return p if any(hasattr(x, "free_symbols") for x in p) else p / sqrt(where_near(p @ p, 1, OFF_UNIT))


def rotation_from_euler_angles(angles, sequence="zyx"):
    """E (3 x 3) after turns by angles[0], angles[1], ... (rad) about successive axes of the moving frame (RBDA 4.5).

    sequence: the axes in the order of turning; "zyx" is yaw, pitch, roll (RBDA Eq. 4.7). Two or three letters.
    """
    axes = turning_sequence(sequence)
    E = eye(3, angles)
    for axis, angle in zip(axes, vector(angles, len(axes), "angles"), strict=True):
        E = TURN[axis](angle) @ E
    return E


def euler_angles_from_rotation(E, sequence="zyx"):
    """The angles (rad) of `rotation_from_euler_angles` from the rotation E (3 x 3); numbers only.

    The second of three angles is between -pi/2 and pi/2, or between 0 and pi where the first and third axes have the
    same name; where it makes them parallel, and only the sum or difference of the others matters, the first is 0. Two
    angles come near to an E that they cannot reach. Raises ValueError for symbols.
    """
    sequence, E = turning_sequence(sequence), as_floats(rotation(E, "E"))
    if E is None:
        raise ValueError("E contains symbols; angles can be found for numbers only.")
    axes, unit = ["xyz".index(letter) for letter in sequence], np.eye(3)
    last = axes[-1]

    # before the first turn the last axis is at ``start``, but for the second turn
    start = np.rint(TURN[sequence[1]](np.pi / 2)[last]) if len(axes) == 3 and axes[0] == last else unit[last]
    sine, cosine = np.cross(start, E[last])[axes[0]], start @ E[last]
    angles = [np.arctan2(sine, cosine) if max(abs(sine), abs(cosine)) > PARALLEL else 0.0]

    watched = (last, axes[1]) if len(axes) == 3 else (axes[0],)
    for k, w in enumerate(watched):
        E = E @ TURN[sequence[k]](angles[k]).T
        angles.append(np.arctan2(np.cross(unit[w], E[w])[axes[k + 1]], E[w, w]))
    return np.array(angles)


def turning_axes(angles, sequence="zyx"):
    """The axes of the successive turns as columns (3 x n), in the axes of the frame turned to (RBDA Eq. 4.8)."""
    axes = turning_sequence(sequence)
    angles = vector(angles, len(axes), "angles")
    columns, E = [], eye(3, angles)
    for axis, angle in zip(reversed(axes), reversed(angles), strict=True):
        columns.insert(0, E[:, "xyz".index(axis)])
        E = E @ TURN[axis](angle)
    return np.array(columns).T


def turning_sequence(sequence):
    """The sequence checked: two or three of the letters x, y, z, no two consecutive ones alike."""
    axes = str(sequence)
    if len(axes) not in (2, 3) or not set(axes) <= set("xyz") or any(a == b for a, b in pairwise(axes)):
        raise ValueError(
            f"sequence is {sequence!r}; give the axes in the order of turning, no two consecutive ones alike, such as "
            f"'zyx' (one of {', '.join(EULER_SEQUENCES)})."
        )
    return axes
