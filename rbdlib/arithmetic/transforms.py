"""Plücker transforms and what they do to vectors and inertias (RBDA Tables A.3, A.4)."""

import numpy as np

from rbdlib.arithmetic.accelerations import known_when_moved
from rbdlib.arithmetic.base import Quantity, Typed, is_nothing
from rbdlib.arithmetic.inertias import Inertia, abi, rbi
from rbdlib.arithmetic.rotations import COLUMNS, ROWS, full, rotate_general, rotate_symmetric, rotation_product
from rbdlib.arithmetic.vectors import Columns, forces, fv, motions, mv
from rbdlib.book.ch02_spatial import X_to_Er, force_transform, inverse_transform, skew
from rbdlib.numbers.linear import cross
from rbdlib.numbers.scalars import vector
from rbdlib.numbers.validation import rotation


class Transform(Typed):
    """Base of all Plücker transforms ᴮX_A; each kind says how it transforms the four types.

    A kind has the methods motion, force, rigid, articulated; for `inv_apply` their inverses motion_back, force_back,
    rigid_back, articulated_back, or a method of its own; `E_r`, its rotation and position; and inv().
    """

    __slots__ = ()

    def apply(self, x):
        """x in B coordinates from x in A coordinates: X v, X* f, X* I X⁻¹, as its type demands (RBDA A.3)."""
        return self._by_type(x, "")

    def inv_apply(self, x):
        """x in A coordinates from x in B coordinates: X⁻¹ v, Xᵀ f, Xᵀ I X (RBDA A.3). It costs less than inv()."""
        return self._by_type(x, "_back")

    def _by_type(self, x, way):
        if isinstance(x, Columns):
            return type(x)(self._by_type(column, way) for column in x.columns)
        for kind, rule in ((mv, "motion"), (fv, "force"), (rbi, "rigid"), (abi, "articulated")):
            if isinstance(x, kind):
                return getattr(self, rule + way)(x)
        return self.refuse("applied to", x)

    def __matmul__(self, other):
        """X @ v, for a motion (a 6-vector beside X is one); X₁ @ X₂; X @ 1 is X."""
        if isinstance(other, mv):
            moved = self.motion(other)
            return mv.of(moved.w, moved.v, known_when_moved(self, other))
        if isinstance(other, motions):
            return self.apply(other)
        if isinstance(other, Transform):
            return self.times(other)
        if isinstance(other, np.ndarray) and other.shape == (6,):
            return mv.of(other[:3], other[3:]) if is_nothing(other) else self.motion(mv.of(other[:3], other[3:]))
        if isinstance(other, np.ndarray) and other.shape == (6, 6) and is_nothing(other - np.eye(6)):
            return self
        if isinstance(other, fv | forces):
            raise TypeError(f"{type(self).__name__} @ {type(other).__name__} has no meaning: X transforms motions. For "
                            "forces take X.apply(f), or force_transform(X) @ f.")
        return super().__matmul__(other)

    def times(self, other):
        """The product with another transform, which is applied first: 33m + 24a for two general ones."""
        (E_1, r_1), (E_2, r_2) = self.E_r, other.E_r
        return plx.of(rotation_product(E_1, E_2), r_2 + E_2.T @ r_1)

    T = property(lambda self: TransposedTransform(self), doc="Xᵀ, the transform of forces from B to A.")

    def for_forces(self):
        """X*, the transform of forces from A to B."""
        return ForceTransform(self)

    @property
    def matrix(self):
        """The 6 x 6 matrix X of motions (RBDA Eq. 2.24)."""
        E, r = self.E_r
        lower = -E @ skew(r)
        X = np.zeros((6, 6), np.result_type(E.dtype, lower.dtype))
        X[:3, :3], X[3:, 3:], X[3:, :3] = E, E, lower
        return X


class General(Transform):
    """Base of those transforms whose rotation E (3 x 3) and position r (3) are known as arrays: `plx` and `path`."""

    __slots__ = ()

    def inv(self):
        """X⁻¹: 9m + 6a."""
        return plx.of(self.E.T, -(self.E @ self.r))

    def motion(self, v):
        return mv.of(self.E @ v.w, self.E @ (v.v - cross(self.r, v.w)))

    def motion_back(self, v):
        w = self.E.T @ v.w
        return mv.of(w, self.E.T @ v.v + cross(self.r, w))

    def force(self, f):
        return fv.of(self.E @ (f.n - cross(self.r, f.f)), self.E @ f.f)

    def force_back(self, f):
        f_A = self.E.T @ f.f
        return fv.of(self.E.T @ f.n + cross(self.r, f_A), f_A)

    def rigid(self, I):
        y = I.h - I.m * self.r
        shifted = I.lt_I + lt_double_cross(self.r, I.h) + lt_double_cross(y, self.r)
        return rbi.of(I.m, self.E @ y, rotate_symmetric(self.E, shifted))

    def rigid_back(self, I):
        h = self.E.T @ I.h
        y = h + I.m * self.r
        turned = rotate_symmetric(self.E.T, I.lt_I)
        return rbi.of(I.m, y, turned - lt_double_cross(self.r, h) - lt_double_cross(y, self.r))

    def articulated(self, I, trace=True):
        """X* I^A X⁻¹: 135m + 139a, or 137m + 137a if the rotation of H does not use the trace."""
        E, r, M, H = self.E, self.r, I.lt_M, I.H
        Y = H - cross_symmetric(r, M)
        Z = I.lt_I - lt_cross_matrix(r, H.T) + lt_matrix_cross(Y, r)
        return abi.of(rotate_symmetric(E, M), rotate_general(E, Y, trace), rotate_symmetric(E, Z))

    def articulated_back(self, I, trace=True):
        """Xᵀ I^A X: 135m + 139a, or 137m + 137a if the rotation of H does not use the trace."""
        E, r = self.E.T, self.r
        M, H = rotate_symmetric(E, I.lt_M), rotate_general(E, I.H, trace)
        Y = H + cross_symmetric(r, M)
        return abi.of(M, Y, rotate_symmetric(E, I.lt_I) + lt_cross_matrix(r, H.T) - lt_matrix_cross(Y, r))


class plx(General):
    """The general Plücker transform ᴮX_A: rotation E (3 x 3), and the position r of B in A (RBDA Table A.3)."""

    __slots__ = parts = ("E", "r")

    def __init__(self, E, r):
        self._fill(rotation(E, "E"), vector(r, 3, "r"))

    @classmethod
    def from_matrix(cls, X):
        """From the 6 x 6 matrix of motions."""
        return cls.of(*X_to_Er(X))

    E_r = property(lambda self: (self.E, self.r), doc="(E, r).")


def lt_double_cross(a, b):
    """lt(a× b×) = lt(b aᵀ - (a·b) 1): 6m + 3a."""
    (a1, a2, a3), (b1, b2, b3) = a.tolist(), b.tolist()
    p1, p2, p3 = a1 * b1, a2 * b2, a3 * b3
    return np.array([-(p2 + p3), b2 * a1, -(p3 + p1), b3 * a1, b3 * a2, -(p1 + p2)])


def cross_symmetric(r, triangle):
    """r× M for a symmetric M, from lt(M): 15m + 9a, because three of the products occur twice."""
    r1, r2, r3 = r.tolist()
    M = full(triangle)
    x23, y31, z12 = r1 * M[2, 1], r2 * M[2, 0], r3 * M[1, 0]
    return np.array([[y31 - z12, r2 * M[2, 1] - r3 * M[1, 1], r2 * M[2, 2] - r3 * M[1, 2]],
                     [r3 * M[0, 0] - r1 * M[2, 0], z12 - x23, r3 * M[0, 2] - r1 * M[2, 2]],
                     [r1 * M[1, 0] - r2 * M[0, 0], r1 * M[1, 1] - r2 * M[0, 1], x23 - y31]])


def lt_cross_matrix(r, A):
    """lt(r× A): 12m + 6a."""
    return np.array([r[(i + 1) % 3] * A[(i + 2) % 3, j] - r[(i + 2) % 3] * A[(i + 1) % 3, j]
                     for i, j in zip(ROWS, COLUMNS, strict=True)])


def lt_matrix_cross(A, r):
    """lt(A r×): 12m + 6a."""
    return np.array([A[i, (j + 1) % 3] * r[(j + 2) % 3] - A[i, (j + 2) % 3] * r[(j + 1) % 3]
                     for i, j in zip(ROWS, COLUMNS, strict=True)])


class ForceTransform(Quantity):
    """X*, which takes forces from A to B coordinates (a 6-vector beside it is one)."""

    def __init__(self, X):
        self.X, self.move = X, X.apply

    @property
    def matrix(self):
        """X*, whose blocks are those of X in other places (RBDA Eq. 2.25)."""
        X, X_star = self.X.matrix, self.X.matrix
        X_star[:3, 3:], X_star[3:, :3] = X[3:, :3], X[:3, 3:]
        return X_star

    T = property(lambda self: self.X.inv(), doc="Its transpose X⁻¹, which takes motions from B to A.")

    def __matmul__(self, other):
        if is_nothing(other):
            return other
        if isinstance(other, np.ndarray) and other.shape == (6,):
            other = fv.of(other[:3], other[3:])
        return self.move(other) if isinstance(other, fv | forces) else super().__matmul__(other)


class TransposedTransform(ForceTransform):
    """Xᵀ, which takes forces from B to A coordinates; Xᵀ @ I waits for the X that follows."""

    def __init__(self, X, inertia=None):
        self.X, self.inertia, self.move = X, inertia, X.inv_apply

    matrix = property(lambda self: self.X.matrix.T if self.inertia is None else self.X.matrix.T @ self.inertia.matrix)
    T = property(lambda self: self.X if self.inertia is None else self.inertia @ self.X)

    def __matmul__(self, other):
        if self.inertia is None:
            return TransposedTransform(self.X, other) if isinstance(other, Inertia) else super().__matmul__(other)
        if other is self.X:
            return self.move(self.inertia)
        if isinstance(other, mv | motions):
            return super().__matmul__(self.inertia @ other)
        if isinstance(other, Transform):
            raise TypeError("Xᵀ @ I @ Y is an inertia only where Y is X. Use one and the same transform on both sides.")
        return other if is_nothing(other) else Quantity.__matmul__(self, other)


force_transform.register(Transform, ForceTransform)
inverse_transform.register(Transform, lambda X: X.inv())
