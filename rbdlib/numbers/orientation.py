"""Euler parameters and Euler angles found from a rotation matrix, the ways back of RBDA 4.5; numbers only.

E is the coordinate transform from the frame turned from to the frame turned to, as in `rbdlib.book.ch04_orientation`.
"""

import numpy as np

from rbdlib.numbers.pivots import first_largest
from rbdlib.numbers.scalars import floats
from rbdlib.numbers.validation import rotation, turning_sequence

#: Euler parameters below this are 0.
HALF_TURN = 1e-9
#: Sines below this make two axes parallel.
PARALLEL = 1e-12


def euler_parameters_from_rotation(E):
    """The Euler parameters of the rotation E (3 x 3); numbers only (the inverse of RBDA Eq. 4.12).

    Of p and -p, which are the same rotation, the one with p0 > 0; of a half turn, whose p0 is 0 but for rounding, the
    one whose first element that is not 0 is positive. Raises ValueError for symbols.
    """
    E = floats(rotation(E, "E"),
               "E contains symbols; the signs of the Euler parameters can be decided for numbers only.")
    squares = np.array([1 + np.trace(E), *(1 + 2 * np.diag(E) - np.trace(E))]) / 4
    K = np.array([[0, E[1, 2] - E[2, 1], E[2, 0] - E[0, 2], E[0, 1] - E[1, 0]],
                  [0, 0, E[0, 1] + E[1, 0], E[0, 2] + E[2, 0]],
                  [0, 0, 0, E[1, 2] + E[2, 1]],
                  [0, 0, 0, 0]]) / 4
    products = K + K.T + np.diag(squares)
    largest = first_largest(squares)
    p = products[largest] / np.sqrt(squares[largest])
    return p / np.linalg.norm(p) * (1 if p[np.abs(p) > HALF_TURN][0] > 0 else -1)


def euler_angles_from_rotation(E, sequence="zyx"):
    """The angles (rad) of `rotation_from_euler_angles` from the rotation E (3 x 3); numbers only.

    The second of three angles is between -pi/2 and pi/2, or between 0 and pi where the first and third axes have the
    same name; where it makes them parallel, and only the sum or difference of the others matters, the first is 0. Two
    angles come near to an E that they cannot reach. Raises ValueError for symbols.
    """
    sequence = turning_sequence(sequence)
    E = floats(rotation(E, "E"), "E contains symbols; angles can be found for numbers only.")
    axes, unit = ["xyz".index(letter) for letter in sequence], np.eye(3)
    last = axes[-1]

    # before the first turn the last axis is at ``start``, but for the second turn
    start = np.rint(_turn(axes[1], np.pi / 2)[last]) if len(axes) == 3 and axes[0] == last else unit[last]
    sine, cosine = np.cross(start, E[last])[axes[0]], start @ E[last]
    angles = [np.arctan2(sine, cosine) if max(abs(sine), abs(cosine)) > PARALLEL else 0.0]

    watched = (last, axes[1]) if len(axes) == 3 else (axes[0],)
    for k, w in enumerate(watched):
        E = E @ _turn(axes[k], angles[k]).T
        angles.append(np.arctan2(np.cross(unit[w], E[w])[axes[k + 1]], E[w, w]))
    return np.array(angles)


def _turn(axis, angle):
    """The coordinate transform (3 x 3) to axes turned by the angle (rad) about axis 0, 1 or 2."""
    E, y, z = np.eye(3), (axis + 1) % 3, (axis + 2) % 3
    E[y, y] = E[z, z] = np.cos(angle)
    E[y, z] = np.sin(angle)
    E[z, y] = -E[y, z]
    return E
