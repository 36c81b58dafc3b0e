"""Factors and inverse of the mass matrix: the operators psi, K, G, D, P, their lemmas, the Kalman filter (SOA 6).

Everything is in the order of the links, tip first, unless a function takes a model: that gives the model's order.
"""

from collections import namedtuple

import numpy as np

from rbdlib.numbers.model_arguments import whole_number
from rbdlib.numbers.pivots import factor
from rbdlib.numbers.scalars import as_floats, eye, vector
from rbdlib.numbers.tables import text_table
from rbdlib.texts.soa import operators as soa
from rbdlib.texts.soa.operators import block_diagonal, chain, operators, require_chain, tip_to_base
from rbdlib.texts.soa.order_n.articulated import articulated_inertias, unit_triangle


class ArticulatedOperators(namedtuple("ArticulatedOperators", "P D D_inv G K tau tau_bar E_psi psi")):
    """The stacked articulated-body operators of a chain, as arrays in the order of the links (SOA Eqs 53, 54).

    P, tau, tau_bar: 6n x 6n, block diagonal.  D, D_inv: N x N, block diagonal.  G: 6n x N, block diagonal.  K = E_phi
    G: 6n x N, below the diagonal.  E_psi = E_phi tau_bar, psi = (1 - E_psi)^-1: 6n x 6n.
    """


def articulated_operators(c):
    """The `ArticulatedOperators` of a chain: for looking at and for proofs; the recursions compute the same in O(n)."""
    A, E_phi, H = articulated_inertias(c), soa.shift_operator(c), block_diagonal(c, c.H)
    P, D, D_inv, G = (block_diagonal(c, x) for x in (A.P, A.D, A.D_inv, A.G))
    tau = G @ H
    tau_bar = eye(6 * c.n, tau) - tau
    E_psi = E_phi @ tau_bar                                                             # (53)
    return ArticulatedOperators(P, D, D_inv, G, E_phi @ G, tau, tau_bar, E_psi, soa.resolvent(E_psi))       # (54)


class Factors(namedtuple("Factors", "W D W_inv D_inv")):
    """The square factors of the mass matrix W D W* and of its inverse W_inv* D_inv W_inv (N x N) (SOA 6).

    W = 1 + H phi K and W_inv = 1 - H psi K are unit lower triangular, D and D_inv block diagonal.
    """


def mass_matrix_factors(c):
    """The innovations factors of the mass matrix of a chain, and of its inverse, by recursions; `Factors`: O(N²)."""
    A = articulated_inertias(c)
    W = unit_triangle(c, A.K, c.phi)                                                    # Lemma 6.2
    W_inv = 2 * eye(c.N, W) - unit_triangle(c, A.K, A.psi)                              # Lemma 6.3
    return Factors(W, block_diagonal(c, A.D), W_inv, block_diagonal(c, A.D_inv))


def mass_matrix_inverse(model, q, t=0.0):
    """The inverse of the joint-space inertia matrix, [1 - H psi K]* D^-1 [1 - H psi K] (SOA Lemma 6.4).

    q: positions (nq); t: time (s). Returns an nv x nv matrix. The mass matrix itself is never formed. Raises ValueError
    or TypeError for arguments of the wrong length or kind, and ValueError if a joint moves nothing that has inertia.
    """
    c = chain(model, q, t=t)
    factors = mass_matrix_factors(c)
    return c.to_model(factors.W_inv.T @ factors.D_inv @ factors.W_inv)                  # Lemma 6.4


def lemmas(c, T):
    """The members of each equation in the lemmas of SOA 3, 5, 6, as arrays: {name: [left, right, ..]}, all equal.

    c: a chain; T: joint forces (N), in its order. Where the text has an inverse, the product with it is compared with
    1. Gravity stands in a and external forces in b, as in `rbdlib.texts.soa.operators.Operators.bias`. Lemma 3.2 is
    about the chain at rest with the accelerations that T causes.
    """
    o, T = operators(c), vector(T, require_chain(c).N, "T")
    E_phi, phi, H, M, a, b = o.E_phi, o.phi, o.H, o.M, o.a + o.alpha_base, o.b - o.f_ext
    P, D, D_inv, _, K, tau, tau_bar, E_psi, psi = articulated_operators(c)
    one, six = eye(c.N, P), eye(6 * c.n, P)
    phi_tilde, mass_matrix = phi - six, o.mass_matrix()                                 # (27) (21)
    W, W_inv = one + H @ phi @ K, one - H @ psi @ K
    beta_dot = W_inv.T @ D_inv @ W_inv @ (T - H @ phi @ (b + M @ phi.T @ a))            # (56)
    R, alpha = o.R, phi.T @ H.T @ beta_dot
    return {
        "Lemma 3.1, Eq. 26": [M, R - E_phi @ R @ E_phi.T],
        "Lemma 3.1, Eq. 27": [phi @ M @ phi.T, R + phi_tilde @ R + R @ phi_tilde.T],
        "Lemma 3.2": [phi @ M @ alpha, R @ alpha + phi_tilde @ R @ H.T @ beta_dot],
        "Eq. 39": [tau_bar, tau_bar @ tau_bar, six - tau @ tau],
        "Eq. 41": [P @ tau_bar.T, tau_bar @ P, tau_bar @ P @ tau_bar.T],
        "Eq. 42": [P, E_psi @ P @ E_psi.T + M],
        "Lemma 6.1": [six - E_psi, six - E_phi + K @ H],
        "Lemma 6.2, step 1": [M, P - E_psi @ P @ E_phi.T, P - E_phi @ P @ E_phi.T + K @ D @ K.T],
        "Lemma 6.2, step 2": [phi @ M @ phi.T, P + phi_tilde @ P + P @ phi_tilde.T + phi @ K @ D @ K.T @ phi.T],
        "Lemma 6.2": [mass_matrix, W @ D @ W.T],
        "Lemma 6.3": [one, W_inv @ W],
        "Lemma 6.4": [one, W_inv.T @ D_inv @ W_inv @ mass_matrix],
        "Eq. 57": [H @ psi, W_inv @ H @ phi, H @ (six - psi @ K @ H) @ phi],
        "Eq. 58": [psi @ M @ phi.T, psi @ P + P @ phi_tilde.T],
        "Eq. 59": [K.T @ psi.T, W_inv.T @ K.T @ phi.T, W_inv.T @ D_inv @ H @ P @ phi_tilde.T],
        "Lemma 6.5": [beta_dot,
                      W_inv.T @ D_inv @ (T - H @ psi @ (K @ T + b + P @ a)) - K.T @ psi.T @ a],
    }


class KalmanAnalogy(namedtuple("KalmanAnalogy", "y innovations errors mass_matrix D P")):
    """Statistics of a Kalman filter for noise that runs through a chain (SOA 6); prints as a table.

    The process x(k+1) = phi(k+1, k) x(k) + w(k+1), with noise of covariance M(k), is seen through y(k) = H(k) x(k). The
    filter predicts z(k) from all y before; its gain is K, its transition psi. y: observations, innovations: epsilon = y
    - H z (both N x samples, in the order of the links). errors: x - z (6n x samples). mass_matrix (N x N), D (N x N), P
    (6n x 6n): the covariances that theory says these three have.
    """

    def covariances(self):
        """(name, covariance in the samples, covariance by theory) for y, the innovations and the errors; P by blocks.

        The errors at different links are correlated; P speaks of each link alone.
        """
        blocks = np.kron(np.eye(len(self.P) // 6), np.ones((6, 6)))
        given = (("y: M", self.y, self.mass_matrix, 1), ("innovations: D", self.innovations, self.D, 1),
                 ("errors: P", self.errors, self.P, blocks))
        return [(name, x @ x.T / x.shape[1] * places, theory) for name, x, theory, places in given]

    def __repr__(self):
        rows = [(name, f"{np.abs(theory).max(initial=0):.4g}", f"{np.abs(found - theory).max(initial=0):.2g}")
                for name, found, theory in self.covariances()]
        return text_table(("covariance", "largest entry", "largest difference"), rows) + (
            f"\n({self.y.shape[1]} samples)")


def kalman_analogy(model, q, rng, samples=1000, t=0.0):
    """Draw noise w(k) of covariance M(k), let it run from tip to base, and filter what the joints see of it (SOA 6).

    q: positions (nq), numbers; rng: a NumPy generator; samples: how many runs; t: time (s). Returns a `KalmanAnalogy`:
    what the joints see has the mass matrix as its covariance, the innovations have D and are not correlated from joint
    to joint. Raises ValueError or TypeError for arguments of the wrong kind, such as symbols.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {rng!r}; give a generator such as numpy.random.default_rng(1).")
    c, samples = chain(model, q, t=t), whole_number(samples, "samples", 1)
    lists = {name: [None, *(as_floats(getattr(c, name)[k]) for k in c.links), None] for name in ("phi", "H", "M")}
    if any(x is None for values in lists.values() for x in values[1:-1]):
        raise ValueError("q, t or the model contains symbols or complex numbers; noise can be drawn for real numbers "
                         "only. Put real numbers in.")
    c = soa.at_rest(c)._replace(beta=np.zeros(c.N), **lists)
    A, o = articulated_inertias(c), articulated_operators(c)
    w = [None]
    for k in c.links:
        B, D, *_ = factor(c.M[k], 1e-14 * c.M[k].max())                                 # M = B D Bᵀ
        w.append(B * np.sqrt(D) @ rng.normal(size=(len(D), samples)))

    x = tip_to_base(c, w)                                                               # x = phi w
    y = [None, *(c.H[k] @ x[k] for k in c.links)]
    K_y = [None, *(sum((A.K[j] @ y[j] for j in c.outboard[k]), 0 * x[k]) for k in c.links)]
    z = tip_to_base(c, K_y, A.psi)                                                      # z = psi K y

    epsilon = [y[k] - c.H[k] @ z[k] for k in c.links]                                   # (1 - H psi K) y
    none = np.zeros((0, samples))
    return KalmanAnalogy(np.concatenate([none, *y[1:]]), np.concatenate([none, *epsilon]),
                         np.concatenate([none, *(x[k] - z[k] for k in c.links)]), operators(c).mass_matrix(), o.D, o.P)
