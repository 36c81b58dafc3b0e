"""Motion and force vectors, matrices whose columns are such, and the cross products as operators (RBDA Table A.4)."""

from collections.abc import Callable

import numpy as np

from rbdlib.arithmetic.accelerations import Product, known_of_sum
from rbdlib.arithmetic.base import Linear, Quantity, is_nothing, scaled, total
from rbdlib.book.ch02_spatial import crf, crm
from rbdlib.numbers.linear import cross
from rbdlib.numbers.scalars import vector


class mv(Linear):
    """A motion vector with angular part w = omega and linear part v = v_O (RBDA Eq. 2.4, Table A.3).

    known: what is known about where it came from, which can make sums cheaper; see `rbdlib.arithmetic.accelerations`.
    """

    __slots__ = ("w", "v", "known")
    parts = ("w", "v")

    def __init__(self, w, v):
        self._fill(vector(w, 3, "w"), vector(v, 3, "v"))

    def __add__(self, other):
        if isinstance(other, mv):
            return mv.of(self.w + other.w, self.v + other.v, known_of_sum(self, other))
        return super().__add__(other)

    array = property(lambda self: np.concatenate([self.w, self.v]), doc="Plücker coordinates [omega, v_O], a 6-vector.")

    def dot(self, force):
        """The scalar product with a force: power (6m + 5a)."""
        if not isinstance(force, fv):
            self.refuse("·", force)
        return total([*(self.w * force.n).tolist(), *(self.v * force.f).tolist()])

    def cross(self, other):
        """× with a motion gives a motion, ×* with a force gives a force (RBDA Eqs 2.33, 2.34; 18m + 12a)."""
        if isinstance(other, mv):
            return mv.of(cross(self.w, other.w), cross(self.w, other.v) + cross(self.v, other.w), Product(self, other))
        if isinstance(other, fv):
            return fv.of(cross(self.w, other.n) + cross(self.v, other.f), cross(self.w, other.f))
        return self.refuse("×", other)

    def __matmul__(self, other):
        """v @ f is a scalar product, v @ I the force I v, because I is symmetric."""
        if isinstance(other, fv):
            return self.dot(other)
        return other @ self if hasattr(other, "net_force") else super().__matmul__(other)


class fv(Linear):
    """A force vector with moment n = n_O and linear force f (RBDA Eq. 2.9, Table A.3).

    origin: (inertia, "a" or "v", motion) if it is I a or v ×* I v, so that the sum of the two can be had for less.
    """

    __slots__ = ("n", "f", "origin")
    parts = ("n", "f")

    def __init__(self, n, f):
        self._fill(vector(n, 3, "n"), vector(f, 3, "f"))

    array = property(lambda self: np.concatenate([self.n, self.f]), doc="The Plücker coordinates [n_O, f], a 6-vector.")

    def dot(self, motion):
        """The scalar product with a motion: power."""
        return motion.dot(self) if isinstance(motion, mv) else self.refuse("·", motion)

    def cross(self, other):
        """Refused: a force is crossed by a motion, never the other way round."""
        self.refuse("×", other)

    def __add__(self, other):
        if isinstance(other, fv) and self.origin and other.origin:
            (I, kind, one), (J, other_kind, two) = self.origin, other.origin
            if I is J and {kind, other_kind} == {"a", "v"}:
                return I.net_force(*((one, two) if kind == "v" else (two, one)))        # (2.68)
        return super().__add__(other)

    def __matmul__(self, other):
        """f @ v is a scalar product."""
        return self.dot(other) if isinstance(other, mv) else super().__matmul__(other)


class Columns(Linear):
    """A 6 x n matrix whose n columns are vectors of one type."""

    __slots__ = ()
    parts = ("columns",)

    array = property(lambda self: np.column_stack([np.zeros((6, 0), int), *(column.array for column in self.columns)]),
                     doc="The 6 x n matrix.")

    shape = property(lambda self: (6, len(self.columns)), doc="(6, n), as for the matrix.")

    dtype = property(lambda self: np.result_type(int, *(column.dtype for column in self.columns)),
                     doc="The NumPy type of the entries.")

    T = property(lambda self: TransposedColumns(self), doc="Its transpose, for vectors of the other type.")

    @classmethod
    def of(cls, *columns):
        return cls(columns)

    def _parts(self):
        return self.columns

    def _by_parts(self, operation, other, otherwise):
        if type(other) is type(self) and self.shape != other.shape:
            self.refuse("and", other)
        return super()._by_parts(operation, other, otherwise)

    def combined(self, coefficients):
        """The vector that is the sum of the columns, each times its coefficient."""
        vectors = [self.vector.of(*(np.array([scaled(entry, x) for entry in part.tolist()])
                                    for part in column._parts()))
                   for x, column in zip(coefficients.tolist(), self.columns, strict=True)]
        return sum(vectors[1:], vectors[0]) if vectors else np.zeros(6)

    def __matmul__(self, other):
        """self @ array: a vector for a vector of coefficients, columns for a matrix of them; V @ Wᵀ is an array."""
        if isinstance(other, TransposedColumns):
            return super().__matmul__(other.array)
        if not isinstance(other, np.ndarray) or other.shape[:1] != (len(self.columns),):
            self.refuse("@", other)
        if other.ndim == 1:
            return self.combined(other)
        return type(self)(self.combined(column) for column in other.T)


class motions(Columns):
    """A matrix of motion vectors, such as a joint's motion subspace S (RBDA 3.5): S @ qd, Sᵀ @ f, I @ S."""

    __slots__ = ("columns",)
    vector = mv

    def __init__(self, columns):
        self._fill(tuple(columns))

    @classmethod
    def from_matrix(cls, S):
        """From a 6 x n array, whose exact zeros and ones will cost nothing."""
        return cls(mv.of(_exact(s[:3]), _exact(s[3:])) for s in S.T)

    @property
    def unit_rows(self):
        """The row in which each column has a 1, if all columns are unit vectors; otherwise ()."""
        rows = [entries.index(1) for entries in (column.array.tolist() for column in self.columns)
                if all(type(x) is int for x in entries) and sorted(entries) == [0, 0, 0, 0, 0, 1]]
        return tuple(rows) if len(rows) == len(self.columns) else ()


def _exact(part):
    return np.array([int(x) if type(x) is float and x in (0.0, 1.0, -1.0) else x for x in part.tolist()])


class forces(Columns):
    """A matrix of force vectors, such as U = I S (RBDA Eq. 7.43): Uᵀ @ a, U @ D⁻¹ @ u, U @ D⁻¹ @ Uᵀ.

    unit_rows: as for `motions`, those of the S from which it comes.
    """

    __slots__ = ("columns", "unit_rows")
    vector = fv
    #: (U D⁻¹, U) -> U D⁻¹ Uᵀ; rbdlib.arithmetic.inertias puts `abi.from_columns` here.
    inertia_of: Callable

    def __init__(self, columns, unit_rows=()):
        self._fill(tuple(columns), unit_rows)

    def __matmul__(self, other):
        if isinstance(other, TransposedColumns) and isinstance(other.matrix, forces):
            return self.inertia_of(self, other.matrix)
        return super().__matmul__(other)


class TransposedColumns(Quantity):
    """Sᵀ or Uᵀ: it takes each column's scalar product with a vector of the other type."""

    def __init__(self, matrix):
        self.matrix = matrix

    array = property(lambda self: self.matrix.array.T, doc="The n x 6 matrix.")
    dtype = property(lambda self: self.matrix.dtype)
    T = property(lambda self: self.matrix)

    def __matmul__(self, other):
        if hasattr(other, "net_force"):                                 # an inertia, which is symmetric
            return (other @ self.matrix).T
        right = {mv: (fv, forces), fv: (mv, motions)}[self.matrix.vector]
        if isinstance(other, right[0]):
            return _array([_product(column, other) for column in self.matrix.columns])
        if not issubclass(type(other), right[1]):
            return super().__matmul__(other)
        rows = [_product(s, u) for s in self.matrix.columns for u in other.columns]
        return _array(rows).reshape(self.matrix.shape[1], other.shape[1])


def _product(s, u):
    """The scalar product of a motion and a force, where exact zeros and ones cost nothing."""
    pairs = [pair for mine, theirs in zip(s._parts(), u._parts(), strict=True)
             for pair in zip(mine.tolist(), theirs.tolist(), strict=True)]
    return total([scaled(*pair) if type(pair[0]) is int else scaled(*pair[::-1]) for pair in pairs])


def _array(entries):
    """An array of numbers that leaves room for floats, as those of rbdlib do."""
    array = np.array(entries)
    return array if array.dtype == object else array.astype(np.result_type(float, array.dtype))


class CrossMotion(Quantity):
    """v×, which acts on motions (RBDA Eq. 2.31)."""

    acts_on: tuple = (mv, motions)

    def __init__(self, v):
        self.v = v

    matrix = property(lambda self: crm(self.v.array))

    def __matmul__(self, other):
        if is_nothing(other):
            return other
        one, many = self.acts_on
        if isinstance(other, many):
            return many(self.v.cross(column) for column in other.columns)
        return self.v.cross(other) if isinstance(other, one) else super().__matmul__(other)


class CrossForce(CrossMotion):
    """v×*, which acts on forces; v×* I waits for the motion that I acts on (RBDA Eq. 2.32)."""

    acts_on = (fv, forces)

    def __init__(self, v, inertia=None):
        self.v, self.inertia = v, inertia

    @property
    def matrix(self):
        return crf(self.v.array) if self.inertia is None else crf(self.v.array) @ self.inertia.matrix

    def __matmul__(self, other):
        if self.inertia is None:
            return CrossForce(self.v, other) if hasattr(other, "net_force") else super().__matmul__(other)
        force = CrossForce(self.v) @ (self.inertia @ other)
        return fv.of(force.n, force.f, (self.inertia, "v", self.v)) if other is self.v else force


crm.register(mv, CrossMotion)
crf.register(mv, CrossForce)
