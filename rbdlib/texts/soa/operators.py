"""The spatial operator algebra: a model as a chain numbered from tip to base, and its stacked operators (SOA 2-3).

Links are numbered 1..n from the tip to the base, and the base is n+1: link k is body n+1-k. All 3-vectors have base
axes, and the spatial vectors of link k refer to O_k, the origin of its body's frame. Lists are indexed by link, with
None in place 0. A star in the text is a transpose here. The text is about chains; trees are welcome too: where it has
link k+1, this module has the inboard link of k, and a sum over outboard links where it has link k-1.
"""

from collections import namedtuple
from functools import cached_property

import numpy as np

from rbdlib.book.ch02_spatial import X_to_Er, free_motion, skew
from rbdlib.book.ch04_joints import jcalc
from rbdlib.book.ch04_model import external_forces, require_tree
from rbdlib.numbers import scalars
from rbdlib.numbers.model_arguments import slices_of
from rbdlib.numbers.scalars import blocks, eye, matrix, number, unfilled, vector, zeros


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


class Chain(namedtuple("Chain", "n N inboard outboard l phi H M Delta_V V a b f_ext alpha_base beta")):
    """A model in one state, in the notation of SOA section 2; `chain` makes it.

    n: number of links.  N: number of motion freedoms.  inboard[k]: the link that carries joint k (k+1 if serial,
    n+1 the base).  outboard[k]: the links whose inboard link is k.  l[k]: vector from O of the inboard link to O_k.
    phi[k]: phi(inboard[k], k), 6 x 6.  H[k]: r_v(k) x 6, the transpose of the joint's motion subspace.  M[k]: spatial
    inertia about O_k.  Delta_V[k]: velocity across joint k, H*(k) beta(k) plus what time does (sigma).  V[k]: velocity
    (V[n+1] = 0).  a[k], b[k]: Coriolis acceleration and gyroscopic force.  f_ext[k]: external force at O_k.
    alpha_base: (0; -g), the acceleration of the base that stands for gravity.  beta: the joint velocities (N).
    links: the numbers of the links, 1..n, from tip to base.  serial: whether the inboard link of each k is k+1.
    """

    links = property(lambda self: range(1, self.n + 1))
    serial = property(lambda self: all(self.inboard[k] == k + 1 for k in self.links))

    def __repr__(self):
        return f"<Chain of {self.n} links, N={self.N}, {'serial' if self.serial else 'branched'}>"

    def at(self, k):
        """Where the variables of joint k stand in vectors that are in the chain's order, such as beta and T."""
        return self._places[require_link(k, self.n, "k")]

    def path(self, k):
        """Link k, its inboard link, and so on to the last link before the base; empty for the base, n+1."""
        k, path = require_link(k, self.n + 1, "k"), []
        while k <= self.n:
            path.append(k)
            k = self.inboard[k]
        return path

    def to_chain(self, x):
        """x in the chain's order, tip first: a vector (N) or a matrix (N x N) over the model's velocity variables."""
        return self._reordered(x, np.argsort(self._order))

    def to_model(self, x):
        """The inverse of `to_chain`: a vector (N) or a matrix (N x N) in the order of the model, base first."""
        return self._reordered(x, self._order)

    @cached_property
    def _places(self):
        return slices_of(len(self.H[k]) for k in self.links)

    @cached_property
    def _order(self):
        """The place in the chain's order of each place in the model's."""
        return [x for k in reversed(self.links) for x in range(self.N)[self.at(k)]]

    def _reordered(self, x, order):
        if np.ndim(x) == 2:
            return matrix(x, (self.N, self.N), "x")[np.ix_(order, order)]
        return vector(x, self.N, "x")[order]


def chain(model, q, qd=None, f_ext=None, t=0.0):
    """The model in the state q, qd as a `Chain` (SOA 2, Eqs 13, 14, 16).

    q: positions (nq); qd: velocities (nv), zero if left out; f_ext: forces on the bodies in base coordinates, as for
    `rnea`; t: time (s), for joints that depend on it. Raises ValueError or TypeError for arguments of the wrong kind.
    """
    require_tree(model)
    q, t, n = vector(q, model.nq, "q"), number(t, "t"), model.N_B
    qd = zeros(model.nv, q) if qd is None else vector(qd, model.nv, "qd")
    forces = external_forces(model, f_ext)
    inboard, l, phi, H, M, Delta_V, V, a, b, f, X_0, O = unfilled(n + 2, 12)
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


def actuated(model, q, qd, tau, f_ext=None, t=0.0):
    """Arguments of forward dynamics as a chain: the `Chain` and its joint forces T (N), in its order.

    Arguments and errors as for `chain`, but that the velocities qd (nv) are needed; tau: joint forces (nv).
    """
    require_tree(model)
    c = chain(model, q, vector(qd, model.nv, "qd"), f_ext, t)
    return c, c.to_chain(vector(tau, c.N, "tau"))


def require_chain(c):
    """c, checked to be a `Chain`; otherwise TypeError."""
    if not isinstance(c, Chain):
        raise TypeError(f"c is {c!r}; give a chain: chain(model, q, qd) makes one.")
    return c


def require_link(k, last, name):
    """The number of a link, checked to be a whole number from 1 to last; otherwise TypeError or ValueError."""
    if not isinstance(k, int | np.integer):
        raise TypeError(f"{name} is {k!r}; give the number of a link, 1 to {last}.")
    if not 1 <= k <= last:
        raise ValueError(f"{name} is {k!r}, but links are numbered from 1, the tip, to {last}. Give one of these.")
    return k


def at_rest(c):
    """The chain c without velocity, gravity and external forces, as the text has it from SOA Eq. 22 on."""
    require_chain(c)
    nothing = [None if x is None else 0 * x for x in c.V]
    still = nothing[:-1] + [None]
    return c._replace(Delta_V=still, V=nothing, a=still, b=still, f_ext=nothing, alpha_base=0 * c.alpha_base,
                   beta=0 * c.beta)


# Operators as recursions: a product with phi or phi* takes n steps (SOA 2)


def tip_to_base(c, y, phi=None):
    """x = phi y by the recursion x(k) = phi(k, k-1) x(k-1) + y(k), in n steps (SOA 2, after Eq. 21).

    y: list of vectors (or matrices) of 6 rows, indexed by link. phi: the list of transformations phi(inboard(k), k), if
    not those of c: the same recursion serves psi. Returns the list x.
    """
    require_chain(c)
    phi, x = phi or c.phi, [None] * (c.n + 1)
    for k in c.links:
        x[k] = sum((phi[j] @ x[j] for j in c.outboard[k]), y[k])
    return x


def base_to_tip(c, y, phi=None):
    """x = phi* y by the recursion x(k) = phi*(k+1, k) x(k+1) + y(k), in n steps; arguments as for `tip_to_base`."""
    require_chain(c)
    phi, x = phi or c.phi, [None] * (c.n + 1)
    for k in reversed(c.links):
        x[k] = phi[k].T @ x[c.inboard[k]] + y[k] if c.inboard[k] <= c.n else y[k]
    return x


def mass_matrix_times(c, beta_dot):
    """The product of the mass matrix H phi M phi* H* and beta_dot (N), as recursions from right to left: O(N).

    It is inverse dynamics of the system at rest (SOA Eqs 17, 22). beta_dot and the result are in the chain's order.
    """
    beta_dot = vector(beta_dot, require_chain(c).N, "beta_dot")
    alpha = base_to_tip(c, [None, *(c.H[k].T @ beta_dot[c.at(k)] for k in c.links)])    # alpha = phi* H* beta_dot
    f = tip_to_base(c, [None, *(c.M[k] @ alpha[k] for k in c.links)])                   # f = phi M alpha
    return joint_vector(c, [None, *(c.H[k] @ f[k] for k in c.links)])                   # T = H f


def joint_vector(c, parts):
    """The vector (N), in the chain's order, of the parts that belong to the joints (a list indexed by link)."""
    require_chain(c)
    return np.concatenate([zeros(0), *parts[1:]])


class Forces(namedtuple("Forces", "alpha f T")):
    """Results of `inverse_dynamics`: lists alpha (accelerations) and f (joint forces) by link, and T (N).

    alpha[k]: angular acceleration of link k, and acceleration of the point O_k less gravity's.  f[k]: the force from
    the inboard link on link k, at O_k.  T: the joint forces, in the chain's order.
    """


def inverse_dynamics(c, beta_dot):
    """The recursive Newton-Euler equations of a chain: the joint forces for given accelerations (SOA Eqs 15, 17).

    beta_dot: joint accelerations (N), in the chain's order (`Chain.to_chain`). `chain` has done the table's line for
    V(k). Returns `Forces`. Gravity and external forces, which the text leaves out, come in at alpha(n+1) and f(k).
    """
    beta_dot = vector(beta_dot, require_chain(c).N, "beta_dot")
    alpha, f, T = [None] * (c.n + 2), [None] * (c.n + 1), [None] * (c.n + 1)

    alpha[c.n + 1] = c.alpha_base
    for k in reversed(c.links):
        alpha[k] = c.phi[k].T @ alpha[c.inboard[k]] + c.H[k].T @ beta_dot[c.at(k)] + c.a[k]     # (13)

    for k in c.links:
        f[k] = sum((c.phi[j] @ f[j] for j in c.outboard[k]), c.M[k] @ alpha[k] + c.b[k] - c.f_ext[k])
        T[k] = c.H[k] @ f[k]                                                            # (15)

    return Forces(alpha, f, joint_vector(c, T))


def bias_free(c, T):
    """T-bar = T - C: the joint forces (N) less those that gravity, velocities and external forces need (SOA Eq. 22)."""
    return vector(T, require_chain(c).N, "T") - inverse_dynamics(c, zeros(c.N, c.beta)).T


def composite_inertias(c):
    """R(k): the inertia about O_k of link k and all links outboard of it as one body (SOA Eqs 24, 25). A list."""
    R = [None] * (require_chain(c).n + 1)
    for k in c.links:
        R[k] = sum((c.phi[j] @ R[j] @ c.phi[j].T for j in c.outboard[k]), c.M[k])       # (25)
    return R


class Operators(namedtuple("Operators", "E_phi phi H M R Delta_V V a b f_ext alpha_base")):
    """The stacked operators and vectors of a chain, as arrays in the order of the links, tip first (SOA Eqs 18-21).

    E_phi, phi, M: 6n x 6n.  H: N x 6n.  R: composite inertias, 6n x 6n.  Delta_V, V, a, b, f_ext: 6n.  alpha_base: 6n,
    what the base's acceleration (0; -g) is for the links on the base.
    """

    def mass_matrix(self):
        """H phi M phi* H* (N x N), in the chain's order (SOA Eq. 21)."""
        H, phi, M = self.H, self.phi, self.M
        return H @ phi @ M @ phi.T @ H.T                                                # (21)

    def bias(self):
        """C = H phi (M phi* a + b), with gravity in a and less the external forces in b (N) (SOA Eq. 21)."""
        H, phi, M = self.H, self.phi, self.M
        return H @ phi @ (M @ phi.T @ (self.a + self.alpha_base) + self.b - self.f_ext)         # (21)


def operators(c):
    """The `Operators` of a chain: for looking at and for proofs; the recursions compute the same in O(n)."""
    E_phi = shift_operator(c)
    on_base = [None, *(c.phi[k].T @ c.alpha_base if c.inboard[k] > c.n else 0 * c.alpha_base for k in c.links)]
    lists = (c.Delta_V, c.V, c.a, c.b, c.f_ext, on_base)
    return Operators(E_phi, resolvent(E_phi), block_diagonal(c, c.H), block_diagonal(c, c.M),
                     block_diagonal(c, composite_inertias(c)), *(stacked(c, y) for y in lists))


def stacked(c, y):
    """The vector [y(1); ..; y(n)] of a list indexed by link."""
    return np.concatenate([*y[1 : require_chain(c).n + 1], 0 * c.beta[:0]])


def block_diagonal(c, parts):
    """diag[parts(1), .., parts(n)] of a list of matrices indexed by link."""
    return scalars.block_diagonal(parts[1 : require_chain(c).n + 1])


def shift_operator(c):
    """E_phi (6n x 6n), whose only blocks that are not zero are phi(inboard(k), k) in column k (SOA Eq. 19)."""
    phi = require_chain(c).phi
    E_phi = zeros((6 * c.n, 6 * c.n), *phi[1 : c.n + 1])
    for k in c.links:
        i = c.inboard[k]
        if i <= c.n:
            E_phi[6 * i - 6 : 6 * i, 6 * k - 6 : 6 * k] = phi[k]                        # (19)
    return E_phi


def resolvent(E):
    """(1 - E)^-1 = 1 + E + E² + .. of a nilpotent shift operator: phi from E_phi, psi from E_psi (SOA Eq. 20)."""
    whole, power = eye(len(E), E), E
    for _ in range(len(E) // 6 - 1):
        whole, power = whole + power, power @ E                                         # (20)
    return whole


def phi_between(c, i, j):
    """phi(i, j) = phi(i, i-1) .. phi(j+1, j), which takes forces from O_j to O_i: a block of phi (SOA after Eq. 20).

    1 for i = j, and 0 if link i (n+1 for the base) is not between link j and the base. i, j: 1 to n+1.
    """
    base = require_chain(c).n + 1
    i, j = require_link(i, base, "i"), require_link(j, base, "j")
    product = eye(6, *c.phi[1:base])
    while j < i:
        product, j = c.phi[j] @ product, c.inboard[j]
    return product if i == j else 0 * product
