"""Joint calculation: what the algorithms ask of every joint, and joints the other way round (RBDA 4.4, Table 4.2).

Frame F_p sits on the predecessor, F_s on the successor; they coincide in the joint's neutral position. A joint says
how many variables it has and what `jcalc` returns for them. S, T, v_J and c_J are in F_s coordinates.
"""

from dataclasses import dataclass

import numpy as np

from rbdlib.book.ch02_spatial import crm, force_transform, inverse_transform
from rbdlib.book.ch03_subspaces import orthogonal_complement
from rbdlib.numbers.scalars import eye, sqrt, vector, zeros


def jcalc(joint, q, qd, t=0.0):
    """Joint transform, motion subspace, joint velocity and velocity-product acceleration (RBDA 4.4).

    q, qd: the joint's own position and velocity variables, arrays of length joint.nq and joint.nv (a number will do for
    one variable). t: time (s), for joints that depend on it. Returns, in F_s coordinates, X_J (6 x 6, from F_p to F_s),
    S (6 x nv), v_J = S qd + sigma (6, Eq. 3.32) and c_J = S-ring qd + sigma-ring (6, Eq. 3.41).
    """
    if not isinstance(joint, Joint):
        raise TypeError(f"joint is {joint!r}; give a joint such as Revolute('z').")
    q = vector(np.atleast_1d(q), joint.nq, "q")
    qd = vector(np.atleast_1d(qd), joint.nv, "qd")
    S = joint.motion_subspace(q, t)
    v_J = S @ qd if joint.nv else zeros(6, q, qd)
    return joint.transform(q, t), S, v_J + joint.bias_velocity(q, t), joint.bias_acceleration(q, qd, t)


class Joint:
    """The methods of every joint; the defaults suit a joint whose S is constant and whose q is the integral of qd."""

    nq = nv = 0

    @property
    def has_euler_parameters(self):
        """True for a joint whose first four position variables are Euler parameters: it has more of them than nv."""
        return self.nq > self.nv

    def transform(self, q, t=0.0):
        """X_J (6 x 6), from F_p to F_s coordinates."""
        return eye(6, q)

    def motion_subspace(self, q, t=0.0):
        """S (6 x nv): its columns span the motions that the joint allows."""
        return zeros((6, self.nv), q)

    def constraint_subspace(self, q, t=0.0):
        """T (6 x (6 - nv)): its columns span the forces with which the joint resists, Tᵀ S = 0."""
        return orthogonal_complement(self.motion_subspace(q, t))

    def bias_velocity(self, q, t=0.0):
        """sigma (6): the velocity of the joint when qd = 0; zero unless the joint depends on time."""
        return zeros(6, q)

    def motion_subspace_rate(self, q, qd, t=0.0):
        """S-ring (6 x nv): the rate of change of S, in F_s, while q changes as qd says; zero where S is constant."""
        return zeros((6, self.nv), q, qd)

    def bias_acceleration(self, q, qd, t=0.0):
        """c_J (6) = S-ring qd + sigma-ring: the rate of change of v_J, in F_s, that is not due to that of qd."""
        return self.motion_subspace_rate(q, qd, t) @ qd if self.nv else zeros(6, q, qd)

    def qdot(self, q, qd):
        """The rate of change of q (nq) that belongs to the velocity variables qd (nv) (RBDA Eq. 3.7)."""
        return qd.copy()

    def integrate(self, q, qd, dt):
        """The position variables after moving with the constant velocity variables qd for the time dt (s)."""
        return q + dt * qd

    def neutral(self):
        """The position variables (nq) at which F_s coincides with F_p."""
        q = np.zeros(self.nq)
        q[:1] = self.has_euler_parameters
        return q

    def normalise(self, q):
        """The position variables with Euler parameters, if there are any, scaled to unit length."""
        return np.concatenate([q[:4] / sqrt(q[:4] @ q[:4]), q[4:]]) if self.has_euler_parameters else q.copy()

    def random_position(self, rng):
        """Position variables (nq) drawn with the NumPy generator rng."""
        if self.has_euler_parameters:
            p = rng.normal(size=4)
            return np.concatenate([p / np.linalg.norm(p), rng.normal(size=self.nq - 4)])
        return rng.uniform(-np.pi, np.pi, self.nq)

    def __str__(self):
        return type(self).__name__.lower()


# Joints seen the other way round (RBDA 4.4, Table 4.2)


class SameVariables(Joint):
    """A joint whose position and velocity variables are those of another, its attribute ``joint``."""

    nq = property(lambda self: self.joint.nq)
    nv = property(lambda self: self.joint.nv)
    qdot = property(lambda self: self.joint.qdot)
    integrate = property(lambda self: self.joint.integrate)
    neutral = property(lambda self: self.joint.neutral)
    normalise = property(lambda self: self.joint.normalise)
    random_position = property(lambda self: self.joint.random_position)


@dataclass(frozen=True)
class Reversed(SameVariables):
    """Another joint seen the other way round: its successor becomes the predecessor (RBDA 4.4, Table 4.2)."""

    joint: Joint

    def __post_init__(self):
        if not isinstance(self.joint, Joint):
            raise TypeError(f"joint is {self.joint!r}; give a joint such as RackAndPinion(0.1).")

    def transform(self, q, t=0.0):
        return inverse_transform(self.joint.transform(q, t))

    def motion_subspace(self, q, t=0.0):
        return -self.transform(q, t) @ self.joint.motion_subspace(q, t)

    def constraint_subspace(self, q, t=0.0):
        return -force_transform(self.transform(q, t)) @ self.joint.constraint_subspace(q, t)

    def bias_velocity(self, q, t=0.0):
        return -self.transform(q, t) @ self.joint.bias_velocity(q, t)

    def motion_subspace_rate(self, q, qd, t=0.0):
        X, S = self.transform(q, t), self.motion_subspace(q, t)
        v_J = S @ qd + self.bias_velocity(q, t) if self.nv else self.bias_velocity(q, t)
        return -X @ self.joint.motion_subspace_rate(q, qd, t) - crm(v_J) @ S

    def bias_acceleration(self, q, qd, t=0.0):
        return -self.transform(q, t) @ self.joint.bias_acceleration(q, qd, t)

    def __str__(self):
        return f"reversed {self.joint}"
