"""Joints made from others or by the reader: reversed and custom joints (RBDA 4.4, Table 4.2, Example 4.6)."""

from dataclasses import dataclass, field

import numpy as np

from rbdlib import scalars
from rbdlib.joints.base import Joint
from rbdlib.scalars import matrix, vector, zeros
from rbdlib.spatial import crm, force_transform, inverse_transform, unskew
from rbdlib.validation import transform


@dataclass(frozen=True)
class Reversed(Joint):
    """Another joint seen the other way round: its successor becomes the predecessor (RBDA 4.4, Table 4.2)."""

    joint: Joint

    @property
    def nq(self):
        return self.joint.nq

    @property
    def nv(self):
        return self.joint.nv

    def transform(self, q, t=0.0):
        return inverse_transform(self.joint.transform(q, t))

    def motion_subspace(self, q, t=0.0):
        return -self.transform(q, t) @ self.joint.motion_subspace(q, t)

    def constraint_subspace(self, q, t=0.0):
        return -force_transform(self.transform(q, t)) @ self.joint.constraint_subspace(q, t)

    def bias_velocity(self, q, t=0.0):
        return -self.transform(q, t) @ self.joint.bias_velocity(q, t)

    def bias_acceleration(self, q, qd, t=0.0):
        return -self.transform(q, t) @ self.joint.bias_acceleration(q, qd, t)

    def qdot(self, q, qd):
        return self.joint.qdot(q, qd)

    def integrate(self, q, qd, dt):
        return self.joint.integrate(q, qd, dt)

    def neutral(self):
        return self.joint.neutral()

    def normalise(self, q):
        return self.joint.normalise(q)

    def random_position(self, rng):
        return self.joint.random_position(rng)

    def __str__(self):
        return f"reversed {self.joint}"


@dataclass(frozen=True)
class Custom(Joint):
    """A joint of your own (RBDA 4.4, Example 4.6): functions of q and t written with rbdlib's sin, cos, xlt, rotz, ...

    nv: number of variables; qd is the rate of change of q.  X_J(q, t): transform from F_p to F_s (6 x 6).
    S(q, t): motion subspace (6 x nv).  c_J(q, qd, t): velocity-product acceleration (6).  sigma(q, t): velocity when
    qd = 0, for a joint that depends on time (6). Unless S is given, all three are found by letting X_J run on SymPy
    symbols and differentiating; if S is given, c_J and sigma default to zero. name: for printing.
    Raises ValueError if X_J is no transform or if S is not its derivative, TypeError if X_J cannot run on symbols.
    """

    nv: int = field()
    X_J: object
    S: object = None
    c_J: object = None
    sigma: object = None
    name: str = "custom"

    def __post_init__(self):
        if self.S is None:
            for name, function in zip(("S", "c_J", "sigma"), _derived(self.nv, self.X_J), strict=True):
                object.__setattr__(self, name, function)
        q, h = np.random.default_rng(0).uniform(0.2, 1, self.nv), 1e-6
        X, S = transform(self.transform(q), "X_J(q, t)"), matrix(self.motion_subspace(q), (6, self.nv), "S(q, t)")
        for j, step in enumerate(h * np.eye(self.nv)):
            rate = (self.transform(q + step) - self.transform(q - step)) / (2 * h)
            if np.abs(rate + crm(S[:, j]) @ X).max() > 1e-5 * max(1, np.abs(X).max(), np.abs(S).max()):
                raise ValueError(f"Column {j + 1} of S is not the velocity that X_J has for a unit rate of q[{j}].")

    @classmethod
    def from_expressions(cls, q, X_J, S=None, c_J=None, qd=(), name="custom"):
        """A joint from SymPy matrices in the symbols q and, for c_J, qd; without S, it and c_J are derived."""
        if S is None:
            return cls(len(q), _compiled([q], X_J, (6, 6)), name=name)
        c_J = _compiled([q, qd], [0] * 6 if c_J is None else c_J, (6,))
        return cls(len(q), _compiled([q], X_J, (6, 6)), _compiled([q], S, (6, len(q))), c_J, name=name)

    @property
    def nq(self):
        return self.nv

    def transform(self, q, t=0.0):
        return matrix(self.X_J(q, t), (6, 6), "X_J(q, t)")

    def motion_subspace(self, q, t=0.0):
        return matrix(self.S(q, t), (6, self.nv), "S(q, t)")

    def bias_velocity(self, q, t=0.0):
        return zeros(6, q) if self.sigma is None else vector(self.sigma(q, t), 6, "sigma(q, t)")

    def bias_acceleration(self, q, qd, t=0.0):
        return zeros(6, q, qd) if self.c_J is None else vector(self.c_J(q, qd, t), 6, "c_J(q, qd, t)")

    def __str__(self):
        return self.name


def _derived(n, X_J):
    """The functions S(q, t), c_J(q, qd, t) and sigma(q, t) of X_J(q, t), by differentiating it in symbols."""
    import sympy

    q, qd, t = sympy.symbols(f"q1:{n + 1}"), sympy.symbols(f"qd1:{n + 1}"), sympy.Symbol("t")
    try:
        X = sympy.Matrix(X_J(np.array([*q, 0])[:n], t))
    except TypeError as error:
        raise TypeError(
            f"X_J cannot run on symbols ({error}). Write it with sin and cos of rbdlib.scalars, or give S and c_J too."
        ) from None
    inverse = sympy.Matrix(inverse_transform(np.array(X)))

    def velocity(symbol):
        A = np.array(-X.diff(symbol) * inverse)
        return sympy.Matrix([*unskew(A[:3, :3]), *unskew(A[3:, :3])])

    S, sigma = sympy.Matrix.hstack(*(velocity(symbol) for symbol in q)), velocity(t)
    v_J = S * sympy.Matrix(qd) + sigma
    c_J = v_J.jacobian(q) * sympy.Matrix(qd) + v_J.diff(t)
    time = [t]
    return (
        _compiled([q, time], S, (6, n)),
        _compiled([q, qd, time], c_J, (6,)),
        _compiled([q, time], sigma, (6,)),
    )


def _compiled(symbols, expression, shape):
    """A SymPy matrix as a function of arrays, for numbers and symbols alike; a trailing time may be left unused."""
    import sympy

    functions = {name: getattr(scalars, name) for name in ("sin", "cos", "sqrt")}
    function = sympy.lambdify([list(group) for group in symbols], sympy.Matrix(expression).tolist(), [functions])

    def compiled(*values):
        return np.array(function(*(np.atleast_1d(v).tolist() for v in values[: len(symbols)]))).reshape(shape)

    return compiled
