"""Motion vector, force vector and rigid-body inertia as types of their own (RBDA Tables A.3, A.4)."""

from dataclasses import dataclass, fields

import numpy as np

from rbdlib.scalars import blocks, matrix, number, vector
from rbdlib.spatial import I_to_mcI, cross, mcI, skew


class _Linear:
    """What motions, forces and inertias share: sums of the same type and multiples."""

    __array_ufunc__ = None  # so that a NumPy scalar times one of us asks us what to do

    def _parts(self):
        return [getattr(self, field.name) for field in fields(self)]

    def __add__(self, other):
        self._refuse_unless(type(other) is type(self), "+", other)
        return type(self)(*(mine + theirs for mine, theirs in zip(self._parts(), other._parts(), strict=True)))

    def __rmul__(self, scalar):
        self._refuse_unless(np.ndim(scalar) == 0 and not isinstance(scalar, _Linear), "*", scalar)
        return type(self)(*(number(scalar, "scalar") * part for part in self._parts()))

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        self._refuse_unless(type(other) is type(self), "-", other)
        return self + -other

    def _refuse_unless(self, right, sign, other):
        if not right:
            raise TypeError(f"{type(self).__name__} {sign} {type(other).__name__} has no meaning for spatial vectors.")


@dataclass(frozen=True, eq=False)
class mv(_Linear):
    """A motion vector with angular part w = omega and linear part v = v_O (RBDA Eq. 2.4, Table A.3)."""

    w: np.ndarray
    v: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "w", vector(self.w, 3, "w"))
        object.__setattr__(self, "v", vector(self.v, 3, "v"))

    @property
    def array(self):
        """The Plücker coordinates [omega, v_O] as a 6-vector."""
        return np.concatenate([self.w, self.v])

    def dot(self, force):
        """The scalar product with a force: power (RBDA Table A.4)."""
        self._refuse_unless(isinstance(force, fv), "·", force)
        return self.w @ force.n + self.v @ force.f

    def cross(self, other):
        """× with a motion gives a motion, ×* with a force gives a force (RBDA Eqs 2.33, 2.34)."""
        if isinstance(other, mv):
            return mv(cross(self.w, other.w), cross(self.w, other.v) + cross(self.v, other.w))
        self._refuse_unless(isinstance(other, fv), "×", other)
        return fv(cross(self.w, other.n) + cross(self.v, other.f), cross(self.w, other.f))


@dataclass(frozen=True, eq=False)
class fv(_Linear):
    """A force vector with moment n = n_O and linear force f (RBDA Eq. 2.9, Table A.3)."""

    n: np.ndarray
    f: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "n", vector(self.n, 3, "n"))
        object.__setattr__(self, "f", vector(self.f, 3, "f"))

    @property
    def array(self):
        """The Plücker coordinates [n_O, f] as a 6-vector."""
        return np.concatenate([self.n, self.f])

    def dot(self, motion):
        """The scalar product with a motion: power (RBDA Table A.4)."""
        self._refuse_unless(isinstance(motion, mv), "·", motion)
        return motion.dot(self)

    def cross(self, other):
        """Refused: a force is crossed by a motion, never the other way round."""
        self._refuse_unless(False, "×", other)


@dataclass(frozen=True, eq=False)
class rbi(_Linear):
    """A rigid-body inertia: mass m, first moment h = m c, rotational inertia I about the origin (RBDA Table A.3)."""

    m: float
    h: np.ndarray
    I: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "m", number(self.m, "m"))
        object.__setattr__(self, "h", vector(self.h, 3, "h"))
        object.__setattr__(self, "I", matrix(self.I, (3, 3), "I"))

    @classmethod
    def from_mcI(cls, m, c, I_C):
        """From mass, centre of mass and rotational inertia about it, checked as by `rbdlib.spatial.mcI`."""
        return cls.from_matrix(mcI(m, c, I_C))

    @classmethod
    def from_matrix(cls, I):
        """From the 6 x 6 matrix of a rigid body with mass."""
        m, c, _ = I_to_mcI(I)
        return cls(m, m * c, np.asarray(I)[:3, :3])

    @property
    def matrix(self):
        """The 6 x 6 matrix (RBDA Eq. 2.63)."""
        H = skew(self.h)
        return blocks([[self.I, H],
                       [H.T, self.m]])

    def __mul__(self, motion):
        self._refuse_unless(isinstance(motion, mv), "*", motion)
        return fv(self.I @ motion.w + cross(self.h, motion.v), self.m * motion.v - cross(self.h, motion.w))
