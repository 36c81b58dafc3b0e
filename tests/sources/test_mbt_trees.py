"""The rows of A Quick Tutorial on Multibody Dynamics, sections 5 and 6: articulated systems, conversions.

The independent side is `tests.sources.linkage`, as in `test_mbt`; section 7 is in `test_mbt_recursion`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib
from rbdlib import kinematics, lagrange, maximal
from rbdlib.lagrange import link_jacobians, local_angular_jacobian
from rbdlib.spatial import skew
from tests.sources.helpers import close, cross_matrix, derivative, far, turn
from tests.sources.linkage import X, Y, Z, figure_1, moving, sliding_linkage, vex

GIMBAL_LOCK = np.array([0.3, -0.2, 0.4, np.pi / 2, 0.6, -0.5, 0.7])


@pytest.fixture
def rng():
    return np.random.default_rng(51)


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


@pytest.mark.source("MBT-49", "MBT-50", "MBT-62", "MBT-S5.2-1", "MBT-S5.1-2")
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
        close(skew(w[k]), whole @ (R_p @ R_k).T)                                                # (49)
        close(skew(w[k]), (R_p_dot @ R_k + R_p @ R_k_dot) @ R_k.T @ R_p.T)
        close(skew(w[k]), skew(w[p]) + R_p @ (R_k_dot @ R_k.T) @ R_p.T)

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
    """The errors of 1 + [q] + ½[q]² and 1 + ½[q] + [q]²/6 are t³/6 and t³/24 at first: eightfold for twice the angle.
    """
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


# Section 5.3: equations of motion


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


@pytest.mark.source("MBT-63", "MBT-64", "MBT-65", "MBT-66", "MBT-A2", "MBT-51", "MBT-X1")
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
    w = rng.normal(size=12)
    by_joint, residual = maximal.generalized_velocity_by_joint(model, q, np.concatenate([J_v @ qd, w]))
    close(by_joint, np.linalg.pinv(Jh_w) @ R.T @ D @ w, 1e-10)
    close(residual, np.concatenate([J_v @ (qd - by_joint), w - J_w @ by_joint]), 1e-9)
    far(by_joint, np.linalg.pinv(J_w) @ w)


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
    ours = np.concatenate(maximal.stacked_jacobians(motion.model, motion.q))
    null_space = np.linalg.svd(ours.T)[2][motion.n :]
    assert len(null_space) == 6 * motion.linkage.m - motion.n > 0                               # (S6.2-4)
    for addition in rng.normal(size=(3, len(null_space))) @ null_space:
        close(J.T @ (solution + addition), Q, 1e-10)
        assert np.linalg.norm(solution + addition) > np.linalg.norm(solution)


@pytest.mark.source("MBT-71", "MBT-A3", "MBT-S6.2-3")
def test_force_conversion_there_and_back(tree, rng):
    """Every inverse is the shortest, and followed by the work that the independent tree says its forces do, gives Q.
    """
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


@pytest.mark.slow
@pytest.mark.source("MBT-Q1")
def test_a_simulator_with_six_coordinates_per_body_follows_the_joint_space_motion():
    """Joint forces and velocities converted for it, constraints solved at every instant, and qd converted back."""
    rng = np.random.default_rng(53)
    tree, tau = figure_1(rng), rng.normal(size=7)
    model, (q, qd), span = tree.model(), 0.5 * rng.normal(size=(2, 7)), (0, 0.1)
    masses, how = np.repeat([tree.body(k)[0] for k in range(1, 5)], 3), {"rtol": 1e-7, "atol": 1e-7}

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
    end = solve_ivp(maximal_rate, span, start, "DOP853", **how).y[:, -1]

    def joint_space_rate(t, y):
        return np.concatenate([y[7:], forward_dynamics_of_rbdlib(model, y[:7], y[7:], tau)])

    expected = solve_ivp(joint_space_rate, span, [*q, *qd], "DOP853", **how).y[:, -1]
    assert_allclose(end[60:], expected[:7], atol=1e-5)
    assert_allclose(maximal.generalized_velocity(model, end[60:], end[36:60])[0], expected[7:], atol=1e-5)
    assert_allclose(end[:36].reshape(4, 3, 3), [tree.R(k, expected[:7]) for k in range(1, 5)], atol=1e-5)
    assert np.abs(expected[:7] - q).max() > 0.01
