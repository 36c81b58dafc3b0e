"""Rigid-body and articulated-body inertias, in 10 and 21 numbers (RBDA Tables A.3, A.4)."""

import numpy as np

from rbdlib.arithmetic.accelerations import Acceleration, turning
from rbdlib.arithmetic.base import Linear, is_nothing
from rbdlib.arithmetic.rotations import full, lt
from rbdlib.arithmetic.vectors import CrossMotion, forces, fv, motions, mv
from rbdlib.book.ch02_spatial import skew, unskew
from rbdlib.numbers.linear import cross
from rbdlib.numbers.scalars import TOLERANCE, as_floats, blocks, matrix, vector
from rbdlib.numbers.validation import mass, rigid_body_inertia

#: D D⁻¹ may differ from 1 by so much.
ROUNDING = 4e-16


class Inertia(Linear):
    """Base of rigid-body and articulated-body inertias: they map motions to forces."""

    __slots__ = ()

    I = property(lambda self: full(self.lt_I), doc="The 3 x 3 block that maps omega to the moment.")

    def __matmul__(self, other):
        if isinstance(other, motions):
            return forces((self @ column for column in other.columns), other.unit_rows)
        if isinstance(other, mv):
            return self._momentum(other)
        if type(other) is CrossMotion:
            other = other.matrix
        return other if is_nothing(other) else super().__matmul__(other)

    T = property(lambda self: self, doc="The inertia itself, which is symmetric.")

    def __mul__(self, motion):
        return self._momentum(motion) if isinstance(motion, mv) else super().__mul__(motion)


class rbi(Inertia):
    """A rigid-body inertia: mass m, first moment h = m c, rotational inertia I about the origin (RBDA Table A.3).

    I is given as a 3 x 3 matrix, of which the lower triangle lt_I is kept. Raises ValueError if no body has these.
    """

    __slots__ = parts = ("m", "h", "lt_I")

    def __init__(self, m, h, I):
        self._fill(mass(m, "m"), vector(h, 3, "h"), lt(_semidefinite(I, "I")))
        rigid_body_inertia(self.matrix, "the matrix of m, h and I")

    @classmethod
    def from_matrix(cls, I):
        """From the 6 x 6 matrix of a rigid body. Raises ValueError if it is none."""
        I = rigid_body_inertia(I, "I")
        return cls.of(I[5, 5], unskew(I[:3, 3:]), lt(I[:3, :3]))

    @property
    def matrix(self):
        """The 6 x 6 matrix (RBDA Eq. 2.63)."""
        H = skew(self.h)
        return blocks([[self.I, H],
                       [H.T, self.m]])

    def _momentum(self, v):
        """I v: 24m + 18a (RBDA Table A.4)."""
        h_v, h_w = cross(self.h, v.v), cross(self.h, v.w)
        return fv.of(self.I @ v.w + h_v, self.m * v.v - h_w, (self, "a", v))

    def __add__(self, other):
        return other + self if isinstance(other, abi) else super().__add__(other)

    def __sub__(self, other):
        return self.as_abi() - other if isinstance(other, abi) else super().__sub__(other)

    def as_abi(self):
        """Inertia as that of an articulated body."""
        return abi.of(np.array([self.m, 0, self.m, 0, 0, self.m]), skew(self.h), self.lt_I)

    def net_force(self, v, a):
        """I a + v ×* I v, by way of the classical acceleration, at a lower cost: 45m + 45a (RBDA Eqs 2.48, 2.68).

        A particle at r has the acceleration y + Omega r, y = a_O + omega × v_O and Omega = omega'× + omega× omega×.
        The sum over all particles has the moments n_O = h × y + (the axial vector of Omega J), J = ½ tr(I) 1 - I being
        the sum of m r rᵀ. (J takes another five additions and a division, where I is not known beforehand.)
        """
        W = turning(v.w, a.w)
        known = isinstance(a.known, Acceleration) and a.known.v is v
        y = a.known.classical(a) if known else a.v + cross(v.w, v.v)
        I11, I21, I22, I31, I32, I33 = self.lt_I.tolist()
        half_trace = (I11 + I22 + I33) / 2
        J1, J2, J3 = half_trace - I11, half_trace - I22, half_trace - I33
        n1 = W[2, 1] * J2 - W[1, 2] * J3 + (W[1, 1] - W[2, 2]) * I32 + W[1, 0] * I31 - W[2, 0] * I21
        n2 = W[0, 2] * J3 - W[2, 0] * J1 + (W[2, 2] - W[0, 0]) * I31 + W[2, 1] * I21 - W[0, 1] * I32
        n3 = W[1, 0] * J1 - W[0, 1] * J2 + (W[0, 0] - W[1, 1]) * I21 + W[0, 2] * I32 - W[1, 2] * I31
        return fv.of(cross(self.h, y) + np.array([n1, n2, n3]), self.m * y + W @ self.h)


def _semidefinite(A, name):
    """A as a 3 x 3 array, checked to be symmetric, without negative eigenvalues, if its entries are numbers."""
    A = matrix(A, (3, 3), name)
    _require_equal(A, A.T, name)
    values = as_floats(A)
    if values is not None and (least := np.linalg.eigvalsh(values)[0]) < -TOLERANCE * np.abs(values).max():
        raise ValueError(f"{name} has the negative eigenvalue {least:.4g}, but no motion has negative energy. "
                         "Check the signs.")
    return A


def _require_equal(A, B, name):
    """ValueError if the numeric blocks A and Bᵀ of a symmetric matrix differ by more than rounding."""
    values, others = as_floats(A), as_floats(B)
    if values is None or others is None:
        return
    if np.abs(values - others).max() > TOLERANCE * max(np.abs(values).max(), np.abs(others).max()):
        raise ValueError(f"{name} is not symmetric. Check the signs and places of the entries off the diagonal.")


class abi(Inertia):
    """An articulated-body inertia [[I, H], [Hᵀ, M]] with symmetric I and M (RBDA Table A.3).

    M, H, I are given as 3 x 3 matrices; of M and I the lower triangles lt_M and lt_I are kept. Raises ValueError for
    numbers with which M or I is unsymmetric, or gives a motion negative energy.
    """

    __slots__ = parts = ("lt_M", "H", "lt_I")

    def __init__(self, M, H, I):
        self._fill(lt(_semidefinite(M, "M")), matrix(H, (3, 3), "H"), lt(_semidefinite(I, "I")))

    @classmethod
    def from_matrix(cls, I_A):
        """From a 6 x 6 matrix, of which lt(I), lt(M) and H are read; ValueError if an inertia has no such blocks."""
        I_A = matrix(I_A, (6, 6), "I_A")
        M, H, I = _semidefinite(I_A[3:, 3:], "I_A[3:, 3:]"), I_A[:3, 3:], _semidefinite(I_A[:3, :3], "I_A[:3, :3]")
        _require_equal(H, I_A[3:, :3].T, "I_A")
        return cls.of(lt(M), H, lt(I))

    @classmethod
    def from_columns(cls, V, U):
        """V Uᵀ, which must be symmetric, such as (U D⁻¹) Uᵀ: half of it is computed.

        Where a column of U D⁻¹ has a row in which S has a 1, it is that row which is multiplied: a recorder then sees
        that D cancels. Of floats, a D D⁻¹ that is 1 but for rounding is made 1, so that I - U D⁻¹ Uᵀ gets exact zeros.
        """
        pairs = [(v.array, u.array) for v, u in zip(V.columns, U.columns, strict=True)]
        if len(pairs) == len(U.unit_rows) == 1:
            v, k = pairs[0][0], U.unit_rows[0]
            v[k] = 1 if isinstance(v[k], float) and abs(v[k] - 1) <= ROUNDING else v[k]

        def entry(i, j):
            return sum(v[j] * u[i] if j in U.unit_rows else v[i] * u[j] for v, u in pairs)

        triangle = [[entry(i + first, j + first) for i, j in zip((0, 1, 1, 2, 2, 2), (0, 0, 1, 0, 1, 2), strict=True)]
                    for first in (0, 3)]
        H = np.array([[entry(i, j) for j in (3, 4, 5)] for i in (0, 1, 2)])
        return cls.of(np.array(triangle[1]), H, np.array(triangle[0]))

    M = property(lambda self: full(self.lt_M), doc="The 3 x 3 block that maps the linear part to the linear force.")

    @property
    def matrix(self):
        """The 6 x 6 matrix."""
        return blocks([[self.I, self.H],
                       [self.H.T, self.M]])

    def _momentum(self, v):
        """I^A v: 36m + 30a (RBDA Table A.4)."""
        return fv.of(self.I @ v.w + self.H @ v.v, self.M @ v.v + self.H.T @ v.w)

    def __add__(self, other):
        if not isinstance(other, rbi):
            return super().__add__(other)
        M, H, (h1, h2, h3) = self.M.copy(), self.H, other.h.tolist()
        for i in range(3):
            M[i, i] = M[i, i] + other.m
        H = np.array([[H[0, 0], H[0, 1] - h3, H[0, 2] + h2],
                      [H[1, 0] + h3, H[1, 1], H[1, 2] - h1],
                      [H[2, 0] - h2, H[2, 1] + h1, H[2, 2]]])
        return abi.of(lt(M), H, self.lt_I + other.lt_I)

    def net_force(self, v, a):
        """I^A a + v ×* I^A v."""
        return self._momentum(a) + v.cross(self._momentum(v))


forces.inertia_of = staticmethod(abi.from_columns)
