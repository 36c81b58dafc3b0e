"""Point contacts without friction: one body, several contacts, systems of bodies, loops included (RBDA 11.1 to 11.4).

A contact pushes and never pulls: lam >= 0. Its bodies separate or stay together: zeta_dot >= 0. And it does but one of
the two: zeta_dot lam = 0 (11.4). What the bodies' inertia makes of a force is the linear relation

    zeta_dot = M lam + d                                                                        (11.7, 11.20, 11.34)

and the two together are the linear complementarity problem that `rbdlib.contact.lcp` solves.
"""

from dataclasses import dataclass

import numpy as np

from rbdlib.scalars import TOLERANCE, as_floats, number, sqrt, vector, zeros
from rbdlib.spatial import line_force

# A contact (RBDA 11.1, 11.3)


def contact_normal(C, n_hat):
    """n = [C × n_hat; n_hat]: the unit force along the line through C (m) with the direction n_hat (RBDA 11.1).

    n_hat: the direction of the normal, out of the predecessor's surface, towards the successor; numbers are scaled to
    length 1, formulas must have it. Both in the same coordinates. Raises ValueError if n_hat is zero.
    """
    n_hat = vector(n_hat, 3, "n_hat")
    square = n_hat @ n_hat
    if square == 0:
        raise ValueError("n_hat is zero, which is no direction. Give the direction out of the predecessor's surface.")
    return line_force(n_hat if square == 1 or as_floats(n_hat) is None else n_hat / sqrt(square), C)


@dataclass(frozen=True, eq=False)
class Contact:
    """A point where two bodies touch, or may touch (RBDA 11.3). Vectors are in base coordinates.

    predecessor, successor: body numbers pc(i) and sc(i), 0 for the base.  n: the unit force along the line of the
    contact normal, from predecessor to successor, as from `contact_normal`.  ndot: its absolute rate of change; 0 if
    left out, which is right where nothing moves.  phi: signed distance (m), > 0 apart and < 0 in overlap.  name: for
    messages and tables.  point: the position of C (m), where it is known.  inside: whether C lies within the extent of
    the face or edge that has it; where it does not, the contact is lost by geometry, whatever phi (RBDA 11.6).
    """

    predecessor: int
    successor: int
    n: np.ndarray
    ndot: np.ndarray = 0
    phi: float = 0.0
    name: str = ""
    point: np.ndarray | None = None
    inside: bool = True

    def __post_init__(self):
        for name in ("predecessor", "successor"):
            i = getattr(self, name)
            if not isinstance(i, int | np.integer) or isinstance(i, bool) or i < 0:
                raise ValueError(f"{name} is {i!r}; give the number of a body, 0 for the base.")
        if self.predecessor == self.successor:
            raise ValueError(f"predecessor and successor are both body {self.successor}; no body touches itself. Give "
                             "the two bodies that touch.")
        n, ndot = vector(self.n, 6, "n"), zeros(6) if np.ndim(self.ndot) == 0 and self.ndot == 0 else self.ndot
        _require_unit_force(n)
        point = None if self.point is None else vector(self.point, 3, "point")
        for name, value in (("n", n), ("ndot", vector(ndot, 6, "ndot")), ("point", point)):
            object.__setattr__(self, name, value)
            if value is not None:
                value.setflags(write=False)
        object.__setattr__(self, "phi", number(self.phi, "phi"))


def _require_unit_force(n):
    """Refuse numbers that are no unit force along a line, such as a vector with its linear part first."""
    values = as_floats(n)
    if values is None:
        return
    moment, force = values[:3], values[3:]
    size = np.sqrt(force @ force)
    if abs(size - 1) > TOLERANCE or abs(moment @ force) > TOLERANCE * max(1, np.abs(moment).max()):
        raise ValueError(f"n is {values.tolist()}, which is not a unit force along a line [C × n_hat; n_hat]. Make it "
                         "with contact_normal(C, n_hat).")
