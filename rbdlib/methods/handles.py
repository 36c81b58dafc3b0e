"""Alternative ways to assemble articulated bodies that have one handle each (RBDA 7.4).

The formulae hold in any coordinates common to both handles and to the joint between them.
`rbdlib.book.ch07_articulated_body` has the standard algorithm, which is what to use for most purposes;
`rbdlib.methods.divide_and_conquer` goes on to several handles.
"""

from collections import namedtuple
from contextlib import contextmanager

import numpy as np

from rbdlib.book import ch06_factorisation
from rbdlib.book.ch02_spatial import free_motion, inverse_transform
from rbdlib.book.ch03_subspaces import active_force_subspace
from rbdlib.book.ch04_model import per_joint, require_tree
from rbdlib.methods.first_pass import first_pass
from rbdlib.numbers.negligible import NoInertia, sizes_by_unit
from rbdlib.numbers.scalars import unfilled, zeros
from rbdlib.numbers.validation import spanning


class ArticulatedBody(namedtuple("ArticulatedBody", "I p")):
    """f = I a + p: inertia I (6 x 6) and bias force p (6) of a handle that has six freedoms (RBDA Eq. 7.2)."""

    def inverse(self):
        """Body as a = Phi f + b; ValueError if I is singular."""
        Phi = inverse(self.I, sizes_by_unit(np.eye(6), self.I))
        return InverseArticulatedBody(Phi, -Phi @ self.p)

    def in_parent(self, X_up):
        """Body in the coordinates from which X_up (6 x 6) leads to those it has."""
        return ArticulatedBody(X_up.T @ self.I @ X_up, X_up.T @ self.p)

    def glued_to(self, other):
        """The body that has both handles in one piece, in the coordinates of both (RBDA Figure 7.2)."""
        return ArticulatedBody(self.I + other.I, self.p + other.p)


class InverseArticulatedBody(namedtuple("InverseArticulatedBody", "Phi b")):
    """a = Phi f + b: inverse inertia Phi (6 x 6) and bias acceleration b (6) of a handle (RBDA Eq. 7.3).

    It exists for every handle; the rank of Phi is the handle's degree of freedom, 0 for the fixed base.
    """

    def inverse(self):
        """Body as f = I a + p; ValueError if Phi is singular: the handle has less than six freedoms."""
        I = inverse(self.Phi, sizes_by_unit(np.eye(6), self.Phi))
        return ArticulatedBody(I, -I @ self.b)

    def in_parent(self, X_up):
        """Body in the coordinates from which X_up (6 x 6) leads to those it has."""
        X = inverse_transform(X_up)
        return InverseArticulatedBody(X @ self.Phi @ X.T, X @ self.b)


class Connection(namedtuple("Connection", "S T T_a c tau")):
    """A joint between two handles, in coordinates common to both.

    S (6 x n): motion subspace.  T (6 x (6 - n)): constraint force subspace, Tᵀ S = 0.  T_a (6 x n): active force
    subspace, T_aᵀ S = 1.  c (6): a_2 - a_1 - S qdd.  tau (n): joint force.
    """

    def in_parent(self, X_up):
        """Joint in the coordinates from which X_up (6 x 6) leads to those it has."""
        X = inverse_transform(X_up)
        return Connection(X @ self.S, X_up.T @ self.T, X_up.T @ self.T_a, X @ self.c, self.tau)


class Affine(namedtuple("Affine", "coefficient constant")):
    """An unknown as a function of another, x: constant + coefficient x."""

    def __call__(self, x):
        return self.constant + self.coefficient @ x


class Assembly(namedtuple("Assembly", "A unknown")):
    """Two articulated bodies connected by a joint: the body they form, whose handle is that of A_1, and the unknown.

    A: an `ArticulatedBody` or an `InverseArticulatedBody`.  unknown: qdd or lambda, an `Affine` of a_1 or of f.
    """


# Alternative assembly formulae (RBDA Table 7.2). A_1 and A_2 are in common coordinates with the joint, which leads from
# A_1 to A_2. ValueError if what has to be inverted is singular, TypeError for arguments of another class.


def assemble(A_1, A_2, joint):
    """Standard formulae: f = I^A a_1 + p^A from I^A_i, p^A_i and S (RBDA Table 7.2, Eqs 7.15-7.20, 7.51-7.56).

    A_1, A_2: `ArticulatedBody`; joint: a `Connection`. Returns an `Assembly`, whose unknown is qdd as function of a_1.
    """
    require_class(ArticulatedBody, A_1=A_1, A_2=A_2)
    (I_1, p_1), (I_2, p_2), (S, _, _, c, tau) = A_1, A_2, require_class(Connection, joint=joint)
    D_inv = inverse(S.T @ I_2 @ S, sizes_by_unit(S, I_2))
    z = tau - S.T @ p_2 - S.T @ I_2 @ c
    qdd = Affine(-D_inv @ S.T @ I_2, D_inv @ z)                                         # (7.18)
    I = I_1 + I_2 - I_2 @ S @ D_inv @ S.T @ I_2                                         # (7.19)
    p = p_1 + p_2 + I_2 @ c + I_2 @ S @ D_inv @ z                                       # (7.20)
    return Assembly(ArticulatedBody(I, p), qdd)


def assemble_variant_1(A_1, A_2, joint):
    """Variant formulae 1: a_1 = Phi^A f + b^A from Phi^A_i, b^A_i and T (RBDA Table 7.2).

    A_1, A_2: `InverseArticulatedBody`; either may lack freedoms, as long as the joint repeats no constraint. joint: a
    `Connection`. Returns an `Assembly`, whose unknown is lambda as function of f; f_2 = T_a tau + T lambda.
    """
    require_class(InverseArticulatedBody, A_1=A_1, A_2=A_2)
    (Phi_1, b_1), (Phi_2, b_2), (_, T, T_a, c, tau) = A_1, A_2, require_class(Connection, joint=joint)
    Phi_sum = Phi_1 + Phi_2
    D_inv = inverse(T.T @ Phi_sum @ T, sizes_by_unit(T, Phi_sum))
    z = T.T @ (c + b_1 - b_2 - (Phi_1 + Phi_2) @ T_a @ tau)
    lam = Affine(D_inv @ T.T @ Phi_1, D_inv @ z)
    Phi = Phi_1 - Phi_1 @ T @ D_inv @ T.T @ Phi_1
    b = b_1 - Phi_1 @ T_a @ tau - Phi_1 @ T @ D_inv @ z
    return Assembly(InverseArticulatedBody(Phi, b), lam)


def assemble_variant_2(A_1, A_2, joint):
    """Variant formulae 2: f = I^A a_1 + p^A from I^A_i, p^A_i and T (RBDA Table 7.2).

    A_1, A_2: `ArticulatedBody`; joint: a `Connection`. Returns an `Assembly`, whose unknown is lambda as function of
    a_1; f_2 = T_a tau + T lambda.
    """
    require_class(ArticulatedBody, A_1=A_1, A_2=A_2)
    (I_1, p_1), (I_2, p_2), (_, T, T_a, c, tau) = A_1, A_2, require_class(Connection, joint=joint)
    I_2_inv = inverse(I_2, sizes_by_unit(np.eye(6), I_2))
    D_inv = inverse(T.T @ I_2_inv @ T, sizes_by_unit(T, I_2_inv))
    z = T.T @ (c - I_2_inv @ (T_a @ tau - p_2))
    lam = Affine(D_inv @ T.T, D_inv @ z)
    I = I_1 + T @ D_inv @ T.T
    p = p_1 + T_a @ tau + T @ D_inv @ z
    return Assembly(ArticulatedBody(I, p), lam)


def assemble_variant_3(A_1, A_2, joint):
    """The combination that the table leaves out: a_1 = Phi^A f + b^A from Phi^A_i, b^A_i and S (RBDA 7.4).

    A_1, A_2: `InverseArticulatedBody`, of which Phi_1 + Phi_2 must be regular; joint: a `Connection`. Returns an
    `Assembly`, whose unknown is qdd as function of f.
    """
    require_class(InverseArticulatedBody, A_1=A_1, A_2=A_2)
    (Phi_1, b_1), (Phi_2, b_2), (S, _, _, c, tau) = A_1, A_2, require_class(Connection, joint=joint)
    Phi_sum = Phi_1 + Phi_2
    Psi = inverse(Phi_sum, sizes_by_unit(np.eye(6), Phi_sum))
    D_inv = inverse(S.T @ Psi @ S, sizes_by_unit(S, Psi))
    z = tau - S.T @ Psi @ (c + b_1 - b_2)
    qdd = Affine(-D_inv @ S.T @ Psi @ Phi_1, D_inv @ z)
    Phi = Phi_1 - Phi_1 @ (Psi - Psi @ S @ D_inv @ S.T @ Psi) @ Phi_1
    b = b_1 - Phi_1 @ Psi @ (c + b_1 - b_2 + S @ D_inv @ z)
    return Assembly(InverseArticulatedBody(Phi, b), qdd)


class CompositeEquation(namedtuple("CompositeEquation", "M constant coefficient")):
    """Five equations for five unknowns in blocks: M unknowns = constant + coefficient x (RBDA 7.4).

    M: five rows of five matrices.  constant: five vectors.  coefficient: five matrices (of six columns).  The first
    unknown and x are those of the target equation; the last unknown is qdd or lambda.
    """


def composite_equation(A_1, A_2, joint, implicit=False):
    """The given equations 7.51-7.55 in the order of the five rules: the first matrices of RBDA Table 7.2.

    A_1, A_2: both `ArticulatedBody`, or both `InverseArticulatedBody` (change 1). implicit: describe the joint by T
    and T_a instead of S (change 2). Unknowns: (f, f_1, f_2, a_2) and x = a_1, or (a_1, a_2, f_1, f_2) and x = f. With
    change 1 alone another order would come nearer to a triangle (rule 5), but would need a regular Phi_2.
    """
    first: tuple[list, ...]
    last: tuple[list, ...]
    inertias, (S, T, T_a, c, tau) = isinstance(A_1, ArticulatedBody), require_class(Connection, joint=joint)
    require_class(ArticulatedBody if inertias else InverseArticulatedBody, A_1=A_1, A_2=A_2)
    if inertias:
        (I_1, p_1), (I_2, p_2) = A_1, A_2
        first = [[1, -1, -1, 0, 0],
                 [0, 1, 0, 0, 0],
                 [0, 0, 1, -I_2, 0]], [0, p_1, p_2], [0, I_1, 0]
        last = ([[0, 0, 1, 0, -T], [0, 0, 0, T.T, 0]], [T_a @ tau, T.T @ c], [0, T.T]) if implicit else \
               ([[0, 0, 0, 1, -S], [0, 0, S.T, 0, 0]], [c, tau], [1, 0])
    else:
        (Phi_1, b_1), (Phi_2, b_2) = A_1, A_2
        first = [[1, 0, -Phi_1, 0, 0],
                 [0, 1, 0, -Phi_2, 0],
                 [0, 0, 1, 1, 0]], [b_1, b_2, 0], [0, 0, 1]
        last = ([[0, 0, 0, 1, -T], [-T.T, T.T, 0, 0, 0]], [T_a @ tau, T.T @ c], [0, 0]) if implicit else \
               ([[-1, 1, 0, 0, -S], [0, 0, 0, S.T, 0]], [c, tau], [0, 0])
    M, constant, coefficient = (upper + lower for upper, lower in zip(first, last, strict=True))
    sizes = [6, 6, 6, 6, (T if implicit else S).shape[1]]
    return CompositeEquation(
        [[_block(M[i][j], sizes[i], sizes[j]) for j in range(5)] for i in range(5)],
        [_block(constant[i], sizes[i], 1).reshape(sizes[i]) for i in range(5)],
        [_block(coefficient[i], sizes[i], 6) for i in range(5)])


def _block(entry, rows, columns):
    """A matrix, or a number that stands for so many times the identity matrix."""
    return entry if np.ndim(entry) else entry * np.eye(rows, columns)


def eliminate(equation):
    """Block Gaussian elimination to upper triangular form (RBDA 7.4): the stages, a list of `CompositeEquation`.

    The first stage is the given equation; each later one has had a block column cleared below the diagonal.
    """
    stages = [equation]
    for k in range(5):
        M, constant, coefficient = [list(row) for row in stages[-1].M], *map(list, stages[-1][1:])
        below = [i for i in range(k + 1, 5) if np.any(M[i][k] != 0)]
        for i in below:
            factor = M[i][k] @ inverse(M[k][k])
            M[i] = [M[i][j] - factor @ M[k][j] for j in range(5)]
            constant[i] = constant[i] - factor @ constant[k]
            coefficient[i] = coefficient[i] - factor @ coefficient[k]
        if below:
            stages.append(CompositeEquation(M, constant, coefficient))
    return stages


def back_substitute(equation):
    """The five unknowns as functions of x, each an `Affine`, from an upper triangular `CompositeEquation`."""
    M, constant, coefficient = equation
    unknowns: list = [None] * 5
    for k in reversed(range(5)):
        later = range(k + 1, 5)
        pivot_inv = inverse(M[k][k])
        unknowns[k] = Affine(
            pivot_inv @ (coefficient[k] - sum(M[k][j] @ unknowns[j].coefficient for j in later)),
            pivot_inv @ (constant[k] - sum(M[k][j] @ unknowns[j].constant for j in later)))
    return unknowns


def derive(A_1, A_2, joint, implicit=False):
    """The assembly of A_1 and A_2 found by elimination instead of by a formula (RBDA 7.4): an `Assembly`.

    Arguments as for `composite_equation`; they decide which of the four formulae the result is that of.
    """
    target, *_, unknown = back_substitute(eliminate(composite_equation(A_1, A_2, joint, implicit))[-1])
    return Assembly(type(A_1)(*target), unknown)


def by_variant_1(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations by propagating inverse inertias with the formulae of variant 1 (RBDA 7.4, Table 7.2).

    Arguments as for `rbdlib.aba`. The base is one more body, which has no freedom: Phi_0 = 0, b_0 = -a_g. Raises
    ValueError for a body whose own inertia is singular, or nearly so beside others.
    """
    X_up, joint, rigid, a_0 = unconnected(model, q, qd, tau, f_ext, t)
    parent, at_v = model.parent, model.v_slice
    f, a, lam = ([None] * (model.N_B + 1) for _ in range(3))
    qdd = zeros(model.nv, a_0, *(x for link in joint[1:] for x in (link.c, link.tau)), *(body.p for body in rigid[1:]))
    A = [InverseArticulatedBody(zeros((6, 6), a_0), a_0), *(inverse_of_body(model, i, rigid[i]) for i in model.bodies)]

    for i in reversed(model.bodies):
        p, X = parent[i], X_up[i]
        with naming_joint(model, i):
            A[p], lam[i] = assemble_variant_1(A[p], A[i].in_parent(X), joint[i].in_parent(X))

    f[0], a[0] = zeros(6, qdd), a_0
    for i in model.bodies:
        _, T, T_a, c, tau_i = joint[i]
        f[i] = T_a @ tau_i + T @ lam[i](f[parent[i]])
        f[parent[i]] = f[parent[i]] - X_up[i].T @ f[i]
        a[i] = A[i].Phi @ f[i] + A[i].b                                                 # (7.3)
        qdd[at_v(i)] = T_a.T @ (a[i] - X_up[i] @ a[parent[i]] - c)
    return qdd


def by_variant_2(model, q, qd, tau, f_ext=None, t=0.0):
    """Joint accelerations by propagating inertias with the formulae of variant 2 (RBDA 7.4, Table 7.2).

    Each articulated body is assembled with a massless handle beyond its joint, and that is glued to the parent (Figure
    7.2). Arguments as for `rbdlib.aba`. Raises ValueError where a body and what it carries have a singular inertia.
    """
    X_up, joint, A, a_0 = unconnected(model, q, qd, tau, f_ext, t)
    parent, at_v = model.parent, model.v_slice
    a, lam, inverses = ([None] * (model.N_B + 1) for _ in range(3))
    qdd = zeros(model.nv, a_0, *(x for link in joint[1:] for x in (link.c, link.tau)), *(body.p for body in A[1:]))
    massless = A[0] = ArticulatedBody(zeros((6, 6), qdd), zeros(6, qdd))

    for i in reversed(model.bodies):
        inverses[i] = inverse_of_body(model, i, A[i])
        with naming_joint(model, i):
            felt, lam[i] = assemble_variant_2(massless, A[i], joint[i])
        A[parent[i]] = A[parent[i]].glued_to(felt.in_parent(X_up[i]))

    a[0] = a_0
    for i in model.bodies:
        _, T, T_a, c, tau_i = joint[i]
        a_1 = X_up[i] @ a[parent[i]]
        f = T_a @ tau_i + T @ lam[i](a_1)
        a[i] = inverses[i].Phi @ f + inverses[i].b                                      # (7.3)
        qdd[at_v(i)] = T_a.T @ (a[i] - a_1 - c)
    return qdd


def unconnected(model, q, qd, tau, f_ext=None, t=0.0):
    """The bodies and joints before they are assembled: lists X_up, joint and rigid, and the base's acceleration -a_g.

    Arguments as for `rbdlib.aba`. joint[i] is a `Connection`, rigid[i] an `ArticulatedBody`, in body coordinates.
    """
    require_tree(model)
    X_up, S, c, I, p = first_pass(model, q, qd, f_ext, t)
    q, tau = per_joint(model, q=q, tau=tau)
    joint, rigid = unfilled(model.N_B + 1, 2)
    for i in model.bodies:
        T, T_a = model.joints[i].constraint_subspace(q[i], t), active_force_subspace(S[i])
        joint[i], rigid[i] = Connection(S[i], T, T_a, c[i], tau[i]), ArticulatedBody(I[i], p[i])
    return X_up, joint, rigid, free_motion(-model.gravity)


def inverse_of_body(model, i, A):
    """The articulated body A, of which body i is the handle, as a = Phi f + b; ValueError naming i if it has no Phi."""
    try:
        return A.inverse()
    except ValueError:
        raise NoInertia(
            f"The inertia of body {i} ({model.names[i]}) is singular: some motion meets no inertia, as that of a point "
            "mass, a thin rod or a massless body. Use aba, which inverts no inertia, or give the body some.",
            i) from None


@contextmanager
def naming_joint(model, i):
    """In place of a ValueError about a matrix of joint i, one that names the joint and says what to do."""
    try:
        yield
    except ValueError:
        raise NoInertia(f"Joint {i} ({model.names[i]}, {model.joints[i]}) cannot be made: the matrix of its "
                        "constraints is singular to rounding, as beside a body that turns very much more easily about "
                        "one axis than about others. Use aba, which inverts no such matrix.", i) from None


def require_class(kind, **arguments):
    """The last of the arguments, all checked to be of the class kind; TypeError naming the one that is not."""
    for name, value in arguments.items():
        if not isinstance(value, kind):
            inverted = (ArticulatedBody, InverseArticulatedBody)
            remedy = "; call its inverse()" if kind in inverted and isinstance(value, inverted) else ""
            raise TypeError(f"{name} is of the class {type(value).__name__}; expected {kind.__name__}{remedy}.")
    return value


def inverse(A, sizes=None):
    """The inverse of a symmetric A > 0, for any scalars; ValueError if A is singular. sizes: as for `is_negligible`."""
    return ch06_factorisation.inverse(spanning(A, "A"), (
        "A matrix that must be inverted is singular: a handle lacks a freedom or an inertia, or the joint repeats a "
        "constraint."), sizes)
