"""Joints made of the reader's own functions or formulas (RBDA 4.4, Example 4.6)."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rbdlib.book.ch02_spatial import crm
from rbdlib.book.ch04_jcalc import Joint
from rbdlib.numbers import scalars
from rbdlib.numbers.scalars import matrix, vector, zeros
from rbdlib.numbers.validation import transform


@dataclass(frozen=True)
class Custom(Joint):
    """A joint of your own (RBDA 4.4, Example 4.6): functions of q and t written with rbdlib's sin, cos, xlt, rotz, ...

    nv: number of variables; qd is the rate of change of q.  X_J(q, t): transform from F_p to F_s (6 x 6). S(q, t):
    motion subspace (6 x nv).  c_J(q, qd, t): velocity-product acceleration (6).  sigma(q, t): velocity when qd = 0, for
    a joint that depends on time (6). Those left out are found by letting X_J and S run on SymPy symbols and
    differentiating. name: for printing. Raises ValueError if X_J is no transform, or if S or c_J is not what follows
    from it; TypeError if something is to be derived and a function cannot run on symbols.
    """

    nv: int = field()
    X_J: Any
    S: Any = None
    c_J: Any = None
    sigma: Any = None
    name: str = "custom"

    def __post_init__(self):
        n = self.nv
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 6:
            raise ValueError(f"nv is {n!r}; a joint has 0 to 6 variables.")
        if self.S is None or self.sigma is None:
            S, sigma = _velocities(n, self.X_J)
            object.__setattr__(self, "S", self.S or S)
            object.__setattr__(self, "sigma", self.sigma or sigma)
        if self.c_J is None:
            object.__setattr__(self, "c_J", _acceleration(n, self.S, self.sigma))
        h, t = 1e-6, 0.3                # S and c_J agree with differences of X_J and of v_J at one place
        q, qd = np.random.default_rng(0).uniform(0.2, 1, (2, n))
        X = transform(self.transform(q, t), "X_J(q, t)")
        v_J = [self.motion_subspace(x, s) @ qd + self.bias_velocity(x, s) for x, s in
               ((q, t), (q + h * qd, t + h), (q - h * qd, t - h))]
        rate = (self.transform(q + h * qd, t + h) - self.transform(q - h * qd, t - h)) / (2 * h)
        size = max(1, np.abs(X).max(), np.abs(v_J).max())
        if np.abs(rate + crm(v_J[0]) @ X).max() > 1e-5 * size**2:
            raise ValueError("S(q, t) qd (plus sigma) is not the velocity with which X_J(q, t) changes.")
        if np.abs((v_J[1] - v_J[2]) / (2 * h) - self.bias_acceleration(q, qd, t)).max() > 1e-5 * size**2:
            raise ValueError("c_J(q, qd, t) is not the rate of change of S(q, t) qd (plus sigma) for constant qd.")

    nq = property(lambda self: self.nv)

    @cached_property
    def _S_ring(self):
        """The function S-ring(q, qd, t) that follows from S(q, t)."""
        q, qd, t = _symbols(self.nv)
        return _compiled([q, qd, [t]], _rate(_traced(self.S, "S", q, t), q, qd, t), (6, self.nv))

    def transform(self, q, t=0.0):
        return matrix(self.X_J(q, t), (6, 6), "X_J(q, t)")

    def motion_subspace(self, q, t=0.0):
        return matrix(self.S(q, t), (6, self.nv), "S(q, t)")

    def bias_velocity(self, q, t=0.0):
        return vector(self.sigma(q, t), 6, "sigma(q, t)")

    def motion_subspace_rate(self, q, qd, t=0.0):
        return self._S_ring(q, qd, t)

    def bias_acceleration(self, q, qd, t=0.0):
        return vector(self.c_J(q, qd, t), 6, "c_J(q, qd, t)")

    def __str__(self):
        return self.name


def moves_by_itself(joint, q):
    """True if a joint at the position q moves while its velocity variables are 0, as one does that depends on time."""
    at_rest = zeros(joint.nv, q)
    return any(np.any(x != 0) for t in (0.0, 0.6)
               for x in (joint.bias_velocity(q, t), joint.bias_acceleration(q, at_rest, t)))


def _symbols(n):
    import sympy

    return sympy.symbols(f"q1:{n + 1}"), sympy.symbols(f"qd1:{n + 1}"), sympy.Symbol("t")


def _traced(function, name, q, t):
    """The SymPy matrix that function(q, t) makes of symbols."""
    import sympy

    try:
        return sympy.Matrix(function(np.array([*q, 0])[: len(q)], t))
    except TypeError as error:
        raise TypeError(f"{name} cannot run on symbols ({error}). Use sin and cos of rbdlib.numbers.scalars, or give "
                        "S, c_J and sigma.") from None


def _velocities(n, X_J):
    """The functions S(q, t) and sigma(q, t) that follow from X_J(q, t): v_J× = -X-ring X⁻¹ (RBDA Eq. 2.45)."""
    import sympy

    q, _, t = _symbols(n)
    X = _traced(X_J, "X_J", q, t)
    transform(np.array(X), "X_J(q, t)")
    E, B = np.array(X)[:3, :3], np.array(X)[3:, :3]

    def velocity(symbol):
        E_rate, B_rate = (np.array(sympy.Matrix(part).diff(symbol)) for part in (E, B))
        return sympy.Matrix([*(-E_rate[i] @ E[j] for i, j in ((2, 1), (0, 2), (1, 0))),
                             *(-B_rate[i] @ E[j] - E_rate[i] @ B[j] for i, j in ((2, 1), (0, 2), (1, 0)))])

    S = sympy.Matrix.hstack(sympy.zeros(6, 0), *(velocity(symbol) for symbol in q))
    return _compiled([q, [t]], S, (6, n)), _compiled([q, [t]], velocity(t), (6,))


def _acceleration(n, S, sigma):
    """The function c_J(q, qd, t) that follows from S(q, t) and sigma(q, t)."""
    import sympy

    q, qd, t = _symbols(n)
    v_J = _traced(S, "S", q, t) * sympy.Matrix(n, 1, qd) + _traced(sigma, "sigma", q, t)
    return _compiled([q, qd, [t]], _rate(v_J, q, qd, t), (6,))


def _rate(matrix, q, qd, t):
    """The rate at which a SymPy matrix in the symbols q and t changes while q changes at the rates qd.

    It is taken from step to step of what the entries share, since derivatives of whole entries take many times as long.
    """
    import sympy

    steps, (last,) = sympy.cse(matrix)
    rates, whole = {**dict(zip(q, qd, strict=True)), t: sympy.Integer(1)}, {}

    def rate(part):
        return sympy.Add(*(part.diff(x) * u for x, u in rates.items() if x in part.free_symbols))

    for name, part in steps:
        rates[name] = sympy.Dummy()
        whole[name], whole[rates[name]] = part.xreplace(whole), rate(part).xreplace(whole)
    return last.applyfunc(lambda part: rate(part).xreplace(whole))


def _compiled(symbols, expression, shape):
    """A SymPy matrix as a function of arrays, for numbers and symbols alike."""
    import sympy

    functions = {name: getattr(scalars, name) for name in ("sin", "cos", "sqrt")}
    arguments = [list(group) for group in symbols]
    function = sympy.lambdify(arguments, sympy.Matrix(expression).tolist(), [functions], cse=True)

    def compiled(*values):
        return np.array(function(*(np.atleast_1d(v).tolist() for v in values))).reshape(shape)

    return compiled
