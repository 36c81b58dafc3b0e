"""Arguments checked: rotations, transforms, inertias, subspaces, axes. Each function returns its argument.

Numbers are checked against the definition, with the tolerance `rbdlib.numbers.scalars.TOLERANCE`; of symbolic matrices
only the shape is, because a formula cannot be compared with a number.
"""

from itertools import pairwise

import numpy as np

from rbdlib.numbers.pivots import values_of, where_near
from rbdlib.numbers.scalars import TOLERANCE, any_array, as_floats, matrix, number, sqrt, vector

#: Relative error that the inertia about the centre of mass may bring along from the inertia about a far origin.
ROUNDING = 1e-12
#: Errors (the root of the sum of their squares) so small that no tolerance is needed to allow them.
CLOSE = TOLERANCE / 100
#: By how much the squared length of Euler parameters may miss 1.
OFF_UNIT = 0.1
#: The twelve sequences of three turns about coordinate axes, no two consecutive ones about the same axis.
EULER_SEQUENCES = tuple(a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c)

IDENTITY = np.eye(3)


def tolerance_of(array):
    """`TOLERANCE`, or more for mpmath numbers of few digits and wide intervals, where larger errors are natural."""
    if array.dtype != object:
        return TOLERANCE
    rounding = (1e4 * float(getattr(getattr(x, "context", None), "eps", 0)) for x in array.flat)
    return max([TOLERANCE, *rounding, *(10 * getattr(x, "width", 0) for x in array.flat)])


def rotation(E, name):
    """E as a 3 x 3 array, checked to be orthonormal with determinant +1; ValueError otherwise."""
    E = matrix(E, (3, 3), name)
    if E.dtype == float and _is_rotation(E):
        return E
    values = as_floats(E)
    if values is not None:
        error = np.abs(values @ values.T - np.eye(3)).max()
        if error > tolerance_of(E):
            raise ValueError(f"{name} is not a rotation: its rows must be perpendicular unit vectors, but E Eᵀ differs "
                             f"from the identity by {error:.2g}.")
        if np.linalg.det(values) < 0:
            raise ValueError(f"{name} is a reflection (determinant -1), not a rotation. Use right-handed axes.")
    return E


def transform(X, name):
    """X as a 6 x 6 array, checked to be a Plücker motion transform; ValueError otherwise."""
    X = matrix(X, (6, 6), name)
    if X.dtype == float:
        E, turned = X[:3, :3], X[3:, :3] @ X[:3, :3].T                  # E and -(E r)×
        if _is_zero(X[:3, 3:]) and _is_zero(X[3:, 3:] - E) and _is_zero(turned + turned.T) and _is_rotation(E):
            return X
    values = as_floats(X)
    if values is None:
        return X
    E, size, tolerance = values[:3, :3], max(1.0, np.abs(values).max()), tolerance_of(X)
    if np.abs(values[:3, 3:]).max() > tolerance * size:
        raise ValueError(f"{name} is not a Plücker motion transform: its upper right block is not zero. If it is a "
                         "force transform X*, give the motion transform X between the same frames.")
    rotation(X[:3, :3], f"The upper left block of {name}")
    if np.abs(values[3:, 3:] - E).max() > tolerance:
        raise ValueError(f"{name} is not a Plücker transform: its two diagonal blocks differ.")
    position = -E.T @ values[3:, :3]
    if np.abs(position + position.T).max() > tolerance * size:
        raise ValueError(f"{name} is not a Plücker transform: its lower left block is not -E r× for any position r.")
    return X


def unit_force(n, name):
    """n (6, or planar 3), checked to be a unit force along a line, its linear part last; ValueError otherwise."""
    values = values_of(n)
    if values is None:
        return n
    moment, force = values[: len(n) // 2], values[len(n) // 2 :]
    pitch = moment @ force if len(n) == 6 else 0
    if abs(np.sqrt(force @ force) - 1) > TOLERANCE or abs(pitch) > TOLERANCE * max(1, np.abs(moment).max()):
        raise ValueError(f"{name} is {values.tolist()}, which is not a unit force along a line [C × n_hat; n_hat]. "
                         "Make it with contact_normal(C, n_hat) or contact_frame(C, n_hat).")
    return n


def unit_direction(n_hat, name):
    """n_hat (3), numbers scaled to length 1, checked not to be zero; ValueError otherwise."""
    n_hat = vector(n_hat, 3, name)
    largest = np.abs(values).max() if (values := values_of(n_hat)) is not None else 1.0
    if largest == 0:
        raise ValueError(f"{name} is zero, which is no direction. Give the direction out of the predecessor's surface.")
    if not 1e-100 < largest < 1e100:                        # whose square no float holds
        n_hat = n_hat / largest
    square = n_hat @ n_hat
    return n_hat if square == 1 or values is None else n_hat / sqrt(square)


def tolerances(tolerance):
    """The tolerances of phi (m) and of its rate (m/s), from one number for both or a pair; ValueError otherwise."""
    pair = [tolerance, tolerance] if np.ndim(tolerance) == 0 else tolerance
    pair = tuple(vector(pair, 2, "tolerance"))
    if min(pair) < 0:
        raise ValueError(f"tolerance is {tolerance!r}; give numbers that are not negative, such as 1e-06.")
    return pair


def _is_rotation(E):
    """True if floats E are so close to a rotation that nobody need look closer."""
    (a, b, c), (d, e, f), (g, h, i) = E.tolist()
    right_handed = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0
    return right_handed and _is_zero(E @ E.T - IDENTITY)


def _is_zero(errors):
    return np.vdot(errors, errors) < CLOSE**2


def mass(m, name):
    """The scalar m, checked not to be negative; ValueError otherwise."""
    return not_negative(m, name, "a mass cannot be negative")


def rotational_inertia(I_C, name, rounding=0.0):
    """I_C as a 3 x 3 array, checked to be the rotational inertia of some body; ValueError otherwise.

    A number is the moment about every axis, as of a ball, or 0 of a particle. rounding: how far (kg m²) its entries may
    be off because they are differences of larger numbers.
    """
    I_C = matrix(I_C if np.ndim(I_C) else number(I_C, name) * np.eye(3, dtype=int), (3, 3), name)
    values = as_floats(I_C)
    if values is None:
        return I_C
    error = TOLERANCE * np.abs(values).max() + rounding
    if np.abs(values - values.T).max() > error:
        raise ValueError(f"{name} is not symmetric. Check the signs and places of the products of inertia.")
    moments = np.linalg.eigvalsh(values)
    if moments[0] < -error:
        raise ValueError(f"{name} has the negative principal moment {moments[0]:.4g}; no body has. Give moments about "
                         "the centre of mass, and check the signs of the products of inertia.")
    if moments[2] > moments[0] + moments[1] + error:
        shown = [0.0 if abs(x) <= error else float(f"{x:.6g}") for x in moments]
        raise ValueError(f"{name} violates the triangle inequality: its principal moments are {shown}, but no body has "
                         "one greater than the sum of the other two. Give moments about the centre of mass; where only "
                         "I_zz matters, I_zz alone does not make a body, but diag(I_zz/2, I_zz/2, I_zz) does. A model "
                         "takes it as it is by rbdlib.methods.equivalence.with_inertias.")
    return I_C


def rigid_body_inertia(I, name):
    """I as a 6 x 6 array, checked to be the spatial inertia of a rigid body; ValueError otherwise."""
    I = matrix(I, (6, 6), name)
    values = as_floats(I)
    if values is None:
        return I
    size, m = np.abs(values).max(), values[5, 5]
    problem = None
    if np.abs(values - values.T).max() > TOLERANCE * size:
        problem = "it is not symmetric"
    elif np.abs(values[3:, 3:] - m * np.eye(3)).max() > TOLERANCE * size:
        problem = "its lower right block must be the mass times the identity"
    elif np.abs(values[:3, 3:] + values[:3, 3:].T).max() > TOLERANCE * size:
        problem = "its upper right block must be m c×, a skew matrix"
    elif m == 0 and np.any(values[:3, 3:]):
        problem = "its mass is 0, and so its upper right block m c× must be 0"
    if problem:
        raise ValueError(f"{name} is not the inertia of a rigid body: {problem}. Make one with mcI(m, c, I_C).")
    mass(m, f"The mass in {name}")
    C = values[:3, 3:] / (m or 1)
    rotational_inertia(values[:3, :3] - m * C @ C.T, f"The rotational inertia in {name}", ROUNDING * size)
    return I


def require_tolerance(tolerance, example):
    """tolerance as a float above 0 and below 1; TypeError or ValueError otherwise. example: what would do."""
    value = as_floats([number(tolerance, "tolerance")])
    if value is None or isinstance(tolerance, bool | np.bool_) or not 0 < value[0] < 1:
        raise ValueError(f"tolerance is {tolerance!r}; give a number above 0 and below 1, such as {example}.")
    return float(value[0])


def one_of(names, name, argument):
    """Refuse, with a ValueError that lists them, what is none of the names; argument: what it was given for."""
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{argument} is {name!r}; choose {', '.join(map(repr, names))}.")
    return name


def places_in(places, n, name, of="the columns of K", more=""):
    """places as a list of different whole numbers 0..n-1; ValueError naming the argument otherwise."""
    given = [] if places is None else list(places) if np.iterable(places) else [places]
    for k, x in enumerate(given):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or not 0 <= x < n or x in given[:k]:
            raise ValueError(f"{name} is {places!r}; give places in {of}, whole numbers 0 to {n - 1}, each once.{more}")
    return [int(x) for x in given]


def spanning(S, name, rows=None):
    """S as a matrix whose columns span a subspace (of a space of the given dimension); refused if it is not one."""
    S = any_array(S, name)
    if S.ndim != 2:
        raise ValueError(f"{name} has shape {S.shape}; expected a matrix whose columns span a subspace. For a single "
                         f"vector write {name}.reshape(-1, 1).")
    if rows is not None and len(S) != rows:
        raise ValueError(f"{name} has {len(S)} rows; its vectors must have {rows} coordinates, as the others have.")
    return S


def side_by_side(subspaces):
    """One matrix of all the subspaces' columns; ValueError if there are none or if their vectors differ in length."""
    if not subspaces:
        raise ValueError("subspaces is empty; give one matrix or more.")
    first = spanning(subspaces[0], "the first subspace")
    return np.hstack([spanning(S, f"subspace {k}", len(first)) for k, S in enumerate(subspaces, start=1)])


def planar_transform(X, name):
    """X as a 3 x 3 array, checked to be a planar motion transform; ValueError otherwise."""
    X = matrix(X, (3, 3), name)
    values = as_floats(X)
    if values is not None:
        E = values[1:, 1:]
        right = np.abs(values[0] - [1, 0, 0]).max() <= TOLERANCE and np.abs(E @ E.T - np.eye(2)).max() <= TOLERANCE
        if not right or np.linalg.det(E) < 0:
            raise ValueError(f"{name} is not a planar motion transform; make one with Xpln(r, theta).")
    return X


def not_negative(value, name, why="no body has a negative mass or rotational inertia"):
    """The scalar, checked not to be a negative mass or rotational inertia; ValueError, which says why, otherwise."""
    value = number(value, name)
    if as_floats(value) is not None and value < 0:
        raise ValueError(f"{name} is {value}; {why}.")
    return value


def unit_axis(axis):
    """The axis of a joint as "x", "y", "z" or a tuple of three numbers making a unit vector; ValueError otherwise.

    A vector of numbers may have any length; one of symbols must be a unit vector.
    """
    if isinstance(axis, str):
        if axis in ("x", "y", "z"):
            return axis
        raise ValueError(f"axis is {axis!r}; choose 'x', 'y', 'z' or give a 3-vector.")
    a = vector(axis, 3, "axis")
    values = as_floats(a)
    if values is not None:
        length = sqrt(a @ a)
        if length == 0:
            raise ValueError("axis is the zero vector; it must have a direction.")
        a = a if abs(length - 1) < 1e-15 else a / length     # normalizing twice could change the last digit
        for name, unit in zip("xyz", np.eye(3), strict=True):
            if np.array_equal(a, unit):
                return name
    return tuple(a.tolist())


def translation_axes(translation):
    """The axes of a joint's translation, "F_p" or "F_s" (RBDA Table 4.1); ValueError for anything else."""
    if translation not in ("F_p", "F_s"):
        raise ValueError(f"translation is {translation!r}; choose 'F_p' (the default) or 'F_s' (RBDA Table 4.1).")
    return translation


def turning_sequence(sequence):
    """The sequence checked: two or three of the letters x, y, z, no two consecutive ones alike."""
    axes = str(sequence)
    if len(axes) not in (2, 3) or not set(axes) <= set("xyz") or any(a == b for a, b in pairwise(axes)):
        raise ValueError(f"sequence is {sequence!r}; give the axes in the order of turning, no two consecutive ones "
                         f"alike, such as 'zyx' (one of {', '.join(EULER_SEQUENCES)}).")
    return axes


def unit_euler_parameters(p, name):
    """p scaled to unit length (RBDA Eq. 4.11); ValueError if its squared length misses 1 by more than 0.1.

    An integrator leaves the unit sphere by a little in its intermediate steps, and that does no harm. SymPy symbols are
    taken to be of unit length; numbers recorded for later (RBDA 10.4) become NaN where the ValueError would be.
    """
    p = vector(p, 4, name)
    values = as_floats(p)
    if values is not None and abs(values @ values - 1) > OFF_UNIT:
        raise ValueError(f"{name} = {np.round(values, 4).tolist()} is not a unit vector, as Euler parameters, scalar "
                         "first, are. Divide it by its length (model.normalise does); for no turn give (1, 0, 0, 0).")
    return p if any(hasattr(x, "free_symbols") for x in p) else p / sqrt(where_near(p @ p, 1, OFF_UNIT))


def time_constant(T_stab):
    """The argument T_stab, checked: a number above 0, or a symbol."""
    if isinstance(T_stab, bool | np.bool_):
        raise TypeError(f"T_stab is {T_stab}; give a time constant in s, such as 0.1, or None.")
    T_stab = number(T_stab, "T_stab")
    value = values_of([T_stab])
    if value is not None and value[0] <= 0:
        raise ValueError(f"T_stab is {T_stab}; give a time constant in s above 0, such as 0.1, or None.")
    return T_stab


# Numbers whose signs decide, as in contact: symbols and complex numbers have none and are refused


def real(x, name):
    """A scalar that is a number, whatever its kind; ValueError if it is a symbol."""
    x = number(x, name)
    if values_of([x]) is None:
        raise ValueError(f"{name} is {x}, whose sign is not known. Give numbers in place of symbols.")
    return x


def require_numbers(**arguments):
    """Refuse symbols and complex numbers in arguments given by their names; those that are None are left out."""
    refuse_complex(**arguments)
    for name, x in arguments.items():
        if any(getattr(entry, "free_symbols", None) for entry in np.ravel(np.array(x, dtype=object))):
            raise ValueError(f"{name} contains symbols; give numbers, because signs decide.")


def refuse_complex(**arguments):
    """Refuse complex numbers in arguments given by their names."""
    for name, x in arguments.items():
        if np.iscomplexobj(x):
            raise TypeError(f"{name} contains complex numbers, which have no sign. Give real ones.")
