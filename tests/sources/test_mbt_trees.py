"""The rows of A Quick Tutorial on Multibody Dynamics, sections 5 to 7: articulated systems, conversions, recursion. The
independent side is `tests.sources.linkage`: world positions of a moving tree and their derivatives. Where the text has
slips (data/errata.csv), the printed form is shown to fail."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib, rnea
from rbdlib.analysis.counting import count_operations
from rbdlib.book import ch02_spatial as spatial, ch04_kinematics as kinematics
from rbdlib.book.ch02_spatial import skew
from rbdlib.book.ch05_inverse_dynamics import newton_euler
from rbdlib.texts.mbt import lagrange, maximal
from rbdlib.texts.mbt.lagrange import link_jacobians, local_angular_jacobian, recursive_inverse_dynamics
from tests.sources.helpers import close, cross_matrix, derivative, far, random_cluster, slope, turn
from tests.sources.linkage import Linkage, X, Y, Z, figure_1, moving, sliding_linkage, vex

SEED = 51
GIMBAL_LOCK = np.array([0.3, -0.2, 0.4, np.pi / 2, 0.6, -0.5, 0.7])


@pytest.fixture
def tree():
    """MBT's Figure 1."""
    return moving(figure_1)


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def motion(request):
    return moving(request.param)


def local_jacobian(linkage, k, q):
    """Jh_k by complex steps: the angular velocity of link k relative to its parent, in the parent's axes."""
    R = linkage.local(k, q)[0]
    units = np.eye(linkage.n)[linkage.own(k)]
    return np.column_stack([vex(derivative(lambda t, e=e: linkage.local(k, q + t * e)[0]) @ R.T) for e in units])


def stacked(linkage, q, points=None):
    """J_v and J_w of all links, by complex steps; points: {link: number of the particle that is taken for the COM}."""
    J = [linkage.J(k, q) for k in range(1, linkage.m + 1)]
    J_v = [J_k[:3] for J_k in J]
    for k, i in (points or {}).items():
        J_v[k - 1] = np.column_stack([derivative(lambda t, e=e, k=k, i=i: linkage.particles(k, q + t * e)[i])
                                      for e in np.eye(linkage.n)])
    return np.concatenate(J_v), np.concatenate([J_k[3:] for J_k in J])


# Section 5.1: definitions

@pytest.mark.source("MBT-F1", "MBT-S5.1-1")
def test_figure_1_has_four_links_and_seven_freedoms(tree):
    model = tree.model
    assert model.parent[1:] == (0, 1, 2, 2)
    assert [model.joints[k].nv for k in model.bodies] == [2, 3, 1, 1]
    assert model.nv == model.nq == 7
    assert model.kappa(4) == [1, 2, 4]
    assert [model.v_slice(k) for k in model.bodies] == [slice(0, 2), slice(2, 5), slice(5, 6), slice(6, 7)]
    assert str(model).count("─") == 4


@pytest.mark.source("MBT-S5.1-3")
def test_generalized_and_maximal_state_lead_to_each_other(rng):
    """(x, R, v, w) from (q, qd) by the library; q back from the relative rotations by trigonometry, qd from v and w."""
    tree = figure_1(rng)
    q, qd = rng.uniform(-1.4, 1.4, tree.n), rng.normal(size=tree.n)
    x, R, v, w, *_ = lagrange.cartesian_state(tree.model(), q, qd)
    for k in range(1, 5):
        close(x[k], tree.x(k, q))
        close(R[k], tree.R(k, q))
        close(v[k], tree.v(k, q, qd))
        close(w[k], tree.w(k, q, qd))
    root, ball = R[1], R[1].T @ R[2]
    angles = [np.arctan2(root[2, 1], root[1, 1]), np.arctan2(root[0, 2], root[0, 0]),
              np.arctan2(-ball[1, 2], ball[2, 2]), np.arcsin(ball[0, 2]), np.arctan2(-ball[0, 1], ball[0, 0])]
    for k in (3, 4):
        hinge, axis = R[2].T @ R[k], tree.turns[k - 1][0]
        angles.append(np.arctan2(vex((hinge - hinge.T) / 2) @ axis, (np.trace(hinge) - 1) / 2))
    close(np.array(angles), q)
    recovered, residual = maximal.generalized_velocity(tree.model(), angles, np.concatenate([*v[1:], *w[1:]]))
    close(recovered, qd, 1e-9)
    close(residual, np.zeros(24), 1e-9)


# Section 5.2: velocities

@pytest.mark.source("MBT-49", "MBT-77", "MBT-50", "MBT-62", "MBT-S5.2-1", "MBT-S5.1-2")
def test_angular_velocities_from_the_parent_and_over_the_path_to_the_root(motion):
    q, qd, model, linkage = motion.q, motion.qd, motion.model, motion.linkage
    _, R, _, w, *_ = lagrange.cartesian_state(model, q, qd)
    J = link_jacobians(model, q)
    assert_array_equal(R[0], np.eye(3))
    for k in motion.links:
        p, own = motion.parent(k), linkage.own(k)
        close(R[k], R[p] @ motion.R_k(k))                                                       # (S5.1-2)
        R_p, R_k = motion.R(p), motion.R_k(k)
        R_p_dot = derivative(lambda t, p=p: linkage.R(p, q + t * qd))
        R_k_dot = derivative(lambda t, k=k: linkage.local(k, q + t * qd)[0])
        whole = derivative(lambda t, k=k, p=p: linkage.R(p, q + t * qd) @ linkage.local(k, q + t * qd)[0])
        close(skew(w[k]), whole @ (R_p @ R_k).T)                                                # (49), (77)
        close(skew(w[k]), (R_p_dot @ R_k + R_p @ R_k_dot) @ R_k.T @ R_p.T)
        close(skew(w[k]), skew(w[p]) + R_p @ (R_k_dot @ R_k.T) @ R_p.T)
        if w[p].any():
            far(R_p @ R_k_dot @ (R_p @ R_k).T, skew(w[k]))                                      # as printed

        Jh = local_angular_jacobian(model, q, k)
        assert Jh.shape == (3, linkage.dof[k - 1])
        close(Jh, local_jacobian(linkage, k, q))                                                # (S5.2-1)
        close(R_k.T @ Jh, model.joints[k].motion_subspace(q[model.q_slice(k)])[:3])

        steps = [motion.R(model.parent[l]) @ local_angular_jacobian(model, q, l) @ qd[linkage.own(l)]
                 for l in model.kappa(k)]
        close(sum(steps), motion.w(k))                                                          # (50)
        close(J[k][3:] @ qd, motion.w(k))
        close(R_p @ Jh @ qd[own], motion.w(k) - motion.w(p))                                    # (62)


@pytest.mark.source("MBT-52")
def test_local_jacobian_of_three_euler_turns(tree, rng):
    q = rng.uniform(-1, 1, 7)
    R_x, R_y = turn(X, q[2]), turn(Y, q[3])
    Jh = local_angular_jacobian(tree.model, q, 2)
    close(Jh, np.column_stack([X, R_x @ Y, R_x @ R_y @ Z]))
    close(lagrange.euler_angle_jacobian(q[2:5]), local_jacobian(tree.linkage, 2, q))
    assert np.linalg.det(Jh) == pytest.approx(np.cos(q[3]))
    for angle in (np.pi / 2, -np.pi / 2):
        assert np.linalg.matrix_rank(lagrange.euler_angle_jacobian([q[2], angle, q[4]]), 1e-9) == 2


@pytest.mark.source("MBT-53", "MBT-54")
def test_exponential_map_and_its_jacobian(rng):
    for size in (1.0, 3.1, 1e-2, 3e-3, 1e-5):
        q, qd = rng.normal(size=(2, 3))
        q *= size / np.linalg.norm(q)
        R, t, Q, Jh = lagrange.exponential_map(q), size, cross_matrix(q), lagrange.exponential_map_jacobian(q)
        assert_allclose(R, expm(Q), atol=1e-13)
        assert_allclose(R @ R.T, np.eye(3), atol=1e-13)
        R_dot = derivative(lambda s, q=q, qd=qd: expm(cross_matrix(q + s * qd)))
        assert_allclose(Jh @ qd, vex(R_dot @ expm(-Q)), atol=1e-9)
        if size > 0.1:
            right = np.eye(3) - (1 - np.cos(t)) / t**2 * Q + (t - np.sin(t)) / t**3 * Q @ Q
            assert_allclose(expm(Q) @ right, Jh, atol=1e-13)
    assert_array_equal(lagrange.exponential_map(np.zeros(3)), np.eye(3))
    for turns in (1, 2):
        singular = np.linalg.svd(lagrange.exponential_map_jacobian(2 * np.pi * turns * q / size))[1]
        assert singular.min() < 1e-12 < 0.1 < singular.max()


@pytest.mark.source("MBT-55", "MBT-56")
def test_small_rotations_and_their_jacobian_to_second_order(rng):
    """The errors of 1 + [q] + ½[q]² and 1 + ½[q] + [q]²/6 are t³/6 and t³/24 at first."""
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    for exact, factors in ((lagrange.exponential_map, (1, 1 / 2, 6)),
                           (lagrange.exponential_map_jacobian, (1 / 2, 1 / 6, 24))):
        def error(t, exact=exact, factors=factors):
            Q = t * cross_matrix(u)
            return np.linalg.norm(exact(t * u) - (np.eye(3) + factors[0] * Q + factors[1] * Q @ Q), 2)

        for t in (0.4, 0.2, 0.1):
            assert error(t) / error(t / 2) == pytest.approx(8, abs=0.1)
        assert error(0.1) == pytest.approx(0.1**3 / factors[2], rel=0.01)


@pytest.mark.source("MBT-S5.2-2")
def test_the_jacobian_of_a_quaternion_has_a_simple_form(rng):
    """Its twelve entries are, up to sign, twice the four components: no simpler form could be asked for."""
    a, b = rng.normal(size=(2, 4))

    def p(t):
        raw = a + t * b
        return raw / np.sqrt(raw @ raw)

    def R(t):
        x = p(t)[1:]
        return (2 * p(t)[0] ** 2 - 1) * np.eye(3) + 2 * np.outer(x, x) + 2 * p(t)[0] * cross_matrix(x)

    Jh = lagrange.quaternion_jacobian(p(0))
    close(Jh @ derivative(p), vex(derivative(R) @ R(0).T))
    assert np.isin(np.abs(Jh), np.abs(2 * p(0))).all()


@pytest.mark.source("MBT-57", "MBT-58")
def test_link_jacobian_from_the_chain_of_transforms_and_from_rbdas_body_jacobian(motion):
    """d(W_k^0 c_k)/dq by 4 x 4 matrices, and the body Jacobian moved to the centre of mass and to world axes."""
    q, linkage, model = motion.q, motion.linkage, motion.model
    J = link_jacobians(model, q)

    def centre(k, q):
        W = np.eye(4)
        for l in model.kappa(k):
            local = np.eye(4, dtype=q.dtype)
            local[:3, :3], local[:3, 3] = linkage.local(l, q)
            W = W @ local
        return (W @ [*motion.c(k), 1])[:3]

    for k in motion.links:
        columns = [derivative(lambda t, e=e, k=k: centre(k, q + t * e)) for e in motion.units]
        close(J[k][:3], np.column_stack(columns))                                               # (57)
        R, J_body = motion.R(k), kinematics.body_jacobian(model, q, k)
        close(J[k], np.concatenate([R @ (J_body[3:] - cross_matrix(motion.c(k)) @ J_body[:3]), R @ J_body[:3]]))


# Section 6.1: velocities

@pytest.mark.source("MBT-60", "MBT-61", "MBT-S6.1-2", "MBT-S6.1-3", "MBT-S6.1-1")
def test_generalized_velocity_by_pseudo_inverse_of_the_stacked_jacobian(motion, rng):
    """All linear parts come first. Any independent rows give the velocity; noise makes their answers differ."""
    q, qd, model, n, links = motion.q, motion.qd, motion.model, motion.n, motion.links
    J_v, J_w = maximal.stacked_jacobians(model, q)
    J, V = np.concatenate(stacked(motion.linkage, q)), np.concatenate([*map(motion.v, links), *map(motion.w, links)])
    close(np.concatenate([J_v, J_w]), J)                                                        # (60)
    assert len(J) > n == np.linalg.matrix_rank(J)
    close(J @ qd, V)
    close(maximal.cartesian_velocity(model, q, qd), V)
    recovered, residual = maximal.generalized_velocity(model, q, V)
    close(recovered, qd, 1e-10)                                                                 # (61)
    close(residual, np.zeros(6 * len(links)), 1e-10)
    any_V = rng.normal(size=len(V))
    recovered, residual = maximal.generalized_velocity(model, q, any_V)
    close(recovered, np.linalg.lstsq(J, any_V)[0], 1e-10)
    close(residual, any_V - J @ recovered, 1e-10)
    assert np.linalg.norm(residual) > 0.1

    noise, noisy = 0.1 * rng.normal(size=len(V)), []
    while len(noisy) < 3:
        rows = rng.permutation(len(V))[: n + 3]
        chosen = np.concatenate([J_v, J_w])[rows]
        if np.linalg.cond(chosen) < 100:
            close(np.linalg.pinv(chosen) @ V[rows], qd, 1e-8)                                   # (S6.1-2)
            noisy.append(np.linalg.pinv(chosen) @ (V + noise)[rows])
    far(noisy[0], noisy[1])


@pytest.mark.source("MBT-S6.1-5")
def test_translations_of_a_root_are_not_the_velocity_of_its_centre_of_mass():
    slides = moving(sliding_linkage)
    V = np.concatenate([*map(slides.v, slides.links), *map(slides.w, slides.links)])
    far(slides.v(2), slides.qd[:3])
    close(slides.v(2) - np.cross(slides.w(2), slides.R(2) @ slides.c(2)), slides.qd[:3], 1e-10)
    close(maximal.generalized_velocity_by_joint(slides.model, slides.q, V)[0], slides.qd, 1e-9)


@pytest.mark.source("MBT-S6.1-1", "MBT-S6.1-3")
def test_columns_of_the_jacobian_are_dependent_in_gimbal_lock(tree):
    assert np.linalg.matrix_rank(maximal.stacked_jacobians(tree.model, tree.q)[1]) == 7
    locked = stacked(tree.linkage, GIMBAL_LOCK)
    assert np.linalg.matrix_rank(locked[1], 1e-9) == np.linalg.matrix_rank(np.concatenate(locked), 1e-9) == 6
    with pytest.raises(ValueError, match="gimbal lock"):
        maximal.generalized_velocity(tree.model, GIMBAL_LOCK, np.ones(24))


def block_matrices(linkage, q):
    """D, R and Jh_w of Figure 1, written out by hand."""
    one, nil = np.eye(3), np.zeros((3, 3))
    D = np.block([[one, nil, nil, nil], [-one, one, nil, nil], [nil, -one, one, nil], [nil, -one, nil, one]])
    R = block_diag(one, linkage.R(1, q), linkage.R(2, q), linkage.R(2, q))
    return D, R, block_diag(*(local_jacobian(linkage, k, q) for k in range(1, 5)))


@pytest.mark.source("MBT-63", "MBT-64", "MBT-65", "MBT-66", "MBT-S6.1-4", "MBT-A2", "MBT-51", "MBT-X1")
def test_block_form_of_the_relative_angular_velocities(tree, rng):
    """Both left inverses of J_w give qd if w can be reached; for other w they differ, because D is not orthogonal."""
    q, qd, model = tree.q, tree.qd, tree.model
    (D, R, Jh_w), (J_v, J_w) = block_matrices(tree.linkage, q), stacked(tree.linkage, q)
    our_D, our_R, our_Jh_w = (maximal.connectivity_matrix(model), maximal.parent_rotations(model, q),
                              maximal.local_angular_jacobians(model, q))
    assert_array_equal(our_D, D)
    close(our_R, R)
    close(our_Jh_w, Jh_w)
    close(our_D @ J_w, our_R @ our_Jh_w)                                                        # (63)
    w = np.concatenate([tree.w(k) for k in tree.links])
    close(our_R.T @ our_D @ w, Jh_w @ qd)                                                       # (64)
    close(our_R.T @ our_D @ J_w, Jh_w)                                                          # (65)
    recovered, residual = maximal.generalized_velocity_by_joint(model, q, np.concatenate([J_v @ qd, w]))
    close(recovered, qd, 1e-10)                                                                 # (66)
    close(residual, np.zeros(24), 1e-10)
    J, Jh, R_2 = link_jacobians(model, q), [Jh_w[:3, :2], Jh_w[3:6, 2:5], Jh_w[9:, 6:]], tree.R(2)
    close(J[1][3:], np.column_stack([Jh[0], np.zeros((3, 5))]))                                 # (51)
    close(J[4][3:], np.column_stack([Jh[0], tree.R(1) @ Jh[1], np.zeros(3), R_2 @ Jh[2]]))
    close(np.linalg.pinv(J_w) @ w, qd, 1e-10)
    v = rng.normal(size=12)
    recovered, residual = maximal.generalized_velocity_by_joint(model, q, np.concatenate([v, w]))
    close(recovered, qd, 1e-9)                                                                  # (S6.1-4)
    close(residual, np.concatenate([v - J_v @ qd, np.zeros(12)]), 1e-9)
    far(J_v @ qd, v)
    close(np.linalg.pinv(Jh_w) @ R.T @ D @ J_w, np.eye(7), 1e-10)
    w = rng.normal(size=12)
    by_joint, residual = maximal.generalized_velocity_by_joint(model, q, np.concatenate([J_v @ qd, w]))
    close(by_joint, np.linalg.pinv(Jh_w) @ R.T @ D @ w, 1e-10)
    close(residual, np.concatenate([J_v @ (qd - by_joint), w - J_w @ by_joint]), 1e-9)
    far(by_joint, np.linalg.pinv(J_w) @ w)                                                      # (66) as printed


# Section 6.2: forces

def loads(motion, rng):
    """Forces at one particle of every link: forces, torques, the particles' numbers and positions, by body number."""
    f, tau = rng.normal(size=(2, motion.linkage.m, 3))
    numbers = {k: int(rng.integers(0, 6)) for k in motion.links}
    return f, tau, numbers, {k: motion.linkage.particles(k, motion.q)[i] for k, i in numbers.items()}


def by_body(vectors):
    return dict(enumerate(vectors, start=1))


@pytest.mark.source("MBT-67", "MBT-S6.2-1")
def test_generalized_force_has_the_power_of_forces_and_torques(motion, rng):
    """J'_vᵀ f = J_vᵀ f + J_wᵀ [r - x] f: a force at r is a force at the centre of mass and its moment."""
    q, qd, model, linkage = motion.q, motion.qd, motion.model, motion.linkage
    f, tau, numbers, points = loads(motion, rng)
    Q = maximal.generalized_force(model, q, by_body(f), by_body(tau), points=points)
    power = sum(f[k - 1] @ derivative(lambda t, k=k: linkage.particles(k, q + t * qd)[numbers[k]])
                + tau[k - 1] @ motion.w(k) for k in numbers)
    close(Q @ qd, power, 1e-11)
    J_v, J_w = stacked(linkage, q, numbers)
    close(Q, J_v.T @ f.ravel() + J_w.T @ tau.ravel(), 1e-11)                                    # (67)
    far(Q, stacked(linkage, q)[0].T @ f.ravel() + J_w.T @ tau.ravel())                          # as printed
    total = [torque + np.cross(points[k] - motion.x(k), f[k - 1]) for k, torque in by_body(tau).items()]
    close(Q, maximal.generalized_force(model, q, by_body(f), by_body(total)), 1e-11)            # (S6.2-1)


@pytest.mark.source("MBT-S6.2-2", "MBT-68", "MBT-69")
def test_body_torques_and_generalized_forces_from_joint_torques(tree, rng):
    """A joint torque acts on the link and, reversed, on the parent; its power is that of the relative velocity."""
    q, qd, model = tree.q, tree.qd, tree.model
    f, th, numbers, points = loads(tree, rng)
    tau = maximal.body_torques(model, q, by_body(th))
    for k in tree.links:
        reactions = sum(tree.R(k) @ th[child - 1] for child in model.mu(k))
        close(tau[k - 1], tree.R(tree.parent(k)) @ th[k - 1] - reactions)
    close(tau.sum(axis=0), th[0])
    (J_v, J_w), (D, R, Jh_w) = stacked(tree.linkage, q, numbers), block_matrices(tree.linkage, q)
    close(tau.ravel(), D.T @ R @ th.ravel())                                                    # (68)
    close(th.ravel() @ Jh_w @ qd, sum(tau[k - 1] @ tree.w(k) for k in tree.links))
    Q = maximal.generalized_force(model, q, by_body(f), joint_torques=by_body(th), points=points)
    close(Q, J_v.T @ f.ravel() + J_w.T @ (R.T @ D).T @ th.ravel(), 1e-11)                       # (69)
    close(Q, J_v.T @ f.ravel() + Jh_w.T @ th.ravel(), 1e-11)


@pytest.mark.source("MBT-70", "MBT-S6.2-4")
def test_shortest_forces_at_the_centres_of_mass(motion, rng):
    """The null space of Jᵀ, from the library's J, leaves forces open; none of them does work by the witness."""
    Q = rng.normal(size=motion.n)
    f, tau = maximal.cartesian_forces(motion.model, motion.q, Q)
    J = np.concatenate(stacked(motion.linkage, motion.q))
    solution = np.concatenate([f.ravel(), tau.ravel()])
    close(J.T @ solution, Q, 1e-10)                                                             # (70)
    close(solution, np.linalg.pinv(J.T) @ Q, 1e-9)
    at_particles = np.concatenate(stacked(motion.linkage, motion.q, dict.fromkeys(motion.links, 0)))
    far(J.T @ np.linalg.pinv(at_particles.T) @ Q, Q)                                            # as printed
    ours = np.concatenate(maximal.stacked_jacobians(motion.model, motion.q))
    null_space = np.linalg.svd(ours.T)[2][motion.n :]
    assert len(null_space) == 6 * motion.linkage.m - motion.n > 0                               # (S6.2-4)
    for addition in rng.normal(size=(3, len(null_space))) @ null_space:
        close(J.T @ (solution + addition), Q, 1e-10)
        assert np.linalg.norm(solution + addition) > np.linalg.norm(solution)


@pytest.mark.source("MBT-71", "MBT-A3", "MBT-S6.2-3")
def test_force_conversion_there_and_back(tree, rng):
    """Every inverse is the shortest; the work that the independent tree says its forces do gives Q back."""
    q, Q, model, linkage = tree.q, rng.normal(size=7), tree.model, tree.linkage
    _, _, numbers, points = loads(tree, rng)
    (J_v, J_w), (D, R, Jh_w) = stacked(linkage, q), block_matrices(linkage, q)
    f, tau = maximal.cartesian_forces(model, q, Q)
    close(J_v.T @ f.ravel() + J_w.T @ tau.ravel(), Q, 1e-10)

    f, th = maximal.forces_and_joint_torques(model, q, Q, points)
    J_at_points, both = stacked(linkage, q, numbers)[0], np.concatenate([f.ravel(), th.ravel()])
    close(J_at_points.T @ f.ravel() + J_w.T @ D.T @ R @ th.ravel(), Q, 1e-10)                   # (S6.2-3)
    close(both, np.linalg.pinv(np.concatenate([J_at_points, Jh_w]).T) @ Q, 1e-9)
    some = dict(list(points.items())[:2])
    f, th = maximal.forces_and_joint_torques(model, q, Q, some)
    close(maximal.generalized_force(model, q, by_body(f), joint_torques=by_body(th), points=some), Q, 1e-10)

    th = maximal.joint_torques(model, q, Q)
    close(th.ravel(), np.linalg.pinv(Jh_w.T) @ Q, 1e-11)                                        # (71)
    close(Jh_w.T @ th.ravel(), Q, 1e-11)
    close(J_w.T @ maximal.body_torques(model, q, by_body(th)).ravel(), Q, 1e-10)
    slides = moving(sliding_linkage)
    with pytest.raises(ValueError, match="Joint 1 .* slides; use forces_and_joint_torques"):
        maximal.joint_torques(slides.model, slides.q, slides.qd)


# A simulator with six coordinates for every body, driven by generalized controls

@pytest.mark.slow
@pytest.mark.source("MBT-Q1")
def test_a_simulator_with_six_coordinates_per_body_follows_the_joint_space_motion():
    """Joint forces and velocities converted for it, constraints solved at every instant, and qd converted back.
    Constraint forces do no work when the joints move, and keep the velocities V to what the joints allow."""
    rng = np.random.default_rng(53)
    tree, tau = figure_1(rng), rng.normal(size=7)
    model, (q, qd), links = tree.model(), 0.5 * rng.normal(size=(2, 7)), range(1, 5)
    masses, how = np.repeat([tree.body(k)[0] for k in links], 3), {"rtol": 1e-7, "atol": 1e-7}

    def velocities(q, qd):
        return np.concatenate([*(tree.v(k, q, qd) for k in links), *(tree.w(k, q, qd) for k in links)])

    def maximal_rate(t, y):
        R, V, q_now = y[:36].reshape(4, 3, 3), y[36:60], y[60:]
        qd_now, w = maximal.generalized_velocity_by_joint(model, q_now, V)[0], V[12:].reshape(4, 3)
        torques = maximal.body_torques(model, q_now, by_body(maximal.joint_torques(model, q_now, tau)))
        inertias = [R[k - 1] @ tree.body(k)[2] @ R[k - 1].T for k in links]
        gyroscopic = np.concatenate([np.cross(w[k - 1], inertias[k - 1] @ w[k - 1]) for k in links])
        force = np.concatenate([masses * np.tile(tree.gravity, 4), torques.ravel() - gyroscopic])
        A = np.linalg.svd(np.concatenate(stacked(tree, q_now)).T)[2][7:]
        b = A @ slope(lambda s: velocities(q_now + s * qd_now, qd_now))
        saddle = np.block([[block_diag(np.diag(masses), *inertias), A.T], [A, np.zeros((17, 17))]])
        R_dot = [cross_matrix(w_k) @ R_k for w_k, R_k in zip(w, R, strict=True)]
        return np.concatenate([np.ravel(R_dot), np.linalg.solve(saddle, np.concatenate([force, b]))[:24], qd_now])

    def joint_space_rate(t, y):
        return np.concatenate([y[7:], forward_dynamics_of_rbdlib(model, y[:7], y[7:], tau)])

    start = np.concatenate([np.ravel([tree.R(k, q) for k in links]), velocities(q, qd), q])
    end = solve_ivp(maximal_rate, (0, 0.1), start, "DOP853", **how).y[:, -1]
    expected = solve_ivp(joint_space_rate, (0, 0.1), [*q, *qd], "DOP853", **how).y[:, -1]
    assert_allclose(end[60:], expected[:7], atol=1e-5)
    assert_allclose(maximal.generalized_velocity(model, end[60:], end[36:60])[0], expected[7:], atol=1e-5)
    assert_allclose(end[:36].reshape(4, 3, 3), [tree.R(k, expected[:7]) for k in links], atol=1e-5)
    assert np.abs(expected[:7] - q).max() > 0.01


@cache
def passes(motion, gravity=True):
    """The two passes of the library for a motion, or for the same without weight."""
    model = motion.model if gravity else motion.model.replace(gravity=(0, 0, 0))
    return recursive_inverse_dynamics(model, motion.q, motion.qd, motion.qdd)


def free(motion):
    return passes(motion, gravity=False)


# Section 7.1: dynamics in the local frame

@pytest.mark.source("MBT-F2")
def test_links_have_a_centre_and_the_joints_of_their_children(motion):
    """c_k and d_i locate the centre of mass and the joint of child i in link k; between them lie no other offsets."""
    X = kinematics.body_transforms(motion.model, motion.q)
    for k in motion.links:
        E, origin = spatial.X_to_Er(X[k])
        close(spatial.I_to_mcI(motion.model.inertia[k])[1], motion.c(k))
        close(origin + E.T @ motion.c(k), motion.x(k))
        for i in motion.model.mu(k):
            close(origin + E.T @ motion.d(i), motion.linkage.pose(i, motion.q)[1])
    for k in motion.turning:
        close(spatial.X_to_Er(motion.model.X_tree[k])[1], motion.d(k))


@pytest.mark.source("MBT-72", "MBT-73")
def test_newtons_and_eulers_equations_of_every_link(motion):
    """The net force and moment about the centre of mass are m v' and I_c w' + w × I_c w, with v' from positions. f_k
    and tau_k are the two parts of RBDA's force through joint k."""
    f, tau = free(motion).f, free(motion).tau
    for k in motion.links:
        m, c, I_c = motion.linkage.body(k)
        w = motion.local(k, motion.w(k))
        net = f[k] - sum(motion.R_k(i) @ f[i] for i in motion.model.mu(k))
        close(net, m * motion.vd(k), 1e-7)                                                      # (72)
        children = sum(motion.R_k(i) @ tau[i] + np.cross(motion.d(i) - c, motion.R_k(i) @ f[i])
                       for i in motion.model.mu(k))
        close(tau[k] - np.cross(c, f[k]) - children, I_c @ motion.wd(k) + np.cross(w, I_c @ w), 1e-7)   # (73)
    close(free(motion).Q, motion.lagrange, 1e-7)
    transmitted = newton_euler(motion.model, motion.q, motion.qd, motion.qdd).f
    for k in motion.links:
        close(passes(motion).f[k], transmitted[k][3:], 1e-10)
        close(passes(motion).tau[k], transmitted[k][:3], 1e-10)


# Section 7.2: velocities and accelerations

@pytest.mark.source("MBT-74", "MBT-75", "MBT-76", "MBT-78")
def test_velocities_by_homogeneous_transforms_in_world_axes_and_in_local_axes(tree):
    """Each line gives the velocity that the library's pass 1 has in local axes."""
    def transform(pose, t):
        R, p = pose(tree.q + t * tree.qd)
        return np.vstack([np.column_stack([R, p]), [0, 0, 0, 1]])

    for k in tree.links:
        p, v, w = tree.parent(k), passes(tree).v[k], passes(tree).w[k]
        c, c_p, expected = np.array([*tree.c(k), 1]), np.array([*tree.c(p), 1]), tree.R(k) @ v
        W_0, W_p, W = (lambda t, pose=pose, i=i: transform(lambda q: pose(i, q), t)
                       for pose, i in ((tree.linkage.pose, k), (tree.linkage.pose, p), (tree.linkage.local, k)))
        bracket, last = W(0.0) @ c - c_p, W_p(0.0) @ derivative(W) @ c
        for form in (derivative(W_0) @ c, derivative(W_p) @ W(0.0) @ c + last,
                     np.array([*tree.v(p), 0]) + derivative(W_p) @ bracket + last):
            close(form, np.array([*expected, 0]))                                               # (74)
        assert abs(bracket[3]) < 1e-12
        R_p, R_k, arm = tree.R(p), tree.R_k(k), tree.d(k) - tree.c(p)
        lever = R_k @ tree.c(k) + arm
        R_p_dot, R_k_dot = slope(lambda t, p=p: tree.R(p, t)), slope(lambda t, k=k: tree.R_k(k, t))
        close(tree.v(p) + R_p_dot @ lever + R_p @ R_k_dot @ tree.c(k), expected, 1e-9)          # (75)
        close(tree.v(p) + np.cross(tree.w(p), R_p @ lever) + R_p @ np.cross(tree.wh(k), R_k @ tree.c(k)), expected)
        close(v, tree.local(k, tree.v(k)))
        close(w, tree.local(k, tree.w(k)))
        v_p, w_p = R_p.T @ tree.v(p), R_p.T @ tree.w(p)
        close(R_k.T @ (v_p + np.cross(w_p, arm)) + np.cross(tree.local(k, tree.w(k)), tree.c(k)), v)            # (76)
        close(R_k.T @ (w_p + local_angular_jacobian(tree.model, tree.q, k) @ tree.qd[tree.linkage.own(k)]), w)  # (78)


@pytest.mark.source("MBT-S7.2-1")
def test_derivative_of_local_components_is_not_the_acceleration(motion):
    accelerations = kinematics.body_accelerations(motion.model, motion.q, motion.qd, motion.qdd)
    for k in motion.links:
        v_rate = slope(lambda t, k=k: motion.R(k, t).T @ motion.v(k, t))
        w_rate = slope(lambda t, k=k: motion.R(k, t).T @ motion.w(k, t))
        v, w = motion.local(k, motion.v(k)), motion.local(k, motion.w(k))
        close(v_rate + np.cross(w, v), free(motion).a[k], 1e-7)
        close(w_rate, free(motion).wd[k], 1e-7)
        if w.any():
            far(v_rate, free(motion).a[k])
        close((spatial.xlt(motion.c(k)) @ accelerations[k])[3:], v_rate, 1e-7)


@pytest.mark.source("MBT-79", "MBT-80", "MBT-81")
def test_accelerations_in_local_axes(tree):
    R, c, wh_rate = tree.R_k(1), tree.c(1), slope(lambda t: tree.wh(1, t))                      # the root (81)
    w, wd = R.T @ tree.wh(1), R.T @ wh_rate
    for ours, expected in ((free(tree).w, w), (free(tree).v, np.cross(w, c)), (free(tree).wd, wd),
                           (free(tree).a, np.cross(w, np.cross(w, c)) + np.cross(wd, c))):
        close(ours[1], expected, 1e-8)
    close(R.T @ local_angular_jacobian(tree.model, tree.q, 1) @ tree.qd[:2], w)
    far(wd, w)                                                                  # the second line of (81) as printed
    for k in tree.links:
        p, R_k, c = tree.parent(k), tree.R_k(k), tree.c(k)
        arm, w_p, w, wd_p = tree.d(k) - tree.c(p), tree.R(p).T @ tree.w(p), tree.local(k, tree.w(k)), tree.wd(p)
        by_parent = tree.vd(p) + np.cross(wd_p, arm) + np.cross(w_p, np.cross(w_p, arm))
        printed_well = R_k.T @ by_parent + np.cross(w, np.cross(w, c)) + np.cross(tree.wd(k), c)
        close(printed_well, tree.vd(k), 1e-7)                                                   # (79)
        far(printed_well + np.cross(tree.wd(k) - w, np.cross(w, c)), tree.vd(k))                # as printed
        close(free(tree).a[k], tree.vd(k), 1e-7)
        wh_rate, own = slope(lambda t, k=k: tree.wh(k, t)), tree.linkage.own(k)
        close(R_k.T @ (wd_p + wh_rate + np.cross(w_p, tree.wh(k))), tree.wd(k), 1e-8)           # (80)
        for as_printed in (wh_rate, tree.wd(k)) if p else ():
            far(R_k.T @ (wd_p + as_printed + np.cross(w_p, as_printed)), tree.wd(k))
        close(free(tree).wd[k], tree.wd(k), 1e-8)
        Jh_rate = slope(lambda t, k=k: local_angular_jacobian(tree.model, tree.at(t), k))
        Jh = local_angular_jacobian(tree.model, tree.q, k)
        close(Jh @ tree.qdd[own] + Jh_rate @ tree.qd[own], wh_rate, 1e-8)


@pytest.mark.source("MBT-82", "MBT-83", "MBT-84")
def test_velocities_and_accelerations_through_a_translational_joint():
    """The printed line is the rate of the local components; the acceleration for Eq. 72 needs two more terms."""
    slides = moving(sliding_linkage)
    assert slides.sliding == [1, 3, 5]
    for k in slides.sliding:
        p, own, axes = slides.parent(k), slides.linkage.own(k), slides.linkage.slides[k - 1]
        q_k, qd_k, qdd_k = slides.d(k), axes @ slides.qd[own], axes @ slides.qdd[own]
        R_p, R_p_dot = slides.R(p), slope(lambda t, p=p: slides.R(p, t))
        rho, v_p, w_p, wd_p = slides.c(k) + q_k - slides.c(p), slides.v(p), R_p.T @ slides.w(p), slides.wd(p)
        v = v_p + R_p_dot @ rho + R_p @ qd_k
        close(slides.R(k) @ passes(slides).v[k], v, 1e-9)                                       # (82)
        close(slides.v(k), v, 1e-9)
        close(passes(slides).v[k], R_p.T @ v_p + np.cross(w_p, rho) + qd_k)                     # (83)

        close(free(slides).w[k], w_p)
        close(free(slides).wd[k], wd_p, 1e-8)
        v_p_rate = slope(lambda t, p=p: slides.R(p, t).T @ slides.v(p, t))
        printed = v_p_rate + np.cross(wd_p, rho) + np.cross(w_p, qd_k) + qdd_k
        close(slope(lambda t, k=k: slides.R(k, t).T @ slides.v(k, t)), printed, 1e-7)           # (84)
        true = (slides.vd(p) + np.cross(wd_p, rho) + np.cross(w_p, np.cross(w_p, rho)) + 2 * np.cross(w_p, qd_k)
                + qdd_k)
        close(slides.vd(k), true, 1e-7)
        close(free(slides).a[k], true, 1e-7)
        close(printed + np.cross(w_p, slides.local(k, slides.v(k))), true, 1e-7)
        if p:
            far(printed, true)


# Sections 7.2 and 7.3: the whole algorithm

@pytest.mark.source("MBT-A4")
def test_two_passes_give_the_forces_of_lagranges_equations_along_the_axes_of_the_joints(motion):
    """Q_k = Jh_kᵀ R_k tau_k for a joint that turns (without R_k it is wrong), and the axes' part of R_k f_k else."""
    Q, q, qd = passes(motion).Q, motion.q, motion.qd
    close(Q, motion.lagrange - motion.weights, 1e-7)
    close(Q, rnea(motion.model, q, qd, motion.qdd), 1e-10)
    M, C = lagrange.mass_matrix_and_coriolis(motion.model, q, qd)
    close(Q, M @ motion.qdd + C - lagrange.gravity_force(motion.model, q), 1e-10)
    errors = []
    for k in motion.turning:
        Jh, tau, own = local_angular_jacobian(motion.model, q, k), passes(motion).tau[k], motion.linkage.own(k)
        close(Q[own], Jh.T @ motion.R_k(k) @ tau, 1e-10)
        errors.append(np.abs(Jh.T @ tau - Q[own]).max())
    assert max(errors) > 0.1
    for k in motion.sliding:
        close(Q[motion.linkage.own(k)], motion.linkage.slides[k - 1].T @ passes(motion).f[k], 1e-10)


@pytest.mark.source("MBT-S7.3-1")
def test_what_leaves_and_root_receive(tree, rng):
    """A leaf has only its own inertia to bear. The root's force is what the world must supply; it is not zero. It is
    zero for a floating root that nothing drives."""
    for k in (3, 4):
        (m, c, I_c), w = tree.linkage.body(k), tree.local(k, tree.w(k))
        close(free(tree).f[k], m * tree.vd(k), 1e-7)
        about_joint = I_c @ tree.wd(k) + np.cross(w, I_c @ w) + np.cross(c, m * tree.vd(k))
        close(free(tree).tau[k], about_joint, 1e-7)
    force, moment = tree.momentum_rate[:3], tree.momentum_rate[3:]
    for ours, expected in ((passes(tree).f, force), (passes(tree).tau, moment - np.cross(tree.d(1), force))):
        close(tree.R(1) @ ours[1], expected, 1e-7)
        far(ours[1], 0)                                                         # as printed

    turns, slides = [None, [X, Y, Z], [Y], [X]], [np.eye(3), None, None, None]
    feather = (np.full(2, 1e-300), np.array([[1.0, 0, 0], [-1, 0, 0]]))
    flying = Linkage([0, 1, 2, 2], turns, slides, list(rng.normal(size=(4, 3))),
                     [feather, *(random_cluster(rng) for _ in range(3))], rng.normal(size=3))
    (q, qd), tau = rng.normal(size=(2, 8)), np.concatenate([np.zeros(6), rng.normal(size=2)])
    qdd = forward_dynamics_of_rbdlib(flying.model(), q, qd, tau)
    found = recursive_inverse_dynamics(flying.model(), q, qd, qdd)
    for nothing in (found.f[2], found.tau[2], found.f[1]):
        close(nothing, np.zeros(3), 1e-9)
    close(found.Q, tau, 1e-9)


@pytest.mark.source("MBT-85", "MBT-S7.3-2")
def test_gravity_through_the_acceleration_of_the_root_acts_like_weights_on_every_link(motion):
    """a_k is the true acceleration minus g; Q is that of forces +m g, and not -m g, which the text names."""
    linkage, g = motion.linkage, motion.linkage.gravity
    for k in motion.links:
        close(passes(motion).a[k], motion.vd(k) - motion.R(k).T @ g, 1e-7)

    def with_applied(sign):
        forces = {k: sign * linkage.body(k)[0] * np.concatenate([np.cross(motion.x(k), g), g]) for k in motion.links}
        return rnea(motion.model.replace(gravity=(0, 0, 0)), motion.q, motion.qd, motion.qdd, forces)

    close(passes(motion).Q, with_applied(+1), 1e-10)
    close(passes(motion).Q, motion.lagrange - motion.weights, 1e-7)
    for printed in (with_applied(-1), motion.lagrange + motion.weights):
        far(passes(motion).Q, printed)


@pytest.mark.source("MBT-S7-1")
def test_operations_grow_in_proportion_to_the_number_of_links(rng):
    """A chain of m links: each link adds the same number of operations; mass matrix and Jacobians take ever more."""
    def count(function, m):
        model = Linkage(list(range(m)), [[Z]] * m, [None] * m, [X] * m, [random_cluster(rng)] * m, Y).model()
        return sum(count_operations(lambda x: function(model, x), rng.normal(size=m))[0].values())

    def in_two_passes(model, x):
        return recursive_inverse_dynamics(model, x, x, x).Q

    counts = {m: count(in_two_passes, m) for m in (3, 4, 5, 8, 12)}
    per_link = counts[4] - counts[3]
    assert per_link > 100
    assert {m: n - counts[4] for m, n in counts.items()} == {m: per_link * (m - 4) for m in counts}
    by_jacobians = [count(lagrange.link_jacobians, m) for m in (4, 5, 6)]
    assert by_jacobians[2] - by_jacobians[1] > by_jacobians[1] - by_jacobians[0]
