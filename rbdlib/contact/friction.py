"""Coulomb's friction in rigid contact: the cone, pyramids in its place, contact wrenches and force closure.

A contact presses with p_n >= 0 and resists sliding with p_t along the surface, forces or impulses. Coulomb's law has
two parts: the cone, |p_t| <= mu p_n; and dissipation, p_t is against the sliding, and at its limit while there is any.
A pyramid inside the cone has k edges n + mu d_j, with k directions d_j along the surface, so that a linear program or
complementarity problem can handle it. (Stewart & Trinkle, An implicit time-stepping scheme for rigid body dynamics with
inelastic collisions and Coulomb friction, 1996; Murray, Li & Sastry, A Mathematical Introduction to Robotic
Manipulation, 1994, chapter 5.)
"""

import numpy as np

from rbdlib.book.ch11_contact import checked_contacts
from rbdlib.contact.collisions import contact_frame, for_each, friction_coefficient
from rbdlib.contact.sets import positive_dependence
from rbdlib.numbers.linear import pivot_columns
from rbdlib.numbers.scalars import matrix, vector

#: Sets of wrenches whose sum others balance but for this part of it balance it.
BALANCED = 1e-9


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
    the coefficient of friction, or one for each contact. W[[2, 3, 4]] is for the x-y plane.

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
