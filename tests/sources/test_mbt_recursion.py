"""The rows of A Quick Tutorial on Multibody Dynamics, section 7: recursive inverse dynamics in local frames.

The independent side is `tests.sources.linkage`: world positions of a moving tree and their derivatives.
"""

import numpy as np
import pytest

from rbdlib import forward_dynamics as forward_dynamics_of_rbdlib
from rbdlib import kinematics, lagrange, rnea, spatial
from rbdlib.inverse_dynamics import newton_euler
from rbdlib.lagrange import local_angular_jacobian, recursive_inverse_dynamics
from tests.sources.helpers import close, cross_matrix, derivative, far, random_cluster, second_derivative, slope
from tests.sources.linkage import Linkage, X, Y, Z, figure_1, sliding_linkage
from tests.sources.linkage import lagrange as lagrange_expression


@pytest.fixture(params=[61, 62], ids=lambda seed: f"seed {seed}")
def rng(request):
    return np.random.default_rng(request.param)


class Motion:
    """A linkage on a path: for each link the true velocities and accelerations in the link's axes, by differences."""

    def __init__(self, linkage, rng):
        self.linkage, self.model = linkage, linkage.model()
        self.q, self.qd, self.qdd = q, qd, qdd = rng.normal(size=(3, linkage.n))
        self.at = lambda t: (q + t * qd + t * t / 2 * qdd, qd + t * qdd)
        self.passes = recursive_inverse_dynamics(self.model, q, qd, qdd)
        self.free = recursive_inverse_dynamics(self.model.replace(gravity=(0, 0, 0)), q, qd, qdd)

    @property
    def links(self):
        return range(1, self.linkage.m + 1)

    @property
    def turning(self):
        return [k for k in self.links if self.linkage.slides[k - 1] is None]

    @property
    def sliding(self):
        return [k for k in self.links if self.linkage.slides[k - 1] is not None]

    def parent(self, k):
        return self.linkage.parent[k - 1]

    def R(self, k, t=0.0):
        """From the axes of link k to world axes."""
        return self.linkage.R(k, self.at(t)[0])

    def R_k(self, k, t=0.0):
        return self.linkage.local(k, self.at(t)[0])[0]

    def d(self, k, t=0.0):
        return self.linkage.local(k, self.at(t)[0])[1]

    def c(self, k):
        return self.linkage.body(k)[1] if k else np.zeros(3)

    def v(self, k, t=0.0):
        return self.linkage.v(k, *self.at(t)) if k else np.zeros(3)

    def w(self, k, t=0.0):
        return self.linkage.w(k, *self.at(t)) if k else np.zeros(3)

    def wh(self, k, t=0.0):
        """Angular velocity relative to the parent, in the parent's axes."""
        return self.R(self.parent(k), t).T @ (self.w(k, t) - self.w(self.parent(k), t))

    def local(self, k, vector):
        return self.R(k).T @ vector

    def vd(self, k):
        """True acceleration of the centre of mass, in the axes of link k."""
        return self.local(k, second_derivative(lambda t: self.linkage.x(k, self.at(t)[0]))) if k else np.zeros(3)

    def wd(self, k):
        return self.local(k, slope(lambda t: self.w(k, t))) if k else np.zeros(3)


@pytest.fixture
def tree(rng):
    return Motion(figure_1(rng), rng)


@pytest.fixture(params=[figure_1, sliding_linkage], ids=["turning", "sliding"])
def motion(request, rng):
    return Motion(request.param(rng), rng)


# 7.1: dynamics in the local frame


@pytest.mark.source("MBT-F2")
def test_links_have_a_centre_and_the_joints_of_their_children(motion):
    """c_k and d_i locate the centre of mass and the joint of child i in link k; between them lie no other offsets."""
    X = kinematics.body_transforms(motion.model, motion.q)
    for k in motion.links:
        E, origin = spatial.X_to_Er(X[k])
        close(spatial.I_to_mcI(motion.model.inertia[k])[1], motion.c(k))
        close(origin + E.T @ motion.c(k), motion.linkage.x(k, motion.q))
        for i in motion.model.mu(k):
            close(origin + E.T @ motion.d(i), motion.linkage.poses(motion.q)[i][1])
    for k in motion.turning:
        close(spatial.X_to_Er(motion.model.X_tree[k])[1], motion.d(k))
    forces = motion.passes
    for k in motion.links:
        received = motion.R(k) @ forces.f[k]
        passed_on = sum(motion.R(i) @ forces.f[i] for i in motion.model.mu(k))
        weight = motion.linkage.body(k)[0] * motion.linkage.gravity
        close(received - passed_on + weight, motion.linkage.body(k)[0] * motion.R(k) @ motion.vd(k), 1e-7)


@pytest.mark.source("MBT-72")
def test_newtons_equation_of_every_link(motion):
    """f_k - sum R_i f_i = m v', with v' from positions; f_k is the linear part of RBDA's force through joint k."""
    f = motion.free.f
    for k in motion.links:
        net = f[k] - sum(motion.R_k(i) @ f[i] for i in motion.model.mu(k))
        close(net, motion.linkage.body(k)[0] * motion.vd(k), 1e-7)
    transmitted = newton_euler(motion.model, motion.q, motion.qd, motion.qdd).f
    for k in motion.links:
        close(motion.passes.f[k], transmitted[k][3:], 1e-10)
        close(motion.passes.tau[k], transmitted[k][:3], 1e-10)


@pytest.mark.source("MBT-73")
def test_eulers_equation_of_every_link(motion):
    """I_c w' + w × I_c w from positions, and the moments about the centre of mass of all that acts on the link."""
    f, tau = motion.free.f, motion.free.tau
    for k in motion.links:
        I_c, w, c = motion.linkage.body(k)[2], motion.local(k, motion.w(k)), motion.c(k)
        children = sum(motion.R_k(i) @ tau[i] + np.cross(motion.d(i) - c, motion.R_k(i) @ f[i])
                       for i in motion.model.mu(k))
        close(tau[k] - np.cross(c, f[k]) - children, I_c @ motion.wd(k) + np.cross(w, I_c @ w), 1e-7)
    close(motion.free.Q, lagrange_expression(motion.linkage.energy, motion.q, motion.qd, motion.qdd), 1e-7)


# 7.2: velocities and accelerations


def homogeneous(R, p):
    W = np.zeros((4, 4), dtype=np.result_type(R, p))
    W[:3, :3], W[:3, 3], W[3, 3] = R, p, 1
    return W


@pytest.mark.source("MBT-74")
def test_velocity_of_the_centre_of_mass_by_homogeneous_transforms(tree):
    """Each line of Eq. 74 gives the velocity that the library's pass 1 has in local axes."""
    linkage, q, qd = tree.linkage, tree.q, tree.qd

    def W_0(k, t=0.0):
        return homogeneous(*linkage.poses(q + t * qd)[k])

    def W(k, t=0.0):
        return homogeneous(*linkage.local(k, q + t * qd))

    for k in tree.links:
        p, c = tree.parent(k), np.array([*tree.c(k), 1])
        c_p = np.array([*tree.c(p), 1])
        W_p_dot, W_k_dot = derivative(lambda t, p=p: W_0(p, t)), derivative(lambda t, k=k: W(k, t))
        expected = np.array([*(tree.R(k) @ tree.passes.v[k]), 0])
        close(derivative(lambda t, k=k: W_0(k, t)) @ c, expected)
        close(W_p_dot @ W(k) @ c + W_0(p) @ W_k_dot @ c, expected)
        bracket = W(k) @ c - c_p
        close(np.array([*tree.v(p), 0]) + W_p_dot @ bracket + W_0(p) @ W_k_dot @ c, expected)
        assert abs(bracket[3]) < 1e-12
        assert abs((W_k_dot @ c)[3]) < 1e-12


@pytest.mark.source("MBT-75")
def test_velocity_of_the_centre_of_mass_in_world_axes(tree):
    for k in tree.links:
        p = tree.parent(k)
        R_p, R_k = tree.R(p), tree.R_k(k)
        lever = R_k @ tree.c(k) + tree.d(k) - tree.c(p)
        R_p_dot, R_k_dot = slope(lambda t, p=p: tree.R(p, t)), slope(lambda t, k=k: tree.R_k(k, t))
        expected = tree.R(k) @ tree.passes.v[k]
        close(tree.v(p) + R_p_dot @ lever + R_p @ R_k_dot @ tree.c(k), expected, 1e-9)
        by_crosses = np.cross(tree.w(p), R_p @ lever) + R_p @ np.cross(tree.wh(k), R_k @ tree.c(k))
        close(tree.v(p) + by_crosses, expected)
        close(slope(lambda t, k=k: tree.linkage.x(k, tree.at(t)[0])), expected, 1e-9)


@pytest.mark.source("MBT-76", "MBT-78")
def test_velocities_in_local_axes(tree):
    v, w = tree.passes.v, tree.passes.w
    for k in tree.links:
        p, R_k = tree.parent(k), tree.R_k(k)
        close(v[k], tree.local(k, tree.v(k)))
        close(w[k], tree.local(k, tree.w(k)))
        v_p, w_p = tree.R(p).T @ tree.v(p), tree.R(p).T @ tree.w(p)
        close(R_k.T @ (v_p + np.cross(w_p, tree.d(k) - tree.c(p))) + np.cross(tree.local(k, tree.w(k)), tree.c(k)),
              v[k])
        close(R_k.T @ (w_p + local_angular_jacobian(tree.model, tree.q, k) @ tree.qd[tree.linkage.own(k)]), w[k])


@pytest.mark.source("MBT-77")
def test_angular_velocity_in_world_axes(tree):
    for k in tree.links:
        p = tree.parent(k)
        whole = slope(lambda t, k=k, p=p: tree.R(p, t) @ tree.R_k(k, t)) @ (tree.R(p) @ tree.R_k(k)).T
        W = cross_matrix(tree.R(k) @ tree.passes.w[k])
        close(W, whole, 1e-9)
        close(W, cross_matrix(tree.w(p)) + tree.R(p) @ cross_matrix(tree.wh(k)) @ tree.R(p).T)


@pytest.mark.source("MBT-S7.2-1")
def test_derivative_of_local_components_is_not_the_acceleration(motion):
    for k in motion.links:
        v_rate = slope(lambda t, k=k: motion.R(k, t).T @ motion.v(k, t))
        w_rate = slope(lambda t, k=k: motion.R(k, t).T @ motion.w(k, t))
        v, w = motion.local(k, motion.v(k)), motion.local(k, motion.w(k))
        close(v_rate + np.cross(w, v), motion.free.a[k], 1e-7)
        close(w_rate, motion.free.wd[k], 1e-7)
        if w.any():
            far(v_rate, motion.free.a[k])
        a = kinematics.body_accelerations(motion.model, motion.q, motion.qd, motion.qdd)[k]
        close((spatial.xlt(motion.c(k)) @ a)[3:], v_rate, 1e-7)


@pytest.mark.source("MBT-79")
def test_acceleration_of_the_centre_of_mass_in_local_axes(tree):
    for k in tree.links:
        p, R_k, c = tree.parent(k), tree.R_k(k), tree.c(k)
        arm, w_p, w = tree.d(k) - tree.c(p), tree.R(p).T @ tree.w(p), tree.local(k, tree.w(k))
        by_parent = tree.vd(p) + np.cross(tree.wd(p), arm) + np.cross(w_p, np.cross(w_p, arm))
        printed_well = R_k.T @ by_parent + np.cross(w, np.cross(w, c)) + np.cross(tree.wd(k), c)
        close(printed_well, tree.vd(k), 1e-7)
        close(tree.free.a[k], tree.vd(k), 1e-7)


@pytest.mark.source("MBT-80")
def test_angular_acceleration_in_local_axes(tree):
    for k in tree.links:
        p, R_k = tree.parent(k), tree.R_k(k)
        w_p, wh_rate = tree.R(p).T @ tree.w(p), slope(lambda t, k=k: tree.wh(k, t))
        close(R_k.T @ (tree.wd(p) + wh_rate + np.cross(w_p, tree.wh(k))), tree.wd(k), 1e-8)
        close(tree.free.wd[k], tree.wd(k), 1e-8)
        own, linkage = tree.linkage.own(k), tree.linkage
        Jh_rate = slope(lambda t, k=k: local_angular_jacobian(tree.model, tree.at(t)[0], k))
        Jh = local_angular_jacobian(tree.model, tree.q, k)
        close(Jh @ tree.qdd[own] + Jh_rate @ tree.qd[own], wh_rate, 1e-8)
        assert linkage.n == 7


@pytest.mark.source("MBT-81")
def test_root_link(tree):
    """The root (link 1 in section 5, 0 in section 7) by its own equations and by the library's general step."""
    R, c, wh, wh_rate = tree.R_k(1), tree.c(1), tree.wh(1), slope(lambda t: tree.wh(1, t))
    w, wd = R.T @ wh, R.T @ wh_rate
    close(tree.free.w[1], w)
    close(tree.free.v[1], np.cross(w, c))
    close(tree.free.wd[1], wd, 1e-8)
    close(tree.free.a[1], np.cross(w, np.cross(w, c)) + np.cross(wd, c), 1e-8)
    close(tree.free.a[1], tree.vd(1), 1e-7)


@pytest.fixture
def slides(rng):
    return Motion(sliding_linkage(rng), rng)


def own_rates(motion, k):
    """d_k = d + q_k with its first and second derivatives, in the parent's axes."""
    own, axes = motion.linkage.own(k), motion.linkage.slides[k - 1]
    return motion.d(k), axes @ motion.qd[own], axes @ motion.qdd[own]


@pytest.mark.source("MBT-82")
def test_velocity_through_a_translational_joint_in_world_axes(slides):
    assert slides.sliding == [1, 3, 5]
    for k in slides.sliding:
        p, (q_k, qd_k, _) = slides.parent(k), own_rates(slides, k)
        R_p_dot = slope(lambda t, p=p: slides.R(p, t))
        v = slides.v(p) + R_p_dot @ (slides.c(k) + q_k - slides.c(p)) + slides.R(p) @ qd_k
        close(slides.R(k) @ slides.passes.v[k], v, 1e-9)
        close(slope(lambda t, k=k: slides.linkage.x(k, slides.at(t)[0])), v, 1e-9)


@pytest.mark.source("MBT-83")
def test_velocity_through_a_translational_joint_in_local_axes(slides):
    for k in slides.sliding:
        p, (q_k, qd_k, _) = slides.parent(k), own_rates(slides, k)
        v_p, w_p = slides.R(p).T @ slides.v(p), slides.R(p).T @ slides.w(p)
        v = v_p + np.cross(w_p, slides.c(k) + q_k - slides.c(p)) + qd_k
        close(slides.passes.v[k], v)
        close(slides.local(k, slides.v(k)), v)


@pytest.mark.source("MBT-84")
def test_accelerations_through_a_translational_joint(slides):
    """The printed line is the rate of the local components; the acceleration for Eq. 72 needs two more terms."""
    for k in slides.sliding:
        p, (q_k, qd_k, qdd_k) = slides.parent(k), own_rates(slides, k)
        close(slides.free.w[k], slides.R(p).T @ slides.w(p))
        close(slides.free.wd[k], slides.wd(p), 1e-8)
        rho, w_p, wd_p = slides.c(k) + q_k - slides.c(p), slides.R(p).T @ slides.w(p), slides.wd(p)
        v_p_rate = slope(lambda t, p=p: slides.R(p, t).T @ slides.v(p, t))
        printed = v_p_rate + np.cross(wd_p, rho) + np.cross(w_p, qd_k) + qdd_k
        close(slope(lambda t, k=k: slides.R(k, t).T @ slides.v(k, t)), printed, 1e-7)
        true = (slides.vd(p) + np.cross(wd_p, rho) + np.cross(w_p, np.cross(w_p, rho)) + 2 * np.cross(w_p, qd_k)
                + qdd_k)
        close(slides.vd(k), true, 1e-7)
        close(slides.free.a[k], true, 1e-7)
        close(printed + np.cross(w_p, slides.local(k, slides.v(k))), true, 1e-7)
        if p:
            far(printed, true)


# 7.2 and 7.3: the whole algorithm


@pytest.mark.source("MBT-A4")
def test_two_passes_give_the_forces_of_lagranges_equations(motion):
    weights = [slope(lambda s, e=e: motion.linkage.potential(motion.q + s * e)) for e in np.eye(motion.linkage.n)]
    Q = lagrange_expression(motion.linkage.energy, motion.q, motion.qd, motion.qdd) + weights
    close(motion.passes.Q, Q, 1e-7)
    close(motion.passes.Q, rnea(motion.model, motion.q, motion.qd, motion.qdd), 1e-10)
    M, C = lagrange.mass_matrix_and_coriolis(motion.model, motion.q, motion.qd)
    close(motion.passes.Q, M @ motion.qdd + C - lagrange.gravity_force(motion.model, motion.q), 1e-10)


@pytest.mark.source("MBT-A4")
def test_joint_forces_are_the_joint_torques_in_parent_axes(motion):
    """Q_k = Jh_kᵀ R_k tau_k for a joint that turns (without R_k it is wrong), and the axes' part of R_k f_k else."""
    close(motion.passes.Q, rnea(motion.model, motion.q, motion.qd, motion.qdd), 1e-10)
    errors = []
    for k in motion.turning:
        Jh, tau = local_angular_jacobian(motion.model, motion.q, k), motion.passes.tau[k]
        close(motion.passes.Q[motion.linkage.own(k)], Jh.T @ motion.R_k(k) @ tau, 1e-10)
        errors.append(np.abs(Jh.T @ tau - motion.passes.Q[motion.linkage.own(k)]).max())
    assert max(errors) > 0.1
    for k in motion.sliding:
        close(motion.passes.Q[motion.linkage.own(k)], motion.linkage.slides[k - 1].T @ motion.passes.f[k], 1e-10)


@pytest.mark.source("MBT-S7.3-1")
def test_what_leaves_and_root_receive(tree, rng):
    """A leaf has only its own inertia to bear. The root's force is what the world must supply; it is not zero.

    It is zero for a floating root that nothing drives.
    """
    for k in (3, 4):
        m, I_c, w = tree.linkage.body(k)[0], tree.linkage.body(k)[2], tree.local(k, tree.w(k))
        close(tree.free.f[k], m * tree.vd(k), 1e-7)
        about_joint = I_c @ tree.wd(k) + np.cross(w, I_c @ w) + np.cross(tree.c(k), m * tree.vd(k))
        close(tree.free.tau[k], about_joint, 1e-7)
    momentum_rate = sum(tree.linkage.body(k)[0] * tree.R(k) @ tree.vd(k) for k in tree.links)
    weight = sum(tree.linkage.body(k)[0] for k in tree.links) * tree.linkage.gravity
    close(tree.R(1) @ tree.passes.f[1], momentum_rate - weight, 1e-7)
    assert np.abs(tree.passes.f[1]).max() > 1
    assert np.abs(tree.passes.tau[1]).max() > 1

    turns, slides = [None, [X, Y, Z], [Y], [X]], [np.eye(3), None, None, None]
    feather = (np.full(2, 1e-300), np.array([[1.0, 0, 0], [-1, 0, 0]]))
    flying = Linkage([0, 1, 2, 2], turns, slides, list(rng.normal(size=(4, 3))),
                     [feather, *(random_cluster(rng) for _ in range(3))], rng.normal(size=3))
    (q, qd), tau = rng.normal(size=(2, 8)), np.concatenate([np.zeros(6), rng.normal(size=2)])
    qdd = forward_dynamics_of_rbdlib(flying.model(), q, qd, tau)
    passes = recursive_inverse_dynamics(flying.model(), q, qd, qdd)
    close(passes.f[2], np.zeros(3), 1e-9)
    close(passes.tau[2], np.zeros(3), 1e-9)
    close(passes.f[1], np.zeros(3), 1e-9)
    close(passes.Q, tau, 1e-9)


@pytest.mark.source("MBT-85")
def test_gravity_through_the_acceleration_of_the_root(motion):
    """a_k is the true acceleration minus g, and Q that of explicit weights on every link."""
    R, g = motion.R, motion.linkage.gravity
    for k in motion.links:
        close(motion.passes.a[k], motion.vd(k) - R(k).T @ g, 1e-7)
    weights = {k: np.concatenate([np.cross(motion.linkage.x(k, motion.q), motion.linkage.body(k)[0] * g),
                                  motion.linkage.body(k)[0] * g]) for k in motion.links}
    weightless = motion.model.replace(gravity=(0, 0, 0))
    close(motion.passes.Q, rnea(weightless, motion.q, motion.qd, motion.qdd, weights), 1e-10)
    root = 1
    w, wd, c = motion.local(root, motion.w(root)), motion.wd(root), motion.c(root)
    if motion.turning[0] == root:
        close(motion.passes.a[root], np.cross(w, np.cross(w, c)) + np.cross(wd, c) - R(root).T @ g, 1e-8)


@pytest.mark.source("MBT-S7.3-2")
def test_the_offset_acts_like_the_applied_forces_plus_m_g(motion):
    """Applied forces +m g at the centres of mass give the same Q; forces -m g, which the text names, do not."""
    g, weightless = motion.linkage.gravity, motion.model.replace(gravity=(0, 0, 0))

    def with_applied(sign):
        forces = {k: sign * motion.linkage.body(k)[0] * np.concatenate([np.cross(motion.linkage.x(k, motion.q), g), g])
                  for k in motion.links}
        return rnea(weightless, motion.q, motion.qd, motion.qdd, forces)

    close(motion.passes.Q, with_applied(+1), 1e-10)
    assert np.abs(motion.passes.Q - with_applied(-1)).max() > 0.1


class Counted:
    """A number that counts the additions and multiplications in which it takes part."""

    operations = 0

    def __init__(self, value):
        self.value = value

    def _result(self, other, operation):
        if isinstance(other, np.ndarray):
            return NotImplemented
        Counted.operations += 1
        return Counted(operation(self.value, getattr(other, "value", other)))

    def __add__(self, other):
        return self._result(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._result(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._result(other, lambda a, b: b - a)

    def __mul__(self, other):
        return self._result(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._result(other, lambda a, b: a / b)

    def __neg__(self):
        return Counted(-self.value)

    def sin(self):
        return Counted(np.sin(self.value))

    def cos(self):
        return Counted(np.cos(self.value))

    __radd__, __rmul__ = __add__, __mul__


@pytest.mark.source("MBT-S7-1")
def test_operations_grow_in_proportion_to_the_number_of_links(rng):
    """A chain of m links: each link adds the same number of operations; mass matrix and Jacobians take ever more."""
    def count(function, m):
        chain = Linkage(list(range(m)), [[Z]] * m, [None] * m, [X] * m, [random_cluster(rng)] * m, Y).model()
        numbers = np.array([Counted(x) for x in rng.normal(size=m)])
        Counted.operations = 0
        result = function(chain, numbers)
        values = np.array([x.value for x in numbers])
        return Counted.operations, chain, values, result

    counts = {}
    for m in (2, 3, 4, 5, 10, 20, 40):
        counts[m], chain, values, result = count(lambda c, x: recursive_inverse_dynamics(c, x, x, x).Q, m)
        if m < 6:
            close(np.array([x.value for x in result]), rnea(chain, values, values, values), 1e-10)
    per_link = counts[4] - counts[3]
    assert per_link > 100
    assert counts[5] - counts[4] == per_link
    assert [counts[m] - counts[4] for m in (10, 20, 40)] == [per_link * (m - 4) for m in (10, 20, 40)]
    by_jacobians = [count(lambda c, x: lagrange.link_jacobians(c, x), m)[0] for m in (4, 5, 6)]
    assert by_jacobians[2] - by_jacobians[1] > by_jacobians[1] - by_jacobians[0]
