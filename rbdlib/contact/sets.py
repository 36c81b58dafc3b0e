"""Sets of contacts: which are redundant, and what area they span (RBDA 11.6).

Contact along a line or over an area is contact in infinitely many points. A point does nothing of its own if its normal
is a sum of non-negative multiples of the other normals; the rest is a minimal contact set.
"""

import numpy as np

from rbdlib.book.ch11_contact import Contact, checked_contacts
from rbdlib.contact.lcp import solve_lcp, zero_tolerance
from rbdlib.contact.shapes import unit
from rbdlib.numbers.linear import cross
from rbdlib.numbers.pivots import first_largest
from rbdlib.numbers.scalars import as_floats, matrix, number, vector, zeros
from rbdlib.numbers.validation import require_numbers

#: How large a remainder counts as none, for vectors of length 1 (lengths compared with the extent of the contacts).
TOLERANCE = 1e-9


def positive_dependence(v, V):
    """The numbers a >= 0 that bring V a nearest to v, and the remainder v - V a (RBDA 11.6, footnote 3).

    v (m) is positively dependent on the columns of V (m x n) if the remainder is zero. It is least where
    w = Vᵀ (V a - v) >= 0, a >= 0, wᵀ a = 0: a linear complementarity problem. Raises ValueError for symbols.
    """
    v = vector(v, np.size(v), "v")
    V = matrix(V, (len(v), np.shape(V)[-1]), "V")
    require_numbers(v=v, V=V)
    # own: the columns in use, to which the one comes that helps most. They are solved for, and those left at 0 go. No
    # more columns than v has numbers are needed, and so the LCPs are small.
    own, a, rest = [], zeros(V.shape[1], V, v), v
    lengths, negligible = [x @ x for x in V.T], zero_tolerance(None, v) ** 2
    while True:
        helps, size = V.T @ rest, rest @ rest
        helps[own] = 0
        ratios = [h * h / length if h > 0 else 0 * h for h, length in zip(helps, lengths, strict=True)]
        k = first_largest(np.array(ratios)) if ratios else None
        if k is None or ratios[k] <= negligible * size or size <= negligible * negligible * (v @ v):
            return a, rest
        own = [*own, k]
        few = solve_lcp(V[:, own].T @ V[:, own], -V[:, own].T @ v).lam
        nearer = v - V[:, own] @ few
        if nearer @ nearer >= size:
            return a, rest
        own, rest, a = [j for j, x in zip(own, few, strict=True) if x > 0], nearer, 0 * a
        a[own] = few[few > 0]


def minimal_contact_set(N, tolerance=TOLERANCE):
    """The numbers (from 0, ascending) of contacts that do all that the whole set does (RBDA 11.6).

    N: normals as columns (6 x n_c), or a list of `Contact` between the same two bodies. tolerance: how large a
    remainder of a normal counts as none, compared with 1, lengths being compared with the extent of the set. Of
    contacts that are alike the first is kept. Raises ValueError for contacts between different bodies.
    """
    N, tolerance = _centred(_normals(N)), number(tolerance, "tolerance")
    if not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance}; give a number that is not negative, such as {TOLERANCE}.")
    S = list(range(N.shape[1]))
    for i in reversed(S.copy()):
        others = [j for j in S if j != i]
        _, rest = positive_dependence(N[:, i], N[:, others])
        if rest @ rest <= tolerance * tolerance * (N[:, i] @ N[:, i]):
            S = others
    return S


def footprint(contacts, tolerance=TOLERANCE):
    """The corners (n x 3) of the area that contacts of one direction span: the feet of a thing that stands (RBDA 11.6).

    contacts: a list of `Contact` with points, between the same two bodies and with parallel normals. The corners are
    listed anticlockwise, seen from the successor. A resultant of pushing forces passes through the area, and can pass
    anywhere there. Raises ValueError if the normals differ in direction or a contact has no point.
    """
    contacts = checked_contacts(contacts)
    n_hat = _normals(contacts)[3:, 0]
    for i, contact in enumerate(contacts):
        if contact.point is None:
            raise ValueError(f"contacts[{i}] has no point; give Contact(..., point=C).")
        lean = cross(n_hat, contact.n[3:])
        if lean @ lean > 1e-12 or contact.n[3:] @ n_hat < 0:
            raise ValueError(f"contacts[{i}] has another direction than contacts[0]; a footprint is flat.")
    corners = np.array([contacts[i].point for i in minimal_contact_set(contacts, tolerance)])
    if len(corners) < 3:
        return corners
    around = as_floats(corners - sum(corners) / len(corners))
    x = as_floats(unit(around[0] - (around[0] @ n_hat) * n_hat, "the first corner"))
    angle = np.arctan2(around @ (cross(n_hat, x)), around @ x)
    return corners[np.argsort(angle)]


def _normals(N):
    """The normals as columns, from a matrix or from contacts."""
    if not np.iterable(N) or isinstance(N, str):
        raise TypeError(f"N is {N!r}; give normals as columns (6 x n_c), or a list of Contact.")
    N = N if hasattr(N, "tolist") else list(N)
    if isinstance(N, np.ndarray) or (len(N) and not isinstance(N[0], Contact)):
        N = matrix(N, (6, np.shape(N)[-1] if np.ndim(N) == 2 else 1), "N")
        require_numbers(N=N)
        for i, n in enumerate(N.T):
            if not (n[3:] != 0).any():
                raise ValueError(f"N[:, {i}] is {n.tolist()}, which has no direction. Make it with contact_normal.")
        return N
    if not len(N):
        raise ValueError("contacts is empty; give at least one.")
    for i, contact in enumerate(checked_contacts(N)):
        if (contact.predecessor, contact.successor) != (N[0].predecessor, N[0].successor):
            raise ValueError(f"contacts[{i}] is between other bodies than contacts[0]; give those of one pair.")
    return np.stack([contact.n for contact in N], axis=1)


def _centred(N):
    """The normals from a reference point amid the lines of contact, moments divided by the extent of the set."""
    if not N.shape[1]:
        return N
    feet = np.array([cross(n, n_O) / (n @ n) for n_O, n in zip(N[:3].T, N[3:].T, strict=True)])
    centre = sum(feet) / len(feet)
    moments = N[:3] - np.array([cross(centre, n) for n in N[3:].T]).T
    extent = abs(feet - centre).max()
    return np.vstack([moments / extent if extent > 0 else moments, N[3:]])
