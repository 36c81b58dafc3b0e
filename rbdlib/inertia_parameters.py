"""The ten parameters of an inertia: what bodies have, what zeros among them save, augmented bodies (RBDA 9.7).

They stand in the order of `rbdlib.derivatives.parameters`: m, m c_x, m c_y, m c_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about
the origin of the body's coordinates. How they may change and leave the motion as it is, is in `rbdlib.equivalence`.
"""

from collections import Counter

import numpy as np

from rbdlib.complexity import Counted
from rbdlib.joints import jcalc
from rbdlib.model import require_model
from rbdlib.scalars import as_floats, blocks, eye, matrix, number, vector, zeros
from rbdlib.spatial import X_to_Er, skew, unskew

#: Inertial parameters smaller than this, compared with the largest of the body, count as zero.
ROUNDING = 1e-12
#: A body is possible if no eigenvalue of its pseudo-inertia is more negative than this, beside the largest element.
POSSIBLE = 1e-9

# One inertia


def to_parameters(I):
    """The ten parameters of an inertia I (6 x 6); it need not be that of a body that can exist."""
    I = matrix(I, (6, 6), "I")
    return np.array([I[5, 5], *unskew(I[:3, 3:]), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def from_parameters(p):
    """The inertia (6 x 6) that has the ten parameters p, exactly symmetric."""
    m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz = vector(p, 10, "p")
    h = skew(np.array([h_x, h_y, h_z]))
    return blocks([[np.array([[I_xx, I_xy, I_xz], [I_xy, I_yy, I_yz], [I_xz, I_yz, I_zz]]), h],
                   [h.T, m]])


def particle(m, c):
    """The inertia (6 x 6) of a particle of mass m, which may be negative, at c (3) in body coordinates."""
    m, C = number(m, "m"), skew(vector(c, 3, "c"))
    return blocks([[m * C @ C.T, m * C],
                   [m * C.T, m]])


def pseudo_inertia(I):
    """The matrix (4 x 4) of the second, first and zeroth moments of the mass, linear in I.

    It is positive semidefinite for every body that can exist, and for no other.
    """
    m, *rest = to_parameters(I)
    h, I_bar = np.array(rest[:3]), matrix(I, (6, 6), "I")[:3, :3]
    J = zeros((4, 4), I)
    J[:3, :3] = (I_bar[0, 0] + I_bar[1, 1] + I_bar[2, 2]) / 2 * eye(3, I) - I_bar
    J[:3, 3], J[3, :3], J[3, 3] = h, h, m
    return J


def is_possible(I):
    """Whether some body has the inertia I (6 x 6), of numbers: its `pseudo_inertia` has no negative eigenvalue."""
    J = as_floats(pseudo_inertia(I))
    if J is None:
        raise ValueError("I contains symbols; whether a body has this inertia, numbers decide.")
    return bool(np.linalg.eigvalsh(J)[0] >= -POSSIBLE * np.abs(J).max())


def count_zeros(p, scale=None):
    """How many of the numbers p are zero, compared with the largest of scale, or of p itself."""
    p, scale = as_floats(p), as_floats(p if scale is None else scale)
    return int((np.abs(p) <= ROUNDING * np.abs(scale).max()).sum())


# Those of a model


def zero_parameters(model):
    """How many of the 10 N_B inertial parameters of a model are zero, but for rounding."""
    return sum(count_zeros(to_parameters(I)) for I in require_model(model).inertia[1:])


def impossible_bodies(model):
    """The numbers of the bodies whose inertia no body can have, a list; ValueError if inertias contain symbols."""
    return [i for i in require_model(model).bodies if not is_possible(model.inertia[i])]


def augmented_bodies(model, at="children"):
    """The inertias of the augmented bodies: a list (6 x 6 each) indexed by body number, place 0 empty (RBDA 9.7).

    To each body a particle is added where a joint sits on it, with the mass of all that hangs on this joint. at:
    "children" for the joints that lead to mu(i), as suits fixed bases; "joints" for that to the parent too, behind
    which is the rest of the moving bodies, as suits floating ones.
    """
    if at not in ("children", "joints"):
        raise ValueError(f"at is {at!r}; choose 'children' or 'joints'.")
    mass = [0, *(I[5, 5] for I in require_model(model).inertia[1:])]
    beyond = [sum(mass[j] for j in model.nu(i)) for i in range(model.N_B + 1)]
    augmented = list(model.inertia)
    for i in model.bodies:
        for j in model.mu(i):
            _, r = X_to_Er(model.X_tree[j])
            augmented[i] = augmented[i] + particle(beyond[j], r)
        if at == "joints":
            augmented[i] = augmented[i] + particle(beyond[0] - beyond[i], zeros(3, augmented[i]))
    return augmented


# What zeros among the parameters save


class Sparse(Counted):
    """A `Counted` number for which adding 0 and multiplying by 0 and 1 cost nothing, as in simplified formulas."""

    def _did(self, kind, value):
        self.operations[kind] += 1
        return Sparse(value, self.operations)

    def __neg__(self):
        return Sparse(-self.value, self.operations)

    def __add__(self, other):
        return self if _is(other, 0) else super().__add__(other)

    def __sub__(self, other):
        return self if _is(other, 0) else super().__sub__(other)

    def __rsub__(self, other):
        return -self if _is(other, 0) else super().__rsub__(other)

    def __mul__(self, other):
        if _is(other, 0):
            return 0
        return self if _is(other, 1) else super().__mul__(other)

    __radd__, __rmul__ = __add__, __mul__


def _is(x, value):
    return not isinstance(x, Counted | np.ndarray) and x == value


def operations(function, model, *arguments):
    """The operations that function(model, *arguments) takes if none is done with a constant 0 or 1: a Counter.

    arguments: arrays, of which the counted numbers are made; the model's own numbers are constants.
    """
    counter = Counter()
    function(model, *(np.array([Sparse(float(x), counter) for x in np.ravel(given)] + [0], dtype=object)[:-1]
                      for given in arguments))
    return counter


def compact_rnea(model, q, qd, qdd):
    """Joint forces by the recursive Newton-Euler algorithm, in the compact arithmetic of RBDA A.3, to be counted.

    As `rnea` without external forces, but transforms are kept as E and r, and those of the joint and of its place are
    applied one after the other; inertias are kept as m, h = m c and I-bar.
    """
    q, qd, qdd = vector(q, model.nq, "q"), vector(qd, model.nv, "qd"), vector(qdd, model.nv, "qdd")
    X, S, v, a, f = ([None] * (model.N_B + 1) for _ in range(5))
    tau = zeros(model.nv, q, qd, qdd)
    v[0], a[0] = (zeros(3), zeros(3)), (zeros(3), -model.gravity)

    for i in model.bodies:
        p, at = model.parent[i], model.v_slice(i)
        X_J, S[i], v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[at])
        X[i], dv_J = (X_to_Er(model.X_tree[i]), X_to_Er(X_J)), S[i] @ qdd[at] + c_J
        v[i] = _plus(_to_child(X[i], v[p]), _pair(v_J))                                 # (5.18)
        a[i] = _plus(_to_child(X[i], a[p]), _pair(dv_J), _crm(v[i], _pair(v_J)))        # (5.19)
        f[i] = _plus(_times(model.inertia[i], a[i]), _crf(v[i], _times(model.inertia[i], v[i])))    # (5.9)

    for i in reversed(model.bodies):
        p, (n, force) = model.parent[i], f[i]
        tau[model.v_slice(i)] = S[i][:3].T @ n + S[i][3:].T @ force                     # (5.11)
        if p != 0:
            f[p] = _plus(f[p], _to_parent(X[i], f[i]))                                  # (5.20)

    return tau


# Spatial vectors as pairs of 3-vectors: (omega, v_O) or (n_O, f)


def _pair(v):
    return v[:3], v[3:]


def _plus(first, *rest):
    return tuple(sum((v[k] for v in rest), first[k]) for k in (0, 1))


def _to_child(X, v):
    (w, v_O) = v
    for E, r in X:
        w, v_O = E @ w, E @ (v_O - cross(r, w))
    return w, v_O


def _to_parent(X, f):
    (n, force) = f
    for E, r in reversed(X):
        force = E.T @ force
        n = E.T @ n + cross(r, force)
    return n, force


def _crm(v, m):
    return cross(v[0], m[0]), cross(v[0], m[1]) + cross(v[1], m[0])


def _crf(v, f):
    return cross(v[0], f[0]) + cross(v[1], f[1]), cross(v[0], f[1])


def _times(I, v):
    m, h = I[5, 5], unskew(I[:3, 3:])
    return I[:3, :3] @ v[0] + cross(h, v[1]), m * v[1] - cross(h, v[0])


def cross(a, b):
    """a × b for 3-vectors of any scalars."""
    return skew(a) @ b
