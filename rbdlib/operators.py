"""The spatial operator algebra: a model as a chain numbered from tip to base, and its stacked operators (SOA 2-3).

Links are numbered 1..n from the tip to the base, and the base is n+1: link k is body n+1-k. All 3-vectors have base
axes, and the spatial vectors of link k refer to O_k, the origin of its body's frame. Lists are indexed by link, with
None in place 0. A star in the text is a transpose here. The text is about chains; trees are welcome too: where it has
link k+1, this module has the inboard link of k, and a sum over outboard links where it has link k-1.
"""

from dataclasses import dataclass

import numpy as np

from rbdlib.joints import jcalc
from rbdlib.model import external_forces, require_model
from rbdlib.scalars import blocks, eye, matrix, number, vector, zeros
from rbdlib.spatial import X_to_Er, free_motion, skew

# One rigid body (SOA 2)


def phi_of(l):
    """The operator phi(l) that takes forces from C to O, for l from O to C; its transpose takes motions from O to C.

    l: 3-vector (m). Returns a 6 x 6 matrix (SOA Eqs 3, 4): f(O) = phi(l) f(C), V(C) = phi(l).T V(O).
    """
    l = vector(l, 3, "l")
    return blocks([[1, skew(l)],
                   [0, 1]])                                                             # (3)


def phi_dot_of(l_dot):
    """The rate of change of phi(l) when l changes at the rate l_dot (m/s), seen from the base (SOA Eq. 4). 6 x 6."""
    l_dot = vector(l_dot, 3, "l_dot")
    return blocks([[0, skew(l_dot)],
                   [0, 0]])


def turning(w):
    """The 6 x 6 matrix that gives the rate of change of a spatial vector whose two halves turn at w (rad/s)."""
    w = vector(w, 3, "w")
    return blocks([[skew(w), 0],
                   [0, skew(w)]])


def gyroscopic_force(M, w):
    """b = (w × J w; m w × (w × p)) of a body with the spatial inertia M about O and the angular velocity w.

    With it f = M alpha + b, where alpha has the acceleration of the point O (SOA Eqs 9, 11, 16). M: 6 x 6; w: rad/s.
    """
    M, w = matrix(M, (6, 6), "M"), vector(w, 3, "w")
    return turning(w) @ (M[:, :3] @ w)                                                  # (16)


# The view of a model


@dataclass(frozen=True, eq=False)
class Chain:
    """A model in one state, in the notation of SOA section 2; `chain` makes it.

    n: number of links.  N: number of motion freedoms.  inboard[k]: the link that carries joint k (k+1 if serial,
    n+1 the base).  outboard[k]: the links whose inboard link is k.  l[k]: vector from O of the inboard link to O_k.
    phi[k]: phi(inboard[k], k), 6 x 6.  H[k]: r_v(k) x 6, the transpose of the joint's motion subspace.  M[k]: spatial
    inertia about O_k.  Delta_V[k]: velocity across joint k, H*(k) beta(k) plus what time does (sigma).  V[k]: velocity
    (V[n+1] = 0).  a[k], b[k]: Coriolis acceleration and gyroscopic force.  f_ext[k]: external force at O_k.
    alpha_base: (0; -g), the acceleration of the base that stands for gravity.  beta: the joint velocities (N).
    """

    n: int
    N: int
    inboard: list
    outboard: list
    l: list
    phi: list
    H: list
    M: list
    Delta_V: list
    V: list
    a: list
    b: list
    f_ext: list
    alpha_base: np.ndarray
    beta: np.ndarray

    @property
    def links(self):
        """The numbers of the links, 1..n, from tip to base; `reversed(c.links)` goes from base to tip."""
        return range(1, self.n + 1)

    @property
    def serial(self):
        """Whether link k+1 is the inboard link of each link k, as the text has it."""
        return all(self.inboard[k] == k + 1 for k in self.links)

    def at(self, k):
        """Where the variables of joint k stand in vectors that are in the chain's order, such as beta and T."""
        start = sum(len(self.H[j]) for j in range(1, k))
        return slice(start, start + len(self.H[k]))

    def path(self, k):
        """Link k, its inboard link, and so on to the last link before the base."""
        path = []
        while k <= self.n:
            path.append(k)
            k = self.inboard[k]
        return path

    def to_chain(self, x):
        """x in the chain's order, tip first: a vector (N) or a matrix (N x N) over the model's velocity variables."""
        return self._reordered(x, self._order())

    def to_model(self, x):
        """The inverse of `to_chain`: a vector (N) or a matrix (N x N) in the order of the model, base first."""
        return self._reordered(x, np.argsort(self._order()))

    def _order(self):
        places = np.arange(self.N)
        backwards = np.split(places, np.cumsum([len(H) for H in self.H[self.n:1:-1]])) if self.n else []
        return np.concatenate([*backwards[::-1], places[:0]])

    def _reordered(self, x, order):
        if np.ndim(x) == 2:
            return matrix(x, (self.N, self.N), "x")[np.ix_(order, order)]
        return vector(x, self.N, "x")[order]


def chain(model, q, qd=None, f_ext=None, t=0.0):
    """The model in the state q, qd as a `Chain` (SOA 2, Eqs 13, 14, 16).

    q: positions (nq); qd: velocities (nv), zero if left out; f_ext: forces on the bodies in base coordinates, as for
    `rnea`; t: time (s), for joints that depend on it. Raises ValueError or TypeError for arguments of the wrong kind.
    """
    require_model(model)
    q, t, n = vector(q, model.nq, "q"), number(t, "t"), model.N_B
    qd = zeros(model.nv, q) if qd is None else vector(qd, model.nv, "qd")
    forces = external_forces(model, f_ext)
    inboard, l, phi, H, M, Delta_V, V, a, b, f, X_0, O = ([None] * (n + 2) for _ in range(12))
    outboard = [[] for _ in range(n + 2)]
    X_0[n + 1], O[n + 1], V[n + 1], f[n + 1] = eye(6, q), zeros(3, q), zeros(6, q, qd), forces[0]

    for k in range(n, 0, -1):
        i = n + 1 - k
        inboard[k] = m = n + 1 - model.parent[i]
        outboard[m].insert(0, k)
        X_J, S, v_J, c_J = jcalc(model.joints[i], q[model.q_slice(i)], qd[model.v_slice(i)], t)
        X_0[k] = X_J @ model.X_tree[i] @ X_0[m]
        E, O[k] = X_to_Er(X_0[k])
        axes = blocks([[E.T, 0], [0, E.T]])
        l[k] = O[k] - O[m]
        phi[k], H[k], M[k] = phi_of(l[k]), (axes @ S).T, axes @ model.inertia[i] @ axes.T
        Delta_V[k] = axes @ v_J
        V[k] = phi[k].T @ V[m] + Delta_V[k]                                             # (13)
        w, l_dot = V[k][:3], V[k][3:] - V[m][3:]
        a[k] = phi_dot_of(l_dot).T @ V[m] + turning(w) @ Delta_V[k] + axes @ c_J        # (14)
        b[k] = gyroscopic_force(M[k], w)                                                # (16)
        f[k] = phi_of(-O[k]) @ forces[i]

    beta = [qd[model.v_slice(n + 1 - k)] for k in range(1, n + 1)]
    return Chain(n, model.nv, inboard, outboard, l, phi, H, M, Delta_V, V, a, b, f, free_motion(-model.gravity),
                 np.concatenate([*beta, qd[:0]]))


def require_serial(c, method):
    """The chain c, checked to be serial; ValueError, which names the method, if it branches."""
    if not c.serial:
        raise ValueError(f"{method} is for serial chains, but this model branches: two bodies share a parent. "
                         "Choose a method for trees, such as 'aba' or 'crb'.")
    return c
