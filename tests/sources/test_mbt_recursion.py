"""The rows of A Quick Tutorial on Multibody Dynamics, section 7: recursive inverse dynamics in local frames.

The independent side is `tests.sources.linkage`: world positions of a moving tree and their derivatives.
"""

from functools import cache

import numpy as np
import pytest

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib
from rbdlib import kinematics, lagrange, rnea, spatial
from rbdlib.complexity import count_operations
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.lagrange import local_angular_jacobian, recursive_inverse_dynamics
from tests.sources.helpers import close, cross_matrix, derivative, far, random_cluster, slope
from tests.sources.linkage import Linkage, X, Y, Z, figure_1, moving, sliding_linkage


@pytest.fixture
def rng():
    return np.random.default_rng(61)


@pytest.fixture
def tree():
    return moving(figure_1)


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def motion(request):
    return moving(request.param)


@cache
def passes(motion, gravity=True):
    """The two passes of the library for a motion, or for the same without weight."""
    model = motion.model if gravity else motion.model.replace(gravity=(0, 0, 0))
    return recursive_inverse_dynamics(model, motion.q, motion.qd, motion.qdd)


def free(motion):
    return passes(motion, gravity=False)


# 7.1: dynamics in the local frame


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
    f = passes(motion).f
    for k in motion.links:
        m, received = motion.linkage.body(k)[0], motion.R(k) @ f[k]
        passed_on = sum(motion.R(i) @ f[i] for i in motion.model.mu(k))
        close(received - passed_on + m * motion.linkage.gravity, m * motion.R(k) @ motion.vd(k), 1e-7)


@pytest.mark.source("MBT-72", "MBT-73")
def test_newtons_and_eulers_equations_of_every_link(motion):
    """The net force and moment about the centre of mass are m v' and I_c w' + w × I_c w, with v' from positions.

    f_k and tau_k are the two parts of RBDA's force through joint k.
    """
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


# 7.2: velocities and accelerations


@pytest.mark.source("MBT-74")
def test_velocity_of_the_centre_of_mass_by_homogeneous_transforms(tree):
    """Each line of Eq. 74 gives the velocity that the library's pass 1 has in local axes."""
    def transform(pose, t):
        R, p = pose(tree.q + t * tree.qd)
        return np.vstack([np.column_stack([R, p]), [0, 0, 0, 1]])

    for k in tree.links:
        p, c, c_p = tree.parent(k), np.array([*tree.c(k), 1]), np.array([*tree.c(tree.parent(k)), 1])
        W_0, W_p, W = (lambda t, pose=pose, i=i: transform(lambda q: pose(i, q), t)
                       for pose, i in ((tree.linkage.pose, k), (tree.linkage.pose, p), (tree.linkage.local, k)))
        expected, bracket = np.array([*(tree.R(k) @ passes(tree).v[k]), 0]), W(0.0) @ c - c_p
        close(derivative(W_0) @ c, expected)
        close(derivative(W_p) @ W(0.0) @ c + W_p(0.0) @ derivative(W) @ c, expected)
        close(np.array([*tree.v(p), 0]) + derivative(W_p) @ bracket + W_p(0.0) @ derivative(W) @ c, expected)
        assert abs(bracket[3]) < 1e-12


@pytest.mark.source("MBT-75", "MBT-77")
def test_velocities_in_world_axes(tree):
    for k in tree.links:
        p = tree.parent(k)
        R_p, R_k = tree.R(p), tree.R_k(k)
        lever = R_k @ tree.c(k) + tree.d(k) - tree.c(p)
        R_p_dot, R_k_dot = slope(lambda t, p=p: tree.R(p, t)), slope(lambda t, k=k: tree.R_k(k, t))
        expected = tree.R(k) @ passes(tree).v[k]
        close(tree.v(p) + R_p_dot @ lever + R_p @ R_k_dot @ tree.c(k), expected, 1e-9)          # (75)
        by_crosses = np.cross(tree.w(p), R_p @ lever) + R_p @ np.cross(tree.wh(k), R_k @ tree.c(k))
        close(tree.v(p) + by_crosses, expected)
        close(slope(lambda t, k=k: tree.x(k, t)), expected, 1e-9)
        whole = slope(lambda t, k=k, p=p: tree.R(p, t) @ tree.R_k(k, t)) @ (R_p @ R_k).T
        W = cross_matrix(tree.R(k) @ passes(tree).w[k])
        close(W, whole, 1e-9)                                                                   # (77)
        close(W, cross_matrix(tree.w(p)) + R_p @ cross_matrix(tree.wh(k)) @ R_p.T)


@pytest.mark.source("MBT-76", "MBT-78")
def test_velocities_in_local_axes(tree):
    v, w = passes(tree).v, passes(tree).w
    for k in tree.links:
        p, R_k = tree.parent(k), tree.R_k(k)
        close(v[k], tree.local(k, tree.v(k)))
        close(w[k], tree.local(k, tree.w(k)))
        v_p, w_p = tree.R(p).T @ tree.v(p), tree.R(p).T @ tree.w(p)
        close(R_k.T @ (v_p + np.cross(w_p, tree.d(k) - tree.c(p))) + np.cross(tree.local(k, tree.w(k)), tree.c(k)),
              v[k])
        close(R_k.T @ (w_p + local_angular_jacobian(tree.model, tree.q, k) @ tree.qd[tree.linkage.own(k)]), w[k])


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
    for k in tree.links:
        p, R_k, c = tree.parent(k), tree.R_k(k), tree.c(k)
        arm, w_p, w, wd_p = tree.d(k) - tree.c(p), tree.R(p).T @ tree.w(p), tree.local(k, tree.w(k)), tree.wd(p)
        by_parent = tree.vd(p) + np.cross(wd_p, arm) + np.cross(w_p, np.cross(w_p, arm))
        printed_well = R_k.T @ by_parent + np.cross(w, np.cross(w, c)) + np.cross(tree.wd(k), c)
        close(printed_well, tree.vd(k), 1e-7)                                                   # (79)
        close(free(tree).a[k], tree.vd(k), 1e-7)
        wh_rate, own = slope(lambda t, k=k: tree.wh(k, t)), tree.linkage.own(k)
        close(R_k.T @ (wd_p + wh_rate + np.cross(w_p, tree.wh(k))), tree.wd(k), 1e-8)           # (80)
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


# 7.2 and 7.3: the whole algorithm


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
    """A leaf has only its own inertia to bear. The root's force is what the world must supply; it is not zero.

    It is zero for a floating root that nothing drives.
    """
    for k in (3, 4):
        (m, c, I_c), w = tree.linkage.body(k), tree.local(k, tree.w(k))
        close(free(tree).f[k], m * tree.vd(k), 1e-7)
        about_joint = I_c @ tree.wd(k) + np.cross(w, I_c @ w) + np.cross(c, m * tree.vd(k))
        close(free(tree).tau[k], about_joint, 1e-7)
    momentum_rate = sum(tree.linkage.body(k)[0] * tree.R(k) @ tree.vd(k) for k in tree.links)
    weight = sum(tree.linkage.body(k)[0] for k in tree.links) * tree.linkage.gravity
    close(tree.R(1) @ passes(tree).f[1], momentum_rate - weight, 1e-7)
    assert np.abs(passes(tree).f[1]).max() > 0.1
    assert np.abs(passes(tree).tau[1]).max() > 0.1

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
    assert np.abs(passes(motion).Q - with_applied(-1)).max() > 0.1


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
