"""What sets of contacts can do: which are redundant, what area they span (RBDA 11.6), and what they hold by friction.

Contact along a line or over an area is contact in infinitely many points. A point does nothing of its own if its normal
is a sum of non-negative multiples of the other normals; the rest is a minimal contact set.

A contact presses with p_n >= 0 and resists sliding with p_t along the surface, forces or impulses. Coulomb's law has
two parts: the cone, |p_t| <= mu p_n; and dissipation, p_t is against the sliding, and at its limit while there is any.
A pyramid inside the cone has k edges n + mu d_j, with k directions d_j along the surface, so that a linear program or
complementarity problem can handle it. (Stewart & Trinkle, An implicit time-stepping scheme for rigid body dynamics with
inelastic collisions and Coulomb friction, 1996; Murray, Li & Sastry, A Mathematical Introduction to Robotic
Manipulation, 1994, chapter 5.)
"""

import numpy as np

from rbdlib.book.ch11_contact import Contact, checked_contacts
from rbdlib.contact.collisions import contact_frame, for_each, friction_coefficient
from rbdlib.contact.lcp import solve_lcp, zero_tolerance
from rbdlib.contact.shapes import unit
from rbdlib.numbers.linear import cross, pivot_columns
from rbdlib.numbers.pivots import first_largest
from rbdlib.numbers.scalars import as_floats, matrix, number, vector, zeros
from rbdlib.numbers.validation import require_numbers

#: How large a remainder counts as none, for vectors of length 1 (lengths compared with the extent of the contacts).
TOLERANCE = 1e-9
#: Sets of wrenches whose sum others balance but for this part of it balance it.
BALANCED = 1e-9


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


# Coulomb's friction: the cone, pyramids in its place, contact wrenches and force closure


def in_friction_cone(f, n_hat, mu, tolerance=1e-9):
    """True if the force f (3, N) of a contact with the normal n_hat (3) is in Coulomb's cone: |f_t| <= mu f_n.

    n_hat: a unit vector, towards the body on which f acts; tolerance: as a part of |f|. Raises ValueError for mu < 0.

    >>> in_friction_cone([3, 0, 10], [0, 0, 1], mu=0.3), in_friction_cone([3, 1, 10], [0, 0, 1], mu=0.3)
    (True, False)
    """
    f, n_hat = vector(f, 3, "f"), vector(n_hat, 3, "n_hat")
    f_n = f @ n_hat
    f_t = f - f_n * n_hat
    room = friction_coefficient(mu) * f_n + tolerance * np.sqrt(f @ f)
    return bool(room >= 0 and f_t @ f_t <= room * room)


def friction_directions(contact, sides=4):
    """D (6 x sides): unit forces through the contact's point along directions d_j, evenly spread over the surface.

    The first is the n_x of `rbdlib.contact.contact_frame`, the others follow anticlockwise about the normal. Base
    coordinates; sides is even, so that each d_j has its opposite. Raises ValueError for other numbers of sides, and for
    a `Contact` that does not know its point.
    """
    if not isinstance(sides, int | np.integer) or sides < 4 or sides % 2:
        raise ValueError(f"sides is {sides!r}; give an even number of directions, 4 or more.")
    if contact.point is None:
        raise ValueError("A contact does not know its point, through which friction acts. Give it one: "
                         "Contact(..., point=C).")
    n_x, n_y, _ = contact_frame(contact.point, contact.n[3:]).T
    quarter = sides % 4 == 0                                            # then d_y is one of them, without rounding
    angles = 2 * np.pi * np.arange(sides // (4 if quarter else 2)) / sides
    part = np.outer(n_x, np.cos(angles)) + np.outer(n_y, np.sin(angles))
    if quarter:
        part = np.hstack([part, np.outer(n_y, np.cos(angles)) - np.outer(n_x, np.sin(angles))])
    return np.hstack([part, -part])


def contact_wrenches(contacts, mu, sides=4):
    """W (6 x n_c sides): the edges n_i + mu_i d_j of the friction pyramids, as wrenches on the successors.

    Every wrench that the contacts can exert is W a with a >= 0, in base coordinates: moments about its origin (N m),
    then forces. contacts: `Contact`s with points, which have the body in question as successor, n pointing into it. mu:
    the coefficient of friction, or one for each contact. A row is one generalised force: W[[2, 3, 4]] is for the x-y
    plane.

    >>> from rbdlib.contact import Contact, contact_normal
    >>> foot = Contact(0, 1, contact_normal([2, 0, 0], [0, 0, 1]), point=[2, 0, 0])
    >>> contact_wrenches([foot], mu=0.5)[[4, 3, 5]] + 0.0       # moment about y left out: that of f_z at x = 2
    array([[ 0. ,  0.5,  0. , -0.5],
           [ 0.5,  0. , -0.5,  0. ],
           [ 1. ,  1. ,  1. ,  1. ]])
    """
    contacts = checked_contacts(contacts)
    mu = for_each(mu, len(contacts), "mu", friction_coefficient)
    pyramids = [contact.n[:, None] + mu_i * friction_directions(contact, sides)
                for contact, mu_i in zip(contacts, mu, strict=True)]
    return np.hstack([np.zeros((6, 0)), *pyramids])


def forces_that_hold(W, load):
    """The numbers a >= 0 with W a = -load, or None if there are none: can the contacts hold the body?

    W (m x n): wrenches, as from `contact_wrenches`; load (m): the wrench of all else on the body. Friction cones answer
    what contacts are able to do. What they will do is another question: see `rbdlib.contact.time_stepping`.
    """
    load = vector(load, len(W), "load")
    a, rest = positive_dependence(-load, W)
    return a if rest @ rest <= BALANCED**2 * (load @ load) else None


def force_closure(W):
    """True if the wrenches W a, a >= 0, are all wrenches: then the contacts hold the body against every load.

    W (m x n) as from `contact_wrenches`, m = 6, or 3 in a plane. It is so exactly if W has m independent columns and
    some of its columns, all of them with a factor above 0, are in balance. (Then -W 1 = W a, with factors a + 1 >= 1.)
    """
    W = matrix(W, (np.shape(W)[0], np.shape(W)[-1]), "W")
    if len(pivot_columns(W)) < len(W):
        return False
    _, rest = positive_dependence(-W.sum(axis=1), W)
    return bool(rest @ rest <= BALANCED**2 * (W * W).sum())
