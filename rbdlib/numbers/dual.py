"""Forward-mode differentiation: numbers that carry their partial derivatives along.

An algorithm that runs on `Dual` numbers differentiates itself, exactly: no step size, no cancellation. Where it chooses
by a value, as `rbdlib.book.ch02_spatial.motion_exp` does for no rotation at all, the derivative is that of its branch.
"""

import numpy as np

from rbdlib.numbers import scalars
from rbdlib.numbers.scalars import eye, matrix, vector, zeros


class Dual:
    """A scalar and its derivatives along m directions: value + eps_1 partials[0] + ... where any two eps multiply to 0.

    value: a number or symbol of any kind; partials: an array (m). Both operands of an operation must have the same
    directions, unless one is an ordinary number, which is a constant.
    """

    __slots__ = ("value", "partials")

    def __init__(self, value, partials):
        self.value, self.partials = value, partials

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented               # NumPy then asks again for each entry
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.partials + other.partials)
        return Dual(self.value + other, self.partials)

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.partials * other.value + other.partials * self.value)
        return 0 if other == 0 else Dual(self.value * other, self.partials * other)

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Dual):
            ratio = self.value / other.value
            return Dual(ratio, (self.partials - other.partials * ratio) / other.value)
        return Dual(self.value / other, self.partials / other)

    def __rtruediv__(self, other):
        ratio = other / self.value
        return Dual(ratio, -self.partials * ratio / self.value)

    def __pow__(self, exponent):
        """A power with a constant exponent; with the exponent 0 it is 1 everywhere, as for ordinary numbers."""
        if isinstance(exponent, Dual | np.ndarray):
            return NotImplemented
        if exponent == 0:
            return Dual(self.value**0, 0 * self.partials)
        return Dual(self.value**exponent, self.partials * (exponent * self.value ** (exponent - 1)))

    def __pos__(self):
        return self

    def __neg__(self):
        return Dual(-self.value, -self.partials)

    def __sub__(self, other):
        return NotImplemented if isinstance(other, np.ndarray) else self + -other

    def __rsub__(self, other):
        return -self + other

    def sin(self):
        return Dual(scalars.sin(self.value), self.partials * scalars.cos(self.value))

    def cos(self):
        return Dual(scalars.cos(self.value), self.partials * -scalars.sin(self.value))

    def sqrt(self):
        root = scalars.sqrt(self.value)
        if root == 0:
            raise ZeroDivisionError("The square root has no derivative at 0.")
        return Dual(root, self.partials / (2 * root))

    def __eq__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.value == (other.value if isinstance(other, Dual) else other)

    def __repr__(self):
        return f"Dual({self.value!r}, {self.partials!r})"

    __radd__, __rmul__, __hash__ = __add__, __mul__, None  # type: ignore[assignment]


def seed(x, directions=None):
    """The numbers x (n) as an array of `Dual`, to be differentiated along the columns of directions (n x m).

    Without directions: along each x_i by itself. Raises ValueError or TypeError for arguments of the wrong shape.
    """
    x = vector(x, np.size(x), "x")
    if any(isinstance(value, Dual) for value in x.tolist()):
        raise TypeError("x contains duals already; their directions would be taken for the new ones. Give numbers.")
    if directions is None:
        directions = eye(len(x), x)
    directions = matrix(directions, (len(x), np.shape(directions)[-1]), "directions")
    return np.array([*map(Dual, x.tolist(), directions), None], dtype=object)[:-1]


def values(array):
    """The array with every `Dual` replaced by its value."""
    array = np.asarray(array)
    plain = np.array([x.value if isinstance(x, Dual) else x for x in array.ravel().tolist()])
    return plain.reshape(array.shape)


def partials(array, m):
    """The derivatives of the entries of an array along the m directions: an array (..., m), zero for constants."""
    array = np.asarray(array)
    entries = [(place, x.partials) for place, x in np.ndenumerate(array) if isinstance(x, Dual)]
    slopes = zeros((*array.shape, m), *(slope for _, slope in entries))
    for place, slope in entries:
        slopes[place] = slope
    return slopes


def jacobian(function, x, directions=None):
    """The derivatives of function(x), a scalar or array of any shape, along the columns of directions (n x m).

    x: numbers or symbols (n), with which the function must compute by ``+ - * / @`` and `rbdlib.numbers.scalars` alone.
    Without directions: by each x_i. Returns an array (..., m).
    """
    m = np.size(x) if directions is None else np.shape(directions)[-1]
    return partials(function(seed(x, directions)), m)
