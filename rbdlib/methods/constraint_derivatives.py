"""Constraints given as formulas, differentiated into equations for the accelerations (RBDA Eqs 3.4-3.11, 3.30)."""

import numpy as np

from rbdlib.numbers.scalars import vector, zeros


def implicit_constraint(phi, q, qd, t=None):
    """K and k of the constraint phi(q, t) = 0, by differentiating it: K qdd = k (RBDA Eqs 3.11, 3.30).

    phi: SymPy expressions (n_c); q, qd: their n variables and the rates of these, SymPy symbols; t: the symbol of time
    if phi depends on it. Returns K (n_c x n) and k (n_c), arrays of expressions.
    """
    q, qd = vector(q, np.size(q), "q"), vector(qd, np.size(q), "qd")
    rate = _rate(np.atleast_1d(phi), q, qd, t)
    K = _derivatives(np.atleast_1d(phi), q)
    return K, -_rate(rate, q, qd, t)


def explicit_constraint(gamma, y, yd, t=None):
    """G and g of q = gamma(y, t), by differentiating it: qdd = G ydd + g (RBDA Eq. 3.11).

    gamma: SymPy expressions (n); y, yd: the m independent variables and their rates, SymPy symbols; t: the symbol of
    time if gamma depends on it. Returns G (n x m) and g (n), arrays of expressions.
    """
    y, yd = vector(y, np.size(y), "y"), vector(yd, np.size(y), "yd")
    rate = _rate(np.atleast_1d(gamma), y, yd, t)
    return _derivatives(np.atleast_1d(gamma), y), _rate(rate, y, yd, t)


def _derivatives(expressions, q):
    import sympy

    return np.array(sympy.Matrix(expressions).jacobian(sympy.Matrix(q)))


def _rate(expressions, q, qd, t):
    """The rate of change of expressions in q, qd and t that is not due to the rates of change of qd."""
    import sympy

    explicitly = zeros(len(expressions), q) if t is None else np.array(sympy.Matrix(expressions).diff(t)).ravel()
    return _derivatives(expressions, q) @ qd + explicitly
