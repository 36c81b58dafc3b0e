"""Balance of what stands and walks: zero-moment point, capture point, and the contact forces of least effort.

z points up and the ground is level. (M. Vukobratović and B. Borovac, Zero-moment point: thirty-five years of its life,
2004; J. Pratt, J. Carff, S. Drakunov and A. Goswami, Capture point: a step toward humanoid push recovery, 2006.)
"""

import numpy as np

from rbdlib.book.ch11_contact import checked_contacts
from rbdlib.contact.collisions import for_each, friction_coefficient
from rbdlib.contact.sets import friction_directions, positive_dependence
from rbdlib.numbers.scalars import number, vector
from rbdlib.numbers.validation import require_numbers

#: Constraints that no forces satisfy leave a remainder with a square of no more than this.
HOPELESS = 1e-12


def zero_moment_point(wrench, ground=0.0):
    """The point (3, m) of the ground about which a wrench has no level moment, the centre of pressure of the feet.

    wrench (6): of the ground on the system, in base coordinates: moment about the base's origin (N m), force (N).
    ground: its height (m). The point is within the support polygon. Raises ValueError unless the ground presses.

    >>> zero_moment_point([40, -80, -3, 60, 0, 600]).round(3)
    array([0.133, 0.067, 0.   ])
    """
    n_x, n_y, _, f_x, f_y, f_z = vector(wrench, 6, "wrench")
    if not f_z > 0:
        raise ValueError(f"wrench has the vertical force {f_z}; without pressure there is no centre of pressure.")
    return np.array([(ground * f_x - n_y) / f_z, (ground * f_y + n_x) / f_z, ground])


def capture_point(c, v, g=9.81, ground=0.0):
    """The point (3, m) of the ground on which a linear inverted pendulum has to put its foot to come to rest above it.

    c, v (3): position (m) and velocity (m/s) of the centre of mass, at a constant height. Raises ValueError unless c is
    above the ground.

    >>> capture_point([0, 0, 0.9], [0.6, 0, 0], g=10)
    array([0.18, 0.  , 0.  ])
    """
    c, v, height = vector(c, 3, "c"), vector(v, 3, "v"), number(c[2], "c[2]") - ground
    if not (height > 0 and g > 0):
        raise ValueError(f"c is {height} m above the ground and g is {g} m/s^2; expected two positive numbers.")
    x, y = c[:2] + v[:2] * np.sqrt(height / g)
    return np.array([x, y, ground])


def least_forces(contacts, mu, load, sides=4):
    """The contact forces f (n_c x 3, N) that balance a load with the least sum of squares, or None if none do.

    contacts: `Contact`s with points, whose successors belong to the system; mu: the coefficient of friction, or one for
    each; sides: of the pyramids that stand for the cones. load (6): the wrench of all else on the system, such as
    weight and inertia, in base coordinates. Forces act on the successors. Their least squares without cones are found
    first; the shortest way from there into the pyramids is a least-distance problem (C. Lawson and R. Hanson, Solving
    least squares problems, 1974, chapter 23).
    """
    require_numbers(load=load)
    contacts, load = checked_contacts(contacts), vector(load, 6, "load")
    mu, size = for_each(mu, len(contacts), "mu", friction_coefficient), np.sqrt(load @ load)
    if not size:
        return np.zeros((len(contacts), 3))
    A, faces = np.zeros((6, 3 * len(contacts))), []
    for k, contact in enumerate(contacts):
        d = friction_directions(contact, sides)[3:].T
        A[:, 3 * k : 3 * k + 3] = np.vstack([np.cross(contact.point, np.eye(3)).T, np.eye(3)])
        corner = 1 + d[0] @ d[1]
        faces += [(k, mu[k] * corner * contact.n[3:] - d[j] - d[j - 1]) for j in range(sides)]
        faces.append((k, contact.n[3:]))
    C = np.zeros((len(faces), A.shape[1]))
    for row, (k, face) in zip(C, faces, strict=True):
        row[3 * k : 3 * k + 3] = face / np.sqrt(face @ face)
    f = np.linalg.lstsq(A, -load / size, rcond=None)[0]
    Z = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :]             # its rows are forces in balance with each other
    rest = positive_dependence(np.eye(len(Z) + 1)[-1], np.vstack([Z @ C.T, -C @ f]))[1]
    if np.abs(A @ f + load / size).max() > 1e-9 or rest[-1] <= HOPELESS:
        return None
    return size * (f - Z.T @ rest[:-1] / rest[-1]).reshape(-1, 3)
