"""Errata of the text on the spatial operator algebra, sections 2 to 4: the printed form fails, the corrected one holds.

The independent side is the geometry of `tests.sources.soa_systems`.
"""

import numpy as np
import pytest

from rbdlib.generators import auto_tree, gu
from rbdlib.inertia_matrix import inertia_matrix
from rbdlib.mass_matrix_methods import conjugate_gradients, crb_inverse_dynamics, preconditioner
from rbdlib.operators import chain, composite_inertias
from rbdlib.order_n import articulated_inertias, two_sweeps
from tests.sources.helpers import close, far, random_tree
from tests.sources.soa_systems import block, corrections, diagonal, kalman, serial_system


def view(system):
    return chain(system.model, system.q, system.qd)


@pytest.mark.source("SOA-SN-3")
@pytest.mark.parametrize("name", ["arm", "flying"])
def test_nu_and_epsilon_live_in_joint_space(name):
    """They have r_v(k) components, not 6: epsilon = T - H z, nu = D^-1 epsilon, and these give the accelerations."""
    system = serial_system(name)
    c, T_bar = view(system), system.mass_matrix() @ system.beta_dot
    _, D, G, _ = kalman(c)
    _, epsilon, nu = corrections(c, D, G, T_bar)
    sweeps = two_sweeps(c, articulated_inertias(c), T_bar, moving=False)
    for k in c.links:
        freedoms = system.H_star(k).shape[1]
        assert epsilon[k].shape == nu[k].shape == (freedoms,)
        close(sweeps.epsilon[k], epsilon[k], 1e-9)
        close(sweeps.nu[k], nu[k], 1e-9)
        alpha_plus = block(system.lever(k + 1, k)).T @ (
            system.ways_at(k + 1) @ system.beta_dot if k < c.n else np.zeros(6))
        close(nu[k] - G[k].T @ alpha_plus, system.beta_dot[c.at(k)], 1e-8)
    assert any(nu[k].shape != (6,) for k in c.links)


@pytest.mark.source("SOA-S3-2")
def test_composite_inertias_belong_to_joints_k_and_k_minus_1():
    """The text gives R(k) and R(k-1) to joints k and k+1; what joint k+1 carries has another inertia than R(k-1)."""
    system = serial_system("arm")
    R = composite_inertias(view(system))
    for k in range(2, system.n):
        close(R[k], system.composite_inertia(k))
        close(R[k - 1], system.composite_inertia(k - 1))
        far(R[k - 1], system.composite_inertia(k + 1))


@pytest.mark.source("SOA-S3-3")
@pytest.mark.parametrize("name", ["arm", "flying"])
def test_the_correction_force_depends_on_the_outboard_joints_only(name):
    """R(k) alpha(k) depends on the accelerations of joints n..k, and y(k) = f(k) - R(k) alpha(k) on those of k-1..1.

    The text lists joints k and k+1 among the latter. Both parts by geometry and by the recursions.
    """
    system = serial_system(name)
    c, phi, M = view(system), system.phi(), diagonal([system.M(k) for k in system.links])
    for j in system.links:
        beta_dot = np.zeros(c.N)
        beta_dot[c.at(j)] = [1.0, 0.7, -0.4, 0.3, 1.1, -0.9][: len(c.H[j])]
        alpha = np.concatenate([system.ways_at(k) @ beta_dot for k in system.links])
        f, forces = (phi @ M @ alpha).reshape(-1, 6), crb_inverse_dynamics(c, beta_dot)
        for k in system.links:
            R_alpha = system.composite_inertia(k) @ alpha[6 * k - 6 : 6 * k]
            y = f[k - 1] - R_alpha
            assert (abs(R_alpha).max() > 1e-6) == (j >= k)
            assert (abs(y).max() > 1e-6) == (j < k)
            close(forces.y[k], y, 1e-9)
            close(forces.R[k] @ forces.alpha[k], R_alpha, 1e-9)


def conjugacy_defect(p, M):
    """The largest cosine, in the sense of M, between two directions."""
    products = np.array(p) @ M @ np.array(p).T
    sizes = np.sqrt(products.diagonal())
    return abs(np.triu(products / np.outer(sizes, sizes), 1)).max()


@pytest.mark.source("SOA-30")
@pytest.mark.parametrize("name", ["single", "arm"])
def test_gamma_needs_the_preconditioned_products(name):
    """With gamma as printed the directions are not conjugate and N steps do not do; z·r over z·r does both."""
    system = serial_system(name)
    c, M = view(system), system.mass_matrix()
    M = (M + M.T) / 2
    T_bar, N = M @ system.beta_dot, c.N
    printed, corrected = (conjugate_gradients(lambda p: M @ p, T_bar, preconditioner(c), gamma=form, steps=N)
                          for form in ("printed", "corrected"))
    size = np.linalg.norm(T_bar)
    assert np.linalg.norm(corrected.r[-1]) < 1e-8 * size < 1e-3 * size < np.linalg.norm(printed.r[-1])
    assert conjugacy_defect(corrected.p[1:], M) < 1e-6 < 1e-2 < conjugacy_defect(printed.p[1:], M)
    close(corrected.beta_dot, system.beta_dot, 1e-8)
    far(printed.beta_dot, system.beta_dot)
    for found, z_r in ((corrected, True), (printed, False)):
        z = [preconditioner(c)(r) for r in found.r[:2]]
        gamma = z[1] @ found.r[1] / (z[0] @ found.r[0]) if z_r else z[1] @ z[1] / (found.r[0] @ found.r[0])
        close(found.p[2], z[1] + gamma * found.p[1])


@pytest.mark.source("SOA-30")
def test_as_many_steps_are_needed_as_there_are_freedoms_and_not_links():
    """The loop is printed up to n, which is too short where joints have several freedoms."""
    system = serial_system("balls and planes")
    c, M = view(system), system.mass_matrix()
    M = (M + M.T) / 2
    assert c.n == 5 and c.N == 15
    for precondition in (None, preconditioner(c)):
        after_n = conjugate_gradients(lambda p: M @ p, M @ system.beta_dot, precondition, steps=c.n)
        assert np.linalg.norm(after_n.r[-1]) > 1e-2
        after_N = conjugate_gradients(lambda p: M @ p, M @ system.beta_dot, precondition, steps=2 * c.N)
        assert np.linalg.norm(after_N.r[-1]) < 1e-8


def dominant_rows(M):
    return 2 * M.diagonal() >= abs(M).sum(axis=1)


GENERATORS = {"at random": lambda rng, n: random_tree(rng, n, range(n)).mass_matrix(rng.normal(size=n)),
              "gu": lambda rng, n: inertia_matrix(gu(n, rng.integers(1000)), rng.normal(size=n))}


@pytest.mark.source("SOA-S4-2")
@pytest.mark.parametrize(("n", "least", "most"), [(2, 0.75, 1), (3, 0.1, 0.65), (4, 0, 0.2), (6, 0, 0.05)])
@pytest.mark.parametrize("generator", GENERATORS)
def test_mass_matrices_of_chains_are_rarely_diagonally_dominant(generator, n, least, most):
    """The part of forty chains of each length: most of two links, hardly any from five links on."""
    rng, drawn = np.random.default_rng([n, 2]), 40
    dominant = sum(dominant_rows(GENERATORS[generator](rng, n)).all() for _ in range(drawn))
    assert least * drawn <= dominant < most * drawn


@pytest.mark.source("SOA-S4-2")
def test_straight_uniform_chains_have_no_dominant_row():
    for n in (4, 8):
        assert not dominant_rows(inertia_matrix(auto_tree(n), np.zeros(n))).any()
    folded = inertia_matrix(auto_tree(2), np.array([0.0, 2.0]))
    assert dominant_rows(folded).all()


def solved_by_conjugate_gradients(A, b):
    """The method as the text prints it for Lambda = 1, with division as floats have it; as many steps as rows."""
    x, r, p, before = np.zeros_like(b), b, np.zeros_like(b), np.inf
    for _ in b:
        if np.linalg.norm(r) < 1e-12:
            break
        p = r + (r @ r) / before * p
        s = (r @ r) / (p @ A @ p)
        before = r @ r
        x, r = x + s * p, r - s * A @ p
    return x


@pytest.mark.source("SOA-S4-1")
def test_conjugate_gradients_need_a_positive_definite_matrix():
    """A symmetric, regular matrix is not enough: here the first step divides by zero. Squared it is."""
    exchange, b = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
    close(exchange, exchange.T)
    close(exchange @ exchange[:, 0], b)
    with np.errstate(all="ignore"):
        assert not np.isfinite(solved_by_conjugate_gradients(exchange, b)).all()
    with pytest.raises(ValueError, match="singular"):
        conjugate_gradients(lambda p: exchange @ p, b)
    rng = np.random.default_rng(4)
    for n in (2, 3, 5):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        A = A @ A.T + np.eye(n)
        for x in (solved_by_conjugate_gradients(A, b), conjugate_gradients(lambda p, A=A: A @ p, b).beta_dot):
            close(A @ x, b, 1e-9)


@pytest.mark.source("SOA-S4-4")
def test_the_pivots_of_the_elimination_are_d_and_not_its_inverse():
    """Of the matrix of the kinetic energy; the text lets m_kk correspond to D^-1(k), and its table to D(k)."""
    system = serial_system("single")
    _, D, _, _ = kalman(view(system))
    U = system.mass_matrix()
    for i in range(len(U)):
        for j in range(i + 1, len(U)):
            U[j] -= U[j, i] / U[i, i] * U[i]
    pivots, D = U.diagonal(), np.ravel(D[1:])
    close(pivots, D, 1e-9)
    far(pivots, 1 / D)
