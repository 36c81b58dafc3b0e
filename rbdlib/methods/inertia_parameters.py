"""The ten parameters of an inertia: what bodies have, what zeros among them save, augmented bodies (RBDA 9.7).

They stand in the order of `rbdlib.methods.derivatives.parameters`: m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz,
Izz, about the origin of the body's coordinates. How they may change and leave the motion as it is, is in
`rbdlib.methods.equivalence`.
"""

from collections import Counter

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, skew, unskew
from rbdlib.book.ch04_model import require_model
from rbdlib.numbers.operations import Counted, counted
from rbdlib.numbers.scalars import TOLERANCE, as_floats, blocks, eye, floats, matrix, number, vector, zeros
from rbdlib.numbers.validation import one_of

#: Inertial parameters smaller than this, compared with the largest of the body, count as zero; and what is smaller
#: than this in SI units may be left over from subtracting inertias.
ROUNDING = 1e-12
#: A body is possible if no eigenvalue of its pseudo-inertia is more negative than this, beside the largest element.
POSSIBLE = 1e-9

def to_parameters(I, name="I"):
    """The ten parameters of an inertia I (6 x 6), which need not be that of a body that can exist.

    name: what to call it in the ValueError that is raised for a matrix of numbers that no ten parameters make.
    """
    I = matrix(I, (6, 6), name)
    p = np.array([I[5, 5], *unskew(I[:3, 3:]), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])
    values = as_floats(I)
    if values is not None:
        difference = np.abs(values - from_parameters(as_floats(p)))
        if difference.max() > TOLERANCE * np.abs(values).max() + ROUNDING:
            row, column = (int(k) for k in np.unravel_index(np.argmax(difference), (6, 6)))
            raise ValueError(f"{name} has not the form [[Ī, m c×], [-m c×, m 1]], with Ī symmetric, of inertias: its "
                             f"element {row, column} is {values[row, column]:.6g}, and {difference[row, column]:.2g} "
                             "away from that. Rotation stands before translation; mcI and from_parameters make them.")
    return p


def from_parameters(p):
    """The inertia (6 x 6) that has the ten parameters p, exactly symmetric."""
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = vector(p, 10, "p")
    h = skew(np.array([h_x, h_y, h_z]))
    return blocks([[np.array([[I_xx, I_xy, I_xz], [I_xy, I_yy, I_yz], [I_xz, I_yz, I_zz]]), h],
                   [h.T, m]])


def mass_properties(I):
    """m, c and I_C of an inertia, which is not checked; c = 0 for a massless body."""
    m = I[5, 5]
    c = zeros(3, I) if m == 0 else np.array([I[2, 4], I[0, 5], I[1, 3]]) / m
    return m, c, I[:3, :3] + m * (skew(c) @ skew(c))


def spatial_inertia(m, c, I_C):
    """The spatial inertia of mass m, centre c, I_C about it; as `mcI`, but whether a body can have it is not asked."""
    C = skew(c)
    return blocks([[I_C + m * C @ C.T, m * C],
                   [m * C.T, m]])


def particle(m, c):
    """The inertia (6 x 6) of a particle of mass m, which may be negative, at c (3) in body coordinates."""
    return spatial_inertia(number(m, "m"), vector(c, 3, "c"), 0)


def pseudo_inertia(I):
    """The matrix (4 x 4) of the second, first and zeroth moments of the mass, linear in I.

    It is positive semidefinite for every body that can exist, and for no other.
    """
    m, *rest = to_parameters(I)
    h, I_bar = np.array(rest[:3]), matrix(I, (6, 6), "I")[:3, :3]
    J = zeros((4, 4), I)
    J[:3, :3] = (I_bar[0, 0] + I_bar[1, 1] + I_bar[2, 2]) / 2 * eye(3, I) - I_bar
    J[:3, 3], J[3, :3], J[3, 3] = h, h, m
    return J


def is_possible(I):
    """True if some body has the inertia I (6 x 6), of numbers: its `pseudo_inertia` has no negative eigenvalue."""
    J = floats(pseudo_inertia(I), "I contains symbols; whether a body has this inertia, numbers decide.")
    return bool(np.linalg.eigvalsh(J)[0] >= -POSSIBLE * np.abs(J).max())


def count_zeros(p, scale=None):
    """How many of the numbers p are zero, compared with the largest of scale, or of p itself.

    Raises ValueError for symbols, and where there are no numbers.
    """
    p = _numbers(p, "p")
    scale = p if scale is None else _numbers(scale, "scale")
    return int((np.abs(p) <= ROUNDING * np.abs(scale).max()).sum())


def _numbers(p, name):
    if np.size(p) == 0:
        raise ValueError(f"{name} is empty; give one or more numbers, such as the parameters of a body.")
    return floats(vector(p, np.size(p), name), f"{name} contains symbols or complex numbers; which of them are zero, "
                  "real numbers decide. Give them values first.")


def zero_parameters(model):
    """How many of the 10 N_B inertial parameters of a model are zero, but for rounding; ValueError for symbols."""
    bodies = enumerate(require_model(model).inertia[1:], start=1)
    return sum(count_zeros(_numbers(to_parameters(I), f"inertia of body {i}")) for i, I in bodies)


def impossible_bodies(model):
    """The numbers of the bodies whose inertia no body can have, a list; ValueError if inertias contain symbols."""
    return [i for i in require_model(model).bodies if not is_possible(model.inertia[i])]


def augmented_bodies(model, at="children"):
    """The inertias of the augmented bodies: a list (6 x 6 each) indexed by body number, place 0 empty (RBDA 9.7).

    To each body a particle is added where a joint sits on it, with the mass of all that hangs on this joint. at:
    "children" for the joints that lead to mu(i), as suits fixed bases; "joints" for that to the parent too, behind
    which is the rest of the moving bodies, as suits floating ones.
    """
    one_of(("children", "joints"), at, "at")
    mass = [0, *(I[5, 5] for I in require_model(model).inertia[1:])]
    beyond = [sum(mass[j] for j in model.nu(i)) for i in range(model.N_B + 1)]
    augmented = list(model.inertia)
    for i in model.bodies:
        for j in model.mu(i):
            _, r = X_to_Er(model.X_tree[j])
            augmented[i] = augmented[i] + particle(beyond[j], r)
        if at == "joints":
            augmented[i] = augmented[i] + particle(beyond[0] - beyond[i], zeros(3, augmented[i]))
    return augmented


class Sparse(Counted):
    """A `Counted` number for which adding 0 and multiplying by 0 and 1 cost nothing, as in simplified formulas."""

    def __add__(self, other):
        return self if _is(other, 0) else super().__add__(other)

    def __sub__(self, other):
        return self if _is(other, 0) else super().__sub__(other)

    def __rsub__(self, other):
        return -self if _is(other, 0) else super().__rsub__(other)

    def __mul__(self, other):
        if _is(other, 0):
            return 0
        return self if _is(other, 1) else super().__mul__(other)

    __radd__, __rmul__ = __add__, __mul__


def _is(x, value):
    return not isinstance(x, Counted | np.ndarray) and x == value


def operations(function, model, *arguments):
    """The operations that function(model, *arguments) takes if none is done with a constant 0 or 1: a Counter.

    arguments: arrays, of which the counted numbers are made; the model's own numbers are constants.
    """
    counter = Counter()
    function(model, *(counted(np.ravel(given).astype(float), counter, Sparse) for given in arguments))
    return counter
