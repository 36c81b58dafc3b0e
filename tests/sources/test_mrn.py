"""The notes on open chains (MRN) row by row: forward dynamics, Euler integration, dynamics in the task space. The
motion of the tip, M and h come from `tests.sources.helpers`: poses of a moving chain in the world, differentiated, and
Lagrange's equations. The equations of the text are written out in NumPy beside what the library gives."""

import functools
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse.linalg
from numpy.linalg import inv
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

from rbdlib import load, rnea
from rbdlib.book.ch02_spatial import plucker
from rbdlib.book.ch06_factorisation import ltl, solve, solve_L, solve_Lt
from rbdlib.motion.simulate import simulate
from rbdlib.texts.mrn import task_space, task_space as mrn
from tests.sources import helpers
from tests.sources.ch07_systems import near
from tests.sources.helpers import close, derivative, far, random_pose, random_tree, slope, twist_matrix, velocity

FRAMES = ("body", "space")


class Arm:
    """A random 6R chain with a tip frame on its last body, in motion along q(t) = q + t qd + t²/2 qdd."""
    def __init__(self, rng):
        self.tree = replace(random_tree(rng, 6, range(6)), kinds=["revolute"] * 6)
        self.place = random_pose(rng)
        self.model = self.tree.model()
        self.X_tip = plucker(self.place[0].T, self.place[1])
        self.q, self.qd, self.qdd, self.tau, self.F = *rng.normal(size=(4, 6)), rng.normal(size=6)
        self.M, self.h = self.tree.mass_matrix(self.q), self.tree.lagrangian_bias(self.q, self.qd)
        self.V_dot, self.J_dot = functools.cache(self.V_dot), functools.cache(self.J_dot)

    def task(self, frame, **options):
        return mrn.Task(X_tip=self.X_tip, frame=frame, **options)

    def at(self, t):
        return self.q + t * self.qd + t * t / 2 * self.qdd

    def tip(self, q):
        """The pose (R, p) of the tip frame in the world."""
        R, p = self.tree.world_poses(q)[-1]
        return R @ self.place[0], p + R @ self.place[1]

    def T(self, t):
        """The 4 x 4 pose of the tip on the path."""
        R, p = self.tip(self.at(t))
        return np.vstack([np.column_stack([R, p]), [0, 0, 0, 1]])

    def V(self, frame, t=0.0):
        return self.written(velocity(lambda t: self.tip(self.at(t)), t), frame, self.at(t))

    def V_dot(self, frame):
        return slope(lambda t: self.V(frame, t), h=3e-3)

    def J(self, frame, q=None):
        """A column for each joint: the twist of the tip when that joint alone moves with unit rate."""
        q = self.q if q is None else q
        ways = [velocity(lambda t, e=e: self.tip(q + t * e)) for e in np.eye(6)]
        return np.column_stack([self.written(way, frame, q) for way in ways])

    def J_dot(self, frame):
        return slope(lambda t: self.J(frame, self.q + t * self.qd), h=3e-3)

    def written(self, motion, frame, q):
        return motion if frame == "space" else helpers.motion_coordinates(motion, self.tip(q))

    def on_the_body(self, F, frame):
        """World coordinates, about the world's origin, of a wrench given in a frame."""
        return F if frame == "space" else helpers.force_carried(F, self.tip(self.q))

    def accelerations(self, q, qd, tau, J_t_F=0):
        return np.linalg.solve(self.tree.mass_matrix(q), tau - self.tree.lagrangian_bias(q, qd) - J_t_F)


@pytest.fixture(scope="module")
def arm():
    return Arm(np.random.default_rng([1, 13]))


# 1 Forward dynamics of open chains

@pytest.mark.source("MRN-1", "MRN-2", "MRN-A1")
@pytest.mark.parametrize("frame", FRAMES)
def test_accelerations_are_those_of_newton_with_a_wrench_exerted_by_the_tip(arm, frame):
    """M thdd = tau - h - Jᵀ F_tip, the arguments in the order th, thd, tau, F_tip; the last link feels -F_tip."""
    thdd = mrn.forward_dynamics(arm.model, arm.q, arm.qd, arm.tau, arm.F, arm.task(frame))
    on_joints = arm.J(frame).T @ arm.F
    close(thdd, arm.accelerations(arm.q, arm.qd, arm.tau, on_joints), 1e-9)
    for wrong in (-on_joints, arm.J(FRAMES[frame == "body"]).T @ arm.F):
        far(thdd, arm.accelerations(arm.q, arm.qd, arm.tau, wrong))
    close(rnea(arm.model, arm.q, arm.qd, thdd, {6: -arm.on_the_body(arm.F, frame)}), arm.tau, 1e-10)
    far(rnea(arm.model, arm.q, arm.qd, thdd, {6: arm.on_the_body(arm.F, frame)}), arm.tau)


@pytest.mark.source("MRN-S1-1", "MRN-7", "MRN-A1", "MRN-S1-3")
def test_bias_is_inverse_dynamics_without_acceleration_and_tip_wrench_and_any_solver_finds_the_accelerations(arm):
    """Cholesky, LTL, LTDL and conjugate gradients, for b = M thdd made from known accelerations."""
    h = rnea(arm.model, arm.q, arm.qd, np.zeros(6))
    near(h, arm.h)
    near(rnea(arm.model, arm.q, arm.qd, arm.qdd), arm.M @ arm.qdd + h)
    far(rnea(arm.tree.model(gravity=np.zeros(3)), arm.q, arm.qd, np.zeros(6)), arm.h)
    dynamics = mrn.task_dynamics(arm.model, arm.q, arm.qd, arm.task("body"))
    near(dynamics.M, arm.M)
    near(dynamics.h, arm.h)
    b, L = arm.M @ arm.qdd, ltl(arm.M)
    for thdd in (np.linalg.solve(arm.M, b), cho_solve(cho_factor(arm.M), b), solve_L(L, solve_Lt(L, b)),
                 solve(arm.M, b), scipy.sparse.linalg.cg(arm.M, b, rtol=1e-14, maxiter=200)[0]):
        close(thdd, arm.qdd, 1e-9)


@pytest.mark.source("MRN-S1-4", "MRN-Q1", "MRN-A2")
def test_motion_follows_from_the_initial_state_the_torques_and_an_optional_wrench():
    """A 2R arm under given tau(t) and F_tip(t) moves as Lagrange's equations say; every one of the data matters. Euler
    integration approaches that motion in proportion to the step."""
    rng = np.random.default_rng(14)
    tree = replace(random_tree(rng, 2, [0, 1]), kinds=["revolute"] * 2)
    model, (q, qd, a, b), F = tree.model(), rng.normal(size=(4, 2)), rng.normal(size=6)

    def tau(t):
        return a + t * b

    def J(q):
        return np.column_stack([velocity(lambda t, e=e: tree.world_poses(q + t * e)[2]) for e in np.eye(2)])

    def rate(t, state):
        known = tau(t) - tree.lagrangian_bias(state[:2], state[2:]) - J(state[:2]).T @ (np.cos(t) * F)
        return np.concatenate([state[2:], np.linalg.solve(tree.mass_matrix(state[:2]), known)])

    exact = solve_ivp(rate, (0, 0.5), np.concatenate([q, qd]), rtol=1e-9, atol=1e-10).y[:, -1]

    def end(q=q, qd=qd, tau=tau, F_tip=lambda t: np.cos(t) * F):
        task = mrn.Task(frame="space")
        motion = simulate(model, q, qd, (0, 0.5), dynamics=lambda model, q, qd, _, f_ext, t: mrn.forward_dynamics(
            model, q, qd, tau(t), F_tip(t) if F_tip else None, task, f_ext, t))
        return np.concatenate([motion.q[-1], motion.qd[-1]])

    found = end()
    close(found, exact, 1e-6)
    assert_array_equal(end(), found)
    errors = [np.abs(task_space.euler_integrate(model, q, qd, tau, lambda t: np.cos(t) * F, 0.5, N,
                                                mrn.Task(frame="space")).q[-1] - exact[:2]).max() for N in (100, 200)]
    assert 1.8 < errors[0] / errors[1] < 2.2
    assert_array_equal(without := end(F_tip=None), end(F_tip=lambda t: np.zeros(6)))
    for changed in (end(q=q + 0.1), end(qd=qd + 0.1), end(tau=lambda t: tau(t) + t), without):
        far(changed, exact)


# 1.1 Euler integration

@pytest.mark.source("MRN-4", "MRN-5", "MRN-6", "MRN-A2", "MRN-S1.1-1")
def test_integration_follows_the_listing_sample_by_sample(arm):
    """N steps make N + 1 samples that end at the final time."""
    def tau(t):
        return (1 + 200 * t) * arm.tau

    def F_tip(t):
        return np.cos(60 * t) * arm.F

    def listing(tau, F_tip, t_f=0.05, N=5):
        """The listing of the text, with Lagrange's equations for ForwardDynamics."""
        dt, th, thd = t_f / N, [arm.q], [arm.qd]
        for k in range(N):
            thdd = arm.accelerations(th[k], thd[k], tau(k * dt), arm.J("body", th[k]).T @ F_tip(k * dt))
            th.append(th[k] + thd[k] * dt)
            thd.append(thd[k] + thdd * dt)
        return np.array(th), np.array(thd)

    motion = task_space.euler_integrate(arm.model, arm.q, arm.qd, tau, F_tip, 0.05, 5, arm.task("body"))
    th, thd = listing(tau, F_tip)
    step = task_space.euler_step(arm.model, arm.q, arm.qd, tau(0), F_tip(0), 0.01, arm.task("body"))
    near(step, [th[1], thd[1]])
    near(motion.q, th)
    near(motion.qd, thd)
    far(motion.qd, listing(lambda t: tau(t + 0.01), lambda t: F_tip(t + 0.01))[1])
    for t_f, N in ((1, 1), (0.7, 7), (2.1, 30), (1 / 3, 49)):
        motion = task_space.euler_integrate(load("pendulum"), [1], [0], None, None, t_f, N)
        assert len(motion.t) == len(motion.q) == len(motion.qd) == N + 1
        assert motion.t[-1] == t_f
        close(motion.t, t_f / N * np.arange(N + 1))


# 2 Dynamics in the task space

@pytest.mark.source("MRN-8")
def test_twist_is_made_of_the_pose_and_its_rate(arm):
    """[V_body] = T⁻¹ T', [V_space] = T' T⁻¹; the columns of J are twists of single joints. v of the space twist is the
    velocity of the body's point at the space origin; the tip's own is p'."""
    T, T_dot = arm.T(0), derivative(arm.T)
    close(task_space.tip_pose(arm.model, arm.q, arm.task("body")), T)
    for frame, printed in (("body", inv(T) @ T_dot), ("space", T_dot @ inv(T))):
        close(twist_matrix(mrn.twist(arm.model, arm.q, arm.qd, arm.task(frame))), printed, 1e-10)
        close(twist_matrix(mrn.jacobian(arm.model, arm.q, arm.task(frame)) @ arm.qd), printed, 1e-10)
        close(mrn.jacobian(arm.model, arm.q, arm.task(frame)), arm.J(frame), 1e-11)
    tip_velocity = derivative(lambda t: arm.tip(arm.at(t))[1])
    v = mrn.twist(arm.model, arm.q, arm.qd, arm.task("space"))
    far(v[3:], tip_velocity)
    close(v[3:] + np.cross(v[:3], arm.tip(arm.q)[1]), tip_velocity, 1e-11)
    close(mrn.twist(arm.model, arm.q, arm.qd, arm.task("hybrid"))[3:], tip_velocity, 1e-11)


@pytest.mark.source("MRN-9", "MRN-10", "MRN-11", "MRN-12", "MRN-13", "MRN-S2-2")
@pytest.mark.parametrize("frame", FRAMES)
def test_joint_rates_accelerations_and_torques_follow_from_the_twist_and_its_rate(arm, frame):
    """J⁻ᵀ tau = Lambda V' + eta is the wrench equivalent to the torques; its power is theirs, whatever the motion. An
    external wrench moves an arm without motors by M thdd = -h + Jᵀ F; then F = Lambda V' + eta, which is F_tip = -F in
    the forward dynamics of the text."""
    model, q, qd, qdd, task = arm.model, arm.q, arm.qd, arm.qdd, arm.task(frame)
    J, J_dot, V, V_dot, J_inv = arm.J(frame), arm.J_dot(frame), arm.V(frame), arm.V_dot(frame), inv(arm.J(frame))
    near(task_space.jacobian_dot(model, q, qd, task), J_dot)                                            # (9)
    near(J_dot @ qd + J @ qdd, V_dot)
    near(task_space.twist_rate(model, q, qd, qdd, task), V_dot)
    far(J @ qdd, V_dot)
    near(J_inv @ V, qd)                                                                                 # (10)
    near(mrn.joint_rates(model, q, V, task), qd)
    near(task_space.jacobian_inverse(model, q, task), J_inv)
    printed = J_inv @ V_dot - J_inv @ J_dot @ J_inv @ V                                                 # (11)
    close(printed, qdd, 1e-7)
    close(task_space.joint_accelerations(model, q, V, V_dot, task), qdd, 1e-7)
    far(J_inv @ V_dot, qdd)
    tau = arm.M @ qdd + arm.h                                                                           # (12)
    close(task_space.joint_torques(model, q, V, V_dot, task), tau, 1e-7)
    close(arm.M @ printed + arm.tree.lagrangian_bias(q, J_inv @ V), tau, 1e-7)
    F = J_inv.T @ tau                                                                                   # (13)
    dynamics = mrn.task_dynamics(model, q, qd, task)
    close(dynamics.wrench(V_dot), F, 1e-7)
    near(task_space.wrench_from_torques(model, q, tau, task), F)
    near(task_space.torques_from_wrench(model, q, F, task), tau)
    assert F @ V == pytest.approx(tau @ qd, rel=1e-8, abs=1e-8)
    thdd = np.linalg.solve(arm.M, J.T @ arm.F - arm.h)                                                  # (S2-2)
    close(dynamics.wrench(J @ thdd + J_dot @ qd), arm.F, 1e-6)
    close(mrn.forward_dynamics(model, q, qd, np.zeros(6), -arm.F, task), thdd, 1e-7)
    far(dynamics.wrench(J @ mrn.forward_dynamics(model, q, qd, np.zeros(6), arm.F, task) + J_dot @ qd), arm.F)


@pytest.mark.source("MRN-14", "MRN-15")
@pytest.mark.parametrize("frame", FRAMES)
def test_task_space_inertia_and_bias_are_those_of_the_arm_seen_from_the_tip(arm, frame):
    """The columns of Lambda⁻¹ are accelerations of the tip at rest, free of weight, when a unit wrench acts on it. At
    rest the bias is the weight, eta(th, 0) = J⁻ᵀ g(th), g being the slope of the potential energy."""
    Lambda, J, V = mrn.task_inertia(arm.model, arm.q, arm.task(frame)), arm.J(frame), arm.V(frame)
    J_inv = inv(J)
    near(Lambda, J_inv.T @ arm.M @ J_inv)                                                               # (14)
    near(inv(Lambda), J @ inv(arm.M) @ J.T)
    near(Lambda, Lambda.T)
    assert np.linalg.eigvalsh((Lambda + Lambda.T) / 2).min() > 0
    assert V @ Lambda @ V == pytest.approx(arm.qd @ arm.M @ arm.qd, rel=1e-8)
    rest, model = np.zeros(6), arm.tree.model(gravity=np.zeros(3))
    felt = [J @ np.linalg.solve(arm.M, -rnea(model, arm.q, rest, rest, {6: arm.on_the_body(unit, frame)}))
            for unit in np.eye(6)]
    near(inv(Lambda), np.column_stack(felt))
    h = arm.tree.lagrangian_bias(arm.q, J_inv @ V)                                                      # (15)
    printed = J_inv.T @ h - J_inv.T @ arm.M @ J_inv @ arm.J_dot(frame) @ J_inv @ V
    eta = task_space.task_bias(arm.model, arm.q, V, arm.task(frame))
    close(eta, printed, 1e-7)
    close(mrn.task_dynamics(arm.model, arm.q, arm.qd, arm.task(frame)).eta, printed, 1e-7)
    far(eta, J_inv.T @ h)
    masses = np.array([m for m, _, _ in arm.tree.bodies])
    g = np.array([derivative(lambda t, e=e: -masses @ arm.tree.centres(arm.q + t * e) @ arm.tree.gravity)
                  for e in np.eye(6)])
    near(task_space.task_bias(arm.model, arm.q, rest, arm.task(frame)), J_inv.T @ g)


@pytest.mark.source("MRN-S2-1")
def test_a_singular_configuration_is_refused_the_lost_direction_named_and_the_tip_heavy_near_it():
    """With q5 = 0 two wrist axes of the 6R arm coincide, and one way to move is lost. At the angle e from there, J⁻¹
    grows as 1/e along that direction and Lambda as 1/e²; elsewhere they stay."""
    model, q = load("arm_6r"), np.array([0.3, -0.5, 0.7, 0, 0, 0])
    J = mrn.jacobian(model, q)
    assert np.linalg.cond(J) > 1e12
    lost = np.linalg.svd(J)[0][:, -1]
    close(lost @ J, np.zeros(6))
    assert abs(lost[0]) > 0.5
    lost_text = ".*".join(f"{abs(x):.3f}" for x in lost if abs(x) > 1e-3)
    for refuse in (lambda: mrn.joint_rates(model, q, lost), lambda: mrn.task_inertia(model, q),
                   lambda: task_space.joint_torques(model, q, lost, lost), lambda: mrn.task_dynamics(model, q, q),
                   lambda: task_space.wrench_from_torques(model, q, np.ones(6))):
        with pytest.raises(ValueError, match=f"singular.*{lost_text}.*damping"):
            refuse()
    found = []
    for e in (1e-2, 1e-3, 1e-4):
        q[4] = e
        Lambda = mrn.task_inertia(model, q)
        found.append([Lambda[0, 0], Lambda[1, 1], *(np.abs(mrn.joint_rates(model, q, V)).max() for V in np.eye(6)[:2])])
    assert_allclose(np.array(found[1:]) / found[:-1], [[100, 1, 10, 1]] * 2, rtol=0.02)


@pytest.mark.source("MRN-S2-3")
def test_twist_jacobian_inertia_and_wrench_belong_to_one_frame(arm):
    """With V_s = Ad V_b: J_s = Ad J_b, F_s = Ad⁻ᵀ F_b and Lambda_s = Ad⁻ᵀ Lambda_b Ad⁻¹; frames cannot be mixed."""
    Ad = np.column_stack([helpers.motion_carried(e, arm.tip(arm.q)) for e in np.eye(6)])
    body, space = (mrn.task_dynamics(arm.model, arm.q, arm.qd, arm.task(frame)) for frame in FRAMES)
    close(space.V, Ad @ body.V, 1e-10)
    close(space.J, Ad @ body.J, 1e-10)
    near(space.Lambda, inv(Ad).T @ body.Lambda @ inv(Ad))
    F = [task_space.wrench_from_torques(arm.model, arm.q, arm.tau, arm.task(frame)) for frame in FRAMES]
    near(F[1], inv(Ad).T @ F[0])
    F_b = inv(arm.J("body")).T @ (arm.M @ arm.qdd + arm.h)
    close(body.wrench(arm.V_dot("body")), F_b, 1e-7)
    far(body.wrench(arm.V_dot("space")), F_b)
    far(space.wrench(arm.V_dot("body")), F_b)
