"""States in which the joint-space inertia matrix is singular, or nearly so, which a straight-line program cannot see.

A readable algorithm compares what it divides by with what that was computed from, and refuses where nothing but
rounding is left of it; a compiled program divides. Where every body itself resists the motion of its joint, H is
positive definite in all states (RBDA 6.4, 7.1). For other models, such as those with massless bodies, or with symbols
in place of masses, the program works out the pivots of H too, and its results are NaN where one of them is doubtful.
"""

import numpy as np

from rbdlib.book.ch04_kinematics import joints_at
from rbdlib.book.ch06_factorisation import inverse, ltdl
from rbdlib.compile.parameters import free_symbols
from rbdlib.compile.program import Recorded
from rbdlib.loops.tolerances import kept_for_model
from rbdlib.methods.joint_space import composite_inertias
from rbdlib.numbers.scalars import zeros

#: A pivot is doubtful if it is no more than this fraction of what it might be. Readable algorithms allow less.
DOUBTFUL = 1e-12


def doubts(model, q, t, choices):
    """Recorded numbers of which one is negative or NaN where H is doubtful; none if it is so at the sample state.

    choices: the `rbdlib.compile.samples.Choices` of the recording. What can do without H needs no pivots of it.
    """
    try:
        left = excess(model, q, t)
        singular = not (choices.values(left) > 0).all()
    except (ValueError, ArithmeticError):
        singular = True
    return [] if singular else [x for x in left if isinstance(x, Recorded)]


@kept_for_model
def can_be_singular(model):
    """True if H may be singular in some state: where a body alone does not resist its joint, or symbols do.

    A body resists if what its own inertia gives of the pivot is not doubtful. Where the motion subspace S changes with
    the position, it may lose its rank elsewhere.
    """
    if free_symbols(model):
        return True
    rng = np.random.default_rng(0)
    (_, S_elsewhere), (q, S) = [(q, joints_at(model, q)[1]) for q, _ in (model.random_state(rng) for _ in range(2))]
    I_c = composite_inertias(model, q)
    for i in model.bodies:
        try:
            resists = (ltdl(S[i].T @ model.inertia[i] @ S[i])[1] > DOUBTFUL * _sizes(S[i], I_c[i])).all()
        except ValueError:
            resists = False
        if not resists or np.abs(S_elsewhere[i] - S[i]).max(initial=0) > 1e-9:
            return True
    return False


def excess(model, q, t=0.0):
    """By how much the pivots of H exceed what is doubtful: nv numbers, positive where H is positive definite."""
    X_up, S = joints_at(model, q, t)
    I_c = composite_inertias(model, q, t)
    I_A = [None, *(I.copy() for I in model.inertia[1:])]
    left = zeros(model.nv, *I_c[1:], *S[1:])
    for i in reversed(model.bodies):
        U = I_A[i] @ S[i]
        D = S[i].T @ U
        left[model.v_slice(i)] = ltdl(D)[1] - DOUBTFUL * _sizes(S[i], I_c[i])
        if model.parent[i] != 0:
            rest = I_A[i] - U @ inverse(D, "H is singular.") @ U.T if model.joints[i].nv else I_A[i]
            I_A[model.parent[i]] = I_A[model.parent[i]] + X_up[i].T @ rest @ X_up[i]
    return left


def _sizes(S, I_c):
    """How large the diagonal of Sᵀ I_c S might be if the axes were others."""
    diagonal = I_c.diagonal()
    return (S[:3] ** 2).sum(axis=0) * diagonal[:3].sum() + (S[3:] ** 2).sum(axis=0) * diagonal[3:].sum()
