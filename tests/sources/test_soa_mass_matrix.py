"""Spatial operator algebra, sections 3 and 4, row by row: mass matrices, composite bodies, conjugate gradients. The
mass matrix that they must give is that of the kinetic energy, by the geometry of `tests.sources.soa_systems`. Where the
text errs (data/errata.csv), the printed form is shown to fail."""

from functools import cache, partial

import mpmath
import numpy as np
import pytest

from rbdlib.book.ch06_inertia_matrix import crba
from rbdlib.methods.generators import auto_tree, gu
from rbdlib.texts.soa import mass_matrix_methods as methods, operators as soa
from rbdlib.texts.soa.order_n import articulated_inertias, innovations
from rbdlib.texts.soa.order_n.articulated import triangularised, unit_triangle
from rbdlib.texts.soa.order_n.factors import mass_matrix_factors
from tests.sources.helpers import close, far, near, random_tree
from tests.sources.soa_systems import block, diagonal, kalman, named_system, operations

SEED = [1, 34]
MASS_MATRICES = (methods.mass_matrix_direct, methods.mass_matrix_by_symmetry, methods.mass_matrix_crb)


def view(system):
    return soa.chain(system.model, system.q, system.qd, system.f_ext)


def inertias(system):
    """The stacked M and R, from momenta."""
    return tuple(diagonal([of(k) for k in system.links]) for of in (system.M, system.composite_inertia))


def rest_forces(system, beta_dot):
    """alpha and f, stacked, of the system at rest with joint accelerations beta_dot: by ways, levers and inertias."""
    alpha = np.concatenate([system.ways_at(k) @ beta_dot for k in system.links])
    return alpha, system.phi() @ inertias(system)[0] @ alpha


def differences(cost, n, order):
    """The first number is the order-th difference of cost(n), cost(n+1), ..: zero for polynomials of lower degree."""
    return np.diff([cost(n + i) for i in range(order + 1)], order)[0]


# 3 Methods for the mass matrix

@pytest.mark.source("SOA-A3-1", "SOA-A3-2", "SOA-28", "SOA-23")
def test_every_method_gives_the_matrix_of_the_kinetic_energy(any_system):
    """Gravity, velocities and external forces of the state play no part in it."""
    c, beta = view(any_system), any_system.beta
    for k, unit in enumerate(np.eye(c.N)):                                              # (23)
        near(soa.mass_matrix_times(c, unit), any_system.mass_matrix()[:, k])
        near(soa.inverse_dynamics(soa.at_rest(c), unit).T, any_system.mass_matrix()[:, k])
    near(c.to_model(any_system.mass_matrix()), crba(any_system.model, any_system.q))
    for method in MASS_MATRICES:
        M = method(c)
        near(M, any_system.mass_matrix())
        near(beta @ M @ beta / 2, any_system.kinetic_energy())


@cache
def own_cost(method, n):
    """Operations of a method on a chain of n hinges, without those that make the chain."""
    model, q = gu(n), np.ones(n)
    return operations(lambda q: method(soa.chain(model, q)), q) - operations(lambda q: soa.chain(model, q).beta, q)


@pytest.mark.slow
@pytest.mark.source("SOA-A3-1", "SOA-A3-2", "SOA-S3-1", "SOA-28", "SOA-29")
def test_how_the_costs_of_the_methods_grow():
    """Direct: an inverse dynamics for each freedom. By symmetry: of half the links on average. CRB: quadratic."""
    def column(n):
        return own_cost(lambda c: soa.mass_matrix_times(c, np.eye(n)[0]), n)

    def by_composites(n):
        return own_cost(lambda c: methods.crb_inverse_dynamics(c, np.ones(n)).T, n)

    for linear in (column, by_composites):
        assert differences(linear, 3, 2) == 0 < differences(linear, 3, 1)
    direct, symmetry, crb = (partial(own_cost, method) for method in MASS_MATRICES)
    for quadratic in (direct, symmetry, crb):
        assert differences(quadratic, 3, 3) == 0
    assert all(abs(direct(n) - n * column(n)) <= 0.1 * direct(n) and symmetry(n) < direct(n) for n in (2, 3, 6))
    ratios = [symmetry(n) / direct(n) for n in (3, 6, 12)]
    assert sorted(ratios, reverse=True) == ratios and 0.4 < ratios[-1] < 0.6
    assert 0 < differences(crb, 3, 2) < differences(symmetry, 3, 2) / 2


@pytest.mark.source("SOA-24", "SOA-25", "SOA-S3-2")
def test_composite_inertias(any_system, rng):
    """The outboard links as one body: R by the recursion, from momenta, and from forces link by link, joints locked.
    The text gives R(k) and R(k-1) to joints k and k+1; what joint k+1 carries has another inertia than R(k-1)."""
    system, R = any_system, soa.composite_inertias(view(any_system))
    assert len(R) == len(system.links) + 1
    for k in system.links:
        outboard, alpha = [j for j in system.links if system.inboard(j) == k], rng.normal(size=6)
        shifted = [block(system.lever(k, j)) @ system.composite_inertia(j) @ block(system.lever(k, j)).T
                   for j in outboard]
        close(system.M(k) + sum(shifted), system.composite_inertia(k))
        close(R[k], system.composite_inertia(k))
        mass = sum(system.mechanism.bodies[system.body(j) - 1][0] for j in system.outboard(k))
        close(R[k][3:, 3:], mass * np.eye(3))
        locked = {j: block(system.lever(k, j)).T @ alpha for j in system.outboard(k)}
        f = {j: sum(block(system.lever(j, i)) @ system.M(i) @ locked[i] for i in system.outboard(j)) for j in locked}
        close(R[k] @ alpha, f[k])
        close(sum((block(system.lever(k, j)) @ f[j] for j in outboard), system.M(k) @ alpha), f[k])
        for j in outboard:
            close(R[j] @ locked[j], f[j])
            if system.inboard(k) <= system.n:
                far(R[j], system.composite_inertia(system.inboard(k)))


# 3 Composite bodies in inverse dynamics

@pytest.mark.source("SOA-29", "SOA-L3.2")
def test_inverse_dynamics_with_composite_inertias(any_system):
    """Lemma 3.2, the force in two parts: by geometry, and by the recursions."""
    c, beta_dot, phi, R = view(any_system), any_system.beta_dot, any_system.phi(), inertias(any_system)[1]
    forces, (alpha, f) = methods.crb_inverse_dynamics(c, beta_dot), rest_forces(any_system, any_system.beta_dot)
    near(R @ alpha + (phi - np.eye(len(phi))) @ R @ any_system.H().T @ beta_dot, f)     # Lemma 3.2
    near(soa.stacked(c, forces.alpha), alpha)
    near(soa.stacked(c, forces.f), f)
    near(soa.stacked(c, forces.y), f - R @ alpha)
    near(forces.T, any_system.mass_matrix() @ beta_dot)
    assert not forces.y[1].any()


@pytest.mark.source("SOA-S3-3")
def test_the_correction_force_depends_on_the_outboard_joints_only():
    """R(k) alpha(k) depends on the accelerations of joints n..k, and y(k) = f(k) - R(k) alpha(k) on those of k-1..1.
    The text lists joints k and k+1 among the latter. Both parts by geometry and by the recursions."""
    system = named_system("arm")
    for j in system.links:
        beta_dot = np.zeros(len(system.beta))
        beta_dot[system.variables(j)] = [1.0, 0.7, -0.4][: len(system.variables(j))]
        alpha, f = (x.reshape(-1, 6) for x in rest_forces(system, beta_dot))
        forces = methods.crb_inverse_dynamics(view(system), beta_dot)
        for k in system.links:
            R_alpha = system.composite_inertia(k) @ alpha[k - 1]
            assert (abs(R_alpha).max() > 1e-6) == (j >= k)
            assert (abs(f[k - 1] - R_alpha).max() > 1e-6) == (j < k)
            close(forces.y[k], f[k - 1] - R_alpha, 1e-9)
            close(forces.R[k] @ forces.alpha[k], R_alpha, 1e-9)


@pytest.mark.source("SOA-S3-4")
def test_the_two_recursions_run_in_any_order(system, rng):
    """Steps for y and for alpha, shuffled into each other: each needs the step before it of its own kind alone."""
    c, beta_dot = view(system), system.beta_dot
    R, done = soa.composite_inertias(c), {("y", 0): None, ("alpha", c.n + 1): np.zeros(6)}
    waiting = [[("y", k) for k in c.links], [("alpha", k) for k in reversed(c.links)]]
    while any(waiting):
        kind, k = waiting[rng.choice([i for i in range(2) if waiting[i]])].pop(0)
        if kind == "y":
            done["y", k] = (c.phi[k - 1] @ (done["y", k - 1] + R[k - 1] @ c.H[k - 1].T @ beta_dot[c.at(k - 1)])
                            if k > 1 else np.zeros(6))
        else:
            done["alpha", k] = c.phi[k].T @ done["alpha", k + 1] + c.H[k].T @ beta_dot[c.at(k)]
    f = rest_forces(system, beta_dot)[1]
    near(np.concatenate([R[k] @ done["alpha", k] + done["y", k] for k in c.links]), f)


# 4 Conjugate gradients

@pytest.mark.source("SOA-30")
def test_preconditioned_conjugate_gradients_with_gamma_corrected(any_system):
    """The solution; residuals that are what they say; directions conjugate with respect to the energy's matrix."""
    c = view(any_system)
    M, T_bar = any_system.mass_matrix(), any_system.mass_matrix() @ any_system.beta_dot
    found = methods.conjugate_gradients(lambda p: soa.mass_matrix_times(c, p), T_bar, methods.preconditioner(c))
    assert found.converged
    close(found.beta_dot, any_system.beta_dot, 1e-11 * np.linalg.cond(M))
    near(found.r[0], T_bar)
    directions = np.array(found.p[1 : c.N + 1])
    conjugacy = directions @ M @ directions.T
    sizes = np.sqrt(conjugacy.diagonal())
    first = min(5, len(sizes))
    close((conjugacy / np.outer(sizes, sizes))[:first, :first], np.eye(first), 1e-6)


@pytest.mark.source("SOA-30")
def test_gamma_needs_the_preconditioned_products():
    """With gamma as printed the directions are not conjugate and N steps do not do; z·r over z·r does both."""
    system = named_system("arm")
    c, M = view(system), (system.mass_matrix() + system.mass_matrix().T) / 2
    T_bar = M @ system.beta_dot
    precondition = methods.preconditioner(c)
    printed, corrected = (methods.conjugate_gradients(lambda p: M @ p, T_bar, precondition, gamma=form, steps=c.N)
                          for form in ("printed", "corrected"))
    size = np.linalg.norm(T_bar)
    assert np.linalg.norm(corrected.r[-1]) < 1e-8 * size < 1e-3 * size < np.linalg.norm(printed.r[-1])
    close(corrected.beta_dot, system.beta_dot, 1e-8)
    defects = []
    for found, z_r in ((corrected, True), (printed, False)):
        z = [precondition(r) for r in found.r[:2]]
        gamma = z[1] @ found.r[1] / (z[0] @ found.r[0]) if z_r else z[1] @ z[1] / (found.r[0] @ found.r[0])
        close(found.p[2], z[1] + gamma * found.p[1])
        products = np.array(found.p[1:]) @ M @ np.array(found.p[1:]).T
        sizes = np.sqrt(products.diagonal())
        defects.append(abs(np.triu(products / np.outer(sizes, sizes), 1)).max())
    assert defects[0] < 1e-6 < 1e-2 < defects[1]


@pytest.mark.source("SOA-30", "SOA-A4-1")
def test_without_rounding_as_many_steps_as_freedoms_are_enough():
    """In 60 digits: after N steps, and not after N - 1, the residual is gone, with and without a preconditioner. The
    text prints n, the number of links. The matrix is symmetric to the last digit, on which the digits depend."""
    system, exactly = named_system("arm"), np.vectorize(mpmath.mpf, otypes=[object])
    c, T_bar = view(system), system.beta_dot + 1
    assert c.N > c.n
    with mpmath.workdps(60):
        M = exactly(system.mass_matrix() + system.mass_matrix().T) / 2
        for precondition in (None, methods.preconditioner(c)):
            found = methods.conjugate_gradients(lambda p: M @ p, exactly(T_bar), precondition, steps=c.N)
            sizes = [float(mpmath.sqrt(r @ r)) for r in found.r]
            assert len(sizes) == c.N + 1 and sizes[-1] < 1e-35 < 1e-9 < min(sizes[:-1])
            p = np.array(found.p[1:])
            conjugacy = (p @ M @ p.T).astype(float)
            close(conjugacy, np.diag(conjugacy.diagonal()), 1e-35)
            near(found.beta_dot.astype(float), np.linalg.solve(system.mass_matrix(), T_bar))


@pytest.mark.source("SOA-A4-1")
def test_without_preconditioner_the_printed_gamma_is_right(system):
    """Then z = r and the two formulas agree; each step takes one product with the mass matrix."""
    c = view(system)
    T_bar, calls = system.mass_matrix() @ system.beta_dot, []

    def times(p):
        calls.append(p)
        return soa.mass_matrix_times(c, p)

    found, printed = (methods.conjugate_gradients(times, T_bar, gamma=form, steps=c.N + 5)
                      for form in ("corrected", "printed"))
    near(printed.beta_dot, found.beta_dot)
    assert len(calls) == len(found.p) - 1 + len(printed.p) - 1
    M = system.mass_matrix()
    for k in range(1, len(found.r)):
        s = found.r[k - 1] @ found.r[k - 1] / (found.p[k] @ M @ found.p[k])
        near(found.r[k], found.r[k - 1] - s * M @ found.p[k])
        if k > 1:
            gamma = found.r[k - 1] @ found.r[k - 1] / (found.r[k - 2] @ found.r[k - 2])
            near(found.p[k], found.r[k - 1] + gamma * found.p[k - 1])


@pytest.mark.source("SOA-A4-2")
def test_the_preconditioner_is_the_block_diagonal_of_the_mass_matrix(any_system):
    """Blocks of the energy's matrix; H R H* from momenta."""
    c, M = view(any_system), any_system.mass_matrix()
    Lambda = np.zeros_like(M)
    for k in any_system.links:
        own = np.ix_(any_system.variables(k), any_system.variables(k))
        Lambda[own] = M[own]
    near(any_system.H() @ inertias(any_system)[1] @ any_system.H().T, Lambda)
    near(Lambda @ methods.preconditioner(c)(any_system.beta), any_system.beta)


@pytest.mark.source("SOA-A4-2")
@pytest.mark.parametrize(("n", "plain", "scaled"), [(2, 44, 16), (8, 1.8e4, 1.6e4)])
def test_the_gain_of_the_preconditioner_shrinks_with_the_length(n, plain, scaled):
    """Straight planar chains of uniform links: condition numbers before and after."""
    c = soa.chain(auto_tree(n), np.zeros(n))
    M = methods.mass_matrix_crb(c)
    close(M, uniform_straight_chain(n))
    after = np.column_stack([methods.preconditioner(c)(column) for column in M])
    eigenvalues = np.sort(np.linalg.eigvals(after).real)
    assert np.linalg.cond(M) == pytest.approx(plain, rel=0.05)
    assert eigenvalues[-1] / eigenvalues[0] == pytest.approx(scaled, rel=0.05)


def uniform_straight_chain(n):
    """The mass matrix of n rods of unit length and mass in a line, tip first: sums of lever times lever, and 1/12."""
    M = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            M[i, j] = sum((i - link + 0.5) * (j - link + 0.5) + 1 / 12 for link in range(min(i, j) + 1))
    return M


@pytest.mark.source("SOA-S4-1")
@pytest.mark.parametrize("method", [methods.conjugate_gradient, methods.preconditioned_conjugate_gradient])
def test_conjugate_gradients_solve_forward_dynamics_in_quadratic_time(method):
    """N steps with a product of O(N) each, against N steps with a full matrix."""
    def cost(n):
        return operations(lambda *state: method(gu(n), *state), *(np.arange(1, n + 1) * np.ones((3, 1))))

    def dense(n):
        A = 2 * np.eye(n) + 1 / np.add.outer(np.arange(n) + 1.0, np.arange(n))
        b = np.arange(1.0, n + 1)
        return operations(lambda A, b: methods.conjugate_gradients(lambda p: A @ p, b).beta_dot, A, b)

    assert differences(cost, 3, 3) == 0 < differences(cost, 3, 2)
    assert differences(dense, 3, 4) == 0 < differences(dense, 3, 3)


@pytest.mark.source("SOA-S4-1")
def test_conjugate_gradients_need_a_positive_definite_matrix(rng):
    """A symmetric, regular matrix is not enough: here the first step divides by p·Ap = 0. Squared it is."""
    exchange, b = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
    close(exchange @ exchange[:, 0], b)
    assert b @ exchange @ b == 0
    with pytest.raises(ValueError, match="singular"):
        methods.conjugate_gradients(lambda p: exchange @ p, b)
    for n in (2, 3, 5):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        A = A @ A.T + np.eye(n)
        close(A @ methods.conjugate_gradients(lambda p, A=A: A @ p, b).beta_dot, b, 1e-9)


@pytest.mark.source("SOA-S4-2")
def test_convergence_depends_on_the_condition_number(rng):
    """Matrices of one size with the spectrum spread evenly over growing ranges need ever more steps."""
    N, steps, Q = 40, [], np.eye(40)
    for u in rng.normal(size=(3, N)):
        Q = Q - 2 * np.outer(u, u @ Q) / (u @ u)                            # reflections, which make it orthogonal
    for condition in (1.5, 10, 100, 1000):
        M = Q @ np.diag(np.geomspace(1, condition, N)) @ Q.T
        found = methods.conjugate_gradients(lambda p, M=M: M @ p, rng.normal(size=N), tolerance=1e-8)
        assert found.converged
        steps.append(len(found.p) - 1)
    assert steps == sorted(set(steps)) and steps[-1] > 3 * steps[0]


def dominant_rows(M):
    return 2 * M.diagonal() >= abs(M).sum(axis=1)


@pytest.mark.source("SOA-S4-2")
def test_where_the_diagonal_dominates_it_is_a_good_preconditioner():
    """Two-link arms folded so far that their rows are dominated by the diagonal: fewer steps, smaller condition."""
    dominated = 0
    for angle in np.linspace(1.6, 2.6, 11):
        c = soa.chain(auto_tree(2), np.array([0.3, angle]))
        M = methods.mass_matrix_crb(c)
        expected = np.array([[1 / 3, 1 / 3 + np.cos(angle) / 2], [0, 5 / 3 + np.cos(angle)]])
        close(M, expected + np.triu(expected, 1).T)
        if dominant_rows(M).all():
            dominated += 1
            root = np.sqrt(M.diagonal())
            assert np.linalg.cond(M / np.outer(root, root)) < np.linalg.cond(M)
    assert dominated > 5


@pytest.mark.source("SOA-S4-2")
@pytest.mark.parametrize(("n", "least", "most"), [(2, 0.75, 1), (3, 0.1, 0.65), (4, 0, 0.2), (6, 0, 0.05)])
def test_mass_matrices_of_chains_are_rarely_diagonally_dominant(n, least, most):
    """The part of forty chains at random: most of two links, hardly any from five links on. Straight uniform ones."""
    rng, drawn = np.random.default_rng([n, 2]), 40
    matrices = [random_tree(rng, n, range(n)).mass_matrix(rng.normal(size=n)) for _ in range(drawn)]
    assert least * drawn <= sum(dominant_rows(M).all() for M in matrices) < most * drawn
    assert not any(dominant_rows(uniform_straight_chain(m)).any() for m in (4, 8))


# 4 Triangularised equations

def factors_of(system):
    """W = 1 + H phi K and D, from Kalman's recursion and levers by geometry."""
    c = view(system)
    _, D, G, _ = kalman(c)
    phi, H = system.phi(), system.H()
    W = np.eye(c.N)
    for k in c.links:
        K = np.zeros((6 * c.n, len(c.H[k])))
        if k < c.n:
            K[6 * k : 6 * k + 6] = block(system.lever(k + 1, k)) @ G[k]
        W[:, c.at(k)] += H @ phi @ K
    return W, diagonal(D[1:])


@pytest.mark.source("SOA-S4-3")
def test_the_innovations_factors_of_the_mass_matrix(system):
    """In the chain's order W is lower triangular with blocks 1; in the model's order it is upper triangular."""
    W, D = factors_of(system)
    c, N = view(system), len(D)
    near(W @ D @ W.T, system.mass_matrix())
    near(mass_matrix_factors(c).W, W)
    near(mass_matrix_factors(c).D, D)
    for k in c.links:
        assert not W[: c.at(k).start, c.at(k)].any()
        near(W[c.at(k), c.at(k)], np.eye(len(c.H[k])))
        others = np.ones(N, dtype=bool)
        others[c.at(k)] = False
        assert not D[others][:, c.at(k)].any()
    far(W, np.eye(N))
    if all(len(c.H[k]) == 1 for k in c.links):
        in_model = c.to_model(W)
        near(in_model, np.triu(in_model))
        near(in_model @ c.to_model(D) @ in_model.T, crba(system.model, system.q))


@pytest.mark.source("SOA-A4-3")
def test_the_triangularised_equations_give_the_accelerations(system):
    """Forward substitution, block by block, and back substitution."""
    W, D = factors_of(system)
    c, T_bar = view(system), system.mass_matrix() @ system.beta_dot
    y, x, beta_dot = (np.zeros(c.N) for _ in range(3))
    for k in c.links:
        y[c.at(k)] = T_bar[c.at(k)] - W[c.at(k), : c.at(k).start] @ y[: c.at(k).start]
        x[c.at(k)] = np.linalg.inv(D[c.at(k), c.at(k)]) @ y[c.at(k)]                    # (a)
    near(W @ D @ x, T_bar)
    for k in reversed(c.links):
        beta_dot[c.at(k)] = x[c.at(k)] - W[c.at(k).stop :, c.at(k)].T @ beta_dot[c.at(k).stop :]    # (b)
    close(beta_dot, system.beta_dot, 1e-11 * np.linalg.cond(system.mass_matrix()))


@pytest.mark.slow
@pytest.mark.source("SOA-A4-3")
def test_the_cost_of_the_triangularised_equations():
    """K and D take O(N), 1 + H phi K and the two solutions O(N²)."""
    def inertias(n):
        return own_cost(lambda c: np.array(articulated_inertias(c).D[1:]), n)

    def triangle(n):
        return own_cost(lambda c: unit_triangle(c, articulated_inertias(c).K, c.phi), n) - inertias(n)

    def whole(n):
        return operations(lambda *state: innovations(gu(n), *state), *np.ones((3, n)))

    assert differences(inertias, 3, 2) == 0 < differences(inertias, 3, 1)
    for cost in (triangle, whole):
        assert differences(cost, 3, 3) == 0 < differences(cost, 3, 2)


@pytest.mark.source("SOA-A4-4", "SOA-S4-4")
def test_elimination_from_the_tip_computes_the_innovations_factors():
    """Of the energy's matrix, for joints of one freedom: pivots D(k), multipliers the elements of 1 + H phi K."""
    system = named_system("single")
    M, (W, D) = system.mass_matrix(), factors_of(system)
    U, b, multipliers = triangularised(M, M @ system.beta_dot)
    near(U.diagonal(), D.diagonal())
    far(1 / U.diagonal(), D.diagonal())                                         # what the text lets them be
    assert U.diagonal().min() > 0                                               # no pivoting is needed
    near(multipliers, W)
    near(W @ U, M)
    near(W @ b, M @ system.beta_dot)
    beta_dot = np.zeros(len(b))
    for k in reversed(range(len(b))):
        beta_dot[k] = (b[k] - U[k, k + 1 :] @ beta_dot[k + 1 :]) / U[k, k]
    close(beta_dot, system.beta_dot, 1e-11 * np.linalg.cond(M))
