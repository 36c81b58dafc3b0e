"""Spatial operator algebra, sections 6 and 7, row by row: factors and inverse of the mass matrix, the full algorithm.
The operators are built as matrices from geometry: levers, axes, and the inertia that a floppy part shows when it is
pushed. What is to come out is the matrix of the kinetic energy, its inverse by NumPy, and accelerations by
differences."""

from collections import Counter
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

from rbdlib.book.ch07_articulated_body import aba
from rbdlib.methods.generators import gu
from rbdlib.numbers.operations import Counted
from rbdlib.texts.soa import mass_matrix_methods as methods, order_n
from rbdlib.texts.soa.operators import Operators, chain, operators
from rbdlib.texts.soa.order_n.factors import ArticulatedOperators, mass_matrix_factors
from tests.sources.helpers import close, far, near
from tests.sources.soa_systems import RATES, SYSTEMS, block, diagonal, named_system, operations, serial_system
from tests.sources.test_soa_order_n import Rest, at_rest, below_diagonal, whole

SEED = 60


class Dense:
    """The stacked operators of a system as matrices, from geometry, and psi by NumPy's inverse."""
    def __init__(self, rest):
        system = self.system = rest.system
        self.H, self.phi, self.mass_matrix = system.H(), system.phi(), system.mass_matrix()
        self.M, self.P = diagonal([system.M(k) for k in rest.links]), diagonal([rest.P(k) for k in rest.links])
        self.E_phi = below_diagonal(rest, lambda k: rest.phi[k])
        self.D, self.G = whole(rest, rest.D), diagonal([rest.G(k) for k in rest.links])
        self.K, self.E_psi = self.E_phi @ self.G, below_diagonal(rest, rest.psi)
        self.tau_bar = diagonal([rest.tau_bar(k) for k in rest.links])
        self.one, self.six = np.eye(len(self.H)), np.eye(len(self.M))
        self.psi, self.phi_tilde = np.linalg.inv(self.six - self.E_psi), self.phi - self.six
        self.R = diagonal([system.composite_inertia(k) for k in rest.links])
        self.tau, self.D_inv = self.G @ self.H, np.linalg.inv(self.D)
        self.W, self.W_inv = self.one + self.H @ self.phi @ self.K, self.one - self.H @ self.psi @ self.K

    def motion(self):
        """a, b and T of the moving system, stacked: by geometry, without weights and other forces."""
        system = self.system
        a = [system.alpha[k] - block(system.lever(system.inboard(k), k)).T @ system.alpha[system.inboard(k)]
             - system.H_star(k) @ system.beta_dot[system.variables(k)] for k in system.links]
        b = [system.net_force(k) - system.M(k) @ system.alpha[k] for k in system.links]
        return np.concatenate(a), np.concatenate(b), system.T()


def similar(actual, expected):
    """As `near` for matrices whose entries differ in size: relative to the largest."""
    near(actual, expected, RATES)


@cache
def dense(system):
    return Dense(at_rest(system))


@pytest.fixture(params=SYSTEMS)
def system(request):
    return named_system(request.param)


@pytest.fixture
def rest(system):
    return at_rest(system)


@pytest.fixture
def o(system):
    return dense(system)


def blocks_outside(matrix, rows, columns, places):
    """The largest entry of a matrix in blocks other than those at the given (row, column) places, counted from 1."""
    ends_r, ends_c = np.cumsum([0, *rows]), np.cumsum([0, *columns])
    rest = np.abs(matrix)
    for i, j in places:
        rest[ends_r[i - 1] : ends_r[i], ends_c[j - 1] : ends_c[j]] = 0
    return rest.max(initial=0)


# The operators

@pytest.mark.source("SOA-53")
def test_the_articulated_operators_and_their_blocks(rest, o):
    found, r, six = order_n.articulated_operators(rest.c), [len(rest.at(k)) for k in rest.links], [6] * rest.n
    for ours, theirs in ((found.P, o.P), (found.D, o.H @ o.P @ o.H.T), (found.G @ o.D, o.P @ o.H.T),
                         (found.K, o.E_phi @ o.G), (found.tau_bar, o.six - o.G @ o.H), (found.tau, o.G @ o.H),
                         (found.tau_bar, o.tau_bar), (found.E_psi, o.E_phi @ o.tau_bar), (found.E_psi, o.E_psi)):
        similar(ours, theirs)
    own, below = [(k, k) for k in rest.links], [(rest.inboard(k), k) for k in rest.links if rest.inboard(k) <= rest.n]
    for matrix, rows, columns, places in ((found.D, r, r, own), (found.G, six, r, own), (found.tau, six, six, own),
                                          (found.tau_bar, six, six, own), (found.K, six, r, below),
                                          (found.E_psi, six, six, below)):
        assert blocks_outside(matrix, rows, columns, places) == 0


@pytest.mark.source("SOA-54")
def test_psi_as_inverse_and_as_series(rest, o):
    E_psi, psi = o.E_psi, order_n.articulated_operators(rest.c).psi
    similar(psi, np.linalg.inv(o.six - E_psi))
    similar(psi, sum(np.linalg.matrix_power(E_psi, i) for i in range(rest.n)))
    assert np.abs(np.linalg.matrix_power(E_psi, rest.n)).max() < 1e-7
    for j in rest.links:
        product, i = np.eye(6), j
        while i <= rest.n:
            similar(psi[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j], product)
            product, i = rest.psi(i) @ product, rest.inboard(i)
    similar(psi, np.tril(psi, 5))


@pytest.mark.source("SOA-L6.2", "SOA-L6.3", "SOA-L6.4")
def test_factors_and_inverse_of_the_mass_matrix(rest, o):
    """The matrix of the kinetic energy from square factors, the last step of Lemma 6.2; what inverts them, by NumPy."""
    H_phi_K_D = o.H @ o.phi @ o.K @ o.D
    similar(o.D + H_phi_K_D + H_phi_K_D.T + H_phi_K_D @ np.linalg.inv(o.D) @ H_phi_K_D.T, o.mass_matrix)
    found, inverse = mass_matrix_factors(rest.c), np.linalg.inv(o.mass_matrix)
    similar(found.W, o.W)
    similar(found.W @ found.D @ found.W.T, o.mass_matrix)
    assert blocks_outside(np.triu(found.W - o.one), *([[len(rest.at(k)) for k in rest.links]] * 2), []) == 0
    similar(found.W_inv, np.linalg.inv(o.W))
    similar(found.W_inv.T @ found.D_inv @ found.W_inv, inverse)
    similar(rest.c.to_chain(order_n.mass_matrix_inverse(rest.system.model, rest.system.q)), inverse)


@pytest.mark.source("SOA-55", "SOA-S6-1")
def test_what_the_operators_say_of_the_quantities_of_the_algorithm(rest, o):
    """z, epsilon, nu, alpha and beta_dot of a system at rest: from its geometry, and from the recursions."""
    T, D_inv = rest.T_bar, np.linalg.inv(o.D)
    z, epsilon = o.psi @ o.K @ T, o.W_inv @ T
    nu = D_inv @ epsilon
    alpha = o.psi.T @ o.H.T @ nu
    beta_dot = nu - o.K.T @ alpha
    near(epsilon, T - o.H @ z, RATES)
    near(o.W_inv.T @ D_inv @ o.W_inv @ T, rest.beta_dot, RATES)                         # (55)
    near(beta_dot, rest.beta_dot, RATES)
    near(alpha, np.concatenate(rest.alpha[1:-1]), RATES)
    near(z, np.concatenate([rest.z(k) for k in rest.links]), RATES)
    sweeps = rest.sweeps
    for by_operators, by_recursion in ((z, sweeps.z), (epsilon, sweeps.epsilon), (nu, sweeps.nu),
                                       (alpha, sweeps.alpha[:-1])):
        near(by_operators, np.concatenate(by_recursion[1:]), RATES)


# The lemmas, to be looked at

def as_in_the_text(o, f, beta_dot, a, b, T):
    """The members of every equation that `lemmas` has, of any operators that are attributes of o.
    f: forces at rest with the accelerations beta_dot."""
    H, phi, psi, phi_tilde, E_phi, E_psi = o.H, o.phi, o.psi, o.phi_tilde, o.E_phi, o.E_psi
    M, R, P, K, D, D_inv, tau, tau_bar, one, six = o.M, o.R, o.P, o.K, o.D, o.D_inv, o.tau, o.tau_bar, o.one, o.six
    left, right = one + H @ phi @ K, one - H @ psi @ K
    inverse = right.T @ D_inv @ right
    return {
        "Lemma 3.1, Eq. 26": [M, R - E_phi @ R @ E_phi.T],
        "Lemma 3.1, Eq. 27": [phi @ M @ phi.T, R + phi_tilde @ R + R @ phi_tilde.T],
        "Lemma 3.2": [f, R @ phi.T @ H.T @ beta_dot + phi_tilde @ R @ H.T @ beta_dot],
        "Eq. 39": [tau_bar, tau_bar @ tau_bar, six - tau @ tau],
        "Eq. 41": [P @ tau_bar.T, tau_bar @ P, tau_bar @ P @ tau_bar.T],
        "Eq. 42": [P, E_psi @ P @ E_psi.T + M],
        "Lemma 6.1": [six - E_psi, six - E_phi + K @ H],
        "Lemma 6.2, step 1": [M, P - E_psi @ P @ E_phi.T, P - E_phi @ P @ E_phi.T + K @ D @ K.T],
        "Lemma 6.2, step 2": [phi @ M @ phi.T, P + phi_tilde @ P + P @ phi_tilde.T + phi @ K @ D @ (phi @ K).T],
        "Lemma 6.2": [o.mass_matrix, left @ D @ left.T],
        "Lemma 6.3": [one, right @ left],
        "Lemma 6.4": [one, inverse @ o.mass_matrix],
        "Eq. 57": [H @ psi, right @ H @ phi, H @ phi - H @ psi @ K @ H @ phi],
        "Eq. 58": [psi @ M @ phi.T, psi @ P + P @ phi_tilde.T],
        "Eq. 59": [K.T @ psi.T, right.T @ K.T @ phi.T, right.T @ D_inv @ H @ P @ phi_tilde.T],
        "Lemma 6.5": [beta_dot, right.T @ D_inv @ (T - H @ psi @ (K @ T + b + P @ a)) - (psi @ K).T @ a]}


def agree(found, expected):
    assert list(found) == list(expected)
    for name, members in expected.items():
        assert len(found[name]) == len(members), name
        for ours, theirs in zip(found[name], members, strict=True):
            similar(ours, theirs)


@pytest.mark.source("SOA-L3.1", "SOA-L3.2", "SOA-39", "SOA-41", "SOA-42", "SOA-L6.1", "SOA-L6.2", "SOA-L6.3",
                    "SOA-L6.4", "SOA-57", "SOA-58", "SOA-59", "SOA-L6.5", "SOA-26", "SOA-27", "SOA-S7-1", "SOA-S6-1")
def test_every_member_of_every_lemma_is_what_geometry_says(system):
    """Of the moving system: the operators by levers, axes and pushes, the accelerations and forces by differences. The
    library's members with gravity and external forces as well, which the joint forces then bear. As printed, Lemma 6.5
    ends in psi* K* a, which is no product, and epsilon, S6-1, is T - Hz instead of what is left of the bias-free T."""
    a, b, T = dense(system).motion()
    rest = Rest(system, system.mass_matrix() @ system.beta_dot)
    o, f = Dense(rest), np.concatenate(rest.f[1:])
    expected = as_in_the_text(o, f, system.beta_dot, a, b, T)
    agree(order_n.lemmas(chain(system.model.replace(gravity=(0, 0, 0)), system.q, system.qd), T), expected)
    loaded = chain(system.model, system.q, system.qd, system.f_ext)
    agree(order_n.lemmas(loaded, system.T(gravity=True, external=True)), expected)
    for members in expected.values():
        for member in members[1:]:
            similar(member, members[0])
    far(expected["Lemma 6.5"][1] + o.K.T @ (o.psi.T @ a), system.beta_dot)              # without its last term
    with pytest.raises(ValueError, match="mismatch"):
        o.psi.T @ (o.K.T @ a)
    epsilon, z = o.W_inv @ rest.T_bar, np.concatenate([rest.z(k) for k in rest.links])
    near(rest.T_bar - o.H @ z, epsilon, RATES)
    far(T - o.H @ z, epsilon)


def test_every_member_of_every_lemma_is_its_own_expression(monkeypatch, rng):
    """With matrices at random in the place of the operators no lemma holds, and each side shows what it computes."""
    c = chain(gu(3), np.zeros(3))
    N, six_n = c.N, 6 * c.n
    shapes = {"E_phi": (six_n, six_n), "phi": (six_n, six_n), "H": (N, six_n), "M": (six_n, six_n), "R": (six_n, six_n),
              "Delta_V": (six_n,), "V": (six_n,), "a": (six_n,), "b": (six_n,), "f_ext": (six_n,),
              "alpha_base": (six_n,), "P": (six_n, six_n), "D": (N, N), "D_inv": (N, N), "G": (six_n, N),
              "K": (six_n, N), "tau": (six_n, six_n), "tau_bar": (six_n, six_n), "E_psi": (six_n, six_n),
              "psi": (six_n, six_n)}
    x = {name: rng.normal(size=shape) / 3 for name, shape in shapes.items()}
    for kind, function in ((Operators, "operators"), (ArticulatedOperators, "articulated_operators")):
        drawn = kind(*(x[name] for name in kind._fields))
        monkeypatch.setattr(f"rbdlib.texts.soa.order_n.factors.{function}", lambda c, drawn=drawn: drawn)
    o, T = SimpleNamespace(**x), rng.normal(size=N)
    o.one, o.six = np.eye(N), np.eye(six_n)
    o.phi_tilde, o.mass_matrix = o.phi - o.six, o.H @ o.phi @ o.M @ o.phi.T @ o.H.T
    a, b, right = o.a + o.alpha_base, o.b - o.f_ext, o.one - o.H @ o.psi @ o.K
    beta_dot = right.T @ o.D_inv @ right @ (T - o.H @ o.phi @ (o.M @ o.phi.T @ a + b))
    expected = as_in_the_text(o, o.phi @ o.M @ o.phi.T @ o.H.T @ beta_dot, beta_dot, a, b, T)
    agree(order_n.lemmas(c, T), expected)
    for left, *others in expected.values():
        for other in others:
            far(other, left)


# The Kalman filter

@pytest.mark.source("SOA-S6-5")
def test_a_kalman_filter_makes_innovations_of_what_the_joints_see(rng):
    """Noise of covariance M, 40 000 times: the covariance of what is seen is the mass matrix, of what is new, D."""
    system = serial_system("arm")
    rest, o, found = at_rest(system), dense(system), order_n.kalman_analogy(system.model, system.q, rng, 40_000)
    y, epsilon, samples = found.y, found.innovations, found.y.shape[1]
    for x, theory in ((y, o.mass_matrix), (epsilon, o.D)):
        covariance = x @ x.T / samples
        assert np.abs(x.mean(axis=1)).max() < 0.02 * np.sqrt(np.diag(theory).max())
        scale = np.sqrt(np.outer(np.diag(theory), np.diag(theory)))
        assert np.abs((covariance - theory) / scale).max() < 0.03
    for k in rest.links:
        errors = found.errors[6 * k - 6 : 6 * k]
        assert np.abs(errors @ errors.T / samples - rest.P(k)).max() < 0.05 * np.abs(rest.P(k)).max()
    near(epsilon, o.W_inv @ y, 1e-6)
    near(o.W_inv @ o.mass_matrix @ o.W_inv.T, o.D, 1e-8)


@pytest.mark.source("SOA-S6-5")
def test_no_other_gain_predicts_as_well(rng):
    """The gain K is the best: what the prediction misses has the covariance P, and more of it with any other gain."""
    rest = at_rest(serial_system("arm"))
    for k in rest.links[:-1]:
        P, H, phi, inertia = rest.P(k), rest.H[k], rest.phi[k], rest.system.M(k + 1)

        def missed(K, P=P, H=H, phi=phi, inertia=inertia):
            return (phi - K @ H) @ P @ (phi - K @ H).T + inertia

        near(missed(rest.A.K[k]), rest.P(k + 1), RATES)
        for other in rest.A.K[k] + rng.normal(size=(5, *rest.A.K[k].shape)):
            assert np.linalg.eigvalsh(missed(other) - rest.P(k + 1)).min() > -1e-6 * np.abs(P).max()
            assert np.trace(missed(other)) > np.trace(rest.P(k + 1))


# The full algorithm

@pytest.mark.source("SOA-60", "SOA-56")
def test_the_lines_that_velocities_change(rest, o):
    """f = P (alpha - a) + z with the new z, by geometry; P alpha + z is not f where there are velocities."""
    system, (a, b, T) = rest.system, o.motion()
    free = T - o.H @ o.phi @ (b + o.M @ o.phi.T @ a)
    near(np.linalg.solve(o.mass_matrix, free), system.beta_dot, RATES)                  # (56)
    near(o.W_inv.T @ o.D_inv @ o.W_inv @ free, system.beta_dot, RATES)
    a, b = [None, *a.reshape(-1, 6)], [None, *b.reshape(-1, 6)]
    moving = chain(system.model.replace(gravity=(0, 0, 0)), system.q, system.qd)
    sweeps, z, z_plus = order_n.two_sweeps(moving, order_n.articulated_inertias(moving), T), {}, {}
    for k in rest.links:
        z[k] = sum((rest.phi[j] @ z_plus[j] for j in rest.children(k)), rest.P(k) @ a[k] + b[k])
        z_plus[k] = z[k] + rest.G(k) @ (T[rest.at(k)] - rest.H[k] @ z[k])
        near(system.f(k) - rest.P(k) @ (system.alpha[k] - a[k]), z[k], RATES)
        near(sweeps.z[k], z[k], RATES)
        alpha_plus = rest.phi[k].T @ system.alpha[rest.inboard(k)]
        near(alpha_plus + rest.H[k].T @ system.beta_dot[rest.at(k)] + a[k], system.alpha[k], RATES)
        nu = np.linalg.solve(rest.D(k), T[rest.at(k)] - rest.H[k] @ z[k])
        near(nu - rest.G(k).T @ alpha_plus, system.beta_dot[rest.at(k)], RATES)
        near(sweeps.alpha[k], system.alpha[k], RATES)
    far(np.concatenate([system.f(k) - rest.P(k) @ system.alpha[k] for k in rest.links]),
        np.concatenate([z[k] for k in rest.links]))


# The conclusions

@pytest.mark.slow
@pytest.mark.source("SOA-S7-1", "SOA-46", "SOA-A6-1")
def test_the_classes_differ_in_how_their_costs_grow():
    """Third, second and first differences of the operations, from 4 links on, are the same; the next ones vanish."""
    given = np.random.default_rng(7).normal(size=(3, 8))
    for method, order in ((methods.crb, 3), (order_n.innovations, 2), (order_n.rosenthal_elimination, 3),
                          (order_n.full_order_n, 1), (order_n.articulated_body, 1)):
        counts = [operations(partial(method, gu(n)), *given[:, :n]) for n in range(4, 9)]
        growth = np.diff(counts, order)
        assert len(set(growth)) == 1 and growth[0] > 0, (method.__name__, counts)


@pytest.mark.source("SOA-S7-1", "SOA-S7-2", "SOA-A6-1", "SOA-22")
def test_all_algorithms_coincide(system):
    """Accelerations of the motion that was differentiated, from the forces that d'Alembert asks for it. Weights and
    other forces act; methods of every class. Armstrong's algorithm has its own joints."""
    for method in (aba, order_n.full_order_n, order_n.articulated_body, order_n.vereshchagin, order_n.featherstone,
                   order_n.rodriguez, order_n.brandl_johanni_otter, order_n.bae_haug, order_n.rosenthal,
                   order_n.armstrong, order_n.innovations, order_n.rosenthal_elimination, methods.direct,
                   methods.symmetry, methods.crb, methods.conjugate_gradient,
                   methods.preconditioned_conjugate_gradient):
        balls = [named_system("balls"), named_system("balls, tree")]
        for own in balls if method is order_n.armstrong else [system]:
            found = method(own.model, own.q, own.qd, own.joint_forces(), own.f_ext)
            condition = np.linalg.cond(own.mass_matrix())
            assert np.abs(found - own.qdd).max() < 1e-11 * condition * max(1, np.abs(own.qdd).max()), method.__name__


class Lean(Counted):
    """A `Counted` number for which adding 0, and multiplying by 0, 1 or -1, costs nothing."""
    def __add__(self, other):
        return self if isinstance(other, int) and other == 0 else super().__add__(other)

    def __mul__(self, other):
        if isinstance(other, int) and other in (0, 1, -1):
            return 0 if other == 0 else self if other == 1 else -self
        return super().__mul__(other)

    __radd__, __rmul__ = __add__, __mul__


def symmetric(entry):
    """The symmetric 3 x 3 matrix of entry(i, j), which is asked for once, for i <= j."""
    entry = cache(entry)
    return np.array([[entry(min(i, j), max(i, j)) for j in range(3)] for i in range(3)], dtype=object)


class RigidBody:
    """A rigid body's inertia about O as ten numbers: mass m, first moment h, moments of inertia J. Stands for M(k)."""
    __array_ufunc__ = None

    def __init__(self, m, h, J, l=None):
        self.m, self.h, self.J, self.l = m, h, J, l

    def __rmatmul__(self, phi):
        return RigidBody(self.m, self.h, self.J, phi[[2, 0, 1], [4, 5, 3]])

    def __matmul__(self, x):
        if self.l is not None:                                      # phi M phi*, the parallel-axis theorem
            h = self.h + self.m * self.l
            products = symmetric(lambda i, j: self.h[i] * self.l[j] + self.l[i] * h[j])
            trace = products[0, 0] + products[1, 1] + products[2, 2]
            J = symmetric(lambda i, j: self.J[i, j] - products[i, j] + (trace if i == j else 0))
            return RigidBody(self.m, h, J)
        if x.ndim == 2:
            return np.column_stack([self @ column for column in x.T])
        return np.concatenate([self.J @ x[:3] + cross(self.h, x[3:]), self.m * x[3:] - cross(self.h, x[:3])])

    def __add__(self, other):
        return RigidBody(self.m + other.m, self.h + other.h, symmetric(lambda i, j: self.J[i, j] + other.J[i, j]))


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def counted_chain(c, operations):
    """The chain with lean numbers in phi, H and M, where M(k) are ten numbers and zeros and ones are known as such."""
    def lean(array):
        entries = [int(x) if x in (0, 1) else Lean(x, operations) for x in array.ravel()]
        return np.array([*entries, None], dtype=object)[:-1].reshape(array.shape)

    M = [RigidBody(M[5, 5], M[[2, 0, 1], [4, 5, 3]], M[:3, :3]) for M in map(lean, c.M[1:-1])]
    phi, H = ([None, *(lean(x[k]) for k in c.links)] for x in (c.phi, c.H))
    return c._replace(phi=phi, H=H, M=[None, *M, None], beta=lean(c.beta))


@pytest.mark.source("SOA-S7-3")
@pytest.mark.parametrize("n", [2, 3, 7])
def test_composite_bodies_give_the_mass_matrix_for_the_fewest_operations(n):
    """Where a rigid body's inertia is ten numbers, and nothing is multiplied by the zeros and ones of phi."""
    model = gu(n)
    c, costs = chain(model, np.random.default_rng(n).normal(size=n)), []
    for method in (methods.mass_matrix_crb, methods.mass_matrix_by_symmetry, methods.mass_matrix_direct):
        counter = Counter()
        found = method(counted_chain(c, counter))
        close(np.vectorize(lambda x: getattr(x, "value", x), otypes=[float])(found), operators(c).mass_matrix(), 1e-11)
        costs.append(sum(counter.values()))
    assert costs == sorted(set(costs)), costs
