"""The rows of A Quick Tutorial on Multibody Dynamics, sections 5 and 6: articulated systems, conversions.

The independent side is `tests.sources.linkage`, as in `test_mbt`; section 7 is in `test_mbt_recursion`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib
from rbdlib import kinematics, lagrange, maximal, rnea
from rbdlib.inertia_matrix import inertia_matrix
from rbdlib.lagrange import link_jacobians, local_angular_jacobian, mass_matrix_and_coriolis
from rbdlib.spatial import skew
from tests.sources.helpers import close, cross_matrix, derivative, far, slope, turn
from tests.sources.linkage import X, Y, Z, figure_1, sliding_linkage, vex
from tests.sources.linkage import lagrange as lagrange_expression

GIMBAL_LOCK = np.array([0.3, -0.2, 0.4, np.pi / 2, 0.6, -0.5, 0.7])


@pytest.fixture(params=[51, 52], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


@pytest.fixture
def tree(rng):
    """MBT's Figure 1."""
    return figure_1(rng)


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def linkage(request, rng):
    return request.param(rng)


def local_jacobian(linkage, k, q):
    """Jh_k by complex steps: the angular velocity of link k relative to its parent, in the parent's axes."""
    R = linkage.local(k, q)[0]
    units = np.eye(linkage.n)[linkage.own(k)]
    return np.column_stack([vex(derivative(lambda t, e=e: linkage.local(k, q + t * e)[0]) @ R.T) for e in units])


def stacked(linkage, q, points=None):
    """J_v and J_w of all links, by complex steps; points: {link: number of the particle that is taken for the COM}."""
    def rows(k, e):
        if points and k in points:
            return derivative(lambda t: linkage.particles(k, q + t * e)[points[k]])
        return linkage.v(k, q, e)

    units, links = np.eye(linkage.n), range(1, linkage.m + 1)
    J_v = np.column_stack([np.concatenate([rows(k, e) for k in links]) for e in units])
    return J_v, np.column_stack([np.concatenate([linkage.w(k, q, e) for k in links]) for e in units])


# Section 5.1: definitions


@pytest.mark.source("MBT-F1", "MBT-S5.1-1")
def test_figure_1_has_four_links_and_seven_freedoms(tree):
    model = tree.model()
    assert model.parent[1:] == (0, 1, 2, 2)
    assert [model.joints[k].nv for k in model.bodies] == [2, 3, 1, 1]
    assert model.nv == model.nq == 7
    assert model.kappa(4) == [1, 2, 4]
    assert [model.v_slice(k) for k in model.bodies] == [slice(0, 2), slice(2, 5), slice(5, 6), slice(6, 7)]
    assert str(model).count("─") == 4


@pytest.mark.source("MBT-S5.1-2")
def test_rotations_chain_from_the_root(linkage, rng):
    q = rng.normal(size=linkage.n)
    model = linkage.model()
    R = lagrange.cartesian_state(model, q).R
    assert_array_equal(R[0], np.eye(3))
    for k in model.bodies:
        close(R[k], R[model.parent[k]] @ linkage.local(k, q)[0])
        close(R[k] @ X, linkage.R(k, q)[:, 0])


@pytest.mark.source("MBT-S5.1-3")
def test_generalized_and_maximal_state_lead_to_each_other(tree, rng):
    """(x, R, v, w) from (q, qd) by the library; q back from the relative rotations by trigonometry, qd from v and w."""
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


@pytest.mark.source("MBT-49")
def test_angular_velocity_matrix_recursion(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    model = linkage.model()
    w = lagrange.cartesian_state(model, q, qd).w
    for k in range(1, linkage.m + 1):
        p = model.parent[k]
        R_p, (R_k, _) = linkage.R(p, q), linkage.local(k, q)
        R_p_dot = derivative(lambda t, p=p: linkage.R(p, q + t * qd))
        R_k_dot = derivative(lambda t, k=k: linkage.local(k, q + t * qd)[0])
        whole = derivative(lambda t, k=k, p=p: linkage.R(p, q + t * qd) @ linkage.local(k, q + t * qd)[0])
        close(skew(w[k]), whole @ (R_p @ R_k).T)
        close(skew(w[k]), (R_p_dot @ R_k + R_p @ R_k_dot) @ R_k.T @ R_p.T)
        close(skew(w[k]), skew(w[p]) + R_p @ (R_k_dot @ R_k.T) @ R_p.T)


@pytest.mark.source("MBT-S5.2-1")
def test_local_angular_jacobian_is_in_parent_axes(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    model = linkage.model()
    for k in range(1, linkage.m + 1):
        Jh = local_angular_jacobian(model, q, k)
        assert Jh.shape == (3, linkage.dof[k - 1])
        close(Jh, local_jacobian(linkage, k, q))
        R = linkage.local(k, q)[0]
        close(skew(Jh @ qd[linkage.own(k)]), derivative(lambda t, k=k: linkage.local(k, q + t * qd)[0]) @ R.T)
        close(R.T @ Jh, model.joints[k].motion_subspace(q[model.q_slice(k)])[:3])


@pytest.mark.source("MBT-50")
def test_angular_velocity_is_the_sum_over_the_path_to_the_root(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    model, w = linkage.model(), lagrange.cartesian_state(linkage.model(), q, qd).w
    for k in range(1, linkage.m + 1):
        steps = [linkage.R(model.parent[l], q) @ local_angular_jacobian(model, q, l) @ qd[linkage.own(l)]
                 for l in model.kappa(k)]
        close(w[k], linkage.w(k, q, qd))
        close(w[model.parent[k]] + steps[-1], linkage.w(k, q, qd))
        close(sum(steps), linkage.w(k, q, qd))
        close(link_jacobians(model, q)[k][3:] @ qd, linkage.w(k, q, qd))


@pytest.mark.source("MBT-51", "MBT-X1")
def test_angular_jacobians_of_figure_1_in_blocks(tree, rng):
    q = rng.normal(size=7)
    J, R = link_jacobians(tree.model(), q), tree.R
    Jh = [None, *(local_jacobian(tree, k, q) for k in range(1, 5))]
    assert [block.shape for block in Jh[1:]] == [(3, 2), (3, 3), (3, 1), (3, 1)]
    nil = np.zeros((3, 7))
    close(J[1][3:], np.column_stack([Jh[1], nil[:, :5]]))
    close(J[4][3:], np.column_stack([Jh[1], R(1, q) @ Jh[2], nil[:, :1], R(2, q) @ Jh[4]]))
    assert not J[4][3:, 5].any()
    assert not J[1][3:, 2:].any()
    for k in range(1, 5):
        close(J[k][3:], np.column_stack([tree.w(k, q, e) for e in np.eye(7)]))


@pytest.mark.source("MBT-52")
def test_local_jacobian_of_three_euler_turns(tree, rng):
    q = rng.uniform(-1, 1, 7)
    R_x, R_y = turn(X, q[2]), turn(Y, q[3])
    Jh = local_angular_jacobian(tree.model(), q, 2)
    close(Jh, np.column_stack([X, R_x @ Y, R_x @ R_y @ Z]))
    close(Jh, local_jacobian(tree, 2, q))
    close(lagrange.euler_angle_jacobian(q[2:5]), local_jacobian(tree, 2, q))
    assert np.linalg.det(Jh) == pytest.approx(np.cos(q[3]))
    for angle in (np.pi / 2, -np.pi / 2):
        assert np.linalg.matrix_rank(lagrange.euler_angle_jacobian([q[2], angle, q[4]]), 1e-9) == 2


@pytest.mark.source("MBT-S5.2-2")
def test_jacobian_of_a_quaternion_is_simple_after_all(rng):
    """Jh = 2 (-x, p0 1 + [x]) gives the angular velocity of every motion p(t) on the unit sphere."""
    a, b = rng.normal(size=(2, 4))

    def p(t):
        raw = a + t * b
        return raw / np.sqrt(raw @ raw)

    def R(t):
        p0, x = p(t)[0], p(t)[1:]
        return (2 * p0 * p0 - 1) * np.eye(3) + 2 * np.outer(x, x) + 2 * p0 * cross_matrix(x)

    close(R(0) @ R(0).T, np.eye(3))
    close(lagrange.quaternion_jacobian(p(0)) @ derivative(p), vex(derivative(R) @ R(0).T))


@pytest.mark.source("MBT-53")
def test_exponential_map(rng):
    for size in (1.0, 3.1, 1e-2, 3e-3, 1e-5, 0.0):
        q = rng.normal(size=3)
        q *= size / np.linalg.norm(q)
        R = lagrange.exponential_map(q)
        assert_allclose(R, expm(cross_matrix(q)), atol=1e-13)
        assert_allclose(R @ R.T, np.eye(3), atol=1e-13)
        assert np.linalg.det(R) == pytest.approx(1, abs=1e-13)


@pytest.mark.source("MBT-54")
def test_jacobian_of_the_exponential_map(rng):
    for size in (1.0, 3.1, 1e-2, 3e-3, 1e-5):
        q, qd = rng.normal(size=(2, 3))
        q *= size / np.linalg.norm(q)
        t, Q, Jh = size, cross_matrix(q), lagrange.exponential_map_jacobian(q)
        R_dot = derivative(lambda s, q=q, qd=qd: expm(cross_matrix(q + s * qd)))
        assert_allclose(Jh @ qd, vex(R_dot @ expm(-Q)), atol=1e-9)
        if size > 0.1:
            right = np.eye(3) - (1 - np.cos(t)) / t**2 * Q + (t - np.sin(t)) / t**3 * Q @ Q
            assert_allclose(expm(Q) @ right, Jh, atol=1e-13)
    for turns in (1, 2):
        singular = np.linalg.svd(lagrange.exponential_map_jacobian(2 * np.pi * turns * q / size))[1]
        assert singular.min() < 1e-12 < 0.1 < singular.max()


@pytest.mark.source("MBT-55")
def test_small_rotation_to_second_order(rng):
    """The error of 1 + [q] + ½[q]² falls eightfold when the angle is halved, and is t³/6 at first."""
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)

    def error(t):
        Q = t * cross_matrix(u)
        return np.linalg.norm(lagrange.exponential_map(t * u) - (np.eye(3) + Q + Q @ Q / 2), 2)

    for t in (0.4, 0.2, 0.1):
        assert error(t) / error(t / 2) == pytest.approx(8, abs=0.1)
    assert error(0.1) == pytest.approx(0.1**3 / 6, rel=0.01)


@pytest.mark.source("MBT-56")
def test_small_angle_jacobian_to_second_order(rng):
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)

    def error(t):
        Q = t * cross_matrix(u)
        return np.linalg.norm(lagrange.exponential_map_jacobian(t * u) - (np.eye(3) + Q / 2 + Q @ Q / 6), 2)

    for t in (0.4, 0.2, 0.1):
        assert error(t) / error(t / 2) == pytest.approx(8, abs=0.1)
    assert error(0.1) == pytest.approx(0.1**3 / 24, rel=0.01)


@pytest.mark.source("MBT-57")
def test_linear_jacobian_is_the_derivative_of_the_chain_of_transforms(linkage, rng):
    """d(W_k^0 c_k)/dq by 4 x 4 matrices, and the library's columns -[x_k - o_l] R_p(l) Jh_l."""
    q = rng.normal(size=linkage.n)
    model = linkage.model()
    J = link_jacobians(model, q)

    def centre(k, q):
        W = np.eye(4)
        for l in model.kappa(k):
            local = np.eye(4, dtype=q.dtype)
            local[:3, :3], local[:3, 3] = linkage.local(l, q)
            W = W @ local
        return (W @ [*linkage.body(k)[1], 1])[:3]

    for k in range(1, linkage.m + 1):
        close(J[k][:3], np.column_stack([derivative(lambda t, e=e, k=k: centre(k, q + t * e))
                                         for e in np.eye(linkage.n)]))


@pytest.mark.source("MBT-58")
def test_link_jacobian_is_rbdas_body_jacobian_at_the_centre_of_mass(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    model = linkage.model()
    for k in range(1, linkage.m + 1):
        R, c = linkage.R(k, q), linkage.body(k)[1]
        J_body = kinematics.body_jacobian(model, q, k)
        shifted = np.concatenate([R @ (J_body[3:] - cross_matrix(c) @ J_body[:3]), R @ J_body[:3]])
        J = link_jacobians(model, q)[k]
        close(J, shifted)
        close(J @ qd, np.concatenate([linkage.v(k, q, qd), linkage.w(k, q, qd)]))


# Section 5.3: equations of motion


@pytest.mark.source("MBT-59")
def test_equations_of_motion_of_the_articulated_system(linkage, rng):
    q, qd, qdd = rng.normal(size=(3, linkage.n))
    model = linkage.model()
    M, C = mass_matrix_and_coriolis(model, q, qd)
    close(M @ qdd + C, lagrange_expression(linkage.energy, q, qd, qdd), 1e-7)
    close(M, inertia_matrix(model, q), 1e-10)
    close(C, rnea(model.replace(gravity=(0, 0, 0)), q, qd, 0 * qdd), 1e-10)


@pytest.mark.source("MBT-A1")
def test_forward_dynamics_by_jacobians(linkage, rng):
    """The accelerations make the Lagrange expression equal to the applied forces and the weights."""
    q, qd, tau = rng.normal(size=(3, linkage.n))
    model = linkage.model()
    qdd = lagrange.forward_dynamics(model, q, qd, tau)
    weights = [slope(lambda s, e=e: -linkage.potential(q + s * e)) for e in np.eye(linkage.n)]
    close(lagrange_expression(linkage.energy, q, qd, qdd), tau + weights, 1e-7)
    close(qdd, forward_dynamics_of_rbdlib(model, q, qd, tau), 1e-9)


# Section 6.1: velocities


@pytest.mark.source("MBT-60")
def test_stacked_jacobian_has_all_linear_parts_first(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    J_v, J_w = maximal.stacked_jacobians(linkage.model(), q)
    expected = stacked(linkage, q)
    assert np.concatenate([J_v, J_w]).shape == (6 * linkage.m, linkage.n)
    close(J_v, expected[0])
    close(J_w, expected[1])
    links = range(1, linkage.m + 1)
    close(maximal.cartesian_velocity(linkage.model(), q, qd),
          np.concatenate([*(linkage.v(k, q, qd) for k in links), *(linkage.w(k, q, qd) for k in links)]))


@pytest.mark.source("MBT-61")
def test_generalized_velocity_by_pseudo_inverse(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    J = np.concatenate(stacked(linkage, q))
    recovered, residual = maximal.generalized_velocity(linkage.model(), q, J @ qd)
    close(recovered, qd, 1e-10)
    close(residual, np.zeros(6 * linkage.m), 1e-10)
    V = rng.normal(size=6 * linkage.m)
    recovered, residual = maximal.generalized_velocity(linkage.model(), q, V)
    close(recovered, np.linalg.lstsq(J, V)[0], 1e-10)
    close(residual, V - J @ recovered, 1e-10)
    assert np.linalg.norm(residual) > 0.1


@pytest.mark.source("MBT-S6.1-1", "MBT-S6.1-3")
def test_columns_of_the_jacobian_are_independent_except_in_gimbal_lock(tree, linkage, rng):
    q, V = rng.normal(size=linkage.n), rng.normal(size=6 * linkage.m)
    J_v, J_w = stacked(linkage, q)
    assert 6 * linkage.m > linkage.n == np.linalg.matrix_rank(np.concatenate([J_v, J_w]))
    close(np.concatenate(maximal.stacked_jacobians(linkage.model(), q)), np.concatenate([J_v, J_w]))
    maximal.generalized_velocity(linkage.model(), q, V)
    J_v, J_w = stacked(tree, rng.normal(size=7))
    assert J_w.shape == (12, 7)
    assert np.linalg.matrix_rank(J_w) == 7
    locked_v, locked_w = stacked(tree, GIMBAL_LOCK)
    assert np.linalg.matrix_rank(locked_w, 1e-9) == 6
    assert np.linalg.svd(locked_w)[1].min() < 1e-12
    assert np.linalg.matrix_rank(np.concatenate([locked_v, locked_w]), 1e-9) == 6
    with pytest.raises(ValueError, match="gimbal lock"):
        maximal.generalized_velocity(tree.model(), GIMBAL_LOCK, V[:24])


def block_matrices(tree, q):
    """D, R and Jh_w of Figure 1, written out by hand."""
    one, nil = np.eye(3), np.zeros((3, 3))
    D = np.block([[one, nil, nil, nil], [-one, one, nil, nil], [nil, -one, one, nil], [nil, -one, nil, one]])
    R = block_diag(one, tree.R(1, q), tree.R(2, q), tree.R(2, q))
    return D, R, block_diag(*(local_jacobian(tree, k, q) for k in range(1, 5)))


@pytest.mark.source("MBT-62")
def test_relative_angular_velocity(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    model = linkage.model()
    for k in range(1, linkage.m + 1):
        p = model.parent[k]
        relative = linkage.w(k, q, qd) - (linkage.w(p, q, qd) if p else 0)
        close(linkage.R(p, q) @ local_angular_jacobian(model, q, k) @ qd[linkage.own(k)], relative)


@pytest.mark.source("MBT-63", "MBT-64", "MBT-65")
def test_block_form_of_the_relative_angular_velocities(tree, rng):
    q, qd = rng.normal(size=(2, 7))
    model = tree.model()
    D, R, Jh_w = block_matrices(tree, q)
    assert_array_equal(maximal.connectivity_matrix(model), D)
    assert np.linalg.det(maximal.connectivity_matrix(model)) == pytest.approx(1)
    close(maximal.parent_rotations(model, q), R)
    close(maximal.local_angular_jacobians(model, q), Jh_w)
    _, J_w = stacked(tree, q)
    close(maximal.connectivity_matrix(model) @ J_w,
          maximal.parent_rotations(model, q) @ maximal.local_angular_jacobians(model, q))
    w = np.concatenate([tree.w(k, q, qd) for k in range(1, 5)])
    wh = maximal.parent_rotations(model, q).T @ maximal.connectivity_matrix(model) @ w
    close(wh, Jh_w @ qd)
    local = maximal.parent_rotations(model, q).T @ maximal.connectivity_matrix(model) @ J_w
    close(local, Jh_w)
    sizes = np.cumsum([0, 2, 3, 1, 1])
    for k in range(4):
        outside = np.delete(local[3 * k : 3 * k + 3], np.s_[sizes[k] : sizes[k + 1]], axis=1)
        close(outside, np.zeros_like(outside))


@pytest.mark.source("MBT-66")
def test_joint_velocities_from_angular_velocities(tree, rng):
    """Both left inverses of J_w give qd if w can be reached; for other w they differ, because D is not orthogonal."""
    q, qd = rng.normal(size=(2, 7))
    _, J_w = stacked(tree, q)
    V = np.concatenate([np.concatenate([tree.v(k, q, qd) for k in range(1, 5)]), J_w @ qd])
    recovered, residual = maximal.generalized_velocity_by_joint(tree.model(), q, V)
    close(recovered, qd, 1e-10)
    close(residual, np.zeros(24), 1e-10)
    close(np.linalg.pinv(J_w) @ J_w @ qd, qd, 1e-10)
    D, R, Jh_w = block_matrices(tree, q)
    w = rng.normal(size=12)
    by_joint = np.linalg.pinv(Jh_w) @ R.T @ D @ w
    close(by_joint, np.concatenate([np.linalg.pinv(local_jacobian(tree, k, q)) @ (R.T @ D @ w)[3 * k - 3 : 3 * k]
                                    for k in range(1, 5)]), 1e-10)
    far(by_joint, np.linalg.pinv(J_w) @ w)


@pytest.mark.source("MBT-A2")
def test_velocity_conversion_joint_by_joint(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    J = np.concatenate(stacked(linkage, q))
    recovered, residual = maximal.generalized_velocity_by_joint(linkage.model(), q, J @ qd)
    close(recovered, qd, 1e-10)
    close(residual, np.zeros(6 * linkage.m), 1e-9)
    V = J @ qd
    V[7] += 1
    assert np.abs(maximal.generalized_velocity_by_joint(linkage.model(), q, V)[1]).max() > 0.01


@pytest.mark.source("MBT-S6.1-2")
def test_any_independent_rows_give_the_same_velocity(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    J = np.concatenate(maximal.stacked_jacobians(linkage.model(), q))
    V = np.concatenate(stacked(linkage, q)) @ qd
    noise, answers, noisy = 0.1 * rng.normal(size=len(V)), [], []
    while len(answers) < 3:
        rows = rng.permutation(len(V))[: linkage.n + 3]
        if np.linalg.cond(J[rows]) < 100:
            answers.append(np.linalg.pinv(J[rows]) @ V[rows])
            noisy.append(np.linalg.pinv(J[rows]) @ (V + noise)[rows])
    for answer in answers:
        close(answer, qd, 1e-8)
    far(noisy[0], noisy[1])


@pytest.mark.source("MBT-S6.1-4")
def test_consistent_angular_velocities_bring_consistent_linear_ones_only_if_v_can_be_reached(tree, rng):
    q, qd = rng.normal(size=(2, 7))
    model, (J_v, J_w) = tree.model(), stacked(tree, q)
    reachable, residual = maximal.generalized_velocity_by_joint(model, q, np.concatenate([J_v @ qd, J_w @ qd]))
    close(residual, np.zeros(24), 1e-10)
    torn_apart = np.concatenate([rng.normal(size=12), J_w @ qd])
    _, residual = maximal.generalized_velocity_by_joint(model, q, torn_apart)
    assert np.abs(residual[:12]).max() > 0.1
    from_angles = np.linalg.pinv(J_w) @ torn_apart[12:]
    close(from_angles, qd, 1e-9)
    far(J_v @ from_angles, torn_apart[:12])


@pytest.mark.source("MBT-S6.1-5")
def test_translation_of_a_floating_base_needs_its_rotation_taken_off(rng):
    """qd of the slider is v_2 - w_2 × R c_2; the plain v_2 of the text differs by w × R c, unless c = 0."""
    linkage = sliding_linkage(rng)
    q, qd = rng.normal(size=(2, linkage.n))
    V = np.concatenate(stacked(linkage, q)) @ qd
    recovered, _ = maximal.generalized_velocity_by_joint(linkage.model(), q, V)
    v_2, w_2, lever = linkage.v(2, q, qd), linkage.w(2, q, qd), linkage.R(2, q) @ linkage.body(2)[1]
    close(recovered[:3], v_2 - np.cross(w_2, lever), 1e-10)
    close(recovered[:3], qd[:3], 1e-10)
    far(v_2, qd[:3])
    close(v_2 - qd[:3], np.cross(w_2, lever), 1e-10)


# Section 6.2: forces


def loads(linkage, q, rng):
    """Forces at one particle of every link: forces, torques, the particles' numbers and positions, by body number."""
    f, tau = rng.normal(size=(2, linkage.m, 3))
    numbers = {k: int(rng.integers(0, 6)) for k in range(1, linkage.m + 1)}
    return f, tau, numbers, {k: linkage.particles(k, q)[i] for k, i in numbers.items()}


def by_body(vectors):
    return dict(enumerate(vectors, start=1))


@pytest.mark.source("MBT-67")
def test_generalized_force_has_the_power_of_forces_and_torques(linkage, rng):
    q, qd = rng.normal(size=(2, linkage.n))
    f, tau, numbers, points = loads(linkage, q, rng)
    Q = maximal.generalized_force(linkage.model(), q, by_body(f), by_body(tau), points=points)
    power = sum(f[k - 1] @ derivative(lambda t, k=k: linkage.particles(k, q + t * qd)[numbers[k]])
                + tau[k - 1] @ linkage.w(k, q, qd) for k in numbers)
    close(np.array(Q @ qd), np.array(power), 1e-11)
    J_v, J_w = stacked(linkage, q, numbers)
    close(Q, J_v.T @ f.ravel() + J_w.T @ tau.ravel(), 1e-11)


@pytest.mark.source("MBT-S6.2-1")
def test_body_torque_and_total_torque(linkage, rng):
    """J'_vᵀ f = J_vᵀ f + J_wᵀ [r - x] f: a force at r is a force at the centre of mass and its moment."""
    q = rng.normal(size=linkage.n)
    f, tau, _, points = loads(linkage, q, rng)
    x = [linkage.x(k, q) for k in points]
    total = [torque + np.cross(points[k] - x[k - 1], f[k - 1]) for k, torque in by_body(tau).items()]
    model = linkage.model()
    at_points = maximal.generalized_force(model, q, by_body(f), by_body(tau), points=points)
    close(at_points, maximal.generalized_force(model, q, by_body(f), by_body(total)), 1e-11)
    J_v, J_w = stacked(linkage, q)
    close(at_points, J_v.T @ f.ravel() + J_w.T @ np.ravel(total), 1e-11)


@pytest.mark.source("MBT-S6.2-2", "MBT-68")
def test_body_torques_from_joint_torques(tree, rng):
    """A joint torque acts on the link and, reversed, on the parent; its power is that of the relative velocity."""
    q, qd = rng.normal(size=(2, 7))
    model, th = tree.model(), rng.normal(size=(4, 3))
    tau = maximal.body_torques(model, q, by_body(th))
    for k in range(1, 5):
        expected = tree.R(model.parent[k], q) @ th[k - 1]
        expected = expected - sum(tree.R(k, q) @ th[child - 1] for child in model.mu(k))
        close(tau[k - 1], expected)
    close(tau.sum(axis=0), th[0])
    D, R, Jh_w = block_matrices(tree, q)
    close(tau.ravel(), D.T @ R @ th.ravel())
    close(tau.ravel(), (R.T @ D).T @ th.ravel())
    power = sum(tau[k - 1] @ tree.w(k, q, qd) for k in range(1, 5))
    close(np.array(th.ravel() @ Jh_w @ qd), np.array(power))


@pytest.mark.source("MBT-69")
def test_generalized_force_from_forces_and_joint_torques(tree, rng):
    q = rng.normal(size=7)
    f, th, numbers, points = loads(tree, q, rng)
    model = tree.model()
    Q = maximal.generalized_force(model, q, by_body(f), joint_torques=by_body(th), points=points)
    (J_v, J_w), (D, R, Jh_w) = stacked(tree, q, numbers), block_matrices(tree, q)
    close(Q, J_v.T @ f.ravel() + J_w.T @ (R.T @ D).T @ th.ravel(), 1e-11)
    close(Q, J_v.T @ f.ravel() + (R.T @ D @ J_w).T @ th.ravel(), 1e-11)
    close(Q, J_v.T @ f.ravel() + Jh_w.T @ th.ravel(), 1e-11)
    close(Q, maximal.generalized_force(model, q, by_body(f), by_body(maximal.body_torques(model, q, by_body(th))),
                                       points=points), 1e-11)


@pytest.mark.source("MBT-70")
def test_shortest_forces_at_the_centres_of_mass(linkage, rng):
    q, Q = rng.normal(size=(2, linkage.n))
    f, tau = maximal.cartesian_forces(linkage.model(), q, Q)
    J = np.concatenate(stacked(linkage, q))
    solution = np.concatenate([f.ravel(), tau.ravel()])
    close(J.T @ solution, Q, 1e-10)
    close(solution, np.linalg.pinv(J.T) @ Q, 1e-9)
    null_space = np.linalg.svd(J.T)[2][linkage.n :]
    for addition in rng.normal(size=(3, len(null_space))) @ null_space:
        close(J.T @ (solution + addition), Q, 1e-10)
        assert np.linalg.norm(solution + addition) > np.linalg.norm(solution)


@pytest.mark.source("MBT-S6.2-3")
def test_forces_at_known_points(tree, rng):
    q, Q = rng.normal(size=(2, 7))
    _, _, numbers, points = loads(tree, q, rng)
    f, th = maximal.forces_and_joint_torques(tree.model(), q, Q, points)
    A = np.concatenate([stacked(tree, q, numbers)[0], block_matrices(tree, q)[2]])
    close(A.T @ np.concatenate([f.ravel(), th.ravel()]), Q, 1e-10)
    close(np.concatenate([f.ravel(), th.ravel()]), np.linalg.pinv(A.T) @ Q, 1e-9)
    unknown = dict(list(points.items())[:2])
    f, th = maximal.forces_and_joint_torques(tree.model(), q, Q, unknown)
    close(maximal.generalized_force(tree.model(), q, by_body(f), joint_torques=by_body(th), points=unknown), Q, 1e-10)


@pytest.mark.source("MBT-S6.2-4")
def test_forces_are_under_determined(linkage, rng):
    q = rng.normal(size=linkage.n)
    J = np.concatenate(maximal.stacked_jacobians(linkage.model(), q))
    singular_values = np.linalg.svd(np.concatenate(stacked(linkage, q)))[1]
    rank = int((singular_values > 1e-9).sum())
    null_space = np.linalg.svd(J.T)[2][rank:]
    assert null_space.shape == (6 * linkage.m - rank, 6 * linkage.m)
    assert len(null_space) > 0
    close(J.T @ null_space.T, np.zeros((linkage.n, len(null_space))), 1e-10)


@pytest.mark.source("MBT-71")
def test_joint_torques_without_linear_forces(tree, rng):
    q, Q = rng.normal(size=(2, 7))
    th = maximal.joint_torques(tree.model(), q, Q)
    for k in range(1, 5):
        Jh = local_jacobian(tree, k, q)
        close(Jh.T @ th[k - 1], Q[tree.own(k)], 1e-11)
        close(th[k - 1], np.linalg.pinv(Jh.T) @ Q[tree.own(k)], 1e-11)
    Jh_w = block_matrices(tree, q)[2]
    close(th.ravel(), np.linalg.pinv(Jh_w.T) @ Q, 1e-11)
    close(maximal.generalized_force(tree.model(), q, joint_torques=by_body(th)), Q, 1e-11)


@pytest.mark.source("MBT-71")
def test_joint_torques_are_refused_for_a_joint_that_slides(rng):
    linkage = sliding_linkage(rng)
    with pytest.raises(ValueError, match="Joint 1 .* slides; use forces_and_joint_torques"):
        maximal.joint_torques(linkage.model(), rng.normal(size=linkage.n), rng.normal(size=linkage.n))


@pytest.mark.source("MBT-A3")
def test_force_conversion_there_and_back(tree, rng):
    """Every inverse, followed by the work that the independent tree says its forces do, gives Q back."""
    q, Q = rng.normal(size=(2, 7))
    model, (_, _, numbers, points) = tree.model(), loads(tree, q, rng)
    (J_v, J_w), (D, R, Jh_w) = stacked(tree, q), block_matrices(tree, q)
    f, tau = maximal.cartesian_forces(model, q, Q)
    close(J_v.T @ f.ravel() + J_w.T @ tau.ravel(), Q, 1e-10)
    f, th = maximal.forces_and_joint_torques(model, q, Q, points)
    close(stacked(tree, q, numbers)[0].T @ f.ravel() + J_w.T @ D.T @ R @ th.ravel(), Q, 1e-10)
    th = maximal.joint_torques(model, q, Q)
    close(J_w.T @ maximal.body_torques(model, q, by_body(th)).ravel(), Q, 1e-10)
    close(Jh_w.T @ th.ravel(), Q, 1e-10)


# A simulator with six coordinates for every body, driven by generalized controls


def constraint_rows(tree, R, w):
    """(A, b) of A a = b for the joints of Figure 1 in the accelerations a = (v'_k; w'_k): geometry in world axes.

    A joint keeps two points together; beyond that, a hinge keeps its axis in both links, and the universal root keeps
    the x axis of the world perpendicular to the y axis of link 1.
    """
    rows, rest = [], []
    for k in range(1, 5):
        p = tree.parent[k - 1]
        arm, parent_arm = -R[k] @ tree.body(k)[1], (R[p] @ (tree.d[k - 1] - tree.body(p)[1]) if p else np.zeros(3))
        point = np.zeros((3, 24))
        point[:, 3 * k - 3 : 3 * k], point[:, 9 + 3 * k : 12 + 3 * k] = np.eye(3), -cross_matrix(arm)
        bend = -np.cross(w[k], np.cross(w[k], arm))
        if p:
            point[:, 3 * p - 3 : 3 * p] = -np.eye(3)
            point[:, 9 + 3 * p : 12 + 3 * p] = cross_matrix(parent_arm)
            bend = bend + np.cross(w[p], np.cross(w[p], parent_arm))
        rows.append(point)
        rest.append(bend)
        if len(tree.turns[k - 1]) == 1:
            axis = R[p] @ tree.turns[k - 1][0]
            across = np.linalg.svd(axis[None, :])[2][1:]
            hinge = np.zeros((2, 24))
            hinge[:, 9 + 3 * k : 12 + 3 * k], hinge[:, 9 + 3 * p : 12 + 3 * p] = across, -across
            rows.append(hinge)
            rest.append(across @ np.cross(w[p], w[k]))
    fork = np.zeros((1, 24))
    y = R[1] @ Y
    fork[0, 12:15] = np.cross(y, X)
    rows.append(fork)
    rest.append([-X @ np.cross(w[1], np.cross(w[1], y))])
    return np.concatenate(rows), np.concatenate(rest)


@pytest.mark.source("MBT-Q1")
def test_a_simulator_with_six_coordinates_per_body_follows_the_joint_space_motion():
    """Joint forces and velocities converted for it, constraints solved at every instant, and qd converted back."""
    rng = np.random.default_rng(53)
    tree, tau = figure_1(rng), rng.normal(size=7)
    model, (q, qd), duration = tree.model(), 0.5 * rng.normal(size=(2, 7)), 0.1
    masses = np.repeat([tree.body(k)[0] for k in range(1, 5)], 3)

    def accelerations(R, w, applied):
        inertias = [R[k] @ tree.body(k)[2] @ R[k].T for k in range(1, 5)]
        gyroscopic = [np.cross(w[k], inertias[k - 1] @ w[k]) for k in range(1, 5)]
        M, (A, b) = block_diag(np.diag(masses), *inertias), constraint_rows(tree, R, w)
        force = applied - np.concatenate([np.zeros(12), *gyroscopic])
        force[:12] += masses * np.tile(tree.gravity, 4)
        saddle = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
        return np.linalg.solve(saddle, np.concatenate([force, b]))[:24]

    def maximal_rate(t, y):
        R = [np.eye(3), *y[:36].reshape(4, 3, 3)]
        V, q_now = y[36:60], y[60:]
        w = [np.zeros(3), *V[12:].reshape(4, 3)]
        qd_now, _ = maximal.generalized_velocity_by_joint(model, q_now, V)
        torques = maximal.body_torques(model, q_now, by_body(maximal.joint_torques(model, q_now, tau)))
        applied = np.concatenate([np.zeros(12), torques.ravel()])
        R_dot = [cross_matrix(w[k]) @ R[k] for k in range(1, 5)]
        return np.concatenate([np.ravel(R_dot), accelerations(R, w, applied), qd_now])

    start = np.concatenate([np.ravel([tree.R(k, q) for k in range(1, 5)]), np.concatenate(stacked(tree, q)) @ qd, q])
    end = solve_ivp(maximal_rate, (0, duration), start, "DOP853", rtol=1e-9, atol=1e-9).y[:, -1]

    def joint_space_rate(t, y):
        return np.concatenate([y[7:], forward_dynamics_of_rbdlib(model, y[:7], y[7:], tau)])

    expected = solve_ivp(joint_space_rate, (0, duration), [*q, *qd], "DOP853", rtol=1e-9, atol=1e-9).y[:, -1]
    assert_allclose(end[60:], expected[:7], atol=1e-6)
    assert_allclose(maximal.generalized_velocity(model, end[60:], end[36:60])[0], expected[7:], atol=1e-6)
    assert_allclose(end[:36].reshape(4, 3, 3), [tree.R(k, expected[:7]) for k in range(1, 5)], atol=1e-6)
    assert np.abs(expected[:7] - q).max() > 0.01
